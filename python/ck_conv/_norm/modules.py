"""Batch norms, group norms and instance norms that can also add a residual and activate, if a call asks for it. replace() gives
a network's batch norms these classes. So does fuse(): batch norms for training, the others always.

A module keeps its name, parameters and statistics, and only changes its class. Called as before, it computes the same.
"""
import copy
import operator
from typing import NamedTuple

import torch
from torch import nn
from torch.fx import Proxy
from torch.nn import functional as F
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.instancenorm import _InstanceNorm
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.utils import parametrize
from torch.overrides import handle_torch_function, has_torch_function

from .._conv.operators import is_compiling
from .._conv.scriptable import refuse_fused
from .._trace.trace import has_hooks, is_row_norm, must_be_default
from . import group_norm, operators
from .activations import activation_of_norm
from .batch_norm import ACTIVATIONS, ADDS, batch_norm, in_torch, why_not_momentum
from .shared import NONE, finished


def fixed(value, default, name):
    """The value of an argument. In torch.fx.symbolic_trace() of a lone norm, whose arguments are all inputs of the graph,
    its default; the graph raises for other values. An input without a default is that of a network."""
    if type(value) is not Proxy or value.node.op != "placeholder" or not value.node.args:
        return value
    must_be_default(value, default, name)
    return default


class _Fused:
    has_more_calls = False  # whether a graph of fuse() passes it a residual or an activation

    def __prepare_scriptable__(self):
        """Called by torch.jit.script(), which compiles PyTorch's norm instead: TorchScript cannot call Python."""
        if self.has_more_calls or isinstance(self, FusedGroupNormAct):
            refuse_fused(f"a {type(self).__name__}")
        if type(self) not in _PLAIN.values():
            raise TypeError("torch.jit.script() cannot compile a replaced BatchNormAct2d of timm: use torch.jit.trace(), or "
                            "ck_conv.replace(model, norms=False)")
        return _plain(self)


class _FusedBatchNorm(_Fused):
    """A batch norm, then the addition of `residual` and the `activation`, if they are given. An activation is its name, one
    of ACTIVATIONS, and two numbers, the limits of "clamp"."""

    def _tensors(self):
        """The parameters and buffers, wherever they are: functional_call() of PyTorch 1.13 and parametrizations put them into
        a class, others into the instance. nn.Module.__getattr__() takes half a microsecond for each; for modules of exactly
        these classes, this reads its tables directly."""
        if type(self) in _OWN:
            parameters, buffers = self._parameters, self._buffers
            try:
                return (parameters["weight"], parameters["bias"], buffers["running_mean"], buffers["running_var"],
                        buffers["num_batches_tracked"])
            except KeyError:
                pass
        count = self.num_batches_tracked if self.training and self.track_running_stats else None
        return self.weight, self.bias, self.running_mean, self.running_var, count

    def forward(self, input, residual=None, activation=NONE, adds_in_place=False):
        is_traced = type(input) is Proxy  # by torch.fx.symbolic_trace(), to which modules of torch.nn are single nodes
        residual, activation = fixed(residual, None, "residual"), fixed(activation, NONE, "activation")
        adds_in_place = fixed(adds_in_place, False, "adds_in_place")
        if not is_traced and input.dim() not in self.ranks:
            self._check_input_dim(input)  # raises if it is wrong
        weight, bias, mean, variance, count = self._tensors()
        training, momentum = self.training, self.momentum
        if training and self.track_running_stats:
            if count is not None:
                count.add_(1)
                if momentum is None:  # cumulative average
                    momentum = 1. / float(count)
        elif training:
            mean = variance = None
        if momentum is None:
            momentum = 0.
        compute = in_torch if is_traced or is_compiling() else batch_norm
        return compute(input, weight, bias, mean, variance, training or mean is None, momentum, self.eps, activation,
                       residual, adds_in_place)


class FusedBatchNorm1d(_FusedBatchNorm, nn.BatchNorm1d):
    """torch.nn.BatchNorm1d with a residual addition and an activation"""
    ranks = 2, 3


class FusedBatchNorm2d(_FusedBatchNorm, nn.BatchNorm2d):
    """torch.nn.BatchNorm2d with a residual addition and an activation"""
    ranks = 4,


class FusedBatchNorm3d(_FusedBatchNorm, nn.BatchNorm3d):
    """torch.nn.BatchNorm3d with a residual addition and an activation"""
    ranks = 5,


class FusedBatchNormAct2d(FusedBatchNorm2d):
    """timm's BatchNormAct2d; an activation in the call replaces its own"""
    own = None  # an activation; None if only the modules `drop` and `act` compute it

    def forward(self, input, residual=None, activation=None, adds_in_place=False):
        activation = fixed(activation, None, "activation")
        if activation is None and self.own is None:
            return self.act(self.drop(super().forward(input, residual, adds_in_place=adds_in_place)))
        return super().forward(input, residual, self.own if activation is None else activation, adds_in_place)


class FusedGroupNorm(_Fused, nn.GroupNorm):
    """torch.nn.GroupNorm with a residual addition and an activation. overwrites: whether the result may be written over the
    input."""

    def _tensors(self):
        parameters = self._parameters
        if type(self) is FusedGroupNorm and "weight" in parameters and "bias" in parameters:
            return parameters["weight"], parameters["bias"]
        return self.weight, self.bias  # as in _FusedBatchNorm

    def forward(self, input, residual=None, activation=NONE, adds_in_place=False, overwrites=False):
        weight, bias = self._tensors()
        residual, activation = fixed(residual, None, "residual"), fixed(activation, NONE, "activation")
        adds_in_place = fixed(adds_in_place, False, "adds_in_place")
        compute = (group_norm.in_torch if type(input) is Proxy else operators.compiled if is_compiling() else
                   group_norm.overwriting if overwrites else group_norm.group_norm)
        return compute(input, self.num_groups, weight, bias, self.eps, activation, residual, adds_in_place)


class FusedGroupNormAct(FusedGroupNorm):
    """timm's GroupNormAct; an activation in the call replaces its own"""
    own = None  # as in FusedBatchNormAct2d

    def forward(self, input, residual=None, activation=None, adds_in_place=False, overwrites=False):
        activation = fixed(activation, None, "activation")
        if activation is None and self.own is None:
            y = super().forward(input, residual, adds_in_place=adds_in_place, overwrites=overwrites)
            return self.act(self.drop(y))
        return super().forward(input, residual, self.own if activation is None else activation, adds_in_place, overwrites)


def batched(input, rank):
    """Called in a graph of torch.fx: an instance norm's input, which must have the dimension of a batch there."""
    if has_torch_function((input,)):
        return handle_torch_function(batched, (input,), input, rank)
    if input.dim() != rank:
        raise ValueError(f"expected {rank}D input (got {input.dim()}D input): a traced instance norm needs a batch dimension")
    return input


class _FusedInstanceNorm(_Fused):
    """An instance norm without running statistics, then the addition of `residual` and the `activation`, if they are given."""

    def _tensors(self):
        parameters = self._parameters
        if type(self) in _OWN and "weight" in parameters and "bias" in parameters:
            return parameters["weight"], parameters["bias"]
        return self.weight, self.bias  # as in _FusedBatchNorm

    def forward(self, input, residual=None, activation=NONE, adds_in_place=False, overwrites=False):
        residual, activation = fixed(residual, None, "residual"), fixed(activation, NONE, "activation")
        adds_in_place = fixed(adds_in_place, False, "adds_in_place")
        if type(input) is Proxy:  # as in _FusedBatchNorm
            return group_norm.in_torch(batched(input, self.rank), group_norm.INSTANCES, self.weight, self.bias, self.eps,
                                       activation, residual, adds_in_place)
        missing = self.rank - input.dim()
        if self.track_running_stats or (  # which may be set later
                missing not in (0, 1) or input.size(1 - missing) != self.num_features):  # raises, or warns
            return finished(super().forward(input), residual, adds_in_place, activation)
        if missing == 1 and residual is None:  # an image without the dimension of a batch
            return self.forward(input.unsqueeze(0), None, activation).squeeze(0)
        if missing == 1:
            return finished(self.forward(input), residual, adds_in_place, activation)
        compute = (operators.compiled if is_compiling() else group_norm.overwriting if overwrites else
                   group_norm.group_norm)
        return compute(input, group_norm.INSTANCES, *self._tensors(), self.eps, activation, residual, adds_in_place)


class FusedInstanceNorm1d(_FusedInstanceNorm, nn.InstanceNorm1d):
    """torch.nn.InstanceNorm1d with a residual addition and an activation"""
    rank = 3


class FusedInstanceNorm2d(_FusedInstanceNorm, nn.InstanceNorm2d):
    """torch.nn.InstanceNorm2d with a residual addition and an activation"""
    rank = 4


class FusedInstanceNorm3d(_FusedInstanceNorm, nn.InstanceNorm3d):
    """torch.nn.InstanceNorm3d with a residual addition and an activation"""
    rank = 5


FUSED_INSTANCE_NORMS = {nn.InstanceNorm1d: FusedInstanceNorm1d, nn.InstanceNorm2d: FusedInstanceNorm2d,
                        nn.InstanceNorm3d: FusedInstanceNorm3d}
FUSED_NORMS = {nn.BatchNorm1d: FusedBatchNorm1d, nn.BatchNorm2d: FusedBatchNorm2d, nn.BatchNorm3d: FusedBatchNorm3d}
_PLAIN = {**FUSED_NORMS, **FUSED_INSTANCE_NORMS, nn.GroupNorm: FusedGroupNorm}
_OWN = {*FUSED_NORMS.values(), FusedBatchNormAct2d, *FUSED_INSTANCE_NORMS.values()}
WITH_ACT = FusedBatchNormAct2d, FusedGroupNormAct  # whose modules are a norm, `drop` and `act`
_OF_TIMM = {"BatchNormAct2d": nn.BatchNorm2d, "GroupNormAct": nn.GroupNorm}


def is_of_timm(module):
    """Whether this is timm's batch norm or group norm with an activation."""
    return (isinstance(module, _OF_TIMM.get(type(module).__name__, ())) and
            all(isinstance(getattr(module, part, None), nn.Module) for part in ("drop", "act")))


def _own_of(module, activations):
    """The activation of timm's norm, if it is one of these and nothing is dropped; otherwise None."""
    drops = type(module.drop) is not nn.Identity or has_hooks(module.drop)
    own = None if drops or has_hooks(module.act) else activation_of_norm(module.act)
    return own if own is not None and own[0] in activations else None


def is_batch_norm(module):
    return isinstance(module, _BatchNorm)


def in_float32(norm):
    """A copy of a batch norm whose parameters and statistics of 16 bits are float32 ones of equal values, which the library
    takes."""
    def wide(tensor):
        if tensor is None or tensor.dtype not in (torch.float16, torch.bfloat16):
            return tensor
        if isinstance(tensor, nn.Parameter):
            return nn.Parameter(tensor.detach().float(), tensor.requires_grad)
        return tensor.float()

    norm = copy.copy(norm)
    for tensors in ("_parameters", "_buffers"):
        norm.__dict__[tensors] = type(norm.__dict__[tensors])((name, wide(t)) for name, t in norm.__dict__[tensors].items())
    return norm


def fuse_norm(module):
    """Changes the class of a module of torch.nn or timm to one of these. Returns why not, or None."""
    if isinstance(module, _FusedBatchNorm):
        return None
    if not isinstance(module, _BatchNorm):
        return "its class " + _name(module) + " is not a batch norm of torch.nn"
    if isinstance(module, nn.SyncBatchNorm):
        return "SyncBatchNorm exchanges statistics between processes"
    if parametrize.is_parametrized(module):
        return "its parameters are parametrized"
    if "forward" in module.__dict__:
        return "its forward is an attribute of the instance"
    if why_not_momentum(module.momentum) is not None:
        return why_not_momentum(module.momentum)
    if is_of_timm(module):
        module.__class__, module.own = FusedBatchNormAct2d, _own_of(module, ACTIVATIONS)
        return None
    if type(module) not in FUSED_NORMS:
        return "its class " + _name(module) + " is derived from torch.nn's, and may compute something else"
    module.__class__ = FUSED_NORMS[type(module)]
    return None


def fuse_group_norm(module):
    """Changes the class of a group norm of torch.nn or timm, or an instance norm of torch.nn, to one of these, as fuse_norm()
    does. Returns why not, or None."""
    if isinstance(module, LazyModuleMixin):
        return "its first input has not determined its parameters yet"
    if parametrize.is_parametrized(module):
        return "its parameters are parametrized"
    if "forward" in module.__dict__:
        return "its forward is an attribute of the instance"
    if is_of_timm(module):
        if getattr(module, "_fast_norm", False):
            return "timm's fast norms have other types under torch.autocast"
        module.__class__, module.own = FusedGroupNormAct, _own_of(module, group_norm.ACTIVATIONS)
    if isinstance(module, _InstanceNorm) and (module.track_running_stats or module.running_mean is not None):
        return "it has running statistics (track_running_stats), which the library's does not"
    if type(module) is nn.GroupNorm:
        module.__class__ = FusedGroupNorm
    module.__class__ = FUSED_INSTANCE_NORMS.get(type(module), type(module))
    return None if is_fused_group_norm(module) else (
        "its class " + _name(module) + " is derived from torch.nn's, and may compute something else")


def is_fused_norm(module):
    return isinstance(module, _FusedBatchNorm) or is_fused_group_norm(module)


def is_fused_batch_norm(module):
    return isinstance(module, _FusedBatchNorm)


def is_fused_group_norm(module):
    """Whether this is one of our group norms, instance norms, layer norms or RMS norms."""
    return isinstance(module, (FusedGroupNorm, _FusedInstanceNorm)) or is_row_norm(module)


def activations_of(module):
    """The activations that a fused norm computes, and whether it adds before one of them: None if it does not add, otherwise a
    function."""
    if isinstance(module, _FusedBatchNorm):
        return ACTIVATIONS, lambda activation: activation[0] in ADDS
    return group_norm.ACTIVATIONS, None if is_row_norm(module) else group_norm.adds_before


class Call(NamedTuple):
    """The arguments of a fused norm in a node of torch.fx. Code that fuse() generates passes all except the input by
    name: hooks that only see positional arguments, as most do, see those of a batch norm."""
    input: object
    residual: object = None
    activation: object = None
    adds_in_place: bool = False
    overwrites: bool = False  # of group, instance and row norms


def call_of(node):
    return Call(*node.args, **node.kwargs)


def arguments_of(residual, activation, adds_in_place):
    """The named arguments, as few as necessary."""
    given = {"residual": residual, "activation": activation, "adds_in_place": adds_in_place or None}
    return {name: value for name, value in given.items() if value is not None}


def adds_or_activates(node):
    """Whether a call of a fused norm does more than a norm."""
    call = call_of(node)
    return call.residual is not None or call.activation is not None


def activates_itself(module, node):
    """Whether the modules of timm's norm, not a kernel, activate in this call."""
    return type(module) in WITH_ACT and module.own is None and call_of(node).activation is None


def unfold_norm(graph, node, module):
    """Inserts the operations of a fused batch norm after its node, and returns the plain one that the node then calls."""
    x, residual, activation, adds_in_place, _ = call_of(node)
    if activation is None:
        activation = getattr(module, "own", NONE)
    last, users = node, list(node.users)
    if residual is not None:
        with graph.inserting_after(last):
            last = graph.call_function(operator.iadd if adds_in_place else operator.add, (node, residual))
    name, least, most = activation
    if name != "none":
        function, more = {"relu": (F.relu, ()), "silu": (F.silu, ()), "clamp": (F.hardtanh, (least, most)),
                          "hard_swish": (F.hardswish, ())}[name]
        with graph.inserting_after(last):
            last = graph.call_function(function, (last, *more))
    node.args, node.kwargs = (x,), {}
    for user in users:
        user.replace_input_with(node, last)
    return _plain(module)


def _plain(module):
    """PyTorch's module, with the same parameters and buffers."""
    plain = copy.copy(module)
    plain.__class__ = next(theirs for theirs, ours in _PLAIN.items() if isinstance(module, ours))
    return plain


def _name(module):
    return f"{type(module).__module__}.{type(module).__qualname__}"
