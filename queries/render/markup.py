r"""Write Markdown in which foreign text stays text: no markup, no mention, no link.

A forge that shows it also looks for `@names`, `#numbers` and addresses in plain text, and tells people about them.
"""

import re

# What begins markup, or HTML; and what a forge makes a link or a notification of.
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~&$@])")
_LINKED = re.compile(r"(?<=[@#])(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=GH)(?=-)", re.IGNORECASE)
_SPLIT = "<!-- -->"


def words(text: str) -> str:
    r"""Escape text so that it is shown as it is, on one line.

    >>> words("a|b <i>*c* @you #1")
    'a\\|b \\<i\\>\\*c\\* \\@<!-- -->you \\#<!-- -->1'
    """
    return _LINKED.sub(_SPLIT, _MARKUP.sub(r"\\\1", one_line(text)))


def code(text: str) -> str:
    r"""Return text as code for a table cell; neither a backtick nor a bar ends it.

    >>> code("a|b`c")
    '`` a\\|b`c ``'
    """
    line = one_line(text).replace("|", "\\|")
    if "`" not in line and line.strip():
        return f"`{line}`"
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}"


def one_line(text: str) -> str:
    """Return text without line ends, control characters and invisible characters."""
    return "".join(
        sign if sign.isprintable() else " " if sign.isspace() else "\N{REPLACEMENT CHARACTER}" for sign in text
    )


def table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """Return the lines of a table with escaped cells."""
    return [f"| {' | '.join(cells)} |" for cells in (header, ("---",) * len(header), *rows)]


def shortened(text: str, room: int, ending: str) -> str:
    """Return as many whole lines as fit into a number of bytes, with an ending if some are left out."""
    if len(text.encode()) <= room:
        return text
    left = room - len(ending.encode())
    kept = []
    for line in text.splitlines(keepends=True):
        left -= len(line.encode())
        if left < 0:
            break
        kept.append(line)
    return "".join(kept) + ending
