"""Eight workers on the same files, killed at any moment: no patch is lost, and no file has two that write it."""

import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.work import leases
from tests.queries.work.worker import FILES

# A round takes a minute on two busy cores.
ROUNDS = int(os.environ.get("LINETRAIL_ROUNDS", "1"))
NAMES = [f"INT-{number}" for number in range(101, 109)]
WORKER = str(Path(__file__).with_name("worker.py"))
CHECK = "test $(ls src/shared | wc -l) = 6"


@pytest.fixture
def team(repo, cli):
    """Return a repository that blocks, with an intent for each worker; all of them own the same files."""
    intents = [f"  - {{id: {name}, name: N, status: IN_PROGRESS, owned_scope: ['src/**']}}\n" for name in NAMES]
    repo.commit(files=dict.fromkeys(FILES, "start\n"))
    assert cli("init", "--agent", "none").status == 0
    settings = "enforce: block\nbreaker: {threshold: 1000}\nlease_seconds: 1\n"
    registry = "active_intents:\n" + "".join(intents)
    repo.commit(files={".orchestration/config.yaml": settings, ".orchestration/active_intents.yaml": registry})
    return repo


def at_work(root, name, seed, journal):
    return subprocess.Popen([sys.executable, WORKER, str(root), name, str(seed), str(journal)], stderr=subprocess.PIPE)


def killed(process, seconds):
    """Kill a process after so long, and return whether that hit it; what must hold, holds at each instant."""
    time.sleep(seconds)
    was_alive = process.poll() is None
    process.kill()
    process.communicate()
    return was_alive


def told(journal):
    return [line.split() for line in journal.read_text().splitlines()]


def writers(journal):
    """Return who was let through to each file."""
    found = defaultdict(set)
    for word, name, path, _ in told(journal):
        if word == "let-through":
            found[path].add(name)
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by a signal")
def test_killed_workers_lose_no_patch_and_never_write_a_file_that_another_has(team, cli, tmp_path, figure):
    chance, kills, writes = random.Random(22), 0, 0
    command = [sys.executable, "-m", "linetrail", "-C", str(team.path)]

    for number in range(ROUNDS):
        journal = tmp_path / f"journal-{number}"
        journal.touch()
        roots = {name: cli("start", name, "--json").rows[0]["worktree"] for name in NAMES}
        for generation in range(3):
            team_at_work = [at_work(roots[name], name, f"{number}{generation}", journal) for name in NAMES]
            for process in chance.sample(team_at_work, len(team_at_work)):
                if generation < 2:
                    kills += killed(process, chance.uniform(0, 0.5))
                else:
                    assert process.communicate()[1] == b""
        assert {path: len(names) for path, names in writers(journal).items() if len(names) > 1} == {}
        assert {lease.path for lease in leases.leases(find(str(team.path)))} >= {
            p for w, _, p, _ in told(journal) if w == "done"
        }

        for words in [*(("give-back", name) for name in NAMES), ("land", "--check", CHECK, "--accept")]:
            kills += killed(subprocess.Popen([*command, *words], stdout=-3, stderr=-3), chance.uniform(0, 1.5))
            cli(*words)

        done = [line for word, _, _, line in told(journal) if word == "done"]
        landed = "".join((team.path / path).read_text() for path in FILES).splitlines()
        assert [line for line in done if landed.count(line) != 1] == []
        writes += len(done)

    assert kills
    assert writes
    assert cli("verify").status == 0
    subprocess.run(CHECK, shell=True, cwd=team.path, check=True)
    figure(f"{ROUNDS} rounds of 8 workers, {kills} kills, {writes} writes, 0 lost, 0 into a file of another")
