"""An answer over a damaged ledger says so each time, whatever is kept in the cache, until the ledger is mended."""

import os
import shutil
import time
import warnings

import pytest

import linetrail as library
from linetrail.ledger.errors import DamageWarning
from linetrail.ledger.files import SETTLED_NS
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

ASKED = [
    ("blame", "src/a.py"),
    ("log",),
    ("why", "src/a.py:1"),
    ("status",),
    ("stats",),
    ("sql", "@integrity", "--json"),
    ("ask", "what was changed"),
]


def altered(file, change):
    """Change a file in place, and give it back the time that it had."""
    status = file.stat()
    content = change(file.read_bytes())
    with file.open("r+b") as opened:
        opened.write(content)
        opened.truncate()
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def renamed(content):
    return content.replace(b"a.py", b"A.py", 1)


def cut_short(content):
    return content[:-200]


def without_line(at):
    def change(content):
        lines = content.splitlines(keepends=True)
        del lines[at]
        return b"".join(lines)

    return change


# What is done to the first segment, to the newest, or to the tail.
DAMAGES = [
    pytest.param(0, renamed, id="a segment changed, its size and time as before"),
    pytest.param(1, cut_short, id="the newest segment cut short", marks=pytest.mark.soak),
    pytest.param(0, None, id="a segment gone that another goes on from", marks=pytest.mark.soak),
    pytest.param(1, None, id="the newest segment gone"),
    pytest.param(2, renamed, id="a line in the middle of the tail changed", marks=pytest.mark.soak),
    pytest.param(2, without_line(1), id="a line in the middle of the tail taken out", marks=pytest.mark.soak),
    pytest.param(2, without_line(-1), id="the last line of the tail taken out"),
]


@pytest.fixture
def files(repo, agent):
    """Return the first of two segments, the newest, and the tail, of a ledger that was committed."""
    session = agent()
    repo.write(".orchestration/.gitignore", "agent_trace.jsonl\ncache/\nstate/\nobjects/\n")
    made = []
    for number in range(3):
        session.prompt(f"write {number}")
        session.write("src/a.py", "".join(f"x{line} = {number}\n" for line in range(number + 2)))
        if number < 2:
            made += Ledger(find(str(repo.path))).seal()
            repo.commit()
    session.write("src/b.py", "y = 1\n")
    folder = repo.path / ".orchestration"
    first, newest = [folder / "segments" / f"{segment.name}.jsonl" for segment in made]
    return first, newest, folder / "agent_trace.jsonl"


def ask(cli, damaged=None, *, commands=ASKED):
    """Ask, and make sure that each answer tells of this file, or of none."""
    for asked in commands:
        answer = cli(*asked)
        told = [line for line in answer.err.splitlines() if line.startswith("error:")]
        assert (asked, answer.status, bool(told)) == (asked, 3 if damaged else 0, damaged is not None)
        assert all(line.startswith(f"error: {damaged}: offset ") for line in told)
        if "@integrity" in asked:
            assert all(row["chain_ok"] for row in answer.rows) == (damaged is None)


@pytest.mark.promise("T1")
@pytest.mark.parametrize(("which", "change"), DAMAGES)
def test_every_answer_says_that_the_ledger_is_damaged_until_it_is_mended(repo, cli, files, which, change):
    time.sleep(2 * SETTLED_NS / 1e9)  # what is read from now on is remembered
    ask(cli)
    damaged, content = files[which], files[which].read_bytes()

    if change is None:
        damaged.unlink()
    else:
        altered(damaged, change)

    ask(cli, damaged)
    ask(cli, damaged)
    shutil.rmtree(repo.path / ".orchestration" / "cache")
    ask(cli, damaged, commands=ASKED[:2])
    damaged.write_bytes(content)
    ask(cli, commands=ASKED[:2])


def test_what_is_recorded_behind_a_damage_does_not_hide_it(repo, cli, files, agent):
    assert cli("log").status == 0
    altered(files[2], renamed)

    agent("session-2").write("src/c.py", "z = 1\n")

    assert [cli("log").status, cli("log").status] == [3, 3]


def test_a_branch_with_other_segments_is_no_damage(repo, cli, files):
    repo.git("checkout", "--quiet", "--force", "--detach", "HEAD~1")
    assert not files[1].exists()

    answers = [cli("log"), cli("log")]
    assert [(answer.status, answer.err) for answer in answers] == [(0, "")] * 2
    files[0].unlink()
    assert cli("log").status == 3


def test_the_library_warns_of_damage_each_time(repo, files):
    altered(files[0], renamed)

    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            library.blame(str(repo.path), "src/a.py")
        assert {type(warning.message) for warning in caught} == {DamageWarning}
