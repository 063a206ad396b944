"""What answers and commands ask of the tables, in SQL: one statement a file."""

import os
from functools import cache


@cache
def statement(name: str) -> str:
    """Return the SQL of one file, without the comment in front: its words could be taken for names of tables."""
    with open(os.path.join(os.path.dirname(__file__), f"{name}.sql"), encoding="utf-8") as file:
        return "".join(line for line in file if not line.startswith("--"))
