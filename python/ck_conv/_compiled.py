"""What code that torch.compile made calls in place of our operators: a function for each convolution of a graph, which
finds its plan at the first call. It takes a fraction of the time of PyTorch's dispatcher, which would turn each number
into an object of C++ and back. _inductor.py has such code written.

PyTorch keeps such code on disk, whatever the version of this package: where arguments of function() get another meaning,
it gets another name."""
import torch

from . import _epilogue as epilogue
from . import _launch as launch
from ._geometry import Geometry
from ._launch import MOST_ALIGNED, _pack_tensors, _stream, allows_tf32
from ._library import BACKWARD_DATA, BACKWARD_WEIGHT, FORWARD, check, holders_of_plans

_UNALIGNED = MOST_ALIGNED - 1
_XWY = {FORWARD: (0, 1, 2), BACKWARD_DATA: (2, 1, 0), BACKWARD_WEIGHT: (0, 2, 1)}  # of first, second and result
_times_forgotten = 0


def _forget():
    global _times_forgotten
    _times_forgotten += 1


holders_of_plans.append(_forget)


def function(direction, geometry, channels_last, is_static, adds="", of_epilogue=None):
    """A function of both operands, what is added, and the result, all without gaps. is_static: whether it is always
    called with tensors of the same sizes, types and devices. adds: "bias", "residual" or "bias, residual". of_epilogue: of
    an Epilogue, where there is one."""
    x, w, y = _XWY[direction]
    g, e = Geometry(*geometry), None if of_epilogue is None else epilogue.Epilogue(*of_epilogue)
    has_bias, has_residual = "bias" in adds, "residual" in adds
    handle = run = new_workspace = tf32 = index = forgotten = None

    def compute(first, second, *added, out):
        at = first.data_ptr(), second.data_ptr(), out.data_ptr()
        at_bias = added[0].data_ptr() if has_bias else 0
        at_residual = added[-1].data_ptr() if has_residual else 0
        if (forgotten != _times_forgotten or (at[0] | at[1] | at[2] | at_bias | at_residual) & _UNALIGNED or
                (tf32 is not None and tf32 is not allows_tf32())):
            return find(first, second, added, out)
        memory = None if new_workspace is None else new_workspace()
        status = run(handle, _pack_tensors(at[x], at[w], at[y], at_bias, at_residual,
                                           0 if memory is None else memory.data_ptr(), 0 if index < 0 else _stream(index)))
        if status:
            check(status)

    def find(first, second, added, out):
        nonlocal handle, run, new_workspace, tf32, index, forgotten
        before = _times_forgotten
        bias, residual = added[0] if has_bias else None, added[-1] if has_residual else None
        at = [0 if t is None else t.data_ptr() for t in (first, second, out, bias, residual)]
        low = (at[0] | at[1] | at[2] | at[3] | at[4]) & _UNALIGNED
        alignment = low & -low or MOST_ALIGNED
        if e is None:
            size = None if direction == FORWARD else out.shape
            ready = launch.find(direction, first, second, bias, size, g, channels_last, alignment)
        else:
            ready, _ = epilogue._find(first, second, bias, e, g, channels_last, alignment)
            if ready is None:  # the library refuses
                plain = launch.convolve(FORWARD, first, second, bias, None, g, channels_last)
                out.copy_(epilogue.with_torch(plain, residual, e))
                return
        if ready.handle is None:  # the sum is empty
            out.zero_()
        else:
            launch.run(ready, at[x], at[w], at[y], 0 if ready.adds_bias else at[3], ready.new_workspace(),
                       launch.stream_of(first), at[4])
        if ready.adds_bias:
            launch.add_bias(out, bias)
        elif is_static and low == 0 and ready.handle is not None:
            handle, run, index = ready.handle, ready.run, first.get_device()
            new_workspace = ready.new_workspace if ready.workspace else None
            tf32 = allows_tf32() if first.dtype == torch.float32 and index >= 0 else None
            forgotten = before  # last: other threads may call

    return compute
