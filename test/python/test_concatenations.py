#!/usr/bin/python3
"""fuse() in inference: convolutions write into the result of torch.cat(). Compared with the unfused model in float64, exactly,
and by what PyTorch launches."""
import collections
import copy
import pickle
import sys
import unittest
import warnings
from pathlib import Path
from unittest import mock

from needs_torch import integers, torch
from networks import LAST, Net

import ck_conv
from ck_conv._c import interface as library
from ck_conv._conv import launch
from ck_conv._conv.concatenation import doubled
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "script"))
from comparison.detector import Detector

COPIES = "aten::cat", "aten::copy_", "aten::upsample_nearest2d", "aten::upsample_nearest3d"


def layer(c, k, size=1, rank=2):
    conv = {2: nn.Conv2d, 3: nn.Conv3d}[rank](c, k, size, padding=size // 2)
    return nn.Sequential(conv, nn.ReLU())


class Stage(nn.Module):
    """As those of YOLO: half of the channels pass through blocks, which add or not."""

    def __init__(self, rank=2, adds=True, c=16):
        super().__init__()
        self.first, self.last, self.adds = layer(3, 2 * c, 1, rank), layer(4 * c, 8, 1, rank), adds
        self.blocks = nn.ModuleList(nn.Sequential(layer(c, c, 3, rank), layer(c, c, 3, rank)) for _ in range(2))

    def forward(self, x):
        parts = list(self.first(x).chunk(2, 1))
        for block in self.blocks:
            parts.append(parts[-1] + block(parts[-1]) if self.adds else block(parts[-1]))
        return self.last(torch.cat(parts, 1))


def exact(model):
    """The model with few weights that are not 0, all small integers: sums are exact in each type."""
    with torch.no_grad():
        for parameter in model.parameters():
            inputs = parameter[0].numel() if parameter.dim() > 1 else 3  # of a sum
            parameter.copy_(integers(*parameter.shape) * (torch.rand(parameter.shape) < 4 / inputs))
    return model.eval()


def image(rank=2, channels=3, n=2, dtype=torch.float32):
    return integers(n, channels, *(4, 6, 2)[:rank], dtype=dtype).contiguous(memory_format=LAST[rank])


def fused(model, x):
    rank = x.dim() - 2
    return ck_conv.fuse(model.to(x.dtype, memory_format=LAST[rank]), report=True)


def launched(model, x):
    """(launches of the library, {operator of PyTorch that copies: how often}), and the result."""
    model(x)  # weights are packed once
    with torch.autograd.profiler.profile() as profile, mock.patch.object(launch, "run", wraps=launch.run) as run:
        y = model(x)
    operators = collections.Counter(event.name for event in profile.function_events)
    return run.call_count, {name: operators[name] for name in COPIES if operators[name]}, y


class Concatenations(unittest.TestCase):
    def check(self, model, x, in_place, copies, plans=None):
        """in_place: what writes into each concatenation. copies: as of launched(). Returns the fused model."""
        exact(model)
        right = copy.deepcopy(model).double()(x.double())
        report = fused(model, x)
        self.assertEqual(list(report.concatenations.values()), in_place, report)
        with torch.no_grad():
            runs, launches, y = launched(report.model, x)
            self.assertEqual(launches, copies)
            if plans is not None:
                self.assertEqual(runs, plans)
            self.assertTrue(torch.equal(y.double(), right))
            self.assertTrue(launch.is_channels_last(y))
            self.assertTrue(torch.equal(report.model(x), y))  # as remembered
        return report.model

    def test_stages(self):
        for rank, adds, dtype in ((2, True, torch.float32), (2, False, torch.float64), (3, True, torch.bfloat16),
                                  (3, False, torch.float16)):
            with self.subTest(rank=rank, adds=adds, dtype=dtype):
                self.check(Stage(rank, adds), image(rank, dtype=dtype), ["first.0, blocks.0.1.0, blocks.1.1.0"], {}, 6)

    def test_skips_and_transposed_convolutions(self):
        def forward(net, x):
            skip = net.first(x)
            return net.last(torch.cat([net.up(net.down(skip)), skip], 1))
        for conv, up in ((nn.Conv2d, nn.ConvTranspose2d), (nn.Conv3d, nn.ConvTranspose3d)):
            rank = 2 + (conv is nn.Conv3d)
            net = Net(forward, first=layer(3, 8, 3, rank), down=conv(8, 8, 2, 2), up=up(8, 16, 2, 2), last=layer(24, 8, 1, rank))
            self.check(net, image(rank), ["first.0, up"], {}, 4)

    def test_one_part_is_copied(self):
        def forward(net, x):
            y = net.first(x)
            return net.last(torch.cat([F.max_pool2d(y, 3, 1, 1), net.a(y)], dim=1))
        net = Net(forward, first=layer(3, 8), a=nn.Conv2d(8, 8, 3, padding=1), last=layer(16, 4))
        self.check(net, image(), ["a"], {"aten::copy_": 1}, 3)

    def test_a_part_twice(self):
        def forward(net, x):
            y = net.first(x)
            return net.last(torch.cat((y, y, net.a(y)), 1))
        net = Net(forward, first=layer(3, 8), a=layer(8, 8), last=layer(24, 4))
        self.check(net, image(), ["first.0, a.0"], {"aten::copy_": 1})

        def of_a_chunk(net, x):
            a, b = net.first(x).chunk(2, 1)
            return net.last(torch.cat((a, b, net.a(b), b), 1))
        net = Net(of_a_chunk, first=layer(3, 16), a=layer(8, 8), last=layer(32, 4))
        self.check(net, image(), ["first.0, a.0"], {"aten::copy_": 1})

    def test_doubled_images(self):
        def by_function(net, x):
            y = net.first(x)
            return net.last(torch.cat([F.interpolate(net.a(y), scale_factor=2.0), net.b(F.interpolate(y, scale_factor=2))], 1))

        def by_module(net, x):
            y = net.first(x)  # read by an interpolation and a convolution
            whole = torch.cat([net.up(net.a(y)), F.interpolate(y, scale_factor=2)], 1)
            return net.last(whole) + net.last(torch.cat([net.up(net.b(y)), whole], 1)[:, 8:])
        for rank in (2, 3):
            up = nn.Upsample(scale_factor=2)
            net = Net(by_function, first=layer(3, 8, 1, rank), a=layer(8, 8, 1, rank), b=layer(8, 8, 1, rank),
                      last=layer(16, 4, 1, rank))
            self.check(net, image(rank), ["interpolate, b.0"], {"aten::copy_": 1, f"aten::upsample_nearest{rank}d": 1})
            net = Net(by_module, first=layer(3, 8, 1, rank), a=layer(8, 8, 1, rank), b=layer(8, 8, 1, rank), up=up,
                      last=nn.Sequential(layer(16, 4, 1, rank), nn.Identity()))
            self.check(net, image(rank), ["up, interpolate", "up"], {"aten::copy_": 4})

    def test_doubled_images_of_subclasses(self):
        class Images(torch.Tensor):
            called = []

            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                cls.called.append(function)
                return super().__torch_function__(function, types, args, kwargs or {})
        x = image()
        y = doubled(x.as_subclass(Images), None, 0, 3)
        self.assertIn(doubled, Images.called)
        self.assertTrue(torch.equal(y.as_subclass(torch.Tensor), F.interpolate(x, scale_factor=2.)))

    def test_results(self):
        """Memory of the result is nobody else's; that of a part that is returned is its own."""
        def forward(net, x):
            return torch.cat([net.a(x), net.b(x)], 1)
        model = self.check(Net(forward, a=layer(3, 8), b=nn.Conv2d(3, 8, 1)), image(), ["a.0, b"], {}, 2)
        with torch.no_grad():
            first, second = model(image()), model(image())
            kept = first.clone()
            second.zero_()
        self.assertTrue(torch.equal(first, kept))

        def a_part(net, x):
            a = net.a(x)
            return [a, torch.cat([a, net.b(x)], 1)]
        net = exact(Net(a_part, a=layer(3, 8), b=layer(3, 8)))
        report = fused(net, image())
        self.assertEqual(report.concatenations, {"cat": "b.0"})
        with torch.no_grad():
            a, whole = report.model(image())
        self.assertTrue(torch.equal(whole[:, :8], a))
        whole.zero_()
        self.assertGreater(a.abs().max(), 0)

    def test_tensors_that_are_kept(self):
        """Whoever keeps a part keeps its values when the result is written to."""
        def forward(net, x):
            return net.relu(torch.cat([net.a(x), net.b(x)], 1))
        model = exact(Net(forward, a=nn.Conv2d(3, 8, 1), b=nn.Conv2d(3, 8, 1), relu=nn.ReLU(inplace=True)))
        x = image()
        net = fused(model, x).model

        def copies(net):
            return launched(net, x)[1]
        with torch.no_grad():
            right, part = model(x), model.a(x)
            self.assertEqual(copies(net), {})
            kept = []
            hook = net.a.register_forward_hook(lambda module, given, result: kept.append(result))
            self.assertTrue(torch.equal(net(x), right) and torch.equal(kept[0], part))
            hook.remove()
            self.assertEqual(copies(net), {})
            graph = copy.deepcopy(net.graph)
            last, a = (next(node for node in graph.nodes if node.target == name) for name in ("output", "a"))
            last.args = ([last.args[0], a],)
            for y, right_y in zip(torch.fx.GraphModule(net, graph)(x), (right, part)):
                self.assertTrue(torch.equal(y, right_y))

    def test_weights_of_another_size(self):
        model = exact(Net(lambda net, x: torch.cat([net.a(x), net.b(x)], 1), a=nn.Conv2d(3, 8, 1), b=nn.Conv2d(3, 8, 1)))
        x = image()
        net = fused(model, x).model
        for channels in (4, 16):
            weight = integers(channels, 3, 1, 1, dtype=torch.float32).contiguous(memory_format=torch.channels_last)
            for network in (model, net):
                network.a.weight, network.a.bias = nn.Parameter(weight), None
            with torch.no_grad():
                self.assertTrue(torch.equal(net(x), model(x)))

    def test_a_doubled_image_between_concatenations(self):
        def forward(net, x):
            y = F.interpolate(net.first(x), scale_factor=2)
            z = torch.cat([net.a(y), net.b(y)], 1)
            return net.last(torch.cat([y, net.c(z)], 1))
        net = Net(forward, first=layer(3, 8), a=layer(8, 8), b=layer(8, 8), c=layer(16, 8), last=layer(16, 4))
        self.check(net, image(), ["a.0, b.0", "interpolate, c.0"], {"aten::copy_": 1})

    def test_a_nameless_part(self):
        """nn.Identity before the first convolution leaves no node."""
        net = Net(lambda net, x: net.n(torch.cat([net.a(net.same(x)), net.b(x)], 1)), a=layer(3, 8), b=layer(3, 8),
                  same=nn.Identity(), n=nn.Conv2d(16, 8, 1))
        self.check(net, image(), ["a.0, b.0"], {})

    def test_what_stays(self):
        def of(last):
            def forward(net, x):
                a, b = net.a(x), net.b(x)
                return last(net, a, b)
            return forward
        cat = torch.cat
        for what, last, copies in (
                ("another dimension", lambda net, a, b: net.of_8(cat([a, b], 2)), 1),
                ("written after", lambda net, a, b: net.of_16(cat([a.neg_(), b.neg_()], 1)), 1),
                ("the result is written, a part read", lambda net, a, b: net.of_16(cat([a, b], 1).neg_()) + net.of_8(b) + net.of_8(a), 1),
                ("two concatenations", lambda net, a, b: net.of_16(cat([a, b], 1)) + net.of_16(cat([b, a], 1)), 2),
                ("other users", lambda net, a, b: net.of_16(cat([a, b], 1)) + F.max_pool2d(a, 3, 1, 1).sum() + b.sum(), 1),
                ("two that are not convolutions", lambda net, a, b: net.of_24(cat([a, a.sin().ceil(), b.sin().ceil()], 1)), 1),
                ("a residual of another tensor", lambda net, a, b: net.of_16(cat([a, b], 1)) + (net.d(net.of_8(b)) + a).sum()
                 + (net.d(net.of_8(a)) + b).sum(), 1),
                ("an unknown number of channels", lambda net, a, b: net.of_16(cat([a[:, :4], b, a[:, 4:]], 1)), 1)):
            with self.subTest(what):
                net = Net(of(last), a=layer(3, 8), b=layer(3, 8), of_8=layer(8, 4), of_16=layer(16, 4), of_24=layer(24, 4),
                          d=layer(4, 8))
                self.check(net, image(), [], {"aten::cat": copies})

    def test_a_concatenation_of_concatenations(self):
        def forward(net, x):
            y = torch.cat([net.a(x), net.b(x)], 1)
            return net.last(torch.cat([y, net.c(y)], 1))
        net = Net(forward, a=layer(3, 8), b=layer(3, 8), c=layer(16, 8), last=layer(24, 4))
        self.check(net, image(), ["a.0, b.0, c.0"], {}, 4)

    def test_a_module_that_is_called_twice(self):
        def forward(net, x):
            return net.last(torch.cat([net.a(x), net.a(x.flip(2)), net.plain(x), net.plain(x)], 1))
        net = Net(forward, a=layer(3, 8), plain=nn.Conv2d(3, 8, 1), last=layer(32, 4))
        self.check(net, image(), ["a.0, a.0_1, plain, plain"], {}, 5)

    def test_arguments_by_name(self):
        def forward(net, x):
            a = net.same(input=net.a(x))
            return net.last(torch.cat([a, net.plain(input=a)], dim=1))
        net = Net(forward, a=layer(3, 8), same=nn.Identity(), plain=nn.Conv2d(8, 8, 1), last=layer(16, 4))
        self.check(net, image(), [], {"aten::cat": 1})

    def test_alignment(self):
        """Where pixels of a range do not begin at multiples of 16 bytes, nothing changes."""
        def forward(net, x):
            return net.last(torch.cat([net.a(x), net.b(x)], 1))
        for a, b, dtype, copies in ((4, 8, torch.float32, 0), (4, 8, torch.bfloat16, 1), (2, 2, torch.float64, 0),
                                    (8, 12, torch.float16, 1), (8, 3, torch.float32, 1)):
            net = Net(forward, a=layer(3, a), b=layer(3, b), last=layer(a + b, 4))
            self.check(net, image(dtype=dtype), ["a.0, b.0"], {"aten::cat": 1} if copies else {}, 3)

    def test_other_layouts_and_ranks(self):
        def forward(net, x):
            return net.last(torch.cat([net.a(x), net.b(x)], 1))
        net = exact(Net(forward, a=layer(3, 8), b=layer(3, 8), last=layer(16, 4)))
        report = ck_conv.fuse(net, report=True, channels_last=False)
        x = image().contiguous()
        with torch.no_grad():
            self.assertTrue(torch.equal(report.model(x), net(x)))
            self.assertEqual(launched(report.model, x)[1], {"aten::cat": 1})
        net = exact(Net(forward, a=nn.Conv1d(3, 8, 1), b=nn.Conv1d(3, 8, 1), last=nn.Sequential(nn.Conv1d(16, 4, 1), nn.ReLU())))
        x = integers(2, 3, 8, dtype=torch.float32)
        with torch.no_grad():
            self.assertTrue(torch.equal(ck_conv.fuse(net, report=True).model(x), net(x)))

    def test_sizes_that_differ(self):
        def forward(net, x):
            return net.last(torch.cat([net.a(x), net.b(x[:, :, 1:])], 1))
        model = fused(exact(Net(forward, a=layer(3, 8), b=layer(3, 8), last=layer(16, 4))), image()).model
        with torch.no_grad(), self.assertRaisesRegex(RuntimeError, "Sizes of tensors must match"):
            model(image())
        sizes = [image(n=n) for n in (1, 3, 0)]
        model = fused(exact(Stage()), image()).model
        with torch.no_grad():
            self.assertEqual([model(x).shape[0] for x in sizes], [1, 3, 0])

    def test_gradients(self):
        net = exact(Net(lambda net, x: torch.cat([net.a(x), net.b(x)], 1), a=layer(3, 8), b=nn.Conv2d(3, 8, 1)))
        model = fused(net, image()).model
        for x in (image(), image().requires_grad_()):
            y = model(x)  # b's weight requires a gradient, as in the unfused model
            y.sum().backward()
            of_weight, of_x = model.b.weight.grad.clone(), x.grad
            x = x.detach().requires_grad_()
            net.zero_grad()
            net(x).sum().backward()
            self.assertTrue(torch.equal(of_weight, net.b.weight.grad))
            self.assertTrue(of_x is None or torch.equal(of_x, x.grad))
            model.zero_grad()
        self.assertEqual([p.requires_grad for p in model.parameters()], [False, False, True, True])

    def test_modes(self):
        net, x = exact(Stage()), image()
        model = fused(net, x).model
        with torch.no_grad():
            right = net(x)
            warnings.simplefilter("ignore")  # of tracing and vmap
            for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), ck_conv.fuse(model, report=True).model,
                          torch.jit.trace(model, x), torch.fx.symbolic_trace(model)):
                self.assertTrue(torch.equal(other(x), right))
            with torch.autocast("cpu", torch.bfloat16):
                self.assertTrue(torch.equal(model(x).float(), right))
            self.assertTrue(torch.equal(model.double()(x.double()).float(), right))
            model.float()
            with mock.patch.object(launch, "make_plan", side_effect=self._refused(launch.make_plan)):
                library.forget_plans()
                self.assertTrue(torch.equal(model(x), right))
            library.forget_plans()
        with torch.inference_mode():
            self.assertTrue(torch.equal(model(x), right))
        if hasattr(torch, "compile"):
            with torch.no_grad():
                self.assertTrue(torch.equal(torch.compile(model, backend="eager", fullgraph=True)(x), right))
        if hasattr(torch, "func"):
            with torch.no_grad():
                self.assertTrue(torch.equal(torch.func.vmap(model)(torch.stack([x, x])), torch.stack([right, right])))

    @staticmethod
    def _refused(make_plan):
        def make(*args):
            if args[-1] is not None:
                raise ck_conv.Refused("ranges of Y")
            return make_plan(*args)
        return make

    def test_detector(self):
        torch.manual_seed(2)
        net = Detector((8, 16, 32, 48, 64)).eval().to(memory_format=torch.channels_last)
        report = ck_conv.fuse(net, report=True)
        self.assertEqual(len(report.concatenations), 15)
        x = torch.randn(1, 3, 64, 64).contiguous(memory_format=torch.channels_last)
        with torch.no_grad():
            runs, copies, y = launched(report.model, x)
            torch.testing.assert_close(y, net(x), rtol=1e-4, atol=1e-6)
        self.assertEqual(runs, 63)
        # The four resolutions of the pooling pyramid, and the transposed results. Without ranges: 17 and 10, 2 interpolations.
        self.assertEqual(copies, {"aten::cat": 2, "aten::copy_": 2})


if __name__ == "__main__":
    unittest.main()
