"""Lets the networks of fuse() run in channels last, although their weights are channels first, as PyTorch makes them.

The library's kernels are about twice as fast in channels last, and PyTorch's rule passes a layout on: the result of a convolution
is channels last if its weight is. So the weights of a graph's convolutions become channels last, and its first convolution
copies an image of channels first. Code that torch.fx cannot trace still gets tensors that are channels first, and so does the
caller.
"""
import torch
from torch import fx, nn
from torch.nn.parameter import is_lazy
from torch.nn.utils import parametrize
from torch.onnx import is_in_onnx_export
from torch.overrides import handle_torch_function, has_torch_function

from .._conv import launch
from .._conv.launch import FORMATS
from .._conv.operators import _transforms, is_batched, is_compiling
from .._norm.modules import is_fused_norm
from .._norm.shared import with_contiguous_gradient
from .._trace.trace import must_be_default
from .aliases import is_known, is_no_tensor, may_view, may_write, readers, with_own_parts
from .fused import FUSED, fused_class

_OF_CALLER = "placeholder", "get_attr"  # nodes of tensors that a call does not make
_LEAST = 2  # convolutions and norms in a graph for which the copies at its ends are worth it
_VIEWS = {"view": "reshape", "view_as": "reshape_as"}  # the same values for any strides
# What returns a view for some strides, and a copy for others.
_VIEWS_OR_COPIES = {"reshape", "reshape_as", "flatten", "ravel", "contiguous", *_VIEWS}
# Methods and functions whose results or errors depend on strides.
_OF_STRIDES = {"as_strided", "as_strided_", "data_ptr", "dim_order", "is_contiguous", "numpy", "resize_", "resize_as_", "set_",
               "storage", "storage_offset", "stride", "typed_storage", "untyped_storage", "view_as_complex"}
_OF_IMAGES = "PixelUnshuffle", "pixel_unshuffle"  # PyTorch refuses channels-last volumes
_DROPPING = "StochasticDepth", "DropPath", "stochastic_depth", "drop_path"  # classes and functions of torchvision and timm
_HOMES = "torch", "_operator", "operator", "math", "builtins", "", "ck_conv"  # of functions that know strides


def restored(value, is_of_input, *inputs):
    """The value, with its tensors channels first, unless one of the inputs is channels last. is_of_input: whether it may share
    memory with an input: then views are not copied."""
    if _is_traced(value):
        return handle_torch_function(restored, (value,), value, is_of_input, *inputs)
    return value if any(_is_channels_last(x) for x in inputs) else _first(value, is_of_input)


def _first(value, is_of_input):
    if isinstance(value, torch.Tensor):
        return value.contiguous() if _is_channels_last(value) or not is_of_input and _has_other_strides(value) else value
    if type(value) in (tuple, list):
        return type(value)(_first(v, is_of_input) for v in value)
    if type(value) is dict:
        return {name: _first(v, is_of_input) for name, v in value.items()}
    return value


def _has_other_strides(tensor):
    """Whether it may be a view of a tensor that is channels last, such as one of its images. An expanded tensor is none."""
    return tensor.layout is torch.strided and not tensor.is_contiguous() and 0 not in tensor.stride()


def _is_channels_last(value):
    return isinstance(value, torch.Tensor) and value.dim() in FORMATS and launch.is_channels_last(value)


def _is_traced(value):
    """Whether it is a proxy of torch.fx. Classes derived from tensors, such as split tensors, have the methods called here."""
    return has_torch_function((value,)) and not issubclass(type(value), torch.Tensor)


def to_channels_last(value):
    """The value, channels last if it is an image or a volume."""
    if _is_traced(value):
        return handle_torch_function(to_channels_last, (value,), value)
    if not isinstance(value, torch.Tensor) or value.dim() not in FORMATS or is_in_onnx_export():
        return value
    if not is_compiling() and (_transforms() or is_batched(value)):  # vmap refuses it; a convolution converts, too
        return value
    # not contiguous(), which leaves an image of one channel as it is, so that a 1x1 convolution's result is channels first
    return with_own_gradient(value).to(memory_format=FORMATS[value.dim()])


def with_own_gradient(value):
    """The value. Where PyTorch would compute wrong gradients from one that is channels last, it gets a contiguous one."""
    if _is_traced(value):
        return handle_torch_function(with_own_gradient, (value,), value)
    is_plain = isinstance(value, torch.Tensor) and not is_compiling() and value.requires_grad and value.is_contiguous()
    return with_contiguous_gradient(value) if is_plain else value


def compute_channels_last(graph, modules, is_within_another, converted):
    """Makes a graph run in channels last. Returns whether it does: not if a convolution already has a weight that is channels
    last, if few convolutions gain from it, if something depends on strides, or if a copy might miss what is written to a view.
    modules: {name: module} of the graph's root. converted: the weights that this function has made channels last."""
    called = {node: modules[node.target] for node in graph.nodes if node.op == "call_module" and not is_within_another(node)}
    convs = {node: module for node, module in called.items() if is_conv(module)}
    gaining = len(convs) + sum(is_fused_norm(module) for module in called.values())
    if (not convs or gaining < _LEAST or any(_is_channels_last(weight) and weight not in converted for weight in map(_stored_weight, convs.values())) or
            any(map(_depends_on_strides, graph.nodes))):
        return False
    of_volumes, aliases = any(len(conv.kernel_size) == 3 for conv in convs.values()), _Aliases(graph, modules)
    opaque = [node for node in graph.nodes if _is_unknown(node, modules) or of_volumes and _is_of_images(node, modules)]
    if any(aliases.misses_a_write(node) for node in graph.nodes if _may_copy(node, modules)) or any(
            aliases.is_read_later(source, node) for node in opaque for source in node.all_input_nodes):
        return False
    for node in graph.nodes:
        if node.op == "call_method" and node.target in _VIEWS:
            node.target = _VIEWS[node.target]
            node.kwargs = {"shape" if name == "size" else name: value for name, value in node.kwargs.items()}
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    for node in inputs:
        _convert(graph, modules, node, opaque)
    for node in (*opaque, *(node for node in graph.nodes if node.op == "output")):
        for source in node.all_input_nodes:
            _restore(graph, source, node, inputs, aliases)
    for node in graph.nodes:
        if node in opaque or _is_instance_norm(node, modules):
            with graph.inserting_after(node):
                value = graph.call_function(with_own_gradient, (node,))
            node.replace_all_uses_with(value, lambda user, value=value: user is not value)
    for node, conv in convs.items():
        if _reads_its_weight(conv):
            conv.weight.data = conv.weight.data.to(memory_format=FORMATS[conv.weight.dim()])
            converted.add(conv.weight)
        elif node.args:  # its forward() computes a weight, of whatever layout
            with graph.inserting_before(node):
                node.args = graph.call_function(to_channels_last, node.args[:1]), *node.args[1:]
    return True


def _convert(graph, modules, x, opaque):
    """Makes all nodes read an input channels last that may, if a convolution or a norm reads it, and none writes to it."""
    users = [user for user in x.users if user.op != "output" and user.target is not must_be_default and user not in opaque]
    reads = [modules[user.target] for user in users if user.op == "call_module"]
    if not any(is_conv(module) or is_fused_norm(module) for module in reads) or any(
            may_write(user, modules) for _, user in readers(x, modules)):
        return
    with graph.inserting_before(min(users, key=list(graph.nodes).index)):
        converted = graph.call_function(to_channels_last, (x,))
    for user in users:
        user.replace_input_with(x, converted)


def _restore(graph, source, node, inputs, aliases):
    """Makes a node read a value channels first, and those after it, too: the node might write to the value."""
    if source.op in _OF_CALLER or source.target is restored:
        return
    nodes = list(graph.nodes)
    later = [user for user in source.users if nodes.index(user) >= nodes.index(node)]
    with graph.inserting_before(node):
        value = graph.call_function(restored, (source, aliases.owners(source)[-1].op in _OF_CALLER, *inputs))
    for user in later:
        user.replace_input_with(source, value)


class _Aliases:
    """Which nodes after another one use the same memory."""

    def __init__(self, graph, modules):
        self.position, self.modules = {node: i for i, node in enumerate(graph.nodes)}, modules

    def owners(self, source):
        """The node, the one whose result it may be a view of, and so on."""
        found = [source]
        while (source.args and isinstance(source.args[0], fx.Node) and source.target is not to_channels_last and
               may_view(source, source.args[0], False, self.modules)):
            source = source.args[0]
            found.append(source)
        return found

    def _later(self, source, node):
        """{(value, user)} of what may share the memory of source, and its users after the node."""
        owners = self.owners(source)
        if is_no_tensor(owners[-1]):
            return set()
        return {(value, user) for owner in owners for value, user in readers(owner, self.modules)
                if self.position[user] > self.position[node]}

    def misses_a_write(self, view):
        """Whether a copy in the place of a view would miss what is written to its memory, or keep what is written to it."""
        of_view, later = {view, *(value for value, _ in readers(view, self.modules))}, self._later(view, view)
        return any((value in of_view) != (other in of_view) and self.position[reader] > self.position[user]
                   for value, user in later if may_write(user, self.modules) for other, reader in later)

    def is_read_later(self, source, node):
        """Whether something reads later, under another name, what the node may write to the source."""
        return may_write(node, self.modules) and any(value is not source and self.position[value] < self.position[node]
                                                     for value, _ in self._later(source, node))


def is_conv(module):
    """Whether it is a convolution of images or volumes."""
    if not isinstance(module, nn.modules.conv._ConvNd) or len(module.kernel_size) + 2 not in FORMATS:
        return False
    weight = _stored_weight(module)
    return _is_computed(module) or isinstance(weight, torch.Tensor) and not is_lazy(weight)


def _stored_weight(conv):
    return None if _is_computed(conv) else getattr(conv, "weight", None)


def _is_computed(conv):
    """Whether the weight has a parametrization, which computes it each time and may have a state."""
    return parametrize.is_parametrized(conv, "weight")


def _reads_its_weight(conv):
    is_plain = isinstance(conv, tuple(FUSED.values())) or fused_class(conv) is not None
    return is_plain and type(conv._parameters.get("weight")) is nn.Parameter


def _depends_on_strides(node):
    """Whether the result depends on strides, other than by sharing memory."""
    if node.op == "call_method" and node.target in _VIEWS:
        return any(isinstance(a, torch.dtype) for a in (*node.args, *node.kwargs.values()))
    return _name(node) in (*_OF_STRIDES, *_VIEWS)  # torch.ops.aten.view, too


def _name(node):
    """The name of a function without that of an overload, or of a method; "" for others."""
    name = getattr(node.target, "__name__", node.target) if node.op in ("call_function", "call_method") else ""
    return name.split(".")[0]


def _is_of_images(node, modules):
    return (type(modules[node.target]).__name__ if node.op == "call_module" else _name(node)) in _OF_IMAGES


def _may_copy(node, modules):
    """Whether it returns a view for some strides, and a copy for others."""
    if node.op == "call_module":
        return type(modules[node.target]) is nn.Flatten
    return _name(node) in _VIEWS_OR_COPIES


def _is_unknown(node, modules):
    """Whether it is code that may have been written for tensors that are channels first."""
    if node.op == "call_module":
        return not all(_is_known(part) for part in with_own_parts(modules[node.target]))
    if node.op == "call_method":
        return not hasattr(torch.Tensor, node.target)
    home = getattr(node.target, "__module__", None) or ""
    return node.op == "call_function" and _name(node) not in _DROPPING and home.split(".")[0] not in _HOMES


def _is_instance_norm(node, modules):
    """Whether PyTorch computes it."""
    if node.op == "call_module":
        module = modules[node.target]
        return isinstance(module, nn.modules.instancenorm._InstanceNorm) and not is_fused_norm(module)
    return _name(node) == "instance_norm"


def _is_known(module):
    """Whether the values that forward() computes do not depend on strides."""
    return (is_known(module) or isinstance(module, nn.modules.conv._ConvNd) or is_fused_norm(module) or
            type(module).__name__ in _DROPPING)
