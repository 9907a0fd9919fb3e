#!/usr/bin/python3
"""ck_conv.fuse() folds products of convolutions with numbers and parameters into weights: shapes, types, copies. Types of sums."""
import pickle
import unittest

from needs_torch import torch

import ck_conv
from test_fuse import BOUNDS, error, with_statistics

from torch import nn


class Scaled(nn.Module):
    def __init__(self, conv, shape):
        super().__init__()
        self.conv, self.gamma, self.act = conv, nn.Parameter(torch.randn(shape)), nn.ReLU()

    def forward(self, x):
        return self.act(self.conv(x) * self.gamma + x)


class Scales(unittest.TestCase):
    def test_shapes_and_copies(self):
        for conv, size in ((nn.Conv2d(4, 4, 3, padding=1), (6, 6)), (nn.Conv2d(4, 4, 3, padding=1, bias=False), (6, 6)),
                           (nn.ConvTranspose1d(4, 4, 3, padding=1, groups=2), (7,))):
            for shape in ((4,) + (1,) * len(size), (1, 4) + (1,) * len(size)):
                model = with_statistics(Scaled(conv, shape))
                for x in (torch.randn(2, 4, *size), torch.randn(4, *size)):
                    done = ck_conv.fuse(model, report=True)
                    with torch.no_grad():
                        y, right = done.model(x), model(x)
                    self.assertEqual(y.shape, right.shape)
                    self.assertLess(error(y, right), BOUNDS[torch.float32])
                    self.assertEqual(done.fused, {"conv": "mul, add, ReLU act"})
                    again = torch.fx.symbolic_trace(pickle.loads(pickle.dumps(done.model)))
                    with torch.no_grad():
                        self.assertLess(error(again(x), y), BOUNDS[torch.float32])
                    self.assertEqual(list(done.model.state_dict()), ["conv.weight"] + ["conv.bias"] * (conv.bias is not None))
        model = Scaled(nn.Conv2d(4, 4, 1).bfloat16(), (4, 1, 1)).eval()  # the product is float32
        self.assertRegex(ck_conv.fuse(model, report=True).left["conv"], "by torch.float32 .* weight is torch.bfloat16")

    def test_types(self):
        """torch.autocast does not multiply in 16 bits, but for a single factor."""
        for shape in ((4, 1, 1), ()):
            for dtype in (torch.bfloat16, None):
                model, x = Scaled(nn.Conv2d(4, 4, 1), shape).eval(), torch.randn(2, 4, 6, 6)
                x = x if dtype is None else x.to(dtype)
                fused = ck_conv.fuse(model)
                with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
                    right, y = model(x), fused(x)
                    self.assertEqual(torch.fx.symbolic_trace(fused)(x).dtype, right.dtype)
                self.assertEqual(y.dtype, right.dtype)
                self.assertLess(error(y, right), BOUNDS[torch.bfloat16])
                with torch.no_grad():
                    self.assertEqual(fused.bfloat16()(x.bfloat16()).dtype, torch.bfloat16)

    def test_types_of_what_is_added_to(self):
        class Sums(nn.Module):
            def __init__(self, dtype):
                super().__init__()
                self.conv, self.other, self.dtype = nn.Conv2d(4, 4, 1), nn.Conv2d(4, 4, 1), dtype

            def forward(self, x):
                y = torch.cat([self.other(x).to(self.dtype)], 1)
                y += self.conv(x)
                return y.relu()
        for dtype in (torch.float64, torch.float32, torch.bfloat16):
            model, x = Sums(dtype).eval(), torch.randn(2, 4, 5, 5)
            done = ck_conv.fuse(model, report=True)
            self.assertEqual(done.fused, {"conv": "add, relu"})
            with torch.no_grad():
                y, right = done.model(x), model(x)
            self.assertEqual(y.dtype, right.dtype)
            self.assertLess(error(y, right), BOUNDS[torch.bfloat16])


if __name__ == "__main__":
    unittest.main()
