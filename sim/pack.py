"""A tuple of arrays that costs one pointer to pass.

numba passes a tuple by all its members: a Model and a Scratch make a thousand arguments, for every
kernel and every call, and minutes of compiling. A pack is the same tuple laid out once in memory,
eight bytes a word, and handed over by its address; a kernel reads `model.bodies.mass` from there:

    array    0, 0, number of items, bytes an item, address, shape..., strides...
    number   itself          tuple of numbers   each of them          tuple of arrays   all of it

What stands in a pack never changes while it exists (the arrays' contents do), so the compiler may
keep what it has read. With NUMBA_DISABLE_JIT=1 the tuple itself is passed.
"""

import hashlib
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    register_model,
    typeof_impl,
    unbox,
)

WORD = 8  # bytes
KINDS = {np.dtype(np.float64): types.float64, np.dtype(np.intp): types.intp}


class PackType(types.Type):
    """Type of a pack: the names and types of its members, whatever their sizes."""

    def __init__(self, title: str, members: tuple[tuple[str, types.Type], ...]) -> None:
        self.members = members
        listed = ", ".join(f"{name}: {member}" for name, member in members)
        # the name goes into every symbol of the machine code: all members would make it huge
        super().__init__(name=f"{title}_{hashlib.sha256(listed.encode()).hexdigest()[:16]}")

    def member(self, name: str) -> tuple[int, types.Type]:
        """Offset in words, and type, of a member."""
        offset = 0
        for own, member in self.members:
            if own == name:
                return offset, member
            offset += _words(member)
        raise AttributeError(name)


def _words(member: types.Type) -> int:
    if isinstance(member, PackType):
        return sum(_words(inner) for _, inner in member.members)
    if isinstance(member, types.Array):
        return 5 + 2 * member.ndim
    return len(member) if isinstance(member, types.UniTuple) else 1


class Pack:
    """A tuple of arrays laid out for compiled code; keeps the tuple alive."""

    def __init__(self, part: tuple[Any, ...]) -> None:
        self.part = part
        self.numba_type = _type_of(part)
        self.words = np.array(_layout(part), dtype=np.int64)
        self.address = self.words.ctypes.data


def pack(part: Any) -> Any:
    """Lay a tuple of arrays out for compiled code; without compilation, leave it as it is."""
    return part if numba.config.DISABLE_JIT else Pack(part)  # type: ignore[attr-defined]


def _type_of(part: Any) -> PackType:
    members: list[tuple[str, types.Type]] = []
    for name, value in zip(part._fields, part, strict=True):
        if hasattr(value, "_fields"):
            members.append((name, _type_of(value)))
        elif isinstance(value, np.ndarray):
            kind = KINDS[value.dtype]
            members.append(
                (name, types.Array(kind, value.ndim, "C", readonly=not value.flags.writeable))
            )
        elif isinstance(value, tuple):
            members.append((name, types.UniTuple(types.float64, len(value))))
        else:
            members.append((name, types.float64 if isinstance(value, float) else types.intp))
    return PackType(type(part).__name__, tuple(members))


def _layout(part: Any) -> list[int]:
    words: list[int] = []
    for value in part:
        if hasattr(value, "_fields"):
            words += _layout(value)
        elif isinstance(value, np.ndarray):
            if not value.flags.c_contiguous:
                raise ValueError("a pack holds C-contiguous arrays only")
            words += [0, 0, value.size, value.itemsize, value.ctypes.data]
            words += [*value.shape, *value.strides]
        elif isinstance(value, tuple):
            words += [_bits(number) for number in value]
        else:
            words.append(_bits(value))
    return words


def _bits(number: float | int) -> int:
    if isinstance(number, float):
        return int(np.float64(number).view(np.int64))
    return int(number)


# ---------------------------------------------------------------- what numba must know about it


@typeof_impl.register(Pack)
def _typeof_pack(value: Pack, _context: Any) -> PackType:
    return value.numba_type


@register_model(PackType)
class _PackModel(models.PrimitiveModel):
    """A pack is the address of its first word."""

    def __init__(self, manager: Any, pack_type: PackType) -> None:
        super().__init__(manager, pack_type, ir.IntType(8).as_pointer())


@unbox(PackType)  # type: ignore[untyped-decorator]
def _unbox_pack(_type: PackType, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_ulonglong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, ir.IntType(8).as_pointer()))


@infer_getattr
class _PackMembers(AttributeTemplate):
    key = PackType

    def generic_resolve(self, pack_type: PackType, name: str) -> Any:  # type: ignore[override]
        return dict(pack_type.members).get(name)


@lower_getattr_generic(PackType)  # type: ignore[untyped-decorator]
def read_member(context: Any, builder: Any, pack_type: PackType, value: Any, name: str) -> Any:
    """Read a member of a pack: an inner pack is its address."""
    offset, member = pack_type.member(name)
    here = builder.gep(
        value, [ir.Constant(ir.IntType(64), WORD * offset)], source_etype=ir.IntType(8)
    )
    if isinstance(member, PackType):
        return here
    return _read(context, builder, here, context.get_value_type(member), 0)[0]


def _read(context: Any, builder: Any, base: Any, kind: Any, word: int) -> tuple[Any, int]:
    """Read a value of nested structs and arrays word by word: unused words cost nothing."""
    if isinstance(kind, ir.LiteralStructType | ir.ArrayType):
        value = ir.Constant(kind, ir.Undefined)
        n = len(kind.elements) if isinstance(kind, ir.LiteralStructType) else kind.count
        for k in range(n):
            inner = kind.elements[k] if isinstance(kind, ir.LiteralStructType) else kind.element
            element, word = _read(context, builder, base, inner, word)
            value = builder.insert_value(value, element, k)
        return value, word
    here = builder.gep(base, [ir.Constant(ir.IntType(64), WORD * word)], source_etype=ir.IntType(8))
    loaded = builder.load(builder.bitcast(here, kind.as_pointer()), typ=kind)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded, word + 1
