"""Write what the modules of agents say where it is read without them: by people, and by a hook that is in a hurry.

README.md names them all and docs/agents.md is the page; ledger/agents.py has what is asked of every agent at once, and
ledger/hook/entry.py how each is told a denial where nothing else can be loaded. A test fails when one of them is not
what this would write. A new agent is found by its module.

    python tools/make_agents.py
"""

import importlib
import json
import pkgutil
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from linetrail.ledger import adapters
from linetrail.ledger.adapters.adapter import Adapter
from linetrail.ledger.adapters.agent import GATE_SECONDS, GROUPS, LIST, SCRIPTS, Agent
from linetrail.ledger.event.signal import Answer

ROOT = Path(__file__).resolve().parents[1]
README, PAGE = ROOT / "README.md", ROOT / "docs" / "agents.md"
INDEX, ENTRY = ROOT / "ledger" / "agents.py", ROOT / "ledger" / "hook" / "entry.py"
BEGIN, END = "<!-- agents -->\n", "<!-- all of them -->\n"
ENTRY_BEGIN, ENTRY_END = "# From here on made by tools/make_agents.py.\n", "# Made by it up to here.\n"
# How many characters of a form fit into a line.
WIDTH = 90

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


_INDEX = '''"""What is asked of every agent at once, without loading any of their modules: a hook has no time for that.

Made by tools/make_agents.py from the modules in adapters/; not to be edited.
"""

# agent as named on the command line -> its module in adapters/
'''


def table() -> str:
    """Return the table of all agents."""
    return "".join(f"{line}\n" for line in _table(abouts()))


def readme() -> str:
    """Return README.md with the names of all agents between its markers."""
    # A name stays in one line.
    names = [re.split(r",| \(", row.title)[0].replace(" ", "~") for row in abouts()]
    text = f"{len(names)} agents are known: {', '.join(names[:-1])} and {names[-1]}.\n"
    return _between(README, BEGIN, END, textwrap.fill(text, 120).replace("~", " ") + "\n")


def page() -> str:
    """Return the whole page about agents."""
    return _HEAD + table() + "\n" + "\n".join("".join(f"{line}\n" for line in _entry(row)) for row in abouts())


def index() -> str:
    """Return ledger/agents.py."""
    found = abouts()
    return _INDEX + "".join(f"{line}\n" for line in _index(found))


def entry() -> str:
    """Return ledger/hook/entry.py with what agents are told, and whom a refusal ends, between its markers."""
    return _between(ENTRY, ENTRY_BEGIN, ENTRY_END, "".join(f"{line}\n" for line in _last_words()))


def modules() -> list[Adapter]:
    """Return the modules of all agents, in the order of lists."""
    names = (found.name for found in pkgutil.iter_modules(adapters.__path__, f"{adapters.__name__}."))
    found = [cast("Adapter", module) for name in names if hasattr(module := importlib.import_module(name), "about")]
    return sorted(found, key=lambda module: (module.about().rank, module.NAME))


def abouts() -> list[Agent]:
    """Return what all agents are, in the order of lists."""
    return [module.about() for module in modules()]


def _between(path: Path, begin: str, end: str, text: str) -> str:
    head, found, rest = path.read_text("utf-8").partition(begin)
    _, ended, tail = rest.partition(end)
    if not (found and ended):
        raise ValueError(f"there are no markers in {path}")
    return head + found + text + ended + tail


def _index(found: list[Agent]) -> Iterator[str]:
    """Yield the lines of the module, each name with a comment."""
    signs = {row.name: row.sign for row in found}
    names = [module.__name__.rpartition(".")[2] for module in cast("list[Any]", modules())]
    yield from _value("AGENTS", zip([row.name for row in found], names, strict=True))
    yield "# Agents whose hooks others run, too, and those that run them: one event may come twice, told in two ways."
    yield from _value("LENDERS", {lender for row in found for lender in row.borrows})
    yield from _value("BORROWERS", {row.name for row in found if row.borrows})
    yield "# By what a payload shows who sent it: a key, what the ids of calls contain, or the path of the transcript."
    yield from _value("KEYS", ((sign.key, name) for name, sign in signs.items() if sign.key))
    yield from _value("CALL_IDS", ((sign.call_id, name) for name, sign in signs.items() if sign.call_id))
    yield from _value("TRANSCRIPTS", ((sign.transcript, name) for name, sign in signs.items() if sign.transcript))
    yield "# Who always names a transcript, never the time; where none is named, a key, or tools in lower case, tell."
    yield from _value("NAMES_TRANSCRIPT", {row.name for row in found if row.names_transcript})
    yield from _value("LATE_KEYS", ((sign.late_key, name) for name, sign in signs.items() if sign.late_key))
    yield from _value("LOWER_TOOLS", [name for name, sign in signs.items() if sign.lower_tools])
    yield "# Set by agents to their project, for what they start."
    yield from _value("PROJECT_VARIABLES", [name for row in found for name in row.project_variables])
    shells = [(variable, (row.name, own)) for row in found for variable, own in row.shell_variables]
    yield "# What agents set in the shells they start -> the agent, whether the value is the id that its hooks have."
    yield from _value("SHELL_VARIABLES", sorted(shells, key=lambda shell: not shell[1][1]))
    yield "# A refusal ends the whole run of these: they are only told, unless settings or environment want more."
    yield from _value("ONLY_TOLD", {row.name for row in found if row.only_told})
    yield "# Settings of a project that hold nothing but hooks, and those that hold more."
    yield from _value("HOOK_FILES", sorted({_watched(row) for row in found if row.file not in row.mixed}))
    yield from _value("MIXED_FILES", sorted({file for row in found for file in row.mixed}))
    yield "# What in a project tells agents what to do: only people change it."
    yield from _value("PROTECTED", list(dict.fromkeys(path for row in found for path in row.protected)))
    yield "# Where agents make worktrees for sessions of their own."
    yield from _value("WORKTREES", [row.worktrees for row in found if row.worktrees])
    yield "# What starts an agent."
    programs = [program for row in found if row.program for program in (row.program.name, *row.program.others)]
    yield from _value("PROGRAMS", programs)


def _watched(row: Agent) -> str:
    """Return the file of an agent that says whether a call is judged, as we name it."""
    return f"{row.file}/{row.gates[0]}" if row.layout == SCRIPTS else row.file.replace("*", "linetrail")


def _value(name: str, value: Iterable[Any]) -> Iterator[str]:
    """Yield a dict of pairs, a set or a tuple, with an item in each line."""
    if isinstance(value, set):
        inner = ", ".join(map(_spelled, sorted(value)))
        yield f"{name} = frozenset({{{inner}}})"
        return
    items = list(value)
    if len(items) == 1 and isinstance(items[0], str):
        yield f"{name} = {_spelled((items[0],))}"
        return
    pairs = bool(items) and isinstance(items[0], tuple)
    yield f"{name} = {'{' if pairs else '('}"
    yield from (
        f"    {_spelled(item[0])}: {_spelled(item[1])}," if pairs else f"    {_spelled(item)}," for item in items
    )
    yield "}" if pairs else ")"


def _spelled(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_spelled, value))}{',' if len(value) == 1 else ''})"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _last_words() -> Iterator[str]:
    """Yield the lines of entry.py: how an agent is told a denial, and what it is told where there is nothing to say."""
    yield "# agent -> how it is told a denial, with the message as JSON text, and when; no form: on stderr, by status 2"
    yield "_DENIALS: dict[str, tuple[str | None, tuple[str, ...]]] = {"
    for module in modules():
        said = module.reply(module.GATED[0], Answer("deny", "%s"))
        yield f"    {_spelled(module.NAME)}: ("
        yield from _form(said.stdout.decode() if said.exit_code == 0 else None)
        yield f"        {_spelled(module.GATED)},"
        yield "    ),"
    yield "}"
    yield "# What agents have to be told even where there is nothing to say."
    silence = {module.NAME: module.reply("", Answer()).stdout for module in modules()}
    said = [f"{_spelled(name)}: b{_quoted(text.decode())}" for name, text in silence.items() if text]
    yield f"_GO_ON = {{{', '.join(said)}}}"
    yield "# As in agents.py."
    yield from _value("PROJECT_VARIABLES", [name for row in abouts() for name in row.project_variables])
    yield from _value("_ONLY_TOLD", [row.name for row in abouts() if row.only_told])


def _form(text: str | None) -> Iterator[str]:
    """Yield the text of an answer, in several lines where it is long."""
    if text is None or len(text) <= WIDTH:
        yield f"        {None if text is None else _quoted(text)},"
        return
    yield "        ("
    yield from (f"            {_quoted(text[at : at + WIDTH])}" for at in range(0, len(text), WIDTH))
    yield "        ),"


def _quoted(text: str) -> str:
    """Spell a text as the formatter does: in double quotes, unless it has some in it."""
    return repr(text) if '"' in text else json.dumps(text)


def _table(rows: Iterable[Agent]) -> Iterator[str]:
    yield "| agent | `--agent` | records | denies | asks a person | told facts at | a failing hook | known from |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rows:
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
    if not row.timeout:
        return "no limit that could be set"
    unit = "seconds" if row.units_a_second == 1 else "milliseconds"
    waits = f", {GATE_SECONDS * row.units_a_second} in `block` where a call may be refused"
    return f"each with `{row.timeout[0]}` of {row.timeout[1]} {unit}{waits if row.gates and not row.frozen else ''}"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main() -> None:
    """Write all of them."""
    for path, text in ((INDEX, index()), (ENTRY, entry()), (README, readme()), (PAGE, page())):
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
