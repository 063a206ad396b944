"""Lines that go elsewhere as they are: blocks, functions, whole files and folders, moved or copied."""

import shlex
import shutil
from pathlib import PurePath

from tests.simulation.agent import Session
from tests.simulation.choice import TELLING, Choice, Operation, name, quoted
from tests.simulation.edits import SHORTEST
from tests.simulation.model import File, Line, edited, elsewhere, laid_out, written
from tests.simulation.world import NOBODY, NotNow, World


def _block(world: World, choice: Choice) -> tuple[str, range]:
    """Choose a block to move, every other time one around an agent's lines."""
    path, at = choice.path(world), choice.at
    if choice.who % 2:
        path, line = choice.owned(world, "ai")
        at = max(line - 2, 0) * 100 // (len(world.files[path].lines) + 1)
    file = world.files[path]
    span = choice._replace(at=at).span(file, 4, 12, telling=TELLING)
    if len(file.lines) - len(span) < SHORTEST:
        raise NotNow
    return path, span


def _within(world: World, choice: Choice, session: Session | None, operation: str) -> None:
    path, span = _block(world, choice)
    file = world.files[path]
    lines = elsewhere(file.lines[span.start : span.stop], operation)
    rest = file.replaced(span.start, span.stop, [])
    at = (span.start + 8 + choice.other) % (len(rest.lines) + 1)
    if abs(at - span.start) < 2:
        raise NotNow
    new = rest.replaced(at, at, lines)
    if session is None:
        world.save(path, new)
    elif choice.size % 3 == 0:
        world.changed(path, rest, session)
        world.changed(path, new, session)
    elif choice.size % 3 == 1:
        below = at if at < span.start else at + len(span)
        world.changed(path, file.replaced(below, below, lines), session)
        world.changed(path, new, session)
    else:
        world.changed(path, new, session, "Write")
    way = "" if session is None else (" (deleted first)", " (added first)", " (one Write)")[choice.size % 3]
    where = f"lines {span.start + 1}-{span.stop} of {path} below its line {at}"
    world.say(f"{name(session, choice)} moves {where}{way}: {quoted(lines)}")


def _to_another_file(world: World, choice: Choice, session: Session | None, operation: str, indent: str = "") -> None:
    path, span = _block(world, choice)
    file = world.files[path]
    moved = elsewhere(file.lines[span.start : span.stop], operation)
    if indent:
        moved = [laid_out(line, indent + line.text if line.text.strip() else line.text, operation) for line in moved]
    rest = file.replaced(span.start, span.stop, [])
    target = choice._replace(file=choice.file + 1).path(world)
    if target == path or choice.size % 2:
        target = world.new_name(PurePath(path).suffix)
    there = world.files.get(target, File((), file.eol))
    at = choice.other % (len(there.lines) + 1)
    new = there.replaced(at, at, moved)
    steps = [(path, rest), (target, new)]
    for where, what in steps if choice.other % 2 else reversed(steps):
        world.changed(where, what, session)
    world.say(
        f"{name(session, choice)} moves lines {span.start + 1}-{span.stop} of {path} to {target}: {quoted(moved)}"
    )


def person_moves_a_block(world: World, choice: Choice) -> None:
    _within(world, choice, None, "person_moves_a_block")


def person_moves_a_block_later(world: World, choice: Choice) -> None:
    world.clean(choice.person)
    _within(world, choice, None, "person_moves_a_block_later")


def agent_moves_a_block(world: World, choice: Choice) -> None:
    _within(world, choice, world.session(choice.who), "agent_moves_a_block")


def person_moves_to_another_file(world: World, choice: Choice) -> None:
    _to_another_file(world, choice, None, "person_moves_to_another_file")


def person_moves_to_another_file_later(world: World, choice: Choice) -> None:
    world.clean(choice.person)
    _to_another_file(world, choice, None, "person_moves_to_another_file_later")


def agent_moves_to_another_file(world: World, choice: Choice) -> None:
    _to_another_file(world, choice, world.session(choice.who), "agent_moves_to_another_file")


def person_moves_into_a_class(world: World, choice: Choice) -> None:
    _to_another_file(world, choice, None, "person_moves_into_a_class", "    ")


def agent_moves_into_a_class(world: World, choice: Choice) -> None:
    _to_another_file(world, choice, world.session(choice.who), "agent_moves_into_a_class", "    ")


def person_copies_a_block(world: World, choice: Choice) -> None:
    """Put equal lines elsewhere while the first ones stay: they are new lines, whoever wrote those."""
    path, span = _block(world, choice)
    file = world.files[path]
    lines = written([line.text for line in file.lines[span.start : span.stop]], NOBODY, "person_copies_a_block")
    target = choice._replace(file=choice.file + 1).path(world)
    there = world.files[target]
    at = choice.other % (len(there.lines) + 1)
    world.save(target, there.replaced(at, at, lines))
    where = f"{target}, below its line {at}"
    world.say(f"{choice.person} copies lines {span.start + 1}-{span.stop} of {path} to {where}: {quoted(lines)}")


# files


def _rename(world: World, choice: Choice, session: Session | None, operation: str, names: dict[str, str]) -> None:
    """Rename by git or without it; a session does it by command."""
    by_git = bool(choice.other % 2)
    if by_git:
        world.clean(choice.person)
    command = "; ".join(
        f"{'git mv' if by_git else 'mv'} {shlex.quote(old)} {shlex.quote(new)}" for old, new in names.items()
    )

    def act() -> None:
        for old, new in names.items():
            (world.root / new).parent.mkdir(parents=True, exist_ok=True)
            if by_git:
                world.git("mv", old, new)
            else:
                (world.root / old).rename(world.root / new)

    world.shell(session, command, act)
    for old, new in names.items():
        world.files[new] = _touched(world.files.pop(old), operation)
    world.say(f"{name(session, choice)} runs {command}")


def _touched(file: File, operation: str) -> File:
    return file._replace(lines=tuple(line._replace(operation=operation) for line in file.lines))


def _another_name(world: World, choice: Choice, path: str) -> str:
    return world.new_name(PurePath(path).suffix, ("src", "lib", "src/größe und maß")[choice.size % 3])


def person_renames(world: World, choice: Choice) -> None:
    path = choice.path(world)
    _rename(world, choice, None, "person_renames", {path: _another_name(world, choice, path)})


def agent_renames(world: World, choice: Choice) -> None:
    path = choice.path(world)
    _rename(world, choice, world.session(choice.who), "agent_renames", {path: _another_name(world, choice, path)})


def rename_the_folder(world: World, choice: Choice) -> None:
    folder = str(PurePath(choice.path(world)).parent)
    target = f"{folder}_{choice.other}"
    names = {path: target + path.removeprefix(folder) for path in sorted(world.files) if path.startswith(f"{folder}/")}
    if any(path.startswith(f"{target}/") for path in world.files):
        raise NotNow
    session = world.session(choice.who) if choice.size % 2 else None
    _rename(world, choice, session, "rename_the_folder", names)


def person_renames_and_edits(world: World, choice: Choice) -> None:
    path = choice.path(world)
    target = _another_name(world, choice, path)
    _rename(world, choice, None, "person_renames_and_edits", {path: target})
    file = world.files[target]
    span = choice.span(file, most=3)
    lines: list[Line] = [
        edited(line, NOBODY, "person_renames_and_edits", choice.other) if line.text.strip() else line
        for line in file.lines[span.start : span.stop]
    ]
    world.save(target, file.replaced(span.start, span.stop, lines))
    world.say(f"{choice.person} edits lines {span.start + 1}-{span.stop} of {target}: {quoted(lines)}")


def _copy(world: World, choice: Choice, session: Session | None, operation: str) -> None:
    path = choice.path(world)
    target = _another_name(world, choice, path)
    (world.root / target).parent.mkdir(parents=True, exist_ok=True)
    command = f"cp {shlex.quote(path)} {shlex.quote(target)}"
    world.shell(session, command, lambda: shutil.copyfile(world.root / path, world.root / target))
    file = world.files[path]
    world.files[target] = file._replace(lines=tuple(elsewhere(file.lines, operation)))
    world.say(f"{name(session, choice)} runs {command}")


def person_copies_a_file(world: World, choice: Choice) -> None:
    _copy(world, choice, None, "person_copies_a_file")


def agent_copies_a_file(world: World, choice: Choice) -> None:
    _copy(world, choice, world.session(choice.who), "agent_copies_a_file")


def remove_a_file(world: World, choice: Choice) -> None:
    path = choice.path(world)
    if len(world.files) < 3:
        raise NotNow
    session = world.session(choice.who) if choice.other % 2 else None
    world.shell(session, f"rm {shlex.quote(path)}", lambda: world.remove(path))
    world.say(f"{name(session, choice)} removes {path}")


MOVES: tuple[Operation, ...] = (
    person_moves_a_block,
    person_moves_a_block_later,
    agent_moves_a_block,
    person_moves_to_another_file,
    person_moves_to_another_file_later,
    agent_moves_to_another_file,
    person_moves_into_a_class,
    agent_moves_into_a_class,
    person_copies_a_block,
    person_renames,
    agent_renames,
    rename_the_folder,
    person_renames_and_edits,
    person_copies_a_file,
    agent_copies_a_file,
    remove_a_file,
)
