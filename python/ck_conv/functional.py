"""conv1d to conv3d and conv_transpose1d to conv_transpose3d with the signatures of torch.nn.functional; causal_conv1d to
causal_conv3d with those of conv1d to conv3d.

Tensors may be float64, float32, float16 or bfloat16. Results of channels-last tensors are channels-last, also in 1D. Equal
calls give equal bits. float32 is multiplied as tf32 on GPUs if torch.backends.cudnn.allow_tf32 is set. Wrong arguments raise a
TypeError or ValueError that names the argument. Refused, a ValueError, says why the library does not compute a convolution.

Also scaled_conv() of eight-bit floats with scales, and its gradients.
"""
import reprlib

from torch import Tensor, autocast, strided
from torch.nn import functional as F
from torch.onnx import is_in_onnx_export
from torch.overrides import handle_torch_function

from ._geometry import causal, convolution, output_size, padded, transposed
from ._launch import is_channels_last
from ._layer import find, find_mixed, recall
from ._library import FORWARD
from ._operators import (any_autocast, as_autocast_wants, autocast_dtype, call, escapes_autocast, is_compiling,
                         nobody_watches)
from ._padded import Padded
from ._scaled import scaled_conv, scaled_conv_input, scaled_conv_weight


overriding = ()  # a class of tensors whose __torch_function__ receives these functions: ck_conv.distributed


def _convolution(make_geometry, rank, input, weight, bias, *arguments):
    """make_geometry(rank, weight's size, *arguments): a function of _geometry."""
    if type(input) is Padded:
        return _of_padded(make_geometry, rank, input, weight, bias, *arguments)
    layer = None if is_compiling() else recall(make_geometry, rank, input, weight, bias, arguments)
    if layer is not None:
        return layer(input, weight, bias)
    if overriding and isinstance(input, overriding):
        return handle_torch_function(_FRONT[make_geometry][rank], (input,), input, weight, bias, *arguments)
    for name, value in (("input", input), ("weight", weight), ("bias", bias)):
        if not isinstance(value, Tensor) and (value is not None or name != "bias"):
            if hasattr(type(value), "__torch_function__"):  # for example torch.fx's proxies
                return handle_torch_function(_FRONT[make_geometry][rank], (input, weight, bias), input, weight, bias,
                                             *arguments)
            raise TypeError(f"{name} is {reprlib.repr(value)}, but must be a torch.Tensor")
        if value is not None and value.layout is not strided:
            raise TypeError(f"{name} is {value.layout}, but must be torch.strided: call to_dense()")
    if is_in_onnx_export():  # ONNX has an operator for it, which PyTorch's exporter knows
        return _TORCHS[make_geometry][rank](input, weight, bias, *arguments)
    if any_autocast():
        dtype = None if input.is_meta else autocast_dtype(input.device.type, make_geometry is transposed)
        if dtype is not None and escapes_autocast(input, weight, bias):
            with autocast(input.device.type, enabled=False):
                return _convolution(make_geometry, rank, input, weight, bias, *arguments)
        if dtype is not None and input.dim() == rank + 2 and nobody_watches(input, weight, bias):
            layer = find_mixed(make_geometry, rank, input, weight, bias, arguments, dtype)
            if layer is not None:
                return layer(input, weight, bias)
        input, weight, bias = (as_autocast_wants(t, dtype) for t in (input, weight, bias))
    if input.dim() == rank + 1:
        return _convolution(make_geometry, rank, input.unsqueeze(0), weight, bias, *arguments).squeeze(0)
    if nobody_watches(input, weight, bias):
        layer = find(make_geometry, rank, input, weight, bias, arguments)
        if layer is not None:
            return layer(input, weight, bias)
    g = make_geometry(rank, weight.shape, *arguments)
    if input.dim() != rank + 2 or weight.dim() != rank + 2:
        output_size(input.shape, weight.shape, g)  # raises if they do not fit together
    channels_last = is_channels_last(input) or is_channels_last(weight)
    return call(FORWARD, input, weight, bias, None, g, channels_last)


def _of_padded(make_geometry, rank, input, weight, bias, *arguments):
    pads = input.of_dimensions(rank)
    if pads is None or make_geometry is not convolution or isinstance(arguments[1], str):  # "same"
        return _convolution(make_geometry, rank, input.whole(), weight, bias, *arguments)
    input.check()
    return _convolution(padded, rank, input.x, weight, bias, *arguments, *pads)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch.nn.functional.conv1d() by the library. input ([N,] C, W), weight (K, C / groups, X), bias (K,). Returns
    ([N,] K, Wo)."""
    return _convolution(convolution, 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch.nn.functional.conv2d() by the library. input ([N,] C, H, W), weight (K, C / groups, Y, X), bias (K,). Returns
    ([N,] K, Ho, Wo)."""
    return _convolution(convolution, 2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch.nn.functional.conv3d() by the library. input ([N,] C, D, H, W), weight (K, C / groups, Z, Y, X), bias (K,). Returns
    ([N,] K, Do, Ho, Wo)."""
    return _convolution(convolution, 3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """torch.nn.functional.conv_transpose1d() by the library. input ([N,] C, W), weight (C, K / groups, X), bias (K,).
    Returns ([N,] K, Wo)."""
    return _convolution(transposed, 1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """torch.nn.functional.conv_transpose2d() by the library. input ([N,] C, H, W), weight (C, K / groups, Y, X), bias (K,).
    Returns ([N,] K, Ho, Wo)."""
    return _convolution(transposed, 2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """torch.nn.functional.conv_transpose3d() by the library. input ([N,] C, D, H, W), weight (C, K / groups, Z, Y, X), bias (K,).
    Returns ([N,] K, Do, Ho, Wo)."""
    return _convolution(transposed, 3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def causal_conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A causal conv1d(): (X - 1) * dilation zeros precede the input, and none follow it. padding must be 0."""
    return _convolution(causal, 1, input, weight, bias, stride, padding, dilation, groups)


def causal_conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A causal conv2d() along H: (Y - 1) * dilation zeros precede the first row, and none follow the last. padding is that of
    W."""
    return _convolution(causal, 2, input, weight, bias, stride, padding, dilation, groups)


def causal_conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A causal conv3d() along D: (Z - 1) * dilation zeros precede the first frame, and none follow the last. padding is that of
    H and W."""
    return _convolution(causal, 3, input, weight, bias, stride, padding, dilation, groups)


def _of_torch(make_geometry):
    """A function of PyTorch's operations for a geometry whose pads differ before and after."""
    def compute(input, weight, bias, *arguments):
        g = make_geometry(weight.dim() - 2, weight.shape, *arguments)
        pads = [n for low, high in zip(reversed(g.pad_low), reversed(g.pad_high)) for n in (low, high)]
        return _TORCHS[convolution][len(g.stride)](F.pad(input, pads), weight, bias, g.stride, 0, g.dilation, g.groups)
    return compute


_causal_of_torch, _padded_of_torch = _of_torch(causal), _of_torch(padded)
_TORCHS = {causal: (None, *(_causal_of_torch,) * 3), padded: (None, *(_padded_of_torch,) * 3),
           convolution: (None, F.conv1d, F.conv2d, F.conv3d),
           transposed: (None, F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)}
_FRONT = {causal: (None, causal_conv1d, causal_conv2d, causal_conv3d), padded: (None, *(_padded_of_torch,) * 3),
          convolution: (None, conv1d, conv2d, conv3d),
          transposed: (None, conv_transpose1d, conv_transpose2d, conv_transpose3d)}
