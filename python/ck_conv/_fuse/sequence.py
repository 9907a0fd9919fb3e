"""Layers that follow each other as one node of autograd, in training under torch.autocast: convolutions, layer norms, matrix
products and gelu, as in the blocks of ConvNeXt and the MLPs of transformers.

PyTorch has one to six nodes for each: a matrix product has two views, a transposed weight and two casts. Casts are launches,
too: of the gradient of each bias, and on GPUs of a layer norm's input to float32, of its result to the type of the product that
reads it, and of both gradients. The CPU time of these limits training. Results are rounded where PyTorch rounds them.

training.py puts sequences into graphs. A Sequence holds modules, and reads their parameters at each call. What it finds
out about tensors is remembered; for others, and whenever something observes them, it calls the modules one by one.
"""
import torch
from torch import nn
from torch.autograd import forward_ad
from torch.nn import functional as F

from .. import modules
from .._c.geometry import convolution, is_plain
from .._conv.dispatch import convolve
from .._conv.launch import allocation, allows_tf32, current_device, format_of, is_channels_last
from .._conv.layer import find
from .._conv.operators import any_autocast, autocast_dtype, gradient_of_bias, is_compiling, nobody_watches
from .._norm import group_norm
from .._norm.group_norm import as_autocast_has
from .._norm.shared import NONE, check_of_all, computed_again, keep
from .._trace.trace import has_hooks, is_row_norm
from .chains import is_identity

_is_grad_enabled = torch.is_grad_enabled
_gelu_backward = torch.ops.aten.gelu_backward.default
_CONVOLUTIONS = modules.Conv1d, modules.Conv2d, modules.Conv3d
_LAYER_NORMS = "layer", "layer_last"


class _Step:
    """A layer, prepared for tensors with one signature. keeps: how many tensors forward() keeps for backward()."""
    keeps = 1

    def prepare(self, x, w, b, dtype):
        """Returns whether it computes such tensors. dtype: of products, convolutions and what follows them."""
        self.dtype = dtype
        return True


class _Convolution(_Step):
    keeps = 2

    def __init__(self, module):
        self.arguments = module._rank, module.stride, module.padding, module.dilation, module.groups

    def prepare(self, x, w, b, dtype):
        rank, *arguments = self.arguments
        self.dtype, self.of_x, self.memory_format = dtype, x.dtype, format_of(w, is_channels_last(x) or is_channels_last(w))
        if x.dim() != rank + 2 or not all(map(is_plain, arguments)):
            return False
        self.layer = find(convolution, rank, x.to(dtype), self.cast(w), None if b is None else b.to(dtype), arguments)
        return self.layer is not None

    def cast(self, w):
        return w.to(self.dtype) if self.memory_format is None else w.to(self.dtype, memory_format=self.memory_format)

    def forward(self, x, w, b, kept):
        x, w = x if x.dtype is self.dtype else x.to(self.dtype), self.cast(w)
        kept += x, w
        return self.layer.forward(x, w, None if b is None else b.to(self.dtype))

    def backward(self, kept, grad, wants, parameters):
        x, w = kept
        of_x = of_w = of_b = None
        if wants[0] or wants[1]:
            of_x, of_w = self.layer.backward(x, w, grad, wants)
        if of_x is not None and self.of_x is not self.dtype:
            of_x = of_x.to(self.of_x)
        if of_w is not None:
            of_w = of_w.to(parameters[0].dtype)
        if wants[2]:
            of_b = gradient_of_bias(grad, parameters[1].dtype)
        return of_x, of_w, of_b

    def in_torch(self, x, w, b):
        rank, *arguments = self.arguments
        return convolve(convolution, rank, x, w, b, *arguments)


class _Norm(_Step):
    keeps = 4

    def __init__(self, module):
        self.groups, _, _, self.epsilon, self.rank = module.found

    def prepare(self, x, w, b, dtype):
        if self.rank is not None and x.dim() != self.rank:
            return False
        self.norm = group_norm.made(x, self.groups, [w] if b is None else [w, b], self.epsilon, NONE)[1]
        return self.norm is not None

    def forward(self, x, w, b, kept):
        y, statistics = self.norm.forward(x, w, b)
        kept += x, statistics, w, b
        return y

    def backward(self, kept, grad, wants, parameters):
        x, statistics, w, b = kept
        if x.stride() != self.norm.stride:  # hooks of saved tensors
            x = torch.empty_strided(x.shape, self.norm.stride, dtype=x.dtype, device=x.device).copy_(x)
        return self.norm.backward(x, w, b, statistics.contiguous(), None, grad, (*wants, False))[:3]

    def in_torch(self, x, w, b):
        return group_norm.in_torch(x, self.groups, w, b, self.epsilon, NONE)


class _Product(_Step):
    keeps = 2

    def __init__(self, module):
        pass

    def prepare(self, x, w, b, dtype):
        self.dtype, self.of_x, (rows, columns) = dtype, x.dtype, w.shape
        if x.dim() < 2 or x.numel() == 0 or x.size(-1) != columns:
            return False
        self.size, self.rows, self.columns = x.shape, rows, columns
        size = *x.shape[:-1], rows
        self.new = allocation(size, torch.empty(size, device="meta").stride(), dtype, x.device)
        return True

    def forward(self, x, w, b, kept):
        if x.dtype is not self.dtype:
            x = x.to(self.dtype)
        x, w = x.reshape(-1, self.columns), w.to(self.dtype)
        kept += x, w
        y = self.new()  # not a view, which could not be written to
        if b is None:
            torch.mm(x, w.t(), out=y.view(-1, self.rows))
        else:
            torch.addmm(b.to(self.dtype), x, w.t(), out=y.view(-1, self.rows))
        return y

    def backward(self, kept, grad, wants, parameters):
        x, w = kept
        grad = grad.reshape(-1, self.rows)
        of_x = grad.mm(w).view(self.size) if wants[0] else None
        return (of_x if of_x is None or self.of_x is self.dtype else of_x.to(self.of_x),
                grad.t().mm(x).to(parameters[0].dtype) if wants[1] else None,
                grad.sum(0, dtype=parameters[1].dtype) if wants[2] else None)

    def in_torch(self, x, w, b):
        return F.linear(x, w, b)


class _Gelu(_Step):
    def __init__(self, module):
        self.approximate = module.approximate

    def forward(self, x, w, b, kept):
        kept.append(x)
        return F.gelu(x, approximate=self.approximate)

    def backward(self, kept, grad, wants, parameters):
        return _gelu_backward(grad, kept[0], approximate=self.approximate), None, None

    def in_torch(self, x, w, b):
        return F.gelu(x, approximate=self.approximate)


class _Permutation(_Step):
    keeps = 0

    def __init__(self, dimensions):
        self.dimensions = dimensions
        self.inverse = sorted(range(len(dimensions)), key=dimensions.__getitem__)

    def prepare(self, x, w, b, dtype):
        return x.dim() == len(self.dimensions)

    def forward(self, x, w, b, kept):
        return x.permute(self.dimensions)

    def backward(self, kept, grad, wants, parameters):
        return grad.permute(self.inverse), None, None

    def in_torch(self, x, w, b):
        return x.permute(self.dimensions)


def kind_of(module):
    """The class of the step that computes this module, or None. Of derived classes, as functional_call() of PyTorch 1.13 and
    parametrizations make them, None."""
    if has_hooks(module):
        return None
    if type(module) in _CONVOLUTIONS:
        return _Convolution if module.padding_mode == "zeros" and "_conv_forward" not in module.__dict__ else None
    if type(module) is nn.Linear:
        return _Product
    if type(module) is nn.GELU:
        return _Gelu
    is_norm = "plain_class" in type(module).__dict__ and module.found is not None and module.found[0] in _LAYER_NORMS
    return _Norm if is_norm else None


class Sequence:
    """layers: modules, and tuples of dimensions for permute(). names: of the modules in the one whose graph this is part of."""

    def __init__(self, layers, names):
        self.layers, self.names, self.known = layers, names, {}  # known: by the size of the input
        self.places = [place for layer in layers for place in _places(layer)]

    def __getstate__(self):
        return {**self.__dict__, "known": {}}

    def of(self, root):
        """The same with the modules of another root."""
        return Sequence([layer if name is None else root.get_submodule(name) for layer, name in zip(self.layers, self.names)],
                        self.names)

    def __call__(self, x):
        if not is_compiling() and any_autocast() and _is_grad_enabled() and type(x) is torch.Tensor:
            known, parameters = self.known.get(x.shape), self._parameters()
            if known is None or forward_ad._current_level >= 0 or not known.takes(self.layers, x, parameters):
                known = self._find(x, parameters)
            if known is not None and known.steps:
                try:
                    return known(x, parameters)
                except _Refused:
                    known.steps = ()
        for layer in self.layers:
            x = x.permute(layer) if type(layer) is tuple else layer(x)
        return x

    def _parameters(self):
        """Weight and bias of each layer, None for each that it lacks. An empty list if one is no longer there."""
        try:
            return [place if place is None else place[0]._parameters[place[1]] for place in self.places]
        except KeyError:
            return []

    def _find(self, x, parameters):
        given = _present((x, *parameters))
        if (not parameters or len({id(t) for t in given}) < len(given) or forward_ad._current_level >= 0 or
                not all(nobody_watches(x, t) for t in given) or x.is_meta):
            return None
        known = _Known(self.layers, x, parameters)
        keep(self.known, x.shape, known)
        return known


def _places(layer):
    """Where weight and bias are: module and name, or None."""
    if type(layer) in (tuple, nn.GELU):
        return None, None
    weight, bias = layer.found[1:3] if is_row_norm(layer) else ("weight", "bias")
    return (layer, weight), None if bias is None else (layer, bias)


def _present(tensors):
    return [t for t in tensors if t is not None]


class _Refused(Exception):
    """A layer does not compute such tensors as a step."""


class _Known:
    """What is remembered of calls with such tensors. steps: empty if the modules compute them."""

    def __init__(self, layers, x, parameters):
        given = _present((x, *parameters))
        self.classes, self.missing = [*map(type, layers)], [p is None for p in parameters]
        self.check, self.tf32 = check_of_all(given), allows_tf32()
        self.device_type, self.index = x.device.type, x.get_device()  # less than 0: a CPU
        self.dtype, self.steps, self.is_prepared, self.places = autocast_dtype(self.device_type), (), False, {}
        kinds = [_Permutation if type(layer) is tuple else kind_of(layer) for layer in layers]
        if (self.dtype is not None and None not in kinds and any(t.requires_grad for t in given) and
                all(t.dtype in (self.dtype, torch.float32) and t.device == x.device for t in given)):
            self.steps = tuple(kind(layer) for kind, layer in zip(kinds, layers))
            # PyTorch saves what autocast makes of a norm's input, which may change afterwards.
            self.first_dtype = (as_autocast_has(x, self.device_type, layers[0].found[0]).dtype if kinds[0] is _Norm else
                                self.dtype)

    def takes(self, layers, x, parameters):
        return ([*map(type, layers)] == self.classes and [p is None for p in parameters] == self.missing and
                self.check(x, *_present(parameters)) and self.tf32 == allows_tf32() and
                autocast_dtype(self.device_type) is self.dtype)

    def __call__(self, x, parameters):
        if self.index >= 0 and self.index != current_device():
            with torch.cuda.device(self.index):
                return self(x, parameters)
        if x.dtype is not self.first_dtype:
            x = x.to(self.first_dtype)  # a node of its own: gradients of gradients go through it
        return _apply(self, x, *parameters)

    def forward(self, x, parameters, kept):
        for step, w, b in zip(self.steps, parameters[::2], parameters[1::2]):
            if not self.is_prepared and not step.prepare(x, w, b, self.dtype):
                raise _Refused
            x = step.forward(x, w, b, kept)
        self.is_prepared = True
        return x

    def backwards(self, needs):
        """Of each step whose gradients are needed, the last one first: itself, the range of what it kept, the position of the
        gradient of its weight among those that backward() returns, and whether gradients of its input, weight and bias are
        needed. needs: of x and of the parameters."""
        if needs not in self.places:
            found, end = [], 1  # x is kept first
            for i, step in enumerate(self.steps):
                begin, end, wants = end, end + step.keeps, (any(needs[:2 * i + 1]), *needs[2 * i + 1:2 * i + 3])
                if any(wants):
                    found.append((step, slice(begin, end), 2 * i + 1, wants))
            self.places[needs] = found[::-1]
        return self.places[needs]

    def in_torch(self, x, *parameters):
        with torch.autocast(self.device_type, dtype=self.dtype):
            for step, w, b in zip(self.steps, parameters[::2], parameters[1::2]):
                x = step.in_torch(x, w, b)
        return x


class _Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, known, x, *parameters):
        kept = [x]
        y = known.forward(x, parameters, kept)
        ctx.save_for_backward(*kept)
        ctx.known, ctx.parameters = known, parameters
        ctx.versions = [p if p is None else p._version for p in parameters]
        return y

    @staticmethod
    def backward(ctx, grad):
        known, parameters, kept, needs = ctx.known, ctx.parameters, ctx.saved_tensors, ctx.needs_input_grad[1:]
        if _is_grad_enabled() or forward_ad._current_level >= 0 or is_compiling() or not nobody_watches(grad, grad):
            return None, *_again(ctx, kept[0], grad, needs)
        found = [None] * len(needs)
        for step, places, at, wants in known.backwards(needs):
            grad, found[at], found[at + 1] = step.backward(kept[places], grad, wants, parameters[at - 1:at + 1])
        found[0] = grad if needs[0] else None
        return None, *found


_apply = super(torch.autograd.Function, _Function).apply  # as in _conv/layer.py
_Function._backward_cls.apply = _Function.backward


def _again(ctx, x, grad, needs):
    """The gradients with operations that are differentiable themselves: for create_graph=True."""
    parameters = ctx.parameters
    if any(p is not None and (p._version != version or wanted and not p.requires_grad)
           for p, version, wanted in zip(parameters, ctx.versions, needs[1:])):
        raise RuntimeError("parameters of a sequence of layers have changed since it was computed: gradients of gradients "
                           "cannot reach them")
    return computed_again(ctx.known.in_torch, (x, *parameters), grad, needs)


_PERMUTES = torch.permute, torch.Tensor.permute


def rewrite(graph, modules):
    """Replaces sequences in a graph of torch.fx by calls of Sequences. Returns these; the graph has them as the attribute
    NAME."""
    found, taken, sequences = [], set(), None
    for node in list(graph.nodes):
        if node in taken:
            continue
        nodes = _trimmed(_run(node, modules), modules)
        taken.update(nodes)
        nodes_of_layers = [n for n in nodes if _layer_of(n, modules) is not None]
        layers = [_layer_of(n, modules) for n in nodes_of_layers]
        if sum(type(layer) is not tuple for layer in layers) < 2:
            continue
        if sequences is None:
            with graph.inserting_before(next(n for n in graph.nodes if n.op != "placeholder")):
                sequences = graph.create_node("get_attr", NAME)
        with graph.inserting_after(nodes[-1]):
            call = graph.call_function(call_sequence, (sequences, len(found), nodes[0].args[0]))
        nodes[-1].replace_all_uses_with(call)
        for old in reversed(nodes):
            graph.erase_node(old)
        found.append(Sequence(layers, [n.target if n.op == "call_module" else None for n in nodes_of_layers]))
    return found


NAME, STORED = "_fused_sequences", "_stored_sequences"  # attributes of a module: a property of its class, and a list


def sequences_of(module):
    """Those of a module, with its own parts if it is a replica of torch.nn.DataParallel."""
    found = module._stored_sequences
    return [sequence.of(module) for sequence in found] if "_is_replica" in module.__dict__ else found


def call_sequence(sequences, i, x):
    return sequences[i](x)


def _run(node, modules):
    """Nodes from this one on that a sequence can compute, each the only user of the one before."""
    nodes = []
    while node is not None and _layer_of(node, modules) is not None or nodes and _is_identity(node, modules):
        nodes.append(node)
        node = next(iter(node.users)) if len(node.users) == 1 else None
        if node is None or node.args[:1] != (nodes[-1],):
            break
    return nodes


def _trimmed(nodes, modules):
    """Without what would have another type or be a view at the end: permutations, identities, and a layer norm that no product
    follows. It begins with a product, a convolution or a norm."""
    kinds = [_kind(n, modules) for n in nodes]
    begin = next((i for i, kind in enumerate(kinds) if kind in (_Convolution, _Product, _Norm)), len(nodes))
    end = len(nodes)
    for i in range(begin, len(nodes)):
        if kinds[i] is _Norm:
            follows = next((kind for kind in kinds[i + 1:] if kind not in (None, _Permutation)), None)
            if follows not in (_Convolution, _Product):
                end = i
                break
    while end > begin and kinds[end - 1] in (None, _Permutation):
        end -= 1
    return nodes[begin:end]


def _kind(node, modules):
    """The class of the node's step; None for others, and what does nothing."""
    layer = _layer_of(node, modules)
    return layer if layer is None else _Permutation if type(layer) is tuple else kind_of(layer)


def _layer_of(node, modules):
    """The module, or the dimensions of permute(), of a node that a sequence can compute; otherwise None."""
    if node.op == "call_module":
        module = modules[node.target]
        return module if len(node.args) == 1 and not node.kwargs and kind_of(module) is not None else None
    if (node.op == "call_function" and node.target in _PERMUTES or node.op == "call_method" and node.target == "permute"):
        dimensions = node.args[1:] if len(node.args) != 2 else node.args[1]
        if not node.kwargs and isinstance(dimensions, (list, tuple)) and all(type(d) is int for d in dimensions):
            return tuple(d % len(dimensions) for d in dimensions)
    return None


def _is_identity(node, modules):
    return node is not None and node.op == "call_module" and is_identity(node, modules[node.target], for_training=True)
