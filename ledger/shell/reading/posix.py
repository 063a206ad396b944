"""What `sh` reads otherwise than bash: on Debian and Ubuntu it is dash, which has what POSIX 2024 (XCU 2) has, and no more."""

import re
from collections.abc import Iterator

from linetrail.ledger.shell.reading.syntax import Command, Compound, Piece, Script, Simple, Word, commands, words_of

_BRACES = re.compile(r"\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}")
# Words of bash that set variables, or go elsewhere; in dash the program of that name is not found.
_SETTING = {"declare", "typeset", "let", "mapfile", "readarray", "pushd", "popd", "shopt"}
_NAMED = {"test": "[[ … ]]", "arith": "(( … ))", "count": "for (( … ))", "select": "select"}


def unlike(script: Script) -> str | None:
    """Return the first construct that only bash and its like know, and that sh takes for something else.

    >>> from linetrail.ledger.shell.reading.grammar import read
    >>> unlike(read("mkdir -p a/{b,c}")), unlike(read("[[ b > a ]]")), unlike(read("[ -f a ] && ls '{a,b}'"))
    ('{b,c}', '[[ … ]]', None)
    """
    return next((found for command in commands(script) for found in _unlike(command)), None)


def _unlike(command: Command) -> Iterator[str]:
    if isinstance(command, Compound) and command.kind in _NAMED:
        yield _NAMED[command.kind]
    if isinstance(command, Simple):
        yield from (f"{one.name}+=" for one in command.assignments if one.operator == "+=")
        program = command.words[0].literal if command.words else None
        if program in _SETTING or (program == "printf" and any(word.literal == "-v" for word in command.words)):
            yield program
    for word in words_of(command):
        yield from _spelled(word)


def _spelled(word: Word) -> Iterator[str]:
    plain = "".join(piece.text if _is_plain(piece) else "_" for piece in word.pieces)
    found = _BRACES.search(plain)
    if found:
        yield found[0]
    if any(piece.kind == "ansi" for piece in word.pieces):
        yield "$'…'"


def _is_plain(piece: Piece) -> bool:
    return piece.kind == "text" and not piece.quoted
