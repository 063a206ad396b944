"""Each file in `cases` is indexed as the JSON beside it says: kind, qualified name, first line, last line."""

import json
from pathlib import Path

import pytest

from linetrail.projections.syntax.definitions import index
from linetrail.projections.syntax.language import languages, named

CASES = Path(__file__).parent / "cases"
FILES = sorted(path for path in CASES.glob("*/*") if not path.name.endswith(".golden.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_file_defines_what_is_recorded_beside_it(file, golden):
    definitions = index(named(file.parent.name), file.read_bytes())

    rows = [
        json.dumps(
            [found.kind, found.qualified, found.start_line, found.end_line, *(["broken"] if found.broken else [])]
        )
        for found in definitions
    ]
    golden(file.with_name(f"{file.name}.golden.json"), "[\n" + ",\n".join(rows) + "\n]\n")


def test_every_language_has_a_case():
    assert {language.name for language in languages()} == {file.parent.name for file in FILES}
