"""Notes that git-ai attached to commits come over exactly, once, and say which lines whoever wrote them says."""

import contextlib
import hashlib
import json
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.event.schema import problems
from linetrail.ledger.files import git_blob
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.importers.notes.authorship import NoteError, path_line, read
from tests.examples import examples

pytestmark = pytest.mark.in_turn

SESSION, PROMPT, PERSON = "s_c9883b05a2487d", "abcd1234abcd1234", "h_31dce776f88375"
TRACE = f"{SESSION}::t_9f8e7d6c5b4a32"
METADATA = {
    "schema_version": "authorship/3.0.0",
    "git_ai_version": "1.4.5",
    "base_commit_sha": "7734793b756b3921c88db5375a8c156e9532447b",
    "prompts": {PROMPT: {"agent_id": {"tool": "cursor", "id": "old", "model": "unknown"}, "messages": []}},
    "humans": {PERSON: {"author": "Developer <dev@example.org>"}},
    "sessions": {SESSION: {"agent_id": {"tool": "claude", "id": "conv_1", "model": "claude-x"}, "human_author": None}},
}


def note(*lines, **fields):
    """Return a note with these lines above its keys."""
    above = "".join(f"{line}\n" for line in lines)
    return f"{above}---\n{json.dumps(METADATA | fields, indent=2, ensure_ascii=False)}"


NOTE = note("src/main.rs", f"  {TRACE} 1-2,4", f"  {PERSON} 3", '"my file.py"', f"  {PROMPT} 1")


def attach(repo, text, commit="HEAD", ref="ai"):
    """Attach a note with exactly these bytes; `git notes add` would tidy its end."""
    content = text if isinstance(text, bytes) else text.encode()
    made = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=repo.path, input=content, check=True, capture_output=True
    )
    repo.git("notes", f"--ref={ref}", "add", "--force", "-C", made.stdout.decode().strip(), commit)


@pytest.fixture
def noted(repo, cli):
    """Return a function that attaches a note to HEAD, imports the notes and returns the row."""
    repo.start_ledger()
    repo.commit("first", {"src/main.rs": "a\nb\nc\nd\n", "my file.py": "x\n"})

    def run(text=None, *options, status=0):
        if text is not None:
            attach(repo, text)
        answer = cli("import", "gitai-notes", "--json", *options)
        assert answer.status == status, answer.err
        (row,) = answer.rows
        assert [found for line in repo.lines() for found in problems(line)] == []
        return row

    return run


def counts(row):
    return row["read"], row["imported"], row["duplicates"], row["rejected"]


def texts(repo):
    """Return the text of each note as the ledger has it, by commit; the last one counts."""
    found = {}
    for event in repo.events("authorship.stated"):
        data = event.data
        if (data.get("part") or 1) == 1:
            found[data["revision"]] = b""
        if data.get("raw") is not None:
            encoding = "latin-1" if data["dialect"] == "latin-1" else "utf-8"
            found[data["revision"]] += data["raw"].encode(encoding)
    return found


def stated(repo):
    """Return what the tables say of lines: path, first, last, who, agent, session, model, person."""
    columns = "path, start_line, end_line, contributor_type, agent_name, session_id, model_id, person"
    with open_tables(find(str(repo.path))) as tables:
        return tables.ask(
            f"select {columns} from v_stated_lines where path is not null order by position, path, start_line"
        ).rows


def test_a_note_says_who_wrote_which_lines(repo, noted):
    row = noted(NOTE)

    assert (row["source"], row["path"], *counts(row)) == ("gitai-notes", "refs/notes/ai", 1, 1, 0, 0)
    assert stated(repo) == [
        ("my file.py", 1, 1, "ai", "cursor", "old", None, None),
        ("src/main.rs", 1, 2, "ai", "claude-code", "conv_1", "claude-x", None),
        ("src/main.rs", 3, 3, "human", None, None, None, "Developer <dev@example.org>"),
        ("src/main.rs", 4, 4, "ai", "claude-code", "conv_1", "claude-x", None),
    ]


def test_a_note_is_an_event_with_its_text_and_the_time_of_its_commit(repo, noted):
    noted(NOTE)

    (event,) = repo.events()
    assert (event.type, event.timestamp, event.contributor) == (
        "authorship.stated",
        "2026-01-05T09:01:00.000000Z",
        "unknown",
    )
    assert (event.session_id, event.agent, event.vcs) == (None, None, None)
    assert (event.data["revision"], event.data["note"]) == (repo.git("rev-parse", "HEAD"), git_blob(NOTE.encode()))
    assert (event.data["raw"], event.data["dialect"], event.data["generator"]) == (NOTE, "authorship/3.0.0", "1.4.5")
    assert event.data["received"] == {"file": "refs/notes/ai", "line": 1}


def test_importing_twice_imports_nothing(repo, noted):
    noted(NOTE)
    before = repo.lines()

    assert counts(noted()) == (1, 0, 1, 0)
    assert repo.lines() == before


def test_a_note_whose_commit_arrives_later_is_not_imported_again(repo, noted, cli, tmp_path):
    """Its time is not known at first, so the second import would give its event another id."""
    elsewhere = tmp_path / "elsewhere"
    subprocess.run(["git", "clone", "--quiet", repo.path, elsewhere], check=True)
    (elsewhere / ".orchestration").mkdir()
    repo.now += 60
    repo.commit("later", {"src/main.rs": "a\n"})
    attach(repo, NOTE)
    subprocess.run(["git", "fetch", "--quiet", "origin", "refs/notes/ai:refs/notes/ai"], cwd=elsewhere, check=True)

    first = cli("import", "gitai-notes", "--json", cwd=elsewhere)
    subprocess.run(["git", "fetch", "--quiet", "origin"], cwd=elsewhere, check=True)
    second = cli("import", "gitai-notes", "--json", cwd=elsewhere)

    assert counts(first.rows[0]) == (1, 1, 0, 0)
    assert counts(second.rows[0]) == (1, 0, 1, 0)


def test_a_note_that_was_changed_is_imported_beside_the_old_one(repo, noted):
    noted(NOTE)
    changed = note("src/main.rs", f"  {TRACE} 2")

    assert counts(noted(changed)) == (1, 1, 0, 0)
    assert texts(repo) == {repo.git("rev-parse", "HEAD"): changed.encode()}


def test_a_dry_run_writes_nothing(repo, noted):
    row = noted(NOTE, "--dry-run")

    assert counts(row) == (1, 1, 0, 0)
    assert repo.lines() == []


def test_notes_of_another_ref(repo, noted, cli):
    attach(repo, NOTE, ref="mirror")

    answer = cli("import", "gitai-notes", "--ref", "mirror", "--json")

    assert [row["path"] for row in answer.rows] == ["refs/notes/mirror"]
    assert counts(answer.rows[0]) == (1, 1, 0, 0)


@pytest.mark.daily(8)
@pytest.mark.parametrize("ref", ["nothing-here", "--upload-pack=x", "../heads/main", "a b", "x^{tree}", ""])
def test_a_ref_without_notes_is_said(noted, cli, ref):
    answer = cli("import", "gitai-notes", f"--ref={ref}")

    assert answer.status == 2
    assert answer.err.startswith("error: no notes in refs/notes/")


def test_no_notes_at_all_is_said_and_no_error(noted, cli):
    answer = cli("import", "gitai-notes", "--json")

    assert (answer.status, answer.rows) == (0, [])
    assert "no notes in refs/notes/ai" in answer.err


def test_a_ref_is_refused_where_no_notes_are_read(noted, cli):
    answer = cli("import", "agent-trace", "--ref", "ai")

    assert (answer.status, answer.err) == (2, "error: --ref is for gitai-notes\nnext: linetrail help import\n")


@pytest.mark.parametrize("fan_out", [False, True], ids=["flat", "as git spreads notes over folders"])
def test_notes_of_a_folder_of_files_named_after_commits(repo, noted, cli, fan_out):
    commit = repo.git("rev-parse", "HEAD")
    repo.write(f"notes/{commit[:2]}/{commit[2:]}" if fan_out else f"notes/{commit}", NOTE)
    repo.write("notes/README", "no note")

    answer = cli("import", "gitai-notes", "notes", "--json")

    assert [counts(row) for row in answer.rows] == [(1, 1, 0, 0)]
    assert texts(repo) == {commit: NOTE.encode()}
    assert len(stated(repo)) == 4


def test_a_file_of_another_name_belongs_to_the_commit_it_names(repo, noted, cli):
    repo.write("a.note", NOTE)

    cli("import", "gitai-notes", "a.note")

    assert texts(repo) == {METADATA["base_commit_sha"]: NOTE.encode()}


def test_a_file_that_belongs_to_no_commit_is_rejected(repo, noted, cli):
    repo.write("a.note", note("src/main.rs", f"  {TRACE} 1", base_commit_sha="HEAD"))

    answer = cli("import", "gitai-notes", "a.note", "--json")

    assert answer.status == 1
    assert answer.rows[0]["reasons"] == {"names no commit": 1}


def test_a_file_that_is_no_note_and_belongs_to_no_commit_is_rejected_for_what_it_is(repo, noted, cli):
    repo.write("a.note", "no note")

    answer = cli("import", "gitai-notes", "a.note", "--json")

    assert answer.status == 1
    assert answer.rows[0]["reasons"] == {"no line --- between lines and keys": 1}
    assert repo.lines() == []


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("\n", "no line --- between lines and keys", id="nothing"),
        pytest.param(NOTE.partition("---")[0], "no line --- between lines and keys", id="torn before the keys"),
        pytest.param(NOTE[:-40], "not JSON below ---", id="torn among the keys"),
        pytest.param(f"{NOTE}\nmore", "not JSON below ---", id="more behind"),
        pytest.param("---\n[]", "no JSON object below ---", id="a list of keys"),
        pytest.param(f"---\n{'[' * 20_000}", "nested too deeply", id="nested too deeply"),
        pytest.param(f"---\n{'9' * 5000}", "not JSON below ---", id="a number that no reader takes"),
        pytest.param('---\n{"prompts": {}, "prompts": {}}', "not JSON below ---", id="a key twice"),
        pytest.param(
            note(schema_version="authorship/4.0.0"), "schema version 'authorship/4.0.0'", id="the next version"
        ),
        pytest.param(note(schema_version=3), "schema version 3 is not", id="a version of another kind"),
        pytest.param(b"src/caf\xe9.rs\n---\n{}", "not UTF-8", id="no UTF-8"),
        pytest.param(b"\0\0---\0", "no line ---", id="NULs"),
        pytest.param(NOTE.replace("\n---\n", "\n --- \n"), "no line ---", id="a divider with blanks"),
    ],
)
def test_a_note_that_cannot_be_read_is_kept_with_the_reason(repo, noted, text, reason):
    row = noted(text, status=1)

    (event,) = repo.events()
    (said,) = row["reasons"]
    assert said.startswith(reason)
    assert (counts(row), event.data["unread"], event.data["files"]) == ((1, 0, 0, 1), said, [])
    assert texts(repo)[repo.git("rev-parse", "HEAD")] == (text if isinstance(text, bytes) else text.encode())
    assert stated(repo) == []


def test_a_note_that_cannot_be_read_is_kept_once(repo, noted):
    noted("no note", status=1)

    noted(status=1)

    assert len(repo.events()) == 1


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        pytest.param(f"  {TRACE} 0", "a range of no lines", id="line nought"),
        pytest.param(f"  {TRACE} 5-4", "a range of no lines", id="backwards"),
        pytest.param(f"  {TRACE} 1-", "a range of no lines", id="without an end"),
        pytest.param(f"  {TRACE} -1", "a range of no lines", id="negative"),
        pytest.param(f"  {TRACE} 1-2-3", "a range of no lines", id="two ends"),
        pytest.param(f"  {TRACE} 1.5", "a range of no lines", id="half a line"),
        pytest.param(f"  {TRACE} ٣", "a range of no lines", id="another script's digit"),
        pytest.param(f"  {TRACE} 99999999999", "a range of no lines", id="a line no file has"),
        pytest.param(f"  {TRACE} {'9' * 6000}", "a range of no lines", id="a number that no reader takes"),
        pytest.param(f"  {TRACE}", "an entry without key or lines", id="no lines"),
        pytest.param("   1-2", "an entry without key or lines", id="no key"),
        pytest.param(f"  {'k' * 500} 1", "an entry without key or lines", id="a key too long"),
    ],
)
def test_a_wrong_entry_costs_only_itself(repo, noted, entry, reason):
    text = note("src/main.rs", entry, f"  {PERSON} 3")

    row = noted(text)

    assert (counts(row), row["skipped"]) == ((1, 1, 0, 0), {reason: 1})
    assert [line[:4] for line in stated(repo)] == [("src/main.rs", 3, 3, "human")]
    assert list(texts(repo).values()) == [text.encode()]


@pytest.mark.daily(2)
@pytest.mark.parametrize("path", ["/etc/passwd", "../other/a.py", "a/../b", "./a", ".", '""', "a\0b"])
def test_a_path_that_no_repository_has_is_passed_over(repo, noted, path):
    row = noted(note(path, f"  {TRACE} 1", "src/main.rs", f"  {TRACE} 2"))

    assert [line[:3] for line in stated(repo)] == [("src/main.rs", 2, 2)]
    assert row["skipped"]["a path outside of the repository"] == 1


@pytest.mark.daily(8)
@pytest.mark.parametrize(
    ("line", "path"),
    [
        pytest.param("src/a.py", "src/a.py", id="plain"),
        pytest.param('"src/my file.py"', "src/my file.py", id="quoted for a blank"),
        pytest.param("src/häß.py", "src/häß.py", id="beyond ASCII"),
        pytest.param(r'"caf\303\251.py"', "café.py", id="as git quotes it"),
        pytest.param(r'"a\tb\"c\\d.py"', 'a\tb"c\\d.py', id="git's other escapes"),
        pytest.param(r'"odd \q name"', r"odd \q name", id="a backslash that escapes nothing"),
        pytest.param(r"odd\name", r"odd\name", id="a backslash without quotes"),
        pytest.param(r'"caf\351.py"', r'"caf\351.py"', id="no UTF-8: as the ledger spells it"),
        pytest.param("src/a.py  ", "src/a.py", id="blanks behind"),
    ],
)
def test_paths_are_read_however_they_are_quoted(line, path):
    (file,) = read(note(line, f"  {TRACE} 1")).files

    assert file.path == path


@pytest.mark.daily(8)
@pytest.mark.parametrize(
    ("key", "author"),
    [
        pytest.param(TRACE, ("ai", "claude-code", "conv_1", "claude-x", None), id="a session"),
        pytest.param(SESSION, ("ai", "claude-code", "conv_1", "claude-x", None), id="a session without its call"),
        pytest.param("s_ffffffffffffff::t_1", ("ai", None, None, None, None), id="a session nobody explains"),
        pytest.param(PERSON, ("human", None, None, None, "Developer <dev@example.org>"), id="a person"),
        pytest.param("h_ffffffffffffff", ("human", None, None, None, None), id="a person nobody names"),
        pytest.param(PROMPT, ("ai", "cursor", "old", None, None), id="a prompt of old"),
        pytest.param("abcd123", ("ai", None, None, None, None), id="seven digits, older still"),
        pytest.param("x_123", ("unknown", None, None, None, None), id="a key of the future"),
    ],
)
def test_a_key_stands_for_whom_its_kind_and_its_record_say(key, author):
    said = read(note("a", f"  {key} 1"))

    assert tuple(said.authors[key.partition("::")[0]])[1:] == author


@pytest.mark.daily(8)
@pytest.mark.parametrize("told", [[], "x", 1, {SESSION: []}, {SESSION: {"agent_id": 5}}, {SESSION: {"agent_id": {}}}])
def test_records_of_another_kind_explain_nothing(told):
    said = read(note("a", f"  {TRACE} 1", sessions=told))

    assert said.authors[SESSION][1:] == ("ai", None, None, None, None)


def test_lines_that_end_in_crlf():
    said = read(NOTE.replace("\n", "\r\n"))

    assert said.files == read(NOTE).files


@pytest.mark.slow
def test_a_note_longer_than_an_event_is_spread_over_several(repo, noted):
    entries = [
        f"  {SESSION}::t_{at:014x} {','.join(str(at * 1000 + 2 * k) for k in range(1, 40))}" for at in range(400)
    ]
    text = note("src/main.rs", *entries)

    row = noted(text)

    events = repo.events()
    assert counts(row) == (1, 1, 0, 0)
    assert len(events) > 2
    assert [event.data["part"] for event in events] == list(range(1, len(events) + 1))
    assert texts(repo) == {repo.git("rev-parse", "HEAD"): text.encode()}
    assert len(stated(repo)) == 400 * 39
    assert counts(noted()) == (1, 0, 1, 0)


@pytest.mark.slow
def test_what_an_interrupted_import_left_out_comes_with_the_next(repo, noted):
    """A crash may leave the first events of a note without the last."""
    text = note(*[line for at in range(900) for line in (f"file-{at}", f"  {TRACE} 1-9")])
    noted(text)
    whole = [event.data for event in repo.events()]
    tail = repo.path / ".orchestration" / "agent_trace.jsonl"
    tail.write_bytes(b"".join(repo.lines()[:-1]))

    noted()

    kept = [event.data for event in repo.events("authorship.stated")]
    assert len(whole) > 1
    assert [data["part"] for data in kept] == [data["part"] for data in whole]
    assert texts(repo) == {repo.git("rev-parse", "HEAD"): text.encode()}


def test_a_note_too_long_to_hold_is_rejected(repo, noted, monkeypatch):
    monkeypatch.setattr("linetrail.queries.importers.notes.gitai_notes.MAX_NOTE_BYTES", len(NOTE) - 1)

    row = noted(NOTE, status=1)

    assert row["reasons"] == {f"longer than {len(NOTE) - 1} bytes": 1}
    assert repo.lines() == []


def test_secrets_are_taken_out_of_text_and_facts(repo, noted):
    secret = "ghp_" + hashlib.sha256(b"secret").hexdigest()[:36]
    told = {SESSION: {"agent_id": {"tool": "claude", "id": secret, "model": "m"}}}

    noted(note("src/main.rs", f"  {TRACE} 1", sessions=told))

    (event,) = repo.events()
    assert secret not in repr(event)
    assert event.data["received"]["redacted"] is True
    assert event.data["authors"][0]["session_id"].startswith("[redacted:")


PIECES = f"""---
src/a
"a b"
  {TRACE} 1-2
  {PROMPT} 3,5-9
  {PERSON} 7
  x 1
  s_ 1-
  h_ ,,
{{
}}
"
""
{json.dumps(METADATA)}
{{"schema_version": "authorship/3.0.0"}}"""
PARTS = st.sampled_from([*PIECES.split("\n"), "", "\r", "  ", "\0"]) | st.text(max_size=12)


@pytest.mark.slow
@given(st.lists(PARTS, max_size=12))
def test_whatever_stands_in_a_note_is_read_or_refused(lines):
    text = "\n".join(lines)

    said = None
    with contextlib.suppress(NoteError):
        said = read(text)

    by = [each for file in said.files for each in file.by] if said else []
    assert all(1 <= first <= last for each in by for first, last in each.ranges)
    assert all(each.key.partition("::")[0] in said.authors for each in by)


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1, max_size=12)


@given(st.lists(NAMES.filter(lambda name: name not in {".", ".."}), min_size=1, max_size=3).map("/".join))
def test_a_path_is_written_as_it_is_read(path):
    (file,) = read(note(path_line(stored(path)), f"  {TRACE} 1")).files

    assert file.path == stored(path)


def stored(path):
    from linetrail.ledger.repository import stored_path

    return stored_path(path)


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.binary(max_size=40) | st.sampled_from([NOTE.encode(), NOTE.encode() + b"\n"]), min_size=1, max_size=4)
)
def test_every_note_is_kept_byte_for_byte(tmp_path_factory, cli, contents):
    folder = tmp_path_factory.mktemp("notes")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    (folder / ".orchestration").mkdir()
    names = {}
    for content in contents:
        name = hashlib.sha1(content).hexdigest()
        (folder / "notes").mkdir(exist_ok=True)
        (folder / "notes" / name).write_bytes(content)
        names[name] = content

    cli("import", "gitai-notes", "notes", cwd=folder)

    kept = {}
    for entry in Ledger(find(str(folder))).read():
        data = entry.event.data
        encoding = "latin-1" if data["dialect"] == "latin-1" else "utf-8"
        kept[data["revision"]] = kept.get(data["revision"], b"") + data["raw"].encode(encoding)
    assert kept == names


@pytest.mark.parametrize("source", ["refs/notes/ai", "a folder of files"])
def test_notes_come_over_in_the_order_of_their_commits(repo, cli, source):
    """So that two segments of a long import have times of their own."""
    repo.start_ledger()
    commits = [repo.commit(f"number {at}") for at in range(8)]
    for commit in reversed(commits):
        attach(repo, NOTE, commit)
        repo.write(f"notes/{commit}", NOTE)

    cli("import", "gitai-notes", *([] if source == "refs/notes/ai" else ["notes"]))

    assert [event.data["revision"] for event in repo.events()] == commits
