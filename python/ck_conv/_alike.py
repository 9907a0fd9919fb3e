"""Whether tensors and circumstances are as they were at another call: check_of(x, w[, bias]) makes a function that says
it of others, from tensors that nobody watches.

PyTorch has this in C++ since 2.1, for code that torch.compile made, which asks at each call; it takes a quarter of the
time of Python's. It compares classes, sizes, strides, types, devices, requires_grad and what the dispatcher goes by: of
the tensors (negative views, wrappers) and of the thread (modes, autocast, transforms, tracing, inference mode).
"""
import torch

from ._operators import any_autocast, nobody_watches


def signature(x, w, bias=None):
    """What decides about kernels and results but the geometry, addresses and the switch of tf32."""
    of_bias = None if bias is None else (bias.shape, bias.stride(), bias.dtype, bias.device, bias.is_neg())
    return (x.shape, x.stride(), x.dtype, x.device, x.is_neg(), w.shape, w.stride(), w.dtype, w.device, w.is_neg(),
            of_bias)


def check_in_cpp(*tensors):
    return TensorGuards(*tensors, dynamic_dims_sizes=None, dynamic_dims_strides=None).check


def check_in_python(*tensors):
    before = signature(*tensors), any_autocast()
    return lambda *given: nobody_watches(*given) and (signature(*given), any_autocast()) == before


try:
    from torch._C._dynamo.guards import TensorGuards
    check_in_cpp(torch.empty(1))
    check_of = check_in_cpp
except (ImportError, TypeError):  # 2.0 has it with other arguments
    check_of = check_in_python
