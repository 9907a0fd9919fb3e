"""The torch.fx.GraphModule that fuse() returns for inference.

Its graph calls the modules in the model's blocks directly. A block is then only a place for these modules: PyTorch would
accept hooks on it and never call them. Here it refuses them.
"""
import copy

import torch
from torch import fx, nn

from .._trace.trace import HOOKS
from .fused import refuse_training
from .in_place import NAME, InPlace


class Block(nn.Module):
    """A block of the model, whose modules the graph calls. It has no forward(), and accepts no hooks."""

    def _refuse(self, what):
        raise RuntimeError(f"{what} of block '{self.__dict__.get('_place', '?')}' would never be called: the graph of "
                           "ck_conv.fuse() calls the modules in it. Set it before fuse(), which then leaves the block as it is")

    def register_forward_hook(self, *_, **__):
        self._refuse("a hook")

    register_forward_pre_hook = register_forward_hook
    register_backward_hook = register_full_backward_hook = register_full_backward_pre_hook = register_forward_hook

    def __setattr__(self, name, value):
        if name == "forward":
            self._refuse("a forward()")
        super().__setattr__(name, value)


class Network(fx.GraphModule):
    """Copies and pickles have its attributes and hooks, which those of fx.GraphModule lack."""

    def train(self, mode=True):
        if mode:
            refuse_training()  # before a module of it is in training mode
        return super().train(mode)

    def __copy__(self):
        return complete(super().__copy__(), self.__dict__)

    def __deepcopy__(self, memo):
        copied = super().__deepcopy__(memo)
        memo[id(self)] = copied = complete(copied, {})
        return complete(copied, {name: copy.deepcopy(value, memo) for name, value in self.__dict__.items()
                                 if _is_kept(name, copied)})

    def __reduce__(self):
        forward = type(self).forward
        make, arguments = super().__reduce__()
        type(self).forward = forward  # PyTorch has compiled it again, and InPlace knows this one
        return _unpickled, (make, *arguments)


def tensors_read(root, graph):
    """{node: tensor} of the tensors that the graph itself reads, such as another layer's weight."""
    found = {node: _attribute(root, node.target) for node in graph.nodes if node.op == "get_attr"}
    return {node: value for node, value in found.items() if isinstance(value, torch.Tensor)}


def keep_tensors(read, root, graph, put):
    """Makes the graph read the same tensors as before, although other modules may have taken the places of theirs. read: of
    tensors_read(). put(name, module): gives the root a module."""
    kept, name = nn.Module(), "read"
    while hasattr(root, name):
        name += "_"
    for node in graph.nodes:
        if node in read and _attribute(root, node.target) is not read[node]:
            own = node.target.replace(".", "_")
            while hasattr(kept, own) and getattr(kept, own) is not read[node]:
                own += "_"
            if isinstance(read[node], nn.Parameter):
                kept.register_parameter(own, read[node])
            elif not hasattr(kept, own):
                kept.register_buffer(own, read[node])
            node.target = f"{name}.{own}"
    if kept._parameters or kept._buffers:
        put(name, kept)


def _attribute(module, target):
    """What a node of torch.fx reads; None if there is nothing of this name."""
    for name in target.split("."):
        module = getattr(module, name, None)
    return module


def _is_kept(name, made):
    return name in HOOKS or not (name.startswith("_") or name in made.__dict__ or hasattr(type(made), name))


def complete(made, attributes):
    """The fx.GraphModule as a Network with those attributes and hooks that it lacks, and with Blocks."""
    if not isinstance(made, Network):
        made = Network(made, made.graph, type(made).__name__)
    made.__dict__.update({name: value for name, value in attributes.items() if _is_kept(name, made)})
    in_place = made._modules.get(NAME)
    if isinstance(in_place, InPlace):
        made._modules[NAME] = in_place.bound_to(made)
    for name, module in made.named_modules():
        if type(module) is nn.Module:  # torch.fx makes it for the modules in it
            module.__class__, module.training = Block, made.training
            module.__dict__["_place"] = name
    return made


def _unpickled(make, attributes, *rest):
    kept = dict(attributes)  # make() changes it
    return complete(make(attributes, *rest), kept)
