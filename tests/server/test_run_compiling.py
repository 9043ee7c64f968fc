"""twincell run for the very first time: the kernels are compiled, and that can be interrupted."""

import signal
import subprocess

import pytest

from tests.server.running_cell import PATIENCE_S, children_of, is_there, wait_until
from tests.server.twincell_command import command, environment


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_it_ends_at_once_while_the_kernels_are_compiled(small_cell, tmp_path, sent, code):
    with subprocess.Popen(
        command("run", small_cell, "--lab", "--no-demo", "--port=0"),
        cwd=tmp_path,
        env={**environment(), "TWINCELL_CACHE_DIR": str(tmp_path / "empty")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # pytest may run in the background, where Ctrl-C is ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as started:
        try:
            assert started.stderr is not None
            lines = iter(started.stderr.readline, "")  # the first may tell of a new certificate
            assert any(line.startswith("compiling, once: ") for line in lines)
            wait_until(lambda: bool(children_of(started.pid)))
            compilers = children_of(started.pid)
            started.send_signal(sent)
            out, err = started.communicate(timeout=PATIENCE_S)
        finally:
            started.kill()
    assert (started.returncode, out, err) == (code, "", "")
    assert list((tmp_path / "empty" / "twincell").glob("*.o")) == []  # nobody waited for it
    wait_until(lambda: not any(is_there(compiler) for compiler in compilers))
