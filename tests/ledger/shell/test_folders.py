"""Where a command writes, from every folder in which the shell may stand: as bash and as zsh."""

import pytest

from linetrail.ledger.shell.commands import judge


def written(command, **around):
    return set(judge(command, **around).writes)


@pytest.mark.parametrize(
    ("command", "writes"),
    [
        pytest.param("(cd src && ls); echo x > M", {"M"}, id="a subshell restores it"),
        pytest.param("ls $(cd src && pwd); echo x > M", {"M"}, id="so does a substitution"),
        pytest.param('D="$(cd src && pwd)"; echo x > M', {"M"}, id="so does one that is assigned"),
        pytest.param("cd src & echo x > M", {"M"}, id="so does the background"),
        pytest.param("cd src; echo x > M", {"M", "src/M"}, id="a cd that may have failed leaves both"),
        pytest.param("cd src && echo x > M", {"src/M"}, id="one that has succeeded leaves one"),
        pytest.param("cd src || echo x > M", {"M"}, id="one that has failed leaves the other"),
        pytest.param("cd src || exit 1; echo x > M", {"src/M"}, id="nobody goes on behind an exit"),
        pytest.param("cd src || exit 1 2; echo x > M", {"M", "src/M"}, id="unless that fails as well"),
        pytest.param("cd src || { echo no; exit 1; }; echo x > M", {"src/M"}, id="an exit in a group"),
        pytest.param("! cd src; echo x > M", {"M", "src/M"}, id="turned round"),
        pytest.param("ls | cd src; echo x > M", {"M", "src/M"}, id="the last of a pipe is this shell in zsh"),
        pytest.param("if cd src; then echo x > A; else echo x > B; fi", {"src/A", "B"}, id="a choice knows"),
        pytest.param("if a; then cd src; fi; echo x > M", {"M", "src/M"}, id="a choice unites"),
        pytest.param("case a in b) cd src;; esac; echo x > M", {"M", "src/M"}, id="cases unite"),
        pytest.param("for d in a b; do cd src; done; echo x > M", {"M", "src/M", "src/src/M"}, id="a loop unites"),
        pytest.param("cd src && cd .. && echo x > M", {"M", "src/../M"}, id="as the shell and as the kernel goes back"),
        pytest.param('cd "src*" && touch "{a,b}"', {"src*/{a,b}"}, id="what is quoted is no pattern"),
        pytest.param("pushd src && echo x > M", {"src/M"}, id="one that the shell remembers"),
        pytest.param("time cd src; echo x > M", {"M", "src/M"}, id="behind a word of the shell"),
        pytest.param("false || cd src && echo x > M", {"M", "src/M"}, id="and and or from the left"),
    ],
)
def test_a_write_is_told_from_every_folder(command, writes):
    assert {path for path in written(command) if not path.startswith("src/src/src")} == writes


@pytest.mark.parametrize(
    "command",
    [
        "cd $X && echo x > M",
        "cd - && echo x > M",
        "popd; echo x > M",
        "eval 'cd src'; echo x > M",
        "f() { cd src; }; f; echo x > M",
        "f() { cd ..; }; cd src && f; echo x > M",
        "source x.sh; echo x > M",
        "repeat 2 cd ..; echo x > M",
        "while cd ..; do :; done; echo x > M",
        "shopt -s cdable_vars; cd src; echo x > M",
        "trap 'cd ..' DEBUG; ls; echo x > M",
        "cdpath=(x); cd src; echo x > M",
    ],
)
def test_nobody_writes_from_a_folder_that_only_the_running_shell_knows(command):
    assert judge(command).cls == "dangerous"


def test_what_activates_an_environment_goes_nowhere():
    assert written("source .venv/bin/activate && echo x > M") == {"M"}


@pytest.mark.parametrize(
    "command",
    [
        "echo x >! M",
        "printf '{}' >! .claude/settings.json",
        "printf x >! .git/hooks/pre-commit",
        "echo x >>! M",
        "echo x >&! M",
        "rm <1-9>.txt",
        "ls =rm",
        "echo $x[1] > M",
        "touch $x:h/M",
        "rm $=x",
        "rm $~x",
        "rm *(.)",
        "ls *(e:'rm M':)",
    ],
)
def test_what_bash_and_zsh_read_differently_is_refused_with_a_reason(command):
    judged = judge(command)

    assert judged.cls == "dangerous"
    assert "cannot be followed" in judged.reason


def test_protection_is_tested_on_each_joined_path():
    assert judge("cd .git && echo x > hooks/pre-commit").cls == "dangerous"
    assert judge("(cd ../src/billing); printf x > hooks/pre-commit", here=".git").cls == "dangerous"
    assert judge("cd ..; printf x > .claude/settings.json", here="src").cls == "dangerous"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("while true; do :; done", "destructive"),
        ("while :; do ls; done", "destructive"),
        ("until false; do ls; done", "destructive"),
        ("while sleep 1; do ls; done", "destructive"),
        ("for ((;;)); do ls; done", "destructive"),
        ("while true; do ls; break; done", "safe"),
        ("printf '* -merge\\n' > .gitattributes", "dangerous"),
        ("echo '* filter=x' >> .gitattributes", "dangerous"),
        ("echo '*.png binary' >> .gitattributes", "destructive"),
        ("cd src && echo x > /dev/fd/../../../M", "dangerous"),
    ],
)
def test_more_labels(command, expected):
    assert judge(command).cls == expected


def test_loops_in_loops_that_go_elsewhere_are_answered():
    command = "for a in x; do cd a; " * 12 + "ls; " + "done; " * 12

    assert judge(command).cls in ("safe", "destructive", "dangerous")


def test_a_stated_command_reads_only_where_the_shell_surely_stands_at_the_root():
    def cls(command, here=""):
        return judge(command, here=here, reading=("make lint", "npm run check")).cls

    assert cls("make lint") == "safe"
    assert cls("make lint 2>&1 | tail -5 && npm run check") == "safe"
    assert cls("make lint SHELL=x") != "safe"
    assert cls("make lint x") != "safe"
    assert cls("cd src && make lint") != "safe"
    assert cls("make lint", here="src") != "safe"
    assert cls("SHELL=/tmp/x make lint") == "dangerous"
    assert cls("make() { rm x; }; make lint") == "dangerous"


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("git diff --output P", {"P"}),
        ("git diff --outp=P", {"P"}),
        ("cp --target-dir D a", {"D", "D/a"}),
        ("tar --create --file P a", {"P"}),
        ("tar --cre --fil P a", {"P"}),
        ("tar -czfP a", {"P"}),
        ("gcc -oP a.c", {"P"}),
        ("sed -n 'w P' a", {"P"}),
        ("curl -sSLo P https://example.com", {"P"}),
        ("find . -exec cp {} P ';'", {"P/*"}),
        ("pytest -q --junitxml=P tests/x.py", {"P"}),
        ("mypy --strict src", set()),
        ("black src/x.py", {"src/x.py"}),
        ("black --check src/x.py", set()),
        ("ruff check src", set()),
        ("ruff check --fix src", {"src"}),
        ("ruff format", {"."}),
        ("gofmt -l -w src", {"src"}),
        ("npm run build", set()),
        ("git commit -m 'fix P'", set()),
        ("python3 -m cProfile -o P x.py", {"P"}),
        ("mystery -o P", {"P"}),
        ("mystery -o json", {"json"}),
        ("tar -tf a.tar --index-file=P", {"P"}),
        ("tar -cg P -f /dev/null a", {"P"}),
        ("gcc -dumpdir D/ -o P a.c", {"D/", "P"}),
        ("npm --prefix D pkg set a=b", {"D/package.json"}),
        ("COVERAGE_FILE=P pytest", {"P"}),
        ("PYTEST_ADDOPTS=--junitxml=P pytest", {"P"}),
    ],
)
def test_the_words_that_a_program_may_write_are_named(command, names):
    found = {name.removeprefix("./") or "." for name in judge(command).names}
    assert found - {"cp", "{}"} == names
