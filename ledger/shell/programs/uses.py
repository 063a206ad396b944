"""What programs do with the words they are given, as data: which they only read, and where they write.

A program that does not stand here may write whatever it is given. A row that is missing costs a question, a row that is
wrong costs a file.
"""

from typing import NamedTuple


class Use(NamedTuple):
    """One program.

    `operands`: it only `read`s them, they are `word`s that name no path unless spelled like one, all behind a `script` are, or it `write`s them, all but the `first`, or that
    one `only`.
    `outputs` are options whose value it writes, letters and names; `inputs` those whose value it reads. `edits` are
    options with which it writes its operands, `spares` those with which it does not; `default` is what it then writes
    where it is given nothing. The value of `choices` is a name, and held where it is spelled like a path.
    """

    operands: str = "read"
    outputs: frozenset[str] = frozenset()
    inputs: frozenset[str] = frozenset()
    edits: frozenset[str] = frozenset()
    spares: frozenset[str] = frozenset()
    default: str = ""
    choices: frozenset[str] = frozenset()


class _Row(NamedTuple):
    """The same as it is written here: a call asks for one of them, so no other is taken apart."""

    operands: str = "read"
    out: str = ""
    into: str = ""
    edits: str = ""
    spares: str = ""
    default: str = ""
    choices: str = ""


def use_of(name: str) -> Use | None:
    """Return what a program does with its words; None of one that nobody knows."""
    row = USES.get(name)
    return _taken(row) if row is not None else None


def _taken(row: _Row) -> Use:
    return Use(
        row.operands,
        words(row.out),
        words(row.into),
        words(row.edits),
        words(row.spares),
        row.default,
        words(row.choices) | _CHOICES,
    )


def _without(words: str, one: str) -> str:
    return " ".join(word for word in words.split() if word != one)


def words(text: str) -> frozenset[str]:
    """Return words that stand together in a text."""
    return frozenset(text.split())


# Options whose value is a name or a choice, whatever program it is; any other that no row knows has a place for one.
_CHOICES = words(
    "tags timeout workspace branch have-ref protocol agent grep new-from-rev enable-only out-format rebase level log-level "
    "loglevel color colour port host user name id title format style theme locale lang language charset encoding profile "
    "get get-all get-regexp symbolic-full-name abbrev-ref audit-level deployment build-tags default enable disable pprof "
    "env environment mode strategy platform arch region namespace context service image tag label author date since until "
    "message depth limit count max min jobs threads workers parallel concurrency seed retries version features package "
    "bin example manifest filter exclude include only skip select ignore scope type kind sort order by query reporter"
)
_TEST = _Row(
    out="o d directory debug cov-report junitxml junit-xml html xml report-log basetemp outputFile outputDirectory coverageDirectory output O output-log output-junit resultlog data-file",
    into="c k m n p r t e W config run u g cov cov-config rootdir confcutdir ignore ignore-glob deselect durations dist numprocesses testPathPattern testNamePattern testPathPatterns project maxfail tb reporter retries workers",
)
# A row is a line, however long: that is why the formatter leaves this one, and the table below.
_LINT = _Row(out="o output-file report-file report junit-xml html-report xml-report txt-report", into="c j p s e ext config max-line-length max-warnings rulesdir disable enable rcfile select ignore extend-ignore python-version python-executable E F M i", edits="fix fix-only add-noqa w write a A autocorrect autocorrect-all in-place apply unsafe-fixes fix-unsafe write-changes", default=".", choices="f format")  # fmt: skip
_CODE = _Row("script", into="m W X r I i 0")
_COMPILER = _Row(
    out="o MF MJ MT Map emit-module-path emit-objc-header-path emit-dependencies-path d s h dumpdir dumpbase auxbase",
    into="c I L l D U x W std m f g include isystem cp classpath p T e march mtune",
)
_CALLED = _Row(
    into="m t f p u l w C n e k s i q jq json template body title head base label search state author field method prefix cwd filter workspace file tag"
)
# What their scripts are handed behind `--` is for another program, of the row `--`: a test, a linter, a bundler.
HANDING_ON = words("npm pnpm yarn bun cargo poetry pdm hatch rye")
_EDITOR = "check diff dry-run version help"

USES: dict[str, _Row] = {
    **dict.fromkeys(["pytest", "py.test", "mocha", "cypress", "phpunit", "rspec", "py_compile", "tox", "nox", "unittest", "doctest", "ctest", "bats", "coverage"], _TEST),
    **dict.fromkeys(["jest", "vitest", "playwright"], _TEST._replace(edits="u updateSnapshot update update-snapshots", default=".")),
    **dict.fromkeys(["mypy", "pyright", "basedpyright", "pylint", "flake8", "pycodestyle", "pydocstyle", "pyflakes", "bandit", "vulture", "radon", "eslint", "stylelint", "hadolint", "yamllint", "cspell", "codespell", "typos", "knip", "depcheck", "madge", "lint-imports", "import-linter", "staticcheck", "golangci-lint", "rubocop", "psalm", "ktlint", "swiftlint", "clang-tidy", "cppcheck", "biome", "vue-tsc", "svelte-check", "semgrep", "actionlint", "sqlfluff", "interrogate", "deptry", "pip-audit", "safety", "detect-secrets", "shfmt"], _LINT),
    "ruff": _LINT._replace(spares=_EDITOR), "phpstan": _LINT._replace(out=f"{_LINT.out} b generate-baseline"), **dict.fromkeys(["markdownlint", "markdownlint-cli2"], _LINT._replace(edits=f"{_LINT.edits} f", choices="")), "dependency-cruiser": _LINT._replace(out=f"{_LINT.out} f output-to", choices=""),
    **dict.fromkeys(["black", "isort", "pyupgrade", "rustfmt"], _Row("write", spares=f"{_EDITOR} c", into="config l line-length t target-version edition p profile", default=".")),
    **dict.fromkeys(["prettier", "gofmt", "gofumpt", "goimports", "clang-format", "autopep8"], _Row(edits="write w fix i in-place", spares=_EDITOR, into="config parser tab-width print-width ignore-path log-level stdin-filepath", default=".")),
    "pip": _Row(out="d dest w wheel-dir t target log report src root prefix download-dir o output", into="r requirement c constraint e editable i index-url f find-links"),
    "tsc": _Row("word", out="outDir outFile declarationDir tsBuildInfoFile generateTrace generateCpuProfile o", into="p project b build t target m module lib types jsx rootDir typeRoots"),
    **dict.fromkeys(["python", "pypy", "node", "ruby", "perl", "php", "lua", "tsx", "ts-node", "deno", "bun", "bash", "sh", "zsh", "dash", "ksh", "source", "."], _CODE),
    **dict.fromkeys(["npm", "pnpm", "yarn", "docker", "podman", "docker-compose", "kubectl", "helm", "terraform", "tofu", "gh", "glab", "uv", "poetry", "pipenv", "pdm", "hatch", "cargo", "go", "dotnet", "mvn", "gradle", "gradlew", "sbt", "bundle", "rails", "rake", "alembic", "flask", "django-admin", "lerna", "invoke", "systemctl", "journalctl", "brew", "apt", "apt-get", "aws", "gcloud", "az", "pre-commit", "act", "vite", "next", "webpack", "rollup", "astro", "nuxt", "storybook", "lsof", "kill", "psql", "mysql", "redis-cli", "pgrep", "ping", "dig", "host", "nslookup", "sleep", "read", "export", "declare", "local", "typeset", "readonly", "unset", "set", "shopt", "alias", "wait", "let", "man", "history", "ss", "netstat", "gitk", "echo", "printf", "true", "false", "test", "[", "date", "ps", "umask", "pushd", "popd", "exit", "return", "env", "printenv", "jobs", "fg", "bg", "less", "more"], _CALLED._replace(out="o output out outfile coverprofile cpuprofile memprofile blockprofile mutexprofile trace report target-dir out-dir destination pack-destination d b w wheel-dir D dir dest output-dir")),
    **dict.fromkeys(["gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "ld", "as", "kotlinc", "swiftc", "ghc", "protoc", "esbuild", "tsup"], _COMPILER),
    "nasm": _COMPILER._replace(operands="write", into=_without(_COMPILER.into, "l"), out=f"{_COMPILER.out} l"),
    **dict.fromkeys(["curl", "wget", "xh", "http", "https"], _Row(out="o output O output-document P directory-prefix dump-header D c cookie-jar trace stderr output-dir a append-output o output-file libcurl etag-save hsts alt-svc", into="H X A e header user-agent max-time m connect-timeout w write-out retry T")),
    **dict.fromkeys(["cp", "gcp", "ditto", "ln", "link"], _Row(out="t target-directory")),
    "install": _Row(out="t target-directory", into="m g o S"),
    **dict.fromkeys(["apply_patch", "applypatch"], _Row()),
    **dict.fromkeys(["patch"], _Row("write", out="o output r reject-file d directory", into="i input p strip F fuzz V")),
    **dict.fromkeys(["diff", "cmp", "comm", "grep", "egrep", "fgrep", "rg", "ag", "ack", "top", "htop", "head", "tail", "cat", "wc", "ls", "find", "stat", "du", "strings", "nl", "cut", "jq", "which", "type", "id", "tree", "file", "od", "hexdump", "column", "bat", "delta", "diffstat", "cloc", "tokei", "scc", "sdiff", "md5sum", "sha256sum", "sha1sum", "shasum", "zipinfo", "nm", "objdump", "readelf", "ldd", "otool", "xargs", "time", "timeout", "w", "ffprobe", "identify", "pdfinfo", "hyperfine"], _Row(out="o output O", into="e f A B C m n d L t c g name iname path type format regexp glob maxdepth exclude include printf")),
    "zip": _Row("only", out="b temp-path O output-file lf logfile-path", into="x i t s n P tt", edits="m move"), "sass": _Row("write"),
    "gpg": _Row(out="o output homedir", edits="c e s b symmetric encrypt sign clearsign clear-sign detach-sign"),
    "mvn": _Row("word", out="l log-file", into="f P pl T s", choices="D"), "php": _CODE._replace(out="d"),
    "unzip": _Row(out="d", into="x"), "rsync": _Row("first", into="exclude include filter f e max-size"),
    **dict.fromkeys(["convert", "magick"], _Row("first", out="o output f prefix", into="i c s w l b n a f t from to filter-complex vf")._replace(out="o output prefix")),
    "ffmpeg": _Row("write", into="i f t c r s b ss to codec"), "ghc": _COMPILER._replace(operands="write"), "rollup": _CALLED._replace(into=_without(_CALLED.into, "file"), out="o file d dir"),
    "uniq": _Row("first", into="f s w"), "xxd": _Row("first", into="c l g s o n R"), "sqlite3": _Row("base", into="cmd separator", spares="readonly"),
    "uv": _CALLED._replace(into=_without(f"{_CALLED.into} python", "prefix"), out="o output output-file out-dir target prefix cache-dir"),
    "conda": _CALLED._replace(into=_without(_without(_CALLED.into, "p"), "prefix"), out="p prefix"), **dict.fromkeys(["nx", "turbo"], _CALLED._replace(into=_without(_CALLED.into, "file"), out="file graph profile")),
    "prisma": _CALLED._replace(into=f"{_CALLED.into} schema"), "gh": _CALLED._replace(out="O output D dir"), "openssl": _Row("write", out="writerand out keyout"),
    "duckdb": _Row("base", into="c s f cmd init separator nullvalue", spares="readonly"),
    **dict.fromkeys(["npm", "pnpm", "yarn"], _CALLED._replace(out="cache cache-folder store-dir")),
    "-m json": _Row("first", into="indent"), "-m trace": _Row("script", out="C coverdir f file", into="ignore-module ignore-dir"), "-m pydoc": _Row("word"),
    **dict.fromkeys(["-m cProfile", "-m profile"], _Row("script", out="o", into="s m")),
    **dict.fromkeys(["-m venv", "virtualenv"], _Row("made", into="prompt p python")),
    "split": _Row(into="l b n a C t"), "csplit": _Row(into="n b"), "pandoc": _Row(out="o output extract-media log", choices="t to d defaults r w f from"), "javac": _Row("word", out="d s h", into="cp p classpath processorpath source target release encoding"), "zig": _COMPILER._replace(into=_without(_COMPILER.into, "p"), out=f"{_COMPILER.out} p prefix"),
    **dict.fromkeys(["sed", "gsed", "awk", "gawk", "mawk", "nawk"], _Row(out="o output", into="f n i e v F E l", edits="in-place")),
    **dict.fromkeys(["sort", "gsort"], _Row(out="o output", into="t k T S field-separator key temporary-directory")),
    "yq": _Row(out="s split-exp", into="p o I", edits="i inplace"), "shuf": _Row(out="o output", into="n i"), "iconv": _Row(out="o output", into="f t from-code to-code"),
    "node": _CODE._replace(out="test-reporter-destination redirect-warnings diagnostic-dir report-dir"), "gitleaks": _Row(out="report-path r"), "trivy": _Row(out="output o"), "syft": _Row(out="file output o"),
    "git": _Row(out="export-marks output output-directory o work-tree git-dir separate-git-dir", into="A m message F file C c S G author date format pretty grep since until L X s t u source base onto"),
    **dict.fromkeys(["make", "gmake", "ninja", "just", "task"], _Row("word", into="j C f k l directory")),
    **dict.fromkeys(["cmake", "bazel"], _Row(out="B install-prefix", into="S G D C build j target config preset")),
    # Programs that run what a project's own files say.
    **dict.fromkeys(["-m build", "-m piptools", "-m pre_commit", "-m django", "-m sphinx", "-m site", "-m sysconfig", "-m platform", *words("mise composer mix xcodebuild stack cabal lein ant java kotlin swift dart flutter meson mkdocs celery gunicorn uvicorn streamlit jupyter dbt dune direnv pyenv rbenv buf")], _Row("word", into="config scheme sdk destination workspace project configuration flavor module goal", choices="A L X P S T c f s t p e i", out="o d D b r out output outfile outdir outDir destination-dir dest dir build-dir builddir")),
    **dict.fromkeys(["hugo"], _Row("word", into="c s t e", out="d destination cacheDir")), "sphinx-build": _Row("first", into="b c t", out="d w"),
    # Programs that write what they are given.
    **dict.fromkeys(["-m timeit", "-m zipfile", "-m tarfile", "-m compileall", "-m dis", "-m ast", "-m pdb", *words("gzip base64 hg svn jj dot ast-grep latex pdflatex xelatex lualatex tex latexmk")], _Row("write", out="o")),
    # Built-ins of a shell that write nothing.
    **dict.fromkeys(words("shift getopts unalias caller compgen print setopt unsetopt emulate autoload rehash where whence zmodload suspend logout"), _Row("word")),
    "cd": _Row("word"), "cmake -E": _Row("made"), "configure": _Row(into="prefix libdir bindir sysconfdir with host build"), "linetrail": _Row("word"),
    "--": _CALLED._replace(out=f"{_TEST.out} outDir out-dir logfile log-file", into=f"{_CALLED.into} {_TEST.into} {_LINT.into} A D F W"),
}  # fmt: skip

# Verbs with which a program makes the files and folders that it is given, or copies to them.
MAKING = {
    "git": {"worktree", "submodule", "init"}, "docker": {"cp"}, "podman": {"cp"}, "kubectl": {"cp"}, "uv": {"venv", "init"},
    "cargo": {"new", "init"}, "meson": {"setup"}, "dotnet": {"new"}, "poetry": {"new"}, "django-admin": {"startproject", "startapp"},
    "rails": {"new"}, "hatch": {"build"}, "yarn": {"pack"}, "gh": {"repo", "gist"}, "flutter": {"create"}, "dart": {"create"},
}  # fmt: skip
# With these other programs begin something new, in the folder that they are given or where they stand; but for some.
BEGINNING, NOT_BEGINNING = {"init", "new"}, words("git go terraform tofu npm pnpm yarn pulumi pip linetrail")
# Compilers, which hand options on to others.
COMPILERS = words("gcc g++ cc c++ clang clang++ nasm as rustc swiftc ghc")
# Verbs with which a program writes its operands, or everything below where it stands.
EDITING = {
    "ruff": {"format"}, "uv": {"format"}, "dotnet": {"format"}, "cargo": {"fmt", "fix", "vendor"}, "go": {"fmt", "fix"}, "terraform": {"fmt"}, "tofu": {"fmt"}, "deno": {"fmt"},
    "sqlfluff": {"fix", "format"}, "zig": {"fmt"}, "dart": {"format", "fix"}, "mix": {"format"}, "golangci-lint": {"fmt"},
}  # fmt: skip
SPARING = words("check diff list n dry-run help version")

# Commands of git that only read what they are given, or change the index, refs and the store alone.
GIT_READS = words(
    "add commit branch tag fetch pull push merge rebase cherry-pick revert reset switch remote log show diff status blame "
    "ls-files ls-tree grep rev-parse rev-list describe shortlog reflog notes update-index gc fsck config var stash "
    "cat-file hash-object check-ignore check-attr bisect range-diff diff-tree name-rev whatchanged symbolic-ref "
    "merge-base for-each-ref show-ref cherry apply sparse-checkout lfs help"
)
# Its own commands that write and stand in no other table.
GIT_WRITES = words("am checkout cherry-pick checkout-index init merge mv request-pull restore rm submodule worktree")

# Long options that stand alone, so that what follows them is an operand.
ALONE = words(
    "verbose quiet strict run watch watchAll ci silent bail coverage noEmit pretty passWithNoTests runInBand cache check "
    "diff debug version all lf ff sw co collect-only showlocals last-failed failed-first exitfirst stepwise release locked "
    "offline frozen lib bins tests doc race short json list force recursive dry-run help fix write staged cached color "
    "colors global save-dev dev production workspaces if-present noCheck skipLibCheck incremental detectOpenHandles "
    "forceExit updateSnapshot onlyChanged ui headed install-types non-interactive pdb capture trace-config "
    "ignore-missing-imports show-error-codes no-warn-ignored foreground background summary stat name-only oneline "
    "interactive in-place unified ext reverse brief detach build rebase ff-only rm volumes follow tail amend no-edit no-verify signoff "
    "archive compress mkpath partial progress human-readable count repeated"
)
