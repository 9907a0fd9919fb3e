"""Tokens of C++ in clang-format's layout, their brackets, and which lines the host platform compiles."""
import re

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>(?:u8|u|U|L)?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>(?:u8|u|U|L)?"(?:\\.|[^"\\\n])*")
  | (?P<char>(?:u8|u|U|L)?'(?:\\.|[^'\\\n])+')
  | (?P<number>\.?\d(?:'?[\w.]|[eEpP][+-])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>(?<=\s)>>=?(?=\s)|\.\.\.|<=>|<<=|->\*|::|\.\*|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|%=|&=|\|=|\^=
             |[{}()\[\];:?.~!+\-*/%^&|=<>,\#\\@$])
  | (?P<space>\s+)
""", re.VERBOSE | re.DOTALL)
CLOSING = {"(": ")", "[": "]", "{": "}"}
# What the host's build defines. Everything else is treated as undefined, so that only compiled places are drawn.
DEFINED = {"CK_RUNTIME_HOST", "CK_PLATFORM_HOST", "CK_LANGUAGE_HOST", "CK_SQLITE", "__cplusplus"}


class Token:
    __slots__ = ("kind", "text", "start", "end", "spaced", "match")

    def __init__(self, kind, text, start, end, spaced):
        self.kind, self.text, self.start, self.end = kind, text, start, end
        self.spaced = spaced  # white space before it and after it
        self.match = None  # the index of the other bracket

    def __repr__(self):
        return self.text


def is_compiled(condition):
    """Whether the host compiles the code after #if, #ifdef, #elif with that condition."""
    text = re.sub(r"//.*", "", condition)
    text = re.sub(r"defined\s*\(?\s*(\w+)\s*\)?", lambda m: str(m[1] in DEFINED), text)
    text = text.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    if not re.fullmatch(r"[\s()]*(?:(?:True|False|and|or|not|[01])[\s()]*)+", text):
        return False
    return bool(eval(text))  # contains only those words


def without_other_platforms(text):
    """The text with blanks for directives and for code that the host does not compile."""
    lines, stack, result, follows = text.split("\n"), [], [], False
    for line in lines:
        words = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        live = all(state == "on" for state in stack)
        if follows:
            follows = line.endswith("\\")
            result.append(" " * len(line))
            continue
        if not words:
            result.append(line if live else " " * len(line))
            continue
        word, rest = words[1], words[2].rstrip("\\")
        if word == "ifndef":
            stack.append("off" if re.match(r"\w+", rest)[0] in DEFINED else "on")
        elif word in ("if", "ifdef"):
            on = is_compiled(f"defined({rest.split()[0]})" if word == "ifdef" else rest)
            stack.append("on" if on else "off")
        elif word in ("elif", "else") and stack:
            before = stack.pop()
            on = before == "off" and (word == "else" or is_compiled(rest))
            stack.append("on" if on else "done" if before in ("on", "done") else "off")
        elif word == "endif" and stack:
            stack.pop()
        follows = line.endswith("\\")
        result.append(" " * len(line))
    return "\n".join(result)


def tokenize(text):
    """Tokens without comments, with matching brackets linked. Raises ValueError if brackets do not match."""
    tokens, stack, at = [], [], 0
    code = without_other_platforms(text)
    while at < len(code):
        m = TOKEN.match(code, at)
        if not m:
            raise ValueError(f"no token begins at {code[at:at + 20]!r}")
        at = m.end()
        kind = m.lastgroup if m.lastgroup != "mark" else "raw"
        if kind in ("space", "comment"):
            continue
        spaced = code[m.start() - 1:m.start()].isspace() and code[m.end():m.end() + 1].isspace()
        tokens.append(Token("string" if kind == "raw" else kind, m[0], m.start(), m.end(), spaced))
        if kind != "sign":
            continue
        if m[0] in CLOSING:
            stack.append(len(tokens) - 1)
        elif m[0] in CLOSING.values():
            if not stack or CLOSING[tokens[stack[-1]].text] != m[0]:
                raise ValueError(f"a bracket '{m[0]}' fits none before it")
            opening = stack.pop()
            tokens[opening].match, tokens[-1].match = len(tokens) - 1, opening
    if stack:
        raise ValueError(f"a bracket '{tokens[stack[-1]].text}' is not closed")
    return tokens


def is_angle(token, sign):
    """Whether it belongs to template arguments and is not a comparison, which has spaces around it."""
    return token.kind == "sign" and token.text == sign and not token.spaced


def closing_angle(tokens, opening):
    """The index of the '>' that closes template arguments or parameters; None if it is something else."""
    depth, i = 0, opening
    while i < len(tokens):
        t = tokens[i]
        if t.text in CLOSING and t.kind == "sign":
            i = t.match
        elif t.kind == "sign" and t.text in ")]};":
            return None
        elif is_angle(t, "<"):
            depth += 1
        elif is_angle(t, ">"):
            depth -= 1
            if depth == 0:
                return i
        i += 1
    return None
