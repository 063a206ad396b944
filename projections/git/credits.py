"""Read what a commit says of who made it: which agent it credits, who reviewed it, whether a program made it by itself.

Only agents that write code count. What updates dependencies, formats or merges is a bot and no agent, and a person
may be called Claude or Devin: a name that is also a person's counts with the address of the agent, or with none.
A sign that an agent had a hand in a commit is not an attribution: it only keeps a line that nobody recorded from being
presumed human.
"""

import functools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.projections.git.plumbing import answer

if TYPE_CHECKING:  # an answer that is remembered asks no commit
    from linetrail.ledger.adapters import agent

MAX_SAID = 300
# The account of a forge, with or without a number; of a bot, its name has the mark.
_ACCOUNT = re.compile(r"(?:\d+\+)?([^@+]+?)(\[bot\])?@users\.noreply\.github\.com", re.IGNORECASE)
# What stands behind the name of a product and never behind a person's.
_FORM = r"(?: (?:code|cli|agent|bot|ai|workspace|opus|sonnet|haiku|fable|pro|flash|v?\d|\().*)"
_TRAILER = re.compile(r"^([A-Za-z][A-Za-z -]{2,24}):[ \t]*(\S.*)$", re.MULTILINE)
# What stands before the product in the line that tools put at the end.
TEXT = r"generated (?:with|by) \[?"
# With dashes for spaces, in lower case: projects spell them as they like.
KEYS = frozenset(
    {"co-authored-by", "co-developed-by", "assisted-by", "ai-assisted-by", "generated-by", "ai-generated-by"}
    | {"generated-with", "made-with", "ai-agent", "agent"}
)
_PEOPLE = frozenset({"author", "committer"})
# What programs that are no coding agents are called, and where their mail comes from.
_PROGRAM = re.compile(
    r"""
      .* \[bot\]
    | .+ [-_] (?:ro)?bot
    | (?:dependabot | renovate | greenkeeper | mergify | bors | snyk | crowdin | weblate | github[-\ ]actions
        | actions-user | pre-commit[-\ ]ci | semantic[-\ ]release | allcontributors | gitlab | travis | jenkins
        | codecov | imgbot | transifex | whitesource) (?: [-\ ] (?: preview | ci | bot | robot ) )*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PROGRAM_ADDRESS = re.compile(
    r"\[bot\]@|^actions?@github\.com$|@(?:dependabot|renovateapp|greenkeeper|snyk)\.(?:com|io)$", re.IGNORECASE
)
_FORMAT = "%H%x00%(trailers:key=Reviewed-by,valueonly,unfold,separator=%x00)"
_BOT = re.compile(r"\[bot\]\s*$", re.IGNORECASE)
_BOT_ADDRESS = re.compile(r"\[bot\]@", re.IGNORECASE)
_CREDITS = frozenset({"co-authored-by", "assisted-by", "generated-by", "co-developed-by", "ai-agent", "agent"})
# Trailers that only agents' tools write, whichever agent it was.
_MARKS = frozenset({"entire-checkpoint", "entire-session"})


class Credit(NamedTuple):
    """An agent that a commit names: under which key, in which words, and which model where one is told."""

    key: str
    said: str
    agent_name: str
    model_id: str | None


class Names(NamedTuple):
    """By what commits name agents, of all agents together; what a pattern or a name means is an agent."""

    addresses: tuple[tuple[str, str], ...]
    # name -> agent, and whether only a bot is called so
    accounts: Mapping[str, tuple[str, bool]]
    # with what may stand behind, with or without an address; nobody's first name is taken for one with an address
    names: tuple[tuple[str, str, str], ...]
    trailers: Mapping[str, str]
    # what tools call their products, and the line that they put at the end: a link, or nothing but the product
    words: str
    text: re.Pattern[str]


@functools.cache
def names() -> Names:
    """Return how commits name the agents that are known; it takes a few milliseconds, once."""
    known = dict(_known())
    words = "|".join(word for credit in known.values() for word in credit.words)
    return Names(
        tuple((text, agent) for agent, credit in known.items() for text in credit.addresses),
        {
            account: (agent, account in credit.bots)
            for agent, credit in known.items()
            for account in (*credit.accounts, *credit.bots)
        },
        tuple(
            (f"{text}{_FORM}?", f"{text}{_FORM}{'?' if text in credit.names else ''}", agent)
            for agent, credit in known.items()
            for text in (*credit.names, *credit.first_names)
        ),
        {trailer: agent for agent, credit in known.items() for trailer in credit.trailers},
        words,
        re.compile(
            rf"^\W{{0,6}}{TEXT}((?:{words})(?: code| cli| agent)?)(?:\]\([^)\n]*\)|\W*)$", re.IGNORECASE | re.MULTILINE
        ),
    )


def _known() -> "Iterator[tuple[str, agent.Credit]]":
    """Yield each agent with how commits name it, and at the end those that call no hook of ours."""
    from linetrail.ledger.adapters.agent import Credit as Named
    from linetrail.ledger.adapters.catalogue import CATALOGUE

    yield from ((row.credit.product or name, row.credit) for name, row in CATALOGUE.items() if any(row.credit))
    yield "aider", Named((r"[^@]+@aider\.chat",), first_names=("aider",), words=("aider",))
    yield "openhands", Named((r"[^@]+@openhands\.dev",), accounts=("openhands-agent",), names=("openhands",))
    yield "jules", Named(bots=("google-labs-jules",), first_names=("jules",))
    yield "roo", Named(names=("roo code",))
    yield "kilo-code", Named(names=("kilo code",))


@functools.cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


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
        if key in names().trailers:
            # the value is the name of a conversation elsewhere, perhaps a link
            yield Credit(key, "", names().trailers[key], None)
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
    for line in names().text.finditer(message):
        agent = _by_name(line[1], alone=True)
        if agent is not None:
            yield Credit("text", line[0].strip()[:MAX_SAID], agent, None)


def agent_of(address: str, name: str) -> str | None:
    """Return the agent that an address or, whatever the address, a name is of."""
    return _by_address(address) or _by_name(name, alone=True)


def _by_address(address: str) -> str | None:
    account = _ACCOUNT.fullmatch(address)
    if account is not None:
        agent, is_bot = names().accounts.get(account[1].lower(), (None, False))
        return None if is_bot and not account[2] else agent
    return next((agent for text, agent in names().addresses if _pattern(text).fullmatch(address)), None)


def _by_name(name: str, *, alone: bool) -> str | None:
    """Return the agent of this name; `alone` is a name without an address."""
    found = (agent for bare, full, agent in names().names if _pattern(bare if alone else full).fullmatch(name))
    return next(found, None)


def is_bot(name: str, address: str) -> bool:
    """Return whether the author of a commit is a program that is no coding agent.

    >>> is_bot("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"), is_bot("Jan Bot", "j@bot.nl")
    (True, False)
    """
    if not (_PROGRAM.fullmatch(name.strip()) or _PROGRAM_ADDRESS.search(address)):
        return False
    return not found(f"author {name} <{address}> 0 +0000\n\n".encode(errors="replace"))


def reviewers(repository: Repository, revisions: Collection[str]) -> dict[str, Sequence[str]]:
    """Return the names of those who reviewed commits, for each commit that somebody reviewed."""
    if not revisions:
        return {}
    asked = "".join(f"{revision}\n" for revision in revisions).encode()
    told = answer(repository, "rev-list", "--no-walk", "--stdin", f"--format={_FORMAT}", stdin=asked)
    found: dict[str, Sequence[str]] = {}
    for line in told.decode(errors="replace").split("\n"):
        revision, *people = line.split("\0")
        if names := [name for person in people if (name := person.partition("<")[0].strip() or person.strip())]:
            found[revision] = names
    return found


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
