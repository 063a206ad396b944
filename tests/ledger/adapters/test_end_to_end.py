"""A session of each agent through the real hook: what it does is recorded, what it may not do is denied."""

import json

import pytest

from linetrail.ledger.adapters.adapter import adapter
from linetrail.ledger.event.schema import problems
from linetrail.ledger.event.signal import Answer
from tests.gated import REGISTRY
from tests.ledger.adapters.dialect import AFTER, BEFORE, EVERY_AGENT
from tests.ledger.adapters.dialects import DIALECTS
from tests.ledger.adapters.recorded import PROJECT, denial

CONTENT = "RATE = 0.2\n"
each_dialect = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)


class Spoken:
    """An agent that calls the hook as it was installed for it, in this repository."""

    def __init__(self, repo, hook, dialect):
        self.repo, self.hook, self.dialect = repo, hook, dialect

    def send(self, event, payload, *options):
        text = json.dumps(payload).replace(PROJECT, str(self.repo.path))
        return self.hook(text.encode(), self.dialect.agent, options=(*self.dialect.options(event), *options))

    def say(self, told):
        event, fields = told
        return self.send(event, self.dialect.say(event, fields))

    def before(self, path, content=CONTENT):
        return self.send(self.dialect.before, self.dialect.tool(BEFORE, *self.dialect.write(path, content)))

    def after(self, path, content=CONTENT):
        return self.send(self.dialect.after, self.dialect.tool(AFTER, *self.dialect.write(path, content)))

    def run(self, command):
        return self.send(self.dialect.before, self.dialect.tool(BEFORE, *self.dialect.shell(command)))

    def goes_on(self, done, event):
        """Tell whether an answer is the one with which this agent goes on."""
        nothing = adapter(self.dialect.agent).reply(event, Answer())
        return (done.returncode, done.stdout, done.stderr) == (0, nothing.stdout.decode(), "")

    def reason(self, done):
        """Return why a call was denied; None where the answer is not exactly a denial in this agent's protocol."""
        golden = denial(self.dialect.agent)
        if done.returncode != golden["exit"]:
            return None
        if not golden["stdout"]:
            return done.stderr if done.stdout == "" else None
        shape, told = json.loads(golden["stdout"]), json.loads(done.stdout or "{}")
        reasons = {text for text in leaves(told) if isinstance(text, str) and "Refused" in text}
        same = len(reasons) == 1 and blanked(told, reasons) == blanked(shape, {golden_message(shape)})
        return reasons.pop() if same and done.stderr == "" else None


@pytest.fixture
def speak(repo, hook):
    """Return a function that has an agent start in the repository."""
    repo.commit(files={"src/billing/invoice.py": "TOTAL = 1\n"})
    repo.start_ledger()

    def start(dialect, config=None):
        if config is not None:
            repo.write(".orchestration/config.yaml", config)
            repo.write(".orchestration/active_intents.yaml", REGISTRY)
        return Spoken(repo, hook, dialect)

    return start


@pytest.mark.daily(5)
@each_dialect
def test_a_session_is_recorded_under_the_agents_name(speak, repo, dialect):
    agent = speak(dialect)

    for told in (dialect.start, dialect.prompt):
        if told is not None:
            assert agent.goes_on(agent.say(told), told[0])
    assert agent.goes_on(agent.before("src/billing/tax.py"), dialect.before)
    repo.write("src/billing/tax.py", CONTENT)
    assert agent.goes_on(agent.after("src/billing/tax.py"), dialect.after)

    told = [event.type for event in repo.events()]
    expected = ["session.started"] * bool(dialect.start) + ["prompt.submitted"] * bool(dialect.prompt)
    assert told == [*expected, "tool.requested", "mutation.observed", "tool.completed"]
    assert {event.session_id for event in repo.events()} == {"session-1"}
    assert {event.agent.name for event in repo.events() if event.agent} == {dialect.agent}
    (mutation,) = repo.events("mutation.observed")
    assert mutation.data["via"] == "tool"
    assert [(file["path"], file["op"]) for file in mutation.data["files"]] == [("src/billing/tax.py", "add")]
    (requested,) = repo.events("tool.requested")
    assert [target["path"] for target in requested.data["targets"]] == ["src/billing/tax.py"]
    assert requested.data["tool_call_id"] == mutation.data["tool_call_id"] is not None
    assert [problem for line in repo.lines() for problem in problems(line)] == []


@pytest.mark.daily(5)
@each_dialect
def test_a_write_out_of_scope_is_denied_in_the_agents_own_protocol(speak, repo, cli, dialect):
    agent = speak(dialect, EVERY_AGENT)
    assert cli("select", "INT-001", "--session", "session-1").status == 0

    assert agent.goes_on(agent.before("src/billing/tax.py"), dialect.before)
    refused = agent.before("src/auth/session.py")

    assert "OUT_OF_SCOPE" in agent.reason(refused)
    verdicts = [event.data["code"] for event in repo.events("gate.decided")]
    assert verdicts == ["IN_SCOPE", "OUT_OF_SCOPE"]


@pytest.mark.daily(5)
@each_dialect
def test_the_same_write_is_only_recorded_where_nothing_is_enforced(speak, repo, dialect):
    agent = speak(dialect, "enforce: observe\n")

    assert agent.goes_on(agent.before("src/auth/session.py"), dialect.before)
    assert agent.goes_on(agent.run("git push --force"), dialect.before)


@pytest.mark.daily(12)
@each_dialect
def test_a_dangerous_command_is_denied(speak, cli, dialect):
    agent = speak(dialect, EVERY_AGENT)
    assert cli("select", "INT-001", "--session", "session-1").status == 0

    refused = agent.run("git push --force origin main")

    assert "DANGEROUS_COMMAND" in agent.reason(refused)


@pytest.mark.independent
@pytest.mark.daily(4)
@pytest.mark.parametrize(
    "command",
    [
        "(cd src/billing && ls); echo x > Makefile",
        "cd src/billing/nope; echo x > Makefile",
        'DIR="$(cd src/billing && pwd)"; echo x > Makefile',
        "(cd src/billing && ls) && rm Makefile",
        "(cd src/billing); printf x > .gitattributes",
        "cd src/billing && git revert --no-commit HEAD",
    ],
)
@each_dialect
def test_a_command_is_held_against_the_scope_from_where_it_runs(speak, repo, cli, dialect, command):
    agent = speak(dialect, EVERY_AGENT)
    repo.write("Makefile", "all:\n")
    assert cli("select", "INT-001", "--session", "session-1").status == 0

    assert "OUT_OF_SCOPE" in agent.reason(agent.run(command))
    assert agent.goes_on(agent.run("(cd src/billing && ls); cd src/billing && echo x > new.py"), dialect.before)


def leaves(document):
    """Yield every value of a document that holds no others."""
    if isinstance(document, dict):
        for value in document.values():
            yield from leaves(value)
    else:
        yield document


def blanked(document, messages):
    """Return a document without what it says, so that only its shape is left."""
    if isinstance(document, dict):
        return {key: blanked(value, messages) for key, value in document.items()}
    return "…" if document in messages else document


def golden_message(shape):
    """Return what the denial says that is published as an example."""
    return next(text for text in leaves(shape) if isinstance(text, str) and " does not own " in text)
