"""What compilation decides about tool changers and the tools that they couple."""

from typing import Annotated, NamedTuple

from twincell.sim.arrays import Floats, Ints
from twincell.sim.devices.parts.wire import Wiring
from twincell.sim.devices.tool_changer.signals import N_DIGITAL


class Tools(NamedTuple):
    """What tool changers couple."""

    object: Annotated[Ints, "n_tool"]  # its constrained object
    id: Annotated[Ints, "n_tool"]  # number that it tells
    inputs: Annotated[Ints, "n_tool"]  # bits that it always shows
    echo: Annotated[Ints, "n_tool"]  # bits that it gives back


class ToolOutputs(NamedTuple):
    """Control objects that are wired to a tool's outputs."""

    tool: Annotated[Ints, "n_tool_output"]
    bit: Annotated[Ints, "n_tool_output"]  # that closes it


class ToolChangers(NamedTuple):
    """Tool changers; times are in ticks."""

    flange: Annotated[Ints, "n_tool_changer"]  # collision object that it drives
    command: Annotated[Ints, "n_tool_changer"]  # its first command among what is latched
    lever: Annotated[Ints, "n_tool_changer"]  # its first fault lever
    column: Annotated[Ints, "n_tool_changer"]  # of its first signal in a row
    valve_delay: Annotated[Ints, "n_tool_changer"]  # from a solenoid to the valve's shift
    fill: Annotated[Floats, "n_tool_changer"]  # to the piston's first motion, full pressure
    stroke: Annotated[Floats, "n_tool_changer"]  # from end to end, at full pressure
    gap: Annotated[Floats, "n_tool_changer"]  # tolerance for locking [m]
    tilt: Annotated[Floats, "n_tool_changer"]  # tolerance for locking [rad]
    sensor_radius: Annotated[Floats, "n_tool_changer"]  # of ReadyToLock1 and 2 [m]
    present: Annotated[Floats, "n_tool_changer"]  # how near a tool is present [m]
    supply: Annotated[Floats, "n_tool_changer"]  # pressure [Pa]
    ok: Annotated[Floats, "n_tool_changer"]  # pressure from which AirPressureOk is true [Pa]
    stall: Annotated[Floats, "n_tool_changer"]  # pressure at which the piston stands [Pa]
    air_share: Annotated[Floats, "n_tool_changer"]  # of a pressure difference, gone in a tick
    limit: Annotated[Floats, "n_tool_changer", 3]  # axial, shear [N], moment [Nm]
    power_start: Annotated[Ints, "n_tool_changer"]
    power_off: Annotated[Ints, "n_tool_changer"]  # from an unlock order
    bus_start: Annotated[Ints, "n_tool_changer"]  # from ToolPowerOk
    power_time_out: Annotated[Ints, "n_tool_changer"]
    bus_time_out: Annotated[Ints, "n_tool_changer"]
    stroke_time_out: Annotated[Ints, "n_tool_changer"]
    discrepancy: Annotated[Ints, "n_tool_changer"]
    air_time_out: Annotated[Ints, "n_tool_changer"]
    wires: Annotated[Wiring, {"n_owner": "n_tool_changer", "n_wire": N_DIGITAL}]
    tools: Tools
    outputs: ToolOutputs


MODEL = ToolChangers
