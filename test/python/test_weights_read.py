#!/usr/bin/python3
"""fuse() in inference: networks that read weights of layers themselves get those of the model, not those with which norms and
scales are folded."""
import copy
import pickle
import unittest

from needs_torch import torch
from networks import Net

import ck_conv
from torch import nn
from torch.nn import functional as F

BOUNDS = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 2e-2}


def norm():
    made = nn.BatchNorm2d(8)
    made.running_mean.normal_()
    made.running_var.uniform_(.5, 2)
    nn.init.uniform_(made.weight, .5, 2)
    return made


class WeightsRead(unittest.TestCase):
    def check(self, forward, size, words=None, **layers):
        """words: what is fused with the layer `one`."""
        model = Net(forward, **layers).eval()
        for dtype, bound in BOUNDS.items():
            model.to(dtype)
            x = torch.randn(size).to(dtype)
            report = ck_conv.fuse(model, report=True)
            del report.model.function  # which cannot be pickled
            self.assertEqual(report.fused.get("one"), words)
            with torch.no_grad():
                right, expected = copy.deepcopy(model).double()(x.double()), model(x)
                for ours in (report.model, copy.deepcopy(report.model), pickle.loads(pickle.dumps(report.model))):
                    y = ours(x)
                    self.assertEqual((y.dtype, y.shape), (expected.dtype, expected.shape))
                    self.assertLess(((y.double() - right).norm() / right.norm()).item(), bound)
            for name, value in model.state_dict().items():
                self.assertEqual(value.dtype, dtype if value.is_floating_point() else value.dtype, name)

    def test_of_convolutions(self):
        for read in (lambda y, conv: y * conv.weight.sum(), lambda y, conv: y + conv.bias[:, None, None],
                     lambda y, conv: F.conv2d(y, conv.weight.transpose(0, 1)), lambda y, conv: y + conv.weight.sum() + conv.bias.sum()):
            self.check(lambda net, x: net.two(read(torch.relu(net.norm(net.one(x))).tanh(), net.one)), (2, 8, 3, 5), "BatchNorm2d norm, relu",
                       one=nn.Conv2d(8, 8, 1), norm=norm(), two=nn.Conv2d(8, 4, 1))

    def test_of_linear_layers(self):
        for read in (lambda y, linear: F.linear(y, linear.weight.t()), lambda y, linear: y @ linear.weight.transpose(0, 1), lambda y, linear: y + linear.bias):
            self.check(lambda net, x: net.two(read(torch.relu(net.one(x) * 2.).tanh(), net.one).transpose(1, 2)), (2, 5, 8), "mul, relu",
                       one=nn.Linear(8, 8), two=nn.Conv1d(8, 4, 1))

    def test_of_their_own(self):
        """Tensors that only the network's code puts into a layer."""
        for kind in ("register_parameter", "register_buffer"):
            for layer, size in ((nn.Conv1d(8, 8, 1), (2, 8, 5)), (nn.Linear(5, 5), (2, 8, 5))):
                own = torch.rand(1, 1, 5)
                getattr(layer, kind)("own", nn.Parameter(own) if kind == "register_parameter" else own)
                self.check(lambda net, x: net.two(torch.relu(net.one(x)).tanh() * net.one.own), size, "relu",
                           one=layer, two=nn.Conv1d(8, 4, 1))

    def test_of_norms(self):
        """The library's are float32."""
        self.check(lambda net, x: net.two(torch.relu(net.norm(x)).tanh() * net.norm.weight[:, None, None] + net.norm.running_mean.sum()),
                   (2, 8, 3, 5), one=nn.Conv2d(8, 8, 1), norm=norm(), two=nn.Conv2d(8, 4, 3, padding=1))

    def test_a_number_to_which_a_result_is_added(self):
        def forward(net, x):
            y = x.size(0)
            y += net.one(x)
            return net.two(torch.relu(y))
        self.check(forward, (2, 8, 5), "add, relu", one=nn.Conv1d(8, 8, 1), two=nn.Conv1d(8, 4, 1))
        self.check(forward, (2, 8, 5), "add, relu", one=nn.Linear(5, 5), two=nn.Conv1d(8, 4, 1))


if __name__ == "__main__":
    unittest.main()
