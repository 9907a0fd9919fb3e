"""Concatenations of channels in place, in inference: convolutions write their results into ranges of the channels of one
channels-last tensor, which is then the result of torch.cat(parts, 1). What nothing writes there is copied.

_fuse/find_concatenations.py puts calls of these functions into a graph: started() before the first part, finished() in the place
of torch.cat(). A part that is not in its place is a tensor of its own: then it is copied, or torch.cat() is called.
"""
import functools

import torch
from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function

from . import launch
from .operators import any_autocast


_allocation = functools.lru_cache(maxsize=launch.MOST_PLANS)(launch.allocation_in_channels_last)


class Concatenation:
    """The result of a concatenation, and ranges of its channels. unit: divides `channels` and the first channel of each range
    that is written in place."""
    __slots__ = "channels", "unit", "whole"

    def __init__(self, channels, unit):
        self.channels, self.unit, self.whole = channels, unit, None

    def part(self, start, channels, size, like):
        """The `channels` from `start` for a result of this size, of the other tensor's type and device. None if it cannot be
        there: each pixel of each range must begin at a multiple of 16 bytes, or kernels are slower."""
        whole = self.whole
        if size[1] != channels:  # the weight was replaced
            return None
        if whole is None:
            if len(size) not in launch.FORMATS or self.unit * like.element_size() % launch.MOST_ALIGNED:
                return None
            whole = self.whole = _allocation((size[0], self.channels, *size[2:]), like.dtype, like.device)()
        elif not self.is_of(size, like):
            return None
        return whole.narrow(1, start, channels)

    def is_of(self, size, like):
        """Whether a range of channels can have this size, type and device."""
        whole = self.whole
        return (whole.shape[0] == size[0] and whole.shape[2:] == tuple(size[2:]) and whole.dtype == like.dtype and
                whole.device == like.device)


def started(in_place, channels, unit):
    """The Concatenation, or None if parts are tensors of their own. in_place: the result of InPlace."""
    if type(in_place) is not bool:  # pickle traces the graph's text again
        return handle_torch_function(started, (in_place,), in_place, channels, unit)
    return Concatenation(channels, unit) if in_place else None


def finished(concatenation, parts):
    """torch.cat(parts, 1)"""
    if has_torch_function(parts):
        return handle_torch_function(finished, parts, concatenation, parts)
    copies, end = _copies(concatenation, parts)
    if copies is None or len(copies) == len(parts) or end != concatenation.channels:
        return torch.cat(parts, 1)
    for part, start in copies:
        concatenation.whole.narrow(1, start, part.shape[1]).copy_(part)
    return concatenation.whole


def _copies(concatenation, parts):
    """Returns (pairs of a part that must be copied and its first channel, the number of channels of all parts); (None, 0) if this
    is not their concatenation, or if a part cannot be copied."""
    whole, copies, start = None if concatenation is None else concatenation.whole, [], 0
    if whole is None:
        return None, 0
    at, strides, element = whole.data_ptr(), whole.stride(), whole.element_size()
    for part in parts:
        size = part.shape
        if not concatenation.is_of(size, part):
            return None, 0
        if part.data_ptr() != at + start * element or part.stride() != strides:
            if not launch.is_channels_last(part):
                return None, 0
            copies.append((part, start))
        start += size[1]
    return copies, start


def copied(x, concatenation, start, channels):
    """A copy of x in a range of channels; x itself if it cannot be there."""
    if has_torch_function((x,)):
        return handle_torch_function(copied, (x,), x, concatenation, start, channels)
    if concatenation is None or any_autocast() or not launch.is_channels_last(x):
        return x
    place = concatenation.part(start, channels, x.shape, x)
    return x if place is None else place.copy_(x)


def first_channels(concatenation, parts):
    """torch.cat(parts, 1): if all parts are in place, the first channels of the whole tensor."""
    if has_torch_function(parts):
        return handle_torch_function(first_channels, parts, concatenation, parts)
    copies, end = _copies(concatenation, parts)
    return concatenation.whole.narrow(1, 0, end) if copies == [] else torch.cat(parts, 1)


def doubled(x, concatenation, start, channels):
    """Nearest-neighbour interpolation by 2, into a range of channels."""
    if has_torch_function((x,)):
        return handle_torch_function(doubled, (x,), x, concatenation, start, channels)
    place = None
    if concatenation is not None and not any_autocast() and launch.is_channels_last(x):
        place = concatenation.part(start, channels, (*x.shape[:2], *(2 * n for n in x.shape[2:])), x)
    if place is None:
        return F.interpolate(x, scale_factor=2., mode="nearest")
    each, once = place, x
    for d in range(3, 2 * x.dim() - 2, 2):  # (N, C, H, 2, W, 2)
        each, once = each.unflatten(d - 1, (-1, 2)), once.unsqueeze(d)
    each.copy_(once)
    return place
