"""The files at HEAD, with how many of their lines agents and people wrote: as a map, and as a tree or a list."""

from linetrail.queries.page.treemap import HEIGHT, SHARES, WIDTH, Node, cells, tree
from linetrail.queries.page.view import Asked, Record, Shown, page_of, question

SIZE = 500
# So few files are shown as a list where nobody says otherwise.
FEW = 60


def show(asked: Asked) -> Shown:
    """Return what is in the folder that the option `path` names, else in the repository, largest first.

    With `as` of `list`, all files below it are rows, as they are in a report; with `tree` its folders and files.
    """
    path = (asked.option("path") or "").rstrip("/")
    told = {"path": path} if path else {}
    with asked.tables() as tables:
        total = question(asked, tables, "lines_by", by="total", **told)
        files = question(asked, tables, "lines_by", by="file", **told)
    below = [row for row in files["rows"] if row["dim"] != path]
    root = tree(below, f"{path}/" if path else "")
    is_list = asked.whole or asked.option("as") == "list" or (asked.option("as") != "tree" and len(below) <= FEW)
    rows = files["rows"] if is_list else [_row(child) for child in root.children]
    shown, page = page_of(rows, asked, SIZE)
    about = {
        "path": path or None,
        "above": _above(path),
        "as": "list" if is_list else "tree",
        "total": total,
        "files": {**files, "rows": []},
        "page": page,
        "cells": [cell._asdict() for cell in cells(root)],
        "size": {"width": WIDTH, "height": HEIGHT, "shares": SHARES},
    }
    return Shown(f"Files in {path}" if path else "Files", shown, about)


def _row(node: Node) -> Record:
    """Return what is in a folder as the question has it."""
    lines = {"lines": node.lines, "lines_ai": node.ai, "lines_human": node.human, "lines_unknown": node.unknown}
    return {"dim": node.path, **lines, "files": node.files}


def _above(path: str) -> list[Record]:
    """Return the folders that a path goes through.

    >>> _above("a/b")
    [{'name': 'a', 'path': 'a'}, {'name': 'b', 'path': 'a/b'}]
    """
    names = path.split("/") if path else []
    return [{"name": name, "path": "/".join(names[: at + 1])} for at, name in enumerate(names)]
