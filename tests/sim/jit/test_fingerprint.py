"""What decides the machine code changes its name, and nothing else does."""

import textwrap
from types import ModuleType, SimpleNamespace

import numba
import pytest

from twincell.sim.jit.fingerprint import fingerprint, reached

SOURCE = """
LIMIT = 2.0
UNUSED = 1.0
PAIR = (1, 2)

def inner(x):
    return x * LIMIT

def outer(x):
    return inner(x) + PAIR[0]

def other(x):
    return x
"""


def module(text, name="some.where"):
    made = ModuleType(name)
    exec(compile(textwrap.dedent(text), "anywhere.py", "exec"), vars(made))
    return made


def name_of(text, function="outer", types=("float64",), **place):
    return fingerprint([getattr(module(text, **place), function)], types)


BEFORE = name_of(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x * LIMIT", "x / LIMIT"),  # what it calls
        ("LIMIT = 2.0", "LIMIT = 3.0"),  # a constant of what it calls
        ("PAIR = (1, 2)", "PAIR = (1, 3)"),
        ("+ PAIR[0]", "- PAIR[0]"),  # itself
    ],
)
def test_an_edit_of_anything_that_is_reached_changes_the_name(old, new):
    assert name_of(SOURCE.replace(old, new)) != BEFORE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("UNUSED = 1.0", "UNUSED = 2.0"),
        ("    return x\n", "    return -x\n"),  # a function that nobody calls
        ("def outer(x):", "\n\n# a comment\ndef outer(x):"),
        ("def outer(x):", 'def outer(x):\n    """A docstring."""'),
    ],
)
def test_an_edit_of_anything_else_does_not(old, new):
    assert name_of(SOURCE.replace(old, new)) == BEFORE


def test_the_types_of_the_arguments_count():
    assert name_of(SOURCE, types=("int64",)) != BEFORE


def test_what_a_closure_holds_counts():
    text = """
def made(k):
    def outer(x):
        return x * k
    return outer
"""
    made = module(text).made
    assert fingerprint([made(1.0)], ()) != fingerprint([made(2.0)], ())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("PAIR = (1, 2)", "PAIR = (2, 1)"),
        ("TABLE = (first, second)", "TABLE = (second, first)"),
        ("one, two = first, second", "one, two = second, first"),
        ("lambda y: y * 2.0", "lambda y: y * 3.0"),
        ("lambda y: y * 2.0", "lambda y: y * PAIR[0]"),
    ],
)
def test_what_stands_where_counts(old, new):
    text = """
PAIR = (1, 2)

def first(x):
    return x

def second(x):
    return -x

TABLE = (first, second)
one, two = first, second

def outer(x):
    double = lambda y: y * 2.0
    return TABLE[0](x) + one(x) + two(x) * PAIR[0] + double(x)
"""
    assert name_of(text.replace(old, new)) != name_of(text)


def test_kernels_behind_a_module_count():
    names = []
    for text in ("return x", "return -x"):
        inner = module(f"def f(x):\n    {text}\n", "inner")
        outer = module("def g(x):\n    return inner.f(x)\n", "outer")
        outer.inner = inner
        names.append(fingerprint([outer.g], ()))
    assert names[0] != names[1]


def test_a_module_within_a_module_is_refused():
    inner = module("def f(x):\n    return x\n", "inner")
    middle = module("", "middle")
    outer = module("def g(x):\n    return middle.inner.f(x)\n", "outer")
    middle.inner, outer.middle = inner, middle
    with pytest.raises(TypeError, match="nothing is known of what <module 'inner'"):
        fingerprint([outer.g], ())


def test_compiler_options_and_settings_count(monkeypatch):
    function = module(SOURCE).outer
    as_kernel, as_formula = (
        SimpleNamespace(py_func=function, targetoptions=o) for o in ({}, {"forceinline": True})
    )
    assert fingerprint([as_kernel], ()) != fingerprint([as_formula], ())
    before = fingerprint([as_kernel], ())
    monkeypatch.setattr(numba.config, "OPT", 0)
    assert fingerprint([as_kernel], ()) != before


def test_functions_that_call_each_other_have_an_end():
    text = """
def outer(x):
    return other(x) if x > 0 else x

def other(x):
    return outer(x - 1)
"""
    assert len(reached([module(text).outer])) == 2


def test_something_that_is_neither_kernel_nor_constant_is_refused():
    text = "def f(x):\n    return THING\n"
    made = module(text)
    made.THING = object()
    with pytest.raises(TypeError, match="nothing is known"):
        fingerprint([made.f], ())
