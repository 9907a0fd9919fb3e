"""The tensors within a split model: a rank's rows, and which rows of the whole they are.

Each operation of PyTorch on such a tensor comes to SplitTensor.__torch_function__(). Operations that treat each row by itself run as
they are; others have a function in a table, registered with @implements; all others are refused. So nothing computes
something else than the unsplit model.
"""
import operator
import sys
import weakref

import torch
from torch import nn

from .._c.interface import Refused
from .._conv.operators import same
from ._exchange import entering, Fetch, fetched, plain
from ._ranges import Rows

names_of_modules = weakref.WeakKeyDictionary()  # of split models
_HANDLERS = {}  # by name: (function, Names or None, what else it takes)


def implements(*names, takes=None, several=False, own_numbers=False):
    """Registers f(function, args, kwargs, given) for PyTorch's functions of these names. Within it, split tensors are
    ordinary. takes: a text for Names; `given` has the arguments after the first by name, and args[0] is the split tensor.
    None: the function treats each element by itself, PyTorch checks its arguments, and `given` is None. several: operands other than
    the first may be split. own_numbers: arguments may be OwnNumbers."""
    def register(f):
        _HANDLERS.update(dict.fromkeys(names, (f, takes and Names(takes), several, own_numbers)))
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
        if name not in _HANDLERS:
            refuse(f"{name.replace('__get__ ', '.')} of a split tensor is not supported")
        handler, names, several, own_numbers = _HANDLERS[name]
        with plain():
            kwargs, given = canonical(name, kwargs or {}), None
            if names is not None:
                args, kwargs, given = names.of(func, name, args, kwargs)
                if not several:
                    _only_first(name, args[0], given)
                if not own_numbers:
                    refuse_own_numbers(name, given)
            return handler(func, args, kwargs, given)

    def __repr__(self):
        with plain():
            return f"SplitTensor({tuple(self.shape)}, {describe(self.spreads)})"

    __str__ = __repr__

    def __format__(self, _):
        return repr(self)

    def __deepcopy__(self, memo):
        refuse("a copy by copy.deepcopy() of a split tensor is not supported")

    def set_(self, *_, **__):  # PyTorch does not pass it to __torch_function__(), nor the next one
        refuse("set_ of a split tensor is not supported")

    def as_subclass(self, _):
        refuse("as_subclass of a split tensor is not supported")


_ALSO = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}  # NumPy's names


def canonical(name, kwargs):
    """Named arguments with PyTorch's own names."""
    named = {_ALSO.get(key, key): value for key, value in kwargs.items()}
    if len(named) != len(kwargs):
        refuse(f"{name} has an argument with two of its names: {', '.join(kwargs)}")
    if named.pop("out", None) is not None:
        refuse(f"{name} that writes its result into another tensor (out=) is not supported")
    return named


class Names:
    """The names of a function's arguments, in order: "input dim keepdim * dtype". Those after * can only be named; a|b is an
    argument with two names; the last in order takes all further values if it ends in "..."."""
    of_functions = {}  # of functions that share their name with another, but not the order

    def __init__(self, text):
        in_order, _, named = text.partition(" * ")
        self.collects = in_order.endswith("...")
        both = [names.split("|") for names in in_order.removesuffix("...").split()]
        self.first, self.in_order = both[0], [names[0] for names in both]
        self.known = {name: names[0] for names in both + [names.split("|") for names in named.split()] for name in names}

    def of(self, func, name, args, kwargs):
        """(args, in which the first operand is the first; kwargs; the values of all others by name)."""
        own = self.of_functions.get(func, self)
        if own is not self:
            return own.of(func, name, args, kwargs)
        if not args:
            key = next((key for key in self.first if key in kwargs), None)
            if key is None:
                refuse(f"{name} without argument '{self.first[0]}' is not supported")
            args, kwargs = (kwargs[key],), {k: v for k, v in kwargs.items() if k != key}
        last = len(self.in_order) - 1
        given = dict(zip(self.in_order[1:], args[1:]))
        if len(args) > last + 1:
            if not self.collects:
                refuse(f"{name} with {len(args)} arguments without names is not supported for split tensors, only with "
                       f"{', '.join(self.in_order)}")
            given[self.in_order[last]] = tuple(args[last:])
        for key, value in kwargs.items():
            if key not in self.known:
                refuse(f"argument '{key}' of {name} is not supported for split tensors")
            if self.known[key] in given:
                refuse(f"argument '{key}' of {name} is given twice")
            given[self.known[key]] = value
        return args, kwargs, given


def _only_first(name, first, given):
    if isinstance(first, torch.Tensor) and not isinstance(first, SplitTensor):
        refuse(f"{name} of an ordinary tensor is not supported if another operand is split")
    for key, value in given.items():
        if isinstance(value, (torch.Tensor, list, tuple)) and any(isinstance(t, SplitTensor) for t in tensors_in(value)):
            refuse(f"{name} whose {key} is split is not supported")


def refuse_own_numbers(name, given):
    for key, value in given.items():
        if any(isinstance(n, OwnNumber) for n in (value if isinstance(value, (tuple, list)) else (value,))):
            refuse(f"{name} whose {key} is {value}, computed from the rank's own rows, is not supported: the unsplit model has "
                   "another number")


class OwnNumber(int):
    """A number of rows of this rank, or a number that was computed from it: the unsplit model has another one. `comm`: of
    which these are all rows; None if it was computed."""
    comm = None


def _stays_own(name):
    compute = getattr(int, name)

    def method(self, *others):
        result = compute(self, *others)
        return OwnNumber(result) if type(result) is int else result
    setattr(OwnNumber, name, method)


for _name in ("add", "sub", "mul", "floordiv", "mod", "pow"):
    _stays_own(f"__{_name}__")
    _stays_own(f"__r{_name}__")
_stays_own("__neg__")
_stays_own("__abs__")


def own_rows(spread, size):
    number = OwnNumber(size)
    number.comm = spread.comm
    return number


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
        return same(tensor)


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
    return fetched(x, Fetch(spread.comm, spread.dim, spread.parts, parts, f"rows to be moved ({where()})"))


def aligned(tensors, spreads=None):
    """(the tensors, divided alike where they are divided, their spreads). Parts are those of the first."""
    if spreads is None:
        spreads = {}
        for t in tensors:
            for s in getattr(t, "spreads", ()):
                spreads.setdefault(s.comm, s)
        spreads = tuple(spreads.values())
    return [_aligned(t, spreads) for t in tensors], spreads


def _aligned(t, spreads):
    own = {s.comm: s for s in getattr(t, "spreads", ())}
    for s in spreads:
        mine = own.get(s.comm)
        if mine is not None:
            if mine.dim != s.dim or mine.whole != s.whole:
                refuse(f"tensors that are split differently meet: {mine.whole} rows in dimension {mine.dim}, and {s.whole} "
                       f"rows in dimension {s.dim}")
            t = moved(t, mine, s.parts)
            continue
        t = entering(t, (s.comm,))
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
    comms = tuple(s.comm for s in x.spreads)
    return [t if t is None else entering(t, comms) for t in others]


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
def _each_element(func, args, kwargs, _):
    before, name = tensors_in(args, kwargs), func.__name__
    in_place = name.startswith("__i") and name != "__invert__" or name.endswith("_") and not name.endswith("__")
    if in_place and not isinstance(before[0], SplitTensor):
        refuse(f"{name} writes a split tensor into an ordinary one")
    refuse_own_numbers(name, {**{f"argument {i}": value for i, value in enumerate(args)}, **kwargs})
    after, spreads = aligned(before)
    if in_place and after[0] is not before[0]:
        refuse(f"{name} writes a result that is split along more dimensions than the tensor")
    if name in ("to", "type_as") and len(before) > 1:  # the other one only says the type
        after = [before[0], *before[1:]]
        spreads = getattr(before[0], "spreads", ())
    replaced = iter(after)
    result = func(*mapped(lambda _: next(replaced), args), **mapped(lambda _: next(replaced), kwargs))
    if isinstance(result, tuple):
        refuse(f"{name} of a condition alone is not supported")
    made = isinstance(result, torch.Tensor) and not any(result is t for t in before)  # type() may be a question
    return split(result, spreads) if made else result


@implements("prelu", takes="input weight")
def parameters_whole(func, args, kwargs, _):
    """A function whose operands belong to the channels, except the first, and whose sums do not cross rows."""
    x = args[0]
    if any(s.dim == 1 - x.dim() for s in x.spreads):
        refuse(f"{func.__name__} along the split dimension is not supported")
    enter = lambda t: entered(x, t)[0]  # noqa: E731
    return split(func(x, *mapped(enter, args[1:]), **mapped(enter, kwargs)), x.spreads)


@implements("dim", "ndimension", "stride", "element_size", "is_contiguous", "is_floating_point", "is_complex", "get_device",
            "__len__", "storage_offset", "is_same_size", "__hash__", "register_hook", "retain_grad", "_is_view", "is_inference",
            "requires_grad_", "is_neg", "is_conj", "is_signed", "is_nonzero_static", "has_names", "is_distributed", "is_tensor",
            *("__get__ " + name for name in (
                "dtype", "device", "requires_grad", "ndim", "is_cuda", "is_leaf", "grad_fn", "layout", "is_sparse",
                "is_quantized", "is_meta", "is_cpu", "is_mps", "is_xpu", "is_mkldnn", "is_nested", "names", "_version",
                "output_nr", "retains_grad", "itemsize", "nbytes", "is_sparse_csr", "is_ipu", "is_xla", "is_vulkan")),
            "__set__ requires_grad")
def _says(func, args, kwargs, _):
    return func(*args, **kwargs)


@implements("size", "numel", "nelement", "__get__ shape")
def _sizes(func, args, kwargs, _):
    """Sizes are those of the rank's rows."""
    x, result = args[0], func(*args, **kwargs)
    if func.__name__ in ("numel", "nelement"):
        return OwnNumber(result)
    if isinstance(result, int):
        d, = dims_of(x, args[1] if len(args) > 1 else kwargs["dim"])
        return next((own_rows(s, result) for s in x.spreads if x.dim() + s.dim == d), result)
    sizes = list(result)
    for s in x.spreads:
        sizes[s.dim] = own_rows(s, sizes[s.dim])
    return torch.Size(sizes)


def local(func, args, kwargs, spreads=None):
    """Runs a function of only the first argument's rows; ordinary operands are used whole."""
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
    found = []
    for d in dims if isinstance(dims, (list, tuple)) else (dims,):
        if isinstance(d, bool) or not hasattr(d, "__index__") or not -x.dim() <= operator.index(d) < x.dim():
            refuse(f"{d!r} is not a dimension of a tensor of {x.dim()} dimensions")
        found.append(operator.index(d) % x.dim())
    return found


def cut_dims(x):
    return [x.dim() + s.dim for s in x.spreads]


def with_rows(spread, rows, result):
    """The spreads of a result that has other rows: parts `rows` along a spread."""
    return tuple(s._replace(parts=rows) if s.comm is spread.comm else s for s in result)


def cropped(x, spread, begin, end):
    """Rows [begin, end) of the whole."""
    kept = [p.common(Rows(begin, end)) for p in spread.parts]
    own = kept[spread.comm.rank]
    at, parts = 0, []
    for rows in kept:
        parts.append(Rows(at, at + rows.size))
        at += rows.size
    return x.narrow(spread.dim, own.begin - spread.own.begin if own.size else 0, own.size), tuple(parts)
