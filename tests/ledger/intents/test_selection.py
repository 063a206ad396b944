"""Which intent the hook stamps on an event."""

import os

import pytest

from linetrail.ledger.errors import StorageError
from linetrail.ledger.intents import selection
from linetrail.ledger.repository import Repository


@pytest.fixture
def repository(tmp_path):
    return Repository(str(tmp_path), None, None)


def test_nothing_is_selected_at_first(repository):
    assert selection.read(repository, "s1") is None
    assert selection.read(repository, None) is None


def test_a_choice_for_the_worktree_holds_for_every_session(repository):
    selection.write(repository, "INT-1")

    assert selection.read(repository, None) == "INT-1"
    assert selection.read(repository, "s1") == "INT-1"


def test_a_session_wins_over_the_worktree(repository):
    selection.write(repository, "INT-1")
    selection.write(repository, "INT-2", session_id="s1")

    assert selection.read(repository, "s1") == "INT-2"
    assert selection.read(repository, "s2") == "INT-1"


def test_a_session_that_cleared_its_intent_has_none(repository):
    selection.write(repository, "INT-1")
    selection.write(repository, None, session_id="s1")

    assert selection.read(repository, "s1") is None


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'{"intent_id"', id="half written"),
        pytest.param(b"[1]", id="a list"),
        pytest.param(b'{"intent_id": 7}', id="a number for an id"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
    ],
)
def test_a_damaged_file_counts_as_no_choice(repository, content):
    selection.write(repository, "INT-1")
    folder = os.path.join(repository.folder, "state", "selection")
    with open(os.path.join(folder, "worktree.json"), "wb") as file:
        file.write(content)

    assert selection.read(repository, "s1") is None


@pytest.mark.parametrize(
    "session_id", ["../../x", "a/b", "\udcff", "ü" * 300], ids=["climbing", "slash", "bytes", "long"]
)
def test_any_session_id_makes_a_file_inside_the_folder(repository, session_id):
    selection.write(repository, "INT-1", session_id=session_id)

    assert selection.read(repository, session_id) == "INT-1"
    assert len(os.listdir(os.path.join(repository.folder, "state", "selection"))) == 1


def test_a_folder_that_cannot_be_made_is_an_error_with_its_path(tmp_path):
    (tmp_path / ".orchestration").write_text("a file, not a folder")

    with pytest.raises(StorageError, match="selection"):
        selection.write(Repository(str(tmp_path), None, None), "INT-1")
