"""Say which commands are dangerous; each is read once in the life of the cache, under the rules that are in force."""

import contextlib
import hashlib
from collections.abc import Iterable
from pathlib import Path

from linetrail.ledger import shell
from linetrail.ledger.paths import names
from linetrail.ledger.repository import Repository
from linetrail.projections import remembered

# What decides: the readers of the shell language and their tables.
_RULES = Path(shell.__path__[0])
_NAMES = Path(names.__file__)


def dangerous(repository: Repository, commands: Iterable[str]) -> set[str]:
    """Return those of these commands that are hard to undo, hidden, or reach out of the workspace."""
    file = Path(repository.folder, "cache", "dangers", f"{_rules()}.jsonl")
    known = dict(remembered.load(file, tuple[str, bool]))
    named = {command: _name(command) for command in commands}
    new = {name: command for command, name in named.items() if name not in known}
    if new:
        from linetrail.ledger.shell.commands import judge  # the grammar of the shell, for commands nobody read before

        found = {name: judge(command).cls == "dangerous" for name, command in new.items()}
        known |= found
        remembered.append(file, found.items())
        _sweep(file)
    return {command for command, name in named.items() if known[name]}


def _name(command: str) -> str:
    return hashlib.sha256(command.encode("utf-8", "surrogatepass")).hexdigest()


def _rules() -> str:
    """Name the rules by their texts: what was found under others is out of date."""
    texts = [*sorted(_RULES.rglob("*.py")), _NAMES]
    said = b"\0".join(text.name.encode() + b"\0" + text.read_bytes() for text in texts)
    return hashlib.sha256(said).hexdigest()[:32]


def _sweep(file: Path) -> None:
    """Remove what was found under other rules."""
    for other in file.parent.glob("*.jsonl"):
        if other != file:
            with contextlib.suppress(OSError):
                other.unlink()
