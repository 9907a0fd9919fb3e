#!/usr/bin/env python3
"""script/first_hour --rehearse with the programs of a build: its profiler launches the library's kernels in the emulator.

usage: rehearsal.py ROOT BUILD TARGET OUT
"""
import json
import pathlib
import subprocess
import sys


def main(root, build, target, out):
    ready = subprocess.run([root + "/script/emulate", "--build"], check=False).returncode
    if ready:
        return ready
    run = subprocess.run([root + "/script/first_hour", "--rehearse", target, "--build", build, "--out", out], check=False)
    result = json.loads(pathlib.Path(out, "result.json").read_text(encoding="utf-8"))
    steps = {name: step["state"] for name, step in result["steps"].items()}
    has_model = steps["predict"] == "done"
    wrong = []
    if run.returncode != any(state == "failed" for state in steps.values()):
        wrong.append(f"status {run.returncode}")
    if len(result["profile"]) != 6 or any("ms" not in row or "why" in row for row in result["profile"]):
        wrong.append("a convolution was not computed")
    if not has_model and "no numbers of '" + target not in result["steps"]["predict"]["sentence"]:
        wrong.append("no prediction, and not for want of a model")
    if has_model and len(result["comparison"]["rows"]) != 6:
        wrong.append("not all were compared")
    for name, expected in (("machine", "done"), ("build", "done"), ("profile", "done"), ("miopen", "absent")):
        if steps[name] != expected:
            wrong.append(f"step {name}: {result['steps'][name]}")
    page = pathlib.Path(out, "page.html").read_text(encoding="utf-8")
    if "a rehearsal in the emulator" not in page or (has_model and "emulation on a CPU" not in page):
        wrong.append("the page does not say that it is a rehearsal")
    if wrong:
        print("FAILED: " + "; ".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
