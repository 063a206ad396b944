"""What `import linetrail` answers is what the commands print: one list has both, and compares them."""

import subprocess

import pytest

import linetrail
from linetrail.queries.render.text import json_value
from tests.conftest import command
from tests.queries.answers.catalogue import ANSWERS

FILE = "billing/invoice.py"
# What Python is asked, and the command line that says the same.
SAME = {
    "ask": [(["hot_files"], {}, ["sql", "@hot_files"])],
    "audit": [([], {}, ["audit"]), (["LT001"], {"since": "2026-01-05"}, ["audit", "LT001", "--since", "2026-01-05"])],
    "blame": [([FILE], {}, ["blame", FILE])],
    "classify": [(["HEAD~1..HEAD"], {}, ["classify", "HEAD~1..HEAD"])],
    "decisions": [([], {}, ["decisions"]), ([], {"file": FILE}, ["decisions", "--path", FILE])],
    "diff": [(["HEAD~1..HEAD"], {}, ["diff", "HEAD~1..HEAD"])],
    "intents": [([], {}, ["intents", "list"])],
    "lineage": [([f"{FILE}:Invoice"], {}, ["lineage", f"{FILE}:Invoice"])],
    "log": [([], {"limit": 5}, ["log", "-n", "5"])],
    "sessions": [([], {}, ["sql", "select * from v_sessions order by started_at desc nulls last, session_id"])],
    "show": [([key], {}, ["show", key]) for key in ("INT-003", "HEAD", "sha256:f472efc7")],
    "stats": [
        ([], {}, ["stats"]),
        ([], {"rev": "HEAD~2"}, ["stats", "--rev", "HEAD~2"]),
        (["HEAD~1..HEAD"], {"by": "agent"}, ["stats", "HEAD~1..HEAD", "--by", "agent"]),
    ],
    "verify": [([], {}, ["verify"])],
    "why": [([f"{FILE}:30"], {}, ["why", f"{FILE}:30"]), ([f"{FILE}:Invoice"], {}, ["why", f"{FILE}:Invoice"])],
}
# They answer with a connection, and with what may be asked: no rows to compare.
OTHERS = {"connect", "questions"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "shop"
    subprocess.run([command("linetrail"), "demo", folder], check=True, capture_output=True)
    return folder


def test_the_list_has_all_that_python_offers():
    offered = {name for name in linetrail.__all__ if name.islower()}

    assert offered == SAME.keys() | OTHERS == {answer.python for answer in ANSWERS.values() if answer.python}


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize(("name", "case"), [(name, case) for name, cases in SAME.items() for case in cases])
def test_python_has_the_rows_that_the_command_prints(shop, cli, name, case):
    given, named, typed = case

    found = getattr(linetrail, name)(shop, *given, **named)

    printed = cli("-C", str(shop), *typed, "--json").rows
    assert [{key: row[key] for key in found.columns} for row in printed] == json_value(found.mappings())
    assert name == "verify" or printed


def test_a_range_and_a_revision_at_once_are_refused_as_on_the_command_line(shop):
    with pytest.raises(linetrail.UsageError, match="not both"):
        linetrail.stats(shop, "HEAD~1..HEAD", rev="HEAD")
