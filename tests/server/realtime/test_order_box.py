"""The box of orders: first in first out, each with its answer."""

import pytest

from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import PAYLOAD, SLOTS, TEXT, Answer, Kind, Result


@pytest.fixture
def box():
    return Link(1, 300).orders


def test_an_order_arrives_as_it_was_posted(box):
    assert box.next() is None
    number = box.post(Kind.MOVE, 2.0, b"a plan\0with zeros\0")
    order = box.next()
    assert order == (number, Kind.MOVE, 2.0, b"a plan\0with zeros\0")
    assert box.next() == order  # until it is answered


def test_an_answer_belongs_to_its_order(box):
    first, second = box.post(Kind.PAUSE), box.post(Kind.STEP, 5.0)
    assert box.answer_to(first) is None
    box.answer(Result.DONE)
    assert box.answer_to(first) == Answer(Result.DONE, 0.0, "")
    assert box.answer_to(second) is None
    box.answer(Result.REFUSED, 7.0, "nicht möglich")
    assert box.answer_to(second) == Answer(Result.REFUSED, 7.0, "nicht möglich")
    assert box.next() is None


def test_an_order_that_nobody_waits_for_any_more_is_not_carried_out(box):
    first, second = box.post(Kind.RESET), box.post(Kind.PAUSE)
    box.withdraw(first)
    assert box.next().number == second
    assert box.answer_to(first).result is Result.REFUSED


def test_a_full_box_takes_nothing_until_one_is_answered(box):
    numbers = [box.post(Kind.SPEED, float(k)) for k in range(SLOTS)]
    assert numbers == list(range(SLOTS)) and box.post(Kind.PAUSE) is None
    box.answer(Result.DONE)
    assert box.post(Kind.PAUSE) == SLOTS
    assert box.next().argument == 1.0


def test_a_payload_may_be_as_long_as_its_place_and_no_longer(box):
    assert box.post(Kind.MOVE, 0.0, bytes(PAYLOAD + 1)) is None
    box.post(Kind.MOVE, 0.0, b"x" * PAYLOAD)
    box.answer(Result.DONE)
    for _ in range(SLOTS - 1):
        box.post(Kind.PAUSE)
        box.answer(Result.DONE)
    box.post(Kind.MOVE, 0.0, b"short")  # in the same place
    assert box.next().payload == b"short"


def test_a_text_that_is_too_long_is_cut(box):
    number = box.post(Kind.PAUSE)
    box.answer(Result.REFUSED, text="ü" * TEXT)
    assert box.answer_to(number).text == "ü" * (TEXT // 2)


def test_orders_go_around_the_box_many_times(box):
    for k in range(3 * SLOTS + 1):
        number = box.post(Kind.RESTORE, float(k))
        assert box.next() == (number, Kind.RESTORE, float(k), b"")
        box.answer(Result.UNKNOWN, float(-k))
        assert box.answer_to(number) == Answer(Result.UNKNOWN, float(-k), "")
