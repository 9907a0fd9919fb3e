#!/usr/bin/python3
"""ck_conv's short way (_conv/layer.py): that it is taken, and that it ends where torch ends whatever happens between
forward and backward."""
import contextlib
import copy
import itertools
import unittest
import warnings
import weakref
from unittest import mock

from needs_torch import integers, torch
from test_operators import CASES, OURS, TORCHS, as_channels_last, operands

import ck_conv
from ck_conv import functional
from ck_conv._c import interface as library
from ck_conv._conv import alike, dispatch, launch, layer
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode


def only_the_short_way():
    """Within it the long way is an error."""
    return mock.patch.object(launch, "convolve", side_effect=AssertionError("the long way"))


def tensors(dtype=torch.float32):
    return (integers(*size, dtype=dtype).requires_grad_() for size in ((2, 4, 6, 5), (8, 4, 3, 3)))


class Gradients(unittest.TestCase):
    def compare(self, ours, theirs):
        for a, b in zip(ours, theirs):
            self.assertTrue(torch.equal(a, b))

    def test_of_any_of_the_tensors(self):
        warnings.filterwarnings("ignore", message=".*padding='same'")  # torch's own, of even filters
        for case in (CASES[1], CASES[2], CASES[3], CASES[7], CASES[9], CASES[11], CASES[13]):
            rank, transposed, groups, *_, arguments = case
            for wants in itertools.product((False, True), repeat=3):
                for channels_last in (False, True):
                    given = operands(case, torch.float64, True, channels_last)
                    for t, wanted in zip(given, wants):
                        t.requires_grad_(wanted)
                    y, expected = (f[transposed][rank](*given, groups=groups, **arguments) for f in (OURS, TORCHS))
                    self.compare([y], [expected])
                    self.assertEqual(y.requires_grad, any(wants))
                    if any(wants):
                        asked, grad = [t for t in given if t.requires_grad], integers(*y.shape)
                        with self.subTest(case=case, wants=wants, channels_last=channels_last):
                            self.compare(torch.autograd.grad(y, asked, grad),
                                         torch.autograd.grad(expected, asked, grad))

    def test_the_short_way_is_taken(self):
        x, w = tensors()
        b = integers(8, dtype=torch.float32).requires_grad_()
        for change in (torch.Tensor.contiguous, as_channels_last):
            a, v = (change(t.detach()).requires_grad_() for t in (x, w))
            with only_the_short_way():
                for bias in (None, b):
                    y = ck_conv.conv2d(a, v, bias, padding=[1, 1])
                    y.sum().backward()  # its gradient is one number, expanded: it is copied, and goes the short way
            self.compare((y, a.grad / 2, v.grad / 2),
                         (F.conv2d(x, w, b, padding=1), *torch.autograd.grad(F.conv2d(x, w, padding=1).sum(), (x, w))))
        odd = torch.zeros(x.numel() + 1)[1:].view(x.shape)
        with only_the_short_way(), self.assertRaisesRegex(AssertionError, "the long way"):
            ck_conv.conv2d(odd, w)

    def test_what_must_be_copied_goes_the_short_way(self):
        """Gaps, and a weight in another memory format than the images, as a standardized one: also under torch.autocast."""
        x, w = tensors()
        b = integers(16, dtype=torch.float32)
        cases = (x[:, :, ::2], w, b[::2]), (as_channels_last(x), w, None), (x, as_channels_last(w), b[::2])
        for dtype, (a, v, bias) in itertools.product((torch.float32, torch.bfloat16), cases):
            for computed in (False, True):
                given = [t if t is None else t.detach().requires_grad_() for t in (a, v, bias)]
                asked = [t for t in given if t is not None]
                found = []
                for conv in (ck_conv.conv2d, F.conv2d):
                    with only_the_short_way(), torch.autocast("cpu", torch.bfloat16, enabled=dtype == torch.bfloat16):
                        y = conv(given[0], given[1] * 2 if computed else given[1], given[2])
                        found.append((y.float(), *torch.autograd.grad(y.float().sum(), asked)))
                with self.subTest(dtype=dtype, computed=computed, strides=[t.stride() for t in asked]):
                    for ours, theirs in zip(*found):
                        bound = 2e-2 if dtype == torch.bfloat16 else 0
                        torch.testing.assert_close(ours, theirs, rtol=bound, atol=bound)

    def test_gradients_of_gradients_of_computed_weights_under_autocast(self):
        x, w = tensors()
        given, found = (x, w), []
        for conv in (ck_conv.conv2d, F.conv2d):
            with torch.autocast("cpu", torch.bfloat16, enabled=conv is ck_conv.conv2d):  # PyTorch 1.13 fails with bfloat16
                y = conv(x, w.sin(), None).float()
            first = torch.autograd.grad((y * y).sum() / 64, given, create_graph=True)
            found.append(torch.autograd.grad(sum((g * g).sum() for g in first) / 64, given))
        for ours, theirs in zip(*found):
            self.assertLess((ours - theirs).norm(), 3e-2 * theirs.norm())

    def test_the_second_call_is_remembered(self):
        x, w = tensors()
        b = integers(8, dtype=torch.float32)
        for bias in (None, b):
            ck_conv.conv2d(x, w, bias, padding=1).sum().backward()
            with mock.patch.object(ck_conv._conv.dispatch, "find", side_effect=AssertionError("not remembered")), \
                    mock.patch.object(launch, "find", side_effect=AssertionError("not remembered")):
                ck_conv.conv2d(x, w, bias, padding=1).sum().backward()
                self.assertRaisesRegex(AssertionError, "not remembered", ck_conv.conv2d, x[:1], w, bias, padding=1)

    def test_computed_weights_are_remembered(self):
        """As of weight standardization: another tensor in each call."""
        x, w = tensors()
        others = x[:1].detach().requires_grad_(), w[:4].detach().requires_grad_()
        for dtype, graph in itertools.product((None, torch.bfloat16), (True, False)):
            with torch.autocast("cpu", torch.bfloat16, enabled=dtype is not None), torch.set_grad_enabled(graph):
                kept = [ck_conv.conv2d(*given) for given in ((x, w * 2), (others[0], w * 2), (x, others[1] * 2))]
                with mock.patch.object(ck_conv._conv.dispatch, "find", side_effect=AssertionError("not remembered")), \
                        mock.patch.object(ck_conv._conv.dispatch, "find_mixed", side_effect=AssertionError("not remembered")):
                    for before, (a, v) in zip(kept, ((x, w), (others[0], w), (x, others[1]))):
                        for factor in (2, -1):
                            y, right = (conv(a, v * factor) for conv in (ck_conv.conv2d, F.conv2d))
                            self.assertEqual(y.dtype, before.dtype)
                            self.assertTrue(torch.equal(y, right))
                            grads = [torch.autograd.grad(t.float().sum(), (a, v)) if graph else () for t in (y, right)]
                            for ours, theirs in zip(*grads):
                                bound = 0 if dtype is None else 2e-2  # sums of whole numbers are exact in float32
                                torch.testing.assert_close(ours, theirs, rtol=bound, atol=bound)

    def test_pytorch_compares_where_it_can(self):
        in_cpp = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 1)
        self.assertEqual(alike.check_of is alike.check_in_cpp, in_cpp)

    def test_of_gradients(self):
        def second(conv):
            first = torch.autograd.grad(conv(x, w, padding=1).square().sum(), (x, w), create_graph=True)
            return first, torch.autograd.grad(sum((g * g).sum() for g in first), (x, w))

        x, w = tensors(torch.float64)
        for ours, theirs in zip(second(ck_conv.conv2d), second(F.conv2d)):
            self.compare(ours, theirs)

    def test_of_odd_addresses(self):
        x, w = tensors()
        y = ck_conv.conv2d(x, w)
        odd = torch.zeros(y.numel() + 1)[1:].view(y.shape).copy_(integers(*y.shape))
        self.compare(torch.autograd.grad(y, (x, w), odd), torch.autograd.grad(F.conv2d(x, w), (x, w), odd))

    def test_hooks(self):
        found = []
        for conv in (ck_conv.conv2d, F.conv2d):
            x, w = tensors()
            with torch.no_grad():
                x.fill_(1), w.fill_(1)
            y = conv(x, w)
            y.register_hook(lambda grad: grad * 2)
            w.register_hook(lambda grad: grad + 1)
            y.sum().backward()
            found.append((x.grad, w.grad))
        self.compare(*found)

    def test_modes_change_between_calls(self):
        x, w = tensors()
        with torch.inference_mode():
            self.assertTrue(ck_conv.conv2d(x, w, dilation=2).is_inference())  # the first call of this kind
        with torch.no_grad():
            self.assertFalse(ck_conv.conv2d(x, w, dilation=2).requires_grad)
        y, expected = (f(x, w, dilation=2) for f in (ck_conv.conv2d, F.conv2d))
        self.assertFalse(y.is_inference())
        self.compare(torch.autograd.grad(y.sum(), (x, w)), torch.autograd.grad(expected.sum(), (x, w)))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            self.assertEqual(ck_conv.conv2d(x, w, dilation=2).dtype, torch.bfloat16)
        self.assertEqual(ck_conv.conv2d(x, w, dilation=2).dtype, torch.float32)

    def test_arguments_are_told_apart(self):
        x, w = tensors()
        square = integers(4, 4, 3, 3, dtype=torch.float32)
        for arguments in ({}, {"stride": 2}, {"padding": 2}, {"dilation": 2}, {"stride": (2, 1)}, {"padding": (1, 2)},
                          {"padding": "same"}):
            self.compare([ck_conv.conv2d(x, w, **arguments)], [F.conv2d(x, w, **arguments)])
        for conv, theirs in ((ck_conv.conv2d, F.conv2d), (ck_conv.conv_transpose2d, F.conv_transpose2d)):
            self.compare([conv(x, square)], [theirs(x, square)])


class Arguments(unittest.TestCase):
    """What was called before decides nothing about what is taken."""
    CALLS = (ck_conv.conv2d, ("stride", "padding", "dilation", "groups")), \
            (ck_conv.conv_transpose2d, ("stride", "padding", "output_padding", "groups", "dilation"))

    def test_numbers_of_other_classes_are_refused_after_equal_ones(self):
        x, w = (t.detach() for t in tensors())
        w = integers(4, 4, 3, 3, dtype=torch.float32)
        for conv, names in self.CALLS:
            for name in names:
                plain = 0 if "padding" in name else 1
                for other in (bool(plain), float(plain), complex(plain)):
                    for good, bad in ((plain, other), ((plain, plain), (plain, other)), ((plain, plain), (other, plain)),
                                      ([plain, plain], [plain, other])):
                        if name == "groups" and good != plain:
                            continue
                        for given in (good, good):
                            conv(x, w, **{name: given})
                        with self.subTest(name=name, bad=bad), \
                                self.assertRaisesRegex(TypeError, f"{name} is .*, but must be a whole number"):
                            conv(x, w, **{name: bad})

    def test_what_is_no_number(self):
        x, w = (t.detach() for t in tensors())
        for bad in (None, {1: 1, 2: 1}, {1, 2}, iter([1, 1]), range(1, 3), torch.tensor(1.0), "1"):
            for name in ("stride", "dilation", "groups"):
                for _ in range(2):
                    self.assertRaises(TypeError, ck_conv.conv2d, x, w, **{name: bad})

    def test_sequences_that_change(self):
        x, w = (t.detach() for t in tensors())
        stride = [1, 1]
        for stride[0] in (1, 2, 1):
            self.assertTrue(torch.equal(ck_conv.conv2d(x, w, stride=stride), F.conv2d(x, w, stride=stride)))
        module = ck_conv.replace(torch.nn.Conv2d(4, 8, 3))
        for module.stride in ((1, 1), (2, 1), [2, 2], (1, 1)):
            self.assertTrue(torch.allclose(module(x), F.conv2d(x, module.weight, module.bias, module.stride), atol=1e-5))

    def test_what_is_no_tensor(self):
        x, w = (t.detach() for t in tensors())
        b = integers(8, dtype=torch.float32)
        for _ in range(2):
            for i, name in enumerate(("input", "weight", "bias")):
                for bad in (None, [[1.0]], 3, "x", x.numpy()):
                    given = [bad if i == j else t for j, t in enumerate((x, w, b))]
                    if name != "bias" or bad is not None:
                        with self.assertRaisesRegex(TypeError, f"^{name} is .*, but must be a torch.Tensor"):
                            ck_conv.conv2d(*given)
                        self.assertRaises(TypeError, F.conv2d, *given)
                given = [t.to_sparse() if i == j else t for j, t in enumerate((x, w.clone(), b))]
                with self.assertRaisesRegex(TypeError, f"^{name} is torch.sparse_coo, but must be torch.strided"):
                    ck_conv.conv2d(*given)
            ck_conv.conv2d(x, w, b)


class WhatWasSaved(unittest.TestCase):
    """Autograd saves x and w; here they change until backward."""

    def setUp(self):
        ck_conv.conv2d(*tensors()).sum().backward()  # is remembered

    def test_written_in_place(self):
        for conv in (ck_conv.conv2d, F.conv2d):
            x, w = tensors()
            x = x * 1
            y = conv(x, w)
            x.add_(1)
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                y.sum().backward()

    def of_weight_with(self, change, conv=ck_conv.conv2d):
        x, w = tensors()
        y = conv(x, w)
        w.data = change(w.data)
        y.sum().backward()
        return w.grad, torch.autograd.grad(F.conv2d(x, w).sum(), w)[0]

    def test_data_of_another_layout(self):
        self.assertTrue(torch.equal(*self.of_weight_with(as_channels_last)))

    def test_data_of_another_size(self):
        with self.assertRaisesRegex(ValueError, "gradient has size .* make"):
            self.of_weight_with(lambda data: data[:2].clone())

    def test_data_of_another_type(self):
        with self.assertRaisesRegex(TypeError, "torch.float32 on cpu, but the other is torch.float16"):
            self.of_weight_with(torch.Tensor.half)

    def test_saved_tensors_hooks(self):
        x, w = tensors()
        with torch.autograd.graph.saved_tensors_hooks(as_channels_last, lambda t: t):
            y = ck_conv.conv2d(x, w)
        for a, b in zip(torch.autograd.grad(y.sum(), (x, w)), torch.autograd.grad(F.conv2d(x, w).sum(), (x, w))):
            self.assertTrue(torch.equal(a, b))


class Log(TorchDispatchMode):
    """The names of the library's operators that run."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if "ck_conv" in str(function):
            self.seen.append(str(function).split(".")[1])
        return function(*args, **(kwargs or {}))


class Circumstances(unittest.TestCase):
    """They change after a call that was remembered."""

    def test_modes_see_operators(self):
        x, w = tensors()
        for _ in range(2):  # the second time gradients are remembered, too
            y = ck_conv.conv2d(x, w)
            with Log() as log:
                ck_conv.conv2d(x, w)
                torch.autograd.grad(y.sum(), (x, w))
            self.assertEqual(sorted(log.seen), ["backward_data", "backward_weight", "forward"])
            torch.autograd.grad(ck_conv.conv2d(x, w).sum(), (x, w))

    def test_traces_have_operators(self):
        x, w = (t.detach() for t in tensors())
        ck_conv.conv2d(x, w)
        traced = torch.jit.trace(lambda t: ck_conv.conv2d(t, w), x)
        self.assertTrue(torch.equal(traced(x + 1), F.conv2d(x + 1, w)))

    def test_classes_of_others(self):
        class Own(torch.Tensor):
            pass

        x, w = (t.detach() for t in tensors())
        ck_conv.conv2d(x, w)
        self.assertIs(type(ck_conv.conv2d(x.as_subclass(Own), w)), Own)

    @unittest.skipUnless(hasattr(torch, "func"), "this PyTorch has no torch.func")
    def test_vmap(self):
        x, w = (t.detach() for t in tensors())
        ck_conv.conv2d(x, w)
        for y in torch.func.vmap(lambda factor: ck_conv.conv2d(x * factor, w) / factor)(torch.tensor([1., 2., 4.])):
            self.assertTrue(torch.equal(y, F.conv2d(x, w)))

    def test_gradients_are_wanted_in_turns(self):
        x, w = tensors()
        fixed = w.detach()
        wanted = F.conv2d(x, w)
        grads = torch.autograd.grad(wanted.sum(), (x, w))
        with only_the_short_way():
            for _ in range(3):
                self.assertTrue(torch.equal(torch.autograd.grad(ck_conv.conv2d(x.detach(), w).sum(), w)[0], grads[1]))
                self.assertTrue(torch.equal(torch.autograd.grad(ck_conv.conv2d(x, fixed).sum(), x)[0], grads[0]))
                self.assertTrue(torch.equal(ck_conv.conv2d(x.detach(), fixed), wanted))
                y = ck_conv.conv2d(x, w)
                for ours, theirs in zip(torch.autograd.grad(y.sum(), (x, w)), grads):
                    self.assertTrue(torch.equal(ours, theirs))

    def test_weights_come_and_go(self):
        """Their places in memory and their id() come again."""
        for i in range(50):
            x, w = integers(1, 2 + i % 3, 5, 5), integers(3, 2 + i % 3, 1 + i % 2, 3)
            if i % 5 == 0:
                x, w = x.float(), w.float()
            self.assertTrue(torch.equal(ck_conv.conv2d(x, w), F.conv2d(x, w)))


class Tensors(unittest.TestCase):
    def test_negative_views(self):
        """Their memory has the other sign; torch makes them of the imaginary part of a conjugate."""
        x, w = tensors()
        b, grad = integers(8, dtype=torch.float32), integers(2, 8, 4, 3, dtype=torch.float32)

        def of(conv, *given):
            return (*torch.autograd.grad(conv(*given), (x, w), torch._neg_view(grad)), conv(*given))

        for i in (None, 0, 1, 2):  # first none but the gradient
            given = [torch._neg_view(t) if i == j else t for j, t in enumerate((x, w, b))]
            for change in (torch.Tensor.contiguous, as_channels_last):
                changed = [change(t) if t.dim() > 1 else t for t in given]
                for ours, theirs in zip(of(ck_conv.conv2d, *changed), of(F.conv2d, *given)):
                    self.assertTrue(torch.equal(ours, theirs))

    def test_layers_do_not_fill_the_memory(self):
        with mock.patch.object(launch, "MOST_PLANS", 4):
            for n in range(1, 10):
                ck_conv.conv1d(torch.ones(n, 2, 3), torch.ones(2, 2, 1))
                self.assertLessEqual(max(len(layer._layers), len(layer._recent)), 4)

    def test_what_the_library_says_is_heard(self):
        x, w = (torch.ones(1, 1, 1, n) for n in (71, 3))  # of no other test
        with mock.patch.object(library, "run_packed", return_value=lambda *_: library.RUNTIME_ERROR):
            for _ in range(2):
                with self.assertRaises(ck_conv.Error):
                    ck_conv.conv2d(x, w)



class Autocast(unittest.TestCase):
    """Layers under torch.autocast: one node casts weight and bias, and their gradients back."""
    bf16 = staticmethod(lambda dtype=torch.bfloat16, **o: torch.autocast("cpu", dtype=dtype, **o))

    def given(self, x_dtype=torch.bfloat16, bias=True):
        x, w, b = (integers(*size, dtype=torch.float32) for size in ((2, 4, 6, 5), (8, 4, 3, 3), (8,)))
        tensors = [x.to(x_dtype), w, b] if bias else [x.to(x_dtype), w]
        return [t.requires_grad_() for t in tensors]

    def check(self, given, wanted=None):
        """Compares the second call, which is recalled, with torch's."""
        with self.bf16():
            ck_conv.conv2d(*given, padding=1)
            with mock.patch.object(layer, "find", side_effect=AssertionError("looked up again")):
                y = ck_conv.conv2d(*given, padding=1)
        expected = F.conv2d(*(t.float() for t in given), padding=1).to(torch.bfloat16)
        self.assertTrue(torch.equal(y, expected))
        self.assertEqual(y.dtype, torch.bfloat16)
        wanted = [t for t in given if t.requires_grad] if wanted is None else wanted
        grad = integers(*y.shape).to(y.dtype)
        found = torch.autograd.grad(y, wanted, grad)
        for got, want, t in zip(found, torch.autograd.grad(expected, wanted, grad), wanted):
            self.assertEqual((got.dtype, want.dtype), (t.dtype, t.dtype))
            self.assertTrue(torch.equal(got.to(torch.bfloat16), want.to(torch.bfloat16)))

    def test_values_and_gradients_of_each_type(self):
        for x_dtype in (torch.bfloat16, torch.float32, torch.float16):
            for bias in (False, True):
                with self.subTest(x=x_dtype, bias=bias):
                    self.check(self.given(x_dtype, bias))

    def test_each_tensor_may_be_the_only_one_with_a_gradient(self):
        for i in range(3):
            given = [t.detach().requires_grad_(i == j) for j, t in enumerate(self.given())]
            with self.subTest(i=i):
                self.check(given)

    def test_the_gradient_of_the_bias_is_summed_in_its_own_type(self):
        x, w = torch.zeros(1, 1, 8, 64, dtype=torch.bfloat16), torch.zeros(1, 1, 1, 1)
        b = torch.zeros(1, requires_grad=True)
        for _ in range(2):
            with self.bf16():
                y = ck_conv.conv2d(x, w, b)
            grad = torch.ones_like(y)
            grad[0, 0, 0, 0] = 2
            self.assertEqual(torch.autograd.grad(y, b, grad)[0].item(), 513)  # as bfloat16 it would be 512

    def test_without_gradients(self):
        given = [t.detach() for t in self.given()]
        with self.bf16():
            for _ in range(2):
                y = ck_conv.conv2d(*given, padding=1)
                self.assertEqual((y.dtype, y.requires_grad), (torch.bfloat16, False))

    def test_another_type_of_autocast_is_another_layer(self):
        given = [t.detach() for t in self.given()]
        with self.bf16():
            for dtype in (torch.bfloat16, torch.float16, torch.bfloat16):  # not every PyTorch has float16 on CPUs
                with mock.patch.object(layer, "autocast_dtype", lambda *_: dtype), \
                        mock.patch.object(dispatch, "autocast_dtype", lambda *_: dtype):
                    self.assertEqual(ck_conv.conv2d(*given).dtype, dtype)
        x, w, b = (t.float() for t in given)
        with self.bf16():
            self.assertEqual(ck_conv.conv2d(x, w, b).dtype, torch.bfloat16)
            with self.bf16(enabled=False):
                self.assertEqual(ck_conv.conv2d(x, w, b).dtype, torch.float32)
            self.assertEqual(ck_conv.conv2d(x, w, b).dtype, torch.bfloat16)
        self.assertEqual(ck_conv.conv2d(x, w, b).dtype, torch.float32)

    def test_types_are_those_of_pytorch(self):
        """1.13 has transposed convolutions on CPUs in float32."""
        for rank in (1, 2, 3):
            for name in (f"conv{rank}d", f"conv_transpose{rank}d"):
                for dtype in (torch.float32, torch.bfloat16):
                    x, w = (integers(1, 2, *[3] * rank).to(dtype) for _ in range(2))
                    for bias in (None, integers(2, dtype=torch.float32)):
                        w = torch.cat([w, w])[:2].requires_grad_()
                        for _ in range(2):
                            with self.bf16():
                                ours, theirs = (getattr(f, name)(x, w, bias) for f in (ck_conv, F))
                            self.assertEqual((name, ours.dtype), (name, theirs.dtype))
                            self.assertTrue(torch.equal(ours.float(), theirs.float()))
                        self.assertEqual(torch.autograd.grad(ours.sum(), w)[0].dtype, dtype)

    def test_float64_stays(self):
        given = [t.detach().double().requires_grad_() for t in self.given()]
        with self.bf16():
            for _ in range(2):
                self.assertEqual(ck_conv.conv2d(*given).dtype, torch.float64)

    def test_gradients_of_gradients_reach_the_weight(self):
        def second(conv, context):
            torch.manual_seed(0)
            given = self.given()
            for _ in range(2):
                with context():
                    y = conv(*given)
                first = torch.autograd.grad(y.float().square().sum(), given, create_graph=True)
                found = torch.autograd.grad(sum(g.float().square().sum() for g in first), given)
            return [*first, *found]

        ours = second(lambda x, w, b: ck_conv.conv2d(x / 8, w / 8, b / 8), self.bf16)
        theirs = second(lambda x, w, b: F.conv2d(x.float() / 8, w / 8, b / 8), contextlib.nullcontext)
        for a, b in zip(ours, theirs):
            self.assertLess(((a - b).float().norm() / b.float().norm()).item(), 2e-2)

    def test_gradients_are_of_the_weight_as_it_was_cast(self):
        def step(w):  # an optimizer's
            with torch.no_grad():
                w.add_(1)

        def data(w):
            w.data.mul_(2)

        for change in (step, data):
            for create_graph in (False, True):
                x, w, b = self.given()
                for _ in range(2):
                    with self.bf16():
                        y = ck_conv.conv2d(x, w, b)
                expected = F.conv2d(x.float(), w, b).to(torch.bfloat16)
                grad = integers(*y.shape).to(y.dtype)
                wanted = torch.autograd.grad(expected, (x, w), grad)
                change(w)
                with self.subTest(change=change.__name__, create_graph=create_graph):
                    for got, want in zip(torch.autograd.grad(y, (x, w), grad, create_graph=create_graph), wanted):
                        self.assertEqual(got.dtype, want.dtype)
                        self.assertTrue(torch.equal(got.to(torch.bfloat16), want.to(torch.bfloat16)))

    def test_weights_that_are_frozen_or_not_before_the_gradient_of_a_gradient(self):
        for frozen in (False, True):
            x, w, b = self.given()
            w.requires_grad_(not frozen)
            for _ in range(2):
                with self.bf16():
                    y = ck_conv.conv2d(x, w, b)
            w.requires_grad_(frozen)

            def first():
                return torch.autograd.grad((y * y).float().sum(), x, create_graph=True)[0]

            if frozen:
                self.assertIsNone(torch.autograd.grad(first().sum(), w, allow_unused=True)[0])
            else:
                self.assertRaisesRegex(RuntimeError, "no longer requires a gradient", first)

    def test_meta_tensors(self):
        x, w = torch.ones(1, 1, 3, 3, device="meta"), torch.ones(1, 1, 2, 2, device="meta")
        with self.bf16():
            self.assertEqual(ck_conv.conv2d(x, w).shape, (1, 1, 2, 2))

    def test_what_weights_were_computed_from_is_not_kept(self):
        for _ in range(2):
            x, w, _ = self.given()
            twice = w * 2
            with self.bf16():
                y = ck_conv.conv2d(x, twice, padding=2)
            y.sum().backward()
            found = w.grad.clone()
            kept = weakref.ref(twice)
            del twice
            self.assertIsNone(kept())  # though y lives
        expected = torch.autograd.grad(F.conv2d(x.float(), w * 2, padding=2).sum(), w)[0]
        self.assertTrue(torch.equal(found.to(torch.bfloat16), expected.to(torch.bfloat16)))

    @unittest.skipUnless(hasattr(torch, "inference_mode"), "this PyTorch has no inference mode")
    def test_weights_of_inference_mode(self):
        x, w, b = self.given()
        with torch.inference_mode():
            w, b = w.clone(), b.clone()
        for _ in range(2):
            with self.bf16():
                y = ck_conv.conv2d(x, w, b)
            grad, = torch.autograd.grad(y.sum(), x)
        expected, = torch.autograd.grad(F.conv2d(x.float(), w.clone(), b.clone()).sum(), x)
        self.assertTrue(torch.equal(grad.float(), expected.float()))

    def test_a_module_is_trained(self):
        torch.manual_seed(0)
        theirs = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 4, 3))
        ours = ck_conv.replace(copy.deepcopy(theirs))
        x, losses = torch.randn(2, 3, 9, 9), ([], [])
        for model, of_model in zip((ours, theirs), losses):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(4):
                optimizer.zero_grad(set_to_none=True)
                with self.bf16():
                    loss = model(x).float().square().mean()
                loss.backward()
                optimizer.step()
                of_model.append(loss.item())
        for a, b in zip(*losses):
            self.assertAlmostEqual(a, b, delta=2e-2 * b)
        self.assertLess(losses[0][-1], 0.9 * losses[0][0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
