#!/usr/bin/python3
"""script/compare_torch networks with networks of the user, path/to/file.py:function, on the CPU."""
import collections
import dataclasses
import json
import os
import textwrap
import unittest

from needs_torch import torch

from test_compare_torch import Folder, run

from comparison import networks, own_networks, problems

FILE = """
    import dataclasses
    import torch
    from torch import nn
    from neighbour import CHANNELS

    @dataclasses.dataclass
    class Result:
        name: str
        sample: torch.Tensor

    class Several(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Conv2d(3, CHANNELS, 3, bias=False)
            self.norm = nn.BatchNorm2d(CHANNELS)
            self.steps = nn.Embedding(10, CHANNELS)
            self.volumes = nn.Conv3d(2, CHANNELS, 3)

        def forward(self, x, step, volume, scale, mask=None):
            assert x.dtype == volume.dtype and step.dtype == torch.long and step.dim() == 0 and mask is None
            assert len(x) == len(volume)
            sizes.append((len(x), x.is_contiguous(memory_format=torch.channels_last),
                          volume.is_contiguous(memory_format=torch.channels_last_3d)))
            y = self.norm(self.first(x)) + self.steps(step)[:, None, None]
            return Result("result", scale * (y + self.volumes(volume).mean(4)))

    sizes = []

    def several(images):
        return Several(), (torch.randn(images, 3, 6, 6), torch.tensor(3), torch.randn(images, 2, 6, 6, 6), 2, None)

    def single(images):
        return nn.Sequential(nn.Conv1d(2, 4, 3), nn.ReLU(), nn.Conv1d(4, 2, 3)), torch.randn(images, 2, 9)

    def lonely(images):
        return nn.Conv1d(2, 4, 3)

    def word(images):
        return nn.Conv1d(2, 4, 3), (torch.randn(images, 2, 9), "word")

    def empty(images):
        return nn.Conv1d(2, 4, 3), (None, torch.tensor(1))

    def fails(images):
        raise RuntimeError("not today")

    NUMBER = 3
"""


class OwnNetworks(Folder):
    def setUp(self):
        super().setUp()
        self.path = self.text("mine.py", textwrap.dedent(FILE))
        self.text("neighbour.py", "CHANNELS = 8\n")
        self.report = os.path.join(self.folder, "report.json")

    def text(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def measured(self, functions, *more):
        status, out, err = run("networks", "--networks", ",".join(f"{self.path}:{f}" for f in functions), "--device", "cpu",
                               "--images", "3", "--type", "f32", "--rounds", "1", "--json", self.report, *more)
        self.assertEqual(err, "")
        with open(self.report, encoding="utf-8") as file:
            return status, out, json.load(file)

    def test_each_mode(self):
        for fuse in ([], ["--fuse"]):
            status, out, report = self.measured(["several", "single"], "--accuracy", *fuse)
            self.assertEqual(status, 0, out)
            self.assertEqual([(r["network"], r["mode"], r["run"], r["images"], r["share"]) for r in report["rows"]],
                             [(name, mode, how, 3, 1) for name in ("several", "single") for mode in ("training", "inference")
                              for how in ("eager", "graph")])
            for r in report["rows"]:
                self.assertTrue(0 < r["error"] < 1e-6 and 0 < r["its_error"] < 1e-6)

    def test_layouts_and_two_images_for_accuracy(self):
        for layout in ("channels_last", "channels_first"):
            self.measured(["several"], "--layout", layout, "--runs", "eager")
            module = own_networks._module(self.path)
            last = layout == "channels_last"
            self.assertEqual(set(module.sizes), {(2, last, last), (3, last, last)})
            module.sizes.clear()

    def test_training_minimises_the_squares(self):
        network = own_networks.OwnNetwork(f"{self.path}:single", 4)
        model = network.build()
        self.assertEqual(network.batch, 4)
        inputs = network.inputs("cpu", torch.float64)
        self.assertEqual([(x.dtype, x.shape) for x in inputs], [(torch.float64, (4, 2, 9))])
        model = model.double()
        self.assertEqual(network.loss(model, inputs, None), model(*inputs).float().square().mean())

    def test_the_first_tensor_of_a_result(self):
        number, wanted = torch.tensor(1), torch.tensor(2.0)

        @dataclasses.dataclass
        class Data:
            number: object
            wanted: object
        later = torch.tensor(3.0)
        pair = collections.namedtuple("pair", "a b")
        for result in (wanted, [None, (number, wanted), later], {"a": number, "b": {"c": wanted}, "d": later},
                       Data("word", [wanted, later]), pair(Data(number, wanted), later)):
            self.assertIs(networks.first_tensor(result), wanted)
        with self.assertRaisesRegex(TypeError, "a list, has no tensor of floating-point numbers"):
            networks.first_tensor([number, None])

    def test_a_function_that_fails_leaves_the_others(self):
        status, out, report = self.measured(["fails", "single"], "--runs", "eager")
        self.assertEqual(status, 1)
        self.assertIn("FAILED fails training : RuntimeError: not today", out)
        self.assertEqual({r["network"] for r in report["rows"]}, {"single"})

    def test_wrong_input(self):
        broken = self.text("broken.py", "import no_such_package\n")
        for name, wrong in ((os.path.join(self.folder, "none.py:f"), "there is no file .*none.py"),
                            (f"{self.path}:missing", "mine.py has no function 'missing'"),
                            (f"{self.path}:NUMBER", "mine.py has no function 'NUMBER'"),
                            (self.path, "which function of the file"), (f"{self.path}:", "which function of the file"),
                            (f"{broken}:f", "broken.py cannot be imported: .*no_such_package"),
                            (f"{self.path}:lonely", r"lonely\(3\) returns no pair"),
                            (f"{self.path}:word", r"word\(3\) is a str, neither a tensor"),
                            (f"{self.path}:empty", r"empty\(3\) is a tensor with a batch")):
            status, _, err = run("networks", "--networks", name, "--device", "cpu", "--images", "3", "--type", "f32")
            self.assertEqual(status, 2, name)
            self.assertRegex(err, wrong)

    def test_other_commands_refuse_them(self):
        for command in ("convolutions", "training", "gradients", "losses"):
            status, _, err = run(command, "--networks", f"{self.path}:single", "--device", "cpu")
            self.assertEqual(status, 2)
            self.assertIn("only the command 'networks'", err)

    def test_names(self):
        for name, own in (("a.py:f", True), ("a/b.py", True), ("resnet50", False), ("resnet50.pyramid", False)):
            self.assertEqual(own_networks.is_own(name), own)


if __name__ == "__main__":
    unittest.main()
