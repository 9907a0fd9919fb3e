"""Traces a module's graph with torch.fx. What cannot be traced is a single node, and nothing is guessed.

torch.fx calls forward() with proxies. Much could go wrong unnoticed: forward() checks the class of a proxy, and takes the
branch for non-tensors; it changes an attribute or draws a random number, which the graph does not; it enters
torch.no_grad(), which leaves nothing in the graph; or it makes a tensor, which the graph would keep. All of this raises
here, or is found after a call, and the previous state is restored. Arguments with defaults are fixed to these, and other
values raise when the graph is called.

A graph also fixes what forward() does in training mode or in eval mode, and loses torch.utils.checkpoint. For training, a
module that has another graph in the other mode, or is called by checkpoint(), is a single node, too.
"""
import collections
import contextlib
import dis
import functools
import inspect
import operator
import sys
import types

import torch
from torch import fx, nn
from torch.fx.proxy import TraceError
from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function

from .arguments import Arguments
from .branches import Answers, Ways, is_copy, may_share
from .made import make_on_their_device, recording
from .once import refusing
from .state import State, random_state, same_random_state, set_random_state

_MOST_OPAQUE = 200  # modules in one graph
_NOT_ONE_TENSOR = (nn.RNNBase, nn.MultiheadAttention)
_RANKS = {nn.Conv1d: 3, nn.Conv2d: 4, nn.Conv3d: 5, nn.ConvTranspose1d: 3, nn.ConvTranspose2d: 4, nn.ConvTranspose3d: 5,
          nn.BatchNorm2d: 4, nn.BatchNorm3d: 5}  # of results for a batch
_ACTIVATIONS = ("relu", "relu_", "relu6", "silu", "gelu", "leaky_relu", "leaky_relu_", "sigmoid", "sigmoid_", "tanh", "hardswish",
                "hardsigmoid")  # functions and methods
DROPOUTS = {F.dropout, F.dropout1d, F.dropout2d, F.dropout3d, F.alpha_dropout, F.feature_alpha_dropout}
NORMS = ("FrozenBatchNorm2d", "FrozenBatchNormAct2d")  # torchvision's and timm's, not derived from torch.nn's


def is_norm(module):
    return isinstance(module, nn.modules.batchnorm._BatchNorm) or type(module).__name__ in NORMS


def is_group_norm(module):
    """Whether it is derived from a group norm or an instance norm of torch.nn."""
    return isinstance(module, (nn.GroupNorm, nn.modules.instancenorm._InstanceNorm))


def is_row_norm(module):
    """Whether it is one of _norm/row_norm.py."""
    return hasattr(type(module), "plain_class")


HOOKS = "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"  # attributes of a module


def has_hooks(module):
    """Whether it has hooks, or a forward() as an attribute of the instance, which wraps its class's as hooks do."""
    return "forward" in module.__dict__ or any(getattr(module, hooks, None) for hooks in HOOKS)


def chooses_its_forward(module):
    """Whether the forward() of the instance is another method of its class, as in timm's FasterNet, and nothing else is hooked."""
    forward = module.__dict__.get("forward")
    return (isinstance(forward, types.MethodType) and forward.__self__ is module and
            getattr(type(module), forward.__name__, None) is forward.__func__ and
            not any(getattr(module, hooks, None) for hooks in HOOKS))


def why_whole(module):
    """Why a module for which has_hooks() is true is one node."""
    return "its forward is an attribute of the instance" if "forward" in module.__dict__ else "it has hooks"


_CHANGES = {"append", "extend", "insert", "pop", "popitem", "remove", "clear", "update", "setdefault", "sort", "reverse"}


def _has_lists(value):
    return type(value) in (list, dict) or type(value) is tuple and any(map(_has_lists, value))


def _may_change_lists(module):
    """Whether a module may change a list or a dictionary that it is given, as far as its instructions show."""
    seen, waiting = set(), []
    for part in module.modules():
        if has_hooks(part):
            return True
        if not type(part).__module__.startswith(("torch.nn.", "ck_conv.")):
            waiting.append((type(part), type(part).forward))
    while waiting:
        kind, function = waiting.pop()
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is None or not _CHANGES.isdisjoint(code.co_names) or any(
                step.opname in ("STORE_SUBSCR", "DELETE_SUBSCR") or step.opname.startswith("INPLACE_") or
                step.opname == "BINARY_OP" and step.argrepr.endswith("=") for step in dis.get_instructions(code)):
            return True
        seen.add(code)
        for name in code.co_names:
            for called in (inspect.unwrap(function).__globals__.get(name), getattr(kind, name, None)):
                if isinstance(called, types.FunctionType) and called.__code__ not in seen and not (
                        (called.__module__ or "").split(".")[0] in ("torch", "ck_conv")):
                    waiting.append((kind, called))
    return False


def _has_a_call(module):
    return type(module).__call__ is not nn.Module.__call__ and not isinstance(module, fx.GraphModule)


class _InPlace(fx.Proxy):
    """x += y stays in place; torch.fx makes it x + y."""

    def __getattr__(self, name):
        return _class_of_attributes(type(self))(self, name)


@functools.lru_cache(maxsize=None)
def _class_of_attributes(kind):
    """The class of attributes of such proxies, whose attributes have it, too."""
    is_one = issubclass(kind, fx.proxy.Attribute)
    return kind if is_one else type(f"{kind.__name__}Attribute", (kind, fx.proxy.Attribute), {})


def _in_place(function):
    return lambda self, other: self.tracer.create_proxy("call_function", function, (self, other), {})


for _name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift", "irshift",
              "imatmul"):
    setattr(_InPlace, f"__{_name}__", _in_place(getattr(operator, _name)))


class InPlaceTracer(fx.Tracer):
    """With it, pickle restores a graph from its text."""
    proxy_buffer_attributes = True  # writes to buffers are part of the graph

    def proxy(self, node):
        return _InPlace(node, self)


_OF_JIT_ISINSTANCE = "torch.jit", "torch._jit_internal"  # files of torch.jit.isinstance(), which asks for its caller
_ASKING = {"isinstance", "issubclass", "is_tensor", "__class__"}


class _Proxy(_InPlace):
    def __setattr__(self, name, value):
        if name not in ("node", "tracer", "root", "attr", "_node"):  # those of torch.fx
            self.tracer.refuse(f"it sets an attribute, {name}, of a value that only a call has")
        super().__setattr__(name, value)

    @property
    def __class__(self):
        frame = sys._getframe(1)
        while frame.f_code is torch.is_tensor.__code__ or frame.f_globals.get("__name__") in _OF_JIT_ISINSTANCE:
            frame = frame.f_back
        asks = frame.f_globals.get("__name__", "")
        if asks in ("torch", __name__) or asks.startswith("torch."):
            return _Proxy
        in_cpp = not _ASKING.intersection(frame.f_code.co_names)  # torch.autograd.Function.apply() of PyTorch 1.13
        if self.node.op == "call_module" and self.tracer.is_one_tensor(self.node.target) and not in_cpp:
            return self.tracer.tensor_class
        raise TraceError(f"{asks} asks for the class of a value that only a call has")

    @property
    def __iter__(self):  # not a method, whose caller would not be the frame that unpacks the value
        frame = sys._getframe(1)
        items = self.tracer.items_of(self, _number_unpacked(frame.f_code, frame.f_lasti))
        return functools.partial(self.tracer.iter, self) if items is None else items.__iter__

    def __len__(self):  # list() asks for it, too
        items = self.tracer.items_of(self)
        return super().__len__() if items is None else len(items)


@functools.lru_cache(maxsize=None)
def _number_unpacked(code, offset):
    """How many values the instruction at this offset unpacks, as `a, b = x` does; None if it is another one."""
    instruction = next((i for i in dis.get_instructions(code) if i.offset == offset), None)
    return instruction.arg if instruction is not None and instruction.opname == "UNPACK_SEQUENCE" else None


class _Tracer(fx.Tracer):
    """opaque: names of modules that are not traced into. steps: what each module's own forward() does."""
    from torch import Tensor as tensor_class
    proxy_buffer_attributes = InPlaceTracer.proxy_buffer_attributes

    def __init__(self, opaque, parameters, loses_no_checkpoint=False, answers=None):
        super().__init__()
        self.answers = answers or Answers()
        self.place, self.count = [()], collections.Counter()  # of the call of forward() that runs, and of its calls
        self.results = {}  # {place of a call: its result and arguments}
        self.opaque, self.calls, self.loses_no_checkpoint = opaque, [], loses_no_checkpoint
        self.signature, self.steps, self.refused, self.looks = parameters, {None: []}, None, False
        self.owners = {}  # the module that has created a node
        self.items = {}  # of sequences whose length is known, by their node

    def traced(self, module, training, states):
        """The graph of a module, whose state and random numbers are restored. Raises if the graph does less than forward():
        calls then ends with the module that is the reason, if it is one of the parts. states: those of other traces, by mode."""
        with _in_mode(module, training):
            self.state = states[training] if training in states else states.setdefault(training, State(module))
            self.random = random_state()
            try:
                with refusing(self), recording():
                    graph = self.trace(module)
                if self.refused:
                    raise TraceError(self.refused)
                self._look_for_changes()
            finally:
                self.state.restore()
                set_random_state(self.random)
        graph._tracer_cls = InPlaceTracer  # pickle creates one without arguments
        for node in graph.nodes:
            node.type = None  # from annotations, which may be text or have no name, as pickle needs
        code = graph.python_code("self")
        exec(compile(code.src, "<graph>", "exec"), dict(code.globals))  # raises for what torch.fx cannot write
        return graph

    def refuse(self, why):
        """Raises, and also after the call if forward() catches that."""
        self.refused = self.refused or why
        raise TraceError(why)

    def _look_for_changes(self, module=None):
        self.looks = True
        try:
            changed, has_drawn = self.state.changed(module), not same_random_state(self.random, random_state())
        finally:
            self.looks = False
        if changed:
            raise TraceError(f"it changes {changed}, which a graph would not")
        if has_drawn:
            raise TraceError("it draws random numbers, which a graph would not")

    def ask(self, about):
        """The answer of a branch."""
        return self.answers.to(self.place[-1], about, self.calls)

    def to_bool(self, proxy):
        return self.ask(proxy.node)

    def create_args_for_root(self, function, *_):
        args = [self.root]
        if isinstance(self.signature, Arguments):
            of = self.signature
            args += [self.create_proxy("placeholder", name, (), {}) if is_tensor else value for name, is_tensor, value in
                     list(zip(of.names, of.are_tensors, of.values))[:of.positional]]
            return function, args
        for p in self.signature:
            default = () if p.default is p.empty else (p.default,)
            given = self.create_proxy("placeholder", p.name, default, {})
            if default:
                self.create_proxy("call_function", must_be_default, (given, p.default, p.name), {})
            args.append(*default or (given,))
        return function, args

    def create_arg(self, a):
        if type(a) is collections.OrderedDict and all(type(key) in _CONSTANTS for key in a):
            return self.create_node("call_function", collections.OrderedDict, (self.create_arg(list(a.items())),), {})
        kind = type(a)
        if isinstance(a, (*_CONSTANTS, dict, list)) or isinstance(a, tuple) and not hasattr(a, "_fields"):
            if kind not in (*_CONSTANTS, dict, list, tuple, torch.Size, fx.immutable_collections.immutable_list,
                            fx.immutable_collections.immutable_dict):
                self.refuse(f"it has a value of class {kind.__module__}.{kind.__qualname__}, as a graph cannot")
        if isinstance(a, torch.Tensor) and not isinstance(a, nn.Parameter) and a not in self.tensor_attrs:
            if not any(a is buffer for buffer in self.root.buffers()):
                self.refuse("it makes a tensor, which a graph would keep")
        return super().create_arg(a)

    def proxy(self, node):
        return _Proxy(node, self)

    def items_of(self, proxy, unpacked=None):
        """The items of a chunk(), of a tensor's sizes, or of what is unpacked; the graph checks their number. None if nothing
        says how many there are."""
        if proxy.node not in self.items:  # list() asks for the length, then for the items
            check, count = must_be_parts, parts_of(proxy.node)
            if count is None:
                check, count = must_be_items, self.sizes_of(proxy.node) if _is_sizes(proxy.node) else None
            count = unpacked if count is None else count
            if count is None:
                return None
            checked = self.create_proxy("call_function", check, (proxy, count), {})
            self.items[proxy.node] = [checked[i] for i in range(count)]
        return self.items[proxy.node]

    def sizes_of(self, node):
        """The number of sizes in a node of _is_sizes(), if rank_of() knows the tensor; else None."""
        if node.target is not operator.getitem:
            return self.rank_of(node.args[0])
        whole, of = self.sizes_of(node.args[0]), node.args[1]
        known = whole is not None and not any(isinstance(end, fx.Node) for end in (of.start, of.stop, of.step))
        return len(range(whole)[of]) if known else None

    def rank_of(self, node):
        """The number of dimensions of a convolution's or batch norm's result for a batch, also after activations; else None."""
        if node.op != "call_module":
            name = getattr(node.target, "__name__", node.target)
            return self.rank_of(node.args[0]) if name in _ACTIVATIONS and node.args and isinstance(node.args[0], fx.Node) else None
        module = self.root.get_submodule(node.target)
        if type(module).__module__ == nn.modules.activation.__name__ and len(node.args) == 1:
            return self.rank_of(node.args[0])
        return next((rank for kind, rank in _RANKS.items() if isinstance(module, kind)), None)

    def is_leaf_module(self, module, name):
        return (name in self.opaque or is_norm(module) or is_group_norm(module) or is_row_norm(module) or
                isinstance(module, nn.modules.conv._ConvNd) or has_hooks(module) and not chooses_its_forward(module) or
                super().is_leaf_module(module, name))

    def is_one_tensor(self, name):
        module = self.root.get_submodule(name)
        return type(module).__module__.startswith("torch.nn") and not isinstance(module, _NOT_ONE_TENSOR)

    def call_module(self, module, forward, args, kwargs):
        if _has_a_call(module) and self.is_leaf_module(module, self.path_of_module(module)):
            raise TraceError(f"{type(module).__name__} has a __call__ of its own")  # the graph would call it once more
        _must_take(module, args, kwargs)
        name = self.path_of_module(module)
        self._step("call", name)
        self.calls.append(module)
        self.steps.setdefault(module, [])
        self.count[self.place[-1]] += 1
        self.place.append((*self.place[-1], self.count[self.place[-1]]))
        result = super().call_module(module, forward, args, kwargs)
        self.results[self.place.pop()] = result, args, kwargs
        is_node = isinstance(result, _Proxy) and result.node.op == "call_module" and result.node.target == name
        if is_node and _has_lists((args, tuple(kwargs.values()))) and _may_change_lists(module):
            self.calls.pop()  # the caller is to blame
            raise TraceError(f"{type(module).__name__}, which is not traced, may change a list or a dictionary that it is given")
        if not is_node:
            self._look_for_changes(module)
        self.calls.pop()  # not after an exception
        return result

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        self.look_for_checkpoint()
        if kind != "call_module":  # call_module() has reported it
            self._step(kind, target, fx.node.map_aggregate((args, kwargs), lambda a: a if type(a) in _CONSTANTS else None))
        node = super().create_node(kind, target, args, kwargs, name, type_expr)
        self.owners[node] = self.calls[-1] if self.calls else self.root
        return node

    def _step(self, *what):
        self.steps.setdefault(self.calls[-1] if self.calls else None, []).append(what)

    def look_for_checkpoint(self):
        """Blames the module that called it."""
        frame, within = sys._getframe(2), False
        while self.loses_no_checkpoint and frame is not None:
            within = within or frame.f_globals.get("__name__") == "torch.utils.checkpoint"
            caller = frame.f_locals.get("self")
            if within and isinstance(caller, nn.Module) and (caller in self.calls or caller is self.root):
                del self.calls[self.calls.index(caller) + 1 if caller in self.calls else 0:]
                raise TraceError("it calls torch.utils.checkpoint, which a graph would not")
            frame = frame.f_back


def _must_take(module, args, kwargs):
    """Raises TypeError, as a call with these arguments would: forward() may catch it, and call the module with others."""
    try:
        signature = inspect.signature(module.forward)
    except ValueError:  # written in C++
        return
    if not has_hooks(module):  # which may change the arguments
        signature.bind(*args, **kwargs)


_CONSTANTS = (bool, int, float, str)
_DEFAULTS = (*_CONSTANTS, complex, type(None), torch.dtype, torch.device, torch.memory_format)


def is_written_down(default):
    """Whether it can be written in the text of a graph."""
    if type(default) in (tuple, list):
        return all(map(is_written_down, default))
    if type(default) is dict:
        return all(type(key) in _CONSTANTS and is_written_down(value) for key, value in default.items())
    return type(default) in _DEFAULTS


def must_be_default(value, default, name):
    """Called in a graph: an argument must have the value with which it was traced."""
    if has_torch_function((value,)):
        return handle_torch_function(must_be_default, (value,), value, default, name)
    if value is not default and not (type(value) is type(default) and value == default):
        given = value if is_written_down(value) else f"of class {type(value).__qualname__}"
        raise ValueError(f"{name} is {given}, but the trace has fixed it to its default, {default}")


def parts_of(node):
    """The number of parts that a node asks chunk() for; None if it is something else."""
    if not (node.op == "call_method" and node.target == "chunk" or node.op == "call_function" and node.target is torch.chunk):
        return None
    parts = node.kwargs.get("chunks", node.args[1] if len(node.args) > 1 else None)
    return parts if type(parts) is int and parts > 0 else None


def must_be_parts(parts, count):
    """Called in a graph: chunk() makes fewer parts of a dimension that is short."""
    if has_torch_function((parts,)):  # pickle traces the graph's text again
        return handle_torch_function(must_be_parts, (parts,), parts, count)
    if len(parts) != count:
        raise ValueError(f"chunk() makes {len(parts)} parts of this size, but the trace has fixed their number to {count}")
    return parts


def _is_sizes(node):
    """Whether a node is y.shape, y.size() or a slice of them."""
    if node.target is operator.getitem:
        return isinstance(node.args[1], slice) and isinstance(node.args[0], fx.Node) and _is_sizes(node.args[0])
    return node.target is getattr and node.args[1] == "shape" or node.target == "size" and len(node.args) == 1 and not node.kwargs


def must_be_items(items, count):
    """Called in a graph: forward() itself raises for another number, except of sizes, and a convolution also takes one image
    without a batch."""
    if has_torch_function(tuple(items) if isinstance(items, (tuple, list)) else (items,)):
        return handle_torch_function(must_be_items, (items,), items, count)
    if len(items) != count:
        raise ValueError(f"{len(items)} values are unpacked, but the trace has fixed their number to {count}")
    return items


@contextlib.contextmanager
def _in_mode(module, training):
    """training: None leaves the modes unchanged."""
    modules = list(module.modules())
    were = [m.training for m in modules]
    try:
        for m in modules:
            m.training = m.training if training is None else training
        yield
    finally:
        for m, was in zip(modules, were):
            m.training = was


def _ways(module, opaque, parameters, loses_no_checkpoint, training, states, traces):
    return Ways(lambda answers: _Tracer(opaque, parameters, loses_no_checkpoint, answers),
                lambda tracer: tracer.traced(module, training, states), dict(module.named_modules(remove_duplicate=False)), traces)


def _depends_on_mode(module, ways, graph, states):
    """The ways and the graph of a module in training mode: finds modules that do something else in eval mode; the module
    itself if the difference cannot be attributed to a part."""
    tracer = ways.base.tracer
    ways_of_other = _ways(module, tracer.opaque, tracer.signature, False, False, states, 0)
    try:
        other_graph = ways_of_other.graph()
    except Exception:
        ways.tracer = ways_of_other.tracer
        raise
    other = ways_of_other.base.tracer
    found = [m or module for m in tracer.steps.keys() | other.steps.keys()
             if m in tracer.steps and m in other.steps and not _are_same(*map(_without_copies, (tracer.steps[m], other.steps[m])))]
    if found:
        return found
    _drop_copies(graph, other_graph, ways.modules)
    described, of_other = _described(graph), _described(other_graph)
    if not _are_same(described, of_other):
        return [module]
    for node, own, in_other in zip(list(graph.nodes), described, of_other):
        if own != in_other:
            _drop_in_training(graph, node, module, tracer.owners[node])
    return []


def _without_copies(steps):
    return [step for step in steps if step[:2] != ("call_method", "contiguous")]


def _drop_copies(graph, other, modules):
    """Erases calls of contiguous() that only one of two graphs has, unless it matters that the result is a copy."""
    nodes = [list(g.nodes) for g in (graph, other)]
    while nodes[0] and nodes[1]:
        are_copies = [is_copy(own[0]) for own in nodes]
        for own in nodes:
            node = own[0]
            if are_copies == [True, True] or not any(are_copies) or is_copy(node):
                own.pop(0)
            if is_copy(node) and not all(are_copies) and not may_share(node, modules):
                node.replace_all_uses_with(node.args[0])
                node.graph.erase_node(node)


def _described(graph):
    """Nodes by number."""
    number = {node: f"%{i}" for i, node in enumerate(graph.nodes)}
    return [(node.op, node.target, fx.node.map_arg((node.args, node.kwargs), lambda n: number[n])) for node in graph.nodes]


def _are_same(steps, others):
    """Whether these steps are the same in both modes, or drop only in training mode."""
    return len(steps) == len(others) and all(
        a == b or a[1] == b[1] and a[1] in DROPOUTS and _without_mode(a, True) == _without_mode(b, False)
        for a, b in zip(steps, others))


def _without_mode(step, training):
    """The arguments of a dropout without its `training`; None if that is another one."""
    args, kwargs = step[2]
    if len(args) > 2 and args[2] is training:
        return (*args[:2], *args[3:]), dict(kwargs)
    if kwargs.get("training") is training:
        return tuple(args), {name: value for name, value in kwargs.items() if name != "training"}
    return None if training else ()  # never the same


def _drop_in_training(graph, node, root, owner):
    """Makes a dropout ask for the mode of the module that calls it."""
    name = next(name for name, module in root.named_modules() if module is owner)
    with graph.inserting_before(node):
        training = graph.get_attr(f"{name}.training" if name else "training")
    if "training" in node.kwargs:
        node.kwargs = {**node.kwargs, "training": training}
    else:
        node.args = (*node.args[:2], training, *node.args[3:])


def trace(module, only_one_argument, for_training=False, arguments=None):
    """Returns (graph, {name of a module that is one node because it cannot be traced: why}), or (None, why there is none).
    only_one_argument: others might not be tensors, as only the caller, which is not traced itself, knows. arguments: Arguments
    that are assumed instead; the graph takes the tensors among them."""
    kind = type(module)
    if has_hooks(module):
        return None, why_whole(module)
    if not for_training and _has_a_call(module):  # for training the class stays
        return None, f"{kind.__name__} has a __call__ of its own"
    if arguments is not None:
        return _graph(module, arguments, for_training)
    try:
        parameters = list(inspect.signature(module.forward).parameters.values())
    except (TypeError, ValueError) as error:
        return None, str(error)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None, f"{kind.__name__}.forward() takes any number of arguments"
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY:
            return None, f"{kind.__name__}.forward() takes {p.name} by its name alone, as a graph cannot"
        if p.default is not p.empty and not is_written_down(p.default):
            return None, (f"the default of {p.name} is of class {type(p.default).__qualname__}, which the text of a graph "
                          "cannot have")
    if only_one_argument and len(parameters) != 1:
        return None, f"{kind.__name__}.forward() takes {len(parameters)} arguments"
    return _graph(module, parameters, for_training)


def _graph(module, parameters, for_training):
    """What trace() returns."""
    opaque, states, traces, names = {}, {}, 0, {m: name for name, m in module.named_modules()}
    while len(opaque) < _MOST_OPAQUE:
        ways = _ways(module, opaque, parameters, for_training, True if for_training else None, states, traces)
        try:
            graph = ways.graph()
            blamed = _depends_on_mode(module, ways, graph, states) if for_training else []
            why = _OTHER_GRAPH
        except Exception as error:  # any error of forward() with proxies
            why = f"torch.fx cannot trace it: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
            blamed = (ways.tracer.calls[-1:] or [module]) + ways.undecided
        traces = ways.traces
        if not blamed:
            make_on_their_device(graph)
            return graph, opaque
        blamed = {names.get(m, "") for m in blamed}
        inner = {name for name in blamed if not any(other != name and _is_part(other, name) for other in blamed)}
        if "" in inner or inner <= opaque.keys():
            return None, why
        opaque.update(dict.fromkeys(sorted(inner - opaque.keys())[:_MOST_OPAQUE - len(opaque)], why))
    return None, f"torch.fx cannot trace {len(opaque)} of its modules"


def _is_part(name, whole):
    return not whole or name.startswith(f"{whole}.")


_OTHER_GRAPH = "its forward() does something else in training mode than in eval mode, as a graph cannot"
