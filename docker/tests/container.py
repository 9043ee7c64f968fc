"""A container under test, run by podman: on the host's network, with a read-only file system."""

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

IMAGE = os.environ.get("TWINCELL_IMAGE", "localhost/twincell")
PATIENCE_S = 120.0  # the machine may be busy
RUN = (
    *("podman", "--runtime", "runc", "run", "--network", "host", "--no-healthcheck"),
    # what a container gets by default may be more than a machine without systemd allows
    *("--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"),
    *("--read-only", "--read-only-tmpfs=false", "--cap-drop", "all"),
    *("--security-opt", "no-new-privileges"),
)
TEMPORARY = ("--tmpfs", "/tmp:rw,mode=1777")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def podman(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run podman to its end."""
    command = ["podman", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def twincell(
    *arguments: object, password: str = "", security: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    """The command of this machine, as a client outside of the container."""
    environment = dict(os.environ)
    if password:
        environment["TWINCELL_PASSWORD"] = password
    if security:
        environment["TWINCELL_SECURITY"] = str(security)
    return subprocess.run(
        [sys.executable, "-m", "twincell.server.cli", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def wait_until(fulfilled: Callable[[], bool], within_s: float = PATIENCE_S) -> None:
    began_s = time.monotonic()
    while not fulfilled():
        assert time.monotonic() - began_s < within_s, "it took too long"
        time.sleep(0.05)


class Container:
    """One that runs until the test is over."""

    def __init__(self, *options: object, arguments: tuple[object, ...] = ()) -> None:
        self.name = f"twincell-test-{secrets.token_hex(4)}"
        self.port, self.metrics = free_port(), free_port()
        self.began_s = time.monotonic()
        started = subprocess.run(
            [
                *(*RUN, "--detach", "--name", self.name),
                *("--env", f"TWINCELL_METRICS={self.metrics}"),
                *map(str, options),
                IMAGE,
                *map(str, arguments or ("run", "tool_change_multi", "--port", self.port)),
            ],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert started.returncode == 0, started.stderr

    @property
    def url(self) -> str:
        return f"opc.tcp://localhost:{self.port}"

    @property
    def said(self) -> str:
        logs = podman("logs", self.name)
        return logs.stdout + logs.stderr

    def told(self, key: str) -> str:
        """What stands behind a key at the beginning of a line, once it is there."""
        while True:
            state = podman("inspect", "--format", "{{.State.Status}}", self.name).stdout
            found = re.search(rf"^{key}: +(.*)$", self.said, re.MULTILINE)
            if found:
                return found[1]
            assert state.strip() != "exited", self.said
            assert time.monotonic() - self.began_s < PATIENCE_S, self.said
            time.sleep(0.05)

    def execute(self, *command: object) -> "subprocess.CompletedProcess[str]":
        """Run something beside the cell."""
        return podman("--runtime", "runc", "exec", self.name, *command)

    def read(self, signal: str) -> str:
        """The value of a signal, as a client on this machine sees it."""
        return twincell("read", self.url, signal).stdout

    def end(self) -> int:
        """Wait for its end; the exit code."""
        ended = podman("wait", self.name)
        assert ended.returncode == 0, ended.stderr
        return int(ended.stdout)

    def stop(self) -> float:
        """Ask it to end; how long that took."""
        began_s = time.monotonic()
        assert podman("kill", "--signal", "TERM", self.name).returncode == 0
        self.end()
        return time.monotonic() - began_s

    def remove(self) -> None:
        podman("rm", "--force", "--time", 5, self.name)


@contextmanager
def running(*options: object, arguments: tuple[object, ...] = ()) -> Iterator[Container]:
    container = Container(*options, arguments=arguments)
    try:
        yield container
    finally:
        container.remove()


@contextmanager
def volumes(*names: str) -> Iterator[tuple[str, ...]]:
    """Named volumes, empty at first, that are gone afterwards."""
    made = tuple(f"twincell-test-{name}-{secrets.token_hex(4)}" for name in names)
    try:
        yield made
    finally:
        for name in made:
            podman("volume", "rm", "--force", name)


def image_bytes() -> int:
    """What the image takes on disk, unpacked."""
    return int(json.loads(podman("image", "inspect", IMAGE).stdout)[0]["Size"])
