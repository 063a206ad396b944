"""Say in log records what has no duration: changes of files, verdicts, decisions, intents, prompts and all the rest.

What people or agents wrote in words of their own is content: it leaves only where somebody asked for it.
"""

import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from linetrail.queries.exporters.otlp.otlp_events import Said

_TABLE = tomllib.loads((resources.files(__package__) / "otlp_logs.toml").read_text(encoding="utf-8"))
_FILE: dict[str, str] = _TABLE.pop("file")
# type of event -> which fields of its data become which attributes
FIELDS: dict[str, dict[str, Any]] = {name: fields for names, fields in _TABLE.items() for name in names.split()}
_REFUSALS = frozenset({"deny", "ask"})


def said_by(event_type: str, data: Mapping[str, Any], *, content: bool) -> Said:
    """Return what an event says, as attributes; what only its type tells has none."""
    plain = dict(FIELDS.get(event_type, {}))
    words = plain.pop("content", {})
    wanted = plain | words if content else plain
    return {key: _field(data, name) for key, name in wanted.items()}


def is_warning(event_type: str, data: Mapping[str, Any]) -> bool:
    """Return whether an event is a warning: something was refused, or broke a rule."""
    return event_type == "gate.violation" or data.get("verdict") in _REFUSALS


def changes(files: Sequence[Mapping[str, Any]]) -> list[Said]:
    """Return the attributes of each file of a mutation."""
    # what is no snapshot says nothing of it
    return [{key: file[name] if file[name] is not False else None for key, name in _FILE.items()} for file in files]


def _field(data: Mapping[str, Any], name: str) -> Any:
    value: Any = data
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
