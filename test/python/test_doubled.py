#!/usr/bin/python3
"""fuse() in inference: a convolution of an image that nearest-neighbour interpolation doubles is a transposed convolution."""
import copy
import pickle
import unittest

from needs_torch import torch

import ck_conv
from ck_conv._fuse.doubled import taps_of
from torch import nn
from torch.nn import functional as F

RANKS = (1, nn.Conv1d, (5,)), (2, nn.Conv2d, (5, 4)), (3, nn.Conv3d, (3, 2, 4))


class Up(nn.Module):
    """Doubles its input by a module or a function, and convolves it."""

    def __init__(self, conv, double):
        super().__init__()
        self.conv, self.up = conv, double

    def forward(self, x):
        return self.conv(self.up(x))


def by_function(x):
    return F.interpolate(x, scale_factor=2.0, mode="nearest")


class InFloat32(nn.Upsample):
    def forward(self, x):
        return super().forward(x.float()).type_as(x)


class AsAnother(nn.Module):
    def forward(self, x):
        return F.interpolate(x.float(), scale_factor=2.0).type_as(x + 1.)


class Whole(nn.Module):
    """With what follows the convolution."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.shortcut = nn.Conv2d(3, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.Conv2d(3, 4, 1)

    def forward(self, x):
        y = self.norm(self.conv(F.interpolate(x, scale_factor=(2, 2))))
        return F.relu(y + self.shortcut(F.interpolate(x, scale_factor=2)))


class TwoUsers(Up):
    def forward(self, x):
        y = self.up(x)
        return self.conv(y) + y


class WritesBetween(Up):
    def forward(self, x):
        z = x + 1
        y = self.up(z)
        z.mul_(3)
        return self.conv(y)


def fused(model):
    done = ck_conv.fuse(model.eval(), report=True)
    return done.model, [words for words in done.fused.values() if "nterpolat" in words or "Upsampl" in words]


def conv2d(k=3, **more):
    return nn.Conv2d(4, 4, k, **{"padding": k // 2, **more})


class Doubled(unittest.TestCase):
    def test_in_float32(self):
        for dtype, double, count in ((torch.bfloat16, InFloat32(scale_factor=(2., 2.), mode="nearest-exact"), 1),
                                     (torch.float32, InFloat32(scale_factor=2), 1), (torch.float64, InFloat32(scale_factor=2), 0),
                                     (torch.bfloat16, AsAnother(), 0)):
            model = Up(conv2d(), double).to(dtype)
            ours, words = fused(model)
            self.assertEqual(len(words), count)
            x = torch.randn(2, 4, 5, 3, dtype=dtype)
            with torch.no_grad():
                right, y = model(x).double(), ours(x)
            self.assertEqual(y.dtype, dtype)
            self.assertLess((y - right).abs().max().item(), {torch.bfloat16: 3e-2}.get(dtype, 1e-6))

    def test_the_result_is_channels_last_if_the_weight_is(self):
        ours, words = fused(Up(conv2d(), nn.Upsample(scale_factor=2)).to(memory_format=torch.channels_last))
        self.assertEqual(len(words), 1)
        with torch.no_grad():
            y = ours(torch.randn(2, 4, 5, 3))
        self.assertTrue(y.is_contiguous(memory_format=torch.channels_last))

    def test_equals_the_convolution_of_the_doubled_image(self):
        for rank, conv, size in RANKS:
            for double in (nn.Upsample(scale_factor=2), nn.Upsample(scale_factor=2., mode="nearest-exact"), by_function):
                for dtype, bound in ((torch.float64, 1e-14), (torch.float32, 1e-6), (torch.bfloat16, 1e-2)):
                    model = Up(conv(3, 5, 3, padding=1, bias=rank != 2), double).to(dtype)
                    ours, words = fused(model)
                    self.assertEqual(len(words), 1)
                    x = torch.randn(2, 3, *size, dtype=dtype)
                    for given in (x, x.transpose(1, -1).contiguous().transpose(1, -1)):
                        with torch.no_grad(), self.subTest(rank=rank, double=double, dtype=dtype):
                            right = copy.deepcopy(model).double()(given.double())
                            y = ours(given)
                            self.assertEqual((y.dtype, y.shape), (dtype, right.shape))
                            self.assertLess(((y.double() - right).norm() / right.norm()).item(), bound)

    def test_what_follows_is_fused_too(self):
        model = Whole()
        model.norm.running_mean.uniform_(-1, 1)
        model.norm.running_var.uniform_(.5, 2)
        ours, words = fused(model)
        self.assertEqual(words, ["interpolate, BatchNorm2d norm"])
        x = torch.randn(2, 3, 4, 5)
        with torch.no_grad():
            torch.testing.assert_close(ours(x), model(x))

    def test_gradients_of_inputs(self):
        model = Up(conv2d(), by_function)
        ours, _ = fused(model)
        x = [torch.randn(1, 4, 3, 5).requires_grad_()]
        x.append(x[0].detach().clone().requires_grad_())
        for network, leaf in zip((ours, model), x):
            network(leaf).square().sum().backward()
        torch.testing.assert_close(x[0].grad, x[1].grad)

    def test_gradients_of_inputs_after_inference_mode(self):
        model, x = Up(conv2d(), by_function), torch.randn(1, 4, 3, 5)
        ours, _ = fused(model)
        with torch.inference_mode():
            ours(x)
        ours(x.requires_grad_()).square().sum().backward()
        torch.testing.assert_close(x.grad, torch.autograd.grad(model(x).square().sum(), x)[0])

    def test_the_weight_is_the_models(self):
        model, other = Up(conv2d(), by_function), Up(conv2d(), by_function)
        ours, _ = fused(model)
        x = torch.randn(1, 4, 3, 3)
        with torch.no_grad():
            torch.testing.assert_close(ours(x), model(x))
            self.assertEqual({k: v.shape for k, v in ours.state_dict().items()},
                             {k: v.shape for k, v in model.state_dict().items()})
            ours.load_state_dict(other.state_dict())
            torch.testing.assert_close(ours(x), other(x))
            for again in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours.conv)), ours.double()):
                given = x.to(next(again.parameters()).dtype)
                torch.testing.assert_close(again(given), other.to(given.dtype)(given))

    def test_arguments_in_order(self):
        model, x = Up(conv2d(), lambda x: F.interpolate(x, None, 2)), torch.randn(1, 4, 3, 3)
        ours, words = fused(model)
        self.assertEqual(words, ["interpolate"])
        with torch.no_grad():
            torch.testing.assert_close(ours(x), model(x))

    def test_of_a_weight_that_requires_a_gradient(self):
        model = Up(conv2d(), by_function)
        ours, _ = fused(model)
        self.assertRegex(repr(ours.conv), r"\(4, 4, kernel_size=.*, of the input doubled by nearest-neighbour interpolation\)")
        x = torch.randn(1, 4, 3, 3)
        for one in (ours, model):
            one.conv.requires_grad_(True)
            one(x).square().sum().backward()
        for theirs, own in zip(model.conv.parameters(), ours.conv.parameters()):
            torch.testing.assert_close(own.grad, theirs.grad)

    def test_of_a_weight_at_the_address_of_an_earlier_one(self):
        ours, _ = fused(Up(conv2d(), by_function))
        x = torch.randn(1, 4, 3, 3)
        with torch.no_grad():
            for _ in range(20):
                ours(x)
                address = ours.conv.weight.data_ptr()
                ours.conv.weight = None
                ours.conv.weight = nn.Parameter(torch.randn(4, 4, 3, 3), False)
                self.assertNotEqual(ours.conv.weight.data_ptr(), address)
                y = F.conv2d(by_function(x), ours.conv.weight, ours.conv.bias, padding=1)
                torch.testing.assert_close(ours(x), y)

    def test_traced_and_under_autocast(self):
        model = Up(conv2d(), by_function)
        ours, _ = fused(model)
        x = torch.randn(1, 4, 3, 3)
        with torch.no_grad():
            torch.testing.assert_close(torch.jit.trace(ours, x)(x), model(x))
            with torch.autocast("cpu", torch.bfloat16):
                self.assertEqual(ours(x).dtype, torch.bfloat16)
                torch.testing.assert_close(ours(x).float(), model(x).float(), atol=.05, rtol=.05)
            with torch.inference_mode():
                torch.testing.assert_close(ours(x), model(x))

    def test_others_are_left(self):
        for model in (TwoUsers(conv2d(), by_function), WritesBetween(conv2d(), by_function),
                      Up(conv2d(), nn.Upsample(scale_factor=3)), Up(conv2d(), nn.Upsample(scale_factor=2, mode="bilinear")),
                      Up(conv2d(), nn.Upsample(size=(8, 8))), Up(conv2d(), nn.Upsample(scale_factor=(2, 1))),
                      Up(conv2d(5), by_function), Up(conv2d(padding=0), by_function), Up(conv2d(stride=2), by_function),
                      Up(conv2d(groups=2), by_function), Up(conv2d(dilation=2), by_function),
                      Up(conv2d(padding_mode="circular"), by_function)):
            with self.subTest(model=str(model)), torch.no_grad():
                ours, words = fused(model)
                self.assertEqual(words, [])
                x = torch.randn(1, 4, 4, 4)
                torch.testing.assert_close(ours(x), model(x))

    def test_taps_that_are_not_finite(self):
        model = Up(conv2d(), by_function).half()
        with torch.no_grad():
            model.conv.weight.fill_(4e4)
        self.assertFalse(taps_of(model.conv.weight).isfinite().all())
        self.assertEqual(fused(model)[1], [])


if __name__ == "__main__":
    unittest.main()
