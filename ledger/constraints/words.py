"""Say in words what a structured constraint demands, for whoever has to keep it."""

from collections.abc import Mapping
from typing import Any

_LIMITS = (("min_version", "at least"), ("max_version", "at most"), ("exact", "exactly"))


def words(rule: Mapping[str, Any]) -> str:
    """Return one sentence: the rule's own where somebody wrote one, else what its fields say.

    >>> words({"type": "file_size", "max_lines": 500, "scope": "src/**"})
    'at most 500 lines in a file (src/**)'
    """
    told = rule.get("message") or rule.get("description")
    if isinstance(told, str):
        return told
    kind = rule.get("type")
    if kind == "file_size":
        limits = [f"at most {rule[key]} {key[4:]}" for key in ("max_lines", "max_bytes") if key in rule]
        said = f"{', '.join(limits)} in a file"
    elif kind == "library_version":
        said = " ".join([str(rule.get("library")), *(f"{word} {rule[key]}" for key, word in _LIMITS if key in rule)])
    else:
        forbidden = rule.get("forbid") or rule.get("pattern")
        said = (
            f"no changed line holds {_listed(forbidden)}"
            if forbidden
            else f"a file holds {_listed(rule.get('require'))}"
        )
    return f"{said} ({_listed(rule['scope'], mark='')})" if rule.get("scope") else said


def _listed(value: Any, *, mark: str = "`") -> str:
    return ", ".join(f"{mark}{item}{mark}" for item in (value if isinstance(value, list | tuple) else [value]))
