"""A rank's rows of convolutions and transposed convolutions, with gradients.

A convolution T(x, w, y) has rows of X and of Y that meet (_ranges.py). Ranks exchange rows of what is read, never sums:
each row of the result, and of the input's gradient, is computed by its owner from all that it depends on, as a convolution
with pads of its own. Gradients of weight and bias are summed over the ranks.
"""
import functools
import types
from typing import NamedTuple, Tuple

import torch
from torch.autograd.function import once_differentiable

from .._c.geometry import Geometry, causal, convolution, output_size, transposed
from .._c.interface import BACKWARD_DATA, BACKWARD_WEIGHT, FORWARD
from .._conv import dispatch, launch
from .._conv.operators import any_autocast, as_autocast_wants, autocast_dtype, gradient_of_bias
from ._exchange import Fetch, plain, Spread, wide
from ._ranges import divide, Line, Rows
from ._tensor import implements, OwnNumber, refuse, split, SplitTensor, where


class _Along(NamedTuple):
    """One spatial dimension that is split."""
    index: int  # among the spatial dimensions
    dim: int  # negative
    line: Line
    given: Spread  # of the operand
    made: Tuple[Rows, ...]  # parts of the result
    fetch: Fetch  # rows of the operand
    fetch_gradient: Fetch  # rows of the result's gradient


class _Plan(NamedTuple):
    g: Geometry
    along: Tuple[_Along, ...]
    comms: tuple  # that hold the weights alike
    size: Tuple[int, ...]  # this rank's result
    of: str


def _plan(x, w, g):
    """x: a split tensor with N."""
    rank, place = len(g.stride), where()
    whole = list(x.shape)
    for s in x.spreads:
        if s.dim == -rank - 1:
            refuse("a convolution over split channels is not supported")
        whole[s.dim] = s.whole
    size = output_size(whole, w.shape, g)
    along = []
    for s in x.spreads:
        if s.dim < -rank - 1:
            continue  # images are split
        i = rank + s.dim
        low, high = g.pad_low[i], g.pad_high[i]
        made, n_x = s.cut.parts(size[s.dim]), whole[s.dim]
        if g.transposed:  # rows of its result are rows of X; output_padding is rows at the end that no window needs
            n_x, high = size[s.dim], high - g.output_padding[i]
        line = Line(n_x, w.shape[2 + i], g.stride[i], g.dilation[i], low, high)
        reads, reads_gradient = (line.output_rows, line.input_rows) if g.transposed else (line.input_rows,
                                                                                          line.output_rows)
        size[s.dim] = made[s.comm.rank].size
        along.append(_Along(i, s.dim, line, s, made,
                            Fetch(s.comm, s.dim, s.parts, [reads(p) for p in made], f"rows for {place}"),
                            Fetch(s.comm, s.dim, made, [reads_gradient(p) for p in s.parts],
                                  f"rows of the gradient for {place}")))
    for s in x.spreads:
        if s.dim < -rank - 1:
            size[0] = x.size(0)
    return _Plan(g, tuple(along), tuple(s.comm for s in x.spreads), tuple(size), place)


def _piece(plan, rows):
    """The geometry of a convolution of some rows. rows: (of X, of Y) for each of plan.along. None: no windows."""
    low, high = list(plan.g.pad_low), list(plan.g.pad_high)
    for a, (x, y) in zip(plan.along, rows):
        if x.size == 0 or y.size == 0:
            return None
        low[a.index], high[a.index] = a.line.pads(x, y)
    if plan.g.transposed:
        for i, padding in enumerate(plan.g.output_padding):
            if all(a.index != i for a in plan.along):
                high[i] -= padding
    return plan.g._replace(pad_low=tuple(low), pad_high=tuple(high), transposed=False,
                           output_padding=(0,) * len(low))


def _compute(direction, first, second, bias, size, g, channels_last):
    """g: None if no window has rows of the operand."""
    if g is not None and 0 not in size and 0 not in first.shape and 0 not in second.shape:
        return launch.convolve(direction, first, second, bias, None if direction == FORWARD else torch.Size(size), g,
                               channels_last)
    result = launch.empty(size, first, channels_last).zero_()
    if bias is not None:
        launch.add_bias(result, bias)
    return result


def _compute_into(result, direction, first, second, bias, g):
    """The same, written into rows of a channels-last result."""
    if g is None or 0 in first.shape or result.numel() == 0:
        result.zero_()
    else:
        first, second = launch.packed(first, True), launch.packed(second, True)
        bias = None if bias is None else launch.checked_bias(bias, first, second, g)
        at = first.data_ptr(), second.data_ptr(), result.data_ptr(), 0 if bias is None else bias.data_ptr()
        low = (at[0] | at[1] | at[2] | at[3]) & launch.UNALIGNED
        ready = launch.find(direction, first, second, bias, None if direction == FORWARD else result.shape, g, True,
                            low & -low or launch.MOST_ALIGNED)
        x, y = (at[0], at[2]) if direction == FORWARD else (at[2], at[0])
        launch.run(ready, x, at[1], y, 0 if ready.adds_bias else at[3], ready.new_workspace(), launch.stream_of(first))
        if not ready.adds_bias:
            return
    if bias is not None:
        launch.add_bias(result, bias)


def _rows_are_memory(plan, x, channels_last):
    """Whether some rows of x are contiguous, so that kernels read and write them in place."""
    return (channels_last and len(plan.along) == 1 and plan.along[0].index == 0 and x.size(0) == 1 and x.dim() > 3 and
            x.numel() > 0 and launch.packed(x, True) is x and
            (not x.is_cuda or x.get_device() == launch.current_device()))


def _compute_rows(direction, plan, fetch, x, pending, w, bias, own, size):
    """This rank's rows `own` of the result, without copies of x: those that need no other rank's rows are computed while
    messages travel. Returns (result, received)."""
    a = plan.along[0]
    forward = direction == FORWARD
    read_for = a.line.input_rows if forward else a.line.output_rows
    low, interior, high = divide(a.line, forward, own, fetch.parts[fetch.comm.rank])
    result, received = launch.empty(size, x, True), []
    for rows in (interior, low, high):
        if rows is low:
            received = fetch.finish(pending)
        if rows.size:
            read = read_for(rows)
            piece = _piece(plan, [(read, rows) if forward else (rows, read)])
            _compute_into(result.narrow(a.dim, rows.begin - own.begin, rows.size), direction,
                          fetch.assemble(x, received, read), w, bias, piece)
    return result, received


def _weight_gradient(plan, x, received, grad, w, channels_last):
    """The rank's part of dW, for its rows of Y; without copies of x, if its rows are memory."""
    a = plan.along[0] if plan.along else None
    if not _rows_are_memory(plan, x, channels_last) or launch.packed(grad, True) is not grad or not grad.numel():
        received, x_rows = list(received), x
        for a in plan.along:
            x_rows = a.fetch.assemble(x_rows, received[:len(a.fetch.receives)])
            del received[:len(a.fetch.receives)]
        piece = _piece(plan, [(a.fetch.wanted[a.given.comm.rank], a.made[a.given.comm.rank]) for a in plan.along])
        return _compute(BACKWARD_WEIGHT, x_rows, grad, None, w.shape, piece, channels_last)
    own, total = a.made[a.given.comm.rank], None
    for rows in divide(a.line, True, own, a.given.own):
        read = a.line.input_rows(rows)
        if read.size:
            part = _compute(BACKWARD_WEIGHT, a.fetch.assemble(x, received, read),
                            grad.narrow(a.dim, rows.begin - own.begin, rows.size), None, w.shape, _piece(plan, [(read, rows)]),
                            channels_last).to(wide(w.dtype))
            total = part if total is None else total.add_(part)
    return torch.zeros_like(w) if total is None else total.to(w.dtype)


class _Convolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, bias, plan):
        channels_last = launch.is_channels_last(x) or launch.is_channels_last(w)
        direction, x_rows, received = BACKWARD_DATA if plan.g.transposed else FORWARD, x, []
        in_place = _rows_are_memory(plan, x, channels_last)
        if in_place:
            a = plan.along[0]
            result, received = _compute_rows(direction, plan, a.fetch, x, a.fetch.begin(x), w,
                                             None if plan.g.transposed else bias, a.made[a.given.comm.rank], plan.size)
        for a in () if in_place else plan.along:
            got = a.fetch.finish(a.fetch.begin(x_rows))
            x_rows = a.fetch.assemble(x_rows, got)
            received += got
        ctx.plan, ctx.channels_last = plan, channels_last
        # The received rows are saved, not their copy together with the own ones, which others also save.
        ctx.save_for_backward(x, w, *(() if plan.g.transposed else received))
        if not in_place:
            rows = [(a.fetch.wanted[a.fetch.comm.rank], a.made[a.fetch.comm.rank]) for a in plan.along]
            piece = _piece(plan, [r[::-1] for r in rows] if plan.g.transposed else rows)
            result = _compute(direction, x_rows, w, None if plan.g.transposed else bias, plan.size, piece, channels_last)
        if plan.g.transposed and bias is not None:
            launch.add_bias(result, bias)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        saved = ctx.saved_tensors  # torch.utils.checkpoint computes them again here: not within plain()
        with plain():
            return _gradients(ctx, grad, *saved)


def _gradients(ctx, grad, x, w, *received):
    plan, g, channels_last = ctx.plan, ctx.plan.g, ctx.channels_last
    wants_x, wants_w, wants_bias, _ = ctx.needs_input_grad
    grad, pending = launch.packed(grad, channels_last), None
    needs_rows = wants_x or (wants_w and g.transposed)
    if needs_rows and plan.along:  # sent while dW is computed
        pending = plan.along[0].fetch_gradient.begin(grad)
    grad_w = grad_x = grad_bias = None
    finish = lambda: None  # noqa: E731
    if g.transposed:
        rows = _fetched_gradient(plan, grad, pending) if needs_rows else None
        piece = _piece(plan, [(a.fetch_gradient.wanted[a.given.comm.rank], a.given.own) for a in plan.along])
        if wants_w:
            grad_w = _compute(BACKWARD_WEIGHT, rows, x, None, w.shape, piece, channels_last)
    elif wants_w:
        grad_w = _weight_gradient(plan, x, received, grad, w, channels_last)
    if wants_bias:
        grad_bias = gradient_of_bias(grad)
    if wants_w or wants_bias:  # summed while dX is computed
        grad_w, grad_bias, finish = _begin_sum(plan, grad_w, grad_bias)
    if wants_x and g.transposed:
        grad_x = _compute(FORWARD, rows, w, None, x.shape, piece, channels_last)
    elif wants_x and _rows_are_memory(plan, grad, channels_last):
        a = plan.along[0]
        grad_x, _ = _compute_rows(BACKWARD_DATA, plan, a.fetch_gradient, grad, pending, w, None, a.given.own, x.shape)
    elif wants_x:
        rows = _fetched_gradient(plan, grad, pending)
        piece = _piece(plan, [(a.given.own, a.fetch_gradient.wanted[a.given.comm.rank]) for a in plan.along])
        grad_x = _compute(BACKWARD_DATA, rows, w, None, x.shape, piece, channels_last)
    finish()
    return grad_x, grad_w() if grad_w else None, grad_bias() if grad_bias else None, None


def _fetched_gradient(plan, grad, pending):
    for k, a in enumerate(plan.along):
        fetch = a.fetch_gradient
        grad = fetch.assemble(grad, fetch.finish(pending if k == 0 else fetch.begin(grad)))
    return grad


def _begin_sum(plan, *tensors):
    """Returns for each tensor a function that returns its sum over the ranks, None for None; and a function that waits.
    They travel together; 16-bit numbers are added as float32."""
    given = [t for t in tensors if t is not None]
    together = torch.cat([t.to(wide(t.dtype)).reshape(-1) for t in given])
    what = f"the gradient of the weights of {plan.of}"
    wait = plan.comms[0].begin_sum(together, what)

    def finish():
        wait()
        for comm in plan.comms[1:]:
            comm.sum(together, what)

    made, at = [], 0
    for t in tensors:
        if t is None:
            made.append(None)
            continue
        part = together[at:at + t.numel()]
        at += t.numel()
        # The gradient's memory format stays that of the weight.
        made.append(lambda t=t, part=part: torch.empty_like(t).copy_(part.view(t.shape)))
    return (*made, finish)


def _handle(make_geometry, rank, x, given, names):
    w, bias = given["weight"], given.get("bias")
    g = make_geometry(rank, w.shape, *(given.get(name, default) for name, default in names))
    spreads = x.spreads
    if any_autocast():
        dtype = autocast_dtype(x.device.type, make_geometry is transposed)
        x, w, bias = (as_autocast_wants(t, dtype) for t in (x, w, bias))
    single = x.dim() == rank + 1
    if single:
        x = x.unsqueeze(0)
    x.spreads = spreads  # of the object that as_autocast_wants() or unsqueeze() made
    plan = _plan(x, w, g)
    result = _Convolution.apply(x, w, bias, plan)
    made = {a.given.comm: a.made for a in plan.along}
    return split(result.squeeze(0) if single else result,
                 [s._replace(parts=made.get(s.comm, s.parts)) for s in spreads])


def share_output_padding(module):
    """Makes a transposed convolution of a split model accept an output_size."""
    module._output_padding = types.MethodType(_output_padding, module)


def _output_padding(self, input, output_size, *rest, **named):
    """The method of torch.nn's transposed convolutions. Ranks add their own rows, if the size is that of a split tensor, so
    that the padding is that of the whole. All ranks raise the same error."""
    compute = functools.partial(type(self)._output_padding, self)
    if output_size is None or not isinstance(input, SplitTensor):
        return compute(input, output_size, *rest, **named)
    rank, trouble, given = len(self.kernel_size), "", list(output_size)
    with plain():
        if len(given) == input.dim():
            given = given[-rank:]
        if len(given) != rank:
            trouble, given = f"output_size has {len(given)} numbers, but must have {rank} or {input.dim()}", [0] * rank
        size, wanted = list(input.shape), [int(n) for n in given]
        for s in input.spreads:
            size[s.dim] = s.whole
            if s.dim < -rank:
                continue
            n = given[s.dim]
            own = isinstance(n, OwnNumber) and n.comm is s.comm
            if isinstance(n, OwnNumber) and not own:
                trouble = trouble or f"output_size is {tuple(wanted)}, which was computed from a rank's own rows"
            rows = s.comm.table([bool(trouble), own, *(int(n) for n in given)], f"the output_size of {where()}")
            if any(row[0] for row in rows):
                trouble = trouble or "another rank has a wrong output_size"
            others = [[n for i, n in enumerate(row[1:]) if not own or i != 1 + rank + s.dim] for row in rows]
            if any(other != others[0] for other in others):
                trouble = trouble or f"ranks have different output_size: {[row[2:] for row in rows]}"
            wanted[s.dim] = sum(row[2 + rank + s.dim] for row in rows) if own else wanted[s.dim]
        try:
            found = compute(torch.empty(size, device="meta"), wanted, *rest, **named)
        except ValueError as error:
            trouble = trouble or str(error)
        if trouble:
            refuse(trouble + ": it must be the same on all ranks, or the shape of a split tensor, such as x.shape[2:]")
        return found


_CONVOLUTION = ("stride", 1), ("padding", 0), ("dilation", 1), ("groups", 1)
_TRANSPOSED = ("stride", 1), ("padding", 0), ("output_padding", 0), ("groups", 1), ("dilation", 1)
def _register(name, make_geometry, rank, names):
    implements(name, takes=" ".join(["input weight bias", *(n for n, _ in names)]))(
        lambda func, args, kwargs, given: _handle(make_geometry, rank, args[0], given, names))


for _rank in (1, 2, 3):
    _register(f"conv{_rank}d", convolution, _rank, _CONVOLUTION)
    _register(f"causal_conv{_rank}d", causal, _rank, _CONVOLUTION)
    _register(f"conv_transpose{_rank}d", transposed, _rank, _TRANSPOSED)
dispatch.overriding = SplitTensor
