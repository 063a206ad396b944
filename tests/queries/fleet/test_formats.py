"""`linetrail fleet build --format`: Iceberg and Delta list the same files, and read the same rows out of them."""

import json
import shutil
import warnings

import duckdb
import pytest

from linetrail.queries.fleet import layout, objects
from linetrail.queries.fleet.formats import TIERS, iceberg
from tests.fleet.__main__ import Plan, write
from tests.fleet.repository import Faults

deltalake = pytest.importorskip("deltalake", reason="needs the extra lake")
pytest.importorskip("pyiceberg", reason="needs the extra lake")
pytestmark = [
    pytest.mark.slow,
    # SQLAlchemy leaves the connections of its pool to the end of the process
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.in_turn,
]
BOTH = ("--format", "iceberg", "--format", "delta")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory):
    out = tmp_path_factory.mktemp("fleet")
    faults = Faults(doubled=0.2, rewritten=0, damaged=0, late=1)
    write(Plan(out, repositories=2, events=300, kinds=4, seed=4, faults=faults))
    return out


@pytest.fixture
def store(pushed, tmp_path, monkeypatch):
    """Return the folder of a store, in a place with a space; what pyiceberg finds in the home folder is not ours."""
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    shutil.copytree(pushed / "store", tmp_path / "a store")
    return tmp_path / "a store"


def built(cli, store, *options):
    answer = cli("fleet", "build", store.as_uri(), *options, "--json")
    assert answer.status == 0, answer.err
    return json.loads(answer.out)["meta"]


def tables(store):
    return [table for table in layout.require(objects.open_store(store.as_uri()), "").tables if table.tier in TIERS]


def fingerprint(rows):
    """Return what names the rows of a table, whatever their order."""
    return duckdb.sql("select count(*), bit_xor(hash(piece)), sum(hash(piece)) from rows as piece").fetchall()


def read(store, table, name):
    """Return the rows of a table as its format finds them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        if name == "delta":
            return deltalake.DeltaTable((store / table.path).as_uri()).to_pyarrow_dataset().to_table()
        return iceberg.catalogue(store.as_uri()).load_table((table.tier, table.name)).scan().to_arrow()


def plain(store, table):
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    files = [str(store / file.path) for file in table.files]
    return duckdb.sql(f"select {columns} from read_parquet({files}, hive_partitioning = false)").to_arrow_table()


@pytest.mark.parametrize("name", ["delta", "iceberg"])
def test_a_format_reads_the_rows_of_the_build(cli, pushed, store, name):
    built(cli, store, "--format", name)
    shutil.copytree(pushed / "late", store, dirs_exist_ok=True)

    meta = built(cli, store, "--format", name)

    assert 0 < meta["formats"][name] <= len(tables(store))
    for table in tables(store):
        rows = read(store, table, name)
        assert rows.column_names == [column.name for column in table.columns]
        if table.files:
            assert fingerprint(rows) == fingerprint(plain(store, table)), table.name
        else:
            assert rows.num_rows == 0


def test_a_second_run_changes_nothing(cli, store):
    first = built(cli, store, *BOTH)
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}

    again = built(cli, store, *BOTH)

    assert set(first["formats"].values()) == {len(tables(store))}
    assert again["formats"] == {"iceberg": 0, "delta": 0}
    assert before == {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}


def test_what_a_format_keeps_is_no_stranger_to_the_build(cli, store):
    built(cli, store, *BOTH)

    assert cli("fleet", "build", store.as_uri(), "--verify").status == 0
    assert built(cli, store, "--full", "--buckets", "2", "--format", "delta")["formats"]["delta"]
    assert cli("fleet", "build", store.as_uri(), "--verify").status == 0


def test_an_unknown_format_is_refused(cli, store):
    assert cli("fleet", "build", store.as_uri(), "--format", "hudi").status == 2


def test_a_store_that_is_no_folder_needs_a_catalogue(tmp_path, monkeypatch):
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))

    with pytest.raises(iceberg.NoCatalogueError, match="no catalogue is configured"):
        iceberg.catalogue("s3://bucket/prefix")
