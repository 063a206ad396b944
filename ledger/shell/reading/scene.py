"""What is known around one command: where the shell stands, what variables hold, what comes through the pipe."""

import posixpath
from typing import NamedTuple

from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.ruling import Ruling, changes, harms
from linetrail.ledger.shell.reading.syntax import Command
from linetrail.ledger.shell.reading.values import Arg, Names


class Scene(NamedTuple):
    """`here` is the folder relative to the root, None once the shell may have left the workspace."""

    names: Names
    root: str = ""
    here: str | None = ""
    # where a cd led, as it was spelled: for what may be read there
    place: str = ""
    # the commands in front of this one in its pipe
    upstream: tuple[Command, ...] = ()
    # the text of a here-document; with UNKNOWN in it where the shell expands
    stdin: str | None = None
    # it stands behind a cd, so a path of its own is not spelled from where the agent stands
    moved: bool = False
    # how many texts this one stands in: bash -c 'eval "…"'
    level: int = 0
    # links that were made before, from the root
    links: tuple[str, ...] = ()

    def outside(self, path: str) -> bool:
        """Tell whether a path leads out of the workspace, or may."""
        if self.here is None:
            return not (path in places.DEVICES or path.startswith("/dev/fd/"))
        return places.is_outside(path, self.root, self.here)

    def at(self, path: str) -> str:
        """Return where a path leads by its names alone, from the root."""
        return posixpath.normpath(posixpath.join(self.root, self.here or "", path))

    def writes(self, arg: Arg, what: str) -> Ruling:
        """Rule on a part that writes, moves or deletes one path."""
        path = arg.text
        if path in places.DEVICES or path.startswith("/dev/fd/"):
            return changes(f"{what} writes to {path}", complete=True)
        if places.is_protected(path):
            return harms(f"{what} touches {shown(arg)}, which belongs to git, the ledger or an agent's configuration")
        if not arg.known and path.startswith("\0"):
            return changes(f"{what} writes to a place that only the running shell knows")
        if self.outside(path):
            return harms(f"{what} touches {shown(arg)}, outside of the workspace")
        if places.is_credential(path, glob=arg.glob):
            return harms(f"{what} touches {shown(arg)}, which may hold credentials")
        at = self.at(path)
        if any(at == link or at.startswith(f"{link}/") for link in self.links):
            return harms(
                f"{what} writes through {shown(arg)}, a link that is made in the same command; do one after the other"
            )
        spelled = self._spelled(path) if arg.known else None
        if spelled is None:
            return changes(f"{what} changes {shown(arg)}")
        # A pattern stands for itself: whoever owns it owns all that it may become.
        return changes(f"{what} changes {shown(arg)}", spelled, complete=arg.literal and not self.moved)

    def _spelled(self, path: str) -> str | None:
        """Return a path as it leads from where the agent stands, also behind a cd; None where that is not known."""
        if not self.moved or path.startswith("/"):
            return path
        return posixpath.join(self.root, self.here, path) if self.root and self.here is not None else None

    def reads(self, arg: Arg, what: str) -> Ruling | None:
        """Rule on an operand that names a file to read; None where nothing speaks against it."""
        path = arg.text if arg.text.startswith(("/", "~")) or not self.place else f"{self.place}/{arg.text}"
        if places.is_credential(path, glob=arg.glob):
            return harms(f"{what} names {shown(arg)}, which may hold credentials")
        if "\0" in self.place and not arg.text.startswith(("/", "~")):
            return changes(f"{what} reads {shown(arg)} in a folder that only the running shell knows")
        if not places.may_be_read(path):
            return changes(f"{what} reads {shown(arg)}, which is no plain file")
        if arg.glob and self.outside(arg.text):
            return changes(f"{what} reads whatever {shown(arg)} finds outside of the workspace")
        return None


def shown(arg: Arg) -> str:
    """Spell an argument in a sentence; what only the shell knows is an ellipsis."""
    return arg.text.replace("\0", "…")[:80] or "''"


def file_operand(arg: Arg, scene: Scene, what: str) -> Ruling | None:
    """Rule on a file that such a program is given; None where nothing speaks against it."""
    if not arg.known or arg.splits or arg.text[:1] in "*?[-":
        return changes(f"{what} may be given options, or a secret file, at run time")
    return scene.reads(arg, what)
