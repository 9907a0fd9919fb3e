#!/usr/bin/python3
"""Group norm with an activation in one node of autograd, against PyTorch's operations in float64, and in ck_conv.fuse()."""
import copy
import math
import pickle
import unittest
import warnings
from unittest import mock

from needs_torch import torch

import ck_conv
import torch.fx
from ck_conv._norm import group_norm, shared
from ck_conv._norm.modules import FusedGroupNorm
from test_batch_norm import ERRORS, far, rows
from torch import nn
from torch.nn import functional as F

NONE, RELU, SILU = ("none", 0., 0.), ("relu", 0., 0.), ("silu", 0., 0.)
ACTIVATIONS = {NONE: lambda z: z, RELU: torch.relu, SILU: F.silu}
FORWARD, BACKWARD = "forward", "backward"


class Counted:
    """Which functions of the library were called."""

    def __enter__(self):
        self.calls = []
        group_norm._said.clear()
        self.patches = [mock.patch.object(group_norm.Norm, name, self._counting(name)) for name in (FORWARD, BACKWARD)]
        for patch in self.patches:
            patch.start()
        return self.calls

    def _counting(self, name):
        own = getattr(group_norm.Norm, name)

        def called(norm, *arguments):
            self.calls.append(name)
            return own(norm, *arguments)
        return called

    def __exit__(self, *_):
        for patch in self.patches:
            patch.stop()


def parameters(channels, dtype):
    return torch.rand(channels).add(.5).to(dtype), torch.randn(channels).to(dtype)


class Compared(unittest.TestCase):
    """Comparisons of functions of (x, weight, bias): theirs, by PyTorch, and ours."""

    def setUp(self):
        torch.manual_seed(1)  # two numbers of a group may be so close that no bound holds

    def compare(self, theirs, ours, x, parameter_type=None, weighted=True, bound=None):
        """Result and gradients are PyTorch's in float64."""
        kept = torch.float64 if x.dtype == torch.float64 else torch.float32
        weight, bias = parameters(x.size(1), parameter_type or kept) if weighted else (None, None)
        grad, found = rows(*x.shape, dtype=x.dtype), []
        for exact in (True, False):
            given = [None if t is None else t.to(torch.float64 if exact else t.dtype, copy=True).requires_grad_()
                     for t in (x, weight, bias)]
            if exact:
                y = theirs(*given)
                y.backward(grad.double())
            else:
                with Counted() as called:
                    y = ours(*given)
                    y.backward(grad)
                self.assertEqual(called, [FORWARD, BACKWARD])
                self.assertEqual((y.dtype, y.stride()), (x.dtype, x.stride()))
                self.assertTrue(all(t.grad.dtype == t.dtype for t in given if t is not None))
            found.append([y, *(t.grad for t in given if t is not None)])
        for i, (right, got) in enumerate(zip(*found)):
            self.assertLess(far(got, right), bound or ERRORS[x.dtype], i)

    def compare_gradients_that_are_wanted(self, theirs, ours, grad_of):
        """One gradient at a time. grad_of(x): the gradient of the result."""
        x, (weight, bias) = rows(4, 6, 5, 3, dtype=torch.float64), parameters(6, torch.float64)
        grad = grad_of(x)
        right = [t.clone().requires_grad_() for t in (x, weight, bias)]  # PyTorch 2.11 crashes if x needs no gradient
        theirs(*right).backward(grad)
        for wanted in range(3):
            given = [t.clone().requires_grad_(i == wanted) for i, t in enumerate((x, weight, bias))]
            ours(*given).backward(grad)
            self.assertEqual([t.grad is None for t in given], [i != wanted for i in range(3)])
            self.assertLess(far(given[wanted].grad, right[wanted].grad), 1e-12)

    def compare_gradients_of_gradients(self, theirs, ours):
        x, (weight, bias) = rows(2, 4, 2, 2, dtype=torch.float64), parameters(4, torch.float64)
        found = []
        for compute in (theirs, ours):
            given = [t.clone().requires_grad_() for t in (x, weight, bias)]
            first = torch.autograd.grad(compute(*given).pow(3).sum(), given, create_graph=True)
            found.append((*first, *torch.autograd.grad(sum(g.square().sum() for g in first), given)))
        for right, got in zip(*found):
            self.assertLess(far(got, right), 1e-9)


class Numbers(Compared):
    def check(self, x, groups, activation=SILU, parameter_type=None, weighted=True, epsilon=1e-5, bound=None):
        self.compare(lambda x, *more: ACTIVATIONS[activation](F.group_norm(x, groups, *more, epsilon)),
                     lambda x, *more: group_norm.group_norm(x, groups, *more, epsilon, activation), x, parameter_type, weighted,
                     bound)

    def test_types_activations_and_groups(self):
        for dtype in ERRORS:
            for activation in ACTIVATIONS:
                for groups in (1, 3, 12):
                    with self.subTest(dtype=dtype, activation=activation, groups=groups):
                        self.check(rows(3, 12, 5, 4, dtype=dtype), groups, activation)

    def test_ranks_and_sizes(self):
        for size, groups in (((7, 6), 2), ((3, 4, 9), 4), ((2, 3, 4, 5), 3), ((1, 64, 5, 5), 32), ((5, 8, 1, 1), 2),
                             ((2, 5, 2, 3, 4), 1), ((1, 9, 1, 2), 9)):
            with self.subTest(size=size):
                self.check(rows(*size, dtype=torch.float64), groups)

    def test_parameters(self):
        for dtype in (torch.bfloat16, torch.float16, torch.float32):
            self.check(rows(2, 8, 4, 4, dtype=dtype), 2, parameter_type=dtype)
            self.check(rows(2, 8, 4, 4, dtype=dtype), 2, weighted=False, epsilon=.1)

    def test_a_large_mean_loses_nothing(self):
        x = rows(2, 8, 16, 16) + 1000
        self.assertLess(far(group_norm.group_norm(x, 2), F.group_norm(x.double(), 2)), 1e-4)

    def test_what_is_not_finite_passes_as_in_pytorch(self):
        for bad in (math.nan, math.inf, -math.inf):
            for activation in ACTIVATIONS:
                x = rows(2, 6, 3, 3)
                x[0, 1, 2, 0] = bad
                right = ACTIVATIONS[activation](F.group_norm(x, 3))
                with Counted() as called:
                    got = group_norm.group_norm(x, 3, activation=activation)
                self.assertEqual(called, [FORWARD])
                self.assertTrue(torch.equal(got.isnan(), right.isnan()))
                self.assertTrue(got.isnan().any() and got.isfinite().any())

    def test_the_same_bits_again(self):
        x, (weight, bias) = rows(2, 64, 9, 9, dtype=torch.bfloat16), parameters(64, torch.float32)
        found = []
        for _ in range(2):
            own, w, b = (t.clone().requires_grad_() for t in (x, weight, bias))
            y = group_norm.group_norm(own, 32, w, b, activation=SILU)
            y.backward(x)
            found.append((y, own.grad, w.grad, b.grad))
        self.assertTrue(all(torch.equal(*pair) for pair in zip(*found)))

    def test_unaligned_tensors(self):
        for dtype in (torch.float32, torch.float64, torch.bfloat16):
            x = torch.randn(2 * 8 * 12 + 1).to(dtype)[1:].view(2, 12, 8, 1).permute(0, 2, 1, 3)
            self.assertNotEqual(x.data_ptr() % 16, 0)
            self.assertLess(far(group_norm.group_norm(x, 2), F.group_norm(x.double(), 2)), ERRORS[dtype])

    def test_gradients_that_are_not_wanted_or_not_channels_last(self):
        self.compare_gradients_that_are_wanted(lambda x, *more: F.silu(F.group_norm(x, 2, *more)),
                                               lambda x, *more: group_norm.group_norm(x, 2, *more, 1e-5, SILU),
                                               lambda x: torch.arange(x.numel()).view(x.shape).double())

    def test_gradients_of_gradients(self):
        self.compare_gradients_of_gradients(lambda x, *more: F.silu(F.group_norm(x, 2, *more)),
                                            lambda x, *more: group_norm.group_norm(x, 2, *more, 1e-5, SILU))


class OtherTensors(unittest.TestCase):
    def test_pytorch_computes_them_and_this_is_said_once(self):
        for x, weight, text in ((torch.randn(4, 6, 5, 3), None, "not channels last"),
                                (rows(4, 6, 5, 3), torch.ones(6).double(), "the library needs torch.float32 weights")):
            with Counted() as called, warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                for _ in range(2):
                    try:
                        y = group_norm.group_norm(x, 3, weight, activation=RELU)
                        right = torch.relu(F.group_norm(x.double(), 3))
                        self.assertLess(far(y, right), 1e-5)
                    except RuntimeError:  # PyTorch may refuse such types
                        self.assertIsNotNone(weight)
            self.assertEqual(called, [])
            self.assertEqual(len(said), 1)
            self.assertRegex(str(said[0].message), f"PyTorch computes group norms.*{text}")

    def test_what_pytorch_refuses(self):
        for size, groups, weight, text in (((2, 6, 3, 3), 4, None, "divisible"), ((1, 6, 1, 1), 6, None, "more than 1 value"),
                                           ((2, 6, 3, 3), 3, torch.ones(5), "")):
            with self.assertRaisesRegex((ValueError, RuntimeError), text), Counted() as called:
                group_norm.group_norm(rows(*size), groups, weight)
            self.assertEqual(called, [])

    def test_refusals_of_the_library_are_said(self):
        """PyTorch allows a negative epsilon."""
        x = rows(2, 6, 3, 3)
        with Counted(), warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            y = group_norm.group_norm(x, 3, epsilon=-1e-9, activation=RELU)
        self.assertLess(far(y, torch.relu(F.group_norm(x.double(), 3, eps=-1e-9))), 1e-5)
        self.assertIn("epsilon is -1e-09, but must be finite and at least 0", str(said[0].message))

    def test_meta_tensors(self):
        norm = nn.GroupNorm(3, 6).to("meta")
        norm.__class__ = FusedGroupNorm
        self.assertEqual(norm(torch.empty(2, 6, 3, 3, device="meta"), activation=SILU).shape, (2, 6, 3, 3))

    def test_autocast(self):
        """Types are PyTorch's."""
        for dtype in (torch.bfloat16, torch.float32):
            x, (weight, bias) = rows(4, 6, 5, 3, dtype=dtype), parameters(6, torch.float32)
            with torch.autocast("cpu", dtype=torch.bfloat16), Counted() as called:
                right = F.group_norm(x, 2).dtype
                y = group_norm.group_norm(x.requires_grad_(), 2, weight, bias, activation=SILU)
                y.sum().backward()
            self.assertEqual(called, [FORWARD, BACKWARD])
            self.assertEqual((y.dtype, x.grad.dtype), (right, dtype))
            self.assertLess(far(y, F.silu(F.group_norm(x.double(), 2, weight.double(), bias.double()))), ERRORS[right])


class Block(nn.Module):
    """A block of an image autoencoder's decoder."""

    def __init__(self, channels=8, out=8):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(4, channels), nn.Conv2d(channels, out, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(4, out), nn.Conv2d(out, out, 3, padding=1)
        self.act = nn.SiLU()
        self.short = nn.Conv2d(channels, out, 1) if channels != out else nn.Identity()

    def forward(self, x):
        y = self.conv1(self.act(self.norm1(x)))
        return self.conv2(F.silu(self.norm2(y))) + self.short(x)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(), Block(8, 12))
        self.last = nn.Sequential(nn.GroupNorm(2, 12), nn.ReLU(inplace=True), nn.Conv2d(12, 3, 3, padding=1))
        self.plain = nn.GroupNorm(1, 3)

    def forward(self, x):
        return self.plain(self.last(self.blocks(x)))


class Untraced(nn.Module):
    """torch.fx cannot trace the loop; its blocks can be traced."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm = nn.GroupNorm(4, 8)

    def forward(self, x):
        for i in range(int(x.shape[0] > 0) + 1):
            x = self.blocks[i](x)
        return self.norm(x)


class GroupNormAct(nn.GroupNorm):
    """As timm's."""

    def __init__(self, channels, act=None):
        super().__init__(4, channels)
        self.drop, self.act = nn.Identity(), nn.ReLU(inplace=True) if act is None else act
        self._fast_norm = False

    def forward(self, x):
        return self.act(self.drop(super().forward(x)))


class Residual(nn.Module):
    """As those of diffusers."""

    def __init__(self, has_embedding):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(4, 8), nn.Conv2d(8, 8, 3, padding=1)
        self.embedding = nn.Linear(8, 8) if has_embedding else None
        self.norm2, self.conv2 = nn.GroupNorm(4, 8), nn.Conv2d(8, 8, 3, padding=1)
        self.dropout, self.nonlinearity = nn.Dropout(0.), nn.SiLU()

    def forward(self, x, embedding=None, *args, **kwargs):
        if args or kwargs.get("scale") is not None:
            raise ValueError("scale is no longer an argument")
        y = self.conv1(self.nonlinearity(self.norm1(x)))
        if self.embedding is not None:
            y = y + self.embedding(self.nonlinearity(embedding))[:, :, None, None]
        return x + self.conv2(self.dropout(self.nonlinearity(self.norm2(y))))


class Embedded(nn.Module):
    def __init__(self, has_embedding):
        super().__init__()
        self.block = Residual(has_embedding)

    def forward(self, x, embedding):
        return self.block(x, embedding) if self.block.embedding is not None else self.block(x)


FUSED = {"blocks.0.norm1": "SiLU blocks.0.act", "blocks.0.norm2": "silu", "blocks.1.norm1": "SiLU blocks.1.act",
         "blocks.1.norm2": "silu", "last.0": "ReLU last.1"}


def ready(model, dtype=torch.float64):
    for module in model.modules():
        if isinstance(module, nn.GroupNorm):
            nn.init.uniform_(module.weight, .5, 1.5)
            nn.init.normal_(module.bias)
    return model.to(dtype).to(memory_format=torch.channels_last)


class Fuse(unittest.TestCase):
    def test_evaluation(self):
        model, x = ready(Decoder()).eval(), rows(2, 8, 6, 6, dtype=torch.float64)
        done = ck_conv.fuse(model, report=True)
        with torch.no_grad(), Counted() as called:
            y = done.model(x)
        self.assertEqual(called, [FORWARD] * 6)
        self.assertLess(far(y, model(x)), 1e-12)
        for name, words in FUSED.items():
            self.assertEqual(done.fused[name], words)
        self.assertEqual(done.left["plain"], "its result is the network's")
        self.assertEqual([n for n, _ in done.model.named_parameters()], [n for n, _ in model.named_parameters()])
        self.assertEqual(list(done.model.state_dict()), list(model.state_dict()))
        self.assertIs(type(model.plain), nn.GroupNorm)  # the model does not change
        with torch.no_grad():
            for again in (pickle.loads(pickle.dumps(done.model)), ck_conv.fuse(done.model)):
                self.assertTrue(torch.equal(again(x), y))

    def test_training(self):
        model, x = ready(Decoder()).train(), rows(2, 8, 6, 6, dtype=torch.float64)
        done = ck_conv.fuse(model, report=True)
        self.assertEqual(done.fused, FUSED)
        self.assertEqual(done.left, {"plain": "its result is the network's"})
        self.assertIn("5 norms are fused", str(done))
        found = []
        for one in (model, done.model):
            own = x.clone().requires_grad_()
            with Counted() as called:
                y = one(own)
                y.square().sum().backward()
            found.append([y, own.grad, *(p.grad for p in one.parameters())])
        self.assertEqual(called, [FORWARD] * 6 + [BACKWARD] * 6)
        for right, got in zip(*found):
            self.assertLess(far(got, right), 1e-9)
        for_evaluation = ck_conv.fuse(copy.deepcopy(done.model).eval())
        with Counted() as called:
            self.assertLess(far(for_evaluation(x), y), 1e-12)
        self.assertEqual(called, [FORWARD] * 6)

    def test_models_that_are_not_traced(self):
        for training in (False, True):
            model, x = ready(Untraced()).train(training), rows(2, 8, 6, 6, dtype=torch.float64)
            done = ck_conv.fuse(model, report=True)
            self.assertIn("", done.untraced)
            self.assertEqual(done.fused["blocks.1.norm2"], "silu")
            self.assertEqual(done.left["norm"], "what calls it cannot be traced, or nothing does")
            with Counted() as called:
                self.assertLess(far(done.model(x), model(x)), 1e-12)
            self.assertEqual(called, [FORWARD] * 5)

    def test_what_is_left(self):
        class Own(nn.GroupNorm):
            def forward(self, x):
                return super().forward(x) + 0 * x

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.own, self.gelu, self.twice, self.added, self.hooked = Own(2, 4), *(nn.GroupNorm(2, 4) for _ in range(4))
                self.hooked.register_forward_hook(lambda *_: None)

            def forward(self, x):
                x = F.gelu(self.gelu(F.silu(self.own(x))))
                y = self.twice(x)
                return F.silu(self.hooked(F.silu(y) + y)) + F.silu(self.added(x) + y)

        for training in (False, True):
            model, x = ready(Net()).train(training), rows(2, 4, 3, 3, dtype=torch.float64)
            done = ck_conv.fuse(model, report=True)
            self.assertEqual(done.fused, {"added": "add"})
            self.assertRegex(done.left["own"], "Own is derived from torch.nn's")
            self.assertRegex(done.left["gelu"], "gelu follows, which no kernel computes with it")
            self.assertEqual(done.left["twice"], "its result is used 3 times")
            self.assertEqual(done.left["hooked"], "it has hooks")
            self.assertLess(far(done.model(x), model(x)), 1e-12)

    def test_tracers_see_pytorchs_operations(self):
        model, x = ready(Block()).train(), rows(2, 8, 6, 6, dtype=torch.float64)
        fused = ck_conv.fuse(model)
        with Counted() as called, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            graph, traced = torch.fx.symbolic_trace(fused), torch.jit.trace(fused, x, check_trace=False)
            self.assertEqual(called, [])
            for one in (graph, traced):
                self.assertLess(far(one(x), model(x)), 1e-12)
        self.assertEqual(called, [])
        self.assertIn(F.group_norm, [node.target for node in graph.graph.nodes])

    def test_lone_norms_in_torch_fx(self):
        """All arguments of a module that is traced alone are inputs of its graph."""
        for norm, size in ((nn.GroupNorm(2, 4), (2, 4, 3)), (nn.InstanceNorm1d(4, affine=True), (2, 4, 3)),
                           (nn.InstanceNorm2d(4), (2, 4, 3, 2)), (nn.InstanceNorm3d(4), (1, 4, 3, 2, 2)),
                           (nn.BatchNorm1d(4), (3, 4)), (nn.BatchNorm2d(4), (2, 4, 3, 2)), (nn.BatchNorm3d(4), (1, 4, 3, 2, 2)),
                           (GroupNormAct(8), (1, 8, 3, 2)), (GroupNormAct(8, nn.LeakyReLU(.2)), (1, 8, 3, 2))):
            x = torch.randn(size)
            graph = torch.fx.symbolic_trace(ck_conv.fuse(norm.train()))
            self.assertLess(far(graph(x), copy.deepcopy(norm)(x)), 1e-5)
            with self.assertRaisesRegex(ValueError, "activation is .*relu.* fixed it to its default"):
                graph(x, activation=("relu", 0., 0.))

    def test_norms_of_timm(self):
        x = rows(2, 8, 6, 6, dtype=torch.float64)
        for training in (False, True):
            model = ready(nn.Sequential(GroupNormAct(8), nn.Conv2d(8, 8, 1), GroupNormAct(8, nn.Identity()), nn.ReLU(),
                                        nn.Conv2d(8, 8, 1), GroupNormAct(8, nn.SiLU()), nn.Conv2d(8, 8, 1),
                                        GroupNormAct(8, nn.LeakyReLU(.2)))).train(training)
            done = ck_conv.fuse(model, report=True)
            for name, words in (("0", "ReLU 0.act"), ("2", "ReLU 3"), ("5", "SiLU 5.act"), ("7", "LeakyReLU 7.act")):
                self.assertEqual(done.fused[name], words)
            self.assertIs(type(model[0]), GroupNormAct)  # the model does not change
            self.assertEqual(list(done.model.state_dict()), list(model.state_dict()))
            found = []
            for one in (model, done.model):
                own = x.clone().requires_grad_()
                with Counted() as called:
                    y = one(own)
                    y.square().sum().backward()
                found.append([y, own.grad, *(p.grad for p in one.parameters() if p.grad is not None)])
            self.assertEqual(called[:4], [FORWARD] * 4)
            for right, got in zip(*found):
                self.assertLess(far(got, right), 1e-9)
            for again in (pickle.loads(pickle.dumps(done.model)), copy.deepcopy(done.model)):
                self.assertTrue(torch.equal(again(x), done.model(x)))

    def test_norms_of_timm_whose_modules_activate(self):
        """No kernel has these, or something would not see a hook."""
        seen = []
        hooked = nn.ReLU()
        hooked.register_forward_hook(lambda *_: seen.append("act"))
        x = rows(2, 8, 6, 6, dtype=torch.float64)
        for act, drop in ((nn.GELU(), nn.Identity()), (hooked, nn.Identity()), (nn.ReLU(), nn.Dropout(.5))):
            for training in (False, True):
                norm = GroupNormAct(8, act)
                norm.drop = drop
                model = ready(nn.Sequential(norm, nn.Conv2d(8, 8, 1))).train(training)
                done = ck_conv.fuse(model, report=True)
                self.assertNotIn("0", done.fused)
                self.assertEqual(done.left["0"], "there is an activation already")
                seen.clear()
                with Counted() as called:
                    torch.manual_seed(1)
                    y = done.model(x)
                self.assertEqual((called, seen), ([FORWARD], ["act"] if act is hooked else []))
                torch.manual_seed(1)
                self.assertLess(far(y, model(x)), 1e-12)

    def test_fast_norms_of_timm_are_left(self):
        norm = GroupNormAct(8)
        norm._fast_norm = True
        done = ck_conv.fuse(nn.Sequential(ready(norm), nn.Conv2d(8, 8, 1)).eval(), report=True)
        self.assertRegex(done.left["0"], "PyTorch computes it: timm's fast norms have other types")
        self.assertIs(type(done.model.get_submodule("0")), GroupNormAct)

    def test_residual_blocks_as_in_diffusion_models(self):
        """One activation for all norms, and other inputs that may be missing."""
        x, embedding = rows(2, 8, 6, 6, dtype=torch.float64), torch.randn(2, 8, dtype=torch.float64)
        for training in (False, True):
            for has_embedding in (False, True):
                model = ready(Embedded(has_embedding)).train(training)
                done = ck_conv.fuse(model, report=True)
                for norm in ("norm1", "norm2"):
                    self.assertEqual(done.fused[f"block.{norm}"], "SiLU block.nonlinearity")
                with Counted() as called:
                    y = done.model(x, embedding)
                self.assertEqual(called, [FORWARD] * 2)
                self.assertLess(far(y, model(x, embedding)), 1e-12)
            done = ck_conv.fuse(Residual(False).train(training), report=True)  # alone
            self.assertEqual(done.untraced[""], "Residual.forward() takes any number of arguments")
            self.assertEqual(done.left["norm1"], "what calls it cannot be traced, or nothing does")

    def test_types_that_autocast_widens(self):
        """On GPUs, PyTorch lists group norms among the operations of float32."""
        self.assertTrue(group_norm._widens("cuda", torch.float16, 1))
        for groups in (None, "layer", "layer_last"):
            with torch.autocast("cpu", torch.bfloat16):
                one = torch.ones(1, 1, 2, dtype=torch.bfloat16)
                weight = torch.ones(2 if groups == "layer_last" else 1, dtype=torch.bfloat16)
                expected = group_norm.in_torch(one, groups, weight, None, 1e-5, NONE).dtype != torch.bfloat16
                self.assertEqual(group_norm._widens("cpu", torch.bfloat16, groups), expected)

    def test_gradients_computed_again(self):
        """Only those that are needed; without any, nothing is computed."""
        x, weight, bias = rows(2, 4, 3, 3, dtype=torch.float64), *parameters(4, torch.float64)
        called = []

        def compute(*tensors):
            called.append(tensors)
            return F.group_norm(tensors[0], 2, *tensors[1:])
        found = shared.computed_again(compute, (x, weight, bias), x, [False] * 3)
        self.assertEqual((found, called), ((None,) * 3, []))
        given = [t.clone(memory_format=torch.preserve_format).requires_grad_() for t in (x, weight, bias)]
        right = torch.autograd.grad(F.group_norm(given[0], 2, *given[1:]), given, x)
        for needs in ([True, False, False], [False, True, True], [True] * 3):
            for found, wanted, needed in zip(shared.computed_again(compute, (x, weight, bias), x, needs), right, needs):
                self.assertEqual(found is not None, needed)
                if needed:
                    torch.testing.assert_close(found, wanted)

    def test_one_norm(self):
        for training in (False, True):
            done = ck_conv.fuse(nn.GroupNorm(2, 4).train(training), report=True)
            self.assertIs(type(done.model), FusedGroupNorm)
            x = rows(2, 4, 3, 3)
            self.assertLess(far(done.model(x), F.group_norm(x.double(), 2)), 1e-5)


if __name__ == "__main__":
    unittest.main()
