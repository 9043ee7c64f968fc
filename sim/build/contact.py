"""Surfaces and contact laws of a cell as arrays.

Two different materials without a pairing of their own are combined: geometric means of stiffness,
damping, friction coefficients, speeds and rolling resistance, means of the exponents (so that the
units fit), the thinner layer. A material meets itself as the file says.
"""

import math
from collections.abc import Mapping

import numpy as np

from twincell.sim.build.bodies import floats, ints
from twincell.sim.build.shapes import shape_numbers
from twincell.sim.geometry.shape_facts import THIN
from twincell.sim.geometry.shape_table import complete
from twincell.sim.model import (
    BOX,
    CAPSULE,
    CYLINDER,
    DISC,
    HALF_SPACE,
    NONE,
    RECTANGLE,
    SPHERE,
    Bodies,
    Floats,
    Laws,
    Ports,
    Surfaces,
)
from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.contact import Material
from twincell.sim.spec.contact_presets import known_law
from twincell.sim.spec.problems import Problems

STANDS_ON = complete(  # points' stiffness that a shape uses at best
    "points to stand on",
    {SPHERE: 1, RECTANGLE: 4, DISC: 4, CYLINDER: 4, CAPSULE: 2, BOX: 4, HALF_SPACE: 4},
)
SLOW = 5.0  # times v₂: faster, μ is as good as kinetic; chosen
LARGE = 4.0  # times the median size: a surface that would make the grid too coarse; chosen


def build_surfaces(
    spec: CellSpec, port: Mapping[str, int], ports: Ports, bodies: Bodies, n_driven: int
) -> Surfaces:
    """Surfaces, with the bodies that carry them and what they may touch."""
    surfaces = list(spec.surface.values())
    shapes = [shape_numbers(s) for s in surfaces]
    size = floats([s[3] for s in shapes])
    own = [port[s.on] for s in surfaces]
    body = ints([ports.body[p] for p in own])
    finite = size[np.isfinite(size)]
    bit = {name: 1 << k for k, name in enumerate(groups(spec))}
    everything = sum(bit.values())
    material = {name: k for k, name in enumerate(materials(spec))}
    return Surfaces(
        port=ints(own),
        body=body,
        shape=ints([s[0] for s in shapes]),
        half=floats([s[1] for s in shapes], 3),
        radius=floats([s[2] for s in shapes]),
        size=size,
        large=ints((size > LARGE * np.median(finite)).tolist() if len(finite) else [1] * len(size)),
        moves=ints(((body >= n_driven) | (bodies.borne[body] == 1)).tolist()),
        material=ints([material[s.material] for s in surfaces]),
        group=ints([bit[s.group] for s in surfaces]),
        meets=ints([everything - sum(bit[g] for g in set(s.ignores)) for s in surfaces]),
    )


def check_support(
    spec: CellSpec, surfaces: Surfaces, bodies: Bodies, laws: Laws, problems: Problems
) -> None:
    """Refuse bodies that no flat face could bear: they would sink through its layer.

    m g ≤ k c tⁿ for the k points on which its shape stands at best. What hangs on a joint does not
    stand by its weight alone. Every other contact is carried, however stiff it is.
    """
    g = math.hypot(*spec.gravity_m_s2)
    names = list(spec.surface)
    thin = np.isin(surfaces.shape, THIN)
    for k, name in enumerate(names):
        body = surfaces.body[k]
        if bodies.free[body] == NONE:
            continue
        weight = float(bodies.mass[body]) * g
        cares = (surfaces.group[k] & surfaces.meets != 0) & (
            surfaces.group & surfaces.meets[k] != 0
        )
        for j in np.flatnonzero((surfaces.body != body) & cares & (thin | thin[k])):
            law = laws.of[surfaces.material[k], surfaces.material[j]]
            points = min(STANDS_ON[int(surfaces.shape[s])] for s in (k, j))
            bears = points * laws.stiffness[law] * laws.layer[law] ** laws.exponent[law]
            if weight > bears:
                problems.add(
                    f"surface.{name}",
                    f"it weighs {weight:.3g} N, but a layer of {laws.layer[law] * 1e3:g} mm of"
                    f" {spec.surface[name].material} and {spec.surface[names[j]].material}"
                    f" bears only {bears:.3g} N: it would sink through {names[j]}",
                    hint="raise stiffness or layer_m",
                )
                break


def groups(spec: CellSpec) -> list[str]:
    """Groups of surfaces, in the order in which they are named."""
    named = [name for s in spec.surface.values() for name in (s.group, *s.ignores)]
    return list(dict.fromkeys(named))


def materials(spec: CellSpec) -> list[str]:
    """Materials of surfaces, in the order in which they are named."""
    return list(dict.fromkeys(s.material for s in spec.surface.values()))


def build_laws(spec: CellSpec) -> Laws:
    """A law for each two materials."""
    names = materials(spec)
    n = len(names)
    of = np.zeros((n, n), dtype=np.intp)
    rows: list[Material] = []
    for i, a in enumerate(names):
        for j, b in enumerate(names[: i + 1]):
            of[i, j] = of[j, i] = len(rows)
            rows.append(law_between(spec, a, b))
    exponents = [r.exponent for r in rows]
    curves = [friction_curve(r) for r in rows]
    peaks = [friction_peak(curve) for curve in curves]
    return Laws(
        of=of,
        stiffness=floats([r.stiffness for r in rows]),
        exponent=floats(exponents),
        damping=floats([r.damping for r in rows]),
        damping_exponent=floats([_damping_exponent(r) for r in rows]),
        layer=floats([r.layer_m for r in rows]),
        friction=floats(curves, 6),
        peak_speed=floats([speed for speed, _ in peaks]),
        peak=floats([mu for _, mu in peaks]),
        slow=floats([SLOW * _slide_speed(r) for r in rows]),
        rolling=floats([r.rolling_m for r in rows]),
        rolling_speed=floats([math.radians(r.rolling_speed_deg_s) for r in rows]),
    )


def law_between(spec: CellSpec, a: str, b: str) -> Material:
    """How two materials feel to each other: a pairing of the file, a known one, or combined."""
    for pairing in spec.pairing.values():
        if set(pairing.between) == {a, b}:
            return pairing
    if a in spec.material and a == b:
        return spec.material[a]
    known = known_law(a, b) if not {a, b} & set(spec.material) else None
    return known or _combine(_alone(spec, a), _alone(spec, b))


def _alone(spec: CellSpec, name: str) -> Material:
    """A material's own law; of a known one that never meets itself, one that is never used."""
    return spec.material.get(name) or known_law(name, name) or Material(stiffness=1.0)


def _combine(a: Material, b: Material) -> Material:
    def middle(x: float, y: float) -> float:
        return math.sqrt(x * y)

    return Material(
        stiffness=middle(a.stiffness, b.stiffness),
        exponent=(a.exponent + b.exponent) / 2,
        damping=middle(a.damping, b.damping),
        damping_exponent=(_damping_exponent(a) + _damping_exponent(b)) / 2,
        layer_m=min(a.layer_m, b.layer_m),
        static_friction=middle(a.static_friction, b.static_friction),
        kinetic_friction=middle(_kinetic(a), _kinetic(b)),
        stick_speed_m_s=middle(a.stick_speed_m_s, b.stick_speed_m_s),
        slide_speed_m_s=middle(_slide_speed(a), _slide_speed(b)),
        viscous_friction_s_m=middle(a.viscous_friction_s_m, b.viscous_friction_s_m),
        rolling_m=middle(a.rolling_m, b.rolling_m),
        rolling_speed_deg_s=middle(a.rolling_speed_deg_s, b.rolling_speed_deg_s),
    )


def _damping_exponent(law: Material) -> float:
    return law.exponent if law.damping_exponent is None else law.damping_exponent


def _kinetic(law: Material) -> float:
    return law.static_friction if law.kinetic_friction is None else law.kinetic_friction


def _slide_speed(law: Material) -> float:
    return law.stick_speed_m_s if law.slide_speed_m_s is None else law.slide_speed_m_s


def friction_curve(law: Material) -> Floats:
    """γ₁ ... γ₆ of eq. (9) from the five parameters, as in the paper's own library.

    γ₂ = γ₅ = 2/v₁,  γ₃ = 3/v₂,  γ₄ = μ_k - k_v v₂,  γ₆ = k_v
    γ₁ = (μ_s - tanh(2v₁/v₂) γ₄ - 2 k_v v₁) / (tanh(2v₂/v₁) - tanh(2v₁/v₂)) - γ₄,  0 if v₁ = v₂
    """
    mu_s, mu_k, k_v = law.static_friction, _kinetic(law), law.viscous_friction_s_m
    v_1, v_2 = law.stick_speed_m_s, _slide_speed(law)
    steady = mu_k - k_v * v_2
    peak = 0.0
    if v_1 < v_2:
        low, high = math.tanh(2 * v_1 / v_2), math.tanh(2 * v_2 / v_1)
        peak = (mu_s - low * steady - 2 * k_v * v_1) / (high - low) - steady
    return np.array([peak, 2 / v_1, 3 / v_2, steady, 2 / v_1, k_v])


def friction_peak(curve: Floats) -> tuple[float, float]:
    """Speed at which μ is greatest before it falls, and μ there; (inf, 0) if it never falls."""
    if not curve[0] > 0.0:
        return math.inf, 0.0

    def falling(v: float) -> float:
        tanh = np.tanh(curve[[1, 2, 4]] * v)
        return -float(curve[0] * (tanh[0] - tanh[1]) + curve[3] * tanh[2] + curve[5] * v)

    from scipy.optimize import minimize_scalar  # a quarter of a second, for those who need it

    v_2 = 3 / float(curve[2])
    found = minimize_scalar(falling, bounds=(0.0, v_2), method="bounded", options={"xatol": 0.0})
    return float(found.x), -float(found.fun)
