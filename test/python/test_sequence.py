#!/usr/bin/python3
"""Sequences of layers that fuse() makes one node of autograd in training: results and gradients are PyTorch's, whatever happens
between calls."""
import copy
import pickle
import unittest

from needs_torch import integers, torch

import ck_conv
from ck_conv._fuse import sequence
from torch import nn

PYTORCH_2 = int(torch.__version__.split(".")[0]) >= 2


class Block(nn.Module):
    """As of ConvNeXt."""

    def __init__(self, channels=8, drop=0.):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, groups=channels)
        self.norm = nn.LayerNorm(channels)
        self.mlp = nn.Sequential(nn.Linear(channels, 2 * channels), nn.GELU(), nn.Dropout(drop), nn.Identity(),
                                 nn.Linear(2 * channels, channels))
        self.scale = nn.Parameter(torch.full((channels, 1, 1), .5))

    def forward(self, x):
        y = self.mlp(self.norm(self.conv(x).permute(0, 2, 3, 1))).permute(0, 3, 1, 2)
        return x + y * self.scale


def network(drop=0.):
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 8, 1), Block(drop=drop), Block(drop=drop)).to(memory_format=torch.channels_last)


def image(**options):
    torch.manual_seed(1)
    return torch.randn(2, 3, 4, 5, **options).to(memory_format=torch.channels_last).requires_grad_()


def fused(model):
    report = ck_conv.fuse(model, report=True)
    return report.model, report.sequences


def autocast(model):
    """PyTorch 1.13 has no layer norms of two types on CPUs: its own network runs in float32."""
    return torch.autocast("cpu", torch.bfloat16, enabled=PYTORCH_2 or hasattr(model, sequence.NAME))


def gradients(model, x, call=None):
    """The result, and gradients of x and of the parameters, under torch.autocast."""
    with autocast(model):
        y = (call or model)(x).float()
    return [y, *torch.autograd.grad((y * y).sum(), [x, *(p for p in model.parameters() if p.requires_grad)])]


class Sequences(unittest.TestCase):
    def close(self, ours, theirs, bound=3e-2):
        self.assertEqual(len(ours), len(theirs))
        for a, b in zip(ours, theirs):
            self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype))
            self.assertLessEqual((a - b).norm(), bound * b.norm())

    def used(self, model):
        """The sequences of a model's graph that compute it."""
        return [s for s in model.__dict__[sequence.STORED] if any(known.steps for known in s.known.values())]

    def test_results_have_pytorchs_errors(self):
        theirs, x = network(), image()
        ours, count = fused(theirs)
        self.assertEqual(count, 2)
        y = theirs(x)
        exact = [y, *torch.autograd.grad((y * y).sum(), [x, *theirs.parameters()])]
        least = 2e-3 if PYTORCH_2 else 2e-2
        for _ in range(2):
            for a, b, right in zip(gradients(ours, x), gradients(theirs, x), exact):
                self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype))
                self.assertLess((a - right).norm(), 1.5 * (b - right).norm() + least * right.norm())
        self.assertEqual(len(self.used(ours)), 2)

    def test_with_and_without_autocast_in_turn(self):
        theirs, x = network(), image()
        ours, _ = fused(theirs)
        for _ in range(2):
            self.close(gradients(ours, x), gradients(theirs, x))
            self.close([ours(x)], [theirs(x)], 1e-5)
        with torch.no_grad():
            self.close([ours(x)], [theirs(x)], 1e-5)

    def test_frozen_parameters(self):
        theirs, x = network(), image()
        for frozen in ([], ["1.conv.weight"], ["1.conv.bias", "1.norm.weight"], ["1.norm.bias", "1.mlp.0.weight"],
                       ["2.mlp.4.weight", "2.mlp.0.bias"], [name for name, _ in theirs.named_parameters()]):
            for name, parameter in theirs.named_parameters():
                parameter.requires_grad_(name not in frozen)
            ours, _ = fused(theirs)
            with self.subTest(frozen=frozen):
                self.close(gradients(ours, x), gradients(theirs, x))

    @unittest.skipUnless(PYTORCH_2, "its layer norms of two types")
    def test_gradients_of_gradients(self):
        theirs, x = network(), image()
        ours, _ = fused(theirs)
        found = []
        for model in (ours, theirs):
            asked = [x, *model.parameters()]
            with autocast(model):
                y = model(x).float()
            first = torch.autograd.grad(y.square().sum() / 64, asked, create_graph=True)
            found.append([*first, *torch.autograd.grad(sum((g * g).sum() for g in first) / 64, asked)])
        self.close(*found)
        self.assertEqual(len(self.used(ours)), 2)

    @unittest.skipUnless(PYTORCH_2, "its layer norms of two types")
    def test_gradients_of_gradients_of_changed_parameters_are_refused(self):
        ours, _ = fused(network())
        with autocast(ours):
            y = ours(image()).float().square().sum()
        with torch.no_grad():
            ours[1].conv.bias.add_(1)
        with self.assertRaisesRegex(RuntimeError, "have changed"):
            torch.autograd.grad(y, list(ours.parameters()), create_graph=True)

    def test_dropout_is_no_part(self):
        _, count = fused(network(drop=.5))
        self.assertEqual(count, 2)  # convolution, norm, product and gelu of each block
        ours, _ = fused(network())
        ours[1].mlp[2].p = .5
        with self.assertWarnsRegex(UserWarning, "has another p than"):
            ours(image())

    @unittest.skipUnless(PYTORCH_2, "its layer norms of two types")
    def test_a_last_norm_keeps_its_type(self):
        model = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 8), nn.GELU(),
                              nn.LayerNorm(8))
        ours, count = fused(model)
        self.assertEqual(count, 2)
        x = integers(3, 8, dtype=torch.float32).requires_grad_()
        self.close(gradients(ours, x), gradients(model, x))
        self.assertEqual(len(self.used(ours)), 2)
        with autocast(ours):
            self.assertEqual(ours(x).dtype, model(x).dtype)

    def test_results_can_be_written_to(self):
        class InPlace(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.a, self.act, self.b = nn.LayerNorm(8), nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 8, bias=False)

            def forward(self, x):
                y = self.b(self.act(self.a(self.norm(x))))
                y += x
                return y
        model, x = InPlace(), integers(3, 4, 8, dtype=torch.float32).requires_grad_()
        ours, count = fused(model)
        self.assertEqual(count, 1)
        self.close(gradients(ours, x), gradients(model, x))

    def test_a_value_used_twice_ends_a_sequence(self):
        class Twice(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.a, self.act, self.b = nn.LayerNorm(8), nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 8)

            def forward(self, x):
                y = self.a(self.norm(x))
                return y + self.b(self.act(y))
        model, x = Twice(), integers(3, 4, 8, dtype=torch.float32).requires_grad_()
        ours, count = fused(model)
        self.assertEqual(count, 1)
        self.close(gradients(ours, x), gradients(model, x))

    def test_other_sizes_copies_and_hooks(self):
        theirs = network()
        ours, _ = fused(theirs)
        ours(image()).sum().backward()
        other = torch.randn(1, 3, 6, 6, requires_grad=True)
        for model in (ours, copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
            self.close(gradients(model, other), gradients(theirs, other))
            self.assertEqual(len(self.used(model)), 2)
        seen = []
        ours[1].mlp[0].register_forward_hook(lambda *given: seen.append(given))
        with self.assertWarnsRegex(UserWarning, "has other hooks"):
            self.close([ours(other)], [theirs(other)], 1e-5)
        self.assertEqual(len(seen), 1)

    def test_replicas_have_their_own_layers(self):
        """As torch.nn.DataParallel makes them."""
        ours, _ = fused(network())
        replica, block = ours._replicate_for_data_parallel(), ours[1]._replicate_for_data_parallel()
        replica._modules["1"], block.__dict__["scale"] = block, ours[1].scale
        block._modules["mlp"] = nn.Sequential(*(copy.deepcopy(part) for part in block.mlp))
        with torch.no_grad():
            block.mlp[4].weight.zero_()
            block.mlp[4].bias.fill_(2)
        x = image()
        torch.testing.assert_close(replica(x), ours[2](ours[0](x) + 2 * block.scale))

    def test_layers_without_steps_are_called(self):
        """A size that a step refuses."""
        model = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.GELU())
        ours, count = fused(model)
        x = torch.zeros(0, 8, requires_grad=True)
        for _ in range(2):
            self.close(gradients(ours, x), gradients(model, x))
        self.assertEqual((count, self.used(ours)), (1, []))
        x = integers(4, 8, dtype=torch.float32).requires_grad_()
        self.close(gradients(ours, x), gradients(model, x))
        self.assertEqual(len(self.used(ours)), 1)

    def test_saved_tensors_hooks(self):
        theirs, x = network(), image()
        ours, _ = fused(theirs)
        found = []
        for model in (ours, theirs):
            with torch.autograd.graph.saved_tensors_hooks(lambda t: t.contiguous().clone(), lambda t: t):
                found.append(gradients(model, x))
        self.close(*found)

    def test_exchanged_parameters(self):
        """As by functional_call(), and by assignments."""
        call = (torch.func if PYTORCH_2 else torch.nn.utils.stateless).functional_call
        theirs, x = network(), image()
        ours, _ = fused(theirs)
        gradients(ours, x)
        others = {name: (p * 1.5).detach().requires_grad_() for name, p in theirs.named_parameters()}
        if PYTORCH_2:
            found = []
            for model in (ours, theirs):
                with autocast(model):
                    y = call(model, others, (x,)).float()
                found.append([y, *torch.autograd.grad(y.square().sum(), [x, *others.values()])])
            self.close(*found)
        for model in (ours, theirs):
            model[1].mlp[0].weight = nn.Parameter(others["1.mlp.0.weight"].detach())
            model[1].mlp[0].bias = None
        self.close(gradients(ours, x), gradients(theirs, x))
        for model in (ours, theirs):
            model[1].mlp[0].bias = nn.Parameter(torch.ones(16))
        self.close(gradients(ours, x), gradients(theirs, x))

    def test_a_tied_layer(self):
        linear = nn.Linear(8, 8)
        model = nn.Sequential(nn.LayerNorm(8), linear, nn.GELU(), linear)
        ours, _ = fused(model)
        x = integers(3, 8, dtype=torch.float32).requires_grad_()
        self.close(gradients(ours, x), gradients(model, x))

    @unittest.skipUnless(PYTORCH_2, "PyTorch 2")
    def test_transforms_and_compiled_code_call_the_modules(self):
        theirs, x = network(), image()
        ours, _ = fused(theirs)
        gradients(ours, x)
        found = []
        for model in (ours, theirs):
            def loss(given, model=model):
                return torch.func.functional_call(model, given, (x.detach(),)).float().square().sum()
            with autocast(model):
                found.append([*torch.func.grad(loss)(dict(model.named_parameters())).values()])
        self.close(*found)
        self.close(gradients(ours, x, torch.compile(ours, backend="eager", fullgraph=True)), gradients(theirs, x))


if __name__ == "__main__":
    unittest.main()
