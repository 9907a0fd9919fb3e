"""Which programs a shell script starts, as far as its text says: the first words of its commands. Not a habit of its own."""
import re

KEYWORDS = set("""if then else elif fi for while until do done case esac in function time ! { } [ [[ ]] : . alias break builtin
    cd command compgen continue declare eval exec exit export getopts hash let local mapfile popd pushd pwd read readarray
    readonly return set shift shopt source times trap type ulimit umask unalias unset wait printf echo test true false kill
    jobs bg fg disown""".split())
# Words before a command, and `require PACKAGE` before a check.
PREFIXES = re.compile(r"^(?:(?:if|then|else|elif|while|until|do|!|\{|exec|nohup|sudo|time|command -v|type|has|"
                      r"require \S+|env(?: -[iu] ?\w*)*)\s+|\w+\+?=\S*\s+|\w+\+?=\S*$|\d*[<>]+&?\s*\S+\s*)+")
GONE = "\x01"  # what stands for strings, numbers and substitutions
WORD = re.compile(r"^[A-Za-z_][\w.+-]*$")


def is_script(file):
    if file.suffix == ".sh":
        return True
    return file.suffix == "" and bool(re.match(rb"#!(/usr/bin/env bash|/bin/(ba)?sh)\s", file.read_bytes()[:40]))


def functions(text):
    return set(re.findall(r"(?m)^\s*(?:function )?([\w-]+)\(\)", text))


def programs(text):
    """Names of programs; those in variables and of a path are left out."""
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"<<-?\s*'?(\w+)'?\n.*?^\s*\1$", "", text, flags=re.M | re.S)  # here documents
    commands = []
    _split(_without_comments(text), commands)
    found = set()
    for command in commands:
        word = PREFIXES.sub("", command.strip() + " ").split(" ")[0].strip()
        if WORD.match(word) and word not in KEYWORDS and not word.endswith("="):
            found.add(word)
    return found


def _without_comments(text):
    """Quoted strings become GONE, except the $(...) in them, which come after as commands; comments go."""
    out, extra, at = [], [], 0
    while at < len(text):
        c = text[at]
        if c == "\\":
            out.append(GONE)
            at += 2
        elif c == "'":
            end = text.find("'", at + 1)
            at = len(text) if end < 0 else end + 1
            out.append(GONE)
        elif c == '"':
            end = _end_of_string(text, at)
            extra += _substitutions(text[at + 1:end])
            out.append(GONE)
            at = end + 1
        elif c == "#" and (at == 0 or text[at - 1] in " \t\n;("):
            while at < len(text) and text[at] != "\n":
                at += 1
        elif text.startswith("$((", at) or (text.startswith("((", at) and (at == 0 or text[at - 1] in " \t\n;")):
            end = text.find("))", at)
            out.append(GONE)
            at = len(text) if end < 0 else end + 2
        elif text.startswith("${", at):
            end = _closing(text, at + 1, "{", "}")
            extra += _substitutions(text[at + 2:end])
            out.append(GONE)
            at = end + 1
        elif text.startswith("$(", at) or text.startswith("<(", at):
            end = _closing(text, at + 1, "(", ")")
            extra.append(text[at + 2:end])
            out.append(GONE)
            at = end + 1
        else:
            out.append(c)
            at += 1
    return "".join(out) + "".join("\n" + _without_comments(e) for e in extra)


def _substitutions(text):
    found, at = [], text.find("$(")
    while at >= 0:
        if text.startswith("$((", at):
            at = text.find("$(", at + 3)
            continue
        end = _closing(text, at + 1, "(", ")")
        found.append(text[at + 2:end])
        at = text.find("$(", end)
    return found


def _end_of_string(text, at):
    at += 1
    while at < len(text) and text[at] != '"':
        if text[at] == "\\":
            at += 1
        elif text.startswith("$(", at):
            at = _closing(text, at + 1, "(", ")")
        at += 1
    return at


def _closing(text, at, opening, closing):
    depth = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == "'" and opening == "(":
            end = text.find("'", at + 1)
            at = len(text) if end < 0 else end
        elif text[at] == opening:
            depth += 1
        elif text[at] == closing:
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return len(text)


def _split(text, commands):
    text = re.sub(r"(\w+\+?=)\([^()]*\)", r"\1" + GONE, text, flags=re.S)  # arrays
    text = re.sub(r"\[\[.*?\]\]", GONE, text)
    text = re.sub(r"\bfor\s+\w+\s+in\b[^\n;]*", "", text)
    text = re.sub(r"\bfor\s+\w+\s*(?=;)|\bcase\b[^\n]*?\bin\b", "", text)
    text = re.sub(r"(?m)^([ \t]*)[^()\n;&]*\)(?=\s|$)", r"\1", text)  # patterns of case
    text = re.sub(r"\d*[<>]+&\d?-?", " ", text)
    commands += re.split(r"\n|;;|;|\|\||\||&&|&|\(|\)", text)
