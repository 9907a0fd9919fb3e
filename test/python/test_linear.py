#!/usr/bin/python3
"""fuse() in inference: linear layers compute the activation, scale and addition that follow, as 1x1 convolutions."""
import copy
import pickle
import unittest
from unittest import mock

from needs_torch import torch
from networks import Net

import ck_conv
from ck_conv._fuse import fused as modules
from torch import nn
from torch.nn import functional as F

BOUNDS = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 2e-2, torch.float16: 2e-3}
ACTIVATIONS = nn.GELU(), nn.ReLU(), nn.SiLU(), nn.LeakyReLU(.2), nn.Hardswish(), nn.Sigmoid(), nn.ReLU6()


class Block(nn.Module):
    """As ConvNeXt's: a depthwise convolution, then two linear layers of the channels of each pixel."""

    def __init__(self, channels=8):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, groups=channels)
        self.one, self.two = nn.Linear(channels, 2 * channels), nn.Linear(2 * channels, channels)
        self.gamma = nn.Parameter(torch.rand(channels) + .5)

    def forward(self, x):
        y = self.conv(x).permute(0, 2, 3, 1)
        y = self.two(F.gelu(self.one(y))).permute(0, 3, 1, 2)
        return x + y * self.gamma.reshape(1, -1, 1, 1)


class Tokens(nn.Module):
    """As a transformer's: an MLP of the channels of each token."""

    def __init__(self, channels=8):
        super().__init__()
        self.one, self.two, self.gamma = nn.Linear(channels, 16), nn.Linear(16, channels), nn.Parameter(torch.rand(channels) + .5)
        self.conv = nn.Conv1d(channels, channels, 1)  # fuse() refuses models without convolutions

    def forward(self, x):
        y = self.two(F.dropout(F.relu(self.one(x)), .1, self.training))
        x = x + y * self.gamma
        return self.conv(x.transpose(1, 2))


def image(dtype, n=2):
    return torch.randn(n, 8, 3, 5).to(dtype).contiguous(memory_format=torch.channels_last)


def fused(model):
    return ck_conv.fuse(model.eval(), report=True)


def setUpModule():
    unittest.addModuleCleanup(setattr, modules, "LEAST_ROWS", modules.LEAST_ROWS)
    modules.LEAST_ROWS = 1


class Linear(unittest.TestCase):
    def check(self, model, x, dtype, words=None, launches=None):
        """launches: how many linear layers the library computes, in 16 bits. Returns fuse()'s report."""
        model.to(dtype).eval()
        right = copy.deepcopy(model).double()(x.double())
        report = fused(model)
        if words is not None:
            self.assertEqual({name: what for name, what in report.fused.items() if "conv" not in name}, words)
        with torch.no_grad(), mock.patch.object(modules, "convolution", wraps=modules.convolution) as run:
            y = report.model(x)
            ours = sum(call.args[-1] is modules._POINTWISE for call in run.call_args_list)
        self.assertEqual((y.dtype, y.shape), (dtype, right.shape))
        error = ((y.double() - right).norm() / right.norm()).item()
        self.assertLess(error, BOUNDS[dtype])
        if launches is not None:
            self.assertEqual(ours, launches if dtype in (torch.float16, torch.bfloat16) else 0)
        return report

    def test_blocks(self):
        for dtype in BOUNDS:
            for n in (1, 2):
                self.check(Block(), image(dtype, n), dtype, {"one": "gelu", "two": "mul, add"}, 2)

    def test_tokens(self):
        for dtype in BOUNDS:
            self.check(Tokens(), torch.randn(2, 5, 8).to(dtype), dtype, {"one": "relu", "two": "mul, add"}, 2)

    def test_activations(self):
        for activation in ACTIVATIONS:
            with self.subTest(activation):
                model = nn.Sequential(nn.Linear(8, 8), activation, nn.Flatten(1, 2), nn.Conv1d(15, 4, 1))
                self.check(model, torch.randn(2, 3, 5, 8).bfloat16(), torch.bfloat16, {"0": f"{type(activation).__name__} 1"}, 1)

    def test_permuted_in_other_ways(self):
        """What follows is not computed before."""
        for order in ((0, 3, 2, 1), (0, 1, 3, 2), (3, 0, 1, 2)):
            def forward(net, x):
                y = torch.relu(net.linear(x.permute(0, 2, 3, 1)).permute(*order))
                return net.conv(x) * y.mean()
            model = Net(forward, linear=nn.Linear(8, 8), conv=nn.Conv2d(8, 8, 1))
            self.check(model, image(torch.bfloat16), torch.bfloat16, {}, 0)

    def test_permuted_by_every_notation(self):
        for permute in (lambda y: y.permute(0, 3, 1, 2), lambda y: y.permute((0, 3, 1, 2)), lambda y: torch.permute(y, (0, -1, 1, 2)),
                        lambda y: y.permute(dims=[0, 3, 1, 2])):
            def forward(net, x):
                return net.conv(torch.relu(permute(net.linear(x.permute(0, 2, 3, 1)))) + x)
            model = Net(forward, linear=nn.Linear(8, 8), conv=nn.Conv2d(8, 8, 1))
            self.check(model, image(torch.bfloat16), torch.bfloat16, {"linear": "relu, add"}, 1)

    def test_added_before_the_permutation(self):
        def forward(net, x):
            rows = x.permute(0, 2, 3, 1)
            return net.conv(torch.relu((net.linear(rows) + rows).permute(0, 3, 1, 2)))
        model = Net(forward, linear=nn.Linear(8, 8), conv=nn.Conv2d(8, 8, 1))
        self.check(model, image(torch.bfloat16), torch.bfloat16, {"linear": "add, relu"}, 1)

    def test_factors(self):
        for factor, is_folded in ((torch.rand(8), True), (torch.rand(1), True), (torch.rand(()), True), (torch.rand(5, 1), False),
                                  (torch.rand(3, 1, 1), False)):
            model = Net(lambda net, x: net.conv(F.relu(net.linear(x) * net.linear.factor).flatten(1, 2)),
                        linear=nn.Linear(8, 8), conv=nn.Conv1d(15, 4, 1))
            model.linear.factor = nn.Parameter(factor)
            with self.subTest(factor=factor.shape):
                self.check(model, torch.randn(2, 3, 5, 8).bfloat16(), torch.bfloat16,
                           {"linear": "mul, relu"} if is_folded else {}, int(is_folded))

    def test_a_factor_of_as_many_rows_as_channels(self):
        """After the permutation, (8,) would multiply columns."""
        model = Net(lambda net, x: net.conv(F.relu(net.linear(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2) * net.linear.factor)),
                    linear=nn.Linear(8, 8), conv=nn.Conv2d(8, 4, 1))
        model.linear.factor = nn.Parameter(torch.rand(8))
        self.check(model, torch.randn(2, 8, 8, 8).bfloat16(), torch.bfloat16, {}, 0)

    def test_added_after_the_permutation(self):
        """What is broadcast, or a number, has no dimensions to permute."""
        for added, launches in (((8, 1, 1), 0), ((5,), 0), ((), 0), ((1, 8, 1, 1), 0), ((2, 8, 3, 5), 1), (None, 0)):
            def forward(net, x):
                y = net.linear(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
                return net.conv(torch.relu(y + (x.size(0) if added is None else net.linear.added)))
            model = Net(forward, linear=nn.Linear(8, 8), conv=nn.Conv2d(8, 8, 1))
            if added is not None:
                parameter = torch.rand(added)
                if launches:
                    parameter = parameter.contiguous(memory_format=torch.channels_last)
                model.linear.added = nn.Parameter(parameter)
            for dtype in (torch.float64, torch.float32, torch.bfloat16):  # PyTorch 1.13 has no linear layers in f16 on CPUs
                with self.subTest(added=added, dtype=dtype):
                    self.check(model, image(dtype), dtype, {"linear": "add, relu"}, launches)

    def test_factors_of_more_dimensions(self):
        """Their product has as many."""
        for factor, size in (((1, 8), (8,)), ((1, 1, 1), (3, 8)), ((1, 1, 1, 1), (2, 3, 8)), ((1, 1, 1, 8), (8,))):
            model = Net(lambda net, x: F.relu(net.linear(x) * net.linear.factor) * net.conv(x.flatten()[None, None]).abs().mean(),
                        linear=nn.Linear(8, 8), conv=nn.Conv1d(1, 4, 1))
            model.linear.factor = nn.Parameter(torch.rand(factor) + .5)
            for dtype in (torch.float32, torch.bfloat16):
                with self.subTest(factor=factor, dtype=dtype):
                    self.check(model, torch.randn(size).to(dtype), dtype)
        permuted = Net(lambda net, x: (net.linear(x.transpose(1, 2)).permute(0, 2, 1) * net.linear.factor).relu() * net.conv(x).abs().mean(),
                       linear=nn.Linear(8, 8), conv=nn.Conv1d(8, 4, 1))
        permuted.linear.factor = nn.Parameter(torch.rand(1, 1, 1, 1) + .5)
        self.check(permuted, torch.randn(2, 8, 5).bfloat16(), torch.bfloat16, {"linear": "mul, relu"}, 0)

    def test_without_data(self):
        ours = ck_conv.fuse(Block().bfloat16().eval()).to("meta")
        with torch.no_grad():
            self.assertEqual(ours(image(torch.bfloat16).to("meta")).shape, (2, 8, 3, 5))

    def test_what_pytorch_computes(self):
        """Matrices, residuals of other sizes or layouts, gradients, and tensors with gaps."""
        class Two(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear, self.conv = nn.Linear(8, 8), nn.Conv1d(8, 4, 1)

            def forward(self, x, other):
                y = F.relu(self.linear(x) + other)
                return self.conv(y.reshape(1, y.shape[-1], -1))
        model = Two().bfloat16().eval()
        ours, x = ck_conv.fuse(model), torch.randn(2, 3, 8).bfloat16()
        for given, other, launches in ((x, x, 1), (x[0], x[0], 0), (x, x[:, :1], 0), (x, x[0, 0], 0),
                                       (x, x.transpose(0, 1).contiguous().transpose(0, 1), 0),
                                       (torch.randn(2, 3, 16).bfloat16()[..., ::2], x, 0)):
            with torch.no_grad(), mock.patch.object(modules, "convolution", wraps=modules.convolution) as run:
                y, right = ours(given, other), model(given, other)
                self.assertEqual(sum(call.args[-1] is modules._POINTWISE for call in run.call_args_list), launches)
            self.assertEqual((y.dtype, y.shape), (right.dtype, right.shape))
            torch.testing.assert_close(y.double(), right.double(), rtol=.02, atol=.02)
        given = torch.randn(2, 3, 8).bfloat16().requires_grad_()
        mine, = torch.autograd.grad(ours(given, x).float().sum(), given)
        its, = torch.autograd.grad(model(given, x).float().sum(), given)
        torch.testing.assert_close(mine, its, rtol=.05, atol=.05)

    def test_few_rows(self):
        model, x = Tokens().bfloat16().eval(), torch.randn(2, 5, 8).bfloat16()
        with torch.no_grad():
            for least, launches in ((10, 2), (11, 0)):
                with mock.patch.object(modules, "LEAST_ROWS", least):
                    ours = ck_conv.fuse(model)
                    with mock.patch.object(modules, "convolution", wraps=modules.convolution) as run:
                        torch.testing.assert_close(ours(x), model(x), rtol=.03, atol=.03)
                    self.assertEqual(sum(call.args[-1] is modules._POINTWISE for call in run.call_args_list), launches)

    def test_autocast(self):
        for model, x in ((Block(), image(torch.float32)), (Tokens(), torch.randn(2, 5, 8))):
            model.eval()
            ours = ck_conv.fuse(model)
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
                y, right = ours(x), model(x)
            self.assertEqual(y.dtype, right.dtype)
            torch.testing.assert_close(y, right, rtol=.03, atol=.03)

    def test_copies(self):
        model, x = Block().bfloat16().eval(), image(torch.bfloat16)
        ours = ck_conv.fuse(model)
        with torch.no_grad():
            y = ours(x)
            for other in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
                self.assertTrue(torch.equal(other(x), y))
        self.assertIn("in_features=8, out_features=16, activation=gelu", repr(ours))
        self.assertIs(type(model.one), nn.Linear)

    def test_not_fused(self):
        """Hooks, other classes, and a result that is used twice."""
        class Own(nn.Linear):
            def forward(self, x):
                return super().forward(x) + 1
        hooked = Tokens()
        hooked.one.register_forward_hook(lambda *_: None)
        own = Tokens()
        own.one = Own(8, 16)
        twice = Net(lambda net, x: net.conv((F.relu(net.one(x)) + net.two(x) * net.two(x).mean()).flatten(1, 2)[..., None]),
                    one=nn.Linear(8, 8), two=nn.Linear(8, 8), conv=nn.Conv2d(15, 4, 1))
        self.check(hooked, torch.randn(2, 5, 8).bfloat16(), torch.bfloat16, {"two": "mul, add"})
        self.check(own, torch.randn(2, 5, 8).bfloat16(), torch.bfloat16, {"two": "mul, add"})
        self.check(twice, torch.randn(2, 3, 5, 8).bfloat16(), torch.bfloat16, {"one": "relu, add"})


if __name__ == "__main__":
    unittest.main()
