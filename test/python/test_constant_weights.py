#!/usr/bin/python3
"""ck_conv.fuse() computes the weight of a convolution once for inference if forward() computes it from parameters."""
import unittest
import warnings

from needs_torch import torch

import ck_conv
from ck_conv._fuse.fused import FusedConv2d

from torch import nn
from torch.nn import functional as F


class Standardized(nn.Conv2d):
    """As timm's ScaledStdConv2d."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.gain = nn.Parameter(torch.rand(self.out_channels, 1, 1, 1) + .5)

    def scaled(self):
        return F.batch_norm(self.weight.reshape(1, self.out_channels, -1), None, None, weight=self.gain.view(-1), training=True,
                            momentum=0., eps=1e-6).reshape_as(self.weight)

    def forward(self, x):
        return F.conv2d(x, self.scaled(), self.bias, self.stride, self.padding, self.dilation, self.groups)


class OfTorch(Standardized):
    def forward(self, x):
        return self._conv_forward(x, self.scaled(), self.bias)


class Padded(Standardized):
    def forward(self, x):
        return super().forward(F.pad(x, (1, 0, 1, 0)))


class Random(Standardized):
    def scaled(self):
        return F.dropout(self.weight, .5, True)


class Counting(Standardized):
    def scaled(self):
        return self.gain.mul_(.5) * self.weight


class Biased(Standardized):
    def forward(self, x):
        return F.conv2d(x, self.scaled(), self.gain.view(-1))


class OfInput(Standardized):
    def forward(self, x):
        return F.conv2d(x, self.weight * x.mean(), self.bias)


class Plain(nn.Conv2d):
    def forward(self, x):
        return F.conv2d(x, self.weight, self.bias, 1)


class ConstantWeights(unittest.TestCase):
    def fused(self, conv, after=nn.ReLU()):
        """The fused network, whose result is compared with PyTorch's."""
        model, x = nn.Sequential(conv, after).eval(), torch.randn(2, 4, 7, 6)
        keys = list(model.state_dict())
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.manual_seed(2)
            gain = None if not hasattr(conv, "gain") else conv.gain.clone()
            y = model(x)
            if gain is not None:
                conv.gain.copy_(gain)
            fused = ck_conv.fuse(model)
            torch.manual_seed(2)
            torch.testing.assert_close(fused(x), y)
        self.assertEqual(list(model.state_dict()), keys)
        self.assertIs(model[0], conv)
        return fused

    def test_they_are_fused(self):
        for conv in (Standardized(4, 8, 3, stride=2, padding=1), OfTorch(4, 8, (3, 1), dilation=2, bias=False, padding="same"),
                     Standardized(4, 8, 3, groups=2), Plain(4, 8, 3)):
            with self.subTest(conv=conv):
                conv.to(memory_format=torch.channels_last)
                fused = self.fused(conv)
                self.assertIs(type(fused[0] if isinstance(fused, nn.Sequential) else fused.get_submodule("0")), FusedConv2d)
                self.assertEqual(list(fused.state_dict()), ["0.weight"] + ["0.bias"] * (conv.bias is not None))

    def test_others_stay(self):
        for conv in (Padded(4, 8, 3), Random(4, 8, 3), Counting(4, 8, 3), Biased(4, 8, 3), OfInput(4, 8, 3)):
            with self.subTest(conv=conv):
                self.assertIn("0.gain", self.fused(conv).state_dict())
        hooked = Standardized(4, 8, 3)
        hooked.register_forward_hook(lambda module, given, y: y + 1)
        self.assertIn("0.gain", self.fused(hooked).state_dict())

    def test_a_network_that_is_one_and_one_with_two_names(self):
        conv, x = Standardized(4, 4, 3).eval(), torch.randn(1, 4, 7, 7)
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.testing.assert_close(ck_conv.fuse(conv)(x), conv(x))
            twice = nn.Sequential(conv, nn.ReLU(), conv)
            torch.testing.assert_close(ck_conv.fuse(twice)(x), twice(x))

    def test_training_computes_the_weight_again(self):
        fused = ck_conv.fuse(nn.Sequential(Standardized(4, 8, 3), nn.BatchNorm2d(8), nn.ReLU()))
        fused(torch.randn(2, 4, 7, 6)).square().sum().backward()
        self.assertIsNotNone(fused[0].gain.grad)


if __name__ == "__main__":
    unittest.main()
