"""Describe a proof, or why there is none, in sentences for a reviewer."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from linetrail.projections.proof.matching.pairs import Matching, Open, Pair
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, MODULE, PARAMETER, Binding
from linetrail.projections.proof.terms.program import Item
from linetrail.projections.proof.terms.term import Term, same

# Nobody reads more.
MOST: Final = 20
_WHAT: Final = {LOCAL: "local", PARAMETER: "parameter", MODULE: ""}


class Note(NamedTuple):
    """One step of a refactoring: what it was, in a word and in a sentence, and the files that it touched."""

    kind: str
    text: str
    paths: frozenset[str]


class Notes(NamedTuple):
    """What a refactoring did: one sentence per step, and what it was as a whole."""

    kind: str
    texts: tuple[str, ...]


def open_ends(matching: Matching) -> Iterator[str]:
    """Yield what no proof was found for."""
    for one in matching.open:
        yield f"{one.before.title}: {_apart(one)}"
    for item in matching.gone:
        yield f"{_what(item)} {item.title} is gone"
    for item in matching.come:
        yield f"{_what(item)} {item.title} is new"


def _apart(one: Open) -> str:
    if one.apart is None:
        return f"changed at line {one.after.term.line}"
    before, after = one.apart
    line = after.line or before.line or one.after.term.line
    if before.value != after.value and before.kind == after.kind:
        return f"{_named(before)} became {_named(after)} at line {line}"
    if before.kind != after.kind:
        return f"{_article(before.kind)} became {_article(after.kind)} at line {line}"
    return f"the {before.kind} at line {line} has other parts"


def _article(kind: str) -> str:
    word = kind.rpartition(":")[2].replace("_", " ")
    return "nothing" if kind == t.NONE else f"an {word}" if word[:1] in "aeiou" else f"a {word}"


def _named(term: Term) -> str:
    if isinstance(term.value, Binding):
        return f"`{term.value.name}`"
    value = term.value[-1] if isinstance(term.value, tuple) and term.value else term.value
    text = str(value)
    return f"{term.kind} `{text[:40]}`" if text else term.kind


def _what(item: Item) -> str:
    return item.term.kind.rpartition(":")[2]


def notes(matching: Matching, *, types: bool) -> list[Note]:
    """Return what a proved change did."""
    found = [*_renames(matching), *_moves(matching), *_written_out(matching), *_rules(matching)]
    if types:
        found.append(Note("types", "annotations differ, which nothing reads at run time", frozenset()))
    if matching.unifier.swapped:
        lines = ", ".join(dict.fromkeys(str(one.line) for one in matching.unifier.swapped))
        text = f"statements that do not depend on each other changed places (lines {lines})"
        found.append(Note("reorder", text, frozenset()))
    return [*found, *_imports(matching)]


def told(found: Sequence[Note], path: str) -> Notes:
    """Return what there is to tell of one file: its own steps, else what is true of all."""
    own = [one for one in found if path in one.paths or not one.paths]
    # that imports follow what was moved goes without saying
    telling = [one for one in own if one.kind != "imports"] or own
    if not telling:
        return Notes("rewrite", ("the same, written otherwise",))
    kinds = {one.kind for one in telling}
    kind = kinds.pop() if len(kinds) == 1 else "mixed"
    return Notes(kind, tuple(dict.fromkeys(one.text for one in telling))[:MOST])


def _renames(matching: Matching) -> Iterator[Note]:
    uses = _uses(matching)
    for before, after in matching.unifier.variables.items():
        if before.name != after.name:
            what = _WHAT.get(before.kind, "")
            times = uses[before]
            text = f"renamed {what} `{before.name}` to `{after.name}` ({times} uses)".replace("  ", " ")
            everywhere = before.kind == MODULE and len(matching.before.modules) > 1
            yield Note("rename", text, frozenset() if everywhere else frozenset((before.path, after.path)))
    for old, new in matching.unifier.members.items():
        if old != new:
            yield Note("rename", f"renamed member `{old}` to `{new}`", frozenset())


def _uses(matching: Matching) -> Counter[Binding]:
    changed = [pair for pair in matching.pairs if pair.before.term is not pair.after.term]
    return Counter(
        one.value for pair in changed for one in pair.before.resolved.walk() if isinstance(one.value, Binding)
    )


def _moves(matching: Matching) -> Iterator[Note]:
    for pair in matching.pairs:
        was, now = pair.before.module.path, pair.after.module.path
        if matching.files.get(was, was) != now:
            how = "body identical" if same(pair.before.term, pair.after.term) else "the same up to names"
            text = f"moved `{pair.before.title}` from {was} to {now}, {how}"
            yield Note("move", text, frozenset((was, now, matching.files.get(was, was))))
    for was, now in matching.files.items():
        if was != now:
            yield Note("move", f"moved {was} to {now}", frozenset((was, now)))
    yield from _reordered(matching)


def _reordered(matching: Matching) -> Iterator[Note]:
    by_place: dict[tuple[str, tuple[str, ...]], list[Pair]] = {}
    for pair in matching.pairs:
        by_place.setdefault((pair.before.module.path, pair.before.owner), []).append(pair)
    for (path, _), pairs in by_place.items():
        pairs.sort(key=lambda pair: pair.before.order)
        last = -1
        for pair in pairs:
            if pair.after.order < last and pair.after.module.path == matching.files.get(path, path):
                text = f"`{pair.before.title}` stands elsewhere in {path}; nothing depends on the order"
                yield Note("reorder", text, _paths(pair))
            last = max(last, pair.after.order)


def _written_out(matching: Matching) -> Iterator[Note]:
    before = frozenset(matching.before.items)
    for item in matching.written_out:
        path = frozenset((item.module.path, matching.files.get(item.module.path, item.module.path)))
        if item in before:
            yield Note("inline", f"inlined {_what(item)} `{item.title}` where it was used", path)
        else:
            text = f"extracted {_what(item)} `{item.title}`; written out where it is used, nothing changes"
            yield Note("extract", text, path)


def _rules(matching: Matching) -> Iterator[Note]:
    for pair in matching.pairs:
        for name in pair.steps:
            yield Note("rewrite", f"{pair.before.title}: {name}", _paths(pair))


def _paths(pair: Pair) -> frozenset[str]:
    return frozenset((pair.before.module.path, pair.after.module.path))


def _imports(matching: Matching) -> Iterator[Note]:
    for path, module in matching.before.modules.items():
        there = matching.after.modules.get(matching.files.get(path, path))
        if there is None:
            continue
        was, now = ([str(one) for one in side.imports] for side in (module, there))
        if was != now:
            order = "in another order" if sorted(was) == sorted(now) else "written otherwise or no longer used"
            text = f"imports of {path} are {order}; each name that is used means what it did"
            yield Note("imports", text, frozenset((path, there.path)))
