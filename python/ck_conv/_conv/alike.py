"""Compares a call with an earlier one: check_of(x, w[, bias]) makes a function that says whether other tensors, and the
circumstances, are the same. It is for tensors that nothing observes.

PyTorch has had this in C++ since 2.1, for code that torch.compile generates and that checks at each call; it takes a
quarter of the time of Python. It compares classes, sizes, strides, types, devices, requires_grad and the dispatch keys of
the tensors (negative views, wrappers) and of the thread (modes, autocast, transforms, tracing, inference mode).
"""
import torch

from .operators import any_autocast, nobody_watches


def signature(x, w, bias=None):
    """Everything that determines kernels and results, except the geometry, addresses and the switch of tf32."""
    of_bias = None if bias is None else (bias.shape, bias.stride(), bias.dtype, bias.device, bias.is_neg())
    return (x.shape, x.stride(), x.dtype, x.device, x.is_neg(), w.shape, w.stride(), w.dtype, w.device, w.is_neg(),
            of_bias)


def check_in_cpp(*tensors):
    return TensorGuards(*tensors, dynamic_dims_sizes=None, dynamic_dims_strides=None).check


def check_in_python(*tensors):
    before = signature(*tensors), any_autocast()
    return lambda *given: (nobody_watches(*given) and all(t.layout is torch.strided for t in given) and
                           (signature(*given), any_autocast()) == before)


try:
    from torch._C._dynamo.guards import TensorGuards
    check_in_cpp(torch.empty(1))
    check_of = check_in_cpp
except (ImportError, TypeError):  # other arguments in 2.0
    check_of = check_in_python
