"""The files whose lines a command shows: to an agent without a tool for reading, that is how it reads."""

import posixpath
from collections.abc import Iterator, Sequence

from linetrail.ledger.shell.reading.grammar import read
from linetrail.ledger.shell.reading.syntax import Command, Simple, Unreadable

# Program -> letters whose value is the next word.
_SHOWS = {"cat": "", "bat": "", "batcat": "", "nl": "bdfhilnsvw", "head": "nc", "tail": "nc", "sed": "efl", "tac": "s"}
_MOST = 20


def files(command: str) -> list[str]:
    """Return the files that a command shows, as they are spelled from where it starts; nothing where it is unreadable.

    >>> files("cd src && sed -n '1,40p' a.py; nl -ba b.py | head -5; wc -l c.py; cat d.py | wc -l")
    ['src/a.py', 'src/b.py']
    """
    try:
        script = read(command)
    except Unreadable:
        return []
    found, here = list[str](), ""
    for pipeline in script.pipelines:
        first, *rest = [_words(stage) for stage in pipeline.stages]
        if first[:1] == ["cd"] and len(first) == 2:
            here = posixpath.join(here, first[1])
        elif first and first[0] in _SHOWS and all(words and words[0] in _SHOWS for words in rest):
            found += [posixpath.join(here, path) for path in _operands(first)]
    return found[:_MOST]


def _words(stage: Command) -> list[str]:
    """Return the words of a plain command; of any other none."""
    if not isinstance(stage, Simple) or stage.redirects or stage.assignments:
        return []
    words = [word.literal for word in stage.words]
    return [word for word in words if word is not None] if None not in words else []


def _operands(words: Sequence[str]) -> Iterator[str]:
    name, is_value = words[0], False
    scripted = name != "sed" or any(word.startswith(("-e", "-f", "--expression", "--file")) for word in words)
    for word in words[1:]:
        if is_value or (word.startswith("-") and word != "-"):
            is_value = not is_value and word[1:2] != "-" and word[-1] in _SHOWS[name]
        elif scripted:
            yield word
        else:
            scripted = True
