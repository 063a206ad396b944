"""Programs that reach further than the workspace: other machines, other rights, other people's work, credentials.

Whoever adds one says what it does; whether it is *dangerous* always or only with some words is the table it stands in.
"""

import re

from linetrail.ledger.agents import PROGRAMS
from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.ruling import Ruling, changes, harms
from linetrail.ledger.shell.reading.values import Arg

_RIGHTS = "it works with the rights of somebody else"
_DISK = "it destroys or changes disks"
_SYSTEM = "it changes the system, not the workspace"
_OTHERS = "it talks to another machine, with what is in the workspace"
_SECRETS = "it keeps or tells credentials"
_FETCHES = "it downloads what it runs"

ALWAYS: dict[str, str] = {
    **dict.fromkeys(["sudo", "doas", "su", "pkexec", "runuser", "visudo"], _RIGHTS),
    **dict.fromkeys(["chroot", "unshare", "bwrap", "firejail", "setfacl", "chattr", "chown", "chgrp"], _RIGHTS),
    **dict.fromkeys(["mkfs", "wipefs", "fdisk", "parted", "diskutil"], _DISK),
    **dict.fromkeys(["mount", "umount", "modprobe", "shutdown", "reboot", "halt", "poweroff", "init", "service", "launchctl", "useradd", "usermod", "userdel", "passwd", "chsh", "iptables", "ufw", "ifconfig", "route", "defaults", "sysctl", "write"], _SYSTEM),
    **dict.fromkeys(["ssh", "scp", "sftp", "telnet", "ftp", "nc", "ncat", "netcat", "socat", "nmap", "mail", "sendmail", "ngrok", "rclone", "gsutil", "tcpdump"], _OTHERS),
    **dict.fromkeys(["security", "pass", "op", "vault", "ssh-add", "ssh-agent", "ssh-keygen", "sops", "keychain", "xclip", "pbpaste"], _SECRETS),
    **dict.fromkeys(["npx", "bunx", "uvx", "pipx", "dlx", "nix-shell", "nix", "create-react-app"], _FETCHES),
    **dict.fromkeys(["shred", "rimraf"], "what it deletes cannot be brought back"),
    **dict.fromkeys(["pkill", "killall"], "it ends processes by a pattern"),
    **dict.fromkeys(["systemd-run"], "it runs commands later"),
    **dict.fromkeys(["gdb", "lldb"], "it reaches into other processes"),
    "enable": "it changes what the built-ins of the shell are",
    "hash": "it changes which program a name stands for",
    "complete": "it runs functions when somebody types",
    "bind": "it binds keys to commands",
    "trap": "it runs a text later",
    "umask": "it decides who may read later files",
    "fc": "it runs commands of the history",
    "dmesg": "it tells or clears the log of the kernel",
}  # fmt: skip


def _after(args: list[Arg], valued: str = "") -> list[str]:
    """Return the words that are no options; `valued` names options whose value is the next word."""
    words, skip = list[str](), False
    for arg in args:
        if skip:
            skip = False
        elif arg.text in valued.split():
            skip = True
        elif not arg.text.startswith("-"):
            words.append(arg.text)
    return words


# program -> (options with a value in front of the verb, harmless verbs, harmful ones, what is told of the harm).
# A verb in neither list is dangerous where `harmful` is empty, destructive otherwise.
_VERBS: dict[str, tuple[str, str, str, str]] = {
    "kubectl": ("-n --namespace --context -f --kubeconfig -l -o", "get describe logs top explain api-resources api-versions version cluster-info diff events", "", "it changes a cluster that others share"),
    "oc": ("-n --namespace --context", "get describe logs status whoami version explain", "", "it changes a cluster that others share"),
    "helm": ("-n --namespace --kube-context", "list ls status get history show search template lint version dependency env", "", "it changes a cluster that others share"),
    "terraform": ("", "plan validate fmt show version output graph providers init get workspace console", "", "it changes infrastructure that others share"),
    "tofu": ("", "plan validate fmt show version output graph providers init get workspace", "", "it changes infrastructure that others share"),
    "pulumi": ("-s --stack -C --cwd", "preview version about whoami", "", "it changes infrastructure that others share"),
    "hub": ("", "browse issue", "", "it changes a shared repository"),
    "glab": ("-R --repo", "auth-status", "", "it changes a shared repository"),
    "systemctl": ("-n -t -p --type --property --state", "status list-units list-unit-files is-active is-enabled is-failed show cat list-timers list-dependencies", "", "it changes services of the machine"),
    "journalctl": ("-u -n -p", "", "--rotate --vacuum-time --vacuum-size --flush", "it changes the log of the system"),
    "npm": ("--prefix -w --workspace", "", "publish unpublish deprecate owner token access dist-tag adduser login logout exec x init create hook org team profile star unstar ci-publish config set", "it publishes, tells credentials, or runs what it downloads"),
    "pnpm": ("-C --dir --filter -F", "", "publish dlx exec create login logout deprecate owner token config", "it publishes, or runs what it downloads"),
    "yarn": ("--cwd", "", "publish dlx create npm login logout owner token config tag", "it publishes, or runs what it downloads"),
    "bun": ("--cwd", "", "publish x create pm", "it publishes, or runs what it downloads"),
    "deno": ("", "", "publish deploy upgrade install compile", "it publishes, or installs what it downloads"),
    "cargo": ("--manifest-path -C", "", "publish yank login logout owner install uninstall", "it publishes, or installs outside of the workspace"),
    "go": ("-C", "", "install", "it installs outside of the workspace what it downloads"),
    "gem": ("", "", "push yank owner signin signout install uninstall cert", "it publishes, or installs outside of the workspace"),
    "twine": ("", "check", "", "it publishes"),
    "poetry": ("-C --directory", "", "publish config self", "it publishes, or changes settings of every project"),
    "uv": ("--directory --project", "", "publish tool x", "it publishes, or runs what it downloads"),
    "hatch": ("", "", "publish", "it publishes"),
    "pdm": ("", "", "publish", "it publishes"),
    "conda": ("", "", "remove uninstall clean config upload", "it changes environments outside of the workspace"),
    "brew": ("", "list info search deps leaves config outdated doctor --version --prefix", "", "it changes programs of the machine"),
    "apt": ("", "list show search policy", "", "it changes programs of the machine"),
    "apt-get": ("", "", "install remove purge autoremove update upgrade dist-upgrade source build-dep clean", "it changes programs of the machine"),
    "crontab": ("", "-l", "", "it changes what runs later"),
    "docker": ("--context -H --host -c", "ps images inspect logs version info build stats top history port diff events search compose stop start restart pause unpause pull tag context volume network system image container builder buildx create cp wait rename kill", "", "it publishes, removes, or runs with the rights of root"),
    "podman": ("", "ps images inspect logs version info build stats top history port diff stop start restart pull tag", "", "it publishes, removes, or runs what it downloads"),
    "docker-compose": ("-f -p", "", "down rm kill push exec run", "it removes, or runs in a container"),
    "kind": ("", "get version", "", "it changes a cluster"),
    "aider": ("", "--version", "", "it starts an agent that no gate may watch"),
    "goose": ("", "--version", "", "it starts an agent that no gate may watch"),
    **dict.fromkeys(PROGRAMS, ("", "--version --help", "", "it starts an agent that no gate may watch")),
}  # fmt: skip


def _verbs(name: str, args: list[Arg]) -> Ruling:
    valued, harmless, harmful, why = _VERBS[name]
    words = _after(args, valued)
    verb = words[0] if words else (args[0].text if args else "")
    if not verb:
        return changes(f"{name} is not known to only read")
    if harmful:
        known = set(harmful.split())
        return harms(f"{name} {verb}: {why}") if verb in known else changes(f"{name} {verb} is not known to only read")
    if verb in harmless.split():
        return changes(f"{name} {verb} is not known to only read")
    return harms(f"{name} {verb}: {why}")


def _words(args: list[Arg]) -> str:
    return " " + " ".join(arg.text for arg in args) + " "


_GATE = r" (?:un|re)?(?:install|i|add|remove|rm|upgrade|update) .*(?:linetrail|ledger|orchestration|intent-?gate)"

# Commands that a client of a database does not send to it, but follows itself: all but those that only tell.
_DOTTED = r"(?:^|[\s;])\.(?!(?:tables?|schema|headers?|mode|databases?|ind(?:ex|ic)es|dump|help|show|stats|timer|width|nullvalue|separator|echo|eqp|explain|exit|quit|fullschema|bail|changes|limits?|version|timeout|print|maxrows|large_number_rendering)\b)[a-z]"
_CLIENT = r"(?i)\b(?:drop|truncate|delete|update|insert|alter|grant|revoke|create|load|replace|outfile|dumpfile|system|call)\b|\\[!TPe.]|(?:-e|--execute=?|;)\s*(?:tee|pager|edit|source)\b"

# program -> what makes it worse, looked for in its words
_PATTERNS: dict[str, list[tuple[str, str]]] = {
    "kubectl": [(r" (?:get|describe) (?:\S+,)?secrets?\b", "it tells credentials"), (r" config view .*--raw", "it tells credentials")],
    "terraform": [(r" (?:workspace (?:delete|new|select)|-destroy|output .*-(?:json|raw))", "it changes shared state or tells secrets"), (r" providers (?:lock|mirror) ", "it changes what runs")],
    "helm": [(r" get (?:values|all) ", "it tells what may be credentials"), (r" --post-renderer", "it runs a program")],
    "docker": [
        (r" (?:run|exec|push|login|logout|rm|rmi|swarm|service|stack|secret|config|plugin|commit|import|load|save|export|update|trust|kill) ", "it publishes, removes, or runs with the rights of root"),
        (r" (?:system|volume|image|container|network|builder|buildx) (?:prune|rm|remove|kill|exec|run|push|rmi) ", "it removes what a project may need"),
        (r" compose .*(?:down .*-v|down .*--volumes|exec|run|push|rm|kill)\b", "it removes data, or runs in a container"),
        (r" create .*-(?:v|-volume|-mount|-device)|-f ?- ", "it reaches the workspace from within a container"),
        (r" context (?:use|create|rm)|--privileged|--network[= ]host|--add-host|docker\.sock| --(?:ssh|secret)\b", "it works with the rights of root"),
    ],
    "npm": [(_GATE, "it changes the gate"), (r"(?:https?://|git\+|github:|git@)", _FETCHES), (r" (?:-g|--global) | run (?:publish|deploy|release)\b|--registry|script-shell|node-options|_auth|whoami", "it reaches out of the workspace"), (r" (?:get|list|ls) .*_auth", "it tells credentials")],
    "yarn": [(_GATE, "it changes the gate"), (r"(?:https?://|git\+|git@)", _FETCHES), (r" global ", "it installs outside of the workspace")],
    "pnpm": [(_GATE, "it changes the gate"), (r"(?:https?://|git\+|git@)", _FETCHES), (r" (?:-g|--global) ", "it installs outside of the workspace")],
    "bun": [(r"(?:https?://|git\+|git@)", _FETCHES), (r" (?:-g|--global) ", "it installs outside of the workspace")],
    "pip": [(r"(?:https?://|git\+|hg\+|svn\+|git@)", _FETCHES), (r"--(?:global-option|install-option|config-settings|extra-index-url|index-url|trusted-host|find-links|proxy|break-system-packages|user|target|prefix|root)| -(?:i|t|C) | config (?:set|unset|edit)", "an option chooses what it runs or where it writes"), (_GATE, "it changes the gate"), (r" uninstall .* -r ", "it takes away what a file says")],
    "uv": [(r"(?:https?://|git\+)", _FETCHES), (_GATE, "it changes the gate"), (r" (?:--system|--break-system-packages|--index-url|--extra-index-url) | self update ", "it reaches out of the workspace"), (r" run .*--with", _FETCHES)],
    "go": [(r" run \S+@| (?:run|get|generate|test|build|vet) .*(?:-exec|-toolexec|-overlay|-ldflags=.*-extld)| run https?:", "it runs what it downloads, or the program an option names"), (r" env .*-[wu]\b", "it changes the settings of every project")],
    "cargo": [(r" --config| install .*--git", "an option chooses what it runs")],
    "gem": [(r"--source", _FETCHES)],
    "make": [(r" (?:\.?SHELL(?:FLAGS)?|MAKE|AR|CC|CXX|LD|MAKEFLAGS)=| --eval| -E ?\S| -f ?(?:-|/)| (?:install|uninstall|publish|deploy|release|push|upload|destroy)\b", "it runs the program a variable names, or publishes")],
    "gh": [(r" --(?:admin|yes|delete-branch|force) | -(?:X|f|F)\b| --(?:method|field|raw-field|input)\b", "it changes a shared repository")],
    "zip": [(r" -TT|--unzip-command", "it runs a program")],
    "man": [(r" (?:-P|--pager|-H|--html|-C|--config)| --(?:pa|ht)", "an option names the program that it runs")],
    "less": [(r" \+| -(?:k|o|O|t)| --(?:log|lesskey|cmd)|!", "it runs a command at its start, or writes a file")],
    "more": [(r" \+", "it runs a command at its start")],
    "vim": [(r" (?:-c|--cmd|-S|-s|-w|-W|-u|-U|\+)", "a command at its start can run a shell")],
    "ex": [(r" (?:-c|\+|-S|-s)", "a command at its start can run a shell")],
    "ed": [(r"!", "it runs a shell command")],
    "rg": [(r" --(?:pre|hostname-bin)\b", "an option names the program that it runs")],
    "rsync": [(r" (?:-e|--rsh|--rsync-path|--password-file|--daemon)\b| --rsh=| \S*(?:::|rsync://)|(?: |@)[\w.@-]+:\S*", "it talks to another machine, or runs the program an option names"), (r" --(?:delete|remove-source-files|del)\b", "it deletes what the other side does not have")],
    "curl": [(r" -(?:\w*[dFTuKE]\b|X ?(?!GET|HEAD)\w|\w*[dFT]\S)| --(?:data|form|upload|json|request[ =](?!GET|HEAD)|post|user|netrc|config|cert|key|oauth|proxy-user|unix-socket|abstract)| -n\b| -[a-zA-Z#]*K|[Aa]uthorization|[Tt]oken|[Cc]ookie|[Aa]pi-?[Kk]ey| (?:file|ftp|scp|sftp|smtp|telnet|dict|gopher|ldap|tftp|imap|pop3|mqtt)s?://|169\.254\.169\.254|metadata\.google|@", "it sends something out, uses credentials, or leaves http"), (r"\0", "it sends out what only the running shell knows")],
    "wget": [(r" --(?:post|body|method|user|password|http-user|http-pass|header|load-cookies|config|use-askpass|certificate|private|execute)| -(?:e|i)\b|169\.254\.169\.254|metadata\.google| ftp", "it sends something out, uses credentials, or leaves http"), (r"\0", "it sends out what only the running shell knows")],
    **{name: [(r" (?:POST|PUT|PATCH|DELETE)\b|=|@|\0", "it sends something out")] for name in ("http", "https")},
    "xh": [(r" (?:POST|PUT|PATCH|DELETE|post|put|patch|delete)\b|=|@|\0", "it sends something out")],
    **{name: [(r"\0", "it sends out what only the running shell knows")] for name in ("dig", "nslookup", "host")},
    "ping": [(r"\0| -f\b| -p ", "it sends out what only the running shell knows")],
    "kill": [(r" -(?:9|KILL|SIGKILL|s) .*(?: -1| 1| 0)\s| -1 | -- -|\0| (?:0|1) ", "it ends processes that nobody named")],
    "gpg": [(r"export-secret|--decrypt|\s-d\s|--delete|--gen|--import|--edit|--passphrase|--recv|--send|--keyserver|--refresh|--quick", "it works with secret keys")],
    "openssl": [(r" (?:s_client|s_server|rsa|pkey|ec|pkcs12|genrsa|genpkey|passwd|rsautl|pkeyutl) |-engine|-provider-path|-pass|-k ", "it works with secret keys, or with the network")],
    "psql": [(r"(?i)\b(?:drop|truncate|delete|update|insert|alter|grant|revoke|create|copy|vacuum|reindex|do|call|merge|into)\b|\\[!ocgw]|\\s\s+\S|\\e[fv]?\b|\\i(?:r|nclude\w*)?\s|\\(?:copy|setenv)|PROGRAM|HISTFILE|pg_(?:read|file)|lo_", "it changes a database that others share, or runs a shell")],
    "mysql": [(_CLIENT, "it changes a database that others share, or runs a shell"), (r" -p\S|--password=", "it carries a password")],
    "mariadb": [(_CLIENT, "it changes a database that others share, or runs a shell")],
    "sqlite3": [(r"(?i)\b(?:drop|truncate|delete|alter|attach|load_extension|writefile|edit|temp_store_directory)\b|" + _DOTTED + "|-cmd", "it takes data away, runs a shell, or opens other files")],
    "duckdb": [(r"(?i)\b(?:drop|truncate|delete|alter|attach|install|load|copy|export)\b|\b(?:set|pragma)\b.*(?:output|director|path)|" + _DOTTED + r"|https?://|s3://", "it takes data away, runs a shell, or opens other files")],
    "redis-cli": [(r"(?i)\b(?:flush\w*|del|unlink|set\w*|config|shutdown|eval\w*|script|debug|rename|expire|migrate|slaveof|replicaof|module|save|bgsave|acl|h(?:set|del)|l(?:push|pop|rem)|r(?:push|pop)|s(?:add|rem)|z(?:add|rem)|x(?:add|del)|incr\w*|decr\w*|append|publish|monitor|restore)\b", "it changes a database that others share"), (r" -a |--pass", "it carries a password")],
    "mongosh": [(r"(?i)drop|delete|remove|update|insert|replace|rename|create|shutdown|eval\(|load\(|require|process|aggregate.*\$(?:out|merge)", "it changes a database that others share")],
    "date": [(r" (?:-s|--set|-\w*s\b|--se)|-s\S| [0-9]{8,}", "it moves the clock")],
    "history": [(r" -(?:\w*[cdwanr])", "it hides or changes what was done")],
    "set": [(r" (?:\+o|-o) (?:history|noexec)|\+o history| -a\b", "it hides what is done, or exports everything")],
    "shopt": [(r"expand_aliases|extdebug|sourcepath|login_shell", "it changes what commands mean")],
    "unset": [(r"HIST|PROMPT_COMMAND|PATH|LINETRAIL|LEDGER|CLAUDE", "it hides what is done, or changes what runs")],
    "export": [(r" -p |^\s*$", "it tells the whole environment")],
    "declare": [(r" -[a-zA-Z]*[pxf]\s+$|^\s*$| -p ", "it tells the whole environment"), (r"\[", "a subscript can run a command"), (r" -[a-z]*n", "it makes one name stand for another")],
    "print": [(r" -\w*v", "it assigns a variable")],
    "typeset": [(r" -[a-zA-Z]*[pxf]\s+$|^\s*$| -p ", "it tells the whole environment"), (r"\[", "a subscript can run a command"), (r" -[a-zA-Z]*n", "it makes one name stand for another")],
    "compgen": [(r" -[a-z]*[vekCFW]", "it tells the environment, or runs a command")],
    "ps": [(r" -?\w*[eE]\w*ww|\be(?:ww)?\b | -\w*E| ax?u?e|environ", "it tells the environment of other processes")],
    "strings": [(r"/environ", "it tells the environment of other processes")],
    "node": [(r" (?:-r|--require|--import|--loader|--experimental-loader)(?:[ =]|\b)", "an option names code that runs first")],
    "ruby": [(r" -r\S| -r ", "an option names code that runs first"), (r"\bENV\b", "it tells the environment")],
    "java": [(r" -(?:javaagent|agentlib|agentpath|XX:On\w+|Xbootclasspath)", "an option names code that runs first")],
    **{name: [(r" (?:-wrapper|-fplugin|-B(?!symbolic|static|dynamic)|-specs|-load|-Xclang)", "an option names the program that it runs")] for name in ("gcc", "g++", "cc", "c++", "clang")},
    "cmake": [(r" -E (?:chdir|env|time) ", "it runs another program"), (r" -P ?(?:-|/|\0)", "it runs what comes through a pipe"), (r" --install\b| (?:-t|--target)[= ]?install\b| -- (?:.* )?install\b", "it installs outside of the workspace")],
    "ninja": [(r" -f ?(?:-|/)", "it runs what comes through a pipe"), (r" (?:un)?install\b", "it installs outside of the workspace")],
    "meson": [(r" install\b", "it installs outside of the workspace")],
    "ld": [(r" -plugin", "an option names the program that it runs")],
    "pre-commit": [(r" (?:install|uninstall|clean|gc|autoupdate|try-repo) ", "it takes the checks away, or exchanges them")],
    "dpkg": [(r" (?:-i|-r|-P|--install|--remove|--purge|--configure|--unpack|--force\S*)\b", "it changes programs of the machine")],
    "hostname": [(r" [^-\s]| (?:-F|-b)", "it changes the name of the machine")],
    "keyctl": [(r".", "it tells credentials")],
    **{name: [(r" (?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)\b.*(?:\bsh\b|\bbash\b|\brm\b.* -\w*[rf])", "it makes names of files part of a command, or deletes them all")] for name in ("fd", "fdfind")},
    "prettier": [(r"--plugin|--config ?=?/", "an option names what it runs")],
    "zmodload": [(r" zsh/(?!datetime|mathfunc|regex|stat|terminfo)", "it gives the shell other ways to write")],
    "emulate": [(r" -\w*c ", "it runs a text as a command")], "mawk": [(r" -W ?e", "it takes its program from elsewhere")], "jobs": [(r" -\w*x", "it runs a command")],
    "pytest": [(r" -p (?!no:)|--rootdir|-c ?/|--override-ini", "an option names what it runs")],
    "rails": [(r" db:(?:drop|reset|purge|truncate)", "it drops data"), (r" (?:runner|console)\b", "it runs code")],
    "rake": [(r" db:(?:drop|reset|purge|truncate)|deploy|release|publish| install\b", "it drops data or publishes")],
    "manage.py": [(r" flush|sqlflush|reset_db", "it drops data")],
    "alembic": [(r" downgrade", "it takes data away")],
    "prisma": [(r"migrate reset|db push", "it takes data away")],
    "flask": [(r" db downgrade", "it takes data away")],
    "bundle": [(r" config ", "it changes settings of every project")],
    "mvn": [(r" (?:deploy|release)", "it publishes")], "gradle": [(r" (?:publish|uploadArchives)|--init-script| -I ", "it publishes, or runs a script")], "gradlew": [(r" publish", "it publishes")], "sbt": [(r"publish", "it publishes")],
    "dotnet": [(r" nuget (?:push|delete)| tool install| publish .*(?:--server|azure)", "it publishes, or installs what it downloads")],
    "lerna": [(r" publish", "it publishes")],
}  # fmt: skip

_LONGEST = 4_096
_GH_READS = {"list", "view", "status", "diff", "checks", "watch"}


def _gh(args: list[Arg]) -> Ruling:
    words = _after(args, "-R --repo --json -q --jq -L --limit -s --state")
    if words[:1] in (["search"], ["status"], ["browse"]) or (
        words[1:2] and words[1] in _GH_READS and words[0] not in ("auth", "secret", "ssh-key", "gpg-key")
    ):
        return changes(f"gh {' '.join(words[:2])} uses the network with credentials")
    if words[:1] == ["api"] and len(words) > 1 and not any(re.match(r"-[XfF]", arg.text) for arg in args):
        return changes("gh api uses the network with credentials")
    if " ".join(words[:2]) in (
        "pr checkout",
        "repo clone",
        "run download",
        "release download",
        "auth status",
        "repo set-default",
    ):
        return changes(f"gh {' '.join(words[:2])} uses the network with credentials")
    if not words:
        return changes("gh is not known to only read")
    return harms(f"gh {' '.join(words[:2])} changes what others share, or tells credentials")


_CLOUD_READS = re.compile(
    r"(?:list|describe|get|head|ls|show|search|lookup|wait|help|version|info|read|filter|view)(?:-.*)?$|^--version$"
)
_CLOUD_SECRETS = re.compile(
    r"secret|password|token|credential|key-?vault|get-parameter|kms|get-login|session|assume-role|export|access-key|configure|print-|decrypt|signing|connection-string|keys? list|api-?key|ssh"
)


def _cloud(name: str, args: list[Arg]) -> Ruling:
    words = _after(
        args,
        "--profile --region --output --query --project -g --resource-group --name -n --format --filter --zone --instance-ids",
    )
    text = " ".join(words[:4])
    if _CLOUD_SECRETS.search(text):
        return harms(f"{name} {text[:40]} tells or makes credentials")
    if (
        name == "aws"
        and words[1:2]
        and words[1].startswith("get-")
        and len(args) > 2
        and not any(arg.text[:1] == "-" for arg in args[-2:])
    ):
        return harms(f"{name} {text[:40]} writes its last operand")
    if any(_CLOUD_READS.match(word) for word in words[:4]) and not (name == "aws" and words[:2] == ["s3", "cp"]):
        return changes(f"{name} {text[:40]} uses the network with credentials")
    if not words and any(arg.text == "--version" for arg in args):
        return changes(f"{name} --version is not known to only read")
    return harms(f"{name} {text[:40]} changes what others share")


_CLOUDS = {"aws", "gcloud", "az"}


def rule(name: str, args: list[Arg]) -> Ruling | None:
    """Say what is dangerous about a program by its name and words; None where nothing here speaks about it."""
    words = _words(args)
    if name in ALWAYS or name.startswith("mkfs."):
        return _always(name, args)
    if name in _PATTERNS and len(words) > _LONGEST:
        return harms(f"{name} is given more than can be inspected")
    found = next((why for pattern, why in _PATTERNS.get(name, []) if re.search(pattern, words, re.DOTALL)), None)
    if found:
        return harms(f"{name}: {found}")
    if name == "gh":
        return _gh(args)
    if name in _CLOUDS:
        return _cloud(name, args)
    if name in _VERBS:
        return _verbs(name, args)
    secret = next((arg for arg in args if places.is_credential(arg.text, glob=arg.glob)), None)
    return harms(f"{name} names what may hold credentials: {secret.text[:80]}") if secret else None


def _always(name: str, args: list[Arg]) -> Ruling:
    texts = [arg.text for arg in args]
    if name == "umask" and not [text for text in texts if not text.startswith("-")]:
        return changes("umask is not known to only read")
    if name in ("mount", "trap", "enable", "hash", "complete") and (not texts or texts in (["-l"], ["-p"])):
        return changes(f"{name} is not known to only read")
    if name in ("sysctl", "ifconfig", "route", "dmesg") and not any(
        re.match(r"-w|-C|-c|--clear|add|del|up|down|\S+=", text) for text in texts
    ):
        return changes(f"{name} is not known to only read")
    if name in ("ssh", "ssh-keygen", "vault", "op", "nix") and texts in (["-V"], ["--version"], ["version"]):
        return changes(f"{name} {texts[0]} is not known to only read")
    return harms(f"{name}: {ALWAYS.get(name, _DISK)}")


PIPED_CODE: set[str] = {
    "manage.py",
    "flask",
    "django-admin",
    "duckdb",
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "mongosh",
    "redis-cli",
    "at",
    "batch",
    "crontab",
    "ed",
    "ex",
    "gdb",
    "ftp",
}
# Programs that follow what stands in a file (`scripts.py`), or on their input.
DATABASES = {"sqlite3", "psql", "mysql", "mariadb", "duckdb"}
EDITORS = {"ed", "ex", "vim", "red"}
STREAMS = {"sed", "gsed", "awk", "gawk", "mawk", "nawk"}
FOLLOWING = (
    DATABASES
    | EDITORS
    | STREAMS
    | {
        "gcc",
        "g++",
        "cc",
        "c++",
        "clang",
        "clang++",
        "rustc",
        "gdb",
        "lldb",
        "gnuplot",
        "bc",
        "curl",
        "m4",
        "cmake",
        "sftp",
    }
)
