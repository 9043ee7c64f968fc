"""The form in which somebody says who he is: plain HTML, so that it works whatever else fails."""

import re
from html import escape
from pathlib import Path

from twincell.server.security.roles import Role
from twincell.server.web.data.cell_view import CellView

LOGGED_OUT, UNDONE = "/login?why=out", "/login?why=undone"  # where a page goes by itself
WHY = {
    "out": "You are logged out: in another tab, because your login has lasted long enough, or"
    " because the web page was started anew.",
    "undone": "You are logged out. What you have pressed just now was not done.",
}
TEMPLATE = (Path(__file__).parents[1] / "static" / "login.html").read_text(encoding="utf-8")


def login_page(view: CellView, problem: str = "", user: str = "") -> str:
    """The form; after a failed attempt with the reason."""
    security = view.serving.security
    hint = ""
    if not security.users.entries() and not security.lets_everybody_in:
        command = security.trust.folder.command("user", "add", "NAME", "--role", "engineer")
        hint = f"There are no users yet. On the machine of the cell: <code>{escape(command)}</code>"
    back = (
        '<a href="/">Look without logging in</a>' if security.anonymous(True) > Role.NOBODY else ""
    )
    told = f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else ""
    parts = {
        "CELL": escape(view.spec.name),
        "PROBLEM": told,
        "HINT": f'<p class="hint">{hint}</p>' if hint else "",
        "USER": escape(user, quote=True),
        "BACK": back,
    }
    return re.sub(r"{{([A-Z]+)}}", lambda found: parts[found[1]], TEMPLATE)
