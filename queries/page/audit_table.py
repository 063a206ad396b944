"""Keep what an audit finds as tables in the cache, and read it in pages: nobody holds a hundred thousand findings."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from linetrail.ledger.files import stamp
from linetrail.ledger.repository import Repository, head
from linetrail.projections.tables import computed_cache
from linetrail.projections.tables.cache import Part
from linetrail.projections.tables.sql_text import parquet_view
from linetrail.projections.tables.tables import Tables, tables_over
from linetrail.projections.tables.verification import examine
from linetrail.queries.answers.audit import COLUMNS as AUDITED
from linetrail.queries.answers.audit import Audited, audited_in, meta
from linetrail.queries.arguments.moments import moment
from linetrail.queries.audit import baseline, policy_file
from linetrail.queries.statements import statement

# 1: first format.
VERSION = 1
# `place` is among all findings, the worst first, `nth` among those of the rule; those between are of `--json`.
COLUMNS = {
    **dict.fromkeys(("place", "nth"), "BIGINT"),
    **dict.fromkeys(("rule", "name", "level", "message", "path"), "VARCHAR"),
    **dict.fromkeys(("line", "end_line"), "BIGINT"),
    "present": "BOOLEAN",
    "count": "BIGINT",
    **dict.fromkeys(("session_id", "intent_id", "agent_name", "event_id"), "VARCHAR"),
    **dict.fromkeys(("first_at", "last_at"), "TIMESTAMP"),
    **dict.fromkeys(("next", "fingerprint"), "VARCHAR"),
    "known": "BOOLEAN",
}
SUMMARY = {"meta": "VARCHAR"}

Finding = Mapping[str, Any]


class AuditTable:
    """What the audit of one state of ledger, HEAD, policy and settings finds, from a moment on."""

    def __init__(self, repository: Repository, tables: Tables, since: str | None) -> None:
        self._repository, self._tables, self._since = repository, tables, since
        with os.scandir(repository.folder) as entries:
            settings = sorted((entry.name, stamp(entry.stat())) for entry in entries if entry.is_file())
        now, problems = head(repository), examine(repository, brief=True).problems
        state = [[part.head for part in tables.parts], now and now.revision, problems, settings]
        self._follows_from = [VERSION, since, str(policy_file.today()), *state]

    @property
    def is_kept(self) -> bool:
        """Return whether nobody has to wait for it."""
        files = (computed_cache.file(self._repository, name, self._follows_from) for name in ("audits", "findings"))
        return all(map(computed_cache.is_whole, files))

    def make(self) -> None:
        """Have its tables on the connection, worked out unless they are kept."""

        @cache
        def audited() -> Audited:
            since = None if self._since is None else moment(self._since)
            return audited_in(self._tables, self._repository, since=since)

        def summary() -> Iterator[Sequence[object]]:
            found = audited()
            yield [json.dumps(meta(self._repository, found.audit, found.report, found.fail_on))]

        self._provide("audits", SUMMARY, summary)
        self._provide("findings", COLUMNS, lambda: _findings(self._repository, audited()))

    def summary(self) -> dict[str, Any]:
        """Return what `linetrail audit --json` says beside the findings."""
        [(text,)] = self._tables.ask("select meta from audits").rows
        found: dict[str, Any] = json.loads(text)
        return found

    def counts(self) -> Mapping[str, int]:
        """Return how many findings each rule has that found anything, in the order of the findings: the worst first."""
        return dict(self._tables.ask(statement("audit_counts")).rows)

    def findings(self, rule: str | None, first: int, last: int) -> list[Finding]:
        """Return the findings from one place to another among those of a rule, or of each rule where it is None."""
        told = {"rule": rule, "first": first, "last": last}
        return list(self._tables.ask(statement("audit_findings"), told).mappings())

    def _provide(self, name: str, columns: Mapping[str, str], made: Callable[[], Iterable[Sequence[object]]]) -> None:
        file = computed_cache.provide(self._repository, name, self._follows_from, columns, made)
        self._tables.connection.execute(parquet_view(name, [str(file)]))


def prepare(repository: Repository, parts: Sequence[Part], since: str | None) -> None:
    """Make the tables for whoever looks next."""
    with tables_over(repository, parts) as tables:
        AuditTable(repository, tables, since).make()


def known(repository: Repository) -> Mapping[str, str]:
    """Return the rule of each finding of the baseline, by its fingerprint."""
    path = os.path.join(repository.root, baseline.DEFAULT)
    return baseline.read(path) if os.path.lexists(path) else {}


def _findings(repository: Repository, found: Audited) -> Iterator[Sequence[object]]:
    nth, listed = Counter[str](), known(repository)
    told = attrgetter(*(AUDITED[name] for name in COLUMNS if name in AUDITED))
    for place, one in enumerate(found.audit.findings, 1):
        nth[one.rule.id] += 1
        yield (place, nth[one.rule.id], *told(one), one.fingerprint in listed)
