"""Interprets torch's arguments of a convolution: pads, strides, sizes of results. Uses plain numbers, no tensors."""
from typing import NamedTuple, Tuple

from .checked import whole


MOST = 2 ** 63 - 1
_INT = frozenset((int,))


class Geometry(NamedTuple):
    """What is not in the tensors; tuples have one value for each spatial dimension."""
    stride: Tuple[int, ...]
    pad_low: Tuple[int, ...]
    pad_high: Tuple[int, ...]
    dilation: Tuple[int, ...]
    transposed: bool
    output_padding: Tuple[int, ...]
    groups: int


def is_plain(argument):
    """Whether it is a number, a word, or a tuple of numbers, which never change and differ if their values do. In Python,
    True and 1.0 are equal to 1, and lists and arrays can change."""
    return type(argument) in (int, str) or isinstance(argument, tuple) and _INT.issuperset(map(type, argument))


def each(value, rank, name, least):
    """The argument as one number for each dimension; torch accepts one number for all."""
    many = isinstance(value, (tuple, list)) or getattr(value, "ndim", 0) == 1  # an array
    values = tuple(value) if many else (value,) * rank
    if len(values) == 1:
        values *= rank
    if len(values) != rank:
        raise ValueError(f"{name} is {value}, but must be one number or {rank} of them in {rank}D")
    values = tuple(number(v, name) for v in values)
    if any(v < least for v in values):
        raise ValueError(f"{name} is {value}, but must be at least {least}")
    return values


def number(value, name):
    """Converts NumPy's integers and others to int; also works under torch.compile, which only has ints."""
    return value if type(value) is int and -MOST <= value <= MOST else whole(value, name)


def convolution(rank, weight_size, stride, padding, dilation, groups):
    """The geometry of conv1d to conv3d. padding: numbers, "valid", or "same", which needs the size of the weight."""
    stride, dilation = each(stride, rank, "stride", 1), each(dilation, rank, "dilation", 1)
    if padding == "valid":
        low = high = (0,) * rank
    elif padding == "same":
        if any(s != 1 for s in stride):
            raise ValueError(f"padding is 'same', which needs a stride of 1, not {stride}")
        total = [d * (k - 1) for d, k in zip(dilation, weight_size[2:])]
        low = tuple(t // 2 for t in total)
        high = tuple(t - l for t, l in zip(total, low))
    elif isinstance(padding, str):
        raise ValueError(f"padding is '{padding}', but must be numbers, 'valid' or 'same'")
    else:
        low = high = each(padding, rank, "padding", 0)
    return Geometry(stride, low, high, dilation, False, (0,) * rank, number(groups, "groups"))


def padded(rank, weight_size, stride, padding, dilation, groups, before, after):
    """The geometry of a convolution of a tensor that is padded first. before, after: those pads of each dimension."""
    g = convolution(rank, weight_size, stride, padding, dilation, groups)
    return g._replace(pad_low=tuple(map(sum, zip(g.pad_low, before))), pad_high=tuple(map(sum, zip(g.pad_high, after))))


def causal(rank, weight_size, stride, padding, dilation, groups):
    """The geometry of a convolution that is causal along its outermost dimension: an element of the result depends on the
    elements of the input up to its own. padding: of the other dimensions; or of all, and 0 along the outermost."""
    stride, dilation = each(stride, rank, "stride", 1), each(dilation, rank, "dilation", 1)
    of_others = padding
    if not isinstance(padding, str) and (rank == 1 or isinstance(padding, (tuple, list)) and len(padding) == rank):
        first, *of_others = each(padding, rank, "padding", 0)
        if first != 0:
            raise ValueError(f"padding is {padding}, but must be 0 along the outermost dimension: (kernel_size - 1) * dilation "
                             "zeros are before it, and none after it")
    others = convolution(rank - 1, (*weight_size[:2], *weight_size[3:]), stride[1:], of_others, dilation[1:], groups)
    return Geometry(stride, (dilation[0] * (weight_size[2] - 1), *others.pad_low), (0, *others.pad_high), dilation, False,
                    (0,) * rank, others.groups)


def transposed(rank, weight_size, stride, padding, output_padding, groups, dilation):
    """The geometry of conv_transpose1d to conv_transpose3d."""
    padding = each(padding, rank, "padding", 0)
    return Geometry(each(stride, rank, "stride", 1), padding, padding, each(dilation, rank, "dilation", 1), True,
                    each(output_padding, rank, "output_padding", 0), number(groups, "groups"))


def output_size(x_size, w_size, g):
    """Returns (N, channels, [Do,] [Ho,] Wo). Raises ValueError if the sizes do not fit together."""
    rank = len(g.stride)
    if len(x_size) != rank + 2 or len(w_size) != rank + 2:
        raise ValueError(f"a {rank}D convolution needs input and weight with {rank + 2} dimensions (the input may lack "
                         f"its first), but they have {len(x_size)} and {len(w_size)}")
    if g.groups < 1:
        raise ValueError(f"groups is {g.groups}, but must be at least 1")
    channels = w_size[0] if g.transposed else w_size[1] * g.groups
    if x_size[1] != channels:
        raise ValueError(f"the input has {x_size[1]} channels, but weight {tuple(w_size)} with {g.groups} groups "
                         f"needs {channels}")
    if min(w_size[2:]) < 1:
        raise ValueError(f"weight {tuple(w_size)} has a filter of length 0, but must have at least 1 in each dimension")
    if w_size[0] % g.groups != 0:
        raise ValueError(f"weight {tuple(w_size)} is not divisible by {g.groups} groups")
    size = [x_size[0], w_size[1] * g.groups if g.transposed else w_size[0]]
    for i in range(rank):
        reach = g.dilation[i] * (w_size[2 + i] - 1) + 1
        pads = g.pad_low[i] + g.pad_high[i]
        if g.transposed:
            size.append((x_size[2 + i] - 1) * g.stride[i] - pads + reach + g.output_padding[i])
            if size[-1] < 0:
                raise ValueError(f"the result would have length {size[-1]} in dimension {2 + i}")
        else:
            if x_size[2 + i] + pads < reach:
                raise ValueError(f"the padded input has length {x_size[2 + i] + pads}, but the dilated filter has "
                                 f"{reach}")
            size.append((x_size[2 + i] + pads - reach) // g.stride[i] + 1)
    return size
