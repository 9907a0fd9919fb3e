"""Which norm the forward() of a module computes, found in its graph of torch.fx.

  group norms: F.group_norm(), as GroupNorm and GroupNorm1 of timm
  layer norms and RMS norms of the last dimension: F.layer_norm(), F.rms_norm()
  layer norms of channels: permute(0, 2, 3, 1), F.layer_norm(), permute(0, 3, 1, 2), as LayerNorm2d of torchvision and timm
  RMS norms of channels: F.normalize() * sqrt(channels) * weight (+ bias), as those of video autoencoders; F.normalize() may
  be of x.float() if x has 16 bits, and rounded to x's type
  both written out, as in ConvNeXt: d / torch.sqrt(d.pow(2).mean(1, keepdim=True) + epsilon) * weight (+ bias), where d is x or
  x - x.mean(1, keepdim=True)
"""
import math
import operator
from typing import NamedTuple, Optional, Union

import torch
from torch import fx, nn
from torch.nn import functional as F

from .._trace.trace import trace

_MULTIPLIES = {operator.mul, torch.mul, "mul"}
_ADDS = {operator.add, torch.add, "add"}
_RMS_NORM = getattr(F, "rms_norm", None)  # PyTorch 2.4
_TYPES = torch.float16, torch.bfloat16, torch.float32, torch.float64


class Found(NamedTuple):
    """What forward() of a module computes. weight, bias: names of attributes."""
    norm: Union[int, str]  # one of _group_norm.OF_ROWS; of a group norm, its number of groups
    weight: str
    bias: Optional[str]
    epsilon: float
    rank: Optional[int] = None  # of the input, if forward() takes no other


_CONSTANTS = bool, int, float, str, type(None)
_OF_ALL_MODULES = nn.Module().__dict__.keys() - {"training"}


def found(module, known=None):
    """What its forward() computes, if it is such a norm; otherwise None. known: {what decides it: the result} of other modules,
    to which this one is added."""
    key = None if known is None else _what_decides(module)
    if key is None:
        return _found(module)
    if key not in known:
        known[key] = _found(module)
    return known[key]


def _what_decides(module):
    """The class and all that forward() finds in the module, apart from the values of parameters; None if there is more."""
    if module._buffers or module._modules:
        return None
    attributes = {name: value for name, value in module.__dict__.items() if name not in _OF_ALL_MODULES}
    for value in attributes.values():
        if not all(type(v) in _CONSTANTS for v in (value if type(value) is tuple else (value,))):
            return None
    parameters = [(name, p is not None and (type(p), p.shape, p.stride(), p.dtype, p.device, p.requires_grad))
                  for name, p in module._parameters.items()]
    return type(module), repr(attributes), tuple(parameters)


def _found(module):
    if type(module).__call__ is not nn.Module.__call__:
        return None
    graph, opaque = trace(module, True, True)
    if graph is None and not module._modules:  # it may ask for the type of x
        return _of_all_types(module)
    return None if graph is None or opaque else _of_graph(module, graph, None)


def _of_all_types(module):
    """What forward() computes, if it is the same in both modes with inputs of all types. A trace takes a while, so the first
    that differs is the last."""
    first = None
    for dtype in _TYPES:
        for mode in (True, False):
            which = _of_graph(module, *_of_type(module, dtype, mode))
            if which is None or which != (first or which):
                return None
            first = which
    return first


class _Typed(fx.Proxy):
    """An input whose type is known."""
    @property
    def dtype(self):
        return self.tracer.dtype


class _TypedTracer(fx.Tracer):
    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def proxy(self, node):
        return _Typed(node, self) if node.op == "placeholder" else super().proxy(node)


def _of_type(module, dtype, training):
    """(graph, dtype) of forward() in this mode with an input of this type; (None, dtype) if there is none."""
    before, module.training = module.training, training
    try:
        return _TypedTracer(dtype).trace(module), dtype
    except Exception:  # any error of forward() with proxies
        return None, dtype
    finally:
        module.training = before


def _of_graph(module, graph, dtype):
    """What the graph computes; of an input of this type, if it is not None."""
    if graph is None:
        return None
    nodes = list(graph.nodes)
    start, end = nodes[0], nodes[-1]
    if start.op != "placeholder" or not isinstance(end.args[0], fx.Node) or sum(n.op == "placeholder" for n in nodes) != 1:
        return None
    try:
        chain = _chain([node for node in nodes if node.op != "get_attr"])
        if chain is None:
            return _written_out(module, start, end.args[0])
        if dtype is not None:
            return _normalize_in_float32(module, start, chain, dtype)
        for norm in (_group_norm, _layer_norm, _rms_norm, _normalize):
            which = norm(module, start, chain)
            if which is not None:
                return which
        return None
    except _Other:
        return None


def _chain(nodes):
    """The steps between input and output, if each one has the one before as its only input that depends on x."""
    if len(nodes) < 3 or any(list(node.users) != [after] for node, after in zip(nodes, nodes[1:])):
        return None
    return nodes[1:-1]


class _Other(Exception):
    """It is not such a norm."""


def _given(step, last, *names, **defaults):
    """The arguments of a call by name; the first must be the last step."""
    if step.args[:1] != (last,) or len(step.args) > len(names) or set(step.kwargs) - set(names):
        raise _Other
    return {**defaults, **dict(zip(names, step.args)), **step.kwargs}


def _attribute(module, node, shapes):
    """The name of a parameter or a buffer, whose shape must be one of these. None: of None."""
    if node is None:
        return None
    if not isinstance(node, fx.Node) or node.op != "get_attr" or "." in node.target:
        raise _Other
    if tuple(getattr(module, node.target).shape) not in shapes:
        raise _Other
    return node.target


def _of_last(module, step, last, function, *names):
    """The arguments of a norm of the last dimension."""
    given = _given(step, last, "input", "normalized_shape", *names, weight=None, bias=None, eps=None)
    size = given["normalized_shape"]
    if not isinstance(size, (tuple, list, torch.Size)) or len(size) != 1 or given["weight"] is None or (
            not isinstance(given["eps"], float)):
        raise _Other
    return given, [tuple(size)]


def _group_norm(module, start, steps):
    if [step.target for step in steps] != [F.group_norm]:
        return None
    given = _given(steps[0], start, "input", "num_groups", "weight", "bias", "eps", weight=None, bias=None, eps=1e-5)
    if not isinstance(given["num_groups"], int) or not isinstance(given["eps"], float) or None in (given["weight"], given["bias"]):
        raise _Other
    shapes = [(getattr(module, given["weight"].target).numel(),)] if isinstance(given["weight"], fx.Node) else []
    weight, bias = (_attribute(module, given[name], shapes) for name in ("weight", "bias"))
    return Found(given["num_groups"], weight, bias, given["eps"])


def _layer_norm(module, start, steps):
    is_moved = len(steps) == 3 and [step.target for step in steps] == ["permute", F.layer_norm, "permute"]
    if not is_moved and [step.target for step in steps] != [F.layer_norm]:
        return None
    if is_moved and (_dims(steps[0], start) != (0, 2, 3, 1) or _dims(steps[2], steps[1]) != (0, 3, 1, 2)):
        raise _Other
    step, last = (steps[1], steps[0]) if is_moved else (steps[0], start)
    given, shapes = _of_last(module, step, last, F.layer_norm, "weight", "bias", "eps")
    weight, bias = (_attribute(module, given[name], shapes) for name in ("weight", "bias"))
    return Found("layer", weight, bias, given["eps"], 4) if is_moved else Found("layer_last", weight, bias, given["eps"])


def _dims(step, last):
    """The arguments of x.permute()."""
    if step.args[:1] != (last,) or step.kwargs:
        raise _Other
    dims = step.args[1:]
    return tuple(dims[0]) if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims


def _rms_norm(module, start, steps):
    if _RMS_NORM is None or [step.target for step in steps] != [_RMS_NORM]:
        return None
    given, shapes = _of_last(module, steps[0], start, _RMS_NORM, "weight", "eps")
    return Found("rms_last", _attribute(module, given["weight"], shapes), None, given["eps"])


def _normalize_in_float32(module, start, steps, dtype):
    """F.normalize() of x.float() if x has 16 bits, rounded to x's type, and so on."""
    if dtype in (torch.float16, torch.bfloat16):
        if len(steps) < 3 or steps[0].target != "float" or steps[0].args != (start,) or steps[0].kwargs:
            return None
        start, steps = steps[0], steps[1:]
    if len(steps) < 2 or steps[1].target != "to" or steps[1].args != (steps[0], dtype) or steps[1].kwargs:
        return None
    which = _normalize(module, start, steps[:1] + steps[2:], steps[1])
    return None if which is None else which._replace(norm=which.norm.replace("l2", "l2_wide"))


def _normalize(module, start, steps, last=None):
    """F.normalize(), factors in any order, one of which is a weight, and perhaps a bias. last: the result of F.normalize(), if
    a node comes between it and the next step."""
    if not steps or steps[0].target is not F.normalize:
        return None
    given = _given(steps[0], start, "input", "p", "dim", "eps", "out", p=2., dim=1, eps=1e-12, out=None)
    if given["p"] != 2 or given["out"] is not None or given["dim"] not in (1, -1) or not isinstance(given["eps"], float):
        raise _Other
    factor, weight, bias, last = 1., None, None, last or steps[0]
    for step in steps[1:]:
        other = _other_of(step, last)
        if step.target in _MULTIPLIES and bias is None:
            if isinstance(other, fx.Node) and weight is None:
                weight = other
            elif isinstance(other, (int, float)):
                factor *= other
            else:
                raise _Other
        elif step.target in _ADDS and bias is None:
            bias = None if isinstance(other, (int, float)) and other == 0 else other
        else:
            raise _Other
        last = step
    if weight is None or weight.op != "get_attr" or "." in weight.target:
        raise _Other
    channels = getattr(module, weight.target).numel()
    if not math.isclose(factor, math.sqrt(channels), rel_tol=1e-12):
        raise _Other
    more = range(4) if given["dim"] == 1 else range(1)
    shapes = [(channels,) + (1,) * count for count in more]
    return Found("l2" if given["dim"] == 1 else "l2_last", _attribute(module, weight, shapes), _attribute(module, bias, shapes),
                 given["eps"])


def _other_of(step, last):
    """The other operand of an addition or a product."""
    if len(step.args) != 2 or step.kwargs or (step.args[0] is last) == (step.args[1] is last):
        raise _Other
    return step.args[1] if step.args[0] is last else step.args[0]


def _written_out(module, start, result):
    """From the result back to x."""
    bias, weight, rank = None, None, None
    if _is(result, _ADDS):
        result, bias = _and_attribute(module, result)
    if not _is(result, _MULTIPLIES):
        raise _Other
    result, weight = _and_attribute(module, result)
    if bias is not None and bias[1:] != weight[1:]:
        raise _Other
    (weight, rank, channels), bias = weight, None if bias is None else bias[0]
    from_mean, epsilon = _quotient(result)
    if from_mean is start:
        norm = "rms_written"
    elif _is(from_mean, {operator.sub, torch.sub, "sub"}) and from_mean.args[0] is start and _mean(from_mean.args[1]) is start:
        norm = "layer_written"
    else:
        raise _Other
    return Found(norm, weight, bias, epsilon, rank)


def _is(node, targets, count=2):
    return isinstance(node, fx.Node) and node.target in targets and len(node.args) == count and not node.kwargs


def _and_attribute(module, step):
    """The other operand of a sum or a product with a weight or a bias, and (its name, rank of x, channels)."""
    for one, other in (step.args, step.args[::-1]):
        attribute = _broadcast(module, other)
        if attribute is not None and isinstance(one, fx.Node):
            return one, attribute
    raise _Other


def _broadcast(module, node):
    """(name, rank of x, channels) of weight[:, None, None] or weight.reshape(1, -1, 1, 1)."""
    if not isinstance(node, fx.Node) or not node.args or not isinstance(node.args[0], fx.Node) or node.kwargs:
        return None
    if node.args[0].op != "get_attr" or "." in node.args[0].target:
        return None
    size = tuple(getattr(module, node.args[0].target).shape)
    if len(size) != 1:
        return None
    if node.target is operator.getitem:
        index = node.args[1]
        if isinstance(index, tuple) and index[:1] == (slice(None),) and all(i is None for i in index[1:]) and len(index) > 1:
            return node.args[0].target, len(index) + 1, size[0]
    elif node.target in ("reshape", "view"):
        shape = node.args[1] if len(node.args) == 2 else node.args[1:]
        if isinstance(shape, (tuple, list)) and tuple(shape[:2]) in ((1, -1), (1, size[0])) and all(n == 1 for n in shape[2:]):
            return node.args[0].target, len(shape), size[0]
    return None


def _quotient(node):
    """(d, epsilon) of d / sqrt(mean(d * d) + epsilon)."""
    if _is(node, {operator.truediv, torch.div, "div"}) and _is(node.args[1], {torch.sqrt, "sqrt"}, 1):
        d, root = node.args
    elif _is(node, _MULTIPLIES):
        d, root = node.args if _is(node.args[1], {torch.rsqrt, "rsqrt"}, 1) else node.args[::-1]
        if not _is(root, {torch.rsqrt, "rsqrt"}, 1):
            raise _Other
    else:
        raise _Other
    total = root.args[0]
    if not _is(total, _ADDS) or not isinstance(total.args[1], float) or not _are_same(_squared(_mean(total.args[0])), d):
        raise _Other
    return d, total.args[1]


def _mean(node):
    """What a mean over dimension 1 is of, if the dimension is kept."""
    if not isinstance(node, fx.Node) or node.target not in (torch.mean, "mean"):
        raise _Other
    given = _given(node, node.args[0] if node.args else None, "input", "dim", "keepdim", dim=None, keepdim=False)
    if given["dim"] not in (1, (1,), [1]) or given["keepdim"] is not True:
        raise _Other
    return given["input"]


def _squared(node):
    if _is(node, {operator.pow, torch.pow, "pow"}) and node.args[1] == 2:
        return node.args[0]
    if _is(node, {torch.square, "square"}, 1) or _is(node, _MULTIPLIES) and node.args[0] is node.args[1]:
        return node.args[0]
    raise _Other


def _are_same(one, other):
    """Whether two nodes compute the same of the same inputs."""
    if one is other or not (isinstance(one, fx.Node) and isinstance(other, fx.Node)):
        return one is other or type(one) is type(other) and one == other
    return (one.op in ("call_function", "call_method") and (one.op, one.target, one.kwargs) == (other.op, other.target, other.kwargs)
            and len(one.args) == len(other.args) and all(map(_are_same, one.args, other.args)))
