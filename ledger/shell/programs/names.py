"""A word that may be a path: whether it is one only the disk knows."""

import re

from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.ruling import DESTRUCTIVE, Ruling, harms
from linetrail.ledger.shell.reading.scene import Scene, shown
from linetrail.ledger.shell.reading.values import UNKNOWN, Arg

# Values of options that only say how to print, and a name that is spelled like that of a file.
_FORMATS = r"(?:term(?:-missing)?|skip-[a-z]+|json|ya?ml|wide|table|text|txt|name|names|csv|tsv|plain|pretty|short|long|xml|html|md|markdown|none|on|off|true|false|all|auto|raw|jsonl|debug|info|warn|warning|error|stdout|stderr|github|gitlab|sarif|[0-9.]+(?:ms|[smhd]|[kmgKMG]i?[bB]?)?|.*[=,%{].*)"
FILE = r"[\w.@+~-]*[\w@+~-]\.[A-Za-z]\w{0,11}|\.[A-Za-z][\w.-]*"


def named(arg: Arg, what: str, scene: Scene, *, only_files: bool = False) -> Ruling:
    text = arg.text
    none = Ruling(DESTRUCTIVE, f"{what} is not known to only read", complete=False)
    if UNKNOWN in text:
        unseen = f"{what} is given {shown(arg)}, which only the running shell knows"
        return none._replace(unseen=unseen, reason=unseen)
    if (
        not re.search(r"[\w.*]", text)
        or "\n" in text
        or (places.is_device(text) and not any(map(scene.made_link, scene.at(text))))
    ):
        return none
    if text.startswith("~"):
        return harms(f"{what} is given {shown(arg)}, outside of the workspace")
    lost = scene.unknown and not text.startswith("/") and is_spelled(arg)
    told = (scene.told(path, text) for path in scene.paths(text) if UNKNOWN not in path)
    where = f"{what} is given {shown(arg)} in a folder that only the running shell knows"
    if only_files:
        return none._replace(files=tuple(told))
    if any(map(places.is_protected, scene.paths(text))):
        return harms(f"{what} is given {shown(arg)}, which belongs to git, the ledger or an agent's configuration")
    if any(map(scene.made_link, scene.at(text))):
        return harms(f"{what} is given {shown(arg)}, a link that is made in the same command; do one after the other")
    leads_away = text.startswith(("/", "..")) and not text.startswith("//") and what != "git"
    if leads_away and scene.outside(text) and not scene.is_free(text):
        return harms(f"{what} is given {shown(arg)}, outside of the workspace")
    return none._replace(names=tuple(told), unseen=where if lost else None)


def placed(arg: Arg) -> Arg:
    """Return what surely is a file or a folder, spelled like one."""
    bare = re.fullmatch(r"\w[\w.+@~/-]*", arg.text) and not re.fullmatch(_FORMATS, arg.text)
    return arg._replace(text=f"./{arg.text}") if bare else arg


def is_spelled(arg: Arg) -> bool:
    """Return whether a word is spelled like a path."""
    return "/" in arg.text or re.fullmatch(FILE, arg.text) is not None
