"""Let a team work: a plan, worktrees, an eviction, an arbitration, a landing, and the promises read back."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from linetrail.ledger.event.event import Event
from linetrail.ledger.repository import find
from linetrail.projections.git.shell import command
from linetrail.projections.tables.table import Table
from linetrail.queries.ask.library import blame
from linetrail.queries.demonstration import play, promises
from linetrail.queries.demonstration.play import PlayError, environment, part, session_of
from linetrail.queries.demonstration.promises import Facts, Found, Promise
from linetrail.queries.demonstration.scratch import PERSON, git
from linetrail.queries.demonstration.story import STORIES, TEAM
from linetrail.queries.setup.installation import hook_path
from linetrail.queries.work import states
from linetrail.queries.work.start import OUTPUT

STORY = STORIES[TEAM]
PROMISES = tuple(Promise(**promise) for promise in STORY["promises"])


class Player(NamedTuple):
    """Somebody of the team: as which agent, for which intent, in which role."""

    name: str
    agent: str
    intent: str
    role: str


CAST = {row["name"]: Player(**row) for row in STORY["cast"]}


def set_the_scene(folder: str) -> None:
    """Create the repository, in which whoever commits is the person of the demonstration."""
    play.set_the_scene(folder, TEAM)
    for name, value in (("user.name", PERSON["NAME"]), ("user.email", PERSON["EMAIL"]), ("commit.gpgsign", "false")):
        git(folder, "config", name, value)


def introduced(folder: str) -> str:
    rows = [f"  {one.name:<18}  {one.agent:<11}  {one.intent}" for one in CAST.values()]
    head = f"A team in {folder} (enforce: block). Each is a script that speaks the hooks' protocol of an agent:"
    return "\n".join([head, *rows, ""])


def acts(folder: str) -> Iterator[str]:
    """Play act after act, and yield what each prints; raise where one ends otherwise than it should."""
    for act in STORY["acts"]:
        if "start" in act:
            yield from _at_once(folder, [CAST[name] for name in act["start"]])
        else:
            yield _ran(folder, act)


def kept(folder: str) -> Table:
    return promises.kept(Facts(find(folder), TEAM), PROMISES, CHECKS)


def sessions() -> dict[str, str]:
    return {name: session_of(name, TEAM) for name in CAST}


def _at_once(folder: str, players: Sequence[Player]) -> Iterator[str]:
    """Start workers at the same time; yield what each start prints, in the order of the story."""
    processes = []
    for one in players:
        words = ["start", one.intent, "--role", one.role]
        processes.append((one, words, _process(folder, [*words, "--", *part(TEAM, one.name, one.agent)])))
    ended = [(one, words, *process.communicate(), process.returncode) for one, words, process in processes]
    for one, words, out, err, status in ended:
        if status:
            raise PlayError(f"the {one.name} stopped: {err.strip() or out.strip()} {_output(folder, one)}")
        yield f"$ linetrail {command(words)} -- SCRIPT  # the {one.name}, as {one.agent}\n{out}"


def _ran(folder: str, act: Mapping[str, Any]) -> str:
    words = [word.replace("{python}", command([sys.executable])) for word in act["command"]]
    process = _process(folder, words)
    out, err = process.communicate()
    if process.returncode != act.get("ends", 0):
        said = err.strip() or out.strip()
        raise PlayError(f"linetrail {_shown(act)} ended with {process.returncode}: {said}")
    return f"$ linetrail {_shown(act)}\n{out}"


def _shown(act: Mapping[str, Any]) -> str:
    return command(word.replace("{python}", "python3") for word in act["command"])


def _process(folder: str, words: Sequence[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [os.path.join(os.path.dirname(hook_path()), "linetrail"), "-C", folder, *words],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def _output(folder: str, player: Player) -> str:
    place = os.path.join(states.folder_of(find(folder), player.intent), OUTPUT)
    with contextlib.suppress(OSError), open(place, encoding="utf-8") as file:
        return file.read().strip()
    return ""


def _planned(facts: Facts, agent: str) -> Found:
    made = list(facts.of(agent, "intent.created"))
    return Found(" ".join(str(event.intent_id) for event in made), made[0]) if made else Found()


def _moves(facts: Facts, intent_id: str) -> list[Event]:
    return [event for event in facts.events if event.type == "work.moved" and event.intent_id == intent_id]


def _moved(facts: Facts, _: str, intent_id: str) -> Found:
    """Find the states that work went through; a state that follows itself only says more of it."""
    moves = _moves(facts, intent_id)
    passed = [state for state, _ in groupby(str(event.data["state"]) for event in moves)]
    return Found(" ".join(passed), moves[-1]) if moves else Found()


def _evicted(facts: Facts, _: str, intent_id: str) -> Found:
    found = next((event for event in _moves(facts, intent_id) if event.data["state"] == states.EVICTED), None)
    return Found(str(found.data["reason"]), found) if found else Found()


def _last(facts: Facts, event_type: str, key: str) -> Found:
    found = [event for event in facts.events if event.type == event_type]
    return Found(str(found[-1].data[key]), found[-1]) if found else Found()


def _owners(facts: Facts, _: str, path: str) -> Found:
    """Find who of the team wrote the lines of a file, as blame has it."""
    names = {session: name for name, session in sessions().items()}
    rows = blame(facts.repository.root, path)
    owners = sorted({names[row.session_id] for row in rows if row.session_id in names})
    return Found(", ".join(owners)) if owners else Found()


CHECKS: promises.Checks = {
    "planned": _planned,
    "moved": _moved,
    "evicted": _evicted,
    "decided": lambda facts, _: _last(facts, "decision.recorded", "title"),
    "learned": lambda facts, _: _last(facts, "lesson.recorded", "path"),
    "owners": _owners,
}
