"""What a mutation is follows from the judgements about it, about the run and about the commit that it is part of."""

import pytest

from linetrail.ledger.repository import find
from linetrail.projections import build
from linetrail.projections.tables.tables import open_tables
from tests.story import Story

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

REFACTOR, EVOLUTION = "AST_REFACTOR", "INTENT_EVOLUTION"


class Judging(Story):
    """A story with judgements in it."""

    def edit(self, **fields):
        """Add a change of an agent, and return the id of its event."""
        data = {name: fields.pop(name) for name in ("agent_id", "via", "declared_class") if name in fields}
        return self.tell("mutation.observed", data, edits={"a.py": f"x = {len(self.events)}\n"}, **fields).id

    def judge(self, computed, rule_version=1, **about):
        """Add a judgement."""
        label, kind = ("refactor", "rename") if computed == REFACTOR else ("evolution", "unproved")
        body = {"rule_version": rule_version, "label": label, "kind": kind, "computed_class": computed}
        body |= {"mutation_class": computed, "evolved_files": int(computed == EVOLUTION)}
        self.tell("mutation.classified", about | body, session=None, agent=None, contributor="unknown")

    def one(self, mutation_id, computed, **fields):
        """Add a judgement about one change."""
        self.judge(computed, about="mutation", mutation_id=mutation_id, **fields)

    def run(self, first, last, computed):
        """Add a judgement about a run."""
        self.judge(computed, about="run", first_mutation_id=first, mutation_id=last)

    def commit(self, ids, computed, declared=None):
        """Add a judgement about a commit."""
        about = {"about": "commit", "revision": "b" * 40, "mutation_ids": ids, "declared_class": declared}
        self.judge(computed, **about)


@pytest.fixture
def story():
    return Judging()


@pytest.fixture
def answers(repo, story):
    """Return a function that tells columns of each mutation that has a class, by its id."""
    repo.start_ledger()

    def ask(columns="mutation_class, computed_from"):
        story.written(repo.path)
        with open_tables(find(str(repo.path))) as tables:
            assert not build.findings(tables)
            rows = tables.ask(f"select mutation_id, {columns} from v_mutation_classes").rows
        return {mutation_id: tuple(said) if len(said) > 1 else said[0] for mutation_id, *said in rows}

    return ask


def test_what_nobody_judged_has_no_class(story, answers):
    story.edit()

    assert answers() == {}


def test_newer_rules_count_wherever_they_stand_and_then_what_came_last(story, answers):
    one, other = story.edit(), story.edit()
    story.one(one, EVOLUTION, rule_version=2)
    story.one(one, REFACTOR, rule_version=1)
    story.one(other, EVOLUTION)
    story.one(other, REFACTOR)

    assert answers() == {one: (EVOLUTION, "mutation"), other: (REFACTOR, "mutation")}


def test_a_harmless_run_or_commit_makes_its_steps_harmless(story, answers):
    first, second, third, fourth = (story.edit() for _ in range(4))
    for step in (first, second, third, fourth):
        story.one(step, EVOLUTION)
    story.run(first, fourth, EVOLUTION)
    story.run(first, second, REFACTOR)
    story.commit([third], REFACTOR)

    assert answers() == {
        first: (REFACTOR, "run"),
        second: (REFACTOR, "run"),
        third: (REFACTOR, "commit"),
        fourth: (EVOLUTION, "mutation"),
    }


def test_a_run_that_is_an_evolution_says_nothing_of_a_step_that_was_not_judged(story, answers):
    first, second, third = story.edit(), story.edit(), story.edit()
    story.one(first, REFACTOR)
    story.run(first, third, EVOLUTION)

    assert answers() == {first: (REFACTOR, "mutation")}
    assert second


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"agent_id": "sub"}, id="a subagent"),
        pytest.param({"session": "s2"}, id="another session"),
        pytest.param({"via": "human", "contributor": "human", "agent": None}, id="a person"),
    ],
)
def test_what_others_did_meanwhile_is_no_part_of_a_run(story, answers, other):
    first = story.edit()
    theirs = story.edit(**other)
    last = story.edit()
    for step in (first, theirs, last):
        story.one(step, EVOLUTION)
    story.run(first, last, REFACTOR)

    assert answers("mutation_class") == {first: REFACTOR, theirs: EVOLUTION, last: REFACTOR}


@pytest.mark.parametrize(
    ("call", "commit", "computed", "expected"),
    [
        (None, None, EVOLUTION, (EVOLUTION, "syntax", None)),
        (None, "BUG_FIX", EVOLUTION, ("BUG_FIX", "commit", "commit")),
        (None, "BUG_FIX", REFACTOR, (REFACTOR, "syntax", "commit")),
        (None, "OPTIMIZATION", EVOLUTION, ("OPTIMIZATION", "commit", "commit")),
        (None, "AST_REFACTOR", EVOLUTION, (EVOLUTION, "syntax", "commit")),
        ("optimization", "BUG_FIX", EVOLUTION, ("OPTIMIZATION", "call", "call")),
        ("feature", "BUG_FIX", EVOLUTION, (EVOLUTION, "syntax", "call")),
        ("modify", "BUG_FIX", EVOLUTION, ("BUG_FIX", "commit", "commit")),
    ],
)
def test_who_speaks_of_the_call_is_heard_before_who_speaks_of_the_commit(
    story, answers, call, commit, computed, expected
):
    one = story.edit(declared_class=call)
    story.one(one, computed)
    if commit:
        story.commit([one], EVOLUTION, commit)

    assert answers("mutation_class, basis, declared_by") == {one: expected}
