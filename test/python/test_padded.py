#!/usr/bin/python3
"""Convolutions of classes that pad their input and call their base: in inference the pads are not written."""
import copy
import pickle
import types
import unittest
from unittest import mock

from needs_torch import torch

import ck_conv
from ck_conv._conv import dispatch, padded as _padded
from networks import Net
from torch import nn
from torch.nn import functional as F


class Causal(nn.Conv3d):
    """As in autoencoders of videos."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        d, h, w = self.padding
        self._padding = w, w, h, h, 2 * d, 0
        self.padding = 0, 0, 0

    def forward(self, x, cache=None):
        padding = list(self._padding)
        if cache is not None:
            x = torch.cat([cache, x], 2)
            padding[4] -= cache.shape[2]
        return super().forward(F.pad(x, padding))


def with_zeros(x, pads):
    return F.pad(x, pads)


class ByFunction(nn.Conv2d):
    def forward(self, x):
        return super().forward(with_zeros(x, [1, 2]))


class ByConvForward(nn.Conv2d):
    def forward(self, x):
        return self._conv_forward(nn.functional.pad(x, (0, 1, 2, 0)), self.weight, self.bias)


class Same(nn.Conv1d):
    def forward(self, x):
        return F.conv1d(F.pad(x, (3, 0)), self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class OfOwnNumbers(nn.Conv2d):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.left, self.right = 1, 2

    def forward(self, x):
        return super().forward(F.pad(x, (self.left, self.right, 0, 0)))


IN_PLACE = [
    (OfOwnNumbers(3, 4, 3), (2, 3, 5, 6)),
    (Causal(3, 4, 3, padding=1), (2, 3, 4, 5, 6)),
    (Causal(4, 4, (2, 1, 3), (1, 2, 1), padding=(1, 0, 1), groups=2), (1, 4, 5, 5, 4)),
    (ByFunction(3, 4, 3), (2, 3, 5, 6)),
    (ByConvForward(3, 4, 3, padding=1), (2, 3, 5, 6)),
    (Same(3, 4, 4), (2, 3, 8)),
]


class Circular(nn.Conv2d):
    def forward(self, x):
        return super().forward(F.pad(x, (1, 1, 1, 1), mode="circular"))


class Ones(nn.Conv2d):
    def forward(self, x):
        return super().forward(F.pad(x, (1, 1), value=1.))


class Cropped(nn.Conv2d):
    def forward(self, x):
        return super().forward(F.pad(x, (-1, 1)))


class Channels(nn.Conv2d):
    def forward(self, x):
        return super().forward(F.pad(x, (0, 0, 0, 0, 1, 0)))


class AddsItself(nn.Conv2d):
    def forward(self, x):
        x = F.pad(x, (1, 1, 1, 1))
        return super().forward(x) + x[:, :1, 1:-1, 1:-1] * x.shape[3]


class AnotherMode(nn.Conv2d):
    def __init__(self, *arguments):
        super().__init__(*arguments, padding=1, padding_mode="reflect")

    def forward(self, x):
        return super().forward(F.pad(x, (1, 0)))


class SameAndMore(nn.Conv2d):
    def __init__(self, *arguments):
        super().__init__(*arguments, padding="same")

    def forward(self, x):
        return super().forward(F.pad(x, (1, 0)))


class ChangesIt(nn.Conv2d):
    def forward(self, x):
        y = F.pad(x, (1, 0))
        x.zero_()
        return super().forward(y)


class ChangesTheCopy(nn.Conv2d):
    def forward(self, x):
        y = F.pad(x, (1, 0))
        y[:, :, :, 0] = 7
        return super().forward(y)


class ChangesTheCopyElsewhere(nn.Conv2d):
    def forward(self, x):
        y = F.pad(x, (1, 0))
        fill(y)
        return super().forward(y)


class ChangesItElsewhere(nn.Conv2d):
    def forward(self, x):
        y = F.pad(x, (1, 0))
        fill(x)
        return super().forward(y)


class ChangesItAfterAFunction(nn.Conv2d):
    def forward(self, x):
        y = with_zeros(x, (1, 0))
        fill(x)
        return super().forward(y)


class ChangesItAfterAMethod(nn.Conv2d):
    def pad(self, x):
        return F.pad(x, (1, 0))

    def forward(self, x):
        y = self.pad(x)
        x.zero_()
        return super().forward(y)


class ChangesItAfterALambda(nn.Conv2d):
    def forward(self, x):
        pad = lambda t: F.pad(t, (1, 0))  # noqa: E731
        y = pad(x)
        x.zero_()
        return super().forward(y)


class ChangesItAfterAComprehension(nn.Conv2d):
    def forward(self, x):
        y, = [F.pad(t, (1, 0)) for t in (x,)]
        x.zero_()
        return super().forward(y)


class PadsItsResult(nn.Conv2d):
    def forward(self, x):
        return F.pad(super().forward(x), (1, 0))


class PadsAlone(nn.Conv2d):
    def forward(self, x):
        return F.pad(x, (1, 0)) if x.dim() == 4 else super().forward(x)


def fill(y):
    y.fill_(3)


COPIED = [Circular(3, 4, 3), Ones(3, 4, 3), Cropped(3, 4, 3), Channels(4, 4, 3), AnotherMode(3, 4, 3), SameAndMore(3, 4, 3),
          AddsItself(3, 4, 3), ChangesIt(3, 4, 3), ChangesTheCopy(3, 4, 3), ChangesTheCopyElsewhere(3, 4, 3),
          ChangesItElsewhere(3, 4, 3), ChangesItAfterAFunction(3, 4, 3), ChangesItAfterAMethod(3, 4, 3),
          ChangesItAfterALambda(3, 4, 3), ChangesItAfterAComprehension(3, 4, 3), PadsItsResult(3, 4, 3), PadsAlone(3, 4, 3)]


def no_copy(*arguments):
    raise AssertionError("the pads are written")


class Padded(unittest.TestCase):
    def test_pads_are_not_written(self):
        for module, size in IN_PLACE:
            ours, x = ck_conv.replace(copy.deepcopy(module)), torch.randn(size)
            for mode in (torch.no_grad, torch.inference_mode):
                with self.subTest(type(module).__name__, mode=mode.__name__), mode():
                    right = module(x)
                    for again in (ours, copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
                        with mock.patch.object(_padded.F, "pad", no_copy):
                            y = again(x)
                            self.assertIs(type(y), torch.Tensor)
                            torch.testing.assert_close(y, right)
                            torch.testing.assert_close(again(x), right)  # by the layer that was found

    def test_a_cache_takes_the_place_of_pads(self):
        module = Causal(3, 4, 3, padding=1)
        ours, x = ck_conv.replace(copy.deepcopy(module)), torch.randn(1, 3, 4, 5, 6)
        with torch.no_grad():
            for frames in (1, 2):
                torch.testing.assert_close(ours(x, x[:, :, :frames]), module(x, x[:, :, :frames]))
            torch.testing.assert_close(ours(x), module(x))

    def test_other_pads_are_copied(self):
        for module in COPIED:
            ours, x = ck_conv.replace(copy.deepcopy(module)), torch.randn(2, 3, 6, 5)
            for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
                with self.subTest(type(module).__name__, mode=mode.__name__), mode():
                    given, changed = x.clone(), x.clone()
                    y = ours(changed)
                    self.assertIs(type(y), torch.Tensor)
                    torch.testing.assert_close(y, module(given))
                    self.assertTrue(torch.equal(given, changed))

    def test_gradients_and_autocast(self):
        for module, size in IN_PLACE:
            ours, x = ck_conv.replace(copy.deepcopy(module)), torch.randn(size)
            given = [x.clone().requires_grad_() for _ in range(2)]
            for model, leaf in zip((ours, module), given):
                model(leaf).square().sum().backward()
            torch.testing.assert_close(given[0].grad, given[1].grad)
            torch.testing.assert_close(ours.weight.grad, module.weight.grad)
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
                y = ours(x)
                self.assertEqual(y.dtype, torch.bfloat16)
                torch.testing.assert_close(y.float(), module(x).float(), atol=.05, rtol=.05)

    def test_input_without_a_batch(self):
        module = ByFunction(3, 4, 3)
        ours, x = ck_conv.replace(copy.deepcopy(module)), torch.randn(3, 5, 6)
        with torch.no_grad():
            torch.testing.assert_close(ours(x), module(x))

    def test_changes_before_the_convolution_are_refused(self):
        weight = torch.randn(4, 3, 3, 3)
        with torch.no_grad():
            x = torch.randn(1, 3, 5, 5)
            padded = _padded.pad(x, (1, 0))
            x.zero_()
            with self.assertRaisesRegex(RuntimeError, "changed in place after F.pad.. and before the convolution"):
                ck_conv.conv2d(padded, weight)

    def test_what_reads_an_attribute_of_the_module(self):
        """In the bytecode of any Python: one instruction may load two variables."""
        def step(opname, argval, argrepr=""):
            return types.SimpleNamespace(opname=opname, argval=argval, argrepr=argrepr)
        code, attribute = (lambda self, x: None).__code__, step("LOAD_ATTR", "left", "left")
        for before, after, reads in ((step("LOAD_FAST", "self"), attribute, True), (step("LOAD_FAST", "x"), attribute, False),
                                     (step("LOAD_FAST_LOAD_FAST", ("x", "self")), attribute, True),
                                     (step("LOAD_FAST_LOAD_FAST", ("self", "x")), attribute, False),
                                     (step("LOAD_GLOBAL", "self"), attribute, False), (None, attribute, False),
                                     (step("LOAD_FAST", "self"), step("LOAD_ATTR", "change", "NULL|self + change"), False),
                                     (step("LOAD_FAST", "self"), step("LOAD_METHOD", "change"), False)):
            self.assertIs(bool(_padded._reads_own(code, before, after)), reads, (before, after))
        self.assertFalse(_padded._reads_own((lambda: None).__code__, step("LOAD_FAST", "self"), attribute))

    def test_it_is_a_tensor_for_all_others(self):
        x = torch.randn(2, 3, 4)
        with torch.no_grad():
            padded = _padded.pad(x, [1, 2])
            right = F.pad(x, [1, 2])
            self.assertIs(type(padded), _padded.Padded)
            self.assertIsInstance(padded, torch.Tensor)
            self.assertEqual((padded.shape, padded.dtype, padded.requires_grad), (right.shape, right.dtype, False))
            for use in (lambda t: t + 1, lambda t: 1 - t, lambda t: torch.cat([t, t]), lambda t: t[..., 1:], abs,
                        lambda t: t.sum(), lambda t: torch.stack(tensors=(t, t)), lambda t: F.relu(t), lambda t: t @ t.mT):
                y = use(padded)
                self.assertIs(type(y), torch.Tensor)
                self.assertTrue(torch.equal(y, use(right)))
            self.assertEqual(padded.tolist(), right.tolist())



class InGraphs(unittest.TestCase):
    """fuse() for inference: pads of zeros before a convolution."""

    def check(self, net, x, words):
        net, named = net.double().eval(), {} if words is None else {"conv": words}
        done = ck_conv.fuse(net, report=True)
        self.assertEqual(done.fused, named)
        for model in (done.model, copy.deepcopy(done.model), ck_conv.fuse(done.model)):
            with torch.no_grad(), mock.patch.object(F, "pad", side_effect=AssertionError) if words else self.subTest():
                y = model(x)
            torch.testing.assert_close(y, net(x), rtol=1e-12, atol=1e-12)
        if words:
            given = [x.clone().requires_grad_() for _ in range(2)]
            for model, one in zip((net, done.model), given):
                model(one).square().sum().backward()
            torch.testing.assert_close(given[1].grad, given[0].grad, rtol=1e-9, atol=1e-9)

    def test_zeros(self):
        for rank, make in enumerate((nn.Conv1d, nn.Conv2d, nn.Conv3d), 1):
            for more in ({}, {"stride": 2, "padding": 1}, {"padding": "same", "dilation": 2}, {"padding": "valid", "groups": 2}):
                for pads in ([1, 2], [0, 3, 1, 0], [1, 0, 2, 1, 0, 1])[:rank]:
                    self.check(Net(lambda n, x, pads=pads: F.relu(n.conv(F.pad(x, pads))), conv=make(4, 6, 3, **more)),
                               torch.randn(2, 4, *(5, 4, 6)[:rank]).double(), "pad, relu")
        fused = ck_conv.fuse(nn.Sequential(nn.ZeroPad2d((0, 1, 2, 0)), nn.Conv2d(4, 6, 3)).eval())
        self.assertEqual(pickle.loads(pickle.dumps(fused)).get_submodule("1").pads, ((2, 0), (0, 1)))
        for module in nn.ZeroPad2d((0, 1, 0, 1)), nn.ConstantPad2d(2, 0.), nn.ConstantPad2d(1, 0):
            name = type(module).__name__
            net = Net(lambda n, x: n.norm(n.conv(n.pad(x))), pad=module, conv=nn.Conv2d(4, 6, 3), norm=nn.BatchNorm2d(6))
            self.check(net, torch.randn(2, 4, 5, 4).double(), f"{name} pad, BatchNorm2d norm")
        net = Net(lambda n, x: torch.cat([n.conv(F.pad(x, (1, 1, 1, 1), "constant", 0.)) + x, x], 1), conv=nn.Conv2d(4, 4, 3))
        self.check(net, torch.randn(2, 4, 5, 4).double(), "pad, add")
        self.check(net, torch.randn(2, 4, 5, 4).double().contiguous(memory_format=torch.channels_last), "pad, add")

    def test_what_is_copied(self):
        x = torch.randn(2, 4, 5, 4).double()
        for body in (lambda n, x: n.conv(F.pad(x, (1, 1), value=1.)), lambda n, x: n.conv(F.pad(x, (1, -1))),
                     lambda n, x: n.conv(F.pad(x, (1, 1, 1, 1), mode="reflect")), lambda n, x: n.conv(F.pad(x, (0, x.size(3)))),
                     lambda n, x: n.conv(F.pad(x, (1, 1, 0, 0, 0, 0))), lambda n, x: n.conv(n.pad(x)),
                     lambda n, x: n.conv(F.pad(F.pad(x, (1, 1), value=2.), (0, 0, 0, 0), "circular"))):
            self.check(Net(body, conv=nn.Conv2d(4, 6, 3), pad=nn.ConstantPad2d(1, 2.)), x, None)
        self.check(Net(lambda n, x: n.conv(F.pad(x, (1, 1))), conv=nn.Conv2d(4, 6, 3, padding=1, padding_mode="reflect")), x, None)

        def twice(n, x):
            y = F.pad(x, (1, 1))
            return n.conv(y) + n.conv(2 * y)

        def written(n, x):
            x = x + 1
            y = F.pad(x, (1, 1))
            x.mul_(2)
            return n.conv(y) + x.mean()
        for body in twice, written:
            net = Net(body, conv=nn.Conv2d(4, 6, 3)).double().eval()
            done = ck_conv.fuse(net, report=True)
            self.assertFalse(any("pad" in words for words in done.fused.values()))
            torch.testing.assert_close(done.model(x), net(x), rtol=1e-12, atol=1e-12)


class ByPyTorch(unittest.TestCase):
    def test_pads_that_differ_before_and_after(self):
        """Those of each dimension, before and after it, in their places."""
        for rank, before, after in ((1, (1,), (2,)), (2, (1, 0), (2, 3)), (3, (1, 0, 2), (0, 3, 1))):
            x, w, b = torch.randn(2, 4, *(5, 6, 7)[:rank]), torch.randn(6, 2, *(2, 3, 2)[:rank]), torch.randn(6)
            pads = [n for pair in zip(before[::-1], after[::-1]) for n in pair]
            for bias in (b, None):
                conv = getattr(F, f"conv{rank}d")
                found = dispatch.padded_of_torch(x, w, bias, 2, 1, 1, 2, before, after)
                torch.testing.assert_close(found, conv(F.pad(x, pads), w, bias, 2, 1, 1, 2))
                causal = dispatch.causal_of_torch(x, w, bias, 2, 0, 1, 2)
                torch.testing.assert_close(causal, conv(F.pad(x, [0, 0] * (rank - 1) + [w.size(2) - 1, 0]), w, bias, 2, 0, 1, 2))


if __name__ == "__main__":
    unittest.main()
