"""Suggest how to split a large intent: files that were touched together stay together."""

import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.paths.globs import literal
from linetrail.queries.work.forecast import LEAST, Forecast

PARTS = 3


class Part(NamedTuple):
    """Some files of an intent, the patterns that own them alone, and how often they were touched beside other parts."""

    patterns: Sequence[str]
    files: Sequence[str]
    together: int
    across: int


def split(intent: Intent, forecast: Forecast, parts: int = PARTS) -> list[Part]:
    """Return a partition of the files that an intent owns, the largest part first.

    The pairs that were touched together most often are joined first, then files of a folder, as long as no part takes
    more than its share; what is left over then goes to the smallest.
    """
    files = list(forecast.owned(intent))
    most = -(-len(files) // parts)
    group = {path: [path] for path in files}
    for one, other in [*_by_history(files, forecast), *_by_folder(files)]:
        left, right = group[one], group[other]
        if left is not right and len(left) + len(right) <= most:
            left += right
            group.update(dict.fromkeys(right, left))
    groups = sorted(({id(each): sorted(each) for each in group.values()}).values(), key=lambda each: (-len(each), each))
    while len(groups) > parts:
        last = groups.pop()
        groups[-1] = sorted([*groups[-1], *last])
    return [_part(each, forecast.owned(intent).keys(), forecast) for each in groups]


def _by_history(files: Sequence[str], forecast: Forecast) -> Iterator[tuple[str, str]]:
    known = set(files)
    pairs = [
        (times / (forecast.times(one) + forecast.times(other) - times), one, other)
        for one in files
        for other, times in forecast.together(one).items()
        if other in known and one < other and times >= LEAST
    ]
    return ((one, other) for _, one, other in sorted(pairs, key=lambda pair: (-pair[0], *pair[1:])))


def _by_folder(files: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield neighbours, those first that have the deepest folder in common."""
    pairs = itertools.pairwise(files)
    return iter(sorted(pairs, key=lambda pair: -_common(*pair)))


def _common(one: str, other: str) -> int:
    folders = zip(one.split("/")[:-1], other.split("/")[:-1], strict=False)
    return next((at for at, (a, b) in enumerate(folders) if a != b), min(one.count("/"), other.count("/")))


def _part(files: Sequence[str], owned: Collection[str], forecast: Forecast) -> Part:
    inside, others = set(files), set(owned).difference(files)
    beside = [(other, times) for path in files for other, times in forecast.together(path).items()]
    together = sum(times for other, times in beside if other in inside) // 2
    return Part(
        _patterns(files, set(forecast.files) - inside),
        files,
        together,
        sum(times for other, times in beside if other in others),
    )


def _patterns(files: Sequence[str], others: set[str]) -> list[str]:
    """Return patterns that own these files and none of the others: whole folders where that is so."""
    patterns: list[str] = []
    for path in files:
        if patterns and patterns[-1].endswith("/**") and path.startswith(patterns[-1][:-2]):
            continue
        folders = [path[: at + 1] for at, sign in enumerate(path) if sign == "/"]
        whole = next((one for one in folders if not any(other.startswith(one) for other in others)), None)
        patterns.append(literal(path) if whole is None else f"{literal(whole)}**")
    return patterns
