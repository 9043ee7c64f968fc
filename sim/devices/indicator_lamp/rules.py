"""Rules of indicator lamps: a lamp can blink, and a fault of it can be found."""

from twincell.sim.devices.indicator_lamp.spec import IndicatorLamp
from twincell.sim.spec.draft import Draft
from twincell.sim.spec.problems import Problems, number


def check(draft: Draft, problems: Problems) -> None:
    """A lamp blinks in whole steps, and its signals come before they are missed."""
    step_s = draft.cell.step_s
    if "step_s" in draft.bad_keys:
        return
    for name, lamp in draft.cell.section("indicator_lamp", IndicatorLamp).items():
        place = f"indicator_lamp.{name}"
        for key in ("slow_blink_s", "fast_blink_s"):
            period_s = getattr(lamp, key)
            if round(period_s / step_s) < 2:  # lit for a tick, dark for a tick
                text = f"{number(period_s)} s is too short for a step of {number(step_s)} s"
                problems.add(f"{place}.{key}", text, hint=f"at least {number(2 * step_s)}")
            lit_delay_s = lamp.signals.lit.on_delay_s
            if 2 * round(lit_delay_s / step_s) >= round(period_s / step_s) >= 2:
                text = f"signals.lit comes after {number(lit_delay_s)} s, when a flash is over"
                hint = f"above {number(2 * lit_delay_s)}, or a shorter on_delay_s"
                problems.add(f"{place}.{key}", text, hint=hint)
        for key, wire in (("lit_time_out_s", "lit"), ("press_time_out_s", "pressed")):
            delay_s = getattr(lamp.signals, wire).on_delay_s
            if getattr(lamp, key) <= delay_s:
                text = f"signals.{wire} comes after {number(delay_s)} s when all is well"
                problems.add(f"{place}.{key}", text, hint="give it more time")
