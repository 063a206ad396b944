"""The bundle of what hooks load: the same answers with it as without, whatever became of it or of the sources."""

import _sre
import json
import os
import re
import subprocess
import sys
import sysconfig

import pytest

from linetrail.ledger.hook.bundle import _program
from linetrail.ledger.redact.secrets import RULES
from linetrail.ledger.shell.programs import listed
from tests.gated import REGISTRY
from tests.ledger.hook.conftest import ROOT, bundle_of

pytestmark = pytest.mark.in_turn


@pytest.fixture
def hook(start, repo):
    """Return a function that runs a hook before a command, under `block`, and returns what it says."""
    repo.write(".orchestration/config.yaml", "enforce: block\n")
    repo.write(".orchestration/active_intents.yaml", REGISTRY)

    def run(first="", command="echo a > Makefile", **more):
        call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": os.urandom(4).hex()}
        payload = {"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "PreToolUse"} | call
        process = [sys.executable, "-S", "-c", f"{first}{start}", "claude-code"]
        given, environment = json.dumps(payload).encode(), os.environ | more
        return subprocess.run(process, input=given, cwd=repo.path, capture_output=True, env=environment, check=True)

    return run


@pytest.mark.slow
def test_an_answer_is_the_same_with_a_bundle_as_without(hook, bundle):
    without = hook(PYTHONDONTWRITEBYTECODE="1")
    assert not bundle.exists()

    first, second, made = hook(), hook(), bundle.read_bytes()  # the second notes what modules import
    third = hook()

    answers = {(done.stdout, done.stderr) for done in (without, first, second, third)}
    assert len(answers) == 1
    assert b"INT-001" in third.stdout
    assert bundle.read_bytes() == made  # nothing else was loaded


JUDGE = """
import sys; sys.path[:0] = sys.argv[3:]
from linetrail.ledger.hook.bundle import use
bundle = use() if sys.argv[1] == "bundled" else None
from linetrail.ledger.shell.commands import judge
with open(sys.argv[2], encoding="utf-8") as file:
    for command in file:
        print(ascii(tuple(judge(command[:-1], "bash", root="/nowhere", here=""))))
print(judge.__annotations__ == {}, file=sys.stderr)
if bundle is not None:
    bundle.keep()
"""


@pytest.mark.slow
def test_commands_are_judged_the_same_by_what_is_translated(ledger, tmp_path):
    """Every fourth of the attacks and of the ordinary commands, by what Python compiles and by what hooks load."""
    files = sorted((ROOT / "benchmarks" / "ledger" / "gate_commands").iterdir())
    commands = [line for file in files for line in file.read_text().splitlines(keepends=True)]
    (tmp_path / "commands").write_text("".join(commands[::4]))
    folders = [str(ledger.parents[1]), sysconfig.get_path("platlib")]

    def judged(how):
        command = [sys.executable, "-S", "-c", JUDGE, how, str(tmp_path / "commands"), *folders]
        return subprocess.run(command, capture_output=True, check=True, text=True)

    plain, _, translated = judged("plain"), judged("bundled"), judged("bundled")

    assert (plain.stderr, translated.stderr) == ("False\n", "True\n")
    assert len(plain.stdout) > 25_000
    assert translated.stdout == plain.stdout


LOADED = """
import os, sys
end = os._exit
os._exit = lambda status: (os.write(2, " ".join(sys.modules).encode()), end(status))
"""


@pytest.mark.slow
@pytest.mark.usefixtures("bundled")
@pytest.mark.parametrize("command", ["echo a > Makefile", "make test", "CI=1 make", "pytest -q | tail"])
def test_what_costs_more_than_a_hook_is_not_loaded(hook, command):
    costly = {"ast", "collections", "enum", "functools", "hashlib", "inspect", "re._parser", "typing", "warnings"}
    hook(command=command)  # what the translated code loads in the place of what it was translated from
    hook(command=command)  # what modules import

    loaded = set(hook(LOADED, command).stderr.decode().split())

    assert "linetrail.ledger.gate.gate" in loaded
    assert loaded & costly == set()


@pytest.mark.slow
@pytest.mark.usefixtures("bundled")
def test_what_a_module_imports_is_loaded_with_it(hook):
    hook()
    hook()

    told = hook(PYTHONPROFILEIMPORTTIME="1").stderr.decode()
    loaded = hook(first=LOADED).stderr.decode().split()

    by_itself = {line.rpartition("|")[2].strip() for line in told.splitlines()}
    ours = {name for name in loaded if name.startswith("linetrail.ledger.")}
    assert "linetrail.ledger.hook.loop" in ours & by_itself
    assert len(ours - by_itself) > 3 * len(ours & by_itself)


LOOKED_FOR = """
import os
from _frozen_importlib_external import PathFinder
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *where: (os.write(2, name.encode() + b"\\n"), find(name, *where))[1]
"""


@pytest.mark.slow
@pytest.mark.usefixtures("bundled")
def test_nothing_is_looked_for_that_is_in_the_bundle(hook):
    hook()
    hook()

    looked_for = hook(first=LOOKED_FOR).stderr.decode().split()

    package = "linetrail.ledger.hook"
    assert looked_for == ["linetrail", "linetrail.ledger", package, f"{package}.entry", f"{package}.bundle"]


@pytest.mark.slow
def test_what_was_left_by_hooks_that_were_killed_is_removed(hook, bundle):
    left = [bundle.with_name(f"{bundle.name}.{process}") for process in (99991, 99992)]
    bundle.parent.mkdir(exist_ok=True)
    for file in left:
        file.write_bytes(b"half of it")
    os.utime(left[0], (1, 1))

    hook()

    assert [file.exists() for file in left] == [False, True]  # the other may yet be at work
    assert bundle.exists()


@pytest.mark.slow
@pytest.mark.usefixtures("bundled")
def test_a_source_that_has_changed_counts_at_once(hook, spoil):
    spoil("gate/gate.py", more='import os\nos.write(2, b"changed")\n')

    assert hook().stderr == b"changed"
    assert hook().stderr == b"changed"


OPENED = """
import sys; sys.path[:0] = sys.argv[1:]
from linetrail.ledger.hook.bundle import use
bundle = use()
sys.addaudithook(lambda event, args: print(args[0]) if event == "open" and args[0].endswith(".txt") else None)
from linetrail.ledger.shell.commands import judge
print(judge("pytest --mystery").unseen is None)
bundle.keep()
"""


@pytest.mark.slow
def test_a_table_is_opened_where_it_has_changed_alone(ledger, spoil):
    def judged():
        command = [sys.executable, "-S", "-c", OPENED, str(ledger.parents[1]), sysconfig.get_path("platlib")]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()

    *opened, is_known = judged()
    assert {os.path.basename(file).removesuffix(".txt") for file in opened} == {"readers", *listed.FILES}
    assert is_known == "False"
    assert judged() == ["False"]

    spoil("shell/programs/known/checks.txt", more="\npytest\n  options: mystery^\n")

    assert judged() == [str(ledger / "shell/programs/known/checks.txt"), "True"]
    assert judged() == ["True"]


@pytest.mark.slow
@pytest.mark.usefixtures("ledger")
def test_a_source_that_is_broken_breaks_nothing_else(hook, spoil):
    spoil("hook/gatekeeper.py", "def broken(:\n")

    done = hook()

    assert b"could not judge" in done.stdout
    assert done.stderr == b""
    assert hook().stdout == done.stdout


@pytest.mark.usefixtures("bundled")
def test_a_source_that_is_gone_is_not_loaded(hook, spoil):
    spoil("hook/loop.py")

    assert b"HOOK_BROKEN" in hook().stdout


@pytest.mark.daily(0, 2)
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: content[:0], id="empty"),
        pytest.param(lambda content: content[: len(content) // 2], id="cut in half"),
        pytest.param(lambda content: content[:8], id="without an index"),
        pytest.param(lambda content: b"\0" * len(content), id="nothing but zeros"),
    ],
)
def test_a_bundle_that_is_damaged_is_made_again(hook, bundled, damage):
    bundle = bundle_of(bundled)
    expected = hook().stdout
    bundle.write_bytes(damage(bundle.read_bytes()))

    # what was damaged is noticed, then what the first could still read is added, then what modules import
    assert [hook().stdout for _ in range(3)] == [expected] * 3
    made = bundle.read_bytes()
    assert hook().stdout == expected
    assert bundle.read_bytes() == made


@pytest.mark.slow
def test_a_bundle_that_cannot_be_written_is_done_without(hook, bundle):
    bundle.mkdir(parents=True)

    assert b"deny" in hook().stdout
    assert os.listdir(bundle.parent).count(bundle.name) == 1
    assert [name for name in os.listdir(bundle.parent) if not name.endswith(".pyc")] == [bundle.name]


@pytest.mark.slow
def test_patterns_of_a_repository_stay_out_of_it(hook, bundle, repo):
    repo.write(".intentignore", "peculiar-name-*.txt\n")
    repo.write(".orchestration/.intentignore", "peculiar-name-*.txt\n")
    repo.write(".orchestration/active_intents.yaml", REGISTRY.replace("src/billing", "src/peculiar-name"))

    hook()

    assert b"peculiar-name" not in bundle.read_bytes()


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [*((rule.pattern, 0) for rule in RULES[::9]), (rb"(?P<name>a+)(b)?", re.DOTALL.value), ("(?ix) É | x{2,}", 0)],
)
def test_a_pattern_is_made_as_re_compiles_it(pattern, flags):
    made, compiled = _sre.compile(pattern, *_program(pattern, flags)), re.compile(pattern, flags)

    assert made == compiled
    assert (made.flags, made.groups, made.groupindex) == (compiled.flags, compiled.groups, compiled.groupindex)


@pytest.mark.slow
@pytest.mark.usefixtures("bundled")
def test_an_interpreter_without_the_private_modules_answers_the_same(hook):
    known = hook()

    other = hook(first="import re, signal, sys; sys.modules |= dict.fromkeys(('_sre', '_signal', '_sha1', '_sha3')); ")

    assert json.loads(known.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert (other.stdout, other.stderr) == (known.stdout, known.stderr)
