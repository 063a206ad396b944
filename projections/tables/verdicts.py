"""Remember which segments, and which lines of the tail, were judged sound: the next time only new ones are judged.

A file counts as the one that was judged while its size, its inode and its times are the same. Whoever can set all of
them can write this file too; `verify --full` trusts neither, and a fresh clone has nothing to trust. The lines of the
tail count as those that were judged while their hash is the same.
"""

import contextlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import Stamp, is_settled, publish
from linetrail.ledger.log.chain import START, Head
from linetrail.ledger.log.segments import Segment

_FILE = os.path.join("cache", "verified.json")
# 1: first format. What another version has judged is judged again.
_VERSION = 1


class Sound(NamedTuple):
    """A segment without a problem: when its file was looked at, and what was counted in it."""

    segment: Segment
    stamp: Stamp
    lost: int
    unknown: int
    # lines that another sound segment has, too
    repeated: int


class SoundTail(NamedTuple):
    """The lines of the tail in which no problem was found, up to an end: their hash, and what was counted in them."""

    end: Head = START
    sha256: str = ""
    lost: int = 0
    unknown: int = 0


class Memory(NamedTuple):
    """What was judged before."""

    segments: Mapping[str, Sound] = {}
    tail: SoundTail = SoundTail()
    # a tail whose lines follow each other, whatever they say, where it goes further than the one that was judged
    followed: SoundTail = SoundTail()


def recall(folder: str) -> Memory:
    """Return what was remembered; anything that cannot be read is nothing."""
    try:
        with open(os.path.join(folder, _FILE), "rb") as file:
            document = json.load(file)
        if document["version"] != _VERSION:
            return Memory()
        segments = {sound.segment.name: sound for sound in map(_sound, document["sound"])}
        return Memory(segments, *(_tail(document.get(name, SoundTail())) for name in ("tail", "followed")))
    except (OSError, ValueError, TypeError, KeyError, IndexError):
        return Memory()


def remember(folder: str, sound: Iterable[Sound], tail: SoundTail, followed: SoundTail, before: Memory) -> None:
    """Keep what was judged, if it is not what was kept before; a file that changed just now may yet change unseen."""
    now_ns = time.time_ns()
    now = Memory({each.segment.name: each for each in sound if is_settled(each.stamp, now_ns)}, tail, followed)
    if now == before or not os.path.isdir(folder):
        return
    document = {"version": _VERSION, "sound": list(now.segments.values()), "tail": tail, "followed": followed}
    content = json.dumps(document, separators=(",", ":")).encode()
    with contextlib.suppress(OSError, StorageError):
        publish(os.path.join(folder, _FILE), content, durable=False)


def _tail(record: Any) -> SoundTail:
    end, *rest = record
    return SoundTail(Head(*end), *rest)


def _sound(record: Any) -> Sound:
    (name, parents, *rest), (size, modified, changed, inode), lost, unknown, repeated = record
    return Sound(Segment(name, tuple(parents), *rest), (size, modified, changed, inode), lost, unknown, repeated)
