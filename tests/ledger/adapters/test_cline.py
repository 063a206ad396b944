"""Cline has no folder, several roots, commands in several shapes, and no denial but the end of the run."""

import json

import pytest

from linetrail.ledger.event.signal import Edit, Proposal
from tests.gated import BLOCK, REGISTRY
from tests.ledger.adapters.calls import from_cline

PATH = "src/billing/tax.py"


@pytest.mark.parametrize(
    ("path", "target"),
    [
        pytest.param(PATH, PATH, id="relative to the first root"),
        pytest.param(f"@back:{PATH}", f"/a/back/{PATH}", id="in the root it names"),
        pytest.param(f"@nowhere:{PATH}", f"@nowhere:{PATH}", id="in a root that there is not"),
    ],
)
def test_cline_names_roots_in_paths(path, target):
    signal = from_cline("write_to_file", {"path": path, "content": "x"})

    assert (signal.cwd, signal.roots) == ("/a/front", ("/a/back",))
    assert signal.tool.targets == ((target, "write"),)


@pytest.mark.parametrize(("begin", "end"), [("-------", "+++++++"), ("<<<<<<<", ">>>>>>>")], ids=["now", "before"])
def test_the_blocks_of_a_diff_are_edits(begin, end):
    blocks = ("a\n=======\nb\n", "c\n=======\n")
    diff = "\n".join(f"{begin} SEARCH\n{block}{end} REPLACE\n" for block in blocks)

    tool = from_cline("replace_in_file", {"path": PATH, "diff": diff}).tool

    assert tool.proposal == Proposal(edits=(Edit("a\n", "b\n", every=False), Edit("c\n", "", every=False)))


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({"command": "make"}, "make"),
        ({"commands": ["make", "git push"]}, "make\ngit push"),
        ({"commands": "make"}, "make"),
        ({"commands": [{"command": "rm", "args": ["-r", "a b"]}]}, "rm -r 'a b'"),
        ({"commands": ["make", 7]}, None),
        ({"commands": [{"command": "rm", "args": [7]}]}, None),
        ({"commands": []}, None),
        ({}, None),
    ],
)
def test_commands_of_cline_are_read_whole_or_not_at_all(given, command):
    assert from_cline("run_commands", given).tool.command == command


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "cancels"), [(BLOCK, False), (BLOCK + "agents: {cline: block}\n", True)], ids=["by default", "as wanted"]
)
@pytest.mark.parametrize("content", ["x = 1\n", None], ids=["a call", "a payload that cannot be read"])
def test_a_refusal_ends_a_run_of_cline_only_where_that_is_wanted(repo, hook, config, cancels, content):
    repo.write(".orchestration/config.yaml", config)
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    call = {"toolName": "write_to_file", "parameters": {"path": PATH, "content": content}}
    payload = {"hookName": "PreToolUse", "taskId": "1", "workspaceRoots": [str(repo.path)], "preToolUse": call}

    done = hook(payload if content else b"{}{}", "cline", options=("--event", "PreToolUse", "--enforce", "block"))

    told = json.loads(done.stdout)
    assert told["cancel"] is cancels
    assert "Refused" in told["errorMessage"] if cancels else not content or "NO_INTENT" in told["contextModification"]
