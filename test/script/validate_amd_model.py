#!/usr/bin/env python3
"""script/validate_amd_model: its arithmetic, how it reads the emulator's output, and that the committed table of errors
is what the committed predictions give.

usage: validate_amd_model.py path/to/the/tree"""
import importlib.machinery
import importlib.util
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
SCRIPT = ROOT / "script" / "validate_amd_model"
LOADER = importlib.machinery.SourceFileLoader("validate_amd_model_script", str(SCRIPT))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("validate_amd_model_script", LOADER))
LOADER.exec_module(script)

OUTPUT = """emu: time launch 1, gfx942: rows
emu: time   predicted 4200 cycles, 2.0 us at 2100 MHz
emu: time   not in it: about 4.2 us that a launch takes by itself
emu: time launch 2, gfx942: columns
emu: time   predicted 8400 cycles, 4.5 us at 1867 MHz
emu: time   not in it: about 2.5 us that a launch takes by itself
"""


class Arithmetic(unittest.TestCase):
    def test_weighted_error(self):
        self.assertAlmostEqual(script.weighted_error([(10, 12), (30, 27)]), 12.5)
        self.assertEqual(script.weighted_error([(10, 10)]), 0)

    def test_mean_and_spread(self):
        mean, spread = script.mean_and_spread([(1, 2), (1, 0.5)])
        self.assertAlmostEqual(mean, 1)
        self.assertAlmostEqual(spread, 2)
        mean, spread = script.mean_and_spread([(2, 3), (4, 6)])
        self.assertAlmostEqual(mean, 1.5)
        self.assertAlmostEqual(spread, 1)

    def test_rank_correlation(self):
        self.assertAlmostEqual(script.rank_correlation([(1, 10), (2, 20), (3, 40)]), 1)
        self.assertAlmostEqual(script.rank_correlation([(1, 3), (2, 2), (3, 1)]), -1)
        self.assertAlmostEqual(script.rank_correlation([(1, 1), (1, 2), (2, 3)]), math.sqrt(3) / 2)  # places of equals shared
        self.assertIsNone(script.rank_correlation([(1, 1), (1, 2)]))

    def test_arguments_of_sizes(self):
        for size, expected in (("4096", [4096]), ("64x64", [64]), ("32x32x32", [32]), ("1024_taps8", [1024, 8]),
                               ("128x128_mask3", [128, 3]), ("N1_C1_16x16_k5x5", [16, 5]), ("256_particles", [256]),
                               ("N1_C1_8x8_k3x3_OC3", [8, 3]), ("pts1024_feat64_clus5", [1024, 64]),
                               ("1024x1024_nnz8192", [1024, 8192])):
            self.assertEqual(script.numbers(size), expected, size)

    def test_parts_do_not_change(self):
        self.assertEqual([script.part("vectoradd", str(1 << n)) for n in range(10, 16)], PARTS)

    def test_launches_are_counted_apart(self):
        rows = script.errors([["MI300A", "streams", "relu", "1", "fit", 1, 10, 4, 6], ["MI300A", "streams", "relu", "2", "held out", 1, 10, 4, 2]])
        self.assertEqual(rows, [["MI300A", "streams", "fit", 1, 0.0, 1.0, 1.0, None], ["MI300A", "all", "fit", 1, 0.0, 1.0, 1.0, None],
                                ["MI300A", "streams", "held out", 1, 40.0, 0.6, 1.0, None], ["MI300A", "all", "held out", 1, 40.0, 0.6, 1.0, None]])

    def test_output_of_the_emulator(self):
        self.assertEqual(script.times_in(OUTPUT), ([2.0, 4.5], 6.7))
        with self.assertRaisesRegex(script.Wrong, "no predicted time"):
            script.times_in("emu: time nothing")


PARTS = ["held out", "fit", "fit", "held out", "fit", "held out"]


class Committed(unittest.TestCase):
    def test_the_table_is_what_the_predictions_give(self):
        done = subprocess.run([SCRIPT, "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_another_table_is_found(self):
        data = json.loads((ROOT / "benchmarks" / "amd_model_errors.json").read_text())
        script.table_of(data, "errors")["rows"][0][4] += 1
        with tempfile.TemporaryDirectory() as folder:
            script.ERRORS = str(pathlib.Path(folder) / "errors.json")
            script.write(script.ERRORS, data)
            sys.argv = ["validate_amd_model", "--check"]
            with self.assertRaisesRegex(script.Wrong, "not what its predictions give"):
                script.main()

    def test_each_prediction_has_its_measurement_and_part(self):
        measured = {tuple(row[:2]): row[2] for row in script.table_of(script.load(script.MEASURED), "small programs, MI300A")["rows"]}
        data = json.loads((ROOT / "benchmarks" / "amd_model_errors.json").read_text())
        points = [p for p in script.table_of(data, "predictions")["rows"] if p[0] == "MI300A"]
        self.assertGreater(len(points), 100)
        for _, kind, program, size, part, _, us, _, _ in points:
            self.assertEqual((kind, part, us), (script.KINDS[program], script.part(program, size), measured[program, size]))


if __name__ == "__main__":
    unittest.main()
