"""Two agents on one file at once: whoever is let through has seen what it writes over, so no change is lost."""

import threading

import pytest

from tests.gated import REGISTRY, Session


@pytest.fixture
def sessions(repo, agent):
    """Return two sessions that work on the same intent."""
    repo.write(".orchestration/config.yaml", "enforce: block\nbreaker: {threshold: 1000}\n")
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    both = [Session(agent(f"session-{number}")) for number in (1, 2)]
    for session in both:
        session.select("INT-001")
    return both


def add_one(session, path, start, refusals):
    """Read a number, and write the next one; begin again where the gate refuses."""
    start.wait()
    file = session.repo.path / path
    while True:
        with session.reading(path):
            text = file.read_text()
        if not text:
            continue  # the other one is in the middle of writing
        number = int(text)
        told = session.ask("Write", file_path=str(file), content=f"{number + 1}\n")
        if not told:
            file.write_text(f"{number + 1}\n")
            session.report({"type": "update", "filePath": str(file), "content": f"{number + 1}\n"})
            return
        refusals.append(session.code(told))


@pytest.mark.parametrize(
    "races", [pytest.param(15, id="15 races"), pytest.param(1000, id="1,000 races", marks=pytest.mark.soak)]
)
@pytest.mark.promise("G6")
def test_of_two_agents_that_write_one_file_none_loses_the_other_s_change(sessions, repo, races, figure):
    refusals = []
    lost = 0

    for race in range(races):
        path = f"src/billing/counter-{race % 5}.txt"
        repo.write(path, "0\n")
        for session in sessions:
            session.read(path)
        start = threading.Barrier(2)
        threads = [threading.Thread(target=add_one, args=(one, path, start, refusals)) for one in sessions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        lost += (repo.path / path).read_text() != "2\n"

    assert lost == 0
    assert set(refusals) <= {"STALE_FILE", "FILE_BUSY"}
    figure(f"{races:,} races, {lost} changes lost")
