"""Read the intents that people keep in ``active_intents.yaml``.

The hook never comes here: `linetrail select` leaves it what it needs in ``selection``.
"""

import os

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents.intent import MAX_BYTES, TOO_LARGE, Intent
from linetrail.ledger.repository import Repository

FILE = "active_intents.yaml"


class TooLargeError(IntentError):
    """The registry is larger than any that is read."""

    hint = f"move intents that are done out of {FILE}"


def path(repository: Repository) -> str:
    return os.path.join(repository.folder, FILE)


def read(repository: Repository) -> list[Intent]:
    """Return the intents in the order of the file; none when there is no file."""
    content = load(repository)
    if content is None or _is_empty(content):
        return []
    from linetrail.ledger.intents.registry import parse  # YAML costs 16 ms, which only those pay who read it

    return parse(content, path(repository))


def load(repository: Repository) -> bytes | None:
    """Return the bytes of the registry, or None when there is no file."""
    name = path(repository)
    try:
        with open(name, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IntentError(f"cannot read {name}: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise TooLargeError(f"{name} is {TOO_LARGE}")
    return content


def _is_empty(content: bytes) -> bool:
    """Return whether this is seen to list no intent without a reader of YAML, as `init` leaves it."""
    said = [line for line in content.split(b"\n") if line and not line.startswith(b"#")]
    return said == [b"active_intents: []"]


def require(repository: Repository, intent_id: str) -> Intent:
    """Return one intent by its id, or name those there are."""
    intents = read(repository)
    for intent in intents:
        if intent.id == intent_id:
            return intent
    known = ", ".join(intent.id for intent in intents) or "none"
    raise IntentError(f"no intent {intent_id} in {path(repository)}; available: {known}")
