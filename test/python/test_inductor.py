#!/usr/bin/python3
"""What Inductor is told about our operators: memory, strides, and the function that its code calls. Inductor itself is replaced
by what _conv/inductor.py uses of it, so this runs with every PyTorch. test_compiled.py has the real one."""
import contextlib
import importlib.util
import operator
import sys
import types
import unittest
from unittest import mock

from needs_torch import torch

import ck_conv
from ck_conv._c.interface import BACKWARD_DATA, BACKWARD_WEIGHT, FORWARD
from ck_conv._conv import compiled
from torch import fx

ATEN = torch.ops.aten
G = [2, 1], [1, 0], [1, 0], [1, 1], False, [0, 0], 1
TUPLES = (2, 1), (1, 0), (1, 0), (1, 1), False, (0, 0), 1


class Layout:
    def __init__(self, device, dtype, size, stride):
        self.given = device.type, dtype, list(size), list(stride)


class Kernel:
    def __init__(self, layout, inputs, python_kernel_name=None):
        self.layout, self.inputs, self.python_kernel_name = layout.given, inputs, python_kernel_name

    @staticmethod
    def require_exact_strides(x, exact_strides):
        return x, tuple(exact_strides)

    def get_size(self):
        return self.layout[2]

    def codegen(self, wrapper):
        wrapper.code.append(f"call {self.python_kernel_name}")


class Wrapper:
    def __init__(self):
        self.code = []

    def next_kernel_suffix(self):
        return str(len(self.code))

    def define_kernel(self, kernel_name, kernel_body):
        self.code.append(f"{kernel_name} = {kernel_body}")


class Tensor:
    """A tensor of Inductor, here without memory. realized: how often it was written."""

    def __init__(self, *size, device="cpu"):
        self.size, self.device, self.realized = list(size), torch.device(device), 0

    def get_size(self):
        return self.size

    def get_device(self):
        return self.device

    def get_dtype(self):
        return torch.float16

    def realize(self):
        self.realized += 1


class Symbol:
    """A length that is not known."""
    free_symbols = {"s0"}

    def __mul__(self, other):
        return self

    __rmul__ = __mul__


class SymInt:
    """PyTorch's number for it."""
    node = types.SimpleNamespace(expr=Symbol())


def stand_in():
    """Modules that _conv/inductor.py imports."""
    lowering = types.SimpleNamespace(lowerings={}, fallbacks={ATEN.sort.default})

    def register_lowering(aten_fn, type_promotion_kind="default"):
        def register(function):
            lowering.lowerings[aten_fn] = function
            function.type_promotion_kind = type_promotion_kind
        return register
    lowering.register_lowering = register_lowering
    lowering.fallback_handler = lambda kernel, add_to_fallback_set=True: (
        lambda *arguments: ("fallback", kernel, add_to_fallback_set, arguments))
    lowering.constrain_to_fx_strides = lambda node, *arguments: (("strides of", node, *arguments), {})
    ir = types.SimpleNamespace(ExternKernelOut=type("Out", (Kernel,), {}), ExternKernel=Kernel, FixedLayout=Layout,
                               TensorBox=types.SimpleNamespace(create=lambda kernel: kernel))
    graph = types.SimpleNamespace(cpp_wrapper=False, current_node=None)
    config = types.SimpleNamespace(layout_optimization=True)
    for target in (ATEN.add.Tensor, ATEN.relu.default, ATEN.sum.dim_IntList, ATEN.max_pool2d.default, ATEN.sort.default,
                   ATEN.mm.default, ATEN.view.default, ATEN.upsample_nearest2d.vec, operator.mul):
        lowering.lowerings[target] = lambda *arguments, target=target: (target, *arguments)
    return types.SimpleNamespace(lowering=lowering, ir=ir, config=config, V=types.SimpleNamespace(graph=graph),
                                 PythonWrapperCodegen=Wrapper)


@contextlib.contextmanager
def loaded():
    """Yields (_conv/inductor.py with a new stand-in, the stand-in)."""
    made = stand_in()
    modules = {"torch._inductor": made, "torch._inductor.codegen": made, "torch._inductor.codegen.wrapper": made,
               "torch._inductor.virtualized": made}
    spec = importlib.util.spec_from_file_location("ck_conv._conv.inductor_of_a_test", ck_conv.__path__[0] + "/_conv/inductor.py")
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(sys.modules, modules):
        spec.loader.exec_module(module)
        yield module, made


OPERATORS = {FORWARD: "forward", BACKWARD_DATA: "backward_data", BACKWARD_WEIGHT: "backward_weight"}


class Inductor(unittest.TestCase):
    def setUp(self):
        everything = contextlib.ExitStack()
        self.addCleanup(everything.close)
        everything.enter_context(mock.patch.object(torch, "SymInt", SymInt, create=True))
        self.module, self.stand_in = everything.enter_context(loaded())
        self.assertIs(self.module.register(OPERATORS, "fused"), True)

    def call(self, name, size, *arguments, users=()):
        graph = self.stand_in.V.graph
        graph.current_node = types.SimpleNamespace(meta={"val": types.SimpleNamespace(shape=size)}, users=dict.fromkeys(users))
        lowered = self.stand_in.lowering.lowerings[name]
        self.assertIsNone(lowered.type_promotion_kind)
        return lowered(*arguments)

    def asked(self, body):
        """The arguments of compiled.function() in generated code."""
        with mock.patch.object(compiled, "function", lambda *arguments: arguments):
            return eval(body)

    def test_three_directions(self):
        x, w, y = Tensor(2, 3, 5, 7), Tensor(4, 3, 2, 2), Tensor(2, 4, 3, 6)
        for name, direction, first, second, third, size in (
                ("forward", FORWARD, x, w, None, (2, 4, 3, 6)), ("backward_data", BACKWARD_DATA, y, w, [2, 3, 5, 7], (2, 3, 5, 7)),
                ("backward_weight", BACKWARD_WEIGHT, x, y, [4, 3, 2, 2], (4, 3, 2, 2))):
            for channels_last in (False, True):
                made = self.call(name, size, first, second, third, *G, channels_last)
                c, h, w_ = size[1:]
                strides = [c * h * w_, 1, w_ * c, c] if channels_last else [c * h * w_, h * w_, w_, 1]
                self.assertEqual(made.layout, ("cpu", torch.float16, list(size), strides))
                self.assertEqual([t for t, _ in made.inputs], [first, second])
                for t, strides in made.inputs:
                    a, b, c = t.size[1:]
                    self.assertEqual(strides, (a * b * c, 1, c * a, a) if channels_last else (a * b * c, b * c, c, 1))
                self.assertEqual(self.asked(made.body), (direction, TUPLES, channels_last, True, "", None))
                wrapper = Wrapper()
                made.codegen(wrapper)
                self.assertEqual(wrapper.code, [f"ck_conv_{name}_0 = {made.body}", f"call ck_conv_{name}_0"])
        self.assertEqual([t.realized for t in (x, w, y)], [4, 4, 4])

    def test_other_dimensions(self):
        for rank, strides in ((1, (21, 1, 3)), (3, (3 * 7 * 5 * 2, 1, 5 * 2 * 3, 2 * 3, 3))):
            x, w = Tensor(2, 3, *(7, 5, 2)[:rank]), Tensor(4, 3, *(1,) * rank)
            size = (2, 4, *x.size[2:])
            g = [(1,) * rank, (0,) * rank, (0,) * rank, (1,) * rank, False, (0,) * rank, 1]
            made = self.call("forward", size, x, w, None, *g, True)
            self.assertEqual(made.inputs[0], (x, strides))
            self.assertEqual(self.asked(made.body)[1], tuple(g))
        self.assertEqual(self.module._strides([5], True), [1])

    def test_channels_last_on_gpus(self):
        """Where PyTorch's layouts are chosen for speed; not where sizes are not known, and not in 1D."""
        layouts = []
        for device, optimizes, size in (("cuda", True, (2, 4, 3, 6)), ("cpu", True, (2, 4, 3, 6)), ("cuda", False, (2, 4, 3, 6)),
                                        ("cuda", True, (2, 4, SymInt(), 6)), ("cuda", True, (2, 4, 3)), ("cuda", True, (2, 4, 1, 3, 6))):
            self.stand_in.config.layout_optimization = optimizes
            made = self.call("forward", size, Tensor(2, 3, 5, 7, device=device), Tensor(4, 3, 2, 2, device=device), None, *G, False)
            layouts.append((made.layout[3][1] == 1, self.asked(made.body)[2:4]))
        self.assertEqual(layouts, [(True, (True, True)), (False, (False, True)), (False, (False, True)), (False, (False, False)),
                                   (False, (False, True)), (True, (True, True))])
        x = Tensor(2, 3, Symbol(), 7)
        made = self.call("forward", (2, 4, 3, 6), x, Tensor(4, 3, 2, 2), None, *G, False)
        self.assertIs(self.asked(made.body)[3], False)

    def test_epilogues(self):
        x, w, bias, residual = Tensor(2, 3, 5, 7), Tensor(4, 3, 2, 2), Tensor(4), Tensor(2, 4, 3, 6)
        for more in ((bias, residual), (None, residual), (bias, None), (None, None)):
            e = "clamp", "before_activation", 0.5, float("inf"), True
            made = self.call("fused", (2, 4, 3, 6), x, w, *more, *e, *G, True)
            added = [t for t in more if t is not None]
            self.assertEqual([t for t, _ in made.inputs], [x, w, *added])
            words = ", ".join("bias" if t is bias else "residual" for t in added)
            self.assertEqual(self.asked(made.body), (FORWARD, TUPLES, True, True, words, e))
            self.assertEqual(made.function, "fused")

    def test_a_bias(self):
        """What follows adds it, if Inductor computes it in kernels of its own."""
        x, w, bias = Tensor(2, 3, 5, 7), Tensor(4, 3, 2, 2), Tensor(4)
        graph = fx.Graph()
        y = graph.placeholder("y")

        def user(target, *others, after=None):
            node = graph.call_function(target, (after or y, *others))
            if after is not None:
                return [n for n in after.users if n is node][0]
            return node
        relu, view = user(ATEN.relu.default), user(ATEN.view.default, [2, 4])
        summed = user(ATEN.sum.dim_IntList, [1], after=user(ATEN.permute.default, [0, 2, 3, 1]))
        permuted, viewed = next(iter(summed.args)), user(operator.getitem, 0)
        user(ATEN.relu.default, after=viewed)
        method = graph.call_method("relu", (y,))
        for users, adds in (([relu], True), ([], False), ([view], False), ([permuted], True), ([viewed], True), ([relu, view], False),
                            ([user(ATEN.max_pool2d.default, 2)], False), ([user(ATEN.sort.default)], False),
                            ([user(ATEN.mm.default, y)], False), ([user(ATEN.upsample_nearest2d.vec)], False),
                            ([user(operator.mul, y)], False), ([user(ATEN.exp.default)], False), ([method], False),
                            ([relu, permuted], True), ([graph.output(y)], False)):
            made = self.call("forward", (2, 4, 3, 6), x, w, bias, *G, False, users=users)
            if not adds:
                self.assertEqual(self.asked(made.body)[4], "bias", users)
                self.assertEqual(made.inputs[2], (bias, (1,)))
                continue
            add, without, (reshape, of, size) = made
            self.assertEqual((add, reshape, of, size), (ATEN.add.Tensor, ATEN.view.default, bias, [4, 1, 1]))
            self.assertEqual((self.asked(without.body)[4], len(without.inputs)), ("", 2))

    def test_cpp_wrapper(self):
        """In C++, the operator itself is called."""
        x, w, bias = Tensor(2, 3, 5, 7), Tensor(4, 3, 2, 2), Tensor(4)
        e = "relu", "none", 0., 0., False
        for name in ("cpp_wrapper", "fx_wrapper"):
            self.stand_in.V.graph.__dict__.update(cpp_wrapper=False, fx_wrapper=False)
            setattr(self.stand_in.V.graph, name, True)
            for op, given in (("forward", (x, w, None, *G, False)), ("forward", (x, w, bias, *G, False)),
                              ("backward_data", (x, w, [1], *G, True)), ("backward_weight", (x, w, [1], *G, True)),
                              ("fused", (x, w, bias, None, *e, *G, True))):
                node = self.stand_in.V.graph
                made = self.call(op, (2, 4, 3, 6), *given)
                self.assertEqual(made, ("fallback", op, False, ("strides of", node.current_node, *given)))

    def test_an_inductor_that_is_not_known(self):
        """Whichever function it lacks, or if one takes other arguments, nothing is registered."""
        ir, lowering, wrapper = self.stand_in.ir, self.stand_in.lowering, Wrapper

        def other(*_):
            pass

        def in_another_order(self, kernel_body, kernel_name):
            pass

        def with_other_names(self, name, kernel):
            pass
        before = dict(lowering.lowerings)
        for place, name in ((ir.ExternKernelOut, "__init__"), (Layout, "__init__"), (Kernel, "require_exact_strides"),
                            (lowering, "fallback_handler"), (lowering, "register_lowering"), (wrapper, "define_kernel")):
            with mock.patch.object(place, name, other):
                self.assertIs(self.module.register({}, None), False, name)
        with mock.patch.object(wrapper, "define_kernel", in_another_order):
            self.assertFalse(self.module.register({}, None))
        with mock.patch.object(wrapper, "define_kernel", with_other_names):
            self.assertTrue(self.module._is_known())
        for place, name in ((Kernel, "codegen"), (wrapper, "next_kernel_suffix"), (lowering, "constrain_to_fx_strides"),
                            (ir, "ExternKernelOut"), (lowering, "fallback_handler")):
            kept = getattr(place, name)
            delattr(place, name)
            try:
                self.assertIs(self.module.register({}, None), False, name)
            finally:
                setattr(place, name, kept)
        with mock.patch.object(Kernel, "codegen", None):
            self.assertFalse(self.module._is_known())
        self.assertEqual(lowering.lowerings, before)
        self.assertTrue(self.module._is_known())


if __name__ == "__main__":
    unittest.main()
