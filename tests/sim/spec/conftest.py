"""Lets the tests of this folder import what they share, and read texts as URDF files."""

import sys
from pathlib import Path

import pytest

from sim.spec import SpecError
from sim.spec.robot_files import load_model

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def read(tmp_path):
    """Read a text as a URDF file called robot.urdf."""

    def read(text):
        file = tmp_path / "robot.urdf"
        file.write_text(text)
        return load_model(file)

    return read


@pytest.fixture
def mistakes(read):
    """Everything that is wrong with a text."""

    def mistakes(text):
        with pytest.raises(SpecError) as caught:
            read(text)
        assert caught.value.file.endswith("robot.urdf")
        return caught.value.problems

    return mistakes
