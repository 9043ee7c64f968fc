"""Rules about contact: materials that are known, laws that hold, groups and surfaces that exist."""

from itertools import combinations_with_replacement

from twincell.sim.spec.contact import Material
from twincell.sim.spec.contact_presets import ELASTIC, known_law
from twincell.sim.spec.draft import Draft
from twincell.sim.spec.problems import Problems, did_you_mean, key_of, number

MOST_GROUPS = 60  # bits of an integer


def check_contact(draft: Draft, problems: Problems) -> None:
    """Surfaces, materials, pairings and watched contacts fit together."""
    _check_materials(draft, problems)
    _check_groups(draft, problems)
    _check_pairings(draft, problems)
    _check_laws(draft, problems)
    _check_watched(draft, problems)


def _check_materials(draft: Draft, problems: Problems) -> None:
    cell = draft.cell
    laws = {f"material.{name}": law for name, law in cell.material.items()}
    laws |= {f"pairing.{name}": law for name, law in cell.pairing.items()}
    for key, law in laws.items():
        _check_friction(key, law, problems)
    for name, surface in cell.surface.items():
        _check_known(f"surface.{name}.material", surface.material, draft, problems)
    for name, pairing in cell.pairing.items():
        for place, material in enumerate(pairing.between):
            _check_known(f"pairing.{name}.between[{place}]", material, draft, problems)


def _check_friction(key: str, law: Material, problems: Problems) -> None:
    """The friction curve must begin at rest, rise to μ_s and come down to μ_k."""
    static = law.static_friction
    kinetic = static if law.kinetic_friction is None else law.kinetic_friction
    stick = law.stick_speed_m_s
    slide = stick if law.slide_speed_m_s is None else law.slide_speed_m_s
    if kinetic > static:
        problems.add(
            f"{key}.kinetic_friction",
            f"{number(kinetic)} is above static_friction, {number(static)}",
            hint="what slides is held back no more than what rests",
        )
    if slide < stick:
        problems.add(
            f"{key}.slide_speed_m_s",
            f"{number(slide)} is below stick_speed_m_s, {number(stick)}",
            hint="sliding begins after sticking ends",
        )
    elif slide == stick and kinetic < static:
        problems.add(
            f"{key}.slide_speed_m_s",
            "friction cannot fall from static to kinetic at one speed",
            hint=f"give more than stick_speed_m_s, {number(stick)}, or leave kinetic_friction out",
        )
    if law.viscous_friction_s_m * slide > kinetic:
        problems.add(
            f"{key}.viscous_friction_s_m",
            "is so large that at slide_speed_m_s it is more than the kinetic friction",
            hint=f"stay below {number(kinetic / slide)}",
        )


def _check_known(key: str, material: str, draft: Draft, problems: Problems) -> None:
    known = [*draft.names["material"], *ELASTIC]
    if material not in known:
        text = f"there is no material called {material}"
        problems.add(key, text, hint=did_you_mean(material, known))


def _check_groups(draft: Draft, problems: Problems) -> None:
    surfaces = draft.cell.surface
    known = list(dict.fromkeys(surface.group for surface in surfaces.values()))
    if len(known) > MOST_GROUPS:
        problems.add("surface", f"there are {len(known)} groups", hint=f"at most {MOST_GROUPS}")
    for name, surface in surfaces.items():
        for place, group in enumerate(surface.ignores):
            if group not in known:
                problems.add(
                    f"surface.{name}.ignores[{place}]",
                    f"no surface is in a group called {group}",
                    hint=did_you_mean(group, known),
                )


def _check_pairings(draft: Draft, problems: Problems) -> None:
    seen: dict[frozenset[str], str] = {}
    for name, pairing in draft.cell.pairing.items():
        pair = frozenset(pairing.between)
        first = seen.setdefault(pair, name)
        if first != name:
            problems.add(
                f"pairing.{name}.between",
                f"the same materials are paired by {problems.source.place(f'pairing.{first}')}",
                hint="keep one",
            )


def _check_laws(draft: Draft, problems: Problems) -> None:
    """Two materials that can meet have a law: described, known, or combined of two that are."""
    cell = draft.cell
    paired = {frozenset(pairing.between) for pairing in cell.pairing.values()}
    first_use: dict[str, str] = {}
    for name, surface in cell.surface.items():
        first_use.setdefault(surface.material, name)
    for a, b in combinations_with_replacement(sorted(first_use), 2):
        if frozenset((a, b)) in paired or known_law(a, b):
            continue
        own = draft.names["material"]
        unknown = [x for x in (a, b) if x not in own and x in ELASTIC and not known_law(x, x)]
        if unknown and all(x in ELASTIC or x in own for x in (a, b)):
            if a == b and _only_one(draft, a):
                continue
            problems.add(
                key_of(["surface", first_use[b], "material"]),
                f"nothing is known about {a} on {b}",
                hint=f'describe it: [pairing.Name] with between = ["{a}", "{b}"]',
            )


def _only_one(draft: Draft, material: str) -> bool:
    """Whether a material never meets itself."""
    return sum(s.material == material for s in draft.cell.surface.values()) < 2


def _check_watched(draft: Draft, problems: Problems) -> None:
    for name, watched in draft.cell.watched_contact.items():
        for place, surface in enumerate(watched.surfaces):
            if not draft.has("surface", surface):
                problems.add(
                    f"watched_contact.{name}.surfaces[{place}]",
                    f"there is no surface called {surface}",
                    hint=did_you_mean(surface, draft.names["surface"]),
                )
        if watched.surfaces[0] == watched.surfaces[1]:
            text = "a surface does not touch itself"
            problems.add(f"watched_contact.{name}.surfaces", text, hint="name two surfaces")
