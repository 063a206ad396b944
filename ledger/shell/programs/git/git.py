"""One call of git: which of its commands only read, and which run something else."""

import posixpath
import re
from collections.abc import Sequence

from linetrail.ledger.shell.programs import linetrail
from linetrail.ledger.shell.programs.git.changes import SPECIAL, clone
from linetrail.ledger.shell.programs.git.options import (
    CODE_KEYS,
    HARMFUL,
    HARMLESS_SETTINGS,
    PRINTING,
    QUIET,
    READERS,
    RUNS,
)
from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.options import end, sure, take
from linetrail.ledger.shell.reading.ruling import DESTRUCTIVE, READS, Ruling, changes, harms, together, unknown
from linetrail.ledger.shell.reading.scene import Scene, shown
from linetrail.ledger.shell.reading.values import Arg

_TEXTS = {
    "-m",
    "--message",
    "--grep",
    "--author",
    "-S",
    "-G",
    "--format",
    "--pretty",
    "-e",
    "--trailer",
    "--date",
    "--committer",
}
_FROM_FILES = {"checkout", "reset", "restore", "rm", "stash"}
# What these take from other commits, they leave in the work tree where they are told so.
_NOT_COMMITTED = {
    "cherry-pick": r"--no-c|-[a-zA-Z]*n",
    "merge": r"--no-commit|--sq",
    "pull": r"--no-commit|--sq",
    "revert": r"(?!--(?:abort|quit|continue|skip)$)",  # which files an old commit changed, its name does not tell
}


def rule(args: list[Arg], scene: Scene) -> Ruling:
    """Rule on one call of git."""
    rulings, rest = _global(args, scene)
    if not rest:
        return together(rulings)
    scene = standing(args, scene)
    name, operands = rest[0], rest[1:]
    if not name.known:
        return harms("which command git runs is only known to the running shell")
    if name.text == "linetrail":
        return together([*rulings, linetrail.rule(operands, scene)])
    secret = next((a for a in _paths(name.text, operands) if places.is_credential(a.text, glob=True)), None)
    if secret:
        return harms(f"git {name.text} names {shown(secret)}, which may hold credentials")
    if scene.lost:
        rulings.append(changes("git works in another repository, whose configuration may run programs"))
    ruling = _command(name.text, operands, scene)
    elsewhere = "git works in another repository" in "".join(found.reason for found in rulings)
    outside = (folder for folder in scene.folders if places.is_outside(folder or ".", scene.root))
    free = all(scene.is_free(f"{folder}/x") for folder in outside)
    if ruling.level == DESTRUCTIVE and elsewhere and not scene.unknown and not free and name.text not in PRINTING:
        return harms(f"git {name.text} changes a repository outside of the workspace")
    away = next((arg for arg in operands if arg.text.startswith(("/", "~", "..")) and scene.outside(arg.text)), None)
    if ruling.level == DESTRUCTIVE and away and name.text in ("init", "bundle", "format-patch"):
        return harms(f"git {name.text} writes {shown(away)}, outside of the workspace")
    return together([*rulings, ruling])


def arguments(args: Sequence[Arg]) -> tuple[list[Arg], Sequence[Arg]]:
    """Return the folders that git goes to before it begins, and its arguments from its command on."""
    folders, at = list[Arg](), 0
    while at < len(args) and args[at].text.startswith("-"):
        valued = args[at].text in ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path")
        if args[at].text == "-C" and at + 1 < len(args):
            folders.append(args[at + 1])
        at += 2 if valued else 1
    return folders, args[at:]


def standing(args: list[Arg], scene: Scene) -> Scene:
    """Return the scene in the folders that `-C` sends git to."""
    for folder in arguments(args)[0]:
        scene = scene.standing(scene.entered(folder))
    return scene


def _global(args: list[Arg], scene: Scene) -> tuple[list[Ruling], list[Arg]]:  # noqa: C901  one loop over options
    rulings, at = list[Ruling](), 0
    while at < len(args) and args[at].text.startswith("-"):
        text, at = args[at].text, at + 1
        if text in QUIET:
            continue
        if text in ("--version", "-v") or (text in ("--help", "-h") and at == len(args)):
            return [*rulings, READS], []
        following = args[at] if at < len(args) else Arg("")
        if following.splits and not following.known:
            rulings.append(harms(f"which command git runs behind {text} is only known to the running shell"))
        if text == "-c":
            rulings.append(_setting(following))
            at += 1
        elif text == "-C":
            if not following.literal or scene.outside(following.text) or following.text.startswith("-"):
                rulings.append(changes("git works in another repository with -C, whose configuration may run programs"))
            at += 1
        elif text.startswith("-c"):
            rulings.append(_setting(following._replace(text=text[2:])))
        elif text in ("--exec-path", "--html-path", "--info-path", "--man-path") and at == len(args):
            return [*rulings, READS], []
        elif text in (
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--super-prefix",
            "--exec-path",
            "--config-env",
            "--attr-source",
        ):
            rulings.append(harms(f"git {text} replaces what git works with"))
            at += 1
        elif text.startswith(("--exec-path=", "--config-env", "--git-dir=", "--work-tree=")):
            rulings.append(harms(f"git {text.partition('=')[0]} replaces what git works with"))
        else:
            rulings.append(changes(f"git {text} is not known to only read"))
    return rulings, args[at:]


def _setting(arg: Arg) -> Ruling:
    if arg.known and re.fullmatch(HARMLESS_SETTINGS, arg.text):
        return READS
    is_word = re.fullmatch(r"[\w.-]+(?:=[\w.%+-]*)?", arg.text)  # a program is a path, or has arguments
    if (
        not arg.known
        or re.match(CODE_KEYS, arg.text)
        or not (is_word or re.match(r"user\.|author\.|committer\.", arg.text))
    ):
        return harms(f"git -c {shown(arg)} sets what git runs or trusts")
    return changes(f"git -c {shown(arg)} changes how git works")


def _paths(name: str, operands: list[Arg]) -> list[Arg]:
    """Leave out what is text: messages and what to search for."""
    kept, skip = list[Arg](), False
    for arg in operands:
        if skip or arg.text.partition("=")[0] in _TEXTS or arg.text.startswith(("-S", "-G", "--grep=", "--format=")):
            skip = not skip and arg.text in _TEXTS
            continue
        kept.append(arg)
    first = next((arg for arg in kept if not arg.text.startswith("-")), None)
    if name == "grep" and first and not any(arg.text in ("-e", "-f") for arg in operands):
        kept.remove(first)
    return kept


def _command(name: str, args: list[Arg], scene: Scene) -> Ruling:
    texts = [arg.text for arg in args]
    if name == "grep" and any(re.match(r"-[A-Za-z]*O|--o(?:p|$)", text) for text in texts[: end(texts)]):
        return harms("git grep -O runs a program on what it finds")
    if any(re.match(RUNS, text) for text in texts[: end(texts)]) and name != "rebase":
        return harms(f"git {name} is told which program to run")
    if any("ext::" in text or "fd::" in text for text in texts):
        return harms("ext:: makes git run a command as transport")
    if name in _FROM_FILES and any(re.match(r"--pathspec-fr", text) for text in texts):
        return harms(f"git {name} takes its paths from a file")
    if name in READERS:
        if name == "reflog" and any(text in ("expire", "delete", "drop") for text in texts[:1]):
            return harms("git reflog forgets what a rescue would need")
        reading = _reads(name, args)
        return reading or _not_reading(name, args, scene)
    if name == "sparse-checkout" and texts[:1] != ["list"]:
        return harms("git sparse-checkout takes files out of the work tree")
    special = SPECIAL.get(name)
    if special:
        return special(args, scene)
    if name in HARMFUL:
        return harms(f"git {name}: {HARMFUL[name]}")
    return _not_reading(name, args, scene)


def _reads(name: str, args: list[Arg]) -> Ruling | None:
    taken = take(args, READERS[name])
    if taken.unknown is not None or not sure(args):
        return None
    if "no-index" in taken.flags and any(places.is_outside(arg.text) for arg in taken.operands):
        return None
    if any(
        "%G" in arg.text or "signature" in arg.text
        for arg in args
        if "format" in arg.text or "pretty" in arg.text or "%" in arg.text
    ):
        return None  # these placeholders run gpg
    if name == "reflog" and not all(arg.literal for arg in taken.operands):
        return None
    if name == "reflog" and taken.operands and taken.operands[0].text in ("expire", "delete", "drop", "write"):
        return None
    if name == "var" and [arg.text for arg in taken.operands] not in (["GIT_AUTHOR_IDENT"], ["GIT_COMMITTER_IDENT"], ["GIT_EDITOR"], ["GIT_PAGER"], ["GIT_DEFAULT_BRANCH"]):  # fmt: skip
        return None
    return READS


def _not_reading(name: str, args: list[Arg], scene: Scene) -> Ruling:
    if name in ("merge", "am", "push", "cherry-pick", "revert") and "--no-verify" in [arg.text for arg in args]:
        return harms(f"git {name} is told to skip its checks")
    if any(re.match(_NOT_COMMITTED.get(name, "$^"), arg.text) for arg in args):
        why = f"git {name} takes changes of any file into the work tree"
        return together([changes(why), scene.writes(Arg(posixpath.join(scene.root, "*"), glob=True), why)])
    output = next((arg for arg in args if re.match(r"--outp?u?t?(?:=|$)|-o$", arg.text)), None)
    if output:
        _, _, path = output.text.partition("=")
        if path and (places.is_outside(path) or places.is_protected(path)):
            return harms(f"git {name} writes to {path}")
        if path:
            return together([changes(f"git {name} writes"), scene.writes(output._replace(text=path), f"git {name}")])
    if name == "clone":
        return clone(args)
    from linetrail.ledger.shell.programs.verbs import GIT_READS, GIT_WRITES  # a call that reads needs none of them

    if not (name in SPECIAL or name in READERS or name in GIT_READS | GIT_WRITES or f"git-{name}" in scene.own):
        return unknown(f"git-{name}")
    return changes(f"git {name} is not known to only read")
