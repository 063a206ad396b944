"""Programs that take a program as text: awk, sed, jq. They are judged by that text.

Each reader knows less than its language and calls everything else unknown.
"""

import re

from linetrail.ledger.shell.options import known, take
from linetrail.ledger.shell.ruling import READS, Ruling, changes, harms, together
from linetrail.ledger.shell.scene import Scene
from linetrail.ledger.shell.values import Arg

_AWK = known("", "Fv", "field-separator= assign= posix traditional re-interval characters-as-bytes")
_JQ = known("nrRjaSCMsce0", "", "null-input raw-input slurp compact-output raw-output join-output ascii-output sort-keys color-output monochrome-output tab exit-status seq stream arg argjson args jsonargs raw-output0")  # fmt: skip
_AWK_RUNS = re.compile(r"\bsystem\b|\|\s*\"|\|&|@[A-Za-z_]")
_LONGEST = 5_000
_AWK_TELLS = re.compile(r"\bENVIRON\b|\bPROCINFO\b|\bSYMTAB\b")
# readers of awk disagree about a slash, a bracket or a backslash inside brackets
_PLAIN_BRACKET = re.compile(r"\[\^?(?:\[:[a-z]+:\]|[^\[\]\\/\n^])+\]")
_AWK_KEYWORD = re.compile(r"\b(?:print|printf|return|in|case|else|do|exit|delete|next|nextfile)$")
_AWK_REGEX_AFTER = "(,{;!~&|=<>?:\n"
_SED_PLAIN = set("=dDFgGhHnNpPxz")


def awk(args: list[Arg], scene: Scene) -> Ruling:
    """Rule on awk by its program."""
    taken = take(args, _AWK, permute=False)
    if taken.unknown is not None or not taken.operands:
        smuggled = any(re.match(r"--?(?:e|E|i|l|source|exec|include|load)", a.text) for a in args)
        inner = together(_awk_program(arg.text) for arg in args)
        return (
            inner
            if inner.level > 1
            else changes(
                "awk takes its program from elsewhere" if smuggled else f"awk {taken.unknown} is not known to only read"
            )
        )
    program, files = taken.operands[0], taken.operands[1:]
    if not program.known:
        return harms("the program of awk is built at run time")
    rulings = [_awk_program(program.text)]
    for arg in files:
        rulings.extend(filter(None, [_file(arg, scene, "awk")]))
    for _, value in taken.values:
        if value.splits or not value.known:
            rulings.append(changes("awk is given a value that only the running shell knows"))
    return together(rulings)


def _file(arg: Arg, scene: Scene, what: str) -> Ruling | None:
    if not arg.known or arg.splits or arg.text[:1] in "*?[-":
        return changes(f"{what} may be given options, or a secret file, at run time")
    return scene.reads(arg, what)


def _awk_program(text: str) -> Ruling:
    if _AWK_TELLS.search(text):
        return harms("awk tells the environment")
    if _AWK_RUNS.search(text):
        return (
            harms("awk runs a command")
            if re.search(r"\bsystem\b|\|\s*\"", text)
            else changes("awk calls what its text does not show")
        )
    if "getline" in text or "ARGV" in text or "ARGC" in text or "\\\n" in text:
        return changes("awk reads from elsewhere")
    code = _awk_code(text)
    if code is None or "@" in code:
        return changes("the program of awk is not understood")
    if "|" in code.replace("||", ""):
        return harms("awk runs a command")
    code = re.sub(r"(,|&&|\|\|)\s*\n", r"\1 ", code)
    for statement in re.split(r"[;{}\n]", code):
        printed = statement.find("print")
        if printed >= 0 and ">" in statement[printed:]:
            return changes("awk writes a file")
    return READS


def _awk_code(text: str) -> str | None:
    """Take strings, regular expressions and comments out; None where a slash could be either of two things."""
    code, at = list[str](), 0
    if len(text) > _LONGEST:
        return None
    while at < len(text):
        char = text[at]
        if char == '"':
            found = re.compile(r'"(?:[^"\\\n]|\\.)*"').match(text, at)
            if not found:
                return None
            code.append('""')
            at = found.end()
        elif char == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif char == "/":
            before = "".join(code).rstrip(" \t")
            if before.endswith(("++", "--", "+", "-", "*", "%", "^", "/")):
                return None
            if before and before[-1] not in _AWK_REGEX_AFTER and not before.endswith("}"):
                if before[-1] == ")" or _AWK_KEYWORD.search(before):
                    return None
                code.append("/")
                at += 1
                continue
            found = re.compile(r"/((?:[^/\\\n]|\\.)+)/").match(text, at)
            if not found or set("[]") & set(_PLAIN_BRACKET.sub("", found[1])):
                return None
            code.append(" R ")
            at = found.end()
        else:
            code.append(char)
            at += 1
    return "".join(code)


_SED = known(
    "nErsuz",
    "e",
    "quiet silent regexp-extended null-data unbuffered separate expression= posix debug line-length= sandbox",
)


def sed(args: list[Arg], scene: Scene) -> Ruling:
    """Rule on sed by its script, and on the files it edits in place."""
    in_place = [arg for arg in args if re.match(r"-[nErsuz]*i|--in-?p?l?a?c?e?(?:=|$)", arg.text)]
    kept = [arg for arg in args if arg not in in_place]
    if in_place and args.index(in_place[0]) + 1 < len(args) and args[args.index(in_place[0]) + 1].text == "":
        kept = [arg for arg in kept if arg.text]  # sed -i '' of BSD
    taken = take(kept, _SED)
    if taken.unknown is not None:
        return together(
            [changes(f"sed {taken.unknown} is not known to only read"), *(_sed_script(a.text) for a in kept if a.known)]
        )
    scripts = [value for name, value in taken.values if name in ("e", "expression")]
    files = taken.operands if scripts else taken.operands[1:]
    scripts = scripts or taken.operands[:1]
    if not all(script.known for script in scripts):
        unsure = changes("the script of sed is built at run time")
        return together([unsure, *_written(files, scene, bool(in_place))])
    ruling = _sed_script("\n".join(script.text for script in scripts))
    if in_place:
        return together([ruling, *_written(files, scene, True)])
    return together([ruling, *filter(None, (_file(arg, scene, "sed") for arg in files))])


def _written(files: list[Arg], scene: Scene, written: bool) -> list[Ruling]:  # noqa: FBT001  one private caller
    if not written:
        return []
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
    if command in ("a", "i", "c") and "\n" not in script[at:].replace("\\\n", "", 1):
        return len(script)
    if command == "e":
        return harms("the e command of sed runs a shell command")
    if command in ("w", "W"):
        return changes("the w command of sed writes a file")
    return changes("the script of sed is not understood")


def _sed_addresses(script: str, at: int) -> int | None:
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
        return changes("the w flag of sed writes a file")
    return end + len(letters)


def jq(args: list[Arg], scene: Scene) -> Ruling:
    """Rule on jq by its filter; it writes nothing, but it can tell the environment."""
    kept, at = list[Arg](), 0
    rulings = list[Ruling]()
    while at < len(args):
        text = args[at].text
        if text in ("--arg", "--argjson"):
            at += 3
            continue
        if text in ("--slurpfile", "--rawfile"):
            rulings.extend(filter(None, [_file(arg, scene, "jq") for arg in args[at + 2 : at + 3]]))
            at += 3
            continue
        if text == "--indent":
            at += 2
            continue
        kept.append(args[at])
        at += 1
    taken = take(kept, _JQ)
    if taken.unknown is not None or not taken.operands:
        return changes(f"jq {taken.unknown} is not known to only read") if taken.unknown else READS
    program = taken.operands[0]
    if not program.known:
        return changes("the filter of jq is built at run time")
    if re.search(r"(?<![.\w$])env\b|\.\.\s*env\b|\$ENV\b|\$__prog|get_search_list", program.text):
        return harms("jq tells the environment")
    if re.search(r"\b(?:import|include|input_filename|halt_error|modulemeta)\b", program.text):
        rulings.append(changes("jq reads its filter from elsewhere"))
    if not taken.flags & {"args", "jsonargs"}:
        rulings.extend(filter(None, (_file(arg, scene, "jq") for arg in taken.operands[1:])))
    return together(rulings)
