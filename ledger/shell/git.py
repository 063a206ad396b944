"""git: which of its commands only read, which are hard to undo, and which run something else."""

import re
from collections.abc import Callable

from linetrail.ledger.shell import linetrail, places
from linetrail.ledger.shell.options import Known, Taken, known, take
from linetrail.ledger.shell.ruling import READS, Ruling, changes, harms, together
from linetrail.ledger.shell.scene import Scene, shown
from linetrail.ledger.shell.values import Arg

_DIFF = (
    "patch no-patch raw patch-with-raw stat? numstat shortstat dirstat? cumulative summary name-only name-status color? "
    "no-color word-diff? word-diff-regex= color-words? color-moved? color-moved-ws= no-color-moved no-renames check "
    "full-index binary abbrev? break-rewrites? find-renames? find-copies? find-copies-harder irreversible-delete "
    "diff-filter= pickaxe-all pickaxe-regex relative? no-relative text ignore-space-at-eol ignore-cr-at-eol "
    "ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= inter-hunk-context= function-context "
    "unified= exit-code quiet no-ext-diff no-textconv ignore-submodules? submodule? src-prefix= dst-prefix= no-prefix "
    "line-prefix= minimal patience histogram diff-algorithm= compact-summary cached staged merge-base no-index indent-heuristic "
    "anchored= rotate-to= skip-to= combined-all-paths default-prefix"
)
_LOG = (
    "oneline graph decorate? no-decorate decorate-refs= decorate-refs-exclude= all branches? tags? remotes? glob= exclude= "
    "max-count= skip= since= after= until= before= author= committer= grep= grep-reflog= all-match invert-grep "
    "regexp-ignore-case basic-regexp extended-regexp fixed-strings perl-regexp merges no-merges min-parents= max-parents= "
    "first-parent reverse topo-order date-order author-date-order pretty? format= abbrev-commit no-abbrev-commit "
    "no-abbrev encoding= notes? no-notes date= relative-date parents children left-right cherry cherry-pick cherry-mark "
    "left-only right-only boundary simplify-by-decoration simplify-merges full-history dense sparse ancestry-path? "
    "follow walk-reflogs source use-mailmap mailmap no-mailmap show-pulls stdin no-walk? do-walk log-size "
    "full-diff remove-empty merge bisect count objects cc m diff-merges= no-diff-merges expand-tabs? no-expand-tabs "
    "ignore-missing since-as-filter= exclude-first-parent-only not"
)
_LOGGING = known("pusaRrtzMCBDWbwicgmEFiP0", "nSGUlOLXI", _DIFF + " " + _LOG, numeric=True)

READERS: dict[str, Known] = {
    "status": known("sbvz", "uM", "short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? ignored? column? no-column ahead-behind no-ahead-behind renames no-renames find-renames?"),
    "diff": _LOGGING, "log": _LOGGING, "show": _LOGGING, "whatchanged": _LOGGING, "reflog": _LOGGING, "diff-tree": _LOGGING,
    "diff-files": _LOGGING, "diff-index": _LOGGING, "range-diff": _LOGGING, "rev-list": _LOGGING, "cherry": known("v", long="abbrev?"),
    "blame": known("bltwfnspecMC", "LSM", "root show-stats porcelain line-porcelain incremental encoding= contents= date= score-debug show-name show-number show-email first-parent reverse= abbrev= color-lines color-by-age ignore-rev= since="),
    "annotate": known("wl", "L"),
    "shortlog": known("nsec", "w", "numbered summary email group= since= until= after= before= no-merges all author= format= committer", numeric=True),
    "rev-parse": known("q", "", "verify quiet short? symbolic symbolic-full-name abbrev-ref? all branches? tags? remotes? glob= exclude= show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository show-superproject-working-tree git-path= since= until= sq revs-only no-revs flags no-flags default= show-object-format? path-format= local-env-vars disambiguate= resolve-git-dir= shared-index-path not"),
    "ls-files": known("zcdomisktuvfr", "xX", "cached deleted modified others ignored stage unmerged killed directory no-empty-directory exclude= exclude-from= exclude-per-directory= exclude-standard error-unmatch full-name recurse-submodules abbrev? debug eol deduplicate format= sparse with-tree="),
    "ls-tree": known("drtlz", "", "long name-only name-status object-only full-name full-tree abbrev? format="),
    "cat-file": known("tspe", "", "batch? batch-check? batch-all-objects buffer unordered follow-symlinks allow-unknown-type"),
    "describe": known("", "", "all tags contains always dirty? broken? long abbrev= match= exclude= first-parent candidates= exact-match debug"),
    "merge-base": known("a", "", "all octopus independent is-ancestor fork-point"),
    "name-rev": known("", "", "tags refs= exclude= all name-only no-undefined always stdin annotate-stdin"),
    "for-each-ref": known("", "", "count= sort= format= color? shell python perl tcl points-at= merged? no-merged? contains? no-contains? ignore-case omit-empty exclude= stdin"),
    "show-ref": known("qdhs", "", "head heads tags branches dereference hash? verify abbrev? quiet exists"),
    "show-branch": known("ar", "", "all remotes list current more= topo-order date-order sha1-name no-name merge-base independent reflog?"),
    "grep": known("iIwvhHEGPFnlLcqzarpWo0", "efmABC", "cached untracked no-index exclude-standard no-exclude-standard recurse-submodules text ignore-case max-depth= recursive no-recursive word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number column files-with-matches name-only files-without-match null only-matching count color? no-color break heading show-function function-context context= after-context= before-context= threads= and or not all-match quiet max-count=", numeric=True),
    "count-objects": known("vH", "", "verbose human-readable"),
    "check-ignore": known("qvnz", "", "quiet verbose stdin non-matching no-index"),
    "check-attr": known("az", "", "all cached stdin source="),
    "check-ref-format": known("", "", "branch allow-onelevel no-allow-onelevel refspec-pattern normalize print"),
    "check-mailmap": known("", "", "stdin"),
    "fsck": known("", "", "unreachable dangling no-dangling root tags cache no-reflogs full no-full strict verbose connectivity-only progress no-progress name-objects"),
    "var": known(),
    "version": known("", "", "build-options"),
    "patch-id": known("", "", "stable unstable verbatim"),
    "stripspace": known("sc", "", "strip-comments comment-lines"),
    "get-tar-commit-id": known(),
    "verify-pack": known("vs", "", "verbose stat-only"),
    "show-index": known(),
}  # fmt: skip

_LIST_REFS = known(
    "arvi",
    "",
    "all remotes verbose abbrev= no-abbrev column? no-column sort= format= points-at= merged? no-merged? contains? "
    "no-contains? show-current color? no-color ignore-case omit-empty",
)
_KEYS = re.compile(
    r"(?:user\.(?:name|email)|core\.(?:editor|pager|autocrlf|eol|ignorecase|filemode|bare|quotepath|excludesfile|hookspath"
    r"|repositoryformatversion|worktree|abbrev)|init\.defaultbranch|(?:branch|pull|push|merge|rebase|diff|color|log|status|fetch)"
    r"\.[\w./-]+|remote\.[\w.-]+\.fetch|alias\.[\w-]+)",
    re.IGNORECASE,
)
# configuration that names a program, a place of hooks, or what is trusted: whoever sets it runs code later
_CODE_KEYS = re.compile(
    r"core\.(?:pager|editor|hookspath|fsmonitor|sshcommand|gitproxy|askpass|attributesfile|worktree|alternaterefscommand"
    r"|excludesfile|bare|gitdir)|alias\.|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|mergetool\.|difftool\."
    r"|filter\.|gpg\.|gpg$|commit\.gpgsign|tag\.gpgsign|push\.gpgsign|user\.signingkey|credential|http\.|https\.|url\."
    r"|protocol\.|transfer\.|fetch\.fsck|receive\.|include|includeif|sequence\.editor|pager\.|browser|web\.|man\.|init\.templatedir"
    r"|remote\..*\.(?:url|pushurl|uploadpack|receivepack|proxy|vcs|push)|submodule\.|uploadpack|safe\.|trailer\.|interactive\.difffilter"
    r"|notes\.|sendemail|imap|instaweb|guitool|core\.gitproxy|extensions\.|ssh\.|log\.showsignature|gc\.|maintenance",
    re.IGNORECASE,
)
_HARMLESS_SETTINGS = re.compile(
    r"(?:color\.[\w.]+=(?:always|never|auto|true|false)|core\.quote[pP]ath=(?:true|false|off|on)"
    r"|core\.pager=cat|core\.pager=|diff\.auto[rR]efresh[iI]ndex=false|diff\.(?:renames|algorithm|noprefix|mnemonic[pP]refix)=\w+"
    r"|log\.(?:decorate|date)=\w+|core\.abbrev=\d+|grep\.[\w]+=\w+|status\.[\w]+=\w+)"
)
_QUIET = {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--icase-pathspecs", "--no-replace-objects", "--glob-pathspecs", "--noglob-pathspecs"}  # fmt: skip

# What takes away work that no other place has, or changes what others have.
_HARMFUL = {
    "push": "it changes a repository that others share",
    "filter-branch": "it rewrites history",
    "filter-repo": "it rewrites history",
    "fast-import": "it writes history from a stream",
    "replace": "it shows other objects than those that were recorded",
    "update-ref": "it moves refs past every check",
    "prune": "it destroys objects that a rescue would need",
    "send-email": "it sends mail",
    "imap-send": "it sends mail",
    "request-pull": "it talks to others",
    "daemon": "it offers the repository on the network",
    "instaweb": "it starts a server",
    "http-backend": "it offers the repository on the network",
    "shell": "it runs commands for others",
    "credential": "it hands out credentials",
    "credential-store": "it hands out credentials",
    "credential-cache": "it hands out credentials",
    "credential-osxkeychain": "it hands out credentials",
    "credential-manager": "it hands out credentials",
    "difftool": "it runs the program that the configuration names",
    "mergetool": "it runs the program that the configuration names",
    "upload-pack": "it serves the repository",
    "receive-pack": "it serves the repository",
    "remote-ext": "it runs a command as transport",
    "remote-fd": "it runs a command as transport",
    "hook": "it runs hooks",
    "maintenance": "it changes the schedule of this machine",
    "checkout-index": "it overwrites files with those of the index",
    "svn": "it talks to a server",
    "p4": "it talks to a server",
}
_RUNS = re.compile(
    r"--(?:upload-pack|receive-pack|exec|ext-cmd|open-files-in-pager|config-env|template|exec-path|pre)(?:=|$)"
)


def rule(args: list[Arg], scene: Scene) -> Ruling:
    """Rule on one call of git."""
    rulings, rest = _global(args, scene)
    if not rest:
        return together(rulings)
    name, operands = rest[0], rest[1:]
    if not name.known:
        return harms("which command git runs is only known to the running shell")
    if name.text == "linetrail":
        return together([*rulings, linetrail.rule(operands)])
    secret = next((a for a in _paths(name.text, operands) if places.is_credential(a.text, glob=True)), None)
    if secret:
        return harms(f"git {name.text} names {shown(secret)}, which may hold credentials")
    if scene.here is None:
        rulings.append(changes("git works in another repository, whose configuration may run programs"))
    return together([*rulings, _command(name.text, operands, scene)])


def _global(args: list[Arg], scene: Scene) -> tuple[list[Ruling], list[Arg]]:
    rulings, at = list[Ruling](), 0
    while at < len(args) and args[at].text.startswith("-"):
        text, at = args[at].text, at + 1
        if text in _QUIET:
            continue
        if text in ("--version", "-v"):
            return [*rulings, READS], []
        following = args[at] if at < len(args) else Arg("")
        if text == "-c":
            rulings.append(_setting(following))
            at += 1
        elif text == "-C":
            if not following.literal or scene.outside(following.text) or following.text.startswith("-"):
                rulings.append(changes("git -C works in another repository, whose configuration may run programs"))
            at += 1
        elif text.startswith("-c"):
            rulings.append(_setting(following._replace(text=text[2:])))
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
    if arg.known and _HARMLESS_SETTINGS.fullmatch(arg.text):
        return READS
    if not arg.known or _CODE_KEYS.match(arg.text):
        return harms(f"git -c {shown(arg)} sets what git runs or trusts")
    return changes(f"git -c {shown(arg)} changes how git works")


def _paths(name: str, operands: list[Arg]) -> list[Arg]:
    """Leave out what is text: messages and what to search for."""
    kept, skip = list[Arg](), False
    texts = {
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
    for arg in operands:
        if skip or arg.text.partition("=")[0] in texts or arg.text.startswith(("-S", "-G", "--grep=", "--format=")):
            skip = not skip and arg.text in texts
            continue
        kept.append(arg)
    first = next((arg for arg in kept if not arg.text.startswith("-")), None)
    if name == "grep" and first and not any(arg.text in ("-e", "-f") for arg in operands):
        kept.remove(first)
    return kept


def _command(name: str, args: list[Arg], scene: Scene) -> Ruling:
    texts = [arg.text for arg in args]
    if name == "grep" and any(re.match(r"-[A-Za-z]*O|--o(?:p|$)", text) for text in texts[: _end(texts)]):
        return harms("git grep -O runs a program on what it finds")
    if any(_RUNS.match(text) for text in texts[: _end(texts)]) and name != "rebase":
        return harms(f"git {name} is told which program to run")
    if any("ext::" in text or "fd::" in text for text in texts):
        return harms("ext:: makes git run a command as transport")
    if name in READERS:
        if name == "reflog" and any(text in ("expire", "delete", "drop") for text in texts[:1]):
            return harms("git reflog forgets what a rescue would need")
        reading = _reads(name, args)
        return reading or _not_reading(name, args)
    special = _SPECIAL.get(name)
    if special:
        return special(args, scene)
    if name in _HARMFUL:
        return harms(f"git {name}: {_HARMFUL[name]}")
    return _not_reading(name, args)


def _end(texts: list[str]) -> int:
    return texts.index("--") if "--" in texts else len(texts)


def _reads(name: str, args: list[Arg]) -> Ruling | None:
    taken = take(args, READERS[name])
    if taken.unknown is not None or not _sure(args):
        return None
    if "no-index" in taken.flags and any(places.is_outside(arg.text) for arg in taken.operands):
        return None
    if any(
        "%G" in arg.text or "signature" in arg.text
        for arg in args
        if "format" in arg.text or "pretty" in arg.text or "%" in arg.text
    ):
        return None  # these placeholders run gpg
    if name == "reflog" and taken.operands and taken.operands[0].text in ("expire", "delete", "drop", "write"):
        return None
    if name == "var" and [arg.text for arg in taken.operands] not in (["GIT_AUTHOR_IDENT"], ["GIT_COMMITTER_IDENT"], ["GIT_EDITOR"], ["GIT_PAGER"], ["GIT_DEFAULT_BRANCH"]):  # fmt: skip
        return None
    return READS


def _sure(args: list[Arg]) -> bool:
    """Tell whether no word can turn into an option that is not seen here."""
    return all(arg.known and not arg.splits and not (arg.glob and arg.text[:1] in "*?[") for arg in args)


def _not_reading(name: str, args: list[Arg]) -> Ruling:
    if any(arg.text in ("--no-verify", "--no-gpg-sign", "-n") for arg in args) and name in (
        "commit",
        "merge",
        "am",
        "rebase",
    ):
        if name == "commit" or "--no-verify" in [arg.text for arg in args]:
            return harms(f"git {name} is told to skip its checks")
    output = next((arg for arg in args if re.match(r"--outp?u?t?(?:=|$)|-o$", arg.text)), None)
    if output:
        _, _, path = output.text.partition("=")
        if path and (places.is_outside(path) or places.is_protected(path)):
            return harms(f"git {name} writes to {path}")
    if name == "clone":
        return _clone(args)
    if (
        name == "add"
        and any(arg.text in (".orchestration", ".claude") for arg in args)
        and any(a.text in ("-f", "--force") for a in args)
    ):
        return changes("git add changes the index")
    return changes(f"git {name} is not known to only read")


def _clone(args: list[Arg]) -> Ruling:
    texts = [arg.text for arg in args]
    if any(re.match(r"-c|--config|-u|--upload-pack|--template", text) for text in texts):
        return harms("git clone is given configuration that can run programs")
    operands = [text for text in texts if not text.startswith("-")]
    if len(operands) > 1 and places.is_outside(operands[-1]):
        return harms(f"git clone writes to {operands[-1]}, outside of the workspace")
    return changes("git clone fetches a repository")


def _branch(args: list[Arg], _: Scene) -> Ruling:
    taken = take(args, _LIST_REFS._replace(flags="arvil", long=_LIST_REFS.long | {"list"}))
    texts = {arg.text for arg in args}
    if taken.unknown is None and _sure(args) and (not taken.operands or taken.flags & {"l", "list"} or _follows(args)):
        return READS
    if texts & {"-D", "-M", "-C"} or (texts & {"-d", "--delete"} and texts & {"-f", "--force"}):
        return harms("git branch discards a branch that may be merged nowhere")
    if texts & {"-f", "--force"}:
        return harms("git branch -f moves a branch away from its commits")
    return changes("git branch changes branches")


def _tag(args: list[Arg], _: Scene) -> Ruling:
    taken = take(args, _LIST_REFS._replace(flags="li", valued="", long=_LIST_REFS.long | {"list"}))
    texts = [arg.text for arg in args]
    if texts and re.fullmatch(r"-n[0-9]*", texts[0]):
        taken = take(args[1:], _LIST_REFS._replace(flags="li", long=_LIST_REFS.long | {"list"}))
        taken.flags.add("l")
    if taken.unknown is None and _sure(args) and (not taken.operands or taken.flags & {"l", "list"} or _follows(args)):
        return READS
    if {"-d", "--delete", "-f", "--force"} & set(texts):
        return (
            harms("git tag takes a tag away or moves it")
            if {"-f", "--force"} & set(texts)
            else changes("git tag -d takes a tag away")
        )
    return changes("git tag makes a tag")


def _follows(args: list[Arg]) -> bool:
    """Tell whether the only operand belongs to --merged, --contains and the like."""
    operands = [arg for arg in args if not arg.text.startswith("-")]
    wanting = {"--merged", "--no-merged", "--contains", "--no-contains"}
    return len(operands) == 1 and args.index(operands[0]) > 0 and args[args.index(operands[0]) - 1].text in wanting


def _remote(args: list[Arg], _: Scene) -> Ruling:
    texts = [arg.text for arg in args]
    if texts in ([], ["-v"], ["--verbose"]) or (
        len(texts) >= 2
        and texts[0] == "get-url"
        and _sure(args)
        and all(not t.startswith("-") or t in ("--all", "--push") for t in texts)
    ):
        return READS
    if texts[0] in ("set-url", "remove", "rm"):
        return harms(f"git remote {texts[0]} changes where later pushes go")
    return changes(f"git remote {texts[0]} is not known to only read")


def _stash(args: list[Arg], _: Scene) -> Ruling:
    verb = args[0].text if args else "push"
    if verb in ("list", "show"):
        taken = take(args[1:], _LOGGING._replace(long=_LOGGING.long | {"include-untracked", "only-untracked"}))
        return (
            READS
            if taken.unknown is None and _sure(args)
            else changes(f"git stash {verb} is given more than it needs to read")
        )
    if verb in ("drop", "clear"):
        return harms(f"git stash {verb} discards work")
    return changes("git stash moves changes")


def _listing(verbs: dict[str, Known], what: str) -> Callable[[list[Arg], Scene], Ruling]:
    def ruled(args: list[Arg], _: Scene) -> Ruling:
        verb = args[0].text if args else ""
        if verb in verbs and take(args[1:], verbs[verb]).unknown is None and _sure(args):
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
    reading = {"--get", "--get-all", "get", "--get-regexp"} & set(texts[:3])
    plain = [
        t
        for t in texts
        if t
        not in (
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
        )
    ]
    if reading and _sure(args) and len(plain) == 1 and _KEYS.fullmatch(plain[0]):
        return READS
    if {"--global", "--system"} & set(texts) and not reading:
        return harms("git config changes the settings of every repository")
    key = (
        values[0]
        if values and values[0] not in ("get", "set", "unset", "list", "edit")
        else (values[1] if len(values) > 1 else "")
    )
    if _CODE_KEYS.match(key) or "\0" in key:
        if not values[1:] and not {"--unset", "--unset-all", "unset", "--remove-section", "--replace-all"} & set(texts):
            return (
                harms("git config tells a setting that may hold a credential")
                if re.match(r"credential|http|url|remote", key, re.IGNORECASE)
                else changes("git config is not known to only read")
            )
        return harms(f"git config {key} sets what git runs or trusts")
    if {"-f", "--file"} & set(texts) or any(t.startswith("--file=") for t in texts):
        return _file_of_config(texts, scene)
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
    if {"-f", "--force"} & set(texts) or "--" in texts or any(t in (".", "./", ":/", "*") for t in texts):
        return harms("git checkout overwrites work that is not committed")
    if {"--ours", "--theirs", "-p", "--patch", "--pathspec-from-file"} & set(texts) or any(
        t.startswith("--pathspec") for t in texts
    ):
        return harms("git checkout overwrites work that is not committed")
    if any(re.match(r"-[a-zA-Z]*B", text) for text in texts):
        return harms("git checkout -B moves a branch away from its commits")
    operands = [arg for arg in args if not arg.text.startswith("-")]
    if not {"-b", "--orphan", "-t", "--track"} & set(texts) and (
        len(operands) > 1 or any(re.search(r"\.\w{1,5}$|/$", arg.text) for arg in operands)
    ):
        return harms("git checkout overwrites files with those of a commit")
    return changes("git checkout changes the work tree")


def _restore(args: list[Arg], _: Scene) -> Ruling:
    texts = {arg.text for arg in args}
    if {"--staged", "-S"} & texts and not {"--worktree", "-W", "-SW", "-WS"} & texts:
        return changes("git restore --staged changes the index")
    return harms("git restore overwrites work that is not committed")


def _switch(args: list[Arg], _: Scene) -> Ruling:
    if any(re.match(r"-f$|--force|--disc|-C$|--force-create", arg.text) for arg in args):
        return harms("git switch discards work that is not committed")
    return changes("git switch changes the work tree")


def _clean(args: list[Arg], _: Scene) -> Ruling:
    if any(re.match(r"-[a-zA-Z]*n|--dry-run", arg.text) for arg in args) and not any(
        "f" in a.text for a in args if a.text[:1] == "-"
    ):
        return changes("git clean is not known to only read")
    return harms("git clean deletes files that git does not have")


def _rm(args: list[Arg], scene: Scene) -> Ruling:
    operands = [arg for arg in args if not arg.text.startswith("-")]
    recursive = any(re.match(r"-[a-z]*r", arg.text) for arg in args)
    if any(places.is_workspace(arg.text, scene.root, scene.here or "") or arg.text == ":/" for arg in operands):
        return harms("git rm removes every file")
    if recursive and "--cached" not in [arg.text for arg in args]:
        return harms("git rm -r removes a folder")
    return together(scene.writes(arg, "git rm") for arg in operands)


def _mv(args: list[Arg], scene: Scene) -> Ruling:
    operands = [arg for arg in args if not arg.text.startswith("-")]
    return together([*(scene.writes(arg, "git mv") for arg in operands), changes("git mv renames")])


def _rebase(args: list[Arg], _: Scene) -> Ruling:
    if any(re.match(r"-x|--exec|--root|-[a-z]*i$|--interactive|--no-verify", arg.text) for arg in args):
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
        and _sure(args)
        and all(a.text in ("-q", "--quiet", "--short") for a in args if a not in operands)
    ):
        return READS
    return changes("git symbolic-ref moves a ref")


def _bundle(args: list[Arg], _: Scene) -> Ruling:
    if args and args[0].text in ("verify", "list-heads") and _sure(args):
        return READS
    return changes("git bundle writes a file")


def _archive(args: list[Arg], scene: Scene) -> Ruling:
    if any(re.match(r"--remote|--exec", arg.text) for arg in args):
        return harms("git archive talks to a server, which runs a program")
    output = [
        value
        for _, value in take(
            args, known("lv0123456789", "o", "format= prefix= output= worktree-attributes list verbose")
        ).values
        if value.text.startswith(("/", "..", "~", "."))
    ]
    return together(
        [changes("git archive is not known to only read"), *(scene.writes(arg, "git archive") for arg in output)]
    )


def _commit(args: list[Arg], _: Scene) -> Ruling:
    end = _end([arg.text for arg in args])
    if any(
        re.match(r"--no-ver|--no-gpg|-[a-z]*n[a-z]*$", arg.text) and not _is_value(args, place)
        for place, arg in enumerate(args[:end])
    ):
        return harms("git commit is told to skip its checks")
    return changes("git commit writes a commit")


def _is_value(args: list[Arg], place: int) -> bool:
    return place > 0 and args[place - 1].text in (
        "-m",
        "--message",
        "-am",
        "-F",
        "--file",
        "--author",
        "--date",
        "-C",
        "-c",
    )


_SPECIAL: dict[str, Callable[[list[Arg], Scene], Ruling]] = {
    "branch": _branch,
    "tag": _tag,
    "remote": _remote,
    "stash": _stash,
    "config": _config,
    "notes": _listing({"": known(), "list": known(), "show": known(), "get-ref": known()}, "notes"),
    "worktree": _listing({"list": known("vz", "", "verbose porcelain")}, "worktree"),
    "submodule": _listing({"status": known("", "", "cached recursive"), "summary": known()}, "submodule"),
    "bisect": _listing({"log": known(), "view": known()}, "bisect"),
    "sparse-checkout": _listing({"list": known()}, "sparse-checkout"),
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
    "clone": lambda args, _: _clone(args),
}
