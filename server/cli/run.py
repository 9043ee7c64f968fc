"""twincell run: a cell in real time, that clients reach over OPC UA."""

from __future__ import annotations

import math
import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from twincell.server.cli.cell_file import CellArgument, compile_cell
from twincell.server.cli.exit_codes import FAULT
from twincell.server.cli.first_user import first_user
from twincell.server.cli.memory import check_memory
from twincell.server.cli.ports import METRICS, PORT, metrics_url, open_port, port_in_use
from twincell.server.cli.recording_file import check_folder, check_new_file, recorder_of
from twincell.server.cli.run_log import LogJsonOption, LogLevelOption, RunLog
from twincell.server.cli.security_option import SecurityOption
from twincell.server.cli.serving import serving_of
from twincell.server.cli.start_overlaps import tell_overlaps
from twincell.server.cli.timing import TimeName, timing_of, told
from twincell.server.cli.warm_up import warm_up
from twincell.server.cli.web_address import WEB_PORT, showing_of, web_address, web_line
from twincell.server.errors import Refusal
from twincell.server.files.cells import find_cell
from twincell.server.listening import LOOPBACK
from twincell.server.logging.log_line import SUPERVISOR, Level, Said
from twincell.server.realtime.limits import FASTEST, SLOWEST
from twincell.server.security.named_folder import security_folder
from twincell.server.web.guard.listening_socket import WebAddress

if TYPE_CHECKING:
    from socket import socket

    from twincell.server.config import Serving
    from twincell.server.realtime.shared.link import Link
    from twincell.server.realtime.time_mode import Timing
    from twincell.server.supervisor.supervisor import Supervisor
    from twincell.sim.spec import CellSpec

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
        str,
        typer.Option(
            envvar="TWINCELL_LISTEN",
            help="Address to listen at; 0.0.0.0 is all of this machine's.",
        ),
    ] = LOOPBACK,
    lab: Annotated[
        bool, typer.Option("--lab", help="Let everybody do everything. For a closed lab only.")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE.mcap", help="Record from the first tick on, into a new file."),
    ] = None,
    recordings: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            envvar="TWINCELL_RECORDINGS",
            help="Where recordings go that clients start.",
        ),
    ] = Path("recordings"),
    metrics: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            envvar="TWINCELL_METRICS",
            help="Tell Prometheus how it is at this TCP port; 0 takes a free one.",
            show_default=False,
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            "--first-user",
            metavar="NAME",
            envvar="TWINCELL_FIRST_USER",
            help="Where there are no users yet, make this engineer and print a password, once.",
            show_default=False,
        ),
    ] = None,
    no_web: Annotated[bool, typer.Option("--no-web", help="Without the web page.")] = False,
    web_port: Annotated[
        int | None,
        typer.Option(help="Port of the web page; 0 takes a free one.", show_default=str(WEB_PORT)),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            envvar="TWINCELL_WEB_HOST",
            help="Address of the web page; 0.0.0.0 is all of this machine's.",
        ),
    ] = LOOPBACK,
    log_json: LogJsonOption = False,
    log_level: LogLevelOption = Level.info,
    security: SecurityOption = None,
) -> None:
    """Run a cell in real time and serve it over OPC UA, until Ctrl-C."""
    log = RunLog(log_level, log_json)
    with log.refusals():
        log.begin()
        _check_options(cell, speed, port, metrics)
        open_port(PORT, listen, port).close()
        if record:
            check_new_file("--record", record)
        check_folder("--recordings", recordings)
        metrics_socket = None if metrics is None else open_port(METRICS, listen, metrics)
        web = None if no_web else web_address(host, web_port, (port, metrics))
        _use_one_thread_a_process()
        spec, compiled = compile_cell(cell)
        check_memory(cell, len(compiled.signals))
        timing = timing_of(spec, time, cycle_ms, speed, paused)
        # it plays on the clock what there is to play, and leaves a cell with controllers alone
        is_playable = bool(spec.timeline) and not spec.bridge
        demo = not no_demo and time is TimeName.FREE and is_playable
        wanted = recorder_of(compiled, recordings, record)
        folder = security_folder(security)
        serving = serving_of(spec, folder, listen, port, lab)
        showing = showing_of(web, recordings, serving) if isinstance(web, WebAddress) else None
        for line in first_user(folder, user) if user else ():
            log.tell(line)
        warm_up(compiled)
        tell_overlaps(compiled)

        from twincell.server.realtime.shared.link import Link
        from twincell.server.supervisor.essential import GaveUp, PortInUse
        from twincell.server.supervisor.supervisor import Supervisor

        link = Link(len(compiled.signals), bridges=[bridge.name for bridge in spec.bridge])
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # it is under nohup
            signal.signal(signal.SIGHUP, _hang_up)
        supervisor = Supervisor(
            compiled, link, serving, demo, timing, wanted, metrics_socket, log.level, showing
        )
        try:
            with supervisor:
                page = web_line(web)
                head = partial(_head, link, spec, serving, timing, demo, metrics_socket, page)
                _supervise(supervisor, link, log, head)
        except PortInUse:
            raise port_in_use(PORT, port or supervisor.port) from None
        except GaveUp as reason:
            text = f"twincell: {reason}; everything is stopped"
            log.write(Said.now(SUPERVISOR, text, Level.error))
            raise typer.Exit(FAULT) from None


def _check_options(cell: str, speed: float, port: int, metrics: int | None) -> None:
    """Refuse what cannot work before anything takes time."""
    if port and port == metrics:
        raise Refusal(f"--metrics {metrics}: is the port of OPC UA", "take another one for each")
    if not math.isfinite(speed) or not SLOWEST <= speed <= FASTEST:
        raise Refusal(f"--speed {speed:g}: must be {SLOWEST:g} to {FASTEST:g}")
    find_cell(cell)


def _use_one_thread_a_process() -> None:
    """Before numpy is loaded: a process with threads cannot be forked safely."""
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"


def _hang_up(*_: object) -> NoReturn:
    sys.exit(HUNG_UP)


def _supervise(
    supervisor: Supervisor, link: Link, log: RunLog, head: Callable[[str], Iterator[str]]
) -> NoReturn:
    """Say when all is up, then show how it is, for ever."""
    from twincell.server.cli.run_status import StatusLine

    with StatusLine(link, log) as line:
        while not supervisor.is_ready:
            line.say(supervisor.watch(LOOK_S / 10))
        for text in head(supervisor.endpoint):
            log.tell(text)
        while True:
            line.show()
            line.say(supervisor.watch(LOOK_S))


def _head(
    link: Link,
    spec: CellSpec,
    serving: Serving,
    timing: Timing,
    demo: bool,
    metrics: socket | None,
    page: str,
    endpoint: str,
) -> Iterator[str]:
    """What a person, or a script, has to know first."""
    timeline = "the cell file's timeline" if spec.timeline else "nobody"
    yield f"ready: {endpoint}"
    if page:
        yield f"web page:   {page}"
    yield f"cell:       {spec.name}: {link.ring.n_signal} signals every {spec.step_s * 1e3:g} ms"
    yield f"real time:  {link.vitals.text('rights')}"
    yield f"time:       {told(timing, spec.step_s)}"
    yield f"commands:   {'the demo' if demo else timeline}, until a client writes a command"
    for bridge in spec.bridge:
        wires = f"{len(bridge.command)} commands, {len(bridge.feedback)} feedback signals"
        yield f"bridge:     {bridge.name} at {bridge.endpoint}: {wires}"
    yield from serving.told()
    if metrics is not None:
        yield f"metrics:    {metrics_url(metrics)}/metrics, and /health beside it"
    yield f"to connect: any OPC UA client; try twincell browse {endpoint}"
    yield "to stop:    Ctrl-C"
