#!/usr/bin/python3
"""Tensors of a GPU that is not the current one are computed on its current stream, and the current GPU stays what it was. On
the host, tensors only say that they are on a GPU."""
import contextlib
import itertools
import struct
import sys
import unittest
from unittest import mock

from needs_torch import integers, torch

import ck_conv
from ck_conv._c.geometry import Geometry, convolution
from ck_conv._c.interface import BACKWARD_DATA, BACKWARD_WEIGHT, F8_OCP, FORWARD, forget_plans
from ck_conv._conv import causal, epilogue, launch, layer as _layer, over_input, scaled
from ck_conv._conv.epilogue import BEFORE, Epilogue
from ck_conv._norm import batch_norm, group_norm
from torch.nn import functional as F

G = Geometry((1, 1), (0, 0), (0, 0), (1, 1), False, (0, 0), 1)
GPU = 2


class OnGpu(torch.Tensor):
    """A tensor of the host that says otherwise."""
    __torch_function__ = torch._C._disabled_torch_function_impl
    is_cuda = True

    def get_device(self):
        return GPU


def on_gpu(*tensors):
    return [None if t is None else t.detach().as_subclass(OnGpu) for t in tensors]


def on_cpu(*tensors):
    return tensors


class Devices(unittest.TestCase):
    def setUp(self):
        self.current, self.tf32, self.streams = 0, False, []  # streams: (the device of a stream, the current one)
        everything = contextlib.ExitStack()
        self.addCleanup(everything.close)
        places = [module for name, module in sys.modules.items() if name.startswith("ck_conv.")]
        for name, value in (("current_device", lambda: self.current), ("_stream", self.stream), ("allows_tf32", lambda: self.tf32)):
            for module in places:
                if hasattr(module, name):
                    everything.enter_context(mock.patch.object(module, name, value))
        everything.enter_context(mock.patch.object(torch.cuda, "device", self.device))
        everything.enter_context(mock.patch.object(torch.cuda, "current_device", lambda: self.current))

    def stream(self, index):
        self.streams.append((index, self.current))
        return 0

    @contextlib.contextmanager
    def device(self, index):
        before, self.current = self.current, index
        yield
        self.current = before

    def on_its_device(self, times=1):
        self.assertEqual((self.streams, self.current), ([(GPU, GPU)] * times, 0))
        self.streams.clear()

    def images(self, *size):
        return integers(*size).contiguous(memory_format=torch.channels_last)

    def test_three_directions(self):
        x, w, b = self.images(2, 4, 5, 5), self.images(3, 4, 2, 2), integers(3)
        y = F.conv2d(x, w, b)
        with torch.enable_grad():
            given = x.clone().requires_grad_(), w.clone().requires_grad_()
            grads = torch.autograd.grad(F.conv2d(*given), given, y)
        for direction, first, second, bias, size, expected in (
                (FORWARD, x, w, b, None, y), (BACKWARD_DATA, y, w, None, x.shape, grads[0]),
                (BACKWARD_WEIGHT, x, y, None, w.shape, grads[1])):
            for channels_last in (True, False):
                operands = [launch.packed(t, channels_last) for t in (first, second)]
                found = launch.convolve(direction, *on_gpu(*operands, bias), size, G, channels_last)
                self.assertTrue(torch.equal(found, expected))
                self.assertEqual(launch.packed(found, channels_last).data_ptr(), found.data_ptr())
                self.on_its_device()

    def test_tf32(self):
        """For float32 on GPUs, where PyTorch allows it."""
        asked, make, make_causal = [], launch.make_plan, causal._plan

        def recorded(make):
            def without(*arguments):
                asked.append(arguments[6])
                return make(*arguments[:6], False, *arguments[7:])
            return without
        with mock.patch.object(launch, "make_plan", recorded(make)), mock.patch.object(causal, "_plan", recorded(make_causal)):
            for dtype, self.tf32, place in itertools.product((torch.float32, torch.float64), (True, False), (on_gpu, on_cpu)):
                forget_plans()
                x, w = place(integers(1, 2, 4, 4, dtype=dtype), integers(2, 2, 1, 1, dtype=dtype))
                launch.convolve(FORWARD, x, w, None, None, G, False)
                epilogue.convolve(x, w, None, None, Epilogue("relu"), G, False)
                causal.whole(x, w, None, G, 0)
                self.assertEqual(asked, [dtype == torch.float32 and self.tf32 and place is on_gpu] * 3)
                asked.clear()

    def test_epilogues(self):
        x, w, b, residual = self.images(2, 4, 5, 5), self.images(4, 4, 1, 1), integers(4), self.images(2, 4, 5, 5)
        for bias, add in ((b, residual), (b, None), (None, residual)):
            e = Epilogue("clamp", "none" if add is None else BEFORE, -1., 2.)
            expected = F.conv2d(x, w, bias)
            expected = (expected if add is None else expected + add).clamp(-1, 2)
            kept = None if add is None else add.clone(memory_format=torch.preserve_format)
            for overwrites in (False, True):
                given = on_gpu(x, w, bias, kept)
                found = epilogue.convolve(*given, e, G, True, None, overwrites)
                self.assertTrue(torch.equal(found, expected))
                self.assertEqual(found is given[3], overwrites and add is not None)
                self.on_its_device()

    def test_a_remembered_epilogue(self):
        x, w, b = self.images(2, 4, 5, 5), self.images(4, 4, 1, 1), integers(4)
        arguments, e = (1, 0, 1, 1), Epilogue("relu")
        with torch.no_grad():
            epilogue.convolution(convolution, 2, x, w, b, None, e, arguments)
            layer = next(v for k, v in epilogue._recent.items() if k[0] == id(w))
            for index, current, calls in ((GPU, 0, 1), (GPU, GPU, 0), (0, GPU, 1), (0, 0, 0), (-1, 0, 0)):
                layer.index, self.current = index, current
                with mock.patch.object(epilogue, "convolve", wraps=epilogue.convolve) as convolve:
                    found = epilogue.convolution(convolution, 2, x, w, b, None, e, arguments)
                self.assertEqual(convolve.call_count, calls)
                self.assertTrue(torch.equal(found, F.conv2d(x, w, b).relu()))

    def test_layers(self):
        x, w, b = self.images(2, 4, 5, 5), self.images(4, 4, 1, 1), integers(4)
        layer = _layer.Layer(x, w, b, G)
        y = F.conv2d(x, w, b)
        given = x.clone(memory_format=torch.preserve_format).requires_grad_(), w.clone().requires_grad_()
        grads = torch.autograd.grad(F.conv2d(*given), given, y)
        for index, current, slow in ((GPU, 0, True), (GPU, GPU, False), (0, GPU, True), (0, 0, False), (-1, 0, False)):
            layer.index, self.current = index, current
            with mock.patch.object(launch, "convolve", wraps=launch.convolve) as convolve, torch.no_grad():
                self.assertTrue(torch.equal(layer.forward(x, w, b), y))
                self.assertEqual(convolve.call_count, slow)
                found = layer.backward(x, w, y, (True, True, False, False))
                self.assertEqual(convolve.call_count, 3 * slow)
            self.assertTrue(all(map(torch.equal, found, grads)))
            self.assertEqual(self.streams, [] if slow or index < 0 else [(index, current)] * 2)
            self.streams.clear()

    def test_group_norms(self):
        x, w, b = torch.rand(2, 4, 5, 5).contiguous(memory_format=torch.channels_last), torch.rand(4), torch.rand(4)
        norm = group_norm.norm_of(x, 2, w, b, 1e-5, ("silu", 0., 0.))
        expected = F.silu(F.group_norm(x, 2, w, b))
        norm.index = GPU
        for weight, bias in ((w, b), (w, None)):
            found, statistics = norm.forward(x, weight, bias)
            torch.testing.assert_close(found, F.silu(F.group_norm(x, 2, weight, bias)))
            self.on_its_device()
        kept = x.clone(memory_format=torch.preserve_format)
        self.assertIs(norm.forward(kept, w, b, overwrites=True)[0], kept)
        torch.testing.assert_close(kept, expected)
        self.on_its_device()
        norm.backward(x, w, b, statistics, None, x, (True, True, True, False))  # autograd has made it current
        self.assertEqual(self.streams, [(GPU, 0)])
        self.streams.clear()
        norm.index = 0
        norm.forward(x, w, b)
        self.assertEqual(self.streams, [(0, 0)])

    def test_batch_norms(self):
        x, w, b = torch.rand(2, 4, 5, 5).contiguous(memory_format=torch.channels_last), torch.rand(4), torch.rand(4)
        residual = torch.rand_like(x)
        for add in (None, residual):
            norm = batch_norm.Norm(x, add, 1e-5, ("relu", 0., 0.))
            norm.index = GPU
            mean, var = torch.rand(4), torch.rand(4) + .5
            at = mean.data_ptr(), var.data_ptr()
            more = 0 if add is None else add
            found = norm.inference(x, w, b, add, *at)
            torch.testing.assert_close(found, (F.batch_norm(x, mean, var, w, b) + more).relu())
            self.on_its_device()
            theirs = mean.clone(), var.clone()
            found, statistics = norm.forward(x, w, b, add, *at, .3)
            torch.testing.assert_close(found, (F.batch_norm(x, *theirs, w, b, True, .3) + more).relu())
            torch.testing.assert_close((mean, var), theirs)
            self.on_its_device()
            norm.backward(x, w, b, statistics, None if add is None else found, x, (True, True, True, add is not None))
            self.assertEqual(self.streams, [(GPU, 0)])
            self.streams.clear()
            norm.index = 0
            norm.forward(x, w, b, add, 0, 0, .3), norm.inference(x, w, b, add, *at)
            self.assertEqual(self.streams, [(0, 0)] * 2)
            self.streams.clear()

    def test_causal_convolutions(self):
        x, w, b = integers(1, 4, 6), integers(3, 4, 2), integers(3)
        g = Geometry((1,), (1,), (0,), (1,), False, (0,), 1)
        expected = F.conv1d(F.pad(x, (1, 0)), w, b)
        whole = causal.whole(*on_gpu(x, w, b), g, 0)
        self.assertTrue(torch.equal(whole, expected))
        self.on_its_device()
        frames, skip = None, 0
        for i in (0, 3):
            found, frames, skip = causal.stream(*on_gpu(x[..., i:i + 3], w, b), g, 0, frames, skip)
            self.assertTrue(torch.equal(found, expected[..., i:i + 3]))
            self.on_its_device()

    def test_over_input(self):
        x, w, b = self.images(1, 8, 9, 4), self.images(2, 8, 1, 1), integers(2)
        arguments = x, w, b, Epilogue("relu"), convolution, (1, 0, 1, 1)
        expected = F.conv2d(x, w, b).relu()
        with mock.patch.object(over_input, "LEAST_BYTES", 0), mock.patch.object(over_input, "nobody_watches", lambda *_: True):
            self.assertIsNone(over_input.convolve(*on_gpu(x), *arguments[1:]))
            self.current = GPU
            self.assertTrue(torch.equal(over_input.convolve(*on_gpu(x), *arguments[1:]), expected))
            self.assertEqual(self.streams, [(GPU, GPU)])

    def test_eight_bit_floats(self):
        x, w, ones = torch.full((1, 2, 3, 3), 56, dtype=torch.uint8), torch.full((3, 2, 1, 1), 56, dtype=torch.uint8), torch.ones(3)
        with mock.patch.object(scaled, "FLOAT8", {torch.uint8: F8_OCP}):
            found, amax = ck_conv.scaled_conv(*on_gpu(x, w), ones[0], ones, ones, residual=torch.ones(1, 3, 3, 3),
                                              activation=(0., 3.5), out_dtype=torch.float16, amax=True)
        self.assertEqual((found.float().unique().tolist(), found.dtype, float(amax)), ([3.5], torch.float16, 3.5))
        self.on_its_device()

    def test_what_norms_pass_on(self):
        """The address of each tensor in its place, 0 for those that are missing, and the stream of the device."""
        x = torch.rand(2, 4, 5, 5).contiguous(memory_format=torch.channels_last)
        w, b, residual, grad = torch.rand(4), torch.rand(4), torch.rand_like(x), torch.rand_like(x)
        memory, passed = torch.empty(8), []

        def at(*tensors):
            return [0 if t is None else t.data_ptr() for t in tensors]

        def check(fields, call):
            passed.clear()
            found = call()
            size, *given = struct.unpack(fields, passed[0])
            self.assertEqual(size, struct.calcsize(fields))
            return found, given
        self.current = GPU
        with mock.patch.object(batch_norm, "_stream", lambda index: 70 + index), \
                mock.patch.object(group_norm, "_stream", lambda index: 70 + index):
            for weight, bias, add, index, has_memory in itertools.product((w, None), (b, None), (residual, None), (GPU, -1), (
                    True, False)):
                norm = batch_norm.Norm(x, add, 1e-5, ("relu", 0., 0.))
                norm.run_forward = norm.run_backward = norm.run_inference = lambda plan, given: passed.append(given) or 0
                norm.index, stream = index, 70 + index if index >= 0 else 0
                norm.aligned = norm.aligned._replace(new_workspace=lambda: memory if has_memory else None)
                at_memory, fields = memory.data_ptr() if has_memory else 0, "N14Pd2P"
                (y, statistics), given = check(fields, lambda: norm.forward(x, weight, bias, add, 5, 6, .3))
                at_mean = statistics.data_ptr()
                self.assertEqual(given, [*at(x, add, weight, bias, y), at_mean, at_mean + 16, 5, 6, *[0] * 5, .3, at_memory,
                                         stream])
                y, given = check(fields, lambda: norm.inference(x, weight, bias, add, 5, 6))
                self.assertEqual(given, [*at(x, add, weight, bias, y), 0, 0, 5, 6, *[0] * 5, 0., 0, stream])
                needs = True, weight is not None, bias is not None, add is not None
                saved = y if add is not None else None
                found, given = check(fields, lambda: norm.backward(x, weight, bias, statistics, saved, grad, needs))
                of_x, of_weight, of_bias, of_residual = found
                self.assertEqual(given, [*at(x, None, weight, bias, saved), at_mean, at_mean + 16, 0, 0,
                                         *at(grad, of_x, of_residual, of_weight, of_bias), 0., at_memory, stream])
                self.assertEqual(tuple(t is not None for t in found), needs)

                norm = group_norm.Norm(x, 2, torch.float32, (4,), 1e-5, ("relu", 0., 0.), add is not None)
                norm.run_forward = norm.run_backward = lambda plan, given: passed.append(given) or 0
                norm.index, fields = index, "N14P"
                norm.aligned = norm.aligned._replace(new_workspace=lambda: memory)
                (y, statistics), given = check(fields, lambda: norm.forward(x, weight, bias, add))
                at_mean = statistics.data_ptr()
                self.assertEqual(given, [*at(x, weight, bias, y), at_mean, at_mean + 16, *[0] * 4, memory.data_ptr(), stream,
                                         *at(add, None)])
                saved = y if add is not None else None
                found, given = check(fields, lambda: norm.backward(x, weight, bias, statistics, saved, grad, needs))
                of_x, of_weight, of_bias, of_residual = found
                self.assertEqual(given, [*at(x, weight, bias, saved), at_mean, at_mean + 16, *at(grad, of_x, of_weight, of_bias),
                                         memory.data_ptr(), stream, *at(None, of_residual)])
                self.assertEqual(tuple(t is not None for t in found), needs)

    @torch.no_grad()
    def test_errors_of_the_library_are_raised(self):
        x = torch.rand(2, 4, 5, 5).contiguous(memory_format=torch.channels_last)
        norm = batch_norm.Norm(x, None, 1e-5, ("none", 0., 0.))
        groups = group_norm.Norm(x, 2, x.dtype, (4,), 1e-5, group_norm.NONE, False)
        statistics = norm.forward(x, None, None, None, 0, 0, .1)[1]
        norm.run_forward = norm.run_backward = norm.run_inference = groups.run_forward = groups.run_backward = lambda *_: 1
        w = torch.rand(4, 4, 1, 1)
        layer = _layer.Layer(x, w, None, G)
        y = layer.forward(x, w, None)
        of_x, of_w = (layer._find_gradients(x, w, y, needs)[place] for needs, place in (((True, False), 2), ((False, True), 4)))
        for ready in (layer.ready, of_x, of_w):
            ready.run = lambda *_: 1
        for call in (lambda: norm.forward(x, None, None, None, 0, 0, .1), lambda: norm.inference(x, None, None, None, 0, 0),
                     lambda: norm.backward(x, None, None, statistics, None, x, (True,) * 4),
                     lambda: groups.forward(x, None, None), lambda: groups.backward(x, None, None, statistics, None, x, (True,) * 4),
                     lambda: layer.forward(x, w, None), lambda: layer.backward(x, w, y, (True, False)),
                     lambda: layer.backward(x, w, y, (False, True)), lambda: launch.run(layer.ready, 0, 0, 0, 0, None, 0)):
            with self.assertRaises(ck_conv.Error):
                call()
        forget_plans()

    @torch.no_grad()
    def test_what_layers_pass_on(self):
        """Likewise of convolutions and their gradients."""
        x, w, b = self.images(2, 4, 5, 5), self.images(4, 4, 1, 1), integers(4)
        memory, passed, y = torch.empty(8), [], self.images(2, 4, 5, 5)
        layer = _layer.Layer(x, w, b, G)

        def run(handle, given):
            passed.append(struct.unpack("7P", given))
            return 0
        self.current = GPU
        with mock.patch.object(_layer, "_stream", lambda index: 70 + index):
            for index, has_memory, adds_bias, bias in itertools.product((GPU, -1), (True, False), (True, False), (b, None)):
                layer.index, stream, at_memory = index, 70 + index if index >= 0 else 0, memory.data_ptr() if has_memory else 0
                layer.ready.run, layer.ready.adds_bias = run, adds_bias and bias is not None
                layer.ready.new_workspace = lambda: memory if has_memory else None
                found = layer.forward(x, w, bias)
                at_bias = 0 if bias is None or adds_bias else bias.data_ptr()
                at_x, at_w, at_y = x.data_ptr(), w.data_ptr(), y.data_ptr()
                self.assertEqual(passed, [(at_x, at_w, found.data_ptr(), at_bias, 0, at_memory, stream)])
                passed.clear()
                for needs in ((True, False), (False, True), (True, True)):
                    known = layer._find_gradients(x, w, y, needs)
                    for ready in known[2:5:2]:
                        if ready is not None:
                            ready.run = run
                    layer.of_gradients[next(reversed(layer.of_gradients))] = *known[:-1], layer.ready.new_workspace
                    grads = layer.backward(x, w, y, needs)
                    self.assertEqual(tuple(t is not None for t in grads), needs)
                    expected = [(grads[0].data_ptr(), at_w, at_y, 0, 0, at_memory, stream)] if needs[0] else []
                    expected += [(at_x, grads[1].data_ptr(), at_y, 0, 0, at_memory, stream)] if needs[1] else []
                    self.assertEqual(passed, expected)
                    passed.clear()
                layer.of_gradients.clear()
                forget_plans()


if __name__ == "__main__":
    unittest.main()
