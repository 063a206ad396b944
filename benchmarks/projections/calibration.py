"""How often is blame right, by the evidence that it names and the confidence that it states?

    python -m benchmarks.projections.calibration [CLONE ...] [--histories 120] [--missed 0.3] [--first 200] [--show 0]

Only lines of substance count that blame gives to somebody, and none that were there before any agent wrote. Both truths
make Markdown tables:

- **Simulated.** In random histories of tests/simulation the author of every line is known. The second table is of the
  same histories where hooks missed that share of the tool calls.
- **Real.** A CLONE is a git clone with an imported past, for example after `linetrail init --agent none && linetrail
  import entire`; only its cache is written. The truth of a line of HEAD is a recorded write of an agent to that file,
  or to the name that it had in the commit that `git blame -w` names: one that holds that very line, white space apart,
  and happened after the first parent of the commit was committed, and not after the commit was. Where exactly one
  session wrote the line then, that session is right, and whoever names another one or a person is wrong. Where an
  agent is named and no recorded write to the file before the commit holds the line, that is wrong, but for what was
  followed from elsewhere or broken anew: there git's line need not be the one that was written. Where a person is
  presumed and no agent wrote that line there before, nothing recorded contradicts it, and it counts as right. All
  others cannot be told: several sessions wrote the line, or one wrote it before the parent was committed, as on a
  branch that was merged late.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import find, git, stored_path
from linetrail.projections.git.history import Blaming, Objects
from linetrail.projections.git.target import Target
from linetrail.projections.lines.align import trivial
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.lines.states import hashes_of
from linetrail.projections.survival.stats import held, tree
from linetrail.projections.tables.tables import open_tables
from tests.simulation.agent import in_process
from tests.simulation.play import play, stage
from tests.simulation.random_histories import random_history
from tests.simulation.score import examine

# Evidence whose line need not be equal to the one that was written.
FOLLOWED = {"moved", "reflowed", "node"}
AGENT = "ai"
# The operation that made the lines which nothing in a history has touched.
BEFORE = "begin"
_WRITES = """
select m.path, h.line_hash, m.session_id, cast(floor(epoch(m.occurred_at)) as bigint) as written_at
from line_hashes h join mutation_files m on m.position = h.position and m.file_index = h.file_index
where m.contributor_type = 'ai'
"""


class Judged(NamedTuple):
    """What blame says of a line, and whether that is right; None where it cannot be told."""

    place: str
    said: Attribution
    right: bool | None


class Writes:
    """When which session of an agent wrote a line of a file."""

    def __init__(self, rows: Iterable[tuple[str, str, str, int]]) -> None:
        self._of: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        for path, line, session, at in rows:
            self._of[path, line].append((at, session))
        self.first = min((at for written in self._of.values() for at, _ in written), default=None)

    def sessions(self, paths: Iterable[str], line: str, after: int | None, until: int) -> set[str]:
        """Return the sessions that wrote a line under these names, after one moment and until another."""
        found = (write for path in paths for write in self._of[path, line])
        return {session for at, session in found if (after is None or at > after) and at <= until}


def main() -> int:
    """Print a table for each truth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", metavar="CLONE", type=Path, nargs="*")
    parser.add_argument("--histories", type=int, default=120, help="how many are played; 0 for none")
    parser.add_argument(
        "--missed", type=float, default=0.3, help="the share of calls that hooks miss in the second table"
    )
    parser.add_argument("--first", type=int, default=200, help="the seed of the first history")
    parser.add_argument("--show", type=int, default=0, help="how many wrong lines of each table are printed")
    args = parser.parse_args()
    seeds = range(args.first, args.first + args.histories)
    for missed in dict.fromkeys((0.0, args.missed)) if seeds else ():
        print_table(f"simulated, {missed:.0%} of the calls missed", list(simulated(seeds, missed)), args.show)
    for clone in args.clones:
        print_table(clone.name, list(real(clone)), args.show)
    return 0


def simulated(seeds: Iterable[int], missed: float) -> Iterator[Judged]:
    """Yield the lines of random histories of which hooks miss a share of the calls."""
    for seed in seeds:

        def deliver(payload: bytes, cwd: str, seed: int = seed) -> None:
            call = json.loads(payload).get("tool_use_id")
            if call is None or random.Random(f"{seed} {call}").random() >= missed:
                in_process(payload, cwd)

        with stage() as folder:
            for verdict in examine(play(random_history(seed), folder, deliver), twice=False).verdicts:
                if verdict.line.operation != BEFORE:
                    yield Judged(f"{seed}:{verdict.place}", verdict.answer, verdict.right)


def real(clone: Path) -> Iterator[Judged]:
    """Yield the lines of HEAD, held against what agents are recorded to have written into their files."""
    repository = find(str(clone))
    logged = (git(repository, "log", "--format=%H %ct %P", "HEAD") or b"").decode().splitlines()
    commits = {revision: (int(at), parents) for revision, at, *parents in map(str.split, logged)}
    with open_tables(repository) as tables:
        writes = Writes(tables.ask(_WRITES).rows)
    head = next(iter(commits))
    with closing(Objects(repository)) as store:
        for file in held(repository, head, tree(repository, head), None, lambda _: None):
            content = store.read(f"{head}:{file.path}") if file.answer else None
            if file.answer is None or content is None:
                continue
            with closing(Blaming(repository, Target(file.path, content, head, head))) as blaming:
                lines = blaming.answer().lines
            told = zip(hashes_of(split(content)), file.answer.attributions, lines, strict=True)
            for number, (line, said, by_git) in enumerate(told, 1):
                if not trivial(line) and by_git.revision in commits:
                    made, parents = commits[by_git.revision]
                    if writes.first is None or made < writes.first:
                        continue
                    after = commits[parents[0]][0] if parents and parents[0] in commits else None
                    paths = {file.path, stored_path(by_git.filename)}
                    just = writes.sessions(paths, line, after, made)
                    ever = writes.sessions(paths, line, None, made)
                    yield Judged(f"{file.path}:{number}", said, _right(said, just, ever))


def _right(said: Attribution, just: set[str], ever: set[str]) -> bool | None:
    """Judge a name by the sessions that wrote the line between two commits, and by those that ever did before."""
    if just:
        return said.contributor_type == AGENT and said.session_id in just if len(just) == 1 else None
    if ever or said.evidence in FOLLOWED:
        return None
    return said.contributor_type != AGENT


def print_table(title: str, lines: Iterable[Judged], show: int) -> None:
    """Print a row for each evidence with each confidence, of lines that are given to somebody."""
    told: dict[tuple[str, float], Counter[bool | None]] = defaultdict(Counter)
    for place, said, right in lines:
        if said.contributor_type != "unknown":
            told[said.evidence, said.confidence][right] += 1
            if right is False and show > 0:
                show -= 1
                print(f"{place}: {said.evidence} {said.confidence} {said.session_id or said.author}")
    print(f"\n| {title} | stated confidence | lines | cannot be told | right | share |")
    print("|---|---:|---:|---:|---:|---:|")
    order = {evidence: max(stated for kind, stated in told if kind == evidence) for evidence, _ in told}
    for (evidence, stated), counts in sorted(told.items(), key=lambda one: (-order[one[0][0]], one[0][0], -one[0][1])):
        judged = counts[True] + counts[False]
        share = f"{counts[True] / judged:.3f}" if judged else ""
        print(f"| `{evidence}` | {stated:g} | {judged:,} | {counts[None]:,} | {counts[True]:,} | {share} |")


if __name__ == "__main__":
    sys.exit(main())
