"""What the server offers: its tools, each with what it takes, and what the client is told about all of them.

`tools.toml` has the words; of which kind an argument is, and whether a call needs it, `ledger/gate/inputs.py` says, to
the hook as well.
"""

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any, NamedTuple

from linetrail.ledger.gate.inputs import OURS, Field

NAME = "linetrail"
MAX_TRACES = 200
INSTRUCTIONS = (
    "This repository records for which intent each change is made. Before you change files, list the intents and "
    "select the one your work is for; change only its files; complete it with evidence. An error says what to do next."
)
TEMPLATE = "intent://{id}"
ABOUT_TEMPLATE = "One intent: scope, constraints, criteria."

_KINDS: Mapping[str, Mapping[str, Any]] = {
    "text": {"type": "string"},
    "flag": {"type": "boolean"},
    "number": {"type": "integer"},
    "texts": {"type": "array", "items": {"type": "string"}},
}
# What more is known of a number.
_NUMBERS: Mapping[str, Mapping[str, Any]] = {
    "risk": {"type": "number"},
    "limit": {"minimum": 1, "maximum": MAX_TRACES, "default": 20},
}


class Tool(NamedTuple):
    """One tool: what it is for, what is said of each of its arguments, and whether it only reads."""

    name: str
    about: str
    takes: Mapping[str, str]
    reads: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """Return what a call has to look like, as JSON schema."""
        fields = {field.name: field for field in OURS[self.name]}
        needed = [name for name in self.takes if fields[name].required]
        properties = {name: _property(fields[name], said) for name, said in self.takes.items()}
        return {"type": "object", "properties": properties} | ({"required": needed} if needed else {})


def _property(field: Field, said: str) -> dict[str, Any]:
    return {**_KINDS[field.kind], **_NUMBERS.get(field.name, {}), **({"description": said} if said else {})}


TOOLS = tuple(
    Tool(name, **told)
    for name, told in tomllib.loads((resources.files(__package__) / "tools.toml").read_text(encoding="utf-8")).items()
)
