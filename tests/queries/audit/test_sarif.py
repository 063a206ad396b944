"""SARIF 2.1.0: what code scanning takes, from whatever paths and prompts hold."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.repository import Repository
from linetrail.queries.audit import rulebook
from linetrail.queries.audit.audit import Audit
from linetrail.queries.audit.finding import folded, found
from linetrail.queries.exporters.sarif import MAX_RESULTS, Ran, sarif, uri

pytestmark = pytest.mark.in_turn

SCHEMA = Path(__file__).parents[2] / "fixtures" / "sarif" / "essentials.schema.json"
NOWHERE = Repository("/nowhere", None, None)
RAN = Ran(["audit"], "0.1.0", sound=True)


def finding(at=0, rule="LT001", **known):
    row = dict.fromkeys(rulebook.COLUMNS) | {"allowed": "src/**", "anchor": f"x{at}"} | known
    return found(rulebook.rules()[rule], row)


def document(*findings, ran=RAN):
    figures = {"intents": 1, "sessions": 1, "mutations": 1, "events": 1}
    audit = Audit(folded(findings), list(rulebook.rules().values()), 0, 0, 0, figures, "9c1e")
    return json.loads(sarif(NOWHERE, audit, ran))


@pytest.fixture(scope="module")
def valid():
    """Return a function that holds a document against what the standard and code scanning ask of one."""
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft7Validator(
        json.loads(SCHEMA.read_text()), format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER
    )

    def check(said):
        assert [error.message for error in validator.iter_errors(said)] == []
        return True

    return check


def test_a_document_without_findings_is_valid(valid):
    assert valid(document())


def test_a_finding_has_rule_place_level_and_fingerprint(valid):
    said = document(finding(path="src/a b.py", line=3, end_line=5, session_id="s1", intent_id="INT-1"))

    assert valid(said)
    [result] = said["runs"][0]["results"]
    assert said["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "LT001"
    assert result["level"] == "error"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 3, "endLine": 5}
    assert list(result["partialFingerprints"]) == ["linetrailFinding/v1"]


@pytest.mark.slow
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_path_and_session_make_a_valid_document(valid, path, session):
    assert valid(document(finding(path=path or None, session_id=session)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),
        ("a//b", "a//b"),
        ("caf\u00e9.py", "caf%C3%A9.py"),
        ('"caf\\351.py"', "caf%E9.py"),
        ("a\nb", "a%0Ab"),
        ("100%", "100%25"),
        ('"no \\x quotes"', "%22no%20%5Cx%20quotes%22"),
    ],
)
def test_a_path_becomes_a_relative_uri_and_nothing_else(path, expected):
    assert uri(path) == expected


@pytest.mark.slow
def test_the_worst_come_first_and_the_rest_is_told(valid):
    many = [finding(at, path=f"{at}.py") for at in range(MAX_RESULTS)]
    said = document(*many, *(finding(at, rule="LT003", via="tool", path=f"{at}.py") for at in range(7)))

    results = said["runs"][0]["results"]
    assert len(results) == MAX_RESULTS
    assert {result["ruleId"] for result in results} == {"LT001"}
    notes = said["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert notes[0]["message"]["text"].startswith("7 more findings were left out")


def test_a_damaged_ledger_is_no_successful_run():
    said = document(ran=RAN._replace(sound=False))

    assert said["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_every_level_of_a_rule_is_one_of_the_standard():
    rules = document()["runs"][0]["tool"]["driver"]["rules"]

    assert {rule["defaultConfiguration"]["level"] for rule in rules} == {"error", "warning", "note"}


@pytest.mark.slow
def test_the_commit_is_told_and_no_password_of_its_address(cli, repo):
    repo.start_ledger()
    head = repo.commit("one", {"a.py": "one\n"})
    repo.git("remote", "add", "origin", "https://example.org/shop.git")

    provenance = json.loads(cli("audit", "--format", "sarif").out)["runs"][0]["versionControlProvenance"]
    repo.git("remote", "set-url", "origin", "https://user:hunter2@example.org/shop.git")
    without = cli("audit", "--format", "sarif").out

    assert provenance[0]["repositoryUri"] == "https://example.org/shop.git"
    assert provenance[0]["revisionId"] == head
    assert "hunter2" not in without
