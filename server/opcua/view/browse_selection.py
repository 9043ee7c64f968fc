"""The references of one node that a Browse asks for, handed out in portions.

A selection remembers where in the node's list it stands. So each reference is looked at once,
however small the portions are, and their order is that of the list.
"""

from collections.abc import Sequence

from asyncua import ua
from asyncua.ua import BrowseDirection
from asyncua.ua import BrowseResultMask as Mask

from twincell.server.opcua.space.reference_types import Followed

FORWARD = {  # what IsForward has to be, if anything
    BrowseDirection.Forward: True,
    BrowseDirection.Inverse: False,
    BrowseDirection.Both: None,
}
NO_ID = ua.NodeId()
NO_NAME = ua.QualifiedName()
NO_TEXT = ua.LocalizedText()


class Selection:
    """What is still to be told about the references of a node."""

    def __init__(
        self,
        references: Sequence[ua.ReferenceDescription],
        asked: ua.BrowseDescription,
        followed: Followed,
        portion: int,
    ) -> None:
        if asked.BrowseDirection not in FORWARD:
            raise ua.uaerrors.BadBrowseDirectionInvalid
        self.looked = 0  # references seen so far: the next one is here
        self._references = references
        self._forward = FORWARD[asked.BrowseDirection]
        self._followed = followed
        self._classes = asked.NodeClassMask
        self._mask = asked.ResultMask & Mask.All
        self._portion = portion

    @property
    def is_over(self) -> bool:
        return self.looked >= len(self._references)

    def take(self) -> list[ua.ReferenceDescription]:
        """The next portion; unless the selection is over now, there is one more."""
        taken: list[ua.ReferenceDescription] = []
        forward, followed, classes = self._forward, self._followed, self._classes
        for index in range(self.looked, len(self._references)):
            reference = self._references[index]
            if forward is not None and reference.IsForward != forward:
                continue
            if classes and not reference.NodeClass & classes:
                continue
            kind = reference.ReferenceTypeId
            if followed is not None and (kind.NamespaceIndex, kind.Identifier) not in followed:
                continue
            if len(taken) == self._portion:
                self.looked = index
                return taken
            taken.append(reference if self._mask == Mask.All else _masked(reference, self._mask))
        self.looked = len(self._references)
        return taken


def _masked(reference: ua.ReferenceDescription, mask: int) -> ua.ReferenceDescription:
    """A reference with the fields that were asked for; the others are null."""
    return ua.ReferenceDescription(
        reference.ReferenceTypeId if mask & Mask.ReferenceTypeId else NO_ID,
        reference.IsForward if mask & Mask.IsForward else False,
        reference.NodeId,
        reference.BrowseName if mask & Mask.BrowseName else NO_NAME,
        reference.DisplayName if mask & Mask.DisplayName else NO_TEXT,
        reference.NodeClass if mask & Mask.NodeClass else ua.NodeClass.Unspecified,
        reference.TypeDefinition if mask & Mask.TypeDefinition else NO_ID,
    )
