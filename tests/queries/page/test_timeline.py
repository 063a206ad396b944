"""Sessions over time: who started whom, what was said of each call, and that it stays a page however much there is."""

import re
from datetime import timedelta

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.page import html, lanes
from linetrail.queries.page.catalogue import show
from linetrail.queries.page.view import Asked
from tests.queries import rich
from tests.story import Story

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

ASK = {"tool_name": "Bash", "operation": "shell"}


@pytest.fixture
def timeline(repo):
    """Return a function that shows the timeline of a story, else of what the repository has."""

    def shown(story=None, **options):
        if story is not None:
            repo.start_ledger()
            story.written(repo.path)
        return show("timeline", Asked(find(str(repo.path)), options))

    return shown


def marks(shown):
    return [mark for lane in shown.about["lanes"] for bar in lane["bars"] for mark in bar["marks"]]


def test_a_session_stands_above_what_it_started_and_each_above_its_calls(repo, timeline):
    rich.tell(repo)

    (lane,) = timeline().about["lanes"]

    assert [(bar["name"], bar["y"]) for bar in lane["bars"]] == [
        ("s1", 0),
        ("Explore", lanes.LEVEL),
        ("s2", 2 * lanes.LEVEL),
    ]
    assert {mark["row"]["agent_id"] for mark in lane["bars"][1]["marks"]} == {"a1"}
    assert {mark["row"]["session_id"] for mark in lane["bars"][2]["marks"]} == {"s2"}
    assert all(mark["y"] > bar["y"] for bar in lane["bars"] for mark in bar["marks"])


def test_each_outcome_has_a_shape_of_its_own(timeline):
    story = Story()
    verdicts = {"denied": ("deny", True), "noted": ("deny", False), "asked": ("ask", True), "executed": ("deny", True)}
    for name in ("ran", "failed", *verdicts):
        call = ASK | {"tool_call_id": name}
        story.tell("tool.requested", call)
        if name in verdicts:
            verdict, enforced = verdicts[name]
            story.tell("gate.decided", call | {"verdict": verdict, "enforced": enforced})
        if name in ("ran", "failed", "executed"):
            story.tell("tool.failed" if name == "failed" else "tool.completed", call)

    shown = timeline(story)
    templates = html.on_the_server()
    drawn = re.findall(r"</title>(.*?)</g></a>", html.view(templates, "timeline", shown), re.DOTALL)
    shapes = {re.sub(r"[\d.]+", "", re.sub(r'class="\w+"', "", shape)).strip() for shape in drawn[:6]}

    assert {mark["row"]["outcome"]: mark["row"]["tool_call_id"] for mark in marks(shown)} == {
        name: name for name in ("ran", "failed", *verdicts)
    }
    assert len(shapes) >= 4, "colour alone tells no two of them apart"


def test_a_page_stays_a_page_however_many_calls_and_sessions_there_are(timeline):
    story = Story()
    for number in range(4_000):
        story.tell("tool.requested", ASK | {"tool_call_id": f"c{number}"})
    for number in range(60):
        story.tell("session.started", {"source": "startup"}, session=f"other-{number}", days=1)

    first, last = timeline(story), timeline(**{"from": "51"})

    assert (len(first.rows), len(last.rows), last.about["page"]["of"]) == (25, 11, 61)
    assert sum(mark["row"]["calls"] for mark in marks(last)) == 4_000
    assert len(marks(last)) < 300
    assert min(mark["width"] for mark in marks(last)) >= lanes.NARROWEST == 2


def test_what_is_too_close_to_be_told_apart_can_be_looked_at_closer(timeline):
    story = Story()
    for number in range(2_000):
        story.tell("tool.requested", ASK | {"tool_call_id": f"c{number}"})
    several = next(mark for mark in marks(timeline(story)) if mark["row"]["calls"] > 1)

    closer = marks(timeline(session="s1", since=several["since"], until=several["until"]))

    assert len(closer) > 1
    assert sum(mark["row"]["calls"] for mark in closer) == several["row"]["calls"]


def test_times_without_events_are_cut_short_and_commits_are_on_the_axis(repo, timeline):
    story = Story()
    story.tell("session.started", {"source": "startup"})
    story.tell("commit.observed", {"revision": "b" * 40, "files": []})
    story.tell("session.started", {"source": "startup"}, session="s2", days=300)
    story.tell("prompt.submitted", {"excerpt": "on", "length": 2}, session="s2")

    about = timeline(story).about

    assert len(about["pauses"]) == 1
    assert [commit["vcs_revision"] for commit in about["commits"]] == ["b" * 40]
    assert [tick["label"] for tick in about["ticks"]] == ["01-05 09:01", "11-01 09:03"]


def test_a_range_shows_what_went_on_in_it(timeline):
    story = Story()
    for day in range(5):
        story.tell("session.started", {"source": "startup"}, session=f"day-{day}", days=day and 1)

    shown = timeline(story, since="2026-01-06T00:00:00Z", until="2026-01-08T00:00:00Z")

    assert [row["session_id"] for row in shown.rows] == ["day-2", "day-1"]
    assert shown.about["sessions"]["told"] == {"since": "2026-01-06T00:00:00Z", "until": "2026-01-08T00:00:00Z"}


def test_sessions_that_start_each_other_are_one_lane(timeline):
    story = Story()
    story.tell("session.started", {"source": "startup", "parent_session_id": "s2"}, session="s1")
    story.tell("session.started", {"source": "startup", "parent_session_id": "s1"}, session="s2")

    (lane,) = timeline(story).about["lanes"]

    assert [bar["name"] for bar in lane["bars"]] == ["s1", "s2"]


def test_many_subagents_are_counted_and_not_all_drawn(timeline):
    story = Story()
    for number in range(40):
        story.tell("tool.requested", ASK | {"tool_call_id": f"c{number}", "agent_id": f"a{number}"})
    for number in range(40):
        story.tell("tool.completed", ASK | {"tool_call_id": f"c{number}", "agent_id": f"a{number}"})

    (lane,) = timeline(story).about["lanes"]

    assert len(lane["bars"]) + lane["hidden"] == 41
    assert lane["height"] == lanes.DEEPEST * lanes.LEVEL
    assert lane["hidden"] > 20


@pytest.mark.parametrize("events", [0, 1])
def test_nothing_and_one_event_are_a_page(timeline, events):
    story = Story()
    for _ in range(events):
        story.tell("prompt.submitted", {"excerpt": "hello", "length": 5})
    if not events:
        story.tell("session.started", {"source": "startup"}, session=None)

    shown = timeline(story)
    page = html.view(html.on_the_server(), "timeline", shown)

    assert len(shown.about["lanes"]) == events
    assert ("No session is recorded" in page) == (not events)


def test_a_clock_that_goes_back_draws_nothing_of_negative_width(timeline):
    story = Story()
    story.tell("tool.requested", ASK | {"tool_call_id": "c1"}, days=2)
    story.tell("tool.completed", ASK | {"tool_call_id": "c1"})
    story.tell("session.ended", {"reason": "exit"})
    times = [event.timestamp for event in story.events]
    story.events = [event._replace(timestamp=at) for event, at in zip(story.events, reversed(times), strict=True)]

    bars = timeline(story).about["lanes"][0]["bars"]

    assert all(one["width"] >= lanes.NARROWEST and one["x"] >= 0 for bar in bars for one in (bar, *bar["marks"]))
    assert timedelta(0) <= bars[0]["row"]["first_event_at"] - bars[0]["row"]["last_event_at"]
