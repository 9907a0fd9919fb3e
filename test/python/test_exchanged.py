#!/usr/bin/python3
"""ck_conv.fuse() for training: networks whose modules are others afterwards, and classes that nothing else knows or keeps."""
import contextlib
import copy
import gc
import linecache
import pickle
import unittest
import warnings
import weakref

from needs_torch import torch

import ck_conv
from test_batch_norm import far, rows
from test_fuse import Basic, Branches
from test_fuse_training import Checks, in_training

from torch import nn
from torch.nn import functional as F


class Registered(nn.Module):
    """Its classes are known by name, and must say what they are for."""
    known = {}

    def __init_subclass__(cls, purpose):
        super().__init_subclass__()
        Registered.known[cls.__name__] = cls


class Known(Registered, purpose="test"):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        return F.relu(self.norm(x))


class Exchanged(Checks):
    """Modules that are others after fuse()."""

    def check_exchange(self, make, exchange, warns=True):
        torch.manual_seed(4)
        model, x = in_training(make()), rows(4, 4, 6, 6, dtype=torch.float64)
        fused = ck_conv.fuse(model)
        for fused in (fused, copy.deepcopy(fused), pickle.loads(pickle.dumps(fused))):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertLess(far(copy.deepcopy(fused)(x), copy.deepcopy(model)(x)), 1e-9)
            torch.manual_seed(5)
            right = copy.deepcopy(model)
            right = exchange(right) or right
            torch.manual_seed(5)
            got = exchange(fused) or fused
            for mode in (True, False):
                right.train(mode), got.train(mode)
                with self.assertWarnsRegex(UserWarning, "fuse.. saw: the forward.. of") if warns else warnings.catch_warnings():
                    y = got(x)
                self.assertLess(far(y, right(x)), 1e-9)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                again = ck_conv.fuse(got.train(), report=True)
            right.train()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                for one in (pickle.loads(pickle.dumps(again.model)), copy.deepcopy(again.model)):
                    self.assertLess(far(one(x), copy.deepcopy(right)(x)), 1e-9)

    def test_of_a_sequence(self):
        def make():
            return nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 4, 1))

        def changes(name, *arguments):
            def change(model):
                getattr(nn.Sequential, name)(model, *arguments)
            return change

        for change in (changes("add_module", "4", nn.Flatten()), changes("__setitem__", 2, nn.Tanh()),
                       changes("__delitem__", 3), changes("__setitem__", 1, nn.Identity())):
            self.check_exchange(make, change)
        self.check_exchange(make, lambda model: model[:2], warns=False)
        if hasattr(nn.Sequential, "insert"):
            self.check_exchange(make, changes("insert", 0, nn.AvgPool2d(2)))

    def test_attributes_of_activations(self):
        for norm, activation, name, value in ((nn.BatchNorm2d(4), nn.Hardtanh(-.5, .5), "max_val", .25),
                                              (nn.BatchNorm2d(4), nn.ReLU6(), "max_val", 1.),
                                              (nn.GroupNorm(2, 4), nn.LeakyReLU(.1), "negative_slope", .5)):
            self.check_exchange(lambda: copy.deepcopy(nn.Sequential(nn.Conv2d(4, 4, 1), norm, activation)),
                                lambda model: setattr(model[2], name, value))

    def test_of_other_classes(self):
        def norm(model):
            model.bn1 = in_training(nn.BatchNorm2d(4))
        self.check_exchange(lambda: Basic(4, 4), norm)

        def deep(model):
            model[0].downsample[0] = in_training(nn.Conv2d(4, 8, 1, 2))
        self.check_exchange(lambda: nn.Sequential(Basic(4, 8, 2), nn.ReLU()), deep)

        def appears(model):
            model.downsample = in_training(nn.Conv2d(4, 4, 1))
        self.check_exchange(lambda: Basic(4, 4), appears)

        def way(model):
            model.ways.append(nn.Identity())
        self.check_exchange(lambda: Branches(4), way)

    def test_hooks_where_nothing_is_called(self):
        def double(module, x, y=None):
            return y * 2 if y is not None else (x[0] * 2,)

        def patched(part):
            part.forward = lambda x, own=part.forward: own(x) * 2

        def make():
            return nn.Sequential(nn.Sequential(Basic(4, 4), nn.Conv2d(4, 4, 1)), nn.BatchNorm2d(4), nn.ReLU())

        x = rows(4, 4, 6, 6, dtype=torch.float64)
        for hook in (lambda part: part.register_forward_hook(double), lambda part: part.register_forward_pre_hook(double),
                     lambda part: part.register_full_backward_hook(lambda module, given, grad: (given[0] * 2,)), patched):
            for name in ("0.0", "2"):  # a block, and the activation that the norm computes
                torch.manual_seed(4)
                model = in_training(make())
                fused = ck_conv.fuse(model)
                for each in (model, fused):
                    hook(each.get_submodule(name))
                results = []
                for each in (model, fused):
                    given = x.clone(memory_format=torch.preserve_format).requires_grad_()
                    with self.assertWarnsRegex(UserWarning, f"^{name} has other hooks, or another forward") \
                            if each is fused else contextlib.nullcontext():
                        y = each(given)
                    results.append((y, *torch.autograd.grad(y.square().sum(), (given, each[1].weight))))
                for theirs, ours in zip(*results):
                    self.assertLess(far(ours, theirs), 1e-9)
                with warnings.catch_warnings(record=True) as said:
                    warnings.simplefilter("always")
                    again = ck_conv.fuse(fused) if hook is not patched else None
                    if again is not None:
                        self.assertLess(far(again(x), model(x)), 1e-9)
                self.assertNotIn("has other hooks", " ".join(str(w.message) for w in said))

    def test_classes_are_not_known_and_not_kept(self):
        fused = ck_conv.fuse(in_training(Known()))
        self.assertIsInstance(fused, Known)
        self.assertEqual(Registered.known, {"Known": Known})
        file = type(fused).forward.__code__.co_filename
        self.assertIn(file, linecache.cache)
        kind = weakref.ref(type(fused))
        del fused
        gc.collect()
        self.assertIsNone(kind())
        self.assertNotIn(file, linecache.cache)

    def test_a_report_says_what_it_was(self):
        done = ck_conv.fuse(in_training(Known()), report=True)
        done.model.eval()
        self.assertIn("1 norms are fused", str(done))


if __name__ == "__main__":
    unittest.main()
