"""What the parts of a command mean together: a file that is written and then run, a variable that nothing here uses."""

import re
from collections.abc import Iterator

from linetrail.ledger.shell.programs.interpreters import INTERPRETERS, SHELLS, Run, interpreter
from linetrail.ledger.shell.programs.readers import READERS
from linetrail.ledger.shell.reading.ruling import READS, Ruling, harms, together
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.syntax import Command, Script, Simple, commands
from linetrail.ledger.shell.reading.values import UNKNOWN, Arg, Names, arguments, expand

_WRITING = {">", ">>", ">|", "&>", "&>>", "<>"}
_FETCHING = {"curl", "wget", "aria2c", "fetch", "http", "https", "xh"}
_LOADING = {"source", ".", "python3", "make", "pip", "npm", "chmod"}
_TAKING = {"tee", "cp", "mv", "ln", "install", "chmod", "touch", "dd"}
_READING = {"source", "."}
# What they are given has no literals in which code could be looked at.
_UNQUOTED = {"m4", "tclsh", "gnuplot", "dc", "bc"}
_SCRIPTED = {"awk", "gawk", "mawk", "nawk", "sed", "gsed", "make", "gmake"}
_STARTED = SHELLS | INTERPRETERS
# code runs nothing that is looked at
_NOTHING = Run(lambda _args, _scene: READS, lambda _text, _scene: READS)


def runs_what_it_made(script: Script, scene: Scene) -> Ruling:
    """Rule on a text that writes or downloads a file and then runs one: what it will run was not there to inspect.

    Code whose text stands in the command is looked at like any other.
    """
    if _fetches_and_runs(script):
        return harms("it runs what it has just downloaded")
    made, rulings, names = dict[str, str](), [READS], scene.names
    for command in commands(script):
        args = arguments(command.words, names) if isinstance(command, Simple) else []
        name = _base(args[0].text) if args else ""
        if made and args and name not in READERS:
            from linetrail.ledger.shell.programs.code import targets

            written = {target for text in made.values() for target in targets(text)}
            rulings += [scene.writes(Arg(target), "a file of code") for target in sorted(filter(None, written))]
        start = next((at for at, arg in enumerate(args) if at and arg.text in _STARTED), 0)
        args, name = args[start:], _base(args[start].text) if args else ""
        run = _run(args) or _handed(name, command, names)
        text = made.get(_base(run.text)) if run is not None else None
        language = _language(name)
        if text and UNKNOWN not in text and language in INTERPRETERS - _UNQUOTED:
            rulings.append(interpreter(language, [Arg("-c"), Arg(text)], scene, _NOTHING))
        elif run is not None and text is not None and language == name:
            return harms(f"it runs {run.text[:80]}, which it writes before")
        made.update((_base(path), _text(name, args, command)) for path in _made(name, args, command, names))
    return together(rulings)


def _handed(name: str, command: Command, names: Names) -> Arg | None:
    """Return the file that a shell or an interpreter reads in the place of what is typed."""
    if name not in SHELLS | INTERPRETERS:
        return None
    handed = [redirect.target for redirect in command.redirects if redirect.operator == "<"]
    return next(iter(expand(handed[0], names)), None) if handed else None


def _text(name: str, args: list[Arg], command: Command) -> str:
    """Return what a part writes into a file, as far as it stands in the command; nothing where it does not."""
    bodies = [redirect.body for redirect in command.redirects if redirect.operator in ("<<", "<<-")]
    if bodies:
        return "".join(piece.text if piece.kind == "text" else UNKNOWN for piece in bodies[-1])
    return " ".join(arg.text for arg in args[1:]) if name in ("echo", "printf") else ""


def _fetches_and_runs(script: Script) -> bool:
    """Return whether a file is run behind the download that may have brought it."""
    fetched = False
    for command in commands(script):
        first = command.words[0].literal if isinstance(command, Simple) and command.words else None
        name = (first or "").rpartition("/")[2]
        if (
            fetched
            and first
            and (
                name in SHELLS
                or name in INTERPRETERS
                or first.startswith((".", "~"))
                or "tmp/" in first
                or name in _LOADING
            )
        ):
            return True
        fetched = fetched or name in _FETCHING
    return False


def _run(args: list[Arg]) -> Arg | None:
    """Return the file that is run as a script, by itself or by an interpreter."""
    if not args:
        return None
    name = args[0].text
    if "/" in name and not re.match(r"/(?:usr/(?:local/)?)?s?bin/", name):
        return args[0]
    if name in _SCRIPTED:
        texts = " ".join(arg.text for arg in args)
        told = re.search(r" (?:-f ?|--?(?:file|makefile)[ =])(\S+)", texts)
        return Arg(told[1]) if told else Arg("Makefile") if name in ("make", "gmake") else None
    if _language(_base(name)) in SHELLS | INTERPRETERS | _READING | _UNQUOTED:
        operand = next((arg for arg in args[1:] if not arg.text.startswith("-")), None)
        if operand and operand is not args[1] and args[args.index(operand) - 1].text == "-m":
            return Arg(f"{operand.text.replace('.', '/')}.py")
        code = any(re.fullmatch(r"-[a-zA-Z]*[cem]", arg.text) for arg in args[1:])
        return None if code else operand
    return None


def _made(name: str, args: list[Arg], command: Command, names: Names) -> Iterator[str]:
    for redirect in command.redirects:
        if redirect.operator in _WRITING:
            yield from (target.text for target in expand(redirect.target, names))
    if name in _FETCHING | _TAKING:
        yield from (re.sub(r"^-[oO]|^--output(?:-document)?=|^of=|[?#].*", "", arg.text) for arg in args[1:])
    if _language(name) in INTERPRETERS:
        from linetrail.ledger.shell.programs.code import targets

        yield from filter(None, targets("\n".join(arg.text for arg in args[1:])))


def _language(program: str) -> str:
    """Return the name of an interpreter without its version."""
    return re.sub(r"(?<=[a-z]{2})[\d.]+$", "", program)


def _base(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or "/"
