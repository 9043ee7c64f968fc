"""What a Read request may not ask, and what it may ask of a part of a value."""

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import read, read_status, wanted
from tests.server.opcua.in_process import InProcess

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEFAULT_BINARY = ua.QualifiedName("Default Binary", 0)
JOINTS = "Robot1.JointPosition"


async def test_an_unknown_node_is_unknown(client: Client) -> None:
    assert await read_status(client, "Tool9.Pose.X") == "BadNodeIdUnknown"
    assert await read_status(client, ua.NodeId(123456, 77)) == "BadNodeIdUnknown"


@pytest.mark.parametrize("attribute", [0, 28, 4_000_000_000])
async def test_an_attribute_that_does_not_exist_is_invalid(client: Client, attribute: int) -> None:
    assert await read_status(client, "Tool1.Pose.X", attribute) == "BadAttributeIdInvalid"


async def test_an_object_has_no_value(client: Client) -> None:
    assert await read_status(client, "Tool1", ua.AttributeIds.Value) == "BadAttributeIdInvalid"


async def test_one_bad_node_does_not_spoil_the_others(client: Client) -> None:
    values = await read(client, "Tool1.Pose.X", "Nobody", "Tool1.Pose.Y")
    assert [v.StatusCode.name for v in values] == ["Good", "BadNodeIdUnknown", "Good"]


async def test_a_value_without_read_access_is_not_readable(cell: InProcess, client: Client) -> None:
    aspace = cell.server.subscriptions._sources.aspace
    held = aspace[cell.id("Tool1.Pose.X")].attributes[ua.AttributeIds.AccessLevel]
    kept, held.value = held.value, ua.DataValue(ua.Variant(0, ua.VariantType.Byte))
    try:
        assert await read_status(client, "Tool1.Pose.X") == "BadNotReadable"
        assert await read_status(client, "Tool1.Pose.X", ua.AttributeIds.BrowseName) == "Good"
    finally:
        held.value = kept


@pytest.mark.parametrize(
    ("text", "first", "end"), [("0", 0, 1), ("5", 5, 6), ("1:3", 1, 4), ("4:99", 4, 6)]
)
async def test_a_range_gives_a_part_of_an_array(
    cell: InProcess, client: Client, text: str, first: int, end: int
) -> None:
    (value,) = await read(client, wanted(JOINTS, index_range=text))
    assert value.StatusCode.is_good()
    assert value.Value.is_array
    assert value.Value.Value == [cell.newest(f"{JOINTS}.{k}") for k in range(first + 1, end + 1)]


async def test_a_range_gives_a_part_of_a_text(client: Client) -> None:
    (value,) = await read(client, wanted("Tool1.Partner", index_range="1:3"))
    assert value.Value.Value == "old"  # of Holder1


@pytest.mark.parametrize(
    "text", ["", "x", "-1", "3:1", "2:2", "1:", ":1", "1,", "1 ", "١", "1:2:3"]
)
async def test_a_malformed_range_is_invalid(client: Client, text: str) -> None:
    status = await read_status(client, JOINTS, index_range=text)
    assert status == ("BadIndexRangeInvalid" if text else "Good")  # an empty one is none


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *((JOINTS, text) for text in ("6", "6:9", "0:1,0:1", "9999999999")),
        ("Tool1.Pose.X", "0"),
        ("Tool1.Pose", "0"),
        ("Tool1.Partner", "7"),
    ],
)
async def test_a_range_without_data_has_none(client: Client, name: str, text: str) -> None:
    assert await read_status(client, name, index_range=text) == "BadIndexRangeNoData"


async def test_a_structure_may_be_asked_for_in_binary(client: Client) -> None:
    assert await read_status(client, "Tool1.Pose", encoding=DEFAULT_BINARY) == "Good"


@pytest.mark.parametrize("name", ["Default XML", "Default JSON", "Nonsense"])
async def test_other_encodings_are_unsupported(client: Client, name: str) -> None:
    encoding = ua.QualifiedName(name, 0)
    assert (
        await read_status(client, "Tool1.Pose", encoding=encoding) == "BadDataEncodingUnsupported"
    )


async def test_only_the_value_of_a_structure_has_encodings(client: Client) -> None:
    invalid = "BadDataEncodingInvalid"
    assert await read_status(client, "Tool1.Pose.X", encoding=DEFAULT_BINARY) == invalid
    name = wanted("Tool1.Pose", ua.AttributeIds.BrowseName, encoding=DEFAULT_BINARY)
    (value,) = await read(client, name)
    assert value.StatusCode.name == invalid


async def test_a_request_for_nothing_is_refused(client: Client) -> None:
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await read(client)


async def test_a_request_for_too_much_is_refused(client: Client) -> None:
    with pytest.raises(ua.uaerrors.BadTooManyOperations):
        await read(client, *["Tool1.Pose.X"] * 1_001)


async def test_a_request_for_as_much_as_allowed_is_answered(client: Client) -> None:
    values = await read(client, *["Tool1.Pose.X"] * 1_000)
    assert len(values) == 1_000


async def test_a_negative_age_is_refused(client: Client) -> None:
    with pytest.raises(ua.uaerrors.BadMaxAgeInvalid):
        await read(client, "Tool1.Pose.X", max_age=-1.0)


async def test_times_that_do_not_exist_are_refused(client: Client) -> None:
    with pytest.raises(ua.uaerrors.BadTimestampsToReturnInvalid):
        await read(client, "Tool1.Pose.X", stamps=ua.TimestampsToReturn.Invalid)
