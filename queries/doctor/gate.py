"""Check what the gate goes by: mode, registry of intents, exemptions, room on the disk, instructions of agents.

What is harmless while hooks only observe is an error where calls are to be refused: a gap that nobody knows of.
"""

import os
import shutil
from collections.abc import Iterator

from linetrail.ledger.adapters.catalogue import CATALOGUE, FIRST
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.gate import policy
from linetrail.ledger.gate.policy import LOCAL, SHARED, VARIABLE
from linetrail.ledger.gate.settings import BLOCK, MODES, OBSERVE, Settings
from linetrail.ledger.knowledge import marked_part
from linetrail.ledger.paths.names import exemptions
from linetrail.ledger.repository import STATES, Repository
from linetrail.queries.doctor.finding import ERROR, OK, WARNING, Finding
from linetrail.queries.doctor.hooks import hooked, sites
from linetrail.queries.render import intents
from linetrail.queries.render.text import counted
from linetrail.queries.setup import enforcement
from linetrail.queries.setup.instructions import locate
from linetrail.queries.setup.preamble import PART

SHOWN = 3
# An event is at most 64 KB; below this it is a matter of moments.
LEAST_ROOM = 1024 * 1024
FOLDERS = ("segments", "objects", "cache", "spool", "state", *(os.path.join("state", name) for name in STATES))


def check_enforcement(repository: Repository) -> Iterator[Finding]:
    """Report the mode of enforcement, and which file or variable sets it."""
    told = os.environ.get(VARIABLE)
    if told and told.strip().lower() not in MODES:
        message = f"${VARIABLE} is {told!r}, which is no mode and counts as nothing"
        yield Finding("enforcement", WARNING, message, f"unset it, or one of {', '.join(MODES)}")
        told = None
    try:
        shared, local = enforcement.read(repository), enforcement.read(repository, LOCAL)
        everybody = enforcement.parse(shared)
        here = enforcement.parse(local, LOCAL, everybody)
    except LinetrailError as error:
        yield Finding("enforcement", ERROR, str(error), error.hint)
        return
    for name, text in ((SHARED, shared), (LOCAL, local)):
        yield from _seen_without_yaml(name, text)
    codes = "".join(f", {code}: {mode}" for code, mode in sorted(here.codes.items()))
    whose = f" (for everybody: {everybody.mode})" if here.mode != everybody.mode else ""
    wins = f"; ${VARIABLE} says {told.strip().lower()} here, which wins" if told else ""
    yield Finding("enforcement", OK, f"{here.mode}{codes}{whose}{wins}")


def _seen_without_yaml(name: str, text: str | None) -> Iterator[Finding]:
    """Check that a hook that reads settings as lines of text, without YAML, sees the same mode."""
    stated = policy.stated_mode((text or "").encode())
    if stated is None and text is not None and _states_mode(name, text):
        message = f"`enforce` in {name} is written so that a hook in trouble cannot see it, and would let calls through"
        yield Finding("enforcement", ERROR, message, "give it a line of its own: enforce: block")


def _states_mode(name: str, text: str) -> bool:
    first, second = (enforcement.parse(text, name, Settings(mode=mode)).mode for mode in MODES[:2])
    return first == second


def check_registry(repository: Repository) -> Iterator[Finding]:
    """Report errors in the registry; an intent with an error cannot be used."""
    if not repository.has_ledger():
        return
    wrong = [problem for problem in intents.problems(repository) if problem.level == "error"]
    level = WARNING if enforcement.in_force(repository) == OBSERVE else ERROR
    for problem in wrong[:SHOWN]:
        where = f"line {problem.line}, " if problem.line else ""
        yield Finding("intents", level, f"{where}{problem.code}: {problem.message}", "linetrail intents lint")
    if len(wrong) > SHOWN:
        yield Finding("intents", level, f"and {counted(len(wrong) - SHOWN, 'error')} more", "linetrail intents lint")
    if not wrong:
        yield Finding("intents", OK, "the registry can be read, and has no error")


def check_exemptions(repository: Repository) -> Iterator[Finding]:
    """Check that the exemptions can be read; where they cannot, nothing is exempt."""
    found = exemptions(repository.folder)
    if found.problem is not None:
        message = f"{found.problem}; nothing is exempt until it is repaired"
        yield Finding("exemptions", WARNING, message, "linetrail check-ignore")
    elif found.rules:
        yield Finding("exemptions", OK, counted(len(found.rules), "rule"))


def check_room(repository: Repository) -> Iterator[Finding]:
    """Report what keeps hooks from writing: no room on the disk, or a file where a folder belongs."""
    if not repository.has_ledger() or not os.path.isdir(repository.folder):
        return
    blocks = enforcement.in_force(repository) == BLOCK
    consequence = "; every call that writes is refused until then" if blocks else ""
    free = shutil.disk_usage(repository.folder).free
    if free < LEAST_ROOM:
        message = f"{free // 1024} KB are free on the disk of {repository.folder}: nothing can be recorded{consequence}"
        yield Finding("room", ERROR, message, "free some space there")
    for name in FOLDERS:
        path = os.path.join(repository.folder, name)
        if os.path.lexists(path) and not os.path.isdir(path):
            yield Finding("room", ERROR, f"{path} is in the way, a folder belongs there{consequence}", f"rm {path}")


def check_preamble(repository: Repository) -> Iterator[Finding]:
    """Check that the instruction file of each agent has the steps that the gate demands."""
    if enforcement.in_force(repository) == OBSERVE:
        return
    read = {CATALOGUE[name].instructions: name for name in reversed(hooked(sites(repository)) or [FIRST])}
    for file, agent in read.items():
        advice = f"linetrail init --agent {agent}"
        try:
            path = locate(repository, file)
            text = marked_part.read(path) or b""
        except LinetrailError as error:
            yield Finding("instructions", WARNING, str(error), error.hint)
            continue
        if marked_part.begin(PART).encode() in text:
            yield Finding("instructions", OK, f"{path} tells the order of steps")
        else:
            yield Finding("instructions", WARNING, f"{path} does not tell {agent} the order of steps", advice)
