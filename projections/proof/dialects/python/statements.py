"""Lower Python's statements to terms."""

from collections.abc import Callable, Sequence
from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.nodes import at, field, has, kids, kinds, leaf, named, text
from linetrail.projections.proof.dialects.python.expressions import Expressions
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term


class Statements(Expressions):
    """The lowering of one file; a method is named after what it lowers."""

    def within(self, node: Node) -> list[Term]:
        """Return the terms of what stands in a construct that has no kind of its own."""
        if node.type in STATEMENTS or node.type == "expression_statement":
            return self.statement(node)
        return [self.block(node)] if node.type == "block" else super().within(node)

    def statement(self, node: Node, *, docs: bool = False) -> list[Term]:
        """Return the terms of one statement: usually one; `docs` says that a docstring may stand here."""
        if node.type == "expression_statement":
            parts = kids(node)
            if docs and len(parts) == 1 and parts[0].type in ("string", "concatenated_string"):
                literal = self.expression(parts[0])
                if literal.kind == t.LIT and literal.value[0] == "str":
                    return [at(Term(t.DOC, literal.value[1]), node)]
            if len(parts) == 1 or node.child_count == 1:
                return [self.effect(parts[0], node)]
            return [at(Term(t.EXPR, "", [Term(t.TUPLE, "", map(self.expression, named(parts)))]), node)]
        made = STATEMENTS.get(node.type)
        if made is None:
            return [self.other(node)]
        return [at(one, node) for one in made(self, node)]

    def block(self, node: "Node | None", *, docs: bool = False) -> Term:
        """Return the statements of a body, its docstring as DOC."""
        if node is None:
            return ABSENT
        statements: list[Term] = []
        for kid in node.children:
            if kid.type not in ("comment", ";"):
                statements += self.statement(kid, docs=docs and not statements)
        return at(Term(t.BLOCK, "", statements), node)

    def effect(self, node: Node, whole: Node) -> Term:
        if node.type == "assignment":
            return at(self.assignment(node), whole)
        if node.type == "augmented_assignment":
            return at(self.augmented(node), whole)
        return at(Term(t.EXPR, "", [self.expression(node)]), whole)

    def assignment(self, node: Node) -> Term:
        annotation = node.child_by_field_name("type")
        if annotation is not None:
            target = self.target(field(node, "left"))
            return Term(t.DECLARE, ("",), [target, self.type(annotation), self.optional(node, "right")])
        targets: list[Term] = []
        right: Node | None = node
        while right is not None and right.type == "assignment" and right.child_by_field_name("type") is None:
            targets.append(self.target(field(right, "left")))
            right = right.child_by_field_name("right")
        return Term(t.ASSIGN, "=", [*targets, self.expression(right) if right is not None else ABSENT])

    def augmented(self, node: Node) -> Term:
        operator = text(field(node, "operator"))
        return Term(t.AUGMENT, operator, [self.target(field(node, "left")), self.expression(field(node, "right"))])

    def branch(self, node: Node) -> list[Term]:
        clauses = [kid for kid in node.children if kid.type in ("elif_clause", "else_clause")]
        otherwise = ABSENT
        for clause in reversed(clauses):
            if clause.type == "else_clause":
                otherwise = self.block(clause.child_by_field_name("body"))
            else:
                test = self.expression(field(clause, "condition"))
                branch = at(Term(t.IF, "", [test, self.block(field(clause, "consequence")), otherwise]), clause)
                otherwise = at(Term(t.BLOCK, "", [branch]), clause)
        test = self.expression(field(node, "condition"))
        return [Term(t.IF, "", [test, self.block(field(node, "consequence")), otherwise])]

    def loop(self, node: Node) -> list[Term]:
        test = self.expression(field(node, "condition"))
        return [Term(t.WHILE, "", [test, self.block(field(node, "body")), self.otherwise(node)])]

    def each(self, node: Node) -> list[Term]:
        flags = ("in", "async") if has(node, "async") else ("in",)
        target, iterable = self.target(field(node, "left")), self.expression(field(node, "right"))
        return [Term(t.EACH, flags, [target, iterable, self.block(field(node, "body")), self.otherwise(node)])]

    def otherwise(self, node: Node) -> Term:
        clause = next((kid for kid in node.children if kid.type == "else_clause"), None)
        return self.block(clause.child_by_field_name("body")) if clause is not None else ABSENT

    def attempt(self, node: Node) -> list[Term]:
        catches: list[Term] = []
        last = ABSENT
        for kid in node.children:
            if kid.type in ("except_clause", "except_group_clause"):
                catches.append(self.handler(kid))
            elif kid.type == "finally_clause":
                last = self.block(kids(kid)[-1])
        return [Term(t.TRY, "", [self.block(field(node, "body")), *catches, self.otherwise(node), last])]

    def handler(self, node: Node) -> Term:
        parts = kids(node)
        body = self.block(parts[-1])
        value = node.child_by_field_name("value")
        # one without parentheses around several types, or an old grammar's names: as it is written
        values = node.children_by_field_name("value")
        star = "*" if has(node, "*") else ""
        if len(values) > 1:
            return Term(t.CATCH, star, [Term(t.TUPLE, "", map(self.expression, values)), ABSENT, body])
        if value is None:
            return Term(t.CATCH, star, [ABSENT, ABSENT, body])
        if value.type == "as_pattern":
            kind, name = self.named_as(value)
            return Term(t.CATCH, star, [kind, name, body])
        return Term(t.CATCH, star, [self.expression(value), ABSENT, body])

    def named_as(self, node: Node) -> tuple[Term, Term]:
        parts = named(kids(node))
        alias = parts[-1]
        inner = kids(alias)
        target = inner[0] if alias.type == "as_pattern_target" and inner else alias
        return self.expression(parts[0]), self.target(target)

    def managed(self, node: Node) -> list[Term]:
        items: list[Term] = []
        clause = next(kid for kid in node.children if kid.type == "with_clause")
        found = [kid for kid in clause.children if kid.type == "with_item"]
        if len(found) == 1 and kids(found[0])[0].type == "tuple" and not has(clause, "("):
            # the grammar takes `with (a as b, c):` for a tuple
            value = kids(found[0])[0]
            found = named(kids(value)) if any(kid.type == "as_pattern" for kid in value.children) else found
        for item in found:
            value = kids(item)[0] if item.type == "with_item" else item
            if value.type == "as_pattern":
                items.append(Term(t.ITEM, "", self.named_as(value)))
            else:
                items.append(Term(t.ITEM, "", [self.expression(value), ABSENT]))
        flags = ("async",) if has(node, "async") else ()
        return [Term(t.WITH, flags, [*items, self.block(field(node, "body"))])]

    def match(self, node: Node) -> list[Term]:
        subjects = [self.expression(kid) for kid in node.children_by_field_name("subject")]
        subject = subjects[0] if len(subjects) == 1 and not has(node, ",") else Term(t.TUPLE, "", subjects)
        body = field(node, "body")
        return [Term(t.SWITCH, ("match",), [subject, *map(self.case, kinds(body, "case_clause"))])]

    def case(self, node: Node) -> Term:
        patterns = [self.pattern(kid) for kid in node.children if kid.type == "case_pattern"]
        pattern = patterns[0] if len(patterns) == 1 and not has(node, ",") else Term(t.TUPLE, "", patterns)
        guard = node.child_by_field_name("guard")
        test = self.expression(named(kids(guard))[0]) if guard is not None else ABSENT
        return at(Term(t.CASE, "", [pattern, test, self.block(field(node, "consequence"))]), node)

    def pattern(self, node: Node) -> Term:
        if node.type == "case_pattern" and node.child_count == 1:
            return self.pattern(node.children[0])
        if node.type == "dotted_name":
            return self.capture(node)
        if node.type in ("string", "concatenated_string", "integer", "float", "true", "false", "none"):
            return self.expression(node)
        if node.type == "class_pattern":
            first, *rest = kids(node)
            return Term("python:class_pattern", "", [self.dotted(first), *map(self.pattern, rest)])
        if node.type == "keyword_pattern":
            first, *rest = kids(node)
            return Term("python:keyword_pattern", "", [leaf(t.FIELD, first), *map(self.pattern, rest)])
        if node.type in ("as_pattern", "splat_pattern") or node.child_count:
            parts = [leaf(t.BIND, kid) if kid.type == "identifier" else self.pattern(kid) for kid in kids(node)]
            return at(Term(f"python:{node.type}", "", parts), node)
        return leaf(t.TOKEN, node)

    def capture(self, node: Node) -> Term:
        """Return a name in a pattern: alone it binds, dotted it is a value."""
        return leaf(t.BIND, node.children[0]) if node.child_count == 1 else self.dotted(node)

    def function(self, node: Node, decorators: Sequence[Term] = ()) -> list[Term]:
        name = leaf(t.MEMBER if self.in_class else t.BIND, field(node, "name"))
        flags = ("async",) if has(node, "async") else ()
        within, self.in_class = self.in_class, False
        parameters = self.parameters(node.child_by_field_name("parameters"))
        body = self.block(node.child_by_field_name("body"), docs=True)
        self.in_class = within
        result = node.child_by_field_name("return_type")
        generics = node.child_by_field_name("type_parameters")
        parts = [name, parameters, body, self.type(result) if result else ABSENT, Term(t.DECORATORS, "", decorators)]
        return [Term(t.FUNCTION, flags, [*parts, self.type(generics)] if generics else parts)]

    def class_(self, node: Node, decorators: Sequence[Term] = ()) -> list[Term]:
        name = leaf(t.MEMBER if self.in_class else t.BIND, field(node, "name"))
        bases = node.child_by_field_name("superclasses")
        arguments = self.arguments(bases) if bases is not None else []
        within, self.in_class = self.in_class, True
        body = self.block(node.child_by_field_name("body"), docs=True)
        self.in_class = within
        generics = node.child_by_field_name("type_parameters")
        parts = [name, Term(t.BASES, "", arguments), body, Term(t.DECORATORS, "", decorators)]
        return [Term(t.CLASS, ("class",), [*parts, self.type(generics)] if generics else parts)]

    def decorated(self, node: Node) -> list[Term]:
        decorators = [self.expression(named(kids(kid))[0]) for kid in kinds(node, "decorator")]
        definition = field(node, "definition")
        make = self.class_ if definition.type == "class_definition" else self.function
        return make(definition, decorators)

    def imports(self, node: Node) -> list[Term]:
        made = [self.whole_module(kid) for kid in node.children_by_field_name("name")]
        return made if len(made) == 1 else [Term("python:imports", "", made)]

    def whole_module(self, node: Node) -> Term:
        if node.type == "aliased_import":
            bound = leaf(t.BIND, field(node, "alias"))
            return Term(t.IMPORT, (text(field(node, "name")),), [Term(t.ALIAS, "*", [bound])])
        path = text(node)
        root = path.partition(".")[0]
        flags = (path,) if root == path else (path, "root")
        return Term(t.IMPORT, flags, [Term(t.ALIAS, "*", [at(Term(t.BIND, root), node)])])

    def from_module(self, node: Node) -> list[Term]:
        path = text(field(node, "module_name")) if node.child_by_field_name("module_name") else "__future__"
        path = "".join(path.split())
        if any(kid.type == "wildcard_import" for kid in node.children):
            return [Term(t.IMPORT, (path, "wildcard"))]
        aliases = [self.imported(kid) for kid in node.children_by_field_name("name")]
        return [Term(t.IMPORT, (path, "from"), aliases)]

    def imported(self, node: Node) -> Term:
        if node.type == "aliased_import":
            return Term(t.ALIAS, text(field(node, "name")), [leaf(t.BIND, field(node, "alias"))])
        return Term(t.ALIAS, text(node), [at(Term(t.BIND, text(node)), node)])

    def returned(self, node: Node) -> list[Term]:
        return [Term(t.RETURN, "", [self.operand(node)])]

    def raised(self, node: Node) -> list[Term]:
        cause = node.child_by_field_name("cause")
        parts = [kid for kid in named(kids(node)) if kid != cause]
        thrown = self.expression(parts[0]) if parts else ABSENT
        return [Term(t.THROW, "", [thrown, self.expression(cause) if cause else ABSENT])]

    def deleted(self, node: Node) -> list[Term]:
        parts = named(kids(node))
        if len(parts) == 1 and parts[0].type == "expression_list":
            parts = named(kids(parts[0]))
        return [Term(t.DELETE, "", map(self.expression, parts))]

    def asserted(self, node: Node) -> list[Term]:
        test, *message = map(self.expression, named(kids(node)))
        return [Term(t.ASSERT, "", [test, message[0] if message else ABSENT])]

    def outer_names(self, node: Node) -> list[Term]:
        names = [leaf(t.FIELD, kid) for kid in node.children if kid.type == "identifier"]
        return [Term(t.GLOBAL, "global" if node.type == "global_statement" else "nonlocal", names)]


STATEMENTS: Final[dict[str, Callable[[Statements, Node], list[Term]]]] = {
    "if_statement": Statements.branch,
    "while_statement": Statements.loop,
    "for_statement": Statements.each,
    "try_statement": Statements.attempt,
    "with_statement": Statements.managed,
    "match_statement": Statements.match,
    "function_definition": Statements.function,
    "class_definition": Statements.class_,
    "decorated_definition": Statements.decorated,
    "import_statement": Statements.imports,
    "import_from_statement": Statements.from_module,
    "future_import_statement": Statements.from_module,
    "return_statement": Statements.returned,
    "raise_statement": Statements.raised,
    "delete_statement": Statements.deleted,
    "assert_statement": Statements.asserted,
    "global_statement": Statements.outer_names,
    "nonlocal_statement": Statements.outer_names,
    "pass_statement": lambda _, __: [Term(t.PASS)],
    "break_statement": lambda _, __: [Term(t.BREAK, "", [ABSENT, ABSENT])],
    "continue_statement": lambda _, __: [Term(t.CONTINUE, "", [ABSENT])],
}
