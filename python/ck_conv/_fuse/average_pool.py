"""Average pools of 2x2 or 2x2x2 pixels next to a 1x1 convolution, in inference: a convolution with strides of 2 computes both.

  conv, pool: as in DenseNet's transitions. As many multiplications, and a quarter of the results.
  pool, conv: as in the shortcuts of ResNet-D. Four times as many multiplications, but no tensor in between.

Each tap has the weight divided by the number of taps, a power of two, so nothing is rounded. With ceil_mode, the last pool of
an odd number of rows averages one row; the input then gets this row twice.
"""
import copy

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import parametrize
from torch.overrides import handle_torch_function, has_torch_function

from .._conv.launch import FORMATS, is_channels_last
from .._trace.trace import has_hooks
from . import pads
from .aliases import may_write
from .fused import fused_class

_is_exporting = getattr(getattr(torch, "compiler", None), "is_exporting", lambda: False)  # PyTorch 2.7
_POOLS = {nn.AvgPool2d: 2, nn.AvgPool3d: 3}
_CALLS = {F.avg_pool2d: 2, F.avg_pool3d: 3}


def even(x, rank):
    """x with its last row, column and so on twice where their number is odd. rank: of the spatial dimensions. While a graph is
    recorded for other sizes, too, always twice: if the number is even, the convolution does not read the last one."""
    if has_torch_function((x,)) and not issubclass(type(x), torch.Tensor):  # a proxy of torch.fx
        return handle_torch_function(even, (x,), x, rank)
    if torch.jit.is_tracing() or _is_exporting():
        odd = [1] * rank
    else:
        odd = [n % 2 for n in x.shape[:-rank - 1:-1]]
        if not any(odd):
            return x
    return pads.pad(x, tuple(pad for n in odd for pad in (0, n)), "replicate")


def _pool_of(node, modules):
    """(rank, ceil_mode) of the node's average pool; None if it is no such pool."""
    names = "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"
    defaults = dict(zip(names, (None, None, 0, False, True, None)))
    if node.op == "call_module" and type(modules[node.target]) in _POOLS and len(node.args) == 1 and not node.kwargs:
        pool = modules[node.target]
        if has_hooks(pool):
            return None
        rank, given = _POOLS[type(pool)], {name: getattr(pool, name) for name in names}
    elif node.op == "call_function" and node.target in _CALLS and node.args and set(node.kwargs) <= set(names):
        rank, given = _CALLS[node.target], {**defaults, **dict(zip(names, node.args[1:])), **node.kwargs}
    else:
        return None
    window = _lengths(given["kernel_size"], rank)
    stride = window if given["stride"] in (None, (), []) else _lengths(given["stride"], rank)
    if (window, stride, _lengths(given["padding"], rank)) != ((2,) * rank, (2,) * rank, (0,) * rank) or (
            given["divisor_override"] is not None or type(given["ceil_mode"]) is not bool):
        return None
    return rank, given["ceil_mode"]


def _lengths(value, rank):
    value = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    return value * rank if len(value) == 1 else value


def _takes(node, rank, graph, modules, is_within_another):
    """Whether the node calls a convolution that can pool, too."""
    conv = modules[node.target] if node.op == "call_module" else None
    if not isinstance(conv, nn.modules.conv._ConvNd) or conv.transposed or fused_class(conv) is None or (
            has_hooks(conv) or parametrize.is_parametrized(conv) or conv.weight.is_meta or is_within_another(node) or
            len(node.args) != 1 or node.kwargs):
        return False
    one, zero = (1,) * rank, (0,) * rank
    padding = zero if conv.padding in ("valid", "same") else conv.padding
    if conv.kernel_size != one or conv.stride != one or padding != zero:
        return False
    return (sum(other.target == node.target for other in graph.nodes) == 1 and
            bool((conv.weight / 2 ** rank * 2 ** rank == conv.weight).all()))


def _pooling(conv, rank):
    """The convolution, which also pools."""
    made, weight = copy.copy(conv), conv.weight.detach()
    made._parameters = dict(conv._parameters)
    memory_format = FORMATS[weight.dim()] if is_channels_last(weight) else torch.contiguous_format
    taps = (weight / 2 ** rank).expand(*weight.shape[:2], *(2,) * rank).contiguous(memory_format=memory_format)
    made._parameters["weight"] = nn.Parameter(taps, requires_grad=False)
    made.kernel_size = made.stride = (2,) * rank
    made.padding, made._reversed_padding_repeated_twice = (0,) * rank, [0] * 2 * rank
    return made


def fold(graph, modules, put, is_within_another):
    """Makes convolutions pool. Returns {the target of each: what it computes, too}. put(name, module): gives the root a module."""
    folded = {}
    for node in list(graph.nodes):
        found = None if is_within_another(node) else _pool_of(node, modules)
        if found is None or not node.args or not isinstance(node.args[0], torch.fx.Node):
            continue
        (rank, ceil_mode), source, users = found, node.args[0], list(node.users)
        before = len(source.users) == 1 and _takes(source, rank, graph, modules, is_within_another)
        after = not before and len(users) == 1 and users[0].args[:1] == (node,) and _takes(
            users[0], rank, graph, modules, is_within_another)
        conv = source if before else users[0] if after else None
        if conv is None or conv.target in folded or _may_change_between(*((conv, node) if before else (node, conv)), modules):
            continue
        modules[conv.target] = _pooling(modules[conv.target], rank)
        put(conv.target, modules[conv.target])
        name = f"{type(modules[node.target]).__name__} {node.target}" if node.op == "call_module" else node.name
        folded[conv.target] = f"{name} {'after' if before else 'before'}"
        node.replace_all_uses_with(source)
        graph.erase_node(node)
        if ceil_mode:
            with graph.inserting_before(conv):
                evened = graph.call_function(even, (conv.args[0], rank))
            conv.args = (evened,)
    return folded


def _may_change_between(first, last, modules):
    """Whether a step between two nodes may write to a tensor."""
    step = first.next
    while step is not last:
        if may_write(step, modules):
            return True
        step = step.next
    return False
