"""Building blocks of a cell file's tables: names, numbers and vectors, checked as they are read."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

NAME = r"^[A-Za-z][A-Za-z0-9_]*$"
Name = Annotated[str, Field(pattern=NAME)]
# a name, or a link of a robot: Robot1.link_3
PLACE = r"^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_\-]+)?$"
PlaceName = Annotated[str, Field(pattern=PLACE)]
# of a robot's link or joint, as URDF files have them
LinkName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_\-]+$")]
Number = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
# not strict, as TOML's lists become tuples; their items stay strict
Vector = Annotated[tuple[Number, Number, Number], Field(strict=False)]
Sizes = Annotated[tuple[Positive, Positive, Positive], Field(strict=False)]
Symmetric = Annotated[
    tuple[Number, Number, Number, Number, Number, Number],
    Field(strict=False),
]
Colour = Annotated[str, Field(pattern=r"^#[0-9A-Fa-f]{6}$")]
Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
Numbers = Annotated[list[Number], Field(min_length=1)]
Positives = Annotated[list[Positive], Field(min_length=1)]
NotNegatives = Annotated[list[NotNegative], Field(min_length=1)]
HERE: Vector = (0.0, 0.0, 0.0)


class Table(BaseModel):
    """A table of a cell file: no unknown keys, no "1" for 1, nothing changes after reading."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True
    )


def given_shape(item: Table) -> tuple[str, Any]:
    """Which shape an entry that has one is given, and its sizes."""
    return next((key, value) for key, value in item if isinstance(value, Table))
