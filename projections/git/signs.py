"""Tell from a commit whether an agent had a hand in it, whoever it says committed.

A sign is not an attribution: it only keeps a line that nobody recorded from being presumed human.
"""

import re

from linetrail.projections.git.credits import found

_ADDRESS = re.compile(
    r"""
      ^ (?:noreply@anthropic\.com | cursoragent@cursor\.com | (?:codex|noreply)@openai\.com) $
    | @ (?:aider\.chat | ampcode\.com | opencode\.ai | cognition\.ai | devin\.ai | openhands\.dev) $
    | ^ (?:\d+\+)? (?:copilot | copilot-swe-agent | cursoragent | gemini-cli | openai-codex)
      @users\.noreply\.github\.com $
    | \[bot\]@
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BOT = re.compile(r"\[bot\]\s*$", re.IGNORECASE)
# The whole name, perhaps with a form or a model behind it: people are called Claude or Devin too, with a name behind.
_NAME = re.compile(
    r"""
      (?: claude | (?:github\ )?copilot | cursor\ ?agent | cursor | (?:openai\ )?codex | (?:google\ )?gemini
        | devin | aider | amp | windsurf | cline | opencode | openhands | jules | kiro | roo\ code | kilo\ code
        | factory\ droid )
      (?: \ (?: code | cli | agent | bot | ai | workspace | opus | sonnet | haiku | fable | pro | flash | v?\d | \( )
        .* )?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TRAILER = re.compile(r"^([A-Za-z][A-Za-z0-9-]*):[ \t]*(.+)$", re.MULTILINE)
_CREDITS = frozenset({"co-authored-by", "assisted-by", "generated-by", "co-developed-by", "ai-agent", "agent"})
# Trailers that only agents' tools write.
_MARKS = frozenset({"entire-checkpoint", "entire-session", "claude-session", "codex-session", "cursor-session"})
_GENERATED = re.compile(r"generated (?:with|by) \[?(?:claude|codex|cursor|copilot|gemini|devin|aider)", re.IGNORECASE)


def shows_agent(raw: bytes) -> bool:
    r"""Look for signs of an agent in a raw commit object: a bot as its author, or a trailer that credits one.

    >>> shows_agent(b"author Ana <ana@example.org> 1 +0000\n\nfix\n\nCo-Authored-By: Claude <noreply@anthropic.com>\n")
    True
    >>> shows_agent(b"author Claude Roy <claude@example.org> 1 +0000\n\nfix\n")
    False
    """
    head, _, message = raw.decode("utf-8", "replace").partition("\n\n")
    people = re.findall(r"^(?:author|committer) (.*) <(.*)> ", head, re.MULTILINE)
    if any(_BOT.search(name) or _ADDRESS.search(address) for name, address in people):
        return True
    return (
        _GENERATED.search(message) is not None
        or any(_credits_agent(key.lower(), value) for key, value in _TRAILER.findall(message))
        or bool(found(raw))
    )


def _credits_agent(key: str, value: str) -> bool:
    if key in _MARKS:
        return True
    name, _, address = value.strip().partition("<")
    name = name.strip()
    return key in _CREDITS and bool(_BOT.search(name) or _ADDRESS.search(address.strip("> ")) or _NAME.fullmatch(name))
