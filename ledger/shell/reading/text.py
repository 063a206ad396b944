"""Look at the characters of a command before anybody reads it as a command."""

import re
import unicodedata

# What a person does not see, or sees elsewhere than where it stands: the reviewer and the shell must read the same.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ODD_BLANK = re.compile(r"[\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff0-\ufffd\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0]")  # fmt: skip
_LOOKS_LIKE = re.compile(r"[\uff01-\uff5e\ufe50-\ufe6b\u037e\u1fef]")  # other forms of what the shell knows


def hidden(text: str) -> str | None:
    """Say which character hides something; None when all of them are plain to see."""
    if text.isascii() and text.isprintable():
        return None
    for pattern in (_CONTROL, _ODD_BLANK, _LOOKS_LIKE):
        found = pattern.search(text)
        if found:
            return f"U+{ord(found[0]):04X} shows something else than what runs"
    if not text.isascii():
        for char in set(text):
            if char > "\x7f" and unicodedata.category(char) in ("Cf", "Cc", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"):
                return f"U+{ord(char):04X} shows something else than what runs"
    return None
