"""The page that `linetrail` shows without a command: what people want to do first, then everything there is."""

import argparse
from collections.abc import Iterable, Iterator, Mapping

# What people want to do -> the commands for it. A command that stands nowhere here is shown at the end.
_GROUPS = {
    "ask about the code": ("blame", "why", "log", "show", "status", "diff", "stats", "ask"),
    "begin": ("init", "doctor", "try", "demo", "mcp", "completion"),
    "look closer": (
        "transcript", "usage", "lineage", "classify", "sql", "audit", "explain", "ci", "report", "serve", "notebook",
    ),
    "say what is being worked on": ("intents", "select", "record-decision", "decisions", "lesson", "thought"),
    "let agents do no more than they should": (
        "gate", "approve", "reject", "check-path", "check-command", "check-staged", "check-ignore",
    ),
    "keep what was recorded": (
        "seal", "verify", "restore", "recovery-point", "checkpoint", "erase", "rebuild", "import", "export",
    ),
}  # fmt: skip
_EXAMPLES = (
    ("linetrail blame PATH", "who wrote each line"),
    ("linetrail why PATH:12", "which intent and which prompt led to line 12"),
    ("linetrail help COMMAND", "all of one command; `git linetrail COMMAND` works, too"),
)


def page(parser: argparse.ArgumentParser, commands: Mapping[str, tuple[str, str]]) -> str:
    """Lay the page out."""
    lines = [f"usage: {parser.prog} [-C DIR] [--color WHEN] [--no-pager] COMMAND ...", "", parser.description or ""]
    lines += ["", *_columns(_EXAMPLES)]
    for title, names in _all(commands).items():
        lines += ["", title, *_columns((name, commands[name][1]) for name in names)]
    return "\n".join([*lines, "", "options", *_columns(_options(parser)), ""])


def _all(commands: Iterable[str]) -> dict[str, list[str]]:
    there = list(commands)
    groups = {title: [name for name in names if name in there] for title, names in _GROUPS.items()}
    placed = {name for names in groups.values() for name in names}
    groups["and more"] = [name for name in there if name not in placed]
    return {title: names for title, names in groups.items() if names}


def _options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:  # noqa: SLF001  argparse tells them in no other way
        if action.option_strings and action.help != argparse.SUPPRESS:
            value = f" {action.metavar or (action.choices and '|'.join(action.choices))}" if action.nargs != 0 else ""
            yield ", ".join(action.option_strings) + value, action.help or ""


def _columns(rows: Iterable[tuple[str, str]]) -> list[str]:
    there = list(rows)
    width = max(len(left) for left, _ in there)
    return [f"  {left:<{width}}  {right}" for left, right in there]
