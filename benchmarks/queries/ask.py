"""How many questions in plain words have the right row first, and what asking costs on a long ledger.

    python -m benchmarks.queries.ask [--events 1000000] [--rounds 3]

The questions are those of tests/asking: the first set was written before the code and used while it was made, the
second was held out. Those of named.yaml have to reach the named question that answers them, with all they say.
Without `--events` nothing is timed; with it, each question takes turns with one plain scan of all that can be found,
on a ledger of that length. The index is none: what is asked is read from the tables each time.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from benchmarks.ledgers import write
from linetrail.ledger.log.store import TAIL, Ledger
from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.ask import search
from linetrail.queries.ask.choice import Chosen
from linetrail.queries.ask.interpretation import understand
from linetrail.queries.ask.question_match import choose
from linetrail.queries.ask.said import Known
from tests.asked import NAMED, SETS, Asked, by_name, is_right

SCAN = "select count(*) from v_findable where contains(what, 'module_12')"
QUESTIONS = (
    "module_12 edits",
    "changes of package_3/ in october",
    "why was module 12 changed",
    "module_12",
    "failed commands last week",
    "most expensive session",
)


def ranks(told: Asked, folder: Path) -> Iterator[tuple[str, int | None]]:
    """Yield each question with the place of the first right row; None where it is not among the first ten."""
    (folder / ".orchestration").mkdir(parents=True)
    told.written(folder)
    with open_tables(find(str(folder))) as tables:
        known = search.known(tables)
        for question in told.questions:
            ids = [hit.row["id"] for hit in answer(tables, question.text, told.now, known)]
            yield question.text, next((at for at, found in enumerate(ids, 1) if found in question.right), None)


def answer(tables: Tables, question: str, now: datetime, known: Known) -> Sequence[search.Hit]:
    """Answer one question."""
    return search.answer(tables, understand(question, now, known)).hits


def quality(folder: Path) -> None:
    """Print how often the right row is first."""
    print(f"{'set':<8} {'questions':>9} {'first':>6} {'in three':>9} {'in ten':>7}  share first")
    missed = []
    for name in SETS:
        found = list(ranks(Asked(name), folder / name))
        places = [place for _, place in found if place is not None]
        first, three = places.count(1), sum(place <= 3 for place in places)
        print(f"{name:<8} {len(found):>9} {first:>6} {three:>9} {len(places):>7}  {first / len(found):.1%}")
        missed += [(name, text, place) for text, place in found if place != 1]
    for name, text, place in missed:
        print(f"  {name}: {text!r}: {f'place {place}' if place else 'not found'}")


def by_names(folder: Path) -> None:
    """Print how often a question reaches the named question that answers it."""
    (folder / ".orchestration").mkdir(parents=True)
    told = Asked("first")
    told.written(folder)
    with open_tables(find(str(folder))) as tables:
        known = search.known(tables)
        paths = sorted(path for (path,) in tables.ask("select distinct path from mutation_files").rows)
    print(f"\n{'set':<8} {'questions':>9} {'right':>6} {'wrong':>6} {'no answer':>10}")
    for name in NAMED:
        questions = by_name(name)
        found = [(one, choose(one["ask"], told.now, known, paths)) for one in questions]
        missed = [(one, got) for one, got in found if not is_right(one, got)]
        none = sum(not isinstance(got, Chosen) for _, got in missed)
        print(f"{name:<8} {len(found):>9} {len(found) - len(missed):>6} {len(missed) - none:>6} {none:>10}")
        for one, _ in missed:
            print(f"  {one['ask']!r}")


def cost(folder: Path, events: int, rounds: int) -> None:
    """Print what questions cost on a long ledger, in scans of it."""
    root = folder / "long"
    (root / ".orchestration").mkdir(parents=True)
    write(events, root / ".orchestration" / TAIL)
    Ledger(find(str(root))).seal()
    with open_tables(find(str(root))) as tables:
        known = search.known(tables)
        now = tables.ask("select max(occurred_at) from v_events").rows[0][0].astimezone()
        took: dict[str, list[float]] = {text: [] for text in ("one plain scan", *QUESTIONS)}
        for _ in range(rounds):
            for text, times in took.items():
                start = time.perf_counter()
                if text in QUESTIONS:
                    answer(tables, text, now, known)
                else:
                    tables.ask(SCAN)
                times.append(time.perf_counter() - start)
    scan = statistics.median(took["one plain scan"])
    print(f"\n{events:,} events, median of {rounds}")
    for text, times in took.items():
        print(f"{text:<36} {statistics.median(times) * 1000:>8.0f} ms {statistics.median(times) / scan:>6.2f} scans")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        quality(Path(folder))
        by_names(Path(folder) / "named")
        if args.events:
            cost(Path(folder), args.events, args.rounds)


if __name__ == "__main__":
    main()
