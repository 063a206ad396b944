"""When secrets cannot be looked for, the event is stored and the text is not."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from linetrail.ledger.hook.deadline import deadline
from linetrail.ledger.hook.payload import MAX_PAYLOAD_BYTES, read
from linetrail.ledger.redact import redactor
from linetrail.ledger.redact.redactor import WITHHELD

WORDS = "what the person said"


def broken(*_):
    raise RuntimeError(WORDS)


def hanging(*_):
    time.sleep(30)


@pytest.fixture(params=[broken, hanging], ids=["it breaks", "it hangs"])
def trouble(request, monkeypatch):
    monkeypatch.setattr(redactor, "_scrub", request.param)
    monkeypatch.setattr(redactor, "_scrub_short", request.param)


@pytest.mark.promise("E3")
def test_a_prompt_is_told_without_its_words(repo, agent, trouble):
    session = agent(model=None)
    with deadline(clock=0.2):
        session.prompt(WORDS)

    (event,) = repo.events()
    assert (event.type, event.data["excerpt"], event.data["length"]) == ("prompt.submitted", WITHHELD, len(WORDS))
    assert WORDS.encode() not in b"".join(repo.lines())


@pytest.mark.promise("E3")
def test_a_command_is_told_without_its_words(repo, agent, monkeypatch):
    session = agent(model=None)
    monkeypatch.setattr(redactor, "_scrub", broken)

    session.send("PreToolUse", tool_name="Bash", tool_use_id="t", tool_input={"command": f"echo {WORDS} " + "x" * 100})

    (event,) = repo.events("tool.requested")
    assert event.data["command"] == WITHHELD


@pytest.mark.promise("E3")
def test_a_payload_of_fifty_megabytes_is_told_by_hash_and_size(repo, hook):
    repo.start_ledger()
    payload = {"session_id": "s", "cwd": str(repo.path), "hook_event_name": "UserPromptSubmit"}
    sent = json.dumps(payload | {"prompt": WORDS * (50_000_000 // len(WORDS))}).encode()

    assert hook(sent).returncode == 0

    (event,) = repo.events()
    assert event.type == "payload.rejected"
    assert event.data["size"] > MAX_PAYLOAD_BYTES
    assert WORDS.encode() not in b"".join(repo.lines())


@pytest.mark.promise("E3")
def test_a_prompt_of_ten_megabytes_is_told_like_any_other(repo, hook):
    repo.start_ledger()
    payload = {"session_id": "s", "cwd": str(repo.path), "hook_event_name": "UserPromptSubmit"}

    hook(payload | {"prompt": "word " * 2_000_000})

    (event,) = repo.events()
    assert (event.type, event.data["length"]) == ("prompt.submitted", 10_000_000)


def test_what_is_too_long_is_read_to_its_end():
    ours, theirs = os.pipe()
    with ThreadPoolExecutor() as pool, os.fdopen(ours, "rb") as pipe:
        done = pool.submit(write_all, theirs, b"x" * (MAX_PAYLOAD_BYTES + (3 << 20)))
        content = read(pipe.fileno(), [])

        assert done.result() is None
    assert len(content) > MAX_PAYLOAD_BYTES


def write_all(fd, content):
    with os.fdopen(fd, "wb") as pipe:
        pipe.write(content)
