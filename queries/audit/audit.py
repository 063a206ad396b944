"""Ask every rule, and make of the rows what is reported: levels, exceptions, what is known, what is new."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.repository import Repository, head
from linetrail.projections.blame.blame import Opened
from linetrail.projections.survival.stats import held, tree
from linetrail.projections.tables.answers import remembering
from linetrail.projections.tables.cache import EVENTS
from linetrail.projections.tables.inspection import Problem
from linetrail.projections.tables.progress import each, working
from linetrail.projections.tables.session_answers import SessionAnswers
from linetrail.projections.tables.tables import Tables, needs
from linetrail.queries.arguments.moments import moment
from linetrail.queries.audit import baseline, computed_rules, rulebook
from linetrail.queries.audit.finding import Finding, folded, found, leading
from linetrail.queries.audit.policy_file import ANY, NONE
from linetrail.queries.audit.rulebook import LEVELS, Rule, at_least
from linetrail.queries.statements import statement

if TYPE_CHECKING:
    from linetrail.queries.audit.policy import Policy, Settings

FIGURES = ("intents", "sessions", "mutations", "events")
# So many files are blamed for it, those of the worst findings; for the others what was recorded has to do.
MAX_FILES = 50
# Of few events, planning a query takes longer than its answer; of more, tables that are held take more memory.
_FEW_EVENTS = 200_000
_READ = re.compile(r"^ *(?:from|\w* *join) (\w+)", re.MULTILINE)


class Brought(NamedTuple):
    """What a range of commits brought to the ledger: first and last places of stretches; `revisions` is the range."""

    stretches: Sequence[tuple[int, int]]
    revisions: str

    def __contains__(self, position: object) -> bool:
        return isinstance(position, int) and any(first <= position <= last for first, last in self.stretches)


class Asking(NamedTuple):
    """What is asked: which rules, from when on, by which policy, and beside what is known already.

    `shown` says how many findings of each rule are read by anybody; None stands for all.
    """

    rules: Sequence[Rule]
    policy: "Policy | None"
    policy_place: str
    today: date
    since: datetime | None = None
    known: Mapping[str, str] | None = None
    brought: Brought | None = None
    shown: int | None = None

    def excepts(self, finding: Finding) -> bool:
        return self.policy is not None and self.policy.excepted(finding, self.today)

    def expired(self) -> Iterator[Mapping[str, Any]]:
        """Yield the exceptions of the policy that ended."""
        return self.policy.expired(self.today) if self.policy else iter(())


class Audit(NamedTuple):
    """The answer. `findings` are what is reported, the worst first; `head` is the end of the ledger that was asked."""

    findings: list[Finding]
    rules: Sequence[Rule]
    excepted: int
    known: int
    gone: int
    figures: Mapping[str, int]
    head: str

    def counts(self) -> dict[str, int]:
        """Return how many findings of each level there are, also where there are none."""
        levels = Counter(one.level for one in self.findings)
        return {level: levels[level] for level in LEVELS}

    def failing(self, fail_on: str) -> list[Finding]:
        """Return the findings that make a run fail."""
        if fail_on == NONE:
            return []
        return [one for one in self.findings if fail_on == ANY or at_least(one.level, fail_on)]

    def by_rule(self) -> dict[Rule, list[Finding]]:
        """Return the findings of each rule that has any, in their order."""
        grouped: dict[Rule, list[Finding]] = {}
        for one in self.findings:
            grouped.setdefault(one.rule, []).append(one)
        return grouped


def audit(repository: Repository, tables: Tables, asking: Asking, problems: Sequence[Problem] = ()) -> Audit:
    """Ask the rules; `problems` are what a check of the ledger's bytes found."""
    with remembering(repository, tables), closing(SessionAnswers(repository, tables)) as answers:
        _hold(answers, asking)
        everything = folded(_found(repository, answers, asking, problems))
        figures = dict(zip(FIGURES, tables.ask(statement("audit_figures")).rows[0], strict=True))
    kept = [one for one in everything if not asking.excepts(one)]
    asked = {rule.id for rule in asking.rules}
    compared = baseline.compare(kept, asking.known or {}, asked)
    # an answer about a part of the ledger says nothing about the rest
    gone = 0 if asking.since is not None or asking.brought is not None else len(compared.gone)
    return Audit(
        findings=placed(repository, tables, compared.new, asking.shown),
        rules=asking.rules,
        excepted=len(everything) - len(kept),
        known=compared.known,
        gone=gone,
        figures=figures,
        head=tables.parts[-1].head.digest,
    )


def _hold(answers: SessionAnswers, asking: Asking) -> None:
    """Work out once what several questions read that have no answer yet."""
    readers: dict[Tables, Counter[str]] = defaultdict(Counter)
    for rule, _, since in _asked(asking):
        tables = answers.asked(rule.question.sql, {"since": since}) if rule.question is not None else None
        if rule.question is not None and tables is not None and not tables.are_empty(rule.rows_of):
            readers[tables].update(set(_READ.findall(rule.question.sql)) & needs().keys())
    for tables, read in readers.items():
        several = [name for name, times in sorted(read.items()) if times > 1 and EVENTS not in {name, *needs()[name]}]
        for name in several if tables.parts[-1].head.seq <= _FEW_EVENTS else ():
            tables.hold(name)


def _asked(asking: Asking) -> Iterator[tuple[Rule, "Settings | None", datetime | None]]:
    """Yield each rule that is not off, with what the policy says of it, and from when on it looks."""
    for rule in asking.rules:
        settings = asking.policy.of(rule) if asking.policy is not None else None
        if settings is None or not settings.off:
            yield rule, settings, _since(asking, settings.since if settings is not None else None)


def _found(
    repository: Repository, answers: SessionAnswers, asking: Asking, problems: Sequence[Problem]
) -> Iterator[Finding]:
    for rule, settings, since in each(list(_asked(asking)), "auditing", "rules"):
        for row in _rows(repository, answers, asking, problems, rule, since):
            new = asking.brought is None or row["position"] is None or row["position"] in asking.brought
            if new and (settings is None or settings.paths.wanted(row["path"])):
                yield found(rule, row, settings.level if settings is not None else None)


def _since(asking: Asking, told: str | None) -> datetime | None:
    """Return from when on a rule looks: what was asked wins over the policy."""
    said = told or (asking.policy.since if asking.policy is not None else None)
    return asking.since if asking.since is not None or said is None else moment(said)


def _rows(
    repository: Repository,
    answers: SessionAnswers,
    asking: Asking,
    problems: Sequence[Problem],
    rule: Rule,
    since: datetime | None,
) -> Iterator[Mapping[str, Any]]:
    """Yield what a rule answers with: from the tables, and from beyond them."""
    tables = answers.tables
    if rule.question is not None and not tables.are_empty(rule.rows_of):
        yield from answers.answer(rule.question.sql, {"since": since}, rule.rows_of).mappings()
    place = os.path.relpath(asking.policy_place, repository.root) if asking.policy_place else ""

    def commits() -> Sequence[str]:
        return [asking.brought.revisions] if asking.brought else computed_rules.recent(tables.ask, since)

    others: Mapping[str, Callable[[], Iterator[Mapping[str, Any]]]] = {
        rulebook.EXPIRED.id: lambda: computed_rules.expired(asking.expired(), place),
        "LT005": lambda: computed_rules.unjudged_commands(repository, answers.answer, since),
        "LT019": lambda: computed_rules.exempted(repository),
        rulebook.UNMET.id: lambda: computed_rules.unmet_commits(repository, tables.ask, commits()),
        "LT016": lambda: computed_rules.damaged(problems, repository.root),
    }
    if rule.id in others:
        yield from others[rule.id]()


def placed(
    repository: Repository, tables: Tables, findings: Sequence[Finding], shown: int | None = None
) -> list[Finding]:
    """Return the findings with the lines that their changes still have at HEAD, as far as they have any.

    With `shown`, so many findings of each rule are read by anybody: the files of others are not blamed.
    """
    paths = list(dict.fromkeys(one.path for one in findings if one.path is not None and one.line is not None))
    read = {one.path for one in (findings if shown is None else leading(findings, shown))}
    wanted = [path for path in paths[:MAX_FILES] if path in read and not path.startswith('"')]
    try:
        now = _at_head(repository, tables, wanted) if wanted else {}
    except LinetrailError:
        return list(findings)  # without git, or in a clone that ends early, what was recorded stands
    return [_at(one, now.get((one.path, one.event_id))) for one in findings]


def _at_head(
    repository: Repository, tables: Tables, paths: Sequence[str]
) -> Mapping[tuple[str | None, str | None], Sequence[int]]:
    """Return the lines of these files that each event wrote, by path and event."""
    now = head(repository)
    if now is None or now.revision is None:
        return {}
    lines: dict[tuple[str | None, str | None], list[int]] = defaultdict(list)
    files = [file for file in tree(repository, now.revision, paths) if file.path in paths]  # no folder is blamed
    opened = Opened(tables.digest, tables) if tables.digest is not None else None
    with working("blaming", sum(file.size for file in files)) as advance:
        for file in held(repository, now.revision, files, tables.until, advance, opened=opened):
            for number, by in enumerate(file.answer.attributions if file.answer else (), 1):
                if by.event_id is not None:
                    lines[file.path, by.event_id].append(number)
    return lines


def _at(finding: Finding, lines: Sequence[int] | None) -> Finding:
    if lines is None:
        return finding
    return finding._replace(line=lines[0], end_line=lines[-1], present=True)
