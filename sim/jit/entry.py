"""Entries: kernels that Python calls. Each is an object file, loaded at the first call."""

import ctypes
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types

from twincell.sim.jit.codegen import DOUBLE, POINTER, WORD, Export, c_types
from twincell.sim.jit.lowering import KernelDispatcher
from twincell.sim.jit.object_file import ObjectFile
from twincell.sim.jit.settings import COMPILER
from twincell.sim.pack import Pack


class Entry:
    """A function of ours in machine code; called from Python like any other."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.kernel = KernelDispatcher(function, COMPILER)
        self._callable: dict[tuple[Any, ...], Any] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Call it; the first time with arguments of these types, load or compile it."""
        kinds = tuple(map(_kind, arguments))
        call = self._callable.get(kinds)
        if call is None:
            call = self._callable[kinds] = self._load(arguments)
        words: list[Any] = []
        for argument in arguments:
            _append_words(words, argument)
        return call(*words)

    def object_file(self, *arguments: Any) -> ObjectFile:
        """Its machine code for arguments of these types."""
        given = tuple(_type_of(argument) for argument in arguments)
        name = self.function.__name__
        subject = f"{self.function.__module__.split('.')[-1]}.{name}"
        return ObjectFile(subject, [Export(name, self.kernel, given)])

    def _load(self, arguments: tuple[Any, ...]) -> Any:
        file = self.object_file(*arguments)
        (export,) = file.exports
        words = [C_TYPES[word] for kind in export.arguments for word in c_types(kind)]
        declared = ctypes.CFUNCTYPE(ctypes.c_int64, *words)  # while it runs, other threads may
        return declared(file.address(export.symbol))


C_TYPES = {POINTER: ctypes.c_void_p, WORD: ctypes.c_int64, DOUBLE: ctypes.c_double}


def _type_of(argument: Any) -> types.Type:
    """Type of an argument, as kernels know it."""
    if isinstance(argument, bool | int | np.integer):
        return types.intp
    found: types.Type = numba.typeof(argument)
    return found


def _kind(argument: Any) -> Any:
    """What tells the types of arguments apart, quickly."""
    if isinstance(argument, Pack):
        return argument.numba_type.name
    if isinstance(argument, np.ndarray):
        return argument.dtype.char, argument.ndim
    if isinstance(argument, tuple):
        return tuple(map(_kind, argument))
    return type(argument)


def _append_words(words: list[Any], argument: Any) -> None:
    """Write an argument as C gets it."""
    if isinstance(argument, Pack):
        words.append(argument.address)
    elif isinstance(argument, np.ndarray):
        if not argument.flags.carray:
            raise ValueError("an entry takes arrays that are C-contiguous and can be written")
        words.append(argument.ctypes.data)
        words.extend(argument.shape)
    elif isinstance(argument, tuple):
        for member in argument:
            _append_words(words, member)
    else:
        words.append(argument)
