"""What decides the machine code of a kernel: its own code, and that of everything that it reaches.

A fingerprint goes from a function to whatever it names: other kernels, constants, tuples' fields.
So an edit changes the fingerprints of those that use what was edited, and of nobody else; where
the files lie, comments and docstrings do not matter.
"""

import hashlib
import platform
from collections.abc import Iterable
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.registry import cpu_target

DIGITS = 32
FOLDER = Path(__file__).resolve().parent


def fingerprint(functions: Iterable[FunctionType], types: Iterable[Any]) -> str:
    """Name for the machine code of some functions, called with arguments of these types."""
    digest = hashlib.sha256()
    for line in (*_compiler(), *(str(each) for each in types), *reached(functions)):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:DIGITS]


def _compiler() -> list[str]:
    """Who makes the machine code, and for which processor."""
    own = [FOLDER.parent / "pack.py", *sorted(FOLDER.glob("*.py"))]
    return [
        f"numba {numba.__version__}, llvmlite {llvmlite.__version__}",
        f"numpy {np.__version__}, python {platform.python_version()}",
        repr(cpu_target.target_context.codegen().magic_tuple()),  # the processor
        *(hashlib.sha256(file.read_bytes()).hexdigest() for file in own),
    ]


def reached(functions: Iterable[FunctionType]) -> list[str]:
    """One line for every function and constant that the functions reach, in a fixed order."""
    lines: dict[str, None] = {}
    seen: set[int] = set()
    to_do: list[FunctionType] = list(functions)
    while to_do:
        function = to_do.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        lines[f"{function.__module__}.{function.__qualname__}: {_code(function)}"] = None
        for name, value in _named(function):
            for member in value if type(value) is tuple else (value,):
                kernel = getattr(member, "py_func", member)
                if isinstance(kernel, FunctionType):
                    to_do.append(kernel)
                else:
                    lines[f"{function.__module__}.{name} = {_constant(member)}"] = None
    return sorted(lines)


def _code(function: FunctionType) -> str:
    """What a function does, without line numbers and docstring."""
    code = function.__code__
    constants = [
        constant.co_code.hex() if isinstance(constant, CodeType) else repr(constant)
        for constant in code.co_consts
        if constant != function.__doc__
    ]
    parts = (code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, constants)
    return repr((*parts, repr(function.__defaults__)))


def _named(function: FunctionType) -> Iterable[tuple[str, Any]]:
    """What a function gets from outside, by name: globals, members of modules, closures."""
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents
    for name in code.co_names:
        if name not in function.__globals__:
            continue  # an attribute, or a builtin
        value = function.__globals__[name]
        if not isinstance(value, ModuleType):
            yield name, value
            continue
        for member in code.co_names:
            if member in vars(value):
                yield f"{name}.{member}", vars(value)[member]


def _constant(value: Any) -> str:
    """A constant as text; what can be neither kernel nor constant must not be in a kernel."""
    if isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, tuple):
        return f"({', '.join(_constant(member) for member in value)})"
    if isinstance(value, type):
        return f"{value.__qualname__}{getattr(value, '_fields', ())}"
    if isinstance(value, BuiltinFunctionType | ModuleType):
        return value.__name__
    if hasattr(value, "fingerprint"):
        return str(value.fingerprint)
    raise TypeError(f"nothing is known of what {value!r} does in a kernel")
