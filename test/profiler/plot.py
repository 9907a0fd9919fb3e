"""script/plot on samples: what its SVGs hold, that the PNGs are pictures, and how it reports wrong input.

usage: plot.py path/to/script/plot, with the Python that the script names in its first line"""
import contextlib
import hashlib
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
NEW = os.path.join(HERE, "plot", "h200.json")
OLD = os.path.join(HERE, "plot", "h200_older.json")
KERNEL = os.path.join(HERE, "..", "..", "docs", "pictures", "kernel.json")
BENCHMARKS = os.path.join(HERE, "..", "..", "benchmarks")
NETWORKS = os.path.join(BENCHMARKS, "whole_networks.json")
SCALING = os.path.join(BENCHMARKS, "scaling.json")
PLOT = None


def run(*arguments):
    """Runs the script in this process: one that imports matplotlib for each picture takes five times as long."""
    loader = importlib.machinery.SourceFileLoader("plot", PLOT)
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("plot", loader))
    loader.exec_module(script)
    out, err = io.StringIO(), io.StringIO()
    status = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        given, sys.argv = sys.argv, [PLOT, *arguments]
        try:
            script.main()
        except SystemExit as end:
            status = 0 if end.code is None else end.code
        finally:
            sys.argv = given
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


class Plot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(folder.name, "picture")

    def draw(self, *arguments):
        """The words of the SVG; both files are there."""
        result = run(*arguments, "--out", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.split(), [self.out + ".svg", self.out + ".png"])
        with open(self.out + ".png", "rb") as png:
            self.assertEqual(png.read(8), b"\x89PNG\r\n\x1a\n")
        with open(self.out + ".svg", encoding="utf-8") as svg:
            self.svg = svg.read()
        return re.findall(r"<text[^>]*>([^<]*)</text>", self.svg)

    def changed(self, change, name="changed.json"):
        """A copy of the sample, changed."""
        with open(NEW, encoding="utf-8") as file:
            contents = json.load(file)
        change(contents)
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(contents, file)
        return path

    def refused(self, reason, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertIn(reason, result.stderr)
        self.assertNotIn("Traceback", result.stderr)

    def test_roofline(self):
        words = self.draw("roofline", NEW)
        for word in ("speed, TFLOP/s", "arithmetic intensity, FLOP per byte (each element touched once)",
                     "989.5 TFLOP/s", "4800 GB/s", "predicted choice", "depthwise: fastest", "other instances"):
            self.assertIn(word, words)
        self.assertTrue(any("NVIDIA H200" in word for word in words))
        # Each of the 18 problems has its number in the picture, and its name beside it.
        for number in range(1, 19):
            self.assertIn(str(number), words)
        self.assertEqual(sum("resnet50 stage 2 3x3, " in word for word in words), 2)
        # A marker an instance.
        with open(NEW, encoding="utf-8") as file:
            results = json.load(file)["results"]
        markers = len(re.findall(r"<use ", self.svg))
        self.assertGreaterEqual(markers, len(results) + sum(r["rule"] for r in results))

    def test_roofline_of_unknown_device(self):
        def unknown(contents):
            for r in contents["results"]:
                r.update(roofline=None, peak_tflops=None, peak_gbytes=None)
        words = self.draw("roofline", self.changed(unknown))
        self.assertIn("no roofline: the peaks of this device are not known", words)
        self.assertFalse(any(word.endswith("GB/s") for word in words))

    def test_roofline_of_two_types(self):
        def with_bytes(contents):
            for r in contents["results"][:4]:
                r.update(type="f8", peak_tflops=1979)
        words = self.draw("roofline", self.changed(with_bytes))
        for word in ("989.5 TFLOP/s, f16", "1979 TFLOP/s, f8", "4800 GB/s"):
            self.assertIn(word, words)

    def test_commits_are_short(self):
        commit = "0123456789abcdef0123456789abcdef01234567"
        for picture in ("roofline", "bars"):
            words = self.draw(picture, self.changed(lambda c: c.update(library="ck-conv 1.1.0 " + commit)))
            self.assertTrue(any("ck-conv 1.1.0 0123456789," in word for word in words), words[:5])

    def test_roofline_of_many_problems(self):
        def more(contents):
            contents["results"] = [dict(r, problem=f"{r['problem']} {i}", text=f"{r['text']} {i}")
                                   for r in contents["results"] for i in range(6)]
        words = self.draw("roofline", self.changed(more))
        self.assertIn("large: fastest", words)
        self.assertFalse(any("resnet50" in word for word in words)) # no room for 108 names

    def test_numbers_do_not_overlap(self):
        self.draw("roofline", NEW)
        at = re.findall(r'<text style="font: 8px[^"]*"[^>]*transform="translate\(([\d.]+) ([\d.]+)\)[^>]*>(\d+)</text>',
                        self.svg)
        at = at or re.findall(r'font: 8px[^"]*"[^>]*x="([\d.]+)" y="([\d.]+)"[^>]*>(\d+)</text>', self.svg)
        self.assertEqual(len(at), 18)
        boxes = [(float(x), float(y), 5 * len(text)) for x, y, text in at]
        for i, (x, y, w) in enumerate(boxes):
            for other_x, other_y, other_w in boxes[:i]:
                self.assertTrue(abs(x - other_x) > (w + other_w) / 2 - 1 or abs(y - other_y) > 7,
                                f"{at[i]} lies on another")

    def test_against_rival(self):
        words = self.draw("bars", NEW)
        self.assertIn("forward", words)
        self.assertIn("backward data", words)
        self.assertIn("time of cuDNN 9.19.0 over this one's", words)
        self.assertIn("resnet50 stage 3 3x3 stride 2", words)
        self.assertEqual(sum(word.startswith("geometric mean ") and " of 9, " in word for word in words), 2)
        self.assertIn("0.141", words) # ms
        self.assertLess(words.index("1x1"), words.index("depthwise")) # by kind

    def test_against_file(self):
        words = self.draw("bars", NEW, OLD)
        self.assertTrue(any("ck-conv 0.8, 1c7718e" in word for word in words))
        self.assertEqual(sum(" of 8, " in word for word in words), 2)
        self.assertFalse(any("mobilenet" in word for word in words))
        self.assertIn("2 of 18 problems are not in", run("bars", NEW, OLD, "--out", self.out).stderr)

    def test_sorted(self):
        words = self.draw("sorted", NEW)
        with open(NEW, encoding="utf-8") as file:
            rivals = {(r["direction"], r["problem"]): r["rival"]["ratio"] for r in json.load(file)["results"] if r.get("rival")}
        for direction in ("forward", "backward data"):
            least = min(ratio for (of, _), ratio in rivals.items() if of == direction)
            self.assertTrue(any(word.startswith(direction + ": geometric mean ") and word.endswith(f" of 9, least {least:.2f}")
                                for word in words), words)
        self.assertIn("above 1 this one is faster", words)
        # From the lowest to the highest: a marker for each problem, whose places in the SVG never go down.
        at = [(float(x), float(y)) for x, y in re.findall(r'<use xlink:href="#\w+" x="([\d.]+)" y="([\d.]+)" style="fill: #0072b2',
                                                          self.svg)]
        line = sorted(at)[-9:]
        self.assertEqual(len(line), 9)
        self.assertEqual([y for _, y in line], sorted((y for _, y in line), reverse=True))

    def test_sorted_against_file(self):
        words = self.draw("sorted", NEW, OLD)
        self.assertTrue(any(" of 8, least " in word for word in words))

    def test_networks(self):
        words = self.draw("networks", NETWORKS)
        for text in ("training, 64 images: geometric mean ", "inference, 64 images: geometric mean ", "inference, 1 image: geometric mean "):
            self.assertEqual(sum(word.startswith(text) for word in words), 1, words)
        with open(NETWORKS, encoding="utf-8") as file:
            tables = {table["name"].split(",")[0]: table["rows"] for table in json.load(file)["tables"]}
        rows = tables["training by fuse()"] + tables["more networks by fuse()"]
        least = min(row[3] for row in rows)
        self.assertTrue(any(word.startswith("training") and word.endswith(f" of {len(rows)}, least {least:.2f}") for word in words), words)
        self.assertIn("times as fast as PyTorch", words)
        self.assertIn("NVIDIA H200", words)

    def test_networks_not_measured(self):
        """A cell "-" is not a point; one image comes from columns of its own."""
        def table(name, columns, *rows):
            return {"name": name + ", f16", "columns": ["network", *columns], "rows": [[f"n{i}", *row] for i, row in enumerate(rows)]}
        path = os.path.join(self.folder, "networks.json")
        tables = [table("training by fuse()", ["ratio"], [2.0], ["-"]), table("more networks by fuse()", ["ratio", "ratio "], [8.0, 3.0]),
                  table("inference by fuse()", ["ratio", "ratio "], [12.0, "-"], ["-", 5.0]), table("one image by fuse()", ["ratio"], [20.0])]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"device": "a GPU", "tables": tables}, file)
        words = self.draw("networks", path)
        self.assertIn("training, 64 images: geometric mean 4.00 of 2, least 2.00", words)
        self.assertIn("inference, 64 images: geometric mean 6.00 of 2, least 3.00", words)
        self.assertIn("inference, 1 image: geometric mean 10.00 of 2, least 5.00", words)

    def test_picture_of_networks_is_drawn_from_its_data(self):
        with open(NETWORKS, "rb") as file:
            drawn_from = f"whole_networks.json {hashlib.sha256(file.read()).hexdigest()}"
        with open(os.path.join(HERE, "..", "..", "docs", "pictures", "whole_networks.svg"), encoding="utf-8") as svg:
            self.assertIn(drawn_from, svg.read(), "docs/performance.md has the command that draws it anew")

    def test_wrong_networks(self):
        out = ("--out", self.out)
        self.refused("it has no list 'tables'", "networks", NEW, *out)
        self.refused("networks: one FILE, no OTHER", "networks", NETWORKS, OLD, *out)
        self.refused("no table 'training by fuse()' with a column 'ratio'", "networks", SCALING, *out)

    def test_ratio_of_files(self):
        def slower(contents):
            for r in contents["results"]:
                for key in ("ms", "ms_low", "ms_high"):
                    r[key] *= 1.5
        words = self.draw("bars", NEW, self.changed(slower))
        self.assertEqual(words.count("1.50"), 18)
        self.assertIn("geometric mean 1.50 of 9, least 1.50", words)

    def test_chosen_problems(self):
        words = self.draw("bars", NEW, "--problems", "stage 2|c4 k4")
        self.assertIn("resnext50 32x4d 3x3", words)
        self.assertNotIn("resnet50 stage 3 3x3", words)

    def test_same_input_same_file(self):
        self.draw("roofline", NEW)
        first = self.svg
        result = subprocess.run([PLOT, "roofline", NEW, "--out", self.out], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.out + ".svg", encoding="utf-8") as svg:
            self.assertEqual(first, svg.read())

    def curve(self, contents):
        path = os.path.join(self.folder, "curve.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(contents, file)
        return path

    def test_curve(self):
        points = [{"step": 5 * i, "loss": 1 / i, "accuracy": 30 * i} for i in (1, 2, 3)]
        words = self.draw("curve", self.curve({"title": "a network", "device": "host", "curve": points}))
        for word in ("a network, host", "step", "loss", "accuracy, %", "14", "100"):
            self.assertIn(word, words)

    def test_wrong_curve(self):
        out = ("--out", self.out)
        self.refused("no list 'curve'", "curve", NEW, *out)
        self.refused("no list 'curve'", "curve", self.curve({"curve": []}), *out)
        self.refused("point 0 of 'curve' has no number 'loss'", "curve", self.curve({"curve": [{"step": 1}]}), *out)
        self.refused("curve: one FILE, no OTHER", "curve", NEW, OLD, *out)

    def test_kernel(self):
        result = run("kernel", KERNEL, "--out", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        words = {}
        for name in ("tiles", "taps", "copies", "lanes", "schedules"):
            with open(f"{self.out}_{name}.svg", encoding="utf-8") as svg:
                words[name] = re.findall(r"<text[^>]*>([^<]*)</text>", svg.read())
        self.assertIn("block 3: rows 384 to 391", words["tiles"])
        self.assertIn("tap y = 2, x = 2", words["taps"])
        self.assertIn("2080, bank 8", words["copies"])
        self.assertIn("wave 3", words["lanes"])
        self.assertIn("63", words["lanes"])
        self.assertIn("DoubleBuffer: slices in LDS: 2", words["schedules"])

    def test_pictures_of_the_kernel_are_drawn_from_its_data(self):
        with open(KERNEL, "rb") as file:
            drawn_from = f"kernel.json {hashlib.sha256(file.read()).hexdigest()}"
        for name in ("tiles", "taps", "copies", "lanes", "schedules"):
            with open(KERNEL.replace(".json", f"_{name}.svg"), encoding="utf-8") as svg:
                self.assertIn(drawn_from, svg.read(), f"{name}: script/plot kernel {KERNEL} --out {KERNEL[:-5]} draws it anew")

    def test_wrong_kernel(self):
        out = ("--out", self.out)
        self.refused("it has no 'tuning'", "kernel", NEW, *out)
        self.refused("kernel: one FILE, no OTHER", "kernel", KERNEL, OLD, *out)

    def test_wrong_input(self):
        out = ("--out", self.out)
        self.refused("cannot read nowhere.json", "roofline", "nowhere.json", *out)
        self.refused("is not JSON", "roofline", __file__, *out)
        self.refused("no list 'results'", "bars", self.changed(lambda c: c.pop("results")), *out)
        self.refused("entry 2 of 'results' has no 'ms'", "bars", self.changed(lambda c: c["results"][2].pop("ms")),
                     *out)
        self.refused("has no 'gbytes'", "roofline", self.changed(lambda c: c["results"][2].pop("gbytes")), *out)
        self.refused("no result with a time", "roofline",
                     self.changed(lambda c: [r.update(ms=None) for r in c["results"]]), *out)
        self.refused("run ckProfiler with --rival, or name a second file", "bars", OLD, *out)
        self.refused("have no problem in common", "bars", NEW,
                     self.changed(lambda c: [r.update(type="bf16") for r in c["results"]]), *out)
        self.refused("no result of a problem that matches 'vgg'", "bars", NEW, "--problems", "vgg", *out)
        self.refused("'(' is not a regular expression", "bars", NEW, "--problems", "(", *out)
        self.refused("there is no folder", "bars", NEW, "--out", os.path.join(self.folder, "none", "picture"))
        self.refused("roofline: one FILE, no OTHER", "roofline", NEW, OLD, *out)
        self.refused("--out", "roofline", NEW)
        self.assertEqual(os.listdir(self.folder), ["changed.json"]) # no picture of wrong input

    def test_help(self):
        result = subprocess.run([PLOT, "--help"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0)
        for word in ("roofline", "bars", "--out", "--problems"):
            self.assertIn(word, result.stdout)


if __name__ == "__main__":
    PLOT = os.path.abspath(sys.argv.pop(1))
    if importlib.util.find_spec("matplotlib") is None:
        print("SKIPPED: matplotlib is not installed (Debian: apt install python3-matplotlib)")
        sys.exit(0)
    unittest.main()
