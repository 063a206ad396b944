"""What a ledger says of changes that agents made."""

from typing import Any

from linetrail.ledger.files import digest


def states(repo: Any) -> list[tuple[str, str | None, str | None]]:
    """Return, for each change of a file by an agent, the path and the hashes around it."""
    return [
        (entry["path"], entry["before_hash"], entry["after_hash"])
        for event in repo.events("mutation.observed")
        if event.contributor == "ai"
        for entry in event.data["files"]
    ]


def hashed(text: str | None) -> str | None:
    """Return the hash that a content has in the ledger; None for no file."""
    return None if text is None else digest(text.encode())
