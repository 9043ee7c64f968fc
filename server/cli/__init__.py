"""The command line: `twincell`, or `python -m twincell.server.cli`.

Start-up time is part of the user's experience: what a command needs is imported when it runs.
"""

import io
import os
import signal
import sys
from typing import Annotated, NoReturn

import typer

from twincell import __version__
from twincell.server.cli.bridge import bridge
from twincell.server.cli.certificate import certificate
from twincell.server.cli.check import check
from twincell.server.cli.client import browse, read, watch, write
from twincell.server.cli.compile import compile_kernels
from twincell.server.cli.demo import demo
from twincell.server.cli.diff import diff
from twincell.server.cli.exit_codes import BAD_INPUT, INTERRUPTED, TERMINATED
from twincell.server.cli.export import export
from twincell.server.cli.fault import fault
from twincell.server.cli.info import info
from twincell.server.cli.listing import cells, schema, signals
from twincell.server.cli.nodeset import nodeset
from twincell.server.cli.plot import plot
from twincell.server.cli.record import record
from twincell.server.cli.replay import replay
from twincell.server.cli.run import run
from twincell.server.cli.simulate import simulate
from twincell.server.cli.test import test
from twincell.server.cli.trust import trust
from twincell.server.cli.user import user
from twincell.server.errors import Refusal
from twincell.server.files.atomic import NotWritable
from twincell.server.logging.log_line import printable

app = typer.Typer(
    name="twincell",
    help="A robot cell that is not there: simulate it, and connect a controller to it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(check)
app.command()(simulate)
app.command("compile")(compile_kernels)
app.command()(run)
app.command()(test)
app.command()(demo)
app.command()(cells)
app.command()(signals)
app.command()(schema)
app.command()(nodeset)
app.command()(browse)
app.command()(read)
app.command()(write)
app.command()(watch)
app.command()(record)
app.command()(info)
app.command()(replay)
app.command()(export)
app.command()(plot)
app.command()(diff)
app.add_typer(bridge)
app.add_typer(fault)
app.add_typer(user)
app.add_typer(trust)
app.add_typer(certificate)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"twincell {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


def main() -> NoReturn:
    """Run the command that was typed, and end with its exit code."""
    signal.signal(signal.SIGTERM, _end_tidily)
    # a closed stream is None in Python: what is written there goes nowhere
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an ASCII terminal still gets a table
    try:
        _check_environment()
        app(prog_name="twincell")
    except (Refusal, NotWritable) as refusal:
        print(*map(printable, str(refusal).split("\n")), sep="\n", file=sys.stderr)
        _end(BAD_INPUT)
    except KeyboardInterrupt:
        _end(INTERRUPTED)
    except OSError as error:  # such as a full disk behind standard output
        print(f"twincell: {error}", file=sys.stderr)
        _end(1)
    except SystemExit as end:
        _end(end.code if isinstance(end.code, int) else 0)
    _end(0)


def _check_environment() -> None:
    """Refuse a compiler that does not exist before anything asks for it."""
    compiler = os.environ.get("TWINCELL_COMPILER", "")
    if compiler not in ("", "apart", "numba"):
        text = f"TWINCELL_COMPILER: there is no compiler {compiler!r}"
        raise Refusal(f"{text}\n  hint: leave it away, or take apart or numba")


def _end(code: int) -> NoReturn:
    """Leave; a reader that has closed the pipe, such as head, is no mistake."""
    try:
        sys.stdout.flush()
    except OSError as error:
        # what is left in the buffer goes nowhere, quietly
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = code if isinstance(error, BrokenPipeError) else code or 1
    sys.exit(code)


def _end_tidily(*_: object) -> NoReturn:
    """Unwind when asked to terminate, so that no half-written file stays."""
    sys.exit(TERMINATED)
