#!/usr/bin/python3
"""ck_conv.fuse() of networks whose forward() does what a graph of torch.fx would not: for inference and for training they
compute, change and draw what they did, and the report says why they have no graph."""
import collections
import copy
import enum
import functools
import pickle
import random
import types
import unittest.mock
import warnings
from typing import List

from needs_torch import torch

import ck_conv
from ck_conv._trace.trace import InPlaceTracer
from test_batch_norm import far, rows

from torch import fx, nn
from torch.nn import functional as F


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.last = nn.Conv2d(4, 4, 1, bias=False), nn.BatchNorm2d(4), nn.Conv2d(4, 4, 1)

    def first(self, x):
        return F.relu(self.norm(self.conv(x)))

    def forward(self, x):
        return self.last(self.first(x))


Annotation = type("Annotation[of no importable name]", (), {})


def network(forward, **attributes):
    """One with this forward(); attributes that are tensors are buffers."""
    model = type("Network", (Base,), {"forward": forward})()
    for name, value in attributes.items():
        model.register_buffer(name, value) if isinstance(value, torch.Tensor) else setattr(model, name, value)
    return model


class Penalty(Base):
    def forward(self, x):
        y = self.first(x)
        self.penalty = y.pow(2).mean()
        return y


class Features(Base):
    def __init__(self):
        super().__init__()
        self.features = []

    def forward(self, x):
        self.features.append(self.first(x))
        return self.last(self.features[-1])


class Counts(Base):
    calls = 0

    class Log:
        calls = 0

    def __init__(self):
        super().__init__()
        self.calls, self.log, self.by_name = 0, self.Log(), {"calls": [0]}

    def forward(self, x):
        self.calls += 1
        self.log.calls += 1
        self.by_name["calls"][0] += 1
        Counts.calls += 1
        return self.first(x)


COUNT = 0


def counts_globally(self, x):
    global COUNT
    COUNT += 1
    return self.first(x)


class Makes(collections.OrderedDict):
    """Holds classes and returns instances of them, as the table of activations in transformers."""

    def __getitem__(self, name):
        return super().__getitem__(name)()


class MadeList(list):
    def __iter__(self):
        return (kind() for kind in super().__iter__())


ACTIVATIONS, KINDS = Makes(relu=nn.ReLU), MadeList([nn.ReLU])


def makes_activations(self, x):
    return ACTIVATIONS["relu"](next(iter(KINDS))(self.first(x)))


@fx.wrap
def wrapped(x):
    return x + 1


def calls_wrapped(self, x):
    return wrapped(self.first(x))


def closes_over(calls):
    def forward(self, x):
        nonlocal calls
        calls += 1
        return self.first(x)
    return forward


class Steps(Base):
    def __init__(self, once):
        super().__init__()
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))
        self.tensor, self.once = torch.zeros(1), once

    def forward(self, x):
        self.once(self)
        y = self.first(x)
        return self.last(y) if self.steps > 1 or self.tensor.item() > 1 else y


def clips(self, x):
    for p in self.parameters():
        p.data.clamp_(-.1, .1)
    return self.first(x)


def swallows(self, x):
    try:
        self.tensor.add_(1)
    except Exception:
        pass
    return self.first(x) + self.tensor


def steps_of(model):
    return [getattr(model, name, None) for name in ("calls", "steps", "tensor")]


class Checks(unittest.TestCase):
    def check(self, make, why=None, fused=None, at=""):
        """Two calls of the network, for inference and for training, compared with PyTorch's."""
        for training in (False, True):
            with self.subTest(training=training), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch.manual_seed(3)
                model = make().double().to(memory_format=torch.channels_last).train(training)
                attributes = [steps_of(m) for m in model.modules()]
                drawn = torch.get_rng_state(), random.getstate()
                done = ck_conv.fuse(model, report=True)
                self.assertTrue(torch.equal(drawn[0], torch.get_rng_state()))
                self.assertEqual(drawn[1], random.getstate())
                for m in (model, done.model):
                    self.assertEqual(str([steps_of(part) for part in m.modules() if steps_of(part) != [None] * 3]),
                                     str([a for a in attributes if a != [None] * 3]))
                if why is not None:
                    self.assertRegex(done.untraced[at], why)
                if fused is not None:
                    self.assertEqual(len(done.fused), fused)
                if done.untraced or training:
                    self.assertEqual(str(steps_of(done.model)), str(steps_of(model)))
                results, self.inputs = [], [rows(2, 4, 5, 5, dtype=torch.float64) for _ in range(3)]
                models = [model, done.model]
                has_lambda = any("forward" in m.__dict__ for m in model.modules())  # which cannot be pickled
                if not (training or done.untraced or has_lambda):
                    models.append(pickle.loads(pickle.dumps(done.model)))
                for m in models:
                    torch.manual_seed(7)
                    random.seed(7)
                    results.append([self.called(m, i) for i in range(3)] + [torch.rand(1), torch.tensor(random.random())])
                for right, *others in zip(*results):
                    for got in others:
                        self.assertLess(far(got, right), 1e-9)
                if done.untraced or training:
                    self.assertEqual(str(steps_of(done.model)), str(steps_of(model)))
        return done

    def called(self, model, i):
        return self.result(model(self.inputs[i]))

    def result(self, y):
        return y


class Changes(Checks):
    def test_attributes(self):
        for make, name in ((Penalty, "penalty"), (Features, "features"), (Counts, "")):
            with self.subTest(model=make.__name__):
                self.check(make, f"it changes .*{name}.*, which a graph would not")

    def test_a_stored_result_has_its_gradient(self):
        for training in (False, True):
            model = Penalty().train(training)
            fused = ck_conv.fuse(model, report=True).model
            for m in (model, fused):
                m(torch.randn(2, 4, 5, 5))
                self.assertIs(type(m.penalty), torch.Tensor)

    def test_a_part_that_ends_in_a_module_is_blamed(self):
        class Caches(nn.Module):
            def __init__(self):
                super().__init__()
                self.cache, self.conv = {}, nn.Conv2d(4, 4, 1)

            def forward(self, x):
                key = str(x.device)
                if key not in self.cache:
                    self.cache[key] = self.conv.bias[0]
                return self.conv(x + self.cache[key])
        for steps in (lambda self, x: self.last(self.part(self.first(x))), lambda self, x: self.part(self.first(x))):
            model = network(steps)
            model.part = Caches()
            untraced = ck_conv.fuse(model.eval(), report=True).untraced
            self.assertEqual(list(untraced), ["part"])
            self.assertRegex(untraced["part"], "it changes part.cache")

    def test_of_a_part(self):
        done = self.check(lambda: nn.Sequential(Base(), Penalty(), Base()), "it changes 1.penalty", at="1")
        self.assertEqual(len(done.fused), 2)

    def test_functions_of_fx_wrap(self):
        """torch.fx replaces them in their module while it traces. Here that is the module of a part's forward()."""
        model = nn.Sequential(network(calls_wrapped), Base()).eval()
        report = ck_conv.fuse(model, report=True)
        self.assertEqual(report.untraced, {})
        x = rows(2, 4, 3, 3, dtype=torch.float32)
        with torch.no_grad():
            torch.testing.assert_close(report.model(x), model(x))

    def test_containers_that_return_something_else(self):
        self.check(lambda: network(makes_activations))
        self.assertEqual([*dict.values(ACTIVATIONS), *list.__iter__(KINDS)], [nn.ReLU, nn.ReLU])

    def test_global_names_and_those_of_enclosing_functions(self):
        self.check(lambda: network(counts_globally), "it changes .*COUNT")
        self.check(lambda: network(closes_over(0)), "torch.fx cannot trace it: it changes calls")

    def test_buffers_and_other_tensors(self):
        for once in (lambda self: self.steps.add_(1), lambda self: self._buffers["steps"].add_(1),
                     lambda self: self.tensor.add_(1), lambda self: self.tensor.data.add_(1),
                     lambda self: setattr(self, "steps", self.steps + 1), lambda self: None):
            self.check(lambda: Steps(once), "torch.fx cannot trace it")

    def test_graphs_of_pickles_write_to_buffers(self):
        model = network(lambda self, x: self.last(self.first(x)) * self.steps.add_(1), steps=torch.zeros(()))
        graph = InPlaceTracer().trace(model)
        self.assertEqual(model.steps, 0)
        self.assertIn("add_", [node.target for node in graph.nodes if node.op == "call_method"])

    def test_a_buffer_that_decides_nothing_is_in_the_graph(self):
        def forward(self, x):
            self.steps.add_(1)
            return self.last(self.first(x)) * self.steps
        self.check(lambda: network(forward, steps=torch.zeros(())), fused=None)

    def test_parameters(self):
        self.check(lambda: network(clips), "it writes to a tensor .aten::clamp_")

    def test_what_forward_catches_is_found(self):
        def make():
            model = network(swallows)
            model.tensor = torch.zeros(1).double()
            return model
        self.check(make, "it writes to a tensor")


class Draws(Checks):
    def test_random_numbers(self):
        def dropping(draw):
            def forward(self, x):
                y = self.norm(x)
                if draw() < .5:
                    return x
                return F.relu(y + x)
            return forward

        for draw in (lambda: torch.rand(1).item(), random.random):
            self.check(lambda: network(dropping(draw)), "it draws random numbers")
        for draw in (lambda: torch.rand(1).item(), random.random):
            self.check(lambda: nn.Sequential(Base(), network(dropping(draw)), Base()), "it draws random numbers", at="1")


class Calls(Checks):
    def test_a_forward_of_the_instance(self):
        def make():
            model = Base()
            model.forward = types.MethodType(lambda self, x: Base.forward(self, x) * 10, model)
            return model
        done = self.check(make, "its forward is an attribute of the instance")
        self.assertEqual(done.fused, {})
        self.check(lambda: nn.Sequential(make(), nn.ReLU()))

    def test_parts_with_a_forward_of_the_instance(self):
        def make(part):
            model = nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())
            own = type(model[part]).forward
            model[part].forward = types.MethodType(lambda self, x: own(self, x) * 10, model[part])
            return model
        for part in range(3):
            with self.subTest(part=part):
                self.check(functools.partial(make, part))

    def test_parts_that_choose_a_method_as_forward(self):
        class Chooses(Base):
            def __init__(self):
                super().__init__()
                self.forward = self.tenfold

            def tenfold(self, x):
                return Base.forward(self, x) * 10

            def twofold(self, x):
                return Base.forward(self, x) * 2

        def make():
            return nn.Sequential(Chooses(), nn.ReLU())
        self.assertEqual(self.check(make).untraced, {})
        self.assertEqual(len(ck_conv.fuse(make().eval(), report=True).fused), 2)
        for change in (lambda part: setattr(part, "forward", part.twofold), lambda part: delattr(part, "forward"),
                       lambda part: part.register_forward_hook(lambda module, given, y: y + 1)):
            model, x = make().double(), rows(2, 4, 5, 5, dtype=torch.float64)
            fused = copy.deepcopy(ck_conv.fuse(model))
            self.assertLess(far(fused(x), model(x)), 1e-9)
            change(model[0])
            change(fused[0])
            with self.assertWarnsRegex(UserWarning, "0 has another forward than|a part has other hooks"):
                y = fused(x)
            self.assertLess(far(y, model(x)), 1e-9)
        hooked = make()
        hooked[0].register_forward_hook(lambda module, given, y: y + 1)
        self.assertEqual(list(ck_conv.fuse(hooked.eval(), report=True).untraced), ["0"])

    def test_a_call_of_its_own(self):
        class Tenfold(Base):
            def __call__(self, x):
                return super().__call__(x) * 10
        self.check(Tenfold)
        self.check(lambda: nn.Sequential(Tenfold(), nn.ReLU()))

        class TenfoldNorm(nn.BatchNorm2d):
            def __call__(self, x):
                return super().__call__(x) * 10
        for at in (Base(), nn.Sequential(Base(), Base())):
            (at if isinstance(at, Base) else at[0]).norm = TenfoldNorm(4)
            self.check(lambda: at)


class Kind(enum.Enum):
    A, B = 1, 2


class Output(collections.OrderedDict):
    @property
    def logits(self):
        return self["logits"]


class Values(Checks):
    def result(self, y):
        return y["out"] if isinstance(y, dict) else y

    def test_defaults(self):
        def size(self, x, size=(1, 2)):
            return self.first(x) * size[1]

        def sizes(self, x, sizes=[1, 2], named={"a": 3}):
            return self.first(x) * sizes[1] * named["a"]

        def names(self, x, *, k=1, z=2):
            return self.first(x) * k * z

        def tensor(self, x, t=torch.full((4, 1, 1), 2.)):
            return self.first(x) * t

        def kind(self, x, kind=Kind.A):
            return self.first(x) * kind.value

        def number(self, x, k=3, flag=None):
            return self.first(x) * k if flag is None else x
        for forward, more in ((size, ((1, 3),)), (sizes, ([1, 3],)), (number, (4,))):
            self.check(lambda: network(forward), fused=1)
            for training in (False, True):
                fused = ck_conv.fuse(network(forward).train(training), report=True).model
                with self.assertRaisesRegex(ValueError, "has fixed it to its default"):
                    fused(torch.randn(2, 4, 5, 5), *more)
        for forward, why in ((names, "takes k by its name alone"), (tensor, "the default of t is of class Tensor"),
                             (kind, "the default of kind is of class Kind")):
            self.check(lambda: network(forward), why)
        fused = ck_conv.fuse(network(kind).train(), report=True).model
        x = torch.randn(2, 4, 5, 5)
        self.assertLess(far(fused(x, Kind.B), 2 * fused(x)), 1e-6)

    def test_parts_of_chunk(self):
        def of_a_list(self, x):
            parts = list(self.first(x).chunk(2, 1))
            parts.append(parts[-1] * 2)
            return self.last(torch.cat(parts, 1)[:, :4])

        def of_a_function(self, x):
            return self.last(torch.cat([*torch.chunk(self.first(x), chunks=2, dim=1)][::-1], 1))

        def along_rows(self, x):
            return self.last(sum(list(self.first(x).chunk(3, 2)), 0))
        for forward in (of_a_list, of_a_function):
            self.check(lambda: network(forward), fused=1)
            graph = ck_conv.fuse(network(forward).eval(), report=True).model.graph
            self.assertEqual(sum(node.name.startswith("must_be_parts") for node in graph.nodes), 1)
        fused = ck_conv.fuse(network(along_rows).eval())
        self.assertEqual(fused(torch.randn(2, 4, 6, 5)).shape[2], 2)
        with self.assertRaisesRegex(ValueError, "makes 2 parts of this size, but the trace has fixed their number to 3"):
            fused(torch.randn(2, 4, 4, 5))

    def test_sizes(self):
        def unpacked(self, x):
            n, c, h, w = x.shape
            y = self.first(x)
            k, *_ = y.shape[1:]
            return self.last(y.reshape(n, k, w, h)).reshape(n, -1, h, w)

        def passed_on(self, x):
            y = self.first(x)
            return self.last(y.reshape(y.size()[0], 4, *y.shape[2:])).view(1, *y.size())
        for forward in (unpacked, passed_on):
            self.check(lambda: network(forward))
            self.assertEqual(ck_conv.fuse(network(forward), report=True).untraced, {})
        fused = ck_conv.fuse(network(unpacked).eval())
        with self.assertRaisesRegex(ValueError, "3 values are unpacked, but the trace has fixed their number to 4"):
            fused(torch.randn(4, 5, 5))
        self.check(lambda: network(lambda self, x: self.last(self.first(x).reshape(*x.shape[:1], 4, 5, 5))), "cannot be iterated")

    def test_unpacked_values(self):
        def unbound(self, x):
            a, b = self.first(x).unbind()
            return a - b

        def split(self, x):
            a, b = torch.split(self.first(x), 1)
            return a - b

        for forward in (unbound, split):
            self.check(lambda: network(forward))
            for training in (False, True):
                fused = ck_conv.fuse(network(forward).train(training))
                with self.assertRaisesRegex(ValueError, "3 values are unpacked, but the trace has fixed their number to 2"):
                    fused(torch.randn(3, 4, 5, 5))

    def test_tensors_that_forward_makes(self):
        def forward(self, x):
            y = self.first(x)
            total = torch.zeros(1).double()
            total += 2
            return self.last(y * total)
        self.check(lambda: network(forward), "it makes a tensor, which a graph would keep")
        fused = ck_conv.fuse(network(forward), report=True).model
        self.assertEqual([name for name in fused.__dict__ if "constant" in name], [])

    def test_tensors_in_sizes_of_a_call(self):
        def forward(self, x):
            y = self.first(x)
            n, _, h, w = y.shape
            rows = (~torch.zeros((n, h, w)).to(device=y.device, dtype=torch.bool)).cumsum(1, dtype=torch.float32)
            columns = torch.arange(w, device=y.device) * torch.full((w,), 2).to(y.device) * torch.ones(size=(w,))
            return self.last(y + rows[:, None] + columns)
        report = self.check(lambda: network(forward), fused=1)
        self.assertEqual(report.untraced, {})
        made = {node.name: node.kwargs.get("device") for node in ck_conv.fuse(network(forward).eval()).graph.nodes
                if node.name in ("zeros", "full", "arange", "ones")}
        self.assertEqual([name for name, device in made.items() if device is not None], ["zeros", "arange", "full"])

    def test_indices_of_lists(self):
        def forward(self, x):
            y = self.first(x)[:, [2, 0, 1, 3]]
            return self.last(y + y[[1, 0]] + y[..., [[0, 1], [2, 3]]].sum())
        self.assertEqual(self.check(lambda: network(forward)).untraced, {})
        graph = ck_conv.fuse(network(forward).eval()).graph
        self.assertEqual(sum(node.name.startswith("index") for node in graph.nodes), 2)

    def test_attributes_of_values(self):
        def forward(self, x):
            y = self.first(x)
            y.data = y.data + 1
            return y
        self.check(lambda: network(forward), "it sets an attribute, data, of a value")

        def asks(self, x):
            y = self.first(x)
            return y + 1 if isinstance(y.mT, torch.Tensor) else y
        self.check(lambda: network(asks), "asks for the class of a value")

        def asks_of_modules(self, x):
            y = self.pool(self.first(x))
            return self.last(y) if isinstance(y, torch.Tensor) else y[0]
        self.assertEqual(self.check(lambda: network(asks_of_modules, pool=nn.MaxPool2d(1))).untraced, {})

        def asks_pytorch(self, x):
            y = self.first(x)
            return self.last(y) if torch.is_tensor(y) else y
        self.check(lambda: network(asks_pytorch), "asks for the class of a value")

        def asks_pytorch_of_modules(self, x):
            y = self.pool(self.first(x))
            return self.last(y) if torch.is_tensor(y) else y
        self.assertEqual(self.check(lambda: network(asks_pytorch_of_modules, pool=nn.MaxPool2d(1))).untraced, {})

        def asks_for_torchscript(self, x):
            y = self.first(x)
            return self.last(y) if torch.jit.isinstance(y, torch.Tensor) else y
        self.check(lambda: network(asks_for_torchscript), "asks for the class of a value")

        def asks_for_torchscript_of_modules(self, x):
            y = self.pool(self.first(x))
            return self.last(y) if torch.jit.isinstance(y, torch.Tensor) else y
        self.assertEqual(self.check(lambda: network(asks_for_torchscript_of_modules, pool=nn.MaxPool2d(1))).untraced, {})

        def writes(self, x):
            y = self.first(x)
            transposed, same = y.mT, y.data.mT
            transposed += 1
            same *= 2
            return y
        self.check(lambda: network(writes))

    def test_annotations(self):
        x = torch.randn(2, 4, 5, 5)
        for of_input, of_result in (("torch.Tensor", "torch.Tensor"), ("Unknown", List["Unknown"]), (Annotation, None)):
            class Annotated(Base):
                def forward(self, x):
                    return super().forward(x)
            Annotated.forward.__annotations__ = {"x": of_input, "return": of_result}
            Annotated.__qualname__ = "Annotated"
            with unittest.mock.patch.dict(globals(), Annotated=Annotated):
                for training in (False, True):
                    report = ck_conv.fuse(Annotated().train(training), report=True)
                    self.assertEqual((report.untraced, len(report.fused)), ({}, 1))
                    again = pickle.loads(pickle.dumps(report.model))
                    self.assertTrue(torch.equal(again.eval()(x), report.model.eval()(x)))

    def test_arguments_that_a_module_does_not_take(self):
        def forward(self, x):
            y = x
            for layer in (self.conv, self.norm, self.inner, self.last):
                try:
                    y = layer(y, lengths=None)
                except TypeError:
                    y = layer(y)
            return y
        for inner in nn.LeakyReLU(), nn.Sequential(nn.ReLU()), nn.MaxPool2d(1):
            done = self.check(lambda: network(forward, inner=inner))
            self.assertEqual(done.untraced, {})

        def wrong(self, x):
            return self.first(self.conv(x, 1))
        with self.assertRaises(TypeError):
            ck_conv.fuse(network(wrong).eval())(torch.randn(2, 4, 5, 5))

    def test_numbers_of_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        self.check(lambda: network(lambda self, x: self.first(x) * numpy.float64(2.)), "numpy.float64, as a graph cannot")

    def test_dictionaries_keep_their_class(self):
        for cls, fused in ((dict, 1), (collections.OrderedDict, 1), (Output, 0)):
            def forward(self, x):
                return cls(out=self.first(x), logits=self.last(x))
            self.check(lambda: network(forward), fused=fused)
            for training in (False, True):
                y = ck_conv.fuse(network(forward).train(training), report=True).model(torch.randn(2, 4, 5, 5))
                self.assertIs(type(y), cls)


if __name__ == "__main__":
    unittest.main()
