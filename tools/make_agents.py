"""Write docs/agents.md, what the catalogue says for people.

``python tools/make_agents.py`` writes them; a test fails when a file is not what this would write.
"""

from collections.abc import Iterator
from pathlib import Path

from linetrail.ledger.adapters.agent import GROUPS, LIST, SCRIPTS, Agent
from linetrail.ledger.adapters.catalogue import CATALOGUE

ROOT = Path(__file__).resolve().parents[1]
README, PAGE = ROOT / "README.md", ROOT / "docs" / "agents.md"
BEGIN, END = "<!-- begin generated: agents -->\n", "<!-- end generated -->\n"

_HEAD = """# Agents

<!-- generated from ledger/adapters/: python tools/make_agents.py -->

`linetrail init --agent NAME` puts hooks into the settings of an agent in this project, `--agent detected` into those of
every agent that left traces here or in your home folder. `--undo` gives back the exact bytes. With `--user` the hooks
go into your own settings and are called in every repository; where there is no ledger they do nothing, and how strict
they are each repository says in its `.orchestration/config.yaml`.

**How much of this was tried.** Where the last column names a version, that agent was run: without a network, with a
stand-in for its model, in block mode, up to a refusal. Of the others payloads and answers are made from what each
vendor publishes, and from what others observed. What nobody could confirm is said below.

**Twice is once.** Several agents also call the hooks of Claude Code. Who called is told from the payload, and what
comes twice is recorded once, so that installing both is harmless.

**Elsewhere.** Settings that travel with git name this machine's hook by its full path. Where an agent would take a hook
that is missing for a refusal, the command looks for it first and goes on without; in block mode it does not.

"""


def table() -> str:
    """Return the table of all agents."""
    return "".join(f"{line}\n" for line in _table())


def page() -> str:
    """Return the whole page about agents."""
    return (
        _HEAD + table() + "\n" + "\n".join("".join(f"{line}\n" for line in _entry(row)) for row in CATALOGUE.values())
    )


def _table() -> Iterator[str]:
    yield "| agent | `--agent` | records | denies | asks a person | told facts at | a failing hook | known from |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in CATALOGUE.values():
        marks = row.marks
        told = ", ".join(marks.inject) or "no"
        cells = (row.title, f"`{row.name}`", marks.record, marks.deny, marks.ask, told, marks.fails, marks.evidence)
        yield f"| {' | '.join(cells)} |"


def _entry(row: Agent) -> Iterator[str]:
    yield f"## {row.title}"
    yield ""
    yield f"`linetrail init --agent {row.name}`"
    yield ""
    yield f"- **Hooks** in `{row.file}`, with `--user` in `~/{row.user_file}`; {_shape(row)}."
    yield f"- **Order of steps** in `{row.instructions}`, where it is held to them."
    yield f"- **Events** {_names(row.events)}; a call is stopped at {_names(row.gates)}."
    if row.tools:
        yield f"- **Tools** while it observes `{row.tools}`, else every one."
    yield f"- **For hooks to fire:** {row.trust[0].lower()}{row.trust[1:]}"
    if row.others:
        yield f"- **Also counts** {_names(row.others)}."
    yield from (f"- {limit}" for limit in row.limits)


def _shape(row: Agent) -> str:
    if row.layout == SCRIPTS:
        return "one script for each event"
    if row.layout not in (GROUPS, LIST):
        return "a plugin that is ours as a whole"
    unit = "seconds" if row.units_a_second == 1 else "milliseconds"
    limit = f"`{row.timeout[0]}` of {row.timeout[1]} {unit}" if row.timeout else "no limit that could be set"
    return f"each with {limit}" if row.timeout else limit


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main() -> None:
    """Write it."""
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
