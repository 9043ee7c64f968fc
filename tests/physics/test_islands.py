"""The order of the bodies for random graphs of joints and pairs, against an independent count."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import ball, cell_of

from twincell.sim.model import NONE
from twincell.sim.network.islands import FREE, JOINT, PAIR

DRIVEN = ("Ground", "Robot")


@st.composite
def graphs(draw):
    """Joints as a parent for each body (None: free), pairs as (object's body, partner's body)."""
    n = draw(st.integers(1, 8))
    names = [f"B{k}" for k in range(n)]
    parents = [
        draw(st.sampled_from([None, None, *DRIVEN, *names[:k], *names[:k]])) for k in range(n)
    ]
    names = draw(st.permutations(names)) if n > 1 else names  # their numbers follow no order
    tree = {}
    for k, parent in enumerate(parents):
        tree[f"B{k}"] = tree.get(parent, f"B{k}")
    holders = st.sampled_from([*DRIVEN, *tree])
    pairs = draw(st.lists(st.tuples(st.sampled_from(list(tree)), holders), max_size=12))
    # an arm does not catch itself
    pairs = [(a, b) for a, b in pairs if tree.get(b) != tree[a]]
    return names, parents, pairs


def cell_with(names, parents, pairs):
    """A cell in which those pairs are active."""
    joint = {
        f"J{k}": {"type": "revolute", "parent": parent, "child": f"B{k}", "position_m": [0.1, 0, 0]}
        for k, parent in enumerate(parents)
        if parent
    }
    hold = {"mode": "control", "closed": True, "sphere": {"radius_m": 0.1}}
    cell = cell_of(
        integrator="semi_implicit",
        frame={"Ground": {}},
        mover={"Robot": {}},
        body={name: ball() for name in names},
        joint=joint,
        collision_object={f"C{k}": {"on": b, **hold} for k, (_, b) in enumerate(pairs)},
        constrained_object={
            f"S{k}": {"on": a, "radius_m": 0.1, "eta": 20.0, "release_factor": 1e6}
            for k, (a, _) in enumerate(pairs)
        },
    )
    cell.state.tick[0] = 10
    cell.state.partner[:] = np.arange(len(pairs))
    cell.state.q_BT[:, 0] = 1.0
    return cell


def cycles(names, parents, pairs):
    """Edges that join what is joined already; the ground and the robot count as one."""
    leader = dict.fromkeys(DRIVEN, "Ground") | {name: name for name in names}

    def find(x):
        return x if leader[x] == x else find(leader[x])

    edges = [(f"B{k}", parent) for k, parent in enumerate(parents) if parent] + list(pairs)
    count = 0
    for a, b in edges:
        count += find(a) == find(b)
        leader[find(a)] = find(b)
    return count


# no deadline: the first example compiles
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(graphs())
def test_every_body_comes_once_after_its_carrier_and_loops_are_counted(graph):
    cell = cell_with(*graph)
    cell.run(1)
    model, islands = cell.model, cell.scratch.islands
    assert np.array_equal(cell.state.partner, np.arange(len(graph[2])))

    n = len(graph[0])
    order = islands.order[:n].tolist()
    assert sorted(order) == list(range(model.n_driven, model.n_driven + n))
    used_joints, used_pairs = [], []
    for place, body in enumerate(order):
        carrier, link = islands.carrier[body], islands.link[body]
        if islands.up[body] == FREE:
            assert carrier == NONE and islands.root[body] == body
            continue
        if carrier >= model.n_driven:
            assert order.index(carrier) < place
            assert islands.root[body] == islands.root[carrier]
        else:
            assert islands.root[body] == body
        if islands.up[body] == JOINT:
            ends = {model.joints.parent[link], model.joints.child[link]}
            used_joints.append(link)
        else:
            assert islands.up[body] == PAIR
            port = model.constrained.port[link], model.collision.port[cell.state.partner[link]]
            ends = {model.ports.body[p] for p in port}
            used_pairs.append(link)
        assert ends == {body, carrier}

    # no joint is ever left out; what is not an edge of the trees closes a loop
    assert sorted(used_joints) == list(range(len(model.joints.parent)))
    closing = islands.closing[: islands.n_closing[0]].tolist()
    assert sorted(used_pairs + closing) == list(range(len(graph[2])))
    assert len(closing) == cycles(*graph)
