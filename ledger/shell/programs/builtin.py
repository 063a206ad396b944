"""What the shell does itself, and small programs whose few rules are no table."""

import re
from collections.abc import Callable

from linetrail.ledger.shell.programs import linetrail
from linetrail.ledger.shell.programs.interpreters import Run
from linetrail.ledger.shell.reading.options import Known, take
from linetrail.ledger.shell.reading.ruling import READS, Ruling, changes, harms, together
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.values import Arg, variable

Builtin = Callable[[str, list[Arg], Scene, Run], Ruling]

_ORDERS = re.compile(r"\\(?:e|E|0?33|x1b|x1B|u001b|U0000001b|u009b|x9b|0?233|r|b|x0d|x08|015|010)|\x1b")
_PLAIN_ORDERS = re.compile(r"\\(?:e\[|e\]|033|x1b|u001b)|\x1b", re.IGNORECASE)
_SUBSCRIPT = re.compile(r"\w\[|\$\(|`")


def echo(_name: str, args: list[Arg], _scene: Scene, _run: Run) -> Ruling:
    """Rule on echo: text, unless it is one that orders the terminal about."""
    text = " ".join(arg.text for arg in args)
    escapes = any(re.fullmatch(r"-[neE]*e[neE]*", arg.text) for arg in args[:3]) or any(
        not arg.known and arg.splits for arg in args[:1]
    )
    if (_ORDERS if escapes else _PLAIN_ORDERS).search(text):
        return harms("the text gives orders to the terminal, which can show what never happened")
    return READS


def printf(_name: str, args: list[Arg], _scene: Scene, _run: Run) -> Ruling:
    """Rule on printf; -v assigns."""
    if args and args[0].text == "--":
        args = args[1:]
    if not args:
        return READS
    if args[0].text.startswith("-v"):
        target = " ".join(arg.text for arg in args[:2])
        return (
            harms("a subscript can run a command")
            if _SUBSCRIPT.search(target) or "\0" in target
            else together(
                [changes("printf -v assigns"), *(variable(arg.text, Arg("\0", known=False)) for arg in args[1:2])]
            )
        )
    if not args[0].known or args[0].splits or args[0].text.startswith("-"):
        return changes("the format of printf is built at run time")
    if any(_ORDERS.search(arg.text) for arg in args):
        return harms("the text gives orders to the terminal, which can show what never happened")
    return READS


_UNARY = {
    "-e",
    "-f",
    "-d",
    "-r",
    "-w",
    "-x",
    "-s",
    "-h",
    "-L",
    "-n",
    "-z",
    "-p",
    "-S",
    "-b",
    "-c",
    "-g",
    "-k",
    "-u",
    "-O",
    "-G",
    "-N",
    "-a",
}
_BINARY = {"=", "==", "!=", "<", ">", "-nt", "-ot", "-ef"}
_NUMERIC = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}


def test(name: str, args: list[Arg], _scene: Scene, _run: Run) -> Ruling:
    """Rule on test and [: operators must be spelled out, since -v runs what stands in a subscript."""
    if name == "[":
        if not args or args[-1].text != "]":
            return changes("[ has no ]")
        args = args[:-1]
    if any(arg.splits or (arg.glob and arg.text[:1] in "*?[") for arg in args):
        return changes("test may be given operators by what a word becomes")
    groups = list[list[Arg]]([[]])
    for arg in args:
        if arg.known and arg.text in ("-a", "-o") and groups[-1]:
            groups.append([])
        else:
            groups[-1].append(arg)
    return together(_condition(group, arithmetic=False) for group in groups)


def _condition(words: list[Arg], *, arithmetic: bool) -> Ruling:
    while words and words[0].known and words[0].text == "!":
        words = words[1:]
    if any(("[" in arg.text and "$(" in arg.text) or "`" in arg.text for arg in words) or (
        words and words[0].text in ("-v", "-R")
    ):
        return (
            harms("a subscript can run a command")
            if any(_SUBSCRIPT.search(arg.text) for arg in words)
            else changes("-v looks into a variable")
        )
    if arithmetic and any("[\0" in arg.text for arg in words) and any(arg.text in _NUMERIC for arg in words):
        return harms("a subscript can run a command")
    if len(words) <= 1:
        return READS
    if len(words) == 2 and words[0].known and words[0].text in _UNARY:
        return READS
    if len(words) == 3 and words[1].known and words[1].text in _BINARY | _NUMERIC:
        numeric = arithmetic and words[1].text in _NUMERIC
        if numeric and not all(re.fullmatch(r"-?[0-9]+", arg.text) for arg in (words[0], words[2])):
            return changes("[[ evaluates what a variable holds")
        return READS
    if len(words) == 3 and words[1].text == "=~":
        return READS
    return changes("the condition is not understood")


def condition(words: list[list[Arg]], operators: list[str]) -> Ruling:
    """Rule on [[ … ]]; each item is one word, or empty where an operator of the grammar stands."""
    groups = list[list[Arg]]([[]])
    for word, operator in zip(words, operators, strict=True):
        if operator in ("&&", "||", "(", ")"):
            groups.append([])
        elif operator:
            groups[-1].append(Arg(operator))
        elif word and all(re.fullmatch(r"-?[0-9]+", value.text) for value in word):
            groups[-1].append(Arg(word[0].text))  # a counter: whichever of them, it is a number
        elif any("[" in value.text and re.search(r"\$\(|`", value.text) for value in word):
            return harms("a subscript can run a command")
        elif len(word) != 1:
            groups[-1].append(Arg("\0", known=False))
        else:
            groups[-1].append(word[0])
    return together(_condition(group, arithmetic=True) for group in groups)


def date(_name: str, args: list[Arg], scene: Scene, _run: Run) -> Ruling:
    """Rule on date, which sets the clock when it is told a time."""
    taken = take(
        args, Known("uRInj", "drfv", "utc universal iso-8601? rfc-3339= rfc-email date= reference= file= debug")
    )
    if taken.unknown is None and all(arg.known and not arg.splits for arg in args):
        rulings = [scene.reads(value, "date") for flag, value in taken.values if flag in ("f", "file")]
        if all(arg.text.startswith("+") for arg in taken.operands):
            return together(filter(None, rulings))
    return changes("date may set the clock")


def ps(_name: str, args: list[Arg], _scene: Scene, _run: Run) -> Ruling:
    """Rule on ps, which tells the environment of processes when asked with e."""
    at = 0
    while at < len(args):
        text, at = args[at].text, at + 1
        if not args[at - 1].known:
            return changes("ps is told at run time what to print")
        if re.fullmatch(r"-[AaefFlyTHjNMd]+|[auxwfjlT]+|--(?:no-headers|forest|sort=[-+\w,%]+)|[0-9]+", text):
            continue
        if (
            re.fullmatch(r"-[AaefFlyTHjNMd]*[opuCgtU]|--(?:sort|pid|ppid|user)", text)
            and at < len(args)
            and args[at].known
            and "env" not in args[at].text
        ):
            at += 1
            continue
        if re.fullmatch(r"-?o[\w,=%]+|-p[0-9,]+|--pid=[0-9,]+", text) and "env" not in text:
            continue
        if re.fullmatch(r"[a-z]*e[a-z]*", text):
            return harms("ps e tells the environment of other processes")
        return changes(f"ps {text} is not known to only read")
    return READS


def read(_name: str, args: list[Arg], _scene: Scene, _run: Run) -> Ruling:
    """Rule on read by the names it assigns."""
    taken = take(args, Known("rs", "tnNdpua"))
    if taken.unknown is not None or not all(arg.literal for arg in args if arg.text):
        return changes("read is not known to only read here")
    names = [*taken.operands, *(value for flag, value in taken.values if flag == "a")]
    if any(_SUBSCRIPT.search(arg.text) for arg in names):
        return harms("a subscript can run a command")
    return together(variable(arg.text, Arg("\0", known=False)) for arg in names)


def declare(name: str, args: list[Arg], scene: Scene, _run: Run) -> Ruling:
    """Rule on what a persistent shell remembers of export, declare and their like."""
    from linetrail.ledger.shell.programs.operands import assigned

    operands = [arg for arg in args if not arg.text.startswith("-")]
    if not operands and name != "local":
        return harms(f"{name} alone tells the whole environment")
    if any(re.match(r"-[a-zA-Z]*p", arg.text) for arg in args):
        return harms(f"{name} -p tells what variables hold")
    rulings = [changes(f"{name} changes what later commands see")]
    for arg in operands:
        key, _, value = arg.text.partition("=")
        if _SUBSCRIPT.search(key) or not key.strip("\0"):
            rulings.append(harms("a subscript, or a name made at run time, can run a command"))
        given = arg._replace(text=value)
        held = [given] if "=" in arg.text else scene.names.get(key) or []
        rulings += [variable(key.rstrip("+"), given), *(assigned(key.rstrip("+"), one, scene) for one in held)]
    return together(rulings)


def let(name: str, args: list[Arg], _scene: Scene, _run: Run) -> Ruling:
    """Rule on let and mapfile, which assign."""
    if any(_SUBSCRIPT.search(arg.text) or "\0" in arg.text for arg in args) or (
        name != "let" and any(a.text == "-C" for a in args)
    ):
        return harms(f"{name} can run a command")
    return changes(f"{name} assigns")


def alias(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on an alias by what it stands for; one that takes the name of a program hides it."""
    rulings = [changes(f"{name} changes what later commands mean")]
    for arg in args:
        key, equals, value = arg.text.partition("=")
        if not arg.known:
            return harms("an alias is made at run time")
        if any(re.match(r"-\w*[gs]", option.text) for option in args):
            return harms("an alias that is no name of a command changes what other words mean")
        if equals and key in linetrail.PROGRAMS:
            return harms(f"an alias puts something else in front of {key}")
        if equals:
            inner = (
                run.text(value, scene._replace(level=scene.level + 1)) if value.strip() and scene.level < 5 else READS
            )
            shadows = run.call([Arg(key)], scene).unseen is None  # of a program that is known
            rulings.append(inner)
            if inner.level > 0 and shadows:
                rulings.append(harms(f"the alias {key} hides another command behind a known name"))
    return together(rulings)


def settings(_name: str, args: list[Arg], _scene: Scene, _run: Run) -> Ruling:
    """Rule on set: alone it prints every variable."""
    if not args or [arg.text for arg in args] == ["-o"]:
        return harms("set alone tells every variable") if not args else changes("set is not known to only read")
    return changes("set changes how the shell works")


def sleep(_name: str, args: list[Arg], _scene: Scene, _run: Run) -> Ruling:
    """Rule on sleep: one that does not end soon keeps whoever waits for it."""
    if args and all(arg.literal and re.fullmatch(r"[0-9]{0,3}(?:\.[0-9]+)?s?|[0-9]m", arg.text) for arg in args):
        return READS
    return changes("sleep may not end")


def lists(name: str, args: list[Arg], _scene: Scene, _run: Run) -> Ruling:
    """Rule on what only tells something when it is given nothing, or asked for its list."""
    asked = [arg.text for arg in args]
    if asked in _TELL.get(name, ()):
        return READS
    return changes(f"{name} is not known to only read")


_TELL: dict[str, list[list[str]]] = {
    "kill": [["-l"], ["-L"]],
    "umask": [[], ["-S"]],
    "hash": [[], ["-l"]],
    "trap": [["-l"]],
    "shopt": [[]],
}


BUILTINS: dict[str, Builtin] = {
    "sleep": sleep,
    **dict.fromkeys(_TELL, lists),
    "echo": echo,
    "printf": printf,
    "test": test,
    "[": test,
    "date": date,
    "gdate": date,
    "ps": ps,
    "read": read,
    "let": let,
    "mapfile": let,
    "readarray": let,
    "alias": alias,
    "set": settings,
    **dict.fromkeys(["export", "declare", "typeset", "local", "readonly"], declare),
}
