"""Tell from the text alone whether a definition is in another content as it is, which spares parsing that one."""

from collections.abc import Iterator

from linetrail.projections.nodes.sides import Place, Side

# Only a text of so many bytes is taken for itself because it is there.
TELLING = 40


def stands(place: Place, content: bytes) -> bool:
    """Tell whether a definition is in a content as it is, once, and in what it was in."""
    if place.side.content == content:
        return True
    text = place.text
    return (
        len(text) >= TELLING
        and content.count(text) == place.side.content.count(text) == 1
        and all(heading in content for heading in _headings(place))
    )


def located(place: Place, side: Side) -> Place:
    """Return where a definition is in a content in which it stands."""
    if side is place.side:
        return place
    same = [one for one in side.places() if one.definition.raw == place.definition.raw]
    named = [one for one in same if one.definition.qualified == place.definition.qualified]
    return next(iter([*named, *same]), place)


def _headings(place: Place) -> Iterator[bytes]:
    """Yield the lines that name what is around a definition."""
    around = place.around
    while around is not None:
        name = around.definition.name.encode(errors="surrogateescape")
        yield next((line for line in around.text.split(b"\n") if name in line), b"")
        around = around.around
