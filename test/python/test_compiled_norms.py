#!/usr/bin/python3
"""What torch.compile makes of group norms and instance norms of ck_conv.fuse(): one operator each, where the library computes
them, and the numbers of PyTorch's."""
import copy
import sys
import unittest

from needs_torch import torch

import ck_conv
from torch import nn

if not hasattr(torch, "compile"):
    print("not run: this PyTorch has no torch.compile")
    sys.exit(77)
from ck_conv import _norm_operators
from torch._inductor import config

config.compile_threads = 1  # each process of others takes seconds to begin


class Counted:
    """A backend that runs the graph as it is, and counts the operators in it."""

    def __init__(self):
        self.forward = 0

    def __call__(self, graph, inputs):
        self.forward += sum(node.target is _norm_operators._FORWARD for node in graph.graph.nodes)
        return graph.forward


def network(norm, act):
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), norm, act, nn.Conv2d(8, 4, 1))


NORMS = [(lambda: nn.GroupNorm(4, 8), nn.SiLU), (lambda: nn.GroupNorm(2, 8, affine=False), nn.ReLU),
         (lambda: nn.InstanceNorm2d(8, affine=True), lambda: nn.LeakyReLU(.1)), (lambda: nn.InstanceNorm2d(8), nn.Identity)]


def images(dtype=torch.float32, last=True):
    x = torch.randn(2, 3, 6, 5, dtype=dtype)
    return x.contiguous(memory_format=torch.channels_last) if last else x


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

    def test_layouts_of_results(self):
        x = torch.randn(2, 8, 3, 4)
        for given in (x, x.contiguous(memory_format=torch.channels_last)):
            y, statistics = _norm_operators._FORWARD(given, None, None, "4", 1e-5, "silu", 0., 0.)
            right = nn.functional.silu(nn.functional.group_norm(x, 4))
            torch.testing.assert_close(y, right)
            self.assertEqual((y.stride(), statistics.shape), (given.stride(), (2, 8)))
            grad = torch.randn_like(x)
            leaf = x.clone().requires_grad_()
            nn.functional.silu(nn.functional.group_norm(leaf, 4)).backward(grad)
            of_x, of_weight, of_bias = _norm_operators._BACKWARD(given, None, None, statistics, grad, "4", 1e-5, "silu", 0.,
                                                                 0., [True, False, False])
            torch.testing.assert_close(of_x, leaf.grad)
            self.assertEqual((of_x.stride(), of_weight.numel(), of_bias.numel()), (given.stride(), 0, 0))


if __name__ == "__main__":
    unittest.main()
