#!/usr/bin/env python3
"""The howtos end where they say: what they tell the reader to write, blocks of diff, is applied to a copy of the tree, and
their commands run there, word by word. Those right after a line `<!-- not run by test/script/howtos.py: why -->` are left
out, and said to be.

usage: howtos.py path/to/the/tree path/to/a/folder/for/the/copy"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
COPY = pathlib.Path(sys.argv[2]).resolve()
BLOCK = re.compile(r"^( *<!-- not run by test/script/howtos\.py: .* -->\n)? *```(diff|sh)\n(.*?)^ *```$", re.M | re.S)
# What the commands of each page must print.
RAN = {"add_an_instruction.md": "matrix instructions ran",  # the test compares their names with the page's
       "add_a_tuning.md": "Wgmma.ForwardOfBf16", "add_an_example.md": "verification: ",
       "add_an_element_wise_operation.md": "[  PASSED  ]"}


def run(command, **options):
    done = subprocess.run(command, cwd=COPY, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env={**os.environ, "GIT_CEILING_DIRECTORIES": str(COPY.parent)}, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nfailed: {command}")
    return done.stdout


def main():
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(ROOT, COPY, ignore=lambda folder, names: {"build", ".git"} & set(names) if folder == str(ROOT) else ())
    pages = {page: BLOCK.findall(page.read_text()) for page in sorted((ROOT / "docs/howto").glob("*.md"))}
    pages = {page: blocks for page, blocks in pages.items() if any(kind == "diff" for _, kind, _ in blocks)}
    assert {page.name for page in pages} == set(RAN), "pages with changes, and what their commands must print, differ"
    for page, blocks in pages.items():
        for _, kind, text in blocks:
            for change in re.split(r"(?m)^(?=--- )", text) if kind == "diff" else ():  # of one file
                if change:
                    run(["git", "apply", "--recount", "--whitespace=nowarn", "-"], input=change)
    for page, blocks in pages.items():
        printed = ""
        for left_out, kind, text in blocks:
            if kind == "sh" and left_out:
                print(f"{page.name}: left out: {text.strip()}")
            elif kind == "sh":
                print(f"{page.name}: {text.strip()}", flush=True)
                printed += run(["sh", "-e", "-c", text])
        assert RAN[page.name] in printed and "[  PASSED  ] 0 tests" not in printed, f"{page.name} printed:\n{printed}"
    shutil.rmtree(COPY)


if __name__ == "__main__":
    main()
