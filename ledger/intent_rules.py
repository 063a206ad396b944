"""Say everything that is wrong with the intents of a registry, each with its line and the way out.

An error makes an intent unusable until it is mended; a warning stops nothing. `errors` is what the gate goes by,
`lint` is what people are shown, and costs the comparison of all scopes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger import globs
from linetrail.ledger.intents import BLOCKED, DONE, IN_PROGRESS, STATUSES, SYNONYMS, Intent, compact

ID = re.compile(r"INT-[0-9]{3,}")
PRIORITIES = ("LOW", "MEDIUM", "HIGH", "CRITICAL")
MAX_INTENTS = 1000
_TIMESTAMP = re.compile(
    r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?(Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?"
)
# code -> what it means, in the order of the fields; docs/intents.md shows it
CODES = {
    "YAML_PARSE_ERROR": "not YAML, not UTF-8, nested too deeply, or anchors, aliases and tags, which are refused",
    "MISSING_ACTIVE_INTENTS": "the root has no list of intents",
    "TOO_MANY_INTENTS": f"more than {MAX_INTENTS:,} intents",
    "INVALID_TYPE": "a list, text or map is expected here",
    "DUPLICATE_KEY": "a key is there twice, or in both spellings",
    "UNKNOWN_FIELD": "a key that linetrail does not know",
    "INVALID_ID_FORMAT": "the id is not INT- and three digits or more",
    "DUPLICATE_ID": "two intents have the same id",
    "MISSING_NAME": "the intent has no name",
    "INVALID_STATUS": "the status is missing or none of the known ones",
    "INVALID_PRIORITY": "the priority is none of the known ones",
    "MISSING_BLOCKED_REASON": "BLOCKED, and nobody says why",
    "EMPTY_SCOPE": "the intent owns no files",
    "INVALID_GLOB": "a pattern that cannot match as it was meant",
    "ABSOLUTE_PATH": "a pattern that is not relative to the repository",
    "SCOPE_OVERLAP": "two intents in progress own the same file",
    "MISSING_CONSTRAINTS": "no constraint is given",
    "INVALID_CONSTRAINT": "a constraint that should be checked, and cannot be",
    "MISSING_ACCEPTANCE_CRITERIA": "nothing says when it is done",
    "INVALID_DEPENDENCY": "it depends on an intent that is not here",
    "CIRCULAR_DEPENDENCY": "it depends on itself, by way of others",
    "DEPENDENCY_NOT_DONE": "in progress before what it depends on is done",
    "INVALID_PARENT": "its parent is not here",
    "CIRCULAR_PARENT": "it is its own parent, by way of others",
    "INVALID_TIMESTAMP_FORMAT": "no time as 2026-01-05T09:00:00Z",
    "INVALID_TIMESTAMP": "updated before it was created",
}


class Problem(NamedTuple):
    """One finding; `fatal`: nobody can tell what the file as a whole says."""

    level: str
    code: str
    intent_id: str | None
    field: str | None
    line: int
    message: str
    fatal: bool = False


class Entry(NamedTuple):
    """An intent, and the lines of its values by field; an item of a list is `field[n]`, from 0."""

    intent: Intent
    lines: Mapping[str, int]

    def error(self, code: str, field: str, message: str, at: str | None = None) -> Problem:
        """Name what makes this intent unusable."""
        return self._problem("error", code, field, message, at)

    def warning(self, code: str, field: str, message: str, at: str | None = None) -> Problem:
        """Name what stops nothing."""
        return self._problem("warning", code, field, message, at)

    def _problem(self, level: str, code: str, field: str, message: str, at: str | None) -> Problem:
        line = self.lines.get(at or field) or self.lines.get(field) or self.intent.line
        return Problem(level, code, self.intent.id, field, line, message)


class Reading(NamedTuple):
    """What could be read of a registry, and what is wrong with the way it is written."""

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]


def errors(reading: Reading) -> list[Problem]:
    """Return what makes intents unusable, in the order of the file."""
    return [
        problem for problem in (*reading.problems, *_single(reading), *_linked(reading)) if problem.level == "error"
    ]


def lint(reading: Reading) -> list[Problem]:
    """Return all problems in the order of the file."""
    found = [*reading.problems, *_single(reading), *_linked(reading), *_overlaps(reading.entries)]
    if len(reading.entries) > MAX_INTENTS:
        message = f"{len(reading.entries):,} intents; move those that are done to another file"
        line = reading.entries[MAX_INTENTS].intent.line
        found.append(Problem("warning", "TOO_MANY_INTENTS", None, "active_intents", line, message))
    return sorted(found, key=lambda problem: (problem.line, problem.level, problem.code))


def _single(reading: Reading) -> Iterator[Problem]:
    """Yield what is wrong with each intent, whatever the others say."""
    # Of a field that could not be read it is known already what is wrong with it.
    unread = {(problem.intent_id, problem.field) for problem in reading.problems}
    for entry in reading.entries:
        for rule in (_id, _status, _scope, _constraints, _criteria, _times):
            yield from (found for found in rule(entry) if (found.intent_id, found.field) not in unread)


def _id(entry: Entry) -> Iterator[Problem]:
    if not ID.fullmatch(entry.intent.id):
        message = f"the id {_shown(entry.intent.id)} is not INT- and three digits or more, as in INT-001"
        yield entry.error("INVALID_ID_FORMAT", "id", message)
    if "name" not in entry.lines:
        yield entry.warning(
            "MISSING_NAME", "name", f"{entry.intent.id} has no name; say in a few words what it is about"
        )


def _status(entry: Entry) -> Iterator[Problem]:
    intent = entry.intent
    if intent.status not in STATUSES or intent.written is None:
        known = ", ".join((*STATUSES, *SYNONYMS))
        said = "the status is missing" if intent.written is None else f"{_shown(intent.written)} is no status"
        yield entry.error("INVALID_STATUS", "status", f"{said}; write one of {known}")
    if intent.status == BLOCKED and not (intent.blocked_reason or "").strip():
        message = f"{intent.id} is BLOCKED; say in `blocked_reason` what it waits for"
        yield entry.warning("MISSING_BLOCKED_REASON", "blocked_reason", message)
    if intent.priority is not None and intent.priority not in PRIORITIES:
        message = f"{_shown(intent.priority)} is no priority; write one of {', '.join(PRIORITIES)}"
        yield entry.error("INVALID_PRIORITY", "priority", message)


def _scope(entry: Entry) -> Iterator[Problem]:
    intent = entry.intent
    if not intent.scope:
        message = f"{intent.id} owns no files; list patterns such as src/billing/** in `owned_scope`"
        yield entry.error("EMPTY_SCOPE", "owned_scope", message)
    usable = True
    for at, pattern in enumerate(intent.scope):
        found = globs.problem(pattern)
        if found is not None:
            usable = False
            make = entry.warning if found[0] == globs.ABSOLUTE_PATH else entry.error
            message = f"the pattern {_shown(pattern)} cannot be used: {found[1]}"
            yield make(found[0], "owned_scope", message, f"owned_scope[{at}]")
        elif globs.has_braces(pattern):
            message = f"braces in {_shown(pattern)} stand for themselves; write a pattern for each alternative"
            yield entry.warning("INVALID_GLOB", "owned_scope", message, f"owned_scope[{at}]")
    if usable and intent.scope:
        try:
            globs.compile_scope(intent.scope)
        except globs.ScopeError as error:
            yield entry.error("INVALID_GLOB", "owned_scope", f"the scope of {intent.id} cannot be used: {error}")


def _constraints(entry: Entry) -> Iterator[Problem]:
    intent = entry.intent
    if not intent.constraints and not intent.rules:
        message = f"{intent.id} has no constraints; say in `constraints` what has to stay true"
        yield entry.warning("MISSING_CONSTRAINTS", "constraints", message)
    if intent.rules:
        from linetrail.ledger.constraints import problems  # for the few who write rules that are checked

        for at, rule in enumerate(intent.rules):
            for message in problems(rule):
                yield entry.error("INVALID_CONSTRAINT", "constraints", message, f"rules[{at}]")


def _criteria(entry: Entry) -> Iterator[Problem]:
    if not entry.intent.criteria:
        message = f"{entry.intent.id} has no acceptance criteria; say in `acceptance_criteria` when it is done"
        yield entry.warning("MISSING_ACCEPTANCE_CRITERIA", "acceptance_criteria", message)


def _times(entry: Entry) -> Iterator[Problem]:
    intent = entry.intent
    moments = {}
    for field, text in (("created_at", intent.created_at), ("updated_at", intent.updated_at)):
        if text is None:
            continue
        moments[field] = moment(text)
        if moments[field] is None:
            message = f"{_shown(text)} is no time; write it as 2026-01-05T09:00:00Z"
            yield entry.error("INVALID_TIMESTAMP_FORMAT", field, message)
        elif not text.endswith("Z") and text[-6] not in "+-":
            message = f"{text} could be anywhere on earth; end it in Z for UTC"
            yield entry.warning("INVALID_TIMESTAMP_FORMAT", field, message)
    created, updated = moments.get("created_at"), moments.get("updated_at")
    if created is not None and updated is not None and updated < created:
        message = f"updated_at {intent.updated_at} is before created_at {intent.created_at}; correct one of them"
        yield entry.warning("INVALID_TIMESTAMP", "updated_at", message)


def moment(text: str) -> float | None:
    """Return an ISO 8601 time as seconds since 1970, in UTC unless it says otherwise; None where it is none.

    >>> moment("2024-01-15T10:30:00Z"), moment("2024-01-15T12:30:00+02:00"), moment("2024-02-30T00:00:00Z")
    (1705314600.0, 1705314600.0, None)
    """
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        return None
    import calendar  # datetime is too slow for whoever compiles the registry in a hook

    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    if year < 1 or day > calendar.monthrange(year, month)[1]:
        return None
    fraction = re.search(r"\.[0-9]+", text)
    seconds = calendar.timegm((year, month, day, hour, minute, second)) + float(fraction[0] if fraction else 0)
    zone = found[7]
    if zone in {None, "Z"}:
        return seconds
    return seconds - (1 if zone[0] == "+" else -1) * (int(zone[1:3]) * 3600 + int(zone[4:]) * 60)


def _linked(reading: Reading) -> Iterator[Problem]:
    """Yield what is wrong with how intents refer to each other."""
    entries = {entry.intent.id: entry for entry in reversed(reading.entries)}
    for entry in reading.entries:
        yield from _dependencies(entry, entries)
        parent = entry.intent.parent
        if parent is not None and parent not in entries:
            message = f"the parent {_shown(parent)} is not here; name another, or write null"
            yield entry.error("INVALID_PARENT", "parent_intent", message)
    for cycle in cycles({name: entry.intent.dependencies for name, entry in entries.items()}):
        entry, again = entries[cycle[0]], cycle[1]
        message = f"{_way(cycle)}: each waits for the next; take one of these dependencies out"
        at = f"dependencies[{entry.intent.dependencies.index(again)}]"
        yield entry.error("CIRCULAR_DEPENDENCY", "dependencies", message, at)
    for cycle in cycles({name: (entry.intent.parent or "",) for name, entry in entries.items()}):
        message = f"{_way(cycle)}: each has the next for a parent; take one of them out"
        yield entries[cycle[0]].error("CIRCULAR_PARENT", "parent_intent", message)


def is_settled(intent: Intent, known: Mapping[str, Intent]) -> bool:
    """Tell whether nobody has to wait for an intent: it is done, or what it was merged into is."""
    seen = {intent.id}
    while intent.status != DONE and intent.merged_into in known and intent.merged_into not in seen:
        intent = known[intent.merged_into]
        seen.add(intent.id)
    return intent.status == DONE


def _dependencies(entry: Entry, entries: Mapping[str, Entry]) -> Iterator[Problem]:
    known = {name: other.intent for name, other in entries.items()}
    for at, name in enumerate(entry.intent.dependencies):
        if name not in entries:
            message = f"the dependency {_shown(name)} is not here; correct the id, or take it out"
            yield entry.error("INVALID_DEPENDENCY", "dependencies", message, f"dependencies[{at}]")
        elif entry.intent.status == IN_PROGRESS and name != entry.intent.id and not is_settled(known[name], known):
            message = f"{entry.intent.id} is IN_PROGRESS, and depends on {name}, which is {entries[name].intent.status}"
            yield entry.warning("DEPENDENCY_NOT_DONE", "dependencies", message, f"dependencies[{at}]")


def cycles(edges: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Yield one way round for each knot of names that lead back to themselves, first name last.

    >>> list(cycles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["d"]}))
    [['b', 'c', 'b'], ['d', 'd']]
    """
    done: set[str] = set()
    for start in edges:
        trail: list[str] = []
        at: dict[str, int] = {}
        waiting = [(start, False)]
        while waiting:
            name, left = waiting.pop()
            if left:
                trail.pop()
                del at[name]
                done.add(name)
            elif name in at:
                if name not in done:
                    yield [*trail[at[name] :], name]
                done.update(trail[at[name] :])
            elif name in edges and name not in done:
                at[name] = len(trail)
                trail.append(name)
                waiting.append((name, True))
                waiting.extend((other, False) for other in reversed(edges[name]))


def _overlaps(entries: Iterable[Entry]) -> Iterator[Problem]:
    """Yield the pairs of intents in progress that own a file together; a parent may hold what its children do."""
    try:
        from linetrail.ledger.overlaps import overlap
    except ImportError:  # TODO globs

        def overlap(a, b):
            return None

    by_id = {entry.intent.id: entry for entry in entries}
    working = [entry for entry in by_id.values() if entry.intent.status == IN_PROGRESS]
    above = {entry.intent.id: _ancestors(entry.intent, by_id) for entry in working}
    for number, one in enumerate(working):
        for other in working[number + 1 :]:
            a, b = one.intent, other.intent
            if a.id in above[b.id] or b.id in above[a.id]:
                continue
            shared = overlap(a.scope, b.scope)
            if shared is not None:
                mine, theirs, example = shared
                message = (
                    f"{b.id} and {a.id} both own {_shown(example)}, by {_shown(theirs)} and {_shown(mine)}; "
                    "narrow one of them, or let one wait for the other"
                )
                yield other.warning("SCOPE_OVERLAP", "owned_scope", message, f"owned_scope[{b.scope.index(theirs)}]")


def _way(cycle: Sequence[str]) -> str:
    names = [_shown(name) for name in cycle]
    return " → ".join(names if len(names) <= 8 else [*names[:4], f"{len(names) - 6} more", *names[-2:]])


def _ancestors(intent: Intent, entries: Mapping[str, Entry]) -> set[str]:
    found: set[str] = set()
    parent = intent.parent
    while parent in entries and parent not in found:
        found.add(parent)
        parent = entries[parent].intent.parent
    return found


def _shown(text: str) -> str:
    """Return a text from the file as one that is plainly quoted, if it needs that."""
    short = text if len(text) <= 80 else text[:79] + "…"
    return short if short.isprintable() and short.split() == [short] else compact(short)
