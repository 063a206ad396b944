"""Remember which commits bear the signs of an agent: looking for them compiles how every agent is credited."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from linetrail.ledger import adapters
from linetrail.ledger.repository import Repository
from linetrail.projections import remembered
from linetrail.projections.git import credits as rules


class Signs:
    """What was found in commits by the rules that there are now."""

    def __init__(self, repository: Repository) -> None:
        self._file = Path(repository.folder, "cache", "computed", "commits", f"signs-{_rules()}.jsonl")
        self._known = dict(remembered.load(self._file, tuple[str, bool]))
        self._new: dict[str, bool] = {}

    def of(self, revision: str, read: Callable[[str], bytes | None]) -> bool:
        """Return whether a commit bears the signs of an agent; one that cannot be read bears none."""
        if revision not in self._known:
            raw = read(revision)
            if raw is None:
                return False
            self._known[revision] = self._new[revision] = rules.shows_agent(raw)
        return self._known[revision]

    def close(self) -> None:
        """Write down what is new."""
        remembered.append(self._file, self._new.items())
        self._new = {}


def _rules() -> str:
    """Name the rules by the texts that say them."""
    texts = [Path(rules.__file__), *sorted(Path(adapters.__path__[0]).glob("*.py"))]
    return hashlib.sha256(b"\0".join(text.read_bytes() for text in texts)).hexdigest()[:16]
