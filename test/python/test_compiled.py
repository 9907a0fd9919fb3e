#!/usr/bin/python3
"""What torch.compile's Inductor makes of convolutions: calls without PyTorch's dispatcher, with biases where they cost
nothing, and the numbers of PyTorch's."""
import copy
import os
import subprocess
import sys
import tempfile
import unittest

from needs_torch import integers, torch

import ck_conv
from ck_conv import _compiled, _launch, _library
from ck_conv import _epilogue as epilogue
from ck_conv._epilogue import AFTER, BEFORE, Epilogue
from ck_conv._geometry import convolution
from torch import nn

if not hasattr(torch, "compile"):
    print("not run: this PyTorch has no torch.compile")
    sys.exit(77)
from ck_conv import _inductor
from torch._inductor import config
from torch._inductor.utils import run_and_get_code

config.compile_threads = 1  # each process of others takes seconds to begin


def code_of(function, *arguments):
    """(the result, all code that Inductor wrote for it)"""
    torch._dynamo.reset()
    with config.patch(force_disable_caches=True):
        result, codes = run_and_get_code(torch.compile(function, fullgraph=True), *arguments)
    return result, "\n".join(codes)


def calls(code, function):
    return sum(f"ck_conv_{function}_" in line and "out=" in line for line in code.splitlines())


class Code(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(5)

    def test_training_of_a_network(self):
        """Every direction is called at once; what is around it is fused."""
        theirs = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.ConvTranspose2d(4, 2, 2, stride=2),
                               nn.Conv2d(2, 2, 3, groups=2, bias=False)).double()
        with torch.no_grad():
            for p in theirs.parameters():
                p.copy_(integers(*p.shape))
        for channels_last in (False, True):
            form = torch.channels_last if channels_last else torch.contiguous_format
            theirs = theirs.to(memory_format=form)
            ours = ck_conv.replace(copy.deepcopy(theirs))
            x = integers(2, 2, 5, 6).contiguous(memory_format=form)

            given = x.requires_grad_(), *ours.parameters()
            torch._dynamo.reset()
            with config.patch(force_disable_caches=True):
                y, codes = run_and_get_code(torch.compile(ours, fullgraph=True), x)
                found, backward = run_and_get_code(torch.autograd.grad, y.square().sum(), given)
            expected = theirs(x)
            self.assertTrue(torch.equal(y, expected))
            self.assertEqual(y.is_contiguous(memory_format=torch.channels_last), channels_last)
            for a, b in zip(found, torch.autograd.grad(expected.square().sum(), (x, *theirs.parameters()))):
                self.assertTrue(torch.equal(a, b))
            code = "\n".join(codes + backward)
            self.assertNotIn("ops.ck_conv", code)
            self.assertEqual([calls(code, f) for f in ("forward", "backward_data", "backward_weight")], [3, 3, 3])

    def test_channels_last_within_a_graph(self):
        """Of a network of channels first, on GPUs: results are as they were, and in between nothing is transposed."""
        ours = ck_conv.replace(nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 1), nn.Conv2d(4, 2, 3))).double()
        with torch.no_grad():
            for p in ours.parameters():
                p.copy_(integers(*p.shape))
        x = integers(2, 2, 7, 6)
        where, _inductor._FAST_CHANNELS_LAST = _inductor._FAST_CHANNELS_LAST, {"cpu"}
        planned = []
        _library.forget_plans()
        _launch.planned = lambda spec: planned.append(spec.layout)
        try:
            torch._dynamo.reset()
            given = x.requires_grad_(), *ours.parameters()
            with config.patch(force_disable_caches=True):
                y = torch.compile(ours, fullgraph=True)(x)
                found = torch.autograd.grad(y.square().sum(), given)
            self.assertEqual(set(planned), {_library.CHANNELS_LAST})
            self.assertEqual(len(planned), 9)
            expected = ours(x)
            for a, b in zip((y, *found), (expected, *torch.autograd.grad(expected.square().sum(), given))):
                self.assertTrue(torch.equal(a, b))
                self.assertEqual(a.stride(), b.stride())
        finally:
            _inductor._FAST_CHANNELS_LAST, _launch.planned = where, None

    def test_all_dimensions_and_types(self):
        for rank, dtype in ((1, torch.float32), (2, torch.bfloat16), (3, torch.float16)):
            function = getattr(ck_conv, f"conv{rank}d")
            x, w, b = (integers(*size, dtype=dtype) for size in ((2, 4, *[5] * rank), (6, 2, *[3] * rank), (6,)))
            arguments = 2, 1, 1, 2
            y, code = code_of(lambda x, w, b: function(x, w, b, *arguments), x, w, b)
            self.assertTrue(torch.equal(y, function(x, w, b, *arguments)))
            self.assertEqual((calls(code, "forward"), "ops.ck_conv" in code), (1, False))

    def test_a_bias_is_added_by_what_follows(self):
        x, w, b = integers(2, 3, 5, 5), integers(4, 3, 3, 3), integers(4)
        for follows, added in ((lambda y: y.relu(), True), (lambda y: y.permute(0, 2, 3, 1).sum(-1), True),
                               (lambda y: y, False), (lambda y: (y, y.relu()), False),
                               (lambda y: y.permute(0, 2, 3, 1), False),
                               (lambda y: nn.functional.max_pool2d(y, 2), False),
                               (lambda y: ck_conv.conv2d(y, w.new_ones(2, 4, 1, 1)), False)):
            def of(x, w, b):
                return follows(ck_conv.conv2d(x, w, b))

            y, code = code_of(of, x, w, b)
            torch.testing.assert_close(y, of(x, w, b), rtol=0, atol=0)
            first = next(line for line in code.splitlines() if "ck_conv_forward_" in line and "out=" in line)
            self.assertEqual(first.count(",") == 2, added, first)

    def test_fused_networks(self):
        """What fuse() makes: biases, residuals and activations are in the calls, in every combination."""
        x, w, b = integers(2, 4, 5, 5), integers(4, 4, 1, 1), integers(4)
        x = x.contiguous(memory_format=torch.channels_last)
        for e, bias in ((Epilogue("relu", BEFORE), b), (Epilogue("clamp", AFTER, 0., float("inf")), None),
                        (Epilogue("relu"), b), (Epilogue("relu"), None)):
            def of(x, w, bias):
                residual = x * 2 if e.residual != "none" else None
                return epilogue.convolution(convolution, 2, x, w, bias, residual, e, (1, 0, 1, 1)) + 1

            with torch.no_grad():
                y, code = code_of(of, x, w, bias)
                self.assertTrue(torch.equal(y, of(x, w, bias)))
            self.assertEqual((calls(code, "fused"), "ops.ck_conv" in code), (1, False))

    def test_operands_with_gaps_are_packed_by_what_makes_them(self):
        """Halves of a tensor, and one that is computed: no copy of its own at each call."""
        x, w = integers(2, 8, 6, 6).contiguous(memory_format=torch.channels_last), integers(4, 4, 3, 3)

        def of(x, w):
            a, b = x.chunk(2, dim=1)
            return ck_conv.conv2d(a, w) + ck_conv.conv2d(b * 2, w)

        y, code = code_of(of, x, w)
        self.assertTrue(torch.equal(y, of(x, w)))
        self.assertEqual(calls(code, "forward"), 2)
        packed, counted = _launch.packed, []
        _launch.packed = lambda *a: (counted.append(a), packed(*a))[1]
        try:
            torch.compile(of)(x, w)
        finally:
            _launch.packed = packed
        self.assertEqual(counted, [])

    def test_dynamic_sizes(self):
        function = torch.compile(lambda x, w, b: ck_conv.conv2d(x, w, b, padding=1).relu(), dynamic=True, fullgraph=True)
        w, b = integers(4, 3, 3, 3).requires_grad_(), integers(4)
        for n, h in ((2, 5), (3, 4), (2, 5)):
            x = integers(n, 3, h, 6)
            y, expected = function(x, w, b), ck_conv.conv2d(x, w, b, padding=1).relu()
            self.assertTrue(torch.equal(y, expected))
            self.assertTrue(torch.equal(*(torch.autograd.grad(v.square().sum(), w)[0] for v in (y, expected))))

    def test_branches_partitions_and_frozen_weights(self):
        x, w, b = integers(2, 4, 6, 6), integers(4, 4, 3, 3), integers(4)

        def branches(x, w, b):
            return torch.cond(x.sum() > 99, lambda x: ck_conv.conv2d(x, w, b).relu(), lambda x: ck_conv.conv2d(x * 2, w, b),
                              (x,))

        def parts(x, w, b):
            return ck_conv.conv2d(ck_conv.conv2d(x, w, b).relu().sign(), w).relu()

        frozen = ck_conv.replace(nn.Sequential(nn.Conv2d(4, 4, 3), nn.ReLU(), nn.Conv2d(4, 2, 1, bias=False))).double().eval()
        with torch.no_grad():
            for p in frozen.parameters():
                p.copy_(integers(*p.shape))
            for function, arguments, options in (
                    (branches, (x, w, b), {}), (frozen, (x,), {"freezing": True}),
                    (parts, (x, w, b), {"graph_partition": True, "custom_should_partition_ops": ["aten::sign"]})):
                with config.patch({name: value for name, value in options.items() if hasattr(config, name)}):
                    y, code = code_of(function, *arguments)
                self.assertTrue(torch.equal(y, function(*arguments)))
                self.assertEqual((calls(code, "forward"), "ops.ck_conv" in code), (2, False))

    def test_code_that_another_process_left(self):
        """Its file is loaded; nothing of Inductor's lowering is."""
        program = ("import torch, ck_conv\n"
                   "f = torch.compile(lambda x, w: ck_conv.conv2d(x, w).relu())\n"
                   "y = f(torch.ones(1, 2, 3, 3), torch.ones(2, 2, 3, 3))\n"
                   "assert y.flatten().tolist() == [18, 18]\n"
                   "from torch._dynamo.utils import counters\n"
                   "print(counters['inductor']['fxgraph_cache_hit'] + counters['aot_autograd']['autograd_cache_hit'])")
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": folder, "TORCHINDUCTOR_COMPILE_THREADS": "1"}
            hits = [int(subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True,
                                       text=True).stdout) for _ in range(2)]
        self.assertEqual(hits[0], 0)
        self.assertGreater(hits[1], 0)

    def test_an_inductor_that_is_not_known_calls_the_operator(self):
        known, lowerings = _inductor._is_known, dict(_inductor.lowering.lowerings)
        _inductor._is_known = lambda: False
        operators = {0: torch.ops.ck_conv.forward.default}
        try:
            _inductor.lowering.lowerings.pop(operators[0], None)
            self.assertFalse(_inductor.register(operators, None))
            x, w = integers(1, 2, 4, 4), integers(2, 2, 3, 3)
            y, code = code_of(lambda x, w: ck_conv.conv2d(x, w), x, w)
            self.assertTrue(torch.equal(y, ck_conv.conv2d(x, w)))
            self.assertIn("ops.ck_conv.forward", code)
        finally:
            _inductor._is_known = known
            _inductor.lowering.lowerings.clear()
            _inductor.lowering.lowerings.update(lowerings)
            _inductor.lowering.fallbacks.discard(operators[0])
            _inductor.lowering._maybe_layout_constraints.pop(operators[0], None)


class Call(unittest.TestCase):
    G = (1, 1), (0, 0), (0, 0), (1, 1), False, (0, 0), 1

    def setUp(self):
        torch.manual_seed(6)
        self.x, self.w, self.b = integers(2, 3, 5, 5), integers(4, 3, 3, 3), integers(4)
        self.expected = ck_conv.conv2d(self.x, self.w, self.b)

    def compute(self, function, x=None, more=(), expected=None):
        expected = self.expected if expected is None else expected
        out = torch.full_like(expected, 7)
        function(self.x if x is None else x, self.w, self.b, *more, out=out)
        self.assertTrue(torch.equal(out, expected))

    def test_plans_are_found_once_and_again_when_they_are_forgotten(self):
        function = _compiled.function(_library.FORWARD, self.G, False, True, "bias")
        found, find = [], _launch.find
        _launch.find = lambda *a: (found.append(a), find(*a))[1]
        try:
            for times in (1, 2):
                self.compute(function)
                self.compute(function)
                self.assertEqual(len(found), times)
                _library.forget_plans()
        finally:
            _launch.find = find

    def test_addresses_that_are_not_aligned(self):
        function = _compiled.function(_library.FORWARD, self.G, False, True, "bias")
        self.compute(function)
        moved = torch.zeros(self.x.numel() + 1, dtype=self.x.dtype)[1:].view_as(self.x).copy_(self.x)
        self.assertNotEqual(moved.data_ptr() % 16, 0)
        self.compute(function, moved)
        self.compute(function)

    def test_other_sizes(self):
        self.compute(_compiled.function(_library.FORWARD, self.G, False, False, "bias"))
        function = _compiled.function(_library.FORWARD, self.G, False, False)
        for n in (1, 3):
            x = integers(n, 3, 4, 6)
            out = torch.empty(n, 4, 2, 4, dtype=x.dtype)
            function(x, self.w, out=out)
            self.assertTrue(torch.equal(out, ck_conv.conv2d(x, self.w)))

    def test_empty_sums(self):
        out = torch.ones(2, 4, 3, 3)
        _compiled.function(_library.FORWARD, self.G, False, True)(torch.ones(2, 0, 5, 5), torch.ones(4, 0, 3, 3), out=out)
        self.assertEqual(out.unique().tolist(), [0])

    def test_what_the_library_refuses(self):
        """PyTorch adds and activates then."""
        make, refused = _launch.make_plan, []

        def refuse(*arguments):
            if arguments[7]:
                refused.append(arguments)
                raise _library.Refused("no")
            return make(*arguments)

        _library.forget_plans()
        _launch.make_plan = refuse
        residual = torch.ones_like(self.expected)
        try:
            for function, more, expected in (
                    (_compiled.function(_library.FORWARD, self.G, False, True, "bias"), (), self.expected),
                    (_compiled.function(_library.FORWARD, self.G, False, True, "bias, residual", ("relu", AFTER, 0, 0, True)),
                     (residual,), self.expected.relu() + 1)):
                with self.assertWarns(RuntimeWarning):
                    self.compute(function, None, more, expected)
                self.compute(function, None, more, expected)
        finally:
            _launch.make_plan = make
            _library.forget_plans()
        self.assertEqual([len(arguments) for arguments in refused], [8, 11])


if __name__ == "__main__":
    unittest.main()
