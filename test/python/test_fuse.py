#!/usr/bin/python3
"""ck_conv.fuse(): networks by the library against the same networks by PyTorch in float64, and what the report says."""
import copy
import io
import itertools
import math
import operator
import pickle
import unittest
import warnings
from unittest import mock

from needs_torch import torch

import ck_conv
from ck_conv._conv import launch
from ck_conv._fuse.fused import FusedConv2d, FusedConvTranspose2d
from ck_conv._norm import batch_norm, modules as _fused_norm
from ck_conv._norm.modules import FusedBatchNorm2d
from ck_conv._trace import trace as _trace

from torch import nn
from torch.nn import functional as F


def with_statistics(model):
    """In eval mode, with batch norms that do something."""
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.running_mean is not None:
            module.running_mean.normal_(0, .5)
            module.running_var.uniform_(.5, 2)
            if module.weight is not None:
                nn.init.uniform_(module.weight, .5, 1.5)
                nn.init.normal_(module.bias)
    return model.eval()


class Appends:
    """A hook."""

    def __init__(self, to):
        self.to = to

    def __call__(self, *_):
        self.to.append(0)


class Basic(nn.Module):
    """As torchvision's BasicBlock."""

    def __init__(self, c, k, stride=1):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(c, k, 3, stride, 1, bias=False), nn.BatchNorm2d(k)
        self.conv2, self.bn2 = nn.Conv2d(k, k, 3, 1, 1, bias=False), nn.BatchNorm2d(k)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or c != k:
            self.downsample = nn.Sequential(nn.Conv2d(c, k, 1, stride, bias=False), nn.BatchNorm2d(k))

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class Inverted(nn.Module):
    """As MobileNetV2's and, with gates, EfficientNet's."""

    def __init__(self, c, act, gated=False):
        super().__init__()
        k = 2 * c
        self.expand = nn.Sequential(nn.Conv2d(c, k, 1, bias=False), nn.BatchNorm2d(k), act())
        self.depthwise = nn.Sequential(nn.Conv2d(k, k, 3, padding=1, groups=k, bias=False), nn.BatchNorm2d(k), act())
        self.squeeze, self.excite = (nn.Conv2d(k, 4, 1), nn.Conv2d(4, k, 1)) if gated else (None, None)
        self.project = nn.Sequential(nn.Conv2d(k, c, 1, bias=False), nn.BatchNorm2d(c))
        self.drop = nn.Dropout(.2)

    def forward(self, x):
        y = self.depthwise(self.expand(x))
        if self.squeeze is not None:
            y = y * torch.sigmoid(self.excite(F.silu(self.squeeze(y.mean((2, 3), keepdim=True)))))
        return x + self.drop(self.project(y))


class Dense(nn.Module):
    """As DenseNet's layers: norms stand before convolutions."""

    def __init__(self, c):
        super().__init__()
        self.norm1, self.conv1 = nn.BatchNorm2d(c), nn.Conv2d(c, 8, 1, bias=False)
        self.norm2, self.conv2 = nn.BatchNorm2d(8), nn.Conv2d(8, 4, 3, padding=1, bias=False)

    def forward(self, x):
        y = self.conv1(F.relu(self.norm1(x), inplace=True))
        return torch.cat([x, self.conv2(F.relu(self.norm2(y), inplace=True))], 1)


class ConvNext(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.depthwise, self.norm = nn.Conv2d(c, c, 7, padding=3, groups=c), nn.LayerNorm(c)
        self.up, self.down = nn.Linear(c, 2 * c), nn.Linear(2 * c, c)

    def forward(self, x):
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        return x + self.down(F.gelu(self.up(y))).permute(0, 3, 1, 2)


class Branches(nn.Module):
    """As Inception's."""

    def __init__(self, c):
        super().__init__()
        self.ways = nn.ModuleList(nn.Sequential(nn.Conv2d(c, 4, size, padding=size // 2, bias=False),
                                                nn.BatchNorm2d(4, eps=1e-3), nn.ReLU(inplace=True)) for size in (1, 3))

    def forward(self, x):
        return torch.cat([way(x) for way in self.ways] + [F.avg_pool2d(x, 3, 1, 1)], 1)


NETWORKS = {  # name: (network, convolutions, how many are fused, how many of those add)
    "residual": (lambda: nn.Sequential(Basic(4, 4), Basic(4, 8, 2)), 5, 5, 2),
    "inverted": (lambda: Inverted(4, nn.ReLU6), 3, 3, 1),
    "gated": (lambda: Inverted(4, nn.SiLU, True), 5, 5, 1),
    "dense": (lambda: Dense(4), 2, 2, 0),
    "convnext": (lambda: ConvNext(4), 1, 2, 1),
    "branches": (lambda: Branches(4), 2, 2, 0)}
BOUNDS = {torch.float64: 1e-13, torch.float32: 1e-5, torch.float16: 2 ** -8, torch.bfloat16: 2 ** -5}


def error(y, right):
    return ((y.double() - right).norm() / right.norm()).item()


class Networks(unittest.TestCase):
    def check(self, model, x, bound, context=None):
        """The report, and the error against the model in float64."""
        with torch.no_grad():
            right = copy.deepcopy(model).double()(x.double())
            done = ck_conv.fuse(model, report=True)
            with context or torch.no_grad():
                y = done.model(x)
        self.assertLess(error(y, right), bound)
        self.assertEqual(done.replaced.left, {})
        return done, y

    def test_blocks(self):
        for name, (make, convolutions, fused, adding) in NETWORKS.items():
            with self.subTest(network=name):
                done, _ = self.check(with_statistics(make()), torch.randn(2, 4, 6, 6), BOUNDS[torch.float32])
                self.assertEqual(len(done.replaced.replaced), convolutions)
                self.assertEqual(len(done.fused), fused)
                self.assertEqual(sum("add" in what for what in done.fused.values()), adding)

    def test_types_and_layouts(self):
        for dtype in BOUNDS:
            for kept in (torch.contiguous_format, torch.channels_last):
                with self.subTest(dtype=dtype, layout=kept):
                    model = with_statistics(Basic(4, 8, 2)).to(dtype).to(memory_format=kept)
                    x = torch.randn(2, 4, 6, 6).to(dtype).contiguous(memory_format=kept)
                    done, y = self.check(model, x, BOUNDS[dtype])
                    self.assertEqual(y.dtype, dtype)
                    self.assertEqual(launch.is_channels_last(y), kept is torch.channels_last)
                    self.assertTrue(launch.is_channels_last(done.model.conv1.weight))

    def test_half_weights_with_statistics_in_float32_are_rounded_once(self):
        model = with_statistics(nn.Sequential(nn.Conv2d(4, 4, 1, bias=False), nn.BatchNorm2d(4)))
        model[0].bfloat16()
        done = ck_conv.fuse(model, report=True)
        conv, norm = model
        scale = norm.weight.double() / (norm.running_var.double() + norm.eps).sqrt()
        right = conv.weight.double() * scale.view(-1, 1, 1, 1)
        fused = done.model.get_submodule("0")
        self.assertTrue(torch.equal(fused.weight, right.bfloat16()))
        self.assertEqual(fused.bias.dtype, torch.bfloat16)

    def test_ranks_groups_and_transposed_ones(self):
        for conv, norm, size in ((nn.Conv1d(4, 8, 3, groups=2), nn.BatchNorm1d(8), (9,)),
                                 (nn.Conv3d(4, 8, 3, padding=1, padding_mode="circular"), nn.BatchNorm3d(8), (3, 4, 5)),
                                 (nn.ConvTranspose1d(4, 8, 3, stride=2, bias=False), nn.BatchNorm1d(8), (5,)),
                                 (nn.ConvTranspose2d(4, 8, 3, stride=2, groups=2), nn.BatchNorm2d(8, affine=False), (4, 5)),
                                 (nn.ConvTranspose3d(4, 8, 2, output_padding=0), nn.BatchNorm3d(8), (3, 2, 3))):
            with self.subTest(conv=conv):
                model = with_statistics(nn.Sequential(conv, norm, nn.ReLU()))
                done, _ = self.check(model, torch.randn(2, 4, *size), BOUNDS[torch.float32])
                self.assertEqual(done.fused, {"0": f"{type(norm).__name__} 1, ReLU 2"})

    def test_autocast(self):
        self.check(with_statistics(Basic(4, 8, 2)), torch.randn(2, 4, 6, 6), BOUNDS[torch.bfloat16],
                   torch.autocast("cpu", dtype=torch.bfloat16))

    @unittest.skipIf(torch.__version__ < "2", "torch.compile is PyTorch 2's")
    def test_compiled(self):
        model, x = with_statistics(Basic(4, 8, 2)), torch.randn(2, 4, 6, 6)
        fused = ck_conv.fuse(model)
        with torch.no_grad():
            y = torch.compile(fused, backend="aot_eager", fullgraph=True)(x)
            self.assertTrue(torch.equal(y, fused(x)))

    def test_copies_pickles_and_states(self):
        model, x = with_statistics(Basic(4, 8, 2)), torch.randn(2, 4, 6, 6)
        fused = ck_conv.fuse(model)
        with torch.no_grad():
            y = fused(x)
            for other in (copy.deepcopy(fused), pickle.loads(pickle.dumps(fused))):
                self.assertTrue(torch.equal(other(x), y))
                self.assertIsInstance(other.conv1, FusedConv2d)
            file = io.BytesIO()
            torch.save(fused.state_dict(), file)
            file.seek(0)
            again = ck_conv.fuse(with_statistics(Basic(4, 8, 2)))
            again.load_state_dict(torch.load(file))
            self.assertTrue(torch.equal(again(x), y))
        self.assertEqual(sorted(fused.state_dict()), sorted(f"{name}.{what}" for name in ("conv1", "conv2", "downsample.0")
                                                            for what in ("weight", "bias")))

    def test_copies_have_attributes_and_hooks_and_can_be_fused(self):
        model = nn.Sequential(Basic(4, 8, 2), nn.Sequential(nn.Conv2d(8, 8, 1), nn.ReLU()))
        model.classes = [3]
        fused, x, called = ck_conv.fuse(with_statistics(model)), torch.randn(1, 4, 7, 6), []
        fused.register_forward_hook(Appends(called))
        copies = copy.copy(fused), copy.deepcopy(fused), copy.deepcopy(copy.deepcopy(fused)), pickle.loads(pickle.dumps(fused))
        for other in (*copies, ck_conv.fuse(copies[1]), ck_conv.fuse(copies[3])):
            self.assertEqual(other.classes, [3])
            self.assertFalse(any(m.training for m in other.modules()))
            hook, = other._forward_hooks.values() if other in copies else (Appends([]),)
            before = len(hook.to)
            self.assertTrue(torch.equal(other(x), fused(x)))
            self.assertGreaterEqual(len(hook.to), before + (other in copies))
            self.assertIs(hook.to is called, other is copies[0])

    @unittest.skipUnless(hasattr(torch, "func"), "torch.func is PyTorch 2's")
    def test_norms_of_16_bits_in_vmap(self):
        """Those before a convolution are computed in float32."""
        model = with_statistics(nn.Sequential(nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 4, 1))).bfloat16()
        fused, x = ck_conv.fuse(model), torch.randn(3, 1, 4, 5, 6).bfloat16()
        with torch.no_grad():
            y = torch.func.vmap(fused)(x)
            self.assertEqual(y.dtype, torch.bfloat16)
            torch.testing.assert_close(y, torch.stack([model(image) for image in x]), rtol=.05, atol=.05)

    def test_additions_in_place_after_pickle(self):
        class Adds(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv, self.other = nn.Conv2d(4, 4, 1), nn.Conv2d(4, 4, 1)

            def forward(self, x):
                y = self.conv(x)
                seen = y.flatten(2)  # the same memory
                y += self.other(x).sigmoid()
                y *= 2
                return seen

        model, x = Adds().eval(), torch.randn(1, 4, 3, 3)
        fused = ck_conv.fuse(model)
        with torch.no_grad():
            for other in (fused, pickle.loads(pickle.dumps(fused)), pickle.loads(pickle.dumps(copy.deepcopy(fused)))):
                torch.testing.assert_close(other(x), model(x))
                self.assertIn(operator.imul, [node.target for node in other.graph.nodes])

    def test_hooks_are_called_or_refused(self):
        """Hooks on any module of a network, set before or after fuse()."""
        body = nn.Sequential(nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
        model = with_statistics(nn.Sequential(nn.Sequential(body), nn.Sequential(nn.Conv2d(4, 8, 1), nn.ReLU())))
        x = torch.randn(1, 4, 7, 6)
        kinds = [kind for kind in ("register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
                                   "register_full_backward_pre_hook") if hasattr(nn.Module, kind)]
        for name, kind in itertools.product([name for name, _ in model.named_modules()], kinds):
            called, own = [], copy.deepcopy(model)
            getattr(own.get_submodule(name), kind)(lambda *_: called.append(0))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fused = ck_conv.fuse(own)
            fused(x.clone().requires_grad_()).sum().backward()
            self.assertEqual(called, [0], f"{name}.{kind} before fuse()")
        fused = ck_conv.fuse(model)
        for other in (fused, copy.deepcopy(fused), pickle.loads(pickle.dumps(fused))):
            for (name, module), kind in itertools.product(other.named_modules(), kinds):
                called = []
                if list(module.children()) and module is not other:
                    with self.assertRaisesRegex(RuntimeError, f"a hook of block '{name}' would never be called"):
                        getattr(module, kind)(lambda *_: called.append(0))
                    with self.assertRaisesRegex(RuntimeError, f"forward\\(\\) of block '{name}'"):
                        module.forward = lambda x: x
                    continue
                handle = getattr(module, kind)(lambda *_: called.append(0))
                other(x.clone().requires_grad_()).sum().backward()
                handle.remove()
                self.assertEqual(called, [0], f"{name}.{kind} after fuse()")

    def test_weights_that_hooks_computed(self):
        for training in (False, True):
            torch.manual_seed(2)
            model = nn.Sequential(nn.utils.weight_norm(nn.Conv1d(4, 4, 3)), nn.ReLU(),
                                  nn.utils.spectral_norm(nn.Conv1d(4, 4, 1)), nn.BatchNorm1d(4), nn.ReLU()).train(training)
            x = torch.randn(2, 4, 9)
            model(x)  # now the weights have a graph
            weight = model[0].weight
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fused = ck_conv.fuse(model)
            self.assertIs(model[0].weight, weight)
            with torch.no_grad():
                fused.get_submodule("0").weight_g.mul_(2)
                model[0].weight_g.mul_(2)
            torch.testing.assert_close(fused(x), model(x))

    def test_results_that_a_module_keeps(self):
        model = nn.Sequential(nn.Conv2d(4, 4, 1), nn.ReLU())
        model.heads = [{"y": model(torch.ones(1, 4, 1, 1))}]
        self.assertTrue(torch.equal(ck_conv.fuse(model.eval()).heads[0]["y"], model.heads[0]["y"]))

    def test_the_model_stays_as_it_is(self):
        model = with_statistics(Basic(4, 8, 2))
        before = copy.deepcopy(model.state_dict())
        ck_conv.fuse(model)
        self.assertIs(type(model.conv1), nn.Conv2d)
        self.assertTrue(all(torch.equal(before[name], value) for name, value in model.state_dict().items()))
        self.assertEqual(list(before), list(model.state_dict()))


class Conv2dSame(nn.Conv2d):
    """As timm's."""

    def forward(self, x):
        pads = []
        for i in (1, 0):
            length, stride = x.shape[2 + i], self.stride[i]
            total = (math.ceil(length / stride) - 1) * stride + (self.kernel_size[i] - 1) * self.dilation[i] + 1 - length
            pads += [max(total, 0) // 2, max(total, 0) - max(total, 0) // 2]
        return F.conv2d(F.pad(x, pads), self.weight, self.bias, self.stride, 0, self.dilation, self.groups)


class PaddedByTimm(unittest.TestCase):
    def test_pads_of_the_input_size(self):
        for stride, size, taps, groups, dilation in ((2, (7, 6), 3, 1, 1), ((1, 3), (5, 8), (5, 2), 4, (1, 3)), (2, (4, 4), 1, 1, 1),
                                                     (3, (7, 9), 2, 2, 4)):
            conv = Conv2dSame(4, 4, taps, stride, groups=groups, dilation=dilation)
            model = with_statistics(nn.Sequential(conv, nn.BatchNorm2d(4), nn.SiLU())).double()
            with mock.patch.object(Conv2dSame, "__module__", "timm.layers.conv2d_same"):
                done = ck_conv.fuse(model, report=True)
            self.assertEqual(done.fused, {"0": "BatchNorm2d 1, SiLU 2"})
            x = torch.randn(2, 4, *size).double()
            for grad in (False, True):
                results = []
                for m in (model, done.model):
                    own = x.clone().requires_grad_(grad)
                    results.append([m(own)])
                    if grad:
                        results[-1].append(torch.autograd.grad(results[-1][0].sum(), own)[0])
                for y, right in zip(*results[::-1]):
                    self.assertLess(error(y, right), 1e-13)

    def test_in_onnx(self):
        with mock.patch.object(Conv2dSame, "__module__", "timm.layers.conv2d_same"):
            fused = ck_conv.fuse(with_statistics(nn.Sequential(Conv2dSame(4, 4, 3, 2), nn.BatchNorm2d(4), nn.ReLU())))
        file = io.BytesIO()
        try:
            torch.onnx.export(fused, (torch.randn(1, 4, 7, 7),), file, **({"dynamo": False} if hasattr(torch.onnx, "ONNXProgram") else {}))
        except ImportError as missing:  # PyTorch 2 needs the package onnx
            self.skipTest(str(missing))
        self.assertIn(b"Pad", file.getvalue())
        self.assertIn(b"Conv", file.getvalue())
        self.assertNotIn(b"ck_conv", file.getvalue())

    def test_of_another_package_it_is_left(self):
        done = ck_conv.fuse(with_statistics(nn.Sequential(Conv2dSame(4, 4, 3), nn.BatchNorm2d(4))), report=True)
        self.assertIn("Conv2dSame has a forward of its own", done.left["0"])


class Gradients(unittest.TestCase):
    def test_those_of_the_input_are_right_and_weights_have_none(self):
        model, x = with_statistics(Basic(4, 8, 2)).double(), torch.randn(2, 4, 6, 6).double()
        fused = ck_conv.fuse(model)
        grads = []
        for m in (model, fused):
            own = x.clone().requires_grad_()
            m(own).square().sum().backward()
            grads.append(own.grad)
        self.assertLess(error(grads[1], grads[0]), 1e-12)
        self.assertFalse(any(p.requires_grad for p in fused.parameters()))

    def test_training_is_refused(self):
        model = with_statistics(Basic(4, 4))
        with self.assertRaisesRegex(RuntimeError, "is for inference: batch norms are folded.*Train the model that fuse"):
            ck_conv.fuse(model).train()

        first = nn.Sequential(nn.BatchNorm2d(3), nn.Dropout(), nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4), nn.ReLU())
        nothing_folded = nn.Sequential(nn.BatchNorm2d(3), nn.Dropout(), nn.Conv2d(3, 4, 1), nn.GroupNorm(2, 4), nn.ReLU())
        for net in (first, nothing_folded):
            net = ck_conv.fuse(net.eval())
            with self.assertRaisesRegex(RuntimeError, "is for inference"):
                net.train()
            self.assertFalse(any(module.training for module in net.modules()))
        model = with_statistics(Basic(4, 4))
        model.bn1.train()
        with self.assertRaisesRegex(ValueError, "bn1 is in training mode, but the model is not"):
            ck_conv.fuse(model)
        with self.assertRaisesRegex(TypeError, "the model is a int"):
            ck_conv.fuse(3)
        fused = ck_conv.fuse(with_statistics(Basic(4, 4)))
        self.assertIs(fused.eval(), fused)


class Untraced(nn.Module):
    """Two parts; torch.fx cannot trace the module."""

    def __init__(self, part):
        super().__init__()
        self.first, self.blocks, self.alone = part, nn.Sequential(Basic(4, 4)), nn.Conv2d(4, 4, 1)

    def forward(self, x):
        if x.sum() > 1e9:
            return x
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.alone(x)


class Shared(nn.Module):
    """A block that one or two modules call, which cannot be traced, and perhaps the network too."""

    class Untraced(nn.Module):
        def __init__(self, block):
            super().__init__()
            self.block = self.again = block

        def forward(self, x):
            return self.again(self.block(x)) if x.sum() < 1e9 else x

    def __init__(self, block, itself):
        super().__init__()
        self.first = Shared.Untraced(block)
        self.second = block if itself else Shared.Untraced(block)

    def forward(self, x):
        return self.second(self.first(x))


class BatchNormAct2d(nn.BatchNorm2d):
    """As timm's."""

    def __init__(self, channels):
        super().__init__(channels)
        self.drop, self.act = nn.Identity(), nn.ReLU()

    def forward(self, x):
        return self.act(self.drop(super().forward(x)))


class PreActivation(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.conv = BatchNormAct2d(8), nn.Conv2d(8, 8, 1)

    def forward(self, x):
        return self.conv(self.norm(x))


class NormTwice(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.conv1, self.conv2 = BatchNormAct2d(8), nn.Conv2d(8, 8, 1), nn.Conv2d(8, 8, 1)

    def forward(self, x):
        return self.norm(self.conv2(self.norm(self.conv1(x))))


class SharedModules(unittest.TestCase):
    """What one graph makes of a module is not seen by others that have it."""

    def test_blocks_and_norms_that_several_call(self):
        for block in (Basic(8, 8), PreActivation(), NormTwice()):
            for model in (block, Shared(block, False), Shared(block, True)):
                with_statistics(model)
                x = torch.randn(2, 8, 8, 8)
                expected = copy.deepcopy(model).double()(x.double())
                got = ck_conv.fuse(model, report=True).model(x)
                torch.testing.assert_close(got.double(), expected, rtol=1e-4, atol=1e-4)


class NormsBeforeConvolutions(unittest.TestCase):
    """No convolution computes them: the library's batch norm does, with the activation that follows."""

    def test_they_activate(self):
        model = with_statistics(Dense(4)).double()
        done = ck_conv.fuse(model, report=True)
        self.assertEqual(done.fused, {"norm1": "relu", "conv1": "BatchNorm2d norm2, relu"})
        self.assertNotIn("norm1", done.left)
        self.assertIs(type(done.model.norm1), FusedBatchNorm2d)
        self.assertIs(type(model.norm1), nn.BatchNorm2d)
        x = torch.randn(2, 4, 5, 5).double().contiguous(memory_format=torch.channels_last)
        before = {name: value.clone() for name, value in model.state_dict().items()}
        with torch.no_grad(), mock.patch.object(_fused_norm, "in_torch", side_effect=AssertionError), \
                mock.patch.object(batch_norm, "in_torch", side_effect=AssertionError):
            torch.testing.assert_close(done.model(x), model(x), rtol=1e-12, atol=1e-12)
        torch.testing.assert_close(dict(model.state_dict()), before, rtol=0, atol=0)

    def test_gradients(self):
        model = with_statistics(Dense(4)).double()
        fused, x = ck_conv.fuse(model), torch.randn(2, 4, 5, 5).double()
        found = []
        for network in (model, fused):
            given = x.clone().requires_grad_()
            found.append(torch.autograd.grad(network(given).square().sum(), given))
        torch.testing.assert_close(*found, rtol=1e-10, atol=1e-10)

    def test_parameters_of_16_bits(self):
        """The library's batch norms have float32 parameters: the fused copy has them, the model keeps its own."""
        for dtype in (torch.bfloat16, torch.float16):
            model = with_statistics(Dense(4)).to(dtype).to(memory_format=torch.channels_last)
            fused = ck_conv.fuse(model)
            self.assertEqual({t.dtype for t in fused.norm1.state_dict().values()}, {torch.float32, torch.int64})
            self.assertEqual(model.norm1.weight.dtype, dtype)
            self.assertEqual(list(fused.norm1.state_dict()), list(model.norm1.state_dict()))
            x = torch.randn(2, 4, 5, 5).to(dtype).contiguous(memory_format=torch.channels_last)
            with torch.no_grad(), mock.patch.object(batch_norm, "in_torch", side_effect=AssertionError):
                y = fused(x)
            self.assertEqual(y.dtype, dtype)
            self.assertLess(error(y, copy.deepcopy(model).double()(x.double())), BOUNDS[dtype])

    def test_without_running_statistics_pytorch_computes_them(self):
        model = nn.Sequential(nn.BatchNorm2d(4, track_running_stats=False), nn.ReLU(), nn.Conv2d(4, 4, 1)).eval()
        done = ck_conv.fuse(model, report=True)
        self.assertEqual(done.fused, {})
        self.assertIn("0", done.left)
        x = torch.randn(2, 4, 5, 5)
        torch.testing.assert_close(done.model(x), model(x))


class Reports(unittest.TestCase):
    def fused(self, model):
        return ck_conv.fuse(with_statistics(model), report=True)

    def test_what_cannot_be_traced_is_said_and_its_parts_are_fused(self):
        part = nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())
        for model, prefix in ((Untraced(part), ""), (nn.Sequential(Untraced(part), nn.ReLU()), "0.")):
            done, x = self.fused(model), torch.randn(1, 4, 5, 5)
            self.assertEqual(sorted(done.fused), [prefix + name for name in
                                                  ("blocks.0.conv1", "blocks.0.conv2", "first.0")])
            self.assertEqual(done.left[f"{prefix}alone"], "what calls it cannot be traced")
            self.assertIn("torch.fx cannot trace it", done.untraced[prefix[:-1]])
            self.assertIn("torch.fx cannot trace it", str(done))
            with torch.no_grad():
                self.assertLess(error(done.model(x), model.double()(x.double())), 1e-5)
            with self.assertWarnsRegex(UserWarning, "torch.fx cannot trace it"):
                ck_conv.fuse(model.float())

    def test_modules_of_too_many_that_cannot_be_traced(self):
        model = with_statistics(nn.Sequential(Untraced(nn.Conv2d(4, 4, 1)), Untraced(nn.Conv2d(4, 4, 1))))
        with mock.patch.object(_trace, "_MOST_OPAQUE", 1):
            done = ck_conv.fuse(model, report=True)
        self.assertEqual(done.untraced[""], "torch.fx cannot trace 1 of its modules")
        self.assertIn("1.blocks.0.conv1", done.fused)

    def test_only(self):
        done = ck_conv.fuse(with_statistics(Basic(4, 4)), lambda name, module: name != "conv1", report=True)
        self.assertEqual(list(done.fused), ["bn1", "conv2"])
        self.assertEqual(done.left["conv1"], "PyTorch computes it: only() leaves it out")
        self.assertIs(type(done.model.conv1), nn.Conv2d)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ck_conv.fuse(with_statistics(Basic(4, 4)), lambda name, module: name != "conv1")

    def test_a_convolution_alone_and_nothing_at_all(self):
        conv = nn.Conv2d(4, 4, 1).eval()
        done = ck_conv.fuse(conv, report=True)
        self.assertIsInstance(done.model, ck_conv.Conv2d)
        self.assertEqual((done.left, done.untraced), ({"": "nothing follows it"}, {}))
        self.assertEqual(ck_conv.fuse(nn.Sequential(nn.ReLU()).eval(), report=True).left, {})

    def test_attributes_of_the_model_stay(self):
        model = Basic(4, 4)
        model.classes = 10
        self.assertEqual(self.fused(model).model.classes, 10)

    def test_transposed_ones_with_a_size_are_left(self):
        class Sized(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv, self.norm = nn.ConvTranspose2d(4, 4, 3, stride=2), nn.BatchNorm2d(4)

            def forward(self, x):
                return self.norm(self.conv(x, output_size=(8, 8)))

        done = self.fused(Sized())
        self.assertEqual(done.left["conv"], "it is called with more than one argument")
        self.assertIn("norm", done.left)
        self.assertFalse(isinstance(done.model.conv, FusedConvTranspose2d))


if __name__ == "__main__":
    unittest.main()
