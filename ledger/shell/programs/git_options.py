"""git's options and settings that only say what to read, and the commands that are hard to undo, as data."""

from linetrail.ledger.shell.reading.options import Known

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
LOGGING = Known("pusaRrtzMCBDWbwicgmEFiP0", "nSGUlOLXI", _DIFF + " " + _LOG, numeric=True)

READERS: dict[str, Known] = {
    "status": Known("sbvz", "uM", "short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? ignored? column? no-column ahead-behind no-ahead-behind renames no-renames find-renames?"),
    "diff": LOGGING, "log": LOGGING, "show": LOGGING, "whatchanged": LOGGING, "reflog": LOGGING, "diff-tree": LOGGING,
    "diff-files": LOGGING, "diff-index": LOGGING, "range-diff": LOGGING, "rev-list": LOGGING, "cherry": Known("v", long="abbrev?"),
    "blame": Known("bltwfnspecMC", "LSM", "root show-stats porcelain line-porcelain incremental encoding= contents= date= score-debug show-name show-number show-email first-parent reverse= abbrev= color-lines color-by-age ignore-rev= since="),
    "annotate": Known("wl", "L"),
    "shortlog": Known("nsec", "w", "numbered summary email group= since= until= after= before= no-merges all author= format= committer", numeric=True),
    "rev-parse": Known("q", "", "verify quiet short? symbolic symbolic-full-name abbrev-ref? all branches? tags? remotes? glob= exclude= show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository show-superproject-working-tree git-path= since= until= sq revs-only no-revs flags no-flags default= show-object-format? path-format= local-env-vars disambiguate= resolve-git-dir= shared-index-path not"),
    "ls-files": Known("zcdomisktuvfr", "xX", "cached deleted modified others ignored stage unmerged killed directory no-empty-directory exclude= exclude-from= exclude-per-directory= exclude-standard error-unmatch full-name recurse-submodules abbrev? debug eol deduplicate format= sparse with-tree="),
    "ls-tree": Known("drtlz", "", "long name-only name-status object-only full-name full-tree abbrev? format="),
    "cat-file": Known("tspe", "", "batch? batch-check? batch-all-objects buffer unordered follow-symlinks allow-unknown-type"),
    "describe": Known("", "", "all tags contains always dirty? broken? long abbrev= match= exclude= first-parent candidates= exact-match debug"),
    "merge-base": Known("a", "", "all octopus independent is-ancestor fork-point"),
    "name-rev": Known("", "", "tags refs= exclude= all name-only no-undefined always stdin annotate-stdin"),
    "for-each-ref": Known("", "", "count= sort= format= color? shell python perl tcl points-at= merged? no-merged? contains? no-contains? ignore-case omit-empty exclude= stdin"),
    "show-ref": Known("qdhs", "", "head heads tags branches dereference hash? verify abbrev? quiet exists"),
    "show-branch": Known("ar", "", "all remotes list current more= topo-order date-order sha1-name no-name merge-base independent reflog?"),
    "grep": Known("iIwvhHEGPFnlLcqzarpWo0", "efmABC", "cached untracked no-index exclude-standard no-exclude-standard recurse-submodules text ignore-case max-depth= recursive no-recursive word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number column files-with-matches name-only files-without-match null only-matching count color? no-color break heading show-function function-context context= after-context= before-context= threads= and or not all-match quiet max-count=", numeric=True),
    "count-objects": Known("vH", "", "verbose human-readable"),
    "check-ignore": Known("qvnz", "", "quiet verbose stdin non-matching no-index"),
    "check-attr": Known("az", "", "all cached stdin source="),
    "check-ref-format": Known("", "", "branch allow-onelevel no-allow-onelevel refspec-pattern normalize print"),
    "check-mailmap": Known("", "", "stdin"),
    "fsck": Known("", "", "unreachable dangling no-dangling root tags cache no-reflogs full no-full strict verbose connectivity-only progress no-progress name-objects"),
    "var": Known(),
    "version": Known("", "", "build-options"),
    "patch-id": Known("", "", "stable unstable verbatim"),
    "stripspace": Known("sc", "", "strip-comments comment-lines"),
    "get-tar-commit-id": Known(),
    "verify-pack": Known("vs", "", "verbose stat-only"),
    "show-index": Known(),
}  # fmt: skip

LIST_REFS = Known(
    "arvi",
    "",
    "all remotes verbose abbrev= no-abbrev column? no-column sort= format= points-at= merged? no-merged? contains? "
    "no-contains? show-current color? no-color ignore-case omit-empty",
)
KEYS = (
    r"(?i)(?:user\.(?:name|email)|core\.(?:editor|pager|autocrlf|eol|ignorecase|filemode|bare|quotepath|excludesfile|hookspath"
    r"|repositoryformatversion|worktree|abbrev)|init\.defaultbranch|(?:branch|pull|push|merge|rebase|diff|color|log|status|fetch)"
    r"\.[\w./-]+|remote\.[\w.-]+\.(?:fetch|url)|alias\.[\w-]+)"
)
# configuration that names a program, a place of hooks, or what is trusted: whoever sets it runs code later
# compiled when it is first needed
CODE_KEYS = (
    r"(?i)core\.(?:pager|editor|hookspath|fsmonitor|sshcommand|gitproxy|askpass|attributesfile|worktree|alternaterefscommand"
    r"|excludesfile|bare|gitdir)|alias\.|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|mergetool\.|difftool\."
    r"|filter\.|gpg\.|gpg$|commit\.gpgsign|tag\.gpgsign|push\.gpgsign|user\.signingkey|credential|http\.|https\.|url\."
    r"|protocol\.|transfer\.|fetch\.fsck|receive\.|include|includeif|sequence\.editor|pager\.|browser|web\.|man\.|init\.templatedir"
    r"|remote\..*\.(?:url|pushurl|uploadpack|receivepack|proxy|vcs|push)|submodule\.|uploadpack|safe\.|trailer\.|interactive\.difffilter"
    r"|notes\.|sendemail|imap|instaweb|guitool|core\.gitproxy|extensions\.|ssh\.|log\.showsignature|gc\.|maintenance"
)
HARMLESS_SETTINGS = (
    r"(?:color\.[\w.]+=(?:always|never|auto|true|false)|core\.quote[pP]ath=(?:true|false|off|on)"
    r"|core\.pager=cat|core\.pager=|diff\.auto[rR]efresh[iI]ndex=false|diff\.(?:renames|algorithm|noprefix|mnemonic[pP]refix)=\w+"
    r"|log\.(?:decorate|date)=\w+|core\.abbrev=\d+|grep\.[\w]+=\w+|status\.[\w]+=\w+)"
)
QUIET = {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--icase-pathspecs", "--no-replace-objects", "--glob-pathspecs", "--noglob-pathspecs"}  # fmt: skip

# What takes away work that no other place has, or changes what others have.
HARMFUL = {
    "send-pack": "it changes a repository that others share", "push": "it changes a repository that others share",
    "filter-branch": "it rewrites history", "filter-repo": "it rewrites history",
    "fast-import": "it writes history from a stream",
    "replace": "it shows other objects than those that were recorded", "update-ref": "it moves refs past every check",
    "prune": "it destroys objects that a rescue would need", "send-email": "it sends mail",
    "imap-send": "it sends mail", "request-pull": "it talks to others",
    "daemon": "it offers the repository on the network", "instaweb": "it starts a server",
    "http-backend": "it offers the repository on the network", "shell": "it runs commands for others",
    "credential": "it hands out credentials", "credential-store": "it hands out credentials",
    "credential-cache": "it hands out credentials", "credential-osxkeychain": "it hands out credentials",
    "credential-manager": "it hands out credentials", "difftool": "it runs the program that the configuration names",
    "mergetool": "it runs the program that the configuration names", "upload-pack": "it serves the repository",
    "receive-pack": "it serves the repository", "remote-ext": "it runs a command as transport",
    "remote-fd": "it runs a command as transport", "hook": "it runs hooks",
    "maintenance": "it changes the schedule of this machine",
    "checkout-index": "it overwrites files with those of the index", "svn": "it talks to a server",
    "p4": "it talks to a server",
}  # fmt: skip
RUNS = r"--(?:upload-pack|receive-pack|exec|ext-cmd|open-files-in-pager|config-env|template|exec-path|pre)(?:=|$)"
