"""One walk of history says of every file in every commit what `git blame -w` says of it."""

import random
import subprocess
from contextlib import closing, suppress

import pytest

from linetrail.ledger.repository import file_path, find
from linetrail.projections.git.annotation import Annotation
from linetrail.projections.git.blames import Blames
from linetrail.projections.git.history import Blaming, Objects
from linetrail.projections.git.target import Target
from linetrail.projections.survival.stats import tree

WORDS = ["alpha", "beta", "gamma", "delta", "return", "}", "{", "if", "else", "for", "while", "pass", "one", "two"]


class Story:
    """A history of edits, renames, copies, branches and merges as the dice fall."""

    def __init__(self, repo, seed: int) -> None:
        self.repo, self.dice = repo, random.Random(seed)
        self.tips = [repo.commit("first", {f"dir/file {n}.txt": self.text(30) for n in range(4)})]

    def text(self, length: int) -> str:
        return "".join(f"{self.line()}\n" for _ in range(length))

    def line(self) -> str:
        return " ".join(self.dice.choices(WORDS, k=self.dice.randint(0, 4)))

    def files(self) -> list[str]:
        listed = self.repo.git("ls-files").splitlines()
        return [path for path in listed if (self.repo.path / path).is_file()]

    def edit(self, path: str) -> None:
        file = self.repo.path / path
        lines = file.read_bytes().decode().splitlines()
        for _ in range(self.dice.randint(1, 4)):
            at = self.dice.randint(0, len(lines))
            what = self.dice.choice(["insert", "delete", "indent", "repeat", "move"])
            if what == "insert":
                lines[at:at] = [self.line() for _ in range(self.dice.randint(1, 5))]
            elif what == "delete":
                del lines[at : at + self.dice.randint(1, 4)]
            elif what == "indent":
                lines[at : at + 3] = [f"    {line}" for line in lines[at : at + 3]]
            elif what == "repeat":
                lines[at:at] = lines[: self.dice.randint(0, 6)]
            else:
                block, lines[at : at + 4] = lines[at : at + 4], []
                lines += block
        ending = "\r\n" if self.dice.random() < 0.1 else "\n"
        file.write_bytes((ending.join(lines) + ending * self.dice.randint(0, 1)).encode())

    def change(self) -> None:
        files = self.files()
        for path in self.dice.sample(files, min(len(files), self.dice.randint(1, 2))):
            what = self.dice.choice(["edit"] * 6 + ["rename", "copy", "delete", "binary", "link", "add"])
            new = f"dir/new {self.dice.randrange(1_000)}.txt"
            if what in {"rename", "copy"}:
                (self.repo.path / new).write_bytes((self.repo.path / path).read_bytes())
                if self.dice.random() < 0.6:
                    self.edit(new)
            if what in {"rename", "delete", "link"} and len(files) > 2:
                (self.repo.path / path).unlink()
            if what == "link" and len(files) > 2:
                (self.repo.path / path).symlink_to("nowhere")
            elif what == "binary":
                (self.repo.path / path).write_bytes(b"a\0b\n" * 5)
            elif what == "add":
                (self.repo.path / new).write_text(self.text(10))
            elif what == "edit":
                self.edit(path)

    def commit(self) -> None:
        self.change()
        self.repo.git("add", "--all")
        self.repo.git("commit", "--quiet", "--allow-empty", "-m", f"\n\n {self.line()} \nsecond line\n\nbody")
        self.tips.append(self.repo.git("rev-parse", "HEAD").strip())

    def merge(self) -> None:
        main = self.tips[-1]
        self.repo.git("checkout", "--quiet", "--detach", self.dice.choice(self.tips[-6:]))
        for _ in range(self.dice.randint(1, 3)):
            self.commit()
        side = self.tips[-1]
        self.repo.git("checkout", "--quiet", "--detach", main)
        strategy = self.dice.choice(["ours", "theirs"])
        # a conflict of files: what is there is committed, as people do
        with suppress(subprocess.CalledProcessError):
            self.repo.git("merge", "--quiet", "--no-ff", "--no-commit", "-X", strategy, side)
        if self.dice.random() < 0.5:
            self.change()
        self.repo.git("add", "--all")
        self.repo.git("commit", "--quiet", "--allow-empty", "-m", "merged")
        self.tips.append(self.repo.git("rev-parse", "HEAD").strip())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_walk_says_what_git_blame_says(repo, seed):
    story = Story(repo, seed)
    for _ in range(12):
        story.dice.choice([story.commit, story.commit, story.merge])()
    repository = find(str(repo.path))

    with closing(Objects(repository)) as store, closing(Annotation(repository, store, story.tips[-1])) as annotation:
        told = differing = 0
        for revision in annotation.walk.names:
            for file in tree(repository, revision):
                content = store.read(file.blob) or b""
                with closing(Blaming(repository, Target(file.path, content, revision, revision))) as blaming:
                    told += 1
                    differing += annotation.blamed(revision, file_path(file.path)) != blaming.answer()

    assert told > 50
    assert differing == 0


def test_lines_by_their_numbers(repo):
    first = repo.commit("one", {"a": "one\ntwo\nthree\n"})
    second = repo.commit("two", {"a": "one\n2\nthree\n"})
    repository = find(str(repo.path))

    with closing(Objects(repository)) as store, closing(Annotation(repository, store, second)) as annotation:
        found = annotation.blamed(second, "a", [2, 3])

    assert found is not None
    assert [(line.revision, line.original_line) for line in found.lines] == [(second, 2), (first, 3)]


def test_a_commit_that_only_lets_a_file_be_run_brought_no_line(repo):
    first = repo.commit("one", {"a": "one\n"})
    (repo.path / "a").chmod(0o755)
    second = repo.commit("two")
    repository = find(str(repo.path))

    with closing(Objects(repository)) as store, closing(Annotation(repository, store, second)) as annotation:
        found = annotation.blamed(second, "a")

    assert found is not None
    assert [line.revision for line in found.lines] == [first]


def test_what_no_walk_knows_is_asked_of_git(repo):
    first = repo.commit("one", {"a": "one\n"})
    repo.write("a", "one\non disk\n")
    repository = find(str(repo.path))

    with closing(Objects(repository)) as store, closing(Blames(repository, store)) as blames:
        blames.expect(1_000)
        with closing(blames.ask(Target("a", b"one\non disk\n", None, first))) as asked:
            lines = asked.answer().lines

    assert [line.revision for line in lines] == [first, None]


def test_a_walk_says_what_git_says_of_files_that_were_committed(repo):
    story = Story(repo, seed=4)
    for _ in range(4):
        story.commit()
        story.merge()
    repository = find(str(repo.path))
    names = {f"{name}.txt" for name in ("dir/file 0", "dir/file 3", "dir/new", "never")}
    listed = repo.git("log", "--all", "--format=", "--name-only", "--no-renames", "-m")
    names |= set(listed.replace('"', "").split("\n"))

    with (
        closing(Objects(repository)) as store,
        closing(Blames(repository, store)) as one,
        closing(Blames(repository, store)) as many,
    ):
        many.expect(1_000)
        many.ask(Target("a", b"", None, story.tips[-1])).close()
        asked = [(path, revision) for path in sorted(names - {""}) for revision in story.tips]
        differing = [each for each in asked if one.was_committed(*each) != many.was_committed(*each)]
        told = {many.was_committed(*each) for each in asked}

    assert told == {True, False}
    assert differing == []
