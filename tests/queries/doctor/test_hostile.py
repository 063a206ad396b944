"""Whatever somebody made of the settings of agents, in the project or at home, doctor answers."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.queries.commands.checks import doctor as command
from linetrail.queries.doctor import probe
from linetrail.queries.setup.place import is_own
from tests.examples import examples

pytestmark = pytest.mark.in_turn

AGENTS = [name for name, agent in CATALOGUE.items() if not agent.called and not is_own(agent)]
EVENTS = sorted({event for agent in CATALOGUE.values() for event in agent.events})
KEYS = ["hooks", "matcher", "command", "bash", "type", "timeout", "timeoutSec", "env", "version", "disableAllHooks"]
KEYS += ["onFailure", "failClosed", "async", "hooksConfig", "enabled", "disabled", "enabledPlugins", "state", *EVENTS]
CALLS = [f"{path}linetrail-hook {CATALOGUE[name].argument}" for name in AGENTS for path in ("", "/gone/", "'/a\0b/'")]
TEXTS = [*CALLS, "", "*", "\ud800", "\x1b[2J", "linetrail-hook 'codex", "observe", "9" * 40]

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(TEXTS) | st.text(max_size=8)
names = st.sampled_from(KEYS) | st.text(max_size=4)
documents = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4))
groups = st.lists(
    st.fixed_dictionaries(
        {}, optional={"matcher": documents, "hooks": st.lists(st.dictionaries(names, leaves)), "command": leaves}
    ),
    max_size=3,
)
shaped = st.fixed_dictionaries({"hooks": st.dictionaries(st.sampled_from(EVENTS), groups, max_size=3)})


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["observe", "block"])
@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(agent=st.sampled_from(AGENTS), document=documents | shaped, at_home=st.booleans())
def test_any_document_is_answered(repo, home, cli, monkeypatch, mode, agent, document, at_home):
    monkeypatch.setattr(command, "CHECKS", [one for one in command.CHECKS if one is not probe.check_probe])
    if not (repo.path / ".orchestration").exists():
        assert cli("init", "--agent", "none", "--enforce", mode).status == 0
    row = CATALOGUE[agent].for_user() if at_home else CATALOGUE[agent]
    path = (home if at_home else repo.path) / row.file.replace("*", "any")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    try:
        for options in ((), ("--json",), ("--fix",)):
            answer = cli("doctor", *options)

            assert answer.status in (0, 1), answer.err
            assert "\x1b" not in answer.out + answer.err
            answer.out.encode()
    finally:
        path.unlink()


@pytest.mark.independent
@pytest.mark.parametrize("name", [".claude", ".codex", ".cursor", ".gemini", ".copilot", ".config", ".github", ".kiro"])
@pytest.mark.parametrize(
    "place",
    [
        pytest.param(lambda path: path.write_text("a file"), id="a file"),
        pytest.param(lambda path: path.symlink_to(path.name), id="a loop"),
        pytest.param(os.mkfifo, id="a pipe"),
    ],
)
def test_what_stands_where_a_folder_of_settings_belongs_is_no_matter(repo, home, cli, monkeypatch, name, place):
    monkeypatch.setattr(command, "CHECKS", [one for one in command.CHECKS if one is not probe.check_probe])
    assert cli("init", "--agent", "none").status == 0
    place(home / name)
    place(repo.path / name)

    assert cli("doctor").status == 0
