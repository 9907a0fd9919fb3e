#!/usr/bin/env python3
"""The quick tests of script/test, test/quick.txt: each direction, engine, type and way in has one; script/test without
arguments builds and runs these, script/test all and .ci/run everything, and README's line of packages is enough for them.

usage: quick.py path/to/the/tree path/to/its/build"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(2)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
# Folders of the table "What is where" in docs/getting_started.md, and languages of the page "One call" -> the quick tests that
# use the library through them.
WAYS_IN = {"include/ck": r"test_convolution_\w+\.", "library": r"test_library_tensor_operation_instance_gpu\.\w*(Forward|ConvFwd)",
           "python": r"python\.plan$", "profiler": r"test_profiler\.", "example": r"example_\w+\.integers$",
           "client_example": r"package\.first$", "test": r"habits\.", "C++": r"test_conv\.", "C": r"test_conv_c$"}
OF_PLANS_ALONE = {"u8": r"test_conv_c$"}  # types without kernels of their own: quantized plans convert them
Row = collections.namedtuple("Row", "targets tests")


def rows(text):
    """Rows of test/quick.txt."""
    found = []
    for line in text.splitlines():
        if not line.startswith("#"):
            targets, tests, _ = line.split(" | ")
            found.append(Row(tuple(t for t in targets.split() if t != "-"), tests))
    return found


def names_of(build):
    """Names of CTest's tests, without the prefix."""
    prefix = re.search(r"^CK_TEST_PREFIX:STRING=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1]
    listed = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^ *Test +#\d+: " + re.escape(prefix) + r"(.*)$", listed, re.M)


def enumerators(path, name):
    body = re.search(rf"enum class {name}\b[^{{]*\{{(.*?)\}}", (ROOT / path).read_text(), re.S)[1]
    return re.findall(r"\w+", re.sub(r"//.*", "", body))


def covered():
    """What the test Coverage computes, by its page: (direction, engine, type)."""
    found, direction = set(), ""
    for line in (ROOT / "docs/coverage.md").read_text().splitlines():
        if line.startswith("## "):
            direction = line[3:].replace(" ", "_")
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 5 and re.match(r"[a-z]+\d", cells[1]):
            found |= {(direction, cells[4].lower(), name) for name in (cells[1] + " " + cells[3]).split()}
    return found


def missing(chosen):
    """What has no test among the chosen."""
    computed = covered() if "test_library_tensor_operation_instance.Coverage.IsWhatTheDocumentSays" in chosen else set()
    directions = enumerators("include/ck/convolution/direction.hpp", "Direction")
    engines = sorted({name.split("_")[0] for name in enumerators("library/src/tables/manifest.hpp", "Engine")})
    types = enumerators("library/include/ck/conv.hpp", "DataType")
    gone = []
    for direction in directions:
        for engine in engines:
            title = direction.replace("_", " ").title().replace(" ", "")
            named = any(re.match(rf"test_convolution_{engine}\.\w+\.{title}", name) for name in chosen)
            if not named and not any(row[:2] == (direction, engine) for row in computed):
                gone.append(f"{direction} by {engine}")
    gone += [f"the type {name}" for name in types if not any(row[2] == name for row in computed) and
             not any(re.match(OF_PLANS_ALONE.get(name, "$"), test) for test in chosen)]
    table = (ROOT / "docs/getting_started.md").read_text().split("## What is where")[1].split("\n## ")[0]
    for way in [*re.findall(r"^\| `([\w/]+)` \|", table, re.M), "C++", "C"]:
        if way not in WAYS_IN or not any(re.match(WAYS_IN[way], name) for name in chosen):
            gone.append(f"the way in {way}")
    return gone


class QuickTests(unittest.TestCase):
    rows = rows((ROOT / "test/quick.txt").read_text())

    def chosen(self, without=None):
        names = names_of(BUILD)
        return {name for row in self.rows if row is not without for name in names if re.fullmatch(row.tests, name)}

    def test_each_has_one(self):
        self.assertEqual(missing(self.chosen()), [])

    def test_each_row_is_needed(self):
        for row in self.rows:
            if row.tests.startswith("script"):  # the tests of this file among them
                continue
            with self.subTest(row=row):
                self.assertNotEqual(missing(self.chosen(without=row)), [])

    def test_rows_name_tests_and_build_their_programs(self):
        built = {target for row in self.rows for target in row.targets}
        programs = {path.name for path in BUILD.glob("test/test_*")} | {path.name for path in BUILD.glob("example/example_*")}
        names = names_of(BUILD)
        for row in self.rows:
            matched = [name for name in names if re.fullmatch(row.tests, name)]
            self.assertTrue(matched, row)
            for name in matched:
                program = name.split(".")[0]
                if program in programs:
                    self.assertIn(program, built)
            for target in row.targets:
                done = subprocess.run(["ninja", "-C", BUILD, "-t", "query", target], capture_output=True, check=False)
                self.assertEqual(done.returncode, 0, target)


class Runs(unittest.TestCase):
    """script/test and .ci/run with stand-ins for all that they start."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "tree"
        for file in ("script/test", "script/common.sh", "script/in_turn", ".ci/run", "test/quick.txt"):
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, self.root / file)
        self.bin = pathlib.Path(folder.name) / "bin"
        self.bin.mkdir()
        self.log = pathlib.Path(folder.name) / "log"
        self.stand_in("bin/cmake", f'[ "$1" != --version ] || exec echo cmake version 3.25\necho "$*" >>{self.log}')
        listed = "\n".join(f"  Test #{i}: host/{name}" for i, name in enumerate(
            ["test_conv.Plan.Is", "test_conv.Tune.Is", "habits.rooms", "test_conv_c"], 1))
        listed += "\n  Test #5: test_oracle_NOT_BUILT\nUnable to find executable: test_oracle_NOT_BUILT"
        self.stand_in("bin/ctest", f'case "$*" in\n*--show-only*) echo "{listed}"; echo; echo Total Tests: 5;;\n*)\n'
                      f'echo "ctest $*" >>{self.log}\necho " 1/2 Test  #1: host/test_conv.Plan.Is ...   Passed"\n;;\nesac')
        for program in ("apt-get", "sudo"):
            self.stand_in(f"bin/{program}", "")
        self.stand_in("tree/script/emulate", "")

    def stand_in(self, name, body):
        path = self.root.parent / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def run_script(self, *command):
        done = subprocess.run(command, cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "ROCM_PATH": "/none"})
        return done.returncode, done.stdout, done.stderr

    def logged(self, *command):
        status, out, errors = self.run_script(*command)
        return status, out + errors, self.log.read_text()

    def test_without_arguments_are_the_quick_tests(self):
        _, out, log = self.logged("script/test")
        self.assertEqual(set(re.findall(r"--preset (\S+)", log)), {"host"})
        self.assertIn("--build build/host --target quick_tests", log)
        numbers = re.search(r"^ctest .* -I 0,0,0,(\S+)", log, re.M)[1]
        self.assertEqual(sorted(numbers.split(",")), ["1", "3", "4"])
        self.assertIn("no quick test is called package", out)  # which the stand-in does not list
        self.assertRegex(out, r"quick tests, 1\. Left out:\n +3 other tests of the part host and 1 test program")
        self.assertIn("script/test all", out)

    def test_all_is_everything(self):
        _, out, log = self.logged("script/test", "all")
        parts = set(re.findall(r"--preset (\S+)", log))
        self.assertLessEqual({"host", "host-debug", "host-threads"}, parts)
        for part in ("amd", "amd-clang22", "amd-rocm", "nvidia"):
            self.assertTrue(part in parts or f"not run: {part}: " in out, part)
        self.assertNotIn("quick_tests", log)
        self.assertNotRegex(log, r"ctest .* -I ")
        self.assertNotIn("quick tests", out)

    def test_parts_by_name(self):
        _, out, log = self.logged("script/test", "host-threads")
        self.assertEqual(set(re.findall(r"--preset (\S+)", log)), {"host-threads"})
        status, _, errors = self.run_script("script/test", "all", "host")
        self.assertEqual((status, "all is every part" in errors), (2, True))

    def test_continuous_integration_runs_everything(self):
        self.stand_in("bin/id", "echo 1000")
        self.stand_in("tree/script/test", f'echo "test $* $CK_WERROR" >>{self.log}')
        for given, passed in (([], "all"), (["amd", "host"], "amd host")):
            self.log.unlink(missing_ok=True)
            self.assertEqual(self.logged(".ci/run", *given)[2], f"test {passed} ON\n")

    def test_packages_of_the_quick_tests_are_in_the_readme(self):
        common = (self.root / "script/common.sh")
        common.write_text(common.read_text() + 'require() { echo "needs $1"; }\ninstall_missing() { exit 0; }\n')
        line = re.search(r"apt-get install (.*)", (ROOT / "README.md").read_text())[1].split()
        quick = set(re.findall(r"needs (\S+)", self.run_script("script/test")[1]))
        self.assertGreater(len(quick), 8)
        self.assertLessEqual(quick, set(line))
        everything = set(re.findall(r"needs (\S+)", self.run_script("script/test", "all")[1]))
        self.assertLess(quick | {"libopenmpi-dev", "doxygen"}, everything)


if __name__ == "__main__":
    unittest.main()
