"""`linetrail correct`: a person overrules who wrote lines, and what a change was; the old answer stays visible."""

import json

import pytest

from linetrail.queries.ask.library import blame

TWICE = "total = 0\nadd(total)\nkeep = 1\nadd(total)\n"


@pytest.fixture
def code(repo, agent):
    """A file that an agent wrote, in which two lines are equal; nobody was seen writing the other one."""
    repo.commit(files={"old.py": "one = 1\ntwo = 2\n"})
    repo.start_ledger()
    agent().write("a.py", TWICE)
    repo.commit("a")
    return repo


@pytest.fixture
def correct(cli):
    def run(place, *options):
        answer = cli("correct", place, *options, "--json")
        assert answer.status == 0, answer.err
        return answer.rows

    return run


@pytest.fixture
def who(cli):
    """Return a function that tells who wrote each line, `!` behind what a person said."""

    def run(path):
        rows = cli("blame", path, "--json").rows
        return [
            (row["agent_name"] or row["contributor_type"]) + ("!" if row["evidence"] == "correction" else "")
            for row in rows
        ]

    return run


@pytest.mark.slow
def test_a_person_has_the_last_word_and_the_old_answer_stays_visible(code, cli, correct, who):
    (row,) = correct("a.py:2", "--by", "human", "--reason", "I typed it")

    assert who("a.py") == ["claude-code", "human!", "claude-code", "claude-code"]
    line = cli("blame", "a.py", "--json").rows[1]
    assert (line["overruled"], line["event_id"], line["confidence"]) == ("claude-code", row["correction_id"], 0.9)
    told = cli("why", "a.py:2").out
    assert 'written by a person, not by an agent  "I typed it"' in told
    assert "  written  Write" in told
    assert cli("why", "a.py:2", "--json").rows[0]["corrections"][0]["reason"] == "I typed it"


@pytest.mark.slow
def test_a_correction_follows_its_line_through_edits_moves_and_history_that_is_rewritten(code, correct, who):
    correct("a.py:2", "--by", "human")

    code.write("a.py", "# new\n\n" + TWICE.replace("add(total)\n", "    add( total )\n", 1))
    code.git("commit", "--quiet", "--all", "--message", "put lines before it")
    code.git("mv", "a.py", "b.py")
    code.git("commit", "--quiet", "--amend", "--message", "rewritten, and under another name")

    assert who("b.py")[2:] == ["claude-code", "human!", "claude-code", "claude-code"]


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize("by", ["an agent", "somebody unseen"])
def test_a_correction_is_over_where_somebody_changes_the_line(code, agent, correct, who, by):
    correct("a.py:1-2", "--by", "human")

    if by == "an agent":
        agent("session-2").edit("a.py", "total = 0", "total = 2")
    else:
        code.write("a.py", TWICE.replace("total = 0", "total = 2"))

    first, second, *_ = who("a.py")
    assert first == ("claude-code" if by == "an agent" else "unknown")
    assert second == "human!"


@pytest.mark.slow
def test_of_lines_that_only_git_knows_a_person_may_say_which_agent_wrote_them(code, correct, who):
    (row,) = correct("old.py:1-2", "--by", "cursor")

    code.commit("unrelated", {"c.py": "x = 1\n"})
    assert row["event_id"] is None
    assert who("old.py") == ["cursor!", "cursor!"]
    code.write("old.py", "zero = 0\none = 1\ntwo = 3\n")
    code.git("commit", "--quiet", "--all", "--message", "one line more, one changed")
    assert who("old.py") == ["human", "cursor!", "human"]


@pytest.mark.slow
def test_lines_of_a_commit_that_was_rewritten_are_known_by_what_they_say(code, correct, who):
    code.commit("more", {"d.py": "alpha = 1\nbeta = 2\n", "e.py": "alpha = 1\n"})
    correct("d.py:1", "--by", "codex")

    code.git("commit", "--quiet", "--amend", "--message", "the same, rewritten")

    assert who("d.py") == ["codex!", "human"]
    assert who("e.py") == ["human"]


@pytest.mark.slow
def test_lines_that_are_not_committed_keep_their_correction_when_they_are(code, correct, who):
    code.write("new.py", "alpha = 1\nbeta = 2\n")
    correct("new.py:2", "--by", "human")
    assert who("new.py") == ["unknown", "human!"]

    code.commit("new")

    assert who("new.py") == ["human", "human!"]


@pytest.mark.slow
def test_the_last_word_counts_and_can_be_taken_back(code, cli, correct, who):
    correct("a.py:3", "--by", "human")
    correct("a.py:3", "--by", "codex")
    assert who("a.py")[2] == "codex!"

    correct("a.py:3", "--withdraw")

    assert who("a.py")[2] == "claude-code"
    assert cli("correct", "a.py:3", "--withdraw").status == 1
    rows = cli("sql", "@corrections", "--json").rows
    assert [(row["before"], row["after"]) for row in rows] == [("ai", None), ("human", "ai"), ("ai", "human")]


@pytest.mark.slow
def test_a_class_is_overruled_for_the_whole_change(code, cli, correct):
    cli("classify", "--record")
    (row,) = correct("a.py:1", "--class", "bug-fix", "--reason", "it mends the sum")

    lines = cli("blame", "a.py", "--json").rows
    assert {line["mutation_class"] for line in lines} == {"BUG_FIX"}
    told = cli(
        "sql", f"select mutation_class, basis from v_mutation_classes where mutation_id = '{row['event_id']}'", "--json"
    )
    assert told.rows == [{"mutation_class": "BUG_FIX", "basis": "correction"}]
    assert "BUG_FIX, not " in cli("why", "a.py:1").out


@pytest.mark.slow
def test_what_makes_no_correction_is_refused_and_nothing_is_recorded(code, cli):
    for options, status, words in (
        (["a.py:1"], 2, "say who wrote the lines"),
        (["a.py:1", "--by", "human", "--withdraw"], 2, "say who wrote the lines"),
        (["a.py:9", "--by", "human"], 2, "a.py has 4 lines"),
        (["a.py:1", "--by", "humna"], 2, "humna is nobody known here"),
        (["a.py:1", "--class", "nice"], 2, "nice is no class"),
        (["a.py", "--by", "human"], 2, "names no line"),
        (["a.py:1", "--by", "claude-code"], 1, "that is what is answered already"),
        (["old.py:1", "--class", "fix"], 1, "no recorded change wrote these lines"),
    ):
        answer = cli("correct", *options)
        assert (answer.status, words in answer.err) == (status, True), answer.err

    assert not code.events("correction.recorded")


def test_no_agent_corrects_an_answer(code, cli, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    answer = cli("correct", "a.py:1", "--by", "human")
    monkeypatch.delenv("CLAUDECODE")

    assert (answer.status, "only a person can correct an answer" in answer.err) == (1, True)
    assert not code.events("correction.recorded")
    asked = json.dumps({"id": 1, "command": "linetrail correct a.py:1 --by human"})
    code.write("asked.jsonl", asked + "\n")
    assert '"dangerous"' in cli("check-command", "--pairs", "asked.jsonl").out


@pytest.mark.slow
def test_secrets_are_taken_out_of_the_reason(code, cli, correct):
    secret = "ghp_" + "a1B2c3D4e" * 4

    correct("a.py:1", "--by", "human", "--reason", f"made with {secret}")

    assert secret.encode() not in b"".join(code.lines())


@pytest.mark.slow
def test_the_api_tells_what_was_overruled(code, correct):
    correct("a.py:1", "--by", "human")

    first = next(iter(blame(str(code.path), "a.py")))

    assert (first.contributor_type, first.evidence, first.overruled) == ("human", "correction", "claude-code")


@pytest.mark.in_turn
@pytest.mark.slow
def test_a_fresh_clone_gives_the_same_answers(code, cli, correct, who, tmp_path):
    correct("a.py:2", "--by", "human")
    correct("old.py:1", "--by", "codex")
    here = who("a.py"), who("old.py")
    cli("seal")
    code.commit("the ledger")

    code.git("clone", "--quiet", str(code.path), str(tmp_path / "clone"))

    there = [
        [row["contributor_type"] for row in cli("-C", str(tmp_path / "clone"), "blame", path, "--json").rows]
        for path in ("a.py", "old.py")
    ]
    assert there == [["ai", "human", "ai", "ai"], ["ai", "human"]]
    assert here == (["claude-code", "human!", "claude-code", "claude-code"], ["codex!", "human"])
