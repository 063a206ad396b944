"""Set up the repository, run both agents at the same time, and collect what they heard."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import IO, Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from linetrail.ledger.agents import SHELL_VARIABLES
from linetrail.ledger.errors import LinetrailError, StorageError
from linetrail.ledger.files import publish
from linetrail.ledger.gate.settings import BLOCK
from linetrail.ledger.intents.registry_file import FILE
from linetrail.ledger.repository import FOLDER as FOLDER_OF_LEDGER
from linetrail.ledger.repository import find
from linetrail.queries.demonstration.scratch import commit, make_repository, require_free, undone_on_failure
from linetrail.queries.demonstration.story import ARCHITECT, BUILDER, GATE, STORIES
from linetrail.queries.setup.installation import hook_path, plan
from linetrail.queries.setup.steps import carry_out

# who plays -> as which agent
CAST = {ARCHITECT: "codex", BUILDER: "claude-code"}
ACTOR = "linetrail.queries.demonstration.story"
# What a person's own environment says to hooks, agents and git is not meant for the agents of the story.
_FOREIGN = ("GIT_", "LINETRAIL_", "CLAUDE_", *SHELL_VARIABLES)


class PlayError(LinetrailError):
    """An agent of the demonstration could not play its part to the end."""

    hint = "linetrail doctor"
    exit_status = 1


class Heard(NamedTuple):
    """What an agent asked for, and the refusal that it read; None where it was allowed."""

    agent: str
    asked: str
    refused: str | None


def session_of(name: str, story: str = GATE) -> str:
    """Return the fixed session id of an agent of a story."""
    return str(uuid5(NAMESPACE_URL, f"https://example.com/{story}/{name}"))


def set_the_scene(folder: str, story: str = GATE) -> None:
    """Create the repository of a story with its registry of intents, with the gate in block mode."""
    told = STORIES[story]
    require_free(folder)
    hook_path()
    try:
        with undone_on_failure(folder):
            make_repository(folder)
            for name, text in told["files"].items():
                publish(os.path.join(folder, name), text.encode(), durable=False)
            repository = find(folder)
            carry_out(plan(repository, [], hook_path(), BLOCK))
            publish(os.path.join(folder, FOLDER_OF_LEDGER, FILE), told["registry"].encode(), durable=False)
            commit(folder, told["commit"])
    except OSError as error:
        raise StorageError(f"cannot write {error.filename or folder}: {error.strerror}") from error


def play(folder: str, *, mcp: bool = False) -> dict[str, Heard]:
    """Run both agents to the end, and return what they heard at each step.

    With `mcp` they select and record through a server of ours, each its own.
    """
    with contextlib.ExitStack() as stage:
        agents = []
        for name, agent in CAST.items():
            agents.append(stage.enter_context(_start(folder, name, agent, *(["mcp"] if mcp else []))))
            stage.callback(agents[-1].kill)
        return _conducted(agents)


def _start(folder: str, name: str, agent: str, *others: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*part(GATE, name, agent), *others],
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )


def part(story: str, name: str, agent: str) -> list[str]:
    """Return the command that plays a part of a story."""
    return [sys.executable, "-P", "-m", ACTOR, story, name, agent, session_of(name, story)]


def environment() -> dict[str, str]:
    """Return the variables that agents and commands of a story are given."""
    own = {key: value for key, value in os.environ.items() if not key.startswith(_FOREIGN)}
    path = os.pathsep.join([os.path.dirname(hook_path()), os.environ.get("PATH", os.defpath)])
    return own | {"PATH": path, "PYTHONIOENCODING": "utf-8"}


def _conducted(agents: "Sequence[subprocess.Popen[bytes]]") -> dict[str, Heard]:
    """Pass cues between the agents; when one fails, close the input of the others."""
    heard: dict[str, Heard] = {}
    inputs = [agent.stdin for agent in agents if agent.stdin is not None]
    one_at_a_time = threading.Lock()

    def follow(agent: "subprocess.Popen[bytes]") -> None:
        for line in agent.stdout or ():
            told: dict[str, Any] = json.loads(line)
            with one_at_a_time:
                if "cue" in told:
                    _say(inputs, told["cue"])
                else:
                    heard[told["step"]] = Heard(told["agent"], told["asked"], told["refused"])
        if agent.wait():
            with one_at_a_time:
                _close(inputs)

    threads = [threading.Thread(target=follow, args=(agent,)) for agent in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    troubles = [agent.stderr.read() for agent in agents if agent.returncode and agent.stderr]
    if troubles:
        raise PlayError("; ".join(trouble.decode(errors="replace").strip() for trouble in troubles))
    return heard


def _say(inputs: Iterable[IO[bytes]], cue: str) -> None:
    for one in inputs:
        with contextlib.suppress(OSError, ValueError):  # whoever is done listens no more
            one.write(f"{cue}\n".encode())


def _close(inputs: Iterable[IO[bytes]]) -> None:
    for one in inputs:
        one.close()
