"""How often are tools right about who wrote a line? One table for linetrail and two tools from PyPI.

    python -m benchmarks.attribution.run [--histories 40] [--tools linetrail,ai-blame]

Three suites with known authors are played through each tool's own wiring, each in a repository and a home folder of
its own: the scenarios of scenarios.json, everyday kinds of change, and random histories of tests/simulation. The tools
from PyPI are installed into environments of their own the first time. Only lines of substance count.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.attribution.contenders import CONTENDERS, ENVIRONMENTS, Contender, Sessions, install
from benchmarks.attribution.corpus import Player, scenarios
from benchmarks.attribution.kinds import KINDS, history
from tests.simulation.choice import tells
from tests.simulation.model import File, kind_of, written
from tests.simulation.play import MEMORY, History, play
from tests.simulation.random_histories import random_history

AUTHOR = "human:ana"


class Line(NamedTuple):
    """A line of substance: all who may be named for it, the session that a tool names, and what happened to it."""

    authors: frozenset[str]
    named: str | None
    group: str


class Result(NamedTuple):
    """What a tool said of all lines at the end of one history."""

    suite: str
    group: str
    lines: list[Line]

    @property
    def right(self) -> bool:
        """Tell whether every agent's line has its session and no other line has any."""
        return all(_is_right(line) for line in self.lines)


Play = Callable[[Path, Contender], Iterator[Line]]


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--histories", type=int, default=40, help="how many random ones")
    parser.add_argument("--tools", default=",".join(CONTENDERS))
    args = parser.parse_args()
    names = args.tools.split(",")
    install(names)
    results: dict[str, list[Result]] = {}
    for name in names:
        began = time.monotonic()
        results[name] = list(_results(name, args.histories))
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    print("\n".join(_tables(results)))
    return 0


def _results(name: str, count: int) -> Iterator[Result]:
    for scenario in scenarios():
        yield Result("scenarios", scenario["family"], _played(name, _scenario(scenario["steps"])))
    for kind, steps in KINDS.items():
        yield Result(
            "everyday kinds", kind, _played(name, _history(history(steps), settle=kind != "not committed yet"))
        )
    for number in range(count):
        steps = random_history(f"benchmark {number}")
        yield Result("random histories", "", _played(name, _history(steps, settle=True)))


def _played(name: str, act: Play) -> list[Line]:
    """Play in a repository and a home folder of their own, with the tool's programs at hand for git's hooks."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        # ai-blame does not find repositories with an underscore in their path
        base = Path(folder).with_name(f"linetrail-{os.getpid()}")
        Path(folder).rename(base)
        try:
            home = base / "home"
            home.mkdir()
            os.environ |= {"HOME": str(home), "PATH": f"{ENVIRONMENTS / name / 'bin'}:{PATH}"}
            return list(act(base / "work" / "project", CONTENDERS[name](home)))
        finally:
            base.rename(folder)


PATH = os.environ["PATH"]


def _scenario(steps: list[dict[str, object]]) -> Play:
    def act(root: Path, tool: Contender) -> Iterator[Line]:
        for expected in Player(root, tool.deliver).play(steps):
            head = subprocess.run(
                ["git", "show", f"HEAD:{expected.path}"], cwd=root, check=True, capture_output=True
            ).stdout
            here = (root / expected.path).read_bytes()
            (root / expected.path).write_bytes(head)
            lines = [
                line
                for author, text in expected.lines
                for line in written([text], AUTHOR if author == "untracked" else author, "")
            ]
            yield from _lines(File(tuple(lines)), tool.sessions(root, expected.path))
            (root / expected.path).write_bytes(here)

    return act


def _history(steps: History, *, settle: bool) -> Play:
    def act(root: Path, tool: Contender) -> Iterator[Line]:
        world = play(steps, root.parent, tool.deliver)
        if settle:
            world.clean("person-1")
        for path, file in world.files.items():
            if file.lines:
                yield from _lines(file, tool.sessions(root, path))

    return act


def _lines(file: File, sessions: Sessions) -> Iterator[Line]:
    for line, session in zip(file.lines, sessions, strict=True):
        if tells(line):
            yield Line(line.authors, session, line.operation)


def _is_right(line: Line) -> bool:
    kinds = {kind_of(author) for author in line.authors}
    return f"ai:{line.named}" in line.authors if line.named else kinds != {"ai"}


def _tables(results: dict[str, list[Result]]) -> Iterator[str]:
    for suite in ("scenarios", "everyday kinds", "random histories"):
        yield f"\n### {suite.capitalize()}\n"
        chosen = {name: [result for result in all_of if result.suite == suite] for name, all_of in results.items()}
        yield "| tool | AI lines | precision | recall | right session | fully right |"
        yield "|---|---:|---:|---:|---:|---:|"
        for name, played in chosen.items():
            lines = [line for result in played for line in result.lines]
            right = sum(result.right for result in played)
            yield f"| {name} | {' | '.join(_figures(lines))} | {right} of {len(played)} |"
        yield ""
        yield from _groups(suite, chosen)


def _groups(suite: str, results: dict[str, list[Result]]) -> Iterator[str]:
    """Yield a table by family, kind or last operation: agents' lines found with their session, and false ones."""
    groups: dict[str, dict[str, list[Line]]] = defaultdict(lambda: defaultdict(list))
    for name, played in results.items():
        for result in played:
            for line in result.lines:
                groups[result.group or line.group][name].append(line)
    head = {"scenarios": "family", "everyday kinds": "kind"}.get(suite, "last operation on the line")
    yield f"| {head} | {' | '.join(results)} |"
    yield f"|---|{'---:|' * len(results)}"
    for group, by_tool in groups.items() if suite == "everyday kinds" else sorted(groups.items()):
        yield f"| {group.replace('_', ' ')} | {' | '.join(_cell(by_tool[name]) for name in results)} |"


def _cell(lines: Sequence[Line]) -> str:
    """Return found of all, and what is claimed of people's lines or for another session."""
    counts = _counts(lines)
    false = counts["false"] + counts["found"] - counts["session"]
    return f"{counts['session']}/{counts['ai']}" + (f", {false} false" if false else "")


def _counts(lines: Sequence[Line]) -> Counter[str]:
    counts: Counter[str] = Counter(ai=0, found=0, session=0, false=0, claimed=0)
    for line in lines:
        kinds = {kind_of(author) for author in line.authors}
        counts["claimed"] += line.named is not None
        counts["false"] += line.named is not None and kinds == {"human"}
        if kinds == {"ai"}:
            counts["ai"] += 1
            counts["found"] += line.named is not None
            counts["session"] += f"ai:{line.named}" in line.authors
    return counts


def _figures(lines: Sequence[Line]) -> list[str]:
    counts = _counts(lines)
    shares = [
        (counts["claimed"] - counts["false"], counts["claimed"]),
        (counts["found"], counts["ai"]),
        (counts["session"], counts["found"]),
    ]
    return [str(counts["ai"]), *(f"{part / whole:.1%}" if whole else "" for part, whole in shares)]


if __name__ == "__main__":
    sys.exit(main())
