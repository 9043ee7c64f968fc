"""Connect to a server for one command, and say in plain words what went wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from twincell.server.client.endpoint import endpoint_of
from twincell.server.client.login_options import LoginOptions, login_of
from twincell.server.errors import Refusal

if TYPE_CHECKING:
    from twincell.server.client.login import Login
    from twincell.server.client.session import Session

Result = TypeVar("Result")

UrlArgument = Annotated[
    str,
    typer.Argument(
        metavar="URL",
        help="Where the server listens, such as opc.tcp://localhost:4840.",
        show_default=False,
    ),
]


def talk(
    url: str, name: str, work: Callable[[Session], Awaitable[Result]], options: LoginOptions
) -> Result:
    """Connect under a name, do the work, disconnect."""
    endpoint = endpoint_of(url)
    login = login_of(options)

    import asyncio

    from asyncua import ua

    from twincell.server.client.bounded_protocol import MEND
    from twincell.server.client.mistake import Mistake
    from twincell.server.opcua.wire.decoding import TooMuch
    from twincell.server.security.own_certificate import UnusableCertificate

    try:
        return asyncio.run(_talk(endpoint, name, work, login))
    except Mistake as mistake:
        raise Refusal(str(mistake), mistake.hint) from None
    except UnusableCertificate as ours:
        raise Refusal(str(ours)) from None
    except TimeoutError:
        raise Refusal(f"{endpoint}: does not answer", "is it an OPC UA server?") from None
    except ua.UaStatusCodeError as error:
        status = ua.StatusCode(error.code)
        raise Refusal(f"{endpoint}: refused it: {status.name}: {status.doc}") from None
    except ConnectionRefusedError:
        hint = "start a cell with 'twincell run', which prints its address"
        raise Refusal(f"{endpoint}: nobody listens there", hint) from None
    except ConnectionError:
        raise Refusal(f"{endpoint}: the connection was lost", "try again") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise Refusal(f"{endpoint}: cannot be reached: {reason}") from None
    except TooMuch as error:
        raise Refusal(f"{endpoint}: {error}", MEND) from None
    except ua.UaError as error:
        raise Refusal(f"{endpoint}: does not answer as an OPC UA server: {error}") from None


async def _talk(
    endpoint: str, name: str, work: Callable[[Session], Awaitable[Result]], login: Login
) -> Result:
    from twincell.server.client.session import connected

    async with connected(endpoint, name, login) as session:
        return await work(session)
