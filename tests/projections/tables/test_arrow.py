"""Rows of Python, written as Parquet: few by DuckDB, many by way of Arrow."""

import subprocess
import sys
from datetime import datetime

import duckdb
import pytest

from linetrail.projections.tables import arrow

MOMENT = datetime.fromisoformat("2026-02-03T04:05:06.123456")
COLUMNS = {"name": "VARCHAR", "number": "BIGINT", "flag": "BOOLEAN", "share": "DOUBLE", "at": "TIMESTAMP"}


@pytest.fixture(params=[pytest.param(arrow.FEW, id="few"), pytest.param(0, id="many")])
def stored(request, tmp_path, monkeypatch):
    """Write rows, and read them as DuckDB does."""
    monkeypatch.setattr(arrow, "FEW", request.param)

    def read(rows):
        file = tmp_path / "rows.parquet"
        arrow.write(rows, COLUMNS, file)
        return duckdb.sql(f"from '{file}'").fetchall()

    return read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param(("ä", 1, True, 0.5, MOMENT), ("ä", 1, True, 0.5, MOMENT), id="what each column holds"),
        pytest.param((None,) * 5, (None,) * 5, id="nothing"),
        pytest.param(("", 0, False, 0.0, None), ("", 0, False, 0.0, None), id="what is almost nothing"),
        pytest.param(
            ("a\udcff", -(2**63), None, -1.0, "2026-02-03T06:05:06.123456+02:00"),
            (r"a\udcff", -(2**63), None, -1.0, MOMENT),
            id="a name that is no Unicode and a time of another zone",
        ),
        pytest.param(
            ("", 2**63 - 1, None, None, "1969-12-31T23:59:59.999999Z"),
            ("", 2**63 - 1, None, None, datetime.fromisoformat("1969-12-31T23:59:59.999999")),
            id="a time before all times that are counted from",
        ),
    ],
)
@pytest.mark.parametrize("beside", [0, 7, 8])
def test_a_row_is_read_as_it_was_written(stored, written, read, beside):
    other = ("x", 7, True, 1.5, MOMENT)

    assert stored([*[other] * beside, written]) == [*[other] * beside, read]


def test_rows_of_several_batches_are_all_there(stored, monkeypatch):
    monkeypatch.setattr(arrow, "ROWS", 10)

    rows = [(str(at), at, at % 3 == 0, at / 2, MOMENT) for at in range(25)]

    assert stored(rows) == rows


def test_a_number_that_does_not_fit_is_an_error(stored):
    with pytest.raises(OverflowError):
        stored([("x", 2**63, True, 0.0, None)])


def test_no_row_leaves_columns(stored):
    assert stored([]) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "spared"),
    [pytest.param(1, ["pyarrow", "numpy"], id="few"), pytest.param(arrow.FEW, ["pandas"], id="many")],
)
def test_writing_loads_no_more_than_it_needs(tmp_path, rows, spared):
    pytest.importorskip("pandas")
    program = (
        "import sys; from pathlib import Path; from linetrail.projections.tables import arrow;"
        f"arrow.write([('x', 1)] * {rows}, {{'a': 'VARCHAR', 'b': 'BIGINT'}}, Path(sys.argv[1]));"
        f"print(*sys.modules.keys() & {set(spared)})"
    )

    done = subprocess.run([sys.executable, "-c", program, tmp_path / "rows.parquet"], capture_output=True, check=True)

    assert done.stdout.strip() == b""
