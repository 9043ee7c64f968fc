"""What trends show: every tick, or a picture in which no peak is lost."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from twincell.server.realtime.shared.link import Link
from twincell.server.web.data.history import HEADER, span, thinned


@given(
    st.integers(1, 700).flatmap(
        lambda n: arrays(np.float64, (n, 3), elements=st.floats(-1e6, 1e6, width=32))
    ),
    st.integers(2, 200),
)
def test_a_picture_keeps_the_extremes_and_is_small(values, points):
    values[:, 0] = np.arange(len(values))
    shown = thinned(values, points)
    assert len(shown) <= max(points, 4)
    if len(values) > points:
        each = -(-2 * len(values) // points)
        last = values[len(values) - len(values) // each * each :]  # whole blocks only
        np.testing.assert_array_equal(shown[:, 1:].max(axis=0), last[:, 1:].max(axis=0))
        np.testing.assert_array_equal(shown[:, 1:].min(axis=0), last[:, 1:].min(axis=0))
        assert (np.diff(shown[:, 0]) >= 0).all()


def test_a_span_begins_after_the_last_reset():
    link = Link(2, n_row=2048)
    for tick in [*range(500), *range(100)]:
        link.ring.next_row()[:] = tick
        link.ring.append(tick, tick * 0.001, 0, 0)
    data = span(link, 0.001, [1], from_s=0.3, points=1000)
    count, columns = HEADER.unpack_from(data)
    times, values = np.frombuffer(data, "<f8", offset=HEADER.size).reshape(columns, count)
    np.testing.assert_allclose(times, np.arange(100) * 0.001)
    np.testing.assert_array_equal(values, np.arange(100))


def test_before_the_first_tick_there_is_nothing_to_show():
    assert HEADER.unpack(span(Link(2), 0.001, [0], 10.0, 100)) == (0, 2)
