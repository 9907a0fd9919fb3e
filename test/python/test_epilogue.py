#!/usr/bin/python3
"""Convolutions with a bias, a residual and an activation in their plan: numbers, gradients, layouts, and what falls back."""
import itertools
import unittest
from unittest import mock

from needs_torch import integers, torch

import ck_conv
from ck_conv._c import geometry
from ck_conv._conv import epilogue, launch
from ck_conv._conv.epilogue import AFTER, BEFORE, Epilogue

from torch.autograd import forward_ad
from torch.nn import functional as F

PLAIN = (1, 1, 1, 1)  # stride, padding, dilation, groups
UNITS = {torch.float64: 2 ** -52, torch.float32: 2 ** -23, torch.float16: 2 ** -10, torch.bfloat16: 2 ** -7}
EVERY = [Epilogue(a, r, least, most)
         for a, least, most in (("none", 0, 0), ("relu", 0, 0), ("silu", 0, 0), ("gelu", 0, 0), ("clamp", -1., 3.),
                              ("leaky_relu", -.25, 0), ("hard_swish", 0, 0), ("hard_sigmoid", 0, 0), ("sigmoid", 0, 0))
         for r in ("none", BEFORE, AFTER)]


def of(x, w, bias, residual, e, arguments=PLAIN):
    return epilogue.convolution(geometry.convolution, x.dim() - 2, x, w, bias, residual, e, arguments)


def expected(x, w, bias, residual, e, arguments=PLAIN):
    """By PyTorch, in float64."""
    x, w, bias, residual = (None if t is None else t.detach().double() for t in (x, w, bias, residual))
    y = getattr(F, f"conv{x.dim() - 2}d")(x, w, bias, *arguments)
    y = y + residual if e.residual == BEFORE else y
    y = {"none": lambda y: y, "relu": torch.relu, "silu": F.silu, "gelu": F.gelu,
         "clamp": lambda y: y.clamp(e.least, e.most), "leaky_relu": lambda y: F.leaky_relu(y, e.least),
         "hard_swish": F.hardswish, "hard_sigmoid": F.hardsigmoid, "sigmoid": torch.sigmoid}[e.activation](y)
    return y + residual if e.residual == AFTER else y


def operands(e, dtype=torch.float64, channels=8, rank=2, biased=True, last=False):
    x = integers(2, channels, *(5, 4, 3)[:rank], dtype=dtype)
    w = integers(channels, channels, *(3,) * rank, dtype=dtype)
    residual = integers(*x.shape, dtype=dtype)
    if last and rank > 1:
        kept = {2: torch.channels_last, 3: torch.channels_last_3d}[rank]
        x, w, residual = (t.contiguous(memory_format=kept) for t in (x, w, residual))
    return x, w, integers(channels, dtype=dtype) if biased else None, None if e.residual == "none" else residual


class Sub(torch.Tensor):
    pass


class Near(unittest.TestCase):
    def near(self, y, right, dtype):
        """Separate epilogues round twice; |values| are below 128."""
        self.assertEqual(y.dtype, dtype)
        error = (y.double() - right).abs().max().item()
        self.assertLessEqual(error, 2 * UNITS[dtype] * max(1, right.abs().max().item()))


class Numbers(Near):
    def test_each_epilogue_in_each_type(self):
        for i, (dtype, e) in enumerate(itertools.product(UNITS, EVERY)):
            biased = i % 2 == 0
            with self.subTest(dtype=dtype, e=e, biased=biased):
                x, w, bias, residual = operands(e, dtype, biased=biased, last=biased)
                for _ in range(2):  # the second is remembered
                    y = of(x, w, bias, residual, e)
                    self.near(y, expected(x, w, bias, residual, e), dtype)
                self.assertEqual(launch.is_channels_last(y), biased)

    def test_slopes_that_float32_would_round(self):
        for slope in (.1, .125):
            for dtype in UNITS:
                e = Epilogue("leaky_relu", "none", slope)
                x, w, bias, _ = operands(e, dtype)
                epilogue._forget()
                with mock.patch.object(launch, "warn") as warn:
                    y = of(x, w, bias, None, e)
                self.assertEqual(warn.call_count, int(slope == .1 and dtype == torch.float64))
                self.near(y, expected(x, w, bias, None, e), dtype)
        with self.assertRaisesRegex(ck_conv.Refused, "the slope of leaky_relu is 0.1, which float32 cannot represent"):
            e._replace(least=.1).fill(ck_conv.Spec((4, 4), (3, 3), type="f64").c_spec)

    def test_small_sums(self):
        """Where hard_swish and hard_sigmoid are neither 0 nor linear."""
        for name in ("hard_swish", "hard_sigmoid", "sigmoid", "silu"):
            for dtype in UNITS:
                e = Epilogue(name)
                x, w, bias, _ = operands(e, dtype)
                w, bias = w / 64, bias / 2
                self.assertGreater((expected(x, w, bias, None, Epilogue()).abs() < 3).double().mean().item(), .5)
                self.near(of(x, w, bias, None, e), expected(x, w, bias, None, e), dtype)

    def test_each_rank_and_groups(self):
        e = Epilogue("relu", BEFORE)
        for rank in (1, 2, 3):
            x, w, bias, residual = operands(e, torch.float32, rank=rank)
            self.assertTrue(torch.equal(of(x, w, bias, residual, e).double(), expected(x, w, bias, residual, e)))
            w = w[:, :2]
            arguments = 1, 1, 1, 4
            self.assertTrue(torch.equal(of(x, w, bias, residual, e, arguments).double(),
                                        expected(x, w, bias, residual, e, arguments)))

    def test_a_plan_computes_it_all(self):
        e = Epilogue("relu", BEFORE)
        with mock.patch.object(epilogue, "with_torch") as separate, mock.patch.object(launch, "convolve") as plain:
            of(*operands(e, torch.float32), e)
        self.assertFalse(separate.called or plain.called)

    def test_what_is_remembered_is_not_asked_again(self):
        e = Epilogue("silu", AFTER)
        given = operands(e, torch.float32)
        first = of(*given, e)
        with mock.patch.object(epilogue, "_long") as again:
            self.assertTrue(torch.equal(of(*given, e), first))
        self.assertFalse(again.called)
        x, w, bias, residual = given
        self.assertTrue(torch.equal(of(x[:1], w, bias, residual[:1], e), first[:1]))  # another size
        residual = residual.contiguous(memory_format=torch.channels_last)
        self.assertTrue(torch.equal(of(x, w, bias, residual, e), first))  # only the residual has another layout

    def test_plans_are_forgotten(self):
        e = Epilogue("relu")
        given = operands(e, torch.float32)
        of(*given, e)
        with mock.patch.object(launch, "planned", mock.Mock()) as planned:
            of(*given, e)
            self.assertFalse(planned.called)
            ck_conv._c.interface.forget_plans()
            of(*given, e)
            self.assertEqual(planned.call_count, 1)
            self.assertEqual(planned.call_args[0][0].activation, 1)  # relu: what tune() sees

    def test_a_residual_that_is_the_input(self):
        e = Epilogue("relu", BEFORE)
        x, w, bias, _ = operands(e, torch.float32)
        for _ in range(2):
            self.assertTrue(torch.equal(of(x, w, bias, x, e).double(), expected(x, w, bias, x, e)))

    def test_addresses_that_are_no_multiples_of_16(self):
        e = Epilogue("relu", BEFORE)
        x, w, bias, residual = operands(e, torch.float32)
        of(x, w, bias, residual, e)
        shifted = torch.empty(residual.numel() + 1)[1:].view_as(residual).copy_(residual)
        self.assertTrue(torch.equal(of(x, w, bias, shifted, e).double(), expected(x, w, bias, residual, e)))

    def test_channels_of_more_are_read_in_place(self):
        for rank, groups, channels, at, more in ((2, 1, 8, 8, 24), (3, 2, 16, 0, 24), (2, 4, 16, 16, 32)):
            e = Epilogue("relu", AFTER)
            x, w, bias, residual = operands(e, torch.float32, channels, rank, last=True)
            w = w[:, :channels // groups].contiguous(memory_format={2: torch.channels_last, 3: torch.channels_last_3d}[rank])
            wide = torch.cat([x] * 4, 1)[:, :more].contiguous(memory_format=torch.channels_last if rank == 2 else
                                                              torch.channels_last_3d)
            part = wide[:, at:at + channels]
            arguments = 1, 1, 1, groups
            right = expected(part, w, bias, residual, e, arguments)
            with mock.patch.object(launch, "packed", wraps=launch.packed) as packed, torch.no_grad():
                self.near(of(part, w, bias, residual, e, arguments), right, torch.float32)
            self.assertFalse(any(call.args[0] is part for call in packed.call_args_list))

    def test_other_parts_of_tensors_are_copied(self):
        wide = integers(2, 24, 6, 5, dtype=torch.float32).contiguous(memory_format=torch.channels_last)
        odd = integers(2, 18, 6, 5, dtype=torch.float32).contiguous(memory_format=torch.channels_last)
        w = integers(8, 8, 3, 3, dtype=torch.float32).contiguous(memory_format=torch.channels_last)
        for part in (wide[:, 1:9], wide[:, 8:16, 1:], wide[:, 8:16, :, 1:], wide[:, ::3], wide[:, 8:16].transpose(2, 3),
                     odd[:, 8:16], wide[:1, 8:16].expand(3, 8, 6, 5), wide[::2, 8:16]):
            with torch.no_grad():
                y = of(part, w, None, None, Epilogue("relu"))
            self.near(y, expected(part, w, None, None, Epilogue("relu"), PLAIN), torch.float32)

    def test_nothing_in_it(self):
        e = Epilogue("relu", BEFORE)
        x, w, bias, residual = operands(e, torch.float32)
        self.assertEqual(of(x[:0], w, bias, residual[:0], e).shape, (0, *residual.shape[1:]))

    def test_without_a_batch(self):
        e = Epilogue("relu", BEFORE)
        x, w, bias, residual = operands(e, torch.float32)
        y = of(x, w, bias, residual, e)[0]
        self.assertTrue(torch.equal(epilogue.convolution(geometry.convolution, 2, x[0], w, bias, residual[0], e, PLAIN), y))


class Kept(unittest.TestCase):
    """What is remembered of calls: how much, and until when."""

    def setUp(self):
        epilogue._forget()

    def call(self, rows, e=Epilogue("relu", BEFORE), dtype=torch.float32):
        x, w, bias = integers(1, 4, rows, 3, dtype=dtype), self.w, None
        return of(x, w, bias, integers(1, 4, rows, 3, dtype=dtype), e)

    w = integers(4, 4, 3, 3, dtype=torch.float32)

    def test_is_as_much_as_there_is_room_for(self):
        for rows in range(1, 5):
            self.call(rows)
        self.assertEqual(len(epilogue._found), 4)
        epilogue._forget()
        with mock.patch.object(launch, "MOST_PLANS", 2):
            for rows in range(1, 6):
                self.call(rows)
                self.assertLessEqual(len(epilogue._found), 2)
        self.assertEqual(len(epilogue._found), 1)

    def test_is_one_call_of_each_layer(self):
        for kind in ("relu", "silu", "gelu", "none"):
            self.call(3, Epilogue(kind, AFTER))
        self.assertEqual(len(epilogue._recent), 4)
        with mock.patch.object(launch, "MOST_PLANS", 4):
            self.call(3, Epilogue("relu", BEFORE))
        self.assertEqual(len(epilogue._recent), 1)

    def test_is_nothing_once_plans_are_forgotten(self):
        self.call(3)
        self.assertTrue(epilogue._found and epilogue._recent)
        ck_conv._c.interface.forget_plans()
        self.assertFalse(epilogue._found or epilogue._recent)

    def test_is_no_call_whose_tensors_lie_elsewhere_each_time(self):
        e = Epilogue("relu", BEFORE)
        plain = operands(e, torch.float32)
        right = expected(*plain, e)
        for number, tensor in enumerate(plain):
            epilogue._forget()
            given = list(plain)
            given[number] = torch.empty(tensor.numel() + 1)[1:].view_as(tensor).copy_(tensor)
            self.assertTrue(torch.equal(of(*given, e).double(), right))
            alignments = [key[-2] for key in epilogue._found]
            self.assertEqual(alignments, [4], f"operand {number} is 4 bytes from a multiple of 16")
            self.assertFalse(epilogue._recent)
            for _ in range(2):
                self.assertTrue(torch.equal(of(*plain, e).double(), right))
            self.assertEqual(len(epilogue._recent), 1)
            self.assertTrue(torch.equal(of(*given, e).double(), right))  # of a call that is remembered

    def test_is_no_call_whose_tensors_are_copied(self):
        e = Epilogue("relu", BEFORE)
        plain = operands(e, torch.float32, last=True)
        right = of(*plain, e)
        for number in (0, 1, 3):
            epilogue._forget()
            given = list(plain)
            given[number] = given[number].transpose(2, 3).contiguous().transpose(2, 3)
            self.assertTrue(torch.equal(of(*given, e), right))
            self.assertFalse(epilogue._recent, number)


class FallsBack(Near):
    def test_residuals_of_other_sizes_and_types(self):
        for residual in (integers(8, 1, 1, dtype=torch.float32), integers(2, 8, 5, 4), integers(3, 2, 8, 5, 4)):
            e = Epilogue("relu", BEFORE)
            x, w, bias, _ = operands(e, torch.float32)
            y = of(x, w, bias, residual, e)
            self.assertEqual(y.dtype, residual.dtype)  # as PyTorch promotes
            self.assertTrue(torch.equal(y.double(), expected(x, w, bias, residual, e)))
            if residual.dim() == 4:
                self.assertEqual(of(x, w, bias, residual, e._replace(keeps_type=True)).dtype, torch.float32)

    def test_each_epilogue_by_pytorch(self):
        for e in EVERY:
            x, w, bias, residual = operands(e)
            x = 2 * x  # sums lie on both sides of a clamp's ends
            y = epilogue.with_torch(F.conv2d(x, w, bias, *PLAIN), residual, e)
            self.assertTrue(torch.equal(y, expected(x, w, bias, residual, e)), e)
            if residual is not None:
                wide = epilogue.with_torch(F.conv2d(x, w, bias, *PLAIN).float(), residual, e._replace(keeps_type=True))
                self.assertEqual(wide.dtype, torch.float32)
                torch.testing.assert_close(wide.double(), y, rtol=1e-6, atol=1e-6)

    def test_what_the_library_refuses(self):
        e = Epilogue("silu", AFTER)
        given = operands(e, torch.float32, channels=16)
        right = launch.make_plan

        def refused(*arguments):
            if len(arguments) > 8:
                raise ck_conv.Refused("no epilogues today")
            return right(*arguments)

        with mock.patch.object(launch, "make_plan", refused), self.assertWarnsRegex(
                RuntimeWarning, "PyTorch adds a residual and applies an activation in .*: no epilogues today"):
            y = of(*given, e)
        torch.testing.assert_close(y.double(), expected(*given, e), rtol=1e-5, atol=1e-5)

    def test_limits_that_float32_would_round(self):
        """In float64, PyTorch clamps: limits of a plan are float32. Other types round their results further."""
        for least, most, by_torch in ((-.3, .8, True), (0., .7, True), (-.5, .75, False), (0., float("inf"), False)):
            for dtype in UNITS:
                e = Epilogue("clamp", "none", least, most)
                x, w, bias, _ = operands(e, dtype)
                epilogue._forget()
                with mock.patch.object(launch, "warn") as warn:
                    y = of(x, w, bias, None, e)
                self.assertEqual(warn.call_count, int(by_torch and dtype == torch.float64))
                right = expected(x, w, bias, None, e).to(dtype) if dtype != torch.float64 else expected(x, w, bias, None, e)
                self.assertTrue(torch.equal(y, right), (e, dtype))

    def test_a_bias_that_the_library_refuses(self):
        x, w, bias = torch.ones(1, 3, 5, 7), torch.ones(4, 3, 3, 3), torch.arange(4.)
        right = launch.make_plan

        def refused(*arguments):
            if arguments[7]:
                raise ck_conv.Refused("no biases today")
            return right(*arguments)

        right_sums = torch.nn.functional.conv2d(x, w, bias)
        shifted = torch.empty(x.numel() + 1)[1:].view_as(x).copy_(x)  # at no multiple of 16: the long way
        for given in (x, shifted):
            with mock.patch.object(launch, "make_plan", refused), self.assertWarnsRegex(RuntimeWarning, "no biases today"):
                y = ck_conv.conv2d(given, w, bias)
            torch.testing.assert_close(y, right_sums)

    def test_operands_that_are_not_alike_are_refused_below(self):
        e = Epilogue("relu")
        x, w, bias, _ = operands(e, torch.float32)
        g = geometry.convolution(2, w.shape, *PLAIN)
        epilogue.convolve(x, w, bias, None, e, g, False)  # whose plan is remembered, and not for those
        for change, words in ((lambda w: w.double(), "float32.*float64"), (lambda w: w.half(), "float32.*float16"),
                              (lambda w: w.to("meta"), "cpu.*meta")):
            with self.assertRaisesRegex(TypeError, words):
                epilogue.convolve(x, change(w), bias, None, e, g, False)

    def test_residuals_that_are_not_like_the_result_are_refused_below(self):
        e = Epilogue("relu", BEFORE)
        x, w, bias, _ = operands(e, torch.float32)
        g = geometry.convolution(2, w.shape, *PLAIN)
        with self.assertRaisesRegex(ValueError, r"the residual is \(8, 1, 1\), .* but the result is \(2, 8, 5, 4\)"):
            epilogue.convolve(x, w, bias, integers(8, 1, 1, dtype=torch.float32), e, g, False)


class Gradients(unittest.TestCase):
    def test_of_all_operands(self):
        for e in EVERY:
            x, w, bias, residual = operands(e, channels=1, rank=1)
            x, w, bias = x + .3, w + .1, bias + .05
            given = [t for t in (x, w, bias, residual) if t is not None]
            for t in given:
                t.requires_grad_()
            self.assertTrue(torch.autograd.gradcheck(lambda *t, e=e: of(*(*t, None)[:4], e), given))

    def test_of_the_input_after_a_call_without(self):
        e = Epilogue("relu", BEFORE)
        x, w, bias, residual = operands(e)
        y = of(x, w, bias, residual, e)
        of(x.requires_grad_(), w, bias, residual, e).sum().backward()
        other = x.detach().clone().requires_grad_()
        (F.conv2d(other, w, bias, *PLAIN) + residual).relu().sum().backward()
        self.assertTrue(torch.equal(x.grad, other.grad))
        with torch.no_grad():
            self.assertTrue(torch.equal(of(x, w, bias, residual, e), y))

    def test_of_the_operator_where_none_is_wanted(self):
        e = Epilogue("relu", BEFORE)
        x, w, bias, residual = operands(e)
        g = geometry.convolution(2, w.shape, *PLAIN)
        with mock.patch.object(epilogue, "with_torch") as separate:
            y = torch.ops.ck_conv.fused(x, w, bias, residual, *e, *g, False)
            with torch.no_grad():
                again = torch.ops.ck_conv.fused(x.requires_grad_(), w, bias, residual, *e, *g, False)
            without = torch.ops.ck_conv.fused(x.detach(), w, None, residual, *e, *g, False)
        self.assertFalse(separate.called)
        self.assertTrue(torch.equal(y, again))
        self.assertTrue(torch.equal(without, expected(x, w, None, residual, e)))
        self.assertTrue(torch.equal(y, expected(x, w, bias, residual, e)))

    def test_in_forward_mode(self):
        """A result of a plan would have no tangent, without a word. Before PyTorch 2 there are none."""
        e = Epilogue("none", AFTER)
        x, w, bias, residual = operands(e)
        g = geometry.convolution(2, w.shape, *PLAIN)
        of(x, w, bias, residual, e)
        with forward_ad.dual_level():
            tangent = integers(*x.shape)
            dual = forward_ad.make_dual(x, tangent)
            with self.assertRaisesRegex(NotImplementedError, "jvp"):
                torch.ops.ck_conv.fused(dual, w, bias, residual, *e, *g, False)
            if torch.__version__ < "2":
                self.assertRaisesRegex(NotImplementedError, "jvp", of, dual, w, bias, residual, e)
            else:
                found = forward_ad.unpack_dual(of(dual, w, bias, residual, e)).tangent
                self.assertTrue(torch.equal(found, F.conv2d(tangent, w, None, *PLAIN)))

    def test_of_the_operator(self):
        e = Epilogue("relu", BEFORE)
        x, w, bias, residual = operands(e)
        g = geometry.convolution(2, w.shape, *PLAIN)
        x.requires_grad_()
        torch.ops.ck_conv.fused(x, w, bias, residual, *e, *g, False).sum().backward()
        other = x.detach().clone().requires_grad_()
        of(other, w, bias, residual, e).sum().backward()
        self.assertTrue(torch.equal(x.grad, other.grad))


class Circumstances(unittest.TestCase):
    def test_the_operator_of_any_geometry(self):
        e = Epilogue("relu", AFTER)
        x, w, bias = integers(2, 4, 9, 11), integers(6, 2, 3, 2), integers(6)
        g = geometry.convolution(2, w.shape, (2, 3), 0, (1, 2), 2)._replace(pad_low=(1, 3), pad_high=(2, 0))
        right = F.conv2d(F.pad(x, (3, 0, 1, 2)), w, bias, (2, 3), 0, (1, 2), 2).relu()
        residual = integers(*right.shape)
        for given in (x, x.as_subclass(Sub)):  # at once, and by the dispatcher
            y = torch.ops.ck_conv.fused(given, w, bias, residual, *e, *g, False)
            self.assertTrue(torch.equal(y.as_subclass(torch.Tensor), right + residual))
        self.assertEqual(torch.ops.ck_conv.fused(*(t.to("meta") for t in (x, w, bias, residual)), *e, *g, False).shape,
                         right.shape)

    def test_plain_tensors_take_the_short_way(self):
        x, w, bias, residual = operands(Epilogue("relu", BEFORE))
        self.assertTrue(epilogue._are_plain(x, w, bias, residual))
        self.assertTrue(epilogue._are_plain(x, w, None, None))
        for number in range(4):
            for change in (lambda t: t.as_subclass(Sub), lambda t: t.to("meta")):
                given = [x, w, bias, residual]
                given[number] = change(given[number])
                if number < 2 or given[number].device.type != "meta":
                    self.assertFalse(epilogue._are_plain(*given), number)

    def test_autocast_of_the_operator(self):
        x, w, b = integers(2, 4, 5, 5, dtype=torch.float32), integers(3, 4, 2, 2, dtype=torch.float32), integers(3, dtype=torch.float32)
        residual, g = integers(2, 3, 4, 4, dtype=torch.float32), geometry.convolution(2, w.shape, 1, 0, 1, 1)
        for given in ((b, residual), (None, residual), (b, None)):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = epilogue._OPERATOR(x, w, *given, "relu", "none" if given[1] is None else BEFORE, 0., 0., False, *g, False)
            expected = F.conv2d(x, w, given[0])
            self.assertTrue(torch.equal(y, (expected if given[1] is None else expected + residual).relu().bfloat16()))
            self.assertEqual(y.dtype, torch.bfloat16)

    def test_autocast(self):
        for e in (Epilogue("relu", BEFORE), Epilogue("silu")):
            x, w, bias, residual = operands(e, torch.float32)
            x = x.bfloat16()  # as what came before made it
            residual = None if residual is None else residual.bfloat16()
            for _ in range(2):
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    y = of(x, w, bias, residual, e)
                self.assertEqual(y.dtype, torch.bfloat16)
                torch.testing.assert_close(y.double(), expected(x, w, bias, residual, e), rtol=2 ** -6, atol=2 ** -6)
            with self.assertRaises(TypeError):
                of(x, w, bias, residual, e)  # what autocast cast is not remembered outside of it

    def test_meta_tensors_and_fake_ones(self):
        e = Epilogue("relu", BEFORE)
        given = operands(e, torch.float32, last=True)
        y = of(*(t.to("meta") for t in given), e)
        self.assertEqual((y.shape, y.stride(), y.device.type), (of(*given, e).shape, of(*given, e).stride(), "meta"))

    def test_subclasses_see_the_operator(self):
        class Logged(torch.Tensor):
            pass

        e = Epilogue("relu")
        x, w, bias, _ = operands(e, torch.float32)
        y = of(x.as_subclass(Logged), w, bias, None, e)
        self.assertIsInstance(y, Logged)
        self.assertTrue(torch.equal(y.as_subclass(torch.Tensor), of(x, w, bias, None, e)))

    @unittest.skipIf(torch.__version__ < "2", "torch.compile is PyTorch 2's")
    def test_compiled(self):
        for e in (Epilogue("relu", BEFORE), Epilogue("clamp", "none", 0., 6.)):
            given = operands(e, torch.float32, last=True)
            compiled = torch.compile(lambda *t, e=e: of(*t, e) + 1, backend="aot_eager", fullgraph=True)
            with torch.no_grad():
                self.assertTrue(torch.equal(compiled(*given), of(*given, e) + 1))


if __name__ == "__main__":
    unittest.main()
