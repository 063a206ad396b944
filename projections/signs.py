"""Tell from a commit whether an agent had a hand in it, whoever it says committed.

A sign is not an attribution: it only keeps a line that nobody recorded from being presumed human.
"""

import re

from linetrail.projections.credits import found

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

# Products by the word that stands for them in names, addresses and trailers; the first that fits counts.
_PRODUCTS = {
    "claude": r"claude|anthropic",
    "copilot": r"copilot",
    "cursor": r"cursor",
    "codex": r"codex|openai",
    "gemini": r"gemini",
    "devin": r"devin|cognition",
    "opencode": r"opencode",
    "openhands": r"openhands",
    "windsurf": r"windsurf",
    "cline": r"cline",
    "aider": r"aider",
    "jules": r"jules",
    "kiro": r"kiro",
    "roo": r"roo code",
    "kilo": r"kilo code",
    "droid": r"droid",
    "amp": r"amp|ampcode",
}
_PRODUCT = {name: re.compile(rf"\b(?:{words})", re.IGNORECASE) for name, words in _PRODUCTS.items()}
_AUTOMATON = re.compile(
    r"""
      .* \[bot\]
    | .+ [-_] (?:ro)?bot
    | (?:dependabot | renovate | greenkeeper | mergify | bors | snyk | crowdin | weblate | github[-\ ]actions
        | actions-user | pre-commit[-\ ]ci | semantic[-\ ]release | allcontributors | gitlab | travis | jenkins
        | codecov | imgbot | transifex | whitesource) (?: [-\ ] (?: preview | ci | bot | robot ) )*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_AUTOMATON_ADDRESS = re.compile(
    r"\[bot\]@|^(?:action|actions)@github\.com$|@(?:dependabot|renovateapp|greenkeeper|snyk)\.(?:com|io)$",
    re.IGNORECASE,
)


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


def is_bot(name: str, address: str) -> bool:
    """Tell from a commit's author whether a program made it that writes no code by itself: no agent and no person.

    >>> is_bot("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"), is_bot("Jan Bot", "j@bot.nl")
    (True, False)
    """
    automaton = _AUTOMATON.fullmatch(name.strip()) or _AUTOMATON_ADDRESS.search(address)
    return automaton is not None and _product(f"{name} {address}") is None


def agent_named(name: str, address: str, message: str) -> str | None:
    r"""Return the product that a commit names as one of its authors, in one word; None where it names none.

    >>> agent_named("Ana", "ana@example.org", "fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    'claude'
    """
    author = f"{name} <{address}>" if _BOT.search(name) or _ADDRESS.search(address) else ""
    credits_ = [f"{key} {value}" for key, value in _TRAILER.findall(message) if _credits_agent(key.lower(), value)]
    generated = [found[0] for found in _GENERATED.finditer(message)]
    return next(filter(None, map(_product, [author, *credits_, *generated])), None)


def _product(text: str) -> str | None:
    return next((product for product, words in _PRODUCT.items() if words.search(text)), None)


def _credits_agent(key: str, value: str) -> bool:
    if key in _MARKS:
        return True
    name, _, address = value.strip().partition("<")
    name = name.strip()
    return key in _CREDITS and bool(_BOT.search(name) or _ADDRESS.search(address.strip("> ")) or _NAME.fullmatch(name))
