"""find and xargs: judged by what they run on what they find."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from linetrail.ledger.shell.programs.interpreters import SHELLS, Run
from linetrail.ledger.shell.programs.readers import reader_of
from linetrail.ledger.shell.programs.sources import changed, changes_what_it_finds, finds_through_links, follows_links
from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.options import Known, take
from linetrail.ledger.shell.reading.ruling import (
    DANGEROUS,
    DESTRUCTIVE,
    READS,
    SAFE,
    Ruling,
    at_least,
    blind,
    changes,
    harms,
    together,
)
from linetrail.ledger.shell.reading.scene import Scene, shown
from linetrail.ledger.shell.reading.syntax import Simple
from linetrail.ledger.shell.reading.values import SOME_NAME, UNKNOWN, Arg, arguments

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
_LEDGER = ("agent_trace.jsonl", "active_intents.yaml", "intent_map.md")
_SETTINGS = ("config.yaml", "config.local.yaml", "settings.json", "settings.local.json")
_FIND_NARROWS = {"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-empty"}


def find(args: list[Arg], scene: Scene, run: Run) -> Ruling:  # noqa: C901  one loop over tests and actions
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
            ruling = _found(args[at:end], arg.text, tests, scene, run)
            if ruling.unseen or changes_what_it_finds(args[at:end]):
                rest = [word for word in args[at:end] if "{}" not in word.text]
                rulings.extend(changed([Arg("find"), *args], ruling, scene))
                ruling = ruling._replace(unseen=run.call(rest, scene).unseen if rest else None)
            rulings.append(ruling)
            if ruling.level > SAFE:
                rulings.extend(_elsewhere(roots or [Arg(".")], args[at:end], tests, scene))
            if follows_links(args[at:end], tests if "-xtype" not in tests else ()):
                rulings.append(blind(f"find {arg.text} changes what links lead to; let it look for -type f alone"))
            at = end + 1
        elif arg.text in _FIND_WRITES and at < len(args):
            rulings.append(scene.writes(args[at], f"find {arg.text}"))
            at += 2 if arg.text == "-fprintf" else 1
        elif arg.text == "-delete":
            rulings.append(_deleted(roots, tests, scene))
            rulings.extend(changed([Arg("find"), *args], rulings[-1], scene))
        else:
            rulings.append(changes(f"find {shown(arg)} is not known to only read"))
    return together(_looked_into(roots, {arg.text for arg in args}, tests, rulings, scene))


def _elsewhere(roots: list[Arg], call: list[Arg], tests: set[str], scene: Scene) -> Iterator[Ruling]:
    """Rule on what is called as a folder that find begins in, with more behind, and on where words go on from there."""
    if _goes_on(call, "{}", is_folder="d" in tests):
        yield blind("find -exec goes on from what it finds to a place that it does not spell")
    ends = {found[1] for arg in call for found in re.finditer(r"\{\}([^/{}\s]+)", arg.text)}
    for end in ends if "f" not in tests else ():
        yield from (scene.writes(root._replace(text=root.text.rstrip("/") + end), "find -exec") for root in roots)


def _goes_on(call: list[Arg], mark: str, *, is_folder: bool) -> bool:
    """Return whether a word leads from what is found to another place: up, or on through what may be a link."""
    ends = [end for arg in call for end in arg.text.split(mark)[1:]]
    return any(".." in end.split("/") or (end[:1] == "/" and not is_folder) for end in ends)


def _looked_into(
    roots: list[Arg], texts: set[str], tests: set[str], rulings: list[Ruling], scene: Scene
) -> list[Ruling]:
    """Rule on where find looks, and for what; `rulings` are those on what it does there."""
    # what a word becomes that goes on as a path is no action
    goes_on = rf"(?s)[^{UNKNOWN}*?\[].*|{UNKNOWN}/.*"
    if any(root.splits or not re.fullmatch(goes_on, root.text) for root in roots):
        rulings.append(changes("find may be given actions by what its roots become"))
    if together(rulings).level > SAFE and any(scene.outside(root.text) for root in roots):
        rulings.append(harms("find works outside of the workspace, and does more than read"))
    if together(rulings).level > SAFE and texts & {"-L", "-follow"}:
        rulings.append(blind("find follows links, which may lead out of the scope"))
    if together(rulings).level > SAFE and any(root.text.rstrip("/") in ("", ".") for root in roots or [Arg(".")]):
        rulings.extend(_reaches_settings(tests))
    sought = next(
        (
            text
            for text in tests
            if (text[:1] not in "-/.~" and places.is_credential(text, glob=True)) or places.is_credential(text)
        ),
        None,
    )
    if sought:
        rulings.append(changes(f"find looks for {sought}, which may hold credentials"))
    reveals = any(text in _FIND_RUNS for text in tests)
    if reveals and (scene.lost or any(scene.outside(root.text) for root in roots)):
        rulings.append(changes("find runs a program on whatever is outside of the workspace"))
    rulings.extend(filter(None, (scene.reads(root, "find") for root in roots)))
    return rulings


def _found(args: list[Arg], action: str, tests: set[str], scene: Scene, run: Run) -> Ruling:
    if not args or args[0].text == "{}":
        return harms(f"find {action} runs whatever it finds")
    named = [
        arg._replace(text=arg.text.replace("{}", "./" + UNKNOWN), known=False) if "{}" in arg.text else arg
        for arg in args
    ]
    if args[0].text in SHELLS and any("{}" in arg.text for arg in args[1:3]) and any(a.text == "-c" for a in args):
        return harms(f"find {action} makes names of files part of a command")
    # Which files these are is as little known as with grep -r; that they are none of credentials, the tests tell.
    ruling = run.call(args if _reveals(args) else named, scene)
    if ruling.level == DESTRUCTIVE and _reveals(args):
        ruling = run.call(named, scene)
    secret = next((text for text in tests if places.is_credential(text, glob=True)), None)
    if secret and ruling.level < DANGEROUS:
        return harms(f"find {action} works on {secret}, which may hold credentials")
    if ruling.level == DESTRUCTIVE:
        ruling = together([ruling, *filter(None, [_spares_the_ledger(tests - {"-name"})])])
    if "dir" in action and ruling.level == DESTRUCTIVE and any(map(_is_relative, args[1:])):
        ruling = together([ruling, blind(f"find {action} writes beside what it finds")])
    if action.startswith("-ok"):
        return at_least(DESTRUCTIVE, f"find {action} is not known to only read", ruling)
    return ruling._replace(complete=ruling.level == SAFE)


def _is_relative(arg: Arg) -> bool:
    return arg.text[:1] not in ("-", "/", "~", "{", "") and re.search(r"[./]", arg.text.replace("{}", "")) is not None


def _reveals(args: list[Arg]) -> bool:
    """Return whether a program reads the files that it is given, whatever they are called, and does nothing else."""
    reader = reader_of(args[0].text)
    return bool(
        reader
        and (reader.free or args[0].text in ("sort", "diff", "rg", "file"))
        and not any("{}" in a.text and a.text != "{}" for a in args)
    )


def _deleted(roots: list[Arg], tests: set[str], scene: Scene) -> Ruling:
    for root in roots:
        if not root.literal or scene.outside(root.text) or places.is_protected(root.text):
            return harms(f"find deletes below {shown(root)}")
    if not tests & _FIND_NARROWS:
        return harms("find deletes everything it finds")
    return _spares_the_ledger(tests) or changes("find deletes files")


def _reaches_settings(tests: set[str]) -> Iterator[Ruling]:
    """Return whether a name that is looked for from the root is one of the files that the gate goes by."""
    named = next((own for own in _SETTINGS if any(fnmatchcase(own, test) for test in tests if test != "*")), None)
    if named:
        yield harms(f"find changes what is called {named}, as the gate's own files are")


def _spares_the_ledger(tests: set[str]) -> Ruling | None:
    """Say that a test names what the gate protects; None where it does not."""
    if tests & {"-not", "!", "-prune"}:
        return None  # then the name may be what is left out
    named = next((t for t in tests if places.is_protected(t) or any(fnmatchcase(own, t) for own in _LEDGER)), None)
    return harms(f"find changes what is called {named}, which is the ledger's or the gate's") if named else None


# --- xargs ----------------------------------------------------------------------------------------------------------

_XARGS = Known(
    "0rtxp",
    "nPLsdEIJR",
    "null no-run-if-empty max-args= max-procs= max-lines? max-chars= delimiter= verbose exit replace? arg-file=_",
)
_LISTS = {"find", "ls", "fd", "fdfind"}
# What they print was not found behind a link, or is spelled in the command.
_NO_LINKS = {"grep", "rg", "echo", "printf"}
_NOBODY = [Arg("cat")]
# They list files, and no folders.
_FILES = {"git", "grep", "rg", "fd", "fdfind"}
_FILTERS = {"grep", "egrep", "head", "tail", "sort", "uniq", "tac"}


def xargs(args: list[Arg], scene: Scene, run: Run) -> Ruling:
    """Rule on what xargs runs, whatever it may be given."""
    at, mark = 0, ""
    while at < len(args) and args[at].text.startswith("-"):
        taken = take(args[at : at + 1], _XARGS)
        wants = taken.unknown == args[at].text and take(args[at : at + 2], _XARGS).unknown is None
        if taken.unknown is not None and not wants:
            unknown = blind(f"xargs {shown(args[at])} is not known, so what it is given is not either")
            return together([unknown, _ran(args[at + 1 :], "", scene, run), _ran(args[at + 2 :], "", scene, run)])
        given = take(args[at : at + 2] if wants else args[at : at + 1], _XARGS).values
        if any(letter in ("d", "E", "delimiter") for letter, _ in given):
            scene = scene._replace(upstream=(), stdin=UNKNOWN)
        mark = next((value.text for letter, value in given if letter in ("I", "J")), mark)
        at += 2 if wants else 1
    return _ran(args[at:], mark, scene, run)


def _ran(args: list[Arg], mark: str, scene: Scene, run: Run) -> Ruling:
    if not args:
        return READS
    if args[0].text in SHELLS or (args[0].text in ("eval", "env", "sudo") and len(args) == 1):
        return harms("xargs makes what comes through the pipe part of a command")
    if mark and mark in args[0].text:
        return harms("xargs runs whatever comes through the pipe")
    from linetrail.ledger.shell.reading.listings import tells_names

    more = SOME_NAME if tells_names(scene.upstream) else UNKNOWN
    filled = [
        arg._replace(text=arg.text.replace(mark, more), known=False) if mark and mark in arg.text else arg
        for arg in args
    ]
    reader = reader_of(args[0].text)
    if reader and reader.free and reader.reveals and _lists_files(scene):
        return run.call([arg for arg in filled if arg.text != more], scene)
    if scene.stdin is not None and not scene.upstream and not set("'\"\\\0") & set(scene.stdin):
        handed = [Arg(word) for word in scene.stdin.split()]
        each = [one._replace(text=one.text.replace(more, word.text), known=True) for word in handed for one in filled]
        return together([changes("xargs runs a program"), run.call(each if mark else [*args, *handed], scene)])
    given = filled if mark else [*args, Arg(more, known=False, splits=True)]
    alone = [] if mark else [run.call(args, scene)]  # it may be given nothing
    ruling = together([run.call(given, scene), *alone])
    if ruling.level == DESTRUCTIVE and _lists_what_is_not_ours(scene):
        return harms(f"xargs runs {shown(args[0])} on what lies outside of the workspace, or belongs to the gate")
    fed = list[Ruling]()
    if (ruling.unseen or changes_what_it_finds(args)) and _is_known(_source(scene)):
        fed = changed(_source(scene), ruling, scene)
        ruling = ruling._replace(unseen=run.call(args, scene).unseen)
    if ruling.level > SAFE and (
        finds_through_links(_source(scene)) or [arg.text for arg in args[:2]] == ["git", "checkout"]
    ):
        fed.append(blind("xargs changes what a search finds through links, or a branch"))
    if follows_links(args, ["f" if _source(scene)[0].text in _NO_LINKS else "", *(a.text for a in _source(scene))]):
        fed.append(blind("xargs changes what links lead to"))
    fed += _led_on(args, mark, [arg.text for arg in _source(scene)]) if ruling.level > SAFE else []
    return together([ruling._replace(complete=ruling.level == SAFE), *fed])


def _led_on(call: list[Arg], mark: str, source: list[str]) -> Iterator[Ruling]:
    """Rule on words that lead from what xargs is given to another place, or to one beside a folder."""
    beside = any(re.match(r"[^/\s]", end) for arg in call for end in arg.text.split(mark or "\0")[1:])
    lists_files = source[0] in _FILES or "f" in source
    is_folder = source[0] != "find" or "d" in source
    if (beside and not lists_files) or _goes_on(call, mark or "\0", is_folder=is_folder):
        yield blind("xargs goes on from what it is given to a place that nobody spells")


def _is_known(call: list[Arg]) -> bool:
    """Return whether a call prints paths that it was told, or has found below those, and nothing else."""
    texts = [arg.text for arg in call[1:]]
    if call[0].text in ("echo", "printf"):
        words = texts[1:] if call[0].text == "printf" and texts[:1] in (["%s\\n"], ["%s\\0"]) else texts
        plain = not any(set("%\\'\"") & set(word) or word[:1] == "-" for word in words)
        return plain and all(arg.literal for arg in call)
    return _lists(call)


def _source(scene: Scene) -> list[Arg]:
    """Return the call that makes the list in front of a pipe; where nobody knows it, one that prints anything."""
    calls = [arguments(stage.words, scene.names) for stage in scene.upstream if isinstance(stage, Simple)]
    known_calls = [call for call in calls if call]
    simple = len(calls) == len(scene.upstream)
    return next((call for call in reversed(known_calls) if not _filters(call)), _NOBODY) if simple else _NOBODY


def _lists_files(scene: Scene) -> bool:
    """Return whether what comes through the pipe is a list of files as a search makes it, and nobody's text."""
    if not scene.upstream or not all(isinstance(stage, Simple) and not stage.redirects for stage in scene.upstream):
        return False
    calls = [arguments(stage.words, scene.names) for stage in scene.upstream if isinstance(stage, Simple)]
    if not all(calls) or any(places.is_credential(arg.text, glob=True) for call in calls for arg in call[1:]):
        return False
    if scene.lost or any(
        scene.outside(arg.text) for call in calls for arg in call[1:] if arg.text[:1] in "/~.\0" and arg.text
    ):
        return False  # what is outside may hold anything
    source = next((call for call in reversed(calls) if not _filters(call)), calls[0])
    return _lists(source)


def _lists_what_is_not_ours(scene: Scene) -> bool:
    calls = [arguments(stage.words, scene.names) for stage in scene.upstream if isinstance(stage, Simple)]
    return any(
        call
        and call[0].text in _LISTS | {"echo", "printf"}
        and (scene.outside(arg.text) or places.is_protected(arg.text))
        for call in calls
        for arg in call[1:]
        if arg.known
    )


def _filters(call: list[Arg]) -> bool:
    name, texts = call[0].text, [arg.text for arg in call[1:]]
    if name in ("grep", "egrep") and any(
        re.fullmatch(r"-[A-Za-z]*[lLr][A-Za-z]*|--files-with.*|--recursive", text) for text in texts
    ):
        return False  # a source of its own
    return (
        name in _FILTERS
        and not any(re.match(r"-[A-Za-z]*o|--only", text) for text in texts)
        and sum(text[:1] != "-" and not text.isdigit() for text in texts)
        <= (
            1
            if name.endswith("grep")
            and not any(text[:2] in ("-e", "-f") or text.startswith(("--reg", "--file")) for text in texts)
            else 0
        )
    )


def _lists(call: list[Arg]) -> bool:
    name, texts = call[0].text, [arg.text for arg in call[1:]]
    if name in _LISTS:
        told = "-printf" in texts or "-exec" in texts or "-execdir" in texts
        return not told and (
            name == "find"
            or not any(re.match(r"-[A-Za-z]*[aAHIuxX]|--(?:all|almost|hidden|no-ignore|exec)", text) for text in texts)
        )
    if name == "git":
        return texts[:1] == ["ls-files"] or (
            texts[:1] == ["grep"]
            and any(re.fullmatch(r"-[A-Za-z]*[lL]|--name-only|--files-with.*", text) for text in texts)
        )
    if name in ("rg", "grep", "egrep"):
        return any(re.fullmatch(r"-[A-Za-z]*[lL][A-Za-z]*|--files|--files-with.*", text) for text in texts) and not any(
            re.match(r"-[A-Za-z]*[.u]|--hidden|--no-ignore", text) for text in texts if name == "rg"
        )
    return False
