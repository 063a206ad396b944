"""Every rule, in the order in which they are tried."""

from typing import Final

from linetrail.projections.proof.rules import Rule, curly, flow, go, java, lengths, logic
from linetrail.projections.proof.rules.ecmascript import ecmascript
from linetrail.projections.proof.rules.python import calls as python_calls
from linetrail.projections.proof.rules.python import collections as python_collections
from linetrail.projections.proof.rules.python import names as python_names
from linetrail.projections.proof.rules.python import paths as python_paths
from linetrail.projections.proof.rules.python import statements as python_statements
from linetrail.projections.proof.rules.python import text as python_text
from linetrail.projections.proof.rules.python import types as python_types
from linetrail.projections.proof.rules.rust import formats as rust_formats
from linetrail.projections.proof.rules.rust import rust

RULES: Final[tuple[Rule, ...]] = (
    *logic.RULES,
    *lengths.RULES,
    *flow.RULES,
    *python_names.RULES,
    *python_text.RULES,
    *python_collections.RULES,
    *python_calls.RULES,
    *python_types.RULES,
    *python_paths.RULES,
    *python_statements.RULES,
    *curly.RULES,
    *go.RULES,
    *java.RULES,
    *rust.RULES,
    *rust_formats.RULES,
    *ecmascript.RULES,
)
