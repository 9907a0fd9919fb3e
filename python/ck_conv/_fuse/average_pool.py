"""Average pools next to a 1x1 convolution, in inference: a convolution whose filter and strides are the window computes both.

  conv, pool: as in DenseNet's transitions. As many multiplications, and a quarter of the results. A batch norm in between is
              then computed after the pool: both are the same for each channel.
  pool, conv: as in the shortcuts of ResNet-D. Four times as many multiplications, but no tensor in between.

Each tap has the weight divided by the number of taps, a power of two. This rounds nothing, except numbers near the smallest one
of the type: with these, the pool stays as it is. With ceil_mode, the last pool of an odd number of rows averages one row; the input then gets this row twice.
"""
import copy
import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import parametrize
from torch.overrides import handle_torch_function, has_torch_function

from .._conv.launch import is_channels_last, packed
from .._trace.trace import has_hooks, is_norm
from . import pads
from .aliases import may_write
from .chains import is_identity, is_plain_norm
from .fused import FUSED, fused_class, why_not_folded

MOST_TAPS = 16  # of a window: each has a weight of its own
_is_exporting = getattr(getattr(torch, "compiler", None), "is_exporting", lambda: False)  # PyTorch 2.7
_PADS_ALL_TYPES = torch.__version__ >= "2.3"  # before, F.pad() lacks 16-bit types on some devices
_POOLS = {nn.AvgPool1d: 1, nn.AvgPool2d: 2, nn.AvgPool3d: 3}
_CALLS = {F.avg_pool1d: 1, F.avg_pool2d: 2, F.avg_pool3d: 3}


def even(x, window):
    """x with its last row, column and so on twice where their number is odd and the window has two. While a graph is recorded for
    other sizes, too, always twice: if the number is even, the convolution does not read the last one."""
    if has_torch_function((x,)) and not issubclass(type(x), torch.Tensor):  # a proxy of torch.fx
        return handle_torch_function(even, (x,), x, window)
    rank = len(window)
    if torch.jit.is_tracing() or _is_exporting():
        odd = [n // 2 for n in window]
    else:
        odd = [n // 2 * (length % 2) for n, length in zip(window, x.shape[-rank:])]
        if not any(odd):
            return x
    if _PADS_ALL_TYPES or x.dtype in (torch.float32, torch.float64):
        return pads.pad(x, tuple(pad for n in reversed(odd) for pad in (0, n)), "replicate")
    for d, n in zip(range(-rank, 0), odd):
        x = torch.cat((x, x.narrow(d, -1, 1)), d) if n else x
    return x


def _pool_of(node, modules):
    """(window, ceil_mode) of the node's average pool; None if it is no such pool."""
    names = "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"
    defaults = dict(zip(names, (None, None, 0, False, True, None)))
    if node.op == "call_module" and type(modules[node.target]) in _POOLS and len(node.args) == 1 and not node.kwargs:
        pool = modules[node.target]
        if has_hooks(pool):
            return None
        rank, given = _POOLS[type(pool)], {name: getattr(pool, name, None) for name in names}
    elif node.op == "call_function" and node.target in _CALLS and node.args and set(node.kwargs) <= set(names):
        rank, given = _CALLS[node.target], {**defaults, **dict(zip(names, node.args[1:])), **node.kwargs}
    else:
        return None
    window, ceil_mode = _lengths(given["kernel_size"], rank), given["ceil_mode"]
    stride = window if given["stride"] in (None, (), []) else _lengths(given["stride"], rank)
    if not all(type(n) is int and n > 0 and n & n - 1 == 0 for n in window) or len(window) != rank or stride != window:
        return None
    if _lengths(given["padding"], rank) != (0,) * rank or given["divisor_override"] is not None or type(ceil_mode) is not bool:
        return None
    taps = math.prod(window)
    return (window, ceil_mode) if 1 < taps <= MOST_TAPS and not (ceil_mode and max(window) > 2) else None


def _lengths(value, rank):
    value = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    return value * rank if len(value) == 1 else value


def _takes(node, window, graph, modules, is_within_another):
    """Whether the node calls a convolution that can pool, too."""
    conv = modules[node.target] if node.op == "call_module" else None
    if not isinstance(conv, nn.modules.conv._ConvNd) or conv.transposed or fused_class(conv) not in FUSED.values() or (
            has_hooks(conv) or parametrize.is_parametrized(conv) or conv.weight.is_meta or is_within_another(node) or
            len(node.args) != 1 or node.kwargs):
        return False
    rank = len(window)
    one, zero = (1,) * rank, (0,) * rank
    padding = zero if conv.padding in ("valid", "same") else conv.padding
    if conv.kernel_size != one or conv.stride != one or padding != zero:
        return False
    return sum(other.target == node.target for other in graph.nodes) == 1 and _can_be_divided(conv.weight, math.prod(window))


def _can_be_divided(weight, taps):
    """Whether the division of the weight rounds nothing. A sum of infinities may be NaN where an infinite average is not."""
    return bool(((weight / taps * taps == weight) & weight.isfinite()).all())


def _pooling(conv, window):
    """The convolution, which also pools."""
    made, weight, rank = copy.copy(conv), conv.weight.detach(), len(window)
    made._parameters = dict(conv._parameters)
    taps = packed((weight / math.prod(window)).expand(*weight.shape[:2], *window), is_channels_last(weight))
    made._parameters["weight"] = nn.Parameter(taps, requires_grad=False)
    made.kernel_size = made.stride = window
    made.padding, made._reversed_padding_repeated_twice, made.dilation = (0,) * rank, [0] * 2 * rank, (1,) * rank
    return made


def fold(graph, modules, put, is_within_another):
    """Makes convolutions pool. Returns {the target of each: what it computes, too}. put(name, module): gives the root a module."""
    folded = {}
    for node in list(graph.nodes):
        found = None if is_within_another(node) else _pool_of(node, modules)
        if found is None or not isinstance(node.args[0], torch.fx.Node):
            continue
        window, ceil_mode = found
        conv, norms = _before(node, modules, is_within_another)
        is_before = conv is not None and _takes(conv, window, graph, modules, is_within_another) and (
            all(why_not_folded(modules[conv.target], norm) is None for norm in norms))
        if not is_before:
            conv = _after(node, modules, is_within_another) if max(window) == 2 else None
            if conv is None or not _takes(conv, window, graph, modules, is_within_another) or _may_change(node, conv, modules):
                continue
        modules[conv.target] = _pooling(modules[conv.target], window)
        put(conv.target, modules[conv.target])
        name = f"{type(modules[node.target]).__name__} {node.target}" if node.op == "call_module" else node.name
        folded[conv.target] = f"{name} {'after' if is_before else 'before'}"
        node.replace_all_uses_with(node.args[0])
        graph.erase_node(node)
        if ceil_mode:
            with graph.inserting_before(conv):
                evened = graph.call_function(even, (conv.args[0], window))
            conv.args = (evened,)
    return folded


def _before(pool, modules, is_within_another):
    """(the node that makes what is pooled, batch norms in between); (None, []) if something else reads one of their results."""
    norms, node = [], pool.args[0]
    while len(node.users) == 1:
        module = modules[node.target] if node.op == "call_module" and not is_within_another(node) else None
        is_a_norm = module is not None and is_norm(module) and is_plain_norm(module) and not has_hooks(module)
        if not is_a_norm and (module is None or not is_identity(node, module)) or (
                len(node.args) != 1 or node.kwargs or not isinstance(node.args[0], torch.fx.Node)):
            return node, norms
        norms += [module] if is_a_norm else []
        node = node.args[0]
    return None, []


def _after(pool, modules, is_within_another):
    """The node that reads the pool's result, apart from identities; None if there are several."""
    node = pool
    while len(node.users) == 1:
        node, source = next(iter(node.users)), node
        if node.args[:1] != (source,):
            return None
        if node.op != "call_module" or is_within_another(node) or not is_identity(node, modules[node.target]):
            return node
    return None


def _may_change(first, last, modules):
    """Whether a step between two nodes may write to a tensor."""
    step = first.next
    while step is not last:
        if may_write(step, modules):
            return True
        step = step.next
    return False
