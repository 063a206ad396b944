"""Whatever git does with branches: nothing conflicts, no sealed event is lost, and what is missing is said."""

import itertools
import random

import pytest

from linetrail.ledger.log import segments
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from tests.histories import event

pytestmark = pytest.mark.in_turn


class Work:
    """Somebody who records, seals and commits in a repository, and knows which events there must be."""

    def __init__(self, repo):
        self.repo = repo
        self.sealed = {"HEAD": set()}
        self.ids = set()
        self._count = itertools.count()

    @property
    def ledger(self):
        return Ledger(find(str(self.repo.path)))

    def record(self, count=2):
        """Let something happen, and return the ids of it."""
        events = [event(f"event {next(self._count)}", next(self._count)) for _ in range(count)]
        self.ledger.append(events)
        return {each.id for each in events}

    def commit(self, file="code.py", content=None, *, events=2):
        """Record, seal and commit, with a change of a file; return the revision."""
        self.ids |= self.record(events)
        self.ledger.seal()
        return self.repo.commit("work", {file: content or f"{next(self._count)}\n"})

    def branch(self, name, start="main"):
        self.repo.git("checkout", "--quiet", "-B", name, start)

    def held(self):
        """Return the ids that the ledger of the worktree has, and refuse one that is there twice."""
        found = [line.event.id for line in self.ledger.read()]
        assert len(found) == len(set(found))
        return set(found)


@pytest.fixture
def work(repo, cli):
    cli("init", "--agent", "none", "--no-input")
    repo.commit("begin")
    work = Work(repo)
    work.commit("begin.py")
    return work


@pytest.fixture
def sound(cli):
    """Return a function that fails unless everything is there, also as far as git can tell."""

    def look(*options):
        answer = cli("verify", "--json", *options)
        assert (answer.status, answer.rows if answer.status == 0 else answer.out) == (0, [])

    return look


def merge(repo, *branches, how=("--no-ff",)):
    repo.git("merge", "--quiet", *how, "--message", "merge", *branches)


@pytest.mark.slow
@pytest.mark.promise("M1")
@pytest.mark.parametrize("branches", range(2, 9))
def test_branches_that_are_merged_one_by_one(repo, work, sound, figure, branches):
    for n in range(branches):
        work.branch(f"b{n}")
        for _ in range(3):
            work.commit(f"b{n}.py")
    repo.git("checkout", "--quiet", "main")
    for n in range(branches):
        merge(repo, f"b{n}")
    work.commit("main.py")

    assert work.held() == work.ids
    sound("--strict")
    assert len(segments.heads(segments.read_headers(work.ledger.folder)[0])) == 1
    figure("2 to 8 branches merged, every event there once, no conflict")


@pytest.mark.promise("M1")
def test_an_octopus(repo, work, sound):
    for n in range(4):
        work.branch(f"b{n}")
        work.commit(f"b{n}.py")
    repo.git("checkout", "--quiet", "main")
    merge(repo, *(f"b{n}" for n in range(4)))

    assert work.held() == work.ids
    sound("--strict")


@pytest.mark.promise("M1")
def test_a_squash(repo, work, sound):
    work.branch("feature")
    work.commit("feature.py")
    work.commit("feature.py")
    work.branch("main", "main")
    work.commit("main.py")
    repo.git("merge", "--quiet", "--squash", "feature")
    repo.commit("squashed")

    assert work.held() == work.ids
    sound("--strict")


@pytest.mark.promise("M1")
def test_a_rebase(repo, work, sound):
    work.branch("feature")
    work.commit("feature.py")
    work.commit("feature.py")
    repo.git("checkout", "--quiet", "main")
    work.commit("main.py")
    repo.git("checkout", "--quiet", "feature")
    repo.git("rebase", "--quiet", "main")

    assert work.held() == work.ids
    sound("--strict")


@pytest.mark.promise("M1")
def test_a_cherry_pick_with_its_parents_and_the_merge_after_it(repo, work, sound):
    work.branch("feature")
    first, second = work.commit("one.py"), work.commit("two.py")
    repo.git("checkout", "--quiet", "main")
    repo.git("cherry-pick", first, second)
    work.commit("main.py")
    merge(repo, "feature")

    assert work.held() == work.ids
    sound("--strict")


@pytest.mark.slow
@pytest.mark.promise("M1")
def test_a_criss_cross(repo, work, sound):
    work.branch("left")
    work.commit("left.py")
    work.branch("right")
    work.commit("right.py")
    left, right = repo.git("rev-parse", "left"), repo.git("rev-parse", "right")
    merge(repo, left)
    work.commit("right.py")
    repo.git("checkout", "--quiet", "left")
    merge(repo, right)
    work.commit("left.py")
    merge(repo, "right")

    assert work.held() == work.ids
    sound("--strict")


@pytest.mark.promise("M1")
def test_a_tail_goes_along_to_another_branch_and_is_sealed_there(repo, work, sound):
    work.branch("feature")
    work.commit("feature.py")
    unsealed = work.record()
    repo.git("checkout", "--quiet", "main")

    assert unsealed <= work.held()
    work.commit("main.py")
    merge(repo, "feature")
    assert work.held() == work.ids | unsealed
    sound("--strict")


@pytest.mark.promise("M1")
def test_segments_that_nobody_committed_go_along_and_hinder_nothing(repo, work, sound):
    work.branch("feature")
    work.commit("feature.py")
    work.ids |= work.record()
    work.ledger.seal()
    repo.git("checkout", "--quiet", "main")
    repo.commit("the segment of the other branch")
    repo.git("checkout", "--quiet", "feature")
    merge(repo, "main")

    assert work.held() == work.ids
    sound("--strict")


@pytest.mark.slow
@pytest.mark.promise("M1")
def test_the_same_segment_restored_and_merged_is_no_conflict(repo, work, cli, sound):
    work.branch("feature")
    work.commit("one.py")
    newest = work.commit("two.py")
    repo.git("checkout", "--quiet", "main")
    repo.git("cherry-pick", newest)
    assert cli("verify").status == 3
    assert cli("restore").status == 0
    repo.commit("restored")
    merge(repo, "feature")

    assert work.held() == work.ids
    sound("--strict")


@pytest.mark.slow
def test_a_map_of_intents_made_on_both_branches(repo, work, cli, agent, sound):
    for branch in ("left", "right"):
        work.branch(branch)
        claude = agent(branch)
        claude.write(f"{branch}.py", "line one of the file\nline two of it\n")
        cli("rebuild")
        work.commit(f"{branch}.txt")
    repo.git("merge", "--quiet", "--message", "merge", "left")

    assert cli("rebuild").status == 0
    sound("--strict")


class Luck:
    """What people do on branches, at random."""

    def __init__(self, repo, work, seed):
        self.repo, self.work, self.random = repo, work, random.Random(seed)
        self.branches = ["main"]

    def run(self, steps):
        """Do so many things, then merge all branches into main."""
        deeds = (self.write, self.write, self.fork, self.merge, self.squash, self.rebase, self.pick)
        for deed in self.random.choices(deeds, k=steps):
            self.repo.git("checkout", "--quiet", self.random.choice(self.branches))
            deed()
        self.repo.git("checkout", "--quiet", "main")
        for branch in self.branches:
            merge(self.repo, branch)

    def write(self):
        for _ in range(self.random.randrange(1, 3)):
            self.work.commit(f"file-{self.random.random()}.py", events=self.random.randrange(1, 4))

    def fork(self):
        if len(self.branches) < 5:
            self.branches.append(f"b{len(self.branches)}")
            self.repo.git("checkout", "--quiet", "-b", self.branches[-1])

    def merge(self):
        merge(self.repo, self.random.choice(self.branches))

    def squash(self):
        self.repo.git("merge", "--quiet", "--squash", self.random.choice(self.branches))
        self.repo.commit("squashed")

    def rebase(self):
        if not self.repo.git("rev-list", "--merges", "-n1", "main..HEAD"):
            self.repo.git("rebase", "--quiet", "main")

    def pick(self):
        other = self.random.choice(self.branches)
        picked = self.repo.git("rev-list", "--no-merges", "--reverse", f"HEAD..{other}", "--", "*.py").split()
        if picked:
            self.repo.git("cherry-pick", "--keep-redundant-commits", *picked)


@pytest.mark.daily(1)
@pytest.mark.promise("M1")
@pytest.mark.parametrize("seed", range(10))
def test_histories_at_random(repo, work, sound, seed):
    Luck(repo, work, f"branches {seed}").run(12)

    assert work.held() == work.ids
    sound("--strict")


@pytest.mark.fault
@pytest.mark.promise("M1")
@pytest.mark.parametrize("seed", range(10, 1_000))
def test_a_thousand_histories_at_random(repo, work, sound, seed, figure):
    Luck(repo, work, f"branches {seed}").run(12)

    assert work.held() == work.ids
    sound("--strict")
    figure("1,000 random histories, every event there once, no conflict")
