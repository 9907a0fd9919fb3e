#!/usr/bin/env python3
"""Counts the wave instructions that a convolution kernel executes for each of its MFMA instructions.

usage: count.py EMULATE PROGRAM DIRECTION

Runs PROGRAM DIRECTION for gfx90a through EMULATE (script/emulate), whose emulator lists what was executed. Prints the
commonest instructions, and fails if there are more than the direction's budget for each MFMA.
"""
import os
import re
import subprocess
import sys

BUDGETS = {"forward": 1.95, "backward_data": 2.5, "backward_weight": 2.9}


def main(emulate, program, direction):
    run = subprocess.run([emulate, "gfx90a", "plain", program, direction], env={**os.environ, "EMU_PROFILE": "1"},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode:
        print(run.stdout)
        return run.returncode
    counts = {name: int(count) for count, name in re.findall(r"^emu: prof\s+(\d+) (\S+)", run.stdout, re.MULTILINE)}
    matrix = sum(count for name, count in counts.items() if name.startswith("v_mfma"))
    if not matrix:
        print(run.stdout)
        print("FAILED: no MFMA was executed")
        return 1
    others = (sum(counts.values()) - matrix) / matrix
    for name, count in sorted(counts.items(), key=lambda entry: -entry[1])[:16]:
        print(f"  {count / matrix:6.3f} {name}")
    print(f"{direction}: {others:.2f} other instructions for each MFMA, {matrix} MFMA; at most {BUDGETS[direction]}")
    return int(others > BUDGETS[direction])


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[3] not in BUDGETS:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
