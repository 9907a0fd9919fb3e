"""Finds places in C++ sources that a mutant can change; each has a text that contains the source and the mutant.

In that text, @M@ tests whether the mutant is the current one. Places whose value must be a constant are left out."""
import bisect
import re

from .place import Place
from .tokens import closing_angle, is_angle, tokenize

TURNED = {"<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"], ">=": [">", "<="], "==": ["!="], "!=": ["=="]}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"}
# Where an operand ends, weakest operators first: each level ends at its own operators and at all earlier ones.
LEVELS = [{",", ";", "?", ":", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}, {"||"}, {"&&"}, {"|"},
          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">=", "<=>"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}]
UNARY_TOO = {"&", "*", "+", "-", "<", ">"}  # binary operators only between spaces
WORDS_THAT_END = {"return", "throw", "case", "else", "do", "co_return", "new", "delete"}
NO_STATEMENT = {"if", "for", "while", "switch", "do", "return", "case", "default", "using", "static", "const", "constexpr",
                "auto", "typedef", "struct", "class", "enum", "union", "template", "try", "catch", "else", "goto", "extern",
                "public", "private", "protected", "friend", "static_assert", "namespace", "typename", "unsigned", "int",
                "bool", "double", "float", "char", "long", "short", "void", "static_cast", "inline", "mutable", "asm", "delete"}
TYPES = {"int", "bool", "double", "float", "char", "long", "short", "void", "unsigned", "const", "auto", "typename", "class"}
ALIKE = {"max", "min", "gcd", "lcm", "swap", "is_same_v", "equal", "saturating_product", "saturating_sum", "limited_product"}  # functions whose arguments may be swapped


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens = tokenize(text)
        self.lines = [m.start() for m in re.finditer(r"^", text, re.MULTILINE)]
        self.constants = sorted(self._constants())
        self.functions_of_constants = self._constexpr_functions()
        self.outer = self._outer_brackets()
        self.blocks = self._blocks()

    def line_of(self, offset):
        return bisect.bisect_right(self.lines, offset)

    def between(self, first, last):
        """The text of tokens first to last on one line, without comments."""
        text, end = "", self.tokens[first].start
        for t in self.tokens[first:last + 1]:
            text += (" " if t.start > end else "") + t.text
            end = t.end
        return text

    def _angles(self):
        for i, t in enumerate(self.tokens):
            if is_angle(t, "<") and i > 0 and (self.tokens[i - 1].kind == "word"):
                end = closing_angle(self.tokens, i)
                if end is not None:
                    yield i, end

    def _statement_end(self, i):
        while i < len(self.tokens) and self.tokens[i].text not in (";", ")", "]", "}"):
            t = self.tokens[i]
            i = t.match + 1 if t.text in ("(", "[", "{") and t.kind == "sign" else i + 1
        return i

    def _constants(self):
        """Token ranges whose value must be a constant."""
        tokens = self.tokens
        yield from self._angles()
        for i, t in enumerate(tokens):
            following = tokens[i + 1] if i + 1 < len(tokens) else t
            if t.text in ("static_assert", "noexcept", "alignas", "decltype", "sizeof", "requires", "alignof") and \
                    following.text == "(":
                yield i, following.match
            elif t.text == "requires":
                yield i, self._statement_end(i)
            elif t.text == "constexpr" and following.text == "(" and tokens[i - 1].text == "if":
                yield i, following.match
            elif t.text in ("enum", "using", "typedef", "case"):
                end = i
                while end < len(tokens) and tokens[end].text not in (";", ":"):
                    end += 1
                yield i, end
            elif t.text in ("constexpr", "constinit") and not self._is_function(i):
                yield i, self._statement_end(i)

    def _is_function(self, i):
        """Whether constexpr at i belongs to a function: parameters come before any '=' and '{'."""
        tokens = self.tokens
        i += 1
        while i < len(tokens) and tokens[i].text not in ("=", "{", ";"):
            if is_angle(tokens[i], "<"):
                i = (closing_angle(tokens, i) or i) + 1
                continue
            if tokens[i].text in ("(", "operator"):
                return True
            i += 1
        return False

    def _constexpr_functions(self):
        """Ranges of bodies of constexpr functions, which also run at compile time."""
        ranges, tokens = [], self.tokens
        for i, t in enumerate(tokens):
            if t.text == "constexpr" and tokens[i + 1].text != "(" and self._is_function(i):
                while tokens[i].text not in ("{", ";"):
                    i = tokens[i].match + 1 if tokens[i].text in ("(", "[") else i + 1
                if tokens[i].text == "{":
                    ranges.append((i, tokens[i].match))
        return ranges

    def _blocks(self):
        """Indices of the '{' of blocks of statements."""
        blocks, tokens = set(), self.tokens
        for i, t in enumerate(tokens):
            if t.text != "{" or t.kind != "sign" or i == 0:
                continue
            before = tokens[i - 1]
            if before.text in (")", "const", "noexcept", "override", "else", "do", "try", "mutable", "final"):
                blocks.add(i)
            elif before.text in (";", "{", "}") and self.outer[i] in blocks:
                blocks.add(i)
            elif before.text == "]" and before.kind == "sign":
                blocks.add(i)
            elif self._follows_return_type(i) or self._follows_initialisers(i):
                blocks.add(i)
        return blocks

    def _outer_brackets(self):
        """For each token, the index of the enclosing bracket, or None."""
        outer, stack = [], []
        for i, t in enumerate(self.tokens):
            if t.kind == "sign" and t.text in ")]}":
                stack.pop()
            outer.append(stack[-1] if stack else None)
            if t.kind == "sign" and t.text in "([{":
                stack.append(i)
        return outer

    def _follows_return_type(self, i):
        for back in range(i - 1, max(i - 12, 0), -1):
            if self.tokens[back].text == "->":
                return self.tokens[back - 1].text in (")", "const", "noexcept", "mutable")
            if self.tokens[back].kind not in ("word",) and self.tokens[back].text not in ("::", "<", ">", "*", "&", ","):
                return False
        return False

    def _follows_initialisers(self, i):
        """Whether it is a constructor's body, after initialisers that end with '}'."""
        j = i - 1
        while j > 0 and self.tokens[j].text in ("}", ")"):
            j = self.tokens[j].match - 1
            if self.tokens[j].kind != "word":
                return False
            j -= 1
            if self.tokens[j].text == ":":
                return self.tokens[j - 1].text in (")", "noexcept")
            if self.tokens[j].text != ",":
                return False
            j -= 1
        return False

    def is_constant(self, i):
        return any(first <= i <= last for first, last in self.constants)

    def place(self, kind, first, last, change, text):
        """Replaces tokens first to last by the text."""
        start, end = self.tokens[first].start, self.tokens[last].end
        inside = any(a <= first <= b for a, b in self.functions_of_constants)
        place = Place(self.path, kind, start, end, (self.line_of(start), self.line_of(end - 1)), self.between(first, last), change, text,
                      "ck_mutant::is_at_run_time<{n}>()" if inside else "ck_mutant::is<{n}>()",
                      self.text[self.lines[self.line_of(start) - 1]:].split("\n", 1)[0])
        place.token = first
        return place


def ends_operand(token, level):
    if token.kind == "word":
        return token.text in WORDS_THAT_END
    if token.kind != "sign":
        return False
    for signs in LEVELS[:level + 1]:
        if token.text in signs:
            return token.text not in UNARY_TOO or token.spaced
    return False


def left_end(source, i, level):
    """Returns the first token of the operand before i."""
    tokens, j = source.tokens, i - 1
    while j >= 0:
        t = tokens[j]
        if t.kind == "sign" and t.text in ")]}":
            if t.text == "}" and t.match in source.blocks and tokens[j + 1].text != "(":
                break
            j = t.match - 1
            continue
        if (t.kind == "sign" and t.text in "([{") or ends_operand(t, level):
            break
        if is_angle(t, ">"):
            depth, k = 1, j - 1
            while k >= 0 and depth > 0:
                depth += is_angle(tokens[k], ">") - is_angle(tokens[k], "<")
                k -= 1
            j = k
            continue
        j -= 1
    first = j + 1
    while tokens[first].text in ("if", "while", "for", "switch") and tokens[first + 1].text == "(":
        first = tokens[first + 1].match + 1  # the statement has no braces
    return first


def right_end(source, i, level):
    """Returns the last token of the operand that starts at i."""
    tokens, j = source.tokens, i
    while j < len(tokens):
        t = tokens[j]
        if t.kind == "sign" and t.text in "([{":
            j = t.match + 1
            continue
        if (t.kind == "sign" and t.text in ")]}") or (j > i and ends_operand(t, level)):
            break
        if is_angle(t, "<"):
            j = (closing_angle(tokens, j) or j) + 1
            continue
        j += 1
    return j - 1


def level_of(sign):
    return next(i for i, signs in enumerate(LEVELS) if sign in signs)


def binary(source, i, choices, kind):
    """Yields the operation at token i with other operators."""
    level = level_of(source.tokens[i].text)
    first, last = left_end(source, i, level - 1), right_end(source, i + 1, level)
    if first >= i or last <= i:
        return
    left, right = source.between(first, i - 1), source.between(i + 1, last)
    if kind == "arithmetic" and any(t.kind == "string" for t in source.tokens[first:last + 1]):
        return
    sign = source.tokens[i].text
    for other in choices:
        yield source.place(kind, first, last, f"{sign} becomes {other}", f"(@M@ ? ({left} {other} {right}) : ({left} {sign} {right}))")


def comparisons(source):
    for i, t in enumerate(source.tokens):
        if t.kind == "sign" and t.text in TURNED and (t.spaced or t.text in ("==", "!=", "<=", ">=")) and \
                source.tokens[i - 1].text != "operator":
            yield from binary(source, i, TURNED[t.text], "comparison")


def arithmetic(source):
    for i, t in enumerate(source.tokens):
        if t.kind == "sign" and t.text in ARITHMETIC and t.spaced and source.tokens[i - 1].text != "operator":
            yield from binary(source, i, [ARITHMETIC[t.text]], "arithmetic")
        elif t.text in ("+=", "-=") and t.spaced:
            first, last = left_end(source, i, 0), right_end(source, i + 1, 0)
            if first < i and not any(u.kind == "string" for u in source.tokens[first:last + 1]):
                left, right, other = source.between(first, i - 1), source.between(i + 1, last), "-=" if t.text == "+=" else "+="
                yield source.place("arithmetic", first, last, f"{t.text} becomes {other}",
                            f"(@M@ ? ({left} {other} {right}) : ({left} {t.text} {right}))")


def conditions(source):
    tokens = source.tokens
    for i, t in enumerate(tokens):
        if t.text in ("if", "while") and tokens[i + 1].text == "(":
            first, last = i + 2, tokens[i + 1].match - 1
            semicolons = [j for j in range(first, last) if tokens[j].text == ";"]
            first = semicolons[-1] + 1 if semicolons else first
            if not any(u.text == "=" for u in tokens[first:last + 1]):
                yield source.place("condition", first, last, "the condition is negated",
                            f"(@M@ != static_cast<bool>({source.between(first, last)}))")
        elif t.text == "?" and t.spaced:
            first = left_end(source, i, 0)
            if first < i:
                yield source.place("condition", first, i - 1, "the condition is negated",
                            f"(@M@ != static_cast<bool>({source.between(first, i - 1)}))")


def changed_number(text):
    """Other numbers of the same type, as text; none if it is not a number."""
    m = re.fullmatch(r"(\d+)([uUlL]*)", text)
    if m:
        value = int(m[1].replace("'", ""), 8 if len(m[1]) > 1 and m[1][0] == "0" else 10)
        return [f"{value + 1}{m[2]}"] + ([f"{value - 1}{m[2]}"] if value > 1 else [])
    m = re.fullmatch(r"((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(f?)", text)
    if m and float(m[1]) == 0:
        return [f"1.{m[2]}"]
    return [f"(2 * {text})", f"(-{text})"] if m else []


def constants(source):
    tokens = source.tokens
    for i, t in enumerate(tokens):
        others = []
        if t.kind == "number" and not (tokens[i - 1].text == "[" and tokens[i + 1].text == "]"):
            others = changed_number(t.text)
        elif t.text in ("true", "false"):
            others = ["false" if t.text == "true" else "true"]
        if tokens[i - 1].text == "=" and tokens[i + 1].text == ";" and tokens[i - 2].text == ")":
            others = []  # = 0 of a virtual function
        for other in others:
            yield source.place("constant", i, i, f"{t.text} becomes {other}", f"(@M@ ? {other} : {t.text})")


def statement_begins(source):
    """Indices of tokens that start a statement of a block."""
    tokens = source.tokens
    for i in range(1, len(tokens)):
        before = tokens[i - 1]
        if source.outer[i] not in source.blocks:
            continue
        head = before.match - 1 if before.text == ")" else None
        if before.text in (";", "{", "else", "do") or (before.text == "}" and before.match in source.blocks):
            yield i
        elif head is not None and (tokens[head].text in ("if", "for", "while") or
                                   (tokens[head].text == "constexpr" and tokens[head - 1].text == "if")):
            yield i


def is_declaration(tokens, first, last):
    """Whether a statement that starts with a word declares something."""
    i = first
    while i <= last:
        t = tokens[i]
        if is_angle(t, "<"):
            i = (closing_angle(tokens, i) or last) + 1
            if i <= last and tokens[i].kind == "word":
                return True
            continue
        following = tokens[i + 1]
        if t.kind == "word" and (following.kind == "word" or (following.text in ("&", "*", "&&") and not following.spaced)):
            return True
        if t.kind == "sign" and t.text != "::":
            return t.text in ("&", "*", "&&") and not t.spaced
        i += 1
    return False


def statements(source):
    tokens = source.tokens
    for first in statement_begins(source):
        t = tokens[first]
        if t.kind != "word" and t.text not in ("++", "--", "*", "("):
            continue
        if t.text in NO_STATEMENT:
            continue
        last = first
        while tokens[last].text != ";":
            last = tokens[last].match + 1 if tokens[last].text in ("(", "[", "{") else last + 1
            if last >= len(tokens) or tokens[last].text == "}":
                break
        if last >= len(tokens) or tokens[last].text != ";":
            continue
        if t.kind == "word" and t.text not in ("throw", "break", "continue") and is_declaration(tokens, first, last):
            continue
        yield source.place("statement", first, last, "the statement is deleted",
                    f"{{ if(!@M@) {{ {source.between(first, last)} }} }}")


def returns(source):
    tokens = source.tokens
    for first in statement_begins(source):
        if tokens[first].text != "return":
            continue
        last = source._statement_end(first)
        value = source.between(first + 1, last - 1) if last - 1 > first else ""
        if tokens[last].text != ";" or value in ("", "0", "false", "nullptr", "{}", '""', "none", "*this", "true", "std::nullopt") or \
                re.fullmatch(r"[\w:]+(<\w+>)?\{\}", value):  # it already is that
            continue
        yield source.place("return", first, last, "nothing is returned: {}",
                    f"{{ if(@M@) return {{}}; {source.between(first, last)} }}")


def lists_of_arguments(source):
    """Yields (opening bracket, ranges of the arguments) for calls and braced lists."""
    tokens = source.tokens
    for i, t in enumerate(tokens):
        if t.kind != "sign" or t.text not in ("(", "{") or i == 0 or i in source.blocks:
            continue
        before = tokens[i - 1]
        is_call = before.kind == "word" or before.text in ("]", ">")
        if t.text == "(" and (not is_call or before.text in ("if", "for", "while", "switch", "catch", "decltype", "sizeof") or
                              before.text in ALIKE or (before.kind == "word" and before.text.isupper())):
            continue
        if t.text == "{" and not (is_call or before.text in ("return", "=", "(", ",")):
            continue
        if t.text == "{" and before.text == "(" and tokens[i - 2].text in ALIKE:
            continue  # std::max({a, b})
        arguments, first, j = [], i + 1, i + 1
        while j <= t.match:
            u = tokens[j]
            if j == t.match or u.text == ",":
                arguments.append((first, j - 1))
                first = j + 1
            if is_angle(u, "<"):
                j = (closing_angle(tokens, j) or j) + 1
            else:
                j = u.match + 1 if u.text in ("(", "[", "{") and u.kind == "sign" else j + 1
        if len(arguments) >= 2 and not any(tokens[j].text == ";" for j in range(i, t.match) if source.outer[j] == i):
            yield i, arguments


def is_argument(tokens, first, last):
    """Whether it is a value, not a parameter or part of a declaration."""
    if first > last or tokens[first].text in (".", "...", "[") or tokens[last].text == "...":
        return False
    words = tokens[first:last + 1]
    for a, b in zip(words, words[1:]):
        if a.kind == "word" and b.kind == "word" and a.text not in ("return", "not", "new"):
            return False
        if a.kind in ("word",) and b.text in ("&", "*", "&&") and not b.spaced:
            return False
    return not any(w.text in TYPES for w in words[:2]) and words[-1].text not in ("&", "*") and \
        not any(w.text == "{" and w.match is not None for w in words)


def swapped(source):
    tokens = source.tokens
    for opening, arguments in lists_of_arguments(source):
        for (a, b), (c, d) in zip(arguments, arguments[1:]):
            if not is_argument(tokens, a, b) or not is_argument(tokens, c, d):
                continue
            x, y = source.between(a, b), source.between(c, d)
            strings = [any(t.kind == "string" for t in tokens[first:last + 1]) for first, last in ((a, b), (c, d))]
            if x != y and strings[0] == strings[1]:
                yield source.place("arguments", a, d, "two arguments are swapped",
                            f"(@M@ ? {y} : {x}), (@M@ ? {x} : {y})")


KINDS = {"comparison": comparisons, "condition": conditions, "statement": statements, "constant": constants,
         "arithmetic": arithmetic, "arguments": swapped, "return": returns}


def places(path, text):
    """Returns every place of the source, in order."""
    source = Source(path, text)
    found = []
    for find in KINDS.values():
        found += [p for p in find(source) if not source.is_constant(p.token)]
    return sorted(found, key=lambda p: (p.start, p.end, p.kind, p.change))
