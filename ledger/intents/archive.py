"""Keep intents that are done or given up beside the registry, in ``archived_intents.yaml``.

The registry stays short; what events point to can still be read. The file is written like the registry, by us alone.
"""

import os

from linetrail.ledger.files import publish
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.edits import NEW_FILE_MODE, Registry
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.intents.registry import parse
from linetrail.ledger.repository import Repository

FILE = "archived_intents.yaml"


def path(repository: Repository) -> str:
    return os.path.join(repository.folder, FILE)


def read(repository: Repository) -> list[Intent]:
    """Return the archived intents, those that were archived first before the others."""
    return parse(_load(repository), path(repository))


def keep(repository: Repository, intent_id: str) -> None:
    """Copy an intent from the registry, all its fields as they are spelled; one that is kept already is replaced."""
    fields = Registry((registry_file.load(repository) or b"").decode()).fields(intent_id)
    kept = Registry(_load(repository).decode())
    if any(intent.id == intent_id for intent in read(repository)):
        kept = kept.drop(intent_id)
    content = kept.copy(fields).text.encode()
    publish(path(repository), content, durable=True, mode=NEW_FILE_MODE, aside=os.path.join(repository.folder, "state"))


def _load(repository: Repository) -> bytes:
    try:
        with open(path(repository), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b"active_intents: []\n"
