"""Events are told as they come, none of them is missed, and a long answer says how far it is."""

import asyncio
import itertools
import json
import os
import shutil
import stat
import threading
import zlib

import pytest
from starlette.testclient import TestClient

from linetrail.ledger.log.chain import Head
from linetrail.ledger.repository import find
from linetrail.projections.tables.progress import each
from linetrail.queries.page import previous_pages, worker
from linetrail.queries.page.live import news, position
from linetrail.queries.page.server import application
from linetrail.queries.page.worker import Worker

SECONDS = 60


def heard(repository, after, then=lambda: None):
    """Return the first message after a position, where `then` happens once it is listened to."""

    async def first():
        stream = news(repository, after)
        await anext(stream)
        then()
        return await asyncio.wait_for(anext(stream), SECONDS)

    return asyncio.run(first())


def test_an_event_is_told_with_its_position(repo, agent):
    repo.start_ledger()
    agent().prompt("before")
    repository = find(str(repo.path))
    before = position(repository)

    message = heard(repository, before, lambda: agent().prompt("after"))

    told, after = message.split("\n")[:2], position(repository)
    assert after > before
    assert told == [f"id: {after}", f"data: {json.dumps({'events': after})}"]


def test_what_came_while_nobody_listened_is_told_first(repo, agent):
    repo.start_ledger()
    repository = find(str(repo.path))
    agent().prompt("while away")

    assert heard(repository, 0).startswith(f"id: {position(repository)}\n")


@pytest.mark.slow
def test_sealing_is_no_news(repo, agent, cli):
    repo.start_ledger()
    agent().prompt("sealed")
    repository = find(str(repo.path))
    before = position(repository)
    assert cli("seal").status == 0

    message = heard(repository, before, lambda: agent().prompt("after"))

    assert int(message.split("\n")[0].removeprefix("id: ")) == position(repository) > before


@pytest.mark.slow
def test_a_position_that_is_none_is_the_beginning(repo, agent, page):
    repo.start_ledger()
    agent().prompt("told")
    server = page().enter()

    for told in ("", "x", "-1", "1e3", "٣"):
        assert server.first_line("/live", Last_Event_ID=told.encode()) == f"id: {position(find(str(repo.path)))}", told


@pytest.mark.slow
def test_an_answer_that_takes_long_is_waited_for_by_a_page_that_says_so(repo):
    repo.start_ledger()
    repo.commit()
    with TestClient(application(find(str(repo.path)), patience=0)) as client:
        first = client.get("/")
        document = client.get("/overview.json")

    assert first.status_code == 202
    assert "<div data-working>" in first.text
    assert '<noscript><meta http-equiv="refresh" content="1; url=/"></noscript>' in first.text
    assert "data-events" not in first.text
    assert document.json()["meta"]["view"] == "overview"


@pytest.mark.slow
def test_what_was_said_last_stands_below_with_its_head_and_its_damage(repo, agent):
    agent().prompt("what came first")
    repo.commit()
    ledger = repo.path / ".orchestration/agent_trace.jsonl"
    before = len(repo.events())
    with ledger.open("ab") as tail:
        tail.write(b"no event\n")

    with TestClient(application(find(str(repo.path)), patience=0)) as client:
        client.get("/")
        head = client.get("/overview.json").json()["meta"]["status"]["ledger_head"]  # behind the page
        assert client.get("/").status_code == 200
        agent().prompt("what came later")
        again, other = client.get("/"), client.get("/files")

    assert again.status_code == 202
    assert f'What stands below is of {before} events, head <code title="{head}">' in again.text
    assert "<h1>Overview</h1>" in again.text
    assert "agent_trace.jsonl" in again.text.partition('role="alert">')[2].partition("</p>")[0]
    assert "data-events" not in again.text
    assert "<h1>Working</h1>" in other.text


@pytest.mark.slow
def test_a_new_server_has_what_was_said_last_until_the_cache_is_emptied(repo, agent):
    agent().prompt("what came first")
    repo.commit()
    repository = find(str(repo.path))

    def first_seen():
        with TestClient(application(repository, patience=0)) as client:
            seen = client.get("/").text
            client.get("/overview.json")  # behind the page
            return seen

    seen = [first_seen(), first_seen()]
    shutil.rmtree(repo.path / ".orchestration/cache")
    seen.append(first_seen())

    assert ["What stands below is of" in one for one in seen] == [False, True, False]


@pytest.fixture
def pages(repo):
    repo.start_ledger()
    return previous_pages.PreviousPages(find(str(repo.path)))


SAID = previous_pages.Said("Title", "<p>the text of a file\udcff</p>", Head(10, 2, "00"), ["damage"])


def test_what_was_said_last_comes_back_and_is_not_to_be_read_in_the_cache(repo, pages):
    pages.keep("/a", SAID)

    (file,) = (repo.path / ".orchestration/cache/pages").iterdir()
    assert previous_pages.PreviousPages(find(str(repo.path))).get("/a") == SAID
    assert pages.get("/b") is None
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"the text of a file" not in bytes.fromhex(file.read_text())


@pytest.mark.parametrize(
    "forged",
    [
        pytest.param("", id="nothing"),
        pytest.param("no page", id="no text of ours"),
        pytest.param(zlib.compress(json.dumps(SAID).encode()).hex(), id="not sealed"),
        pytest.param("01" + "00" * 16 + zlib.compress(json.dumps(SAID).encode()).hex(), id="sealed without the key"),
    ],
)
def test_a_page_that_another_wrote_is_not_shown(repo, pages, forged):
    pages.keep("/a", SAID)
    (file,) = (repo.path / ".orchestration/cache/pages").iterdir()

    file.write_text(forged)

    assert pages.get("/a") is None


def test_only_so_much_of_what_was_said_last_is_kept(repo, pages, monkeypatch):
    folder = repo.path / ".orchestration/cache/pages"
    for at, address in enumerate(("/a", "/b", "/a", "/c")):
        pages.keep(address, SAID)
        newest = max(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)
        os.utime(newest, ns=(at, at))
    size = newest.stat().st_size
    monkeypatch.setattr(previous_pages, "MOST_BYTES", 3 * size - 1)

    pages.keep("/d", SAID)
    pages.keep("/long", SAID._replace(body=os.urandom(2 * size).hex()))

    assert [address for address in ("/a", "/b", "/c", "/d", "/long") if pages.get(address)] == ["/c", "/d"]


def test_asking_a_page_of_a_repository_without_a_ledger_makes_no_folder(repo):
    pages = previous_pages.PreviousPages(find(str(repo.path)))

    pages.keep("/a", SAID)

    assert not (repo.path / ".orchestration").exists()


def test_a_worker_says_how_far_it_is_and_answers_all_who_ask_the_same():
    begun, go = threading.Event(), threading.Event()

    def work():
        for number in each(range(4), "lines", "files"):
            if number == 3:
                begun.set()
                go.wait(SECONDS)
        return object()

    async def ask():
        worker = Worker()
        assert await worker.answer("a", work, 0) is None
        await asyncio.to_thread(begun.wait, SECONDS)
        seen = worker.progress
        both = [asyncio.create_task(worker.answer("a", work, None)) for _ in range(2)]
        await asyncio.sleep(0)
        go.set()
        return seen, await asyncio.gather(*both), worker.progress

    seen, (one, other), after = asyncio.run(ask())

    assert (seen.label, seen.done, seen.total, seen.unit) == ("lines", 3, 4, "files")
    assert one is other
    assert after is None


def test_who_was_told_to_ask_again_finds_the_answer_that_came_in_between():
    numbers = itertools.count()

    async def ask():
        worker = Worker()
        assert await worker.answer("a", lambda: next(numbers), 0) is None
        await worker.answer("b", lambda: None, None)  # one after another, so the first is there
        return [await worker.answer("a", lambda: next(numbers), patience) for patience in (0, None)]

    assert asyncio.run(ask()) == [0, 1]


def test_an_answer_that_nobody_comes_for_is_forgotten(monkeypatch):
    monkeypatch.setattr(worker, "KEPT_SECONDS", 0)

    async def ask():
        worker = Worker()
        assert await worker.answer("a", lambda: "old", 0) is None
        await worker.answer("b", lambda: None, None)
        await asyncio.sleep(0)  # the loop's next turn, in which what is due at once is done
        return await worker.answer("a", lambda: "new", None)

    assert asyncio.run(ask()) == "new"
