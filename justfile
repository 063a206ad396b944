# Each recipe is one line that can be typed by hand; the tools are those of `pip install -e '.[dev]'`.

bin := if path_exists(".venv/bin") == "true" { justfile_directory() / ".venv/bin/" } else { "" }

[private]
default:
    @just --list

# the tests of every day: three minutes on two cores with `-n auto`
test *arguments:
    {{bin}}pytest {{arguments}}

# the others that continuous integration runs, and every property on many examples
slow *arguments:
    {{bin}}pytest -n auto -m "(slow or hypothesis) and not spark and not soak and not fault" --hypothesis-profile=thorough {{arguments}}
    {{bin}}pytest -m "spark and not soak" tests/queries/ask tests/queries/fleet

# those that take hours, or break disks and clocks on purpose
soak *arguments:
    {{bin}}pytest -m "soak or fault or hypothesis" --hypothesis-profile=random {{arguments}}

# the tests of every day beside four loops that keep the machine busy: none may depend on how fast it is
busy *arguments:
    #!/usr/bin/env bash
    trap 'kill $(jobs -p)' EXIT
    for _ in 1 2 3 4; do while :; do :; done & done
    {{bin}}pytest -n auto {{arguments}}

# write docs/promises.md: run every test that proves a promise, also those that take minutes
promises *arguments:
    {{bin}}pytest -m promise --promises=docs/promises.md {{arguments}}

# change the program in small ways, and see whether a test notices: `just mutants --seed 7 --number 30`
mutants *arguments:
    {{bin}}python tools/mutants.py {{arguments}}

# rules, format and layers
lint:
    {{bin}}ruff check .
    {{bin}}ruff format --check .
    {{bin}}lint-imports

# write the format that lint asks for
format:
    {{bin}}ruff format .
    {{bin}}ruff check --fix .

types:
    {{bin}}mypy

# write the JSON Schema of events and the tables of ledger/FORMAT.md
schema:
    {{bin}}python tools/make_schema.py

# write docs/questions.md from the comments of the named questions
questions:
    {{bin}}python tools/make_questions.py

# write docs/dictionary.md from the comments of the views
dictionary:
    {{bin}}python tools/make_dictionary.py

# write the agents of README.md, docs/agents.md, and what a hook knows of all agents, from their modules
agents:
    {{bin}}python tools/make_agents.py

# open a notebook on the demonstration, or with `-- --repository DIR` on yours: pip install -e '.[notebooks]'
notebook name="01_tour" *arguments:
    {{bin}}marimo edit notebooks/{{name}}.md {{arguments}}

# the notebooks for Jupyter and forges, notebooks/*.ipynb, from their source and the demonstration
notebooks *arguments:
    {{bin}}python tools/make_notebooks.py {{arguments}}

# everything that continuous integration does
ci:
    .ci/run

# the bundled repository of `linetrail demo`, from the story in tools/
demo-bundle:
    {{bin}}python tools/make_demo.py

# the packages for agents in plugins/, from what `linetrail init` knows of each
plugins:
    {{bin}}python tools/make_plugins.py

# what a hook costs; HOOK is the linetrail-hook of an environment into which the wheel was installed
bench hook *arguments:
    {{bin}}python -m benchmarks.ledger.hook {{hook}} {{arguments}}
