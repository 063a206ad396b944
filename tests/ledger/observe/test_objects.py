"""Contents are kept for differences, and are no use to whoever copies the folder that they lie in."""

import zlib
from pathlib import Path

import pytest

from linetrail.ledger.files import digest
from linetrail.ledger.observe.states import Objects
from linetrail.ledger.redact.redactor import KEY, private_folder
from linetrail.ledger.repository import find

CONTENT = b"token = 'a secret of a file'\n" * 20
NAME = digest(CONTENT)


@pytest.fixture
def repository(repo):
    return find(str(repo.path))


@pytest.mark.parametrize("content", [b"", b"\0\xff", CONTENT, bytes(range(256)) * 4_000])
def test_a_content_comes_back(repository, content):
    Objects(repository).keep(digest(content), content)

    assert Objects(repository).read(digest(content)) == content


def test_what_lies_there_says_nothing_without_the_key(repository):
    objects = Objects(repository)
    objects.keep(NAME, CONTENT)
    with open(objects.path(NAME), "rb") as file:
        stored = file.read()

    (Path(private_folder(repository)) / KEY).unlink()

    assert CONTENT[:10] not in stored
    with pytest.raises(zlib.error):
        zlib.decompress(stored)
    assert Objects(repository).read(NAME) is None


def test_the_same_content_is_masked_anew_each_time(repository):
    objects, stored = Objects(repository), []
    for _ in range(2):
        objects.keep(NAME, CONTENT)
        stored.append(_path(objects).read_bytes())
        _path(objects).unlink()

    assert stored[0] != stored[1]


def test_a_content_of_an_earlier_version_is_read(repository):
    objects = Objects(repository)
    _path(objects).parent.mkdir(parents=True)
    _path(objects).write_bytes(zlib.compress(CONTENT))

    assert objects.read(NAME) == CONTENT


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda kept: kept[:-9], id="cut"),
        pytest.param(lambda kept: kept[:1], id="without a nonce"),
        pytest.param(lambda kept: kept[:20] + bytes([kept[20] ^ 1]) + kept[21:], id="a bit turned over"),
    ],
)
def test_a_content_that_was_changed_is_none(repository, change):
    objects = Objects(repository)
    objects.keep(NAME, CONTENT)
    _path(objects).write_bytes(change(_path(objects).read_bytes()))

    assert objects.read(NAME) is None


def _path(objects):
    return Path(objects.path(NAME))


TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


def test_nothing_of_a_call_under_way_lies_in_clear(gated, repo, hook):
    repo.write("src/billing/a.py", f"TOKEN = '{TOKEN}'\n")
    session = gated()
    session.select("INT-001")
    path = str(repo.path / "src/billing/a.py")

    session.ask("Edit", file_path=path, old_string=TOKEN, new_string=f"{TOKEN}x")
    session.ask("Write", file_path=str(repo.path / "src/billing/b.py"), content=f"OTHER = '{TOKEN}'\n")
    session.ask("Write", file_path=str(repo.path / "src/auth/b.py"), content=f"OTHER = '{TOKEN}'\n")
    session.ask("Bash", command=f"echo {TOKEN} > Makefile")
    session.ask("Bash", command=f"make TOKEN={TOKEN}")
    session.ask("Read", file_path=path)
    session.ask("mcp__other__tool", text=TOKEN)

    kept = [file for file in (repo.path / ".orchestration").rglob("*") if file.is_file()]
    assert {file.parent.name for file in kept} >= {"files", "calls", "judged", "deliveries"}
    assert [str(file) for file in kept if TOKEN.encode() in file.read_bytes()] == []
    assert [str(file) for file in kept if TOKEN in file.name] == []


def test_what_a_call_under_way_proposed_is_read_again(gated, repo):
    session = gated()
    session.select("INT-001")
    path = "src/billing/b.py"
    proposed = f"OTHER = '{TOKEN}'\n"
    session.ask("Write", file_path=str(repo.path / path), content=proposed)

    repo.write(path, f"{proposed}two = 2\n")
    session.report({"filePath": path, "content": proposed, "originalFile": None, "userModified": True})

    found = [event.data["files"][0]["after_lines"] for event in repo.events("mutation.observed")]
    assert found == [1, 2]
