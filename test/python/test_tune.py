#!/usr/bin/python3
"""ck_conv.tune(): that each convolution of a model is measured, kept and taken, and nothing else changes. The limit of the
workspace, of plans and of convolutions of tensors."""
import dataclasses
import os
import random
import tempfile
import unittest
from unittest import mock

from needs_torch import torch

import ck_conv
from ck_conv import _tune
from ck_conv._c import interface as _library
from ck_conv._conv import launch
from torch import nn


def network():
    torch.manual_seed(5)
    return ck_conv.replace(nn.Sequential(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8), nn.Dropout(), nn.Conv2d(8, 4, 1, bias=False),
                                         nn.Conv2d(4, 4, 1, bias=False)))


class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.database = os.path.join(folder.name, "tuning.sqlite3")
        environment = mock.patch.dict(os.environ, {"CK_TUNING_DB": self.database})
        environment.start()
        self.addCleanup(environment.stop)
        self.lines = []

    def tune(self, model, *inputs, **arguments):
        report = ck_conv.tune(model, *inputs, progress=self.lines.append, **arguments)
        if "without SQLite" in report.why:
            self.skipTest("the library was built without SQLite")
        return report

    def test_each_convolution_is_measured_and_nothing_else_changes(self):
        model, x = network(), torch.randn(1, 4, 6, 6)
        before = {name: t.clone() for name, t in model.state_dict().items()}
        state = torch.get_rng_state()
        report = self.tune(model, x)
        self.assertTrue(torch.equal(torch.get_rng_state(), state))
        for name, t in model.state_dict().items():
            self.assertTrue(torch.equal(t, before[name]), name)
        self.assertTrue(all(p.grad is None for p in model.parameters()))
        directions = sorted(t.spec.split()[0] for t in report.convolutions)
        # Two forward of each shape, backward data without that of the input, backward weight
        self.assertEqual(directions, ["direction=backward_data"] * 2 + ["direction=backward_weight"] * 3 +
                         ["direction=forward"] * 3)
        self.assertEqual((report.database, report.why), (self.database, ""))
        self.assertTrue(os.path.exists(self.database))
        for t in report.convolutions:
            self.assertGreater(t.microseconds, 0)
            self.assertTrue(t.before and t.after)
        self.assertEqual(len(self.lines), 8)
        self.assertRegex(str(report), r"^8 of 8 convolutions are measured, \d have other kernels now; they are in \S+sqlite3")
        self.assertEqual(str(report).count("\n"), sum(t.has_changed for t in report.convolutions))
        # Layers take the measured kernels, and compute the same.
        planned = []
        with mock.patch.object(launch, "planned", planned.append):
            model.eval()
            torch.testing.assert_close(model(x), _torchs(model)(x))
        self.assertEqual(len(planned), 3)
        again = self.tune(model.train(), x, seconds=0)
        self.assertEqual([(t.before, t.after) for t in again.convolutions],
                         [(t.after, t.after) for t in report.convolutions])
        self.assertIn("known already", self.lines[-1])

    def test_without_gradients_forward_alone(self):
        with torch.no_grad():
            report = self.tune(network(), torch.randn(1, 4, 6, 6))
        self.assertEqual([t.spec.split()[0] for t in report.convolutions], ["direction=forward"] * 3)

    def test_gradients_of_functions_and_of_results_of_any_class(self):
        model, x = network(), torch.randn(1, 4, 6, 6)

        @dataclasses.dataclass
        class Result:
            y: torch.Tensor

        class Other:
            def __init__(self, y):
                self.y = y

        for function in (lambda x: model(x), lambda x: {"y": [Result(model(x))]}):
            report = self.tune(function, x, seconds=0)
            self.assertEqual([t.spec.split()[0] for t in report.convolutions].count("direction=backward_weight"), 3)
            self.assertTrue(all(p.grad is None for p in model.parameters()))

        class Returns(nn.Module):
            def __init__(self):
                super().__init__()
                self.model = model

            def forward(self, x):
                return Other(self.model(x))

        report = self.tune(Returns(), x, seconds=60)
        self.assertEqual({t.spec.split()[0] for t in report.convolutions}, {"direction=forward"})
        self.assertIn("not all are known: the model returns a Other, in which tune() finds no tensor", str(report))

    def test_a_function_that_stops_gradients(self):
        class Stops(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, _):
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return grad, None

        model, other = network(), torch.ones(1, requires_grad=True)
        report = self.tune(lambda x: Stops.apply(model(x), other), torch.randn(1, 4, 6, 6), seconds=0)
        self.assertEqual([t.spec.split()[0] for t in report.convolutions].count("direction=backward_weight"), 3)

    def test_what_has_changed(self):
        self.assertTrue(_tune.Tuned("spec", "a", "b", 1.).has_changed)
        self.assertFalse(_tune.Tuned("spec", "a", "a", 1.).has_changed)

    def test_random_numbers_of_python(self):
        before = random.getstate()
        self.tune(lambda x: network()(x * random.random()), torch.randn(1, 4, 6, 6), seconds=0)
        self.assertEqual(random.getstate(), before)

    def test_types_of_autocast(self):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            report = self.tune(network(), torch.randn(1, 4, 6, 6))
        self.assertEqual({t.spec.split()[1] for t in report.convolutions}, {"type=bf16"})

    def test_functions_and_nothing_to_measure(self):
        report = self.tune(lambda x: x + 1, torch.ones(1))
        self.assertEqual((report.convolutions, report.database), ([], ""))
        self.assertEqual(str(report), "0 of 0 convolutions are measured, 0 have other kernels now; they are in this process "
                                      "only")

    def test_winners_that_no_file_keeps(self):
        os.mkdir(self.database)  # as unsuitable as a file of another program
        for database in (self.database, ""):
            with self.subTest(database=database), mock.patch.dict(os.environ, {"CK_TUNING_DB": database}):
                report = self.tune(nn.Sequential(ck_conv.Conv2d(4, 4, 3, bias=False)), torch.randn(1, 4, 6, 8), again=True)
                self.assertGreater(min(t.microseconds for t in report.convolutions), 0)
                self.assertEqual(report.database, "")
                self.assertRegex(str(report), "they are in this process only")

    def test_without_time(self):
        report = self.tune(network(), torch.randn(1, 4, 7, 7), seconds=0)  # of no other test
        self.assertTrue(all(t.microseconds is None for t in report.convolutions))
        self.assertRegex(report.why, "the time is up")
        self.assertRegex(str(report), "^0 of 8 .*\n  not all are known: .*the time is up")

    def test_wrong_arguments(self):
        x = torch.ones(1, 4, 6, 6)
        self.tune(lambda: None)  # skips without SQLite
        for arguments, error, text in (({"seconds": "x"}, TypeError, "seconds is 'x', but must be a number"),
                                       ({"seconds": -1}, ck_conv.Refused, "seconds is -1"),
                                       ({"seconds": float("nan")}, ck_conv.Refused, "seconds is nan"),
                                       ({"slower": 0.5}, ck_conv.Refused, "slower is 0.5"),
                                       ({"again": "no"}, TypeError, "again is 'no', but must be True or False"),
                                       ({"again": 1}, TypeError, "again is 1, but must be True or False"),
                                       ({"progress": 5}, TypeError, "progress is 5, but must be a function")):
            with self.assertRaisesRegex(error, text):
                ck_conv.tune(network(), x, **arguments)
        with self.assertRaisesRegex(TypeError, "the model is a list"):
            ck_conv.tune([network()], x)

    def test_plans_of_specs_that_are_refused_are_none_with_the_reason(self):
        spec = ck_conv.Spec([9, 9], [3, 3], n=2, k=16, c=16, layout="channels_first",
                            direction="backward_weight", type="f16").c_spec
        kernel, explained = _tune._plan(spec)
        self.assertIn(kernel, explained)
        self.addCleanup(ck_conv.set_workspace_limit, None)
        ck_conv.set_workspace_limit(0)
        kernel, why = _tune._plan(spec)
        self.assertIsNone(kernel)
        self.assertIn("no kernel computes this", why)

    def test_what_progress_raises_is_raised(self):
        self.tune(lambda: None)
        with self.assertRaises(ZeroDivisionError):
            ck_conv.tune(network(), torch.ones(1, 4, 6, 6), seconds=0, progress=lambda line: 1 / 0)

    def test_what_the_model_raises_is_raised(self):
        with self.assertRaisesRegex(ValueError, "input has 3 channels"):
            self.tune(network(), torch.ones(1, 3, 6, 6))
        self.assertIsNone(launch.planned)


def _torchs(model):
    theirs = nn.Sequential(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8), nn.Dropout(), nn.Conv2d(8, 4, 1, bias=False),
                           nn.Conv2d(4, 4, 1, bias=False)).eval()
    theirs.load_state_dict(model.state_dict())
    return theirs


LIMIT = 12000


class WorkspaceLimit(unittest.TestCase):
    def setUp(self):
        self.addCleanup(ck_conv.set_workspace_limit, None)

    def workspaces(self):
        """What forward and backward of a layer of channels first ask for."""
        ck_conv.set_workspace_limit(_library._limit)  # forgets plans
        x, w = (torch.ones(*size, requires_grad=True) for size in ((2, 16, 9, 9), (16, 16, 3, 3)))
        ck_conv.conv2d(x, w).sum().backward()
        return [ready.workspace for ready in launch._ready.values()]

    def test_of_layers(self):
        free = self.workspaces()
        self.assertEqual(len(free), 3)
        self.assertGreater(max(free), LIMIT)
        ck_conv.set_workspace_limit(LIMIT)
        self.assertLessEqual(max(self.workspaces()), LIMIT)
        ck_conv.set_workspace_limit(0)
        self.assertRaisesRegex(ck_conv.Refused, "it wants [0-9]+ bytes of workspace, but .* is 0", self.workspaces)
        ck_conv.set_workspace_limit(None)
        self.assertEqual(self.workspaces(), free)

    def test_of_the_environment(self):
        with mock.patch.dict(os.environ, {"CK_CONV_WORKSPACE_LIMIT": str(LIMIT)}):
            self.assertLessEqual(max(self.workspaces()), LIMIT)
            ck_conv.set_workspace_limit(2 ** 40)  # goes first
            self.assertGreater(max(self.workspaces()), LIMIT)
        with mock.patch.dict(os.environ, {"CK_CONV_WORKSPACE_LIMIT": ""}):
            ck_conv.set_workspace_limit(None)
            self.assertGreater(max(self.workspaces()), LIMIT)

    def test_of_plans(self):
        spec = ck_conv.Spec([9, 9], [3, 3], n=2, k=16, c=16, layout="channels_first")
        self.assertGreater(ck_conv.Plan(spec).workspace_size, LIMIT)
        ck_conv.set_workspace_limit(LIMIT)
        self.assertLessEqual(ck_conv.Plan(spec).workspace_size, LIMIT)
        self.assertGreater(ck_conv.Plan(spec, workspace_limit=2 ** 40).workspace_size, LIMIT)

    def test_bad_values(self):
        for bad in ("many", "-1", "1.5", "1e6", "4k", " 1", "0x10", str(2 ** 64), "\u0661"):
            with mock.patch.dict(os.environ, {"CK_CONV_WORKSPACE_LIMIT": bad}), self.assertRaisesRegex(
                    ck_conv.Refused, "CK_CONV_WORKSPACE_LIMIT is .*, but must be a whole number of bytes from 0 to "):
                self.workspaces()
        for bad, error in ((-1, ck_conv.Refused), (2 ** 64, ck_conv.Refused), (1.0, TypeError), ("1", TypeError),
                           (True, TypeError)):
            with self.assertRaisesRegex(error, "the limit of the workspace is .*, but must be"):
                ck_conv.set_workspace_limit(bad)
        self.assertIsNone(_library._limit)


if __name__ == "__main__":
    unittest.main(verbosity=2)
