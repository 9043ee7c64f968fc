"""Known materials: placeholder."""

from sim.spec.contact import Material


def known_law(a: str, b: str) -> Material | None:
    """How two known materials feel to each other, if that is known."""
    return None
