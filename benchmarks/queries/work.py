"""Measure several agents at work: plan, workers, eight at once beside one, and who is suspected of a break.

    python -m benchmarks.queries.work [--seconds N] [--breaks N]

A worker is a shell command that sleeps, writes a file and gives that back. A break is a function that one of four works
renamed and that a fifth began to call: each alone passes, together they fail, and the one that renamed it should be
named first. Times are of whole processes.
"""

import argparse
import json
import os
import random
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

LINETRAIL = str(Path(sys.executable).with_name("linetrail"))
WORKERS, PLANNED, WATCHED, CHANGED = 8, 100, 20, 4
FUNCTIONS = ("first", "second", "third")
_MODULE = "\n\n".join(f"def {name}():\n    return 1\n" for name in FUNCTIONS)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=30, help="how long a worker works")
    parser.add_argument("--breaks", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _looked_after(os.path.join(folder, "radar"))
        _at_once(os.path.join(folder, "team"), args.seconds)
        chance = random.Random(0)
        named = [_named_first(os.path.join(folder, f"break{at}"), chance) for at in range(args.breaks)]
    intents, definitions = (sum(right) for right in zip(*named, strict=True))
    print(f"suspects: the right intent first in {intents}, its definition in {definitions} of {args.breaks} breaks")


def _looked_after(root: str) -> None:
    _shop(root, PLANNED)
    _told(f"plan of {PLANNED} intents", root, "plan")
    for at in range(WATCHED):
        _run(root, "start", f"INT-{at:03}", "--", "sh", "-c", f"echo x >> m{at:03}/a.py")
    _told(f"workers, {WATCHED} worktrees, first look", root, "workers")
    Path(f"{root}-work/INT-000/m000/a.py").write_text("y\n", encoding="utf-8")
    _told(f"workers, {WATCHED} worktrees, after a change", root, "workers")


def _at_once(root: str, seconds: int) -> None:
    _shop(root, WORKERS)
    begun = time.monotonic()
    work = f"sleep {seconds}; echo x >> m${{0#INT-}}/a.py; {LINETRAIL} give-back $0"
    started = [
        subprocess.Popen(
            [LINETRAIL, "-C", root, "start", name, "--", "sh", "-c", work, name], stdout=subprocess.DEVNULL
        )
        for name in (f"INT-{at:03}" for at in range(WORKERS))
    ]
    for process in started:
        process.wait()
    landed = _run(root, "land", "--json")["rows"]
    took = time.monotonic() - begun
    count = sum(row["outcome"] == "landed" for row in landed)
    shares = f"{WORKERS * seconds / took:.1f} times one worker; coordination {1 - seconds / took:.1%} of the time"
    print(f"{WORKERS} workers of {seconds} s: {count} landed in {took:.1f} s, {shares}", flush=True)


def _named_first(root: str, chance: random.Random) -> tuple[bool, bool]:
    """Return whether the right intent is named first, and whether the right definition of it is."""
    _shop(root, CHANGED + 1)
    order = chance.sample(range(CHANGED), CHANGED)
    broken, called = chance.choice(order), chance.choice(FUNCTIONS)
    edits = {at: _edit(at, chance) for at in order}
    user = f"from m{broken:03}.a import {called}\n\n\ndef used():\n    assert {called}() == 1\n"
    edits[CHANGED] = f"printf {shlex.quote(user)} > m{CHANGED:03}/a.py"
    for at, edit in edits.items():
        _run(root, "start", f"INT-{at:03}", "--", "sh", "-c", edit)
        _run(root, "give-back", f"INT-{at:03}")
    check = f"{sys.executable} -B -c 'import m{CHANGED:03}.a as a; getattr(a, \"used\", int)()'"
    rows = _run(root, "land", "--check", check, "--json")["rows"]
    verdict = next(iter(rows[-1]["verdicts"]), {"intent_id": None, "definition": None})
    is_named = verdict["intent_id"] == f"INT-{broken:03}"
    return is_named, is_named and verdict["definition"] == called


def _edit(at: int, chance: random.Random) -> str:
    """Return a command that renames some of the functions of a module, and changes what the others return."""
    renamed = chance.sample(FUNCTIONS, chance.randint(0, len(FUNCTIONS)))
    edits = [f"s/def {name}/def other_{name}/" for name in renamed] + ["s/return 1/return 2/"]
    return f"sed -i {shlex.quote('; '.join(edits))} m{at:03}/a.py"


def _shop(root: str, intents: int) -> None:
    rows = ["active_intents:"]
    for at in range(intents):
        os.makedirs(os.path.join(root, f"m{at:03}"))
        Path(root, f"m{at:03}", "a.py").write_text(_MODULE, encoding="utf-8")
        rows.append(f'  - {{id: INT-{at:03}, name: Work {at}, status: DRAFT, owned_scope: ["m{at:03}/**"]}}')
    for words in (("init", "-q"), ("config", "user.name", "B"), ("config", "user.email", "b@example.com")):
        subprocess.run(["git", "-C", root, *words], check=True)
    _run(root, "init", "--agent", "none")
    Path(root, ".orchestration", "active_intents.yaml").write_text("\n".join(rows) + "\n", encoding="utf-8")
    subprocess.run(["git", "-C", root, "add", "."], check=True)
    subprocess.run(["git", "-C", root, "commit", "-qm", "begin"], check=True)


def _told(what: str, root: str, *words: str) -> None:
    before, begun = _processor(), time.monotonic()
    _run(root, *words)
    print(f"{what}: {time.monotonic() - begun:.2f} s, {_processor() - before:.2f} s of processor time", flush=True)


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(root: str, *words: str) -> Any:
    done = subprocess.run([LINETRAIL, "-C", root, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout) if "--json" in words else None


if __name__ == "__main__":
    main()
