"""The words of a call that may be paths: whoever does not provably read has each of them held against the scope.

Writers are not listed, readers are (`listed.py`). Whether a word is a path only the disk knows, so this names them all, in
every spelling: alone, behind an option, glued to its letter or its `=`, inside of a script or of code.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from linetrail.ledger.shell.programs import listed, made
from linetrail.ledger.shell.programs.listed import Row, row_of
from linetrail.ledger.shell.programs.names import FILE, is_spelled, named, placed
from linetrail.ledger.shell.programs.readers import READERS, reader_of
from linetrail.ledger.shell.programs.verbs import (
    BEGINNING,
    COMPILERS,
    EDITING,
    GIT_READS,
    HANDING_ON,
    MAKING,
    NOT_BEGINNING,
)
from linetrail.ledger.shell.reading.options import Known, take
from linetrail.ledger.shell.reading.ruling import Ruling, together, unknown
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.values import UNKNOWN, Arg

_UNLISTED, _READING = Row(operands="write"), Row()
_PREFIXES = {
    "split": (
        Known("deuvx", "abClnt", "suffix-length= bytes= line-bytes= lines= number= numeric-suffixes? verbose"),
        "aa",
    ),
    "csplit": (Known("ksz", "bfn", "suffix-format= prefix= digits= keep-files quiet silent elide-empty-files"), "00"),
}
# None has an option that writes or runs anything.
_FREE = {"apply_patch", "applypatch"}
# Programs that go through folders, and through links in them.
_WALKING = {"gzip", "bzip2", "xz", "zstd", "zip"}
_ARCHIVERS = {"tar", "gtar", "bsdtar"}
# What an option of a compiler hands on to another program; some of it is a file that this writes.
_HANDED_ON, _HANDED = r"-W[alp],|-X(?:linker|assembler|preprocessor)$", r"[^-/,=][^,=]*"
_TAR_NAMES = {"index-file": "g", "listed-incremental": "g", "volno-file": "g", "create": "c", "append": "r", "update": "u", "catenate": "r", "concatenate": "r", "delete": "r", "extract": "x", "get": "x", "file": "f", "directory": "C"}  # fmt: skip
_VERBS = {"check", "format", "lint", "ci", "fix", "run", "fmt", "test"}
# Variables with options of a program, and those with a file or folder that it writes.
_OPTIONS_IN = r"[A-Z_]*(?:OPTS|OPTIONS|ARGS|FLAGS)"
_OUTPUT_IN = r"[A-Z_]*(?:OUT|OUTPUT|LOG|CACHE|COVERAGE|REPORT|RESULTS?|DUMP|TRACE|PROFILE|TAPE|DEPENDENCIES|TE?MP|TEMPORARY|RAND)(?:_?(?:FILE|DIR|PATH|FOLDER))?|O|(?:BUILD|DIST|DEST|TARGET|PREFIX)(?:_?DIR)?"
# Programs that are told variables among their words.
_SETTING, _SET = {"make", "gmake", "just", "task"}, re.compile(r"(\w+)[:+?]*=(.*)")
# Variables of make's own rules that say where, and with what, these work; and options that do no harm in the others.
_OF_RULES = re.compile(r"[\w%]*\.[\w.]+|VPATH")
_RUN_BY_MAKE = re.compile(r"^[^\s=]+!=|\$[({](?:shell|file|eval|guile|load)\b")
_TOLD_BY_RULES = re.compile(r"(?:C|CPP|CXX|LD|AS|F|L|Y|AR)FLAGS|LDLIBS|TARGET_ARCH")
_HARMLESS = re.compile(
    r"(?:-(?:O\w?|g\w*|W(?!p,|l,|a,)[\w=-]+|std=[\w+]+|D\w+(?:=\w+)?|I[\w./]+|l\w+|f\w+|pthread|pipe)\s*)*"
)
# Variables with what a program reads or runs.
_INPUT_IN = r"TZ|\w*(?:CONFIG|ENV|RC|CREDENTIALS|KEY|CERT)_(?:FILE|DIR)|(?:JAVA|ANDROID|MAVEN|SPARK|HADOOP)_HOME|\w*(?:PATH|BIN|BINARY|CONFIG|ROOT|SRC|SOURCE|INPUT|FIXTURES?|TEMPLATES?|ENV|URL|URI)"
# What stands in the name of a variable that names a file or a folder, and may be the name of one alone.
_PLACES = r"DIR|FILE|CACHE|HIST|STORAGE|REPORT|TRACE|HOME|TEMP|TMP|DUMP|JUNIT|PREFIX|FOLDER"
# What a setting says that is no name of a file.
_COMMON_WORDS = r"-?\d[\d.,:]*[a-zA-Z%]?|true|false|yes|no|on|off|none|auto|all|(?:test|dev|prod)\w*|local|staging|debug|info|warn(?:ing)?|error|trace|full|verbose|always|never|force|utf-?8"
# Options with a file that is written, whatever program it is.
_OUTPUTS = r"-o|--?(?:out|output|log|report|trace|dump|profile)(?:-?(?:file|dir|directory|path))?|--dest(?:ination)?|--tee|--?[a-z]+[a-z_-]*[-_](?:file|output|out|to|log|dump)"
_NAME = r"[a-z]{6,}"  # behind one dash, and no letters that stand together
_CUTS = r"[=:,;@? \t\n]+"


def rule(name: str, args: Sequence[Arg], scene: Scene) -> Ruling:
    """Rule on the words that a call may write, as paths that nobody has looked at yet."""
    if (reader := reader_of(name)) and reader.free:
        args = [arg for arg in args if arg.known]  # whatever the others become, it reads
    found = [(arg, False) for arg in _found(name, args)]
    meant, rest = _meant(name, args)
    use = _row(meant)
    operands = use.operands
    if operands in ("word", "script"):
        found += [(arg, True) for arg in args if arg.text[:1] != "-" and arg.known and not is_spelled(arg)]
    texts = [arg.text for arg in args if re.search("['\"`]", arg.text)] if operands in ("write", "base") else ()
    given = (named(arg, name, scene, only_files=bare) for arg, bare in found)
    set_ = [_SET.fullmatch(arg.text) for arg in args] if name in _SETTING else []
    told = (assigned(found[1], Arg(found[2]), scene) for found in set_ if found)
    makes = made.rulings(meant, [arg.text for arg in rest], scene)
    rules = (unknown(name, arg.text) for arg in args if name in ("make", "gmake") and _changes_rules(arg.text))
    return together([*given, *told, *rules, *makes, *_coded(texts, meant, scene), *_unlisted(name, meant, rest, scene)])


def _changes_rules(text: str) -> bool:
    """Return whether a word sets a variable by which make's own rules may write elsewhere, or by what it runs."""
    if _RUN_BY_MAKE.search(text):
        return True
    name, equals, value = text.partition("=")
    name = name.rstrip(":+?")
    is_told = _TOLD_BY_RULES.fullmatch(name) and not _HARMLESS.fullmatch(value)
    return equals != "" and bool(_OF_RULES.fullmatch(name) or is_told)


def _unlisted(name: str, meant: str, args: Sequence[Arg], scene: Scene) -> Iterator[Ruling]:
    """Rule on what stands in a call of a known program and in no row of it."""
    reader = reader_of(meant)
    reading = reader.options if reader else None
    is_free = meant in _FREE
    if meant == "git" and args:
        from linetrail.ledger.shell.programs.git.options import PRINTING
        from linetrail.ledger.shell.programs.git.options import READERS as GIT_READERS

        is_free = args[0].text in PRINTING
        reading, meant, args = GIT_READERS.get(args[0].text), f"git-{args[0].text}", args[1:]
    if is_free:
        args = [arg for arg in args if not arg.loose]  # none of its options does any harm
    if scene.own.isdisjoint((name, meant)) and (reading or listed.is_known(meant)):
        word = listed.unlisted(meant, args, reading)
        if word is not None and not (meant in ("pnpm", "yarn", "bun") and made.is_script(word, scene)):
            yield unknown(meant.removeprefix("-m "), word.replace(UNKNOWN, "…"))


def _row(name: str) -> Row:
    """Return what a program is known for; one that reads needs no row for that."""
    return row_of(name) or (_READING if name in READERS else _UNLISTED)


def _coded(texts: Sequence[str], name: str, scene: Scene) -> Iterator[Ruling]:
    if texts:
        from linetrail.ledger.shell.programs.code import code

        yield from (code.rule(text, f"what {name} is given", scene, name) for text in texts)


def assigned(name: str, value: Arg, scene: Scene, *, told: bool = True) -> Ruling:
    """Rule on a variable that may tell a program where to write, or with which options it runs.

    `told`: a program is told it; else the shell alone may know it, and the name decides.
    """
    if not told and not (re.fullmatch(_OPTIONS_IN, name) or re.fullmatch(_OUTPUT_IN, name)):
        return together(())
    if re.fullmatch(_OPTIONS_IN, name) or value.text[:1] == "-":
        words = [value._replace(text=text) for text in value.text.split()]
        settings = [word._replace(text=word.text.partition("=")[2]) for word in words]
        found = [*_given("", words), *map(_said, settings)]
    elif re.fullmatch(_OUTPUT_IN, name) or "OUTPUT" in name:
        found = [_said(part) for part in _outputs(value)]
    else:
        is_place = re.search(_PLACES, name) or value.text[:6] == "sqlite"
        found = [_said(value) if is_place else value] if is_place or is_spelled(value) else []
        found = [] if re.fullmatch(_INPUT_IN, name) and value.text[:6] != "sqlite" else found
    return together(named(arg, name, scene) for arg in found if arg.known and arg.text)


def _said(value: Arg) -> Arg:
    """Return the value of a variable as what it would be where it names a file; nothing where it is a common word."""
    text = re.sub(r"^sqlite\w*:/{2,3}(?=[^/])", "./", value.text)
    return value._replace(text="") if re.fullmatch(_COMMON_WORDS, text) else placed(value._replace(text=text))


def _found(name: str, args: Sequence[Arg]) -> Iterator[Arg]:
    name, args = _meant(name, args)
    args = args[_making_verb(name, [arg.text for arg in args]) :]
    texts = [arg.text for arg in args]
    if name in _ARCHIVERS:
        yield from _archived(args)
    elif texts[:1] and (texts[0] in MAKING.get(name, ()) or _begins(name, texts)):
        if _begins(name, texts) and (texts[0] == "init" or all(text[:1] == "-" for text in texts[1:])):
            yield Arg(f"./{name}.{texts[0]}")
        if name == "git" and all(text[:1] == "-" for text in texts[1:]):
            yield Arg(".")
        use = _row(name)
        for before, arg in pairwise(args):
            named_so = use.inputs if is_spelled(arg) else use.inputs | use.choices
            if before.text[:1] == "-" and _option(before.text) in named_so:
                continue
            yield from _parts(arg if arg.text[:1] in ("-", "/", ".", "~") else arg._replace(text=f"./{arg.text}"))
    else:
        yield from _unnamed(name, texts, args)
        yield from _given(name, args)


def _making_verb(name: str, texts: Sequence[str]) -> int:
    """Return where a verb that makes stands behind options of its program, and their values; else the beginning."""
    verb = next((at for at, text in enumerate(texts) if text in MAKING.get(name, ())), 0)
    options = all(text[:1] in ("-", "+") or before[:1] == "-" for before, text in pairwise(["", *texts[:verb]]))
    return verb if options else 0


def _begins(name: str, texts: Sequence[str]) -> bool:
    return texts[0] in BEGINNING and name not in NOT_BEGINNING


def _meant(name: str, args: Sequence[Arg]) -> tuple[str, Sequence[Arg]]:
    """Return the program that is meant: a module of Python, git behind its own options, sed that writes what it reads."""
    texts = [arg.text for arg in args]
    if name in ("python", "pypy") and "-m" in texts[:4] and texts[-1] != "-m":
        place = texts.index("-m") + 1
        module = texts[place].partition(".")[0]
        return f"-m {module}" if listed.is_known(f"-m {module}") else module, args[place + 1 :]
    if name == "git":
        from linetrail.ledger.shell.programs.git import git

        return name, git.arguments(args)[1]
    if name == "cmake" and texts[:1] == ["-E"]:
        return "cmake -E", args[2:]
    if name in ("sed", "gsed"):
        from linetrail.ledger.shell.programs import sed

        return ("", sed.without_scripts(args)) if any(map(sed.edits_in_place, texts)) else (name, args)
    return name, args


def _given(name: str, args: Sequence[Arg]) -> Iterator[Arg]:
    use = _use(name, args)
    operands, args, default = _treatment(name, args, use)
    at, ended = 0, False
    while at < len(args):
        arg, at = args[at], at + 1
        text = arg.text
        if text == "--" and not ended:
            ended = name not in HANDING_ON
            use = use if ended else row_of("--") or use
        elif ended or text[:1] not in ("-", "+") or len(text) < 2:
            default = ""
            yield from _operand(arg, operands)
            operands = {"first": "made", "only": "read", "base": "write", "script": "word"}.get(operands, operands)
        else:
            role, glued = _role(arg, use, held=operands == "write")
            behind = args[at] if at < len(args) and args[at].text[:1] != "-" else None
            value = behind if glued is None else arg._replace(text=glued)
            if value is not None and re.search({"--config": "[={]", "-c": "^{"}.get(text, "$^"), value.text):
                role, value = (
                    "output",
                    value._replace(text=re.sub(r"[\"{}\[\]]", " ", value.text)),
                )  # a setting, no file
            is_output = role == "output" or re.fullmatch(_OUTPUTS, text.partition("=")[0]) is not None
            if value is None or role == "input" or (role == "alone" and not (is_output and not use.inputs)):
                at += role == "input" and value is behind is not None
                continue
            # what is not listed as an output may be the first operand
            is_listed = role == "word" or _is(_option(text), use.outputs)
            at += glued is None and (is_listed or operands != "first" or text[1:2] != "-")
            yield from _operand(value, role) if role == "word" else _outputs(value) if is_output else _parts(value)
            if role == "glued":
                # how many letters stand in front of the value only the program knows
                yield from (arg._replace(text=text[start:]) for start in range(3, text.find("/")))
    if default:
        yield Arg(default)


def _unnamed(name: str, texts: Sequence[str], args: Sequence[Arg]) -> Iterator[Arg]:
    """Yield what a program writes that is given no name for it, in the folder where it runs."""
    if name in _PREFIXES:
        yield from _pieces(name, args)
    walks = "m" if name == "zip" else "r"  # zip takes away what it packs only with -m
    if name in _WALKING and any(re.match(rf"-[a-zA-Z]*{walks}|--recur", text) for text in texts):
        yield from (arg._replace(text=f"{arg.text.rstrip('/')}/*", glob=True) for arg in args if arg.text[:1] != "-")
    if name in COMPILERS:
        handed = [
            text for at, text in enumerate(texts) if re.match(_HANDED_ON, text) or (at and texts[at - 1][:2] == "-X")
        ]
        parts = (part for text in handed for part in re.split("[,=]", text))
        yield from (placed(Arg(part)) for part in parts if re.fullmatch(_HANDED, part))
    if name == "git" and texts[:1] == ["config"]:
        told = [args[at + 1] for at, text in enumerate(texts[:-1]) if text in ("-f", "--file")]
        yield from map(placed, told)


def _pieces(name: str, args: Sequence[Arg]) -> Iterator[Arg]:
    """Yield the first file that split or csplit makes."""
    options, end = _PREFIXES[name]
    taken = take(args, options)
    given = [value for letter, value in taken.values if letter in ("f", "prefix")] or (
        taken.operands[1:2] if name == "split" else []
    )
    if name == "csplit" and any(
        "/" in value.text for letter, value in taken.values if letter in ("b", "suffix-format")
    ):
        yield Arg(".")
    prefix = given[0] if given else Arg("x" if name == "split" else "xx")
    yield prefix._replace(text=f"{prefix.text if '/' in prefix.text else './' + prefix.text}{end}")


def _archived(args: Sequence[Arg]) -> Iterator[Arg]:
    """Yield the archive that tar makes, or the folder that it unpacks into."""
    mode, valued, at = "", list[tuple[str, Arg]](), 0
    while at < len(args):
        arg, at = args[at], at + 1
        text = arg.text
        option, _, value = text.partition("=")
        if text.startswith("--"):
            names = [name for name in _TAR_NAMES if name.startswith(option[2:])]
            letter = _TAR_NAMES[names[0]] if len(option) > 2 and names else ""
            mode += letter
            if letter in ("f", "C", "g"):
                given = arg._replace(text=value) if value else next(iter(args[at : at + 1]), Arg(""))
                at += not value
                valued.append((letter, given))
        elif text[:1] == "-" or at == 1:
            letters = text.lstrip("-")
            place = next((place for place, letter in enumerate(letters) if letter in "fgCTXI"), None)
            mode += letters if place is None else letters[: place + 1]
            if place is not None and letters[place + 1 :] and text[:1] == "-":
                valued.append((letters[place], arg._replace(text=letters[place + 1 :])))
                continue
            for letter in letters[place:] if place is not None else "":
                if letter in "fgCTXI":
                    valued.append((letter, next(iter(args[at : at + 1]), Arg(""))))
                    at += 1
                else:
                    mode += letter
    makes = bool(set(mode) & set("Acru"))
    folders = [arg for letter, arg in valued if letter == "C"]
    yield from (placed(arg) for letter, arg in valued if letter == "g" or (letter == "f" and makes))
    if not makes:
        yield from folders or ([Arg(".")] if "x" in mode else [])


def _use(name: str, args: Sequence[Arg]) -> Row:
    if name != "git":
        return _row(name)
    git, verb = _row(name), args[0].text if args else ""
    if verb == "checkout" and any(re.match(r"-[bBt]$|--orphan|--track", arg.text) for arg in args):
        return git
    options = {arg.text.partition("=")[0] for arg in args if arg.text.startswith("-")}
    if verb == "config" and options & {"-f", "--file"}:
        return _UNLISTED
    staged = verb == "restore" and options & {"--staged", "-S"} and not options & {"--worktree", "-W", "-SW", "-WS"}
    return git if verb in GIT_READS or staged else git._replace(operands="write")


def _treatment(name: str, args: Sequence[Arg], use: Row) -> tuple[str, Sequence[Arg], str]:
    """Return what a program does with its operands, all but its verb, and what it writes where it is given none."""
    texts = [arg.text for arg in args if not arg.text.endswith(("=false", "=0", "=no"))]
    options, said = _options(texts), _options(use.said(texts))
    verb = args[0].text if args else ""
    sparing = EDITING.get(name, {}).get(verb)
    if sparing is not None:
        told = use.said([arg.text for arg in args])
        spares = any(re.fullmatch(sparing, text) for text in (*told, *map("=".join, pairwise(told))))
        return ("read", args, "") if spares else ("write", args[1:], ".")
    if said & use.spares:
        return "read", args, ""
    if use.operands == "write":
        return "write", args, use.default
    if options & use.edits:
        return "write", args[1:] if verb in _VERBS else args, use.default
    return use.operands, args, ""


def _options(texts: Sequence[str]) -> set[str]:
    letters = {letter for text in texts if re.fullmatch("-[A-Za-z]{1,3}", text) for letter in text}
    return letters.union(_option(text) for text in texts if text[:1] == "-" and text != "-")


def _role(arg: Arg, use: Row, *, held: bool) -> tuple[str, str | None]:
    """Return whether the value of an option is an `output`, an `input`, a `word`, `glued` to letters, or none at all, and the value in its own word."""
    text = arg.text
    option, equals, value = text.lstrip("-+").partition("=")
    is_name = text[1:2] == "-" or len(option) == 1 or equals or (use.one_dash and "-" in option and option in use.names)
    if not is_name and not re.fullmatch(_NAME, option):
        return _role_of_letters(option, use, held=held)
    told = value if equals else None
    for kind, names in (("input", use.inputs), ("output", use.outputs)):
        if option in names or (_is(option, names) and option not in use.inputs | use.outputs):
            return kind, told
    known = use if option in use.names else row_of("--") or use
    if option in known.choices and not held:
        return "word", told
    # a letter that no row knows names a file in upper case more often than not
    is_flag = len(option) == 1 and (text[1].islower() or use.operands == "script")
    alone = is_flag or held or option in use.spares | use.edits or known.stands_alone(option)
    return ("alone" if alone and not equals else "output"), told


def _role_of_letters(option: str, use: Row, *, held: bool) -> tuple[str, str | None]:
    """Return the same for letters behind one dash: what stands behind the first that has a value is that."""
    if option in use.outputs:
        return "output", None
    letters = option if not use.one_dash else "" if option in use.names else option[0]
    for place, letter in enumerate(letters, 1):
        kind = "output" if letter in use.outputs else "input" if letter in use.inputs else ""
        if not kind and letter in use.choices and not held:
            kind = "word"
        if kind:
            return kind, option[place:] or None
    is_glued = held or "/" in option or re.fullmatch(FILE, option[1:])
    return ("glued", option[1:]) if is_glued else ("alone", None)


def _operand(arg: Arg, kind: str) -> Iterator[Arg]:
    if kind in ("write", "made", "only", "base") or (kind == "word" and arg.known and is_spelled(arg)):
        yield from _parts(arg) if kind in ("write", "word") or arg.text[:1] == ":" else _outputs(arg)


def _outputs(arg: Arg) -> Iterator[Arg]:
    """Yield what an option says that a program writes: `n`, or `xml:n`."""
    return map(placed, _parts(placed(arg)))


def _parts(arg: Arg) -> Iterator[Arg]:
    """Yield a word, and what stands behind each sign that joins a path to something else."""
    text = arg.text.removeprefix("file://").lstrip("<>")
    if text.endswith("/..."):
        text = text.removesuffix("...")  # go: everything below
    yield arg._replace(text=text)
    if len(text) < 4096:
        for part in dict.fromkeys(re.split(_CUTS, text)):
            if part and part != text:
                yield arg._replace(text=part)


def _option(text: str) -> str:
    return text.lstrip("-+").partition("=")[0]


def _is(option: str, listed: Collection[str]) -> bool:
    """Return whether an option is listed, in full or shortened as many programs take it."""
    return option in listed or (len(option) > 2 and any(name.startswith(option) for name in listed))
