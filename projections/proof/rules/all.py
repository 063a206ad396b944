"""Every rule, in the order in which they are tried."""

from typing import Final

from linetrail.projections.proof.rules import (
    Rule,
    curly,
    ecmascript,
    flow,
    go,
    java,
    lengths,
    logic,
    python_calls,
    python_collections,
    python_names,
    python_paths,
    python_statements,
    python_text,
    python_types,
    rust,
    rust_formats,
)

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
