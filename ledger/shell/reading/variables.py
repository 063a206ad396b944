"""Variables: which of them choose what runs, and which may hold a credential."""

import re

from linetrail.ledger.shell.reading.ruling import READS, Ruling, changes, harms, together
from linetrail.ledger.shell.reading.syntax import Script, Simple, commands
from linetrail.ledger.shell.reading.values import Arg

# Patterns are compiled when they are first needed: most commands set no variable.
_PLAIN_VARIABLES = re.compile(r"LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|FORCE_COLOR|COLUMNS|LINES|GREP_COLORS?|LS_COLORS|TERM|CI|GIT_OPTIONAL_LOCKS|GIT_PAGER_IN_USE|BLOCKSIZE|BLOCK_SIZE|QUOTING_STYLE|TIME_STYLE|PYTHONDONTWRITEBYTECODE|PYTHONUNBUFFERED|PYTHONIOENCODING")  # fmt: skip
_PAGERS = {"PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "AWS_PAGER", "GH_PAGER", "BAT_PAGER", "DELTA_PAGER"}
_LOWER = re.compile(r"[a-z][a-z0-9_]*")
# what zsh, proxies and bash's history give a meaning
_MEANT = r"path|fpath|cdpath|manpath|mailpath|prompt|psvar|argv|status|signals|watch|module_path|fignore|histchars|auto_resume|.*_proxy|.*functions|hooks?|ifs|aliases|dis_.*|commands|options|parameters|history|zsh_.*|precmd|preexec|chpwd|bash_.*|ld_.*"  # fmt: skip
_CHOOSES_CODE = (
    r"(?:PATH|cdpath|IFS|ENV|SHELL|SHELLOPTS|BASHOPTS|PS[0-4]|BASH_ENV|BASH_FUNC.*|PROMPT_COMMAND|CDPATH|FPATH|GLOBIGNORE|FIGNORE|HIST\w*"
    r"|EXECIGNORE|TMPDIR|HOME|USER|LD_\w+|DYLD_\w+|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_\w+|GLIBC_\w+|HOSTALIASES|RES_OPTIONS"
    r"|PYTHON\w+|PERL\w*|RUBY\w*|GEM_\w+|BUNDLE_\w+|NODE_\w+|NPM_\w+|npm_config_\w+|YARN_\w+|JAVA_\w+|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|MAVEN_OPTS"
    r"|GRADLE_OPTS|GIT_\w+|SSH_\w+|SUDO_\w+|PAGER|MANPAGER|\w*PAGER|EDITOR|VISUAL|BROWSER|LESS\w*|MORE|TAR_OPTIONS|GZIP|UNZIP|ZIPOPT|RIPGREP_CONFIG_PATH|FZF_\w+"
    r"|AWKPATH|AWKLIBPATH|LUA_\w+|PHPRC|PHP_INI_SCAN_DIR|RUSTC\w*|CARGO_\w+|RUSTUP_\w+|GO\w+|CC|CXX|LD|AR|MAKEFLAGS|MAKEFILES|CFLAGS|CMAKE_\w+|PIP_\w+|UV_\w+|CONDA_\w+|VIRTUAL_ENV"
    r"|DOCKER_\w+|KUBE\w+|HELM_\w+|TF_\w+|AWS_\w+|GOOGLE_\w+|AZURE_\w+|ANSIBLE_\w+|HTTPS?_PROXY|ALL_PROXY|https?_proxy|all_proxy|CURL_\w+|WGETRC|SSL_\w+|OPENSSL_\w+|REQUESTS_\w+"
    r"|XDG_\w+|DISPLAY|DBUS_\w+|TERMINFO\w*|TERMCAP|MANPATH|MANOPT|INFOPATH|INPUTRC|PROMPT|RPS\d|zsh\w*|ZDOTDIR|VIMINIT|EXINIT|MYVIMRC|GNUPGHOME|GPG_\w+|PSQLRC|PGSERVICEFILE|MYSQL_\w+"
    r"|\w*LEDGER\w*|LINETRAIL\w*|\w*ORCHESTRATION\w*|\w*(?:GATE|HOOKS?)(?:_\w+)?|\w*(?:DISABLE|BYPASS|SKIP_HOOKS|NO_VERIFY)\w*|CLAUDE\w*|CODEX\w*|CURSOR\w*|ANTHROPIC\w*|OPENAI\w*|HUSKY\w*|LEFTHOOK\w*|PRE_COMMIT\w*|SKIP)"
)  # fmt: skip
_FOLDERS = r"(?:\.?[\w-]+(?:[./-]\w+)*/?|\.|\./[\w/-]+)?(?::(?:\.?[\w-]+(?:[./-]\w+)*/?|\.|\./[\w/-]+)?)*"
_HARMLESS_SETTINGS = (
    r"PYTHON(?:WARNINGS|HASHSEED|UTF8|FAULTHANDLER|DEVMODE|ASYNCIODEBUG|TRACEMALLOC|NOUSERSITE|SAFEPATH)=[\w:.,-]*"
    r"|CARGO_(?:TERM_COLOR|INCREMENTAL|NET_OFFLINE|BUILD_JOBS)=\w*|GO(?:OS|ARCH|111MODULE|MAXPROCS|GC|TRACEBACK)=\w*"
    r"|NODE_OPTIONS=(?: *--(?:max-old-space-size=\d+|experimental-vm-modules|no-warnings|no-deprecation|enable-source-maps))+"
    r"|GIT_(?:SEQUENCE_)?EDITOR=(?:true|:|cat)|MAKEFLAGS=-j\d*|DISPLAY=:\d+|UV_(?:OFFLINE|NO_PROGRESS|FROZEN)=\w*"
)
_CONFIDENTIAL = r"(?i)TOKEN|SECRET|PASSW|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL|_PAT$|_KEY$|_PWD$|^KEY$|AUTH(?!OR)|COOKIE|DSN$|DATABASE_URL|CONNECTION_STRING|WEBHOOK|(?:MYSQL|REDIS|MONGO|PG)_?\w*(?:URL|URI|PASS)"  # fmt: skip
_TOLD = {
    "HOME", "PATH", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE",
    "UID", "EUID", "PPID", "RANDOM", "SECONDS", "LINENO", "BASH_VERSION", "BASHPID", "BASH", "ZSH_VERSION", "SHLVL", "COLUMNS", "LINES",
    "TMPDIR", "TZ", "EDITOR", "VISUAL", "PAGER", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYTHONPATH", "GOPATH", "GOROOT",
    "JAVA_HOME", "NVM_DIR", "CARGO_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "DISPLAY", "CI", "EPOCHSECONDS",
    "NODE_ENV", "PIPESTATUS", "FUNCNAME", "REPLY", "IFS", "MANPATH", "LD_LIBRARY_PATH", "COLORTERM", "DIRSTACK", "BASH_SOURCE",
    "FOO", "BAR", "BAZ", "VAR", "NAME", "FILE", "DIR", "DEBUG", "VERSION", "BRANCH", "HOST", "PORT", "MODE", "COUNT", "INDEX",
}  # fmt: skip


def variable(name: str, value: Arg) -> Ruling:
    """Rule on setting one variable."""
    if name in _PAGERS and value.known and value.text in ("cat", ""):
        return READS
    if name == "TZ" and value.known and re.fullmatch(r"[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_]+){0,2}", value.text):
        return READS
    if name == "GIT_TERMINAL_PROMPT" and value.known and value.text in ("0", "1"):
        return READS
    if name == "NODE_ENV" and value.known and value.text.isalpha():
        return changes("NODE_ENV names a kind of run, and no code")
    if name in ("PYTHONPATH", "NODE_PATH", "RUBYLIB") and value.known and re.fullmatch(_FOLDERS, value.text):
        return changes(f"{name} names folders of the workspace")
    if value.known and re.fullmatch(_HARMLESS_SETTINGS, f"{name}={value.text}"):
        return changes(f"{name} decides how a program works, and not which")
    if _PLAIN_VARIABLES.fullmatch(name) and value.known and re.fullmatch(r"[\w.@:+=,;*-]*", value.text):
        return READS
    if re.fullmatch(_CHOOSES_CODE, name):
        return harms(f"{name} decides what other programs run, or what the gate does")
    if _LOWER.fullmatch(name) and not re.fullmatch(_MEANT, name):
        return READS
    return changes(f"what {name} decides is not known")


def tells(name: str) -> Ruling:
    """Rule on expanding one variable into what a person or a model will read."""
    if re.search(_CONFIDENTIAL, name):
        return harms(f"${name} may hold a credential")
    if name in _TOLD or not name[0].isalpha() or _LOWER.fullmatch(name) or name.startswith("LC_"):
        return READS
    return changes(f"what ${name} holds is not known")


def printenv(args: list[Arg]) -> Ruling:
    """Rule on printing variables by name; without a name it prints them all."""
    names = [arg for arg in args if not arg.text.startswith("-")]
    if not names:
        return harms("printenv alone tells the whole environment")
    if not all(name.literal for name in names):
        return changes("printenv is told at run time what to print")
    return together(tells(name.text or "_") for name in names)


def only_remembers(script: Script, text: str) -> Ruling:
    """Rule on variables that the text sets and does not use: only what comes later in a persistent shell can."""
    for command in commands(script):
        if not isinstance(command, Simple):
            continue
        names = [] if command.words else [assignment.name for assignment in command.assignments]
        words = [word.literal or "" for word in command.words]
        while words[:1] in (["command"], ["builtin"], ["time"], ["-p"], ["--"]):
            words.pop(0)
        if words[:1] == ["read"]:
            names = [word for word in words[1:] if re.fullmatch(r"[A-Za-z_]\w*", word)]
        used = [name for name in names if re.search(rf"\$\{{?[#!]?{name}(?!\w)|\(\([^;]*(?<!\w){name}(?!\w)", text)]
        if names and not used:
            return changes(f"{names[0]} is set for later commands alone")
    return READS
