"""From torch tensors to the library's plans: layout, memory, stream. This module does not handle gradients.

A convolution has three tensors, x, w and y; each direction computes one of them from the other two.
"""
import ctypes
import functools
import os
import sys
import warnings

import torch

from .._c import interface as c
from .._c.geometry import output_size

try:
    from torch._C._dynamo import guards as _guards
except ImportError:  # 1.13
    _guards = None

X, W, Y = range(3)
OPERANDS = {c.FORWARD: (X, W), c.BACKWARD_DATA: (Y, W), c.BACKWARD_WEIGHT: (X, Y)}
RESULT = {c.FORWARD: Y, c.BACKWARD_DATA: X, c.BACKWARD_WEIGHT: W}
TYPES = {torch.float64: c.F64, torch.float32: c.F32, torch.float16: c.F16, torch.bfloat16: c.BF16}
MOST_ALIGNED = 16  # bytes; kernels ask for no more
UNALIGNED = MOST_ALIGNED - 1  # the bits that are 0 in an address of that alignment
MOST_PLANS = 4096  # shapes that keep changing do not fill the memory
FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


def is_channels_last(tensor: torch.Tensor) -> bool:
    """Whether PyTorch treats the strides as torch.channels_last: Tensor::suggest_memory_format(). Strides also decide for
    tensors of one pixel or one channel: weights of 1x1 filters show which layout a network has. PyTorch has no such rule
    for 1D; there, channels must be contiguous."""
    if tensor.dim() < 4:
        return tensor.stride(1) == 1 and tensor.size(1) > 1 and tensor.numel() > tensor.size(0) * tensor.size(1)
    if tensor.numel() == 0 or tensor.stride(1) == 0:
        return False
    least = tensor.stride(1) * tensor.size(1)
    for d in range(tensor.dim() - 1, 1, -1):
        if tensor.stride(d) < least:
            return False
        least = tensor.stride(d) * tensor.size(d)
    return tensor.stride(0) >= least and least != tensor.stride(1)


def packed(tensor, channels_last):
    """The tensor if it is contiguous, otherwise a contiguous copy."""
    if tensor.is_neg():  # memory with the other sign, such as the imaginary part of a conjugate
        tensor = tensor.resolve_neg()
    if not channels_last:
        return tensor.contiguous()
    if tensor.dim() == 3:
        return tensor.transpose(1, 2).contiguous().transpose(1, 2)
    return tensor.contiguous(memory_format=FORMATS[tensor.dim()])


def format_of(tensor, channels_last):
    """The memory format for Tensor.to() that makes the tensor packed; None if it is packed, or in 1D, where there is none."""
    wanted = FORMATS.get(tensor.dim()) if channels_last else torch.contiguous_format
    return None if wanted is None or tensor.is_contiguous(memory_format=wanted) else wanted


def pixel_distance(tensor):
    """The distance of two pixels in elements, if the tensor is a range of the channels of a channels-last tensor, as chunk()
    makes, and its pixels begin at multiples of 16 bytes: kernels read it in place. None for all others."""
    if tensor.dim() not in FORMATS or tensor.is_contiguous(memory_format=FORMATS[tensor.dim()]) or tensor.is_neg():
        return None
    sizes, strides = tensor.shape, tensor.stride()
    distance = expected = strides[-1]
    for dimension in (*range(tensor.dim() - 1, 1, -1), 0):
        if strides[dimension] != expected:
            return None
        expected *= sizes[dimension]
    aligned = distance * tensor.element_size() % MOST_ALIGNED == 0 and tensor.data_ptr() % MOST_ALIGNED == 0
    return distance if strides[1] == 1 and distance >= sizes[1] and aligned else None


def empty(size, like, channels_last):
    """Allocates a result: a contiguous tensor of the other's type and device."""
    if not channels_last:
        return torch.empty(size, dtype=like.dtype, device=like.device)
    if len(size) == 3:
        return torch.empty((size[0], size[2], size[1]), dtype=like.dtype, device=like.device).transpose(1, 2)
    return torch.empty(size, dtype=like.dtype, device=like.device, memory_format=FORMATS[len(size)])


def result_size(direction, first, second, size, g):
    """The size of the result; `size` is the caller's, None in the forward direction."""
    if direction == c.FORWARD:
        return output_size(first, second, g)
    sizes = {X: size, W: second, Y: first} if direction == c.BACKWARD_DATA else {X: first, W: size, Y: second}
    expected = output_size(sizes[X], sizes[W], g)
    if list(sizes[Y]) != expected:
        raise ValueError(f"the gradient has size {tuple(sizes[Y])}, but input {tuple(sizes[X])} and weight "
                         f"{tuple(sizes[W])} make {tuple(expected)}")
    return size


class Ready:
    """Everything needed to repeat a call."""
    __slots__ = "new", "stride", "handle", "workspace", "new_workspace", "adds_bias", "run"

    def __init__(self, size, stride, dtype, device, handle, workspace, adds_bias):
        self.new = allocation(size, stride, dtype, device)  # allocates a result
        self.stride = stride
        self.handle = handle  # None: the sum or the result is empty
        self.workspace = workspace  # bytes
        self.new_workspace = new_workspace(workspace, device)
        self.adds_bias = adds_bias  # after the convolution: no kernel of the library does it
        self.run = c.run_packed()


_ready = {}
planned = None  # a function that receives each ck_conv_spec that is planned


def spec_of(direction, x, w, g, channels_last, dtype, alignment, tf32, bias):
    """Returns the ck_conv_spec of a convolution of contiguous tensors. x, w: sizes."""
    spec = c.new_spec(len(g.stride))
    spec.direction, spec.type = direction, TYPES[dtype]
    if tf32:
        spec.compute = c.TF32
    spec.layout = c.CHANNELS_LAST if channels_last else c.CHANNELS_FIRST
    spec.groups, spec.n = g.groups, x[0]
    spec.c, spec.k = (w[0] // g.groups, w[1]) if g.transposed else (w[1], w[0] // g.groups)
    for field, values in (("input", x[2:]), ("filter", w[2:]), ("strides", g.stride), ("dilations", g.dilation),
                          ("pad_low", g.pad_low), ("pad_high", g.pad_high)):
        setattr(spec, field, values)
    if g.transposed:
        spec.transposed = 1
        spec.output_padding = g.output_padding
    spec.alignment, spec.bias = alignment, int(bias)
    return spec


def _channels_last_strides(size, groups_along, groups, pixel=None):
    """Strides of a spec: those of the group, then those of the tensor's dimensions. groups_along: 0 or 1, the dimension that
    holds the groups. pixel: the distance of two pixels; None if they are packed."""
    strides = [pixel or size[1]]
    for n in size[:2:-1]:
        strides.append(strides[-1] * n)
    outermost = strides[-1] * size[2]
    channels = size[1] // groups if groups_along == 1 else size[0] // groups * outermost
    return channels, outermost, 1, *strides[::-1]


def make_plan(direction, sizes, g, channels_last, dtype, alignment, tf32, bias, epilogue=None, pixel=None, pixel_of_y=None):
    """Returns (handle, bytes of workspace). epilogue: an Epilogue of epilogue.py, or None. pixel, pixel_of_y: the distances
    of two pixels of channels-last x and y; None if they are packed."""
    spec = spec_of(direction, sizes[X], sizes[W], g, channels_last, dtype, alignment, tf32, bias)
    if pixel is not None or pixel_of_y is not None:
        spec.layout = c.STRIDED
        spec.x_strides = _channels_last_strides(sizes[X], 1, g.groups, pixel)
        spec.w_strides = _channels_last_strides(sizes[W], 0, g.groups)
        spec.y_strides = _channels_last_strides(sizes[Y], 1, g.groups, pixel_of_y)
    if epilogue is not None:
        epilogue.fill(spec)
    handle, workspace = c.Handle(), ctypes.c_size_t()
    if planned is not None:
        planned(spec)
    c.check(c.library().ck_conv_plan_create(spec, c.plan_options(direction), handle))
    c.check(c.library().ck_conv_plan_workspace_size(handle, workspace))
    return handle, workspace.value


def check_operands(dtype, dtype2, device, device2):
    if dtype != dtype2 or device != device2:
        raise TypeError(f"one tensor is {dtype} on {device}, but the other is {dtype2} on {device2}")


def check_tensors(dtype, dtype2, device, device2):
    """Raises unless the library supports both operands."""
    check_operands(dtype, dtype2, device, device2)
    if device.type not in ("cpu", "cuda"):
        raise TypeError(f"tensors are on {device}, but must be on a CPU or a GPU")
    if dtype not in TYPES:
        raise TypeError(f"tensors are {dtype}, but must be {', '.join(map(str, TYPES))}" +
                        ("; ck_conv.scaled_conv() takes eight-bit floats" if "float8" in str(dtype) else ""))
    _check_platform(device)


def warn_of_torch(what, refused):
    """Warns, once for each reason, that PyTorch adds what the library's plans refuse."""
    warn(f"PyTorch adds {what} in separate launches, because the library refuses to: {refused}")


_ON_THE_WAY = *(os.path.join(os.path.dirname(file), "") for file in (os.path.dirname(__file__), torch.__file__)), "<ck_conv."


def warn(text):
    """Warns with the location of the caller's code, which may be several levels above PyTorch's modules and fused code."""
    frame, level = sys._getframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_ON_THE_WAY):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, RuntimeWarning, stacklevel=level)


def _prepare(key):
    direction, first, second, size, g, channels_last, dtype, dtype2, device, device2, alignment, tf32, bias = key
    check_tensors(dtype, dtype2, device, device2)
    size = tuple(result_size(direction, first, second, size, g))
    sizes = {RESULT[direction]: size}
    for letter, given in zip(OPERANDS[direction], (first, second)):
        sizes[letter] = given
    handle, workspace, adds_bias = None, 0, bias
    if all(0 not in s for s in sizes.values()):
        plan = (direction, sizes, g, channels_last, dtype, alignment, tf32)
        try:
            handle, workspace = make_plan(*plan, bias)
            adds_bias = False
        except c.Refused as refused:
            if not bias:
                raise
            handle, workspace = make_plan(*plan, False)
            warn_of_torch("a bias", refused)
    if len(_ready) >= MOST_PLANS:
        _ready.clear()
    stride = empty(size, torch.empty(0, dtype=dtype, device="meta"), channels_last).stride()
    _ready[key] = ready = Ready(size, stride, dtype, device, handle, workspace, adds_bias)
    return ready


def allocation(size, stride, dtype, device):
    """A function that allocates such a tensor; on a GPU, on the current one. It takes a third to half of the time of
    torch.empty_strided()."""
    of_inductor = getattr(_guards, f"_empty_strided_{device.type}", None)  # the allocator of torch.compile's code
    if of_inductor is not None:
        return functools.partial(of_inductor, tuple(size), tuple(stride), dtype)
    without_memory = torch.empty_strided(size, stride, dtype=dtype, device=device)
    getattr(without_memory, "untyped_storage", without_memory.storage)().resize_(0)  # 1.13 only has the second
    return functools.partial(torch.empty_like, without_memory)


def allocation_in_channels_last(size, dtype, device):
    """The same for a contiguous tensor in channels last."""
    return allocation(size, empty(size, torch.empty(0, dtype=dtype, device="meta"), True).stride(), dtype, device)


def no_memory():
    return None


def new_workspace(size, device):
    """A function that allocates this number of bytes; for 0, it returns None."""
    return allocation((size,), (1,), torch.uint8, device) if size else no_memory


def _check_platform(device):
    here = "cpu" if device.type == "cpu" else "nvidia" if torch.version.hip is None else "amd"
    built_for = c.platform()
    if here != ("cpu" if built_for == "host" else built_for):
        raise c.Error(f"tensors are on {'the CPU' if here == 'cpu' else 'a GPU of ' + here}, but libck_conv.so was built "
                      f"for {built_for}: set CK_CONV_LIBRARY to the path of another library")


allows_tf32 = torch._C._get_cudnn_allow_tf32  # torch.backends.cudnn.allow_tf32, on by default


def _stream(index):
    return torch.cuda.current_stream(index).cuda_stream


# The same without wrapper objects, if this PyTorch has it.
_stream = getattr(torch._C, "_cuda_getCurrentRawStream", _stream)
_pack_tensors = c.pack_tensors
current_device = getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)


def convolve(direction, first, second, bias, size, g, channels_last):
    """The result, computed on the current stream of the tensors' device.

    first, second: as in OPERANDS. size: of the result, a torch.Size; None in the forward direction. bias: in the forward
    direction, a tensor with one value for each channel, or None.
    """
    if first.is_cuda and first.get_device() != current_device():
        with torch.cuda.device(first.get_device()):
            return convolve(direction, first, second, bias, size, g, channels_last)
    first, second = packed(first, channels_last), packed(second, channels_last)
    at_first, at_second, at_bias = first.data_ptr(), second.data_ptr(), 0
    low = at_first | at_second
    if bias is not None:
        bias = checked_bias(bias, first, second, g)
        at_bias = bias.data_ptr()
        low |= at_bias
    low &= UNALIGNED
    if low and c.is_batch_invariant():  # an image's address in a batch must not choose the kernel
        return convolve(direction, first.clone(), second.clone(), None if bias is None else bias.clone(), size, g,
                        channels_last)
    ready = find(direction, first, second, bias, size, g, channels_last, low & -low or MOST_ALIGNED)
    result = ready.new()
    at = result.data_ptr()
    if direction == c.FORWARD:
        places = at_first, at_second, at, 0 if ready.adds_bias else at_bias
    elif direction == c.BACKWARD_DATA:
        places = at, at_second, at_first, 0
    else:
        places = at_first, at, at_second, 0
    if ready.handle is None:
        result.zero_()
    else:
        run(ready, *places, ready.new_workspace(), stream_of(first))
    if ready.adds_bias:
        add_bias(result, bias)
    return result


def find(direction, first, second, bias, size, g, channels_last, alignment):
    """The Ready for contiguous tensors whose addresses are multiples of `alignment` bytes, at most MOST_ALIGNED."""
    tf32 = first.dtype == torch.float32 and first.is_cuda and allows_tf32()
    key = (direction, first.shape, second.shape, size, g, channels_last, first.dtype, second.dtype, first.device,
           second.device, alignment, tf32, bias is not None)
    ready = _ready.get(key)
    return _prepare(key) if ready is None else ready


def stream_of(tensor):
    """The current stream of the tensor's device; 0 on a CPU."""
    return _stream(tensor.get_device()) if tensor.is_cuda else 0


def run(ready, at_x, at_w, at_y, at_bias, memory, stream, at_residual=0):
    """Runs a plan. Addresses are 0 for missing tensors. memory: the workspace or None."""
    at_memory = 0 if memory is None else memory.data_ptr()
    status = ready.run(ready.handle, _pack_tensors(at_x, at_w, at_y, at_bias, at_residual, at_memory, stream))
    if status:
        c.check(status)


def add_bias(result, bias):
    result.add_(bias.view(-1, *(1,) * (result.dim() - 2)))


def check_bias(bias, x, w, g):
    channels = w.size(1) * g.groups if g.transposed else w.size(0)
    if bias.shape != (channels,):
        raise ValueError(f"the bias has size {tuple(bias.shape)}, but the result has {channels} channels")
    if bias.dtype != x.dtype or bias.device != x.device:
        raise TypeError(f"the bias is {bias.dtype} on {bias.device}, but the input is {x.dtype} on {x.device}")


def checked_bias(bias, x, w, g):
    check_bias(bias, x, w, g)
    return packed(bias, False)
