"""Align the lines of a recorded state with those of a content that nobody was seen making.

Lines are compared by the hash of their substance. A blank or trivial line (`}`, `return None`) is never matched
because it is equal, only because of where it stands: beside a matched line, or alone between two matched blocks.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import compress, count, product

from linetrail.ledger.observe import diff
from linetrail.ledger.observe.diff import Change, Match
from linetrail.ledger.observe.substance import line_hash

# An old line for each new line; None where there is none.
Alignment = list[int | None]
# One hash for each line of a content; None for a line that is only known to be there.
Hashes = Sequence[str | None]

# A run of matched lines says something by itself when it has so many of substance, however often they stand here.
MIN_RUN = 3

# How deep lines are looked for that are the only ones of their kind between two others: data of 10,000 lines needed 11.
# The native part panics beyond it; without it, it would go on until its stack is full.
MAX_DEPTH = 100

# Without white space, as lines are hashed.
_KEYWORDS = """
    begin break case catch continue default do done else end endfunction endif endmodule esac except false fi finally
    loop nil none null pass rescue return then true try
    return0 return1 return-1 returnnil returnnull returnNone returntrue returnfalse returnTrue returnFalse
    returnself returnthis returnresult returndata returnvalue returnerr returnnil,err
    }else{ elseif }catch{ }finally{ @Override @override /** */ // -- # \"\"\" ''' ``` ... --- *** ===
    <div> </div> <p> </p> <ul> </ul> <li> </li> <br> <br/> <span> </span> <tr> </tr> <td> </td> </script> </style>
"""
_SIGNS = "{}()[];,:"
TRIVIAL = frozenset(
    line_hash(text.encode())
    for text in [
        *("".join(signs) for length in range(4) for signs in product(_SIGNS, repeat=length)),
        *(word + end for word in _KEYWORDS.split() for end in ("", ";", ":", ",")),
    ]
)

# What says nothing by itself: a trivial line, or one that is only known to be there.
COMMON: frozenset[str | None] = TRIVIAL | {None}


def matches(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Match]:
    """Return the equal runs of both sequences in order, as `ledger.diff` does, with most of the work done natively.

    >>> matches("abcd", "xbcy")
    [Match(a=1, b=1, length=2)]
    """
    return _joined(_pairs(old, new))


def trivial(line: str) -> bool:
    """Return, from its hash, whether a line is too common to say anything about who wrote it."""
    return line in TRIVIAL


def align(old: Hashes, new: Hashes) -> Alignment:
    """Find the old line of each new line, in order; a line whose hash is not known is like no other."""
    if old == new and None not in new:
        return list(range(len(new)))
    head, tail = _common_ends(old, new)
    middle = _align(old[head : len(old) - tail], new[head : len(new) - tail])
    found = [None if at is None else head + at for at in middle]
    return [*range(head), *found, *range(len(old) - tail, len(old))]


def confirmed(old: Hashes, new: Hashes, alignment: Alignment, asked: Iterable[int]) -> set[int]:
    """Return those of the new lines asked about that hardly match by chance, as a heading beside a blank line may.

    They stand in a run of matched lines with two of substance, one of them the only one of its kind on both sides,
    or with more than two.
    """
    found: set[int] = set()
    run = range(0)
    counts: tuple[Counter[str | None], Counter[str | None]] | None = None
    for at in asked:
        if alignment[at] is None or at in run:
            continue
        run = _run(alignment, at)
        substance = [line for line in new[run.start : run.stop] if line not in COMMON]
        if len(substance) == MIN_RUN - 1:
            old_count, new_count = counts = counts or (Counter(old), Counter(new))
            if any(old_count[line] == new_count[line] == 1 for line in substance):
                found.update(run)
        elif len(substance) >= MIN_RUN:
            found.update(run)
    return found


def gaps(alignment: Alignment, old_length: int) -> list[Change]:
    """Return what lies between the aligned lines, where both sides have lines."""
    found = []
    for start, stop in _stretches(unmatched(alignment)):
        above = alignment[start - 1] if start else -1
        below = alignment[stop] if stop < len(alignment) else old_length
        if above is not None and below is not None and below > above + 1:
            found.append(Change(above + 1, below, start, stop))
    return found


def unmatched(alignment: Alignment) -> list[int]:
    """Return the new lines that no old one was found for."""
    return [at for at, old in enumerate(alignment) if old is None]


def _pairs(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the places of equal lines in both sequences, in order."""
    if set(old).isdisjoint(new):
        return []
    from patiencediff import recurse_matches  # an answer that is remembered aligns nothing

    unique: list[tuple[int, int]] = []
    try:
        recurse_matches(old, new, 0, 0, len(old), len(new), unique, MAX_DEPTH)
    except BaseException as error:  # a panic of the native part, which has no other class
        if type(error).__name__ != "PanicException":
            raise
        return _single(diff.matches(old, new))
    found: list[tuple[int, int]] = []
    x = y = 0
    for a, b in [*unique, (len(old), len(new))]:
        if a > x and b > y and not set(old[x:a]).isdisjoint(new[y:b]):
            # where no line is the only one of its kind, its patience ends
            found += _single(diff.matches(old[x:a], new[y:b]), x, y)
        found.append((a, b))
        x, y = a + 1, b + 1
    return found[:-1]


def _single(runs: Iterable[Match], x: int = 0, y: int = 0) -> list[tuple[int, int]]:
    """Return the lines of runs that begin behind these places."""
    return [(x + a + step, y + b + step) for a, b, length in runs for step in range(length)]


def _joined(pairs: Sequence[tuple[int, int]]) -> list[Match]:
    """Return pairs of equal lines as runs."""
    found = []
    a = b = length = 0
    for x, y in pairs:
        if x == a + length and y == b + length:
            length += 1
            continue
        if length:
            found.append(Match(a, b, length))
        a, b, length = x, y, 1
    return [*found, Match(a, b, length)] if length else found


def _stretches(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where places that follow each other begin and end."""
    start = previous = None
    for at in places:
        if previous is None or at != previous + 1:
            if start is not None and previous is not None:
                yield start, previous + 1
            start = at
        previous = at
    if start is not None and previous is not None:
        yield start, previous + 1


def _run(alignment: Alignment, at: int) -> range:
    """Return the places of new lines around one whose old ones follow each other, too."""
    start, stop, old = at, at + 1, alignment[at]
    while start and old is not None and alignment[start - 1] == old - at + start - 1:
        start -= 1
    while stop < len(alignment) and old is not None and alignment[stop] == old - at + stop:
        stop += 1
    return range(start, stop)


def _common_ends(old: Hashes, new: Hashes) -> tuple[int, int]:
    """Count the equal lines at both ends that need no looking at: each end stops before a line that says something."""
    shorter = min(len(old), len(new))
    head = _equal_until(old, new, shorter)
    tail = _equal_until(old[head:][::-1], new[head:][::-1], shorter - head)
    while head and new[head - 1] in COMMON:
        head -= 1
    while tail and new[-tail] in COMMON:
        tail -= 1
    return max(head - 1, 0), max(tail - 1, 0)


def _equal_until(old: Hashes, new: Hashes, most: int) -> int:
    """Count the lines that are equal at the start; slices are compared, which is quicker than lines."""
    known, limit = 0, most
    while known < limit:
        half = (known + limit + 1) // 2
        if old[known:half] == new[known:half] and None not in old[known:half]:
            known = half
        else:
            limit = half - 1
    return known


def _align(old: Hashes, new: Hashes) -> Alignment:
    found: Alignment = [None] * len(new)
    old_lines, old_at = _substance(old)
    new_lines, new_at = _substance(new)
    pairs = [(old_at[a], new_at[b]) for a, b in _pairs(old_lines, new_lines)]
    x = y = -1
    for a, b in pairs:
        found[b] = a
        if a > x + 1 and b > y + 1:
            _fill(old, new, found, Change(x + 1, a, y + 1, b))
        x, y = a, b
    _fill(old, new, found, Change(x + 1, len(old), y + 1, len(new)))
    return found


def _substance(lines: Hashes) -> tuple[list[str | None], list[int]]:
    """Return the lines that say something by themselves, and where each stands."""
    says = [line not in COMMON for line in lines]
    return list(compress(lines, says)), list(compress(count(), says))


def _fill(old: Hashes, new: Hashes, found: Alignment, gap: Change) -> None:
    """Match equal lines right beside the matched ones around a gap, then single ones where only trivial lines were."""
    a0, a1, b0, b1 = gap
    if b0:
        while a0 < a1 and b0 < b1 and old[a0] == new[b0] is not None:
            found[b0] = a0
            a0, b0 = a0 + 1, b0 + 1
    if b1 < len(new):
        while a0 < a1 and b0 < b1 and old[a1 - 1] == new[b1 - 1] is not None:
            a1, b1 = a1 - 1, b1 - 1
            found[b1] = a1
    before, after = old[a0:a1], new[b0:b1]
    if not TRIVIAL.isdisjoint(after) and TRIVIAL.issuperset(before):
        for a, b in _pairs_alone(before, after):
            found[b0 + b] = a0 + a


def _pairs_alone(old: Hashes, new: Hashes) -> Iterator[tuple[int, int]]:
    """Yield the places of the lines, in order, that are the only ones of their kind on either side."""
    old_count, new_count = Counter(old), Counter(new)
    old_at, new_at = (
        [at for at, line in enumerate(side) if old_count[line] == new_count[line] == 1] for side in (old, new)
    )
    pairs = _pairs([old[at] for at in old_at], [new[at] for at in new_at])
    return ((old_at[a], new_at[b]) for a, b in pairs)
