"""What a cell file may say about devices: what stands between a controller and what it moves."""

from sim.spec.table import Name, Table


class ToolStand(Table):
    """A place where a tool waits."""

    holder: Name
    """Passive collision object that holds the tool."""
