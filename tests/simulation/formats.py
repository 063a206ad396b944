"""Changes of layout alone: indentation, white space, line ends, lines joined and split as a formatter does."""

import re
from collections.abc import Callable
from pathlib import PurePath

from tests.simulation.choice import Choice, Operation
from tests.simulation.model import File, Line, divided, joined, laid_out
from tests.simulation.world import NotNow, World

LONG = 60
_bracketed = re.compile(r"^(\s*)(\S[^()'\"#]*\()([^()'\"#]+)(\)[:,]?)$")


def _format(world: World, choice: Choice, operation: str, change: Callable[[File], File], what: str) -> None:
    """Change a file's layout: a person does, or an agent through a command or by Write; before or after a commit."""
    path = choice.path(world)
    if choice.other % 2:
        world.clean(choice.person)
    file = world.files[path]
    new = change(file)
    if new.content == file.content:
        raise NotNow
    by = choice.other // 2 % 4
    if by < 2:
        world.save(path, new)
        who = choice.person
    elif by == 2:
        session = world.session(choice.who)
        world.shell(session, f"format --quiet {path}", lambda: world.save(path, new))
        who = f"{session.name} by command"
    else:
        session = world.session(choice.who)
        world.changed(path, new, session, "Write")
        who = f"{session.name} by Write"
    world.say(f"{who} {what} {path}")


def reindent_a_block(world: World, choice: Choice) -> None:
    def change(file: File) -> File:
        span = choice.span(file, most=12)
        return _texts(file, lambda at, text: f"    {text}" if at in span and text.strip() else text, "reindent_a_block")

    _format(world, choice, "reindent_a_block", change, "indents a block of")


def reindent_the_file(world: World, choice: Choice) -> None:
    def half(_: int, text: str) -> str:
        bare = text.lstrip(" ")
        return " " * ((len(text) - len(bare)) // 2) + bare

    _format(world, choice, "reindent_the_file", lambda file: _texts(file, half, "reindent_the_file"), "indents by two")


def indent_with_tabs(world: World, choice: Choice) -> None:
    def tabs(_: int, text: str) -> str:
        bare = text.lstrip(" ")
        return "\t" * ((len(text) - len(bare)) // 4) + bare

    _format(world, choice, "indent_with_tabs", lambda file: _texts(file, tabs, "indent_with_tabs"), "puts tabs into")


def space_inside_lines(world: World, choice: Choice) -> None:
    def tight(_: int, text: str) -> str:
        return (
            text.replace(", ", ",").replace(" = ", "=") if ", " in text else text.replace(",", ", ").replace("=", " = ")
        )

    _format(
        world,
        choice,
        "space_inside_lines",
        lambda file: _texts(file, tight, "space_inside_lines"),
        "spaces words otherwise in",
    )


def trailing_space(world: World, choice: Choice) -> None:
    def add(at: int, text: str) -> str:
        return f"{text}  " if at % 3 == choice.size % 3 else text.rstrip()

    _format(
        world, choice, "trailing_space", lambda file: _texts(file, add, "trailing_space"), "leaves trailing blanks in"
    )


def switch_line_ends(world: World, choice: Choice) -> None:
    def change(file: File) -> File:
        return file._replace(eol="\n" if file.eol == "\r\n" else "\r\n")

    _format(world, choice, "switch_line_ends", change, "switches the line ends of")


def switch_final_newline(world: World, choice: Choice) -> None:
    _format(
        world,
        choice,
        "switch_final_newline",
        lambda file: file._replace(ended=not file.ended),
        "switches the final newline of",
    )


def add_blank_lines(world: World, choice: Choice) -> None:
    """Put two blank lines before each heading, as formatters do; a blank line is its writer's, and is not scored."""

    def change(file: File) -> File:
        lines: list[Line] = []
        for line in file.lines:
            if line.text.startswith(("def ", "class ", "#", "* ")) and lines and lines[-1].text:
                lines += divided(line, [""], "add_blank_lines")
            lines.append(line)
        return file._replace(lines=tuple(lines))

    _format(world, choice, "add_blank_lines", change, "adds blank lines to")


def split_lines(world: World, choice: Choice) -> None:
    """Put what is in brackets on lines of its own: one line of arguments, or one for each with a trailing comma."""

    def change(file: File) -> File:
        lines: list[Line] = []
        for line in file.lines:
            lines += _split(line, each=bool(choice.size % 2))
        return file._replace(lines=tuple(lines))

    if PurePath(choice.path(world)).suffix != ".py":
        raise NotNow
    _format(world, choice, "split_lines", change, "has long lines split in")


def join_lines(world: World, choice: Choice) -> None:
    """Join what stands in brackets over several lines, without the trailing comma."""

    def change(file: File) -> File:
        lines: list[Line] = []
        at = 0
        while at < len(file.lines):
            size = _brackets(file.lines[at:])
            lines.append(_join(file.lines[at : at + size]) if size > 1 else file.lines[at])
            at += size
        return file._replace(lines=tuple(lines))

    if PurePath(choice.path(world)).suffix != ".py":
        raise NotNow
    _format(world, choice, "join_lines", change, "has short lines joined in")


def _texts(file: File, change: Callable[[int, str], str], operation: str) -> File:
    lines = (laid_out(line, change(at, line.text), operation) for at, line in enumerate(file.lines))
    return file._replace(lines=tuple(lines))


def _split(line: Line, *, each: bool) -> list[Line]:
    found = _bracketed.match(line.text)
    if found is None or "," not in found.group(3):
        return [line]
    margin, start, inner, end = found.groups()
    parts = [part.strip() for part in inner.rstrip(", ").split(",")]
    middle = [f"{margin}    {part}," for part in parts] if each else [f"{margin}    {', '.join(parts)}"]
    return divided(line, [margin + start, *middle, margin + end], "split_lines")


def _brackets(lines: tuple[Line, ...]) -> int:
    """Return how many lines a bracket that opens at the end of the first one takes; 1 where none does."""
    if not lines[0].text.rstrip().endswith("("):
        return 1
    depth = 0
    for at, line in enumerate(lines[:12], 1):
        if any(sign in line.text for sign in "'\"#"):
            return 1
        depth += line.text.count("(") - line.text.count(")")
        if depth == 0:
            return at
    return 1


def _join(lines: tuple[Line, ...]) -> Line:
    first, *rest = [line.text.strip() for line in lines]
    inner = " ".join(rest[:-1]).rstrip(",")
    margin = lines[0].text[: len(lines[0].text) - len(lines[0].text.lstrip())]
    last = rest[-1] if rest[-1].startswith(")") or not inner else f" {rest[-1]}"
    return joined(lines, margin + first + inner + last, "join_lines")


FORMATS: tuple[Operation, ...] = (
    reindent_a_block,
    reindent_the_file,
    indent_with_tabs,
    space_inside_lines,
    trailing_space,
    switch_line_ends,
    switch_final_newline,
    add_blank_lines,
    split_lines,
    join_lines,
)
