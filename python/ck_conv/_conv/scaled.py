"""Convolutions of eight-bit floats with scales, and their gradients. docs/python.md explains them."""
import ctypes
import functools

import torch

from .._c import interface as c
from .._c.checked import flag, listed, real, whole
from .._c.geometry import convolution
from .._c.words import ACTIVATIONS, RESIDUALS
from .launch import (MOST_ALIGNED, OPERANDS, RESULT, UNALIGNED, W, X, Y, _check_platform, empty, is_channels_last,
                     new_workspace, packed, result_size, spec_of, stream_of)

# PyTorch has them since 2.1.
FLOAT8 = {getattr(torch, name): kind for name, kind in (("float8_e4m3fn", c.F8_OCP), ("float8_e5m2", c.BF8_OCP))
          if hasattr(torch, name)}
RESULTS = {torch.float16: c.F16, torch.bfloat16: c.BF16, torch.float32: c.F32}
_NAMES = {X: "input", W: "weight", Y: "grad_output"}
_FIELDS = {X: "x", W: "w", Y: "y"}
_LEAST_ALIGNED = 4  # bytes: a plan has one alignment for all tensors, scales of float32 included


# torch.compile calls these functions as they are.
_as_it_is = getattr(getattr(torch, "compiler", None), "disable", lambda function: function)


def _words(values):
    return ", ".join(str(value) for value in values)


def _check_operand(tensor, name, device):
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name} is {tensor!r}, but must be a torch.Tensor")
    if not FLOAT8:
        raise TypeError(f"{name} cannot have eight-bit floats: PyTorch {torch.__version__} has no such type; 2.1 and newer do")
    if tensor.dtype not in FLOAT8:
        raise TypeError(f"{name} is {tensor.dtype}, but must be {_words(FLOAT8)}")
    if tensor.device != device:
        raise TypeError(f"{name} is on {tensor.device}, but another operand is on {device}")
    _check_memory(tensor, name)


def _check_memory(tensor, name):
    """Raises for sparse tensors, fake ones, and those of torch.func's transforms."""
    try:
        has_memory = tensor.device.type == "meta" or tensor.numel() == 0 or tensor.data_ptr() != 0
    except RuntimeError:
        has_memory = False
    if not has_memory or tensor.layout is not torch.strided:
        raise TypeError(f"{name} has no memory with strides: it is sparse, fake, or of a transform of torch.func")


def _size(value, name):
    return torch.Size(whole(n, f"a length of {name}") for n in listed(value, name))


def _check_beside(tensor, name, dtypes, sizes, device):
    """Raises unless a tensor that a plan reads beside its operands is as it should be."""
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name} is {tensor!r}, but must be a torch.Tensor")
    if tensor.dtype not in dtypes:
        raise TypeError(f"{name} is {tensor.dtype}, but must be {_words(dtypes)}")
    if tensor.device != device:
        raise TypeError(f"{name} is on {tensor.device}, but the operands are on {device}")
    _check_memory(tensor, name)
    if tuple(tensor.shape) not in sizes:
        raise ValueError(f"{name} has size {tuple(tensor.shape)}, but must have {' or '.join(map(str, sizes))}")
    if tensor.requires_grad and torch.is_grad_enabled():
        raise ValueError(f"{name} requires a gradient, which convolutions of eight-bit floats do not have: detach it, or use "
                         "torch.no_grad()")


_ACTIVATIONS = [name for name in ACTIVATIONS if name not in ("clamp", "leaky_relu")]  # those without numbers


def _activation(activation):
    """The word of C for an activation, and the limits of a clamp."""
    if isinstance(activation, (tuple, list)) and len(activation) == 2:
        return "clamp", tuple(real(limit, "a limit of the activation") for limit in activation)
    if activation not in _ACTIVATIONS:
        raise ValueError(f"activation is {activation!r}, but must be {', '.join(map(repr, _ACTIVATIONS))} or a pair of limits")
    return activation, (0., 0.)


@functools.lru_cache(maxsize=4096)
def _plan(direction, sizes, types, g, channels_last, alignment, scales, channel_scale, bias, residual, activation, amax,
          device, options):
    """(handle, a function that allocates the workspace). sizes, types: of x, w and y. options: what plan_options() says,
    and the device, for which the plan is made."""
    spec = spec_of(direction, sizes[X], sizes[W], g, channels_last, types[RESULT[direction]], alignment, False, bias)
    for letter in OPERANDS[direction]:
        setattr(spec, _FIELDS[letter] + "_type", FLOAT8[types[letter]])
    spec.quantized, spec.tensor_scales, spec.channel_scale, spec.amax = 1, int(scales), int(channel_scale), int(amax)
    if residual is not None:
        spec.residual, spec.residual_type = RESIDUALS["before_activation"], RESULTS[residual]
    word, (spec.clamp_least, spec.clamp_most) = activation
    spec.activation = ACTIVATIONS[word]
    handle, workspace = c.Handle(), ctypes.c_size_t()
    c.check(c.library().ck_conv_plan_create(spec, c.plan_options(direction), handle))
    c.check(c.library().ck_conv_plan_workspace_size(handle, workspace))
    return handle, new_workspace(workspace.value, device)


def _run(direction, operands, scales, size, arguments, out_dtype, bias=None, residual=None, activation=None, amax=False):
    """operands: {X, W or Y: tensor}; scales: likewise; size: of the result, None in the forward direction; arguments:
    stride, padding, dilation, groups."""
    first, second = (operands[letter] for letter in OPERANDS[direction])
    for letter in OPERANDS[direction]:
        _check_operand(operands[letter], _NAMES[letter], getattr(first, "device", None))
    device = first.device
    if device.type not in ("cpu", "cuda"):
        raise TypeError(f"tensors are on {device}, but must be on a CPU or a GPU")
    _check_platform(device)
    if out_dtype not in RESULTS:
        raise TypeError(f"out_dtype is {out_dtype!r}, but must be one of {_words(RESULTS)}")
    if first.is_cuda and first.get_device() != torch.cuda.current_device():
        with torch.cuda.device(first.get_device()):
            return _run(direction, operands, scales, size, arguments, out_dtype, bias, residual, activation, amax)
    rank = first.dim() - 2
    if not 1 <= rank <= 3:
        raise ValueError(f"{_NAMES[OPERANDS[direction][0]]} has {first.dim()} dimensions, but must have 3, 4 or 5: it needs "
                         "those of images and channels")
    w_size = size if direction == c.BACKWARD_WEIGHT else operands[W].shape
    g = convolution(rank, w_size, *arguments)
    size = tuple(result_size(direction, first.shape, second.shape, size, g))
    sizes = [None] * 3
    sizes[RESULT[direction]] = size
    types = [out_dtype] * 3
    for letter, tensor in operands.items():
        sizes[letter], types[letter] = tuple(tensor.shape), tensor.dtype
    channels = size[0] if direction == c.BACKWARD_WEIGHT else size[1]
    one = (), (1,)
    for letter, scale in scales.items():
        of_channels = ((channels,),) if letter == W and direction == c.FORWARD else ()
        _check_beside(scale, _NAMES[letter] + "_scale", [torch.float32], [*one, *of_channels], device)
    channel_scale = direction == c.FORWARD and scales[W].numel() > 1
    if bias is not None:
        _check_beside(bias, "bias", [torch.float32], [(channels,)], device)
    if residual is not None:
        _check_beside(residual, "residual", RESULTS, [size], device)
    activation, amax = _activation(activation), flag(amax, "amax")
    channels_last = any(is_channels_last(tensor) for tensor in (first, second))
    result = empty(size, torch.empty(0, dtype=out_dtype, device=device), channels_last)
    largest = torch.zeros((), dtype=torch.float32, device=device) if amax else None
    if result.numel() > 0:
        least = MOST_ALIGNED if c.is_batch_invariant() else _LEAST_ALIGNED  # as launch.convolve()

        def aligned(tensor):
            return tensor if tensor.data_ptr() % least == 0 else tensor.clone()

        in_memory = {letter: aligned(packed(tensor, channels_last)) for letter, tensor in operands.items()}
        in_memory[RESULT[direction]] = result
        beside = {}
        if bias is not None:
            beside["bias"] = aligned(bias.contiguous())
        if residual is not None:
            beside["residual"] = aligned(packed(residual, channels_last))
        for letter, scale in scales.items():
            of_channels = channel_scale and letter == W
            beside["scale" if of_channels else _FIELDS[letter] + "_scale"] = aligned(scale.contiguous())
        if amax:
            beside["amax"] = largest
        addresses = [tensor.data_ptr() for tensor in (*in_memory.values(), *beside.values())]
        low = functools.reduce(int.__or__, addresses) & UNALIGNED
        options = c.workspace_limit(), c.is_batch_invariant()
        handle, new = _plan(direction, tuple(sizes), tuple(types), g, channels_last, low & -low or MOST_ALIGNED, True,
                            channel_scale, bias is not None, None if residual is None else residual.dtype, activation, amax,
                            device, options)
        memory = new()
        tensors = c.CTensors(stream=stream_of(first), workspace=0 if memory is None else memory.data_ptr(),
                             **{_FIELDS[letter]: tensor.data_ptr() for letter, tensor in in_memory.items()},
                             **{name: tensor.data_ptr() for name, tensor in beside.items()})
        c.check(c.library().ck_conv_run(handle, tensors))
    return (result, largest) if amax else result


@_as_it_is
def scaled_conv(input, weight, input_scale, weight_scale, bias=None, stride=1, padding=0, dilation=1, groups=1, *,
                out_dtype=torch.bfloat16, residual=None, activation=None, amax=False):
    """Convolves eight-bit floats with scales: activation(input_scale * weight_scale * convolution + bias + residual). It has no
    autograd formula; scaled_conv_input() and scaled_conv_weight() compute its gradients.

    Args:
        input: (N, C, [D,] [H,] W), torch.float8_e4m3fn or float8_e5m2.
        weight: (K, C / groups, [Z,] [Y,] X), torch.float8_e4m3fn or float8_e5m2.
        input_scale: a float32 tensor of one element, on the same device.
        weight_scale: the same, or one of K elements.
        bias: (K,), float32.
        out_dtype: float16, bfloat16 or float32.
        residual: of the result's size, float16, bfloat16 or float32.
        activation: None, "relu", "silu", "gelu", "hard_swish", "hard_sigmoid", "sigmoid", or a pair of limits to clamp to.
        amax: whether to return (result, amax), where amax is a float32 tensor of size (): the largest magnitude in the result
            before it is rounded.

    Returns a tensor (N, K, [Do,] [Ho,] Wo) of out_dtype. Raises TypeError or ValueError for a wrong argument, and Refused, a
    ValueError, if the library does not compute the convolution."""
    return _run(c.FORWARD, {X: input, W: weight}, {X: input_scale, W: weight_scale}, None,
                (stride, padding, dilation, groups), out_dtype, bias, residual, activation, amax)


@_as_it_is
def scaled_conv_input(input_size, weight, grad_output, weight_scale, grad_output_scale, stride=1, padding=0, dilation=1,
                      groups=1, *, out_dtype=torch.bfloat16, amax=False):
    """Returns the gradient of scaled_conv()'s input, as torch.nn.grad.conv2d_input() does. weight and grad_output are
    torch.float8_e4m3fn or float8_e5m2; their scales are float32 tensors of one element. out_dtype and amax: as in
    scaled_conv()."""
    return _run(c.BACKWARD_DATA, {W: weight, Y: grad_output}, {W: weight_scale, Y: grad_output_scale},
                _size(input_size, "input_size"), (stride, padding, dilation, groups), out_dtype, amax=amax)


@_as_it_is
def scaled_conv_weight(input, weight_size, grad_output, input_scale, grad_output_scale, stride=1, padding=0, dilation=1,
                       groups=1, *, out_dtype=torch.float32, amax=False):
    """Returns the gradient of scaled_conv()'s weight, as torch.nn.grad.conv2d_weight() does. input and grad_output are
    torch.float8_e4m3fn or float8_e5m2; their scales are float32 tensors of one element. out_dtype and amax: as in
    scaled_conv()."""
    return _run(c.BACKWARD_WEIGHT, {X: input, Y: grad_output}, {X: input_scale, Y: grad_output_scale},
                _size(weight_size, "weight_size"), (stride, padding, dilation, groups), out_dtype, amax=amax)
