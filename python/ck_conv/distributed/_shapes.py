"""Operations that change the dimensions of split tensors, or work along one of them."""
import torch

from ._exchange import total, wide
from ._tensor import (SplitTensor, aligned, argument, cropped, cut_dims, dims_of, entered, implements, local, moved, refuse,
                      split, where, with_dims, with_rows)
from ._ranges import Rows


def _several(args, kwargs, position, name):
    """The numbers of f(x, 0, 1) or f(x, (0, 1))."""
    given = args[position:] if len(args) > position else kwargs[name]
    return given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given


def _uncut(x, dims, what):
    for d in dims_of(x, dims):
        if d in cut_dims(x):
            refuse(f"{what} along the split dimension {d - x.dim()} is not supported")


@implements("cat", "concat", "concatenate")
def _cat(func, args, kwargs):
    tensors, dim = argument(args, kwargs, 0, "tensors"), argument(args, kwargs, 1, "dim", 0)
    first = next(t for t in tensors if isinstance(t, SplitTensor))
    _uncut(first, dim, "torch.cat")
    ndim = first.dim()
    if any(t.dim() != ndim for t in tensors):
        refuse("torch.cat wants tensors of equally many dimensions")
    together, spreads = aligned(list(tensors))
    for s in spreads:
        if any(t.size(s.dim) != s.own.size for t in together):
            refuse("torch.cat of a split tensor and an ordinary one with a single row")
    return split(func(together, dim), spreads)


@implements("stack")
def _stack(func, args, kwargs):
    tensors, dim = argument(args, kwargs, 0, "tensors"), argument(args, kwargs, 1, "dim", 0)
    together, _ = aligned(list(tensors))
    result = func(together, dim)
    x = next(t for t in tensors if isinstance(t, SplitTensor))
    at = dim % result.dim()
    return split(result, with_dims(x, result.dim(), {d: d + (d >= at) for d in range(x.dim())}))


@implements("chunk", "split", "split_with_sizes", "tensor_split", "narrow", "flip", "roll", "repeat_interleave", "cumsum",
            "softmax", "log_softmax", "sort", "glu", "normalize", "index_select")
def _along(func, args, kwargs):
    name, x = func.__name__, args[0]
    position = {"narrow": 1, "softmax": 1, "log_softmax": 1, "cumsum": 1, "flip": 1, "sort": 1, "glu": 1,
                "index_select": 1}.get(name, 3 if name == "normalize" else 2)
    default = {"chunk": 0, "split": 0, "split_with_sizes": 0, "tensor_split": 0, "glu": -1, "normalize": 1, "sort": -1}.get(
        name)
    dim = argument(args, kwargs, position, "dims" if name in ("flip", "roll") else "dim", default)
    _uncut(x, dim, name)
    if any(isinstance(t, torch.Tensor) for t in args[1:]):
        args = (x, *(entered(x, t)[0] if isinstance(t, torch.Tensor) else t for t in args[1:]))
    result = func(*args, **kwargs)
    if isinstance(result, torch.Tensor):
        return split(result, x.spreads)
    return type(result)(split(t, x.spreads) for t in result) if type(result) in (tuple, list) else refuse(
        f"{name} is not supported")


def _over(x, dims, keepdim):
    """The spreads after a reduction over dims. Those of dims that are gone mean nothing."""
    gone = [] if keepdim else dims_of(x, dims)
    left = [d for d in range(x.dim()) if d not in gone]
    return with_dims(x, len(left), {d: left.index(d) if d in left else 0 for d in range(x.dim())})


@implements("amax", "amin", "std", "var", "prod", "logsumexp", "norm", "all", "any", "argmax", "argmin", "select", "unbind")
def _reduce_locally(func, args, kwargs):
    name, x = func.__name__, args[0]
    dim = argument(args, kwargs, 2 if name == "norm" else 1, "dim", 0 if name == "unbind" else None)
    if name in ("std", "var") and not isinstance(dim, (int, tuple, list)) or isinstance(dim, bool):
        refuse(f"{name} over all elements of a split tensor is not supported")
    _uncut(x, dim, name)
    keepdim = argument(args, kwargs, 3 if name in ("norm", "std", "var") else 2, "keepdim", False)
    spreads = _over(x, dim, keepdim and name not in ("select", "unbind"))
    result = func(*args, **kwargs)
    return split(result, spreads) if isinstance(result, torch.Tensor) else tuple(split(t, spreads) for t in result)


@implements("mean", "sum")
def _sum(func, args, kwargs):
    """Over a split dimension: the sum over all ranks, an ordinary tensor that all hold alike."""
    x = args[0]
    dims = argument(args, kwargs, 1, "dim")
    keepdim = argument(args, kwargs, 2, "keepdim", False)
    dtype = kwargs.get("dtype")
    dims = dims_of(x, dims if dims != () and dims != [] else None)
    crossed = [s for s in x.spreads if x.dim() + s.dim in dims]
    if not crossed:
        return split(func(*args, **kwargs), _over(x, dims, keepdim))
    out = dtype or (x.dtype if x.is_floating_point() else torch.int64)
    result = x.sum(dims, keepdim, dtype=wide(out))
    result = total(result, [s.ring for s in crossed])
    if func.__name__ == "mean":
        count = 1
        for d in dims:
            count *= next((s.whole for s in crossed if x.dim() + s.dim == d), x.size(d))
        result = result / count
    return split(result.to(out), [s for s in _over(x, dims, keepdim) if all(s.ring is not c.ring for c in crossed)])


@implements("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d")
def _adaptive(func, args, kwargs):
    x, size = args[0], argument(args, kwargs, 1, "output_size")
    rank = int(func.__name__[-2])
    sizes = [size] * rank if isinstance(size, int) or size is None else list(size)
    for s in x.spreads:
        if s.dim >= -rank and sizes[s.dim] != 1:
            refuse(f"{func.__name__} to {sizes[s.dim]} rows along the split dimension is not supported, only to 1")
    over = [s.dim for s in x.spreads if s.dim >= -rank]
    pooled = _sum(torch.mean, (x, over, True), {}) if over else x
    if isinstance(pooled, SplitTensor):
        return split(func(pooled, *args[1:], **kwargs), pooled.spreads)
    return func(pooled, *args[1:], **kwargs)


@implements("permute")
def _permute(func, args, kwargs):
    x, order = args[0], dims_of(args[0], list(_several(args, kwargs, 1, "dims")))
    return split(x.permute(order), with_dims(x, x.dim(), {d: i for i, d in enumerate(order)}))


@implements("transpose", "swapaxes", "swapdims")
def _transpose(func, args, kwargs):
    x = args[0]
    a, b = dims_of(x, [argument(args, kwargs, 1, "dim0"), argument(args, kwargs, 2, "dim1")])
    return split(x.transpose(a, b), with_dims(x, x.dim(), {**{d: d for d in range(x.dim())}, a: b, b: a}))


@implements("movedim", "moveaxis")
def _movedim(func, args, kwargs):
    x = args[0]
    marked = torch.empty([1] * x.dim(), device="meta").as_strided(list(range(2, 2 + x.dim())), [0] * x.dim())
    order = [size - 2 for size in func(marked, *args[1:], **kwargs).shape]  # from its size, where each dimension went
    return split(func(*args, **kwargs), with_dims(x, x.dim(), {d: i for i, d in enumerate(order)}))


@implements("unsqueeze")
def _unsqueeze(func, args, kwargs):
    x, dim = args[0], argument(args, kwargs, 1, "dim")
    at = dim % (x.dim() + 1)
    return split(func(*args, **kwargs), with_dims(x, x.dim() + 1, {d: d + (d >= at) for d in range(x.dim())}))


@implements("squeeze")
def _squeeze(func, args, kwargs):
    x = args[0]
    dims = argument(args, kwargs, 1, "dim")
    gone = [d for d in dims_of(x, dims) if x.size(d) == 1 and d not in cut_dims(x)]
    if dims is not None:
        _uncut(x, dims, "squeeze")
    left = [d for d in range(x.dim()) if d not in gone]
    return split(x.reshape([x.size(d) for d in left]), with_dims(x, len(left), {d: i for i, d in enumerate(left)}))


def _product(sizes):
    result = 1
    for size in sizes:
        result *= size
    return result


@implements("view", "reshape", "flatten", "unflatten", "reshape_as", "view_as", "expand", "expand_as", "repeat")
def _reshape(func, args, kwargs):
    """The split dimension must stay one of its own."""
    x = args[0]
    if args[1:] and isinstance(args[1], torch.dtype):
        refuse("a view of another type is not supported")
    result = func(*(t if not isinstance(t, SplitTensor) else t for t in args), **kwargs)
    if func.__name__ in ("expand", "expand_as", "repeat"):
        for s in x.spreads:
            if result.size(s.dim) != x.size(s.dim):
                refuse(f"{func.__name__} along the split dimension {s.dim} is not supported")
        return split(result, x.spreads)
    places = {}
    for s, d in zip(x.spreads, cut_dims(x)):
        before, after = _product(x.shape[:d]), _product(x.shape[d + 1:])
        found = [i for i, size in enumerate(result.shape) if size == s.own.size and
                 _product(result.shape[:i]) == before and _product(result.shape[i + 1:]) == after]
        if any(p.size == 1 for p in s.parts):  # a single row looks like any dimension of length 1: ask ranks that have more
            answers = {row[0] for row in s.ring.table([found[0] if len(found) == 1 else -1], f"the shapes of {where()}")}
            found = list(answers - {-1}) or found
        if len(found) != 1:
            refuse(f"{func.__name__} from {tuple(x.shape)} to {tuple(result.shape)} does not keep the split dimension "
                   f"{s.dim}" + (", or not unmistakably" if found else "") +
                   ": use ck_conv.distributed.gather() on the model's result, or pool to one row first")
        places[d] = found[0]
    return split(result, with_dims(x, result.dim(), places))


@implements("__getitem__")
def _getitem(func, args, kwargs):
    x, index = args
    index = list(index) if isinstance(index, tuple) else [index]
    if any(isinstance(i, (torch.Tensor, list, bool)) for i in index):
        refuse("an index that is a tensor, a list or a bool is not supported for split tensors")
    taken = sum(i is not None and i is not Ellipsis for i in index)
    at = index.index(Ellipsis) if Ellipsis in index else len(index)
    index[at:at + 1] = [slice(None)] * (x.dim() - taken)
    places, d, new, spreads = {}, 0, 0, list(x.spreads)
    for position, i in enumerate(index):
        if i is None:
            new += 1
            continue
        if d in cut_dims(x):
            k = cut_dims(x).index(d)
            index[position], spreads[k] = _of_rows(x, spreads[k], i)
        if isinstance(i, slice):
            places[d] = new
            new += 1
        d += 1
    result = func(x, tuple(index))
    return split(result, tuple(s._replace(dim=places[x.dim() + s.dim] - new) for s in spreads))


def _of_rows(x, spread, i):
    """An index of the whole as (one of this rank's rows, the spread of the result)."""
    if not isinstance(i, slice):
        refuse(f"a single row, {i}, of the split dimension is not supported")
    begin, end = i.start or 0, 0 if i.stop is None else i.stop
    if i == slice(None):
        return i, spread
    if i.step not in (None, 1) or begin < 0 or (i.stop is not None and end >= 0):
        refuse(f"rows {i.start}:{i.stop}:{i.step} of the split dimension are not supported, only [a:] and [:-b]: an end that "
               "is counted from the start might have been computed from the rank's own size")
    kept, parts = cropped(x, spread, begin, max(spread.whole + end, begin))
    first = spread.own.common(Rows(begin, max(spread.whole + end, begin))).begin - spread.own.begin
    return slice(first, first + kept.size(spread.dim)), spread._replace(parts=parts)


@implements("linear", "layer_norm", "rms_norm")
def _last_dims(func, args, kwargs):
    """Functions of the last dimensions, which must not be split."""
    x = args[0]
    if func.__name__ == "linear":
        if not isinstance(x, SplitTensor):
            refuse("a linear layer whose weight is split is not supported")
        last = 1
    else:
        last = len(argument(args, kwargs, 1, "normalized_shape"))
    if any(s.dim >= -last for s in x.spreads):
        refuse(f"{func.__name__} over the split dimension is not supported: gather the rows first, with "
               "ck_conv.distributed.gather(), or pool them to one row")
    return local(func, args, kwargs)


@implements("pixel_shuffle", "pixel_unshuffle")
def _pixel_shuffle(func, args, kwargs):
    x, factor = args[0], argument(args, kwargs, 1, "upscale_factor", kwargs.get("downscale_factor"))
    up, spreads = func.__name__ == "pixel_shuffle", x.spreads
    for s in x.spreads:
        if s.dim == -3:
            refuse(f"{func.__name__} of split channels is not supported")
        if s.dim < -3:
            continue
        if up:
            rows = tuple(Rows(p.begin * factor, p.end * factor) for p in s.parts)
        else:
            if s.whole % factor:
                refuse(f"pixel_unshuffle by {factor} of {s.whole} rows")
            rows = s.cut.parts(s.whole // factor)
            x = moved(x, s, tuple(Rows(p.begin * factor, p.end * factor) for p in rows))
        spreads = with_rows(x, s, rows, spreads)
    return split(func(x, factor), spreads)
