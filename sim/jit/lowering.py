"""Kernels are typed and lowered, and no more: whoever is an entry links and optimises them, once.

numba by itself links the code of whatever a kernel calls into the kernel and optimises all of it,
at every level of the call tree anew. Here a kernel keeps its own code only, with numba's passes on
single functions; what it calls is listed. This leans on numba's `JITCodeLibrary` and
`NativeLowering`; tests/contract/test_compiler.py holds them to it.
"""

from collections.abc import Iterable
from typing import Any

import numba
from llvmlite import binding
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from twincell.sim.jit.settings import COMPILER


class KernelLibrary(JITCodeLibrary):
    """The code of one kernel, not yet machine code."""

    def finalize(self) -> None:
        """Nothing is linked, optimised or loaded here."""
        self._raise_if_finalized()
        self._finalized = True

    @property
    def own_module(self) -> Any:
        """The kernel alone; many may link it, and what nobody needs goes."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"
        return self._final_module

    def _get_module_for_linking(self) -> Any:
        """The kernel with all that it calls: what plain numba links into its own functions."""
        if self._shared_module is None:
            whole = self.own_module.clone()
            for module in modules_of(self._linking_libraries):
                whole.link_in(module, preserve=True)
            self._shared_module = whole
        return self._shared_module


def modules_of(libraries: Iterable[Any]) -> list[Any]:
    """Code of some libraries and of all that they call, each once, callers before the called.

    The linker drops what nobody has named yet.
    """
    called_first: dict[Any, None] = {}

    def visit(library: Any) -> None:
        if library not in called_first:
            if isinstance(library, KernelLibrary):
                for called in library._linking_libraries:
                    visit(called)
            called_first[library] = None

    for library in libraries:
        visit(library)
    return [_module_of(library) for library in reversed(called_first)]


def _module_of(library: Any) -> Any:
    is_ours = isinstance(library, KernelLibrary)
    return library.own_module if is_ours else library._get_module_for_linking()


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """numba's lowering, into a library that stays as it is."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower a kernel, and let other kernels call it."""
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        described = lowered.fndesc
        # stands for the kernel where numba asks for something to call; it has no address
        placeholder = _dynfunc.make_function(
            described.lookup_module(),
            described.qualname.split(".")[-1],
            "kernel",
            0,
            lowered.env,
            (state.library,),
        )
        state.targetctx.insert_user_function(placeholder, described, [state.library])
        state["cr"] = lowered._replace(cfunc=placeholder)
        return True


class KernelCompiler(Compiler):
    """numba's pipeline with our lowering."""

    def define_pipelines(self) -> Any:
        """Put our lowering in the place of numba's."""
        pipelines = super().define_pipelines()
        passes = pipelines[0]
        passes.passes = [
            (KernelLowering if each is NativeLowering else each, text)
            for each, text in passes.passes
        ]
        passes._finalized = False
        passes.finalize()
        return pipelines


class KernelDispatcher(CPUDispatcher):
    """A kernel. Compiled code calls it as it is; for Python, in tests, plain numba finishes it."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        lowered = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "nopython": True}
        super().__init__(function, targetoptions=options | lowered, pipeline_class=KernelCompiler)
        self._for_python = numba.njit(**COMPILER)(function)

    def add_overload(self, result: Any) -> None:
        """Python must not find a kernel that has no machine code."""
        self.overloads[tuple(result.signature.args)] = result

    def _compile_for_args(self, *args: Any, **keywords: Any) -> Any:
        return self._for_python._compile_for_args(*args, **keywords)

    def lower(self, arguments: tuple[types.Type, ...]) -> Any:
        """The kernel for arguments of these types: its description and its library."""
        self.compile(arguments)
        return self.overloads[arguments]
