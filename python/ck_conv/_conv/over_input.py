"""Convolutions that write their result over their input, in inference, so that a large image needs no memory for both.

It is for one channels-last image, and results of the same height and width with at most half of the channels. Bands of rows
are convolved from top to bottom. A row of the result takes at most half of the bytes of a row of the input, so each band fits
where all rows above the next one's have been read. Only the first band has memory of its own, for a moment.
"""
import torch

from .._c import interface as c
from .._c.geometry import each, output_size
from . import launch
from .epilogue import plan_of
from .operators import any_autocast, nobody_watches

# Bytes of an input from which it is overwritten. Each of six launches leaves multiprocessors idle at its end: below, they are
# a larger part of the time, and there is little memory to save.
LEAST_BYTES = 256 << 20
_PART_OF_FIRST = 32  # the first band has this part of the rows, and those that the filter reaches before


def can_overwrite(conv):
    """Whether a torch.nn.Conv2d makes results of the input's height and width, with at most half of its channels."""
    if conv.padding_mode != "zeros" or conv.stride != (1, 1) or 2 * conv.out_channels > conv.in_channels:
        return False
    reach = [(k - 1) * d for k, d in zip(conv.kernel_size, conv.dilation)]
    return conv.padding == "same" or [2 * pad for pad in each(conv.padding, 2, "padding", 0)] == reach


def bands(rows, low, channels, of_result):
    """Yields (first row, row after the last) of each band. low: how many rows before its own a row reads. channels, of_result:
    of the input and of the result, which begins where the input does. Where a band is written, neither it nor a later one
    reads; the first is copied there after it has been read."""
    first, end = 0, max(-(-rows // _PART_OF_FIRST), 1) + 2 * low
    while end < rows:
        yield first, end
        first, end = end, (end - low) * channels // of_result
    yield first, rows


def _band(x, g, first, end):
    """The rows of x that a band reads, and its geometry."""
    (low, *lows), (high, *highs), rows = g.pad_low, g.pad_high, x.size(2)
    read = x[:, :, max(first - low, 0):min(end + high, rows)]
    return read, g._replace(pad_low=(max(low - first, 0), *lows), pad_high=(max(end + high - rows, 0), *highs))


def convolve(x, w, bias, e, make_geometry, arguments):
    """The result, in the memory of x; None if nothing was computed, because it must be another tensor."""
    size = x.shape
    if (any_autocast() or x.dim() != 4 or size[0] != 1 or x.numel() * x.element_size() < LEAST_BYTES or
            not launch.is_channels_last(x) or not x.is_contiguous(memory_format=torch.channels_last) or c.is_batch_invariant() or
            not nobody_watches(x, w, bias) or (x.is_cuda and x.get_device() != launch.current_device())):
        return None
    g = make_geometry(2, w.shape, *arguments)
    channels, of_result = size[1], w.size(0)
    if output_size(size, w.shape, g) != [1, of_result, *size[2:]] or 2 * of_result > channels:
        return None
    w, bias = launch.packed(w, True), None if bias is None else launch.checked_bias(bias, x, w, g)
    y = x.as_strided((1, of_result, *size[2:]), (of_result * size[2] * size[3], 1, of_result * size[3], of_result))
    steps = []
    for first, end in bands(size[2], g.pad_low[0], channels, of_result):
        read, own = _band(x, g, first, end)
        result = y[:, :, first:end]
        at = [0 if t is None else t.data_ptr() for t in (read, w, result, bias)]
        low = (at[0] | at[1] | at[2] | at[3]) & launch.UNALIGNED
        ready = plan_of(read, w, bias, e, own, True, low & -low or launch.MOST_ALIGNED)
        if ready is None:
            return None
        steps.append((ready, result, at))
    stream = launch.stream_of(x)
    (ready, result, at), *others = steps
    first = ready.new()
    launch.run(ready, at[0], at[1], first.data_ptr(), at[3], ready.new_workspace(), stream)
    result.copy_(first)
    del first  # before workspaces
    for ready, _, at in others:
        launch.run(ready, *at, ready.new_workspace(), stream)
    return y
