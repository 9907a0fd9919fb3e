"""conv1d to conv3d and conv_transpose1d to conv_transpose3d with the signatures of torch.nn.functional.

Tensors of float64, float32, float16 and bfloat16. Results of channels-last tensors are channels-last, in 1D, too. The
same call gives the same bits. float32 on GPUs is multiplied as tf32 where torch.backends.cudnn.allow_tf32 is set.
"""
from . import _geometry as geometry
from ._launch import is_channels_last
from ._library import FORWARD
from ._operators import any_autocast, as_autocast_wants, autocast_dtype, call, is_compiling


def _make(function, rank, *arguments):
    """From the function's cache; torch.compile, which traces what it calls, warns of caches."""
    if is_compiling():
        return function.__wrapped__(rank, *arguments)
    try:
        return function(rank, *arguments)
    except TypeError:  # lists, which no cache takes
        return function(rank, *(tuple(a) if isinstance(a, list) else a for a in arguments))


def _convolution(rank, input, weight, bias, g):
    if any_autocast():
        dtype = autocast_dtype(input.device.type)
        input, weight, bias = (as_autocast_wants(t, dtype) for t in (input, weight, bias))
    unbatched = input.dim() == rank + 1
    if unbatched:
        input = input.unsqueeze(0)
    if input.dim() != rank + 2 or weight.dim() != rank + 2:
        geometry.output_size(input.shape, weight.shape, g)  # says what is wrong
    channels_last = is_channels_last(input) or is_channels_last(weight)
    output = call(FORWARD, input, weight, bias, None, g, channels_last)
    return output.squeeze(0) if unbatched else output


def _conv(rank, input, weight, bias, stride, padding, dilation, groups):
    lengths = tuple(weight.shape[2:]) if padding == "same" else None
    g = _make(geometry.convolution, rank, lengths, stride, padding, dilation, groups)
    return _convolution(rank, input, weight, bias, g)


def _conv_transpose(rank, input, weight, bias, stride, padding, output_padding, groups, dilation):
    g = _make(geometry.transposed, rank, stride, padding, output_padding, groups, dilation)
    return _convolution(rank, input, weight, bias, g)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """input ([N,] C, W), weight (K, C / groups, X), bias (K,); the result ([N,] K, Wo)."""
    return _conv(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """input ([N,] C, H, W), weight (K, C / groups, Y, X), bias (K,); the result ([N,] K, Ho, Wo)."""
    return _conv(2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """input ([N,] C, D, H, W), weight (K, C / groups, Z, Y, X), bias (K,); the result ([N,] K, Do, Ho, Wo)."""
    return _conv(3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """input ([N,] C, W), weight (C, K / groups, X), bias (K,); the result ([N,] K, Wo)."""
    return _conv_transpose(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """input ([N,] C, H, W), weight (C, K / groups, Y, X), bias (K,); the result ([N,] K, Ho, Wo)."""
    return _conv_transpose(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """input ([N,] C, D, H, W), weight (C, K / groups, Z, Y, X), bias (K,); the result ([N,] K, Do, Ho, Wo)."""
    return _conv_transpose(3, input, weight, bias, stride, padding, output_padding, groups, dilation)
