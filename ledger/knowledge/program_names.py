"""Names of programs, sorted by what their failing means: the tables of programs.py."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# wrapper -> how many words of its own stand before the program that it runs
WRAPPERS = dict.fromkeys(
    _words("sudo doas env nice nohup exec command builtin stdbuf ionice setsid npx bunx xvfb-run"), 0
) | {"timeout": 1, "gtimeout": 1}
# the same, where a verb says so
RUNNERS = {
    "uv": {"run"},
    "poetry": {"run"},
    "pipenv": {"run"},
    "pdm": {"run"},
    "rye": {"run"},
    "hatch": {"run"},
    "bundle": {"exec"},
    "pnpm": {"exec", "dlx"},
    "yarn": {"exec", "dlx"},
    "npm": {"exec"},
    "bun": {"x"},
    "conda": {"run"},
}
# options that are followed by a value of their own, wherever they stand before the program or its verb
WITH_VALUE = _words("""
    -C -c -n -u -g -k -s -p -j --prefix --cwd --directory --project --with --extra --group --python --package -f --file
    --manifest-path --git-dir --work-tree --filter -w --workspace --signal --kill-after
""")
SHELLS = _words("bash sh zsh dash ksh fish")
INTERPRETERS = SHELLS | _words("node ruby perl php deno bun ts-node tsx Rscript source .")
# what they do depends on their first word
WITH_VERB = _words("""
    git npm pnpm yarn bun cargo go docker podman kubectl helm pip pip3 uv poetry pdm hatch make gmake just task rake tox
    nox terraform gh glab dotnet mvn mvnw gradle gradlew bundle rails composer apt apt-get brew nx turbo deno swift mix
    zig bazel ninja systemctl aws gcloud az conda pre-commit linetrail invoke inv cmake meson ant sbt lein stack cabal
    dune flutter dart hg svn jj biome next vite ng alembic flask django-admin
""")
TWO_VERBS = frozenset(
    {
        "npm run",
        "pnpm run",
        "yarn run",
        "bun run",
        "npm run-script",
        "docker compose",
        "uv pip",
        "git stash",
        "git remote",
        "git submodule",
        "git worktree",
        "go mod",
        "go tool",
        "cargo nextest",
        "gh pr",
        "gh run",
    }
)
# prepare for what follows
PREPARATIONS = _words("cd pushd popd export source . set unset echo printf mkdir true : sleep wait trap umask")
# pass text on and, at the end of a pipeline, do not fail for what stands before them
FILTERS = _words("tail head cat tee less more sort uniq wc tr cut column fold nl tac rev sponge ts")

# program, perhaps with its verb -> the statuses by which it answers a question
ANSWERS = dict.fromkeys(
    _words("""
        grep egrep fgrep zgrep rg ag ack ugrep test [ [[ (( diff cmp sdiff colordiff zdiff pgrep pidof which type hash
        getent expr let lsof fuser mountpoint tty
    """),
    frozenset({1}),
) | {
    "command": frozenset({1, 127}),
    "jq": frozenset({1, 4}),
    "git grep": frozenset({1}),
    "git diff": frozenset({1}),
    "git diff-index": frozenset({1}),
    "git diff-files": frozenset({1}),
    "git diff-tree": frozenset({1}),
    "git merge-base": frozenset({1}),
    "git check-ignore": frozenset({1}),
    "git show-ref": frozenset({1, 2}),
    "git config": frozenset({1}),
    "git ls-files": frozenset({1}),
    "git ls-remote": frozenset({2}),
    "systemctl is-active": frozenset({3}),
    "systemctl is-enabled": frozenset({1}),
    "npm outdated": frozenset({1}),
}

TESTS, LINT, TYPES, CHECK = "TESTS_FAILED", "LINT_FAILED", "TYPES_FAILED", "CHECK_FAILED"
# program -> what its failing says about the work
CHECKERS = (
    dict.fromkeys(
        _words("""
            pytest py.test unittest nose2 trial tox nox jest vitest mocha ava tap jasmine karma cypress playwright
            phpunit pest rspec ctest bats behave cucumber gotestsum nextest minitest testem stestr hurl newman k6 busted
            shellspec doctest
        """),
        TESTS,
    )
    | dict.fromkeys(
        _words("""
            ruff flake8 pylint pycodestyle pydocstyle pyflakes black isort yapf eslint standard xo prettier stylelint
            biome oxlint tslint rubocop golangci-lint staticcheck golint gofmt gofumpt rustfmt clippy-driver shellcheck
            shfmt hadolint yamllint markdownlint markdownlint-cli2 actionlint ansible-lint sqlfluff phpcs php-cs-fixer
            ktlint detekt checkstyle swiftlint clang-format clang-tidy cppcheck tflint vale codespell bandit semgrep
            credo lint-imports import-linter djlint jshint
        """),
        LINT,
    )
    | dict.fromkeys(_words("mypy pyright basedpyright pyre pytype ty tsc vue-tsc svelte-check phpstan psalm"), TYPES)
    | dict.fromkeys(_words("pre-commit lefthook"), CHECK)
)
# what a verb, or a word in the name of a script, says about what it does
VERBS = (
    dict.fromkeys(_words("test tests spec specs e2e coverage cov t tst nextest pytest unittest"), TESTS)
    | dict.fromkeys(_words("lint linter clippy vet fmt format style eslint ruff"), LINT)
    | dict.fromkeys(_words("typecheck types tsc mypy pyright typing"), TYPES)
    | dict.fromkeys(_words("check checks verify ci validate precommit"), CHECK)
)
# whose verbs say something else
NO_CHECKS = _words("""
    git hg svn jj docker podman kubectl helm pip pip3 uv poetry apt apt-get brew terraform gh glab systemctl aws gcloud
    az conda linetrail
""")
# which install
INSTALLERS = frozenset({"npm ci", "pnpm ci", "yarn ci", "bun ci"})
