"""The server as a person starts it: a process, spoken to over a socket, byte by byte."""

import contextlib
import functools
import http.client
import json
import signal
import subprocess
import time
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import pytest

from tests.conftest import Repo, command
from tests.gated import REGISTRY
from tests.ledger.adapters.dialect import EVERY_AGENT
from tests.ledger.adapters.dialects import DIALECTS
from tests.ledger.adapters.test_end_to_end import Spoken
from tests.queries import rich

SECONDS, PAUSE_SECONDS = 120, 0.2
ALL = REGISTRY.replace("    owned_scope: [src/billing/**]", "    approval: all\n    owned_scope: [src/billing/**]")
TOTAL = "src/billing/total.py"


class Reply(NamedTuple):
    """What the server answered."""

    status: int
    headers: dict
    body: str


class Page:
    """A running `linetrail serve`, and a browser's cookie for it."""

    def __init__(self, folder, *options):
        self.folder = folder
        self.process = subprocess.Popen(
            [command("linetrail"), "-C", str(folder), "serve", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.address = self.process.stdout.readline().strip()
        self.port = urlsplit(self.address).port
        self.host = f"127.0.0.1:{self.port}"
        self.cookie = None

    @property
    def entrance(self):
        """The path with the key that is used once."""
        return self.address.partition(self.host)[2]

    def enter(self):
        self.cookie = self.request(self.entrance).headers["set-cookie"].partition(";")[0]
        return self

    def request(self, path, method="GET", **headers):
        """Send one request, again until what is worked out is there; a header that is None is left out."""
        while (reply := self.request_once(path, method, **headers)).status == HTTPStatus.ACCEPTED:
            time.sleep(PAUSE_SECONDS)
        return reply

    def request_once(self, path, method, **headers):
        told = {"Host": self.host, "Cookie": self.cookie} | {
            key.replace("_", "-"): value for key, value in headers.items()
        }
        body = told.pop("body", "")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in told.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body.encode())
        answer = connection.getresponse()
        reply = Reply(answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read().decode())
        connection.close()
        return reply

    def first_line(self, path, **headers):
        """Return the first line of a stream that says something."""
        told = {"Host": self.host, "Cookie": self.cookie} | {key.replace("_", "-"): headers[key] for key in headers}
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)) as connection:
            connection.request("GET", path, headers=told)
            with connection.getresponse() as answer:
                assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
                lines = (line.decode().strip() for line in iter(answer.readline, b""))
                return next(line for line in lines if line and not line.startswith(":"))

    def see(self, view, **options):
        """Return a view as HTML."""
        return self.request("?".join(filter(None, [f"/{view}", self.query(options)])))

    def rows(self, view, **options):
        """Return a view as its document."""
        reply = self.request("?".join(filter(None, [f"/{view}.json", self.query(options)])))
        assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
        return json.loads(reply.body)

    @functools.cached_property
    def code(self):
        """The code that an answer needs, as the terminal shows it."""
        return next(line.split()[-1] for line in self.process.stderr if " code " in line)

    def answer(self, told, **headers):
        """Send an answer as a script of the page does; a header that is None is left out."""
        body = told if isinstance(told, str) else json.dumps(told)
        own = {"Content_Type": "application/json", "Sec_Fetch_Site": "same-origin", "Origin": f"http://{self.host}"}
        return self.request("/answer", "POST", body=body, Content_Length=str(len(body.encode())), **own | headers)

    def end(self):
        """Interrupt the server, as Ctrl-C does; return its status and what it said."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out, err

    def kill(self):
        """End it in whatever it does."""
        self.process.kill()
        self.process.communicate()

    @staticmethod
    def query(options):
        return "&".join(f"{name}={quote(str(value), safe='')}" for name, value in options.items())


@pytest.fixture
def page(repo):
    """Return a function that serves the repository."""
    started = []

    def start(*options):
        started.append(Page(repo.path, *options))
        return started[-1]

    yield start
    for one in started:
        one.kill()


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """Return a server, entered, of a repository in which something of everything happened; tests only read it."""
    repo = Repo(tmp_path_factory.mktemp("told") / "project")
    rich.tell(repo)
    server = Page(repo.path).enter()
    yield server
    server.kill()


@pytest.fixture
def asking(repo, hook, cli):
    """An agent without a dialog of its own, which asked to write a file and was told to wait."""
    repo.commit(files={"src/billing/invoice.py": "TOTAL = 1\n"})
    repo.start_ledger()
    repo.write(".orchestration/config.yaml", EVERY_AGENT)
    repo.write(".orchestration/active_intents.yaml", ALL)
    assert cli("select", "INT-001", "--session", "session-1").status == 0
    spoken = Spoken(repo, hook, DIALECTS["codex"])
    assert "APPROVAL_PENDING" in spoken.reason(spoken.before(TOTAL))
    return spoken


@pytest.fixture
def answering(asking, page):
    """A server on which that agent can be answered, entered."""
    return page("--allow-answers").enter()
