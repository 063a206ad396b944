"""Check what a matching assumed: that new names are nobody else's business, and that order still holds.

Each check yields why the assumption does not hold, in the words of a reviewer.
"""

from collections.abc import Callable, Iterator
from typing import Final

from linetrail.projections.proof.matching import imports, names, offers
from linetrail.projections.proof.matching.order import order
from linetrail.projections.proof.matching.pairs import Matching
from linetrail.projections.proof.matching.parameters import parameters

_CHECKS: Final[tuple[Callable[[Matching], Iterator[str]], ...]] = (
    names.variables,
    names.members,
    parameters,
    order,
    imports.imports,
    offers.reexports,
    offers.exports,
)


def broken(matching: Matching) -> Iterator[str]:
    """Yield what a matching took for granted and what is not so."""
    for check in _CHECKS:
        yield from check(matching)
