"""The order of steps in an agent's instruction file: put there, made new, and taken out without a trace."""

import pytest

from linetrail.ledger.hook.checkout import BYTES_PER_TOKEN
from linetrail.ledger.knowledge.marked_part import MarkedTextError
from linetrail.ledger.repository import find
from linetrail.queries.setup.preamble import TEXT, plan_preamble, plan_undo_preamble
from linetrail.queries.setup.steps import carry_out


@pytest.fixture
def project(repo):
    repo.start_ledger()
    return find(str(repo.path))


def install(project, *agents):
    steps = list(plan_preamble(project, agents or ["claude-code"]))
    carry_out(steps)
    return [(step.action, step.path.rpartition("/")[2]) for step in steps]


def undo(project):
    steps = list(plan_undo_preamble(project))
    carry_out(steps)
    return [(step.action, step.path.rpartition("/")[2]) for step in steps]


@pytest.mark.parametrize("before", [None, b"", b"# Rules\n", b"\xef\xbb\xbf# Rules\r\n- one", b"a\n\n\n"])
def test_it_is_put_in_once_and_taken_out_without_a_trace(repo, project, before):
    file = repo.path / "CLAUDE.md"
    if before is not None:
        file.write_bytes(before)
        file.chmod(0o640)

    assert install(project) == [("create" if before is None else "update", "CLAUDE.md")]
    assert install(project) == [("keep", "CLAUDE.md")]
    assert file.stat().st_mode & 0o777 == (0o644 if before is None else 0o640)

    assert undo(project) == [("remove" if before is None else "update", "CLAUDE.md")]
    assert undo(project) == []
    assert (file.read_bytes() if file.exists() else None) == before


def test_an_older_text_is_replaced(repo, project):
    install(project)
    file = repo.path / "CLAUDE.md"
    file.write_text("# Mine\n" + file.read_text().replace("Analyse the request", "Ask"))

    assert install(project) == [("update", "CLAUDE.md")]
    assert file.read_text().startswith("# Mine\n")
    assert TEXT in file.read_text()


def test_what_a_person_added_to_a_file_that_we_made_stays(repo, project):
    install(project)
    with (repo.path / "CLAUDE.md").open("a") as file:
        file.write("# Mine\n")

    assert undo(project) == [("update", "CLAUDE.md")]
    assert (repo.path / "CLAUDE.md").read_text() == "# Mine\n"


def test_other_agents_read_another_file_and_links_between_them_are_one_file(repo, project):
    assert install(project, "claude-code", "codex", "cursor") == [("create", "CLAUDE.md"), ("create", "AGENTS.md")]
    undo(project)
    (repo.path / "AGENTS.md").write_text("# Rules\n")
    (repo.path / "CLAUDE.md").symlink_to("AGENTS.md")

    assert install(project, "claude-code", "codex") == [("update", "AGENTS.md")]
    assert undo(project) == [("update", "AGENTS.md")]
    assert (repo.path / "AGENTS.md").read_text() == "# Rules\n"


@pytest.mark.parametrize("content", ["```\nopen", "<!-- linetrail:begin protocol -->\n"])
def test_a_file_that_cannot_be_trusted_stops_before_anything_is_changed(repo, project, content):
    file = repo.write("CLAUDE.md", content)

    with pytest.raises(MarkedTextError, match=r"CLAUDE\.md"):
        install(project)

    assert file.read_text() == content


def test_the_text_is_short_and_names_every_step():
    steps = ["linetrail intents list", "list_active_intents", "linetrail select ID", "select_active_intent"]
    steps += ["intent_context", "linetrail intents done ID --notes", ".orchestration", "OUT_OF_SCOPE"]

    assert all(step in TEXT for step in steps)
    assert len(TEXT.encode()) / BYTES_PER_TOKEN <= 250
    assert "@" not in TEXT
