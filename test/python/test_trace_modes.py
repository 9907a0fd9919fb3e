#!/usr/bin/python3
"""ck_conv.fuse() of networks whose forward() depends on a mode, or enters one: training, gradients, torch.autocast, autograd.Function."""
import copy
import unittest

from needs_torch import torch

import ck_conv
from test_batch_norm import far, rows
from test_trace import Base, Checks, network

from torch import nn
from torch.nn import functional as F


class Modes(Checks):
    def gradients(self, forward, why, context=None):
        for training in (False, True):
            with self.subTest(training=training):
                model = network(forward).train(training)
                done = ck_conv.fuse(model, report=True)
                self.assertRegex(done.untraced[""], why)
                x = torch.randn(2, 4, 5, 5).to(memory_format=torch.channels_last)
                found = []
                for m in (model, done.model):
                    with context or torch.autocast("cpu", enabled=False):
                        y = m(x.clone().requires_grad_())
                    found.append((y.dtype, y.requires_grad))
                self.assertEqual(*found)

    def test_dropout_of_training(self):
        class Drops(Base):
            def forward(self, x):
                return F.dropout(super().forward(x), training=self.training, p=.25)

        def forward(self, x):
            y = F.dropout2d(self.drops(self.first(x)), .5, self.training)
            return self.last(F.dropout(y, .5, True))

        def make():
            model = network(forward)
            model.drops = Drops()
            return model
        self.assertEqual(self.check(make).untraced, {})
        model, x = make().double(), rows(2, 4, 5, 5, dtype=torch.float64)
        fused = ck_conv.fuse(model)
        for train in ("", "drops"):
            for m in (model, fused):
                m.eval()
                m.get_submodule(train).training = True
            results = []
            for m in (model, fused, copy.deepcopy(fused)):
                torch.manual_seed(5)
                results.append(m(x))
            for y in results[1:]:
                self.assertLess(far(y, results[0]), 1e-9)
        other = network(lambda self, x: self.last(F.dropout(self.first(x), .5, not self.training)))
        self.assertRegex(ck_conv.fuse(other, report=True).untraced[""], "something else in training mode")

    def test_no_grad_and_the_like(self):
        def within(self, x):
            with torch.no_grad():
                y = self.first(x)
            return self.last(y) if self.training else y

        def sets(self, x):
            with torch.set_grad_enabled(False):
                return self.first(x)

        def infers(self, x):
            with torch.inference_mode():
                return self.first(x)

        @torch.no_grad()
        def decorated(self, x):
            return self.first(x)

        for forward in (within, sets, infers, decorated):
            self.gradients(forward, "which a graph would not")

    def test_autocast(self):
        def forward(self, x):
            y = self.first(x)
            with torch.autocast("cpu", enabled=False):
                return self.last(y.float())
        self.gradients(forward, "it enters torch.autocast", torch.autocast("cpu", dtype=torch.bfloat16))

    def test_questions(self):
        def forward(self, x):
            y = self.first(x)
            return y if torch.is_grad_enabled() else self.last(y)
        self.gradients(forward, "it calls torch.is_grad_enabled")
        self.check(lambda: network(forward))


class Reversed(torch.autograd.Function):
    """A reversed gradient."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return -grad


reversed_gradient = Reversed.apply


class Functions(unittest.TestCase):
    def check(self, make, at):
        for training in (False, True):
            with self.subTest(training=training):
                model = make().double().train(training)
                done = ck_conv.fuse(model, report=True)
                self.assertEqual([*done.untraced], at)
                gradients = []
                for m in (model, done.model):
                    x = torch.linspace(-1, 1, 200, dtype=torch.float64).reshape(2, 4, 5, 5).requires_grad_()
                    m(x).pow(2).sum().backward()
                    gradients.append(x.grad)
                self.assertLess(far(gradients[1], gradients[0]), 1e-9)

    def test_gradients_of_their_own(self):
        for apply in (lambda x: Reversed.apply(x), reversed_gradient):
            self.check(lambda: network(lambda self, x: self.last(apply(self.first(x)))), [""])
            self.check(lambda: network(lambda self, x: apply(self.last(x))), [""])

    def test_in_a_part(self):
        class Reverses(nn.Module):
            def forward(self, x):
                return reversed_gradient(x)
        self.check(lambda: nn.Sequential(Base(), Reverses(), Base()), [])


if __name__ == "__main__":
    unittest.main()
