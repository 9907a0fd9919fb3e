#!/usr/bin/python3
"""torch.func's transforms, batched gradients and forward-mode derivatives of ck_conv's convolutions, compared with PyTorch
on integers. PyTorch 1.13 has no torch.func: what it has raises there."""
import copy
import types
import unittest
import warnings
from unittest import mock

from needs_torch import integers, torch
from test_operators import as_channels_last

import ck_conv
from ck_conv._c import geometry
from ck_conv._c.interface import FORWARD
from ck_conv._conv import operators
from ck_conv._norm import batch_norm
from torch import nn
from torch.autograd import forward_ad
from torch.nn import functional as F

warnings.filterwarnings("ignore", message=".*performance drop")  # vmap computes one after the other
HAS_FUNC = hasattr(torch, "func")
CASES = [(ck_conv.conv2d, F.conv2d, (2, 4, 5, 4), (6, 2, 3, 2), {"padding": 1, "groups": 2, "stride": (2, 1)}),
         (ck_conv.conv1d, F.conv1d, (2, 2, 7), (6, 2, 3), {"dilation": 2}),
         (ck_conv.conv3d, F.conv3d, (1, 2, 4, 3, 3), (6, 2, 2, 2, 2), {}),
         (ck_conv.conv_transpose2d, F.conv_transpose2d, (2, 4, 3, 2), (4, 3, 3, 2),
          {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2})]


def each():
    """(ours, torch's) as functions of x, w and b, and the three."""
    for ours, theirs, x, w, arguments in CASES:
        for change in (torch.Tensor.contiguous, as_channels_last):
            given = change(integers(*x)), change(integers(*w)), integers(6)
            yield [lambda x, w, b, f=f, a=arguments: f(x, w, b, **a) for f in (ours, theirs)], given


class Both(unittest.TestCase):
    def compare(self, transform, *given, functions):
        ours, theirs = (transform(f)(*given) for f in functions)
        torch.testing.assert_close(ours, theirs, rtol=0, atol=0)


@unittest.skipUnless(HAS_FUNC, "this PyTorch has no torch.func")
class Transforms(Both):
    def test_gradients(self):
        for functions, given in each():
            for argnums in (0, 1, 2, (0, 1, 2)):
                self.compare(lambda f: torch.func.grad(lambda *t: f(*t).square().sum(), argnums), *given,
                             functions=functions)
                self.compare(lambda f: lambda *t: torch.func.vjp(f, *t)[1](f(*t)), *given, functions=functions)

    def test_vmap(self):
        for functions, (x, w, b) in each():
            xs, ws, bs = (torch.stack([t, 1 - t, t * 2]) for t in (x, w, b))
            for given, in_dims in (((xs, w, b), (0, None, None)), ((x, ws, b), (None, 0, None)),
                                   ((xs, ws, bs), (0, 0, 0)), ((x, w, bs), (None, None, 0))):
                self.compare(lambda f: torch.func.vmap(f, in_dims), *given, functions=functions)
                self.compare(lambda f: torch.func.vmap(torch.func.grad(lambda *t: f(*t).square().sum(), (0, 1, 2)),
                                                       in_dims), *given, functions=functions)

    def test_jacobians(self):
        for functions, given in each():
            for jacobian in (torch.func.jacrev, torch.func.jacfwd):
                for argnum in range(3):
                    self.compare(lambda f: jacobian(f, argnum), *given, functions=functions)

    def test_hessians(self):
        for functions, given in list(each())[:4]:
            for argnum in (0, 1, 2):
                self.compare(lambda f: torch.func.hessian(lambda *t: f(*t).square().sum(), argnum), *given,
                             functions=functions)

    def test_group_norms_of_channels_last(self):
        """fuse() makes networks run in channels last, but PyTorch's group norm takes no such tensor there."""
        for norm in (torch.nn.GroupNorm(2, 4), torch.nn.InstanceNorm2d(4, affine=True)):
            model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 1), norm, torch.nn.SiLU(), torch.nn.Conv2d(4, 2, 1)).double().eval()
            fused, x = ck_conv.fuse(model), torch.randn(2, 3, 5, 4, dtype=torch.float64)
            for transform in (lambda f: torch.func.vmap(f)(torch.stack([x, 2 * x])), lambda f: torch.func.jvp(f, (x,), (x * x,))):
                torch.testing.assert_close(transform(fused), transform(model))

    def test_jvp(self):
        for functions, given in each():
            tangents = tuple(t + 1 for t in given)
            self.compare(lambda f: lambda *t: torch.func.jvp(f, t, tangents), *given, functions=functions)
            self.compare(lambda f: lambda *t: torch.func.jvp(torch.func.grad(lambda *t: f(*t).square().sum(), (0, 1)), t,
                                                             tangents), *given, functions=functions)

    def test_gradients_of_each_sample(self):
        """As differential privacy wants them, through modules and functional_call()."""
        theirs = nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU(), nn.ConvTranspose2d(3, 2, 2)).double()
        ours, x = ck_conv.replace(copy.deepcopy(theirs)), integers(4, 2, 5, 5)
        found = []
        for model in (ours, theirs):
            def loss(parameters, sample):
                return torch.func.functional_call(model, parameters, (sample.unsqueeze(0),)).square().sum()

            parameters = {name: p.detach() for name, p in model.named_parameters()}
            found.append(torch.func.vmap(torch.func.grad(loss), (None, 0))(parameters, x))
        torch.testing.assert_close(*found)

    def test_ensembles(self):
        models = [nn.Conv2d(2, 3, 3) for _ in range(3)]
        x, expected = torch.randn(1, 2, 5, 5), [m.weight for m in models]
        expected = torch.stack([m(x) for m in models])
        parameters, buffers = torch.func.stack_module_state([ck_conv.replace(m) for m in models])
        y = torch.func.vmap(lambda p, b: torch.func.functional_call(models[0], (p, b), (x,)))(parameters, buffers)
        torch.testing.assert_close(y, expected)


@unittest.skipUnless(HAS_FUNC, "this PyTorch has no torch.func")
class Autocast(unittest.TestCase):
    """torch.autocast within transforms: PyTorch's types. On CPUs its vmap() goes by autocast's list for parts of
    convolutions, which has none."""

    def test_types_are_those_of_pytorch(self):
        x, w, b = torch.randn(1, 2, 5, 5), torch.randn(2, 2, 3, 3), torch.randn(2)
        vmap, grad, jvp, vjp = (getattr(torch.func, name) for name in ("vmap", "grad", "jvp", "vjp"))

        def value_of_grad(f, x):
            return grad(lambda v: ((y := f(v)).float().sum(), y), has_aux=True)(x)[1]

        for kind in ("conv2d", "conv_transpose2d"):
            for dtype in (torch.float32, torch.bfloat16, torch.float64):
                given = x.to(dtype)
                for name, transform in {
                        "vmap x": lambda f: vmap(lambda a: f(a, w, b))(given[None]),
                        "vmap w": lambda f: vmap(lambda a: f(given, a, b))(w[None]),
                        "vmap b": lambda f: vmap(lambda a: f(given, w, a))(b[None]),
                        "vmap of others": lambda f: vmap(lambda a: f(given, w, b) * a.bfloat16())(torch.ones(1)),
                        "vmap grad": lambda f: vmap(lambda a: value_of_grad(lambda v: f(v, w, b), a))(given[None]),
                        "grad vmap": lambda f: value_of_grad(lambda v: vmap(lambda a: f(a, w, b))(v[None]), given),
                        "jvp": lambda f: jvp(lambda a: f(a, w, b), (given,), (given,))[1],
                        "vmap jvp": lambda f: vmap(lambda v: jvp(lambda a: f(a, w, b), (v,), (v,))[1])(given[None]),
                        "vjp": lambda f: vjp(lambda a: f(a, w, b), given)[0]}.items():
                    found = []
                    for module in (F, ck_conv):
                        try:
                            with torch.autocast("cpu", dtype=torch.bfloat16):
                                found.append(transform(getattr(module, kind)).dtype)
                        except (RuntimeError, TypeError):  # of mixed types
                            found.append("refused")
                    self.assertEqual(*found, (kind, dtype, name))


@unittest.skipUnless(HAS_FUNC, "this PyTorch has no torch.func")
class Functionalize(Both):
    def test_alone(self):
        for functions, given in each():
            self.compare(torch.func.functionalize, *given, functions=functions)

    def test_with_others_is_refused_by_pytorch(self):
        functions, (x, w, b) = next(each())
        with self.assertRaisesRegex(RuntimeError, "Functionalize rule|functorch"):
            torch.func.functionalize(torch.func.vmap(lambda a: functions[0](a, w, b)))(x[None])


@unittest.skipUnless(HAS_FUNC, "before PyTorch 2 what is batched cannot be told from what is not")
class Batched(Both):
    def test_is_grads_batched(self):
        for functions, given in each():
            given = [t.requires_grad_() for t in given]
            found = []
            for f in functions:
                y = f(*given)
                grads = torch.stack([torch.ones_like(y), y.detach(), 1 - y.detach()])
                for _ in range(2):  # the second time is remembered
                    found.append(torch.autograd.grad(y, given, grads, is_grads_batched=True, retain_graph=True))
            torch.testing.assert_close(found[0], found[2], rtol=0, atol=0)
            torch.testing.assert_close(found[1], found[2], rtol=0, atol=0)

    def test_vectorized_jacobian(self):
        for functions, given in list(each())[:4]:
            self.compare(lambda f: lambda *t: torch.autograd.functional.jacobian(f, t, vectorize=True), *given,
                         functions=functions)


class ForwardMode(Both):
    @unittest.skipUnless(HAS_FUNC, "before PyTorch 2 it raises, see the next test")
    def test_dual_tensors(self):
        for functions, given in each():
            for which in ((0,), (1,), (2,), (0, 1, 2)):
                def of(f):
                    f(*given)  # is remembered
                    with forward_ad.dual_level():
                        duals = [forward_ad.make_dual(t, t + 1) if i in which else t for i, t in enumerate(given)]
                        return tuple(forward_ad.unpack_dual(f(*duals)))

                torch.testing.assert_close(of(functions[0]), of(functions[1]), rtol=0, atol=0)

    @unittest.skipIf(HAS_FUNC, "PyTorch 2 has it")
    def test_is_refused_before(self):
        x, w = integers(2, 4, 5, 5), integers(6, 4, 3, 3)
        with forward_ad.dual_level(), self.assertRaisesRegex((NotImplementedError, RuntimeError), "jvp"):
            ck_conv.conv2d(forward_ad.make_dual(x, x), w)


class Function(unittest.TestCase):
    """The rules that PyTorch 2's transforms call, called directly."""

    def test_rules(self):
        x, w, b = integers(2, 4, 5, 4), integers(6, 2, 3, 2), integers(6)
        g = geometry.convolution(2, w.shape, (2, 1), 1, 1, 2)

        def conv(x, w, b=None):
            return F.conv2d(x, w, b, (2, 1), 1, groups=2)
        for bias in (b, None):
            what = operators._What(FORWARD, None, g, False)
            y = operators.Transformed.forward(x, w, bias, what)
            given = [t.clone().requires_grad_() for t in (x, w, b)]
            expected = conv(*given[:2 if bias is None else 3])
            self.assertTrue(torch.equal(y, expected))
            saved, ctx = [], types.SimpleNamespace(needs_input_grad=(True, True, bias is not None, False))
            ctx.save_for_backward = ctx.save_for_forward = lambda *tensors: saved.append(tensors)
            operators.Transformed.setup_context(ctx, (x, w, bias, what), y)
            self.assertEqual(([tuple(map(id, s)) for s in saved], ctx.shape), ([(id(x), id(w))] * 2, y.shape))
            ctx.saved_tensors = x, w
            found = operators.Transformed.backward(ctx, y)
            right = torch.autograd.grad(expected, given[:2 if bias is None else 3], y)
            self.assertTrue(all(map(torch.equal, found, right)))
            self.assertEqual(found[len(right):], (None,) * (4 - len(right)))
            for changes in ((x + 1, None, None), (None, w * 2, None), (None, None, b), (x + 1, w, b)):
                parts = [f(t) for f, t in zip((lambda t: conv(t, w), lambda t: conv(x, t), lambda t: t.view(1, -1, 1, 1) + 0 * y),
                                              changes) if t is not None]
                self.assertTrue(torch.equal(operators.Transformed.jvp(ctx, *changes, None), sum(parts)))

    def test_calls_under_a_transform(self):
        """They are checked first; the innermost transform decides which function is called."""
        x, w, b = integers(1, 2, 4, 4), integers(3, 2, 2, 2), integers(3)
        g = geometry.convolution(2, w.shape, 1, 0, 1, 1)
        for innermost, called in (("Functionalize", "_operator"), ("Vmap", "apply")):
            with mock.patch.multiple(operators, _CAN_TRANSFORM=True, _transforms=lambda: True,
                                     _innermost_is=lambda transform: transform == innermost), \
                    mock.patch.object(operators, "_operator", lambda *given: ("_operator", *given)), \
                    mock.patch.object(operators.Transformed, "apply", lambda *given: ("apply", *given)):
                found = operators.call(FORWARD, x, w, b, None, g, False)
                self.assertEqual(found[0], called)
                if called == "apply":
                    self.assertEqual((found[1:4], found[4].direction, found[4].of_result), ((x, w, b), FORWARD, (None, g, False)))
                else:
                    self.assertEqual(found[1:], (FORWARD, x, w, b, None, g, False))
                for wrong, error in (((x.float(), w, b), TypeError), ((x[:, :1], w, b), ValueError), ((x, w, b[:2]), ValueError)):
                    with self.assertRaises(error):
                        operators.call(FORWARD, *wrong, None, g, False)

    def test_batch_norms_under_a_transform(self):
        """vmap() wants one type: x is widened, and the result is of x's type."""
        x, weight, mean = torch.randn(3, 2, 4).bfloat16(), torch.rand(2) + .5, torch.rand(2)
        for parameters in ((weight, weight - 1, mean, weight), (None, None, mean, weight), (weight, None, mean, weight)):
            w, b, m, v = parameters
            with mock.patch.object(batch_norm, "_transforms", lambda: True), \
                    mock.patch.object(F, "batch_norm", wraps=F.batch_norm) as norm:
                y = batch_norm.in_torch(x, w, b, m, v, False, .1, 1e-5, ("none", 0., 0.), None, False)
            self.assertEqual((norm.call_args.args[0].dtype, y.dtype), (torch.float32, torch.bfloat16))
            self.assertTrue(torch.equal(y, F.batch_norm(x.float(), m, v, w, b).bfloat16()))

    def test_what_escapes_autocast(self):
        """Tensors of the innermost vmap()."""
        functorch = types.SimpleNamespace(
            is_batchedtensor=lambda t: t is not plain, maybe_get_level=lambda t: 2 if t is inner else 1,
            peek_interpreter_stack=lambda: types.SimpleNamespace(level=lambda: 2, key=lambda: innermost[0]),
            TransformType=types.SimpleNamespace(Vmap="vmap", Grad="grad"))
        plain, inner, outer, innermost = integers(1), integers(1), integers(1), ["vmap"]
        escapes = operators.escapes_autocast
        with mock.patch.multiple(operators, _CAN_TRANSFORM=True, _transforms=lambda: True), \
                mock.patch.object(operators, "_functorch", functorch, create=True):
            self.assertTrue(escapes(inner, None) and escapes(plain, inner) and escapes(outer, plain, inner))
            self.assertFalse(escapes(plain, None) or escapes(outer) or escapes(plain, outer))
            self.assertFalse(escapes(torch.empty(1, device="meta"), inner))
            innermost[0] = "grad"
            self.assertFalse(escapes(inner))
            innermost[0] = "vmap"
            for name, value in (("_CAN_TRANSFORM", False), ("_transforms", lambda: False), ("is_compiling", lambda: True)):
                with mock.patch.object(operators, name, value):
                    self.assertFalse(escapes(inner))


if __name__ == "__main__":
    unittest.main(verbosity=2)
