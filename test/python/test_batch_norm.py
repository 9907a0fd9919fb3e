#!/usr/bin/python3
"""Batch norm with an addition and an activation in one node of autograd, against PyTorch's operations in float64."""
import copy
import pickle
import re
import sys
import unittest
import warnings
from unittest import mock

from needs_torch import torch

from ck_conv._norm import batch_norm
from ck_conv._norm.group_norm import group_norm
from ck_conv._norm.modules import FusedBatchNorm1d, FusedBatchNorm2d, FusedBatchNorm3d, fuse_norm
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

RELU, CLAMP = ("relu", 0., 0.), ("clamp", -.5, 1.)
ACTIVATIONS = {batch_norm.NONE: lambda z: z, RELU: torch.relu, CLAMP: lambda z: z.clamp(-.5, 1.),
               ("silu", 0., 0.): F.silu, ("hard_swish", 0., 0.): F.hardswish}
ERRORS = {torch.float64: 1e-12, torch.float32: 1e-5, torch.float16: 2 ** -9, torch.bfloat16: 2 ** -6}
LAST = {2: torch.contiguous_format, 4: torch.channels_last, 5: torch.channels_last_3d}


def rows(*size, dtype=torch.float32):
    """A tensor of channels last."""
    x = torch.randn(*size).to(dtype)
    return x.transpose(1, 2).contiguous().transpose(1, 2) if x.dim() == 3 else x.contiguous(memory_format=LAST[x.dim()])


def norm_of(x, **more):
    """(PyTorch's in float64, ours) with the same parameters."""
    cls = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}[x.dim()]
    norm = cls(x.size(1), **more)
    if norm.affine:
        nn.init.uniform_(norm.weight, .5, 1.5)
        nn.init.normal_(norm.bias)
    if norm.running_mean is not None:
        norm.running_mean.normal_()
        norm.running_var.uniform_(.5, 2)
    ours = copy.deepcopy(norm).to(torch.float64 if x.dtype == torch.float64 else torch.float32)
    assert fuse_norm(ours) is None
    return norm.double(), ours


def far(a, b):
    return ((a.double() - b.double()).norm() / b.double().norm().clamp(min=1e-3)).item()


class Counted:
    """Which functions of the library were called."""

    def __enter__(self):
        self.calls, self.before = [], batch_norm.Norm.planned_for
        batch_norm._said.clear()

        def planned_for(norm, places):
            self.calls.append(sys._getframe(1).f_code.co_name)
            return self.before(norm, places)
        batch_norm.Norm.planned_for = planned_for
        return self.calls

    def __exit__(self, *_):
        batch_norm.Norm.planned_for = self.before


FORWARD, BACKWARD, INFERENCE = "forward", "backward", "inference"


class Numbers(unittest.TestCase):
    def check(self, x, activation=batch_norm.NONE, residual=None, bound=None, calls=(FORWARD, BACKWARD), **more):
        theirs, ours = norm_of(x, **more)
        bound = bound or ERRORS[x.dtype]
        grad, results = rows(*x.shape, dtype=x.dtype), []
        for norm, exact in ((theirs, True), (ours, False)):
            given = [None if t is None else t.to(torch.float64 if exact else t.dtype, copy=True).requires_grad_()
                     for t in (x, residual)]
            if exact:
                z = norm(given[0]) if residual is None else norm(given[0]) + given[1]
                y = ACTIVATIONS[activation](z)
                y.backward(grad.double())
            else:
                with Counted() as called:
                    y = norm(*given, activation)
                    y.backward(grad)
                self.assertEqual((y.dtype, y.stride()), (x.dtype, x.stride()))
                self.assertEqual(called, list(calls))
            results.append([y, *(t.grad for t in (*given, norm.weight, norm.bias) if t is not None),
                            *(b for b in norm.buffers())])
        for i, (right, got) in enumerate(zip(*results)):
            self.assertLess(far(got, right), bound, i)

    def test_activations_types_and_residuals(self):
        for dtype in ERRORS:
            for activation in ACTIVATIONS:
                for adds in (False, True):
                    if adds and activation[0] not in batch_norm.ADDS:
                        continue
                    if adds and activation == CLAMP and dtype in (torch.float16, torch.bfloat16):
                        continue  # values that are rounded to a bound have no gradient here
                    with self.subTest(dtype=dtype, activation=activation, adds=adds):
                        x = rows(4, 6, 5, 3, dtype=dtype)
                        self.check(x, activation, rows(4, 6, 5, 3, dtype=dtype) if adds else None)

    def test_rounded_values_at_a_bound_have_no_gradient(self):
        """In 16 bits, for the result says where a bound was reached."""
        x = rows(8, 6, 5, 3, dtype=torch.bfloat16)
        _, norm = norm_of(x)
        residual = rows(8, 6, 5, 3, dtype=torch.bfloat16).requires_grad_()
        y = norm(x, residual, CLAMP)
        y.backward(torch.ones_like(y))
        self.assertTrue(torch.equal(residual.grad, ((y > -.5) & (y < 1)).to(y.dtype)))

    def test_ranks_and_sizes(self):
        for size in ((7, 5), (7, 1), (3, 4, 9), (2, 3, 4, 5), (5, 8, 1, 1), (2, 1, 4, 5), (2, 5, 2, 3, 4), (1, 9, 1, 2)):
            with self.subTest(size=size):
                self.check(rows(*size, dtype=torch.float64), RELU, rows(*size, dtype=torch.float64))

    def test_unaligned_tensors(self):
        for dtype, offset in ((torch.float32, 1), (torch.float64, 1), (torch.bfloat16, 1), (torch.bfloat16, 2)):
            memory = torch.randn(2 * 8 * 12 + offset).to(dtype)[offset:]
            x = memory.view(2, 12, 8, 1).permute(0, 2, 1, 3)
            self.assertNotEqual(x.data_ptr() % 16, 0)
            theirs, ours = norm_of(x)
            with Counted() as called:
                y = ours(x, x)
            self.assertEqual(called, [FORWARD])
            self.assertLess(far(y, theirs(x.double()) + x.double()), ERRORS[dtype])

    def test_a_large_mean_loses_nothing(self):
        x = rows(16, 4, 8, 8) + 1000
        theirs, ours = norm_of(x)
        self.assertLess(far(ours(x), theirs(x.double())), 1e-4)

    def test_a_variance_of_0_without_epsilon(self):
        x = rows(4, 8, 3, 3)
        x[:, 1] = 7.
        for training in (True, False):
            norm = nn.BatchNorm2d(8, eps=0.).train(training)
            ours = copy.deepcopy(norm)
            fuse_norm(ours)
            try:
                norm(x)
            except ValueError as refused:  # by newer PyTorch
                with self.assertRaisesRegex(ValueError, re.escape(str(refused))):
                    ours(x)
                continue
            results = []
            for module in (norm, ours):
                given = x.clone(memory_format=torch.preserve_format).requires_grad_()
                y = module(given)
                results.append((y.detach(), *torch.autograd.grad(y.square().sum(), (given, module.weight))))
            for theirs, mine in zip(*results):
                self.assertTrue(theirs.isfinite().all())
                torch.testing.assert_close(mine, theirs)

    def test_parameters_that_are_missing(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        self.check(x, RELU, affine=False)
        self.check(x, RELU, track_running_stats=False)
        self.check(x, RELU, affine=False, track_running_stats=False)
        self.check(x, momentum=None)
        self.check(x, momentum=.3, eps=.1)

    def test_cumulative_statistics(self):
        x = [rows(4, 6, 2, 2, dtype=torch.float64) for _ in range(3)]
        theirs, ours = norm_of(x[0], momentum=None)
        for one in x:
            theirs(one)
            ours(one)
        self.assertLess(far(ours.running_mean, theirs.running_mean), 1e-12)
        self.assertLess(far(ours.running_var, theirs.running_var), 1e-12)
        self.assertEqual(ours.num_batches_tracked, 3)

    def test_the_residual_may_be_the_input(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        theirs, ours = norm_of(x)
        a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
        torch.relu(theirs(a) + a).square().sum().backward()
        ours(b, b, RELU).square().sum().backward()
        self.assertLess(far(b.grad, a.grad), 1e-12)
        with mock.patch.object(batch_norm, "_find", None):  # what it found is remembered
            ours(b, b, RELU)

    def test_residuals_of_other_sizes_types_and_formats_are_pytorchs(self):
        x = rows(4, 6, 5, 3)
        for residual in (rows(4, 6, 1, 1), rows(4, 6, 5, 3).double(), torch.randn(4, 6, 5, 3), 2, rows(1, 6, 5, 3)):
            theirs, ours = norm_of(x)
            with Counted() as called, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y = ours(x, residual, RELU)
            self.assertEqual(called, [])
            self.assertLess(far(y, torch.relu(theirs(x.double()) + residual)), 1e-5)
            self.assertEqual(y.dtype, torch.promote_types(x.dtype, getattr(residual, "dtype", x.dtype)))
        y = norm_of(x)[1](x, rows(4, 6, 5, 3).double(), RELU, True)
        self.assertEqual(y.dtype, x.dtype)

    def test_gradients_that_are_not_wanted_or_not_channels_last(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        for name in ("weight", "bias"):
            theirs, ours = norm_of(x)
            grads = []
            for norm in (theirs, ours):
                getattr(norm, name).requires_grad_(False)
                own = x.clone().requires_grad_()
                y = torch.relu(norm(own)) if norm is theirs else norm(own, None, RELU)
                y.backward(torch.arange(x.numel()).view(x.shape).double())
                self.assertIsNone(getattr(norm, name).grad)
                grads.append((own.grad, *(p.grad for p in norm.parameters() if p.requires_grad)))
            for right, got in zip(*grads):
                self.assertLess(far(got, right), 1e-12)
        theirs, ours = norm_of(x)
        ours(x).sum().backward()  # the gradient has no strides; x needs none
        theirs(x).sum().backward()
        self.assertLess(far(ours.bias.grad, theirs.bias.grad), 1e-12)

    def test_parameters_that_come_and_go(self):
        """Under the ids of those before."""
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        theirs, ours = norm_of(x)
        w, b = theirs.weight.detach(), theirs.bias.detach()
        for weight, bias in ((w, b), (w, None), (w, b), (None, None), (None, b), (None, None)):
            theirs.weight, theirs.bias, ours.weight, ours.bias = (
                None if t is None else nn.Parameter(t) for t in (weight, bias, weight, bias))
            self.assertLess(far(ours(x), theirs(x)), 1e-12)
            y = batch_norm.batch_norm(x, weight, bias, None, None, True, 0., 1e-5)
            self.assertLess(far(y, F.batch_norm(x, None, None, weight, bias, True, 0., 1e-5)), 1e-12)

    def test_statistics_that_are_incomplete_are_pytorchs(self):
        x, mean = rows(4, 6, 5, 3), torch.zeros(6)
        for given in ((mean, None), (None, mean), (None, None)):
            for by_batch in (True, False):
                results = []
                for compute in (F.batch_norm, lambda x, m, v, w, b, *more: batch_norm.batch_norm(x, w, b, m, v, *more)):
                    try:
                        results.append(compute(x, *given, None, None, by_batch, 0., 1e-5).sum().item())
                    except (RuntimeError, ValueError) as error:
                        results.append(str(error))
                if isinstance(results[0], str):
                    self.assertEqual(*results)
                else:
                    self.assertAlmostEqual(*results, places=3)

    def test_layers_of_one_shape_do_not_mix(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        pairs = [norm_of(x) for _ in range(4)]
        for _ in range(3):
            for theirs, ours in pairs:
                own = x.clone().requires_grad_(theirs is pairs[1][0])
                y = ours(own, None, RELU)
                self.assertLess(far(y, torch.relu(theirs(x))), 1e-12)
                y.sum().backward()
                self.assertEqual(own.grad is not None, own.requires_grad)


class Evaluation(unittest.TestCase):
    def test_running_statistics(self):
        for dtype in ERRORS:
            x, residual = rows(4, 6, 5, 3, dtype=dtype), rows(4, 6, 5, 3, dtype=dtype)
            theirs, ours = norm_of(x)
            theirs.eval(), ours.eval()
            state = copy.deepcopy(ours.state_dict())
            with torch.no_grad(), Counted() as called:
                y = ours(x, residual, RELU)
            self.assertEqual(called, [INFERENCE])
            self.assertLess(far(y, torch.relu(theirs(x.double()) + residual.double())), ERRORS[dtype])
            self.assertTrue(all(torch.equal(state[k], v) for k, v in ours.state_dict().items()))

    def test_gradients_by_running_statistics_are_pytorchs(self):
        """A frozen norm in a model that trains."""
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        theirs, ours = norm_of(x)
        grads = []
        for norm in (theirs, ours):
            norm.eval()
            own = x.clone().requires_grad_()
            y = torch.relu(norm(own) + own) if norm is theirs else norm(own, own, RELU)
            y.square().sum().backward()
            grads.append((own.grad, norm.weight.grad, norm.bias.grad, norm.running_mean))
        for right, got in zip(*grads):
            self.assertLess(far(got, right), 1e-12)

    def test_without_statistics_those_of_the_batch(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        theirs, ours = norm_of(x, track_running_stats=False)
        self.assertLess(far(ours.eval()(x), theirs.eval()(x)), 1e-12)


class OtherTensors(unittest.TestCase):
    def test_pytorch_computes_them_and_this_is_said_once(self):
        half = nn.BatchNorm2d(6).bfloat16()
        for x, more, text in ((torch.randn(4, 6, 5, 3), None, "not channels last"),
                              (torch.randn(4, 6, 5), None, "not channels last"),
                              (rows(4, 6, 5, 3, dtype=torch.bfloat16), half, "weights and running statistics")):
            theirs, ours = norm_of(x)
            if more is not None:
                theirs, ours = half, copy.deepcopy(half)
                fuse_norm(ours)
            with Counted() as called, warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                y = ours(x, None, RELU)
                ours(x, None, RELU)
            self.assertEqual(called, [])
            self.assertEqual(len(said), 1)
            self.assertRegex(str(said[0].message), f"PyTorch computes batch norms.*{text}")
            self.assertEqual(said[0].filename, __file__)
            self.assertLess(far(y, torch.relu(theirs(x if more is not None else x.double()))), ERRORS[x.dtype])

    def test_what_pytorch_refuses(self):
        for size, module, text in (((1, 6, 1, 1), nn.BatchNorm2d(6), "more than 1 value per channel"),
                                   ((4, 6), nn.BatchNorm2d(6), "expected 4D input"),
                                   ((4, 5, 2, 2), nn.BatchNorm2d(6), "")):
            fuse_norm(module)
            with self.assertRaisesRegex((ValueError, RuntimeError), text), warnings.catch_warnings():
                warnings.simplefilter("error")
                module(rows(*size))

    def test_meta_tensors(self):
        norm = nn.BatchNorm2d(6).to("meta")
        fuse_norm(norm)
        self.assertEqual(norm(torch.empty(2, 6, 3, 3, device="meta"), None, RELU).shape, (2, 6, 3, 3))

    def test_autocast(self):
        """Batch norm has x's type, and so has a residual of it; weights are float32."""
        x, residual = rows(4, 6, 5, 3, dtype=torch.bfloat16), rows(4, 6, 5, 3, dtype=torch.bfloat16)
        theirs, ours = norm_of(x)
        with torch.autocast("cpu", dtype=torch.bfloat16), Counted() as called:
            y = ours(x.requires_grad_(), residual, RELU)
            y.sum().backward()
        self.assertEqual(called, [FORWARD, BACKWARD])
        self.assertEqual((y.dtype, x.grad.dtype, ours.weight.grad.dtype), (x.dtype, x.dtype, torch.float32))
        self.assertLess(far(y, torch.relu(theirs(x.double()) + residual.double())), ERRORS[x.dtype])
        single = rows(4, 6, 5, 3)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            self.assertEqual(norm_of(single)[1](single).dtype, torch.float32)


class Around(unittest.TestCase):
    def test_gradients_of_gradients(self):
        x, residual = rows(3, 2, 2, 2, dtype=torch.float64), rows(3, 2, 2, 2, dtype=torch.float64)
        for activation, adds in ((batch_norm.NONE, False), (RELU, True), (RELU, False), (("silu", 0., 0.), False)):
            theirs, ours = norm_of(x)
            found = []
            for norm in (theirs, ours):
                own, other = x.clone().requires_grad_(), residual.clone().requires_grad_()
                if norm is theirs:
                    y = ACTIVATIONS[activation](norm(own) + other if adds else norm(own))
                else:
                    y = norm(own, other if adds else None, activation)
                inputs = [own, norm.weight, norm.bias] + [other] * adds
                first = torch.autograd.grad(y.pow(3).sum(), inputs, create_graph=True)
                second = torch.autograd.grad(sum(g.square().sum() for g in first), inputs)
                found.append((*first, *second))
            for right, got in zip(*found):
                self.assertLess(far(got, right), 1e-9)

    def test_gradients_of_gradients_of_one_image(self):
        for size in ((1, 3, 6, 5), (1, 3, 2, 3, 2), (1, 3, 8)):
            x, weight = rows(*size, dtype=torch.float64), torch.randn(*size, dtype=torch.float64)  # of channels first

            def make(norm, call):
                given = x.clone(memory_format=torch.preserve_format).requires_grad_()
                inputs = [given, *norm.parameters()]
                first = torch.autograd.grad((norm(given) * weight).sum(), inputs, create_graph=True)
                return *first, *torch.autograd.grad(sum(g.square().sum() for g in first), inputs[:2])
            self.both(*norm_of(x), make)

    def both(self, theirs, ours, make):
        """make(norm, with activation), of both, is the same."""
        for right, got in zip(make(theirs, lambda a: torch.relu(theirs(a))), make(ours, lambda a: ours(a, None, RELU))):
            self.assertLess(far(got, right), 1e-9)

    def test_gradients_of_gradients_of_a_norm_that_is_called_twice(self):
        x, weight = rows(4, 6, 5, 3, dtype=torch.float64), rows(4, 6, 5, 3, dtype=torch.float64)

        def make(norm, call):
            inputs = [x.clone().requires_grad_(), *norm.parameters()]
            first = torch.autograd.grad((call(call(inputs[0])) * weight).sum(), inputs, create_graph=True)
            return *first, *torch.autograd.grad(sum(g.square().sum() for g in first), inputs)
        self.both(*norm_of(x), make)

    def test_gradients_of_gradients_by_one_parameter_for_two(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64)

        def make(norm, call):
            norm.bias = norm.weight
            first = torch.autograd.grad(call(x).pow(3).sum(), norm.weight, create_graph=True)
            return *first, *torch.autograd.grad(first[0].square().sum(), norm.weight)
        self.both(*norm_of(x), make)

    def test_tensors_hooks_run_once(self):
        x, weight = rows(4, 6, 5, 3, dtype=torch.float64), rows(4, 6, 5, 3, dtype=torch.float64)

        def make(norm, call):
            own = x.clone().requires_grad_()
            between = own * 1
            between.register_hook(lambda g: g * 3)
            norm.weight.register_hook(lambda g: g * 2)
            return torch.autograd.grad((call(between) * weight).sum(), [own, *norm.parameters()], create_graph=True)
        self.both(*norm_of(x), make)

    def test_saved_tensors_of_a_norm_that_is_called_twice(self):
        """Hooks change their format: PyTorch computes the gradients."""
        x = rows(4, 6, 5, 3, dtype=torch.float64)

        def make(norm, call):
            inputs = [x.clone().requires_grad_(), *norm.parameters()]
            with torch.autograd.graph.saved_tensors_hooks(lambda t: t.contiguous().clone(), lambda t: t):
                y = call(call(inputs[0] * 2))
            return torch.autograd.grad(y.pow(3).sum(), inputs)
        self.both(*norm_of(x), make)

    @unittest.skipIf(torch.__version__ < "2", "PyTorch 1.13 cannot batch gradients of its own norm")
    def test_batches_of_gradients(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        grads = torch.randn(3, *x.shape, dtype=x.dtype)

        def make(norm, call):
            inputs = [x.clone().requires_grad_(), *norm.parameters()]
            return torch.autograd.grad(call(call(inputs[0] * 2)), inputs, grads, is_grads_batched=True)
        self.both(*norm_of(x), make)

    def test_parameters_that_no_longer_require_gradients(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        theirs, ours = norm_of(x)
        own = x.clone().requires_grad_()
        right = torch.autograd.grad(torch.relu(theirs(own)).pow(3).sum(), own)
        y = ours(own, None, RELU)
        ours.weight.requires_grad_(False)
        got = torch.autograd.grad(y.pow(3).sum(), own, create_graph=True)
        self.assertLess(far(got[0], right[0]), 1e-12)

    def test_threads_that_make_plans(self):
        """Each for its alignment."""
        _, norm = norm_of(rows(4, 6, 5, 3))
        of_x = batch_norm.Norm(rows(4, 6, 5, 3), None, norm.eps, RELU)
        create, made = batch_norm.Plan.create, []

        def created(spec, plan):
            """Another thread comes in between."""
            made.append(spec.alignment)
            if len(made) == 1:
                of_x._plan(4)
            made.append(spec.alignment)
            return create(spec, plan)
        with mock.patch.object(batch_norm.Plan, "create", created):
            of_x._plan(8)
        self.assertEqual(made, [8, 4, 4, 8])

    def test_hooks_registered_later(self):
        """They see and replace the input; addition and activation stay."""
        x, residual = rows(4, 6, 5, 3, dtype=torch.float64), rows(4, 6, 5, 3, dtype=torch.float64)
        theirs, ours = norm_of(x)
        for norm in (theirs, ours):
            norm.register_forward_pre_hook(lambda module, given: (given[0] * given[0],))
        y = ours(x, residual=residual, activation=RELU)
        self.assertLess(far(y, torch.relu(theirs(x) + residual)), 1e-12)

    def test_gradcheck(self):
        x = rows(3, 2, 2, 2, dtype=torch.float64).requires_grad_()
        norm = norm_of(x)[1]
        self.assertTrue(torch.autograd.gradcheck(lambda a, w, b: batch_norm.batch_norm(
            a, w, b, None, None, True, 0., 1e-5, ("silu", 0., 0.)), (x, norm.weight, norm.bias)))

    def test_checkpoint(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64).requires_grad_()
        theirs, ours = norm_of(x)
        y = checkpoint(lambda a: ours(a, a, RELU), x, use_reentrant=False)
        got, = torch.autograd.grad(y.square().sum(), x)
        right, = torch.autograd.grad(torch.relu(theirs(x) + x).square().sum(), x)
        self.assertLess(far(got, right), 1e-12)

    def test_saved_tensors_that_hooks_change_format_of(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64).requires_grad_()
        theirs, ours = norm_of(x)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().contiguous(), lambda t: t.clone()):
            y = ours(x, None, RELU)
        got, = torch.autograd.grad(y.square().sum(), ours.weight)
        right, = torch.autograd.grad(torch.relu(theirs(x)).square().sum(), theirs.weight)
        self.assertLess(far(got, right), 1e-12)

    def test_saved_tensors_that_hooks_give_gaps(self):
        """Any of them: by their number of dimensions."""
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        theirs, ours = norm_of(x)
        residual = rows(4, 6, 5, 3, dtype=torch.float64)
        parameters = 2, ours.weight, ours.bias
        for of, wanted in ((lambda x: ours(x, None, ("silu", 0., 0.)), lambda x: F.silu(theirs(x))),
                           (lambda x: ours(x, residual, RELU), lambda x: torch.relu(theirs(x) + residual)),
                           (lambda x: group_norm(x, *parameters), lambda x: F.group_norm(x, *parameters))):
            leaf = x.clone().requires_grad_()
            right, = torch.autograd.grad(wanted(leaf).square().sum(), leaf)
            for changed in ((1,), (2,), (4,), (1, 2, 4)):
                def with_gaps(t):
                    return torch.stack((t, t + 1), -1)[..., 0] if t.dim() in changed else t
                with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), with_gaps):
                    y = of(leaf)
                got, = torch.autograd.grad(y.square().sum(), leaf)
                self.assertLess(far(got, right), 1e-12, changed)

    def test_copies_pickles_and_casts(self):
        x = rows(4, 6, 5, 3)
        _, ours = norm_of(x)
        y = ours(x, None, RELU)
        for other in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
            self.assertIs(type(other), FusedBatchNorm2d)
            self.assertTrue(torch.equal(other(x, None, RELU), y))
        self.assertLess(far(ours.double()(x.double(), None, RELU), y), 1e-5)

    def test_classes(self):
        for theirs, ours in ((nn.BatchNorm1d, FusedBatchNorm1d), (nn.BatchNorm3d, FusedBatchNorm3d)):
            norm = theirs(3)
            state = list(norm.state_dict())
            self.assertIsNone(fuse_norm(norm))
            self.assertIs(type(norm), ours)
            self.assertIsInstance(norm, theirs)
            self.assertEqual(list(norm.state_dict()), state)
        for norm, why in ((nn.SyncBatchNorm(3), "SyncBatchNorm exchanges"), (nn.GroupNorm(1, 3), "is not a batch norm"),
                          (type("Own", (nn.BatchNorm2d,), {})(3), "may compute something else")):
            self.assertIn(why, fuse_norm(norm))

    def test_parametrized_afterwards(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        theirs, ours = norm_of(x)
        for norm in (theirs, ours):
            nn.utils.parametrize.register_parametrization(norm, "weight", nn.Softplus())
        self.assertLess(far(ours(x), theirs(x)), 1e-12)

    @unittest.skipIf(torch.__version__ < "2", "torch.compile is PyTorch 2's")
    def test_compiled(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        theirs, ours = norm_of(x)
        with Counted() as called:
            for training in (True, False):
                theirs.train(training), ours.train(training)
                compiled = torch.compile(lambda a, norm=ours: norm(a, a, RELU), backend="aot_eager", fullgraph=True)
                a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
                torch.relu(theirs(a) + a).square().sum().backward()
                compiled(b).square().sum().backward()
                self.assertLess(far(b.grad, a.grad), 1e-12)
                self.assertLess(far(ours.running_var, theirs.running_var), 1e-12)
        self.assertEqual(called, [])

    @unittest.skipIf(torch.__version__ < "2", "torch.func is PyTorch 2's")
    def test_transforms(self):
        x = rows(4, 6, 5, 3, dtype=torch.float64)
        theirs, ours = norm_of(x, track_running_stats=False)
        got = torch.func.grad(lambda a: ours(a, None, RELU).square().sum())(x)
        self.assertLess(far(got, torch.func.grad(lambda a: torch.relu(theirs(a)).square().sum())(x)), 1e-12)
        tangent = torch.randn_like(x)
        got = torch.func.jvp(lambda a: ours(a, None, RELU), (x,), (tangent,))[1]
        self.assertLess(far(got, torch.func.jvp(lambda a: torch.relu(theirs(a)), (x,), (tangent,))[1]), 1e-12)


if __name__ == "__main__":
    unittest.main()
