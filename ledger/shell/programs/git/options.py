"""git's options and settings that only say what to read, and the commands that are hard to undo, as data."""

from linetrail.ledger.shell.programs import tables
from linetrail.ledger.shell.programs.readers import known

READERS = {name.removeprefix("git-"): known(row) for name, row in tables.rows("git_readers").items()}
LOGGING, LIST_REFS = READERS["log"], READERS.pop("git branch list")
# None of their options writes or runs anything.
PRINTING = {"cat-file", "describe", "ls-tree", "merge-base", "name-rev", "rev-parse"}
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
