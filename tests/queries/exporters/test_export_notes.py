"""Notes that we write are of the published format, say what `blame` says, and come back as they went."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.repository import stored_path
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.survival.agent_lines import Authored, Stretch
from linetrail.queries.exporters.gitai_notes import session_key, text
from linetrail.queries.importers.notes.authorship import author_key, read

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

GOLDEN = Path(__file__).resolve().parents[2] / "fixtures" / "exports"
KEY = r"(?:s_[0-9a-f]{14}::t_[0-9a-f]{14}|h_[0-9a-f]{14}|[0-9a-f]{16})"
NUMBER = r"[1-9][0-9]*"
RANGES = rf"{NUMBER}(?:-{NUMBER})?(?:,{NUMBER}(?:-{NUMBER})?)*"
PATH = r'(?:[^\s"][^\s]*|"[^\n]+")'
NOTE = re.compile(rf"(?P<above>(?:{PATH}\n(?:  {KEY} {RANGES}\n)+)*)---\n(?P<below>\{{.*\}})", re.DOTALL)


def check(note):
    """Hold a note against the grammar and the rules of authorship/3.0.0, read from its specification alone."""
    found = NOTE.fullmatch(note)
    assert found, note
    metadata = json.loads(found["below"])
    assert metadata["schema_version"] == "authorship/3.0.0"
    assert re.fullmatch("[0-9a-f]{40}", metadata["base_commit_sha"])
    assert metadata["prompts"] == {}
    for key, record in metadata["sessions"].items():
        assert set(record) <= {"agent_id", "human_author", "custom_attributes"}
        agent = record["agent_id"]
        assert all(isinstance(agent[name], str) for name in ("tool", "id", "model"))
        assert key == "s_" + hashlib.sha256(f"{agent['tool']}:{agent['id']}".encode()).hexdigest()[:14]
        assert all(isinstance(value, str) for value in record.get("custom_attributes", {}).values())
    used, paths = set(), []
    for line in found["above"].splitlines():
        if not line.startswith("  "):
            paths.append(line)
            continue
        key, _, ranges = line[2:].partition(" ")
        used.add(key.partition("::")[0])
        numbers = [[int(number) for number in part.split("-")] for part in ranges.split(",")]
        ends = [number for each in numbers for number in each]
        assert ends == sorted(set(ends)), "each line once, in ascending order"
    assert used == set(metadata["sessions"])
    assert len(paths) == len(set(paths))


def exported(cli, *options, status=0, cwd=None):
    """Return the notes on stdout, by commit."""
    answer = cli("export", "gitai-notes", *options, cwd=cwd)
    assert answer.status == status, answer.err
    return {row["revision"]: row["note"] for row in map(json.loads, answer.out.splitlines())}


@pytest.fixture
def demo(cli, tmp_path):
    """Return the bundled repository."""
    assert cli("demo", cwd=tmp_path).status == 0
    return tmp_path / "linetrail-demo"


@pytest.fixture
def history(repo, agent):
    """Return the commits of a short history: an agent's file, a person's file, both in one file."""
    first, second = agent("session-1"), agent("session-2", "claude-model-y")
    first.write("src/a b.py", "one = 1\ntwo = 2\n")
    first.edit("src/a b.py", "two = 2\n", "two = 2\nthree = 3\n")
    one = repo.commit("agent")
    two = repo.commit("person", {"notes.txt": "by hand\n"})
    second.edit("src/a b.py", "one = 1\n", "zero = 0\none = 1\n")
    second.write("b.py", "beta = 1\n")
    content = (repo.path / "src/a b.py").read_text()
    three = repo.commit("both", {"src/a b.py": content + "four = 4\n"})
    return one, two, three


def test_a_note_has_the_lines_that_a_commit_got_from_agents(repo, history, cli):
    one, _, three = history

    found = exported(cli)

    assert list(found) == [one, three]
    first, second = session_key("claude", "session-1"), session_key("claude", "session-2")
    calls = [
        f"t_{hashlib.sha256(f'toolu_session-{call}'.encode()).hexdigest()[:14]}"
        for call in ("1_1", "1_2", "2_1", "2_2")
    ]
    assert found[one].partition("---")[0] == (f'"src/a b.py"\n  {first}::{calls[0]} 1-2\n  {first}::{calls[1]} 3\n')
    assert found[three].partition("---")[0] == (
        f'b.py\n  {second}::{calls[3]} 1\n"src/a b.py"\n  {second}::{calls[2]} 1\n'
    )
    for note in found.values():
        check(note)


def test_a_note_says_who_its_sessions_are(history, cli):
    note = exported(cli)[history[2]]

    metadata = json.loads(note.partition("\n---\n")[2])
    assert metadata["base_commit_sha"] == history[2]
    assert metadata["sessions"] == {
        session_key("claude", "session-2"): {
            "agent_id": {"tool": "claude", "id": "session-2", "model": "anthropic/claude-model-y"}
        }
    }


def test_an_intent_travels_as_an_attribute(repo, agent, cli):
    session = agent()
    repo.write(
        ".orchestration/active_intents.yaml",
        "active_intents:\n  - id: INT-001\n    name: x\n    status: IN_PROGRESS\n    owned_scope: ['**']\n",
    )
    cli("select", "INT-001")
    session.write("a.py", "one = 1\n")
    commit = repo.commit()

    (record,) = json.loads(exported(cli)[commit].partition("\n---\n")[2])["sessions"].values()

    assert record["custom_attributes"] == {"intent_id": "INT-001"}


def test_only_the_commits_of_a_range(history, cli):
    assert list(exported(cli, "--range", f"{history[1]}..HEAD")) == [history[2]]
    assert exported(cli, "--range", f"{history[0]}..{history[1]}") == {}


def test_a_range_that_git_does_not_know(history, cli):
    answer = cli("export", "gitai-notes", "--range", "nothing..here")

    assert answer.status == 2
    assert "nothing..here" in answer.err


def test_the_same_ledger_gives_the_same_notes_in_a_fresh_clone(repo, history, cli, tmp_path):
    here = exported(cli)
    cli("seal")
    repo.commit("seal")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", repo.path, clone], check=True)

    assert exported(cli, cwd=clone) == here


def test_a_merge_has_the_lines_that_neither_side_had(repo, agent, cli):
    session = agent()
    repo.commit("base", {"a.py": "base = 0\n"})
    repo.git("checkout", "--quiet", "-b", "topic")
    session.edit("a.py", "base = 0\n", "base = 1\n")
    topic = repo.commit("topic")
    repo.git("checkout", "--quiet", "main")
    repo.commit("main", {"a.py": "base = 2\n"})
    subprocess.run(["git", "merge", "--quiet", "topic"], cwd=repo.path, check=False, capture_output=True)
    session.write("a.py", "merged_by_an_agent = base + 3\n")
    merge = repo.commit("merge")

    found = exported(cli)

    assert list(found) == [topic, merge]
    assert re.search(rf"^a\.py\n  {KEY} 1\n---$", found[merge], re.MULTILINE)


def test_notes_are_written_only_where_that_is_asked(repo, history, cli):
    exported(cli)

    assert repo.git("for-each-ref", "refs/notes") == ""


def test_writing_attaches_notes_that_git_shows(repo, history, cli):
    found = exported(cli)

    answer = cli("export", "gitai-notes", "--write")

    assert (answer.status, answer.out, answer.err) == (0, "", "2 notes written to refs/notes/ai\n")
    for commit, note in found.items():
        assert repo.git("notes", "--ref=ai", "show", commit) == note
    assert repo.git("fsck", "--strict") == ""


def test_writing_again_makes_no_commit(repo, history, cli):
    cli("export", "gitai-notes", "--write")
    before = repo.git("rev-parse", "refs/notes/ai")

    answer = cli("export", "gitai-notes", "--write")

    assert answer.err == "0 notes written to refs/notes/ai\nthere already: 2 notes\n"
    assert repo.git("rev-parse", "refs/notes/ai") == before


def test_notes_of_other_tools_are_left_and_ours_are_renewed(repo, history, cli):
    one, _, three = history
    cli("export", "gitai-notes", "--write")
    outdated = exported(cli)[three].replace(" 1\n", " 2\n")
    repo.git("notes", "--ref=ai", "add", "--force", "--file=-", three, stdin=outdated)
    repo.git("notes", "--ref=ai", "add", "--force", "--message=by somebody else", one)

    answer = cli("export", "gitai-notes", "--write")

    assert answer.err == "1 note written to refs/notes/ai\nleft as another tool wrote it: 1 note\n"
    assert repo.git("notes", "--ref=ai", "show", one) == "by somebody else"
    assert repo.git("notes", "--ref=ai", "show", three) == exported(cli)[three]


def test_writing_where_all_notes_were_removed(repo, history, cli):
    cli("export", "gitai-notes", "--write")
    repo.git("notes", "--ref=ai", "remove", history[0], history[2])

    assert cli("export", "gitai-notes", "--write").err == "2 notes written to refs/notes/ai\n"


def test_writing_without_knowing_who_writes(repo, history, cli, monkeypatch):
    for name in ("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"):
        monkeypatch.delenv(name)
    repo.git("config", "user.useConfigOnly", "true")

    answer = cli("export", "gitai-notes", "--write")

    assert answer.status == 2
    assert "no email was given" in answer.err
    assert repo.git("for-each-ref", "refs/notes") == ""


@pytest.mark.usefixtures("uncommitted_ledger")
@pytest.mark.parametrize("form", [["gitai-notes"], ["gitai-notes", "--write"], ["agent-trace"]], ids=" ".join)
def test_nothing_is_told_of_the_commit_at_which_a_shallow_clone_ends(form, history, cli, fresh_clone):
    clone = fresh_clone("--depth", "2")

    answer = cli("export", *form, cwd=clone)
    assert (answer.status, answer.out) == (2, "")
    assert "next: git fetch --unshallow" in answer.err

    after = cli("export", "gitai-notes", "--range", "HEAD~1..HEAD", cwd=clone)
    assert [json.loads(line)["revision"] for line in after.out.splitlines()] == [history[2]]


def test_writing_to_another_ref(repo, history, cli):
    cli("export", "gitai-notes", "--write", "--ref", "mirror")

    assert len(repo.git("notes", "--ref=mirror", "list").splitlines()) == 2


KEYS = '{"schema_version": "authorship/3.0.0", "base_commit_sha": "x", "prompts": {}, "extra": 1.50}'
FOREIGN = [
    f"src/a.py\n  abcd1234abcd1234 1\n---\n{KEYS}\n\n".encode(),
    b'---\n{"schema_version":"authorship/9.0.0"}',
    b"no note at all",
    b"caf\xe9\0\r\n",
]


def test_notes_that_were_imported_leave_byte_for_byte(repo, cli, tmp_path):
    repo.start_ledger()
    sent = {}
    for at, content in enumerate([*FOREIGN, b"x" * 100_000]):
        commit = repo.commit(f"number {at}")
        made = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"], cwd=repo.path, input=content, check=True, capture_output=True
        )
        repo.git("notes", "--ref=ai", "add", "--force", "-C", made.stdout.decode().strip(), commit)
        sent[commit] = content
    cli("import", "gitai-notes")

    (repo.path / "notes").mkdir()
    answer = cli("export", "gitai-notes", "--out", "notes")
    written = cli("export", "gitai-notes", "--write", "--ref", "again")

    folder = repo.path / "notes"
    assert answer.err == "5 notes written to notes\n"
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == sent
    assert written.err == "5 notes written to refs/notes/again\n"
    blobs = [
        sorted(line.split()[::-1] for line in repo.git("notes", f"--ref={ref}", "list").splitlines())
        for ref in ("ai", "again")
    ]
    assert blobs[0] == blobs[1]
    elsewhere = tmp_path / "elsewhere"
    subprocess.run(["git", "init", "--quiet", elsewhere], check=True)
    (elsewhere / ".orchestration").mkdir()
    cli("import", "gitai-notes", str(folder), cwd=elsewhere)
    cli("export", "gitai-notes", "--out", "notes", cwd=elsewhere)
    assert {file.name: file.read_bytes() for file in (elsewhere / "notes").iterdir()} == sent
    attached = cli("export", "gitai-notes", "--write", cwd=elsewhere)
    assert attached.err == "0 notes written to refs/notes/ai\nleft out: the commit is not here: 5 notes\n"


def test_an_imported_note_is_not_replaced_by_ours(repo, agent, cli):
    agent().write("a.py", "one = 1\n")
    commit = repo.commit()
    repo.git("notes", "--ref=ai", "add", "--file=-", commit, stdin=FOREIGN[0].decode())
    cli("import", "gitai-notes")

    assert exported(cli) == {commit: repo.git("notes", "--ref=ai", "show", commit) + "\n"}


def test_our_own_notes_come_back_to_the_same_lines(repo, history, cli, tmp_path):
    cli("export", "gitai-notes", "--write")
    wanted = cli("blame", "src/a b.py", "--json").rows
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", repo.path, clone], check=True)
    subprocess.run(["git", "fetch", "--quiet", "origin", "refs/notes/ai:refs/notes/ai"], cwd=clone, check=True)
    shutil.rmtree(clone / ".orchestration")
    (clone / ".orchestration").mkdir()

    cli("import", "gitai-notes", cwd=clone)

    names = ("contributor_type", "agent_name", "session_id", "model_id")
    found = cli("blame", "src/a b.py", "--json", cwd=clone).rows
    assert [[row[name] for name in names] for row in found] == [[row[name] for name in names] for row in wanted]
    assert {row["evidence"] for row in found} == {"external", "git"}


def test_a_format_that_nobody_knows(repo, cli):
    repo.start_ledger()

    assert cli("export", "word").err == (
        "error: no format word; the formats are agent-trace, gitai-notes, otlp, in-toto, sarif, parquet, csv\n"
        "next: linetrail help export\n"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["agent-trace", "--write"], "--write is for gitai-notes"),
        (["csv", "--session", "x"], "--session is for otlp"),
        (["otlp", "--range", "HEAD"], "--range is for agent-trace and gitai-notes and in-toto"),
        (["gitai-notes", "--write", "--out", "x"], "either --write or --out"),
        (["gitai-notes", "--ref", "x"], "--ref goes with --write"),
    ],
)
def test_options_that_do_not_go_together(repo, cli, options, said):
    repo.start_ledger()

    answer = cli("export", *options)

    assert (answer.status, answer.err) == (2, f"error: {said}\nnext: linetrail help export\n")


@pytest.mark.parametrize("name", ["gitai-notes", "agent-trace"])
def test_a_repository_without_a_commit_has_nothing_to_export(repo, cli, name):
    repo.start_ledger()

    answer = cli("export", name)

    assert (answer.status, answer.out, answer.err) == (0, "", "")


def test_a_place_that_cannot_be_written_is_said(history, repo, cli):
    repo.write("file", "in the way")

    answer = cli("export", "gitai-notes", "--out", "file")

    assert answer.status == 2
    assert answer.err.startswith("error: cannot write ")


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
BY = st.builds(
    Attribution,
    contributor_type=st.just("ai"),
    mixed=st.booleans(),
    agent_name=st.none() | st.sampled_from(["claude-code", "cursor", "gemini-cli"]) | NAMES.filter(str.strip),
    model_id=st.none() | NAMES.filter(lambda name: name.strip() and name != "unknown"),
    session_id=NAMES.filter(str.strip),
    intent_id=st.none() | st.just("INT-001"),
    event_id=st.uuids().map(str),
    tool_call_id=st.none() | NAMES,
    written_at=st.just("2026-01-05T09:01:00.000000Z"),
    vcs_revision=st.none(),
    author=st.none(),
    origin_event_id=st.none(),
    evidence=st.just("observed"),
    confidence=st.just(1.0),
)
PATHS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1, max_size=8).filter(
        lambda name: name not in {".", ".."}
    ),
    min_size=1,
    max_size=3,
).map("/".join)


@st.composite
def stretches(draw):
    """Draw stretches of a file, in order, some of them side by side."""
    found, at = [], 1
    for by in draw(st.lists(BY, min_size=1, max_size=5)):
        at += draw(st.integers(0, 3))
        count = draw(st.integers(1, 4))
        found.append(Stretch(at, (b"x",) * count, by))
        at += count
    return found


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(PATHS.map(stored_path), stretches(), min_size=1, max_size=3))
def test_every_note_of_ours_is_of_the_format_and_is_read_back_to_the_same_facts(files):
    note = text(Authored("a" * 40, 0, files))

    check(note)
    said = read(note)
    assert (said.base, said.generator, sum(said.passed_over.values())) == ("a" * 40, "linetrail", 0)
    wanted, found = {}, {}
    for path, told in files.items():
        for stretch in told:
            for line in range(stretch.first, stretch.last + 1):
                wanted[path, line] = (stretch.by.agent_name or "unknown", stretch.by.session_id)
    for file in said.files:
        for each in file.by:
            author = said.authors[author_key(each.key)]
            for first, last in each.ranges:
                for line in range(first, last + 1):
                    found[file.path, line] = (author.agent_name, author.session_id)
    assert found == wanted


def test_the_notes_of_the_demo(demo, cli, golden):
    """The whole answer, to be looked at when it changes."""
    answer = cli("export", "gitai-notes", cwd=demo)

    for row in map(json.loads, answer.out.splitlines()):
        check(row["note"])
    golden(GOLDEN / "gitai-notes.jsonl", answer.out)


@pytest.mark.parametrize("ref", ["../x", "a b", "x.lock", "refs/notes/"])
def test_notes_are_written_below_a_name_that_git_takes(repo, cli, agent, ref):
    agent().write("a.py", "one\ntwo\n")
    repo.commit("agent")

    refused = cli("export", "gitai-notes", "--write", f"--ref={ref}")

    assert (refused.status, refused.out) == (2, "")
    assert "no name of a ref" in refused.err
    assert list((repo.path / ".git").glob("fast_import_crash*")) == []
