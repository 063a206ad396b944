"""Programs held by what is known of them: their verbs and options, what they make, what a person states."""

import pytest

from tests.gated import BLOCK, refused


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("package.json", '{"name": "x", "bin": {"other": "a.js", "mystery-tool": "./cli.js"}}'),
        ("package.json", '{"name": "@x/mystery-tool", "bin": "./cli.js"}'),
        ("pyproject.toml", '[project.scripts]\nother = "a:b"\nmystery-tool = "x:main"\n'),
        ("Cargo.toml", '[package]\nname = "mystery-tool"\n'),
        ("cmd/mystery-tool/main.go", "package main\n"),
    ],
)
def test_a_program_that_the_project_makes_is_held_by_its_words(session, repo, file, content):
    repo.write("Makefile", "x\n")
    assert refused(session, "mystery-tool run fast") == "DANGEROUS_COMMAND"
    repo.write(file, content)

    assert refused(session, "mystery-tool run fast") is None
    assert refused(session, "mystery-tool Makefile") == "OUT_OF_SCOPE"
    assert refused(session, "mystery-too run fast") == "DANGEROUS_COMMAND"


@pytest.mark.parametrize(
    "command",
    [
        "mystery-tool",
        "mystery-tool src/billing/a.py",
        "mystery-tool run fast",
        "/opt/tools/mystery-tool run fast",
        "node_modules/.bin/mystery-tool run fast",
        "find src/billing -exec mystery-tool {} +",
        "timeout 5 mystery-tool",
        "python3 -m mystery-tool",
    ],
)
def test_a_program_that_nobody_knows_is_refused_with_the_way_out(session, command):
    told = session.ask("Bash", command=command)

    assert session.code(told) == "DANGEROUS_COMMAND"
    assert "commands: [{match: mystery-tool, is: runs}]" in told["permissionDecisionReason"]


def test_a_module_of_the_project_runs(session):
    session.repo.write("src/billing/tool.py", "x\n")

    assert session.ask("Bash", command="python3 -m src.billing.tool") == {}
    assert refused(session, "python3 -m src.billing.other") == "DANGEROUS_COMMAND"
    assert refused(session, "git mailinfo a b < README.md") == "DANGEROUS_COMMAND"


def test_a_program_of_the_project_is_held_by_its_words(gated, repo):
    repo.write("Makefile", "x\n")
    session = gated(f"{BLOCK}commands: [{{match: mystery-tool, is: runs}}]\n")
    session.select("INT-001")

    assert session.ask("Bash", command="mystery-tool run fast") == {}
    assert refused(session, "mystery-tool Makefile") == "OUT_OF_SCOPE"
    assert refused(session, "another-tool run fast") == "DANGEROUS_COMMAND"


@pytest.mark.parametrize(
    "command",
    [
        "pytest --debug=new",
        "eslint --cache --cache-location new src/billing",
        "rustc --emit=asm=new src/billing/a.rs",
        "psql -L new -c 'select 1'",
        "SNAPSHOTS=src/auth/new pytest -q",
        "cmake -E touch new",
        "gcc -Wl,-Map,new src/billing/a.c -o /tmp/a",
        "sed -n wnew README.md",
        "perl -MExtUtils::Command -e touch new",
        "ruff check --config 'cache-dir=\"new\"' src/billing",
        'npx jest --config \'{"coverageDirectory":"new"}\'',
        "pylint -f text:src/auth/new src/billing",
        "npx nx graph --file=new",
        "yarn exec 'echo x > new'",
        "gawk -p 'BEGIN {}'",
        "celery -A x beat -s src/auth/new",
        "FFREPORT=file=new.log ffmpeg -i a -f null -",
        "identify msl:new",
        "conda create --prefix=new x",
        "COMPOSER_HOME=new composer install",
    ],
)
def test_what_no_row_knows_of_a_known_program_names_a_place(session, command):
    assert refused(session, command) == "OUT_OF_SCOPE"


@pytest.mark.parametrize(
    ("command", "program"),
    [
        pytest.param("pytest -q --mystery", "pytest", id="an option"),
        pytest.param("python3 -m pytest -Z", "pytest", id="a letter"),
        pytest.param("npx jest --mystery=1", "jest", id="an option of a tool of the project"),
        pytest.param("cargo build --mystery", "cargo", id="an option behind a verb"),
        pytest.param("npm mystery", "npm", id="a verb"),
        pytest.param("go mod mystery", "go", id="a verb of a verb"),
        pytest.param("ls --mystery", "ls", id="an option of a reader"),
        pytest.param("uv run ruff check --mystery", "ruff", id="an option behind what runs it"),
        pytest.param("composer validate --warnings-as-errors", "composer", id="an option of another program"),
        pytest.param("pytest --no-mystery", "pytest", id="an option that takes away"),
        pytest.param("git tag --no-mystery x", "git-tag", id="what git knows nothing of, taken back"),
        pytest.param("sort -unique src/billing/a.py", "sort", id="a long option behind one dash"),
        pytest.param("go vet -fix ./...", "go", id="letters of options that never stand together"),
        pytest.param("deno test --coverage", "deno", id="an option behind a verb of what runs scripts"),
        pytest.param("npm -- update x", "npm", id="a verb behind the end of the options"),
        pytest.param("pulumi preview", "pulumi", id="a program that is judged and has no row"),
        pytest.param("json total", "json", id="a module of Python as a program"),
        pytest.param("zip -s 1m src/billing/a.zip", "zip", id="an option that no ordinary call has"),
        pytest.param("gcc -pg -o src/billing/a src/billing/a.c", "gcc", id="a letter of it that writes elsewhere"),
        pytest.param("ffmpeg -i src/billing/a.mp4 src/billing/b.mp4", "ffmpeg", id="a program that agents do not run"),
    ],
)
def test_what_no_row_lists_of_a_known_program_is_refused_until_a_person_states_it(gated, command, program):
    statement = f"commands: [{{match: {program}, is: runs}}]"
    session = gated(BLOCK)
    session.select("INT-001")

    told = session.ask("Bash", command=command)
    assert session.code(told) == "DANGEROUS_COMMAND"
    assert statement in told["permissionDecisionReason"]

    stated = gated(f"{BLOCK}{statement}\n")
    stated.select("INT-001")
    assert stated.ask("Bash", command=command) == {}


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("pytest -q --cov", ".coverage"),
        ("coverage run -m pytest", ".coverage"),
        ("pytest --cov-report=xml -q", "coverage.xml\nhtmlcov\ncoverage.*"),
        ("uv venv", ".venv"),
        ("uv venv --python 3.12", ".venv"),
        ("npx jest --coverage", "coverage"),
        ("go test -c", "*.test"),
        ("python3 -m build", "dist"),
    ],
)
def test_what_a_tool_keeps_where_it_stands_is_written_there_unless_git_ignores_it(session, command, kept):
    session.repo.write("pyproject.toml", "[project]\n")

    assert refused(session, command) == "OUT_OF_SCOPE"

    session.repo.write(".gitignore", f"{kept}\n")
    assert session.ask("Bash", command=command) == {}


@pytest.mark.parametrize("command", ["cargo build", "uv sync", "uv venv src/billing/v", "go test -c -o src/billing/t"])
def test_a_tool_keeps_nothing_where_it_does_not_begin_or_is_told_another_place(session, command):
    assert session.ask("Bash", command=command) == {}


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("npm install", "package-lock.json"),
        ("npm i ./src/billing", "package-lock.json and 1 more"),
        ("cd src/billing && npm install", "package-lock.json"),
        ("pnpm add x", "and 2 more"),
        ("yarn", "yarn.lock"),
        ("uv lock", "uv.lock"),
        ("uv sync", "uv.lock"),
        ("poetry version patch", "pyproject.toml"),
        ("cargo check", "Cargo.lock"),
        ("cargo add x", "Cargo.toml"),
        ("go mod tidy", "go.mod and 1 more"),
        ("go build ./cmd/x", "x"),
        ("cd cmd && go build ./x", "cmd/x"),
        ("npx tsc -p .", "lib"),
        ("tox", ".tox"),
        ("cmake -S .", "CMakeCache.txt"),
        ("npx cypress run", "cypress"),
        ("npx prisma generate", "client"),
        ("npx prisma generate --schema prisma/schema.prisma", "client"),
        ("dotnet build", "bin"),
    ],
)
def test_a_manifest_a_lock_file_and_what_is_built_lie_where_the_project_begins(session, command, made):
    for name, text in {
        "package.json": "{}",
        "pyproject.toml": "",
        "Cargo.toml": "",
        "go.mod": "module m\n",
        "cmd/x/main.go": "package main\n",
        "tsconfig.json": '{"compilerOptions": {"outDir": "lib"}}',
        "prisma/schema.prisma": 'generator client {\n  output = "../client"\n}\n',
    }.items():
        session.repo.write(name, text)

    told = session.ask("Bash", command=command)
    assert session.code(told) == "OUT_OF_SCOPE"
    assert made in told["permissionDecisionReason"]

    session.repo.write(
        ".gitignore",
        "package*\n*.lock\n*.toml\ngo.*\n/x\ncmd/x\nlib/\n.*/\npnpm*\ntarget/\n*.txt\nCMakeFiles\ncypress\nclient/\nbin/\nobj/\n",
    )
    assert session.ask("Bash", command=command) == {}


@pytest.mark.parametrize(
    "command",
    [
        "npm ci",
        "yarn install --immutable",
        "go build ./...",
        "go build ./lib",
        "npx tsc --noEmit",
        "yarn lints",
        "gradle help",
    ],
)
def test_what_only_brings_what_is_locked_or_keeps_nothing_passes(session, command):
    for name in ("Cargo.toml", "go.mod", "lib/a.go"):
        session.repo.write(name, "")
    session.repo.write("package.json", '{"scripts": {"lints": "true"}}')

    assert session.ask("Bash", command=command) == {}


@pytest.mark.parametrize(
    "command",
    [
        "npm config set fund false",
        "pip config set global.x y",
        "go telemetry on",
        "npm link",
        "mise trust",
        "yarn plugin import x",
        "pnpm setup",
        "git config user.name 'A B'",
        "git config a.b c",
        "git remote add x y",
        "git branch --set-upstream-to=origin/main",
        "git submodule update --init",
    ],
)
def test_settings_of_a_person_and_of_git_are_refused(session, command):
    assert refused(session, command) == "DANGEROUS_COMMAND"


@pytest.mark.parametrize(
    "command",
    [
        "make -C ../outside",
        "make -f../outside/Makefile",
        "cd src && make --directory=../../outside",
        "npm --prefix ../outside test",
        "cargo -C ../outside build",
        "docker compose -f ../outside/a.yml up",
        "rake -f ../outside/Rakefile",
        "cmake -S ../outside -B src/billing/b",
    ],
)
def test_what_takes_its_orders_from_outside_of_the_repository_is_refused(session, command):
    assert refused(session, command) == "DANGEROUS_COMMAND"


@pytest.mark.parametrize(
    "command",
    [
        "O=auth make",
        "make O=auth",
        "make BUILDDIR=auth V=1",
        "yarn workspace x add y",
        "cmake --build auth",
        "ninja -C auth",
    ],
)
def test_a_place_that_is_told_by_a_variable_or_for_another_folder_is_held(session, command):
    session.repo.write("src/package.json", "{}")

    assert refused(session, f"cd src && {command}") == "OUT_OF_SCOPE"


@pytest.mark.parametrize(
    "command",
    [
        "make -C src/billing all",
        "make -C /tmp/x",
        "make V=1 AGENT=kiro test",
        "cd src && make -C ..",
        "ninja -C out",
        "cmake --build out",
    ],
)
def test_what_is_built_from_within_the_repository_runs(session, command):
    session.repo.write(".gitignore", "/out/\n")

    assert session.ask("Bash", command=command) == {}


def test_what_make_makes_by_a_rule_of_its_own_is_held(session):
    session.repo.write("scripts/run.sh", "echo\n")
    session.repo.write("Makefile", ".PHONY: run\nrun: ; sh scripts/run.sh\n")
    session.repo.write("run.sh", "echo\n")

    assert refused(session, "make -C scripts run") == "OUT_OF_SCOPE"
    assert refused(session, "make run") is None
    assert refused(session, "make -C scripts clean") is None


def test_a_person_may_state_a_wrapper_too(gated):
    session = gated(f"{BLOCK}commands: [{{match: time, is: runs}}]\n")
    session.select("INT-001")

    assert session.ask("Bash", command="time --mystery make") == {}
    assert refused(session, "time --mystery touch Makefile") == "OUT_OF_SCOPE"


@pytest.mark.parametrize(
    "command",
    [
        "bash -euo pipefail -c 'rm Makefile'",
        "bash -c -o pipefail 'rm Makefile'",
        "bash -ceuo pipefail 'rm Makefile'",
        "bash -O extglob -c 'rm Makefile'",
        "echo | xargs -L1 cp README.md docs/n",
        "git remote -v add x y",
        "gh run download 1",
        "echo ${$(touch Makefile)}",
        "sed -i'../auth/*' 1d src/billing/a.py",
    ],
)
def test_options_hide_neither_a_text_nor_a_place(session, command):
    assert session.ask("Bash", command=command) != {}


def test_options_of_git_are_listed(session):
    assert refused(session, "git commit --mystery -m x") == "DANGEROUS_COMMAND"


def test_what_is_exported_later_is_told_to_programs(session):
    assert refused(session, "X=src/auth/new; export X; make") == "OUT_OF_SCOPE"
    assert session.ask("Bash", command="time X=1 make") == {}
    assert refused(session, "time X=src/auth/new make") == "OUT_OF_SCOPE"
    assert refused(session, "time -o src/billing/t --mystery make") == "DANGEROUS_COMMAND"


@pytest.mark.parametrize(
    "command",
    [
        "pytest -qx --lf -k round src/billing",
        "npm run build -- --mystery",
        "go run ./cmd/tool sync --mystery",
        "uv run tool --mystery",
        "python3 src/billing/a.py --mystery",
        "gcc -Wall -O2 -fsyntax-only src/billing/a.c",
    ],
)
def test_what_stands_behind_what_is_run_belongs_to_that(session, command):
    assert session.ask("Bash", command=command) == {}


def test_a_person_states_what_reads(session):
    assert session.ask("Bash", command="make lint | tail -3") == {}
    told = session.ask("Bash", command="mystery-tool Makefile")
    assert 'commands: [{match: "mystery-tool Makefile", is: reads}]' in told["permissionDecisionReason"]


@pytest.mark.parametrize(
    ("stated", "wrong"),
    [
        ("[make lint]", "expected"),
        ("[{match: make lint}]", "expected `match` and `is`"),
        ("[{match: make lint, is: writes}]", "expected one of reads, runs"),
        ("[{match: mystery-tool run, is: runs}]", "not the name of a program"),
        ("[{match: 'make lint; ls', is: reads}]", "not one plain command"),
        ("[{match: sudo make, is: reads}]", "cannot be stated to read"),
    ],
)
def test_a_statement_that_is_none_is_an_error_with_its_line(gated, stated, wrong):
    session = gated(f"{BLOCK}commands: {stated}\n")

    told = session.ask("Write", file_path=str(session.repo.path / "src/billing/a.py"), content="x")

    assert session.code(told) == "SETTINGS_MALFORMED"
    assert wrong in told["permissionDecisionReason"]


@pytest.mark.parametrize(
    "command",
    [
        "for f in $(git ls-files '*.py'); do ruff check \"$f\"; done",
        'git ls-files | while read -r f; do ruff check "$f"; done',
        "while read -r f; do ruff check \"$f\"; done < <(find src -name '*.py')",
        "find src -name '*.py' | xargs ruff check",
        "git diff $(git merge-base main HEAD)..HEAD --stat",
        "B=$(git rev-parse HEAD); git show $B --stat",
        "git log --format='%h %an' | while read hash _; do git show $hash; done | head",
        "F=src/billing/a.py; pytest ${F%.py}",
        'ARGS="-q -x"; pytest $ARGS',
        'pytest -k "$K"',
        "wc -l $(cat names.txt)",
        'head -5 "$f"',
    ],
)
def test_a_word_that_is_surely_no_option_may_be_unknown(session, command):
    assert refused(session, command) is None


@pytest.mark.parametrize(
    "command",
    [
        "git ls-files --format=-oNEW",
        "git rev-parse -oNEW",
        "git diff --name-only --line-prefix=-o",
        "grep -l --label=-oNEW x -",
        "find src -printf -oNEW",
        "find src -ls",
        "ls src/billing",
        "git ls-tree --name-only HEAD:src/billing",
        "find src -type f | tail -c 5",
        "date +-oNEW",
        "cat names.txt",
    ],
)
def test_what_may_print_an_option_is_no_list_of_names(session, command):
    assert refused(session, f"sort $({command})") is not None
    assert refused(session, f"{command} | xargs sort") is not None


@pytest.mark.parametrize(
    "command",
    [
        "GOOS=linux go build ./...",
        "MY_FLAG=1 RUST_LOG=debug APP_ENV=test pytest -q",
        "STRATEGY=manual-commit pytest -q",
        "DJANGO_SETTINGS_MODULE=src.settings python3 manage.py check",
        "PYTHONPATH=src pytest -q",
    ],
)
def test_a_variable_that_names_no_place_and_loads_nothing_is_told(session, command):
    assert refused(session, command) is None
