#!/usr/bin/env python3
"""The version stands in one place, the changes of the next release are well formed, and script/release_notes joins them.

usage: release.py path/to/the/tree"""
import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
LOADER = importlib.machinery.SourceFileLoader("release_notes", str(ROOT / "script" / "release_notes"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("release_notes", LOADER))
LOADER.exec_module(script)
VERSION = (ROOT / "version.txt").read_text().strip()
# Files whose versions belong to history, to samples or to other programs.
ELSEWHERE = ("CHANGELOG.md", "version.txt", "docs/upgrading.md", "docs/compatibility.md", "changes/", "test/", "benchmarks/",
             "docs/pictures/")


class Version(unittest.TestCase):
    def test_is_one(self):
        self.assertRegex(VERSION, r"^\d+\.\d+\.\d+$")
        log = (ROOT / "CHANGELOG.md").read_text()
        newest = re.search(r"^## (\S+) - \d{4}-\d\d-\d\d$", log, re.M)
        self.assertEqual(newest and newest.group(1), VERSION)
        self.assertLess(log.index(script.MARK), newest.start())
        self.assertIn(f"to {VERSION.rpartition('.')[0]}\n", (ROOT / "docs/upgrading.md").read_text())

    def test_stands_in_one_place(self):
        files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split("\n")
        looked_at = 0
        for name in filter(None, files):
            path = ROOT / name
            if name.startswith(ELSEWHERE) or not path.is_file() or path.suffix in (".svg", ".json", ".png"):
                continue
            looked_at += 1
            text = path.read_text(encoding="utf-8", errors="replace")
            self.assertNotRegex(text, rf"(?<![\d.]){re.escape(VERSION)}(?![\d.])", name)
        if looked_at == 0:
            self.skipTest("this tree is not a git repository")

    def test_python_has_it(self):
        text = (ROOT / "python/pyproject.toml").read_text()
        self.assertIn('dynamic = ["version"]', text)
        done = subprocess.run([sys.executable, "setup.py", "--version"], cwd=ROOT / "python", capture_output=True, text=True, check=False)
        if "No module named 'setuptools'" in done.stderr:
            self.skipTest("setuptools is not installed")
        self.assertEqual(done.stdout.strip().split("\n")[-1], VERSION, done.stderr)


class Changes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "changes").mkdir()
        (self.root / "changes/README.md").write_text("# How\n")
        (self.root / "CHANGELOG.md").write_text("# Changelog\n\n<!-- releases -->\n\n## 1.0.0 - 2020-01-01\n\nold\n")
        (self.root / "version.txt").write_text("1.0.0\n")
        self.addCleanup(setattr, script, "ROOT", script.ROOT)
        script.ROOT = str(self.root)

    def write(self, name, text):
        (self.root / "changes" / name).write_text(text)

    def test_of_this_tree(self):
        done = subprocess.run([ROOT / "script/release_notes", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_release(self):
        self.write("b-c.fixed.md", "A fault\nis mended.\n")
        self.write("a.added.md", "A thing ([how](version.txt), [why](https://a.b/c)).\n\nUpgrade: use it.\n")
        self.write("d.added.md", "Another.\n")
        script.release("1.1.0", "2020-02-02")
        self.assertEqual((self.root / "CHANGELOG.md").read_text(),
                         "# Changelog\n\n<!-- releases -->\n\n## 1.1.0 - 2020-02-02\n\n### Upgrading\n\n- use it.\n\n### Added\n\n"
                         "- A thing ([how](version.txt), [why](https://a.b/c)).\n"
                         "- Another.\n\n### Fixed\n\n- A fault is mended.\n\n## 1.0.0 - 2020-01-01\n\nold\n")
        self.assertEqual((self.root / "version.txt").read_text(), "1.1.0\n")
        self.assertEqual([f.name for f in (self.root / "changes").iterdir()], ["README.md"])

    def test_wrong(self):
        for name, text, why in (("Word.added.md", "x", "the name is not"), ("a.new.md", "x", "the name is not"), ("a.md", "x", "the name is not"),
                                ("a.added.md", "\n", "it is empty"), ("a.added.md", "x" * 601, "601 characters"),
                                ("a.added.md", "- x", "plain sentences"),
                                ("a.added.md", "[x](../version.txt)", r"links to \.\./version.txt, which does not exist beside CHANGELOG.md"),
                                ("a.added.md", "x\n\nUpgrade: [y](docs/none.md#part)", "links to docs/none.md, which does not exist"), ("a.added.md", "x\n\ny", "a second paragraph"),
                                ("a.added.md", "x\n\nUpgrade: y\n\nz", "a second paragraph")):
            self.write(name, text)
            with self.assertRaisesRegex(script.Wrong, why, msg=name):
                script.fragments()
            (self.root / "changes" / name).unlink()
        for version, why in (("1.1", "is not a version"), ("1.1.0", "nothing in changes")):
            with self.assertRaisesRegex(script.Wrong, why):
                script.release(version, "2020-02-02")
        self.write("a.added.md", "x")
        with self.assertRaisesRegex(script.Wrong, "has 1.0.0 already"):
            script.release("1.0.0", "2020-02-02")


if __name__ == "__main__":
    unittest.main()
