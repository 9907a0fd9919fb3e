#!/usr/bin/python3
"""What torch.compile's Inductor makes of convolutions: calls without PyTorch's dispatcher, with biases where they cost
nothing, and the numbers of PyTorch's."""
import copy
import os
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

from needs_torch import integers, torch

import ck_conv
from ck_conv._c import interface as library
from ck_conv._c.geometry import Geometry, convolution
from ck_conv._conv import compiled, epilogue, launch
from ck_conv._conv.epilogue import AFTER, BEFORE, Epilogue
from torch import nn
from torch.nn import functional as F

HAS_INDUCTOR = hasattr(torch, "compile")
if HAS_INDUCTOR:
    from ck_conv._conv import inductor
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


@unittest.skipUnless(HAS_INDUCTOR, "this PyTorch has no torch.compile")
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
        where, inductor._FAST_CHANNELS_LAST = inductor._FAST_CHANNELS_LAST, {"cpu"}
        planned = []
        library.forget_plans()
        launch.planned = lambda spec: planned.append(spec.layout)
        try:
            torch._dynamo.reset()
            given = x.requires_grad_(), *ours.parameters()
            with config.patch(force_disable_caches=True):
                y = torch.compile(ours, fullgraph=True)(x)
                found = torch.autograd.grad(y.square().sum(), given)
            self.assertEqual(set(planned), {library.CHANNELS_LAST})
            self.assertEqual(len(planned), 9)
            expected = ours(x)
            for a, b in zip((y, *found), (expected, *torch.autograd.grad(expected.square().sum(), given))):
                self.assertTrue(torch.equal(a, b))
                self.assertEqual(a.stride(), b.stride())
        finally:
            inductor._FAST_CHANNELS_LAST, launch.planned = where, None

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
        packed, counted = launch.packed, []
        launch.packed = lambda *a: (counted.append(a), packed(*a))[1]
        try:
            torch.compile(of)(x, w)
        finally:
            launch.packed = packed
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
        known, lowerings = inductor._is_known, dict(inductor.lowering.lowerings)
        inductor._is_known = lambda: False
        operators = {0: torch.ops.ck_conv.forward.default}
        try:
            inductor.lowering.lowerings.pop(operators[0], None)
            self.assertFalse(inductor.register(operators, None))
            x, w = integers(1, 2, 4, 4), integers(2, 2, 3, 3)
            y, code = code_of(lambda x, w: ck_conv.conv2d(x, w), x, w)
            self.assertTrue(torch.equal(y, ck_conv.conv2d(x, w)))
            self.assertIn("ops.ck_conv.forward", code)
        finally:
            inductor._is_known = known
            inductor.lowering.lowerings.clear()
            inductor.lowering.lowerings.update(lowerings)
            inductor.lowering.fallbacks.discard(operators[0])
            inductor.lowering._maybe_layout_constraints.pop(operators[0], None)


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
        function = compiled.function(library.FORWARD, self.G, False, True, "bias")
        found, find = [], launch.find
        launch.find = lambda *a: (found.append(a), find(*a))[1]
        try:
            for times in (1, 2):
                self.compute(function)
                self.compute(function)
                self.assertEqual(len(found), times)
                library.forget_plans()
        finally:
            launch.find = find

    def test_addresses_that_are_not_aligned(self):
        function = compiled.function(library.FORWARD, self.G, False, True, "bias")
        self.compute(function)
        moved = torch.zeros(self.x.numel() + 1, dtype=self.x.dtype)[1:].view_as(self.x).copy_(self.x)
        self.assertNotEqual(moved.data_ptr() % 16, 0)
        self.compute(function, moved)
        self.compute(function)

    def test_other_sizes(self):
        self.compute(compiled.function(library.FORWARD, self.G, False, False, "bias"))
        function = compiled.function(library.FORWARD, self.G, False, False)
        for n in (1, 3):
            x = integers(n, 3, 4, 6)
            out = torch.empty(n, 4, 2, 4, dtype=x.dtype)
            function(x, self.w, out=out)
            self.assertTrue(torch.equal(out, ck_conv.conv2d(x, self.w)))

    def test_empty_sums(self):
        out = torch.ones(2, 4, 3, 3)
        compiled.function(library.FORWARD, self.G, False, True)(torch.ones(2, 0, 5, 5), torch.ones(4, 0, 3, 3), out=out)
        self.assertEqual(out.unique().tolist(), [0])

    def test_what_the_library_refuses(self):
        """PyTorch adds and activates then."""
        make, refused = launch.make_plan, []

        def refuse(*arguments):
            if arguments[7]:
                refused.append(arguments)
                raise library.Refused("no")
            return make(*arguments)

        library.forget_plans()
        launch.make_plan = refuse
        residual = torch.ones_like(self.expected)
        try:
            for function, more, expected in (
                    (compiled.function(library.FORWARD, self.G, False, True, "bias"), (), self.expected),
                    (compiled.function(library.FORWARD, self.G, False, True, "bias, residual", ("relu", AFTER, 0, 0, True)),
                     (residual,), self.expected.relu() + 1)):
                with self.assertWarns(RuntimeWarning):
                    self.compute(function, None, more, expected)
                self.compute(function, None, more, expected)
        finally:
            launch.make_plan = make
            library.forget_plans()
        self.assertEqual([len(arguments) for arguments in refused], [8, 11])

    def test_every_direction_and_what_is_added(self):
        """The first call, and the second one, which repeats it."""
        for transposed, channels_last, keeps_type in ((False, False, True), (True, True, True), (False, True, False)):
            stride, groups = (2, 1), 2
            g = Geometry(stride, (1, 0), (1, 0), (1, 1), transposed, (0, 0), groups)
            form = torch.channels_last if channels_last else torch.contiguous_format
            x, w = integers(2, 4, 5, 6).contiguous(memory_format=form), integers(4, 2, 3, 2).contiguous(memory_format=form)
            direction = library.BACKWARD_DATA if transposed else library.FORWARD
            rows = F.conv_transpose2d if transposed else F.conv2d
            with torch.enable_grad():
                given = [t.clone(memory_format=torch.preserve_format).requires_grad_() for t in (x, w)]
                y = rows(*given, stride=stride, padding=(1, 0), groups=groups)
                grad = integers(*y.shape).contiguous(memory_format=form)
                y.backward(grad)
            of_x, of_w = (t.grad for t in given)
            if transposed:  # y of a transposed convolution is X of the forward direction
                cases = (direction, x, w, y), (library.FORWARD, grad, w, of_x), (library.BACKWARD_WEIGHT, grad, x, of_w)
            else:
                cases = (direction, x, w, y), (library.BACKWARD_DATA, grad, w, of_x), (library.BACKWARD_WEIGHT, x, grad, of_w)
            g = g._replace(transposed=False)
            for direction, first, second, expected in cases:
                function = compiled.function(direction, g, channels_last, True)
                for _ in range(2):
                    out = torch.full_like(expected, 7).contiguous(memory_format=form)
                    function(first, second, out=out)
                    self.assertTrue(torch.equal(out, expected), (g, direction))
        for adds in ((), ("bias",), ("residual",), ("bias", "residual")):
            self.added(adds)

    def added(self, adds):
        x, w, b = integers(2, 3, 5, 5), integers(4, 3, 1, 1), integers(4)
        x, residual = x.contiguous(memory_format=torch.channels_last), integers(2, 4, 5, 5)
        residual = residual.contiguous(memory_format=torch.channels_last)
        g = self.G[:1] + ((0, 0),) * 2 + self.G[3:]
        e = ("clamp", BEFORE if "residual" in adds else "none", -1., 2., True)
        function = compiled.function(library.FORWARD, g, True, True, ", ".join(adds), e)
        more = [t for name, t in (("bias", b), ("residual", residual)) if name in adds]
        expected = F.conv2d(x, w, b if "bias" in adds else None)
        expected = (expected + residual if "residual" in adds else expected).clamp(-1, 2)
        for _ in range(2):
            out = torch.full_like(expected, 7)
            function(x, w, *more, out=out)
            self.assertTrue(torch.equal(out, expected), adds)

    def test_one_tensor_is_not_aligned(self):
        """Whichever it is: another plan computes this call."""
        e = ("clamp", BEFORE, -1., 2., True)
        x, w, b, residual, out = (integers(*size).contiguous(memory_format=torch.channels_last) if len(size) == 4 else integers(
            *size) for size in ((2, 4, 5, 5), (4, 4, 1, 1), (4,), (2, 4, 5, 5), (2, 4, 5, 5)))
        g = self.G[:1] + ((0, 0),) * 2 + self.G[3:]
        expected = (F.conv2d(x, w, b) + residual).clamp(-1, 2)
        function = compiled.function(library.FORWARD, g, True, True, "bias, residual", e)
        tensors, alignments, find = [x, w, b, residual, out], [], epilogue._find
        function(*tensors[:4], out=out)

        def recorded(*arguments):
            alignments.append(arguments[-1])
            return find(*arguments)
        for batch_invariant in (False, True):
            ck_conv.set_batch_invariant(batch_invariant)
            try:
                function(*tensors[:4], out=out)
                with mock.patch.object(epilogue, "_find", recorded):
                    for i, t in enumerate(tensors):
                        given = list(tensors)
                        memory = torch.zeros(t.numel() + 1, dtype=t.dtype)[1:]
                        given[i] = memory.as_strided(t.shape, t.stride(), 1).copy_(t)
                        given[4] = given[4].fill_(7)
                        function(*given[:4], out=given[4])
                        self.assertTrue(torch.equal(given[4], expected), i)
            finally:
                ck_conv.set_batch_invariant(False)
            self.assertEqual(alignments[:5], [8] * 5)
            if not batch_invariant:
                self.assertEqual(len(alignments), 5)
        plain = compiled.function(library.FORWARD, g, True, True, "bias")
        ck_conv.set_batch_invariant(True)
        try:
            given[4] = given[4].fill_(7)
            plain(x, w, b, out=given[4])
        finally:
            ck_conv.set_batch_invariant(False)
        self.assertTrue(torch.equal(given[4], F.conv2d(x, w, b)))

    def test_calls_on_a_gpu(self):
        """What is passed on: addresses, the device's stream and memory; and when it is asked again for a plan."""
        def tensor(at, dtype=torch.float32, device=1):
            return types.SimpleNamespace(data_ptr=lambda: 16 * at, get_device=lambda: device, dtype=dtype, shape=(at, at))

        ran, found, tf32 = [], [], [True]
        ready = types.SimpleNamespace(handle="plan", run=lambda *given: ran.append(given) or 0, adds_bias=False)
        bias, residual, memory = tensor(4), tensor(5), tensor(6)
        with mock.patch.object(launch, "find", lambda *given: found.append(given) or ready), \
                mock.patch.object(launch, "run", lambda *given: ran.append(given)), \
                mock.patch.object(launch, "stream_of", lambda t: 60 + t.get_device()), \
                mock.patch.object(epilogue, "_find", lambda *given: found.append(given) or (ready, None)), \
                mock.patch.object(compiled, "_stream", lambda index: 70 + index), \
                mock.patch.object(compiled, "allows_tf32", lambda: tf32[0]):
            for direction, order in ((library.FORWARD, (1, 2, 3)), (library.BACKWARD_DATA, (3, 2, 1)),
                                     (library.BACKWARD_WEIGHT, (1, 3, 2))):
                for dtype, workspace, e, device in ((torch.float32, 0, None, 1), (torch.float64, 8, None, 0),
                                                    (torch.float32, 8, ("relu", BEFORE, 0., 6., True), 1),
                                                    (torch.float32, 8, None, -1)):
                    if e is not None and direction != library.FORWARD:
                        continue
                    ready.workspace, ready.new_workspace = workspace, lambda: memory if workspace else None
                    more = [] if e is None else [bias, residual]
                    function = compiled.function(direction, self.G, False, True, "" if e is None else "bias, residual", e)
                    first, second, out = (tensor(1 + i, dtype, device) for i in range(3))
                    for now in (True, True, False):
                        tf32[0] = now
                        function(first, second, *more, out=out)
                    places = *(16 * i for i in order), 64 if more else 0
                    residual_at = 80 if more else 0
                    new = (ready, *places, memory if workspace else None, 60 + device, residual_at)
                    again = "plan", launch._pack_tensors(*places, residual_at, 96 if workspace else 0,
                                                                   70 + device if device >= 0 else 0)
                    asks = dtype == torch.float32 and device >= 0  # whether to multiply in tf32
                    self.assertEqual(ran, [new, again, new if asks else again])
                    g = Geometry(*self.G)
                    asked = ((direction, first, second, None, None if direction == library.FORWARD else out.shape, g, False, 16)
                             if e is None else (first, second, bias, Epilogue(*e), g, False, 16))
                    self.assertEqual(found, [asked] * (2 if asks else 1))
                    ran.clear(), found.clear()

    def test_an_error_of_the_library(self):
        ready = types.SimpleNamespace(handle="plan", run=lambda *given: 1, adds_bias=False, workspace=0, new_workspace=None)
        function = compiled.function(library.FORWARD, self.G, False, True, "bias")
        with mock.patch.object(launch, "find", lambda *given: ready), mock.patch.object(launch, "run"), \
                mock.patch.object(ready, "new_workspace", lambda: None):
            function(self.x, self.w, self.b, out=torch.empty_like(self.expected))
            with self.assertRaises(library.Error):
                function(self.x, self.w, self.b, out=torch.empty_like(self.expected))


if __name__ == "__main__":
    unittest.main()
