"""`check-path` and `check-ignore`: the functions of the hook, asked by a person or a program."""

import json
import subprocess

import pytest

from tests.conftest import command


@pytest.fixture
def ask(repo, linetrail):
    """Return a function that asks about rows, or about raw lines, and returns status and answers."""

    def run(*rows, options=()):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        done = linetrail("check-path", "--pairs", "-", *options, stdin="".join(f"{line}\n" for line in lines))
        assert done.stderr == ""
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    return run


def test_each_line_gets_an_answer_with_its_id(ask):
    status, answers = ask(
        {"id": "a", "scope": ["src/**"], "path": "src/a.py"},
        {"id": 2, "scope": ["src/**"], "path": "README.md"},
        {"scope": ["/src"], "path": "src/a.py"},
    )

    assert status == 0
    assert [(row["id"], row["verdict"], row["code"]) for row in answers] == [
        ("a", "allow", "IN_SCOPE"),
        (2, "deny", "OUT_OF_SCOPE"),
        (None, "deny", "INVALID_SCOPE"),
    ]
    assert all(row["reason"] for row in answers)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param("", "INVALID_JSON", id="an empty line"),
        pytest.param("[]", "INVALID_JSON", id="no object"),
        pytest.param('{"id": 1,', "INVALID_JSON", id="half an object"),
        pytest.param("[" * 100_000, "INVALID_JSON", id="too deep"),
        pytest.param('{"id": NaN}', "INVALID_JSON", id="no number"),
        pytest.param('{"id": 1e999}', "INVALID_JSON", id="a number too large"),
        pytest.param('{"id": 1}', "INVALID_FIELD", id="no path"),
        pytest.param('{"id": 1, "path": "a", "scope": "src"}', "INVALID_FIELD", id="a scope that is no list"),
        pytest.param('{"id": 1, "path": "a", "scope": [1]}', "INVALID_FIELD", id="a pattern that is no text"),
        pytest.param('{"id": 1, "path": "a", "scope": [], "op": "read"}', "INVALID_FIELD", id="another operation"),
        pytest.param('{"id": 1, "path": "a", "scope": [], "cwd": 1}', "INVALID_FIELD", id="a folder that is no text"),
    ],
)
def test_a_line_that_cannot_be_judged_does_not_stop_the_others(ask, line, code):
    good = {"id": "good", "scope": ["**"], "path": "a"}
    status, answers = ask(line, good)

    assert status == 1
    assert answers[0]["error"]["code"] == code
    assert answers[1]["verdict"] == "allow"


def test_a_byte_that_is_not_utf_8_costs_its_line(repo, cli, tmp_path):
    (tmp_path / "pairs").write_bytes(b'{"id": "\xff"}\n{"id": 2, "scope": ["**"], "path": "a"}')

    answer = cli("check-path", "--pairs", str(tmp_path / "pairs"))

    assert answer.status == 1
    assert [json.loads(line)["id"] for line in answer.out.splitlines()] == [None, 2]


def test_half_of_a_surrogate_pair_is_answered(ask):
    _, answers = ask('{"id": "\\ud800", "scope": ["**"], "path": "a\\udfff"}')

    assert (answers[0]["id"], answers[0]["verdict"]) == ("\ud800", "deny")


def test_the_root_may_be_another_folder(ask, tmp_path):
    (tmp_path / "other").mkdir()
    row = {"id": 1, "scope": ["a"], "path": str(tmp_path / "other" / "a")}

    assert ask(row)[1][0]["verdict"] == "deny"
    assert ask(row, options=("--root", str(tmp_path / "other")))[1][0]["verdict"] == "allow"


@pytest.mark.parametrize(
    "options", [("--pairs", "missing"), ("--pairs", "-", "--root", "missing"), ("--root", ".")], ids=" ".join
)
def test_what_cannot_be_read_is_a_usage_error(cli, options):
    answer = cli("check-path", *options)

    assert (answer.status, answer.out) == (2, "")


def test_an_answer_comes_before_the_next_question(repo):
    asking = subprocess.Popen(
        [command("linetrail"), "check-path", "--pairs", "-"],
        cwd=repo.path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with asking:
        for number in range(3):
            asking.stdin.write(json.dumps({"id": number, "scope": ["**"], "path": "a"}).encode() + b"\n")
            asking.stdin.flush()
            assert json.loads(asking.stdout.readline())["id"] == number
        asking.stdin.close()
        assert asking.wait() == 0


class TestCheckIgnore:
    @pytest.fixture(autouse=True)
    def _exempt(self, repo):
        (repo.start_ledger() / ".intentignore").write_text("# notes\n*.md\n!API.md\nscratch/\n")

    def test_what_is_exempt_is_printed(self, cli):
        answer = cli("check-ignore", "docs/x.md", "src/a.py", "scratch/a.py", "API.md")

        assert (answer.status, answer.out) == (0, "docs/x.md\nscratch/a.py\n")

    def test_the_pattern_is_named_as_git_names_it(self, cli):
        answer = cli("check-ignore", "-v", "docs/x.md", "API.md", "a.py")

        lines = [".orchestration/.intentignore:2:*.md\tdocs/x.md", ".orchestration/.intentignore:3:!API.md\tAPI.md"]
        assert (answer.status, answer.out.splitlines()) == (0, lines)

    def test_git_answers_alike(self, repo, cli):
        (repo.path / "docs").mkdir()
        (repo.path / "scratch").mkdir()
        asked = ["docs/x.md", "API.md", "scratch", "../docs/x.md", "x.py", str(repo.path / "y.md"), 'a "b".md', "ä.md"]
        git = ["git", "-c", "core.excludesFile=.orchestration/.intentignore", "-c", "core.quotePath=false"]
        done = subprocess.run(
            [*git, "check-ignore", "--no-index", "-v", *asked[:3]],
            cwd=repo.path,
            capture_output=True,
            text=True,
            check=True,
        )

        assert cli("check-ignore", "-v", *asked[:3]).out == done.stdout
        assert cli("check-ignore", *asked[3:], cwd=repo.path / "docs").out.splitlines() == ["../docs/x.md", *asked[5:]]

    def test_nothing_exempt_is_a_finding(self, cli):
        answer = cli("check-ignore", "src/a.py")

        assert (answer.status, answer.out) == (1, "")

    def test_what_is_protected_is_never_exempt(self, repo, cli):
        (repo.path / ".orchestration" / ".intentignore").write_text("*\n")

        assert cli("check-ignore", ".git/config", ".claude/settings.json", "a").out == "a\n"

    def test_paths_come_from_stdin_as_well(self, linetrail):
        done = linetrail("check-ignore", "--stdin", stdin="a.md\na.py\nb.md\n")

        assert (done.returncode, done.stdout) == (0, "a.md\nb.md\n")

    def test_a_file_that_cannot_be_used_is_an_error(self, repo, cli):
        (repo.path / ".orchestration" / ".intentignore").write_bytes(b"\xff\n")
        answer = cli("check-ignore", "a.md")

        assert (answer.status, answer.out) == (2, "")
        assert "not UTF-8" in answer.err

    @pytest.mark.parametrize("arguments", [(), ("--stdin", "a"), ("../x",), (".",), ("/etc/passwd",)], ids=str)
    def test_what_makes_no_sense_is_a_usage_error(self, cli, arguments):
        assert cli("check-ignore", *arguments).status == 2

    def test_a_link_is_judged_by_what_it_leads_to(self, repo, cli):
        (repo.path / "a.md").symlink_to("a.py")
        (repo.path / "b.py").symlink_to("b.md")

        assert cli("check-ignore", "a.md", "b.py").out == "b.py\n"

    def test_a_folder_is_exempt_with_all_that_is_in_it(self, cli):
        assert cli("check-ignore", "scratch/", "src/").out == "scratch/\n"
