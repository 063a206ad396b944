"""Rule on one program with its arguments: find out which it is, and ask who knows it.

Who knows it is loaded then: an agent waits for each module, and few commands need more than a handful.
"""

import re
from collections.abc import Iterator

from linetrail.ledger.shell.programs import linetrail, readers
from linetrail.ledger.shell.programs.builtin import BUILTINS
from linetrail.ledger.shell.programs.interpreters import INTERPRETERS, SHELLS, Run, program, script
from linetrail.ledger.shell.programs.runners import RUNNERS
from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.ruling import (
    DESTRUCTIVE,
    READS,
    SAFE,
    Ruling,
    at_least,
    changes,
    harms,
    together,
    unknown,
)
from linetrail.ledger.shell.reading.scene import Scene, shown
from linetrail.ledger.shell.reading.syntax import Simple
from linetrail.ledger.shell.reading.values import Arg, arguments

_FOLDERS = (
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/sbin/",
    "/usr/sbin/",
    "/opt/homebrew/bin/",
    "/run/current-system/sw/bin/",
)
# where packages put programs that are not the project's
_INSTALLED = r"(?:^|/)(?:node_modules/\.bin|\.?venv/bin|vendor/bin)/[^/]+$"
# how a file names the programs that a project makes
_MAKES = {
    "package.json": r'"bin"\s*:\s*\{{[^}}]*"{0}"\s*:|"name"\s*:\s*"(?:@[^/"]+/)?{0}"',
    "pyproject.toml": r'(?m)^\[(?:project|tool\.poetry)\.scripts\]\n(?:(?!\[).*\n)*?"?{0}"?\s*=',
    "Cargo.toml": r'(?m)^name\s*=\s*"{0}"',
}
# Modules of Python that serve, mail, or start something of their own.
_REACHING = {
    "http.server",
    "SimpleHTTPServer",
    "smtpd",
    "pydoc",
    "ftplib",
    "telnetlib",
    "smtplib",
    "webbrowser",
    "antigravity",
    "ensurepip",
    "pty",
    "code",
    "asyncio",
}
_CONSOLES = {"shell", "shell_plus", "dbshell", "console", "c", "dbconsole", "tinker", "repl"}
_TEXTS = {"awk", "gawk", "mawk", "nawk", "sed", "gsed", "jq"}
# an option that names a program's text, and where a pipe ends
_STREAMED = r"(?:^|\0)(?:-[A-Za-z]*[fEi]|--(?:file|exec|include|from-file))[\0=]?(?:-(?:\0|$)|/dev/|/proc/)"
# these make characters out of escapes that they are given
_RUN_QUIETLY = {"--no-install", "--no", "-q", "--quiet", "--silent", "-s"}
_FORMATTING = {"awk", "gawk", "mawk", "nawk", "sed", "gsed", "jq", "find", "git", "stat", "tr", "date", "seq", "paste", "nl", "expr", "column", "bc"}  # fmt: skip
_TAKES_NAMES = {"unset", "wait", "local", "let", "read", "test", "[", "declare", "typeset", "export", "readonly", "mapfile", "readarray", "getopts"}  # fmt: skip
# these are told what to leave out, look into, or carry elsewhere; what they write is judged by itself
_HELPING = {"python", "node", "find", "xargs", "sed", "awk", "tar", "jq", "bash", "tee", "timeout", "env", "cp", "mv", "rm", "mkdir", "touch", "chmod", "date"}  # fmt: skip
_COPIES = {"cp", "install", "tar", "zip", "rsync", "git", "diff", "sort", "docker", "find", "xargs"}
_LEFT_OUT = re.compile(r"^--?(?:[\w-]*(?:exclude|ignore|skip|not|message)[\w-]*|m|run|list|bench)(?:=|$)")
_ORDERS = re.compile(r"\\0?33|\\x1b|\\u001b|\\e\[|%x1b|\x1b|\\c\[|\\o33|\\d027", re.IGNORECASE)
# they run what stands behind them, which is looked at by itself
_NOT_HELD = linetrail.PROGRAMS | RUNNERS.keys() - SHELLS - INTERPRETERS - {"source", "."} | {"dd"}
_VERSIONED = re.compile(r"(python|pypy|perl|ruby|php|lua|node|pip|gcc|g\+\+|clang|java|bash|tclsh|R)[-\d.]+[a-z]?")
_ORDERED = {"make", "gmake", "npm", "pnpm", "yarn", "bun"}
_RUN_VERBS = {"uv": {"run"}, "rbenv": {"exec"}, "pyenv": {"exec"}, "volta": {"run"}, "lerna": {"exec"}, "nx": {"exec"}, "yarn": {"exec"}, "dotnet": {"exec"}, "poetry": {"run"}, "pipenv": {"run"}, "pdm": {"run"}, "hatch": {"run"}, "rye": {"run"}, "bundle": {"exec"}, "conda": {"run"}, "direnv": {"exec"}, "composer": {"exec"}, "asdf": {"exec"}, "mise": {"exec", "x"}, "stack": {"exec"}, "cabal": {"exec"}}  # fmt: skip
_NUMBERED = {"pip3": "pip", "pydoc3": "pydoc", "python3": "python", "python2": "python", "nodejs": "node", "gvim": "vim", "view": "vim", "mongo": "mongosh", "compose": "docker"}  # fmt: skip
# What is run from the folder of a project's own packages, and not downloaded, where it is there.
_LOCAL_TOOLS = (
    "tsc eslint jest vitest prettier mocha nyc c8 playwright cypress ava tap stylelint biome vue-tsc svelte-check knip "
    "madge depcheck tslint vite next nuxt astro webpack rollup esbuild tsup turbo nx prisma storybook tsx ts-node cspell "
    "markdownlint oxlint xo standard dprint swc babel karma wdio type-coverage size-limit attw publint lint-staged "
    "commitlint graphql-codegen drizzle-kit sass tailwindcss postcss typedoc api-extractor msw changeset"
)


def rule(args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on a program and its arguments, as far as both are known before they run."""
    if not args:
        return READS
    first = args[0]
    if not first.known or not first.text:
        return harms("which program runs is only known to the running shell")
    if first.glob and first.text != "[":
        return harms("a pattern of file names says which program runs")
    if scene.reading and scene.folders == {""} and _spelled(args) in scene.reading:
        return READS
    name, known_place = _name(first.text)
    rest = args[1:]
    if disguise := _disguised(name, rest):
        return harms(disguise)
    own = _is_own(first.text, scene)
    ruling = _held(name, rest, scene, _ruled(name, rest, scene, run, own=own))
    if own and "/" in first.text and scene.fresh is not None:
        ruling = together([ruling, program(first, rest, scene, run)])
    if ruling.level == DESTRUCTIVE and name not in _COPIES and name not in readers.READERS and name != "jq":
        return together([ruling, *_guarded(name, rest)])
    if ruling.level == SAFE and name in _FORMATTING and any(_ORDERS.search(arg.text) for arg in rest):
        return harms("the text gives orders to the terminal, which can show what never happened")
    if ruling.level == SAFE and not known_place:
        return changes(f"{shown(first)} is not the program that everybody knows under this name")
    return ruling


def _disguised(name: str, args: list[Arg]) -> str | None:
    if not name.isascii():
        return f"{name[:80]} is drawn like another name"
    subscript = name in _TAKES_NAMES and any("[" in arg.text and re.search(r"\$\(|`", arg.text) for arg in args)
    return f"a subscript that {name} is given can run a command" if subscript else None


def _spelled(args: list[Arg]) -> str | None:
    return " ".join(arg.text for arg in args) if all(arg.literal and not arg.splits for arg in args) else None


def _held(name: str, args: list[Arg], scene: Scene, ruling: Ruling) -> Ruling:
    """Add the words that a call may write; nothing to one that reads, is all known, or runs what stands behind it."""
    if ruling.level == SAFE or (ruling.complete and ruling.writes) or name in _NOT_HELD or _carried(name, args):
        return ruling
    from linetrail.ledger.shell.programs import operands

    if name == "git":
        from linetrail.ledger.shell.programs.git import git

        scene = git.standing(args, scene)
    return together([ruling, operands.rule(name, args, scene)])


def _guarded(name: str, args: list[Arg]) -> Iterator[Ruling]:
    """Yield what is worse where a program that is not known to only read is given what the gate protects."""
    if name in SHELLS or name in INTERPRETERS or name in ("source", "."):  # what is run is looked at by itself
        ran = next((place for place, arg in enumerate(args) if arg.text[:1] != "-"), len(args))
        args = [*args[:ran], *args[ran + 1 :]]
    for place, arg in enumerate(args):
        if any(_LEFT_OUT.search(word.text) for word in args[max(place - 1, 0) : place + 1]):
            continue
        if any(places.is_protected(part) for part in re.split(r"[=:,]", arg.text)):
            yield harms(f"{name} is given {shown(arg)}, which belongs to git, the ledger or an agent's configuration")


def _name(text: str) -> tuple[str, bool]:
    folder = text[: text.rindex("/") + 1] if "/" in text else ""
    folder = folder if folder in _FOLDERS else ""
    name = text[len(folder) :].rpartition("/")[2] if text != "/" else text
    plain = name.lower().removesuffix(".exe") if name.lower() != name else name.removesuffix(".exe")
    if name in RUNNERS or name in readers.READERS:
        plain = name
    if plain in _NUMBERED:
        plain = _NUMBERED[plain]
    found = _VERSIONED.fullmatch(plain)
    plain = found[1] if found else plain
    return plain, (bool(folder) or "/" not in text) and (plain == name or bool(found) or name in _NUMBERED)


def _is_own(text: str, scene: Scene) -> bool:
    """Return whether a program is the project's: stated, made by the command, or lying where no package puts its own."""
    if "/" not in text:
        return text in scene.own
    return not re.search(_INSTALLED, text) and (not scene.outside(text) or scene.is_free(text))


def _ruled(name: str, args: list[Arg], scene: Scene, run: Run, *, own: bool) -> Ruling:
    carried = _carried(name, args)
    if carried:
        return at_least(DESTRUCTIVE, f"{name} runs a program of the project", run.call(carried, scene))
    module = _module(name, args, scene, run)
    if module is not None:
        ran = _run_by_module(args)
        return together([module, run.call(ran, scene)]) if ran else module
    if name == "git":
        return _git(args, scene, run)
    asked = args[0].text if len(args) == 1 and args[0].known else ""
    if (asked == "--version" and name in readers.VERSIONED) or asked in readers.VERSION_OPTIONS.get(name, ()):
        return READS
    if asked == "--help" and (name in readers.READERS or name in _HELPING):
        return READS
    if name in RUNNERS:
        doubt = [] if name not in SHELLS | INTERPRETERS or own or _is_known(name) else [unknown(name)]
        return together([RUNNERS[name](name, args, scene, run), *_more(name, args), *doubt, *_fed(args, scene)])
    ruling = _read(name, args, scene, run)
    if ruling is not None and ruling.level == SAFE:
        return ruling
    from linetrail.ledger.shell.programs import dangers
    from linetrail.ledger.shell.programs.writers import WRITERS

    if name in dangers.PIPED_CODE and (scene.upstream or scene.stdin is not None):
        return harms(f"{name} runs what comes through the pipe")
    followed = [*_followed(name, args, scene)] if name in dangers.FOLLOWING else []
    written = [WRITERS[name](name, args, scene)] if name in WRITERS else []
    found = [ruling] if ruling is not None else []
    if not found and not written:
        known = own or _is_known(name) or _only_tells(args) or _is_declared(name, scene)
        found = [changes(f"{name} is not known to only read") if known else unknown(name)]
    followed += [*_fed(args, scene), *_recipes(name, args, scene, run)]
    return together([*_more(name, args), *written, *_run_verb(name, args, scene, run), *found, *followed])


def _recipes(name: str, args: list[Arg], scene: Scene, run: Run) -> Iterator[Ruling]:
    """Rule on what files of the project have a shell run."""
    if name in _ORDERED:
        from linetrail.ledger.shell.programs import recipes

        yield from recipes.rule(name, [arg.text for arg in args], scene, run)


def _fed(args: list[Arg], scene: Scene) -> Iterator[Ruling]:
    """Rule on code that the console of a framework is handed."""
    console = next((arg.text for arg in args[:3] if arg.text in _CONSOLES), "")
    if console and (scene.upstream or scene.source or scene.stdin is not None):
        yield harms(f"{console} runs what comes through the pipe")


def _is_known(name: str) -> bool:
    """Return whether verbs and options of a program are listed."""
    from linetrail.ledger.shell.programs.listed import is_known

    return is_known(name)


def _only_tells(args: list[Arg]) -> bool:
    """Return whether a program is asked for its version or for help alone."""
    return bool(args) and args[-1].text in ("--version", "--help")


def _piped(scene: Scene) -> str | None:
    """Return the text that echo or printf sends through the pipe; None where anything else does."""
    last = scene.upstream[-1] if scene.upstream else None
    args = arguments(last.words, scene.names) if isinstance(last, Simple) else []
    told = args and args[0].text in ("echo", "printf")
    return " ".join(arg.text for arg in args[1:]).replace("\\n", "\n") if told else None


def _followed(name: str, args: list[Arg], scene: Scene) -> Iterator[Ruling]:
    """Rule on the files, and on the input, with what a program is to do."""
    from linetrail.ledger.shell.programs import scripts

    files = scripts.given(name, [Arg(name), *args], scene.source)
    paths = {scene.told(path, arg.text) for arg in files if arg.known for path in scene.paths(arg.text)}
    piped = _piped(scene)
    if scene.upstream and piped is None and any(arg.text in ("-", "/dev/stdin") for arg in args):
        yield harms(f"{name} follows what comes through the pipe")
    for text in (*map(scene.read or (lambda _path: None), sorted(paths)), scene.stdin, piped):
        if text is not None:
            yield scripts.rule(text, name, scene)


def _run_verb(name: str, args: list[Arg], scene: Scene, run: Run) -> list[Ruling]:
    """Rule on what `uv run` and its like run."""
    verb = next((place for place, arg in enumerate(args) if arg.text in _RUN_VERBS.get(name, ())), len(args))
    verb += name == "direnv"  # behind its verb stands a folder
    words = [at for at in range(verb + 1, len(args)) if args[at].text[:1] != "-"]
    first = verb + 1 + (args[verb + 1 : verb + 2] != [] and args[verb + 1].text == "--")
    told = words[: 1 if words[:1] == [first] else 2]  # which options in front have a value is not known
    own = {args[at].text for at in told if not _is_known(args[at].text)}  # a project has programs of its own there
    standing = scene._replace(own=scene.own | own)
    lines = [args[at].text for at in told if re.search(r"[\s;&|<>]", args[at].text)]  # yarn hands these to a shell
    piped = [Arg("python"), Arg("-")] if name == "uv" and any(arg.text == "-" for arg in args[verb:]) else []
    calls = [*(list(args[at:]) for at in told), *([piped] if piped else [])]
    return [*(run.call(call, standing) for call in calls), *(run.posix(line, standing) for line in lines)]


def _git(args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on git, and on the command that a bisection runs at each step."""
    from linetrail.ledger.shell.programs.git import git

    texts_ = [arg.text for arg in args]
    verb = next((place for place in range(len(texts_) - 1) if texts_[place : place + 2] == ["bisect", "run"]), None)
    ran = [run.call(args[verb + 2 :], scene)] if verb is not None else []
    return together([git.rule(args, scene), *ran])


def _carried(name: str, args: list[Arg]) -> list[Arg]:
    """Return the call of a tool that a project brings along, as npx and its like run it from there."""
    rest = [arg for arg in args if arg.text not in _RUN_QUIETLY] if args and args[0].text in _RUN_QUIETLY else args
    verb = rest[0].text if rest else ""
    if name in ("npm", "pnpm", "yarn", "bun") and verb in ("exec", "run", "x"):
        rest = [arg for arg in rest[1:] if arg.text != "--"] if rest[1:2] and rest[1].text == "--" else rest[1:]
    elif name not in ("npx", "bunx", "pnpx", "yarn", "pnpm"):
        return []
    return rest if rest and rest[0].literal and rest[0].text in _LOCAL_TOOLS.split() else []


def _read(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling | None:
    if name in BUILTINS:
        return BUILTINS[name](name, args, scene, run)
    if name in _TEXTS:
        streamed = re.search(_STREAMED, "\0".join(arg.text for arg in args))
        return harms(f"{name} runs what comes through a pipe") if streamed else _text(name, args, scene)
    if name in readers.READERS:
        return readers.rule(name, args, scene)
    if name in ("tee", "tar", "unzip", "ar", "7z"):
        from linetrail.ledger.shell.programs.writers import WRITERS

        return WRITERS[name](name, args, scene)
    return None


def _text(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on a program that is given a text to run."""
    if name in ("sed", "gsed"):
        from linetrail.ledger.shell.programs import sed

        return sed.sed(args, scene)
    from linetrail.ledger.shell.programs import texts

    return texts.jq(args, scene) if name == "jq" else texts.awk(args, scene)


def _more(name: str, args: list[Arg]) -> list[Ruling]:
    from linetrail.ledger.shell.programs import dangers

    ruling = dangers.rule(name, args)
    return [ruling] if ruling else []


def _module(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling | None:
    """Rule on linetrail, and on `python -m …` where it is another way to call a program."""
    if name in linetrail.PROGRAMS:
        return harms("linetrail-hook speaks for the gate") if name == "linetrail-hook" else linetrail.rule(args, scene)
    texts_ = [arg.text for arg in args]
    if name not in ("python", "pypy") or "-m" not in texts_[:4]:
        return None
    place = texts_.index("-m")
    module, rest = (texts_[place + 1] if place + 1 < len(texts_) else ""), args[place + 2 :]
    if module.startswith("linetrail"):
        return (
            harms("linetrail-hook speaks for the gate")
            if "hook" in module or "entry" in module
            else _at_most_records(linetrail.rule(rest, scene))
        )
    if module == "twine":
        return together([changes("python -m twine publishes"), *_more("twine", rest)])
    if module == "pip":
        return together([changes("pip is not known to only read"), *_more("pip", rest)])
    if module in _REACHING:
        return harms(f"python -m {module} offers the workspace to others, or reaches out")
    if module == "pdb" and (scene.upstream or scene.source or scene.stdin is not None):
        return harms("python -m pdb runs what comes through the pipe")
    first = module.partition(".")[0]
    if (
        _is_known(first)
        or _is_known(f"-m {first}")
        or module in scene.own
        or any(True for file in _files_of(module) for _ in _texts(file, scene))
    ):
        here = [script("python", Arg(file), rest, scene, run) for file in _files_of(module) if any(_texts(file, scene))]
        return together([changes(f"python -m {module} runs code that was not inspected"), *here])
    return unknown(module) if module else changes("python -m without a module")


def _run_by_module(args: list[Arg]) -> list[Arg]:
    """Return the call of the module that `python -m cProfile -m …` and its like run."""
    places_ = [place for place, arg in enumerate(args) if arg.text == "-m"]
    module = args[places_[0] + 1].text if places_ and places_[0] + 1 < len(args) else ""
    if module not in ("cProfile", "profile", "trace", "pdb"):
        return []
    files = [place for place, arg in enumerate(args) if arg.text.endswith(".py")]
    return [Arg("python"), *args[[*places_[1:], *files][0] :]] if places_[1:] or files else []


def _files_of(module: str) -> list[str]:
    """Return the files in which a module of the project may lie."""
    ends = (".py", "/__main__.py", "/__init__.py")
    return [f"{folder}{module.replace('.', '/')}{end}" for folder in ("", "src/") for end in ends]


def _is_declared(name: str, scene: Scene) -> bool:
    """Return whether the project says that it makes a program of this name, where Node, Python, Rust and Go look."""
    says = (
        re.search(form.format(re.escape(name)), text) for file, form in _MAKES.items() for text in _texts(file, scene)
    )
    return any(says) or any(True for _ in _texts(f"cmd/{name}/main.go", scene))


def _texts(file: str, scene: Scene) -> Iterator[str]:
    """Yield what a file says where the shell may stand, if it is there."""
    for path in scene.paths(file):
        text = scene.read(scene.told(path, file)) if scene.read is not None else None
        if text is not None:
            yield text


def _at_most_records(ruling: Ruling) -> Ruling:
    """Never call `python -m` a reader: a module of the folder could stand in front of the one that was meant."""
    return ruling if ruling.level else changes("python -m may run a module of this folder")
