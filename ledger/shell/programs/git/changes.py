"""What git's commands change: which of it is hard to undo, and which calls of theirs only list."""

import re
from collections.abc import Callable

from linetrail.ledger.shell.programs import diffs
from linetrail.ledger.shell.programs.git.options import CODE_KEYS, KEYS, LIST_REFS, LOGGING
from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.options import Known, end, sure, take
from linetrail.ledger.shell.reading.ruling import READS, SAFE, Ruling, blind, changes, harms, together
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.values import Arg

_OF_READING = {
    "--local",
    "--global",
    "--worktree",
    "--get",
    "--get-all",
    "get",
    "--show-origin",
    "--includes",
    "--bool",
    "--int",
    "--type=bool",
    "--show-scope",
    "--null",
    "-z",
    "--system",
}
_SUBMODULE_SETTINGS = {"add", "init", "deinit", "set-branch", "set-url", "sync", "absorbgitdirs"}


def clone(args: list[Arg]) -> Ruling:
    """Rule on clone, which fetches, and may be given what runs."""
    texts = [arg.text for arg in args]
    if any(re.match(r"-c|--config|-u|--upload-pack|--template", text) for text in texts):
        return harms("git clone is given configuration that can run programs")
    operands = [text for text in texts if not text.startswith("-")]
    if len(operands) > 1 and places.is_outside(operands[-1]):
        return harms(f"git clone writes to {operands[-1]}, outside of the workspace")
    return changes("git clone fetches a repository")


def _branch(args: list[Arg], scene: Scene) -> Ruling:
    taken = take(args, LIST_REFS._replace(flags="arvil", long=f"{LIST_REFS.long} list"))
    texts = {arg.text for arg in args}
    if taken.unknown is None and sure(args) and (not taken.operands or taken.flags & {"l", "list"} or _follows(args)):
        return READS
    if any(re.match(r"-[a-z]*[DMC]", text) for text in texts) or (
        texts & {"-d", "--delete"} and texts & {"-f", "--force"}
    ):
        return harms("git branch discards a branch that may be merged nowhere")
    if texts & {"-f", "--force"}:
        return harms("git branch -f moves a branch away from its commits")
    if any(re.match(r"-u|--(?:un)?set-upstream|--edit-description", text) for text in texts):
        return _settings("git branch", scene)
    return changes("git branch changes branches")


def _tag(args: list[Arg], _: Scene) -> Ruling:
    taken = take(args, LIST_REFS._replace(flags="li", valued="", long=f"{LIST_REFS.long} list"))
    texts = [arg.text for arg in args]
    if texts and re.fullmatch(r"-n[0-9]*", texts[0]):
        taken = take(args[1:], LIST_REFS._replace(flags="li", long=f"{LIST_REFS.long} list"))
        taken.flags.add("l")
    if taken.unknown is None and sure(args) and (not taken.operands or taken.flags & {"l", "list"} or _follows(args)):
        return READS
    if {"-d", "--delete", "-f", "--force"} & set(texts):
        return (
            harms("git tag takes a tag away or moves it")
            if {"-f", "--force"} & set(texts)
            else changes("git tag -d takes a tag away")
        )
    return changes("git tag makes a tag")


def _follows(args: list[Arg]) -> bool:
    """Return whether the only operand belongs to --merged, --contains and the like."""
    operands = [arg for arg in args if not arg.text.startswith("-")]
    wanting = {"--merged", "--no-merged", "--contains", "--no-contains"}
    return len(operands) == 1 and args.index(operands[0]) > 0 and args[args.index(operands[0]) - 1].text in wanting


def _remote(args: list[Arg], scene: Scene) -> Ruling:
    texts = [arg.text for arg in args]
    if texts in ([], ["-v"], ["--verbose"]) or (
        len(texts) >= 2
        and texts[0] == "get-url"
        and sure(args)
        and all(not t.startswith("-") or t in ("--all", "--push") for t in texts)
    ):
        return READS
    if texts in (["show"], ["-v", "show"]) or (texts[:2] == ["show", "-n"] and len(texts) == 3 and sure(args)):
        return READS
    texts = [text for text in texts if text not in ("-v", "--verbose")]
    if texts[0] in ("set-url", "remove", "rm"):
        return harms(f"git remote {texts[0]} changes where later pushes go")
    if texts[0] in ("add", "rename", "set-branches"):
        return _settings(f"git remote {texts[0]}", scene)
    return changes(f"git remote {texts[0]} is not known to only read")


def _stash(args: list[Arg], scene: Scene) -> Ruling:
    verb = args[0].text if args else "push"
    if verb in ("list", "show"):
        taken = take(args[1:], LOGGING._replace(long=f"{LOGGING.long} include-untracked only-untracked"))
        return (
            READS
            if taken.unknown is None and sure(args)
            else changes(f"git stash {verb} is given more than it needs to read")
        )
    if verb in ("drop", "clear"):
        return harms(f"git stash {verb} discards work")
    untracked = any(re.fullmatch(r"-[a-zA-Z]*[ua][a-zA-Z]*|--include-untracked|--all", arg.text) for arg in args)
    if verb not in ("pop", "apply") and (untracked or any(places.is_protected(arg.text) for arg in args)):
        return harms("git stash takes away what the gate needs")
    named = args[[arg.text for arg in args].index("--") + 1 :] if "--" in [arg.text for arg in args] else []
    return together([changes("git stash moves changes"), *(scene.writes(arg, "git stash") for arg in named)])


def _settings(what: str, scene: Scene) -> Ruling:
    """Rule on what writes into .git/config: nobody's but a person's, save in a repository made for a while."""
    if all(scene.is_free(f"{folder}/x") for folder in scene.folders):
        return changes(f"{what} writes the settings of a repository that is kept for a while")
    return harms(f"{what} writes .git/config, which decides what git runs and trusts")


def _listing(verbs: dict[str, Known], what: str) -> Callable[[list[Arg], Scene], Ruling]:
    def ruled(args: list[Arg], scene: Scene) -> Ruling:
        verb = args[0].text if args else ""
        if what == "submodule" and (verb in _SUBMODULE_SETTINGS or "--init" in [arg.text for arg in args]):
            return _settings(f"git submodule {verb}", scene)
        if verb in verbs and take(args[1:], verbs[verb]).unknown is None and sure(args):
            return READS
        forced = any(arg.text in ("-f", "--force") for arg in args)
        if verb in ("remove", "rm", "deinit", "prune", "expire", "delete") and (
            forced or verb in ("expire", "prune", "delete")
        ):
            return harms(f"git {what} {verb} discards work")
        if verb == "foreach":
            return harms("git submodule foreach runs a text as a command")
        return changes(f"git {what} {verb}".rstrip() + " is not known to only read")

    return ruled


def _config(args: list[Arg], scene: Scene) -> Ruling:
    texts = [arg.text for arg in args]
    values = [t for t in texts if not t.startswith("-")]
    # git config takes no option behind its first word: `git config user.name --get` sets it.
    front = texts[: next((place for place, text in enumerate(texts) if not text.startswith("-")), len(texts))]
    reading = {"--get", "--get-all", "--get-regexp"} & set(front) or (texts[:1] == ["get"] and not front)
    plain = [text for text in texts if text not in _OF_READING]
    asks = len(plain) == 1 and not plain[0].startswith("-")  # a key without a value
    if (reading or asks) and sure(args) and len(plain) == 1 and texts[-1] == plain[0] and re.fullmatch(KEYS, plain[0]):
        return READS
    if any(re.match(r"(?:--)?(?:remove|rename)-section$|--?e(?:d|$)|edit$", text) for text in texts[:2]):
        return harms("git config changes whole sections of what git runs and trusts")
    if {"--global", "--system"} & set(texts) and not (reading or asks):
        return harms("git config changes the settings of every repository")
    key = (
        values[0]
        if values and values[0] not in ("get", "set", "unset", "list", "edit")
        else (values[1] if len(values) > 1 else "")
    )
    if re.match(CODE_KEYS, key) or "\0" in key:
        if not values[1:] and not {"--unset", "--unset-all", "unset", "--remove-section", "--replace-all"} & set(texts):
            return (
                harms("git config tells a setting that may hold a credential")
                if re.match(r"credential|http|url|remote", key, re.IGNORECASE)
                else changes("git config is not known to only read")
            )
        return harms(f"git config {key} sets what git runs or trusts")
    if {"-f", "--file"} & set(texts) or any(t.startswith("--file=") for t in texts):
        return _file_of_config(texts, scene)
    sets = values[:1] not in (["get"], ["list"]) and (
        len(values) > 1 or {"--unset", "--unset-all", "--add", "--replace-all"} & set(texts)
    )
    if sets and "git-config" not in scene.own:
        return _settings(f"git config {key}".rstrip(), scene)
    return changes("git config is not known to only read")


def _file_of_config(texts: list[str], scene: Scene) -> Ruling:
    paths = [text.removeprefix("--file=") for text in texts if not text.startswith("-") or text.startswith("--file=")]
    if any(
        places.is_protected(path) or places.is_outside(path, scene.root)
        for path in paths
        if "/" in path or "." in path[:1]
    ):
        return harms("git config writes into a file outside, or of the gate")
    return changes("git config works on a file of its own")


def _reset(args: list[Arg], _: Scene) -> Ruling:
    if any(re.match(r"--(?:ha|me|k)", arg.text) for arg in args):
        return harms("git reset discards work that is not committed")
    return changes("git reset moves the branch or the index")


def _checkout(args: list[Arg], scene: Scene) -> Ruling:
    texts = [arg.text for arg in args]
    why = "git checkout overwrites work that is not committed"
    if "--" in texts and not {"-f", "--force", "-p", "--patch"} & set(texts):
        return _overwrites(args[texts.index("--") + 1 :], why, scene)
    if {"-f", "--force"} & set(texts) or any(t in (".", "./", ":/", "*") for t in texts):
        return harms(why)
    if {"--ours", "--theirs"} & set(texts):
        return _overwrites([arg for arg in args if not arg.text.startswith("-")], why, scene)
    if {"-p", "--patch", "--pathspec-from-file"} & set(texts) or any(t.startswith("--pathspec") for t in texts):
        return harms("git checkout overwrites work that is not committed")
    if any(re.match(r"-[a-zA-Z]*B", text) for text in texts):
        return harms("git checkout -B moves a branch away from its commits")
    operands = [arg for arg in args if not arg.text.startswith("-")]
    if not {"-b", "--orphan", "-t", "--track"} & set(texts) and (
        len(operands) > 1 or any(re.search(r"^:|\.\w{1,5}$|/$", arg.text) for arg in operands)
    ):
        return _overwrites(operands, "git checkout overwrites files with those of a commit", scene)
    return changes("git checkout changes the work tree")


def _overwrites(paths: list[Arg], why: str, scene: Scene) -> Ruling:
    """Rule on files that git writes over: whoever owns them may let it."""
    plain = all(arg.known and arg.text[:1] != ":" and not scene.is_workspace(arg.text) for arg in paths)
    return scene.owns(paths, why) if plain and paths else harms(why)


def _restore(args: list[Arg], scene: Scene) -> Ruling:
    texts = {arg.text for arg in args}
    if {"--staged", "-S"} & texts and not {"--worktree", "-W", "-SW", "-WS"} & texts:
        return changes("git restore --staged changes the index")
    taken = take(
        args, Known("qSW", "s", "source= staged worktree quiet progress no-progress ours theirs overlay no-overlay")
    )
    why = "git restore overwrites work that is not committed"
    return harms(why) if taken.unknown is not None else _overwrites(taken.operands, why, scene)


def _switch(args: list[Arg], _: Scene) -> Ruling:
    if any(re.match(r"-f$|--force|--disc|-C$|--force-create", arg.text) for arg in args):
        return harms("git switch discards work that is not committed")
    if any(re.match(r"--o", arg.text) for arg in args):
        return harms("git switch --orphan takes every file away")
    return changes("git switch changes the work tree")


def _clean(args: list[Arg], scene: Scene) -> Ruling:
    if any(re.match(r"-[a-zA-Z]*n|--dry-run", arg.text) for arg in args) and not any(
        "f" in a.text for a in args if a.text[:1] == "-"
    ):
        only = all(re.fullmatch(r"-[ndxXq]+|--dry-run|--quiet", arg.text) for arg in args if arg.text.startswith("-"))
        return READS if only and sure(args) else changes("git clean is not known to only read")
    why = "git clean deletes files that git does not have"
    taken = take(args, Known("dfqn", "e", "force quiet dry-run exclude="))
    return harms(why) if taken.unknown is not None or taken.late else _overwrites(taken.operands, why, scene)


def _rm(args: list[Arg], scene: Scene) -> Ruling:
    operands = [arg for arg in args if not arg.text.startswith("-")]
    recursive = any(re.match(r"-[a-z]*r", arg.text) for arg in args)
    if any(scene.is_workspace(arg.text) or arg.text[:1] == ":" for arg in operands):
        return harms("git rm removes every file")
    if any(re.match(r"-[a-z]*f|--force", arg.text) for arg in args) and "--cached" not in [arg.text for arg in args]:
        return _overwrites(operands, "git rm -f removes files with changes that are nowhere else", scene)
    if recursive and "--cached" not in [arg.text for arg in args]:
        return _overwrites(operands, "git rm -r removes a folder", scene)
    return together(scene.writes(arg, "git rm") for arg in operands)


def _mv(args: list[Arg], scene: Scene) -> Ruling:
    operands = [arg for arg in args if not arg.text.startswith("-")]
    return together([*(scene.writes(arg, "git mv") for arg in operands), changes("git mv renames")])


def _rebase(args: list[Arg], _: Scene) -> Ruling:
    if any(re.match(r"-[a-zA-Z]*x|--exec|--root|-[a-z]*i$|--interactive|--no-verify", arg.text) for arg in args):
        return harms("git rebase runs commands, or rewrites all of history")
    return changes("git rebase rewrites local commits")


def _read_tree(args: list[Arg], _: Scene) -> Ruling:
    if any(re.match(r"-u|--reset|-m", arg.text) for arg in args):
        return harms("git read-tree overwrites work that is not committed")
    return changes("git read-tree changes the index")


def _gc(args: list[Arg], _: Scene) -> Ruling:
    if any(re.match(r"--prune(?:=|$)|--aggressive|--force", arg.text) for arg in args):
        return harms("git gc destroys objects that a rescue would need")
    return changes("git gc rewrites the store of objects")


def _symbolic_ref(args: list[Arg], _: Scene) -> Ruling:
    operands = [arg for arg in args if not arg.text.startswith("-")]
    if (
        len(operands) == 1
        and sure(args)
        and all(a.text in ("-q", "--quiet", "--short") for a in args if a not in operands)
    ):
        return READS
    return changes("git symbolic-ref moves a ref")


def _bundle(args: list[Arg], scene: Scene) -> Ruling:
    if args and args[0].text in ("verify", "list-heads") and sure(args):
        return READS
    made = [arg for arg in args[1:] if not arg.text.startswith("-")][:1] if args and args[0].text == "create" else []
    return together([changes("git bundle writes a file"), *(scene.writes(arg, "git bundle") for arg in made)])


def _archive(args: list[Arg], scene: Scene) -> Ruling:
    if any(re.match(r"--remote|--exec", arg.text) for arg in args):
        return harms("git archive talks to a server, which runs a program")
    output = [
        value
        for option, value in take(
            args, Known("lv0123456789", "o", "format= prefix= output= worktree-attributes list verbose")
        ).values
        if option in ("o", "output")
    ]
    if args and all(arg.text in ("-l", "--list") for arg in args):
        return READS
    return together(
        [changes("git archive is not known to only read"), *(scene.writes(arg, "git archive") for arg in output)]
    )


def _lfs(args: list[Arg], _: Scene) -> Ruling:
    verb = args[0].text if args else ""
    if verb in ("push", "install", "uninstall"):
        return harms(f"git lfs {verb} changes a store that others share, or git's hooks")
    return changes(f"git lfs {verb}".rstrip() + " is not known to only read")


def _update_index(args: list[Arg], _: Scene) -> Ruling:
    if any(re.match(r"--(?:assume|skip|force-remove|remove|cacheinfo|index-info)", arg.text) for arg in args) or any(
        places.is_protected(arg.text) for arg in args
    ):
        return harms("git update-index hides changes from everybody who looks, or makes them up")
    return changes("git update-index changes the index")


def _asked(
    flags: str, must: str, what: str, *, valued: str = "", also: str = ""
) -> Callable[[list[Arg], Scene], Ruling]:
    """Rule on a command that only reads when one of the options in `must` is there, and none that is not listed."""

    def ruled(args: list[Arg], scene: Scene) -> Ruling:
        taken = take(args, Known(flags, valued, f"{must} {also}"))
        if taken.unknown is None and sure(args) and taken.flags & {name.rstrip("=?") for name in must.split()}:
            return together(filter(None, (scene.reads(arg, f"git {what}") for arg in taken.operands)))
        return changes(f"git {what} is not known to only read")

    return ruled


_only_told = _asked(
    "v", "stat numstat summary check", "apply", valued="pC", also="verbose directory= reverse unidiff-zero"
)


def _apply(args: list[Arg], scene: Scene) -> Ruling:
    ruling = _only_told(args, scene)
    return ruling if ruling.level == SAFE else together([ruling, diffs.git_apply(args, scene)])


def _hash_object(args: list[Arg], scene: Scene) -> Ruling:
    taken = take(args, Known("", "t", "no-filters literally stdin path="))
    if taken.unknown is None and sure(args):
        return together(filter(None, (scene.reads(arg, "git hash-object") for arg in taken.operands)))
    return changes("git hash-object may write an object")


def _format_patch(args: list[Arg], scene: Scene) -> Ruling:
    taken = take(args, LOGGING._replace(long=f"{LOGGING.long} stdout root cover-letter numbered no-numbered"))
    if taken.unknown is None and sure(args) and "stdout" in taken.flags:
        return READS
    output = next((value for letter, value in taken.values if letter in ("o", "output-directory")), None)
    return scene.writes(output, "git format-patch") if output else changes("git format-patch writes files")


def _commit(args: list[Arg], _: Scene) -> Ruling:
    last = end([arg.text for arg in args])
    if any(
        re.match(r"--no-ver|--no-gpg|-[a-z]*n[a-z]*$", arg.text) and not _is_value(args, place)
        for place, arg in enumerate(args[:last])
    ):
        return harms("git commit is told to skip its checks")
    return changes("git commit writes a commit")


def _is_value(args: list[Arg], place: int) -> bool:
    return place > 0 and args[place - 1].text in {
        "-m",
        "--message",
        "-am",
        "-F",
        "--file",
        "--author",
        "--date",
        "-C",
        "-c",
    }


def _am(_: list[Arg], __: Scene) -> Ruling:
    return blind("git am writes what a patch says that was not inspected")


SPECIAL: dict[str, Callable[[list[Arg], Scene], Ruling]] = {
    "branch": _branch,
    "tag": _tag,
    "remote": _remote,
    "stash": _stash,
    "config": _config,
    "notes": _listing({"": Known(), "list": Known(), "show": Known(), "get-ref": Known()}, "notes"),
    "worktree": _listing({"list": Known("vz", "", "verbose porcelain")}, "worktree"),
    "submodule": _listing({"status": Known("", "", "cached recursive"), "summary": Known()}, "submodule"),
    "bisect": _listing({"log": Known()}, "bisect"),
    "sparse-checkout": _listing({"list": Known()}, "sparse-checkout"),
    "reset": _reset,
    "checkout": _checkout,
    "restore": _restore,
    "switch": _switch,
    "clean": _clean,
    "rm": _rm,
    "mv": _mv,
    "rebase": _rebase,
    "read-tree": _read_tree,
    "gc": _gc,
    "symbolic-ref": _symbolic_ref,
    "bundle": _bundle,
    "archive": _archive,
    "commit": _commit,
    "lfs": _lfs,
    "update-index": _update_index,
    "hash-object": _hash_object,
    "format-patch": _format_patch,
    "apply": _apply,
    "am": _am,
    "ls-remote": _asked("", "get-url", "ls-remote"),
    "add": _asked("nAuv", "n dry-run", "add", also="verbose all update ignore-missing"),
    "commit-graph": _listing({"verify": Known()}, "commit-graph"),
    "multi-pack-index": _listing({"verify": Known()}, "multi-pack-index"),
    "clone": lambda args, _: clone(args),
}
