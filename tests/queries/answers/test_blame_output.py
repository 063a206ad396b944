"""What `linetrail blame` remembers, and how it says it to people and to tools."""

import json
import os
import re
import shutil
import subprocess

import pytest

from tests.conftest import command

pytestmark = [pytest.mark.usefixtures("uncommitted_ledger"), pytest.mark.in_turn]


# What is remembered


@pytest.mark.slow
def test_a_fresh_clone_gives_the_same_answer(repo, agent, cli, fresh_clone):
    repo.commit("start", {"a.py": "alpha\nbeta\n"})
    agent("session-1").edit("a.py", "beta", "beta\nagent one")
    repo.write("a.py", "person\nalpha\nbeta\nagent one\n")
    agent("session-2").edit("a.py", "beta", "beta changed")
    repo.commit()
    here = cli("blame", "a.py", "--json").out
    for name in ("objects", "state", "cache"):
        shutil.rmtree(repo.path / ".orchestration" / name)

    assert cli("blame", "a.py", "--json").out == here
    assert cli("blame", "a.py", "--json", cwd=fresh_clone()).out == here


@pytest.mark.slow
@pytest.mark.parametrize("form", ["--json", "--porcelain", "--line-porcelain"])
def test_a_remembered_answer_is_the_answer(form, repo, agent, cli):
    repo.commit("start", {"a.py": "alpha\nbeta\n"})
    agent().edit("a.py", "beta", "beta\nagent")
    repo.commit()

    assert cli("blame", "a.py", form).out == cli("blame", "a.py", form).out
    assert len(list((repo.path / ".orchestration" / "cache" / "blame").iterdir())) == 1


@pytest.mark.slow
def test_asking_again_loads_no_database_and_does_without_git(repo, agent, cli, linetrail):
    repo.commit("start", {"a.py": "alpha\nbeta\n"})
    agent().edit("a.py", "beta", "beta\nagent")
    cli("blame", "a.py")

    warm = linetrail("blame", "a.py", env={"PYTHONPROFILEIMPORTTIME": "1", "PATH": "/nonexistent"})

    assert warm.returncode == 0
    assert "linetrail.projections.lines.attribution" in warm.stderr
    assert "duckdb" not in warm.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda _, session: session.edit("a.py", "beta", "gamma"), id="an edit"),
        pytest.param(lambda repo, _: repo.commit(), id="a commit"),
        pytest.param(lambda repo, _: repo.git("mv", "a.py", "b.py"), id="a staged rename"),
    ],
)
def test_whatever_an_answer_follows_from_makes_a_new_one(change, repo, agent, cli):
    repo.commit("start", {"a.py": "alpha\nbeta\ngone\n"})
    session = agent()
    session.edit("a.py", "gone", "new")
    before = cli("blame", "a.py", "--json").out
    change(repo, session)
    path = "b.py" if (repo.path / "b.py").exists() else "a.py"
    warm = cli("blame", path, "--json").out
    shutil.rmtree(repo.path / ".orchestration" / "cache")

    assert cli("blame", path, "--json").out == warm
    assert warm != before


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut off"),
        pytest.param(b"[]", id="something else"),
        pytest.param(b'{"attributions": [], "places": [], "commits": [], "lines": [[0, 0, 1]]}', id="parts missing"),
    ],
)
def test_a_damaged_memory_is_forgotten(damage, repo, agent, cli):
    agent().write("a.py", "one\n")
    here = cli("blame", "a.py", "--json").out
    [file] = (repo.path / ".orchestration" / "cache" / "blame").iterdir()
    file.write_bytes(damage)

    assert cli("blame", "a.py", "--json").out == here


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_ledger_that_cannot_be_written_is_read_all_the_same(repo, agent, who):
    agent().write("a.py", "one\n")
    shutil.rmtree(repo.path / ".orchestration" / "cache", ignore_errors=True)
    folder = repo.path / ".orchestration"
    folder.chmod(0o500)
    try:
        assert who("a.py") == ["session-1"]
    finally:
        folder.chmod(0o700)


@pytest.mark.slow
def test_a_cache_that_cannot_be_made_is_no_error(repo, agent, who):
    agent().write("a.py", "one\n")
    shutil.rmtree(repo.path / ".orchestration" / "cache", ignore_errors=True)
    (repo.path / ".orchestration" / "cache").write_text("a file where a folder should be")

    assert who("a.py") == ["session-1"]


# For people and for tools


@pytest.mark.slow
def test_the_page_for_people(repo, agent, cli):
    first = repo.commit("start", {"a.py": "total = 1\nkeep\n"})
    agent().edit("a.py", "total = 1", "total = 2\nnew")
    repo.write("a.py", (repo.path / "a.py").read_text() + "late\n")

    day = repo.events("mutation.observed")[0].timestamp[:10]
    assert cli("blame", "a.py").out.splitlines() == [
        f"   claude-code  session-  {day}  ~    1) total = 2",
        f"   claude-code  session-  {day}       2) new",
        f"-  (Author)     {first[:8]}  2026-01-05       3) keep",
        "?  unknown                                 4) late",
        "2 of 4 lines by agents, 1 mixed, 1 human (1 presumed), 1 unknown | 75% known | linetrail why a.py:1",
    ]


@pytest.mark.slow
def test_the_page_names_the_command_that_tells_more(repo, agent, cli):
    agent().write("it is.py", "one\n")
    repo.commit()

    page = cli("blame", "it is.py", "--rev", "HEAD").out
    assert page.endswith("| linetrail why 'it is.py:1' --rev HEAD\n")


@pytest.mark.slow
def test_the_command_that_tells_more_works_where_one_stands(repo, agent, cli):
    agent().write("dir/a.py", "one\n")

    assert cli("blame", "a.py", cwd=repo.path / "dir").out.endswith("| linetrail why a.py:1\n")
    assert cli("-C", "dir", "blame", "a.py").out.endswith("| linetrail -C dir why a.py:1\n")


@pytest.mark.independent
@pytest.mark.slow
@pytest.mark.parametrize("asked", [["."], ["--rev", "HEAD"]], ids=" ".join)
@pytest.mark.parametrize(
    "path",
    [
        "-dash.py",
        "-C/a.py",
        "it's.py",
        "$HOME`id`.py",
        "tab\there.py",
        "new\nline.py",
        "back\\slash.py",
        "größe.py",
        pytest.param(os.fsdecode(b"caf\xe9 '\\x.py"), id="not UTF-8"),
    ],
)
def test_a_shell_understands_the_command_that_tells_more(path, asked, repo, agent, cli):
    agent()
    repo.commit("start", {path: "one\n"})

    hint = cli("blame", *asked, *(["--", path] if asked != ["."] else [])).out.splitlines()[-1].rpartition(" | ")[2]

    assert hint.isprintable()
    assert in_shell(hint, repo)["text"] == "one"


@pytest.mark.slow
@pytest.mark.parametrize("path", ["-dash.py", "it's.py", pytest.param(os.fsdecode(b"caf\xe9\n.py"), id="not UTF-8")])
def test_a_shell_understands_the_command_for_a_file_that_is_gone(path, repo, agent, cli):
    agent()
    repo.commit("start", {path: "one\n"})
    (repo.path / path).unlink()

    assert in_shell(cli("blame", "--", path).err.rpartition("next: ")[2].strip(), repo)["text"] == "one"


def in_shell(hint, repo):
    """Run a command as a person would paste it, and return the only row of its answer."""
    run = subprocess.run(
        ["bash", "-c", f"{hint} --json"],
        cwd=repo.path,
        env=os.environ | {"PATH": f"{os.path.dirname(command('linetrail'))}:{os.environ['PATH']}"},
        capture_output=True,
        check=True,
    )
    [row] = json.loads(run.stdout)["rows"]
    return row


@pytest.mark.slow
def test_a_ledger_without_an_event_is_warned_of(repo, agent, cli):
    repo.commit("start", {"a.py": "one\n"})
    repo.start_ledger()
    empty = cli("blame", "a.py")
    agent()

    assert empty.status == 0
    assert empty.err == ("warning: nothing is recorded in this worktree yet, so git alone speaks (linetrail try)\n")
    assert cli("blame", "a.py").err == ""


@pytest.mark.slow
def test_what_steers_a_terminal_is_not_shown(repo, agent, cli):
    agent().write("a.txt", "\x1b[31mred\tand\x07\n")

    assert "\x1b" not in cli("blame", "a.txt").out
    assert cli("blame", "a.txt", "--json").rows[0]["text"] == "\x1b[31mred\tand\x07"


@pytest.mark.slow
def test_no_colour_where_nobody_sees_it(repo, agent, linetrail):
    agent().write("a.py", "one\n")

    assert "\033[" not in linetrail("blame", "a.py").stdout


def parsed(output: str) -> list[dict[str, str]]:
    """Read porcelain as the tools do: a heading, headers, and the line behind a tab."""
    lines: list[dict[str, str]] = []
    commits: dict[str, dict[str, str]] = {}
    for block in re.findall(r"((?:[^\t].*\n)+)\t(.*)\n", output):
        heading, *headers = block[0].splitlines()
        sha, place = heading.split(" ", 1)
        told = dict(header.partition(" ")[::2] for header in headers)
        commit = commits.setdefault(sha, {})
        commit |= {key: value for key, value in told.items() if not key.startswith("linetrail-")}
        lines.append(commit | told | {"sha": sha, "place": place, "text": block[1]})
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("form", ["--porcelain", "--line-porcelain"])
def test_porcelain_reads_as_gits_own_does(form, repo, agent, cli):
    repo.commit("start", {'quo"te.py': "alpha\nbeta\n\tgamma  \n"})
    agent().edit('quo"te.py', "beta", "beta\nagent")
    repo.commit("a subject with  spaces")
    repo.commit("later", {'quo"te.py': "late\n" + (repo.path / 'quo"te.py').read_bytes().decode()})

    ours = cli("blame", 'quo"te.py', form).out

    theirs = parsed(repo.git("blame", form, 'quo"te.py') + "\n")
    assert [{k: v for k, v in line.items() if not k.startswith("linetrail-")} for line in parsed(ours)] == theirs
    assert [line["linetrail-contributor"] for line in parsed(ours)] == ["human", "human", "human", "ai", "human"]
    assert parsed(ours)[3]["linetrail-session"] == "session-1"


@pytest.mark.slow
def test_porcelain_keeps_the_bytes_of_the_line(repo, agent, linetrail):
    repo.commit("start", {"a.txt": b"caf\xe9\n"})
    agent()

    command = [linetrail("--version").args[0], "blame", "--porcelain", "a.txt"]
    done = subprocess.run(command, cwd=repo.path, capture_output=True, check=True)
    assert done.stdout.endswith(b"\tcaf\xe9\n")


def told(command, repo, *words):
    """Return what a blame prints, without our own headers and without the moment at which it was asked."""
    done = subprocess.run([*command, "blame", *words], cwd=repo.path, capture_output=True, check=True)
    ours = re.sub(rb"(?m)^linetrail-.*\n", b"", done.stdout)
    return re.sub(rb"(?m)(Not Committed Yet\n(?:.*\n)??(?:author|committer)-time) \d+$", rb"\1 now", ours)


@pytest.mark.independent
@pytest.mark.slow
@pytest.mark.parametrize("form", ["--porcelain", "--line-porcelain"])
@pytest.mark.parametrize("ranges", [[], ["-L2,4"], ["-L1,2", "-L5,6"]], ids=["all", "a range", "two ranges"])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("a.py", id="plain"),
        pytest.param("a b.py", id="with a space"),
        pytest.param('quo"te\\.py', id="quoted"),
        pytest.param("t\tab.py", id="with a tab"),
        pytest.param("caf\xe9.py", id="not ASCII"),
    ],
)
def test_porcelain_is_gits_own_but_for_our_headers(name, ranges, form, repo, agent, linetrail):
    repo.commit("start", {"old.py": "alpha\nbeta\ngamma\n"})
    repo.git("mv", "old.py", name)
    repo.commit("renamed", {name: "alpha\nbeta\ngamma\ndelta one\n"})
    repo.commit("a subject with  spaces", {name: "zero\nalpha\n  beta\ngamma\ndelta one\n"})
    agent().edit(name, "gamma", "gamma\nby an agent")
    repo.write(name, (repo.path / name).read_text() + "not committed\n")
    ours = linetrail("--version").args[:1]

    for words in ([form, *ranges, name], [form, *ranges, "HEAD", "--", name]):
        asked = words if "HEAD" not in words else [form, *ranges, "--rev", "HEAD", name]
        theirs = ["-w", *words]
        assert told(ours, repo, *asked) == told(["git"], repo, *theirs)


@pytest.mark.slow
def test_porcelain_names_a_commit_with_several_files_as_git_does(repo, agent, linetrail):
    one, two = ("".join(f"{word} of file {at} with words\n" for at in range(6)) for word in ("first", "second"))
    repo.commit("start", {"one.py": one, "two.py": two})
    repo.commit("joined", {"one.py": one + two, "two.py": "x\n"})
    repo.commit("between", {"one.py": one + "between the two\n" + two})
    repo.git("rm", "-q", "two.py")
    repo.commit("gone")
    agent()
    ours = linetrail("--version").args[:1]

    for form in ("--porcelain", "--line-porcelain"):
        assert told(ours, repo, form, "-C", "one.py") == told(["git"], repo, "-w", "-C", form, "one.py")


@pytest.mark.slow
def test_porcelain_names_the_root_as_git_does(repo, agent, linetrail):
    repo.commit("start", {"a.py": "one\ntwo\n"})
    agent()
    ours = linetrail("--version").args[:1]

    assert b"boundary\n" in told(ours, repo, "--porcelain", "a.py")
    assert told(ours, repo, "--porcelain", "a.py") == told(["git"], repo, "-w", "--porcelain", "a.py")


@pytest.mark.slow
def test_names_are_quoted_as_git_is_set_to(repo, agent, linetrail):
    repo.commit("start", {"caf\xe9.py": "one\n"})
    repo.git("config", "core.quotePath", "false")
    agent()
    ours = linetrail("--version").args[:1]

    assert told(ours, repo, "--porcelain", "caf\xe9.py") == told(["git"], repo, "-w", "--porcelain", "caf\xe9.py")
