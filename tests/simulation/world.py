"""One repository with real git and real hooks, and beside it the account of who wrote each line of each file.

Whatever changes a file changes both: the bytes on disk and the lines in the account. `files` is the work tree,
`commits` are the trees of commits by revision; the index is as HEAD has it between two operations.
"""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.simulation import texts
from tests.simulation.agent import Deliver, Session, in_process
from tests.simulation.merging import merged
from tests.simulation.model import NOBODY, File, Line, Tree, lines_of, mapped, written
from tests.simulation.payloads import told

PEOPLE = ("person-1", "person-2", "person-3")
BEGINNINGS = (("src/text.py", ".py"), ("src/heap.py", ".py"), ("docs/notes.md", ".md"))
LEDGER = ".orchestration"


class NotNow(Exception):  # noqa: N818  not an error: the story goes on
    """The operation makes no sense here; nothing was changed."""


class Commit(NamedTuple):
    """A commit as the account knows it."""

    parents: tuple[str, ...]
    person: str
    tree: Tree


class World:
    """The repository, its account, and the story of what happened so far."""

    def __init__(self, root: Path, deliver: Deliver = in_process, clock: Callable[[], float] = time.time) -> None:
        """Make a repository whose first commit is the first person's; the clock tells git what time it is."""
        self.root = root
        self.files: Tree = {}
        self.commits: dict[str, Commit] = {}
        self.story: list[str] = []
        self.branch = "main"
        self.stash: tuple[Tree, Tree] | None = None
        self.reverted: list[str] = []
        self._deliver, self._clock = deliver, clock
        self._sessions: dict[int, Session] = {}
        self._given: dict[str, int] = {}
        self._made = 0
        root.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main", "--template=")
        (root / ".git" / "info").mkdir()
        (root / ".git" / "info" / "exclude").write_text(f"{LEDGER}/\n")
        (root / LEDGER).mkdir()
        for at, (path, suffix) in enumerate(BEGINNINGS):
            lines = texts.beginnings(suffix)[at % len(texts.beginnings(suffix))]
            self.save(path, File(tuple(written(lines, NOBODY, "begin"))))
        self.commit(PEOPLE[0])
        self.story.clear()

    # the story

    def say(self, text: str) -> None:
        """Add a sentence to the story."""
        self.story.append(text)

    def fresh(self, suffix: str, salt: int) -> tuple[str, ...]:
        """Return a text that nobody has written here yet."""
        stock = texts.blocks(suffix)
        step = 37
        self._given[suffix] = self._given.get(suffix, salt * 11) + step
        return stock[self._given[suffix] % len(stock)]

    def new_name(self, suffix: str, folder: str = "src") -> str:
        """Return a path that no file ever had."""
        self._made += 1
        return f"{folder}/new_{self._made}{suffix}"

    def session(self, number: int) -> Session:
        """Return one of the sessions, started when first asked for."""
        if number not in self._sessions:
            self._sessions[number] = Session(number, str(self.root), self._deliver)
        return self._sessions[number]

    # files

    def save(self, path: str, file: File, root: Path | None = None) -> None:
        """Write a file, with nobody watching."""
        if root is None:
            self.files[path] = file
        target = (root or self.root) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        now = time.time_ns()
        os.utime(target, ns=(now, now))

    def remove(self, path: str) -> None:
        """Remove a file, with nobody watching."""
        del self.files[path]
        (self.root / path).unlink()

    def changed(
        self, path: str, file: File, session: Session | None, tool: str = "Edit", before: str | None = None
    ) -> None:
        """Let a session change one file through a tool, or a person with nobody watching."""
        if session is None:
            self.save(path, file)
            return
        finish = self.begin(session, path, file, tool, before)
        self.save(path, file)
        finish()

    def begin(
        self, session: Session, path: str, file: File, tool: str = "Edit", before: str | None = None
    ) -> Callable[[], None]:
        """Begin the tool call that will change a file; return what ends it. `before` is what git left on the disk."""
        old = self.files.get(path)
        text = before or (None if old is None else _text(old))
        what = told(str(self.root / path), text, _text(file), tool)
        call = session.call(what.tool, what.given, str(self.root))
        return lambda: call.done(what.response)

    def shell(self, session: Session | None, command: str, act: Callable[[], object]) -> None:
        """Do what a command line does: in a session's Bash tool, or in nobody's sight."""
        if session is None:
            act()
            return
        call = session.call("Bash", {"command": command, "description": "do it"}, str(self.root))
        act()
        call.done({"stdout": "", "stderr": "", "interrupted": False, "isImage": False})

    # git

    def git(
        self, *args: str, person: str = PEOPLE[0], stdin: bytes | None = None, root: Path | None = None
    ) -> str | None:
        """Run git and return what it printed; None when it failed."""
        names = {f"GIT_{role}_NAME": person for role in ("AUTHOR", "COMMITTER")}
        emails = {f"GIT_{role}_EMAIL": f"{person}@example.org" for role in ("AUTHOR", "COMMITTER")}
        dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{int(self._clock())} +0000")
        pinned = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true", "LC_ALL": "C"}
        done = subprocess.run(
            ["git", "-c", "core.editor=true", "-c", "gc.auto=0", *args],
            cwd=root or self.root,
            env=os.environ | names | emails | dates | pinned,
            input=stdin,
            capture_output=True,
            check=False,
        )
        return done.stdout.decode().removesuffix("\n") if done.returncode == 0 else None

    @property
    def head(self) -> str:
        """Return the revision of HEAD."""
        revision = self.git("rev-parse", "HEAD")
        assert revision is not None
        return revision

    @property
    def tip(self) -> Commit:
        """Return the commit at HEAD."""
        return self.commits[self.head]

    @property
    def dirty(self) -> bool:
        """Tell whether the work tree is not as HEAD has it."""
        tree = self.tip.tree
        return tree.keys() != self.files.keys() or any(tree[p].content != f.content for p, f in self.files.items())

    def commit(self, person: str, *options: str) -> None:
        """Commit everything there is."""
        self.git("add", "--all")
        if self.git("commit", "--quiet", "--allow-empty", "--message", "change", *options, person=person) is None:
            raise NotNow
        self.files = signed(self.files, person)
        self.note_commit(self.files, person)

    def clean(self, person: str) -> None:
        """Commit where something is not committed yet."""
        if self.dirty:
            self.commit(person)
            self.say(f"{person} commits everything")

    def note_commit(self, tree: Tree, person: str) -> None:
        """Remember the tree of the commit that was just made."""
        revision, *parents = (self.git("rev-list", "--parents", "-1", "HEAD") or "").split()
        self.commits[revision] = Commit(tuple(parents), person, dict(tree))

    def sync(self, tree: Tree) -> bool:
        """Take a tree for the work tree's account if that is what is on disk."""
        listed = (self.git("ls-files", "--cached", "--others", "--exclude-standard", "-z") or "").split("\0")[:-1]
        there = {path for path in listed if (self.root / path).exists()}
        if there != tree.keys():
            return False
        if any((self.root / path).read_bytes() != file.content for path, file in tree.items()):
            return False
        self.files = dict(tree)
        return True

    def brought(self, base: Tree, theirs: Tree, operation: str) -> Tree | None:
        """Return the work tree with the changes from a base to another tree brought over."""
        return merged(base, self.files, theirs, operation)


def signed(tree: Tree, person: str) -> Tree:
    """Return a tree whose uncommitted lines are a person's."""

    def sign(line: Line) -> Line:
        if NOBODY not in line.authors:
            return line
        return line._replace(authors=line.authors - {NOBODY} | {f"human:{person}"})

    return mapped(tree, sign)


def also_signed(tree: Tree, beside: Tree, name: str) -> Tree:
    """Return a tree in which people's lines that another tree lacks may have one more author."""
    known = lines_of(beside)

    def sign(line: Line) -> Line:
        old = known.get(line.uid)
        if "human" not in line.kinds or (old is not None and old.text == line.text):
            return line
        return line._replace(authors=line.authors | {name})

    return mapped(tree, sign)


def _text(file: File) -> str:
    """Return a file as an agent reads it: with plain newlines."""
    return file._replace(eol="\n").content.decode()
