"""Sums over a dimension of two, in inference, as additions.

Split attention, as in ResNeSt and SKNet, adds the two halves of a channels-last tensor with Tensor.sum(). PyTorch's reduction
reads such a tensor with gaps: in ResNeSt-50, it takes 40 % of the time on an H200. An addition of two numbers is rounded as
their sum is.
"""
import torch
from torch.overrides import handle_torch_function, has_torch_function

from .._conv.operators import is_compiling

LEAST = 1 << 20  # elements; with one image, ResNeSt-50 was no faster


def sum_over(input, dim):
    """torch.sum(input, dim) for an integer dim."""
    if has_torch_function((input,)) and not issubclass(type(input), torch.Tensor):  # a proxy of torch.fx
        return handle_torch_function(sum_over, (input,), input, dim)
    if (type(input) is torch.Tensor and not is_compiling() and not torch.jit.is_tracing() and input.is_floating_point() and
            -input.dim() <= dim < input.dim() and
            input.size(dim) == 2 and input.stride(dim) != 1 and input.numel() >= LEAST):
        return input.select(dim, 0) + input.select(dim, 1)
    return torch.sum(input, dim)


def give_calls(graph):
    """Undoes take_calls()."""
    for node in graph.nodes:
        if node.op == "call_function" and node.target is sum_over:
            node.target = torch.sum


def take_calls(graph):
    """Makes sum_over() compute sums over one dimension in a graph of torch.fx. Returns whether there is one."""
    taken = False
    for node in graph.nodes:
        if (node.op, node.target) not in (("call_method", "sum"), ("call_function", torch.sum)):
            continue
        given = dict(zip(("input", "dim"), node.args), **node.kwargs)
        if len(node.args) <= 2 and set(given) == {"input", "dim"} and type(given["dim"]) is int:
            node.op, node.target, node.args, node.kwargs = "call_function", sum_over, (given["input"], given["dim"]), {}
            taken = True
    return taken
