"""Read and write the manifest of a lake: its tables and columns, and every file with its rows and its hash."""

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.queries.exporters.lake import EVENTS, MONTH, SCHEMA_VERSION, LakeTable

NAME = "manifest.json"
TOOL = "linetrail"
# Folders of an export at work, or of one that was killed.
ASIDE = ".linetrail-"
_META = ("repo_id", "ledger_head", "events", "head_revision")
# What an export writes, and so what a later one may replace or remove.
_PATH = re.compile(rf"(?:{EVENTS}/{MONTH}=\w[\w-]*|tables/\w+)/part-0\.parquet")


class OccupiedError(LinetrailError):
    """The folder holds something else, which might be overwritten or taken for a part of the lake."""

    hint = "give --out an empty folder, or one that an earlier export made"


class File(NamedTuple):
    """A file as the manifest lists it; `fingerprint` follows from its rows alone."""

    path: str
    rows: int
    bytes: int
    sha256: str
    fingerprint: str


def text(meta: Mapping[str, str], found: Sequence[LakeTable], files: Mapping[str, Sequence[File]]) -> str:
    """Return the manifest of these tables; `files` are by the name of their table."""
    told = [
        {
            "name": table.name,
            "about": table.about,
            "path": table.path,
            "partitioned_by": [MONTH] if table.name == EVENTS else [],
            "sorted_by": list(table.order),
            "rows": sum(file.rows for file in files[table.name]),
            "columns": [
                {"name": one.name, "type": one.type, "field_id": one.field_id, "comment": one.comment}
                for one in table.columns
            ],
            "files": [file._asdict() for file in files[table.name]],
        }
        for table in found
    ]
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": TOOL, "version": meta.get("tool_version")},
        "ledger": {name: meta.get(name) for name in _META},
        "tables": told,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def earlier(folder: str, repo_id: str | None) -> dict[str, File]:
    """Return what an earlier export wrote into a folder; one that something else is in is refused."""
    try:
        names = [name for name in os.listdir(folder) if not name.startswith(ASIDE)]
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise OccupiedError(f"{folder} is no folder that a lake can be in: {error.strerror}") from None
    if not names:
        return {}
    try:
        files, owner = _read(os.path.join(folder, NAME))
    except FileNotFoundError:
        raise OccupiedError(f"{folder} holds something else: {min(names)}") from None
    except (OSError, ValueError, TypeError, KeyError):
        raise OccupiedError(f"{os.path.join(folder, NAME)} is no manifest of a lake of this layout") from None
    if owner is not None and repo_id not in {None, owner}:
        raise OccupiedError(f"{folder} is the lake of another repository, {owner}")
    return {file.path: file for file in files}


def sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read(path: str) -> tuple[list[File], str | None]:
    with open(path, encoding="utf-8") as opened:
        manifest = json.load(opened)
    files = [File(**file) for table in manifest["tables"] for file in table["files"]]
    ours = manifest["tool"]["name"] == TOOL and manifest["schema_version"] == SCHEMA_VERSION
    if not ours or not all(_PATH.fullmatch(file.path) for file in files):
        raise ValueError(path)
    owner: str | None = manifest["ledger"]["repo_id"]
    return files, owner
