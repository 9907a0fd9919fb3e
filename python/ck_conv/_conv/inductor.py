"""Our operators in code of torch.compile's Inductor: calls of compiled.py's functions, with memory that Inductor plans.

Inductor calls unknown operators through PyTorch's dispatcher, does not plan their results' memory, and never fuses their
bias with what follows. This module tells Inductor about them what it knows about PyTorch's convolutions.

All of this is internal to PyTorch and may change: if something differs from the versions that we know, operators stay
unknown to Inductor, which is slower and still correct.
"""
import functools
import inspect

import torch
from torch._inductor import config, ir, lowering
from torch._inductor.codegen.wrapper import PythonWrapperCodegen
from torch._inductor.virtualized import V

from .._c.interface import BACKWARD_DATA, BACKWARD_WEIGHT, FORWARD

_NAMES = {FORWARD: "forward", BACKWARD_DATA: "backward_data", BACKWARD_WEIGHT: "backward_weight"}
# If Inductor runs a network in channels last, as it does with PyTorch's convolutions, only results that leave the graph are
# not channels last. Otherwise our kernels would transpose each channels-first tensor.
_FAST_CHANNELS_LAST = {"cuda"}
_aten = torch.ops.aten
_VIEWS = {"permute", "view", "reshape", "_unsafe_view", "unsqueeze", "squeeze", "slice", "transpose", "t", "alias", "getitem"}


def register(operators, fused):
    """Returns whether Inductor knows our operators now. operators: {direction: operator}; fused: that of fuse()."""
    if not _is_known():
        return False

    def know(op, lowered):
        lowering.register_lowering(op, type_promotion_kind=None)(lambda *arguments: lowered(op, *arguments))

    know(operators[FORWARD], _forward)
    know(operators[BACKWARD_DATA], functools.partial(_gradient, BACKWARD_DATA))
    know(operators[BACKWARD_WEIGHT], functools.partial(_gradient, BACKWARD_WEIGHT))
    know(fused, _fused)
    return True


def _is_known():
    """Whether this Inductor has all functions that are used here."""
    def takes(function, *names):
        return set(names) <= set(inspect.signature(function).parameters)

    try:
        return (takes(ir.ExternKernelOut.__init__, "layout", "inputs", "python_kernel_name") and
                takes(ir.FixedLayout.__init__, "device", "dtype", "size", "stride") and
                takes(ir.ExternKernel.require_exact_strides, "x", "exact_strides") and
                takes(lowering.fallback_handler, "kernel", "add_to_fallback_set") and
                takes(lowering.register_lowering, "aten_fn", "type_promotion_kind") and
                callable(ir.ExternKernelOut.codegen) and callable(PythonWrapperCodegen.next_kernel_suffix) and
                list(inspect.signature(PythonWrapperCodegen.define_kernel).parameters)[1:3] in
                (["kernel_name", "kernel_body"], ["name", "kernel"]) and hasattr(lowering, "constrain_to_fx_strides"))
    except (AttributeError, ValueError):
        return False


class _Convolution(ir.ExternKernelOut):
    """A call in Inductor's code. body: Python code that makes the function."""

    def __init__(self, body, name, layout, inputs):
        self.body, self.function = body, name
        super().__init__(layout, inputs)

    def codegen(self, wrapper):
        self.python_kernel_name = f"ck_conv_{self.function}_{wrapper.next_kernel_suffix()}"
        wrapper.define_kernel(self.python_kernel_name, self.body)
        super().codegen(wrapper)


def _forward(op, x, weight, bias, *rest):
    if bias is None or not _is_computed_with(V.graph.current_node):
        return _written(op, (x, weight, bias, *rest), FORWARD, (x, weight), bias, None, rest)
    y = _written(op, (x, weight, None, *rest), FORWARD, (x, weight), None, None, rest)
    size = y.get_size()
    view = lowering.lowerings[_aten.view.default](bias, [size[1], *[1] * (len(size) - 2)])
    return lowering.lowerings[_aten.add.Tensor](y, view)


def _gradient(direction, op, first, second, size, *rest):
    return _written(op, (first, second, size, *rest), direction, (first, second), None, None, rest)


def _fused(op, x, weight, bias, residual, activation, place, least, most, keeps_type, *rest):
    e = f"({activation!r}, {place!r}, float('{least}'), float('{most}'), {keeps_type})"
    return _written(op, (x, weight, bias, residual, activation, place, least, most, keeps_type, *rest), FORWARD,
                    (x, weight), bias, residual, rest, e)


def _written(op, arguments, direction, operands, bias, residual, rest, e=None):
    """The result of a call that Inductor generates; in C++ code, of the operator itself with these arguments. rest:
    geometry and channels_last."""
    node = V.graph.current_node
    if V.graph.cpp_wrapper or getattr(V.graph, "fx_wrapper", False):
        arguments, _ = lowering.constrain_to_fx_strides(node, *arguments)
        return lowering.fallback_handler(op, add_to_fallback_set=False)(*arguments)
    *geometry, channels_last = rest
    like = operands[0]
    size = [_expression(length) for length in node.meta["val"].shape]
    is_static = all(not getattr(length, "free_symbols", None)
                    for lengths in (size, *(t.get_size() for t in operands)) for length in lengths)
    channels_last = channels_last or (is_static and len(size) in (4, 5) and config.layout_optimization and
                                      like.get_device().type in _FAST_CHANNELS_LAST)
    added = {name: tensor for name, tensor in (("bias", bias), ("residual", residual)) if tensor is not None}
    inputs = [_packed(tensor, channels_last) for tensor in (*operands, *added.values())]
    g = tuple(tuple(value) if isinstance(value, (list, tuple)) else value for value in geometry)
    body = (f"__import__('ck_conv._conv.compiled')._conv.compiled.function({direction}, {g}, {channels_last}, {is_static}, "
            f"{', '.join(added)!r}, {e})")
    layout = ir.FixedLayout(like.get_device(), like.get_dtype(), size, _strides(size, channels_last))
    return ir.TensorBox.create(_Convolution(body, "fused" if e else _NAMES[direction], layout, inputs))


def _packed(tensor, channels_last):
    """The tensor in contiguous memory: its kernel writes it so, if it has a choice."""
    tensor.realize()
    return ir.ExternKernel.require_exact_strides(tensor, _strides(tensor.get_size(), channels_last))


def _expression(length):
    return length.node.expr if isinstance(length, torch.SymInt) else length


def _strides(size, channels_last):
    """The strides of a contiguous tensor."""
    rank = len(size)
    order = [1, *range(rank - 1, 1, -1), 0] if channels_last and rank > 1 else range(rank - 1, -1, -1)
    strides, stride = [0] * rank, 1
    for dimension in order:
        strides[dimension] = stride
        stride = stride * size[dimension]
    return strides


def _is_computed_with(node):
    """Whether kernels of Inductor compute everything that follows; they can then add the bias."""
    for user in node.users:
        if _name(user.target) in _VIEWS:
            if not _is_computed_with(user):
                return False
        elif user.op != "call_function" or user.target not in lowering.lowerings or not _is_element_wise(user.target):
            return False
    return len(node.users) > 0


def _name(target):
    """The name of an operator or of a function."""
    return getattr(getattr(target, "overloadpacket", target), "__name__", None)


def _is_element_wise(target):
    """Whether Inductor computes it, element-wise or as a reduction, as part of a kernel that it generates."""
    if not isinstance(target, torch._ops.OpOverload) or target.namespace not in ("aten", "prims"):
        return False
    name = _name(target)
    return target not in lowering.fallbacks and name not in _OF_OTHERS and not any(word in name for word in _READS_OFTEN)


_OF_OTHERS = {"convolution", "convolution_backward", "mm", "addmm", "bmm", "baddbmm", "_scaled_mm", "clone", "copy_"}
_READS_OFTEN = "pool", "upsample"  # before one of these, Inductor writes a sum to memory
