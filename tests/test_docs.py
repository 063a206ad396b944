"""The commands of README.md and of pages in docs/ are run, and must print what these say they print.

A block tagged ``console`` is a terminal: a line that begins with ``$`` is typed, the lines after it are what
appears. All blocks of a document are one terminal, from top to bottom, in a scratch folder that holds an empty
git repository `your-project`; `cd` moves on from there. In the expected lines ``…`` stands for any text, and
for any number of lines where it stands alone. What a block tagged ``sh`` says is not run here: it installs.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sessions(text):
    """Yield each command of a document with the lines that should follow it."""
    for block in BLOCK.findall(text):
        _, *steps = re.split(r"^\$ ", block, flags=re.MULTILINE)
        for step in steps:
            command, _, expected = step.partition("\n")
            yield command, expected


def pattern(expected):
    """Compile expected lines, with their wild cards, to what the whole output must match."""
    lines = (
        r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + r" *\n" for line in expected.splitlines()
    )
    return re.compile("".join(lines))


def typed(command, folder):
    """Run a command as a person would, in the environment that runs the tests, and return all that appears."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        # In a terminal lines appear when they are printed, those on stderr in their place among them.
        env={**os.environ, "PATH": path, "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.daily(1)  # README.md
@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        *(
            f"docs/{name}.md"
            for name in (
                "asking",
                "attribution",
                "ci",
                "classify",
                "decisions",
                "differences",
                "doctor",
                "fleet",
                "gate",
                "interop",
                "intents",
                "lineage",
                "survival",
                "mcp",
                "sessions",
                "work",
            )
        ),
    ],
)
def test_commands_print_what_the_document_shows(document, tmp_path):
    folder = tmp_path / "scratch"
    subprocess.run(["git", "init", "--quiet", folder / "your-project"], check=True)

    for command, expected in sessions((ROOT / document).read_text(encoding="utf-8")):
        if command.startswith("cd "):
            folder = (folder / command.removeprefix("cd ")).resolve(strict=True)
            continue
        printed = typed(command, folder)
        as_shown = bool(pattern(expected).fullmatch(printed))
        assert as_shown, f"$ {command}\n{printed}\ninstead of\n{expected}"


@pytest.mark.slow
def test_examples_in_python_give_what_the_document_shows(tmp_path, monkeypatch):
    document = ROOT / "docs" / "python.md"
    monkeypatch.chdir(tmp_path)
    typed("linetrail demo", tmp_path)
    text = "\n".join(EXAMPLES.findall(document.read_text(encoding="utf-8")))
    examples = doctest.DocTestParser().get_doctest(text, {}, document.name, str(document), 0)
    failures = []

    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=failures.append)

    assert len(examples.examples) > 10
    assert not failures, "".join(failures)


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        pytest.param("one\ntwo\n", "one\ntwo\n", True, id="the same lines"),
        pytest.param("one\n", "one\ntwo\n", False, id="a line too many"),
        pytest.param("took … ms\n", "took 12 ms\n", True, id="any text in a line"),
        pytest.param("took … ms\n", "took 12\nor 13 ms\n", False, id="but not across lines"),
        pytest.param("one\n…\nlast\n", "one\na\nb\nlast\n", True, id="any number of lines"),
        pytest.param("one\n…\nlast\n", "one\nlast\n", True, id="also none"),
        pytest.param("a.b (c)\n", "a-b (c)\n", False, id="other signs are themselves"),
        pytest.param("", "", True, id="nothing"),
        pytest.param("", "words\n", False, id="words instead of nothing"),
    ],
)
def test_wild_cards_stand_for_what_they_should(expected, printed, same):
    assert bool(pattern(expected).fullmatch(printed)) is same


def test_a_block_is_read_as_commands_and_what_follows_them():
    text = "```console\n$ a b\nout\n\nmore\n$ c\n```\n```sh\n$ not this\n```\n"

    assert list(sessions(text)) == [("a b", "out\n\nmore\n"), ("c", "")]
