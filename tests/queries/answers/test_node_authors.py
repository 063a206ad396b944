"""A definition that went elsewhere and was edited there keeps the authors of the lines that are still the same."""

import shutil

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

INVOICE = """\
def invoice_lines(order, country):
    found = []
    for position in order.positions:
        quantity = position.quantity
        unit = position.unit_price
        rate = rates.of(country)
        tax = decimal.Decimal(rate)
        name = position.article.name
        net = quantity * unit
        found.append(Line(name, net))
    return found
"""
OTHERS = """\
def other(value):
    checked = check(value)
    return checked
"""
# every second line is another one, so that no two of the old ones follow each other
EDITED = (
    INVOICE.replace("    found = []\n", "    found = collections.deque()\n")
    .replace("quantity = position.quantity", "quantity = position.count()")
    .replace("rates.of(country)", "rates.of(country, order.day)")
    .replace("name = position.article.name", "name = position.article.label(country)")
    .replace("found.append(Line(name, net))", "found.append(Line(name, net, tax))")
)
KEPT = [line for line in INVOICE.splitlines() if line in EDITED.splitlines()]


@pytest.fixture
def authors(repo, cli):
    """Return a function that tells who wrote each line, as this machine and as a fresh clone knows it."""
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")

    def told(path, *options):
        def ask():
            rows = cli("blame", path, "--json", *options).rows
            return {row["text"]: (row["session_id"] or row["author"] or "nobody", row["evidence"]) for row in rows}

        here = ask()
        assert ask() == here, "what is remembered"
        for name in ("objects", "state", "cache"):
            shutil.rmtree(repo.path / ".orchestration" / name, ignore_errors=True)
        assert ask() == here, "a fresh clone"
        return here

    return told


def commit_as(repo, name, message, files):
    for path, content in files.items():
        repo.write(path, content)
    repo.now += 60
    repo.git("add", "--all")
    repo.git("-c", f"user.name={name}", "commit", "--quiet", f"--author={name} <{name}@example.org>", "-m", message)


def of(found, lines):
    return {found[line] for line in lines}


def test_lines_of_a_person_stay_theirs_when_another_moves_the_function_and_edits_it(repo, authors):
    repo.start_ledger()
    repo.commit("start", {"a.py": f"{INVOICE}\n\n{OTHERS}", "b.py": "import sys\n"})
    commit_as(repo, "Mover", "move", {"a.py": OTHERS, "b.py": f"import sys\n\n\n{EDITED}"})

    found = authors("b.py")

    assert len(KEPT) == 6
    assert of(found, KEPT) == {("Author", "git")}
    assert of(found, set(EDITED.splitlines()) - set(KEPT)) == {("Mover", "git")}


def test_lines_of_an_agent_stay_theirs_when_a_person_moves_the_function_and_edits_it(repo, agent, authors):
    repo.commit("start", {"a.py": OTHERS, "b.py": "import sys\n"})
    agent("s1").write("a.py", f"{INVOICE}\n\n{OTHERS}")
    repo.commit("agent")
    commit_as(repo, "Mover", "move", {"a.py": OTHERS, "b.py": f"import sys\n\n\n{EDITED}"})

    found = authors("b.py")

    assert of(found, KEPT) == {("s1", "node")}
    assert of(found, set(EDITED.splitlines()) - set(KEPT)) == {("Mover", "git")}


def test_the_same_before_it_is_committed(repo, agent, authors):
    repo.commit("start", {"a.py": OTHERS, "b.py": "import sys\n"})
    agent("s1").write("a.py", f"{INVOICE}\n\n{OTHERS}")
    repo.commit("agent")
    repo.write("a.py", OTHERS)
    repo.write("b.py", f"import sys\n\n\n{EDITED}")

    found = authors("b.py")

    assert of(found, KEPT) == {("s1", "node")}
    assert of(found, set(EDITED.splitlines()) - set(KEPT)) == {("nobody", "none")}


def test_the_same_within_a_file(repo, agent, authors):
    method = "".join(f"    {line}\n" for line in EDITED.splitlines())
    repo.commit("start", {"a.py": OTHERS})
    agent("s1").write("a.py", f"{INVOICE}\n\n{OTHERS}")
    repo.commit("agent")
    commit_as(repo, "Mover", "move", {"a.py": f"{OTHERS}\n\nclass Order:\n    total = 0\n\n{method}"})

    found = authors("a.py")

    assert {author for author, _ in of(found, [f"    {line}" for line in KEPT])} == {"s1"}


def test_an_agent_that_moves_and_edits_takes_only_the_lines_it_changed(repo, agent, authors):
    repo.commit("start", {"a.py": f"{INVOICE}\n\n{OTHERS}", "b.py": "import sys\n"})
    mover = agent("s2")
    mover.write("b.py", f"import sys\n\n\n{EDITED}")
    mover.write("a.py", OTHERS)
    repo.commit("moved")

    found = authors("b.py")

    assert of(found, KEPT) == {("Author", "git")}
    assert of(found, set(EDITED.splitlines()) - set(KEPT)) == {("s2", "observed")}


def test_an_agent_that_moves_an_agent_s_function_leaves_it_its_lines(repo, agent, authors):
    repo.commit("start", {"a.py": OTHERS, "b.py": "import sys\n"})
    agent("s1").write("a.py", f"{INVOICE}\n\n{OTHERS}")
    repo.commit("agent")
    mover = agent("s2")
    mover.write("b.py", f"import sys\n\n\n{EDITED}")
    mover.write("a.py", OTHERS)

    found = authors("b.py")

    assert of(found, KEPT) == {("s1", "node")}
    assert of(found, set(EDITED.splitlines()) - set(KEPT)) == {("s2", "observed")}


def test_a_copy_is_the_copier_s(repo, authors):
    repo.start_ledger()
    repo.commit("start", {"a.py": f"{INVOICE}\n\n{OTHERS}", "b.py": "import sys\n"})
    commit_as(repo, "Copier", "copy", {"b.py": f"import sys\n\n\n{EDITED}"})

    assert of(authors("b.py"), KEPT) == {("Copier", "git")}


def test_a_function_that_only_has_some_lines_of_one_that_is_gone_is_another_one(repo, authors):
    printed = "".join(f"        print({name})\n" for name in ("order", "country", "position"))
    few = f"def show(order, country):\n    {KEPT[1].strip()}\n{printed}"
    repo.start_ledger()
    repo.commit("start", {"a.py": f"{INVOICE}\n\n{OTHERS}", "b.py": "import sys\n"})
    commit_as(repo, "Other", "another", {"a.py": OTHERS, "b.py": f"import sys\n\n\n{few}"})

    assert of(authors("b.py"), few.splitlines()) == {("Other", "git")}
