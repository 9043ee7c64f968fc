"""What decides the machine code of a kernel: its own code, and that of everything that it reaches.

A fingerprint goes from a function to whatever it names, in the order in which it names it: other
kernels with their compiler options, constants, members of tuples, what a closure holds. So an edit
changes the fingerprints of those that use what was edited, and of nobody else; where the files lie,
comments and docstrings do not matter.
"""

import dis
import hashlib
import platform
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.registry import cpu_target

DIGITS = 32
FOLDER = Path(__file__).resolve().parent
# settings of numba that change machine code
SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "USING_SVML")


def fingerprint(functions: Iterable[Any], types: Iterable[Any]) -> str:
    """Name for the machine code of some functions, called with arguments of these types."""
    digest = hashlib.sha256()
    for line in (*_compiler(), *(str(each) for each in types), *reached(functions)):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:DIGITS]


def _compiler() -> list[str]:
    """Who makes the machine code, how, and for which processor."""
    own = [FOLDER.parent / "pack.py", *sorted(FOLDER.glob("*.py"))]
    return [
        f"numba {numba.__version__}, llvmlite {llvmlite.__version__}",
        f"numpy {np.__version__}, python {platform.python_version()}",
        repr(cpu_target.target_context.codegen().magic_tuple()),  # the processor
        repr([(name, getattr(numba.config, name, None)) for name in SETTINGS]),
        *(hashlib.sha256(file.read_bytes()).hexdigest() for file in own),
    ]


def reached(functions: Iterable[Any]) -> list[str]:
    """One line for every function that the functions reach, numbered as they are found."""
    return _Walk(functions).lines


class _Walk:
    """From function to function; one that was met before is named by its number."""

    def __init__(self, functions: Iterable[Any]) -> None:
        self.lines: list[str] = []
        self._numbers: dict[int, int] = {}
        self._to_do: list[tuple[FunctionType, Any]] = []
        for function in functions:
            self._describe(function)
        while self._to_do:
            function, options = self._to_do.pop(0)
            named = [(name, self._describe(value)) for name, value in _named(function)]
            code = _code_text(function.__code__, function.__doc__)
            self.lines.append(repr((code, function.__defaults__, options, named)))

    def _describe(self, value: Any) -> str:
        """What a name stands for, as text."""
        function = getattr(value, "py_func", value)
        if isinstance(function, FunctionType):
            if id(function) not in self._numbers:
                self._numbers[id(function)] = len(self._numbers)
                self._to_do.append((function, getattr(value, "targetoptions", None)))
            return f"function {self._numbers[id(function)]}"
        if type(value) is tuple:
            return f"({', '.join(self._describe(member) for member in value)})"
        if isinstance(value, bool | int | float | str):
            return repr(value)
        if isinstance(value, type):
            return f"{value.__qualname__}{getattr(value, '_fields', ())}"
        if isinstance(value, BuiltinFunctionType):
            return value.__name__
        if hasattr(value, "fingerprint"):
            return str(value.fingerprint)
        raise TypeError(f"nothing is known of what {value!r} does in a kernel")


def _code_text(code: CodeType, docstring: str | None) -> str:
    """What a function does, without line numbers and docstring."""
    constants = [
        _code_text(constant, None) if isinstance(constant, CodeType) else repr(constant)
        for k, constant in enumerate(code.co_consts)
        if k > 0 or constant != docstring  # which stands first, or None if there is none
    ]
    return repr((code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, constants))


def _named(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function gets from outside, by name: globals, members of modules, closures."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents
    for name, member in _globals_of(function.__code__):
        if name not in function.__globals__:
            continue  # a builtin
        value = function.__globals__[name]
        if isinstance(value, ModuleType):
            name, value = f"{name}.{member}", getattr(value, member, None)
        yield name, value


def _globals_of(code: CodeType) -> Iterator[tuple[str, str]]:
    """The globals that a function and functions within it read, and which member of each."""
    instructions = list(dis.get_instructions(code))
    for here, behind in zip(instructions, [*instructions[1:], None], strict=True):
        if here.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            is_member = behind is not None and behind.opname in ("LOAD_ATTR", "LOAD_METHOD")
            yield here.argval, behind.argval if behind is not None and is_member else ""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals_of(constant)
