"""Batch norm with the addition and the activation that follow it, as one node of autograd: ck/batch_norm.h.

  y = activation((x - mean) / sqrt(variance + epsilon) * weight + bias + residual)

The library takes rows of channels: channels-last tensors, or tensors of two dimensions. It computes forward, backward, and
forward with running statistics. PyTorch computes the rest: other tensors, gradients with running statistics, and calls
under tracing or torch.compile, whose code then fuses batch norm with its neighbours.

The result of each check is remembered, as in _conv/layer.py: in a loop, these lines are the cost of a small batch norm.
"""
import functools
import struct
from ctypes import c_double, c_int, c_int64, c_size_t

import torch
from torch.autograd import forward_ad
from torch.nn import functional as F

from .._c import interface as c
from .._c.checked import Structure
from .._conv import launch
from .._conv.launch import _stream, current_device, packed, pixel_distance
from .._conv.operators import _transforms, is_compiling, nobody_watches
from .shared import (NONE, Signature, activated, before_activation, check_of_all, computed_again, finished, keep, load,
                     type_of_statistics, why_not_added, why_not_rows, without_gaps)

ACTIVATIONS = ("none", "relu", "silu", "clamp", "hard_swish")  # enum ck_batch_norm_activation
ADDS = ("none", "relu", "clamp")  # activations before which a residual may be added
_is_grad_enabled = torch.is_grad_enabled


class CSpec(Structure):
    """ck_batch_norm_spec"""
    _fields_ = [("size", c_size_t), ("type", c_int), ("activation", c_int), ("residual", c_int), ("alignment", c_int),
                ("rows", c_int64), ("channels", c_int64), ("least", c_double), ("most", c_double), ("epsilon", c_double),
                ("x_stride", c_int64)]


class Plan(c.Handle):
    """A ck_batch_norm_plan*"""


# A ck_batch_norm_tensors: its size, 14 addresses, the momentum, workspace and stream.
_pack = struct.Struct("N14Pd2P").pack
_SIZE = struct.calcsize("N14Pd2P")


@functools.lru_cache(maxsize=None)
def library():
    """The library, whose ck_batch_norm_forward(), _backward() and _inference() take a Plan and the result of _pack()."""
    return load("batch_norm", CSpec, Plan)


class Norm(Signature):
    """Batch norms of tensors with one signature, which nothing observes."""
    __slots__ = "residual", "saves_y", "run_forward", "run_backward", "run_inference"

    def __init__(self, x, residual, epsilon, activation):
        library()
        self.residual = residual is not None
        self.saves_y = self.residual and activation[0] != "none"
        self.run_forward = c.run_packed("ck_batch_norm_forward")
        self.run_backward = c.run_packed("ck_batch_norm_backward")
        self.run_inference = c.run_packed("ck_batch_norm_inference")
        super().__init__(x, epsilon, activation, ACTIVATIONS, CSpec(), Plan, x.size(1), type_of_statistics(x))

    def complete(self, x):
        spec, channels = self.spec, x.size(1)
        spec.residual, spec.rows, spec.channels = int(self.residual), x.numel() // channels, channels
        _, spec.least, spec.most = self.activation
        distance = pixel_distance(x)
        if distance is not None:  # in inference; y is channels last
            spec.x_stride, self.new_y = distance, launch.allocation_in_channels_last(x.shape, x.dtype, x.device)

    def forward(self, x, weight, bias, residual, running_mean, running_var, momentum):
        """Returns (y, statistics). Running statistics are given as addresses, 0 if there are none."""
        index = self.index
        if index >= 0 and index != current_device():
            with torch.cuda.device(index):
                return self.forward(x, weight, bias, residual, running_mean, running_var, momentum)
        y, statistics = self.new_y(), self.new_statistics()
        at_x, at_y, at_mean = x.data_ptr(), y.data_ptr(), statistics.data_ptr()
        at_residual = 0 if residual is None else residual.data_ptr()
        plan, new_workspace = self.planned_for(at_x | at_y | at_residual)
        memory = new_workspace()
        status = self.run_forward(plan, _pack(
            _SIZE, at_x, at_residual, 0 if weight is None else weight.data_ptr(), 0 if bias is None else bias.data_ptr(),
            at_y, at_mean, at_mean + self.row_bytes, running_mean, running_var, 0, 0, 0, 0, 0, momentum,
            0 if memory is None else memory.data_ptr(), _stream(index) if index >= 0 else 0))
        if status:
            c.check(status)
        return y, statistics

    def inference(self, x, weight, bias, residual, running_mean, running_var):
        """Returns y, using the running statistics at these addresses."""
        index = self.index
        if index >= 0 and index != current_device():
            with torch.cuda.device(index):
                return self.inference(x, weight, bias, residual, running_mean, running_var)
        y = self.new_y()
        at_x, at_y, at_residual = x.data_ptr(), y.data_ptr(), 0 if residual is None else residual.data_ptr()
        plan, _ = self.planned_for(at_x | at_y | at_residual)
        status = self.run_inference(plan, _pack(
            _SIZE, at_x, at_residual, 0 if weight is None else weight.data_ptr(), 0 if bias is None else bias.data_ptr(),
            at_y, 0, 0, running_mean, running_var, 0, 0, 0, 0, 0, 0., 0, _stream(index) if index >= 0 else 0))
        if status:
            c.check(status)
        return y

    def backward(self, x, weight, bias, statistics, y, grad, needs):
        """Returns the gradients of x, weight, bias and residual. needs: ctx.needs_input_grad. autograd calls it with the
        tensors' device as the current one."""
        if grad.stride() != self.stride or grad.is_neg():
            grad = packed(grad, self.channels_last)
        index, at_y = self.index, 0 if y is None else y.data_ptr()
        (grad_weight, grad_bias, grad_residual), (at_weight, at_bias, at_residual) = self.new_gradients(y, grad, needs)
        grad_x = self.new_y()
        at_x, at_grad, at_grad_x, at_mean = x.data_ptr(), grad.data_ptr(), grad_x.data_ptr(), statistics.data_ptr()
        plan, new_workspace = self.planned_for(at_x | at_y | at_grad | at_grad_x | at_residual)
        memory = new_workspace()
        status = self.run_backward(plan, _pack(
            _SIZE, at_x, 0, 0 if weight is None else weight.data_ptr(), 0 if bias is None else bias.data_ptr(), at_y,
            at_mean, at_mean + self.row_bytes, 0, 0, at_grad, at_grad_x, at_residual, at_weight, at_bias, 0.,
            0 if memory is None else memory.data_ptr(), _stream(index) if index >= 0 else 0))
        if status:
            c.check(status)
        return grad_x, grad_weight, grad_bias, grad_residual


class BatchNorm(torch.autograd.Function):
    """Batch norm with the batch's statistics, addition and activation. It saves x, but no intermediate tensors."""

    @staticmethod
    def forward(ctx, x, weight, bias, residual, norm, running_mean, running_var, momentum):
        y, statistics = norm.forward(x, weight, bias, residual, running_mean, running_var, momentum)
        ctx.norm = norm
        ctx.save_for_backward(x, weight, bias, statistics, y if norm.saves_y else None)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, weight, bias, statistics, y = ctx.saved_tensors
        weight, bias, statistics = without_gaps(weight, bias, statistics)
        norm, needs = ctx.norm, ctx.needs_input_grad
        if norm.takes(x, grad) and (y is None or y.stride() == norm.stride):
            return *norm.backward(x, weight, bias, statistics, y, grad, needs), None, None, None, None
        return *_in_torch_again(norm, x, weight, bias, y, grad, needs), None, None, None, None


# Function.apply checks for functorch's transforms before it calls this; callers here have checked. See also _conv/layer.py.
_apply = super(torch.autograd.Function, BatchNorm).apply
BatchNorm._backward_cls.apply = BatchNorm.backward


def _in_torch_again(norm, x, weight, bias, y, grad, needs):
    """The gradients with PyTorch's operations, which are differentiable themselves: for create_graph=True."""
    activation = norm.activation
    if y is not None:  # the input of the activation is not saved, but its derivative, 0 or 1, follows from y
        grad, activation = before_activation(grad, y, activation), NONE
    def compute(x, weight, bias):
        return activated(F.batch_norm(x, None, None, weight, bias, True, 0., norm.epsilon), activation)
    return *computed_again(compute, (x, weight, bias), grad, needs[:3]), grad if needs[3] else None


def in_torch(x, weight, bias, running_mean, running_var, by_batch, momentum, epsilon, activation, residual, adds_in_place):
    """The same with PyTorch's operations."""
    if not is_compiling() and _transforms():  # torch.func.vmap() wants one type
        dtype = next((t.dtype for t in (weight, running_mean) if t is not None), x.dtype)
        y = F.batch_norm(x.to(torch.promote_types(x.dtype, dtype)), running_mean, running_var, weight, bias, by_batch, momentum,
                         epsilon).to(x.dtype)
    else:
        y = F.batch_norm(x, running_mean, running_var, weight, bias, by_batch, momentum, epsilon)
    return finished(y, residual, adds_in_place, activation)


_norms = {}  # by signature
_recent = {}  # by the key of a call: (check of the rest, Norm or None, whether it has a gradient)
_said = set()  # reasons why PyTorch computes some, which were reported
c.holders_of_plans.append(lambda: (_norms.clear(), _recent.clear()))


def batch_norm(x, weight, bias, running_mean, running_var, by_batch, momentum, epsilon, activation=NONE, residual=None,
               adds_in_place=False):
    """Applies torch.nn.functional.batch_norm(), adds residual unless it is None, then applies the activation.

    by_batch: normalises with the batch's statistics, and updates the running statistics unless they are None. Types are the
    same as PyTorch's: the result of batch norm has x's, also under torch.autocast. adds_in_place: the sum has that type,
    too.
    """
    kind = 0 if residual is None else 1 if residual is x else 2
    key = id(weight), bias is None, id(running_mean), running_var is None, by_batch, epsilon, activation, kind
    known = _recent.get(key)
    if known is None or forward_ad._current_level >= 0:
        known = _find(key, x, weight, bias, running_mean, running_var, residual)
    elif weight is None or bias is None or running_mean is None or not (
            known[0](x, weight, bias, running_mean, running_var, residual) if kind == 2 else
            known[0](x, weight, bias, running_mean, running_var)):
        if not known[0](*_given(x, weight, bias, running_mean, running_var, residual)):
            known = _find(key, x, weight, bias, running_mean, running_var, residual)
    _, norm, has_gradient = known
    if by_batch and not 0 <= momentum <= 1 and running_mean is not None and norm is not None:
        _say(why_not_momentum(momentum), activation, residual)
        norm = None
    if norm is not None:
        has_gradient = has_gradient and _is_grad_enabled()
        if by_batch:
            at_mean, at_var = (0, 0) if running_mean is None else (running_mean.data_ptr(), running_var.data_ptr())
            if has_gradient:
                return _apply(x, weight, bias, residual, norm, at_mean, at_var, momentum)
            return norm.forward(x, weight, bias, residual, at_mean, at_var, momentum)[0]
        if not has_gradient:
            return norm.inference(x, weight, bias, residual, running_mean.data_ptr(), running_var.data_ptr())
    return in_torch(x, weight, bias, running_mean, running_var, by_batch, momentum, epsilon, activation, residual,
                    adds_in_place)


def _given(x, weight, bias, running_mean, running_var, residual):
    """The tensors, each once: the check does not accept duplicates."""
    return [t for t in (x, weight, bias, running_mean, running_var, None if residual is x else residual) if t is not None]


_IN_TORCH = None, None, False


def _find(key, x, weight, bias, running_mean, running_var, residual):
    """The entry of _recent for such a call; makes it if necessary."""
    tensors = _given(x, weight, bias, running_mean, running_var, residual)
    if not all(nobody_watches(t, x) for t in tensors) or any(t.is_meta for t in tensors):
        return _IN_TORCH
    *_, by_batch, epsilon, activation, _ = key
    parameters = [t for t in (weight, bias, running_mean, running_var) if t is not None]
    incomplete = (running_mean is None) != (running_var is None) or not by_batch and running_mean is None
    why = "" if incomplete else _why_in_torch(x, parameters, residual, by_batch, epsilon)
    norm = None
    if why is None:
        signature = (x.shape, x.stride(), x.dtype, x.device, x.requires_grad, activation, epsilon, residual is None)
        try:
            norm = _norms.get(signature)
            if norm is None:
                norm = Norm(x, residual, epsilon, activation)
                keep(_norms, signature, norm)
        except c.Refused as refused:
            why = f"the library refuses them: {refused}"
    if why:
        _say(why, activation, residual)
    known = check_of_all(tensors), norm, any(t.requires_grad for t in tensors)
    keep(_recent, key, known)
    return known


def _say(why, activation, residual):
    """Warns once if PyTorch computes a batch norm and what follows it."""
    adds_more = residual is not None or activation != NONE  # otherwise PyTorch launches the same kernels as before
    if adds_more and why not in _said:
        _said.add(why)
        launch.warn(f"PyTorch computes batch norms, in separate launches: {why}")


def why_not_momentum(momentum):
    """Why the library does not update running statistics with it; None if it does."""
    if momentum is None or 0 <= momentum <= 1:
        return None
    return f"its momentum is {momentum}, which the library takes from 0 to 1"


def _why_in_torch(x, parameters, residual, by_batch, epsilon):
    """None if the library computes it; "" if PyTorch would compute it anyway; otherwise the reason."""
    kept = type_of_statistics(x)
    if (x.dim() < 2 or x.numel() == 0 or (by_batch and x.numel() == x.size(1)) or
            any(t.numel() != x.size(1) for t in parameters)):
        return ""  # PyTorch refuses it, or there is nothing to compute
    why = why_not_rows(x)
    if why is not None and (by_batch or residual is not None or pixel_distance(x) is None):
        return why
    for t in parameters:
        if t.dtype != kept or t.device != x.device or not t.is_contiguous() or t.is_neg():
            return (f"for tensors of {x.dtype} on {x.device} the library needs {kept} weights and running statistics "
                    f"without gaps, not {t.dtype} on {t.device}")
    if residual is not None and why_not_added(x, residual) is not None:
        return why_not_added(x, residual)
    if by_batch and epsilon == 0:
        return "eps is 0: where a variance is 0, too, PyTorch's result is the bias, but the library's NaN"
    return None
