"""Memory of tensors that nothing reads any more, in networks of fuse() for inference: norms write over their input,
convolutions over the residual that they add. _find_overwriting.py finds the calls that may.
"""
import sys

import torch
from torch import nn
from torch.nn.modules import module as hooks_of_all

from ._operators import is_compiling, nobody_watches


NAME = "ck_conv_may_overwrite"  # of the module in the network


class MayOverwrite(nn.Module):
    """A node of a network's graph: whether the network may overwrite its own tensors in this call. names: the modules that make
    these tensors or read them. If one has hooks or was exchanged, or if something else than the network's code calls its nodes,
    such as torch.fx.Interpreter or a network made from its graph, somebody may have kept a tensor."""

    def __init__(self, names):
        super().__init__()
        self.names = names

    def bind(self, root):
        """Remembers the modules of the network, which has a new copy of this module if it is a copy."""
        found = []
        for name in self.names:
            parent, _, own = name.rpartition(".")
            modules = root.get_submodule(parent)._modules
            found.append((modules, own, modules[own]))
        self.__dict__["bound"] = type(root).forward.__code__, found

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "bound"}

    def forward(self, x):
        if is_compiling() or not nobody_watches(x, x) or torch.is_grad_enabled() or x.is_meta:
            return False
        if hooks_of_all._global_forward_hooks or hooks_of_all._global_forward_pre_hooks:
            return False
        code, bound = self.__dict__.get("bound", (None, ()))
        if not _is_called_by(code):
            return False
        return all(modules.get(own) is module and not (module._forward_hooks or module._forward_pre_hooks or
                                                       "forward" in module.__dict__) for modules, own, module in bound)


def _is_called_by(code):
    """Whether this code calls the module whose forward() calls this."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename == hooks_of_all.__file__:
        frame = frame.f_back
    return frame.f_code is code
