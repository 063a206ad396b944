"""Settings of agents are read whatever somebody put in their place; nothing that stands there stops us."""

import os

import pytest

from linetrail.queries.doctor.documents import MAX_BYTES, read_json, read_text, read_toml


@pytest.mark.parametrize("read", [read_json, read_toml])
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xff\xfe\x00\x01", id="no text"),
        pytest.param(b"[1, 2", id="half a list"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b"{" * 10 + b"\0", id="a NUL"),
        pytest.param(b" " * (MAX_BYTES + 1), id="huge"),
        pytest.param(b"a = 2026-99-99\n", id="a day that never comes"),
    ],
)
def test_what_cannot_be_read_says_nothing_and_why(tmp_path, read, content):
    path = tmp_path / "settings"
    path.write_bytes(content)

    found = read(str(path))

    assert (dict(found.values), found.exists) == ({}, True)
    assert found.problem


@pytest.mark.parametrize("content", ["[]", '"text"', "null", "7"])
def test_json_that_is_no_object_says_nothing(tmp_path, content):
    path = tmp_path / "settings.json"
    path.write_text(content)

    assert read_json(str(path)).problem == "holds no object"


def test_what_is_no_file_is_never_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_text("{}")

    assert read_json(str(tmp_path / "pipe")).problem == "is not a file"
    assert read_json(str(tmp_path)).problem == "is not a file"
    assert "cannot be read" in read_json(str(tmp_path / "loop")).problem
    assert "cannot be read" in read_json(str(tmp_path / "file" / "inside")).problem
    assert read_json(str(tmp_path / "gone")) == (str(tmp_path / "gone"), {}, None, False)


def test_comments_and_last_commas_are_passed_over_and_strings_stay(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text('// one\n{"a": "// b /* c */, }", /* two\n */ "d": [1, 2,], }\n')

    assert read_json(str(path)).values == {"a": "// b /* c */, }", "d": [1, 2]}


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    path = tmp_path / "settings.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')

    assert read_json(str(path)).values == {"a": 1}
    assert read_text(str(path))[1] == '{"a": 1}'
