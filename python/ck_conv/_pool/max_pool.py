"""Max pooling of channels-last images and volumes, as torch.nn.functional.max_pool2d() and max_pool3d(): ck/max_pool.h.

PyTorch's kernels for this layout are slow, and write an index of eight bytes for each result, also in inference. The library
writes a byte, and only for gradients. PyTorch computes all other tensors, and calls under tracing and torch.compile.
"""
import ctypes
import functools
import struct
from ctypes import c_int, c_int64, c_size_t

import torch
from torch import nn
from torch.autograd import forward_ad
from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function

from .._c import interface as c
from .._c.checked import Structure, array
from .._c.geometry import is_plain
from .._conv import launch
from .._conv.launch import (MOST_ALIGNED, UNALIGNED, _stream, allocation_in_channels_last, current_device, is_channels_last,
                            packed)
from .._conv.operators import is_compiling, nobody_watches
from .._norm.shared import is_rows, keep, load

MOST_TAPS = 256  # of a window with a gradient
_Lengths = array(c_int64, 3)
_is_grad_enabled = torch.is_grad_enabled


class CSpec(Structure):
    """ck_max_pool_spec"""
    _fields_ = [("size", c_size_t), ("type", c_int), ("alignment", c_int), ("images", c_int64), ("channels", c_int64),
                ("input", _Lengths), ("window", _Lengths), ("strides", _Lengths), ("pads", _Lengths), ("dilations", _Lengths),
                ("output", _Lengths)]


class Plan(c.Handle):
    """A ck_max_pool_plan*"""


# A ck_max_pool_tensors: its size, five addresses and the stream.
_pack = struct.Struct("N6P").pack
_SIZE = struct.calcsize("N6P")


@functools.lru_cache(maxsize=None)
def library():
    """The library, whose ck_max_pool_forward() and _backward() take a Plan and the result of _pack()."""
    return load("max_pool", CSpec, Plan)


def _lengths(arguments, rank):
    """(window, strides, pads, dilations), each a tuple of `rank` integers; None if PyTorch refuses them. The arguments are
    plain."""
    window, stride, padding, dilation = arguments
    found = []
    for value in (window, window if stride is None or stride == () else stride, padding, dilation):
        value = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        value = value * rank if len(value) == 1 else value
        if len(value) != rank:
            return None
        found.append(value)
    window, strides, pads, dilations = found
    if min(window) < 1 or min(strides) < 1 or min(dilations) < 1 or any(not 0 <= 2 * p <= w for p, w in zip(pads, window)):
        return None
    return found


def _output_length(n, window, stride, pad, dilation, ceil_mode):
    """As in PyTorch: the last window begins in the input or in the padding before it."""
    over = n + 2 * pad - (window - 1) * dilation - 1
    length = (over + (stride - 1 if ceil_mode else 0)) // stride + 1
    return length - 1 if ceil_mode and (length - 1) * stride >= n + pad else length


class Pool:
    """Max pooling of tensors with one signature, which nothing observes."""

    def __init__(self, x, window, strides, pads, dilations, output):
        self.window, self.strides, self.pads, self.dilations, self.input, self.output = (
            window, strides, pads, dilations, x.shape[2:], output)
        rank = len(output)
        library()
        self.spec = CSpec()
        c.check(Plan.init(self.spec, ctypes.sizeof(CSpec)))
        self.spec.type, self.spec.images, self.spec.channels = launch.TYPES[x.dtype], x.size(0), x.size(1)
        for name, lengths, missing in (("input", self.input, 1), ("window", self.window, 1), ("strides", self.strides, 1),
                                       ("pads", self.pads, 0), ("dilations", self.dilations, 1), ("output", self.output, 1)):
            setattr(self.spec, name, [*(missing,) * (3 - rank), *lengths])
        self.index, self.size = x.get_device(), x.shape
        size = *x.shape[:2], *output
        self.new_y = allocation_in_channels_last(size, x.dtype, x.device)
        self.new_taps = allocation_in_channels_last(size, torch.uint8, x.device)
        self.new_x = allocation_in_channels_last(x.shape, x.dtype, x.device)
        self.run_forward, self.run_backward = c.run_packed("ck_max_pool_forward"), c.run_packed("ck_max_pool_backward")
        self.planned = {}  # by the alignment of the tensors, in bytes
        self.aligned = self._plan(MOST_ALIGNED)

    def _plan(self, alignment):
        if alignment not in self.planned:
            spec, plan = CSpec.from_buffer_copy(self.spec), Plan()
            spec.alignment = alignment  # of a copy: threads share self.spec
            c.check(Plan.create(spec, plan))
            self.planned[alignment] = plan
        return self.planned[alignment]

    def _plan_for(self, places):
        low = places & UNALIGNED
        return self._plan(low & -low) if low else self.aligned

    def forward(self, x, with_taps):
        """Returns (y, taps); taps are None unless with_taps."""
        index = self.index
        if index >= 0 and index != current_device():
            with torch.cuda.device(index):
                return self.forward(x, with_taps)
        y, taps = self.new_y(), self.new_taps() if with_taps else None
        at_x, at_y = x.data_ptr(), y.data_ptr()
        c.check(self.run_forward(self._plan_for(at_x | at_y), _pack(
            _SIZE, at_x, at_y, taps.data_ptr() if with_taps else 0, 0, 0, _stream(index) if index >= 0 else 0)))
        return y, taps

    def backward(self, taps, grad):
        """Returns the gradient of x. autograd calls it with the tensors' device as the current one."""
        if _is_grad_enabled() or not nobody_watches(grad, taps):
            return self.backward_in_torch(taps, grad)
        grad, taps = packed(grad, True), packed(taps, True)
        grad_x, index = self.new_x(), self.index
        at_grad, at_grad_x = grad.data_ptr(), grad_x.data_ptr()
        c.check(self.run_backward(self._plan_for(at_grad | at_grad_x), _pack(
            _SIZE, 0, 0, taps.data_ptr(), at_grad, at_grad_x, _stream(index) if index >= 0 else 0)))
        return grad_x

    def backward_in_torch(self, taps, grad):
        """The same with PyTorch's operations, which are differentiable themselves."""
        rest, pixel = taps.to(torch.int64), None
        places = []
        for d in reversed(range(len(self.window))):  # the last dimension counts fastest
            first = torch.arange(self.output[d], device=taps.device) * self.strides[d] - self.pads[d]
            of_window = first.view(-1, *(1,) * (len(self.window) - 1 - d))
            places.insert(0, of_window + rest % self.window[d] * self.dilations[d])
            rest = rest // self.window[d]
        for place, length in zip(places, self.input):
            pixel = place if pixel is None else pixel * length + place
        flat = grad.new_zeros((*self.size[:2], self.input.numel()))
        return flat.scatter_add(2, pixel.flatten(2), grad.flatten(2)).view(self.size)


class _MaxPool(torch.autograd.Function):
    """Keeps the taps, but not x."""

    @staticmethod
    def forward(ctx, x, pool):
        y, taps = pool.forward(x, True)
        ctx.save_for_backward(taps)
        ctx.pool = pool
        return y

    @staticmethod
    def backward(ctx, grad):
        return ctx.pool.backward(ctx.saved_tensors[0], grad), None


# Function.apply checks for functorch's transforms before it calls this; callers here have checked. See also _conv/layer.py.
_apply = super(torch.autograd.Function, _MaxPool).apply
_MaxPool._backward_cls.apply = _MaxPool.backward
_pools = {}  # by signature: (a Pool, or None where PyTorch computes; the arguments)
c.holders_of_plans.append(_pools.clear)


def _pool_of(rank, x, arguments):
    """The Pool of such a call; None if PyTorch computes it."""
    if (type(x) is not torch.Tensor or x.dim() != rank + 2 or x.dtype not in launch.TYPES or is_compiling() or
            forward_ad._current_level >= 0 or not nobody_watches(x, x) or x.is_meta):
        return None
    try:
        key = x.shape, x.stride(), x.dtype, x.device, x.is_neg(), arguments
        known = _pools.get(key)
    except TypeError:  # lists and arrays, which are not hashable
        if not any(isinstance(a, list) for a in arguments):
            return None
        return _pool_of(rank, x, tuple(tuple(a) if isinstance(a, list) else a for a in arguments))
    if known is not None:
        pool, before = known
        for a, b in zip(before, arguments):
            if a is not b and not is_plain(b):
                return None
        return pool
    if type(arguments[-1]) is not bool or not all(a is None or is_plain(a) for a in arguments[:-1]):
        return None  # PyTorch says what is wrong, or computes it
    pool = None
    if x.device.type in ("cpu", "cuda") and x.numel() > 0 and is_rows(x) and is_channels_last(x):
        launch.check_tensors(x.dtype, x.dtype, x.device, x.device)  # whether the library computes on this device
        *lengths, ceil_mode = arguments
        lengths = _lengths(lengths, rank)
        output = () if lengths is None else [_output_length(*d, ceil_mode) for d in zip(x.shape[2:], *lengths)]
        if lengths is not None and min(output) > 0:
            try:
                pool = Pool(x, *lengths, output)
            except c.Refused:  # a window has no pixel, or numbers are larger than the library's
                pool = None
    keep(_pools, key, (pool, arguments))
    return pool


def _max_pool(rank, in_torch, x, *arguments):
    if has_torch_function((x,)) and not issubclass(type(x), torch.Tensor):  # a proxy of torch.fx
        function = _FUNCTIONS[in_torch]
        return handle_torch_function(function, (x,), x, *arguments)
    pool = _pool_of(rank, x, arguments)
    if pool is None:
        return in_torch(x, *arguments)
    if x.requires_grad and _is_grad_enabled():
        if pool.spec.window[0] * pool.spec.window[1] * pool.spec.window[2] > MOST_TAPS:
            return in_torch(x, *arguments)
        return _apply(x, pool)
    return pool.forward(x, False)[0]


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """torch.nn.functional.max_pool2d() without indices."""
    return _max_pool(2, F.max_pool2d, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """torch.nn.functional.max_pool3d() without indices."""
    return _max_pool(3, F.max_pool3d, input, kernel_size, stride, padding, dilation, ceil_mode)


class _Module:
    def forward(self, input):
        if self.return_indices:
            return super().forward(input)
        return self.function(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)


class MaxPool2d(_Module, nn.MaxPool2d):
    """nn.MaxPool2d, computed by max_pool2d()."""
    function = staticmethod(max_pool2d)


class MaxPool3d(_Module, nn.MaxPool3d):
    """nn.MaxPool3d, computed by max_pool3d()."""
    function = staticmethod(max_pool3d)


_MODULES = {nn.MaxPool2d: MaxPool2d, nn.MaxPool3d: MaxPool3d}
_FUNCTIONS = {torch.max_pool2d: max_pool2d, F.max_pool2d: max_pool2d, torch.max_pool3d: max_pool3d, F.max_pool3d: max_pool3d}


def take_modules(model):
    """Makes the library compute the max poolings that are modules."""
    for module in model.modules():
        if type(module) in _MODULES and "forward" not in module.__dict__:
            module.__class__ = _MODULES[type(module)]


def give_calls(graph):
    """Undoes take_calls(), so that others find PyTorch's functions."""
    for node in graph.nodes:
        if node.op == "call_function" and node.target in (max_pool2d, max_pool3d):
            node.target = F.max_pool2d if node.target is max_pool2d else F.max_pool3d


def take_calls(graph):
    """The same for the calls of functions in a graph of torch.fx. Returns whether there is one."""
    taken = False
    for node in graph.nodes:
        returns_indices = len(node.args) > 6 or node.kwargs.get("return_indices")
        if node.op == "call_function" and node.target in _FUNCTIONS and not returns_indices:
            node.kwargs = {name: value for name, value in node.kwargs.items() if name != "return_indices"}
            node.target = _FUNCTIONS[node.target]
            taken = True
    return taken
