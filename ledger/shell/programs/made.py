"""What a call makes under names of its own, that no word of it spells: lock files, builds, reports, settings in a home.

A row says which verbs ask for it (`a.b` is b behind a, nothing stands for every call), what is made, in the folder of
which file of a project, and what else has to stand in the call. What git ignores is not held: it is nobody's work.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from linetrail.ledger.shell.programs.listed import Row, row_of
from linetrail.ledger.shell.programs.names import named
from linetrail.ledger.shell.programs.verbs import COMPILERS, words
from linetrail.ledger.shell.reading.ruling import Ruling, harms
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.values import UNKNOWN, Arg

# verbs, places (`?a|b` where none of these is there yet, `~` a home), file of a project (`a|b`, `a?` where it may be missing), form of the call
_Row = tuple[str, str, str, str]
_NO_LOCK = r"^(?!.*\0--(?:no-package-lock|package-lock=false|no-save|save=false|dry-run)\0)"
_INSTALL = "install i in ins inst insta instal isnt isnta isntal isntall add"
_LOCKED = r"^(?!.*\0--(?:locked|frozen|no-project|isolated)\0)"
_WITH_NAME = rf"\0(?:{_INSTALL.replace(' ', '|')})\0(?:.*\0)?[^-\0]"
_CARGO_BUILDS = "build b check c clippy test t run r bench doc d fix rustc rustdoc package nextest llvm-cov miri install hack udeps expand semver-checks"
_PYTHON_BUILDS: tuple[_Row, ...] = (("build", "dist/", "pyproject.toml", r"^(?!.*\0(?:-o|--out))"),)
_GRADLE = "build.gradle|build.gradle.kts|settings.gradle|settings.gradle.kts"
# Folders of the disk, as pip is given them.
_FOLDER = r"(?:(?:--editable=|-e\0?|--editable\0)(?P<edited>[^\0:[]+)|(?P<named>\.{1,2}|(?:[^-\0:@][^\0:@]*)?/(?![^\0]*\.(?:whl|zip|gz|bz2|txt)\b)[^\0[]*))(?:\[[^\0]*)?"
_SETS_ALONE = r"^\0(?:-[^\0]*\0)*set\0"
_HUGO = r"^\0(?:build\0|-|$)"
_DJANGO = r"\0(?:-[^\0]*\0)*(?:makemigrations|squashmigrations|optimizemigration|makemessages|compilemessages|collectstatic|startapp|startproject)\0(?!(?:.*\0)?--(?:check|dry-run)\0)"
_SETS = "config.set config.delete config.rm config.unset config.edit config.fix c.set"
MADE: dict[str, tuple[_Row, ...]] = {
    "npm": (
        (f"{_INSTALL} install-test it update up upgrade udpate uninstall unlink remove rm r un prune dedupe ddp audit.fix rebuild rb", "package-lock.json", "package.json?", _NO_LOCK),
        ("", "package.json", "package.json?", rf"^(?!.*\0(?:--no-save|--save=false|--dry-run|--package-lock-only)\0).*{_WITH_NAME}"),
        ("uninstall unlink remove rm r un version", "package.json package-lock.json", "package.json?", ""), ("pkg.set pkg.delete pkg.fix init set-script", "package.json", "package.json?", ""),
        ("pack", ".", "", r"^(?!.*\0--(?:dry-run|pack-destination))"), ("shrinkwrap", "npm-shrinkwrap.json", "package.json?", ""),
        (f"{_SETS} link ln", "~/.npmrc", "", ""), ("", "~/.npmrc", "", _SETS_ALONE),
    ),
    "pnpm": (
        ("install i", "?pnpm-lock.yaml", "package.json?", r"^(?!.*\0--frozen-lockfile\0)"), ("install i", "pnpm-lock.yaml", "package.json?", r"\0--(?:fix-lockfile|lockfile-only|no-frozen-lockfile|force)\0"),
        ("add remove rm un uninstall update up upgrade dedupe version pkg.set init", "package.json pnpm-lock.yaml pnpm-workspace.yaml", "package.json?", ""),
        (_SETS, "~/.npmrc", "", ""), ("", "~/.npmrc", "", _SETS_ALONE), ("pack", ".", "", ""), ("audit", "package.json pnpm-workspace.yaml", "package.json?", r"\0--fix\0"),
    ),
    "yarn": (
        ("install", "?yarn.lock", "package.json?", r"^(?!.*\0--(?:immutable|frozen-lockfile)\0)"), ("", "?yarn.lock", "package.json?", r"^\0(?:-[^\0]*\0)*$"), ("install", "yarn.lock", "package.json?", r"\0--(?:mode|force)\b"),
        ("add remove upgrade up dedupe version init", "package.json yarn.lock", "package.json?", ""), ("pack", ".", "", ""), (_SETS, "~/.yarnrc", "", ""),
    ),
    "bun": (
        ("install i", "?bun.lock|bun.lockb", "package.json?", r"^(?!.*\0--frozen-lockfile\0)"), ("install i", "bun.lock", "package.json?", r"\0--(?:lockfile-only|force)\0"),
        ("add a remove rm update init pm.trust pm.version pm.pkg pm.migrate", "package.json bun.lock", "package.json?", ""), ("link unlink upgrade", "~/.bun", "", ""),
        ("build", ".", "", r"\0--compile\0(?!.*\0--outfile)"), ("", ".", "", r"\0--(?:cpu|heap)-prof"), ("test", ".", "", r"\0(?:-u|--update-snapshots)\0"),
    ),
    "deno": (
        ("add install i remove uninstall outdated update", "deno.json deno.lock", "deno.json|deno.jsonc|package.json?", r"^(?!\0outdated\0)|\0--update\0"), ("lint", ".", "", r"\0--fix\0"), ("test", ".", "", r"\0--\0(?:.*\0)?(?:-u|--update)\0"),
        ("run test check cache serve bench", "?deno.lock", "deno.json|deno.jsonc", r"^(?!.*\0--(?:no-lock|frozen)\0)"),
    ),
    "pip": (
        ("wheel download", ".", "", r"^(?!.*\0(?:-w|--wheel-dir|-d|--dest))"), ("lock", "pylock.toml", "", ""), (_SETS, "~/.config/pip", "", ""),
        ("install wheel", "build/ x.egg-info/", "setup.py|setup.cfg|pyproject.toml", rf"\0{_FOLDER}\0"),
    ),
    "uv": (
        ("lock", "uv.lock", "pyproject.toml", r"^(?!.*\0--(?:check|locked|frozen|dry-run|script)\0)"), ("add remove", "pyproject.toml uv.lock .venv/", "pyproject.toml", r"^(?!.*\0--script)"),
        ("sync run tree export", "?uv.lock", "pyproject.toml", _LOCKED), ("sync run", ".venv/", "pyproject.toml", r"^(?!.*\0--(?:no-project|isolated)\0)"),
        ("venv", ".venv/", "", r"^\0venv\0(?:(?:-p|--python)\0[^\0]*\0|-[^\0]*\0)*$"), ("python.pin", ".python-version", "", ""),
        ("version", "pyproject.toml uv.lock", "pyproject.toml", r"\0version\0(?:-[^\0]*\0)*(?:[^-\0][^\0]*|--bump[^\0]*)\0"), *_PYTHON_BUILDS,
        ("pip.install", "build/ x.egg-info/", "setup.py|setup.cfg|pyproject.toml", rf"\0{_FOLDER}\0"), ("python.install python.uninstall tool.install tool.update-shell auth.login", "~/.local", "", ""),
    ),
    "poetry": (("add remove version", "pyproject.toml poetry.lock", "pyproject.toml", ""), ("lock update", "poetry.lock", "pyproject.toml", ""), ("install sync", "?poetry.lock", "pyproject.toml", ""), *_PYTHON_BUILDS),
    "pdm": (("add remove update use", "pyproject.toml pdm.lock .pdm-python", "pyproject.toml", ""), ("lock", "pdm.lock", "pyproject.toml", ""), ("install sync", "?pdm.lock", "pyproject.toml", ""), ("config", "~/.config/pdm", "", r"config\0[^\0]+\0[^\0]+\0"), *_PYTHON_BUILDS),
    "pipenv": (("install uninstall update lock upgrade", "Pipfile Pipfile.lock", "Pipfile?", ""),),
    "hatch": (("version", ".", "", r"\0version\0[^-\0]"), (_SETS, "~/.config/hatch", "", ""), ("fmt", ".", "", r"^(?!.*\0--check\0)"), *_PYTHON_BUILDS),
    "-m piptools": (("compile", "requirements.txt", "", r"^(?!.*\0(?:-o|--output-file|--dry-run|-n)\b)"),), "ctest": (("", "Testing/", "", r"^(?!.*\0(?:-N|--show-only|--test-dir|--version|--help)\b)"),), "celery": (("beat", "celerybeat-schedule", "", r"^(?!.*\0(?:-s|--schedule))"),), "openssl": (("req", "privkey.pem", "", r"^(?!.*\0-(?:keyout|key)\0).*\0-new"),),
    "-m tarfile": (("", ".", "", r"\0(?:-e|--extract)\0[^\0]*\0$"),), "-m trace": (("", ".", "", r"\0(?:-c|--count|-r|--report|-m|--missing)\0"),), "-m compileall": (("", ".", "", r"^\0(?:-[^\0]*\0)*$"),),
    "-m build": (("", "dist/", "pyproject.toml", r"^(?!.*\0(?:-o|--out))"),),
    "cargo": (
        ("add remove rm", "Cargo.toml Cargo.lock", "Cargo.toml", r"^(?!.*\0(?:--dry-run|-n)\0)"), ("update generate-lockfile", "Cargo.lock", "Cargo.toml", r"^(?!.*\0--dry-run\0)"),
        (f"{_CARGO_BUILDS} fetch metadata tree vendor pkgid verify-project update", "?Cargo.lock", "Cargo.toml", _LOCKED), (f"{_CARGO_BUILDS} clean", "target/", "Cargo.toml", r"^(?!.*\0--target-dir)"),
        ("vendor", "vendor/", "Cargo.toml", r"\0vendor\0(?:-[^\0]*\0)*$"), ("audit.fix", "Cargo.toml Cargo.lock", "Cargo.toml?", ""), ("insta", ".", "", r"\0(?:accept|review|reject|--accept[^\0]*)\0"), ("", "target/", "Cargo.toml", r"\0--timings"), ("", ".", "", r"\0--fix\0"), ("fmt fix", ".", "", r"^(?!.*\0(?:--check|--message-format[=\0]json)\0)"),
    ),
    "go": (
        ("get mod.tidy", "go.mod go.sum", "go.mod", ""), ("", "go.mod go.sum", "go.mod", r"\0--?mod[=\0]mod\0"), ("mod.edit", "go.mod", "go.mod", r"^(?!.*\0-(?:print|json)\0)"), ("mod.init", "go.mod", "", ""), ("mod.vendor", "vendor/", "go.mod", r"^(?!.*\0-o\b)"), ("mod.download", "go.sum", "go.mod", r"@"),
        ("work.init work.use work.edit work.vendor", "go.work go.work.sum", "go.work?", ""), ("work.sync fix", ".", "", ""), ("clean", ".", "", r"^(?!.*\0-(?:\w*cache|n)\0)"), ("clean", "~/go/bin", "", r"\0-i\0"),
        ("test", "x.test", "", r"\0test\0(?!.*\0-o)(?:.*\0)?-(?:c|(?:cpu|mem|block|mutex)profile)[=\0]"), ("tool.compile tool.asm tool.pack tool.link tool.cgo", ".", "", r"^(?!.*\0-o\0)"), ("tool.pack", ".", "", ""), ("telemetry", "~/.config/go", "", r"telemetry\0[^\0]"), ("env", "~/.config/go", "", r"\0-[wu]\0"),
    ),
    "bundle": (("exec check list show info outdated", "?Gemfile.lock", "Gemfile", ""), ("add remove", "Gemfile Gemfile.lock", "Gemfile", ""), ("update lock", "Gemfile.lock", "Gemfile", ""), ("install", "?Gemfile.lock", "Gemfile", ""), (_SETS, "~/.bundle", "", "")),
    "rails": (("", "log/ tmp/", "config/environment.rb", ""), ("db:create db:seed db:test:prepare", "db/ storage/", "config/environment.rb", ""), ("g generate d destroy app:update", ".", "", ""), ("db:migrate db:rollback db:schema:dump db:schema:load db:prepare db:setup", "db/", "", ""), ("assets:precompile", "public/", "", "")),
    "rake": (("", ".", "", r"\0\w+:(?:auto-?correct\w*|fix)\0"), ("", ".", "", r"\0(?:-[a-zA-Z]*[eEp]|--execute)"), ("db:migrate db:rollback db:schema:dump", "db/", "Rakefile", ""), ("assets:precompile", "public/", "Rakefile", "")),
    "composer": (("require remove update", "composer.json composer.lock vendor/", "composer.json?", ""), ("install", "?composer.lock vendor/", "composer.json", ""), ("dump-autoload dumpautoload", "vendor/", "composer.json", "")),
    **dict.fromkeys(["gradle", "gradlew"], (("", "build/ .gradle/", _GRADLE, r"^(?!\0--?(?:v|version|status|stop|h|help)\0$)"), ("", ".", "", r"\0[\w:]*(?:Apply|[fF]ormat|Dump|[bB]aseline|record[A-Z]\w*|[cC]atalogUpdate|wrapper|updateDaemonJvm|eclipse|idea|init|--write-[^\0]*)\0"))),
    "mvn": (("", "target/", "pom.xml", r"\0(?:clean|(?:pre-|post-)?(?:process|generate|integration)?[a-z-]*(?:compile|test|package|verify|install|site|classes|sources|resources))\0"), ("", ".", "", r"\0(?!dependency:(?:tree|analyze|list)|help:|versions:display|[\w.-]*(?:checkstyle|spotless|pmd|enforcer):check)[\w.-]+:[^\0]*\0"), ("", "target/", "pom.xml", r":(?:analyze|check)\0")),
    "dotnet": (("test", ".", "", r"\0--\0.*(?:Dir|File|Path|Logger|Collect)"), ("format", ".", "", r"^(?!.*\0--(?:verify-no-changes|include)\b)"), ("tool.update tool.uninstall", ".config/dotnet-tools.json", "", ""), ("nuget.config", "~/.nuget", "", r"\0(?:un)?set\0"), ("test vstest", "TestResults/", "", r"\0(?:-l|--logger|--collect|--blame|--report-trx|--results-directory)"), ("build run test restore publish pack clean watch msbuild ef", "bin/ obj/", "Program.cs|global.json|Directory.Build.props|nuget.config|appsettings.json?", r"^(?!.*\0--no-build\0)"), ("add remove sln ef", ".", "", r"^(?!.*\0(?:list|script)\0)"), ("nuget.add nuget.remove nuget.update nuget.enable nuget.disable workload dev-certs user-secrets tool.install", "~/.nuget", "", "")),
    "vite": (("build", "dist/", "", r"^(?!.*\0--outDir)"), ("", ".", "", r"\0--profile")),
    "astro": (("build", "dist/ .astro/", "", ""), ("sync dev check", ".astro/", "", "")),
    "next": (("build dev", ".next/ next-env.d.ts", "", ""), ("lint", ".next/", "next.config.js|next.config.mjs|next.config.ts", ""), ("lint", ".", "", r"\0--fix\0")), "nuxt": (("build generate prepare dev typecheck", ".nuxt/ .output/", "", ""),), "storybook": (("build", "storybook-static/", "", r"^(?!.*\0(?:-o|--output))"),),
    "webpack": (("", "dist/", "", r"^(?!.*\0(?:-o|--output-path|serve|server|s|info|i|--help|--version)\b)"),), "rollup": (("", ".", "", r"\0(?:-c|--config)"),), "tsup": (("", "dist/", "", r"^(?!.*\0(?:-d|--out-dir)\b)"),),
    "playwright": (("test", "test-results/ playwright-report/", "|".join(f"playwright.config.{end}" for end in ("ts", "js", "mts", "mjs")), r"^(?!.*\0--list\0)"), ("test merge-reports", "playwright-report/ blob-report/", "", r"\0--reporter[=\0](?:html|blob)\0")), "cypress": (("run open", "cypress/", "", ""),),
    **{name: (("", f".{name}cache", "", r"\0--cache\0(?!.*\0--cache-location)"),) for name in ("eslint", "stylelint")}, "cspell": (("", ".cspellcache", "", r"\0--cache\0(?!.*\0--cache-location)"), ("link trace.add", "~/.config/configstore", "", "")),
    "turbo": (("", ".turbo/", "turbo.json", r"^(?!\0(?:ls|info|query)\0)"), ("build run daemon", ".turbo/", "", ""), ("prune", "out/", "", ""), ("gen generate link login", ".", "", "")), "nx": (("", ".nx/", "nx.json", ""), ("build test lint run run-many affected reset daemon", ".nx/", "", ""), ("g generate migrate format add", ".", "", "")), "lerna": (("version bootstrap", ".", "", ""),),
    "prisma": (("migrate.dev migrate.deploy format db.pull", "prisma/", "", ""),),
    "ruff": (("check", ".", "", r"\0--config[=\0][^\0]*fix"),), "tox": (("", ".tox/", "", r"^(?!.*\0(?:-l|--listenvs|config|list|l|c|--workdir)\0)"),), "nox": (("", ".nox/", "noxfile.py", r"^(?!.*\0(?:-l|--list|--list-sessions)\0)"),),
    "pytest": (("", ".coverage", "", r"\0--cov[=\0]"), ("", "htmlcov/ coverage.xml coverage.json coverage.lcov", "", r"\0--cov-report[=\0](?:html|xml|json|lcov|annotate)\0"), ("", "pytestdebug.log", "", r"\0--debug\0")),
    "coverage": (("run combine erase", ".coverage", "", r"^(?!.*\0--data-file)"), ("html", "htmlcov/", "", r"^(?!.*\0(?:-d|--directory))"), ("xml json lcov annotate", "coverage.xml", "", r"^(?!.*\0(?:-o|-d))")),
    **dict.fromkeys(["jest", "vitest"], (("", "coverage/", "", r"\0--(?:coverage|collectCoverage)(?:=true|\0|\.enabled)"), ("", "html/", "", r"\0--reporter[=\0]html\0"), ("", ".vitest-reports/", "", r"\0--reporter[=\0]blob\0"))),
    "pre-commit": (("run", ".", ".pre-commit-config.yaml", r"\0(?:-a|--all-files|--from-ref)\b"), ("migrate-config", ".pre-commit-config.yaml", "", "")), "alembic": (("revision merge", ".", "", ""),), "flask": (("db.migrate db.init db.revision db.merge", "migrations/", "", ""),),
    **dict.fromkeys(["terraform", "tofu"], (("init", ".terraform.lock.hcl .terraform/", "", ""), ("get", ".terraform/", "", ""))), "mkdocs": (("build gh-deploy", "site/", "", r"^(?!.*\0(?:-d|--site-dir))"),),
    "hugo": (("server", "resources/ .hugo_build.lock", "", ""), ("mod.init mod.tidy mod.get mod.vendor mod.clean", "go.mod go.sum", "", ""), ("", "resources/ .hugo_build.lock", "", _HUGO), ("", "public/", "", rf"^(?!.*\0(?:-d|--destination)){_HUGO}")), "dbt": (("", "target/ logs/", "dbt_project.yml", ""), ("deps", "dbt_packages/ package-lock.yml", "", "")),
    "cmake": (("", "CMakeCache.txt CMakeFiles/", "", r"^(?!\0(?:--build|--open|--install|-E|-P|-N|--help\S*|--version)\0)(?!.*\0-B)"),), "meson": (("", ".", "", r"^\0(?:wrap|format|rewrite)\0"),),
    "configure": (("", ".", "", r"^(?!\0--(?:help|version)\0)"),),
    "ninja": (("", ".ninja_log", "build.ninja", r"^(?!.*\0(?:-n|-t|--version)\0)"),), "buf": (("generate format mod config dep", ".", "", ""),), "golangci-lint": (("", ".", "", r"\0--out-format[=\0][^\0]*:"),),
    "mix": (("", "_build/ deps/", "mix.exs", r"^(?!\0(?:help|format|deps|deps\.tree|hex\.\w+)\0)"), ("deps.tree", "deps_tree.dot", "", r"\0dot\0"), ("deps.get deps.update deps.unlock", "mix.lock", "mix.exs", ""), ("", ".", "", r"^\0(?:phx|ecto)\.gen|\0(?:-e|--eval|eval|gen\.config)\0"), ("test", "cover/", "", r"\0--cover\0"), ("xref", "xref_graph.dot", "", r"\0dot\0"), ("hex.config archive.install local.hex local.rebar", "~/.mix", "", "")),
    "swift": (("build test run package.show-dependencies package.describe package.dump-package package.clean", ".build/ ?Package.resolved", "Package.swift", ""), ("package.update package.resolve", "Package.resolved .build/", "Package.swift", "")),
    **dict.fromkeys(["dart", "flutter"], (("pub.get get run test analyze", ".dart_tool/ ?pubspec.lock", "pubspec.yaml", ""), ("", ".", "", r"\0run\0build_runner\0"), ("pub.add pub.remove pub.upgrade pub.downgrade", "pubspec.yaml pubspec.lock .dart_tool/", "pubspec.yaml", ""), ("build clean", "build/", "pubspec.yaml", ""), ("gen-l10n", "lib/", "pubspec.yaml", ""), ("compile", ".", "", r"^(?!.*\0(?:-o|--output))"), ("test", "coverage/", "", r"\0--coverage"), ("test", ".", "", r"\0--update-goldens\0"))),
    "sbt": (("", "target/ project/target/", "build.sbt", ""), ("", ".", "", r"\0(?:set |eval |[\w/:]*scala(?:fmt|fix)|[^\0]*:=)")),
    "pyenv": (("local", ".python-version", "", ""), ("global install uninstall virtualenv", "~/.pyenv", "", "")), "rbenv": (("local", ".ruby-version", "", ""), ("global install uninstall", "~/.rbenv", "", "")),
    "mise": (("use", "mise.toml", "", ""), ("trust settings.set settings.unset set", "~/.config/mise", "", r"^\0(?!help\0)")), "direnv": (("allow permit grant deny", "~/.local/share/direnv", "", ""),),
    "actionlint": (("", ".github/", "", r"\0--?init-config\0"),),
    "bazel": (("build test run coverage", "bazel-out bazel-bin", "", ""), ("mod", "MODULE.bazel", "", r"\0mod\0tidy")), "phpstan": (("", "phpstan-baseline.neon", "", r"\0(?:-b|--generate-baseline)\0(?:-|$)"),),
    "swiftlint": (("generate-docs", ".", "", ""),),
    **dict.fromkeys(["identify"], (("", ".", "", r"\0(?:msl|mvg|ephemeral):|\0(?:\w+:)?\|"),)), "gawk": (("", "awkprof.out", "", r"\0(?:-[po]|--(?:profile|pretty-print))\0"), ("", "awkvars.out", "", r"\0(?:-d|--dump-variables)\0")), "just": (("", ".", "", r"\0--init\0"),), "task": (("", "Taskfile.yml", "", r"\0--init\0"),), "rubocop": (("", ".rubocop.yml .rubocop_todo.yml", "", r"\0--auto-gen-config\0"),), "file": (("", "magic.mgc", "", r"\0(?:-C|--compile)\0"),),
    "node": (("", ".", "", r"\0--(?:cpu-prof|heap-prof|prof|perf-basic-prof|perf-prof|trace-(?!warnings|deprecation|uncaught|exit|sigint|sync-io|env))"),), "java": (("", ".", "", r"\0-Xlog(?:gc:|:[^\0:]*:(?!std))"),), **dict.fromkeys(["python", "pypy"], (("", ".", "", r"\0-X\0?pycache_prefix"), ("", ".", "", rf"manage\.py{_DJANGO}"))),
    **dict.fromkeys([*COMPILERS], (("", ".", "", r"^(?!\0--version\0$)(?!.*\0(?:-o|-fsyntax-only|-E\0|-M\0|-v\0|--emit))|\0--?save-temps(?:=cwd)?\0"),)),
    **dict.fromkeys(["fd", "fdfind"], (("", ".", "", r"\0(?:-[A-Za-z]*[xX]|--exec)"),)), **dict.fromkeys(["make", "gmake"], (("", ".", "", r"\0(?:-[a-su-z]*t|--touch)"),)),
    "git": (("clone", ".", "", r"^\0clone\0(?:(?:-[boj]|--(?:branch|depth|origin|jobs|filter|shallow-since))\0[^\0]*\0|-[^\0]*\0)*[^-\0][^\0]*\0(?:-[^\0]*\0)*$"), ("bugreport diagnose", ".", "", ""), ("format-patch", ".", "", r"^(?!.*\0(?:--stdout|-[a-zA-Z]*o|--output))"), ("", ".gitattributes", "", r"^\0lfs\0(?:un)?track")),
    "curl": (("", ".", "", r"\0(?:-[a-zA-Z]*[OJ]|--remote-)|%output\{"),), "wget": (("", ".", "", r"\0(?:-[a-zA-NQ-Z]*b|--background)|^(?!.*\0(?:-[a-zA-Z]*[OP]|--output-doc|--directory-p|--spider\0(?!(?:.*\0)?(?:-r|-m|--recursive|--mirror)\0)))"),),
    "dot": (("", ".", "", r"\0-O"),), "unzip": (("", ".", "", r"^(?!.*\0-d)"),), "ktlint": (("installGitPreCommitHook installGitPrePushHook", ".git/hooks/pre-commit", "", ""), ("generateEditorConfig", ".editorconfig", "", ""), ("", ".", "", r"\0(?:-F|--format)\0|output=")),
    "pylint": (("", ".", "", r"\0(?:-f|--output-format[=\0])\0?\w+:"),), "phpunit": (("", ".phpunit.result.cache", "", r"^(?!.*\0(?:--do-not-cache-result|--version|--help|--list-\S+)\0)"),),
    "yq": (("", ".", "", r"\0(?:-s|--split-exp)\b"),), "pandoc": (("", ".", "", r"^\0(?:lua|server)\0"),), "protoc": (("", ".", "", r"\0@"),),
    "php": (("", ".", "", r"\0(?:\S*/)?(?:artisan|console)\0(?:make:|vendor:publish|stub:)"),),
    **dict.fromkeys(["manage.py", "django-admin"], (("", ".", "", _DJANGO),)),
    "gh": (("", ".", "", r"^\0(?:run|release)\0download\0(?!.*\0(?:-D|--dir|-O|--output)\b)"),),
}  # fmt: skip
# What stands behind these words belongs to the program that they run.
# What a script of a project is told, if nothing behind it says which files: to write all that it looks at.
_TOLD = words("npm pnpm yarn bun turbo nx lerna composer")
_REWRITES = r"\0(?:--fix|--write|-u|--update-?[sS]napshots?)\0(?:-[^\0]*\0)*$"
_RUNNING = words("run run-script exec x dlx --")
_FOLDER_OPTIONS = words("--prefix -C --dir --cwd --directory --project --manifest-path --working-dir -chdir")
_ALSO_FOLDERS = {
    "gradle": {"-p"},
    "gradlew": {"-p"},
    "mvn": {"-f", "--file"},
    "composer": {"-d"},
    "pdm": {"-p"},
    "poetry": {"-P"},
}
# Options with a file, or a folder, that says what a program is to do.
_ORDERS = {
    **dict.fromkeys(["make", "gmake"], words("-f --file --makefile -I --include-dir")), "just": words("-f --justfile -d --working-directory"),
    **dict.fromkeys(["docker", "podman", "docker-compose"], words("-f --file --project-directory")), "rake": words("-f --rakefile"),
    "nox": words("-f --noxfile"), "cmake": words("-S"),
}  # fmt: skip
# Endings of what make has rules for.
_SOURCES = ["c", "cc", "C", "cpp", "f", "F", "p", "r", "s", "S", "sh", "y", "l", "o", "tex", "texi", "w"]
# Options of `go build` whose value is the next word.
_GO_VALUED = words("-C -p -asmflags -buildmode -compiler -gcflags -gccgoflags -installsuffix -ldflags -mod -modfile -overlay -pgo -pkgdir -tags -toolexec")  # fmt: skip
_EMITS_NOTHING = r"^(?!.*\0--noEmit\0false\0).*\0(?:--noEmit|--showConfig|--listFilesOnly|--version|--help|--outDir|--outFile|-[vh])\0"


def rulings(name: str, texts: Sequence[str], scene: Scene) -> Iterator[Ruling]:
    """Rule on what a call makes where it stands, or where the project begins that it stands in."""
    yield from _sent_away(name, texts, scene)
    call = "\0".join(["", *texts, ""])
    rows = (*MADE.get(name, ()), *((("", ".", "", _REWRITES),) if name in _TOLD else ()))
    calls = {call, "\0".join(["", *(row_of(name) or Row()).said(texts), ""])}
    places = [
        row[1:3] for row in rows if _asks(row[0], texts) and any(re.search(row[3], form, re.DOTALL) for form in calls)
    ]
    if not places and name not in ("tsc", "vue-tsc", "go", "prisma", "cmake", "ninja", "make", "gmake"):
        return
    if name in ("cmake", "ninja"):
        folders = [place for place in _built(texts) if not _ignored(f"{place.rstrip('/')}/", scene)]
        yield from (named(Arg(place), name, scene) for place in folders)
    for start in starts(name, texts, scene):
        if name in ("tsc", "vue-tsc"):
            yield from (named(Arg(place), name, start) for place in _compiled(texts, call, start))
        if name == "prisma" and _asks("generate", texts):
            yield from (named(Arg(place), name, start) for place in _generated(call, start))
        if name in ("make", "gmake"):
            yield from (named(Arg(f"./{place}"), name, start) for place in _by_rule(texts, start))
        if name == "go" and _asks("build", texts) and "\0-o" not in call:
            yield from (named(Arg(place), name, start) for place in _linked(texts, start) if not _ignored(place, start))
        for made, project in places:
            for there in projects(project, start):
                yield from (named(Arg(place), name, there) for place in _missing(made, there))


def _sent_away(name: str, texts: Sequence[str], scene: Scene) -> Iterator[Ruling]:
    """Rule on a place outside of the workspace from which an option says that a program takes its orders."""
    options = _FOLDER_OPTIONS | _ALSO_FOLDERS.get(name, set()) | _ORDERS.get(name, frozenset())
    for text, value in pairwise([*texts, ""]):
        if text[:1] != "-":
            continue
        option, equals, glued = text.partition("=")
        place = glued if equals else value
        if option not in options and text[1:2] != "-":
            option, place = text[:2], text[2:]
        if option in options and place and scene.outside(place) and not scene.is_free(place):
            yield harms(f"{name} takes its orders from {place}, outside of the workspace")


def is_script(word: str, scene: Scene) -> bool:
    """Return whether the project that a call stands in has a script of this name."""
    files = (path for there in projects("package.json", scene) for path in there.paths("package.json"))
    return any(re.search(rf'"{re.escape(word)}"\s*:', _text(path, scene) or "") for path in files)


def _asks(verbs: str, texts: Sequence[str]) -> bool:
    """Return whether a call has one of these verbs, in front of what it runs."""
    if not verbs:
        return True
    asked = list[str]()
    for text in texts:
        if text[:1] != "-":
            asked.append(text)
        if text in _RUNNING and asked[-2:-1] != ["workspace"]:  # a workspace may have any name
            break
    listed = verbs.split()
    return any(word in listed for word in (*asked, *map(".".join, pairwise(asked))))


def starts(name: str, texts: Sequence[str], scene: Scene) -> list[Scene]:
    """Return the scene in each folder that an option sends a program to, or in which it stands."""
    if name == "cmake":
        return [scene]  # -C says what its cache begins with
    options, told = _FOLDER_OPTIONS | _ALSO_FOLDERS.get(name, set()), list[str]()
    for text, value in pairwise([*texts, ""]):
        option, equals, glued = text.partition("=")
        if option in options:
            folder = glued if equals else value
            told.append(posixpath.dirname(folder) or "." if re.search(r"\.(?:toml|xml|json)$", folder) else folder)
    if name in ("pip", "uv") and "install" in texts:
        found = re.finditer(rf"\0{_FOLDER}(?=\0)", "\0".join(["", *texts, ""]))
        told += [folder["edited"] or folder["named"] for folder in found]
    return [scene.standing(scene.entered(Arg(folder, known=UNKNOWN not in folder))) for folder in told if folder] or [
        scene
    ]


def projects(manifest: str, scene: Scene) -> Iterator[Scene]:
    """Yield the scene in the folder of the nearest project; where a call stands if it needs none."""
    files = manifest.rstrip("?").split("|")
    for folder in sorted(scene.folders):
        above = folder
        while manifest and UNKNOWN not in above:
            if any(_text(posixpath.join(above, file), scene) is not None for file in files):
                break
            if above in ("", "/") or above.startswith(("..", "~")):
                above = UNKNOWN
            else:
                above = posixpath.dirname(above)
        if UNKNOWN not in above:
            yield scene.standing((above,))
        elif UNKNOWN in folder or not manifest or manifest.endswith("?"):
            yield scene.standing((folder,))


def _missing(places: str, scene: Scene) -> Iterator[str]:
    """Yield the places that git does not ignore, those that are only begun where none of them is there yet."""
    for place in places.split():
        names = place.lstrip("?").split("|")
        if place[0] == "~":
            yield place
        elif place == "." or not _ignored(names[0], scene):
            there = (_text(path, scene) for name in names for path in scene.paths(name)) if place[0] == "?" else ()
            if not any(text is not None for text in there):
                yield names[0] if names[0] == "." or "" not in scene.folders else f"./{names[0]}"


def _text(path: str, scene: Scene) -> str | None:
    """Return what a file says that is named from the root; None where there is none."""
    return scene.read(scene.told(path, path)) if scene.read is not None else None


def _ignored(place: str, scene: Scene) -> bool:
    from linetrail.ledger.paths.names import exemptions_of  # they are written by the same rules

    at_root = exemptions_of((_text(".gitignore", scene) or "").encode())
    for path in scene.paths(place.removeprefix("./")):
        here = exemptions_of(
            (_text(posixpath.join(posixpath.dirname(path.rstrip("/")), ".gitignore"), scene) or "").encode()
        )
        names = (at_root, path.rstrip("/")), (here, posixpath.basename(path.rstrip("/")))
        if not any(rules.match(name, is_dir=place[-1:] == "/") is not None for rules, name in names):
            return False
    return True


def _by_rule(texts: Sequence[str], scene: Scene) -> Iterator[str]:
    """Yield the targets that make makes by a rule of its own, out of a file of the same name."""
    makefiles = (path for name in ("GNUmakefile", "makefile", "Makefile") for path in scene.paths(name))
    rules = (line.partition(":")[0] for path in makefiles for line in (_text(path, scene) or "").split("\n"))
    stated = {word for rule in rules if rule[:1] != "\t" for word in rule.split()}
    for target in texts:
        if target[:1] != "-" and "=" not in target and target not in stated:
            sources = (path for end in _SOURCES for path in scene.paths(f"{target}.{end}"))
            if any(_text(path, scene) is not None for path in sources):
                yield target


def _compiled(texts: Sequence[str], call: str, scene: Scene) -> Iterator[str]:
    """Yield where TypeScript's compiler writes: where its settings say, else beside each file."""
    told = next((value for text, value in pairwise(texts) if text in ("-p", "--project", "-b", "--build")), "")
    file = told if told.endswith(".json") else posixpath.join(told, "tsconfig.json")
    settings = next((text for path in scene.paths(file) if (text := _text(path, scene))), "")
    if re.search(_EMITS_NOTHING, call) or re.search(r'"noEmit"\s*:\s*true', settings):
        if re.search(r"\0--(?:incremental|composite)\0", call) or re.search(
            r'"(?:incremental|composite)"\s*:\s*true', settings
        ):
            yield from () if _ignored("tsconfig.tsbuildinfo", scene) else ["./tsconfig.tsbuildinfo"]
        return
    folder = re.search(r'"outDir"\s*:\s*"([^"]+)"', settings)
    place = posixpath.join(posixpath.dirname(file), folder[1]) if folder else "."
    if "--init" in texts:
        yield "./tsconfig.json"
    elif place == "." or not _ignored(f"{place.rstrip('/')}/", scene):
        yield place if place == "." else f"./{place}"


def _built(texts: Sequence[str]) -> Iterator[str]:
    """Yield the folder that an option says cmake or ninja builds in."""
    return (f"{value.rstrip('/')}/" for text, value in pairwise(texts) if text in ("--build", "-C"))


def _generated(call: str, scene: Scene) -> Iterator[str]:
    """Yield where a schema says that Prisma writes its client, but what git ignores."""
    told = re.search(r"\0--schema[=\0]([^\0]+)", call)
    for file in [told[1]] if told else ["prisma/schema.prisma", "schema.prisma"]:
        text = "".join(_text(path, scene) or "" for path in scene.paths(file))
        for place in re.findall(r'(?m)^\s*output\s*=\s*"([^"]+)"', text):
            found = posixpath.normpath(posixpath.join(posixpath.dirname(file), place))
            if not _ignored(f"{found}/", scene):
                yield found if found.startswith("../") else f"./{found}"


def _new(file: str, name: str) -> str:
    """Return what may stand in a file that is named and not there yet: the command writes it before."""
    return "package main" if file.endswith(f"/{name}") or file == name else ""


def _linked(texts: Sequence[str], scene: Scene) -> Iterator[str]:
    """Yield the program that `go build` links where it is given one package, or files, that make one."""
    given = [text for before, text in pairwise(["", *texts]) if text[:1] != "-" and before not in _GO_VALUED]
    packages = given[given.index("build") + 1 :] or ["."]
    if any("..." in package for package in packages) or (len(packages) > 1 and not packages[0].endswith(".go")):
        return
    package = packages[0]
    for folder in scene.paths(package):
        name = posixpath.basename(posixpath.normpath(folder))
        stem = name.removesuffix(".go")
        files = [folder] if name != stem else [posixpath.join(folder, f"{base}.go") for base in ("main", stem)]
        if any("package main" in (_text(posixpath.normpath(file), scene) or _new(file, name)) for file in files):
            module = re.search(r"(?m)^module\s+(?:\S*/)?(\S+)", _text("go.mod", scene) or "")
            yield f"./{module[1] if stem == '.' and module else stem}"
