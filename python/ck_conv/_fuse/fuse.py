"""fuse(): returns a network for inference, whose convolutions also compute what follows them in the same plan, or a network
for training, whose batch norms do (training.py).

torch.fx traces the network. A part that it cannot trace is one node of the graph, and its own parts are traced. chains.py
finds convolutions and what follows them in a graph, and modules of fused.py replace them. Nothing is guessed: if a result
has a second user, the chain ends there, and the report says so.
"""
import copy
import dataclasses
import warnings
from typing import Dict, List

import torch
from torch import fx, nn
from torch.nn import functional as F
from torch.nn.utils import parametrize

from .._c.checked import flag
from .._conv.epilogue import Epilogue
from .._norm.activations import is_activation
from .._norm.modules import (activates_itself, adds_or_activates, fuse_group_norm, fuse_norm, in_float32, is_batch_norm,
                             is_fused_batch_norm, is_fused_group_norm, unfold_norm)
from .._norm.row_norm import fuse_row_norm
from .._pool import max_pool
from .._replace.replace import Report, _class_name, replace
from .._trace.arguments import possible_arguments
from .._trace.once import leaves
from .._trace.trace import HOOKS, has_hooks, is_group_norm, is_norm, is_written_down, trace, why_whole
from . import average_pool, norm_before, pads, sums
from .chains import Chain, LinearChain, NormChain, is_plain_norm
from .channels_last import compute_channels_last
from .constant_weights import compute_weights
from .find_concatenations import OF_FUSE, Finder as Concatenations
from .find_growing import Growing
from .find_overwriting import Finder as Overwriting
from .fused import FUSED, fused, fused_class
from .in_place import ask
from .network import Network, complete, keep_tensors, tensors_read
from .part import Part
from .uses import Uses

NOT_FOUND = "what calls it cannot be traced, or nothing does"  # a norm
_CALLED_FROM_OUTSIDE = "modules of it are called from outside too"
_CALLS = {getattr(F, name) for name in
          ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")}


@dataclasses.dataclass
class FuseReport:
    """What fuse() did, by the names of modules. str() has a line for each module that is not fused, with the reason."""
    model: nn.Module  # the fused one
    replaced: Report  # from replace(): the convolutions that the library computes
    fused: Dict[str, str] = dataclasses.field(default_factory=dict)  # convolution or norm: what is computed with it
    left: Dict[str, str] = dataclasses.field(default_factory=dict)  # convolution, norm or activation: why it is not fused
    untraced: Dict[str, str] = dataclasses.field(default_factory=dict)  # module: why only its parts were traced
    norms: Dict[str, str] = dataclasses.field(default_factory=dict)  # in training, a batch norm left to PyTorch: why
    # in inference, torch.cat() whose parts are written into its result: what writes them. Its parts are no longer tensors
    concatenations: Dict[str, str] = dataclasses.field(default_factory=dict)
    # modules whose graphs run in channels last, although their weights were channels first
    channels_last: List[str] = dataclasses.field(default_factory=list)
    overwritten: int = 0  # in inference: tensors over which norms, residual additions and convolutions may write their results
    sequences: int = 0  # in training: runs of layers that are one node of autograd
    for_training: bool = False

    def __str__(self):
        what = "norms" if self.for_training else "convolutions and norms"
        lines = [f"{len(self.fused)} {what} are fused with what follows, {len(self.left)} modules are left alone",
                 *_lines(self.untraced), *_lines(self.norms), *_lines(self.left), str(self.replaced)]
        return "\n".join(lines)


def _lines(reasons):
    return [f"  {name or '(the model itself)'}: {why}" for name, why in reasons.items()]


def fuse(model, only=None, *, report=False, channels_last=True):
    """Returns a fused copy of the model. The model itself does not change.

    If the model is in eval mode, the copy is for inference: batch norms are folded into the weights of convolutions, which also
    compute activations and residual additions. If it is in training mode, the copy is for training and evaluation: batch norms
    also compute activations and residual additions, and the copy has the same names, parameters and buffers as the model, in the
    same order. In both modes, group norms, instance norms and norms of pixels also compute activations, and group and instance
    norms also residual additions.

    Args:
        only: a function of a name and a module that returns whether the library computes this convolution, as in replace().
        report: whether to return a FuseReport, whose `model` is the copy, instead of the copy. If False, a warning lists the
            convolutions and, in training, the batch norms that are left to PyTorch, and the modules that cannot be traced.
        channels_last: whether 2D and 3D networks run in channels last, even if weights and inputs are channels first; their
            results are then channels first. If False, channels-first networks run in that layout.

    Raises TypeError if an argument has a wrong type, and ValueError if the model is in eval mode, but one of its modules is
    not.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"the model is a {type(model).__name__}, but must be a torch.nn.Module")
    if not model.training:
        for name, module in model.named_modules():
            if module.training:
                raise ValueError(f"{name} is in training mode, but the model is not: call model.eval() to fuse it for "
                                 "inference, where batch norms are constants, or model.train() for training")
    report, channels_last = flag(report, "report"), flag(channels_last, "channels_last")
    order = {name: i for i, (name, _) in enumerate(model.named_modules())}
    from .training import TrainingFuser, own_again  # which imports this file
    copied = copy.deepcopy(model, _computed_tensors(model))
    own_again(copied)
    if not model.training:
        compute_weights(copied)
    replaced = replace(copied, only, norms=False, report=True)
    done = FuseReport(None, replaced, for_training=model.training)
    done.model = (TrainingFuser if model.training else Fuser)(done, channels_last).whole(replaced.model)
    max_pool.take_modules(done.model)
    if not model.training:
        pads.take_modules(done.model)
    replaced.model = done.model
    for found in (done.fused, done.left):  # in the order of the model; calls without a module are last
        for name in sorted(found, key=lambda name: order.get(name, len(order))):
            found[name] = found.pop(name)
    if report:
        return done
    left = {name: why for name, why in replaced.left.items() if why != "only() leaves it out"}
    if left or done.untraced or done.norms:
        warnings.warn("\n".join(["fuse() leaves to PyTorch, or cannot trace:",
                                 *_lines({**left, **done.norms, **done.untraced})]), stacklevel=2)
    return done.model


def _computed_tensors(model):
    """{id of a tensor: its copy} of attributes that a call has computed, such as the weights of weight_norm() and
    spectral_norm(), and lists of results: copy.deepcopy() refuses tensors with a gradient's graph."""
    attributes = (value for module in model.modules() for value in vars(module).values())
    return {id(t): t.detach().clone() for value in attributes for t in leaves(value, torch.Tensor) if t.grad_fn is not None}


class Fuser:
    """Fuses for inference. is_one(module): whether it is of the kind that is fused with others."""
    for_training = False

    def __init__(self, done, channels_last):
        self.done, self.channels_last = done, channels_last
        self.seen = set()  # norms whose calls were checked
        self.exchanged = {}  # a part of a module that is not traced, or its replacement: the replacement
        self.changes = 0  # chains and pairs that were fused; several graphs of a part may have the same ones
        self.converted = set()  # weights that have become channels last, which several graphs of a part may use

    def is_one(self, module):
        return isinstance(module, nn.modules.conv._ConvNd) or is_fused_group_norm(module)

    def _is_single(self, module):
        return self.is_one(module) or isinstance(module, nn.modules.conv._ConvNd)

    def _has_any(self, module):
        return any(self.is_one(m) for m in module.modules())

    def whole(self, model):
        """Returns the fused model: a new module if all of it was traced."""
        norms = self.group_norms(model)
        if self._is_single(model):
            self._leave("", "nothing follows it")
            return model
        result = self._traced(model, "", False)
        if result is None:
            self._parts(model, "")
            result = model
        of_parts = {m for part in result.modules() if isinstance(part, Part) for m in part.own.modules()}
        for name, module in model.named_modules():  # modules that are in no graph
            if (isinstance(module, nn.modules.conv._ConvNd) and name not in self.done.fused and module not in of_parts and
                    not isinstance(module, tuple(FUSED.values()))):
                inside = any(name.startswith(f"{part}.") or not part for part in self.done.untraced)
                self._leave(name, "what calls it cannot be traced" if inside else "the network does not call it")
        for module, name in norms.items():
            if module not in self.seen:
                self._leave(name, NOT_FOUND)
        return result

    def group_norms(self, model):
        """{module: name} of the norms over groups, instances and pixels that the library computes from now on; says of others
        why not."""
        found, known = {}, {}
        for name, module in model.named_modules():
            why = fuse_group_norm(module) if is_group_norm(module) else ""
            if why is not None:  # a class of its own may compute such a norm
                of_forward = fuse_row_norm(module, known)
                why = None if of_forward is None else of_forward or why
            if why is None:
                found[module] = name
            elif why:
                self._leave(name, f"PyTorch computes it: {why}")
        return found

    def norms(self, graph, modules, prefix, is_one):
        """Makes norms compute what follows them. Returns whether one does."""
        is_changed = False
        for node in reversed(list(graph.nodes)):  # if two batch norms are added, the later one adds
            norm = modules[node.target] if node.op == "call_module" else None
            if not is_one(norm):
                continue
            name = prefix + node.target
            self.seen.add(norm)
            if adds_or_activates(node):  # already fused
                continue
            if has_hooks(norm):
                self._leave(name, "it has hooks")
                continue
            chain = NormChain(graph, modules, node, self.for_training)
            if not chain.words:
                self._leave(name, chain.ended)
                continue
            chain.rewrite()
            norm.has_more_calls = True
            self.done.fused[name] = ", ".join(chain.words)
            self.done.left.pop(name, None)
            self.changes += 1
            is_changed = True
        return is_changed

    def _leave(self, name, why):
        self.done.left.setdefault(name, why)

    def _traced(self, module, prefix, only_one_argument, arguments=None):
        """Returns a replacement of the module; None if it cannot be traced, or nothing in it is fused. arguments: of a part."""
        graph, more = trace(module, only_one_argument, self.for_training, arguments)
        if graph is None:
            self.done.untraced[prefix[:-1]] = more
            return None
        for calls in (max_pool, pads, sums):
            calls.give_calls(graph)
        for name in {node.target: None for node in graph.nodes if node.op == "call_module"}:
            part = module.get_submodule(name)
            if self._has_any(part) and not self._is_single(part):
                if any(_is_within(node, name) for node in graph.nodes):
                    self.done.untraced[prefix + name] = _CALLED_FROM_OUTSIDE
                    continue
                self.done.untraced[prefix + name] = more.get(name) or why_whole(part)
                self._parts(part, f"{prefix}{name}.")
        return self._rewritten(module, graph, prefix, only_one_argument, arguments)

    def _rewritten(self, module, graph, prefix, only_one_argument, arguments):
        """Returns a fx.GraphModule."""
        put, read = _Put(module), tensors_read(module, graph)
        try:
            if not self._graph(module, graph, prefix, put) and only_one_argument:
                return None
            keep_tensors(read, module, graph, put)
            result = Network(module, graph, type(module).__name__).eval()
        finally:
            put.undo()
        attributes = {name: value for name, value in module.__dict__.items() if name not in HOOKS}  # such as numbers of classes
        return complete(result, attributes)

    def _parts(self, module, prefix, uses=Uses()):
        """Fuses the parts of a module that is not traced. uses: of the code that calls it."""
        uses = uses.and_of(module)
        for name, part in list(module._modules.items()):  # a part may have several names, also in other modules
            if part is None or self._is_single(part) or not self._has_any(part):
                continue
            at = f"{prefix}{name}"
            if isinstance(part, (nn.ModuleList, nn.ModuleDict)) or self._is_a_list(part):
                self._parts(part, f"{at}.", uses)
                continue
            constants = {} if self.for_training else uses.constants(name, part)  # for training, it keeps its class
            if constants is None or uses.are_within(name, part):
                self.done.untraced[at] = _CALLED_FROM_OUTSIDE if constants is not None else "methods of it are used from outside"
                self._parts(part, f"{at}.", uses)
                continue
            if part not in self.exchanged:
                result = self._traced_part(part, f"{at}.")
                if result is not None:
                    self.exchanged[part] = self.exchanged[result] = result
            if part in self.exchanged:
                vars(self.exchanged[part]).update(constants)
                setattr(module, name, self.exchanged[part])
            elif at in self.done.untraced:
                self._parts(part, f"{at}.", uses)

    def _traced_part(self, part, prefix):
        """As _traced(), for whatever arguments its caller may give it."""
        graphs = []
        for arguments in possible_arguments(part, is_written_down):
            if graphs and arguments.is_rare:
                break
            if arguments is not None:
                for conv in part.modules():
                    if isinstance(conv, nn.modules.conv._ConvNd):
                        conv.requires_grad_(False)  # so that all graphs have the same parameters
            result = self._traced(part, prefix, True, arguments)
            if arguments is None:
                return result
            if result is not None:
                graphs.append((arguments, result))
        if not graphs:
            return None
        self.done.untraced.pop(prefix[:-1], None)
        return Part(part, graphs)

    def _is_a_list(self, module):
        """Whether it is a list of blocks, which its caller may call one by one."""
        return isinstance(module, nn.Sequential) and not any(self._is_single(m) for m in module.children())

    def _graph(self, root, graph, prefix, put):
        """Fuses in the graph of root, and reports what is left. Returns whether something is fused."""
        _unfold_activations(root, graph, put)
        modules = dict(root.named_modules(remove_duplicate=False))
        before = self.changes
        pooled = average_pool.fold(graph, modules, put, lambda node: _is_within_another(node, graph))
        ends = {}  # a node that ended a chain: why
        for node in reversed(list(graph.nodes)):  # if two convolutions are added, the later one adds
            if node.op == "call_function" and node.target in _CALLS:
                self._leave(prefix + node.name, "it is a call of torch.nn.functional, which PyTorch computes")
            if node.op == "call_module" and type(modules[node.target]) is nn.Linear:
                self._linear(graph, modules, node, prefix, put)
            if node.op != "call_module" or not isinstance(modules[node.target], nn.modules.conv._ConvNd):
                continue
            name, conv = prefix + node.target, modules[node.target]
            why = self._why_no_chain(name, conv)
            if why is None and _is_within_another(node, graph):
                why = "a module that is not traced has it too"
            if why is None:
                chain = Chain(graph, modules, node)
                if chain.words:
                    self._rewrite(put, graph, modules, chain, node.target, name)
                else:
                    why = chain.ended
                if chain.end is not None:
                    ends[chain.end] = chain.ended
            if why is not None:
                self._leave(name, why)
        for target, words in pooled.items():
            if fused_class(modules[target]) is not None:  # nothing follows it
                modules[target] = fused(modules[target], None, Epilogue())
                put(target, modules[target])
            self._add(prefix + target, words)
        self.norms(graph, modules, prefix, is_fused_group_norm)
        self._say_what_is_left(graph, modules, ends, prefix)
        _erase_identities(graph, modules)
        self._fold_batch_norms(graph, modules, prefix, put)
        self._take_batch_norms(graph, modules, put)
        self.norms(graph, modules, prefix, is_fused_batch_norm)
        in_place = self._in_place(graph, modules, prefix, put)
        in_layout = self._in_layout(graph, modules, prefix)
        taken = [calls.take_calls(graph) for calls in (max_pool, pads, sums)]
        graph.lint()
        return self.changes > before or in_place or in_layout or any(taken)

    def _linear(self, graph, modules, node, prefix, put):
        """Makes a linear layer compute what follows it."""
        if has_hooks(modules[node.target]) or _is_within_another(node, graph):
            return
        chain = LinearChain(graph, modules, node)
        if chain.words:
            self._rewrite(put, graph, modules, chain, node.target, prefix + node.target)

    def _in_layout(self, graph, modules, prefix):
        """Makes the graph run in channels last if it should. Returns whether it does now."""
        if not self.channels_last or not compute_channels_last(graph, modules, lambda node: _is_within_another(node, graph),
                                                               self.converted):
            return False
        if prefix[:-1] not in self.done.channels_last:
            self.done.channels_last.append(prefix[:-1])
        return True

    def _in_place(self, graph, modules, prefix, put):
        """Finds what can be written in place. Returns whether a concatenation can."""
        _erase_identities(graph, modules)

        def within_another(node):
            return _is_within_another(node, graph)
        concatenations = Concatenations(graph, modules, put, within_another)
        written = {**Growing(concatenations).rewrite(), **concatenations.rewrite()}
        self.done.concatenations.update((prefix + name, writers) for name, writers in written.items())
        overwriting = Overwriting(graph, modules, put, OF_FUSE, within_another)
        overwriting.find()
        self.done.overwritten += len(overwriting.found)
        asking = {**concatenations.started, **overwriting.found}
        if asking:
            node = ask(graph, put, modules, asking, [*concatenations.seen, *overwriting.seen()])
            concatenations.mark(node)
            overwriting.mark(node)
        return bool(written)

    def _fold_batch_norms(self, graph, modules, prefix, put):
        """Makes convolutions that do not pad compute the batch norms before them."""
        for node in list(graph.nodes):
            norm = modules[node.target] if node.op == "call_module" else None
            if not is_norm(norm) or not is_plain_norm(norm) or has_hooks(norm) or _is_within_another(node, graph):
                continue
            user = norm_before.reader(node, graph, modules)
            if user is None or _is_within_another(user, graph):
                continue
            modules[user.target] = norm_before.fold(node, user, graph, modules)
            put(user.target, modules[user.target])
            self._add(prefix + user.target, f"{type(norm).__name__} {node.target} before")
            self.done.left.pop(prefix + node.target, None)

    def _add(self, name, words):
        """Reports what a convolution computes, too, before what follows it."""
        self.changes += 1
        after = self.done.fused.get(name, "")
        if not f"{after}, ".startswith(f"{words}, "):  # as of another graph of the same part
            self.done.fused[name] = f"{words}, {after}" if after else words
        self.done.left.pop(name, None)

    def _take_batch_norms(self, graph, modules, put):
        """Makes the library compute batch norms that no convolution computes, such as those before a convolution."""
        for node in graph.nodes:
            norm = modules[node.target] if node.op == "call_module" else None
            if not is_batch_norm(norm) or is_fused_batch_norm(norm) or has_hooks(norm) or norm.running_mean is None:
                continue
            norm = in_float32(norm)  # a copy: the root keeps its own
            if not _is_within_another(node, graph) and fuse_norm(norm) is None:
                put(node.target, norm)
                modules[node.target] = norm

    def _why_no_chain(self, name, conv):
        if name in self.done.replaced.left:
            return f"PyTorch computes it: {self.done.replaced.left[name]}"
        if parametrize.is_parametrized(conv):
            return "its weight is parametrized"
        if has_hooks(conv):
            return why_whole(conv)
        if fused_class(conv) is None:
            return f"its class {_class_name(type(conv))} has a forward of its own"
        return None

    def _rewrite(self, put, graph, modules, chain, target, name):
        others = [n for n in graph.nodes if n.op == "call_module" and n.target == target and n is not chain.nodes[0]]
        i = 0
        while others and (target in modules):  # a convolution that is called twice has two fused ones
            i += 1
            target = f"{chain.nodes[0].target}_{i}"
        module = chain.rewrite(target)
        modules[target] = module
        put(target, module)
        self.changes += 1
        self.done.fused[name if i == 0 else f"{name}_{i}"] = ", ".join(chain.words)

    def _say_what_is_left(self, graph, modules, ends, prefix):
        for node in graph.nodes:
            if node.op != "call_module" or not is_norm(modules[node.target]):
                if node in ends and is_activation(node, modules):
                    self._leave(prefix + (node.target if node.op == "call_module" else node.name), ends[node])
                continue
            why = ends.get(node)
            if why is None:
                source = node.args[0] if node.args else None
                what = source.name if isinstance(source, fx.Node) else "something else"
                is_convolution = (isinstance(source, fx.Node) and source.op == "call_module" and
                                  isinstance(modules[source.target], nn.modules.conv._ConvNd))
                why = (f"the convolution {what} has other users, or is not fused" if is_convolution else
                       f"it follows {what}, no convolution; nor is it folded into one that follows, which must not pad, nor round "
                       "worse")
            self._leave(prefix + node.target, why)


def _is_within(node, name):
    return node.op == "call_module" and node.target.startswith(f"{name}.")


def _is_within_another(node, graph):
    """Whether the module is part of another one that the graph calls as a whole."""
    return any(_is_within(node, other.target) for other in graph.nodes if other.op == "call_module")


def _erase_identities(graph, modules):
    """Erases calls of nn.Identity, whose results are other names of their inputs."""
    for node in list(graph.nodes):
        module = modules[node.target] if node.op == "call_module" else None
        if type(module) is nn.Identity and not has_hooks(module) and len(node.args) == 1 and isinstance(node.args[0], fx.Node):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)


class _Put:
    """Modules that a graph finds in its root while it is built. The root, whose parts others may call, does not change."""

    def __init__(self, root):
        self.root, self.before = root, []

    def __call__(self, name, module):
        parent, _, own = name.rpartition(".")
        modules = self.root.get_submodule(parent)._modules
        self.before.append((modules, dict(modules)))
        modules[own] = module

    def undo(self):
        for modules, before in reversed(self.before):
            modules.clear()
            modules.update(before)


def _unfold_activations(root, graph, put):
    """Creates separate nodes for what batch norms add and activate: in a network that was fused for training, and in timm's
    BatchNormAct2d, which has a batch norm, a module `drop` and a module `act`."""
    found = {node: root.get_submodule(node.target) for node in graph.nodes if node.op == "call_module"}
    for node, module in found.items():
        name = type(module).__name__
        if has_hooks(module) or _is_within_another(node, graph):
            continue
        if is_fused_batch_norm(module) and not activates_itself(module, node):
            put(node.target, unfold_norm(graph, node, module))
        elif name in ("BatchNormAct2d", "FrozenBatchNormAct2d", "FusedBatchNormAct2d") and hasattr(module, "act"):
            last = node
            for part in ("drop", "act"):
                if isinstance(getattr(module, part, None), nn.Module):
                    with graph.inserting_after(last):
                        new = graph.call_module(f"{node.target}.{part}", (last,))
                    last = new
            for user in [u for u in node.users if u.target not in (f"{node.target}.drop", f"{node.target}.act")]:
                user.replace_input_with(node, last)
            if isinstance(module, nn.BatchNorm2d):
                plain = copy.copy(module)
                plain.__class__ = nn.BatchNorm2d
                put(node.target, plain)
