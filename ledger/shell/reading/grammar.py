"""Read a text as the shell does: lists, pipes, loops, choices, redirections, here-documents.

Two readers have to agree before anything is called safe: this one, which refuses what it does not know, and
tree-sitter's grammar of bash (`commands.py`), which somebody else wrote.
"""

import re

from linetrail.ledger.shell.reading.lexer import COMMANDS, LEVELS, Lexer
from linetrail.ledger.shell.reading.syntax import (
    Assignment,
    Command,
    Compound,
    Piece,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Unreadable,
    Word,
)

_BLANKS = re.compile(r"[ \t]+")
_OPERATOR = re.compile(r"([0-9]+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<&|<>|>>|>&|>\||<|>)")
# zsh: >! writes over a file, <1-9> is any number in the name of one
_UNLIKE = re.compile(r"(?:[0-9]+)?(?:[<>&|]*>[>&|]*!|<[0-9]*-[0-9]*>)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?=[ \t\n;])")
_PARENTHESES = re.compile(r"\([ \t]*\)")
# a word of the grammar only where nothing is glued to it
_KEYWORD = re.compile(
    r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|select|function|coproc|\[\[|[{}!])(?=[ \t\n|&;<>()]|$)"
)
_TEST_OPERATOR = re.compile(r"&&|\|\||[()<>]")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=)")
_SUBSCRIPTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\[")
_CLOSERS = {"then", "else", "elif", "fi", "do", "done", "esac", "}"}
_UNREAD = {"coproc"}


class Redirections(Lexer):
    """Words, the blanks between them, and where they are redirected to."""

    def __init__(self, text: str, base: int = 0, level: int = 0) -> None:
        super().__init__(text, base, level)
        # newline -> where the text goes on behind the here-documents that begin there
        self.jumps: dict[int, int] = {}

    def skip(self, *, lines: bool = False) -> None:
        """Go over blanks, comments and escaped newlines; over newlines, too, where the grammar allows them."""
        while True:
            found = _BLANKS.match(self.text, self.at)
            if found:
                self.at = found.end()
                self.step(len(found[0]))
            self.step()
            char = self.text[self.at : self.at + 1]
            if char == "\\" and self.text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif char == "\n" and lines:
                self.at = self.jumps.pop(self.at, self.at + 1)
            else:
                return

    def needed(self) -> Word:
        """Read a word that must be there."""
        word = self.word()
        if not word.spelled:
            raise Unreadable("a word is missing")
        return word

    def deep(self, by: int) -> None:
        """Go into a compound command, or out of it."""
        self.level += by
        if self.level > LEVELS:
            raise Unreadable("it is nested too deeply to be inspected")

    def redirects(self) -> tuple[Redirect, ...]:
        """Read what follows a compound command."""
        redirects = list[Redirect]()
        while True:
            self.skip()
            redirect = self.redirect()
            if redirect is None:
                return tuple(redirects)
            redirects.append(redirect)

    def redirect(self) -> Redirect | None:
        """Read one redirection; None where none stands here."""
        found = _OPERATOR.match(self.text, self.at)
        if not found or self.text.startswith(("<(", ">("), self.at):
            return None
        if _UNLIKE.match(self.text, self.at):
            raise Unreadable(f"bash and zsh read {found[2]}{self.text[found.end() : found.end() + 1]} differently")
        self.at = found.end()
        operator = found[2]
        self.skip()
        target = self.needed()
        if operator in ("<<", "<<-"):
            return Redirect(found[1] or "", operator, target, self._here(target, operator))
        return Redirect(found[1] or "", operator, target)

    def _here(self, target: Word, operator: str) -> tuple[Piece, ...]:
        """Read the body of a here-document ahead; `skip` jumps over it when the end of this line is reached."""
        delimiter = target.literal
        if delimiter is None or "\n" in target.spelled or not delimiter:
            raise Unreadable("the end of a here-document is not a plain word")
        line_end = self.text.find("\n", self.at)
        if line_end < 0:
            raise Unreadable("a here-document has no body")
        start = self.jumps.get(line_end, line_end + 1)
        tabs = r"\t*" if operator == "<<-" else ""
        found = re.compile(rf"^{tabs}{re.escape(delimiter)}$", re.MULTILINE).search(self.text, start)
        if not found:
            raise Unreadable(f"a here-document never ends in {delimiter}")
        if re.compile(rf"^{tabs}{re.escape(delimiter)}\)", re.MULTILINE).search(self.text, start, found.start()):
            raise Unreadable("shells disagree on where a here-document ends")
        self.jumps[line_end] = min(found.end() + 1, len(self.text))
        return self._expanded(target, self.text[start : found.start()], start)

    def _expanded(self, target: Word, text: str, start: int) -> tuple[Piece, ...]:
        if any(piece.quoted for piece in target.pieces):
            return (Piece("text", text, quoted=True),)
        if "\\\n" in text:
            raise Unreadable("a line of a here-document goes on in the next")
        if self.level >= LEVELS:
            raise Unreadable("it is nested too deeply to be inspected")
        inner = type(self)(text, self.base + start, self.level + 1)
        inner.steps, inner.commands = self.steps, self.commands
        pieces = inner.body()
        self.steps, self.commands = inner.steps, inner.commands
        return pieces


class Parser(Redirections):
    """The grammar on top of the words."""

    def nested(self, text: str, base: int) -> Script:
        if self.level >= LEVELS:
            raise Unreadable("it is nested too deeply to be inspected")
        inner = Parser(text, base, self.level + 1)
        inner.steps, inner.commands = self.steps, self.commands
        script = inner.script("")
        self.steps, self.commands = inner.steps, inner.commands
        return script

    def script(self, closing: str) -> Script:
        """Read a list up to the closing parenthesis, or up to the end of the text."""
        pipelines = self._list()
        if self.peek() != closing:
            raise Unreadable(f"{self.peek() or 'the end'!r} is not expected here")
        self.at += len(closing)
        if not closing and self.jumps:
            raise Unreadable("a here-document begins inside of something else")
        return Script(tuple(pipelines))

    def _list(self) -> list[Pipeline]:
        pipelines = list[Pipeline]()
        while True:
            self.skip(lines=True)
            if self._ends():
                return pipelines
            negated = self._keyword() == "!"
            stages = self._pipeline()
            self.skip()
            separator = self._separator()
            pipelines.append(Pipeline(tuple(stages), separator, negated))
            if not separator:
                return pipelines
            if separator in ("&&", "||"):
                self.skip(lines=True)
                if self._ends():
                    raise Unreadable(f"nothing stands behind {separator}")

    def _ends(self) -> bool:
        return self.peek() in ("", ")") or self.peek(2) == ";;" or self.peek(2) == ";&" or self._keyword() in _CLOSERS

    def _separator(self) -> str:
        for separator in ("&&", "||", ";", "&", "\n"):
            if self.text.startswith(separator, self.at):
                if separator == ";" and self.peek(2) in (";;", ";&"):
                    return ""
                if separator == "\n":
                    self.skip(lines=True)
                    return ";"
                self.at += len(separator)
                return separator
        return ""

    def _pipeline(self) -> list[Command]:
        while self._keyword() == "!":
            self.at += 1
            self.skip()
        stages = [self._command()]
        while True:
            self.skip()
            if self.peek() != "|" or self.peek(2) == "||":
                return stages
            self.at += 2 if self.peek(2) == "|&" else 1
            self.skip(lines=True)
            stages.append(self._command())

    def _keyword(self) -> str:
        found = _KEYWORD.match(self.text, self.at)
        return found[0] if found else ""

    def _expect(self, keyword: str) -> None:
        self.skip(lines=True)
        if self._keyword() != keyword:
            raise Unreadable(f"{keyword} is missing")
        self.at += len(keyword)

    def _command(self) -> Command:
        keyword = self._keyword()
        if keyword in _CLOSERS or keyword in _UNREAD:
            raise Unreadable(f"{keyword} is not expected here")
        if self.peek() == "(":
            return self._parenthesis()
        reader = {
            "{": self._group,
            "if": self._if,
            "while": self._while,
            "until": self._while,
            "for": self._for,
            "select": self._for,
            "case": self._case,
            "[[": self._test,
            "function": self._function,
        }.get(keyword)
        if reader is None:
            return self._simple()
        self.deep(1)
        start = self.base + self.at
        self.at += len(keyword)
        compound = reader(keyword)
        self.deep(-1)
        return compound._replace(redirects=self.redirects(), start=start)

    def _body(self) -> Script:
        pipelines = self._list()
        if not pipelines:
            raise Unreadable("a list of commands is empty")
        return Script(tuple(pipelines))

    def _parenthesis(self) -> Compound:
        self.deep(1)
        if self.peek(2) == "((":
            self.at += 2
            compound = Compound("arith", (), name=self.arithmetic())
        else:
            self.at += 1
            compound = Compound("subshell", (self.script(")"),))
        self.deep(-1)
        return compound._replace(redirects=self.redirects())

    def _group(self, _: str) -> Compound:
        body = self._body()
        self._expect("}")
        return Compound("group", (body,))

    def _if(self, _: str) -> Compound:
        parts = [self._body()]
        self._expect("then")
        parts.append(self._body())
        self.skip(lines=True)
        while self._keyword() == "elif":
            self.at += 4
            parts.append(self._body())
            self._expect("then")
            parts.append(self._body())
            self.skip(lines=True)
        if self._keyword() == "else":
            self.at += 4
            parts.append(self._body())
        self._expect("fi")
        return Compound("if", tuple(parts))

    def _while(self, keyword: str) -> Compound:
        condition = self._body()
        return Compound("while", (condition, self._loop_body()), name=keyword)

    def _loop_body(self) -> Script:
        self._expect("do")
        body = self._body()
        self._expect("done")
        return body

    def _for(self, keyword: str) -> Compound:
        self.skip()
        if self.peek(2) == "((":
            self.at += 2
            counted = self.arithmetic()
            self.skip()
            if self.peek() == ";":
                self.at += 1
            return Compound("count", (self._loop_body(),), name=counted)
        name = self._name()
        self.skip(lines=True)
        words = list[Word]()
        if self._keyword() == "in":
            self.at += 2
            words = self._words()
            if self.peek() not in (";", "\n"):
                raise Unreadable("the words of a loop do not end")
        if self.peek() == ";":
            self.at += 1
        return Compound("select" if keyword == "select" else "for", (self._loop_body(),), tuple(words), name)

    def _words(self) -> list[Word]:
        words = list[Word]()
        while True:
            self.skip()
            word = self.word()
            if not word.spelled:
                return words
            words.append(word)

    def _name(self) -> str:
        found = _NAME.match(self.text, self.at)
        if not found:
            raise Unreadable("a name is missing")
        self.at = found.end()
        return found[0]

    def _case(self, _: str) -> Compound:
        self.skip()
        words, bodies = [self.needed()], list[Script]()
        self._expect("in")
        while True:
            self.skip(lines=True)
            if self._keyword() == "esac":
                self.at += 4
                return Compound("case", tuple(bodies), tuple(words))
            if self.peek() == "(":
                self.at += 1
            words.extend(self._patterns())
            bodies.append(Script(tuple(self._list())))
            self.skip(lines=True)
            if self.peek(2) == ";;":
                self.at += 2
            elif self._keyword() != "esac":
                raise Unreadable("a choice does not end")

    def _patterns(self) -> list[Word]:
        patterns = list[Word]()
        while True:
            self.skip()
            patterns.append(self.needed())
            self.skip()
            self.at += 1
            if self.text[self.at - 1 : self.at] == ")":
                return patterns
            if self.text[self.at - 1 : self.at] != "|":
                raise Unreadable("a choice has no )")

    def _test(self, _: str) -> Compound:
        words = list[Word]()
        while True:
            self.skip(lines=True)
            operator = _TEST_OPERATOR.match(self.text, self.at)
            if operator:
                self.at = operator.end()
                words.append(Word((), self.base + operator.start(), operator[0]))
                continue
            word = self.needed()
            if word.spelled == "]]":
                return Compound("test", (), tuple(words))
            words.append(word)

    def _function(self, _: str) -> Compound:
        self.skip()
        name = self.needed().spelled
        self.skip()
        if self.peek(2) == "()":
            self.at += 2
        return self._defined(name)

    def _defined(self, name: str) -> Compound:
        self.skip(lines=True)
        self.deep(1)
        body = Script((Pipeline((self._command(),), ""),))
        self.deep(-1)
        return Compound("function", (body,), name=name)

    def _simple(self) -> Command:
        assignments, words, redirects = list[Assignment](), list[Word](), list[Redirect]()
        while True:
            self.skip()
            redirect = self.redirect()
            if redirect is not None:
                redirects.append(redirect)
                continue
            assigned = None if words else _ASSIGNMENT.match(self.text, self.at)
            if assigned:
                assignments.append(self._assignment(assigned))
                continue
            if not words and _SUBSCRIPTED.match(self.text, self.at):
                raise Unreadable("a subscript stands in front of the command")
            word = self.word()
            if not word.spelled:
                break
            words.append(word)
            if self.peek() == "(":
                return self._call_or_function(words, assignments, redirects)
        self.commands += 1
        if self.commands > COMMANDS:
            raise Unreadable("it has more commands than anybody reads")
        if not (words or assignments or redirects):
            raise Unreadable(f"{self.peek() or 'the end'!r} stands where a command is expected")
        return Simple(tuple(assignments), tuple(words), tuple(redirects))

    def _call_or_function(
        self, words: list[Word], assignments: list[Assignment], redirects: list[Redirect]
    ) -> Compound:
        closed = _PARENTHESES.match(self.text, self.at)
        if len(words) != 1 or assignments or redirects or not closed:
            raise Unreadable("( is not expected here")
        self.at = closed.end()
        return self._defined(words[0].spelled)

    def _assignment(self, found: re.Match[str]) -> Assignment:
        self.at = found.end()
        if self.peek() != "(":
            return Assignment(found[1], found[2], self.word())
        self.at += 1
        values = list[Word]()
        while True:
            self.skip(lines=True)
            if self.peek() == ")":
                self.at += 1
                nothing = Word((), self.base + found.start(), "")
                return Assignment(found[1], found[2], nothing, tuple(values), listed=True)
            values.append(self.needed())


def read(text: str) -> Script:
    """Read a whole command text.

    >>> [word.literal for word in read("ls -l").pipelines[0].stages[0].words]
    ['ls', '-l']
    """
    if "$\\\n" in text:
        raise Unreadable("a line ends between $ and what it expands")
    return Parser(text).script("")
