"""torch.ops.ck_conv: the three directions as operators with gradients of any order, autocast and shape functions.

Uses only what PyTorch has had since 1.13: torch.library.Library, with one function for each dispatch key.
"""
import contextlib
import sys

import torch
from torch.autograd import forward_ad

from .._c.geometry import Geometry
from .._c.interface import BACKWARD_DATA, BACKWARD_WEIGHT, FORWARD
from . import launch

# For each direction and both of its operands: the direction that computes the gradient, and the positions of that
# direction's operands among this one's operands and the gradient of its result.
_GRADIENTS = {
    FORWARD: ((BACKWARD_DATA, 2, 1), (BACKWARD_WEIGHT, 0, 2)),
    BACKWARD_DATA: ((FORWARD, 2, 1), (BACKWARD_WEIGHT, 2, 0)),
    BACKWARD_WEIGHT: ((BACKWARD_DATA, 1, 2), (FORWARD, 0, 2)),
}
# int[] of sizes are symbols if shapes are (torch.compile)
_INTS = "SymInt[]" if int(torch.__version__.split(".")[0]) >= 2 else "int[]"
_GEOMETRY = ("int[] stride, int[] pad_low, int[] pad_high, int[] dilation, bool transposed, int[] output_padding, "
             "int groups, bool channels_last")

_library = torch.library.Library("ck_conv", "DEF")
_library.define(f"forward(Tensor x, Tensor weight, Tensor? bias, {_GEOMETRY}) -> Tensor")
_library.define(f"backward_data(Tensor grad, Tensor weight, {_INTS} size, {_GEOMETRY}) -> Tensor")
_library.define(f"backward_weight(Tensor x, Tensor grad, {_INTS} size, {_GEOMETRY}) -> Tensor")
_OPERATORS = {FORWARD: torch.ops.ck_conv.forward.default,
              BACKWARD_DATA: torch.ops.ck_conv.backward_data.default,
              BACKWARD_WEIGHT: torch.ops.ck_conv.backward_weight.default}


def _operator(direction, first, second, bias, size, g, channels_last):
    third = bias if direction == FORWARD else size
    return _OPERATORS[direction](first, second, third, *g, channels_last)


def _unpacked(direction, arguments):
    """The arguments of an operator in the form of convolve()."""
    first, second, third, stride, low, high, dilation, transposed, output_padding, groups, channels_last = arguments
    g = Geometry(tuple(stride), tuple(low), tuple(high), tuple(dilation), transposed, tuple(output_padding), groups)
    bias, size = (third, None) if direction == FORWARD else (None, torch.Size(third))
    return direction, first, second, bias, size, g, channels_last


_BelowAutograd = torch._C._AutoDispatchBelowAutograd
if not hasattr(_BelowAutograd, "__enter__"):  # in 1.13 it works as long as it lives
    @contextlib.contextmanager
    def _BelowAutograd():
        guard = torch._C._AutoDispatchBelowAutograd()
        try:
            yield
        finally:
            del guard


class Convolution(torch.autograd.Function):
    """One direction, computed by `below`."""

    @staticmethod
    def forward(ctx, below, direction, first, second, bias, size, g, channels_last):
        ctx.save_for_backward(first, second)
        ctx.below, ctx.direction, ctx.g, ctx.channels_last = below, direction, g, channels_last
        return below(direction, first, second, bias, size, g, channels_last)

    @staticmethod
    def backward(ctx, grad):
        _, _, *wants, wants_bias, _, _, _ = ctx.needs_input_grad
        of_first, of_second = gradients(ctx.direction, *ctx.saved_tensors, grad, ctx.g, ctx.channels_last, wants)
        return None, None, of_first, of_second, gradient_of_bias(grad) if wants_bias else None, None, None, None


class _What:
    """The arguments that are not tensors. Transforms look into tuples, but not into this class."""

    def __init__(self, direction, size, g, channels_last):
        self.direction, self.of_result = direction, (size, g, channels_last)


class Transformed(torch.autograd.Function):
    """One direction for torch.func's transforms and forward-mode derivatives: its derivatives are directions again, and
    vmap computes one after another. For PyTorch 2."""
    generate_vmap_rule = True

    @staticmethod
    def forward(first, second, bias, what):
        return _operator(what.direction, first, second, bias, *what.of_result)

    @staticmethod
    def setup_context(ctx, inputs, output):
        first, second, _, ctx.what = inputs
        ctx.save_for_backward(first, second)
        ctx.save_for_forward(first, second)
        ctx.shape = output.shape

    @staticmethod
    def backward(ctx, grad):
        *wants, wants_bias, _ = ctx.needs_input_grad
        _, g, channels_last = ctx.what.of_result
        of_first, of_second = gradients(ctx.what.direction, *ctx.saved_tensors, grad, g, channels_last, wants)
        return of_first, of_second, gradient_of_bias(grad) if wants_bias else None, None

    @staticmethod
    def jvp(ctx, of_first, of_second, of_bias, _):
        first, second = ctx.saved_tensors
        parts = [call(ctx.what.direction, a, b, None, *ctx.what.of_result)
                 for a, b in ((of_first, second), (first, of_second)) if a is not None and b is not None]
        if of_bias is not None:
            parts.append(of_bias.view(-1, *(1,) * (len(ctx.shape) - 2)).expand(ctx.shape))
        return sum(parts[1:], parts[0])


def gradients(direction, first, second, grad, g, channels_last, wants):
    """The gradients of a direction's operands, None if not needed. They are the other two directions, since T(x, w, y) is
    linear in each. They are differentiable in grad mode, as with create_graph."""
    # The function that torch.func.vjp() returns is called after its transform: its saved tensors are still wrapped.
    first, second, grad = unwrap_if_dead(first), unwrap_if_dead(second), unwrap_if_dead(grad)
    tensors = first, second, grad if _transforms() or is_batched(grad) else launch.packed(grad, channels_last)
    computed = [None, None]
    for i, (other, a, b) in enumerate(_GRADIENTS[direction]):
        if wants[i]:
            size = None if other == FORWARD else tensors[i].shape
            computed[i] = call(other, tensors[a], tensors[b], None, size, g, channels_last)
    return computed


_BUT_CHANNELS = {rank: [0, *range(2, rank)] for rank in range(2, 6)}


def gradient_of_bias(grad, dtype=None):
    """dtype: of the sum; None: the gradient's own."""
    return grad.sum(_BUT_CHANNELS[grad.dim()], dtype=dtype)


# Function.apply checks for functorch's transforms before it calls this.
_apply = super(torch.autograd.Function, Convolution).apply
_PLAIN = (torch.Tensor, torch.nn.Parameter)
is_compiling = getattr(getattr(torch, "compiler", None), "is_dynamo_compiling", None) or (lambda: False)
_modes = torch._C._len_torch_dispatch_stack
_is_tracing = torch._C._is_tracing
_transforms = torch._C._are_functorch_transforms_active
_CAN_TRANSFORM = hasattr(torch.autograd.Function, "setup_context")
try:
    from torch._C import _functorch
    from torch._C._functorch import unwrap_if_dead
except ImportError:
    def unwrap_if_dead(tensor):
        return tensor
try:  # tensors of is_grads_batched and autograd.functional's vectorize
    from torch._C._functorch import is_legacy_batchedtensor as is_batched
except ImportError:
    def is_batched(tensor):
        return False


def same(tensor):
    """Another tensor of the same memory, with its strides. view_as() exchanges the stride of a dimension of one element: of
    a single channels-last image, PyTorch's batch norm then computes wrong gradients."""
    return tensor[...]


def nobody_watches(first, second, bias=None):
    """Whether these are ordinary tensors in ordinary code, without a mode, tracing, a transform or forward-mode
    derivatives. Then the dispatcher, which takes tens of microseconds, would end in the same place as the direct call. A
    tensor may still be on the device "meta"."""
    return (not is_compiling() and type(first) in _PLAIN and type(second) in _PLAIN and
            (bias is None or (type(bias) in _PLAIN and not is_batched(bias))) and _modes() == 0 and not _is_tracing() and
            not _transforms() and forward_ad._current_level < 0 and not is_batched(first) and not is_batched(second))


def call(direction, first, second, bias, size, g, channels_last):
    """A direction with gradients: called directly if nothing observes it, otherwise as an operator."""
    if _CAN_TRANSFORM and (_transforms() or forward_ad._current_level >= 0) and not is_compiling():
        # Errors within vmap's loop are reported by PyTorch.
        launch.check_operands(first.dtype, second.dtype, first.device, second.device)
        launch.result_size(direction, first.shape, second.shape, size, g)
        if bias is not None:
            launch.check_bias(bias, first, second, g)
        if _innermost_is("Functionalize"):  # it has no rule for autograd.Function
            return _operator(direction, first, second, bias, size, g, channels_last)
        return Transformed.apply(first, second, bias, _What(direction, size, g, channels_last))
    if not nobody_watches(first, second, bias) or first.is_meta or second.is_meta:
        return _operator(direction, first, second, bias, size, g, channels_last)
    if torch.is_grad_enabled() and (first.requires_grad or second.requires_grad or
                                    (bias is not None and bias.requires_grad)):
        return _apply(launch.convolve, direction, first, second, bias, size, g, channels_last)
    return launch.convolve(direction, first, second, bias, size, g, channels_last)


def _any_autocast():
    return torch.is_autocast_enabled() or torch.is_autocast_cpu_enabled()


any_autocast = getattr(torch._C, "_is_any_autocast_enabled", _any_autocast)


def autocast_dtype(device_type, transposed=False):
    """The type in which torch.autocast computes convolutions on this device; None outside autocast."""
    if hasattr(torch, "get_autocast_dtype"):
        dtype = torch.get_autocast_dtype(device_type) if torch.is_autocast_enabled(device_type) else None
    elif device_type == "cuda":
        dtype = torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else None
    else:
        dtype = torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else None
    return torch.float32 if transposed and dtype is not None and device_type == "cpu" and _WIDENS else dtype


def _widens():
    """Whether this PyTorch, like 1.13, computes transposed convolutions on CPUs in float32 under torch.autocast."""
    one = torch.ones(1, 1, 1, dtype=torch.float32, device="cpu")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return torch.nn.functional.conv_transpose1d(one, one).dtype == torch.float32


_WIDENS = _widens()


def escapes_autocast(*tensors):
    """Whether these are tensors of a torch.func.vmap() that is the innermost transform, on CPUs. There, PyTorch decomposes
    a convolution before autocast, whose list for CPUs does not contain the parts."""
    if not _CAN_TRANSFORM or is_compiling() or not _transforms() or tensors[0].device.type != "cpu":
        return False
    return _innermost_is("Vmap") and any(
        t is not None and _functorch.is_batchedtensor(t) and
        _functorch.maybe_get_level(t) == _functorch.peek_interpreter_stack().level() for t in tensors)


def _innermost_is(transform):
    return _transforms() and _functorch.peek_interpreter_stack().key() == getattr(_functorch.TransformType, transform)


def as_autocast_wants(tensor, dtype):
    if dtype is None or tensor is None or not tensor.is_floating_point() or tensor.dtype == torch.float64:
        return tensor
    return tensor.to(dtype)


_inductor_knows = False


def tell_inductor():
    """Registers with Inductor at the first request for shapes, which may come from torch.compile."""
    global _inductor_knows
    if not _inductor_knows and "torch._inductor.lowering" in sys.modules:
        from . import inductor
        _inductor_knows = True
        inductor.register(_OPERATORS, torch.ops.ck_conv.fused.default)


def _register(direction):
    name = ("forward", "backward_data", "backward_weight")[direction]

    def compute(*arguments):
        return launch.convolve(*_unpacked(direction, arguments))

    def shape(*arguments):
        tell_inductor()
        _, first, second, _, size, g, channels_last = _unpacked(direction, arguments)
        size = launch.result_size(direction, first.shape, second.shape, size, g)
        return launch.empty(size, first, channels_last)

    def below_autograd(*arguments):
        with _BelowAutograd():
            return _operator(*arguments)

    def with_gradients(*arguments):
        first, second, third = arguments[:3]
        bias = third if direction == FORWARD else None
        wanted = torch.is_grad_enabled() and (first.requires_grad or second.requires_grad or
                                              (bias is not None and bias.requires_grad))
        if not wanted and forward_ad._current_level < 0:
            if nobody_watches(first, second, bias) and not first.is_meta and not second.is_meta:
                return compute(*arguments)
            with _BelowAutograd():
                return _OPERATORS[direction](*arguments)
        return Convolution.apply(below_autograd, *_unpacked(direction, arguments))

    for key, function in (("CPU", compute), ("CUDA", compute), ("Meta", shape), ("Autograd", with_gradients)):
        _library.impl(name, function, key)


def _register_autocast(device_type, key):
    def cast(x, weight, bias, *rest):
        _, _, _, _, transposed, *_ = rest
        dtype = autocast_dtype(device_type, transposed)
        with torch.autocast(device_type, enabled=False):
            return _OPERATORS[FORWARD](*(as_autocast_wants(t, dtype) for t in (x, weight, bias)), *rest)

    _library.impl("forward", cast, key)


for _direction in (FORWARD, BACKWARD_DATA, BACKWARD_WEIGHT):
    _register(_direction)
_register_autocast("cpu", "AutocastCPU")
_register_autocast("cuda", "AutocastCUDA")
