#!/usr/bin/python3
"""What torch.compile makes of group norms and instance norms of ck_conv.fuse(): one operator each, where the library computes
them, and the numbers of PyTorch's."""
import functools
import unittest
from unittest import mock

from needs_torch import torch

import ck_conv
from torch import nn

from ck_conv._norm import group_norm, operators

HAS_COMPILE = hasattr(torch, "compile")
if HAS_COMPILE:
    from torch._inductor import config

    config.compile_threads = 1  # each process of others takes seconds to begin


class Counted:
    """A backend that runs the graph as it is, and counts the operators in it."""

    def __init__(self):
        self.forward = 0

    def __call__(self, graph, inputs):
        self.forward += sum(node.target is operators._FORWARD for node in graph.graph.nodes)
        return graph.forward


def network(norm, act):
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), norm, act, nn.Conv2d(8, 4, 1))


NORMS = [(lambda: nn.GroupNorm(4, 8), nn.SiLU), (lambda: nn.GroupNorm(2, 8, affine=False), nn.ReLU),
         (lambda: nn.InstanceNorm2d(8, affine=True), lambda: nn.LeakyReLU(.1)), (lambda: nn.InstanceNorm2d(8), nn.Identity)]


def images(dtype=torch.float32, last=True):
    x = torch.randn(2, 3, 6, 5, dtype=dtype)
    return x.contiguous(memory_format=torch.channels_last) if last else x


@unittest.skipUnless(HAS_COMPILE, "this PyTorch has no torch.compile")
class CompiledNorms(unittest.TestCase):
    def compiled(self, model, backend):
        torch._dynamo.reset()
        return torch.compile(model, backend=backend, fullgraph=True)

    def test_training_by_one_operator(self):
        for norm, act in NORMS:
            for dtype in (torch.float32, torch.float64):
                model = network(norm(), act()).to(dtype, memory_format=torch.channels_last).train()
                ours = ck_conv.fuse(model)
                counted = Counted()
                self.compiled(ours, counted)(images(dtype))
                self.assertEqual(counted.forward, 1)
                given = [images(dtype) for _ in range(1)]
                given = [given[0].clone().requires_grad_() for _ in range(2)]
                for run, leaf in ((self.compiled(ours, "inductor"), given[0]), (model, given[1])):
                    run(leaf).square().sum().backward()
                with self.subTest(norm=str(model[1]), act=str(model[2]), dtype=dtype):
                    torch.testing.assert_close(given[0].grad, given[1].grad)
                    for (name, p), q in zip(ours.named_parameters(), model.parameters()):
                        torch.testing.assert_close(p.grad, q.grad, msg=lambda text: f"{name}: {text}")

    def test_inference(self):
        for norm, act in NORMS:
            model = network(norm(), act()).to(memory_format=torch.channels_last).eval()
            ours, x = ck_conv.fuse(model), images()
            with torch.no_grad():
                torch.testing.assert_close(self.compiled(ours, "inductor")(x), model(x))

    def test_norms_of_pixels(self):
        class Moved(nn.LayerNorm):
            def forward(self, x):
                return nn.functional.layer_norm(x.permute(0, 2, 3, 1), self.normalized_shape, self.weight, self.bias,
                                                self.eps).permute(0, 3, 1, 2)

        class Rms(nn.Module):
            def __init__(self, channels):
                super().__init__()
                self.weight = nn.Parameter(torch.rand(channels, 1, 1) + .5)

            def forward(self, x):
                return nn.functional.normalize(x, dim=1) * 8 ** .5 * self.weight

        class Last(nn.LayerNorm):  # Inductor's own
            def forward(self, x):
                return super().forward(x.transpose(1, 3)).transpose(1, 3)

        for norm, count in ((Moved(8), 1), (Rms(8), 1), (Last(8), 0)):
            model = network(norm, nn.SiLU()).to(torch.float64, memory_format=torch.channels_last).train()
            ours, counted = ck_conv.fuse(model), Counted()
            self.compiled(ours, counted)(images(torch.float64))
            self.assertEqual(counted.forward, count)
            x = images(torch.float64)
            given = [x.clone().requires_grad_() for _ in range(2)]
            for run, leaf in ((self.compiled(ours, "aot_eager"), given[0]), (model, given[1])):
                run(leaf).square().sum().backward()
            torch.testing.assert_close(given[0].grad, given[1].grad)
            for p, q in zip(ours.parameters(), model.parameters()):
                torch.testing.assert_close(p.grad, q.grad)
            for p in model.parameters():
                p.grad = None

    def test_others_are_pytorchs(self):
        class Alone(nn.Module):
            def __init__(self, norm):
                super().__init__()
                self.norm = norm

            def forward(self, x):
                return self.norm(x)

        class NoRows(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.act = nn.GroupNorm(1, 3), nn.ReLU()

            def forward(self, x):
                return self.act(self.norm(x))

        model = NoRows().eval()
        ours = ck_conv.fuse(model)
        for x, count in ((images(), 1), (images(last=False), 0), (torch.randn(2, 3, 4), 0)):
            counted = Counted()
            with torch.no_grad():
                torch.testing.assert_close(self.compiled(ours, counted)(x), model(x))
            self.assertEqual(counted.forward, count)
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            counted, x = Counted(), images()
            y = self.compiled(ours, counted)(x)
            self.assertEqual((y.dtype, counted.forward), (model(x).dtype, 0))
        with torch.no_grad():  # exported graphs have PyTorch's operators
            exported = torch.export.export(ours, (images(),))
            self.assertFalse(any("ck_conv.group_norm" in str(node.target) for node in exported.graph.nodes))

    def test_dynamic_shapes(self):
        model = network(nn.GroupNorm(4, 8), nn.SiLU()).to(memory_format=torch.channels_last).eval()
        ours = ck_conv.fuse(model)
        torch._dynamo.reset()
        run = torch.compile(ours, dynamic=True)
        with torch.no_grad():
            for n, h in ((2, 6), (3, 9), (1, 4)):
                x = torch.randn(n, 3, h, 5).contiguous(memory_format=torch.channels_last)
                torch.testing.assert_close(run(x), model(x))


class Operators(unittest.TestCase):
    def test_layouts_of_results(self):
        x = torch.randn(2, 8, 3, 4)
        for given in (x, x.contiguous(memory_format=torch.channels_last)):
            y, statistics = operators._FORWARD(given, None, None, "4", 1e-5, "silu", 0., 0.)
            right = nn.functional.silu(nn.functional.group_norm(x, 4))
            torch.testing.assert_close(y, right)
            self.assertEqual((y.stride(), statistics.shape), (given.stride(), (2, 8)))
            grad = torch.randn_like(x)
            leaf = x.clone().requires_grad_()
            nn.functional.silu(nn.functional.group_norm(leaf, 4)).backward(grad)
            of_x, *others = operators._BACKWARD(given, None, None, statistics, grad, "4", 1e-5, "silu", 0., 0.,
                                                [True, False, False, False])
            torch.testing.assert_close(of_x, leaf.grad)
            self.assertEqual((of_x.stride(), [g.numel() for g in others]), (given.stride(), [0, 0, 0]))

    def test_what_the_library_computes(self):
        """The others are PyTorch's; results and gradients are the same either way, and statistics are what is said of them."""
        x, ones = images(torch.float64), lambda *size, **of: torch.rand(*size, **{"dtype": torch.float64, **of}) + .5
        x = torch.cat([x, x + 1], 1)[:, :, :4].contiguous(memory_format=torch.channels_last)  # (2, 6, 4, 5)
        flat, volume = x[:, :, 0], ones(2, 6, 3, 2, 2).contiguous(memory_format=torch.channels_last_3d)
        w, b = ones(6), ones(6)
        no_gaps, gaps = x.contiguous(), ones(12)[::2]
        of_pixels = ones(6, 1, 1)
        for takes, x, groups, w, b, *epsilon in (
                (True, x, 3, w, b), (True, x, 3, w, None), (True, x, 6, None, None), (True, volume, 2, w, b),
                (False, no_gaps, 3, w, b), (False, flat, 3, w, b), (False, x, 3, gaps, b), (False, x, 3, w, gaps),
                (True, x.float(), 3, w.float(), b.float()), (True, x.bfloat16(), 3, w.bfloat16(), b.bfloat16()),
                (True, x, None, w, b), (True, x, None, None, None), (False, x, None, w, b, 0.), (True, x, None, w, b, 1.),
                (True, x[:, :, :1, :1].contiguous(memory_format=torch.channels_last), 1, w, b),
                (True, x, "layer", w, b), (False, no_gaps, "layer", w, b), (True, x, "rms_written", w, None),
                (True, x, "l2", of_pixels, of_pixels + 1), (True, x, "l2", of_pixels[None], None),
                (False, no_gaps, "layer_last", ones(5), None), (True, no_gaps, "l2_last", ones(5), None),
                (False, x, "l2_last", ones(5), None)):
            with self.subTest(size=tuple(x.shape), stride=x.stride(), dtype=x.dtype, groups=groups, epsilon=epsilon):
                epsilon = epsilon[0] if epsilon else 1e-3
                self.compare(takes, x, groups, w, b, epsilon, ("silu", 0., 0.))

    def compare(self, takes, x, groups, w, b, epsilon, activation):
        def given():
            tensors = [None if t is None else t.detach().requires_grad_() for t in (x, w, b)]
            return [t for t in tensors if t is not None], (tensors[0], groups, *tensors[1:], epsilon, activation)

        def forward(x, *rest):
            asked.append(x.shape)
            return operator(x, *rest)
        asked, operator = [], operators._FORWARD
        leaves, arguments = given()
        with mock.patch.object(operators, "_FORWARD", forward), mock.patch.object(
                group_norm, "in_torch", wraps=group_norm.in_torch) as in_torch:
            y = operators.compiled(*arguments)
        self.assertEqual((bool(asked), in_torch.called), (takes, not takes))
        right, arguments = given()
        expected = group_norm.in_torch(*arguments)
        bound = dict(rtol=1e-9, atol=1e-9) if y.dtype == torch.float64 else {} if y.dtype == torch.float32 else dict(
            rtol=.05, atol=.05)
        torch.testing.assert_close(y, expected, **bound)
        self.assertEqual(y.stride(), x.stride() if takes else expected.stride())
        if y.numel() == 0 or y.dtype == torch.bfloat16:
            return
        grad = torch.randn_like(expected)
        for found, wanted in zip(torch.autograd.grad(y, leaves, grad), torch.autograd.grad(expected, right, grad)):
            torch.testing.assert_close(found, wanted, **bound)
        if takes:
            leaves[1:] = [t.detach() for t in leaves[1:]]
            which = "instances" if groups is None else str(groups)
            statistics = operator(leaves[0], *(None if t is None else t.detach() for t in (w, b)), which, epsilon, *activation)[1]
            self.shapes(x, w, b, statistics, grad, (which, epsilon, *activation))

    def shapes(self, x, w, b, statistics, grad, norm):
        """What is said of tensors without memory is what there is of others, whichever gradients are wanted."""
        self.assertFalse(statistics.requires_grad)
        meta = [None if t is None else torch.empty_like(t, device="meta") for t in (x.detach(), w, b, statistics, grad)]
        found = operators._FORWARD(*meta[:3], *norm)
        self.assertEqual(self.described(found), self.described(operators._FORWARD(x.detach(), w, b, *norm)))
        self.assertEqual(self.described(found)[1], self.described([statistics])[0])
        for wanted in ([True, False, False, False], [True, w is not None, False, False], [True, False, b is not None, False]):
            found = operators._BACKWARD(*meta, *norm, wanted)
            made = operators._BACKWARD(x.detach(), w, b, statistics.detach(), grad, *norm, wanted)
            self.assertEqual(self.described(found), self.described(made))
            self.assertEqual([t.numel() > 0 for t in made], wanted)

    def described(self, tensors):
        return [(t.shape, t.stride(), t.dtype) for t in tensors]

    def test_what_is_not_computed(self):
        x, w = images(), torch.ones(3)
        takes = functools.partial(operators._takes, epsilon=1e-5)
        self.assertTrue(takes(x, w, w.clone(), 3) and takes(x.bfloat16(), w, w.clone(), 3) and takes(x, w, w.clone(), "layer") and
                        takes(w[None], w, None, "l2_last"))
        for given in ((x, w.bfloat16(), w.bfloat16(), 3), (x.bfloat16(), w.half(), None, 3), (x, w.double(), None, 3),
                      (x, w, w.double(), 3), (x.bfloat16(), w.bfloat16(), w, 3), (x, w.double(), None, "layer"), (x[:0], w, w, 3),
                      (x[..., :1, :1], None, None, None), (x.bfloat16(), w, None, "layer"),
                      (x, w, w.clone(), 0), (x, w, w.clone(), 2), (x, w, w.clone(), -3), (x, torch.ones(1), None, 1),
                      (x, None, torch.ones(2), 1), (x.int(), None, None, 1), (x.to("meta"), None, None, 1),
                      (x, w.to("meta"), None, 1), (x, None, w.to("meta"), 1), (x, w, None, "l2_last"),
                      (x, None, None, "layer"), (x, torch.ones(2), None, "layer"), (w, w.clone(), None, "l2_last")):
            self.assertFalse(takes(*given), given[1:])
        with torch.autocast("cpu", torch.bfloat16):
            self.assertFalse(takes(x, w, None, 3))
        with mock.patch.object(operators, "_MOST_CHANNELS", 6):
            self.assertTrue(takes(x, w, None, 3) and takes(x, w, None, "layer"))
        with mock.patch.object(operators, "_MOST_CHANNELS", 3):
            self.assertTrue(takes(x, w, None, "layer") and not takes(x, w, None, 3))
        with mock.patch.object(operators, "_MOST_CHANNELS", 2):
            self.assertFalse(takes(x, w, None, "layer"))
        with self.assertRaisesRegex(RuntimeError, r"compiled norm of \(2, 3, 6, 5\), torch.float32, should be computed by ck_conv"):
            operators._FORWARD(x, torch.ones(2), None, "1", 1e-5, "none", 0., 0.)

    def test_no_second_derivatives(self):
        x = images().requires_grad_()
        y, statistics = operators._FORWARD(x, None, None, "1", 1e-5, "none", 0., 0.)
        self.assertFalse(statistics.requires_grad)
        with self.assertRaisesRegex(RuntimeError, "no second derivatives"):
            torch.autograd.grad(y.square().sum(), x, create_graph=True)
        with torch.no_grad():
            self.assertFalse(operators._FORWARD(x, None, None, "1", 1e-5, "none", 0., 0.)[0].requires_grad)


if __name__ == "__main__":
    unittest.main()
