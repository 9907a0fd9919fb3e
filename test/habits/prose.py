#!/usr/bin/env python3
"""Fails when a document or a comment has a phrase again that readers stumbled over.

README.md, CONTRIBUTING.md, SECURITY.md, CHANGELOG.md and the pages below docs are read sentence by sentence, without code blocks and code
spans; so are the comments of C, C++, Python and shell, and docstrings. Each phrase has an exception where correct English has the same
words.
"""
import ast
import bisect
import io
import re
import tokenize

import habit

KERNELS = r"(?:barriers?|copy|copies|kernels?|launch(?:es)?|loads?|loops?|multiplications?|products?|reads?|slices?|sums?|transpositions?)"
COMPARED = r"(?:cuDNN|DTensor|float64|MIOpen|oneDNN|PyTorch|torch|(?:plain )?loops?|definition|(?:measured )?(?:ones|times))"
REST = r"(?:functions|products?|refusals?|slices|spec|these|types|what)"  # all that is there besides them
BEFORE = r"(?:call|chunk|copy|frame|kernel|launch|offsets|one|pixels|rows?|slice|slot|step|tiles?)"  # "the launch before left it"
MEMBER = r"(?:column|file|line|process|program|row|test|tuning)"  # "a row a number"
KIND = r"(?:direction|engine|kernel|launch|number|schedule|target|transport|type)"
COUNTED = r"(?:[GKMT]i?B|FLOP|bytes|channels|cycles|elements|images|lanes|ms|operations|s|sums|tiles|us|waves|workgroups?)"
EACH = (r"(?:SIMD|SM|block|byte|channel|chip|column|cycle|die|group|kernel|lane|launch|line|program|row|second|slice|source|tap|thread|"
        r"tile|unit|warpgroup|wave)")
IDEA = r"\b(?:idea|reason|reasoning|rationale|hidden|hides?)\b"  # the idea behind a kernel
# Phrase, what to write, and what before it in its sentence makes it right. A space stands for any white space.
PHRASES = [
    (r"\bbut for\b", "except", r"\bnot\b"),  # "not for speed but for correctness"
    (r"\bof before\b", "previous", None),
    (r"\bso many\b(?! (?:\w+ ){0,3}that\b)", "many, or the number", None),
    (r"(?<![^ ])Of (?!course\b)[^.,;:|]+? there (?:is|are)\b", "There are", r"\S"),
    (r"\bbehind (?:an?|the|each|every|that) (?:\w+ )?" + KERNELS + r"\b", "after", IDEA),
    (r"\bbefore and behind\b", "before and after", None),
    (r"\b(?:began|begins?|stays?) (?:behind|ahead of)\b", "after, before", None),
    (r"\bahead of (?:an?|the|each|every|that) (?:\w+ )?" + KERNELS + r"\b", "before", None),
    (r"\b(?:stands?|stood) (?:behind|beside)\b", "a verb that says what it does", None),
    (r"\bbeside (?:all (?:plans )?of |the (?:same \w+ of )?)?" + COMPARED + r"\b(?!'s (?:files|headers?|library))", "compared with", None),
    (r"\bbeside (?:its |the )?" + REST + r"\b", "besides, except, or outside", r"\b(?:fits?|kept|lies?|room|stored)\b"),
    (r"\b(?:executes?|had|has|have|takes?) beside\b", "besides, or in addition to", None),
    (r"\btranspos\w+ (?:\w+ ){0,3}ahead\b(?! of)", "first, or beforehand", None),
    (r"\b[Aa]s (?:(?!luck|that|which|who)[^ .,;:]+ ){1,4}ha(?:s|ve) (?:it|them)\b", "as in", None),
    (r"(?:\btimes|\dx) ours\b(?! (?:is|was)\b)", "times as long as ours, or as fast as ours", None),
    (r"\b(?:is|are) no multiples? of\b", "is not a multiple of", r"\b[Tt]here\s*$"),
    (r"\b(?:is|are) no neighbours\b", "is not contiguous", None),
    (r"\b(?:packages?|tools?|programs?) that it misses\b", "missing packages", None),
    (r"\brefused in words\b", "refused with an explanation", None),
    (r"\bA refusal has a reason\b", "Unsupported problems are rejected with an explanation", None),
    (r"\bwhere somebody watches\b", "under tracing", None),
    (r"\b(?:an?|one) " + MEMBER + r" an? " + KIND + r"\b", "one for each", None),
    (r"(?<![^ ])Not \w+ (?:by|with|in) [^.]{0,40} (?:is|are)\b", "subject and verb first", r"\S"),
    (r"(?<![^ ])(?:Asked for|Counted|Kept|Left out|Refused|Tested) (?:is|are|was|were)\b", "subject and verb first", r"\S"),
    (r"\bthe " + BEFORE + r" before (?:has|have|had|is|are|was|were|left|wrote|ends?|ended|may)\b", "the previous", None),
    (r"\bthe (?:call|chunk|frame|launch|row|slice|step|tap|tile) before(?=[.,;:])", "the previous", None),
    (r"\bthat there (?:is|are)(?! (?:an?|no|none|nothing|only|something)\b)\b", "that exists, or possible", r"\bso\s*$"),
    (r"\b(?:that|which|what) (?:is|are) none\b", "that is not one, or invalid", None),
    (r"\bso (?:few|little)\b(?! (?:\w+ ){0,3}that\b)", "few, or at most", None),
    (r"(?:\band|,) no more(?=[.,;:])", "only, or nothing else", None),
    (r"\b" + COUNTED + r" an? " + EACH + r"(?=\s*(?:[.,:;)|]|$)| (?:and|at|by|from|in|instead|of|on|than|to|with)\b)", "per", None),
    (r"\banew\b", "again", None),
    (r"\b[Cc]omput(?:e|es|ed|ing) channels (?:last|first)\b", "run in channels last", None),
    (r"\b(?:hook|module|part|weight)s? (?:is|are|was|were) exchanged\b", "replaced", None),
    (r"\b[Ee]xchang(?:e|es|ed|ing) (?:(?:a|each|every|such|the) )?(?:module|part|weight)s?\b", "replace", None),
    (r"\bas far as (?:all|it|they) fits?\b", "if they fit", None),
    (r"\bwhose [^.,:;|]{1,40} (?:stand|stands|stood)\b", "a verb that says what it does", None),
    (r"\bfor want of\b", "because there is no", None),
    (r"\bin the mean\b", "on average", None),
    (r"\bsays? to (?:mistakes|wrong)\b", "how it reports", None),
    (r"(?<![^ ])Of (?!course\b)[^.,;:]{3,60}(?=[.;:])", "what it is that", None),
    (r"\b(?:[Ff]or|[Ii]n|[Oo]f|[Oo]n) (?:[\w':/]+ ){0,3}(?!(?:it|them|us) )[\w':/]+ alone(?=[.;])", "only", r"\b(?:works?|runs?)\s+$"),
]
CODE = re.compile(r"^[ \t]*```.*?^[ \t]*```|`[^`\n]*`|<!--.*?-->", re.M | re.S)
# Sentences end at full stops and colons; so do cells of tables, items of lists and paragraphs.
SENTENCE = re.compile(r"(?:(?!\n\s*\n|\n[ \t]*(?:[-*|#>]|\d+\.)).)+?(?:[.!?:;](?=\s|$)|\||(?=\n\s*\n|\n[ \t]*(?:[-*|#>]|\d+\.)|\Z))", re.S)


def compiled():
    return [(re.compile(phrase.replace(" ", r"\s+")), instead, before and re.compile(before))
            for phrase, instead, before in PHRASES]


def blank(match):
    """What is no prose becomes one letter of a word, so that sentences go on; lines stay."""
    return "`" + "\n" * match.group().count("\n")


def documents(root):
    named = [root / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
    return sorted(path for path in [*named, *root.glob("docs/**/*.md"), *root.glob("changes/*.md")] if path.is_file())


# A string, which may have the signs of a comment in it, or a comment.
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.S)
MARK = re.compile(r"\s*(?:///?<?|//!|/\*+|\*(?!/)|#+!?)?\s?")


def laid_out(text, pieces):
    """The comments as a text of as many lines: one after code is an item of a list, and other lines end a paragraph. pieces: (offset,
    text of a comment)."""
    starts = [0, *(at.end() for at in re.finditer("\n", text))]
    lines = [""] * len(starts)
    for offset, comment in pieces:
        first = bisect.bisect_right(starts, offset) - 1
        follows_code = bool(text[starts[first]:offset].strip())
        for number, line in enumerate(comment.removesuffix("*/").split("\n"), first):
            said = MARK.sub("", line, count=1)
            lines[number] = "- " + said.lstrip() if follows_code and number == first else said
    return "\n".join(lines)


def of_cpp(text):
    return laid_out(text, [(m.start(), m.group()) for m in COMMENT.finditer(text) if m.group().startswith("/")])


def of_python(text):
    starts = [0, *(at.end() for at in re.finditer("\n", text))]
    pieces = [(starts[t.start[0] - 1] + t.start[1], t.string) for t in tokenize.generate_tokens(io.StringIO(text).readline)
              if t.type == tokenize.COMMENT]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node) is not None:
            said = node.body[0]
            pieces.append((starts[said.lineno - 1], "\n".join(text.split("\n")[said.lineno - 1:said.end_lineno]).replace('"""', "   ")))
    return laid_out(text, pieces)


def of_shell(text):
    return laid_out(text, [(m.start(), m.group()) for m in re.finditer(r"^[ \t]*#.*", text, re.M)])


def reader_of(path):
    """How comments of a file are read; None if they are not."""
    if path.suffix in {".hpp", ".h", ".cpp"}:
        return of_cpp
    if path.suffix == ".py":
        return of_python
    if path.suffix in {".sh", ".cmake"} or path.name == "CMakeLists.txt":
        return of_shell
    with path.open("rb") as file:
        first = file.readline(100)
    return of_python if re.match(rb"#!.*python", first) else of_shell if re.match(rb"#!.*sh\b", first) else None


def commented(root):
    """(path, its comments) of every source."""
    for path in habit.files(root, [*habit.FOLDERS, "python"]):
        # This file lists the phrases.
        if path.name != "prose.py" and (reader := reader_of(path)):
            yield path, reader(path.read_text())


def check(root):
    findings, phrases = [], compiled()
    for path, text in [*((path, path.read_text()) for path in documents(root)), *commented(root)]:
        text = CODE.sub(blank, text)
        lines = [at.start() for at in re.finditer("\n", text)]
        for sentence in SENTENCE.finditer(text):
            for phrase, instead, unless in phrases:
                for found in phrase.finditer(sentence.group()):
                    if unless and unless.search(sentence.group()[:found.start()].lstrip(" \t\n-*|#>0123456789.")):
                        continue
                    line = bisect.bisect_left(lines, sentence.start() + found.start()) + 1
                    words = " ".join(found.group().split())
                    findings.append(f"{path.relative_to(root)}:{line}: '{words}'; write: {instead}")
    return findings


GOOD = {
    "README.md": "# Of the kernels\n\nIt is not for speed but for correctness. Of the cells, 9 are slow, and there are 90. `of before` is code,\n"
                 "and so is\n\n```sh\necho but for\n```\n\nOne interface hides three platforms behind it. The second warpgroup runs one slice behind.\n"
                 "The idea behind the kernel is old. There is no multiple of 8 below 8. Of course there are others. cuDNN is beside cuDNN's library.\n"
                 "Sums fit in registers beside these products. The file lies beside the kernel, or is kept beside it.\n"
                 "The ring transposes tiles ahead of time. It is as fast as the one that has it. As luck has it, it fits.\n"
                 "It splits, so that there is work for all. It is what the launch before this one wrote. Those that count are measured.\n"
                 "It takes no more than two bytes, and so little that nobody notices. The case that there is no tile is rare.\n"
                 "Of course. Of these, two are slow. An image has the same bits in every batch, and alone. One rank works alone.\n"
                 "They run last, one of them alone.\n"
                 "It takes hundreds of cycles. A kernel waits. Ranks exchange the rows, which a unit of 64 bytes a cycle ago was not.\n"
                 "The elements a lane holds are 8. It is in the meantime done.\n",
    "CHANGELOG.md": "- So many changed that nobody counted. A file beside the tests.\n",
    "docs/a.md": "| ours | theirs |\n|---|---|\n| 2 | 3 |\n",
    "include/ck/a.hpp": "// It is not for speed\n// but for correctness.\nint so_many; // `but for` is code\nauto s = \"all but for one // so many\";\n",
    "python/a.py": "y = 'but for'\nx = 'so many'\n\n\ndef f():\n    \"\"\"It is not for speed\n    but for correctness.\"\"\"\n",
}
BAD = {
    "but for": ({"docs/a.md": "All rows fit but for one.\n"}, "docs/a.md:1: 'but for'"),
    "but for, after another sentence": ({"docs/a.md": "It is not so.\nAll rows fit but for one.\n"}, "docs/a.md:2: 'but for'"),
    "across lines": ({"README.md": "One\n\ntwice as fast as that of\nbefore.\n"}, "README.md:3: 'of before'"),
    "change log": ({"CHANGELOG.md": "- Up to 3 times ours.\n"}, "CHANGELOG.md:1: 'times ours'"),
    "deep page": ({"docs/notes/b.md": "It is read behind the first slice.\n"}, "docs/notes/b.md:1: 'behind the first slice'"),
    "so many": ({"docs/a.md": "Kernels take so many registers.\n"}, "'so many'"),
    "inverted": ({"docs/a.md": "- Of channels there are two kinds.\n"}, "'Of channels there are'"),
    "inverted, second sentence": ({"docs/a.md": "Good. Of channels there are two kinds.\n"}, "'Of channels there are'"),
    "a cell": ({"docs/a.md": "| a | what stands beside it |\n"}, "'stands beside'"),
    "security": ({"SECURITY.md": "Sizes that are no multiple of 8 are refused in words.\n"}, "'refused in words'"),
    "header": ({"include/ck/a.hpp": "#pragma once\n/// Returns all but\n/// for one.\nint f();\n"}, "include/ck/a.hpp:2: 'but for'"),
    "after a declaration": ({"library/a.cpp": "int a; ///< not\nint b; ///< so many bytes\n"}, "library/a.cpp:2: 'so many'"),
    "after a string": ({"profiler/a.cpp": "auto s = \"//\"; // of before\n"}, "profiler/a.cpp:1: 'of before'"),
    "C": ({"library/a.h": "/* It is read\n * behind the first slice. */\n"}, "library/a.h:2: 'behind the first slice'"),
    "docstring": ({"python/a.py": "def f():\n    \"\"\"All\n    but for one.\"\"\"\n"}, "python/a.py:3: 'but for'"),
    "Python comment": ({"test/a.py": "x = 1  # so many bytes\n"}, "test/a.py:1: 'so many'"),
    "script": ({"script/a": "#!/usr/bin/env python3\n# So it was of before.\n"}, "script/a:2: 'of before'"),
    "shell": ({"script/a": "#!/bin/sh\n# All but for one.\n"}, "script/a:2: 'but for'"),
    "CMake": ({"cmake/a.cmake": "# All but for one.\n"}, "cmake/a.cmake:1: 'but for'"),
    "compared": ({"test/a.cpp": "// Results beside\n// the definition.\n"}, "test/a.cpp:1: 'beside the definition'"),
    "compared with the same": ({"docs/a.md": "Two calls beside the same calls of PyTorch.\n"}, "'beside the same calls of PyTorch'"),
    "the rest": ({"include/ck/a.hpp": "double work; ///< of a slice, beside its products\n"}, "'beside its products'"),
    "in addition to": ({"test/a.hpp": "// What a case has beside a name.\n"}, "'has beside'"),
    "transposed ahead": ({"docs/a.md": "Filters are transposed by a launch ahead.\n"}, "'transposed by a launch ahead'"),
    "has it": ({"library/a.cpp": "// Strides, as the caller has it.\n"}, "'as the caller has it'"),
    "has them": ({"library/a.cpp": "// Groups, as the caller has them.\n"}, "'as the caller has them'"),
    "a row a number": ({"test/a.cpp": "// The table: a row a number.\n"}, "'a row a number'"),
    "one tuning an engine": ({"test/a.cpp": "// Operations, one tuning an engine.\n"}, "'one tuning an engine'"),
    "participle first": ({"docs/a.md": "They differ. Refused are backward passes.\n"}, "'Refused are'"),
    "before, a verb": ({"include/ck/a.hpp": "f(); // the tile before has been stored\n"}, "'the tile before has'"),
    "before, across lines": ({"test/a.cpp": "// What the\n// launch before left.\n"}, "test/a.cpp:1: 'the launch before left'"),
    "before, at an end": ({"library/a.h": "int a; /* of the chunk before; 0 */\n"}, "'the chunk before'"),
    "that there is": ({"test/a.hpp": "// Runs on the device that there is and stops.\n"}, "'that there is'"),
    "that there is not": ({"test/a.cpp": "// A dimension that there is not.\n"}, "'that there is'"),
    "is none": ({"test/a.cpp": "// A value that is none ends the program.\n"}, "'that is none'"),
    "so few": ({"test/a.cpp": "// Waits until so few are under way.\n"}, "'so few'"),
    "no more": ({"test/a.cmake": "# They need what these need, and no more.\n"}, "'and no more'"),
    "says to wrong": ({"test/a.py": "\"\"\"What it says to wrong input.\"\"\"\n"}, "'says to wrong'"),
    "of what": ({"include/ck/a.hpp": "/// Of one matrix. Each channel has its own.\nstruct A;\n"}, "include/ck/a.hpp:1: 'Of one matrix'"),
    "alone": ({"test/a.cpp": "// It runs there, on NVIDIA alone.\n"}, "'on NVIDIA alone'"),
    "alone, a longer noun": ({"docs/a.md": "It is for AMD's GPUs alone; see there.\n"}, "'for AMD's GPUs alone'"),
    "per": ({"test/a.hpp": "double rate; ///< bytes a cycle\n"}, "test/a.hpp:1: 'bytes a cycle'"),
    "per, in a cell": ({"docs/a.md": "| workgroups a unit | us |\n"}, "'workgroups a unit'"),
    "anew": ({"test/a.cpp": "// Each call reads it anew.\n"}, "'anew'"),
    "computes channels last": ({"python/a.py": "# Networks compute channels last.\n"}, "'compute channels last'"),
    "was exchanged": ({"python/a.py": "x = 1  # the weight was exchanged\n"}, "'weight was exchanged'"),
    "exchanges a part": ({"docs/a.md": "`fuse` exchanges a part.\n"}, "'exchanges a part'"),
    "as far as it fits": ({"docs/a.md": "L2 keeps it as far as it fits.\n"}, "'as far as it fits'"),
    "whose stand": ({"script/a": "#!/bin/sh\n# A value whose fields stand in order.\n"}, "'whose fields stand'"),
    "for want of": ({"docs/a.md": "It is slow for want of memory.\n"}, "'for want of'"),
    "in the mean": ({"docs/a.md": "It loses 2 % in the mean.\n"}, "'in the mean'"),
    "after code": ({"docs/a.md": "```sh\nx\n```\n\nThe kernel `x` runs beside cuDNN.\n"}, "docs/a.md:5: 'beside cuDNN'"),
}

if __name__ == "__main__":
    habit.main(check, GOOD, BAD)
