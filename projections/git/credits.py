"""Tell which agent a commit credits, by its trailers and by who made it, and which model where it is said.

Only agents that write code count. What updates dependencies, formats or merges is a bot and no agent, and a person
may be called Claude or Devin: a name that is also a person's counts with the address of the agent, or with none.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_SAID = 300
# how an address, or the name of a bot, begins or ends -> agent
_ADDRESSES = (
    (r"noreply@anthropic\.com", "claude-code"),
    (r"cursoragent@cursor\.com", "cursor"),
    (r"(?:codex|noreply)@openai\.com", "codex"),
    (r"[^@]+@aider\.chat", "aider"),
    (r"[^@]+@ampcode\.com", "amp"),
    (r"[^@]+@opencode\.ai", "opencode"),
    (r"[^@]+@(?:cognition|devin)\.ai", "devin-cli"),
    (r"[^@]+@openhands\.dev", "openhands"),
)
_ACCOUNTS = {
    "claude": "claude-code",
    "copilot": "copilot",
    "copilot-swe-agent": "copilot",
    "github-copilot": "copilot",
    "cursor": "cursor",
    "cursoragent": "cursor",
    "devin-ai-integration": "devin-cli",
    "factory-droid": "factory-droid",
    "gemini-cli": "gemini-cli",
    "google-labs-jules": "jules",
    "openai-codex": "codex",
    "chatgpt-codex-connector": "codex",
    "openhands-agent": "openhands",
}
# The account of a forge, with or without a number; of a bot, its name has the mark.
_ACCOUNT = re.compile(r"(?:\d+\+)?([^@+]+?)(\[bot\])?@users\.noreply\.github\.com", re.IGNORECASE)
# No bot is called like these without the mark: they are people's names, or words.
_ONLY_AS_BOT = frozenset({"claude", "cursor", "devin-ai-integration", "google-labs-jules"})
# how a name begins -> agent; `sure` ones are nobody's first name
_NAMES = (
    (r"claude code", "claude-code", True),
    (r"claude", "claude-code", False),
    (r"(?:github )?copilot", "copilot", True),
    (r"cursor(?: ?agent)?", "cursor", True),
    (r"(?:openai )?codex", "codex", True),
    (r"(?:google )?gemini", "gemini-cli", False),
    (r"devin", "devin-cli", False),
    (r"aider", "aider", False),
    (r"amp", "amp", False),
    (r"windsurf", "windsurf", True),
    (r"cline", "cline", False),
    (r"opencode", "opencode", True),
    (r"openhands", "openhands", True),
    (r"jules", "jules", False),
    (r"kiro", "kiro-cli", False),
    (r"roo code", "roo", True),
    (r"kilo code", "kilo-code", True),
    (r"factory droid", "factory-droid", True),
)
# What stands behind the name of a product and never behind a person's.
_FORM = r"(?: (?:code|cli|agent|bot|ai|workspace|opus|sonnet|haiku|fable|pro|flash|v?\d|\().*)"
_TRAILER = re.compile(r"^([A-Za-z][A-Za-z -]{2,24}):[ \t]*(\S.*)$", re.MULTILINE)
# With dashes for spaces, in lower case: projects spell them as they like.
KEYS = frozenset(
    {"co-authored-by", "co-developed-by", "assisted-by", "ai-assisted-by", "generated-by", "ai-generated-by"}
    | {"generated-with", "made-with", "ai-agent", "agent"}
)
_PEOPLE = frozenset({"author", "committer"})
# Trailers that only the tool of an agent writes.
MARKS = {"claude-session": "claude-code", "codex-session": "codex", "cursor-session": "cursor"}
# The line that tools put at the end: a link, or nothing but the product behind the words.
_TEXT = re.compile(
    r"^\W{0,6}generated (?:with|by) \[?((?:claude|codex|cursor|copilot|gemini|devin|aider)(?: code| cli| agent)?)"
    r"(?:\]\([^)\n]*\)|\W*)$",
    re.IGNORECASE | re.MULTILINE,
)


class Credit(NamedTuple):
    """An agent that a commit names: under which key, in which words, and which model where one is told."""

    key: str
    said: str
    agent_name: str
    model_id: str | None


def found(raw: bytes) -> list[Credit]:
    r"""Return what a raw commit object credits agents with, each agent once for each key.

    >>> found(b"author Ana <ana@example.org> 1 +0000\n\nfix\n\nAssisted-by: Claude:claude-opus-4 sparse\n")
    [Credit(key='assisted-by', said='Claude:claude-opus-4 sparse', agent_name='claude-code', model_id='claude-opus-4')]
    """
    head, _, message = raw.decode("utf-8", "replace").partition("\n\n")
    every = [*_people(head), *_trailers(message), *_texts(message)]
    return list({(credit.key, credit.agent_name): credit for credit in reversed(every)}.values())[::-1]


def _people(head: str) -> Iterator[Credit]:
    for line in head.split("\n"):
        key, _, person = line.partition(" ")
        name, _, rest = person.partition(" <")
        agent = _by_address(rest.partition(">")[0]) if key in _PEOPLE else None
        if agent is not None:
            yield Credit(key, f"{name} <{rest.partition('>')[0]}>"[:MAX_SAID], agent, None)


def _trailers(message: str) -> Iterator[Credit]:
    for spelled, value in _TRAILER.findall(message):
        key, said = spelled.lower().replace(" ", "-"), value.strip()
        if key in MARKS:
            # the value is the name of a conversation elsewhere, perhaps a link
            yield Credit(key, "", MARKS[key], None)
        elif key in KEYS:
            yield from _credited(key, said)


def _credited(key: str, said: str) -> Iterator[Credit]:
    name, bracket, address = said.partition("<")
    address = address.strip().removesuffix(">")
    named, colon, rest = name.strip().partition(":")
    model = rest.split()[0] if colon and rest.split() else None
    agent = (_by_address(address) if bracket else None) or _by_name(named.strip(), alone=not bracket)
    if agent is not None:
        yield Credit(key, said[:MAX_SAID], agent, model)


def _texts(message: str) -> Iterator[Credit]:
    for line in _TEXT.finditer(message):
        agent = _by_name(line[1], alone=True)
        if agent is not None:
            yield Credit("text", line[0].strip()[:MAX_SAID], agent, None)


def _by_address(address: str) -> str | None:
    account = _ACCOUNT.fullmatch(address)
    if account is not None:
        name = account[1].lower()
        return None if name in _ONLY_AS_BOT and not account[2] else _ACCOUNTS.get(name)
    return next((agent for pattern, agent in _ADDRESSES if re.fullmatch(pattern, address, re.IGNORECASE)), None)


def _by_name(name: str, *, alone: bool) -> str | None:
    """Return the agent of this name; `alone` is a name without an address."""
    for pattern, agent, sure in _NAMES:
        ending = f"{_FORM}?" if sure or alone else _FORM
        if re.fullmatch(pattern + ending, name, re.IGNORECASE):
            return agent
    return None
