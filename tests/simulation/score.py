"""Hold what blame says against the truth, line by line, and count by the operation that touched a line last."""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.repository import Repository, find
from linetrail.projections.blame.blame import Blamer
from linetrail.projections.git.target import Target, at_revision, in_worktree
from linetrail.projections.lines.attribution import Attribution
from tests.simulation.choice import tells
from tests.simulation.model import NOBODY, File, Line
from tests.simulation.world import World

# What a clone that has the ledger and git lacks.
LOCAL = ("objects", "state", "cache")


class Verdict(NamedTuple):
    """One line of substance with its truth, and what blame says of it."""

    place: str
    line: Line
    answer: Attribution

    @property
    def truth(self) -> str:
        """Return `ai` or `human`, or `any` where a formatter made one line of both."""
        return "any" if len(self.line.kinds) > 1 else next(iter(self.line.kinds))

    @property
    def claimed(self) -> bool:
        """Tell whether blame names an agent."""
        return self.answer.contributor_type == "ai"

    @property
    def right(self) -> bool:
        """Tell whether the answer names one of those who may be named."""
        answer = self.answer
        if answer.contributor_type == "ai":
            return f"ai:{answer.session_id}" in self.line.authors
        if answer.contributor_type == "unknown":
            return NOBODY in self.line.authors
        return f"human:{answer.author}" in self.line.authors

    @property
    def failure(self) -> str:
        """Return what went wrong, in the same words for the same kind of fault."""
        said = self.answer.contributor_type
        if said == "human" and self.line.authors == {NOBODY}:
            said = "human before the commit"
        elif said == self.truth:
            said = "another session" if said == "ai" else "another person"
        return f"{self.line.operation}: {self.truth} -> {said}"


class Score(NamedTuple):
    """Counts of lines; a figure is None where there is nothing to count."""

    lines: int
    ai: int
    ai_claimed: int
    ai_found: int
    ai_false: int
    session_right: int
    human: int
    human_right: int
    mixed_right: int

    @property
    def precision(self) -> float | None:
        """Return the share of lines blame gives to agents that are theirs."""
        return _share(self.ai_claimed - self.ai_false, self.ai_claimed)

    @property
    def recall(self) -> float | None:
        """Return the share of agents' lines that blame gives to agents."""
        return _share(self.ai_found, self.ai)

    @property
    def session(self) -> float | None:
        """Return the share of found lines with the right session."""
        return _share(self.session_right, self.ai_found)

    @property
    def person(self) -> float | None:
        """Return the share of people's lines with the right person, or nobody before the commit."""
        return _share(self.human_right, self.human)

    @property
    def mixed(self) -> float | None:
        """Return the share of lines of which blame says rightly whether both kinds had a hand in them."""
        return _share(self.mixed_right, self.lines)


class Examined(NamedTuple):
    """All verdicts on a world, and the places where a fresh clone says otherwise."""

    verdicts: list[Verdict]
    differences: list[str]

    @property
    def wrong(self) -> list[Verdict]:
        """Return the verdicts that are not right."""
        return [verdict for verdict in self.verdicts if not verdict.right]

    @property
    def failures(self) -> Counter[str]:
        """Count what went wrong by kind."""
        return Counter([verdict.failure for verdict in self.wrong] + ["fresh clone differs"] * len(self.differences))


def examine(world: World, *, twice: bool = True) -> Examined:
    """Ask blame about all that is there: the work tree, HEAD where it is otherwise, and an older commit.

    It is asked again as in a fresh clone, unless once is enough.
    """
    repository = find(str(world.root))
    places = list(_targets(world))
    targets = [target for _, target, _ in places]
    here = _answers(repository, targets)
    for name in LOCAL:
        shutil.rmtree(Path(repository.folder) / name, ignore_errors=True)
    again = _answers(repository, targets) if twice else here
    verdicts: list[Verdict] = []
    differences: list[str] = []
    for (place, target, file), answers, fresh in zip(places, here, again, strict=True):
        if target.content != file.content:
            raise AssertionError(f"the account of {place} is wrong")
        verdicts += _verdicts(place, file, answers)
        differences += [place] if answers != fresh else []
    return Examined(verdicts, differences)


def score(verdicts: Iterable[Verdict]) -> Score:
    """Count verdicts."""
    counts: Counter[str] = Counter()
    for verdict in verdicts:
        counts["lines"] += 1
        counts["mixed"] += verdict.answer.mixed == (len(verdict.line.hands) > 1)
        if verdict.claimed:
            counts["claimed"] += 1
            counts["false"] += verdict.truth == "human"
        if verdict.truth == "ai":
            counts["ai"] += 1
            counts["found"] += verdict.claimed
            counts["session"] += verdict.right
        if verdict.truth == "human":
            counts["human"] += 1
            counts["person"] += verdict.right
    names = ("lines", "ai", "claimed", "found", "false", "session", "human", "person", "mixed")
    return Score(*(counts[name] for name in names))


def _answers(repository: Repository, targets: Sequence[Target]) -> list[list[Attribution]]:
    with Blamer(repository) as blamer:
        return [list(answer.attributions) for answer in blamer.answers(targets)]


def _targets(world: World) -> Iterator[tuple[str, Target, File]]:
    repository = find(str(world.root))
    for path, file in sorted(world.files.items()):
        if file.lines:
            yield path, in_worktree(repository, path), file
    head = world.head
    revisions = (world.git("rev-list", "--first-parent", "HEAD") or "").split()
    older = revisions[len(revisions) // 2]
    for revision in dict.fromkeys([*([head] if world.dirty else []), older]):
        tree = (
            world.commits[revision].tree if revision in world.commits and revision != (not world.dirty and head) else {}
        )
        for path, file in sorted(tree.items()):
            if file.lines and world.files.get(path) != file:
                yield f"{revision[:8]}:{path}", at_revision(repository, path, revision), file


def _verdicts(place: str, file: File, answers: Sequence[Attribution]) -> Iterator[Verdict]:
    for at, (line, answer) in enumerate(zip(file.lines, answers, strict=True), 1):
        if tells(line):
            yield Verdict(f"{place}:{at}", line, answer)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
