"""linetrail's own commands: what only asks, what records, and what an agent must not do for itself.

Its parser takes no option that is shortened, so each is read here as it is read there: by its whole name.
"""

from collections.abc import Collection, Iterator, Sequence

from linetrail.ledger.shell.reading.options import Known, take
from linetrail.ledger.shell.reading.ruling import READS, Ruling, changes, harms, together
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.values import Arg

PROGRAMS = {"linetrail", "git-linetrail", "linetrail-hook"}
_ASKING = {
    "blame", "why", "diff", "stats", "log", "show", "status", "verify", "doctor", "sql", "check-path", "check-command", "audit",
    "check-ignore", "try", "help", "usage", "lineage", "completion", "intents list", "intents show", "intents lint", "intents history", "intents graph",
    "intents schema", "lesson list", "gate status", "gate reconcile", "decisions", "ask", "transcript", "classify", "explain", "export",
    "report", "plan", "workers", "since",
}  # fmt: skip
_RECORDING = {
    "select", "intents done", "lesson add", "record-decision", "recovery-point", "seal", "rebuild", "checkpoint", "import",
    "demo", "ci", "give-back", "fleet report",
}  # fmt: skip
_GROUPS = {"intents", "lesson", "gate", "fleet"}
# what may stand in front of the command, as queries/command_line.py takes it
_BEFORE = Known("h", "C", "version help directory= color= no-pager")
# options whose value is a file, or a folder, that is written
OUTPUTS = {"--out", "--key-out", "--sarif", "--junit", "--codequality", "--summary", "--comment", "--html"}
# options with which a command records, or changes what is there
_WRITING = {"--write", "--write-baseline", "--record"}
# options with which it changes what the gate goes by, other sessions or the settings of agents
_WIDENING = {"--fix", "--install", "--repair", "--session", "--undo", "--enforce", "--agent", "--break"}


def rule(args: Sequence[Arg], scene: Scene) -> Ruling:
    """Rule on one call; a command that is not known here is taken for one that widens rights."""
    taken = take(args, _BEFORE, permute=False)
    words = [arg.text for arg in taken.operands]
    if taken.unknown is not None or not all(arg.known for arg in args):
        return harms("linetrail is called in a way that cannot be followed")
    if not words:
        return READS
    if any(not value.literal or value.text.startswith(("/", "~", "..")) for _, value in taken.values):
        return changes("linetrail works on another folder")
    if "--help" in words or "-h" in words or words in (["approve"], ["reject"]):
        return READS
    command = " ".join(words[:2]) if words[0] in _GROUPS else words[0]
    options = {word.partition("=")[0] for word in words[1:] if word.startswith("-")}
    widens = any(_is_short_for(option, _WIDENING) for option in options)
    if command not in _ASKING | _RECORDING or (widens and command not in ("log", "stats", "usage")):
        return harms(f"linetrail {command} changes what the gate allows, other sessions, or what the ledger keeps")
    written = [scene.writes(path, f"linetrail {command}") for path in _written(command, taken.operands[1:])]
    if command in _RECORDING or written or options & _WRITING or (command == "export" and "notes" in "".join(words)):
        return together([changes(f"linetrail {command} records"), *written])
    return READS


def _is_short_for(option: str, names: Collection[str]) -> bool:
    """Return whether an option is one of these, or would be for a parser that took shortened ones."""
    return option in names or (len(option) > 3 and any(name.startswith(option) for name in names))


def _written(command: str, args: Sequence[Arg]) -> Iterator[Arg]:
    for place, arg in enumerate(args):
        option, equals, value = arg.text.partition("=")
        if option == "--baseline" and not any(arg.text == "--write-baseline" for arg in args):
            continue
        if option == "--baseline" or _is_short_for(option, OUTPUTS):
            path = arg._replace(text=value) if equals else next(iter(args[place + 1 : place + 2]), Arg("-"))
            if path.text != "-":
                yield path
    if command == "demo":
        options = {arg.text for arg in args}
        kind = next((kind for kind in ("gate-", "team-") if f"--{kind[:-1]}" in options), "")
        folders = [arg for arg in args if not arg.text.startswith("-")] or [Arg(f"linetrail-{kind}demo")]
        # the worktrees of a team are beside its repository
        ends = ("/", "-work/") if kind == "team-" else ("/",)
        yield from (folder._replace(text=f"{folder.text}{end}") for folder in folders for end in ends)
