"""An object file: some exports that are compiled together, kept on disk, loaded once a process."""

from collections.abc import Sequence

from twincell.sim.jit import cache
from twincell.sim.jit.codegen import Export, Loaded, emit
from twincell.sim.jit.fingerprint import fingerprint

_loaded: dict[str, Loaded] = {}  # by file name; machine code stays until the process ends


class ObjectFile:
    """Machine code of some exports, wherever it is."""

    def __init__(self, name: str, exports: Sequence[Export]) -> None:
        self.name = name
        self.exports = exports
        types = [f"{export.symbol}{export.arguments}" for export in exports]
        functions = [export.kernel for export in exports]
        self.file_name = f"{name.replace(' ', '_')}-{fingerprint(functions, types)}.o"

    @property
    def is_ready(self) -> bool:
        """Whether it needs no compiling."""
        return self.file_name in _loaded or cache.read(self.file_name) is not None

    def make(self) -> bytes:
        """Compile it, and keep it for others."""
        code: bytes = emit(self.name, self.exports)
        cache.write(self.file_name, code)
        return code

    def load(self) -> Loaded:
        """Take it from memory, from disk, or compile it."""
        if self.file_name not in _loaded:
            code = cache.read(self.file_name) or self.make()
            # of two threads the first one counts: somebody may have its addresses already
            _loaded.setdefault(self.file_name, Loaded(code))
        return _loaded[self.file_name]

    def address(self, symbol: str) -> int:
        """Where an export begins."""
        return self.load().address(symbol)
