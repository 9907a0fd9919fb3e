#!/usr/bin/python3
"""ck_conv.fuse() of parts that take several arguments, in models that cannot be traced: the graph runs if a call has the arguments
that it was traced for, and otherwise the part's own forward()."""
import copy
import pickle
import unittest
import warnings

from needs_torch import torch

import ck_conv
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    """As those of diffusion models."""

    def __init__(self, of_time):
        super().__init__()
        self.norm, self.conv, self.last = nn.GroupNorm(2, 4), nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(4, 4, 1)
        self.of_time, self.scale = nn.Linear(3, 4) if of_time else None, 1.

    def forward(self, x, time, *args, factor=1., **kwargs):
        assert x.shape[1] == 4
        y = self.conv(F.silu(self.norm(x)))
        if self.of_time is not None:
            time = self.of_time(time)[:, :, None, None]
        if time is not None:
            y = y + time
        y = (x + self.last(F.relu(y))) / self.scale
        return y * factor + sum(args) + sum(kwargs.values())


class Optional(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.last = nn.Conv2d(4, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.Conv2d(4, 4, 1)

    def forward(self, x, skip=None):
        y = self.conv(x) if skip is None else self.conv(x + skip)
        return self.last(F.relu(self.norm(y)))


class Model(nn.Module):
    """Is not traced. call(model, x) calls its parts."""

    def __init__(self, call, **parts):
        super().__init__()
        self.call = call
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x):
        return self.call(self, x) if isinstance(x, torch.Tensor) else None


TIME = torch.randn(2, 3).double()


def of_time(net, x):
    return net.part(x, TIME)


def by_name(net, x):
    return net.part(time=TIME, x=x)


def without_time(net, x):
    return net.part(x, None)


def both(net, x):
    return net.part(net.part(x, None), x[:, :, :1, :1])


def with_more(net, x):
    return net.part(net.part(x, TIME, 2.), TIME, factor=3., more=1.)


def default(net, x):
    return net.part(x)


def skips(net, x):
    return net.part(net.part(x, skip=x), x * 2)


class Parts(unittest.TestCase):
    def check(self, call, part, own=False):
        """own: whether the part's own forward() runs."""
        for training in (False, True):
            with self.subTest(call=call.__name__, training=training):
                model = Model(call, part=part).double().train(training)
                report = ck_conv.fuse(model, report=True)
                self.assertEqual([*report.untraced], [""])
                self.assertIn("part.norm", report.fused)
                self.assertFalse([name for name in report.left if "own" in name])
                for layout in (torch.contiguous_format, torch.channels_last):
                    x = torch.randn(2, 4, 5, 6).double().contiguous(memory_format=layout)
                    for net in (report.model, copy.deepcopy(report.model), pickle.loads(pickle.dumps(report.model))):
                        with warnings.catch_warnings(record=True) as caught:
                            warnings.simplefilter("always")
                            self.compare(model, net, x)
                        self.assertEqual(any("other arguments" in str(w.message) for w in caught), own)

    def compare(self, model, net, x):
        with torch.no_grad():
            torch.testing.assert_close(net(x), model(x), rtol=1e-9, atol=1e-9)
        gradients = []
        for m in (net, model):
            given = x.clone().requires_grad_()
            m(given).square().sum().backward()
            gradients.append([given.grad, *(p.grad for _, p in sorted(m.named_parameters()) if model.training)])
            m.zero_grad()
        torch.testing.assert_close(*gradients, rtol=1e-9, atol=1e-9)

    def test_tensors(self):
        for call in (of_time, by_name):
            self.check(call, Block(True))

    def test_none(self):
        model = Model(without_time, part=Block(False)).double().eval()
        report = ck_conv.fuse(model, report=True)
        self.assertEqual(report.fused["part.last"], "add")
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("error")
            x = torch.randn(2, 4, 5, 6).double()
            torch.testing.assert_close(report.model(x), model(x), rtol=1e-9, atol=1e-9)

    def test_several_graphs_that_fuse_the_same(self):
        """Each is used. Weights are channels last, so no graph changes the layout."""
        model = Model(both, part=Block(False)).double().eval().to(memory_format=torch.channels_last)
        report = ck_conv.fuse(model, report=True)
        self.assertEqual(len(report.model.part.graphs), 2)
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("error")
            x = torch.randn(2, 4, 5, 6).double().contiguous(memory_format=torch.channels_last)
            torch.testing.assert_close(report.model(x), model(x), rtol=1e-9, atol=1e-9)

    def test_other_arguments(self):
        self.check(with_more, Block(True), own=True)

    def test_defaults(self):
        self.check(default, Optional())
        self.check(skips, Optional(), own=True)

    def test_a_wrong_call_raises_what_it_did(self):
        part = ck_conv.fuse(Model(of_time, part=Block(True)).double().eval(), report=True).model.part
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for args, kwargs in (((), {}), ((torch.randn(1, 4, 5, 5).double(),), {}), ((1,), {"x": 1, "time": 2})):
                with self.assertRaises(TypeError):
                    part(*args, **kwargs)
        with self.assertRaisesRegex(RuntimeError, "for inference"):
            part.train()
        self.assertEqual(part.scale, 1.)
        with self.assertRaises(AttributeError):
            part.conv  # whose hooks would not be called

    def test_parameters_are_shared(self):
        part = ck_conv.fuse(Model(of_time, part=Block(False)).double().eval(), report=True).model.part
        own = {id(p) for p in part.own.parameters()}
        self.assertEqual({id(p) for p in part.graphs.parameters()}, own)


if __name__ == "__main__":
    unittest.main()
