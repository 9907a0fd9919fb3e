#!/usr/bin/python3
"""Average pools that ck_conv.fuse() makes a 1x1 convolution compute, against PyTorch's."""
import copy
import pickle
import unittest
import warnings
from unittest import mock

from needs_torch import integers, torch
from networks import Net

import ck_conv
from torch import nn
from torch.nn import functional as F
from test_fuse import Conv2dSame

try:
    import timm
    import torchvision
except ImportError:
    timm = torchvision = None


class Function(nn.Module):
    """A function of the result of a convolution, and another convolution."""

    def __init__(self, conv, function, last=None):
        super().__init__()
        self.conv, self.function, self.last = conv, function, last

    def forward(self, x):
        x = self.function(self.conv(x))
        return x if self.last is None else self.last(x)


class Shortcut(nn.Module):
    """As ResNet-D's."""

    def __init__(self, ceil_mode=True):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(8, 16, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(16)
        self.down = nn.Sequential(nn.AvgPool2d(2, 2, ceil_mode=ceil_mode, count_include_pad=False), nn.Conv2d(8, 16, 1, bias=False),
                                  nn.BatchNorm2d(16))

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)) + self.down(x))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool, self.conv, self.relu, self.other = nn.AvgPool2d(2), nn.Conv2d(8, 16, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1)

    def forward(self, x):
        other = self.other(x)
        return self.relu(self.conv(self.pool(x)) + other)


class Transitions(nn.Module):
    """As DenseNet's."""

    def __init__(self):
        super().__init__()
        self.norm, self.conv, self.pool = nn.BatchNorm2d(8), nn.Conv2d(8, 4, 1, bias=False), nn.AvgPool2d(2, stride=2)
        self.last = nn.Conv2d(4, 4, 3)

    def forward(self, x):
        return self.last(self.pool(self.conv(torch.relu(self.norm(x)))))


def exact(model):
    """The model in eval mode, whose numbers are integers: all results are exact in float32."""
    for p in model.parameters():
        p.data = integers(*p.shape, dtype=torch.float32)
    for norm in model.modules():
        if isinstance(norm, nn.modules.batchnorm._BatchNorm):
            norm.eps = 1e-30
    return model.eval()


class Folded(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(6)

    def check(self, model, *size, words, count=1, dtype=torch.float32):
        """words: in what the report says of some convolution; None: nothing is folded."""
        model = exact(model).to(dtype)
        done = ck_conv.fuse(model, report=True)
        found = [w for w in done.fused.values() if "pool" in w.lower()]
        if words is None:
            self.assertEqual(found, [])
        else:
            self.assertEqual(len(found), count, done.fused)
            self.assertIn(words, found[0])
        x = integers(*size, dtype=dtype)
        for given in (x, x.contiguous(memory_format={4: torch.channels_last, 5: torch.channels_last_3d}[x.dim()]) if x.dim() > 3 else x):
            again = [] if isinstance(model, (Function, Net)) else [pickle.loads(pickle.dumps(done.model))]  # lambdas have no pickle
            for fused in (done.model, copy.deepcopy(done.model), *again):
                with torch.no_grad():
                    y, right = fused(given), model(given)
                    torch.testing.assert_close(y, right)
                    self.assertTrue(words is None or torch.equal(y, right))
        return done

    def test_shortcuts(self):
        for size in ((2, 8, 8, 6), (2, 8, 7, 9), (1, 8, 1, 4)):
            done = self.check(Shortcut(), *size, words="AvgPool2d down.0 before, BatchNorm2d down.2")
            self.assertIn("down.1", done.fused)
        self.check(Shortcut(False), 2, 8, 8, 6, words="before")

    def test_transitions(self):
        self.check(Transitions(), 2, 8, 8, 10, words="AvgPool2d pool after")
        self.check(Transitions(), 2, 8, 9, 11, words="AvgPool2d pool after")

    def test_before_and_after_alone(self):
        for bias, groups in ((True, 1), (False, 2)):
            conv = nn.Conv2d(8, 4, 1, bias=bias, groups=groups)
            tail = nn.Conv2d(4, 4, 3)
            self.check(nn.Sequential(copy.deepcopy(conv), nn.AvgPool2d(2), tail), 2, 8, 8, 9, words="after")
            self.check(nn.Sequential(nn.AvgPool2d(2), copy.deepcopy(conv), tail), 2, 8, 8, 9, words="before")
            self.check(nn.Sequential(copy.deepcopy(conv), nn.AvgPool2d(2, ceil_mode=True), tail), 2, 8, 9, 9, words="after")

    def test_batch_norms_in_between(self):
        for between in ([nn.BatchNorm2d(4)], [nn.Identity(), nn.BatchNorm2d(4)], [nn.Dropout(.5)]):
            words = "AvgPool2d {} after".format(1 + len(between))
            self.check(nn.Sequential(nn.Conv2d(8, 4, 1), *between, nn.AvgPool2d(2), nn.Conv2d(4, 4, 3)), 2, 8, 8, 9, words=words)
        self.check(nn.Sequential(nn.AvgPool2d(2), nn.Identity(), nn.Conv2d(8, 4, 1), nn.BatchNorm2d(4), nn.ReLU()), 2, 8, 8, 9,
                   words="AvgPool2d 0 before, BatchNorm2d 3, ReLU 4")
        self.check(nn.Sequential(nn.Conv2d(8, 4, 1), nn.AvgPool2d(2), nn.BatchNorm2d(4), nn.ReLU()), 2, 8, 8, 9,
                   words="AvgPool2d 1 after, BatchNorm2d 2, ReLU 3")
        of_batches = nn.BatchNorm2d(4, track_running_stats=False)  # does not commute with the pool
        self.check(nn.Sequential(nn.Conv2d(8, 4, 1), of_batches, nn.AvgPool2d(2), nn.Conv2d(4, 4, 3)), 2, 8, 8, 9, words=None)
        hooked = nn.BatchNorm2d(4)
        hooked.register_forward_hook(lambda *_: None)
        done = ck_conv.fuse(exact(nn.Sequential(nn.Conv2d(8, 4, 1), hooked, nn.AvgPool2d(2), nn.Conv2d(4, 4, 3))), report=True)
        self.assertFalse(any("Pool" in w for w in done.fused.values()))
        self.check(Function(nn.Conv2d(8, 4, 1), lambda x: F.avg_pool2d(x, 2) * x.sum()), 2, 8, 8, 9, words=None)

    def test_residuals(self):
        self.check(Residual(), 2, 8, 8, 6, words="AvgPool2d pool before, add, ReLU relu")
        self.check(Residual(), 2, 8, 8, 6, words="AvgPool2d pool before, add, ReLU relu", dtype=torch.float64)

    def test_other_windows(self):
        for window, size in (((2, 1), (6, 5)), ((1, 2), (5, 7)), (4, (8, 9)), ((2, 8), (5, 17))):
            self.check(nn.Sequential(nn.Conv2d(8, 4, 1), nn.AvgPool2d(window), nn.Conv2d(4, 4, 1)), 2, 8, *size, words="AvgPool2d 1 after")
        for window in ((2, 1), (1, 2)):
            self.check(nn.Sequential(nn.AvgPool2d(window, ceil_mode=True), nn.Conv2d(8, 4, 1)), 2, 8, 5, 7, words="before")
        self.check(nn.Sequential(nn.AvgPool3d((1, 2, 2), ceil_mode=True), nn.Conv3d(8, 4, 1)), 2, 8, 3, 5, 6, words="before")
        self.check(nn.Sequential(nn.AvgPool2d(4), nn.Conv2d(8, 4, 1)), 2, 8, 8, 9, words=None)  # 16 times the multiplications
        for window in (4, (1, 4)):  # with ceil_mode, the last pool may average three rows
            self.check(nn.Sequential(nn.Conv2d(8, 4, 1), nn.AvgPool2d(window, ceil_mode=True)), 2, 8, 9, 10, words=None)
        for window in (3, 8, (2, 3), 1):  # no power of two, many taps, none
            self.check(nn.Sequential(nn.Conv2d(8, 4, 1), nn.AvgPool2d(window)), 1, 8, 16, 16, words=None)

    def test_signals(self):
        conv = nn.Conv1d(8, 4, 1)
        for pool in (nn.AvgPool1d(2), nn.AvgPool1d(4), nn.AvgPool1d(2, ceil_mode=True)):
            self.check(nn.Sequential(copy.deepcopy(conv), pool, nn.Conv1d(4, 4, 3)), 2, 8, 19, words="AvgPool1d 1 after")
        self.check(nn.Sequential(nn.AvgPool1d(2, ceil_mode=True), copy.deepcopy(conv)), 2, 8, 19, words="AvgPool1d 0 before")
        self.check(nn.Sequential(nn.AvgPool1d(2, ceil_mode=True), copy.deepcopy(conv)), 8, 19, words="AvgPool1d 0 before")
        self.check(Function(conv, lambda x: F.avg_pool1d(x, 2, ceil_mode=True)), 2, 8, 7, words="avg_pool1d after")

    def test_dilations_and_padding_modes_of_one_tap(self):
        for given in ({"dilation": 2}, {"padding_mode": "circular"}, {"padding": "same"}, {"padding": "valid"}):
            self.check(nn.Sequential(nn.Conv2d(8, 4, 1, **given), nn.AvgPool2d(2), nn.Conv2d(4, 4, 3)), 2, 8, 8, 9, words="after")
            self.check(nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(8, 4, 1, **given)), 2, 8, 8, 9, words="before")

    def test_types(self):
        x, tails = integers(2, 8, 7, 9), (lambda: nn.AvgPool2d(2, ceil_mode=True), lambda: nn.Conv2d(8, 4, 1))
        for layers in (tails, tails[::-1]):
            model = exact(nn.Sequential(*(make() for make in layers))).double()
            for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
                fused = ck_conv.fuse(copy.deepcopy(model).to(dtype))
                for given in (x, x.contiguous(memory_format=torch.channels_last)):
                    with torch.no_grad():  # quarters of integers are exact in all types
                        self.assertTrue(torch.equal(fused(given.to(dtype)).double(), model(given)), dtype)

    def test_gradients_of_inputs(self):
        for pool in (nn.AvgPool2d(2), nn.AvgPool2d(2, ceil_mode=True)):
            model = exact(nn.Sequential(pool, nn.Conv2d(8, 4, 1), nn.ReLU())).double()
            x, found = integers(2, 8, 7, 9), []
            for net in (model, ck_conv.fuse(model)):
                given = x.clone().requires_grad_()
                net(given).square().sum().backward()
                found.append(given.grad)
            self.assertTrue(torch.equal(*found))

    def test_no_images(self):
        model = exact(Shortcut())
        with torch.no_grad():
            self.assertEqual(ck_conv.fuse(model)(torch.zeros(0, 8, 7, 9)).shape, model(torch.zeros(0, 8, 7, 9)).shape)

    def test_channels_first(self):
        """If fuse() may not use channels last."""
        model, x = exact(Shortcut()), integers(2, 8, 7, 9, dtype=torch.float32)
        fused = ck_conv.fuse(model, channels_last=False)
        with torch.no_grad():
            self.assertTrue(fused(x).is_contiguous())
            self.assertTrue(torch.equal(fused(x), model(x)))

    def test_the_weight_has_the_layout_of_the_others(self):
        for layout in (torch.contiguous_format, torch.channels_last):
            fused = ck_conv.fuse(exact(Shortcut()).to(memory_format=layout), channels_last=False)
            self.assertTrue(all(fused.get_submodule(name).weight.is_contiguous(memory_format=layout) for name in ("conv", "down.1")))

    def test_weights_that_forward_reads(self):
        net = Net(lambda net, x: net.two(F.avg_pool2d(net.one(x), 2) * net.one.weight.sum()), one=nn.Conv2d(8, 8, 1), two=nn.Conv2d(8, 4, 1))
        self.check(net, 1, 8, 6, 6, words="avg_pool2d after")
        net = Net(lambda net, x: F.conv2d(net.two(net.pool(x)), net.two.weight.transpose(0, 1)), pool=nn.AvgPool2d(2), two=nn.Conv2d(8, 4, 1))
        self.check(net, 1, 8, 6, 6, words="AvgPool2d pool before")

    def test_convolutions_that_are_called_twice(self):
        net = Net(lambda net, x: net.one(F.avg_pool2d(net.one(x), 2)), one=nn.Conv2d(4, 4, 1))
        self.check(net, 1, 4, 6, 6, words=None)

    def test_parts_with_several_graphs(self):
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv, self.pool = nn.Conv2d(4, 4, 1), nn.AvgPool2d(2)

            def forward(self, x, y):
                x = self.pool(self.conv(x)).abs()
                return x if y is None else x + y

        model = exact(Net(lambda net, x: net.block(x, net.block(x, None)) if x.sum() > -1e9 else None, block=Block()))
        done = ck_conv.fuse(model, report=True)
        self.assertEqual(done.fused, {"block.conv": "AvgPool2d pool after"})
        self.assertFalse([name for name in done.left if "conv" in name])
        x = integers(1, 4, 6, 6, dtype=torch.float32)
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertTrue(torch.equal(done.model(x), model(x)))
        with self.assertRaisesRegex(RuntimeError, "for inference"):
            done.model.block.graphs[0].conv.train()

    @unittest.skipIf(torch.__version__ < "2", "PyTorch 1.13 has no torch.compile")
    def test_compiled(self):
        for channels_last in (False, True):
            model = exact(Shortcut())
            compiled = torch.compile(ck_conv.fuse(model, channels_last=channels_last), backend="aot_eager", fullgraph=True)
            for size in ((2, 8, 8, 6), (2, 8, 7, 9), (2, 8, 9, 10), (2, 8, 11, 12)):  # later ones have dynamic sizes
                x = integers(*size, dtype=torch.float32)
                with torch.no_grad():
                    self.assertTrue(torch.equal(compiled(x), model(x)), size)

    def test_concatenations_stay_in_place(self):
        """As DenseNet's: the convolution that pools writes into the next block's tensor."""
        def forward(net, x):
            x = net.first(x)
            for i in range(2):
                parts = [x]
                for layer in net.layers[3 * i:3 * i + 2]:
                    parts.append(layer(torch.cat(parts, 1)))
                x = F.avg_pool2d(net.layers[3 * i + 2](torch.cat(parts, 1)), 2)
            return x

        convs = [c for _ in range(2) for c in (nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(16, 8, 3, padding=1), nn.Conv2d(24, 8, 1))]
        done = self.check(Net(forward, first=nn.Conv2d(8, 8, 1), layers=nn.ModuleList(convs)), 2, 8, 9, 10, words="avg_pool2d after", count=2)
        self.assertEqual(sorted(done.concatenations.values()), ["first, layers.0, layers.1", "layers.2, layers.3, layers.4"])

    def test_pads_that_depend_on_the_size(self):
        """With strides, timm's convolution would pad odd sizes."""
        for layers in ((Conv2dSame(8, 4, 1), nn.AvgPool2d(2)), (nn.AvgPool2d(2), Conv2dSame(8, 4, 1))):
            with mock.patch.object(Conv2dSame, "__module__", "timm.layers.conv2d_same"):
                known = ck_conv.fuse(nn.Sequential(Conv2dSame(8, 4, 1), nn.ReLU()).eval(), report=True)
                fused = ck_conv.fuse(exact(nn.Sequential(*layers)))
            self.assertEqual(known.fused, {"0": "ReLU 1"})
            x = integers(2, 8, 7, 9, dtype=torch.float32)
            with torch.no_grad():
                self.assertTrue(torch.equal(fused(x), nn.Sequential(*layers)(x)))

    @unittest.skipIf(torchvision is None, "torchvision or timm is not installed")
    def test_of_torchvision_and_timm(self):
        for make, words, concatenations in (
                (lambda: torchvision.models.DenseNet(growth_rate=8, block_config=(2, 2), num_init_features=16, num_classes=4),
                 {"features.transition1.conv": "AvgPool2d features.transition1.pool after"},
                 {"cat_2": "features.denseblock1.denselayer1.conv2, features.denseblock1.denselayer2.conv2",
                  "cat_5": "features.transition1.conv, features.denseblock2.denselayer1.conv2, features.denseblock2.denselayer2.conv2"}),
                (lambda: timm.create_model("resnet14t", num_classes=4),
                 {f"layer{i}.0.downsample.1": f"AvgPool2d layer{i}.0.downsample.0 before, BatchNorm2d layer{i}.0.downsample.2, add, "
                  f"ReLU layer{i}.0.act3" for i in (2, 3, 4)}, {})):
            model = make().double().eval()
            for layout in (torch.contiguous_format, torch.channels_last):
                done = ck_conv.fuse(model.to(memory_format=layout), report=True)
                self.assertEqual({name: w for name, w in done.fused.items() if "Pool" in w}, words)
                self.assertEqual(done.concatenations, concatenations)
                for size in ((64, 64), (75, 50)):
                    x = torch.randn(2, 3, *size, dtype=torch.float64).contiguous(memory_format=layout)
                    with torch.no_grad():
                        torch.testing.assert_close(done.model(x), model(x), rtol=1e-9, atol=1e-12)

    def test_volumes_and_functions(self):
        self.check(nn.Sequential(nn.Conv3d(4, 4, 1), nn.AvgPool3d(2), nn.Conv3d(4, 2, 1)), 1, 4, 4, 5, 6, words="after")
        self.check(nn.Sequential(nn.AvgPool3d(2, ceil_mode=True), nn.Conv3d(4, 2, 1)), 1, 4, 3, 5, 6, words="before")
        self.check(Function(nn.Conv2d(4, 4, 1), lambda x: F.avg_pool2d(x, 2)), 1, 4, 6, 6, words="avg_pool2d after")
        self.check(Function(nn.Conv2d(4, 4, 1), lambda x: F.avg_pool2d(x, (2, 2), stride=2, ceil_mode=True), nn.Conv2d(4, 4, 3)),
                   1, 4, 7, 7, words="avg_pool2d after")

    def test_one_image_without_a_batch(self):
        self.check(nn.Sequential(nn.AvgPool2d(2, ceil_mode=True), nn.Conv2d(4, 2, 1)), 4, 5, 6, words="before")

    def test_recorded_for_other_sizes(self):
        model = exact(nn.Sequential(nn.AvgPool2d(2, ceil_mode=True), nn.Conv2d(4, 2, 1)))
        fused, given = ck_conv.fuse(model), integers(1, 4, 6, 6, dtype=torch.float32)
        found = [torch.jit.trace(fused, given, check_trace=False)]
        if torch.__version__ >= "2.7":
            sizes = {d: torch.export.Dim(f"n{d}", min=4, max=99) for d in (2, 3)}
            found.append(torch.export.export(fused, (given,), dynamic_shapes=(sizes,)).module())
        for recorded in found:
            for size in ((6, 6), (7, 8), (8, 7), (9, 9)):
                x = integers(1, 4, *size, dtype=torch.float32)
                self.assertTrue(torch.equal(recorded(x), model(x)), size)

    def test_left_alone(self):
        one, tail = nn.Conv2d(4, 4, 1), nn.Conv2d(4, 4, 3)
        for layers in ((one, nn.AvgPool2d(3), tail), (one, nn.AvgPool2d(2, 1), tail), (one, nn.AvgPool2d(2, padding=1), tail),
                       (one, nn.AvgPool2d(2, divisor_override=3), tail), (nn.Conv2d(4, 4, 3), nn.AvgPool2d(2), tail),
                       (nn.Conv2d(4, 4, 1, stride=2), nn.AvgPool2d(2), tail), (nn.Conv2d(4, 4, 1, padding=1), nn.AvgPool2d(2), tail),
                       (one, nn.ReLU(), nn.AvgPool2d(2), tail), (nn.ConvTranspose2d(4, 4, 1), nn.AvgPool2d(2), tail),
                       (one, nn.AvgPool2d((2, 3)), tail)):
            self.check(nn.Sequential(*map(copy.deepcopy, layers)), 1, 4, 12, 12, words=None)
        self.check(Function(one, lambda x: F.avg_pool2d(x, 2) + x[:, :, ::2, ::2]), 1, 4, 8, 8, words=None)
        self.check(Function(one, lambda x: tail(F.avg_pool2d(x, 2)) + one(F.avg_pool2d(x, 2))[:, :, 2:, 2:]), 1, 4, 8, 8, words=None)
        hooked = nn.Sequential(copy.deepcopy(one), nn.AvgPool2d(2), copy.deepcopy(tail))
        hooked[1].register_forward_hook(lambda *_: None)
        with torch.no_grad():
            self.assertFalse(any("Pool" in w for w in ck_conv.fuse(hooked.eval(), report=True).fused.values()))

    def test_weights_that_a_quarter_would_round(self):
        for dtype, least in ((torch.float32, 1e-45), (torch.float16, 6e-8)):
            for value in (least, float("inf"), float("nan")):
                model = exact(nn.Sequential(nn.Conv2d(4, 4, 1), nn.AvgPool2d(2), nn.Conv2d(4, 4, 3))).to(dtype)
                self.assertTrue(any("Pool" in w for w in ck_conv.fuse(model, report=True).fused.values()))
                model[0].weight.data[0, 0] = value
                self.assertFalse(any("Pool" in w for w in ck_conv.fuse(model, report=True).fused.values()), (dtype, value))

    def test_what_is_written_before_the_convolution_reads(self):
        class Writes(nn.Module):
            def __init__(self):
                super().__init__()
                self.pool, self.conv = nn.AvgPool2d(2), nn.Conv2d(4, 4, 1)

            def forward(self, x):
                pooled = self.pool(x)
                x.mul_(2)
                return self.conv(pooled)

        model = exact(Writes())
        fused = ck_conv.fuse(model)
        x = integers(1, 4, 6, 6, dtype=torch.float32)
        with torch.no_grad():
            self.assertTrue(torch.equal(fused(x.clone()), model(x.clone())))

    def test_training_is_as_before(self):
        model = nn.Sequential(nn.Conv2d(4, 4, 1), nn.AvgPool2d(2), nn.BatchNorm2d(4), nn.ReLU())
        done = ck_conv.fuse(model, report=True)
        self.assertIs(type(done.model[1]), nn.AvgPool2d)

    def test_the_model_keeps_its_weights(self):
        model = exact(Transitions())
        before = {name: value.clone() for name, value in model.state_dict().items()}
        ck_conv.fuse(model)
        self.assertTrue(all(torch.equal(value, before[name]) for name, value in model.state_dict().items()))
        self.assertEqual(model.conv.kernel_size, (1, 1))


if __name__ == "__main__":
    unittest.main()
