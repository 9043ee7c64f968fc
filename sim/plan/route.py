"""The way of the TCP in space: straight lines, and curves around their corners.

s is the length of way along the lines, from corner to corner. A pose is written as a position and a
rotation vector relative to some pose on the way, together six numbers m. A line is m = s m', with
m' constant: a straight line, and a turn about one axis. A corner at s = c is passed, between
c - b and c + b, on the curve whose m' turns smoothly from one line's to the next's:

    m' = m'₁ + (m'₂ - m'₁) (3 ξ² - 2 ξ³)                    ξ = (s - c + b) / 2b, from 0 to 1
    m  = (s - c) m'₁ + (m'₂ - m'₁) 2b (ξ³ - ξ⁴/2)

At ξ = 0 and 1 this is on the lines, with their m' and with m'' = 0. (It is the quintic with these
values at its ends; as both sides have the length b, its fifth power vanishes.) The TCP is never
faster than on the faster of the two lines, and passes the corner at a distance of at most 3/8 b.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from twincell.sim.model import Floats
from twincell.sim.plan.arm import shown_point
from twincell.sim.plan.asked import Point
from twincell.sim.plan.plan import Refused
from twincell.sim.pose import matrix_of, rotation_vector, turned_by

STILL = 1.0e-9  # [m] or [rad] is no motion: the inverse kinematics is not more exact
SHORTEST_LINE = 1.0e-6  # [m]; what is shorter is a turn on the spot
SAME_DIRECTION = 1.0e-6  # of two lines' m': a kink that the accuracy of the path cannot show


@dataclass(frozen=True)
class Line:
    """From one pose to the next."""

    p_W: Floats
    R_W: Floats
    way: Floats  # position and rotation vector to the next pose (6,)
    blend: float  # asked for at the end

    @property
    def distance(self) -> float:
        return float(np.linalg.norm(self.way[:3]))

    @property
    def angle(self) -> float:
        return float(np.linalg.norm(self.way[3:]))

    @property
    def length(self) -> float:
        """How much of s it takes: metres, or radians if it only turns."""
        return self.distance if self.distance > SHORTEST_LINE else max(self.distance, self.angle)

    @property
    def slope(self) -> Floats:
        """m': the way of position and rotation vector per s."""
        return self.way / self.length


@dataclass(frozen=True)
class Span:
    """A line, or the curve around a corner: m' goes from `before` to `after`."""

    begin: float
    end: float
    origin: float  # s at which the pose p_W, R_W would be reached by `before` alone
    p_W: Floats
    R_W: Floats
    before: Floats  # (6,)
    after: Floats  # (6,)

    def pose(self, s: float) -> tuple[Floats, Floats]:
        """Where the TCP is to be, and how it is turned."""
        length = self.end - self.begin
        xi = (s - self.begin) / length
        turned = length * (xi**3 - xi**4 / 2)
        m = (s - self.origin) * self.before + turned * (self.after - self.before)
        return self.p_W + m[:3], turned_by(m[3:]) @ self.R_W


@dataclass(frozen=True)
class Route:
    """All spans, one after the other; none if there is nowhere to go."""

    spans: list[Span]

    @property
    def length(self) -> float:
        return self.spans[-1].end

    @property
    def greatest_speeds(self) -> tuple[float, float]:
        """Metres and radians of the TCP per s.

        Within a corner m' lies between those of its lines, and a frame turns at most as fast as
        its rotation vector changes.
        """
        slopes = np.array([span.before for span in self.spans])
        metres = np.linalg.norm(slopes[:, :3], axis=1).max()
        radians = np.linalg.norm(slopes[:, 3:], axis=1).max()
        return float(metres), float(radians)

    def pose(self, s: float) -> tuple[Floats, Floats]:
        """Where the TCP is to be at s, and how it is turned."""
        begins = [span.begin for span in self.spans]
        index = max(int(np.searchsorted(begins, s, side="right")) - 1, 0)
        return self.spans[index].pose(s)


def route_past(start: Point, points: Sequence[Point]) -> Route:
    """Straight lines from pose to pose, with a curve around each corner."""
    lines = [
        line
        for line in (_line(a, b) for a, b in pairwise([start, *points]))
        if line.distance > STILL or line.angle > STILL
    ]
    spans: list[Span] = []
    s, cut = 0.0, 0.0  # begin of this line, and how much of it the corner before it has taken
    for line, following in zip(lines, [*lines[1:], None], strict=False):
        end = s + line.length
        blend = 0.0 if following is None else _blend(line, following)
        if s + cut < end - blend:
            spans.append(Span(s + cut, end - blend, s, line.p_W, line.R_W, line.slope, line.slope))
        if following is not None and blend > 0:
            corner = (end - blend, end + blend, end, following.p_W, following.R_W)
            spans.append(Span(*corner, line.slope, following.slope))
        s, cut = end, blend
    return Route(spans)


def _line(start: Point, end: Point) -> Line:
    R_W = matrix_of(start.q_W)
    turn = rotation_vector(matrix_of(end.q_W) @ R_W.T)
    return Line(start.p_W, R_W, np.concatenate([end.p_W - start.p_W, turn]), end.blend)


def _blend(line: Line, following: Line) -> float:
    """How far before and after its corner a line is left: at most half of it."""
    corner = f"the corner at {shown_point(following.p_W)}"
    for turn in (line, following):
        if turn.distance <= SHORTEST_LINE:
            raise Refused(
                f"{corner}: a turn of {np.degrees(turn.angle):.4g}° on the spot cannot be passed"
                " without stopping; end the move there, or turn on the way"
            )
    if line.blend == 0 and np.linalg.norm(following.slope - line.slope) > SAME_DIRECTION:
        raise Refused(
            f"{corner}: a corner without a blend cannot be passed without stopping;"
            " give it a blend_m, or end the move there"
        )
    return min(line.blend, line.length / 2, following.length / 2)
