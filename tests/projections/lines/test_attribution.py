"""Owners of lines, from recorded transitions alone: stories of edits, each checked against what really happened."""

import json
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.ledger.files import digest
from linetrail.ledger.observe.mutation import snapshot, transition, unread
from linetrail.ledger.observe.substance import line_hash, split
from linetrail.projections.lines.attribution import Owner, explain, owner
from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.states import Text, text_of
from linetrail.projections.lines.transitions import COLUMNS, read
from tests.examples import examples

NOBODY = "nobody"


class Story:
    """Edits of one file by several actors, recorded as the hooks record them. Git has the text it begins with."""

    def __init__(self, text: str | None = None) -> None:
        self.path = "a.py"
        self.content = None if text is None else text.encode()
        self.rows: list[dict[str, object]] = []
        self.bases = {} if self.content is None else {digest(self.content): self.content}

    def write(self, actor: str, text: str | None, *, via: str = "tool", **facts: object) -> "Story":
        """Record that an actor (`a`, `b`, `human`, `nobody`) brought the file to this text."""
        before, self.content = self.content, None if text is None else text.encode()
        self.record(actor, transition(self.path, before, self.content), via=via, **facts)
        return self

    def record(self, actor: str, entries: list[dict[str, object]], *, via: str = "tool", **facts: object) -> None:
        kind = {"human": "human", NOBODY: "unknown"}.get(actor, "ai")
        shared = {"contributor_type": kind, "session_id": actor, "via": "unseen" if actor == NOBODY else via, **facts}
        for entry in entries:
            at = len(self.rows) + 1
            row = dict.fromkeys(COLUMNS) | {"position": at, "event_id": f"event-{at}", "occurred_at": f"day {at}"}
            row |= shared | entry | {"hunks": entry["hunks"] if entry["hunks"] is None else json.dumps(entry["hunks"])}
            self.rows.append(row)

    def unseen(self, text: str) -> "Story":
        """Change the file with nobody watching; git has the old content."""
        self.content = text.encode()
        self.bases[digest(self.content)] = self.content
        return self

    def replay(self) -> Replay:
        return Replay(read(self.rows), self._base)

    def owners(self, text: str | None = None) -> list[Owner]:
        content = (self.content or b"") if text is None else text.encode()
        return explain(self.replay(), content)

    def who(self, text: str | None = None) -> list[str]:
        """Name the session behind each line; what nobody was seen writing is `-`."""
        return [one.claim.session_id or "-" if one.claim and one.claim.seen else "-" for one in self.owners(text)]

    def _base(self, transition) -> Text | None:
        content = self.bases.get(transition.before_hash)
        return None if content is None else text_of(content)


def of(text: str) -> str:
    """Spell a file of one-word lines."""
    return "".join(f"{word}\n" for word in text.split())


def test_a_new_file_belongs_to_its_writer():
    assert Story().write("a", of("one two")).who() == ["a", "a"]


def test_lines_that_were_there_before_belong_to_nobody_we_saw():
    assert Story(of("one two")).write("a", of("one new two")).who() == ["-", "a", "-"]


def test_a_changed_line_belongs_to_whoever_changed_it_last():
    story = Story().write("a", of("one two three")).write("b", of("one 2 three"))

    assert story.who() == ["a", "b", "a"]


def test_a_changed_line_of_the_same_kind_is_not_mixed():
    story = Story().write("a", "total = 1\n").write("b", "total = 2\n")

    assert [one.mixed for one in story.owners()] == [False]
    assert [claim.session_id for claim in story.owners()[0].history] == ["b", "a"]


@pytest.mark.parametrize(
    ("first", "second"),
    [pytest.param("a", "human", id="a person over an agent"), pytest.param("human", "a", id="an agent over a person")],
)
def test_an_edited_line_with_both_kinds_of_author_is_mixed(first, second):
    story = Story().write(first, "total = sum(xs)\nkeep\n").write(second, "total = sum(ys)\nkeep\n")

    assert [(one.claim.session_id, one.mixed) for one in story.owners()] == [(second, True), (first, False)]


def test_a_line_replaced_by_a_quite_different_one_is_not_mixed():
    story = Story().write("human", "total = sum(xs)\n").write("a", "import os\n")

    assert [one.mixed for one in story.owners()] == [False]


def test_an_agent_editing_a_line_that_only_git_knows_is_mixed():
    assert [one.mixed for one in Story("total = sum(xs)\n").write("a", "total = sum(ys)\n").owners()] == [True]


def test_a_proposal_that_a_person_changed_is_mixed():
    assert [one.mixed for one in Story().write("a", "one\n", user_modified=True).owners()] == [True]


@pytest.mark.parametrize(
    "after",
    [
        pytest.param("\ufeffdef f():\n    return 1\n", id="a byte order mark"),
        pytest.param("def f():\r\n    return  1\r\n", id="line ends"),
        pytest.param("\tdef f():\n\t\treturn  1\n", id="indentation"),
        pytest.param("def f():\n    return 1", id="no final newline, inner space"),
    ],
)
def test_white_space_changes_nobodys_authorship(after):
    story = Story().write("a", "def f():\n    return  1\n").write("human", after)

    assert story.who() == ["a", "a"]
    assert {one.relation for one in story.owners()} == {"same"}


def test_unrecorded_white_space_is_still_the_recorded_state():
    owners = Story().write("a", "def f():\n  return 1\n").owners("def f():\r\n\treturn 1\r\n")

    assert [(one.claim.session_id, one.relation) for one in owners] == [("a", "same"), ("a", "same")]


def test_a_state_seen_again_has_its_owners_again():
    story = Story(of("one two")).write("a", of("one new two")).write("b", of("one two")).write("b", of("one new two"))

    assert story.who() == ["-", "a", "-"]


def test_a_change_taken_back_gives_a_persons_line_back_to_nobody_we_saw():
    story = Story(of("one two")).write("a", of("one")).write("a", of("one two"))

    assert story.who() == ["-", "-"]


def test_a_transition_starts_from_an_older_state_when_it_says_so():
    story = Story(of("one two")).write("a", of("one two a"))
    story.content = of("one two").encode()

    assert story.write("b", of("b one two")).who() == ["b", "-", "-"]


def test_the_same_transition_recorded_twice_counts_once():
    story = Story(of("one")).write("a", of("one two"))
    story.record("b", transition("a.py", of("one").encode(), of("one two").encode()))

    assert story.who() == ["-", "a"]


def test_a_late_report_explains_a_state_that_nobody_was_seen_making():
    story = Story(of("one two three")).write("b", of("one two three four"))
    story.record("a", transition("a.py", of("one").encode(), of("one two three").encode()), via="import")

    assert story.who() == ["-", "a", "a", "b"]


def test_a_late_report_explains_a_snapshot():
    story = Story()
    story.record(NOBODY, snapshot("a.py", of("one two three").encode()))
    story.record("a", transition("a.py", of("one").encode(), of("one two three").encode()), via="import")

    assert story.who(of("one two three")) == ["-", "a", "a"]


def test_a_base_nobody_recorded_keeps_the_lines_it_shares_with_recorded_states():
    story = Story().write("a", of("alpha beta gamma")).unseen(of("alpha person beta gamma"))

    story.write("b", of("alpha person beta gamma delta"))

    assert story.who() == ["a", "-", "a", "a", "b"]
    assert [one.relation for one in story.owners()] == ["kept", "same", "kept", "kept", "same"]


def test_a_base_whose_content_is_lost_says_nothing_and_the_agents_own_lines_stay():
    story = Story(of("one two")).write("a", of("one new two"))
    story.bases.clear()

    assert story.who() == ["-", "a", "-"]


def test_a_snapshot_keeps_the_lines_it_shares_with_recorded_states():
    story = Story().write("a", of("alpha beta gamma"))
    story.record(NOBODY, snapshot("a.py", of("alpha person gamma").encode()))

    assert story.who(of("alpha person gamma")) == ["a", "-", "a"]


def test_an_unseen_change_belongs_to_nobody_even_between_agent_lines():
    story = Story().write("a", of("alpha beta gamma")).write(NOBODY, of("alpha other gamma"))

    assert story.who() == ["a", "-", "a"]


def test_a_rename_keeps_owners():
    story = Story().write("a", of("alpha beta"))
    content = of("alpha beta gamma").encode()
    story.record("b", transition("new.py", story.content, content, from_path="a.py"))

    assert story.who(content.decode()) == ["a", "a", "b"]


def test_a_deleted_file_written_anew_belongs_to_its_new_writer():
    story = Story().write("a", of("alpha beta")).write("a", None).write("b", of("gamma delta"))

    assert story.who() == ["b", "b"]


def test_a_long_file_in_parts_is_put_together():
    lines = [f"line {at}\n" for at in range(6000)]
    story = Story("".join(lines[:3000])).write("a", "".join(lines))

    assert len(story.rows) > 1
    assert story.who() == ["-"] * 3000 + ["a"] * 3000


def test_a_part_that_is_missing_claims_nothing():
    lines = [f"line {at}\n" for at in range(6000)]
    story = Story("").write("a", "".join(lines))
    del story.rows[1]

    assert set(story.who()) == {"-"}


def test_hunks_that_do_not_fit_their_state_claim_nothing():
    story = Story(of("one two three")).write("a", of("one two three four"))
    story.rows[0]["hunks"] = story.rows[0]["hunks"].replace('"old_start": 3', '"old_start": 9')

    assert set(story.who()) == {"-"}


def test_lines_left_as_they_were_inside_a_hunk_keep_their_owner():
    story = Story().write("a", of("alpha beta gamma"))
    [entry] = transition("a.py", story.content, of("one beta two").encode())
    hashes = [line_hash(word) for word in (b"one", b"beta", b"two")]
    entry["hunks"] = [{"old_start": 1, "old_lines": 3, "new_start": 1, "new_lines": 3, "line_hashes": hashes}]
    story.record("b", [entry])

    assert story.who(of("one beta two")) == ["b", "a", "b"]


# Changes too large to be read


def written_unread(text: str) -> Story:
    """Begin with a file that was too large to be read when an agent made it."""
    story = Story()
    story.content = text.encode()
    story.record("a", [unread("a.py", None, digest(story.content), "too large")])
    return story


def test_a_new_file_belongs_to_its_writer_though_it_was_too_large_to_be_read():
    story = written_unread(of("one two ) two"))

    assert story.who() == ["a"] * 4
    assert {one.relation for one in story.owners()} == {"same"}


def test_a_new_file_too_large_to_be_read_is_known_by_an_earlier_text():
    story = written_unread(of("one two three"))
    earlier = {digest(story.content): split(story.content)}
    content = of("one two person three").encode()
    replay = story.replay()

    owners = explain(replay, content, lambda: earlier)

    assert [one.claim.session_id if one.claim else "-" for one in owners] == ["a", "a", "-", "a"]
    assert replay.unread_since is None


def test_a_new_file_too_large_to_be_read_is_what_a_later_change_starts_from():
    story = written_unread(of("one two three")).write("b", of("one new two three"))

    assert story.who() == ["a", "b", "a", "a"]


def test_a_change_too_large_to_be_read_claims_no_line_and_says_since_when_it_may_have_made_some():
    story = Story(of("one two"))
    story.record("a", [unread("a.py", digest(story.content), digest(of("one new two").encode()), "too large")])

    assert set(story.who(of("one new two"))) == {"-"}
    assert story.replay().unread_since == "day 1"


def test_a_content_that_an_agent_made_out_of_a_lost_one_is_as_good_as_unread():
    story = written_unread(of("one two three")).write("a", None)
    story.record("a", snapshot("a.py", of("four five").encode()))

    assert story.who(of("four five")) == ["-", "-"]
    assert story.replay().unread_since == "day 1"


@pytest.mark.parametrize(
    ("actor", "after"),
    [pytest.param(NOBODY, "sha256:1", id="nobody was seen"), pytest.param("a", None, id="the file was deleted")],
)
def test_only_an_agents_unread_content_leaves_lines_in_doubt(actor, after):
    story = Story(of("one"))
    story.record(actor, [unread("a.py", digest(story.content), after, "too large")])

    assert story.replay().unread_since is None


class Shift(NamedTuple):
    """What a person did to the agent's file without anybody watching, and who then owns its lines."""

    recorded: str
    found: str
    owners: str


@pytest.mark.parametrize(
    "shift",
    [
        pytest.param(Shift("alpha beta gamma", "x alpha beta gamma", "-aaa"), id="inserted above"),
        pytest.param(Shift("alpha beta gamma", "alpha x gamma", "a-a"), id="replaced inside"),
        pytest.param(Shift("alpha beta gamma", "alpha gamma", "aa"), id="deleted inside"),
        pytest.param(Shift("alpha beta gamma", "x y z", "---"), id="all replaced"),
        pytest.param(Shift("f( alpha )", "f( alpha beta )", "aa-a"), id="inserted before a closing line"),
        pytest.param(Shift("alpha ) beta", "x ) y", "---"), id="a trivial line alone says nothing"),
        pytest.param(Shift("f( alpha pass", "f( x pass g( pass", "a----"), id="a trivial line typed elsewhere"),
        pytest.param(Shift("alpha } beta", "alpha } x beta", "aa-a"), id="a trivial line beside its block"),
    ],
)
def test_what_a_person_did_unseen_leaves_the_other_lines_to_the_agent(shift):
    story = Story().write("a", of(shift.recorded))

    assert "".join(story.who(of(shift.found))) == shift.owners


def test_a_content_merged_from_two_agents_work_has_lines_of_both():
    story = Story(of("one two three four five six")).write("a", of("one left two three four five six"))
    story.content = of("one two three four five six").encode()
    story.write("b", of("one two three four five right six"))

    assert "".join(story.who(of("one left two three four five right six"))) == "-a----b-"
    assert story.owners(of("one left two three four five right six"))[1].relation in {"kept", "found"}


def test_lines_put_away_and_brought_back_at_another_place_keep_their_owner():
    story = Story(of("root one two")).write("a", of("root stashed one two"))
    story.write(NOBODY, of("root one two"), via="git").write(NOBODY, of("root one two end"))
    story.write(NOBODY, of("root stashed one two end"), via="git")

    assert "".join(story.who()) == "-a---"


@pytest.mark.parametrize(
    ("found", "owners"),
    [
        pytest.param("p q Fixed ) r s t u v", "---------", id="a heading beside a closing line"),
        pytest.param("p q Fixed ) r Fixed ) s t u v", "-----------", id="a heading that stands here twice"),
        pytest.param("p q Added Fixed r Added Fixed s t u v", "-----------", id="two headings that stand here twice"),
        pytest.param("p q Added Fixed r s t u v", "--aa-----", id="two lines that stand here once"),
        pytest.param("p q r Added Fixed one r Added Fixed one s t u v", "---aaa--------", id="three lines twice"),
    ],
)
def test_lines_are_found_again_in_another_state_only_where_hardly_by_chance(found, owners):
    story = Story().write("a", of("Added Fixed one x Fixed ) y")).write(NOBODY, of("p q r s t u v"))

    assert "".join(story.who(of(found))) == owners


def test_of_equally_near_states_the_one_with_nothing_beside_decides():
    story = Story(of("alpha")).write("a", "alpha\n\n\nagent\n").write(NOBODY, of("alpha"), via="git")

    assert story.who("alpha\n\n\nperson\n") == ["-", "-", "-", "-"]


def test_of_states_that_are_equally_near_the_latest_decides():
    story = Story().write("a", of("alpha beta")).write("a", None).write("b", of("alpha gamma"))

    assert story.who(of("alpha delta")) == ["b", "-"]


# Random histories


class Edit(NamedTuple):
    """Replace so many lines at a place by so many new ones."""

    actor: str
    place: int
    removed: int
    added: int


EDITS = st.builds(
    Edit, st.sampled_from(["a", "b", "human", NOBODY]), st.integers(0, 30), st.integers(0, 4), st.integers(0, 4)
)


def played(edits: list[Edit]) -> tuple[Story, list[tuple[str, str]]]:
    """Play a history whose lines are all different, with the true author of each line."""
    truth = [("-", f"base line {at} of file") for at in range(5)]
    story = Story("".join(f"{text}\n" for _, text in truth))
    for number, edit in enumerate(edits):
        at = min(edit.place, len(truth))
        author = "-" if edit.actor == NOBODY else edit.actor
        new = [(author, f"w{number}x{line} y{number}x{line} z{number}x{line}") for line in range(edit.added)]
        truth[at : at + edit.removed] = new
        story.write(edit.actor, "".join(f"{text}\n" for _, text in truth))
    return story, truth


@given(st.lists(EDITS, max_size=12), st.booleans())
@settings(max_examples=examples(150), deadline=None)
def test_recorded_histories_give_exact_owners(edits, lost):
    story, truth = played(edits)
    if lost:
        story.bases.clear()

    assert story.who() == [author for author, _ in truth]


@given(st.lists(EDITS, max_size=8), st.lists(EDITS, max_size=3))
@settings(max_examples=examples(150), deadline=None)
def test_unrecorded_edits_afterwards_take_no_line_away_and_give_none(edits, unrecorded):
    story, truth = played(edits)
    for number, edit in enumerate(unrecorded):
        at = min(edit.place, len(truth))
        truth[at : at + edit.removed] = [("-", f"u{number}x{line} v{number}x{line}") for line in range(edit.added)]

    assert story.who("".join(f"{text}\n" for _, text in truth)) == [author for author, _ in truth]


@given(st.lists(EDITS, min_size=1, max_size=8), st.data())
@settings(max_examples=examples(100), deadline=None)
def test_every_state_on_the_way_keeps_the_owners_it_had(edits, data):
    stop = data.draw(st.integers(1, len(edits)))
    early, truth = played(edits[:stop])
    story, _ = played(edits)

    assert story.who((early.content or b"").decode()) == [author for author, _ in truth]


@given(st.lists(EDITS, max_size=8), st.sampled_from(["\r\n", "\n\t", "\n  "]))
@settings(max_examples=examples(50), deadline=None)
def test_reformatting_the_whole_file_changes_no_owner(edits, end):
    story, truth = played(edits)
    text = "".join(f"{text}{end}" for _, text in truth).rstrip("\t ")

    assert story.who(text) == [author for author, _ in truth]


# Few lines, often equal, many of them trivial: states meet, part and come back.
CROWDED = st.lists(st.sampled_from(["alpha", "beta", "gamma", "}", "", "pass"]), max_size=8).map(
    lambda words: "".join(f"{word}\n" for word in words)
)
STEPS = st.lists(st.tuples(st.sampled_from(["a", "b", "human", NOBODY]), CROWDED, st.booleans()), max_size=10)


@given(STEPS, CROWDED)
@settings(max_examples=examples(200), deadline=None)
def test_no_line_is_an_agents_that_this_agent_never_wrote(steps, found):
    story = Story("")
    wrote: set[tuple[str, str]] = set()
    for actor, text, apart in steps:
        if apart:
            story.unseen(text)
        else:
            story.write(actor, text)
            wrote |= {(actor, line) for line in text.splitlines()}

    assert all(
        who == "-" or (who, line) in wrote for who, line in zip(story.who(found), found.splitlines(), strict=True)
    )


@given(STEPS)
@settings(max_examples=examples(100), deadline=None)
def test_a_ledger_that_lost_some_changes_is_still_read(steps):
    story = Story("")
    for actor, text, _ in steps:
        story.write(actor, text)
    story.rows = story.rows[1::2]
    story.bases.clear()

    assert len(story.who()) == len((story.content or b"").splitlines())


def test_owner_of_a_long_chain_of_edits_names_all_its_authors_newest_first():
    story = Story("value = 0 # kept\n")
    for number in range(1, 6):
        story.write("a" if number % 2 else "human", f"value = {number} # kept\n")

    [line] = story.replay().state(digest(b"value = 5 # kept\n")).lines
    assert [claim.position for claim in owner(line).history] == [5, 4, 3, 2, 1]


def test_a_change_may_be_told_after_what_was_made_of_it():
    story = Story("total = 1\nkeep\n").write("a", "total = 2\nkeep\n").write("b", "first\ntotal = 2\nkeep\n")
    made = b"total = 2\nkeep\n"
    story.bases[digest(made)] = made
    story.rows.reverse()

    assert story.who() == ["b", "a", "-"]
    assert [one.mixed for one in story.owners()] == [False, True, False]
