"""Make notebooks/*.ipynb: the notebooks as Jupyter and forges show them, run on the demonstration, pictures included.

    python tools/make_notebooks.py [--source] [--out DIR] [NAME…]

With --source nothing is run, and there are no outputs: that is what a test compares.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from linetrail.queries.commands.records.demo import unpack

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


def main(arguments: list[str]) -> None:
    """Write a file for each notebook."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--source", action="store_true")
    parser.add_argument("--out", type=Path, default=NOTEBOOKS)
    given = parser.parse_args(arguments)
    names = given.names or sorted(path.stem for path in NOTEBOOKS.glob("[0-9]*.md"))
    with tempfile.TemporaryDirectory() as folder:
        demo = f"{folder}/linetrail-demo"
        unpack(demo)
        for name in names:
            made = json.dumps(_exported(name, demo, outputs=not given.source), ensure_ascii=False, indent=1)
            (given.out / f"{name}.ipynb").write_text(made.replace(folder, "") + "\n", encoding="utf-8")


def _exported(name: str, demo: str, *, outputs: bool) -> dict[str, object]:
    """Return a notebook as marimo exports it, without what is another one each time."""
    command = [sys.executable, "-m", "marimo", "export", "ipynb", f"{NOTEBOOKS / name}.md", "--sort", "top-down"]
    environment = os.environ | {"LINETRAIL_REPOSITORY": demo, "LINETRAIL_STILL": "1"}
    asked = [*command, *(["--include-outputs"] if outputs else [])]
    done = subprocess.run(asked, env=environment, check=True, capture_output=True, text=True)
    notebook = json.loads(done.stdout)
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"cell-{number}"
        cell.pop("execution_count", None) if cell["cell_type"] == "markdown" else cell.update(execution_count=None)
    return notebook


if __name__ == "__main__":
    main(sys.argv[1:])
