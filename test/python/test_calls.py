#!/usr/bin/python3
"""Whether a function calls PyTorch's convolutions still: through everything that Python makes of a function."""
import functools
import unittest

from needs_torch import torch

from ck_conv._replace import calls
from torch import nn
from torch.nn import functional as F


def convolves(x, w):
    return torch.conv2d(x, w)


def harmless(x):
    return x + 1


def wrapped(function):
    """A decorator that hides what it calls in a cell."""
    def wrapper(*arguments):
        return function(*arguments)
    return wrapper


def kept(function):
    """A decorator that says what it wraps, and calls that by a list, which is looked into nowhere."""
    several = [function]

    @functools.wraps(function)
    def wrapper(*arguments):
        return several[0](*arguments)
    return wrapper


class Holder:
    plain = convolves
    static = staticmethod(convolves)
    of_class = classmethod(convolves)
    gotten = property(convolves)
    cached = functools.cached_property(convolves)
    some = functools.partialmethod(convolves, 1)


EVERY = [convolves, Holder.static, Holder().plain, Holder.of_class, *(Holder.__dict__[name] for name in (
    "static", "of_class", "gotten", "cached", "some")), functools.partial(convolves, 1),
    functools.partial(functools.partial(convolves, 1), 2), wrapped(convolves), wrapped(wrapped(convolves)),
    wrapped(Holder().plain), wrapped(functools.partial(convolves, 1)), wrapped(Holder.__dict__["static"]),
    wrapped(Holder.__dict__["of_class"]), wrapped(Holder.__dict__["gotten"]), kept(convolves), kept(wrapped(convolves)),
    staticmethod(kept(convolves)), wrapped(kept(convolves))]


class Functions(unittest.TestCase):
    def test_are_found_in_all_that_python_makes_of_them(self):
        for number, value in enumerate(EVERY):
            with self.subTest(number=number, value=value):
                self.assertIn(convolves, calls.functions_in(value))

    def test_are_none_in_what_is_no_code(self):
        for value in (None, 1, "convolves", [convolves], {"f": convolves}, nn.Conv2d(1, 1, 1), Holder):
            self.assertEqual(calls.functions_in(value), [])

    def test_of_torch_are_found_too(self):
        for rank in (1, 2, 3):
            for function in (getattr(F, f"conv{rank}d"), getattr(F, f"conv_transpose{rank}d"),
                             getattr(nn, f"Conv{rank}d")._conv_forward, getattr(nn, f"ConvTranspose{rank}d").forward):
                self.assertEqual(calls.functions_in(function), [function])
                self.assertEqual(calls.functions_in(functools.partial(function)), [function])
                self.assertTrue(calls.is_code(function))

    def test_cells_with_nothing_in_them_yet(self):
        def early():
            return late()
        self.assertEqual(calls.functions_in(early), [early])

        def late():
            return convolves(1, 2)
        self.assertEqual(calls.functions_in(early), [early, late])

    def test_code_is_told_from_values(self):
        for value in EVERY:
            if not isinstance(value, (functools.cached_property, functools.partialmethod)):
                self.assertTrue(calls.is_code(value), value)
        for value in (None, 1, [], {}, "x", Holder, Holder(), F, torch.ones(1)):
            self.assertFalse(calls.is_code(value), value)


class Calls(unittest.TestCase):
    def test_of_torchs_convolutions_are_seen_through_everything(self):
        for number, value in enumerate(EVERY):
            with self.subTest(number=number, value=value):
                self.assertRegex(calls.calls_of(value)[0], r"convolves\(\) calls torch's conv2d")
        for rank in (1, 2, 3):
            self.assertEqual(calls.calls_of(getattr(nn, f"Conv{rank}d")._conv_forward)[0], "calls torch's _conv_forward")
            self.assertEqual(calls.calls_of(getattr(nn, f"ConvTranspose{rank}d").forward)[0], "calls torch's forward")
            self.assertEqual(calls.calls_of(getattr(F, f"conv{rank}d"))[0], f"calls torch's conv{rank}d")
            self.assertEqual(calls.calls_of(getattr(F, f"conv_transpose{rank}d"))[0],
                             f"calls torch's conv_transpose{rank}d")

    def test_of_others_are_none(self):
        for value in (harmless, wrapped(harmless), kept(harmless), functools.partial(harmless, 1), None, 3):
            self.assertEqual(calls.calls_of(value)[0], "")
        self.assertIn("relu", calls.calls_of(lambda x: x.relu())[1])

    def test_functions_that_call_each_other_end(self):
        self.assertEqual(calls.calls_of(even), ("", {"even", "odd"}))
        self.assertEqual(len(calls.functions_in(Circle.first)), 1)

    def test_what_libraries_wrote_is_not_read(self):
        def of_somebody(x, w):
            return F.conv2d(x, w) + torch.conv2d(x, w)
        self.assertNotEqual(calls.calls_of(of_somebody)[0], "")
        for name in ("torch", "torch.nn.mine", "ck_conv", "ck_conv._conv.layer"):
            of_somebody.__module__ = name
            self.assertEqual(calls.calls_of(of_somebody)[0], "", name)
        for name in ("torchvision.ops", "my.torch", "", None):
            of_somebody.__module__ = name
            self.assertNotEqual(calls.calls_of(of_somebody)[0], "", name)


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


class Circle:
    """A function that says that it wraps itself by another name."""
    def first(self):
        return 1
    first.__wrapped__ = staticmethod(first)


if __name__ == "__main__":
    unittest.main()
