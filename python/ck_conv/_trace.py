"""A module's graph by torch.fx, with what cannot be traced as a single node, and nothing guessed.

torch.fx calls forward() with proxies. Two things would go wrong unseen: forward() asks for the class of a proxy, and takes
the way of whatever is no tensor; arguments that have defaults are taken to be given. The first raises here, the second are
fixed to their defaults, and other values raise when the graph is called.
"""
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
    return bool(module._forward_hooks or module._forward_pre_hooks)


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
    """opaque: names of modules that are not looked into."""
    from torch import Tensor as tensor_class

    def __init__(self, opaque):
        super().__init__()
        self.opaque, self.calls, self.innermost = opaque, [], None

    def proxy(self, node):
        return _Proxy(node, self)

    def is_leaf_module(self, module, name):
        return (name in self.opaque or is_norm(module) or isinstance(module, nn.modules.conv._ConvNd) or
                has_hooks(module) or super().is_leaf_module(module, name))

    def is_one_tensor(self, name):
        module = self.root.get_submodule(name)
        return type(module).__module__.startswith("torch.nn") and not isinstance(module, _NOT_ONE_TENSOR)

    def call_module(self, module, forward, args, kwargs):
        self.calls.append(module)
        result = super().call_module(module, forward, args, kwargs)
        self.calls.pop()  # stays where it raised
        return result


def trace(module, only_one_argument):
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
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    opaque = {}
    while len(opaque) < _MOST_OPAQUE:
        tracer = _Tracer(opaque)
        try:
            graph = tracer.trace(module, concrete_args=defaults or None)
            for node, parameter in zip([n for n in graph.nodes if n.op == "placeholder"], parameters):
                node.target = parameter.name  # keywords keep their names
            graph._tracer_cls = fx.Tracer  # pickle makes one without arguments
            return graph, opaque
        except Exception as error:  # whatever forward() makes of proxies
            why = f"torch.fx cannot trace it: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
            if not tracer.calls:
                return None, why
            name = {m: name for name, m in module.named_modules()}.get(tracer.calls[-1])
            if name is None:
                return None, why
            opaque[name] = why
    return None, f"torch.fx cannot trace {len(opaque)} of its modules"
