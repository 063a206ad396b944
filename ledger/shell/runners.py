"""Programs that run what stands behind them: find, xargs, env, timeout, sudo, shells, interpreters."""

import re
from collections.abc import Callable
from typing import NamedTuple

from linetrail.ledger.shell import places
from linetrail.ledger.shell.options import Known, known, take
from linetrail.ledger.shell.readers import READERS
from linetrail.ledger.shell.ruling import (
    DANGEROUS,
    DESTRUCTIVE,
    READS,
    SAFE,
    Ruling,
    at_least,
    changes,
    harms,
    together,
)
from linetrail.ledger.shell.scene import Scene, shown
from linetrail.ledger.shell.syntax import Simple
from linetrail.ledger.shell.values import UNKNOWN, Arg, arguments


class Run(NamedTuple):
    """How to rule on what is run: a program with its arguments, or a text for a shell."""

    call: Callable[[list[Arg], Scene], Ruling]
    text: Callable[[str, Scene], Ruling]


Runner = Callable[[str, list[Arg], Scene, Run], Ruling]
_MORE = Arg(UNKNOWN, known=False, splits=True)

# --- find -----------------------------------------------------------------------------------------------------------

_FIND_ALONE = {
    "-print", "-print0", "-ls", "-prune", "-quit", "-depth", "-d", "-mount", "-xdev", "-x", "-daystart", "-follow", "-empty",
    "-noleaf", "-readable", "-writable", "-executable", "-nouser", "-nogroup", "-true", "-false", "-not", "!", "-a", "-and",
    "-o", "-or", "(", ")", ",", "-H", "-L", "-P", "-E", "-warn", "-nowarn", "-ignore_readdir_race",
}  # fmt: skip
_FIND_WITH_VALUE = {
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-lname", "-ilname", "-regex", "-iregex",
    "-regextype", "-type", "-xtype", "-maxdepth", "-mindepth", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime",
    "-cmin", "-newer", "-anewer", "-cnewer", "-newermt", "-newerat", "-newerct", "-newermm", "-perm", "-user", "-group",
    "-uid", "-gid", "-links", "-inum", "-samefile", "-fstype", "-used", "-printf", "-context",
}  # fmt: skip
_FIND_RUNS = {"-exec", "-execdir", "-ok", "-okdir"}
_FIND_WRITES = {"-fprint", "-fprint0", "-fprintf", "-fls"}
_FIND_NARROWS = {"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-empty"}


def find(_: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on find by its actions."""
    rulings, at, roots = list[Ruling](), 0, list[Arg]()
    while at < len(args) and (args[at].text in ("-H", "-L", "-P", "-E") or args[at].text[:1] not in ("-", "(", "!")):
        roots.append(args[at])
        at += 1
    roots = [arg for arg in roots if not arg.text.startswith("-")]
    tests = {arg.text for arg in args[at:]}
    while at < len(args):
        arg, at = args[at], at + 1
        if not arg.known or arg.splits or arg.text[:1] in "*?[":
            rulings.append(changes("find is given tests that only the running shell knows"))
            continue
        if arg.text in _FIND_ALONE:
            continue
        if arg.text in _FIND_WITH_VALUE and at < len(args):
            rulings.extend(
                [changes("find is given a value at run time")] if not args[at].known or args[at].splits else []
            )
            at += 1
        elif arg.text in _FIND_RUNS:
            end = next(
                (
                    place
                    for place in range(at, len(args))
                    if args[place].text == ";" or (args[place].text == "+" and args[place - 1].text == "{}")
                ),
                len(args),
            )
            rulings.append(_found(args[at:end], arg.text, tests, scene, run))
            at = end + 1
        elif arg.text in _FIND_WRITES and at < len(args):
            rulings.append(scene.writes(args[at], f"find {arg.text}"))
            at += 2 if arg.text == "-fprintf" else 1
        elif arg.text == "-delete":
            rulings.append(_deleted(roots, tests, scene))
        else:
            rulings.append(changes(f"find {shown(arg)} is not known to only read"))
    if any(not root.known or root.splits or root.text[:1] in "*?[" for root in roots):
        rulings.append(changes("find may be given actions by what its roots become"))
    if together(rulings).level > SAFE and any(scene.outside(root.text) for root in roots):
        rulings.append(harms("find works outside of the workspace, and does more than read"))
    reveals = any(text in _FIND_RUNS for text in tests)
    if reveals and (scene.here is None or any(scene.outside(root.text) for root in roots)):
        rulings.append(changes("find runs a program on whatever is outside of the workspace"))
    rulings.extend(filter(None, (scene.reads(root, "find") for root in roots)))
    return together(rulings)


def _found(args: list[Arg], action: str, tests: set[str], scene: Scene, run: Run) -> Ruling:
    if not args or args[0].text == "{}":
        return harms(f"find {action} runs whatever it finds")
    named = [
        arg._replace(text=arg.text.replace("{}", "./" + UNKNOWN), known=False) if "{}" in arg.text else arg
        for arg in args
    ]
    if args[0].text in _SHELLS and any("{}" in arg.text for arg in args[1:3]) and any(a.text == "-c" for a in args):
        return harms(f"find {action} makes names of files part of a command")
    # Which files these are is as little known as with grep -r; that they are none of credentials, the tests tell.
    ruling = run.call(args if _reveals(args) else named, scene)
    secret = next((text for text in tests if places.is_credential(text, glob=True)), None)
    if secret and ruling.level < DANGEROUS:
        return harms(f"find {action} works on {secret}, which may hold credentials")
    if action.startswith("-ok"):
        return at_least(DESTRUCTIVE, f"find {action} is not known to only read", ruling)
    return ruling._replace(writes=(), complete=ruling.level == SAFE)


def _reveals(args: list[Arg]) -> bool:
    """Tell whether a program reads the files that it is given, whatever they are called, and does nothing else."""
    reader = READERS.get(args[0].text)
    return bool(
        reader
        and (reader.free or args[0].text in ("sort", "diff", "rg"))
        and not any("{}" in a.text and a.text != "{}" for a in args)
    )


def _deleted(roots: list[Arg], tests: set[str], scene: Scene) -> Ruling:
    for root in roots:
        if not root.literal or scene.outside(root.text) or places.is_protected(root.text):
            return harms(f"find deletes below {shown(root)}")
    if not tests & _FIND_NARROWS:
        return harms("find deletes everything it finds")
    return changes("find deletes files")


# --- xargs ----------------------------------------------------------------------------------------------------------

_XARGS = known(
    "0rtxp",
    "nPLsdEIJR",
    "null no-run-if-empty max-args= max-procs= max-lines? max-chars= delimiter= verbose exit replace? arg-file=_",
)
_LISTS = {"find", "ls", "fd", "fdfind"}
_FILTERS = {"grep", "egrep", "head", "tail", "sort", "uniq", "tac"}


def xargs(_: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on what xargs runs, whatever it may be given."""
    at, mark = 0, ""
    while at < len(args) and args[at].text.startswith("-"):
        taken = take(args[at : at + 1], _XARGS)
        wants = taken.unknown == args[at].text and take(args[at : at + 2], _XARGS).unknown is None
        if taken.unknown is not None and not wants:
            unknown = changes(f"xargs {shown(args[at])} is not known to only read")
            return together([unknown, _ran(args[at + 1 :], "", scene, run), _ran(args[at + 2 :], "", scene, run)])
        given = take(args[at : at + 2] if wants else args[at : at + 1], _XARGS).values
        mark = next((value.text for letter, value in given if letter in ("I", "J")), mark)
        at += 2 if wants else 1
    return _ran(args[at:], mark, scene, run)


def _ran(args: list[Arg], mark: str, scene: Scene, run: Run) -> Ruling:
    if not args:
        return READS
    if args[0].text in _SHELLS or (args[0].text in ("eval", "env", "sudo") and len(args) == 1):
        return harms("xargs makes what comes through the pipe part of a command")
    if mark and mark in args[0].text:
        return harms("xargs runs whatever comes through the pipe")
    filled = [arg._replace(text=arg.text.replace(mark, UNKNOWN), known=False) if mark and mark in arg.text else arg for arg in args]
    reader = READERS.get(args[0].text)
    if reader and reader.free and reader.reveals and _lists_files(scene):
        return run.call([arg for arg in filled if arg.text != UNKNOWN], scene)
    more = filled if mark else [*args, _MORE]
    ruling = together([run.call(more, scene), *([] if mark else [_as_given(args, scene, run)])])
    return ruling._replace(writes=(), complete=ruling.level == SAFE)


def _as_given(args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on the words that are there, where they say more than what may come behind them."""
    ruling = run.call(args, scene)
    return ruling if ruling.level == DANGEROUS and len(args) > 1 else READS


def _lists_files(scene: Scene) -> bool:
    """Tell whether what comes through the pipe is a list of files as a search makes it, and nobody's text."""
    if not scene.upstream or not all(isinstance(stage, Simple) and not stage.redirects for stage in scene.upstream):
        return False
    calls = [arguments(stage.words, scene.names) for stage in scene.upstream if isinstance(stage, Simple)]
    if not all(calls) or any(places.is_credential(arg.text, glob=True) for call in calls for arg in call[1:]):
        return False
    if scene.here is None or any(scene.outside(arg.text) for call in calls for arg in call[1:] if arg.text[:1] in "/~.\0" and arg.text):
        return False  # what is outside may hold anything
    source = next((call for call in reversed(calls) if not _filters(call)), calls[0])
    return _lists(source)


def _filters(call: list[Arg]) -> bool:
    name, texts = call[0].text, [arg.text for arg in call[1:]]
    if name in ("grep", "egrep") and any(re.fullmatch(r"-[A-Za-z]*[lLr][A-Za-z]*|--files-with.*|--recursive", text) for text in texts):
        return False  # a source of its own
    return name in _FILTERS and not any(re.match(r"-[A-Za-z]*o|--only", text) for text in texts) and sum(text[:1] != "-" and not text.isdigit() for text in texts) <= (1 if name.endswith("grep") and not any(text[:2] in ("-e", "-f") or text.startswith(("--reg", "--file")) for text in texts) else 0)


def _lists(call: list[Arg]) -> bool:
    name, texts = call[0].text, [arg.text for arg in call[1:]]
    if name in _LISTS:
        told = "-printf" in texts or "-exec" in texts or "-execdir" in texts
        return not told and (name == "find" or not any(re.match(r"-[A-Za-z]*[aAHIuxX]|--(?:all|almost|hidden|no-ignore|exec)", text) for text in texts))
    if name == "git":
        return texts[:1] == ["ls-files"] or (texts[:1] == ["grep"] and any(re.fullmatch(r"-[A-Za-z]*[lL]|--name-only|--files-with.*", text) for text in texts))
    if name in ("rg", "grep", "egrep"):
        return any(re.fullmatch(r"-[A-Za-z]*[lL][A-Za-z]*|--files|--files-with.*", text) for text in texts) and not any(re.match(r"-[A-Za-z]*[.u]|--hidden|--no-ignore", text) for text in texts if name == "rg")
    return False


# --- wrappers -------------------------------------------------------------------------------------------------------

_WRAPPERS: dict[str, tuple[Known, int]] = {
    "timeout": (known("v", "sk", "signal= kill-after= preserve-status foreground verbose"), 1),
    "gtimeout": (known("v", "sk", "signal= kill-after= preserve-status foreground verbose"), 1),
    "nice": (known("", "n", "adjustment=", numeric=True), 0),
    "time": (known("pv"), 0),
    "command": (known("p"), 0),
    "builtin": (known(), 0),
}
# These change more than what they run does, or run it where nobody looks.
_STRICTER: dict[str, tuple[Known, int, str]] = {
    "nohup": (known(), 0, "nohup lets it run on, and writes nohup.out"),
    "exec": (known("cl"), 0, "exec replaces the shell"),
    "ionice": (known("t", "cnpPu"), 0, "ionice is not known to only read"),
    "stdbuf": (known("", "ioe", "input= output= error="), 0, "stdbuf preloads a library"),
    "chronic": (known(), 0, "chronic is not known to only read"),
    "taskset": (known("c", "p"), 1, "taskset is not known to only read"),
    "chrt": (known("bfior"), 1, "chrt is not known to only read"),
    "flock": (known("nxsue", "wcE"), 1, "flock makes a file"),
    "strace": (known("fcttTvyCqrx", "eospPauSE"), 0, "strace controls a process"),
    "ltrace": (known("fcS", "eop"), 0, "ltrace controls a process"),
    "xvfb-run": (known("a", "sn"), 0, "xvfb-run starts a server"),
    "unbuffer": (known("p"), 0, "unbuffer is not known to only read"),
    "catchsegv": (known(), 0, "catchsegv is not known to only read"),
    "caffeinate": (known("disu", "t"), 0, "caffeinate is not known to only read"),
    "dotenv": (known(), 0, "dotenv loads credentials"),
    "proxychains": (known("q"), 0, "proxychains uses the network"),
    "rlwrap": (known(), 0, "rlwrap is not known to only read"),
    "busybox": (known(), 0, "busybox carries another program"),
    "toybox": (known(), 0, "toybox carries another program"),
}
_HIDING = {
    "setsid": "it detaches what it runs from the gate",
    "daemonize": "it detaches what it runs from the gate",
    "disown": "it detaches a process from the gate",
    "tmux": "it runs commands detached from the gate",
    "screen": "it runs commands detached from the gate",
    "watch": "it runs a text as a command, again and again",
    "entr": "it runs a command whenever a file changes",
    "parallel": "it runs a command per argument",
    "script": "it runs a text as a command",
    "expect": "it drives other programs",
    "at": "it runs commands later",
    "batch": "it runs commands later",
    "systemd-run": "it runs commands outside of this session",
    "socat": "it connects anything with anything",
}


def wrapper(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on what a wrapper runs."""
    if name == "command" and args and args[0].text in ("-v", "-V"):
        return READS
    options, skipped, *reason = _WRAPPERS.get(name) or _STRICTER[name]
    taken = take(args, options, permute=False)
    if name == "exec" and any(re.match(r"-[cl]*a", arg.text) for arg in args[:2]):
        return harms("exec -a runs a program under another name")
    if name in ("flock", "script") and any(arg.text in ("-c", "--command") for arg in args):
        return harms(f"{name} -c runs a text as a command")
    rest = taken.operands[skipped:]
    if taken.unknown is not None:
        # Where the options end is not known, so whatever could be the program is looked at.
        tails = [
            run.call(args[place:], scene) for place in range(min(len(args), 6)) if args[place].text[:1] not in ("-", "")
        ]
        return together([changes(f"{name} {taken.unknown} is not known to only read"), *tails])
    inner = run.call(rest, scene) if rest else READS
    if name in ("busybox", "toybox") and inner.level == DESTRUCTIVE:
        return harms(f"{name} carries another program: {inner.reason}")
    return at_least(DESTRUCTIVE, reason[0], inner) if reason else inner


def env(_: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on what env runs with which variables."""
    rulings, at = list[Ruling](), 0
    while at < len(args):
        text = args[at].text
        if text in ("-i", "-", "--ignore-environment", "-0", "--null"):
            at += 1
        elif text in ("-u", "--unset"):
            at += 2
        elif text.startswith(("-S", "--split-string", "-vS", "-iS")):
            inner = (
                " ".join(arg.text for arg in args[at:]).removeprefix("-S").removeprefix("--split-string").lstrip("= ")
            )
            return together([harms("env -S cuts a text into a command"), run.text(inner, scene)])
        elif text.startswith("-"):
            rulings.append(changes(f"env {text} is not known to only read"))
            at += 1
        elif "=" in text:
            name, _, value = text.partition("=")
            rulings.append(variable(name, args[at]._replace(text=value)))
            at += 1
        else:
            break
    if at >= len(args):
        return together([*rulings, harms("env alone tells the whole environment")])
    return together([*rulings, run.call(args[at:], scene)])


# --- variables ------------------------------------------------------------------------------------------------------

_PLAIN_VARIABLES = re.compile(r"LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|FORCE_COLOR|COLUMNS|LINES|GREP_COLORS?|LS_COLORS|TERM|CI|GIT_OPTIONAL_LOCKS|GIT_PAGER_IN_USE|POSIXLY_CORRECT|BLOCKSIZE|BLOCK_SIZE|QUOTING_STYLE|TIME_STYLE|PYTHONDONTWRITEBYTECODE|PYTHONUNBUFFERED|PYTHONIOENCODING")  # fmt: skip
_PAGERS = {"PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "AWS_PAGER", "GH_PAGER", "BAT_PAGER", "DELTA_PAGER"}
_LOWER = re.compile(r"[a-z][a-z0-9_]*")
# what zsh, proxies and bash's history give a meaning
_MEANT = re.compile(r"path|fpath|cdpath|manpath|mailpath|prompt|psvar|argv|status|signals|watch|module_path|fignore|histchars|auto_resume|.*_proxy|.*functions|hooks?|ifs|aliases|dis_.*|commands|options|parameters|history|zsh_.*|precmd|preexec|chpwd|bash_.*|ld_.*")  # fmt: skip
_CHOOSES_CODE = re.compile(
    r"(?:PATH|IFS|ENV|SHELL|SHELLOPTS|BASHOPTS|PS[0-4]|BASH_ENV|BASH_FUNC.*|PROMPT_COMMAND|CDPATH|FPATH|GLOBIGNORE|FIGNORE|HIST\w*"
    r"|EXECIGNORE|TMPDIR|HOME|USER|LD_\w+|DYLD_\w+|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_\w+|GLIBC_\w+|HOSTALIASES|RES_OPTIONS"
    r"|PYTHON\w+|PERL\w*|RUBY\w*|GEM_\w+|BUNDLE_\w+|NODE_\w+|NPM_\w+|npm_config_\w+|YARN_\w+|JAVA_\w+|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|MAVEN_OPTS"
    r"|GRADLE_OPTS|GIT_\w+|SSH_\w+|SUDO_\w+|PAGER|MANPAGER|\w*PAGER|EDITOR|VISUAL|BROWSER|LESS\w*|MORE|TAR_OPTIONS|GZIP|UNZIP|ZIPOPT|RIPGREP_CONFIG_PATH|FZF_\w+"
    r"|AWKPATH|AWKLIBPATH|LUA_\w+|PHPRC|PHP_INI_SCAN_DIR|RUSTC\w*|CARGO_\w+|RUSTUP_\w+|GO\w+|CC|CXX|LD|AR|MAKEFLAGS|MAKEFILES|CFLAGS|CMAKE_\w+|PIP_\w+|UV_\w+|CONDA_\w+|VIRTUAL_ENV"
    r"|DOCKER_\w+|KUBE\w+|HELM_\w+|TF_\w+|AWS_\w+|GOOGLE_\w+|AZURE_\w+|ANSIBLE_\w+|HTTPS?_PROXY|ALL_PROXY|https?_proxy|all_proxy|CURL_\w+|WGETRC|SSL_\w+|OPENSSL_\w+|REQUESTS_\w+"
    r"|XDG_\w+|DISPLAY|DBUS_\w+|TERMINFO\w*|TERMCAP|MANPATH|MANOPT|INFOPATH|INPUTRC|PROMPT|RPS\d|zsh\w*|ZDOTDIR|VIMINIT|EXINIT|MYVIMRC|GNUPGHOME|GPG_\w+|PSQLRC|PGSERVICEFILE|MYSQL_\w+"
    r"|\w*LEDGER\w*|LINETRAIL\w*|\w*ORCHESTRATION\w*|\w*(?:GATE|HOOKS?)(?:_\w+)?|\w*(?:DISABLE|BYPASS|SKIP_HOOKS|NO_VERIFY)\w*|CLAUDE\w*|CODEX\w*|CURSOR\w*|ANTHROPIC\w*|OPENAI\w*|HUSKY\w*|LEFTHOOK\w*|PRE_COMMIT\w*|SKIP)"
)  # fmt: skip
_SECRET_NAME = re.compile(r"TOKEN|SECRET|PASSW|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL|_PAT$|_KEY$|_PWD$|^KEY$|AUTH|COOKIE|DSN$|DATABASE_URL|CONNECTION_STRING|WEBHOOK|(?:MYSQL|REDIS|MONGO|PG)_?\w*(?:URL|URI|PASS)", re.IGNORECASE)  # fmt: skip
_TOLD = {
    "HOME", "PATH", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE",
    "UID", "EUID", "PPID", "RANDOM", "SECONDS", "LINENO", "BASH_VERSION", "BASHPID", "BASH", "ZSH_VERSION", "SHLVL", "COLUMNS", "LINES",
    "TMPDIR", "TZ", "EDITOR", "VISUAL", "PAGER", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYTHONPATH", "GOPATH", "GOROOT",
    "JAVA_HOME", "NVM_DIR", "CARGO_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "DISPLAY", "CI", "EPOCHSECONDS",
    "NODE_ENV", "PIPESTATUS", "FUNCNAME", "REPLY", "IFS", "MANPATH", "LD_LIBRARY_PATH", "COLORTERM", "DIRSTACK", "BASH_SOURCE",
}  # fmt: skip


def variable(name: str, value: Arg) -> Ruling:
    """Rule on setting one variable."""
    if name in _PAGERS and value.known and value.text in ("cat", ""):
        return READS
    if _PLAIN_VARIABLES.fullmatch(name) and value.known and re.fullmatch(r"[\w.@:+=,;*-]*", value.text):
        return READS
    if _CHOOSES_CODE.fullmatch(name):
        return harms(f"{name} decides what other programs run, or what the gate does")
    if _LOWER.fullmatch(name) and not _MEANT.fullmatch(name):
        return READS
    return changes(f"what {name} decides is not known")


def tells(name: str) -> Ruling:
    """Rule on expanding one variable into what a person or a model will read."""
    if _SECRET_NAME.search(name):
        return harms(f"${name} may hold a credential")
    if name in _TOLD or not name[0].isalpha() or _LOWER.fullmatch(name) or name.startswith("LC_"):
        return READS
    return changes(f"what ${name} holds is not known")


def printenv(_: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:  # noqa: ARG001  a runner's signature
    """Rule on printing variables by name; without a name it prints them all."""
    names = [arg for arg in args if not arg.text.startswith("-")]
    if not names:
        return harms("printenv alone tells the whole environment")
    if not all(name.literal for name in names):
        return changes("printenv is told at run time what to print")
    return together(tells(name.text or "_") for name in names)


# --- shells and interpreters ----------------------------------------------------------------------------------------

_SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh", "mksh", "pwsh", "powershell", "rbash", "yash", "elvish", "nu", "xonsh"}  # fmt: skip
_INTERPRETERS = {"python", "pypy", "ipython", "node", "nodejs", "deno", "bun", "perl", "ruby", "irb", "php", "lua", "luajit", "Rscript", "R", "julia", "tclsh", "osascript", "groovy", "scala", "ghci", "swift", "elixir", "erl", "guile", "racket", "sbcl", "octave", "ts-node", "tsx", "m4", "gnuplot", "jshell", "bpython", "raku"}  # fmt: skip
_CODE_OPTIONS = re.compile(r"-[A-Za-z]*[ceErpnB]|--(?:eval|print|execute|run|command)")
_WORSE = re.compile(
    r"rmtree|rm\s+-[a-z]*[rf]|removedirs|\bfork\b|urlopen|urllib|\brequests\b|http\.client|httpx|aiohttp|\bsocket|https?://|ftp://|smtplib|paramiko"
    r"|os\.system|subprocess|popen|pty\.spawn|os\.(?:exec|spawn|kill|setuid|chmod|chown|environ|getenv|putenv)|commands\.get|child_process|execSync|spawnSync|\bspawn\b|execFile"
    r"|\bexec\b\s*[\(\"'`]|\beval\b|\bcompile\s*\(|__import__|importlib|ctypes|marshal|pickle|base64|b64decode|unhexlify|fromhex|codecs|rot13|atob|fromCharCode|chr\s*\("
    r"|process\.env|process\.kill|ENV\[|%ENV|\$ENV|getenv|\bsystem\b|`|\bqx\b|%x|\bfetch\s*\(|XMLHttp|net\.|dns\.|Net::|LWP|IO::Socket|fsockopen|curl_|passthru|shell_exec|proc_open"
    r"|/etc/|/dev/|/proc/|/root|/home|/Users|expanduser|homedir|Path\.home|~/|\.ssh|\.aws|\.env\b|id_rsa|\.netrc|keyring|getpass|settrace|signal\.|os\.kill|unlink\s*<|rimraf|rmSync|rmdirSync|\.\./|do shell script"
)  # fmt: skip


def shell(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on a shell by the text it is given; a text that is not here was not inspected."""
    at = 0
    while at < len(args) and re.fullmatch(r"[-+][A-Za-z]+|--[\w-]+(?:=.*)?", args[at].text):
        text, at = args[at].text, at + 1
        if not text.startswith("--") and "c" in text[1:]:
            while at < len(args) and re.fullmatch(r"[-+][A-Za-z]+", args[at].text):
                at += 1
            if at >= len(args):
                return changes(f"{name} -c without a text")
            if not args[at].known:
                return harms(f"{name} -c runs a text that is built at run time")
            if scene.level > 5:
                return harms("shells are nested too deeply to be inspected")
            inner = run.text(args[at].text, scene._replace(level=scene.level + 1, upstream=()))
            return at_least(DESTRUCTIVE, f"{name} -c runs a text in another shell", inner)._replace(complete=False)
        if text in ("-o", "+o", "--rcfile", "--init-file", "-O"):
            at += 1
        if text in ("--rcfile", "--init-file") or "i" in text[1:] and not text.startswith("--"):
            return harms(f"{name} {text} starts a shell that nobody watches")
        if text == "--version" and len(args) == 1:
            return READS
        if "s" in text[1:] and not text.startswith("--"):
            return harms(f"{name} -s runs what comes through the pipe")
    if at >= len(args) or args[at].text == "-":
        return _piped(name, scene, run)
    operand = args[at]
    if operand.text.startswith(("/dev/", "/proc/")) or operand.text == "-":
        return harms(f"{name} runs what comes through a pipe")
    if not operand.known:
        return harms(f"{name} runs a file that only the running shell knows")
    return _script(name, operand, scene)


def _piped(name: str, scene: Scene, run: Run) -> Ruling:
    if scene.upstream:
        return harms(f"{name} runs what comes through the pipe")
    if scene.stdin is None:
        return changes(f"{name} starts a shell")
    if UNKNOWN in scene.stdin or scene.level > 5:
        return harms(f"{name} runs a text that is built at run time")
    inner = run.text(scene.stdin, scene._replace(level=scene.level + 1, stdin=None))
    return at_least(DESTRUCTIVE, f"{name} runs a text in another shell", inner)._replace(complete=False)


def _script(name: str, operand: Arg, scene: Scene) -> Ruling:
    if places.is_credential(operand.text) or places.is_protected(operand.text):
        return harms(f"{name} runs {shown(operand)}")
    if operand.text.startswith(("/tmp/", "/var/tmp/", "/dev/shm/")):  # noqa: S108  it is where downloads are run from
        return harms(f"{name} runs {shown(operand)}, a file that anyone can write")
    return changes(f"{name} runs {shown(operand)}, which was not inspected")


def interpreter(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:  # noqa: ARG001  a runner's signature
    """Rule on an interpreter: what it runs is not analysed, only looked at for what is worse than a change."""
    texts = [arg.text for arg in args]
    code = [arg for place, arg in enumerate(args) if place and _CODE_OPTIONS.fullmatch(texts[place - 1])]
    code += [arg for arg in args if re.match(r"-[ceE].", arg.text) or re.match(r"--(?:eval|print|execute)=", arg.text)]
    if scene.stdin is not None and not code:
        code.append(Arg(scene.stdin, known=UNKNOWN not in scene.stdin))
    for arg in code:
        if not arg.known:
            return harms(f"{name} runs code that is built at run time")
        if _WORSE.search(arg.text) or places.PROTECTED_TEXT.search(arg.text) or "\0" in arg.text:
            return harms(f"{name} runs code that starts processes, reaches out, or hides what it does")
    if any(re.match(r"https?://|git\+|npm:|jsr:", text) for text in texts):
        return harms(f"{name} runs what it downloads")
    operands = [arg for arg in args if not arg.text.startswith("-")]
    if (
        ("-" in texts and scene.stdin is None)
        or (not operands and not code and scene.upstream)
        or any(t.startswith(("/dev/", "/proc/")) for t in texts)
    ):
        return harms(f"{name} runs what comes through a pipe")
    if name == "osascript":
        return harms("osascript drives other programs")
    if "-i" in texts and not operands and name in ("python", "ipython"):
        return changes(f"{name} starts an interpreter")
    if operands and not code and operands[0].known and not texts[0].startswith("-m"):
        return _script(name, operands[0], scene)
    return changes(f"{name} runs code that was not inspected")


def evaluate(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on the text that eval puts together."""
    if not all(arg.known for arg in args):
        return harms(f"{name} runs a text that is built at run time")
    if scene.level > 5:
        return harms("texts are nested too deeply to be inspected")
    inner = run.text(" ".join(arg.text for arg in args), scene._replace(level=scene.level + 1))
    return at_least(DESTRUCTIVE, f"{name} runs a text", inner)._replace(complete=False)


def source(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:  # noqa: ARG001  a runner's signature
    """Rule on running a file in this shell."""
    if not args:
        return changes(f"{name} without a file")
    if not args[0].known or args[0].text.startswith(("/dev/", "/proc/")):
        return harms(f"{name} runs what only the running shell knows")
    return _script(name, args[0], scene)


def hidden(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:  # noqa: ARG001  a runner's signature
    """Rule on a program that runs others where nobody looks."""
    return harms(f"{name}: {_HIDING[name]}")


RUNNERS: dict[str, Runner] = {
    "find": find,
    "gfind": find,
    "xargs": xargs,
    "gxargs": xargs,
    "env": env,
    "printenv": printenv,
    "eval": evaluate,
    "source": source,
    ".": source,
    **dict.fromkeys([*_WRAPPERS, *_STRICTER], wrapper),
    **dict.fromkeys(_SHELLS, shell),
    **dict.fromkeys(_INTERPRETERS, interpreter),
    **dict.fromkeys(_HIDING, hidden),
}
