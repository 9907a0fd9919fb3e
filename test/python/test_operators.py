#!/usr/bin/python3
"""ck_conv's functions compared with torch's own: values, gradients, layouts, autocast, shapes, errors."""
import unittest
import warnings
from unittest import mock

from needs_torch import integers, torch

import ck_conv
from ck_conv._c import geometry, interface as _library
from ck_conv._conv import launch
from torch.nn import functional as F

TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
OURS = {False: (None, ck_conv.conv1d, ck_conv.conv2d, ck_conv.conv3d),
        True: (None, ck_conv.conv_transpose1d, ck_conv.conv_transpose2d, ck_conv.conv_transpose3d)}
TORCHS = {False: (None, F.conv1d, F.conv2d, F.conv3d),
          True: (None, F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)}
LENGTHS = (None, (9,), (6, 5), (3, 4, 3))  # sums of dW have less than 256 terms

# (rank, transposed, groups, input and output channels of a group, filter, arguments)
CASES = [
    (1, False, 1, 4, 3, (3,), {}),
    (1, False, 2, 2, 3, (2,), {"stride": 2, "padding": 1}),
    (1, True, 2, 3, 2, (3,), {"stride": 2, "output_padding": 1}),
    (2, False, 1, 4, 8, (3, 3), {"padding": 1}),
    (2, False, 1, 4, 8, (1, 1), {"stride": (2, 1)}),
    (2, False, 3, 2, 1, (3, 2), {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2)}),
    (2, False, 5, 1, 1, (3, 3), {"padding": "same"}),
    (2, False, 1, 3, 2, (2, 4), {"padding": "same", "dilation": [1, 1]}),
    (2, False, 1, 3, 2, (2, 3), {"padding": "valid"}),
    (2, True, 1, 4, 3, (3, 3), {"stride": 2, "padding": 1, "output_padding": (1, 0)}),
    (2, True, 2, 2, 3, (2, 3), {"dilation": (2, 1)}),
    (3, False, 1, 4, 2, (2, 3, 2), {"padding": (0, 1, 1)}),
    (3, False, 2, 2, 2, (1, 1, 3), {"stride": (1, 2, 1)}),
    (3, True, 1, 2, 3, (2, 2, 2), {"stride": (1, 2, 2)}),
]


def as_channels_last(t):
    return t.movedim(1, -1).contiguous().movedim(-1, 1)


def operands(case, dtype, bias, channels_last=False):
    rank, transposed, groups, c, k, lengths, _ = case
    x = integers(2, groups * c, *LENGTHS[rank], dtype=dtype)
    w = integers(groups * (c if transposed else k), k if transposed else c, *lengths, dtype=dtype)
    if channels_last:
        x, w = as_channels_last(x), as_channels_last(w)
    b = integers(groups * k, dtype=dtype) if bias else None
    return [t if t is None else t.detach().requires_grad_() for t in (x, w, b)]


def expected(case, tensors, grad):
    """The result and the gradients, exact, from torch in float64."""
    rank, transposed, groups, *_, arguments = case
    exact = [None if t is None else t.detach().double().contiguous().requires_grad_() for t in tensors]
    y = TORCHS[transposed][rank](*exact, groups=groups, **arguments)
    given = [t for t in exact if t is not None]
    return y, torch.autograd.grad(y, given, grad(y.shape).double())


class Values(unittest.TestCase):
    def check(self, case, dtype, bias, channels_last):
        rank, transposed, groups, *_, arguments = case
        tensors = operands(case, dtype, bias, channels_last)
        grads = []

        def grad(size):
            grads.append(integers(*size, dtype=dtype))
            return grads[0]

        y_expected, gradients = expected(case, tensors, grad)
        y = OURS[transposed][rank](*tensors, groups=groups, **arguments)
        self.assertTrue(torch.equal(y.double(), y_expected))
        self.assertEqual((y.dtype, y.is_contiguous()), (dtype, not channels_last))
        given = [t for t in tensors if t is not None]
        for ours, theirs in zip(torch.autograd.grad(y, given, grads[0]), gradients):
            self.assertEqual(ours.dtype, dtype)
            self.assertTrue(torch.equal(ours.double(), theirs))

    def test_all(self):
        warnings.filterwarnings("ignore", message=".*padding='same'")  # torch's own, of even filters
        for case in CASES:
            for dtype in TYPES:
                for bias in (False, True):
                    for channels_last in (False, True):
                        with self.subTest(case=case, dtype=dtype, bias=bias, channels_last=channels_last):
                            self.check(case, dtype, bias, channels_last)

    def test_memory_formats_of_torch(self):
        for size, memory_format in (((2, 4, 5, 5), torch.channels_last), ((1, 4, 3, 5, 5), torch.channels_last_3d)):
            x = integers(*size).contiguous(memory_format=memory_format)
            w = integers(6, 4, *[3] * (len(size) - 2))
            y = OURS[False][len(size) - 2](x, w)
            self.assertTrue(y.is_contiguous(memory_format=memory_format))
            self.assertTrue(torch.equal(y, TORCHS[False][len(size) - 2](x, w)))

    def test_any_strides_and_addresses(self):
        w = integers(4, 3, 3, 3, dtype=torch.float32)
        wide = integers(2, 3, 9, 14, dtype=torch.float32)
        odd = integers(2 * 3 * 7 * 7 + 1, dtype=torch.float32)[1:].view(2, 3, 7, 7)  # at a multiple of 4 bytes
        for x in (wide[:, :, ::2, 1:8], wide.transpose(2, 3), odd, wide[:1].expand(2, 3, 9, 14), wide.flip(3)):
            self.assertTrue(torch.equal(ck_conv.conv2d(x, w), F.conv2d(x, w)))

    def test_gradients_of_any_strides(self):
        x, w = (integers(*size).requires_grad_() for size in ((2, 3, 6, 6), (4, 3, 3, 3)))
        ours = torch.autograd.grad(ck_conv.conv2d(x, w).sum(), (x, w))  # its gradient is one number, expanded
        for a, b in zip(ours, torch.autograd.grad(F.conv2d(x, w).sum(), (x, w))):
            self.assertTrue(torch.equal(a, b))

    def test_one_image_without_n(self):
        x, w, b = integers(3, 6, 6), integers(4, 3, 3, 3), integers(4)
        self.assertTrue(torch.equal(ck_conv.conv2d(x, w, b), F.conv2d(x, w, b)))

    def test_no_images(self):
        x, w, b = (t.requires_grad_() for t in (torch.empty(0, 3, 6, 6), torch.ones(4, 3, 3, 3), torch.ones(4)))
        y = ck_conv.conv2d(x, w, b)
        self.assertEqual(y.shape, (0, 4, 4, 4))
        y.sum().backward()
        self.assertEqual(x.grad.shape, x.shape)
        self.assertTrue(torch.equal(w.grad, torch.zeros_like(w)))
        self.assertTrue(torch.equal(b.grad, torch.zeros_like(b)))

    def test_the_same_bits(self):
        x, w = torch.randn(3, 5, 9, 9, requires_grad=True), torch.randn(7, 5, 3, 3, requires_grad=True)
        runs = []
        for _ in range(2):
            y = ck_conv.conv2d(x, w, padding=1)
            runs.append((y, *torch.autograd.grad(y.square().sum(), (x, w))))
        for a, b in zip(*runs):
            self.assertTrue(torch.equal(a, b))


class Plans(unittest.TestCase):
    def test_what_the_library_refuses(self):
        """A bias, which PyTorch then adds, or everything: the error is the library's, of the only plan that it was asked for."""
        x, w, b, make = integers(1, 2, 4, 4), integers(3, 2, 2, 2), integers(3), launch.make_plan
        self.addCleanup(_library.forget_plans)
        for refuses, bias, asks in ((lambda *given: given[-1], b, 2), (lambda *given: True, None, 1), (lambda *given: True, b, 2)):
            asked = []

            def make_plan(*given):
                asked.append(given)
                if refuses(*given):
                    raise _library.Refused("no, thanks")
                return make(*given)
            _library.forget_plans()
            with mock.patch.object(launch, "make_plan", make_plan), warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                if asks == 2 and not refuses(False):
                    self.assertTrue(torch.equal(ck_conv.conv2d(x, w, bias), F.conv2d(x, w, bias)))
                    self.assertIn("PyTorch adds a bias in separate launches, because the library refuses to: no, thanks",
                                  str(warned[0].message))
                    self.assertEqual(warned[0].filename, __file__)
                else:
                    with self.assertRaisesRegex(_library.Refused, "no, thanks"):
                        ck_conv.conv2d(x, w, bias)
                    self.assertEqual(warned, [])
            self.assertEqual(len(asked), asks)


class Gradients(unittest.TestCase):
    def setUp(self):
        warnings.filterwarnings("ignore", message=".*double precision")  # of what gradcheck in f32 may not see

    CASES = [case for case in CASES if case[0] < 3] + [(3, False, 1, 2, 2, (2, 1, 2), {})]

    def real(self, case, dtype):
        return [t.detach().normal_().requires_grad_() for t in operands(case, dtype, True)]

    def test_gradcheck_f64(self):
        for case in self.CASES:
            rank, transposed, groups, *_, arguments = case
            with self.subTest(case=case):
                self.assertTrue(torch.autograd.gradcheck(
                    lambda *t: OURS[transposed][rank](*t, groups=groups, **arguments),
                    self.real(case, torch.float64), fast_mode=True))

    def test_gradcheck_f32(self):
        """The result is linear in each tensor: a step of 1 has no error but rounding, about 1e-6 of sums near 10."""
        for case in (CASES[1], CASES[3], CASES[9]):
            rank, transposed, groups, *_, arguments = case
            with self.subTest(case=case):
                self.assertTrue(torch.autograd.gradcheck(
                    lambda *t: OURS[transposed][rank](*t, groups=groups, **arguments),
                    self.real(case, torch.float32), eps=1, atol=1e-4, rtol=1e-4))

    def test_second_derivatives(self):
        for case in (CASES[1], CASES[9]):
            rank, transposed, groups, *_, arguments = case
            with self.subTest(case=case):
                self.assertTrue(torch.autograd.gradgradcheck(
                    lambda *t: OURS[transposed][rank](*t, groups=groups, **arguments),
                    self.real(case, torch.float64), fast_mode=True))


class Operators(unittest.TestCase):
    G = geometry.convolution(2, None, 1, 1, 1, 1)

    def setUp(self):
        self.x, self.w = (integers(*size).requires_grad_() for size in ((2, 3, 5, 5), (4, 3, 3, 3)))

    def test_operator_is_differentiable(self):
        y = torch.ops.ck_conv.forward(self.x, self.w, None, *self.G, False)
        theirs = F.conv2d(self.x, self.w, padding=1)
        self.assertTrue(torch.equal(y, theirs))
        for a, b in zip(torch.autograd.grad(y.sum(), (self.x, self.w)),
                        torch.autograd.grad(theirs.sum(), (self.x, self.w))):
            self.assertTrue(torch.equal(a, b))

    def test_shape_functions(self):
        ops = torch.ops.ck_conv
        for channels_last in (False, True):
            y = ops.forward(self.x, self.w, None, *self.G, channels_last).detach()
            for op, arguments in ((ops.forward, (self.x, self.w, None)),
                                  (ops.backward_data, (y, self.w, list(self.x.shape))),
                                  (ops.backward_weight, (self.x, y, list(self.w.shape)))):
                real = op(*arguments, *self.G, channels_last)
                meta = op(*(a.detach().to("meta") if isinstance(a, torch.Tensor) else a for a in arguments), *self.G,
                          channels_last)
                self.assertEqual((meta.shape, meta.stride(), meta.dtype, meta.device.type),
                                 (real.shape, real.stride(), real.dtype, "meta"))

    def test_autocast(self):
        x, w, b = self.x.detach().float(), self.w.detach().float().requires_grad_(), integers(4, dtype=torch.float32)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            direct = ck_conv.conv2d(x, w, b, padding=1)
            operator = torch.ops.ck_conv.forward(x, w, b, *self.G, False)
            of_doubles = ck_conv.conv2d(x.double(), w.double(), padding=1)
        self.assertEqual((direct.dtype, operator.dtype, of_doubles.dtype),
                         (torch.bfloat16, torch.bfloat16, torch.float64))
        self.assertTrue(torch.equal(direct, operator))
        direct.sum().backward()
        self.assertEqual(w.grad.dtype, torch.float32)

    @unittest.skipUnless(hasattr(torch, "compile"), "this PyTorch has no torch.compile")
    def test_compile(self):
        def loss(x, w, b):
            return (ck_conv.conv2d(x, w, b, padding=1).relu() ** 2).sum()

        for dynamic in (False, True):
            torch._dynamo.reset()
            compiled = torch.compile(loss, backend="aot_eager", fullgraph=True, dynamic=dynamic)
            for n in (2, 3):
                tensors = [integers(*size).requires_grad_() for size in ((n, 3, 4 + n, 5), (4, 3, 3, 3), (4,))]
                for a, b in zip(torch.autograd.grad(compiled(*tensors), tensors),
                                torch.autograd.grad(loss(*tensors), tensors)):
                    self.assertTrue(torch.equal(a, b))

    @unittest.skipUnless(hasattr(torch.library, "opcheck"), "this PyTorch has no torch.library.opcheck")
    def test_opcheck(self):
        y = torch.ops.ck_conv.forward(self.x, self.w, None, *self.G, True).detach().requires_grad_()
        ops = torch.ops.ck_conv
        torch.library.opcheck(ops.forward.default, (self.x, self.w, None, *self.G, True))
        torch.library.opcheck(ops.backward_data.default, (y, self.w, self.x.shape, *self.G, True))
        torch.library.opcheck(ops.backward_weight.default, (self.x, y, self.w.shape, *self.G, False))

    def test_shapes_that_never_end_do_not_fill_the_memory(self):
        most, launch.MOST_PLANS = launch.MOST_PLANS, 4
        destroyed, destroy = [], _library.Handle.destroy
        _library.Handle.destroy = lambda handle: (destroyed.append(handle.value), destroy(handle))
        for n in range(1, 10):
            ck_conv.conv1d(torch.ones(n, 2, 3), torch.ones(2, 2, 1))
            self.assertLessEqual(len(launch._ready), 4)
        launch.MOST_PLANS, _library.Handle.destroy = most, destroy
        self.assertGreaterEqual(len(destroyed), 4)


class Errors(unittest.TestCase):
    def refuse(self, error, text, function, *arguments, **named):
        with self.assertRaisesRegex(error, text):
            function(*arguments, **named)

    def test_they_name_the_value_and_the_rule(self):
        x, w = torch.ones(1, 3, 5, 5), torch.ones(4, 3, 3, 3)
        conv = ck_conv.conv2d
        self.refuse(ValueError, "input has 3 channels, but weight .* needs 6", conv, x, torch.ones(4, 6, 3, 3))
        self.refuse(ValueError, "padded input has length 5, but the dilated filter has 7", conv, x, w, dilation=3)
        self.refuse(ValueError, "stride is 0, but must be at least 1", conv, x, w, stride=0)
        self.refuse(ValueError, "padding is -1, but must be at least 0", conv, x, w, padding=-1)
        self.refuse(ValueError, "stride is \\(1, 1, 1\\), but must be one number or 2", conv, x, w, stride=(1, 1, 1))
        self.refuse(ValueError, "padding is 'full', but must be numbers, 'valid' or 'same'", conv, x, w, padding="full")
        self.refuse(ValueError, "'same', which needs a stride of 1", conv, x, w, padding="same", stride=2)
        self.refuse(ValueError, "groups is 0", conv, x, w, groups=0)
        self.refuse(ValueError, "not divisible by 3 groups", conv, x, torch.ones(4, 1, 3, 3), groups=3)
        self.refuse(ValueError, "needs input and weight with 4 dimensions", conv, torch.ones(3), w)
        self.refuse(ValueError, "bias has size \\(3,\\), but the result has 4 channels", conv, x, w, torch.ones(3))
        self.refuse(TypeError, "torch.float32 on cpu, but the other is torch.float64", conv, x, w.double())
        self.refuse(TypeError, "the bias is torch.float64", conv, x, w, torch.ones(4).double())
        self.refuse(TypeError, "tensors are torch.int32, but must be", conv, x.int(), w.int())
        self.refuse(ValueError, "output padding in H .* is 2, but must be less", ck_conv.conv_transpose2d, x, torch.ones(3, 4, 3, 3), stride=2,
                    output_padding=2)

    def test_a_gradient_of_another_size(self):
        self.refuse(ValueError, "gradient has size \\(1, 4, 2, 2\\), but input .* make \\(1, 4, 3, 3\\)",
                    torch.ops.ck_conv.backward_data, torch.ones(1, 4, 2, 2), torch.ones(4, 3, 3, 3), [1, 3, 5, 5],
                    *geometry.convolution(2, None, 1, 0, 1, 1), False)


if __name__ == "__main__":
    unittest.main(verbosity=2)
