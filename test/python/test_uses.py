#!/usr/bin/python3
"""ck_conv.fuse() of networks whose own code cannot be traced and uses modules inside of their parts: these stay as they are."""
import copy
import types
import unittest
from unittest import mock

from needs_torch import torch

import ck_conv
from ck_conv._fuse import uses

from torch import nn
from torch.utils.checkpoint import checkpoint


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.act, self.last = nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 4, 1)

    def forward(self, x):
        return self.last(self.act(self.norm(self.conv(x))))


def helper(model, x):
    return model.encoder.norm(model.encoder.conv(x))


class Network(nn.Module):
    """Its forward() calls use(self, x), and cannot be traced."""

    def __init__(self):
        super().__init__()
        self.encoder, self.stages = Encoder(), nn.ModuleList([Encoder()])
        self.layers = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 4, 1))
        self.conv = nn.Conv2d(4, 2, 1)  # also the name of a module in the parts

    def forward(self, x):
        return self.conv(self.use(x)) if float(x.sum()) < 1e9 else x

    def by_name(self, x):
        return self.encoder.norm(self.encoder.conv(x))

    def under_another_name(self, x):
        part = self.encoder
        return part.conv(x)

    def by_text(self, x):
        return getattr(self.encoder, "norm")(getattr(self.encoder, "conv")(x))

    def one_by_one(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def some(self, x):
        return self.layers[:2](x)

    def all_of_a_part(self, x):
        for _, part in self.encoder.named_children():
            x = part(x)
        return x

    def in_a_list(self, x):
        for stage in self.stages:
            x = stage.norm(stage.conv(x))
        return x

    def in_a_function(self, x):
        return helper(self, x)

    def as_a_whole(self, x):
        for stage in self.stages:
            y = stage(x)
        return self.layers(x) + y + checkpoint(self.encoder, x, use_reentrant=False)


class Uses(unittest.TestCase):
    def fused(self, use, training):
        """The numbers of fused convolutions or norms in encoder, stages and layers."""
        torch.manual_seed(2)
        model = type("Network", (Network,), {"use": getattr(Network, use)})().double().train(training)
        for norm in (m for m in model.modules() if isinstance(m, nn.BatchNorm2d)):
            norm.running_mean.normal_()
        done, x = ck_conv.fuse(model, report=True), torch.randn(2, 3, 5, 4, dtype=torch.float64)
        wanted, y = copy.deepcopy(model)(x), done.model(x)
        torch.testing.assert_close(y, wanted)
        self.assertTrue(y.is_contiguous())
        self.assertIn("", done.untraced)
        return tuple(sum(name.startswith(part) for name in done.fused) for part in ("encoder", "stages", "layers"))

    def test_parts_that_are_used_inside(self):
        expected = {"by_name": (0, 0, 1),  # stages have modules of these names, too
                    "under_another_name": (0, 1, 1), "by_text": (0, 0, 1), "one_by_one": (1, 1, 0),
                    "some": (1, 1, 0), "all_of_a_part": (0, 1, 1), "in_a_list": (0, 0, 1), "in_a_function": (0, 0, 1),
                    "as_a_whole": (1, 1, 1)}
        self.assertEqual(expected.keys() | {"forward", "__init__"}, {
            name for name, value in vars(Network).items() if isinstance(value, types.FunctionType)})
        for use, fused in expected.items():
            for training in (False, True):
                with self.subTest(use=use, training=training):
                    self.assertEqual(self.fused(use, training), fused)

    def test_calls_in_the_bytecode_of_other_pythons(self):
        """Until 3.11, a called method has an instruction of its own; then it is a bit of LOAD_ATTR."""
        for version, opname, arg, is_called in (((3, 8), "LOAD_METHOD", 6, True), ((3, 11), "LOAD_METHOD", 7, True),
                                                ((3, 11), "LOAD_ATTR", 7, False), ((3, 12), "LOAD_ATTR", 7, True),
                                                ((3, 12), "LOAD_ATTR", 6, False), ((3, 14), "LOAD_ATTR", 3, True)):
            with self.subTest(version=version, opname=opname), mock.patch.object(uses.sys, "version_info", version):
                self.assertEqual(uses._is_called(types.SimpleNamespace(opname=opname, arg=arg)), is_called)

    def test_parts_with_several_names(self):
        class Shared(Network):
            def __init__(self):
                super().__init__()
                self.again, self.nested, self.list = self.encoder, nn.Module(), nn.ModuleList([self.encoder])
                self.nested.part = self.encoder

            def use(self, x):
                return self.again(x) + self.nested.part(x) + self.list[0](x) + self.stages[0](x)

        for training in (False, True):
            model, x = Shared().train(training), torch.randn(2, 3, 5, 4)
            done = ck_conv.fuse(model, report=True)
            self.assertIn("", done.untraced)
            parts = {done.model.again, done.model.nested.part, done.model.list[0], done.model.encoder}
            self.assertEqual(len(parts), 1)
            self.assertEqual(sum(name.startswith(("encoder", "again", "nested", "list")) for name in done.fused), 1)
            y = done.model(x)
            torch.testing.assert_close(y, model(x), rtol=1e-5, atol=1e-5)
            self.assertTrue(y.is_contiguous())

    def test_properties_and_methods_of_parts(self):
        class Strided(Encoder):
            def __init__(self):
                super().__init__()
                self._stride = 2

            @property
            def stride(self):
                return self._stride

            def halved(self, x):
                return x[..., ::self._stride]

        for use, fused in ((lambda n, x: n.encoder(x) * n.encoder.stride, 1), (lambda n, x: n.encoder.halved(n.encoder(x)), 0),
                           (lambda n, x: n.stages[0](x) * sum(stage.stride for stage in n.stages), 1)):
            for training in (False, True):
                model = type("Network", (Network,), {"use": use})()
                model.encoder, model.stages = Strided(), nn.ModuleList([Strided()])
                done, x = ck_conv.fuse(model.train(training), report=True), torch.randn(2, 3, 5, 4)
                for again in done.model, copy.deepcopy(done.model):
                    torch.testing.assert_close(again(x), copy.deepcopy(model)(x), rtol=1e-5, atol=1e-5)
                found = sum(name.startswith("encoder") for name in done.fused)
                self.assertEqual(found, 1 if training else fused)

    def test_attributes_that_raise(self):
        """As models of diffusers do for methods of dictionaries, which they take for entries of their configuration."""
        class Raising(Network):
            def __getattr__(self, name):
                if name in ("conv2", "settings"):
                    raise KeyError(name)
                return super().__getattr__(name)

            def use(self, x):
                return self.encoder(x) * {"conv2": 1.}.get("conv2") + self.stages[0](x) * {"settings": 2.}.get("settings")

        class Part(Encoder):
            @property
            def settings(self):
                raise KeyError("settings")

        model, x = Raising().eval(), torch.randn(2, 3, 5, 4)
        model.stages = nn.ModuleList([Part()])
        torch.testing.assert_close(ck_conv.fuse(model.eval())(x), model(x), rtol=1e-5, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
