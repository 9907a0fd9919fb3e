"""Group norm, instance norm, layer norm and RMS norm with the activation that follows, and the first two also with the addition
before it, as one node of autograd: ck/group_norm.h.

  y = activation((x - mean) / sqrt(variance + epsilon) * weight + bias + residual)

Mean and variance are those of the pixels of one image in one group of channels, or in one channel if `groups` is INSTANCES.
If it is one of OF_ROWS, they are those of the channels of one pixel. The library takes channels-last tensors, or tensors of two
dimensions. PyTorch computes the rest: other tensors, and calls under tracing or torch.compile.

The result of each check is remembered, as in batch_norm.py.
"""
import functools
import math
import operator
import struct
from ctypes import c_double, c_int, c_int64, c_size_t
from typing import NamedTuple

import torch
from torch.autograd import forward_ad
from torch.nn import functional as F

from .._c import interface as c
from .._c.checked import Structure
from .._conv import launch
from .._conv.launch import _stream, allocation, current_device, packed
from .._conv.operators import _transforms, any_autocast, autocast_dtype, is_compiling, nobody_watches
from .shared import (NONE, Signature, before_activation, check_of_all, computed_again, finished, keep, load,
                     type_of_statistics, why_not_added, why_not_rows, with_contiguous_gradient, without_gaps)

ACTIVATIONS = ("none", "relu", "silu", "leaky_relu")  # enum ck_group_norm_activation
ADDS = ("none", "relu", "leaky_relu")  # before which a residual may be added: see adds_before()
INSTANCES = None  # as many groups as channels


class Rows(NamedTuple):
    """Over the channels of each pixel."""
    kind: int  # ck_norm_kind
    dim: int  # of the channels: 1 or -1, where the tensor is contiguous

    def fits(self, parameter, x):
        """Whether the parameter has a value for each channel, and is broadcast along the others."""
        if self.kind == _L2 and self.dim == 1:
            return (parameter.numel() == x.size(1) and x.dim() - 1 <= parameter.dim() <= x.dim() and
                    parameter.size(1 - x.dim()) == x.size(1))
        return parameter.shape == (x.size(self.dim),)


# Bytes of a tensor from which layer norms of the last dimension, which PyTorch computes in one node of C++, have gradients of
# the library: below, the 7 us of CPU time that its Python takes more (2.11) are not made up for.
LEAST_BYTES = 32 << 20
# The same in a call without gradients, of a norm whose parameters have some. On an H200, bf16: 384 channels, 9 MiB: 8.6 us,
# PyTorch 21.6; 96 channels, 0.6 MiB: 4.8 us, PyTorch 3.5. PyTorch is faster again for rows of thousands of channels.
LEAST_BYTES_WITHOUT = 2 << 20
MOST_CHANNELS_WITHOUT = 1024
_LAYER, _RMS, _L2 = 1, 2, 3
# l2: F.normalize() times the root of the number of channels. wide: in float32 if x has 16 bits, then rounded. written: by
# operations whose result may be wider than x.
OF_ROWS = {"layer": Rows(_LAYER, 1), "layer_last": Rows(_LAYER, -1), "layer_written": Rows(_LAYER, 1),
           "rms_last": Rows(_RMS, -1), "rms_written": Rows(_RMS, 1), "l2": Rows(_L2, 1), "l2_last": Rows(_L2, -1),
           "l2_wide": Rows(_L2, 1), "l2_wide_last": Rows(_L2, -1)}
_is_grad_enabled = torch.is_grad_enabled


class CSpec(Structure):
    """ck_group_norm_spec"""
    _fields_ = [("size", c_size_t), ("type", c_int), ("activation", c_int), ("alignment", c_int),
                ("parameters_as_x", c_int), ("images", c_int64), ("pixels", c_int64), ("channels", c_int64),
                ("groups", c_int64), ("epsilon", c_double), ("slope", c_double), ("kind", c_int), ("residual", c_int64)]


class Plan(c.Handle):
    """A ck_group_norm_plan*"""


# A ck_group_norm_tensors: its size, 10 addresses, workspace and stream, the residual and its gradient.
_pack = struct.Struct("N14P").pack
_SIZE = struct.calcsize("N14P")


@functools.lru_cache(maxsize=None)
def library():
    """The library, whose ck_group_norm_forward() and _backward() take a Plan and the result of _pack()."""
    return load("group_norm", CSpec, Plan)


class Norm(Signature):
    """Group norms of tensors with one signature, which nothing observes."""
    __slots__ = "groups", "as_x", "residual", "saves_y", "run_forward", "run_backward"

    def __init__(self, x, groups, parameters, size, epsilon, activation, residual):
        """parameters: the type of weight and bias. size: their shape. residual: whether one is added."""
        library()
        self.residual, self.saves_y = residual, residual and activation[0] != "none"
        self.groups, self.as_x = groups, parameters == x.dtype
        self.run_forward = c.run_packed("ck_group_norm_forward")
        self.run_backward = c.run_packed("ck_group_norm_backward")
        rows = OF_ROWS.get(groups)
        statistics = x.numel() // x.size(rows.dim) if rows else x.size(0) * self._groups_of(x)
        super().__init__(x, epsilon, activation, ACTIVATIONS, CSpec(), Plan, statistics, parameters)
        self.new_parameter = allocation(size, torch.empty(size, device="meta").stride(), parameters, x.device)
        if rows:
            self.channels_last = self.channels_last and rows.dim == 1

    def _groups_of(self, x):
        return x.size(1) if self.groups is INSTANCES else self.groups

    def complete(self, x):
        spec, rows = self.spec, OF_ROWS.get(self.groups)
        spec.parameters_as_x, spec.residual = int(self.as_x), int(self.residual)
        if rows:
            spec.kind, spec.channels = rows.kind, x.size(rows.dim)
            spec.pixels = x.numel() // spec.channels
        else:
            spec.images, spec.channels, spec.groups = x.size(0), x.size(1), self._groups_of(x)
            spec.pixels = x.numel() // (spec.images * spec.channels)
        if self.activation[0] == "leaky_relu":
            spec.slope = self.activation[1]

    def forward(self, x, weight, bias, residual=None, overwrites=False):
        """Returns (y, statistics). overwrites: whether y is x."""
        index = self.index
        if index >= 0 and index != current_device():
            with torch.cuda.device(index):
                return self.forward(x, weight, bias, residual, overwrites)
        y, statistics = x if overwrites else self.new_y(), self.new_statistics()
        at_x, at_y, at_mean = x.data_ptr(), y.data_ptr(), statistics.data_ptr()
        at_residual = 0 if residual is None else residual.data_ptr()
        plan, new_workspace = self.planned_for(at_x | at_y | at_residual)
        memory = new_workspace()
        status = self.run_forward(plan, _pack(
            _SIZE, at_x, 0 if weight is None else weight.data_ptr(), 0 if bias is None else bias.data_ptr(), at_y, at_mean,
            at_mean + self.row_bytes, 0, 0, 0, 0, memory.data_ptr(), _stream(index) if index >= 0 else 0, at_residual, 0))
        if status:
            c.check(status)
        return y, statistics

    def backward(self, x, weight, bias, statistics, y, grad, needs):
        """Returns the gradients of x, weight, bias and residual. y: if saves_y, otherwise None. needs: ctx.needs_input_grad.
        autograd calls it with the tensors' device as the current one."""
        if grad.stride() != self.stride or grad.is_neg():
            grad = packed(grad, self.channels_last)
        index, at_y = self.index, 0 if y is None else y.data_ptr()
        (grad_weight, grad_bias, grad_residual), (at_weight, at_bias, at_residual) = self.new_gradients(y, grad, needs)
        grad_x = self.new_y()
        at_x, at_grad, at_grad_x, at_mean = x.data_ptr(), grad.data_ptr(), grad_x.data_ptr(), statistics.data_ptr()
        plan, new_workspace = self.planned_for(at_x | at_y | at_grad | at_grad_x | at_residual)
        memory = new_workspace()
        status = self.run_backward(plan, _pack(
            _SIZE, at_x, 0 if weight is None else weight.data_ptr(), 0 if bias is None else bias.data_ptr(), at_y, at_mean,
            at_mean + self.row_bytes, at_grad, at_grad_x, at_weight, at_bias, memory.data_ptr(),
            _stream(index) if index >= 0 else 0, 0, at_residual))
        if status:
            c.check(status)
        return grad_x, grad_weight, grad_bias, grad_residual


class GroupNorm(torch.autograd.Function):
    """Group norm, addition and activation. It saves x, but no intermediate tensors."""

    @staticmethod
    def forward(ctx, x, weight, bias, residual, norm):
        y, statistics = norm.forward(x, weight, bias, residual)
        ctx.norm = norm
        ctx.save_for_backward(x, weight, bias, statistics, y if norm.saves_y else None)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, weight, bias, statistics, y = ctx.saved_tensors
        weight, bias, statistics = without_gaps(weight, bias, statistics)
        norm, needs = ctx.norm, ctx.needs_input_grad
        if norm.takes(x, grad) and (y is None or y.stride() == norm.stride):
            return *norm.backward(x, weight, bias, statistics, y, grad, needs), None
        activation = norm.activation
        if y is not None:  # as in batch_norm.py
            grad, activation = before_activation(grad, y, activation), NONE

        def compute(x, weight, bias):
            return in_torch(x, norm.groups, weight, bias, norm.epsilon, activation)
        return *computed_again(compute, (x, weight, bias), grad, needs[:3]), grad if needs[3] else None, None


# As in batch_norm.py: callers here have checked what Function.apply checks.
_apply = super(torch.autograd.Function, GroupNorm).apply
GroupNorm._backward_cls.apply = GroupNorm.backward


def adds_before(activation):
    """Whether a residual may be added before the activation, whose result then tells its derivative."""
    return activation[0] in ADDS and activation[1] >= 0  # a slope


def in_torch(x, groups, weight, bias, epsilon, activation, residual=None, adds_in_place=False):
    """The same with PyTorch's operations."""
    if not is_compiling() and (_transforms() or forward_ad._current_level >= 0):  # which refuse channels last
        x = x.contiguous()
    if groups is INSTANCES:
        y = F.instance_norm(x, weight=weight, bias=bias, eps=epsilon)
        if isinstance(y, torch.Tensor):  # not a proxy of torch.fx
            y = with_contiguous_gradient(y)
    elif groups in OF_ROWS:
        y = _rows_in_torch(x, groups, weight, bias, epsilon)
    else:
        y = F.group_norm(x, groups, weight, bias, epsilon)
    return finished(y, residual, adds_in_place, activation)


def _rows_in_torch(x, norm, weight, bias, epsilon):
    rows = OF_ROWS[norm]
    if norm.endswith("written"):
        d = x - x.mean(1, keepdim=True) if rows.kind == _LAYER else x
        y = (d * torch.rsqrt(d.pow(2).mean(1, keepdim=True) + epsilon)).movedim(1, -1) * weight
        return (y if bias is None else y + bias).movedim(-1, 1)
    if rows.kind == _L2:
        is_wide = "wide" in norm and x.dtype in (torch.float16, torch.bfloat16)
        y = F.normalize(x.float() if is_wide else x, dim=rows.dim, eps=epsilon)
        y = (y.to(x.dtype) if "wide" in norm else y) * math.sqrt(weight.numel()) * weight
        return y if bias is None else y + bias
    if rows.kind == _RMS:
        return F.rms_norm(x, weight.shape, weight, epsilon)
    if rows.dim == -1:
        return F.layer_norm(x, weight.shape, weight, bias, epsilon)
    return F.layer_norm(x.movedim(1, -1), weight.shape, weight, bias, epsilon).movedim(-1, 1)


_norms = {}  # by signature
# By the key of a call: (check of the rest, Norm or None, whether it has a gradient, whether autocast casts, Norm or None in a
# call without gradients).
_recent = {}
_said = set()  # reasons why PyTorch computes some, which were reported
c.holders_of_plans.append(lambda: (_norms.clear(), _recent.clear()))


def overwriting(x, groups, weight, bias, epsilon, activation, residual=None, adds_in_place=False):
    """group_norm() whose result the library writes over x."""
    return group_norm(x, groups, weight, bias, epsilon, activation, residual, adds_in_place, True)


def group_norm(x, groups, weight=None, bias=None, epsilon=1e-5, activation=NONE, residual=None, adds_in_place=False,
               overwrites=False):
    """Applies torch.nn.functional.group_norm(), instance_norm() if groups is INSTANCES, or a norm of OF_ROWS, adds residual
    unless it is None, then applies the activation: ("relu", 0., 0.), ("silu", 0., 0.), ("leaky_relu", slope, whether PyTorch
    computes it in place) or NONE. Norms of OF_ROWS have a weight. Types are the same as PyTorch's, also under torch.autocast.
    adds_in_place: the sum has the norm's type."""
    key = _key(x, groups, weight, bias, epsilon, activation, residual)
    known = _recent.get(key)
    if known is None or forward_ad._current_level >= 0 or not known[0](*_given(x, weight, bias, residual)):
        known = _find(key, x, weight, bias, residual, any_autocast() and not is_compiling())
    _, norm, has_gradient, is_cast, without = known
    has_gradient = has_gradient and _is_grad_enabled()
    if not has_gradient:
        norm = without
    if norm is None:
        return in_torch(x, groups, weight, bias, epsilon, activation, residual, adds_in_place)
    if is_cast:
        x, weight, bias, residual = (as_autocast_has(t, x.device.type, groups) for t in (x, weight, bias, residual))
    if has_gradient:
        return _apply(x, weight, bias, residual, norm)
    return norm.forward(x, weight, bias, residual, overwrites)[0]


def _key(x, groups, weight, bias, epsilon, activation, residual):
    kind = 0 if residual is None else 1 if residual is x else 2
    return x.shape if weight is None else id(weight), bias is None, groups, epsilon, activation, kind


def as_autocast_has(tensor, device_type, groups):
    """The tensor in the type in which torch.autocast computes such norms on this device."""
    if tensor is None or tensor.dtype not in (torch.float16, torch.bfloat16):
        return tensor
    widens = autocast_dtype(device_type) is not None and _widens(device_type, tensor.dtype, groups if groups in OF_ROWS or
                                                                 groups is INSTANCES else 1)
    return tensor.float() if widens else tensor


@functools.lru_cache(maxsize=None)
def _widens(device_type, dtype, groups):
    """Whether torch.autocast, which is enabled, does so."""
    if device_type == "cuda" and groups == 1:  # in PyTorch's list of operations in float32
        return True
    one = torch.ones(1, 1, 2, dtype=dtype, device=device_type)
    weight = torch.ones(2 if groups in OF_ROWS and OF_ROWS[groups].dim == -1 else 1, dtype=dtype, device=device_type)
    try:
        return in_torch(one, groups, weight, None, 1e-5, NONE).dtype != dtype
    except RuntimeError:  # PyTorch has none of this type
        return False


def norm_of(x, groups, weight, bias, epsilon, activation, residual=None):
    """The Norm for such tensors; None if the library does not compute it."""
    key = _key(x, groups, weight, bias, epsilon, activation, residual)
    known = _recent.get(key)
    if known is None or known[3] or not known[0](*_given(x, weight, bias, residual)):
        known = _find(key, x, weight, bias, residual, False)
    return known[1]


def _given(x, weight, bias, residual):
    """The tensors; x once, if it is also the residual."""
    return [t for t in (x, weight, bias, None if residual is x else residual) if t is not None]


_IN_TORCH = None, None, False, False, None


def _find(key, x, weight, bias, residual, is_mixed):
    """The entry of _recent for such a call; makes it if necessary. is_mixed: whether torch.autocast may cast the tensors."""
    tensors = _given(x, weight, bias, residual)
    if len({id(t) for t in tensors}) < len(tensors) or not all(nobody_watches(t, x) for t in tensors) or x.is_meta:
        return _IN_TORCH
    _, _, groups, epsilon, activation, kind = key
    given, is_cast = tensors, False
    if is_mixed:
        tensors = [as_autocast_has(t, x.device.type, groups) for t in given]
        is_cast, x = any(map(operator.is_not, tensors, given)), tensors[0]
    residual, parameters = (None, x, tensors[-1])[kind], tensors[1:-1] if kind == 2 else tensors[1:]
    has_gradient = any(t.requires_grad for t in tensors)
    bytes_of_x = x.numel() * x.element_size()
    is_small = groups == "layer_last" and activation == NONE and has_gradient and bytes_of_x < LEAST_BYTES
    if is_small and (bytes_of_x < LEAST_BYTES_WITHOUT or x.size(-1) > MOST_CHANNELS_WITHOUT):
        why, norm = "", None
    else:
        why, norm = made(x, groups, parameters, epsilon, activation, residual)
    adds_more = residual is not None or activation != NONE  # otherwise PyTorch launches the same kernels as before
    if why and adds_more and why not in _said:
        _said.add(why)
        launch.warn(f"PyTorch computes {_name_of(groups)} norms, in separate launches: {why}")
    known = check_of_all(given), None if is_small else norm, has_gradient, is_cast, norm
    keep(_recent, key, known)
    return known


def made(x, groups, parameters, epsilon, activation, residual=None):
    """Returns (None, the Norm for such tensors), or (why PyTorch computes it, as of _why_in_torch(), None)."""
    why = _why_in_torch(x, groups, parameters, epsilon)
    if why is None and residual is not None:
        why = why_not_added(x, residual)
    if why is not None:
        return why, None
    kind = parameters[0].dtype if parameters else type_of_statistics(x)
    size = parameters[0].shape if parameters else (1,)
    signature = (x.shape, x.stride(), x.dtype, x.device, x.requires_grad, groups, kind, size, activation, epsilon,
                 residual is None)
    try:
        norm = _norms.get(signature)
        if norm is None:
            norm = Norm(x, groups, kind, size, epsilon, activation, residual is not None)
            keep(_norms, signature, norm)
        return None, norm
    except c.Refused as refused:
        return f"the library refuses them: {refused}", None


def _name_of(groups):
    return ("instance" if groups is INSTANCES else "group" if groups not in OF_ROWS else
            "layer" if OF_ROWS[groups].kind == _LAYER else "RMS")


def _why_in_torch(x, groups, parameters, epsilon):
    """None if the library computes it; "" if PyTorch would compute it anyway; otherwise the reason."""
    if groups in OF_ROWS:
        return _why_rows_in_torch(x, groups, parameters)
    channels = x.size(1) if x.dim() > 1 else 0
    if groups is INSTANCES:
        if x.dim() < 3 or x.numel() in (0, x.size(0) * channels):
            return ""
        if epsilon == 0:  # as of batch norms
            return "eps is 0: where a variance is 0, too, PyTorch's result is the bias, but the library's NaN"
        groups = channels
    if (groups < 1 or channels % groups or x.numel() in (0, groups) or any(t.shape != (channels,) for t in parameters)):
        return ""  # PyTorch refuses it, or there is nothing to compute
    why = why_not_rows(x)
    if why is not None:
        return why
    return _why_not_parameters(x, parameters, (type_of_statistics(x), x.dtype))


def _why_rows_in_torch(x, norm, parameters):
    rows = OF_ROWS[norm]
    if x.dim() < 2 or x.numel() == 0 or not all(rows.fits(t, x) for t in parameters) or len({t.shape for t in parameters}) > 1:
        return ""
    if rows.dim == -1 and not x.is_contiguous():
        return "their tensors are not contiguous"
    why = why_not_rows(x.flatten(0, -2) if rows.dim == -1 else x)
    if why is not None:
        return why
    types = (type_of_statistics(x), x.dtype) if norm in ("layer", "layer_last") else (x.dtype,)  # or the result is wider
    return _why_not_parameters(x, parameters, types)


def _why_not_parameters(x, parameters, types):
    for t in parameters:
        if (t.dtype not in types or t.dtype != parameters[0].dtype or t.device != x.device or not t.is_contiguous() or
                t.is_neg()):
            wanted = " or ".join(dict.fromkeys(map(str, types)))
            return (f"for tensors of {x.dtype} on {x.device} the library needs {wanted} weights without gaps, "
                    f"not {t.dtype} on {t.device}")
    return None
