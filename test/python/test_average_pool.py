#!/usr/bin/python3
"""Average pools that ck_conv.fuse() makes a 1x1 convolution compute, against PyTorch's."""
import copy
import pickle
import unittest

from needs_torch import integers, torch

import ck_conv
from torch import nn
from torch.nn import functional as F


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

    def check(self, model, *size, words, count=1):
        """words: in what the report says of some convolution; None: nothing is folded."""
        model = exact(model)
        done = ck_conv.fuse(model, report=True)
        found = [w for w in done.fused.values() if "pool" in w.lower()]
        if words is None:
            self.assertEqual(found, [])
        else:
            self.assertEqual(len(found), count, done.fused)
            self.assertIn(words, found[0])
        x = integers(*size, dtype=torch.float32)
        for given in (x, x.contiguous(memory_format={4: torch.channels_last, 5: torch.channels_last_3d}[x.dim()]) if x.dim() > 3 else x):
            again = [] if isinstance(model, Function) else [pickle.loads(pickle.dumps(done.model))]  # lambdas have no pickle
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
        model = exact(nn.Sequential(nn.Conv2d(4, 4, 1), nn.AvgPool2d(2), nn.Conv2d(4, 4, 3)))
        model[0].weight.data[0, 0] = 1e-45
        self.assertFalse(any("Pool" in w for w in ck_conv.fuse(model, report=True).fused.values()))

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
