"""Eight workers on the same files, killed at any moment: no patch is lost, and no file has two that write it."""

import gc
import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.cli import main
from linetrail.queries.work import leases
from tests.conftest import Repo
from tests.queries.work.worker import FILES, work

pytestmark = pytest.mark.in_turn

# A round takes a second or two of two cores; each so many begin with a repository of their own.
ROUNDS, TOGETHER = int(os.environ.get("LINETRAIL_ROUNDS", "1")), 10
SEED = os.environ.get("LINETRAIL_SEED", "22")
NAMES = [f"INT-{number}" for number in range(101, 109)]
CHECK = "test $(ls src/shared | wc -l) = 6"


def forked(target, *arguments):
    """Be a process that shares what was loaded before the fork."""
    gc.freeze()
    target(*arguments)


def run(words):
    """Be the command line, without a word."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    sys.exit(main(words))


def shop(path):
    """Make a repository that blocks, with an intent for each worker; all of them own the same files."""
    intents = [f"  - {{id: {name}, name: N, status: IN_PROGRESS, owned_scope: ['src/**']}}\n" for name in NAMES]
    path.parent.mkdir()
    repo = Repo(path)
    repo.commit(files=dict.fromkeys(FILES, "start\n"))
    assert main(["-C", str(path), "init", "--agent", "none"]) == 0
    settings = "enforce: block\nbreaker: {threshold: 1000}\nlease_seconds: 1\n"
    registry = "active_intents:\n" + "".join(intents)
    repo.commit(files={".orchestration/config.yaml": settings, ".orchestration/active_intents.yaml": registry})
    return path


def worktree(team, name):
    return team.with_name(f"{team.name}-work") / name


def rehearsed(folder):
    """Let two workers do what all do in a round, one refused by the other, and return the modules that this loaded."""
    team, journal, name = shop(folder / "shop"), folder / "journal", NAMES[0]
    journal.touch()
    for other in NAMES[:2]:
        assert main(["-C", str(team), "start", other]) == 0
        work(str(worktree(team, other)), other, "rehearsal", str(journal))
    for words in (["give-back", name], ["land", "--check", CHECK], ["verify"]):
        assert main(["-C", str(team), *words]) == 0
    assert "refused" in journal.read_text()
    return list(sys.modules)


@pytest.fixture
def processes(tmp_path):
    """Return a context whose processes are real ones, forked from one that has loaded all that they need."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        loaded = pool.apply(rehearsed, (tmp_path / "rehearsal",))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(loaded)
    return context


class Team:
    """Eight workers in a repository, and whoever kills them."""

    def __init__(self, path, processes, chance):
        self.path, self.processes, self.chance, self.kills = shop(path), processes, chance, 0
        # command -> for how many seconds it ran when it last came to its end
        self.took = {}

    def begin(self, target, *arguments):
        """Start a process."""
        process = self.processes.Process(target=forked, args=(target, *arguments))
        process.start()
        return process

    def kill(self, process, seconds):
        """Kill a process after so long; what must hold, holds at each instant."""
        process.join(self.chance.uniform(0, seconds))
        process.kill()
        process.join()
        self.kills += process.exitcode == -9

    def do(self, *words, also=lambda: None):
        """Run a command to its end, after one of two was killed before that."""
        command = ["-C", str(self.path), *words]
        if self.chance.random() < 0.5:
            self.kill(self.begin(run, command), self.took.get(words[0], 0.1))
            also()
        begun = time.monotonic()
        process = self.begin(run, command)
        process.join()
        self.took[words[0]] = time.monotonic() - begun
        return process.exitcode

    def git(self, *words):
        command = ["git", "-C", str(self.path), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def must_be_green(self):
        """Pass where the branch is at a commit that passes the check, whatever was killed."""
        assert len(self.git("ls-tree", "--name-only", "HEAD", "src/shared/").split()) == len(FILES)

    def at_work(self, number, journal):
        """Let everybody write at once, and again after all were killed."""
        for generation in range(2):
            workers = [
                self.begin(work, str(worktree(self.path, name)), name, f"{number}{generation}", str(journal))
                for name in NAMES
            ]
            for process in self.chance.sample(workers, len(workers)):
                if generation == 0:
                    self.kill(process, 0.1)
                else:
                    process.join()
                    assert process.exitcode == 0

    def give_back(self, name):
        assert self.do("give-back", name) in (0, 1)  # who wrote nothing has nothing to give back

    def land(self):
        """Give back and land what all did, where one of them breaks the check at first."""
        breaks = worktree(self.path, self.chance.choice(NAMES)) / "src/shared/broken.txt"
        breaks.touch()
        for name in NAMES:
            self.give_back(name)
        self.do("land", "--check", CHECK, "--accept", also=self.must_be_green)
        self.must_be_green()
        breaks.unlink()
        self.give_back(breaks.parts[-4])
        assert self.do("land", "--check", CHECK, "--accept", also=self.must_be_green) == 0
        self.must_be_green()


def told(journal):
    return [line.split() for line in journal.read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by a signal")
def test_killed_workers_lose_no_patch_and_never_write_a_file_that_another_has(tmp_path, processes, figure):
    chance, kills, writes = random.Random(SEED), 0, 0

    for number in range(ROUNDS):
        if number % TOGETHER == 0:
            team = Team(tmp_path / str(number) / "shop", processes, chance)
        journal = tmp_path / f"journal-{number}"
        journal.touch()
        for name in NAMES:
            assert team.do("start", name) == 0
        team.at_work(number, journal)

        writers = defaultdict(set)
        for word, name, path, _ in told(journal):
            if word == "let-through":
                writers[path].add(name)
        assert {path: len(names) for path, names in writers.items() if len(names) > 1} == {}
        done = [(path, line) for word, _, path, line in told(journal) if word == "done"]
        assert {lease.path for lease in leases.leases(find(str(team.path)))} >= {path for path, _ in done}

        team.land()

        landed = Counter(line for path in FILES for line in (team.path / path).read_text().splitlines())
        assert [line for _, line in done if landed[line] != 1] == []
        assert main(["-C", str(team.path), "verify"]) == 0
        kills, writes, team.kills = kills + team.kills, writes + len(done), 0

    assert kills
    assert writes
    figure(f"{ROUNDS} rounds of 8 workers, {kills} kills, {writes} writes, 0 lost, 0 into a file of another")
