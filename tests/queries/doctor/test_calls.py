"""The calls that the probe asks about are read by each adapter as what they are meant to be."""

import json
import os

import pytest

from linetrail.ledger.adapters.adapter import adapter
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.agents import AGENTS
from linetrail.ledger.event.signal import META, READING
from linetrail.queries.doctor import calls


@pytest.mark.parametrize("agent", AGENTS)
def test_a_write_is_read_as_a_write_of_its_file(agent):
    signal = adapter(agent).read(json.loads(calls.write(agent, "/project")), CATALOGUE[agent].gates[0])

    assert signal.kind == "pre_tool"
    assert signal.tool.operation in ("write", "edit")
    ((path, _),) = signal.tool.targets
    assert os.path.join("/project", path) == f"/project/{calls.FILE}"


@pytest.mark.parametrize("agent", AGENTS)
def test_a_call_that_reads_is_known_to_read(agent):
    payload = calls.read(agent, "/project")
    if payload is None:
        pytest.skip(f"{agent} does not ask before it reads")

    signal = adapter(agent).read(json.loads(payload), CATALOGUE[agent].gates[0])

    assert signal.kind == "pre_tool"
    assert signal.tool.kind == READING


@pytest.mark.parametrize("agent", AGENTS)
def test_a_tool_that_nobody_knows_is_unknown_and_one_that_reads_is_not(agent):
    if agent == "windsurf":
        pytest.skip("its events say what is done, there are no names of tools")

    assert calls.is_unknown(agent, "frobnicate_everything")
    for tool, _ in filter(None, (CATALOGUE[agent].question.write, CATALOGUE[agent].question.read)):
        assert not calls.is_unknown(agent, tool)


def test_tools_that_only_steer_the_work_are_known():
    assert calls.what_is("claude-code", "TodoWrite").kind == META
    assert not calls.is_unknown("claude-code", "TodoWrite")
