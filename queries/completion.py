"""Complete a command line for a shell while somebody types it.

Whatever goes wrong, nothing is said and nothing fails: the shell then offers file names, as for any other program.
The parsers of the commands are walked, so what is offered is what is understood.
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.queries.candidates import Candidate, Wanted, candidates
from linetrail.queries.command_line import COMMANDS, parser_of


class Typed(NamedTuple):
    """A command line so far: the finished words, and the word being typed."""

    words: Sequence[str]
    current: str


def main(arguments: Sequence[str]) -> int:
    """Print completions for a shell, given its name and words; bash passes its line, what to replace, and the word."""
    with contextlib.suppress(Exception), open(os.devnull, "w", encoding="utf-8") as nowhere:
        with contextlib.redirect_stderr(nowhere):
            shell, *rest = arguments
            typed = _of_line(rest[0]) if shell == "bash" else Typed(rest[:-1], rest[-1])
            found = complete(typed)
        lines = _for_bash(found, typed.current, *rest[1:]) if shell == "bash" else map(_described, found)
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
    return 0


def complete(typed: Typed) -> list[Candidate]:
    found = {
        value: about for value, about in _candidates(typed) if value.startswith(typed.current) and value.isprintable()
    }
    return list(found.items())


def _of_line(line: str) -> Typed:
    """Split a line into words as a shell does, also with a quote left open."""
    import shlex

    for closing in ("", '"', "'"):
        with contextlib.suppress(ValueError):
            words = shlex.split(line + closing)
            open_end = not closing and (not line or line[-1].isspace())
            return Typed(words, "") if open_end or not words else Typed(words[:-1], words[-1])
    return Typed([], "")


def _for_bash(found: Iterable[Candidate], current: str, replaced: str, word: str) -> Iterator[str]:
    """Yield candidates as bash needs them, which replaces only the end of a word."""
    known = current[: len(current) - len(replaced)] if current.endswith(replaced) else ""
    for value, _ in found:
        rest = value[len(known) :]
        yield rest if word.startswith(("'", '"')) else _escaped(rest)


def _described(candidate: Candidate) -> str:
    value, about = candidate
    return f"{value}\t{' '.join(about.split())}"


def _escaped(value: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "@%+=:,./_-~" else f"\\{sign}" for sign in value)


def _candidates(typed: Typed) -> Iterator[Candidate]:
    words = list(typed.words)
    while words and os.path.basename(words[0]) in {"git", "linetrail", "git-linetrail"}:
        words.pop(0)
    directory, at = _before_command(words)
    if at >= len(words):
        if at > len(words) or typed.current.startswith("-"):
            yield from _of_parser(parser_of(None), Wanted(directory, "", words, "", 0, typed.current), words)
        else:
            yield from ((name, about) for name, (_, about) in COMMANDS.items())
            yield "help", "all of one command"
        return
    if words[at] == "help":
        yield from ((name, about) for name, (_, about) in COMMANDS.items())
    elif words[at] in COMMANDS:
        parser, rest = _verb(_chosen(parser_of(words[at]), words[at]), words[at + 1 :])
        yield from _of_parser(parser, Wanted(directory, words[at], words[at + 1 :], "", 0, typed.current), rest)


def _before_command(words: Sequence[str]) -> tuple[str, int]:
    """Return the directory of `-C`, and the index of the command, which may lie beyond the words."""
    directory, at = ".", 0
    while at < len(words) and words[at].startswith("-"):
        valued = words[at] in {"-C", "--color"}
        if words[at] == "-C" and at + 1 < len(words):
            directory = words[at + 1]
        at += 1 + valued
    return directory, at


def _of_parser(parser: argparse.ArgumentParser, wanted: Wanted, words: Sequence[str]) -> Iterator[Candidate]:
    """Yield the completions after these words of a command or verb."""
    current = wanted.current
    options = {name: action for action in parser._actions for name in action.option_strings}  # noqa: SLF001  argparse tells them in no other way
    name, _, begun = current.partition("=")
    if "=" in current and name in options:
        values = _values(options[name], wanted._replace(current=begun))
        yield from ((f"{name}={value}", about) for value, about in values)
        return
    waiting, taken = _waiting(options, words)
    if waiting is not None and "--" not in words:
        yield from _values(waiting[0], wanted._replace(place=waiting[1]))
        return
    if current.startswith("-") and "--" not in words:
        yield from _options(parser)
        return
    for action in _positional(parser, taken):
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  argparse has no other name for it
            yield from ((verb.dest, verb.help or "") for verb in action._choices_actions)  # noqa: SLF001  nor for these
        else:
            yield from _values(action, wanted)


def _chosen(parser: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    subparsers = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001  the same
    chosen: argparse.ArgumentParser = subparsers.choices[name]
    return chosen


def _verb(parser: argparse.ArgumentParser, words: Sequence[str]) -> tuple[argparse.ArgumentParser, Sequence[str]]:
    """Return the parser of the verb in the words, if there is one, and the words after it."""
    for action in parser._actions:  # noqa: SLF001  the same
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  the same
            at = next((at for at, word in enumerate(words) if word in action.choices), None)
            if at is not None:
                return _verb(action.choices[words[at]], words[at + 1 :])
    return parser, words


def _waiting(
    options: dict[str, argparse.Action], words: Sequence[str]
) -> tuple[tuple[argparse.Action, int] | None, int]:
    """Return the option that the next word is a value of, with its index, and the number of positional words."""
    at = taken = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            continue
        if not word.startswith("-") or word == "-":
            taken += 1
            continue
        action = options.get(word)
        if action is None or "=" in word:
            continue
        wants = {None: 1, "?": 1, "*": 1, "+": 1}.get(action.nargs, action.nargs)  # type: ignore[arg-type]  # an int is no key, and stays
        for place in range(int(wants or 0)):
            if at + place >= len(words):
                return (action, place), taken
        at += int(wants or 0)
    return None, taken


def _positional(parser: argparse.ArgumentParser, taken: int) -> list[argparse.Action]:
    for action in parser._get_positional_actions():  # noqa: SLF001  the same
        if action.nargs in {"*", "+"} or not taken:
            return [action]
        taken -= 1
    return []


def _options(parser: argparse.ArgumentParser) -> Iterator[Candidate]:
    """Yield the options of a command in their long spelling."""
    for action in parser._actions:  # noqa: SLF001  the same
        if action.option_strings and action.help != argparse.SUPPRESS:
            yield max(action.option_strings, key=len), (action.help or "").replace("%%", "%")


def _values(action: argparse.Action, wanted: Wanted) -> Iterator[Candidate]:
    if action.choices is not None:
        yield from ((str(choice), "") for choice in action.choices)
        return
    yield from candidates(wanted._replace(name=action.dest))
