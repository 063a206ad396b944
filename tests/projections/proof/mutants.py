"""Programs that say something else than a given one: each differs from it in one token."""

import re

from linetrail.projections.syntax.language import named
from linetrail.projections.syntax.parsing import parse

_WORD = re.compile(rb"[A-Za-z_]\w*$")
_OTHERS = {
    b"+": b"-",
    b"-": b"+",
    b"*": b"+",
    b"<": b">",
    b"<=": b">=",
    b"==": b"!=",
    b"!=": b"==",
    b"&&": b"||",
    b"||": b"&&",
    b"+=": b"-=",
    b"++": b"--",
    b":=": b"=",
    b"true": b"false",
    b"public": b"private",
    b"static": b"final",
    b"break": b"continue",
    b"let": b"const",
}


def mutants(language, source):
    """Yield the text of each token that was changed, and the program with it."""
    content = source.encode()
    for node in _leaves(parse(named(language), content).root_node):
        text = content[node.start_byte : node.end_byte]
        other = _OTHERS.get(text)
        if other is None and node.is_named and _WORD.match(text):
            other = text + b"_2"
        if other is None and text.isdigit():
            other = b"1" + text
        if other is not None:
            mutant = content[: node.start_byte] + other + content[node.end_byte :]
            if not parse(named(language), mutant).root_node.has_error:
                yield f"{text.decode()} at {node.start_point.row + 1}", mutant.decode()


def _leaves(node):
    return [leaf for kid in node.children for leaf in _leaves(kid)] if node.child_count else [node]
