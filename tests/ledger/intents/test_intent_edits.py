"""Changes of a person's registry: in its own manner, the change and nothing else, and none of them lost."""

import difflib
import multiprocessing
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents import changes, registry_file
from linetrail.ledger.intents.edits import Registry, changed, edit
from linetrail.ledger.intents.registry import parse
from linetrail.ledger.repository import Repository
from linetrail.queries.setup.installation import TEMPLATES
from tests.examples import examples
from tests.registries import CAMEL, FIRST, SECOND

VARIANTS = pytest.mark.parametrize("text", [FIRST, SECOND, CAMEL], ids=["first", "second", "camel case"])
NEW = {"id": "INT-009", "name": "New: it's", "status": "DRAFT", "owned_scope": ["new/**", "*.new"]}


def lines(before, after):
    """Return the lines that went and those that came."""
    return [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "-+"]


def intent(text, intent_id):
    return next(found for found in parse(text.encode(), "x") if found.id == intent_id)


@pytest.fixture
def repository(tmp_path):
    (tmp_path / ".orchestration").mkdir()
    return Repository(str(tmp_path), None, None)


def apply(repository, step):
    with changes.held(repository):
        edit(repository, lambda _: step)


@VARIANTS
def test_a_new_intent_is_written_in_the_manner_of_the_others(text):
    after = Registry(text).add(NEW).text

    assert not [line for line in lines(text, after) if line[0] == "-"]
    added = intent(after, "INT-009")
    assert (added.name, added.status, added.scope) == ("New: it's", "DRAFT", ("new/**", "*.new"))


def test_the_spellings_of_a_registry_are_kept():
    second, camel = (
        Registry(SECOND).add(NEW).text,
        Registry(CAMEL).add(NEW | {"created_at": "2026-01-05T09:00:00Z"}).text,
    )

    assert second.endswith(
        """\
    - id: "INT-009"
      name: "New: it's"
      status: "PENDING"
      owned_scope:
          - "new/**"
          - "*.new"
"""
    )
    assert camel.endswith(
        """\
- id: INT-009
  name: "New: it's"
  status: PENDING
  ownedScope:
  - new/**
  - "*.new"
  createdAt: "2026-01-05T09:00:00Z"
"""
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="an empty file"),
        pytest.param("# only a comment", id="a comment without a line end"),
        pytest.param(TEMPLATES["active_intents.yaml"], id="the file that init makes"),
        pytest.param("active_intents: []  # none yet\n\nversion: 1\n", id="an empty list with more behind it"),
        pytest.param("intents:\n", id="nothing below the root"),
        pytest.param("version: '1'\n", id="no root key"),
        pytest.param("{active_intents: []}", id="in braces"),
        pytest.param('{"intents": [{"id": "INT-001", "status": "DRAFT", "scope": ["a"]}]}', id="JSON"),
        pytest.param("active_intents: [\n]\n", id="brackets on two lines"),
    ],
)
def test_a_registry_begins_wherever_it_can(text):
    after = Registry(text).add(NEW).text

    assert intent(after, "INT-009").scope == ("new/**", "*.new")
    assert [line for line in lines(text, after) if line[0] == "-" and "#" in line] == [] or "none yet" in after


@VARIANTS
def test_a_status_changes_in_its_place_and_vocabulary(text):
    after = Registry(text).set("INT-001", "status", "DONE").text

    went, came = lines(text, after)
    assert came[1:] == went[1:].replace("IN_PROGRESS", "DONE" if text == FIRST else "COMPLETED", 1)
    assert intent(after, "INT-001").status == "DONE"


@VARIANTS
@pytest.mark.parametrize("field", ["owned_scope", "constraints", "acceptance_criteria", "dependencies", "references"])
def test_an_item_is_added_to_a_list_of_one_intent(text, field):
    after = Registry(text).append("INT-002", field, "docs/**").text

    name = {"owned_scope": "scope", "acceptance_criteria": "criteria"}.get(field, field)
    assert getattr(intent(after, "INT-002"), name) == (*getattr(intent(text, "INT-002"), name), "docs/**")
    assert intent(after, "INT-001") == intent(text, "INT-001")


def test_a_reason_takes_the_place_of_nothing_and_nothing_its_place_again():
    blocked = Registry(FIRST).set("INT-001", "blocked_reason", "No keys: yet").text

    assert lines(FIRST, blocked) == ["-       blocked_reason: null", '+       blocked_reason: "No keys: yet"']
    assert Registry(blocked).set("INT-001", "blocked_reason", None).text == FIRST


def test_what_is_so_already_is_left_alone():
    assert Registry(FIRST).set("INT-001", "status", "IN_PROGRESS").set("INT-001", "merged_into", None).text == FIRST


def test_an_item_is_taken_out_with_its_line():
    after = Registry(FIRST).remove("INT-001", "owned_scope", "src/web/tickets.ts").text

    assert lines(FIRST, after) == ['-           - "src/web/tickets.ts"']


@VARIANTS
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "byte order mark"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("ended", [True, False], ids=["last line ended", "last line open"])
def test_line_ends_and_marks_stay(text, mark, newline, ended):
    before = mark + (text if ended else text.rstrip("\n")).replace("\n", newline)

    after = changed(before.encode(), lambda _: lambda registry: registry.add(NEW), "x").decode()

    assert after.startswith(mark + before[len(mark) : 40])
    assert after.count("\ufeff") == mark.count("\ufeff")
    assert ("\r" in after) == ("\r" in before)
    assert after.count("\r") in (0, after.count("\n"))
    assert intent(after, "INT-009")


@settings(max_examples=examples(60))
@given(st.sampled_from([FIRST, SECOND, CAMEL]), st.data())
def test_any_order_of_changes_says_what_was_asked_for_and_keeps_every_comment(text, data):
    words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=20)
    registry = Registry(text)
    wanted = {found.id: found for found in parse(text.encode(), "x")}

    for _ in range(data.draw(st.integers(1, 5))):
        name = data.draw(st.sampled_from(sorted(wanted)))
        field, value = (
            data.draw(st.sampled_from(["description", "owner", "parent_intent", "constraints"])),
            data.draw(words),
        )
        if field == "constraints":
            registry = registry.append(name, field, value)
            wanted[name] = wanted[name]._replace(constraints=(*wanted[name].constraints, value))
        else:
            registry = registry.set(name, field, value)
            wanted[name] = wanted[name]._replace(**{field.removesuffix("_intent"): value})

    unlike = {"line": 0, "flaws": ()}
    assert [found._replace(**unlike) for found in parse(registry.text.encode(), "x")] == [
        found._replace(**unlike) for found in wanted.values()
    ]
    for line in text.splitlines():
        if line.strip().startswith("#"):
            assert line in registry.text.splitlines()


@pytest.mark.parametrize(
    ("text", "step", "message"),
    [
        pytest.param("intents: [", lambda r: r, "not YAML", id="a registry that cannot be read"),
        pytest.param(
            FIRST,
            lambda r: r.append("INT-001", "owned_scope", "../up"),
            "INVALID_GLOB",
            id="a pattern that cannot be used",
        ),
        pytest.param(
            FIRST, lambda r: r.append("INT-002", "dependencies", "INT-001"), "CIRCULAR_DEPENDENCY", id="a circle"
        ),
        pytest.param(
            FIRST, lambda r: r.set("INT-002", "parent_intent", "INT-7"), "INVALID_PARENT", id="no such parent"
        ),
        pytest.param(FIRST, lambda r: r.add(NEW | {"id": "INT-001"}), "DUPLICATE_ID", id="an id twice"),
        pytest.param(FIRST, lambda r: r.add(NEW | {"id": "9"}), "INVALID_ID_FORMAT", id="no id"),
        pytest.param(FIRST, lambda r: r.set("INT-001", "name", "x" * 4_200_000), "larger than 4 MB", id="too large"),
        pytest.param(FIRST, lambda r: r.set("INT-001", "name", "\ud800"), "not Unicode", id="no text"),
        pytest.param(FIRST, lambda r: r.set("INT-8", "name", "x"), "no intent INT-8", id="no such intent"),
        pytest.param(FIRST, lambda r: r.remove("INT-001", "constraints", "x"), "has no 'x'", id="no such item"),
    ],
)
def test_a_change_that_cannot_be_made_changes_nothing(repository, text, step, message):
    path = registry_file.path(repository)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)

    with pytest.raises(IntentError, match=message):
        apply(repository, step)

    with open(path, encoding="utf-8", newline="") as file:
        assert file.read() == text


def test_mistakes_that_were_there_before_stop_no_change():
    before = FIRST.replace("IN_PROGRESS", "STARTED")

    after = changed(before.encode(), lambda _: lambda registry: registry.set("INT-003", "owner", "me"), "x").decode()

    assert intent(after, "INT-003").owner == "me"


def test_the_file_keeps_its_permissions_and_nothing_else_is_left_beside_it(repository):
    path = registry_file.path(repository)
    with open(path, "w", encoding="utf-8") as file:
        file.write(FIRST)
    os.chmod(path, 0o664)

    apply(repository, lambda registry: registry.set("INT-001", "owner", "me"))

    assert os.stat(path).st_mode & 0o777 == 0o664
    assert sorted(os.listdir(repository.folder)) == ["active_intents.yaml", "state"]
    assert os.listdir(os.path.join(repository.folder, "state")) == ["locks"]


def test_a_link_is_not_replaced(repository, tmp_path):
    (tmp_path / "elsewhere.yaml").write_text(FIRST, encoding="utf-8")
    os.symlink(tmp_path / "elsewhere.yaml", registry_file.path(repository))

    with pytest.raises(IntentError, match="is a link"):
        apply(repository, lambda registry: registry.set("INT-001", "owner", "me"))

    assert os.path.islink(registry_file.path(repository))


def test_what_an_editor_saves_in_between_is_kept(repository):
    path = registry_file.path(repository)
    with open(path, "w", encoding="utf-8") as file:
        file.write(FIRST)
    saved = iter([FIRST.replace("Issue signed", "Issue short")])

    def step(registry):
        for text in saved:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return registry.set("INT-001", "owner", "me")

    apply(repository, step)

    with open(path, encoding="utf-8") as file:
        found = intent(file.read(), "INT-001")
    assert (found.name, found.owner) == ("Issue short tickets", "me")


@pytest.mark.slow
def test_no_change_is_lost_where_many_processes_make_them(repository):
    with open(registry_file.path(repository), "w", encoding="utf-8") as file:
        file.write(FIRST)
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_add_some, args=(repository, number)) for number in range(4)]

    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    assert [worker.exitcode for worker in workers] == [0] * 4
    assert len(registry_file.require(repository, "INT-001").constraints) == 2 + 4 * 5


def _add_some(repository, number):
    for at in range(5):
        apply(repository, lambda registry, text=f"{number}/{at}": registry.append("INT-001", "constraints", text))


PIECES = st.sampled_from([
    "intents:", "active_intents:", " []", "\n", "\r\n", "  ", "- ", "id: INT-001", "id: INT-002", "status: DRAFT",
    "name: x", "scope: [a]", "  scope:\n", "[", "]", "{", "}", ", ", "'", '"', "# note", "|\n", "|+\n", ">-\n",
    "null", "~", "? ", ": ", "\t", "---\n", "...\n", "&a ", "*a", "!!str ", "é", "\u2028", "\x85", "\ufeff",
    "%YAML 1.1\n", "<<: ",
])  # fmt: skip
STEPS = [
    lambda registry: registry.add(NEW),
    lambda registry: registry.set("INT-001", "status", "DONE"),
    lambda registry: registry.set("INT-001", "owner", "me"),
    lambda registry: registry.append("INT-001", "constraints", "x"),
    lambda registry: registry.remove("INT-001", "owned_scope", "a"),
]


@st.composite
def damaged(draw):
    """Take a registry and put pieces into it, or parts out of it."""
    text = draw(st.sampled_from([FIRST, SECOND, CAMEL, "intents:\n- {id: INT-001, scope: [a]}\n", ""]))
    for _ in range(draw(st.integers(0, 3))):
        begin = draw(st.integers(0, len(text)))
        text = text[:begin] + draw(PIECES) + text[begin + draw(st.integers(0, 30)) :]
    return text


@settings(max_examples=examples(150))
@given(damaged(), st.sampled_from(STEPS))
def test_whatever_a_file_holds_a_change_is_made_or_refused(text, step):
    try:
        after = changed(text.encode(), lambda _: step, "x")
    except IntentError:
        return

    assert {found.id for found in parse(text.encode(), "x")} <= {found.id for found in parse(after, "x")}
