"""`classify --pairs`: one answer for each line, in order, whatever a line holds."""

import json

import pytest

LOCAL = ("def f(x):\n    y = x + 1\n    return y\n", "def f(x):\n    total = x + 1\n    return total\n")


@pytest.fixture
def ask(repo, linetrail):
    """Return a function that asks about rows, or about raw lines, and returns status and answers."""

    def run(*rows):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        done = linetrail("classify", "--pairs", "-", stdin="".join(f"{line}\n" for line in lines))
        assert done.stderr == ""
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    return run


def pair(before, after, path="a.py", **fields):
    return {"id": 1, "path": path, "before": before, "after": after} | fields


@pytest.mark.parametrize(
    ("row", "label", "mutation_class"),
    [
        pytest.param(pair("x = 1\n", "x  =  1\n"), "formatting", "AST_REFACTOR", id="layout"),
        pytest.param(pair("x = 1\n", "x = 1  # one\n"), "comment", "AST_REFACTOR", id="a comment"),
        pytest.param(pair(*LOCAL), "refactor", "AST_REFACTOR", id="a local name"),
        pytest.param(pair("x = 1\n", "x = 2\n"), "evolution", "INTENT_EVOLUTION", id="a value"),
        pytest.param(pair(None, "x = 1\n"), "evolution", "INTENT_EVOLUTION", id="a new file"),
        pytest.param(pair("x = 1\n", None), "evolution", "INTENT_EVOLUTION", id="a file that went"),
        pytest.param(pair("a", "b", "a.unheard-of"), "evolution", "INTENT_EVOLUTION", id="a language nobody knows"),
        pytest.param(pair("x = (\n", "x = ((\n"), "evolution", "INTENT_EVOLUTION", id="no program"),
        pytest.param(pair("x = 1\n", "x = '\ud800'\n"), "evolution", "INTENT_EVOLUTION", id="half a surrogate pair"),
        pytest.param(pair("", ""), "formatting", "AST_REFACTOR", id="two empty files"),
    ],
)
def test_a_change_of_one_file_is_judged(ask, row, label, mutation_class):
    status, [answer] = ask(row)

    assert status == 0
    assert answer.keys() == {"id", "label", "kind", "mutation_class", "evidence", "rule_version"}
    assert (answer["id"], answer["label"], answer["mutation_class"]) == (1, label, mutation_class)
    assert answer["kind"]
    assert all(isinstance(note, str) for note in answer["evidence"])
    assert isinstance(answer["rule_version"], int)


def test_a_change_over_several_files_is_judged_as_one(ask):
    renamed = [
        {"path": "a.py", "before": "def total(x):\n    return x\n", "after": "def summed(x):\n    return x\n"},
        {"path": "b.py", "before": "from a import total\n\ntotal(1)\n", "after": "from a import summed\n\nsummed(1)\n"},
    ]

    _, answers = ask({"id": "both", "files": renamed}, {"id": "one", "files": renamed[:1]})

    assert [(answer["id"], answer["label"]) for answer in answers] == [("both", "refactor"), ("one", "evolution")]


@pytest.mark.in_turn
@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("row", "code", "said_id"),
    [
        pytest.param("{", "INVALID_JSON", None, id="half a line"),
        pytest.param("[]", "INVALID_JSON", None, id="no object"),
        pytest.param("", "INVALID_JSON", None, id="an empty line"),
        pytest.param({"id": 1, "path": "a.py", "after": "x"}, "INVALID_FIELD", 1, id="a side is missing"),
        pytest.param(pair(None, None), "INVALID_FIELD", 1, id="no file on either side"),
        pytest.param(pair(1, "x"), "INVALID_FIELD", 1, id="a content that is no text"),
        pytest.param({"id": 1, "before": "x", "after": "y"}, "INVALID_FIELD", 1, id="no path"),
        pytest.param({"id": 1, "files": []}, "INVALID_FIELD", 1, id="no files"),
        pytest.param({"id": 1, "files": ["a.py"]}, "INVALID_FIELD", 1, id="files that are none"),
        pytest.param({"id": 1, "files": [{"path": "a.py"}]}, "INVALID_FIELD", 1, id="a file without contents"),
        pytest.param('{"id": ' + "[" * 2000 + "]" * 2000 + "}", "INVALID_JSON", None, id="a nest"),
    ],
)
def test_a_line_that_cannot_be_judged_costs_only_itself(ask, row, code, said_id):
    status, answers = ask(row, pair(*LOCAL, id=2))

    assert status == 1
    assert (answers[0]["id"], answers[0]["error"]["code"]) == (said_id, code)
    assert answers[0]["error"]["message"]
    assert answers[1]["label"] == "refactor"


@pytest.mark.slow
def test_answers_have_the_order_and_the_ids_of_the_lines(ask):
    rows = [pair(f"x = {at}\n" * (1 + 500 * (at % 7 == 0)), f"x  = {at}\n", id={"n": at}) for at in range(60)]

    _, answers = ask(*rows)

    assert [answer["id"]["n"] for answer in answers] == list(range(60))


def test_a_batch_in_a_file_needs_no_repository(linetrail, tmp_path):
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair(*LOCAL)) + "\n")

    done = linetrail("classify", "--pairs", "pairs.jsonl", cwd=tmp_path)

    assert (done.returncode, json.loads(done.stdout)["label"]) == (0, "refactor")
    assert linetrail("classify", "--pairs", "nowhere.jsonl", cwd=tmp_path).returncode == 2


def test_a_range_beside_a_batch_is_refused(cli):
    answer = cli("classify", "HEAD", "--pairs", "-")

    assert answer.status == 2
    assert "ask for different things" in answer.err


@pytest.mark.in_turn
@pytest.mark.slow
def test_the_corpus_is_answered_line_by_line(shared, linetrail):
    corpus = shared / "corpus" / "classification" / "natural_dev.jsonl"
    wanted = [json.loads(line)["id"] for line in corpus.read_text(encoding="utf-8").splitlines()]

    done = linetrail("classify", "--pairs", str(corpus))

    assert done.returncode == 0
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == wanted
