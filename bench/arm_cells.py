"""Arms in a row, each with a tool of 1 kg in its hand and two holders beside it.

    working    shipped as they are: dry friction, feed-forward, all on the same long joint move
    holding    what another simulator can do as well: no dry friction (everybody has another law
               for it), no feed-forward, and pulled from a disturbed start to where they stand

Tools start some millimetres from the tool centre points that hold them.
"""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from twincell.sim.cell import Cell
from twincell.sim.spec import load_text
from twincell.sim.spec.cell import CellSpec

ROBOTS = Path(__file__).parent.parent / "config" / "robots"
MODEL = "arm6.urdf"
APART_M = 3.0  # from arm to arm: twice the reach
START_DEG = (0, -20, 40, 0, 70, 0)  # the flange looks down
THERE_DEG = (100, 10, 20, 60, 40, 120)
GEAR_KG_M2 = (12, 12, 6, 0.6, 0.5, 0.3)
TCP_M = (0.5855, 0.0, 0.8154)  # at the start, from the arm's base
AWAY_M = (0.003, -0.002, 0.004)
TOOL_KG = 1.0
TOOL_KG_M2 = 0.01
TOOL_CENTER_M = (0.0, 0.0, -0.05)
ETA = 50.0  # [1/s]
STEP_S = 0.001
DISTURBED_RAD = (0.004, -0.003, 0.005, 0.008, -0.006, 0.01)


def working_arms(n: int) -> CellSpec:
    """A cell in which n arms carry their tools along."""
    move = "".join(f"move_joint.Arm{k} = {{ joints_deg = {[*THERE_DEG]} }}\n" for k in range(n))
    return load_text(f"{_text(n)}[[timeline]]\nat_s = 0.0\n{move}", str(ROBOTS / "cell.toml"))


def holding_arms(n: int) -> Cell:
    """A cell in which n arms without dry friction swing back to where they should stand."""
    with TemporaryDirectory() as folder:
        (Path(folder) / MODEL).write_text(smooth_arm(), encoding="utf-8")
        text = _text(n, "servo.feed_forward = false")
        cell = Cell(load_text(text, str(Path(folder) / "cell.toml")))
    cell.state.q[cell.model.axes.joint] += np.tile(DISTURBED_RAD, n)
    return cell


def smooth_arm() -> str:
    """The arm's URDF without dry friction."""
    return re.sub(r' friction="[^"]*"', "", (ROBOTS / MODEL).read_text(encoding="utf-8"))


def base_m(k: int) -> tuple[float, float, float]:
    """Where arm k stands."""
    return 0.0, APART_M * k, 0.0


def tool_m(k: int) -> tuple[float, float, float]:
    """Where its tool starts."""
    x, y, z = (sum(part) for part in zip(base_m(k), TCP_M, AWAY_M, strict=True))
    return x, y, z


def _text(n: int, robot_keys: str = "") -> str:
    return f'name = "{n} arms"\nstep_s = {STEP_S}\n' + "".join(
        _arm(k, robot_keys) for k in range(n)
    )


def _arm(k: int, robot_keys: str) -> str:
    x, y, z = base_m(k)
    return f"""
[robot.Arm{k}]
model = "{MODEL}"
position_m = {[x, y, z]}
start_deg = {[*START_DEG]}
gear_inertia_kg_m2 = {[*GEAR_KG_M2]}
tcp_orientation_deg = [0, 180, 0]
{robot_keys}
[body.Body{k}]
mass_kg = {TOOL_KG}
inertia_kg_m2 = {[TOOL_KG_M2] * 3}
center_of_mass_m = {[*TOOL_CENTER_M]}
position_m = {[*tool_m(k)]}
[collision_object.Flange{k}]
on = "Arm{k}"
mode = "control"
closed = true
sphere = {{ radius_m = 0.1 }}
[constrained_object.Tool{k}]
on = "Body{k}"
radius_m = 0.1
eta = {ETA}
[frame.RackA{k}]
position_m = {[x + 1.0, y + 0.3, z + 0.5]}
[frame.RackB{k}]
position_m = {[x + 1.0, y - 0.3, z + 0.5]}
[collision_object.HolderA{k}]
on = "RackA{k}"
sphere = {{ radius_m = 0.1 }}
[collision_object.HolderB{k}]
on = "RackB{k}"
sphere = {{ radius_m = 0.1 }}
"""
