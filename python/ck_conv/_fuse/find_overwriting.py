"""Finds norms, residual additions and convolutions that can write over their input, because nothing reads it afterwards, in a
graph of fuse() for inference.

The input must come from a convolution or a norm of this package, so nobody else has its memory. A convolution that also reads a
norm's input, as a shortcut does, is computed before the norm if its result is not larger. A convolution of images writes over its
input if it halves the channels, and a norm and then another convolution read its result, so that its memory, which is larger
than the result, is soon free.
"""
from torch import nn

from .._conv.over_input import can_overwrite
from .._norm.modules import is_fused_group_norm
from .._trace.trace import has_hooks
from .aliases import may_keep, may_write, readers
from .chains import times
from .fused import FusedConv2d, fused_class, with_ranges


class Finder:
    """put, of_fuse, is_within_another: as of find_concatenations.py. found: {node: the tensor that it can overwrite}."""

    def __init__(self, graph, modules, put, of_fuse, is_within_another):
        self.graph, self.modules, self.put = graph, modules, put
        self.of_fuse, self.is_within_another, self.found = of_fuse, is_within_another, {}

    def find(self):
        """May move convolutions in the graph."""
        self._renumber()
        for node in list(self.graph.nodes):
            x = self._read(node)
            if x is None or not self._is_fresh(x):
                continue
            later = [user for user in x.users if self.position[user] > self.position[node]]
            if later and not self._can_precede(later, node):
                continue
            if self._is_dead(x, node, later):
                for user in later:
                    node.prepend(user)
                    self._renumber()
                self.found[node] = x
        for node in self.graph.nodes:
            if self._can_overwrite_input(node):
                self.found[node] = node.args[0]
                if type(self._module(node)) is not FusedConv2d:
                    self.modules[node.target] = with_ranges(self._module(node))
                    self.put(node.target, self.modules[node.target])

    def seen(self):
        """The nodes that make or read what is overwritten."""
        return [n for node, x in self.found.items() for n in (node, x, *(user for _, user in readers(x, self.modules)))]

    def mark(self, in_place):
        """in_place: the node of InPlace."""
        for node in self.found:
            node.kwargs = {**node.kwargs, "overwrites": in_place}

    def _renumber(self):
        self.position = {node: i for i, node in enumerate(self.graph.nodes)}

    def _module(self, node):
        return self.modules[node.target] if node.op == "call_module" else None

    def _read(self, node):
        """The tensor that a node could overwrite: the input of a norm, the residual of a convolution; otherwise None."""
        module = self._module(node)
        if is_fused_group_norm(module) and not has_hooks(module) and len(node.args) == 1:
            return node.args[0]
        if type(module) in self.of_fuse and len(node.args) == 2 and not node.kwargs:
            return node.args[1]
        return None

    def _can_overwrite_input(self, node):
        """Whether a node is a convolution that can write its result over its input."""
        conv = self._module(node)
        if not (type(conv) is FusedConv2d or isinstance(conv, nn.Conv2d) and fused_class(conv) is FusedConv2d) or (
                not can_overwrite(conv) or has_hooks(conv) or self.is_within_another(node) or len(node.args) != 1 or node.kwargs):
            return False
        x, norms = node.args[0], list(node.users)
        if not self._is_fresh(x) or not self._is_dead(x, node, []):
            return False
        if len(norms) != 1 or self.found.get(norms[0]) is not node:
            return False
        after = list(norms[0].users)
        return (len(after) == 1 and isinstance(self._module(after[0]), nn.modules.conv._ConvNd) and
                after[0].args[:1] == (norms[0],) and times(after[0], norms[0]) == 1)

    def _is_fresh(self, node):
        """Whether a node's result is a tensor of its own."""
        module = getattr(node, "op", "") == "call_module" and self.modules[node.target]
        if not module or has_hooks(module) or self.is_within_another(node) or "into" in node.kwargs:
            return False
        return type(module) in self.of_fuse or is_fused_group_norm(module) or (
            isinstance(module, nn.modules.conv._ConvNd) and fused_class(module) is not None)

    def _is_dead(self, x, node, moved):
        """Whether nothing reads x after the node, once `moved` precede it."""
        for value, user in readers(x, self.modules):
            if user is node:
                if value is not x or times(node, x) != 1:
                    return False
            elif user not in moved and (user.op == "output" or self.position[user] > self.position[node] or
                                        may_write(user, self.modules) or may_keep(user, value)):
                return False
        return True

    def _can_precede(self, users, node):
        """Whether these are convolutions whose results are not larger than the node's input, and which can be computed before
        the node, a norm."""
        if not is_fused_group_norm(self._module(node)):
            return False
        for user in users:
            conv = self._module(user)
            if not self._is_fresh(user) or not isinstance(conv, nn.modules.conv._ConvNd) or conv.transposed or (
                    conv.out_channels > conv.in_channels or user.args != (node.args[0],) or user.kwargs):
                return False
            between = node
            while between is not user:
                if may_write(between, self.modules):
                    return False
                between = between.next
        return True
