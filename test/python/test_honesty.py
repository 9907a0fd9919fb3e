#!/usr/bin/python3
"""ck_conv.replace() says what is true: what it calls replaced has no convolution of torch's, however devious its class is.
Pickles of replaced modules, of every protocol."""
import copy
import pickle
import unittest

from needs_torch import torch
from test_replace import Decorated, Functional, Halved, InHelper, OwnConvForward, Plain, ThroughAFunction, logged, \
    only_ours, padded

import ck_conv
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode


def keeps_torchs(function, conv=F.conv2d):
    """A decorator that calls torch's convolution itself."""
    def wrapper(self, x):
        return function(self, x) + conv(x, self.weight)
    return wrapper


class OneDecorated(nn.Conv2d):
    @logged
    def forward(self, x):
        return F.conv2d(x, self.weight)


class TwiceDecorated(nn.Conv2d):
    @logged
    @torch.no_grad()
    def forward(self, x):
        return padded(x, self.weight, self.bias)


class DecoratorCalls(nn.Conv2d):
    @keeps_torchs
    def forward(self, x):
        return super().forward(x)


class ExplicitParent(Functional):
    def forward(self, x):
        super().extra_repr()
        return Functional.forward(self, x)


class ExplicitConvForward(nn.Conv2d):
    def forward(self, x):
        return nn.Conv2d._conv_forward(self, x, self.weight, self.bias)


class ExplicitTransposed(nn.ConvTranspose2d):
    def forward(self, x):
        return nn.ConvTranspose2d.forward(self, x)


class ByGlobals(nn.Conv2d):
    def forward(self, x):
        return super().forward(x) + globals()["F"].conv2d(x, self.weight)


class ByGetattr(nn.Conv2d):
    def forward(self, x):
        return super().forward(x) + getattr(F, "conv2d")(x, self.weight)


class ByEval(nn.Conv2d):
    def forward(self, x):
        return super().forward(x) + eval("F.conv" + "2d")(x, self.weight)


class ByProperty(nn.Conv2d):
    @property
    def twice(self):
        return lambda x: F.conv2d(x, self.weight)

    def forward(self, x):
        return super().forward(x) + self.twice(x)


class PropertyForward(nn.Conv2d):
    @property
    def forward(self):
        return lambda x: F.conv2d(x, self.weight)


class ByImport(nn.Conv2d):
    def forward(self, x):
        from torch.nn.functional import conv2d as c
        return super().forward(x) + c(x, self.weight)


class ByTorch(nn.Conv2d):
    def forward(self, x):
        return super().forward(x) + torch.conv2d(x, self.weight)


class ByAttribute(nn.Conv2d):
    call = staticmethod(F.conv2d)

    def forward(self, x):
        return super().forward(x) + self.call(x, self.weight)


class ByTwoWays(nn.Conv2d):
    def forward(self, x):
        return super().forward(x) + F.conv2d(x, self.weight)


class ByStaticMethod(nn.Conv2d):
    @staticmethod
    def compute(x, weight):
        return F.conv2d(x, weight)

    def forward(self, x):
        return super().forward(x) + self.compute(x, self.weight)


class CallOfItsOwn(nn.Conv2d):
    def __call__(self, x):
        return super().__call__(x) + F.conv2d(x, self.weight)


class ByAnotherModule(nn.Conv2d):
    def forward(self, x):
        return super().forward(x) + helpers.compute(x, self.weight)


class helpers:
    @staticmethod
    def compute(x, weight):
        return F.conv2d(x, weight)


MUST_BE_REPLACED = [Plain, Halved, InHelper, OwnConvForward, Decorated, Functional, ThroughAFunction, OneDecorated,
                    TwiceDecorated, ByTwoWays, CallOfItsOwn]
DEVIOUS = [DecoratorCalls, ExplicitParent, ExplicitConvForward, ExplicitTransposed, ByGlobals, ByGetattr, ByEval, ByProperty,
           PropertyForward, ByImport, ByTorch, ByAttribute, ByStaticMethod, ByAnotherModule]


class Torchs(TorchDispatchMode):
    """How many of torch's own convolutions run."""
    count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += "aten" in str(function) and "convolution" in str(function)
        return function(*args, **(kwargs or {}))


class Honesty(unittest.TestCase):
    """What the report calls replaced has no convolution of torch's, however its class calls them."""

    def torchs(self, module, x):
        with torch.no_grad(), Torchs() as mode:
            y = module(x)
        return mode.count, y

    def test_replaced_means_replaced(self):
        for cls in MUST_BE_REPLACED + DEVIOUS:
            with self.subTest(cls.__name__):
                theirs, x = cls(2, 3, 3), torch.randn(1, 2, 6, 6)
                ours = copy.deepcopy(theirs)
                report = ck_conv.replace(ours, report=True)
                count, y = self.torchs(ours, x)
                torch.testing.assert_close(y, self.torchs(theirs, x)[1])
                if report.replaced:
                    self.assertEqual(count, 0)
                else:
                    self.assertIn(cls, DEVIOUS)
                    self.assertIs(type(ours), cls)
                    self.assertRegex(report.left[""], "its class .* has a forward or _conv_forward of its own, .")

    def test_decorators_keep_what_they_wrap(self):
        before = OneDecorated.forward.__wrapped__
        ours = ck_conv.replace(OneDecorated(2, 3, 3))
        self.assertIs(OneDecorated.forward.__wrapped__, before)
        self.assertIs(OneDecorated.forward.__closure__[0].cell_contents, before)
        self.assertIsNot(type(ours).forward.__wrapped__, before)


class Shared(unittest.TestCase):
    """Modules and weights that are in several places of a model."""

    def model(self):
        conv = nn.Conv2d(2, 2, 3, padding=1)
        tied = nn.Conv2d(2, 2, 3, padding=1)
        tied.weight = conv.weight
        own = Halved(2, 2, 3, padding=1)
        return nn.Sequential(conv, nn.ReLU(), conv, tied, own, own)

    def test_each_place_is_in_the_report(self):
        theirs = self.model()
        ours, x = copy.deepcopy(theirs), torch.randn(1, 2, 5, 5)
        report = ck_conv.replace(ours, report=True)
        self.assertEqual((list(report.replaced), report.left), (["0", "2", "3", "4", "5"], {}))
        self.assertIs(ours[0], ours[2])
        self.assertIs(ours[4], ours[5])
        self.assertIs(ours[0].weight, ours[3].weight)
        found = []
        for model in (ours, theirs):
            for _ in range(2):  # the second call is remembered
                model.zero_grad()
                y = model(x)
                y.square().sum().backward()
            found.append([y, *(p.grad for p in model.parameters())])
        torch.testing.assert_close(*found)
        with Torchs() as mode, torch.no_grad():
            ours(x)
        self.assertEqual(mode.count, 0)

    def test_one_that_is_left_out_by_one_name(self):
        model = self.model()
        report = ck_conv.replace(model, only=lambda name, _: name != "2", report=True)
        self.assertEqual((list(report.replaced), report.left),
                         (["3", "4", "5"], dict.fromkeys(["0", "2"], "only() leaves it out")))
        self.assertIs(type(model[0]), nn.Conv2d)

    def test_weights_given_to_shared_modules(self):
        call = getattr(torch, "func", torch.nn.utils.stateless).functional_call
        theirs, x = self.model(), torch.randn(1, 2, 5, 5)
        ours = ck_conv.replace(copy.deepcopy(theirs))
        given = {"0.weight": torch.randn(2, 2, 3, 3, requires_grad=True)}
        found = [(y := call(m, given, (x,)), torch.autograd.grad(y.sum(), given["0.weight"])) for m in (ours, theirs)]
        torch.testing.assert_close(*found)


class Pickles(unittest.TestCase):
    def test_of_every_protocol(self):
        for make in (lambda: Plain(2, 3, 3, note="kept"), lambda: Functional(2, 3, 3), lambda: Reduced(2, 3),
                     lambda: WithNew(2, 3, 1), lambda: nn.Conv2d(2, 3, 3)):
            theirs = make()
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                with self.subTest(type(theirs).__name__, protocol=protocol):
                    ours = ck_conv.replace(copy.deepcopy(theirs))
                    again = pickle.loads(pickle.dumps(ours, protocol))
                    self.assertIs(type(again), type(ours))
                    self.assertEqual(again.__dict__.get("note"), theirs.__dict__.get("note"))
                    x = torch.randn(1, 2, 5, 5)
                    with only_ours():
                        torch.testing.assert_close(again(x), ours(x))


class Reduced(nn.Conv2d):
    """A class with a way of its own."""

    def __init__(self, a, b):
        super().__init__(a, b, 3)

    def __reduce__(self):
        return type(self), (self.in_channels, self.out_channels), self.__dict__


class WithNew(nn.Conv2d):
    def __new__(cls, a, b, c):
        return super().__new__(cls)

    def __getnewargs__(self):
        return 2, 3, 1


if __name__ == "__main__":
    unittest.main(verbosity=2)
