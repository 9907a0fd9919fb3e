"""What code that torch.compile made calls in place of our operators: a function for each convolution of a graph, which
finds its plan at the first call. It takes a fraction of the time of PyTorch's dispatcher, which would turn each number
into an object of C++ and back. _inductor.py has such code written."""
import torch

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


def call(direction, geometry, channels_last, is_static):
    """A function of both operands, a bias or not, and the result, all without gaps. is_static: whether it is always
    called with tensors of the same sizes, types and devices."""
    x, w, y = _XWY[direction]
    g = Geometry(*geometry)
    ready = handle = run = new_workspace = tf32 = index = forgotten = None

    def compute(first, second, bias=None, *, out):
        at = first.data_ptr(), second.data_ptr(), out.data_ptr()
        at_bias = 0 if bias is None else bias.data_ptr()
        if (forgotten != _times_forgotten or (at[0] | at[1] | at[2] | at_bias) & _UNALIGNED or
                (tf32 is not None and tf32 is not allows_tf32())):
            return find(first, second, bias, out)
        memory = None if new_workspace is None else new_workspace()
        status = run(handle, _pack_tensors(at[x], at[w], at[y], at_bias, 0, 0 if memory is None else memory.data_ptr(),
                                           0 if index < 0 else _stream(index)))
        if status:
            check(status)

    def find(first, second, bias, out):
        nonlocal ready, handle, run, new_workspace, tf32, index, forgotten
        at = first.data_ptr(), second.data_ptr(), out.data_ptr()
        at_bias = 0 if bias is None else bias.data_ptr()
        low = (at[0] | at[1] | at[2] | at_bias) & _UNALIGNED
        found = launch.find(direction, first, second, bias, None if direction == FORWARD else out.shape, g, channels_last,
                            low & -low or MOST_ALIGNED)
        if found.handle is None:
            out.zero_()
        else:
            launch.run(found, at[x], at[w], at[y], 0 if found.adds_bias else at_bias, found.new_workspace(),
                       launch.stream_of(first))
        if found.adds_bias:
            launch.add_bias(out, bias)
        elif is_static and low == 0 and found.handle is not None:
            ready, handle, run = found, found.handle, found.run
            new_workspace = found.new_workspace if found.workspace else None
            index = first.get_device()
            tf32 = allows_tf32() if first.dtype == torch.float32 and index >= 0 else None
            forgotten = _times_forgotten

    return compute
