#!/usr/bin/python3
"""script/compare_torch without a GPU: problems, tables, and all commands on the CPU, whose times mean nothing."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from needs_torch import torch

import ck_conv

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "..", "script", "compare_torch")
LOADER = importlib.machinery.SourceFileLoader("compare_torch", SCRIPT)
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_torch", LOADER))
LOADER.exec_module(script)

from comparison import described, detector, machine, networks, operands, problems, tables, video_and_volumes

TWO = [{"name": "groups", "ndim": 2, "G": 2, "N": 2, "C": 4, "K": 8, "filter": [3, 3], "input": [6, 5], "strides": [2, 1],
        "dilations": [1, 1], "pads_left": [1, 1], "pads_right": [1, 1]},
       {"name": "line", "ndim": 1, "G": 1, "N": 2, "C": 3, "K": 4, "filter": [3], "input": [9], "strides": [1],
        "dilations": [2], "pads_left": [2], "pads_right": [2]}]
CAUSAL = {**TWO[1], "name": "causal", "pads_left": [4], "pads_right": [0]}


def run(*arguments):
    """(status, what it printed, its errors)"""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), \
            mock.patch.object(sys, "argv", [SCRIPT, *arguments]):
        try:
            status = script.main()
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


def row(**changes):
    return {"name": "p", "source": "net", "network": True, "layout": "channels_last", "type": "bf16", "direction": "forward",
            "count": 1, "ms": 1.0, "rival": 2.0, "ratio": 2.0, "kernel": "Xdl<>", "error": 1e-3, "bad": False, **changes}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, contents, name="few.json"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(contents, file)
        return path


class Problems(Folder):
    def test_words_and_lengths(self):
        (groups, _), (line, _) = problems.from_file(self.file({"problems": TWO}))
        self.assertEqual(groups.text(), "g2 n2 c2 k4 in6x5 f3 s2x1 p1")
        self.assertEqual(groups.output, (3, 5))
        self.assertEqual(groups.sizes, {"x": (2, 4, 6, 5), "w": (8, 2, 3, 3), "y": (2, 8, 3, 5)})
        self.assertEqual(groups.flops, 2 * 2 * 8 * 15 * 2 * 9)
        self.assertEqual(line.text(), "n2 c3 k4 in9 f3 d2 p2")

    def test_wrong_files_say_what_is_wrong(self):
        for contents, text in (([], "no list 'problems'"), ({"problems": [{"name": "x"}]}, "entry 0 of 'problems' has no"),
                               ({"problems": [{**TWO[0], "input": [4]}]}, "'input' has 1 values"),
                               ({"problems": [{**TWO[0], "C": 5}]}, "C is 5, no multiple of G"),
                               ({"problems": [{**TWO[0], "input": [0, 5], "pads_left": [0, 1]}]}, "shorter than")):
            with self.assertRaisesRegex(problems.WrongInput, text):
                problems.from_file(self.file(contents))

    def test_numbers_that_are_not_whole(self):
        for field in problems.FIELDS[1:]:
            is_list = isinstance(TWO[0][field], list)
            for value in (2.7, 2.0, True, "2", None):
                given = [1, value] if is_list else value
                with self.assertRaisesRegex(problems.WrongInput, rf"few.json: entry 1 of 'problems' \(groups\): {field} "
                                                                 "is .*, but must be a whole number"):
                    problems.from_file(self.file({"problems": [TWO[0], {**TWO[0], field: given}]}))
            for value in (-1,) if field in ("N", "input") else () if field.startswith("pads") else (0, -1):
                with self.assertRaisesRegex(problems.WrongInput, rf"{field} is {value}, but must be at least [01]"):
                    problems.from_file(self.file({"problems": [{**TWO[0], field: [1, value] if is_list else value}]}))
            if is_list:
                with self.assertRaisesRegex(problems.WrongInput, rf"{field} is 3, but must be a list of whole numbers"):
                    problems.from_file(self.file({"problems": [{**TWO[0], field: 3}]}))
        with self.assertRaisesRegex(problems.WrongInput, "ndim is 4, but must be 1, 2 or 3"):
            problems.from_file(self.file({"problems": [{**TWO[0], "ndim": 4}]}))

    def test_the_same_convolution_is_one_task_and_other_pads_are_left_out(self):
        pairs = problems.from_file(self.file({"problems": [*TWO, {**TWO[0], "name": "again"}, CAUSAL]}))
        tasks, left_out = problems.together(pairs, ["forward"])
        self.assertEqual([[use.name for use in uses] for uses in tasks.values()], [["groups", "again"], ["line"]])
        self.assertEqual([use.name for use in left_out], ["causal"])
        self.assertEqual(list(problems.together(pairs, ["forward"], "^line")[0]), [pairs[1][0]])
        self.assertEqual(list(problems.together(pairs, ["forward"], "s2x1")[0]), [pairs[0][0]])

    def test_shards_are_all_and_none_twice(self):
        tasks = {i: [] for i in range(7)}
        shards = [problems.shard(tasks, f"{i}/3") for i in range(3)]
        self.assertEqual(sorted(i for part in shards for i in part), list(range(7)))
        for wrong in ("3/3", "1", "-1/3", "0/0"):
            with self.assertRaisesRegex(problems.WrongInput, "I/N"):
                problems.shard(tasks, wrong)


class Descriptions(unittest.TestCase):
    def test_reports_name_no_commit_without_git(self):
        with mock.patch.dict(os.environ, {"PATH": ""}):
            self.assertEqual(machine.description(mock.Mock())["library"], ck_conv.version())


class Networks(unittest.TestCase):
    def test_counts_and_batches(self):
        found = networks.convolutions(networks.Network("unet3d_16", 128), "cpu")
        counts = {problem.text(): tuple(use.counts.values()) for problem, use in found}
        self.assertEqual(counts["n2 c1 k32 in16x16x16 f3 p1"], (1, 0, 1))  # the input of the network has no gradient
        self.assertEqual(counts["n2 c32 k32 in16x16x16 f3 p1"], (2, 2, 2))
        self.assertEqual(counts["transposed n2 c64 k32 in8x8x8 f2 s2"], (1, 1, 1))
        self.assertEqual(len(found), 15)

    def test_unknown_names(self):
        with self.assertRaisesRegex(problems.WrongInput, "multiple of 8"):
            networks.Network("unet3d_12", 1)
        with self.assertRaisesRegex(problems.WrongInput, "unknown: torchvision .*; timm "):
            networks.Network("no_such_network", 1).build()

    def test_video_and_volumes_by_name(self):
        for name, images, batch, size in (
                ("image_decoder_1024", 1, 1, (16, 128, 128)), ("video_decoder_480x832", 64, 1, (16, 3, 60, 104)),
                ("nnunet_128", 64, 2, (1, 128, 128, 128)), ("mednext_96", 1, 1, (1, 96, 96, 96)),
                ("audio_decoder_10", 1, 1, (1024, 860)), ("detector_640", 1, 1, (3, 640, 640))):
            network = networks.Network(name, images)
            self.assertEqual((network.batch, network.size), (batch, size))
        for name, wrong in (("nnunet_96", "multiple of 64, not 96"), ("video_decoder_480x834", "multiple of 8, not 834"),
                            ("audio_decoder_0", "not 0"), ("detector_650", "multiple of 32, not 650")):
            with self.assertRaisesRegex(problems.WrongInput, wrong):
                networks.Network(name, 1)
        self.assertIsNone(described.found("nnunet_"))

    def test_sizes_of_their_results(self):
        for model, given, result in (
                (video_and_volumes.ImageDecoder((32,) * 4, 1), (16, 2, 2), (3, 16, 16)),
                (video_and_volumes.VideoDecoder((16, 16, 8, 4), 1), (16, 3, 2, 3), (3, 9, 16, 24)),
                (video_and_volumes.NnUNet(5, (2, 3, 4)), (1, 8, 8, 8), (5, 8, 8, 8)),
                (video_and_volumes.MedNext(5, 2, 2, 1), (1, 8, 8, 8), (5, 8, 8, 8)),
                (video_and_volumes.AudioDecoder(32, (8, 2)), (1024, 3), (1, 48)),
                (detector.Detector((4, 8, 8, 16, 16), (1, 1, 1, 1)), (3, 64, 32), (144, 42))):
            with torch.no_grad():
                self.assertEqual(model(torch.randn(1, *given)).shape, (1, *result))

    def test_weights_of_images_and_volumes_in_one_network(self):
        model = networks.in_memory_format(video_and_volumes.VideoDecoder((16, 16, 8, 4), 1), torch.channels_last_3d)
        for name, weight in model.named_parameters():
            if weight.dim() in (4, 5) and "norm" not in name:
                last = torch.channels_last if weight.dim() == 4 else torch.channels_last_3d
                self.assertTrue(weight.is_contiguous(memory_format=last), name)
        model = networks.in_memory_format(torch.nn.Sequential(torch.nn.Conv3d(1, 8, 1), torch.nn.Conv3d(8, 8, 3, groups=8)),
                                          torch.channels_last_3d)
        for layer in model:  # of one channel
            self.assertEqual(layer.weight.stride(1), 1)

    def test_the_loss_of_fewer_classes_than_labels(self):
        x = torch.randn(3, 2, 5)
        loss = networks.Network("audio_decoder_1", 64).loss(torch.nn.Identity(), (x,), torch.tensor([0, 1, 999]))
        self.assertTrue(torch.equal(loss, torch.nn.functional.cross_entropy(x, torch.tensor([[0], [1], [1]]).expand(3, 5))))

    def test_networks_of_other_images(self):
        network = networks.Network("tiny", 1)
        network.size = (1, 16, 16)
        with self.assertRaisesRegex(problems.WrongInput, "tiny does not run on 1 x 16 x 16"):
            networks.convolutions(network, "cpu")


class Tables(Folder):
    def test_sums_of_a_network(self):
        rows = [row(), row(name="q", count=3, ms=2.0, rival=1.0, ratio=0.5), row(name="r", rival=None, ratio=None)]
        self.assertEqual(tables.sums(rows), (7.0, 5.0))
        text = "\n".join(tables.tables({"rows": rows, "failed": [], "left_out": []}))
        self.assertRegex(text, r"net +\| 7.000 +\| 5.000 +\| 0.71 +\| 0.71 +\| - +\| - ")
        self.assertIn("NO RIVAL net r forward", text)
        self.assertRegex(text, r"net +\| q +\| forward +\| 3 ")

    def test_means_of_a_file(self):
        rows = [row(network=False, source="few"), row(network=False, source="few", name="q", ratio=0.5)]
        text = "\n".join(tables.tables({"rows": rows, "failed": [], "left_out": []}))
        self.assertRegex(text, r"few +\| forward +\| 2 +\| 1.00 +\| 0.50 +\| q +\| 1 ")

    def test_kernels_faster_than_the_predicted_choice(self):
        rows = [row(also=[{"allow": "^Dl<", "kernel": "Dl<2>", "ms": 0.5}]), row(name="q", also=[])]
        text = "\n".join(tables.tables({"rows": rows, "failed": [], "left_out": []}))
        self.assertIn("faster than the predicted choice: 1 of 1", text)
        self.assertRegex(text, r"net +\| p +\| forward +\| 1.0000 +\| 0.5000 +\| Xdl<> +\| Dl<2> ")

    def test_files_are_merged_and_a_row_is_in_one(self):
        first = self.file({"device": "H", "rows": [row()], "failed": [], "left_out": ["x"]}, "a.json")
        second = self.file({"device": "H", "rows": [row(name="q", bad=True)], "failed": [], "left_out": ["x"]}, "b.json")
        report = tables.read([first, second])
        self.assertEqual([r["name"] for r in report["rows"]], ["p", "q"])
        self.assertEqual((report["device"], report["left_out"]), ("H", ["x"]))
        status, out, _ = run("convolutions", "--merge", first, second)
        self.assertEqual(status, 1)
        self.assertIn("BAD net q forward", out)
        self.assertEqual(run("convolutions", "--merge", first)[0], 0)
        status, _, err = run("convolutions", "--merge", first, first)
        self.assertEqual(status, 2)
        self.assertIn("that another file has, too: net p forward", err)


class StandIn:
    """For a GPU: a clock in ms, and torch.cuda's events and graphs that go by it. A launch takes `ms`, and `late` more where
    no graph has it."""

    def __init__(self, ms, late):
        self.now, self.capturing = 0, None
        this = self

        class Event:
            def __init__(self, enable_timing):
                assert enable_timing

            def record(self):
                self.at = this.now

            def elapsed_time(self, other):
                return other.at - self.at

            def synchronize(self):
                pass

        class Graph:
            def capture_begin(self):
                self.sets, this.capturing = [], self

            def capture_end(self):
                this.capturing = None

            def replay(self):
                this.now += ms * len(self.sets)
                this.replayed.append(self)

        def launch(tensors):
            if self.capturing:
                self.capturing.sets.append(tensors)
            else:
                self.now += ms + late

        self.replayed, self.launch = [], launch
        self.patched = mock.patch.multiple(torch.cuda, is_available=lambda: True, Stream=mock.Mock(), set_stream=mock.Mock(),
                                           synchronize=mock.Mock(), Event=Event, CUDAGraph=Graph)


class Graphs(unittest.TestCase):
    def prepared(self, stand_in, sets):
        cuda, side = machine.Cuda(), machine.Side("it", stand_in.launch)
        cuda.prepare(side, sets)
        return cuda, side

    def test_a_graph_has_two_milliseconds_whatever_a_launch_alone_takes(self):
        for ms, launches in ((0.004, 500), (0.1, 20), (0.7, 3), (5, 1), (0.0001, machine.MOST_LAUNCHES)):
            stand_in = StandIn(ms, late=0.02)
            with stand_in.patched:
                _, side = self.prepared(stand_in, ["a", "b", "c"])
            self.assertAlmostEqual(side.launches, launches, delta=0.3 * launches)
            self.assertAlmostEqual(side.guess, ms)
            self.assertEqual(side.graph.sets, ["abc"[i % 3] for i in range(side.launches)])

    def test_turns(self):
        stand_in = StandIn(0.5, late=0)
        with stand_in.patched:
            cuda, first = self.prepared(stand_in, ["a"])
            second = machine.Side("other", stand_in.launch)
            cuda.prepare(second, ["a"])
            stand_in.replayed.clear()
            cuda.turns([first, second], ["a"], rounds=3, warm_ms=4)
        a, b = first.graph, second.graph
        self.assertEqual(stand_in.replayed, [a, a, b, b, a, b, b, a, a, b])
        self.assertEqual((len(first.times), first.ms, first.spread), (3, 0.5, 0))


class Commands(Folder):
    def convolutions(self, *more):
        report = os.path.join(self.folder, "report.json")
        status, out, _ = run("convolutions", "--device", "cpu", "--type", "f32", "--rounds", "1", "--json", report, *more)
        with open(report, encoding="utf-8") as file:
            return status, out, json.load(file)

    def test_each_direction_in_each_layout(self):
        path = self.file({"problems": [*TWO, CAUSAL]})
        for layout in ("channels_last", "channels_first"):
            status, out, report = self.convolutions("--problems", path, "--layout", layout)
            self.assertEqual(status, 0, out)
            self.assertEqual(len(report["rows"]), 6)
            for r in report["rows"]:
                self.assertLess(r["error"], 1e-6)
                self.assertGreater(r["ms"], 0)
                self.assertGreater(r["predicted"], 0)
            self.assertIn("LEFT OUT few causal", out)

    def test_transposed_convolutions(self):
        module = torch.nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2)
        tiny = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 1), module)
        with mock.patch.object(networks, "_tiny", lambda: tiny):
            status, out, report = self.convolutions("--networks", "tiny", "--images", "2", "--filter", "transposed")
        self.assertEqual(status, 0, out)
        self.assertEqual([r["direction"] for r in report["rows"]], list(problems.DIRECTIONS))

    def test_a_wrong_result_is_bad(self):
        path = self.file({"problems": TWO[:1]})
        with mock.patch.object(ck_conv.Plan, "run", lambda *_, **__: None):  # the result stays NaN
            status, out, report = self.convolutions("--problems", path, "--directions", "forward")
        self.assertEqual(status, 1)
        self.assertIn("BAD few groups forward", out)
        self.assertTrue(report["rows"][0]["bad"])

    def test_an_error_above_the_bound_is_bad(self):
        path = self.file({"problems": TWO[:1]})
        with mock.patch.dict(operands.BOUNDS, f32=1e-12):
            self.assertEqual(self.convolutions("--problems", path, "--directions", "forward")[0], 1)

    def test_what_fails_is_said_and_the_others_are_measured(self):
        path = self.file({"problems": TWO})
        made = ck_conv.Plan.__init__

        def fails(plan, spec, **options):
            if spec.rank == 1:
                raise ck_conv.Refused("no kernel today")
            made(plan, spec, **options)

        with mock.patch.object(ck_conv.Plan, "__init__", fails):
            status, out, report = self.convolutions("--problems", path, "--directions", "forward")
        self.assertEqual(status, 1)
        self.assertEqual([r["name"] for r in report["rows"]], ["groups"])
        self.assertEqual([(f["name"], f["why"]) for f in report["failed"]], [("line", "Refused: no kernel today")])
        self.assertIn("FAILED few line forward: Refused: no kernel today", out)

    def test_other_kernels_too(self):
        path = self.file({"problems": TWO[:1]})
        status, out, report = self.convolutions("--problems", path, "--directions", "forward", "--also", "^Dl<", "--also",
                                                "^None<")
        self.assertEqual(status, 0, out)
        self.assertTrue(report["rows"][0]["also"][0]["kernel"].startswith("Dl<"))
        self.assertEqual(len(report["rows"][0]["also"]), 1)
        self.assertIn("^None<: Refused", report["rows"][0]["notes"][0])

    def test_other_types_and_products_of_matrices(self):
        path = self.file({"problems": [{**TWO[0], "name": "patches", "G": 1, "filter": [2, 2], "input": [4, 6],
                                        "strides": [2, 2], "dilations": [1, 1], "pads_left": [0, 0], "pads_right": [0, 0]},
                                       TWO[0]]})
        status, out, report = self.convolutions("--problems", path, "--types", "i8,f16", "--product")
        self.assertEqual(status, 0, out)
        timed = [[other["name"] for other in row["beside"]] for row in report["rows"]]
        self.assertEqual(timed[0], ["i8", "f16", "product"])
        self.assertEqual(timed[3], ["i8", "f16"])  # groups
        self.assertRegex(out, r"few +\| forward +\| product +\| 1 +\| [0-9.]+ +\| [0-9.]+ +\| patches ")
        status, out, report = self.convolutions("--problems", path, "--types", "f8", "--directions", "backward_weight")
        self.assertRegex(report["rows"][0]["notes"][0], "^f8: ")

    def test_a_capture_that_fails_stops_the_rest(self):
        """PyTorch refuses what comes after it in the same process."""
        from comparison import whole_networks

        class Graph:
            def __init__(self, *_, **__):
                pass

            def __enter__(self):
                pass

            def __exit__(self, *_):
                raise RuntimeError("operation failed due to a previous error during capture")

        made = whole_networks.Work

        def work(machine, model, call, captured):
            if captured and not isinstance(machine, mock.Mock):
                whole_networks._capture(mock.Mock(), call)
            return made(machine, model, call, captured)

        with mock.patch.multiple(torch.cuda, CUDAGraph=mock.Mock, graph=Graph, current_stream=mock.Mock()), \
                mock.patch.object(whole_networks, "Work", work):
            status, out, _ = run("networks", "--networks", "tiny,unet3d_8,resnet18", "--images", "2", "--device", "cpu", "--type", "f32",
                              "--modes", "inference,training", "--runs", "eager,graph", "--rounds", "1")
        self.assertEqual(status, 1)
        self.assertEqual(out.count("FAILED tiny inference graph: CaptureFailed: RuntimeError: operation failed"), 2, out)
        self.assertIn("STOPPED: a CUDA graph of tiny could not be captured", out)
        self.assertIn("run them again: --networks unet3d_8,resnet18", out)
        self.assertIn("tiny inference eager", out)
        self.assertNotIn("unet3d_8 inference", out)

    def test_whole_networks(self):
        cpu = ("--networks", "tiny", "--device", "cpu")
        status, out, err = run("training", *cpu, "--images", "2", "--type", "f32", "--steps", "1", "--rounds", "1")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"\| tiny +\| 2 ")
        self.assertIn("forward and backward", out)
        status, out, err = run("gradients", *cpu, "--images", "2", "--types", "f32,bf16")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"\| tiny +\| bf16 ")
        status, out, err = run("losses", *cpu, "--images", "2", "--type", "f32", "--steps", "2", "--seeds", "1")
        self.assertEqual((status, err), (0, ""))

    def test_networks_in_each_mode(self):
        arguments = "networks", "--networks", "tiny", "--device", "cpu", "--images", "2", "--type", "f32", "--rounds", "1"
        path = os.path.join(self.folder, "networks.json")
        status, out, err = run(*arguments, "--accuracy", "--json", path)
        self.assertEqual((status, err), (0, ""))
        with open(path) as file:
            report = json.load(file)
        self.assertEqual([(r["mode"], r["run"], r["share"], r["left"]) for r in report["rows"]],
                         [(mode, run, 1, 0) for mode in ("training", "inference") for run in ("eager", "graph")])
        for r in report["rows"]:
            self.assertAlmostEqual(r["ratio"], r["ours"]["rate"] / r["its"]["rate"])
            self.assertTrue(0 < r["error"] < 1e-6 and 0 < r["its_error"] < 1e-6)
        self.assertRegex(out, r"\| inference +\| graph +\| 1 ")
        rates = [[r[side]["rate"] for r in report["rows"] if r["mode"] == "inference"] for side in ("ours", "its")]
        best = f"{max(rates[0]) / max(rates[1]):.3f}"
        self.assertRegex(out, rf"\| inference +\| the fastest of these +\| 1 +\| {best} ")

    def test_fused_networks(self):
        arguments = "networks", "--networks", "tiny", "--device", "cpu", "--images", "2", "--type", "f32", "--rounds", "1"
        path = os.path.join(self.folder, "fused.json")
        conv, norm = torch.nn.Conv2d, torch.nn.BatchNorm2d
        tiny = torch.nn.Sequential(conv(3, 8, 3, 2), norm(8), torch.nn.ReLU(), conv(8, 8, 3), norm(8), conv(8, 16, 1),
                                   torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
        with mock.patch.object(networks, "_tiny", lambda: tiny):
            status, out, err = run(*arguments, "--fuse", "--accuracy", "--json", path)
        self.assertEqual((status, err), (0, ""))
        with open(path) as file:
            report = json.load(file)
        self.assertTrue(report["fuse"])
        self.assertEqual([(r["mode"], r["run"], r["share"], r["fused"], r["frozen"]) for r in report["rows"]],
                         [(mode, run, 1, fused, False) for mode, fused in (("training", 1), ("inference", 3))
                          for run in ("eager", "graph")])
        for r in report["rows"]:
            self.assertTrue(0 < r["error"] < 1e-6 and 0 < r["its_error"] < 1e-6)
        self.assertIn("3 convolutions fused", out)
        self.assertIn("1 batch norms fused", out)

    @unittest.skipIf(torch.__version__ < "2", "torch.compile is PyTorch 2's")
    def test_pytorchs_weights_are_frozen_where_ours_are_fused(self):
        froze, modes = [], []

        def compiled(model, mode):
            modes.append(mode)
            froze.append((isinstance(model, torch.fx.GraphModule), torch._inductor.config.freezing))
            return model

        arguments = "networks", "--networks", "tiny", "--device", "cpu", "--images", "2", "--type", "f32", "--rounds", "1"
        with mock.patch.object(torch, "compile", compiled):
            status, out, err = run(*arguments, "--fuse", "--modes", "inference", "--runs", "compiled,compiled_graph")
            self.assertEqual((status, err), (0, ""))
            self.assertEqual(froze, [(True, False), (False, True)] * 2)  # ours, PyTorch's
            self.assertIn("PyTorch's weights frozen", out)
            run(*arguments, "--modes", "inference", "--runs", "compiled")
            self.assertEqual(froze[4:], [(False, False)] * 2)
            self.assertEqual(set(modes), {None})
            _, out, _ = run(*arguments, "--modes", "inference", "--runs", "compiled", "--max-autotune")
            self.assertEqual(modes[-2:], ["max-autotune-no-cudagraphs"] * 2)
            self.assertIn("with max-autotune", out)

    def test_networks_that_are_hardly_replaced_fail(self):
        arguments = "networks", "--networks", "tiny", "--device", "cpu", "--images", "2", "--type", "f32", "--rounds", "1"
        replace = ck_conv.replace
        with mock.patch.object(ck_conv, "replace", lambda model, **o: replace(model, lambda name, _: name != "2", **o)):
            status, out, err = run(*arguments, "--modes", "inference", "--runs", "eager")
        self.assertEqual((status, err), (1, ""))
        # 8 filters of 3x3x3 at 8x8 and 16 of 1x1x8 at 8x8 of those and 8 of 3x3x1
        self.assertIn(f"{(27 * 8 + 8 * 16) / (27 * 8 + 9 * 8 + 8 * 16):.1%} of the convolutions' operations are", out)
        self.assertIn("PyTorch computes 2 (only() leaves it out)", out)

    def test_networks_refuse_nothing_and_unknown_names(self):
        for arguments, what in ((["networks"], "neither --networks nor --all"),
                                (["networks", "--all", "--modes", "sleep"], "'sleep' is none of training, inference"),
                                (["networks", "--all", "--runs", ""], "'' is none of eager, graph, compiled"),
                                (["networks", "--networks", "no_such", "--device", "cpu"], "'no_such' is unknown")):
            status, out, err = run(*arguments)
            self.assertEqual(status, 2, arguments)
            self.assertIn(what, err)

    def test_layers_with_biases(self):
        arguments = "biases", "--device", "cpu", "--small", "--type", "f32", "--rounds", "1", "--layers", "stem"
        status, out, err = run(*arguments)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"convnext_stem( +[0-9.]+){6}  \w")  # plain, operation, fused, separate, chosen, torch
        self.assertRegex(out, r"separate: [0-9.]+ times as long as plain, geometric mean of 1")
        right = ck_conv.Plan.run
        with mock.patch.object(ck_conv.Plan, "run", lambda plan, x, w, y, **more: right(plan, w, w, y, **more)):
            status, out, _ = run(*arguments)
        self.assertEqual(status, 1)
        self.assertIn("WRONG", out)
        self.assertEqual(run(*arguments[:-1], "no such layer")[0], 1)

    def test_layers_with_residuals(self):
        arguments = ("biases", "--device", "cpu", "--small", "--type", "f32", "--rounds", "1", "--layers", "resnet50_256",
                     "--epilogue", "bias+residual+relu")
        status, out, err = run(*arguments)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"resnet50_256( +[0-9.]+){6}  \w")
        right = ck_conv.Plan.run
        for name in "bias", "residual":
            with mock.patch.object(ck_conv.Plan, "run", lambda plan, x, w, y, **more: right(
                    plan, x, w, y, **{**more, name: more[name] and w})):
                status, out, _ = run(*arguments)
            self.assertEqual(status, 1, name)
            self.assertIn("WRONG", out)

    def test_batch_norms(self):
        path = os.path.join(self.folder, "norms.json")
        arguments = ("batch_norm", "--device", "cpu", "--small", "--type", "f32", "--rounds", "1", "--json", path)
        status, out, err = run(*arguments)
        self.assertEqual((status, err), (0, ""))
        with open(path) as file:
            rows = json.load(file)["rows"]
        self.assertEqual({network: sum(r["count"] for r in rows if r["network"] == network and r["direction"] == "forward")
                          for network in ("resnet50", "mobilenet_v2")}, {"resnet50": 53, "mobilenet_v2": 52})
        self.assertTrue(all(0 < r["error"] < 1e-5 and r["rate"] > 0 for r in rows))
        self.assertRegex(out, r"\| mobilenet_v2 +\| backward +\| 52 ")
        right = ck_conv._norm.batch_norm.Norm.backward

        def doubled(*arguments):
            return tuple(g if g is None else 2 * g for g in right(*arguments))

        with mock.patch.object(ck_conv._norm.batch_norm.Norm, "backward", doubled):
            status, out, _ = run(*arguments, "--layers", "resnet50 64x112")
        self.assertEqual(status, 1)
        self.assertIn("WRONG", out)

    def test_wrong_gradients_are_bad(self):
        right = ck_conv._conv.layer.Layer.backward

        def doubled(*arguments):
            return tuple(g if g is None else 2 * g for g in right(*arguments))

        with mock.patch.object(ck_conv._conv.layer.Layer, "backward", doubled):
            status, out, _ = run("gradients", "--networks", "tiny", "--device", "cpu", "--images", "2", "--types", "f32")
        self.assertEqual(status, 1)
        self.assertIn("BAD tiny f32", out)

    def test_list_needs_no_torch(self):
        with open(os.path.join(self.folder, "torch.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError('none here')\n")
        path = self.file({"problems": TWO})
        environment = {**os.environ, "PYTHONPATH": self.folder}
        command = [sys.executable, "-B", SCRIPT, "convolutions", "--problems", path]
        listed = subprocess.run([*command, "--list"], env=environment, capture_output=True, text=True, check=True).stdout
        self.assertIn("few line: n2 c3 k4 in9 f3 d2 p2, forward:1 backward_data:1 backward_weight:1", listed)
        refused = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("needs PyTorch", refused.stderr)

    def test_wrong_arguments(self):
        path = self.file({"problems": TWO})
        for arguments, text in ((["convolutions"], "neither --networks nor --problems"),
                                (["convolutions", "--problems", path, "--directions", "sideways"], "'sideways' is none of"),
                                (["convolutions", "--problems", path, "--filter", "nothing"], "nothing to measure"),
                                (["convolutions", "--problems", path, "--filter", "("], "not a regular expression"),
                                (["training"], "--networks does not say"),
                                (["gradients", "--networks", "tiny", "--device", "cpu", "--types", "i8"], "'i8'")):
            status, _, err = run(*arguments)
            self.assertEqual(status, 2)
            self.assertIn(text, err)

    @unittest.skipIf(torch.cuda.is_available(), "there is a CUDA device")
    def test_without_a_gpu(self):
        for arguments in (["convolutions", "--problems", self.file({"problems": TWO})], ["training", "--networks", "tiny"]):
            status, _, err = run(*arguments)
            self.assertEqual(status, 2)
            self.assertIn("no CUDA device", err)


if __name__ == "__main__":
    unittest.main()
