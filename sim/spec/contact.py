"""What a cell file may say about contact: surfaces, the materials they are made of, what they do.

The numbers of a material are those of a contact with itself; docs/engine/contact.md says how two
different materials are combined, and which are known without being described.
"""

from typing import Annotated

from pydantic import Field

from twincell.sim.spec.table import Name, NotNegative, PlaceName, Positive, Sizes, Table

TwoNames = Annotated[tuple[Name, Name], Field(strict=False)]


class SphereSurface(Table):
    """A ball."""

    radius_m: Positive


class RectangleSurface(Table):
    """A flat face that touches with its front; its normal is its z axis."""

    length_m: Positive
    """Along x."""
    width_m: Positive
    """Along y."""


class DiscSurface(Table):
    """A round face that touches with its front; its normal is its z axis."""

    radius_m: Positive


class CylinderSurface(Table):
    """A cylinder along its z axis, with its end faces."""

    radius_m: Positive
    length_m: Positive


class CapsuleSurface(Table):
    """A cylinder along its z axis with a half ball at each end."""

    radius_m: Positive
    length_m: Positive
    """Of the cylinder, without the half balls."""


class BoxSurface(Table):
    """A box, with its edges and corners."""

    size_m: Sizes


class HalfSpaceSurface(Table):
    """Everything below its origin, seen along its z axis: a floor without an end."""


class Surface(Table):
    """Where something can be touched."""

    on: PlaceName
    """Frame, body, mover, robot or link that carries it."""
    material: Name
    """A material of this file, or one that is known."""
    group: Name = "everything"
    """Group that it belongs to."""
    ignores: list[Name] = Field(default=[])
    """Groups that it does not touch."""
    sphere: SphereSurface | None = None
    rectangle: RectangleSurface | None = None
    disc: DiscSurface | None = None
    cylinder: CylinderSurface | None = None
    capsule: CapsuleSurface | None = None
    box: BoxSurface | None = None
    half_space: HalfSpaceSurface | None = None


class Material(Table):
    """How something feels when it is touched, by something of its own kind."""

    stiffness: Positive
    """c of the normal force c pⁿ + d pᵐ ṗ, p being the depth [N/mⁿ]."""
    exponent: Annotated[float, Field(ge=1, le=4, allow_inf_nan=False)] = 1.5
    """n of the normal force."""
    damping: NotNegative = 0.0
    """d of the normal force [N s/mᵐ⁺¹]."""
    damping_exponent: Annotated[float, Field(ge=0, le=4, allow_inf_nan=False)] | None = None
    """m of the normal force; left out: n."""
    layer_m: Positive = 0.005
    """How deep a flat face can be entered from its front; what is deeper is behind it."""
    static_friction: NotNegative = 0.0
    """μ_s: the friction coefficient at rest, nearly."""
    kinetic_friction: NotNegative | None = None
    """μ_k: the friction coefficient of sliding; left out: μ_s."""
    stick_speed_m_s: Positive = 0.001
    """v₁: below it things creep, as static friction does."""
    slide_speed_m_s: Positive | None = None
    """v₂: from here on the friction is that of sliding; left out: v₁."""
    viscous_friction_s_m: NotNegative = 0.0
    """k_v: how fast the friction coefficient grows beyond v₂."""
    rolling_m: NotNegative = 0.0
    """Lever arm of the rolling resistance: its moment is this times the normal force."""
    rolling_speed_deg_s: Positive = 5.0
    """Rolling speed at which the resistance has reached tanh(1) = 76 % of its moment."""


class Pairing(Material):
    """How two different materials feel to each other, instead of the combination of both."""

    between: TwoNames
    """The two materials."""


class WatchedContact(Table):
    """Two surfaces whose contact has signals of its own."""

    surfaces: TwoNames
    """The two surfaces; forces are those on the first."""
