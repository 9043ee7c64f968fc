"""One measured figure, and what it should reach."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Result:
    """A figure; `ratio` says how many times better than the peer it is, both in the same run."""

    name: str
    value: float
    unit: str
    peer: str | None = None
    ratio: float | None = None


@dataclass(frozen=True)
class Goal:
    """A figure's bound: of its ratio if it has a peer, otherwise of its value."""

    bound: float
    at_least: bool

    def is_met(self, result: Result) -> bool:
        reached = result.value if result.ratio is None else result.ratio
        return reached >= self.bound if self.at_least else reached <= self.bound

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}"


def at_least(bound: float) -> Goal:
    """A figure that should be large."""
    return Goal(bound, True)


def at_most(bound: float) -> Goal:
    """A figure that should be small."""
    return Goal(bound, False)


def least_of(name: str, results: Sequence[Result]) -> Iterator[Result]:
    """Of a figure measured for several counts, `name_10`, `name_100`, the one with least ratio."""
    counted = re.compile(re.escape(name) + r"_\d+")
    family = [r for r in results if r.ratio is not None and counted.fullmatch(r.name)]
    if family:
        yield replace(min(family, key=lambda r: r.ratio or 0.0), name=name)


# goals, most of them bounds against a peer; the paper's tool change needs 4.5 s of wall time
BY_CHANCE = 2.0  # standard errors: no difference at all is above them once in 40 runs
GOALS: dict[str, Goal] = {
    "tool_change_wall_s": at_most(0.25),
    "tool_change_rtf": at_least(25 / 0.25),
    "spring_1_wall_s": at_most(0.02),
    "spring_1_rtf": at_least(3 / 0.02),
    "spring_10_over_1_cost": at_most(10.5),
    "tick_vs_mujoco_rk4": at_least(6),
    "tick_vs_mujoco_euler": at_least(1),
    "tick_vs_pinocchio": at_least(1),
    **{f"tick_vs_mujoco_rk4_{n}": at_least(6) for n in (2, 10, 100, 1000)},
    **{f"tick_vs_mujoco_euler_{n}": at_least(1) for n in (2, 10, 100, 1000)},
    **{f"tick_vs_pinocchio_{n}": at_least(1) for n in (2, 10, 100)},
    "two_arms_25s": at_most(0.6),
    "arms_tick_vs_mujoco_rk4": at_least(2),
    "arms_20_tick_us": at_most(1000),
    "arms_20_real_time": at_least(1),
    # the contact paper needs 0.37, 0.61 and 5.63 s
    "contact_experiment_1_s": at_most(0.0015),
    "contact_experiment_2_s": at_most(0.004),
    "contact_experiment_3_s": at_most(0.004),
    "contact_100_boxes_tick_us": at_most(260),
    "contact_100_boxes_real_time": at_least(1),
    "pile_vs_mujoco": at_least(0.9),
    "pile_2e-5_vs_mujoco": at_least(1.3),
    "tower_drift_um": at_most(10),
    "heap_300_worst_over_median": at_most(4),
    "ik_near_us": at_most(20),
    "ik_far_us": at_most(20),
    "objects_1khz_rk4": at_least(1000),
    "scaling_exponent": at_most(1.1),
    "cold_start_tool_change_multi_s": at_most(40),
    "cold_start_first_cell_s": at_most(25),
    "warm_start_s": at_most(2),
    "bytes_per_tick": at_most(0),
    # 1000 variables x 1000 samples/s, less 1 %: ticks that a stall of the machine has taken
    "ua_samples_per_s": at_least(0.99e6),
    "ua_wrong_samples": at_most(0),
    "ua_cores": at_most(0.5),
    "ua_vs_asyncua": at_least(50),
    "ua_ten_clients_samples_per_s": at_least(0.99e6),
    "ua_ten_clients_wrong_samples": at_most(0),
    "closed_to_effect_ms": at_most(8),
    "closed_to_effect_fast_ms": at_most(2.5),
    "ua_orphans_core_share": at_most(0.05),
    "bridge_to_effect_ms": at_most(10),
    "lock_step_calls_per_s": at_least(1000),
    "lock_step_vs_asyncua": at_least(0.6),  # 1000 of the 1640 bare calls of an idle machine
    "lock_step_tool_change_s": at_most(5),
    "server_ready_s": at_most(6),
    "server_ready_10000_s": at_most(15),
    "attack_messages": at_least(100_000),
    "attack_crashes": at_most(0),
    "attack_growth_mb": at_most(20),
    "attack_longest_gap_ms": at_most(50),
    "attack_wrong_samples": at_most(0),
    "attack_overruns": at_most(BY_CHANCE),
    "attack_unauthorised": at_most(0),
    "loop_lateness_vs_cyclictest": at_most(2),
    "overruns_with_clients": at_most(BY_CHANCE),
    "recording_core_share": at_most(0.1),
    "recording_gb_per_hour": at_most(1.5),
    "recording_lost_rows": at_most(0),
    "web_first_picture_s": at_most(3),
    "web_core_share": at_most(0.3),
    "web_frames_per_s": at_least(29),  # of 30; the rest is rounding at both ends
    "web_lost_samples": at_most(0),
    "overruns_with_viewers": at_most(BY_CHANCE),
}


def write_results(results: Sequence[Result], file: Path) -> None:
    """Write the figures as JSON, all or nothing."""
    write_json([_rounded(asdict(result)) for result in results], file)


def write_json(data: object, file: Path) -> None:
    """Write JSON beside the file first, so that nobody ever sees half of it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".new")
    draft.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(draft, file)


def _rounded(entry: dict[str, object]) -> dict[str, object]:
    # more digits than the machine repeats would only make the committed file restless
    return {k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in entry.items()}
