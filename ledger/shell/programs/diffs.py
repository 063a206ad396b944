"""Patches that a command hands to a program: whoever applies one writes the files that it names."""

import posixpath
import re
from collections.abc import Iterable, Iterator

from linetrail.ledger.shell.reading.options import Known, take
from linetrail.ledger.shell.reading.ruling import Ruling, blind, changes, together
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.syntax import Pipeline, Script, commands
from linetrail.ledger.shell.reading.values import UNKNOWN, Arg, arguments

# As printf and echo -e have them.
_LINE_BREAK = r"\\n|\\0?12|\\x0[aA]"
_CHANGED = r"(?m)^--- ([^\n]+)\n\+\+\+ ([^\n]+)$|^diff --git (\S+) (\S+)$"
_MOVED = r"(?m)^(?:rename|copy) (?:from|to) ([^\n]+)$"
_NO_FILE = "/dev/null"

_APPLY_PATCH = ("apply_patch", "applypatch")
_PATCH = Known("RNstflEbucneT", "pdiorzBDFVgxY", "strip= directory= input= output= reverse forward batch silent quiet force dry-run backup verbose posix merge? binary unified context remove-empty-files reject-file= suffix= fuzz=")  # fmt: skip
_GIT_APPLY = Known("vRN3qz", "pC", "directory= index cached 3way check reverse verbose quiet reject intent-to-add unidiff-zero recount whitespace= include= exclude= allow-empty ignore-whitespace")  # fmt: skip
PROGRAMS = {*_APPLY_PATCH, "patch"}


def rule(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on a program that applies a patch: from an argument, a here-document, or what is written into its pipe."""
    if name in _APPLY_PATCH:
        from linetrail.ledger.adapters import patches  # few commands carry one

        text = args[0].text if args else _handed(scene)
        return _written(name, (path for path, _ in patches.targets(text)), scene)
    taken = take(args, _PATCH)
    given = {letter: value.text for letter, value in taken.values}
    outputs = [value for letter, value in taken.values if letter in ("o", "output")]
    patched = [*taken.operands[:1], *outputs]
    folder = given.get("d") or given.get("directory") or ""
    text = _handed(scene) + _on_disk([value for letter, value in taken.values if letter in ("i", "input")], scene)
    if "mode 120000" in text:
        return blind("patch makes a link, which may lead anywhere")
    moved = re.findall(_MOVED, text)
    named = moved if taken.operands[:1] else _named(_handed(scene), given.get("p") or given.get("strip"))
    if not named and not patched and "dry-run" not in taken.flags:
        return blind("patch writes what a patch says that was not inspected")
    inside = [arg._replace(text=posixpath.join(folder, arg.text)) for arg in patched]
    return together(
        [
            _written(name, (posixpath.join(folder, path) for path in named), scene),
            *(scene.writes(a, name) for a in inside),
        ]
    )


def _on_disk(told: list[Arg], scene: Scene) -> str:
    """Return what stands in the files of a patch that were there before."""
    paths = (scene.told(path, arg.text) for arg in (*told, *scene.source) for path in scene.paths(arg.text))
    return "\n".join(filter(None, map(scene.read or (lambda _path: None), paths)))


def git_apply(args: list[Arg], scene: Scene) -> Ruling:
    """Rule on `git apply`, which is handed a patch or told where one is."""
    taken = take(args, _GIT_APPLY)
    given = {letter: value.text for letter, value in taken.values}
    text = "" if [arg for arg in taken.operands if arg.text != "-"] else _handed(scene)
    if "mode 120000" in text:
        return blind("git apply makes a link, which may lead anywhere")
    named = _named(text, given.get("p") or "1")
    checks = taken.flags & {"check", "stat", "numstat", "summary"}
    if not named and not checks:
        return blind("git apply writes what a patch says that was not inspected")
    return _written("git apply", (posixpath.join(given.get("directory", ""), path) for path in named), scene)


def _written(name: str, paths: Iterable[str], scene: Scene) -> Ruling:
    """Rule on the files that a patch names; which there are is known no further than its text is."""
    named = (Arg(path, known=UNKNOWN not in path) for path in paths)
    return together([changes(f"{name} writes"), *(scene.writes(arg, name) for arg in named)])


def _handed(scene: Scene) -> str:
    """Return what a program reads: its here-document, else all words and here-documents in front of its pipe."""
    if scene.stdin is not None:
        return scene.stdin
    return re.sub(_LINE_BREAK, "\n", "\n".join(_said(scene)))


def _said(scene: Scene) -> Iterator[str]:
    for command in commands(Script((Pipeline(scene.upstream, ""),))):
        yield from (arg.text for arg in arguments(command.words, scene.names))
        for redirect in command.redirects:
            yield "".join(piece.text if piece.kind == "text" else UNKNOWN for piece in redirect.body)


def _named(text: str, strip: str | None) -> list[str]:
    r"""Return the files of a unified diff without as many folders as are stripped; None: all of them.

    >>> _named("--- a/src/x.py\t2026\n+++ b/src/x.py\n@@ -1 +1 @@\n", "1")
    ['src/x.py']
    """
    found = [name for pair in re.findall(_CHANGED, text) for name in pair]
    depth = int(strip) if strip and strip.isascii() and strip.isdigit() and len(strip) < 4 else None
    bare = (name.partition("\t")[0].strip(' "') for name in found)
    stripped = [_without(name, depth) for name in bare if name and name != _NO_FILE]
    return list(dict.fromkeys([*stripped, *re.findall(_MOVED, text)]))


def _without(path: str, depth: int | None) -> str:
    names = path.split("/")
    return names[-1] if depth is None or depth >= len(names) else "/".join(names[depth:])
