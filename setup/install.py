"""Installs packages into the environment that runs this: with uv, or with pip where uv cannot.

    .venv/bin/python setup/install.py -e '.[test]'

uv takes a fifth of the time, but does not read pip's settings, and a company's package index may
be named there only. So they are told to uv in its own words. Where one of them has no such word,
or uv fails for whatever reason, pip installs, and says what is wrong if it fails too.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]

# pip's name of a setting: the variable by which uv knows it
SAME = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "cert": "SSL_CERT_FILE",
}
SEPARATOR = {"UV_FIND_LINKS": ","}  # of several values; uv wants a space elsewhere, as pip does
# settings of pip that do not decide what is installed, nor from where
OF_NO_MATTER = {
    "break-system-packages",
    "cache-dir",
    "config-file",
    "default-timeout",
    "disable-pip-version-check",
    "no-cache-dir",
    "no-color",
    "no-input",
    "no-warn-script-location",
    "progress-bar",
    "quiet",
    "require-virtualenv",
    "retries",
    "root-user-action",
    "timeout",
    "verbose",
}


def main(packages: list[str]) -> int:
    """Install packages, given as pip's arguments; the exit code is what make wants to know."""
    settings = uv_settings(pip_settings())
    if settings is not None and has_uv() and install_with_uv(packages, settings):
        return 0
    return install_with_pip(packages)


def pip_settings() -> str:
    """What pip has been told by its files and by variables, one setting a line."""
    return subprocess.run(
        [*PIP, "config", "list"], capture_output=True, text=True, check=False
    ).stdout


def uv_settings(listed: str) -> dict[str, str] | None:
    """What pip lists as its settings, as variables of uv; None if one of them has no word there."""
    told: dict[str, dict[str, str]] = {
        "global": {},
        "install": {},
        ":env:": {},
    }  # the last one wins
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        place, _, setting = name.rpartition(".")
        if place in told:
            told[place][setting] = ast.literal_eval(value)
    settings = {**told["global"], **told["install"], **told[":env:"]}
    if settings.keys() - SAME.keys() - OF_NO_MATTER:
        return None
    # pip takes the best version of all indices, uv that of the first one which has the package
    variables = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for setting, value in settings.items():
        if setting in SAME and value.strip():
            separator = SEPARATOR.get(SAME[setting], " ")
            variables[SAME[setting]] = separator.join(value.split())
    return variables


def has_uv() -> bool:
    """Whether uv is in this environment, or can be had from the package index."""
    command = [*PIP, "install", "--quiet", "-c", str(CONSTRAINTS), "uv"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def install_with_uv(packages: list[str], settings: dict[str, str]) -> bool:
    """Whether uv installed all packages; its complaints are not shown, as pip tries next."""
    uv = [str(Path(sys.executable).parent / "uv"), "pip", "install", "--quiet"]
    command = [*uv, "--python", sys.executable, *_options(), *packages]
    environment = {**settings, **os.environ}  # what uv itself was told comes first
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    return done.returncode == 0


def install_with_pip(packages: list[str]) -> int:
    """The exit code of pip, which says itself what it does."""
    return subprocess.run([*PIP, "install", *_options(), *packages], check=False).returncode


def _options() -> list[str]:
    return ["--no-build-isolation", "-c", str(CONSTRAINTS)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
