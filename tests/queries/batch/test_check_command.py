"""`check-command`: the function of the hook, asked by a person or a program."""

import json

import pytest


@pytest.fixture
def ask(repo, linetrail):
    """Return a function that asks about rows, or about raw lines, and returns status and answers."""

    def run(*rows):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        done = linetrail("check-command", "--pairs", "-", stdin="".join(f"{line}\n" for line in lines))
        assert done.stderr == ""
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    return run


def test_each_line_gets_a_class_and_a_reason(ask):
    status, answers = ask(
        {"id": "a", "command": "ls -la | head"},
        {"id": 2, "command": "touch src/a.py"},
        {"id": 3, "command": "git push"},
        {"id": 4, "command": "Get-ChildItem", "shell": "powershell"},
        {"command": "ls", "shell": None},
    )

    assert status == 0
    assert [(row["id"], row["class"]) for row in answers] == [
        ("a", "safe"),
        (2, "destructive"),
        (3, "dangerous"),
        (4, "safe"),
        (None, "safe"),
    ]
    assert all(row["reason"] for row in answers)
    assert [row["writes"] for row in answers[:2]] == [[], ["src/a.py"]]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("{", "INVALID_JSON"),
        ("[]", "INVALID_JSON"),
        ({"id": 1}, "INVALID_FIELD"),
        ({"id": 1, "command": 7}, "INVALID_FIELD"),
        ({"id": 1, "command": "ls", "shell": "unheard-of"}, "INVALID_FIELD"),
    ],
)
def test_a_line_that_cannot_be_judged_costs_only_itself(ask, row, code):
    status, answers = ask(row, {"id": 2, "command": "ls"})

    assert status == 1
    assert answers[0]["error"]["code"] == code
    assert answers[1]["class"] == "safe"


def test_half_of_a_surrogate_pair_is_answered(ask):
    _, answers = ask('{"id": 1, "command": "ls \\ud800"}')

    assert answers[0]["class"] == "dangerous"
