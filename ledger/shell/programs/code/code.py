"""Code that a program is given as text: where it may write.

Only calls that are known to read are harmless (`readings.py`). A literal, a bare word included, that reaches any other
call, or a name while there is one, may be a place; what a known writer is given is looked at by itself.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.shell.programs.code import readings
from linetrail.ledger.shell.programs.dangers import DATABASES
from linetrail.ledger.shell.programs.names import named
from linetrail.ledger.shell.reading.ruling import Ruling, blind, together
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.values import Arg

_LITERAL = r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|`([^`\n]*)`"
# It is called, or looked up, where it is there.
_WHERE_THERE = r"\?\.(?=[(\[])"
_LONGEST, _MOST, _MOST_STRINGS, _BEFORE, _DEEPEST = 30_000, 400, 1_500, 300, 50
_STRING = r"'''.*?'''|\"\"\".*?\"\"\"|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\]|\\.)*`"
_COMMENTS = {
    **dict.fromkeys(["node", "nodejs", "deno", "bun", "tsx", "ts-node", "php"], r"//[^\n]*|/\*.*?\*/"),
    **dict.fromkeys([*DATABASES, "lua"], r"--[^\n]*"),
    "c": r"//[^\n]*|/\*.*?\*/",
}
# Quotes of languages that have more of them, words between them, and a word in front of a mode to open a file with.
_QUOTES = {
    "perl": r"(?<![\w$@%&{>/-])(?:q(w)|qq?)\b\s*(?:\(([^()]*)\)|\[([^][]*)\]|\{([^{}]*)\}|<([^<>]*)>|([!/|])(.*?)\6)|(?<=\()\s*(\w+)(?=\s*=>\s*['\"][+<>rwa]{1,3}['\"])",
    "ruby": r"(?<![\w)\]])%(?:([wWiI])|[qQ])(?:\(([^()]*)\)|\[([^][]*)\]|\{([^{}]*)\}|<([^<>]*)>|([!/|])(.*?)\6)",
}
# What writes, or runs, where no literal tells: a call without a word, and a text that has lines.
_IMPLIED = {
    "python": r"(?<!unittest)\.(?:main|cli)\(\s*\)",
    "perl": r"(?<![\w$@%&>:.-])(?:mkdir|unlink|rmdir|rename|symlink|link|truncate|mknod|utime|exec|syscall|dbmopen)\b\s*(?:\(\s*\))?\s*(?:[;})@$&]|<|$|\w)|<<~?['\"]?[A-Za-z_]",
    "ruby": r"<<[~-]?['\"]?[A-Z_]|(?<![\w$@.])exec\b",
}
# In all others a call needs no brackets.
_BRACKETED = {"python", "pypy", "ipython", "bpython", "node", "nodejs", "deno", "bun", "tsx", "ts-node", "php", "R", "Rscript", "c"}  # fmt: skip
_TEMPLATE = r"(?i)\bf[rb]?$"
_CONDITION = r"\b(?:if|while|for|switch|catch)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)$"
_SQL = r"(?i)\s*(?:select|insert|update|delete|attach|vacuum|create|pragma|copy|with|drop|alter)\b"
# What code calls the words behind it; and languages whose words need no quotes.
_HANDED = r"^\s*[a-z]\w*\s*;?\s*$|\bargv\b|\bARGV\b|\bshift\b|\$_?[\[0-9@]|<>"
# What stands in front of the file of a database.
_DATABASE = r"^(?:(?:dbi|jdbc):\w+|sqlite|file|pdo):(?://)?"
_UNQUOTED = {"tclsh", "gnuplot", "octave"}
_DECORATED = r"(?m)^\s*@(?!dataclass|property|staticmethod|classmethod)\w"
# Inside of braces: a call without brackets, or something that gets a name.
_STATEMENT = r"\s*[\w.$@]+\s+\S|\s*[\w.$@]+\s*$|[^=]*\w\s*=(?!>)"
_CALLED = r"((?:[\w$@%&]+(?:\?\.|\.|::|->))*)([\w$]+[?!]?)\s*(?:<[\w, ]*>)?\s*$"
_IMPORTED = (
    r"\bimport\s+(?:\*\s+as\s+)?(\{[^}\n]*\}|\w+)\s+from\b|\b(?:const|let|var)\s+(\{[^}\n]*\}|\w+)\s*=\s*(?:await\s+)?(?:require|import)\(|"
    r"\bimport\s+([\w., \t]+)|\bfrom\s+([\w.]+)\s+import\s+\(?([\w, \t]+)"
)
# What is made by a call, and a library that is named where it is used.
_MADE = r"([\w$]+)\s*=\s*(?:await\s+)?(new\s+)?\$?(\w+)\s*(?:[.(]|->|::)|\bwith\s+(\w+)[^\n:]*\bas\s+(\w+)|\b(?:import|require)\([^;]{0,300}?\.then\(\s*\(?(\w+)"
_OF_LIBRARY = (
    r"\b(?:require|import|__import__|import_module)\s*\([^()]{0,200}\)\)?(?:\.\w+(?:\([^()]{0,200}\))?){0,9}\.\w+\s*$"
)
_DEFINED = r"\b(?:def|function\*?|class(?!\s+\w+\s*(?:\(\w|extends\b))|sub|fn|func)\s+(\w+)|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:function\b|\([^()\n]*\)\s*=>|\w+\s*=>)|\b(\w+)\s*=\s*lambda\b"
_COMPARED = r"(?:[=!~<>]=|[<>]|\bin|\bis|\bnot|\beq|\bne|\bcase|\bwhen|\bLIKE|\blike)\s*[rbuf]{0,2}\(?\s*$"
_INTO = r"(?i)\b(?:into|outfile|dumpfile|out|output|to|database)\s*$"
_COMPARING = r"\s*(?:[=!]==?|<|>(?!>)|not\s+in\b|in\b|\?\s|%)"
_TOLD = r"\b(?:encoding|errors|newline|sep|end|delimiter|mode|indent|orient|key|default|type|separators)\s*[=:]\s*[rbuf]{0,2}$"
_ANONYMOUS = r"\s*(?:lambda\b|function\b|async\b|\(|\w+\s*=>|(?:str|int|float|len|repr|json\.\w+|String|Number|Boolean|JSON\.\w+|_)\b|['\"_]|$)"


class _Frame(NamedTuple):
    """A bracket that opens: `outer` is the number of the one around it, `depth` how many there are."""

    sign: str
    at: int
    outer: int
    depth: int


class _Code:
    """Code with its strings and comments blanked out, so that brackets and names are what they seem."""

    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = text, language
        self.frames, self.closes = list[_Frame](), dict[int, int]()
        # where each string begins and ends, and the number of the bracket around it
        self.strings = list[tuple[int, int, int]]()
        self.bound = dict[str, bool]()
        # what templates work out
        self.inner = list[str]()
        self.blank = self._blanked()
        self.imported, self.harmless = _imports(text)
        self.foreign = self._foreign()
        self.defined = {name for found in re.findall(_DEFINED, self.blank) for name in found if name}
        self.written = [match.span() for pattern in _WRITTEN for match in re.finditer(pattern, text)]

    def _blanked(self) -> str:
        comment = _COMMENTS.get(self.language, r"#[^\n]*")
        blank, stack = list(self.text), list[int]()
        for match in re.finditer(rf"(?<![:\w$\\]){comment}|{_STRING}|[()\[\]{{}}]", self.text, re.DOTALL):
            found, start, end = match[0], *match.span()
            outer = stack[-1] if stack else -1
            if found in "([{":
                stack.append(len(self.frames))
                self.frames.append(_Frame(found, start, outer, len(stack)))
            elif found in ")]}":
                if stack:
                    self.closes[stack.pop()] = start
            elif found[0] in "'\"`":
                self.strings.append((start, end, outer))
                if found[0] == "`" or "#{" in found or re.search(_TEMPLATE, self.text[max(start - 3, 0) : start]):
                    self.inner += re.findall(r"\{([^{}]*\([^{}]*)\}", found)
                blank[start + 1 : end - 1] = " " * (end - start - 2)
            else:
                blank[start:end] = " " * (end - start)
        return "".join(blank)

    def _foreign(self) -> set[str]:
        """Return the names of what a library made, whose methods nobody here knows."""
        foreign = self.imported - self.harmless
        for match in re.finditer(_MADE, self.blank):
            if match[3] in foreign or (match[2] and match[3] not in readings.FUNCTIONS | readings.OBJECTS):
                foreign.add(match[1])
            elif match[4] in foreign or match[6]:
                foreign.add(match[5] or match[6])
        return foreign - self.imported

    def reads_all(self) -> bool:
        """Return whether no call does more than read, by its name or by another."""
        hidden = re.search(r"[\w$]`", self.blank) or re.search(_DECORATED, self.blank)
        calls = (at for at, frame in enumerate(self.frames) if frame.sign == "(")
        return self.language in _BRACKETED and not hidden and all(map(self._reads, calls))

    def is_told(self, start: int, end: int, at: int) -> bool:
        """Return whether what stands here, inside of the bracket of this number, only reaches what reads it."""
        frame = self.frames[at] if at >= 0 else _Frame("", -1, -1, 0)
        head = self.blank[max(frame.at + 1, start - _BEFORE) : start]
        if frame.depth > _DEEPEST or re.search(_INTO, head):
            return False
        if re.search(_COMPARED, head) or re.search(_TOLD, head) or re.match(_COMPARING, self.blank[end : end + 20]):
            return True
        method = re.match(r"\s*(?:\?\.|\.|->)\s*(\w+)\s*\(", self.blank[end : end + _BEFORE])
        if method and method[1] not in readings.CARRYING:
            return self._is_reader(method[1], "x.", end + method.end() - 1)
        if frame.sign == "(":
            return self._is_argument(head, at)
        if frame.sign and (self._is_key(frame) or re.match(r"\s*(?::(?!:)|=>)", self.blank[end : end + 9])):
            return True
        last = re.split(r"[;\n]|(?<!\w):\s", head)[-1] if frame.sign != "[" else head
        if frame.sign == "[" or (frame.sign and not re.match(_STATEMENT, last)):
            return self._is_told_outside(at)
        word = re.match(r"\s*([\w.$]+)", last)
        if word is None:
            return not last.strip() and not re.match(r"\s*[.,(\[+]", self.blank[end : end + 9])
        is_assigned = self.language not in DATABASES and re.search(r"\w\s*=(?!=)", last)
        return word[1].lower() in readings.TELLING and not is_assigned

    def _is_argument(self, head: str, at: int) -> bool:
        """Return whether a call only reads what it is given, or what it makes of it is only read."""
        place = self.frames[at].at
        called = _called(self.blank, place)
        if (
            called is None
            and re.search(r"[\])]\s*$", self.blank[:place])
            and not re.search(_CONDITION, self.blank[:place])
        ):
            return False
        if called is None or (called[2] in readings.KEYWORDS and not called[1]):
            first = None if self.language in _BRACKETED else re.match(r"\s*([^\s()]+)\s", head)
            return first[1].lower() in readings.TELLING if first else self._is_told_outside(at)
        if called[2] not in readings.CARRYING or not self._is_reader(called[2], called[1], place):
            return self._is_reader(called[2], called[1], place)
        end = self.closes.get(at, len(self.blank)) + 1
        if re.match(r"\s*\.\s*\w+(?!\w|\s*\()", self.blank[end : end + _BEFORE]):
            return True
        return self.is_told(place - len(called[0]), end, self.frames[at].outer)

    def _is_told_outside(self, at: int) -> bool:
        return self.is_told(self.frames[at].at, self.closes.get(at, len(self.blank)) + 1, self.frames[at].outer)

    def _is_key(self, frame: _Frame) -> bool:
        """Return whether a bracket holds the name of what is looked up."""
        looks_up = frame.sign == "[" or self.language in ("perl", "php")
        return looks_up and re.match(r"[\w)\]}'\"$>]", self.blank[max(frame.at - 1, 0) : frame.at]) is not None

    def _reads(self, at: int) -> bool:
        """Return whether the call whose bracket has this number only reads."""
        place = self.frames[at].at
        head = self.blank[max(place - _BEFORE, 0) : place].rstrip()
        if head[-1:] in (")", "]"):
            return re.search(_CONDITION, head) is not None or self._shows_what_it_calls(head, place)
        called = _called(self.blank, place)
        if called is None or re.search(r"\b(?:def|function\*?|class|sub)\s+\w+$", head):
            return True
        return self._is_reader(called[2], called[1], place)

    def _shows_what_it_calls(self, head: str, place: int) -> bool:
        """Return whether the brackets in front of a call hold the function that it calls."""
        end = self.blank.rfind(head[-1], 0, place)
        opened = next((self.frames[at].at for at, close in self.closes.items() if close == end), end)
        inside = self.blank[opened + 1 : min(end, opened + _BEFORE)]
        return re.match(r"\s*(?:async\b\s*)?(?:function\b|\(\)\s*=>|\w+\s*=>|lambda\b)", inside) is not None

    def _is_reader(self, name: str, before: str, place: int) -> bool:
        """Return whether a call only reads; `before` is what it is called on, by name, `place` where its bracket is."""
        if name in readings.CALLING and not re.match(_ANONYMOUS, self.blank[place + 1 : place + _BEFORE]):
            return False
        root, *between = re.split(r"\?\.|\.|::|->", before.lstrip("$@%&"))
        if name == "open" and not self._is_bound(name) and (root not in self.imported or root in readings.OPENING):
            reads = re.match(_TO_READ, self.text[place + 1 : place + _BEFORE]) is not None
            return reads or self._is_filled(name, place)
        if not before and not re.search(rf"[.>:]\s*{re.escape(name)}\s*$", self.blank[max(place - _BEFORE, 0) : place]):
            return name in readings.KEYWORDS or self._is_filled(name, place) or self._is_reading_function(name)
        if self._is_filled(name, place) or (root in self.harmless and not readings.BEHIND & set(between)):
            return True
        is_foreign = root in self.imported or any(
            part[:1].isupper() and part not in readings.OBJECTS for part in (root, *between)
        )
        if name in readings.ADDING:
            is_foreign |= root in self.foreign or re.search(_OF_LIBRARY, self.blank[:place]) is not None
        known = name in readings.METHODS or name in self.defined
        return re.fullmatch(readings.VERBS, name) is not None or (known and not is_foreign)

    def _is_reading_function(self, name: str) -> bool:
        if name in self.defined or name in self.harmless:
            return True
        claims = re.fullmatch(readings.VERBS, name) is not None
        if self._is_bound(name) or name in self.imported:
            return claims and f" as {name}" not in self.blank and not self._is_bound(name)
        return claims or name in readings.FUNCTIONS or re.search(r"(?:Error|Exception)$", name) is not None

    def _is_filled(self, name: str, place: int) -> bool:
        """Return whether a call writes to what `targets` tells: the rest of it is content."""
        known = re.fullmatch(readings.FILLING, name) is not None
        return known and any(start <= place < end for start, end in self.written)

    def _is_bound(self, name: str) -> bool:
        """Return whether code gives a name another meaning."""
        if name not in self.bound:
            spelled = re.escape(name)
            bound = rf"(?<![\w.]){spelled}\s*=(?!=)|\bas\s+{spelled}\b|:\s*{spelled}\s*[,}}]"
            self.bound[name] = re.search(bound, self.blank) is not None
        return self.bound[name]


def _called(blank: str, place: int) -> re.Match[str] | None:
    """Return what is called by the bracket at a place: on what, and its name."""
    return re.search(_CALLED, blank[max(place - _BEFORE, 0) : place])


def reads_all(text: str, language: str) -> bool:
    """Return whether every call of code is known to read.

    >>> reads_all("print(open('a').read())", "python"), reads_all("open('a', 'w')", "python")
    (True, False)
    """
    return len(text) <= _LONGEST and _Code(text, language).reads_all() and not list(targets(text))


def rule(text: str, what: str, scene: Scene, language: str = "") -> Ruling:
    """Rule on code that nobody has proved to read."""
    text = re.sub(_QUOTES[language], _quoted, text) if language in _QUOTES else re.sub(_WHERE_THERE, "", text)
    if len(text) > _LONGEST:
        return blind(f"{what} is more code than can be inspected")
    rulings = list[Ruling]()
    if re.search(_IMPLIED.get(language, "$^"), text):
        rulings.append(blind(f"{what} writes to a place that it does not spell"))
    if re.search(r"\bf?chdir\b|\bdir_fd\s*=", text):
        rulings.append(blind(f"{what} goes to another folder; start it there"))
    for target in targets(text):
        if target is None or "$" in target or "{" in target:
            rulings.append(blind(f"{what} writes to a path that it works out itself; spell it"))
        else:
            rulings.append(scene.writes(Arg(target), what))
    words = literals(text, language)
    if language in _UNQUOTED:
        words += [word for line in re.split(r"[\n;\[{]", text) for word in re.split(r"[\s()\]}\"']+", line.strip())[1:]]
    rulings += [_placed(word, what, scene) for word in words]
    return together(rulings)


def _quoted(match: re.Match[str]) -> str:
    """Return what special quotes hold in those that every language has."""
    held = next(filter(None, [*match.groups()[1:5], *match.groups()[6:]]), "")
    words = held.split() if match[1] else [held]
    return ",".join("'" + word.replace("'", "\\'") + "'" for word in words)


def _placed(word: str, what: str, scene: Scene) -> Ruling:
    word = re.sub(rf"({_DATABASE})([^?]*)\?.*", r"\2", word) if "?" in word else word
    word = re.sub(_DATABASE, "", word)
    return named(Arg(f"./{word}" if re.fullmatch(r"\w[\w.+@~-]*", word) else word), what, scene)


def argument(arg: Arg, codes: Sequence[str], what: str, scene: Scene, language: str) -> Ruling:
    """Rule on a word that code is given, which writes to what it is told behind it."""
    hands_on = any(re.search(_HANDED, text) and not _Code(text, language).reads_all() for text in codes)
    return _placed(arg.text, what, scene) if hands_on else together([])


def literals(text: str, language: str = "", depth: int = 3) -> list[str]:
    """Return what code may write to, beside what it is known to: literals that may reach a call that does not read.

    Of one that is code itself, as a query is, those inside of it.

    >>> literals("import json; print(json.load(open('a.json'))['name'])"), literals("w = fs.writeFileSync; w('n', '')")
    ([], ['n'])
    """
    code = _Code(text, language)
    found = dict.fromkeys(literal for inner in code.inner for literal in literals(inner, language, depth - 1))
    strings = [] if code.reads_all() else code.strings
    if len(strings) > _MOST_STRINGS:
        return ["*"]  # whichever of them
    for start, end, at in strings:
        literal = text[start + 1 : end - 1].lstrip("<>+| ")
        if not re.search(r"\w", literal) or code.is_told(start, end, at):
            continue
        if depth and re.search(r"['\"]", literal):
            inner = re.sub(r"\\(['\"])", r"\1", literal)
            found.update(dict.fromkeys(filter(None, targets(inner))))
            found.update(dict.fromkeys(literals(inner, "sqlite3" if re.match(_SQL, inner) else language, depth - 1)))
        if "\n" not in literal and len(literal) <= 300:
            found[literal] = None
    return list(found)[:_MOST]


def _imports(text: str) -> tuple[set[str], set[str]]:
    """Return the names that code imports, and those of them that belong to modules which only read."""
    bound = [one for match in re.finditer(_IMPORTED, text) for one in _bound(match)]
    return {name for name, _ in bound}, {name for name, module in bound if module in readings.MODULES}


def _bound(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Yield each name that an import gives to something, and the module that it is from."""
    if match[3] or match[5]:
        for words in filter(None, map(str.split, (match[3] or match[5]).split(","))):
            yield words[-1].partition(".")[0], match[4] or words[0]
    else:
        module = re.compile(r"\s*['\"]([\w:/.-]+)").match(match.string, match.end())
        for name in re.findall(r"\w+(?=\s*[,}]|$)", match[1] or match[2]):
            yield name, module[1] if module else ""


# An expression with calls in it, and one in front of another.
_CALLS = r"\([^()]{0,200}(?:\([^()]{0,200}(?:\([^()]{0,200}\)[^()]{0,200}){0,4}\)[^()]{0,200}){0,4}\)"
_WORTH = rf"[^,()]{{0,200}}(?:{_CALLS}[^,()]{{0,200}}){{0,4}}"
_TO_READ = rf"(?s)\s*(?!\*){_WORTH}(?:,\s*(?:mode\s*=\s*)?(?:'r[bt]?'|\"r[bt]?\"))?(?:,\s*(?:encoding|errors|newline|buffering)\s*=[^,()]*)*,?\s*\)"
_FIRST = rf"\(\s*{_WORTH},\s*"
# What code does to a file: the first group is the expression that says which.
_WRITTEN = (
    rf"(?<![\w.])(?:io\.)?open\(\s*({_WORTH}),\s*(?:mode\s*=\s*)?['\"][^'\"]*[wax+]",
    # whatever is called with a mode to write in behind, and what is opened with anything but a mode to read in
    rf"(?<!\w)(?!(?:print|\w+attr|get|replace|put\w*|join|r?split|sub|echo|pop|r?find|count|strip|index|in|if|and|or|not)\b)\w+['\"\]]{{0,2}}\s*\(\s*({_WORTH}),\s*(?:mode\s*[=:]\s*)?['\"](?:r\+|[wax])[bt+]{{0,2}}['\"]\s*[,)]",
    rf"\bopen(?:Sync)?\(\s*({_WORTH}),\s*(?!(?:0|os\.O_RDONLY)\s*[,)])[\w.:]+\s*[,)|]",
    r"\bopen\(\s*(\*[^)]*|mode\s*=[^)]*)\)|\bmap\(\s*((?:io\.)?open)\b",
    r"([\w.\[\]'\"]{1,120}(?:\([^()]{0,200}\))?)\.(?:write_text|write_bytes|unlink|touch|mkdir|rmdir|symlink_to|hardlink_to|open\(\s*['\"][wax])\(?",
    r"(?:writeFile|appendFile|createWriteStream|unlink|rm|rmdir|rename|mkdir|mkdtemp|copyFile|cp|truncate|symlink|link|writeReport)(?:Sync)?(?:['\"]\])?\(\s*([^,)]+)",
    rf"\.(?:replace|rename)\(\s*(?!\w+\s*=|\{{)({_WORTH})\s*\)",
    r"(writeHeapSnapshot)\(|\.extractall(\(\s*\))|\bunpack_archive\(\s*[^,()]+(\))",
    r"\bsysopen\s*\(?\s*(?:my\s+)?\$?\w+\s*,\s*([^,;]+)",
    r"\bDIR\s*=>\s*([^,)]+)|\bTemp(?:file|dir)\.\w+\([^,()]*,\s*([^,)]+)",
    r"\bopen\s*\(?\s*(?:my\s+)?\$?\w+\s*,\s*(\$\w+)\s*[;)]",
    # what a call of a call returns, and Path(…) / name, in brackets
    r"(\)\s*\))\.(?:write_text|write_bytes|unlink|touch|rmdir|symlink_to|hardlink_to)\(",
    r"((?:['\")]\s*|\(\s*[\w.\[\]()]+\s*)/\s*[^\n;()]{1,200}\))\.(?:write_text|write_bytes|unlink|touch|mkdir|rmdir|symlink_to|hardlink_to|open)\(",
    r"\b(?:mkstemp|mkdtemp|\w*TemporaryFile)\([^)]*\bdir\s*=\s*([^,)]+)|\b(?:tempdir|pycache_prefix)\s*=(?!=)\s*([^,;)\n]+)",
    r"\b(?:make_archive|shelve\.open|dbm\.open|venv\.create|sqlite3\.connect)\(\s*(?!['\"]:memory)([^,)]+)",
    r"\b(?:tarfile|gzip|bz2|lzma|codecs)\.open\(\s*([^,()]+),\s*(?:mode\s*=\s*)?['\"][wax]",
    r"\b(?:cProfile|profile)\.run\w*\([^,()]*,\s*([^,)]+)",
    r"\b(?:os|shutil)\.(?:remove|unlink|rename|renames|replace|mkdir|makedirs|rmdir|removedirs|truncate|move|rmtree)\(\s*([^,)]+)",
    rf"\b(?:os|shutil)\.(?:renames?|replace|link|symlink|move|copy\w*){_FIRST}({_WORTH})\s*[,)]",
    rf"\b(?:FileUtils\.|File\.|fs\.)?(?:rename|copyFile|cp|symlink|link|cp_r|mv|ln\w*|copy|move)(?:Sync)?{_FIRST}({_WORTH})\s*[,)]",
    r"\b(?:File|IO|FileUtils)\.(?:write|binwrite|delete|unlink|rename|truncate|rm\w*|mv|cp\w*|touch|mkdir\w*)\s*\(?\s*([^,)\n]+)",
    r"\b(?:file_put_contents|fopen|ensure_?\w*[dD]ir\w*|mkdirp?\w*|tempnam|touch|mkfifo|mknod|make_path|mkpath|extract_?all|extractTo|dump_stats|\w*FileHandler|Maildir|create_archive|to_(?:csv|json|excel|parquet|pickle|html)|savefig|savetxt|np\.savez?|WriteStream)\(\s*(?!\w+\s*=)([^,)]+)",
    r"\bopen\s*\(?[^;\n]{0,120}?,\s*['\"]\+?>{1,2}(?::[\w()-]+)?['\"]\s*,\s*([^)\s;]+)",
    r"\bopen\s*\(?[^;\n]{0,120}?,\s*(['\"]\s*\+?>{1,2}\s*[^'\"\s][^'\"\n]*['\"])",
    r"\bopen\b[^;\n]{0,120}?(\bq[qw]?\s*[(\[{<|/!][^;\n]*)",
    r"(?<![.\w])(?:unlink|rename|rmdir|mkdir|truncate|symlink)\s+([^;)\n]+)",
)
_SPELLED = r"(?:(?:pathlib\.)?Path\(\s*)?[rb]?(?:'[^'\n]*'|\"[^\"\n]*\"|`[^`$\n]*`)\s*\)?"
_SPELLED_LIST = rf"\s*[\[(]?\s*{_SPELLED}(?:\s*,\s*{_SPELLED})*,?\s*[\])]?\s*(?:#.*)?"
_STARTED = rf"\b(?:os\.(?:system|popen)|subprocess\.\w+|(?:exec|spawn)(?:File)?(?:Sync)?|system)\s*\(\s*(?:\[({_SPELLED}(?:\s*,\s*{_SPELLED})*)[\],]|({_SPELLED}))"
_LONGEST_VALUE, _MOST_TARGETS = 500, 60
_NAME = r"\s*([A-Za-z_$]\w*)\s*"


def targets(text: str) -> Iterator[str | None]:
    """Yield what code writes to: a literal, those that a name holds, or None for what it works out itself."""
    found = dict.fromkeys(match[match.lastindex or 0] for pattern in _WRITTEN for match in re.finditer(pattern, text))
    for target in list(found)[:_MOST_TARGETS]:
        if re.fullmatch(_SPELLED_LIST, target):
            yield from _inner(target)
            continue
        name = re.fullmatch(_NAME, target)
        held = _held_by(name[1], text) if name else None
        yield from held if held is not None else [None]
    if len(found) > _MOST_TARGETS:
        yield None


def started(text: str) -> Iterator[str]:
    """Yield the commands that code starts, as far as they are spelled.

    >>> list(started("os.system('touch a'); subprocess.run(['rm', '-f', 'b'])"))
    ['touch a', "'rm' '-f' 'b'"]
    """
    for match in re.finditer(_STARTED, text):
        words = _inner(match[1] or match[2])
        if not any("{" in word for word in words):
            yield words[0] if match[2] else " ".join(f"'{word}'" for word in words)


def _held_by(name: str, text: str) -> list[str] | None:
    """Return the literals that a name holds; None where it holds anything else."""
    name = re.escape(name)
    if re.search(rf"(?<![\w.]){name}\s*(?:(?:[-+*/%|&.]|//)=|=~)", text):
        return None
    bound = re.findall(rf"(?:^|[;\s(,])(?:{name})\s*=(?!=)\s*([^;\n]*)|for\s+{name}\s+in\s+([^:\n]*)", text)
    values = [one or other for one, other in bound]
    if not values or not all(len(value) < _LONGEST_VALUE and re.fullmatch(_SPELLED_LIST, value) for value in values):
        return None
    return [literal for value in values for literal in _inner(value)]


def _inner(value: str) -> list[str]:
    return [(match[1] or match[2] or match[3] or "").lstrip("<>+ ") for match in re.finditer(_LITERAL, value)]
