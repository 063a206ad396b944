"""Read the record of `init`: how settings were before it put hooks into them."""

import json
import os
from typing import Any

FILE = os.path.join("state", "init.json")
# settings file -> how it was before: whether it and the folders above it were there, and what its containers held
Record = dict[str, dict[str, Any]]


def load(file: str) -> Record:
    """Return the record of earlier runs; a damaged one counts as none."""
    try:
        with open(file, encoding="utf-8") as content:
            record = json.load(content)
    except (OSError, ValueError):
        return {}
    known = record if isinstance(record, dict) else {}
    return {name: entry for name, entry in known.items() if isinstance(entry, dict)}
