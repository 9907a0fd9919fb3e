#!/usr/bin/python3
"""What in a graph is fused with a convolution, and what is not. With PyTorch's convolutions, because only the graphs matter."""
import math
import unittest
from unittest import mock

from needs_torch import torch

import ck_conv
from ck_conv import modules
from ck_conv._conv import epilogue
from ck_conv._fuse import fused as _fused

from torch import nn
from torch.nn import functional as F


def by_torch(make_geometry, rank, x, w, bias, residual, e, arguments, into=None, overwrites=False):
    return epilogue.with_torch(getattr(F, f"conv{rank}d")(x, w, bias, *arguments), residual, e)


class Net(nn.Module):
    """Two convolutions, a norm, and what `body` makes of them."""

    def __init__(self, body, **more):
        super().__init__()
        self.conv, self.other = nn.Conv2d(3, 3, 3, padding=1), nn.Conv2d(3, 3, 1)
        self.norm = nn.BatchNorm2d(3)
        for name, module in more.items():
            setattr(self, name, module)
        self.body = body

    def forward(self, x):
        return self.body(self, x)



class Chains(unittest.TestCase):
    def setUp(self):
        for target, name, by in ((_fused, "convolution", by_torch), (modules.Conv2d, "_function", staticmethod(F.conv2d))):
            patch = mock.patch.object(target, name, by)
            patch.start()
            self.addCleanup(patch.stop)

    def fused(self, body, **more):
        """The report, of a network whose results were compared."""
        torch.manual_seed(2)
        net = Net(body, **more).double()
        for norm in net.modules():
            if getattr(norm, "running_mean", None) is not None:
                norm.running_mean.normal_()
                norm.running_var.uniform_(.5, 2)
                norm.bias.data.normal_()
        done = ck_conv.fuse(net.eval(), report=True)
        x = torch.randn(2, 3, 5, 5).double()
        with torch.no_grad():
            right, y = net(x.clone()), done.model(x.clone())
        torch.testing.assert_close(y, right, rtol=1e-12, atol=1e-12)
        return done

    def test_activations(self):
        for words, body in (
                ("relu", lambda n, x: F.relu(n.conv(x))), ("relu", lambda n, x: torch.relu(n.conv(x))),
                ("relu", lambda n, x: n.conv(x).relu()), ("relu_", lambda n, x: n.conv(x).relu_()),
                ("relu", lambda n, x: F.relu(n.conv(x), inplace=True)), ("relu_", lambda n, x: torch.relu_(n.conv(x))),
                ("silu", lambda n, x: F.silu(n.conv(x))), ("gelu", lambda n, x: F.gelu(n.conv(x))),
                ("relu6", lambda n, x: F.relu6(n.conv(x))), ("clamp", lambda n, x: n.conv(x).clamp(-.5, .5)),
                ("clamp", lambda n, x: torch.clamp(n.conv(x), max=.25)), ("clamp_", lambda n, x: n.conv(x).clamp_(min=0)),
                ("hardtanh", lambda n, x: F.hardtanh(n.conv(x))),
                ("hardtanh", lambda n, x: F.hardtanh(n.conv(x), max_val=.3)),
                ("leaky_relu", lambda n, x: F.leaky_relu(n.conv(x))), ("leaky_relu", lambda n, x: F.leaky_relu(n.conv(x), .2)),
                ("leaky_relu", lambda n, x: F.leaky_relu(n.conv(x), negative_slope=-.5, inplace=True)),
                ("leaky_relu_", lambda n, x: F.leaky_relu_(n.conv(x), .3)), ("hardswish", lambda n, x: F.hardswish(n.conv(x))),
                ("hardsigmoid", lambda n, x: F.hardsigmoid(n.conv(x))), ("sigmoid", lambda n, x: torch.sigmoid(n.conv(x))),
                ("sigmoid", lambda n, x: F.sigmoid(n.conv(x))), ("sigmoid", lambda n, x: n.conv(x).sigmoid()),
                ("sigmoid_", lambda n, x: n.conv(x).sigmoid_()), ("sigmoid_", lambda n, x: torch.sigmoid_(n.conv(x))),
                ("BatchNorm2d norm, relu", lambda n, x: n.norm(n.conv(x)).relu())):
            self.assertEqual(self.fused(body).fused, {"conv": words})

    def test_clamps_that_are_written_elsewhere(self):
        done = self.fused(lambda n, x: torch.clamp(n.conv(x), 0, 1, out=x) + x)
        self.assertEqual(done.fused, {})

    def test_modules_of_activations(self):
        for act in (nn.ReLU(), nn.ReLU(inplace=True), nn.SiLU(), nn.GELU(), nn.ReLU6(), nn.Hardtanh(-.2, .4), nn.LeakyReLU(),
                    nn.LeakyReLU(.3, inplace=True), nn.PReLU(), nn.PReLU(init=-.3), nn.Hardswish(), nn.Hardswish(inplace=True), nn.Hardsigmoid(), nn.Sigmoid()):
            done = self.fused(lambda n, x: n.act(n.norm(n.conv(x))), act=act)
            self.assertEqual(done.fused, {"conv": f"BatchNorm2d norm, {type(act).__name__} act"})

    def test_activations_of_timm_in_its_norms(self):
        for name, function in (("Swish", F.silu), ("GELU", F.gelu), ("Sigmoid", torch.sigmoid), ("HardSwish", F.hardswish),
                               ("HardSigmoid", F.hardsigmoid), ("GELUTanh", lambda x: F.gelu(x, approximate="tanh"))):
            act = type(name, (nn.Module,), {"forward": lambda self, x, f=function: f(x), "__module__": "timm.layers.activations"})
            norm = nn.BatchNorm2d(3)
            norm.__class__ = type("BatchNormAct2d", (nn.BatchNorm2d,), {
                "forward": lambda self, x: self.act(self.drop(nn.BatchNorm2d.forward(self, x)))})
            norm.drop, norm.act = nn.Identity(), act()
            done = self.fused(lambda n, x: n.norm(n.conv(x)), norm=norm)
            more = "" if name == "GELUTanh" else f", {name} norm.act"
            self.assertEqual(done.fused, {"conv": f"BatchNorm2d norm{more}"})

    def test_activations_that_no_epilogue_computes(self):
        for act in (nn.Mish(), nn.LeakyReLU(math.inf), nn.Tanh(), nn.GELU(approximate="tanh"), nn.PReLU(3),
                    nn.PReLU(init=math.inf)):
            done = self.fused(lambda n, x: n.act(n.norm(n.conv(x))), act=act)
            self.assertEqual(done.fused, {"conv": "BatchNorm2d norm"})
            self.assertEqual(done.left["act"], f"{type(act).__name__} act follows, which no epilogue computes")
        for body in (lambda n, x: F.gelu(n.conv(x), approximate="tanh"), lambda n, x: n.conv(x).tanh(),
                     lambda n, x: n.conv(x).clamp(x.min(), x.max())):
            self.assertEqual(self.fused(body).fused, {})

    def test_additions(self):
        for words, body in (
                ("add, relu", lambda n, x: (n.conv(x) + x).relu()), ("add, relu_", lambda n, x: n.conv(x).add_(x).relu_()),
                ("add", lambda n, x: x + n.conv(x)),
                ("add", lambda n, x: torch.add(n.conv(x), x)), ("add", lambda n, x: n.conv(x).add(x)),
                ("relu, add", lambda n, x: n.conv(x).relu() + x),
                ("BatchNorm2d norm, add, silu", lambda n, x: F.silu(x + n.norm(n.conv(x)))),
                ("BatchNorm2d norm, add, leaky_relu", lambda n, x: F.leaky_relu(x + n.norm(n.conv(x)), .1)),
                ("BatchNorm2d norm, hardswish, add", lambda n, x: F.hardswish(n.norm(n.conv(x))) + x)):
            self.assertEqual(self.fused(body).fused, {"conv": words})

        def in_place(n, x):
            y = n.conv(x)
            y += x
            return y.relu()
        self.assertEqual(self.fused(in_place).fused, {"conv": "add, relu"})

    def test_additions_that_are_none_of_a_residual(self):
        for why, body in ((r"other arguments", lambda n, x: torch.add(n.conv(x), x, alpha=2)),
                          ("adds a number", lambda n, x: n.conv(x) + 1),
                          ("used 2 times", lambda n, x: (lambda y: y + y)(n.conv(x)))):
            done = self.fused(body)
            self.assertEqual(done.fused, {})
            self.assertRegex(done.left["conv"], why)

    def test_additions_into_another(self):
        def added_to(z):
            def body(n, x):
                y = z(n, x)
                y += n.conv(x)
                return y.relu()
            return body
        for words, z in (("add, relu", lambda n, x: n.other(x)), ("add, relu", lambda n, x: n.other(x) * x),
                         ("add, relu", lambda n, x: n.norm(x).add_(x)), ("add, relu", lambda n, x: torch.cat([x[:, :1], x[:, 1:]], 1))):
            self.assertEqual(self.fused(added_to(z)).fused["conv"], words)
        for name, z in (("x", lambda n, x: x), ("getitem", lambda n, x: (x * 2)[:]), ("relu", lambda n, x: F.relu(x, True)),
                        ("parameter", lambda n, x: n.parameter), ("mul", lambda n, x: x * 2)):
            done = self.fused(added_to(z), parameter=nn.Parameter(torch.zeros(2, 3, 5, 5)))
            self.assertNotIn("conv", done.fused)
            self.assertRegex(done.left["conv"], f"adds to {name}.* in place")

        def used_again(n, x):
            y = n.other(x)
            z = y.view(2, 3, 25)
            y += n.conv(x)
            return y.sum() + z
        self.assertRegex(self.fused(used_again).left["conv"], "adds to other in place")

    def test_factors_of_channels(self):
        gamma = nn.Parameter(torch.randn(3))
        for words, body, size in (
                ("mul, add", lambda n, x: n.conv(x) * n.gamma + x, (1, 3, 1, 1)),
                ("mul", lambda n, x: n.gamma[:, None, None] * n.conv(x), (3,)),
                ("mul, relu", lambda n, x: n.conv(x).mul(n.gamma.reshape(1, -1, 1, 1)).relu(), (3,)),
                ("BatchNorm2d norm, mul_, add_", lambda n, x: n.norm(n.conv(x)).mul_(n.gamma.view(-1, 1, 1)).add_(x), (3,)),
                ("mul, mul, add", lambda n, x: x + .5 * n.conv(x) * n.gamma, ()),
                ("mul", lambda n, x: torch.mul(n.gamma.unsqueeze(-1), n.conv(x)), (3, 1))):
            with self.subTest(words=words):
                done = self.fused(body, gamma=nn.Parameter(gamma[:1].reshape(()) if size == () else gamma.reshape(size)))
                self.assertEqual(done.fused, {"conv": words.replace("add_", "add")})
                self.assertEqual([n.target for n in done.model.graph.nodes if n.op == "get_attr" or n.target == "view"], [])

    def test_factors_that_stay(self):
        for why, body in (("not a parameter", lambda n, x: n.conv(x) * x), ("not a parameter", lambda n, x: n.conv(x) * n.gamma.exp()),
                          ("not a parameter", lambda n, x: n.conv(x) * n.gamma[x.shape[0]:, None, None]),
                          (r"by \(5,\), which is not constant for each of 3 channels", lambda n, x: n.conv(x) * n.gamma),
                          ("not finite in torch.float64", lambda n, x: n.conv(x) * math.inf),
                          ("used 2 times", lambda n, x: (lambda y: y * y)(n.conv(x))),
                          ("mul_ follows, which no", lambda n, x: n.conv(x).mul_(other=x)),
                          ("add in place", lambda n, x: (x + 1).mul_(n.conv(x)))):
            with self.subTest(why=why):
                done = self.fused(body, gamma=nn.Parameter(torch.ones(5)))
                self.assertEqual(done.fused, {})
                self.assertRegex(done.left["conv"], why)
        done = self.fused(lambda n, x: (n.conv(x).relu() * 2, n.other(x).add(x) * 2)[0])
        self.assertEqual(done.fused, {"conv": "relu", "other": "add"})
        done = self.fused(lambda n, x: n.norm(n.conv(x) * 2))
        self.assertEqual(done.fused, {"conv": "mul"})

    def test_of_two_that_are_added_the_later_adds(self):
        done = self.fused(lambda n, x: (n.norm(n.conv(x)) + n.other(x)).relu())
        self.assertEqual(done.fused, {"conv": "BatchNorm2d norm", "other": "add, relu"})

    def test_two_additions_and_two_activations(self):
        done = self.fused(lambda n, x: (n.conv(x) + x + 2 * x).relu())
        self.assertEqual(done.fused, {"conv": "add"})
        done = self.fused(lambda n, x: F.silu(n.conv(x).relu()))
        self.assertEqual(done.fused, {"conv": "relu"})
        self.assertEqual(done.left["silu"], "there is an activation or an addition already")
        done = self.fused(lambda n, x: (n.conv(x).relu() + x).relu())
        self.assertEqual(done.fused, {"conv": "relu, add"})

    def test_what_does_nothing_is_passed(self):
        done = self.fused(lambda n, x: F.relu(F.dropout(n.norm(n.nothing(n.drop(n.conv(x)))), training=n.training) + x),
                          nothing=nn.Identity(), drop=nn.Dropout2d())
        self.assertEqual(done.fused, {"conv": "BatchNorm2d norm, add, relu"})
        for divided in (lambda y: y / 1., lambda y: torch.div(y, 1)):
            done = self.fused(lambda n, x, divided=divided: F.relu(divided(x + n.conv(x))))
            self.assertEqual(done.fused, {"conv": "add, relu"})
        done = self.fused(lambda n, x: F.relu((x + n.conv(x)) / 2))
        self.assertEqual(done.fused, {"conv": "add"})
        done = self.fused(lambda n, x: F.relu(F.dropout(n.conv(x), 0., True)))  # always on
        self.assertEqual(done.fused, {})

    def test_results_with_other_users(self):
        done = self.fused(lambda n, x: n.norm(n.conv(x)).relu() + n.conv(x))  # twice called: each is its own
        self.assertEqual(done.fused, {"conv": "BatchNorm2d norm, relu", "conv_1": "add"})

        def kept(n, x):
            y = n.conv(x)
            return n.norm(y).relu() + y
        done = self.fused(kept)
        self.assertEqual(done.fused, {"norm": "relu"})
        self.assertEqual(done.left["conv"], "its result is used 2 times")
        self.assertNotIn("norm", done.left)

        def after_the_norm(n, x):
            y = n.norm(n.conv(x))
            return y.relu() + y
        self.assertEqual(self.fused(after_the_norm).fused, {"conv": "BatchNorm2d norm"})

    def test_what_writes_in_between(self):
        def input_changes(n, x):
            y = n.conv(x)
            x.add_(1)
            return (y + x).relu()
        done = self.fused(input_changes)
        self.assertEqual(done.fused, {})
        self.assertRegex(done.left["conv"], "add_ may write to its operands in between")

        for write in (lambda n, z: F.relu(z, inplace=True), lambda n, z: F.relu(z, True), lambda n, z: n.act(z),
                      lambda n, z: torch.relu_(z), lambda n, z: torch.neg(z, out=z)):
            def writes(n, x, write=write):
                z = x * 2
                y = n.conv(z)
                write(n, z)
                return (y + z).relu()
            self.assertEqual(self.fused(writes, act=nn.ReLU(inplace=True)).fused, {})

        def writes_through_an_attribute(n, x):
            z = x * 2
            y = n.conv(z)
            transposed = z.mT
            transposed += 1
            return (y + z).relu()
        self.assertEqual(self.fused(writes_through_an_attribute).fused, {})

    def test_modules_that_write_in_between(self):
        class Negates(nn.Module):
            def forward(self, x):
                return x.neg_()

        class Norm(nn.BatchNorm2d):
            forward = Negates.forward

        for module in (Norm(3), nn.DataParallel(Negates()), nn.DataParallel(nn.ReLU(inplace=True))):
            def writes(n, x):
                z = x * 2
                y = n.conv(z)
                more = n.module(z)
                return y.relu() + more
            self.assertEqual(self.fused(writes, module=module).fused, {})

    def test_operators_that_write_in_between(self):
        library = torch.library.Library("test_chains", "DEF")
        library.define("negated(Tensor(a!) x) -> ()")
        library.impl("negated", lambda x: (x.neg_(), None)[1], "CPU")
        for write in (torch.ops.aten.neg_.default, torch.ops.test_chains.negated):
            def writes(n, x, write=write):
                z = x * 2
                y = n.conv(z)
                write(z)
                return y.relu() + z
            self.assertEqual(self.fused(writes).fused, {})

        def reads(n, x):
            y = n.conv(x)
            a = F.relu(x).mean((2, 3), keepdim=True)
            return (y + a).relu()  # of another size: added by PyTorch when it is called
        self.assertEqual(self.fused(reads).fused, {"conv": "add, relu"})

    def test_norms_that_stay(self):
        twice = {"forward": lambda self, x: 2 * nn.BatchNorm2d.forward(self, x)}
        for norm, why in ((nn.BatchNorm2d(3, track_running_stats=False), "no running statistics"),
                          (type("Twice", (nn.BatchNorm2d,), twice)(3), "may compute something else")):
            done = self.fused(lambda n, x: n.norm(n.conv(x)).relu(), norm=norm)
            self.assertEqual(done.fused, {})
            self.assertRegex(done.left["norm"], why)
        done = self.fused(lambda n, x: n.norm(n.conv(x)), norm=type("Same", (nn.BatchNorm2d,), {})(3, affine=True, eps=1.))
        self.assertEqual(done.fused, {"conv": "Same norm"})
        done = self.fused(lambda n, x: n.conv(n.norm(x)))
        self.assertRegex(done.left["norm"], "follows x, no convolution; nor is it folded into one")
        done = self.fused(lambda n, x: n.norm(n.conv(x).relu()))
        self.assertRegex(done.left["norm"], "norm follows relu, not the convolution")
        net = Net(lambda n, x: n.norm(n.conv(x))).half().eval()
        net.norm.float().weight.data.fill_(1e9)
        self.assertIn("not finite in torch.float16", ck_conv.fuse(net, report=True).left["norm"])

    def test_convolutions_that_stay(self):
        def hooked(module):
            module.register_forward_hook(lambda *_: None)
            return module
        for name, more, why in (
                ("conv", {"conv": hooked(nn.Conv2d(3, 3, 1))}, "it has hooks"),
                ("norm", {"norm": hooked(nn.BatchNorm2d(3))}, "norm has hooks"),
                ("conv", {"conv": nn.utils.parametrizations.orthogonal(nn.Conv2d(3, 3, 1))}, "parametrized")):
            done = self.fused(lambda n, x: n.norm(n.conv(x)), **more)
            self.assertEqual(done.fused, {})
            self.assertRegex(done.left[name], why)
        done = self.fused(lambda n, x: F.conv2d(x, n.other.weight) + n.norm(n.conv(x)))
        self.assertRegex(done.left["conv2d"], "call of torch.nn.functional, which PyTorch computes")
        self.assertEqual(done.left["other"], "the network does not call it")

    def test_arguments_of_the_network(self):
        class Masked(Net):
            def forward(self, x, mask=None, scale=2):
                y = self.norm(self.conv(x)).relu() * scale
                return y if mask is None else y * mask
        net = Masked(None).eval()
        fused, x = ck_conv.fuse(net), torch.randn(1, 3, 4, 4)
        with torch.no_grad():
            torch.testing.assert_close(fused(x, scale=2), net(x))
            for wrong in ({"mask": x}, {"scale": 3}):
                with self.assertRaisesRegex(ValueError, "fixed it to its default"):
                    fused(x, **wrong)

    def test_what_asks_for_classes_is_not_guessed(self):
        def body(n, x):
            y = n.conv(x)
            if isinstance(y, torch.Tensor):
                return y.relu()
            return y

        done = self.fused(body)
        self.assertEqual(done.fused, {})
        self.assertRegex(done.untraced[""], "asks for the class of a value")


if __name__ == "__main__":
    unittest.main()
