"""`linetrail push` and `pull` over the network: an object store that answers as S3 does, and one that fails often."""

import importlib
import itertools
import json
import re
import subprocess
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.fleet import objects
from linetrail.queries.fleet.formats import iceberg
from linetrail.queries.fleet.push import push

pytestmark = [
    pytest.mark.slow,
    pytest.mark.in_turn,
    pytest.mark.skipif(not find_spec("moto"), reason="moto[server] is not installed"),
]

URL = "s3://fleet/prefix"


@pytest.fixture(scope="module")
def address():
    """Return the address of a server in a process of its own: a library that waits for it may let no thread run."""
    command = [sys.executable, "-m", "moto.server", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as server:
        said = (re.search(r"Running on (http://[\d.:]+)", line) for line in server.stderr)
        found = next(filter(None, said))[1]
        threading.Thread(target=server.stderr.read, daemon=True).start()  # it has more to say than a pipe holds
        yield found
        server.kill()


@pytest.fixture
def bucket(address, monkeypatch):
    """Return the address of a store that is empty but for one bucket."""
    for method, path in (("POST", "/moto-api/reset"), ("PUT", "/fleet")):
        urllib.request.urlopen(urllib.request.Request(f"{address}{path}", method=method)).close()
    settings = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1"}
    for name, value in (settings | {"AWS_ENDPOINT_URL": address, "AWS_ALLOW_HTTP": "true"}).items():
        monkeypatch.setenv(name, value)
    return address


class Unreliable(BaseHTTPRequestHandler):
    """Passes requests on; of seven PUTs one is dropped as done, one done as refused, one refused, one cut off."""

    protocol_version = "HTTP/1.1"
    puts = itertools.count()
    target = ""

    def do_PUT(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = next(self.puts) % 7
        if fault == 1:
            return self.answer(412, b"")  # and nothing is there
        if fault == 3:
            return self.answer(500, b"")
        status, answer = self.passed_on(body)
        if fault == 5:
            return self.answer(500, b"")  # and it is there
        if fault == 6:
            self.close_connection = True
            return None
        return self.answer(status, answer)

    def do_GET(self):
        self.answer(*self.passed_on(None))

    def passed_on(self, body):
        kept = {"Content-Type": "application/octet-stream"} | dict(self.headers.items())
        request = urllib.request.Request(f"{self.target}{self.path}", body, kept, method=self.command)
        try:
            with urllib.request.urlopen(request) as done:
                self.answered = done.headers
                return done.status, done.read()
        except urllib.error.HTTPError as error:
            self.answered = error.headers
            return error.code, error.read()

    def answer(self, status, body):
        self.send_response(status)
        for name in ("ETag", "Last-Modified", "Content-Type"):
            if name in getattr(self, "answered", {}):
                self.send_header(name, self.answered[name])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def unreliable(bucket, monkeypatch):
    """Put a server between the store and us that fails every other time."""
    Unreliable.target = bucket
    server = ThreadingHTTPServer(("127.0.0.1", 0), Unreliable)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    yield
    server.shutdown()
    server.server_close()


def test_segments_go_there_and_come_back(cli, repo, sealed, bucket, tmp_path):
    first, second = cli("push", URL), cli("push", URL)

    assert first.out.startswith("pushed 2 segments"), first.err
    assert second.out == "nothing to push: the store has all 2 segments\n"
    assert cli("pull", URL, "--check").status == 0


def test_of_twenty_at_once_with_a_store_that_fails_nothing_is_lost_or_doubled(
    cli, repo, sealed, bucket, unreliable, monkeypatch
):
    repository = find(str(repo.path))

    heads = {*objects.at_once(lambda _: push(repository, URL).head, range(20), "", "")}

    monkeypatch.setenv("AWS_ENDPOINT_URL", bucket)
    store = objects.open_store(URL)
    assert len(heads) == len(objects.sizes(store, "heads")) == 1
    assert len(objects.sizes(store, "segments")) == len(sealed)
    assert cli("pull", URL, "--check").status == 0


def test_a_bucket_that_is_not_there_is_an_error_with_a_next_step(cli, sealed, bucket):
    answer = cli("push", "s3://nowhere/prefix")

    assert answer.status == 2
    assert "next: look at the URL" in answer.err


def test_tables_are_built_and_asked_over_the_network(cli, sealed, bucket):
    cli("push", URL)

    first, again = cli("fleet", "build", URL, "--json"), cli("fleet", "build", URL, "--json")
    rows = cli("fleet", "sql", URL, "select count(distinct session_id) as n from v_sessions", "--json").rows

    assert (first.status, again.status, rows) == (0, 0, [{"n": 2}])
    assert cli("fleet", "build", URL, "--verify").status == 0
    assert [row["query"] for row in cli("fleet", "asked", URL, "--json").rows] == [
        "select count(distinct session_id) as n from v_sessions"
    ]


@pytest.mark.parametrize("name", ["delta", "iceberg"])
# SQLAlchemy leaves the connections of its pool to the end of the process
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_format_lists_files_over_the_network(cli, sealed, bucket, tmp_path, monkeypatch, name):
    deltalake = pytest.importorskip("deltalake", reason="needs the extra lake")
    settings = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"{URL}/iceberg", "s3.endpoint": bucket}
    for setting, value in settings.items():
        monkeypatch.setenv(f"PYICEBERG_CATALOG__LINETRAIL__{setting.replace('.', '__').upper()}", value)
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    cli("push", URL)

    # it keeps what it found in the surroundings when it was loaded
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", importlib.import_module("pyiceberg.utils.config").Config())
    first, again = (cli("fleet", "build", URL, "--format", name, "--json") for _ in range(2))

    assert first.status == 0, first.err
    assert json.loads(first.out)["meta"]["formats"][name] > 0, first.err
    assert json.loads(again.out)["meta"]["formats"][name] == 0
    if name == "delta":
        rows = deltalake.DeltaTable(f"{URL}/lake/facts/v_sessions").to_pyarrow_dataset().to_table()
    else:
        rows = iceberg.catalogue(URL).load_table(("facts", "v_sessions")).scan().to_arrow()
    assert rows.num_rows == 2
    assert cli("fleet", "build", URL, "--verify").status == 0
