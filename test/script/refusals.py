#!/usr/bin/env python3
"""What the scripts refuse, and in what words; each in a tree that is linked to the one given, without a build folder."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
SCRIPTS = sorted(f for folder in ("script", ".ci", "test") for f in (ROOT / folder).rglob("*")
                 if f.is_file() and "__pycache__" not in f.parts and f.read_bytes().startswith(b"#!/usr/bin/env bash"))
# What a bare machine has, of what the scripts begin with: no compiler, no cmake, no apt-get.
TOOLS = ["bash", "sh", "env", "dirname", "nproc", "sed", "cat", "grep", "sort", "head", "id", "awk"]


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name) / "tree"
        self.root.mkdir()
        for entry in ROOT.iterdir():
            if entry.name not in ("build", "script", ".git"):
                (self.root / entry.name).symlink_to(entry)
        shutil.copytree(ROOT / "script", self.root / "script")
        self.bin = pathlib.Path(self.folder.name) / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))

    def tearDown(self):
        os.chmod(self.root, 0o755)
        self.folder.cleanup()

    def run_script(self, *command, before=(), **environment):
        done = subprocess.run([*before, *command], cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env={**os.environ, **environment}, check=False)
        return done.returncode, done.stdout, done.stderr

    def refuses(self, sentence, *command, **environment):
        status, out, errors = self.run_script(*command, PATH=str(self.bin), **environment)
        self.assertEqual(status, 2, out + errors)
        self.assertIn(sentence, errors)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        self.assertFalse((self.root / "build").exists(), "something was built")

    def test_number_of_jobs(self):
        for jobs in ("0", "-1", "two", "1.5", "007x", "10000", "99999999999999999999"):
            for command in (["script/demo"], ["script/test", "host"], ["script/emulate", "--build"]):
                with self.subTest(jobs=jobs, command=command):
                    self.refuses(f"CK_JOBS is '{jobs}'", *command, CK_JOBS=jobs)

    def test_tree_that_cannot_be_written(self):
        os.chmod(self.folder.name, 0o755)
        os.chmod(self.root, 0o555)
        before = []
        if os.getuid() == 0:  # who may write everywhere
            before = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        for command in (["script/demo"], ["script/test", "host"]):
            status, out, errors = self.run_script(*command, before=before)
            self.assertEqual(status, 2, out + errors)
            self.assertIn("build cannot be written, and everything is built there", errors)

    def test_parts_without_their_compiler(self):
        hip = "apt-get install -y --no-install-recommends hipcc libamdhip64-dev rocm-device-libs"
        self.refuses(hip, "script/test", "amd")
        self.refuses(hip + " clang-22 lld-22 clang-tools-22 libllvm22 llvm-22; in Debian 12 from the security suite",
                     "script/test", "amd-clang22")
        self.refuses("no ROCm of AMD's in /none", "script/test", "host", "amd-rocm", ROCM_PATH="/none")
        status, out, _ = self.run_script("bash", "-c", ". script/common.sh; nvcc_path() { :; }; toolchain_of nvidia")
        self.assertEqual(status, 0)
        self.assertIn("NVIDIA's package cuda-toolkit-13-0", out)

    def test_packages_named_are_those_of_continuous_integration(self):
        _, out, _ = self.run_script("bash", "-c", ". script/common.sh; toolchain_of amd-clang22", PATH=str(self.bin))
        ci = (ROOT / ".ci/run").read_text()
        for package in out.split("recommends ")[1].split(";")[0].split():
            self.assertIn(package, ci)

    def test_help_before_anything_is_built(self):
        for script, words in (("demo", "initialisation  0 zeros, 1 integers"), ("test", "parts: host")):
            status, out, errors = self.run_script(f"script/{script}", "--help", PATH=str(self.bin))
            self.assertEqual((status, errors), (0, ""))
            self.assertIn(words, out)
            self.assertNotIn("BASH_VERSION", out)
        self.assertFalse((self.root / "build").exists())

    def test_other_shells_start_bash(self):
        for script in ("demo", "test"):
            status, out, errors = self.run_script("sh", f"script/{script}", "--help")
            self.assertEqual((status, errors), (0, ""))
        self.assertGreater(len(SCRIPTS), 4)
        for script in SCRIPTS:
            first = next(line for line in script.read_text().splitlines() if line and not line.startswith("#"))
            self.assertTrue(first.startswith('[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"'), f"{script}: {first}")

    def test_demo_of_one_convolution_speaks_of_nothing_else(self):
        cmake = shutil.which("cmake")
        wrapper = pathlib.Path(self.folder.name) / "wrapper"
        wrapper.mkdir()
        (wrapper / "cmake").write_text(  # configures as on a machine without MPI, SQLite and CLI11; builds nothing
            f'#!/bin/sh\n[ "$1" = --build ] && exit 9\n[ "$1" = --version ] && exec {cmake} --version\nexec {cmake} "$@" '
            "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON\n")
        (wrapper / "cmake").chmod(0o755)
        status, out, errors = self.run_script("script/demo", PATH=f"{wrapper}:{os.environ['PATH']}")
        self.assertEqual(status, 9, out + errors)
        self.assertIn("== build example_convnd_bwd_data", out)
        for word in ("Ranks", "threads alone", "SQLite", "ckProfiler"):
            self.assertNotIn(word, out + errors)


if __name__ == "__main__":
    unittest.main()
