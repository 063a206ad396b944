"""`linetrail blame` of several files and of folders in one call."""

import json

import pytest

pytestmark = pytest.mark.usefixtures("uncommitted_ledger")


@pytest.fixture
def project(repo, agent):
    """Return the repository with a few tracked files, one of them binary, and lines of an agent in two."""
    repo.commit(
        "start",
        {"src/a.py": "one\ntwo\n", "src/sub/b.py": "three\n", "src/logo.png": b"\0\1\2", "top.py": "four\n"},
    )
    session = agent()
    session.edit("src/a.py", "two", "two\nagent")
    session.edit("top.py", "four", "four\nagent")
    repo.write("src/untracked.py", "late\n")
    return repo


def places(answer):
    return [(row["path"], row["line_no"], row["contributor_type"]) for row in answer.rows]


@pytest.mark.slow
def test_several_files_are_answered_in_one_document(project, cli):
    answer = cli("blame", "top.py", "src/a.py", "--json")

    assert places(answer) == [
        ("top.py", 1, "human"),
        ("top.py", 2, "ai"),
        ("src/a.py", 1, "human"),
        ("src/a.py", 2, "human"),
        ("src/a.py", 3, "ai"),
    ]
    assert json.loads(answer.out)["meta"]["paths"] == ["top.py", "src/a.py"]
    assert list(answer.rows[0])[:3] == ["path", "line_no", "text"]


@pytest.mark.slow
def test_rows_of_several_files_are_those_that_each_has_alone(project, cli):
    together = [{k: v for k, v in row.items() if k != "path"} for row in cli("blame", ".", "--json").rows]

    alone = [row for path in ("src/a.py", "src/sub/b.py", "top.py") for row in cli("blame", path, "--json").rows]
    assert together == alone


@pytest.mark.slow
def test_a_folder_stands_for_its_tracked_files(project, cli):
    answer = cli("blame", "src", "--json")

    assert [place[:2] for place in places(answer)] == [
        ("src/a.py", 1),
        ("src/a.py", 2),
        ("src/a.py", 3),
        ("src/sub/b.py", 1),
    ]
    assert answer.status == 0
    assert answer.err == "note: left out 1 file without lines, binary or not on the disk: src/logo.png\n"


@pytest.mark.slow
def test_a_folder_at_a_revision_has_the_files_it_had(project, cli):
    first = project.git("rev-parse", "HEAD")
    project.git("rm", "-q", "--cached", "src/sub/b.py")
    project.commit("later", {"src/new.py": "five\n"})

    assert {place[0] for place in places(cli("blame", "src", "--rev", first, "--json"))} == {"src/a.py", "src/sub/b.py"}
    assert places(cli("blame", "src/sub", "--rev", first, "--json")) == [("src/sub/b.py", 1, "human")]


@pytest.mark.slow
def test_files_that_are_gone_from_the_disk_are_left_out(project, cli):
    (project.path / "src" / "sub" / "b.py").unlink()

    answer = cli("blame", "src", "--json")

    assert {place[0] for place in places(answer)} == {"src/a.py"}
    assert "left out 2 files" in answer.err


@pytest.mark.slow
def test_the_ledgers_own_files_links_and_submodules_are_no_files_of_a_folder(project, cli):
    (project.path / "link.py").symlink_to("top.py")
    project.git("add", "--force", "link.py", ".orchestration/agent_trace.jsonl")

    assert {place[0] for place in places(cli("blame", ".", "--json"))} == {"src/a.py", "src/sub/b.py", "top.py"}


@pytest.mark.slow
def test_each_page_has_a_heading_that_can_be_typed(project, cli):
    page = cli("blame", ".", cwd=project.path / "src").out.splitlines()

    assert [line for line in page if line.startswith("==>")] == ["==> a.py <==", "==> sub/b.py <=="]
    assert page[4].endswith("| linetrail why a.py:3")
    assert page[5] == ""
    assert "==>" not in cli("blame", "top.py").out


def test_a_missing_file_among_several_is_refused(project, cli):
    answer = cli("blame", "top.py", "gone.py", "--json")

    assert answer.status == 2
    assert "no file gone.py" in answer.err


@pytest.mark.slow
def test_counts_are_over_all_files(project, cli):
    rows = cli("blame", ".", "--by", "agent", "--json").rows

    assert [(row["contributor_type"], row["lines"], row["files"], row["ranges"]) for row in rows] == [
        ("human", 4, 3, None),
        ("ai", 2, 2, None),
    ]


@pytest.mark.slow
def test_only_lines_by_agents_of_a_folder(project, cli):
    assert places(cli("blame", ".", "--ai-only", "--json")) == [("src/a.py", 3, "ai"), ("top.py", 2, "ai")]


@pytest.mark.parametrize("flags", [["-L", "1,2"], ["--porcelain"], ["--line-porcelain"]])
def test_what_speaks_of_one_file_is_refused_for_several(flags, project, cli):
    answer = cli("blame", "src", *flags)

    assert answer.status == 2
    assert "one file" in answer.err


@pytest.mark.parametrize("form", ["--porcelain", "--line-porcelain"])
def test_counts_have_no_form_of_gits_blame(form, project, cli):
    answer = cli("blame", "top.py", "--by", "agent", form)

    assert (answer.status, answer.out) == (2, "")
    assert f"--by counts lines and {form} prints them" in answer.err


@pytest.mark.slow
def test_counts_are_of_the_lines_that_are_asked_for(project, cli):
    rows = cli("blame", ".", "--by", "agent", "--ai-only", "--json").rows

    assert [(row["contributor_type"], row["lines"], row["share"]) for row in rows] == [("ai", 2, 1.0)]


@pytest.mark.slow
def test_a_file_that_is_named_twice_is_answered_once(project, cli):
    once = cli("blame", ".", "--json").rows

    assert cli("blame", ".", "src/a.py", "src/../src", "--json").rows == once
    named = places(cli("blame", "top.py", "src/a.py", "top.py", "--json"))
    assert list(dict.fromkeys(path for path, *_ in named)) == ["top.py", "src/a.py"]
    assert len(named) == 5
    assert [row["lines"] for row in cli("blame", ".", "top.py", "--by", "agent", "--json").rows] == [4, 2]
    assert cli("blame", "top.py", "./top.py", "--rev", "HEAD").out == cli("blame", "top.py", "--rev", "HEAD").out
    committed = ("--porcelain", "--rev", "HEAD")  # what is not committed has the time of the answer
    assert cli("blame", "top.py", "top.py", *committed).out == cli("blame", "top.py", *committed).out


def test_an_empty_path_names_no_file(project, cli):
    for words in (["blame", ""], ["blame", "top.py", ""], ["blame", "", "--rev", "HEAD"], ["diff", "--", ""]):
        answer = cli(*words)

        assert (answer.status, answer.out) == (2, "")
        assert answer.err == "error: an empty path names no file; write . for the folder you are in\n"


def test_a_folder_without_tracked_files_has_no_rows(project, cli):
    project.write("empty/new.py", "one\n")

    for folder in ("empty", ".orchestration", ".git"):
        answer = cli("blame", folder, "--json")
        assert (answer.status, answer.rows) == (0, [])
        assert answer.err == f"note: no file that git tracks in {folder}\n"


@pytest.mark.slow
def test_a_link_to_a_folder_is_no_folder(project, cli):
    (project.path / "link").symlink_to("src")

    answer = cli("blame", "link")

    assert (answer.status, answer.out) == (2, "")
    assert "link is a symbolic link to src" in answer.err
    assert [row["contributor_type"] for row in cli("blame", "link/a.py", "--json").rows] == ["human", "human", "ai"]
    assert [place[0] for place in places(cli("blame", ".", "--json", cwd=project.path / "link"))][-1] == "src/sub/b.py"
