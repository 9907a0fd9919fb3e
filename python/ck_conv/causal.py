"""Convolutions that are causal along their outermost dimension, for sequences that are whole or come chunk by chunk."""
import functools
import reprlib
from typing import NamedTuple

import torch
from torch import Tensor

from ._c.checked import whole
from ._c.geometry import causal, output_size
from ._conv import causal as engine
from ._conv.dispatch import convolve
from ._conv.operators import any_autocast, as_autocast_wants, autocast_dtype, is_compiling, nobody_watches
from ._conv.scriptable import scriptable
from .modules import Conv1d, Conv2d, Conv3d, _tensors

_geometry = functools.lru_cache(maxsize=4096, typed=True)(causal)


class CausalState(NamedTuple):
    """The state that stream() passes from one chunk to the next."""
    frames: Tensor  # the (kernel_size - 1) * dilation frames before the next chunk, (N, C, frames, [H,] [W])
    skip: int = 0  # with a stride: frames of the next chunk before the first that has an output


class _Causal:
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None, *, chunk=None):
        if padding_mode != "zeros":
            raise ValueError(f"padding_mode is {padding_mode!r}, but must be 'zeros': stream() begins with other frames if "
                             "its first state has them")
        if chunk is not None and whole(chunk, "chunk") < 1:
            raise ValueError(f"chunk is {chunk}, but must be at least 1")
        super().__init__(in_channels, out_channels, kernel_size, stride, 0, dilation, groups, bias, padding_mode, device,
                         dtype)
        self.padding = tuple(padding) if isinstance(padding, list) else padding
        self.chunk = 0 if chunk is None else whole(chunk, "chunk")  # 0: the library's default
        g = causal(self._rank, self.weight.shape, *self._arguments())  # raises if they are wrong; to a cache, 2.0 is equal to 2
        self.padding = padding if isinstance(padding, str) else (0, *g.pad_low[1:])  # a tuple, as in torch.nn

    def _arguments(self):
        return self.stride, self.padding, self.dilation, self.groups

    def _g(self, weight):
        return (causal if is_compiling() else _geometry)(self._rank, weight.shape, *self._arguments())

    @property
    def frames(self):
        """The number of earlier frames that an output depends on."""
        return (self.kernel_size[0] - 1) * self.dilation[0]

    def forward(self, input):
        weight, bias = _tensors(self)
        if not self._is_plain(input, weight, bias):
            return convolve(causal, self._rank, input, weight, bias, *self._arguments())
        dtype = _autocast_dtype(input)
        tensors = (as_autocast_wants(t, dtype) for t in (input, weight, bias))
        return engine.whole(*tensors, self._g(weight), self.chunk)

    def _conv_forward(self, input, weight, bias):
        return convolve(causal, self._rank, input, weight, bias, *self._arguments())

    def stream(self, input, state=None):
        """Convolves the next chunk of a sequence. Returns (y, state): the chunk's outputs, and the state for the next chunk.
        The outputs of all chunks have the same bits as those of the module called with the whole sequence.

        Args:
            input: (N, C, frames, [H,] [W]), with any number of frames.
            state: the previous chunk's CausalState, or None for the first chunk, which zeros precede.

        It has no gradients: raises RuntimeError if one is required."""
        weight, bias = _tensors(self)
        self._check(input, weight)
        dtype = _autocast_dtype(input)
        input, weight, bias = (as_autocast_wants(t, dtype) for t in (input, weight, bias))
        frames, skip = (None, 0) if state is None else self._checked(state, input, dtype)
        if _wants_gradients(input, weight, bias, frames):
            raise RuntimeError(f"{type(self).__name__}.stream() has no gradients: call it under torch.no_grad() or "
                               "torch.inference_mode(); a call with the whole sequence has gradients")
        if not self._is_plain(input, weight, bias, frames):
            return self._stream_observed(input, weight, bias, frames, skip)
        y, frames, skip = engine.stream(input, weight, bias, self._g(weight), self.chunk, frames, skip)
        return y, CausalState(frames, skip)

    def _is_plain(self, x, weight, bias, frames=None):
        """Whether these are ordinary tensors in ordinary code that need no gradients."""
        return not (is_compiling() or not isinstance(x, Tensor) or x.dim() != self._rank + 2 or
                    not nobody_watches(x, weight, bias) or (frames is not None and not nobody_watches(frames, weight)) or
                    x.is_meta or weight.is_meta or 0 in x.shape or 0 in weight.shape or _wants_gradients(x, weight, bias))

    def _stream_observed(self, x, weight, bias, frames, skip):
        """stream() with PyTorch's operators around the convolution, for compiled code and the like."""
        g = self._g(weight)
        reach, stride = g.pad_low[0], g.stride[0]
        if frames is None:
            frames = x.new_zeros((*x.shape[:2], reach, *x.shape[3:]))
        joint = torch.cat((frames.to(x.dtype), x), 2)
        count = max(0, -(-(x.size(2) - skip) // stride))
        if count > 0:
            y = convolve(_without_pads_of_time, self._rank, joint[:, :, skip:], weight, bias,
                                        *self._arguments())
        else:
            size = output_size((*x.shape[:2], 1, *x.shape[3:]), weight.shape, g)
            y = x.new_empty((*size[:2], 0, *size[3:]))
        return y, CausalState(joint[:, :, joint.size(2) - reach:].clone(), skip + count * stride - x.size(2))

    def _check(self, x, weight):
        if not isinstance(x, Tensor):
            raise TypeError(f"input is {reprlib.repr(x)}, but must be a torch.Tensor")
        if x.dim() != self._rank + 2:
            raise ValueError(f"input has {x.dim()} dimensions, but stream() needs {self._rank + 2}: N, C, frames"
                             f"{', H, W'[:3 * (self._rank - 1)]}")
        if x.size(1) != weight.size(1) * self.groups:
            raise ValueError(f"the input has {x.size(1)} channels, but must have {weight.size(1) * self.groups}")

    def _checked(self, state, x, dtype):
        """The frames and skip of a state. dtype: autocast's, which x has; None outside of it."""
        if not (isinstance(state, tuple) and len(state) == 2 and isinstance(state[0], Tensor)):
            raise TypeError(f"state is {reprlib.repr(state)}, but must be None or a ck_conv.CausalState")
        frames, skip = state
        frames = as_autocast_wants(frames, dtype)
        size = (*x.shape[:2], self.frames, *x.shape[3:])
        if tuple(frames.shape) != size:
            raise ValueError(f"the frames of the state have size {tuple(frames.shape)}, but must have {size}: the last "
                             f"{self.frames} before this input")
        if frames.dtype != x.dtype or frames.device != x.device:
            raise TypeError(f"the frames of the state are {frames.dtype} on {frames.device}, but the input is {x.dtype} on "
                            f"{x.device}")
        skip = whole(skip, "skip of the state")
        if not 0 <= skip < self.stride[0]:
            raise ValueError(f"skip of the state is {skip}, but must be from 0 to {self.stride[0] - 1}: the stride is "
                             f"{self.stride[0]}")
        return frames, skip

    def __prepare_scriptable__(self):
        """Called by torch.jit.script()."""
        return scriptable(self, type(self) in _OWN, self._g)


def _autocast_dtype(x):
    return None if not any_autocast() or x.is_meta else autocast_dtype(x.device.type)


def _wants_gradients(*tensors):
    return torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in tensors)


def _without_pads_of_time(rank, weight_size, *arguments):
    g = causal(rank, weight_size, *arguments)
    return g._replace(pad_low=(0, *g.pad_low[1:]))


class CausalConv1d(_Causal, Conv1d):
    """A torch.nn.Conv1d that pads only before the input, so that each output depends only on inputs at the same time or earlier.
    chunk: the number of inputs for which stream() chooses a kernel; default 4096."""


class CausalConv2d(_Causal, Conv2d):
    """A torch.nn.Conv2d that is causal along H; `padding` is for W. chunk: the number of rows for which stream() chooses a
    kernel; default 256."""


class CausalConv3d(_Causal, Conv3d):
    """A torch.nn.Conv3d that is causal along D, the frames of a video; `padding` is for H and W. chunk: the number of frames
    for which stream() chooses a kernel; default 16."""


_OWN = {CausalConv1d, CausalConv2d, CausalConv3d}
