"""Take secrets out of text before a byte of it reaches the disk.

secrets.py says what they look like. Patterns are compiled when their words occur, so ordinary text costs a few
substring searches. A secret is found, too, where it is written in base64 or hex, or where escapes of a terminal,
signs without a width or the end of a line break it. Commit ids, UUIDs and our own hashes are evidence, and match no
rule. With a key, a mark ends in the secret's fingerprint, so that two sightings of one secret can be linked:
`[redacted:github:1a2b3c4d]`.

The key of a repository lies where all worktrees and branches share it and git never looks: `linetrail/` in git's common
directory. `.orchestration/state` may be deleted at any time, and a clone must not get it: with the key, guesses can be
checked. Losing it loses nothing but the link between old marks and new ones. It is made when the first secret is met.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from linetrail.ledger.files import PRIVATE_FILE, make_folder, sync
from linetrail.ledger.redact.secrets import RULES, Rule
from linetrail.ledger.repository import Repository

KEY, KEY_BYTES = "redaction.key", 32
PRIVATE = "linetrail"
_WORDS = tuple((word, at) for at, rule in enumerate(RULES) for word in rule.words)
_compiled: dict[int, re.Pattern[str]] = {}
# Names of tools, modes and the like come again and again.
SHORT = 64
# Of HMAC-SHA256, in hex digits. Without the key they say nothing about a secret. Whoever has the key can strike a
# wrong guess off, so with it a password from a list is as good as known; of a token they reveal 32 bits of 160 and
# more. Two different secrets have the same ones with a chance of 1 in 2^32: a thousand secrets, 1 in 8,600.
FINGERPRINT = 8
# In the place of a text that could not be searched: nothing of it is stored.
WITHHELD = "[withheld:redaction-failed]"
# A long text is searched from its start, in steps, only as far as is needed.
WINDOW, MAX_WINDOW = 1 << 16, 1 << 20
# What is this near to a border may be the first half of a secret whose second half was not looked at.
REACH = 1 << 14
_MARK_LENGTH = 64
# What nobody sees inside of a word: escapes of a terminal, as they are and as texts spell them; signs without a width.
# A line that ends in a long run of the signs of tokens may go on in the next.
_UNSEEN = r"(?:\x1b|\\u001b|\\x1b|\\033|\\e)\[[0-9;?]{0,20}[A-Za-z]|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"
_GAP = re.compile(_UNSEEN + r"|(?<=[\w-]{8})\\?(?:\r?\n|\\n)[ \t>|]{0,12}(?=[\w-])")
_ENCODED = re.compile(
    r"(?<![\w+/-])(?:(?P<hex>(?:[0-9A-Fa-f]{2}){16,4096})|[0-9A-Za-z+/_-]{24,65536}+={0,2})(?![\w+/=-])"
)
_ENCODED_RULE = Rule("encoded", (), "")
_URL_SAFE = str.maketrans("-_", "+/")
_LAYOUT = str.maketrans("\n\r\t", "   ")
_MARK = re.compile(r"\[redacted:([0-9a-z-]+)(?::[0-9a-f]{8})?\]")
# What a secret goes on with behind a gap, where the part in front of it was taken for all of it.
_REST = re.compile(rf"({_MARK.pattern})(?:{_UNSEEN}|\\\r?\n)[\w+/=.-]{{12,}}")


class Redactor:
    """Takes secrets out of the texts of one repository; without a folder, and without a key, marks carry no link."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder
        self._key: bytes | None = None
        self._asked = folder is None

    def excerpt(self, text: str, limit: int = 200) -> str:
        """Redact, fold white space, cut."""
        clean = excerpt(text, limit)
        return excerpt(text, limit, self._known_key()) if marked(clean) else clean

    def cut(self, text: str, limit: int) -> str:
        clean = cut(text, limit)
        return cut(text, limit, self._known_key()) if marked(clean) else clean

    def _known_key(self) -> bytes | None:
        """Return the key, which is read or made no sooner than the first secret is met."""
        if not self._asked and self.folder is not None:
            self._key, self._asked = key(self.folder), True
        return self._key


def private_folder(repository: Repository) -> str:
    """Return where this machine keeps what belongs to the repository and is not for its readers."""
    return os.path.join(repository.common_dir or os.path.join(repository.folder, "state"), PRIVATE)


def key(folder: str) -> bytes | None:
    """Return the key that is kept in a folder, made if there is none; None where it can be neither read nor kept."""
    path = os.path.join(folder, KEY)
    with contextlib.suppress(OSError):
        return _read(path) or _make(path)
    return None


def scrub(text: str, key: bytes | None = None) -> str:
    """Return the text with every secret replaced by `[redacted:<rule>]`, with a fingerprint where there is a key.

    Fails closed: a text that cannot be searched, for whatever reason, is withheld as a whole.

    >>> scrub("curl -H 'Authorization: Bearer abcdefghijkl' x")
    "curl -H 'Authorization: Bearer [redacted:authorization]' x"
    """
    try:
        return _scrub_short(text, key) if len(text) <= SHORT else _scrub(text, key)
    except Exception:  # noqa: BLE001  the deadline, too: it is better to lose the text than to store or lose the event
        return WITHHELD


def excerpt(text: str, limit: int = 200, key: bytes | None = None) -> str:
    """Redact first, cut then: a secret cut in half is still one. White space is folded to single spaces."""
    return _cut(text, limit, key, fold=True)


def cut(text: str, limit: int, key: bytes | None = None) -> str:
    return _cut(text, limit, key, fold=False)


def marked(text: str) -> bool:
    """Return whether something was taken out of a text."""
    return _MARK.search(text) is not None


def mark_in(before: str, text: str, after: str = "") -> str | None:
    """Return the mark that a text gets for standing between two others; None where it gets none there.

    >>> mark_in('password="', "correct horse", '"')
    '[redacted:assignment]'
    """
    clean = scrub(f"{before}{text}{after}")
    if clean == f"{before}{text}{after}" or not clean.startswith(before):
        return None
    found = _MARK.search(clean, len(before))
    return found and found[0]


def without_fingerprints(text: str) -> str:
    """Return a redacted text as it is in every repository: marks made under different keys are equal again.

    >>> without_fingerprints("use [redacted:github:1a2b3c4d] here")
    'use [redacted:github] here'
    """
    return _MARK.sub(r"[redacted:\1]", text)


def _read(path: str) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return None
    try:
        content = os.read(fd, KEY_BYTES + 1)
    finally:
        os.close(fd)
    if len(content) != KEY_BYTES:
        raise OSError(f"{path} is no key")
    return content


def _make(path: str) -> bytes | None:
    """Make a key aside and link it into place: of two processes, one is first, and both use its key."""
    make_folder(os.path.dirname(path))
    aside = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        try:
            os.write(fd, os.urandom(KEY_BYTES))
            sync(fd)
        finally:
            os.close(fd)
        with contextlib.suppress(FileExistsError):
            os.link(aside, path)
    finally:
        os.unlink(aside)
    return _read(path)


def _cut(text: str, limit: int, key: bytes | None, *, fold: bool) -> str:
    """Search ever more of the text until what is wanted lies well before the border of what was searched."""
    size = WINDOW
    while True:
        clean = scrub(text[:size], key)
        if fold:
            clean = " ".join(clean.split())
        if size >= len(text) or clean == WITHHELD:
            return clean if len(clean) <= limit else clean[: limit - 1] + "…"
        if len(clean) >= limit + REACH or size >= MAX_WINDOW:
            return clean[: max(len(clean) - REACH, 0)][: limit - 1] + "…"
        size *= 4


def _scrub(text: str, key: bytes | None, depth: int = 2) -> str:
    text = _across(_within(text, key), key)
    text = _REST.sub(r"\1", text) if "[redacted:" in text else text
    return _ENCODED.sub(lambda found: _decoded(found, key, depth - 1), text) if depth else text


def _within(text: str, key: bytes | None) -> str:
    for rule, pattern in _candidates(text):
        text = _marked(text, rule, pattern, key)
    return text


def _candidates(text: str) -> Iterator[tuple[Rule, re.Pattern[str]]]:
    """Yield the rules that one of whose words stands in a text, in their order."""
    lower = text.lower()
    for at in sorted({at for word, at in _WORDS if word in lower}):
        yield RULES[at], _compiled.get(at) or _compiled.setdefault(at, re.compile(RULES[at].pattern))


def _across(text: str, key: bytes | None) -> str:
    """Mark what is a secret only once the gaps in it are taken out."""
    gaps = [found.span() for found in _GAP.finditer(text)]
    if not gaps:
        return text
    joined, origin = _joined(text, gaps)
    marks: list[tuple[int, int, str]] = []
    for rule, pattern in _candidates(joined):
        for found in pattern.finditer(joined):
            kept = len(found[1]) if rule.keeps else 0
            begin, end = origin(found.start() + kept), origin(found.end() - 1) + 1
            is_broken = end - origin(found.start()) > len(found[0])
            if is_broken and not _MARK.search(text, begin, end) and all(end <= b or e <= begin for b, e, _ in marks):
                marks.append((begin, end, _mark(rule, found[0][kept:], key)))
    for begin, end, mark in sorted(marks, reverse=True):
        text = text[:begin] + mark + text[end:]
    return text


def _joined(text: str, gaps: list[tuple[int, int]]) -> tuple[str, Callable[[int], int]]:
    """Return a text without its gaps, and where a place in that is in the text."""
    from bisect import bisect_right  # only where there are gaps

    pieces, starts, shifts, last, shift = [], [0], [0], 0, 0
    for begin, end in gaps:
        pieces.append(text[last:begin])
        shift += end - begin
        starts.append(end - shift)
        shifts.append(shift)
        last = end
    return "".join((*pieces, text[last:])), lambda place: place + shifts[bisect_right(starts, place) - 1]


def _decoded(found: re.Match[str], key: bytes | None, depth: int) -> str:
    """Return what stands for a run of base64 or hex: itself, unless a secret is written that way."""
    import binascii  # only where there is such a run

    run = found[0]
    try:
        if found["hex"]:
            content = bytes.fromhex(run)
        else:
            content = binascii.a2b_base64(run.translate(_URL_SAFE).rstrip("=") + "=" * (-len(run.rstrip("=")) % 4))
        plain = content.decode("ascii")
    except ValueError:
        return run
    if not (plain.isprintable() or plain.translate(_LAYOUT).isprintable()) or _scrub(plain, None, depth) == plain:
        return run
    return _mark(_ENCODED_RULE, run, key)


_scrub_short = lru_cache(maxsize=1024)(_scrub)


def _marked(text: str, rule: Rule, pattern: re.Pattern[str], key: bytes | None) -> str:
    """Put a mark in the place of each match; one that is a mark already says more than a second would."""

    def mark(found: re.Match[str]) -> str:
        kept = found[1] if rule.keeps else ""
        secret = found[0][len(kept) :]
        known = _MARK.match(secret)
        if (known and not any(map(str.isalnum, secret[known.end() :]))) or _inside_a_mark(found):
            return found[0]
        return kept + _mark(rule, secret, key)

    return pattern.sub(mark, text)


def _mark(rule: Rule, secret: str, key: bytes | None) -> str:
    print_ = "" if key is None else f":{_fingerprint(secret, key)}"
    return f"[redacted:{rule.name}{print_}]"


def _inside_a_mark(found: re.Match[str]) -> bool:
    """Return whether a match begins in a mark, whose words (`password:1a2b3c4d`) look like what they stand for."""
    begin = found.string.rfind("[redacted:", max(found.start() - _MARK_LENGTH, 0), found.start())
    mark = _MARK.match(found.string, begin) if begin >= 0 else None
    return mark is not None and found.start() < mark.end()


def _fingerprint(secret: str, key: bytes) -> str:
    """Return what is the same for the same secret, quoted or escaped as it may be, whatever rule found it."""
    import hmac  # only when there is something to mark: an agent waits for every import

    bare = secret.strip("\\\"' ")
    return hmac.digest(key, bare.encode(errors="replace"), "sha256").hex()[:FINGERPRINT]
