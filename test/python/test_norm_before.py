#!/usr/bin/python3
"""ck_conv.fuse() folds batch norms into convolutions after them, for inference."""
import copy
import unittest

from needs_torch import torch

import ck_conv
from test_fuse import BOUNDS, error, with_statistics

from torch import nn


class Before(nn.Module):
    def __init__(self, norm, conv, forward):
        super().__init__()
        self.norm, self.conv, self.act, self.body = norm, conv, nn.ReLU(), forward

    def forward(self, x):
        return self.body(self, x)


class NormsBefore(unittest.TestCase):
    def fused(self, norm, conv, size=(6, 5), body=lambda n, x: n.act(n.conv(n.norm(x)))):
        """The report, of a network whose results were compared."""
        model = with_statistics(Before(norm, conv, body))
        for dtype, bound in ((torch.float64, 1e-12), (torch.float32, BOUNDS[torch.float32]), (torch.bfloat16, BOUNDS[torch.bfloat16])):
            model, x = model.to(dtype), torch.randn(2, 4, *size).to(dtype)
            done = ck_conv.fuse(model, report=True)
            with torch.no_grad():
                right, y = copy.deepcopy(model).double()(x.double()), done.model(x)
            self.assertEqual(y.dtype, dtype)
            self.assertLess(error(y, right), bound)
        return done

    def test_they_are_folded(self):
        for norm, conv, size in ((nn.BatchNorm2d(4), nn.Conv2d(4, 8, 1, bias=False), (6, 5)),
                                 (nn.BatchNorm2d(4, affine=False), nn.Conv2d(4, 8, 3, stride=2, groups=2), (6, 5)),
                                 (nn.BatchNorm1d(4), nn.Conv1d(4, 8, 3, padding="valid", dilation=2), (9,)),
                                 (nn.BatchNorm3d(4), nn.Conv3d(4, 4, (1, 2, 3), groups=4), (3, 4, 5))):
            with self.subTest(conv=conv):
                done = self.fused(norm, conv, size)
                self.assertEqual(done.fused, {"conv": f"{type(norm).__name__} norm before, ReLU act"})
                self.assertEqual(done.left, {})
                self.assertEqual(list(done.model.state_dict()), ["conv.weight", "conv.bias"])
        alone = self.fused(nn.BatchNorm2d(4), nn.Conv2d(4, 4, 1), body=lambda n, x: n.conv(n.norm(x)))
        self.assertEqual(alone.fused, {"conv": "BatchNorm2d norm before"})
        twice = self.fused(nn.BatchNorm2d(4), nn.Conv2d(4, 4, 1), body=lambda n, x: n.conv(n.norm(x)) + n.conv(x))
        self.assertEqual(twice.fused, {"conv": "BatchNorm2d norm before", "conv_1": "add"})

    def test_others_stay(self):
        for conv, body in ((nn.Conv2d(4, 4, 3, padding=1), lambda n, x: n.conv(n.norm(x))),
                           (nn.Conv2d(4, 4, 1, padding="same"), lambda n, x: n.conv(n.norm(x))),
                           (nn.ConvTranspose2d(4, 4, 1), lambda n, x: n.conv(n.norm(x))),
                           (nn.Conv2d(4, 4, 1), lambda n, x: n.conv(n.act(n.norm(x)))),
                           (nn.Conv2d(4, 4, 1), lambda n, x: n.conv(n.norm(x)) * n.conv(x)),
                           (nn.Conv2d(4, 4, 1), lambda n, x: (lambda y: n.conv(y) + y)(n.norm(x)))):
            with self.subTest(conv=conv):
                done = self.fused(nn.BatchNorm2d(4), conv, body=body)
                self.assertNotIn("before", str(done.fused))

        def writes(n, x):
            x = x * 2
            y = n.norm(x)
            x += 1
            return n.conv(y) + x
        self.assertNotIn("before", str(self.fused(nn.BatchNorm2d(4), nn.Conv2d(4, 4, 1), body=writes).fused))

    def test_means_far_from_0_stay(self):
        """Their folded weights would have larger rounding errors."""
        for mean, is_folded in ((.5, True), (100., False)):
            norm, conv = nn.BatchNorm2d(4), nn.Conv2d(4, 4, 1)
            model = Before(norm, conv, lambda n, x: n.conv(n.norm(x))).eval()
            norm.running_mean.fill_(mean)
            self.assertEqual(ck_conv.fuse(model, report=True).fused, {"conv": "BatchNorm2d norm before"} if is_folded else {})

    def test_the_model_stays_as_it_is(self):
        model = with_statistics(Before(nn.BatchNorm2d(4), nn.Conv2d(4, 4, 1), lambda n, x: n.conv(n.norm(x))))
        before = copy.deepcopy(model.state_dict())
        ck_conv.fuse(model)
        self.assertTrue(all(torch.equal(value, before[name]) for name, value in model.state_dict().items()))


if __name__ == "__main__":
    unittest.main()
