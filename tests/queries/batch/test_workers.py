"""Lines are judged in processes of their own; what one of them dies of costs its own line and nothing else."""

import os
import signal
import subprocess
import sys
import time

import pytest

# What a line says is done: the answer names the line, and the process that was at work on it.
JOB = """
import os, signal, sys, time
from linetrail.queries.batch import workers

workers.LINE_SECONDS = float(sys.argv[1])

def work(line):
    if line is None:
        return b"too long"
    word, _, value = line.partition(b" ")
    if word == b"die":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == b"exit":
        os._exit(3)
    if word == b"sleep":
        time.sleep(float(value))
    return line + (b" by %d" % os.getpid() if word == b"who" or word == b"sleep" else b"")

def excuse(line, code, message):
    return b"%s: %s" % (line, code.encode())

for answer in workers.answers(sys.stdin.buffer, work, excuse, limit=1000, processes=2):
    sys.stdout.buffer.write(answer + b"\\n")
    sys.stdout.buffer.flush()
"""


def start(seconds=30.0, stdin=subprocess.PIPE):
    command = [sys.executable, "-c", JOB, str(seconds)]
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE)


def answers(text, seconds=30.0):
    job = start(seconds)
    out, _ = job.communicate(text, timeout=60)
    assert job.returncode == 0
    return out.splitlines()


def pids(lines):
    return {int(line.rpartition(b" ")[2]) for line in lines}


def test_answers_come_in_the_order_of_the_lines():
    found = answers(b"sleep 0.3\na\nb\nsleep 0.1\nc\n")

    assert [line.split(b" by ")[0] for line in found] == [b"sleep 0.3", b"a", b"b", b"sleep 0.1", b"c"]


def test_two_processes_are_at_work_at_once():
    assert len(pids(answers(b"sleep 0.3\n" * 4))) == 2


@pytest.mark.parametrize("word", [b"die", b"exit"])
def test_a_process_that_dies_costs_its_own_line(word):
    assert answers(b"a\n%s\nb\n%s\nc\n" % (word, word)) == [b"a", word + b": CRASHED", b"b", word + b": CRASHED", b"c"]


def test_a_line_that_takes_too_long_is_given_up():
    assert answers(b"sleep 60\na\n", seconds=1.0) == [b"sleep 60: TOO_SLOW", b"a"]


def test_a_line_that_is_too_long_is_not_held():
    assert answers(b"a\n" + b"x" * 5000 + b"\nb\n" + b"x" * 1000 + b"\n") == [b"a", b"too long", b"b", b"x" * 1000]


@pytest.mark.parametrize(("text", "found"), [(b"", []), (b"a", [b"a"]), (b"\n\n", [b"", b""]), (b"a\nb", [b"a", b"b"])])
def test_the_last_line_needs_no_end(text, found):
    assert answers(text) == found


def test_a_file_is_read_like_a_pipe(tmp_path):
    file = tmp_path / "lines"
    file.write_bytes(b"a\nb\nc")

    with file.open("rb") as stdin, start(stdin=stdin) as job:
        assert job.stdout.read() == b"a\nb\nc\n"


@pytest.mark.slow
def test_more_lines_than_may_wait_are_all_answered():
    lines = [b"sleep 0.5", *(b"%d" % number for number in range(1000))]

    found = answers(b"".join(line + b"\n" for line in lines))

    assert found[1:] == lines[1:]


def test_an_answer_is_there_before_the_next_line_is_asked_of_the_same_process():
    found = []
    with start() as job:
        for _ in range(3):
            job.stdin.write(b"who\n")
            job.stdin.flush()
            found.append(job.stdout.readline())

    assert len(pids(found)) == 1


def test_no_process_outlives_the_one_that_asked():
    with start() as job:
        job.stdin.write(b"sleep 0.2\nsleep 0.2\n")
        job.stdin.flush()
        workers = pids([job.stdout.readline(), job.stdout.readline()])
        job.send_signal(signal.SIGKILL)

    assert len(workers) == 2
    assert gone(workers)


def gone(processes):
    """Wait until all of these have ended."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if not any(os.path.exists(f"/proc/{pid}") for pid in processes):
            return True
        time.sleep(0.05)
    return False
