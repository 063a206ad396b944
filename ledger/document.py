"""Write what is made from the schemas: event.schema.json, intents.schema.json, and the tables of FORMAT.md.

``python -m linetrail.ledger.document`` writes them; a test fails when a file is not what this would write.
"""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from linetrail.ledger import intent_schema
from linetrail.ledger.facts import Data
from linetrail.ledger.schema import DATA, Agent, Envelope, Vcs, json_schema

FOLDER = os.path.dirname(os.path.abspath(__file__))
BEGIN, END = "<!-- begin generated: {} -->\n", "<!-- end generated -->\n"

Schema = Mapping[str, Any]


def documents() -> dict[str, str]:
    """Return the path of each generated file with the content it should have."""
    schema_file, format_file = (os.path.join(FOLDER, name) for name in ("event.schema.json", "FORMAT.md"))
    schema = json_schema()
    with open(format_file, encoding="utf-8") as file:
        text = file.read()
    for part, lines in {"envelope": _envelope(), "types": _types(schema["$defs"])}.items():
        text = _replaced(text, part, "".join(f"{line}\n" for line in lines))
    intents_file = os.path.join(FOLDER, "intents.schema.json")
    return {schema_file: _json(schema), intents_file: _json(intent_schema.json_schema()), format_file: text}


def _json(schema: Schema) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _replaced(text: str, part: str, content: str) -> str:
    head, begin, rest = text.partition(BEGIN.format(part))
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"FORMAT.md has no markers for {part}")
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
    for event_type, model in DATA.items():
        names.setdefault(model.__name__, []).append(f"`{event_type}`")
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


def _type(field: Schema) -> str:
    """Say a JSON Schema type in words."""
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
