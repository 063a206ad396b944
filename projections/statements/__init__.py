"""What tables made in Python and the projections ask of the other tables, in SQL: one statement a file."""

import os
from functools import cache


@cache
def statement(name: str, folder: str = os.path.dirname(__file__)) -> str:
    """Return the SQL of one file, without the comment in front: its words could be taken for names of tables."""
    with open(os.path.join(folder, f"{name}.sql"), encoding="utf-8") as file:
        return "".join(line for line in file if not line.startswith("--"))
