"""Remember what pages said last: it stands below the bar of a page that is worked out anew, with the head it is of."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.log.chain import Head

# So much is remembered, of the addresses that were asked for last.
MOST_BYTES = 2_000_000


class Said(NamedTuple):
    """What a view showed, rendered, as it followed from the ledger up to a head, and the damage that it left out."""

    title: str
    body: bytes
    head: Head
    damage: Sequence[str]


class LastPages:
    """What was said last at each address."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._said: OrderedDict[str, Said] = OrderedDict()

    def keep(self, address: str, said: Said) -> None:
        """Remember it in place of what was said before; of what is too much, forget the oldest."""
        self._said.pop(address, None)
        if len(said.body) > MOST_BYTES:
            return
        self._said[address] = said
        while sum(len(one.body) for one in self._said.values()) > MOST_BYTES:
            self._said.popitem(last=False)

    def get(self, address: str) -> Said | None:
        """Return what an address said last, if that is remembered."""
        return self._said.get(address)
