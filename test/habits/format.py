#!/usr/bin/env python3
"""Fails on C++ files that clang-format 14 would write otherwise."""
import pathlib
import re
import shutil
import subprocess

import habit

VERSION = 14
STYLE = pathlib.Path(__file__).resolve().parents[2] / ".clang-format"


def formatter():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path:
            version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
            if re.search(rf"version {VERSION}\.", version):
                return path
    raise habit.Skip(f"no clang-format {VERSION} on this machine: no file's format was checked")


def check(root):
    tool = formatter()
    files = habit.files(root, suffixes={".hpp", ".h", ".cpp", ".inc"})
    if not files:
        return ["no C++ file found"]
    run = subprocess.run([tool, f"--style=file:{STYLE}", "--dry-run", "--Werror", *map(str, files)],
                         capture_output=True, text=True)
    places = sorted({tuple(line.split(":", 2)[:2]) for line in run.stderr.splitlines()
                     if "-Wclang-format-violations" in line}, key=lambda place: (place[0], int(place[1])))
    findings = []
    for file in dict.fromkeys(file for file, _ in places):
        lines = [line for at, line in places if at == file]
        findings.append(f"{file}: not formatted, lines {' '.join(lines[:8])}{' ...' if len(lines) > 8 else ''}")
    if run.returncode and not findings:
        findings = [run.stderr or f"clang-format failed with {run.returncode}"]
    return findings


GOOD = {"include/ck/a.hpp": "#pragma once\n// A file.\n\nint f(int x);\n"}
BAD = {
    "spaces": ({"include/ck/b.hpp": "int  f( int x );\n"}, "b.hpp: not formatted, lines 1"),
    "braces": ({"test/a.cpp": "int f() {\n    if(1)\n        return 1;\n    return 2;\n}\n"}, "a.cpp"),
}

if __name__ == "__main__":
    habit.main(check, GOOD, BAD)
