"""action.yml, .pre-commit-hooks.yaml and the snippets of docs/ci.md: read, and run as far as that needs no server."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from linetrail.queries.command_line import COMMANDS
from tests.conftest import command

ROOT = Path(__file__).resolve().parents[3]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
SNIPPETS = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "docs" / "ci.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
BIN = Path(command("linetrail")).parent


@pytest.fixture
def runner(tmp_path):
    """Return a function that runs a step of the action as a runner of GitHub does, and what it wrote beside its log."""
    written = {name: tmp_path / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
    (tmp_path / "temp").mkdir()

    def run(name, folder, path=f"{BIN}{os.pathsep}{os.environ['PATH']}", **inputs):
        step = STEPS[name]
        given = {key: str(value["default"]) for key, value in ACTION["inputs"].items()} | inputs
        names = {key: re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)[1] for key, value in step["env"].items()}
        environment = {**os.environ, **{key: given[name] for key, name in names.items()}, "PATH": path}
        environment |= {name: str(file) for name, file in written.items()}
        environment |= {"GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main", "RUNNER_TEMP": str(tmp_path / "temp")}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done, {name: file.read_text() if file.exists() else "" for name, file in written.items()}

    return run


@pytest.mark.in_turn
class TestAction:
    def test_no_input_becomes_part_of_a_script(self):
        scripts = [step for step in STEPS.values() if "run" in step]
        assert [step["name"] for step in scripts] == ["Install linetrail", "Check"]
        assert not any("${{" in step["run"] for step in scripts)
        assert all(step["shell"] == "bash" for step in scripts)

    def test_outputs_are_those_of_a_step(self):
        for output in ACTION["outputs"].values():
            name = re.fullmatch(r"\$\{\{ steps\.check\.outputs\.(\w+) \}\}", output["value"])[1]
            assert f"{name}=" in STEPS["Check"]["run"]

    def test_what_is_installed_is_used(self, runner, tmp_path):
        done, _ = runner("Install linetrail", tmp_path)

        assert done.returncode == 0
        assert not (tmp_path / "temp" / "linetrail").exists()

    @pytest.mark.slow
    @pytest.mark.parametrize(("advisory", "status"), [("false", 1), ("true", 0)])
    def test_a_branch_that_leaves_its_scope(self, shop, session, runner, advisory, status):
        session("deploy/run.sh")

        done, written = runner("Check", shop.path, advisory=advisory, out="linetrail out")

        assert done.returncode == status, done.stderr
        assert written["GITHUB_OUTPUT"].splitlines() == [
            f"status={status}",
            "sarif=linetrail out/linetrail.sarif",
            "comment=linetrail out/comment.md",
        ]
        assert "deploy/run.sh" in written["GITHUB_STEP_SUMMARY"]
        assert "::error file=deploy/run.sh," in done.stdout
        assert {file.name for file in (shop.path / "linetrail out").iterdir()} == {
            "linetrail.sarif",
            "linetrail.xml",
            "summary.md",
            "comment.md",
        }

    @pytest.mark.slow
    def test_a_report_is_written_and_kept_where_it_is_asked_for(self, shop, session, runner):
        session("deploy/run.sh")

        done, _ = runner("Check", shop.path, advisory="true", report="true", out="out")

        assert done.returncode == 0, done.stderr
        assert "deploy/run.sh" in (shop.path / "out" / "report.html").read_text()
        kept = STEPS["Keep the report"]
        assert kept["if"] == "always() && inputs.report == 'true'"
        assert kept["with"]["path"].endswith("/report.html")

    @pytest.mark.daily(0, 3)
    @pytest.mark.parametrize(
        "base", ['"; touch pwned; "', "$(touch pwned)", "--advisory", "`touch pwned`", "main; touch pwned", "-C /"]
    )
    def test_an_input_is_a_value_whatever_it_says(self, shop, session, runner, base):
        session("src/a.py")

        done, written = runner("Check", shop.path, base=base)

        assert done.returncode == 2
        assert "is no commit that is here" in done.stderr
        assert written["GITHUB_OUTPUT"] == "status=2\n"
        assert not (shop.path / "pwned").exists()

    @pytest.mark.slow
    def test_an_output_is_one_line(self, shop, session, runner):
        session("src/a.py")

        _, written = runner("Check", shop.path, out="a\nstatus=0")

        assert written["GITHUB_OUTPUT"].startswith("status=0\n")
        assert written["GITHUB_OUTPUT"].count("\n") <= 3


class TestHooks:
    @pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
    def test_a_hook_runs_a_command_that_there_is(self, hook):
        program, name, *_ = hook["entry"].split()

        assert program == "linetrail"
        assert name in COMMANDS
        assert hook["pass_filenames"] is False

    @pytest.mark.slow
    @pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
    def test_a_hook_passes_in_a_repository_that_is_in_order(self, shop, hook):
        done = entry(shop, hook)

        assert done.returncode == 0, done.stdout + done.stderr

    @pytest.mark.slow
    def test_a_segment_that_is_gone_stops_a_commit(self, shop):
        next(shop.path.glob(".orchestration/segments/*.jsonl")).unlink()

        assert entry(shop, HOOKS["linetrail-verify"]).returncode == 3

    @pytest.mark.slow
    def test_a_map_that_is_out_of_date_stops_a_commit(self, shop, agent, cli):
        cli("rebuild")
        shop.git("add", "--force", ".orchestration/intent_map.md")
        agent("later").write("src/b.py", "x = 1\n")

        done = entry(shop, HOOKS["linetrail-intent-map"])

        assert done.returncode == 1
        assert "next: linetrail rebuild --only intent_map" in done.stderr

    @pytest.mark.slow
    def test_a_staged_file_outside_stops_a_commit(self, shop):
        shop.write("lib/b.py", "x\n")
        shop.git("add", "lib/b.py")

        assert entry(shop, HOOKS["linetrail-scope"]).returncode == 1


def entry(repo, hook):
    program, *words = hook["entry"].split()
    return subprocess.run([command(program), *words], cwd=repo.path, capture_output=True, text=True, check=False)


@pytest.mark.in_turn
class TestSnippets:
    def test_every_snippet_is_yaml(self):
        assert [sorted(map(str, yaml.safe_load(text))) for text in SNIPPETS]

    def test_the_scripts_in_them_are_shell_without_a_value_of_strangers(self):
        for script in scripts():
            assert "${{" not in script
            checked = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
            assert checked.returncode == 0, checked.stderr

    @pytest.mark.slow
    def test_what_gitlab_runs_is_understood(self, shop, session):
        session("src/a.py")
        gitlab = next(yaml.safe_load(text)["linetrail"] for text in SNIPPETS if "GIT_DEPTH" in text)
        environment = os.environ | {"GITLAB_CI": "true", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
        line = gitlab["script"][-1].replace("linetrail ci", f"'{command('linetrail')}' ci", 1)

        done = subprocess.run(["bash", "-c", line], cwd=shop.path, env=environment, check=False, capture_output=True)

        assert done.returncode == 0, done.stderr
        reports = [*gitlab["artifacts"]["paths"], *gitlab["artifacts"]["reports"].values()]
        assert all((shop.path / name).stat().st_size for name in reports)

    @pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
    @pytest.mark.parametrize(
        ("pulls", "comments", "called"),
        [
            pytest.param("[]", "[]", [], id="no pull request with this commit"),
            pytest.param('[{"number": 7, "head": {"sha": "other"}}]', "[]", [], id="the branch went on"),
            pytest.param(
                '[{"number": 7, "head": {"sha": "abc"}}]', "[]", ["POST repos/o/r/issues/7/comments"], id="new"
            ),
            pytest.param(
                '[{"number": 7, "head": {"sha": "abc"}}]',
                '[{"id": 5, "user": {"type": "User"}, "body": "<!-- linetrail:ci -->"},'
                ' {"id": 9, "user": {"type": "Bot"}, "body": "<!-- linetrail:ci --> again"}]',
                ["PATCH repos/o/r/issues/comments/9"],
                id="again",
            ),
        ],
    )
    def test_the_comment_finds_its_place(self, tmp_path, pulls, comments, called):
        script = next(script for script in scripts() if "gh api" in script)
        gh = tmp_path / "bin" / "gh"
        gh.parent.mkdir()
        gh.write_text(
            '#!/bin/sh\ncase "$*" in\n'
            f"*PATCH*|*POST*) echo \"$3 $4\" >> '{tmp_path}/called' ;;\n"
            f"*pulls*) echo '{pulls}' ;;\n*) echo '{comments}' ;;\nesac\n"
        )
        gh.chmod(0o755)
        (tmp_path / "untrusted").mkdir()
        (tmp_path / "untrusted" / "comment.md").write_text("<!-- linetrail:ci -->\nhello\n")
        environment = {"PATH": f"{gh.parent}:{os.environ['PATH']}", "REPO": "o/r", "HEAD": "o:topic", "SHA": "abc"}

        subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, check=True)

        written = tmp_path / "called"
        assert (written.read_text().splitlines() if written.exists() else []) == called


def scripts():
    for text in SNIPPETS:
        for job in (yaml.safe_load(text).get("jobs") or {}).values():
            yield from (step["run"] for step in job["steps"] if "run" in step)
