"""A person answers on the page what an agent asked; whoever else tries is refused, and the agent stays where it is."""

import json

import pytest

from tests.queries.page.conftest import TOTAL

TAX = "src/billing/tax.py"


def waiting(repo):
    return repo.events("gate.decided")[-1].data["approval_id"]


def verdict(repo):
    told = repo.events("gate.decided")[-1].data
    return told["verdict"], told["code"]


def goes_on(asking, path=TOTAL):
    return asking.goes_on(asking.before(path), asking.dialect.before)


def given(server, repo, answer, **fields):
    return {"id": waiting(repo), "answer": answer, "reason": "", "code": server.code} | fields


@pytest.mark.slow
def test_a_yes_lets_the_call_through_once_and_is_in_the_ledger(answering, asking, repo):
    (asked,) = answering.rows("approvals")["rows"]
    assert (asked["approval_id"], asked["extents"], asked["similar"]) == (waiting(repo), ["once", "session"], [])

    reply = answering.answer(given(answering, repo, "once", reason="well then"))

    assert reply.status == 200
    assert json.loads(reply.body)["rows"][0]["state"] == "approved"
    (event,) = repo.events("approval.decided")
    assert (event.contributor, event.data["approved"], event.data["extent"]) == ("human", True, "once")
    assert event.data["reason"] == "well then"
    assert goes_on(asking)
    assert "APPROVAL_PENDING" in asking.reason(asking.before(TAX))
    (next_one,) = answering.rows("approvals")["rows"]
    assert next_one["similar_answers"] == {"approved": 1}


@pytest.mark.slow
def test_a_request_shows_what_it_would_write_until_it_is_answered(answering, asking, repo):
    secret = "ghp_" + "a1B2" * 9
    repo.write(TOTAL, "CENT = 1\nEURO = 100\n")
    asking.before(TOTAL, f"CENT = 1\nEURO = 101  # {secret}\n")
    asked = answering.rows("approvals")["rows"][-1]

    (change,) = asked["changes"]
    assert (change["path"], change["op"]) == (TOTAL, "modify")
    shown = [(line["sign"], line["text"].partition("  #")[0]) for hunk in change["hunks"] for line in hunk["lines"]]
    assert shown == [(" ", "CENT = 1"), ("-", "EURO = 100"), ("+", "EURO = 101")]
    page = answering.see("approvals").body
    assert "EURO = 101" in page
    assert "[redacted:" in page
    kept = repo.path / ".orchestration/state/proposed"
    assert not any(secret[:12].encode() in file.read_bytes() for file in repo.path.rglob("*") if file.is_file())

    answering.answer(given(answering, repo, "no"))

    assert f"{asked['approval_id']}.json" not in {file.name for file in kept.iterdir()}


@pytest.mark.slow
def test_the_whole_of_a_long_command_is_shown(answering, asking, repo):
    command = f"echo {'a' * 600} > {TOTAL}"
    assert "APPROVAL_PENDING" in asking.reason(asking.run(command))

    asked = answering.rows("approvals")["rows"][-1]

    assert len(asked["action"]) < len(command) == len(asked["command"])
    assert command in answering.see("approvals").body.replace("&gt;", ">")


@pytest.mark.slow
def test_each_verb_is_its_own_answer(answering, asking, repo):
    code = answering.code
    assert answering.answer(given(answering, repo, "later", code=code)).status == 200
    assert answering.rows("approvals")["rows"][0]["state"] == "deferred"
    assert answering.answer(given(answering, repo, "scope", code=code)).status == 409  # it is in the scope
    assert answering.answer(given(answering, repo, "session", code=code)).status == 200
    assert goes_on(asking)
    assert goes_on(asking)
    (counting,) = answering.rows("approvals")["meta"]["counting"]
    assert answering.answer(given(answering, repo, "back", id=counting["approval_id"], code=code)).status == 200
    asking.before(TOTAL, "CENT = 2\n")
    assert verdict(repo) == ("deny", "APPROVAL_PENDING")
    assert answering.answer(given(answering, repo, "no", reason="never", code=code)).status == 200
    asking.before(TOTAL, "CENT = 2\n")
    assert verdict(repo)[0] == "deny"
    assert verdict(repo)[1] != "APPROVAL_PENDING"

    told = [row["answer"] for row in answering.rows("approvals")["meta"]["history"]["rows"]]

    assert told == ["rejected", "revoked", "approved", "deferred"]


@pytest.mark.slow
def test_without_the_code_nothing_is_answered_and_it_cannot_be_guessed(answering, asking, repo):
    code = answering.code
    body = answering.see("approvals").body
    assert code not in body
    assert "answer-code" in body

    for wrong in ("", waiting(repo), "é", code[:-1], "x" * 3_000):
        reply = answering.answer(given(answering, repo, "once", code=wrong))
        assert (reply.status, code in reply.body) == (403, False)

    late = answering.answer(given(answering, repo, "once", code=code))

    assert (late.status, "too often" in late.body) == (403, True)
    assert repo.events("approval.decided") == []
    assert "APPROVAL_PENDING" in asking.reason(asking.before(TOTAL))


@pytest.mark.slow
def test_only_a_script_of_our_pages_is_heard(answering, repo):
    told = given(answering, repo, "once")
    refused = {
        "another site": (403, {"Sec_Fetch_Site": "cross-site"}),
        "another port": (403, {"Sec_Fetch_Site": "same-site"}),
        "an address that was typed": (403, {"Sec_Fetch_Site": "none"}),
        "no browser": (403, {"Sec_Fetch_Site": None}),
        "another origin": (403, {"Origin": "http://evil.example"}),
        "an origin that is hidden": (403, {"Origin": "null"}),
        "another host": (403, {"Host": "evil.example"}),
        "no cookie": (403, {"Cookie": None}),
        "a form": (415, {"Content_Type": "application/x-www-form-urlencoded"}),
        "a simple request": (415, {"Content_Type": "text/plain"}),
        "no type": (415, {"Content_Type": None}),
        "two types in one": (415, {"Content_Type": "text/plain, application/json"}),
    }

    found = {name: answering.answer(told, **headers) for name, (_, headers) in refused.items()}

    assert {name: (reply.status, reply.body) for name, reply in found.items()} == {
        name: (status, "") for name, (status, _) in refused.items()
    }
    for path in ("/answer/", "/./answer", "/files", "/ANSWER"):
        assert (
            answering.request(path, "POST", Content_Type="application/json", Sec_Fetch_Site="same-origin").status == 405
        )
    for method in ("GET", "PUT", "DELETE", "OPTIONS"):
        reply = answering.request("/answer", method)
        assert (reply.status, reply.body, reply.headers["allow"]) == (405, "", "POST")
    assert repo.events("approval.decided") == []


@pytest.mark.slow
def test_what_is_no_answer_changes_nothing(answering, repo):
    bodies = {
        "nothing": "",
        "half an object": "{",
        "deep": "[" * 2_000,
        "null": "null",
        "too little": '{"id": "A-2222"}',
        "a number for an id": json.dumps({"id": 1, "answer": "once", "reason": "", "code": ""}),
        "no verb of ours": json.dumps({"id": "", "answer": "rm", "reason": "", "code": ""}),
        "a long reason": json.dumps({"id": "", "answer": "no", "reason": "x" * 201, "code": ""}),
        "a long body": "x" * 100_000,
    }

    replies = {name: answering.answer(body) for name, body in bodies.items()}

    found = {name: (reply.status, json.loads(reply.body)["error"]["code"]) for name, reply in replies.items()}
    assert found == dict.fromkeys(bodies, (400, "UsageError"))
    assert repo.events("approval.decided") == []


@pytest.mark.slow
def test_an_answer_to_nothing_says_what_waits(answering, repo):
    reply = answering.answer(given(answering, repo, "once", id="../../etc/passwd"))

    assert (reply.status, waiting(repo) in reply.body) == (409, True)


@pytest.mark.slow
def test_a_server_that_only_reads_takes_no_answer(asking, page, repo):
    server = page().enter()

    assert server.answer({"id": waiting(repo), "answer": "once", "reason": "", "code": ""}).status == 405
    body = server.see("approvals").body
    assert "data-answer" not in body
    assert f"linetrail approve {waiting(repo)}" in body


def test_no_agent_opens_a_page_on_which_it_could_answer(asking, linetrail):
    done = linetrail("serve", "--allow-answers", env={"CLAUDECODE": "1"})

    assert (done.returncode, done.stdout) == (1, "")
    assert "only a person can" in done.stderr
