"""`linetrail erase`: what is erased is nowhere any more, and the ledger says so and stays whole."""

import contextlib
import hashlib
import os
import re
import shutil
import time

import pytest

from linetrail.ledger.event.commitments import salted
from linetrail.ledger.event.signal import Proposal
from linetrail.ledger.gate import approvals
from linetrail.ledger.observe.states import Objects, States, request_bytes, sight_of
from linetrail.ledger.redact.redactor import private_folder
from linetrail.ledger.repository import find

# Nothing else on the disk looks like it, and no rule takes it for a secret.
PERSONAL = "Ada Example lives at 12 Sample Street"


def kept(repo):
    """Return every byte that is kept beside the ledger, contents and proposals as they were."""
    objects = Objects(find(str(repo.path)))
    names = [f"sha256:{file.parent.name}{file.name}" for file in (repo.path / ".orchestration/objects").glob("*/*")]
    files = (file for folder in (".orchestration", ".git/linetrail") for file in (repo.path / folder).rglob("*"))
    texts = [file.read_bytes() for file in files if file.is_file()]
    sealed = re.findall(r'"(?:proposal|sealed)": ?"([0-9a-f]+)"', b"\n".join(texts).decode(errors="replace"))
    return b"\n".join(
        [*(objects.read(name) or b"" for name in names), *filter(None, map(objects.opened, sealed)), *texts]
    )


def salts(repo):
    return [file.read_text().split()[1] for file in (repo.path / ".git/linetrail/salts").iterdir()]


def sha256(text):
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


@pytest.fixture
def story(repo, agent):
    """Return a session in which an agent wrote a person's data into a file and took it out again."""
    repo.commit("start", {"b.py": "b = 1\n"})
    session = agent()
    session.prompt("put the address in")
    session.write("a.py", f"# {PERSONAL}\n")
    session.edit("a.py", PERSONAL, "someone")
    session.edit("b.py", "1", "2")
    return session


@pytest.mark.in_turn
@pytest.mark.daily(1)
@pytest.mark.promise("E4")
@pytest.mark.parametrize("how", ["path", "hash", "event", "session"])
def test_an_erased_content_is_nowhere_and_the_ledger_stays_whole(repo, story, cli, how):
    assert PERSONAL.encode() in kept(repo)
    cli("rebuild")
    cli("blame", "a.py")
    event = repo.events("mutation.observed")[0]
    selector = {
        "path": ["--path", "a.py"],
        "hash": [sha256(f"# {PERSONAL}\n")],
        "event": [event.id],
        "session": [event.session_id],
    }[how]

    assert cli("erase", *selector, "--reason", "asked for it").status == 0

    assert PERSONAL.encode() not in kept(repo)
    assert cli("verify").status == 0
    assert cli("rebuild", "--full").status == 0
    assert PERSONAL.encode() not in kept(repo)
    assert sha256(f"# {PERSONAL}\n") in {event.data["sha256"] for event in repo.events("payload.erased")}


def test_what_an_open_request_would_write_is_erased_and_the_request_stays(repo, story, cli):
    repository = find(str(repo.path))
    told = request_bytes(None, {"a.py": Proposal(f"# {PERSONAL}\n", ())})
    about = {"session_id": "session-1", "intent_id": None, "tool_name": "Write", "tool_call_id": None}
    asked = approvals.request(
        repository, "a key", **about, code="OUT_OF_SCOPE", action="Write a.py", reason="outside",
        now_ns=time.time_ns(), seconds=600, proposed=Objects(repository).sealed(told),
    )  # fmt: skip
    assert Objects(repository).opened(approvals.proposed(repository, asked.id)) == told

    assert cli("erase", "--path", "a.py", "--reason", "asked for it").status == 0

    assert PERSONAL.encode() not in kept(repo)
    assert approvals.proposed(repository, asked.id) is None
    assert [one.id for one in approvals.pending(repository, time.time_ns())] == [asked.id]


def test_not_even_the_length_of_an_erased_content_is_left(repo, story, cli):
    cli("erase", "--path", "a.py", "--reason", "asked for it")

    objects = (repo.path / ".orchestration/objects").rglob("*")
    contents = [file.read_bytes() for file in objects if file.is_file()]

    assert b"" in contents
    assert not any(content and not content.strip(b"\0") for content in contents)


@pytest.mark.slow
@pytest.mark.promise("E4")
def test_what_sealed_lines_speak_of_is_erased_too(repo, story, cli):
    event = repo.events("prompt.submitted")[0]
    cli("seal")

    assert cli("erase", "--path", "a.py").status == 0
    assert cli("erase", event.id).status == 0

    assert PERSONAL.encode() not in kept(repo)
    assert not any(salted(private_folder(find(str(repo.path))), "session-1").values())
    assert cli("seal").status == 0
    assert cli("verify").status == 0


@pytest.mark.promise("E4")
def test_the_erasure_is_told_in_the_log(repo, story, cli):
    cli("erase", "--path", "a.py", "--reason", "asked for it")

    told = cli("log", "--type", "payload.erased").out

    assert "payload.erased" in told
    assert "asked for it" in told


@pytest.mark.promise("E4")
def test_the_next_hook_does_not_bring_an_erased_content_back(repo, agent, cli):
    session = agent()
    session.write("a.py", f"# {PERSONAL}\nx = 1\n")
    cli("erase", "--path", "a.py")

    session.bash("true")
    session.edit("a.py", PERSONAL, "someone")
    session.bash("true")

    assert PERSONAL.encode() not in kept(repo)
    assert cli("verify").status == 0


@pytest.mark.promise("E4")
def test_what_a_call_under_way_proposed_is_erased_too(repo, agent, cli):
    session = agent()
    session.write("a.py", "x = 1\n")
    given = {"file_path": str(repo.path / "a.py"), "content": PERSONAL}
    session.send("PreToolUse", tool_name="Write", tool_input=given, tool_use_id="refused")
    assert PERSONAL.encode() in kept(repo)

    cli("erase", "--path", "a.py")

    assert PERSONAL.encode() not in kept(repo)


@pytest.mark.promise("E4")
def test_a_content_is_erased_in_every_worktree(repo, story, cli, agent, tmp_path):
    repo.commit("all")
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    linked = States(find(str(tmp_path / "linked")))
    linked.keep(sight_of(f"# {PERSONAL}\n".encode()))

    cli("erase", sha256(f"# {PERSONAL}\n"))

    assert linked.objects.read(sha256(f"# {PERSONAL}\n")) is None
    assert PERSONAL.encode() not in b"".join(
        file.read_bytes() for file in (tmp_path / "linked").rglob("*") if file.is_file()
    )


@pytest.mark.promise("E4")
@pytest.mark.parametrize("how", ["event", "session", "commitment"])
def test_an_erased_prompt_can_no_longer_be_told_from_another(repo, agent, cli, how):
    session = agent()
    session.prompt("yes")
    event = repo.events("prompt.submitted")[0]
    (salt,) = salts(repo)
    assert sha256_of(salt, "yes") == event.data["commitment"]

    cli("erase", {"event": event.id, "session": event.session_id, "commitment": event.data["commitment"]}[how])

    assert salt.encode() not in kept(repo)
    assert [told.data["erased_event_id"] for told in repo.events("payload.erased")] == [event.id]
    assert cli("verify").status == 0


def sha256_of(salt, text):
    return f"sha256:{hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest()}"


def test_other_prompts_keep_their_salts(repo, agent, cli):
    session = agent()
    session.prompt("yes")
    session.prompt("no")

    cli("erase", repo.events("prompt.submitted")[0].id)

    assert list(salted(private_folder(find(str(repo.path))), "session-1").values()) == [False, True]


def test_asking_twice_tells_it_once(repo, story, cli):
    cli("erase", "--path", "a.py")
    before = repo.lines()

    answer = cli("erase", "--path", "a.py")

    assert repo.lines() == before
    assert "erased: nothing" in answer.out
    assert "already erased: " in answer.out


def test_a_dry_run_tells_what_would_go_and_writes_nothing(repo, story, cli):
    before = kept(repo)

    answer = cli("erase", "--path", "a.py", "--dry-run", "--json")

    assert {row["status"] for row in answer.rows} == {"erased"}
    assert kept(repo) == before


def test_other_files_keep_their_contents(repo, story, cli):
    cli("erase", "--path", "a.py")

    assert States(find(str(repo.path))).objects.read(sha256("b = 2\n")) == b"b = 2\n"


def test_a_file_is_erased_under_all_its_names(repo, story, cli):
    story.bash("mv a.py c.py")

    cli("erase", "--path", "c.py")

    assert PERSONAL.encode() not in kept(repo)


@pytest.mark.parametrize("selector", ["nobody", "sha256:" + "0" * 64, "0" * 64])
def test_a_selector_that_names_nothing_is_refused(repo, story, cli, selector):
    answer = cli("erase", selector)

    assert (answer.status, answer.out) == (2, "")
    assert "nothing in the ledger is called" in answer.err
    assert not repo.events("payload.erased")


def test_nothing_to_erase_is_a_usage_error(repo, story, cli):
    assert cli("erase").status == 2


def test_a_reason_with_a_secret_is_redacted(repo, story, cli):
    cli("erase", "--path", "a.py", "--reason", "it had ghp_" + "a1B2" * 9)

    assert b"a1B2a1B2" not in kept(repo)


def test_what_stays_is_said(repo, story, cli):
    answer = cli("erase", "--path", "a.py")

    assert answer.err.count("stays: ") == 4
    assert "clones" in answer.err
    assert "clones" in cli("erase", "--help").out


def test_a_file_that_still_has_the_content_is_named(repo, agent, cli):
    agent().write("a.py", f"# {PERSONAL}\n")

    assert "note: a.py holds one of these contents now" in cli("erase", "--path", "a.py").err


class Killed(BaseException):
    """As when the process dies: nothing handles it."""


STEPS = ("write", "pwrite", "ftruncate", "fsync", "fdatasync", "replace", "unlink", "rmdir")


@contextlib.contextmanager
def killed_at(monkeypatch, step):
    """Die before the n-th change of the file system; yield what was reached."""
    reached = []
    with monkeypatch.context() as patch:
        for name in STEPS:
            real = getattr(os, name)

            def change(*args, real=real, **options):
                reached.append(real)
                if len(reached) == step:
                    raise Killed
                return real(*args, **options)

            patch.setattr(os, name, change)
        with contextlib.suppress(Killed):
            yield reached


@pytest.mark.fault
@pytest.mark.promise("E4")
def test_wherever_it_is_killed_the_second_run_completes_it(tmp_path, monkeypatch, cli, repo, story):
    shutil.copytree(repo.path, tmp_path / "before", symlinks=True)
    step, done = 0, False
    while not done:
        step += 1
        shutil.rmtree(repo.path)
        shutil.copytree(tmp_path / "before", repo.path, symlinks=True)
        with killed_at(monkeypatch, step) as reached:
            cli("erase", "session-1")
        done = len(reached) < step

        assert cli("erase", "session-1").status == 0

        told = [event.data["sha256"] for event in repo.events("payload.erased")]
        assert PERSONAL.encode() not in kept(repo), step
        assert sorted(told) == sorted(set(told)), step
        assert {sha256(f"# {PERSONAL}\n"), repo.events("prompt.submitted")[0].data["commitment"]} <= set(told), step
        assert cli("verify").status == 0
    assert step > 10
