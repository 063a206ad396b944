"""Terms: what a program says, in one vocabulary for all languages.

A dialect lowers a syntax tree to terms; scopes, rules and comparison know terms alone. Lowering loses layout and
nothing else: white space, comments, redundant parentheses, the kind of quotes, trailing commas. What a dialect does
not know becomes a term of the grammar's own kind (`"<language>:<kind>"`) that keeps every child in order, its tokens
as TOKEN leaves. Such a term is compared like any other, and no rule assumes anything about it.
"""

from collections.abc import Iterable, Iterator, Sequence
from operator import is_
from typing import Any, Final

# Leaves. Their `value` is text.
# NAME: a variable is read, or written where the language does not declare by writing. BIND: a variable is declared
# here (Python: also assigned, since assigning declares); its scope is that of the nearest construct that opens one.
# MEMBER: the name under which a class or struct declares a method or field. FIELD: the name of a member, key, keyword
# argument or label where it is used. LIT: a literal, `value` is (type, canonical text). DOC: a docstring.
# TOKEN: an operator or keyword of a construct that no other kind describes. NONE: an optional part that is absent.
NAME: Final = "name"
BIND: Final = "bind"
MEMBER: Final = "member"
FIELD: Final = "field"
LIT: Final = "literal"
DOC: Final = "doc"
TOKEN: Final = "token"  # noqa: S105  a word of a language, no secret
NONE: Final = "none"

# Expressions, with their kids in order.
ATTR: Final = "attribute"  # object, FIELD; value "." or "?." or "::"
INDEX: Final = "index"  # object, one or more subscripts
SLICE: Final = "slice"  # lower, upper, step (NONE where absent)
CALL: Final = "call"  # callee, arguments…; value "" or "new" or "?." or "macro"
KWARG: Final = "keyword"  # FIELD, value
SPREAD: Final = "spread"  # value; value "*", "**" or "..."
BINARY: Final = "binary"  # left, right; value is the operator
COMPARE: Final = "compare"  # left, right; value is the operator, "not in" and "is not" with one space
CHAIN: Final = "chain"  # a, TOKEN op, b, TOKEN op, c …: Python's a < b < c
LOGIC: Final = "logic"  # two or more operands, flattened; value "and", "or" or "??"
NOT: Final = "not"  # operand
UNARY: Final = "unary"  # operand; value is the operator; "++x" and "x++" are "++_" and "_++"
COND: Final = "conditional"  # test, then, else
LAMBDA: Final = "lambda"  # PARAMS, body (an expression or a BLOCK), return type; value: flags, such as ("async",)
TEMPLATE: Final = "template"  # LIT strings and HOLEs in order, no two LITs adjacent, no empty LIT
HOLE: Final = "hole"  # expression, then LITs for conversion and TEMPLATE or LIT for format, NONE where absent
LIST: Final = "list"
TUPLE: Final = "tuple"
SET: Final = "set"
DICT: Final = "dict"  # PAIRs and SPREADs: keys are expressions (Python, Go, Ruby)
OBJECT: Final = "object"  # PAIRs, SPREADs, FUNCTIONs: keys are FIELDs, LITs or COMPUTED (JavaScript)
PAIR: Final = "pair"  # key, value; value "short" for JavaScript's {a} and Rust's S { a }: [FIELD a, NAME a]
COMPUTED: Final = "computed"  # the expression of a computed key
COMP: Final = "comprehension"  # element (PAIR for a dict), CLAUSEs; value "list", "set", "dict" or "generator"
CLAUSE: Final = "clause"  # target, iterable, conditions…; value "" or "async"
AWAIT: Final = "await"  # operand
YIELD: Final = "yield"  # operand or NONE; value "" or "from" or "*"
SEQUENCE: Final = "sequence"  # JavaScript's a, b
CAST: Final = "cast"  # operand, TYPE; value "as", "satisfies", "!", "()"
TYPE: Final = "type"  # a type, as the language writes it

# Statements.
MODULE: Final = "module"  # statements
BLOCK: Final = "block"  # statements
EXPR: Final = "expression"  # an expression, for its effect
ASSIGN: Final = "assign"  # target, …, value: more than one target is a = b = v; also an expression (JavaScript, walrus)
AUGMENT: Final = "augment"  # target, value; value is the operator: "+="
DECLARE: Final = (
    "declare"  # pattern, TYPE or NONE, value or NONE; value: flags, the keyword first ("const", "let", "var"…)
)
IF: Final = "if"  # test, BLOCK, else: BLOCK, IF (else if), or NONE. Python's elif is BLOCK of one IF
WHILE: Final = "while"  # test, BLOCK, else or NONE
DO: Final = "do"  # BLOCK, test
FOR: Final = "for"  # init, test, update, BLOCK: the loop of C
EACH: Final = "each"  # target, iterable, BLOCK, else or NONE; value: flags ("in", "of", "async" …)
RETURN: Final = "return"  # value or NONE
THROW: Final = "throw"  # value or NONE, cause or NONE
BREAK: Final = "break"  # FIELD (the label) or NONE, value or NONE
CONTINUE: Final = "continue"  # FIELD (the label) or NONE
TRY: Final = "try"  # BLOCK, CATCHes…, else BLOCK or NONE, finally BLOCK or NONE
CATCH: Final = "catch"  # type or NONE, BIND or pattern or NONE, BLOCK
WITH: Final = "with"  # ITEMs…, BLOCK; value: flags
ITEM: Final = "item"  # expression, target or NONE
SWITCH: Final = "switch"  # subject or NONE, CASEs; value: flags
CASE: Final = "case"  # pattern (NONE is the default), guard or NONE, body
DELETE: Final = "delete"
ASSERT: Final = "assert"  # test, message or NONE
PASS: Final = "pass"  # noqa: S105  a statement, no secret
GLOBAL: Final = "global"  # FIELDs; value "global" or "nonlocal"
FUNCTION: Final = (
    "function"  # BIND, MEMBER, FIELD or NONE; PARAMS; BLOCK or NONE; TYPE or NONE; DECORATORS; flags in value
)
CLASS: Final = "class"  # BIND or NONE; BASES; BLOCK of members; DECORATORS; value: flags, the keyword first
PARAMS: Final = "parameters"  # PARAMs, and TOKENs "/" and "*"
PARAM: Final = "parameter"  # pattern, TYPE or NONE, default or NONE; value: flags ("*", "**", "..." …)
BASES: Final = "bases"  # base classes, interfaces, type parameters, keyword arguments
DECORATORS: Final = "decorators"  # decorators, annotations and attributes that have a meaning at run time, in order
IMPORT: Final = "import"  # ALIASes; value: (module path as written, flags…); without ALIASes it is for its effect
ALIAS: Final = "alias"  # BIND of the local name; value is the name that is imported, "*" the whole module
EXPORT: Final = "export"  # a declaration, or FIELDs; value: flags
LABEL: Final = "label"  # FIELD, statement


class Term:
    """One construct. Terms are values: nobody changes one after it was made; rules make new ones.

    `line` is the first of the lines it stands on, counted from 1, `start` and `end` are bytes of the source. `known` is
    for whoever found something out about a term that takes long to find out again.
    """

    __slots__ = ("end", "kids", "kind", "known", "line", "start", "value")

    def __init__(
        self,
        kind: str,
        value: Any = "",
        kids: Iterable["Term"] = (),
        *,
        line: int = 0,
        start: int = 0,
        end: int = 0,
    ) -> None:
        self.kind, self.value, self.kids = kind, value, tuple(kids)
        self.line, self.start, self.end = line, start, end
        self.known: dict[str, Any] | None = None

    def __repr__(self) -> str:
        kids = f" {list(self.kids)}" if self.kids else ""
        return f"<{self.kind} {self.value!r}{kids}>"

    def but(self, *, kind: str | None = None, value: Any = None, kids: Iterable["Term"] | None = None) -> "Term":
        """Return this term with another kind, value or other kids, at the same place."""
        return Term(
            self.kind if kind is None else kind,
            self.value if value is None else value,
            self.kids if kids is None else kids,
            line=self.line,
            start=self.start,
            end=self.end,
        )

    def having(self, kids: Sequence["Term"]) -> "Term":
        """Return this term with these kids: itself where they are its own."""
        if len(kids) == len(self.kids) and all(map(is_, kids, self.kids)):
            return self
        return self.but(kids=kids)

    def walk(self) -> Iterator["Term"]:
        """Yield this term and all below it, in the order of the text."""
        waiting = [self]
        while waiting:
            term = waiting.pop()
            yield term
            if term.kids:
                waiting += term.kids[::-1]


ABSENT: Final = Term(NONE)


def same(one: Term, other: Term) -> bool:
    """Return whether two terms say the same in the same words, wherever they stand.

    >>> same(Term(NAME, "a", line=1), Term(NAME, "a", line=2))
    True
    """
    pairs = [(one, other)]
    while pairs:
        left, right = pairs.pop()
        if left is right:
            continue
        if left.kind != right.kind or left.value != right.value or len(left.kids) != len(right.kids):
            return False
        pairs.extend(zip(left.kids, right.kids, strict=True))
    return True


def text_of(term: Term) -> str | None:
    """Return the value of a string that is written out."""
    return str(term.value[1]) if term.kind == LIT and term.value[0] == "str" else None


def is_optional(term: Term) -> bool:
    """Return whether a chain of members and calls may end before its last link: `a?.b`."""
    while term.kind in (ATTR, INDEX, CALL, CAST):
        if term.value == "?.":
            return True
        term = term.kids[0]
    return False
