"""What others tried with servers of this kind, by public reports: DNS rebinding, forged requests, tricks with paths."""

import functools
import itertools
import json
import socket
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.queries.page.conftest import Page

ATTACKS = Path(__file__).parent / "attacks.jsonl"
PATHS = ["/", "/files", "/file?path=a.py", "/ask?sql=select+1", "/overview.json", "/static/page.css", "/nothing"]


def small(repo):
    repo.commit(files={"a.py": "x = 1\n"})
    repo.start_ledger()
    return repo


@pytest.fixture
def serving(repo, page):
    small(repo)
    return page()


@pytest.fixture(scope="module")
def entered(tmp_path_factory):
    """Return a server to which a browser has the cookie already, for all that may come to it."""
    server = Page(small(Repo(tmp_path_factory.mktemp("entered") / "project")).path).enter()
    yield server
    server.kill()


@pytest.mark.slow
def test_the_key_opens_once_and_leaves_the_address(serving):
    assert [serving.request(path).status for path in PATHS] == [403] * len(PATHS)

    first = serving.request(serving.entrance)

    assert (first.status, first.headers["location"], first.body) == (303, "/", "")
    told = first.headers["set-cookie"].split("; ")
    assert told[1:] == ["Path=/", "HttpOnly", "SameSite=Strict"]
    assert serving.address.partition("key=")[2] not in told[0]
    assert serving.request(serving.entrance).status == 403
    assert serving.request("/", Cookie=told[0]).status == 200


@pytest.mark.slow
def test_another_key_opens_nothing(serving):
    for key in ("", "x", "x" * 43, "%00", "%C3%A9", f"x&{serving.entrance[2:]}"):
        reply = serving.request(f"/?key={key}")
        assert (reply.status, reply.body) == (403, ""), key

    assert serving.enter().see("files").status == 200


@pytest.mark.slow
def test_one_server_serves_whoever_has_its_cookie_and_refuses_all_else(entered):
    """One process for all of these, as an attacker would meet it."""
    port, cookie = entered.port, entered.cookie
    hosts = [
        *("evil.example", f"evil.example:{port}", f"localhost.evil.example:{port}", f"127.0.0.1.evil.example:{port}"),
        *("127.0.0.1", "localhost", f"127.0.0.1:{port + 1}", f"127.0.0.1:{port}@evil.example", f"0.0.0.0:{port}", ""),
        *(f"[::ffff:127.0.0.1]:{port}", f"2130706433:{port}", f"localhost.:{port}", f"127.0.0.1:{port}, evil.example"),
    ]
    attacks = {
        **{f"rebinding, {host} {path}": (path, {"Host": host}) for host in hosts for path in PATHS},
        **{
            f"from {origin}": ("/overview.json", {"Origin": origin})
            for origin in (
                "http://evil.example",
                "null",
                f"http://localhost.evil.example:{port}",
                f"https://{entered.host}",
            )
        },
        **{f"fetched {site}": ("/files.json", {"Sec_Fetch_Site": site}) for site in ("cross-site", "same-site", "x")},
        "origin and host of the attacker": ("/", {"Origin": "http://evil.example", "Host": "evil.example"}),
        "forwarded": (
            "/",
            {"Host": "evil.example", "X_Forwarded_Host": entered.host, "Forwarded": f"host={entered.host}"},
        ),
        "no cookie": ("/files", {"Cookie": None}),
        "empty cookie": ("/files", {"Cookie": cookie.partition("=")[0] + "="}),
        "cookie of another port": ("/files", {"Cookie": cookie.replace(str(port), str(port + 1))}),
        "bearer in place of the cookie": (
            "/files",
            {"Cookie": None, "Authorization": "Bearer " + cookie.partition("=")[2]},
        ),
        "cookie in the address": (f"/files?{cookie}", {"Cookie": None}),
    }

    found = {name: entered.request(path, **headers) for name, (path, headers) in attacks.items()}

    assert {name: (reply.status, reply.body) for name, reply in found.items()} == dict.fromkeys(attacks, (403, ""))
    assert {reply.headers.get("access-control-allow-origin") for reply in found.values()} == {None}
    assert (
        entered.see(
            "files",
        ).status
        == 200
    )
    assert entered.request("/files", Host=f"LOCALHOST:{port}", Origin=f"http://{entered.host}").status == 200


@pytest.mark.slow
def test_nothing_is_changed_by_any_method(entered):
    methods = ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY")
    types = ("application/json", "text/plain", "application/x-www-form-urlencoded", None)
    for method, content_type in itertools.product(methods, types):
        reply = entered.request("/ask?sql=select+1", method, Content_Type=content_type, Content_Length="2", body="{}")
        assert (reply.status, reply.body, reply.headers["allow"]) == (405, "", "GET, HEAD")
    assert entered.request("/files", "HEAD").status == 200


def test_a_path_is_spelled_as_it_is_or_leads_nowhere(entered):
    tricks = [
        *("//", "/./files", "/x/../files", "/%66iles", "/files/", "/FILES", "/files;x", "/..%2ffiles", "/files%00"),
        *(
            "/static/page.css/../../files",
            "/../../etc/passwd",
            "/static/../../etc/passwd",
            "\\files",
            "http://evil.example/files",
        ),
    ]

    found = {path: entered.request(path) for path in tricks}

    assert {path: (reply.status, reply.body) for path, reply in found.items()} == dict.fromkeys(tricks, (404, ""))


def test_no_file_outside_the_repository_is_shown(entered):
    (entered.folder / "link.py").symlink_to("/etc/passwd")

    for path in ("../x", "/etc/passwd", "link.py", ".git/config/../../../x", "a.py/../../x"):
        reply = entered.see("file", path=path)
        assert reply.status == 404, path
        assert "root:" not in reply.body


def test_a_malformed_request_gets_nothing_of_the_page(entered):
    heads = {
        "no host at all": "GET / HTTP/1.0\r\n\r\n",
        "two hosts": "GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n",
        "no host in 1.1": "GET / HTTP/1.1\r\n\r\n",
        "a websocket": "GET / HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        "no request": "GARBAGE\r\n\r\n",
    }
    for name, head in heads.items():
        with socket.create_connection(("127.0.0.1", entered.port), 60) as connection:
            connection.sendall(head.format(host=entered.host).encode())
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(functools.partial(connection.recv, 65536), b""))

        assert answer.split(b" ")[1] in (b"400", b"403"), name
        assert b"linetrail" not in answer


def test_it_listens_on_this_machine_alone(entered):
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table][1:]

    assert {row[1] for row in rows if row[1].endswith(f":{entered.port:04X}") and row[3] == "0A"} == {
        f"0100007F:{entered.port:04X}"
    }


@pytest.mark.slow
def test_every_answer_forbids_what_a_page_could_load(entered):
    for reply in (entered.see(""), entered.see("files.json"), entered.request("/", Cookie=None)):
        assert reply.headers["content-security-policy"].startswith(
            "default-src 'none'; style-src 'self'; script-src 'self';"
        )
        assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
        assert (reply.headers["x-content-type-options"], reply.headers["cache-control"]) == ("nosniff", "no-store")
        assert (reply.headers["referrer-policy"], reply.headers["cross-origin-resource-policy"]) == (
            "no-referrer",
            "same-origin",
        )


@pytest.mark.slow
def test_an_interrupted_server_ends_in_peace(serving):
    status, out, err = serving.end()

    assert (status, out) == (0, "")
    assert "Traceback" not in err


@pytest.mark.slow
def test_a_port_that_is_taken_is_an_error_with_a_next_step(serving, linetrail):
    done = linetrail("serve", "--port", str(serving.port))

    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be had: Address already in use" in done.stderr
    assert "next: linetrail serve" in done.stderr


def test_what_was_reported_of_other_pages_is_refused_without_a_word(entered):
    """Attacks after fourteen public reports, each with the cookie that a careless browser might send."""
    attacks = [json.loads(line) for line in ATTACKS.read_text("utf-8").splitlines()]
    before = entered.rows("approvals")

    for attack in attacks:
        text = json.dumps(attack).replace("{port}", str(entered.port)).replace("{entrance}", entered.entrance)
        told = json.loads(text)
        body = told.get("body", "")
        length = {"Content-Length": str(len(body))} if body else {}
        reply = entered.request(told["path"], told.get("method", "GET"), body=body, **told["headers"], **length)

        assert reply.status in (403, 404, 405, 415), attack
        assert reply.body == "", attack
        assert not {"set-cookie", "location", "access-control-allow-origin"} & set(reply.headers), attack

    assert len({attack["report"] for attack in attacks}) == 14
    assert entered.rows("approvals") == before
