#!/usr/bin/python3
"""fuse() in inference: torch.cat([a], 1), torch.cat([a, b], 1) and so on, as in DenseNet, are the first channels of one tensor. Compared
with the unfused model in float64, exactly, and by what PyTorch launches."""
import copy
import pickle
import unittest
from unittest import mock

from needs_torch import integers, torch
from networks import LAST, Net
from test_concatenations import exact, fused, image, launched

import ck_conv
from ck_conv._norm import batch_norm as norms
from torch import nn

CONV = {2: nn.Conv2d, 3: nn.Conv3d}


def norm(channels, rank=2):
    """A batch norm that divides by 1."""
    made = {2: nn.BatchNorm2d, 3: nn.BatchNorm3d}[rank](channels, eps=.25)
    made.running_var.fill_(.75)
    return made


class Layer(nn.Module):
    def __init__(self, channels, growth, rank):
        super().__init__()
        self.norm, self.conv = norm(channels, rank), CONV[rank](channels, growth, 3, padding=1)

    def forward(self, parts):
        return self.conv(torch.relu(self.norm(torch.cat(parts, 1))))


class Dense(nn.Module):
    """As a block of DenseNet between two convolutions: each layer reads what all before it have made. nested: as MONAI's, which
    concatenates a concatenation. grown(x): what becomes of the last concatenation."""

    def __init__(self, first=8, growth=8, layers=3, rank=2, nested=False, grown=torch.relu):
        super().__init__()
        whole = first + layers * growth
        self.first, self.pool, self.nested, self.grown = CONV[rank](3, first, 1), nn.Identity(), nested, grown
        self.layers = nn.ModuleList(Layer(first + i * growth, growth, rank) for i in range(layers))
        self.norm, self.last = norm(whole, rank), CONV[rank](whole, 8, 1)

    def forward(self, x):
        x = self.pool(self.first(x))
        parts = [x]
        for layer in self.layers:
            if self.nested:
                parts = [torch.cat([*parts, layer(parts)], 1)]
            else:
                parts.append(layer(parts))
        return self.last(self.grown(self.norm(torch.cat(parts, 1))))


def two(forward):
    """A network of two layers, a and b after the norm n, and c, which reads both."""
    return Net(forward, a=nn.Conv2d(3, 8, 1), n=norm(8), b=nn.Conv2d(8, 8, 1), c=nn.Conv2d(16, 8, 1))


def three(forward):
    """A network of three layers, a, b after the norm n, and c after the norm m, and d, which reads them."""
    return Net(forward, a=nn.Conv2d(3, 8, 1), n=norm(8), b=nn.Conv2d(8, 8, 3, padding=1), m=norm(16), c=nn.Conv2d(16, 8, 1),
               d=nn.Conv2d(24, 16, 1))


class Growing(unittest.TestCase):
    def check(self, model, x, copies, norms_of_torch=0):
        """copies: as of launched(); None: not counted. Returns fuse()'s report."""
        exact(model)
        with torch.no_grad():
            right = copy.deepcopy(model).double()(x.double())
        report = fused(model, x)
        with torch.no_grad(), mock.patch.object(norms, "in_torch", wraps=norms.in_torch) as in_torch:
            before = x.clone()
            _, found, y = launched(report.model, x)
            self.assertTrue(torch.equal(y.double(), right), report)
            self.assertTrue(torch.equal(report.model(x), y) and torch.equal(x, before))
            if copies is not None:
                self.assertEqual(found, copies, report.model.code)
            self.assertEqual(in_torch.call_count > 0, norms_of_torch > 0)
        return report

    def test_nothing_is_concatenated(self):
        for rank in (2, 3):
            for dtype in (torch.float32, torch.bfloat16):
                for nested in (False, True):
                    with self.subTest(rank=rank, dtype=dtype, nested=nested):
                        report = self.check(Dense(rank=rank, nested=nested), image(rank, dtype=dtype), {})
                        self.assertEqual(list(report.concatenations.values()),
                                         ["first, layers.0.conv, layers.1.conv, layers.2.conv"])

    def test_a_part_of_another_operation_is_copied_once(self):
        model = Dense()
        model.pool = nn.MaxPool2d(2)
        report = self.check(model, image(), {"aten::copy_": 1})
        self.assertEqual(list(report.concatenations.values()), ["layers.0.conv, layers.1.conv, layers.2.conv"])

    def test_one_image_and_one_pixel(self):
        self.check(Dense(), image(n=1), {})
        self.check(Dense(), image(n=5)[:, :, :1, :1].contiguous(memory_format=LAST[2]), {})

    def test_channels_that_are_no_whole_vectors(self):
        """Kernels would be slower: each concatenation is made by torch.cat()."""
        for first, growth, dtype in ((6, 8, torch.float32), (8, 3, torch.float32), (12, 4, torch.bfloat16)):
            with self.subTest(first=first, growth=growth):
                self.check(Dense(first, growth), image(dtype=dtype), {"aten::cat": 4})

    def test_what_reads_more_than_one_range(self):
        """Pooling reads a shorter concatenation, which therefore is a tensor of its own."""
        def forward(net, x):
            a = net.a(x)
            b = net.b(net.n(torch.cat([a], 1)))
            ab = torch.cat([a, b], 1)
            c = net.c(net.m(ab))
            return net.d(torch.cat([a, b, c], 1)) + nn.functional.max_pool2d(ab, 3, 1, 1)
        model = three(forward)
        self.check(model, image(), {"aten::cat": 1})

    def test_parts_that_are_written_to(self):
        """The first concatenation has the part as it was before, the second as it is after."""
        for write in (lambda a: a.add_(1), lambda a: a[:, :2].mul_(2), torch.relu_):
            def forward(net, x):
                a = net.a(x)
                b = net.b(net.n(torch.cat([a], 1)))
                write(a)
                return net.c(torch.cat([a, b], 1))
            model = two(forward)
            self.assertNotIn("a", ", ".join(self.check(model, image(), None).concatenations.values()))

    def test_parts_that_share_memory_with_what_is_written_to(self):
        """The part is another name of it."""
        for part in (lambda a: a.chunk(2, 1)[0], lambda a: torch.relu_(a.chunk(2, 1)[0]), lambda a: nn.functional.relu(a, inplace=True)):
            for write in (lambda a: a.add_(1), lambda a: a[:, :2].mul_(2)):
                def forward(net, x):
                    a = net.a(x)
                    p = part(a)
                    b = net.b(net.n(torch.cat([p], 1)))
                    write(a)
                    return net.c(torch.cat([p, b], 1))
                channels = 8 if part(torch.ones(1, 16, 1, 1)).size(1) == 16 else 16
                model = Net(forward, a=nn.Conv2d(3, channels, 1), n=norm(8), b=nn.Conv2d(8, 8, 1), c=nn.Conv2d(16, 8, 1))
                self.check(model, image(), None)

    def test_a_concatenation_that_is_written_to(self):
        def forward(net, x):
            a = net.a(x)
            b = net.b(net.n(torch.cat([a], 1).mul_(2)))
            return net.c(torch.cat([a, b], 1))
        model = two(forward)
        self.check(model, image(), None)

    def test_a_part_of_another_concatenation_that_is_written_to(self):
        """The last one has the values after it."""
        def forward(net, x):
            a = net.a(x)
            ab = torch.cat([a, net.b(net.n(torch.cat([a], 1)))], 1)
            c = net.c(net.m(ab))
            ab[:, :2].mul_(2)
            return net.d(torch.cat([ab, c], 1))
        model = three(forward)
        self.check(model, image(), None)

    def test_one_of_two_equal_concatenations_is_written_to(self):
        for write_first in (True, False):
            def forward(net, x):
                a = net.a(x)
                one, two = torch.cat([a], 1), torch.cat([a], 1)
                torch.relu_(one if write_first else two)
                return net.b(net.n(one)) + net.c(two)
            model = Net(forward, a=nn.Conv2d(3, 8, 1), n=norm(8), b=nn.Conv2d(8, 8, 3, padding=1), c=nn.Conv2d(8, 8, 1))
            self.check(model, image(), None)

    def test_parts_used_elsewhere(self):
        """The second part is added, too: it is copied. The result of the network is no view of a larger tensor."""
        def forward(net, x):
            a = net.a(x)
            b = net.b(net.n(torch.cat([a], 1)))
            ab = torch.cat([a, b], 1)
            c = net.c(net.m(ab))
            return net.d(torch.cat([a, b, c], 1)), -b
        model = three(forward)
        exact(model)
        x = image()
        right = copy.deepcopy(model).double()(x.double())
        ours = fused(model, x).model
        with torch.no_grad():
            _, copies, y = launched(ours, x)
        self.assertEqual(copies, {"aten::copy_": 1})
        for mine, its in zip(y, right):
            self.assertTrue(torch.equal(mine.double(), its))

    def test_the_result_of_the_network(self):
        """It belongs to the caller, who may write to it."""
        def forward(net, x):
            a = net.a(x)
            return torch.cat([a, net.b(net.n(torch.cat([a], 1)))], 1)
        model = Net(forward, a=nn.Conv2d(3, 8, 1), n=norm(8), b=nn.Conv2d(8, 8, 1))
        self.check(model, image(), None)

    def test_copies_of_the_network(self):
        ours, x = self.check(Dense(), image(), {}).model, image()
        with torch.no_grad():
            y = ours(x)
            for other in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
                _, copies, mine = launched(other, x)
                self.assertEqual((copies, torch.equal(mine, y)), ({}, True))

    def test_who_watches_gets_tensors_of_their_own(self):
        model, x = exact(Dense()), image()
        right = model(x)
        for change in ("hook on a norm", "hook on a convolution", "exchanged", "gradients", "Interpreter"):
            with self.subTest(change), torch.no_grad():
                ours, kept = fused(model, x).model, []
                if change == "hook on a norm":
                    ours.layers.get_submodule("1").norm.register_forward_pre_hook(lambda _, inputs: kept.append((inputs[0], inputs[0].clone())))
                elif change == "hook on a convolution":
                    ours.layers.get_submodule("1").conv.register_forward_hook(lambda _, inputs, y: kept.append((y, y.clone())))
                elif change == "exchanged":
                    ours.layers.get_submodule("1").conv = copy.deepcopy(ours.layers.get_submodule("1").conv)
                run = torch.fx.Interpreter(ours).run if change == "Interpreter" else ours
                with torch.set_grad_enabled(change == "gradients"):
                    _, copies, y = launched(run, x)
                self.assertEqual(copies.get("aten::cat"), 4)
                self.assertTrue(torch.equal(y, right))
                for tensor, before in kept:
                    self.assertTrue(torch.equal(tensor, before) and tensor.is_contiguous(memory_format=LAST[2]))

    def test_autocast(self):
        model, x = exact(Dense()), image()
        ours = fused(model, x).model
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            self.assertTrue(torch.equal(ours(x), model(x)))

    def test_channels_first(self):
        model = exact(Dense())
        ours, x = ck_conv.fuse(model, channels_last=False), image().contiguous()
        with torch.no_grad():
            self.assertTrue(torch.equal(ours(x), model(x)))


class Norms(unittest.TestCase):
    """A batch norm of the first channels of a wider tensor."""

    def test_reads_them_in_place(self):
        for rank, size in ((2, (2, 24, 3, 5)), (3, (2, 24, 3, 2, 3)), (2, (3, 24, 1, 2))):
            for dtype in (torch.float32, torch.bfloat16, torch.float64):
                kept = torch.float64 if dtype == torch.float64 else torch.float32
                ours = ck_conv.replace(nn.Sequential(norm(16, rank)).eval().to(kept))[0]
                whole = integers(*size, dtype=dtype).contiguous(memory_format=LAST[rank])
                x = whole[:, :16]
                with torch.no_grad(), mock.patch.object(norms, "in_torch") as in_torch:
                    y = ours(x)
                self.assertFalse(in_torch.called, (rank, dtype))
                self.assertTrue(torch.equal(y, x) and y.is_contiguous(memory_format=LAST[rank]))

    def test_pytorch_computes_the_rest(self):
        """Training, residuals, and pixels that do not begin at multiples of 16 bytes."""
        ours = ck_conv.replace(nn.Sequential(norm(16)).eval())[0]
        whole = integers(2, 30, 3, 5, dtype=torch.float32).contiguous(memory_format=LAST[2])
        with torch.no_grad(), mock.patch.object(norms, "in_torch", wraps=norms.in_torch) as in_torch:
            self.assertTrue(torch.equal(ours(whole[:, 1:17]), whole[:, 1:17]))
            self.assertTrue(torch.equal(ours(whole[:, :16]), whole[:, :16]))
            self.assertTrue(torch.equal(ours(whole[:, :16], whole[:, :16].contiguous()), 2 * whole[:, :16]))
            self.assertEqual(in_torch.call_count, 3)
            ours.train()(torch.rand(2, 32, 3, 5).contiguous(memory_format=LAST[2])[:, :16])
            self.assertEqual(in_torch.call_count, 4)


if __name__ == "__main__":
    unittest.main()
