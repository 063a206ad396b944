"""Programs that take a program as text: awk and jq (sed.py has sed). They are judged by that text.

Each reader knows less than its language and calls everything else unknown.
"""

import re

from linetrail.ledger.shell.programs import made, operands
from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.options import Known, take
from linetrail.ledger.shell.reading.ruling import READS, Ruling, blind, changes, harms, together
from linetrail.ledger.shell.reading.scene import Scene, file_operand
from linetrail.ledger.shell.reading.values import Arg

_AWK = Known("", "Fv", "field-separator= assign= posix traditional re-interval characters-as-bytes")
_JQ = Known("nrRjaSCMsce0", "", "null-input raw-input slurp compact-output raw-output join-output ascii-output sort-keys color-output monochrome-output tab exit-status seq stream arg argjson args jsonargs raw-output0")  # fmt: skip
_AWK_RUNS = r"\bsystem\b|\|\s*\"|\|\s*getline\b|\|&|@[A-Za-z_]"
_AWK_AWAY = r">\s*\"(?:/|~|\.\./)|\"/inet|\|&|@load"
_AWK_PRINTS = r"\bprintf?\b[^;}\n]{0,300}?>{1,2}\s*\"([^\"\n]+)\""
_LONGEST = 5_000
_AWK_TELLS = r"\bENVIRON\b|\bPROCINFO\b|\bSYMTAB\b"
# readers of awk disagree about a slash, a bracket or a backslash inside brackets
_PLAIN_BRACKET = r"\[\^?(?:\[:[a-z]+:\]|[^\[\]\\/\n^])+\]"
_AWK_KEYWORD = r"\b(?:print|printf|return|in|case|else|do|exit|delete|next|nextfile)$"
_AWK_REGEX_AFTER = "(,{;!~&|=<>?:\n"


def awk(args: list[Arg], scene: Scene) -> Ruling:
    """Rule on awk by its program."""
    taken = take(args, _AWK, permute=False)
    if taken.unknown is not None or not taken.operands:
        smuggled = any(re.match(r"--?(?:e|E|i|l|source|exec|include|load)", a.text) for a in args)
        inner = together(_awk_program(arg.text) for arg in args)
        if any(re.match(r"-l|--load", arg.text) for arg in args):
            return harms("awk loads a library that an option names")
        return (
            inner
            if inner.level > 1
            else together(
                [
                    changes(
                        "awk takes its program from elsewhere" if smuggled else f"awk {taken.unknown} is not known"
                    ),
                    # the program of a file is looked at by itself
                    operands.rule(
                        "awk" if all(re.match(r"-f|--file|-[Fv]|[^-]", a.text) for a in args) else "", args, scene
                    ),
                    *made.rulings("gawk", [arg.text for arg in args], scene),
                    *(_coded(arg.text, scene) for arg in args),
                    *(_printed(arg.text, scene) for arg in args),
                ]
            )
        )
    program, files = taken.operands[0], taken.operands[1:]
    if not program.known:
        return harms("the program of awk is built at run time")
    rulings = [_awk_program(program.text)]
    if rulings[0].level > 0:
        rulings += [_coded(program.text, scene), _printed(program.text, scene)]
    for arg in files:
        rulings.extend(filter(None, [file_operand(arg, scene, "awk")]))
    for _, value in taken.values:
        if value.splits or not value.known:
            rulings.append(changes("awk is given a value that only the running shell knows"))
    return together(rulings)


def _coded(text: str, scene: Scene) -> Ruling:
    from linetrail.ledger.shell.programs.code import code

    return code.rule(text, "awk", scene, "awk")


def _printed(text: str, scene: Scene) -> Ruling:
    """Rule on the files that awk prints into."""
    return together(scene.writes(Arg(path), "awk") for path in re.findall(_AWK_PRINTS, text) if path.strip("&"))


def _awk_program(text: str) -> Ruling:
    if re.search(_AWK_TELLS, text):
        return harms("awk tells the environment")
    if re.search(_AWK_AWAY, text) or (">" in text and re.search(places.PROTECTED_TEXT, text)):
        return harms("awk reaches out of the workspace, or into the gate")
    if re.search(_AWK_RUNS, text):
        return (
            harms("awk runs a command")
            if re.search(r"\bsystem\b|\|\s*(?:\"|getline\b)", text)
            else changes("awk calls what its text does not show")
        )
    if "getline" in text and any(map(places.is_credential, re.findall(r'"([^"\n]+)"', text))):
        return harms("awk reads what may hold credentials")
    if "getline" in text or "ARGV" in text or "ARGC" in text or "\\\n" in text:
        elsewhere = "awk reads from elsewhere"
        return blind(elsewhere) if re.search(r"(?s)ARGV.*>|print[^;{}\n]*>", text) else changes(elsewhere)
    code = _awk_code(text)
    if code is None or "@" in code:
        return changes("the program of awk is not understood")
    if "|" in code.replace("||", ""):
        return harms("awk runs a command")
    code = re.sub(r"(,|&&|\|\|)\s*\n", r"\1 ", code)
    for statement in re.split(r"[;{}\n]", code):
        printed = statement.find("print")
        if printed >= 0 and ">" in statement[printed:]:
            target = statement[printed:].partition(">")[2].lstrip(">").strip()
            return (
                changes("awk writes a file")
                if target == '""'
                else blind("awk writes to a path that it works out itself")
            )
    return READS


def _awk_code(text: str) -> str | None:  # noqa: C901  one case per kind of token
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
                if before[-1] == ")" or re.search(_AWK_KEYWORD, before):
                    return None
                code.append("/")
                at += 1
                continue
            found = re.compile(r"/((?:[^/\\\n]|\\.)+)/").match(text, at)
            if not found or set("[]") & set(re.sub(_PLAIN_BRACKET, "", found[1])):
                return None
            code.append(" R ")
            at = found.end()
        else:
            code.append(char)
            at += 1
    return "".join(code)


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
            rulings.extend(filter(None, [file_operand(arg, scene, "jq") for arg in args[at + 2 : at + 3]]))
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
        rulings.extend(filter(None, (file_operand(arg, scene, "jq") for arg in taken.operands[1:])))
    return together(rulings)
