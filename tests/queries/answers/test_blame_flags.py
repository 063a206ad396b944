"""The flags of `linetrail blame`: which lines, since when, by whom, past which commits, following what."""

import json

import pytest

pytestmark = [pytest.mark.usefixtures("uncommitted_ledger"), pytest.mark.in_turn]

FUNCTIONS = "import os\n\ndef one(x):\n    return x\n\ndef two(y):\n    y += 1\n    return y\n\nLAST = 3\n"
CLASSES = """\
import os
class A:
    @os
    def one(x):
        pass


def two(y):
    pass

class B:
    def one(x):
        pass
"""
REGISTRY = """\
active_intents:
  - id: INT-001
    name: Add totals
    status: IN_PROGRESS
    owned_scope: ["**"]
    constraints: [none]
    acceptance_criteria: [none]
"""
BLOCK = "def total(prices):\n    amount = sum(price.value for price in prices)\n    return round(amount, 2)\n"
OTHER = "".join(f"setting_{at} = 'value {at}'\n" for at in range(12))


def numbers(answer):
    """Return the numbers of the lines in a `--json` answer."""
    return [row["line_no"] for row in answer.rows]


# Which lines


@pytest.mark.independent
@pytest.mark.slow
@pytest.mark.parametrize(
    ("ranges", "lines"),
    [
        pytest.param([":tw"], [6, 7, 8, 9], id="a function, by a part of its heading"),
        pytest.param([":o"], [1, 2], id="the first function that matches"),
        pytest.param([":e.x", ":tw"], [*range(3, 10)], id="two functions"),
        pytest.param(["/return/,+1"], [4], id="a pattern, how many"),
        pytest.param(["/def two/,/return/"], [6, 7, 8], id="from one pattern to another"),
        pytest.param(["4,4", "/return/,+1"], [4, 8], id="a pattern behind the range before"),
        pytest.param(["4,4", "^/return/,+1"], [4], id="a pattern from the top"),
        pytest.param(["9,/LAST/", "1,1"], [1, 9, 10], id="a number and a pattern, and another range"),
    ],
)
@pytest.mark.parametrize("state", ["committed", "changed", "untracked"])
def test_git_says_which_lines_a_function_or_a_pattern_means(ranges, lines, state, repo, agent, cli):
    repo.commit("start", {"dir/a.py": FUNCTIONS if state == "committed" else "x = 1\n", "b.py": "b\n"})
    agent()
    path = "dir/new.py" if state == "untracked" else "dir/a.py"
    repo.write(path, FUNCTIONS)
    flags = [word for text in ranges for word in ("-L", text)]

    assert numbers(cli("blame", path, *flags, "--json")) == lines
    if state == "committed":
        told = repo.git("blame", "-s", *flags, path).splitlines()
        assert [int(line.split()[1].removesuffix(")")) for line in told] == lines


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        pytest.param(":two", [8, 9], id="a function, without what comes after it"),
        pytest.param(":A.one", [3, 4, 5], id="a method of a class, with what stands above it"),
        pytest.param(":B.one", [12, 13], id="the method of another class"),
        pytest.param(":B", [11, 12, 13], id="a class"),
        pytest.param(":one", [4, 5, 6, 7], id="of several the first, as git has it"),
    ],
)
def test_a_name_means_what_is_defined(name, lines, repo, agent, cli):
    repo.commit("start", {"a.py": CLASSES, ".gitattributes": "*.py diff=python\n"})
    agent()

    assert numbers(cli("blame", "a.py", "-L", name, "--json")) == lines


@pytest.mark.slow
def test_what_begins_a_function_follows_from_the_kind_of_file(repo, agent, cli):
    text = "class A:\n    def one(self):\n        pass\n    def two(self):\n        pass\n"
    repo.commit("start", {"a.py": text, ".gitattributes": "*.py diff=python\n"})
    agent()

    assert numbers(cli("blame", "a.py", "-L", ":tw", "--json")) == [4, 5]


@pytest.mark.slow
def test_a_function_is_found_at_a_revision(repo, agent, cli):
    first = repo.commit("start", {"a.py": FUNCTIONS})
    repo.commit("gone", {"a.py": "x = 1\n"})
    agent()

    assert numbers(cli("blame", "a.py", "--rev", first, "-L", ":one", "--json")) == [3, 4]


@pytest.mark.slow
def test_nothing_is_left_in_the_repository_by_looking_for_a_function(repo, agent, cli):
    repo.commit("start", {"a.py": "x = 1\n"})
    agent()
    repo.write("a.py", FUNCTIONS)
    before = repo.git("count-objects", "-v"), repo.git("status", "--porcelain")

    cli("blame", "a.py", "-L", ":one")

    assert (repo.git("count-objects", "-v"), repo.git("status", "--porcelain")) == before


@pytest.mark.slow
def test_what_git_has_against_a_range_is_said(repo, agent, cli):
    repo.commit("start", {"a.py": FUNCTIONS})
    agent()

    for text in [":nine", "/nine/"]:
        answer = cli("blame", "a.py", "-L", text)
        assert (answer.status, answer.out) == (2, "")
        assert "no match" in answer.err.lower()


@pytest.mark.slow
def test_only_lines_by_agents(repo, agent, cli):
    repo.commit("start", {"a.py": "one\ntwo\n"})
    agent().edit("a.py", "one", "one\nagent")
    repo.write("a.py", "one\nagent\ntwo\nlate\n")

    assert numbers(cli("blame", "a.py", "--ai-only", "--json")) == [2]
    page = cli("blame", "a.py", "--ai-only").out.splitlines()
    assert len(page) == 2
    assert page[1].startswith("1 of 4 lines by agents")


@pytest.mark.slow
def test_lines_changed_since_then(repo, agent, cli):
    repo.commit("start", {"a.py": "one\n"})  # 2026-01-05T09:01
    repo.commit("more", {"a.py": "one\ntwo\n"})  # 09:02
    agent()
    repo.write("a.py", "one\ntwo\nlate\n")

    assert numbers(cli("blame", "a.py", "--since", "2026-01-05T09:01:30Z", "--json")) == [2, 3]
    assert numbers(cli("blame", "a.py", "--since", "2026-01-05T09:01:00Z", "--json")) == [1, 2, 3]
    assert numbers(cli("blame", "a.py", "--since", "30.years.ago", "--json")) == [1, 2, 3]
    assert numbers(cli("blame", "a.py", "--since", "1.days.ago", "--json")) == [3]


@pytest.mark.daily(15)
@pytest.mark.parametrize(
    "text", ["zork", "0", "2026-13-45", "2026-02-30 10:00", "13/45/2026", "31.04.2026", "yesterday 25:00", "5 pm 10:61"]
)
def test_a_time_that_means_nothing_is_refused(text, repo, agent, cli):
    repo.commit("start", {"a.py": "one\n"})
    agent()

    answer = cli("blame", "a.py", "--since", text)
    assert (answer.status, answer.out) == (2, "")
    assert "no moment" in answer.err


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "2026/01/05 09:01:30",
        "1/5/2026 09:01:30",
        "5.1.2026 09:01:30",
        "2026-01-05 09:01:30 +0000",
        "Jan 5 2026 09:01:30",
    ],
)
def test_a_time_may_be_written_in_any_way_that_git_reads(text, repo, agent, cli, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    repo.commit("start", {"a.py": "one\n"})  # 2026-01-05T09:01
    repo.commit("more", {"a.py": "one\ntwo\n"})  # 09:02
    agent()

    assert numbers(cli("blame", "a.py", "--since", text, "--json")) == [2]


# By what


def counted(answer, name):
    return [(row["contributor_type"], row[name], row["lines"]) for row in answer.rows]


@pytest.mark.slow
def test_lines_are_counted_by_what_they_were_written_in(repo, agent, cli):
    repo.commit("start", {"a.py": "one\n"})
    agent("session-1").edit("a.py", "one", "one\ntwo\nthree")
    agent("session-2", "claude-model-y").edit("a.py", "one", "zero\none")
    repo.write("a.py", (repo.path / "a.py").read_text() + "late\n")

    assert counted(cli("blame", "a.py", "--by", "session", "--json"), "session_id") == [
        ("ai", "session-1", 2),
        ("ai", "session-2", 1),
        ("human", None, 1),
        ("unknown", None, 1),
    ]
    assert counted(cli("blame", "a.py", "--by", "model", "--json"), "model_id")[0][1] == "anthropic/claude-model-x"
    assert counted(cli("blame", "a.py", "--by", "agent", "--json"), "agent_name")[0] == ("ai", "claude-code", 3)
    first = cli("blame", "a.py", "--by", "session", "--json").rows[0]
    assert (first["share"], first["first_line"], first["last_line"], first["ranges"]) == (0.4, 3, 4, "3-4")
    assert first["agent"] == "claude-code"


@pytest.mark.slow
def test_an_intent_is_counted_with_its_title(repo, agent, cli):
    agent()
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    cli("select", "INT-001")
    agent("session-2").write("a.py", "one\ntwo\n")

    [row] = cli("blame", "a.py", "--by", "intent", "--json").rows
    assert (row["intent_id"], row["title"], row["lines"]) == ("INT-001", "Add totals", 2)


@pytest.mark.slow
def test_the_table_of_counts_for_people(repo, agent, cli):
    agent().write("a.py", "one\ntwo\n")

    assert cli("blame", "a.py", "--by", "agent").out.splitlines() == [
        "contributor_type  agent_name   lines  share  files  first_line  last_line  ranges",
        "ai                claude-code      2    1.0      1           1          2  1-2",
    ]


# Past which commits


def revisions(cli, *words):
    return [row["vcs_revision"] for row in cli("blame", *words, "--json").rows]


@pytest.fixture
def reformatted(repo, agent):
    """Return the commit that wrote a file, and the one that put types into it."""
    first = repo.commit("one", {"a.py": "alpha = [1,\n  2]\nbeta = 'text of beta'\n"})
    second = repo.commit("typed", {"a.py": "alpha = [1,\n  2]\nbeta: str = 'text of beta'\n"})
    agent()
    return first, second


@pytest.mark.slow
@pytest.mark.parametrize("how", ["flag", "flag, abbreviated", "file", "the project's file", "a setting"])
def test_a_commit_is_looked_past(how, reformatted, repo, cli):
    first, second = reformatted
    assert revisions(cli, "a.py") == [first, first, second]
    listed = f"# types\n{second} # one\n\n"
    flags = []
    if how.startswith("flag"):
        flags = ["--ignore-rev", second if how == "flag" else second[:9]]
    elif how == "file":
        repo.write("dir/list", listed)
        flags = ["--ignore-revs-file", "dir/list"]
    elif how == "the project's file":
        repo.write(".git-blame-ignore-revs", listed)
    else:
        repo.write("list", listed)
        repo.git("config", "blame.ignoreRevsFile", "list")

    assert revisions(cli, "a.py", *flags) == [first] * 3


@pytest.mark.slow
def test_a_list_may_name_commits_that_this_clone_lacks(reformatted, repo, cli):
    first, second = reformatted
    repo.write(".git-blame-ignore-revs", f"{'1' * 40}\nno id\n{second}\n")

    answer = cli("blame", "a.py", "--json")

    assert [row["vcs_revision"] for row in answer.rows] == [first] * 3
    assert answer.status == 0
    assert answer.err == "warning: .git-blame-ignore-revs: 2 lines name no commit of this clone\n"


@pytest.mark.slow
def test_an_empty_name_forgets_the_lists_before(reformatted, repo, cli):
    first, second = reformatted
    repo.write(".git-blame-ignore-revs", f"{second}\n")

    assert revisions(cli, "a.py", "--ignore-revs-file", "") == [first, first, second]


@pytest.mark.slow
@pytest.mark.usefixtures("reformatted")
def test_a_revision_or_a_list_that_was_named_must_be_there(cli):
    assert "no revision nowhere to ignore" in cli("blame", "a.py", "--ignore-rev", "nowhere").err
    assert "cannot read" in cli("blame", "a.py", "--ignore-revs-file", "nowhere").err


@pytest.mark.slow
@pytest.mark.usefixtures("reformatted")
def test_git_says_so_where_a_setting_names_no_file(repo, cli):
    repo.git("config", "blame.ignoreRevsFile", "nowhere")

    answer = cli("blame", "a.py")
    assert answer.status == 2
    assert "could not open object name list: nowhere" in answer.err


@pytest.mark.slow
def test_a_list_that_changes_makes_another_answer(reformatted, repo, cli):
    first, second = reformatted
    assert revisions(cli, "a.py")[2] == second
    repo.write(".git-blame-ignore-revs", f"{second}\n")
    assert revisions(cli, "a.py")[2] == first
    repo.write(".git-blame-ignore-revs", "")
    assert revisions(cli, "a.py")[2] == second


@pytest.mark.slow
def test_why_looks_past_the_same_commits(reformatted, repo, cli):
    first, second = reformatted
    repo.write(".git-blame-ignore-revs", f"{second}\n")

    assert cli("why", "a.py:3", "--json").rows[0]["vcs_revision"] == first


# Following what


@pytest.mark.slow
def test_flags_of_git_mean_what_they_mean_to_git(repo, agent, cli):
    first = repo.commit("one", {"a.py": BLOCK + OTHER})
    second = repo.commit("copied", {"a.py": BLOCK + OTHER + BLOCK, "b.py": BLOCK})
    agent()

    assert revisions(cli, "a.py", "-w")[-3:] == [second] * 3
    assert revisions(cli, "a.py", "-M")[-3:] == [first] * 3
    assert revisions(cli, "a.py", "-M500")[-3:] == [second] * 3
    assert revisions(cli, "b.py", "-C") == [first] * 3
    assert revisions(cli, "b.py", "-C", "-C40", "-w", "-M20") == [first] * 3
    assert revisions(cli, "b.py", "-C500") == [second] * 3


@pytest.mark.slow
def test_a_number_that_stands_alone_is_refused(repo, agent, cli):
    agent().write("a.py", "one\n")

    assert cli("blame", "-20", "a.py").status == 2


@pytest.mark.slow
def test_meta_names_the_file(repo, agent, cli):
    agent().write("a.py", "")

    assert json.loads(cli("blame", "a.py", "--json").out) == {
        "schema_version": 1,
        "meta": {"path": "a.py", "revision": None},
        "rows": [],
    }
