"""Shells and interpreters: a text for a shell is read like any other, code is only looked at for what is worse."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.ruling import DESTRUCTIVE, READS, Ruling, at_least, changes, harms, together
from linetrail.ledger.shell.reading.scene import Scene, shown
from linetrail.ledger.shell.reading.values import UNKNOWN, Arg, Names


class Run(NamedTuple):
    """How to rule on what is run: a program with its arguments, a text for bash or zsh, or one for sh."""

    call: Callable[[list[Arg], Scene], Ruling]
    text: Callable[[str, Scene], Ruling]
    posix: Callable[[str, Scene], Ruling]


Runner = Callable[[str, list[Arg], Scene, Run], Ruling]
SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh", "mksh", "pwsh", "powershell", "rbash", "yash", "elvish", "nu", "xonsh"}  # fmt: skip
_LIKE_BASH, _POSIX = {"bash", "rbash", "zsh"}, {"sh", "dash", "ash", "ksh", "mksh", "yash"}
INTERPRETERS = {"python", "pypy", "ipython", "node", "nodejs", "deno", "bun", "perl", "ruby", "irb", "php", "lua", "luajit", "Rscript", "R", "julia", "tclsh", "osascript", "groovy", "scala", "ghci", "swift", "elixir", "erl", "guile", "racket", "sbcl", "octave", "ts-node", "tsx", "m4", "gnuplot", "jshell", "bpython", "raku"}  # fmt: skip
_CODE_OPTIONS = re.compile(r"-[A-Za-z]*[ceErpnB]|--(?:eval|print|execute|run|command)|eval")
_IN_PLACE = re.compile(r"-[0-9acFlnpswWT]*i[^-]*")
_VALUED = r"-[WXrIi]"
# Code that is glued to its letter, behind letters without a value.
_GLUED_CODE = {
    "python": r"-(?![mWX])[A-Za-z]*?c(.+)",
    "perl": r"-(?![MmIxCDdF])[A-Za-z0-9]*?[eE](.+)",
    "ruby": r"-(?![CEFIKrxT])[A-Za-z0-9]*?e(.+)",
    "php": r"-(?![cdzft])[A-Za-z]*?[rRBE](.+)",
}
# compiled when it is first needed: it is long, and most commands run no code
_WORSE = (
    r"rmtree|rm\s+-[a-z]*[rf]|removedirs|(?<![\w-])fork(?![\w-])|urlopen|urllib|\brequests\b|http\.client|httpx|aiohttp|\bsocket|https?://|ftp://|smtplib|paramiko"
    r"|os\.system|subprocess|popen|pty\.spawn|os\.(?:exec|spawn|kill|setuid|chmod|chown|environ|getenv|putenv)|commands\.get|child_process|execSync|spawnSync|\bspawn\b|execFile"
    r"|\bexec\b\s*[\(\"'`]|\beval\b|\bcompile\s*\(|__import__|importlib|ctypes|marshal|pickle|base64|b64decode|unhexlify|fromhex|codecs|rot13|atob|fromCharCode|chr\s*\("
    r"|process\.env|process\.kill|\bENV\b|%ENV|\$ENV|getenv|\bsystem\b|`|\bqx\b|%x|\bfetch\s*\(|XMLHttp|net\.|dns\.|Net::|LWP|IO::Socket|fsockopen|curl_|passthru|shell_exec|proc_open"
    r"|!!python|\bunsafe_load|Loader\s*=\s*(?:\w+\.)?(?:Unsafe|Full)?Loader\b|yaml\.(?:Unsafe|Full)?Loader\b|(?:file|dict)Config\b|/etc/|/dev/|/proc/|/root|/home|/Users|expanduser|homedir|Path\.home|~/|\.ssh|\.aws|\.env\b|id_rsa|\.netrc|keyring|getpass|settrace|signal\.|os\.kill|unlink\s*<|remove_tree|\bIPC::|\bOpen3\b|array_(?:map|walk)\s*\(|call_user_func|(?:[(,=]|\bread)\s*['\"]\|\s*[a-z./]+\s[^|'\"\n]*['\"]|rimraf|rmSync|rmdirSync|\$\^I\b|\$INPLACE_EDIT|@ARGV\s*=(?!=)|\b(?:push|unshift|splice|local)\b\s*\(?\s*@ARGV|\bset_trace|\bbreakpoint\s*\(|\bcode\.[iI]nteract|\.\./|do shell script|\bopen\b[^;\n]{0,120}?(?:['\"({\[]\s*\|(?!\|)|(?<!\|)\|\s*['\")}\]])"
    # a call by a name that is put together
    r"|(?:\bgetattr\([^,()]*,|\bsend\b\s*\(?)\s*['\"]\w*['\"]\s*[+.]|(?:\[\s*['\"]\w*['\"]\s*\+[^\]\n]*\]|\(\s*['\"]\w*['\"]\s*\.[^)\n]*\))\s*\(|&\$\w+\s*\("
)  # fmt: skip


_ORDER_OF_PERL = r"^\s*(?:[>|]|\+[<>])|\|\s*$"  # perldoc perlop, "I/O Operators"
_SHIFTS = r"\bshift\b|\bset\s+(?:--|[^-+\s])"
_UNREADABLE = "cannot be followed"
# Options of a shell whose value is the next word; letters stand together.
_RUNS_NOTHING = {"--version": 1, "-n": 2}  # with so many words
_SHELL_VALUED = r"[-+][A-Za-z]*[oO]|--(?:rcfile|init-file|emulate)"


def shell(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:  # noqa: C901  one loop over options
    """Rule on a shell by the text it is given; a text that is not here was not inspected."""
    at = 0
    while at < len(args) and re.fullmatch(r"[-+][A-Za-z]+|--(?:[\w-]+(?:=.*)?)?", args[at].text):
        text, at = args[at].text, at + 1
        at += re.fullmatch(_SHELL_VALUED, text) is not None
        if not text.startswith("--") and "c" in text[1:]:
            while at < len(args) and re.fullmatch(r"[-+][A-Za-z]+|--", args[at].text):
                at += 1 + (re.fullmatch(_SHELL_VALUED, args[at].text) is not None)
            if at >= len(args):
                return changes(f"{name} -c without a text")
            if not args[at].known:
                return harms(f"{name} -c runs a text that is built at run time")
            if scene.level > 5:
                return harms("shells are nested too deeply to be inspected")
            inner = _text(name, args[:at], run)(args[at].text, scene._replace(level=scene.level + 1, upstream=()))
            return at_least(DESTRUCTIVE, f"{name} -c runs a text in another shell", inner)._replace(complete=False)
        if text in ("--rcfile", "--init-file") or ("i" in text[1:] and not text.startswith("--")):
            return harms(f"{name} {text} starts a shell that nobody watches")
        if _RUNS_NOTHING.get(text) == len(args):
            return READS if text == "--version" else changes(f"{name} {text} runs nothing")
        if "s" in text[1:] and not text.startswith("--"):
            return harms(f"{name} -s runs what comes through the pipe")
    if at >= len(args) or args[at].text == "-":
        return _piped(name, args, scene, run)
    operand = args[at]
    if operand.text.startswith(("/dev/", "/proc/")) or operand.text == "-":
        return harms(f"{name} runs what comes through a pipe")
    if not operand.known:
        return harms(f"{name} runs a file that only the running shell knows")
    return script(name, operand, args[at + 1 :], scene, run)


def _text(name: str, options: Sequence[Arg], run: Run) -> Callable[[str, Scene], Ruling]:
    """Return how to rule on a text for this shell, told these options."""
    if name in _LIKE_BASH and not any(arg.text.startswith("+") or arg.text.endswith("posix") for arg in options):
        return run.text
    if name in _LIKE_BASH | _POSIX:
        return run.posix
    return lambda _text, _scene: harms(f"{name} reads another language than sh, which nobody follows here")


def _piped(name: str, options: Sequence[Arg], scene: Scene, run: Run) -> Ruling:
    if scene.source and scene.stdin is None:
        return together(script(name, file, (), scene, run) for file in scene.source)
    if scene.upstream:
        return harms(f"{name} runs what comes through the pipe")
    if scene.stdin is None:
        return changes(f"{name} starts a shell")
    if UNKNOWN in scene.stdin or scene.level > 5:
        return harms(f"{name} runs a text that is built at run time")
    inner = _text(name, options, run)(scene.stdin, scene._replace(level=scene.level + 1, stdin=None))
    return at_least(DESTRUCTIVE, f"{name} runs a text in another shell", inner)._replace(complete=False)


def script(name: str, operand: Arg, handed: Sequence[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on a file that is run: what the last commit has not of it is looked at as if it were typed."""
    if places.is_credential(operand.text):
        return harms(f"{name} runs {shown(operand)}")
    paths = _files(operand, scene) if scene.fresh is not None else []
    texts = list(map(scene.fresh or (lambda _path: None), paths))
    if places.is_protected(operand.text) and (not texts or any(text != "" for text in texts)):
        return harms(f"{name} runs {shown(operand)}")
    if None in (texts or [None]) and operand.text.startswith(("/tmp/", "/var/tmp/", "/dev/shm/")):  # noqa: S108  it is where downloads are run from
        return harms(f"{name} runs {shown(operand)}, a file that anyone can write")
    if scene.level > 5:
        return harms("scripts are nested too deeply to be inspected")
    within = scene._replace(level=scene.level + 1, upstream=(), stdin=None, source=())
    looked = [
        _looked(name, text, Arg(path), handed, within, run) for path, text in zip(paths, texts, strict=True) if text
    ]
    return together([changes(f"{name} runs {shown(operand)}, which was not inspected"), *looked])


def program(operand: Arg, handed: Sequence[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on a program of the project by its text, if it is a script; the first line says of which language."""
    heads = [(scene.read or (lambda _path: None))(path) or "\0" for path in _files(operand, scene)]
    told = re.match(r"#!\s*(?:\S*/env\s+(?:-S\s*)?)?(?:\S*/)?([a-z]+)", heads[0]) if heads else None
    language = told[1] if told else "sh"
    if not heads or "\0" in heads[0] or language not in SHELLS | INTERPRETERS:
        return READS
    return script(language, operand, handed, scene, run)


def _files(operand: Arg, scene: Scene) -> list[str]:
    """Return where a file may lie that the project, or anybody, may have written; nothing that only the shell knows."""
    free = scene.is_free(operand.text) or not scene.outside(operand.text)
    return [scene.told(path, operand.text) for path in scene.paths(operand.text)] if operand.known and free else []


def _positional(operand: Arg, handed: Sequence[Arg]) -> Names:
    """Return the variables that hold what a script is given; those behind its last word are empty."""
    words = [*handed, *[Arg("")] * (9 - len(handed))]
    every = list(handed) or [Arg("")]
    return {"0": [operand], "@": every, "*": every, **{str(at): [word] for at, word in enumerate(words[:9], 1)}}


def _looked(name: str, text: str, operand: Arg, handed: Sequence[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on the text of a script: code by the places that it spells, commands as they stand there.

    What lies where anybody writes is held as strictly as what is typed: downloads are run from there.
    """
    strict = scene.is_free(operand.text)
    scene = scene._replace(in_file=not strict)
    if strict and name not in SHELLS | {"source", "."}:
        return interpreter(name, [Arg("-c"), Arg(text)], scene, run)
    if name not in SHELLS | {"source", "."}:
        from linetrail.ledger.shell.programs.code.code import started, targets

        told = [target for target in targets(text) if target and not {"$", "{"} & set(target)]
        written = (scene.writes(Arg(target), shown(operand)) for target in told)
        runs = (run.posix(line, scene)._replace(unseen=None) for line in started(text))
        return together([*written, *runs])
    names = _positional(operand, handed) if not re.search(_SHIFTS, text) else {}
    scene = scene._replace(names=scene.names | names)
    read = run.text if name in ("source", ".") else _text(name, (), run)
    inner = read(text, scene)
    if _UNREADABLE in inner.reason and not strict:  # lines that are new begin anywhere
        lines = (read(line, scene) for line in text.splitlines())
        inner = together(ruling for ruling in lines if _UNREADABLE not in ruling.reason)
    return inner._replace(complete=False, reason=f"{shown(operand)}: {inner.reason}")


def interpreter(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on an interpreter: what it runs is not analysed, only looked at for what is worse than a change."""
    texts = [arg.text for arg in args]
    code = [arg for place, arg in enumerate(args) if place and _CODE_OPTIONS.fullmatch(texts[place - 1])]
    glued = _GLUED_CODE.get(name, r"-[ceE](.+)")
    file = next((at for at, text in enumerate(texts) if not text.startswith("-")), None)
    told = (re.fullmatch(rf"--(?:eval|print|execute)=(.*)|{glued}", arg.text, re.DOTALL) for arg in args)
    code += [arg._replace(text=found[1] or found[2]) for arg, found in zip(args, told, strict=True) if found]
    is_fed = file is None or "-" in texts[:file] or (file and re.fullmatch(_VALUED, texts[file - 1]))
    if scene.stdin is not None and not code and is_fed:
        code.append(Arg(scene.stdin, known=UNKNOWN not in scene.stdin))
    for arg in code:
        if not arg.known:
            return harms(f"{name} runs code that is built at run time")
        # there a backtick runs nothing
        text = (
            arg.text.replace("?.", ".").replace("`", "'") if name in ("python", "pypy", "node", "nodejs") else arg.text
        )
        magic = name == "ipython" and re.search(r"(?m)^\s*[!%]", text)
        if magic or re.search(_WORSE, text) or _is_near_the_gate(name, arg.text) or "\0" in arg.text:
            return harms(f"{name} runs code that starts processes, reaches out, or hides what it does")
    if any(re.match(r"https?://|git\+|npm:|jsr:", text) for text in texts):
        return harms(f"{name} runs what it downloads")
    given = [arg for arg in args if not arg.text.startswith("-")]
    given = given[1:] if name in ("bun", "deno") and texts[:1] == ["run"] else given
    if (
        ("-" in texts and scene.stdin is None)
        or (not given and not code and scene.upstream)
        or any(t.startswith(("/dev/", "/proc/")) for t in texts)
    ):
        return harms(f"{name} runs what comes through a pipe")
    if name == "osascript":
        return harms("osascript drives other programs")
    if name in ("python", "ipython") and any(re.fullmatch(r"-[A-Za-z]*i[A-Za-z]*", text) for text in texts):
        return harms(f"{name} -i goes on with what it is fed") if code or given else changes(f"{name} starts")
    files = given[:1] if given and given[0].known and texts[0][:2] != "-m" else scene.source if is_fed else ()
    if files and not code:
        return together(script(name, ran, given[1:], scene, run) for ran in files)
    from linetrail.ledger.shell.programs.code import code as codes

    what, texts = f"the code of {name}", [arg.text for arg in code]
    looked = [codes.rule(text, what, scene, name) for text in texts]
    looked += [codes.argument(arg, texts, what, scene, name) for arg in given if arg not in code]
    orders = (arg for arg in given if name == "perl" and arg not in code and re.search(_ORDER_OF_PERL, arg.text))
    looked += [harms(f"perl takes {shown(arg)} for an order, not for a name") for arg in orders]
    return together([changes(f"{name} runs code that was not inspected"), *looked, *_edited(name, args, code, scene)])


def _is_near_the_gate(name: str, text: str) -> bool:
    """Return whether code names what the gate protects, and may do more than read."""
    if not re.search(places.PROTECTED_TEXT, text) or "linetrail" in text:
        return "linetrail" in text
    from linetrail.ledger.shell.programs.code.code import reads_all

    return not reads_all(text, name)


def _edited(name: str, args: list[Arg], code: list[Arg], scene: Scene) -> list[Ruling]:
    """Rule on the files that `perl -i` goes through, as it does on those of `sed -i`."""
    if name not in ("perl", "ruby") or not code or not any(_IN_PLACE.fullmatch(arg.text) for arg in args):
        return []
    if any(_IN_PLACE.fullmatch(arg.text) and re.search(r"[*/]", arg.text) for arg in args):
        return [harms(f"{name} -i keeps what was there in another folder")]
    return [scene.writes(arg, f"{name} -i") for arg in args if not arg.text.startswith("-") and arg not in code]


def evaluate(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on the text that eval puts together."""
    if not all(arg.known for arg in args):
        return harms(f"{name} runs a text that is built at run time")
    if scene.level > 5:
        return harms("texts are nested too deeply to be inspected")
    inner = run.text(" ".join(arg.text for arg in args), scene._replace(level=scene.level + 1))
    return at_least(DESTRUCTIVE, f"{name} runs a text", inner)._replace(complete=False)


def source(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on running a file in this shell."""
    if not args:
        return changes(f"{name} without a file")
    if not args[0].known or args[0].text.startswith(("/dev/", "/proc/")):
        return harms(f"{name} runs what only the running shell knows")
    return script(name, args[0], args[1:], scene, run)
