"""Padding, pooling and interpolation of split tensors, and dropout of whole channels."""
import torch
from torch.nn import functional as F

from .._c.geometry import each
from ._exchange import Fetch, fetched
from ._ranges import Line, Rows
from ._tensor import implements, OwnNumber, refuse, split, where, with_rows


@implements("pad", takes="input pad mode value", own_numbers=True)
def _pad(func, args, kwargs, given):
    x, pads, mode, value = args[0], list(given["pad"]), given.get("mode", "constant"), given.get("value")
    spreads = x.spreads
    for s in x.spreads:
        at = -2 * s.dim - 2
        if at >= len(pads):
            continue
        low, high = pads[at:at + 2]
        if any(isinstance(n, OwnNumber) for n in (low, high)):
            refuse(f"padding of {low} and {high} rows along the split dimension, computed from the rank's own rows: give "
                   "numbers that are the same in the unsplit model")
        if min(low, high) < 0 or (mode == "circular" and (low or high)):
            refuse(f"padding of {low} and {high} rows along the split dimension, mode '{mode}', is not supported")
        for rows, wanted in ((s.parts[0], low), (s.parts[-1], high)):
            if wanted and rows.size < {"reflect": wanted + 1, "replicate": 1}.get(mode, 0):
                refuse(f"padding of {wanted} rows, mode '{mode}', needs more rows of its rank than {rows.size}")
        first, last = s.comm.rank == 0, s.comm.rank == s.comm.ranks - 1
        pads[at:at + 2] = low if first else 0, high if last else 0
        parts = [Rows(p.begin + low, p.end + low) for p in s.parts]
        parts[0] = Rows(0, parts[0].end)
        parts[-1] = Rows(parts[-1].begin, s.whole + low + high)
        spreads = with_rows(s, tuple(parts), spreads)
    return split(_padded(x, pads, mode, value), spreads)


def _padded(x, pads, mode="constant", value=None):
    """F.pad(), which PyTorch refuses for tensors without elements."""
    if x.numel():
        return F.pad(x, pads, mode, value)
    size = list(x.shape)
    for i in range(len(pads) // 2):
        size[-1 - i] += pads[2 * i] + pads[2 * i + 1]
    empty_sum = x.sum().to(x.dtype)  # 0: leads gradients back
    return x.new_full(size, 0 if value is None else value) + empty_sum


def _rows(n, window, stride, padding, dilation, ceil):
    """How many rows a pooling of n rows has."""
    room = n + 2 * padding - (dilation * (window - 1) + 1)
    rows = (room + (stride - 1 if ceil else 0)) // stride + 1
    if ceil and (rows - 1) * stride >= n + padding:  # a window that begins in the padding after x
        rows -= 1
    return max(rows, 0)


def _pooled(func, x, rank, size, stride, padding, dilation, ceil, fill, run):
    """run(x, padding): the pooling of a rank's rows, which have their padding along split dimensions."""
    size, padding, dilation = each(size, rank, "kernel_size", 1), each(padding, rank, "padding", 0), each(dilation, rank,
                                                                                                        "dilation", 1)
    stride = size if stride is None or stride == () or stride == [] else each(stride, rank, "stride", 1)
    spreads, left, empty = x.spreads, list(padding), {}
    whole = list(x.shape)
    for s in x.spreads:
        if s.dim == -rank - 1:
            refuse(f"{func.__name__} of split channels is not supported")
        whole[s.dim] = s.whole
    for i, n in enumerate(whole[-rank:]):  # also for ranks without rows, whose tensors PyTorch does not see
        if _rows(n, size[i], stride[i], padding[i], dilation[i], ceil) == 0:
            refuse(f"a window of {dilation[i] * (size[i] - 1) + 1} rows does not fit into {n} rows with a padding of "
                   f"{padding[i]}")
    for s in x.spreads:
        if s.dim < -rank:
            continue
        i = rank + s.dim
        if 2 * padding[i] > size[i]:
            refuse(f"padding is {padding[i]}, but must be at most half of the window, {size[i]}")
        line = Line(s.whole, size[i], stride[i], dilation[i], padding[i], padding[i])
        rows = _rows(s.whole, size[i], stride[i], padding[i], dilation[i], ceil)
        high = (rows - 1) * stride[i] + line.reach - s.whole - padding[i]
        if fill == 0 and high > padding[i]:
            refuse("an average of windows that reach beyond the padding (ceil_mode) is not supported along the split "
                   "dimension")
        line = line._replace(pad_high=high)
        parts = s.cut.parts(rows)
        wanted = [line.input_rows(p) for p in parts]
        own = parts[s.comm.rank]
        x = fetched(x, Fetch(s.comm, s.dim, s.parts, wanted, f"rows for {where()}"))
        if own.size:
            low, high = line.pads(wanted[s.comm.rank], own)
            if low or high:
                x = _padded(x, [0, 0] * (-s.dim - 1) + [low, high], value=fill)
        else:
            empty[s.dim] = 0
        left[i] = 0
        spreads = with_rows(s, parts, spreads)
    if empty:  # x has no rows; what the others compute decides the other sizes
        sizes = list(x.shape)
        for i in range(rank):
            sizes[i - rank] = empty.get(i - rank, _rows(x.size(i - rank), size[i], stride[i], left[i], dilation[i], ceil))
        return split(x.reshape(sizes) if x.numel() == 0 else x.flatten()[:0].reshape(sizes), spreads)
    return split(run(x, left), spreads)


def _max_pool(func, args, kwargs, given):
    x, rank, size, stride = args[0], int(func.__name__[8]), given["kernel_size"], given.get("stride")
    padding, dilation, ceil = given.get("padding", 0), given.get("dilation", 1), given.get("ceil_mode", False)
    if given.get("return_indices", False) or "with_indices" in func.__name__:
        refuse("max pooling that returns indices is not supported")
    pool = getattr(torch, f"max_pool{rank}d")
    return _pooled(func, x, rank, size, stride, padding, dilation, ceil, float("-inf"),
                   lambda x, left: pool(x, size, stride or size, left, dilation, ceil))


def _avg_pool(func, args, kwargs, given):
    x, rank, size, stride = args[0], int(func.__name__[8]), given["kernel_size"], given.get("stride")
    padding, ceil, counts = given.get("padding", 0), given.get("ceil_mode", False), given.get("count_include_pad", True)
    split_pads = [each(padding, rank, "padding", 0)[s.dim] for s in x.spreads if s.dim >= -rank]
    if not counts and any(split_pads):
        refuse("an average that does not count its padding (count_include_pad=False) is not supported along the split "
               "dimension")
    rest = () if rank == 1 else (given.get("divisor_override"),)
    return _pooled(func, x, rank, size, stride, padding, 1, ceil, 0,
                   lambda x, left: func(x, size, stride or size, left, ceil, counts, *rest))


for _rank in (1, 2, 3):
    implements(f"max_pool{_rank}d", f"max_pool{_rank}d_with_indices",
               takes="input kernel_size stride padding dilation ceil_mode return_indices")(_max_pool)
    implements(f"avg_pool{_rank}d", takes="input kernel_size stride padding ceil_mode count_include_pad divisor_override")(
        _avg_pool)


@implements("interpolate", takes="input size scale_factor mode align_corners recompute_scale_factor antialias",
            own_numbers=True)
def _interpolate(func, args, kwargs, given):
    x, size, factors, mode = args[0], given.get("size"), given.get("scale_factor"), given.get("mode", "nearest")
    corners, again = given.get("align_corners"), given.get("recompute_scale_factor")
    antialias = given.get("antialias", False)
    rank, spreads, crop = x.dim() - 2, x.spreads, []
    halo = {"nearest": 0, "nearest-exact": 0, "linear": 1, "bilinear": 1, "trilinear": 1}.get(mode)
    sizes = None if size is None else list(size) if isinstance(size, (tuple, list)) else [size] * rank
    for s in x.spreads:
        if s.dim < -rank:
            if s.dim == -rank - 1:
                refuse("interpolation of split channels is not supported")
            continue
        factor = _factor(s, sizes, factors)
        if factor == 1 and mode in ("nearest", "nearest-exact"):
            continue
        if halo is None or corners or antialias or factor < 1 or factor != int(factor):
            refuse(f"interpolation by {factor:g} along the split dimension, mode '{mode}', is not supported, only by whole "
                   "numbers, with nearest, linear, bilinear and trilinear, without align_corners and antialias")
        factor = int(factor)
        if halo:
            wanted = [Rows(max(p.begin - 1, 0), min(p.end + 1, s.whole)) if p.size else p for p in s.parts]
            x = fetched(x, Fetch(s.comm, s.dim, s.parts, wanted, f"rows for {where()}"))
            crop.append((s.dim, (s.own.begin - wanted[s.comm.rank].begin) * factor, s.own.size * factor))
        if sizes is not None:
            sizes[s.dim] = x.size(s.dim) * factor
        spreads = with_rows(s, tuple(Rows(p.begin * factor, p.end * factor) for p in s.parts), spreads)
    if x.numel():
        result = func(x, sizes, factors, mode, corners, again, antialias)
    else:
        shape = list(x.shape)
        for i in range(rank):
            shape[2 + i] = sizes[i] if sizes else int(x.size(2 + i) * _number(factors, i))
        result = x.reshape(shape)
    for dim, begin, length in crop:
        result = result.narrow(dim, begin, length)
    return split(result, spreads)


def _number(factors, i):
    return factors[i] if isinstance(factors, (tuple, list)) else factors


def _factor(s, sizes, factors):
    """The factor that the rows are multiplied by. If a size is given, ranks compare the factors of their own rows."""
    if factors is not None:
        return float(_number(factors, s.dim))
    if not isinstance(sizes[s.dim], OwnNumber) and len({p.size for p in s.parts}) == 1 and s.comm.ranks > 1:
        refuse(f"interpolation to {sizes[s.dim]} rows along the split dimension, which may be rows of the whole or of a rank: "
               "use scale_factor, or compute the size from x.shape")
    rows = s.comm.table([sizes[s.dim], s.own.size], f"the sizes of {where()}")
    found = {made / given for made, given in rows if given}
    if len(found) != 1:
        refuse(f"interpolation of parts of {[given for _, given in rows]} rows to {[made for made, _ in rows]}, which is not "
               "the same factor on all ranks: use scale_factor, or parts that can be halved")
    return found.pop()


@implements("dropout1d", "dropout2d", "dropout3d", "feature_dropout", takes="input p training|train inplace")
def _dropout_of_channels(func, args, kwargs, given):
    """Rank 0 draws for all, so that a channel is dropped as a whole."""
    x, p, training = args[0], given.get("p", 0.5), given.get("training", True)
    if not training or p == 0:
        return x
    if any(s.dim < 2 - x.dim() for s in x.spreads):
        refuse(f"{func.__name__} of split images or channels is not supported")
    kept = F.dropout(torch.ones((*x.shape[:2], *(1,) * (x.dim() - 2)), dtype=x.dtype, device=x.device), p)
    for s in x.spreads:
        s.comm.broadcast(kept)
    if given.get("inplace", False):
        x.mul_(kept)
        return x
    return split(x * kept, x.spreads)
