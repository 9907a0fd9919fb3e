"""Convolutions whose forward() computes the weight from parameters, such as timm's convolutions with standardized weights: in
inference, the weight is the same in each call. fuse() computes it once, in the types of forward(), and makes the module one of
torch.nn with this weight."""
import torch
from torch import fx, nn
from torch.nn import functional as F

from .._trace.state import random_state, same_random_state, set_random_state
from .._trace.trace import has_hooks, trace
from .aliases import may_write

_CLASSES = {F.conv1d: nn.Conv1d, F.conv2d: nn.Conv2d, F.conv3d: nn.Conv3d}


def compute_weights(model):
    """Replaces such modules in the model. A model that is one of them stays."""
    known = {}
    for parent in model.modules():
        for name, module in parent._modules.items():
            if _may_compute_its_weight(module):
                if module not in known:
                    known[module] = _with_constant_weight(module)
                parent._modules[name] = known[module]


def _may_compute_its_weight(module):
    if not isinstance(module, tuple(_CLASSES.values())) or type(module) in _CLASSES.values():
        return False
    base = next(c for c in type(module).__mro__ if c in _CLASSES.values())
    return any(getattr(type(module), name) is not getattr(base, name) for name in ("forward", "_conv_forward"))


def _with_constant_weight(module):
    """The module of torch.nn; the module itself if its forward() does anything else."""
    graph, opaque = (None, None) if has_hooks(module) else trace(module, True)
    if graph is None or opaque:
        return module
    *steps, conv, output = graph.nodes
    given = _arguments(conv) if output.args == (conv,) and conv.target in _CLASSES else None
    if given is None or given["input"].op != "placeholder" or not _are_all_of_weight(steps, given, module):
        return module
    weight = _computed(module, graph, given["weight"])
    if weight is None or weight.shape != module.weight.shape or weight.dtype != module.weight.dtype:
        return module
    rank = weight.dim() - 2
    stride, padding, dilation = (value if isinstance(value, str) else (value,) * rank if isinstance(value, int) else tuple(value)
                                 for value in (given[name] for name in ("stride", "padding", "dilation")))
    result = nn.Module.__new__(_CLASSES[conv.target])
    result.__init__(weight.size(1) * given["groups"], weight.size(0), tuple(weight.shape[2:]), stride, padding, dilation,
                    given["groups"], bias=False, device="meta")
    result.weight = nn.Parameter(torch.empty_like(module.weight).copy_(weight), requires_grad=False)
    result.bias = None if given["bias"] is None else module.bias
    return result.train(module.training)


def _arguments(conv):
    """Those of a call of torch.nn.functional's convolution, by name; None if they are others than this file knows."""
    names = "input", "weight", "bias", "stride", "padding", "dilation", "groups"
    given = {"bias": None, "stride": 1, "padding": 0, "dilation": 1, "groups": 1, **dict(zip(names, conv.args)), **conv.kwargs}
    bias, numbers = given["bias"], [given[name] for name in names[3:]]
    is_own = bias is None or isinstance(bias, fx.Node) and bias.op == "get_attr" and bias.target == "bias"
    of_nodes = []
    fx.node.map_arg(numbers, of_nodes.append)
    return given if is_own and not of_nodes and isinstance(given["weight"], fx.Node) else None


def _are_all_of_weight(steps, given, module):
    """Whether all steps compute the weight from the module's tensors, and change none of them."""
    start, needed = given["input"], {given["weight"]}
    for node in reversed(steps):
        if node in needed:
            needed.update(node.all_input_nodes)
    modules = dict(module.named_modules())
    return all(node in (start, given["bias"]) or node in needed for node in steps) and start not in needed and (
        not any(may_write(node, modules) for node in steps))


def _computed(module, graph, node):
    """The value of a node that does not depend on the input; None if it is random."""
    part = fx.Graph()
    found = {}
    for step in graph.nodes:
        if step.op == "placeholder":
            continue
        found[step] = part.node_copy(step, found.__getitem__)
        if step is node:
            break
    part.output(found[node])
    before = random_state()
    with torch.no_grad():
        value = fx.GraphModule(module, part)()
    is_random = not same_random_state(before, random_state())
    set_random_state(before)
    return None if is_random else value
