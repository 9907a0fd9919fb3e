"""The fast path: convolutions of ordinary tensors that nothing observes. The results of checks are remembered: if tensors
and circumstances are the same, only memory is allocated and the library called.

In a training loop, these lines are the cost of a small layer. They check only what is necessary; rare cases take the slow
path, through _launch.convolve() and the operators.
"""
import torch
from torch.autograd import forward_ad

from .._c.geometry import is_plain, output_size, transposed
from .._c.interface import BACKWARD_DATA, BACKWARD_WEIGHT, FORWARD, check, holders_of_plans
from . import launch
from .alike import check_of, signature
from .launch import MOST_ALIGNED, UNALIGNED, _pack_tensors, _stream, allocation, allows_tf32, current_device, packed
from .operators import (any_autocast, as_autocast_wants, autocast_dtype, gradient_of_bias, gradients, is_compiling,
                        nobody_watches)

_is_grad_enabled = torch.is_grad_enabled
_layers = {}  # by everything that determines them
_recent = {}  # by _which() and arguments: (check of the rest, layer)


def forget():
    """Forgets all plans and everything that holds them."""
    for table in (launch._ready, _layers, _recent):
        table.clear()


holders_of_plans.append(forget)


def recall(make_geometry, rank, x, w, bias, arguments):
    """The layer that find() returned for this weight, or one like it, if nothing has changed; otherwise None."""
    key = _which(x, w), bias is None, allows_tf32(), make_geometry, rank, arguments
    try:
        known = _recent.get(key)
    except TypeError:  # lists, which are not hashable
        return None
    if known is None or forward_ad._current_level >= 0:
        return None
    check, layer, before = known
    for a, b in zip(before, arguments):
        if a is not b and not is_plain(b):
            return None
    return layer if (check(x, w) if bias is None else check(x, w, bias)) and layer.is_current() else None


def _which(x, w):
    """Which layer a weight belongs to: one that is not a parameter, such as a standardized one, is another tensor each time, and
    has the layer of its sizes."""
    return (w.shape, x.shape, x.dtype) if type(w) is torch.Tensor and type(x) is torch.Tensor else id(w)


def find(make_geometry, rank, x, w, bias, arguments):
    """The layer for such tensors, which nothing observes, and make_geometry(rank, weight's size, *arguments), a function of
    _geometry; None if they have no memory."""
    arguments = tuple(tuple(a) if isinstance(a, list) else a for a in arguments)
    if not all(map(is_plain, arguments)):
        return None if x.is_meta or w.is_meta else Layer(x, w, bias, make_geometry(rank, w.shape, *arguments))
    tf32 = allows_tf32()
    key = signature(x, w, bias), tf32, make_geometry, rank, arguments
    layer = _layers.get(key)
    if layer is None:
        if x.is_meta or w.is_meta:
            return None
        layer = Layer(x, w, bias, make_geometry(rank, w.shape, *arguments))
        _keep(_layers, key, layer)
    if not any_autocast():  # autocast made these tensors: they are not seen again
        _remember(make_geometry, rank, x, w, bias, arguments, layer)
    return layer


def find_mixed(make_geometry, rank, x, w, bias, arguments, dtype):
    """The same for tensors that nothing observes, which torch.autocast converts to dtype."""
    memory_format = launch.format_of(w, launch.is_channels_last(x) or launch.is_channels_last(w))
    cast = [as_autocast_wants(t, dtype) for t in (x, w, bias)]
    if any(t is not None and t.dtype != dtype for t in cast):
        return None
    if memory_format is not None:
        cast[1] = cast[1].to(memory_format=memory_format)
    layer = find(make_geometry, rank, *cast, arguments)
    if layer is None:
        return None
    layer = Mixed(layer, dtype, memory_format, x.device.type, make_geometry is transposed)
    if all(map(is_plain, arguments)):
        _remember(make_geometry, rank, x, w, bias, arguments, layer)
    return layer


def _remember(make_geometry, rank, x, w, bias, arguments, layer):
    tensors = (x, w) if bias is None else (x, w, bias)
    _keep(_recent, (_which(x, w), bias is None, allows_tf32(), make_geometry, rank, arguments),
          (check_of(*tensors), layer, arguments))


def _keep(table, key, value):
    if len(table) >= launch.MOST_PLANS:
        table.clear()
    table[key] = value


class Layer:
    """A convolution of tensors with one signature."""
    __slots__ = "g", "channels_last", "signature", "index", "ready", "copies", "stride", "of_gradients"

    def __init__(self, x, w, bias, g):
        output_size(x.shape, w.shape, g)  # raises if they do not fit together
        self.g = g
        self.channels_last = launch.is_channels_last(x) or launch.is_channels_last(w)
        self.signature = signature(x, w)
        self.index = x.get_device()  # less than 0: a CPU
        self.of_gradients = {}  # what _find_gradients() found
        given = [(x, packed(x, self.channels_last)), (w, packed(w, self.channels_last))]
        if bias is not None:
            given.append((bias, launch.checked_bias(bias, x, w, g)))
        self.ready = launch.find(FORWARD, x, w, bias, None, g, self.channels_last, MOST_ALIGNED)
        self.stride = self.ready.stride
        self.copies = any(a.data_ptr() != b.data_ptr() for a, b in given)
        if self.ready.handle is None:
            self.ready = None  # something is empty: always the slow path

    def is_current(self):
        return True

    def __call__(self, x, w, bias):
        """Returns the result, with a gradient if one is needed."""
        if _is_grad_enabled() and (x.requires_grad or w.requires_grad or (bias is not None and bias.requires_grad)):
            return _apply(x, w, bias, self)
        return self.forward(x, w, bias)

    def forward(self, x, w, bias):
        if self.copies:
            x, w = packed(x, self.channels_last), packed(w, self.channels_last)
            bias = None if bias is None else packed(bias, False)
        at_x, at_w = x.data_ptr(), w.data_ptr()
        at_bias = 0 if bias is None else bias.data_ptr()
        ready, index = self.ready, self.index
        if ready is None or (at_x | at_w | at_bias) & UNALIGNED or (index >= 0 and index != current_device()):
            return launch.convolve(FORWARD, x, w, bias, None, self.g, self.channels_last)
        result, memory = ready.new(), ready.new_workspace()
        status = ready.run(ready.handle, _pack_tensors(
            at_x, at_w, result.data_ptr(), 0 if ready.adds_bias else at_bias, 0,
            0 if memory is None else memory.data_ptr(), _stream(index) if index >= 0 else 0))
        if status:
            check(status)
        if ready.adds_bias:
            launch.add_bias(result, bias)
        return result

    def backward(self, x, w, grad, needs):
        """Returns both gradients, None if one is not needed. They share a workspace. needs: ctx.needs_input_grad."""
        known = self._find_gradients(x, w, grad, needs)
        if known is not None:
            _, is_copied, of_x, new_x, of_w, new_w, new_workspace = known
            if self.copies:
                x, w = packed(x, self.channels_last), packed(w, self.channels_last)
            if is_copied:
                grad = packed(grad, self.channels_last)
            at_x, at_w, at_y, index = x.data_ptr(), w.data_ptr(), grad.data_ptr(), self.index
            if not (at_x | at_w | at_y) & UNALIGNED and (index < 0 or index == current_device()):
                memory, stream, grad_x, grad_w = new_workspace(), _stream(index) if index >= 0 else 0, None, None
                at_memory = 0 if memory is None else memory.data_ptr()
                if of_x is not None:
                    grad_x = new_x()
                    status = of_x.run(of_x.handle,
                                      _pack_tensors(grad_x.data_ptr(), at_w, at_y, 0, 0, at_memory, stream))
                    if status:
                        check(status)
                if of_w is not None:
                    grad_w = new_w()
                    status = of_w.run(of_w.handle,
                                      _pack_tensors(at_x, grad_w.data_ptr(), at_y, 0, 0, at_memory, stream))
                    if status:
                        check(status)
                return grad_x, grad_w
        return gradients(FORWARD, x, w, grad, self.g, self.channels_last, needs[:2])

    def _find_gradients(self, x, w, grad, needs):
        """Returns (check_of(x, w, grad), whether grad must be copied, Ready of x's gradient, its allocator, Ready of w's,
        its allocator, the allocator of the workspace of both). None means the slow path: gradients have gradients,
        something observes the tensors, or a saved tensor was changed by hooks or by setting .data."""
        if _is_grad_enabled() or forward_ad._current_level >= 0 or is_compiling():
            return None
        key = needs, allows_tf32()
        known = self.of_gradients.get(key)
        if known is None or not known[0](x, w, grad):
            if self.ready is None or not nobody_watches(x, w, grad) or signature(x, w) != self.signature:
                return None
            checks, is_copied = check_of(x, w, grad), grad.stride() != self.stride or grad.is_neg()
            grad = packed(grad, self.channels_last)
            geometry = self.g, self.channels_last, MOST_ALIGNED
            of_x = launch.find(BACKWARD_DATA, grad, w, None, x.shape, *geometry) if needs[0] else None
            of_w = launch.find(BACKWARD_WEIGHT, x, grad, None, w.shape, *geometry) if needs[1] else None
            larger = max((ready for ready in (of_x, of_w) if ready is not None), key=lambda ready: ready.workspace)
            x, w = packed(x, self.channels_last), packed(w, self.channels_last)
            new_x, new_w = (allocation(t.shape, t.stride(), t.dtype, t.device) for t in (x, w))
            known = self.of_gradients[key] = checks, is_copied, of_x, new_x, of_w, new_w, larger.new_workspace
        return known


class Function(torch.autograd.Function):
    """A layer with its gradients."""

    @staticmethod
    def forward(ctx, x, w, bias, layer):
        ctx.save_for_backward(x, w)
        ctx.layer = layer
        return layer.forward(x, w, bias)

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        wants_x, wants_w, wants_bias, _ = needs = ctx.needs_input_grad
        grad_x = grad_w = None
        if wants_x or wants_w:
            grad_x, grad_w = ctx.layer.backward(x, w, grad, needs)
        return grad_x, grad_w, gradient_of_bias(grad) if wants_bias else None, None


class Mixed:
    """A layer under torch.autocast: one node of autograd casts weight and bias, and their gradients back. Two more nodes,
    and the work of PyTorch's dispatcher for them, would take as much CPU time as the layer itself."""
    __slots__ = "layer", "dtype", "memory_format", "of"

    def __init__(self, layer, dtype, memory_format, device_type, is_transposed):
        """memory_format: of the cast weight; None: the weight's own"""
        self.layer, self.dtype, self.memory_format, self.of = layer, dtype, memory_format, (device_type, is_transposed)

    def is_current(self):
        """Whether autocast still uses the same type."""
        return autocast_dtype(*self.of) is self.dtype

    def __call__(self, x, w, bias):
        if x.dtype is not self.dtype:
            x = x.to(self.dtype)
        if _is_grad_enabled() and (x.requires_grad or w.requires_grad or (bias is not None and bias.requires_grad)):
            return _apply_mixed(x, w if w.is_leaf else self.cast(w), bias, self)
        return self.layer.forward(x, self.cast(w), None if bias is None else bias.to(self.dtype))

    def cast(self, w):
        return w.to(self.dtype) if self.memory_format is None else w.to(self.dtype, memory_format=self.memory_format)


class Cast(torch.autograd.Function):
    """An existing cast of a tensor, with a gradient that goes to the tensor."""

    @staticmethod
    def forward(ctx, tensor, cast):
        ctx.dtype = tensor.dtype
        return cast.detach()

    @staticmethod
    def backward(ctx, grad):
        return grad.to(ctx.dtype), None


class MixedFunction(torch.autograd.Function):
    """A layer with its gradients, under torch.autocast. Gradients use the cast weight, even if the weight changes
    meanwhile, as with PyTorch's own nodes."""

    @staticmethod
    def forward(ctx, x, w, bias, mixed):
        dtype = mixed.dtype
        cast, cast_bias = mixed.cast(w), None if bias is None else bias.to(dtype)
        ctx.save_for_backward(x, cast)
        ctx.mixed, ctx.weight = mixed, None if cast is w else w
        ctx.dtypes = w.dtype, None if bias is None else bias.dtype
        return mixed.layer.forward(x, cast, cast_bias)

    @staticmethod
    def backward(ctx, grad):
        x, cast = ctx.saved_tensors
        wants_x, wants_w, wants_bias, _ = needs = ctx.needs_input_grad
        grad_x = grad_w = grad_bias = None
        if wants_w and ctx.weight is not None and _is_grad_enabled():  # gradients of gradients go back to the weight
            if not ctx.weight.requires_grad:
                raise RuntimeError("the weight of a convolution no longer requires a gradient, as it did when the "
                                   "convolution was computed: gradients of gradients cannot reach it")
            cast = Cast.apply(ctx.weight, cast)
        if wants_x or wants_w:
            grad_x, grad_w = ctx.mixed.layer.backward(x, cast, grad, needs)
        if grad_w is not None:
            grad_w = grad_w.to(ctx.dtypes[0])
        if wants_bias:
            grad_bias = gradient_of_bias(grad, ctx.dtypes[1])
        return grad_x, grad_w, grad_bias, None


# Function.apply checks for functorch's transforms before it calls this; callers here have checked already.
_apply = super(torch.autograd.Function, Function).apply
_apply_mixed = super(torch.autograd.Function, MixedFunction).apply

# torch.autograd would call a method that looks up the function's backward(), and whether it also has a vjp().
for _function in (Function, MixedFunction):
    _function._backward_cls.apply = _function.backward
