"""The tensors within a split model: a rank's rows, and which rows of the whole they are.

Each operation of PyTorch on such a tensor comes to SplitTensor.__torch_function__(). Operations that treat rows alone run as
they are; others have a function in a table, registered with @implements; all others are refused. So nothing computes
something else than the unsplit model.
"""
import sys
import weakref

import torch
from torch import nn

from .._library import Refused
from ._exchange import Fetch, entering, fetched, plain
from ._ranges import Rows

names_of_modules = weakref.WeakKeyDictionary()  # of split models
_HANDLERS = {}


def implements(*names):
    """Registers f(function, args, kwargs) for PyTorch's functions of these names. Within it, split tensors are ordinary."""
    def register(f):
        _HANDLERS.update(dict.fromkeys(names, f))
        return f
    return register


class SplitTensor(torch.Tensor):
    """A rank's rows of a tensor. `spreads`: a Spread for each dimension that is divided, at least one."""
    spreads = ()
    takes_convolutions = True  # of ck_conv.functional, too

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", str(func))
        if name in ("__get__", "__set__"):
            name += " " + getattr(getattr(func, "__self__", None), "__name__", "?")
        handler = _HANDLERS.get(name)
        if handler is None:
            refuse(f"{name.replace('__get__ ', '.')} of a split tensor is not supported")
        with plain():
            return handler(func, args, kwargs or {})

    def __repr__(self):
        with plain():
            return f"SplitTensor({tuple(self.shape)}, {describe(self.spreads)})"

    __str__ = __repr__

    def __format__(self, _):
        return repr(self)

    def __deepcopy__(self, memo):
        refuse("a copy by copy.deepcopy() of a split tensor is not supported")


def describe(spreads):
    return ", ".join(f"rows {s.own.begin} to {s.own.end - 1} of {s.whole} along {s.dim}" for s in spreads)


def where():
    """The innermost module of a split model whose method is running, in words."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_locals.get("self")
        if isinstance(module, nn.Module) and module in names_of_modules:
            return f"module '{names_of_modules[module]}' ({type(module).__name__})"
        frame = frame.f_back
    return "the split model"


def refuse(what):
    raise Refused(f"{where()}: {what}")


def split(tensor, spreads):
    """Makes a new tensor a SplitTensor, unless nothing divides it."""
    if not spreads:
        return tensor
    for s in spreads:
        if tensor.dim() < -s.dim or tensor.size(s.dim) != s.own.size:
            refuse(f"a result of size {tuple(tensor.shape)} does not have {s.own.size} rows in dimension {s.dim}, as its "
                   "operands do")
    tensor.__class__ = SplitTensor
    tensor.spreads = tuple(spreads)
    return tensor


def unsplit(tensor):
    """An ordinary tensor with the rank's rows."""
    with plain():
        return tensor.view_as(tensor)


def argument(args, kwargs, position, name, default=None):
    return args[position] if len(args) > position else kwargs.get(name, default)


def mapped(f, value):
    """Applies f to tensors in nested lists, tuples and dicts."""
    if isinstance(value, torch.Tensor):
        return f(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(f, v) for v in value))
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(f, v) for v in value)
    if isinstance(value, dict):
        made = {key: mapped(f, v) for key, v in value.items()}
        return made if type(value) is dict else _updated(value, made)
    return value


def _updated(like, values):
    import copy
    made = copy.copy(like)
    for key, value in values.items():
        made[key] = value
    return made


def tensors_in(*values):
    found = []
    mapped(found.append, values)
    return found


def moved(x, spread, parts):
    """x with other parts along a spread's dimension."""
    if spread.parts == parts:
        return x
    return fetched(x, Fetch(spread.ring, spread.dim, spread.parts, parts, f"rows to be moved ({where()})"))


def aligned(tensors, spreads=None):
    """(the tensors, divided alike where they are divided, their spreads). Parts are those of the first."""
    if spreads is None:
        spreads = {}
        for t in tensors:
            for s in getattr(t, "spreads", ()):
                spreads.setdefault(s.ring, s)
        spreads = tuple(spreads.values())
    return [_aligned(t, spreads) for t in tensors], spreads


def _aligned(t, spreads):
    own = {s.ring: s for s in getattr(t, "spreads", ())}
    for s in spreads:
        mine = own.get(s.ring)
        if mine is not None:
            if mine.dim != s.dim or mine.whole != s.whole:
                refuse(f"tensors that are split differently meet: {mine.whole} rows in dimension {mine.dim}, and {s.whole} "
                       f"rows in dimension {s.dim}")
            t = moved(t, mine, s.parts)
            continue
        t = entering(t, (s.ring,))
        rows = t.size(s.dim) if t.dim() >= -s.dim else 1
        if rows == s.whole and rows != 1:
            t = t.narrow(s.dim, s.own.begin, s.own.size)
        elif rows != 1:
            refuse(f"an ordinary tensor with {rows} rows in dimension {s.dim} meets a split one of {s.whole} rows, of which "
                   f"this rank has {s.own.size}. It must have 1 or all rows; make tensors of the same size with "
                   "torch.zeros_like() and the like")
    return t


def entered(x, *others):
    """Operands of a split tensor's operation that each rank uses whole, such as weights."""
    rings = tuple(s.ring for s in x.spreads)
    return [t if t is None else entering(t, rings) for t in others]


@implements(
    "relu", "relu_", "relu6", "leaky_relu", "leaky_relu_", "silu", "gelu", "mish", "hardswish", "hardsigmoid", "hardtanh",
    "hardtanh_", "elu", "elu_", "celu", "celu_", "selu", "selu_", "softplus", "sigmoid", "sigmoid_", "tanh", "tanh_",
    "softsign", "tanhshrink", "softshrink", "hardshrink", "logsigmoid", "threshold", "threshold_", "rrelu", "dropout",
    "dropout_", "add", "add_", "sub", "sub_", "mul", "mul_", "div", "div_", "multiply", "multiply_", "divide", "divide_",
    "subtract", "subtract_", "true_divide", "true_divide_", "floor_divide", "rsub", "remainder", "fmod", "neg", "neg_",
    "negative", "abs", "abs_", "absolute", "exp", "exp_", "expm1", "log", "log_", "log1p", "log2", "sqrt", "sqrt_", "rsqrt",
    "rsqrt_", "pow", "pow_", "square", "square_", "reciprocal", "reciprocal_", "clamp", "clamp_", "clip", "clip_",
    "clamp_min", "clamp_min_", "clamp_max", "clamp_max_", "maximum", "minimum", "fmax", "fmin", "where", "lerp", "lerp_",
    "addcmul", "addcmul_", "addcdiv", "addcdiv_", "sin", "cos", "erf", "erfc", "atan", "sinh", "cosh", "sign", "round",
    "floor", "ceil", "trunc", "frac", "heaviside", "hypot", "logaddexp", "xlogy", "isnan", "isinf", "isfinite", "nan_to_num",
    "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_and",
    "bitwise_or", "bitwise_xor", "bitwise_not", "__and__", "__or__", "__xor__", "__invert__", "__add__", "__radd__",
    "__iadd__", "__sub__", "__rsub__", "__isub__", "__mul__", "__rmul__", "__imul__", "__truediv__", "__rtruediv__",
    "__itruediv__", "__div__", "__rdiv__", "__idiv__", "__pow__", "__rpow__", "__ipow__", "__mod__", "__neg__", "__abs__",
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__floordiv__", "masked_fill", "masked_fill_", "zero_",
    "fill_", "copy_", "to", "type", "float", "double", "half", "bfloat16", "int", "long", "bool", "cuda", "cpu", "type_as",
    "contiguous", "clone", "detach", "detach_", "alias", "zeros_like", "ones_like", "empty_like", "full_like", "rand_like",
    "randn_like")
def _each_element(func, args, kwargs):
    before, name = tensors_in(args, kwargs), func.__name__
    if kwargs.get("out") is not None or not isinstance(before[0], SplitTensor) and (
            name.startswith("__i") and name != "__invert__" or name.endswith("_") and not name.endswith("__")):
        refuse(f"{name} writes a split tensor into an ordinary one")
    after, spreads = aligned(before)
    if name in ("to", "type_as") and len(before) > 1:  # the other one only says the type
        after = [before[0], *before[1:]]
        spreads = getattr(before[0], "spreads", ())
    replaced = iter(after)
    result = func(*mapped(lambda _: next(replaced), args), **mapped(lambda _: next(replaced), kwargs))
    made = isinstance(result, torch.Tensor) and not any(result is t for t in before)  # type() may be a question
    return split(result, spreads) if made else result


@implements("prelu")
def parameters_whole(func, args, kwargs):
    """A function whose operands belong to the channels, except the first, and whose sums do not cross rows."""
    x = args[0]
    if any(s.dim == 1 - x.dim() for s in x.spreads):
        refuse(f"{func.__name__} along the split dimension is not supported")
    enter = lambda t: entered(x, t)[0]  # noqa: E731
    return split(func(x, *mapped(enter, args[1:]), **mapped(enter, kwargs)), x.spreads)


@implements("size", "dim", "ndimension", "stride", "numel", "nelement", "element_size", "is_contiguous",
            "is_floating_point", "is_complex", "get_device", "__len__", "storage_offset", "is_same_size", "__hash__", "register_hook",
            "retain_grad", "_is_view", "is_inference", "requires_grad_", "is_neg", "is_conj", "is_signed", "is_nonzero_static",
            "has_names", "is_distributed", "is_tensor", *("__get__ " + name for name in (
                "shape", "dtype", "device", "requires_grad", "ndim", "is_cuda", "is_leaf", "grad_fn", "layout", "is_sparse",
                "is_quantized", "is_meta", "is_cpu", "is_mps", "is_xpu", "is_mkldnn", "is_nested", "names", "_version",
                "output_nr", "retains_grad", "itemsize", "nbytes", "is_sparse_csr", "is_ipu", "is_xla", "is_vulkan")),
            "__set__ requires_grad")
def _says(func, args, kwargs):
    """Sizes are those of the rank's rows."""
    return func(*args, **kwargs)


def local(func, args, kwargs, spreads=None):
    """Runs a function of the first argument's rows alone; ordinary operands are used whole."""
    x = args[0]
    enter = lambda t: entered(x, t)[0]  # noqa: E731
    return split(func(x, *mapped(enter, args[1:]), **mapped(enter, kwargs)), x.spreads if spreads is None else spreads)


def with_dims(x, ndim, places):
    """x's spreads in a tensor of ndim dimensions. places: {dimension of x, from the left: the new one}."""
    return tuple(s._replace(dim=places[x.dim() + s.dim] - ndim) for s in x.spreads)


def dims_of(x, dims):
    """Dimensions counted from the left; all for None."""
    if dims is None:
        return list(range(x.dim()))
    return [d % x.dim() if x.dim() else 0 for d in (dims if isinstance(dims, (list, tuple)) else (dims,))]


def cut_dims(x):
    return [x.dim() + s.dim for s in x.spreads]


def with_rows(x, spread, rows, result):
    """The spreads of a result that has other rows: parts `rows` along a spread."""
    return tuple(s._replace(parts=rows) if s.ring is spread.ring else s for s in result)


def cropped(x, spread, begin, end):
    """Rows [begin, end) of the whole."""
    kept = [p.common(Rows(begin, end)) for p in spread.parts]
    own = kept[spread.ring.rank]
    at, parts = 0, []
    for rows in kept:
        parts.append(Rows(at, at + rows.size))
        at += rows.size
    return x.narrow(spread.dim, own.begin - spread.own.begin if own.size else 0, own.size), tuple(parts)
