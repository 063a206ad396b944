"""Where a search looks: whoever changes what it finds changes what lies there."""

import re
from collections.abc import Collection, Sequence

from linetrail.ledger.shell.programs.writers import WRITERS, is_made_again
from linetrail.ledger.shell.reading.ruling import DESTRUCTIVE, Ruling
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.values import Arg

_CHANGES = {"chmod", "rm", "rmdir", "tee", "touch", "truncate", "unlink"}
# What writers do to the link itself, and what else writes where a link leads.
_REPLACES, _THROUGH_LINKS = (
    {"rm", "rmdir", "unlink", "mv", "ln", "link", "mktemp"},
    {"sponge", "shuf", "iconv", "ed", "ex"},
)
_CHANGES_IN_PLACE = {"sed", "gsed", "perl", "ruby"}
_IN_PLACE = r"-[0-9A-Za-z]*i.*|--in-place.*"
_HERE = Arg(".")
# What makes a name that find is told not the only one that it finds.
_TURNS = {"-o", "-or", ",", "!", "-not", "-prune"}
# Letters whose value is the next word.
_VALUED = {"grep": "efmABCdD", "egrep": "efmABCdD", "fgrep": "efmABCdD", "rg": "efgtTmABCjEMr", "ls": "IwT"}
# The first test or action of find.
_BEGINS = r"-(?![HLPE]$)|[(!]$"
_FOLLOWING = {
    **dict.fromkeys(["grep", "egrep", "fgrep"], r"-[a-zA-Z]*R[a-zA-Z]*|--dereference-recursive"),
    "find": r"-[HP]*L|-follow",
    **dict.fromkeys(["rg", "fd", "fdfind"], r"-[a-zA-Z]*L[a-zA-Z]*|--follow"),
    "ag": r"-f|--follow",
    "ls": r"-[a-zA-Z]*[RL][a-zA-Z]*",
}
_PATTERN = r"-[A-Za-z]*[ef]|--(?:regexp|file|files)(?:=.*)?"


def changes_what_it_finds(args: Sequence[Arg]) -> bool:
    """Return whether a program that is given the files of a search changes each of them."""
    name = args[0].text.rpartition("/")[2] if args else ""
    edits = name in _CHANGES_IN_PLACE and any(re.fullmatch(_IN_PLACE, arg.text) for arg in args[1:])
    return name in _CHANGES or edits


def follows_links(args: Sequence[Arg], tests: Collection[str]) -> bool:
    """Return whether such a program changes what the links lead to that a search finds."""
    name = args[0].text.rpartition("/")[2] if args else ""
    is_told = any(arg.text.startswith("--fo") for arg in args if name in _CHANGES_IN_PLACE)
    writes = (name in WRITERS and name not in _REPLACES) or name in _THROUGH_LINKS
    return is_told or (writes and not {"f", "d"} & set(tests))


def finds_through_links(call: Sequence[Arg]) -> bool:
    """Return whether a search goes into the folders that links lead to."""
    return any(re.fullmatch(_FOLLOWING.get(call[0].text, "$^"), arg.text) for arg in call[1:])


def changed(call: Sequence[Arg], ruling: Ruling, scene: Scene) -> list[Ruling]:
    """Rule on what a search finds, which is then changed; what is made again is spared."""
    names = {call[place + 1].text for place, arg in enumerate(call[:-1]) if arg.text in ("-name", "-iname")}
    chosen = any(map(is_made_again, names)) and not {arg.text for arg in call} & _TURNS
    if ruling.level != DESTRUCTIVE or chosen:
        return []
    return [scene.writes(arg, f"what {call[0].text} finds, and is changed,") for arg in places(call)]


def places(call: Sequence[Arg]) -> list[Arg]:
    """Return the files and folders that a search is told to look into; nothing where nobody knows."""
    name, rest = call[0].text, list(call[1:])
    if name == "git" and rest and rest[0].text in ("grep", "ls-files"):
        name, rest = ("grep" if rest[0].text == "grep" else "ls"), rest[1:]
    if name == "find":
        end = next((at for at, arg in enumerate(rest) if re.match(_BEGINS, arg.text)), len(rest))
        return [arg for arg in rest[:end] if not arg.text.startswith("-")] or [_HERE]
    if name in ("echo", "printf"):
        told = [arg for arg in rest if arg.literal and not arg.text.startswith("-") and "%" not in arg.text]
        return [arg._replace(text=word) for arg in told for word in arg.text.split()]
    if name not in _VALUED:
        return []
    found = _operands(rest, _VALUED[name])
    if name != "ls" and not any(re.fullmatch(_PATTERN, arg.text) for arg in rest):
        found = found[1:]
    if name == "ls" and not all(arg.glob for arg in found):
        found = [*found, _HERE]  # it tells names alone of what is in a folder
    return found or [_HERE]


def _operands(args: Sequence[Arg], valued: str) -> list[Arg]:
    found, at = list[Arg](), 0
    while at < len(args):
        text = args[at].text
        if text == "--":
            return [*found, *args[at + 1 :]]
        if text[:1] != "-" or text == "-":
            found.append(args[at])
        elif text[1:2] != "-" and text[-1] in valued:
            at += 1
        at += 1
    return found
