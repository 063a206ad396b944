"""`classify RANGE`: what two revisions differ in, judged as one change, and held against what its commits say."""

import json
import os
import subprocess

import pytest

TOTAL = "def total(lines):\n    result = 0\n    for line in lines:\n        result += line\n    return result\n"
RENAMED = TOTAL.replace("result", "amount")
CHANGED = TOTAL.replace("= 0", "= 1")
USE = "from a import total\n\nprint(total([1, 2]))\n"


@pytest.fixture
def history(repo):
    """Return a function that makes a first commit with these files, and one for each message with what it changes."""

    def make(files, *later):
        repo.commit("first", files)
        return [repo.commit(message, changed) for message, changed in later]

    return make


def document(answer):
    told = json.loads(answer.out)
    return told["meta"], told["rows"]


def labels(answer):
    return {row["path"]: (row["label"], row["kind"]) for row in answer.rows}


def test_what_is_not_committed_is_judged_by_default_new_files_included(repo, cli, history):
    history({"a.py": TOTAL})
    repo.write("a.py", RENAMED)
    repo.write("new.py", "x = 1\n")

    meta, rows = document(cli("classify", "--json"))

    assert [(row["path"], row["label"]) for row in rows] == [("a.py", "refactor"), ("new.py", "evolution")]
    assert (meta["label"], meta["mutation_class"]) == ("evolution", "INTENT_EVOLUTION")
    assert rows[0].keys() == {
        "path",
        "from_path",
        "label",
        "kind",
        "mutation_class",
        "evidence",
        "rule_version",
    }


def test_a_file_that_changed_in_the_second_of_the_commit_is_judged(repo, cli):
    """Its times and its size are as they were, and git knows by the time of the index that this says nothing."""
    file, index, moment = repo.path / "a.py", repo.path / ".git" / "index", (1_767_225_600, 1_767_225_600)
    repo.git("config", "core.trustctime", "false")
    repo.write("a.py", TOTAL)
    os.utime(file, moment)
    repo.commit()
    repo.write("a.py", RENAMED)
    repo.write("new.py", "x = 1\n")
    os.utime(file, moment)
    os.utime(index, moment)

    _, rows = document(cli("classify", "--json"))

    assert [row["path"] for row in rows] == ["a.py", "new.py"]


def test_a_rename_with_its_users_is_one_refactor(cli, history):
    history(
        {"a.py": TOTAL, "b.py": USE},
        ("rename", {"a.py": TOTAL.replace("total", "summed"), "b.py": USE.replace("total", "summed")}),
    )

    meta, rows = document(cli("classify", "HEAD^!", "--json"))

    assert (meta["label"], meta["kind"]) == ("refactor", "rename")
    assert [row["label"] for row in rows] == ["refactor", "refactor"]


@pytest.mark.daily(7)
@pytest.mark.parametrize("between", ["HEAD~1..HEAD", "HEAD~1..", "HEAD~1...HEAD", "HEAD^!", "HEAD~1"])
def test_a_range_is_read_as_by_diff(cli, history, between):
    history({"a.py": TOTAL}, ("change", {"a.py": CHANGED}))

    assert labels(cli("classify", between, "--json")) == {"a.py": ("evolution", "unproved")}


def test_the_first_commit_is_compared_with_nothing(cli, history):
    history({"a.py": TOTAL})

    assert labels(cli("classify", "HEAD^!", "--json")) == {"a.py": ("evolution", "created")}


def test_a_file_that_was_moved_says_from_where(repo, cli, history):
    history({"a.py": TOTAL})
    repo.git("mv", "a.py", "b.py")

    [row] = cli("classify", "--json").rows

    assert (row["path"], row["from_path"], row["label"]) == ("b.py", "a.py", "refactor")
    assert "a.py -> b.py" in cli("classify").out


def test_paths_choose_files(cli, history):
    history({"a.py": TOTAL, "b.py": "x = 1\n"}, ("both", {"a.py": RENAMED, "b.py": "x = 2\n"}))

    meta, rows = document(cli("classify", "HEAD^!", "--json", "--", "a.py"))

    assert [row["path"] for row in rows] == ["a.py"]
    assert meta["label"] == "refactor"


def test_a_file_of_text_makes_no_evolution_of_the_code_beside_it(cli, history):
    history({"a.py": TOTAL, "notes.txt": "one\n"}, ("both", {"a.py": RENAMED, "notes.txt": "two\n"}))

    found = labels(cli("classify", "HEAD^!", "--json"))

    assert found["a.py"] == ("refactor", "rename")
    assert found["notes.txt"][0] == "evolution"


def test_a_link_has_no_program_in_it(repo, cli, history):
    history({"a.py": TOTAL})
    (repo.path / "link.py").symlink_to("a.py")
    repo.commit("link")

    meta, [row] = document(cli("classify", "HEAD^!", "--json"))

    assert (row["path"], row["label"], row["kind"]) == ("link.py", "evolution", "unparsed")
    assert meta["label"] == "evolution"


def test_nothing_that_differs_has_no_class(cli, history):
    history({"a.py": TOTAL})

    meta, rows = document(cli("classify", "--json"))

    assert (meta["label"], meta["mutation_class"], rows) == (None, None, [])
    assert cli("classify").out == "nothing differs\n"


def test_people_are_shown_labels_and_reasons(cli, history):
    history({"a.py": TOTAL, "b.py": "x = 1\n"}, ("both", {"a.py": RENAMED, "b.py": "x = 2\n"}))

    short, long = cli("classify", "HEAD^!"), cli("classify", "HEAD^!", "--explain")

    assert short.out.splitlines()[:2] == ["refactor   rename    a.py", "evolution  unproved  b.py"]
    assert short.out.splitlines()[2].startswith("evolution (INTENT_EVOLUTION): ")
    assert len(short.out.splitlines()) == 3
    assert "    renamed local `result` to `amount` (3 uses)\n" in long.out


@pytest.mark.daily(5)
@pytest.mark.parametrize(
    ("files", "wanted", "status"),
    [
        ({"a.py": RENAMED}, "evolution", 0),
        ({"a.py": CHANGED}, "evolution", 1),
        ({"a.py": CHANGED}, "contradiction", 1),
        ({"a.py": RENAMED}, "contradiction", 0),
    ],
)
def test_continuous_integration_can_fail_on_what_it_finds(cli, history, files, wanted, status):
    history({"a.py": TOTAL}, ("refactor: tidy", files))

    assert cli("classify", "HEAD^!", "--fail-on", wanted).status == status
    assert cli("classify", "HEAD^!").status == 0


@pytest.mark.daily(4)
@pytest.mark.parametrize(
    ("message", "files", "code"),
    [
        pytest.param("refactor: tidy", {"a.py": CHANGED}, "REFACTOR_NOT_PROVED", id="a refactor that is none"),
        pytest.param("style(core): lines", {"a.py": CHANGED}, "REFACTOR_NOT_PROVED", id="style that changes a value"),
        pytest.param("docs: words", {"a.py": CHANGED}, "REFACTOR_NOT_PROVED", id="docs that change a value"),
        pytest.param("fix: sum", {"a.py": RENAMED}, "FIX_CHANGES_NOTHING", id="a fix that changes nothing"),
        pytest.param("refactor: tidy", {"a.py": RENAMED}, None, id="a refactor"),
        pytest.param("fix: sum", {"a.py": CHANGED}, None, id="a fix"),
        pytest.param("feat: sum", {"a.py": RENAMED}, None, id="a feature that begins with a refactor"),
        pytest.param("perf: sum", {"a.py": RENAMED}, None, id="faster, and the same"),
        pytest.param("refactor!: sum", {"a.py": CHANGED}, None, id="a refactor that says that it breaks"),
        pytest.param("Refactoring", {"a.py": CHANGED}, None, id="a word that is no type"),
        pytest.param("docs: tell", {"README.md": "# New\n", "notes.txt": "x\n"}, None, id="a manual is no program"),
        pytest.param("refactor: tidy", {"a.py": RENAMED, "data.bin": b"\0"}, None, id="what is no text proves nothing"),
    ],
)
def test_a_commit_is_held_against_what_it_says(cli, history, message, files, code):
    history({"a.py": TOTAL}, (message, files))

    answer = cli("classify", "HEAD~1..HEAD", "--json")

    contradictions = document(answer)[0]["contradictions"]
    assert [(row["subject"], row["contradiction"]) for row in contradictions] == ([(message, code)] if code else [])
    assert ("warning: " in answer.err) is bool(code)
    [row] = cli("classify", "HEAD~1..HEAD", "--commits", "--json").rows
    assert row["contradiction"] == code


def test_each_commit_has_a_row(repo, cli, history):
    made = history(
        {"a.py": TOTAL},
        ("refactor: names", {"a.py": RENAMED}),
        ("fix: start at one", {"a.py": RENAMED.replace("= 0", "= 1")}),
        ("words", {"notes.txt": "x\n"}),
    )

    rows = cli("classify", "HEAD~3..HEAD", "--commits", "--json").rows

    assert [row["vcs_revision"] for row in rows] == made[::-1]
    assert [(row["declared_class"], row["mutation_class"]) for row in rows] == [
        (None, "INTENT_EVOLUTION"),
        ("BUG_FIX", "BUG_FIX"),
        ("AST_REFACTOR", "AST_REFACTOR"),
    ]
    assert cli("classify", "HEAD~3..HEAD", "--commits").out.count("\n") == 3


def test_a_contradicted_commit_is_named_with_its_files(cli, history):
    [revision] = history({"a.py": TOTAL}, ("refactor: tidy", {"a.py": CHANGED}))
    told = f'{revision[:10]} "refactor: tidy" says that it changes no behaviour, which is not proved: a.py'

    assert cli("classify", "HEAD^!").err == f"warning: {told}\n"
    assert cli("classify", "HEAD^!", "--commits").out.splitlines()[-1] == f"! {told}"


def test_merges_and_what_a_shallow_clone_cannot_compare_are_left_out(repo, cli, history, tmp_path):
    history({"a.py": TOTAL}, ("refactor: tidy", {"a.py": CHANGED}), ("refactor: names", {"a.py": CHANGED + "x = 1\n"}))
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "clone")], check=True)

    shallow = cli("classify", "HEAD^!", cwd=tmp_path / "clone")

    assert (shallow.status, "git fetch --unshallow" in shallow.err) == (2, True)
    assert len(cli("classify", "HEAD~2..HEAD", "--commits", "--json").rows) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("nowhere..HEAD",),
        ("HEAD", "--", "nowhere.py"),
        ("--commits",),
        ("HEAD", "--commits"),
        ("HEAD", "--record"),
        ("--event", "x", "--session", "y"),
        ("--fail-on", "anything"),
    ],
)
def test_what_makes_no_sense_is_refused(cli, history, arguments):
    history({"a.py": TOTAL})

    assert cli("classify", *arguments).status == 2


def test_a_range_needs_no_ledger(repo, cli, history):
    history({"a.py": TOTAL}, ("change", {"a.py": CHANGED}))

    assert cli("classify", "HEAD^!").status == 0
    assert not (repo.path / ".orchestration").exists()
    assert cli("classify", "--record").status == 2
