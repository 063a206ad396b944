"""The second opinion: asked only where it is wanted, about what git does not have, and never repeating a secret."""

import sys

import pytest

from linetrail.ledger.log import segments
from linetrail.ledger.repository import find
from linetrail.queries.record import leaks
from linetrail.queries.record.leaks import OFF, REFUSE, WARN, LeaksMissingError
from tests.story import Story

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def told(repo):
    """Return a function that records one command after another."""
    repo.start_ledger()
    story = Story()

    def tell(command):
        story.tell("tool.requested", {"tool_name": "Bash", "operation": "shell", "command": command})
        story.written(repo.path)

    return tell


@pytest.mark.parametrize(
    ("shared", "own", "expected"),
    [
        pytest.param(None, None, OFF, id="nothing said"),
        pytest.param("leaks: refuse\n", None, REFUSE, id="for everybody"),
        pytest.param("leaks: refuse\n", "leaks: warn\n", WARN, id="on this machine otherwise"),
        pytest.param("leaks: refuse\n", "leaks: off\n", OFF, id="off on this machine"),
        pytest.param("leaks: [\n", None, OFF, id="no YAML"),
        pytest.param("leaks: perhaps\n", None, OFF, id="a word nobody knows"),
    ],
)
def test_the_configuration_says_whether_it_is_asked(repo, shared, own, expected):
    folder = repo.start_ledger()
    for name, text in (("config.yaml", shared), ("config.local.yaml", own)):
        if text is not None:
            (folder / name).write_text(text)

    assert leaks.wanted(find(str(repo.path))) == expected


def test_a_leak_is_told_by_event_field_and_rule(repo, told):
    pytest.importorskip("betterleaks", reason="needs the extra: pip install 'linetrail[leaks]'")
    told(f"deploy {TOKEN}")

    (leak,) = leaks.found(b"".join(repo.lines()))

    assert leak == (repo.events("tool.requested")[0].id, 1, "data.command", "github-pat")
    assert TOKEN not in repr(leak)


def test_what_hooks_wrote_holds_no_leak(repo, agent):
    pytest.importorskip("betterleaks", reason="needs the extra: pip install 'linetrail[leaks]'")
    session = agent()
    session.prompt(f"use {TOKEN}")
    session.write("a.py", f"token = '{TOKEN}'\n")
    session.bash(f"echo {TOKEN}")

    assert leaks.found(b"".join(repo.lines())) == []


@pytest.mark.slow
def test_only_what_git_does_not_have_is_looked_at(repo, cli, told):
    told("first")
    assert cli("seal").status == 0
    repo.git("add", "--force", ".orchestration/segments")
    told("second")

    looked_at = b"".join(leaks.leaving(find(str(repo.path))))

    assert b'"second"' in looked_at
    assert b'"first"' not in looked_at


def test_a_segment_that_was_sealed_and_not_staged_is_looked_at(repo, cli, told):
    told("first")
    assert cli("seal").status == 0

    assert b'"first"' in b"".join(leaks.leaving(find(str(repo.path))))


@pytest.mark.slow
def test_where_it_is_wanted_and_missing_the_way_to_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "betterleaks", None)

    with pytest.raises(LeaksMissingError) as caught:
        leaks.found(b"{}\n")

    assert caught.value.hint == "pip install 'linetrail[leaks]'"


@pytest.mark.parametrize(
    ("wanted", "options", "status", "sealed"),
    [
        pytest.param("refuse", (), 1, 0, id="refused"),
        pytest.param("refuse", ("--no-leaks",), 0, 1, id="sealed all the same"),
        pytest.param("warn", (), 0, 1, id="said and sealed"),
    ],
)
def test_what_looks_like_a_secret_is_said_before_it_is_sealed(repo, cli, told, wanted, options, status, sealed):
    pytest.importorskip("betterleaks", reason="needs the extra: pip install 'linetrail[leaks]'")
    told(f"deploy {TOKEN}")
    (repo.start_ledger() / "config.yaml").write_text(f"leaks: {wanted}\n")

    answer = cli("seal", *options, "--json")

    assert answer.status == status
    assert len(segments.names(str(repo.start_ledger()))) == sealed
    assert ("github-pat" in answer.err) == (not options)
    assert TOKEN not in answer.err + answer.out
