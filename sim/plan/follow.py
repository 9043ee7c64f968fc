"""Joint positions along a route: inverse kinematics at knots, cubic splines in between.

A piece whose middle is not where the route is gets a knot there, until the whole path is within
ACCURACY.

The arm must follow without effort that nobody sees. Let a joint alone move from one knot to the
next; the TCP would move by J_i Δq_i. What all joints do in this way is compared with what the TCP
is to do between these knots, where ‖(v, ω)‖² = v² + ω² ARM_LENGTH²:

    Σ_i ‖J_i Δq_i‖  ≤  MOST_EFFORT · max ‖m'‖ · Δs

Far from singularities the left side is a few times the TCP's way. Near one, joints turn against
each other and cancel. Where the inverse jumps to another posture the left side stays while Δs
shrinks, so this finds both. It needs neither six joints nor a regular Jacobian: a singular arm may
move in the directions that it has left.
"""

import numpy as np

from twincell.sim.model import Floats
from twincell.sim.plan.arm import Arm, shown_point
from twincell.sim.plan.plan import Refused
from twincell.sim.plan.route import Route
from twincell.sim.plan.spline import cubic_spline, in_the_middle
from twincell.sim.pose import matrix_of, quaternion, rotation_vector
from twincell.sim.state import MOST_PIECES

ACCURACY = 1.0e-6  # [m] and [rad] to which a path keeps its way
IN_THE_MIDDLE = 0.8 * ACCURACY  # of a piece; measured: elsewhere on it up to 1.1 times as much
FIRST_PIECES = 16  # before any is halved; chosen: enough to see the shape of any path
FIRST_LENGTH = 1.0e-3  # [m] or [rad] at least: shorter ones magnify the inverse's rounding
MOST_EFFORT = 100.0  # chosen: a line of a six-axis arm may pass its stretched wrist at 6°, not 5°
ARM_LENGTH = 1.0  # [m] by which a turn counts as a way; that of the arms in question


def follow(arm: Arm, start: Floats, route: Route) -> tuple[Floats, Floats]:
    """Knots and cubic pieces of a path on which the TCP follows the route."""
    knots = _first_knots(route)
    rows = [start]
    for s in knots[1:]:
        rows.append(_inverse(arm, rows[-1], route, s))
    joints = np.array(rows)
    while True:
        _check_effort(arm, route, knots, joints)
        pieces = cubic_spline(knots, joints)
        middles = (knots[:-1] + knots[1:]) / 2
        between = in_the_middle(knots, pieces)
        errors = np.array([_error(arm, route, s, q) for s, q in zip(middles, between, strict=True)])
        wrong = np.flatnonzero(errors > IN_THE_MIDDLE)
        if len(wrong) == 0:
            return knots, pieces
        if len(middles) + len(wrong) > MOST_PIECES:
            s = middles[np.argmax(errors)]
            raise Refused(
                f"{place(route, s)}: {MOST_PIECES} pieces of path do not keep {arm.name} within"
                f" {ACCURACY:g} m and rad of the way (off by {errors.max():.2g}): it is too long,"
                " has too many corners or passes too close to a singularity; divide the move"
            )
        found = [
            _inverse(arm, np.clip(between[k], arm.lower, arm.upper), route, middles[k])
            for k in wrong
        ]
        joints = np.insert(joints, wrong + 1, found, axis=0)
        knots = np.insert(knots, wrong + 1, middles[wrong])


def place(route: Route, s: float) -> str:
    """A place on the route, in words."""
    return f"{100 * s / route.length:.0f} % along the path, at {shown_point(route.pose(s)[0])}"


def _first_knots(route: Route) -> Floats:
    """Ends of all spans, and enough in between."""
    knots = [0.0]
    for span in route.spans:
        length = span.end - span.begin
        wanted = np.ceil(FIRST_PIECES * length / route.length)
        n_piece = int(max(min(wanted, length // FIRST_LENGTH), 1))
        knots += np.linspace(span.begin, span.end, n_piece + 1)[1:].tolist()
    if len(knots) > MOST_PIECES:
        raise Refused(
            f"a path has at most {MOST_PIECES} pieces, {len(route.spans)} lines and corners"
            " need more: divide the move"
        )
    return np.array(knots)


def _inverse(arm: Arm, nearby: Floats, route: Route, s: float) -> Floats:
    p_W, R_W = route.pose(s)
    found = arm.inverse(nearby, p_W, quaternion(R_W))
    if isinstance(found, str):
        raise Refused(f"{place(route, s)}: {arm.name} cannot be there: {found}")
    return found


def _error(arm: Arm, route: Route, s: float, joints: Floats) -> float:
    """How far the TCP is from where it is to be [m or rad, whichever is more]."""
    p_W, R_W = route.pose(s)
    p, q = arm.forward(joints)
    turn = rotation_vector(matrix_of(q) @ R_W.T)
    return float(max(np.linalg.norm(p - p_W), np.linalg.norm(turn)))


def _check_effort(arm: Arm, route: Route, knots: Floats, joints: Floats) -> None:
    """Refuse a path on which the joints move far more than the TCP."""
    metres, radians = route.greatest_speeds
    most = MOST_EFFORT * np.hypot(metres, radians * ARM_LENGTH)
    weight = np.array([1, 1, 1, ARM_LENGTH, ARM_LENGTH, ARM_LENGTH])
    for piece, way in enumerate(np.diff(joints, axis=0)):
        alone = np.linalg.norm(weight[:, None] * arm.jacobian(joints[piece]) * way, axis=0)
        if alone.sum() > most * (knots[piece + 1] - knots[piece]):
            joint = int(np.argmax(alone))
            p, p_next = (route.pose(s)[0] for s in knots[piece : piece + 2])
            raise Refused(
                f"{place(route, knots[piece])}: {arm.joint_names[joint]} would move by"
                f" {arm.shown(joint, way[joint])} while the tool moves"
                f" {1e3 * np.linalg.norm(p_next - p):.3g} mm: {arm.name} passes a singularity or"
                " jumps to another posture; pass it further away, or use a joint move"
            )
