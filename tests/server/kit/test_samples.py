"""Samples of Publish responses, decoded run by run: the same as asyncua decodes one by one."""

import struct

import numpy as np
import pytest
from asyncua import ua
from asyncua.ua.ua_binary import variant_to_binary
from hypothesis import given
from hypothesis import strategies as st

from twincell.server.kit.samples import CellIsDown, SamplesLost, opened
from twincell.server.opcua.subscription.notification import data_change
from twincell.server.opcua.subscription.publish_response import Message, publish_response

OVERFLOW = 0x0000_0480

values = st.one_of(
    st.booleans().map(lambda value: ua.Variant(value, ua.VariantType.Boolean)),
    st.integers(-(2**31), 2**31 - 1).map(lambda value: ua.Variant(value, ua.VariantType.Int32)),
    st.integers(-(2**50), 2**50).map(lambda value: ua.Variant(value, ua.VariantType.Int64)),
    st.floats(allow_nan=False).map(lambda value: ua.Variant(value, ua.VariantType.Double)),
    st.text(max_size=8).map(lambda value: ua.Variant(value, ua.VariantType.String)),
)


def encoded(handle: int, value: ua.Variant, stamp: int, status: int = 0) -> bytes:
    """One notification, its value as asyncua encodes it."""
    mask = 1 | 4 | (2 if status else 0)
    told = struct.pack("<I", status) if status else b""
    head = struct.pack("<IB", handle, mask)
    return head + variant_to_binary(value) + told + struct.pack("<q", stamp)


def response(*notifications: bytes, more: bool = False) -> bytes:
    data = data_change(len(notifications), [b"".join(notifications)])
    return publish_response(1, 7, [3], more, Message(3, 0, (data,)), [])


@given(st.lists(st.tuples(st.integers(0, 5), values), max_size=30), st.booleans())
def test_every_sample_comes_out_with_its_handle_time_and_value(
    sent: list[tuple[int, ua.Variant]], more: bool
) -> None:
    texts: dict[str, int] = {}
    message = response(
        *(encoded(handle, value, stamp) for stamp, (handle, value) in enumerate(sent)), more=more
    )
    published = opened(message, lambda text: texts.setdefault(text, len(texts)))
    assert (published.number, published.more) == (3, more)
    handles = [int(one) for samples in published.samples for one in samples.handle]
    stamps = [int(one) for samples in published.samples for one in samples.stamp]
    numbers = [float(one) for samples in published.samples for one in samples.value]
    assert handles == [handle for handle, _ in sent]
    assert stamps == list(range(len(sent)))
    wanted = [
        float(texts[one.Value] if one.VariantType == ua.VariantType.String else one.Value)
        for _, one in sent
    ]
    assert np.array_equal(numbers, wanted)


def test_a_gap_in_the_samples_is_not_passed_over() -> None:
    sample = encoded(1, ua.Variant(1.0, ua.VariantType.Double), 5, OVERFLOW)
    with pytest.raises(SamplesLost):
        opened(response(sample), lambda _: 0)


def test_a_value_that_is_bad_means_that_the_cell_is_down() -> None:
    without_value = struct.pack("<IBI", 1, 2, ua.StatusCodes.BadNoCommunication)
    with pytest.raises(CellIsDown):
        opened(response(without_value), lambda _: 0)


def test_a_sign_of_life_has_no_samples() -> None:
    alive = publish_response(1, 7, [], False, Message(4, 0, ()), [])
    assert opened(alive, lambda _: 0).is_empty
