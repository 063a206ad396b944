"""linetrail's own commands: what only asks, what records, and what an agent must not do for itself."""

from collections.abc import Sequence

from linetrail.ledger.shell.reading.options import known, take
from linetrail.ledger.shell.reading.ruling import READS, Ruling, changes, harms
from linetrail.ledger.shell.reading.values import Arg

PROGRAMS = {"linetrail", "git-linetrail", "linetrail-hook"}
_ASKING = {
    "blame", "why", "diff", "stats", "log", "show", "status", "verify", "doctor", "sql", "check-path", "check-command",
    "check-ignore", "try", "help", "usage", "lineage", "completion", "intents list", "intents show", "intents lint", "intents history", "intents graph",
    "intents schema", "lesson list", "gate status", "gate reconcile", "decisions", "ask",
}  # fmt: skip
_RECORDING = {
    "select", "intents done", "lesson add", "record-decision", "recovery-point", "seal", "rebuild", "checkpoint", "import",
    "demo", "export",
}  # fmt: skip
_GROUPS = {"intents", "lesson", "gate"}
# what may stand in front of the command, as queries/cli.py takes it
_BEFORE = known("h", "C", "version help directory= color= no-pager")
_WRITING = {"--out", "-o", "--fix", "--install", "--write", "--repair"}


def rule(args: Sequence[Arg]) -> Ruling:
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
    options = [word for word in words[1:] if word.startswith("-")]
    writes = any(option.partition("=")[0] in _WRITING for option in options)
    if command in _ASKING and not writes:
        return READS
    if command == "export" and not writes and "--notes" not in options and "notes" not in words:
        return READS
    if command in _RECORDING or (command in _ASKING and writes):
        return changes(f"linetrail {command} records")
    return harms(f"linetrail {command} changes what the gate allows, or what the ledger keeps")
