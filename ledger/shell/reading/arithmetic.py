"""Arithmetic: what evaluates numbers alone, and what assigns, or runs what a variable holds."""

import re

from linetrail.ledger.shell.reading.ruling import READS, Ruling, changes, harms
from linetrail.ledger.shell.reading.values import STEP, Arg, Names, variable

_NUMBERS = re.compile(r"[0-9\s+\-*/%<>!&|^~?:,()=]*")
_ASSIGNING = re.compile(r"(?<![<>=!])=(?!=)|\+\+|--")
_NUMBER = r"-?[0-9]+"
# what the shell itself keeps a number in, unless the command sets it
_COUNTERS = ("RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID")


def arithmetic(expression: str, names: Names) -> Ruling:
    """Rule on what stands in `((…))`; `names` are the variables whose values are known."""
    if "$(" in expression or "`" in expression or "[" in expression:
        return harms("a subscript or a substitution inside arithmetic can run a command")
    known = {name for name, values in names.items() if values and all(_is_number(value) for value in values)}
    step = STEP.fullmatch(expression)
    if step and step[1] in known:
        return variable(step[1], Arg("1"))
    expression = re.sub(r"\b0[xX][0-9A-Fa-f]+\b", "1", expression)
    known |= {name for name in _COUNTERS if name not in names}
    plain = re.sub(
        r"\$\{?[A-Za-z_]\w*\}?|\$[#?]|\b[A-Za-z_]\w*",
        lambda found: "1" if found[0].strip("${}") in known or found[0] in ("$#", "$?") else found[0],
        expression,
    )
    if not _NUMBERS.fullmatch(plain) or _ASSIGNING.search(plain):
        return changes("arithmetic evaluates what a variable holds, or assigns")
    return READS


def counted(expression: str, names: Names) -> Ruling:
    """Rule on the head of `for ((…))`: a variable that runs from one number to another, or what any arithmetic is."""
    parts = expression.split(";")
    found = re.fullmatch(r"\s*([a-z_]\w*)\s*=\s*[0-9]+\s*", parts[0]) if len(parts) == 3 else None
    name = found[1] if found else ""
    ends = re.fullmatch(rf"\s*{name}\s*(?:<=?|>=?|!=)\s*-?[0-9]+\s*", parts[1]) if found else None
    steps = (
        re.fullmatch(rf"\s*(?:{name}(?:\+\+|--|\s*[+-]=\s*[0-9]+)|(?:\+\+|--){name})\s*", parts[2]) if ends else None
    )
    return variable(name, Arg("1")) if steps else arithmetic(expression, names)


def _is_number(value: Arg) -> bool:
    return re.fullmatch(_NUMBER, value.text) is not None
