"""Conversations in notes of old stay out of the ledger; what git still has is given back byte for byte."""

import json
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.event.schema import problems
from linetrail.ledger.files import git_blob
from linetrail.queries.importers.notes.authorship import read
from linetrail.queries.importers.notes.note_text import kept

pytestmark = pytest.mark.in_turn

PROMPT = "abcd1234abcd1234"
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
# Every message says it, so whatever of one is found in a file is found.
SAID = "the moon is made of cheese"
MESSAGES = [
    {"type": "user", "text": f"{SAID}, write that into moon.py", "timestamp": "2025-11-05T10:00:00.000Z"},
    {"type": "thinking", "text": f'Is it so that "{SAID}"? \\ {{[ \u2014 yes'},
    {"type": "plan", "text": f"1. {SAID}\n2. done"},
    {
        "type": "tool_use",
        "name": "Write",
        "input": {"file_path": "moon.py", "content": f"MOON = '{SAID}'\nTOKEN = '{TOKEN}'\n", "messages": [SAID]},
    },
    {"type": "assistant", "text": f"Done: {SAID}."},
]
RECORD = {
    "agent_id": {"tool": "claude", "id": "conv_1", "model": "claude-x"},
    "human_author": "Developer <dev@example.org>",
    "messages": MESSAGES,
    "total_additions": 2,
    "total_deletions": 0,
    "accepted_lines": 2,
    "overriden_lines": 0,
    "messages_url": "https://cas.example.org/cas/0123456789abcdef",
}
KEYS = {
    "schema_version": "authorship/3.0.0",
    "git_ai_version": "1.0.20",
    "base_commit_sha": "7734793b756b3921c88db5375a8c156e9532447b",
    "prompts": {PROMPT: RECORD},
}
ABOVE = f"moon.py\n  {PROMPT} 1-2\n---\n"


def old(messages=MESSAGES, indent=2, **fields):
    """Return a note as git-ai wrote it before 1.3.4, with these messages."""
    prompts = {PROMPT: RECORD | {"messages": messages}}
    return ABOVE + json.dumps(KEYS | {"prompts": prompts} | fields, indent=indent, ensure_ascii=False)


@pytest.fixture
def noted(repo, cli):
    """Return a function that attaches a note to a commit of its own and imports all notes."""
    repo.start_ledger()
    commit = repo.commit("first", {"moon.py": "one\ntwo\n"})

    def run(text, status=0):
        content = text if isinstance(text, bytes) else text.encode()
        made = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"], cwd=repo.path, input=content, check=True, capture_output=True
        )
        repo.git("notes", "--ref=ai", "add", "--force", "-C", made.stdout.decode().strip(), commit)
        answer = cli("import", "gitai-notes", "--json")
        assert answer.status == status, answer.err
        assert [found for line in repo.lines() for found in problems(line)] == []
        return commit

    return run


def exported(cli, folder, cwd):
    """Return the bytes of the notes that are exported there, by commit."""
    assert cli("export", "gitai-notes", "--out", str(folder), cwd=cwd).status == 0
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def everything(repo):
    """Return the bytes of all files below .orchestration, one behind the other."""
    return b"\0".join(file.read_bytes() for file in (repo.path / ".orchestration").rglob("*") if file.is_file())


def text_of(repo):
    """Return the text of the note that was imported last, as the ledger has it."""
    parts = []
    for event in repo.events("authorship.stated"):
        if (event.data.get("part") or 1) == 1:
            parts = []
        parts.append(event.data.get("raw") or "")
    return "".join(parts)


def fact(text):
    """Return what a note says, as one value."""
    note = read(text)
    return note.base, note.generator, note.authors, note.files


@pytest.mark.slow
def test_no_word_of_a_conversation_is_in_any_file(repo, noted, cli):
    noted(old())
    cli("seal")
    cli("rebuild", "--full")

    assert SAID.encode() not in everything(repo)
    assert b"cheese" not in everything(repo)
    assert TOKEN.encode() not in everything(repo)


def test_the_rest_is_kept_exactly_with_a_mark(repo, noted):
    noted(old())

    (event,) = repo.events()
    assert event.data["raw"] == old(messages=[])
    assert event.data["received"] == {"file": "refs/notes/ai", "line": 1, "left_out": ["messages"]}
    assert event.data["note"] == git_blob(old(messages=[]).encode())


@pytest.mark.slow
def test_the_facts_are_those_of_the_whole_note(repo, noted, cli):
    noted(old())

    (event,) = repo.events()
    assert fact(event.data["raw"]) == fact(old())
    (row, _) = cli("blame", "moon.py", "--json").rows
    assert (row["agent_name"], row["session_id"], row["evidence"]) == ("claude-code", "conv_1", "external")


@pytest.mark.slow
def test_importing_twice_imports_nothing(repo, noted):
    noted(old())
    before = repo.lines()

    noted(old())

    assert repo.lines() == before


@pytest.mark.parametrize("messages", [[], {}, "", None], ids=json.dumps)
def test_a_note_without_a_conversation_has_no_mark(messages):
    text = old(messages=messages)

    found = kept(text.encode())

    assert (found.text, found.left_out) == (text, [])


@pytest.mark.slow
def test_where_git_has_the_note_it_leaves_byte_for_byte(repo, noted, cli, tmp_path):
    commit = noted(old())

    assert exported(cli, tmp_path / "out", repo.path) == {commit: old().encode()}


@pytest.mark.slow
def test_a_note_with_a_secret_alone_leaves_byte_for_byte_too(repo, noted, cli, tmp_path):
    text = old(messages=[], custom={"token": TOKEN})
    commit = noted(text)

    assert TOKEN.encode() not in everything(repo)
    assert exported(cli, tmp_path / "out", repo.path) == {commit: text.encode()}


@pytest.mark.slow
def test_a_note_that_only_the_past_of_the_ref_has_leaves_byte_for_byte(repo, noted, cli, tmp_path):
    commit = noted(old())
    repo.git("notes", "--ref=ai", "add", "--force", "--message=by somebody else", commit)

    assert exported(cli, tmp_path / "out", repo.path) == {commit: old().encode()}


@pytest.mark.slow
def test_another_note_is_never_taken_for_it(repo, noted, cli, tmp_path):
    commit = noted(old())
    repo.git("update-ref", "-d", "refs/notes/ai")
    repo.git("notes", "--ref=ai", "add", "--file=-", commit, stdin=old(git_ai_version="1.0.21"))

    assert exported(cli, tmp_path / "out", repo.path) == {commit: old(messages=[]).encode()}


@pytest.mark.slow
def test_a_clone_without_the_notes_exports_a_note_that_says_the_same(repo, noted, cli, tmp_path):
    noted(old())
    cli("seal")
    repo.commit("seal")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", repo.path, clone], check=True)
    shutil.rmtree(repo.path)

    (content,) = exported(cli, tmp_path / "out", clone).values()

    assert fact(content.decode()) == fact(old())
    assert b"cheese" not in content
    assert json.loads(content.partition(b"\n---\n")[2])["prompts"][PROMPT] == RECORD | {"messages": []}
    assert cli("export", "gitai-notes", "--write", cwd=clone).err == "1 note written to refs/notes/ai\n"
    assert cli("import", "gitai-notes", "--json", cwd=clone).rows[0]["duplicates"] == 1


@pytest.mark.slow
def test_a_long_conversation_costs_no_event_of_its_own(repo, noted, cli, tmp_path):
    text = old(messages=MESSAGES * 5_000)
    commit = noted(text)

    (event,) = repo.events()
    assert event.data["raw"] == old(messages=[])
    assert exported(cli, tmp_path / "out", repo.path) == {commit: text.encode()}


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("text", "raw"),
    [
        pytest.param(old(messages=SAID), old(messages=""), id="a text in the place of a list"),
        pytest.param(old(messages={"a": [SAID]}), old(messages={}), id="an object in the place of a list"),
        pytest.param(old(messages=[[[{"x": SAID}]]]), old(messages=[]), id="lists within lists"),
        pytest.param(old(messages={"messages": [SAID]}), old(messages={}), id="messages within messages"),
        pytest.param(old(messages=None), old(messages=None), id="none"),
        pytest.param(old(messages=5), old(messages=5), id="a number"),
        pytest.param(old(indent=None), old(messages=[], indent=None), id="all in one line"),
        pytest.param(
            old().replace('"messages"', '"mess\\u0061ges"'),
            old(messages=[]).replace('"messages"', '"mess\\u0061ges"'),
            id="a name that is escaped",
        ),
        pytest.param(
            old(messages=[], sessions={"s_1": {"messages": MESSAGES}}),
            old(messages=[], sessions={"s_1": {"messages": []}}),
            id="of a session",
        ),
        pytest.param(
            old(messages=[], future=[{"Messages": MESSAGES}]),
            old(messages=[], future=[{"Messages": []}]),
            id="elsewhere",
        ),
        pytest.param(
            old(messages=[], transcript=SAID * 20), old(messages=[], transcript=""), id="a long text of another name"
        ),
        pytest.param(
            old(messages=[], transcript=["short", SAID * 20]),
            old(messages=[], transcript=["short", ""]),
            id="a long text in a list of another name",
        ),
    ],
)
def test_whatever_form_it_has_it_stays_out(repo, noted, cli, tmp_path, text, raw):
    commit = noted(text)

    assert text_of(repo) == raw
    assert b"cheese" not in everything(repo)
    assert fact(raw) == fact(text)
    assert exported(cli, tmp_path / "out", repo.path) == {commit: text.encode()}


CUT = old().index(SAID, old().index("tool_use"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "raw"),
    [
        pytest.param(old()[:CUT], old().partition('"messages"')[0], id="torn in a conversation"),
        pytest.param(old()[:-3], old().partition('"messages"')[0], id="torn behind it"),
        pytest.param(f"{old()}\n{old()}", old().partition('"messages"')[0], id="two notes, one behind the other"),
        pytest.param("\n".join(sorted(old().split("\n"))), "", id="its lines sorted, as git merges notes"),
        pytest.param(old()[old().index("text") - 1 :], "", id="without its beginning"),
        pytest.param(
            old().replace('"prompts"', '"prompts" 1').replace('"messages"', '"mess\\u0061ges"'),
            old().replace('"prompts"', '"prompts" 1').partition('"messages"')[0],
            id="no JSON and a name that is escaped",
        ),
        pytest.param(
            old(schema_version="authorship/2.0.0"),
            old(messages=[], schema_version="authorship/2.0.0"),
            id="another version",
        ),
        pytest.param(
            json.dumps(KEYS | {"schema_version": "authorship/0.1.0"}),
            json.dumps(KEYS | {"prompts": {PROMPT: RECORD | {"messages": []}}, "schema_version": "authorship/0.1.0"}),
            id="JSON alone, as the first versions wrote it",
        ),
        pytest.param(
            old().replace('"git_ai_version"', '"prompts": {"a": {"messages": ["cheese"]}}, "git_ai_version"'),
            old(messages=[]).replace('"git_ai_version"', '"prompts": {"a": {"messages": []}}, "git_ai_version"'),
            id="a key twice",
        ),
        pytest.param(ABOVE + '{"messages": ' + "[" * 20_000 + '"cheese"', ABOVE + "{", id="deeper than anybody reads"),
    ],
)
def test_of_a_note_that_cannot_be_read_it_stays_out_as_well(repo, noted, cli, tmp_path, text, raw):
    commit = noted(text, status=1)

    assert text_of(repo) == raw
    assert b"cheese" not in everything(repo)
    assert repo.events()[0].data["received"]["left_out"] == ["messages"]
    assert exported(cli, tmp_path / "out", repo.path) == {commit: text.encode()}


@pytest.mark.slow
def test_of_a_note_that_is_no_utf_8_it_stays_out_as_well(repo, noted, cli, tmp_path):
    content = old().encode().replace("\u2014".encode(), b"\xe9")
    commit = noted(content, status=1)

    assert text_of(repo) == old(messages=[])
    assert b"cheese" not in everything(repo)
    assert exported(cli, tmp_path / "out", repo.path) == {commit: content}


@pytest.mark.slow
def test_a_secret_in_the_version_is_not_in_the_reason(repo, noted):
    noted(old(messages=[], schema_version=TOKEN), status=1)

    assert TOKEN.encode() not in everything(repo)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just(SAID),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["messages", "text", "x", '"', "\\"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(JSON, st.sampled_from([None, 2]), st.booleans())
def test_whatever_is_said_the_note_stays_one_and_says_the_same(messages, indent, ascii_only):
    keys = KEYS | {"prompts": {PROMPT: RECORD | {"messages": messages}}}
    text = ABOVE + json.dumps(keys, indent=indent, ensure_ascii=ascii_only)

    said = kept(text.encode())

    assert SAID not in said.text
    assert fact(said.text) == fact(text)
    assert kept(said.text.encode()).text == said.text


@pytest.mark.slow
@given(st.integers(0, len(old())))
def test_wherever_a_note_is_torn_nothing_that_was_said_is_left(end):
    assert SAID not in kept(old()[:end].encode()).text
