"""Layer norms and RMS norms over the channels of each pixel that can also activate: what forward() of a module computes is
found by torch.fx, and the module gets a class derived from its own, which keeps its name and parameters.

  torch.nn.LayerNorm and RMSNorm of the last dimension
  layer norms of channels: permute(0, 2, 3, 1), F.layer_norm(), permute(0, 3, 1, 2), as LayerNorm2d of torchvision and timm
  RMS norms of channels: F.normalize() * sqrt(channels) * weight (+ bias), as those of video autoencoders
"""
import math
import operator
from typing import NamedTuple, Optional

import torch
from torch import fx, nn
from torch.fx import Proxy
from torch.nn import functional as F
from torch.nn.utils import parametrize

from . import _group_norm, _norm_operators
from ._fused_norm import fixed
from ._norm import NONE
from ._operators import is_compiling
from ._scriptable import refuse_fused
from ._trace import has_hooks, is_row_norm, trace

_MULTIPLIES = {operator.mul, torch.mul, "mul"}
_ADDS = {operator.add, torch.add, "add"}
_RMS_NORM = getattr(F, "rms_norm", None)  # PyTorch 2.4


class Found(NamedTuple):
    """What forward() of a module computes. weight, bias: names of attributes."""
    norm: str  # of _group_norm.OF_ROWS
    weight: str
    bias: Optional[str]
    epsilon: float


class FusedRowNorm:
    """The base of classes of such norms with an activation."""
    has_more_calls = False  # as in _fused_norm.py

    def _tensor(self, name):
        try:
            return self._parameters[name]
        except KeyError:  # as in _FusedBatchNorm
            return getattr(self, name)

    def forward(self, input, activation=NONE):
        norm, weight, bias, epsilon = self.found
        activation = fixed(activation, NONE, "activation")
        compute = (_group_norm.in_torch if type(input) is Proxy else _norm_operators.compiled if is_compiling() else
                   _group_norm.group_norm)
        return compute(input, norm, self._tensor(weight), None if bias is None else self._tensor(bias), epsilon, activation)

    def __reduce_ex__(self, protocol):
        _, _, *state = super().__reduce_ex__(protocol)
        return _empty, (type(self).plain_class,), *state

    def __prepare_scriptable__(self):
        if self.has_more_calls:
            refuse_fused(f"a {type(self).__name__}")
        return plain(self)


_classes = {}  # by the class of the module


def _class(base):
    if base not in _classes:
        _classes[base] = type(base.__name__, (FusedRowNorm, base), {"__module__": __name__, "__doc__": base.__doc__,
                                                                    "plain_class": base})
    return _classes[base]


def _empty(base):
    """Called by pickle and copy."""
    cls = _class(base)
    return cls.__new__(cls)


def plain(module):
    """The module with its own class, and the same parameters and buffers."""
    result = nn.Module.__new__(type(module).plain_class)
    result.__dict__.update({name: value for name, value in module.__dict__.items() if name not in ("found", "has_more_calls")})
    return result


def fuse_row_norm(module):
    """Changes the class of such a norm. Returns None if it did, "" if the module is none, otherwise why it is left."""
    if is_row_norm(module):
        return None
    named = isinstance(module, (nn.LayerNorm, getattr(nn, "RMSNorm", nn.LayerNorm)))
    if not named and (module._modules or not 1 <= len(module._parameters) <= 2 or
                      type(module).__module__.startswith("torch.nn")):
        return ""
    why = ("its parameters are parametrized" if parametrize.is_parametrized(module) else
           "it has hooks" if has_hooks(module) else
           "timm's fast norms have other types under torch.autocast" if getattr(module, "_fast_norm", False) else None)
    found = None if why else _found(module)
    if found is None:
        return "" if not named else why or "it is not over the channels of each pixel alone, with a weight and an epsilon"
    module.__class__, module.found = _class(type(module)), found
    return None


def _found(module):
    """What its forward() computes, if it is such a norm; otherwise None."""
    graph, opaque = trace(module, True, True)
    if graph is None or opaque or type(module).__call__ is not nn.Module.__call__:
        return None
    nodes = [node for node in graph.nodes if node.op != "get_attr"]
    if len(nodes) < 3 or any(list(node.users) != [after] for node, after in zip(nodes, nodes[1:])):
        return None
    start, *steps, end = nodes
    if start.op != "placeholder" or end.op != "output" or end.args != (steps[-1],):
        return None
    try:
        return _layer_norm(module, start, steps) or _rms_norm(module, start, steps) or _normalize(module, start, steps)
    except _Other:
        return None


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


def _layer_norm(module, start, steps):
    is_moved = len(steps) == 3 and [step.target for step in steps] == ["permute", F.layer_norm, "permute"]
    if not is_moved and [step.target for step in steps] != [F.layer_norm]:
        return None
    if is_moved and (_dims(steps[0], start) != (0, 2, 3, 1) or _dims(steps[2], steps[1]) != (0, 3, 1, 2)):
        raise _Other
    step, last = (steps[1], steps[0]) if is_moved else (steps[0], start)
    given, shapes = _of_last(module, step, last, F.layer_norm, "weight", "bias", "eps")
    weight, bias = (_attribute(module, given[name], shapes) for name in ("weight", "bias"))
    return Found("layer" if is_moved else "layer_last", weight, bias, given["eps"])


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


def _normalize(module, start, steps):
    """F.normalize(), factors in any order, one of which is a weight, and perhaps a bias."""
    if not steps or steps[0].target is not F.normalize:
        return None
    given = _given(steps[0], start, "input", "p", "dim", "eps", "out", p=2., dim=1, eps=1e-12, out=None)
    if given["p"] != 2 or given["out"] is not None or given["dim"] not in (1, -1) or not isinstance(given["eps"], float):
        raise _Other
    factor, weight, bias, last = 1., None, None, steps[0]
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
