#!/usr/bin/python3
"""PyTorch's tensors as memory of Plan.run(), and what of the package is copied and pickled with PyTorch."""
import copy
import pickle
import unittest

from needs_torch import torch

import ck_conv
from ck_conv._conv import launch, layer
from torch._prims_common import suggest_memory_format
from torch.nn import functional as F


def plan_of(**fields):
    return ck_conv.Plan(ck_conv.Spec(**{"input": [6, 5], "filter": [3, 3], "n": 2, "k": 3, "c": 4, **fields}))


class ChannelsLast(unittest.TestCase):
    """A tensor is channels last where PyTorch says so, and results lie as PyTorch's do."""

    def tensors(self):
        last = torch.channels_last
        for size in ((2, 4, 3, 5), (2, 4, 1, 1), (4, 1, 3, 3), (4, 1, 1, 1), (1, 4, 1, 1), (1, 1, 1, 1), (2, 1, 1, 5)):
            yield torch.zeros(size)
            yield torch.zeros(size).to(memory_format=last)
        wide = torch.zeros(2, 6, 4, 5).to(memory_format=last)
        yield from (wide[:, :2], wide[:, :1], wide[:, :, ::2], wide[..., 1:3], wide.transpose(2, 3), wide.mean((2, 3), True))
        yield from (torch.zeros(4).view(1, 4, 1, 1).expand(2, 4, 3, 3), torch.zeros(2, 1, 3, 3).expand(2, 4, 3, 3),
                    torch.zeros(0, 4, 3, 3).to(memory_format=last), torch.zeros(2, 3, 5, 4).permute(0, 3, 1, 2))
        yield torch.zeros(2, 4, 3, 3, 3)
        yield torch.zeros(2, 4, 1, 1, 1).to(memory_format=torch.channels_last_3d)
        yield torch.zeros(4, 1, 3, 3, 3).to(memory_format=torch.channels_last_3d)

    def test_as_pytorch_says(self):
        for t in self.tensors():
            with self.subTest(size=tuple(t.shape), stride=t.stride()):
                says = suggest_memory_format(t) in (torch.channels_last, torch.channels_last_3d)
                self.assertEqual(launch.is_channels_last(t), says)

    def test_weights_decide(self):
        """A network of channels last that gets, in its middle, a tensor of channels first (as channel shuffles make)."""
        x = torch.randn(2, 8, 5, 6)
        for conv in (torch.nn.Conv2d(8, 4, 1), torch.nn.Conv2d(8, 8, 3, groups=8), torch.nn.Conv2d(8, 3, 3),
                     torch.nn.ConvTranspose2d(8, 4, 1)):
            for kept in (torch.contiguous_format, torch.channels_last):
                ours = ck_conv.replace(conv.to(memory_format=kept))
                with self.subTest(conv=conv, kept=kept):
                    for y in (ours(x), torch.jit.script(ours)(x)):
                        self.assertTrue(y.is_contiguous(memory_format=kept))

class AsMemory(unittest.TestCase):
    def setUp(self):
        self.plan = plan_of(layout="channels_first")
        self.x, self.w, self.y = (torch.randn(size) for size in ((2, 4, 6, 5), (3, 4, 3, 3), (2, 3, 4, 3)))
        self.workspace = torch.empty(self.plan.workspace_size, dtype=torch.uint8)

    def run_with(self, **others):
        self.plan.run(**{"x": self.x, "w": self.w, "y": self.y, "workspace": self.workspace, **others})

    def test_result(self):
        self.run_with()
        torch.testing.assert_close(self.y, F.conv2d(self.x, self.w))

    def test_types(self):
        types = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
                 "i8": torch.int8}
        for word, dtype in types.items():
            plan = plan_of(type=word)
            x, w, y = (t.detach().to(dtype) for t in (self.x, self.w, self.y))
            workspace = torch.empty(plan.workspace_size, dtype=torch.uint8)
            plan.run(x, w, y, workspace=workspace)
            plan.run(x.view(torch.uint8) if dtype != torch.uint8 and dtype.is_floating_point else x, w, y,
                     workspace=workspace)  # bytes
            for other in (torch.int32, torch.bool, *(t for t in types.values() if t != dtype)):
                with self.assertRaisesRegex(ck_conv.Refused, f"w has elements of .*, but must have {word}"):
                    plan.run(x, torch.zeros(999, dtype=other), y, workspace=workspace)

    def test_what_does_not_fit(self):
        for given, text in (({"x": self.x[:1]}, "x has 480 bytes, but must have 960"),
                            ({"x": self.x.transpose(0, 1)}, "x is not contiguous"),
                            ({"y": self.y.to(memory_format=torch.channels_last)}, "y is not contiguous"),
                            ({"x": torch._neg_view(self.x)}, "x is a lazy negation"),
                            ({"x": self.x.to("meta")}, "x is a tensor of torch.strided on meta"),
                            ({"x": self.x.to_sparse()}, "x is a tensor of torch.sparse_coo on cpu"),
                            ({"workspace": self.workspace[:-1]}, r"workspace has \d+ bytes"),
                            ({"workspace": None}, "workspace is null")):
            with self.assertRaisesRegex(ck_conv.Refused, text):
                self.run_with(**given)

    def test_parameters(self):
        self.run_with(w=torch.nn.Parameter(self.w))
        torch.testing.assert_close(self.y, F.conv2d(self.x, self.w))


class Copies(unittest.TestCase):
    """What calls remember is no business of a model's copies."""

    def test_of_what_is_remembered(self):
        layer.forget()
        x, w = torch.randn(1, 3, 7, 6), torch.randn(2, 3, 3, 3)
        expected = ck_conv.conv2d(x, w)
        remembered = [*layer._layers.values(), *launch._ready.values()]
        self.assertGreater(len(remembered), 1)
        for one in remembered:
            for way in (copy.deepcopy, pickle.dumps):
                with self.assertRaises((TypeError, ValueError, AttributeError)):
                    way(one)
        torch.testing.assert_close(ck_conv.conv2d(x, w), expected)

    def test_of_models(self):
        model, x = ck_conv.replace(torch.nn.Conv2d(3, 2, 3)), torch.randn(1, 3, 7, 6)
        expected = model(x)  # its layer is remembered
        for again in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            self.assertEqual(set(again.__dict__), set(model.__dict__))
            torch.testing.assert_close(again(x), expected)


if __name__ == "__main__":
    unittest.main(verbosity=2)
