"""The plugins that OpenCode and Amp load, run as these do: they tell the hook, do as it says, and do no harm."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from linetrail.ledger.adapters import amp, opencode
from linetrail.ledger.event.signal import META, READING
from linetrail.queries import setup
from tests.conftest import command
from tests.gated import BLOCK, REGISTRY
from tests.queries.setup.plugin_hosts import HOSTS, Amp, OpenCode

pytestmark = pytest.mark.in_turn

SHIMS = Path(setup.__file__).parent / "shims"
HOST = Path(__file__).with_name("plugin_host.mjs")
BLOCKING = ["--enforce", "block"]
IN_SCOPE, ELSEWHERE = "src/billing/tax.py", "src/auth/session.py"
each_agent = pytest.mark.parametrize("agent", ["opencode", "amp"])


@pytest.fixture
def run(repo, tmp_path):
    """Return a function that loads the plugin of an agent into a host and returns what came of each step."""
    engine = shutil.which("node") or shutil.which("bun")
    if engine is None:
        pytest.skip("needs node or bun to run plugins")
    repo.commit(files={"src/auth/session.py": "TTL = 600\n", "README.md": "Read me\n"})
    repo.start_ledger()

    def start(agent, *steps, hook=None, arguments=(), deadline=None, env=None):
        text = installed(agent, hook or command("linetrail-hook"), arguments)
        # a busy machine may take its time, where a test is not about it
        text = text.replace("DEADLINE_MS = 30_000", f"DEADLINE_MS = {deadline or 60_000}")
        plugin = tmp_path / f"{agent}.mjs"
        plugin.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [engine, str(HOST), str(plugin), agent, str(repo.path)],
            input=json.dumps(steps),
            env=os.environ | (env or {}),
            cwd=repo.path,
            check=True,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.stderr == "", "a plugin never prints"
        (line,) = done.stdout.splitlines()
        return json.loads(line)

    return start


def installed(agent, hook, arguments):
    template = (SHIMS / f"{agent}.ts").read_text(encoding="utf-8")
    return template.replace("@HOOK@", json.dumps(hook)).replace("@ARGUMENTS@", json.dumps(list(arguments)))


@pytest.fixture
def gate(repo):
    repo.write(".orchestration/config.yaml", BLOCK)
    repo.write(".orchestration/active_intents.yaml", REGISTRY)


@pytest.mark.slow
@each_agent
def test_a_session_is_recorded_and_nothing_is_said(run, repo, agent):
    host = HOSTS[agent]
    name, arguments = host.write(IN_SCOPE)

    answers = run(agent, host.start, host.prompt, host.before(name, **arguments))
    repo.write(IN_SCOPE, arguments["content"])
    answers += run(agent, host.after(name, **arguments), host.end)

    assert [answer["thrown"] for answer in answers] == [None] * 5
    assert host.refusal(answers[2]) is None
    assert host.output(answers[3]) == "done"
    (started,), (prompt,) = repo.events("session.started"), repo.events("prompt.submitted")
    assert (started.session_id, started.agent.name) == ("s1", agent)
    assert prompt.data["excerpt"] == "round"
    (made,) = repo.events("mutation.observed")
    assert (made.data["files"][0]["path"], made.agent.name, made.session_id) == (IN_SCOPE, agent, "s1")
    assert repo.events("payload.rejected") == []


@pytest.mark.slow
def test_the_model_of_a_prompt_is_the_model_of_its_calls(run, repo):
    name, arguments = OpenCode.write(IN_SCOPE)

    run("opencode", OpenCode.start, OpenCode.prompt, OpenCode.before(name, **arguments))

    assert [event.agent.model_id for event in repo.events("tool.requested")] == ["anthropic/model-x"]


@pytest.mark.slow
@each_agent
@pytest.mark.usefixtures("gate")
def test_a_refusal_reaches_the_agent_and_a_selection_lifts_it(run, repo, agent):
    host = HOSTS[agent]
    intent = {"intent_id": "INT-001", "reasoning": "totals"}

    selection = [host.before(host.select, **intent), host.after(host.select, **intent)]
    name, wanted = host.write(IN_SCOPE)
    write, astray = host.before(name, **wanted), host.before(name, **host.write(ELSEWHERE)[1])

    before, _, _, there, elsewhere = run(agent, write, *selection, write, astray, arguments=BLOCKING)

    assert "NO_INTENT" in host.refusal(before)
    assert host.refusal(there) is None
    assert "OUT_OF_SCOPE" in host.refusal(elsewhere)
    assert [event.data["intent_id"] for event in repo.events("intent.selected")] == ["INT-001"]


@pytest.mark.daily(1)
@each_agent
@pytest.mark.usefixtures("gate")
def test_what_a_session_is_told_at_its_start_reaches_the_model(run, agent):
    host = HOSTS[agent]

    answers = run(agent, host.start, host.ask_context)

    assert "INT-001" in host.context(answers[-1])


@pytest.mark.slow
@pytest.mark.usefixtures("gate")
def test_a_subagent_of_opencode_has_the_intent_of_the_session_that_started_it(run, repo):
    intent = {"intent_id": "INT-001", "reasoning": "totals"}
    below = {"info": {"id": "s2", "parentID": "s1"}}
    name, arguments = OpenCode.write(IN_SCOPE)
    call = ["tool.execute.before", {"tool": name, "sessionID": "s2", "callID": "c"}, {"args": arguments}]

    answers = run(
        "opencode",
        OpenCode.start,
        OpenCode.before(OpenCode.select, **intent),
        OpenCode.after(OpenCode.select, **intent),
        ["event", {"event": {"type": "session.created", "properties": below}}],
        ["experimental.chat.system.transform", {"sessionID": "s2"}, {"system": [""]}],
        call,
        arguments=BLOCKING,
    )

    assert [answer["thrown"] for answer in answers] == [None] * 6
    assert "INT-001" in OpenCode.context(answers[4])
    assert {event.session_id for event in repo.events("tool.requested")} == {"s1"}


@pytest.mark.slow
@each_agent
@pytest.mark.usefixtures("gate")
def test_a_warning_comes_with_the_result(run, repo, agent):
    repo.write(".orchestration/config.yaml", "enforce: warn\n")
    host = HOSTS[agent]
    name, arguments = host.write(ELSEWHERE)

    before, after = run(agent, host.before(name, **arguments), host.after(name, **arguments))

    assert host.refusal(before) is None
    assert host.output(after).startswith("done\n\n")
    assert "NO_INTENT" in host.output(after)


@pytest.mark.slow
@pytest.mark.usefixtures("gate")
def test_amp_s_result_of_a_call_that_was_refused_is_no_result(run, repo):
    name, arguments = Amp.write(ELSEWHERE)

    run("amp", Amp.before(name, **arguments), Amp.after(name, **arguments))

    assert repo.events("tool.completed", "tool.failed") == []


BROKEN = {
    "is missing": "exit 0",
    "ends with an error": "cat > /dev/null; exit 1",
    "says what is no JSON": "cat > /dev/null; echo Traceback",
    "says a list": "cat > /dev/null; echo '[]'",
    "reads nothing and fails": "exit 1",
    "does not end": "exec sleep 60",
}


@pytest.fixture
def broken(tmp_path):
    """Return a function that makes a hook which does what these lines of shell say."""

    def make(name):
        path = tmp_path / "broken hook"
        if name != "is missing":
            path.write_text(f"#!/bin/sh\n{BROKEN[name]}\n")
            path.chmod(0o755)
        return str(path)

    return make


@pytest.mark.independent
@pytest.mark.daily(2)
@each_agent
@pytest.mark.parametrize("name", BROKEN)
def test_a_hook_that_is_broken_stops_nothing_where_linetrail_observes(run, broken, agent, name):
    host = HOSTS[agent]
    call = host.write(IN_SCOPE)
    steps = [host.start, host.prompt, host.before(call[0], **call[1]), host.after(call[0], **call[1]), host.end]

    answers = run(agent, *steps, hook=broken(name), deadline=200)

    assert [answer["thrown"] for answer in answers] == [None] * 5
    assert host.refusal(answers[2]) is None
    assert host.output(answers[3]) == "done"


@pytest.mark.independent
@pytest.mark.daily(2)
@each_agent
@pytest.mark.parametrize("name", BROKEN)
def test_a_hook_that_is_broken_lets_nothing_be_written_where_it_blocks(run, broken, agent, name):
    host = HOSTS[agent]
    call = host.write(IN_SCOPE)
    steps = [host.prompt, host.before(call[0], **call[1]), host.before(host.read[0], **host.read[1])]

    prompt, write, read = run(agent, *steps, hook=broken(name), deadline=200, arguments=BLOCKING)

    assert prompt["thrown"] is None
    assert "HOOK_BROKEN" in host.refusal(write)
    assert host.refusal(read) is None


@pytest.mark.daily(2)
@each_agent
@pytest.mark.parametrize(
    ("told", "arguments", "refused"), [("block", [], True), ("observe", BLOCKING, False), ("nonsense", BLOCKING, True)]
)
def test_the_environment_says_whether_a_broken_hook_blocks(run, broken, agent, told, arguments, refused):
    host = HOSTS[agent]
    name, given = host.write(IN_SCOPE)

    (answer,) = run(
        agent,
        host.before(name, **given),
        hook=broken("is missing"),
        arguments=arguments,
        env={"LINETRAIL_ENFORCE": told},
    )

    assert (host.refusal(answer) is not None) is refused


@pytest.mark.slow
@each_agent
def test_what_an_agent_leaves_out_is_no_fault(run, agent):
    steps = {
        "opencode": [
            ["event", {}],
            ["event", {"event": {"type": "session.created"}}],
            ["chat.message", {}, {}],
            ["tool.execute.before", {}, {}],
            ["tool.execute.after", {}, {}],
            ["experimental.chat.system.transform", {}, {}],
        ],
        "amp": [[name, {}] for name in ("session.start", "agent.start", "tool.call", "tool.result", "agent.end")],
    }

    answers = run(agent, *steps[agent])

    assert [answer["thrown"] for answer in answers] == [None] * len(steps[agent])


@pytest.mark.parametrize(("agent", "tools"), [("opencode", opencode.TOOLS), ("amp", amp.TOOLS)])
def test_what_a_plugin_lets_pass_unjudged_is_what_the_adapter_calls_harmless(agent, tools):
    text = (SHIMS / f"{agent}.ts").read_text(encoding="utf-8")
    named = re.search(r"HARMLESS = new Set\((.*?)\.split", text, re.DOTALL)[1]

    assert set(" ".join(re.findall(r'"(.*?)"', named)).split()) == {
        name for name, does in tools.items() if does.kind in (READING, META)
    }


@each_agent
def test_a_template_has_each_placeholder_once(agent):
    text = (SHIMS / f"{agent}.ts").read_text(encoding="utf-8")

    assert (text.count("@HOOK@"), text.count("@ARGUMENTS@")) == (1, 1)
    assert re.findall(r"^import .* from \"(.*)\";$", text, re.MULTILINE) == ["node:child_process"]


@pytest.mark.slow
def test_amp_finds_its_marker_in_the_first_line():
    first = (SHIMS / "amp.ts").read_text(encoding="utf-8").splitlines()[0]

    assert first == "// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now"
