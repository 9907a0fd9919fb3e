"""Whether a network of fuse() for inference may compute in place in a call: norms write over their input, convolutions over the
residual that they add (find_overwriting.py), and concatenated tensors have the memory of their parts (find_concatenations.py).
"""
import sys

import torch
from torch import nn
from torch.nn.modules import module as hooks_of_all

from .._conv.operators import is_compiling, nobody_watches
from .._trace.trace import is_row_norm

NAME = "ck_conv_in_place"  # of the module in the network


class InPlace(nn.Module):
    """A node of a network's graph, whose result is True or False. names: the modules that make the tensors that are written in
    place, or read them. If one has hooks or was replaced, or if something else than the network's code calls its nodes, such
    as torch.fx.Interpreter or a network made from its graph, somebody may have kept a tensor: then the result is False."""

    def __init__(self, names):
        super().__init__()
        self.names, self.training = names, False

    def bound_to(self, root):
        """A new module that knows those of the network, which may be a copy of another network."""
        new, found, norms = InPlace(self.names), [], []
        for name in self.names:
            parent, _, own = name.rpartition(".")
            modules = root.get_submodule(parent)._modules
            found.append((modules, own, modules[own]))
            for part in modules[own].modules():
                found += [(part._modules, name, child) for name, child in part._modules.items() if child is not None]
                norms += [part] * is_row_norm(part)
        new.__dict__["bound"] = type(root).forward.__code__, found, norms
        return new

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "bound"}

    def forward(self, x):
        """x: any tensor of the call."""
        if is_compiling() or not nobody_watches(x, x) or torch.is_grad_enabled() or x.is_meta:
            return False
        if hooks_of_all._global_forward_hooks or hooks_of_all._global_forward_pre_hooks:
            return False
        code, bound, norms = self.__dict__.get("bound", (None, (), ()))
        if not _is_called_by(code) or any(norm.found is None for norm in norms):
            return False
        return all(modules.get(own) is module and not (module._forward_hooks or module._forward_pre_hooks or
                                                       "forward" in module.__dict__) for modules, own, module in bound)


def _is_called_by(code):
    """Whether this code calls the module whose forward() calls this."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename == hooks_of_all.__file__:
        frame = frame.f_back
    return frame.f_code is code


def ask(graph, put, modules, asking, seen):
    """Puts an InPlace before the first of the nodes that ask, and returns its node. asking: {node: a tensor's node before it}.
    seen: the nodes that make or read tensors that are written in place."""
    first = next(node for node in graph.nodes if node in asking)
    module = modules[NAME] = InPlace(list(dict.fromkeys(node.target for node in seen if node.op == "call_module")))
    put(NAME, module)
    with graph.inserting_before(first):
        return graph.call_module(NAME, (asking[first],))
