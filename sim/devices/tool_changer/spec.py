"""What a cell file may say about tool changers and the tools that they couple.

Timings without a source are our defaults; docs/use/tool_changer.md says which have one.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from twincell.sim.devices.contract import Holder
from twincell.sim.devices.parts.wire_spec import DigitalSignal
from twincell.sim.devices.tool_changer.presets import SIZES, Preset
from twincell.sim.spec.table import Name, NotNegative, Positive, Table

if TYPE_CHECKING:
    from twincell.sim.spec.cell import CellSpec

Word = Annotated[int, Field(ge=0, le=65535)]  # 16 bits
Bit = Annotated[int, Field(ge=0, le=15)]
ToolNumber = Annotated[int, Field(ge=1, le=65535)]


class Tool(Table):
    """What a tool changer can couple; its name is that of a constrained object."""

    id: ToolNumber
    """Number that the tool tells the changer."""
    inputs: Word = 0
    """Bits that the tool always shows in `ToolInputs`."""
    echo: Word = 0
    """Bits of `ToolOutputs` that come back in `ToolInputs`, as from a valve with a sensor."""
    outputs: dict[Name, Bit] = Field(default={})
    """Control objects of the tool, such as jaws, and the bit of `ToolOutputs` that closes each."""


class ChangerSignals(Table):
    """The digital signals that a tool changer shows."""

    locked: DigitalSignal = DigitalSignal()
    unlocked: DigitalSignal = DigitalSignal()
    ready_to_lock_1: DigitalSignal = DigitalSignal()
    ready_to_lock_2: DigitalSignal = DigitalSignal()
    tool_present: DigitalSignal = DigitalSignal()
    tool_in_stand_a: DigitalSignal = DigitalSignal()
    tool_in_stand_b: DigitalSignal = DigitalSignal()
    air_pressure_ok: DigitalSignal = DigitalSignal()
    tool_power_ok: DigitalSignal = DigitalSignal()
    tool_bus_ok: DigitalSignal = DigitalSignal()
    unlock_enabled: DigitalSignal = DigitalSignal()
    fault: DigitalSignal = DigitalSignal()


class ToolChanger(Table):
    """A pneumatic tool changer: it decides whether its flange holds a tool."""

    flange: Name
    """Control object that it drives; closed at the start: the piston starts at its lock end."""
    preset: Preset = "medium"
    """Size that gives what is left out."""
    valve_delay_s: NotNegative = 0.02
    """From a solenoid to the valve's shift; our default."""
    fill_s: NotNegative | None = None
    """From the valve's shift to the piston's first motion; left out: by the preset."""
    stroke_s: Positive | None = None
    """From one end of the piston's stroke to the other; left out: by the preset."""
    gap_tolerance_m: Positive | None = None
    """How far a tool may be off to be locked; left out: by the preset."""
    tilt_tolerance_deg: Positive | None = None
    """How far it may be turned; left out: by the preset."""
    sensor_radius_m: Positive | None = None
    """Of both ReadyToLock sensors from the flange's axis, along its x; left out: by the preset."""
    present_m: Positive = 0.01
    """How near a tool is present; our default."""
    supply_bar: Positive = 6.0
    """Supply pressure; our default."""
    ok_bar: Positive = 4.5
    """Pressure from which `AirPressureOk` is true; our default."""
    stall_bar: NotNegative = 2.5
    """Pressure at which the piston stands still; our default."""
    air_s: Positive = 0.1
    """Time constant with which the pressure follows its supply; our default."""
    axial_limit_n: Positive | None = None
    """Force along the flange's z at which the coupling breaks; left out: by the preset."""
    shear_limit_n: Positive | None = None
    """Force across it; left out: by the preset."""
    moment_limit_nm: Positive | None = None
    """Moment; left out: by the preset."""
    power_start_s: NotNegative = 0.1
    """From power on to `ToolPowerOk`; our default."""
    power_off_s: NotNegative = 0.03
    """From an unlock order to power off: less than 50 ms, in whole steps."""
    bus_start_s: NotNegative = 1.0
    """From `ToolPowerOk` to `ToolBusOk`; our default."""
    power_time_out_s: Positive = 1.0
    """Without power for so long is a fault; our default."""
    bus_time_out_s: Positive = 5.0
    """Without bus for so long is a fault; our default."""
    stroke_time_out_s: Positive = 1.5
    """An end not reached for so long after the order is a fault; our default."""
    discrepancy_s: Positive = 1.0
    """Channels of one fact that disagree for so long are a fault."""
    air_time_out_s: Positive = 0.5
    """Without air for so long is a fault; our default."""
    signals: ChangerSignals = ChangerSignals()
    """How its digital signals are wired."""

    def size(self, key: str) -> float:
        """What the file says, or else the preset."""
        given: float | None = getattr(self, key)
        return SIZES[self.preset][key] if given is None else given

    def ticks(self, key: str, step_s: float) -> int:
        """A time in ticks, as the changer counts it; a stroke has two ends, so at least one."""
        return max(round(self.size(key) / step_s), 1 if key == "stroke_s" else 0)


TABLES = {"tool_changer": ToolChanger, "tool": Tool}
SAYS_MORE = ("tool",)  # its entries say more about a constrained object of the same name


def holders(cell: "CellSpec") -> dict[str, Holder]:
    """Flanges, then what is wired to the outputs of tools."""
    changers = cell.section("tool_changer", ToolChanger)
    wired = wired_outputs(cell.section("tool", Tool))
    found = {
        changer.flange: Holder(
            item,
            f"the tool changer {name}",
            f'set "{name}.LockValve" or "{name}.UnlockValve"',
        )
        for item, (name, changer) in enumerate(changers.items())
    }
    for item, (jaw, (tool, bit)) in enumerate(wired.items(), start=len(changers)):
        hint = f"set bit {bit} of its tool changer's ToolOutputs"
        found[jaw] = Holder(item, f"the tool {tool}", hint)
    return found


def wired_outputs(tools: Mapping[str, Tool]) -> dict[str, tuple[str, int]]:
    """The tool and the bit that close a control object."""
    return {jaw: (name, bit) for name, tool in tools.items() for jaw, bit in tool.outputs.items()}
