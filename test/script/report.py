#!/usr/bin/env python3
"""script/report: the documents' tables are those of the data, and what it makes of a page.

usage: report.py path/to/the/tree"""
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
LOADER = importlib.machinery.SourceFileLoader("report_script", str(ROOT / "script" / "report"))
report = importlib.util.module_from_spec(importlib.util.spec_from_loader("report_script", LOADER))
LOADER.exec_module(report)


def files(**given):
    """Stands in for report.load()."""
    return lambda name, folder="benchmarks": given[name.replace(".json", "")]


def result(problem, direction, ratio, **more):
    return {"problem": problem, "direction": direction, "rival": {"ratio": ratio}, **more}


def problem(name, *, c=128, taps=3, stride=1, dilation=1):
    return {"name": name, "ndim": 2, "C": c, "K": 128, "filter": [taps] * 2, "strides": [stride] * 2, "dilations": [dilation] * 2}


SUITE = {"problems": [problem("a"), problem("b", stride=2), problem("c", taps=1), problem("d", dilation=2), problem("e", c=64),
                      {**problem("f"), "ndim": 3}]}
DATA = {"results": [result(p["name"], d, r) for p, r in zip(SUITE["problems"], (1, 2, 4, 8, 0.5, 0.25)) for d in report.DIRECTIONS]}
TABLE = {"tables": [{"name": "times of a", "columns": ["problem", "ms", "note"], "rows": [["x", 1.50, None], ["y", [1, 2.25], "w"]]}]}
LISTS = {"tables": [{"name": "l", "columns": ["list", "problem", "direction", "its time over ours"],
                     "rows": [["s", "x", "forward", 2.0], ["s", "y", "forward", 0.5], ["t", "x", "backward data", 1.5]]}]}


SCALING = {"tables": [{"name": f"{kind} scaling", "columns": ["direction", "channels", "ranks", report.PASS, "efficiency"],
                       "rows": [[direction, channels, ranks, [report.Figure("1.005"), 9], efficiency] for channels in (64, 128)
                                for ranks, efficiency in ((1, 1.0), (2, report.Figure("0.935")))
                                for direction in report.DIRECTIONS]} for kind in ("strong", "weak")]}


class Report(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, report, "load", report.load)
        report.load = files(data=DATA, suite_problems=SUITE, table=TABLE, lists=LISTS)

    def made(self, head):
        return re.search("(?s)-->\n(.*)<!-- end -->", report.written(f"text\n<!-- report {head}-->\nold\n<!-- end -->\n")).group(1)

    def test_kinds(self):
        rows = self.made("kinds data.json ").split("\n")
        self.assertEqual(rows[2], "| stride 1, 3x3, 2D | 1 | 1.00 (1.00 a) | 1.00 (1.00 a) | 1.00 (1.00 a) |")
        self.assertEqual([row.split(" | ")[0] for row in rows[3:9]],
                         ["| 1x1", "| strided", "| dilated", "| 1D and 3D, stride 1", "| C or K of at most 64", "| all"])
        self.assertIn("| all | 6 | 1.41 (0.25 f)", rows[8])

    def test_means(self):
        self.assertIn("| all | 6 | 1.41 (0.25) |", self.made("means\nall = data.json\ntwo = data.json only ^[ab]$\n"))
        self.assertIn("| two | 2 | 1.41 (1.00) |", self.made("means\nall = data.json\ntwo = data.json only ^[ab]$\n"))
        self.assertIn("| one | 1 | 2.00 (2.00) |", self.made("means\none = data.json only strided\n"))
        report.load = files(data={"results": [result("x", "backward data", 3, transposed="forward"),
                                         result("x", "forward", 2, transposed="gradient of x")]}, suite_problems=SUITE)
        self.assertIn("| t | 1 | 3.00 (3.00) | 2.00 (2.00) | - |", self.made("means\nt = data.json\n"))

    def test_lists(self):
        self.assertIn("| `s` | 2 | 1.00 (0.50), 1 | - | - |\n| `t` | 1 | - | 1.50 (1.50), 0 | - |", self.made('lists lists.json "l" '))

    def test_table(self):
        self.assertEqual(self.made('table table.json "times" '),
                         "| problem | ms | note |\n|---|---|---|\n| x | 1.5 |  |\n| y | 1, 2.25 | w |\n")
        report.load = files(table={"tables": [{"name": "times", "columns": ["a", "b", "b"], "rows": [[1, 2, 3]]}]})
        self.assertIn("| 1 | 2 | 3 |", self.made('table table.json "times" '))
        report.load = files(table=TABLE)
        self.assertEqual(self.made('table table.json "times"\ncolumns problem; ms\nonly y\n'),
                         "| problem | ms |\n|---|---|\n| y | 1, 2.25 |\n")

    def test_scaling(self):
        report.load = files(scaling=SCALING)
        made = self.made("scaling scaling.json 128 ").split("\n")
        self.assertEqual(made[2:4], ["| strong, 128 channels | 1 | 1.01 | 1.01 | 1.01 |",
                                     "|  | 2 | 1.01, 93.5 % | 1.01, 93.5 % | 1.01, 93.5 % |"])
        self.assertEqual([row.split(" | ")[0] for row in made[4:-1]], ["| weak, 128 channels", "| "])
        with self.assertRaisesRegex(report.Wrong, "report scaling"):
            self.made("scaling scaling.json 256 x ")

    def test_figures_keep_their_digits(self):
        self.assertEqual([report.cell(json.loads(text, parse_float=report.Figure)) for text in ("2.00", "[1.50, 3]", "1e-3", "12345678.9")],
                         ["2.00", "1.50, 3", "1e-3", "12345678.9"])

    def test_wrong(self):
        for head, why in (("bars data.json ", "report bars: there are"), ('table table.json "none" ', "has 0 tables"),
                          ('table table.json "times"\nonly z\n', "no row"), ('table table.json "times"\ncolumns q\n', "not all of"),
                          ("means\nall\n", "is not LABEL = FILE"), ("means\na = data.json only zzz\n", "no ratio of a problem"),
                          ("kinds\n", "report kinds")):
            with self.assertRaisesRegex(report.Wrong, why, msg=head):
                self.made(head)


NUMBER = re.compile(r"\d+\.\d+( (us|ms|s|%|x))?(, \d+(\.\d+)?( %)?)*")


def typed(text):
    """The first line of each table whose figures nobody generates: three cells or more with decimals, and nothing else."""
    text, found, rows = report.BLOCK.sub("", text), [], []
    for line in [*text.split("\n"), ""]:
        if line.lstrip().startswith("|"):
            rows.append(line.strip().strip("|").split("|"))
            continue
        figures = [cell for row in rows[2:] for cell in row if NUMBER.fullmatch(cell.strip())]
        if len(figures) >= 3:
            found.append("|".join(rows[0]))
        rows = []
    return found


class Documents(unittest.TestCase):
    def test_no_table_of_figures_is_typed(self):
        pages = [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")]
        self.assertEqual({page.name: typed(page.read_text()) for page in pages if typed(page.read_text())}, {})
        table = "| a | b |\n|---|---|\n| 1.2 | 2.00, 94 % |\n| x | 3.5 us |\n"
        self.assertEqual(typed(f"text\n{table}text"), [" a | b "])
        self.assertEqual(typed(f"<!-- report table x.json y -->\n{table}<!-- end -->\n| version |\n|---|\n| PyTorch 2.1 |\n"), [])

    def test_every_table_of_the_data_is_read(self):
        """By a page, or by a script or a test that names the table's file and, by its beginning, the table."""
        blocks = [block.group(2, 3) for page in report.pages() for block in report.BLOCK.finditer(pathlib.Path(page).read_text())]
        programs = [path.read_text() for path in (ROOT / "script/validate_amd_model", ROOT / "test/script/validate_amd_model.py",
                                                 ROOT / "script/compare_amd_convolutions")]
        for file in sorted((ROOT / "benchmarks").glob("*.json")):
            data = json.loads(file.read_text())
            readers = [(kind, text) for kind, text in blocks if file.name in text]
            self.assertTrue(readers or any(file.name in text for text in programs), f"nothing reads {file.name}")
            for table in data.get("tables", []):
                beginnings = ["strong", "weak"] if ("scaling", file.name) in [(k, t.split()[0]) for k, t in readers] else []
                beginnings += re.findall(r'"([^"\n]*)"', "\n".join(text for _, text in readers))
                named = any(re.search(f'["\']{re.escape(table["name"])}["\']', text) for text in programs)
                with self.subTest(file=file.name, table=table["name"]):
                    self.assertTrue(named or any(table["name"].startswith(b) for b in beginnings))

    def test_are_as_the_data(self):
        done = subprocess.run([ROOT / "script/report", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        self.assertIn("<!-- report kinds", (ROOT / "docs/performance.md").read_text())

    def test_a_page_that_differs(self):
        text = (ROOT / "docs/performance.md").read_text()
        self.assertEqual(report.written(text), text)
        changed = text.replace("| all | 37 | 1.15", "| all | 37 | 1.16")
        self.assertNotEqual(changed, text)
        self.assertEqual(report.written(changed), text)


if __name__ == "__main__":
    unittest.main()
