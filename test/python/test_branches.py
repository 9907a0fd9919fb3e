#!/usr/bin/python3
"""ck_conv.fuse() of networks whose forward() branches on sizes, types or whether gradients are enabled: a branch that does not
matter is left out, an assertion stays, and all others leave the module as it is."""
import copy
import pickle
import unittest

from needs_torch import torch
from networks import Net

import ck_conv
from torch import nn
from torch.nn import functional as F
from torch.utils import checkpoint


def block(forward):
    return Net(forward, conv=nn.Conv2d(4, 4, 3, padding=1), norm=nn.GroupNorm(2, 4), last=nn.Conv2d(4, 4, 1)).double()


def rest(net, x):
    return net.last(F.silu(net.norm(net.conv(x))))


def copies_large_batches(net, x):
    if x.shape[0] >= 3:
        x = x.contiguous()
    if x.numel() * 2 > 500 and x.dtype == torch.float64:
        x = x.contiguous()
    return rest(net, x)


def copies_in_training(net, x):
    y = F.silu(net.norm(x))
    return net.last(y) + net.conv(x.contiguous() if net.training else x)


def asserts(net, x):
    if x.size(0) >= 3:
        x = x.contiguous()
    assert x.shape[1] == 4
    if not x.shape[2] > 2:
        raise ValueError("too few rows")
    return rest(net, x)


def checkpoints(net, x):
    if torch.is_grad_enabled() and net.saves:
        return checkpoint.checkpoint(rest, net, x, use_reentrant=False)
    return rest(net, x)


def other_graph(net, x):
    return rest(net, x) * 2 if x.shape[0] >= 3 else rest(net, x)


def of_both(net, x):
    """Neither condition matters on its own."""
    large, odd = bool(x.shape[0] >= 3), bool(x.shape[2] % 2)
    return rest(net, x) * 2 if large and odd else rest(net, x)


class Flag(nn.Module):
    def forward(self, x):
        return x, bool(x.shape[0] >= 3)


def of_a_result(net, x):
    x, is_large = net.flag(x)
    return rest(net, x) * 2 if is_large else rest(net, x)


def fills(x, kept):
    if x.shape[0] >= 3:
        kept.append(2)
    return x


class Fills(nn.Module):
    def forward(self, x, kept):
        return fills(x, kept)


def of_an_argument(net, x):
    kept = [1]
    x = net.fills(x, kept)
    return rest(net, x) * kept[-1]


def writes_to_a_copy(net, x):
    y = x * 1.5
    z = y.contiguous() if x.shape[0] >= 3 else y
    z.add_(1.)
    return rest(net, y)


def loops(net, x):
    n = x.shape[2]
    while n > 2:
        n = n // 2
    return rest(net, x)


class Branches(unittest.TestCase):
    def check(self, forward, untraced=None, modes=(False, True), **attributes):
        for training in modes:
            with self.subTest(forward=forward.__name__, training=training):
                model = block(forward).train(training)
                for name, value in attributes.items():
                    setattr(model, name, value().train(training) if isinstance(value, type) else value)
                report = ck_conv.fuse(model, report=True)
                self.assertEqual("" in report.untraced, untraced is not None, report.untraced)
                if untraced is None:
                    self.assertIn("norm", report.fused)
                else:
                    self.assertIn(untraced, report.untraced[""])
                for net in (report.model, copy.deepcopy(report.model), pickle.loads(pickle.dumps(report.model))):
                    for size in ((1, 4, 4, 4), (4, 4, 5, 6)):
                        self.compare(model, net, torch.randn(size).double())

    def compare(self, model, net, x):
        for grad in (False, True):
            with torch.set_grad_enabled(grad):
                given, expected = (x.clone().requires_grad_(grad) for _ in range(2))
                y, right = net(given), model(expected)
                torch.testing.assert_close(y, right, rtol=1e-9, atol=1e-9)
                if grad:
                    y.square().sum().backward()
                    right.square().sum().backward()
                    torch.testing.assert_close(given.grad, expected.grad, rtol=1e-9, atol=1e-9)

    def test_those_that_do_not_matter(self):
        for forward in (copies_large_batches, copies_in_training, asserts):
            self.check(forward)
        self.check(checkpoints, saves=False)

    def test_assertions(self):
        for training in (False, True):
            net = ck_conv.fuse(block(asserts).train(training), report=True).model
            self.assertEqual(net(torch.randn(1, 4, 3, 3).double()).shape, (1, 4, 3, 3))
            for size in ((1, 4, 2, 4), (4, 4, 2, 4)):
                with self.assertRaisesRegex(ValueError, "forward\\(\\) raises"):
                    net(torch.randn(size).double())

    def test_those_that_matter(self):
        for forward in (other_graph, of_both, writes_to_a_copy, loops):
            self.check(forward, "control flow")
        self.check(of_a_result, "control flow", flag=Flag)
        self.check(of_an_argument, "may change a list", fills=Fills)

    def test_checkpoints(self):
        self.check(checkpoints, "checkpoint", (True,), saves=True)


if __name__ == "__main__":
    unittest.main()
