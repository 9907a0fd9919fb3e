#!/usr/bin/python3
"""Instance norm with leaky ReLU in one node of autograd, against PyTorch's operations in float64, and in ck_conv.fuse()."""
import copy
import itertools
import math
import pathlib
import pickle
import sys
import unittest
import warnings
from unittest import mock

from needs_torch import torch

import ck_conv
import torch.fx
from ck_conv._c import interface as library
from ck_conv._norm import group_norm
from ck_conv._norm.modules import FUSED_INSTANCE_NORMS
from test_batch_norm import ERRORS, far, rows
from test_group_norm import BACKWARD, FORWARD, NONE, RELU, SILU, Compared, Counted, parameters
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "script"))
from comparison.split_networks import UNet  # noqa: E402

LEAKY, IN_PLACE, STEEP = ("leaky_relu", .01, 0.), ("leaky_relu", .01, 1.), ("leaky_relu", -.5, 0.)
ACTIVATIONS = {NONE: lambda z: z, RELU: torch.relu, SILU: F.silu, LEAKY: F.leaky_relu, IN_PLACE: F.leaky_relu,
               STEEP: lambda z: F.leaky_relu(z, -.5)}
OF_RANK = {3: nn.InstanceNorm1d, 4: nn.InstanceNorm2d, 5: nn.InstanceNorm3d}
LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


def instance_norm(x, weight=None, bias=None, epsilon=1e-5, activation=NONE):
    return group_norm.group_norm(x, group_norm.INSTANCES, weight, bias, epsilon, activation)


def leaky(x, weight, bias):
    return F.leaky_relu(F.instance_norm(x, weight=weight, bias=bias))


def norms_of(rank, channels, dtype=torch.float32, **more):
    """(PyTorch's, ours) with the same parameters."""
    theirs = OF_RANK[rank](channels, **more)
    if theirs.affine:
        nn.init.uniform_(theirs.weight, .5, 1.5)
        nn.init.normal_(theirs.bias)
    theirs = theirs.to(dtype)
    ours = copy.deepcopy(theirs)
    ours.__class__ = FUSED_INSTANCE_NORMS[type(theirs)]
    return theirs, ours


class Numbers(Compared):
    def check(self, x, activation=LEAKY, weighted=True, parameter_type=None, epsilon=1e-5):
        self.compare(lambda x, w, b: ACTIVATIONS[activation](F.instance_norm(x, weight=w, bias=b, eps=epsilon)),
                     lambda *given: instance_norm(*given, epsilon, activation), x, parameter_type, weighted)

    def test_types_and_activations(self):
        for dtype in ERRORS:
            for activation in ACTIVATIONS:
                for weighted in (True, False):
                    with self.subTest(dtype=dtype, activation=activation, weighted=weighted):
                        self.check(rows(3, 12, 5, 4, dtype=dtype), activation, weighted)

    def test_ranks_and_sizes(self):
        for size in ((3, 4, 9), (2, 3, 4, 5), (1, 64, 5, 5), (2, 5, 2, 3, 4), (1, 9, 1, 2), (1, 1, 4, 4), (2, 77, 1, 1, 3)):
            with self.subTest(size=size):
                self.check(rows(*size, dtype=torch.float64))

    def test_parameters(self):
        for dtype in (torch.bfloat16, torch.float16, torch.float32):
            self.check(rows(2, 8, 4, 4, dtype=dtype), parameter_type=dtype, epsilon=.1)

    def test_group_norms_have_leaky_relu_too(self):
        x, (weight, bias) = rows(2, 8, 4, 4, dtype=torch.float64), parameters(8, torch.float64)
        given = [[t.clone().requires_grad_() for t in (x, weight, bias)] for _ in range(2)]
        right = F.leaky_relu(F.group_norm(given[0][0], 2, *given[0][1:]), .2)
        with Counted() as called:
            y = group_norm.group_norm(given[1][0], 2, *given[1][1:], 1e-5, ("leaky_relu", .2, 0.))
            for one in (right, y):
                one.square().sum().backward()
        self.assertEqual(called, [FORWARD, BACKWARD])
        self.assertLess(far(y, right), 1e-12)
        for theirs, ours in zip(*given):
            self.assertLess(far(ours.grad, theirs.grad), 1e-9)

    def test_slopes_are_not_mixed_up(self):
        x = rows(2, 4, 3, 3)
        for slope in (.1, .2, .1, 0., 1.):
            with Counted() as called:
                y = instance_norm(x, activation=("leaky_relu", slope, 0.))
            self.assertEqual(called, [FORWARD])
            self.assertLess(far(y, F.leaky_relu(F.instance_norm(x.double()), slope)), 1e-5)

    def test_what_is_not_finite_passes_as_in_pytorch(self):
        for bad in (math.nan, math.inf, -math.inf):
            x = rows(2, 6, 3, 3)
            x[0, 1, 2, 0] = bad
            right = F.leaky_relu(F.instance_norm(x))
            got = instance_norm(x, activation=LEAKY)
            self.assertTrue(torch.equal(got.isnan(), right.isnan()))
            self.assertEqual(got.isnan().sum(), 9)

    def test_gradients_that_are_not_wanted(self):
        self.compare_gradients_that_are_wanted(leaky, lambda *given: instance_norm(*given, activation=LEAKY), lambda x: x)

    def test_gradients_of_gradients(self):
        for activation in (LEAKY, IN_PLACE):
            self.compare_gradients_of_gradients(leaky, lambda *given: instance_norm(*given, activation=activation))

    def test_gradients_of_a_single_image(self):
        for x in torch.randn(1, 6, 4, 5), torch.randn(1, 6, 3, 2, 4):
            last = x.contiguous(memory_format=LAST[x.dim()])
            for first, second in itertools.product((x, last), repeat=2):
                for activation, again in itertools.product((NONE, LEAKY), (False, True)):
                    grads = []
                    for given, of_y, norm in (
                            (x.double(), x.double(), lambda x: ACTIVATIONS[activation](F.instance_norm(x))),
                            (first.clone(), second, lambda x: instance_norm(x, activation=activation))):
                        y = norm(given.requires_grad_())
                        grad, = torch.autograd.grad(y, given, of_y.cos(), create_graph=again)
                        grads.append(torch.autograd.grad(grad, given, of_y.sin())[0] if again else grad)
                    with self.subTest(size=x.shape, last=(first is last, second is last), activation=activation, again=again):
                        self.assertLess(far(*grads[::-1]), 1e-5)


class Modules(unittest.TestCase):
    def result(self, norm, x):
        """What a call returns, or the error that it raises."""
        try:
            return norm(x)
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def test_calls_as_pytorchs(self):
        """All numbers of dimensions, those without a batch and wrong ones; training and evaluation."""
        for rank in OF_RANK:
            for affine in (False, True):
                theirs, ours = norms_of(rank, 6, torch.float64, affine=affine)
                for size in ((6,), (6, 4), (2, 6, 4), (6, 4, 2), (2, 6, 4, 2), (6, 4, 2, 3), (2, 6, 4, 2, 3), (2, 6, 4, 2, 3, 1),
                             (6, 1), (2, 6, 1), (2, 6, 1, 1), (6, 1, 1), (6, 1, 1, 1), (1, 6, 1, 1, 1), (0, 6, 3, 3), (2, 6, 0, 3)):
                    for training in (False, True):
                        with self.subTest(rank=rank, affine=affine, size=size, training=training), warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            x = torch.randn(size, dtype=torch.float64)
                            if rank in LAST and x.dim() == rank:
                                x = x.contiguous(memory_format=LAST[rank])
                            right, got = (self.result(norm.train(training), x) for norm in (theirs, ours))
                            if isinstance(right, str):
                                self.assertEqual(got, right)
                            elif right.numel() == 0:
                                self.assertEqual(got.shape, right.shape)
                            else:
                                self.assertLess(far(got, right), 1e-12)
                                self.assertLess(far(ours(x, activation=LEAKY), F.leaky_relu(right)), 1e-12)

    def test_other_numbers_of_channels(self):
        """PyTorch refuses them or, without parameters, may warn."""
        for affine in (False, True):
            theirs, ours = norms_of(4, 6, affine=affine)
            for x in (rows(2, 5, 3, 3), torch.randn(5, 3, 3)):
                said = []
                for norm in (theirs, ours):
                    with warnings.catch_warnings(record=True) as heard, Counted() as called:
                        warnings.simplefilter("always")
                        said.append((str(self.result(norm, x)), [str(w.message) for w in heard]))
                    self.assertEqual(called, [])
                self.assertEqual(*said)

    def test_without_a_batch(self):
        """Channels last in memory: the library computes it."""
        theirs, ours = norms_of(5, 6, torch.float64, affine=True)
        x = rows(1, 6, 3, 4, 2, dtype=torch.float64)[0]
        with Counted() as called:
            y = ours(x, activation=LEAKY)
        self.assertEqual((called, y.shape, y.stride()), ([FORWARD], x.shape, x.stride()))
        self.assertLess(far(y, F.leaky_relu(theirs(x))), 1e-12)

    def test_other_tensors(self):
        """PyTorch computes them, and this is said once."""
        theirs, ours = norms_of(4, 6, affine=True)
        x = torch.randn(2, 6, 3, 3)
        with Counted() as called, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for activation in (NONE, LEAKY, IN_PLACE):
                self.assertTrue(torch.equal(ours(x, activation=activation), ACTIVATIONS[activation](theirs(x))))
        self.assertEqual(called, [])
        self.assertEqual(len(said), 1)
        self.assertRegex(str(said[0].message), "PyTorch computes instance norms.*not channels last")
        self.assertEqual(ours.to("meta")(x.to("meta"), activation=LEAKY).shape, x.shape)

    def test_without_epsilon(self):
        """A norm of constants is the bias, as in PyTorch."""
        x, (weight, bias) = torch.ones(2, 4, 3, 3).contiguous(memory_format=torch.channels_last), parameters(4, torch.float32)
        with Counted() as called, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            y = instance_norm(x, weight, bias, 0., LEAKY)
        self.assertTrue(torch.equal(y, F.leaky_relu(bias).view(1, 4, 1, 1).expand_as(x)))
        self.assertEqual(called, [])
        self.assertRegex(str(said[0].message), "PyTorch computes instance norms.*eps is 0")

    def test_statistics_that_are_tracked_later(self):
        theirs, ours = norms_of(4, 6)
        for norm in (theirs, ours):
            norm.track_running_stats = True
            norm.running_mean, norm.running_var = torch.ones(6), torch.full((6,), 4.)
        x = rows(2, 6, 3, 3)
        self.assertTrue(torch.equal(ours.eval()(x), theirs.eval()(x)))
        self.assertTrue(torch.equal(ours.train()(x), theirs.train()(x)))
        self.assertTrue(torch.equal(ours.running_var, theirs.running_var))

    def test_autocast(self):
        """Types are PyTorch's."""
        for dtype in (torch.bfloat16, torch.float32):
            theirs, ours = norms_of(4, 6, affine=True)
            x = rows(4, 6, 5, 3, dtype=dtype)
            with torch.autocast("cpu", dtype=torch.bfloat16), Counted() as called:
                right = theirs(x)
                own = x.clone().requires_grad_()
                y = ours(own, activation=LEAKY)
                y.sum().backward()
            self.assertEqual(called, [FORWARD, BACKWARD])
            self.assertEqual((y.dtype, own.grad.dtype, ours.weight.grad.dtype), (right.dtype, dtype, torch.float32))
            self.assertLess(far(y, F.leaky_relu(theirs.double()(x.double()))), ERRORS[right.dtype])

    def test_autocast_that_widens(self):
        """As PyTorch's does on some devices."""
        x = rows(2, 6, 3, 3, dtype=torch.bfloat16)
        with torch.autocast("cpu", dtype=torch.bfloat16), mock.patch.object(group_norm, "_widens", lambda *_: True):
            self.assertEqual(instance_norm(x, activation=LEAKY).dtype, torch.float32)
        with torch.autocast("cpu", enabled=False), mock.patch.object(group_norm, "_widens", lambda *_: True):
            self.assertEqual(instance_norm(x, activation=LEAKY).dtype, torch.bfloat16)
        library.forget_plans()

    def test_remembered_calls_and_autocast(self):
        """What is remembered of a call under torch.autocast is for calls under the same one."""
        x, parameters = rows(2, 6, 3, 3, dtype=torch.bfloat16).requires_grad_(), (torch.rand(6) + .5, torch.rand(6))
        was = torch.is_autocast_enabled()
        right = {False: F.instance_norm(x.float(), None, None, *parameters).bfloat16(),
                 True: F.instance_norm(x.float(), None, None, *parameters)}
        with mock.patch.object(group_norm, "_widens", lambda *_: True):
            for of_cpu, of_gpu in [(True, False), (False, False), (False, True), (True, False), (True, True), (False, True)]:
                torch.set_autocast_enabled(of_gpu)
                try:
                    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=of_cpu):
                        for _ in range(2):
                            with self.subTest(of_cpu=of_cpu, of_gpu=of_gpu), Counted() as called:
                                y = instance_norm(x, *parameters)
                                self.assertEqual((y.dtype, called), (right[of_cpu].dtype, [FORWARD]))
                                self.assertLess(far(y, right[of_cpu]), ERRORS[y.dtype])
                finally:
                    torch.set_autocast_enabled(was)
        library.forget_plans()

    def test_many_shapes_without_parameters(self):
        """Norms without parameters are found by the shape of the input: none displaces another."""
        xs = [rows(1, c, 3, 3) for c in (2, 4, 8)]
        group_norm._recent.clear()
        with mock.patch.object(group_norm, "_find", wraps=group_norm._find) as find:
            for _ in range(3):
                for x in xs:
                    instance_norm(x)
        self.assertEqual(find.call_count, len(xs))


class Net(nn.Module):
    def __init__(self, norm=nn.InstanceNorm2d, inplace=True, **more):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(3, 8, 3, padding=1), norm(8, **more)
        self.conv2, self.norm2 = nn.Conv2d(8, 8, 3, padding=1), norm(8, **more)
        self.conv3, self.norm3 = nn.Conv2d(8, 8, 1), norm(8, **more)
        self.act = nn.LeakyReLU(.2, inplace)
        self.last = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        x = self.act(self.norm1(self.conv1(x)))
        x = F.leaky_relu(self.norm2(self.conv2(x)), .1, True)
        x = F.leaky_relu_(self.norm3(self.conv3(x)))
        return F.leaky_relu(self.last(x), negative_slope=.3)


FUSED = {"norm1": "LeakyReLU act", "norm2": "leaky_relu", "norm3": "leaky_relu_"}


class Fuse(unittest.TestCase):
    def same(self, done, model, x, count, bound=1e-9):
        """Results and gradients of both; count: of norms."""
        found = []
        for one in (model, done.model):
            own = x.clone().requires_grad_()
            with Counted() as called:
                y = one(own)
                y.square().sum().backward()
            found.append([y, own.grad, *(p.grad for p in one.parameters() if p.grad is not None)])
        self.assertEqual(called, [FORWARD] * count + [BACKWARD] * count)
        for right, got in zip(*found):
            self.assertLess(far(got, right), bound)

    def test_leaky_relus(self):
        x = rows(2, 3, 6, 6, dtype=torch.float64)
        for affine in (False, True):
            for inplace in (False, True):
                for training in (False, True):
                    model = Net(affine=affine, inplace=inplace).double().train(training).to(memory_format=torch.channels_last)
                    done = ck_conv.fuse(model, report=True)
                    self.assertEqual({k: v for k, v in done.fused.items() if k in FUSED}, FUSED)
                    self.assertEqual(done.fused, FUSED if training else {**FUSED, "last": "leaky_relu"})
                    if not training:
                        done.model.requires_grad_(False)
                        model.requires_grad_(False)
                    self.same(done, model, x, 3)
                    self.assertIs(type(model.norm1), nn.InstanceNorm2d)  # the model does not change
                    self.assertEqual(list(done.model.state_dict()), list(model.state_dict()))
                    for again in (pickle.loads(pickle.dumps(done.model)), copy.deepcopy(done.model), ck_conv.fuse(done.model)):
                        self.assertTrue(torch.equal(again(x), done.model(x)))

    def test_a_unet_as_in_nnunet(self):
        x = rows(1, 1, 8, 8, 8, dtype=torch.float64)
        for training in (False, True):
            model = UNet(4).double().train(training).to(memory_format=torch.channels_last_3d)
            done = ck_conv.fuse(model, report=True)
            names = {name: module for name, module in model.named_modules() if isinstance(module, nn.InstanceNorm3d)}
            self.assertEqual(len(names), 10)
            for name in names:
                stage, _, number = name.rpartition(".")
                self.assertEqual(done.fused[name], f"LeakyReLU {stage}.{int(number) + 1}")
            if training:
                self.same(done, model, x, 10)
            with torch.no_grad(), Counted() as called:
                self.assertLess(far(done.model(x), model(x)), 1e-12)
            self.assertEqual(called, [FORWARD] * 10)

    def test_channels_first_networks(self):
        """fuse() makes them channels last."""
        model = Net(affine=True).double().train()
        self.same(ck_conv.fuse(model, report=True), model, torch.randn(2, 3, 6, 6, dtype=torch.float64), 3)

    def test_dropout_and_prelu(self):
        """As in the networks of MONAI: a norm, a dropout and an activation."""
        x = torch.randn(2, 3, 6, 6, dtype=torch.float64)
        for norm in nn.InstanceNorm2d(4), nn.GroupNorm(2, 4), nn.BatchNorm2d(4):
            for drop, act in itertools.product((0., .5), (nn.ReLU(), nn.LeakyReLU(.125), nn.PReLU())):
                for training in (False, True):
                    model = nn.Sequential(nn.Conv2d(3, 4, 1), copy.deepcopy(norm), nn.Dropout2d(drop), act).double()
                    done = ck_conv.fuse(model.train(training), report=True)
                    of_batch = isinstance(norm, nn.BatchNorm2d)
                    is_fused = not training or drop == 0 and type(act) in ((nn.ReLU,) if of_batch else (nn.ReLU, nn.LeakyReLU))
                    name, before = ("0", "BatchNorm2d 1, ") if of_batch and not training else ("1", "")
                    with self.subTest(norm=type(norm), drop=drop, act=act, training=training):
                        self.assertEqual(done.fused, {name: f"{before}{type(act).__name__} 3"} if is_fused else {})
                        if drop == 0 or not training:
                            self.assertLess(far(done.model(x), model(x)), 1e-9)
                    if training and is_fused:
                        done.model[2].p = .5
                        with self.assertWarnsRegex(UserWarning, "2 has another p than"):
                            self.assertGreater((done.model(x) == 0).double().mean(), .3)

    def test_what_is_left(self):
        class Own(nn.InstanceNorm2d):
            pass

        for training in (False, True):
            model = nn.Sequential(nn.InstanceNorm2d(4, track_running_stats=True), nn.LeakyReLU(), Own(4), nn.LeakyReLU(),
                                  nn.LazyInstanceNorm2d(affine=False, track_running_stats=False), nn.LeakyReLU(), nn.InstanceNorm2d(4), nn.GELU(),
                                  nn.InstanceNorm2d(4)).train(training)
            done = ck_conv.fuse(model, report=True)
            self.assertEqual(done.fused, {})
            self.assertEqual(done.left["0"], "PyTorch computes it: it has running statistics (track_running_stats), which the "
                                             "library's does not")
            self.assertRegex(done.left["2"], "PyTorch computes it: its class .*Own is derived from torch.nn's")
            self.assertEqual(done.left["4"], "PyTorch computes it: its first input has not determined its parameters yet")
            self.assertEqual(done.left["6"], "GELU 7 follows, which no kernel computes with it")
            self.assertEqual(done.left["8"], "its result is the network's")
            x = rows(2, 4, 3, 3)
            with Counted():
                self.assertLess(far(done.model(x), copy.deepcopy(model)(x)), 1e-5)

    def test_lazy_ones_after_their_first_input(self):
        model = nn.Sequential(nn.LazyInstanceNorm2d(affine=True, track_running_stats=False), nn.LeakyReLU(.3))
        x = rows(2, 4, 3, 3)
        right = model(x)
        done = ck_conv.fuse(model, report=True)
        self.assertEqual(done.fused, {"0": "LeakyReLU 1"})
        with Counted() as called:
            self.assertLess(far(done.model(x), right.double()), 1e-5)
        self.assertEqual(called, [FORWARD])

    def test_tracers_see_pytorchs_operations(self):
        model, x = Net(affine=True).double().train(), rows(2, 3, 6, 6, dtype=torch.float64)
        fused = ck_conv.fuse(model)
        with Counted() as called, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            traced = torch.jit.trace(fused, x, check_trace=False)
            graph = torch.fx.symbolic_trace(fused)
            for one in (traced, graph):
                self.assertLess(far(one(x), model(x)), 1e-12)
            with self.assertRaisesRegex(ValueError, "expected 4D input .*: a traced instance norm needs a batch dimension"):
                graph(x[0])
        self.assertEqual(called, [])
        self.assertIn(F.instance_norm, [node.target for node in graph.graph.nodes])

    def test_scripted(self):
        """Norms that compute nothing else, which are PyTorch's then."""
        done = ck_conv.fuse(nn.InstanceNorm2d(4, affine=True).eval(), report=True)
        self.assertIs(type(done.model), FUSED_INSTANCE_NORMS[nn.InstanceNorm2d])
        x = rows(2, 4, 3, 3)
        self.assertLess(far(torch.jit.script(done.model)(x), F.instance_norm(x.double())), 1e-5)
        for training in (False, True):
            fused = ck_conv.fuse(nn.Sequential(nn.InstanceNorm2d(4), nn.LeakyReLU()).train(training))
            with self.assertRaisesRegex(TypeError, r"torch.jit.script\(\) cannot compile a .* of ck_conv.fuse\(\)"):
                torch.jit.script(fused)


if __name__ == "__main__":
    unittest.main()
