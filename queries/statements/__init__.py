"""What answers and commands ask of the tables, in SQL: one statement a file."""

import os

from linetrail.projections import statements


def statement(name: str) -> str:
    return statements.statement(name, os.path.dirname(__file__))
