#!/usr/bin/python3
"""ck_conv.fuse() of networks in training mode: compares results, gradients and statistics with PyTorch, and the report."""
import copy
import io
import pickle
import random
import unittest
import warnings

from needs_torch import torch

import ck_conv
from ck_conv._norm.modules import FusedBatchNorm2d, FusedBatchNormAct2d
from test_batch_norm import BACKWARD, Counted, far, rows
from test_fuse import Basic, BatchNormAct2d, Branches, Dense, Inverted, NETWORKS, PreActivation, Shared, Untraced
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

try:
    import timm
    import torchvision
except ImportError:
    timm = torchvision = None


def in_training(model, dtype=torch.float64):
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.affine:
            nn.init.uniform_(module.weight, .5, 1.5)
            nn.init.normal_(module.bias)
    return model.to(dtype).to(memory_format=torch.channels_last).train()


def passed(model, x, steps=1):
    """All that training changes or finds."""
    optimizer = torch.optim.SGD(model.parameters(), lr=.05, momentum=.9)
    for _ in range(steps):
        own = x.clone().requires_grad_()
        optimizer.zero_grad()
        torch.manual_seed(2)
        random.seed(2)
        y = model(own)
        sum(t.square().mean() for t in results_of(y)).backward()
        optimizer.step()
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    return [*results_of(y), own.grad, *gradients, *(t.clone() for t in model.state_dict().values())]


def results_of(y):
    return y if isinstance(y, (tuple, list)) else [y]

torch.backends.mkldnn.enabled = False  # see needs_torch.py


class Checks(unittest.TestCase):
    def check(self, model, x=None, bound=1e-9, steps=1, **more):
        """The report of a model's fusion, whose training and evaluation are as before."""
        x = rows(4, 4, 6, 6, dtype=torch.float64) if x is None else x
        model = in_training(model)
        before = copy.deepcopy(model.state_dict())
        done = ck_conv.fuse(model, report=True, **more)
        self.assertTrue(all(torch.equal(before[k], v) for k, v in model.state_dict().items()))
        self.assertEqual(list(done.model.state_dict()), list(before))
        self.assertEqual([n for n, _ in done.model.named_parameters()], [n for n, _ in model.named_parameters()])
        for right, got in zip(passed(copy.deepcopy(model), x, steps), passed(done.model, x, steps)):
            self.assertLess(far(got, right), bound)
        model.load_state_dict(done.model.state_dict())
        done.model.load_state_dict(model.state_dict())
        with torch.no_grad():
            for got, right in zip(results_of(done.model.eval()(x)), results_of(model.eval()(x))):
                self.assertLess(far(got, right), bound)
        done.model.train(), model.train()
        return done


class Networks(Checks):
    def test_blocks(self):
        expected = {"residual": {"add, ReLU": 2, "ReLU": 2}, "inverted": {"ReLU6": 2}, "gated": {"SiLU": 2},
                    "dense": {"relu": 2}, "convnext": {}, "branches": {"ReLU": 2}}
        for name, (make, *_) in NETWORKS.items():
            with self.subTest(network=name):
                done = self.check(make())
                found = {}
                for words in done.fused.values():
                    words = ", ".join(word.split()[0] for word in words.split(", "))
                    found[words] = found.get(words, 0) + 1
                self.assertEqual(found, expected[name])
                self.assertEqual((done.norms, done.untraced), ({}, {}))

    def test_several_steps_of_an_optimizer(self):
        self.check(nn.Sequential(Basic(4, 8, 2), Dense(8), Inverted(12, nn.Hardswish)), steps=5, bound=1e-8)

    def test_single_precision(self):
        model = in_training(nn.Sequential(Basic(4, 8, 2), Basic(8, 8)), torch.float32)
        x = rows(4, 4, 6, 6)
        exact = passed(copy.deepcopy(model).double(), x.double())
        theirs, ours = passed(copy.deepcopy(model), x), passed(ck_conv.fuse(model), x)
        for right, its, got in zip(exact, theirs, ours):
            self.assertLess(far(got, right), max(1e-5, 3 * far(its, right)))

    def test_autocast(self):
        model = in_training(nn.Sequential(Basic(4, 8, 2), Basic(8, 8)), torch.float32)
        x = rows(32, 4, 12, 12)
        exact = passed(copy.deepcopy(model).double(), x.double())
        results = []
        for one in (copy.deepcopy(model), ck_conv.fuse(model, lambda *_: False)):
            with torch.autocast("cpu", dtype=torch.bfloat16), Counted() as called:
                results.append(passed(one, x))
        self.assertEqual(called.count(BACKWARD), 5)
        self.assertEqual(*([t.dtype for t in found] for found in results))
        theirs, ours = ([far(got, right) for got, right in zip(found, exact)] for found in results)
        self.assertLess(sum(ours), 1.2 * sum(theirs))
        self.assertLess(max(ours), .1)

    def test_ranks_and_channels_first(self):
        for conv, norm, size in ((nn.Conv1d(4, 8, 3), nn.BatchNorm1d(8), (9,)),
                                 (nn.Conv3d(4, 8, 3), nn.BatchNorm3d(8), (3, 4, 5)),
                                 (nn.ConvTranspose2d(4, 8, 3), nn.BatchNorm2d(8), (4, 5))):
            model = nn.Sequential(conv, norm, nn.ReLU()).double()
            x = rows(2, 4, *size, dtype=torch.float64)
            with Counted() as called, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of channels first
                done = ck_conv.fuse(model, report=True, channels_last=False)
                for given, calls in ((x, 1), (x.contiguous(), 0)):
                    del called[:]
                    self.assertLess(far(done.model(given), copy.deepcopy(model)(given)), 1e-12)
                    if conv.weight.dim() > 3:
                        self.assertEqual(len(called), calls)
            self.assertEqual(done.fused, {"1": "ReLU 2"})

    @unittest.skipIf(torchvision is None, "torchvision or timm is not installed")
    def test_of_torchvision_and_timm(self):
        """Their convolutions stay PyTorch's, for these are networks' own sizes."""
        for make, fused in ((lambda: torchvision.models.resnet18(num_classes=4), 17),
                            (lambda: torchvision.models.mobilenet_v3_small(num_classes=4), 29),
                            (lambda: torchvision.models.googlenet(num_classes=4, init_weights=False), 59),
                            (lambda: timm.create_model("resnet26t", num_classes=4, drop_path_rate=.2), 20),
                            (lambda: timm.create_model("efficientnet_lite0", num_classes=4, drop_path_rate=.2), 33)):
            model = make().double().to(memory_format=torch.channels_last)
            name = type(model).__name__
            x = rows(4, 3, 64, 64, dtype=torch.float64)
            with self.subTest(network=name):
                done = ck_conv.fuse(model, lambda *_: False, report=True)
                self.assertEqual((len(done.fused), done.norms), (fused, {}))
                self.assertIsInstance(done.model, type(model))
                for right, got in zip(passed(model, x), passed(done.model, x)):
                    self.assertLess(far(got, right), 1e-3)  # last digits grow in norms of few pixels
                with torch.no_grad():
                    y = model.eval()(x)
                    self.assertLess(far(done.model.eval()(x), y), 1e-3)
                    self.assertLess(far(ck_conv.fuse(done.model, lambda *_: False, report=True).model(x), y), 1e-3)


class Twice(nn.Module):
    """Batch norms that are called twice, or whose results are used twice."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.other = nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.BatchNorm2d(4)

    def forward(self, x):
        a = torch.relu(self.norm(self.conv(x)))
        b = self.norm(a)
        c = self.other(b + a)
        d = self.norm(c * 2)
        d += c
        return F.hardswish(self.norm(c)) + d.relu_()


class OwnInput(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        x = F.avg_pool2d(x, 2)
        y = self.norm(x)
        y.add_(x)
        return y.clamp_(-1, 1)


class Order(nn.Module):
    """The second call of the norm may not come before the first: running statistics depend on it."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        y = self.norm(x * 2)
        z = self.norm(x * 3 + 1)
        return torch.relu(y) * torch.relu(z)


class Functional(nn.Module):
    """Dropout and an output by the mode."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Basic(4, 4), nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())
        self.aux = nn.Conv2d(4, 2, 1)

    def forward(self, x):
        x = self.first(x)
        y = F.dropout(self.second(x), .5, self.training)
        return (y, self.aux(x)) if self.training else y


class Dropping(nn.Module):
    """As DropPath."""

    def forward(self, x):
        if not self.training:
            return x
        return x * x.new_empty(x.shape[0], 1, 1, 1).bernoulli_(.5)


class Path(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.drop, self.last = nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), Dropping(), nn.BatchNorm2d(4)

    def forward(self, x):
        return torch.relu(self.last(x + self.drop(self.norm(self.conv(x)))))


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.block, self.norm = Basic(4, 4), nn.BatchNorm2d(4)

    def forward(self, x):
        if self.training:
            x = checkpoint(self.block, x, use_reentrant=False)
        else:
            x = self.block(x)
        return torch.relu(self.norm(x))


class Frozen(nn.Module):
    """As detectors freeze norms."""

    def __init__(self):
        super().__init__()
        self.block, self.alone = Basic(4, 4), nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())

    def forward(self, x):
        return self.alone(self.block(x))

    def train(self, mode=True):
        super().train(mode)
        self.block.bn2.eval()
        self.block.bn2.weight.requires_grad_(False)
        return self


class Below(nn.Sequential):
    def forward(self, x):
        return super().forward(x).clamp(max=.5)


class Clamped(nn.Module):
    """A norm and an addition, whose clamped result `more` gets."""

    def __init__(self, more, clamp=F.relu6):
        super().__init__()
        self.norm, self.conv, self.more, self.clamp = nn.BatchNorm2d(4), nn.Conv2d(4, 4, 1), more, clamp

    def forward(self, x):
        return self.more(self, self.clamp(self.norm(x) + x))


def writes(module, y):
    y *= 2
    return y


def writes_to_a_view(module, y):
    y.flatten(1)[0].mul_(2)
    return module.conv(y)


class ClampedAlone(nn.Module):
    """A norm, whose clamped result is written to."""

    def __init__(self, norm, clamp):
        super().__init__()
        self.norm, self.clamp = norm, clamp

    def forward(self, x):
        return writes(self, self.clamp(self.norm(x)))


class Semantics(Checks):
    def test_clamped_results_that_are_written_to(self):
        """PyTorch's gradient of a clamp needs what it was given; ours of a clamped sum what it resulted in."""
        for more in (writes, writes_to_a_view, lambda module, y: y, lambda module, y: F.dropout(y, 0., False)):
            for clamp in (F.relu6, lambda y: y.clamp(-1, 1), F.hardtanh):
                done = self.check(Clamped(more, clamp))
                self.assertEqual(done.fused, {"norm": "add"})
        y = done.model(rows(4, 4, 6, 6, dtype=torch.float64))
        y *= 2
        y.sum().backward()
        done = self.check(Clamped(lambda module, y: module.conv(y) + y))
        self.assertEqual(done.fused, {"norm": "add, relu6"})
        done = self.check(Clamped(writes, lambda y: y.clamp(min=0)))  # computes what relu does, which PyTorch would refuse here
        self.assertEqual(done.fused, {"norm": "add"})
        done = self.check(Clamped(lambda module, y: module.conv(y), lambda y: y.clamp(min=0)))
        self.assertEqual(done.fused, {"norm": "add, clamp"})
        for norm in (nn.BatchNorm2d(4), nn.GroupNorm(2, 4)):
            for clamp in (lambda y: y.clamp(min=0), lambda y: y.clamp(-1, 1)):
                for x in (rows(4, 4, 6, 6), torch.randn(4, 4, 6, 6)):  # PyTorch computes the second, channels first
                    model = ClampedAlone(norm, clamp)
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        # of an x that needs a gradient: without one, PyTorch 2.11's group norm of channels last crashes
                        results = [m(x.clone().requires_grad_()) for m in (ck_conv.fuse(model), model)]
                        for y in results:
                            y.sum().backward()
                    torch.testing.assert_close(*results)
        done = self.check(Clamped(lambda module, y: y, torch.relu))
        self.assertEqual(done.fused, {"norm": "add, relu"})

    def test_hooks_that_come_later_see_what_they_saw(self):
        model = in_training(Basic(4, 4))
        fused, seen = ck_conv.fuse(model), []

        def hook(module, given):
            seen.append((len(given), given[0].detach().clone()))
            return given[0] * 2,
        x = rows(4, 4, 6, 6, dtype=torch.float64)
        for one in (model, fused):
            for norm in (one.bn1, one.bn2):
                norm.register_forward_pre_hook(hook)
        self.assertLess(far(fused(x), model(x)), 1e-9)
        for (count, right), (counted, got) in zip(seen[:2], seen[2:]):
            self.assertEqual((count, counted), (1, 1))
            self.assertLess(far(got, right), 1e-9)

    def test_who_is_warned(self):
        """The line that calls the network, however deep the norm is."""
        fused = ck_conv.fuse(in_training(nn.Sequential(nn.Sequential(nn.BatchNorm2d(4), nn.ReLU()))), lambda *_: False)
        with Counted(), warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            fused(torch.randn(2, 4, 6, 6, dtype=torch.float64))
        self.assertEqual([w.filename for w in said], [__file__])

    def test_used_and_called_twice(self):
        done = self.check(Twice())
        self.assertEqual(done.left, {"other": "its result is used 3 times"})
        self.check(OwnInput())
        self.check(Order())

    def test_modules_that_several_call(self):
        for block in (Basic(4, 4), nn.Sequential(BatchNormAct2d(4), nn.Conv2d(4, 4, 1))):
            for model in (block, Shared(block, False), Shared(block, True)):
                done = self.check(model)
                self.assertTrue(done.fused)
        self.check(PreActivation(), rows(4, 8, 6, 6, dtype=torch.float64))

    def test_what_depends_on_the_mode_is_not_in_the_graph(self):
        done = self.check(Functional())
        self.assertEqual(list(done.untraced), [""])
        self.assertIn("does something else in training mode than in eval mode", done.untraced[""])
        self.assertEqual(sorted(done.fused), ["first.bn1", "first.bn2", "second.1"])
        with self.assertWarnsRegex(UserWarning, "something else in training mode"):
            ck_conv.fuse(Functional())
        done = self.check(Path())
        self.assertEqual((done.fused, done.untraced), ({"last": "relu"}, {}))
        self.assertIn("Dropping drop follows", done.left["norm"])

    @unittest.skipIf(torch.__version__ < "2", "with checkpoint() PyTorch 1.13 does not call modules as such")
    def test_checkpoint_stays(self):
        model = Checkpointed()
        done = self.check(model)
        self.assertIn("torch.utils.checkpoint", done.untraced[""])
        self.assertEqual(sorted(done.fused), ["block.bn1", "block.bn2"])
        done = self.check(nn.Sequential(Checkpointed(), nn.BatchNorm2d(4), nn.ReLU()))
        self.assertEqual(sorted(done.fused), ["0.block.bn1", "0.block.bn2", "1"])

    def test_frozen_norms(self):
        done = self.check(Frozen(), steps=3)
        self.assertEqual(len(done.fused), 3)
        self.assertFalse(done.model.block.bn2.training)
        model = in_training(Basic(4, 4))
        model.bn1.eval()
        fused = ck_conv.fuse(model)
        self.assertFalse(fused.bn1.training)
        self.assertTrue(fused.bn2.training)
        x = rows(4, 4, 6, 6, dtype=torch.float64)
        for right, got in zip(passed(model, x), passed(fused, x)):
            self.assertLess(far(got, right), 1e-9)

    def test_hooks_see_what_they_saw(self):
        model = in_training(nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU()))
        seen = []
        model[1].register_forward_hook(lambda module, given, y: seen.append(y.detach().clone()))
        done = ck_conv.fuse(model, report=True)
        self.assertEqual(done.left, {"1": "it has hooks"})
        x = rows(4, 4, 6, 6, dtype=torch.float64)
        self.assertLess(far(done.model(x), model(x)), 1e-12)
        self.assertLess(far(*seen), 1e-12)

    def test_hooks_of_gradients_see_what_they_saw(self):
        for name in ("0", "1", "1.1", "1.2"):
            model = in_training(nn.Sequential(Basic(4, 4), nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())))
            seen = []
            model.get_submodule(name).register_full_backward_hook(
                lambda module, inputs, outputs: seen.extend(g.clone() for g in (*inputs, *outputs)))
            x = rows(4, 4, 6, 6, dtype=torch.float64)
            for one in (model, ck_conv.fuse(model)):
                one(x.clone().requires_grad_()).square().mean().backward()
            self.assertEqual(len(seen) % 4, 0)
            self.assertGreater(len(seen), 0)
            for right, got in zip(seen[:len(seen) // 2], seen[len(seen) // 2:]):
                self.assertLess(far(got, right), 1e-9)

    def test_other_norms_are_named(self):
        own = type("OwnNorm", (nn.BatchNorm2d,), {"forward": lambda self, x: 2 * nn.BatchNorm2d.forward(self, x)})
        model = nn.Sequential(nn.Conv2d(4, 4, 1), nn.SyncBatchNorm(4), nn.ReLU(), own(4), nn.ReLU(), nn.BatchNorm2d(4))
        done = ck_conv.fuse(model, report=True)
        self.assertEqual(list(done.norms), ["1", "3"])
        self.assertIn("SyncBatchNorm exchanges statistics", done.norms["1"])
        self.assertIn("OwnNorm is derived from torch.nn's", str(done))
        self.assertEqual(done.left, {"5": "its result is the network's"})
        with self.assertWarnsRegex(UserWarning, "1: PyTorch computes it: SyncBatchNorm"):
            ck_conv.fuse(model)

    def test_norms_without_statistics(self):
        self.check(nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4, track_running_stats=False), nn.ReLU6(),
                                 nn.BatchNorm2d(4, affine=False, momentum=None), nn.Hardtanh(-1, 2)))

    def test_bounds_that_are_infinite(self):
        done = self.check(Below(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4)))
        self.assertEqual(done.fused, {"1": "clamp"})
        x = rows(4, 4, 6, 6, dtype=torch.float64)
        with Counted() as called:
            self.assertTrue(torch.equal(pickle.loads(pickle.dumps(done.model))(x), done.model(x)))
        self.assertEqual(len(called), 2)

    def test_norms_of_timm(self):
        block = nn.Sequential(nn.Conv2d(4, 4, 1), BatchNormAct2d(4), nn.Conv2d(4, 4, 1), BatchNormAct2d(4))
        block[3].act = nn.Identity()
        done = self.check(nn.Sequential(block, nn.SiLU()))
        self.assertEqual(done.fused, {"0.1": "ReLU 0.1.act", "0.3": "SiLU 1"})
        self.assertIs(type(done.model[0][1]), FusedBatchNormAct2d)
        hooked = nn.ReLU()
        hooked.register_forward_hook(lambda *_: None)
        for own, drop in ((nn.GELU(), nn.Identity()), (nn.ReLU(), nn.Dropout(.3)), (hooked, nn.Identity())):  # no kernel has these
            block[1].act, block[1].drop = own, drop
            done = self.check(block)
            self.assertEqual((done.fused, done.norms), ({}, {}))
            self.assertEqual(done.left["1"], "there is an activation already")
            x = rows(4, 4, 6, 6, dtype=torch.float64)
            with torch.no_grad(), Counted() as called:
                y = done.model.eval()(x)
                self.assertEqual(called, 2 * ["inference"])
                self.assertLess(far(ck_conv.fuse(done.model)(x), y), 1e-9)

    def test_what_cannot_be_traced(self):
        done = self.check(Untraced(nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())))
        self.assertEqual(sorted(done.fused), ["blocks.0.bn1", "blocks.0.bn2", "first.1"])
        self.assertIn("torch.fx cannot trace it", done.untraced[""])


class Around(Checks):
    def setUp(self):
        self.model = in_training(nn.Sequential(Basic(4, 8, 2), Branches(8)))
        self.x = rows(4, 4, 6, 6, dtype=torch.float64)

    def test_the_model_stays_one_of_its_class(self):
        model = Basic(4, 4)
        model.classes = 10
        fused = ck_conv.fuse(model)
        self.assertIsInstance(fused, Basic)
        self.assertIsInstance(fused.bn1, FusedBatchNorm2d)
        self.assertIsInstance(fused.conv1, ck_conv.Conv2d)
        self.assertEqual((fused.classes, type(model.bn1), type(model)), (10, nn.BatchNorm2d, Basic))

    def test_copies_and_pickles(self):
        fused = ck_conv.fuse(self.model)
        file = io.BytesIO()
        torch.save(fused, file)
        file.seek(0)
        more = {"weights_only": False} if torch.__version__ >= "2" else {}
        others = [copy.deepcopy(fused), pickle.loads(pickle.dumps(fused)), torch.load(file, **more)]
        right = passed(fused, self.x)
        for other in others:
            self.assertIsNot(other[0].bn1.weight, fused[0].bn1.weight)
            with Counted() as called:
                for a, b in zip(right, passed(other, self.x)):
                    self.assertTrue(torch.equal(a, b))
            self.assertEqual(called.count(BACKWARD), 5)

    def test_fused_again_it_is_the_same(self):
        fused = ck_conv.fuse(self.model)
        again = ck_conv.fuse(fused, report=True)
        self.assertEqual((again.fused, again.norms, again.untraced), ({}, {}, {}))
        for a, b in zip(passed(fused, self.x), passed(again.model, self.x)):
            self.assertTrue(torch.equal(a, b))

    def test_a_trained_network_is_fused_for_inference(self):
        for model in (self.model, nn.Sequential(Twice(), OwnInput()), nn.Sequential(BatchNormAct2d(4), nn.Conv2d(4, 4, 1))):
            fused = ck_conv.fuse(in_training(model))
            passed(fused, self.x, 2)
            done = ck_conv.fuse(fused.eval(), report=True)
            with torch.no_grad():
                self.assertLess(far(done.model(self.x), fused(self.x)), 1e-9)
        done = ck_conv.fuse(ck_conv.fuse(self.model).eval(), report=True)
        self.assertEqual(len(done.fused), 5)
        self.assertFalse(any(isinstance(m, nn.BatchNorm2d) for m in done.model.modules()))

    def test_mixed_modes_are_refused(self):
        self.model.eval()
        self.model[0].train()
        with self.assertRaisesRegex(ValueError, "0 is in training mode, but the model is not"):
            ck_conv.fuse(self.model)

    def test_only(self):
        done = ck_conv.fuse(self.model, lambda name, _: name != "0.conv1", report=True)
        self.assertIs(type(done.model[0].conv1), nn.Conv2d)
        self.assertIn("0.bn1", done.fused)

    def test_a_norm_alone_and_no_norm(self):
        self.assertIsInstance(ck_conv.fuse(nn.BatchNorm2d(4)), FusedBatchNorm2d)
        self.assertEqual(ck_conv.fuse(nn.Sequential(nn.Conv2d(4, 4, 1), nn.ReLU()), report=True).fused, {})

    def test_checkpoint_around_it(self):
        fused = ck_conv.fuse(self.model)
        x = self.x.clone().requires_grad_()
        right, = torch.autograd.grad(self.model(x).square().mean(), x)
        got, = torch.autograd.grad(checkpoint(fused, x, use_reentrant=False).square().mean(), x)
        self.assertLess(far(got, right), 1e-9)

    def test_tracing_exporting_and_other_parameters(self):
        fused = ck_conv.fuse(self.model).eval()
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what tracing fixes
            y = fused(self.x)
            others = [torch.jit.trace(fused, self.x)]
            if torch.__version__ >= "2.3":
                others.append(torch.export.export(fused, (self.x,)).module())
                others.append(lambda x: torch.func.functional_call(fused, dict(self.model.named_parameters()), (x,)))
            for other in others:
                self.assertLess(far(other(self.x), y), 1e-12)
        with torch.inference_mode():
            self.assertTrue(torch.equal(fused(self.x), y))

    def test_one_node_for_each_norm(self):
        """Nothing between batch norm and activation is saved."""
        saved = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.numel()) or t, lambda t: t):
            ck_conv.fuse(in_training(Basic(4, 4)))(self.x)
        # x of two convolutions; x, of the second norm also y, of both norms
        self.assertEqual(sum(n == self.x.numel() for n in saved), 5)

    @unittest.skipIf(torch.__version__ < "2", "torch.compile is PyTorch 2's")
    def test_compiled(self):
        fused = ck_conv.fuse(self.model)
        compiled = torch.compile(copy.deepcopy(fused), backend="aot_eager", fullgraph=True)
        with Counted() as called:
            results = passed(compiled, self.x)
        self.assertEqual(called, [])
        for right, got in zip(passed(self.model, self.x), results):
            self.assertLess(far(got, right), 1e-9)


if __name__ == "__main__":
    unittest.main()
