"""The short way: convolutions of ordinary tensors that nobody watches. What is found out for tensors of some sizes,
strides and types is found again by one look-up; then memory is allocated and the library called.

In a training loop the time of these lines is what a small layer takes. They ask only what must be asked; what is rare
goes the long way, through _launch.convolve() and the operators.
"""
import torch

from . import _launch as launch
from ._geometry import output_size
from ._launch import MOST_ALIGNED, allows_tf32, current_device, packed, run, stream_of, workspace
from ._library import BACKWARD_DATA, BACKWARD_WEIGHT, FORWARD
from ._operators import gradient_of_bias, gradients, nobody_watches

_empty_like, _is_grad_enabled = torch.empty_like, torch.is_grad_enabled
_UNALIGNED = MOST_ALIGNED - 1
_layers = {}


def signature(x, w):
    """What decides about kernels and results but the geometry, the bias and addresses."""
    return (x.shape, x.stride(), x.dtype, x.device, x.is_neg(), w.shape, w.stride(), w.dtype, w.device, w.is_neg(),
            allows_tf32())


def signature_of_bias(bias):
    return bias.shape, bias.stride(), bias.dtype, bias.device, bias.is_neg()


def find(make_geometry, rank, x, w, bias, arguments):
    """The layer of such tensors and make_geometry(rank, weight's size, *arguments), of _geometry; None if they have no
    memory."""
    of_bias = None if bias is None else signature_of_bias(bias)
    key = make_geometry, rank, signature(x, w), of_bias, arguments
    try:
        layer = _layers.get(key)
    except TypeError:  # lists, which no dictionary takes
        arguments = tuple(tuple(a) if isinstance(a, list) else a for a in arguments)
        key = make_geometry, rank, signature(x, w), of_bias, arguments
        layer = _layers.get(key)
    if layer is None and not (x.is_meta or w.is_meta):
        layer = Layer(x, w, bias, make_geometry(rank, w.shape, *arguments))
        if len(_layers) >= launch.MOST_PLANS:
            _layers.clear()
        _layers[key] = layer
    return layer


class Layer:
    """A convolution of tensors of one signature."""
    __slots__ = "g", "channels_last", "signature", "index", "ready", "stride", "of_gradients"

    def __init__(self, x, w, bias, g):
        output_size(x.shape, w.shape, g)  # says what is wrong
        self.g = g
        self.channels_last = launch.is_channels_last(x) or launch.is_channels_last(w)
        self.signature = signature(x, w)
        self.index = x.get_device()  # below 0: a CPU
        self.of_gradients = {}  # what _find_gradients() found
        given = [(x, packed(x, self.channels_last)), (w, packed(w, self.channels_last))]
        if bias is not None:
            given.append((bias, launch.checked_bias(bias, x, w, g)))
        self.ready = launch.find(FORWARD, x, w, bias, None, g, self.channels_last, MOST_ALIGNED)
        self.stride = self.ready.result.stride()
        if self.ready.handle is None or any(a.data_ptr() != b.data_ptr() for a, b in given):
            self.ready = None  # something is empty or has to be copied: always the long way

    def __call__(self, x, w, bias):
        """The result, with a gradient where one is asked for."""
        if _is_grad_enabled() and (x.requires_grad or w.requires_grad or (bias is not None and bias.requires_grad)):
            return _apply(x, w, bias, self)
        return self.forward(x, w, bias)

    def forward(self, x, w, bias):
        at_x, at_w = x.data_ptr(), w.data_ptr()
        at_bias = 0 if bias is None else bias.data_ptr()
        if not self._is_short(at_x | at_w | at_bias):
            return launch.convolve(FORWARD, x, w, bias, None, self.g, self.channels_last)
        ready, stream = self.ready, stream_of(x)
        result = _empty_like(ready.result)
        memory, at_memory = workspace(ready.workspace, x)
        run(ready, at_x, at_w, result.data_ptr(), 0 if ready.adds_bias else at_bias, at_memory, stream)
        if ready.adds_bias:
            launch.add_bias(result, bias)
        return result

    def backward(self, x, w, grad, wants_x, wants_w):
        """Both gradients, None where one is not wanted. They share a workspace."""
        # What was saved may not be what it was: hooks may have changed it, or its .data was set.
        if not _is_grad_enabled() and nobody_watches(x, w, grad) and signature(x, w) == self.signature:
            if grad.stride() != self.stride or grad.is_neg():
                grad = packed(grad, self.channels_last)
            at_x, at_w, at_y = x.data_ptr(), w.data_ptr(), grad.data_ptr()
            if self._is_short(at_x | at_w | at_y):
                of_x, of_w, size = self._find_gradients(x, w, grad, wants_x, wants_w)
                memory, at_memory = workspace(size, x)
                stream, grad_x, grad_w = stream_of(x), None, None
                if wants_x:
                    grad_x = _empty_like(x)
                    run(of_x, grad_x.data_ptr(), at_w, at_y, 0, at_memory, stream)
                if wants_w:
                    grad_w = _empty_like(w)
                    run(of_w, at_x, grad_w.data_ptr(), at_y, 0, at_memory, stream)
                return grad_x, grad_w
        return gradients(FORWARD, x, w, grad, self.g, self.channels_last, (wants_x, wants_w))

    def _is_short(self, addresses):
        """addresses: those of all tensors, or-ed."""
        return (self.ready is not None and not addresses & _UNALIGNED and
                (self.index < 0 or self.index == current_device()))

    def _find_gradients(self, x, w, grad, wants_x, wants_w):
        """(Ready of x's gradient, of w's, bytes of the larger workspace)"""
        found = self.of_gradients.get((wants_x, wants_w))
        if found is None:
            geometry = self.g, self.channels_last, MOST_ALIGNED
            of_x = launch.find(BACKWARD_DATA, grad, w, None, x.shape, *geometry) if wants_x else None
            of_w = launch.find(BACKWARD_WEIGHT, x, grad, None, w.shape, *geometry) if wants_w else None
            found = of_x, of_w, max(ready.workspace for ready in (of_x, of_w) if ready is not None)
            self.of_gradients[wants_x, wants_w] = found
        return found


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
        wants_x, wants_w, wants_bias, _ = ctx.needs_input_grad
        grad_x = grad_w = None
        if wants_x or wants_w:
            grad_x, grad_w = ctx.layer.backward(x, w, grad, wants_x, wants_w)
        return grad_x, grad_w, gradient_of_bias(grad) if wants_bias else None, None


# Function.apply looks for functorch's transforms before it calls this; whoever is here has looked.
_apply = super(torch.autograd.Function, Function).apply
