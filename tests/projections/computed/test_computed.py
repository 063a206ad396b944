"""Tables that are worked out in Python: made when they are named, never out of date, the same in a fresh clone."""

import os
import subprocess
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.computed.code_owners import Owners
from linetrail.projections.tables import computed_cache
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.tables import NAMES, Tables, computed, computed_in, named, needs, open_tables
from tests.story import Story

HAND_MADE = "one\ntwo\nthree\nfour\nfive\n"


@pytest.fixture
def worked(repo, agent):
    """Return a repository with a file by a person, changed by an agent, committed."""
    repo.commit("by hand", {"a.py": HAND_MADE, "b/c.txt": "text\n"})
    session = agent()
    session.edit("a.py", "three\n", "drei\nvier\n")
    repo.commit("by an agent")
    return repo


def ask(repo, sql, **options):
    with open_tables(find(str(repo.path)), **options) as tables:
        return tables.ask(sql).rows


def cached(repo):
    return sorted(path.name for path in computed_cache.folder(find(str(repo.path))).glob("*.parquet"))


@pytest.mark.slow
def test_lines_have_the_answers_of_blame(worked, cli):
    rows = cli("blame", "a.py", "--rev", "HEAD", "--json").rows

    names = "line_no, contributor_type, session_id, event_id, vcs_revision, match_method, confidence"
    found = ask(worked, f"select {names} from v_blame_lines where path = 'a.py' order by line_no")

    names = names.replace("match_method", "evidence").split(", ")
    assert found == [tuple(row[name] for name in names) for row in rows]
    assert {row[1] for row in found} == {"ai", "human"}


@pytest.mark.slow
def test_nothing_is_worked_out_before_it_is_named(worked):
    ask(worked, "select count(*) from v_tool_calls")
    assert cached(worked) == []

    ask(worked, "select count(*) from v_files")
    assert [name.partition("-")[0] for name in cached(worked)] == ["tracked_files"]


@pytest.mark.slow
def test_what_is_kept_is_used_again_until_the_ledger_or_the_commit_moves_on(worked, agent):
    query = "select count(*) from v_coverage"
    ask(worked, query)
    [first] = cached(worked)
    made = computed_cache.folder(find(str(worked.path))) / first
    stamp = made.stat().st_mtime_ns

    ask(worked, query)
    assert (cached(worked), made.stat().st_mtime_ns) == ([first], stamp)

    agent("session-2").edit("a.py", "one\n", "eins\n")
    ask(worked, query)
    assert len(cached(worked)) == 2

    worked.commit("more")
    ask(worked, query)
    assert len(cached(worked)) == 3


@pytest.mark.slow
def test_a_question_about_one_file_works_out_its_lines_alone(worked):
    with open_tables(find(str(worked.path))) as tables:
        tables.look_at("b/c.txt")
        assert tables.ask("select distinct path from v_blame_lines").rows == [("b/c.txt",)]
        tables.look_at()
        assert len(tables.ask("select distinct path from v_blame_lines").rows) > 1


def test_what_follows_from_the_tables_is_worked_out_once_for_the_files_that_are_looked_at(worked):
    asked = []

    def files(tables, role):
        asked.append(role)
        return tables.ask("select path from v_files where role = $role", {"role": role}).rows

    with open_tables(find(str(worked.path))) as tables:
        assert tables.once(files, "code") == tables.once(files, "code") != tables.once(files, "test")
        tables.look_at("b/c.txt")
        tables.once(files, "code")

    assert asked == ["code", "test", "code"]


def test_without_leave_to_keep_nothing_is_written(worked):
    assert ask(worked, "select count(*) from v_files", keep=False) != [(0,)]
    assert not computed_cache.folder(find(str(worked.path))).exists()


@pytest.mark.slow
@pytest.mark.parametrize("left", [0, 3, 50])
def test_a_table_that_was_cut_short_is_worked_out_anew(worked, left):
    before = ask(worked, "from v_files order by path")
    for path in computed_cache.folder(find(str(worked.path))).glob("*.parquet"):
        os.truncate(path, left)

    assert ask(worked, "from v_files order by path") == before


@pytest.mark.slow
def test_a_cache_that_is_in_the_way_changes_no_answer(worked):
    before = ask(worked, "from v_coverage order by path")
    folder = computed_cache.folder(find(str(worked.path)))
    computed_cache.forget(find(str(worked.path)))
    folder.write_text("no folder")

    assert ask(worked, "from v_coverage order by path") == before


@pytest.mark.in_turn
@pytest.mark.slow
def test_a_fresh_clone_gives_the_same_answers(worked, cli, tmp_path):
    assert cli("seal").status == 0
    worked.commit("sealed")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(worked.path), str(clone)], check=True)

    for view in sorted(name for name in needs() if name.startswith("v_") and computed_in([name])):
        query = f"from {view} order by all"
        with open_tables(find(str(clone))) as there:
            assert there.ask(query).rows == ask(worked, query), view


@pytest.mark.slow
def test_a_description_needs_no_work_and_a_row_says_what_is_missing(worked):
    repository = find(str(worked.path))

    with Tables(Parts(repository).current(), lambda *_: None) as tables:
        assert tables.ask("describe v_blame_lines").rows[0][0] == "path"
        with pytest.raises(Exception, match="blame_lines is not worked out"):
            tables.ask("select path from v_blame_lines")


@pytest.mark.slow
def test_where_nothing_is_committed_there_are_no_lines(repo):
    repo.start_ledger()
    repo.write("a.py", "x\n")

    assert ask(repo, "from v_blame_lines") == []
    assert ask(repo, "select val from v_meta where name = 'schema_version'") == [("1",)]
    assert ask(repo, "select val from v_meta where name = 'head_revision'") == []


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_table_has_the_columns_that_it_promises(worked, name):
    described = ask(worked, f"describe {name}")

    assert {column: kind for column, kind, *_ in described} == dict(computed(name).COLUMNS)
    assert computed(name).ABOUT.startswith("one row is ")


@pytest.mark.slow
def test_names_are_found_wherever_they_stand_in_a_query():
    assert named("with x as (from V_Files) select 'v_meta' from x") == {"v_files", "v_meta"}
    assert computed_in(["v_coverage"]) == {"blame_lines"}


class TestScopes:
    """Whether a change was in scope is a matter of the scope at that moment."""

    def changed(self, repo, *scopes):
        repo.start_ledger()
        story = Story()
        for number, scope in enumerate(scopes):
            after = {"id": "INT-1", "name": "Work", "status": "IN_PROGRESS", "scope": scope}
            story.tell("intent.changed", {"intent_id": "INT-1", "after": after}, intent="INT-1")
            story.tell(
                "mutation.observed", intent="INT-1", edits={"src/a.py": f"{number}\n", "docs/b.md": f"{number}\n"}
            )
        story.tell("mutation.observed", edits={"src/a.py": "nobody's\n"})
        story.written(repo.path)
        return ask(repo, "select path, in_scope, path_pattern from v_mutations order by position, path")

    def test_a_file_is_in_scope_where_a_pattern_owns_it_at_that_moment(self, repo):
        assert self.changed(repo, ["src/**"], ["docs/**", "!docs/b.md"]) == [
            ("docs/b.md", False, None),
            ("src/a.py", True, "src/**"),
            ("docs/b.md", False, "!docs/b.md"),
            ("src/a.py", False, None),
            ("src/a.py", None, None),
        ]

    @pytest.mark.daily(1)
    @pytest.mark.parametrize("scope", [["/absolute"], ["a/[", "src/**"]], ids=["absolute", "not closed"])
    def test_a_scope_that_cannot_be_read_says_nothing(self, repo, scope):
        assert {row[1] for row in self.changed(repo, scope)} == {None}


CODEOWNERS = """
# whose is what
*            @all
/src/        @team/src dev@example.org
docs/*       @docs  # only this folder
/src/gen.py
*.md         @writers
with\\ space  @space
!no          @negation
[Section]    @section
"""


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("other", ["@all"]),
        ("src/a/b.py", ["@team/src", "dev@example.org"]),
        ("deep/src/a.py", ["@all"]),
        ("docs/a.txt", ["@docs"]),
        ("docs/deep/a.txt", ["@all"]),
        ("src/gen.py", []),
        ("src/read.md", ["@writers"]),
        ("with space", ["@space"]),
        ("no", ["@all"]),
    ],
)
def test_the_last_pattern_that_fits_names_the_owners(path, owners):
    found = Owners(CODEOWNERS.encode()).of(path)

    assert found is not None
    assert list(found[1]) == owners


@pytest.mark.slow
def test_owners_are_those_of_the_file_that_is_committed(repo):
    repo.start_ledger()
    repo.commit("owned", {".github/CODEOWNERS": "a.py @a\n", "CODEOWNERS": "a.py @other\n", "a.py": "x\n"})
    Path(repo.path, ".github/CODEOWNERS").write_text("a.py @later\n")

    assert ask(repo, "from v_code_owners") == [("a.py", "@a", "a.py", ".github/CODEOWNERS")]
