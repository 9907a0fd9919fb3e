"""Our operators in code of torch.compile's Inductor: calls of _compiled.py's functions, with memory that Inductor plans.

Operators that Inductor does not know are called through PyTorch's dispatcher, their results are memory of their own, and
a bias in them is never added by what follows. This tells Inductor what it knows of PyTorch's convolutions.

All of this is PyTorch's own business, and may change: where something is not as it was in the versions that we know,
operators stay what Inductor does not know, which is slower and as right.
"""
import inspect
import operator

import torch
from torch._inductor import ir, lowering
from torch._inductor.codegen.wrapper import PythonWrapperCodegen
from torch._inductor.virtualized import V

from ._library import BACKWARD_DATA, BACKWARD_WEIGHT, FORWARD

_NAMES = {FORWARD: "forward", BACKWARD_DATA: "backward_data", BACKWARD_WEIGHT: "backward_weight"}
_aten = torch.ops.aten
_VIEWS = {_aten.permute.default, _aten.view.default, _aten.reshape.default, _aten._unsafe_view.default,
          _aten.unsqueeze.default, _aten.squeeze.default, _aten.squeeze.dim, _aten.squeeze.dims, _aten.slice.Tensor,
          _aten.transpose.int, _aten.t.default, _aten.alias.default, operator.getitem}


def register(operators):
    """Whether Inductor knows our operators from now on. operators: {direction: the operator}"""
    if not _is_known():
        return False
    for direction, op in operators.items():
        lowering.register_lowering(op, type_promotion_kind=None)(
            lambda *arguments, direction=direction, op=op: _lowered(direction, op, *arguments))
    return True


def _is_known():
    """Whether this Inductor has all that is used here."""
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
    """A call in Inductor's code. body: what makes the function, in Python."""

    def __init__(self, body, name, layout, inputs):
        self.body, self.function = body, name
        super().__init__(layout, inputs)

    def codegen(self, wrapper):
        self.python_kernel_name = f"ck_conv_{self.function}_{wrapper.next_kernel_suffix()}"
        wrapper.define_kernel(self.python_kernel_name, self.body)
        super().codegen(wrapper)


def _lowered(direction, op, first, second, third, *rest):
    *geometry, channels_last = rest
    node = V.graph.current_node
    if V.graph.cpp_wrapper or getattr(V.graph, "fx_wrapper", False):
        arguments, _ = lowering.constrain_to_fx_strides(node, first, second, third, *rest)
        return lowering.fallback_handler(op, add_to_fallback_set=False)(*arguments)
    bias = third if direction == FORWARD else None
    size = [_expression(length) for length in node.meta["val"].shape]
    inputs = []
    for tensor in (first, second):
        tensor.realize()
        inputs.append(ir.ExternKernel.require_exact_strides(tensor, _strides(tensor.get_size(), channels_last)))
    added = bias is not None and _is_computed_with(node)
    if bias is not None and not added:
        bias.realize()
        inputs.append(ir.ExternKernel.require_exact_strides(bias, [1]))
    sizes = [*size, *first.get_size(), *second.get_size()]
    is_static = all(not getattr(length, "free_symbols", None) for length in sizes)
    g = tuple(tuple(value) if isinstance(value, (list, tuple)) else value for value in geometry)
    body = f"__import__('ck_conv._compiled')._compiled.call({direction}, {g}, {channels_last}, {is_static})"
    layout = ir.FixedLayout(first.get_device(), first.get_dtype(), size, _strides(size, channels_last))
    result = ir.TensorBox.create(_Convolution(body, _NAMES[direction], layout, inputs))
    if added:
        view = lowering.lowerings[_aten.view.default](bias, [size[1], *[1] * (len(size) - 2)])
        result = lowering.lowerings[_aten.add.Tensor](result, view)
    return result


def _expression(length):
    return length.node.expr if isinstance(length, torch.SymInt) else length


def _strides(size, channels_last):
    """Of a tensor without gaps."""
    rank = len(size)
    order = [1, *range(rank - 1, 1, -1), 0] if channels_last else range(rank - 1, -1, -1)
    strides, stride = [0] * rank, 1
    for dimension in order:
        strides[dimension] = stride
        stride = stride * size[dimension]
    return strides


def _is_computed_with(node):
    """Whether all that follows is computed by kernels of Inductor, which can add the bias then."""
    for user in node.users:
        if user.target in _VIEWS:
            if not _is_computed_with(user):
                return False
        elif user.op != "call_function" or user.target not in lowering.lowerings or not _is_element_wise(user.target):
            return False
    return len(node.users) > 0


def _is_element_wise(target):
    """Or a reduction: computed as part of a kernel that Inductor writes."""
    if not isinstance(target, torch._ops.OpOverload) or target.namespace not in ("aten", "prims"):
        return False
    return target not in lowering.fallbacks and target.overloadpacket not in _OF_OTHERS


_OF_OTHERS = {getattr(_aten, name) for name in
              ("convolution", "convolution_backward", "mm", "addmm", "bmm", "baddbmm", "_scaled_mm", "clone", "copy_")
              if hasattr(_aten, name)}
