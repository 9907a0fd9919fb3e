"""Finds norms and residual additions that can write over their input, because nothing reads it afterwards, in a graph of fuse()
for inference.

The input must come from a convolution or a norm of this package, so nobody else has its memory. A convolution that also reads a
norm's input, as a shortcut does, is computed before the norm if its result is not larger.
"""
from torch import fx, nn

from ._chains import may_view, may_write, times
from ._concatenation import started
from ._fused import fused_class
from ._fused_norm import is_fused_group_norm
from ._overwriting import NAME, MayOverwrite
from ._trace import has_hooks


class Finder:
    """put and of_fuse: as of _find_concatenations.Finder."""

    def __init__(self, graph, modules, put, of_fuse, is_within_another):
        self.graph, self.modules, self.put = graph, modules, put
        self.of_fuse, self.is_within_another = of_fuse, is_within_another

    def rewrite(self):
        """Returns the number of tensors that are overwritten."""
        self._erase_identities()
        self._renumber()
        found = {}  # node: the tensor that it overwrites
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
                found[node] = x
        if found:
            self._mark(found)
        return len(found)

    def _erase_identities(self):
        """Erases calls of nn.Identity, whose results are other names of their inputs."""
        for node in list(self.graph.nodes):
            module = self._module(node)
            if type(module) is nn.Identity and not has_hooks(module) and len(node.args) == 1 and isinstance(node.args[0], fx.Node):
                node.replace_all_uses_with(node.args[0])
                self.graph.erase_node(node)

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

    def _is_fresh(self, node):
        """Whether a node's result is a tensor of its own."""
        module = getattr(node, "op", "") == "call_module" and self.modules[node.target]
        if not module or has_hooks(module) or self.is_within_another(node) or "into" in node.kwargs:
            return False
        return type(module) in self.of_fuse or is_fused_group_norm(module) or (
            isinstance(module, nn.modules.conv._ConvNd) and fused_class(module) is not None)

    def _is_dead(self, x, node, moved):
        """Whether nothing reads x after the node, once `moved` precede it."""
        left = [x]
        while left:
            tensor = left.pop()
            for user in tensor.users:
                if user is node:
                    if tensor is not x or times(node, x) != 1:
                        return False
                    continue
                is_late = self.position[user] > self.position[node] and user not in moved
                if user.op == "output" or is_late or may_write(user, self.modules):
                    return False
                if user.target is not started and may_view(user, self.modules) and not is_fused_group_norm(self._module(user)):
                    left.append(user)
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

    def _mark(self, found):
        names = {}
        for node, x in found.items():
            names.update((n.target, None) for n in (node, x, *x.users) if n.op == "call_module")
        module = MayOverwrite(list(names))
        self.put(NAME, module)
        self.modules[NAME] = module
        first = min(found, key=self.position.get)
        with self.graph.inserting_before(first):
            may = self.graph.call_module(NAME, (found[first],))
        for node in found:
            node.kwargs = {**node.kwargs, "overwrites": may}
