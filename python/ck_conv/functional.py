"""conv1d to conv3d and conv_transpose1d to conv_transpose3d with the signatures of torch.nn.functional; causal_conv1d to
causal_conv3d with those of conv1d to conv3d.

Tensors may be float64, float32, float16 or bfloat16. Results of channels-last tensors are channels-last, also in 1D. Equal
calls give equal bits. float32 is multiplied as tf32 on GPUs if torch.backends.cudnn.allow_tf32 is set. Wrong arguments raise a
TypeError or ValueError that names the argument. Refused, a ValueError, says why the library does not compute a convolution.

Also scaled_conv() of eight-bit floats with scales, and its gradients.
"""
from ._c.geometry import causal, convolution, transposed
from ._conv.dispatch import PUBLIC, convolve
from ._conv.scaled import scaled_conv, scaled_conv_input, scaled_conv_weight


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch.nn.functional.conv1d(), computed by the library. input ([N,] C, W), weight (K, C / groups, X), bias (K,). Returns
    ([N,] K, Wo)."""
    return convolve(convolution, 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch.nn.functional.conv2d(), computed by the library. input ([N,] C, H, W), weight (K, C / groups, Y, X), bias (K,).
    Returns ([N,] K, Ho, Wo)."""
    return convolve(convolution, 2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch.nn.functional.conv3d(), computed by the library. input ([N,] C, D, H, W), weight (K, C / groups, Z, Y, X), bias
    (K,). Returns ([N,] K, Do, Ho, Wo)."""
    return convolve(convolution, 3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """torch.nn.functional.conv_transpose1d(), computed by the library. input ([N,] C, W), weight (C, K / groups, X), bias (K,).
    Returns ([N,] K, Wo)."""
    return convolve(transposed, 1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """torch.nn.functional.conv_transpose2d(), computed by the library. input ([N,] C, H, W), weight (C, K / groups, Y, X), bias
    (K,). Returns ([N,] K, Ho, Wo)."""
    return convolve(transposed, 2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """torch.nn.functional.conv_transpose3d(), computed by the library. input ([N,] C, D, H, W), weight (C, K / groups, Z, Y, X),
    bias (K,). Returns ([N,] K, Do, Ho, Wo)."""
    return convolve(transposed, 3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def causal_conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A causal conv1d(), with (X - 1) * dilation zeros before the input and none after it. padding must be 0."""
    return convolve(causal, 1, input, weight, bias, stride, padding, dilation, groups)


def causal_conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A conv2d() that is causal along H, with (Y - 1) * dilation zeros before the first row and none after the last. padding is
    for W."""
    return convolve(causal, 2, input, weight, bias, stride, padding, dilation, groups)


def causal_conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A conv3d() that is causal along D, with (Z - 1) * dilation zeros before the first frame and none after the last. padding
    is for H and W."""
    return convolve(causal, 3, input, weight, bias, stride, padding, dilation, groups)


PUBLIC.update({causal: (None, causal_conv1d, causal_conv2d, causal_conv3d), convolution: (None, conv1d, conv2d, conv3d),
               transposed: (None, conv_transpose1d, conv_transpose2d, conv_transpose3d)})
