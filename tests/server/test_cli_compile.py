"""twincell compile: machine code before it is needed."""

import pytest

from tests.server.twincell_command import run_in
from twincell.server.cli import app
from twincell.server.cli.exit_codes import BAD_INPUT
from twincell.server.cli.warm_up import compile_apart
from twincell.server.errors import Refusal
from twincell.sim.jit import cache, object_file
from twincell.sim.machine_code import kinematics


def test_what_is_compiled_already_is_not_compiled_again(tmp_path):
    run_in(tmp_path, "compile", "static_object")
    ended = run_in(tmp_path, "compile", "static_object")
    assert (ended.code, ended.out, ended.err) == (0, "ok: static_object is compiled\n", "")


def test_it_wants_a_cell_or_all_of_them(tmp_path):
    for words, text in (([], "name a cell"), (["static_object", "--all"], "one is enough")):
        ended = run_in(tmp_path, "compile", *words)
        assert ended.code == BAD_INPUT
        assert text in ended.err


def test_a_cell_that_is_not_there_is_named(tmp_path):
    ended = run_in(tmp_path, "compile", "no_such_cell")
    assert ended.code == BAD_INPUT
    assert "no_such_cell" in ended.err


def test_without_a_place_to_keep_machine_code_the_remedy_is_told(monkeypatch):
    monkeypatch.setattr(cache, "cache_folder", lambda: None)
    monkeypatch.setattr(object_file, "_loaded", {})  # as in a fresh process
    with pytest.raises(Refusal, match=r"step\.run could not be kept\n.*TWINCELL_CACHE_DIR"):
        app(["compile", "static_object"], standalone_mode=False)


def test_a_compiler_that_does_not_exist_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("TWINCELL_COMPILER", "gcc")
    ended = run_in(tmp_path, "cells")
    assert ended.code == BAD_INPUT
    assert "there is no compiler 'gcc'" in ended.err and "hint:" in ended.err


def test_a_damaged_file_is_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setenv("TWINCELL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(object_file, "_loaded", {})
    file = kinematics_file()
    file.make()
    (kept,) = (tmp_path / "twincell").iterdir()
    kept.write_bytes(kept.read_bytes()[:-1])
    assert not file.is_ready
    compile_apart([file])
    assert file.is_ready


def kinematics_file():
    return next(iter(kinematics()))
