"""Generate event.schema.json, intents.schema.json, and tables in FORMAT.md and docs/intents.md.

``python tools/make_schema.py`` writes them; a test fails when a file is not
what this would write.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from linetrail.ledger.event.data.shared import Data
from linetrail.ledger.event.schema import DATA, Agent, Envelope, Vcs, data, json_schema
from linetrail.ledger.intents import schema as intents
from linetrail.ledger.intents.intent import TOO_LARGE
from linetrail.ledger.intents.problems import MAX_INTENTS, MOST_INTENTS
from linetrail.ledger.intents.registry import FIELDS

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- begin generated: {} -->\n", "<!-- end generated -->\n"

# code -> what it means, in the order of the fields
CODES = {
    "YAML_PARSE_ERROR": "not YAML, not UTF-8, nested too deeply, or anchors, aliases and tags, which are refused",
    "MISSING_ACTIVE_INTENTS": "the root has no list of intents",
    "FILE_TOO_LARGE": f"the file is {TOO_LARGE}",
    "TOO_MANY_INTENTS": f"more than {MAX_INTENTS:,} intents, which is much; more than {MOST_INTENTS:,} are not read",
    "INVALID_TYPE": "a list, text or map is expected here",
    "DUPLICATE_KEY": "a key is there twice, or in both spellings",
    "UNKNOWN_FIELD": "a key that linetrail does not know",
    "INVALID_ID_FORMAT": "the id is not INT- and three digits or more",
    "DUPLICATE_ID": "two intents have the same id",
    "MISSING_NAME": "the intent has no name",
    "INVALID_STATUS": "the status is missing or none of the known ones",
    "REOPENED": "it was done, and is worked on again; the reason that was given",
    "INVALID_APPROVAL": "what a person approves is none of the known words",
    "INVALID_PRIORITY": "the priority is none of the known ones",
    "MISSING_BLOCKED_REASON": "BLOCKED, and nobody says why",
    "EMPTY_SCOPE": "the intent owns no files",
    "INVALID_GLOB": "a pattern that cannot match as it was meant",
    "ABSOLUTE_PATH": "a pattern that is not relative to the repository",
    "SCOPE_OVERLAP": "two intents in progress own the same file",
    "MISSING_CONSTRAINTS": "no constraint is given",
    "INVALID_CONSTRAINT": "a constraint that should be checked, and cannot be",
    "MISSING_ACCEPTANCE_CRITERIA": "nothing says when it is done",
    "INVALID_CRITERION": "a criterion that a command should decide, and cannot be run",
    "INVALID_DEPENDENCY": "it depends on an intent that is not here",
    "CIRCULAR_DEPENDENCY": "it depends on itself, by way of others",
    "DEPENDENCY_NOT_DONE": "in progress before what it depends on is done",
    "INVALID_PARENT": "its parent is not here",
    "CIRCULAR_PARENT": "it is its own parent, by way of others",
    "MISSING_TIMESTAMP": "one of the two times is given, and the other is not",
    "INVALID_TIMESTAMP_FORMAT": "no time as 2026-01-05T09:00:00Z",
    "INVALID_TIMESTAMP": "updated before it was created",
}

Schema = Mapping[str, Any]


def documents() -> dict[str, str]:
    """Return the path and expected content of each generated file."""
    names = (
        "ledger/event/event.schema.json", "ledger/intents/intents.schema.json", "ledger/FORMAT.md", "docs/intents.md"
    )  # fmt: skip
    schema_file, intents_file, format_file, guide_file = (str(ROOT / name) for name in names)
    schema = json_schema()
    tables = {"envelope": _envelope(), "types": _types(schema["$defs"])}
    return {
        schema_file: _json(schema),
        intents_file: _json(intents.json_schema()),
        format_file: _filled(format_file, tables),
        guide_file: _filled(guide_file, {"fields": _fields(), "codes": _codes()}),
    }


def _filled(path: str, parts: Mapping[str, Iterator[str]]) -> str:
    """Return a file with new lines between its markers."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for part, lines in parts.items():
        text = _replaced(text, part, "".join(f"{line}\n" for line in lines))
    return text


def _json(schema: Schema) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _replaced(text: str, part: str, content: str) -> str:
    head, begin, rest = text.partition(BEGIN.format(part))
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"there are no markers for {part}")
    return head + begin + content + end + tail


def _envelope() -> Iterator[str]:
    yield from _table(Envelope.model_json_schema())
    for model in (Agent, Vcs):
        schema = model.model_json_schema()
        yield f"`{model.__name__.lower()}`: {schema['description']}\n"
        yield from _table(schema)


def _types(defs: Schema) -> Iterator[str]:
    """Yield one section per shape of `data`, then one per part that a shape refers to."""
    names: dict[str, list[str]] = {}
    for event_type in DATA:
        names.setdefault(data(event_type).__name__, []).append(f"`{event_type}`")
    parts = [name for name in defs if not name.endswith("Event") and name not in {*names, "Agent", "Vcs"}]
    titles = {name: ", ".join(types) for name, types in names.items()} | {name: f"`{name}`" for name in parts}
    for name, title in titles.items():
        yield f"### {title}\n\n{defs[name]['description']}\n"
        yield from _table(defs[name])


def _table(schema: Schema) -> Iterator[str]:
    own = {name: field for name, field in schema["properties"].items() if name not in Data.model_fields}
    if not own:
        return
    yield "| field | type | |\n|---|---|---|"
    for name, field in own.items():
        yield f"| `{name}` | {_type(field)} | {field.get('description', '')} |"
    yield ""


def _fields() -> Iterator[str]:
    """Yield the fields of an intent in all their spellings."""
    yield "| field | |\n|---|---|"
    for name, field in intents.json_schema()["$defs"]["Intent"]["properties"].items():
        spellings = FIELDS.get(name)
        if spellings:
            described = field.get("description") or field["anyOf"][0]["description"]
            yield f"| {', '.join(f'`{spelling}`' for spelling in spellings)} | {described} |"


def _codes() -> Iterator[str]:
    yield "| code | |\n|---|---|"
    yield from (f"| `{code}` | {about} |" for code, about in CODES.items())


def _type(field: Schema) -> str:
    """Return a JSON Schema type in words."""
    if "anyOf" in field:
        return " or ".join(map(_type, field["anyOf"]))
    if "$ref" in field:
        return "`{}`".format(field["$ref"].rpartition("/")[2])
    if "const" in field or "enum" in field:
        return ", ".join(f"`{value}`" for value in field.get("enum") or [field["const"]])
    if field["type"] == "array":
        return f"list of {_type(field['items'])}"
    if "additionalProperties" in field:
        return f"string to {_type(field['additionalProperties'])}"
    return str(field["type"])


def main() -> None:
    """Write every generated file that is not up to date."""
    for path, content in documents().items():
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(content)


if __name__ == "__main__":
    main()
