"""What is left to do is kept session by session, and shown to the next."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.knowledge import marked_part, todos
from linetrail.ledger.knowledge.todos import Item, Section, merged, open_items, parse, remember, render
from linetrail.ledger.repository import find

NOW = 1_767_603_600_000_000_000
HOSTILE = [
    "<!-- linetrail:end todo -->",
    "a\nb",
    "*done*",
    " *in progress*",
    "- [x] y",
    "```",
    "@x",
    "\\",
    "| a",
    "## b",
]

texts = (st.text(min_size=1, max_size=60) | st.sampled_from(HOSTILE)).map(lambda text: todos.clean(text, 200))
contents = texts.filter(bool)
items = st.builds(Item, contents, st.sampled_from(["pending", "in_progress", "completed", "ticked"]))
sections = st.builds(
    Section,
    contents.map(lambda text: text[:100].strip() or "s"),
    st.none() | contents.map(lambda text: text[:100].strip() or "i") | st.just("-"),
    st.just("2026-01-05T09:00:00Z"),
    st.lists(items, max_size=5).map(tuple),
)
given_todos = st.lists(
    st.fixed_dictionaries(
        {"content": st.text(max_size=300) | st.integers(), "status": st.sampled_from(["pending", "completed", "?", 1])}
    )
    | st.none(),
    max_size=60,
)


@pytest.fixture
def project(repo):
    repo.start_ledger()
    return find(str(repo.path))


@pytest.fixture
def file(repo):
    return repo.path / ".orchestration" / "TODO.md"


def todo(content, status="pending"):
    return {"content": content, "status": status, "activeForm": f"Doing {content}"}


@given(st.lists(sections, max_size=4))
def test_the_list_is_read_back_from_the_file(told):
    content = marked_part.put(b"mine", todos.PART, render(told))

    assert parse(content) == tuple(told)
    assert marked_part.drop(content, todos.PART) == b"mine"


@pytest.mark.slow
@given(st.lists(sections, max_size=12, unique_by=lambda section: section.session_id), given_todos)
def test_whatever_a_tool_was_given_the_list_stays_small_and_readable(told, given):
    own = Section("me", None, "2026-01-05T09:00:00Z", tuple(todos._items(given)))  # noqa: SLF001  what `remember` makes

    after = merged(tuple(told), own)

    assert parse(marked_part.created(todos.PART, render(after))) == after
    assert len(after) <= todos.MAX_SESSIONS
    assert all(section.open for section in after)
    assert len(render(after).encode()) <= todos.MAX_BYTES


def test_open_items_come_first_and_what_is_done_is_not_shown(project, file):
    remember(project, "s1", "INT-1", [todo("a", "completed"), todo("b"), todo("c", "in_progress")], NOW)

    assert file.read_text().splitlines()[-6:] == [
        "## session s1 | intent INT-1 | 2026-01-05T09:00:00Z",
        "",
        "- [ ] c *in progress*",
        "- [ ] b",
        "- [x] a *done*",
        "<!-- linetrail:end todo -->",
    ]
    assert open_items(project, session_id="s2", intent_id=None, limit=9) == ["c", "b"]
    assert open_items(project, session_id="s2", intent_id=None, limit=1) == ["c"]


def test_a_session_with_everything_done_is_dropped(project, file):
    remember(project, "s1", None, [todo("a")], NOW)
    remember(project, "s1", None, [todo("a", "completed")], NOW)

    assert open_items(project, session_id="s1", intent_id=None, limit=9) == []
    assert "session" not in file.read_text().replace("What sessions", "")


def test_where_nothing_was_ever_open_no_file_is_made(project, file):
    assert not remember(project, "s1", None, [todo("a", "completed")], NOW)
    assert not remember(project, "s1", None, "nonsense", NOW)

    assert not file.exists()


def test_the_next_session_sees_its_own_then_its_intent_then_the_one_before(project):
    for number, (session, intent) in enumerate([("s1", "INT-1"), ("s2", "INT-2"), ("s3", "INT-1"), ("s4", "INT-3")]):
        remember(project, session, intent, [todo(f"of {session}"), todo("everybody's")], NOW + number)

    def told(session, intent):
        return open_items(project, session_id=session, intent_id=intent, limit=9)

    assert told("new", None) == ["of s4", "everybody's"]
    assert told("new", "INT-1") == ["of s3", "everybody's", "of s1", "of s4"]
    assert told("s2", "INT-1") == ["of s2", "everybody's", "of s3", "of s1", "of s4"]


def test_a_tick_of_a_person_counts_and_stays(project, file):
    remember(project, "s1", "INT-1", [todo("a", "in_progress"), todo("b")], NOW)
    file.write_text(file.read_text().replace("- [ ] a", "- [x] a"))

    assert open_items(project, session_id="s2", intent_id=None, limit=9) == ["b"]
    remember(project, "s1", "INT-1", [todo("a"), todo("b"), todo("c")], NOW)
    assert open_items(project, session_id="s2", intent_id=None, limit=9) == ["b", "c"]


def test_what_an_agent_opens_again_is_open_again(project):
    remember(project, "s1", None, [todo("a", "completed"), todo("b")], NOW)
    remember(project, "s1", None, [todo("a"), todo("b")], NOW)

    assert open_items(project, session_id="s1", intent_id=None, limit=9) == ["a", "b"]


def test_a_tick_that_a_person_takes_away_opens_an_item_again(project, file):
    remember(project, "s1", None, [todo("a", "completed"), todo("b")], NOW)
    file.write_text(file.read_text().replace("- [x] a", "- [ ] a"))

    assert open_items(project, session_id="s1", intent_id=None, limit=9) == ["b", "a"]


def test_what_a_person_wrote_outside_stays(project, file):
    file.write_text("# Mine\r\n- [ ] later")

    remember(project, "s1", None, [todo("a")], NOW)
    remember(project, "s1", None, [todo("a", "completed")], NOW)

    assert file.read_bytes().startswith(b"# Mine\r\n- [ ] later\r\n<!-- linetrail:begin todo -->\r\n")
    assert open_items(project, session_id="s1", intent_id=None, limit=9) == []


@pytest.mark.slow
def test_sessions_at_once_lose_nothing(project, repo):
    program = """
import sys
from linetrail.ledger.repository import find
from linetrail.ledger.knowledge import marked_part
from linetrail.ledger.knowledge.todos import remember
marked_part.edit.__kwdefaults__["seconds"] = 60
for n in range(10):
    remember(find(sys.argv[1]), sys.argv[2], None, [{"content": f"{sys.argv[2]} {m}"} for m in range(n + 1)], n)
"""
    running = [subprocess.Popen([sys.executable, "-c", program, repo.path, f"s{n}"]) for n in range(4)]

    assert [process.wait() for process in running] == [0] * 4
    left = {section.session_id: len(section.items) for section in parse(marked_part.read(todos.path(project)))}
    assert left == {f"s{n}": 10 for n in range(4)}


def test_secrets_stay_out(project, file):
    remember(project, "s1", None, [todo("use ghp_" + "aB3d" * 9)], NOW)

    assert "aB3d" not in file.read_text()


def test_a_torn_file_is_left_alone_and_shows_nothing(project, file):
    file.write_text(marked_part.begin(todos.PART))

    with pytest.raises(marked_part.MarkedTextError):
        remember(project, "s1", None, [todo("a")], NOW)

    assert open_items(project, session_id=None, intent_id=None, limit=9) == []
