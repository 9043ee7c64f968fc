"""One tick of n held objects, ours and other simulators', in turns."""

from collections.abc import Iterator, Sequence
from statistics import median

from bench.agreement import check_mujoco
from bench.held_objects import TICKS, ours
from bench.peer_mujoco import DEFAULT, Integrator, MujocoCell, finalists
from bench.peer_pinocchio import PinocchioCell, check_pinocchio, fits_in_memory
from bench.result import Result
from bench.rounds import median_ratio, take_turns


def against_mujoco(n: int) -> Iterator[Result]:
    """Our RK4 tick against MuJoCo's RK4 and Euler, as fast as MuJoCo can and as it comes."""
    rounds = 15 if n <= 10 else 7 if n <= 100 else 5
    integrators: tuple[Integrator, ...] = ("RK4", "Euler")
    peers = [(kind, setting) for kind in integrators for setting in finalists(n, kind)]
    for kind, setting in peers:
        check_mujoco(min(n, 100), kind, setting)  # the bodies do not know of each other

    rk4, semi_implicit, default_rk4, *times = take_turns(
        [
            ours(n),
            ours(n, integrator="semi_implicit"),
            MujocoCell(n, "RK4", DEFAULT).contestant(),
            *(MujocoCell(n, kind, setting).contestant() for kind, setting in peers),
        ],
        rounds,
    )
    entries = list(zip(peers, times, strict=True))

    def winner(kind: Integrator) -> tuple[Sequence[float], str]:
        """Times of MuJoCo's faster finalist, and what it is."""
        own = [(median(t), t, setting) for (k, setting), t in entries if k == kind]
        _, fastest, setting = min(own, key=lambda entry: entry[0])
        return fastest, f"{kind} ({setting})"

    best_rk4, best_euler = winner("RK4"), winner("Euler")

    def result(name: str, own: Sequence[float], peer: Sequence[float], what: str) -> Result:
        return Result(
            f"{name}_{n}",
            _tick_us(own, TICKS),
            "us/tick",
            f"MuJoCo {what}: {_tick_us(peer, TICKS):.4g} us/tick",
            median_ratio(peer, own),
        )

    yield result("tick_vs_mujoco_rk4", rk4, *best_rk4)
    yield result("tick_vs_mujoco_euler", rk4, *best_euler)
    yield result("semi_implicit_tick_vs_mujoco_euler", semi_implicit, *best_euler)
    yield result("tick_vs_mujoco_rk4_as_it_comes", rk4, default_rk4, f"RK4 ({DEFAULT})")


def against_pinocchio(n: int) -> Iterator[Result]:
    """Our RK4 tick against four evaluations of the same welds in Pinocchio."""
    if not fits_in_memory(n):
        return
    check_pinocchio(min(n, 10))
    ticks, rounds = (TICKS, 9) if n <= 10 else (1, 3)
    own, peer, crossing = take_turns(
        [
            ours(n),
            PinocchioCell(n).contestant(ticks),
            PinocchioCell(0).contestant(ticks),
        ],
        rounds,
    )
    peer_tick = [(p - c) / ticks for p, c in zip(peer, crossing, strict=True)]
    own_tick = [t / TICKS for t in own]
    yield Result(
        f"tick_vs_pinocchio_{n}",
        _tick_us(own, TICKS),
        "us/tick",
        f"Pinocchio constraintDynamics x 4: {median(peer_tick) * 1e6:.4g} us/tick",
        median_ratio(peer_tick, own_tick),
    )


def _tick_us(times: Sequence[float], ticks: int) -> float:
    return median(times) / ticks * 1e6
