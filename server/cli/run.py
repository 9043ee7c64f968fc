"""twincell run: a cell in real time, that clients reach over OPC UA."""

from __future__ import annotations

import errno
import math
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from server.cell_files import find_cell
from server.cli.cell_file import CellArgument, compile_cell
from server.cli.exit_codes import FAULT
from server.cli.recording_file import check_new_file, recorder_of
from server.cli.security_option import SecurityOption
from server.cli.serving import serving_of
from server.cli.timing import TimeName, timing_of, told
from server.cli.warm_up import warm_up
from server.cli.web_address import WEB_PORT, showing_of, web_address, web_line
from server.listening import THIS_MACHINE
from server.realtime.limits import FASTEST, SLOWEST
from server.refusal import Refusal
from server.security.named_folder import security_folder
from server.web.address import WebAddress

if TYPE_CHECKING:
    from server.realtime.link import Link
    from server.realtime.timing import Timing
    from server.serving import Serving
    from server.supervisor import Supervisor
    from sim.spec import CellSpec

DEFAULT_PORT = 4840  # registered for OPC UA
HUNG_UP = 129  # the terminal was closed, as shells count it
LOOK_S = 0.25  # between two looks at the processes, when nothing happens


def run(
    cell: CellArgument,
    port: Annotated[
        int, typer.Option(help="TCP port to listen at; 0 takes a free one.")
    ] = DEFAULT_PORT,
    no_demo: Annotated[
        bool, typer.Option("--no-demo", help="Without the demo that plays the PLC.")
    ] = False,
    speed: Annotated[float, typer.Option(help="Simulated over real time.")] = 1.0,
    paused: Annotated[
        bool, typer.Option("--paused", help="Wait for Resume or Step after the first tick.")
    ] = False,
    time: Annotated[
        TimeName,
        typer.Option(help="Who moves simulated time: the clock, the controller, or Step."),
    ] = TimeName.FREE,
    cycle_ms: Annotated[
        float | None, typer.Option(help="The controller's cycle in handshake.")
    ] = None,
    listen: Annotated[
        str, typer.Option(help="Address to listen at; 0.0.0.0 is all of this machine's.")
    ] = THIS_MACHINE,
    lab: Annotated[
        bool, typer.Option("--lab", help="Let everybody do everything. For a closed lab only.")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE.mcap", help="Record from the first tick on, into a new file."),
    ] = None,
    recordings: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where recordings go that clients start.")
    ] = Path("recordings"),
    no_web: Annotated[bool, typer.Option("--no-web", help="Without the web page.")] = False,
    web_port: Annotated[
        int | None,
        typer.Option(help="Port of the web page; 0 takes a free one.", show_default=str(WEB_PORT)),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address of the web page; 0.0.0.0 is all of this machine's.")
    ] = THIS_MACHINE,
    security: SecurityOption = None,
) -> None:
    """Run a cell in real time and serve it over OPC UA, until Ctrl-C."""
    _check_options(cell, listen, port, speed)
    web = None if no_web else web_address(host, web_port)
    if record:
        check_new_file("--record", record)
    _use_one_thread_a_process()
    spec, compiled = compile_cell(cell)
    timing = timing_of(spec, time, cycle_ms, speed, paused)
    demo = not no_demo and time is TimeName.FREE  # it plays on the clock
    wanted = recorder_of(compiled, recordings, record)
    serving = serving_of(spec, security_folder(security), listen, port, lab)
    showing = showing_of(web, recordings, serving) if isinstance(web, WebAddress) else None
    warm_up(compiled)

    from server.realtime.link import Link
    from server.supervisor import Supervisor
    from server.supervisor_posts import GaveUp, PortInUse

    link = Link(len(compiled.signals))
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # it is under nohup
        signal.signal(signal.SIGHUP, _hang_up)
    try:
        with Supervisor(compiled, link, serving, demo, timing, wanted, showing) as supervisor:
            _supervise(supervisor, link, spec, serving, timing, demo, web_line(web))
    except PortInUse:
        raise _port_in_use(port or supervisor.port) from None
    except GaveUp as reason:
        print(f"twincell: {reason}; everything is stopped", file=sys.stderr)
        raise typer.Exit(FAULT) from None


def _check_options(cell: str, listen: str, port: int, speed: float) -> None:
    """Refuse what cannot work before anything takes time."""
    if not 0 <= port <= 65_535:
        raise Refusal(f"--port {port}: must be 1 to 65535, or 0 for a free one")
    if not math.isfinite(speed) or not SLOWEST <= speed <= FASTEST:
        raise Refusal(f"--speed {speed:g}: must be {SLOWEST:g} to {FASTEST:g}")
    find_cell(cell)
    if not listen:  # a socket would take that for all addresses
        raise _no_address("''")
    try:
        socket.create_server((listen, port)).close()
    except PermissionError:
        raise Refusal(f"--port {port}: not allowed", "take one above 1023") from None
    except (OSError, TypeError) as error:
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise _port_in_use(port) from None
        raise _no_address(listen) from None


def _no_address(listen: str) -> Refusal:
    return Refusal(
        f"--listen {listen}: is no IPv4 address of this machine",
        "0.0.0.0 listens at all of them, 127.0.0.1 only for this machine itself",
    )


def _port_in_use(port: int) -> Refusal:
    return Refusal(
        f"port {port} is in use: another twincell, or another OPC UA server",
        "stop it, or take another port with --port (0 takes a free one)",
    )


def _use_one_thread_a_process() -> None:
    """Before numpy is loaded: a process with threads cannot be forked safely."""
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"


def _hang_up(*_: object) -> NoReturn:
    sys.exit(HUNG_UP)


def _supervise(
    supervisor: Supervisor,
    link: Link,
    spec: CellSpec,
    serving: Serving,
    timing: Timing,
    demo: bool,
    web: str,
) -> NoReturn:
    """Say when all is up, then show how it is, for ever."""
    from server.cli.run_status import StatusLine

    with StatusLine(link) as line:
        while not supervisor.is_ready:
            line.say(supervisor.watch(LOOK_S / 10))
        _print_head(supervisor.endpoint, link, spec, serving, timing, demo, web)
        while True:
            line.show()
            line.say(supervisor.watch(LOOK_S))


def _print_head(
    endpoint: str,
    link: Link,
    spec: CellSpec,
    serving: Serving,
    timing: Timing,
    demo: bool,
    web: str,
) -> None:
    """What a person, or a script, has to know first."""
    timeline = "the cell file's timeline" if spec.timeline else "nobody"
    print(f"ready: {endpoint}")
    if web:
        print(f"web page:   {web}")
    print(f"cell:       {spec.name}: {link.ring.n_signal} signals every {spec.step_s * 1e3:g} ms")
    print(f"real time:  {link.vitals.text('rights')}")
    print(f"time:       {told(timing, spec.step_s)}")
    print(f"commands:   {'the demo' if demo else timeline}, until a client writes a command")
    for line in serving.told():
        print(line)
    print(f"to connect: any OPC UA client; try twincell browse {endpoint}")
    print("to stop:    Ctrl-C", flush=True)
