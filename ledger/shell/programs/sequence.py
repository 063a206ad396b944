"""What the parts of a command mean together: a file that is written and then run, a variable that nothing here uses."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from linetrail.ledger.shell.programs import tables
from linetrail.ledger.shell.programs.interpreters import INTERPRETERS, SHELLS, Run, interpreter
from linetrail.ledger.shell.programs.listed import Row, row_of
from linetrail.ledger.shell.programs.names import is_spelled
from linetrail.ledger.shell.programs.readers import READERS
from linetrail.ledger.shell.reading.ruling import READS, Ruling, harms, together
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.syntax import Command, Script, Simple, commands
from linetrail.ledger.shell.reading.values import UNKNOWN, Arg, Names, arguments, expand

_WRITING = {">", ">>", ">|", "&>", "&>>", "<>"}
_FETCHING = {"curl", "wget", "aria2c", "fetch", "http", "https", "xh"}
_VERSION = "0123456789."
_LOADING = {"source", ".", "python3", "make", "pip", "npm", "chmod"}
_TAKING = {"tee", "cp", "mv", "ln", "install", "chmod", "touch", "dd"}
_MAKING = {"tee", "chmod", "touch", "dd"}
_EDITING = {"sed", "gsed", "perl", "ruby"}
_READING = {"source", "."}
# What they are given has no literals in which code could be looked at.
_UNQUOTED = {"m4", "tclsh", "gnuplot", "dc", "bc"}
_SCRIPTED = {"awk", "gawk", "mawk", "nawk", "sed", "gsed", "make", "gmake"}
_WRAPPERS = {"flock", "nice", "timeout", "time", "command", "exec", "stdbuf", "ionice", "setsid", "env", "xargs"}
_STARTED = SHELLS | INTERPRETERS
# They change a file as they are told in the command.
_EDITING, _IN_PLACE = {"sed", "gsed", "perl", "ruby"}, r"-[A-Za-z0-9]*i|--in"
# What tests, or other code, may load.
_CODE = r".*\.(?:py|[cm]?[jt]sx?|rb|p[lm]|php|lua|t|(?:ba|z)?sh)"
# Files with settings that these take from where they stand, and options that name one.
_SETTINGS = r"(?:site|user)customize\.py|.*\.pth|(?:pytest|tox|mypy)\.ini|setup\.cfg|\.coveragerc|\.?ruff\.toml|\.(?:flake8|pylintrc|eslintrc.*|prettierrc.*|golangci\.ya?ml)|(?:biome|tsconfig|jest\.config)\.json"
_SET = {
    "pytest",
    "tox",
    "mypy",
    "coverage",
    "python",
    "uv",
    "ruff",
    "flake8",
    "pylint",
    "eslint",
    "prettier",
    "golangci-lint",
    "biome",
    "tsc",
    "jest",
    "npx",
}
_TELLS_SETTINGS = r"-c|--?(?:config|conf|rcfile|settings?|options|defaults|ini)[-\w]*"
# Programs that carry a file elsewhere, or keep it.
_CARRYING = {"git", "gh", "glab", "curl", "wget", "http", "xh", "aws", "gcloud", "docker", "podman", "kubectl", "helm", "patch", "cp", "mv", "install", "tar", "touch", "chmod"}  # fmt: skip
# Where git goes from what is committed, or takes it; what makes a branch where it stands; what one file is called.
_GOES_ELSEWHERE = {"stash", "switch", "checkout", "rebase", "bisect"}
_TELLS_STASHES = (["list"], ["show"])
_NEW_BRANCH, _OF_A_FILE = r"-[bcq]*[bc]|--create", r"(?![.:-])(?!.*\.orchestration)[\w@%+=,./-]+"
# code runs nothing that is looked at
_NOTHING = Run(lambda _args, _scene: READS, lambda _text, _scene: READS, lambda _text, _scene: READS)


def runs_what_it_made(script: Script, scene: Scene, runner: Run) -> Ruling:
    """Rule on a text that writes or downloads a file and then runs one: what it will run was not there to inspect.

    Code whose text stands in the command is looked at like any other.
    """
    parts = list(commands(script))
    if len(parts) < 2:
        return READS
    if _fetches_and_runs(parts):
        return harms("it runs what it has just downloaded")
    made, rulings, names, before_it = dict[str, str](), [READS], scene.names, list[list[Arg]]()
    for command in parts:
        args = arguments(command.words, names) if isinstance(command, Simple) else []
        name = _base(args[0].text) if args else ""
        if made and args and name not in READERS:
            from linetrail.ledger.shell.programs.code.code import targets
            from linetrail.ledger.shell.programs.scripts import started

            written = {target for text in made.values() for target in targets(text)}
            rulings += [ruling for text in made.values() for ruling in started(text, scene, runner)]
            rulings += [scene.writes(Arg(target), "a file of code") for target in sorted(filter(None, written))]
            rulings += _followed(made, args, _handed(command, names), scene, runner)
        start = next((at for at, arg in enumerate(args) if at and arg.text in _STARTED), 0)
        args, name = args[start:], _base(args[start].text) if args else ""
        run = _run(args) or next(iter(_handed(command, names) if _language(name) in _STARTED else ()), None)
        text = next((made[path] for path in made if run is not None and _base(path) == _base(run.text)), None)
        language = _language(name)
        if run is not None and text is None:
            rulings += _rewritten(run, before_it, scene, runner)
        before_it.append(args)
        if text and UNKNOWN not in text and language in INTERPRETERS - _UNQUOTED:
            rulings.append(interpreter(language, [Arg("-c"), Arg(text)], scene, _NOTHING))
        elif (run is not None and text is not None) or _is_called(args, made):
            return harms(f"it runs {(run or args[0]).text[:80]}, which it writes before")
        for path in _made(name, args, command, names):
            if name in ("chmod", "touch") and path not in made:
                continue  # what was in it stays
            before, text = made.get(path, ""), _text(name, args, command)
            is_kept = name in ("chmod", "touch") or (
                text and (before or path not in made)
            )  # what >> adds to, or > replaces
            made[path] = f"{before}\n{text}".strip("\n") if is_kept else ""
    return together(rulings)


def takes_away(script: Script, scene: Scene) -> Ruling:
    """Rule on git where it is given all that is new, and then goes to where that is not: the gate's files go along."""
    given = False
    for command in commands(script):
        for words in _git(arguments(command.words, scene.names) if isinstance(command, Simple) else []):
            operands = [word for word in words[1:] if not word.startswith("-")]
            if words[:1] in (["add"], ["stage"]):
                tracked = not operands and {"-u", "--update"} & set(words)
                given = given or not (tracked or all(re.fullmatch(_OF_A_FILE, word) for word in operands or ["."]))
            stays = len(operands) < 2 and any(re.fullmatch(_NEW_BRANCH, word) for word in words[1:])
            if given and words[:1] and words[0] in _GOES_ELSEWHERE and not stays and operands[:1] not in _TELLS_STASHES:
                return harms("git takes the gate's files along when it goes elsewhere; commit first, in its own call")
    return READS


def _git(args: Sequence[Arg]) -> Iterator[list[str]]:
    """Yield what git is told, also behind other programs, and in texts for a shell."""
    if not any("git" in arg.text for arg in args) or _base(args[0].text) in READERS:
        return
    from linetrail.ledger.shell.programs.git.git import arguments as told  # few commands call git

    is_git = _base(args[0].text) == "git"
    texts = [args[1:]] if is_git else [[Arg(word) for arg in args for word in re.split(r"[\s;&|()]+", arg.text)]]
    for words in texts:
        starts = [0] if is_git else [at + 1 for at, word in enumerate(words) if _base(word.text) == "git"]
        for start, end in pairwise([*starts, len(words) + 1]):
            yield [word.text for word in told(words[start : end - 1])[1]]


def _is_called(args: Sequence[Arg], made: Mapping[str, str]) -> bool:
    """Return whether a program is called as a file is that was made: PATH has more than one name in zsh."""
    return bool(args) and args[0].text in map(_base, made)


def _rewritten(run: Arg, before: Sequence[Sequence[Arg]], scene: Scene, runner: Run) -> Iterator[Ruling]:
    """Rule on a file that is run behind a call which writes it."""
    for args in before:
        name = _base(args[0].text) if args else ""
        if name not in _EDITING and name not in tables.rows("files"):
            continue
        ruling = runner.call(list(args), scene)
        if any(_base(path) == _base(run.text) for path in (*ruling.writes, *ruling.names)):
            yield harms(f"it runs {run.text[:80]}, which {name} writes before")


def _followed(
    made: Mapping[str, str], args: Sequence[Arg], handed: Sequence[Arg], scene: Scene, runner: Run
) -> Iterator[Ruling]:
    """Rule on the files of this command that a program follows, or builds something by."""
    from linetrail.ledger.shell.programs import scripts

    name = _base(args[0].text) if "/" not in args[0].text or args[0].text.startswith("/usr/") else args[0].text
    given = {_base(arg.text) for arg in scripts.given(name, args, handed)}
    words = {word for arg in args[1:] for word in re.split(r"[\s;&|()<>\"']+", arg.text)}
    for path, text in made.items():
        follows = _base(path) in given or scripts.builds(name, args, path)
        if not text or UNKNOWN in text:
            if follows or (re.fullmatch(_CODE, path) and name not in _CARRYING):
                yield harms(f"{name} follows {path[:80]}, which it writes before")
        elif _base(path) in given:
            yield scripts.rule(text, name, scene)
        elif scripts.builds(name, args, path):
            yield scripts.built(text, path, scene, runner)
        elif path in (words if name in SHELLS else _handed_on(name, args)):
            yield harms(f"it runs {path[:80]}, which it writes before")
        elif (_language(name) in _SET and _sets(path, text)) or path in _told_settings(name, args):
            yield harms(f"{name} takes its settings from {path[:80]}, which it writes before")
        else:
            yield from _loaded(path, text, name, words, scene)


def _loaded(path: str, text: str, name: str, words: set[str], scene: Scene) -> Iterator[Ruling]:
    """Rule on what a program takes up that is told no more than a name, or not even that."""
    from linetrail.ledger.shell.programs import scripts

    module = _base(path).removesuffix(".py")
    if name == "git" and re.search(r"(?:^|/)hooks/[\w-]+$", path):
        yield harms(f"git runs {path[:80]}, which it writes before")
    elif path.endswith(".sql") and path in words:
        yield scripts.rule(text, "sqlite3", scene)
    elif _language(name) == "python" and path.endswith(".py") and any(module in word.split(".") for word in words):
        yield interpreter("python", [Arg("-c"), Arg(text)], scene, _NOTHING)


def _sets(path: str, text: str) -> bool:
    """Return whether a file has settings of the programs that look for it."""
    is_shared = _base(path) == "pyproject.toml" and re.search(r"\[tool\.(?!poetry|hatch|setuptools|pdm|uv)", text)
    return bool(is_shared or re.fullmatch(_SETTINGS, _base(path)))


def _told_settings(name: str, args: Sequence[Arg]) -> list[str]:
    """Return the files from which an option, or an `@`, says that a program takes settings or arguments."""
    if name in READERS or name in _CARRYING:
        return []
    row = row_of(name) or Row()
    return [
        (option if option[:1] == "@" else value).lstrip("@")
        for option, value in ((text, after) for text, after in pairwise([*(arg.text for arg in args), ""]))
        for option, value in [(option.partition("=")[0], option.partition("=")[2] or value)]
        if option[:1] == "@" or re.fullmatch(_TELLS_SETTINGS, option) or row.is_told(option)
    ]


def _handed_on(name: str, args: Sequence[Arg]) -> list[str]:
    """Return the words that a program may run that runs others."""
    texts = [arg.text for arg in args]
    if name in ("find", "gfind"):
        return [text for before, text in pairwise(texts) if before.startswith(("-exec", "-ok"))]
    return [text for text in texts[1:] if text[:1] != "-"][:2] if name in _WRAPPERS else []


def _handed(command: Command, names: Names) -> list[Arg]:
    """Return the files that a program reads in the place of what is typed."""
    handed = [redirect.target for redirect in command.redirects if redirect.operator == "<"]
    return [arg for target in handed for arg in expand(target, names)]


def _text(name: str, args: list[Arg], command: Command) -> str:
    """Return what a part writes into a file, as far as it stands in the command; nothing where it does not."""
    if _edits(name, args):
        return "\n".join(arg.text for arg in args[1:])
    if name in ("echo", "printf"):
        return _printed(args[1:], is_format=name == "printf")
    hands_through = name in ("", "tee") or (name == "cat" and all(arg.text == "-" for arg in args[1:]))
    bodies = [redirect for redirect in command.redirects if hands_through and redirect.operator.startswith("<<")]
    if not bodies:
        return ""
    if bodies[-1].operator == "<<<":
        return bodies[-1].target.literal or ""
    return "".join(piece.text if piece.kind == "text" else UNKNOWN for piece in bodies[-1].body)


def _printed(args: list[Arg], *, is_format: bool) -> str:
    """Return what echo or printf prints; nothing where it is put together."""
    texts = [arg.text for arg in args]
    if is_format and re.fullmatch(r"(?:%[sb](?:\\n| )?)+", texts[0] if texts else ""):
        texts = texts[1:]
    told = " ".join(texts)
    if re.search(r"\\[xuUc0-7]", told) or (is_format and len(texts) > 1 and "%" in texts[0].replace("%%", "")):
        return ""
    return told.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")


def _fetches_and_runs(parts: Sequence[Command]) -> bool:
    """Return whether a file is run behind the download that may have brought it."""
    fetched = False
    for command in parts:
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
    in_place = name in _EDITING and any(re.match(r"-[a-zA-Z]*i|--in-place", arg.text) for arg in args[1:])
    if name in _FETCHING | _TAKING or in_place:
        taken = args[1:] if name in _FETCHING | _MAKING or any(arg.text[:2] == "-t" for arg in args) else args[-1:]
        yield from (re.sub(r"^-[oO]|^--output(?:-document)?=|^of=|[?#].*", "", arg.text) for arg in taken)
    if _edits(name, args):
        yield from (arg.text for arg in args[1:] if arg.text[:1] != "-" and is_spelled(arg))
    if _language(name) in INTERPRETERS:
        from linetrail.ledger.shell.programs.code.code import targets

        yield from filter(None, targets("\n".join(arg.text for arg in args[1:])))


def _edits(name: str, args: Sequence[Arg]) -> bool:
    """Return whether a call changes files as it is told."""
    return name in _EDITING and any(re.match(_IN_PLACE, arg.text) for arg in args)


def _language(program: str) -> str:
    """Return the name of an interpreter without its version."""
    return re.sub(r"(?<=[a-z]{2})[\d.]+$", "", program) if program[-1:] in _VERSION else program


def _base(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or "/"
