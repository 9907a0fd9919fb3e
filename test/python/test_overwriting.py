#!/usr/bin/python3
"""fuse() in inference: norms write over their input, convolutions over the residual or their input. Compared with the unfused
model, and with the same network that overwrites nothing; the bytes of a call are counted."""
import copy
import pickle
import sys
import unittest
import warnings
from pathlib import Path
from unittest import mock

from needs_torch import torch
from networks import LAST, ChannelNorm, Net

import ck_conv
from ck_conv._c import interface as library
from ck_conv._conv import epilogue, launch, over_input
from ck_conv._fuse import fused as fused_conv
from ck_conv._fuse.in_place import NAME, InPlace
from ck_conv._norm import group_norm as group_norms
from torch import fx, nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "script"))
from comparison.video_and_volumes import ImageDecoder

never = mock.patch.object(InPlace, "forward", lambda self, x: False)


def block(net, x):
    """As of an image decoder: a shortcut, and a residual that nothing else reads."""
    x = net.enter(x)
    y = net.conv1(F.silu(net.norm1(x)))
    return net.shortcut(x) + net.conv2(F.silu(net.norm2(y)))


def network(function=block, rank=2, norm=lambda c: nn.GroupNorm(4, c), **more):
    conv = {2: nn.Conv2d, 3: nn.Conv3d}[rank]
    layers = {"enter": conv(3, 16, 1), "norm1": norm(16), "conv1": conv(16, 8, 3, padding=1), "norm2": norm(8),
              "conv2": conv(8, 8, 3, padding=1), "shortcut": conv(16, 8, 1), **more}
    return Net(function, **layers).eval()


def image(rank=2, dtype=torch.float32):
    return torch.randn(2, 3, *(6, 5, 4)[:rank], dtype=dtype).contiguous(memory_format=LAST[rank])


def fused(model, x):
    model = model.to(x.dtype, memory_format=LAST[x.dim() - 2])
    return ck_conv.fuse(model, report=True)


def peak(model, x):
    """The most bytes that a call has at a time, and the bytes of its result."""
    model(x)  # tables and packed weights
    with torch.autograd.profiler.profile(profile_memory=True) as profile:
        y = model(x)
    most = now = 0
    events = [(e.start_ns() if hasattr(e, "start_ns") else e.start_us(), e.nbytes()) for e in profile.kineto_results.events()
              if e.name() == "[memory]"]
    for _, count in events:
        now += count
        most = max(most, now)
    return most, y.numel() * y.element_size()


class Overwriting(unittest.TestCase):
    def check(self, model, x, overwritten):
        """Returns the fused model."""
        report = fused(model, x)
        self.assertEqual(report.overwritten, overwritten, report)
        with torch.no_grad():
            before = x.clone()
            y = report.model(x)
            torch.testing.assert_close(y, model(x), rtol=1e-4, atol=1e-5)
            with never:
                self.assertTrue(torch.equal(report.model(x), y))
            self.assertTrue(torch.equal(report.model(x), y))  # as remembered
            self.assertTrue(torch.equal(x, before))
        return report.model

    def test_blocks(self):
        for rank, dtype in ((2, torch.float32), (3, torch.float64)):
            with self.subTest(rank=rank):
                self.check(network(rank=rank), image(rank, dtype), 6 - rank)  # both norms, the shortcut's result, in 2D conv1's input

    def test_each_norm(self):
        for norm in (lambda c: nn.InstanceNorm2d(c, affine=True), lambda c: nn.GroupNorm(1, c), ChannelNorm):
            self.check(network(norm=norm), image(), 4)

    def test_shortcuts(self):
        """Only those whose results are not larger than the input precede the norm."""
        def forward(net, x):
            x = net.enter(x)
            y = net.norm1(x)
            return net.shortcut(x) + net.conv2(y)
        for k, overwritten in ((16, 2), (8, 2), (24, 1)):
            model = network(forward, conv2=nn.Conv2d(16, k, 1), shortcut=nn.Conv2d(16, k, 1))
            model = self.check(model, image(), overwritten)
            order = [node.target for node in model.graph.nodes if node.op == "call_module"]
            self.assertEqual(order.index("shortcut") < order.index("norm1"), k <= 16)

    def test_residuals(self):
        def twice(net, x):
            x = net.enter(x)
            x = x + net.a(x)
            return F.relu(x + net.a(F.relu(net.a(x))))
        self.check(network(twice, a=nn.Conv2d(16, 16, 3, padding=1)), image(), 1)  # not of the first sum, which reads x

    def test_memory(self):
        x = image()
        size = 2 * 30 * 4  # bytes of a channel
        model = fused(network(), x).model
        with torch.no_grad():
            with never:
                before, _ = peak(model, x)
            after, _ = peak(model, x)
        # The input's 16 channels, the norm's result, and the 8 of the first convolution; without the second of them.
        small = 2048  # statistics and workspaces
        self.assertTrue(40 * size <= before <= 40 * size + small and 32 * size <= after <= 32 * size + small, (before, after))

    def test_decoder(self):
        """The most memory is that of the first block of the last resolution. T are the bytes of its result."""
        torch.manual_seed(3)
        model = ImageDecoder((64, 64, 64, 32), 2).eval().to(memory_format=torch.channels_last)
        x = torch.randn(1, 16, 8, 8).contiguous(memory_format=torch.channels_last)
        report = ck_conv.fuse(model, report=True)
        of_result = 64 * 64 * 32 * 4
        Norm = group_norms.Norm

        class WithoutKernels(Norm):
            __slots__ = ()

            def __init__(self, *arguments):
                super().__init__(*arguments)
                self.run_forward = lambda *_: 0
        library.forget_plans()
        nothing = (mock.patch.object(library, "run_packed", lambda *_: lambda *_: 0),
                   mock.patch.object(group_norms, "Norm", WithoutKernels))
        with torch.no_grad(), nothing[0], nothing[1]:
            with never:
                before = peak(report.model, x)[0] / of_result
            after = peak(report.model, x)[0] / of_result
            with mock.patch.object(over_input, "LEAST_BYTES", 2 * of_result):
                by_bands = peak(report.model, x)[0] / of_result
        library.forget_plans()
        with torch.no_grad():
            unfused = peak(model, x)[0] / of_result
        self.assertGreaterEqual(report.overwritten, 22)  # 24 if the attention can be traced
        self.assertTrue(5 <= before < 5.1 and 4 <= after < 4.1 and 3 <= by_bands < 3.2 and 6 <= unfused,
                        (before, after, by_bands, unfused))

    def test_what_stays(self):
        def returned(net, x):
            x = net.enter(x)
            return [x, net.norm1(x)]

        def read_later(net, x):
            x = net.enter(x)
            return net.norm1(x) + F.max_pool2d(x, 3, 1, 1)

        def of_a_view(net, x):
            x = net.enter(x)
            a, _ = x.chunk(2, 1)
            return net.norm2(net.conv1(net.norm1(x))) + a

        def of_the_caller(net, x):
            return net.norm3(x)

        def its_own_residual(net, x):
            x = net.enter(x)
            return net.a(x) + x

        def written(net, x):
            x = net.enter(x)
            y = net.shortcut(x)
            x.neg_()
            return net.conv1(net.norm1(x)) * y.sum()

        def of_a_norm_of_its_own(net, x):
            x = net.enter(x)
            y = net.same(x)
            return net.conv1(net.norm1(x)) * y.sum()
        for forward, overwritten in ((of_a_norm_of_its_own, 0), (returned, 0), (read_later, 0), (of_a_view, 1),
                                     (of_the_caller, 0), (its_own_residual, 0), (written, 0)):
            with self.subTest(forward.__name__):
                model = network(forward, norm3=nn.GroupNorm(1, 3), a=nn.Conv2d(16, 16, 1), same=SameNorm(16))
                x = image()
                report = fused(model, x)
                self.assertEqual(report.overwritten, overwritten)
                with torch.no_grad():
                    for y, right in zip(*map(list, (report.model(x), model(x)))):
                        torch.testing.assert_close(y, right, rtol=1e-4, atol=1e-5)

    def test_what_objects_keep(self):
        """An argument of the network may keep a tensor for its caller."""
        def adds_to_a_list(kept, x):
            return kept + [x]
        for keep, kept in ((lambda kept, x: kept.append(x), list), (lambda kept, x: kept.add(x), set), (adds_to_a_list, list),
                           (lambda kept, x: kept(x), lambda: [].append)):
            def forward(net, given, keep=keep):
                x, kept = net.enter(given[0]), given[1]
                more = keep(kept, x)
                return net.conv1(net.norm1(x)), more
            model, x = network(forward), image()
            report = fused(model, x)
            self.assertEqual(report.overwritten, 0)
            with torch.no_grad():
                results = []
                for net in (report.model, model):
                    mine = kept()
                    _, more = net((x, mine))
                    results.append([*getattr(mine, "__self__", mine), *(more or ())])
            self.assertEqual(len(results[0]), 1)
            torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)

    def overwrites(self, model, x):
        """Whether a call overwrites something."""
        with torch.no_grad(), mock.patch.object(group_norms, "overwriting", wraps=group_norms.overwriting) as overwriting:
            model(x)
        self.assertIn(overwriting.call_count, (0, 2))
        return overwriting.call_count == 2

    def test_hooks_and_exchanged_modules(self):
        """Whoever keeps a tensor keeps its values."""
        x, model = image(), network()
        right = fused(model, x).model
        for name in ("enter", "norm1", "conv1", "shortcut", "norm2", "conv2"):
            net, kept = copy.deepcopy(right), []
            self.assertTrue(self.overwrites(net, x))
            hook = net.get_submodule(name).register_forward_hook(
                lambda module, given, result: kept.extend((t, t.clone()) for t in (*given, result)))
            with torch.no_grad():
                net(x)
            self.assertTrue(all(torch.equal(*pair) for pair in kept) and kept, name)
            hook.remove()
            self.assertTrue(self.overwrites(net, x))
            setattr(net, name, copy.deepcopy(net.get_submodule(name)))
            self.assertFalse(self.overwrites(net, x))
        hook = nn.modules.module.register_module_forward_hook(lambda *_: None)
        try:
            self.assertFalse(self.overwrites(right, x))
        finally:
            hook.remove()
        self.assertTrue(self.overwrites(right, x))

    def test_hooks_that_see_views(self):
        def forward(net, x):
            x = net.enter(x)
            y = net.of_8(x.chunk(2, 1)[0])
            return net.shortcut(net.norm1(x)) * y.mean()
        x = image()
        net = fused(network(forward, of_8=nn.Conv2d(8, 8, 1)), x).model
        kept = []
        net.of_8.register_forward_pre_hook(lambda module, given: kept.extend((t, t.clone()) for t in given))
        with torch.no_grad():
            net(x)
        self.assertTrue(torch.equal(*kept[0]))

    def test_a_norm_that_becomes_another(self):
        """Its forward() then returns its input."""
        x = image()
        model = network(norm=SwitchedNorm)
        net = fused(model, x).model
        for network_ in (net, model):
            network_.norm2.is_on = False
        with torch.no_grad():
            torch.testing.assert_close(net(x), model(x), rtol=1e-4, atol=1e-5)
            self.assertFalse(self.overwrites(net, x))

    def test_graphs_that_others_read(self):
        x = image()
        net = fused(network(), x).model
        kept = []

        class Keeps(fx.Interpreter):
            def run_node(self, node):
                result = super().run_node(node)
                kept.append((result, result.clone() if isinstance(result, torch.Tensor) else result))
                return result
        with torch.no_grad():
            Keeps(net).run(x)
        self.assertTrue(all(torch.equal(*pair) for pair in kept if isinstance(pair[0], torch.Tensor)))
        self.assertTrue(self.overwrites(net, x))
        last = next(node for node in net.graph.nodes if node.op == "output")
        enter = next(node for node in net.graph.nodes if node.target == "enter")
        last.args = ([last.args[0], enter],)
        self.assertFalse(self.overwrites(fx.GraphModule(net, net.graph), x))  # as torchvision's extractors of features
        self.assertTrue(self.overwrites(net, x))
        net.recompile()
        self.assertFalse(self.overwrites(net, x))

    def test_modes(self):
        x, model = image(), network()
        net = fused(model, x).model
        with torch.no_grad():
            right = net(x)
            for other in (copy.deepcopy(net), copy.copy(net), pickle.loads(pickle.dumps(net))):
                self.assertTrue(self.overwrites(other, x))
                self.assertTrue(torch.equal(other(x), right))
            self.assertTrue(self.overwrites(net, x))
            warnings.simplefilter("ignore")  # of tracing
            for other in (ck_conv.fuse(net, report=True).model, torch.jit.trace(net, x), fx.symbolic_trace(net)):
                torch.testing.assert_close(other(x), right)
            if hasattr(torch, "compile"):
                torch.testing.assert_close(torch.compile(net, backend="eager", fullgraph=True)(x), right)
            with torch.autocast("cpu", torch.bfloat16):
                torch.testing.assert_close(net(x).float(), right, rtol=.1, atol=.1)
            with mock.patch.object(launch, "make_plan", side_effect=ck_conv.Refused("no")) as refused:
                library.forget_plans()
                with self.assertRaises(ck_conv.Refused):
                    net(x)
            library.forget_plans()
            self.assertTrue(refused.called)
        with torch.inference_mode():
            self.assertTrue(torch.equal(net(x), right))
        given = [x.detach().clone().requires_grad_() for _ in range(2)]
        for network_, each in zip((net, model), given):
            network_(each).square().sum().backward()
        torch.testing.assert_close(given[0].grad, given[1].grad, rtol=1e-3, atol=1e-4)
        self.assertEqual(set(net.state_dict()), set(model.state_dict()))
        self.assertIn(NAME, dict(net.named_modules()))


def whole(conv):
    """With parameters that are whole numbers, so that sums in every order are exact."""
    for p in conv.parameters():
        p.data.copy_(torch.randint(-3, 4, p.shape))
    return conv


class Bands(unittest.TestCase):
    """Convolutions that write their result over their input."""

    def test_what_is_read_is_not_overwritten(self):
        for rows in (1, 2, 5, 31, 32, 33, 64, 1000, 1024):
            for low in (0, 1, 3, 8):
                for channels, of_result in ((2, 1), (256, 128), (7, 3), (100, 1)):
                    found = list(over_input.bands(rows, low, channels, of_result))
                    self.assertEqual([first for first, _ in found], [0, *(end for _, end in found[:-1])])
                    self.assertEqual(found[-1][1], rows)
                    self.assertTrue(all(first < end for first, end in found))
                    for (_, end), (later, _) in zip(found, found[1:]):
                        self.assertLessEqual(end * of_result, (later - low) * channels)
                    for first, end in found[1:]:
                        self.assertLessEqual(end * of_result, max(first - low, 0) * channels)
                    if rows == 1024 and low < 2:
                        self.assertLessEqual(len(found), 6)

    def computed(self, conv, x):
        """The result, and what overwrote x."""
        conv = conv.eval().to(x.dtype).to(memory_format=torch.channels_last)
        with torch.no_grad():
            right = conv(x)
            net = fused_conv.with_ranges(ck_conv.replace(conv, norms=False))
            place = x.data_ptr()
            y = net(x, overwrites=True)
        self.assertTrue(torch.equal(y, right))
        self.assertEqual(y.stride(), right.stride())
        return y.data_ptr() == place

    def test_results(self):
        torch.manual_seed(4)
        for size, arguments, more in (((33, 5), (16, 8, 3), {"padding": 1}), ((70, 3), (16, 4, (5, 3)), {"padding": "same"}),
                                      ((40, 4), (8, 4, 1), {"bias": False}), ((37, 6), (8, 2, 3), {"padding": 2, "dilation": 2}),
                                      ((45, 4), (16, 8, (4, 1)), {"padding": "same"}),
                                      ((64, 4), (16, 8, 3), {"padding": 1, "groups": 4}), ((2, 3), (8, 4, 3), {"padding": 1})):
            for dtype in (torch.float32, torch.float64):
                conv = whole(nn.Conv2d(*arguments, **more))
                x = torch.randint(-3, 4, (1, arguments[0], *size)).to(dtype).contiguous(memory_format=torch.channels_last)
                with self.subTest(size=size, arguments=arguments, more=more), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # PyTorch's, of a copy by padding="same"
                    self.assertFalse(self.computed(conv, x))  # too small
                    with mock.patch.object(over_input, "LEAST_BYTES", 0):
                        self.assertTrue(over_input.can_overwrite(conv))
                        self.assertTrue(self.computed(conv, x))

    def test_what_stays(self):
        with mock.patch.object(over_input, "LEAST_BYTES", 0):
            conv = whole(nn.Conv2d(16, 8, 3, padding=1))
            one = torch.ones(1, 16, 40, 4)
            for x in (one, torch.ones(2, 16, 40, 4).contiguous(memory_format=torch.channels_last),
                      torch.ones(1, 32, 40, 4).contiguous(memory_format=torch.channels_last)[:, :16]):
                self.assertFalse(self.computed(copy.deepcopy(conv), x))
            one = one.contiguous(memory_format=torch.channels_last)
            with mock.patch.object(library, "is_batch_invariant", lambda: True):
                self.assertFalse(self.computed(copy.deepcopy(conv), one))
            with mock.patch.object(over_input, "plan_of", lambda *_: None):
                self.assertFalse(self.computed(copy.deepcopy(conv), one))
            self.assertTrue(self.computed(conv, one))
        for conv in (nn.Conv2d(16, 9, 3, padding=1), nn.Conv2d(16, 8, 3), nn.Conv2d(16, 8, 3, 2, 1),
                     nn.Conv2d(16, 8, 2, padding=1), nn.Conv2d(16, 8, 3, padding=1, padding_mode="circular")):
            self.assertFalse(over_input.can_overwrite(conv))

    def test_networks(self):
        """Results that live longer keep memory of their own."""
        def longer(net, x):
            y = net.conv1(net.norm1(net.enter(x)))
            return net.conv2(net.norm2(y)) + F.max_pool2d(y, 3, 1, 1)

        def returned(net, x):
            return net.conv1(net.norm1(net.enter(x)))
        x = torch.randn(1, 3, 40, 4).contiguous(memory_format=torch.channels_last)
        for function, calls in ((block, 1), (longer, 0), (returned, 0)):
            with self.subTest(function.__name__), torch.no_grad():
                model = network(function)
                net = fused(model, x).model
                with mock.patch.object(over_input, "LEAST_BYTES", 0), mock.patch.object(
                        over_input, "convolve", wraps=over_input.convolve) as convolve:
                    torch.testing.assert_close(net(x), model(x), rtol=1e-4, atol=1e-5)
                    self.assertEqual(convolve.call_count, calls)
                    with torch.autocast("cpu", torch.bfloat16):
                        y = net(x).float()
                    torch.testing.assert_close(y, model(x), rtol=.1, atol=.1)


class SwitchedNorm(ChannelNorm):
    is_on = True

    def forward(self, x):
        return super().forward(x) if self.is_on else x


class SameNorm(nn.BatchNorm2d):
    def forward(self, x):
        return x


if __name__ == "__main__":
    unittest.main()
