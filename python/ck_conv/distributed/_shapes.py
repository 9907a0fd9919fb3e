"""Operations that change the dimensions of split tensors, or work along one of them."""
import math
import operator

import torch

from .._conv.operators import any_autocast
from ._exchange import total, wide
from ._ranges import Rows
from ._tensor import (aligned, cropped, cut_dims, dims_of, entered, implements, local, moved, own_rows, OwnNumber,
                      refuse, split, SplitTensor, where, with_dims, with_rows)


def _several(given):
    """The numbers of f(x, 0, 1), f(x, (0, 1)) or f(x, 0)."""
    return list(given) if isinstance(given, (tuple, list)) else [given]


def _uncut(x, dims, what):
    for d in dims_of(x, dims):
        if d in cut_dims(x):
            refuse(f"{what} along the split dimension {d - x.dim()} is not supported")


def _together(tensors, what):
    """aligned() for operations that do not expand their operands."""
    if not isinstance(tensors, (tuple, list)):
        refuse(f"{what} takes a list or a tuple of tensors")
    if any(t.dim() != tensors[0].dim() for t in tensors):
        refuse(f"{what} needs tensors with the same number of dimensions")
    together, spreads = aligned(list(tensors))
    for s in spreads:
        if s.whole != 1 and any(t.size(s.dim) == 1 for t in tensors if not isinstance(t, SplitTensor)):
            refuse(f"{what} of a split tensor and an ordinary one with a single row")
    return together, spreads


@implements("cat", "concat", "concatenate", takes="tensors dim", several=True)
def _cat(func, args, kwargs, given):
    together, spreads = _together(args[0], "torch.cat")
    ndim, dim = together[0].dim(), given.get("dim", 0)
    for d in dims_of(together[0], dim):
        if any(s.dim == d - ndim for s in spreads):
            refuse(f"torch.cat along the split dimension {d - ndim} is not supported")
    return split(func(together, dim), spreads)


@implements("stack", takes="tensors dim", several=True)
def _stack(func, args, kwargs, given):
    together, spreads = _together(args[0], "torch.stack")
    result = func(together, given.get("dim", 0))
    at, ndim = given.get("dim", 0) % result.dim(), together[0].dim()
    places = {d: d + (d >= at) for d in range(ndim)}
    return split(result, [s._replace(dim=places[ndim + s.dim] - result.dim()) for s in spreads])


def _along(func, args, kwargs, given):
    """Works along one or more dimensions that are not split, and leaves the others as they are."""
    x, dims = args[0], given.get("dims", given.get("dim", _DEFAULT_DIMS.get(func.__name__)))
    _uncut(x, dims, func.__name__)
    enter = lambda t: entered(x, t)[0] if isinstance(t, torch.Tensor) else t  # noqa: E731
    result = func(x, *map(enter, args[1:]), **{name: enter(t) for name, t in kwargs.items()})
    if isinstance(result, torch.Tensor):
        return split(result, x.spreads)
    return type(result)([split(t, x.spreads) for t in result])


_DEFAULT_DIMS = {"chunk": 0, "split": 0, "split_with_sizes": 0, "tensor_split": 0, "glu": -1, "normalize": 1, "sort": -1}
for _names, _takes in (
        (("chunk",), "input chunks dim"), (("split",), "input|tensor split_size_or_sections|split_size dim"),
        (("split_with_sizes",), "input split_sizes dim"),
        (("tensor_split",), "input indices_or_sections|indices|sections|tensor_indices_or_sections dim"),
        (("narrow",), "input dim start length"), (("flip",), "input dims..."), (("roll",), "input shifts dims"),
        (("repeat_interleave",), "input repeats dim * output_size"), (("cumsum",), "input dim * dtype"),
        (("softmax", "log_softmax"), "input dim dtype _stacklevel"), (("sort",), "input dim descending * stable"),
        (("glu",), "input dim"), (("normalize",), "input p dim eps"), (("index_select",), "input dim index")):
    implements(*_names, takes=_takes)(_along)


def _over(x, dims, keepdim):
    """The spreads after a reduction over dims. Those of dims that are gone mean nothing."""
    gone = [] if keepdim else dims_of(x, dims)
    left = [d for d in range(x.dim()) if d not in gone]
    return with_dims(x, len(left), {d: left.index(d) if d in left else 0 for d in range(x.dim())})


def _reduce_locally(func, args, kwargs, given):
    name, x = func.__name__, args[0]
    dim = given.get("dim", 0 if name == "unbind" else None)
    if isinstance(dim, bool):  # std(unbiased)
        refuse(f"{name} over all elements of a split tensor is not supported")
    dim = None if dim == () or dim == [] else dim
    _uncut(x, dim, name)
    spreads = _over(x, dim, given.get("keepdim", False))
    result = func(*args, **kwargs)
    return split(result, spreads) if isinstance(result, torch.Tensor) else tuple(split(t, spreads) for t in result)


for _names, _takes in (
        (("amax", "amin", "logsumexp", "all", "any", "argmax", "argmin"), "input dim keepdim"),
        (("std", "var"), "input dim unbiased keepdim * correction"), (("prod",), "input dim keepdim * dtype"),
        (("norm",), "input p dim keepdim dtype"), (("select",), "input dim index"), (("unbind",), "input dim")):
    implements(*_names, takes=_takes)(_reduce_locally)


@implements("mean", "sum", takes="input dim keepdim * dtype")
def _sum(func, args, kwargs, given):
    """Over a split dimension: the sum over all ranks, an ordinary tensor that all hold alike."""
    x, dims, keepdim, dtype = args[0], given.get("dim"), given.get("keepdim", False), given.get("dtype")
    dims = dims_of(x, dims if dims != () and dims != [] else None)
    crossed = [s for s in x.spreads if x.dim() + s.dim in dims]
    if not crossed:
        return split(func(*args, **kwargs), _over(x, dims, keepdim))
    out = dtype or x.dtype
    if any_autocast() or not out.is_floating_point:  # PyTorch has rules for the type, or an error
        out = func(torch.zeros(1, dtype=x.dtype, device=x.device), **({} if dtype is None else {"dtype": dtype})).dtype
    result = x.sum(dims, keepdim, dtype=wide(out))
    result = total(result, [s.comm for s in crossed])
    if func.__name__ == "mean":
        result = result / math.prod(next((s.whole for s in crossed if x.dim() + s.dim == d), x.size(d)) for d in dims)
    return split(result.to(out), [s for s in _over(x, dims, keepdim) if all(s.comm is not c.comm for c in crossed)])


@implements("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", takes="input output_size")
def _adaptive(func, args, kwargs, given):
    x, size = args[0], given["output_size"]
    rank = int(func.__name__[-2])
    sizes = [size] * rank if isinstance(size, int) or size is None else list(size)
    for s in x.spreads:
        if s.dim >= -rank and sizes[s.dim] != 1:
            refuse(f"{func.__name__} to {sizes[s.dim]} rows along the split dimension is not supported, only to 1")
    over = [s.dim for s in x.spreads if s.dim >= -rank]
    pooled = _sum(torch.mean, (x,), {}, {"dim": over, "keepdim": True}) if over else x
    if isinstance(pooled, SplitTensor):
        return split(func(pooled, size), pooled.spreads)
    return func(pooled, size)


@implements("permute", takes="input dims...")
def _permute(func, args, kwargs, given):
    x, order = args[0], dims_of(args[0], _several(given["dims"]))
    return split(x.permute(order), with_dims(x, x.dim(), {d: i for i, d in enumerate(order)}))


@implements("transpose", "swapaxes", "swapdims", takes="input dim0|axis0 dim1|axis1")
def _transpose(func, args, kwargs, given):
    x = args[0]
    a, b = dims_of(x, [given["dim0"], given["dim1"]])
    return split(x.transpose(a, b), with_dims(x, x.dim(), {**{d: d for d in range(x.dim())}, a: b, b: a}))


@implements("movedim", "moveaxis", takes="input source destination")
def _movedim(func, args, kwargs, given):
    x = args[0]
    marked = torch.empty([1] * x.dim(), device="meta").as_strided(list(range(2, 2 + x.dim())), [0] * x.dim())
    order = [size - 2 for size in func(marked, *args[1:], **kwargs).shape]  # from its size, where each dimension went
    return split(func(*args, **kwargs), with_dims(x, x.dim(), {d: i for i, d in enumerate(order)}))


@implements("unsqueeze", takes="input dim")
def _unsqueeze(func, args, kwargs, given):
    x, result = args[0], func(*args, **kwargs)
    at = given["dim"] % result.dim()
    return split(result, with_dims(x, result.dim(), {d: d + (d >= at) for d in range(x.dim())}))


@implements("squeeze", takes="input dim")
def _squeeze(func, args, kwargs, given):
    x, dims = args[0], given.get("dim")
    if dims is not None:
        _uncut(x, dims, "squeeze")
    for s in x.spreads:
        if s.whole == 1:
            refuse(f"squeeze of a split dimension {s.dim} that has a single row is not supported")
    gone = [d for d in dims_of(x, dims) if x.size(d) == 1 and d not in cut_dims(x)]
    left = [d for d in range(x.dim()) if d not in gone]
    return split(x.reshape([x.size(d) for d in left]), with_dims(x, len(left), {d: i for i, d in enumerate(left)}))


@implements("expand", takes="input size... * implicit", own_numbers=True)
def _expand(func, args, kwargs, given):
    x, size = args[0], _several(given["size"])
    for s in x.spreads:
        if len(size) >= -s.dim and size[s.dim] not in (-1, s.own.size):
            refuse(f"expand to {size[s.dim]} rows along the split dimension {s.dim} is not supported")
    return split(func(*args, **kwargs), x.spreads)


@implements("expand_as", takes="input other", several=True)
def _expand_as(func, args, kwargs, given):
    x, other = args[0], given["other"]
    (x, other), spreads = aligned([x, other])
    for s in spreads:
        if other.dim() < -s.dim or not isinstance(given["other"], SplitTensor) and given["other"].size(s.dim) != s.whole:
            refuse(f"expand_as of a split tensor to an ordinary one of size {tuple(given['other'].shape)}")
    return split(x.expand_as(other), spreads)


@implements("repeat", takes="input repeats|sizes...")
def _repeat(func, args, kwargs, given):
    x, times = args[0], _several(given["repeats"])
    for s in x.spreads:
        if len(times) >= -s.dim and times[s.dim] != 1:
            refuse(f"repeat along the split dimension {s.dim} is not supported")
    return split(func(*args, **kwargs), x.spreads)


def _keeps(x, s, size, place):
    """Whether a split dimension of x can be dimension `place` of a view of this size: what is before it stays before it."""
    d = x.dim() + s.dim
    return (size[place] == s.own.size and math.prod(x.shape[:d]) == math.prod(size[:place]) and
            math.prod(x.shape[d + 1:]) == math.prod(size[place + 1:]))


def _not_kept(func, x, size, s, why=""):
    refuse(f"{func.__name__} from {tuple(x.shape)} to {tuple(size)} does not keep the split dimension {s.dim}{why}: use "
           "ck_conv.distributed.gather() on the model's result, or pool to one row first")


@implements("flatten", takes="input start_dim end_dim")
def _flatten(func, args, kwargs, given):
    x = args[0]
    first, last = dims_of(x, [given.get("start_dim", 0), given.get("end_dim", -1)])
    result, places = func(*args, **kwargs), {}
    for s, d in zip(x.spreads, cut_dims(x)):
        others = [x.size(i) for i in range(first, last + 1) if i != d]
        if first <= d <= last and (any(size != 1 for size in others) or
                                   any(first <= other <= last for other in cut_dims(x) if other != d)):
            _not_kept(func, x, result.shape, s)
        places[d] = d if d < first else first if d <= last else d - (last - first)
    return split(result, with_dims(x, result.dim(), places))


@implements("unflatten", takes="input dim sizes|unflattened_size", own_numbers=True)
def _unflatten(func, args, kwargs, given):
    x, (at,), sizes = args[0], dims_of(args[0], given["dim"]), list(given["sizes"])
    before = list(x.shape)
    if at in cut_dims(x):  # the others stay, so this is a view whose sizes before and after it are known
        s = x.spreads[cut_dims(x).index(at)]
        for other, d in zip(x.spreads, cut_dims(x)):
            before[d] = own_rows(other, other.own.size)
        return _viewed(func, x, before[:at] + [own_rows(s, s.own.size) if size == -1 and math.prod(sizes) == -1 else size
                                               for size in sizes] + before[at + 1:])
    result = func(*args, **kwargs)
    more = result.dim() - x.dim()
    return split(result, with_dims(x, result.dim(), {d: d + more * (d > at) for d in range(x.dim())}))


@implements("view_as", "reshape_as", takes="input other", several=True)
def _view_as(func, args, kwargs, given):
    x, other = args[0], given["other"]
    if not isinstance(x, SplitTensor) or not isinstance(other, SplitTensor):
        refuse(f"{func.__name__} of a split tensor and an ordinary one is not supported")
    theirs, size = {s.comm: s for s in other.spreads}, list(other.shape)
    for s in x.spreads:
        if s.comm not in theirs or theirs[s.comm].parts != s.parts:
            refuse(f"{func.__name__} of tensors that are split differently")
    for s in other.spreads:
        size[s.dim] = own_rows(s, s.own.size)
    return _viewed(func, x, size)


@implements("view", "reshape", takes="input size|shape...", own_numbers=True)
def _view(func, args, kwargs, given):
    if isinstance(given["size"], torch.dtype):
        refuse("a view of another type is not supported")
    return _viewed(func, args[0], _several(given["size"]))


_MOST_DIMS = 12


def _viewed(func, x, size):
    """A view or a copy of this size, in which the split dimensions stay dimensions of their own. They are where the size has
    their rows, as x.shape gives them. Otherwise ranks that have several rows find the place and tell the others: a single row
    looks like any dimension of length 1."""
    view = torch.Tensor.view if func.__name__ in ("view", "view_as") else torch.Tensor.reshape
    marked = {s.comm: [i for i, n in enumerate(size) if isinstance(n, OwnNumber) and n.comm is s.comm] for s in x.spreads}
    size, places = [operator.index(n) for n in size], {}
    if len(size) > _MOST_DIMS:
        refuse(f"{func.__name__} to {len(size)} dimensions is not supported")
    for s, d in zip(x.spreads, cut_dims(x)):
        if len(marked[s.comm]) == 1:
            places[d], = marked[s.comm]
    if -1 in size and all(d in places for d in cut_dims(x)):  # -1 has no value if there are no elements
        one = [1 if n == 0 else n for n in size]
        rows = [1 if n == 0 else n for n in x.shape]
        try:
            found = torch.empty(rows, device="meta").reshape(one).shape
        except RuntimeError as error:
            refuse(f"{func.__name__} from {tuple(x.shape)} to {tuple(size)}: {error}")
        size = [0 if n == 0 else m for n, m in zip(size, found)]
    whys = []
    for s, d in zip(x.spreads, cut_dims(x)):
        if d not in places:
            places[d], size, why = _place(x, s, size, whys, [places.get(d, -1) for d in cut_dims(x)])
            whys += [(s, why)] if why is not None else []
    if whys:
        _not_kept(func, x, size, *whys[0])
    for s, d in zip(x.spreads, cut_dims(x)):
        if not _keeps(x, s, size, places[d]):
            _not_kept(func, x, size, s)
    return split(view(x, size), with_dims(x, len(size), places))


def _place(x, s, size, whys, known):
    """(Where a split dimension is in a view, the size of the view), as the ranks that have several rows see it, and why there
    is no such place, or None. whys: of the other split dimensions. known: their places; all ranks must have found the same."""
    try:
        mine = list(torch.empty(x.shape, device="meta").reshape(size).shape)
    except RuntimeError:
        mine = None
    found = [] if mine is None else [i for i in range(len(mine)) if _keeps(x, s, mine, i)]
    answer = found[0] if found else -1
    if len(x.spreads) == 1 and (all(p.size > 1 for p in s.parts) or s.comm.ranks == 1):
        return answer, mine or size, None if found else ""
    table = s.comm.table([bool(whys), *known, s.own.size, answer, len(size), *(mine or size), *[0] * (_MOST_DIMS - len(size))],
                         f"the shapes of {where()}")
    if any(row[0] for row in table) or any(row[1:1 + len(known)] != known for row in table):
        return -1, size, ""
    rows = [row[1 + len(known):] for row in table]
    several = [row for row in rows if row[0] > 1 or s.comm.ranks == 1]
    if not several:
        return -1, size, (", or not unmistakably: no rank has more than one row, and a row looks like any dimension of length "
                          "1. Give it the size from x.shape, or use unsqueeze() or flatten()")
    place, ndim, *theirs = several[0][1:]
    if place < 0 or any(row[1:3] != [place, ndim] for row in several):
        return -1, size, ""
    if s.own.size == 0:
        mine = theirs[:ndim]
        mine[place] = 0
    return place, mine or size, None


@implements("__getitem__")
def _getitem(func, args, kwargs, _):
    x, index = args
    index = list(index) if isinstance(index, tuple) else [index]
    for i in index:
        if isinstance(i, (torch.Tensor, bool)) or not (i is None or i is Ellipsis or isinstance(i, slice) or
                                                       hasattr(i, "__index__") and not hasattr(i, "__len__")):
            refuse(f"an index that is a {type(i).__name__} is not supported for split tensors, only numbers, slices, None "
                   "and ...")
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
    if i == slice(None):
        return i, spread
    begin, end = 0 if i.start is None else i.start, 0 if i.stop is None else i.stop
    if i.step not in (None, 1) or begin < 0 or (i.stop is not None and end >= 0) or any(
            isinstance(n, OwnNumber) for n in (begin, end)):
        refuse(f"rows {i.start}:{i.stop}:{i.step} of the split dimension are not supported, only [a:] and [:-b] with numbers "
               "that do not come from the rank's own size")
    begin, end = operator.index(begin), operator.index(end)
    if len({tuple(row) for row in spread.comm.table([begin, end], f"the slices of {where()}")}) != 1:
        refuse(f"rows {i.start}:{i.stop} of the split dimension, where other ranks ask for other rows")
    kept, parts = cropped(x, spread, begin, max(spread.whole + end, begin))
    first = spread.own.common(Rows(begin, max(spread.whole + end, begin))).begin - spread.own.begin
    return slice(first, first + kept.size(spread.dim)), spread._replace(parts=parts)


def _last_dims(func, args, kwargs, given):
    """Functions of the last dimensions, which must not be split."""
    x = args[0]
    last = 1 if func.__name__ == "linear" else len(_several(given["normalized_shape"]))
    if any(s.dim >= -last for s in x.spreads):
        refuse(f"{func.__name__} over the split dimension is not supported: gather the rows first, with "
               "ck_conv.distributed.gather(), or pool them to one row")
    return local(func, args, kwargs)


implements("linear", takes="input weight bias")(_last_dims)
implements("layer_norm", takes="input normalized_shape weight bias eps cudnn_enable")(_last_dims)
implements("rms_norm", takes="input normalized_shape weight eps")(_last_dims)


@implements("pixel_shuffle", "pixel_unshuffle", takes="input factor|upscale_factor|downscale_factor")
def _pixel_shuffle(func, args, kwargs, given):
    x, factor = args[0], given["factor"]
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
        spreads = with_rows(s, rows, spreads)
    if x.numel() == 0:  # PyTorch refuses it
        *images, c, h, w = x.shape
        size = (c // factor ** 2, h * factor, w * factor) if up else (c * factor ** 2, h // factor, w // factor)
        return split(x.reshape(*images, *size), spreads)
    return split(func(x, factor), spreads)
