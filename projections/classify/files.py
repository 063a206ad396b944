"""Read the two sides of each file of a change: pair what was moved, parse and lower, and judge by layout alone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from linetrail.projections.classify.judgement import COMMENT, FORMATTING, Change, Judgement
from linetrail.projections.proof.dialects.catalogue import dialect_of
from linetrail.projections.proof.dialects.nodes import BrokenTreeError
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Dialect, Lowered
from linetrail.projections.proof.terms.term import Term, same
from linetrail.projections.syntax.language import Language, language_of
from linetrail.projections.syntax.parsing import UnparsableError, parse

# Of two files that were one, at least this part of the lines is the same.
_SAME_FILE = 0.5


# What a program gets at its docstrings with.
_READERS = frozenset(("__doc__", "getdoc", "doctest", "pydoc", "docopt"))


class Read(NamedTuple):
    """A file of a change as it was read. A side is None where there is no file, or no reading it."""

    path: str
    before_path: str
    content_before: bytes | None
    content_after: bytes | None
    before: Lowered | None
    after: Lowered | None
    dialect: Dialect | None
    trouble: str = ""


class Why(NamedTuple):
    """Why nothing can be proved of a file."""

    kind: str
    text: str


def read(step: Sequence[Change]) -> list[Read]:
    """Return the files of a change; one that vanished and one that appeared with its content are one file."""
    seen: dict[str, dict[bytes, Sequence[Term]]] = {}
    return [_read(change, seen) for change in _joined(step)]


def _joined(step: Sequence[Change]) -> list[Change]:
    gone = {change.path: change for change in step if change.after is None and change.before is not None}
    joined: list[Change] = []
    taken: set[str] = set()
    for change in step:
        if change.before is None and change.after is not None and change.from_path is None:
            source = _source(change, [one for path, one in gone.items() if path not in taken])
            if source is not None:
                taken.add(source.path)
                joined.append(change._replace(before=source.before, from_path=source.path))
                continue
        joined.append(change)
    return [change for change in joined if change.path not in taken]


def _source(created: Change, gone: Iterable[Change]) -> Change | None:
    """Return the file that a new one was, if one is like it."""
    best, most = None, _SAME_FILE
    lines = Counter((created.after or b"").split(b"\n"))
    for change in gone:
        theirs = Counter((change.before or b"").split(b"\n"))
        alike = (lines & theirs).total() / max(lines.total(), theirs.total())
        if alike >= most:
            best, most = change, alike
    return best


def _read(change: Change, seen: dict[str, dict[bytes, Sequence[Term]]]) -> Read:
    before_path = change.from_path or change.path
    language = language_of(change.path, change.after or change.before or b"")
    bare = Read(change.path, before_path, change.before, change.after, None, None, None)
    if language is None:
        return bare._replace(trouble="no grammar for this kind of file")
    known = language_of(before_path, change.before or change.after or b"")
    if known is None or known.name != language.name:
        return bare._replace(trouble="the language changed")
    dialect = dialect_of(language)
    terms = seen.setdefault(language.name, {})
    try:
        before = _lowered(language, dialect, change.before, terms)
        after = _lowered(language, dialect, change.after, terms)
    except (UnparsableError, BrokenTreeError) as error:
        return bare._replace(trouble=str(error))
    return bare._replace(before=before, after=after, dialect=dialect)


def _lowered(
    language: Language, dialect: Dialect, content: bytes | None, seen: dict[bytes, Sequence[Term]]
) -> Lowered | None:
    if content is None:
        return None
    root = parse(language, content).root_node
    if root.has_error:
        return Lowered(Term(t.MODULE), (), (), broken=True)
    return dialect.lower(root, content, seen)


def by_layout(one: Read) -> Judgement | None:
    """Judge a file whose two sides say the same in the same words; None where they do not."""
    if one.before is None or one.after is None or one.before.broken or one.after.broken or one.before_path != one.path:
        return None
    if list(one.before.directives) != list(one.after.directives):
        return None
    if same(one.before.module, one.after.module):
        if list(one.before.comments) == list(one.after.comments):
            return Judgement(FORMATTING, "layout", ("the same tree, laid out otherwise",))
        return Judgement(COMMENT, "comment", (_comments(one.before, one.after),))
    if same(undocumented(one.before.module), undocumented(one.after.module)) and not _reads_docs(one):
        return Judgement(COMMENT, "docstring", ("nothing but docstrings and comments differs",))
    return None


def _comments(before: Lowered, after: Lowered) -> str:
    was, now = Counter(before.comments), Counter(after.comments)
    gone, come = (was - now).total(), (now - was).total()
    return f"comments alone differ: {gone} removed or changed, {come} added or changed"


def undocumented(term: Term) -> Term:
    """Return a term without docstrings; a body that had nothing else still has to say so."""
    if not term.kids:
        return term
    kids = [undocumented(kid) for kid in term.kids if kid.kind != t.DOC]
    if term.kind == t.BLOCK:
        kids = [kid for kid in kids if kid.kind != t.PASS] or [Term(t.PASS)]
    if len(kids) == len(term.kids) and all(new is old for new, old in zip(kids, term.kids, strict=True)):
        return term
    return term.but(kids=kids)


def _reads_docs(one: Read) -> bool:
    """Return whether the program looks at its docstrings; giving something else one is no looking."""
    sides = [side.module for side in (one.before, one.after) if side is not None]
    return any(_looks(side, at_target=False) for side in sides)


def _looks(term: Term, *, at_target: bool) -> bool:
    if term.kind == t.LIT and term.value == ("str", "__doc__"):
        return True
    if term.kind == t.NAME or (term.kind == t.ATTR and not at_target):
        name = term.value if term.kind == t.NAME else term.kids[1].value
        if name in _READERS:
            return True
    last = len(term.kids) - 1
    return any(_looks(kid, at_target=term.kind == t.ASSIGN and at < last) for at, kid in enumerate(term.kids))


def docs_matter(one: Read) -> bool:
    """Return whether docstrings differ in a file whose program reads them."""
    return _docs(one.before) != _docs(one.after) and _reads_docs(one)


def _docs(side: Lowered | None) -> list[object]:
    return [leaf.value for leaf in side.module.walk() if leaf.kind == t.DOC] if side is not None else []


def unprovable(one: Read) -> Why | None:
    """Return why nothing can be proved of a file, however it is compared."""
    if one.trouble:
        return Why("unparsed", one.trouble)
    for side, which in ((one.before, "before"), (one.after, "after")):
        if side is not None and side.broken:
            return Why("unparsed", f"{one.path} does not parse {which} the change")
    if one.before is not None and one.after is not None:
        if list(one.before.directives) != list(one.after.directives):
            return Why("directives", "lines that tools and the run time obey differ")
        if docs_matter(one):
            return Why("docstring", "docstrings differ, and the program reads them")
    return None


def untyped(side: Lowered, dialect: Dialect) -> Lowered:
    """Return a file without what only type checkers read."""
    kids = [
        one
        for kid in side.module.kids
        for one in dialect.untyped(kid) or ([kid] if dialect.untyped(kid) is None else [])
    ]
    return side._replace(module=side.module.but(kids=kids))


def shared(files: Sequence[Read]) -> frozenset[int]:
    """Return the statements that stand on both sides, by identity: they need not be taken apart."""
    before = {id(kid) for one in files if one.before is not None for kid in one.before.module.kids}
    after = {id(kid) for one in files if one.after is not None for kid in one.after.module.kids}
    return frozenset(before & after)
