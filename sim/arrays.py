"""Tuples of arrays: a field is declared once, with its shape, and everything else follows.

    class Near(NamedTuple):
        chosen: Annotated[Ints, "n_constrained"]  # partner for this tick, or NONE
        start: Annotated[Ints, "n_bucket + 1"]  # first entry of each bucket, and the end
        fit: Fit  # another such tuple
        wires: Annotated[WireState, {"n_owner": "n_lamp"}]  # the same, with a size of another name

A length is a number or the name of a size, also as in "2 * n_point" and "n_body + 1". A name means
the same in all tuples of a cell: `count` learns sizes from arrays that are there, `allocate` makes
arrays of given sizes, `check` holds arrays against them.
"""

import re
from collections import namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.intp]
Sizes: TypeAlias = Mapping[str, int]
Part = TypeVar("Part", bound=NamedTuple)

DTYPES = {Floats: np.dtype(np.float64), Ints: np.dtype(np.intp)}
LENGTH = re.compile(r"(?:(?P<factor>\d+) \* )?(?P<size>[a-z]\w*)(?: \+ (?P<more>\d+))?")


class Misfit(TypeError):
    """A tuple is not as it is declared, or declared as it cannot be; the text names the field."""


@dataclass(frozen=True)
class Shaped:
    """What is declared of an array."""

    dtype: np.dtype[Any]
    lengths: tuple[int | str, ...]

    def __str__(self) -> str:
        return f"{self.dtype} ({', '.join(map(str, self.lengths))})"


def allocate(kind: type[Part], sizes: Sizes, floats: float = 0.0, ints: int = 0) -> Part:
    """A tuple of new arrays of these sizes, filled with one number for each type."""
    made: list[Any] = []
    for name, form in declared(kind).items():
        if isinstance(form, Shaped):
            fill = floats if form.dtype.kind == "f" else ints
            shape = _shape(f"{kind.__name__}.{name}", form, sizes)
            made.append(np.full(shape, fill, dtype=form.dtype))
        elif hasattr(form, "_fields"):
            made.append(allocate(form, sizes, floats, ints))
        else:
            raise Misfit(f"{kind.__name__}.{name} is no array: its value is not known")
    return kind._make(made)


def count(part: NamedTuple) -> dict[str, int]:
    """The sizes of a tuple, by its own arrays; a Misfit if they do not agree."""
    sizes: dict[str, int] = {}
    for _, form, value in _walk(part, type(part).__name__):
        for length, found in zip(form.lengths, np.shape(value), strict=False):
            if isinstance(length, str) and length.isidentifier():
                sizes.setdefault(length, found)
    check(part, sizes)
    return sizes


def check(part: NamedTuple, sizes: Sizes) -> None:
    """Raise a Misfit unless a tuple holds what it is declared to hold."""
    for name, form, value in _walk(part, type(part).__name__):
        wanted = _shape(name, form, sizes)
        if not isinstance(value, np.ndarray):
            raise Misfit(f"{name} is a {type(value).__name__}, declared is {form}")
        if value.dtype != form.dtype or value.shape != wanted:
            raise Misfit(f"{name} is {value.dtype} {value.shape}, declared is {form}: {wanted}")
        if not value.flags.c_contiguous:
            raise Misfit(f"{name} is not C-contiguous")


def leaves(part: NamedTuple, above: str = "") -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """The arrays of a tuple and of the tuples in it, by names such as `bodies.mass`, in order."""
    for name, value in zip(part._fields, part, strict=True):
        if hasattr(value, "_fields"):
            yield from leaves(value, f"{above}{name}.")
        elif isinstance(value, np.ndarray):
            yield above + name, value


def gather(kind: type[Part], given: Mapping[str, npt.NDArray[Any]], above: str = "") -> Part:
    """The tuple that has these arrays as its leaves."""
    return kind._make(
        gather(form, given, f"{above}{name}.") if hasattr(form, "_fields") else given[above + name]
        for name, form in declared(kind).items()
    )


def copy_arrays(part: Part) -> Part:
    """A tuple of arrays with the same values that shares no memory with the other."""
    return gather(type(part), {name: array.copy() for name, array in leaves(part)})


def assign(part: NamedTuple, values: NamedTuple) -> None:
    """Write the values of one tuple into the arrays of another of the same sizes."""
    check(values, count(part))
    for (_, array), (_, value) in zip(leaves(part), leaves(values), strict=True):
        array[...] = value


@cache
def declared(kind: type[NamedTuple]) -> dict[str, Any]:
    """By field: a Shaped, the type of a tuple in it, or the type of a number."""
    forms: dict[str, Any] = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        lengths = getattr(hint, "__metadata__", ())
        if lengths and hint.__origin__ in DTYPES:
            forms[name] = Shaped(DTYPES[hint.__origin__], lengths)
        elif lengths:
            forms[name] = _renamed(hint.__origin__, lengths[0])
        elif hint in DTYPES:
            raise Misfit(f"{kind.__name__}.{name} is declared without a shape")
        else:
            forms[name] = get_origin(hint) or hint
    return forms


def _renamed(kind: type[NamedTuple], lengths: Mapping[str, int | str]) -> Any:
    """A tuple of arrays that is declared like another, but for the names of its sizes."""
    hints = get_type_hints(kind, include_extras=True)
    for name, hint in hints.items():
        if getattr(hint, "__origin__", None) not in DTYPES:
            raise Misfit(f"{kind.__name__}.{name} is no array: its sizes cannot be renamed")
        own = (lengths.get(length, length) for length in hint.__metadata__)
        hints[name] = Annotated[(hint.__origin__, *own)]
    return _tuple_type(kind.__name__, hints)


def nest(title: str, parts: Mapping[str, type]) -> Any:
    """A tuple of such tuples, by their names."""
    return _tuple_type(title, dict(parts))


def _tuple_type(title: str, hints: dict[str, Any]) -> Any:
    made: Any = namedtuple(title, hints)  # type: ignore[misc]
    made.__annotations__ = hints
    return made


def _walk(part: NamedTuple, above: str) -> Iterator[tuple[str, Shaped, Any]]:
    """The arrays of a tuple and of the tuples in it, with what is declared of them."""
    for field, form in declared(type(part)).items():
        name, value = f"{above}.{field}", getattr(part, field)
        if isinstance(form, Shaped):
            yield name, form, value
        elif not isinstance(value, form):
            raise Misfit(f"{name} is a {type(value).__name__}, declared is {form.__name__}")
        elif hasattr(form, "_fields"):
            yield from _walk(value, name)


def _shape(name: str, form: Shaped, sizes: Sizes) -> tuple[int, ...]:
    shape = []
    for length in form.lengths:
        found = LENGTH.fullmatch(str(length))
        if isinstance(length, int):
            shape.append(length)
        elif found and found["size"] in sizes:
            shape.append(int(found["factor"] or 1) * sizes[found["size"]] + int(found["more"] or 0))
        else:
            raise Misfit(f"{name} is declared with a length of {length}, which is not known")
    return tuple(shape)
