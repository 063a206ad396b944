"""What a Makefile, and the scripts of a package.json, have a shell run: held as far as the last commit has it not."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from linetrail.ledger.shell.programs import made
from linetrail.ledger.shell.programs.interpreters import Run
from linetrail.ledger.shell.reading.ruling import Ruling, harms
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.syntax import Unreadable

_MAKEFILES = ["GNUmakefile", "makefile", "Makefile"]
_RULE = re.compile(r"([^\s#=:][^=:#]*)::?(?!=)([^=#;]*)(?:;(.*))?")
_LONGEST = 20_000
_VARIABLE = r"\$[({]([\w.-]+)[)}]"


def rule(name: str, texts: Sequence[str], scene: Scene, run: Run) -> Iterator[Ruling]:
    """Rule on each line that a call has a shell run, in the folder where its file lies."""
    told = [value for text, value in pairwise([*texts, ""]) if text in ("-f", "--file", "--makefile")]
    by_make = name in ("make", "gmake")
    files = told or _MAKEFILES if by_make else ["package.json"]
    if scene.fresh is None:
        return
    if scene.level > 5:
        yield harms(f"{name} is nested too deeply to be inspected")
        return
    projects = (there for start in made.starts(name, texts, scene) for there in made.projects("|".join(files), start))
    for there in projects:
        within = there._replace(level=scene.level + 1, in_file=True, upstream=(), stdin=None)
        for path in (there.told(path, path) for file in files for path in there.paths(file)):
            new = scene.fresh(path) or ""
            text = (scene.read(path) if new and scene.read else None) or ""
            try:
                lines = list(_recipes(text, texts) if by_make else _scripts(text, texts))
            except Unreadable as error:
                yield harms(f"{name} cannot be followed: {error}")
                return
            for raw, line in lines:
                if any(part in new for part in raw.split("\n")):  # of a line that goes on, any part may be new
                    yield run.posix(line, within)


def _scripts(text: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the scripts that a call runs, as they stand in the file and as the shell gets them."""
    for name in (f"{stage}{name}" for name in texts for stage in ("pre", "", "post")):
        for found in re.findall(rf'"{re.escape(name)}"\s*:\s*"((?:[^"\\]|\\.)*)"', text):
            yield found, re.sub(r"\\(.)", r"\1", found)


def _recipes(text: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the recipes of the targets that a call makes, and of all that these need."""
    variables = {"MAKE": "make", "SHELL": "sh"} | dict(re.findall(r"(?m)^([\w.-]+)[ \t]*[:?+]{0,2}=[ \t]*(.*)$", text))
    needs, lines, targets = dict[str, list[str]](), dict[str, list[str]](), list[str]()
    for line in re.split(r"(?<!\\)\n", text):
        if line[:1] == "\t":
            for target in targets:
                lines[target].append(line)
        elif found := _RULE.match(_filled(line, variables)):
            targets = found[1].split()
            for target in targets:
                needs.setdefault(target, []).extend(found[2].split())
                lines.setdefault(target, []).extend([found[3]] if found[3] else [])
    first = [target for target in needs if target[0] != "."][:1]
    waiting = [target for target in needs if target in texts] or [variables.get(".DEFAULT_GOAL", ""), *first]
    wanted = dict.fromkeys(target for target in needs if "%" in target)
    while waiting:
        target = waiting.pop()
        if target not in wanted:
            wanted[target] = None
            waiting += needs.get(target, [])
    for target in wanted:
        own = {"MAKE_TARGET": target, "MAKE_FIRST": " ".join(needs.get(target, [])[:1])}
        own["MAKE_ALL"] = " ".join(needs.get(target, []))
        for line in lines.get(target, []):
            yield line, _filled(line, variables | own).lstrip("\t @+-").replace("$$", "$")


def _filled(line: str, variables: dict[str, str]) -> str:
    """Put in what the file says of its variables; any other stays one that nobody knows."""
    for sign, name in (("$@", "TARGET"), ("$<", "FIRST"), ("$^", "ALL")):
        line = line.replace(sign, f"$(MAKE_{name})")
    for _ in range(4):
        values = [variables.get(name, "") for name in re.findall(_VARIABLE, line)]
        if len(line) + sum(map(len, values)) > _LONGEST:  # they may stand for gigabytes
            raise Unreadable("the variables of a Makefile stand for more than anybody inspects")
        line = re.sub(_VARIABLE, lambda found: variables.get(found[1], f"${{{found[1]}}}"), line)
    return line
