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
from linetrail.ledger.intents.problems import CODES
from linetrail.ledger.intents.registry import FIELDS

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- begin generated: {} -->\n", "<!-- end generated -->\n"

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
