"""Programs whose work is to write, move or delete: which paths, and what of it is hard to undo."""

import re
from collections.abc import Callable, Iterator
from itertools import product

from linetrail.ledger.shell.programs import diffs
from linetrail.ledger.shell.programs.names import named
from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.options import Known, take
from linetrail.ledger.shell.reading.ruling import READS, Ruling, changes, harms, together
from linetrail.ledger.shell.reading.scene import Scene, shown
from linetrail.ledger.shell.reading.values import Arg

Writer = Callable[[str, list[Arg], Scene], Ruling]

# Folders that the next build or installation makes again.
_MADE_AGAIN = (r"node_modules|build|dist|target|out|\.?tmp|temp|coverage|htmlcov|\.?cache|__pycache__|\.(?:pytest|mypy|ruff)_cache|\.tox|\.nox"
    r"|\.next|\.nuxt|\.turbo|\.parcel-cache|\.gradle|\.venv|venv|[\w.-]*\.egg-info|logs?|bin|obj|\.eggs|_build|site|\.coverage|cmake-build-\w+|[\w-]*\.(?:pyc|o|log|tmp|bak|orig)")  # fmt: skip


def _operands(args: list[Arg], valued: str = "") -> list[Arg]:
    """Take what is no option, whatever the options are; `valued` are letters whose value is the next word."""
    operands, skip, ended = list[Arg](), False, False
    for arg in args:
        if skip:
            skip = False
        elif ended or not arg.text.startswith("-") or arg.text == "-":
            operands.append(arg)
        elif arg.text == "--":
            ended = True
        elif len(arg.text) == 2 and arg.text[1] in valued:
            skip = True
    return operands


def _has(args: list[Arg], letters: str, *names: str) -> bool:
    """Return whether an option is there, alone, among other letters, or abbreviated."""
    for arg in args:
        text = arg.text
        if text == "--":
            return False
        if text.startswith("--"):
            if any(len(text) > 3 and ("--" + name).startswith(text.partition("=")[0]) for name in names):
                return True
        elif text.startswith("-") and set(text[1:]) & set(letters):
            return True
    return False


def remove(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on rm and its relatives."""
    operands = _operands(args)
    recursive = _has(args, "rR", "recursive") or not all(arg.known for arg in args if arg.text.startswith("-"))
    if _has(args, "", "no-preserve-root"):
        return harms(f"{name} --no-preserve-root is meant for the whole file system")
    rulings = [changes(f"{name} deletes")] if not operands else []
    for arg in operands:
        if scene.is_workspace(arg.text) and (recursive or arg.text in ("*", "./*", ".*")):
            rulings.append(harms(f"{name} deletes the whole workspace"))
        elif not arg.known and (recursive or arg.text.startswith(("/", "~", ".."))):
            rulings.append(harms(f"{name} deletes {shown(arg)}, which only the running shell knows"))
        elif recursive and not is_made_again(arg.text) and not places.is_made(arg.text):
            rulings.append(
                _outright(arg, scene, name) or scene.owns([arg], f"{name} deletes the folder {shown(arg)} for good")
            )
        else:
            rulings.append(scene.writes(arg, name))
    return together(rulings)


def is_made_again(path: str) -> bool:
    """Return whether the next build makes this again."""
    parts = [part for part in path.rstrip("/").split("/") if part not in ("", ".")]
    if parts and parts[-1] in ("*", "**"):
        parts.pop()
    return any(
        re.fullmatch(_MADE_AGAIN, part.lstrip("*")) or re.fullmatch(_MADE_AGAIN, "x" + part.lstrip("*"))
        for part in parts
    )


def _outright(arg: Arg, scene: Scene, name: str) -> Ruling | None:
    ruling = scene.writes(arg, name)
    return ruling if ruling.level > 1 else None


def every(name: str, args: list[Arg], scene: Scene, valued: str = "") -> Ruling:
    """Rule on a program that writes each of its operands."""
    operands = _operands(args, valued)
    return (
        together(scene.writes(arg, name) for arg in operands)
        if operands
        else changes(f"{name} is not known to only read")
    )


def folders(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on mkdir: who may change what is in a folder may make it."""
    operands = _operands(args, "mZ")
    made = [scene.writes(arg._replace(text=arg.text.rstrip("/") + "/"), name) for arg in operands]
    return together(made) if made else changes(f"{name} is not known to only read")


def transfer(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on mv, cp and install: the last operand is written, and mv takes the others away."""
    if name == "install" and _has(args, "d", "directory"):
        return every(name, args, scene, "mog")
    targets, sources = _ends(args)
    rulings = [changes(f"{name} is not known to only read")]
    if any(target.text == "/dev/null" for target in targets) and name == "mv":
        return harms("mv to /dev/null loses what is moved")
    rulings.extend(scene.writes(arg, name) for arg in targets)
    if name in ("cp", "gcp"):  # a link that lies in a folder under the name of what is copied leads elsewhere
        rulings.extend(named(arg, name, scene) for target in targets for arg in _copies(target, sources))
    if name == "mv":
        rulings.extend(scene.writes(arg, name) for arg in sources)
    if name == "mv" and any(scene.is_workspace(arg.text) for arg in sources):
        rulings.append(harms("mv moves the whole workspace"))
    return together([*rulings, *_credentials(name, sources)])


def link(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on ln: what is written through a link later no command spells, so what it leads to is held as written."""
    targets, sources = _ends(args)
    targets, sources = (targets, sources) if sources else ([Arg("./")], targets)
    symbolic = _has(args, "s", "symbolic") and not _has(args, "r", "relative")
    held = [*targets, *(_led_to(targets, sources) if symbolic else sources)]
    rulings = [changes(f"{name} makes links"), *(scene.writes(arg, name) for arg in held)]
    return together([*rulings, *_credentials(name, sources)])


def _ends(args: list[Arg]) -> tuple[list[Arg], list[Arg]]:
    """Return where a transfer goes, and what it takes there."""
    args = [arg._replace(text=re.sub(r"^--ta[a-z-]*", "--target-directory", arg.text)) for arg in args]
    taken = take(args, Known("abdfiLlnPpRrsTuvxzcDHhF", "tSmog", "target-directory= archive force interactive no-clobber verbose recursive symbolic relative parents update? backup? no-target-directory no-dereference dereference preserve? sparse= reflink? link symbolic-link one-file-system strip-trailing-slashes suffix= mode= owner= group= directory"))  # fmt: skip
    operands = taken.operands if taken.unknown is None else _operands(args, "tSmog")
    told = [value for letter, value in taken.values if letter in ("t", "target-directory")]
    return (told, operands) if told else (operands[-1:], operands[:-1])


def _credentials(name: str, sources: list[Arg]) -> Iterator[Ruling]:
    for arg in sources:
        if places.is_credential(arg.text, glob=arg.glob):
            yield harms(f"{name} copies {shown(arg)}, which may hold credentials")


def _led_to(targets: list[Arg], sources: list[Arg]) -> Iterator[Arg]:
    """Yield where symbolic links lead, whether they are called as their targets or lie in them."""
    for target, source in product(targets, sources):
        named_so = target.text.rstrip("/").rpartition("/")[0] or "."
        for folder in dict.fromkeys([named_so, target.text]) if source.text[:1] != "/" else [""]:
            yield source._replace(
                text=f"{folder}/{source.text}" if folder else source.text, known=target.known and source.known
            )


def _copies(target: Arg, sources: list[Arg]) -> Iterator[Arg]:
    """Yield the files of a folder that copies may replace; whether it is a folder only its name tells."""
    folder, dot = target.text.rstrip("/"), target.text.rpartition("/")[2].lstrip(".").find(".")
    for source in sources if dot < 0 or len(sources) > 1 else ():
        base = source.text.rstrip("/").rpartition("/")[2]
        plain = source.literal and base not in ("", ".", "..")
        yield target._replace(text=f"{folder}/{base if plain else '*'}", glob=target.glob or not plain)


def tee(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on tee, which writes each of its operands."""
    taken = take(args, Known("aip", "", "append ignore-interrupts output-error?"))
    if taken.unknown is not None or taken.late:
        return together(
            [changes(f"{name} {taken.unknown} is not known"), *(scene.writes(a, name) for a in _operands(args))]
        )
    if all(arg.literal and arg.text in places.DEVICES for arg in taken.operands):
        return READS
    return together(scene.writes(arg, name) for arg in taken.operands)


def modes(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on chmod: what opens files to others is hard to notice later."""
    operands = _operands(args)
    mode, files = (operands[0].text, operands[1:]) if operands else ("", [])
    if re.search(r"[ugoa]*[+=][rwxXt]*s|^[0-7]?[2-7][0-7]{3}$|^0?[1-7][0-7]{3}$", mode) and not re.match(
        r"^0[0-7]{3}$", mode
    ):
        return harms("chmod makes a file run with the rights of another")
    if re.search(r"[0-7]?[0-7]{2}[2367]$|[oa][ugoa]*[+=][rxXst]*w", mode) or (re.match(r"\+[rxXst]*w", mode) and False):
        return harms("chmod lets everybody write")
    if _has(args, "R", "recursive") and any(scene.is_workspace(a.text) for a in files):
        return harms("chmod changes the whole workspace")
    return together([changes("chmod changes rights"), *(scene.writes(arg, name) for arg in files)])


def dd(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on dd by its of=."""
    rulings = [changes("dd writes")]
    for arg in args:
        key, _, value = arg.text.partition("=")
        if key == "of":
            rulings.append(scene.writes(arg._replace(text=value), name))
        elif key == "if":
            rulings.extend(filter(None, [scene.reads(arg._replace(text=value), name)]))
    return together(rulings)


_TAR_LIST = Known(
    "tvzjJafkpPZO",
    "fC",
    "list verbose file= gzip bzip2 xz zstd auto-compress directory= exclude= wildcards full-time numeric-owner totals strip-components= anchored no-recursion",
)


def tar(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on tar: listing reads; extracting writes; some options run programs."""
    if any(re.match(r"-[a-zA-Z]*[IF]|--(?:to-c|checkpoint-a|use-c|rsh|info-s|new-v|rmt|us)", arg.text) for arg in args):
        return harms("tar is told which program to run")
    given = list(args)
    if given and re.fullmatch(r"[a-zA-Z]+", given[0].text):
        given[0] = given[0]._replace(text="-" + given[0].text)
    taken = take(given, _TAR_LIST._replace(flags="tvzjJakpZ"))
    if taken.unknown is None and taken.flags & {"t", "list"} and all(arg.known and not arg.splits for arg in args):
        names = [value for flag, value in taken.values if flag in ("f", "file")]
        if any(":" in value.text for value in names):
            return harms("tar opens an archive on another machine")
        problems = [problem for value in names if (problem := scene.reads(value, name))]
        return together(problems)
    if any(":" in a.text and not a.text.startswith("-") for a in args[:3]):
        return harms("tar opens an archive on another machine")
    if any(
        (place == 0 or arg.text[:1] == "-") and re.fullmatch(r"-?[a-zA-Z]*P[a-zA-Z]*", arg.text)
        for place, arg in enumerate(args)
    ) or any(
        arg.text in ("-P", "--absolute-names", "--overwrite", "--unlink-first", "--recursive-unlink", "--remove-files")
        for arg in args
    ):
        return harms(f"{name} may overwrite files anywhere, or remove them")
    return changes(f"{name} writes")


def unzip(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on unzip: -l, -t, -Z and -p read."""
    first = args[0].text if args else ""
    if (
        re.fullmatch(r"-[ltvZpcqz1]*[lptZzvc][ltvZpcqz1]*", first)
        and all(a.known and not a.splits for a in args)
        and not any(a.text.startswith("-") for a in args[1:])
    ):
        return together(filter(None, (scene.reads(arg, name) for arg in args[1:])))
    return changes(f"{name} writes")


def archive(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on ar and 7z: some of their verbs list."""
    verb = args[0].text if args else ""
    if (
        verb in ({"t", "tv", "p"} if name == "ar" else {"l"})
        and all(a.literal for a in args)
        and not any(a.text.startswith("-") for a in args)
    ):
        return READS
    if "M" in verb:
        return harms(f"{name} -M follows a script that is handed to it")
    return scene.writes(Arg("."), name) if name == "7z" or "x" in verb else changes(f"{name} writes")


def compress(name: str, args: list[Arg], _: Scene) -> Ruling:
    """Rule on sort, uniq and xxd where their options make them write."""
    if name in ("sort", "gsort") and any(re.match(r"--com", arg.text) for arg in args):
        return harms("sort --compress-program runs a program")
    return changes(f"{name} is not known to only read here")


def _valued(letters: str) -> Writer:
    return lambda name, args, scene: every(name, args, scene, letters)


def temporary(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Rule on mktemp, which writes its template unless it stands where such files are kept."""
    taken = take(args, Known("dquVt", "p", "directory dry-run quiet suffix= tmpdir?"))
    folder = next((value.text for letter, value in taken.values if letter in ("p", "tmpdir")), "")
    if "t" in taken.flags or not (taken.operands or folder):
        return changes("mktemp makes a file where such are kept")
    made = taken.operands or [Arg("tmp.XXXX")]
    return together(
        scene.writes(arg._replace(text=f"{folder}/{arg.text}" if folder else arg.text), name) for arg in made
    )


WRITERS: dict[str, Writer] = {
    "mktemp": temporary, "rm": remove, "rmdir": every, "unlink": every, "touch": _valued("drt"), "mkdir": folders,
    "mkfifo": _valued("m"), "truncate": _valued("sr"), "mv": transfer, "cp": transfer, "gcp": transfer,
    "ln": link, "link": link, "install": transfer, "ditto": transfer, "tee": tee, "chmod": modes, "dd": dd,
    "tar": tar, "gtar": tar, "bsdtar": tar, "unzip": unzip, "ar": archive, "7z": archive, "sort": compress,
    "uniq": compress, "xxd": compress, **dict.fromkeys(diffs.PROGRAMS, diffs.rule),
}  # fmt: skip
