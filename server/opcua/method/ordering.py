"""Orders to the loop, from a method that waits for the answer."""

import asyncio
import logging
import time

from asyncua import ua

from twincell.server.opcua.attribute.loop_status import is_down
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import Answer, Kind, Result

LOOK_AGAIN_S = 0.05  # whether the loop still lives; its answers ring a wake signal. Chosen
PATIENCE_S = 5.0  # chosen: much longer than any order takes that is not Step

log = logging.getLogger("twincell.opcua")


class Orders:
    """Posts orders and waits for them."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._waiting: set[asyncio.Future[None]] = set()

    def listen(self) -> None:
        """Hear of answers from now on, in the event loop that runs."""
        wake_signal = self._link.orders.answered
        asyncio.get_running_loop().add_reader(wake_signal.file, self._rung)

    def stop(self) -> None:
        """Hear of nothing any more."""
        asyncio.get_running_loop().remove_reader(self._link.orders.answered.file)

    async def give(
        self,
        kind: Kind,
        argument: float = 0.0,
        payload: bytes = b"",
        patience_s: float = PATIENCE_S,
    ) -> float:
        """Let the loop carry out an order; its answer's value. Raises Bad... when it is not done.

        OPC UA has no text for a refused call, so the reason goes to the log.
        """
        if is_down(self._link.vitals):
            raise ua.uaerrors.BadNoCommunication
        number = self._link.orders.post(kind, argument, payload)
        if number is None:
            log.warning("%s was refused: too many orders wait already", kind.name)
            raise ua.uaerrors.BadResourceUnavailable
        answer = await self._answer(number, patience_s)
        if answer.result is Result.DONE:
            return answer.value
        log.warning("%s was refused: %s", kind.name, answer.text)
        if answer.result is Result.UNKNOWN:
            raise ua.uaerrors.BadNotFound
        raise ua.uaerrors.BadInvalidState

    async def _answer(self, number: int, patience_s: float) -> Answer:
        end = time.monotonic() + patience_s
        while True:
            answer = self._link.orders.answer_to(number)
            if answer is not None:
                return answer
            if is_down(self._link.vitals):
                raise ua.uaerrors.BadNoCommunication
            if time.monotonic() > end:
                self._link.orders.withdraw(number)
                raise ua.uaerrors.BadTimeout
            await self._news()

    async def _news(self) -> None:
        """Until an order was answered, or it is time to look at the loop."""
        loop = asyncio.get_running_loop()
        news = loop.create_future()
        self._waiting.add(news)
        timer = loop.call_later(LOOK_AGAIN_S, _wake, news)
        try:
            await news
        finally:
            timer.cancel()
            self._waiting.discard(news)

    def _rung(self) -> None:
        """Wake up all who wait: each looks for its own answer."""
        self._link.orders.answered.silence()
        for news in self._waiting:
            _wake(news)


def _wake(news: "asyncio.Future[None]") -> None:
    if not news.done():
        news.set_result(None)
