#!/usr/bin/python3
"""Replicate, reflect and circular padding of channels-last tensors in ck_conv.fuse(): the bits of PyTorch's."""
import copy
import itertools
import pickle
import unittest
from unittest import mock

from needs_torch import torch

import ck_conv
from ck_conv._fuse import pads
from torch import nn
from torch.nn import functional as F

LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


def images(*size, dtype=torch.float32):
    return torch.randn(size).to(dtype).contiguous(memory_format=LAST[len(size)])


class Counted:
    """How many gathers there were."""

    def __enter__(self):
        self.count, own = 0, torch.Tensor.index_select

        def counted(*given):
            self.count += 1
            return own(*given)
        self.patch = mock.patch.object(torch.Tensor, "index_select", counted)
        self.patch.start()
        return self

    def __exit__(self, *_):
        self.patch.stop()


class Numbers(unittest.TestCase):
    def check(self, x, pad, mode):
        with Counted() as called:
            y = pads.pad(x, pad, mode=mode)
        self.assertTrue(torch.equal(y, F.pad(x, pad, mode=mode)), f"{x.shape} {pad} {mode}")
        self.assertEqual(called.count, 1)
        self.assertTrue(y.is_contiguous(memory_format=LAST[x.dim()]))

    def test_modes(self):
        for mode, pad in itertools.product(pads.MODES, ((1, 1, 1, 1), (0, 3, 2, 0), (2, 1, 0, 0), (0, 0, 0, 0))):
            if mode == "circular" and torch.__version__ < "2" and 0 in pad:
                continue  # PyTorch 1.13 returns other elements there
            self.check(images(2, 8, 5, 7), pad, mode)
        self.check(images(2, 8, 3, 4), (3, 2, 2, 1), "reflect")
        self.check(images(2, 8, 3, 4), (4, 4, 3, 3), "circular")
        self.check(images(1, 8, 1, 2), (5, 9, 4, 3), "replicate")

    def test_volumes(self):
        for mode in ("replicate", "reflect") if torch.__version__ >= "2" else ("replicate",):
            self.check(images(1, 4, 3, 4, 5), (1, 1, 1, 1, 2, 0), mode)
        self.check(images(2, 6, 2, 3, 3), (0, 0, 0, 0, 4, 0), "replicate")

    def test_types(self):
        for dtype in (torch.float64, torch.float32):
            self.check(images(2, 8, 5, 5, dtype=dtype), (1, 2, 2, 1), "replicate")
        for dtype in (torch.bfloat16, torch.float16):
            x = images(2, 8, 5, 5, dtype=dtype)
            with Counted() as called:
                y = pads.pad(x, (1, 2, 2, 1), "replicate")
            self.assertTrue(torch.equal(y.float(), F.pad(x.float(), (1, 2, 2, 1), "replicate")))
            self.assertEqual((called.count, y.dtype), (1, dtype))

    def test_indices_are_never_freed(self):
        """Captured CUDA graphs have their addresses."""
        x = images(1, 8, 5, 6)
        with mock.patch.object(pads, "_indices", {}), mock.patch.object(pads, "MOST_BYTES", 1 * 7 * 8 * 8):
            self.check(x, (1, 1, 1, 1), "reflect")
            kept = dict(pads._indices)
            with Counted() as called:
                self.assertTrue(torch.equal(pads.pad(x, (2, 1, 1, 1), "reflect"), F.pad(x, (2, 1, 1, 1), "reflect")))
            self.assertEqual((called.count, pads._indices.keys()), (0, kept.keys()))

    def test_left_to_pytorch(self):
        x = images(2, 8, 5, 5)
        with Counted() as called:
            for given, pad, more in ((x, (1, 1, 1, 1), {}), (x, (1, 1, 1, 1), {"value": 2.}), (x.contiguous(), (1, 1, 1, 1), {"mode": "reflect"}),
                                     (x[:, :4], (1, 1, 1, 1), {"mode": "replicate"}), (images(1, 1, 5, 5), (1, 1, 1, 1), {"mode": "replicate"}),
                                     (x.clone().requires_grad_(), (1, 1, 1, 1), {"mode": "replicate"})):
                y, right = pads.pad(given, pad, **more), F.pad(given, pad, **more)
                self.assertTrue(torch.equal(y, right) and y.stride() == right.stride())
            self.assertEqual(called.count, 0)
        for pad, mode in (((5, 0, 0, 0), "reflect"), ((6, 0, 0, 0), "circular")):
            with self.assertRaises(RuntimeError):
                pads.pad(x, pad, mode)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 3)
        self.pad, self.mirror = nn.ReplicationPad2d(1), nn.ReflectionPad2d((1, 2, 0, 1))

    def forward(self, x):
        x = torch.relu(self.first(x))
        return self.mirror(self.pad(self.second(F.pad(x, (1, 1, 1, 1), mode="replicate"))))


class Networks(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(4)
        self.model = Net().eval()
        self.x = torch.randn(2, 3, 8, 8)

    def test_inference(self):
        for to in (torch.contiguous_format, torch.channels_last):
            model, x = copy.deepcopy(self.model).to(memory_format=to), self.x.contiguous(memory_format=to)
            for fused in (ck_conv.fuse(model), pickle.loads(pickle.dumps(ck_conv.fuse(model))), copy.deepcopy(ck_conv.fuse(model))):
                with torch.no_grad(), Counted() as called:
                    y = fused(x)
                self.assertEqual(called.count, 3)
                torch.testing.assert_close(y, model(x), rtol=1e-4, atol=1e-5)
        self.assertIs(type(self.model.pad), nn.ReplicationPad2d)

    def test_a_part_in_which_nothing_else_is_fused(self):
        class Part(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(8, 8, 3)

            def forward(self, x):
                return self.conv(F.pad(x, (1, 1, 1, 1), mode="replicate"))

        class Whole(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.parts = nn.Conv2d(3, 8, 1), nn.ModuleList([Part(), Part()])

            def forward(self, x):
                x = self.first(x)
                for part in self.parts if float(x.detach().mean()) < 1e9 else ():  # cannot be traced
                    x = part(x)
                return x

        model = Whole().eval().to(memory_format=torch.channels_last)
        x = self.x.contiguous(memory_format=torch.channels_last)
        fused = ck_conv.fuse(model)
        with torch.no_grad(), Counted() as called:
            y = fused(x)
        self.assertEqual(called.count, 2)
        torch.testing.assert_close(y, model(x), rtol=1e-4, atol=1e-5)

    def test_training_is_pytorchs(self):
        fused = ck_conv.fuse(self.model.train())
        with Counted() as called:
            y = fused(self.x)
        self.assertEqual(called.count, 0)
        torch.testing.assert_close(y, self.model(self.x), rtol=1e-4, atol=1e-5)
        self.assertIs(type(fused.pad), nn.ReplicationPad2d)


if __name__ == "__main__":
    unittest.main()
