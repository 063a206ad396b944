"""Read words as bash reads them: quotes, escapes, expansions.

Strict on purpose: a form that is not read here with certainty is `Unreadable`, and what is unreadable is never safe.
"""

import re

from linetrail.ledger.shell.reading.syntax import Piece, Script, Unreadable, Word

# Text that a person writes stays far below; whoever exceeds it wants to tire the reader.
STEPS, LEVELS, COMMANDS = 12_000, 30, 300

META = " \t\n|&;<>()"
_QUOTING = "\\'\"$`"
_RUN = re.compile(r"[^ \t\n|&;<>()\\'\"$`]+")
_IN_DOUBLE = re.compile(r'[^"\\$`]+')
_IN_BODY = re.compile(r"[^\\$`]+")
_IN_BRACES = re.compile(r"[^\\'\"$`{}]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL = "0123456789@*#?$!-"
# What zsh expands and bash takes for text: =cmd, $=x, $#x, $x[1], $x:h
_NAMED_COMMAND = re.compile(r"=[A-Za-z_(]")
_FLAGGED = re.compile(r"\$(?:[=~^+]+[A-Za-z_]|#[A-Za-z_])")
_SUBSCRIPT = re.compile(r"\[|:[aAcehlpPqQrstuxgGwW&]")
_ARITHMETIC = re.compile(r"[^()]+")
_ANSI = re.compile(r"\\(?:x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}


class Lexer:
    """A text and a place in it. `script` is how the grammar reads the inside of $(…)."""

    def __init__(self, text: str, base: int = 0, level: int = 0) -> None:
        self.text, self.at, self.base = text, 0, base
        self.level, self.steps, self.commands = level, 0, 0

    def script(self, closing: str) -> Script:
        """Read commands up to and including `closing`."""
        raise NotImplementedError

    def nested(self, text: str, base: int) -> Script:
        """Read a text that stood inside backquotes."""
        raise NotImplementedError

    def step(self, by: int = 1) -> None:
        """Count, so that no text can make the reader run on and on."""
        self.steps += by
        if self.steps > STEPS:
            raise Unreadable("it is too large to be inspected")

    def peek(self, size: int = 1) -> str:
        """Look at what stands here."""
        return self.text[self.at : self.at + size]

    def word(self) -> Word:
        """Read one word; empty pieces mean that none stands here."""
        start, pieces = self.at, list[Piece]()
        if _NAMED_COMMAND.match(self.text, self.at):
            raise Unreadable("zsh reads =… as the path of a command, bash as text")
        while self.at < len(self.text):
            self.step()
            char = self.text[self.at]
            if char in META:
                if char in "<>" and self.peek(2)[1:] == "(":
                    if pieces:
                        raise Unreadable("a process substitution stands inside a word")
                    pieces.append(self._process())
                    continue
                break
            pieces.extend(self._piece(char))
        return Word(tuple(pieces), self.base + start, self.text[start : self.at])

    def _piece(self, char: str) -> list[Piece]:
        if char not in _QUOTING:
            return [Piece("text", self._run(_RUN), quoted=False)]
        if char == "\\":
            return self._escape()
        if char == "'":
            return [self._single()]
        if char == '"':
            self.at += 1
            return self._double('"') or [Piece("text", "", quoted=True)]
        return [self._dollar(quoted=False) if char == "$" else self._backquote(quoted=False)]

    def _run(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if not found:
            raise Unreadable(f"{self.text[self.at : self.at + 1]!r} is not expected here")
        self.at = found.end()
        return found[0]

    def _escape(self) -> list[Piece]:
        following = self.text[self.at + 1 : self.at + 2]
        if not following:
            raise Unreadable("it ends in a backslash")
        self.at += 2
        return [] if following == "\n" else [Piece("text", following, quoted=True)]

    def _single(self) -> Piece:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise Unreadable("a single quote is never closed")
        text, self.at = self.text[self.at + 1 : end], end + 1
        return Piece("text", text, quoted=True)

    def _double(self, closing: str) -> list[Piece]:
        """Read up to the closing quote; an empty `closing` reads a here-document to the end of the text."""
        pieces, plain = list[Piece](), _IN_DOUBLE if closing else _IN_BODY
        while self.at < len(self.text):
            self.step()
            char = self.text[self.at]
            if closing and char == closing:
                self.at += 1
                return pieces
            if char == "\\":
                following = self.peek(2)[1:]
                self.at += 2
                if following == "\n":
                    continue
                kept = following if following and following in "$`\\" + closing else "\\" + following
                pieces.append(Piece("text", kept, quoted=True))
            elif char == "$":
                pieces.append(self._dollar(quoted=True))
            elif char == "`":
                pieces.append(self._backquote(quoted=True))
            else:
                pieces.append(Piece("text", self._run(plain), quoted=True))
        if closing:
            raise Unreadable("a double quote is never closed")
        return pieces

    def body(self) -> tuple[Piece, ...]:
        """Read the whole text as a here-document in which the shell expands."""
        return tuple(self._double(""))

    def _dollar(self, *, quoted: bool) -> Piece:
        following = self.peek(2)[1:]
        if following == "(":
            return self._arithmetic(quoted=quoted) if self.peek(3) == "$((" else self._substitution(quoted=quoted)
        if following == "{":
            return self._braces(quoted=quoted)
        if following == "[":
            raise Unreadable("$[…] is not read")
        if following == "'" and not quoted:
            return self._ansi()
        if following == '"' and not quoted:
            raise Unreadable('$"…" is not read')
        if _FLAGGED.match(self.text, self.at):
            raise Unreadable("zsh reads a flag of the expansion behind $, bash text")
        name = _NAME.match(self.text, self.at + 1)
        if name:
            self.at = name.end()
            if _SUBSCRIPT.match(self.text, self.at):
                raise Unreadable(
                    f"zsh reads a part of ${name[0]} where bash reads text behind it; write ${{{name[0]}}}"
                )
            return Piece("var", name[0], quoted)
        if following and following in _SPECIAL:
            self.at += 2
            return Piece("var", following, quoted)
        self.at += 1
        return Piece("text", "$", quoted=True)

    def _substitution(self, *, quoted: bool) -> Piece:
        self.at += 2
        return Piece("sub", "", quoted, script=self._deeper())

    def _process(self) -> Piece:
        direction, self.at = self.text[self.at], self.at + 2
        return Piece("proc", direction, quoted=False, script=self._deeper())

    def _deeper(self) -> Script:
        self.level += 1
        if self.level > LEVELS:
            raise Unreadable("it is nested too deeply to be inspected")
        script = self.script(")")
        self.level -= 1
        return script

    def _backquote(self, *, quoted: bool) -> Piece:
        start = self.at = self.at + 1
        text = list[str]()
        while self.peek() != "`":
            self.step()
            if self.at >= len(self.text):
                raise Unreadable("a backquote is never closed")
            if self.peek() == "\\" and self.peek(2)[1:] in ("`", "$", "\\", '"' if quoted else "`"):
                self.at += 1
            text.append(self.peek())
            self.at += 1
        displaced = len(text) != self.at - start
        self.at += 1
        script = self.nested("".join(text), self.base + start)
        return Piece("sub", "", quoted, script=script._replace(displaced=displaced))

    def arithmetic(self) -> str:
        """Read an expression up to its `))`, which must close together."""
        depth, start = 0, self.at
        while True:
            self.step()
            char = self.peek()
            if char == "(":
                depth += 1
            elif char == ")" and depth:
                depth -= 1
            elif char == ")":
                text = self.text[start : self.at]
                if self.peek(2) != "))":
                    raise Unreadable("(( is not closed by ))")
                self.at += 2
                return text
            elif not char:
                raise Unreadable("(( is never closed")
            else:
                self._run(_ARITHMETIC)
                continue
            self.at += 1

    def _arithmetic(self, *, quoted: bool) -> Piece:
        self.at += 3
        return Piece("arith", self.arithmetic(), quoted)

    def _ansi(self) -> Piece:
        end = start = self.at + 2
        while self.text[end : end + 1] != "'":
            if end >= len(self.text):
                raise Unreadable("a quote is never closed")
            end += 2 if self.text[end] == "\\" else 1
        self.at = end + 1
        return Piece("ansi", _ANSI.sub(_decoded, self.text[start:end]), quoted=True)

    def _braces(self, *, quoted: bool) -> Piece:
        self.at += 2
        start = self.at
        while self.peek() and self.peek() in "#!":
            self.at += 1
        prefix = self.text[start : self.at]
        name = _NAME.match(self.text, self.at)
        if name:
            spelled, self.at = name[0], name.end()
        elif self.peek() and self.peek() in _SPECIAL:
            spelled, self.at = self.peek(), self.at + 1
            if spelled == "$" and self.peek() in tuple("({"):
                raise Unreadable("zsh runs what stands in ${$(…)}, where bash reads no name")
        elif prefix == "#":
            spelled, prefix = "#", ""  # ${#} counts the arguments
        else:
            raise Unreadable("${ is not followed by a name")
        inside = self.at
        inner = self._within_braces(quoted=quoted)
        return Piece("var", spelled, quoted, prefix + self.text[inside : self.at - 1], inner)

    def _within_braces(self, *, quoted: bool) -> tuple[Piece, ...]:
        pieces = list[Piece]()
        self.level += 1
        if self.level > LEVELS:
            raise Unreadable("it is nested too deeply to be inspected")
        while self.at < len(self.text):
            self.step()
            char = self.text[self.at]
            if char == "}":
                self.at, self.level = self.at + 1, self.level - 1
                return tuple(pieces)
            if char == "{" or (char == "'" and quoted):
                raise Unreadable(f"{char} inside ${{…}} is not read")
            pieces.extend([Piece("text", self._run(_IN_BRACES), quoted)] if char not in _QUOTING else self._piece(char))
        raise Unreadable("${ is never closed")


def _decoded(found: re.Match[str]) -> str:
    text = found[0][1:]
    if text[0] in "xuU" and len(text) > 1:
        return chr(min(int(text[1:], 16), 0x10FFFF))
    if text[0] in "01234567":
        return chr(int(text, 8) & 0xFF)
    if text[0] == "c":
        return chr(ord(text[1]) & 0x1F)
    return _ESCAPES.get(text, text)
