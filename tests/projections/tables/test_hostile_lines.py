"""No line, however hostile, bricks or falsifies anything, and what both readers accept they read the same.

JSON readers disagree about duplicate keys, huge numbers, halves of characters, deep nesting and more. So Python is
strict, DuckDB sees only what Python let pass, and a third reader (jq) is asked whether the two are right.
"""

import contextlib
import json
import random
import shutil
import subprocess
import time
from collections.abc import Iterator

import duckdb
import pytest

from linetrail.ledger.errors import EventError, IntegrityError
from linetrail.ledger.event.event import (
    GENESIS,
    MAX_INT,
    TYPES,
    Agent,
    Event,
    derived_id,
    from_line,
    line_digest,
    rfc3339,
    to_line,
)
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Vcs, find
from linetrail.projections.tables import models
from linetrail.projections.tables.parquet import OFFLINE

pytestmark = pytest.mark.in_turn

START_NS = 1_767_600_000_123_456_789


def an_event(at, data=None):
    return Event(
        id=derived_id(START_NS + at, str(at)),
        timestamp=rfc3339(START_NS + at),
        type="agent.signalled",
        session_id="s1",
        agent=None,
        contributor="unknown",
        intent_id=None,
        vcs=None,
        data={"signal": "Stop", "detail": None} if data is None else data,
    )


def in_data(value):
    """Put something that is no JSON, or not ours, where a value of the data stands."""
    return lambda line: line.replace(b'"Stop"', value)


def replaced(old, new):
    return lambda line: line.replace(old, new, 1)


HOSTILE = {
    "a key twice": replaced(b'"type":', b'"type":"x","type":'),
    "a key twice, once escaped": replaced(b'"type":', b'"typ\\u0065":"x","type":'),
    "a key twice in the data": in_data(b'"Stop","signal":"Go"'),
    "a key twice, deep": in_data(b'{"a":[{"b":1,"b":2}]}'),
    "trailing comma": replaced(b"}}\n", b"},}\n"),
    "trailing comma in a list": in_data(b"[1,]"),
    "half a surrogate pair": in_data(b'"\\ud800"'),
    "halves in the wrong order": in_data(b'"\\udc00\\ud800"'),
    "half a pair in a key": in_data(b'{"\\ud800":1}'),
    "half a pair as bytes": in_data(b'"\xed\xa0\x80"'),
    "129 levels": in_data(b"[" * 129 + b"]" * 129),
    "33 levels": in_data(b'{"a":' * 33 + b"1" + b"}" * 33),
    "10,000 levels": in_data(b"[" * 10_000 + b"]" * 10_000),
    "30,000 open brackets": in_data(b"[" * 30_000),
    "NaN": in_data(b"NaN"),
    "Infinity": in_data(b"-Infinity"),
    "a float": in_data(b"1.7"),
    "a whole float": in_data(b"1.0"),
    "an exponent": in_data(b"1e3"),
    "minus zero": in_data(b"-0.0"),
    "2^53": in_data(b"9007199254740992"),
    "an integer of 4,000 digits": in_data(b"9" * 4_000),
    "an integer of 5,000 digits": in_data(b"9" * 5_000),
    "a leading zero": in_data(b"01"),
    "a leading plus": in_data(b"+1"),
    "a hexadecimal number": in_data(b"0x10"),
    "a comment": in_data(b'"Stop" /* really */'),
    "single quotes": in_data(b"'Stop'"),
    "a raw tab in a text": in_data(b'"a\tb"'),
    "an unknown escape": in_data(b'"\\x41"'),
    "half an escape": in_data(b'"\\u12"'),
    "a byte that is no UTF-8": in_data(b'"\xff"'),
    "an overlong NUL": in_data(b'"\xc0\x80"'),
    "Latin-1": in_data('"é"'.encode("latin-1")),
    "a key beyond ASCII": in_data('{"clé":1}'.encode()),
    "a byte order mark": lambda line: b"\xef\xbb\xbf" + line,
    "ended by a carriage return alone": lambda line: line[:-1] + b"\r" + line,
    "a carriage return, then a line that follows": lambda line: b"{}\r" + line,
    "ended as on Windows": lambda line: line[:-1] + b"\r\n",
    "a carriage return between tokens": replaced(b',"data"', b',\r"data"'),
    "glued to another": lambda line: line[:-1] + line,
    "half a line": lambda line: line[:70] + b"\n",
    "an empty line": lambda _: b"\n",
    "white space": lambda _: b" \t \n",
    "ours": lambda _: b"<<<<<<< HEAD\n",
    "the middle": lambda _: b"=======\n",
    "theirs": lambda _: b">>>>>>> topic\n",
    "a list": lambda line: b"[" + line[:-1] + b"]\n",
    "a text": lambda _: b'"v"\n',
    "null": lambda _: b"null\n",
    "an empty object": lambda _: b"{}\n",
    "no data": lambda line: line[: line.index(b',"data"')] + b"}\n",
    "data that is none": replaced(b'"data":{', b'"data":null,"x":{'),
    "one field more": replaced(b'"data":', b'"x":1,"data":'),
    "another order": lambda line: json.dumps(dict(reversed(json.loads(line).items()))).encode() + b"\n",
    "a number as text": replaced(b'"seq":', b'"seq":"4","x":'),
    "true as a number": lambda line: line.replace(b'"seq":4,', b'"seq":true,'),
    "a version that never was": replaced(b'{"v":1', b'{"v":0'),
    "a version as text": replaced(b'{"v":1', b'{"v":"1"'),
    "an agent with more": replaced(b'"agent":null', b'"agent":{"name":"a","shoe":1}'),
    "an agent without a name": replaced(b'"agent":null', b'"agent":{}'),
    "an agent whose name is a list": replaced(b'"agent":null', b'"agent":{"name":["a"]}'),
    "a number for a branch": replaced(b'"vcs":null', b'"vcs":{"type":"git","revision":null,"branch":7}'),
    "a text for yes": replaced(b'"vcs":null', b'"vcs":{"type":"git","revision":null,"branch":null,"dirty":"yes"}'),
    "a list for an agent": replaced(b'"agent":null', b'"agent":["a"]'),
    "20 MB": in_data(b'"' + b"x" * 20_000_000 + b'"'),
    "one byte too long": lambda line: line.replace(b"Stop", b"x" * (65_537 - len(line) + 4)),
    "a number out of order": replaced(b'"seq":4', b'"seq":5'),
    "another line before": replaced(b'"prev":"', b'"prev":"0'),
    "the line before again": lambda line: line.replace(b'"seq":4', b'"seq":3'),
}
# No line holds a NUL: where one is, a write never reached the disk.
HOLES = {
    "a raw NUL in a text": in_data(b'"a\0b"'),
    "UTF-16": lambda line: line.decode().encode("utf-16-le").replace(b"\n", b"\r") + b"\n",
    "a hole of NULs before it": lambda line: b"\0" * 4_096 + line,
    "nothing but NULs": lambda _: b"\0" * 4_096 + b"\n",
}


@pytest.fixture
def ledger(repo):
    """Return a ledger with three events."""
    repo.start_ledger()
    ledger = Ledger(find(str(repo.path)))
    ledger.append([an_event(at) for at in range(3)])
    return ledger


def damaged(ledger, hostile):
    """Put a hostile line behind the last, and one behind it that is as it must be; return where it begins."""
    head = ledger.head()
    good = to_line(an_event(3), head.seq + 1, head.digest)
    bad = hostile(good)
    assert bad != good
    after = to_line(an_event(4), head.seq + 2, line_digest(bad))
    with open(ledger.path, "ab") as file:
        file.write(bad + after)
    return head.size


def is_readable(line):
    try:
        from_line(line)
    except EventError:
        return False
    return True


each_hostile_line = pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)


@pytest.mark.daily(34)
@pytest.mark.promise("P3")
@each_hostile_line
def test_a_hostile_line_is_named_with_its_place_and_those_before_it_are_read(ledger, hostile):
    offset = damaged(ledger, hostile)

    found = list(ledger.problems())
    read = []
    with pytest.raises(IntegrityError) as stop:
        read.extend(line.event.id for line in ledger.read())

    assert (found[0].file, found[0].offset) == (ledger.path, offset)
    assert (stop.value.file, stop.value.offset) == (ledger.path, offset)
    assert read == [an_event(at).id for at in range(3)]


@pytest.mark.daily(33)
@pytest.mark.promise("P3")
@each_hostile_line
def test_an_append_behind_a_hostile_line_changes_no_byte_and_hides_nothing(repo, ledger, hostile):
    tail = repo.path / ".orchestration" / "agent_trace.jsonl"
    head = ledger.head()
    with tail.open("ab") as file:
        file.write(hostile(to_line(an_event(3), head.seq + 1, head.digest)))
    before = tail.read_bytes()

    # Whoever appends looks at little of the end: a line that opens as it must, or only does not follow, stays unseen.
    with contextlib.suppress(IntegrityError):
        ledger.append([an_event(5)])

    assert tail.read_bytes().startswith(before)
    assert next(ledger.problems()).offset == head.size


@pytest.mark.promise("P3")
@pytest.mark.parametrize("hole", HOLES.values(), ids=HOLES)
def test_what_a_power_cut_left_is_moved_aside_with_its_place(repo, ledger, hole):
    tail = repo.path / ".orchestration" / "agent_trace.jsonl"
    offset = damaged(ledger, hole)
    left = tail.read_bytes()[offset:]
    assert [line.event.id for line in ledger.read()] == [an_event(at).id for at in range(3)]

    ledger.append([an_event(5)])

    *_, repaired, added = repo.events()
    assert (repaired.type, repaired.data["offset"], added.id) == ("ledger.repaired", offset, an_event(5).id)
    assert (repo.path / ".orchestration" / repaired.data["quarantined"]).read_bytes() == left


@pytest.mark.promise("P3")
@pytest.mark.parametrize(
    "each",
    [pytest.param(3, id="every third", marks=pytest.mark.slow), pytest.param(1, id="all", marks=pytest.mark.soak)],
)
def test_no_hostile_line_reaches_duckdb_or_ends_in_a_traceback(repo, ledger, cli, figure, each):
    whole = (repo.path / ".orchestration" / "agent_trace.jsonl").read_bytes()
    wrong, tried = [], list(HOSTILE.items())[::each]
    for name, hostile in tried:
        (repo.path / ".orchestration" / "agent_trace.jsonl").write_bytes(whole)
        offset = damaged(ledger, hostile)
        verified = cli("verify", "--json")
        if (verified.status, verified.rows[0]["offset"]) != (3, offset):
            wrong.append((name, "verify", verified))
        asked = cli("sql", "--json", "select count(*) as events from v_events")
        if asked.status not in (0, 3) or (asked.status == 0 and asked.rows != [{"events": 3}]):
            wrong.append((name, "sql", asked))
        if "Traceback" in asked.err + verified.err or f"offset {offset}" not in asked.err:
            wrong.append((name, "message", asked))

    assert wrong == []
    figure(f"{len(tried)} of {len(HOSTILE)} hostile lines named with file and offset, 0 reached DuckDB")


# Python, DuckDB and jq on lines that are written, or read, as good


WORDS = (
    "a", "Stop", "src/totals.py", "", " ", "é", "e\u0301", "😀", "\u2028", "\u2029", "\x00", "\x7f", "\u0085", "\ufeff",
    "\ufffe", "\uffff", "\U0010ffff", '"', "\\", "/", "\n", "\r\n", "\t", "\x1b[31m", "null", "true", "1.5", "1e999",
    "{}", "[]", "$.a", "-0", "日本語", "a" * 300,
)  # fmt: skip
KEYS = ("a", "path", "files", "hunks", "", " ", "a.b", "$", "0", '"', "\\", "\n", "\x7f", "a" * 50, "data", "v")
NUMBERS = (0, 1, -1, 2**31, -(2**31), 2**32, MAX_INT, -MAX_INT, MAX_INT - 1)


def a_value(random, depth=0):
    kind = random.randrange(8 if depth < 4 else 5)
    if kind == 0:
        return random.choice((None, True, False))
    if kind == 1:
        return random.choice(NUMBERS) if random.random() < 0.5 else random.randint(-MAX_INT, MAX_INT)
    if kind < 5:
        return "".join(random.choices(WORDS, k=random.randrange(4)))
    if kind == 5:
        return [a_value(random, depth + 1) for _ in range(random.randrange(4))]
    return {random.choice(KEYS): a_value(random, depth + 1) for _ in range(random.randrange(4))}


def a_text(random):
    return "".join(random.choices(WORDS, k=random.randrange(1, 3)))


def some_event(random, at):
    data = {
        "text": a_text(random),
        "number": random.choice((None, random.randint(-MAX_INT, MAX_INT))),
        "flag": random.choice((None, True, False)),
        "list": [a_text(random) for _ in range(random.randrange(3))],
        "any": a_value(random),
    }
    return Event(
        id=derived_id(START_NS + at, str(at)),
        timestamp=rfc3339(random.randrange(2**60)),
        type=random.choice(sorted(TYPES)),
        session_id=random.choice((None, a_text(random))),
        agent=random.choice((None, Agent(a_text(random), random.choice((None, "1")), a_text(random)))),
        contributor=random.choice(("ai", "human", "unknown")),
        intent_id=random.choice((None, "INT-001", a_text(random))),
        vcs=random.choice((None, Vcs("git", a_text(random), None, random.choice((None, True, False))))),
        data=data,
    )


def disguised(random, line):
    """Write a line as another program might: other escapes, white space, a carriage return, a flipped byte."""
    way = random.randrange(6)
    if way == 0:
        return json.dumps(json.loads(line)).encode() + b"\n"
    if way == 1:
        return json.dumps(json.loads(line), ensure_ascii=False, separators=(" ,\t", ":  ")).encode() + random.choice(
            (b"\n", b"\r\n", b" \t\n")
        )
    if way == 2:
        return line.replace(b"/", b"\\/").replace(b"S", b"\\u0053")
    at = random.randrange(len(line) - 1)
    if way == 3:
        return line[:at] + bytes([random.randrange(256)]) + line[at + 1 :]
    if way == 4:
        return line[:at] + random.choice((b"", b'"', b",", b"}", b"\\", b"0", b".", b" ", b"\r")) + line[at:]
    return line[:at] + line[at + random.randrange(1, 4) : -1] + b"\n"


def accepted(count, seed) -> Iterator[bytes]:
    """Yield lines that our writer made, and lines in disguise that our reader takes all the same."""
    source = random.Random(seed)
    made = 0
    while made < count:
        line = to_line(some_event(source, made), made + 1, GENESIS)
        if made % 2:
            line = disguised(source, line)
            if line.count(b"\n") > 1 or not is_readable(line):
                continue
        made += 1
        yield line


def by_python(line):
    event = from_line(line)
    return {
        "position": event.seq,
        "event_id": event.id,
        "schema_version": event.v,
        "prev_hash": event.prev,
        "event_type": event.type,
        "session_id": event.session_id,
        "agent": event.agent and event.agent._asdict(),
        "contributor_type": event.contributor,
        "intent_id": event.intent_id,
        "vcs": event.vcs and event.vcs._asdict(),
        "payload": event.data,
        "data": {name: event.data.get(name) for name in ("text", "number", "flag", "list")},
    }


def is_of_its_kinds(data):
    """Tell whether the data is of the types it is asked for; DuckDB makes others fit, and that is what it should."""
    number, flag, texts = data["number"], data["flag"], data["list"] or []
    return (
        type(data["text"]) in (str, type(None))
        and type(number) in (int, type(None))
        and type(flag) in (bool, type(None))
        and isinstance(texts, list)
        and all(isinstance(text, str) for text in texts)
    )


def by_duckdb(path) -> Iterator[dict[str, object]]:
    """Yield what the model that reads the ledger makes of the lines, and what the facts take out of the data."""
    (model,) = (model for model in models.facts() if model.name == "ledger")
    taken = '{"text": "VARCHAR", "number": "BIGINT", "flag": "BOOLEAN", "list": ["VARCHAR"]}'
    with duckdb.connect(config=dict(OFFLINE)) as connection:
        connection.execute(f"create temp table ledger as {model.sql}", {"lines": [str(path)], "bases": [0]})
        asked = connection.execute(f"select *, json_transform(payload, '{taken}') as data from ledger order by rowid")
        names = [column[0] for column in asked.description]
        while rows := asked.fetchmany(10_000):
            for row in rows:
                yield dict(zip(names, row, strict=True))


def by_jq(path) -> Iterator[dict[str, object]]:
    with subprocess.Popen(["jq", "--compact-output", ".", str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield from map(json.loads, process.stdout)


def differences(lines, path):
    """Return the lines that the readers do not read the same."""
    path.write_bytes(b"".join(lines))
    wrong = []
    rows = by_duckdb(path)
    others = by_jq(path) if shutil.which("jq") else None
    for line in lines:
        python = by_python(line)
        row = next(rows)
        row["payload"] = json.loads(str(row["payload"]))
        if not is_of_its_kinds(python["data"]):
            row["data"] = python["data"]
        if {name: row[name] for name in python} != python:
            wrong.append((line, {name: (row[name], python[name]) for name in python if row[name] != python[name]}))
        if others is not None and next(others) != json.loads(line):
            wrong.append((line, "jq"))
    assert next(rows, None) is None
    return wrong


@pytest.mark.promise("P4")
def test_what_python_accepts_duckdb_and_jq_read_the_same(tmp_path, figure):
    lines = list(accepted(4_000, seed=4))

    wrong = differences(lines, tmp_path / "lines")

    assert wrong[:3] == []
    figure(f"{len(lines):,} lines, 0 read differently")


@pytest.mark.fault
@pytest.mark.promise("P4")
def test_a_million_lines_are_read_the_same(tmp_path, figure):
    seed = int(time.time())
    count = 0
    for part in range(50):
        lines = list(accepted(20_000, seed + part))
        wrong = differences(lines, tmp_path / "lines")
        assert wrong[:3] == [], f"seed {seed + part}"
        count += len(lines)
    figure(f"{count:,} lines, 0 read differently (seed {seed})")
