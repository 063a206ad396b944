"""Play many random histories and print how often blame is right, by operation.

    python -m tests.simulation --seeds 0-199 [--operation NAME] [--stories 5]

Run from the root of the checkout. For each kind of fault that was met most often the shortest story is told.
"""

import argparse
import json
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.simulation.play import OPERATIONS, History, plain, play, stage, told
from tests.simulation.random_histories import random_history
from tests.simulation.score import Examined, Score, Verdict, examine, score
from tests.simulation.shrink import shrunk

SHOWN = 6
AGENTS_WEIGHT = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and the stories; 1 when something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0-99", help="one, or a range: 0-199")
    parser.add_argument("--operation", choices=sorted(OPERATIONS), help="one that must be in each history")
    parser.add_argument("--stories", type=int, default=3, help="how many kinds of fault are told of")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--once", action="store_true", help="do not ask again as in a fresh clone")
    parser.add_argument("--history", help="play this one instead: JSON, as stories end with")
    args = parser.parse_args(arguments)
    began = time.monotonic()
    histories = (
        [told(json.loads(args.history))]
        if args.history
        else [random_history(seed, args.operation) for seed in _range(args.seeds)]
    )
    results = list(_all(histories, args.jobs, twice=not args.once))
    print(f"{len(histories)} histories in {time.monotonic() - began:.1f} s")
    print("\n".join(table([verdict for result in results if result for verdict in result.verdicts])))
    faults: Counter[str] = Counter()
    examples: dict[str, list[History]] = defaultdict(list)
    for history, result in zip(histories, results, strict=True):
        for failure, count in (result.failures if result else {"crash": 1}).items():
            faults[failure] += count
            examples[failure].append(history)
    print(f"\n{sum(faults.values())} lines are wrong, of {len(faults)} kinds:")
    for failure, count in faults.most_common(40):
        print(f"{count:6} {failure} (in {len(examples[failure])} histories)")
    for failure in sorted(faults, key=lambda failure: -_weight(failure) * faults[failure])[: args.stories]:
        tell(failure, min(examples[failure], key=len))
    return bool(faults)


def table(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield the lines of the table: all together, then by the operation that touched a line last."""
    groups: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        groups[verdict.line.operation].append(verdict)
    yield "| last operation | lines | ai | precision | recall | session | person | mixed |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    yield _row("**all**", score(verdicts))
    for name, group in sorted(groups.items()):
        yield _row(name, score(group))


def tell(failure: str, history: History) -> None:
    """Print the shortest story found with this fault."""
    small = shrunk(history, partial(_has, failure))
    print(f"\n## {failure}")
    with stage() as folder:
        try:
            world = play(small, folder)
            found = examine(world)
        except Exception:  # noqa: BLE001  a crash is what this story is about
            traceback.print_exc(file=sys.stdout)
        else:
            for sentence in world.story:
                print(f"- {sentence}")
            wrong = [verdict for verdict in found.wrong if verdict.failure == failure]
            for verdict in wrong[:SHOWN]:
                print("  ", explained(verdict))
            print(f"   {len(wrong)} such lines; {found.differences or ''}")
    print(f"   --history '{json.dumps(plain(small))}'")


def explained(verdict: Verdict) -> str:
    """Return a wrong line with what is expected of it."""
    answer = verdict.answer
    named = answer.session_id if answer.contributor_type == "ai" else answer.author
    expected = " or ".join(sorted(verdict.line.authors))
    said = f"{answer.contributor_type}:{named} by {answer.evidence}"
    return f"{verdict.place} {verdict.line.text.strip()[:50]!r}: expected {expected}, got {said}"


def _weight(failure: str) -> int:
    """Say how much a line counts: those of agents that are wronged or wrongly named are told of before others."""
    return AGENTS_WEIGHT if " ai" in failure or " " not in failure else 1


def _has(failure: str, history: History) -> bool:
    result = _examined(history, twice="clone" in failure)
    return failure in (result.failures if result else {"crash": 1})


def _examined(history: History, *, twice: bool = True) -> Examined | None:
    with stage() as folder:
        try:
            return examine(play(history, folder), twice=twice)
        except Exception:  # noqa: BLE001  a crash is a fault like others, to be shrunk and told of
            return None


def _all(histories: Sequence[History], jobs: int, *, twice: bool) -> Iterable[Examined | None]:
    act = partial(_examined, twice=twice)
    if jobs == 1:
        return map(act, histories)
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(act, histories, chunksize=4))


def _row(name: str, counts: Score) -> str:
    figures = (counts.precision, counts.recall, counts.session, counts.person, counts.mixed)
    shown = " | ".join("" if figure is None else f"{figure:.4f}" for figure in figures)
    return f"| {name} | {counts.lines} | {counts.ai} | {shown} |"


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


if __name__ == "__main__":
    sys.exit(main())
