"""What a command prints, where every word of it is a name or a number, and so never an option."""

import re
from collections.abc import Iterator, Sequence

from linetrail.ledger.shell.reading.syntax import Assignment, Command, Compound, Script, Simple, scripts

# Closed lists: with an option that stands in none of them a program could print anything.
_OPERANDS = r"(?: --)?(?: (?!-)\S+)*"
_TESTS = r"(?: -(?:type|i?name|path|not|o|a|or|and|maxdepth|mindepth|newer|size|prune|empty|print0?|executable)(?: (?!-)\S+)*| -[mc](?:time|min) [-+]?\d+)*"
_MATCHING = r"(?: -[EFGHPIiRrswnvlL]+| --(?:in|ex)clude(?:-dir)?=\S+)*"
_NAMED = r"(?: --cached| --staged| -z| --diff-filter=\w+| --no-renames)*"
_COMMITS = r"(?: (?!-)\S+| -\d+| -n ?\d+| --all| --(?:no-)?merges| --(?:since|until|grep|author)=\S+| --reverse)*"
_NAMING = re.compile(
    rf"find(?: (?!-)\S+)*{_TESTS}"
    rf"|git ls-files(?: --cached| --modified| --others| --deleted| --exclude-standard| -[cdmoz]+)*{_OPERANDS}"
    rf"|git diff{_NAMED} --name-only{_NAMED}{_OPERANDS}"
    rf"|git rev-parse(?: --short(?:=\d+)?| --verify| --abbrev-ref| --show-toplevel| --git-dir| -q)*{_OPERANDS}"
    rf"|git (?:merge-base|branch --show-current|rev-list --count|describe(?: --tags| --always| --abbrev=\d+)*){_OPERANDS}"
    rf"|git log(?: --oneline)?{_COMMITS} --(?:format|pretty)=(?:format:)?%[Hh](?:_\S*)?{_COMMITS}{_OPERANDS}"
    rf"|git ls-tree(?: -[drt]+)* --name-only(?: -[drt]+)*(?: (?!-)[^\s:]+)*"
    rf"|(?:git )?grep{_MATCHING} (?:-[EFGHPIiRrswnv]*[lL][EFGHPIiRrswnv]*|--files-with-matches|--name-only){_MATCHING}{_OPERANDS}"
    rf"|rg(?: -[iwFs]+)* (?:-[iwFs]*l[iwFs]*|--files|--files-with-matches)(?: -[iwFs]+)*{_OPERANDS}"
    r"|pwd|nproc|whoami|seq(?: \d+)+|date(?: -u)? \+%[%_YmdHMSsFT]+|(?:command -v|which)(?: \w[\w.-]*)+|wc -[lwc]"
    r"|basename(?: [\w./]+)+|dirname [\w./]+"
)
_CHOOSING = re.compile(
    r"(?:head|tail)(?: -n? ?\d+)?|(?:sort|uniq)(?: -[urnVzd]+)*|grep(?: -[Evixwqz]+)*(?: (?!-)\S+)?|wc -[lwc]"
)


# the first word of a line, or all of it
_READ = re.compile(r"read(?: -r| -d ''| -rd '')* ([A-Za-z]\w*)(?: [A-Za-z_]\w*)*")


def is_listing(script: Script) -> bool:
    """Return whether a text is one pipe that prints names or numbers alone."""
    return len(script.pipelines) == 1 and tells_names(script.pipelines[0].stages)


def tells_names(stages: Sequence[Command]) -> bool:
    """Return whether a pipe prints names or numbers alone: its first call does, and the others choose among them."""
    first, *rest = [_spelled(stage) if isinstance(stage, Simple) else "" for stage in stages] or [""]
    return _NAMING.fullmatch(first) is not None and all(map(_CHOOSING.fullmatch, rest))


def echoed(script: Script) -> str | None:
    """Return what a text prints that is one `echo` of plain words; None for any other, and where shells read it otherwise."""
    only = script.pipelines[0].stages[0] if script.pipelines else None
    if len(script.pipelines) != 1 or len(script.pipelines[0].stages) != 1 or not isinstance(only, Simple):
        return None
    name, *words = [word.literal for word in only.words] or [None]
    escaped = words[:1] == ["-e"]
    text = " ".join(word for word in words[escaped:] if word is not None)
    plain = text.replace("\\n", "\n").replace("\\t", "\t") if escaped else text
    globs = any(set("*?[{~") & set(piece.text) for word in only.words for piece in word.pieces if not piece.quoted)
    is_known = name == "echo" and None not in words and not (only.redirects or only.assignments or globs)
    return plain.rstrip("\n") if is_known and "\\" not in plain and not re.match(r"-[neE]+(?: |$)", text) else None


def is_asked_of_go(assignment: Assignment) -> bool:
    """Return whether go is asked what a variable of its own is, and that stays so."""
    pieces = assignment.value.pieces
    script = pieces[0].script if len(pieces) == 1 and not assignment.listed else None
    stages = script.pipelines[0].stages if script and len(script.pipelines) == 1 else ()
    return [_spelled(stage) for stage in stages if isinstance(stage, Simple)] == [f"go env {assignment.name}"]


def listing_read(script: Script) -> Iterator[tuple[Simple, str]]:
    """Yield the calls of `read` in front of a loop that goes through such a list, each with its first variable."""
    pipes = (pipeline.stages for inner in scripts(script) for pipeline in inner.pipelines)
    for before, loop in ((stages[:at], stage) for stages in pipes for at, stage in enumerate(stages)):
        first = loop.scripts[0].pipelines[0].stages[0] if isinstance(loop, Compound) and loop.kind == "while" else None
        told = [piece.script for redirect in loop.redirects for piece in redirect.target.pieces if piece.script]
        found = _READ.fullmatch(_spelled(first)) if isinstance(first, Simple) else None
        if isinstance(first, Simple) and found and (tells_names(before) or (told and all(map(is_listing, told)))):
            yield first, found[1]


def _spelled(command: Simple) -> str:
    """Return the words of a call; nothing where one is not plain to see."""
    words = [word.literal for word in command.words]
    harmless = all(redirect.fd == "2" or redirect.operator == "<" for redirect in command.redirects)
    plain = harmless and None not in words and all(assignment.name == "IFS" for assignment in command.assignments)
    return " ".join(re.sub(r"\s", "_", word) or "''" for word in words if word is not None) if plain else ""
