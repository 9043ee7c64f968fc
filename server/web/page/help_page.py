"""What is behind the question mark: how to look around, and how to connect a program."""

import re
from html import escape

from twincell.server.web.data.cell_view import CellView
from twincell.server.web.page.elements import STATIC
from twincell.sim.signals import Kind

TEMPLATE = (STATIC / "help.html").read_text(encoding="utf-8")


def help_text(view: CellView) -> str:
    """The page of help, with the names and addresses of this cell."""
    signals = view.signals
    switches = [one.name for one in signals.commands if one.kind is Kind.BOOLEAN]
    command = next((name for name in switches if not name.endswith(".Stop")), "Object.Command")
    feedback = next((one.name for one in signals if one not in signals.latched), "Object.Signal")
    parts = {
        "CELL": view.spec.name,
        "ENDPOINT": view.showing.endpoint,
        "COMMAND": command,
        "FEEDBACK": feedback,
        "FOLDER": str(view.recording_list.folder.name),
    }
    return re.sub(r"{{([A-Z]+)}}", lambda found: escape(parts[found[1]]), TEMPLATE)
