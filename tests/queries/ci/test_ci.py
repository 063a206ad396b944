"""`linetrail ci`: what it finds in a branch, what it ends with, and what it tells the service that runs it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import find
from linetrail.queries.audit import rulebook
from linetrail.queries.audit.audit import Audit
from linetrail.queries.audit.finding import folded, found
from linetrail.queries.ci import forge
from linetrail.queries.ci.base_policy import governing
from linetrail.queries.ci.steps import FOUND, OK, Failure, Outcome
from linetrail.queries.ci.summary import COMMENT_BYTES, MARKER, comment, summary
from tests.story import Story

# what the shop owns an intent for, and what its main branch was written to without one
MAP = ".orchestration/intent_map.md"
INSIDE, OUTSIDE = "src/token.py", "billing/tax.py"


@pytest.fixture(autouse=True)
def _no_service(monkeypatch):
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_BASE_REF", "GITHUB_EVENT_PATH", "GITLAB_CI", "CI"):
        monkeypatch.delenv(name, raising=False)


class TestStatus:
    @pytest.mark.slow
    def test_a_branch_that_stays_in_scope_is_fine(self, session, ci):
        session(INSIDE)

        answer = ci()

        assert answer.status == OK, answer.out
        assert answer.out.startswith("PASSED\n")
        assert "fix:" not in answer.out

    @pytest.mark.slow
    def test_only_what_the_branch_brought_is_audited(self, session, ci):
        session(INSIDE)

        assert OUTSIDE not in ci("--fail-on", "high").out

    @pytest.mark.in_turn
    @pytest.mark.slow
    def test_without_anything_to_compare_with_everything_is_audited(self, shop, cli):
        shop.git("branch", "--quiet", "--delete", "--force", "main")

        assert cli("ci").status == FOUND

    @pytest.mark.slow
    def test_a_branch_that_leaves_its_scope_fails_with_one_fix(self, session, ci):
        session(INSIDE, "deploy/run.sh")

        answer = ci()

        assert answer.status == FOUND
        assert answer.out.startswith("FAILED       audit: ")
        assert answer.out.count("\nfix: ") == 1
        assert "LT001" in answer.out

    @pytest.mark.slow
    def test_advice_never_fails_and_says_what_it_would_have_been(self, session, ci):
        session("deploy/run.sh")

        answer = ci("--advisory")

        assert answer.status == OK
        assert "would have ended with status 1" in answer.err

    @pytest.mark.in_turn
    @pytest.mark.slow
    def test_what_a_merged_base_brought_is_not_the_branch_s(self, session, shop, ci, cli, agent):
        session(INSIDE)
        shop.git("switch", "--quiet", "main")
        cli("select", "INT-001")
        agent("main-2").write("other/place.py", "Y = 1\n")
        cli("seal")
        shop.commit("meanwhile")
        shop.git("switch", "--quiet", "topic")
        shop.git("merge", "--quiet", "--no-edit", "main")

        assert ci().status == OK

    @pytest.mark.in_turn
    @pytest.mark.slow
    def test_the_merge_that_a_forge_tests_is_the_branch_s(self, session, shop, cli):
        session("deploy/run.sh")
        shop.git("switch", "--quiet", "--detach", "main")
        shop.git("merge", "--quiet", "--no-ff", "--no-edit", "topic")

        answer = cli("ci", "--base", "main")

        assert answer.status == FOUND
        assert "deploy/run.sh" in answer.out

    @pytest.mark.slow
    def test_a_map_that_is_out_of_date_is_drift(self, session, shop, ci, cli):
        cli("rebuild")
        before = (shop.path / MAP).read_text()
        session(INSIDE)
        shop.commit("with the map of before", {MAP: before})

        answer = ci()

        assert answer.status == FOUND
        assert "fix: linetrail rebuild --only intent_map && git add .orchestration/intent_map.md" in answer.out

    @pytest.mark.in_turn
    @pytest.mark.slow
    def test_a_map_that_is_not_committed_is_no_drift(self, session, shop, ci, cli):
        cli("rebuild")
        before = (shop.path / MAP).read_text()
        shop.git("add", "--force", MAP)
        session(INSIDE)
        shop.commit("with the map of before", {MAP: before})
        cli("rebuild")

        answer = ci()

        assert answer.status == 2
        assert "fix: git add .orchestration/intent_map.md && git commit" in answer.out

    @pytest.mark.slow
    def test_a_segment_that_is_gone_is_damage(self, session, shop, ci):
        session(INSIDE)
        for segment in shop.path.glob(".orchestration/segments/*.jsonl"):
            segment.unlink()

        answer = ci("--sarif", "found.sarif")

        assert answer.status == 3
        assert answer.out.count("\nfix: ") == 1
        assert "all 0 events" not in answer.out
        assert json.loads((shop.path / "found.sarif").read_text())["runs"][0]["results"][0]["ruleId"] == "LT016"
        assert ci("--advisory").status == OK

    @pytest.mark.slow
    def test_what_is_in_the_baseline_fails_nothing(self, session, ci, cli):
        session("deploy/run.sh")
        cli("audit", "--write-baseline", "--baseline", "known.json")

        assert ci("--baseline", "known.json").status == OK


class TestPolicy:
    EXCUSE = "exceptions: [{rules: LT001, paths: 'deploy/**', reason: because, owner: me}]\n"

    @pytest.mark.slow
    def test_a_branch_does_not_excuse_itself(self, session, shop, ci):
        shop.write(".orchestration/policy.yaml", self.EXCUSE)
        session("deploy/run.sh")

        answer = ci("--comment", "comment.md")

        assert answer.status == FOUND
        assert "this branch adds .orchestration/policy.yaml: what main has holds until it is merged" in answer.out
        assert "what main has holds" in (shop.path / "comment.md").read_text()

    @pytest.mark.slow
    def test_the_policy_of_the_base_counts_also_when_a_branch_removes_it(self, session, shop, ci):
        shop.git("switch", "--quiet", "main")
        shop.commit("a policy", {".orchestration/policy.yaml": self.EXCUSE})
        shop.git("switch", "--quiet", "topic")
        shop.git("merge", "--quiet", "main")
        (shop.path / ".orchestration" / "policy.yaml").unlink()
        session("deploy/run.sh")

        answer = ci()

        assert answer.status == OK
        assert "this branch removes .orchestration/policy.yaml" in answer.out

    @pytest.mark.slow
    def test_a_baseline_that_a_branch_brings_along_excuses_nothing(self, session, shop, ci, cli):
        session("deploy/run.sh")
        cli("audit", "--write-baseline")
        shop.commit("all is known")

        assert ci("--baseline", ".orchestration/audit_baseline.json").status == FOUND

    @pytest.mark.slow
    @pytest.mark.parametrize("option", ["--policy", "--baseline"])
    def test_a_file_that_is_named_must_be_there(self, session, ci, option):
        session(INSIDE)

        assert ci(option, "nowhere.yaml").status == 2

    @pytest.mark.parametrize(("policy", "known"), [(".", None), (None, ".")], ids=["policy", "baseline"])
    def test_a_file_that_is_named_must_be_one(self, repo, policy, known):
        with pytest.raises(UsageError, match=r"^cannot read \.:"):
            governing(find(str(repo.path)), None, policy, known)


@pytest.mark.in_turn
class TestPreconditions:
    def test_no_ledger(self, cli):
        assert cli("ci").status == 2

    @pytest.mark.slow
    def test_a_base_that_is_not_here(self, session, cli):
        session(INSIDE)

        assert cli("ci", "--base", "nowhere").status == 2

    @pytest.mark.slow
    @pytest.mark.parametrize(("service", "hint"), [("GITHUB_ACTIONS", "fetch-depth: 0"), ("GITLAB_CI", "GIT_DEPTH")])
    def test_a_shallow_clone_says_what_to_write_where(self, session, shop, tmp_path, cli, monkeypatch, service, hint):
        session(INSIDE)
        clone = tmp_path / "clone"
        subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{shop.path}", clone], check=True)
        monkeypatch.setenv(service, "true")

        answer = cli("ci", cwd=clone)

        assert answer.status == 2
        assert hint in answer.err
        assert "\nfix: " in answer.err
        assert cli("ci", "--advisory", cwd=clone).status == OK

    @pytest.mark.usefixtures("repo")
    @pytest.mark.parametrize(("options", "status"), [([], 2), (["--advisory"], OK)])
    def test_what_cannot_run_is_told_in_the_document_too(self, cli, options, status):
        answer = cli("ci", "--json", *options)

        assert answer.status == status
        assert [(row["step"], row["status"], row["fix"]) for row in answer.rows] == [
            ("precondition", 2, "linetrail init")
        ]

    @pytest.mark.slow
    def test_a_fresh_clone_finds_the_same(self, session, shop, tmp_path, cli):
        session("deploy/run.sh")
        clone = tmp_path / "clone"
        subprocess.run(["git", "clone", "-q", f"file://{shop.path}", clone], check=True)

        here, there = (
            cli("ci", "--base", base, "--json", cwd=cwd) for base, cwd in (("main", None), ("origin/main", clone))
        )

        assert here.rows == there.rows
        assert here.rows[0]["step"] == "audit"


@pytest.mark.in_turn
class TestGitHub:
    @pytest.fixture
    def github(self, monkeypatch, tmp_path):
        page = tmp_path / "page.md"
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        monkeypatch.setenv("GITHUB_BASE_REF", "main")
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
        return page

    @pytest.mark.slow
    def test_the_page_of_the_job_and_annotations_are_written(self, github, session, cli):
        session("deploy/run.sh")

        answer = cli("ci")

        assert "::error file=deploy/run.sh,line=1,title=LT001 out of scope write::" in answer.out
        assert github.read_text().startswith("### Agent changes in this range   1 session · 1 intent · ledger verified")

    @pytest.mark.slow
    @pytest.mark.usefixtures("github")
    def test_what_is_printed_between_can_be_no_command(self, session, cli):
        session("deploy/run.sh")

        lines = cli("ci").out.splitlines()

        token = lines[0].removeprefix("::stop-commands::")
        assert len(token) == 32
        assert f"::{token}::" in lines
        assert not any(line.lstrip().startswith("::") for line in lines[1 : lines.index(f"::{token}::")])

    def test_a_path_ends_no_annotation(self):
        row = dict.fromkeys(rulebook.COLUMNS) | {
            "allowed": "x",
            "path": "a\n::add-mask::b,line=1::x\r%0A",
            "anchor": "x",
        }

        [line] = forge.annotations([found(rulebook.rules()["LT001"], row)])

        assert "\n" not in line
        assert "\r" not in line
        command, said = line.removeprefix("::").split("::", 1)
        assert command.startswith("error file=a%0A%3A%3Aadd-mask%3A%3Ab%2Cline=1%3A%3Ax%0D%250A,line=1,title=")
        assert said.isprintable()

    @pytest.mark.slow
    @pytest.mark.usefixtures("github")
    def test_json_is_all_there_is_on_stdout(self, session, cli):
        session("deploy/run.sh")

        assert json.loads(cli("ci", "--json").out)["meta"]["status"] == FOUND

    @pytest.mark.parametrize("before", ["0" * 40, "main; rm -rf /", "--all", 7, None])
    def test_a_push_from_nowhere_is_no_base(self, tmp_path, before):
        event = tmp_path / "event.json"
        event.write_text(json.dumps({"before": before}))

        assert forge.pushed_from({"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(event)}) is None

    @pytest.mark.slow
    @pytest.mark.usefixtures("github")
    def test_a_push_is_compared_with_what_was_there(self, session, shop, cli, monkeypatch, tmp_path):
        session("deploy/run.sh")
        event = tmp_path / "event.json"
        event.write_text(json.dumps({"before": shop.git("rev-parse", "main")}))
        monkeypatch.delenv("GITHUB_BASE_REF")
        monkeypatch.setenv("GITHUB_EVENT_NAME", "push")
        monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))

        answer = cli("ci")

        assert "deploy/run.sh" in answer.out
        assert OUTSIDE not in answer.out


@pytest.mark.in_turn
class TestPages:
    @pytest.fixture
    def outcome(self, session, ci):
        """Return what a run found, with a story in it that has something of everything."""
        session(INSIDE, "deploy/run.sh")
        return ci

    @pytest.mark.slow
    def test_a_comment_has_its_marker_and_its_table(self, outcome, shop):
        outcome("--comment", "comment.md", "--summary", "summary.md")

        said = (shop.path / "comment.md").read_text()
        assert said.startswith(f"{MARKER}\n### Agent changes in this range")
        assert "| intent | scope | files | +/- | class | approved | findings |" in said
        assert "| `INT-001` Rotate tokens | 1/2 in scope | 2 | +2/-0 |" in said
        assert "**HIGH LT001** deploy/run.sh is outside the scope of INT-001" in said
        assert (shop.path / "summary.md").read_text().startswith("### Agent changes")

    @pytest.mark.slow
    def test_every_file_is_written(self, outcome, shop):
        outcome("--sarif", "a.sarif", "--junit", "a.xml", "--codequality", "quality.json")

        assert json.loads((shop.path / "a.sarif").read_text())["version"] == "2.1.0"
        assert "<testsuites" in (shop.path / "a.xml").read_text()
        [issue] = [one for one in json.loads((shop.path / "quality.json").read_text()) if one["severity"] == "critical"]
        assert issue["location"] == {"path": "deploy/run.sh", "lines": {"begin": 1}}

    @pytest.mark.slow
    def test_a_page_is_never_longer_than_a_forge_takes(self):
        row = dict.fromkeys(rulebook.COLUMNS) | {"allowed": "\N{SNOWMAN}" * 5000}
        many = [found(rulebook.rules()["LT001"], row | {"anchor": str(at), "path": "é" * 4000}) for at in range(500)]
        failures = [Failure("checks", "\N{SNOWMAN}" * 900, "fix", FOUND) for _ in range(900)]
        audit = Audit(folded(many), list(rulebook.rules().values()), 0, 0, 0, {}, "9c1e")
        report = Story  # never looked at: there are no figures
        outcome = Outcome(report, (), (), audit, None, None, failures)

        assert len(comment(outcome).encode()) <= COMMENT_BYTES
        assert "left out" in comment(outcome)
        assert len(summary(outcome).encode()) <= 1024 * 1024


@pytest.mark.in_turn
@pytest.mark.slow
def test_git_must_be_there(shop, cli, monkeypatch):
    empty = shop.path / ".git" / "empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))

    assert shutil.which("git") is None
    assert cli("ci").status == 2
    assert Path(shop.path).is_dir()


@pytest.mark.slow
def test_a_commit_of_an_agent_whose_hooks_were_off_is_found(shop, ci):
    shop.commit("quick fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>", {"src/token.py": "X = 9\n"})
    shop.commit("by hand", {"src/other.py": "Y = 9\n"})

    answer = ci("--fail-on", "any")

    assert answer.status == FOUND
    assert "LT021" in answer.out
    assert "src/token.py was committed in" in answer.out
    assert "src/other.py" not in answer.out
