"""Pair lines of a file with those of another one, out of which a definition was taken to be put here and edited."""

from linetrail.ledger.repository import Repository
from linetrail.projections.nodes.index import Indexed
from linetrail.projections.nodes.matches import follow, paired_lines
from linetrail.projections.syntax.language import language_of

# A path and what stood or stands there; empty where there is no file.
File = tuple[str, bytes]


def brought(repository: Repository, here: File, here_before: File, there: File, there_before: File) -> dict[int, int]:
    """Return for lines of a file, by number, the numbers they had in another one before the step."""
    if language_of(*here) is None or language_of(*there_before) is None:
        return {}
    indexed = Indexed(repository)
    side = indexed.side(*here)
    matches = follow([indexed.side(*there_before), indexed.side(*here_before)], [side, indexed.side(*there)])
    indexed.close()
    return {number: old for number, (path, old) in paired_lines(side, matches).items() if path == there_before[0]}
