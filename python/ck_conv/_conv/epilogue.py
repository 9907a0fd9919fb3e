"""Convolutions whose plan adds a bias and a residual and applies an activation. fuse() uses them for inference.

  result = activation(convolution + bias + residual before) + residual after

The library chooses by predicted time whether one launch computes it or a second one follows. If a plan cannot compute it
(gradients are needed, a residual has another size or type, or the library refuses), this library computes only the
convolution, and PyTorch adds and activates: results and gradients are the same, up to rounding.
"""
import ctypes
from typing import NamedTuple

import torch
from torch.autograd import forward_ad
from torch.nn import functional as F
from torch.onnx import is_in_onnx_export

from .._c import interface as c
from .._c.geometry import Geometry, output_size, transposed
from .._c.words import ACTIVATIONS, RESIDUALS
from . import dispatch, launch
from .alike import check_in_cpp, check_in_python, check_of
from .operators import (_BelowAutograd, _GEOMETRY, _library, _PLAIN, _transforms, any_autocast, as_autocast_wants,
                        autocast_dtype, is_batched, is_compiling, nobody_watches, tell_inductor)

BEFORE, AFTER = "before_activation", "after_activation"


class Epilogue(NamedTuple):
    """activation: as in ck_conv.Spec, or "none". residual: where one is added, BEFORE or AFTER, or "none". least, most:
    limits of a clamp; least is also the slope of leaky_relu. keeps_type: a residual of a wider type does not make the result
    wider, as with `+=`."""
    activation: str = "none"
    residual: str = "none"
    least: float = 0.
    most: float = 0.
    keeps_type: bool = False

    def fill(self, spec):
        """Sets the epilogue's fields of a ck_conv_spec, whose numbers are of float32. Raises Refused if they would be others."""
        is_leaky = self.activation == "leaky_relu"
        if spec.type == c.F64:
            for number in (self.least, self.most):
                if ctypes.c_float(number).value != number:
                    raise c.Refused(f"{'the slope of leaky_relu' if is_leaky else 'a limit of a clamp'} is {number}, which "
                                    "float32 cannot represent")
        spec.activation = ACTIVATIONS[None if self.activation == "none" else self.activation]
        spec.residual = RESIDUALS[None if self.residual == "none" else self.residual]
        if is_leaky:
            spec.leaky_slope = self.least
        else:
            spec.clamp_least, spec.clamp_most = self.least, self.most


_FUNCTIONS = {"none": lambda y, e: y, "relu": lambda y, e: F.relu(y), "silu": lambda y, e: F.silu(y),
              "gelu": lambda y, e: F.gelu(y), "clamp": lambda y, e: y.clamp(e.least, e.most),
              "leaky_relu": lambda y, e: F.leaky_relu(y, e.least), "hard_swish": lambda y, e: F.hardswish(y),
              "hard_sigmoid": lambda y, e: F.hardsigmoid(y), "sigmoid": lambda y, e: torch.sigmoid(y)}


def with_torch(y, residual, e):
    """Applies the epilogue to a convolution's result with PyTorch's operators."""
    def added(y):
        return (y + residual).to(y.dtype) if e.keeps_type else y + residual

    y = _FUNCTIONS[e.activation](added(y) if e.residual == BEFORE else y, e)
    return added(y) if e.residual == AFTER else y


class _Found(NamedTuple):
    ready: launch.Ready  # None: the library's plan cannot
    size: torch.Size


_found = {}


def _find(x, w, bias, e, g, channels_last, alignment, pixel=None, pixel_of_y=None):
    """Finds the plan for contiguous tensors, or for an x and a result whose pixels have these distances."""
    tf32 = x.dtype == torch.float32 and x.is_cuda and launch.allows_tf32()
    key = (x.shape, w.shape, pixel, pixel_of_y, bias is None, e, g, channels_last, x.dtype, w.dtype, x.device, w.device,
           alignment, tf32)
    found = _found.get(key)
    if found is not None:
        return found
    launch.check_tensors(x.dtype, w.dtype, x.device, w.device)
    size, ready = torch.Size(output_size(x.shape, w.shape, g)), None
    if 0 not in (*x.shape, *w.shape, *size):
        sizes = {launch.X: x.shape, launch.W: w.shape, launch.Y: size}
        try:
            handle, workspace = launch.make_plan(c.FORWARD, sizes, g, channels_last, x.dtype, alignment, tf32,
                                                 bias is not None, e, pixel, pixel_of_y)
            stride = launch.empty(size, torch.empty(0, dtype=x.dtype, device="meta"), channels_last).stride()
            ready = launch.Ready(size, stride, x.dtype, x.device, handle, workspace, False)
        except c.Refused as refused:  # if the epilogue is not the reason, the convolution without it is refused, too
            if pixel_of_y is None:  # otherwise, convolve() asks for a plan with a packed result
                launch.warn_of_torch("a residual and applies an activation", refused)
    if len(_found) >= launch.MOST_PLANS:
        _found.clear()
    _found[key] = found = _Found(ready, size)
    return found


def plan_of(x, w, bias, e, g, channels_last, alignment):
    """The Ready for contiguous tensors; None if no plan computes the epilogue."""
    return _find(x, w, bias, e, g, channels_last, alignment).ready


def _distance(x, g, channels_last):
    """launch.pixel_distance() where a plan reads such tensors in place."""
    return launch.pixel_distance(x) if channels_last and not g.transposed else None


def _part(x, w, residual, g, channels_last, into):
    """The range of channels into which a plan writes the result; None if it makes a tensor. A residual has the strides of the
    result."""
    if into is None or not channels_last:
        return None
    concatenation, start, channels = into
    part = concatenation.part(start, channels, output_size(x.shape, w.shape, g), x)
    return None if part is None or residual is not None and residual.stride() != part.stride() else part


def _result(ready, part, residual, overwrites):
    """Where a plan writes: the range of channels, the residual that may be overwritten, or a new tensor."""
    if part is not None:
        return part
    return residual if overwrites and residual is not None and residual.stride() == ready.stride else ready.new()


def convolve(x, w, bias, residual, e, g, channels_last, into=None, overwrites=False):
    """Runs on the current stream of the tensors' device. residual: None, or of the result's size, in any layout. into: None, or
    a Concatenation, the first channel in it and the number of channels. overwrites: whether the result may be written over the residual."""
    if x.is_cuda and x.get_device() != launch.current_device():
        with torch.cuda.device(x.get_device()):
            return convolve(x, w, bias, residual, e, g, channels_last, into, overwrites)
    pixel = _distance(x, g, channels_last)
    x, w = x if pixel else launch.packed(x, channels_last), launch.packed(w, channels_last)
    bias = None if bias is None else launch.checked_bias(bias, x, w, g)
    part = _part(x, w, residual, g, channels_last, into)
    residual = residual if residual is None or part is not None else launch.packed(residual, channels_last)
    at = [0 if t is None else t.data_ptr() for t in (x, w, bias, residual)]
    low = (at[0] | at[1] | at[2] | at[3]) & launch.UNALIGNED
    if low and c.is_batch_invariant():  # as launch.convolve()
        x, w, bias, residual = (t if t is None or t.data_ptr() % launch.MOST_ALIGNED == 0 else t.clone()
                                for t in (x, w, bias, residual))
        return convolve(x, w, bias, residual, e, g, channels_last, into, overwrites)
    ready, size = _find(x, w, bias, e, g, channels_last, low & -low or launch.MOST_ALIGNED, pixel,
                        None if part is None else part.stride(-1))
    if residual is not None and (residual.shape != size or residual.dtype != x.dtype or residual.device != x.device):
        raise ValueError(f"the residual is {tuple(residual.shape)}, {residual.dtype} on {residual.device}, but the result "
                         f"is {tuple(size)}, {x.dtype} on {x.device}")
    if ready is None and part is not None:
        return convolve(x, w, bias, residual, e, g, channels_last)
    if ready is None:
        return with_torch(launch.convolve(c.FORWARD, x, w, bias, None, g, channels_last), residual, e)
    result = _result(ready, part, residual, overwrites)
    launch.run(ready, at[0], at[1], result.data_ptr(), at[2], ready.new_workspace(), launch.stream_of(x), at[3])
    return result


_library.define("fused(Tensor x, Tensor weight, Tensor? bias, Tensor? residual, str activation, str residual_place, "
                f"float least, float most, bool keeps_type, {_GEOMETRY}) -> Tensor")
_OPERATOR = torch.ops.ck_conv.fused.default


def _unpacked(arguments):
    x, w, bias, residual, *e, stride, low, high, dilation, is_transposed, output_padding, groups, channels_last = arguments
    g = Geometry(tuple(stride), tuple(low), tuple(high), tuple(dilation), is_transposed, tuple(output_padding), groups)
    return x, w, bias, residual, Epilogue(*e), g, channels_last


def _are_plain(x, w, bias, residual):
    """Whether these are ordinary tensors with memory, in ordinary code."""
    return (nobody_watches(x, w, bias) and not x.is_meta and not w.is_meta and
            (residual is None or type(residual) in _PLAIN))


def _compute(*arguments):
    return convolve(*_unpacked(arguments))


def _shape(*arguments):
    tell_inductor()
    x, w, _, _, _, g, channels_last = _unpacked(arguments)
    return launch.empty(output_size(x.shape, w.shape, g), x, channels_last)


def _wants_gradients(*tensors):
    return torch.is_grad_enabled() and any(isinstance(t, torch.Tensor) and t.requires_grad for t in tensors)


def _with_gradients(*arguments):
    x, w, bias, residual, e, g, channels_last = _unpacked(arguments)
    if _wants_gradients(x, w, bias, residual) or forward_ad._current_level >= 0:
        y = torch.ops.ck_conv.forward.default(x, w, bias, *g, channels_last)
        return with_torch(y, residual, e)
    if _are_plain(x, w, bias, residual):  # the dispatcher would end in the same place
        return convolve(x, w, bias, residual, e, g, channels_last)
    with _BelowAutograd():
        return _OPERATOR(*arguments)


def _autocast(device_type):
    def cast(x, w, bias, residual, *rest):
        *_, is_transposed, _, _, _ = rest
        dtype = autocast_dtype(device_type, is_transposed)
        with torch.autocast(device_type, enabled=False):
            return _OPERATOR(*(as_autocast_wants(t, dtype) for t in (x, w, bias, residual)), *rest)
    return cast


for _key, _function in (("CPU", _compute), ("CUDA", _compute), ("Meta", _shape), ("Autograd", _with_gradients),
                        ("AutocastCPU", _autocast("cpu")), ("AutocastCUDA", _autocast("cuda"))):
    _library.impl("fused", _function, _key)


class _Layer:
    """A call with contiguous tensors: what remains to be done if the next tensors are like them."""
    __slots__ = "check", "check_residual", "dtype", "of_autocast", "again", "ready", "size", "index"

    def __init__(self, tensors, residual, dtype, again, ready, size):
        """size: of a result that is written into a range of channels; None: it is a tensor."""
        self.check = check_of(*(t for t in tensors if t is not None))
        self.check_residual = _check_of_one(residual)
        self.dtype, self.of_autocast = dtype, (tensors[0].device.type, again[1].transposed)  # dtype: None without autocast
        self.again, self.ready, self.size, self.index = again, ready, size, tensors[0].get_device()

    def fits(self, x, w, bias, residual):
        return ((self.check(x, w) if bias is None else self.check(x, w, bias)) and
                (residual is None or self.check_residual(residual)) and
                (self.dtype is None or autocast_dtype(*self.of_autocast) is self.dtype))

    def __call__(self, x, w, bias, residual, into, overwrites):
        if self.dtype is not None:
            x, w, bias, residual = (None if t is None else t.to(self.dtype) for t in (x, w, bias, residual))
        at_x, at_w = x.data_ptr(), w.data_ptr()
        at_bias = 0 if bias is None else bias.data_ptr()
        at_residual = 0 if residual is None else residual.data_ptr()
        ready, size = self.ready, self.size
        part = None if size is None else into[0].part(*into[1:], size, x)
        if ((at_x | at_w | at_bias | at_residual) & launch.UNALIGNED or (part is None and size is not None) or
                (self.index >= 0 and self.index != launch.current_device())):
            return convolve(x, w, bias, residual, *self.again, into, overwrites)
        result, memory = _result(ready, part, residual, overwrites), ready.new_workspace()
        launch.run(ready, at_x, at_w, result.data_ptr(), at_bias, memory, launch.stream_of(x), at_residual)
        return result


def _check_of_one(tensor):
    """Like check_of(), which accepts each tensor only once; a residual may be x."""
    if tensor is None:
        return None
    if check_of is check_in_cpp:
        return check_in_cpp(tensor)
    check = check_in_python(tensor, tensor)
    return lambda given: check(given, given)


_recent = {}  # by weight and arguments


def _forget():
    _found.clear()
    _recent.clear()


c.holders_of_plans.append(_forget)


def convolution(make_geometry, rank, x, w, bias, residual, e, arguments, into=None, overwrites=False):
    """make_geometry(rank, weight's size, *arguments): a function of _geometry. into: a Concatenation or None, the first
    channel in it and their number: where the result is written if a plan can. overwrites: whether a plan may write the result over the residual."""
    if into is not None and into[0] is None:
        into = None
    if is_compiling():
        return _long(make_geometry, rank, x, w, bias, residual, e, arguments)
    place = None if into is None else (into[0].channels, *into[1:])
    key = id(w), bias is None, residual is None, launch.allows_tf32(), make_geometry, rank, e, arguments, place
    layer = _recent.get(key)
    if (layer is not None and forward_ad._current_level < 0 and not _wants_gradients(x, w, bias, residual) and
            layer.fits(x, w, bias, residual)):
        return layer(x, w, bias, residual, into, overwrites)
    return _long(make_geometry, rank, x, w, bias, residual, e, arguments, key, into, overwrites)


def _long(make_geometry, rank, x, w, bias, residual, e, arguments, key=None, into=None, overwrites=False):
    def separate():
        return with_torch(dispatch.convolve(make_geometry, rank, *given[:3], *arguments), residual, e)

    given, dtype = (x, w, bias, residual), None
    if not isinstance(x, torch.Tensor) or is_in_onnx_export() or _wants_gradients(*given) or forward_ad._current_level >= 0 or (
            not is_compiling() and (_transforms() or any(isinstance(t, torch.Tensor) and is_batched(t) for t in given))):
        return separate()
    if any_autocast() and not x.is_meta:
        dtype = autocast_dtype(x.device.type, make_geometry is transposed)
        x, w, bias = (as_autocast_wants(t, dtype) for t in (x, w, bias))
    if x.dim() == rank + 1:
        result = _long(make_geometry, rank, x.unsqueeze(0), w, bias,
                       residual.unsqueeze(0) if isinstance(residual, torch.Tensor) else residual, e, arguments)
        return result.squeeze(0)
    g = make_geometry(rank, w.shape, *arguments)
    size = output_size(x.shape, w.shape, g)
    channels_last = launch.is_channels_last(x) or launch.is_channels_last(w)
    if residual is not None and not (isinstance(residual, torch.Tensor) and list(residual.shape) == size and
                                     residual.dtype == x.dtype and residual.device == x.device):
        return separate()
    if is_compiling() or not _are_plain(x, w, bias, residual):
        return _OPERATOR(x, w, bias, residual, *e, *g, channels_last)
    result = convolve(x, w, bias, residual, e, g, channels_last, into, overwrites)
    if key is not None:
        _remember(key, given, (x, w, bias, residual), dtype, (e, g, channels_last), into)
    return result


def _remember(key, given, cast, dtype, again, into):
    """given: the caller's tensors; cast: the same, as they are multiplied. again: arguments of convolve()."""
    if any(t is not None and t.data_ptr() & launch.UNALIGNED for t in cast):
        return
    if dtype is not None and any(t is not None and t.dtype != dtype for t in cast):
        return
    e, g, channels_last = again
    x, w, bias, residual = cast
    pixel, part = _distance(x, g, channels_last), _part(x, w, residual, g, channels_last, into)
    for t, last in ((None if pixel else x, channels_last), (w, channels_last), (bias, False),
                    (residual if part is None else None, channels_last)):
        if t is not None and launch.packed(t, last).data_ptr() != t.data_ptr():
            return
    ready, size = _find(x, w, bias, e, g, channels_last, launch.MOST_ALIGNED, pixel,
                        None if part is None else part.stride(-1))
    if ready is None:
        return
    if len(_recent) >= launch.MOST_PLANS:
        _recent.clear()
    *tensors, of_residual = given
    _recent[key] = _Layer(tensors, of_residual, dtype, again, ready, None if part is None else size)
