#!/usr/bin/python3
"""Group norms and instance norms that also add a residual, against PyTorch's operations in float64, and in ck_conv.fuse()."""
import copy
import itertools
import operator
import pickle
import random
import unittest
import warnings
from unittest import mock

from needs_torch import torch
from networks import LAST, ChannelNorm, Net

import ck_conv
import torch.fx
from ck_conv._norm import group_norm
from ck_conv._norm.modules import fuse_group_norm
from test_batch_norm import ERRORS, far, rows
from test_group_norm import BACKWARD, FORWARD, NONE, RELU, SILU, Counted, parameters
from torch import nn
from torch.nn import functional as F

LEAKY, IN_PLACE, STEEP = ("leaky_relu", .125, 0.), ("leaky_relu", .125, 1.), ("leaky_relu", -.5, 0.)
ACTIVATIONS = {NONE: lambda z: z, RELU: torch.relu, SILU: F.silu, LEAKY: lambda z: F.leaky_relu(z, .125),
               IN_PLACE: lambda z: F.leaky_relu(z, .125), STEEP: lambda z: F.leaky_relu(z, -.5)}
ADDS = NONE, RELU, LEAKY, IN_PLACE
GROUPS = 2, group_norm.INSTANCES


def theirs(groups, activation):
    def compute(x, residual, weight=None, bias=None):
        y = F.instance_norm(x, weight=weight, bias=bias) if groups is None else F.group_norm(x, groups, weight, bias)
        return ACTIVATIONS[activation](y + residual)
    return compute


def ours(groups, activation):
    def compute(x, residual, weight=None, bias=None):
        return group_norm.group_norm(x, groups, weight, bias, 1e-5, activation, residual)
    return compute


def tensors(*size, dtype=torch.float64):
    """x, residual, weight and bias."""
    kept = torch.float64 if dtype == torch.float64 else torch.float32
    return [rows(*size, dtype=dtype), rows(*size, dtype=dtype), *parameters(size[1], kept)]


class Numbers(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(2)

    def check(self, groups, activation, x, residual, *more):
        """Result and gradients are PyTorch's in float64, of the input after rounding."""
        grad, found = rows(*x.shape, dtype=x.dtype), []
        for compute, exact in ((theirs, True), (ours, False)):
            given = [t.to(torch.float64 if exact else t.dtype, copy=True).requires_grad_() for t in (x, residual, *more)]
            with Counted() as called:
                y = compute(groups, activation)(*given)
                y.backward(grad.to(y.dtype))
            self.assertEqual(called, [] if exact else [FORWARD, BACKWARD])
            found.append([y, *(t.grad for t in given)])
        self.assertEqual((y.dtype, y.stride()), (x.dtype, x.stride()))
        for i, (right, got) in enumerate(zip(*found)):
            self.assertLess(far(got, right), ERRORS[x.dtype], i)

    def test_types_and_activations(self):
        for dtype, activation, groups, weighted in itertools.product(ERRORS, ADDS, GROUPS, (True, False)):
            with self.subTest(dtype=dtype, activation=activation, groups=groups, weighted=weighted):
                given = tensors(3, 12, 5, 4, dtype=dtype)
                self.check(groups, activation, *(given if weighted else given[:2]))

    def test_ranks_and_sizes(self):
        for size in ((3, 4, 9), (2, 64, 4, 5), (2, 6, 2, 3, 4), (1, 78, 1, 2)):
            for groups in GROUPS:
                self.check(groups, LEAKY, *tensors(*size))

    def test_the_residual_may_be_the_input(self):
        for groups, activation in itertools.product(GROUPS, ADDS):
            x, _, *more = tensors(2, 6, 3, 3)
            found = []
            for compute in (theirs, ours):
                own = x.clone().requires_grad_()
                y = compute(groups, activation)(own, own, *more)
                y.square().sum().backward()
                found.append((y, own.grad))
            for right, got in zip(*found):
                self.assertLess(far(got, right), 1e-12)
            with mock.patch.object(group_norm, "_find", None):  # what it found is remembered
                self.assertTrue(torch.equal(compute(groups, activation)(own, own, *more), y))

    def test_gradients_that_are_wanted(self):
        for activation in ADDS:
            given = tensors(4, 6, 5, 3)
            grad = torch.arange(given[0].numel()).view(given[0].shape).double()  # not channels last
            right = [t.clone().requires_grad_() for t in given]
            theirs(2, activation)(*right).backward(grad)
            for wanted in range(4):
                own = [t.clone().requires_grad_(i == wanted) for i, t in enumerate(given)]
                with Counted() as called:
                    ours(2, activation)(*own).backward(grad)
                self.assertEqual(called, [FORWARD, BACKWARD])
                self.assertEqual([t.grad is None for t in own], [i != wanted for i in range(4)])
                self.assertLess(far(own[wanted].grad, right[wanted].grad), 1e-12)

    def test_gradcheck(self):
        for groups, activation in itertools.product(GROUPS, ADDS):
            given = [t.requires_grad_() for t in tensors(2, 4, 2, 2)]
            self.assertTrue(torch.autograd.gradcheck(ours(groups, activation), given))
            self.assertTrue(torch.autograd.gradgradcheck(ours(groups, activation), given))

    def test_gradients_of_gradients(self):
        for groups, activation in itertools.product(GROUPS, ADDS):
            given, found = tensors(2, 4, 2, 2), []
            for compute in (theirs, ours):
                own = [t.clone().requires_grad_() for t in given]
                first = torch.autograd.grad(compute(groups, activation)(*own).pow(3).sum(), own, create_graph=True)
                found.append((*first, *torch.autograd.grad(sum(g.square().sum() for g in first), own)))
            for right, got in zip(*found):
                self.assertLess(far(got, right), 1e-9)

    def test_the_same_bits_again(self):
        given, found = tensors(2, 64, 9, 9, dtype=torch.bfloat16), []
        for _ in range(2):
            own = [t.clone().requires_grad_() for t in given]
            y = ours(None, LEAKY)(*own)
            y.backward(given[1])
            found.append((y, *(t.grad for t in own)))
        self.assertTrue(all(torch.equal(*pair) for pair in zip(*found)))

    def test_unaligned_residuals(self):
        x, _, *more = tensors(2, 8, 12, 1, dtype=torch.float32)
        residual = torch.randn(2 * 8 * 12 + 1)[1:].view(2, 12, 8, 1).permute(0, 2, 1, 3)
        self.assertNotEqual(residual.data_ptr() % 16, 0)
        self.check(2, RELU, x, residual, *more)

    def test_a_result_that_is_written_to(self):
        """It tells the derivative."""
        y = ours(2, RELU)(*(t.requires_grad_() for t in tensors(2, 4, 3, 3)))
        y.mul_(2)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            y.sum().backward()


class Others(unittest.TestCase):
    """What PyTorch computes."""

    def check(self, activation, given, text=None, right=None):
        right = theirs(2, activation)(*(t.double() for t in given)) if right is None else right
        with Counted() as called, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for _ in range(2):
                y = ours(2, activation)(*given)
        self.assertEqual((called, len(said)), ([], 1))
        self.assertRegex(str(said[0].message), f"PyTorch computes group norms, in separate launches: {text}")
        self.assertLess(far(y, right), 1e-5)
        return y

    def test_residuals_of_other_sizes_types_and_formats(self):
        x = rows(4, 6, 5, 3)
        for residual in (rows(4, 6, 1, 1), rows(4, 6, 5, 3).double(), torch.randn(4, 6, 5, 3), rows(1, 6, 5, 3)):
            y = self.check(RELU, (x, residual), "what is added has another size, type or memory format")
            self.assertEqual(y.dtype, torch.promote_types(x.dtype, residual.dtype))
        y = group_norm.group_norm(x, 2, residual=rows(4, 6, 5, 3).double(), adds_in_place=True)
        self.assertEqual(y.dtype, x.dtype)

    def test_residuals_that_are_numbers(self):
        x = rows(2, 4, 3, 3)
        for residual in (x, 2, x):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y = ours(2, RELU)(x, residual)
            self.assertLess(far(y, theirs(2, RELU)(x.double(), residual)), 1e-5)

    @unittest.skipUnless(hasattr(torch, "func"), "this PyTorch has no torch.func")
    def test_transforms(self):
        for groups, activation in itertools.product(GROUPS, ADDS):
            x, residual, *more = tensors(2, 4, 3, 3)
            got, right = (lambda x, residual, compute=compute(groups, activation): compute(x.contiguous(), residual, *more)
                          for compute in (ours, theirs))
            found = []
            for compute in (got, right):
                found.append((*torch.func.grad(lambda *given: compute(*given).cos().sum(), (0, 1))(x, residual),
                              *torch.func.jvp(compute, (x, residual), (residual, x)),
                              torch.func.vmap(compute)(x[None], residual[None])))
            for pair in zip(*found):
                self.assertLess(far(*pair), 1e-12)

    def test_activations_whose_derivative_the_result_does_not_tell(self):
        given = rows(2, 4, 3, 3), rows(2, 4, 3, 3)
        self.check(SILU, given, "the library refuses them: ck::GroupNormSpec: residual is set with activation silu")
        self.check(STEEP, given, "the library refuses them: ck::GroupNormSpec: residual is set and slope is -0.5")

    def test_norms_of_pixels(self):
        x, w = rows(2, 4, 3, 3), torch.ones(4)
        with Counted() as called, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            y = group_norm.group_norm(x, "layer", w, residual=x)
        self.assertEqual(called, [])
        self.assertRegex(str(said[0].message), "residual is set, but only norms of the kind group add one")
        self.assertLess(far(y, F.layer_norm(x.movedim(1, -1), (4,)).movedim(-1, 1) + x), 1e-5)


class Modules(unittest.TestCase):
    def norms(self, make):
        norm = make().double()
        for p in norm.parameters():
            nn.init.uniform_(p, .5, 1.5)
        fused = copy.deepcopy(norm)
        self.assertIsNone(fuse_group_norm(fused))
        return norm, fused

    def test_calls(self):
        for rank, make in ((4, lambda: nn.GroupNorm(2, 4)), (3, lambda: nn.InstanceNorm1d(4)),
                           (4, lambda: nn.InstanceNorm2d(4, affine=True)), (5, lambda: nn.InstanceNorm3d(4, affine=True))):
            norm, fused = self.norms(make)
            for size in ((2, 4, 3, 2, 2)[:rank], (4, 3, 2, 2)[:rank - 1]):
                if isinstance(norm, nn.GroupNorm) and len(size) < rank:
                    continue
                x, residual = rows(*size, dtype=torch.float64), rows(*size, dtype=torch.float64)
                for activation, in_place in itertools.product((None, RELU, LEAKY), (False, True)):
                    more = {} if activation is None else {"activation": activation}
                    right = ACTIVATIONS[activation or NONE](norm(x) + residual)
                    self.assertLess(far(fused(x, residual, adds_in_place=in_place, **more), right), 1e-12)

    def test_statistics_that_are_tracked_later(self):
        norm, fused = self.norms(lambda: nn.InstanceNorm2d(4))
        for one in (norm, fused):
            one.track_running_stats = True
            one.running_mean, one.running_var = torch.ones(4).double(), torch.full((4,), 4.).double()
        x = rows(2, 4, 3, 3, dtype=torch.float64)
        self.assertTrue(torch.equal(fused.eval()(x, x, LEAKY), F.leaky_relu(norm.eval()(x) + x, .125)))

    def test_autocast(self):
        """Types are PyTorch's."""
        types = torch.bfloat16, torch.float32
        for of_x, of_residual, groups in itertools.product(types, types, GROUPS):
            for in_place in (False, True):
                x, residual = rows(2, 4, 5, 3, dtype=of_x), rows(2, 4, 5, 3, dtype=of_residual)
                with torch.autocast("cpu", dtype=torch.bfloat16), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    right = group_norm.in_torch(x, groups, None, None, 1e-5, LEAKY, residual, in_place)
                    own = [t.clone().requires_grad_() for t in (x, residual)]
                    y = group_norm.group_norm(own[0], groups, None, None, 1e-5, LEAKY, own[1], in_place)
                    y.sum().backward()
                self.assertEqual((y.dtype, *(t.grad.dtype for t in own)), (right.dtype, of_x, of_residual))
                exact = theirs(groups, LEAKY)(x.double(), residual.double())
                self.assertLess(far(y, exact), 2 * ERRORS[torch.bfloat16])

    def test_autocast_that_widens(self):
        """As PyTorch's does on GPUs."""
        x = rows(2, 4, 5, 3, dtype=torch.bfloat16)
        with torch.autocast("cpu", dtype=torch.bfloat16), mock.patch.object(group_norm, "_widens", lambda *_: True):
            for residual in (x, rows(2, 4, 5, 3, dtype=torch.bfloat16), rows(2, 4, 5, 3)):
                own = [t.clone().requires_grad_() for t in (x, residual)]
                with Counted() as called:
                    y = ours(2, RELU)(*own)
                    y.sum().backward()
                self.assertEqual((called, y.dtype), ([FORWARD, BACKWARD], torch.float32))
                self.assertEqual([t.grad.dtype for t in own], [t.dtype for t in own])
                self.assertLess(far(y, theirs(2, RELU)(x.double(), residual.double())), 1e-5)
        group_norm._recent.clear()


class ConvNorm(nn.Module):
    """As nnU-Net's ConvDropoutNormReLU."""

    def __init__(self, norm, c, k, size=3, act=True):
        super().__init__()
        layers = [nn.Conv2d(c, k, size, padding=size // 2), norm(k)] + [nn.LeakyReLU(.01, inplace=True)] * act
        self.all_modules = nn.Sequential(*layers)

    def forward(self, x):
        return self.all_modules(x)


class ResEnc(nn.Module):
    """As nnU-Net's BasicBlockD."""

    def __init__(self, norm, c, k):
        super().__init__()
        self.conv1, self.conv2 = ConvNorm(norm, c, k), ConvNorm(norm, k, k, act=False)
        self.nonlin2 = nn.LeakyReLU(.01, inplace=True)
        self.skip = nn.Identity() if c == k else nn.Sequential(nn.AvgPool2d(1), ConvNorm(norm, c, k, 1, act=False))

    def forward(self, x):
        residual = self.skip(x)
        out = self.conv2(self.conv1(x))
        out += residual
        return self.nonlin2(out)


class Encoder(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.stem = ConvNorm(norm, 3, 4)
        self.stages = nn.ModuleList([ResEnc(norm, 4, 4), ResEnc(norm, 4, 8)])

    def forward(self, x):
        x, skips = self.stem(x), []
        for stage in self.stages:
            x = stage(x)
            skips.append(x)
        return skips


class UnetResBlock(nn.Module):
    """As MONAI's."""

    def __init__(self, norm, c, k):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(c, k, 3, padding=1), norm(k)
        self.conv2, self.norm2 = nn.Conv2d(k, k, 3, padding=1), norm(k)
        self.lrelu, self.downsample = nn.LeakyReLU(.01, inplace=True), c != k
        if self.downsample:
            self.conv3, self.norm3 = nn.Conv2d(c, k, 1), norm(k)

    def forward(self, inp):
        residual = inp
        out = self.norm2(self.conv2(self.lrelu(self.norm1(self.conv1(inp)))))
        if self.downsample:
            residual = self.norm3(self.conv3(residual))
        out += residual
        return self.lrelu(out)


NORMS = (lambda c: nn.InstanceNorm2d(c, affine=True)), nn.InstanceNorm2d, lambda c: nn.GroupNorm(2, c)


def image(channels=3):
    return torch.randn(2, channels, 6, 5, dtype=torch.float64).contiguous(memory_format=LAST[2])


class RandomBlock(nn.Module):
    """Convolutions, norms and an addition of random kinds."""

    def __init__(self, chosen):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(4, 4, 3, padding=1), chosen.choice(NORMS)(4)
        self.shortcut = nn.Sequential(nn.Conv2d(4, 4, 1), chosen.choice((*NORMS, nn.BatchNorm2d))(4)) if chosen.random() < .5 else (
            nn.Identity())
        self.between = chosen.choice((nn.Identity(), nn.Dropout(0.)))
        self.add = chosen.choice((operator.add, operator.iadd, torch.add, lambda y, x: x + y, lambda y, x: y.add_(x)))
        self.act = chosen.choice((nn.ReLU(), nn.ReLU(True), nn.LeakyReLU(.25), nn.LeakyReLU(.25, True), nn.LeakyReLU(-.5),
                                  nn.SiLU(), nn.Identity(), nn.ReLU6()))
        self.is_first = chosen.random() < .5

    def forward(self, x):
        if self.is_first:
            residual = self.shortcut(x)
            y = self.between(self.norm(self.conv(x)))
        else:
            y = self.between(self.norm(self.conv(x)))
            residual = self.shortcut(x)
        return self.act(self.add(y, residual))


class Fuse(unittest.TestCase):
    def check(self, model, x, expected, calls=None):
        """Fuses for training and inference, and compares results and gradients. expected: what is fused, of both. Returns the
        reports."""
        model, reports = model.double().to(memory_format=LAST[2]), []
        for training in (True, False):
            done = ck_conv.fuse(model.train(training), report=True)
            names = {name for name, module in model.named_modules() if isinstance(module, (nn.GroupNorm, nn.InstanceNorm2d))}
            self.assertEqual({name: words for name, words in done.fused.items() if name in names}, expected)
            found = []
            for one in (model, done.model):
                one.requires_grad_(training)
                own = x.clone().requires_grad_()
                with Counted() as called:
                    ys = one(own + 0)  # which may be written to
                    ys = ys if isinstance(ys, (list, tuple)) else [ys]
                    sum(y.square().sum() for y in ys).backward()
                found.append([*ys, own.grad, *(p.grad for p in one.parameters() if p.grad is not None)])
                for p in one.parameters():
                    p.grad = None
            for right, got in zip(*found):
                self.assertLess(far(got, right), 1e-9)
            if calls is not None:
                self.assertEqual(called, [FORWARD] * calls + [BACKWARD] * calls)
            with torch.no_grad():
                right = done.model(x)
                pickled = [] if isinstance(model, Net) else [pickle.loads(pickle.dumps(done.model))]
                for again in (*pickled, copy.deepcopy(done.model), ck_conv.fuse(done.model)):
                    torch.testing.assert_close(again(x), right, rtol=0, atol=0)
            reports.append(done)
        return reports

    def test_residual_encoders(self):
        for norm in NORMS:
            act = {"stem.all_modules.1": "LeakyReLU stem.all_modules.2"}
            for i in range(2):
                at = f"stages.{i}."
                act[f"{at}conv1.all_modules.1"] = f"LeakyReLU {at}conv1.all_modules.2"
                act[f"{at}conv2.all_modules.1"] = f"add, LeakyReLU {at}nonlin2"
            self.check(Encoder(norm), image(), act, 6)

    def test_blocks_of_monai(self):
        for norm in NORMS:
            for c in (4, 3):
                self.check(UnetResBlock(norm, c, 4), image(c), {"norm1": "LeakyReLU lrelu", "norm2": "add, LeakyReLU lrelu"},
                           2 + (c == 3))

    def test_trained_then_for_inference(self):
        model = Encoder(NORMS[0]).double().to(memory_format=LAST[2]).train()
        trained, x = ck_conv.fuse(model), image()
        done = ck_conv.fuse(trained.eval(), report=True)
        with torch.no_grad(), Counted() as called:
            found = done.model(x)
        self.assertEqual(called, [FORWARD] * 6)
        for right, got in zip(model.eval()(x), found):
            self.assertLess(far(got, right), 1e-12)

    def net(self, function, **more):
        layers = {"conv": nn.Conv2d(4, 4, 3, padding=1), "norm": nn.InstanceNorm2d(4), "last": nn.Conv2d(4, 4, 1)}
        return Net(function, **{**layers, **more})

    def test_additions(self):
        def later(net, x):
            y = net.norm(net.conv(x))
            return net.last(F.relu(net.other(net.conv(x)) + y))

        def into_other(net, x):
            y = net.conv(x)
            y += net.norm(y * 2)
            return net.last(y)

        def twice(net, x):
            return net.last(F.relu(net.norm(net.conv(x)) + x + x))

        def dropped(net, x):
            return net.last(F.relu(net.drop(net.norm(net.conv(x))) + x))

        cases = ((lambda net, x: net.last(F.relu(net.norm(net.conv(x)) + x)), {"norm": "add, relu"}),
                 (lambda net, x: net.last(F.relu(x + net.norm(net.conv(x)))), {"norm": "add, relu"}),
                 (lambda net, x: net.last(F.relu(torch.add(x, net.norm(net.conv(x))))), {"norm": "add, relu"}),
                 (lambda net, x: net.last(F.relu(net.norm(net.conv(x)).add_(x))), {"norm": "add, relu"}),
                 (lambda net, x: net.last(net.norm(net.conv(x)) + x), {"norm": "add"}),
                 (lambda net, x: net.last(F.silu(net.norm(net.conv(x)) + x)), {"norm": "add"}),
                 (lambda net, x: net.last(torch.add(x, net.norm(net.conv(x)), alpha=2)), {}),
                 (lambda net, x: net.last(net.norm(net.conv(x)) + 1), {}),
                 (lambda net, x: net.last(F.relu(net.norm(net.conv(x))) + x), {"norm": "relu"}),
                 (lambda net, x: net.last(F.leaky_relu(net.norm(net.conv(x)) + x, -.5)), {"norm": "add"}),
                 (lambda net, x: net.last(F.leaky_relu(net.norm(net.conv(x)) + x, .5)), {"norm": "add, leaky_relu"}),
                 (lambda net, x: F.leaky_relu(net.norm(net.conv(x)) + x, .5), {"norm": "add"}),
                 (lambda net, x: F.leaky_relu_(net.norm(net.conv(x)) + x, .5), {"norm": "add, leaky_relu_"}),
                 (lambda net, x: F.relu(net.norm(net.conv(x)) + x), {"norm": "add, relu"}),
                 (later, {"other": "add, relu"}), (into_other, {}), (twice, {"norm": "add"}), (dropped, {"norm": "add, relu"}))
        for i, (function, expected) in enumerate(cases):
            with self.subTest(i=i):
                more = {later: {"other": nn.GroupNorm(2, 4)}, dropped: {"drop": nn.Dropout(0.)}}.get(function, {})
                self.check(self.net(function, **more), image(4), expected)

    def test_prelu(self):
        """Its slope is a constant in inference."""
        for slope, training, expected in ((.25, False, "add, PReLU act"), (-.25, False, "add"), (.25, True, "add")):
            model = self.net(lambda net, x: net.last(net.act(net.norm(net.conv(x)) + x)), act=nn.PReLU(init=slope))
            model, x = model.double().to(memory_format=LAST[2]).train(training), image(4)
            done = ck_conv.fuse(model, report=True)
            self.assertEqual(done.fused["norm"], expected)
            with torch.no_grad():
                self.assertLess(far(done.model(x), model(x)), 1e-12)

    def test_norms_of_pixels_do_not_add(self):
        model = self.net(lambda net, x: net.last(F.relu(net.norm(net.conv(x)) + x)), norm=ChannelNorm(4)).double()
        for training in (True, False):
            done, x = ck_conv.fuse(model.train(training), report=True), image(4)
            self.assertEqual(done.left["norm"], "add follows, which no kernel computes with it")
            self.assertLess(far(done.model(x), model(x)), 1e-12)

    def test_residuals_of_other_sizes(self):
        """PyTorch adds them when the network runs."""
        model = self.net(lambda net, x: net.last(F.relu(net.norm(net.conv(x)) + x.mean((2, 3), keepdim=True))))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.check(model, image(4), {"norm": "add, relu"}, 0)

    def test_results_overwrite_the_input(self):
        model = self.net(lambda net, x: net.last(F.relu(net.norm(net.conv(x)) + x))).double().eval()
        x = image(4)
        done = ck_conv.fuse(model.to(memory_format=LAST[2]), report=True)
        self.assertEqual(done.overwritten, 1)
        before = x.clone()
        with torch.no_grad(), mock.patch.object(group_norm, "overwriting", wraps=group_norm.overwriting) as overwriting:
            self.assertLess(far(done.model(x), model(x)), 1e-12)
        self.assertEqual(overwriting.call_count, 1)
        self.assertTrue(torch.equal(x, before))

    def test_random_blocks(self):
        for seed in range(24):
            torch.manual_seed(seed)
            chosen = random.Random(seed)
            blocks = [RandomBlock(chosen) for _ in range(3)]
            model = nn.Sequential(*blocks).double().to(memory_format=LAST[2])
            for training in (True, False):
                done, x, found = ck_conv.fuse(model.train(training), report=True), image(4), []
                self.assertGreater(sum("add" in words for words in done.fused.values()), 0)
                for one in (model, done.model):
                    own = x.clone().requires_grad_()
                    y = one(own * 1)
                    y.sin().sum().backward()
                    found.append((y, own.grad, *(p.grad.clone() for p in one.parameters() if training)))
                    one.zero_grad()
                for right, got in zip(*found):
                    self.assertLess(far(got, right), 1e-9, seed)

    def test_tracers_see_pytorchs_operations(self):
        model, x = Encoder(NORMS[0]).double().train(), image()
        fused = ck_conv.fuse(model)
        with Counted() as called, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for one in (torch.fx.symbolic_trace(fused), torch.jit.trace(fused, x, check_trace=False)):
                for right, got in zip(model(x), one(x)):
                    self.assertLess(far(got, right), 1e-12)
        self.assertEqual(called, [])


@unittest.skipUnless(hasattr(torch, "compile"), "this PyTorch has no torch.compile")
class Compiled(unittest.TestCase):
    def test_one_operator_each(self):
        from ck_conv._norm import operators

        def backend(graph, inputs):
            nonlocal count
            count += sum(node.target is operators._FORWARD for node in graph.graph.nodes)
            return graph.forward
        for norm in NORMS[::2]:
            model, x, count = Encoder(norm).to(memory_format=LAST[2]).train(), image().float(), 0
            fused = ck_conv.fuse(model)
            torch._dynamo.reset()
            torch.compile(fused, backend=backend, fullgraph=True)(x)
            self.assertEqual(count, 6)
            torch._dynamo.reset()
            for run in (model, torch.compile(fused, backend="aot_eager", fullgraph=True)):
                own = x.clone().requires_grad_()
                sum(y.square().sum() for y in run(own)).backward()
                right = own.grad if run is model else right
            torch.testing.assert_close(own.grad, right, rtol=1e-3, atol=1e-3)
            for p, q in zip(fused.parameters(), model.parameters()):
                torch.testing.assert_close(p.grad, q.grad, rtol=1e-3, atol=1e-3)

    def test_operators(self):
        from ck_conv._norm import operators
        for groups, activation in itertools.product(GROUPS, (*ADDS, SILU, STEEP)):
            for residual in (rows(2, 4, 3, 3, dtype=torch.float64), torch.randn(2, 4, 3, 3).double(), rows(1, 4, 1, 1).double()):
                x, _, *more = tensors(2, 4, 3, 3)
                takes = residual.shape == x.shape and residual.stride() == x.stride() and activation in ADDS
                found = []
                for compute in (operators.compiled, group_norm.in_torch):
                    own = [t.clone().requires_grad_() for t in (x, *more, residual)]
                    with mock.patch.object(operators, "_FORWARD", wraps=operators._FORWARD) as asked:
                        y = compute(own[0], groups, *own[1:3], 1e-5, activation, own[3])
                    if compute is operators.compiled:
                        self.assertEqual(asked.called, takes)
                    found.append((y, *torch.autograd.grad(y.cos().sum(), own)))
                for got, right in zip(*found):
                    torch.testing.assert_close(got, right, rtol=1e-9, atol=1e-9)

    def test_shapes(self):
        """What is said of tensors without memory is what there is of others."""
        from ck_conv._norm import operators
        x, residual, *more = tensors(2, 4, 3, 3)
        for activation in (NONE, LEAKY):
            given = (x, *more), ("2", 1e-5, *activation)
            meta = [t.to("meta") for t in given[0]]
            y, statistics = operators._FORWARD(*given[0], *given[1], residual)
            of_meta = operators._FORWARD(*meta, *given[1], residual.to("meta"))
            self.assertEqual([(t.shape, t.stride()) for t in of_meta], [(t.shape, t.stride()) for t in (y, statistics)])
            for wanted in ([True] * 4, [True, False, False, True], [True, True, True, False]):
                y = y if activation != NONE else None
                wanted = [*wanted[:3], wanted[3] and y is not None]
                made = operators._BACKWARD(*given[0], statistics, x, *given[1], wanted, y)
                found = operators._BACKWARD(*meta, statistics.to("meta"), x.to("meta"), *given[1], wanted,
                                            None if y is None else y.to("meta"))
                self.assertEqual([(t.shape, t.stride()) for t in found], [(t.shape, t.stride()) for t in made])
                self.assertEqual([t.numel() > 0 for t in made], wanted)


if __name__ == "__main__":
    unittest.main()
