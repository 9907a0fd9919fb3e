#!/usr/bin/python3
"""Sums over a dimension of two as additions, in ck_conv.fuse(): the bits of PyTorch's."""
import copy
import pickle
import unittest
from unittest import mock

from needs_torch import torch

import ck_conv
from ck_conv._fuse import sums
from ck_conv._fuse.sums import sum_over
from torch import nn


class Split(nn.Module):
    """Attention over two halves, as ResNeSt's."""

    def __init__(self, halves=2):
        super().__init__()
        self.halves, self.conv, self.attention = halves, nn.Conv2d(4, 4 * halves, 3, padding=1), nn.Conv2d(4, 4 * halves, 1)

    def forward(self, x):
        x = self.conv(x)
        x = x.reshape(x.size(0), self.halves, 4, *x.shape[2:])
        gap = x.sum(dim=1).mean((2, 3), keepdim=True)
        weights = torch.softmax(self.attention(gap).view(x.size(0), self.halves, 4), 1).reshape(x.size(0), self.halves, 4, 1, 1)
        return torch.sum(x * weights, 1), (x * weights).sum(1, keepdim=True), x.sum((1, 2)), x.sum(-1)


class Counted:
    """How many sums became additions."""

    def __enter__(self):
        self.count, own = 0, torch.Tensor.select

        def counted(*given):
            self.count += 1
            return own(*given)
        self.patches = [mock.patch.object(torch.Tensor, "select", counted), mock.patch.object(sums, "LEAST", 0)]
        for patch in self.patches:
            patch.start()
        return self

    def __exit__(self, *_):
        for patch in self.patches:
            patch.stop()


class Sums(unittest.TestCase):
    def test_large_ones_alone(self):
        for size, added in (((2, 1 << 19), True), ((2, (1 << 19) - 1), False)):
            with mock.patch.object(torch, "sum") as own:
                sum_over(torch.ones(size), 0)
            self.assertEqual(own.called, not added)

    def test_recorded_for_other_sizes(self):
        with mock.patch.object(sums, "LEAST", 0):
            recorded = torch.jit.trace(lambda x: sum_over(x, 0), torch.ones(2, 3), check_trace=False)
        self.assertTrue(torch.equal(recorded(torch.ones(5, 3)), 5 * torch.ones(3)))

    def test_bits(self):
        torch.manual_seed(8)
        for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
            for size, dim in (((3, 2, 5, 4), 1), ((2, 3, 2, 4), -2), ((2, 7, 3), 0), ((3, 2), 1), ((4, 3, 5), 1)):
                x = torch.randn(size).to(dtype)
                for given in (x, x.movedim(0, -1).contiguous().movedim(-1, 0)):
                    with Counted() as called:
                        y = sum_over(given, dim)
                    self.assertEqual(called.count, 2 * (given.size(dim) == 2 and given.stride(dim) != 1))
                    right = given.float().sum(dim).to(dtype) if x.element_size() == 2 else given.sum(dim)
                    self.assertTrue(torch.equal(y, right) and y.dtype == dtype)
        self.assertEqual(sum_over(torch.ones(2, 3, dtype=torch.int8), 0).dtype, torch.int64)
        with self.assertRaises(IndexError):
            sum_over(torch.ones(2, 3), 2)

    def test_networks(self):
        for halves in (2, 3):
            model, x = Split(halves).eval(), torch.randn(2, 4, 5, 6)
            fused = ck_conv.fuse(model)
            calls = [node.target for node in fused.graph.nodes if node.target is sum_over]
            self.assertEqual(len(calls), 3)  # not those over two dimensions, or that keep it
            for one in (fused, copy.deepcopy(fused), pickle.loads(pickle.dumps(fused)), ck_conv.fuse(fused)):
                with torch.no_grad(), Counted() as called:
                    results = one(x)
                    self.assertEqual(called.count, 2 * 2 if halves == 2 else 0)  # the last one is over six
                    for y, right in zip(results, model(x)):
                        torch.testing.assert_close(y, right, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
