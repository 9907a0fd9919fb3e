#!/usr/bin/python3
"""ck_conv.replace(): batch norms."""
import copy
import itertools
import math
import pickle
import unittest
import warnings

from needs_torch import torch

import ck_conv
from ck_conv._norm import batch_norm
from ck_conv._norm.modules import FusedBatchNorm1d, FusedBatchNorm2d, FusedBatchNorm3d
from test_fuse import BatchNormAct2d
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import parametrize

try:
    from torch.func import functional_call
except ImportError:  # 1.13
    from torch.nn.utils.stateless import functional_call


def network():
    torch.manual_seed(3)
    return nn.Sequential(nn.Conv2d(2, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 1, bias=False),
                         nn.BatchNorm2d(4, momentum=None)).double().to(memory_format=torch.channels_last)


NORMS = nn.GroupNorm(1, 2), nn.InstanceNorm2d(2, affine=True)


def fused_norm(norm, ours):
    torch.manual_seed(5)
    model = nn.Sequential(copy.deepcopy(norm), nn.SiLU()).double()
    nn.init.uniform_(model[0].weight), nn.init.uniform_(model[0].bias)
    return ck_conv.fuse(model) if ours else model


class Twice(nn.Module):
    def forward(self, x):
        return 2 * x + 1


def image(n=3):
    return torch.randn(n, 2, 6, 5, dtype=torch.double).contiguous(memory_format=torch.channels_last)


class ReplaceNorms(unittest.TestCase):
    def same_training(self, ours, theirs, steps=3):
        """Results, gradients and statistics of steps of training, then results with running statistics."""
        self.assertTrue(ours.training)
        for _ in range(steps):
            x = image()
            found = []
            for model in (ours, theirs):
                given = x.clone().requires_grad_()
                y = model(given)
                grads = torch.autograd.grad(y.square().sum() + y.sum(), (given, *model.parameters()))
                found.append((y, *grads, *model.buffers()))
            torch.testing.assert_close(*found, rtol=1e-9, atol=1e-9)
        x = image()
        with torch.no_grad():
            torch.testing.assert_close(ours.eval()(x), theirs.eval()(x), rtol=1e-9, atol=1e-9)

    def test_the_library_computes_them(self):
        theirs = network()
        report = ck_conv.replace(copy.deepcopy(theirs), report=True)
        name = f"{FusedBatchNorm2d.__module__}.{FusedBatchNorm2d.__qualname__}"
        self.assertEqual(report.norms, {"1": name, "4": name})
        self.assertEqual((report.left_norms, len(report.replaced)), ({}, 2))
        self.assertEqual(str(report), "2 convolutions are computed by ck_conv, 0 left to PyTorch; 2 batch norms by ck_conv, 0 "
                                      "left to PyTorch")
        batch_norm._recent.clear()
        batch_norm._norms.clear()
        self.same_training(report.model, theirs)
        self.assertGreaterEqual(len(batch_norm._norms), 2)

    def test_each_class(self):
        for theirs, ours in ((nn.BatchNorm1d, FusedBatchNorm1d), (nn.BatchNorm2d, FusedBatchNorm2d),
                             (nn.BatchNorm3d, FusedBatchNorm3d)):
            model = theirs(3)
            self.assertIs(ck_conv.replace(model), model)
            self.assertIs(type(model), ours)
            self.assertIsInstance(model, theirs)

    def test_names_and_state_are_kept(self):
        theirs = network()
        ours = ck_conv.replace(copy.deepcopy(theirs))
        self.assertEqual(list(ours.state_dict()), list(theirs.state_dict()))
        ours.load_state_dict(theirs.state_dict())
        for again in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
            self.assertIs(type(again[1]), FusedBatchNorm2d)
            self.same_training(again, copy.deepcopy(theirs))

    def test_they_are_left_if_the_caller_says_so(self):
        for options in ({"norms": False}, {"only": lambda name, module: module.groups == 1}):
            report = ck_conv.replace(network(), report=True, **options)
            self.assertEqual((report.norms, report.left_norms), ({}, {}))
            self.assertIs(type(report.model[1]), nn.BatchNorm2d)
            self.assertNotIn("batch norm", str(report))
        report = ck_conv.replace(network(), lambda name, module: False, norms=True, report=True)
        self.assertEqual((len(report.norms), len(report.left)), (2, 2))
        with self.assertRaisesRegex(TypeError, "norms is 'yes', but must be True, False or None"):
            ck_conv.replace(network(), norms="yes")

    def test_a_report_says_which_are_left_and_why(self):
        class Own(nn.BatchNorm2d):
            def forward(self, x):
                return 2 * super().forward(x)

        model = nn.Sequential(nn.Conv2d(2, 3, 1), nn.SyncBatchNorm(3), Own(3))
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # PyTorch computes them as before: nothing to warn of
            report = ck_conv.replace(model, report=True)
            ck_conv.replace(model)
        self.assertEqual(list(report.left_norms), ["1", "2"])
        self.assertRegex(report.left_norms["1"], "SyncBatchNorm exchanges statistics")
        self.assertRegex(report.left_norms["2"], "Own is derived from torch.nn's")
        self.assertIn("0 batch norms by ck_conv, 2 left to PyTorch\n  1: SyncBatchNorm", str(report))
        self.assertIs(type(model[2]), Own)

    def test_one_module_in_two_places_has_both_names(self):
        norm = nn.BatchNorm2d(2)
        report = ck_conv.replace(nn.ModuleDict({"a": norm, "b": norm}), report=True)
        self.assertEqual(list(report.norms), ["a", "b"])

    def test_timms_batch_norm_activates(self):
        theirs = nn.Sequential(nn.Conv2d(2, 8, 1), BatchNormAct2d(8)).double()
        ours = ck_conv.replace(copy.deepcopy(theirs))
        self.same_training(ours, theirs)
        with self.assertRaisesRegex(TypeError, "BatchNormAct2d of timm: use torch.jit.trace"):
            torch.jit.script(copy.deepcopy(ours))

    def test_then_fused(self):
        """replace(), then fuse(), for training and for inference."""
        for training in (True, False):
            theirs = network().train(training)
            once = ck_conv.fuse(copy.deepcopy(theirs), report=True)
            both = ck_conv.fuse(ck_conv.replace(copy.deepcopy(theirs)), report=True)
            self.assertEqual(list(both.fused), list(once.fused))
            x = image()
            torch.testing.assert_close(both.model(x), theirs(x), rtol=1e-9, atol=1e-9)

    def test_gradients_with_running_statistics(self):
        theirs = network()
        ours = ck_conv.replace(copy.deepcopy(theirs))
        for model in (theirs, ours):
            model.eval()
        x = image()
        found = []
        for model in (ours, theirs):
            given = x.clone().requires_grad_()
            found.append(torch.autograd.grad(model(given).square().sum(), (given, *model.parameters())))
        torch.testing.assert_close(*found, rtol=1e-9, atol=1e-9)

    def test_channels_first(self):
        theirs = network().to(memory_format=torch.contiguous_format)
        ours = ck_conv.replace(copy.deepcopy(theirs))
        x = torch.randn(2, 2, 6, 5, dtype=torch.double)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # PyTorch computes what it computed before
            torch.testing.assert_close(ours(x), theirs(x), rtol=1e-9, atol=1e-9)

    def test_parameters_given_by_a_functional_call(self):
        """Those are used, not the module's own; gradients reach them, and statistics given are updated."""
        for theirs in (network(), nn.Sequential(BatchNormAct2d(2)).double(), *(fused_norm(norm, False) for norm in NORMS),
                       network().eval()):
            is_fused = isinstance(theirs[0], tuple(map(type, NORMS)))
            ours = fused_norm(theirs[0], True) if is_fused else ck_conv.replace(copy.deepcopy(theirs))
            x, found = image(), []
            for model in (ours, theirs):
                torch.manual_seed(4)
                kept = {name: t.clone() for name, t in model.state_dict().items()}
                given = {name: torch.rand_like(t).requires_grad_() for name, t in model.named_parameters()}
                given.update({name: torch.rand_like(t) if t.is_floating_point() else t + 7
                              for name, t in model.named_buffers()})
                leaf = x.clone().requires_grad_()  # without a gradient of it PyTorch 2.11's group norm crashes
                y = functional_call(model, given, (leaf,))
                grads = torch.autograd.grad(y.square().sum() + y.sum(), [leaf, *(t for t in given.values() if t.requires_grad)])
                found.append((y, *grads, *given.values()))
                for name, t in model.state_dict().items():
                    self.assertTrue(torch.equal(t, kept[name]), name)
            torch.testing.assert_close(*found, rtol=1e-9, atol=1e-9)

    def test_parameters_and_buffers_of_other_places(self):
        """Parametrizations put one of them into a class."""
        for name in ("weight", "bias", "running_var"):
            theirs = nn.BatchNorm2d(2, dtype=torch.double)
            ours, x, found = ck_conv.replace(copy.deepcopy(theirs)), image(), []
            for norm in (ours, theirs):
                parametrize.register_parametrization(norm, name, Twice())
                norm.training = name != "running_var"
                y = norm(x)
                found.append((y, *torch.autograd.grad(y.square().sum() + y.sum(), list(norm.parameters()))))
            torch.testing.assert_close(*found, rtol=1e-9, atol=1e-9)
        for name, norm in itertools.product(("weight", "bias"), NORMS):
            found = []
            for model in (fused_norm(norm, True), fused_norm(norm, False)):
                parametrize.register_parametrization(model[0], name, Twice())
                given = x.clone().requires_grad_()  # as above
                y = model(given)
                found.append((y, *torch.autograd.grad(y.square().sum() + y.sum(), [given, *model.parameters()])))
            torch.testing.assert_close(*found, rtol=1e-9, atol=1e-9)

    def test_momentum_beyond_one_and_below_zero_is_pytorchs(self):
        for momentum in (1.5, -.25, math.inf, math.nan):
            theirs = nn.Sequential(nn.BatchNorm2d(2, momentum=momentum), nn.ReLU()).double()
            report = ck_conv.replace(copy.deepcopy(theirs), report=True)
            self.assertEqual(report.left_norms, {"0": f"its momentum is {momentum}, which the library takes from 0 to 1"})
            later = ck_conv.replace(nn.Sequential(nn.BatchNorm2d(2), nn.ReLU()).double())
            later[0].momentum = momentum
            fused = ck_conv.fuse(nn.Sequential(nn.BatchNorm2d(2), nn.ReLU()).double())
            fused[0].momentum = momentum
            for ours in (report.model, later, fused):
                given, x = copy.deepcopy(theirs), image()
                with warnings.catch_warnings(record=True) as warned:
                    warnings.simplefilter("always")
                    results = [model(x) for model in (ours, given)]
                torch.testing.assert_close(*results, rtol=1e-9, atol=1e-9)
                torch.testing.assert_close(list(ours.buffers()), list(given.buffers()), equal_nan=True)
                if ours is fused:
                    self.assertRegex(str(warned[0].message), f"PyTorch computes batch norms.*momentum is {momentum}")
            training = ck_conv.fuse(theirs.train(), report=True)
            self.assertRegex(training.norms["0"], f"momentum is {momentum}")

    def test_input_of_another_rank_is_refused_as_by_torch(self):
        with self.assertRaisesRegex(ValueError, "expected 4D input"):
            ck_conv.replace(nn.BatchNorm2d(2))(torch.zeros(2, 2, 3))

    def test_synchronized_later(self):
        """nn.SyncBatchNorm.convert_sync_batchnorm() takes replaced modules."""
        converted = nn.SyncBatchNorm.convert_sync_batchnorm(ck_conv.replace(network()))
        self.assertIs(type(converted[1]), nn.SyncBatchNorm)
        self.assertEqual(converted[1].num_features, 8)

    def test_results_do_not_change_a_residual(self):
        """The module writes to no tensor except its statistics."""
        norm = ck_conv.replace(nn.BatchNorm2d(4))
        x = torch.randn(2, 4, 3, 3).contiguous(memory_format=torch.channels_last)
        before = x.clone()
        y = F.relu(norm(x) + x)
        self.assertTrue(torch.equal(x, before))
        self.assertEqual(y.shape, x.shape)


if __name__ == "__main__":
    unittest.main()
