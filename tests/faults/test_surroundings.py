"""What follows from a ledger is a function of its bytes: clocks, listings, threads and languages have no say."""

import hashlib
import os
import random
import subprocess
import sys

import pytest

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from tests.faults.acts import NOW, event, ledger_at, make_root, stored
from tests.story import Story

pytestmark = pytest.mark.in_turn

HOUR, YEAR = 3_600 * 10**9, 365 * 86_400 * 10**9
ZONES = ["UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia", "Europe/Dublin"]
LANGUAGES = ["C", "C.UTF-8", "tr_TR.UTF-8", "POSIX"]
# Prints a hash over every row of every table, and over the map.
ANSWERS = """
import hashlib, os, random, sys
root, seed, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
source = random.Random(seed)
in_order = os.listdir
def shuffled(*folder):
    names = in_order(*folder)
    source.shuffle(names)
    return names
os.listdir = shuffled
from linetrail.ledger.repository import find
from linetrail.projections.tables import models
from linetrail.projections.tables.intent_map import intent_map
from linetrail.projections.lines.surviving_lines import holdings
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.tables import tables_over
parts = Parts(find(root), keep=False).current(anew=True)
found = hashlib.sha256()
with tables_over(find(root), parts, keep=False, config={"threads": threads}) as tables:
    for model in (*models.stored(), *models.derived(), *models.views()):
        rows = sorted(map(repr, tables.ask(f"from {model.name}").rows))
        found.update("\\n".join([model.name, *rows]).encode(errors="surrogateescape"))
    intents = tables.ask("select intent_id, title, status from intents")
    found.update(intent_map(holdings(tables, None), intents).encode())
print(found.hexdigest())
"""


@pytest.fixture
def root(tmp_path):
    root = make_root(str(tmp_path / "project"))
    os.mkdir(ledger_at(root).folder, 0o700)
    return root


@pytest.mark.promise("O2")
@pytest.mark.parametrize(
    "jumps",
    [
        pytest.param([0, -HOUR, HOUR, -2 * HOUR], id="back one hour and on"),
        pytest.param([0, 10 * YEAR, 1], id="forward ten years and back"),
        pytest.param([0, 0, 0, 0], id="equal stamps"),
        pytest.param([0, 7_900 * YEAR, 1], id="close to the year 9999"),
        pytest.param([0, -56 * YEAR + HOUR, 1], id="the year 1970"),
    ],
)
def test_the_order_is_that_of_arrival_whatever_the_clock_says(root, jumps):
    texts = [f"event {number}" for number in range(len(jumps))]
    for text, jump in zip(texts, jumps, strict=True):
        ledger_at(root).append([event(text, at=NOW + jump)])
        ledger_at(root).seal()

    assert stored(root) == texts


@pytest.mark.slow
@pytest.mark.promise("O3")
@pytest.mark.parametrize(
    "times", [pytest.param(2, id="twice"), pytest.param(100, id="100 times", marks=pytest.mark.fault)]
)
def test_the_answers_are_the_same_in_any_surroundings(root, times, figure):
    told(root)
    source = random.Random(0)
    answers = set()

    for seed in range(times):
        threads = source.randrange(1, 17)
        surroundings = {"TZ": source.choice(ZONES), "LC_ALL": source.choice(LANGUAGES), "PYTHONHASHSEED": str(seed)}
        done = subprocess.run(
            [sys.executable, "-c", ANSWERS, root, str(seed), str(threads)],
            env=os.environ | surroundings,
            capture_output=True,
            text=True,
            check=True,
        )
        answers.add(done.stdout)

    assert len(answers) == 1
    figure(f"{times} rebuilds, {len(answers)} answer")


@pytest.mark.promise("O3")
def test_a_ledger_that_was_copied_file_by_file_in_any_order_is_the_same(root, tmp_path):
    told(root)
    copy = make_root(str(tmp_path / "copy"))
    files = [os.path.join(path, name) for path, _, names in os.walk(ledger_at(root).folder) for name in names]
    random.Random(1).shuffle(files)
    for file in files:
        target = os.path.join(copy, os.path.relpath(file, root))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(file, "rb") as opened, open(target, "wb") as written:
            written.write(opened.read())

    assert digest(copy) == digest(root)


def told(root):
    """Tell a story in eight segments and an open tail."""
    story = Story()
    for number in range(40):
        story.tell(
            "mutation.observed",
            session=f"s{number % 3}",
            intent=f"INT-{number % 4}",
            edits={f"{number % 5}.py": "".join(f"line {line} of {number}\n" for line in range(number % 7))},
        )
        story.written(root)
        if number % 5 == 4:
            Ledger(find(root)).seal()
    story.tell("session.ended", {"reason": "exit"})
    story.written(root)


def digest(root):
    return hashlib.sha256(b"".join(line.raw for line in ledger_at(root).read())).hexdigest()
