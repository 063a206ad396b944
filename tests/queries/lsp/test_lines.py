"""What an editor is shown of each line: the same as `linetrail why` and `linetrail blame`, saved or not."""

import os
import random
import shutil
import subprocess

import pytest
from lsprotocol import types
from pygls import uris

from tests.conftest import command

pytestmark = pytest.mark.slow
FILE = "billing/invoice.py"


@pytest.fixture
def invoice(editor, shop):
    """The demonstration's invoice, open in an editor."""
    used = editor()
    return used, used.open(shop / FILE)


@pytest.mark.parametrize("preset", ["neovim", "emacs", "vscode"])
def test_a_line_tells_why_it_is_as_it_is(editor, shop, preset):
    used = editor(preset=preset)

    said = used.hover(used.open(shop / FILE), 30)

    for part in ("INT-003", "claude-code", "price is ambiguous now", "D-3", "keep price as an alias", "observed"):
        assert part in said.replace("\\", "")
    assert said.startswith("**author** claude-code")


def test_an_editor_that_shows_no_markdown_gets_the_lines_of_the_terminal(editor, shop, cli):
    used = editor(markdown=False)

    said = used.hover(used.open(shop / FILE), 30)

    (_, *told) = cli("-C", str(shop), "why", f"{FILE}:30").out.splitlines()
    assert said.splitlines() == [line.removeprefix("  ") for line in told]


def test_the_intent_leads_to_the_registry(invoice, shop):
    used, uri = invoice
    registry = uris.from_fs_path(str(shop / ".orchestration/active_intents.yaml"))

    assert f"[INT-003]({registry}#L17)" in used.hover(uri, 30)


def test_a_hint_stands_behind_the_line_of_the_cursor_alone(invoice):
    used, uri = invoice
    used.ask("text_document_document_highlight", used.at(types.DocumentHighlightParams, uri, 31))
    (before,) = used.hints(uri)

    used.ask("text_document_document_highlight", used.at(types.DocumentHighlightParams, uri, 30))

    (hint,) = used.hints(uri)
    assert before.position.line == 30
    assert hint.label.startswith("INT-003 · claude-code · ")
    assert hint.label.endswith(" · observed")
    assert (hint.position.line, hint.position.character) == (29, 69)
    assert "INT-003" in used.ask("inlay_hint_resolve", hint).tooltip.value


def test_hints_stand_behind_every_line_or_none_as_a_person_wishes(invoice):
    used, uri = invoice

    used.set(hints="file")
    everywhere = used.hints(uri, 29, 33)
    used.set(hints="off")

    assert [one.position.line for one in everywhere] == [28, 29, 30, 31, 32]
    assert used.hints(uri) == ()


def test_definitions_tell_what_agents_had_to_do_with_them_where_a_person_wants_it(invoice):
    used, uri = invoice
    asked = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    before = used.ask("text_document_code_lens", asked)

    used.set(lens=True)

    told = {one.range.start.line + 1: one.command.title for one in used.ask("text_document_code_lens", asked)}
    assert before == ()
    assert told[29] == "2 of 2 lines by agents · 1 session · INT-003"


def test_a_text_that_is_not_saved_is_explained_as_it_stands(invoice, shop):
    used, uri = invoice
    before = used.hover(uri, 30)

    used.edit(uri, "# new\n\n" + (shop / FILE).read_text())

    now = used.hover(uri, 32)
    assert now.partition("**evidence**")[0] == before.replace("lines 29-30", "lines 31-32").partition("**evidence**")[0]
    assert "carried, confidence 0.9" in now  # nobody recorded this text
    assert "**author** unknown" in used.hover(
        uri, 1
    )  # somebody was refused a change of this file, and may have made it


@pytest.mark.in_turn
def test_every_text_has_the_answer_that_blame_gives_of_the_saved_file(editor, repo, agent, cli):
    """Random edits of a file, held in the editor and then written: both say the same of each line."""
    repo.start_ledger()
    work = agent()
    work.prompt("write it")
    work.write("a.py", "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(12)))
    repo.commit("a")
    used = editor()
    used.set(hints="file")
    uri = used.open(repo.path / "a.py")
    drawn = random.Random(7)
    lines = (repo.path / "a.py").read_text().splitlines()
    for _ in range(12):
        at = drawn.randrange(len(lines))
        match drawn.choice(["insert", "delete", "move", "change"]):
            case "insert":
                lines.insert(at, f"new = {drawn.random()}")
            case "delete":
                del lines[at]
            case "move":
                lines.append(lines.pop(at))
            case "change":
                lines[at] += "  # changed"
        text = "\n".join(lines) + "\n"

        used.edit(uri, text)
        seen = {one.position.line + 1: one.label.rpartition(" · ")[2] for one in used.hints(uri)}

        saved = (repo.path / "a.py").read_bytes()
        repo.write("a.py", text)
        told = {row["line_no"]: row["evidence"] for row in cli("blame", "a.py", "--json").rows}
        repo.write("a.py", saved)
        assert seen == {number: evidence for number, evidence in told.items() if evidence != "none"}


@pytest.mark.in_turn
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_places_are_counted_in_the_units_of_the_editor(editor, repo, agent, encoding):
    repo.start_ledger()
    agent().write("a.py", 'name = "😀é"  # INT-001\n')
    used = editor(encoding=encoding)
    uri = used.open(repo.path / "a.py")
    used.set(hints="file")

    (hint,) = used.hints(uri)

    units = {"utf-8": 26, "utf-16": 23, "utf-32": 22}[encoding]
    assert (used.started.capabilities.position_encoding, hint.position.character) == (encoding, units)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        pytest.param("a = 'é'\r\nb = 2\r\n".encode(), "a = 'é'\r\nb = 2\r\n", id="lines end as on Windows"),
        pytest.param("a = 'é'\nb = 2\n".encode("latin-1"), "a = 'é'\nb = 2\n", id="Latin-1, read as such"),
        pytest.param("a = 'é'\nb = 2\n".encode("latin-1"), "a = '\ufffd'\nb = 2\n", id="Latin-1, read as UTF-8"),
        pytest.param(b"\xef\xbb\xbfa = 1\nb = 2\n", "a = 1\nb = 2\n", id="a byte order mark, left out"),
        pytest.param(b"a = 1\x0c\nb = 2", "a = 1\x0c\nb = 2", id="a form feed, and no newline at the end"),
    ],
)
def test_a_file_in_any_encoding_is_the_one_on_the_disk(editor, repo, agent, raw, shown):
    repo.start_ledger()
    work = agent()
    with work.tool("Write", {"file_path": str(repo.path / "a.py"), "content": "x"}, {}):
        repo.write("a.py", raw)
    used = editor()
    uri = used.open(repo.path / "a.py", shown)
    used.set(hints="file")

    assert [one.label.rpartition(" · ")[2] for one in used.hints(uri)] == ["observed", "observed"]


def test_what_is_in_no_ledger_gets_no_answer(editor, tmp_path, repo):
    file = tmp_path / "alone.py"
    file.write_text("x = 1\n")
    repo.commit("a", {"b.py": "x = 1\n"})
    used = editor()

    for uri in (used.open(file), used.open(repo.path / "b.py"), used.open("/nowhere/at all.py", "x = 1\n")):
        assert used.hover(uri, 1) is None
        assert used.hints(uri) == ()
        assert used.diagnostics(uri) == ()
        assert used.actions(uri, 1, 1) == ()


def test_a_binary_file_and_a_symbolic_link_get_no_answer(editor, repo, agent):
    repo.start_ledger()
    agent().write("a.py", "x = 1\n")
    os.symlink("a.py", repo.path / "link.py")
    used = editor()

    assert used.hover(used.open(repo.path / "raw.bin", "x\0y\n"), 1) is None
    assert used.hover(used.open(repo.path / "link.py"), 5) is None


def test_several_repositories_are_open_at_once(editor, repo, agent, shop):
    repo.start_ledger()
    agent(model="other").write("a.py", "x = 1\n")
    used = editor()

    assert "INT-003" in used.hover(used.open(shop / FILE), 30)
    assert "other" in used.hover(used.open(repo.path / "a.py"), 1)


def test_a_worktree_has_the_answers_of_its_own_checkout(editor, repo, agent, cli, tmp_path):
    repo.start_ledger()
    agent(model="other").write("a.py", "x = 1\n")
    repo.commit()
    beside = tmp_path / "beside"
    repo.git("worktree", "add", "--quiet", str(beside))
    (beside / "a.py").write_text("# typed here\nx = 1\n")
    used = editor()
    used.set(hints="file")
    uri = used.open(beside / "a.py")

    seen = [(one.position.line + 1, one.label.rpartition(" · ")[2]) for one in used.hints(uri)]

    told = [(row["line_no"], row["evidence"]) for row in cli("-C", str(beside), "blame", "a.py", "--json").rows]
    assert [*told[:1], *seen] == [(1, "none"), *told[1:]]
    assert "other" in used.hover(uri, 2)


def test_what_an_editor_takes_back_is_not_worked_out(editor, repo, agent, tmp_path, monkeypatch):
    repo.start_ledger()
    agent().write("a.py", "x = 1\n")
    repo.commit("more", {f"a{number}.py": f"x = {number}\n" for number in range(20)})
    git, asked = _noted_git(tmp_path)
    monkeypatch.setenv("PATH", f"{git.parent}{os.pathsep}{os.environ['PATH']}")
    used = editor(repo.path)  # of its own, for it finds another git
    files = [types.TextDocumentIdentifier(used.open(repo.path / f"a{number}.py")) for number in range(20)]
    used.hover(used.open(repo.path / "a.py"), 1)
    before = asked()

    for number, file in enumerate(files):
        params = types.HoverParams(file, types.Position(0, 0))
        used.loop.call_soon_threadsafe(_send, used.client, params, f"hover-{number}")
    for number in range(len(files)):
        used.tell("cancel_request", types.CancelParams(f"hover-{number}"))
    used.edit(used.open(repo.path / "a.py"), "x = 1\n\n")
    used.hover(used.open(repo.path / "a.py"), 1)

    assert before == 1
    assert asked() - before <= 3, "the one that was asked last, one that had begun, and one that was let in meanwhile"


def test_what_is_recorded_meanwhile_is_seen_at_the_next_question(editor, repo, agent):
    repo.start_ledger()
    work = agent()
    work.write("a.py", "x = 1\n")
    used = editor()
    uri = used.open(repo.path / "a.py")
    assert "Write" in used.hover(uri, 1)

    work.edit("a.py", "x = 1", "x = 2")
    used.edit(uri, "x = 2\n")

    assert "Edit" in used.hover(uri, 1)


def test_damage_is_said_once_and_the_rest_is_answered(editor, repo, agent):
    repo.start_ledger()
    work = agent()
    work.write("a.py", "x = 1\n")
    work.write("b.py", "x = 1\n")
    tail = repo.path / ".orchestration/agent_trace.jsonl"
    lines = tail.read_bytes().splitlines(keepends=True)
    tail.write_bytes(b"".join([*lines[:-1], lines[-1].replace(b'"v":', b'"V":', 1), b"torn"]))
    used = editor()
    uri = used.open(repo.path / "a.py")

    used.hover(uri, 1)
    used.hover(uri, 1)

    assert len([one for one in used.client.log_messages if "agent_trace.jsonl" in one.message]) == 1


@pytest.mark.in_turn
def test_hostile_words_stay_words(editor, repo, agent):
    repo.start_ledger()
    work = agent()
    work.prompt("[click](command:evil) <img src=x onerror=alert(1)> `x` **bold** \u202e\x1b[31m")
    work.write("a.py", "x = 1\n")
    used = editor()

    said = used.hover(used.open(repo.path / "a.py"), 1)

    assert "\\[click\\](command:evil) \\<img" in said
    assert "\u202e" not in said
    assert "\x1b" not in said


@pytest.mark.in_turn
def test_a_client_may_add_the_option_that_names_the_pipe():
    ended = subprocess.run(
        [command("linetrail"), "lsp", "--stdio"], check=False, input=b"", capture_output=True, timeout=60
    )

    assert (ended.returncode, ended.stdout) == (0, b""), ended.stderr


def test_no_process_is_left_behind_a_question(invoice):
    used, uri = invoice

    used.edit(uri, "# another text\n")
    used.hover(uri, 1)

    server = used.client._server.pid  # noqa: SLF001  the client has no other name for it
    with open(f"/proc/{server}/task/{server}/children") as file:
        assert file.read().split() == []


def _noted_git(folder):
    """Return a git that notes how often it is asked who wrote lines, and a function that returns how often."""
    notes, git = folder / "asked", folder / "bin/git"
    git.parent.mkdir()
    notes.touch()
    git.write_text(
        f"""#!/bin/sh
case " $* " in *" blame "*) echo >> '{notes}' ;; esac
exec '{shutil.which("git")}' "$@"
"""
    )
    git.chmod(0o755)
    return git, lambda: len(notes.read_text().splitlines())


def _send(client, params, name):
    client.protocol.send_request("textDocument/hover", params, msg_id=name)
