"""`linetrail lineage`: the versions of one definition, each with who made it, as the machine and a fresh clone tell."""

import shutil

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import open_tables

pytestmark = pytest.mark.slow

TOTAL = """\
def total(prices):
    amount = 0
    for price in prices:
        amount += price.value
    log(amount)
    return amount
"""
REPORT = """\
def report(rows):
    lines = [row.text for row in rows]
    print(len(lines))
    return lines
"""
NODE = "select node_id from v_nodes where path = $path and qualified_name = $name"
VERSIONS = "select * from v_node_versions where node_id = $node order by place"
# What a row of `lineage` and one of the table have in common.
SAME = dict.fromkeys(
    ("path", "kind", "start_line", "raw_hash", "former", "session_id", "intent_id", "vcs_revision")
) | {
    "tokens_hash": "node_hash",
    "event_id": "mutation_id",
}
SAME = {name: mine or name for name, mine in SAME.items()}


@pytest.fixture
def told(repo, cli):
    """Return a function that tells the versions of a definition, as this machine and as a fresh clone knows them."""
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")

    def tell(symbol, *options):
        def ask():
            answer = cli("lineage", symbol, "--json", *options)
            assert answer.status == 0, answer.err
            return answer.rows

        here = ask()
        for name in ("objects", "state", "cache"):
            shutil.rmtree(repo.path / ".orchestration" / name, ignore_errors=True)
        assert ask() == here, "a fresh clone"
        assert_tables_agree(repo, cli, symbol)
        assert len({row["node_id"] for row in here}) == 1
        return [
            (", ".join(row["change"]), row["session_id"] or row["author"] or row["contributor_type"], row["former"])
            for row in here
        ]

    return tell


def assert_tables_agree(repo, cli, symbol):
    """Compare what is told of one definition with what the tables have of it, as far as it is committed."""
    answer = cli("lineage", symbol, "--json", "--rev", "HEAD")
    if answer.status:
        return
    rows = answer.rows[::-1]
    with open_tables(find(str(repo.path))) as tables:
        [(node_id,)] = tables.ask(NODE, {"path": rows[-1]["path"], "name": rows[-1]["qualified_name"]}).rows
        versions = list(tables.ask(VERSIONS, {"node": node_id}).mappings())
    assert node_id == rows[0]["node_id"]
    assert [version["change"].split(", ") for version in versions] == [
        list(dict.fromkeys(row["change"])) for row in rows
    ]
    for version, row in zip(versions, rows, strict=True):
        assert {name: version[mine] for name, mine in SAME.items()} == {name: row[name] for name in SAME}


def text(repo, path):
    return (repo.path / path).read_text(encoding="utf-8")


def test_each_recorded_change_and_each_commit_is_a_version(repo, agent, told):
    repo.commit("start", {"a.py": TOTAL})
    agent("s1").edit("a.py", "amount = 0", "amount = decimal.Decimal()")
    repo.commit("agent")
    repo.commit("by hand", {"a.py": text(repo, "a.py").replace("log(amount)", "audit(amount)")})
    agent("s2").edit("a.py", "audit(amount)", "audit(amount, prices)")

    assert told("total") == [
        ("edited", "s2", "a.py:total"),
        ("edited", "Author", "a.py:total"),
        ("edited", "s1", "a.py:total"),
        ("created", "Author", None),
    ]


def test_what_others_did_to_the_file_is_no_version(repo, agent, told):
    repo.commit("start", {"a.py": TOTAL})
    claude = agent()
    claude.write("a.py", f"import sys\n\n\n{TOTAL}\n\n{REPORT}")
    repo.commit("agent")
    claude.edit("a.py", "print(len(lines))", "print(lines)")

    assert told("total") == [("created", "Author", None)]
    assert told("report") == [("edited", "session-1", "a.py:report"), ("created", "session-1", None)]


def test_a_rename_is_told_with_who_made_it_though_others_edited_before_the_commit(repo, agent, told):
    repo.commit("start", {"a.py": TOTAL})
    agent("s1").edit("a.py", "log(amount)", "audit(amount)")
    agent("s2").edit("a.py", "def total(", "def amount_due(")
    agent("s3").edit("a.py", "    return amount", "    check(amount)\n    return amount")
    repo.commit("all three")

    assert told("amount_due") == [
        ("edited", "s3", "a.py:amount_due"),
        ("renamed", "s2", "a.py:total"),
        ("edited", "s1", "a.py:total"),
        ("created", "Author", None),
    ]


def test_versions_whose_text_nobody_has_are_told_by_their_lines(repo, agent, told):
    agent("s1").write("a.py", TOTAL)
    agent("s2").edit("a.py", "log(amount)", "trace(amount)")
    agent("s3").edit("a.py", "trace(amount)", "audit(amount)")
    repo.commit("all three")

    assert told("total") == [
        ("edited", "s3", None),
        ("edited", "s2", None),
        ("created", "s1", None),
    ]


def test_a_definition_is_followed_into_another_file_before_anything_is_committed(repo, agent, told):
    repo.commit("start", {"b.py": REPORT})
    claude = agent("s1")
    claude.write("a.py", f"{TOTAL}\n\n{REPORT.replace('report', 'other')}")
    mover = agent("s2")
    mover.edit("a.py", f"{TOTAL}\n\n", "")
    mover.write("b.py", f"{REPORT}\n\n{TOTAL}")

    assert told("total") == [("moved", "s2", "a.py:total"), ("created", "s1", None)]


def test_a_definition_is_followed_through_the_commit_that_moved_it(repo, agent, told):
    repo.commit("start", {"a.py": f"{TOTAL}\n\n{REPORT}", "b.py": "import sys\n"})
    agent("s1").edit("a.py", "log(amount)", "audit(amount)")
    changed = TOTAL.replace("log", "audit")
    mover = agent("s2")
    mover.write("b.py", f"import sys\n\n\n{changed}")
    mover.edit("a.py", f"{changed}\n\n", "")
    repo.commit("move")

    assert told("b.py:total") == [
        ("moved", "s2", "a.py:total"),
        ("edited", "s1", "a.py:total"),
        ("created", "Author", None),
    ]


def test_a_person_s_move_is_followed_as_well(repo, told):
    repo.start_ledger()
    repo.commit("start", {"a.py": f"{TOTAL}\n\n{REPORT}", "b.py": "import sys\n"})
    repo.commit("move", {"a.py": REPORT, "b.py": f"import sys\n\n\n{TOTAL.replace('log', 'audit')}"})

    assert told("total") == [("moved, edited", "Author", "a.py:total"), ("created", "Author", None)]


def test_a_file_that_git_renamed_is_the_same_file(repo, agent, told):
    repo.commit("start", {"a.py": f"{TOTAL}\n\n{REPORT}"})
    agent("s1").bash("git mv a.py b.py")
    repo.commit("rename")

    assert told("total") == [("carried", "s1", "a.py:total"), ("created", "Author", None)]


def test_a_class_takes_its_methods_along(repo, agent, told):
    method = "    def add(self, entry):\n        self.entries.append(entry)\n        return len(self.entries)\n"
    repo.commit("start", {"a.py": f"class Account:\n{method}"})
    agent("s1").edit("a.py", "class Account:", "class Ledger:")

    assert told("Ledger.add") == [("carried", "s1", "a.py:Account.add"), ("created", "Author", None)]


def test_both_sides_of_a_merge_are_told(repo, told):
    repo.start_ledger()
    repo.commit("start", {"a.py": TOTAL})
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit("side", {"a.py": TOTAL.replace("amount = 0", "amount = zero()")})
    repo.git("checkout", "--quiet", "main")
    repo.commit("main", {"a.py": TOTAL.replace("return amount", "return amount, prices")})
    repo.git("merge", "--quiet", "--no-edit", "side")

    assert [change for change, _, _ in told("total")] == ["edited", "edited", "edited", "created"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(f"@cached\n{TOTAL}", TOTAL, id="a decorator went"),
        pytest.param(f"{TOTAL}    # checked\n    audit()\n", TOTAL, id="the last lines went"),
        pytest.param(TOTAL, f"# whatever it costs\n{TOTAL}", id="a comment came"),
    ],
)
def test_what_stood_next_to_a_text_may_have_been_part_of_it(repo, told, before, after):
    repo.start_ledger()
    repo.commit("start", {"a.py": before})
    repo.commit("change", {"a.py": after})
    repo.commit("other", {"a.py": f"import sys\n\n\n{after}"})

    changes = [change for change, _, _ in told("total")]

    assert len(changes) == 2
    assert changes[1] == "created"


def test_a_branch_of_which_a_merge_took_nothing_is_not_told(repo, told):
    repo.start_ledger()
    repo.commit("start", {"a.py": TOTAL})
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit("side", {"a.py": TOTAL.replace("amount = 0", "amount = zero()")})
    repo.git("checkout", "--quiet", "main")
    repo.commit("main", {"b.py": REPORT})
    repo.git("merge", "--quiet", "--no-edit", "-s", "ours", "side")

    assert [change for change, _, _ in told("total")] == ["created"]


def test_what_was_cut_out_of_another_begins_there(repo, agent, told):
    body, start = TOTAL.removeprefix("def total(prices):\n"), "def main(prices):\n    check(prices)\n    show(prices)\n"
    repo.commit("start", {"a.py": start + body})
    agent("s1").write("a.py", f"{start}    return add_up(prices)\n\n\ndef add_up(prices):\n{body}")

    assert told("add_up") == [("split", "s1", "a.py:main")]


def test_the_id_is_that_of_the_first_state(repo, cli):
    repo.start_ledger()
    repo.commit("start", {"a.py": f"{TOTAL}\n\n{REPORT}"})
    [before] = {row["node_id"] for row in cli("lineage", "total", "--json").rows}
    repo.commit("move", {"a.py": REPORT, "b.py": TOTAL.replace("total", "amount_due")})

    assert {row["node_id"] for row in cli("lineage", "amount_due", "--json").rows} == {before}
    assert before not in {row["node_id"] for row in cli("lineage", "report", "--json").rows}


def test_line_ends_are_no_version(repo, cli):
    repo.start_ledger()
    repo.commit("start", {"a.py": TOTAL})
    repo.write("a.py", TOTAL.replace("\n", "\r\n"))

    assert [row["change"] for row in cli("lineage", "total", "--json").rows] == [["created"]]


def test_a_revision_has_its_own_versions(repo, told):
    repo.start_ledger()
    first = repo.commit("start", {"a.py": TOTAL})
    repo.commit("rename", {"a.py": TOTAL.replace("total", "amount_due")})

    assert told("total", "--rev", first) == [("created", "Author", None)]
    assert len(told("a.py:amount_due", "--rev", "HEAD")) == 2


def test_a_page_has_one_line_for_each_version(repo, agent, cli):
    repo.commit("start", {"a.py": TOTAL})
    agent("session-abc").edit("a.py", "def total(", "def amount_due(")

    heading, last, first = cli("lineage", "amount_due").out.splitlines()

    assert heading.startswith("a.py:amount_due  lines 1-6, 2 versions, node ")
    assert last.split("  ", 1)[1] == "claude-code session-  -  renamed from total  a.py:amount_due 1-6"
    assert first.split()[2] == "(Author)"
    assert first.endswith("created, 6 lines    a.py:total 1-6")


@pytest.mark.parametrize(
    ("symbol", "message", "hint"),
    [
        pytest.param(
            "nothing", "nothing in the work tree is called nothing", "git log --oneline -S nothing", id="no such name"
        ),
        pytest.param("a.py:nothing", "a.py defines no nothing", "grep -nF -e nothing a.py", id="not in this file"),
        pytest.param("a.py", "a.py is a file; say which definition of it is meant", "write a.py:NAME", id="a file"),
        pytest.param("a.py:", "'a.py:' names no definition", "", id="no name"),
        pytest.param("none.py:total", "no file none.py", "", id="no such file"),
        pytest.param(
            "get", "get is not unique: a.py:A.get (line 2), a.py:B.get (line 7)", "a.py:A.get", id="two of them"
        ),
    ],
)
def test_a_name_that_is_not_one_definition_s_is_refused(repo, cli, symbol, message, hint):
    repo.start_ledger()
    repo.commit(
        files={"a.py": "class A:\n    def get(self):\n        pass\n\n\nclass B:\n    def get(self):\n        pass\n"}
    )

    answer = cli("lineage", symbol)

    assert answer.status == 2
    assert message in answer.err
    assert hint in answer.err


def test_a_whole_name_goes_before_the_end_of_one(repo, cli):
    repo.start_ledger()
    repo.commit(files={"a.py": "def get():\n    pass\n\n\nclass B:\n    def get(self):\n        pass\n"})

    assert [row["qualified_name"] for row in cli("lineage", "get", "--json").rows] == ["get"]
    assert [row["qualified_name"] for row in cli("lineage", "B.get", "--json").rows] == ["B.get"]


def test_a_shallow_clone_does_not_say_that_a_definition_began_where_it_ends(repo, tmp_path, cli):
    repo.start_ledger()
    repo.commit("start", {"a.py": TOTAL, ".orchestration/.gitignore": ""})
    repo.commit("edit", {"a.py": TOTAL.replace("log", "audit")})
    repo.commit("other", {"b.py": REPORT})
    repo.git("clone", "--quiet", "--depth", "2", repo.path.as_uri(), str(tmp_path / "clone"))

    assert [row["change"] for row in cli("-C", str(tmp_path / "clone"), "lineage", "total", "--json").rows] == [
        ["found"]
    ]


def test_without_git_and_before_the_first_commit_the_work_tree_is_all_there_is(tmp_path, repo, cli):
    (tmp_path / "plain" / ".orchestration").mkdir(parents=True)
    (tmp_path / "plain" / "a.py").write_text(TOTAL, encoding="utf-8")
    repo.start_ledger()
    repo.write("a.py", TOTAL)

    for folder, symbol in ((tmp_path / "plain", "a.py:total"), (repo.path, "total")):
        [row] = cli("-C", str(folder), "lineage", symbol, "--json").rows
        assert (row["change"], row["contributor_type"], row["attributed_by"]) == (["created"], "unknown", "none")
    assert "next: write PATH:total" in cli("-C", str(tmp_path / "plain"), "lineage", "total").err


def test_a_node_is_named_by_the_beginning_of_its_id(repo, agent, cli):
    repo.commit("start", {"src/a.py": "def total(rows):\n    return sum(rows)\n"})
    agent().edit("src/a.py", "sum(rows)", "round(sum(rows))")
    repo.commit("round")
    [node_id] = {row["node_id"] for row in cli("lineage", "total", "--json").rows}

    by_id = cli("lineage", node_id[:12], "--json", cwd=repo.path / "src")

    assert by_id.rows == cli("lineage", "total", "--json").rows
    assert cli("show", node_id[:12], "--json").rows[0]["kind"] == "function"


def test_a_node_is_found_by_the_hash_of_each_of_its_versions(repo, agent, cli):
    repo.commit("start", {"src/a.py": "def total(rows):\n    return sum(rows)\n"})
    agent().edit("src/a.py", "sum(rows)", "round(sum(rows))")
    repo.commit("round")
    versions = cli("sql", "select node_id, node_hash from v_node_versions", "--json").rows

    found = [cli("show", version["node_hash"], "--json").rows[0] for version in versions]

    assert len({version["node_hash"] for version in versions}) == 2
    assert [(one["kind"], one["node_id"]) for one in found] == [("function", one["node_id"]) for one in versions]
