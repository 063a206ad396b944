"""Parse a command line and run its command: the table of commands, their parsers, the help page.

Only the module of the command that was asked for is imported, so `linetrail --help` costs what argparse costs.
"""

import argparse
import importlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.repository import find, is_waiting
from linetrail.queries.render.progress import shown
from linetrail.queries.render.terminal import add_terminal

if TYPE_CHECKING:  # it takes DuckDB along
    from linetrail.queries.render.output import Answer

PROMISE = "git blame for the why: which agent wrote a line, for which intent, in which conversation."

# command -> (module under linetrail.queries.commands, one line of help), in the order of the help page
COMMANDS = {
    "try": ("records.try_", "read this repository's agent sessions into a temporary ledger and sum them up"),
    "init": ("records.init", "set linetrail up here and install the hooks of agents"),
    "doctor": ("checks.doctor", "tell whether hooks fire and what is in their way"),
    "demo": ("records.demo", "unpack a small repository with a four-week ledger to look at"),
    "status": ("questions.status", "active intents, sessions, uncommitted agent lines, health of the ledger"),
    "blame": ("questions.blame", "who wrote each line of a file, for which intent"),
    "why": ("questions.why", "the intent, prompt and later changes behind one line, or behind one definition"),
    "lineage": (
        "questions.lineage",
        "every version of one function, class or method, wherever it was and whatever its name",
    ),
    "diff": ("questions.diff", "who wrote and who deleted each line that two revisions differ in"),
    "stats": ("questions.stats", "how many lines people and agents wrote and deleted"),
    "usage": ("questions.usage", "the tokens that models took, and their cost at list prices, by day, model, intent …"),
    "classify": (
        "questions.classify",
        "does a change alter behaviour or only how it is written, proved from syntax trees",
    ),
    "log": ("questions.log", "what happened, newest first"),
    "show": ("questions.show", "one event, session, intent, commit or content in full"),
    "transcript": (
        "questions.transcript",
        "what was said in a session, read where its agent keeps it; nothing of it is stored",
    ),
    "ask": ("questions.ask", "ask in plain words: authentication changes of last week"),
    "sql": ("questions.sql", "ask the tables in SQL, read-only"),
    "intents": ("records.intents", "list, check and change the intents of active_intents.yaml, and tell their history"),
    "plan": ("work.plan", "which intents may run together, and which would meet in a file"),
    "start": ("work.start", "begin the work for an intent in a worktree of its own, and let an agent do it"),
    "workers": ("work.workers", "who works on which intent, how far, where, and who may meet whom"),
    "give-back": ("work.give_back", "freeze the work for an intent, run its checks, write down what it changes"),
    "land": ("work.land", "merge what was given back, once no line is lost and the check passes"),
    "arbitrate": ("work.arbitrate", "lay two works beside each other, and record which goes first and why"),
    "since": ("work.since", "what others changed of the files that a session knows, since it last read them"),
    "select": ("records.select", "say which intent the next events belong to"),
    "record-decision": ("records.record_decision", "keep what was decided, why, and which ways were not taken"),
    "correct": ("records.correct", "overrule who wrote lines, or what a change was; the old answer stays visible"),
    "decisions": ("questions.decisions", "what was decided here: list it, show one, or those behind a line"),
    "lesson": ("records.lesson", "what was learned here: list it, add to it, promote or forget it"),
    "gate": ("checks.gate", "who has to stop for now, and what waits for a person"),
    "approvals": ("checks.approvals", "what waits for a person and what is approved; put off, take back"),
    "approve": ("checks.approve", "let an agent do what it asked for: once, in its session, or as new scope"),
    "reject": ("checks.approve", "refuse what an agent asked for, and tell it why"),
    "check-path": ("checks.check_path", "may an intent with this scope write this path"),
    "check-command": ("checks.check_command", "does a shell command only read, does it change, or is it dangerous"),
    "check-staged": ("checks.check_staged", "do the staged files belong to the selected intent; a hook for pre-commit"),
    "check-ignore": ("checks.check_ignore", "which paths need no intent, and the pattern that says so"),
    "audit": ("checks.audit", "what happened that should not have: rule by rule, for people and for build servers"),
    "explain": ("checks.explain", "what a rule of the audit or a code of the gate means, and what helps"),
    "ci": ("checks.ci", "verify, check what is generated, audit what a branch brought, and sum it up for a forge"),
    "completion": ("records.completion", "print what makes your shell complete commands, options and ids"),
    "verify": ("checks.verify", "is everything that was recorded still there, byte for byte"),
    "recovery-point": ("records.recovery_point", "mark the state of the files, to come back to"),
    "restore": ("records.restore", "bring back files as a recovery point has them, or sealed segments that git lost"),
    "seal": ("records.seal", "close what was recorded into segments that git can carry"),
    "checkpoint": ("records.checkpoint", "write down which segments there are, to sign and to keep elsewhere"),
    "erase": ("records.erase", "destroy what is kept of files and prompts, and say so in the ledger"),
    "import": (
        "records.import_",
        "read agent sessions, older ledgers, notes on commits and trailers in them into the ledger",
    ),
    "export": ("records.export", "write what the ledger knows in the formats of other tools"),
    "serve": ("questions.serve", "show all this in a browser, on this machine alone"),
    "lsp": ("questions.lsp", "tell an editor all this, over the Language Server Protocol"),
    "report": ("questions.report", "write all this into one HTML file that needs nothing else"),
    "mcp": ("records.mcp", "offer all this to an agent as tools, over the Model Context Protocol"),
    "push": ("records.push", "put sealed segments into an object store that many repositories share"),
    "pull": ("records.pull", "take segments out of an object store, and see that it still has them all"),
    "fleet": ("fleet.fleet", "ask many repositories at once: build their tables in a store, ask, say what is kept"),
    "rebuild": ("records.rebuild", "make every projection anew from the ledger"),
}
# Commands that take `-- PATH…` behind everything else, as git's do, or the words of a command.
WITH_PATHS = {"classify", "diff", "start", "stats"}
# What people want to do -> the commands for it. A command that stands nowhere here is shown at the end.
_GROUPS = {
    "ask about the code": ("blame", "why", "log", "show", "status", "diff", "stats", "ask"),
    "begin": ("init", "doctor", "try", "demo", "mcp", "completion"),
    "look closer": (
        "transcript", "usage", "lineage", "classify", "sql", "audit", "explain", "ci", "report", "serve",
        "lsp", "notebook",
    ),
    "say what is being worked on": (
        "intents", "select", "record-decision", "decisions", "correct", "lesson", "thought",
    ),
    "let several agents work": ("plan", "start", "workers", "give-back", "land", "arbitrate", "since"),
    "let agents do no more than they should": (
        "gate", "approvals", "approve", "reject", "check-path", "check-command", "check-staged", "check-ignore",
    ),
    "keep what was recorded": (
        "seal", "verify", "restore", "recovery-point", "checkpoint", "erase", "rebuild", "import", "export",
        "push", "pull", "fleet",
    ),
}  # fmt: skip
_EXAMPLES = (
    ("linetrail blame PATH", "who wrote each line"),
    ("linetrail why PATH:12", "which intent and which prompt led to line 12"),
    ("linetrail help COMMAND", "all of one command; `git linetrail COMMAND` works, too"),
)


def run(arguments: Sequence[str]) -> int:
    """Run the command that a command line asks for, in a pager where its answer is long; return its exit status."""
    arguments = _as_help(arguments)
    command = next(iter(positional(arguments)), None)
    parser = parser_of(command)
    if command in WITH_PATHS:
        end = arguments.index("--") if "--" in arguments else len(arguments)
        args = parser.parse_args(arguments[:end], argparse.Namespace(paths=arguments[end + 1 :]))
    else:
        args = parser.parse_args(arguments)
    if args.command is None:
        parser.print_help()
        return 0
    if not os.path.isdir(args.directory):
        parser.error(f"-C {args.directory}: no such directory")
    _finish_hooks(args.directory)
    long = getattr(args, "paged", False) and not getattr(args, "follow", False)
    if not (long and args.pager and sys.stdout.isatty()):
        with shown():
            return int(args.run(args))
    from linetrail.queries.render.pager import paged

    with paged(args.directory), shown():
        return int(args.run(args))


def answer(arguments: Sequence[str]) -> "Answer":
    """Return what a command answers, for a surface that is no terminal; wrong arguments raise instead of ending us."""
    command = next(iter(positional(arguments)))
    end = arguments.index("--") if "--" in arguments else len(arguments)
    known = argparse.Namespace(paths=arguments[end + 1 :])
    try:
        args = parser_of(command, exit_on_error=False).parse_args(arguments[:end], known)
    except argparse.ArgumentError as error:
        raise UsageError(str(error)) from None
    _finish_hooks(args.directory)
    found: Answer = args.answer(args)
    return found


def _finish_hooks(directory: str) -> None:
    """Record what hooks left behind that were killed or had no time: an answer is given over all that they had read."""
    try:
        repository = find(directory)
    except LinetrailError:
        return
    if is_waiting(repository):
        from linetrail.ledger.hook.loop import finish

        finish(repository)


def _as_help(arguments: Sequence[str]) -> Sequence[str]:
    words = positional(arguments)
    if not words or words[0] != "help":
        return arguments
    before = len(arguments) - len(words)
    return [*arguments[:before], *words[1:], "--help"]


def positional(arguments: Sequence[str]) -> Sequence[str]:
    """Return the arguments from the command on, without `-C DIR` and other global flags."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in {"-C", "--color"} else 1
    return arguments[at:]


def parser_of(command: str | None, *, exit_on_error: bool = True) -> argparse.ArgumentParser:
    """Return the parser for a command line with this command; it knows no other command."""
    parser = _Parser(prog="linetrail", description=PROMISE, exit_on_error=exit_on_error)
    parser.add_argument("-C", dest="directory", metavar="DIR", default=".", help="work as if started in DIR")
    parser.add_argument("--version", action=_Version, help="print the version and stop")
    add_terminal(parser)
    parser.set_defaults(command=None)
    if command is None:
        return parser
    if command not in COMMANDS:
        raise _unknown(command)
    module, about = COMMANDS[command]
    commands = parser.add_subparsers(parser_class=_Command)
    parser.set_defaults(command=command)
    sub = commands.add_parser(command, description=about[0].upper() + about[1:] + ".", exit_on_error=exit_on_error)
    implementation = importlib.import_module(f"linetrail.queries.commands.{module}")
    implementation.configure(sub)
    answered = getattr(implementation, "answer", None)
    sub.set_defaults(run=getattr(implementation, "run", _show), answer=answered)
    return parser


def _show(args: argparse.Namespace) -> int:
    """Print what a command answers."""
    from linetrail.queries.render.output import show

    return show(args, args.answer(args))


class _Command(argparse.ArgumentParser):
    """A parser that takes options by their whole name, as the gate reads them; its errors name the help to ask for."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False} | kwargs)
        self._mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse words; those of a command whose default `intermixed` is set may stand among its options."""
        if self._mixing or not self.get_default("intermixed"):
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, and exit with status 2."""
        first = re.search(r"^    (\w\S*)", self.format_help(), re.MULTILINE)
        if message.endswith("required: VERB") and first:
            self.exit(2, f"{self.format_help()}\nnext: {self.prog} {first[1]}\n")
        self.print_usage(sys.stderr)
        program, *words = self.prog.split()
        asked = words or [word for word in [self.get_default("command")] if word]
        self.exit(2, f"{self.prog}: error: {printable(message)}\nnext: {' '.join([program, 'help', *asked])}\n")


class _Parser(_Command):
    """The parser of the whole command line, whose help groups the commands by purpose."""

    def format_help(self) -> str:
        return _page(self)


def _unknown(command: str) -> UsageError:
    """Return an error that names the question that is called so, else similar commands."""
    import difflib  # for a slip of the pen alone

    question = command.replace("-", "_")
    file = os.path.join(os.path.dirname(__file__), "questions", f"{question}.sql")
    if question.isidentifier() and os.path.isfile(file):
        return UsageError(f"linetrail has no command {command!r}, but a question", f"linetrail sql @{question}")
    alike = difflib.get_close_matches(command, [*COMMANDS, "help"], n=3, cutoff=0.6)
    alike += [name for name in COMMANDS if name.startswith(command) and name not in alike][: 3 - len(alike)]
    return UsageError(
        f"linetrail has no command {command!r}", " or ".join(f"linetrail {name}" for name in alike) or "linetrail help"
    )


class _Version(argparse.Action):
    """Look the version up only when it is asked for: the metadata costs 30 ms to import."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:  # noqa: A002  argparse names it
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"linetrail {version('linetrail')}")
        parser.exit()


def _page(parser: argparse.ArgumentParser) -> str:
    """Return the help page: examples, then all commands grouped by purpose."""
    lines = [f"usage: {parser.prog} [-C DIR] [--color WHEN] [--no-pager] COMMAND ...", "", parser.description or ""]
    lines += ["", *_columns(_EXAMPLES)]
    for title, names in _grouped().items():
        lines += ["", title, *_columns((name, COMMANDS[name][1]) for name in names)]
    return "\n".join([*lines, "", "options", *_columns(_options(parser)), ""])


def _grouped() -> dict[str, list[str]]:
    groups = {title: [name for name in names if name in COMMANDS] for title, names in _GROUPS.items()}
    placed = {name for names in groups.values() for name in names}
    groups["and more"] = [name for name in COMMANDS if name not in placed]
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


def printable(told: object) -> str:
    """Return a message without control characters: names and arguments in it may be hostile."""
    lines = str(told).split("\n")
    if all(map(str.isprintable, lines)):
        return "\n".join(lines)
    from linetrail.queries.render.text import plain  # for hostile names alone: it takes DuckDB along

    return "\n".join(map(plain, lines))
