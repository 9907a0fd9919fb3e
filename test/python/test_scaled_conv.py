#!/usr/bin/python3
"""scaled_conv() and its gradients against PyTorch's convolutions of double."""
import inspect
import itertools
import unittest
from pathlib import Path
from unittest import mock

from needs_torch import torch

import ck_conv
from ck_conv._c import interface as library
from ck_conv._conv import scaled
from torch.nn import functional as F

CONVOLUTIONS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
HALF_UNITS = {torch.float16: 2. ** -11, torch.bfloat16: 2. ** -8, torch.float32: 0.}
HAS_FLOAT8 = hasattr(torch, "float8_e4m3fn")
# PyTorch before 2.1 has no such type: bytes stand in for them.
TYPES = (torch.float8_e4m3fn, torch.float8_e5m2) if HAS_FLOAT8 else (torch.uint8, torch.int8)


def _numbers(exponent_bits):
    """The values of the bytes 0 to 0x7f; Inf for those without one."""
    bits, bias = 7 - exponent_bits, 2 ** (exponent_bits - 1) - 1
    values = [(mantissa / 2 ** bits + (exponent > 0)) * 2. ** (max(exponent, 1) - bias)
              for exponent in range(2 ** exponent_bits) for mantissa in range(2 ** bits)]
    none = 1 if exponent_bits == 4 else 4  # at the end
    return torch.tensor(values[:-none] + [float("inf")] * none, dtype=torch.float64)


NUMBERS = {TYPES[0]: _numbers(4), TYPES[1]: _numbers(5)}


def eight(values, dtype):
    """Values as eight-bit floats; with bytes, the nearest one."""
    if HAS_FLOAT8:
        return values.to(dtype)
    nearest = (values.double().abs()[..., None] - NUMBERS[dtype]).abs().argmin(-1)
    return torch.empty_like(values, dtype=torch.uint8).copy_(nearest + 128 * (values < 0)).view(dtype)


def wide(t):
    if HAS_FLOAT8:
        return t.double()
    code = t.view(torch.uint8).long()
    return NUMBERS[t.dtype][code % 128] * (1 - 2 * (code // 128))


class WithoutFloat8(unittest.TestCase):
    def test_is_refused(self):
        x = torch.ones(1, 1, 1, 1)
        with mock.patch.object(scaled, "FLOAT8", {}):
            with self.assertRaisesRegex(TypeError, "input cannot have eight-bit floats: PyTorch .* has no such type; 2.1"):
                ck_conv.scaled_conv(x, x, x.view(1), x.view(1))


class ScaledConv(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.types = TYPES
        if not HAS_FLOAT8:
            kinds = mock.patch.object(scaled, "FLOAT8", {TYPES[0]: library.F8_OCP, TYPES[1]: library.BF8_OCP})
            kinds.start()
            self.addCleanup(kinds.stop)

    def problems(self):
        """(operands and gradient as eight-bit floats, arguments, scales), of all ranks, types and layouts."""
        for number in range(18):
            rank, last, groups = number % 3 + 1, number % 2, number % 4 // 2 + 1
            x_type, w_type, y_type = (self.types[number >> bit & 1] for bit in (1, 2, 3))
            arguments = dict(stride=1 + number % 2, padding=number % 3, dilation=1 + number % 5 // 4, groups=groups)
            x, w = torch.randn(2, 4 * groups, *(9,) * rank), torch.randn(6 * groups, 4, *(3,) * rank)
            if rank > 1 and last:
                layout = torch.channels_last if rank == 2 else torch.channels_last_3d
                x, w = x.to(memory_format=layout), w.to(memory_format=layout)
            y = torch.randn(CONVOLUTIONS[rank](x, w, **arguments).shape)
            yield eight(x, x_type), eight(w, w_type), eight(y, y_type), arguments, [torch.rand(()) * 2 ** (k - 1) for k in range(3)]

    def near(self, result, expected, magnitude):
        """magnitude: the same with the magnitudes of all factors, by which sums of f32 err."""
        error = (expected - result.double()).abs()
        limit = magnitude * 2. ** -14 + HALF_UNITS[result.dtype] * expected.abs() + 1e-30
        self.assertTrue(bool((error <= limit).all()), (error / limit).max())

    def test_any_address(self):
        """Images of a batch, which are at any byte. Batch invariant, they have the bits that they have in the batch."""
        self.addCleanup(ck_conv.set_batch_invariant, False)
        for invariant, channels_last in itertools.product((False, True), (False, True)):
            ck_conv.set_batch_invariant(invariant)
            x = torch.randn(4, 3, 5, 5).to(memory_format=torch.channels_last if channels_last else torch.contiguous_format)
            x, w, bias = eight(x, self.types[0]), eight(torch.randn(5, 3, 3, 3), self.types[0]), torch.randn(6)[1:]
            scales = torch.rand(3)
            residual = torch.randn(4, 5, 3, 3).half()
            y = ck_conv.scaled_conv(x, w, scales[1], scales[2], bias, residual=residual)
            for i in range(4):
                with mock.patch.object(scaled, "_plan", wraps=scaled._plan) as plan:
                    image = ck_conv.scaled_conv(x[i:i + 1], w, scales[1], scales[2], bias, residual=residual[i:i + 1])
                self.assertEqual(plan.call_args.args[5], 16 if invariant else 4)  # the alignment
                if invariant:
                    self.assertTrue(torch.equal(image, y[i:i + 1]))
                else:
                    torch.testing.assert_close(image, y[i:i + 1])

    def test_three_directions(self):
        for number, (x, w, y, arguments, (sx, sw, sy)) in enumerate(self.problems()):
            dtype = tuple(HALF_UNITS)[number % 3]
            rank = x.dim() - 2
            xd, wd, yd = (wide(t) for t in (x, w, y))
            conv = CONVOLUTIONS[rank]
            grads = [lambda x, w, y: conv(x, w, **arguments) * float(sx) * float(sw)]
            for name, scale in ("input", float(sw) * float(sy)), ("weight", float(sx) * float(sy)):
                grad = getattr(torch.nn.grad, f"conv{rank}d_{name}")
                of = (lambda x, w, y, grad=grad, scale=scale: grad(x.shape, w, y, **arguments) * scale) if name == "input" \
                    else (lambda x, w, y, grad=grad, scale=scale: grad(x, w.shape, y, **arguments) * scale)
                grads.append(of)
            results = (ck_conv.scaled_conv(x, w, sx, sw.view(1), **arguments, out_dtype=dtype, amax=True),
                       ck_conv.scaled_conv_input(x.shape, w, y, sw, sy, **arguments, out_dtype=dtype, amax=True),
                       ck_conv.scaled_conv_weight(x, w.shape, y, sx, sy, **arguments, out_dtype=dtype, amax=True))
            for (result, amax), of in zip(results, grads):
                expected, magnitude = of(xd, wd, yd), of(xd.abs(), wd.abs(), yd.abs())
                self.assertEqual((result.shape, result.dtype, amax.shape), (expected.shape, dtype, ()))
                self.near(result, expected, magnitude)
                self.near(amax.view(1), expected.abs().max().view(1), magnitude.max().view(1))

    def test_channels_last(self):
        x, w = torch.randn(2, 8, 5, 5).to(memory_format=torch.channels_last), torch.randn(4, 8, 1, 1)
        one = torch.ones(1)
        y = ck_conv.scaled_conv(eight(x, self.types[0]), eight(w, self.types[0]), one, one)
        self.assertTrue(y.is_contiguous(memory_format=torch.channels_last))
        self.assertEqual(y.dtype, torch.bfloat16)

    def test_epilogue(self):
        x, w = eight(torch.randn(2, 4, 5, 5), self.types[0]), eight(torch.randn(6, 4, 3, 3), self.types[0])
        sx, sw, bias = torch.rand(()), torch.rand(6), torch.randn(6)
        plain = F.conv2d(wide(x), wide(w)) * float(sx) * sw.double().view(-1, 1, 1) + bias.double().view(-1, 1, 1)
        functions = {None: lambda v: v, "relu": torch.relu, "silu": F.silu, "gelu": F.gelu, (-.5, .75): lambda v: v.clamp(-.5, .75)}
        for residual_type in HALF_UNITS:
            residual = torch.randn(plain.shape).to(residual_type)
            for activation, function in functions.items():
                y, amax = ck_conv.scaled_conv(x, w, sx, sw, bias, residual=residual, activation=activation, amax=True,
                                              out_dtype=torch.float32)
                expected = function(plain + residual.double())
                self.near(y, expected, torch.full_like(expected, 1 + float(plain.abs().max())))
                self.assertEqual(float(amax), float(y.abs().max()))

    @unittest.skipUnless(HAS_FLOAT8, f"PyTorch {torch.__version__} has no eight-bit floats")
    def test_what_the_documents_show(self):
        printed = []
        exec((Path(__file__).resolve().parent / "scaled_example.py").read_text(), {"print": lambda *values: printed.append(values)})
        self.assertEqual(printed, [(torch.bfloat16, True, (2, 64, 14, 14), torch.float32)])

    def test_a_scale_for_each_of_two_channels(self):
        x, w, one = eight(torch.ones(1, 3, 2, 2), self.types[0]), eight(torch.ones(2, 3, 1, 1), self.types[0]), torch.ones(())
        y = ck_conv.scaled_conv(x, w, 2 * one, torch.tensor([.5, 3.]))
        self.assertEqual(y[0, :, 0, 0].tolist(), [3, 18])

    def test_defaults(self):
        shape = "stride=1, padding=0, dilation=1, groups=1, *, out_dtype=torch."
        for function, ends in ((ck_conv.scaled_conv, "bias=None, " + shape + "bfloat16, residual=None, activation=None, amax=False)"),
                               (ck_conv.scaled_conv_input, shape + "bfloat16, amax=False)"),
                               (ck_conv.scaled_conv_weight, shape + "float32, amax=False)")):
            self.assertTrue(str(inspect.signature(function)).endswith(ends))

    def test_a_library_for_gpus(self):
        x, w, one = eight(torch.ones(1, 1, 2, 2), self.types[0]), eight(torch.ones(1, 1, 1, 1), self.types[0]), torch.ones(())
        with mock.patch.object(library, "platform", lambda: "nvidia"):
            with self.assertRaisesRegex(ck_conv.Error, "tensors are on the CPU, but libck_conv.so was built for nvidia"):
                ck_conv.scaled_conv(x, w, one, one)

    def test_empty(self):
        one = torch.ones(1)
        y, amax = ck_conv.scaled_conv(eight(torch.zeros(0, 4, 5, 5), self.types[0]), eight(torch.zeros(6, 4, 3, 3), self.types[0]),
                                      one, one, amax=True)
        self.assertEqual((y.shape, float(amax)), ((0, 6, 3, 3), 0))

    def test_limits_of_the_library(self):
        # plans are made again when the limit of the workspace changes
        x, one = eight(torch.ones(1, 1, 4, 4), self.types[0]), torch.ones(1)
        w = eight(torch.ones(1, 1, 1, 1), self.types[0])
        expected = ck_conv.scaled_conv(x, w, one, one)
        ck_conv.set_workspace_limit(0)
        try:
            with self.assertRaisesRegex(ck_conv.Refused, "no kernel computes this"):
                ck_conv.scaled_conv(x, w, one, one)
        finally:
            ck_conv.set_workspace_limit(None)
        self.assertTrue(torch.equal(ck_conv.scaled_conv(x, w, one, one), expected))

    def test_wrong_arguments(self):
        x, w = eight(torch.ones(1, 2, 5, 5), self.types[0]), eight(torch.ones(3, 2, 3, 3), self.types[0])
        one, y = torch.ones(1), eight(torch.ones(1, 3, 3, 3), self.types[1])
        sparse = torch.sparse_coo_tensor(torch.zeros(4, 1, dtype=torch.long), x.flatten()[:1], x.shape)
        good = dict(input=x, weight=w, input_scale=one, weight_scale=one)
        ck_conv.scaled_conv(**good)
        needs = torch.ones(3, requires_grad=True)
        for changed, kind, reason in (
                (dict(input=x.float()), TypeError, f"input is torch.float32, but must be {x.dtype}, {TYPES[1]}$"),
                (dict(weight=None), TypeError, "weight is None, but must be a torch.Tensor"),
                (dict(weight=w.to("meta")), TypeError, "weight is on meta, but another operand is on cpu"),
                (dict(input=x.to("meta"), weight=w.to("meta")), TypeError, "tensors are on meta, but must be on a CPU or a GPU"),
                (dict(input=sparse), TypeError, "input has no memory with strides: it is sparse, fake"),
                (dict(bias=torch.ones(3, device="meta")), TypeError, "bias is on meta, but the operands are on cpu"),
                (dict(input=x[None, None]), ValueError, "input has 6 dimensions, but must have 3, 4 or 5"),
                (dict(input_scale=2.), TypeError, "input_scale is 2.0, but must be a torch.Tensor"),
                (dict(input_scale=torch.ones(3)), ValueError, r"input_scale has size \(3,\), but must have \(\) or \(1,\)$"),
                (dict(weight_scale=torch.ones(2)), ValueError, r"weight_scale has size \(2,\), but .* or \(1,\) or \(3,\)"),
                (dict(weight_scale=one.double()), TypeError, "weight_scale is torch.float64, but must be torch.float32"),
                (dict(bias=torch.ones(3).half()), TypeError, "bias is torch.float16, but must be torch.float32"),
                (dict(bias=torch.ones(2)), ValueError, r"bias has size \(2,\), but must have \(3,\)"),
                (dict(bias=needs), ValueError, "bias requires a gradient, which convolutions of eight-bit floats do not"),
                (dict(residual=torch.ones(1, 3, 1, 1)), ValueError, r"residual has size \(1, 3, 1, 1\), but must have"),
                (dict(residual=y), TypeError, f"residual is {y.dtype}, but must be torch.float16"),
                (dict(activation="tanh"), ValueError, "activation is 'tanh', but must be None, 'relu', 'silu', 'gelu', 'hard_swish', "
                                                      "'hard_sigmoid', 'sigmoid' or a"),
                (dict(out_dtype=torch.float64), TypeError, "out_dtype is torch.float64, but must be one of torch.float16, "),
                (dict(out_dtype=self.types[0]), TypeError, f"out_dtype is {x.dtype}, but must be one of"),
                (dict(activation=(None, 1.)), TypeError, "a limit of the activation is None, but must be a number"),
                (dict(activation=(True, 1.)), TypeError, "a limit of the activation is True, but must be a number"),
                (dict(input_scale=one.to_sparse()), TypeError, "input_scale has no memory with strides: it is sparse, fake"),
                (dict(amax=1), TypeError, "amax"),
                (dict(input=x[0]), ValueError, "needs input and weight with 3 dimensions|has 3 dimensions"),
                (dict(input=x[0, 0]), ValueError, "input has 2 dimensions, but must have 3, 4 or 5"),
                (dict(groups=2), ValueError, "the input has 2 channels, but weight")):
            with self.assertRaisesRegex(kind, reason):
                ck_conv.scaled_conv(**{**good, **changed})
        with torch.no_grad():
            ck_conv.scaled_conv(**good, bias=needs)
        with self.assertRaisesRegex(ValueError, r"weight_scale has size \(3,\), but must have \(\) or \(1,\)$"):
            ck_conv.scaled_conv_input(x.shape, w, y, torch.ones(3), one)
        with self.assertRaisesRegex(ValueError, "the gradient has size"):
            ck_conv.scaled_conv_input((1, 2, 6, 6), w, y, one, one)
        for size, reason in ((None, "input_size is None, but must be a list"), ((1, 2, 5., 5), "a length of input_size is 5.0")):
            with self.assertRaisesRegex(TypeError, reason):
                ck_conv.scaled_conv_input(size, w, y, one, one)

    @unittest.skipUnless(HAS_FLOAT8, f"PyTorch {torch.__version__} has no eight-bit floats")
    def test_eight_bit_floats_elsewhere(self):
        x, w = eight(torch.ones(1, 2, 5, 5), self.types[0]), eight(torch.ones(3, 2, 3, 3), self.types[0])
        one = torch.ones(1)
        with self.assertRaisesRegex(TypeError, "input has no memory with strides"):
            torch.func.vmap(lambda x: ck_conv.scaled_conv(x, w, one, one))(x[None])
        with self.assertRaisesRegex(TypeError, "tensors are torch.float8_e4m3fn, but must be .*; "
                                               r"ck_conv.scaled_conv\(\) takes eight-bit"):
            ck_conv.conv2d(x, w)

    @unittest.skipUnless(hasattr(torch, "compile"), f"PyTorch {torch.__version__} has no torch.compile")
    def test_in_a_compiled_function(self):
        x, w, one = eight(torch.ones(1, 2, 5, 5), self.types[0]), eight(torch.ones(3, 2, 3, 3), self.types[0]), torch.ones(1)
        compiled = torch.compile(lambda: ck_conv.scaled_conv(x, w, one, one) + 1, backend="eager")
        self.assertTrue(torch.equal(compiled(), torch.full((1, 3, 3, 3), 19., dtype=torch.bfloat16)))


if __name__ == "__main__":
    unittest.main()
