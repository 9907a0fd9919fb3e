#!/usr/bin/env python3
"""Fails when a document has a phrase again that readers stumbled over.

README.md, CONTRIBUTING.md, SECURITY.md, CHANGELOG.md and the pages below docs are read sentence by sentence, without code blocks and code
spans. Each phrase has an exception where correct English has the same words.
"""
import bisect
import re

import habit

KERNELS = r"(?:barriers?|copy|copies|kernels?|launch(?:es)?|loads?|loops?|multiplications?|products?|reads?|slices?|sums?|transpositions?)"
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
    (r"\bbeside (?:all (?:plans )?of )?(?:cuDNN|PyTorch|DTensor|MIOpen|oneDNN|float64)\b(?!'s (?:files|headers?|library))", "compared with", None),
    (r"(?:\btimes|\dx) ours\b(?! (?:is|was)\b)", "times as long as ours, or as fast as ours", None),
    (r"\b(?:is|are) no multiples? of\b", "is not a multiple of", r"\b[Tt]here\s*$"),
    (r"\b(?:is|are) no neighbours\b", "is not contiguous", None),
    (r"\b(?:packages?|tools?|programs?) that it misses\b", "missing packages", None),
    (r"\brefused in words\b", "refused with an explanation", None),
    (r"\bA refusal has a reason\b", "Unsupported problems are rejected with an explanation", None),
    (r"\bwhere somebody watches\b", "under tracing", None),
    (r"\ba file a (?:direction|schedule|transport)\b", "one file for each", None),
    (r"(?<![^ ])Not \w+ (?:by|with|in) [^.]{0,40} (?:is|are)\b", "subject and verb first", r"\S"),
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


def check(root):
    findings, phrases = [], compiled()
    for path in documents(root):
        text = CODE.sub(blank, path.read_text())
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
                 "The idea behind the kernel is old. There is no multiple of 8 below 8. Of course there are others. cuDNN is beside cuDNN's library.\n",
    "CHANGELOG.md": "- So many changed that nobody counted. A file beside the tests.\n",
    "docs/a.md": "| ours | theirs |\n|---|---|\n| 2 | 3 |\n",
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
    "after code": ({"docs/a.md": "```sh\nx\n```\n\nThe kernel `x` runs beside cuDNN.\n"}, "docs/a.md:5: 'beside cuDNN'"),
}

if __name__ == "__main__":
    habit.main(check, GOOD, BAD)
