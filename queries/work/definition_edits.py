"""What a change did to single definitions of a file, and the file with some of them put back as they were."""

from collections.abc import Iterator, Mapping, Sequence

from linetrail.projections.nodes.sides import Place, Side
from linetrail.projections.syntax import definitions
from linetrail.projections.syntax.language import language_of
from linetrail.projections.syntax.parsing import UnparsableError


def side(path: str, content: bytes) -> Side:
    """Return a file with what it defines, byte for byte as it is; what nobody can parse defines nothing."""
    language = language_of(path, content)
    try:
        return Side(path, content, definitions.index(language, content) if language is not None else ())
    except UnparsableError:
        return Side(path, content, ())


def edited(before: Side | None, after: Side | None) -> list[str]:
    """Return the definitions that were changed, added or taken away, by their names.

    What came or went with all that is in it is one; of what was changed, that in which nothing smaller was.
    """
    was, now = _places(before), _places(after)
    came_or_went = was.keys() ^ now.keys()
    changed = {name for name in was.keys() & now.keys() if was[name].definition.tokens != now[name].definition.tokens}
    around = {name: set(_around(now.get(name) or was[name])) for name in came_or_went | changed}
    holding = set().union(*around.values())
    return sorted((changed - holding) | {name for name in came_or_went if came_or_went.isdisjoint(around[name])})


def put_back(before: Side | None, after: Side | None, names: Sequence[str | None]) -> bytes | None:
    """Return a file with these definitions as they were before; None among them is the file as a whole."""
    if None in names or before is None or after is None:
        return None if before is None else before.content
    was, now = _places(before), _places(after)
    edits = [_edit(was.get(name or ""), now.get(name or ""), after, now) for name in names]
    content = after.content
    for start, end, text in sorted(edits, reverse=True):
        content = content[:start] + text + content[end:]
    return content


def _edit(was: Place | None, now: Place | None, after: Side, there: Mapping[str, Place]) -> tuple[int, int, bytes]:
    """Return which bytes of a file have to be replaced by what."""
    if now is not None:
        return now.definition.start_byte, now.definition.end_byte, b"" if was is None else was.text
    if was is None:
        raise ValueError("a definition is on neither side")
    at = _place_of(was, after, there)
    return at, at, b"\n" + _lines(was)


def _place_of(was: Place, after: Side, there: Mapping[str, Place]) -> int:
    """Return where a definition that is gone had its place: behind the last one before it that is still there."""
    beside = [one for one in was.side.places() if one.at < was.at and one.around == was.around]
    left = [there[one.definition.qualified] for one in beside if one.definition.qualified in there]
    if not left and was.around is not None and was.around.definition.qualified in there:
        left = [there[was.around.definition.qualified]]
    if not left:
        return len(after.content)
    end = after.content.find(b"\n", left[-1].definition.end_byte)
    return len(after.content) if end == -1 else end + 1


def _lines(place: Place) -> bytes:
    """Return a definition with the white space before it, and a line end behind it."""
    content, start = place.side.content, place.definition.start_byte
    return content[content.rfind(b"\n", 0, start) + 1 : place.definition.end_byte] + b"\n"


def _places(side: Side | None) -> dict[str, Place]:
    return {} if side is None else {place.definition.qualified: place for place in side.places()}


def _around(place: Place) -> Iterator[str]:
    """Yield the names of what a definition is part of."""
    around = place.around
    while around is not None:
        yield around.definition.qualified
        around = around.around
