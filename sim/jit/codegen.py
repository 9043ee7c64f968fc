"""From lowered kernels to machine code: link and optimise once, emit an object file, load it.

An object file exports C functions. What they get and give is written in words that C knows:

    pack             its address
    whole number     64 bits           float   double
    array            address of its first item, then its shape; it is C-contiguous
    tuple            its members, one after the other
    result           64 bits: a whole number, a truth value, or 0 for nothing
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from llvmlite import binding, ir
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.np.arrayobj import populate_array

from twincell.sim.jit.lowering import modules_of
from twincell.sim.pack import PackType

POINTER = ir.IntType(8).as_pointer()
WORD = ir.IntType(64)
DOUBLE = ir.DoubleType()


class Export(NamedTuple):
    """A kernel that can be called from outside, by its symbol."""

    symbol: str
    kernel: Any  # a KernelDispatcher
    arguments: tuple[types.Type, ...]


def c_types(argument: types.Type) -> Iterator[Any]:
    """What stands for an argument in a call of C."""
    if isinstance(argument, PackType):
        yield POINTER
    elif isinstance(argument, types.Array):
        yield POINTER
        yield from [WORD] * argument.ndim
    elif isinstance(argument, types.BaseTuple):
        for member in argument:  # type: ignore[attr-defined]
            yield from c_types(member)
    elif argument == types.float64:
        yield DOUBLE
    elif argument == types.intp:
        yield WORD
    else:
        raise TypeError(f"an entry cannot take {argument}")


@global_compiler_lock  # type: ignore[untyped-decorator]
def emit(name: str, exports: Sequence[Export]) -> bytes:
    """Compile kernels, with all that they call, into an object file."""
    library = _Library(cpu_target.target_context.codegen(), name)
    for export in exports:
        lowered = export.kernel.lower(export.arguments)
        library.add_linking_library(lowered.library)
        library.add_ir_module(_c_function(library, export, lowered))
    library.finalize()
    return library.object_file


class _Library(JITCodeLibrary):
    """All kernels of a subject, as one piece of code."""

    object_file: bytes

    def finalize(self) -> None:
        for module in modules_of(self._linking_libraries):
            self._final_module.link_in(module, preserve=True)
        self._optimize_final_module()
        self._final_module.verify()
        self._verify_declare_only_symbols()
        self._finalized = True
        self.object_file = self._codegen._tm.emit_object(self._final_module)


def _c_function(library: Any, export: Export, lowered: Any) -> Any:
    """The C function that calls a kernel."""
    context = cpu_target.target_context
    described = lowered.fndesc
    words = [word for argument in export.arguments for word in c_types(argument)]
    module = library.create_ir_module(export.symbol)
    function = ir.Function(module, ir.FunctionType(WORD, words), export.symbol)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    given = iter(function.args)
    arguments = [_argument(context, builder, kind, given) for kind in export.arguments]
    callee = context.declare_function(module, described)
    _, value = context.call_conv.call_function(
        builder, callee, described.restype, described.argtypes, arguments
    )
    if described.restype == types.none:
        builder.ret(ir.Constant(WORD, 0))
    elif isinstance(described.restype, types.Integer | types.Boolean):
        builder.ret(context.cast(builder, value, described.restype, types.intp))
    else:
        raise TypeError(f"{export.symbol} gives {described.restype}, not a whole number or nothing")
    return module


def _argument(context: Any, builder: Any, kind: types.Type, given: Iterator[Any]) -> Any:
    """An argument as kernels know it, from the words that C has for it."""
    if isinstance(kind, types.BaseTuple):
        members = [_argument(context, builder, member, given) for member in kind]  # type: ignore[attr-defined]
        return context.make_tuple(builder, kind, members)
    if not isinstance(kind, types.Array):
        return next(given)
    array = context.make_array(kind)(context, builder)
    item = context.get_data_type(kind.dtype)
    data = builder.bitcast(next(given), item.as_pointer())
    shape = [next(given) for _ in range(kind.ndim)]
    itemsize = ir.Constant(WORD, context.get_abi_sizeof(item))
    strides = [itemsize]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=itemsize, meminfo=None)
    return array._getvalue()


class Loaded:
    """An object file in memory, ready to be called; stays as long as this does."""

    def __init__(self, object_file: bytes) -> None:
        target = binding.Target.from_triple(binding.get_process_triple())
        machine = target.create_target_machine(codemodel="jitdefault", jit=True)
        # an engine of its own: two files may hold the same kernel
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
        self._engine.add_object_file(binding.ObjectFileRef.from_data(object_file))
        self._engine.finalize_object()

    def address(self, symbol: str) -> int:
        """Where the machine code of an export begins."""
        address = int(self._engine.get_function_address(symbol))
        if address == 0:
            raise ValueError(f"the object file has no {symbol}")
        return address
