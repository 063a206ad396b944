"""The files at HEAD, with how many of their lines agents and people wrote."""

from linetrail.queries.page.view import Asked, Shown, page_of, question

SIZE = 500


def show(asked: Asked) -> Shown:
    """Return a row for each file, those with most lines first; below the folder that the option `path` names."""
    path = asked.option("path")
    told = {} if path is None else {"path": path.rstrip("/")}
    with asked.tables() as tables:
        total = question(asked, tables, "lines_by", by="total", **told)
        folders = question(asked, tables, "lines_by", by="folder", **told)
        files = question(asked, tables, "lines_by", by="file", **told)
    shown, page = page_of(files["rows"], asked, SIZE)
    return Shown(
        f"Files in {path}" if path else "Files",
        shown,
        {"path": path, "total": total, "folders": folders, "files": {**files, "rows": []}, "page": page},
    )
