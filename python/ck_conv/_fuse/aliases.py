"""Which nodes of a graph of torch.fx may share memory with a tensor, write to it or keep it. What is unknown may do all of it."""
import operator

import torch
from torch import nn
from torch.nn.utils import parametrize

from .._norm.modules import is_fused_group_norm
from .._trace.trace import NORMS, has_hooks, must_be_parts
from .fused import FusedLinear

ADDS_IN_PLACE = {operator.iadd, "add_", "__iadd__"}
PLAIN_NORMS = {nn.modules.batchnorm._BatchNorm.forward, nn.SyncBatchNorm.forward}
# Results of these do not share memory with their inputs.
_COPYING = (nn.modules.conv._ConvNd, nn.Linear, FusedLinear, nn.modules.batchnorm._NormBase, nn.modules.pooling._MaxPoolNd,
            nn.modules.pooling._AvgPoolNd)
_COPYING_FUNCTIONS = {operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pow, operator.matmul,
                      torch.add, torch.sub, torch.mul, torch.cat, "add", "sub", "mul", "mean", "sum"}
_OF_SEQUENCES = {operator.add, operator.mul}  # which are also those of lists and tuples
_HOMES = "torch", "_operator", "operator", "math", "builtins", "", "torchvision", "ck_conv"  # of functions that are known
_OPERATORS = "torch._ops.aten", "torch._ops.prims", "torch._ops.torchvision", "torch._ops.ck_conv"


def readers(node, modules):
    """Yields (value, user) for all users of a node's result, a tensor, and of what may share its memory."""
    seen, left = {node}, [node]
    while left:
        value = left.pop()
        is_tensor = value is node or _is_part(value)
        for user in value.users:
            yield value, user
            if user not in seen and may_view(user, value, is_tensor, modules):
                seen.add(user)
                left.append(user)


def _is_part(node):
    """Whether it is one of the parts that chunk() makes."""
    return (node.target is operator.getitem and getattr(node.args[0], "target", None) is must_be_parts and
            type(node.args[1]) is int)


def is_written(node, modules):
    """Whether a node's result may be written to, perhaps through a view. The caller may write to the graph's result."""
    return any(user.op == "output" or may_write(user, modules) or may_keep(user, value)
               for value, user in readers(node, modules))


def memory_of(node, modules):
    """The node, and those with whose results it may share memory because it is computed from them."""
    found = [node]
    for value in found:
        is_tensor = any(given.op == "call_module" for given in value.all_input_nodes)
        found += [given for given in value.all_input_nodes if given not in found and may_view(value, given, is_tensor, modules)]
    return found


def may_view(node, value, is_tensor, modules):
    """Whether a node's result may share memory with a value that it reads. is_tensor: whether the value surely is no sequence."""
    if node.op == "call_module":
        module = modules[node.target]
        return not (isinstance(module, _COPYING) and is_known(module) or is_fused_group_norm(module))
    if is_no_tensor(node):
        return False
    if node.target in _OF_SEQUENCES and not (is_tensor and value in node.args):
        return True
    return node.target not in _COPYING_FUNCTIONS


def is_no_tensor(node):
    """Whether it is a size of a tensor, or another attribute that shares no memory with it."""
    return (node.target is getattr and node.args[1] in ("shape", "dtype", "device", "ndim") or
            node.op == "call_method" and node.target in ("size", "dim", "numel"))


def may_keep(node, value):
    """Whether a node may put a value into another object, as kept.add(x) does."""
    return node.op == "call_method" and node.args[0] is not value


def may_write(node, modules):
    """Whether a node may change a tensor that another node made."""
    if node.op == "call_module":
        module = modules[node.target]
        return any(getattr(part, "inplace", False) or has_hooks(part) or not is_known(part) for part in with_own_parts(module))
    if node.op == "call_method":
        name = node.target
        return (name.endswith("_") and not name.endswith("__") or name in ADDS_IN_PLACE or name == "__call__" or
                not hasattr(torch.Tensor, name))
    if node.op != "call_function":
        return False
    name, home = getattr(node.target, "__name__", ""), getattr(node.target, "__module__", None) or ""
    if home.split(".")[0] not in _HOMES or home.startswith("torch._ops.") and home not in _OPERATORS:
        return True
    if home == "_operator" and (name == "setitem" or name.startswith("i") and hasattr(operator, name[1:])):
        return True
    in_place = "inplace" in node.kwargs and node.kwargs["inplace"] is not False
    places = home.startswith("torch.nn.functional") and any(a is True for a in node.args)  # inplace may be positional
    return name.split(".")[0].endswith("_") or "out" in node.kwargs or in_place or places


def with_own_parts(module):
    """The modules whose forward() runs as a known step of this one: PyTorch's containers call their parts."""
    return module.modules() if type(module).__module__.startswith("torch.nn.") else (module,)


def is_known(module):
    """Whether a module's forward() is PyTorch's, this package's, or that of a known norm."""
    kind = type(module)
    if kind.__module__ == parametrize.__name__:  # a class made for a module with parametrizations
        kind = kind.__bases__[0]
    return (kind.__module__.startswith(("torch.nn.", "ck_conv.")) or kind.__name__ in NORMS or
            getattr(kind, "forward", None) in PLAIN_NORMS)
