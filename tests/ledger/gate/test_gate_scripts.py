"""Scripts that a command runs: what the last commit has not of them is held as if it were typed."""

import pytest

from tests.gated import refused

STRAYING = {
    "bash src/billing/run.sh": "cd docs; echo x > n.md\n",
    "src/billing/run.sh": "#!/usr/bin/env bash\nset -euo pipefail\nfor f in Makefile; do rm $f; done\n",
    "timeout 5 ./src/billing/run": "#!/bin/sh\nbuild() { echo x > docs/n.md; }\nbuild\n",
    "source src/billing/lib.sh": "printf '\\033[1m'; touch src/auth/session.py\n",
    "bash < src/billing/run.sh": "rm -rf ~/x\n",
    "src/billing/run.sh docs": 'rm -rf "$1"\n',
    "python3 src/billing/x.py": 'import sys, requests\nopen("Makefile", "w").write("x")\n',
    "python3 -m src.billing.x": 'from pathlib import Path\nPath("docs/n.md").write_text("x")\n',
    "src/billing/x": '#!/usr/bin/env python3\nimport os\nos.system("echo x > Makefile")\n',
    "node src/billing/x.js": 'require("fs").writeFileSync("docs/n.md", "x")\n',
    "bash -- src/billing/run.sh": "rm Makefile\n",
    "make -f src/billing/x.mk": "x:\n\t@$(SHELL) -c 'rm Makefile'\n",
    "python3 -m pdb src/billing/x.py": 'open("Makefile", "w")\n',
    "bun run src/billing/x.ts": 'require("fs").writeFileSync("docs/n.md", "x")\n',
    "sed -i 's/hi/x > Makefile/' src/billing/hi.sh && sh src/billing/hi.sh": "echo hi\n",
    "python3 < src/billing/y.py": 'import subprocess\nsubprocess.run(["rm", "-f", "Makefile"])\n',
}
STAYING = {
    "bash src/billing/run.sh": 'set -euo pipefail\ncd "$(dirname "$0")"\n'
    'D=$(mktemp -d)\nmytool "$@" > "$D/x"\nrm -rf "$D"\n',
    "src/billing/run.sh src/billing/old": 'say() { printf "\\033[1m%s" "$1"; }\nsay hi\nrm -rf "$1"\n',
    "python3 src/billing/x.py": "import os, requests, subprocess\nsubprocess.run(['git', 'status'])\n"
    "open('src/billing/n', 'w')\nprint(os.environ.get('X'), requests.get('/api/users'))\n",
}


def placed(repo, command, text):
    """Write the script that a command runs."""
    words = command.replace("src.billing.x", "src/billing/x.py").split()
    repo.write("docs/a.md", "x\n")
    repo.write(next(word for word in words if "billing" in word), text)


@pytest.mark.parametrize("command", STRAYING)
def test_a_script_that_strays_is_refused_whoever_wrote_it(session, repo, command):
    placed(repo, command, STRAYING[command])

    assert refused(session, command) in ("OUT_OF_SCOPE", "DANGEROUS_COMMAND")


@pytest.mark.parametrize("command", STAYING)
def test_a_script_is_held_by_what_it_does_and_not_by_how_it_is_written(session, repo, command):
    placed(repo, command, STAYING[command])

    assert refused(session, command) is None


def test_what_the_last_commit_has_of_a_script_is_the_projects_own(session, repo):
    repo.write("docs/a.md", "x\n")
    for path in ("scripts/tool.sh", ".claude/tool.sh"):
        repo.write(path, "if true; then\n  rm -rf docs\nfi\n")
    assert refused(session, "bash scripts/tool.sh") == "OUT_OF_SCOPE"
    assert refused(session, "bash .claude/tool.sh") == "DANGEROUS_COMMAND"

    repo.commit("tools")
    assert refused(session, "bash scripts/tool.sh") is None
    assert refused(session, "bash .claude/tool.sh") is None
    repo.write("scripts/tool.sh", "if true; then\n  rm -rf docs\n  echo x > Makefile\nfi\n")
    assert refused(session, "bash scripts/tool.sh") == "OUT_OF_SCOPE"
    repo.write("scripts/tool.sh", "if true; then\n  rm -rf docs\n  echo x > src/billing/n\nfi\n")
    assert refused(session, "bash scripts/tool.sh") is None


def test_a_script_in_a_folder_for_temporary_files_is_read(session, tmp_path):
    script = tmp_path / "x.sh"
    script.write_text("echo x > src/billing/n\n")
    assert refused(session, f"bash {script}") is None

    script.write_text("echo x > docs/n.md; echo x > Makefile\n")
    assert refused(session, f"bash {script}") == "OUT_OF_SCOPE"
    script.write_text('rm "$WHATEVER"\n')
    assert refused(session, f"bash {script}") is not None


def test_a_script_that_runs_itself_is_refused_in_time(session, repo):
    repo.write("src/billing/run.sh", "src/billing/run.sh; src/billing/run.sh; src/billing/run.sh\n")

    assert refused(session, "src/billing/run.sh") == "DANGEROUS_COMMAND"


MAKEFILE = """\
OUT = ../../docs/n.md
all: build
\t@echo hi
build:
\ttouch \\
\t  $(OUT)
here: a.py
\tcp $< b.py; cat $$HOME > /dev/null
again:
\t$(MAKE) again
../../docs/z.md:
\techo x > $@
"""
PACKAGE = '{"scripts": {"prex": "echo \\"x\\" > ../../docs/n.md", "x": "true", "y": "echo x > n.md", "z": "npm run z"}}'


@pytest.mark.parametrize(
    ("command", "is_refused"),
    [
        ("make -C src/billing", True),
        ("cd src/billing && make here", False),
        ("make -C src/billing again", True),
        ("make -C src/billing ../../docs/z.md", True),
        ("npm --prefix src/billing run x", True),
        ("cd src/billing && npm run y", False),
        ("cd src/billing && yarn z", True),
    ],
)
def test_what_files_of_the_project_have_a_shell_run_is_held(session, repo, command, is_refused):
    repo.write("docs/a.md", "x\n")
    repo.write("src/billing/Makefile", MAKEFILE)
    repo.write("src/billing/package.json", PACKAGE)
    assert (refused(session, command) is not None) is is_refused

    repo.commit("all of it is the project's own now")
    assert refused(session, command) is None or "docs" in command


def test_what_comes_through_a_pipe_is_no_script(session):
    assert refused(session, "bash < <(echo rm README.md)") == "DANGEROUS_COMMAND"
    assert refused(session, "python3 < <(echo 'print(1)')") == "DANGEROUS_COMMAND"
    assert refused(session, "bash <(echo rm README.md)") == "DANGEROUS_COMMAND"


def test_what_is_installed_is_not_read(session, repo):
    repo.write(".venv/bin/activate", "deactivate() { unset X; }\ndeactivate nondestructive\nrm -rf ~/x\n")

    assert refused(session, "source .venv/bin/activate && pytest -q") is None
