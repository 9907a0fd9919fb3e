"""Convolutions of doubled images, for inference: nearest-neighbour interpolation by 2, then a filter of three taps, is one
transposed convolution of stride 2 with four taps, computed from the image as it is.

In each dimension, a pixel of the result sees two pixels of the image: an even one sees x[i - 1] by w0 and x[i] twice, by w1
and by w2; an odd one sees x[i] by w0 and w1, and x[i + 1] by w2. So the four taps are w2, w1 + w2, w0 + w1 and w0. In 2D,
that takes 4 of 9 multiplications, and the doubled image is never in memory.
"""
import weakref

import torch
from torch import nn
from torch.nn import functional as F

from .._c import geometry
from .._conv import launch
from .._conv.operators import any_autocast, autocast_dtype, nobody_watches
from .fused import FusedConv1d, FusedConv2d, FusedConv3d

_TAPS = (0, 0, 1), (0, 1, 1), (1, 1, 0), (1, 0, 0)  # of the four taps, in those of the filter
_NEAREST = "nearest", "nearest-exact"  # the same for a factor of 2
# module: (what its taps were computed from, taps, the weight, so that no other one gets its address)
_known = weakref.WeakKeyDictionary()


def taps_of(weight):
    """The weight of the transposed convolution, (C, K, 4, ...), of a convolution's (K, C, 3, ...). Computed in float64 and
    rounded once."""
    matrix = torch.tensor(_TAPS, dtype=torch.float64, device=weight.device)
    taps = weight.detach().double().transpose(0, 1)
    for dimension in range(2, weight.dim()):
        taps = torch.tensordot(taps, matrix, dims=([2], [1]))  # moves the dimension to the end, the next to its place
    return taps.to(weight.dtype)


class _Doubled:
    """A convolution of the doubled input, with its epilogue. Its weight is the convolution's."""

    def extra_repr(self):
        return f"{super().extra_repr()}, of the input doubled by nearest-neighbour interpolation"

    def forward(self, input, residual=None, into=None, overwrites=False):
        weight, rank = self.weight, len(self.kernel_size)
        wants_weight = weight.requires_grad and torch.is_grad_enabled()  # the taps are without its graph
        if (wants_weight or not nobody_watches(input, weight) or input.is_meta or input.dim() != rank + 2 or
                (any_autocast() and _types_differ(input.device.type))):
            return super().forward(F.interpolate(input, scale_factor=2., mode="nearest"), residual, into, overwrites)
        channels_last = launch.is_channels_last(input) or launch.is_channels_last(weight)  # as of the convolution
        return self._convolve(geometry.transposed, input, self._taps(channels_last), residual,
                              ((2,) * rank, (1,) * rank, (0,) * rank, 1, (1,) * rank), into, overwrites)

    def _taps(self, channels_last):
        weight = self.weight
        version = None if weight.is_inference() else weight._version
        key = weight.data_ptr(), version, weight.dtype, weight.device, channels_last
        known = _known.get(self)
        if known is None or version is None or known[0] != key:
            with torch.inference_mode(False):  # gradients of inputs may save them later
                known = _known[self] = key, launch.packed(taps_of(weight), channels_last), weight.detach()
        return known[1]


class FusedDoubledConv1d(_Doubled, FusedConv1d):
    """torch.nn.Conv1d of a doubled input"""


class FusedDoubledConv2d(_Doubled, FusedConv2d):
    """torch.nn.Conv2d of a doubled input"""


class FusedDoubledConv3d(_Doubled, FusedConv3d):
    """torch.nn.Conv3d of a doubled input"""


DOUBLED = {FusedConv1d: FusedDoubledConv1d, FusedConv2d: FusedDoubledConv2d, FusedConv3d: FusedDoubledConv3d}


def _types_differ(device_type):
    """Whether autocast has other types for transposed convolutions on this device, as PyTorch 1.13 on the CPU."""
    return autocast_dtype(device_type, True) != autocast_dtype(device_type, False)


def can_be_doubled(conv, cls):
    """Whether there is such a class for a convolution whose fused class is cls."""
    rank = len(conv.kernel_size)
    return (cls in DOUBLED and conv.kernel_size == (3,) * rank and conv.stride == conv.dilation == (1,) * rank and
            conv.padding in ((1,) * rank, "same") and conv.padding_mode == "zeros" and conv.groups == 1 and
            bool(taps_of(conv.weight).isfinite().all()))


def is_doubling(node, module, rank):
    """Whether a node of torch.fx interpolates by 2 in all dimensions, from the nearest neighbour."""
    if module is not None:
        given = {name: getattr(module, name, None) for name in
                 ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor")}
        return (type(module) in (nn.Upsample, nn.UpsamplingNearest2d) and len(node.args) == 1 and not node.kwargs and
                _is_by_two(rank, **given))
    return (node.op == "call_function" and node.target is F.interpolate and len(node.args) >= 1 and
            _is_by_two(rank, **dict(zip(("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor",
                                         "antialias"), node.args[1:])), **node.kwargs))


def _is_by_two(rank, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
               antialias=False, **others):
    factors = scale_factor if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * rank
    return (size is None and len(factors) == rank and all(type(f) in (int, float) and f == 2 for f in factors) and
            mode in _NEAREST and align_corners is None and not antialias and not others)
