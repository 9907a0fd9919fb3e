#!/usr/bin/env python3
"""Fails when the documents show code that is not in the tree, or link or name files or sections that are not there.

A code block right after a line `<!-- path -->` must stand, word for word, in that file. Files of benchmarks have the
form that benchmarks/README.md describes.
"""
import json
import re

import habit

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/arguments.md", "docs/blocked_layouts.md", "docs/coming_from_ck.md",
             "docs/conv3d_backprop_input.md", "docs/coverage.md", "docs/getting_started.md", "docs/glossary.md", "docs/inf_and_nan.md",
             "docs/performance.md", "docs/notes/README.md", "docs/transposed_convolution.md"]
SHOWN = re.compile(r"^<!-- (\S+) -->\n```\w*\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
# Paths in code spans: names with a folder in which they could be looked up.
NAMED = re.compile(r"`((?:include|library|test|script|cmake|docs|benchmarks|example|client_example|\.ci)/[\w./]+)`")


def check(root):
    findings = []
    # Every document that is there, besides those that must be.
    for name in sorted({*DOCUMENTS, *(str(path.relative_to(root)) for path in [*root.glob("docs/**/*.md"), *root.glob("benchmarks/*.md")])}):
        document = root / name
        if not document.is_file():
            findings.append(f"{name}: missing")
            continue
        text = document.read_text()
        for path, code in SHOWN.findall(text):
            if not (root / path).is_file():
                findings.append(f"{name}: shows code of {path}, which does not exist")
            elif code not in (root / path).read_text():
                findings.append(f"{name}: the code shown is not that of {path}")
        for path, section in LINK.findall(without_blocks(text)):
            target = document.parent / path if path else document
            if not target.exists():
                findings.append(f"{name}: links to {path}, which does not exist")
            elif section and section not in sections(target.read_text()):
                findings.append(f"{name}: links to {path}#{section}, but there is no such section")
        for path in NAMED.findall(text):
            if not (root / path).exists():
                findings.append(f"{name}: names {path}, which does not exist")
    for path in sorted(root.glob("benchmarks/*.json")):
        findings += [f"{path.relative_to(root)}: {text}" for text in check_data(path, root)]
    return findings


def without_blocks(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def sections(text):
    """The names by which links find a page's sections, as GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", without_blocks(text), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def check_data(path, root):
    try:
        data = json.loads(path.read_text())
    except ValueError as e:
        return [f"is not JSON: {e}"]
    findings = [f"has no '{key}'" for key in ("device", "source") if not isinstance(data.get(key), str)]
    if not (root / data.get("source", "").split(",")[0]).is_file():
        findings.append(f"its source {data.get('source')} does not exist")
    if ("results" in data) == ("tables" in data):
        findings.append("has not one list, results or tables")
    findings += [f"a result has no '{key}'" for result in data.get("results", [])
                 for key in ("problem", "direction", "type", "instance", "ms") if key not in result]
    for table in data.get("tables", []):
        findings += [f"{table['name']}: {len(row)} values in a row of {len(table['columns'])} columns"
                     for row in table["rows"] if len(row) != len(table["columns"])]
    return findings


GOOD = {
    "README.md": "Text, [a link](docs/glossary.md), `script/test`.\n\n<!-- a.cpp -->\n```cpp\nint b;\n```\n",
    "CONTRIBUTING.md": "\n",
    "SECURITY.md": "\n",
    "docs/arguments.md": "\n",
    "docs/blocked_layouts.md": "\n",
    "docs/coming_from_ck.md": "\n",
    "docs/conv3d_backprop_input.md": "\n",
    "docs/coverage.md": "\n",
    "docs/getting_started.md": "\n",
    "docs/glossary.md": "# Words\n\n## Our words, and the field's\n\n[up](#words), [on](#our-words-and-the-fields)\n",
    "docs/inf_and_nan.md": "\n",
    "docs/notes/README.md": "\n",
    "docs/performance.md": "\n",
    "docs/transposed_convolution.md": "\n",
    "script/test": "\n",
    "a.cpp": "int a;\nint b;\n",
    "benchmarks/a.json": '{"device": "d", "source": "docs/glossary.md", "tables": '
                         '[{"name": "t", "columns": ["a", "b"], "rows": [[1, null]]}]}',
}
BAD = {
    "other code": ({"a.cpp": "int a;\nint c;\n"}, "not that of a.cpp"),
    "no such file": ({"README.md": "<!-- b.cpp -->\n```cpp\nint b;\n```\n"}, "b.cpp, which does not exist"),
    "dead link": ({"CONTRIBUTING.md": "[x](docs/none.md)\n"}, "docs/none.md"),
    "dead link of another document": ({"docs/howto/new.md": "[x](none.md)\n"}, "docs/howto/new.md: links to none.md"),
    "dead section": ({"CONTRIBUTING.md": "[x](docs/glossary.md#none)\n"}, "glossary.md#none, but there is no such section"),
    "dead section of the page itself": ({"docs/glossary.md": "# A\n[x](#b)\n```sh\n# b\n```\n"}, "docs/glossary.md: links to #b"),
    "a short row": ({"benchmarks/a.json": GOOD["benchmarks/a.json"].replace(", null", "")}, "1 values in a row of 2"),
    "a result without time": ({"benchmarks/b.json": '{"device": "d", "source": "docs/glossary.md", "results": '
                               '[{"problem": "p", "direction": "f", "type": "t", "instance": "i"}]}'}, "no 'ms'"),
    "dead source": ({"benchmarks/a.json": GOOD["benchmarks/a.json"].replace("glossary", "none")}, "docs/none.md"),
    "dead name": ({"CONTRIBUTING.md": "see `script/none`\n"}, "script/none"),
}

if __name__ == "__main__":
    habit.main(check, GOOD, BAD)
