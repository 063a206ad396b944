"""The command line: parse, hand over to one command, turn what it raises into a message and an exit status.

Only the module of the command that was asked for is imported, so `linetrail --help` costs what argparse costs.
"""

import argparse
import contextlib
import errno
import importlib
import os
import re
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import NoReturn

from linetrail.ledger.errors import DamageWarning, GoneError, LinetrailError, StorageError, UsageError
from linetrail.queries.render.progress import shown
from linetrail.queries.render.terminal import add_terminal

PROMISE = "git blame for the why: which agent wrote a line, for which intent, in which conversation."

# command -> (module under linetrail.queries.commands, one line of help), in the order of the help page
COMMANDS = {
    "try": ("records.trying", "read this repository's agent sessions into a temporary ledger and sum them up"),
    "init": ("records.init", "set linetrail up here and install the hooks of agents"),
    "doctor": ("checks.doctor", "tell whether hooks fire and what is in their way"),
    "demo": ("records.demo", "unpack a small repository with a two-week ledger to look at"),
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
    "show": ("questions.show", "one event, session, intent or commit in full"),
    "transcript": (
        "questions.transcript",
        "what was said in a session, read where its agent keeps it; nothing of it is stored",
    ),
    "ask": ("questions.ask", "ask in plain words: authentication changes of last week"),
    "sql": ("questions.sql", "ask the tables in SQL, read-only"),
    "intents": ("records.intents", "list, check and change the intents of active_intents.yaml, and tell their history"),
    "select": ("records.select", "say which intent the next events belong to"),
    "record-decision": ("records.record_decision", "keep what was decided, why, and which ways were not taken"),
    "decisions": ("questions.decisions", "what was decided here: list it, show one, or those behind a line"),
    "lesson": ("records.lesson", "what was learned here: list it, add to it, promote or forget it"),
    "gate": ("checks.gate", "who has to stop for now, and what waits for a person"),
    "approve": ("checks.approving", "let an agent do, once, what it asked for; without an ID, list what waits"),
    "reject": ("checks.approving", "refuse what an agent asked for, and tell it why"),
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
        "records.importing",
        "read agent sessions, older ledgers, notes on commits and trailers in them into the ledger",
    ),
    "export": ("records.export", "write what the ledger knows in the formats of other tools"),
    "mcp": ("records.mcp", "offer all this to an agent as tools, over the Model Context Protocol"),
    "rebuild": ("records.rebuild", "make every projection anew from the ledger"),
}
# Commands that take `-- PATH…` behind everything else, as git's do.
WITH_PATHS = {"classify", "diff", "stats"}
# What the scripts of `linetrail completion` ask; nobody types it.
COMPLETE = "__complete"
OK, INTERNAL, INTERRUPTED = 0, 4, 130
_REFUSED_BY_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    _open_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == [COMPLETE]:
        from linetrail.queries.completing import main as complete  # it asks this module for the parsers

        return complete(arguments[1:])
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DamageWarning)
            status = _run(arguments)
        sys.stdout.flush()
        once = {str(warning.message): warning for warning in caught}  # a command may open the tables twice
        status = max([status, *map(_warn, once.values())])
    except LinetrailError as error:
        if isinstance(error, UsageError):
            error.hint = error.hint or " ".join(["linetrail help", *_positional(arguments)[:1]])
        return _explain(error)
    except BrokenPipeError:
        # The reader has seen enough (`linetrail log | head`); what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  the boundary: a bug is reported as one, with the way to its traceback
        return _report(error)
    return status


def _open_streams() -> None:
    """Open nothing in the place of a closed stdin, stdout or stderr, as git does: another file would get its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  it stays open to the end


def _run(arguments: Sequence[str]) -> int:
    arguments = _as_help(arguments)
    command = next(iter(_positional(arguments)), None)
    parser = parsed_by(command)
    if command in WITH_PATHS:
        end = arguments.index("--") if "--" in arguments else len(arguments)
        args = parser.parse_args(arguments[:end], argparse.Namespace(paths=arguments[end + 1 :]))
    else:
        args = parser.parse_args(arguments)
    if args.command is None:
        parser.print_help()
        return OK
    if not os.path.isdir(args.directory):
        parser.error(f"-C {args.directory}: no such directory")
    long = getattr(args, "paged", False) and not getattr(args, "follow", False)
    if not (long and args.pager and sys.stdout.isatty()):
        with shown():
            return int(args.run(args))
    from linetrail.queries.render.pager import paged

    with paged(args.directory), shown():
        return int(args.run(args))


def _as_help(arguments: Sequence[str]) -> Sequence[str]:
    """Read `help COMMAND` as `COMMAND --help`."""
    words = _positional(arguments)
    if not words or words[0] != "help":
        return arguments
    before = len(arguments) - len(words)
    return [*arguments[:before], *words[1:], "--help"]


def _positional(arguments: Sequence[str]) -> Sequence[str]:
    """Return the arguments from the command on: what stands before it is `-C DIR` or another global flag."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in {"-C", "--color"} else 1
    return arguments[at:]


def parsed_by(command: str | None) -> argparse.ArgumentParser:
    """Return the parser of a command line that asks for this command; it knows no other."""
    parser = _Parser(prog="linetrail", description=PROMISE)
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
    sub = commands.add_parser(command, description=about[0].upper() + about[1:] + ".")
    implementation = importlib.import_module(f"linetrail.queries.commands.{module}")
    implementation.configure(sub)
    sub.set_defaults(run=implementation.run)
    return parser


class _Command(argparse.ArgumentParser):
    """What a command understands; what it does not, it says with the command that tells more."""

    def error(self, message: str) -> NoReturn:
        """Refuse a command line."""
        first = re.search(r"^    (\w\S*)", self.format_help(), re.MULTILINE)
        if message.endswith("required: VERB") and first:
            self.exit(2, f"{self.format_help()}\nnext: {self.prog} {first[1]}\n")
        self.print_usage(sys.stderr)
        program, *words = self.prog.split()
        asked = words or [word for word in [self.get_default("command")] if word]
        self.exit(2, f"{self.prog}: error: {_shown(message)}\nnext: {' '.join([program, 'help', *asked])}\n")


class _Parser(_Command):
    """Help that begins with what people want to do."""

    def format_help(self) -> str:
        """Return the one page."""
        from linetrail.queries.overall import page  # for whoever asks alone

        return page(self, COMMANDS)


def _unknown(command: str) -> UsageError:
    """Say that there is no such command, and which sound alike."""
    import difflib  # for a slip of the pen alone

    alike = difflib.get_close_matches(command, [*COMMANDS, "help"], n=3, cutoff=0.6)
    alike += [name for name in COMMANDS if name.startswith(command) and name not in alike][: 3 - len(alike)]
    error = UsageError(f"linetrail has no command {command!r}")
    error.hint = " or ".join(f"linetrail {name}" for name in alike) or "linetrail help"
    return error


class _Version(argparse.Action):
    """Look the version up only when it is asked for: the metadata costs 30 ms to import."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:  # noqa: A002  argparse names it
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"linetrail {version('linetrail')}")
        parser.exit()


def _explain(error: LinetrailError) -> int:
    with contextlib.suppress(OSError):  # where nobody can be told, the status says it
        print(f"error: {_shown(error)}", file=sys.stderr)
        if error.hint:
            print(f"next: {_shown(error.hint)}", file=sys.stderr)
    return error.exit_status


def _shown(told: object) -> str:
    """Return what is told without what steers a terminal: names and arguments in it may be anybody's."""
    lines = str(told).split("\n")
    if all(map(str.isprintable, lines)):
        return "\n".join(lines)
    from linetrail.queries.render.render import plain  # for hostile names alone: it takes DuckDB along

    return "\n".join(map(plain, lines))


def _warn(caught: warnings.WarningMessage) -> int:
    """Say what an answer was given without, and return the status that this ends with."""
    if isinstance(caught.message, DamageWarning):
        return _explain(caught.message.error)
    warnings.showwarning(caught.message, caught.category, caught.filename, caught.lineno)
    return OK


def _report(error: Exception) -> int:
    if isinstance(error, OSError) and error.errno in _REFUSED_BY_DISK:
        return _explain(StorageError(f"the answer cannot be written: {error.strerror}"))
    if isinstance(error, FileNotFoundError) and _is_gone():
        return _explain(GoneError(f"the folder that you are in was deleted: {os.environ.get('PWD', '.')}"))
    if os.environ.get("LINETRAIL_DEBUG") == "1":
        traceback.print_exc()
    else:
        print(f"error: internal: {type(error).__name__}: {_shown(error)}", file=sys.stderr)
        print("next: run again with LINETRAIL_DEBUG=1 and report the traceback", file=sys.stderr)
    return INTERNAL


def _is_gone() -> bool:
    """Tell whether the working directory was deleted."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False
