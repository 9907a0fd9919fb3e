"""From torch tensors to the library's plans: layout, memory, stream. Nothing here knows of gradients.

A convolution has three tensors, x, w and y; each direction computes one of them from the other two.
"""
import ctypes
from dataclasses import dataclass, field
from typing import Optional

import torch

from . import _library as c
from ._geometry import output_size

X, W, Y = range(3)
OPERANDS = {c.FORWARD: (X, W), c.BACKWARD_DATA: (Y, W), c.BACKWARD_WEIGHT: (X, Y)}
RESULT = {c.FORWARD: Y, c.BACKWARD_DATA: X, c.BACKWARD_WEIGHT: W}
TYPES = {torch.float64: c.F64, torch.float32: c.F32, torch.float16: c.F16, torch.bfloat16: c.BF16}
MOST_PLANS = 4096  # shapes that vary without end do not fill the memory
_FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


def is_channels_last(tensor):
    """Whether channels are neighbours in memory, as in a tensor of torch.channels_last; of 1D, too."""
    return tensor.stride(1) == 1 and tensor.size(1) > 1 and tensor.numel() > tensor.size(0) * tensor.size(1)


def packed(tensor, channels_last):
    """The tensor, or a copy, without gaps."""
    if not channels_last:
        return tensor.contiguous()
    if tensor.dim() == 3:
        return tensor.transpose(1, 2).contiguous().transpose(1, 2)
    return tensor.contiguous(memory_format=_FORMATS[tensor.dim()])


def empty(size, like, channels_last):
    """A result: a tensor without gaps, of the other's type and device."""
    if not channels_last:
        return torch.empty(size, dtype=like.dtype, device=like.device)
    if len(size) == 3:
        return torch.empty((size[0], size[2], size[1]), dtype=like.dtype, device=like.device).transpose(1, 2)
    return torch.empty(size, dtype=like.dtype, device=like.device, memory_format=_FORMATS[len(size)])


def result_size(direction, first, second, size, g):
    """Of the result; `size` is what the caller says of it, None in the forward direction."""
    if direction == c.FORWARD:
        return output_size(first, second, g)
    sizes = {X: size, W: second, Y: first} if direction == c.BACKWARD_DATA else {X: first, W: size, Y: second}
    expected = output_size(sizes[X], sizes[W], g)
    if list(sizes[Y]) != expected:
        raise ValueError(f"the gradient has size {tuple(sizes[Y])}, but input {tuple(sizes[X])} and weight "
                         f"{tuple(sizes[W])} make {tuple(expected)}")
    return size


@dataclass
class Ready:
    """What is looked up for a call that has been made before."""
    size: tuple  # of the result
    stride: tuple
    handle: Optional[c.Handle]  # None: the sum is empty, or the result
    workspace: int
    adds_bias: bool  # afterwards: no kernel of the library does it
    run: object
    # of the forward direction: Ready of both gradients, by what may differ from call to call
    gradients: dict = field(default_factory=dict)


_ready = {}


def _make_plan(direction, sizes, g, channels_last, dtype, alignment, tf32, bias):
    spec = c.CSpec()
    c.check(c.library().ck_conv_spec_init(spec, ctypes.sizeof(spec), len(g.stride)))
    x, w = sizes[X], sizes[W]
    spec.direction, spec.type = direction, TYPES[dtype]
    if tf32:
        spec.compute = c.TF32
    spec.layout = c.CHANNELS_LAST if channels_last else c.CHANNELS_FIRST
    spec.groups, spec.n = g.groups, x[0]
    spec.c, spec.k = (w[0] // g.groups, w[1]) if g.transposed else (w[1], w[0] // g.groups)
    for field, values in (("input", x[2:]), ("filter", w[2:]), ("strides", g.stride), ("dilations", g.dilation),
                          ("pad_low", g.pad_low), ("pad_high", g.pad_high)):
        getattr(spec, field)[:len(values)] = values
    if g.transposed:
        spec.transposed = 1
        spec.output_padding[:len(g.stride)] = g.output_padding
    spec.alignment, spec.bias = alignment, int(bias)
    handle, workspace = c.Handle(), ctypes.c_size_t()
    c.check(c.library().ck_conv_plan_create(spec, None, handle))
    c.check(c.library().ck_conv_plan_workspace_size(handle, workspace))
    return handle, workspace.value


def _prepare(key):
    direction, first, second, size, g, channels_last, dtype, dtype2, device, device2, alignment, tf32, bias = key
    if dtype != dtype2 or device != device2:
        raise TypeError(f"one tensor is {dtype} on {device}, the other {dtype2} on {device2}")
    if device.type not in ("cpu", "cuda"):
        raise TypeError(f"tensors on {device} are not convolved, only on CPUs and GPUs")
    if dtype not in TYPES:
        raise TypeError(f"tensors of {dtype} are not convolved; there are {', '.join(map(str, TYPES))}")
    _check_platform(device)
    size = tuple(result_size(direction, first, second, size, g))
    sizes = {RESULT[direction]: size}
    for slot, given in zip(OPERANDS[direction], (first, second)):
        sizes[slot] = given
    handle, workspace, adds_bias = None, 0, bias
    if all(0 not in s for s in sizes.values()):
        plan = (direction, sizes, g, channels_last, dtype, alignment or 16, tf32)
        try:
            handle, workspace = _make_plan(*plan, bias)
            adds_bias = False
        except c.Refused:
            if not bias:
                raise
            handle, workspace = _make_plan(*plan, False)
    if len(_ready) >= MOST_PLANS:
        _ready.clear()
    stride = empty(size, torch.empty(0, dtype=dtype, device="meta"), channels_last).stride()
    _ready[key] = ready = Ready(size, stride, handle, workspace, adds_bias, c.library().ck_conv_run)
    return ready


def _check_platform(device):
    here = "cpu" if device.type == "cpu" else "nvidia" if torch.version.hip is None else "amd"
    built_for = c.platform()
    if here != ("cpu" if built_for == "host" else built_for):
        raise c.Error(f"tensors on {'the CPU' if here == 'cpu' else 'a GPU of ' + here}, but libck_conv.so was built "
                      f"for {built_for}; CK_CONV_LIBRARY names another library")


def _multiplies_tf32(tensor):
    """torch's switch for convolutions on GPUs, which is on by default."""
    return tensor.dtype == torch.float32 and tensor.is_cuda and torch.backends.cudnn.allow_tf32


def _stream_of(index):
    return torch.cuda.current_stream(index).cuda_stream


# The same without the objects around it, where this PyTorch has it.
_stream_of = getattr(torch._C, "_cuda_getCurrentRawStream", _stream_of)
_current_device = getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)


def convolve(direction, first, second, bias, size, g, channels_last):
    """The result, computed on the current stream of the tensors' device.

    first, second: as in OPERANDS. size: of the result, a torch.Size; None in the forward direction. bias: forward, a
    tensor of a value for each channel, or None.
    """
    return convolve_ready(direction, first, second, bias, size, g, channels_last)[0]


def convolve_ready(direction, first, second, bias, size, g, channels_last):
    """The same, and what was looked up for it."""
    if first.is_cuda and first.get_device() != _current_device():
        with torch.cuda.device(first.get_device()):
            return _convolve(direction, first, second, bias, size, g, channels_last)
    return _convolve(direction, first, second, bias, size, g, channels_last)


def _convolve(direction, first, second, bias, size, g, channels_last):
    first, second = packed(first, channels_last), packed(second, channels_last)
    at_first, at_second, at_bias = first.data_ptr(), second.data_ptr(), None
    low = at_first | at_second
    if bias is not None:
        bias = _checked_bias(bias, first, second, g)
        at_bias = bias.data_ptr()
        low |= at_bias
    low &= 15
    key = (direction, first.shape, second.shape, size, g, channels_last, first.dtype, second.dtype, first.device,
           second.device, low & -low, _multiplies_tf32(first), bias is not None)
    ready = _ready.get(key)
    if ready is None:
        ready = _prepare(key)
    result = first.new_empty_strided(ready.size, ready.stride)
    if ready.handle is None:
        result.zero_()
    else:
        memory, workspace = _workspace(ready.workspace, first)
        if ready.adds_bias:
            at_bias = None
        at = result.data_ptr()
        if direction == c.FORWARD:
            places = at_first, at_second, at, at_bias
        elif direction == c.BACKWARD_DATA:
            places = at, at_second, at_first, None
        else:
            places = at_first, at, at_second, None
        _run(ready, places, workspace, first)
    if ready.adds_bias:
        result.add_(bias.view(-1, *(1,) * (first.dim() - 2)))
    return result, ready


def _workspace(size, like):
    """Memory of so many bytes and its address; None if there are none."""
    if size == 0:
        return None, None
    memory = like.new_empty(-(-size // like.element_size()))
    return memory, memory.data_ptr()


def _run(ready, places, workspace, like):
    """places: the addresses of x, w, y and the bias."""
    stream = _stream_of(like.get_device()) if like.is_cuda else None
    status = ready.run(ready.handle, c.CTensors(*places, None, workspace, stream))
    if status:
        c.check(status)


def gradients(ready, x, w, grad, g, channels_last, wants_x, wants_w):
    """Both gradients of a forward convolution for which `ready` was looked up, None where one is not wanted. They share
    a look-up and a workspace: in a training loop the time of these lines is what a small layer takes.
    """
    x, w, grad = packed(x, channels_last), packed(w, channels_last), packed(grad, channels_last)
    if x.is_cuda and x.get_device() != _current_device():
        with torch.cuda.device(x.get_device()):
            return gradients(ready, x, w, grad, g, channels_last, wants_x, wants_w)
    at_x, at_w, at_y = x.data_ptr(), w.data_ptr(), grad.data_ptr()
    low = (at_x | at_w | at_y) & 15
    key = (low & -low, grad.dtype, wants_x, wants_w, _multiplies_tf32(x))
    both = ready.gradients.get(key)
    if both is None:
        both = ready.gradients[key] = _prepare_gradients(x, w, grad, g, channels_last, *key)
    of_x, of_w, size = both
    memory, workspace = _workspace(size, x)
    grad_x = grad_w = None
    if of_x is not None:
        grad_x = torch.empty_like(x)  # half the time of a tensor of given strides; x has none but these
        _run_or_zero(of_x, grad_x, (grad_x.data_ptr(), at_w, at_y, None), workspace)
    if of_w is not None:
        grad_w = torch.empty_like(w)
        _run_or_zero(of_w, grad_w, (at_x, grad_w.data_ptr(), at_y, None), workspace)
    return grad_x, grad_w


def _run_or_zero(ready, result, places, workspace):
    if ready.handle is None:
        result.zero_()
    else:
        _run(ready, places, workspace, result)


def _prepare_gradients(x, w, grad, g, channels_last, alignment, _, wants_x, wants_w, tf32):
    """(Ready of x's gradient, of w's, bytes of the larger workspace)"""
    def prepare(direction, first, second, size):
        return _prepare((direction, first.shape, second.shape, size, g, channels_last, first.dtype, second.dtype,
                         first.device, second.device, alignment, tf32, False))

    of_x = prepare(c.BACKWARD_DATA, grad, w, x.shape) if wants_x else None
    of_w = prepare(c.BACKWARD_WEIGHT, x, grad, w.shape) if wants_w else None
    return of_x, of_w, max(r.workspace for r in (of_x, of_w) if r is not None)


def _checked_bias(bias, x, w, g):
    channels = w.size(1) * g.groups if g.transposed else w.size(0)
    if bias.shape != (channels,):
        raise ValueError(f"the bias has size {tuple(bias.shape)}, but the result {channels} channels")
    if bias.dtype != x.dtype or bias.device != x.device:
        raise TypeError(f"the bias is {bias.dtype} on {bias.device}, the input {x.dtype} on {x.device}")
    return bias.contiguous()
