#!/usr/bin/python3
"""Layer norms and RMS norms over the channels of each pixel, against PyTorch's operations in float64, and in ck_conv.fuse()."""
import copy
import math
import pathlib
import pickle
import sys
import unittest
import warnings
from unittest import mock

from needs_torch import torch

import ck_conv
import torch.fx
from ck_conv._norm import group_norm
from ck_conv._norm.found import Found, found
from ck_conv._norm.row_norm import FusedRowNorm, fuse_row_norm
from test_batch_norm import ERRORS, far, rows
from test_group_norm import BACKWARD, FORWARD, NONE, RELU, SILU, Compared, Counted, parameters
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "script"))
from comparison.video_and_volumes import VideoDecoder, _RmsNorm  # noqa: E402

LEAKY = ("leaky_relu", .2, 0.)
ACTIVATIONS = {NONE: lambda z: z, RELU: torch.relu, SILU: F.silu, LEAKY: lambda z: F.leaky_relu(z, .2)}


def layer_norm(x, weight, bias):
    return F.layer_norm(x.movedim(1, -1), weight.shape, weight, bias, 1e-5).movedim(-1, 1)


def as_normalize(x, weight, bias):
    shape = (-1,) + (1,) * (x.dim() - 2)
    return F.normalize(x, dim=1, eps=1e-5) * math.sqrt(x.size(1)) * weight.view(shape) + bias.view(shape)


def ours(norm, activation=SILU):
    def compute(x, weight, bias):
        if norm == "l2":
            weight, bias = (t.view((-1,) + (1,) * (x.dim() - 2)) for t in (weight, bias))
        return group_norm.group_norm(x, norm, weight, bias, 1e-5, activation)
    return compute


NORMS = {"layer": layer_norm, "l2": as_normalize}


class Numbers(Compared):
    def check(self, x, norm, activation=SILU, parameter_type=None):
        parameter_type = x.dtype if norm == "l2" else parameter_type  # PyTorch's result is wider with others
        self.compare(lambda *given: ACTIVATIONS[activation](NORMS[norm](*given)), ours(norm, activation), x, parameter_type)

    def test_types_and_activations(self):
        for dtype in ERRORS:
            for activation in ACTIVATIONS:
                for norm in NORMS:
                    with self.subTest(dtype=dtype, activation=activation, norm=norm):
                        self.check(rows(3, 12, 5, 4, dtype=dtype), norm, activation)

    def test_ranks_and_sizes(self):
        for size in ((7, 6), (3, 4, 9), (2, 3, 4, 5), (1, 64, 5, 5), (2, 5, 2, 3, 4), (1, 2, 1, 1), (2, 1100, 1, 3)):
            for norm in NORMS:
                with self.subTest(size=size, norm=norm):
                    self.check(rows(*size, dtype=torch.float64), norm)

    def test_parameters(self):
        for dtype in (torch.bfloat16, torch.float16):
            self.check(rows(2, 8, 4, 4, dtype=dtype), "layer", parameter_type=dtype)

    def test_the_last_dimension(self):
        """Gradients may have other strides."""
        for dtype in ERRORS:
            for norm, theirs in (("layer_last", lambda x, w, b: F.layer_norm(x, (12,), w, b)),
                                 ("l2_last", lambda x, w, b: F.normalize(x, dim=-1, eps=1e-5) * math.sqrt(12) * w + b)):
                x, (weight, bias) = torch.randn(2, 12, 5, 12).to(dtype), parameters(12, dtype)
                grad, found = rows(2, 12, 5, 12, dtype=dtype), []
                for exact in (True, False):
                    given = [t.to(torch.float64 if exact else dtype, copy=True).requires_grad_() for t in (x, weight, bias)]
                    with Counted() as called:
                        y = F.silu(theirs(*given)) if exact else ours(norm)(*given)
                        y.backward(grad.to(y.dtype))
                    found.append([y, *(t.grad for t in given)])
                self.assertEqual(called, [FORWARD, BACKWARD])
                self.assertEqual((y.dtype, y.stride()), (dtype, x.stride()))
                for right, got in zip(*found):
                    self.assertLess(far(got, right), ERRORS[dtype])

    def test_pytorch_computes_single_pixels(self):
        """Tensors whose only dimension is that of the channels."""
        weight, bias = parameters(12, torch.float64)
        for norm, right in (("layer_last", lambda x: F.layer_norm(x, (12,), weight, bias)),
                            ("l2_last", lambda x: F.normalize(x, dim=-1, eps=1e-5) * math.sqrt(12) * weight + bias)):
            for size, calls in (((12,), []), ((1, 12), [FORWARD])):
                x = torch.randn(size, dtype=torch.float64)
                with Counted() as called:
                    y = group_norm.group_norm(x, norm, weight, bias, 1e-5)
                self.assertEqual((called, y.shape), (calls, x.shape))
                self.assertLess(far(y, right(x)), 1e-12)

    @unittest.skipUnless(hasattr(F, "rms_norm"), "this PyTorch has no RMS norm")
    def test_rms_norm(self):
        x, weight = torch.randn(3, 5, 12), torch.rand(12) + .5
        for dtype in ERRORS:
            found = []
            for compute, of in ((lambda *given: F.rms_norm(given[0], (12,), given[1], 1e-3), torch.float64),
                                (lambda *given: group_norm.group_norm(given[0], "rms_last", given[1], None, 1e-3), dtype)):
                given = [t.to(dtype).to(of, copy=True).requires_grad_() for t in (x, weight)]
                with Counted() as called:
                    y = compute(*given)
                    y.square().sum().backward()
                found.append([y, *(t.grad for t in given)])
            self.assertEqual(called, [FORWARD, BACKWARD])
            for right, got in zip(*found):
                self.assertLess(far(got, right), 2 * ERRORS[dtype])

    def test_short_pixels_have_the_length_epsilon(self):
        """And so no gradient of their length, as in F.normalize()."""
        for scale in (0., 1e-9, 1e-5, 1.):
            x = rows(2, 6, 3, 3, dtype=torch.float64) * scale
            found = []
            for compute in (as_normalize, ours("l2", NONE)):
                leaf, (weight, bias) = x.clone().requires_grad_(), [torch.arange(1., 7).double(), torch.zeros(6).double()]
                y = compute(leaf, weight, bias)
                y.backward(rows(2, 6, 3, 3, dtype=torch.float64).copy_(torch.arange(108).view(2, 6, 3, 3)))
                found.append((y, leaf.grad))
            for right, got in zip(*found):
                self.assertLess(far(got, right), 1e-12)

    def test_gradients_that_are_not_wanted(self):
        for norm in NORMS:
            self.compare_gradients_that_are_wanted(lambda *given: F.silu(NORMS[norm](*given)), ours(norm), lambda x: x.cos())

    def test_gradients_of_gradients(self):
        for norm in NORMS:
            self.compare_gradients_of_gradients(lambda *given: F.silu(NORMS[norm](*given)), ours(norm))

    def test_autocast(self):
        """Types are PyTorch's."""
        for norm, weighted in (("layer", (6,)), ("l2", (6, 1, 1))):
            for dtype in (torch.bfloat16, torch.float32):
                x, weight = rows(4, 6, 5, 3, dtype=dtype), (torch.rand(weighted) + .5).to(dtype)  # 1.13 has no other
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    right = group_norm.in_torch(x, norm, weight, None, 1e-5, SILU)
                    y = group_norm.group_norm(x.requires_grad_(), norm, weight, None, 1e-5, SILU)
                    y.sum().backward()
                self.assertEqual((y.dtype, x.grad.dtype), (right.dtype, dtype))
                self.assertLess(far(y, right), 2 * ERRORS[torch.bfloat16])


class OtherTensors(unittest.TestCase):
    def test_pytorch_computes_them_and_this_is_said_once(self):
        last, weight = rows(2, 6, 5, 3), torch.rand(6, 1, 1) + .5
        for x, weight, norm, text in ((torch.randn(2, 6, 5, 3), weight, "l2", "RMS norms.*not channels last"),
                                      (last, torch.rand(6), "layer", None),
                                      (last, weight.double(), "l2", "needs torch.float32 weights without gaps"),
                                      (torch.randn(2, 6, 4)[..., ::2], torch.rand(2), "layer_last", "layer norms.*not contiguous")):
            with Counted() as called, warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                for _ in range(2):
                    y = group_norm.group_norm(x, norm, weight, None, 1e-5, RELU)
            right = group_norm.in_torch(x, norm, weight, None, 1e-5, RELU)
            self.assertEqual((y.dtype, y.stride()), (right.dtype, right.stride()))
            self.assertLess(far(y, right), 1e-6)
            self.assertEqual(called, [] if text else [FORWARD] * 2)
            self.assertEqual(len(said), 1 if text else 0)
            if text:
                self.assertRegex(str(said[0].message), text)

    def test_weights_that_are_broadcast_elsewhere(self):
        """Along the last dimension, which is as long as there are channels; or to more dimensions than the tensor has."""
        for x, weight in ((rows(2, 6, 5, 6), torch.rand(6)), (rows(2, 1, 3), torch.rand(1, 1, 1, 1)),
                          (rows(2, 1), torch.rand(1, 1, 1))):
            with Counted() as called:
                y = group_norm.group_norm(x, "l2", weight, None, 1e-5, RELU)
            self.assertEqual(called, [])
            right = torch.relu(F.normalize(x, eps=1e-5) * math.sqrt(weight.numel()) * weight)
            self.assertEqual(y.shape, right.shape)
            self.assertLess(far(y, right), 1e-6)


class LayerNorm2d(nn.LayerNorm):
    """As torchvision's and timm's."""

    def __init__(self, channels):
        super().__init__(channels, eps=1e-6)
        self._fast_norm = False

    def forward(self, x):
        x = x.permute(0, 2, 3, 1)
        x = F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


class Grouped(nn.GroupNorm):
    """As GroupNorm and GroupNorm1 of timm."""

    def __init__(self, c, groups=2):
        super().__init__(groups, c)

    def forward(self, x):
        return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)


class Inherited(nn.GroupNorm):
    def __init__(self, c):
        super().__init__(1, c)


class RmsNorm(nn.Module):
    """As diffusers' of video autoencoders."""

    def __init__(self, channels, channel_first=True, images=True, bias=False):
        super().__init__()
        shape = (channels, *((1, 1) if images else (1, 1, 1))) if channel_first else (channels,)
        self.channel_first, self.scale = channel_first, channels ** .5
        self.gamma, self.bias = nn.Parameter(torch.ones(shape)), nn.Parameter(torch.zeros(shape)) if bias else 0.

    def forward(self, x):
        return F.normalize(x, dim=(1 if self.channel_first else -1)) * self.scale * self.gamma + self.bias


class Written(nn.Module):
    """As ConvNeXt's, SAM's and MedNeXt's of channels first."""

    def __init__(self, channels, rank=4):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(channels)), nn.Parameter(torch.zeros(channels))
        self.index, self.eps = (slice(None), *(None,) * (rank - 2)), 1e-6

    def forward(self, x):
        u = x.mean(1, keepdim=True)
        s = (x - u).pow(2).mean(1, keepdim=True)
        x = (x - u) / torch.sqrt(s + self.eps)
        return self.weight[self.index] * x + self.bias[self.index]


class WrittenRms(nn.Module):
    """As timm's RmsNorm2d."""

    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        v = torch.mean(x.pow(2), dim=1, keepdim=True)
        x = x * torch.rsqrt(v + 1e-6)
        return x * self.weight.reshape(1, -1, 1, 1)


class Last(nn.Module):
    """A block of ConvNeXt: linear layers of the last dimension."""

    def __init__(self, channels):
        super().__init__()
        self.dwconv, self.norm = nn.Conv2d(channels, channels, 3, padding=1, groups=channels), nn.LayerNorm(channels, eps=1e-6)
        self.wide, self.narrow = nn.Linear(channels, 2 * channels), nn.Linear(2 * channels, channels)

    def forward(self, x):
        y = self.narrow(F.gelu(self.wide(self.norm(self.dwconv(x).permute(0, 2, 3, 1)))))
        return x + y.permute(0, 3, 1, 2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 2, 2), LayerNorm2d(8))
        self.block = Last(8)
        self.rms, self.act, self.conv = RmsNorm(8), nn.SiLU(), nn.Conv2d(8, 8, 1)
        self.biased, self.last = RmsNorm(8, bias=True), nn.Conv2d(8, 4, 1)

    def forward(self, x):
        x = self.conv(self.act(self.rms(self.block(self.stem(x)))))
        return self.last(F.relu(self.biased(x)))


def ready(model, dtype=torch.float64):
    for p in model.parameters():
        nn.init.normal_(p)
    return model.to(dtype).to(memory_format=torch.channels_last)


class Fuse(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.object(group_norm, "LEAST_BYTES", 0)
        patch.start()
        self.addCleanup(patch.stop)
        group_norm._recent.clear()

    def results(self, model, x):
        own = x.clone().requires_grad_()
        model.zero_grad()
        with Counted() as called:
            y = model(own)
            y.square().sum().backward()
        return called, [y, own.grad, *(p.grad for p in model.parameters())]

    def test_training(self):
        model, x = ready(Net()).train(), rows(2, 3, 12, 12, dtype=torch.float64)
        done = ck_conv.fuse(model, report=True)
        self.assertEqual(done.fused, {"rms": "SiLU act", "biased": "relu"})
        self.assertEqual(set(done.left), {"stem.1", "block.norm"})
        (_, right), (called, got) = self.results(model, x), self.results(done.model, x)
        self.assertEqual(called, [FORWARD] * 4 + [BACKWARD] * 4)
        for a, b in zip(right, got):
            self.assertLess(far(b, a), 1e-9)
        self.assertEqual([n for n, _ in done.model.named_parameters()], [n for n, _ in model.named_parameters()])
        self.assertIs(type(model.rms), RmsNorm)  # the model does not change
        self.assertIsInstance(done.model.rms, RmsNorm)
        for again in (pickle.loads(pickle.dumps(done.model)), copy.deepcopy(done.model), ck_conv.fuse(done.model)):
            called, got = self.results(again, x)
            self.assertEqual(called, [FORWARD] * 4 + [BACKWARD] * 4)
            self.assertTrue(torch.equal(got[0], done.model(x)))

    def test_group_norms_of_other_classes(self):
        x = rows(2, 8, 6, 6, dtype=torch.float64)
        for norm in (Grouped(8), Inherited(8)):
            for training in (False, True):
                model = ready(nn.Sequential(norm, nn.SiLU(), nn.Conv2d(8, 4, 1))).train(training)
                done = ck_conv.fuse(model, report=True)
                self.assertEqual(done.fused, {"0": "SiLU 1"})
                self.assertIsInstance(done.model.get_submodule("0"), type(norm))
                for one in (done.model, copy.deepcopy(done.model), pickle.loads(pickle.dumps(done.model)), ck_conv.fuse(done.model)):
                    (_, right), (called, got) = self.results(model, x), self.results(one, x)
                    self.assertEqual(called, [FORWARD, BACKWARD])
                    for a, b in zip(right, got):
                        self.assertLess(far(b, a), 1e-9)

    def test_evaluation(self):
        model, x = ready(Net()).eval(), rows(2, 3, 12, 12, dtype=torch.float64)
        done = ck_conv.fuse(model, report=True)
        self.assertEqual((done.fused["rms"], done.fused["biased"]), ("SiLU act", "relu"))
        with torch.no_grad(), Counted() as called:
            y = done.model(x)
        self.assertEqual(called, [FORWARD] * 4)
        self.assertLess(far(y, model(x)), 1e-12)
        self.assertEqual(list(done.model.state_dict()), list(model.state_dict()))
        with torch.no_grad():
            self.assertTrue(torch.equal(pickle.loads(pickle.dumps(done.model))(x), y))

    def test_parameters_given_by_a_functional_call(self):
        call = getattr(torch, "func", torch.nn.utils.stateless).functional_call
        x = rows(2, 8, 4, 4, dtype=torch.float64)
        for norm in (LayerNorm2d(8), RmsNorm(8, bias=True), Written(8), WrittenRms(8), Grouped(8), Inherited(8)):
            model = ready(nn.Sequential(norm, nn.SiLU()))
            given = {name: torch.rand_like(p) for name, p in model.named_parameters()}
            for fused in (ck_conv.fuse(model.train()), ck_conv.fuse(model.eval())):
                self.assertIsInstance(fused[0] if fused.training else fused.get_submodule("0"), FusedRowNorm)
                self.assertLess(far(call(fused, given, (x,)), call(model, given, (x,))), 1e-12)

    def test_attributes_that_are_set_later(self):
        x = rows(2, 8, 4, 4, dtype=torch.float64)
        for norm, name, value, is_found in ((LayerNorm2d(8), "eps", .5, True), (Written(8), "eps", .5, True),
                                            (Grouped(8), "num_groups", 4, True), (Grouped(8), "bias", None, False),
                                            (RmsNorm(8), "scale", 2., False), (RmsNorm(8), "channel_first", True, True)):
            model = ready(nn.Sequential(norm, nn.SiLU())).train()
            fused = ck_conv.fuse(model)
            fused.eval()
            for one in (model, fused):
                setattr(one[0], name, value)
            with Counted() as called:
                got = fused(x)
            self.assertEqual(called, [FORWARD] * is_found)
            self.assertLess(far(got, model(x)), 1e-12)
            again = copy.deepcopy(fused)
            self.assertLess(far(again(x), model(x)), 1e-12)

    def test_rms_norms_by_pytorch(self):
        """PyTorch 1.13 has none."""
        x, weight = torch.randn(2, 4), torch.rand(4)
        with mock.patch.object(F, "rms_norm", lambda *given: given, create=True):
            found = group_norm.in_torch(x, "rms_last", weight, None, 1e-3, NONE)
        self.assertEqual((id(found[0]), found[1], id(found[2]), found[3]), (id(x), weight.shape, id(weight), 1e-3))

    def test_from_which_size_the_library_has_gradients(self):
        """Of layer norms of the last dimension, without an activation."""
        for dtype in (torch.float64, torch.float32, torch.bfloat16):
            x = torch.randn(6, 4).to(dtype)
            size = x.numel() * x.element_size()
            for grad, activation, more, takes in ((True, NONE, 0, True), (True, NONE, 1, False), (False, NONE, 1, True),
                                                  (True, ("silu", 0., 0.), 1, True)):
                group_norm.LEAST_BYTES = size + more  # the patch ends with the test
                weight = torch.ones(4, dtype=dtype)
                norm = group_norm.norm_of(x.clone().requires_grad_(grad), "layer_last", weight, None, 1e-5, activation)
                self.assertEqual(norm is not None, takes, (dtype, grad, activation, more))

    def test_small_layer_norms_of_the_last_dimension_without_gradients(self):
        """Their parameters have gradients, but the call has none."""
        group_norm.LEAST_BYTES = 1 << 30  # the patch ends with the test
        norm, x = nn.LayerNorm(8), torch.randn(5, 8)
        wide, long = nn.LayerNorm(1032), torch.randn(5, 1032)
        for least, takes in ((5 * 8 * 4, True), (5 * 8 * 4 + 1, False)):
            with mock.patch.object(group_norm, "LEAST_BYTES_WITHOUT", least):
                for one, given, here in ((norm, x, takes), (wide, long, False)):
                    group_norm._recent.clear()
                    fused = copy.deepcopy(one)
                    self.assertIsNone(fuse_row_norm(fused))
                    for with_gradients in (False, True, False):  # what one call finds out does not decide the other
                        with torch.set_grad_enabled(with_gradients), Counted() as called:
                            torch.testing.assert_close(fused(given), one(given))
                        self.assertEqual(called, [FORWARD] * (here and not with_gradients))

    def test_small_layer_norms_of_the_last_dimension_have_pytorchs_gradients(self):
        group_norm.LEAST_BYTES = 1 << 20  # the patch ends with the test
        model, x = ck_conv.fuse(ready(Net()).train()), rows(2, 3, 12, 12, dtype=torch.float64)
        self.assertEqual(self.results(model, x)[0], [FORWARD] * 3 + [BACKWARD] * 3)

    def test_the_decoder_of_videos(self):
        model = VideoDecoder((8, 8, 8, 8), 1).double().eval()
        done = ck_conv.fuse(model, report=True)
        norms = [n for n, m in model.named_modules() if isinstance(m, _RmsNorm)]
        self.assertEqual({n for n in norms if done.fused.get(n) == "silu"}, {n for n in norms if n != "middle.1.norm"})
        self.assertTrue(all(isinstance(done.model.get_submodule(n), FusedRowNorm) for n in norms))
        x = torch.randn(1, 16, 2, 2, 2).double().contiguous(memory_format=torch.channels_last_3d)
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some tensors are not channels last
            self.assertLess(far(done.model(x), model(x)), 1e-12)

    def test_what_is_found(self):
        for norm, right in ((LayerNorm2d(6), Found("layer", "weight", "bias", 1e-6, 4)),
                            (nn.LayerNorm(6), Found("layer_last", "weight", "bias", 1e-5)),
                            (Grouped(6), Found(2, "weight", "bias", 1e-5)), (Inherited(6), Found(1, "weight", "bias", 1e-5)),
                            (RmsNorm(6), Found("l2", "gamma", None, 1e-12)),
                            (RmsNorm(6, bias=True, images=False), Found("l2", "gamma", "bias", 1e-12)),
                            (RmsNorm(6, False), Found("l2_last", "gamma", None, 1e-12)),
                            (_RmsNorm(6), Found("l2", "weight", None, 1e-12)),
                            (Written(6), Found("layer_written", "weight", "bias", 1e-6, 4)),
                            (Written(6, 5), Found("layer_written", "weight", "bias", 1e-6, 5)),
                            (WrittenRms(6), Found("rms_written", "weight", None, 1e-6, 4))):
            self.assertEqual(found(norm), right)
        if hasattr(nn, "RMSNorm"):
            self.assertEqual(found(nn.RMSNorm(6, eps=1e-4)), Found("rms_last", "weight", None, 1e-4))

    def test_what_is_nearly_a_written_norm_is_left(self):
        class Shifted(Written):  # divides another difference than that of x and its mean
            def forward(self, x):
                d = self.shifted(x) - x.mean(1, keepdim=True)
                y = d / torch.sqrt(d.pow(2).mean(1, keepdim=True) + self.eps)
                return self.weight[self.index] * y + self.bias[self.index]

            def shifted(self, x):
                return x * 2

        class AlsoAdds(Shifted):
            def forward(self, x):
                d = x + x.mean(1, keepdim=True)
                y = d / torch.sqrt(d.pow(2).mean(1, keepdim=True) + self.eps)
                return self.weight[self.index] * y + self.bias[self.index]

        class OfItself(Shifted):
            def shifted(self, x):
                return x
        self.assertEqual(found(OfItself(6)), Found("layer_written", "weight", "bias", 1e-6, 4))
        for norm in (Shifted(6), AlsoAdds(6)):
            self.assertIsNone(found(norm))

    def test_norms_that_are_written_out(self):
        for norm, x in ((Written(8), rows(2, 8, 5, 5, dtype=torch.float64)), (WrittenRms(8), rows(2, 8, 5, 5, dtype=torch.float64)),
                        (Written(8, 5), rows(2, 8, 2, 3, 3, dtype=torch.float64))):
            for p in norm.parameters():
                nn.init.normal_(p)
            model = nn.Sequential(norm, nn.SiLU()).double().train()
            done = ck_conv.fuse(model, report=True)
            self.assertEqual(done.fused, {"0": "SiLU 1"})
            (_, right), (called, got) = self.results(model, x), self.results(done.model, x)
            self.assertEqual(called, [FORWARD, BACKWARD])
            for a, b in zip(right, got):
                self.assertLess(far(b, a), 1e-9)
        with Counted() as called:  # 4 dimensions are broadcast in other ways
            x = rows(8, 8, 8, 8).double()
            self.assertLess(far(done.model(x), model(x)), 1e-12)
        self.assertEqual(called, [])

    def test_types_of_norms_that_are_written_out(self):
        """They are PyTorch's: the result is as wide as the weights."""
        norm, x = Written(8).eval(), rows(2, 8, 5, 5, dtype=torch.bfloat16)
        fused = ck_conv.fuse(nn.Sequential(norm, nn.ReLU()).eval())
        for dtype, calls in ((torch.float32, []), (torch.bfloat16, [FORWARD])):
            with Counted() as called, torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y = fused.to(dtype)(x)
            self.assertEqual((called, y.dtype), (calls, torch.relu(norm.to(dtype)(x)).dtype))
            self.assertLess(far(y, torch.relu(Written(8)(x.double()))), ERRORS[torch.bfloat16])

    def test_what_is_not(self):
        class Norm(nn.Module):
            def __init__(self, forward, shape=(6, 1, 1)):
                super().__init__()
                self.weight, self.compute = nn.Parameter(torch.ones(shape)), forward

            def forward(self, x):
                return self.compute(x, self.weight)

        class Doubled(LayerNorm2d):
            def forward(self, x):
                return super().forward(x) * 2

        class Elsewhere(LayerNorm2d):
            def forward(self, x):
                return super().forward(x.transpose(2, 3))

        class OfOthers(Grouped):
            def forward(self, x):
                return F.group_norm(x, 2, self.weight, self.weight + 1, self.eps)

        root = math.sqrt(6)
        self.assertIsNotNone(found(Norm(lambda x, w: w * (root * F.normalize(x)))))
        for norm in (Norm(lambda x, w: F.normalize(x) * 2.5 * w), Norm(lambda x, w: F.normalize(x) * w),
                     Norm(lambda x, w: F.normalize(x, p=1) * root * w), Norm(lambda x, w: F.normalize(x, dim=2) * root * w),
                     Norm(lambda x, w: F.normalize(x) * root), Norm(lambda x, w: F.normalize(x) * root * w * w),
                     Norm(lambda x, w: F.normalize(x) * root * w + x), Norm(lambda x, w: F.normalize(x) * root * w + 1),
                     Norm(lambda x, w: (F.normalize(x) + w) * root * w), Norm(lambda x, w: F.normalize(x * 2) * root * w),
                     Norm(lambda x, w: F.normalize(x) * root * w, (1, 6, 1)), Norm(lambda x, w: w), Norm(lambda x, w: x),
                     *(Norm(lambda x, w, f=f: f(x, x - x.mean(1, keepdim=True)) * w[:, None, None], (6,)) for f in (
                         lambda x, d: d / torch.sqrt(x.pow(2).mean(1, keepdim=True) + 1e-6),
                         lambda x, d: x / torch.sqrt(d.pow(2).mean(1, keepdim=True) + 1e-6),
                         lambda x, d: d / torch.sqrt(d.pow(2).mean(2, keepdim=True) + 1e-6),
                         lambda x, d: d / torch.sqrt(d.pow(3).mean(1, keepdim=True) + 1e-6),
                         lambda x, d: d / (d.pow(2).mean(1, keepdim=True) + 1e-6),
                         lambda x, d: d * torch.sqrt(d.pow(2).mean(1, keepdim=True) + 1e-6),
                         lambda x, d: torch.sqrt(d.pow(2).mean(1, keepdim=True) + 1e-6) / d)),
                     nn.LayerNorm((3, 6)), nn.LayerNorm(6, elementwise_affine=False), Doubled(6), Elsewhere(6),
                     OfOthers(6), nn.Sequential(nn.GroupNorm(2, 6)), nn.GroupNorm(2, 6, affine=False)):
            self.assertIsNone(found(norm))

    def test_what_is_left(self):
        fast, hooked, parametrized = LayerNorm2d(8), LayerNorm2d(8), LayerNorm2d(8)
        fast._fast_norm = True
        hooked.register_forward_hook(lambda *_: None)
        torch.nn.utils.parametrize.register_parametrization(parametrized, "weight", nn.Softplus())
        for training in (False, True):
            model = nn.Sequential(nn.Conv2d(3, 8, 1), fast, hooked, parametrized, nn.LayerNorm((8, 5, 5)), nn.ReLU())
            model, x = ready(model).train(training), rows(2, 3, 5, 5, dtype=torch.float64)
            done = ck_conv.fuse(model, report=True)
            self.assertEqual([done.left[name] for name in ("1", "2", "3", "4")], [f"PyTorch computes it: {why}" for why in (
                "timm's fast norms have other types under torch.autocast", "it has hooks", "its parameters are parametrized",
                "it is not over the channels of each pixel alone, with a weight and an epsilon")])
            with Counted() as called:
                self.assertLess(far(done.model(x), model(x)), 1e-12)
            self.assertEqual(called, [])

    def test_tracers_see_pytorchs_operations(self):
        model, x = ready(Net()).train(), rows(2, 3, 12, 12, dtype=torch.float64)
        fused = ck_conv.fuse(model)
        with Counted() as called, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for one in (torch.fx.symbolic_trace(fused), torch.jit.trace(fused, x, check_trace=False)):
                self.assertLess(far(one(x), model(x)), 1e-12)
        self.assertEqual(called, [])


if __name__ == "__main__":
    unittest.main()
