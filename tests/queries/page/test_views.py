"""Each view as HTML and as a document, over a ledger in which something of everything happened."""

import html
import json
import math
import re
import unicodedata
from urllib.parse import parse_qs, urlencode

import pytest
from starlette.testclient import TestClient

from linetrail.ledger.repository import find
from linetrail.queries.page.catalogue import HOME, VIEWS
from linetrail.queries.page.server import application
from linetrail.queries.page.view import Asked
from linetrail.queries.page.views import decisions
from tests.queries import rich

pytestmark = pytest.mark.in_turn

EVIL = "\"><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}\u202e\x1b[31m'"
# A view, and the options with which it has something to show.
SHOWN = {
    "session": {"id": "s1"},
    "file": {"path": "src/parse.py", "line": "1"},
    "story": {"path": "src/parse.py", "line": "1"},
    "ask": {"question": "log"},
    "intent": {"id": "INT-1"},
    "record": {"id": "INT-1"},
}


def address(name):
    return "" if name == HOME else name


@pytest.mark.soak  # each is a page in the story of somebody hostile, below
def test_every_view_is_a_page_and_a_document(told):
    for name in VIEWS:
        options = SHOWN.get(name, {})
        seen, document = told.see(address(name), **options), told.rows(name, **options)
        assert (seen.status, seen.headers["content-type"]) == (200, "text/html; charset=utf-8"), name
        assert document["schema_version"] == 1
        assert document["meta"]["view"] == name
        assert html.escape(document["meta"]["title"][:8]) in seen.body, name


@pytest.mark.slow
def test_every_kind_of_link_leads_to_a_page(told):
    found = {link for name in VIEWS for link in _links(told.see(address(name), **SHOWN.get(name, {})).body)}
    of_each_kind = {_kind(link): link for link in sorted(found) if _is_here(link)}.values()

    assert len(found) > 60
    assert {link: told.request(link).status for link in of_each_kind} == dict.fromkeys(of_each_kind, 200)


def _kind(link):
    """Return the view that a link leads to, and the names of what it tells it."""
    path, _, query = link.partition("?")
    return path, tuple(sorted(parse_qs(query, keep_blank_values=True)))


def _links(body):
    return {html.unescape(link).partition("#")[0] for link in re.findall(r'(?:href|action)="([^"]*)"', body)}


def _is_here(link):
    return not link.startswith("/file") or "src/parse.py" in link or "src%2Fparse.py" in link


@pytest.mark.slow
def test_a_line_tells_its_story_and_the_same_as_why(told, cli):
    shown = told.rows("file", path="src/parse.py", line=1)
    (story,) = shown["meta"]["stories"]
    (row,) = cli("why", "src/parse.py:1", "--json", cwd=told.folder).rows

    assert {name: story[name] for name in row} == row
    body = told.see("file", path="src/parse.py", line=1).body
    assert "write a parser" in body
    assert 'id="L1"' in body


@pytest.mark.slow
def test_a_story_has_what_a_person_overruled_and_what_laid_the_line_out(repo, agent, cli):
    repo.commit(files={"a.py": "x = [1, 2]\n"})
    one = agent()
    one.edit("a.py", "x = [1, 2]\n", "x = [1, 3]\n")
    repo.commit()
    why = "I wrote it <b>by hand</b>"
    assert cli("correct", "a.py:1", "--by", "human", "--reason", why).status == 0

    with TestClient(application(find(str(repo.path)), patience=math.inf)) as client:
        seen = client.get("/story?path=a.py&line=1").text

    assert f"a person said: written by a person, not by an agent  &#34;{html.escape(why)}&#34;" in seen


@pytest.mark.slow
def test_an_address_leads_to_the_same_in_a_fresh_clone(repo, tmp_path, cli):
    rich.tell(repo)
    assert cli("seal").status == 0
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "-m", "seal")
    clone = tmp_path / "clone"
    repo.git("clone", "--quiet", str(repo.path), str(clone))
    here, there = (TestClient(application(find(str(one)))) for one in (repo.path, clone))

    for name in VIEWS:
        query = urlencode(SHOWN.get(name, {}))
        found = [one.get(f"/{name}.json?{query}").json() for one in (here, there)]
        assert "error" not in found[1], name
        assert found[0]["meta"]["title"] == found[1]["meta"]["title"], name
        if name in ("sessions", "session", "file", "story", "refusals", "decisions", "record", "intent", "ask"):
            assert found[0]["rows"] == found[1]["rows"], name


@pytest.mark.slow
def test_a_file_is_blamed_as_on_the_command_line(told, cli):
    rows = told.rows("file", path="src/parse.py")["rows"]
    blamed = cli("blame", "src/parse.py", "--json", cwd=told.folder).rows

    assert [{key: row[key] for key in row if key != "doubtful"} for row in rows] == [
        {key: row[key] for key in rows[0] if key != "doubtful"} for row in blamed
    ]


@pytest.mark.slow
def test_a_number_leads_to_its_question(told):
    counts = told.rows("overview")["rows"]
    refusals = next(row for row in counts if row["kind"] == "refusal")

    again = told.rows("ask", question=refusals["question"], **refusals["told"])

    assert sum(row["count"] for row in again["rows"]) == refusals["count"] > 0
    assert "from v_verdicts" in again["meta"]["sql"]


@pytest.mark.slow
def test_sql_is_answered_in_the_sandbox_alone(told, tmp_path):
    assert told.rows("ask", sql="select 6 * 7 as n")["rows"] == [{"n": 42}]
    for sql in ("drop view v_events", f"copy (select 1) to '{tmp_path}/x'", "select * from read_text('/etc/passwd')"):
        reply = told.see("ask", sql=sql)
        assert reply.status == 400
        assert "root:" not in reply.body
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_plain_words_are_asked_as_on_the_command_line(told, cli):
    counted = json.loads(cli("ask", "how many prompts by agent", "--json", cwd=told.folder).out)
    shown = told.rows("ask", words="line survival by agent")
    asked = json.loads(cli("ask", "line survival by agent", "--json", cwd=told.folder).out)

    assert told.rows("ask", words="how many prompts by agent")["rows"] == counted["rows"]
    assert shown["rows"] == asked["rows"]
    assert shown["meta"]["meant"]["name"] == asked["meta"]["named"] == "survival"
    again = told.rows("ask", question=shown["meta"]["meant"]["name"], **shown["meta"]["meant"]["told"])
    assert again["rows"] == shown["rows"]
    assert "why" in told.rows("ask", words="what about spaces")["meta"]["columns"]
    assert told.rows("ask", words="average weight of prompts per moon")["meta"]["unanswered"]


@pytest.mark.slow
def test_an_answer_is_csv_and_a_chart_too(told):
    sql = "select * from (values ('2026-01-01', 2), ('2026-01-02', 4)) as t(day, \"=n\")"

    shown, saved = told.rows("ask", sql=sql), told.request(f"/ask.csv?{told.query({'sql': sql})}")

    assert shown["meta"]["chart"][2] == "columns"
    assert (saved.status, saved.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert saved.body.splitlines()[1:] == ["2026-01-01,2", "2026-01-02,4"]
    assert "download" in told.see("ask", sql=sql).body
    assert told.request("/ask.csv?sql=drop").status == 400


@pytest.mark.slow
def test_a_page_says_which_ledger_it_shows(told):
    meta = told.rows("provenance")["meta"]

    (said,) = re.findall(r"<footer>(.*?)</footer>", told.see("sessions").body)

    assert f"{meta['events']:,} events" in said
    assert meta["ledger_head"][:12] in said


@pytest.mark.slow
def test_a_lesson_about_a_program_leads_to_no_file(told):
    about = {row["path"] for row in told.rows("decisions")["meta"]["lessons"]["rows"]}

    assert about
    assert not {f"/file?{urlencode({'path': path})}" for path in about} & _links(told.see("decisions").body)


@pytest.mark.slow
def test_refusals_add_up(told):
    shown = told.rows("refusals")["meta"]
    counts = {row["outcome"]: row["verdicts"] for row in shown["outcomes"]["rows"]}
    ends = dict(bar[:2] for bar in shown["funnel"]["ends"])

    assert sum(ends.values()) == counts["refused"] > 0
    assert ends["happened all the same"] > 0


@pytest.mark.slow
def test_decisions_are_turned_page_by_page(told, monkeypatch):
    monkeypatch.setattr(decisions, "SIZE", 1)
    repository = find(str(told.folder))

    def shown(**options):
        return decisions.show(Asked(repository, options)).rows

    every = decisions.show(Asked(repository, {}, whole=True)).rows
    assert [shown(**{"from": str(at)}) for at in range(1, len(every) + 1)] == [[one] for one in every]
    assert len(every) > 1


@pytest.mark.slow
def test_findings_say_which_of_them_are_known(repo, agent, cli, page):
    repo.commit(files={"a.py": "old = 1\n"})
    agent().write("a.py", "x = 1\n")
    server = page().enter()
    assert not any(row["known"] for row in server.rows("findings")["rows"])
    assert cli("audit", "--write-baseline").status == 0

    found = server.rows("findings")

    assert found["rows"]
    assert all(row["known"] for row in found["rows"])
    assert found["meta"]["baseline"] == len(found["rows"])


@pytest.mark.slow
def test_findings_show_the_first_of_each_rule_and_all_of_one(repo, agent, page):
    repo.commit(files={f"{number}.py": "old = 1\n" for number in range(25)})
    repo.start_ledger()
    for number in range(25):
        agent().write(f"{number}.py", f"x = {number}\n")
    server = page().enter()

    found = server.rows("findings")
    alone = server.rows("findings", rule="LT003")

    (rule,) = [one for one in found["meta"]["rules"] if one["id"] == "LT003"]
    assert (rule["count"], len(rule["findings"])) == (25, 20)
    assert "from" in rule["sql"]
    assert {row["rule"] for row in alone["rows"]} == {"LT003"}
    assert len(alone["rows"]) == alone["meta"]["page"]["of"] == 25
    assert "all 25" in server.see("findings").body
    assert server.see("findings", rule="LT999").status == 400
    assert server.rows("overview")["meta"]["findings"]["levels"]["medium"] >= 25


@pytest.mark.slow
def test_what_is_not_there_is_an_error_in_either_form(told):
    asked = [
        ("session", {"id": "nothing"}, 404),
        ("session", {"id": "INT-1"}, 404),
        ("record", {}, 404),
        ("intent", {}, 404),
        ("intent", {"id": "s1"}, 404),
        ("file", {}, 400),
        ("file", {"path": "gone.py"}, 404),
        ("file", {"path": "src/parse.py", "symbol": "nothing"}, 409),
        ("story", {"path": "src/parse.py"}, 400),
        ("story", {"path": "src/parse.py", "line": "9999"}, 400),
        ("file", {"path": "src/parse.py", "line": "9999"}, 404),
        ("file", {"path": "src/parse.py", "line": "-1"}, 400),
        ("file", {"path": "src/parse.py", "rev": "--output=x"}, 404),
        ("sessions", {"from": "x"}, 400),
        ("overview", {"since": "whenever"}, 400),
        ("ask", {"question": "no_such"}, 400),
    ]
    for view, options, status in asked:
        seen = told.see(address(view), **options)
        document = told.request(f"/{view}.json?{told.query(options)}")

        assert (seen.status, document.status) == (status, status), (view, options)
        assert "Nothing to show" in seen.body
        assert json.loads(document.body)["error"]["message"]


@pytest.mark.slow
def test_no_text_of_others_becomes_markup_or_steers_a_reader(repo, agent, cli, page):
    registry = {
        "id": "INT-1",
        "name": EVIL,
        "status": "IN_PROGRESS",
        "owned_scope": ["src/**", EVIL],
        "constraints": [EVIL],
    }
    registry |= {"acceptance_criteria": [EVIL], "description": EVIL, "blocked_reason": EVIL}
    path = 'src/<b onclick="x">&\'{{ 7*7 }}.py'
    repo.commit(EVIL, files={path: "old = 1\n"})
    repo.start_ledger()
    repo.write(".orchestration/active_intents.yaml", json.dumps({"active_intents": [registry]}))
    assert cli("select", "INT-1").status == 0
    one = agent("s<script>alert(3)</script>", model=f"m{EVIL}")
    one.prompt(EVIL)
    one.write(path, f"x = 1  # {EVIL}\n")
    one.bash("true # <script>alert(4)</script>")
    assert cli("record-decision", "--title", EVIL, "--why", EVIL, "--alternative", EVIL).status == 0
    repo.commit(EVIL)
    server = page().enter()

    session = server.rows("sessions")["rows"][0]["session_id"]
    asked = {
        "session": {"id": session},
        "file": {"path": path, "line": 1, "rev": "HEAD"},
        "story": {"path": path, "line": 1},
        "ask": {"sql": "select '" + EVIL.replace("'", "''").replace("\x1b", "") + '\' as "<script>x"'},
        "intent": {"id": "INT-1"},
        "record": {"id": session},
    }
    seen = {name: server.see(address(name), **asked.get(name, {})) for name in VIEWS}
    seen |= {
        "wrong": server.see("ask", sql=EVIL),
        "lost": server.see("file", path=EVIL),
        "no id": server.see("record", id=EVIL),
    }

    assert {name: reply.status for name, reply in seen.items() if name in VIEWS} == dict.fromkeys(VIEWS, 200)
    for name, reply in seen.items():
        assert not re.search(r'<(script(?! type="module" src="/static/\w+\.js">)|img|b onclick)', reply.body), name
        assert "49" not in re.findall(r"onerror=alert\(2\)&gt;(..)", reply.body), name
        assert not {sign for sign in reply.body if unicodedata.category(sign) in ("Cc", "Cf") and sign not in "\n\t"}, (
            name
        )
    assert "&lt;script&gt;alert(1)" in seen["file"].body


@pytest.mark.slow
def test_the_intents_list_what_was_changed_for_others_than_the_registry_has(told):
    shown, seen = told.rows("intents"), told.see("intents").body

    assert shown["rows"] == []
    assert {row["dim"] for row in shown["meta"]["others"]} == {"INT-1", "INT-2"}
    assert "2 intents of which the ledger has changes" in seen


@pytest.mark.slow
def test_the_intents_show_how_far_work_is_and_which_would_meet(repo, page, cli):
    intents = [
        {"id": "INT-001", "name": "Totals", "status": "IN_PROGRESS", "owned_scope": ["src/a.py"]},
        {"id": "INT-002", "name": "Types", "status": "DRAFT", "owned_scope": ["src/**"]},
    ]
    repo.start_ledger()
    repo.write(".orchestration/active_intents.yaml", json.dumps({"active_intents": intents}))
    repo.commit(files={"src/a.py": "x = 1\n"})
    assert cli("start", "INT-001").status == 0
    server = page().enter()

    told, seen = server.rows("intents"), server.see("intents").body

    (pair,) = told["meta"]["overlaps"]
    assert (pair["first_id"], pair["second_id"], pair["path"]) == ("INT-001", "INT-002", "src/a.py")
    assert [row["work"] and row["work"]["state"] for row in told["rows"]] == ["running", None]
    assert "batch 1, running" in seen
    assert "work running on <code>lt/INT-001</code>" in seen
    assert "both own src/a.py" in seen
