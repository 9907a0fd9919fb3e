#!/usr/bin/env python3
"""Fails on new numbers in the models of kernels' times, and on a machine's header that differs from its file.

Measured and fitted numbers are in the files of machines (conv/model/machine/*.ini). The test counts literals other than 0, 1 and 2.
"""
import importlib.machinery
import importlib.util
import pathlib
import re
import shutil

import habit

CONV = "include/ck/tensor_operation/gpu/conv/"
MOST = 22  # lanes of a wave, SIMDs of a unit, bytes of a word: never more; fewer is better
LITERAL = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[uUlLfF]*(?![\w.])")
ALLOWED = {0, 1, 2}

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "script/machines"
loader = importlib.machinery.SourceFileLoader("machines", str(SCRIPT))
machines = importlib.util.module_from_spec(importlib.util.spec_from_loader("machines", loader))
loader.exec_module(machines)


def literals(text):
    """The literals of a header's code that are counted."""
    code = re.sub(r"^\s*#.*", "", habit.without_comments(text), flags=re.M)
    return [n for n in LITERAL.findall(code) if float(n.rstrip("uUlLfF")) not in ALLOWED]


def check(root):
    found = {}
    for file in [*(root / CONV / "model").rglob("*.hpp"), *(root / CONV / "kernels").glob("*/*cost.hpp")]:
        if file.with_suffix(".ini").exists():
            continue  # written of a machine's file
        found[file.relative_to(root / CONV).as_posix()] = literals(file.read_text())
    count = sum(len(f) for f in found.values())
    findings = []
    if count > MOST:
        where = "; ".join(f"{name}: {', '.join(f)}" for name, f in sorted(found.items()) if f)
        findings.append(f"{count} numbers in models, at most {MOST}: put what was measured into {CONV}model/machine ({where})")
    if shutil.which("clang-format-14") is None:
        raise habit.Skip("clang-format-14 is not installed")
    return findings + machines.main(["--check", str(root)])


INI = "# A machine.\n\n# Measured.\n[memory]\nshown = 0.1  # of what takes less time\n"
HEADER = machines.FOLDER / "a.hpp"
GOOD = {CONV + "model/a.hpp": "#include <a16>\n// 17 of them\ndouble a = f_18(0, 1.0, 2) + x19 + 0.5;\n"}
BAD = {
    "one more": ({CONV + "kernels/a/b_cost.hpp": "double x[]{" + "3.5, " * (MOST + 1) + "};\n"}, f"{MOST + 2} numbers in models"),
    "all kinds": ({CONV + "model/b.hpp": "f(" + ", ".join(["7.", ".25", "1e6", "4u"] * MOST) + ");\n"}, "1e6"),
    "beside the files": ({CONV + "model/machine/types.hpp": "double x[]{" + "3.5, " * (MOST + 1) + "};\n"}, "machine/types.hpp: 3.5"),
    "no header": ({str(machines.FOLDER / "a.ini"): INI}, "a.hpp is not what a.ini says"),
    "another header": ({str(machines.FOLDER / "a.ini"): INI, str(HEADER): "#pragma once\n"}, "a.hpp is not what a.ini says"),
    "no number": ({str(machines.FOLDER / "a.ini"): INI + "part = half\n"}, "a.ini:6: 'part = half' is no"),
    "twice": ({str(machines.FOLDER / "a.ini"): INI + "shown = 0.2\n"}, "a.ini:6: 'shown' is there twice"),
    "a section twice": ({str(machines.FOLDER / "a.ini"): INI + "[memory]\n"}, "a.ini:6: [memory] is there twice"),
    "no condition": ({str(machines.FOLDER / "a.ini"): INI + "[lines]\nhalo_tiles dw, n = 1, 2\n"}, "'halo_tiles dw, n' is no"),
    "apart": ({str(machines.FOLDER / "a.ini"): INI + "[lines]\na dw = 1, 2\nb dw = 1, 2\na y = 1, 2\n"}, "lines of a stand apart"),
}

if __name__ == "__main__":
    habit.main(check, GOOD, BAD)
