"""Layer norms and RMS norms over the channels of each pixel, and group norms of classes of their own, that can also activate. A
module whose forward() computes one, as found.py finds out, gets a class derived from its own, which keeps its name and
parameters.
"""
import torch
from torch import nn
from torch.fx import Proxy
from torch.nn.utils import parametrize

from .._conv.operators import is_compiling
from .._conv.scriptable import refuse_fused
from .._trace.trace import has_hooks, is_row_norm
from . import group_norm, operators
from .found import found
from .modules import fixed
from .shared import NONE, activated


_OWN = "found", "has_more_calls", "training"  # attributes that decide nothing in forward() of the module's class
_OTHERS = nn.modules.conv._ConvNd, nn.Linear, nn.Embedding  # no norm is derived from these


class FusedRowNorm:
    """The base of classes of such norms with an activation."""
    has_more_calls = False  # as in modules.py

    def _tensor(self, name):
        if "plain_class" in type(self).__dict__ and name in self._parameters:
            return self._parameters[name]
        return getattr(self, name)  # as in _FusedBatchNorm

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name not in _OWN and not isinstance(value, (torch.Tensor, nn.Module)):  # such as an epsilon
            self.found = found(plain(self))

    def forward(self, input, activation=NONE, overwrites=False):
        activation = fixed(activation, NONE, "activation")
        if self.found is None:  # since an attribute was set
            return activated(super().forward(input), activation)
        norm, weight, bias, epsilon, rank = self.found
        if rank is not None and type(input) is not Proxy and input.dim() != rank:
            return activated(super().forward(input), activation)  # raises, or does something else
        compute = (group_norm.in_torch if type(input) is Proxy else operators.compiled if is_compiling() else
                   group_norm.overwriting if overwrites else group_norm.group_norm)
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


def fuse_row_norm(module, known=None):
    """Changes the class of such a norm. Returns None if it did, "" if the module is none, otherwise why it is left. known: as of
    found()."""
    if is_row_norm(module):
        return None
    named = isinstance(module, (nn.LayerNorm, getattr(nn, "RMSNorm", nn.LayerNorm)))
    if not named and (module._modules or not 1 <= len(module._parameters) <= 2 or isinstance(module, _OTHERS) or
                      type(module).__module__.startswith("torch.nn")):
        return ""
    why = ("its parameters are parametrized" if parametrize.is_parametrized(module) else
           "it has hooks" if has_hooks(module) else
           "timm's fast norms have other types under torch.autocast" if getattr(module, "_fast_norm", False) else None)
    which = None if why else found(module, known)
    if which is None:
        return "" if not named else why or "it is not over the channels of each pixel alone, with a weight and an epsilon"
    module.__class__, module.found = _class(type(module)), which
    return None
