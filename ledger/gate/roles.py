"""What the role of a worker lets it change, in the place of what its intent owns.

The role belongs to a worktree and not to a selection, so a session that selects another intent keeps it.
"""

import contextlib
import os

from linetrail.ledger.files import publish
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.repository import Repository

ARCHITECT, BUILDER, TESTER = ROLES = ("architect", "builder", "tester")
# What each may change; a builder changes what its intent owns. An architect records intents and decisions, and changes
# no file.
SCOPES = {
    ARCHITECT: (),
    TESTER: (
        *("tests/**", "**/tests/**", "test/**", "**/test/**", "spec/**", "**/spec/**", "**/__tests__/**", "e2e/**"),
        *("**/test_*", "**/*_test.*", "**/*.test.*", "**/*.spec.*", "**/*_spec.*", "**/conftest.py"),
    ),
}
# The field of an intent that says when a person is asked; whoever plans leaves it to people.
FOR_PEOPLE = "approval"
FILE = os.path.join("state", "role")


def write(repository: Repository, role: str | None) -> None:
    """Give whoever works in this worktree a role, or none."""
    path = os.path.join(repository.folder, FILE)
    if role is not None:
        publish(path, role.encode(), durable=True)
        return
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def bounded(intent: Intent, role: str | None) -> Intent:
    """Return an intent with the scope that a role has for it."""
    return intent._replace(scope=SCOPES[role]) if role in SCOPES else intent
