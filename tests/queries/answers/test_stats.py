"""`linetrail stats`: the counts of a range and of all that is tracked, and that they add up."""

import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from linetrail.ledger.repository import find
from linetrail.projections.blame.blame import blame
from linetrail.projections.git.diff_sides import Sides
from linetrail.projections.git.target import find_target
from linetrail.projections.survival.diff_lines import difference
from linetrail.projections.survival.stats import BY, of_range
from tests.conftest import ClaudeCode, Repo
from tests.examples import examples

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
TEN = "".join(f"line number {number}\n" for number in range(1, 11))


@pytest.fixture
def worked(repo, agent, uncommitted_ledger):
    """Let two agents and a person work on three files, in four commits."""
    one, two = agent("one"), agent("two", "claude-model-y")
    repo.commit("start", {"a.py": TEN, "b.py": "b\n", "logo.png": b"\0"})
    one.edit("a.py", "line number 2\n", "line no. 2\nand more\n")
    one.write("c.py", "first\nsecond\nthird\n")
    repo.commit("one")
    two.edit("c.py", "second\n", "")
    two.bash("sed -i /9/d a.py")
    repo.commit("two")
    repo.commit("person", {"c.py": "first\nby hand\n", "b.py": "b\nbb\n"})
    return repo


def rows(answer):
    assert answer.status == 0, answer.err
    return [{key: value for key, value in row.items() if value is not None} for row in answer.rows]


@pytest.mark.slow
def test_lines_are_counted_by_who_wrote_and_who_deleted_them(worked, cli):
    answer = cli("stats", "HEAD~3..HEAD", "--json")

    assert rows(answer) == [
        {
            "contributor_type": "ai",
            "added": 3,
            "deleted": 2,
            "lost": 0,
            "lost_to": [],
        },
        {
            "contributor_type": "human",
            "added": 2,
            "deleted": 0,
            "lost": 2,
            "lost_to": [{"contributor_type": "ai", "lines": 2}],
        },
    ]
    meta = json.loads(answer.out)["meta"]
    assert meta["by"] == "class"
    assert meta["totals"] == {"files": 3, "added": 5, "deleted": 2, "moved": 0, "left_out": []}


@pytest.mark.slow
def test_by_session_one_agent_loses_lines_to_another_and_to_a_person(worked, cli):
    told = {row.get("session_id"): row for row in rows(cli("stats", "HEAD~2..HEAD", "--by", "session", "--json"))}

    assert (told["one"]["added"], told["one"]["deleted"], told["one"]["lost"]) == (0, 0, 2)
    assert told["one"]["lost_to"] == [
        {"contributor_type": "ai", "session_id": "two", "lines": 1},
        {"contributor_type": "human", "session_id": None, "lines": 1},
    ]
    assert told["two"]["deleted"] == 2


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ("class", {("ai",), ("human",)}),
        ("agent", {("ai", "claude-code"), ("human", None)}),
        ("model", {("ai", "anthropic/claude-model-x"), ("ai", "anthropic/claude-model-y"), ("human", None)}),
        ("intent", {("ai", None), ("human", None)}),
        ("session", {("ai", "one"), ("ai", "two"), ("human", None)}),
        ("author", {("ai", "Author"), ("human", "Author")}),
        ("path", {("ai", "a.py"), ("human", "a.py"), ("ai", "c.py"), ("human", "b.py"), ("human", "c.py")}),
    ],
)
def test_every_way_to_count_adds_up_to_the_same(worked, cli, by, keys):
    answer = cli("stats", "HEAD~3..HEAD", "--by", by, "--json")

    named = ("contributor_type", *BY[by])
    assert {tuple(row[name] for name in named) for row in answer.rows} == keys
    assert [sum(row[what] for row in answer.rows) for what in ("added", "deleted", "lost")] == [5, 2, 2]


@pytest.mark.slow
def test_without_a_range_the_lines_of_all_tracked_files_are_counted(worked, cli):
    worked.write("a.py", "not committed\n")

    answer = cli("stats", "--json")

    assert rows(answer) == [
        {"contributor_type": "human", "lines": 11, "presumed": 11, "mixed": 0, "share": 0.7857},
        {"contributor_type": "ai", "lines": 3, "presumed": 0, "mixed": 1, "share": 0.2142},
    ]
    assert json.loads(answer.out)["meta"]["totals"] == {
        "files": 3,
        "lines": 14,
        "known": 14,
        "known_share": 1.0,
        "recorded": 3,
        "noted": 0,
        "doubtful": 0,
        "disproved": 0,
        "left_out": [["logo.png", "binary"]],
    }


@pytest.mark.slow
def test_a_submodule_is_left_out(worked, cli):
    (worked.path / "inner").mkdir()
    worked.git("update-index", "--add", "--cacheinfo", f"160000,{worked.git('rev-parse', 'HEAD')},inner")
    worked.git("commit", "--quiet", "--message", "a submodule")

    answer = cli("stats", "--json")

    assert (answer.status, answer.err) == (0, "")
    totals = json.loads(answer.out)["meta"]["totals"]
    assert (totals["files"], totals["left_out"]) == (3, [["inner", "submodule"], ["logo.png", "binary"]])


@pytest.mark.slow
def test_another_commit_can_be_counted_too(worked, cli):
    assert cli("stats", "--rev", "HEAD~3", "--json").rows[0]["lines"] == 11


@pytest.mark.slow
def test_paths_choose_what_is_counted(worked, cli):
    assert [row["lines"] for row in cli("stats", "--json", "--", "b.py").rows] == [2]
    assert [row["added"] for row in cli("stats", "HEAD~1..HEAD", "--json", "--", "b.py").rows] == [1]


@pytest.mark.slow
def test_a_commit_of_an_agent_that_nobody_recorded_is_not_known(repo, agent, cli, uncommitted_ledger):
    agent()
    repo.commit("start", {"a.py": "one\n"})
    repo.commit("more\n\nCo-Authored-By: Claude <noreply@anthropic.com>", {"a.py": "one\ntwo\nthree\n"})

    totals = json.loads(cli("stats", "--json").out)["meta"]["totals"]

    assert (totals["known"], totals["known_share"]) == (1, 0.3333)
    assert "33% of the lines known" in cli("stats").out


@pytest.mark.slow
def test_what_is_shown(worked, cli, golden):
    shown = [
        cli("stats", *words).out
        for words in (["HEAD~3..HEAD"], ["HEAD~3..HEAD", "--by", "session"], ["HEAD..HEAD"], [], ["--by", "path"])
    ]

    golden(GOLDEN / "stats.txt", "\n".join(shown))


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["HEAD", "--rev", "HEAD"], "give a range or --rev, not both", id="range and revision"),
        pytest.param(["--rev", "nowhere"], "no revision nowhere in", id="no such revision"),
        pytest.param(["--", "nowhere.py"], "no file or folder nowhere.py in", id="no such file"),
        pytest.param(["--by", "colour"], "invalid choice", id="no such way"),
    ],
)
def test_what_cannot_be_counted_is_refused(worked, cli, words, message):
    answer = cli("stats", *words)

    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err


def test_before_the_first_commit_nothing_is_tracked(repo, agent, cli):
    agent()

    answer = cli("stats")

    assert (answer.status, answer.out) == (2, "")
    assert answer.err.endswith("next: linetrail diff\n")


@pytest.mark.in_turn
@pytest.mark.slow
def test_a_fresh_clone_counts_the_same(worked, cli, fresh_clone):
    clone = fresh_clone()

    for words in (["HEAD~3..HEAD", "--by", "session"], ["--by", "model"]):
        assert cli("stats", *words, cwd=clone) == cli("stats", *words)


LINES = st.lists(st.sampled_from([*(f"line {letter}" for letter in "abcdefgh"), "}", "", "  }"]), max_size=12)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["agent", "person", "indent", "rename", "remove", "commit"]), st.sampled_from("ab"), LINES
    ),
    min_size=2,
    max_size=8,
)

# Commit by commit the blank line of b stays; the difference of the whole range has it go.
A_BLANK_LINE_THAT_HISTORY_KEEPS = [
    ("agent", "b", ["line a"] * 7 + [""] + ["line a"] * 4),
    ("commit", "a", ["line a"] * 12),
    ("agent", "a", ["line a"] * 5),
    ("rename", "b", []),
    ("commit", "a", []),
]


@pytest.mark.in_turn
@pytest.mark.slow
@example(steps=A_BLANK_LINE_THAT_HISTORY_KEEPS)
@settings(max_examples=examples(5), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=STEPS)
def test_counts_are_those_of_git_and_add_up(steps):
    with tempfile.TemporaryDirectory() as folder:
        repo = played(Path(folder) / "project", steps)
        repository = find(str(repo.path))
        commits = repo.git("rev-list", "--reverse", "HEAD").split()
        for sides in (Sides(commits[0], commits[-1]), Sides(commits[-1], None), Sides(commits[0], None)):
            found = difference(repository, sides)
            happened = Counter(line.change for line in found.lines())

            came, went = numstat(repo, sides)
            assert happened["added"] + happened["moved"] == came
            assert happened["deleted"] + happened["moved"] == went
            assert happened["added"] - happened["deleted"] == length(repo, sides.after) - length(repo, sides.before)
            assert_authors_are_those_of_blame(repository, found)
            assert sides.after is None or all(ended(line.deleted_by) for line in found.lines() if line.deleted_by)
            for by in BY:
                assert_adds_up(of_range(found, by), happened)


def played(path, steps):
    """Make a repository out of steps; the first commit has two files, the last holds all."""
    repo = Repo(path)
    repo.start_ledger()
    (path / ".git" / "info" / "exclude").write_text(".orchestration/\n")
    repo.commit("start", {"a": "line a\nline b\n}\nline c\n", "b": "line d\n\nline e\n"})
    agent = ClaudeCode(repo, "session", "claude-model-x")
    for deed, name, lines in steps:
        file, text = path / name, "".join(f"{line}\n" for line in lines)
        if deed == "agent":
            agent.write(name, text)
        elif deed == "person":
            file.write_text(text)
        elif deed == "indent" and file.exists():
            file.write_text("".join(f"  {line}" for line in file.read_text().splitlines(keepends=True)))
        elif deed == "rename" and file.exists():
            file.rename(path / f"{name}-{len(lines)}")
        elif deed == "remove" and file.exists():
            file.unlink()
        elif deed == "commit":
            repo.commit("step")
    return repo


def numstat(repo, sides):
    """Return what git counts, with files that it is not told of yet."""
    repo.git("add", "--intent-to-add", ".")
    wanted = [side for side in sides if side]
    told = [line.split("\t") for line in repo.git("diff", "--numstat", "-w", "-M", *wanted).splitlines()]
    return sum(int(came) for came, *_ in told), sum(int(went) for _, went, *_ in told)


def length(repo, revision):
    """Count the lines of all files of a side."""
    if revision is not None:
        return sum(repo.git("show", f"{revision}:{name}").count("\n") + 1 for name in filled(repo, revision))
    return sum(file.read_text().count("\n") for file in repo.path.iterdir() if file.is_file())


def filled(repo, revision):
    listed = repo.git("ls-tree", "-r", "--long", revision).splitlines()
    return [line.split("\t")[1] for line in listed if line.split()[3] != "0"]


def assert_authors_are_those_of_blame(repository, found):
    for file in found.files:
        if file.diff.old is None or not file.hunks:
            continue
        told = blame(repository, find_target(repository, file.diff.old, found.sides.before)).attributions
        for line in (line for hunk in file.hunks for line in hunk if line.change == "deleted"):
            assert line.by == told[line.line_no - 1]


def ended(by):
    """Tell whether a change or a commit is known to have taken a line away."""
    return by.event_id is not None or by.vcs_revision is not None


def assert_adds_up(counted, happened):
    *_, lost_to = zip(*counted.table.rows, strict=True) if counted.table.rows else ([],)
    records = list(counted.table.mappings())
    assert sum(row["added"] for row in records) == happened["added"]
    assert sum(row["deleted"] for row in records) == happened["deleted"]
    assert [row["lost"] for row in records] == [sum(one["lines"] for one in to) for to in lost_to]
    assert sum(row["lost"] for row in records) == happened["deleted"]


@pytest.mark.slow
def test_what_only_a_note_of_another_tool_says_is_known_and_not_recorded(repo, agent, cli, uncommitted_ledger):
    agent().write("a.py", "one = 1\n")
    repo.write("a.py", "one = 1\ntwo = 2\nthree = 3\nfour = 4\n")
    repo.commit("start")
    keys = {
        "schema_version": "authorship/3.0.0",
        "base_commit_sha": "0" * 40,
        "prompts": {},
        "sessions": {"s_c9883b05a2487d": {"agent_id": {"tool": "cursor", "id": "conv_1", "model": "model-y"}}},
    }
    note = f"a.py\n  s_c9883b05a2487d 2\n  h_31dce776f88375 3\n---\n{json.dumps(keys)}"
    repo.git("notes", "--ref=ai", "add", "--file=-", stdin=note)
    cli("import", "gitai-notes")

    answer = cli("stats", "--json")

    totals = json.loads(answer.out)["meta"]["totals"]
    assert {row["contributor_type"]: (row["lines"], row["presumed"]) for row in rows(answer)} == {
        "ai": (2, 0),
        "human": (2, 1),
    }
    assert (totals["lines"], totals["known"], totals["recorded"], totals["noted"]) == (4, 4, 1, 2)
    assert "100% of the lines known, 25% recorded, 50% noted by other tools" in cli("stats").out
