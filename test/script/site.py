#!/usr/bin/env python3
"""script/site: every document is in the sidebar, the site is built strictly where MkDocs is, its search finds pages, and
what GitHub shows of lists and flow charts is what the pages have.

usage: site.py path/to/the/tree"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "script"))
from documents.markdown import NotDrawn, converted, dot_of  # noqa: E402


def script(tree):
    loader = importlib.machinery.SourceFileLoader("site_script", str(ROOT / "script" / "site"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_script", loader))
    loader.exec_module(module)
    module.ROOT = str(tree)
    return module


class Sidebar(unittest.TestCase):
    def test_has_every_document_once(self):
        shown = [page for _, pages in script(ROOT).sidebar() for page in pages]
        for page in [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")]:
            self.assertEqual(shown.count(str(page.relative_to(ROOT))), 1, page)

    def test_a_document_that_is_missing_in_it(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder) / "tree"
            for page in [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), ROOT / "benchmarks/README.md", ROOT / "changes/README.md",
                         ROOT / "test/amd_emulator/README.md"]:
                copy = tree / page.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(page, copy)
            site = script(tree)
            site.sidebar()
            (tree / "docs/new_page.md").write_text("# New\n")
            with self.assertRaisesRegex(site.Wrong, "docs/new_page.md is 0 times in the sidebar"):
                site.sidebar()
            (tree / "docs/new_page.md").unlink()
            (tree / "docs/tuning.md").unlink()
            with self.assertRaisesRegex(site.Wrong, "names docs/tuning.md, which is not there"):
                site.sidebar()


class Markdown(unittest.TestCase):
    def as_is(self, text, expected):
        self.assertEqual(converted(text, lambda source: f"<{source}>"), expected)

    def test_lists(self):
        self.as_is("- a\n  b\n  - c\n\ntext\n  d", "- a\n    b\n    - c\n\ntext\n  d")
        self.as_is("1. a:\n\n   ```sh\n   if\n     then\n   ```\n2. b", "1. a:\n\n    ```sh\n    if\n      then\n    ```\n2. b")
        self.as_is("text\n- a\n- b", "text\n\n- a\n- b")
        self.as_is("```\n- a\n  - b\n```", "```\n- a\n  - b\n```")

    def test_flow_charts(self):
        self.as_is("a\n```mermaid\nflowchart TD\n```\nb", "a\n<flowchart TD>\n\nb")
        dot = dot_of('flowchart LR\n  a["one<br>two"] --> b{"yes?"}\n  b -- no --> c --> a')
        for part in ("rankdir=LR", 'a [label="one\\ntwo"]', 'b [label="yes?", shape=diamond]', "a -> b;", 'b -> c [label="no"]',
                     "c -> a"):
            self.assertIn(part, dot)
        for wrong in ("graph TD\na --> b", "flowchart TD\na ==> b", "flowchart TD\n[x]"):
            with self.assertRaises(NotDrawn, msg=wrong):
                dot_of(wrong)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.out = pathlib.Path(cls.folder.name)
        done = subprocess.run([ROOT / "script/site", "--out", cls.out], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_pages(self):
        for page in ("index.html", "docs/one_call.html", "docs/howto/add_a_kernel.html", "CHANGELOG.html"):
            self.assertIn("How a kernel is built", (self.out / page).read_text(), page)  # the sidebar
        self.assertIn("<svg", (self.out / "docs/architecture.html").read_text())
        self.assertTrue((self.out / "docs/pictures/kernel_tiles.svg").is_file())

    def test_api_reference(self):
        self.assertIn('href="api/index.html"', (self.out / "api_reference.html").read_text())
        self.assertIn("API reference", (self.out / "docs/tuning.html").read_text())
        self.assertIn("ConvSpec", (self.out / "api/structck_1_1ConvSpec.html").read_text())

    def test_search(self):
        index = json.loads((self.out / "search/search_index.json").read_text())
        found = {re.sub("#.*", "", entry["location"]) for entry in index["docs"] if "NDC1HWC0" in entry["text"]}
        self.assertIn("docs/blocked_layouts.html", found)
        words = re.split(index["config"]["separator"], "ck_conv.set_workspace_limit(bytes), ck::plan() and include/ck/conv.h")
        for name in ("set_workspace_limit", "plan", "conv"):
            self.assertIn(name, words)

    def test_links(self):
        site, page = script(ROOT), self.out / "docs" / "tuning.html"
        text = page.read_text()
        self.addCleanup(page.write_text, text)
        for link, why in (("nowhere.html", "which is not there"), ("one_call.html#nothing", "there is no such section")):
            page.write_text(text + f'<a href="{link}">')
            with self.assertRaisesRegex(site.Wrong, why):
                site.check_links(str(self.out))


if __name__ == "__main__":
    there = shutil.which("mkdocs") and shutil.which("dot") and shutil.which("doxygen") and os.path.isdir("/usr/share/mkdocs/themes/material")
    if "Site" in sys.argv and not there:
        print("SKIPPED: mkdocs, mkdocs-material, graphviz and doxygen are not installed (Debian packages of these names)")
        sys.exit(0)
    unittest.main()
