#!/usr/bin/python3
"""script/measure_split on the CPU, whose times mean nothing, in two processes; and what it refuses."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import needs_torch  # noqa: F401

SCRIPT = Path(__file__).resolve().parents[2] / "script" / "measure_split"


OPTIONS = ("--device", "cpu", "--type", "f32", "--channels", "2", "--size", "8,4,4", "--rounds", "1", "--passes", "1")


def in_ranks(ranks, *arguments):
    """What torchrun does, which Debian's PyTorch 1.13 cannot do under Python 3.11. Returns [(exit status, output)]."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = []
    for rank in range(ranks):
        environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                       "OMP_NUM_THREADS": "1"}
        started.append(subprocess.Popen([sys.executable, "-B", SCRIPT, *OPTIONS, *arguments], env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    try:
        outputs = [process.communicate(timeout=500)[0] for process in started]
    finally:
        for process in started:
            process.kill()
    return [(process.returncode, output) for process, output in zip(started, outputs)]


class MeasureSplit(unittest.TestCase):
    def test_on_cpu(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(3):
                results = in_ranks(2, "--json", f"{folder}/split.json")
                if not any("address already in use" in output.lower() for _, output in results):
                    break  # nobody took the port in between
            for status, output in results:
                self.assertEqual(status, 0, output)
            with open(f"{folder}/split.json") as file:
                written = json.load(file)
        self.assertEqual(written["ranks"], 2)
        table, = written["tables"]
        self.assertEqual([row[:3] for row in table["rows"]], [["decoder", "forward", "8x4x4"], ["unet", "training step", "8x4x4"]])
        for row in table["rows"]:
            self.assertEqual(len(row), len(table["columns"]))
            self.assertGreater(row[3][0], 0)
            self.assertAlmostEqual(row[5], row[4][0] / (2 * row[3][0]))
        self.assertRegex(results[0][1], r"unet +training step +8x4x4 +[\d.]+ +[\d.]+ +\d+ %")

    def test_refuses(self):
        clean = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")}
        for arguments, status, sentence in (([], 1, "RANK and WORLD_SIZE are not set: start it with torchrun"),
                                            (["--size", "8,8"], 2, "--size must be three numbers"),
                                            (["--networks", "vgg"], 2, "--networks has 'vgg'"),
                                            (["--rounds", "0"], 2, "--rounds is 0, but must be at least 1")):
            done = subprocess.run([sys.executable, "-B", SCRIPT, *arguments], env=clean, capture_output=True, text=True)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(sentence, done.stderr)


if __name__ == "__main__":
    unittest.main()
