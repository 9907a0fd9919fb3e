"""What norms share: plans of the library by the alignment of tensors, checks of calls, and PyTorch's activations."""
import ctypes
from ctypes import POINTER, c_int, c_size_t, c_void_p
from typing import NamedTuple

import torch
from torch.autograd import forward_ad
from torch.nn import functional as F

from .._c import interface as c
from .._conv import launch
from .._conv.alike import check_in_cpp, check_of
from .._conv.launch import MOST_ALIGNED, UNALIGNED, allocation
from .._conv.operators import autocast_dtype, is_compiling, nobody_watches, same

NONE = ("none", 0., 0.)  # an activation: its name and limits, or those of leaky_relu: slope, whether PyTorch's is in place
_is_grad_enabled = torch.is_grad_enabled


def load(name, spec, plan):
    """The library with the functions ck_<name>_*, whose structs these classes are. Those that run take a plan and packed
    tensors."""
    loaded = c.library()
    if not hasattr(loaded, f"ck_{name}_forward"):
        raise c.Error(f"libck_conv.so does not fit this version of the package: it has no ck_{name}_forward()")

    def function(what, result, *arguments):
        found = getattr(loaded, f"ck_{name}_{what}")
        found.argtypes, found.restype = arguments, result
        return found
    plan.init = function("spec_init", c_int, POINTER(spec), c_size_t)
    plan.create = function("plan_create", c_int, POINTER(spec), POINTER(c_void_p))
    if hasattr(loaded, f"ck_{name}_plan_workspace_size"):  # max pooling has no workspace
        plan.workspace_size = function("plan_workspace_size", c_int, c_void_p, POINTER(c_size_t))
    plan.destroy = function("plan_destroy", None, c_void_p)
    return loaded


class _Planned(NamedTuple):
    plan: c.Handle
    new_workspace: object  # a function


class Signature:
    """Norms of tensors with one signature, which nothing observes."""
    __slots__ = ("plan_class", "spec", "planned", "aligned", "index", "device", "channels_last", "size", "stride", "new_y",
                 "new_statistics", "new_parameter", "row_bytes", "checks_gradient", "activation", "epsilon")

    def __init__(self, x, epsilon, activation, activations, spec, plan_class, statistics, parameters):
        """spec: a new one, whose other fields complete() sets. statistics: the number of means. parameters: their type."""
        kept = type_of_statistics(x)
        self.plan_class, self.spec = plan_class, spec
        c.check(plan_class.init(spec, ctypes.sizeof(spec)))
        spec.type, spec.activation, spec.epsilon = launch.TYPES[x.dtype], activations.index(activation[0]), epsilon
        self.index, self.device = x.get_device(), x.device
        self.channels_last, self.size, self.stride = x.dim() > 2, x.shape, x.stride()
        self.new_y = allocation(x.shape, x.stride(), x.dtype, x.device)
        self.new_statistics = allocation((2, statistics), (statistics, 1), kept, x.device)  # means, inverse deviations
        self.new_parameter = allocation((x.size(1),), (1,), parameters, x.device)
        self.row_bytes = statistics * (8 if kept == torch.float64 else 4)
        self.activation, self.epsilon = activation, epsilon
        self.checks_gradient = None
        self.complete(x)
        self.planned = {}  # by the alignment of the tensors, in bytes
        self.aligned = self._plan(MOST_ALIGNED)

    def _plan(self, alignment):
        if alignment not in self.planned:
            spec, plan, workspace = type(self.spec).from_buffer_copy(self.spec), self.plan_class(), c_size_t()
            spec.alignment = alignment  # of a copy: threads share self.spec
            c.check(self.plan_class.create(spec, plan))
            c.check(self.plan_class.workspace_size(plan, workspace))
            size = workspace.value
            new = allocation((size,), (1,), torch.uint8, self.device) if size else launch.no_memory
            self.planned[alignment] = _Planned(plan, new)
        return self.planned[alignment]

    def planned_for(self, places):
        """The plan for tensors; `places` is the bitwise or of their addresses."""
        low = places & UNALIGNED
        return self._plan(low & -low) if low else self.aligned

    def new_gradients(self, y, grad, needs):
        """Returns the gradients of weight, bias and residual that a kernel writes, None for those that are not needed; and their
        addresses, 0 for those that no kernel writes. needs: ctx.needs_input_grad."""
        weight, bias, residual, at_weight, at_bias, at_residual = None, None, None, 0, 0, 0
        if needs[1]:
            weight = self.new_parameter()
            at_weight = weight.data_ptr()
        if needs[2]:
            bias = self.new_parameter()
            at_bias = bias.data_ptr()
        if needs[3]:
            residual = grad  # equal, without an activation
            if y is not None:
                residual = self.new_y()
                at_residual = residual.data_ptr()
        return (weight, bias, residual), (at_weight, at_bias, at_residual)

    def takes(self, x, grad):
        """Whether the library computes gradients of these saved and passed tensors; otherwise PyTorch does."""
        if _is_grad_enabled() or forward_ad._current_level >= 0 or is_compiling():
            return False
        if self.checks_gradient is None or not self.checks_gradient(x, grad):
            if not nobody_watches(x, grad) or (x.shape, x.stride(), launch.TYPES.get(x.dtype)) != (
                    self.size, self.stride, self.spec.type):
                return False
            self.checks_gradient = check_of(x, grad)
        return True


def without_gaps(*tensors):
    """Saved parameters and statistics, contiguous again: hooks may have changed their strides. Any may be None."""
    return [t if t is None or t.is_contiguous() else t.contiguous() for t in tensors]


def type_of_statistics(x):
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def computed_again(compute, tensors, grad, needs):
    """The gradients of compute(*tensors), differentiable themselves: for create_graph=True. None if not needed."""
    if not any(needs):
        return (None,) * len(tensors)
    create = _is_grad_enabled()
    with torch.enable_grad():
        given = [_alias(t) if wanted else t for t, wanted in zip(tensors, needs)]
        inputs = [t for t, wanted in zip(given, needs) if wanted]
        found = iter(torch.autograd.grad(compute(*given), inputs, grad, create_graph=create))
    return tuple(next(found) if wanted else None for wanted in needs)


def _alias(tensor):
    """A separate tensor in the graph, at which its gradients end. Beyond it are the tensor's hooks, its own inputs, and
    perhaps other arguments, which belong to the outer backward pass."""
    alias = same(tensor)
    return alias if alias.requires_grad else alias.requires_grad_()


def with_contiguous_gradient(y):
    """A contiguous y, through whose views no gradient of other strides passes: PyTorch's instance norm of a single image is a
    batch norm and a view, whose gradients on CPUs are wrong if theirs is channels last."""
    is_exposed = y.requires_grad and y.device.type == "cpu" and y.dim() > 3 and y.size(0) == 1
    return y.flatten().view(y.shape) if is_exposed else y


def why_not_added(x, residual):
    """Why the library does not add the residual to a norm of x, which has rows; None if it does."""
    if (residual.dtype, residual.shape, residual.device) != (x.dtype, x.shape, x.device) or not is_rows(residual):
        return "what is added has another size, type or memory format"
    return None


def before_activation(grad, y, activation):
    """The gradient before an activation, from the one after it and the result of the activation."""
    name, least, most = activation
    if name == "leaky_relu":
        return torch.where(y > 0, grad, grad * least)
    return grad * ((y > 0) if name == "relu" else (y > least) & (y < most))


def finished(y, residual, adds_in_place, activation):
    """What follows a norm, with PyTorch's operations: adds the residual unless it is None, and activates."""
    if residual is not None:
        y = y.add_(residual) if adds_in_place else y + residual
    return activated(y, activation)


def activated(y, activation):
    name, least, most = activation
    if name == "none":
        return y
    if name == "leaky_relu":
        return F.leaky_relu(y, least, inplace=bool(most))
    if name == "relu":
        return F.relu(y, inplace=True)
    if name == "clamp":
        if y.device.type == "cpu" and y.dtype in (torch.float16, torch.bfloat16):  # PyTorch 1.13 has no gradient of hardtanh
            return torch.where((y > least) & (y < most), y, y.detach().clamp(least, most))
        return F.hardtanh(y, least, most)  # not in place: it would need its result, to which its user may write
    return F.silu(y) if name == "silu" else F.hardswish(y)


def keep(table, key, value):
    if len(table) >= launch.MOST_PLANS:
        table.clear()
    table[key] = value


def is_rows(tensor):
    """Whether memory is contiguous, channels fastest, then pixels."""
    if tensor.is_neg():
        return False
    if tensor.dim() == 3:
        return tensor.transpose(1, 2).is_contiguous()
    return tensor.dim() == 2 and tensor.is_contiguous() or (
        tensor.dim() > 3 and tensor.is_contiguous(memory_format=launch.FORMATS[tensor.dim()]))


def why_not_rows(x):
    """None if x has rows of channels in a type of the library; otherwise the reason."""
    if x.device.type not in ("cpu", "cuda"):
        return f"their tensors are on {x.device}"
    if x.dtype not in launch.TYPES:
        return f"their tensors are of {x.dtype}"
    launch.check_tensors(x.dtype, x.dtype, x.device, x.device)  # whether the library computes on this device
    if not is_rows(x):
        return "their tensors are not channels last (torch.channels_last; in 1D, channels that are neighbours in memory)"
    return None


def check_of_all(tensors):
    """check_of() for any number of tensors."""
    if check_of is check_in_cpp:
        return check_of(*tensors)

    def described(given):
        return [(type(t), t.shape, t.stride(), t.dtype, t.device, t.is_neg(), t.requires_grad) for t in given]
    before = described(tensors), autocast_dtype("cpu"), autocast_dtype("cuda")
    return lambda *given: (nobody_watches(given[0], given[-1]) and
                           (described(given), autocast_dtype("cpu"), autocast_dtype("cuda")) == before)
