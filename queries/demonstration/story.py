"""Play one part of a story: ``python -m linetrail.queries.demonstration.story STORY PART AGENT SESSION [mcp]``.

story.toml and team.toml have the files, the steps of each part, and what must be in the ledger afterwards.
"""

import contextlib
import os
import subprocess
import sys
import tomllib
from importlib.resources import files
from typing import Any

from linetrail.ledger.errors import LinetrailError
from linetrail.queries.demonstration.actor import Actor, tools
from linetrail.queries.demonstration.dialects import DIALECTS

GATE, TEAM = "gate", "team"
_TEXTS = files(__package__ or "")
STORIES: dict[str, dict[str, Any]] = {
    name: tomllib.loads(_TEXTS.joinpath(file).read_text("utf-8"))
    for name, file in ((GATE, "story.toml"), (TEAM, "team.toml"))
}
STORY = STORIES[GATE]
FILES: dict[str, str] = STORY["files"]
ARCHITECT, BUILDER = "Architect", "Builder"
BUILDING, DESCRIBING = "INT-001", "INT-002"
SHARED, REFACTORED, OLD, PAGE = "weather/units.py", "weather/forecast.py", "weather/legacy.py", "docs/api.md"
# The line of the refactored file that is asked about.
LINE = 7


def main(story: str, part: str, agent: str, session_id: str, *others: str) -> int:
    """Play one part in the repository that is the working directory."""
    root = os.getcwd()
    dialect = DIALECTS[agent](session_id, root)
    try:
        with contextlib.ExitStack() as stage:
            call = stage.enter_context(tools(dialect, root, os.environ)) if "mcp" in others else None
            actor = Actor(part, dialect, root, call)
            for step in STORIES[story]["parts"][part]:
                arguments = dict(step)
                getattr(actor, arguments.pop("do"))(**arguments)
            actor.end()
    except (LinetrailError, OSError, subprocess.SubprocessError) as error:
        print(f"the {part} stopped: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
