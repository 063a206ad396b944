"""What the process behind `linetrail sql` uses at most, whatever it is asked.

    python -m benchmarks.queries.hostile [KIND]…

Every statement of tests/queries/hostile.py that wants too much is asked as `linetrail sql` asks it, in a process of
its own, beside one that wants nothing. Seconds are wall clock from the question to the refusal; memory is the most that
the answering process held, in MB. Promised: none is answered, each ends within 12 s, none holds more than 1,200 MB.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.queries.hostile import BOMBS, Hostile
from tests.story import Story

SECONDS, MEGABYTES = 12, 1_200
SHOWN = 60
PROGRAM = """
import json, resource, sys, time
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.repository import find
from linetrail.queries.sandbox.sandbox import ask
_, sql, parameters = json.load(sys.stdin)
start = time.perf_counter()
try:
    ask(find("."), sql, parameters)
    outcome = "answered"
except LinetrailError as error:
    outcome = type(error).__name__.removesuffix("Error").replace("Usage", "Refused").lower()
took = time.perf_counter() - start
print(json.dumps([outcome, took, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000]))
"""


class Measured(NamedTuple):
    """How one statement ended."""

    outcome: str
    seconds: float
    megabytes: float

    def is_kept(self) -> bool:
        """Tell whether what is promised was kept."""
        return self.outcome in {"refused", "stopped"} and self.seconds <= SECONDS and self.megabytes <= MEGABYTES


def measured(hostile: Hostile, folder: Path) -> Measured:
    """Ask one statement."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(hostile),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return Measured(*json.loads(done.stdout)) if done.returncode == 0 else Measured("broke", 0, 0)


def main() -> int:
    """Print one row for each statement, and the worst of them."""
    kinds = sys.argv[1:]
    statements = [each for each in BOMBS if not kinds or each.kind in kinds]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        (folder / ".orchestration").mkdir()
        story = Story()
        story.tell("session.started", {"source": "startup"})
        story.written(folder)
        print("| kind | statement | ended | seconds | MB |\n|---|---|---|---:|---:|")
        _print(Hostile("nothing", "select 1", {}), measured(Hostile("nothing", "select 1", {}), folder))
        results = []
        for each in statements:
            results.append(measured(each, folder))
            _print(each, results[-1])
    seconds, megabytes = max(one.seconds for one in results), max(one.megabytes for one in results)
    broken = [one for one in results if not one.is_kept()]
    print(f"| all {len(results)} | | {len(broken)} as not promised | {seconds:.1f} | {megabytes:.0f} |")
    return 1 if broken else 0


def _print(hostile: Hostile, result: Measured) -> None:
    text = " ".join(hostile.sql.split()).replace("|", "\\|")
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    print(
        f"| {hostile.kind} | `{shown}` | {result.outcome} | {result.seconds:.1f} | {result.megabytes:.0f} |", flush=True
    )


if __name__ == "__main__":
    sys.exit(main())
