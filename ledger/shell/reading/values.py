"""What the words of a command become before its program sees them, as far as that is known.

Of variables: which of them choose what runs, and which may hold a credential.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.shell.reading.places import TEMPORARY
from linetrail.ledger.shell.reading.ruling import READS, Ruling, changes, harms, together
from linetrail.ledger.shell.reading.syntax import Assignment, Compound, Piece, Script, Simple, Word, commands

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
    r"|GRADLE_OPTS|GIT_\w+|SSH_\w+|SUDO_\w+|\w*(?:PAGER|EDITOR|BROWSER)|VISUAL|LESS\w*|MORE|TAR_OPTIONS|GZIP|UNZIP|ZIPOPT|RIPGREP_CONFIG_PATH|FZF_\w+"
    r"|AWKPATH|AWKLIBPATH|LUA_\w+|PHPRC|PHP_INI_SCAN_DIR|RUSTC\w*|CARGO_\w+|RUSTUP_\w+|GO\w+|CC|CXX|LD|AR|MAKEFLAGS|MAKEFILES|CFLAGS|CMAKE_\w+|PIP_\w+|UV_\w+|CONDA_\w+|VIRTUAL_ENV"
    r"|DOCKER_\w+|KUBE\w+|HELM_\w+|TF_\w+|AWS_\w+|GOOGLE_\w+|AZURE_\w+|ANSIBLE_\w+|HTTPS?_PROXY|ALL_PROXY|https?_proxy|all_proxy|CURL_\w+|WGETRC|SSL_\w+|OPENSSL_\w+|REQUESTS_\w+"
    r"|XDG_\w+|DISPLAY|DBUS_\w+|TERMINFO\w*|TERMCAP|MANPATH|MANOPT|INFOPATH|INPUTRC|PROMPT|RPS\d|zsh\w*|ZDOTDIR|VIMINIT|EXINIT|MYVIMRC|GNUPGHOME|GPG_\w+|PSQLRC|PGSERVICEFILE|MYSQL_\w+"
    r"|\w*LEDGER\w*|LINETRAIL\w*|\w*ORCHESTRATION\w*|\w*(?:GATE|HOOKS?)(?:_\w+)?|\w*(?:DISABLE|BYPASS|SKIP_HOOKS|NO_VERIFY)\w*|CLAUDE\w*|CODEX\w*|CURSOR\w*|ANTHROPIC\w*|OPENAI\w*|HUSKY\w*|LEFTHOOK\w*|PRE_COMMIT\w*|SKIP)"
)  # fmt: skip
# names that end so say what is loaded, whichever program reads them
_LOADS = r"(?:PYTEST|COMPILER|GCC|COVERAGE|\w*LIBRARY)_\w+|\w*(?:PLUGINS?|STARTUP|WRAPPER|LAUNCHER|PRELOAD|_INIT|COMPILER|FLAGS)|\w+RC|NOXFILE|CPATH|\w*NULLCMD|GREP"
_FOLDERS = r"(?:\.?[\w-]+(?:[./-]\w+)*/?|\.|\./[\w/-]+)?(?::(?:\.?[\w-]+(?:[./-]\w+)*/?|\.|\./[\w/-]+)?)*"
_HARMLESS_SETTINGS = (
    r"PYTHON(?:WARNINGS|HASHSEED|UTF8|FAULTHANDLER|DEVMODE|ASYNCIODEBUG|TRACEMALLOC|NOUSERSITE|SAFEPATH)=[\w:.,-]*"
    r"|CARGO_(?:TERM_COLOR|INCREMENTAL|NET_OFFLINE|BUILD_JOBS)=\w*|GO(?:OS|ARCH|111MODULE|MAXPROCS|GC|TRACEBACK)=\w*"
    r"|NODE_OPTIONS=(?: *--(?:max-old-space-size=\d+|experimental-vm-modules|no-warnings|no-deprecation|enable-source-maps))+"
    r"|GIT_(?:SEQUENCE_)?EDITOR=(?:true|:|cat)|MAKEFLAGS=-j\d*|DISPLAY=:\d+|UV_(?:OFFLINE|NO_PROGRESS|FROZEN)=\w*"
    r"|GO(?:CACHE|TMPDIR)=[\w./-]+|\w*LOG_LEVEL=\w+"
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
# Stands in a text for what only the running shell knows.
UNKNOWN = "\0"
# The same where it surely begins with no dash.
SOME_NAME = "./\0"
_MOST, _BRACES = 64, 6
_LONG_RANGE = re.compile(r"\{[^}]*[0-9]{5}[^}]*\.\.|\{[^}]*\.\.[^}]*[0-9]{5}")
STEP = re.compile(r"\s*([a-z_]\w*)\s*(?:\+\+|--|[+-]=\s*[0-9]+)\s*")
# what could make an option of a part
_DASHED = re.compile(r"[-\s*?\[]")
_BLANK = re.compile(r"\s")
_GLOB = re.compile(r"[*?\[]")
# what a shell knows of itself: always a number
_NUMBERS = {"#", "?", "$", "!", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID"}


class Arg(NamedTuple):
    """One word as its program gets it.

    `known` where nothing in it depends on the run; `splits` where it may become several words, or none. `inherited`
    where what is not known was there before the command, which does not set it.
    """

    text: str
    known: bool = True
    glob: bool = False
    splits: bool = False
    quoted: bool = False
    inherited: bool = False

    @property
    def literal(self) -> bool:
        return self.known and not self.glob

    @property
    def loose(self) -> bool:
        """It may become an option that is not seen here, or hold one among the words that it becomes."""
        held = self.text.replace(SOME_NAME, "")
        return self.text[:1] == UNKNOWN or (self.splits and UNKNOWN in held)


# Harmless whichever it is, and yet nobody knows which path it makes: as with a pattern.
_SOME_NUMBER = Arg("1", glob=True)

Names = dict[str, list[Arg] | None]
# Built-ins that assign what they are given, and the name of whatever a word may become.
_ASSIGNING = frozenset(
    (
        "read",
        "printf",
        "print",
        "mapfile",
        "readarray",
        "getopts",
        "let",
        "declare",
        "local",
        "typeset",
        "export",
        "readonly",
        "integer",
        "float",
        "private",
        "unset",
        "set",
        "eval",
        "source",
        ".",
        "wait",
        "vared",
        "zstat",
        "zparseopts",
        "sysread",
        "strftime",
        "shift",
    )
)
_ASSIGN_IF = {"printf": r"-v|\0", "print": r"-\w*v", "set": r"[-+]\w*A", "shift": r"\w+="}
_EVERY = ""
# Where assignments are worked out, and names that the shell sets by itself.
_ARITHMETIC = r"\$\(\(.*?\)\)|\$\[.*?\]|\[\[.*?\]\]|\$\{\w+:[^}]*\}"
_ASSIGNS = r"(?:(?:[-+*/%&|^]|<<|>>)?=(?![=~])|\+\+|--)"
_SET_BY_SHELL = r"REPLY|reply|MAPFILE|OPT(?:ARG|IND)|BASH\w*|M(?:ATCH|BEGIN|END)|match|mbegin|mend|(?:OLD)?PWD|S?RANDOM|SECONDS|LINENO|GROUPS|EPOCH\w+|FUNCNAME|DIRSTACK|dirstack|PIPESTATUS|pipestatus|status|COPROC|HISTCMD|E?UID|PPID|_|argv|ARGC"


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
    loads = re.fullmatch(_LOADS, name) and value.text
    return (harms if loads else changes)(f"what {name} decides is not known, and it may be what is loaded")


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


def arguments(words: Iterable[Word], names: Names) -> list[Arg]:
    """Expand the words as far as they can be known; a variable with several known values gives each of them."""
    return [arg for word in words for arg in expand(word, names)]


def expand(word: Word, names: Names) -> list[Arg]:
    """Expand one word."""
    if _braced(word):
        return _braces(word)
    if len(word.pieces) == 1:
        piece = word.pieces[0]
        if piece.kind == "text":
            return _values(piece, names)
        if not piece.quoted and (parts := _split(piece, names)):
            return parts
    found = [Arg("", quoted=bool(word.pieces) and all(piece.quoted for piece in word.pieces))]
    for place, piece in enumerate(word.pieces):
        values = (
            [Arg(".", glob=not piece.quoted, quoted=piece.quoted)]
            if _stands_here(word, place, names)
            else _values(piece, names)
        )
        found = [_joined(arg, value) for value in values for arg in found]
        if len(found) > _MOST:
            return [Arg(UNKNOWN, known=False, splits=True)]
    return found


def multiplies(word: Word) -> bool:
    """Return whether braces make more words of this one than anybody needs."""
    unquoted = _unquoted(word)
    return unquoted.count("{") > _BRACES or bool(_LONG_RANGE.search(unquoted))


def known_names(script: Script, text: str) -> Names:
    """Collect what each variable can hold that the text itself assigns; None where that is not known.

    The order of the text is not followed: a loop may come back with what a later line assigned.
    """
    names, listed = _worked_out(text), _read_from_lists(script) if "read" in text else {}
    for command in commands(script):
        for redirect in command.redirects:
            if redirect.fd[:1] == "{":
                _add(names, redirect.fd[1:-1], None)
        if isinstance(command, Simple):
            for assignment in command.assignments:
                if command.words:  # it counts for that command alone, whose words are expanded before
                    _add(names, assignment.name, None)
                else:
                    _assign(names, assignment)
            _assigned_by_builtin(names, command, listed.get(command))
        elif command.kind in ("for", "select"):
            _loop(names, command)
        elif command.kind in ("count", "arith"):
            _counted(names, command.name)
    return names


def _read_from_lists(script: Script) -> dict[Simple, str]:
    from linetrail.ledger.shell.reading.listings import listing_read  # few commands read lines

    return dict(listing_read(script))


def _worked_out(text: str) -> Names:
    """Collect the names that expansions and arithmetic may assign."""
    if not re.search(r"\$[{\[]|\(\(|\[\[", text):
        return {}
    names: Names = dict.fromkeys(re.findall(r"\$\{(\w+):?:?=", text))
    for worked in re.finditer(_ARITHMETIC, text, re.DOTALL):
        names |= dict.fromkeys(re.findall(rf"\b([A-Za-z_]\w*){_ASSIGNS}", worked[0]))
        if re.search(rf"\$\{{?\w+\}}?\s*{_ASSIGNS}", worked[0]):
            names[_EVERY] = None
    if re.search(r"\(\(|\$\[|\[\[", text):  # there a value may assign another
        names |= dict.fromkeys(re.findall(r"=['\"]?([A-Za-z_]\w*)=", text))
    return names


def _stands_here(word: Word, place: int, names: Names) -> bool:
    """Return whether this is the folder in which the shell stands, alone or with names below it."""
    piece = word.pieces[place]
    if place or piece.kind != "var" or piece.operator or piece.text != "PWD" or "PWD" in names:
        return False
    return len(word.pieces) == 1 or (word.pieces[1].kind == "text" and word.pieces[1].text.startswith("/"))


def _values(piece: Piece, names: Names) -> list[Arg]:
    if piece.kind in ("text", "ansi"):
        glob = not piece.quoted and bool(_GLOB.search(piece.text))
        return [Arg(piece.text, glob=glob, quoted=piece.quoted)]
    if piece.kind == "var" and (found := _variable(piece, names)):
        return found
    if piece.kind == "arith":
        return [_SOME_NUMBER]
    if piece.kind == "proc":
        return [Arg(TEMPORARY)]
    if piece.kind == "sub" and piece.script and _is_temporary(piece.script):
        return [Arg(TEMPORARY)]
    if piece.kind == "sub" and piece.script:
        from linetrail.ledger.shell.reading.listings import echoed, is_listing

        if piece.quoted and (text := echoed(piece.script)) is not None:
            return [Arg(text, quoted=True)]
        return [Arg(SOME_NAME if is_listing(piece.script) else UNKNOWN, known=False, splits=not piece.quoted)]
    return [Arg(UNKNOWN, known=False, splits=not piece.quoted or piece.text == "@")]


def _variable(piece: Piece, names: Names) -> list[Arg]:
    """Return what a variable may hold; nothing where that is not known at all."""
    values = names.get(piece.text) if _EVERY not in names else None
    if piece.operator:
        is_cut = values and all(map(_is_kept, values)) and not any(_DASHED.search(value.text) for value in values)
        end_alone = is_cut and piece.operator[0] == "%"
        inside = is_cut and re.match(r":\d|#", piece.operator) and all(value.known for value in values or ())
        return [Arg(SOME_NAME, known=False)] if end_alone or inside else []
    if piece.text in names or _EVERY in names:
        return _remembered(values, quoted=piece.quoted)
    if piece.text == "HOME":
        return [Arg("~")]
    if piece.text in _NUMBERS:
        return [_SOME_NUMBER]
    is_named = re.fullmatch(r"[A-Za-z]\w*", piece.text)
    return [Arg(UNKNOWN, known=False, splits=not piece.quoted, inherited=True)] if is_named else []


def _is_temporary(script: Script) -> bool:
    """Return whether a substitution only makes a new file, or folder, where such are kept."""
    stages = script.pipelines[0].stages if len(script.pipelines) == 1 else ()
    command = stages[0] if len(stages) == 1 else None
    if not isinstance(command, Simple) or command.assignments or command.redirects:
        return False
    words = [word.literal for word in command.words]
    return words[:1] == ["mktemp"] and all(word in ("-d", "-u", "-q", "-t") for word in words[1:2]) and len(words) < 3


def _split(piece: Piece, names: Names) -> list[Arg]:
    """Return the words that known values of a variable are cut into; nothing where one is not known, or none is cut."""
    plain = piece.kind == "var" and piece.operator == "" and _EVERY not in names and "IFS" not in names
    values = (names.get(piece.text) if plain else None) or []
    if not all(value.known for value in values) or not any(_BLANK.search(value.text) for value in values):
        return []
    words = [word for value in values for word in value.text.split()][:_MOST]
    return [Arg(word, glob=bool(_GLOB.search(word)), splits=bool(_GLOB.search(word))) for word in words]


def _remembered(values: list[Arg] | None, *, quoted: bool) -> list[Arg]:
    if not values:
        return [Arg(UNKNOWN, known=False, splits=not quoted)]
    if quoted:
        return [value._replace(splits=False) for value in values]
    if any(_BLANK.search(value.text) for value in values):
        return [Arg(UNKNOWN, known=False, splits=True)]
    return [value._replace(splits=value.glob or not value.known) for value in values]


def _joined(left: Arg, right: Arg) -> Arg:
    return Arg(
        left.text + right.text,
        left.known and right.known,
        left.glob or right.glob,
        left.splits or right.splits,
        left.quoted and right.quoted,
        (left.inherited and (right.known or right.inherited)) or (right.inherited and left.known),
    )


def _braced(word: Word) -> bool:
    unquoted = _unquoted(word)
    return "{" in unquoted and ("," in unquoted or ".." in unquoted)


def _unquoted(word: Word) -> str:
    """Return what may be braces of the shell in a word; nothing where no brace is."""
    if "{" not in word.spelled:
        return ""
    return "".join(piece.text for piece in word.pieces if piece.kind == "text" and not piece.quoted)


def _braces(word: Word) -> list[Arg]:
    if any(piece.kind != "text" or piece.quoted for piece in word.pieces):
        return [Arg(UNKNOWN, known=False, splits=True)]
    texts = list(_alternatives("".join(piece.text for piece in word.pieces)))
    if len(texts) >= _MOST:
        return [Arg(UNKNOWN, known=False, splits=True)]
    return [Arg(text, UNKNOWN not in text, glob=bool(_GLOB.search(text)) or ".." in text) for text in texts]


def _alternatives(text: str) -> Iterator[str]:
    waiting, told = [text], 0
    while waiting and told < _MOST:
        text = waiting.pop()
        found = re.search(r"\{([^{}]*)\}", text)
        if not found or not ("," in found[1] or ".." in found[1]):
            told += 1
            yield text
            continue
        if "," not in found[1]:
            told += 1
            yield UNKNOWN if not re.fullmatch(r"[0-9]+\.\.[0-9]+", found[1]) else text
            continue
        parts = [text[: found.start()] + part + text[found.end() :] for part in found[1].split(",")]
        waiting.extend(reversed(parts[:_MOST]))


def _assign(names: Names, assignment: Assignment) -> None:
    values = expand(assignment.value, {})
    plain = assignment.operator == "=" and not assignment.listed and all(map(_is_kept, values))
    if re.fullmatch(_SET_BY_SHELL, assignment.name):
        values.append(Arg(UNKNOWN, known=False))
    # An assignment does not expand globs; whoever uses the variable without quotes does.
    _add(
        names,
        assignment.name,
        [value._replace(glob=value.glob or "*" in value.text) for value in values] if plain else None,
    )


def _is_kept(value: Arg) -> bool:
    """Return whether a variable with this value is worth to be known: it is known, or surely no option."""
    return value.known or value.text == SOME_NAME


def _counted(names: Names, expression: str) -> None:
    """Follow ((i++)) for a variable that holds a number; forget what any other arithmetic assigns."""
    step = STEP.fullmatch(expression)
    if step and names.get(step[1]):
        _add(names, step[1], [_SOME_NUMBER])
    elif re.search(r"(?<![<>=!])=(?!=)|\+\+|--", expression):
        if "$" in expression:
            _add(names, _EVERY, None)
        for name in re.findall(r"[A-Za-z_]\w*", expression):
            _add(names, name, None)


def _loop(names: Names, loop: Compound) -> None:
    values = arguments(loop.words, {})
    _add(names, loop.name, values if values and all(map(_is_kept, values)) else None)


def _assigned_by_builtin(names: Names, command: Simple, listed: str | None) -> None:
    """Forget every name that a built-in may assign: any word could be one, and a word that only the shell knows all of them.

    `listed` is the one that is read from a list of names.
    """
    words = list(command.words)
    while words and words[0].literal in ("builtin", "command", "-p", "--"):
        words.pop(0)
    program = words[0].literal if words else None
    rest, form = words[1:], _ASSIGN_IF.get(program or "", "")
    if program not in _ASSIGNING or (
        form and not any(re.match(form, word.literal or UNKNOWN) for word in rest[: 1 if program == "printf" else 4])
    ):
        return
    for word in rest:
        first = word.literal or (word.pieces[0].text if word.pieces and word.pieces[0].kind == "text" else "")
        told = re.match(r"([A-Za-z_]\w*)([+?=\[]?)(\w*)", first)
        if first[:1] == "-":
            for at in range(1, len(first)):  # a name may be glued to its letter
                _add(names, first[at:], None)
        elif (word.literal is None and not (told and told[2])) or _braced(word):
            _add(names, _EVERY, None)
        elif told and (program != "export" or told[2]):  # what is exported later keeps its value
            for name in filter(None, (told[1], told[3])):  # what it is set to may be another name for it
                _add(names, name, None if name != listed else [Arg(SOME_NAME, known=False)])


def _add(names: Names, name: str, values: Sequence[Arg] | None) -> None:
    before = names.get(name, [])
    names[name] = None if before is None or values is None else [*before, *values][:_MOST]
