"""A module's graph by torch.fx, with what cannot be traced as a single node, and nothing guessed.

torch.fx calls forward() with proxies. Two things would go wrong unseen: forward() asks for the class of a proxy, and takes
the way of whatever is no tensor; arguments that have defaults are taken to be given. The first raises here, the second are
fixed to their defaults, and other values raise when the graph is called.

A graph also fixes what forward() does in training mode or in eval mode, and loses torch.utils.checkpoint. For training,
whatever is another graph in the other mode, or is called by checkpoint(), is a single node, too.
"""
import contextlib
import inspect
import operator
import sys

from torch import fx, nn
from torch.fx.proxy import TraceError

_MOST_OPAQUE = 200  # modules in one graph
_NOT_ONE_TENSOR = (nn.RNNBase, nn.MultiheadAttention)
NORMS = ("FrozenBatchNorm2d", "FrozenBatchNormAct2d")  # torchvision's and timm's, not derived from torch.nn's


def is_norm(module):
    return isinstance(module, nn.modules.batchnorm._BatchNorm) or type(module).__name__ in NORMS


def has_hooks(module):
    return any(getattr(module, hooks, None) for hooks in
               ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"))


class _Proxy(fx.Proxy):
    @property
    def __class__(self):
        asks = sys._getframe(1).f_globals.get("__name__", "")
        if asks == "torch" or asks.startswith("torch."):
            return _Proxy
        if self.node.op == "call_module" and self.tracer.is_one_tensor(self.node.target):
            return self.tracer.tensor_class
        raise TraceError(f"{asks} asks for the class of a value that only a call has")


def _in_place(function):
    return lambda self, other: self.tracer.create_proxy("call_function", function, (self, other), {})


for _name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift", "irshift",
              "imatmul"):  # PyTorch 1.13 takes += for +
    setattr(_Proxy, f"__{_name}__", _in_place(getattr(operator, _name)))


class _Tracer(fx.Tracer):
    """opaque: names of modules that are not looked into. steps: of each module, what its own forward() does."""
    from torch import Tensor as tensor_class

    def __init__(self, opaque, loses_no_checkpoint=False):
        super().__init__()
        self.opaque, self.calls, self.loses_no_checkpoint = opaque, [], loses_no_checkpoint
        self.steps = {None: []}

    def proxy(self, node):
        return _Proxy(node, self)

    def is_leaf_module(self, module, name):
        return (name in self.opaque or is_norm(module) or isinstance(module, nn.modules.conv._ConvNd) or
                has_hooks(module) or super().is_leaf_module(module, name))

    def is_one_tensor(self, name):
        module = self.root.get_submodule(name)
        return type(module).__module__.startswith("torch.nn") and not isinstance(module, _NOT_ONE_TENSOR)

    def call_module(self, module, forward, args, kwargs):
        self._step("call", self.path_of_module(module))
        self.calls.append(module)
        self.steps.setdefault(module, [])
        result = super().call_module(module, forward, args, kwargs)
        self.calls.pop()  # stays where it raised
        return result

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        if self.loses_no_checkpoint:
            self._look_for_checkpoint()
        if kind != "call_module":  # which call_module() has said
            self._step(kind, target, fx.node.map_aggregate((args, kwargs), lambda a: a if type(a) in _CONSTANTS else None))
        return super().create_node(kind, target, args, kwargs, name, type_expr)

    def _step(self, *what):
        self.steps.setdefault(self.calls[-1] if self.calls else None, []).append(what)

    def _look_for_checkpoint(self):
        """Blames the module that called it."""
        frame, within = sys._getframe(2), False
        while frame is not None:
            within = within or frame.f_globals.get("__name__") == "torch.utils.checkpoint"
            caller = frame.f_locals.get("self")
            if within and isinstance(caller, nn.Module) and (caller in self.calls or caller is self.root):
                del self.calls[self.calls.index(caller) + 1 if caller in self.calls else 0:]
                raise TraceError("it calls torch.utils.checkpoint, which a graph would not")
            frame = frame.f_back


_CONSTANTS = (bool, int, float, str)


@contextlib.contextmanager
def _in_mode(module, training):
    modules = list(module.modules())
    were = [m.training for m in modules]
    try:
        for m in modules:
            m.training = training
        yield
    finally:
        for m, was in zip(modules, were):
            m.training = was


def _depends_on_mode(module, tracer, graph, defaults):
    """The tracer of a trace in training mode and its graph: modules that do something else in eval mode; the module itself
    where only the whole shows it."""
    other = _Tracer(tracer.opaque)
    with _in_mode(module, False):
        other_graph = other.trace(module, concrete_args=defaults)
    found = [m or module for m in tracer.steps.keys() | other.steps.keys()
             if m in tracer.steps and m in other.steps and tracer.steps[m] != other.steps[m]]
    return found if found or _described(graph) == _described(other_graph) else [module]


def _described(graph):
    """Nodes by their numbers."""
    number = {node: f"%{i}" for i, node in enumerate(graph.nodes)}
    return [(node.op, str(node.target), str(fx.node.map_arg((node.args, node.kwargs), lambda n: number[n])))
            for node in graph.nodes]


def trace(module, only_one_argument, for_training=False):
    """(graph, {name of a module that is one node, for it cannot be traced: why}), or (None, why there is none).
    only_one_argument: others may be no tensors, as the caller knows that is not traced itself."""
    kind = type(module)
    if has_hooks(module):
        return None, "it has hooks"
    try:
        parameters = list(inspect.signature(module.forward).parameters.values())
    except (TypeError, ValueError) as error:
        return None, str(error)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None, f"{kind.__name__}.forward() takes any number of arguments"
    if only_one_argument and len(parameters) != 1:
        return None, f"{kind.__name__}.forward() takes {len(parameters)} arguments"
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty} or None
    opaque, names = {}, {m: name for name, m in module.named_modules()}
    while len(opaque) < _MOST_OPAQUE:
        tracer = _Tracer(opaque, for_training)
        try:
            with _in_mode(module, True) if for_training else contextlib.nullcontext():
                graph = tracer.trace(module, concrete_args=defaults)
            blamed = _depends_on_mode(module, tracer, graph, defaults) if for_training else []
            why = _OTHER_GRAPH
        except Exception as error:  # whatever forward() makes of proxies
            why = f"torch.fx cannot trace it: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
            blamed = tracer.calls[-1:] or [module]
        if not blamed:
            for node, parameter in zip([n for n in graph.nodes if n.op == "placeholder"], parameters):
                node.target = parameter.name  # keywords keep their names
            graph._tracer_cls = fx.Tracer  # pickle makes one without arguments
            return graph, opaque
        blamed = {names.get(m, "") for m in blamed}
        inner = {name for name in blamed if not any(other != name and _is_part(other, name) for other in blamed)}
        if "" in inner or inner <= opaque.keys():
            return None, why
        opaque.update(dict.fromkeys(inner, why))
    return None, f"torch.fx cannot trace {len(opaque)} of its modules"


def _is_part(name, whole):
    return not whole or name.startswith(f"{whole}.")


_OTHER_GRAPH = "its forward() does something else in training mode than in eval mode, as a graph cannot"
