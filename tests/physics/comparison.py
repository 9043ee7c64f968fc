"""One state, evaluated by the tick and by the dense system, and held side by side."""

from typing import Any

import numpy as np
import pytest
from dense_oracle import Answer, DenseCell
from scenes import Scene, add_pair, spec_of

from twincell.sim.cell import Cell
from twincell.sim.model import NONE

Ages = list[int | None]  # ticks since the catch to choose from; None: long ago

# both sides solve well-conditioned systems of some ten bodies: 1e-9 leaves 1e-16 room to grow
EXACT = 1e-9


def engine_and_oracle(
    rng: np.random.Generator, scene: Scene, turn: float = 2.5
) -> tuple[Cell, Answer]:
    """The same state evaluated by the tick and by the dense system."""
    spec = spec_of(**scene.tables)
    dense = DenseCell(spec)
    dense.set_state(scene)
    for pair in scene.pairs:
        dense.aim(rng, pair, distance=0.1, turn=turn)
    cell = Cell(spec)
    dense.write_state(cell)
    partners = cell.state.partner.copy()
    assert len(cell.run(1)) == 1 and cell.fault is None
    assert np.array_equal(cell.state.partner, partners)  # nobody was lost or caught
    return cell, dense.solve()


def assert_same(cell: Cell, answer: Answer) -> None:
    """Every body, joint and pair, relative to the largest of their kind in its own group."""
    names, placed = cell.compiled.body_names, cell.scratch.placed
    found = {n: acceleration(cell, k) for k, n in enumerate(names) if k >= cell.model.n_driven}
    for name, a in answer.a.items():
        if name in found:
            assert found[name] == pytest.approx(a, rel=0, abs=EXACT * np.abs(a).max()), name
    scale = max(map(abs, answer.qdd.values()), default=0.0)
    for k, name in enumerate(cell.compiled.joint_names):
        assert placed.qdd[k] == pytest.approx(answer.qdd[name], abs=EXACT * scale), name
    for k, name in enumerate(cell.spec.constrained_object):
        if name in answer.force:
            f = answer.force[name]
            assert cell.scratch.pairs.force[k] == pytest.approx(
                f, rel=0, abs=EXACT * np.abs(f).max()
            ), name


def acceleration(cell: Cell, body: int) -> np.ndarray:
    """Acceleration of a body's centre of mass, and its angular acceleration."""
    scratch = cell.scratch
    islands, placed, field = scratch.islands, scratch.placed, scratch.articulated.field
    if cell.model.bodies.joint[body] == NONE:
        return np.r_[placed.a_W[body], placed.alpha_W[body]]
    a, alpha = field[body, :3], field[body, 3:]
    return np.r_[a + np.cross(alpha, placed.c_W[body] - placed.c_W[islands.root[body]]), alpha]


def trees_of(tables: dict[str, Any]) -> dict[str, str]:
    """Root of each body's tree, with everything on a mover or the ground apart."""
    above = {j["child"]: j["parent"] for j in tables["joint"].values()}
    on = {name: f.get("on") for name, f in tables["frame"].items()}
    root = {}
    for name in tables["body"]:
        at = name
        while at in above:
            parent = above[at]
            while on.get(parent):
                parent = on[parent]
            if parent not in tables["body"]:
                break
            at = parent
        root[name] = at
    return root


def hang_at_random(rng: np.random.Generator, scene: Scene, n_pair: int, ages: Ages) -> None:
    """Pairs without a loop: each free tree is held at most once, and never in a ring."""
    root = trees_of(scene.tables)
    free_roots = list(scene.free)
    rng.shuffle(free_roots)
    island = {r: r for r in set(root.values())}
    holders = ["Ground", *scene.tables["mover"], *scene.tables["body"]]
    for own in free_roots[:n_pair]:
        body = str(rng.choice([b for b in root if root[b] == own]))
        others = [h for h in holders if h not in root or island[root[h]] != island[own]]
        holder = str(rng.choice(others))
        # who holds whom makes no difference to the shape of the island
        swap = holder in root and rng.random() < 0.5
        ends = (holder, body) if swap else (body, holder)
        add_pair(rng, scene, *ends, rng.choice(ages))
        if holder in root:
            old, new = island[own], island[root[holder]]
            island = {r: new if i == old else i for r, i in island.items()}


def close_loops(rng: np.random.Generator, scene: Scene, n_pair: int, ages: Ages) -> None:
    """Further pairs between trees, whatever loops they close."""
    root = trees_of(scene.tables)
    holders = ["Ground", *scene.tables["mover"], *scene.tables["body"]]
    for _ in range(n_pair):
        body = str(rng.choice(list(root)))
        others = [h for h in holders if root.get(h) != root[body]]
        stiffness = 10 ** rng.uniform(4, 6)
        holder = str(rng.choice(others))
        add_pair(rng, scene, body, holder, rng.choice(ages), grip_stiffness_n_m=stiffness)
