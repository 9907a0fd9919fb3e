#!/usr/bin/python3
"""ck_conv's modules, and a small residual network whose convolutions are replaced."""
import copy
import unittest
import warnings

from needs_torch import torch

import ck_conv
from torch import nn
from torch.nn.utils import parametrize, prune, weight_norm

try:
    from torch.func import functional_call
except ImportError:  # 1.13
    from torch.nn.utils.stateless import functional_call

MODULES = [
    (nn.Conv1d(4, 6, 3, padding=1, padding_mode="circular"), (2, 4, 9)),
    (nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), (2, 4, 7, 7)),
    (nn.Conv2d(4, 6, (3, 2), padding="same", padding_mode="reflect", bias=False), (2, 4, 7, 7)),
    (nn.Conv3d(2, 3, 2, dilation=2), (1, 2, 5, 4, 4)),
    (nn.ConvTranspose1d(4, 2, 3, stride=2), (2, 4, 5)),
    (nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, groups=2), (2, 4, 5, 5)),
    (nn.ConvTranspose3d(2, 3, 2, stride=2, bias=False), (1, 2, 3, 3, 3)),
]


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return (x + self.second(self.norm(self.first(x)).relu())).relu()


def network():
    torch.manual_seed(2)
    return nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), Block(8), Block(8), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(8, 5))


class Modules(unittest.TestCase):
    def test_each_is_torchs_but_for_who_computes(self):
        for module, size in MODULES:
            ours = ck_conv.replace(copy.deepcopy(module))
            self.assertIs(type(ours), getattr(ck_conv, type(module).__name__))
            x = torch.randn(size)
            torch.testing.assert_close(ours(x), module(x))
            made = type(ours)(module.in_channels, module.out_channels, module.kernel_size)
            self.assertEqual(set(made.state_dict()), {"weight", "bias"})

    def test_text(self):
        """Modules print their arguments, as torch.nn's do."""
        for theirs, _ in MODULES:
            ours = ck_conv.replace(copy.deepcopy(theirs))
            self.assertEqual(repr(ours), repr(theirs))
            made = type(ours)(4, 4, 3)
            self.assertEqual(repr(made), f"{type(ours).__name__}(4, 4, kernel_size={made.kernel_size}, stride={made.stride})")
        for rank, cls in ((1, ck_conv.CausalConv1d), (2, ck_conv.CausalConv2d), (3, ck_conv.CausalConv3d)):
            others = (1, (0, *(1,) * (rank - 1)), [1] * (rank - 1)) if rank > 1 else ()
            for padding in (0, *others, "same", "valid"):
                module = cls(4, 4, 3, padding=padding)
                kept = padding if isinstance(padding, str) else (0, *(int(padding != 0),) * (rank - 1))
                text = "" if kept == (0,) * rank else f", padding={kept}"
                self.assertEqual(repr(module), f"{cls.__name__}(4, 4, kernel_size={module.kernel_size}, "
                                               f"stride={module.stride}{text})")

    def test_weights_that_are_no_parameters(self):
        """Weights that others compute before each call are attributes or properties of the module."""
        warnings.filterwarnings("ignore", message=".*weight_norm")  # there is a newer one
        for change in (weight_norm, lambda m: prune.l1_unstructured(m, "weight", amount=0.5),
                       lambda m: parametrize.register_parametrization(m, "weight", nn.ReLU())):
            for module in (nn.Conv2d(4, 6, 3), nn.ConvTranspose2d(4, 6, 3, bias=False)):
                x, theirs = torch.randn(2, 4, 5, 5), change(copy.deepcopy(module))
                ours = change(ck_conv.replace(module))
                torch.testing.assert_close(ours(x), theirs(x))

    def test_parameters_given_by_a_functional_call(self):
        """Those are used, and gradients reach them; the module's own stay as they are."""
        modules = [(theirs, ck_conv.replace(copy.deepcopy(theirs)), size) for theirs, size in MODULES]
        causal = ck_conv.CausalConv1d(4, 6, 3)
        modules.append((nn.Sequential(nn.ConstantPad1d((2, 0), 0.), nn.Conv1d(4, 6, 3)), nn.Sequential(nn.Identity(), causal),
                        (2, 4, 9)))
        for theirs, ours, size in modules:
            given = {name: torch.randn_like(p).requires_grad_() for name, p in theirs.named_parameters()}
            x, kept, found = torch.randn(size), copy.deepcopy(ours.state_dict()), []
            for module in (ours, theirs):
                module.requires_grad_(False)
                y = functional_call(module, given, (x,))
                found.append((y, *torch.autograd.grad(y.square().sum(), list(given.values()))))
                with torch.no_grad():
                    self.assertTrue(torch.allclose(functional_call(module, given, (x,)), y, atol=1e-5))
            torch.testing.assert_close(*found, rtol=1e-4, atol=1e-4)
            for name, value in ours.state_dict().items():
                self.assertTrue(torch.equal(value, kept[name]))

    @unittest.skipUnless(hasattr(torch, "compile"), "this PyTorch has no torch.compile")
    def test_compile(self):
        model, x = ck_conv.replace(network()[:3]), torch.randn(2, 3, 8, 8)
        torch.testing.assert_close(torch.compile(model, backend="aot_eager", fullgraph=True)(x), model(x))

    def test_output_size(self):
        module = nn.ConvTranspose2d(2, 3, 3, stride=2)
        x = torch.randn(1, 2, 4, 4)
        wanted = (10, 9)
        torch.testing.assert_close(ck_conv.replace(copy.deepcopy(module))(x, output_size=wanted),
                                   module(x, output_size=wanted))


class Replace(unittest.TestCase):
    def test_what_is_replaced(self):
        class Own(nn.Conv2d):
            def forward(self, input):
                return torch.conv2d(input, self.weight)

        model = nn.ModuleDict({"a": nn.Conv2d(1, 1, 1), "b": nn.Sequential(nn.Conv2d(1, 1, 1)), "own": Own(1, 1, 1),
                               "linear": nn.Linear(1, 1)})
        weight = model["a"].weight
        with self.assertWarnsRegex(UserWarning, "  own: its class"):
            self.assertIs(ck_conv.replace(model, only=lambda name, module: name != "b.0"), model)
        self.assertEqual([type(m) for m in (model["a"], model["b"][0], model["own"], model["linear"])],
                         [ck_conv.Conv2d, nn.Conv2d, Own, nn.Linear])
        self.assertIs(model["a"].weight, weight)
        self.assertIs(type(ck_conv.replace(nn.Conv1d(1, 1, 1))), ck_conv.Conv1d)

    def test_training_goes_the_same_way(self):
        losses = {}
        for name, change in (("torch", lambda m: m), ("ck_conv", ck_conv.replace)):
            model = change(network())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
            torch.manual_seed(3)
            x, labels = torch.randn(8, 3, 12, 12), torch.randint(0, 5, (8,))
            losses[name] = []
            for _ in range(5):
                loss = nn.functional.cross_entropy(model(x), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses[name].append(loss.item())
        torch.testing.assert_close(torch.tensor(losses["ck_conv"]), torch.tensor(losses["torch"]), rtol=1e-4, atol=1e-5)
        self.assertLess(losses["ck_conv"][-1], losses["ck_conv"][0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
