"""Replicate, reflect and circular padding of channels-last images and volumes, in inference.

PyTorch's kernels for these modes return channels-first tensors, which the next convolution then copies: in the decoder of
Mochi's video autoencoder, half of the time. Here each pixel of the result is one row of a gather, whose indices are kept.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function

from .._conv.launch import is_channels_last
from .._conv.operators import is_compiling, nobody_watches
from .._norm.shared import is_rows

MODES = "replicate", "reflect", "circular"
LEAST_BYTES = 16  # of a pixel: fewer are not loaded at once
BYTES_OF_INDEX, MOST_BYTES = 8, 256 << 20  # of the indices that are kept; PyTorch computes further pads
_indices = {}  # by sizes, pads, mode and device; never freed: captured CUDA graphs have their addresses


def _along(length, low, high, mode, device):
    """The pixels of one dimension that the result has; None if PyTorch refuses them."""
    most = {"replicate": max(low, high), "reflect": length - 1, "circular": length}[mode]
    if low < 0 or high < 0 or max(low, high) > most or length == 0:
        return None
    i = torch.arange(-low, length + high, device=device)
    if mode == "replicate":
        return i.clamp(0, length - 1)
    if mode == "circular":
        return i % length
    return length - 1 - (length - 1 - i.abs()).abs()


def _rows(size, pads, mode, device):
    """The rows of the input, [images * pixels][channels], that the result has."""
    key = tuple(size), pads, mode, device
    if key not in _indices:
        if device.type == "cuda" and torch.cuda.is_current_stream_capturing():
            return None  # a graph's memory is valid only while it runs
        n, _, *lengths = size
        results = [length + pads[2 * d] + pads[2 * d + 1] for d, length in enumerate(reversed(lengths))]
        if BYTES_OF_INDEX * (n * math.prod(results) + sum(map(torch.numel, _indices.values()))) > MOST_BYTES:
            return None
        rows = torch.arange(n, device=device)
        for d, length in enumerate(lengths):
            at = 2 * (len(lengths) - 1 - d)
            along = _along(length, pads[at], pads[at + 1], mode, device)
            if along is None:
                return None
            rows = rows.unsqueeze(-1) * length + along
        if device.type == "cuda":
            torch.cuda.current_stream(device).synchronize()  # other streams may use them
        _indices[key] = rows
    return _indices[key]


def pad(input, pad, mode="constant", value=None):
    """torch.nn.functional.pad(), whose result is channels last if the input is."""
    if has_torch_function((input,)) and not issubclass(type(input), torch.Tensor):  # a proxy of torch.fx
        return handle_torch_function(_OURS, (input,), input, pad, mode, value)
    rows = None
    if (mode in MODES and type(input) is torch.Tensor and input.dim() in (4, 5) and not is_compiling() and
            nobody_watches(input, input) and not input.is_meta and not (input.requires_grad and torch.is_grad_enabled()) and
            isinstance(pad, (tuple, list)) and len(pad) == 2 * (input.dim() - 2) and all(type(n) is int for n in pad) and
            input.numel() > 0 and is_rows(input) and is_channels_last(input) and
            input.size(1) * input.element_size() >= LEAST_BYTES):
        rows = _rows(input.shape, tuple(pad), mode, input.device)
    if rows is None:
        return F.pad(input, pad, mode, value)
    in_order = input.movedim(1, -1)
    found = in_order.reshape(-1, input.size(1)).index_select(0, rows.flatten())
    return found.view(*rows.shape, input.size(1)).movedim(-1, 1)


_OURS = pad


class _Module:
    def forward(self, input):
        return _OURS(input, tuple(self.padding), self.mode)


def _class(base, mode):
    return type(base.__name__, (_Module, base), {"__module__": __name__, "__doc__": f"{base.__name__}, computed by pad()",
                                                 "mode": mode})


ReplicationPad2d, ReplicationPad3d = _class(nn.ReplicationPad2d, "replicate"), _class(nn.ReplicationPad3d, "replicate")
ReflectionPad2d = _class(nn.ReflectionPad2d, "reflect")
_MODULES = {nn.ReplicationPad2d: ReplicationPad2d, nn.ReplicationPad3d: ReplicationPad3d, nn.ReflectionPad2d: ReflectionPad2d}


def take_modules(model):
    """Makes pad() compute the modules that pad."""
    for module in model.modules():
        if type(module) in _MODULES and "forward" not in module.__dict__:
            module.__class__ = _MODULES[type(module)]


def give_calls(graph):
    """Undoes take_calls(), so that others find PyTorch's function."""
    _exchange(graph, _OURS, F.pad)


def take_calls(graph):
    """Makes pad() compute the calls of torch.nn.functional.pad() in a graph of torch.fx that are not of constants. Returns
    whether there is one."""
    return _exchange(graph, F.pad, _OURS)


def _exchange(graph, before, after):
    exchanged = False
    for node in graph.nodes:
        if node.op == "call_function" and node.target is before and (
                node.args[2] if len(node.args) > 2 else node.kwargs.get("mode")) in MODES:
            node.target = after
            exchanged = True
    return exchanged
