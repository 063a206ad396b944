"""Tell that a line keeps the contract by its JSON Schema alone: for a few lines, loading pydantic takes far longer.

What certainly keeps it fits; whatever does not, or asks for a keyword or a rule that is not here, is left to pydantic.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any

from msgspec import json

from linetrail.ledger import event

_FILE = Path(event.__path__[0], "event.schema.json")
_AT = "#/$defs/"
_TYPES = {"integer": int, "string": str, "boolean": bool, "null": NoneType, "array": list, "object": dict}


def fits(record: Mapping[str, Any]) -> bool:
    """Return whether a line as it was decoded certainly keeps the contract of its type."""
    named = _schema()["discriminator"]["mapping"].get(record["type"])
    return named is not None and _refers(record, named, {})


@cache
def _schema() -> Mapping[str, Any]:
    schema: Mapping[str, Any] = json.decode(_FILE.read_bytes())
    return schema


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a value has the type of a schema, and then keeps all else that it says."""
    if "type" in schema and type(value) is not _TYPES[schema["type"]]:
        return False
    return all(word in _WORDS and _WORDS[word](value, said, schema) for word, said in schema.items())


def _refers(value: Any, named: str, _: Mapping[str, Any]) -> bool:
    name = named.removeprefix(_AT)
    return _fits(value, _schema()["$defs"][name]) and (name not in RULES or RULES[name](value))


def _has_no_others(value: Any, others: Any, schema: Mapping[str, Any]) -> bool:
    new = value.keys() - schema.get("properties", {}).keys()
    return not new or (isinstance(others, dict) and all(_fits(value[name], others) for name in new))


def _is_hashed(hunk: Any) -> bool:
    return bool(len(hunk.get("line_hashes") or ()) == hunk["new_lines"])


def _agrees_with_itself(file: Any) -> bool:
    said = {name: file.get(name) for name in ("from_path", "hunks", "omitted", "part", "parts")}
    return (
        (said["from_path"] is not None) == (file["op"] in {"rename", "copy"})
        and (said["hunks"] is None) != (said["omitted"] is None)
        and (said["part"] is None) == (said["parts"] is None)
        and (said["part"] or 1) <= (said["parts"] or 1)
    )


# keyword -> whether a value keeps what is said with it, in this schema; the value is of the type that the schema names
_WORDS: Mapping[str, Callable[[Any, Any, Mapping[str, Any]], bool]] = {
    "$ref": _refers,
    "additionalProperties": _has_no_others,
    "anyOf": lambda value, said, _: any(_fits(value, one) for one in said),
    "const": lambda value, said, _: type(value) is type(said) and value == said,
    "default": lambda *_: True,
    "description": lambda *_: True,
    "enum": lambda value, said, _: value in said,
    "items": lambda value, said, _: all(_fits(one, said) for one in value),
    "maxItems": lambda value, said, _: len(value) <= said,
    "maxLength": lambda value, said, _: len(value) <= said,
    "maximum": lambda value, said, _: value <= said,
    "minItems": lambda value, said, _: len(value) >= said,
    "minimum": lambda value, said, _: value >= said,
    "pattern": lambda value, said, _: re.fullmatch(said, value) is not None,
    "properties": lambda value, said, _: all(_fits(value[name], said[name]) for name in value.keys() & said.keys()),
    "required": lambda value, said, _: value.keys() >= set(said),
    "type": lambda *_: True,
}
# What the models of these names hold besides, as their validators say it.
RULES: Mapping[str, Callable[[Any], bool]] = {
    "FileTransition": _agrees_with_itself,
    "Hunk": _is_hashed,
    "MutationClassified": lambda _: False,
}
