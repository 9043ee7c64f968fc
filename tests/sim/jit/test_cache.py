"""Where machine code is kept, and when it is thrown away."""

import os
import time

import pytest

from twincell.sim.jit import cache


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TWINCELL_CACHE_DIR", str(tmp_path))
    return tmp_path / "twincell"


def test_what_was_written_is_read_again(folder):
    cache.write("tick-1.o", b"machine code")
    assert cache.read("tick-1.o") == b"machine code"
    assert [file.name for file in folder.iterdir()] == ["tick-1.o"]  # nothing half-written


def test_a_file_that_is_not_there_is_none(folder):
    assert cache.read("tick-1.o") is None


@pytest.mark.parametrize(
    "damage", [lambda code: code[:-3], lambda code: code + b"!", lambda _: b""]
)
def test_a_file_that_was_cut_short_or_changed_counts_as_none(folder, damage):
    cache.write("tick-1.o", b"machine code")
    file = folder / "tick-1.o"
    file.write_bytes(damage(file.read_bytes()))
    assert cache.read("tick-1.o") is None


def test_a_closed_cache_folder_is_replaced_by_a_temporary_one(tmp_path, monkeypatch):
    blocked = tmp_path / "a file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("TWINCELL_CACHE_DIR", str(blocked))
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path))
    chosen = cache.cache_folder()
    assert chosen is not None and chosen.is_dir() and blocked not in chosen.parents


def test_without_any_folder_nothing_is_kept_and_nothing_fails(tmp_path, monkeypatch):
    blocked = tmp_path / "a file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("TWINCELL_CACHE_DIR", str(blocked))
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(blocked))
    assert cache.cache_folder() is None
    cache.write("tick-1.o", b"machine code")
    assert cache.read("tick-1.o") is None


def test_machine_code_that_nobody_has_used_for_a_month_is_forgotten(folder):
    for name in ("old.o", "used.o"):
        cache.write(name, b"machine code")
        month_ago = time.time() - 31 * 24 * 3600
        os.utime(folder / name, (month_ago, month_ago))
    cache.read("used.o")
    cache.write("new.o", b"machine code")
    assert sorted(file.name for file in folder.iterdir()) == ["new.o", "used.o"]


def test_folders_of_earlier_versions_are_forgotten_too_and_nothing_of_others(folder):
    month_ago = time.time() - 31 * 24 * 3600
    cache.write("new.o", b"machine code")
    for name in ("0123456789abcdef", "numba-0123", "something"):
        (folder / name).mkdir()
        os.utime(folder / name, (month_ago, month_ago))
    cache.write("newer.o", b"machine code")
    assert sorted(found.name for found in folder.iterdir()) == ["new.o", "newer.o", "something"]


def test_a_folder_or_a_file_that_others_can_write_is_not_used(folder, tmp_path, monkeypatch):
    cache.write("tick-1.o", b"machine code")
    (folder / "tick-1.o").chmod(0o666)
    assert cache.read("tick-1.o") is None
    folder.chmod(0o777)
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    chosen = cache.cache_folder()
    assert chosen is not None and chosen != folder


def test_a_folder_that_is_a_link_is_not_used(tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "twincell").symlink_to(elsewhere)
    monkeypatch.setenv("TWINCELL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    assert cache.cache_folder() != tmp_path / "twincell"
