"""What the gate goes by: settings and registry, read when they changed and remembered until they change again."""

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.gate import policy, settings_text
from linetrail.ledger.gate.settings import Settings
from linetrail.ledger.intents.intent import Intent, Offer
from linetrail.ledger.repository import Repository

ROOT = Path(__file__).resolve().parents[3]
REGISTRY = """\
active_intents:
  - id: INT-001
    name: Round totals
    status: IN_PROGRESS
    owned_scope: [src/**]
    constraints:
      - keep the cents
      - {type: file_size, max_lines: 500}
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.delenv(policy.VARIABLE, raising=False)
    (tmp_path / ".orchestration").mkdir()
    return Repository(str(tmp_path), None, None)


@pytest.fixture
def write(tmp_path):
    def run(name, content):
        (tmp_path / ".orchestration" / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    return run


def test_without_files_linetrail_observes_and_judges_nothing(repository):
    found = policy.of(repository)

    assert (found.mode, found.in_use, found.registry_digest) == ("observe", False, None)


def test_what_is_remembered_is_what_was_read(repository, write):
    write("config.yaml", "enforce: block\ncodes: {STALE_FILE: warn}\ntools: {safe: ['mcp__docs__*']}\n")
    write("active_intents.yaml", REGISTRY)

    first, again = policy.of(repository), policy.of(repository)

    assert [*again.intents] == [*first.intents]
    assert (again.mode, again.mode_for("STALE_FILE"), again.mode_for("NO_INTENT")) == ("block", "warn", "block")
    assert next(iter(again.intents)).rules == ({"type": "file_size", "max_lines": 500},)


def test_a_file_that_was_changed_is_read_again(repository, write):
    write("config.yaml", "enforce: observe\n")
    policy.of(repository)

    write("config.yaml", "enforce: warn\n")

    assert policy.of(repository).mode == "warn"


def test_the_files_of_this_machine_win_over_the_shared_ones_key_by_key(repository, write):
    write("config.yaml", "enforce: block\ncodes: {STALE_FILE: warn}\n")
    write("config.local.yaml", "codes: {OUT_OF_SCOPE: ask}\n")

    found = policy.of(repository)

    assert [found.mode_for(code) for code in ("STALE_FILE", "OUT_OF_SCOPE", "NO_INTENT")] == ["warn", "ask", "block"]


@pytest.mark.parametrize(
    ("told", "code", "mode"),
    [
        pytest.param("observe", "NO_INTENT", "observe", id="nothing is stopped"),
        pytest.param("warn", "OUT_OF_SCOPE", "warn", id="all is told"),
        pytest.param("block", "STALE_FILE", "block", id="an exception does not weaken it"),
        pytest.param("block", "OUT_OF_SCOPE", "ask", id="a person is still asked"),
        pytest.param("nonsense", "NO_INTENT", "warn", id="what is no mode is as good as nothing"),
    ],
)
def test_the_environment_wins(repository, write, monkeypatch, told, code, mode):
    write("config.yaml", "enforce: warn\ncodes: {STALE_FILE: observe, OUT_OF_SCOPE: ask}\n")
    monkeypatch.setenv(policy.VARIABLE, told)

    assert policy.of(repository).mode_for(code) == mode


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param("enforce: [\n", "config.yaml:2: not YAML", id="not YAML"),
        pytest.param("enforce: blok\n", "config.yaml:1: expected one of observe, warn, block", id="no mode"),
        pytest.param("\nenforcement: block\n", "config.yaml:2: there is no setting 'enforcement'", id="no setting"),
        pytest.param("lease_seconds: 0\n", "config.yaml:1: expected a whole number", id="out of range"),
        pytest.param("lease_seconds: ²\n", "config.yaml:1: expected a whole number", id="no digit"),
        pytest.param("breaker: {x: 1}\n", "config.yaml:1: there is no setting 'x' here", id="no setting of a section"),
        pytest.param("codes: {NOPE: warn}\n", "config.yaml:1: there is no code 'NOPE'", id="no code"),
        pytest.param("codes: {PROTECTED_PATH: observe}\n", "PROTECTED_PATH can only be block", id="a gate ajar"),
        pytest.param("codes: {STALE_FILE: ask}\n", "no answer of a person lifts STALE_FILE", id="a useless question"),
        pytest.param("- a\n", "config.yaml:1: expected `key: value`", id="a list"),
        pytest.param("enforce: block\nenforce: warn\n", "config.yaml:2: 'enforce' is here twice", id="twice"),
        pytest.param("a: &x block\nenforce: *x\n", "config.yaml:1: anchors", id="an alias"),
        pytest.param(b"enforce: \xff\n", "config.yaml", id="not UTF-8"),
        pytest.param("x" * 300_000, "larger than 256 KB", id="too large"),
    ],
)
def test_settings_that_cannot_be_read_are_named_with_their_line(repository, write, content, problem):
    write("config.yaml", content)

    assert problem in policy.of(repository).settings_error


def test_a_mode_that_can_be_made_out_holds_though_the_rest_cannot_be_read(repository, write):
    write("config.yaml", "enforce: block\nbroken: [\n")

    assert policy.of(repository).mode == policy.told_mode(repository) == "block"


def test_numbers_and_switches_in_the_documentation_are_what_holds_without_them():
    (example,) = re.findall(
        r"```yaml\n(enforce: block\n.*?)```", (ROOT / "docs" / "gate.md").read_text("utf-8"), re.DOTALL
    )

    told = settings_text.parse(example.encode(), "gate.md", Settings())

    differ = {name for name, value in told._asdict().items() if value != getattr(Settings(), name)}
    assert differ.isdisjoint(name for name, value in Settings()._asdict().items() if isinstance(value, int))
    assert "mode" in differ


def test_settings_that_cannot_be_read_are_as_strict_as_they_were_and_warn_at_least(repository, write):
    write("config.yaml", "enforce: blok\n")
    assert policy.of(repository).mode == "warn"

    write("config.yaml", "enforce: block\n")
    policy.of(repository)
    write("config.yaml", "<<<<<<< ours\n")

    assert policy.of(repository).mode == "block"


def test_a_pipe_for_settings_keeps_nobody_waiting(repository):
    os.mkfifo(os.path.join(repository.folder, "config.yaml"))

    assert "cannot be read" in policy.of(repository).settings_error


def test_a_registry_that_cannot_be_read_is_named_with_its_line(repository, write):
    write("active_intents.yaml", "active_intents:\n  - id: [\n")

    found = policy.of(repository)

    assert "active_intents.yaml:3" in found.registry_error
    assert ([*found.intents], found.in_use) == ([], True)


@pytest.mark.parametrize("content", [b"", b"[1]", b"{}", b'{"name": 1, "policy": []}', b"\xff"])
def test_a_damaged_memory_is_made_anew(repository, write, content):
    write("config.yaml", "enforce: warn\n")
    policy.of(repository)
    write("state/policy.json", content)

    assert policy.of(repository).mode == "warn"


def test_a_memory_that_cannot_be_written_costs_nothing_but_time(repository, write, tmp_path):
    write("config.yaml", "enforce: warn\n")
    (tmp_path / ".orchestration" / "state").write_text("a file in the way")

    assert policy.of(repository).mode == "warn"


def test_the_memory_holds_no_more_than_the_files_say(repository, write):
    write("config.yaml", "enforce: warn\n")
    policy.of(repository)

    with open(os.path.join(repository.folder, "state", "policy.json"), encoding="utf-8") as file:
        assert set(json.load(file)) == {"name", "policy"}


@pytest.mark.parametrize(
    ("config", "agent", "mode", "code_mode"),
    [
        pytest.param("enforce: block\n", "codex", "block", "block", id="an agent that can refuse one call"),
        pytest.param("enforce: block\n", "cline", "warn", "warn", id="one whose run a refusal ends"),
        pytest.param("enforce: block\nagents: {cline: warn}\n", "cline", "warn", "warn", id="as the settings say"),
        pytest.param(
            "enforce: block\nagents:\n  'cline': \"block\"\n", "cline", "block", "block", id="wanted all the same"
        ),
        pytest.param("enforce: block\n# agents: {cline: block}\n", "cline", "warn", "warn", id="only a remark"),
        pytest.param(
            "enforce: warn\nagents: {cline: block}\n", "cline", "warn", "warn", id="no stricter than the others"
        ),
        pytest.param(
            "enforce: observe\ncodes: {OUT_OF_SCOPE: block}\n", "cline", "observe", "warn", id="for a code alone"
        ),
    ],
)
def test_an_agent_whose_run_a_refusal_ends_is_told_unless_more_is_wanted(
    repository, write, config, agent, mode, code_mode
):
    write("config.yaml", config)

    found = policy.of(repository).towards(agent)

    assert (found.mode, found.mode_for("OUT_OF_SCOPE")) == (mode, code_mode)
    assert policy.told_mode(repository, agent=agent) == mode
    assert policy.of(repository).towards(agent).mode == mode, "as remembered"


def test_the_environment_and_a_pin_hold_for_every_agent(repository, write, monkeypatch):
    write("config.yaml", "enforce: block\n")
    policy.pin(repository, "block")
    assert policy.of(repository).towards("cline").mode == policy.told_mode(repository, agent="cline") == "block"
    policy.unpin(repository)

    monkeypatch.setenv(policy.VARIABLE, "block")

    assert policy.of(repository).towards("cline").mode == policy.told_mode(repository, agent="cline") == "block"


def test_without_a_ledger_only_an_agent_that_can_refuse_one_call_is_refused():
    assert policy.told_mode(None, "block", "codex") == "block"
    assert policy.told_mode(None, "block", "cline") == "warn"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("agents: {cursor: warn}\n", "config.yaml:1: 'cursor' is no agent that a refusal ends; there is only cline"),
        ("agents: {cline: observe}\n", "expected one of warn, block, not 'observe'"),
        ("agents: cline\n", "expected `key: value`"),
    ],
)
def test_a_setting_for_an_agent_can_only_make_it_stricter(repository, write, config, message):
    write("config.yaml", config)

    assert message in policy.of(repository).settings_error


def test_the_files_of_this_machine_win_for_an_agent_too(repository, write):
    write("config.yaml", "enforce: block\nagents: {cline: block}\n")
    write("config.local.yaml", "agents: {cline: warn}\n")

    assert policy.of(repository).towards("cline").mode == policy.told_mode(repository, agent="cline") == "warn"


def test_one_intent_is_found_among_many_whose_ids_look_alike(repository, write):
    ids = ["INT-0010", "INT-001", "INT-1001", "XINT-001"]
    entries = "".join(
        f'  - {{id: {name}, name: \'{{"id": "INT-001",\', status: DRAFT, owned_scope: [{name}/**]}}\n' for name in ids
    )
    write("active_intents.yaml", f"active_intents:\n{entries}")

    for found in (policy.of(repository), policy.of(repository)):
        assert [found.intent(name).scope for name in ids] == [(f"{name}/**",) for name in ids]
        assert found.intent("INT-00") is None
        assert [intent.id for intent in found.intents] == ids


@pytest.mark.slow
@pytest.mark.parametrize("others", [0, 2_000], ids=["few", "many"])
def test_a_memory_with_a_hole_where_intents_were_is_made_anew(repository, write, others):
    more = "".join(f"  - {{id: INT-9{at:04}, name: x, status: DRAFT, owned_scope: [a{at}]}}\n" for at in range(others))
    write("active_intents.yaml", REGISTRY + more)
    whole = [*policy.of(repository).intents]
    memory = os.path.join(repository.folder, "state", "policy.json")
    with open(memory, "r+b") as file:
        size = len(file.readline())
        file.write(b"\0" * (os.path.getsize(memory) - size))

    assert [*policy.of(repository).intents] == whole


def test_the_intents_that_own_files_are_named_by_how_many_they_own(repository, write):
    scopes = {"INT-001": "one/**", "INT-002": "two/**", "INT-003": "three/**"}
    entries = "".join(
        f"  - {{id: {name}, name: x, status: DRAFT, owned_scope: [{scope}]}}\n" for name, scope in scopes.items()
    )
    write("active_intents.yaml", f"active_intents:\n{entries}")

    assert policy.of(repository).owners(["one/a", "two/a", "two/b", "four/a"]) == ["INT-002", "INT-001"]


PARTS = st.sampled_from(["a", "b", "ab", "a*", "?b", "[ab]", "*", "**", '"', "\u00e9"])
PATTERNS = st.builds(
    lambda sign, parts, end: sign + "/".join(parts) + end,
    st.sampled_from(["", "", "", "!", "./"]),
    st.lists(PARTS, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)
NAMES = st.lists(st.sampled_from(["a", "b", "ab", "bb", '"', "\u00e9"]), min_size=1, max_size=4).map("/".join)


@given(
    st.lists(st.tuples(st.lists(PATTERNS, max_size=3), st.sampled_from(["IN_PROGRESS", "DONE"])), max_size=6),
    st.lists(NAMES, min_size=1, max_size=3),
)
def test_owners_are_those_whose_scope_has_a_path_however_they_are_looked_up(registry, paths):
    intents = [Intent(f"INT-{at}", "x", status, tuple(scope), 1) for at, (scope, status) in enumerate(registry)]
    held = policy.Policy(Settings(), None, policy.compile_intents(intents), None, None)

    scopes = {intent.id: policy.scope_of(intent) for intent in intents if not intent.closed}
    own = {name for name, scope in scopes.items() if scope and any(map(scope.owner, paths))}

    assert set(held.owners(paths)) == own


def test_of_many_open_intents_the_first_are_offered_and_the_others_counted():
    intents = [Intent(f"INT-{at}", "x", "DONE" if at < 2 else "DRAFT", ("a",), 1) for at in range(100)]
    offer = policy.Policy(Settings(), None, policy.compile_intents(intents), None, None).offer()

    assert [intent_id for intent_id, _ in offer.named] == [f"INT-{at}" for at in range(2, 52)]
    assert str(offer).endswith("INT-50, INT-51 and 48 more")
    assert str(Offer()) == "none"
