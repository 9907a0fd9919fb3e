#!/usr/bin/env python3
"""script/compare_amd_convolutions: its arithmetic, how it reads the emulator's output, and that the committed summaries are
what the committed times give.

usage: compare_amd_convolutions.py path/to/the/tree"""
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
SCRIPT = ROOT / "script" / "compare_amd_convolutions"
LOADER = importlib.machinery.SourceFileLoader("compare_amd_convolutions_script", str(SCRIPT))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_amd_convolutions_script", LOADER))
LOADER.exec_module(script)

STRIDED = "n2 c64 k32 g4 in9x7 f3x1 s2x1 d1x2 p1x0"
OUTPUT = """kernel: Xdl<256, 64, 64>
emu: time launch 1, gfx942: rows
emu: time   predicted 4200 cycles, 2.0 us at 2100 MHz
emu: time   not in it: about 4.3 us that a launch takes by itself
emu: time launch 2, gfx942: columns
emu: time   predicted 8400 cycles, 4.5 us at 1867 MHz
"""


def cell(**values):
    return {"chip": "MI300X", "direction": "forward", "list": "own", "kind": "1x1", "problem": STRIDED, "fastest measured, us": 10,
            "its kernel": "theirs", "without workspace, us": None, "kernel": "ours", "launches": 1, "us by the choice": 8,
            "us by the emulator": None, **values}


class Arithmetic(unittest.TestCase):
    def test_fields(self):
        self.assertEqual(script.fields(STRIDED), {"n": 2, "c": 64, "k": 32, "g": 4, "in": [9, 7], "f": [3, 1], "s": [2, 1],
                                                  "d": [1, 2], "p": [1, 0]})

    def test_operations(self):
        self.assertEqual(script.operations(STRIDED), 2 * 2 * 32 * (64 // 4) * 3 * (5 * 7))

    def test_share_of_what_is_achievable(self):
        c = cell(problem="n1 c1000 k1000 g1 in654 f1 s1 d1 p0")
        self.assertAlmostEqual(script.share(c, 2), 100)

    def test_output_of_the_emulator(self):
        self.assertEqual(script.predicted(OUTPUT), ("Xdl<256, 64, 64>", 6.5))
        for word, why in (("kernel:", "no name of a kernel"), ("predicted", "no predicted time")):
            with self.assertRaisesRegex(script.Wrong, why):
                script.predicted(OUTPUT.replace(word, "no"))

    def test_arguments_that_do_not_go_together(self):
        for arguments, why in ([], "give one of"), (["--table", "--check"], "give one of"), (["--check", "--emulate", ""], "needs a LIBRARY"):
            done = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)

    def test_the_emulator_is_preferred(self):
        self.assertEqual(script.ratio(cell()), 0.8)
        self.assertEqual(script.ratio(cell(**{"us by the emulator": 5})), 0.5)

    def test_summary(self):
        cells = [cell(**{"us by the choice": 10, "us by the emulator": 20, "launches": 2}), cell(**{"us by the choice": 5})]
        self.assertEqual(script.summary(cells), [["MI300X", "forward", 2, 1.0, 1, 1, 2.0, 1.58, 1, 1, 1.0, 2.0, 1]])

    def test_lists(self):
        cells = [cell(), cell(list="drawn", **{"us by the choice": 5}),
                 cell(list="drawn", **{"us by the choice": 60, "fastest measured, us": 50, "without workspace, us": 120})]
        self.assertEqual(script.lists(cells), [["MI300X", "forward", 0.8, 0.77, 1.2, 1, 0.5, 1]])

    def test_words_of_the_documents(self):
        self.assertEqual(script.title(STRIDED), "N 2, C 64, K 32, 9x7, 3x1, stride 2x1")
        self.assertEqual(script.title("n1 c8 k16 g1 in9x9 f3x3 s2x2 d1x1 p1x1"), "N 1, C 8, K 16, 9x9, 3x3, stride 2")
        self.assertEqual(script.title("n1 c8 k16 g1 in9x9 f3x3 s1x1 d1x1 p1x1"), "N 1, C 8, K 16, 9x9, 3x3")

    def test_rows(self):
        row = "Xdl<256, 128, 64, 4, Default, 8, 2> mfma_f32_32x32x8_f16, 32, 4, single_buffer, 1"
        self.assertEqual(script.row_of(row), "128x64x32")
        self.assertEqual(script.row_of(f"FoldedWidth<{row}>"), "FoldedWidth, 128x64x32")
        self.assertEqual(script.row_of(row.replace("single_buffer", "first_layer 4 rows")), "128x64x32, first layer")
        with self.assertRaisesRegex(script.Wrong, "no tile in the name of the kernel Dl"):
            script.row_of("Dl<256>")

    def test_largest_ratios(self):
        cells = [cell(kernel="Xdl<256, 64, 64, 32> mfma_f32_32x32x8_f16, 32,", **{"us by the choice": us}) for us in (1, 3, 2)]
        self.assertEqual([row[5] for row in script.worst(cells, 2)], [0.3, 0.2])

    def test_volumes(self):
        problem = "n1 c1000 k1000 g1 in1x1x654 f1x1x1 s1x1x1 d1x1x1 p0x0x0"
        cells = [cell(problem=problem, kernel="Xdl<256, 64, 64, 32> mfma_f32_32x32x8_f16, 32,", direction="backward data", **{"us by the choice": us}) for us in (4, 8, 20)]
        self.assertEqual(script.volumes(cells), [["MI300X", "backward data", 3, 25, 10, 2, 0, 0]])
        self.assertEqual([row[4] for row in script.slow_volumes(cells)], [25, 10])


class Committed(unittest.TestCase):
    def test_the_summaries_are_what_the_times_give(self):
        done = subprocess.run([SCRIPT, "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_another_summary_is_found(self):
        data = json.loads((ROOT / "benchmarks" / "amd_convolutions.json").read_text())
        data["tables"][1]["rows"][0][3] += 1
        with tempfile.TemporaryDirectory() as folder:
            script.FILE = str(pathlib.Path(folder) / "times.json")
            pathlib.Path(script.FILE).write_text(json.dumps(data))
            sys.argv = ["compare_amd_convolutions", "--check"]
            with self.assertRaisesRegex(script.Wrong, "not what the times give"):
                script.main()

    def test_each_convolution_is_planned_for_each_chip(self):
        data = json.loads((ROOT / "benchmarks" / "amd_convolutions.json").read_text())
        cells = [dict(zip(script.CELLS, row)) for row in data["tables"][0]["rows"]]
        chips = {chip: {(c["direction"], c["problem"]) for c in cells if c["chip"] == chip} for chip in script.TARGETS}
        self.assertEqual(chips["MI300X"], chips["MI210"])
        self.assertEqual(sum(map(len, chips.values())), len(cells))
        self.assertTrue(all(c["kernel"] and c["us by the choice"] > 0 for c in cells))
        self.assertTrue(all((c["fastest measured, us"] is None) == (c["list"] == "3D") for c in cells))


if __name__ == "__main__":
    unittest.main()
