"""Our part of a person's file: put in, changed and taken out, and nothing else in it moves."""

import os
import stat
import subprocess
import sys
import threading

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linetrail.ledger.knowledge import marked_part
from linetrail.ledger.knowledge.marked_part import MarkedTextError, begin, created, drop, end, put, read, take
from linetrail.ledger.repository import find
from tests.examples import examples

UTF_16 = (b"\xff\xfe", b"\xfe\xff")
BLOCK = f"{begin('x')}\nours\n{end('x')}\n"

person_lines = st.sampled_from(
    ["# Rules", "", "- one", "text  ", "```", "```py", "~~~~", "<!-- note -->", "<!--", "-->", "é\u2028ü", "    ```"]
)
files = st.builds(
    lambda bom, lines, newline, last: (bom + newline.join(lines) + (newline if last and lines else "")).encode(),
    st.sampled_from(["", "\ufeff"]),
    st.lists(person_lines, max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
raw_files = st.binary(max_size=60).filter(lambda content: b"\0" not in content and content[:2] not in UTF_16)
inners = st.lists(st.sampled_from(["- a", "", "é", "\u2028 x", "<b>"]), max_size=4).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@pytest.fixture
def project(repo):
    repo.start_ledger()
    return find(str(repo.path))


@settings(max_examples=examples(60))
@given(files | raw_files, inners, inners)
def test_what_was_put_in_comes_out_and_leaves_no_trace(content, first, second):
    try:
        with_first = put(content, "x", first)
    except MarkedTextError as error:
        assume("still open" not in str(error))
        raise

    assert take(with_first, "x") == first
    assert put(with_first, "x", second) == put(content, "x", second)
    assert drop(with_first, "x") == content
    assert drop(put(with_first, "y", second), "x") == put(content, "y", second) or not content


@given(files, inners, st.sampled_from(["more", "more\n", "more\r\n"]))
def test_what_is_added_behind_our_part_stays(content, inner, more):
    try:
        ours = put(content + b"\n", "x", inner)
    except MarkedTextError:
        return

    changed = put(ours + more.encode(), "x", "other\n")

    assert drop(changed, "x") == content + b"\n" + more.encode()


@given(
    st.lists(st.sampled_from([begin("x"), end("x"), begin("y"), end("y"), "```", "<!--", "text", "-->"]), max_size=7)
)
def test_any_disorder_of_markers_is_refused_or_survives(lines):
    content = "".join(f"{line}\n" for line in lines).encode()
    try:
        changed = put(content, "x", "ours\n")
    except MarkedTextError:
        return

    assert take(changed, "x") == "ours\n"
    outside = [line for line in lines if line not in (begin("x"), end("x"))]
    if take(content, "x") is None:
        assert drop(changed, "x").decode().splitlines() == outside
    else:
        assert put(changed, "x", take(content, "x")) == content


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(begin("x") + "\nours\n", id="no end"),
        pytest.param("ours\n" + end("x") + "\n", id="no beginning"),
        pytest.param(begin("x")[:-4] + "\nours\n" + end("x") + "\n", id="a torn first line"),
        pytest.param(begin("x") + "\nours\n" + end("x")[:-4], id="a torn last line"),
        pytest.param(BLOCK + BLOCK, id="twice"),
        pytest.param(begin("x") + "\n" + BLOCK + end("x") + "\n", id="one in itself"),
        pytest.param(begin("y") + "\n" + BLOCK + end("y") + "\n", id="one in another"),
        pytest.param("```\n" + BLOCK + "```\n", id="in a code fence"),
        pytest.param(f"{begin('x')}\n```\n{end('x')}\n", id="a code fence that swallows the end"),
        pytest.param("<!--\n" + BLOCK, id="in a comment"),
        pytest.param("see " + BLOCK, id="behind other text"),
        pytest.param("  " + BLOCK, id="indented"),
        pytest.param(end("x") + "\n" + begin("x") + "\n", id="the wrong way round"),
        pytest.param(begin("x").replace("begin", "begin ") + "\n" + end("x"), id="spelled otherwise"),
        pytest.param("```\nnever closed\n", id="nothing yet, and a code fence is open at the end"),
        pytest.param("\ufeffa".encode("utf-16-le").decode("latin-1"), id="UTF-16"),
    ],
)
def test_a_file_with_broken_markers_is_left_alone(repo, project, content):
    file = repo.write("CLAUDE.md", content)
    before = file.stat().st_mtime_ns, file.read_bytes()

    with pytest.raises(MarkedTextError, match=r"CLAUDE\.md"):
        marked_part.edit(project, str(file), lambda content: put(content or b"", "x", "new\n"))

    assert (file.stat().st_mtime_ns, file.read_bytes()) == before


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("`linetrail:begin x` is what it is called\n", id="a marker's name in a sentence"),
        pytest.param("~~~\n```\n~~~\n", id="a fence in a fence"),
        pytest.param("``` not `one\n", id="code in a line that is no fence"),
        pytest.param("    ```\n", id="an indented line that is no fence"),
        pytest.param("<!-- one line --> and more\n", id="a comment that was closed"),
    ],
)
def test_what_only_looks_like_trouble_is_no_trouble(content):
    assert drop(put(content.encode(), "x", "ours\n"), "x") == content.encode()


@pytest.mark.parametrize("inner", ["no newline", f"{end('x')}\n", f"{begin('y')}\n", "```\n", "a\rb\n"])
def test_a_text_that_would_break_out_is_a_bug_of_the_caller(inner):
    with pytest.raises((ValueError, MarkedTextError)):
        put(b"mine\n", "x", inner)


def test_a_file_that_we_made_is_told_from_an_empty_one():
    assert marked_part.is_all_ours(created("x", "ours\n"), "x")
    assert not marked_part.is_all_ours(put(b"", "x", "ours\n"), "x")
    assert marked_part.without_part(created("x", "ours\n"), "x") is None
    assert marked_part.without_part(put(b"", "x", "ours\n"), "x") == b""
    assert marked_part.without_part(created("x", "ours\n") + b"mine", "x") == b"mine"


def test_permissions_stay_and_no_write_is_made_for_nothing(repo, project):
    file = repo.write("CLAUDE.md", "mine\n")
    file.chmod(0o640)

    assert marked_part.edit(project, str(file), lambda content: put(content, "x", "ours\n"))
    inode = file.stat().st_ino
    assert not marked_part.edit(project, str(file), lambda content: put(content, "x", "ours\n"))

    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert file.stat().st_ino == inode


def test_a_link_is_not_followed(repo, project):
    repo.write("elsewhere.md", "mine\n")
    link = repo.path / "CLAUDE.md"
    link.symlink_to("elsewhere.md")

    with pytest.raises(MarkedTextError, match=r"symbolic link to elsewhere\.md"):
        marked_part.edit(project, str(link), lambda _: b"x")

    assert (repo.path / "elsewhere.md").read_text() == "mine\n"


@pytest.mark.parametrize("kind", ["folder", "pipe", "huge"])
def test_what_is_no_ordinary_file_is_refused(repo, project, kind):
    path = repo.path / "CLAUDE.md"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"x" * (marked_part.MAX_BYTES + 1))

    with pytest.raises(MarkedTextError):
        read(str(path))


def test_what_an_editor_saves_meanwhile_is_kept(repo, project):
    file = repo.write("CLAUDE.md", "mine\n")
    saves = iter(["saved once\n", "saved twice\n"])

    def change(content):
        for text in saves:
            file.write_text(text)
            break
        return put(content, "x", "ours\n")

    assert marked_part.edit(project, str(file), change)
    assert drop(file.read_bytes(), "x") == b"saved twice\n"


@pytest.mark.slow
def test_many_processes_lose_nothing(repo, project):
    program = """
import sys
from linetrail.ledger.knowledge import marked_part
from linetrail.ledger.repository import find
project, name = find(sys.argv[1]), sys.argv[2]
def add(content):
    inner = (marked_part.take(content, "x") or "") if content else ""
    return marked_part.with_part(content, "x", f"{inner}{name}\\n")
for _ in range(10):
    marked_part.edit(project, sys.argv[1] + "/CLAUDE.md", add, seconds=20)
"""
    running = [subprocess.Popen([sys.executable, "-c", program, repo.path, str(n)]) for n in range(4)]

    assert [process.wait() for process in running] == [0] * 4
    assert sorted(take((repo.path / "CLAUDE.md").read_bytes(), "x").split()) == sorted("0123" * 10)
    assert os.listdir(repo.path / ".orchestration" / "state") == ["locks"]


@pytest.mark.slow
def test_readers_see_the_old_file_or_the_new(repo, project):
    file = repo.write("CLAUDE.md", "mine\n")
    seen, stop = set(), threading.Event()

    def watch():
        while not stop.is_set():
            seen.add(file.read_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    wanted = {put(b"mine\n", "x", f"{n}\n" * 2000) for n in range(20)}
    for number in range(20):
        marked_part.edit(project, str(file), lambda content, n=number: put(content, "x", f"{n}\n" * 2000))
    stop.set()
    watcher.join()

    assert seen <= wanted | {b"mine\n"}
