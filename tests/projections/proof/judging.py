"""Ask the classifier about small programs."""

from textwrap import dedent

from linetrail.projections.classify.classify import Classification, classify
from linetrail.projections.classify.judgement import Change, Judgement


def judged(before: str, after: str, path: str = "app/core.py") -> Judgement:
    """Judge a change of one file; the programs may be indented."""
    return classify([Change(path, dedent(before).encode(), dedent(after).encode())]).whole


def judged_together(files: dict[str, tuple[str | None, str | None]]) -> Classification:
    """Judge a change of several files: path -> (before, after)."""
    return classify([Change(path, _bytes(before), _bytes(after)) for path, (before, after) in files.items()])


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else dedent(text).encode()
