"""Causal convolutions without gradients, whole or chunk by chunk, with the same bits: plans of ck_conv_causal_plan_create().

The outermost dimension is time; its elements are frames. The library takes frames that are contiguous; images may be apart,
and so may the channels if they are outside of the frames.
"""
import ctypes
import math

import torch

from .._c import interface as c
from .._c.geometry import output_size
from . import launch

_plans = {}
c.holders_of_plans.append(_plans.clear)


def whole(x, w, bias, g, chunk):
    """The convolution of a sequence from its first frame on. w and bias: tensors like x. chunk: CausalConvSpec::chunk."""
    return _compute(x, w, bias, g, chunk, None, 0, False)[0]


def stream(x, w, bias, g, chunk, frames, skip):
    """The next chunk. frames: those before it, as many as the filter reaches back; None: zeros. skip: frames of the chunk
    before the first that has an output. Returns (outputs, frames for the next chunk, its skip)."""
    return _compute(x, w, bias, g, chunk, frames, skip, True)


def _compute(x, w, bias, g, chunk, frames, skip, continues):
    if x.is_cuda and x.get_device() != launch.current_device():
        with torch.cuda.device(x.get_device()):
            return _compute(x, w, bias, g, chunk, frames, skip, continues)
    launch.check_tensors(x.dtype, w.dtype, x.device, w.device)
    if bias is not None:
        bias = launch.checked_bias(bias, x, w, g)
    channels_last = _is_channels_last(x) or launch.is_channels_last(w) or (
        frames is not None and _is_channels_last(frames))  # a stream keeps its layout
    size = output_size(x.shape, w.shape, g)
    size[2] = max(0, -(-(x.size(2) - skip) // g.stride[0]))
    alignment = _power_of_two(*(math.prod(s[3:]) * (s[1] if channels_last else 1) * x.element_size()
                                for s in (x.shape, size)))  # of frames
    x, w = _readable(x, channels_last, alignment), _aligned(launch.packed(w, channels_last), alignment)
    bias = None if bias is None else _aligned(bias, alignment)
    frames = None if frames is None else launch.packed(frames, channels_last)
    tf32 = x.dtype == torch.float32 and x.is_cuda and launch.allows_tf32()
    key = (g, x.dtype, x.device, channels_last, x.shape, x.stride(), w.shape, bias is None, tf32, alignment, chunk,
           frames is None, skip)
    planned = _plans.get(key)
    if planned is None:
        if len(_plans) >= launch.MOST_PLANS:
            _plans.clear()
        planned = _plans[key] = _plan(x, w, bias, g, channels_last, alignment, tf32, chunk, frames is None, skip, size)
    handle, new_workspace, next_skip = planned
    memory = new_workspace()
    result = launch.empty(size, x, channels_last)
    following = launch.empty((*x.shape[:2], g.pad_low[0], *x.shape[3:]), x, channels_last) if continues else None
    c.check(c.run_packed("ck_conv_causal_run")(handle, c.pack_causal_tensors(
        x.data_ptr(), w.data_ptr(), result.data_ptr(), _address(bias), 0, _address(frames), _address(following),
        _address(memory), launch.stream_of(x))))
    return result, following, next_skip


def _plan(x, w, bias, g, channels_last, alignment, tf32, chunk, first, skip, size):
    """Returns (handle, function that allocates the workspace, skip of the next chunk)."""
    sizes, handle = c.CCausalSizes(), c.CausalHandle()
    spec = launch.spec_of(c.FORWARD, x.shape, w.shape, g._replace(pad_low=(0, *g.pad_low[1:])), channels_last, x.dtype,
                          alignment, tf32, bias is not None)
    packed = _packed_strides(x.shape, channels_last)
    if any(n > 1 and own != other for n, own, other in zip(x.shape, x.stride(), packed)):
        spec.layout = c.STRIDED
        for name, of, channels in (("x_strides", _strides(x, packed), spec.c),
                                   ("w_strides", _packed_strides(w.shape, channels_last), spec.k),
                                   ("y_strides", _packed_strides(size, channels_last), spec.k)):
            setattr(spec, name, (of[0 if name[0] == "w" else 1] * channels, *of))
    causal = c.CCausalOptions(ctypes.sizeof(c.CCausalOptions), int(first), skip, chunk)
    c.check(c.library().ck_conv_causal_plan_create(spec, causal, c.plan_options(c.FORWARD), handle))
    c.check(c.library().ck_conv_causal_plan_sizes(handle, sizes, ctypes.sizeof(sizes)))
    return handle, launch.new_workspace(sizes.workspace_bytes, x.device), sizes.next_skip


def _address(tensor):
    return 0 if tensor is None else tensor.data_ptr()


def _is_channels_last(tensor):
    """The same for a single sample, in 1D, as for the longer tensor of which it is a part."""
    if tensor.dim() == 3 and tensor.size(2) == 1:
        return tensor.stride(1) == 1 and 1 < tensor.size(1) <= tensor.stride(2)
    return launch.is_channels_last(tensor)


def _power_of_two(*numbers):
    """The largest that divides all numbers, at most MOST_ALIGNED."""
    low = launch.MOST_ALIGNED
    for n in numbers:
        low |= n
    return low & -low


def _packed_strides(size, channels_last):
    order = [0, *range(2, len(size)), 1] if channels_last else range(len(size))
    strides, next_stride = [0] * len(size), 1
    for dimension in reversed(order):
        strides[dimension] = next_stride
        next_stride *= size[dimension]
    return strides


def _strides(tensor, packed):
    """With those of a packed tensor where a dimension has one element."""
    return [own if n > 1 else other for n, own, other in zip(tensor.shape, tensor.stride(), packed)]


def _aligned(tensor, alignment):
    return tensor if tensor.data_ptr() % alignment == 0 else tensor.clone()


def _readable(x, channels_last, alignment):
    """x itself if the library can read it; otherwise a packed copy. Strides of one channel or one pixel do not tell the
    layout, so these are copied if they are apart."""
    packed = _packed_strides(x.shape, channels_last)
    apart = () if 1 in (x.size(1), math.prod(x.shape[2:])) else (0,) if channels_last else (0, 1)
    step = alignment // x.element_size() or 1
    fits = not x.is_neg() and x.data_ptr() % alignment == 0 and all(
        n == 1 or (own >= other and own % step == 0 if i in apart else own == other)
        for i, (n, own, other) in enumerate(zip(x.shape, x.stride(), packed)))
    return x if fits else _aligned(launch.packed(x.clone() if x.data_ptr() % alignment else x, channels_last), alignment)
