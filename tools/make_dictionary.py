"""Write the data dictionary: every view, the meaning of a row, and the type and meaning of each column.

``python tools/make_dictionary.py`` writes docs/dictionary.md from the comments in
projections/views/*.sql; a test fails when the page is not what this would write.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from linetrail.ledger.repository import FOLDER, Repository
from linetrail.projections.tables import models
from linetrail.projections.tables.models import Model
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.tables import Tables, computed_in

PAGE = Path(__file__).resolve().parents[1] / "docs" / "dictionary.md"

_HEAD = """# Data dictionary

<!-- generated from the comments in projections/views/*.sql: python tools/make_dictionary.py -->

What `linetrail sql`, `linetrail.connect()` and `linetrail export parquet` offer: views whose names and columns stay.
A column may be added; one that goes away or changes its meaning gives `schema_version` in `v_meta` another number. The
tables behind the views may change at any time.

- Times end in `_at` and are UTC; `*_epoch` are whole seconds since 1970. They come from the clocks of machines:
  `position` is the order of events.
- Unknown is null, never 0 and never an empty text.
- Lines count from 1, ranges include their end. Paths are relative to the repository.
- `agent_name` is the product, `tool_name` the function that it called, `session_id` the conversation.
- Views marked *git* also follow from the commit at HEAD. They are worked out when a query names them and kept until
  ledger or HEAD move on.

"""


def page() -> str:
    """Return the whole dictionary."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, FOLDER))
        parts = Parts(Repository(folder, None, None), keep=False).current()
        with Tables(parts, lambda *_: None) as tables:
            types = {
                view.name: {name: kind for name, kind, *_ in tables.ask(f"describe {view.name}").rows}
                for view in models.views()
            }
    views = sorted(models.views(), key=lambda view: view.name)
    return _HEAD + "\n".join("\n".join(_view(view, types[view.name])) + "\n" for view in views)


def _view(view: Model, types: Mapping[str, str]) -> Iterator[str]:
    marked = " *git*" if computed_in([view.name]) else ""
    yield f"## {view.name}"
    yield ""
    yield f"{view.about[0].upper()}{view.about[1:]}.{marked}"
    yield ""
    yield "| column | type | meaning |"
    yield "|---|---|---|"
    meanings = models.column_comments(view)
    for column, kind in types.items():
        yield f"| `{column}` | {kind.lower()} | {_cell(meanings[column])} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
