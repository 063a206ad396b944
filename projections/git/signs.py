"""Decide from a commit whether an agent had a hand in it, whoever it says committed.

A sign is not an attribution: it only keeps a line that nobody recorded from being presumed human.
"""

import functools
import re

from linetrail.projections.git.credits import TEXT, agent_of, found, names

_BOT = re.compile(r"\[bot\]\s*$", re.IGNORECASE)
_BOT_ADDRESS = re.compile(r"\[bot\]@", re.IGNORECASE)
_TRAILER = re.compile(r"^([A-Za-z][A-Za-z0-9-]*):[ \t]*(.+)$", re.MULTILINE)
_CREDITS = frozenset({"co-authored-by", "assisted-by", "generated-by", "co-developed-by", "ai-agent", "agent"})
# Trailers that only agents' tools write, whichever agent it was.
_MARKS = frozenset({"entire-checkpoint", "entire-session"})


def shows_agent(raw: bytes) -> bool:
    r"""Look for signs of an agent in a raw commit object: a bot as its author, or a trailer that credits one.

    >>> shows_agent(b"author Ana <ana@example.org> 1 +0000\n\nfix\n\nCo-Authored-By: Claude <noreply@anthropic.com>\n")
    True
    >>> shows_agent(b"author Claude Roy <claude@example.org> 1 +0000\n\nfix\n")
    False
    """
    head, _, message = raw.decode("utf-8", "replace").partition("\n\n")
    people = re.findall(r"^(?:author|committer) (.*) <(.*)> ", head, re.MULTILINE)
    if any(_BOT.search(name) or _BOT_ADDRESS.search(address) for name, address in people):
        return True
    return (
        _generated().search(message) is not None
        or any(_credits_agent(key.lower(), value) for key, value in _TRAILER.findall(message))
        or bool(found(raw))
    )


def _credits_agent(key: str, value: str) -> bool:
    """Return whether a trailer names an agent or a bot, with whatever address."""
    if key in _MARKS or key in names().trailers:
        return True
    name, _, address = value.strip().partition("<")
    name, address = name.strip(), address.strip("> ")
    is_bot = _BOT.search(name) or _BOT_ADDRESS.search(address)
    return key in _CREDITS and bool(is_bot or agent_of(address, name))


@functools.cache
def _generated() -> re.Pattern[str]:
    """Return what finds the words of a tool anywhere in a message."""
    return re.compile(rf"{TEXT}(?:{names().words})", re.IGNORECASE)
