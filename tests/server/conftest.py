"""The command, and cells to try it on: one without mistakes to spoil, one that explodes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.server.twincell_command import Ended, run_in

SMALL_CELL = """\
name = "Small cell"
description = "A tool rests in a holder until a flange takes it. Look at the forces."

[frame.Rack]
position_m = [1.0, 0.0, 0.5]

[body.ToolBody]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
position_m = [1.0, 0.0, 0.5]

[mover.Robot]
waypoints = [
    { at_s = 0.0, position_m = [1.0, 0.0, 0.5] },
    { at_s = 0.2, position_m = [1.0, 0.0, 0.5] },
    { at_s = 0.8, position_m = [1.0, 0.0, 1.0] },
]

[collision_object.Holder]
on = "Rack"
sphere = { radius_m = 0.1 }

[collision_object.Flange]
on = "Robot"
mode = "control"
sphere = { radius_m = 0.1 }

[constrained_object.Tool]
on = "ToolBody"
radius_m = 0.1
eta = 50

[[timeline]]
at_s = 0.1
set = { "Flange.Closed" = true }

[[timeline]]
at_s = 1.0
set = { "Flange.Closed" = false }
"""

# heavier than anything can be: its numbers run out of all bounds in a few ticks
EXPLODING_CELL = """\
name = "Exploding cell"
gravity_m_s2 = [1e12, 0, 0]

[frame.Rack]

[body.Bullet]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
position_m = [5, 0, 0]

[collision_object.Holder]
on = "Rack"
sphere = { radius_m = 0.1 }

[constrained_object.Tool]
on = "Bullet"
radius_m = 0.1
eta = 50
"""


@pytest.fixture
def twincell(tmp_path: Path) -> Callable[..., Ended]:
    """Runs `twincell` with arguments, in a folder of its own."""
    return partial(run_in, tmp_path)


@pytest.fixture
def small_cell(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL_CELL, encoding="utf-8")
    return path


@pytest.fixture
def exploding_cell(tmp_path: Path) -> Path:
    path = tmp_path / "exploding.toml"
    path.write_text(EXPLODING_CELL, encoding="utf-8")
    return path
