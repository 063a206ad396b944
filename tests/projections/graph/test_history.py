"""The tables of definitions: the same whether they grew with history or were made at once, here or in a clone."""

import random
import shutil

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.graph.commits import Commits
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.ask.ask import ask
from tests.story import Story

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

TABLES = ("nodes", "node_versions", "node_edges")
NAMES = ["parse", "render", "collect", "measure", "publish", "compare"]


def body(name, salt):
    return (
        f"def {name}(given):\n    found = [{salt}]\n    for one in given:\n"
        f"        found.append(one.{name}_of({salt}))\n    report_{salt % 7}(found)\n    return found\n"
    )


class Tale:
    """A repository in which things happen at random, and a ledger that saw some of them."""

    def __init__(self, repo, seed):
        self.repo, self.random, self.story = repo, random.Random(seed), Story()
        self.files = {"a.py": body("parse", 1), "b.py": body("render", 2)}
        repo.start_ledger()
        (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")
        self.commit()

    def commit(self):
        for path in set(self.repo.git("ls-files").split()) - self.files.keys():
            (self.repo.path / path).unlink()
        return self.repo.commit("step", self.files)

    def step(self):
        deeds = [self.add, self.edit, self.rename, self.move, self.delete, self.rename_file, self.branch, self.merge]
        self.random.choice(deeds)()
        self.files = {path: text for path, text in self.files.items() if text}
        if self.random.random() < 0.5:
            revision = self.repo.git("rev-parse", "HEAD")
            before = {path: self.repo.git("show", f"HEAD:{path}") + "\n" for path in self.repo.git("ls-files").split()}
            for path, text in before.items():
                self.story.hold(path, text)
            changed = {path: text for path, text in self.files.items() if before.get(path) != text}
            changed |= dict.fromkeys(before.keys() - self.files.keys())
            if changed:
                self.story.tell(
                    "mutation.observed", session=f"s{self.random.randint(1, 3)}", revision=revision, edits=changed
                )
                self.story.written(self.repo.path)
        self.commit()

    def add(self):
        path = self.random.choice(["a.py", "b.py", "c.py"])
        self.files[path] = (
            self.files.get(path, "") + "\n\n" + body(self.random.choice(NAMES), self.random.randint(1, 99))
        )

    def edit(self):
        path = self.random.choice(list(self.files))
        self.files[path] = self.files[path].replace(
            "return found", f"check({self.random.randint(1, 99)})\n    return found", 1
        )

    def rename(self):
        old, new = self.random.sample(NAMES, 2)
        self.files = {path: text.replace(old, new) for path, text in self.files.items()}

    def move(self):
        path, other = self.random.choice(list(self.files)), self.random.choice(["a.py", "b.py", "d.py"])
        first, _, rest = self.files[path].partition("\n\n\n")
        if path != other:
            self.files[path] = rest
            self.files[other] = (self.files.get(other, "") + "\n\n\n" + first.strip() + "\n").lstrip()

    def delete(self):
        path = self.random.choice(list(self.files))
        self.files[path] = self.files[path].partition("\n\n\n")[2]
        if not any(self.files.values()):
            self.files["a.py"] = body("parse", 3)

    def rename_file(self):
        path = self.random.choice(list(self.files))
        self.files[f"{path[0]}{self.random.randint(1, 9)}.py"] = self.files.pop(path)

    def branch(self):
        self.repo.git("branch", "--force", "side")

    def merge(self):
        if "side" in self.repo.git("branch", "--list", "side"):
            self.repo.git("merge", "--quiet", "--no-edit", "-s", "ours", "side")


def answers(path):
    with open_tables(find(str(path))) as tables:
        return {name: tables.ask(f"from {name}").rows for name in TABLES}


def forget(repo):
    shutil.rmtree(repo.path / ".orchestration" / "cache")


@pytest.mark.parametrize("seed", range(3))
def test_what_grew_with_history_is_what_is_made_at_once(repo, tmp_path, seed):
    tale = Tale(repo, seed)
    for _ in range(5):
        for _ in range(4):
            tale.step()
        grown = answers(repo.path)

    forget(repo)
    for name, rows in answers(repo.path).items():
        assert sorted(set(rows) ^ set(grown[name]), key=repr) == []
    assert len(grown["node_versions"]) > len(grown["nodes"]) > 0

    repo.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    shutil.copytree(repo.path / ".orchestration", tmp_path / "clone" / ".orchestration", dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "clone" / ".orchestration" / "cache")
    assert answers(tmp_path / "clone") == grown


def worked_out(monkeypatch):
    """Count the commits that are worked out from now on."""
    revisions = []
    record = Commits.record

    def counted(self, commit, *rest):
        revisions.append(commit.revision)
        return record(self, commit, *rest)

    monkeypatch.setattr(Commits, "record", counted)
    return revisions


def test_one_more_commit_is_all_that_is_worked_out(repo, monkeypatch):
    tale = Tale(repo, 1)
    for _ in range(6):
        tale.step()
    answers(repo.path)
    counted = worked_out(monkeypatch)

    last = repo.commit("more", {"z.py": body("parse", 5)})
    answers(repo.path)

    assert counted == [last]


def test_what_the_ledger_learns_of_a_file_is_all_that_is_worked_out_again(repo, monkeypatch):
    repo.start_ledger()
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")
    first = repo.commit("a", {"a.py": body("parse", 1)})
    second = repo.commit("b", {"b.py": body("render", 1)})
    assert {row[-1] for row in answers(repo.path)["node_versions"]} == {None}
    counted = worked_out(monkeypatch)

    story = Story()
    story.tell("mutation.observed", revision=first, edits={"b.py": body("render", 1)})
    story.written(repo.path)

    assert {row[-1] for row in answers(repo.path)["node_versions"]} == {None, 1.0}
    assert counted == [second]


def test_what_the_ledger_knew_once_is_told_and_not_kept(repo):
    repo.start_ledger()
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")
    revision = repo.commit("a", {"a.py": body("parse", 1)})
    story = Story()
    story.tell("prompt.submitted", {"excerpt": "please", "length": 6})
    story.tell("mutation.observed", revision=revision, edits={"a.py": body("parse", 1)})
    story.written(repo.path)
    now = ask(str(repo.path), "node_history", node="parse").rows
    [file] = (repo.path / ".orchestration" / "cache" / "nodes").glob("commits-*.jsonl")
    kept = file.read_bytes()

    once = ask(str(repo.path), "node_history", node="parse", as_of="2026-01-05T09:01:30Z").rows

    assert [row[8:10] for row in (*now, *once)] == [("claude-code", "s1"), (None, None)]
    assert file.read_bytes() == kept


def test_damage_to_what_is_kept_costs_time_and_nothing_else(repo):
    tale = Tale(repo, 2)
    for _ in range(4):
        tale.step()
    before = answers(repo.path)
    [file] = (repo.path / ".orchestration" / "cache" / "nodes").glob("commits-*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    shutil.rmtree(repo.path / ".orchestration" / "cache" / "computed")

    file.write_bytes(lines[0][:40] + b"\n[]\n\xff\n" + b"".join(lines[2:]))

    assert answers(repo.path) == before


def test_a_shallow_clone_finds_what_was_there_before(repo, tmp_path):
    repo.start_ledger()
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")
    for salt in range(3):
        repo.commit("step", {"a.py": body("parse", salt)})
    clone = tmp_path / "clone"
    repo.git("clone", "--quiet", "--depth", "2", repo.path.as_uri(), str(clone))
    (clone / ".orchestration").mkdir()

    with open_tables(find(str(clone))) as tables:
        assert tables.ask("select change from v_node_versions order by place").rows == [("found",), ("edited",)]

    repo.git("-C", str(clone), "fetch", "--quiet", "--unshallow")
    with open_tables(find(str(clone))) as tables:
        assert tables.ask("select distinct change from v_node_versions where place = 1").rows == [("created",)]


def test_a_version_whose_next_has_an_earlier_clock_ends_as_it_begins(repo):
    repo.start_ledger()
    repo.commit("start", {"a.py": body("parse", 1)})
    repo.now -= 3600
    repo.commit("edit", {"a.py": body("parse", 2)})

    with open_tables(find(str(repo.path))) as tables:
        rows = tables.ask("select valid_to = valid_from from v_node_versions order by place").rows

    assert rows == [(True,), (None,)]


def test_a_deleted_definition_ends_where_it_went(repo):
    repo.start_ledger()
    repo.commit("start", {"a.py": f"{body('parse', 1)}\n\n{body('render', 2)}"})
    gone = repo.commit("delete", {"a.py": body("parse", 1)})

    with open_tables(find(str(repo.path))) as tables:
        rows = tables.ask(
            "select change, vcs_revision = $gone, start_line, node_hash is null, valid_to is null from v_node_versions "
            "where qualified_name = 'render' order by place",
            {"gone": gone},
        ).rows
        names = tables.ask("select qualified_name from v_nodes").rows

    assert rows == [("created", False, 9, False, False), ("deleted", True, None, True, True)]
    assert names == [("parse",)]


def test_who_took_a_definition_away_is_told_where_it_was_seen(repo, agent):
    both = f"{body('parse', 1)}\n\n{body('render', 2)}"
    repo.commit("start", {"a.py": both, "b.py": body("collect", 3)})
    agent("s2").write("a.py", both.replace("found = [1]", "found = [9]"))
    agent("s3").write("a.py", body("parse", 9))
    agent("s4").bash("rm b.py")
    repo.commit("delete")

    with open_tables(find(str(repo.path))) as tables:
        rows = tables.ask(
            "select qualified_name, session_id, match_method from v_node_versions where change = 'deleted' order by all"
        ).rows

    assert rows == [("collect", "s4", "content"), ("render", "s3", "content")]


def test_nothing_is_known_without_git_or_a_commit(repo, tmp_path):
    repo.start_ledger()
    repo.write("a.py", body("parse", 1))
    (tmp_path / "plain" / ".orchestration").mkdir(parents=True)

    assert answers(repo.path) == answers(tmp_path / "plain") == {name: [] for name in TABLES}


def test_what_defines_too_much_to_be_followed_is_listed_without_an_id(repo, monkeypatch):
    monkeypatch.setattr("linetrail.projections.graph.commits.MANY", 2)
    repo.start_ledger()
    repo.commit("start", {"a.json": '{"a": 1, "b": 2, "c": 3}\n', "b.py": body("parse", 1)})

    with open_tables(find(str(repo.path))) as tables:
        rows = tables.ask("select path, node_id is null from v_nodes order by path, qualified_name").rows
        assert tables.ask("select distinct path from v_node_versions").rows == [("b.py",)]

    assert rows == [("a.json", True)] * 3 + [("b.py", False)]
