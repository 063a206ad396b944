"""`linetrail mcp` as clients speak with it: every revision, every end, and nothing but the protocol on stdout."""

import json
import os
import re
import signal
import subprocess
import sys
import tomllib

import anyio
import pytest

from linetrail.queries.mcp.tools import TOOLS
from tests.conftest import ROOT, command
from tests.gated import REGISTRY
from tests.speaking import BEFORE, CURRENT, OLDER, REVISIONS, SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

NAMES = [tool.name for tool in TOOLS]
MAX_TOKENS = 2000
PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
LINES = (
    b"not json",
    b"",
    b"[]",
    b"null",
    b"7",
    b'{"jsonrpc":"1.0"}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"why","arguments":[]}}',
    b'{"jsonrpc":"2.0","id":1,"method":"no/such"}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"why","arguments":{"place":"\\ud800"}}}',
    b"\xff\xfe\x00{",
    b"[" * 5000,
)


@pytest.fixture(autouse=True)
def _registry(repo):
    repo.write(".orchestration/active_intents.yaml", REGISTRY)


def tokens(text):
    """Estimate on the safe side how many tokens a text is: models need fewer."""
    return max(len(text) / 3.5, len(re.findall(r"\w+", text)) * 1.4)


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_tools_are_offered_in_every_revision(speaker, revision):
    server = speaker(revision=revision)

    offered = server.request("tools/list")["result"]["tools"]

    assert [tool["name"] for tool in offered] == NAMES
    assert server.call("select_active_intent", intent_id="INT-001")["selected"] is True
    assert server.call("get_active_intent")["intent_id"] == "INT-001"


def test_the_current_revision_needs_no_handshake(speaker):
    found = speaker().request("server/discover")["result"]

    assert found["supportedVersions"] == [CURRENT]
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "linetrail"
    assert found["resultType"] == "complete"
    assert {"tools", "resources"} <= found["capabilities"].keys()


@pytest.mark.parametrize("revision", [BEFORE, OLDER])
def test_earlier_revisions_shake_hands(speaker, revision):
    opened = speaker(revision=revision).opened

    assert opened["protocolVersion"] == revision
    assert opened["serverInfo"]["name"] == "linetrail"
    assert "select" in opened["instructions"]


@pytest.mark.parametrize("mode", ["auto", "legacy", CURRENT])
def test_a_client_of_the_library_finds_its_way(repo, mode):
    from mcp.client.client import Client  # a second to load, and no other test needs it
    from mcp.client.stdio import StdioServerParameters

    server = StdioServerParameters(
        command=command("linetrail"), args=["-C", str(repo.path), "mcp"], env=dict(os.environ)
    )

    async def talk():
        async with Client(server, mode=mode) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            chosen = await client.call_tool("select_active_intent", {"intent_id": "INT-002"})
            refused = await client.call_tool("select_active_intent", {"intent_id": "INT-001"})
            read = await client.read_resource("intent://INT-003")
            return client.protocol_version, tools, chosen, refused, json.loads(read.contents[0].text)

    spoken, tools, chosen, refused, read = anyio.run(talk)

    assert spoken == (BEFORE if mode == "legacy" else CURRENT)
    assert tools == NAMES
    assert (chosen.is_error, chosen.structured_content["intent_id"]) == (False, "INT-002")
    assert (refused.is_error, refused.structured_content["code"]) == (True, "INTENT_ALREADY_ACTIVE")
    assert read["blocked_reason"] == "no contract yet"


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_a_model_reads_of_all_tools_is_short(speaker, revision):
    server = speaker(revision=revision)
    told = [
        server.request("tools/list")["result"]["tools"],
        server.request("resources/templates/list")["result"]["resourceTemplates"],
        (server.opened or server.request("server/discover")["result"])["instructions"],
    ]

    assert tokens(json.dumps(told, separators=(",", ":"))) <= MAX_TOKENS


def test_each_tool_says_whether_it_only_reads(speaker):
    hints = {tool["name"]: tool["annotations"] for tool in speaker().request("tools/list")["result"]["tools"]}

    assert {name for name, hint in hints.items() if hint["readOnlyHint"]} == {
        "get_active_intent",
        "get_intent_context",
        "list_active_intents",
        "plan_intents",
        "query_traces",
        "what_changed_since",
        "who_is_working",
        "why",
    }
    assert not any(hint["destructiveHint"] for hint in hints.values())


def test_an_intent_is_a_resource(speaker):
    server = speaker()

    listed = server.request("resources/list")["result"]["resources"]
    (template,) = server.request("resources/templates/list")["result"]["resourceTemplates"]
    read = server.request("resources/read", {"uri": "intent://INT-001"})["result"]["contents"][0]

    assert [(one["uri"], one["title"]) for one in listed] == [
        ("intent://INT-001", "Round totals"),
        ("intent://INT-002", "Sign in"),
    ]
    assert template["uriTemplate"] == "intent://{id}"
    assert json.loads(read["text"])["acceptance_criteria"] == ["Totals of the samples are right"]


def test_a_resource_that_is_none_is_an_error_that_says_which_there_are(speaker):
    server = speaker()

    for uri in ("intent://INT-999", "intent://../config.yaml", "intent://", "file:///etc/passwd", "intent://%00%0a"):
        error = server.request("resources/read", {"uri": uri})["error"]
        assert (error["code"], error["data"]["error"]) == (-32602, True)
        assert "open ones: INT-001, INT-002" in error["message"] or "intent://{id}" in error["message"]


def test_the_end_of_the_pipe_ends_the_process(speaker):
    server = speaker()
    server.request("tools/list")

    assert server.end() == (0, b"", "")


def test_a_client_that_reads_no_more_ends_the_process(speaker):
    server = speaker()
    server.request("tools/list")

    server.process.stdout.close()
    server.ask("tools/list")

    assert server.process.wait(timeout=SECONDS) == 0
    assert server.process.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_signal_ends_the_process_while_it_waits(speaker, sent, status):
    server = speaker()
    server.request("tools/list")

    server.process.send_signal(sent)

    assert server.process.wait(timeout=SECONDS) == status


def test_a_call_that_nobody_waits_for_any_more_keeps_the_end_of_the_process_waiting_for_nothing(repo, speaker):
    repo.commit(files={"a.py": "".join(f"x{number} = {number}\n" for number in range(500))})
    server = speaker()
    number = server.ask("tools/call", {"name": "why", "arguments": {"place": "a.py:1-100"}})

    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    status, out, err = server.end()

    assert (status, err) == (0, "")
    assert all(json.loads(line)["id"] == number for line in out.splitlines())


def test_lines_that_are_no_requests_end_nothing(speaker):
    server = speaker(revision=BEFORE)

    for line in LINES:
        server.send(line)
        number = server.ask("tools/list")
        while (answer := server.receive()).get("id") != number or "tools" not in answer.get("result", {}):
            assert "error" in answer or answer["method"] == "notifications/message"
        assert len(answer["result"]["tools"]) == len(NAMES)


def test_an_unknown_tool_is_refused(speaker):
    error = speaker().request("tools/call", {"name": "rm\x1b[31m", "arguments": {}})["error"]

    assert "\x1b" not in error["message"]


def test_without_the_library_the_command_says_what_to_install(repo, tmp_path):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(
        "import importlib.util as util\nfind = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'mcp' else find(name, *rest)\n"
    )

    done = subprocess.run(
        [command("linetrail"), "mcp"],
        cwd=repo.path,
        env=os.environ | {"PYTHONPATH": str(hidden)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert "next: pip install 'linetrail[mcp]'" in done.stderr


def test_nothing_else_loads_the_library(repo):
    program = (
        "import sys\n"
        "from linetrail.queries.cli import main\n"
        "main(['status']), main(['intents', 'list']), main(['log'])\n"
        "import linetrail.ledger.hook.loop, linetrail.queries.commands.records.mcp, linetrail.queries.mcp.handshake\n"
        "sys.exit('mcp' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", program], cwd=repo.path, capture_output=True, check=False)

    assert done.returncode == 0


def test_the_page_tells_of_each_tool_what_the_server_tells():
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE, re.MULTILINE)

    assert rows == [(tool.name, tool.about) for tool in TOOLS]


def test_what_the_page_says_to_an_agent_starts_the_server():
    documents = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)]
    documents += [tomllib.loads(block) for block in re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)]
    registered = [servers["linetrail"] for document in documents for servers in _servers(document)]

    for server in registered:
        line = [*server["command"]] if isinstance(server["command"], list) else [server["command"], *server["args"]]
        assert (line[0], line[-1]) == ("linetrail", "mcp")
    assert len(registered) == len(documents) - 1  # one shows an error


def _servers(document):
    return [document[key] for key in ("mcpServers", "mcp_servers", "servers", "mcp") if key in document]
