"""The story: an Architect describes an API, a Builder builds it, and the gate keeps them out of each other's way.

Each part is one agent's; they run at the same time, and wait for each other only where a cue says so. A part is played
by ``python -m linetrail.queries.demonstration.story PART AGENT SESSION [mcp]``, in the repository.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable

from linetrail.ledger.errors import LinetrailError
from linetrail.queries.demonstration.actor import Actor
from linetrail.queries.demonstration.dialects import DIALECTS

ARCHITECT, BUILDER = "Architect", "Builder"
BUILDING, DESCRIBING = "INT-001", "INT-002"
SHARED, REFACTORED, OLD, PAGE = "weather/units.py", "weather/forecast.py", "weather/legacy.py", "docs/api.md"
# The line of the refactored file that is asked about.
LINE = 7
# What is told of, in this order, in whichever order two agents came to it.
STEPS = (
    "no intent",
    "architect selects",
    "builder selects",
    "decision",
    "page",
    "refactor",
    "out of scope",
    "units",
    "stale",
    "lesson",
    "read again",
)
LESSON = "Read weather/units.py again before changing it. The Architect works on it, too."
DECISION = "The API answers in Celsius"
REGISTRY = f"""\
active_intents:
  - id: {BUILDING}
    name: Build Weather API
    status: IN_PROGRESS
    owned_scope: [weather/**]
    constraints: [No network in the package]
    acceptance_criteria: [A forecast names the lowest and the highest temperature]
  - id: {DESCRIBING}
    name: Describe the API and its units
    status: IN_PROGRESS
    owned_scope: [docs/**, {SHARED}]
    acceptance_criteria: [Every answer of the API is on the page]
"""
UNITS = '''\
"""Temperatures, in the units that people ask for."""


def celsius(kelvin):
    return round(kelvin - 273.15, 1)
'''
FILES = {
    ".gitignore": "__pycache__/\n",
    "weather/__init__.py": "",
    SHARED: UNITS,
    REFACTORED: '''\
"""What the weather will be."""

from weather.units import celsius


def summary(hours):
    t = [celsius(hour["kelvin"]) for hour in hours]
    lo, hi = min(t), max(t)
    return f"{lo} to {hi} degrees"
''',
    OLD: '"""Kept for one old client."""\n\nUNITS = ("K",)\n',
    "docs/index.md": "# Weather\n",
}
_READABLE = """\
    temperatures = [celsius(hour["kelvin"]) for hour in hours]
    lowest, highest = min(temperatures), max(temperatures)
    return f"{lowest} to {highest} degrees"
"""
_API = """\
# The API

`summary(hours)` names the lowest and the highest temperature of these hours, in Celsius.
"""
_CELSIUS = "def celsius(kelvin):\n"
_CHECKED = _CELSIUS + '    if kelvin < 0:\n        raise ValueError("nothing is colder than 0 K")\n'
_FAHRENHEIT = "    return round(kelvin - 273.15, 1)\n"
_BOTH = _FAHRENHEIT + "\n\ndef fahrenheit(kelvin):\n    return round(kelvin * 9 / 5 - 459.67, 1)\n"


def architect(me: Actor) -> None:
    """Decide, describe, and change a file that the Builder has just read."""
    me.prompt("Say what the API answers, and in which units.")
    me.cue("the Architect is there")
    me.wait("the Builder is there")
    me.use(
        "select_active_intent",
        intent_id=DESCRIBING,
        reasoning="units are part of the description",
        command=f"linetrail select {DESCRIBING}",
        step="architect selects",
    )
    me.use(
        "record_decision",
        title=DECISION,
        rationale="most clients ask for it",
        command=f'linetrail record-decision --title "{DECISION}" --why "most clients ask for it"',
        step="decision",
    )
    me.write(PAGE, _API, step="page")
    me.wait("units are read")
    me.read(SHARED)
    me.edit(SHARED, _CELSIUS, _CHECKED, step="units")
    me.cue("units are changed")


def builder(me: Actor) -> None:
    """Try what is refused, do what is allowed, and learn from the difference."""
    me.prompt("Tidy the forecast and add Fahrenheit.")
    me.cue("the Builder is there")
    me.wait("the Architect is there")
    me.shell(f"rm {OLD}", step="no intent")
    me.use(
        "select_active_intent",
        intent_id=BUILDING,
        reasoning="the forecast is part of the API",
        command=f"linetrail select {BUILDING}",
        step="builder selects",
    )
    me.read(REFACTORED)
    before = FILES[REFACTORED]
    me.edit(REFACTORED, before[before.index("    t = ") :], _READABLE, step="refactor")
    me.write(PAGE, "# API of the Builder\n", step="out of scope")
    me.read(SHARED)
    me.cue("units are read")
    me.wait("units are changed")
    me.edit(SHARED, _FAHRENHEIT, _BOTH, step="stale")
    me.use(
        "record_lesson",
        text=LESSON,
        path=SHARED,
        command=f'linetrail lesson add "{LESSON}" --path {SHARED} --intent {BUILDING}',
        step="lesson",
    )
    me.read(SHARED)
    me.edit(SHARED, _FAHRENHEIT, _BOTH, step="read again")


PARTS: dict[str, Callable[[Actor], None]] = {ARCHITECT: architect, BUILDER: builder}


def main(part: str, agent: str, session_id: str, *others: str) -> int:
    """Play one part."""
    root = os.getcwd()
    dialect = DIALECTS[agent](session_id, root)
    try:
        with contextlib.ExitStack() as stage:
            call = None
            if "mcp" in others:
                from linetrail.queries.demonstration.client import tools  # it is not installed everywhere

                call = stage.enter_context(tools(dialect, root, os.environ))
            actor = Actor(part, dialect, root, call)
            PARTS[part](actor)
            actor.end()
    except (LinetrailError, OSError, subprocess.SubprocessError) as error:
        print(f"the {part} stopped: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
