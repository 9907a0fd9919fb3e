"""Tests of script/coverage, whose folder is the argument: counters of processes, added up and by folder."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, SCRIPT)
loader = importlib.machinery.SourceFileLoader("coverage_script", os.path.join(SCRIPT, "coverage"))
coverage = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(coverage)
from gcov_counts import Counts, ranges, read_object  # noqa: E402
from mutation import programs  # noqa: E402

HEADER = """template <class T>
int sign(T a, bool never)
{
    if(never)
        a = -a;
    return a < 0 ? -1 : 1;
}
"""
PROGRAM = """#include "../include/ck/sign.hpp"
#include <cstdlib>
#include <unistd.h>
int main(int count, char** arguments)
{
    if(count > 2)
        for(;;)
            sleep(1);
    const int n = std::atoi(arguments[1]);
    return sign(n, false) + sign(double(n), false) > 0;
}
"""


class Counters(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = os.path.realpath(self.folder.name)
        for name, text in (("include/ck/sign.hpp", HEADER), ("build/x.cpp", PROGRAM), ("build/end.c", coverage.WRITE_WHEN_ENDED)):
            os.makedirs(os.path.join(self.root, os.path.dirname(name)), exist_ok=True)
            with open(os.path.join(self.root, name), "w", encoding="ascii") as file:
                file.write(text)
        self.build = os.path.join(self.root, "build")
        subprocess.run([os.environ.get("CXX", "g++"), "-x", "c", "-c", "end.c", "-o", "end.o"], cwd=self.build, check=True)
        subprocess.run([os.environ.get("CXX", "g++"), "-O1", *coverage.COUNTERS.split(), "-c", "x.cpp"], cwd=self.build, check=True)
        subprocess.run([os.environ.get("CXX", "g++"), "--coverage", "x.o", "end.o", "-o", "x"], cwd=self.build, check=True)

    def tearDown(self):
        self.folder.cleanup()

    def run_with(self, *arguments, limit=20):
        test = programs.Test({"name": "x", "command": ["./x", *arguments],
                              "properties": [{"name": "WORKING_DIRECTORY", "value": self.build}]})
        return coverage.Process(test).run(limit)

    def read(self):
        return read_object(os.path.join(self.build, "x.gcda"), self.root)

    def test_processes_add_up_to_lines_and_branches(self):
        self.assertEqual(self.run_with("-3"), "")
        one = self.read()
        self.assertEqual(list(one.files), ["include/ck/sign.hpp"])
        lines, ran, branches, taken = one.of_file("include/ck/sign.hpp")
        self.assertEqual((lines - ran, branches - taken), (1, 2))
        self.assertEqual(one.lines_that_never_ran("include/ck/sign.hpp"), [5])
        self.assertEqual(one.lines_with_a_branch_never_taken("include/ck/sign.hpp"), [4, 6])
        self.assertIn("failed, status 1", self.run_with("3"))
        both = self.read()
        self.assertEqual(both.lines_with_a_branch_never_taken("include/ck/sign.hpp"), [4])
        self.assertEqual(both.folders()["all"], both.folders()["include/ck"])
        self.assertEqual(both.folders()["all"][3], taken + 1)

    def test_a_process_that_is_ended_writes_its_counters(self):
        self.assertEqual(self.run_with("3", "and wait", limit=1), "was ended after 1 s")
        self.assertTrue(os.path.exists(os.path.join(self.build, "x.gcda")))
        self.assertEqual(self.run_with("3", limit=0), "did not begin: there was no time left")


class Sums(unittest.TestCase):
    def test_instances_of_a_template_add_up(self):
        one, other = Counts(), Counts()
        one.add_line("include/a.hpp", 3, 2, [2, 0])
        one.add_line("include/a.hpp", 3, 5, [5, 0, 0, 1])
        other.add_line("include/a.hpp", 3, 1, [0, 0, 1, 0])
        other.add_line("include/b.hpp", 1, 0, [0, 0])
        one.add(other)
        self.assertEqual(one.of_file("include/a.hpp"), (1, 1, 4, 3))
        self.assertEqual(one.of_file("include/b.hpp"), (1, 0, 2, 0))
        self.assertEqual(one.folders(), {"include": [2, 1, 6, 3], "all": [2, 1, 6, 3]})
        self.assertEqual(one.lines_with_a_branch_never_taken("include/b.hpp"), [], "it never ran")

    def test_ranges(self):
        self.assertEqual(ranges([1, 2, 3, 7, 9, 10]), "1-3 7 9-10")


class Arguments(unittest.TestCase):
    def test_wrong_ones_are_told(self):
        for arguments, why in ((["--jobs", "0"], "--jobs is 0, but must be at least 1"),
                               (["--only", "("], "--only is (, which is not a regular expression")):
            ended = subprocess.run([sys.executable, "-B", os.path.join(SCRIPT, "coverage"), *arguments],
                                   capture_output=True, text=True)
            self.assertEqual(ended.returncode, 2)
            self.assertIn("script/coverage: " + why, ended.stderr)


if __name__ == "__main__":
    unittest.main()
