#!/usr/bin/env python3
"""Every program in script explains itself: --help ends with status 0, names the program and writes nothing on stderr.

usage: helps.py path/to/the/tree"""
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAMS = sorted(f for f in (ROOT / "script").iterdir() if f.is_file() and os.access(f, os.X_OK))


class Help(unittest.TestCase):
    def test_every_program(self):
        self.assertGreater(len(PROGRAMS), 12)
        for program in PROGRAMS:
            with self.subTest(program=program.name):
                done = subprocess.run([program, "--help"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                                      env={**os.environ, "CK_CONV_LIBRARY": "", "PYTHONDONTWRITEBYTECODE": "1"})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(program.name, done.stdout)

    def test_sub_commands(self):
        for command in ("convolutions", "networks", "biases"):
            with self.subTest(command=command):
                done = subprocess.run([ROOT / "script/compare_torch", command, "--help"], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(command, done.stdout)


if __name__ == "__main__":
    unittest.main()
