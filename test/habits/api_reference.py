#!/usr/bin/env python3
"""Fails when a public name of a public header has no documentation, by doxygen and docs/Doxyfile.

Every header that is installed is in INPUT of docs/Doxyfile, or in a room of INTERNAL.
"""
import pathlib
import re
import shutil
import subprocess
import tempfile

import habit

PUBLIC = ["include/ck/*.hpp", "include/ck/convolution/*.hpp", "include/ck/tensor_operation/gpu/device/*.hpp",
          "include/ck/tensor_operation/gpu/element/*.hpp", "include/ck/tensor_operation/gpu/grid/gemm_tuning.hpp",
          "include/ck/tensor_operation/gpu/conv_object/tiling_data.hpp", "include/ck/utility/data_type.hpp", "library/include/**/*.hpp", "library/include/**/*.h", "include/lib/**/*.h"]
# What programs reach through public headers, or to write kernels: docs/architecture.md says what each room holds.
INTERNAL = ["include/ck/arch/", "include/ck/host_utility/", "include/ck/tensor_description/", "include/ck/utility/",
            "include/ck/tensor_operation/operator_transform/",
            *(f"include/ck/tensor_operation/gpu/{room}/" for room in (
                "block", "conv", "conv_object", "device/impl", "grid", "norm", "pool", "thread", "warp"))]
DOXYFILE = "docs/Doxyfile"
ARCHITECTURE = "docs/architecture.md"
ROOT = pathlib.Path(__file__).resolve().parents[2]


def inputs(text):
    return re.search(r"^INPUT = (.*?[^\\])$", text, re.M | re.S)[1].replace("\\\n", " ").split()


def check(root):
    if shutil.which("doxygen") is None:
        raise habit.Skip("doxygen is not installed (Debian: apt install doxygen)")
    text = (root / DOXYFILE).read_text()
    held = inputs(text)
    findings = [f"{DOXYFILE}: {path} does not exist" for path in held if not (root / path).is_file()]
    public = {str(path.relative_to(root)) for pattern in PUBLIC for path in root.glob(pattern)}
    findings += [f"{path}: a public header that is not in INPUT of {DOXYFILE}" for path in sorted(public)
                 if path not in held]
    rooms = (root / ARCHITECTURE).read_text() if (root / ARCHITECTURE).is_file() else ""
    marked = re.search(r"^Internal: (.*)$", rooms, re.M)
    named = set(re.findall(r"`([\w/]+)`", marked.group(1))) if marked else set()
    findings += [f"{ARCHITECTURE}: the line 'Internal: ' does not name {room}" for room in INTERNAL
                 if room.removeprefix("include/ck/").rstrip("/") not in named]
    installed = {str(path.relative_to(root)) for folder in ("include", "library/include") for ending in ("hpp", "h")
                 for path in root.glob(f"{folder}/**/*.{ending}")}
    findings += [f"{path}: neither public nor in a room that is internal" for path in sorted(installed - public)
                 if not path.startswith(tuple(INTERNAL))]
    with tempfile.TemporaryDirectory() as folder:
        # XML is written sooner than HTML and has the same warnings.
        settings = text + ("\nGENERATE_HTML = NO\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\nWARN_AS_ERROR = NO\n"
                           f"OUTPUT_DIRECTORY = {folder}\n")
        done = subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=root, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
    if done.returncode != 0:
        findings.append(f"doxygen ends with {done.returncode}")
    findings += [line.replace(f"{root}/", "") for line in done.stderr.splitlines() if line.strip()]
    print(f"{len(public & set(held))} of {len(public)} public headers are held to documentation")
    return findings


def good():
    text = (ROOT / DOXYFILE).read_text()
    return {
        DOXYFILE: text.replace(" \\\n    ".join(inputs(text)), "docs/api_reference.dox include/ck/a.hpp"),
        "docs/doxygen.sed": (ROOT / "docs/doxygen.sed").read_text(),
        ARCHITECTURE: "Internal: " + ", ".join(f"`{room.removeprefix('include/ck/').rstrip('/')}`" for room in INTERNAL) + "\n",
        "include/ck/arch/c.hpp": "#pragma once\n",
        "docs/api_reference.dox": "/// \\namespace ck\n/// The library.\n",
        "include/ck/a.hpp": "#pragma once\n// A file.\nnamespace ck {\n/// A struct.\nstruct A\n{\n    int x; ///< a field\n};\n"
                            "/// A function.\nvoid f();\n} // namespace ck\n",
    }


GOOD = good()


def without(text):
    return {"include/ck/a.hpp": GOOD["include/ck/a.hpp"].replace(text, "")}


BAD = {
    "no documentation of a struct": (without("/// A struct.\n"), "Compound ck::A is not documented"),
    "no documentation of a field": (without(" ///< a field"), "Member x (variable) of struct ck::A is not documented"),
    "no documentation of a function": (without("/// A function.\n"), "Member f() (function) of namespace ck is not"),
    "a header that nobody listed": ({"include/ck/b.hpp": "#pragma once\n// B.\n"}, "include/ck/b.hpp: a public header"),
    "a header of no room": ({"include/ck/tensor_operation/gpu/other/d.hpp": "#pragma once\n"}, "d.hpp: neither public nor in a room"),
    "an internal room that no page names": ({ARCHITECTURE: GOOD[ARCHITECTURE].replace("`arch`, ", "")}, "does not name include/ck/arch/"),
    "a header that is gone": ({DOXYFILE: GOOD[DOXYFILE].replace("a.hpp", "c.hpp")}, "c.hpp does not exist"),
}

if __name__ == "__main__":
    habit.main(check, GOOD, BAD)
