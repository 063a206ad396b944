"""Files with commands for a program that is no shell: of a database, an editor, sed, awk, and of what builds.

What stands in one is held against the scope as if it were typed.
"""

import re
from collections.abc import Iterator, Sequence

from linetrail.ledger.shell.programs.code import code
from linetrail.ledger.shell.programs.dangers import EDITORS, FOLLOWING, STREAMS
from linetrail.ledger.shell.programs.interpreters import Run
from linetrail.ledger.shell.programs.names import is_spelled, named, placed
from linetrail.ledger.shell.programs.verbs import COMPILERS
from linetrail.ledger.shell.reading.ruling import Ruling, blind, changes, harms, together
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.values import Arg

# Options whose value is such a file, or is glued to them.
_OPTIONS = r"-f|-init|--init|--file|--from-file|-S|-s|-x|-P|-K|--config|--init-file"
_COMPILED = r".*\.(?:c|cc|cpp|cxx|h|hpp|go|rs|java|kt|swift|zig|cs|m|d|nim|hs|ml|f90|ts)"
_STARTS = (
    r"\b(?:system|popen|exec[lv]\w*|posix_spawn\w*|Command::new|ProcessBuilder|getRuntime|Process)\s*\(|\bos/exec\b"
)
_WORD = r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\""
# A call that starts a process, with the literals that it begins with.
_STARTED = rf"\b(?:system|popen|subprocess\.\w+|Popen|check_\w+|getoutput|exec\w*|spawn\w*|shell_exec|passthru)\s*\(?\s*((?:[\s,\[]|{_WORD})+)"
# What builds, and the files that say how.
_BUILDS = {
    **dict.fromkeys(["npm", "pnpm", "yarn", "bun", "npx", "node"], r"package\.json"),
    "ninja": r".*\.ninja", "cmake": r"CMakeLists\.txt|.*\.cmake", "just": r"\.?[jJ]ustfile|.*\.just", "task": r"Taskfile\.ya?ml",
    "tox": r"tox\.ini|setup\.cfg|pyproject\.toml", "make": r"(?:GNU)?[mM]akefile|.*\.mk", "rake": r"Rakefile|.*\.rake", "mage": r"magefile\.go",
    "bazel": r"BUILD(?:\.bazel)?", "meson": r"meson\.build", "gradle": r"build\.gradle(?:\.kts)?", "scons": r"SConstruct",
    "pre-commit": r"\.pre-commit-config\.yaml", "lefthook": r"lefthook\.ya?ml", "poe": r"pyproject\.toml", "hatch": r"pyproject\.toml", "pdm": r"pyproject\.toml",
    "composer": r"composer\.json", "bundle": r"Gemfile", "mise": r"\.?mise\.toml", "direnv": r"\.envrc", "deno": r"deno\.jsonc?", "cargo": r"config\.toml",
}  # fmt: skip
# What builds all code that it finds.
_COMPILES_ALL = {"go", "cargo", "dotnet", "swift", "mvn", "gradle", "gradlew", "sbt", "dart", "flutter", "bazel"}
# A command of a client, and one with which an editor writes; what of the first only tells or sets.
_ASKED, _EDITED = (
    r"\s*[.\\](\w+|!)[ \t]*(.*)",
    r"\s*:?[\d$%.,;]*(?:[gGvV]/[^/]*/)?(w|W|wq|x|e|E|f|write|sav|saveas|up|update)!?[ \t]+(.*)",
)
_TELLING = r"(?:r|e|mode|headers?|import|read|i|ir|tables|schema|timer|width|echo|set|pset|d\w*|q|quit|exit|x|timing|l|c|connect|index\w*|null\w*|separator|bail|stats|prompt|databases|show|eqp|changes|parameter|help|if|else|endif|gset|a|t|conninfo|encoding)"
_RUNS = r"(?m)^\s*:?[\d$%.,;]*(?:r\s*|w\s*)?!|^\s*\\!|^\s*\.(?:shell|system)\b"
_SET = r"(?m)^\s*-{0,2}(?:output|o|dump-header|cookie-jar|create-dirs|set\s+out\w*)\s*[= ]\s*[\"']?([^\s\"']+)"


def given(name: str, args: Sequence[Arg], handed: Sequence[Arg]) -> Iterator[Arg]:
    """Yield the files that a program is given to follow; `handed` are those that it reads in the place of what is typed."""
    if name not in FOLLOWING:
        return
    if name not in STREAMS:
        yield from handed
    for at, arg in enumerate(args[1:], 1):
        option, _, value = arg.text.partition("=")
        if re.fullmatch(rf"{_OPTIONS}|-[a-zA-Z]*f" if name in STREAMS else _OPTIONS, arg.text) and at + 1 < len(args):
            yield args[at + 1]
        elif re.fullmatch(_OPTIONS, option) and value:
            yield arg._replace(text=value)
        elif told := re.match(rf"(?:{_OPTIONS})([^-=].*)|(?:[.\\](?:read|ir?|include)\s+)(\S+)", arg.text):
            yield arg._replace(text=told[1] or told[2])


def started(text: str, scene: Scene, run: Run) -> Iterator[Ruling]:
    """Rule on the commands that code starts, as far as it spells them; a program that nobody knows may run."""
    for call in re.finditer(_STARTED, text):
        words = [match[1] or match[2] or "" for match in re.finditer(_WORD, call[1])]
        if words and "{" not in "".join(words):
            yield run.posix(" ".join(words), scene._replace(level=scene.level + 1))._replace(unseen=None)


def builds(name: str, args: Sequence[Arg], path: str) -> bool:
    """Return whether a program follows, or makes a program of, a file where it lies."""
    base = path.rpartition("/")[2]
    compiles = re.fullmatch(_COMPILED, base) is not None and any(arg.text.endswith(base) for arg in args[1:])
    runs = (name in _COMPILES_ALL or "/" in name) and re.fullmatch(_COMPILED, base) is not None
    return compiles or runs or re.fullmatch(_BUILDS.get(name, r"\b\B"), base) is not None


def rule(text: str, name: str, scene: Scene) -> Ruling:
    """Rule on what a program is given to follow."""
    what = f"a script of {name}"
    if name in ("sed", "gsed"):
        from linetrail.ledger.shell.programs import sed

        return sed.sed([Arg("-e"), Arg(text)], scene)
    if name in COMPILERS:
        return _compiled(text, what, scene)
    if name == "cmake":
        return _configured(text, what, scene)
    if name in STREAMS:
        from linetrail.ledger.shell.programs import texts

        return texts.awk([Arg(text)], scene)
    if re.search(_RUNS, text):
        return harms(f"{what} runs a command")
    rulings = [changes(f"{what} was looked at, and may change more"), code.rule(text, what, scene, name)]
    for line in text.splitlines():
        asked = re.match(_EDITED if name in EDITORS else _ASKED, line)
        if asked and (name in EDITORS or not re.fullmatch(_TELLING, asked[1])):
            rulings += [named(placed(Arg(word.strip("'\""))), what, scene) for word in asked[2].split()]
    return together([*rulings, *(named(placed(Arg(path)), what, scene) for path in re.findall(_SET, text))])


# What cmake finds out, but for the folder that it builds in.
_CALLS = r"file|configure_file|write_file|execute_process|add_custom_\w+|set|set_\w*propert\w+|install"
_WORKED_OUT = r"\$(?:ENV|CACHE|\{(?!(?:CMAKE_(?:CURRENT_)?|PROJECT_)BINARY_DIR\}))"


def _configured(text: str, what: str, scene: Scene) -> Ruling:
    """Rule on a script of cmake by what it writes, and by the words of what it runs."""
    calls = re.findall(rf"\b(?:{_CALLS})\s*\(([^)]*)\)", text)
    if re.search(rf"{_WORKED_OUT}|\$\{{[^)]*\.\.", " ".join(calls)):
        return blind(f"{what} writes to a place that it works out itself; spell it")
    words = [Arg(word.strip("\"'")) for word in " ".join(calls).split()]
    words = [*filter(is_spelled, words), *map(Arg, re.findall(r"\bfile\s*\(\s*[A-Z_]+\s+([^\s)]+)", text))]
    return together([changes(f"{what} was looked at"), *(named(placed(word), what, scene) for word in words)])


def _compiled(text: str, what: str, scene: Scene) -> Ruling:
    if re.search(_STARTS, text):
        return harms(f"{what} starts processes")
    written = re.findall(r'\b(?:fs::\w+|File::\w+|os\.\w+|ioutil\.\w+)\s*\(\s*&?"([^"]+)"', text)
    return together([code.rule(text, what, scene, "c"), *(named(placed(Arg(path)), what, scene) for path in written)])


def built(text: str, path: str, scene: Scene, run: Run) -> Ruling:
    """Rule on a file that a program builds by, and on one that it makes a program of."""
    folder = path.rpartition("/")[0]
    there = scene.standing(scene.folders | scene.entered(Arg(folder or ".")))._replace(level=scene.level + 1)
    if re.fullmatch(_COMPILED, path):
        generated = re.findall(r"(?m)^//go:generate\s+(.+)", text)
        return together([_compiled(text, path, scene), *(run.text(line, there) for line in generated)])
    if path.endswith((".cmake", "CMakeLists.txt")):
        return _configured(text, path, scene)
    if path.endswith(("Rakefile", ".rake", "Gemfile")):
        return code.rule(text, path, scene, "ruby")
    quoted = re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)
    lines = (re.sub(r"^\s*(?:-\s+|[\w.-]+\s*:?[:=](?!\S*//)\s*|[@\t ]+)*", "", line) for line in text.splitlines())
    told = (run.posix(line, scene) for line in [*quoted, *lines] if re.search(r"[\w)]\s+\S|[()]", line))
    return together(
        ruling for ruling in [changes(f"{path} is built by"), *told] if "cannot be followed" not in ruling.reason
    )
