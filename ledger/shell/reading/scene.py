"""What is known around one command: where the shell may stand, what variables hold, what comes through the pipe."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.options import Known, take
from linetrail.ledger.shell.reading.ruling import DANGEROUS, DESTRUCTIVE, Ruling, blind, changes, harms, together
from linetrail.ledger.shell.reading.syntax import Command
from linetrail.ledger.shell.reading.values import UNKNOWN, Arg, Names

# Beyond this nobody follows where a shell may stand.
_MOST_FOLDERS = 12
Folders = frozenset[str]
NOWHERE: Folders = frozenset()
ANYWHERE: Folders = frozenset((UNKNOWN,))
_LN = Known("bdfFiLnPrsTv", "St", "target-directory= backup? force interactive logical no-dereference physical relative symbolic no-target-directory verbose suffix= directory")  # fmt: skip
# With these a copy may be a link, or have links in it.
_COPIES_AS_LINK = r"-[a-zA-Z]*[slPdaRr][a-zA-Z]*|--recursive|--symbolic-link|--link|--links|--archive|--no-dereference|--preserve=.*(?:links|all).*"
# Of the words of tar, the first may be options without a dash.
_UNPACKS = r"^[a-zA-Z]*x|(?:^|\0)-(?:[a-zA-Z]*x|-ext|-get)"
# What does not take along what it is done to, and what in a name is an order for a shell that is handed it.
_LEAVING = {"rm", "rmdir", "unlink", "mkdir", "chmod", "touch", "ln", "link", "a redirection", "tee"}
_ORDERS = r"[;&|`<>\n\r]|\$\("
# Programs that may stand in front of another one.
_IN_FRONT = 3


class Scene(NamedTuple):
    """`folders` are all in which the shell may stand: below the root by their path from there, others as they are spelled.

    A cd that may have failed leaves two of them; what only the running shell knows is UNKNOWN.
    """

    names: Names
    root: str = ""
    folders: Folders = frozenset(("",))
    # where the agent stands, from the root: what is told of a path starts there
    start: str = ""
    # folders outside of the workspace in which anybody may write
    free: tuple[str, ...] = ()
    # commands of which a person has said that they only read
    reading: frozenset[str] = frozenset()
    # names of programs that are the project's own, and of functions that the command makes
    own: frozenset[str] = frozenset()
    # the commands in front of this one in its pipe
    upstream: tuple[Command, ...] = ()
    # the commands behind it
    downstream: tuple[Command, ...] = ()
    # the files that stand in the place of what is typed
    source: tuple[Arg, ...] = ()
    # what stands in a file, as far as anybody may look
    read: Callable[[str], str | None] | None = None
    # what stands in a file that the last commit has not there; nothing of what is installed
    fresh: Callable[[str], str | None] | None = None
    # the text stands in a file that is run
    in_file: bool = False
    # the text of a here-document; with UNKNOWN in it where the shell expands
    stdin: str | None = None
    # how many texts this one stands in: bash -c 'eval "…"'
    level: int = 0
    # links that were made before, from the root
    links: tuple[str, ...] = ()

    @property
    def lost(self) -> bool:
        """The shell may stand outside of the workspace."""
        return any(places.is_outside(folder or ".", self.root) for folder in self.folders)

    @property
    def unknown(self) -> bool:
        """The shell may stand where only the running shell knows."""
        return any(UNKNOWN in folder for folder in self.folders)

    def entered(self, target: Arg) -> Folders:
        """Return where the shell stands once it has gone to a folder: by its names, and as the kernel follows them."""
        text = target.text
        if not target.literal or text[:1] in ("-", "+") or text == "" or len(self.folders) > _MOST_FOLDERS:
            return ANYWHERE
        joined = {self._from_root(posixpath.join(folder, text)) for folder in self.folders}
        return frozenset({*joined, *(_flat(folder) for folder in joined)})

    def standing(self, folders: Iterable[str]) -> "Scene":
        """Return the same where the shell stands in one of these folders."""
        return self if folders == self.folders else self._replace(folders=frozenset(folders))

    def _from_root(self, path: str) -> str:
        """Return an absolute path below the root as one from there."""
        root = self.root.rstrip("/")
        if not root or not (path == root or path.startswith(root + "/")):
            return path
        return path[len(root) :].strip("/")

    def paths(self, path: str) -> list[str]:
        """Return all that a path may mean: from the root, absolute outside of it, or from a place nobody knows."""
        if path.startswith(("/", "~")):
            return [path]
        return sorted(posixpath.join(folder, path) for folder in self.folders)

    def outside(self, path: str) -> bool:
        """Return whether a path leads out of the workspace, or may."""
        if places.is_device(path):
            return False
        return path.startswith(UNKNOWN) or any(places.is_outside(found, self.root) for found in self.paths(path))

    def is_workspace(self, path: str) -> bool:
        """Return whether a path may be the workspace itself, or everything in it."""
        return any(places.is_workspace(path, self.root, folder) for folder in self.folders)

    def at(self, path: str) -> set[str]:
        """Return where a path may lead by its names alone, from the root."""
        return {posixpath.normpath(posixpath.join(self.root, found)) for found in self.paths(path)}

    def made_link(self, place: str) -> bool:
        """Return whether a place from the root is a link, or leads through one, that was made before."""
        return any(place == link or place.startswith(f"{link}/") for link in self.links)

    def holds_link(self, arg: Arg) -> bool:
        """Return whether a place may have a link in it, or be one, that was made before: moved, it leads elsewhere."""
        if not self.links or not arg.literal or "{}" in arg.text:
            return self.links != ()
        return any(f"{link}/".startswith(f"{place.rstrip('/')}/") for place in self.at(arg.text) for link in self.links)

    def is_free(self, path: str) -> bool:
        """Return whether a path is absolute and below a folder in which anybody may write."""
        flat = posixpath.normpath(path)
        free = path.startswith("/") and flat.startswith(self.free) and places.is_outside(flat, self.root)
        return free or places.is_made(path)

    def writes(self, arg: Arg, what: str) -> Ruling:
        """Rule on a part that writes, moves or deletes one path, from wherever the shell may stand."""
        path = arg.text
        if places.is_device(path) and not any(map(self.made_link, self.at(path))):
            return changes(f"{what} writes to {path}", complete=True)
        base = posixpath.basename(path)
        if (base[:1] == "-" and base != "-") or base[-1:] == "|":
            return harms(
                f"{what} makes {shown(arg)}, which programs take for an option where a pattern finds it, or run"
            )
        found = self.paths(path)
        if any(map(places.is_protected, found)):
            return harms(f"{what} touches {shown(arg)}, which belongs to git, the ledger or an agent's configuration")
        if what not in _LEAVING and self.holds_link(arg):
            return harms(
                f"{what} moves {shown(arg)} with a link that is made in the same command; do one after the other"
            )
        if re.search(_ORDERS, path):
            return harms(f"{what} makes {shown(arg)}, a name that shells take for a command")
        if not arg.known and path.startswith(UNKNOWN):
            return blind(f"{what} writes to a place that only the running shell knows")
        if places.is_credential(path, glob=arg.glob) and not self._begins(arg):
            return harms(f"{what} touches {shown(arg)}, which may hold credentials")
        if any(map(self.made_link, self.at(path))):
            return harms(
                f"{what} writes through {shown(arg)}, a link that is made in the same command; do one after the other"
            )
        return together(self._written(one, arg, what) for one in found)

    def _begins(self, arg: Arg) -> bool:
        """Return whether a path is a file of settings that is not there yet, and so holds no credential."""
        if not arg.literal or self.read is None or not re.fullmatch(r".*\.env(?:\.\w+)?", arg.text):
            return False
        return all(self.read(self.told(path, arg.text)) is None for path in self.paths(arg.text))

    def owns(self, args: Iterable[Arg], reason: str) -> Ruling:
        """Rule on what is hard to undo, but may be done by whoever owns all that it is done to."""
        written = together(self.writes(arg, "it") for arg in args)
        if written.level > DESTRUCTIVE or written.unseen or not written.writes:
            return harms(reason)
        return Ruling(DANGEROUS, reason, written.writes, complete=False, bounded=True)

    def _written(self, path: str, arg: Arg, what: str) -> Ruling:
        if places.is_outside(path, self.root) and not (arg.known and self.is_free(path)):
            return harms(f"{what} touches {shown(arg)}, outside of the workspace")
        if not arg.known:
            return blind(f"{what} changes {shown(arg)}")
        moved = self.folders != {self.start}
        spelled = self.told(path, arg.text)
        # What is handed on cuts a name at its blanks.
        parts = path.split() if arg.quoted and path.split() != [path] else []
        # A pattern stands for itself: whoever owns it owns all that it may become.
        ruling = changes(f"{what} changes {shown(arg)}", spelled, complete=arg.literal and not moved and not parts)
        return ruling._replace(
            names=tuple(part for part in parts if "/" in part), files=tuple(part for part in parts if "/" not in part)
        )

    def told(self, path: str, spelled: str) -> str:
        """Return a path from the root as it leads from where the agent stands; `spelled` is how the command has it."""
        if spelled.startswith("/") or path == posixpath.join(self.start, spelled):
            return spelled
        if self.root:
            return posixpath.join(self.root, path)
        return posixpath.join(*[".."] * self.start.count("/"), "..", path) if self.start else path

    def reads(self, arg: Arg, what: str) -> Ruling | None:
        """Rule on an operand that names a file to read; None where nothing speaks against it."""
        relative = not arg.text.startswith(("/", "~"))
        if any(places.is_credential(path, glob=arg.glob) for path in {arg.text, *self._reached(arg.text)}):
            return harms(f"{what} names {shown(arg)}, which may hold credentials")
        if self.unknown and relative:
            return changes(f"{what} reads {shown(arg)} in a folder that only the running shell knows")
        if not all(map(places.may_be_read, [arg.text, *self._reached(arg.text)])):
            return changes(f"{what} reads {shown(arg)}, which is no plain file")
        if arg.glob and self.outside(arg.text):
            return changes(f"{what} reads whatever {shown(arg)} finds outside of the workspace")
        return None

    def _reached(self, path: str) -> list[str]:
        """Return what a path means in the folders that the command itself has gone to."""
        return self.standing(self.folders - {self.start}).paths(path)


def _flat(path: str) -> str:
    """Take out `..` behind a name, as a shell does that remembers how it came to a folder."""
    flat = posixpath.normpath(path)
    return "" if flat == "." else flat


def shown(arg: Arg) -> str:
    """Spell an argument in a sentence; what only the shell knows is an ellipsis."""
    return arg.text.replace("\0", "…")[:80] or "''"


def file_operand(arg: Arg, scene: Scene, what: str) -> Ruling | None:
    """Rule on a file that such a program is given; None where nothing speaks against it."""
    if not arg.known or arg.splits or arg.text[:1] in "*?[-":
        return changes(f"{what} may be given options, or a secret file, at run time")
    return scene.reads(arg, what)


def links_made(args: Sequence[Arg], scene: Scene) -> tuple[str, ...]:
    """Return where a call makes links, from the root: whether the last word is a folder, only the disk knows."""
    for place, arg in enumerate(args[:_IN_FRONT]):
        name, rest = arg.text.rpartition("/")[2], args[place + 1 :]
        if name in ("ln", "link") or (
            name in ("cp", "rsync") and any(re.fullmatch(_COPIES_AS_LINK, word.text) for word in rest)
        ):
            return tuple(found for path in _places(rest) for found in scene.at(path))
        if name in ("tar", "gtar", "bsdtar") and re.search(_UNPACKS, "\0".join(word.text for word in rest)):
            return tuple(found for path in _unpacked(rest) for found in scene.at(path))
    return ()


def _unpacked(args: Sequence[Arg]) -> Iterator[str]:
    """Yield below where an archive is unpacked: which links are in it, nobody sees here."""
    told = re.search(r"\0(?:-[a-zA-Z]*C\0?|--dir\w*[\0=])([^\0]+)", "\0" + "\0".join(arg.text for arg in args) + "\0")
    yield told[1] if told else "."


def _places(args: Sequence[Arg]) -> Iterator[str]:
    taken = take(args, _LN)
    operands = [arg.text for arg in (taken.operands if taken.unknown is None else args) if arg.text[:1] != "-"]
    folders = [value.text for letter, value in taken.values if letter in ("t", "target-directory")]
    if not folders and len(operands) == 1:
        folders = ["."]
    if not folders and operands:
        folders = [operands.pop()]
        if not folders[0].endswith(("/", ".")) and len(operands) == 1:
            yield folders[0]
    for source in operands:
        yield posixpath.join(folders[0], posixpath.basename(source.rstrip("/")))
