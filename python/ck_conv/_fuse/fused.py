"""Modules with which fuse() replaces a convolution and what follows it, and the arithmetic of folding batch norms and scales."""
import weakref
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F
from torch.onnx import is_in_onnx_export
from torch.overrides import handle_torch_function, has_torch_function

from .._c import geometry
from .._conv import over_input
from .._conv.epilogue import Epilogue, convolution, with_torch
from .._conv.operators import any_autocast, autocast_dtype, nobody_watches
from .._conv.scriptable import refuse_fused
from ..modules import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d


_POINTWISE = (1, 1), (0, 0), (1, 1), 1  # strides, pads, dilations and groups
# Measured on an H200 with 64 images: ConvNeXt-T 5 % more images per second, Swin-T 0.3 %. Fewer rows were not measured.
LEAST_ROWS = 4096


def refuse_training():
    raise RuntimeError("a network from ck_conv.fuse() is for inference: batch norms are folded into its weights. "
                       "Train the model that fuse() was given, then fuse it again")


class Scale(NamedTuple):
    """Factors by which the results of a convolution are multiplied."""
    factors: torch.Tensor  # in float64: one, or one for each channel
    rank: int = 0  # the most dimensions of a tensor of factors, whose type is the weight's


def _as_product(y, rank, dtype):
    """The tensor with the rank and the type of its product with a tensor of this rank and this type."""
    if has_torch_function((y,)):
        return handle_torch_function(_as_product, (y,), y, rank, dtype)
    return y.to(torch.promote_types(y.dtype, dtype))[(None,) * (rank - y.dim())]


class _Fused:
    """A convolution with its epilogue, for inference. The batch norm and the scale are folded into weight and bias, which
    require no gradient. Gradients of inputs are correct: if one is needed, PyTorch adds and activates in separate launches.
    into, overwrites: as those of convolution(); without a residual, a 2D convolution may overwrite its input (_conv/over_input.py)."""
    epilogue, rank_of_scale, into_residual = Epilogue(), 0, False  # into_residual: whether the result has the residual's type

    def __prepare_scriptable__(self):
        """Called by torch.jit.script()."""
        refuse_fused(f"a {type(self).__name__}")

    def train(self, mode=True):
        if mode:
            refuse_training()
        return super().train(mode)

    def _is_widened(self, input):
        """Whether the folded scale may change the result's type, as under torch.autocast, or its rank."""
        return self.rank_of_scale > 0 and (not isinstance(input, torch.Tensor) or input.dim() < self.rank_of_scale or
                                           any_autocast())

    def _convolve(self, make_geometry, input, weight, residual, arguments, into=None, overwrites=False):
        rank = len(self.kernel_size)
        if self._is_widened(input):
            y = convolution(make_geometry, rank, input, weight, self.bias, None, Epilogue(), arguments)
            y = with_torch(_as_product(y, self.rank_of_scale, weight.dtype), residual, self.epilogue)
        else:
            y = convolution(make_geometry, rank, input, weight, self.bias, residual, self.epilogue, arguments, into, overwrites)
        return self._finished(y, residual)

    def _finished(self, y, residual):
        """The result, in the residual's type if PyTorch adds to the residual in place. It may be a number."""
        return y.type_as(residual) if self.into_residual and type(residual) not in (int, float) else y

    def extra_repr(self):
        e = self.epilogue
        words = [f"{name}={value}" for name, value in (("activation", e.activation), ("residual", e.residual))
                 if value != "none"]
        return ", ".join([super().extra_repr(), *words])


class _FusedConv(_Fused):
    def forward(self, input, residual=None, into=None, overwrites=False):
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        arguments = self.stride, padding, self.dilation, self.groups
        if overwrites and residual is None and not self._is_widened(input):
            result = over_input.convolve(input, self.weight, self.bias, self.epilogue, geometry.convolution, arguments)
            if result is not None:
                return result
        return self._convolve(geometry.convolution, input, self.weight, residual, arguments, into, overwrites)


class _FusedTransposed(_Fused):
    def forward(self, input, residual=None, into=None, overwrites=False):
        return self._convolve(geometry.transposed, input, self.weight, residual,
                              (self.stride, self.padding, self.output_padding, self.groups, self.dilation), into, overwrites)


class FusedConv1d(_FusedConv, Conv1d):
    """torch.nn.Conv1d with a residual addition and an activation"""


class FusedConv2d(_FusedConv, Conv2d):
    """torch.nn.Conv2d with a residual addition and an activation"""


class FusedConv3d(_FusedConv, Conv3d):
    """torch.nn.Conv3d with a residual addition and an activation"""


class FusedConvTranspose1d(_FusedTransposed, ConvTranspose1d):
    """torch.nn.ConvTranspose1d with a residual addition and an activation"""


class FusedConvTranspose2d(_FusedTransposed, ConvTranspose2d):
    """torch.nn.ConvTranspose2d with a residual addition and an activation"""


class FusedConvTranspose3d(_FusedTransposed, ConvTranspose3d):
    """torch.nn.ConvTranspose3d with a residual addition and an activation"""


class FusedLinear(_Fused, nn.Module):
    """torch.nn.Linear with a residual addition and an activation, as a 1x1 convolution of channels-last pixels. Its weight is that
    convolution's. PyTorch computes float32 and float64, for which torch.nn.Linear is not rounded to tf32, matrices, and few rows.
    order: that of a permute() of its result to channels first, or (). permutes_residual: whether the addition comes after it."""
    order, permutes_residual = (), False

    def forward(self, input, residual=None):
        if self._is_ours(input, residual):
            added = None if residual is None else self._as_rows(residual)
            pixels, added = (None if t is None else t.view(1, 1, -1, t.shape[-1]).permute(0, 3, 1, 2) for t in (input, added))
            y = convolution(geometry.convolution, 2, pixels, self.weight, self.bias, added, self.epilogue, _POINTWISE)
            y = self._permuted(y.permute(0, 2, 3, 1).view(*input.shape[:-1], -1))
        else:
            y = self._in_torch(input, residual)
        return self._finished(y, residual)

    def _in_torch(self, input, residual):
        y, is_last = F.linear(input, self.weight.flatten(1), self.bias), residual is not None and not self.permutes_residual
        y = y if is_last else self._permuted(y)
        if self._is_widened(input):
            y = _as_product(y, self.rank_of_scale, self.weight.dtype)
        y = with_torch(y, residual, self.epilogue)
        return self._permuted(y) if is_last else y

    def _permuted(self, y):
        return y.permute(self.order) if self.order else y

    def _as_rows(self, residual):
        """The residual with its channels in the last dimension."""
        return residual.permute(0, *range(2, len(self.order)), 1) if self.permutes_residual else residual

    def extra_repr(self):
        return f"in_features={self.weight.size(1)}, out_features={self.weight.size(0)}{super().extra_repr()}"

    def _is_ours(self, input, residual):
        if not nobody_watches(input, input if residual is None else residual) or input.dim() < 3 or (
                input.numel() < LEAST_ROWS * input.shape[-1]) or input.numel() == 0 or input.device.type not in ("cpu", "cuda"):
            return False
        dtype = autocast_dtype(input.device.type, False) or input.dtype
        if dtype not in (torch.float16, torch.bfloat16) or not input.is_contiguous() or self._is_widened(input):
            return False
        if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in (input, residual)):
            return False
        if residual is None:
            return True
        if residual.dim() != input.dim() or residual.dtype != dtype or residual.device != input.device:
            return False
        added = self._as_rows(residual)
        return added.is_contiguous() and added.shape == (*input.shape[:-1], self.weight.size(0))


_convolutions = weakref.WeakKeyDictionary()  # by the linear layer


def as_convolution(linear):
    """The 1x1 convolution of a torch.nn.Linear, with the same memory; the same one in each call."""
    conv = _convolutions.get(linear)
    if conv is not None and conv.weight.data_ptr() == linear.weight.data_ptr():
        return conv
    conv = _convolutions[linear] = Conv2d(linear.in_features, linear.out_features, 1, bias=linear.bias is not None, device="meta")
    conv.weight = nn.Parameter(linear.weight.detach()[:, :, None, None], requires_grad=False)
    conv.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach(), requires_grad=False)
    return conv


def _same(rank, weight_size, stride, low, high, dilation, groups):
    """A geometry with different pads before and after."""
    return geometry.Geometry(stride, low, high, dilation, False, (0,) * rank, groups)


class FusedConv2dSame(FusedConv2d):
    """timm's Conv2dSame, whose pads depend on the input's size. The convolution itself pads, without a padded copy."""

    def forward(self, input, residual=None, into=None, overwrites=False):
        low, high = [], []
        for length, taps, stride, dilation in zip(input.shape[-2:], self.kernel_size, self.stride, self.dilation):
            total = max((-(-length // stride) - 1) * stride + (taps - 1) * dilation + 1 - length, 0)
            low.append(total // 2)
            high.append(total - total // 2)
        if is_in_onnx_export():  # PyTorch's exporter knows its own functions
            input = F.pad(input, [pad for pads in zip(reversed(low), reversed(high)) for pad in pads])
            return self._convolve(geometry.convolution, input, self.weight, residual,
                                  (self.stride, 0, self.dilation, self.groups))
        return self._convolve(_same, input, self.weight, residual,
                              (self.stride, tuple(low), tuple(high), self.dilation, self.groups), into, overwrites)


class _Padded:
    """A convolution of a tensor that is padded with zeros first. It adds these pads to its own. pads: before and after, of each
    dimension."""
    pads = ()

    def forward(self, input, residual=None, into=None, overwrites=False):
        arguments = self.stride, self.padding, self.dilation, self.groups, *self.pads
        return self._convolve(geometry.padded, input, self.weight, residual, arguments, into, overwrites)


class PaddedConv1d(_Padded, FusedConv1d):
    """torch.nn.Conv1d with pads, a residual addition and an activation"""


class PaddedConv2d(_Padded, FusedConv2d):
    """torch.nn.Conv2d with pads, a residual addition and an activation"""


class PaddedConv3d(_Padded, FusedConv3d):
    """torch.nn.Conv3d with pads, a residual addition and an activation"""


PADDED = {FusedConv1d: PaddedConv1d, FusedConv2d: PaddedConv2d, FusedConv3d: PaddedConv3d}
FUSED = {Conv1d: FusedConv1d, Conv2d: FusedConv2d, Conv3d: FusedConv3d, ConvTranspose1d: FusedConvTranspose1d,
         ConvTranspose2d: FusedConvTranspose2d, ConvTranspose3d: FusedConvTranspose3d}


def fused_class(conv):
    """The fused class for a module of our classes, or of a derived class that computes the same; otherwise None."""
    replaced = type(conv).__mro__[1]  # if replace() derived a class
    if replaced.__name__ == "Conv2dSame" and replaced.__module__.startswith("timm.") and conv.padding_mode == "zeros":
        return FusedConv2dSame
    cls = next((c for c in type(conv).__mro__ if c in FUSED), None)
    same = cls is not None and all(getattr(type(conv), method, None) is getattr(cls, method, None)
                                   for method in ("__call__", "forward", "_conv_forward"))
    return FUSED[cls] if same else None


def fused(conv, norm, epilogue, cls=None, scale=None):
    """Returns the fused module. conv: a module that has a fused_class(). norm: a batch norm, or None. cls: if it is not the
    fused_class(). scale: a Scale of the norm's result, or None."""
    cls = cls or fused_class(conv)
    module = cls.__new__(cls)
    nn.Module.__init__(module)
    for name, value in conv.__dict__.items():
        if name not in module.__dict__ and not name.startswith("__"):
            module.__dict__[name] = value
    weight, bias = (conv.weight, conv.bias) if norm is None and scale is None else folded(conv, norm, scale)
    for name, value in (("weight", weight), ("bias", bias)):
        is_own = type(value) is nn.Parameter and not value.requires_grad
        module.register_parameter(name, value if value is None or is_own else nn.Parameter(value.detach(), requires_grad=False))
    module.epilogue = epilogue
    if scale is not None:
        module.rank_of_scale = scale.rank
    return module.eval()


def with_ranges(conv):
    """The convolution as a module that reads and writes ranges of channels in place. Its parameters stay the same objects."""
    module = fused(conv, None, Epilogue())
    module._parameters.update(conv._parameters)
    return module


def folded(conv, norm, scale=None):
    """Returns (weight, bias) of the convolution that computes norm(conv(x)) * scale. Computed in float64 and rounded once. norm,
    scale: or None."""
    with torch.no_grad():
        factors, bias = torch.ones((), dtype=torch.float64, device=conv.weight.device), None
        if conv.bias is not None:
            bias = conv.bias.double()
        if norm is not None:
            factors = (norm.running_var.double() + norm.eps).rsqrt()
            if norm.weight is not None:
                factors = factors * norm.weight.double()
            bias = (-norm.running_mean.double() if bias is None else bias - norm.running_mean.double()) * factors
            if norm.bias is not None:
                bias = bias + norm.bias.double()
        if scale is not None:
            factors, bias = factors * scale.factors, None if bias is None else bias * scale.factors
        weight, factors = conv.weight.double(), factors.expand(conv.out_channels)
        if conv.transposed:  # (C, K / groups, ...): channels of the result are the second dimension, in each group
            each = factors.reshape(conv.groups, 1, -1, *(1,) * (weight.dim() - 2))
            weight = (weight.unflatten(0, (conv.groups, -1)) * each).flatten(0, 1)
        else:
            weight = weight * factors.reshape(-1, *(1,) * (weight.dim() - 1))
        if conv.weight.stride() != weight.stride():
            weight = torch.empty_like(conv.weight, dtype=weight.dtype).copy_(weight)
        return weight.to(conv.weight.dtype), None if bias is None else bias.to(conv.weight.dtype)


def why_not_folded(conv, norm):
    """Why a batch norm cannot be folded into the preceding convolution; None if it can."""
    if norm.running_mean is None or norm.running_var is None:
        return "it has no running statistics (track_running_stats=False): it normalises by those of each batch"
    channels = conv.out_channels
    if norm.running_mean.numel() != channels:
        return f"it has {norm.running_mean.numel()} channels, the convolution {channels}"
    if norm.running_mean.device != conv.weight.device:
        return f"it is on {norm.running_mean.device}, the convolution on {conv.weight.device}"
    return why_not_finite(conv, norm)


def why_not_finite(conv, norm, scale=None):
    """Why a norm and a scale cannot be folded: the weights would not be numbers of their type. None if they can."""
    if all(t is None or t.isfinite().all() for t in folded(conv, norm, scale)):
        return None
    return f"the folded weights are not finite in {conv.weight.dtype}"
