"""Both sides of a step while their definitions are being matched."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from linetrail.projections.nodes.sides import Place, Side

# Such a share of what a new file defines makes it the file that is gone.
SAME_FILE = 0.5

_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_IMPORT = re.compile(rb"^.*\b(?:import|from|require|include|using|use|mod)\b.*$", re.MULTILINE)

Pair = tuple[Place, Place]
# What is around a definition: another one, else the file, by its path.
Home = Place | str


class Step:
    """The definitions before and after a step, and the pairs of them that are matched so far."""

    def __init__(self, before: Iterable[Side], after: Iterable[Side], renamed: Mapping[str, str]) -> None:
        self.before, self.after = list(before), list(after)
        self._former = {new: old for old, new in _same_files(self.before, self.after, renamed).items()}
        self.now: dict[Place, Place] = {}
        self.was: dict[Place, Place] = {}
        self._gone = {place: None for side in self.before for place in side.places()}
        self._came = {place: None for side in self.after for place in side.places()}

    @property
    def gone(self) -> Sequence[Place]:
        """The definitions of before without a match, each after the definition that contains it."""
        return list(self._gone)

    @property
    def came(self) -> Sequence[Place]:
        """The definitions of after without a match, each after the definition that contains it."""
        return list(self._came)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left on one side."""
        return not (self._gone and self._came)

    def join(self, pairs: Iterable[Pair]) -> bool:
        """Record pairs as the same, except what is matched already; return whether any was new."""
        known = len(self.now)
        for old, new in pairs:
            if old in self._gone and new in self._came:
                self.now[old], self.was[new] = new, old
                del self._gone[old], self._came[new]
        return len(self.now) > known

    def former_home(self, home: Home) -> Home | None:
        """Return what a home was before the step."""
        return self._former.get(home) if isinstance(home, str) else self.was.get(home)

    def stayed(self, old: Place, new: Place) -> bool:
        """Return whether two definitions are part of the same one, or of the same file and of none."""
        return old.home == self.former_home(new.home)

    def in_one_file(self, old: Place, new: Place) -> bool:
        """Return whether two definitions are in the same file, whatever it is called now."""
        return self._former.get(new.path) == old.path

    def is_new(self, path: str) -> bool:
        """Return whether a file was not there before, by whatever name."""
        return path not in self._former

    def uses(self, old: Place, new: Place) -> int:
        """Count how often another name stands where one stood; 0 unless it took its place everywhere."""
        one, other = _word(old.definition.name), _word(new.definition.name)
        before, after = self._words
        taken = before[one] == after[other] and not before[other] and not after[one]
        return before[one] if taken else 0

    def renamed_in_use(self) -> Iterator[Pair]:
        """Yield what is gone with what has a name that took its place everywhere, more than once."""
        before, after = self._words
        used: dict[int, list[Place]] = defaultdict(list)
        for new in self._came:
            other = _word(new.definition.name)
            if not before[other]:
                used[after[other]].append(new)
        for old in self.gone:
            one = _word(old.definition.name)
            times = before[one]
            if times > 1 and not after[one]:
                yield from ((old, new) for new in used.get(times, ()))

    def linked(self, old: Place, new: Place) -> bool:
        """Return whether the imports of one of two files changed, as when something went from the one to the other."""
        before, after = self._imports
        return any(after[word] != before[word] for word in (_stem(old.path), _stem(new.path)))

    @cached_property
    def _words(self) -> tuple[Counter[bytes], Counter[bytes]]:
        return _words(self.before), _words(self.after)

    @cached_property
    def _imports(self) -> tuple[Counter[bytes], Counter[bytes]]:
        return _imported(self.before), _imported(self.after)


def _word(name: str) -> bytes:
    return name.encode(errors="surrogateescape")


def _stem(path: str) -> bytes:
    return _word(os.path.basename(path).partition(".")[0])


def _words(sides: Iterable[Side]) -> Counter[bytes]:
    return Counter(word for side in sides for word in _WORD.findall(side.content))


def _imported(sides: Iterable[Side]) -> Counter[bytes]:
    lines = (line for side in sides for line in _IMPORT.findall(side.content))
    return Counter(word for line in lines for word in _WORD.findall(line))


def _same_files(before: Sequence[Side], after: Sequence[Side], renamed: Mapping[str, str]) -> dict[str, str]:
    """Return which file is which afterwards, by name, by what is known, else by what they hold."""
    paths = {side.path for side in after}
    kept = {side.path: side.path for side in before if side.path in paths}
    found = {old: new for old, new in renamed.items() if new in paths and old not in kept} | kept
    gone = [side for side in before if side.path not in found]
    new = [side for side in after if side.path not in found.values()]
    for _, old_path, new_path in sorted(_likely(gone, new), key=lambda pair: (-pair[0], *pair[1:])):
        if old_path not in found and new_path not in found.values():
            found[old_path] = new_path
    return found


def _likely(gone: Sequence[Side], new: Sequence[Side]) -> Iterator[tuple[float, str, str]]:
    """Yield the files that may be one, with how much of what they hold is the same."""
    for one in gone:
        for other in new:
            held, holds = (Counter(definition.tokens for definition in side.definitions) for side in (one, other))
            shared = (held & holds).total() / max(held.total(), holds.total(), 1)
            if shared >= SAME_FILE or one.content == other.content:
                yield shared, one.path, other.path
