"""What is known of the texts in languages without a dialect: scalars, macros, and comments that are none."""

import re
from collections.abc import Mapping
from typing import Final

from linetrail.projections.proof.dialects.lowering import Atom

# Comments that tools or the run time obey.
DIRECTIVES: Final[Mapping[str, re.Pattern[str]]] = {
    "bash": re.compile(r"^#(?:SBATCH|PBS|BSUB|\$) "),
    "html": re.compile(r"^<!--\s*(?:\[|#)"),
    # annotations that frameworks and test runners read by reflection
    "php": re.compile(
        r"^#!|^/\*\*.*@(?:[A-Z\\]\w*|test|testWith|dataProvider|depends|group|covers|before|after|runIn\w+|requires)\b",
        re.DOTALL,
    ),
    "ruby": re.compile(r"^#.*\b(?:frozen_string_literal|(?:en)?coding|warn_indent|shareable_constant_value)\s*[:=]"),
    "scala": re.compile(r"^//> "),
    "sql": re.compile(r"^/\*[!+]|^--\+"),
    "swift": re.compile(r"^// swift-tools-version"),
    "yaml": re.compile(r"^#cloud-config\b"),
}

# Texts that end with their line, and in which a run of blanks is one.
LINED: Final = frozenset(("preproc_arg",))

# Strings that mean the same between either kind of quotes, if nothing in them is special; what they are called then.
QUOTED: Final[Mapping[str, Mapping[str, str]]] = {
    "css": {"string_value": "string_value"},
    "html": {"quoted_attribute_value": "quoted_attribute_value"},
    "lua": {"string": "string"},
    "php": {"encapsed_string": "string", "string": "string"},
    "ruby": {"string": "string"},
}

_LINE_FOLD: Final = re.compile(r"(?<!\\)[ \t]*\r?\n[ \t]*|\r?\n[ \t]*")
_INDICATED: Final = re.compile(r"^[|>][-+]?[1-9]")
_SPECIAL: Final = re.compile(r"[\"'\\#${}\n]")
_RUN: Final = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?:[ \t]|\\\r?\n)+""")


def folded(text: str) -> str:
    r"""Return the body of a macro without its layout; strings in it stay as they are.

    >>> folded("do { \\\n  f(\"a  b\"); \\\n} while (0)")
    'do { f("a  b"); } while (0)'
    """
    return _RUN.sub(lambda found: found[1] or " ", text).strip()


def is_plain(text: str) -> bool:
    """Return whether a text between quotes is the same between others."""
    return _SPECIAL.search(text) is None


def flow_scalar(text: str) -> tuple[str, str]:
    r"""Return a scalar of YAML that may run over several lines; how far they are indented says nothing.

    >>> flow_scalar("a\n   b")
    ('scalar', 'a\nb')
    """
    if text[:1] in "'\"" and is_plain(text[1:-1]):
        return "quoted", text[1:-1]
    return "scalar", _LINE_FOLD.sub("\n", text)


def block_scalar(text: str) -> tuple[str, str]:
    r"""Return a literal or folded scalar of YAML without the indentation that is not part of it.

    >>> block_scalar("|\n    a\n      b")
    ('block', '|\na\n  b')
    """
    header, *lines = text.replace("\r\n", "\n").split("\n")
    if _INDICATED.match(header):
        return "block", "\n".join((header, *lines))
    first = next((line for line in lines if line.strip(" ")), "")
    margin = len(first) - len(first.lstrip(" "))
    words = header.split(" #")[0].rstrip()
    return "block", "\n".join((words, *(line[margin:] for line in lines)))


ATOMS: Final[Mapping[str, Mapping[str, Atom]]] = {
    "markdown": {"document": lambda text: ("text", text.replace("\r\n", "\n"))},
    "yaml": {
        "block_scalar": block_scalar,
        "double_quote_scalar": flow_scalar,
        "plain_scalar": flow_scalar,
        "single_quote_scalar": flow_scalar,
    },
}
