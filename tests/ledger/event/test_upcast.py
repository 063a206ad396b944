"""What an older version wrote stays readable for ever: the same events, and the same answers, as on the first day."""

import json
import shutil
from pathlib import Path

import pytest

from linetrail.ledger.errors import FutureLedgerError
from linetrail.ledger.event import event, upcast
from linetrail.ledger.event.event import TYPES, VERSION, from_line
from linetrail.ledger.event.schema import problems
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find

FIXTURES = Path(__file__).parents[2] / "fixtures" / "ledgers"
RELEASED = range(1, VERSION + 1)
FILE = "src/totals.py"
LOG = ("event_id", "seq", "timestamp", "type", "session_id", "agent_name", "intent_id", "path", "verdict")
BLAME = (
    "line_no",
    "text",
    "contributor_type",
    "mixed",
    "agent_name",
    "model_id",
    "session_id",
    "intent_id",
    "event_id",
)
TABLES = ("events", "sessions", "prompts", "tool_calls", "verdicts", "mutations", "intents", "decisions", "token_usage")

each_version = pytest.mark.parametrize("version", RELEASED, ids=lambda version: f"v{version}")


@pytest.fixture
def old(repo):
    """Return a function that puts the ledger of a version, and the file it tells of, into the repository."""

    def put(version):
        folder = FIXTURES / f"v{version}"
        shutil.copytree(folder, repo.start_ledger(), dirs_exist_ok=True)
        repo.write(FILE, (folder / "totals.txt").read_bytes())
        return folder

    return put


def lines(folder):
    for path in [*sorted((folder / "segments").glob("*.jsonl")), folder / "agent_trace.jsonl"]:
        yield from path.read_bytes().splitlines(keepends=True)


def text(value):
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


@pytest.mark.promise("P5")
@each_version
def test_every_version_has_a_ledger_with_all_it_could_say(version):
    stored = list(lines(FIXTURES / f"v{version}"))

    assert {json.loads(line)["v"] for line in stored} == {version}
    if version == VERSION:
        assert {from_line(line).type for line in stored} == TYPES, "python tools/make_old_ledger.py"
        assert [problems(line) for line in stored] == [[]] * len(stored)


@pytest.mark.promise("P5")
def test_every_version_but_the_last_has_a_step_to_the_next():
    assert set(upcast.STEPS) == set(RELEASED) - {VERSION}


@pytest.mark.promise("P5")
@each_version
def test_an_old_ledger_is_read_as_it_always_was(repo, old, golden, version):
    folder = old(version)

    read = [line.event._replace(v=version)._asdict() for line in Ledger(find(repo.path)).read()]

    golden(folder / "golden" / "events.json", text(read))


@pytest.mark.slow
@pytest.mark.promise("P5")
@each_version
def test_an_old_ledger_gives_the_answers_it_always_gave(cli, old, golden, version):
    folder = old(version)

    answers = {
        "verify": cli("verify").status,
        "log": [{name: row[name] for name in LOG} for row in cli("log", "--json", "-n", "1000").rows],
        "blame": [{name: row[name] for name in BLAME} for row in cli("blame", "--json", FILE).rows],
        "rows": {name: cli("sql", "--json", f"select count(*) as n from v_{name}").rows[0]["n"] for name in TABLES},
    }

    golden(folder / "golden" / "answers.json", text(answers))


def test_an_event_takes_every_step_to_the_present_version_once(monkeypatch):
    old = next(lines(FIXTURES / "v1"))
    monkeypatch.setattr(event, "VERSION", 3)
    steps = {
        1: lambda record: record | {"v": 2, "type": record["type"] + "+2"},
        2: lambda record: record | {"v": 3, "type": record["type"] + "+3"},
    }
    monkeypatch.setattr(upcast, "STEPS", steps)

    read = from_line(old)

    assert (read.v, read.type) == (3, "ledger.sealed+2+3")


def test_what_a_step_makes_is_judged_like_any_line(monkeypatch):
    old = next(lines(FIXTURES / "v1"))
    monkeypatch.setattr(event, "VERSION", 2)
    monkeypatch.setattr(upcast, "STEPS", {1: lambda record: record | {"v": 2, "more": 1}})

    with pytest.raises(event.EventError, match="fields missing, unknown or out of order"):
        from_line(old)


@pytest.mark.parametrize("version", [VERSION + 1, 2**53 - 1])
def test_an_event_of_the_future_is_refused_with_the_way_out(version):
    line = next(lines(FIXTURES / f"v{VERSION}")).replace(b'{"v":%d' % VERSION, b'{"v":%d' % version, 1)

    with pytest.raises(FutureLedgerError):
        from_line(line)
