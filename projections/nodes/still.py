"""Tell from the text alone whether a definition is in another content as it is, which spares parsing that one."""

from collections.abc import Iterator

from linetrail.projections.nodes.sides import Place, Side

# Only a text of so many bytes is taken for itself because it is there.
TELLING = 40


def stands(place: Place, content: bytes) -> bool:
    """Tell whether a definition is in a content as it is, once, between the same lines, and in what it was in.

    With another line next to it, that line may have been part of it.
    """
    here = place.side.content
    if here == content:
        return True
    text = place.text
    return (
        len(text) >= TELLING
        and content.count(text) == here.count(text) == 1
        and _beside(text, content) == _beside(text, here)
        and all(heading in content for heading in _headings(place))
    )


def located(place: Place, side: Side) -> Place:
    """Return where a definition is in a content in which it stands."""
    if side is place.side:
        return place
    same = [one for one in side.places() if one.definition.raw == place.definition.raw]
    named = [one for one in same if one.definition.qualified == place.definition.qualified]
    return next(iter([*named, *same]), place)


def _beside(text: bytes, content: bytes) -> tuple[bytes, bytes]:
    """Return the lines before and after a text, without blank ones."""
    above, _, below = content.partition(text)
    return above.rstrip().rpartition(b"\n")[2], below.lstrip().partition(b"\n")[0]


def _headings(place: Place) -> Iterator[bytes]:
    """Yield the lines that name what is around a definition."""
    around = place.around
    while around is not None:
        name = around.definition.name.encode(errors="surrogateescape")
        yield next((line for line in around.text.split(b"\n") if name in line), b"")
        around = around.around
