"""Fold names that are not ASCII to what they are read as: by a person, or by a file system that folds them itself.

Loaded only where a name is not ASCII; the tables of Unicode cost a hook more than all the rest of a decision.
"""

import unicodedata

# Not of a category that is invisible, and yet nothing of them is seen, or no more than a blank.
_UNSEEN = frozenset(
    map(
        chr,
        (
            *(0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)
# Control, format, surrogate, private use (where some file systems keep what they cannot spell), separators.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"})
# Pictures are added faster than Python learns of them; what is unassigned elsewhere may be anything.
_PICTURES = range(0x1F000, 0x1FB00)
# Drawn like these characters, and not turned into them by NFKC and case folding.
_DRAWN_LIKE = {
    "a": "\u0430\u03b1\u0251\u1d00",
    "b": "\u0432\u0299\u0185",
    "c": "\u0441\u1d04\u03f2",
    "d": "\u0501\u1d05\u0256",
    "e": "\u0435\u0454\u03b5\u1d07\u04bd",
    "f": "\ua730\u0192\u0493",
    "g": "\u0261\u0262\u0581\u01e5",
    "h": "\u04bb\u029c\u0570",
    "i": "\u0456\u03b9\u0269\u0131\u026a\u04cf",
    "j": "\u0458\u0237\u1d0a",
    "k": "\u043a\u03ba\u1d0b",
    "l": "\u029f\u026d",
    "m": "\u043c\u1d0d",
    "n": "\u043f\u0578\u0274\u03b7",
    "o": "\u043e\u03bf\u0585\u1d0f\u03c3",
    "p": "\u0440\u03c1\u1d18",
    "q": "\u051b\u0566",
    "r": "\u0433\u0280",
    "s": "\u0455\ua731",
    "t": "\u0442\u03c4\u1d1b",
    "u": "\u03c5\u057d\u1d1c",
    "v": "\u03bd\u0475\u1d20",
    "w": "\u051d\u03c9\u1d21\u0461",
    "x": "\u0445\u03c7",
    "y": "\u0443\u03b3\u028f\u04af",
    "z": "\u1d22\u0290",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2212\u2043",
    ".": "\u2024\u06d4\u00b7\u3002",
    "/": "\u2215\u2044\u29f8\u2216\u29f5\\",
}
_ALIKE = str.maketrans({alike: char for char, alikes in _DRAWN_LIKE.items() for alike in alikes})
# In many a font these are one stroke.
_STROKES = frozenset("il1|!")


def is_invisible(char: str) -> bool:
    """Return whether a character is not seen, or is one that nobody knows how to see."""
    category = unicodedata.category(char)
    if category == "Cn":
        return ord(char) not in _PICTURES
    return (category in _INVISIBLE and char != " ") or char in _UNSEEN


def fold(name: str) -> str:
    r"""Return a name without what is not seen, compatibility forms, case, accents and foreign letters drawn alike.

    >>> fold(".G\u0130T"), fold("\uff0e\uff47\uff49\uff54")
    ('.git', '.git')
    """
    seen = "".join(char for char in name if not is_invisible(char))
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", seen).casefold())
    bare = "".join(char for char in folded if unicodedata.category(char) != "Mn")
    return bare.translate(_ALIKE)


def resembles(folded: str, name: str) -> bool:
    """Return whether a folded name can be taken for this one: a letter nobody listed counts as any letter.

    At least half of the letters must be alike, or every short name in another script would be one of ours.
    """
    if len(folded) != len(name):
        return False
    letters = alike = 0
    for ours, theirs in zip(name, folded, strict=True):
        same = ours == theirs or (ours in _STROKES and theirs in _STROKES)
        if not same and (theirs.isascii() or not ours.isalpha()):
            return False
        letters += ours.isalpha()
        alike += same and ours.isalpha()
    return alike * 2 >= letters
