"""A checkpoint: a few lines that stand for every sealed segment, to be kept, signed, or carried elsewhere.

The lines are those of a transparency log (c2sp.org/tlog-checkpoint): what the log is called, how many segments there
are, and the RFC 6962 root over their sorted names; behind them one line for each head. Segments are only ever added,
but at any place in the sorted list, so an old root is no part of a new one. The heads settle it: the ancestors of the
heads of an old checkpoint are the segments it stood for, and nothing but those has its root. So a checkpoint can be
judged years later, offline, with nothing but itself and the segments that are here now.
"""

import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from linetrail.ledger.errors import IntegrityError, StorageError
from linetrail.ledger.files import open_file, publish
from linetrail.ledger.log import merkle, signed_notes
from linetrail.ledger.log.segments import Segment, absent, ancestors, heads, ordered
from linetrail.ledger.log.signed_notes import Note, NoteError, Signer, Verifier

CHECKPOINT = "checkpoint"
TRACKED_MODE = 0o644

_HEAD = "head "
_NAME = re.compile(r"[0-9a-f]{64}")
_SIZE = re.compile(r"0|[1-9][0-9]{0,15}")
_CONFLICT = re.compile(r"^<<<<<<< ", re.MULTILINE)
_CHANGED = "`git log -p` of this file tells who changed it"
_ANEW = "`linetrail checkpoint` writes it anew"
_BACK = "`git log --all -- '*{name}.jsonl'` finds the commits that have it"
_RESIGN = "find out why, then whoever has the key runs `linetrail checkpoint --sign FILE`"


class Checkpoint(NamedTuple):
    """What a checkpoint says; neither the segments nor the signatures have been looked at."""

    note: Note
    origin: str
    size: int
    root: bytes
    heads: tuple[str, ...]

    @property
    def signers(self) -> tuple[str, ...]:
        """Who claims to have signed it; nobody, when it is unsigned."""
        return tuple(dict.fromkeys(signature.name for signature in self.note.signatures))


def path(folder: str) -> str:
    """Return where the checkpoint is kept below the folder of a ledger."""
    return os.path.join(folder, CHECKPOINT)


def compose(
    segments: Mapping[str, Segment], origin: str, *, before: Checkpoint | None = None, signer: Signer | None = None
) -> Checkpoint:
    """Return the checkpoint of these segments; signatures that `before` has under the same lines stay."""
    root, tops = _root(segments), tuple(heads(segments))
    lines = [origin, str(len(segments)), signed_notes.to_base64(root), *(_HEAD + name for name in tops)]
    text = "\n".join([*lines, ""])
    kept = before.note.signatures if before is not None and before.note.text == text else ()
    signatures = [signature for signature in kept if signed_notes.is_safe_name(signature.name)]
    if signer is not None:
        own = signed_notes.sign(text, signer)
        signatures = [*(other for other in signatures if other[:2] != own[:2]), own]
    return Checkpoint(Note(text, tuple(signatures)), origin, len(segments), root, tops)


def render(checkpoint: Checkpoint) -> bytes:
    """Return the bytes of a checkpoint: a note, or its text alone while nobody has signed it."""
    note = checkpoint.note
    return signed_notes.render(note) if note.signatures else note.text.encode()


def parse(content: bytes) -> Checkpoint:
    """Read a checkpoint, signed or not; a NoteError says where it stops being one."""
    text = signed_notes.decode(content)
    conflict = _CONFLICT.search(text)
    if conflict is not None:
        raise NoteError("git left a conflict here", _size(text[: conflict.start()]))
    note = signed_notes.parse(content) if "\n\n" in text else Note(text, ())
    lines = note.text.split("\n")
    if len(lines) <= 3 or lines.pop() or not all(lines):
        raise NoteError("not at least three lines, none of them empty, each with a newline")
    size, root = _SIZE.fullmatch(lines[1]), _hash(lines[2])
    if size is None:
        raise NoteError("the second line is no number of segments", _size(lines[0]) + 1)
    if root is None:
        raise NoteError("the third line is no SHA-256 in base64", _size(lines[0], lines[1]) + 2)
    tops = tuple(line.removeprefix(_HEAD) for line in lines[3:] if line.startswith(_HEAD))
    if not all(map(_NAME.fullmatch, tops)) or list(tops) != sorted(set(tops)):
        raise NoteError("the heads are no names of segments, each once and sorted", _size(*lines[:3]) + 3)
    return Checkpoint(note, lines[0], int(size[0]), root, tops)


def judge(
    content: bytes, segments: Mapping[str, Segment], *, file: str, verifier: Verifier | None = None
) -> list[IntegrityError]:
    """Return what the segments of today lack of those that a checkpoint stands for; more of them are never wrong.

    That each segment's content has its name is for the caller to make sure. A missing signature is a problem
    only with a key to check it by.
    """
    try:
        checkpoint = parse(content)
    except NoteError as error:
        return [
            IntegrityError(file, error.offset, "CHECKPOINT_MALFORMED", f"no checkpoint: {error}; {_CHANGED}, {_ANEW}")
        ]
    problems = [*_missing(checkpoint, segments, file)] or [*_mismatch(checkpoint, segments, file)]
    if verifier is not None and not signed_notes.is_signed(checkpoint.note, verifier):
        claims = ", ".join(map(repr, checkpoint.signers)) or "nobody"
        expected = f"expected a valid signature by {verifier.name} ({verifier.id.hex()}), found one by {claims}"
        at = _size(checkpoint.note.text)
        problems.append(IntegrityError(file, at, "CHECKPOINT_SIGNATURE_INVALID", f"{expected}; {_RESIGN}"))
    return problems


def origin(segments: Mapping[str, Segment], before: Checkpoint | None) -> str:
    """Return what to call this ledger: what it was called before, else after the first of its segments.

    Both travel with the repository, so every clone answers the same; neither knows a machine or a path.
    """
    if before is not None and signed_notes.is_safe_name(before.origin):
        return before.origin
    return f"linetrail/{ordered(segments)[0].name[:16]}"


def read(folder: str) -> bytes | None:
    """Return the bytes of the checkpoint that is kept here, None where there is none."""
    try:
        with open_file(path(folder)) as file:
            return file.read(signed_notes.MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise IntegrityError(path(folder), 0, "CHECKPOINT_MALFORMED", message) from None


def keep(folder: str, checkpoint: Checkpoint) -> None:
    """Put a checkpoint where it is tracked, whole."""
    try:
        publish(path(folder), render(checkpoint), durable=True, mode=TRACKED_MODE, aside=os.path.join(folder, "state"))
    except OSError as error:
        raise StorageError(f"cannot write {path(folder)}: {error.strerror}") from None


def _missing(checkpoint: Checkpoint, segments: Mapping[str, Segment], file: str) -> Iterator[IntegrityError]:
    for name in checkpoint.heads:
        if name not in segments:
            before = checkpoint.note.text.partition(f"\n{_HEAD}{name}")[0]
            message = f"expected the segment {name}, a head, found none that can be read; {_BACK.format(name=name)}"
            yield IntegrityError(file, _size(before) + 1, "CHECKPOINT_SEGMENT_MISSING", message)
    covered = {name: segments[name] for name in ancestors(segments, checkpoint.heads)}
    for name, child in sorted(absent(covered).items()):
        message = f"expected the segment {name}, a parent of {child.name[:16]}, found none that can be read"
        yield IntegrityError(file, 0, "CHECKPOINT_SEGMENT_MISSING", f"{message}; {_BACK.format(name=name)}")


def _mismatch(checkpoint: Checkpoint, segments: Mapping[str, Segment], file: str) -> Iterator[IntegrityError]:
    covered = {name: segments[name] for name in ancestors(segments, checkpoint.heads)}
    root = _root(covered)
    if (checkpoint.size, checkpoint.root) != (len(covered), root):
        expected = f"expected {checkpoint.size} segments with the root {signed_notes.to_base64(checkpoint.root)}"
        found = f"found {len(covered)} with {signed_notes.to_base64(root)} up to its heads"
        at = _size(checkpoint.origin) + 1
        yield IntegrityError(
            file, at, "CHECKPOINT_ROOT_MISMATCH", f"{expected}, {found}; {_CHANGED}; without it {_ANEW}"
        )


def _root(segments: Mapping[str, Segment]) -> bytes:
    return merkle.root(bytes.fromhex(name) for name in sorted(segments))


def _hash(text: str) -> bytes | None:
    content = signed_notes.from_base64(text)
    return content if content is not None and len(content) == 32 else None


def _size(*texts: str) -> int:
    return sum(len(text.encode()) for text in texts)
