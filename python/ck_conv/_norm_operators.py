"""torch.ops.ck_conv.group_norm: group and instance norms with their activations in code of torch.compile.

Inductor's own code for these norms reads large tensors several times. As an operator, a fused norm takes as many passes there
as it takes otherwise. Whether the library can compute a norm is decided when it is compiled; PyTorch computes the others.
"""
import torch

from . import _group_norm as group_norms
from . import _launch as launch
from ._norm import type_of_statistics
from ._operators import _BelowAutograd, _library

_NORM = "int groups, bool of_instances, float epsilon, str activation, float least, float most"
_library.define(f"group_norm(Tensor x, Tensor? weight, Tensor? bias, {_NORM}) -> (Tensor, Tensor)")
_library.define(f"group_norm_backward(Tensor x, Tensor? weight, Tensor? bias, Tensor statistics, Tensor grad, {_NORM}, "
                "bool[] needs) -> (Tensor, Tensor, Tensor)")
_FORWARD = torch.ops.ck_conv.group_norm.default
_BACKWARD = torch.ops.ck_conv.group_norm_backward.default
_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}
_MOST_CHANNELS = 2 ** 30  # of all images: a rule of ck::GroupNormSpec
_TYPES = torch.float64, torch.float32, torch.float16, torch.bfloat16


def compiled(x, groups, weight, bias, epsilon, activation):
    """group_norm() for torch.compile, which traces this function: calls the operator if the library computes it, otherwise
    PyTorch's operations. groups may be INSTANCES."""
    of_instances = groups is group_norms.INSTANCES
    is_wide = x.is_cuda and not of_instances and torch.is_autocast_enabled()  # as PyTorch's group norms
    given = [t.float() if is_wide and t is not None and t.dtype in (torch.float16, torch.bfloat16) else t
             for t in (x, weight, bias)]
    if _takes(*given, groups, epsilon):
        return _FORWARD(*given, given[0].size(1) if of_instances else groups, of_instances, epsilon, *activation)[0]
    return group_norms.in_torch(x, groups, weight, bias, epsilon, activation)


def _takes(x, weight, bias, groups, epsilon):
    parameters = [t for t in (weight, bias) if t is not None]
    if x.dim() not in _LAST or x.dtype not in _TYPES or x.device.type not in ("cpu", "cuda"):
        return False
    channels = x.size(1)
    if groups is group_norms.INSTANCES:
        if epsilon == 0 or x.numel() == x.size(0) * channels:  # PyTorch raises, or gives other results
            return False
    elif groups < 1 or channels % groups != 0:
        return False
    kinds = {t.dtype for t in parameters}
    return (x.numel() > 0 and x.is_contiguous(memory_format=_LAST[x.dim()]) and x.size(0) * channels <= _MOST_CHANNELS and
            len(kinds) <= 1 and kinds <= {x.dtype, type_of_statistics(x)} and
            all(t.shape == (channels,) and t.device == x.device and t.is_contiguous() for t in parameters) and
            not (x.device.type == "cpu" and _any_autocast_of_cpu()))


def _any_autocast_of_cpu():
    return torch.is_autocast_enabled("cpu") if hasattr(torch, "get_autocast_dtype") else torch.is_autocast_cpu_enabled()


def _norm(x, weight, bias, groups, of_instances, epsilon, activation):
    norm = group_norms.norm_of(x, group_norms.INSTANCES if of_instances else groups, weight, bias, epsilon, activation)
    if norm is None:
        raise RuntimeError(f"a compiled group norm of {tuple(x.shape)}, {x.dtype}, was to be computed by ck_conv, but the "
                           "library refuses it")
    return norm


def _rows(x):
    return launch.packed(x, True)


def _compute(x, weight, bias, groups, of_instances, epsilon, *activation):
    rows = _rows(x)
    y, statistics = _norm(rows, weight, bias, groups, of_instances, epsilon, activation).forward(rows, weight, bias)
    return _as(x, y), statistics


def _as(x, y):
    """y with the strides of x."""
    return y if y.stride() == x.stride() else torch.empty_like(x).copy_(y)


def _compute_backward(x, weight, bias, statistics, grad, groups, of_instances, epsilon, name, least, most, needs):
    rows = _rows(x)
    norm = _norm(rows, weight, bias, groups, of_instances, epsilon, (name, least, most))
    of_x, of_weight, of_bias = norm.backward(rows, weight, bias, statistics, grad, needs)
    none = x.new_empty(0)
    return _as(x, of_x), none if of_weight is None else of_weight, none.clone() if of_bias is None else of_bias


def _shape(x, weight, bias, groups, *_):
    return torch.empty_like(x), x.new_empty((2, x.size(0) * groups), dtype=type_of_statistics(x))


def _shape_backward(x, weight, bias, statistics, grad, *rest):
    *_, needs = rest
    return (torch.empty_like(x), *(torch.empty_like(t) if wanted else x.new_empty(0)
                                   for t, wanted in zip((weight, bias), needs[1:])))


class _GroupNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, *norm):
        with _BelowAutograd():
            y, statistics = _FORWARD(x, weight, bias, *norm)
        ctx.save_for_backward(x, weight, bias, statistics)
        ctx.norm = norm
        ctx.mark_non_differentiable(statistics)
        return y, statistics

    @staticmethod
    def backward(ctx, grad, _):
        needs = list(ctx.needs_input_grad[:3])
        found = _BACKWARD(*ctx.saved_tensors, grad, *ctx.norm, needs)
        return *(g if wanted else None for g, wanted in zip(found, needs)), *(None,) * len(ctx.norm)


def _with_gradients(x, weight, bias, *norm):
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in (x, weight, bias)):
        return _GroupNorm.apply(x, weight, bias, *norm)
    with _BelowAutograd():
        return _FORWARD(x, weight, bias, *norm)


def _backward_below_autograd(*arguments):
    if torch.is_grad_enabled() and any(isinstance(t, torch.Tensor) and t.requires_grad for t in arguments):
        raise RuntimeError("a compiled group norm of ck_conv.fuse() has no second derivatives")
    with _BelowAutograd():
        return _BACKWARD(*arguments)


for _key, _function in (("CPU", _compute), ("CUDA", _compute), ("Meta", _shape), ("Autograd", _with_gradients)):
    _library.impl("group_norm", _function, _key)
for _key, _function in (("CPU", _compute_backward), ("CUDA", _compute_backward), ("Meta", _shape_backward),
                        ("Autograd", _backward_below_autograd)):
    _library.impl("group_norm_backward", _function, _key)
