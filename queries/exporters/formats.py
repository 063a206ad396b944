"""The formats that `linetrail export` writes: what each is for, the module that writes it, the options it takes."""

from collections.abc import Collection
from datetime import datetime
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository

STDOUT = "-"
# Of Agent Trace: the specification, and two forms of intent-driven extensions.
SPEC, SEED, FLAT = DIALECTS = ("spec", "seed", "flat")


class Asked(NamedTuple):
    """What somebody wants exported. `out` is as it was given, seen from `directory`; None is standard output."""

    repository: Repository
    directory: str
    out: str | None = None
    dry_run: bool = False
    range: str | None = None
    since: datetime | None = None
    session: str | None = None
    content: bool = False
    sign: str | None = None
    table: str | None = None
    write: bool = False
    ref: str | None = None
    dialect: str | None = None


class Exporter(Protocol):
    """What the module of a format offers."""

    # write what is asked for, and say on stderr how much that was
    def export(self, asked: Asked) -> None: ...


class Format(NamedTuple):
    """One format: the module that writes it, what reads it, what `--out` names, and the other options it takes."""

    module: str
    about: str
    out: str
    takes: Collection[str] = ()


FORMATS = {
    "agent-trace": Format("agent_trace", "records of Agent Trace", "a file", ("range", "dialect")),
    "gitai-notes": Format(
        "gitai_notes", "the notes of git-ai", "a folder with a file for each commit", ("range", "write", "ref")
    ),
    "otlp": Format("otlp.otlp", "traces and logs of OpenTelemetry", "a file", ("since", "session", "content")),
    "in-toto": Format("in_toto", "a statement about a commit", "a file", ("range", "sign")),
    "sarif": Format("audit_sarif", "what an audit finds", "a file", ("since",)),
    "parquet": Format("parquet", "every table, for a lake", "a folder"),
    "csv": Format("views_csv", "every view, for a spreadsheet", "a folder, or with --table a file", ("table",)),
}


def exporter(name: str) -> Exporter:
    return cast("Exporter", import_module(f"linetrail.queries.exporters.{_format(name).module}"))


def check(name: str, given: Collection[str]) -> None:
    """Refuse options that a format does not take: they would be passed over in silence."""
    takes = _format(name).takes
    for option in given:
        if option not in takes:
            fitting = " and ".join(other for other, one in FORMATS.items() if option in one.takes)
            raise UsageError(f"--{option} is for {fitting}")


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise UsageError(f"no format {name}; the formats are {', '.join(FORMATS)}")
    return FORMATS[name]
