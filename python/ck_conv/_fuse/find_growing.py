"""Finds growing concatenations of channels, as DenseNet's: torch.cat([a], 1), torch.cat([a, b], 1), torch.cat([a, b, c], 1) and so on,
in a graph of fuse() for inference.

All of them are the first channels of one tensor. Each part is written there once, by its convolution or by a copy, and nothing is
concatenated. What reads a shorter concatenation must read such channels in place: convolutions and batch norms do.
"""
import math

from .._conv.concatenation import copied, first_channels, started
from .._norm.modules import is_fused_batch_norm
from .aliases import is_written, memory_of
from .find_concatenations import CATS, parts_of_cat


class Growing:
    """finder: the Finder of other concatenations, which knows channels, modules and hooks."""

    def __init__(self, finder):
        self.finder, self.graph = finder, finder.graph

    def rewrite(self):
        """Returns {name of torch.cat()'s node: names of what is written in place}."""
        written = {}
        for cats in self._chains():
            cats = {cat: parts for cat, parts in cats.items()
                    if not is_written(cat, self.finder.modules) and (parts == cats[_last(cats)] or self._is_read_in_place(cat))}
            if len(cats) > 1 and self._can_be_written(cats):
                written.update(self._rewritten(cats))
        return written

    def _chains(self):
        """Lists of {torch.cat()'s node: its parts}, of which each continues the one before it. The parts of a concatenation count as
        parts of that which it is in, unless it may change before."""
        parts_of, chains = {}, []
        for node in self.graph.nodes:
            if node.op != "call_function" or node.target not in CATS or not self.finder.channels[node]:
                continue
            parts = [p for part in parts_of_cat(node) for p in parts_of.get(part, [part])]
            if not is_written(node, self.finder.modules):
                parts_of[node] = parts
            for cats in chains:
                before = cats[_last(cats)]
                if parts[:len(before)] == before:
                    cats[node] = parts
                    break
            else:
                chains.append({node: parts})
        return chains

    def _is_read_in_place(self, cat):
        return all(user.target in CATS or self._reads_in_place(user, cat) for user in cat.users)

    def _reads_in_place(self, user, cat):
        module = self.finder.module(user)
        if user.args[:1] != (cat,) or any(cat is argument for argument in (*user.args[1:], *user.kwargs.values())):
            return False
        if is_fused_batch_norm(module):
            return len(user.args) == 1 and "residual" not in user.kwargs and not self.finder.is_within_another(user)
        return self.finder.reads_ranges(user)

    def _writes_in_place(self, part):
        """Whether a part is a convolution whose result only concatenations read."""
        return (self.finder.is_ours(part) and "into" not in part.kwargs and
                all(user.op == "call_function" and user.target in CATS for user in part.users))

    def _can_be_written(self, cats):
        """Whether nothing changes parts or concatenations later, also under other names, and there are no more copies than
        concatenations."""
        parts = cats[_last(cats)]
        modules = self.finder.modules
        if len(set(parts)) < len(parts) or any(is_written(node, modules) for part in parts for node in memory_of(part, modules)):
            return False
        return sum(not self._writes_in_place(part) for part in parts) <= len(cats)

    def _rewritten(self, cats):
        finder, graph, parts = self.finder, self.graph, cats[_last(cats)]
        starts, at = {}, 0
        for part in parts:
            starts[part] = at
            at += finder.channels[part]
        writers = [part for part in parts if self._writes_in_place(part)]
        placed, names = {part: part for part in parts}, []
        for part in parts:
            if part not in writers:
                with graph.inserting_before(next(cat for cat in cats if part in cats[cat])):
                    placed[part] = graph.call_function(copied, (part, None, starts[part], finder.channels[part]))
        first = next(node for node in graph.nodes if node in writers or node in placed.values() and node.target is copied)
        with graph.inserting_before(first):
            whole = graph.call_function(started, (first.args[0], at, math.gcd(at, *starts.values())))
        finder.started.append(whole)
        for part in parts:
            if part in writers:
                part.kwargs = {**part.kwargs, "into": (whole, starts[part], finder.channels[part])}
                names.append(part.target)
                finder.make_ours(part)
                finder.seen.append(part)
            else:
                placed[part].args = (part, whole, *placed[part].args[2:])
        for cat in cats:
            for user in cat.users:
                if user.op == "call_module":
                    finder.seen.append(user)
                    if finder.is_ours(user):
                        finder.make_ours(user)
            with graph.inserting_before(cat):
                new = graph.call_function(first_channels, (whole, [placed[part] for part in cats[cat]]))
            finder.channels[new] = finder.channels[cat]
            cat.replace_all_uses_with(new)
        for cat in reversed(cats):
            graph.erase_node(cat)
        return {_last(cats).name: ", ".join(names)}


def _last(cats):
    return next(reversed(cats))
