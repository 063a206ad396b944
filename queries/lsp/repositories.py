"""What is known of the repositories of open documents, until something is recorded, committed or edited."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from linetrail.ledger.hook.loop import finish
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, is_waiting
from linetrail.ledger.vcs import head
from linetrail.projections.blame.blame import Opened
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.audit import audited
from linetrail.queries.answers.why import Explainer
from linetrail.queries.audit.finding import Finding
from linetrail.queries.lsp.documents import Document, target

if TYPE_CHECKING:
    from linetrail.projections.git.target import Target

# So many contents are at hand at a time.
MAX_CONTENTS = 32


class Repositories:
    """The tables of each repository, the contents that were explained last, the findings; one thread asks at a time."""

    def __init__(self) -> None:
        self._opened: dict[str, Opened] = {}
        self._explainers: OrderedDict[tuple[str, str, Target], Explainer] = OrderedDict()
        self._findings: dict[str, tuple[object, Sequence[Finding]]] = {}

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
        self._opened[repository.root] = Opened(ledger, open_tables(repository))
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

    def findings(self, repository: Repository) -> Sequence[Finding]:
        """Return what the audit finds in a repository, worked out once for each ledger and commit."""
        moment = self.opened(repository).ledger, head(repository)
        known = self._findings.get(repository.root)
        if known is None or known[0] != moment:
            known = self._findings[repository.root] = moment, audited(repository).audit.findings
        return known[1]

    def forget_findings(self) -> None:
        """Have findings worked out anew: a file was saved, which some of them are about."""
        self._findings.clear()

    def close(self) -> None:
        """Let go of all tables."""
        for opened in self._opened.values():
            opened.tables.close()
        self._opened.clear()
