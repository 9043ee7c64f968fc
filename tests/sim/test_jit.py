"""Where machine code is kept, and when it is thrown away."""

import os
import time

from twincell.sim import jit


def test_the_cache_follows_the_environment_and_the_source(tmp_path, monkeypatch):
    monkeypatch.setenv("TWINCELL_CACHE_DIR", str(tmp_path))
    assert jit.cache_folder() == tmp_path / "twincell" / jit.source_hash()


def test_a_closed_cache_folder_is_replaced_by_a_temporary_one(tmp_path, monkeypatch):
    blocked = tmp_path / "a file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("TWINCELL_CACHE_DIR", str(blocked))
    monkeypatch.setattr(jit.tempfile, "gettempdir", lambda: str(tmp_path))
    folder = jit.cache_folder()
    assert folder.is_dir() and blocked not in folder.parents


def test_machine_code_of_old_versions_is_forgotten_after_a_month(tmp_path, monkeypatch):
    monkeypatch.setenv("TWINCELL_CACHE_DIR", str(tmp_path))
    old, recent = tmp_path / "twincell" / ("0" * 16), tmp_path / "twincell" / ("1" * 16)
    old.mkdir(parents=True)
    recent.mkdir()
    month_ago = time.time() - 31 * 24 * 3600
    os.utime(old, (month_ago, month_ago))
    jit.cache_folder()
    assert recent.exists() and not old.exists()
