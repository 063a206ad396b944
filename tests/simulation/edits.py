"""Changes of substance: lines inserted, edited, deleted and written anew, by people whom nobody sees and by agents."""

import re
from itertools import count
from pathlib import PurePath

from tests.simulation.agent import Session
from tests.simulation.choice import Choice, Operation, author, name, quoted
from tests.simulation.model import File, Line, changed, edited, written
from tests.simulation.texts import KINDS
from tests.simulation.world import NotNow, World

SHORTEST = 8
HEADER = (
    "# Copyright the authors of this project.",
    "# Licensed under the terms in the file LICENSE.",
    "import argparse",
    "import collections",
    "",
)
_long_word = re.compile(r"[A-Za-z_]{5,}")


def fresh(world: World, choice: Choice, path: str, session: Session | None, operation: str) -> list[Line]:
    """Return new lines for a file."""
    block = world.fresh(PurePath(path).suffix, choice.other)
    return written(block, author(world, session), operation)


def _insert(
    world: World, choice: Choice, session: Session | None, operation: str, place: tuple[str, int] | None = None
) -> None:
    path, at = place or (choice.path(world), None)
    file = world.files[path]
    at = choice.place(file) if at is None else at
    lines = fresh(world, choice, path, session, operation)
    world.changed(path, file.replaced(at, at, lines), session)
    world.say(f"{name(session, choice)} inserts {len(lines)} lines below line {at} of {path}: {quoted(lines)}")


def _edit(
    world: World, choice: Choice, session: Session | None, operation: str, place: tuple[str, range] | None = None
) -> None:
    path = place[0] if place else choice.path(world)
    file = world.files[path]
    span = place[1] if place else choice.span(file, most=3)
    lines = [
        edited(line, author(world, session), operation, choice.other) if line.text.strip() else line
        for line in file.lines[span.start : span.stop]
    ]
    world.changed(path, file.replaced(span.start, span.stop, lines), session)
    world.say(f"{name(session, choice)} edits lines {span.start + 1}-{span.stop} of {path}: {quoted(lines)}")


def _delete(world: World, choice: Choice, session: Session | None) -> None:
    path = choice.path(world)
    file = world.files[path]
    span = choice.span(file)
    if len(file.lines) - len(span) < SHORTEST:
        raise NotNow
    world.changed(path, file.replaced(span.start, span.stop, []), session)
    world.say(f"{name(session, choice)} deletes lines {span.start + 1}-{span.stop} of {path}")


def _replace(
    world: World, choice: Choice, session: Session | None, operation: str, place: tuple[str, range] | None = None
) -> None:
    path = place[0] if place else choice.path(world)
    file = world.files[path]
    span = place[1] if place else choice.span(file, most=8)
    lines = fresh(world, choice, path, session, operation)
    world.changed(path, file.replaced(span.start, span.stop, lines), session)
    where = f"lines {span.start + 1}-{span.stop} of {path}"
    world.say(f"{name(session, choice)} writes {len(lines)} lines instead of {where}: {quoted(lines)}")


def _one(place: tuple[str, int]) -> tuple[str, range]:
    path, at = place
    return path, range(at, at + 1)


# agents


def agent_inserts(world: World, choice: Choice) -> None:
    _insert(world, choice, world.session(choice.who), "agent_inserts")


def agent_edits(world: World, choice: Choice) -> None:
    _edit(world, choice, world.session(choice.who), "agent_edits")


def agent_edits_a_persons_line(world: World, choice: Choice) -> None:
    place = _one(choice.owned(world, "human"))
    _edit(world, choice, world.session(choice.who), "agent_edits_a_persons_line", place)


def _rename_a_word(world: World, choice: Choice, session: Session | None, operation: str) -> None:
    """Give a word of a file another spelling wherever it stands."""
    path, at = choice.owned(world, "human" if choice.other % 2 else "ai")
    file = world.files[path]
    words = _long_word.findall(file.lines[at].text)
    if not words:
        raise NotNow
    word = words[choice.size % len(words)]
    new = f"{word}_{choice.other}"
    lines = [changed(line, line.text.replace(word, new), author(world, session), operation) for line in file.lines]
    after = file._replace(lines=tuple(lines))
    if session is None:
        world.save(path, after)
    else:
        where = str(world.root / path)
        given = {"file_path": where, "old_string": word, "new_string": new, "replace_all": True}
        call = session.call("Edit", given, str(world.root))
        world.save(path, after)
        told = {"filePath": where, "oldString": word, "newString": new, "replaceAll": True, "userModified": False}
        call.done(told)
    world.say(f"{name(session, choice)} replaces {word!r} by {new!r} wherever it stands in {path}")


def agent_renames_a_word(world: World, choice: Choice) -> None:
    _rename_a_word(world, choice, world.session(choice.who), "agent_renames_a_word")


def agent_deletes(world: World, choice: Choice) -> None:
    _delete(world, choice, world.session(choice.who))


def agent_replaces(world: World, choice: Choice) -> None:
    _replace(world, choice, world.session(choice.who), "agent_replaces")


def agent_rewrites_the_file(world: World, choice: Choice) -> None:
    """Write a whole file that keeps most lines, changes a few, drops some and has new ones."""
    path, session = choice.path(world), world.session(choice.who)
    file = world.files[path]
    changes, drop = choice.span(file, most=4), Choice(at=(choice.at + 50) % 100, size=choice.size).span(file, most=4)
    lines: list[Line] = []
    for at, line in enumerate(file.lines):
        if at in changes and line.text.strip():
            lines.append(edited(line, session.author, "agent_rewrites_the_file", choice.other))
        elif at not in drop:
            lines.append(line)
    at = choice.other * len(lines) // 100 % (len(lines) + 1)
    lines[at:at] = fresh(world, choice, path, session, "agent_rewrites_the_file")
    world.changed(path, file._replace(lines=tuple(lines)), session, "Write")
    world.say(f"{session.name} writes {path} anew and keeps most of it")


def agent_writes_a_new_file(world: World, choice: Choice) -> None:
    session = world.session(choice.who)
    path = world.new_name(KINDS[choice.other % len(KINDS)], "src" if choice.other % 2 else "docs/more")
    lines = [
        line
        for _ in range(1 + choice.size % 3)
        for line in fresh(world, choice, path, session, "agent_writes_a_new_file")
    ]
    world.changed(path, File(tuple(lines)), session, "Write")
    world.say(f"{session.name} writes the new file {path} of {len(lines)} lines: {quoted(lines)}")


def subagent_inserts(world: World, choice: Choice) -> None:
    session = world.session(choice.who)
    session.subagent = f"agent-{choice.other}"
    _insert(world, choice, session, "subagent_inserts")
    session.subagent = None


def agent_inserts_by_command(world: World, choice: Choice) -> None:
    """Append with a heredoc."""
    path, session = choice.path(world), world.session(choice.who)
    file = world.files[path]._replace(ended=True)
    lines = fresh(world, choice, path, session, "agent_inserts_by_command")
    text = "\n".join(line.text for line in lines)
    new = file.replaced(len(file.lines), len(file.lines), lines)
    world.shell(session, f"cat >> {path} <<'END'\n{text}\nEND", lambda: world.save(path, new))
    world.say(f"{session.name} appends {len(lines)} lines to {path} with cat: {quoted(lines)}")


def agent_edits_by_command(world: World, choice: Choice) -> None:
    """Edit in place, as with sed."""
    path, session = choice.path(world), world.session(choice.who)
    file = world.files[path]
    span = choice.span(file, most=3)
    lines = [
        edited(line, session.author, "agent_edits_by_command", choice.other) if line.text.strip() else line
        for line in file.lines[span.start : span.stop]
    ]
    new = file.replaced(span.start, span.stop, lines)
    world.shell(session, f"sed -i -f /tmp/edit.sed {path}", lambda: world.save(path, new))
    world.say(f"{session.name} edits lines {span.start + 1}-{span.stop} of {path} with sed: {quoted(lines)}")


def agent_writes_a_file_by_command(world: World, choice: Choice) -> None:
    session = world.session(choice.who)
    path = world.new_name(".py")
    lines = fresh(world, choice, path, session, "agent_writes_a_file_by_command")
    text = "\n".join(line.text for line in lines)
    command = f"cat > {path} <<'END'\n{text}\nEND"
    world.shell(session, command, lambda: world.save(path, File(tuple(lines))))
    world.say(f"{session.name} writes the new file {path} of {len(lines)} lines with cat: {quoted(lines)}")


def two_sessions_at_once(world: World, choice: Choice) -> None:
    """Let two tool calls on one file overlap, each in its own half."""
    path = choice.path(world)
    one, two = world.session(choice.who), world.session(choice.who + 1)
    file = world.files[path]
    middle = len(file.lines) // 2
    upper, lower = choice.at * middle // 100, middle + choice.at * middle // 100
    above = fresh(world, choice, path, one, "two_sessions_at_once")
    below = fresh(world, choice, path, two, "two_sessions_at_once")
    first = file.replaced(upper, upper, above)
    second = file.replaced(lower, lower, below)
    both = second.replaced(upper, upper, above)
    first_done = world.begin(one, path, first)
    if choice.other % 3 == 0:  # the second begins and ends while the first has not written yet
        second_done = world.begin(two, path, second)
        world.save(path, second)
        second_done()
        world.save(path, both)
        first_done()
    elif choice.other % 3 == 1:  # both have begun, the first to write is the last to report
        second_done = world.begin(two, path, second)
        world.save(path, first)
        world.save(path, both)
        second_done()
        first_done()
    else:  # the second begins after the first has written
        world.save(path, first)
        second_done = world.begin(two, path, both)
        world.save(path, both)
        first_done()
        second_done()
    what = f"{quoted(above)} and {quoted(below)}"
    world.say(f"{one.name} and {two.name} insert into {path} at once, order {choice.other % 3}: {what}")


# people


def person_inserts(world: World, choice: Choice) -> None:
    _insert(world, choice, None, "person_inserts")


def person_inserts_inside(world: World, choice: Choice) -> None:
    """Insert above a line of an agent's."""
    _insert(world, choice, None, "person_inserts_inside", choice.owned(world, "ai"))


def person_edits(world: World, choice: Choice) -> None:
    _edit(world, choice, None, "person_edits")


def person_edits_an_agents_line(world: World, choice: Choice) -> None:
    _edit(world, choice, None, "person_edits_an_agents_line", _one(choice.owned(world, "ai")))


def person_renames_a_word(world: World, choice: Choice) -> None:
    _rename_a_word(world, choice, None, "person_renames_a_word")


def person_deletes(world: World, choice: Choice) -> None:
    _delete(world, choice, None)


def person_replaces(world: World, choice: Choice) -> None:
    _replace(world, choice, None, "person_replaces")


def person_replaces_agents_lines(world: World, choice: Choice) -> None:
    path, at = choice.owned(world, "ai")
    lines = world.files[path].lines
    stop = next(n for n in count(at) if n == len(lines) or n - at > choice.size or lines[n].kinds != {"ai"})
    _replace(world, choice, None, "person_replaces_agents_lines", (path, range(at, stop)))


def person_writes_a_new_file(world: World, choice: Choice) -> None:
    path = world.new_name(KINDS[choice.other % len(KINDS)])
    lines = fresh(world, choice, path, None, "person_writes_a_new_file")
    world.save(path, File(tuple(lines)))
    world.say(f"{choice.person} writes the new file {path} of {len(lines)} lines: {quoted(lines)}")


def person_types_the_same_line(world: World, choice: Choice) -> None:
    """Write a text of which one line, by chance, is one that an agent wrote elsewhere."""
    path, at = choice.owned(world, "ai")
    same = world.files[path].lines[at].text
    target = world.new_name(PurePath(path).suffix)
    lines = fresh(world, choice, target, None, "person_types_the_same_line")
    middle = len(lines) // 2
    lines[middle:middle] = written([same], author(world, None), "person_types_the_same_line")
    world.save(target, File(tuple(lines)))
    world.say(f"{choice.person} writes the new file {target}, in which an agent's line stands, too: {same.strip()!r}")


def somebody_writes_under_the_header(world: World, choice: Choice) -> None:
    """Write a new file that begins as many others do; an agent does, or a person."""
    session = world.session(choice.who) if choice.size % 3 else None
    path = world.new_name(".py")
    operation = "somebody_writes_under_the_header"
    lines = [*written(HEADER, author(world, session), operation), *fresh(world, choice, path, session, operation)]
    world.changed(path, File(tuple(lines)), session, "Write")
    world.say(f"{name(session, choice)} writes the new file {path} under the header: {quoted(lines[len(HEADER) :])}")


# What is not in the random histories, whose figures were promised without it.
ALIKE: tuple[Operation, ...] = (somebody_writes_under_the_header,)
EDITS: tuple[Operation, ...] = (
    agent_inserts,
    agent_edits,
    agent_edits_a_persons_line,
    agent_renames_a_word,
    agent_deletes,
    agent_replaces,
    agent_rewrites_the_file,
    agent_writes_a_new_file,
    subagent_inserts,
    agent_inserts_by_command,
    agent_edits_by_command,
    agent_writes_a_file_by_command,
    two_sessions_at_once,
    person_inserts,
    person_inserts_inside,
    person_edits,
    person_edits_an_agents_line,
    person_renames_a_word,
    person_deletes,
    person_replaces,
    person_replaces_agents_lines,
    person_writes_a_new_file,
    person_types_the_same_line,
)
