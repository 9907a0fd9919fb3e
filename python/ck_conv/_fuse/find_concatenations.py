"""Finds concatenations of channels, torch.cat(parts, 1), whose parts can be written in place, in a graph of fuse() for inference.

A convolution writes its result into a range of another tensor's channels if everything else that uses it reads ranges in
place: convolutions, chunk(), and the residual additions of convolutions in the same concatenation. Nearest-neighbour
interpolation by 2 is written in place, too. At most one part is copied: no concatenation has more launches than before.
"""
import math
import operator

import torch
from torch import fx, nn
from torch.nn.utils import parametrize

from .._conv.concatenation import doubled, finished, started
from .._norm.activations import is_activation
from .._norm.modules import is_fused_norm
from .._trace.trace import has_hooks, must_be_parts, parts_of
from .aliases import is_written
from .doubled import DOUBLED, is_doubling
from .fused import FUSED, PADDED, fused_class, with_ranges

CATS = {getattr(torch, name) for name in ("cat", "concat", "concatenate") if hasattr(torch, name)}
_ADDS = {operator.add, operator.iadd, torch.add}
_DOUBLED = tuple(DOUBLED.values())
OF_FUSE = *FUSED.values(), *PADDED.values(), *_DOUBLED
# Their results have as many channels as their inputs.
_AS_WIDE = (nn.modules.pooling._MaxPoolNd, nn.modules.pooling._AvgPoolNd, nn.modules.batchnorm._BatchNorm, nn.Upsample,
            nn.modules.dropout._DropoutNd, nn.Identity)
_AS_WIDE_FUNCTIONS = {"max_pool2d", "max_pool3d", "avg_pool2d", "avg_pool3d", "interpolate"}
_NOT_AS_WIDE = nn.GLU, nn.MultiheadAttention


class _Candidate:
    """A torch.cat() whose parts may be written in place. writers: {node that can write in place: (its first channel, the number of
    its parts)}."""

    def __init__(self, node, channels):
        self.node, self.channels, self.writers = node, channels, {}

    def copies(self):
        """How many parts are copied."""
        return len(self.node.args[0]) - sum(parts for _, parts in self.writers.values())


class Finder:
    """put(name, module): replaces a module of the graph's root. is_within_another(node): whether a node that the graph calls as
    a whole has the module, too. started: {node of started(): a tensor's node before it}. seen: the nodes that make or read what
    is written in place."""

    def __init__(self, graph, modules, put, is_within_another):
        self.graph, self.modules, self.put, self.is_within_another = graph, modules, put, is_within_another
        self.channels, self.found = {}, {}  # by node
        self.started, self.seen = [], []
        for node in graph.nodes:
            self.channels[node] = self._channels(node)

    def rewrite(self):
        """Returns {name of torch.cat()'s node: names of what is written in place}."""
        for node in self.graph.nodes:
            if node.op == "call_function" and node.target in CATS and self.channels[node]:
                self.found[node] = self._candidate(node)
        while self._drop():  # whether a part can be written in place may depend on another concatenation
            pass
        written = {cat.node.name: ", ".join(self._rewritten(cat)) for cat in self.found.values()}
        self.started = {node: node.args[0] for node in self.started}  # after all nodes have been replaced
        self.mark(False)
        return written

    def mark(self, in_place):
        """in_place: the node of InPlace."""
        for node in self.started:
            node.args = (in_place, *node.args[1:])

    def module(self, node):
        return self.modules[node.target] if node.op == "call_module" else None

    def _channels(self, node):
        """The number of channels of a node's result; None if it is unknown."""
        module, of_args = self.module(node), [self.channels.get(a) for a in node.args if isinstance(a, fx.Node)]
        if isinstance(module, nn.modules.conv._ConvNd):
            return module.out_channels
        if node.op == "call_function" and node.target in CATS:
            parts = [self.channels.get(part) for part in parts_of_cat(node)]
            return sum(parts) if parts and all(parts) else None
        if node.op == "call_function" and node.target in _ADDS and len(of_args) == 2:
            return of_args[0] if of_args[0] == of_args[1] else None
        source, parts, _ = _chunk(node)
        if source is not None:
            whole = self.channels.get(source)
            return whole // parts if whole and whole % parts == 0 else None
        as_wide = (isinstance(module, _AS_WIDE) or is_fused_norm(module) or is_activation(node, self.modules) or
                   node.op == "call_function" and getattr(node.target, "__name__", "") in _AS_WIDE_FUNCTIONS)
        is_other = isinstance(module, _NOT_AS_WIDE) or node.target is nn.functional.glu
        return of_args[0] if as_wide and of_args and not is_other else None

    def _candidate(self, node):
        cat, start, parts = _Candidate(node, self.channels[node]), 0, parts_of_cat(node)
        for i, part in enumerate(parts):
            source, count = self._writer(parts, i)
            if source is not None and source not in cat.writers:
                cat.writers[source] = start, count
            start += self.channels[part]
        return cat

    def _writer(self, parts, i):
        """Returns (the node that makes parts[i] and perhaps parts after it, how many); (None, 0) if they cannot be written in
        place."""
        source, count, _ = _chunk(parts[i])
        if source is not None:
            if [_chunk(part) for part in parts[i:i + count]] != [(source, count, j) for j in range(count)]:
                return None, 0
        else:
            source, count = parts[i], 1
        return (source, count) if self.is_ours(source) or count == 1 and self._doubles(source) else (None, 0)

    def is_ours(self, node):
        """Whether a node is a convolution of fused.py, or can be one."""
        module = self.module(node)
        return isinstance(module, nn.modules.conv._ConvNd) and len(node.args) > 0 and (type(module) in OF_FUSE or (
            fused_class(module) is not None and not has_hooks(module) and not parametrize.is_parametrized(module) and
            not self.is_within_another(node)))

    def _doubles(self, node):
        module = self.module(node)
        return (any(is_doubling(node, module, rank) for rank in (2, 3)) and isinstance(node.args[0], fx.Node) and
                not (module is not None and has_hooks(module)))

    def _drop(self):
        """Drops writers and concatenations that cannot be in place. Returns whether there were any."""
        is_changed = False
        for node, cat in list(self.found.items()):
            for writer in [w for w in cat.writers if not self._can_write(w, cat)]:
                del cat.writers[writer]
                is_changed = True
            if not cat.writers or cat.copies() > 1:
                del self.found[node]
                is_changed = True
        return is_changed

    def _can_write(self, writer, cat):
        others = [user for user in _readers(writer) if user is not cat.node]
        if is_written(writer, self.modules) or others and is_written(cat.node, self.modules):
            return False
        return all(self._reads_in_place(user, writer, cat) for user in others)

    def _reads_in_place(self, user, writer, cat):
        """Whether the user of a writer's result reads a range of channels in place."""
        if not self.is_ours(user):
            return any(user in other.writers for other in self.found.values()) and self._doubles(user)
        if not self.reads_ranges(user):
            return False
        return all(user in cat.writers for residual in user.args[1:] if residual is writer or _source(residual) is writer)

    def reads_ranges(self, node):
        """Whether a node is a convolution that reads a range of channels in place."""
        module = self.module(node)
        return (self.is_ours(node) and not isinstance(module, _DOUBLED) and not module.transposed and
                module.padding_mode == "zeros")

    def _rewritten(self, cat):
        """Returns the names of what is written in place."""
        graph, names = self.graph, []
        unit = math.gcd(cat.channels, *(start for start, _ in cat.writers.values()))
        in_order = [node for node in graph.nodes if node in cat.writers]
        with graph.inserting_before(in_order[0]):
            whole = graph.call_function(started, (in_order[0].args[0], cat.channels, unit))
        self.started.append(whole)
        for node in in_order:
            place = (whole, cat.writers[node][0], self.channels[node])
            names.append(node.target if node.op == "call_module" else node.name)
            convs = [conv for conv in (node, *_readers(node)) if self.is_ours(conv)]
            self.seen += convs
            for conv in convs:
                self.make_ours(conv)
            if self.is_ours(node):
                node.kwargs = {**node.kwargs, "into": place}
                continue
            with graph.inserting_before(node):
                new = graph.call_function(doubled, (node.args[0], *place))
            self._replace(node, new)
        with graph.inserting_before(cat.node):
            new = graph.call_function(finished, (whole, list(parts_of_cat(cat.node))))
        self._replace(cat.node, new)
        return names

    def make_ours(self, node):
        """Makes a convolution one of fused.py."""
        if type(self.module(node)) not in OF_FUSE:
            self.modules[node.target] = with_ranges(self.module(node))
            self.put(node.target, self.modules[node.target])

    def _replace(self, node, new):
        node.replace_all_uses_with(new)
        self.graph.erase_node(node)


def parts_of_cat(node):
    """The parts of a torch.cat() along the second dimension; () if it has other arguments."""
    given = dict(zip(("tensors", "dim"), node.args), **node.kwargs)
    parts = given.pop("tensors", ())
    dim = given.pop("dim", given.pop("axis", 0))
    is_plain = isinstance(parts, (tuple, list)) and all(isinstance(part, fx.Node) for part in parts)
    return parts if is_plain and dim == 1 and not given and len(node.args) > 0 else ()


def _chunk(node):
    """Returns (x, number of parts, index) of a part of x.chunk(parts, 1); (None, 0, 0) for other nodes."""
    if node.op == "call_function" and node.target is operator.getitem and type(node.args[1]) is int:
        chunk = node.args[0]
        if isinstance(chunk, fx.Node) and chunk.target is must_be_parts:
            chunk = chunk.args[0]
        count = parts_of(chunk) if isinstance(chunk, fx.Node) else None
        dim = chunk.kwargs.get("dim", chunk.args[2] if len(chunk.args) > 2 else 0) if count else 0
        if dim == 1 and chunk.args and isinstance(chunk.args[0], fx.Node) and 0 <= node.args[1] < count:
            return chunk.args[0], count, node.args[1]
    return None, 0, 0


def _source(node):
    """What a part of chunk() is a part of; other nodes themselves."""
    return (_chunk(node)[0] or node) if isinstance(node, fx.Node) else node


def _readers(node):
    """The nodes that use a result, or parts of it that chunk() makes."""
    found = []
    for user in node.users:
        is_of_chunk = (user.target is must_be_parts or parts_of(user) is not None or
                       user.op == "call_function" and user.target is operator.getitem)
        found += _readers(user) if is_of_chunk else [user]
    return found
