"""Read redirections, and the here-documents that begin at the end of a line."""

import re

from linetrail.ledger.shell.reading.lexer import BLANK, LEVELS, Lexer
from linetrail.ledger.shell.reading.syntax import Piece, Redirect, Unreadable, Word

_OPERATOR = re.compile(r"([0-9]+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<&|<>|>>|>&|>\||<|>)")
# zsh: >! writes over a file, <1-9> is any number in the name of one
_UNLIKE = re.compile(r"(?:[0-9]+)?(?:[<>&|]*>[>&|]*!|<[0-9]*-[0-9]*>)")


class Redirections(Lexer):
    """Words, the blanks between them, and where they are redirected to."""

    def __init__(self, text: str, base: int = 0, level: int = 0) -> None:
        super().__init__(text, base, level)
        # newline -> where the text goes on behind the here-documents that begin there
        self.jumps: dict[int, int] = {}

    def skip(self, *, lines: bool = False) -> None:
        """Go over blanks, comments and escaped newlines; over newlines, too, where the grammar allows them."""
        while True:
            self.step()
            char = self.peek()
            if char and char in BLANK:
                self.at += 1
            elif self.peek(2) == "\\\n":
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
