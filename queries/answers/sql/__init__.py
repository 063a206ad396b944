"""What the answers ask of the tables, in SQL: one statement a file."""

import os
from functools import cache


@cache
def statement(name: str) -> str:
    """Return the SQL of one file."""
    with open(os.path.join(os.path.dirname(__file__), f"{name}.sql"), encoding="utf-8") as file:
        return file.read()
