"""Bring a text from outside onto one line of a Markdown file, and read it back exactly.

Such a line is shown to agents and people. It can neither leave its place (a list, our markers, `<intent_context>`),
nor turn text around, nor be taken for a link or an import (`@file`).
"""

import re

from linetrail.ledger.redact.redactor import excerpt, without_fingerprints

_PUNCTUATION = "\\`*[]#|~$"
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
_TABLE = str.maketrans(_ENTITIES | {sign: f"\\{sign}" for sign in _PUNCTUATION})
# An underscore inside a word emphasises nothing, and names are full of them.
_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
# What GitHub makes a link of without being asked.
_LINK = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&(amp|lt|gt|#64);")
_DECODED = {entity[1:-1]: sign for sign, entity in _ENTITIES.items()}


def clean(text: str, limit: int) -> str:
    r"""Return a text without secrets, on one line, without signs that nobody sees; cut where it is too long.

    >>> clean("two\n lines \x1b[31m\u202e red", 20)
    'two lines [31m red'
    """
    shown = excerpt(visible(text), limit)
    return without_fingerprints(shown) if "[redacted:" in shown else shown


def visible(text: str) -> str:
    """Return a text without what steers terminals, turns text around, or hides in fonts; line ends stay."""
    return text if text.isascii() and text.isprintable() else "".join(filter(_shown, text))


def escaped(text: str) -> str:
    r"""Return a clean text as Markdown that shows just that.

    >>> escaped("a_b __init__ <b> @x")
    'a_b \\_\\_init\\_\\_ &lt;b&gt; &#64;x'
    """
    return _LINK.sub(r"\\\g<0>", _UNDERSCORE.sub(r"\\_", text.translate(_TABLE)))


def unescaped(text: str) -> str:
    r"""Undo `escaped`.

    >>> unescaped("\\_\\_init\\_\\_ &lt;b&gt;")
    '__init__ <b>'
    """
    if "\\" not in text and "&" not in text:
        return text
    return _ESCAPED.sub(lambda found: found[1] or _DECODED[found[2]], text)


def _shown(sign: str) -> bool:
    """Variation selectors are printable, and say nothing that anybody sees."""
    return sign in "\n\t" or (sign.isprintable() and not "\U000e0100" <= sign <= "\U000e01ef")
