"""What an object has: its signals, fixed values, slow values and methods, as nodes below it.

The same code gives a cell's object its members and a type its declarations, so they agree. A
member's id is its full name; what stands behind the last dot is what a browsing client sees:

    Tool1.Pose                                 3DFrame
        Tool1.Pose.CartesianCoordinates        X, Y, Z       with the ids of their signals:
        Tool1.Pose.Orientation                 A, B, C       Tool1.Pose.X, Tool1.Pose.A
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from asyncua import ua
from asyncua.ua import ObjectIds, VariantType

from twincell.server.opcua.space.layout import CARTESIAN, FRAME, ORIENTATION, VECTOR, Shape
from twincell.server.opcua.space.namespaces import BASE, TYPES, base_id
from twincell.server.opcua.space.node_store import (
    DATA_VARIABLE,
    HAS_COMPONENT,
    HAS_PROPERTY,
    PROPERTY,
    Facts,
    Name,
    NodeStore,
    Place,
)
from twincell.server.opcua.space.space_groups import Group, last_part, single
from twincell.server.opcua.space.space_methods import Method, Parameter
from twincell.server.opcua.space.units import engineering_unit
from twincell.server.opcua.space.variable import Variable
from twincell.sim.signals import Kind

MANDATORY = base_id(ObjectIds.ModellingRule_Mandatory)
OPTIONAL = base_id(ObjectIds.ModellingRule_Optional)
FOLDER = base_id(ObjectIds.FolderType)
FOLDERS = {"Fault": "Faults"}  # where the folder of signals is not called as they are

STRUCTURE_TYPES = {
    VECTOR.data_type: base_id(ObjectIds.ThreeDVectorType),
    FRAME.data_type: base_id(ObjectIds.ThreeDFrameType),
    CARTESIAN.data_type: base_id(ObjectIds.ThreeDCartesianCoordinatesType),
    ORIENTATION.data_type: base_id(ObjectIds.ThreeDOrientationType),
}
WITH_UNIT = base_id(ObjectIds.AnalogUnitType)  # which may have a range as well
WITH_RANGE = base_id(ObjectIds.BaseAnalogType)
WITH_CODES = base_id(ObjectIds.MultiStateDiscreteType)
UNIT_PROPERTIES = {
    VECTOR.data_type: "VectorUnit",
    CARTESIAN.data_type: "LengthUnit",
    ORIENTATION.data_type: "AngleUnit",
}
EU_INFORMATION = Facts(base_id(ObjectIds.EUInformation))
RANGE = Facts(base_id(ObjectIds.Range))
NO_CODE = "none"  # what a code means that has no text
SLOW_MS = 100.0

ANGLES = (
    "Angles A, B, C about x, y, z, applied as intrinsic z-y'-x''"
    " (KUKA's A, B, C is the other way round)"
)


@dataclass(frozen=True)
class Value:
    """A member that is no signal: it never changes, or the server knows it better than a row."""

    name: str
    type: VariantType
    description: str
    unit: str = ""
    is_command: bool = False  # a client may write it
    is_list: bool = False


class Members:
    """Adds members below objects or types."""

    def __init__(self, store: NodeStore, namespace: int, row_ms: float = 0.0) -> None:
        self._store = store
        self._namespace = namespace
        self._row_ms = row_ms  # time between two rows
        self._declares = namespace == TYPES
        self._folders: set[ua.NodeId] = set()

    def add_group(self, parent: ua.NodeId, group: Group, optional: bool = False) -> list[Variable]:
        """Signals that are one value together, and below it each by itself.

        What is called `<object>.Truth.<what>` stands in a folder Truth below the object; fault
        levers stand in a folder Faults, as an object may have a signal Fault beside them.
        """
        folder, _, _ = group.name.removeprefix(f"{parent.Identifier}.").rpartition(".")
        if folder:
            parent = self._folder(parent, FOLDERS.get(folder, folder))
        return self._add_group(self._place(parent, optional=optional), group, TYPES)

    def _folder(self, parent: ua.NodeId, name: str) -> ua.NodeId:
        """A folder below an object, made when it is first needed."""
        node_id = ua.NodeId(f"{parent.Identifier}.{name}", self._namespace)
        if node_id not in self._folders:
            self._folders.add(node_id)
            self._store.add_object(node_id, Name(name), self._place(parent), FOLDER)
        return node_id

    def add_value(
        self,
        parent: ua.NodeId,
        owner: str,
        value: Value,
        constant: str | float | None = None,
    ) -> ua.NodeId:
        """A member that is no signal."""
        name = f"{owner}.{value.name}"
        node_id = ua.NodeId(name, self._namespace)
        self._store.add_variable(
            node_id,
            Name(value.name),
            self._place(parent),
            Facts(
                base_id(value.type.value), 0 if value.is_list else None, value.is_command, SLOW_MS
            ),
            WITH_UNIT if value.unit else DATA_VARIABLE,
            value.description,
            None if constant is None else ua.Variant(constant, value.type),
        )
        self._add_unit(name, node_id, "EngineeringUnits", value.unit)
        return node_id

    def add_method(self, parent: ua.NodeId, owner: str, method: Method) -> ua.NodeId:
        """A method and the properties that describe its arguments."""
        name = f"{owner}.{method.name}"
        node_id = ua.NodeId(name, self._namespace)
        place = self._place(parent)
        self._store.add_method(node_id, Name(method.name), place, method.description)
        self._add_arguments(f"{name}.InputArguments", node_id, method.takes)
        self._add_arguments(f"{name}.OutputArguments", node_id, method.gives)
        return node_id

    def add_block(
        self, parent: ua.NodeId, block: Variable, names: Iterable[str], description: str
    ) -> None:
        """Many signals as one array; the property Layout names what it holds, in order."""
        node_id = ua.NodeId(block.name, self._namespace)
        length = 0 if self._declares else block.layout.count
        self._store.add_variable(
            node_id,
            Name(last_part(block.name)),
            self._place(parent, optional=True),
            Facts(base_id(block.layout.data_type), length, block.is_command, self._row_ms),
            description=description,
        )
        listed = list(names)
        self._store.add_variable(
            ua.NodeId(f"{block.name}.Layout", self._namespace),
            Name("Layout"),
            self._place(node_id, HAS_PROPERTY),
            Facts(base_id(ObjectIds.String), 0 if self._declares else len(listed)),
            PROPERTY,
            "What the array holds, in order",
            None if self._declares else ua.Variant(listed, VariantType.String, is_array=True),
        )

    def _add_group(self, place: Place, group: Group, namespace: int) -> list[Variable]:
        """The variable of a group, then its parts; the standard names those of its own types."""
        node_id = ua.NodeId(group.name, self._namespace)
        made = [self._add_variable(node_id, place, group, namespace)]
        below = self._place(node_id)
        if group.layout is FRAME:
            for name, layout, part in (
                ("CartesianCoordinates", CARTESIAN, group.signals[:3]),
                ("Orientation", ORIENTATION, group.signals[3:]),
            ):
                made += self._add_group(below, Group(f"{group.name}.{name}", layout, part), BASE)
        elif not group.is_single and not self._is_open(group):
            namespace = BASE if group.layout.shape is Shape.STRUCTURE else TYPES
            for signal in group.signals:
                made += self._add_group(below, single(signal), namespace)
        return made

    def _add_variable(
        self, node_id: ua.NodeId, place: Place, group: Group, namespace: int
    ) -> Variable:
        data_type = group.layout.data_type
        length = None
        if group.layout.value_rank > 0:
            length = 0 if self._is_open(group) else group.layout.count
        unit = "" if self._is_open(group) else group.unit
        # the standard's structures have no range
        limits = None if group.layout.shape is Shape.STRUCTURE else group.limits
        texts = group.signals[0].texts if group.is_single else ()
        codes = texts if group.signals[0].kind is Kind.UINT16 else ()
        plain = WITH_CODES if codes else WITH_RANGE if limits else DATA_VARIABLE
        self._store.add_variable(
            node_id,
            Name(last_part(group.name), namespace),
            place,
            Facts(base_id(data_type), length, group.is_command, self._row_ms),
            STRUCTURE_TYPES.get(data_type, WITH_UNIT if unit else plain),
            _description(group),
        )
        self._add_unit(
            group.name, node_id, UNIT_PROPERTIES.get(data_type, "EngineeringUnits"), unit
        )
        self._add_range(group.name, node_id, limits)
        self._add_codes(group.name, node_id, codes)
        own_texts = texts if group.layout.shape is Shape.TEXT else ()
        return Variable(
            group.name, group.layout, group.columns, own_texts, group.is_command, limits
        )

    def _add_unit(self, owner: str, owner_id: ua.NodeId, name: str, unit: str) -> None:
        if not unit:
            return
        self._store.add_variable(
            ua.NodeId(f"{owner}.{name}", self._namespace),
            Name(name, BASE),
            self._place(owner_id, HAS_PROPERTY),
            EU_INFORMATION,
            PROPERTY,
            value=_unit_variant(unit),
        )

    def _add_range(
        self, owner: str, owner_id: ua.NodeId, limits: tuple[float, float] | None
    ) -> None:
        """Between which numbers a value stays: a percent deadband is a share of it."""
        if limits is None:
            return
        self._store.add_variable(
            ua.NodeId(f"{owner}.EURange", self._namespace),
            Name("EURange", BASE),
            self._place(owner_id, HAS_PROPERTY),
            RANGE,
            PROPERTY,
            value=ua.Variant(ua.Range(*limits), VariantType.ExtensionObject),
        )

    def _add_codes(self, owner: str, owner_id: ua.NodeId, texts: tuple[str, ...]) -> None:
        """What the numbers of a code mean."""
        if not texts:
            return
        named = [ua.LocalizedText(text or NO_CODE) for text in texts]
        self._store.add_variable(
            ua.NodeId(f"{owner}.EnumStrings", self._namespace),
            Name("EnumStrings", BASE),
            self._place(owner_id, HAS_PROPERTY),
            Facts(base_id(ObjectIds.LocalizedText), len(named)),
            PROPERTY,
            value=ua.Variant(named, VariantType.LocalizedText, is_array=True),
        )

    def _add_arguments(
        self, name: str, method: ua.NodeId, parameters: tuple[Parameter, ...]
    ) -> None:
        if not parameters:
            return
        arguments = [parameter.argument for parameter in parameters]
        self._store.add_variable(
            ua.NodeId(name, self._namespace),
            Name(last_part(name), BASE),
            self._place(method, HAS_PROPERTY),
            Facts(base_id(ObjectIds.Argument), len(arguments)),
            PROPERTY,
            value=ua.Variant(arguments, VariantType.ExtensionObject, is_array=True),
        )

    def _place(
        self, parent: ua.NodeId, reference: ua.NodeId = HAS_COMPONENT, optional: bool = False
    ) -> Place:
        rule = OPTIONAL if optional else MANDATORY
        return Place(parent, reference, rule if self._declares else None)

    def _is_open(self, group: Group) -> bool:
        """Whether a type leaves the length of an array to its instances."""
        return self._declares and group.is_counted


def _description(group: Group) -> str:
    if group.layout is FRAME:
        return f"{group.signals[0].description}. {ANGLES}"
    return ANGLES if group.layout is ORIENTATION else group.description


@cache
def _unit_variant(unit: str) -> ua.Variant:
    return ua.Variant(engineering_unit(unit), VariantType.ExtensionObject)
