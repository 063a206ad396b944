"""sed: followed command by command, as far as every reader of sed would follow it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.options import Known, Taken, take
from linetrail.ledger.shell.reading.ruling import (
    DESTRUCTIVE,
    READS,
    SAFE,
    Ruling,
    at_least,
    blind,
    changes,
    harms,
    together,
)
from linetrail.ledger.shell.reading.scene import Scene, file_operand
from linetrail.ledger.shell.reading.values import UNKNOWN, Arg

_LONGEST = 5_000
# What `a\\` is followed by: lines, of which all but the last end with a backslash.
_TEXT = re.compile(r"\\\n(?:[^\\\n]|\\.)*(?:\n|$)", re.DOTALL)
_SED_PLAIN = set("=dDFgGhHnNpPxz")
_SED = Known(
    "nErsuz",
    "e",
    "quiet silent regexp-extended null-data unbuffered separate expression= posix debug line-length= sandbox",
)
# A `w` that stands where a command, or a flag of `s`, does.
_SURELY_WRITTEN = r"(?:^|[;{}!\n0-9$/|,#])[gpIiMme0-9]*[wW][ \t]*([\w.-]+)[ \t]*(?:$|[\n;}])"


class _Call(NamedTuple):
    """What a call of sed says: the options that edit in place, all others, its scripts and its files."""

    in_place: Sequence[Arg]
    taken: Taken
    scripts: Sequence[Arg]
    files: Sequence[Arg]


def sed(args: list[Arg], scene: Scene) -> Ruling:
    """Rule on sed by its script, and on the files it edits in place."""
    in_place, taken, scripts, files = _read(args)
    if any("/" in option.text for option in in_place):
        return blind("sed keeps what it replaces in a folder that it works out itself")
    if taken.unknown is not None:
        unsure = changes(f"sed {taken.unknown} is not known to only read")
        return together([unsure, *(_sed_script(arg.text) for arg in args if arg.known and arg not in in_place)])
    if any(script.text == UNKNOWN for script in scripts):
        return blind("which script sed follows is only known to the running shell")
    text = "\n".join(script.text for script in scripts)
    # a variable that was there before is most often not set
    ruling = together(_followed(form, scene) for form in dict.fromkeys([text, text.replace(UNKNOWN, "")]))
    if not all(script.known or script.inherited for script in scripts):
        ruling = together([ruling, blind("the script of sed is built at run time, and may write a file")])
    elif not all(script.known for script in scripts):
        ruling = at_least(DESTRUCTIVE, "the script of sed is built at run time", ruling)
    if in_place:
        return together([ruling, *_written(files, scene)])
    return together([ruling, *filter(None, (file_operand(arg, scene, "sed") for arg in files))])


def _followed(text: str, scene: Scene) -> Ruling:
    """Rule on a script by its commands; what cannot be followed may write wherever a w could stand."""
    ruling = _sed_script(text)
    if ruling.level == SAFE:
        return ruling
    told = [f"./{path}" for path in re.findall(_SURELY_WRITTEN, text[:_LONGEST])]
    told += [path if path[:1] in "./~" else f"./{path}" for path in ruling.writes]
    told += [path.strip() for path in re.findall(r"[wW][ \t]*([^\n;}]+)", text[:_LONGEST])]
    return together([ruling._replace(writes=()), *(_written_to(Arg(path), scene) for path in told)])


def without_scripts(args: Sequence[Arg]) -> Sequence[Arg]:
    """Return the words of a call that may be paths: not a script that is followed to its end and writes no file."""
    _, taken, scripts, _ = _read(args)
    if taken.unknown is not None or not all(script.known for script in scripts):
        return args
    if _sed_script("\n".join(script.text for script in scripts)).level > SAFE:
        return args
    return [arg for arg in args if all(arg is not script for script in scripts)]


def _read(args: Sequence[Arg]) -> _Call:
    in_place = [arg for arg in args if edits_in_place(arg.text)]
    kept = [arg for arg in args if arg not in in_place]
    # `sed -i '' script file` of BSD: GNU's takes '' for the script, which leaves its files as they are, or empty under -n
    is_quiet = any(re.match(r"-[bErsuz]*n|--quiet|--silent", arg.text) for arg in args)
    at = args.index(in_place[0]) + 1 if in_place and not is_quiet else len(args)
    if [arg.text for arg in args[at : at + 1]] == [""]:
        kept = [arg for arg in kept if arg.text]
    taken = take(kept, _SED)
    scripts = [value for name, value in taken.values if name in ("e", "expression")]
    if scripts:
        return _Call(in_place, taken, scripts, taken.operands)
    return _Call(in_place, taken, taken.operands[:1], taken.operands[1:])


def edits_in_place(option: str) -> bool:
    """Return whether an option has sed write what it reads."""
    return re.match(r"-[bnErsuz]*i|--in?-?p?l?a?c?e?(?:=|$)", option) is not None


def _written_to(arg: Arg, scene: Scene) -> Ruling:
    if UNKNOWN in arg.text:
        return blind("sed writes to a path that only the running shell knows")
    if any(map(scene.made_link, scene.at(arg.text))):
        return scene.writes(arg, "sed")
    return changes("sed may write a file")._replace(
        names=tuple(scene.told(path, arg.text) for path in scene.paths(arg.text))
    )


def _written(files: Sequence[Arg], scene: Scene) -> list[Ruling]:
    return [scene.writes(arg, "sed -i") for arg in files] or [changes("sed -i without a file")]


_SED_ADDRESS = re.compile(r"\s*(?:[0-9]+(?:~[0-9]+)?|\$|[+~][0-9]+)")


def _sed_script(script: str) -> Ruling:
    """Follow a script command by command."""
    at = 0
    if len(script) > _LONGEST:
        return changes("the script of sed is too long")
    while True:
        while at < len(script) and script[at] in " \t\n;}":
            at += 1
        if at >= len(script):
            return READS
        place = _sed_addresses(script, at)
        if place is None:
            return changes("the script of sed is not understood")
        at = place
        command, at = script[at : at + 1], at + 1
        if command == "{" or (command in _SED_PLAIN and command):
            if command != "{" and script[at : at + 1] not in ("", " ", "\t", ";", "\n", "}"):
                return changes("the script of sed is not understood")
            continue
        ended = _sed_command(script, command, at)
        if isinstance(ended, Ruling):
            return ended
        at = ended


def _sed_command(script: str, command: str, at: int) -> int | Ruling:
    if command in ("s", "y"):
        return _sed_substitution(script, command, at)
    if command in ("q", "Q", "l", "L"):
        found = re.compile(r"[ \t]*[0-9]*[ \t]*(?=[;\n}]|$)").match(script, at)
        return found.end() if found else changes("the script of sed is not understood")
    if command in ("b", "t", "T", ":"):
        found = re.compile(r"[ \t]*[A-Za-z0-9_]*[ \t]*(?=[;\n}]|$)").match(script, at)
        return found.end() if found else changes("the script of sed is not understood")
    if command == "#":
        end = script.find("\n", at)
        return len(script) if end < 0 else end
    if command in ("a", "i", "c") and (text := _TEXT.match(script, at)):
        return text.end()
    if command in ("a", "i", "c") and "\n" not in script[at:].replace("\\\n", "", 1):
        return len(script)
    if command == "e":
        return harms("the e command of sed runs a shell command")
    if command in ("w", "W"):
        return _to_file(script[at:], "command")
    return changes("the script of sed is not understood")


def _to_file(rest: str, what: str) -> Ruling:
    path = rest.partition("\n")[0].strip()
    if path not in places.DEVICES and (places.is_outside(path) or places.is_protected(path)):
        return harms(f"the w {what} of sed writes to {path[:80]}")
    return changes(f"the w {what} of sed writes a file", path)


def _sed_addresses(script: str, at: int) -> int | None:  # noqa: C901  one case per kind of address
    for turn in range(2):
        found = _SED_ADDRESS.match(script, at)
        if found:
            at = found.end()
        elif script[at : at + 1] in ("/", "\\"):
            skip = 1 if script[at] == "/" else 2
            end = _sed_part(script, at + skip, script[at + skip - 1 : at + skip])
            if end is None:
                return None
            at = end
            while script[at : at + 1] in ("I", "M") and script[at : at + 1]:
                at += 1
        elif turn:
            return None
        while script[at : at + 1] in (" ", "\t"):
            at += 1
        if turn == 0 and script[at : at + 1] != ",":
            break
        if turn == 0:
            at += 1
            while script[at : at + 1] in (" ", "\t"):
                at += 1
    while script[at : at + 1] in (" ", "\t", "!") and script[at : at + 1]:
        at += 1
    return at


def _sed_part(script: str, at: int, delimiter: str) -> int | None:
    """Return the place behind the next unescaped delimiter."""
    if not delimiter or delimiter in "\\\n" or delimiter.isalnum():
        return None
    while at < len(script):
        if script[at] == "\\":
            at += 2
        elif script.startswith(("[]", "[^]"), at):
            return None
        elif script[at] == "[" and delimiter in script[at : _bracket_end(script, at)]:
            return None  # readers of sed disagree about a delimiter inside brackets
        elif script[at] == delimiter:
            return at + 1
        else:
            at += 1
    return None


def _bracket_end(script: str, at: int) -> int:
    end = script.find("]", at + 2)
    line = script.find("\n", at)
    return min([place for place in (end, line) if place >= 0], default=at)


def _sed_substitution(script: str, command: str, at: int) -> int | Ruling:
    delimiter = script[at : at + 1]
    middle = _sed_part(script, at + 1, delimiter)
    end = _sed_part(script, middle, delimiter) if middle is not None else None
    if end is None:
        return changes("the script of sed is not understood")
    flags = re.compile(r"[A-Za-z0-9]*").match(script, end)
    letters = flags[0] if flags and command == "s" else ""
    if "e" in letters:
        return harms("the e flag of sed runs what it made as a command")
    if set(letters) - set("gpiIMm0123456789"):
        return _to_file(script[end + letters.index("w") + 1 :] if "w" in letters else "", "flag")
    return end + len(letters)
