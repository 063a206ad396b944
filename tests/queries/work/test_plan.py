"""`linetrail plan`: which intents would meet, which may run together, how a large one could be split."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.intents.intent import Intent
from linetrail.queries.work.forecast import Forecast, History
from linetrail.queries.work.partition import split
from linetrail.queries.work.plan import batched, predicted


def intent(name, *scope):
    return Intent(name, name, "DRAFT", scope, 1)


def meetings(cli, *options):
    rows = cli("plan", "--json", *options).rows
    return {(row["intent_id"], each["intent_id"]): each for row in rows for each in row["meets"]}


@pytest.mark.slow
def test_scopes_that_own_a_file_together_meet_and_the_file_is_named(shop, cli):
    found = meetings(cli)

    assert set(found) == {
        ("INT-001", "INT-003"),
        ("INT-003", "INT-001"),
        ("INT-002", "INT-003"),
        ("INT-003", "INT-002"),
    }
    one = found["INT-001", "INT-003"]
    assert one["path"] in ("src/cart/items.py", "src/cart/total.py")
    assert (one["pattern"], one["other_pattern"]) == ("src/cart/**", "src/**/*.py")
    assert 0 < one["probability"] <= 1


@pytest.mark.slow
def test_the_patterns_that_are_named_own_the_file_that_is_named(shop, cli):
    registry = shop.path / ".orchestration" / "active_intents.yaml"
    registry.write_text(registry.read_text().replace('"src/pay/**"', '"src/cart/items.py", "src/pay/card.py"'))
    for number in range(3):
        shop.commit(files={"src/pay/card.py": f"number = {number}\n"})

    one = meetings(cli)["INT-002", "INT-003"]
    assert [one[name] for name in ("path", "pattern", "other_pattern")] == ["src/pay/card.py"] * 2 + ["src/**/*.py"]


def test_batches_part_those_that_meet_and_keep_the_order_of_dependencies(shop, cli):
    batches = json.loads(cli("plan", "--json").out)["meta"]["batches"]
    place = {name: at for at, batch in enumerate(batches) for name in batch}

    assert place["INT-001"] == place["INT-002"] != place["INT-003"]
    assert place["INT-004"] > place["INT-002"]


@pytest.mark.slow
def test_an_intent_that_waits_for_another_is_predicted_nothing_with_it(shop, cli):
    text = '  - {id: INT-005, name: More, status: DRAFT, owned_scope: ["src/pay/**"], dependencies: [INT-002]}\n'
    registry = shop.path / ".orchestration" / "active_intents.yaml"
    registry.write_text(registry.read_text() + text)

    assert ("INT-002", "INT-005") not in meetings(cli)


def test_intents_that_wait_for_each_other_are_refused(shop, cli):
    registry = shop.path / ".orchestration" / "active_intents.yaml"
    registry.write_text(
        registry.read_text().replace("INT-002, name: Payment,", "INT-002, dependencies: [INT-004], name: P,")
    )

    answer = cli("plan")

    assert answer.status == 1
    assert "each waits for the next" in answer.err
    assert "linetrail intents lint" in answer.err


@pytest.mark.slow
def test_files_that_commits_changed_together_make_disjoint_scopes_meet(shop, cli):
    for turn in range(4):
        shop.commit(files={"src/cart/total.py": f"# {turn}\n", "tests/test_total.py": f"# {turn}\n"})

    found = meetings(cli, "INT-001", "INT-004")

    assert "changed together" in found["INT-001", "INT-004"]["reason"]
    assert found["INT-001", "INT-004"]["probability_by_scope"] == 0
    assert not meetings(cli, "INT-001", "INT-004", "--scope-only")


@pytest.mark.slow
def test_what_agents_wrote_outside_of_their_scope_makes_it_likelier(shop, cli, agent):
    for turn in range(4):
        shop.commit(files={"src/cart/total.py": f"# {turn}\n", "tests/test_total.py": f"# {turn}\n"})
    before = meetings(cli, "INT-001", "INT-004")["INT-001", "INT-004"]["probability"]
    cli("select", "INT-001")
    session = agent()
    for turn in range(20):
        session.write("README.md", f"{turn}\n")

    assert meetings(cli, "INT-001", "INT-004")["INT-001", "INT-004"]["probability"] > before


@pytest.mark.slow
def test_definitions_and_what_uses_them_are_named(shop, cli):
    shop.commit(files={"src/pay/card.py": "from src.cart.total import total\n\ndef charge(x):\n    return total(x)\n"})

    one = meetings(cli, "INT-001", "INT-003", "--definitions")["INT-001", "INT-003"]

    assert "src/cart/total.py:total" in one["definitions"]
    assert "src/pay/card.py:charge → total" in one["calls"]


def test_a_graph_names_intents_and_pairs(shop, cli):
    out = cli("plan", "--dot").out

    assert '"INT-001" -- "INT-003" [label="' in out
    assert '"INT-004" -- "INT-002" [dir=forward, style=dashed];' in out


@pytest.mark.slow
def test_a_hostile_name_does_not_reach_the_terminal(shop, cli):
    registry = shop.path / ".orchestration" / "active_intents.yaml"
    registry.write_text(registry.read_text().replace("Totals", '"a\\e[31mb\\"c"'))

    assert "\x1b[31m" not in cli("plan").out + cli("plan", "--dot").out


@pytest.mark.parametrize("option", [("--risk", "2"), ("--risk", "x"), ("--parts", "1"), ("--suggest",)], ids=" ".join)
def test_a_plan_that_cannot_be_meant_is_refused(shop, cli, option):
    assert cli("plan", *option).status == 2


def test_an_intent_that_is_not_there_is_named(shop, cli):
    answer = cli("plan", "INT-999")

    assert (answer.status, "INT-999" in answer.err, "INT-001" in answer.err) == (1, True, True)


def test_a_split_keeps_together_what_was_touched_together():
    files = [f"src/{name}.py" for name in "abcdef"]
    past = History([frozenset({"src/a.py", "src/f.py"})] * 3 + [frozenset({"src/b.py", "src/e.py"})] * 3)

    parts = split(intent("INT-001", "src/**"), Forecast(files, past), 3)

    assert [one.files for one in parts] == [
        ["src/a.py", "src/f.py"],
        ["src/b.py", "src/e.py"],
        ["src/c.py", "src/d.py"],
    ]
    assert [one.across for one in parts] == [0, 0, 0]


def test_the_patterns_of_a_part_own_its_files_and_no_other(shop, cli):
    (first, second) = cli("plan", "--suggest", "INT-003", "--parts", "2", "--json").rows

    assert {tuple(first["patterns"]), tuple(second["patterns"])} == {("src/cart/**",), ("src/pay/**",)}


NAMES = [f"INT-{number:03}" for number in range(6)]


@pytest.mark.slow
@given(
    st.lists(st.lists(st.sampled_from(["a/**", "b/**", "a/x.py", "*.py", "**"]), min_size=1, max_size=2), max_size=6),
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))),
)
def test_no_batch_has_two_that_meet_and_none_is_before_what_it_waits_for(scopes, pairs):
    intents = [intent(name, *scope) for name, scope in zip(NAMES, scopes, strict=False)]
    count = len(intents)
    waits = {one.id: [NAMES[b] for a, b in pairs if a == at and b < at < count] for at, one in enumerate(intents)}
    found = list(predicted(intents, Forecast(["a/x.py", "b/y.py", "z.py"]), waits))

    batches = batched(intents, waits, found)

    assert all(batches[one.one] != batches[one.other] for one in found)
    assert all(batches[name] > batches[other] for name, others in waits.items() for other in others)
    assert all(0 <= one.probability <= 1 for one in found)
