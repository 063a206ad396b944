"""Lower Python's expressions to terms."""

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.nodes import at, field, has, kids, leaf, named, text
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

Expression = Callable[[Node], Term]


def number(spelling: str) -> Term:
    """Return a number by its value.

    >>> number("0x_FF").value == number("255").value
    True
    """
    try:
        value = ast.literal_eval(spelling)
    except (ValueError, SyntaxError):  # 017 and 1L of Python 2, or more digits than may be converted
        return Term(t.LIT, ("number", spelling))
    return Term(t.LIT, (type(value).__name__, repr(value)))


def string(parts: Sequence[Node], expression: Expression) -> Term:
    """Return adjacent string literals as the one value that they are."""
    pieces: list[Term] = []
    kind = "str"
    template = False
    for part in parts:
        prefix = text(part.children[0]).rstrip("'\"").lower()
        kind = "bytes" if "b" in prefix else kind
        template |= "f" in prefix or "t" in prefix
        pieces += _pieces(part, prefix, expression)
    joined = _joined(pieces)
    if template:
        return Term(t.TEMPLATE, "t" if parts and "t" in text(parts[0].children[0]).lower() else "", joined)
    return Term(t.LIT, (kind, "".join(str(piece.value[1]) for piece in joined)))


def _pieces(node: Node, prefix: str, expression: Expression) -> Iterable[Term]:
    source = node.text or b""
    base = node.start_byte
    start = node.children[0].end_byte
    for kid in node.children[1:]:
        if kid.type == "interpolation":
            yield _written(source[start - base : kid.start_byte - base], prefix)
            yield _hole(kid, prefix, expression)
            start = kid.end_byte
        elif kid.type == "string_end":
            yield _written(source[start - base : kid.start_byte - base], prefix)


def _written(raw: bytes, prefix: str) -> Term:
    """Return a stretch of text by its value."""
    spelled = raw.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    if "f" in prefix or "t" in prefix:
        spelled = spelled.replace("{{", "{").replace("}}", "}")
    if "r" not in prefix and "\\" in spelled:
        spelled = _unescaped(spelled, "b" if "b" in prefix else "")
    return Term(t.LIT, ("str", spelled))


def _unescaped(spelled: str, prefix: str) -> str:
    # each quote gets a backslash of its own, unless it has one
    quoted = "".join(f"\\{sign}" if sign == '"' and not odd else sign for sign, odd in _escapes(spelled))
    try:
        value = ast.literal_eval(f'{prefix}"""{quoted}"""')
    except (ValueError, SyntaxError):
        return f"\\{spelled}"
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _escapes(spelled: str) -> Iterable[tuple[str, bool]]:
    odd = False
    for sign in spelled:
        yield sign, odd
        odd = sign == "\\" and not odd


def _hole(node: Node, prefix: str, expression: Expression) -> Term:
    inner, conversion, form = ABSENT, ABSENT, ABSENT
    shown = ""
    for kid in kids(node):
        if kid.type == "type_conversion":
            conversion = Term(t.LIT, ("conversion", text(kid)))
        elif kid.type == "format_specifier":
            form = _form(kid, prefix, expression)
        elif kid.type == "=":
            # {x=} shows the expression as it is written
            shown = text(node)[1:].partition("=")[0]
        elif kid.type == "named_expression":
            # the grammar takes {x:=1} for an assignment, which needs parentheses: it is x in the format =1
            name, _, form_text = text(kid).partition(":")
            inner, form = Term(t.NAME, name.strip()), Term(t.TEMPLATE, "", [Term(t.LIT, ("str", form_text))])
        elif kid.is_named:
            inner = expression(kid)
    return Term(t.HOLE, shown, [inner, conversion, form])


def _form(node: Node, prefix: str, expression: Expression) -> Term:
    source = (node.text or b"")[1:]
    base = start = node.start_byte + 1
    pieces: list[Term] = []
    for kid in node.children:
        if kid.is_named and kid.type != "string_content":
            pieces += [_written(source[start - base : kid.start_byte - base], prefix)]
            inner = named(kids(kid))
            pieces += [Term(t.HOLE, "", [expression(inner[0]) if inner else ABSENT, *map(expression, inner[1:])])]
            start = kid.end_byte
    pieces += [_written(source[start - base :], prefix)]
    return Term(t.TEMPLATE, "", _joined(pieces))


def _joined(pieces: Iterable[Term]) -> list[Term]:
    joined: list[Term] = []
    for piece in pieces:
        if piece.kind == t.LIT and joined and joined[-1].kind == t.LIT:
            joined[-1] = Term(t.LIT, ("str", joined[-1].value[1] + piece.value[1]))
        elif piece.kind != t.LIT or piece.value != ("str", ""):
            joined.append(piece)
    return joined


_GROUPS = {"tuple": t.TUPLE, "expression_list": t.TUPLE, "list": t.LIST, "set": t.SET, "dictionary": t.DICT}
_COMPREHENSIONS = {
    "list_comprehension": "list",
    "set_comprehension": "set",
    "dictionary_comprehension": "dict",
    "generator_expression": "generator",
}


class Expressions:
    """The lowering of expressions; a method is named after what it lowers."""

    # whether the names that are bound now are members of a class
    in_class = False

    def within(self, node: Node) -> list[Term]:
        """Return the terms of what stands in a construct that has no kind of its own."""
        return [self.expression(node) if node.is_named else leaf(t.TOKEN, node)]

    def expression(self, node: Node) -> Term:
        """Return the term of an expression."""
        while node.type == "parenthesized_expression":
            node = named(kids(node))[0]
        made = EXPRESSIONS.get(node.type)
        return at(made(self, node), node) if made is not None else self.other(node)

    def other(self, node: Node) -> Term:
        """Return what this dialect has no word for: the grammar's own kind, with every child."""
        if not node.child_count:
            return leaf(t.NAME if node.type == "identifier" else t.TOKEN, node)
        parts = [part for kid in kids(node) for part in self.within(kid)]
        return at(Term(f"python:{node.type}", "", parts), node)

    def target(self, node: Node) -> Term:
        """Return what is assigned to."""
        if node.type == "identifier":
            return leaf(t.MEMBER if self.in_class else t.BIND, node)
        if node.type in ("pattern_list", "tuple_pattern", "expression_list", "tuple"):
            return at(Term(t.TUPLE, "", map(self.target, named(kids(node)))), node)
        if node.type in ("list_pattern", "list"):
            return at(Term(t.LIST, "", map(self.target, named(kids(node)))), node)
        if node.type in ("list_splat_pattern", "list_splat"):
            return at(Term(t.SPREAD, "*", [self.target(kids(node)[-1])]), node)
        if node.type == "parenthesized_expression":
            return self.target(named(kids(node))[0])
        return self.expression(node)

    def type(self, node: Node) -> Term:
        """Return a type, as the expression that it is."""
        parts = named(kids(node))
        if node.type == "type" and len(parts) == 1:
            return at(Term(t.TYPE, "", [self.expression(parts[0])]), node)
        return at(Term(t.TYPE, "", [self.other(node)]), node)

    def type_expression(self, node: Node) -> Term:
        return self.expression(named(kids(node))[0]) if node.child_count else self.other(node)

    def generic_type(self, node: Node) -> Term:
        """Return a subscripted type like any subscript: the grammar alone sees a difference."""
        first, parameters = named(kids(node))
        subscripts = [self.expression(kid) for kid in named(kids(parameters))]
        joined = subscripts if len(subscripts) == 1 else [Term(t.TUPLE, "", subscripts)]
        return Term(t.INDEX, "", [self.expression(first), *joined])

    def union_type(self, node: Node) -> Term:
        left, right = named(kids(node))
        return Term(t.BINARY, "|", [self.expression(left), self.expression(right)])

    def optional(self, node: Node, name: str) -> Term:
        found = node.child_by_field_name(name)
        return self.expression(found) if found is not None else ABSENT

    def operand(self, node: Node) -> Term:
        parts = named(kids(node))
        return self.expression(parts[0]) if parts else ABSENT

    def dotted(self, node: Node) -> Term:
        parts = [kid for kid in kids(node) if kid.type == "identifier"]
        made = leaf(t.NAME, parts[0])
        for part in parts[1:]:
            made = Term(t.ATTR, ".", [made, leaf(t.FIELD, part)])
        return at(made, node)

    def attribute(self, node: Node) -> Term:
        return Term(t.ATTR, ".", [self.expression(field(node, "object")), leaf(t.FIELD, field(node, "attribute"))])

    def subscript(self, node: Node) -> Term:
        value = field(node, "value")
        found = [self.expression(kid) for kid in node.children_by_field_name("subscript")]
        comma = any(kid.type == "," for kid in node.children)
        return Term(t.INDEX, "", [self.expression(value), *([Term(t.TUPLE, "", found)] if comma else found)])

    def slice(self, node: Node) -> Term:
        parts = [ABSENT, ABSENT, ABSENT]
        at = 0
        for kid in kids(node):
            if kid.type == ":":
                at += 1
            else:
                parts[at] = self.expression(kid)
        return Term(t.SLICE, "", parts)

    def call(self, node: Node) -> Term:
        arguments = field(node, "arguments")
        found = [self.expression(arguments)] if arguments.type == "generator_expression" else self.arguments(arguments)
        return Term(t.CALL, "", [self.expression(field(node, "function")), *found])

    def arguments(self, node: Node) -> list[Term]:
        return [self.expression(kid) for kid in named(kids(node))]

    def keyword(self, node: Node) -> Term:
        return Term(t.KWARG, "", [leaf(t.FIELD, field(node, "name")), self.expression(field(node, "value"))])

    def splat(self, node: Node) -> Term:
        return Term(t.SPREAD, "**" if node.type.startswith("dictionary") else "*", [self.expression(kids(node)[-1])])

    def binary(self, node: Node) -> Term:
        operator = text(field(node, "operator"))
        return Term(t.BINARY, operator, [self.expression(field(node, "left")), self.expression(field(node, "right"))])

    def boolean(self, node: Node) -> Term:
        operator = text(field(node, "operator"))
        left, right = self.expression(field(node, "left")), self.expression(field(node, "right"))
        operands = [
            *(left.kids if left.kind == t.LOGIC and left.value == operator else [left]),
            *(right.kids if right.kind == t.LOGIC and right.value == operator else [right]),
        ]
        return Term(t.LOGIC, operator, operands)

    def comparison(self, node: Node) -> Term:
        operands: list[Term] = []
        operators: list[str] = []
        for kid in kids(node):
            if kid.is_named and kid.type not in ("not in", "is not"):
                operands.append(self.expression(kid))
            else:
                operators.append(" ".join(text(kid).split()))
        if len(operands) == 2:
            return Term(t.COMPARE, " ".join(operators), operands)
        chain = [operands[0]]
        for operator, operand in zip(operators, operands[1:], strict=True):
            chain += [Term(t.TOKEN, operator), operand]
        return Term(t.CHAIN, "", chain)

    def negation(self, node: Node) -> Term:
        return Term(t.NOT, "", [self.expression(field(node, "argument"))])

    def unary(self, node: Node) -> Term:
        return Term(t.UNARY, text(field(node, "operator")), [self.expression(field(node, "argument"))])

    def conditional(self, node: Node) -> Term:
        then, test, otherwise = map(self.expression, named(kids(node)))
        return Term(t.COND, "", [test, then, otherwise])

    def lambda_(self, node: Node) -> Term:
        within, self.in_class = self.in_class, False
        parameters = self.parameters(node.child_by_field_name("parameters"))
        body = self.expression(field(node, "body"))
        self.in_class = within
        return Term(t.LAMBDA, (), [parameters, body])

    def parameters(self, node: "Node | None") -> Term:
        if node is None:
            return Term(t.PARAMS)
        found = [kid for kid in kids(node) if kid.type not in ("(", ")", ",", "|")]
        return Term(t.PARAMS, "", map(self.parameter, found))

    def parameter(self, node: Node) -> Term:
        kind = node.type
        if kind in ("positional_separator", "keyword_separator"):
            return leaf(t.TOKEN, node)
        annotation = node.child_by_field_name("type")
        value = self.optional(node, "value")
        name = node.child_by_field_name("name") or (kids(node)[0] if kind == "typed_parameter" else node)
        flags: tuple[str, ...] = ()
        if name.type in ("list_splat_pattern", "dictionary_splat_pattern"):
            flags = ("*",) if name.type == "list_splat_pattern" else ("**",)
            name = kids(name)[-1]
        typed = self.type(annotation) if annotation is not None else ABSENT
        return at(Term(t.PARAM, flags, [self.target(name), typed, value]), node)

    def walrus(self, node: Node) -> Term:
        return Term(t.ASSIGN, "walrus", [self.target(field(node, "name")), self.expression(field(node, "value"))])

    def comprehension(self, node: Node) -> Term:
        within, self.in_class = self.in_class, False
        clauses: list[tuple[str, list[Term]]] = []
        for kid in node.children:
            if kid.type == "for_in_clause":
                found = [self.target(field(kid, "left")), *map(self.expression, kid.children_by_field_name("right"))]
                clauses.append(("async" if has(kid, "async") else "", found))
            elif kid.type == "if_clause":
                clauses[-1][1].append(self.expression(named(kids(kid))[0]))
        element = self.expression(field(node, "body"))
        self.in_class = within
        made = [Term(t.CLAUSE, flag, found) for flag, found in clauses]
        return Term(t.COMP, _COMPREHENSIONS[node.type], [element, *made])

    def group(self, node: Node) -> Term:
        return Term(_GROUPS[node.type], "", map(self.expression, named(kids(node))))

    def pair(self, node: Node) -> Term:
        return Term(t.PAIR, "", [self.expression(field(node, "key")), self.expression(field(node, "value"))])

    def awaited(self, node: Node) -> Term:
        """Return what is waited for; the grammar takes `await a ** b` for `await (a ** b)`, which it is not."""
        made = self.operand(node)
        written = named(kids(node))[-1]
        if made.kind == t.BINARY and made.value == "**" and written.type == "binary_operator":
            return made.but(kids=[Term(t.AWAIT, "", made.kids[:1]), made.kids[1]])
        return Term(t.AWAIT, "", [made])

    def yielded(self, node: Node) -> Term:
        return Term(t.YIELD, "from" if has(node, "from") else "", [self.operand(node)])

    def text(self, node: Node) -> Term:
        return string([node], self.expression)

    def texts(self, node: Node) -> Term:
        return string(named(kids(node)), self.expression)

    def number(self, node: Node) -> Term:
        return number(text(node))

    def constant(self, node: Node) -> Term:
        return Term(t.LIT, ("constant", text(node)))

    def name(self, node: Node) -> Term:
        return Term(t.NAME, text(node))


EXPRESSIONS: Final[dict[str, Callable[[Expressions, Node], Term]]] = {
    "identifier": Expressions.name,
    "attribute": Expressions.attribute,
    "call": Expressions.call,
    "string": Expressions.text,
    "concatenated_string": Expressions.texts,
    "integer": Expressions.number,
    "float": Expressions.number,
    "true": Expressions.constant,
    "false": Expressions.constant,
    "none": Expressions.constant,
    "ellipsis": Expressions.constant,
    "keyword_argument": Expressions.keyword,
    "list_splat": Expressions.splat,
    "dictionary_splat": Expressions.splat,
    "list_splat_pattern": Expressions.splat,
    "subscript": Expressions.subscript,
    "slice": Expressions.slice,
    "binary_operator": Expressions.binary,
    "boolean_operator": Expressions.boolean,
    "comparison_operator": Expressions.comparison,
    "not_operator": Expressions.negation,
    "unary_operator": Expressions.unary,
    "conditional_expression": Expressions.conditional,
    "lambda": Expressions.lambda_,
    "named_expression": Expressions.walrus,
    "await": Expressions.awaited,
    "yield": Expressions.yielded,
    "pair": Expressions.pair,
    "dotted_name": Expressions.dotted,
    "type": Expressions.type_expression,
    "generic_type": Expressions.generic_type,
    "union_type": Expressions.union_type,
    **dict.fromkeys(_GROUPS, Expressions.group),
    **dict.fromkeys(_COMPREHENSIONS, Expressions.comprehension),
}
