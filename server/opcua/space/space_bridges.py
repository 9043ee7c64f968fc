"""The bridges of a cell: whether each has its controller, and how it goes."""

from asyncua import ua
from asyncua.ua import VariantType

from twincell.server.opcua.space.space_members import Members, Value

FOLDER_NAME = "Bridges"
TYPE_NAME = "BridgeType"

ENDPOINT = Value("Endpoint", VariantType.String, "Where the controller's server listens")
SLOW = (
    Value("Connected", VariantType.Boolean, "Whether values go to and fro"),
    Value("Reconnects", VariantType.Int64, "How often it was connected again"),
    Value("Received", VariantType.Int64, "Values of the controller that became commands"),
    Value("Sent", VariantType.Int64, "Values that the controller took"),
    Value("Problems", VariantType.Int64, "Wires that do not work now"),
    Value("LastError", VariantType.String, "What went wrong last, empty if nothing did"),
)


def add_bridge(
    members: Members, parent: ua.NodeId, owner: str, endpoint: str | None = None
) -> dict[str, ua.NodeId]:
    """The members of a bridge or of its type; those that change, by name."""
    members.add_value(parent, owner, ENDPOINT, endpoint)
    return {f"{owner}.{value.name}": members.add_value(parent, owner, value) for value in SLOW}
