"""Which activation of the library a module or a node of a graph of torch.fx computes."""
import math

import torch
from torch import nn
from torch.nn import functional as F

from .shared import NONE

RELU, SILU, GELU, RELU6 = ("relu", 0., 0.), ("silu", 0., 0.), ("gelu", 0., 0.), ("clamp", 0., 6.)
HARD_SWISH, HARD_SIGMOID, SIGMOID = ("hard_swish", 0., 0.), ("hard_sigmoid", 0., 0.), ("sigmoid", 0., 0.)
_BY_MODULE = {nn.ReLU: RELU, nn.SiLU: SILU, nn.Hardswish: HARD_SWISH, nn.Hardsigmoid: HARD_SIGMOID, nn.Sigmoid: SIGMOID}
_OF_TIMM = {"Swish": SILU, "GELU": GELU, "Sigmoid": SIGMOID, "HardSwish": HARD_SWISH, "HardSigmoid": HARD_SIGMOID}  # classes
_BY_FUNCTION = {torch.relu: RELU, torch.relu_: RELU, F.relu: RELU, F.relu_: RELU, F.silu: SILU, F.relu6: RELU6,
                F.hardswish: HARD_SWISH, F.hardsigmoid: HARD_SIGMOID, torch.sigmoid: SIGMOID, torch.sigmoid_: SIGMOID,
                F.sigmoid: SIGMOID}
_BY_METHOD = {"relu": RELU, "relu_": RELU, "sigmoid": SIGMOID, "sigmoid_": SIGMOID}
_CLAMPS = {torch.clamp, torch.clip, torch.clamp_, F.hardtanh, "clamp", "clamp_", "clip", "clip_"}
_ACTIVATIONS = nn.modules.activation.__all__


def activation_of(step, module, last, for_training):
    """Returns (activation of a Spec or of a norm, least, most), of leaky_relu (its name, slope, whether PyTorch computes it in
    place), or None if it is none."""
    if step.args[:1] != (last,):
        return None
    if type(module) is nn.PReLU and not for_training:  # its slope is a constant in inference
        return _leaky(module.weight.item(), False) if module.weight.numel() == 1 and not module.weight.is_meta else None
    if module is not None:
        return activation_of_module(module)
    if step.op == "call_method" and step.target not in _CLAMPS:
        return _BY_METHOD.get(step.target)
    if step.target in _CLAMPS:
        if step.kwargs.get("out") is not None:
            return None
        given = dict(zip(("min", "max"), step.args[1:3]))
        given.update({name.replace("_val", ""): value for name, value in step.kwargs.items()})
        if step.target is F.hardtanh:
            given = {"min": -1., "max": 1., **given}
        return _clamp(given.get("min"), given.get("max"))
    if step.target in (F.leaky_relu, F.leaky_relu_):
        given = dict(zip(("negative_slope", "inplace"), step.args[1:3]), **step.kwargs)
        return _leaky(given.get("negative_slope", .01), step.target is F.leaky_relu_ or given.get("inplace", False))
    if step.target is F.gelu:
        return GELU if step.kwargs.get("approximate", "none") == "none" else None
    return _BY_FUNCTION.get(step.target) if step.op == "call_function" else None


def activation_of_module(module):
    if type(module) in (nn.Hardtanh, nn.ReLU6):
        return _clamp(module.min_val, module.max_val)
    if type(module) is nn.LeakyReLU:
        return _leaky(module.negative_slope, module.inplace)
    if type(module) is nn.GELU and module.approximate == "none":
        return GELU
    if type(module).__module__ == "timm.layers.activations":
        return _OF_TIMM.get(type(module).__name__)
    return _BY_MODULE.get(type(module))


def activation_of_norm(act):
    """The activation of the module `act` of timm's batch norms; None if only the module itself computes it."""
    return NONE if type(act) is nn.Identity else activation_of_module(act)


def _clamp(least, most):
    least, most = (-math.inf if least is None else least), (math.inf if most is None else most)
    if not all(isinstance(value, (int, float)) for value in (least, most)) or not least <= most:
        return None
    return "clamp", float(least), float(most)


def _leaky(slope, in_place):
    if not isinstance(slope, (int, float)) or not math.isfinite(slope) or not isinstance(in_place, (bool, int)):
        return None
    return "leaky_relu", float(slope), float(bool(in_place))


def is_activation(step, modules):
    """Whether a node's name is that of an activation."""
    if step.op == "call_module":
        return type(modules[step.target]).__name__ in _ACTIVATIONS
    name = step.target if isinstance(step.target, str) else getattr(step.target, "__name__", "")
    return step.op in ("call_function", "call_method") and name.rstrip("_") in {a.lower() for a in _ACTIVATIONS}
