"""A tool changer on a bench: its flange stands still, the tool lies where a test wants it."""

from twincell.sim.cell import Cell
from twincell.sim.spec import load_text

MASS = 2.0
WEIGHT = MASS * 9.81
VALVE, FILL, STROKE = 20, 80, 200  # ticks: the defaults of a medium changer
LOCK = VALVE + FILL + STROKE

# a second changer, at the place of the first
OTHER = """
[frame.OtherArm]
position_m = [0, 0, 1]
[collision_object.OtherFlange]
on = "OtherArm"
mode = "control"
sphere = { radius_m = 0.1 }
[tool_changer.Other]
flange = "OtherFlange"
"""


def bench(
    *,
    gap_m: float = 0.0,
    side_m: float = 0.0,
    tilt_deg: float = 0.0,
    in_stand: bool = True,
    closed: bool = False,
    keys: str = "",
    tool: str = "id = 3",
    more: str = "",
) -> str:
    """A cell file: the flange looks down from (0, 0, 1), the tool hangs below it."""
    at = f"[{side_m}, 0, {1 - gap_m}]"
    turned = f"orientation_deg = [0, {tilt_deg}, 0]"
    stand_at = at if in_stand else "[5, 0, 0]"
    return f"""
name = "Changer on a bench"
integrator = "semi_implicit"  # four times fewer stages; devices run once a tick anyway
[frame.Arm]
position_m = [0, 0, 1]
[frame.Rack]
position_m = {stand_at}
{turned}
[body.ToolBody]
mass_kg = {MASS}
inertia_kg_m2 = [0.01, 0.01, 0.01]
position_m = {at}
{turned}
[collision_object.Flange]
on = "Arm"
mode = "control"
closed = {str(closed).lower()}
sphere = {{ radius_m = 0.1 }}
[collision_object.Holder]
on = "Rack"
sphere = {{ radius_m = 0.1 }}
[constrained_object.Gripper]
on = "ToolBody"
radius_m = 0.1
eta = 50
[tool.Gripper]
{tool}
[tool_stand.Stand]
holder = "Holder"
[tool_changer.Changer]
flange = "Flange"
{keys}
{more}
"""


def changer(**how) -> "Changer":
    """A changer on a bench, after its first tick."""
    return Changer(bench(**how))


class Changer:
    """A cell with one changer: its signals by their short names."""

    def __init__(self, text: str) -> None:
        self.cell = Cell(load_text(text))
        self.cell.ignore_timeline()
        self.run(1)

    def run(self, ticks: int):
        return self.cell.run(ticks)

    def __getitem__(self, name: str) -> float:
        return self.cell[f"Changer.{name}"]

    def __setitem__(self, name: str, value: float) -> None:
        self.cell[f"Changer.{name}"] = value

    def set(self, **values: float) -> "Changer":
        for name, value in values.items():
            self[name] = value
        return self

    @property
    def state(self) -> str:
        return self.cell.text("Changer.State")

    @property
    def fault(self) -> str:
        return self.cell.text("Changer.FaultText")

    @property
    def tool(self) -> str:
        return self.cell.text("Changer.Truth.Tool")

    @property
    def holder(self) -> str:
        """Who really holds the tool."""
        return self.cell.text("Gripper.Partner")

    def lock(self) -> "Changer":
        """Lock, and wait until it has."""
        self.set(LockValve=1, UnlockValve=0)
        self.run(LOCK + 1)
        self["LockValve"] = 0
        return self

    def unlock(self) -> "Changer":
        """Order an unlock, and wait until it would be done."""
        self.set(LockValve=0, UnlockValve=1)
        self.run(LOCK + 1)
        self["UnlockValve"] = 0
        return self
