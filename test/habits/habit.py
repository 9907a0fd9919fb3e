"""What the habit tests share: reading the source tree, made-up trees for self-tests, and the report.

A habit is a module with `check(root) -> list of findings`, `GOOD`, a made-up tree, and `BAD`, changes of it, each with a
text that one of its findings must hold. `<habit>.py ROOT` checks the tree at ROOT; `<habit>.py --self-test` proves that the check can
fail: every bad tree must be found bad, and the good tree good.
"""
import pathlib
import re
import sys
import tempfile

FOLDERS = ["include", "library", "test", "example", "client_example", "profiler", "cmake", "script"]
CPP = {".hpp", ".h", ".cpp", ".inc", ".in"}


class Skip(Exception):
    """The check cannot be made on this machine."""


def files(root, folders=FOLDERS, suffixes=None):
    """Sorted files below the folders of a tree, by suffix."""
    found = []
    for folder in folders:
        found += [f for f in (root / folder).rglob("*") if f.is_file() and "__pycache__" not in f.parts]
    return sorted(f for f in found if suffixes is None or f.suffix in suffixes)


def without_comments(text):
    """C++ text with comments and string literals blanked; line numbers stay."""

    def blank(match):
        kept = "\n" * match.group().count("\n")
        return '""' + kept if match.group().startswith('"') else " " + kept

    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def self_test(check, good, bad):
    """good: {path: text}. bad: {name: ({path: text}, expected text)}, each laid over the good tree."""
    failures = []
    for name, (changes, expected) in {"good": ({}, None), **bad}.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {**good, **changes}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            findings = check(root)
        if expected is None and findings:
            failures.append(f"the good tree was found bad: {findings}")
        if expected is not None and not any(expected in f for f in findings):
            failures.append(f"'{name}' was not found; expected '{expected}' among {findings}")
    return failures


def main(check, good, bad):
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} ROOT | --self-test")
    try:
        if sys.argv[1] == "--self-test":
            findings = self_test(check, good, bad)
        else:
            findings = check(pathlib.Path(sys.argv[1]).resolve())
    except Skip as reason:
        print(f"SKIPPED: {reason}")
        sys.exit(77)  # what CTest takes for a skip; the text could be a finding's
    for finding in findings:
        print(finding)
    print(f"{len(findings)} found" if findings else "nothing found")
    sys.exit(1 if findings else 0)
