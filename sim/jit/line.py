"""Lines of the tick that are machine code of their own, called by their address.

    address = model.addresses[line]        0: the cell does not have the subject, nothing happens

A line takes packs and whole numbers, the model first, and gives nothing back.
"""

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import infer, infer_global, make_intrinsic_template, signature

from twincell.sim.jit.codegen import WORD, c_types
from twincell.sim.jit.lowering import KernelDispatcher
from twincell.sim.jit.settings import COMPILER
from twincell.sim.pack import read_member

ALL: dict[str, "Line"] = {}  # by name


class Line:
    """A line of the tick; kernels call it like any other kernel."""

    def __init__(self, function: Callable[..., Any], number: int) -> None:
        self.function = function
        self.kernel = KernelDispatcher(function, COMPILER)
        self.name = function.__qualname__
        self.number = number
        # kernels that call it depend on where its address stands, not on what it does
        self.fingerprint = f"line {number}, {self.name}"
        ALL[self.name] = self
        self._tell_numba()

    def __call__(self, *arguments: Any) -> None:
        """Call it from Python, as tests do."""
        self.kernel(*arguments)

    def _tell_numba(self) -> None:
        def define(_typing: Any, *arguments: types.Type) -> Any:
            return signature(types.none, *map(types.unliteral, arguments)), self._generate

        own = inspect.signature(self.function)
        first = inspect.Parameter("_typing", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = [first, *own.parameters.values()]
        define.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        template = make_intrinsic_template(self, define, self.name)
        infer(template)
        infer_global(self, types.Function(template))

    def _generate(self, context: Any, builder: Any, called: Any, arguments: Any) -> Any:
        model = called.args[0]
        addresses = read_member(context, builder, model, arguments[0], "addresses")
        table = context.make_array(dict(model.members)["addresses"])(context, builder, addresses)
        place = builder.gep(table.data, [ir.Constant(WORD, self.number)])
        address = builder.load(place)
        words = [word for argument in called.args for word in c_types(argument)]
        there = builder.icmp_unsigned("!=", address, ir.Constant(WORD, 0))
        with builder.if_then(there):
            kind = ir.FunctionType(WORD, words).as_pointer()
            builder.call(builder.inttoptr(address, kind), arguments)
        return context.get_dummy_value()
