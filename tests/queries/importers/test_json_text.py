"""JSON that secrets were taken out of is still JSON, and says the same but for them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.redact.redactor import scrub
from linetrail.queries.importers.older.json_text import scrub_json

pytestmark = pytest.mark.in_turn

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
PASSWORD = "hunter2-and-more"


def twice(pairs):
    """Refuse a name that occurs twice, as our readers do."""
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        pytest.param('{"PASS:": null}', '{"PASS:": null}', id="a name that looks like an assignment"),
        pytest.param(
            '{ "a":\t"x" ,"PASS:" : [false,  1.50]}\r', '{ "a":\t"x" ,"PASS:" : [false,  1.50]}\r', id="layout"
        ),
        pytest.param(
            f'{{"password": "{PASSWORD}"}}', '{"password": "[redacted:assignment]"}', id="a value by its name"
        ),
        pytest.param('{"password": "abcdef\\"ghi"}', '{"password": "[redacted:assignment]"}', id="a quote in a value"),
        pytest.param('{"PASS:": null, "password": "abcdef\\\\"}', None, id="a backslash at the end"),
        pytest.param('{"password": 1234567890}', '{"password": "[redacted:assignment]"}', id="a number by its name"),
        pytest.param(f'["{TOKEN}", {{"{TOKEN}": 1}}]', '["[redacted:github]", {"[redacted:github]": 1}]', id="a name"),
        pytest.param('["\\u0067' + TOKEN[1:] + '"]', '["[redacted:github]"]', id="escaped"),
        pytest.param(
            '{"a": "-----BEGIN RSA PRIVATE KEY-----\\nabc", "b": 1}',
            '{"a": "[redacted:private-key]", "b": 1}',
            id="a key",
        ),
    ],
)
def test_what_is_json_stays_json(text, clean):
    found = scrub_json(text)

    json.loads(found)
    assert clean is None or found == clean
    assert not any(secret in found for secret in (TOKEN, PASSWORD, "abcdef", "1234567890"))


def test_two_names_that_are_secrets_stay_two():
    text = json.dumps({TOKEN: 1, f"x {TOKEN}": 2, TOKEN + "9": 3})

    found = scrub_json(text)

    assert list(json.loads(found, object_pairs_hook=twice).values()) == [1, 2, 3]
    assert TOKEN not in found


@pytest.mark.parametrize("text", ["", "no JSON", '{"a": ', f"password={PASSWORD}", "[" * 20_000, "9" * 5_000])
def test_what_is_no_json_is_redacted_as_text(text):
    assert scrub_json(text) == scrub(text)


PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
NAMES = st.text(max_size=4) | st.sampled_from(["PASS:", "password", "token=", "Authorization: Bearer", "a"])
VALUES = st.recursive(
    PLAIN
    | st.sampled_from(
        [TOKEN, f"x {TOKEN}", PASSWORD, 'pwd="', "\\", "https://u:s3cret-pw@h/", "-----BEGIN PRIVATE KEY-----"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=15,
)


def shape(value):
    """Return the structure of a value: what is a list, what an object, and how many each holds."""
    if isinstance(value, list):
        return [shape(one) for one in value]
    if isinstance(value, dict):
        return {"size": len(value), "of": [shape(one) for one in value.values()]}
    return None


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_whatever_it_holds_it_keeps_its_shape(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    found = scrub_json(text)

    assert shape(json.loads(found, object_pairs_hook=twice)) == shape(json.loads(text))
    assert TOKEN not in found
    assert scrub_json(found) == found


def test_a_record_that_is_imported_leaves_as_json(repo, cli):
    repo.start_ledger()
    said = {"PASS:": None, "after": "words that stay", "password": f'{PASSWORD}"'}
    record = {"version": "0.1.0", "id": "x", "timestamp": "2026-01-05T09:00:00Z", "files": [], "metadata": said}
    repo.write("old.jsonl", json.dumps(record) + "\n")
    assert cli("import", "agent-trace", "old.jsonl").status == 0

    (line,) = cli("export", "agent-trace").out.splitlines()

    assert json.loads(line) == record | {"metadata": said | {"password": "[redacted:assignment]"}}
