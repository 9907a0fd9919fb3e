#!/usr/bin/python3
"""ck_conv.fuse() of networks whose weights are channels first: they run in channels last, and results do not show it."""
import collections
import copy
import itertools
import operator
import pickle
import random
import unittest
import warnings

from needs_torch import torch

import ck_conv
from ck_conv._conv import launch
from ck_conv._fuse import channels_last as _channels_last
from networks import LAST, Net

from torch import fx, nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, c, k, rank=2):
        super().__init__()
        conv, norm = (nn.Conv2d, nn.BatchNorm2d) if rank == 2 else (nn.Conv3d, nn.BatchNorm3d)
        self.conv1, self.norm1, self.conv2, self.norm2 = conv(c, k, 3, padding=1), norm(k), conv(k, k, 1), norm(k)
        self.shortcut = conv(c, k, 1)

    def forward(self, x):
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(y + self.shortcut(x))


class Opaque(nn.Module):
    """Cannot be traced. Keeps how it was called, and computes function(x)."""

    def __init__(self, function=lambda x: 2 * x):
        super().__init__()
        self.function, self.given = function, []

    def forward(self, x):
        if type(x) is not torch.Tensor:
            raise TypeError("no tensor")
        self.given.append(launch.is_channels_last(x))
        return self.function(x)


@fx.wrap
def stochastic_depth(x):
    """Under the name of torchvision's function."""
    return x * 1


class Standardized(nn.Conv2d):
    """A convolution that computes its weight, as ScaledStdConv2d of timm."""

    def forward(self, x):
        self.given = launch.is_channels_last(x)
        weight = self.weight.reshape(self.out_channels, -1)
        weight = (weight - weight.mean(1, keepdim=True)).reshape(self.weight.shape)
        return F.conv2d(x, weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


def run(model, x):
    with torch.set_grad_enabled(model.training):
        return model(x)


def use_strides_of_weights(optimizer):
    for weight, state in optimizer.state.items():
        for name, value in state.items():
            if value.shape == weight.shape:
                state[name] = torch.empty_like(weight).copy_(value)


MODULES = {"conv": lambda: nn.Conv2d(4, 4, 3, padding=1), "depthwise": lambda: nn.Conv2d(4, 4, 3, padding=1, groups=4),
           "standardized": lambda: Standardized(4, 4, 3, padding=1), "norm": lambda: nn.BatchNorm2d(4),
           "groups": lambda: nn.GroupNorm(2, 4), "relu": nn.ReLU, "relu_": lambda: nn.ReLU(inplace=True), "silu": nn.SiLU,
           "views": lambda: Opaque(lambda x: 2 * x.view(2, -1).view(x.shape)), "writes": lambda: Opaque(lambda x: x.mul_(1.5)),
           "returns": lambda: Opaque(lambda x: x)}


def view_is_written(x, y):
    x.view(-1).mul_(.9)
    return y + 0


FUNCTIONS = (operator.add, operator.iadd, view_is_written, lambda x, y: x.mul_(1.1), lambda x, y: x.view(2, 4, -1).view(2, 4, 5, 3),
             lambda x, y: x.view(2, 4, 15).mean(2).view(2, 4, 1, 1) + y, lambda x, y: x.flatten(1).unflatten(1, (4, 5, 3)),
             lambda x, y: torch.cat([x[:, :2], y[:, 2:]], 1), lambda x, y: torch.cat(x.chunk(2, 1)[::-1], 1),
             lambda x, y: x.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2))


class Random(nn.Module):
    """Some steps, each of which reads one or two of the results so far."""

    def __init__(self, random):
        super().__init__()
        kinds = [*MODULES, *FUNCTIONS]
        self.steps = [("conv", 0, 0)] + [(random.choice(kinds), random.choice([-1, -1, -1, random.randrange(9)]),
                                          random.randrange(9)) for _ in range(random.randrange(2, 9))]
        self.parts = nn.ModuleList(MODULES.get(kind, nn.Identity)() for kind, *_ in self.steps)

    def forward(self, x):
        results = [x]
        for (kind, i, j), part in zip(self.steps, self.parts):
            x, y = results[i % len(results)], results[j % len(results)]
            results.append(part(x) if kind in MODULES else kind(x, y))
        return results[-1], results[1], results[len(results) // 2]


def blocks(function=lambda self, x: self.b(self.a(x)), **others):
    return Net(function, a=Block(3, 4), b=Block(4, 4), **others)


class ChannelsLast(unittest.TestCase):
    def check(self, model, x, channels_last=("",)):
        """Compares a network with its fused copy in both modes. Returns both reports."""
        done = []
        for training in (False, True):
            right = copy.deepcopy(model).train(training)
            report = ck_conv.fuse(right, report=True)
            self.assertEqual(tuple(report.channels_last), channels_last)
            wanted, y = run(right, x.clone()), run(report.model, x.clone())
            for a, b in zip(wanted, y) if isinstance(y, tuple) else ((wanted, y),):
                torch.testing.assert_close(b, a, rtol=1e-5, atol=1e-5)
                self.assertEqual(b.stride(), a.stride())
            done.append(report)
        return done

    def test_weights_are_channels_last_and_results_are_not(self):
        for rank in (2, 3):
            for report in self.check(nn.Sequential(Block(3, 4, rank), Block(4, 2, rank)), torch.randn(2, 3, *(5, 4, 3)[:rank])):
                for conv in report.model.modules():
                    if isinstance(conv, nn.modules.conv._ConvNd):
                        self.assertTrue(launch.is_channels_last(conv.weight), conv)

    def test_inside_a_network(self):
        for training in (False, True):
            model = ck_conv.fuse(blocks().train(training))
            seen = []
            with torch.no_grad():
                for conv in (m for m in model.modules() if isinstance(m, nn.modules.conv._ConvNd)):
                    own = type(conv).forward
                    conv.__class__ = type("Seen", (type(conv),), {"forward": lambda self, x, *rest, own=own, **named: (
                        seen.append(launch.is_channels_last(x)), own(self, x, *rest, **named))[1]})
                model(torch.randn(2, 3, 5, 4))
            self.assertEqual(seen, [True] * 6)

    def test_gradients(self):
        model, x = blocks().double(), torch.randn(2, 3, 5, 4, dtype=torch.float64)
        fused = ck_conv.fuse(model)
        for m in (model, fused):
            (m(x) ** 2).sum().backward()
        for (name, a), b in zip(model.named_parameters(), fused.parameters()):
            torch.testing.assert_close(b.grad, a.grad, rtol=1e-10, atol=1e-10, msg=name)

    def test_gradients_of_a_single_image_with_one_channel(self):
        def forward(self, x):
            return F.leaky_relu(self.norm2(self.last(self.conv(x))) + self.norm(self.shortcut(x)))

        norms = (lambda: nn.InstanceNorm2d(4), lambda: nn.InstanceNorm2d(4, track_running_stats=True),
                 lambda: Opaque(F.instance_norm), lambda: Net(lambda self, x: F.instance_norm(x)))
        for norm in norms:
            model = Net(forward, conv=nn.Conv2d(1, 4, 3, padding=1), shortcut=nn.Conv2d(1, 4, 1, bias=False), norm=norm(),
                        norm2=norm(), last=nn.Conv2d(4, 4, 3, padding=1, bias=False)).double()
            fused = ck_conv.fuse(model, report=True)
            self.assertEqual(fused.channels_last, [""])
            inputs = [torch.randn(1, 1, 5, 4, dtype=torch.float64, requires_grad=True)]
            inputs.append(inputs[0].detach().clone().requires_grad_())
            right, y = (m(x) for m, x in zip((model, fused.model), inputs))
            torch.testing.assert_close(y, right, rtol=1e-10, atol=1e-10)
            for result in right, y:
                (result ** 3).sum().backward()
            for (name, a), b in zip([("x", inputs[0]), *model.named_parameters()], [inputs[1], *fused.model.parameters()]):
                torch.testing.assert_close(b.grad, a.grad, rtol=1e-8, atol=1e-8, msg=name)

    def test_images_of_one_channel(self):
        report = ck_conv.fuse(nn.Sequential(nn.Conv2d(1, 4, 1), nn.InstanceNorm2d(4), nn.LeakyReLU(), nn.Conv2d(4, 4, 3)), report=True)
        seen = []
        report.model[0].register_forward_hook(lambda module, x, y: seen.append(launch.is_channels_last(y)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            report.model(torch.randn(1, 1, 5, 4))
        self.assertEqual(seen, [True])

    def test_states_of_fused_optimizers(self):
        x, y = torch.randn(2, 2, 3, 5, 4, dtype=torch.float64)
        models = [blocks().double()]
        models.append(ck_conv.fuse(models[0]))
        try:
            optimizers = [torch.optim.Adam(m.parameters(), fused=True) for m in models]
        except RuntimeError as error:  # of old PyTorch
            self.skipTest(str(error))

        def train(model, optimizer, x):
            optimizer.zero_grad()
            model(x).pow(2).sum().backward()
            optimizer.step()
        train(models[0], optimizers[0], x)
        models[1].load_state_dict(models[0].state_dict())
        optimizers[1].load_state_dict(copy.deepcopy(optimizers[0].state_dict()))
        use_strides_of_weights(optimizers[1])
        for model, optimizer in zip(models, optimizers):
            train(model, optimizer, y)
        for (name, a), b in zip(models[0].named_parameters(), models[1].parameters()):
            if "conv" not in name or "bias" not in name:  # before a batch norm, their gradients are 0
                torch.testing.assert_close(b, a, rtol=1e-5, atol=1e-6, msg=name)

    def test_inputs_that_are_channels_last(self):
        for training in (False, True):
            model = ck_conv.fuse(blocks().train(training))
            self.assertTrue(launch.is_channels_last(run(model, torch.randn(2, 3, 5, 4).contiguous(memory_format=LAST[2]))))

    def test_what_stays_as_it_is(self):
        x = torch.randn(2, 3, 5, 4)
        for training in (False, True):
            of_last = blocks().to(memory_format=LAST[2]).train(training)
            only_one = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()).train(training)
            for model, options in ((blocks().train(training), {"channels_last": False}), (of_last, {}), (only_one, {}),
                                   (nn.Sequential(nn.Conv1d(3, 4, 3), nn.Conv1d(4, 3, 1)).train(training), {})):
                report = ck_conv.fuse(model, report=True, **options)
                self.assertEqual(report.channels_last, [])
                convs = [m for m in report.model.modules() if isinstance(m, nn.modules.conv._ConvNd)]
                self.assertEqual({launch.is_channels_last(conv.weight) for conv in convs}, {model is of_last})
            y = run(ck_conv.fuse(of_last), x)
            self.assertTrue(launch.is_channels_last(y))

    def test_modules_that_cannot_be_traced_get_channels_first(self):
        for report in self.check(blocks(lambda self, x: self.b(self.opaque(self.a(x))), opaque=Opaque(lambda x: x.view(2, 4, 20)
                                                                                                    .view(2, 4, 5, 4))),
                                 torch.randn(2, 3, 5, 4)):
            self.assertEqual(report.model.opaque.given, [False])

    def test_stochastic_depth_reads_any_layout(self):
        for report in self.check(blocks(lambda self, x: self.b(stochastic_depth(self.a(x)))), torch.randn(2, 3, 5, 4)):
            graph = report.model.graph if hasattr(report.model, "graph") else None
            if graph is not None:
                self.assertEqual(sum(node.target is _channels_last.restored for node in graph.nodes), 1)  # the result

    def test_a_module_that_writes_to_what_it_reads(self):
        def function(self, x):
            y = self.a(x)
            z = self.opaque(y)
            return self.b(y + z), y
        self.check(blocks(function, opaque=Opaque(lambda x: x.mul_(3))), torch.randn(2, 3, 5, 4))

        def aliased(self, x):
            y = self.a(x)
            part = y[:, :2]
            z = self.opaque(y)
            return self.b(y + z), part + 1
        self.check(blocks(aliased, opaque=Opaque(lambda x: x.mul_(3))), torch.randn(2, 3, 5, 4), ())

    def test_sizes_are_no_views(self):
        class OfSizes(nn.Module):
            def forward(self, rows, columns):
                return torch.ones(int(rows), int(columns))

        def function(self, x):
            y = self.a(x)
            n, c, h, w = y.shape
            y = y + self.ones(h, y.size(3))
            y += 1
            return self.b(y)
        self.check(blocks(function, ones=OfSizes()), torch.randn(2, 3, 5, 4))

    def test_views(self):
        def flat(self, x):
            y = self.b(self.a(x))
            return y.view(y.size(0), -1), y.view_as(y)
        self.check(blocks(flat), torch.randn(2, 3, 5, 4))

        def written(self, x):
            y = self.b(self.a(x))
            y.view(2, -1).mul_(2)
            return y
        self.check(blocks(written), torch.randn(2, 3, 5, 4), ())

        def written_when_nobody_reads_the_view(self, x):
            y = self.a(x)
            z = y.view(2, 4, -1).mean(2)[:, :, None, None]
            y += z
            y.view(2, -1).mul_(2).sum()
            return self.b(self.a(x)), z
        self.check(blocks(written_when_nobody_reads_the_view), torch.randn(2, 3, 5, 4))

        def written_and_returned(self, x):
            y = self.a(x)
            z = y.view(2, -1)
            z.mul_(2)
            return z, self.b(z.view(2, 4, 5, 4))
        self.check(blocks(written_and_returned), torch.randn(2, 3, 5, 4))

        def written_first(self, x):
            y = self.b(self.a(x))
            z = y.view(2, -1)
            y.mul_(2)
            return z
        self.check(blocks(written_first), torch.randn(2, 3, 5, 4), ())

        def by_name(self, x):
            y = self.b(self.a(x))
            return y.view(size=(2, -1)), y.view_as(other=y)
        self.check(blocks(by_name), torch.randn(2, 3, 5, 4))

    def test_views_of_results(self):
        """They have PyTorch's strides, so view() of them works."""
        views = (lambda y: y[0], lambda y: y.flatten(2), lambda y: torch.stack([y, y]), lambda y: y.unbind(),
                 lambda y: y.unflatten(1, (2, 2)))
        for view in views:
            self.check(blocks(lambda self, x, view=view: view(self.b(self.a(x)))), torch.randn(2, 3, 5, 4))

        def to_opaque(self, x):
            y = self.a(x)
            return self.b(y), self.opaque(y.flatten(2))
        self.check(blocks(to_opaque, opaque=Opaque(lambda x: x.view(2, -1))), torch.randn(2, 3, 5, 4))

    def test_views_of_an_input(self):
        def writes(self, x):
            y = self.b(self.a(x))
            self.opaque(x[:, 0])
            return y, x[:, 1]
        for training in (False, True):
            model, x = blocks(writes, opaque=Opaque(lambda x: x.zero_())).train(training), torch.ones(2, 3, 5, 4)
            _, part = run(ck_conv.fuse(model), x)
            self.assertEqual((x.sum().item(), part.data_ptr(), part.stride()), (80, x[:, 1].data_ptr(), x[:, 1].stride()))

    def test_methods_that_depend_on_strides(self):
        aten = torch.ops.aten
        for method in (lambda y: y.as_strided((2, 3), (80, 1)), lambda y: torch.as_strided(y, (3,), (1,)),
                       lambda y: y * y.stride(1), lambda y: y.view(torch.int32), lambda y: aten.view(y, [2, 80]),
                       lambda y: aten.view.default(y, [2, 80]), lambda y: aten.as_strided(y, [2, 3], [80, 1])):
            def function(self, x, method=method):
                y = self.a(x)
                return self.b(y), method(y)
            self.check(blocks(function), torch.randn(2, 3, 5, 4), ())

    def test_volumes_that_pytorch_refuses(self):
        self.check(Net(lambda self, x: self.b(self.unshuffle(self.a(x))), a=Block(3, 4, 3), b=Block(4, 4, 3),
                       unshuffle=nn.PixelUnshuffle(1)), torch.randn(2, 3, 5, 4, 3))

    def test_what_is_a_view_or_a_copy(self):
        """Which of both, depends on strides. So a write to one of them must not be seen by the other."""
        views = (lambda y: y.flatten(1), lambda y: torch.flatten(y, 1), lambda y: y.reshape(2, -1), lambda y: y.ravel(),
                 lambda y: y.permute(0, 2, 3, 1).contiguous(), nn.Flatten())
        for i, view in enumerate(views):
            def writes_to_it(self, x):
                y = self.a(x)
                (self.flatten if i == 5 else view)(y).mul_(2)
                return self.b(self.a(x)), y

            def writes_under_it(self, x):
                y = self.a(x) + 0
                z = (self.flatten if i == 5 else view)(y)
                y += 1
                return self.b(self.a(x)), z
            for function in (writes_to_it, writes_under_it):
                self.check(blocks(function, flatten=views[-1]), torch.randn(2, 3, 5, 4), ())

    def test_random_networks(self):
        """They write to views, and to what modules read that cannot be traced."""
        counted = collections.Counter()
        for seed in range(120):
            torch.manual_seed(seed)
            model = Random(random.Random(seed)).double().train(seed % 2 == 0)
            x = torch.randn(2, 4, 5, 3, dtype=torch.float64)
            try:
                wanted = run(copy.deepcopy(model), x.clone())
            except RuntimeError:  # such as a gradient of what was written
                counted["refused by PyTorch"] += 1
                continue
            report = ck_conv.fuse(model, report=True)
            counted["channels last"] += bool(report.channels_last)
            for a, b in zip(wanted, run(report.model, x.clone())):
                torch.testing.assert_close(b, a, rtol=1e-9, atol=1e-9, msg=f"{seed}: {model.steps}")
                self.assertTrue(b.is_contiguous() or not a.is_contiguous(), f"{seed}: {model.steps}")
        self.assertGreater(counted["channels last"], 25, counted)

    def test_results_within_containers(self):
        def several(self, x):
            y = self.a(x)
            return {"parts": [y.chunk(2, 1), y.size(0)], "b": self.b(y)}
        for training in (False, True):
            model = blocks(several).train(training)
            y = run(ck_conv.fuse(model), torch.randn(2, 3, 5, 4))
            self.assertEqual([t.stride() for t in y["parts"][0]], [(40, 20, 4, 1)] * 2)
            self.assertEqual((type(y["parts"][0]), y["parts"][1], y["b"].stride()), (tuple, 2, (80, 20, 4, 1)))

    def test_weights_that_forward_computes(self):
        model = nn.Sequential(Standardized(3, 4, 3), nn.ReLU(), Standardized(4, 4, 3))
        for report in self.check(model, torch.randn(2, 3, 9, 8)):
            self.assertEqual([report.model.get_submodule(name).given for name in "02"], [True, True])

    def test_parametrizations_are_not_computed_by_fuse(self):
        class Counts(nn.Module):
            calls = 0

            def forward(self, weight):
                Counts.calls += 1
                return weight * 2
        for training in (False, True):
            model = blocks().train(training)
            for conv in (model.a.conv1, model.b.conv2):
                nn.utils.parametrize.register_parametrization(conv, "weight", Counts().train(training))
                conv.parametrizations.train(training)
            Counts.calls = 0
            report = ck_conv.fuse(model, report=True)
            self.assertEqual((Counts.calls, report.channels_last), (0, [""]))
            x = torch.randn(2, 3, 5, 4)
            torch.testing.assert_close(run(report.model, x), run(model, x), rtol=1e-5, atol=1e-5)

    def test_parts_of_a_network_that_cannot_be_traced(self):
        def branches(self, x):
            return self.b(self.a(x)) if x.sum() > -1e9 else x
        for report in self.check(blocks(branches), torch.randn(2, 3, 5, 4), ("a", "b")):
            self.assertIn("", report.untraced)

    def test_an_input_that_is_written(self):
        def writes(self, x):
            y = self.a(x)
            x.mul_(2)
            return self.b(y), self.a(x), x
        self.check(blocks(writes), torch.randn(2, 3, 5, 4))

    def test_copies_and_states(self):
        x = torch.randn(2, 3, 5, 4)
        for training, again in itertools.product((False, True), (copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)))):
            model = ck_conv.fuse(nn.Sequential(Block(3, 4), nn.MaxPool2d(2), Block(4, 4)).train(training))
            y, other = run(copy.deepcopy(model), x), again(model)
            torch.testing.assert_close(run(other, x), y)
            self.assertFalse(launch.is_channels_last(y))
            state = {name: t.contiguous() for name, t in model.state_dict().items()}
            other.load_state_dict(state)
            self.assertTrue(all(launch.is_channels_last(m.weight) for m in other.modules()
                                if isinstance(m, nn.modules.conv._ConvNd)))


if __name__ == "__main__":
    unittest.main()
