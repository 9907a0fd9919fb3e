"""torch.ops.ck_conv.group_norm: group, instance, layer and RMS norms, with the additions and activations that follow, in code
of torch.compile.

Inductor's own code for these norms reads large tensors several times. As an operator, a fused norm takes as many passes there
as it takes otherwise. Whether the library can compute a norm is decided when it is compiled; PyTorch computes the others.
"""
import torch

from .._conv import launch
from .._conv.operators import _BelowAutograd, _library
from . import group_norm as group_norms
from .shared import type_of_statistics

# groups: their number, or "instances", or the norm of _group_norm.OF_ROWS.
_NORM = "str groups, float epsilon, str activation, float least, float most"
_library.define(f"group_norm(Tensor x, Tensor? weight, Tensor? bias, {_NORM}, Tensor? residual=None) -> (Tensor, Tensor)")
_library.define(f"group_norm_backward(Tensor x, Tensor? weight, Tensor? bias, Tensor statistics, Tensor grad, {_NORM}, "
                "bool[] needs, Tensor? y=None) -> (Tensor, Tensor, Tensor, Tensor)")
_FORWARD = torch.ops.ck_conv.group_norm.default
_BACKWARD = torch.ops.ck_conv.group_norm_backward.default
_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}
_MOST_CHANNELS = 2 ** 30  # of all images: a rule of ck::GroupNormSpec
_TYPES = torch.float64, torch.float32, torch.float16, torch.bfloat16


def compiled(x, groups, weight, bias, epsilon, activation, residual=None, adds_in_place=False):
    """group_norm() for torch.compile, which traces this function: calls the operator if the library computes it, otherwise
    PyTorch's operations. groups may be INSTANCES."""
    if groups == "layer_last":  # Inductor computes it together with what is around it
        return group_norms.in_torch(x, groups, weight, bias, epsilon, activation)
    of_instances = groups is group_norms.INSTANCES
    is_wide = x.is_cuda and not of_instances and torch.is_autocast_enabled()  # as PyTorch's
    given = [t.float() if is_wide and isinstance(t, torch.Tensor) and t.dtype in (torch.float16, torch.bfloat16) else t
             for t in (x, weight, bias, residual)]
    *tensors, added = given
    if _takes(*tensors, groups, epsilon) and (added is None or _adds(added, tensors[0], activation)):
        return _FORWARD(*tensors, "instances" if of_instances else str(groups), epsilon, *activation, added)[0]
    return group_norms.in_torch(x, groups, weight, bias, epsilon, activation, residual, adds_in_place)


def _takes(x, weight, bias, groups, epsilon):
    parameters = [t for t in (weight, bias) if t is not None]
    if x.dtype not in _TYPES or x.device.type not in ("cpu", "cuda") or x.numel() == 0:
        return False
    if x.device.type == "cpu" and _any_autocast_of_cpu():
        return False
    kinds = {t.dtype for t in parameters}
    if len(kinds) > 1 or any(t.device != x.device or not t.is_contiguous() for t in parameters):
        return False
    if groups in group_norms.OF_ROWS:
        return kinds == {x.dtype} and _takes_rows(x, parameters, group_norms.OF_ROWS[groups])
    if not _is_last(x):
        return False
    channels = x.size(1)
    if groups is group_norms.INSTANCES:
        if epsilon == 0 or x.numel() == x.size(0) * channels:  # PyTorch raises, or gives other results
            return False
    elif groups < 1 or channels % groups != 0:
        return False
    return (x.size(0) * channels <= _MOST_CHANNELS and kinds <= {x.dtype, type_of_statistics(x)} and
            all(t.shape == (channels,) for t in parameters))


def _adds(residual, x, activation):
    return (isinstance(residual, torch.Tensor) and group_norms.adds_before(activation) and _is_last(residual) and
            (residual.dtype, residual.shape, residual.device) == (x.dtype, x.shape, x.device))


def _is_last(x):
    return x.dim() in _LAST and x.is_contiguous(memory_format=_LAST[x.dim()])


def _takes_rows(x, parameters, rows):
    is_last = x.dim() > 1 and x.is_contiguous() if rows.dim == -1 else _is_last(x)
    return is_last and x.size(rows.dim) <= _MOST_CHANNELS and all(rows.fits(t, x) for t in parameters)


def _any_autocast_of_cpu():
    return torch.is_autocast_enabled("cpu") if hasattr(torch, "get_autocast_dtype") else torch.is_autocast_cpu_enabled()


def _norm(x, weight, bias, groups, epsilon, activation, residual):
    which = group_norms.INSTANCES if groups == "instances" else groups if groups in group_norms.OF_ROWS else int(groups)
    norm = group_norms.norm_of(x, which, weight, bias, epsilon, activation, residual)
    if norm is None:
        raise RuntimeError(f"a compiled norm of {tuple(x.shape)}, {x.dtype}, should be computed by ck_conv, but the "
                           "library refuses it")
    return norm


def _rows(x, groups):
    return launch.packed(x, groups not in group_norms.OF_ROWS or group_norms.OF_ROWS[groups].dim == 1)


def _compute(x, weight, bias, groups, epsilon, name, least, most, residual=None):
    rows, added = _rows(x, groups), None if residual is None else _rows(residual, groups)
    norm = _norm(rows, weight, bias, groups, epsilon, (name, least, most), added)
    y, statistics = norm.forward(rows, weight, bias, added)
    return _as(x, y), statistics


def _as(x, y):
    """y with the strides of x."""
    return y if y.stride() == x.stride() else torch.empty_like(x).copy_(y)


def _compute_backward(x, weight, bias, statistics, grad, groups, epsilon, name, least, most, needs, y=None):
    """y: after an addition and an activation. The gradient of a residual without an activation is `grad`."""
    rows, result = _rows(x, groups), None if y is None else _rows(y, groups)
    norm = _norm(rows, weight, bias, groups, epsilon, (name, least, most), result)
    of_x, *more, of_residual = norm.backward(rows, weight, bias, statistics, result, grad, needs)
    return (_as(x, of_x), *(x.new_empty(0) if g is None else g for g in more),
            x.new_empty(0) if of_residual is None else _as(x, of_residual))


def _shape(x, weight, bias, groups, *_):
    rows = group_norms.OF_ROWS.get(groups)
    statistics = (x.numel() // x.size(rows.dim) if rows else
                  x.size(0) * (x.size(1) if groups == "instances" else int(groups)))
    return torch.empty_like(x), x.new_empty((2, statistics), dtype=type_of_statistics(x))


def _shape_backward(x, weight, bias, statistics, grad, groups, epsilon, name, least, most, needs, y=None):
    return (torch.empty_like(x), *(torch.empty_like(t) if wanted else x.new_empty(0)
                                   for t, wanted in zip((weight, bias, x), needs[1:])))


class _GroupNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, residual, *norm):
        with _BelowAutograd():
            y, statistics = _FORWARD(x, weight, bias, *norm, residual)
        saves_y = residual is not None and norm[2] != "none"
        ctx.save_for_backward(x, weight, bias, statistics, y if saves_y else None)
        ctx.norm = norm
        ctx.mark_non_differentiable(statistics)
        return y, statistics

    @staticmethod
    def backward(ctx, grad, _):
        needs = list(ctx.needs_input_grad[:4])
        *saved, y = ctx.saved_tensors
        *found, of_residual = _BACKWARD(*saved, grad, *ctx.norm, [*needs[:3], needs[3] and y is not None], y)
        found.append(grad if y is None else of_residual)
        return *(g if wanted else None for g, wanted in zip(found, needs)), *(None,) * len(ctx.norm)


def _with_gradients(x, weight, bias, groups, epsilon, name, least, most, residual=None):
    norm = groups, epsilon, name, least, most
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in (x, weight, bias, residual)):
        return _GroupNorm.apply(x, weight, bias, residual, *norm)
    with _BelowAutograd():
        return _FORWARD(x, weight, bias, *norm, residual)


def _backward_below_autograd(*arguments):
    if torch.is_grad_enabled() and any(isinstance(t, torch.Tensor) and t.requires_grad for t in arguments):
        raise RuntimeError("a compiled norm of ck_conv.fuse() has no second derivatives")
    with _BelowAutograd():
        return _BACKWARD(*arguments)


for _key, _function in (("CPU", _compute), ("CUDA", _compute), ("Meta", _shape), ("Autograd", _with_gradients)):
    _library.impl("group_norm", _function, _key)
for _key, _function in (("CPU", _compute_backward), ("CUDA", _compute_backward), ("Meta", _shape_backward),
                        ("Autograd", _backward_below_autograd)):
    _library.impl("group_norm_backward", _function, _key)
