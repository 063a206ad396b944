"""Say everything that is wrong with the intents of a registry, each with its line and the way out.

An error makes an intent unusable until it is mended; a warning stops nothing. `errors` is what the gate goes by,
`lint` is what people are shown, and costs the comparison of all scopes.
"""

import re
from collections.abc import Iterator

from linetrail.ledger.intents.criteria import problems
from linetrail.ledger.intents.intent import APPROVALS, BLOCKED, STATUSES, SYNONYMS
from linetrail.ledger.intents.links import linked, overlapping
from linetrail.ledger.intents.problems import MAX_INTENTS, Entry, Problem, Reading, shown
from linetrail.ledger.paths import globs

ID = re.compile(r"INT-[0-9]{3,}")
PRIORITIES = ("LOW", "MEDIUM", "HIGH", "CRITICAL")
_TIMESTAMP = re.compile(
    r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?(Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?"
)


def judged(reading: Reading) -> Reading:
    """Return a registry with what is wrong with its intents beside what is wrong with the way they are written."""
    return reading._replace(problems=(*reading.problems, *_single(reading), *linked(reading)))


def errors(reading: Reading) -> list[Problem]:
    """Return what makes the intents of a judged registry unusable, in the order of the file.

    The intent specification calls an absolute pattern a warning; a scope that has one owns nothing all the same.
    """
    return [one for one in reading.problems if one.level == "error" or one.code == globs.ABSOLUTE_PATH]


def lint(reading: Reading) -> list[Problem]:
    """Return all problems of a judged registry in the order of the file."""
    found = [*reading.problems, *overlapping(reading.entries)]
    if len(reading.entries) > MAX_INTENTS:
        message = (
            f"{len(reading.entries):,} intents, more than {MAX_INTENTS:,}; move those that are done to another file"
        )
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
        message = f"the id {shown(entry.intent.id)} is not INT- and three digits or more, as in INT-001"
        yield entry.error("INVALID_ID_FORMAT", "id", message)
    if "name" not in entry.lines:
        yield entry.warning(
            "MISSING_NAME", "name", f"{entry.intent.id} has no name; say in a few words what it is about"
        )


def _status(entry: Entry) -> Iterator[Problem]:
    intent = entry.intent
    if intent.status not in STATUSES or intent.written is None:
        known = ", ".join((*STATUSES, *SYNONYMS))
        said = "the status is missing" if intent.written is None else f"{shown(intent.written)} is no status"
        yield entry.error("INVALID_STATUS", "status", f"{said}; write one of {known}")
    if intent.status == BLOCKED and not (intent.blocked_reason or "").strip():
        message = f"{intent.id} is BLOCKED; say in `blocked_reason` what it waits for"
        yield entry.warning("MISSING_BLOCKED_REASON", "blocked_reason", message)
    if intent.approval is not None and intent.approval not in APPROVALS:
        message = f"{shown(intent.approval)} says nothing about approval; write one of {', '.join(APPROVALS)}"
        yield entry.error("INVALID_APPROVAL", "approval", message)
    if intent.priority is not None and intent.priority not in PRIORITIES:
        message = f"{shown(intent.priority)} is no priority; write one of {', '.join(PRIORITIES)}"
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
            message = f"the pattern {shown(pattern)} cannot be used: {found[1]}"
            yield make(found[0], "owned_scope", message, f"owned_scope[{at}]")
        elif globs.has_braces(pattern):
            message = f"braces in {shown(pattern)} stand for themselves; write a pattern for each alternative"
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
        from linetrail.ledger.constraints import rules  # for the few who write rules that are checked

        for at, rule in enumerate(intent.rules):
            for message in rules.problems(rule):
                yield entry.error("INVALID_CONSTRAINT", "constraints", message, f"rules[{at}]")


def _criteria(entry: Entry) -> Iterator[Problem]:
    if not entry.intent.criteria:
        message = f"{entry.intent.id} has no acceptance criteria; say in `acceptance_criteria` when it is done"
        yield entry.warning("MISSING_ACCEPTANCE_CRITERIA", "acceptance_criteria", message)
    for at, check in enumerate(entry.intent.checks):
        for message in problems(check):
            yield entry.error("INVALID_CRITERION", "acceptance_criteria", message, f"checks[{at}]")


def _times(entry: Entry) -> Iterator[Problem]:
    intent = entry.intent
    moments = {}
    for field, text in (("created_at", intent.created_at), ("updated_at", intent.updated_at)):
        if text is None:
            continue
        moments[field] = moment(text)
        if moments[field] is None:
            message = f"{shown(text)} is no time; write it as 2026-01-05T09:00:00Z"
            yield entry.error("INVALID_TIMESTAMP_FORMAT", field, message)
        elif not text.endswith("Z") and text[-6] not in "+-":
            message = f"{text} could be anywhere on earth; end it in Z for UTC"
            yield entry.warning("INVALID_TIMESTAMP_FORMAT", field, message)
    for field in {"created_at", "updated_at"} - moments.keys() if moments else ():
        message = f"{intent.id} has no {field}; write it as 2026-01-05T09:00:00Z, or leave both times out"
        yield entry.warning("MISSING_TIMESTAMP", field, message)
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
