#!/usr/bin/python3
"""fuse() in inference, of random networks: chains, concatenations, norms, views, and tensors that are written to. Results, the
input and what writing to a result changes are compared with the unfused model in float64. Tensors that hooks keep stay the same.
"""
import collections
import copy
import random
import unittest
import warnings

from needs_torch import torch
from networks import LAST, ChannelNorm, Net

import ck_conv
from ck_conv._fuse.in_place import InPlace
from torch import nn
from torch.nn import functional as F


def in_place(function):
    """The function's first argument after it."""
    def call(x, y):
        function(x, y)
        return x
    return call


def adds(x, y):
    x += y
    return x


SEEDS = range(40)
NORMS = (lambda c: nn.GroupNorm(2, c), lambda c: nn.InstanceNorm2d(c, affine=True), nn.BatchNorm2d, ChannelNorm)
ACTIVATIONS = F.relu, F.silu, torch.relu, lambda x: F.leaky_relu(x, .1), lambda x: x.clamp(-.5, .5)
ACTIVATIONS_IN_PLACE = lambda x: F.relu(x, inplace=True), lambda x: x.relu_(), lambda x: F.leaky_relu_(x, .2)
OF_TWO = (lambda x, y: x + y, torch.add, lambda x, y: x * y.mean(1, keepdim=True), lambda x, y: F.max_pool2d(x, 3, 1, 1),
          lambda x, y: torch.sigmoid(x), lambda x, y: F.avg_pool2d(F.interpolate(x, scale_factor=2.), 2))
WRITES = (adds, lambda x, y: x.add_(y), lambda x, y: x.copy_(y), lambda x, y: F.relu(x, True),
          in_place(lambda x, y: x[:, 1:].mul_(.5)), lambda x, y: torch.mul(x, .5, out=x))
# A view of an image, and how many times as few channels it has.
VIEWS = ((lambda x, c: x.chunk(2, 1)[0], 2), (lambda x, c: x.chunk(2, 1)[1], 2), (lambda x, c: x[:, :c // 2], 2),
         (lambda x, c: x.narrow(1, 1, c // 2), 2), (lambda x, c: x.split(c // 2, 1)[1], 2), (lambda x, c: x.transpose(2, 3).transpose(3, 2), 1), (lambda x, c: x.detach(), 1),
         (lambda x, c: x.data, 1), (lambda x, c: x.unbind(1)[1].unsqueeze(1).expand(-1, c, -1, -1), 1),
         (lambda x, c: F.dropout(x, .5, False), 1), (lambda x, c: x.permute(0, 2, 3, 1).permute(0, 3, 1, 2), 1))


class Program:
    """A random forward(): steps are (function of the network and tensors, their numbers)."""

    def __init__(self, seed):
        self.random, self.layers, self.steps, self.channels = random.Random(seed), {}, [], [8]
        self.writes = self.random.random() < .7  # whether steps may write to tensors
        for _ in range(self.random.randint(4, 12)):
            i = self._pick()
            self.random.choices((self._conv, self._norm, self._concatenation, self._view, self._write, self._other),
                                (7, 4, 4, 3, 2, 2))[0](i, self.channels[i])
        self.more = [self._pick() for _ in range(self.random.choice((0, 0, 1, 2)))]  # results except the last one

    def _pick(self):
        """The number of a tensor, rather a late one."""
        return max(len(self.channels) - 1 - int(self.random.expovariate(.6)), 0)

    def _add(self, channels, function, *tensors):
        self.steps.append((function, tensors))
        self.channels.append(channels)
        return len(self.channels) - 1

    def _layer(self, kind, make):
        """A new layer, or one of this kind that is called again."""
        same = [name for name in self.layers if name.startswith(f"{kind}_x")]
        name = self.random.choice(same) if same and self.random.random() < .2 else f"{kind}_x{len(self.layers)}"
        if name not in self.layers:
            self.layers[name] = make()
        return lambda net, x: getattr(net, name)(x)

    def _like(self, channels):
        return self.random.choice([i for i, c in enumerate(self.channels) if c == channels])

    def _conv(self, i, c, k=None):
        k, size = k or self.random.choice((4, 8, 8, 16)), self.random.choice((1, 1, 3))
        last = self._add(k, self._layer(f"conv{c}_{k}_{size}", lambda: nn.Conv2d(c, k, size, padding=size // 2)), i)
        if self.random.random() < .4:
            last = self._add(k, lambda net, x, y: x + y, last, self._like(k))
        return self._activation(last)

    def _activation(self, i):
        act = self.random.choice(ACTIVATIONS + ACTIVATIONS_IN_PLACE * self.writes)
        return self._add(self.channels[i], lambda net, x: act(x), i) if self.random.random() < .4 else i

    def _norm(self, i, c):
        kind = self.random.randrange(len(NORMS))
        seen = self._view(i, c) if self.random.random() < .3 else i
        last = self._add(c, self._layer(f"norm{kind}_{c}", lambda: NORMS[kind](c)), i)
        if self.random.random() < .4:
            add = self.random.choice((lambda net, x, y: x + y, lambda net, x, y: y + x) +
                                     (lambda net, x, y: adds(x, y), lambda net, x, y: adds(y, x)) * self.writes)
            last = self._add(c, add, last, self._like(c))
        self._read_again(seen, self._activation(last))

    def _concatenation(self, i, c):
        parts = [self._conv(i, c, self.random.choice((4, 8))) for _ in range(self.random.choice((1, 2, 2)))]
        if len(parts) == 1 or self.random.random() < .3:
            parts.insert(self.random.randrange(2), self._pick())
        last = self._add(sum(self.channels[part] for part in parts), lambda net, *parts: torch.cat(parts, 1), *parts)
        part, other = self.random.sample([*parts, last], 2)
        if self.random.random() < .5:
            self._write(part, self.channels[part])
        self._read_again(other, last)

    def _read_again(self, i, last):
        """Reads a tensor after the last one was made."""
        if self.random.random() < .5:
            i = self._conv(i, self.channels[i]) if self.random.random() < .5 else i
            self._add(self.channels[last], lambda net, x, y: y + x.mean(1, keepdim=True), i, last)

    def _view(self, i, c):
        view, less = self.random.choice(VIEWS)
        return self._add(c // less, lambda net, x: view(x, c), i) if c // less >= 4 else i

    def _write(self, i, c):
        self._other(i, c, WRITES if self.writes else OF_TWO)

    def _other(self, i, c, functions=OF_TWO):
        function = self.random.choice(functions)
        self._add(c, lambda net, x, y: function(x, y), i, self._like(c))

    def __call__(self, net, x):
        tensors = [x]
        for function, numbers in self.steps:
            tensors.append(function(net, *(tensors[i] for i in numbers)))
        return [tensors[-1], *(tensors[i] for i in self.more)]


def called(net, x):
    """The results, the input afterwards, and both after writing to each result."""
    x = x.clone()
    results = net(x)
    found = [t.clone() for t in (*results, x)]
    for i, result in enumerate(results):
        if not any(n == 0 for n in result.stride()):  # expand()
            result.fill_(i)
            found += [t.clone() for t in (*results, x)]
    return found


class Random(unittest.TestCase):
    def check(self, seed, counts):
        torch.manual_seed(seed)
        program = Program(seed)
        model = Net(program, **program.layers).double().eval().to(memory_format=torch.channels_last)
        for norm in model.modules():
            if isinstance(norm, nn.BatchNorm2d):
                norm.running_mean.uniform_(-.5, .5)
        images = [torch.randn(n, 8, 4, 6).double().contiguous(memory_format=LAST[2]) for n in (2, 1, 2)]
        ck_conv.replace(model, norms=False)  # layouts may decide what is a view
        with torch.no_grad():
            try:
                right = [called(model, x) for x in images]
            except RuntimeError:  # such as a write to a tensor that expand() made
                counts["not run"] += 1
                return
        report = ck_conv.fuse(model, report=True)
        net, before = report.model, copy.deepcopy(report.model.state_dict())
        counts.update(traced=not report.untraced, overwritten=report.overwritten > 0, in_place=len(report.concatenations) > 0)
        with torch.no_grad():
            for x, expected in zip(images, right):
                torch.testing.assert_close(called(net, x), expected, rtol=1e-7, atol=1e-8, equal_nan=True)
        with torch.inference_mode():
            torch.testing.assert_close(called(net, images[0]), right[0], rtol=1e-7, atol=1e-8, equal_nan=True)
        self.assertTrue(all(torch.equal(t, before[name]) for name, t in net.state_dict().items()))
        if not program.writes:
            counts["kept"] += self.check_kept(net, images[0]) > 0

    def check_kept(self, net, x):
        """Returns how many tensors hooks have kept."""
        kept = []
        for module in net.children():
            if type(module) is not InPlace:
                module.register_forward_hook(
                    lambda module, given, result: kept.extend((t, t.clone()) for t in (*given, result)))
        with torch.no_grad():
            net(x)
        for t, was in kept:
            torch.testing.assert_close(t, was, rtol=0, atol=0, equal_nan=True)
        return len(kept)

    def test_networks(self):
        counts = collections.Counter()
        warnings.simplefilter("ignore")  # of what PyTorch computes
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.check(seed, counts)
        print(dict(counts))
        self.assertGreater(counts["traced"], .7 * len(SEEDS))
        self.assertGreater(min(counts["overwritten"], counts["in_place"], counts["kept"]), .15 * len(SEEDS))


if __name__ == "__main__":
    unittest.main()
