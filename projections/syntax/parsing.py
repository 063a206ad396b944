"""Parse a file's bytes with the grammar of its language, within a deadline.

Grammars are tables somebody else wrote, and some of them take for ever on hostile input. Bytes that are no UTF-8
are parsed as they are: the grammar sees an error where it cannot read them. UTF-16 and UTF-32 are not read.
"""

import codecs
import time
from typing import TYPE_CHECKING

from linetrail.ledger.errors import LinetrailError
from linetrail.projections.syntax.language import Language

if TYPE_CHECKING:
    import tree_sitter

SECONDS = 2.0
# As much as is read again for each `Node.text`.
_CHUNK = 4096
# What a query keeps in mind at once; code that people write needs a fraction, and nothing else keeps it from
# growing with the square of the depth. (The progress callback of a query ends the process in tree-sitter 0.26.)
_MATCHES = 1024
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


class UnparsableError(LinetrailError):
    """The content is no text that a grammar could read."""


class TooSlowError(UnparsableError):
    """The grammar did not come to an end in time."""


def parse(language: Language, content: bytes, *, seconds: float = SECONDS) -> "tree_sitter.Tree":
    """Return the tree of this content, with error nodes where it is broken."""
    import tree_sitter

    if content.startswith(_WIDE):
        raise UnparsableError(f"{len(content)} bytes of UTF-16 or UTF-32 are not read as {language.name}")
    if language.refused and (found := language.refused.search(content)):
        line = content.count(b"\n", 0, found.start()) + 1
        raise UnparsableError(
            f"line {line} of {len(content)} bytes of {language.name} would break its grammar: it is not read"
        )
    # Time of the processor: how busy the machine is decides nothing.
    end = time.thread_time() + seconds
    try:
        return tree_sitter.Parser(language.loaded).parse(
            lambda at, _: content[at : at + _CHUNK], progress_callback=lambda _at, _broken: time.thread_time() > end
        )
    except ValueError:
        raise TooSlowError(f"{len(content)} bytes of {language.name} took longer than {seconds:g} s to parse") from None


def captures(language: Language, tree: "tree_sitter.Tree") -> "dict[str, list[tree_sitter.Node]]":
    """Return the nodes that the query of the language finds, by the name it gives to them, in no order."""
    import tree_sitter

    anywhere, top = (tree_sitter.QueryCursor(query, match_limit=_MATCHES) for query in language.queries)
    top.set_max_start_depth(1)
    found = anywhere.captures(tree.root_node)
    for name, nodes in top.captures(tree.root_node).items():
        found.setdefault(name, []).extend(nodes)
    return found


def local_names(language: Language, tree: "tree_sitter.Tree", start: int, end: int) -> set[tuple[int, int]]:
    """Return where names are bound between two bytes, as far as the language says how that looks."""
    import tree_sitter

    cursor = tree_sitter.QueryCursor(language.bindings, match_limit=_MATCHES)
    cursor.set_byte_range(start, end)
    return {
        node.byte_range for node in cursor.captures(tree.root_node).get("local", ()) if start <= node.start_byte < end
    }
