"""Show the intents of a registry and its problems, as text and as rows."""

import os
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents import registry, registry_file
from linetrail.ledger.intents.intent import Intent, compact
from linetrail.ledger.intents.problems import Problem
from linetrail.ledger.intents.rules import lint
from linetrail.ledger.repository import Repository
from linetrail.queries.render.text import counted, plain

COLUMNS = (
    "intent_id",
    "name",
    "status",
    "scope",
    "line",
    "selected",
    "description",
    "owner",
    "priority",
    "constraints",
    "acceptance_criteria",
    "dependencies",
    "parent_intent",
    "references",
    "blocked_reason",
    "created_at",
    "updated_at",
    "forked_from",
    "merged_into",
    "flaws",
    "approval",
)


_ASKED = {"all": "each change", "destructive": "what runs or deletes", "none": "nothing in its scope"}


def row(intent: Intent, selected: str | None) -> tuple[Any, ...]:
    """Return an intent as a row of COLUMNS; a machine-checked constraint stays an object."""
    return (
        intent.id,
        intent.name,
        intent.status,
        list(intent.scope),
        intent.line,
        intent.id == selected,
        intent.description,
        intent.owner,
        intent.priority,
        [*intent.constraints, *map(dict, intent.rules)],
        list(intent.criteria),
        list(intent.dependencies),
        intent.parent,
        list(intent.references),
        intent.blocked_reason,
        intent.created_at,
        intent.updated_at,
        intent.forked_from,
        intent.merged_into,
        list(intent.flaws),
        intent.approval,
    )


def listed(chosen: Sequence[Intent], selected: str | None) -> Iterator[str]:
    """Yield one line for each intent; a star marks the selected one, and flaws are named."""
    ids = max((len(intent.id) for intent in chosen), default=0)
    states = max((len(intent.status) for intent in chosen), default=0)
    for intent in chosen:
        mark = "*" if intent.id == selected else " "
        flawed = "  (cannot be used: linetrail intents lint)" if intent.flaws and not intent.closed else ""
        yield f"{mark} {plain(intent.id):<{ids}}  {plain(intent.status):<{states}}  {plain(intent.name)}{flawed}"


def page(intent: Intent, selected: str | None, reached: Mapping[str, str] = MappingProxyType({})) -> Iterator[str]:
    """Yield the fields of one intent, one a line; `reached` says how far a criterion is."""
    yield f"{plain(intent.id)}  {plain(intent.name)}"
    texts = {
        "status": intent.status + ("  (selected)" if intent.id == selected else ""),
        "blocked": intent.blocked_reason,
        "about": intent.description,
        "owner": intent.owner,
        "priority": intent.priority,
        "parent": intent.parent,
        "forked": intent.forked_from and f"from {intent.forked_from}",
        "ask": intent.approval and f"a person about {_ASKED.get(intent.approval, intent.approval)}",
        "merged": intent.merged_into and f"into {intent.merged_into}",
    }
    lists = {
        "scope": intent.scope,
        "keep": (*intent.constraints, *map(compact, intent.rules)),
        "done if": [text + reached.get(text, "") for text in intent.criteria],
        "after": intent.dependencies,
        "read": intent.references,
        "flaw": intent.flaws,
    }
    lines = [(name, text) for name, text in texts.items() if text]
    lines += [(name, item) for name, items in lists.items() for item in items]
    width = max(len(name) for name, _ in lines)
    yield from (f"{name:<{width}}  {plain(text)}" for name, text in lines)


def problems(repository: Repository) -> list[Problem]:
    """Return the problems of the registry, including that it does not exist."""
    try:
        content = registry_file.load(repository)
    except registry_file.TooLargeError as error:
        return [Problem("error", "FILE_TOO_LARGE", None, None, 0, str(error), fatal=True)]
    except IntentError as error:
        return [Problem("error", "YAML_PARSE_ERROR", None, None, 0, str(error), fatal=True)]
    if content is None:
        message = f"{registry_file.path(repository)} does not exist; `linetrail init` makes one"
        return [Problem("error", "MISSING_ACTIVE_INTENTS", None, "active_intents", 0, message, fatal=True)]
    return lint(registry.scan(content))


def findings(repository: Repository, found: Sequence[Problem]) -> Iterator[str]:
    """Yield one line for each problem in the form FILE:LINE that editors understand, then a summary."""
    name = os.path.relpath(registry_file.path(repository))
    for problem in found:
        whose = f" {plain(problem.intent_id)}" if problem.intent_id else ""
        place = f"{name}:{problem.line}" if problem.line else name
        yield f"{place}: {problem.level}: {problem.code}{whose}: {plain(problem.message)}"
    wrong = sum(problem.level == "error" for problem in found)
    yield f"{counted(wrong, 'error')}, {counted(len(found) - wrong, 'warning')}"


def schema() -> str:
    """Return the JSON Schema of the registry."""
    with open(os.path.join(os.path.dirname(registry.__file__), "intents.schema.json"), encoding="utf-8") as file:
        return file.read()
