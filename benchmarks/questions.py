"""What the named questions cost, against counting the events in the same run.

    python benchmarks/questions.py [--events 1000000] [--repository PATH] [--rounds 5] [--log]

A ledger is made in which everything happens that they ask about, and committed files that it names; `--repository`
takes one that is there. All that is kept for later questions is worked out before, and told. Then each question is
asked in this process: once with tables that were just opened, and again and again with the same ones; medians are
printed. Ratios are to `select count(*) from v_events` with the same tables.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
from ledgers import FILES, Work

from linetrail.ledger.event.event import GENESIS, Event, line_digest, to_line
from linetrail.ledger.repository import Repository, find
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.ask import question_files
from linetrail.queries.ask.ask import understood

COMMAND = Path(sys.executable).with_name("linetrail")
FILE = "src/package_1/module_1.py"
TOLD = {
    "line_owner": {"path": FILE, "line": "2"},
    "line_conversation": {"path": FILE, "line": "2"},
    "file_share": {"path": FILE},
    "node_history": {"node": f"{FILE}:function_1"},
    "node_dependents": {"node": f"{FILE}:function_1"},
    "stack_owners": {"frames": f'Traceback (most recent call last):\n  File "{FILE}", line 2, in function_1\n'},
    "decisions_for": {"path": FILE},
    "cost_by": {"dim": "day"},
}
# What is not among the promised questions: one of them reads the whole ledger out.
EXTRA = frozenset({"log", "gate_violations", "class_contradictions", "tokens_by"})
COUNT: tuple[str, dict[str, object]] = ("select count(*) from v_events", {})


class Audited(Work):
    """Work that is judged, decided about, committed and classified, with everything that can go wrong."""

    def events(self) -> Iterator[Event]:
        """Yield events for ever; the intents come first."""
        for number in range(40):
            yield self._revised(number, "intent.created", "IN_PROGRESS")
        yield from super().events()

    def _session(self, number: int) -> Iterator[Event]:
        changed: dict[str, None] = {}
        for event in super()._session(number):
            place = {key: getattr(event, key) for key in ("session_id", "agent", "intent_id", "vcs")}
            match event.type:
                case "tool.requested":
                    asked = self._odd(event, number)
                    yield asked
                    yield self._judged(place, asked)
                case "tool.completed" if self._once_in(30):
                    yield event._replace(type="tool.failed", data=event.data | {"error": "ValueError: no such text"})
                case "mutation.observed":
                    changed |= dict.fromkeys(file["path"] for file in event.data["files"])
                    yield self._odd_change(event)
                    if self._once_in(3):
                        yield self._classified(place, event)
                case "session.ended":
                    yield from self._ending(place, number, sorted(changed))
                    yield event
                case "usage.recorded":
                    yield event
                    if self._once_in(4):  # another record of the same answer
                        yield self._event("usage.recorded", place, event.data)
                case _:
                    yield event

    def _ending(self, place: dict[str, Any], number: int, changed: list[str]) -> Iterator[Event]:
        if self._once_in(2) and changed:
            commit = {"revision": self._hex(40), "parents": [place["vcs"].revision], "files": changed}
            yield self._event("commit.observed", place, commit)
        if self._once_in(5) and changed:
            decision = {"decision_id": f"D-{number}", "title": "Keep the comments", "status": "accepted"}
            yield self._event("decision.recorded", place, decision | {"lines": [f"{changed[0]}:1-9"]})
        if self._once_in(10):
            lesson = {"lesson_id": f"L-{number % 50}", "title": "refused", "source": "denial", "code": "OUT_OF_SCOPE"}
            yield self._event("lesson.recorded", place, lesson | {"path": f"src/package_{number % 20}/**"}, "unknown")
            shown = {"intent_id": place["intent_id"], "lesson_ids": [f"L-{number % 50}"]}
            yield self._event("lessons.shown", place, shown, "unknown")
        if self._once_in(20):
            yield self._revised(number % 40, "intent.changed", "DONE" if number % 400 == 0 else "IN_PROGRESS")
        if self._once_in(40):
            violated = {"code": "PROTECTED_PATH", "reason": "a command changed it", "path": ".git/config"}
            yield self._event("gate.violation", place, violated, "unknown")
            asked = {
                "approval_id": f"A-{number}",
                "approved": True,
                "tool_name": "Bash",
                "person": "Ana <ana@example.org>",
            }
            yield self._event("approval.decided", place, asked | {"code": "DANGEROUS_COMMAND"}, "human")

    def _odd(self, event: Event, number: int) -> Event:
        """Return a call as it is, or dangerous, bypassing, repeated, of a subagent, of a server."""
        data = dict(event.data)
        if data["command"] is not None and self._once_in(100):
            data["command"] = "rm -rf build [redacted:github:1a2b3c4d]"
        if self._once_in(50):
            data["input_sha256"] = f"sha256:{number:064x}"
        if data["operation"] == "read" and self._once_in(20):
            data |= {"tool_name": "mcp__github__search", "operation": "mcp"}
        if number % 50 == 0:
            data["permission_mode"] = "bypassPermissions"
        if number % 20 == 0:
            data |= {"agent_id": f"sub-{number}", "agent_type": "Explore"}
        return event._replace(data=data)

    def _odd_change(self, event: Event) -> Event:
        """Return a change as it is, or by a command, by nobody who was seen, or with a claim."""
        if self._once_in(20):
            return event._replace(data=event.data | {"via": "shell"})
        if self._once_in(100):
            return event._replace(data=event.data | {"via": "unseen", "tool_call_id": None}, contributor="unknown")
        return event._replace(data=event.data | {"declared_class": "refactor"}) if self._once_in(10) else event

    def _judged(self, place: dict[str, Any], event: Event) -> Event:
        call = {key: event.data[key] for key in ("tool_call_id", "tool_name")}
        refused = self._once_in(50)
        verdict = {"verdict": "deny" if refused else "allow", "code": "OUT_OF_SCOPE" if refused else "IN_SCOPE"}
        verdict |= {"source": "linetrail", "mode": "block", "enforced": self._once_in(2) if refused else None}
        paths = [
            {"path": target["path"], "code": verdict["code"] if refused else None} for target in event.data["targets"]
        ]
        shell = (
            {"command_class": "dangerous" if "rm -rf" in event.data["command"] else "destructive"} if not paths else {}
        )
        return self._event("gate.decided", place, call | verdict | shell | {"paths": paths}, "unknown")

    def _classified(self, place: dict[str, Any], event: Event) -> Event:
        evolved = self._once_in(2)
        label, computed = ("evolution", "INTENT_EVOLUTION") if evolved else ("refactor", "AST_REFACTOR")
        told = {"label": label, "kind": "rename", "evidence": []}
        files = [{"path": file["path"], **told} for file in event.data["files"]]
        judged = {"about": "mutation", "mutation_id": event.id, "rule_version": 1, "label": label, "kind": "rename"}
        judged |= {
            "computed_class": computed,
            "mutation_class": computed,
            "evolved_files": int(evolved),
            "files": files,
        }
        return self._event("mutation.classified", place, judged, "unknown")

    def _revised(self, number: int, event_type: str, status: str) -> Event:
        intent = f"INT-{number:04d}"
        state = {
            "id": intent,
            "name": f"What {intent} is for",
            "status": status,
            "scope": [f"src/package_{number % 20}/**"],
        }
        place: dict[str, Any] = {"session_id": None, "agent": None, "intent_id": None, "vcs": None}
        return self._event(event_type, place, {"intent_id": intent, "after": state}, "human")

    def _once_in(self, times: int) -> bool:
        return self._random.randrange(times) == 0


def make(root: Path, events: int) -> None:
    """Make a repository with a sealed ledger of so many events, and a commit with the files that they name."""
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", root], check=True)
    for module in range(FILES):
        path = root / f"src/package_{module % 20}/module_{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"def function_{at}(x):\n    return x + {at * module}\n\n\n" for at in range(30)))
    identity = ("-c", "user.name=Author", "-c", "user.email=author@example.org")
    subprocess.run(["git", "-C", root, "add", "src"], check=True)
    subprocess.run(["git", "-C", root, *identity, "commit", "--quiet", "--message", "begin"], check=True)
    ledger = root / ".orchestration" / "agent_trace.jsonl"
    ledger.parent.mkdir()
    prev = GENESIS
    with ledger.open("wb") as file:
        for seq, event in enumerate(islice(Audited().events(), events), 1):
            line = to_line(event, seq, prev)
            prev = line_digest(line)
            file.write(line)
    subprocess.run([COMMAND, "seal"], cwd=root, check=True, stdout=subprocess.DEVNULL)


class Cost(NamedTuple):
    """How many rows an answer had and how long it took; `cpu` is what all threads of this process worked together."""

    rows: int
    ms: float
    cpu: float


def cost(tables: Tables, sql: str, given: dict[str, object]) -> Cost:
    """Ask once."""
    start, worked = time.perf_counter(), time.process_time()
    rows = len(tables.ask(sql, given).rows)
    return Cost(rows, (time.perf_counter() - start) * 1000, (time.process_time() - worked) * 1000)


def median(costs: list[Cost]) -> Cost:
    """Return the median of each column."""
    return Cost(costs[0].rows, statistics.median(one.ms for one in costs), statistics.median(one.cpu for one in costs))


def measure(repository: Repository, names: list[str], rounds: int) -> None:
    """Ask every question and print the table."""
    questions = {
        name: (
            question_files.find(name).sql,
            understood(question_files.bound(question_files.find(name), TOLD.get(name, {})), repository),
        )
        for name in names
    }
    with open_tables(repository) as tables:
        start = time.perf_counter()
        for name in names:
            cost(tables, *questions[name])
        seconds = time.perf_counter() - start
        found: dict[str, list[Cost]] = {}
        for _ in range(rounds):
            found.setdefault("", []).append(cost(tables, *COUNT))
            for name in names:
                found.setdefault(name, []).append(cost(tables, *questions[name]))
        events = tables.count("events")
    base, *costs = map(median, found.values())
    print(f"\n{events:,} events, DuckDB {duckdb.__version__}; all asked once, and what is kept made: {seconds:.1f} s")
    print(f"counting the events: {base.ms:.1f} ms, {base.cpu:.1f} ms of work\n")
    print("| question | rows | ms | ratio | ms of work | just opened, ms |\n|---|---:|---:|---:|---:|---:|")
    for name, one in zip(names, costs, strict=True):
        with open_tables(repository) as opened:
            first = cost(opened, *questions[name])
        ratio = one.ms / base.ms
        print(f"| {name} | {one.rows:,} | {one.ms:,.0f} | {ratio:.1f} | {one.cpu:,.0f} | {first.ms:,.0f} |", flush=True)
    times = [one.ms for one in costs]
    over = sum(ms > 1000 for ms in times)
    print(f"\nmedian {statistics.median(times):,.0f} ms, most {max(times):,.0f} ms, {over} of {len(names)} over 1 s")


def main() -> int:
    """Make a ledger, bring its tables up to date, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--repository", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = args.repository or Path(folder) / "project"
        if not os.path.isdir(root / ".orchestration"):
            make(root, args.events)
        subprocess.run([COMMAND, "rebuild"], cwd=root, check=True, stdout=subprocess.DEVNULL)
        names = args.only or [name for name in question_files.questions() if name not in EXTRA]
        measure(find(str(root)), names, args.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
