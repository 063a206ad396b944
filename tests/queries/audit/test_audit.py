"""`linetrail audit`: what fails, what is known, what somebody answers for, and what no path can break out of."""

import json
import xml.etree.ElementTree as ET
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.queries.audit import baseline, policy, rulebook
from linetrail.queries.audit.audit import Audit
from linetrail.queries.audit.finding import fingerprint, folded, found
from linetrail.queries.audit.junit import junit
from linetrail.queries.audit.markdown import markdown
from linetrail.queries.audit.policy import Policy, PolicyError
from linetrail.queries.audit.text import text
from tests.story import Story

HOSTILE = "a|b`<img src=x>\n::error::@team #1\x1b[31m\u202e \x00\ufffe\ud800.py"


@pytest.fixture
def told(repo):
    """Return a function that lets an agent write files for an intent that owns src alone."""
    repo.start_ledger()
    story = Story()
    scope = {"id": "INT-1", "name": "Rotate", "status": "IN_PROGRESS", "scope": ["src/**"]}
    story.tell("intent.created", {"intent_id": "INT-1", "after": scope}, intent="INT-1")

    def write(*paths):
        for path in paths:
            story.tell("mutation.observed", {"via": "tool"}, intent="INT-1", edits={path: f"{path}\n"})
        story.written(repo.path)

    return write


@pytest.fixture
def rows(cli):
    """Return a function that asks for findings as rows."""

    def ask(*options):
        answer = cli("audit", "--json", *options)
        assert answer.status in (0, 1), answer.err
        return answer.rows

    return ask


def finding(rule="LT001", **known):
    row = dict.fromkeys(rulebook.COLUMNS) | {"allowed": "src/**", "anchor": "x"} | known
    return found(rulebook.rules()[rule], row)


def answer(*findings):
    figures = {"intents": 1, "sessions": 1, "mutations": 1, "events": 1}
    return Audit(folded(findings), list(rulebook.rules().values()), 0, 0, 0, figures, "9c1e")


class TestStatus:
    @pytest.mark.slow
    def test_an_empty_ledger_has_no_findings(self, repo, cli):
        repo.start_ledger()

        assert cli("audit").status == 0

    def test_no_ledger_is_no_clean_bill(self, cli):
        answer = cli("audit")

        assert answer.status == 2
        assert "next: linetrail init" in answer.err

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("fail_on", "status"), [("none", 0), ("high", 1), ("medium", 1), ("low", 1), ("info", 1), ("any", 1)]
    )
    def test_a_high_finding_fails_at_every_level_but_none(self, told, cli, fail_on, status):
        told("tax.py")

        assert cli("audit", "LT001", "--fail-on", fail_on).status == status

    @pytest.mark.slow
    def test_a_low_finding_is_advice_unless_somebody_says_otherwise(self, told, cli):
        told("src/a.py")

        assert cli("audit", "LT017").status == 0
        assert cli("audit", "LT017", "--fail-on", "low").status == 1

    @pytest.mark.slow
    def test_a_medium_finding_fails(self, repo, cli):
        repo.start_ledger()
        story = Story()
        story.tell("mutation.observed", {"via": "tool"}, edits={"a.py": "x\n"})
        story.written(repo.path)

        assert cli("audit", "LT003").status == 1

    @pytest.mark.slow
    def test_a_damaged_ledger_is_worse_than_any_finding(self, told, repo, cli):
        told("tax.py")
        tail = repo.path / ".orchestration" / "agent_trace.jsonl"
        tail.write_bytes(tail.read_bytes().replace(b"tax.py", b"fax.py"))

        answer = cli("audit", "--json")

        assert answer.status == 3
        assert "LT016" in {row["rule"] for row in answer.rows}

    def test_a_rule_that_is_none_is_named_with_one_that_is(self, told, cli):
        told("tax.py")

        answer = cli("audit", "out-of-scope")

        assert answer.status == 2
        assert "LT001 out_of_scope_write" in answer.err

    @pytest.mark.slow
    def test_nothing_older_than_since_is_reported(self, told, rows):
        told("tax.py")

        assert rows("LT001", "--since", "2026-01-06") == []
        assert len(rows("LT001", "--since", "2026-01-05T00:00:00Z")) == 1


class TestFingerprint:
    @pytest.mark.slow
    def test_the_same_finding_has_the_same_name_when_lines_move(self, told, rows, repo):
        told("tax.py")
        before = rows("LT001")[0]
        repo.commit("above", {"tax.py": "new\nnew\ntax.py\n"})

        after = rows("LT001")[0]

        assert (before["line"], after["line"], after["present"]) == (1, 3, True)
        assert before["fingerprint"] == after["fingerprint"]

    def test_what_is_found_again_is_counted(self):
        [one] = folded([finding(path="a"), finding(path="a"), finding(path="a", line=9)])

        assert one.times == 3

    def test_another_path_rule_or_anchor_is_another_finding(self):
        names = {fingerprint(*known) for known in [("LT001", "a", "x"), ("LT002", "a", "x"), ("LT001", "b", "x")]}
        names |= {fingerprint("LT001", "a", "y"), fingerprint("LT001", None, "a"), fingerprint("LT001", "ax", "")}

        assert len(names) == 6


@pytest.mark.in_turn
class TestBaseline:
    @pytest.mark.slow
    def test_what_is_known_is_not_reported_and_new_ones_are(self, told, cli):
        told("tax.py")
        assert cli("audit", "--write-baseline").status == 0
        assert cli("audit", "--baseline").status == 0
        told("fax.py")

        answer = cli("audit", "--baseline", "--json")

        assert {row["path"] for row in answer.rows if row["rule"] == "LT001"} == {"fax.py"}
        assert "known" in answer.err

    @pytest.mark.slow
    def test_the_file_is_sorted_and_the_same_when_written_again(self, told, cli, repo):
        told("b.py", "a.py", "src/c.py")
        cli("audit", "--write-baseline")
        file = repo.path / ".orchestration" / "audit_baseline.json"
        before = file.read_text()

        cli("audit", "--write-baseline")

        paths = [entry["path"] for entry in json.loads(before)["findings"] if entry["rule"] == "LT001"]
        assert paths == ["a.py", "b.py"]
        assert file.read_text() == before

    @pytest.mark.slow
    def test_what_is_gone_is_counted(self, told, cli, repo):
        told("tax.py")
        file = repo.path / "known.json"
        old = finding(path="gone.py")
        baseline.write(str(file), [old])

        answer = cli("audit", "--baseline", "known.json")

        assert "1 of it gone" in answer.err

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"[]",
            b'{"version": 1}',
            b'{"version": 2, "findings": []}',
            b'{"version": 1, "findings": [{"fingerprint": "../x", "rule": "LT001"}]}',
            b"\xff\xfe",
            b"[" * 100_000,
        ],
    )
    def test_a_file_that_is_none_is_refused(self, told, cli, repo, content):
        told("tax.py")
        repo.write("known.json", content)

        answer = cli("audit", "--baseline", "known.json")

        assert answer.status == 2
        assert "known.json" in answer.err

    def test_a_part_is_no_baseline(self, told, cli):
        told("tax.py")

        assert cli("audit", "--write-baseline", "LT001").status == 2
        assert cli("audit", "--write-baseline", "--since", "1d").status == 2


class TestPolicy:
    @pytest.fixture
    def written(self, repo):
        return lambda said: repo.write(".orchestration/policy.yaml", said)

    @pytest.mark.slow
    def test_a_rule_can_be_off_or_have_another_level(self, told, written, rows):
        told("tax.py")
        written("rules: {LT001: low, untested_change: off}\n")

        assert {row["level"] for row in rows("LT001", "LT017")} == {"low"}

    @pytest.mark.slow
    def test_paths_keep_a_rule_to_some_files(self, told, written, rows):
        told("tax.py", "lib/a.py", "lib/generated/b.py")
        written("rules: {LT001: {paths: {include: ['lib/**'], exclude: ['lib/generated/**']}}}\n")

        assert [row["path"] for row in rows("LT001")] == ["lib/a.py"]

    @pytest.mark.slow
    def test_an_exception_takes_its_findings_out_and_says_how_many(self, told, written, cli):
        told("tax.py", "lib/a.py")
        written("exceptions: [{rules: LT001, paths: 'lib/**', reason: generated, owner: platform}]\n")

        answer = cli("audit", "LT001", "--json")

        assert [row["path"] for row in answer.rows] == ["tax.py"]
        assert json.loads(answer.out)["meta"]["excepted"] == 1

    @pytest.mark.slow
    def test_an_exception_that_ended_is_reported_and_covers_nothing(self, told, written, rows):
        told("tax.py")
        written("exceptions: [{rules: LT001, paths: tax.py, reason: old, owner: me, expires: 2026-01-05}]\n")

        assert {row["rule"] for row in rows("LT000", "LT001")} == {"LT000", "LT001"}

    def test_an_exception_holds_on_its_last_day(self):
        held = policy.parse(b"exceptions: [{rules: LT001, paths: a, reason: r, owner: o, expires: 2026-01-05}]", "p")

        assert held.excepted(finding(path="a"), date(2026, 1, 5))
        assert not held.excepted(finding(path="a"), date(2026, 1, 6))

    @pytest.mark.parametrize(
        ("names", "column"),
        [
            ("paths", "path"),
            ("intents", "intent_id"),
            ("sessions", "session_id"),
            ("fingerprints", "fingerprint"),
        ],
    )
    def test_an_exception_covers_what_it_names_and_nothing_else(self, names, column):
        held = policy.parse(f"exceptions: [{{rules: LT001, {names}: [a, b], reason: r, owner: o}}]".encode(), "p")

        covered = [held.excepted(finding()._replace(**{column: one}), date(2026, 1, 5)) for one in ("a", "b", "c")]

        assert covered == [True, True, False]

    @pytest.mark.slow
    def test_what_is_asked_wins_over_the_policy(self, told, written, cli):
        told("tax.py")
        written("fail_on: none\nsince: 2026-01-06\n")

        assert cli("audit", "LT001").status == 0
        assert cli("audit", "LT001", "--fail-on", "high", "--since", "2026-01-01").status == 1

    @pytest.mark.parametrize(
        ("said", "line", "word"),
        [
            ("fail_on: hihg\n", 1, "fail_on"),
            ("since: soon\n", 1, "soon"),
            ("\n\nrule: {}\n", 3, "rule"),
            ("rules:\n  LT001: low\n  LT999: low\n", 3, "LT999"),
            ("rules:\n  LT001: low\n  out_of_scope_write: off\n", 2, "same rule"),
            ("rules:\n  LT001: low\n  LT001: off\n", 3, "twice"),
            ("rules:\n  LT001:\n    paths: {include: ['/etc']}\n", 3, "/etc"),
            ("rules:\n  LT001:\n    lvel: low\n", 3, "lvel"),
            ("exceptions:\n- rules: LT001\n  paths: a\n", 2, "reason"),
            ("exceptions:\n- rules: LT001\n  reason: r\n  owner: o\n", 2, "names paths"),
            ("exceptions:\n- rules: LT001\n  paths: a\n  reason: r\n  owner: o\n  expires: soon\n", 6, "soon"),
            ("a: [1\n", 2, "not YAML"),
            ("a: &x [1]\nb: *x\n", 1, "anchors"),
        ],
    )
    def test_a_mistake_is_named_with_its_line(self, said, line, word):
        with pytest.raises(PolicyError, match=word) as caught:
            policy.parse(said.encode(), "policy.yaml")

        assert str(caught.value).startswith(f"policy.yaml:{line}: ")

    @pytest.mark.parametrize("said", [b"", b"# nothing\n", b"rules:\n", b"exceptions:\n"])
    def test_a_policy_that_says_nothing_changes_nothing(self, said):
        assert policy.parse(said, "p") == Policy()

    def test_a_policy_that_is_named_must_be_there(self, told, cli):
        told("tax.py")

        assert cli("audit", "--policy", "none.yaml").status == 2

    def test_the_schema_takes_what_the_documentation_shows(self, cli):
        jsonschema = pytest.importorskip("jsonschema")
        schema = json.loads(cli("audit", "--schema").out)

        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate({"fail_on": "high", "rules": {"LT001": "off"}, "exceptions": []}, schema)


@pytest.mark.in_turn
class TestFormats:
    def test_text_shows_a_line_for_each_rule_and_a_sum(self):
        ones = [
            finding(path="src/billing/tax.py", intent_id=f"INT-003{at}", session_id="9f3a1c2e77", anchor=str(at))
            for at in range(7)
        ]

        lines = list(text(answer(*ones), fail_on="high", verified="ledger verified to 9c1e"))

        assert lines[0].startswith("HIGH  LT001 out of scope write  7  src/billing/tax.py is outside")
        assert lines[0].endswith("session 9f3a1c2e")
        assert lines[5].strip() == "and 2 more: linetrail audit --json LT001"
        assert lines[-1] == "1 rule failed (7 high) | 1 intent, 1 session, 1 mutation, ledger verified to 9c1e"

    @pytest.mark.slow
    def test_the_place_up_to_which_the_ledger_is_sound_is_told_when_all_of_it_is_sealed(self, told, cli):
        told("tax.py")
        assert cli("seal", "--no-classify").status == 0

        head = cli("status", "--json").rows[0]["ledger_head"]

        assert json.loads(cli("audit", "LT001", "--json").out)["meta"]["ledger_head"] == head
        assert cli("audit", "LT001").out.splitlines()[-1].endswith(f"ledger verified to {head[:12]}")

    def test_no_hostile_path_leaves_its_line(self):
        hostile = answer(finding(path=HOSTILE, session_id=HOSTILE))

        lines = list(text(hostile, fail_on="high", verified=""))

        assert len(lines) == 2
        assert all(line.isprintable() for line in lines)

    def test_markdown_holds_no_markup_of_others(self):
        page = markdown(answer(finding(path=HOSTILE, intent_id="@you|x", session_id="`s`")), verified="")

        assert "<img" not in page.replace("\\<", "").replace("`` a\\|b`<img", "")
        assert "\x1b" not in page
        assert "@you|x" not in page
        assert "\n::error" not in page

    @pytest.mark.slow
    @given(st.text(max_size=60))
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_junit_is_xml_whatever_a_path_holds(self, path):
        document = junit(answer(finding(path=path, session_id=path)), fail_on="high")

        suites = ET.fromstring(document.encode("utf-8", "strict"))
        assert len(suites.findall("testsuite/testcase")) == len(rulebook.rules())
        assert len(suites.findall("testsuite/testcase/failure")) == 1

    def test_junit_takes_lone_surrogates(self):
        ET.fromstring(junit(answer(finding(path=HOSTILE)), fail_on="none").encode())

    @pytest.mark.slow
    def test_an_answer_can_be_put_into_a_file(self, told, cli, repo):
        told("tax.py")

        answer = cli("audit", "--format", "md", "--out", "audit.md")

        assert answer.out == ""
        assert (repo.path / "audit.md").read_text().startswith("# Audit")

    @pytest.mark.slow
    @pytest.mark.parametrize("out", ["missing/audit.md", "."])
    def test_a_place_that_takes_no_file_is_told(self, told, cli, out):
        told("tax.py")

        answer = cli("audit", "--out", out)

        assert answer.status == 2
        assert f"cannot write {out}" in answer.err

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["text", "md", "json", "sarif", "junit"])
    def test_the_same_ledger_gives_the_same_bytes(self, told, cli, kind):
        told("tax.py", "a.py")

        assert cli("audit", "--format", kind).out == cli("audit", "--format", kind).out


def test_people_read_what_is_the_same_once():
    ones = [finding(path="a.py", anchor=str(at)) for at in range(3)]

    lines = list(text(answer(*ones, finding(path="b.py")), fail_on="high", verified=""))

    assert len(lines) == 3
    assert "a.py is outside" in lines[0]
    assert "(3 times)" in lines[0]


@pytest.mark.slow
def test_colour_is_for_the_level_alone_and_only_where_it_is_wanted(told, cli):
    told("tax.py")

    assert "\x1b[31mHIGH\x1b[0m" in cli("audit", "LT001", "--color", "always").out
    assert "\x1b" not in cli("audit", "LT001").out
    assert "\x1b" not in cli("audit", "LT001", "--format", "md", "--color", "always").out


@pytest.mark.slow
def test_a_pattern_that_takes_tracked_files_out_of_every_scope_is_named_with_its_line(rows, repo):
    repo.start_ledger()
    repo.write(".orchestration/.intentignore", "# notes\nnowhere/\ndocs/\n")
    repo.commit("docs", {"docs/a.md": "a\n", "docs/b.md": "b\n", "src/a.py": "a\n"})

    [row] = rows("LT019")

    assert (row["level"], row["path"], row["line"]) == ("info", ".orchestration/.intentignore", 3)
    assert row["message"].startswith("2 tracked files need no intent, such as docs/a.md: docs/ in")


@pytest.mark.slow
def test_commits_of_agents_are_held_against_the_ledger_since_it_began(told, rows, repo):
    told("tax.py")
    signed = "fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
    repo.now -= 86_400
    repo.commit(signed, {"before.py": "x\n"})
    repo.now += 86_400
    repo.commit(signed, {"after.py": "x\n", "tax.py": "tax.py\n"})
    repo.commit("by hand", {"hand.py": "x\n"})

    assert [row["path"] for row in rows("LT021")] == ["after.py"]


@pytest.mark.slow
def test_a_command_is_read_once_and_again_under_other_rules(rows, repo):
    repo.start_ledger()
    story = Story()
    story.call("Bash", "shell", command="git push --force origin main")
    story.call("Bash", "shell", command="ls")
    story.written(repo.path)
    folder = repo.path / ".orchestration" / "cache" / "dangers"

    [found] = rows("LT005")
    [known] = folder.iterdir()
    known.write_text(known.read_text().replace("true", "false"))
    assert rows("LT005") == []

    known.rename(folder / f"{'0' * 32}.jsonl")
    assert rows("LT005") == [found]
    assert list(folder.iterdir()) == [known]


@pytest.mark.slow
def test_the_text_blames_no_file_of_a_finding_that_it_only_counts(told, cli, rows, repo):
    paths = [f"lib/{number}.py" for number in range(7)]
    told(*paths)
    repo.commit("all", {path: f"# first\n{path}\n" for path in paths})

    page = cli("audit", "LT001").out
    blamed = list((repo.path / ".orchestration" / "cache" / "blame").iterdir())

    assert [path for path in paths if f"{path}:2 is outside" in page] == paths[:5]
    assert len(blamed) == 5
    assert [(row["path"], row["line"], row["present"]) for row in rows("LT001")] == [(path, 2, True) for path in paths]


@pytest.mark.slow
def test_where_a_folder_is_today_no_file_in_it_is_blamed_for_what_was_there(told, rows, repo):
    told("lib", "tax.py")
    repo.commit("all", {"lib/one.py": "lib\n", "tax.py": "tax.py\n"})

    found = rows("LT001")

    assert [(row["path"], row["present"]) for row in found] == [("lib", False), ("tax.py", True)]
    assert len(list((repo.path / ".orchestration" / "cache" / "blame").iterdir())) == 1
