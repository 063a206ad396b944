"""What is known of the repositories of open documents, until something is recorded, committed or edited."""

from collections import OrderedDict
from typing import TYPE_CHECKING

from linetrail.ledger.hook.loop import finish
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, is_waiting
from linetrail.projections.blame.blame import Opened
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.why.line import Explainer
from linetrail.queries.lsp.documents import Document, target

if TYPE_CHECKING:
    from linetrail.projections.git.target import Target

# So many contents are at hand at a time.
MAX_CONTENTS = 32
# Views that are few rows made of many, and that each reason asks for.
HELD = ("v_intents", "v_sessions")


class Repositories:
    """The tables of each repository, and the contents that were explained last; one thread asks at a time."""

    def __init__(self) -> None:
        self._opened: dict[str, Opened] = {}
        self._explainers: OrderedDict[tuple[str, str, Target], Explainer] = OrderedDict()

    def opened(self, repository: Repository) -> Opened:
        """Return the tables over all that is recorded now."""
        if is_waiting(repository):
            finish(repository)  # as each command does: an answer is over all that hooks have read
        ledger = Ledger(repository).digest()
        known = self._opened.get(repository.root)
        if known is not None and known.ledger == ledger:
            return known
        if known is not None:
            known.tables.close()
        tables = open_tables(repository)
        for name in HELD:
            tables.hold(name)
        self._opened[repository.root] = Opened(ledger, tables)
        return self._opened[repository.root]

    def explainer(self, document: Document) -> Explainer:
        """Return what explains the lines of a text as it is now."""
        opened = self.opened(document.repository)
        meant = target(document)
        key = (document.repository.root, opened.ledger, meant)
        if key not in self._explainers:
            self._explainers[key] = Explainer(document.repository, meant, opened)
        self._explainers.move_to_end(key)
        while len(self._explainers) > MAX_CONTENTS:
            self._explainers.popitem(last=False)
        return self._explainers[key]

    def close(self) -> None:
        """Let go of all tables."""
        for opened in self._opened.values():
            opened.tables.close()
        self._opened.clear()
