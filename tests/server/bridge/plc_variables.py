"""The variables of the PLC that docs/plc/plc_server.py plays."""

import runpy
from pathlib import Path

from asyncua import ua

EXAMPLE = Path(__file__).parents[3] / "docs" / "plc" / "plc_server.py"


def as_in_the_documentation() -> dict[str, ua.Variant]:
    return dict(runpy.run_path(str(EXAMPLE))["VARIABLES"])
