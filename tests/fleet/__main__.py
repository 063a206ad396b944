"""Write an object store as hundreds of repositories fill it, and beside it what is true of them.

    python -m tests.fleet --repositories 300 --events 33000 [--seed 1] [--out FOLDER]

Run from the root of the checkout. FOLDER/store is what has been pushed until today; `linetrail fleet` knows it as
`file://FOLDER/store`. FOLDER/late has what arrives tomorrow, under the same names: copy it over the store.
FOLDER/truth.json tells what is to be found. The same options give the same bytes.
"""

import argparse
import functools
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.fleet.repository import Faults, Repository
from tests.fleet.sessions import Facts, Session, sessions

OUT = Path(tempfile.gettempdir(), "linetrail-fleet")
_MASK = (1 << 64) - 1


class Plan(NamedTuple):
    """What to write; `events` are those of a repository on average."""

    out: Path
    repositories: int = 20
    events: int = 2_000
    seed: int = 1
    days: int = 120
    kinds: int = 1_000
    faults: Faults = Faults()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a store and say where it is."""
    given = _parser().parse_args(arguments)
    faults = Faults(*(getattr(given, name) for name in Faults._fields))
    plan = Plan(given.out.absolute(), given.repositories, given.events, given.seed, given.days, given.kinds, faults)
    if plan.out.exists() and any(plan.out.iterdir()):
        print(f"{plan.out} is not empty: remove it, or name another folder with --out", file=sys.stderr)
        return 2
    began = time.perf_counter()
    truth = write(plan, jobs=given.jobs)
    total = truth["total"]["store"]
    seconds = time.perf_counter() - began
    print(
        f"{total['events']:,} events of {plan.repositories:,} repositories in {seconds:.0f} s: file://{plan.out}/store"
    )
    return 0


def write(plan: Plan, *, jobs: int = 1) -> dict[str, Any]:
    """Write a store, what comes late to it, and the truth about both; return the truth."""
    told = sessions(plan.seed, plan.kinds)
    work = functools.partial(_write, plan, told)
    numbers = list(enumerate(_sizes(plan)))
    if jobs == 1:
        repositories = list(map(work, numbers))
    else:
        with multiprocessing.Pool(jobs) as pool:
            repositories = list(pool.imap(work, numbers))
    total = {when: _summed(one[when] for one in repositories) for when in ("store", "all")}
    told_all = {when: _plain(facts) for when, facts in total.items()}
    rows = [one | {when: _plain(one[when]) for when in total} for one in repositories]
    truth = {"plan": plan._asdict() | {"out": None}, "total": told_all, "repositories": rows}
    (plan.out / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")
    return truth


def _sizes(plan: Plan) -> list[int]:
    """Return how many events each repository has: few have many, all together as many as were asked for."""
    random = Random(plan.seed)
    weights = [random.lognormvariate(0, 0.8) for _ in range(plan.repositories)]
    return [max(int(plan.events * plan.repositories * weight / sum(weights)), 1) for weight in weights]


def _write(plan: Plan, told: tuple[Session, list[Session]], which: tuple[int, int]) -> dict[str, Any]:
    number, events = which
    repository = Repository(plan.seed, number, plan.faults)
    for made in repository.objects(*told, events, plan.days):
        path = plan.out / ("late" if made.late else "store") / made.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made.content)
    store, late = repository.facts[False], repository.facts[True]
    return {"repo_id": repository.repo_id, "store": store, "all": store + late} | repository.faults


def _summed(facts: Iterator[Facts]) -> Facts:
    total: Facts = Counter()
    for one in facts:
        total.update(one)
    return total


def _plain(facts: Facts) -> Mapping[str, Any]:
    """Return counts as JSON has them: those with a name below what they count."""
    found: dict[str, Any] = {}
    for (kind, name), count in sorted(facts.items()):
        if name:
            found.setdefault(kind, {})[name] = count
        else:
            found[kind] = count & _MASK if kind == "ids" else count
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repositories", type=int, required=True)
    parser.add_argument("--events", type=int, required=True, help="of a repository, on average")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=int, default=120, help="from the first event to the last")
    parser.add_argument("--out", type=Path, default=OUT, help="an empty folder [%(default)s]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument(
        "--kinds", type=int, default=1_000, help="how many different sessions are played again and again"
    )
    for name, rate in zip(Faults._fields, Faults(), strict=True):
        of = "worktrees" if name == "late" else "segments"
        parser.add_argument(f"--{name}", type=float, default=rate, help=f"share of {of} [{rate}]")
    return parser


if __name__ == "__main__":
    sys.exit(main())
