"""Group, instance and batch norms whose statistics are those of all ranks, with gradients.

A rank computes mean and variance of each image and channel over its own rows. These are gathered and merged in float64,
alike on all ranks, so all hold the same bits.
"""
import functools
import math

import torch
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from .._conv.operators import any_autocast
from ._exchange import plain, wide
from ._tensor import implements, Names, parameters_whole, refuse, split, where


_PIECE = 1 << 24  # elements


def _moments(x):
    """(N, C) each: mean, and the sum of squares of the differences from it, over the rank's rows, in float64."""
    n, c = x.shape[:2]
    count = x.numel() // (n * c) if n * c else 0
    if count == 0:
        return x.new_zeros((2, n, c), dtype=torch.float64)
    dims = list(range(2, x.dim()))
    pieces = [x]
    if x.dtype != wide(x.dtype):  # 16-bit numbers become float32, a piece at a time: a copy of x may be large
        pieces = x.split(max(1, _PIECE * x.size(2) // x.numel()), 2)
    found = [torch.var_mean(piece.to(wide(x.dtype)), dims, unbiased=False) for piece in pieces]
    shares = [piece.size(2) / x.size(2) for piece in pieces]
    middle = sum(mean.double() * share for (_, mean), share in zip(found, shares))
    var = sum((var.double() + (mean.double() - middle).square()) * share for (var, mean), share in zip(found, shares))
    return torch.stack([middle, var * count])


def _merged(spreads, size, moments, what):
    """The moments of all ranks. size: of the rank's x."""
    size = list(size)
    for s in spreads:
        share = _shares(s.parts, moments.device)  # of all pixels
        mean, m2 = torch.stack(s.comm.gather(moments, what)).unbind(1)
        size[s.dim] = s.whole
        middle = (mean * share).sum(0)
        moments = torch.stack([middle, m2.sum(0) + ((mean - middle).square() * share).sum(0) * math.prod(size[2:])])
    return moments


@functools.lru_cache(maxsize=1024)
def _shares(parts, device):
    """Each rank's part of all rows, (ranks, 1, 1)."""
    return torch.tensor([part.size / parts[-1].end for part in parts], dtype=torch.float64, device=device).view(-1, 1, 1)


class _Norm(torch.autograd.Function):
    """groups: for each image; 0: one statistic for each channel of all images, also returned."""

    @staticmethod
    def forward(ctx, x, weight, bias, groups, eps, spreads, count, what):
        dtype = wide(x.dtype)
        n, c = x.shape[:2]
        mean, m2 = _merged(spreads, x.shape, _moments(x), what)
        if groups:
            shape, over, several = (n, groups, c // groups), 2, c // groups
        else:
            shape, over, several = (n, c), 0, n
        mean, m2 = mean.reshape(shape), m2.reshape(shape)
        middle = mean.mean(over, keepdim=True)
        m2 = m2.sum(over, keepdim=True) + count * (mean - middle).square().sum(over, keepdim=True)
        var = m2 / (count * several)
        mean, var = (t.expand(shape).reshape(n, c).to(dtype) for t in (middle, var))
        ctx.groups, ctx.eps, ctx.comms, ctx.count, ctx.what = groups, eps, [s.comm for s in spreads], count, what
        ctx.dtypes = [None if t is None else t.dtype for t in (weight, bias)]
        ctx.save_for_backward(x, weight, mean, var)
        ctx.mark_non_differentiable(mean, var)
        return _applied(x, weight, bias, mean, var, eps, groups), mean, var

    @staticmethod
    @once_differentiable
    def backward(ctx, grad, _mean, _var):
        x, weight, mean, var = ctx.saved_tensors  # see _convolution.py
        with plain():
            return _gradients(ctx, x, weight, mean, var, grad if grad.shape == x.shape else grad.reshape(x.shape))


def _images(x, *of_channels):
    """Tensors of one image with N * C channels each, and their statistics: the whole, if x allows that view."""
    n, c = x.shape[:2]
    if x.is_contiguous() or n <= 1:
        return [(x.reshape(1, n * c, *x.shape[2:]), *(t.reshape(-1) for t in of_channels))]
    return [(x[i:i + 1], *(t[i] for t in of_channels)) for i in range(n)]


def _applied(x, weight, bias, mean, var, eps, groups):
    """The batch norm with these statistics of each image and channel; in x's size or as one image."""
    n, c = x.shape[:2]
    if x.numel() == 0:
        return torch.empty_like(x)
    weight, bias = (None if t is None else t.to(mean.dtype) for t in (weight, bias))
    if not groups:
        return F.batch_norm(x, mean[0], var[0], weight, bias, False, 0., eps)
    weight = torch.ones_like(mean) if weight is None else weight.expand(n, c)
    bias = torch.zeros_like(mean) if bias is None else bias.expand(n, c)
    parts = [F.batch_norm(image, m, v, w, b, False, 0., eps)
             for image, m, v, w, b in _images(x, mean, var, weight, bias)]
    return parts[0] if len(parts) == 1 else torch.cat(parts)  # a view would forbid operations in place


def _sums(x, grad, mean, var, eps):
    """(2, N, C): sums over the rank's rows of the gradient times the normalised x, and of the gradient."""
    if x.numel() == 0:
        return mean.new_zeros((2, *mean.shape))
    dims = list(range(2, x.dim()))
    at = (*mean.shape, *(1,) * len(dims))
    of_bias = grad.sum(dims, dtype=mean.dtype)
    of_weight = ((x - mean.view(at)) * grad).sum(dims) / (var + eps).sqrt()
    return torch.stack([of_weight, of_bias])


def _gradients(ctx, x, weight, mean, var, grad):
    n, c = x.shape[:2]
    wants_x, wants_weight, wants_bias, *_ = ctx.needs_input_grad
    sums = _sums(x, grad, mean, var, ctx.eps).double()
    for comm in ctx.comms:
        comm.sum(sums, f"the sums of the gradient of {ctx.what}")
    of_weight, of_bias = sums
    grad_x = None
    if wants_x:
        w = 1. if weight is None else weight.double()
        if ctx.groups:
            shape, over, several = (n, ctx.groups, c // ctx.groups), 2, c // ctx.groups
        else:
            shape, over, several = (n, c), 0, n
        a, b = ((t * w).reshape(shape).sum(over, keepdim=True).expand(shape).reshape(n, c) / (ctx.count * several)
                for t in (of_bias, of_weight))
        inverse = (var.double() + ctx.eps).rsqrt()
        slope, factor = -inverse.square() * b, inverse * w
        shift = -inverse * a - slope * mean.double()
        at = (n, c, *(1,) * (x.dim() - 2))
        slope, factor, shift = (torch.as_tensor(t).expand(n, c).to(mean.dtype).reshape(at) for t in (slope, factor, shift))
        grad_x = torch.addcmul(torch.addcmul(shift, x.to(mean.dtype), slope), grad.to(mean.dtype), factor).to(x.dtype)
    return (grad_x, of_weight.sum(0).to(ctx.dtypes[0]) if wants_weight else None,
            of_bias.sum(0).to(ctx.dtypes[1]) if wants_bias else None, None, None, None, None, None)


def _refuse_single_values(func, size, groups):
    """As PyTorch does, if there is one value of which to compute a mean. size: of the whole x."""
    if func.__name__ == "instance_norm":
        if math.prod(size[2:]) == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {torch.Size(size)}")
        return
    shown = [size[0] * size[1] // groups, groups, *size[2:]] if groups else torch.Size(size)
    if math.prod(shown) == shown[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shown}")


def _norm(func, x, weight, bias, groups, eps, dtype):
    """Returns the result, and for groups = 0 mean, variance and the number of elements of a channel."""
    spreads = x.spreads
    if any(s.dim <= 1 - x.dim() for s in spreads):
        refuse(f"{func.__name__} of split images or channels is not supported")
    size = [next((s.whole for s in spreads if x.dim() + s.dim == d), x.size(d)) for d in range(x.dim())]
    count = math.prod(size[2:])
    _refuse_single_values(func, size, groups)
    x = x if dtype is None else x.to(dtype)
    result, mean, var = _Norm.apply(x, weight, bias, groups, eps, spreads, count, f"the statistics of {where()}")
    return split(result if result.shape == x.shape else result.view(x.shape), spreads), mean, var, count


def _result_type(func, x, *rest, **named):
    """The type of PyTorch's result under torch.autocast; None: x's."""
    if not any_autocast():
        return None
    return func(torch.zeros((1, x.size(1), 2), dtype=x.dtype, device=x.device), *rest, **named).dtype


@implements("group_norm", takes="input num_groups weight bias eps cudnn_enabled")
def _group_norm(func, args, kwargs, given):
    x, groups, weight, bias = args[0], given["num_groups"], given.get("weight"), given.get("bias")
    if groups < 1 or x.size(1) % groups:
        refuse(f"{x.size(1)} channels are not divisible by {groups} groups")
    dtype = _result_type(func, x, groups, weight, bias)
    return _norm(func, x, weight, bias, groups, given.get("eps", 1e-5), dtype)[0]


@implements("instance_norm", takes="input running_mean running_var weight bias use_input_stats momentum eps")
def _instance_norm(func, args, kwargs, given):
    x, running, weight, bias = args[0], given.get("running_mean"), given.get("weight"), given.get("bias")
    if not given.get("use_input_stats", True):
        return parameters_whole(func, args, kwargs, given)
    if running is not None:
        refuse("an instance norm in training mode that tracks running statistics is not supported")
    dtype = _result_type(func, x, weight=weight, bias=bias)
    return _norm(func, x, weight, bias, x.size(1), given.get("eps", 1e-5), dtype)[0]


@implements("batch_norm", takes="input running_mean running_var weight bias training momentum eps")
def _batch_norm(func, args, kwargs, given):
    x, mean, var = args[0], given.get("running_mean"), given.get("running_var")
    if not given.get("training", False):
        return parameters_whole(func, args, kwargs, given)
    momentum = given.get("momentum", 0.1)
    result, batch_mean, batch_var, count = _norm(func, x, given.get("weight"), given.get("bias"), 0, given.get("eps", 1e-5),
                                                 None)
    if mean is not None:
        with torch.no_grad():
            count *= x.size(0)
            mean.lerp_(batch_mean[0].to(mean.dtype), momentum)
            var.lerp_((batch_var[0].double() * (count / max(count - 1, 1))).to(var.dtype), momentum)
    return result


# torch's own functions have the order of ATen, and those of torch.nn.functional another one.
Names.of_functions.update({
    torch.batch_norm: Names("input weight bias running_mean running_var training momentum eps cudnn_enabled"),
    torch.instance_norm: Names("input weight bias running_mean running_var use_input_stats momentum eps cudnn_enabled")})
