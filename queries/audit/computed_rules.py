"""What rules find that no table can answer: damage, commands nobody judged, commits nobody met, ended exceptions."""

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from linetrail.ledger import shell
from linetrail.ledger.paths import names
from linetrail.ledger.repository import FOLDER, Repository, git, stored_path
from linetrail.projections import remembered
from linetrail.projections.computed.reconciliation import unrecorded
from linetrail.projections.tables.answers import MAX_ROWS
from linetrail.projections.tables.inspection import Problem
from linetrail.projections.tables.table import Ask
from linetrail.queries.audit.rulebook import COLUMNS
from linetrail.queries.render.text import counted
from linetrail.queries.statements import statement

Row = Mapping[str, Any]
# Commits beyond these are what a range is for.
MAX_COMMITS = 1_000

# What decides: the readers of the shell language and their tables.
_RULES = Path(shell.__path__[0])
_NAMES = Path(names.__file__)


def damaged(problems: Sequence[Problem], root: str) -> Iterator[Row]:
    """Yield what `linetrail verify` found, as rows of LT016."""
    for problem in problems:
        path = problem.file.removeprefix(root.rstrip("/") + "/")
        path = path if not path.startswith("/") else f"{FOLDER}/agent_trace.jsonl"
        detail = f"{problem.code}: {problem.message}"
        yield _row(path=path, anchor=f"{problem.code} {problem.message}", detail=detail)


def unjudged_commands(repository: Repository, ask: Ask, since: datetime | None) -> Iterator[Row]:
    """Yield the dangerous commands among those that no gate judged, as rows of LT005."""
    latest = list(ask(statement("audit_unjudged"), {"since": since, "most": MAX_ROWS}).mappings())
    harmful = dangerous(repository, (row["command"] for row in latest))
    return (_row(**row, anchor=row["command"]) for row in latest if row["command"] in harmful)


def recent(ask: Ask, since: datetime | None) -> Sequence[str]:
    """Name the commits that an audit looks at where no range is given: those since the ledger began."""
    began = since or ask("select min(occurred_at) from v_events").rows[0][0]
    return [] if began is None else [f"-n{MAX_COMMITS}", f"--since={began.isoformat()}Z", "HEAD"]


def unmet_commits(repository: Repository, ask: Ask, revisions: Sequence[str]) -> Iterator[Row]:
    """Yield what commits with the signs of an agent hold and no hook ever met, as rows of LT021."""
    if not revisions or git(repository, "rev-parse", "--verify", "--quiet", "HEAD") is None:
        return  # no git, or no commit yet
    for one in unrecorded(repository, ask, revisions, by_agents=True):
        yield _row(path=one.path, anchor=f"{one.op} {one.blob or ''}", revision=one.revision[:10])


def exempted(repository: Repository) -> Iterator[Row]:
    """Yield each pattern that exempts files which git tracks, as rows of LT019."""
    rules = names.exemptions(repository.folder)
    listed = git(repository, "ls-files", "-z") or b""
    paths = (stored_path(os.fsdecode(name)) for name in listed.split(b"\0") if name)
    found: dict[tuple[int, str], list[str]] = {}
    for path in paths if rules.rules else ():
        matched = rules.match(path)
        if matched is not None and not path.startswith(f"{FOLDER}/"):
            found.setdefault(matched, []).append(path)
    for (line, pattern), fits in sorted(found.items()):
        what = f"{counted(len(fits), 'tracked file')} need no intent, such as {fits[0]}"
        yield _row(path=f"{FOLDER}/{names.EXEMPTING}", line=line, anchor=pattern, pattern=pattern, what=what)


def expired(exceptions: Iterator[Row], place: str) -> Iterator[Row]:
    """Yield the exceptions that ended, as rows of LT000."""
    return (_row(**one, path=place) for one in exceptions)


def _row(**known: Any) -> Row:
    return dict.fromkeys(COLUMNS) | known


def dangerous(repository: Repository, commands: Iterable[str]) -> set[str]:
    """Return those of these commands that are hard to undo, hidden, or reach out of the workspace."""
    file = Path(repository.folder, "cache", "dangers", f"{_rules()}.jsonl")
    known = dict(remembered.load(file, tuple[str, bool]))
    named = {command: _name(command) for command in commands}
    new = {name: command for command, name in named.items() if name not in known}
    if new:
        from linetrail.ledger.shell.commands import is_dangerous  # the grammar of the shell, for new commands

        found = {name: is_dangerous(command) for name, command in new.items()}
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
