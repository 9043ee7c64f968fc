"""Lets the tests of this folder import what they share, and read texts as model files."""

import sys
from pathlib import Path

import pytest

from twincell.sim.spec import SpecError
from twincell.sim.spec.robot_files import load_model

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def read(tmp_path, request):
    """Read a text as a model file, under the name that the test's file gives it."""

    def read(text):
        file = tmp_path / request.module.MODEL_FILE
        file.write_text(text)
        return load_model(file)

    return read


@pytest.fixture
def mistakes(read, request):
    """Everything that is wrong with a text."""

    def mistakes(text):
        with pytest.raises(SpecError) as caught:
            read(text)
        assert caught.value.file.endswith(request.module.MODEL_FILE)
        return caught.value.problems

    return mistakes
