"""What `linetrail init` writes into projects, a file each: `templates/`, and `shims/` and `forges/` of others."""

import os


def template(name: str) -> str:
    """Return a file of this folder, byte for byte."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8", newline="") as file:
        return file.read()
