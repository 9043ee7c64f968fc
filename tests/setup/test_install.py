"""Setting up: uv installs what pip would, from where pip would, and pip does where uv cannot."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "setup" / "install.py"
BEST = {"UV_INDEX_STRATEGY": "unsafe-best-match"}


@pytest.fixture
def install():
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("setup_install", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("listed", "variables"),
    [
        ("", {}),
        ("global.index-url='https://index/simple'", {"UV_DEFAULT_INDEX": "https://index/simple"}),
        ("global.extra-index-url='\\nhttps://a/simple\\nfile:///b'",
         {"UV_INDEX": "https://a/simple file:///b"}),
        ("global.find-links='/wheels /more'\nglobal.no-index='true'",
         {"UV_FIND_LINKS": "/wheels,/more", "UV_NO_INDEX": "true"}),
        ("global.cert='/etc/company.pem'", {"SSL_CERT_FILE": "/etc/company.pem"}),
        # a variable wins over a file, and a file's part for `install` over that for all commands
        (":env:.index-url='https://c'\nglobal.index-url='https://a'\ninstall.index-url='https://b'",
         {"UV_DEFAULT_INDEX": "https://c"}),
        ("install.index-url='https://b'\nglobal.index-url='https://a'",
         {"UV_DEFAULT_INDEX": "https://b"}),
        ("global.timeout='60'\n:env:.disable-pip-version-check='1'\nlist.format='json'", {}),
        (":env:.find-links=''", {}),
    ],
)  # fmt: skip
def test_settings_of_pip_are_told_to_uv(install, listed, variables):
    assert install.uv_settings(listed) == BEST | variables


@pytest.mark.parametrize("name", ["trusted-host", "proxy", "client-cert", "only-binary", "new"])
def test_a_setting_that_uv_does_not_have_leaves_it_to_pip(install, name):
    assert install.uv_settings(f"global.{name}='it'") is None


class Commands:
    """Stands for subprocess: notes what is run; what `fails` names has exit code 1."""

    def __init__(self, fails: tuple[str, ...] = (), settings: str = "") -> None:
        self.fails, self.settings = fails, settings
        self.run_with: list[tuple[str, dict[str, object]]] = []

    def run(self, command: list[str], **options: object) -> "subprocess.CompletedProcess[str]":
        text = " ".join(command)
        self.run_with.append((text, options))
        out = self.settings if "config list" in text else ""
        code = int(any(part in text for part in self.fails))
        return subprocess.CompletedProcess(command, code, stdout=out)


def installed(install, monkeypatch, commands: Commands) -> tuple[int, list[str]]:
    """The exit code, and who installed our package."""
    monkeypatch.setattr(install.subprocess, "run", commands.run)
    code = install.main(["-e", ".[test]"])
    lines = [text for text, _ in commands.run_with if "-e .[test]" in text]
    return code, ["uv" if "uv pip install" in line else "pip" for line in lines]


def test_uv_installs_what_the_constraints_say(install, monkeypatch):
    commands = Commands(settings="global.index-url='https://index'")
    assert installed(install, monkeypatch, commands) == (0, ["uv"])
    text, options = commands.run_with[-1]
    assert f"-c {install.CONSTRAINTS}" in text
    assert f"--python {sys.executable}" in text
    assert options["env"]["UV_DEFAULT_INDEX"] == "https://index"


def test_what_uv_itself_was_told_wins(install, monkeypatch):
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mine")
    commands = Commands(settings="global.index-url='https://index'")
    installed(install, monkeypatch, commands)
    assert commands.run_with[-1][1]["env"]["UV_DEFAULT_INDEX"] == "https://mine"


def test_pip_takes_over_where_uv_fails_and_nobody_sees_that_it_did(install, monkeypatch):
    commands = Commands(fails=("uv pip install",))
    assert installed(install, monkeypatch, commands) == (0, ["uv", "pip"])
    assert commands.run_with[-2][1]["capture_output"]
    text, options = commands.run_with[-1]
    assert f"-c {install.CONSTRAINTS}" in text
    assert "capture_output" not in options  # pip says itself what it does


def test_pip_installs_where_uv_cannot_be_had(install, monkeypatch):
    assert installed(install, monkeypatch, Commands(fails=("txt uv",))) == (0, ["pip"])


def test_pip_installs_where_its_settings_are_its_own(install, monkeypatch):
    commands = Commands(settings="global.trusted-host='index'")
    assert installed(install, monkeypatch, commands) == (0, ["pip"])


def test_what_neither_can_install_ends_the_set_up(install, monkeypatch):
    assert installed(install, monkeypatch, Commands(fails=("-e",))) == (1, ["uv", "pip"])
