"""Programs that run what stands behind them: find, xargs, env, timeout and their like."""

import re

from linetrail.ledger.shell.programs.interpreters import (
    INTERPRETERS,
    SHELLS,
    Run,
    Runner,
    evaluate,
    interpreter,
    shell,
    source,
)
from linetrail.ledger.shell.reading.options import Known, take
from linetrail.ledger.shell.reading.ruling import (
    DANGEROUS,
    DESTRUCTIVE,
    READS,
    Ruling,
    at_least,
    changes,
    harms,
    together,
    unknown,
)
from linetrail.ledger.shell.reading.scene import ANYWHERE, Scene
from linetrail.ledger.shell.reading.syntax import Simple
from linetrail.ledger.shell.reading.values import Arg, printenv, tells, variable

# --- wrappers -------------------------------------------------------------------------------------------------------

_WRAPPERS: dict[str, tuple[Known, int]] = {
    "timeout": (Known("v", "sk", "signal= kill-after= preserve-status foreground verbose"), 1),
    "gtimeout": (Known("v", "sk", "signal= kill-after= preserve-status foreground verbose"), 1),
    "nice": (Known("", "n", "adjustment=", numeric=True), 0),
    "time": (Known("pvq", "f", "portability verbose quiet format="), 0),
    "command": (Known("p"), 0),
    "builtin": (Known(), 0),
}
# These change more than what they run does, or run it where nobody looks.
_STRICTER: dict[str, tuple[Known, int, str]] = {
    "nohup": (Known(), 0, "nohup lets it run on, and writes nohup.out"),
    "exec": (Known("cl"), 0, "exec replaces the shell"),
    "ionice": (Known("t", "cnpPu"), 0, "ionice is not known to only read"),
    "stdbuf": (Known("", "ioe", "input= output= error="), 0, "stdbuf preloads a library"),
    "chronic": (Known(), 0, "chronic is not known to only read"),
    "taskset": (Known("c", "p"), 1, "taskset is not known to only read"),
    "chrt": (Known("bfior"), 1, "chrt is not known to only read"),
    "flock": (Known("nxsue", "wcE"), 1, "flock makes a file"),
    "strace": (Known("fcttTvyCqrx", "eospPauSE"), 0, "strace controls a process"),
    "ltrace": (Known("fcS", "eop"), 0, "ltrace controls a process"),
    "xvfb-run": (Known("a", "sn"), 0, "xvfb-run starts a server"),
    "unbuffer": (Known("p"), 0, "unbuffer is not known to only read"),
    "catchsegv": (Known(), 0, "catchsegv is not known to only read"),
    "caffeinate": (Known("disu", "t"), 0, "caffeinate is not known to only read"),
    "proxychains": (Known("q"), 0, "proxychains uses the network"),
    "rlwrap": (Known(), 0, "rlwrap is not known to only read"),
    "rtk": (Known("uv"), 0, "rtk shortens what a command prints, and counts it"),
    "busybox": (Known(), 0, "busybox carries another program"),
    "toybox": (Known(), 0, "toybox carries another program"),
}
_HIDING = {
    **dict.fromkeys(
        ["setarch", "linux64", "linux32", "ld.so", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-linux.so.2"],
        "it runs another program in a way that hides which",
    ),
    "start-stop-daemon": "it detaches what it runs from the gate",
    "setsid": "it detaches what it runs from the gate",
    "daemonize": "it detaches what it runs from the gate",
    "disown": "it detaches a process from the gate",
    "tmux": "it runs commands detached from the gate",
    "screen": "it runs commands detached from the gate",
    "watch": "it runs a text as a command, again and again",
    "entr": "it runs a command whenever a file changes",
    "hyperfine": "it runs each text as a command",
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
    if name in ("strace", "ltrace") and re.search(r"(?:^| )-\w*o ?[/|!~]", " ".join(arg.text for arg in args)):
        return harms(f"{name} writes elsewhere, or runs a program, on what it sees")
    if name in ("flock", "script") and any(arg.text in ("-c", "--command") for arg in args):
        return harms(f"{name} -c runs a text as a command")
    skipped += name == "rtk" and [arg.text for arg in taken.operands[:1]] in (["proxy"], ["test"], ["err"], ["summary"])
    rest = taken.operands[skipped:]
    if taken.unknown is not None:
        # Where the options end is not known, so whatever could be the program is looked at.
        tails = [
            run.call(args[place:], scene) for place in range(min(len(args), 6)) if args[place].text[:1] not in ("-", "")
        ]
        from linetrail.ledger.shell.programs import operands

        held = operands.rule("", args, scene)
        doubt = changes(f"{name} is the project's") if name in scene.own else unknown(name, taken.unknown)
        return together([doubt, held, *tails])
    if name == "time" and rest and re.match(r"[A-Za-z_]\w*=", rest[0].text):
        return env(name, rest, scene, run)  # as the shell reads it, which has a word of this name
    inner = run.call(rest, scene) if rest else READS
    if name in ("busybox", "toybox") and inner.level == DESTRUCTIVE:
        return harms(f"{name} carries another program: {inner.reason}")
    locks = [scene.writes(arg, name) for arg in taken.operands[:1] if name == "flock"]
    logs = [scene.writes(value, name) for letter, value in taken.values if letter == "o" and name.endswith("trace")]
    return together([at_least(DESTRUCTIVE, reason[0], inner), *locks, *logs]) if reason else inner


def env(_: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on what env runs with which variables."""
    rulings, at = list[Ruling](), 0
    while at < len(args):
        text = args[at].text
        if text in ("-i", "-", "--ignore-environment", "-0", "--null"):
            at += 1
        elif text in ("-u", "--unset"):
            at += 2
        elif re.match(r"-C|--ch", text):
            rulings.append(changes("env -C runs it in another folder"))
            alone = text in ("-C", "--chdir")
            folder = args[at + 1 : at + 2] if alone else [args[at]._replace(text=re.sub(r"-C|--ch\w*=?", "", text))]
            scene = scene.standing(scene.entered(folder[0]) if folder else ANYWHERE)
            at += 2 if alone else 1
        elif text.startswith(("-S", "--split-string", "-vS", "-iS")):
            inner = (
                " ".join(arg.text for arg in args[at:]).removeprefix("-S").removeprefix("--split-string").lstrip("= ")
            )
            return together([harms("env -S cuts a text into a command"), run.text(inner, scene)])
        elif text.startswith("-"):
            rulings.append(unknown("env", text))
            at += 1
        elif "=" in text:
            name, _, value = text.partition("=")
            from linetrail.ledger.shell.programs.operands import assigned

            given = args[at]._replace(text=value)
            rulings += [variable(name, given), assigned(name, given, scene)]
            at += 1
        else:
            break
    if at >= len(args):
        sought = _sought(scene)
        told = (
            changes(f"env tells variables with {sought}") if sought else harms("env alone tells the whole environment")
        )
        return together([*rulings, told])
    return together([*rulings, run.call(args[at:], scene)])


def _sought(scene: Scene) -> str | None:
    """Return the plain word that a grep behind env lets through; None where it is not one, or may be a credential."""
    first = scene.downstream[0] if scene.downstream else None
    words = [word.literal for word in first.words] if isinstance(first, Simple) and not first.redirects else []
    if len(words) > 2 and words[1] in ("-i", "-E", "-iE"):
        words.pop(1)
    word = words[1] if len(words) == 2 and words[0] in ("grep", "egrep", "rg") else None
    plain = word is not None and re.fullmatch(r"(?:\^?[A-Za-z]\w+=?)(?:\|\^?[A-Za-z]\w+=?)*", word.replace("\\|", "|"))
    return word if plain and tells((word or "").upper()).level < DANGEROUS else None


def search(name: str, args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on find, and on xargs."""
    from linetrail.ledger.shell.programs import searches

    return (searches.find if name.endswith("find") else searches.xargs)(args, scene, run)


def hidden(name: str, _args: list[Arg], _scene: Scene, _run: Run) -> Ruling:
    """Rule on a program that runs others where nobody looks."""
    return harms(f"{name}: {_HIDING[name]}")


RUNNERS: dict[str, Runner] = {
    **dict.fromkeys(["find", "gfind", "xargs", "gxargs"], search),
    "env": env,
    "printenv": lambda _, args, _scene, _run: printenv(args),
    "eval": evaluate,
    "source": source,
    ".": source,
    **dict.fromkeys([*_WRAPPERS, *_STRICTER], wrapper),
    **dict.fromkeys(SHELLS, shell),
    **dict.fromkeys(INTERPRETERS, interpreter),
    **dict.fromkeys(_HIDING, hidden),
}
