"""Finds places in Python sources that a mutant can change, as cpp.py does for C++."""
import ast

from .place import Place

TURNED = {ast.Lt: ["<=", ">"], ast.LtE: ["<", ">="], ast.Gt: [">=", "<"], ast.GtE: [">", "<="], ast.Eq: ["!="],
          ast.NotEq: ["=="], ast.Is: ["is not"], ast.IsNot: ["is"], ast.In: ["not in"], ast.NotIn: ["in"]}
ARITHMETIC = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "//"), ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "*")}
ASKS = "_ck_mutant({n})"


class Finder(ast.NodeVisitor):
    def __init__(self, path, text):
        self.path, self.text, self.found = path, text, []
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.lines = text.splitlines(keepends=True)

    def offset(self, line, column):
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def source(self, node):
        return self.text[self.offset(node.lineno, node.col_offset):self.offset(node.end_lineno, node.end_col_offset)]

    def add(self, kind, node, change, text, last=None):
        start = self.offset(node.lineno, node.col_offset)
        end = self.offset((last or node).end_lineno, (last or node).end_col_offset)
        was = " ".join(self.text[start:end].split())
        self.found.append(Place(self.path, kind, start, end, (node.lineno, (last or node).end_lineno), was, change, text, ASKS,
                                self.lines[node.lineno - 1]))

    def generic_visit(self, node):
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_comment"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.visit(child)

    def negate(self, test):
        self.add("condition", test, "the condition is negated", f"(@M@ != bool({self.source(test)}))")

    def visit_If(self, node):
        self.negate(node.test)
        self.generic_visit(node)

    visit_While = visit_IfExp = visit_If

    def visit_Compare(self, node):
        if len(node.ops) == 1:
            left, right = self.source(node.left), self.source(node.comparators[0])
            for other in TURNED.get(type(node.ops[0]), []):
                self.add("comparison", node, f"the comparison becomes {other}",
                         f"((({left}) {other} ({right})) if @M@ else ({self.source(node)}))")
        self.generic_visit(node)

    def visit_BinOp(self, node):
        signs = ARITHMETIC.get(type(node.op))
        texts = any(isinstance(n, ast.JoinedStr) or isinstance(n, ast.Constant) and isinstance(n.value, str)
                    for n in ast.walk(node))
        if signs and not texts:
            left, right = self.source(node.left), self.source(node.right)
            self.add("arithmetic", node, f"{signs[0]} becomes {signs[1]}",
                     f"((({left}) {signs[1]} ({right})) if @M@ else ({self.source(node)}))")
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, bool):
            self.add("constant", node, f"it becomes {not node.value}", f"({not node.value} if @M@ else {node.value})")
        elif isinstance(node.value, (int, float)):
            other = f"({self.source(node)} + 1)"
            self.add("constant", node, f"it becomes {other}", f"({other} if @M@ else {self.source(node)})")

    def visit_JoinedStr(self, node):
        pass  # texts

    def visit_Call(self, node):
        for a, b in zip(node.args, node.args[1:]):
            if not isinstance(a, ast.Starred) and not isinstance(b, ast.Starred) and self.source(a) != self.source(b):
                x, y = self.source(a), self.source(b)
                self.add("arguments", a, "two arguments are swapped",
                         f"(({y}) if @M@ else ({x})), (({x}) if @M@ else ({y}))", last=b)
        self.generic_visit(node)

    def visit_Return(self, node):
        if node.value is not None and not (isinstance(node.value, ast.Constant) and not node.value.value):
            self.add("return", node.value, "nothing is returned: None", f"(None if @M@ else ({self.source(node.value)}))")
        self.generic_visit(node)

    def delete(self, node):
        self.add("statement", node, "the statement is deleted", f"if not @M@: {self.source(node)}")

    def visit_Expr(self, node):
        if not isinstance(node.value, (ast.Constant, ast.Yield)):
            self.delete(node)
            self.generic_visit(node)

    def visit_Raise(self, node):
        self.delete(node)
        self.generic_visit(node)

    def visit_Assign(self, node):
        if isinstance(node.targets[0], (ast.Attribute, ast.Subscript)):
            self.delete(node)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self.delete(node)
        self.generic_visit(node)


def places(path, text):
    finder = Finder(path, text)
    finder.visit(ast.parse(text))
    # Several statements on a line cannot follow one 'if'.
    kept = [p for p in finder.found if p.kind != "statement" or
            not text[text.rfind("\n", 0, p.start) + 1:p.start].strip()]
    return sorted(kept, key=lambda p: (p.start, p.end, p.kind, p.change))


def first_line_of_code(text):
    """The number of the line before which code may be inserted: after the docstring and __future__."""
    after = 0
    for node in ast.parse(text).body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        after = node.end_lineno
    return after
