"""Moves of a robot: where to, how fast, go; and stop, which is always in reach.

The page asks for degrees and shares, the methods of the robot get SI units. A refused call has no
text in OPC UA: the words are those of the planner itself, which the page asks once more.
"""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from asyncua import ua
from nicegui import ui

from twincell.server.client.mistake import Mistake
from twincell.server.realtime.shared.ring import Floats
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.security.roles import Role
from twincell.server.web.data.long_history import Singles
from twincell.server.web.page.page_session import PageSession, labelled
from twincell.sim.plan import Refused, plan_joint, plan_joint_to_pose, plan_linear
from twincell.sim.pose import quaternion, rotation_matrix
from twincell.sim.signals import Signal

JOINTS, POSE, LINE = "Joints", "Pose", "Line"
ABOUT = {
    JOINTS: "All joints together, each to its position.",
    POSE: "All joints together, until the tool centre point is there.",
    LINE: "The tool centre point on a straight line.",
}
PLANNING = asyncio.Lock()  # one at a time: the kernels of all arms share their working memory


class Move(NamedTuple):
    """A call of a robot's method, and what plans it."""

    method: str
    plan: Callable[..., object]
    arguments: tuple[Any, ...]

    @property
    def variants(self) -> list[ua.Variant]:
        double = ua.VariantType.Double
        return [ua.Variant(one, double, is_array=isinstance(one, list)) for one in self.arguments]


class StopButtons:
    """Brakes a robot on its path, however often it is pressed; a second button takes that back.

    The second is there only while the robot's command Stop is set.
    """

    def __init__(self, page_session: PageSession, robot: Callable[[], str]) -> None:
        self._page_session = page_session
        self._robot = robot
        self._stop = ui.button("Stop", icon="front_hand", on_click=self._press)
        self._stop.props("unelevated dense color=negative")
        self._release = ui.button("Release stop", icon="play_arrow", on_click=self._take_back)
        self._release.props("outline dense color=negative").set_visibility(False)
        self._name()

    def show(self, is_wanted: bool) -> None:
        """Show them at all, or not."""
        self._stop.set_visibility(is_wanted)
        if not is_wanted:
            self._release.set_visibility(False)

    def refresh(self, row: Floats | Singles) -> None:
        """Show whether the command is set."""
        stop = self._page_session.view.signals.by_name.get(f"{self._robot()}.Stop")
        self._release.set_visibility(stop is not None and bool(row[stop.column]))
        self._name()

    def _name(self) -> None:
        labelled(self._stop, f"Stop {self._robot()}")
        labelled(self._release, f"Release the stop of {self._robot()}")

    async def _press(self) -> None:
        """With the method; who may not call it sets the command, which stays set."""
        robot, user_session = self._robot(), self._page_session.visitor.user_session
        if self._page_session.visitor.may(Role.ENGINEER):
            await self._page_session.act(
                Role.ENGINEER, lambda: user_session.call(robot, "StopMove")
            )
        else:
            stop = self._page_session.view.signals[f"{robot}.Stop"]
            await self._page_session.act(Role.OPERATOR, lambda: user_session.write(stop, True))

    async def _take_back(self) -> None:
        stop = self._page_session.view.signals[f"{self._robot()}.Stop"]
        user_session = self._page_session.visitor.user_session
        await self._page_session.act(Role.OPERATOR, lambda: user_session.write(stop, False))


class RobotMoves:
    """A form for the moves of one robot."""

    def __init__(self, page_session: PageSession, robot: str) -> None:
        self._page_session = page_session
        self._robot = robot
        self._arm = next(arm for arm in page_session.view.arms if arm.name == robot)
        count = range(1, self._arm.n_axis + 1)
        signals = page_session.view.signals
        self._joints = [signals[f"{robot}.JointPosition.{k}"] for k in count]
        self._pose = [signals[f"{robot}.TcpPose.{axis}"] for axis in "XYZABC"]
        folded = ui.expansion("Move", on_value_change=self._opened).props("dense")
        with labelled(folded, f"Moves of {robot}"), ui.element("div").classes("tc-moves"):
            self._kind = ui.toggle([JOINTS, POSE, LINE], value=JOINTS, on_change=self._show)
            labelled(self._kind.props("dense no-caps unelevated"), f"Kind of move of {robot}")
            self._about = ui.label().classes("about")
            self._joint_part = ui.element("div").classes("tc-fields")
            self._at_joints = self._fields(self._joint_part, [f"J{k}" for k in count], self._joints)
            self._pose_part = ui.element("div").classes("tc-fields")
            self._at_pose = self._fields(self._pose_part, "XYZABC", self._pose)
            self._add_speeds()
            with ui.element("div").classes("tc-row"):
                here = ui.button("From here", icon="my_location", on_click=self._take_here)
                labelled(here.props("outline dense"), f"Fill in where {robot} is")
                ui.element("span").classes("tc-grow")
                go = ui.button("Move", icon="play_arrow", on_click=self._go)
                labelled(go.props("unelevated dense"), f"Move {robot}")
        self._show()

    def _opened(self) -> None:
        """A form that was folded away shows where the robot is by now."""
        self._take_here()

    def _fields(self, part: ui.element, labels: Sequence[str], of: list[Signal]) -> list[ui.number]:
        with part:
            return [
                self._field(label, "°" if signal.unit == "rad" else signal.unit)
                for label, signal in zip(labels, of, strict=True)
            ]

    def _field(self, label: str, unit: str, value: float = 0.0) -> ui.number:
        field = ui.number(label, value=value, suffix=unit)
        field.props("outlined dense step=any hide-bottom-space")
        return labelled(field, f"{self._robot} {label}")

    def _add_speeds(self) -> None:
        with ui.element("div").classes("tc-fields") as self._shares:
            self._share = self._field("Speed", "%", 20.0)
        with ui.element("div").classes("tc-fields") as self._speeds:
            self._speed = self._field("Speed of the line", "m/s", 0.25)
            self._turn = self._field("Turning", "°/s", 90.0)

    def _show(self) -> None:
        """The fields of the kind that is chosen."""
        kind = str(self._kind.value)
        self._about.set_text(ABOUT[kind])
        self._joint_part.set_visibility(kind == JOINTS)
        self._pose_part.set_visibility(kind != JOINTS)
        self._shares.set_visibility(kind != LINE)
        self._speeds.set_visibility(kind == LINE)

    def _take_here(self) -> None:
        """Fill in where the robot is now."""
        row = self._page_session.row
        if row is None:
            return
        for fields, signals in ((self._at_joints, self._joints), (self._at_pose, self._pose)):
            for field, signal in zip(fields, signals, strict=True):
                number = float(row[signal.column])
                number = math.degrees(number) if signal.unit == "rad" else number
                field.set_value(round(number, 4) + 0.0)  # no -0

    async def _go(self) -> None:
        await self._page_session.act(Role.ENGINEER, self._begin)

    def _asked(self) -> Move:
        """What the form says; a Mistake if it says less than it must."""
        if self._kind.value == JOINTS:
            target = _si(self._at_joints, self._joints)
            return Move("MoveJoint", plan_joint, (target, _number(self._share) / 100.0))
        position = [_number(field) for field in self._at_pose[:3]]
        a, b, c = (_number(field) for field in self._at_pose[3:])
        turn = quaternion(rotation_matrix((a, b, c))).tolist()
        if self._kind.value == POSE:
            arguments = (position, turn, _number(self._share) / 100.0)
            return Move("MoveJointToPose", plan_joint_to_pose, arguments)
        speeds = (_number(self._speed), math.radians(_number(self._turn)))
        return Move("MoveLinear", plan_linear, (position, turn, *speeds))

    async def _begin(self) -> None:
        move, row = self._asked(), self._page_session.row
        try:
            await self._page_session.visitor.user_session.call(
                self._robot, move.method, *move.variants
            )
        except Mistake as mistake:
            why = await self._reason(move, row)
            raise Mistake(f"{self._robot}: {why}" if why else str(mistake), mistake.hint) from None

    async def _reason(self, move: Move, row: Floats | None) -> str:
        """Why a move was refused, as far as that can be seen from here."""
        if row is None or not self._page_session.visitor.may(Role.ENGINEER):
            return ""
        signals, state = self._page_session.view.signals, self._page_session.view.link.vitals.state
        if state is not LoopState.RUNNING and state is not LoopState.PAUSED:
            return ""
        if row[signals[f"{self._robot}.Moving"].column]:
            return "it is moving; stop it first, or wait"
        if row[signals[f"{self._robot}.Stop"].column]:
            return "its command Stop is set"
        axes = range(1, self._arm.n_axis + 1)
        held = row[[signals[f"{self._robot}.JointReference.{k}"].column for k in axes]]
        async with PLANNING:
            try:
                await asyncio.to_thread(move.plan, self._arm, held, *move.arguments)
            except Refused as refusal:
                return str(refusal)
        return ""


def _number(field: ui.number) -> float:
    if field.value is None:  # an emptied field is no order to go to 0
        raise Mistake("a field of the move is empty", "fill in a number")
    return float(field.value)


def _si(fields: Sequence[ui.number], signals: Sequence[Signal]) -> list[float]:
    numbers = [_number(field) for field in fields]
    pairs = zip(numbers, signals, strict=True)
    return [math.radians(number) if one.unit == "rad" else number for number, one in pairs]
