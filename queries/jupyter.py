"""`%load_ext linetrail`: cells of SQL in Jupyter and IPython, answered by the process that `linetrail sql` asks."""

import warnings
from typing import Any, Protocol

from linetrail.ledger.repository import find, require_ledger
from linetrail.queries.ask.library import Rows, rows
from linetrail.queries.sandbox.limits import MAX_ROWS
from linetrail.queries.sandbox.sandbox import ask


class Shell(Protocol):
    """What IPython calls its shell."""

    def register_magic_function(self, func: Any, magic_kind: str, magic_name: str) -> None: ...


def load_ipython_extension(shell: Shell) -> None:
    """Add `%%linetrail [DIR]`: the cell is one `select`, its value are the rows, of which `.df()` makes a frame."""
    shell.register_magic_function(answered, "cell", "linetrail")


def answered(line: str, cell: str) -> Rows[Any]:
    """Answer the SQL of a cell about the repository that the line names, or that is the working directory."""
    answer = ask(require_ledger(find(line.strip() or ".")), cell)
    if not answer.complete:
        warnings.warn(f"only the first {MAX_ROWS:,} rows are here", stacklevel=2)
    return rows("answer", answer.table)
