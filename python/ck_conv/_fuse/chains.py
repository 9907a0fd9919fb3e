"""Finds what follows a convolution in a graph of torch.fx and can be computed with it: batch norm, an addition, an
activation. Also what follows a norm of its own: an addition and an activation after a batch norm in training, and always after a
norm over groups or instances; an activation after a norm over pixels."""
import math
import operator

import torch
from torch import fx, nn
from torch.nn import functional as F

from .._conv.epilogue import AFTER, BEFORE, Epilogue
from .._norm.activations import RELU, activation_of
from .._norm.modules import WITH_ACT, activates_itself, activations_of, arguments_of, call_of, is_fused_norm
from .._norm.shared import NONE
from .._trace.trace import DROPOUTS, NORMS, has_hooks, is_norm
from .aliases import ADDS_IN_PLACE, PLAIN_NORMS, is_written, may_view, may_write
from .doubled import DOUBLED, can_be_doubled, is_doubling
from .fused import PADDED, FusedLinear, Scale, as_convolution, fused, fused_class, why_not_finite, why_not_folded

_ADDS = {operator.add, operator.iadd, torch.add, "add", "add_", "__add__", "__iadd__"}
_MULTIPLIES = {operator.mul, operator.imul, torch.mul, "mul", "mul_", "__mul__", "__imul__"}
_MULTIPLIES_IN_PLACE = {operator.imul, "mul_", "__imul__"}
_VIEWS = {"view", "reshape", "unsqueeze", operator.getitem, torch.reshape, torch.unsqueeze}
_IDENTITIES = (nn.Identity, nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout)


class _Chain:
    """A module's node and the following nodes that one module can compute. words: what is computed with it."""

    def __init__(self, graph, modules, node):
        self.graph, self.modules, self.nodes = graph, modules, [node]  # modules: by name
        self.residual = None
        self.end, self.ended = None, ""  # the node that ended the chain, and why
        if len(node.args) != 1 or node.kwargs:
            self.ended = "it is called with more than one argument"
            return
        self.x = node.args[0]
        while self._next():
            pass

    def _next(self):
        last = self.nodes[-1]
        users = list(last.users)
        if len(users) != 1 or times(users[0], last) != 1:
            return self._stop(None, f"its result is used {max(2, len(users))} times" if users else "its result is not used")
        step = users[0]
        if step.op == "output":
            return self._stop(None, "its result is the network's")
        writes = self._writes_between(last, step)
        why = f"{writes} may write to its operands in between" if writes else self._why_not(step, last)
        if why is not None:
            return self._stop(step, why)
        self.nodes.append(step)
        return True

    def _stop(self, node, why):
        self.end, self.ended = node, why
        return False

    def _writes_between(self, last, step):
        """The name of a node that may change the first one's inputs, if it were computed at step."""
        node = last.next
        while node is not step:
            if may_write(node, self.modules) or self._writes(node):
                return node.name
            node = node.next
        return ""

    def _writes(self, node):
        return False


class Chain(_Chain):
    """The chain of a convolution."""

    def __init__(self, graph, modules, node):
        self.conv, self.norm, self.epilogue, self.words = self._convolution(modules[node.target]), None, Epilogue(), []
        self.scale, self.of_scale = None, []  # of_scale: the nodes of the factors
        self.into_residual = False  # whether `residual += result` has the residual's type
        self.doubling = []  # the nodes of an interpolation before the convolution, the last one first
        self.padding, self.pads = [], ()  # the node of a pad() of zeros before the convolution, and its pads
        super().__init__(graph, modules, node)
        self._find_doubling(getattr(self, "x", None))
        self._find_pads(getattr(self, "x", None))

    def _convolution(self, module):
        return module

    def _factor(self, factor):
        """A tensor of factors, in the shape that a convolution's result needs."""
        return factor

    def _find_doubling(self, last):
        """Looks for an interpolation that makes the convolution's input. Models of videos do it in float32."""
        wide = (isinstance(last, fx.Node) and last.op == "call_method" and last.target == "type_as" and
                len(last.args) == 2 and not last.kwargs and self.conv.weight.dtype != torch.float64)
        doubling = last.args[0] if wide else last
        if not (isinstance(doubling, fx.Node) and self._doubles(doubling)):
            return
        nodes, x = [doubling], doubling.args[0]
        if wide:
            nodes = [last, doubling, x]
            if not (x.op == "call_method" and x.target == "float" and x.args == (last.args[1],) and
                    all(len(n.users) == 1 and not self._writes_between(n, self.nodes[0]) for n in nodes)):
                return
            x = last.args[1]
        self.doubling, self.x = nodes, x
        self.words.insert(0, _name(doubling, self.modules.get(doubling.target) if doubling.op == "call_module" else None))

    def _find_pads(self, node):
        """Looks for zeros that are added around the convolution's input, for it alone."""
        if self.doubling or not isinstance(node, fx.Node) or self.conv.padding_mode != "zeros":
            return
        module = self.modules.get(node.target) if node.op == "call_module" else None
        pads = pads_of_zeros(node, module, len(self.conv.kernel_size))
        if (pads is not None and fused_class(self.conv) in PADDED and isinstance(node.args[0], fx.Node) and
                len(node.users) == 1 and not (module and has_hooks(module)) and not self._writes_between(node, self.nodes[0])):
            self.padding, self.pads, self.x = [node], pads, node.args[0]
            self.words.insert(0, _name(node, module))

    def _doubles(self, node):
        """Whether the node doubles the convolution's input, for it alone."""
        module = self.modules.get(node.target) if node.op == "call_module" else None
        return (is_doubling(node, module, len(self.conv.kernel_size)) and isinstance(node.args[0], fx.Node) and
                len(node.users) == 1 and not (module and has_hooks(module)) and not self._writes_between(node, self.nodes[0]) and
                can_be_doubled(self.conv, fused_class(self.conv)))

    def _why_not(self, step, last):
        """Adds the step to the epilogue, or returns why not."""
        e = self.epilogue
        module = self.modules.get(step.target) if step.op == "call_module" else None
        if is_identity(step, module):
            return None if step.args[:1] == (last,) else "it has other arguments"
        if module is not None and has_hooks(module):
            return f"{step.target} has hooks"
        if module is not None and is_norm(module):
            return self._norm(step, module)
        target = step.target
        if step.op in ("call_function", "call_method") and target in _ADDS:
            return self._add(step, last)
        if step.op in ("call_function", "call_method") and target in _MULTIPLIES:
            return self._multiply(step, last)
        activation = activation_of(step, module, last, for_training=False)
        if activation is None:
            return f"{_name(step, module)} follows, which no epilogue computes"
        if e.activation != "none" or e.residual == AFTER:
            return "there is an activation or an addition already"
        name, least, most = _as_relu(activation, step, self.modules)
        self.epilogue = e._replace(activation=name, least=least, most=0. if name == "leaky_relu" else most)
        self.words.append(_name(step, module))
        return None

    def _norm(self, step, module):
        if self.norm is not None or self.words:
            return f"{step.target} follows {self.words[-1]}, not the convolution"
        if not is_plain_norm(module):
            return f"its class {type(module).__module__}.{type(module).__qualname__} may compute something else"
        why = why_not_folded(self.conv, module)
        if why is None:
            self.norm = module
            self.words.append(f"{type(module).__name__} {step.target}")
        return why

    def _multiply(self, step, last):
        """Folds a factor that is constant for each channel into the weight, as layer scale."""
        if len(step.args) != 2 or step.kwargs or (step.args[0] is last) == (step.args[1] is last):
            return f"{_name(step, None)} follows, which no epilogue computes"
        if self.epilogue.activation != "none" or self.epilogue.residual != "none":
            return "it multiplies what was activated or added"
        other, nodes = step.args[1] if step.args[0] is last else step.args[0], []
        in_place = step.target in _MULTIPLIES_IN_PLACE
        if in_place and step.args[0] is not last:
            return f"it multiplies {other} in place"
        factor = other if type(other) in (int, float) else _parameter(other, self.modules, nodes)
        if factor is None:
            return "it multiplies by what is not a parameter"
        rank = factor.dim() if isinstance(factor, torch.Tensor) else 0
        scale, why = _with_factor(self.scale, self._factor(factor) if rank else factor, rank, in_place, self.conv)
        why = why or why_not_finite(self.conv, self.norm, scale)
        if why is None:
            self.scale = scale
            self.of_scale += nodes
            self.words.append(_name(step, None))
        return why

    def _add(self, step, last):
        e = self.epilogue
        into_other = step.target in ADDS_IN_PLACE and step.args[0] is not last and _is_own(step.args[0], self.modules)
        other, in_place, why = _added(step, last, into_other)
        if why is not None:
            return why
        if e.residual != "none":
            return "there is an addition already"
        self.residual, self.into_residual = other, into_other
        self.epilogue = e._replace(residual=BEFORE if e.activation == "none" else AFTER, keeps_type=in_place)
        self.words.append("add")
        return None

    def rewrite(self, name):
        """Replaces the nodes by the module, which has this name in the graph's root."""
        last = self.nodes[-1]
        with self.graph.inserting_after(last):
            node = self.graph.call_module(name, (self.x,) if self.residual is None else (self.x, self.residual))
        last.replace_all_uses_with(node)
        for old in (*reversed(self.nodes), *self.doubling, *self.padding):
            self.graph.erase_node(old)
        for old in self.of_scale:
            if not old.users:
                self.graph.erase_node(old)
        module = fused(self.conv, self.norm, self.epilogue, self._class(), self.scale)
        if self.padding:
            module.pads = self.pads
        module.into_residual = self.into_residual
        return module

    def _class(self):
        """The module's class, if it is not the fused_class()."""
        return (DOUBLED if self.doubling else PADDED if self.padding else {}).get(fused_class(self.conv))


class LinearChain(Chain):
    """The chain of a torch.nn.Linear. Its result may be permuted to channels first in between, as in ConvNeXt: then what follows
    is computed before. order: of this permute()."""

    def __init__(self, graph, modules, node):
        self.order, self.permutes_residual = (), False
        super().__init__(graph, modules, node)

    def _convolution(self, module):
        return as_convolution(module)

    def _class(self):
        return FusedLinear

    def _find_doubling(self, last):
        pass

    def _find_pads(self, node):
        pass

    def _why_not(self, step, last):
        order = _order_of_permute(step, last)
        if not order:
            return super()._why_not(step, last)
        if self.order or order != (0, len(order) - 1, *range(1, len(order) - 1)):
            return f"it is permuted by {order}"
        self.order = order
        return None

    def _norm(self, step, module):
        return f"{step.target} follows, which is not folded into a linear layer"

    def _add(self, step, last):
        why = super()._add(step, last)
        self.permutes_residual = self.order != () and self.residual is not None
        return why

    def _factor(self, factor):
        """Channels are the last dimension, or after the permute() the second one."""
        after = max(0, len(self.order) - 2)
        size = tuple(factor.shape)
        if factor.numel() == 1 or factor.dim() <= after or size[factor.dim() - after:] != (1,) * after:
            return factor
        return factor.reshape(*size[:factor.dim() - after], 1, 1)

    def rewrite(self, name):
        module = super().rewrite(name)
        module.order, module.permutes_residual = self.order, self.permutes_residual
        return module


def _order_of_permute(step, last):
    """The order, if a step is last.permute(order); otherwise ()."""
    if step.op == "call_method" and step.target == "permute" or step.op == "call_function" and step.target is torch.permute:
        order = step.args[1:] or (step.kwargs.get("dims", ()),)
        order = tuple(order[0]) if len(order) == 1 and isinstance(order[0], (tuple, list)) else order
        if step.args[:1] == (last,) and order and all(type(n) is int for n in order):
            return tuple(n % len(order) for n in order)
    return ()


_ITS_OWN = ("of its own", 0., 0.)


class NormChain(_Chain):
    """The chain of a norm of _norm/modules.py."""

    def __init__(self, graph, modules, node, for_training):
        module, self.for_training = modules[node.target], for_training
        self.activation, self.adds_in_place, self.words = NONE, False, []
        self.activations, self.adds_before = activations_of(module)
        if activates_itself(module, node):
            self.activation = _ITS_OWN
        elif type(module) in WITH_ACT and module.own != NONE:
            self.activation = module.own
            self.words.append(f"{type(module.act).__name__} {node.target}.act")
        super().__init__(graph, modules, node)

    def _writes(self, node):
        """Running statistics depend on the order of calls."""
        return node.op == "call_module" and self.modules[node.target] is self.modules[self.nodes[0].target]

    def _why_not(self, step, last):
        module = self.modules.get(step.target) if step.op == "call_module" else None
        if module is not None and has_hooks(module):
            return f"{step.target} has hooks"
        if is_identity(step, module, self.for_training):
            return None
        if self.activation != NONE:
            return "there is an activation already"
        if step.op in ("call_function", "call_method") and step.target in _ADDS:
            other, in_place, why = _added(step, last)
            if self.adds_before is None:
                why = f"{_name(step, module)} follows, which no kernel computes with it"
            if why is None and self.residual is not None:
                why = "there is an addition already"
            if why is None:
                self.residual, self.adds_in_place = other, in_place
                self.words.append("add")
            return why
        activation = _as_relu(activation_of(step, module, last, self.for_training), step, self.modules)
        if is_fused_norm(module) and call_of(step).residual is last:
            return f"{step.target} adds it"
        if activation is None or activation[0] not in self.activations:
            return f"{_name(step, module)} follows, which no kernel computes with it"
        if self.residual is not None and not self.adds_before(activation):
            return f"{_name(step, module)} follows the addition, which no kernel computes with it"
        if self.residual is not None and _needs_input(activation) and is_written(step, self.modules):
            return f"the result of {_name(step, module)}, which its gradient needs, may be written to"
        self.activation = activation
        self.words.append(_name(step, module))
        return None

    def rewrite(self):
        """Replaces the nodes by one call of the norm."""
        first, last = self.nodes[0], self.nodes[-1]
        with self.graph.inserting_after(last):
            node = self.graph.call_module(first.target, (self.x,), arguments_of(
                self.residual, self.activation, self.adds_in_place))
        last.replace_all_uses_with(node)
        for old in reversed(self.nodes):
            self.graph.erase_node(old)


def _needs_input(activation):
    """Whether PyTorch's gradient of an activation needs its input, and the library's after an addition its result."""
    name, _, in_place = activation
    return name == "clamp" or name == "leaky_relu" and not in_place


def _is_own(node, modules):
    """Whether the one user of a node's result is all that may read its memory."""
    if not isinstance(node, fx.Node) or len(node.users) != 1 or node.op in ("placeholder", "get_attr"):
        return False
    if node.target in ADDS_IN_PLACE or node.target in _MULTIPLIES_IN_PLACE:
        return _is_own(node.args[0], modules)
    is_tensor = any(given.op == "call_module" for given in node.all_input_nodes)
    return not any(may_view(node, given, is_tensor, modules) for given in node.all_input_nodes)


def _added(step, last, into_other=False):
    """Returns (what is added to last, whether in place, why it cannot be used or None). into_other: whether last may also be added
    to it in place."""
    if len(step.args) != 2 or step.kwargs.get("alpha", 1) != 1 or set(step.kwargs) - {"alpha"}:
        return None, False, "it adds with other arguments"
    other = step.args[1] if step.args[0] is last else step.args[0]
    if not isinstance(other, fx.Node):
        return None, False, "it adds a number"
    in_place = step.target in ADDS_IN_PLACE
    if in_place and step.args[0] is not last:
        return (other, False, None) if into_other else (None, False, f"it adds to {other.name} in place")
    return other, in_place, None


def is_plain_norm(norm):
    """Whether a batch norm computes nothing else."""
    return type(norm).forward in PLAIN_NORMS or type(norm).__name__ in NORMS


def _parameter(node, modules, nodes):
    """The value of a parameter, perhaps of another shape: None if the node is something else. Appends its nodes to `nodes`, users
    first."""
    if not isinstance(node, fx.Node):
        return None
    nodes.append(node)
    if node.op == "get_attr":
        owner, _, name = node.target.rpartition(".")
        return modules[owner]._parameters.get(name) if owner in modules else None
    if node.target not in _VIEWS or node.kwargs or len(node.all_input_nodes) != 1:
        return None
    value = _parameter(node.args[0], modules, nodes)
    if value is None:
        return None
    view = getattr(torch.Tensor, node.target) if node.op == "call_method" else node.target
    return view(value.detach(), *node.args[1:])


def _with_factor(scale, factor, rank_of_factor, in_place, conv):
    """Returns (a Scale with one more factor, why there is none or None). rank_of_factor: in the network's own code."""
    before = Scale(torch.ones((), dtype=torch.float64, device=conv.weight.device)) if scale is None else scale
    if not isinstance(factor, torch.Tensor):
        return before._replace(factors=before.factors * factor), None
    rank, channels = len(conv.kernel_size) + 2, conv.out_channels
    size = (1,) * (rank - factor.dim()) + tuple(factor.shape)
    if size not in ((1,) * rank, (1, channels) + (1,) * (rank - 2)):
        return None, f"it multiplies by {tuple(factor.shape)}, which is not constant for each of {channels} channels"
    if factor.device != conv.weight.device or factor.dtype != conv.weight.dtype:
        return None, (f"it multiplies by {factor.dtype} on {factor.device}, but the convolution's weight is {conv.weight.dtype} on "
                      f"{conv.weight.device}")
    factors = before.factors * factor.detach().double().flatten().squeeze()
    if factor.dim() == 0 or in_place:
        return before._replace(factors=factors), None
    return Scale(factors, max(before.rank, rank_of_factor)), None


def times(node, argument):
    """How often the argument occurs in a node."""
    count = 0

    def visit(a):
        nonlocal count
        count += a is argument
        return a
    fx.node.map_arg((node.args, node.kwargs), visit)
    return count


def _name(step, module):
    if module is not None:
        return f"{type(module).__name__} {step.target}"
    return step.target if isinstance(step.target, str) else getattr(step.target, "__name__", str(step.target))


def pads_of_zeros(node, module, rank):
    """(pads before, pads after) of each of `rank` dimensions, outermost first, if a node adds zeros around its input; otherwise
    None."""
    if module is not None:
        if type(module).__module__ != nn.modules.padding.__name__ or not hasattr(module, "value") or len(node.args) != 1:
            return None
        given = {"pad": module.padding, "value": module.value}
    elif node.op == "call_function" and node.target is F.pad and node.args:
        given = {**dict(zip(("pad", "mode", "value"), node.args[1:])), **node.kwargs}
    else:
        return None
    pads, value = given.get("pad"), given.get("value")
    if (given.get("mode", "constant") != "constant" or value is not None and (type(value) not in (int, float) or value != 0) or
            not isinstance(pads, (tuple, list)) or len(pads) % 2 or len(pads) > 2 * rank or
            not all(type(n) is int and n >= 0 for n in pads)):
        return None
    pads = (*pads, *(0,) * (2 * rank - len(pads)))
    return pads[-2::-2], pads[:0:-2]


def is_identity(step, module, for_training=False):
    """Whether a step does nothing in inference, or in training either."""
    if module is not None:
        does_nothing = getattr(module, "p", 0) == 0 if for_training else not module.training
        return type(module) in _IDENTITIES and not has_hooks(module) and does_nothing
    if for_training or step.op != "call_function":
        return False
    if step.target in (operator.truediv, torch.div) and len(step.args) == 2 and not step.kwargs:
        return type(step.args[1]) in (int, float) and step.args[1] == 1
    if step.target in DROPOUTS:
        return step.kwargs.get("training", step.args[2] if len(step.args) > 2 else True) is False
    if getattr(step.target, "__name__", "") == "stochastic_depth":  # torchvision's
        return step.kwargs.get("training", step.args[3] if len(step.args) > 3 else True) is False
    return False


def _as_relu(activation, step, modules):
    """relu for a clamp that computes the same, unless its result may be written to: the gradient of relu needs its result."""
    return RELU if activation == ("clamp", 0., math.inf) and not is_written(step, modules) else activation
