"""Batch norms before convolutions that do not pad, in inference: the convolution normalises, too.

conv(norm(x)) is a convolution of x whose weight has factors for each channel of the input, and whose bias has a sum of the
weight. It is folded if no larger rounding errors are expected: the folded weight is rounded once and multiplies x, which may
be far from 0. Otherwise norm(x) and the weight are rounded, which are two independent errors.
"""
import torch
from torch import nn
from torch.nn.utils import parametrize

from .._conv.epilogue import Epilogue
from .._trace.trace import has_hooks
from .aliases import may_write
from .fused import FUSED, fused, fused_class

_CLASSES = [FUSED[cls] for cls in FUSED if not issubclass(cls, nn.modules.conv._ConvTransposeNd)]


def reader(node, graph, modules):
    """The node of the convolution into which the batch norm of a node can be folded; None if there is none."""
    users = list(node.users)
    if len(users) != 1 or users[0].op != "call_module" or node.kwargs or len(node.args) != 1:
        return None
    user, conv = users[0], modules[users[0].target]
    if not isinstance(conv, nn.modules.conv._ConvNd) or user.args[:1] != (node,) or node in (*user.args[1:], *user.kwargs.values()):
        return None
    is_called_once = sum(other.target == user.target for other in graph.nodes) == 1
    is_fused = type(conv) in _CLASSES
    if not is_called_once or has_hooks(conv) or parametrize.is_parametrized(conv) or not is_fused and (
            fused_class(conv) not in _CLASSES):
        return None
    if conv.padding != "valid" and (isinstance(conv.padding, str) or any(conv.padding)):
        return None
    step = node.next
    while step is not user:
        if may_write(step, modules):
            return None
        step = step.next
    return user if _why_not(modules[node.target], conv) is None else None


def _why_not(norm, conv):
    mean, variance = norm.running_mean, norm.running_var
    if mean is None or variance is None or mean.numel() != conv.in_channels or mean.device != conv.weight.device:
        return "it has no statistics for these channels"
    scale, shift = _affine(norm)
    weight = _of_input(conv.weight.detach().double().square(), conv.groups)
    of_folded = scale.square() * (mean.double().square() + variance.double())  # mean squares
    of_both = 2 * (scale.square() * variance.double() + (shift + scale * mean.double()).square())
    errors = [(weight * t.view(conv.groups, 1, -1, 1)).sum((2, 3)) for t in (of_folded, of_both)]
    if not bool((errors[0] <= errors[1]).all()):
        return "it is expected to have larger rounding errors"
    return None if all(t.isfinite().all() for t in _folded(norm, conv)) else "the folded weights are not finite"


def _affine(norm):
    """(scale, shift) of x * scale + shift, in float64."""
    scale = (norm.running_var.double() + norm.eps).rsqrt()
    if norm.weight is not None:
        scale = scale * norm.weight.detach().double()
    shift = -norm.running_mean.double() * scale
    return scale, shift if norm.bias is None else shift + norm.bias.detach().double()


def _of_input(weight, groups):
    """(groups, channels of the result, of the input, taps)"""
    return weight.reshape(groups, weight.size(0) // groups, weight.size(1), -1)


def _folded(norm, conv):
    scale, shift = (t.view(conv.groups, 1, -1, 1) for t in _affine(norm))
    weight = _of_input(conv.weight.detach().double(), conv.groups)
    bias = (weight * shift).sum((2, 3)).flatten()
    if conv.bias is not None:
        bias = bias + conv.bias.detach().double()
    product = torch.empty_like(conv.weight).copy_((weight * scale).reshape(conv.weight.shape))
    return product, bias.to(conv.weight.dtype)


def fold(node, user, graph, modules):
    """Removes the node of a batch norm whose reader() is user. Returns the convolution that normalises, too."""
    norm, conv = modules[node.target], modules[user.target]
    module = fused(conv, None, Epilogue()) if type(conv) not in _CLASSES else conv
    for name, value in zip(("weight", "bias"), _folded(norm, conv)):
        module._parameters[name] = nn.Parameter(value, requires_grad=False)
    user.replace_input_with(node, node.args[0])
    graph.erase_node(node)
    return module
