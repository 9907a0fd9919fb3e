#!/usr/bin/python3
"""ck_conv.replace(): which modules it replaces, which not, and that it says so."""
import copy
import functools
import io
import pickle
import unittest
import warnings
from unittest import mock

from needs_torch import torch

import ck_conv

from torch import nn
from torch.nn import functional as F
from torch.nn.functional import conv1d as imported
from torch.nn.utils import parametrize, stateless


class Plain(nn.Conv2d):
    """Adds nothing that computes."""

    def __init__(self, *args, note="", **kwargs):
        super().__init__(*args, **kwargs)
        self.note = note


class Causal(nn.Conv1d):
    def forward(self, x):
        return super().forward(F.pad(x, (self.dilation[0] * (self.kernel_size[0] - 1), 0)))


class OldCausal(nn.Conv1d):
    def forward(self, x):
        return nn.Conv1d.forward(self, F.pad(x, (self.kernel_size[0] - 1, 0)))


class Halved(nn.Conv2d):
    def forward(self, x):
        return self._conv_forward(x, self.weight / 2, self.bias)


class InHelper(nn.Conv2d):
    def forward(self, x):
        return self.compute(x).relu()

    def compute(self, x):
        return nn.Conv2d.forward(self, x)


class OwnConvForward(nn.Conv2d):
    def _conv_forward(self, input, weight, bias):
        return super()._conv_forward(input * 2, weight, bias)


class Deeper(OwnConvForward):
    def forward(self, x):
        return super().forward(x + 1)


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper


class Decorated(nn.Conv2d):
    @logged
    def forward(self, x):
        return super(Decorated, self).forward(x)


class Cropped(nn.ConvTranspose1d):
    def forward(self, x):
        return super().forward(x)[..., :-1]


class Functional(nn.Conv2d):
    def forward(self, x):
        return F.conv2d(x, self.weight / self.weight.norm(), self.bias)


class FunctionalConvForward(nn.Conv2d):
    def _conv_forward(self, input, weight, bias):
        return F.conv2d(input, weight, bias)


class AnothersForward(nn.Conv2d):
    def __init__(self, *args):
        super().__init__(*args)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act.forward(F.conv2d(x, self.weight))


def padded(x, weight, bias):
    return F.conv2d(F.pad(x, (1, 0, 1, 0)), weight, bias)


class ThroughAFunction(nn.Conv2d):
    def forward(self, x, *, scale=2):
        return padded(x * scale, self.weight, self.bias)


class BothCall(Functional):
    def forward(self, x):
        return super().forward(x) + F.conv2d(x, self.weight)


class DerivedFromFunctional(Functional):
    def forward(self, x):
        return super().forward(x + 1)


SCALE, COUNT = 1, 0


class WithGlobals(nn.Conv2d):
    """Its module's globals change between calls; one is there later."""
    def forward(self, x):
        global COUNT
        COUNT += 1
        return F.conv2d(x, self.weight) * SCALE + LATER

    forward.mark = 4


class ByOtherNames(nn.Conv1d):
    def forward(self, x):
        calls = [lambda a: nn.functional.conv1d(a, self.weight), lambda a: imported(a, self.weight, self.bias)]
        return calls[0](x) + calls[1](x)


class TransposedByName(nn.ConvTranspose2d):
    def forward(self, x):
        return F.conv_transpose2d(x, self.weight, self.bias, self.stride)


class OfTorch(nn.Conv2d):
    def forward(self, x):
        return torch.conv2d(x, self.weight, self.bias)


class OfAnInstance(nn.Conv2d):
    def __init__(self, *args):
        super().__init__(*args)
        self.call = F.conv2d

    def forward(self, x):
        return self.call(x, self.weight)


class Mine(nn.Module):
    """No module of torch.nn's, but called ConvMine."""


Mine.__name__ = "ConvMine"

ENDS_IN_OURS = [
    (Plain(2, 3, 3, note="kept"), (1, 2, 5, 5)),
    (Causal(2, 3, 3, dilation=2), (1, 2, 7)),
    (OldCausal(2, 3, 3), (1, 2, 7)),
    (Halved(2, 3, 3, padding=1, padding_mode="reflect"), (1, 2, 5, 5)),
    (InHelper(2, 3, 3), (1, 2, 5, 5)),
    (OwnConvForward(2, 3, 3), (1, 2, 5, 5)),
    (Deeper(2, 3, 3), (1, 2, 5, 5)),
    (Decorated(2, 3, 3), (1, 2, 5, 5)),
    (Cropped(2, 3, 3, stride=2), (1, 2, 5)),
]
CALL_FUNCTIONS = [
    (Functional(2, 3, 3), (1, 2, 5, 5)),
    (FunctionalConvForward(2, 3, 3), (1, 2, 5, 5)),
    (AnothersForward(2, 3, 3), (1, 2, 5, 5)),
    (ThroughAFunction(2, 3, 3), (1, 2, 5, 5)),
    (DerivedFromFunctional(2, 3, 3), (1, 2, 5, 5)),
    (ByOtherNames(2, 3, 3), (1, 2, 7)),
    (TransposedByName(2, 3, 3, stride=2), (1, 2, 4, 4)),
]
LEFT = [OfTorch(2, 3, 3), OfAnInstance(2, 3, 3)]


def only_ours():
    """Within it torch's own convolutions are an error."""
    def torchs(*_, **__):
        raise AssertionError("torch's convolution")

    names = [f"conv{t}{rank}d" for t in ("", "_transpose") for rank in (1, 2, 3)]
    return mock.patch.multiple(F, **{name: torchs for name in names})


class Classes(unittest.TestCase):
    def test_derived_ones_are_replaced(self):
        for module, size in ENDS_IN_OURS + CALL_FUNCTIONS:
            with self.subTest(type(module).__name__):
                x, theirs = torch.randn(size), copy.deepcopy(module)
                report = ck_conv.replace(module := copy.deepcopy(module), report=True)
                self.assertEqual((list(report.replaced), report.left), ([""], {}))
                self.assertIsInstance(module, type(theirs))
                self.assertEqual(type(module).__name__, type(theirs).__name__)
                with only_ours():
                    y = module(x)
                torch.testing.assert_close(y, theirs(x))
                for again in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
                    self.assertIs(type(again), type(module))
                    self.assertEqual(again.__dict__.get("note"), theirs.__dict__.get("note"))
                    with only_ours():
                        torch.testing.assert_close(again(x), y)

    def test_globals_mean_what_they_mean_at_a_call(self):
        global SCALE, LATER
        theirs, before, x = WithGlobals(2, 3, 3), COUNT, torch.randn(1, 2, 5, 5)
        ours = ck_conv.replace(copy.deepcopy(theirs))
        LATER = 1
        for SCALE in (1, 5):
            with only_ours():
                y = ours(x)
            torch.testing.assert_close(y, theirs(x))
        self.assertEqual(COUNT, before + 4)
        self.assertEqual(ours.forward.__func__.mark, 4)

    def test_classes_that_forbid_to_be_derived_from_again(self):
        class Registered(nn.Conv2d):
            names = set()

            def __init_subclass__(cls):
                assert cls.__name__ not in cls.names, f"twice {cls.__name__}"
                cls.names.add(cls.__name__)

        class Once(Registered):
            pass

        self.assertRegex(ck_conv.replace(Once(1, 1, 1), report=True).left[""], "twice Once")

    def test_others_keep_their_functions(self):
        before = {F.conv2d, padded, Functional.forward, imported}
        ck_conv.replace(copy.deepcopy(CALL_FUNCTIONS[3][0]))
        self.assertEqual(before, {F.conv2d, padded, Functional.forward, imported})
        self.assertIs(padded.__globals__["F"], F)
        with only_ours(), self.assertRaisesRegex(AssertionError, "torch's convolution"):
            ThroughAFunction(2, 3, 3)(torch.ones(1, 2, 5, 5))

    def test_what_calls_functions_of_torch_is_named(self):
        for module in LEFT:
            cls, expected = type(module), module(torch.ones(1, 2, 5, 5))
            with self.assertWarnsRegex(UserWarning, r"1 left to PyTorch\n  \(the model itself\): its (attribute call calls "
                                       rf"torch's conv2d|class \S*{cls.__name__} has a forward or _conv_forward of its own)"):
                self.assertIs(ck_conv.replace(module), module)
            self.assertIs(type(module), cls)
            torch.testing.assert_close(module(torch.ones(1, 2, 5, 5)), expected)

    def test_a_saved_model_is_loaded(self):
        model, file = ck_conv.replace(nn.Sequential(Plain(2, 3, 1), nn.Conv2d(3, 1, 1))), io.BytesIO()
        torch.save(model, file)
        file.seek(0)
        full = {"weights_only": False} if int(torch.__version__.split(".")[0]) >= 2 else {}
        again = torch.load(file, **full)
        self.assertEqual([type(m) for m in again], [type(m) for m in model])

    @unittest.skipUnless(hasattr(torch, "compile"), "this PyTorch has no torch.compile")
    def test_compile(self):
        given = [Plain(2, 3, 3), Halved(2, 3, 3), Deeper(2, 3, 3), Functional(2, 3, 3), ThroughAFunction(2, 3, 3),
                 BothCall(2, 3, 3),
                 nn.Conv2d(2, 3, 3)]
        parametrize.register_parametrization(given[-1], "weight", nn.ReLU())
        for module in given:
            ours, x = ck_conv.replace(copy.deepcopy(module)), torch.randn(1, 2, 5, 5)
            with only_ours():
                y = torch.compile(ours, backend="aot_eager", fullgraph=True)(x)
            torch.testing.assert_close(y, module(x))

    def test_lazy_modules_stay_replaced(self):
        module = ck_conv.replace(nn.Sequential(nn.LazyConv2d(3, 3), nn.LazyConvTranspose1d(3, 3)))
        with only_ours():
            module[0](torch.ones(1, 2, 5, 5))
            module[1](torch.ones(1, 2, 5))
        self.assertEqual([type(m) for m in module], [ck_conv.Conv2d, ck_conv.ConvTranspose1d])

    def test_classes_that_cannot_be_derived_from(self):
        class Final(nn.Conv2d):
            def __init_subclass__(cls):
                raise TypeError("it is final")

        report = ck_conv.replace(Final(1, 1, 1), report=True)
        self.assertRegex(report.left[""], "Final cannot be derived from: it is final")


class Reports(unittest.TestCase):
    def test_each_module_is_in_it(self):
        instance, model = nn.Conv2d(1, 1, 1), None
        instance.forward = lambda x: x
        keeps = nn.Conv2d(1, 1, 1)
        keeps.computes = F.conv2d
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scripted = torch.jit.script(nn.Conv2d(1, 1, 1))
        model = nn.ModuleDict({"a": nn.Conv2d(1, 1, 1), "again": ck_conv.Conv1d(1, 1, 1), "out": nn.Conv2d(1, 1, 1),
                               "instance": instance, "keeps": keeps,
                               "scripted": scripted, "mine": Mine(), "linear": nn.Linear(1, 1),
                               "complex": nn.Conv1d(1, 1, 1, dtype=torch.complex64), "f": OfTorch(1, 1, 1)})
        report = ck_conv.replace(model, only=lambda name, _: name != "out", report=True)
        self.assertIs(report.model, model)
        self.assertEqual(report.replaced, {name: f"ck_conv.modules.Conv{d}d" for name, d in (("a", 2), ("again", 1))})
        for name, why in (("out", "only"), ("instance", "its forward is an attribute of the instance"),
                          ("keeps", "its attribute computes calls torch's conv2d"), ("scripted", "torch.jit.script"),
                          ("mine", r"ConvMine.* is not derived|Mine is not derived"),
                          ("complex", "complex"), ("f", "forward")):
            self.assertRegex(report.left.pop(name), why, name)
        self.assertEqual(report.left, {})

    def test_text(self):
        report = ck_conv.replace(nn.Sequential(nn.Conv2d(1, 1, 1), OfTorch(1, 1, 1)), report=True)
        self.assertRegex(str(report), r"^1 convolutions are computed by ck_conv, 1 left to PyTorch\n  1: its class \S+"
                                      r"OfTorch has a forward")

    def test_what_was_left_out_on_purpose_is_no_warning(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ck_conv.replace(nn.Sequential(nn.Conv2d(1, 1, 1), OfTorch(1, 1, 1)), only=lambda name, _: name == "0")

    def test_what_is_no_model(self):
        with self.assertRaisesRegex(TypeError, "the model is a list"):
            ck_conv.replace([nn.Conv2d(1, 1, 1)])

    def test_what_is_no_choice(self):
        for model in (nn.Conv2d(1, 1, 1), nn.ReLU()):
            for take in (ck_conv.replace, ck_conv.fuse):
                with self.assertRaisesRegex(TypeError, "only is 'conv', but must be a function"):
                    take(model, only="conv")
                for name in ("report", "channels_last")[:1 if take is ck_conv.replace else 2]:
                    for value in ("no", None, 0, 1.0):
                        with self.assertRaisesRegex(TypeError, f"{name} is {value!r}, but must be True or False"):
                            take(model, **{name: value})


class Parametrized(unittest.TestCase):
    def test_before_and_after(self):
        for make in (lambda: nn.Conv2d(2, 3, 3), lambda: Halved(2, 3, 3), lambda: nn.ConvTranspose2d(2, 3, 3)):
            x, theirs = torch.randn(1, 2, 5, 5), make()
            ours = copy.deepcopy(theirs)
            for module in (theirs, ours):
                parametrize.register_parametrization(module, "weight", nn.ReLU())
            self.assertEqual(list(ck_conv.replace(ours, report=True).replaced), [""])
            with only_ours():
                y, copied = ours(x), copy.deepcopy(ours)(x)
            torch.testing.assert_close((y, copied), (theirs(x), theirs(x)))
            y.sum().backward()
            self.assertIsNotNone(ours.parametrizations.weight.original.grad)
            for module in (theirs, ours):
                parametrize.remove_parametrizations(module, "weight")
            self.assertIsInstance(ours, type(theirs))
            self.assertIsNot(type(ours), type(theirs))
            with only_ours():
                y = ours(x)
            torch.testing.assert_close(y, theirs(x))

    def test_names_of_what_is_no_convolution(self):
        class ConvNormOfPixels(nn.LayerNorm):
            pass
        report = ck_conv.replace(nn.Sequential(nn.Conv2d(3, 4, 1), ConvNormOfPixels(5)), report=True)
        self.assertEqual((list(report.replaced), report.left), (["0"], {}))

    def test_of_a_class_that_is_left(self):
        module = OfTorch(2, 3, 3)
        parametrize.register_parametrization(module, "weight", nn.ReLU())
        self.assertRegex(ck_conv.replace(module, report=True).left[""], "forward")


class WeightsThatAreGiven(unittest.TestCase):
    """functional_call() of PyTorch: a module computes with other weights, for one call."""
    calls = [stateless.functional_call] + ([torch.func.functional_call] if hasattr(torch, "func") else [])

    def test_they_are_used_and_get_gradients(self):
        for call in self.calls:
            for make, size in ((lambda: nn.Conv2d(2, 3, 3), (1, 2, 5, 5)), (lambda: Halved(2, 3, 3), (1, 2, 5, 5)),
                               (lambda: nn.ConvTranspose1d(2, 3, 3, bias=False), (1, 2, 5)),
                               (lambda: Causal(2, 3, 3), (1, 2, 5))):
                theirs, x = make(), torch.randn(size)
                ours, found = ck_conv.replace(copy.deepcopy(theirs)), []
                given = {name: torch.randn_like(p).requires_grad_() for name, p in theirs.named_parameters()}
                for _ in range(2):  # the second call is remembered
                    for module in (theirs, ours):
                        y = call(module, given, (x,))
                        found.append((y, *torch.autograd.grad(y.square().sum(), list(given.values()))))
                torch.testing.assert_close(found[1], found[0])
                torch.testing.assert_close(found[3], found[0])
                torch.testing.assert_close(ours(x), theirs(x))  # its own again

    def test_some_of_them(self):
        theirs, x = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Conv2d(3, 3, 1)), torch.randn(1, 2, 5, 5)
        given = {"0.bias": torch.randn(3, requires_grad=True)}
        ours = ck_conv.replace(copy.deepcopy(theirs))
        for call in self.calls:
            found = [call(m, given, (x,)) for m in (theirs, ours)]
            torch.testing.assert_close(found[1], found[0])
            torch.testing.assert_close(*(torch.autograd.grad(y.sum(), given["0.bias"]) for y in found))

    def test_those_of_a_parametrization(self):
        theirs, x = nn.Conv2d(2, 3, 3), torch.randn(1, 2, 5, 5)
        parametrize.register_parametrization(theirs, "weight", nn.ReLU())
        ours = ck_conv.replace(copy.deepcopy(theirs))
        given = {"parametrizations.weight.original": torch.randn(3, 2, 3, 3, requires_grad=True)}
        for call in self.calls:
            found = [call(m, given, (x,)) for m in (theirs, ours)]
            torch.testing.assert_close(found[1], found[0])
            torch.testing.assert_close(*(torch.autograd.grad(y.sum(), list(given.values())) for y in found))

    def test_attributes_of_the_instance(self):
        module, x = ck_conv.replace(nn.Conv2d(2, 3, 3)), torch.randn(1, 2, 5, 5)
        other = torch.randn(3, 2, 3, 3)
        module.__dict__["weight"] = other  # hides the parameter, as Python's rules are
        torch.testing.assert_close(module(x), F.conv2d(x, other, module.bias))

    def test_ordinary_modules_are_looked_into(self):
        """_tensors() asks no nn.Module.__getattr__(), which takes a microsecond."""
        module, x = ck_conv.replace(nn.Conv2d(2, 3, 3)), torch.randn(1, 2, 5, 5)
        with mock.patch.object(nn.Module, "__getattr__", side_effect=AssertionError("asked")):
            self.assertEqual(module._conv_forward(x, *ck_conv.modules._tensors(module)).shape, (1, 3, 3, 3))


if __name__ == "__main__":
    unittest.main(verbosity=2)
