"""One convolution of tensors with torch's arguments: what kind of tensors they are, and who computes it. functional.py's
functions call it.
"""
import reprlib

from torch import Tensor, autocast, strided
from torch.nn import functional as F
from torch.onnx import is_in_onnx_export
from torch.overrides import handle_torch_function

from .._c.geometry import causal, convolution, output_size, padded, transposed
from .._c.interface import FORWARD
from .launch import is_channels_last
from .layer import find, find_mixed, recall
from .operators import (any_autocast, as_autocast_wants, autocast_dtype, call, escapes_autocast, is_compiling,
                        nobody_watches)
from .padded import Padded

overriding = ()  # a class of tensors whose __torch_function__ receives these functions: ck_conv.distributed


def convolve(make_geometry, rank, input, weight, bias, *arguments):
    """make_geometry(rank, weight's size, *arguments): a function of _c/geometry.py."""
    if type(input) is Padded:
        return _of_padded(make_geometry, rank, input, weight, bias, *arguments)
    layer = None if is_compiling() else recall(make_geometry, rank, input, weight, bias, arguments)
    if layer is not None:
        return layer(input, weight, bias)
    if overriding and isinstance(input, overriding):
        return handle_torch_function(PUBLIC[make_geometry][rank], (input,), input, weight, bias, *arguments)
    for name, value in (("input", input), ("weight", weight), ("bias", bias)):
        if not isinstance(value, Tensor) and (value is not None or name != "bias"):
            if hasattr(type(value), "__torch_function__"):  # for example torch.fx's proxies
                return handle_torch_function(PUBLIC[make_geometry][rank], (input, weight, bias), input, weight, bias,
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
                return convolve(make_geometry, rank, input, weight, bias, *arguments)
        if dtype is not None and input.dim() == rank + 2 and nobody_watches(input, weight, bias):
            layer = find_mixed(make_geometry, rank, input, weight, bias, arguments, dtype)
            if layer is not None:
                return layer(input, weight, bias)
        input, weight, bias = (as_autocast_wants(t, dtype) for t in (input, weight, bias))
    if input.dim() == rank + 1:
        return convolve(make_geometry, rank, input.unsqueeze(0), weight, bias, *arguments).squeeze(0)
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
        return convolve(make_geometry, rank, input.whole(), weight, bias, *arguments)
    input.check()
    return convolve(padded, rank, input.x, weight, bias, *arguments, *pads)


def _of_torch(make_geometry):
    """A function of PyTorch's operations for a geometry whose pads differ before and after."""
    def compute(input, weight, bias, *arguments):
        g = make_geometry(weight.dim() - 2, weight.shape, *arguments)
        pads = [n for low, high in zip(reversed(g.pad_low), reversed(g.pad_high)) for n in (low, high)]
        return _TORCHS[convolution][len(g.stride)](F.pad(input, pads), weight, bias, g.stride, 0, g.dilation, g.groups)
    return compute


causal_of_torch, padded_of_torch = _of_torch(causal), _of_torch(padded)
_TORCHS = {causal: (None, *(causal_of_torch,) * 3), padded: (None, *(padded_of_torch,) * 3),
           convolution: (None, F.conv1d, F.conv2d, F.conv3d),
           transposed: (None, F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)}
# The public functions of a geometry, by rank.
PUBLIC = {padded: (None, *(padded_of_torch,) * 3)}
