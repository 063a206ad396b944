"""`linetrail lesson`: the ledger remembers, AGENT.md follows, a person promotes and forgets."""

import time

import pytest

from linetrail.ledger.event.event import new_id
from linetrail.ledger.knowledge import lessons, marked_part
from linetrail.ledger.knowledge.lesson import event_data, from_demand
from linetrail.ledger.knowledge.lessons import from_denial, learn
from linetrail.ledger.repository import find
from linetrail.queries.setup.promotion import demote, promote
from tests.story import Story

INTENTS = """\
active_intents:
  - {id: INT-1, name: Round, status: IN_PROGRESS, owned_scope: ["src/**"]}
  - {id: INT-2, name: Other, status: IN_PROGRESS, owned_scope: ["lib/**"]}
"""


@pytest.fixture
def agent_md(repo):
    repo.start_ledger()
    repo.write(".orchestration/active_intents.yaml", INTENTS)
    return repo.path / ".orchestration" / "AGENT.md"


def refused(repo, *places):
    """Let refusals teach, as the hook does: the event, then the file."""
    story, project = Story(), find(str(repo.path))
    for path, intent in places:
        lesson = from_denial("OUT_OF_SCOPE", path, intent, "outside")
        event = story.tell("lesson.recorded", event_data(lesson), intent=intent)
        story.events[-1] = event._replace(id=new_id(time.time_ns()))
        learn(project, lesson)
    story.written(repo.path)


def added(cli, *args):
    (row,) = cli("lesson", "add", *args, "--json").rows
    return row


def test_a_lesson_is_recorded_listed_and_in_the_file(repo, cli, agent_md):
    lesson = added(cli, "Round late. Totals are sums of exact amounts.", "--path", "src/", "--intent", "INT-1")

    assert lesson == {
        "lesson_id": lesson["lesson_id"],
        "title": "Round late.",
        "body": "Totals are sums of exact amounts.",
        "source": "demand",
        "code": None,
        "path": "src/**",
        "intent_ids": ["INT-1"],
        "times": 1,
        "resolution": None,
        "pattern": None,
    }
    (event,) = repo.events("lesson.recorded")
    assert (event.contributor, event.intent_id, event.data["path"]) == ("human", "INT-1", "src/**")
    assert cli("lesson", "list", "--json").rows == [lesson]
    assert "- **Round late.** Totals are sums of exact amounts. [" in agent_md.read_text()


@pytest.mark.slow
def test_saying_it_twice_counts(repo, cli, agent_md):
    cli("lesson", "add", "Round late")

    assert cli("lesson", "add", "round  LATE").out.splitlines()[0].endswith("was known, 2 times now: round LATE")
    assert [row["times"] for row in cli("lesson", "list", "--json").rows] == [2]
    assert cli("sql", "@lessons", "--json").rows[0]["times"] == 2


@pytest.mark.slow
def test_only_what_applies_to_an_intent_is_listed(repo, cli, agent_md):
    refused(repo, ("lib/a.py", "INT-1"), ("src/b.py", "INT-9"), ("doc/c.md", "INT-9"))
    cli("lesson", "add", "Everybody")

    assert [row["path"] for row in cli("lesson", "list", "--intent", "INT-1", "--json").rows] == [
        "lib/a.py",
        "src/b.py",
        None,
    ]
    assert cli("lesson", "list", "--intent", "INT-404").status == 1


@pytest.mark.slow
def test_the_file_comes_back_from_the_ledger_byte_for_byte(repo, cli, agent_md):
    refused(repo, *[(f"src/{name}.py", "INT-1") for name in "abcab"], ("x.py", "INT-2"), ("src/deep/d.py", "INT-2"))
    cli("lesson", "add", "Round late")
    before = agent_md.read_bytes()
    assert cli("lesson", "rebuild", "--check").status == 0

    agent_md.unlink()

    assert cli("lesson", "rebuild", "--check").status == 1
    assert cli("lesson", "rebuild").status == 0
    assert agent_md.read_bytes() == before
    agent_md.unlink()
    assert cli("rebuild", "--check").status == 0
    assert cli("rebuild", "--only", "AGENT", "--json").rows[0]["changed"]
    assert agent_md.read_bytes() == before
    assert [row["path"] for row in cli("lesson", "list", "--json").rows] == [None, "src/**", "x.py"]


@pytest.mark.slow
def test_a_forgotten_lesson_stays_away_also_after_a_rebuild(repo, cli, agent_md):
    refused(repo, ("src/a.py", "INT-1"))
    (lesson,) = cli("lesson", "list", "--json").rows

    assert cli("lesson", "forget", lesson["lesson_id"]).status == 0
    assert cli("lesson", "forget", lesson["lesson_id"]).status == 0
    refused(repo, ("src/a.py", "INT-1"))

    assert cli("lesson", "list", "--json").rows == []
    before = agent_md.read_bytes()
    assert cli("lesson", "rebuild").status == 0
    assert agent_md.read_bytes() == before
    assert len(repo.events("lesson.recorded")) == 3
    assert cli("sql", "@lessons", "--json").rows == []


def test_what_was_struck_out_by_hand_comes_back_with_a_rebuild(repo, cli, agent_md):
    cli("lesson", "add", "Round late")
    agent_md.write_text("".join(line for line in agent_md.read_text().splitlines(True) if "Round" not in line))

    assert lessons.read(find(str(repo.path))).lessons == ()
    cli("lesson", "rebuild")
    assert "Round late" in agent_md.read_text()


@pytest.mark.slow
def test_an_unknown_lesson_is_named(repo, cli, agent_md):
    for verb in ("forget", "promote"):
        answer = cli("lesson", verb, "L-0")
        assert (answer.status, answer.err) == (1, "error: no lesson is called L-0\nnext: linetrail lesson list\n")


def test_an_agent_may_add_but_neither_promote_nor_forget(repo, cli, agent_md, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    lesson = added(cli, "Round late")

    assert [cli("lesson", verb, lesson["lesson_id"]).status for verb in ("promote", "forget")] == [1, 1]
    assert not (repo.path / "CLAUDE.md").exists()
    (event,) = repo.events("lesson.recorded")
    assert (event.contributor, event.session_id) == ("ai", "s1")


@pytest.mark.parametrize("args", [("add", " "), ("add",), ("promote", "L-1", "--to", "/etc/passwd"), ("list", "x")])
def test_what_is_no_request_is_refused(repo, cli, agent_md, args):
    assert cli("lesson", *args).status == 2


# Promotion


@pytest.mark.parametrize("before", [None, b"", b"# Rules\n", b"\xef\xbb\xbf# Rules\r\n- one", b"a\n\n\n"])
def test_promotion_is_idempotent_and_is_undone_without_a_trace(repo, agent_md, before):
    project, file = find(str(repo.path)), repo.path / "CLAUDE.md"
    if before is not None:
        file.write_bytes(before)
    first, second = from_demand("Round late"), from_demand("Never <b>bold</b> @x")

    assert [promote(project, lesson, "CLAUDE.md") for lesson in (first, second, first)] == [True, True, False]
    text = file.read_text()
    assert text.count("Round late") == 1
    assert text.count("Never &lt;b&gt;bold&lt;/b&gt; &#64;x") == 1
    assert [demote(project, lesson.id, "CLAUDE.md") for lesson in (first, second, first)] == [True, True, False]

    assert (file.read_bytes() if file.exists() else None) == before


def test_a_person_promotes_and_takes_back(repo, cli, agent_md):
    lesson = added(cli, "Round late")

    assert cli("lesson", "promote", lesson["lesson_id"], "--json").rows == [
        {"lesson_id": lesson["lesson_id"], "file": "CLAUDE.md", "changed": True}
    ]
    assert "Round late" in (repo.path / "CLAUDE.md").read_text()
    assert cli("lesson", "promote", lesson["lesson_id"], "--undo").status == 0
    assert not (repo.path / "CLAUDE.md").exists()


@pytest.mark.slow
def test_the_file_that_the_project_has_is_taken(repo, cli, agent_md):
    repo.write("AGENTS.md", "# Rules\n")
    lesson = added(cli, "Round late")

    assert cli("lesson", "promote", lesson["lesson_id"]).out == f"{lesson['lesson_id']} is put into AGENTS.md\n"
    assert cli("lesson", "promote", lesson["lesson_id"]).out == f"{lesson['lesson_id']} is already in AGENTS.md\n"
    assert not (repo.path / "CLAUDE.md").exists()


@pytest.mark.slow
def test_a_link_from_one_instruction_file_to_the_other_is_followed_and_no_other(repo, cli, agent_md):
    repo.write("AGENTS.md", "# Rules\n")
    (repo.path / "CLAUDE.md").symlink_to("AGENTS.md")
    lesson = added(cli, "Round late")

    assert cli("lesson", "promote", lesson["lesson_id"]).status == 0
    assert "Round late" in (repo.path / "AGENTS.md").read_text()
    assert (repo.path / "CLAUDE.md").is_symlink()

    outside = repo.path.parent / "outside.md"
    outside.write_text("theirs")
    (repo.path / "CLAUDE.md").unlink()
    (repo.path / "CLAUDE.md").symlink_to(outside)
    assert cli("lesson", "promote", lesson["lesson_id"]).status == 2
    assert outside.read_text() == "theirs"


@pytest.mark.slow
def test_what_a_person_made_better_stays(repo, cli, agent_md):
    first, second = added(cli, "Round late"), added(cli, "Round up")
    cli("lesson", "promote", first["lesson_id"])
    file = repo.path / "CLAUDE.md"
    file.write_text(file.read_text().replace("**Round late**", "**Round as late as you can**"))

    cli("lesson", "promote", second["lesson_id"])

    assert "Round as late as you can" in file.read_text()
    assert "Round up" in marked_part.take(file.read_bytes(), "lessons")


@pytest.mark.slow
def test_a_lesson_says_how_it_is_put_right_and_by_what_it_is_known(cli, agent_md):
    told = ("--resolution", "Sum first.", "--pattern", "round( in a loop")

    cli("lesson", "add", "Cents get lost", *told)

    (row,) = cli("lesson", "list", "--json").rows
    assert (row["resolution"], row["pattern"], row["times"]) == ("Sum first.", "round( in a loop", 1)
    assert "- **Cents get lost** *Resolution:* Sum first. *Pattern:* round( in a loop [" in agent_md.read_text()
    (asked,) = cli("sql", "@lessons", "--json").rows
    assert (asked["resolution"], asked["pattern"]) == ("Sum first.", "round( in a loop")
    agent_md.unlink()
    cli("lesson", "rebuild")
    assert "*Resolution:* Sum first." in agent_md.read_text()
