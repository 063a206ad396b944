"""Find the policy of a project; where there is none, nothing of what reads one is loaded."""

import os
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import FOLDER, Repository
from linetrail.queries.audit import rulebook

if TYPE_CHECKING:
    from linetrail.queries.audit.policy import Policy

FILE = "policy.yaml"
NONE, ANY = "none", "any"
FAIL_ON = (NONE, *rulebook.LEVELS, ANY)
MAX_BYTES = 1024 * 1024


def today() -> date:
    return datetime.now(UTC).date()


def load(repository: Repository, path: str | None) -> "tuple[Policy | None, str | None]":
    """Return the policy of a file, or of the repository, and where it stands; None where there is none."""
    place = path if path is not None else os.path.join(repository.folder, FILE)
    if path is None and not os.path.lexists(place):
        return None, None
    from linetrail.queries.audit.policy import PolicyError, parse  # pydantic takes longer than all rules

    try:
        with open(place, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        if path is None:
            return None, None
        raise UsageError(f"no policy at {path}") from None
    except OSError as error:
        raise PolicyError(f"cannot read the policy {place}: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise PolicyError(f"the policy {place} is larger than {MAX_BYTES // 1024} KB")
    return parse(content, path if path is not None else f"{FOLDER}/{FILE}"), place
