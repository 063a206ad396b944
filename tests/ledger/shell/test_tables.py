"""The tables of what programs are known for, against what a person who edits one may get wrong unseen."""

from collections import Counter
from pathlib import Path

import pytest

from linetrail.ledger.shell.programs import listed, tables

FOLDER = Path(tables.__file__).parent / "known"
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt"))}


def names(file):
    return [name for block in TEXTS[file].split("\n\n")[1:] for name in block.partition("\n")[0].split(", ")]


def test_every_table_is_read():
    assert {*listed.FILES, "readers", "git_readers"} == TEXTS.keys()


def test_a_program_stands_in_one_row():
    tables_of_rows = [list(listed.FILES), ["readers"], ["git_readers"]]

    for files in tables_of_rows:
        counts = Counter(name for file in files for name in names(file))
        assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("file", TEXTS)
def test_a_line_of_a_row_names_its_field_or_goes_on_with_it(file):
    rows = [line for block in TEXTS[file].split("\n\n")[1:] for line in block.splitlines()[1:]]

    assert [line for line in rows if not line.startswith(("    ", *(f"  {field} " for field in tables.FIELDS)))] == []


@pytest.mark.parametrize("file", listed.FILES)
def test_an_option_stands_once_in_a_row(file):
    for name in names(file):
        options = tables.fields(tables.rows(file)[name])["options:"]
        assert [word for word, count in Counter(options).items() if count > 1] == [], name
