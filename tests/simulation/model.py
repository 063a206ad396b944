"""The simulator's own account of a file: each line with the truth about who wrote it, kept by construction.

Nothing here compares texts to find out what happened: whoever changes a file says which lines it kept, edited,
moved or made. A line keeps its number (`uid`) while it stays where it is among its neighbours, so two versions of a
file are put side by side by numbers.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import NamedTuple

# A person's line before anybody committed it.
NOBODY = "nobody"

_numbers = count(1)
_word = re.compile(r"[A-Za-z_][A-Za-z_0-9]+|\d+")


class Line(NamedTuple):
    """A line of a file. `authors` are all that may be named for it: `ai:<session>`, `human:<name>` or `nobody`.

    `hands` are the kinds that had a hand in it, `operation` the last one that touched it.
    """

    uid: int
    text: str
    authors: frozenset[str]
    hands: frozenset[str]
    operation: str

    @property
    def kinds(self) -> set[str]:
        """Return `ai`, `human`, or both where either may be named."""
        return {kind_of(author) for author in self.authors}


class File(NamedTuple):
    """A text file: its lines without their ends, how they end, and whether the last one ends, too."""

    lines: tuple[Line, ...]
    eol: str = "\n"
    ended: bool = True

    @property
    def content(self) -> bytes:
        """Return the bytes on disk."""
        text = self.eol.join(line.text for line in self.lines)
        ended = self.ended or not self.lines or not self.lines[-1].text
        return (text + (self.eol if ended and self.lines else "")).encode()

    def replaced(self, start: int, stop: int, lines: Iterable[Line]) -> "File":
        """Return the file with other lines in place of a range."""
        return self._replace(lines=(*self.lines[:start], *lines, *self.lines[stop:]))


Tree = dict[str, File]


def kind_of(author: str) -> str:
    """Return `ai` or `human`."""
    return "ai" if author.startswith("ai:") else "human"


def written(texts: Iterable[str], author: str, operation: str) -> list[Line]:
    """Return new lines of one author."""
    kind = frozenset([kind_of(author)])
    return [Line(next(_numbers), text, frozenset([author]), kind, operation) for text in texts]


def edited(line: Line, author: str, operation: str, salt: int) -> Line:
    """Change one word of a line, so that it belongs to whoever did it."""
    words = list(_word.finditer(line.text))
    if words:
        word = words[salt % len(words)]
        text = line.text[: word.start()] + _other(word.group(), salt) + line.text[word.end() :]
    else:
        text = f"{line.text} note_{salt}"
    return changed(line, text, author, operation)


def changed(line: Line, text: str, author: str, operation: str) -> Line:
    """Change a line in substance; an equal text changes nothing."""
    hands = line.hands | {kind_of(author)}
    changes = {"text": text, "authors": frozenset([author]), "hands": hands, "operation": operation}
    return line if text == line.text else line._replace(**changes)


def laid_out(line: Line, text: str, operation: str) -> Line:
    """Change a line in what is no substance."""
    return line if text == line.text else line._replace(text=text, operation=operation)


def elsewhere(lines: Iterable[Line], operation: str) -> list[Line]:
    """Return lines as they are after a move or in a copy: the same authors in another place."""
    return [line._replace(uid=next(_numbers), operation=operation) for line in lines]


def joined(lines: Sequence[Line], text: str, operation: str) -> Line:
    """Return the one line that a formatter made out of several: any of their authors may be named."""
    authors = frozenset[str]().union(*(line.authors for line in lines))
    hands = frozenset[str]().union(*(line.hands for line in lines))
    return Line(next(_numbers), text, authors, hands, operation)


def divided(line: Line, texts: Iterable[str], operation: str) -> list[Line]:
    """Return the lines that a formatter made out of one."""
    return [line._replace(uid=next(_numbers), text=text, operation=operation) for text in texts]


def mapped(tree: Tree, change: Callable[[Line], Line]) -> Tree:
    """Return a tree with every line changed."""
    return {path: file._replace(lines=tuple(map(change, file.lines))) for path, file in tree.items()}


def lines_of(tree: Tree) -> dict[int, Line]:
    """Return all lines by number."""
    return {line.uid: line for file in tree.values() for line in file.lines}


def _other(word: str, salt: int) -> str:
    return str(int(word) + 1 + salt) if word.isdecimal() else f"{word}_{'abcdefg'[salt % 7]}"
