"""split(), the model that it returns, and how rows get in and out."""
import datetime
import reprlib

import torch
from torch import nn

from .._c.checked import real, whole
from .._c.interface import Refused
from .._conv.operators import any_autocast, autocast_dtype, same
from .._norm.modules import is_fused_batch_norm
from ._convolution import share_output_padding
from ._exchange import (agree, attempt, Communicator, Cut, digest, gather as gather_rows, RankLost,
                        scatter as scatter_rows, Spread)
from ._ranges import even_parts, parts_of
from ._tensor import mapped, names_of_modules, split as as_split, SplitTensor, tensors_in, unsplit

_AXES = {"d": -3, "h": -2, "w": -1}
_SPATIAL = (nn.modules.conv._ConvNd, nn.modules.pooling._MaxPoolNd, nn.modules.pooling._AvgPoolNd)
_REFUSED = {
    nn.RNNBase: "recurrent layers are not supported", nn.RNNCellBase: "recurrent layers are not supported",
    nn.MultiheadAttention: "attention over split rows is not supported",
    nn.Transformer: "attention over split rows is not supported",
    nn.TransformerEncoderLayer: "attention over split rows is not supported",
    nn.TransformerDecoderLayer: "attention over split rows is not supported",
    nn.Bilinear: "bilinear layers are not supported", nn.Fold: "fold is not supported", nn.Unfold: "unfold is not supported",
    nn.SyncBatchNorm: "use torch.nn.BatchNorm: in a split model its statistics are those of all ranks of the group",
    nn.modules.pooling._AdaptiveMaxPoolNd: "adaptive max pooling is not supported",
    nn.modules.pooling._LPPoolNd: "power-average pooling is not supported",
    nn.modules.pooling._MaxUnpoolNd: "max unpooling is not supported",
    nn.FractionalMaxPool2d: "fractional max pooling is not supported",
    nn.FractionalMaxPool3d: "fractional max pooling is not supported",
    nn.AlphaDropout: "alpha dropout is not supported", nn.FeatureAlphaDropout: "alpha dropout is not supported",
    torch.jit.ScriptModule: "torch.jit.script() compiled it; split the model before",
}


def _why_not(module):
    """Why a module cannot be split, whatever its input; None if nothing is known against it."""
    for cls, why in _REFUSED.items():
        if isinstance(module, cls):
            return why
    ours = type(module).__module__.startswith(("ck_conv._fuse.", "ck_conv._norm."))
    if ours and not is_fused_batch_norm(module):  # replace() makes those, too
        return "a module of ck_conv.fuse() is not supported: split the model that it was made from"
    if isinstance(module, nn.modules.pooling._AdaptiveAvgPoolNd):
        sizes = module.output_size if isinstance(module.output_size, (tuple, list)) else [module.output_size]
        if all(size != 1 for size in sizes):
            return f"adaptive average pooling to {module.output_size} is not supported, only to 1"
    if isinstance(module, nn.Upsample) and module.align_corners:
        return "interpolation with align_corners is not supported"
    if isinstance(module, nn.modules.pooling._MaxPoolNd) and module.return_indices:
        return "max pooling that returns indices is not supported"
    return None


def refuse_modules(model):
    """Raises Refused with the name of the first module that cannot be split."""
    for name, module in model.named_modules():
        why = _why_not(module)
        if why is None and isinstance(module, nn.Sequential):
            name, module, why = _joined(name, module)
        if why is not None:
            raise Refused(f"module '{name}' ({type(module).__name__}): {why}")


def _joined(name, sequence):
    """A Flatten in a sequence that would join rows of several ranks: (its name, it, why not), or None for all."""
    spatial = False
    for key, module in sequence.named_children():
        if any(isinstance(m, _SPATIAL) for m in module.modules()):
            spatial = True
        if any(isinstance(m, nn.modules.pooling._AdaptiveAvgPoolNd) for m in module.modules()):
            spatial = False
        if spatial and isinstance(module, nn.Flatten):
            return (f"{name}.{key}" if name else key, module, "it joins rows of several ranks: pool them to one row before, "
                    "or split only what comes before it and use ck_conv.distributed.gather()")
    return name, sequence, None


def _dims(axis, comms):
    """Negative dimensions, one for each communicator."""
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    dims = []
    for a in axes:
        dim = _AXES.get(a) if isinstance(a, str) else a
        if not isinstance(dim, int) or isinstance(dim, bool) or not -3 <= dim <= -1:
            raise ValueError(f"axis is {reprlib.repr(a)}, but must be 'd', 'h', 'w', or -3, -2, -1: a dimension counted from the last")
        dims.append(dim)
    if len(set(dims)) != len(dims):
        raise ValueError(f"axis is {axis!r}, which names a dimension twice")
    if len(comms) != len(dims):
        raise ValueError(f"there are {len(comms)} process groups for {len(dims)} axes: one for each")
    return dims


def _check_inputs(inputs):
    """Raises unless these are positions and names of arguments."""
    if not isinstance(inputs, (tuple, list)) or not inputs:
        raise TypeError(f"inputs is {inputs!r}, but must be a tuple of positions and names of the arguments that are split, "
                        "at least one")
    for key in inputs:
        if not isinstance(key, str) and whole(key, "a position in inputs") < 0:
            raise ValueError(f"inputs is {inputs!r}, but positions are counted from 0")


def _communicators(group, timeout=None):
    if group is not None and hasattr(group, "get_group"):  # a DeviceMesh
        groups = [group.get_group(i) for i in range(group.ndim)]
    elif isinstance(group, (tuple, list)):
        groups = list(group)
    else:
        groups = [group]
    if not torch.distributed.is_initialized():
        raise Refused("torch.distributed is not initialized: call torch.distributed.init_process_group() first")
    return [_communicator(g, timeout) for g in groups]


_known = {}  # communicators by their process groups' identity: one may make a group of its own


def _communicator(group, timeout):
    given = torch.distributed.group.WORLD if group is None else group
    known = _known.get(id(given))
    if known is None or known.group is not given:
        known = _known[id(given)] = Communicator(group, timeout)
    return known


class Split(nn.Module):
    """A model that is computed by several ranks, each of which computes its own rows. `module` is the model itself. Parameters
    and buffers are the same on all ranks, and so are the gradients of parameters."""

    def __init__(self, module, comms, dims, inputs):
        super().__init__()
        self.module = module
        self.comms, self.dims, self.inputs = comms, dims, inputs
        self._parts, self._state = list(module.modules()), ((), "")  # the state and its text
        for name, m in module.named_modules():
            names_of_modules[m] = name
            if isinstance(m, nn.modules.conv._ConvTransposeNd):
                share_output_padding(m)
        device = next((p.device for p in module.parameters() if p.is_cuda), None)
        for comm in comms:  # all ranks connect now; later, neighbours may exchange rows without the others
            comm.sum(torch.zeros(1, device=device or comm.own_device), "the other ranks, to call split()")

    def forward(self, *args, **kwargs):
        cuts = self._agree({**dict(enumerate(args)), **kwargs})

        def own(key, value):
            if key not in self.inputs:
                return value
            spreads = [Spread(cut, dim, parts) for dim, (cut, parts) in zip(self.dims, cuts[key])]
            return as_split(same(value), spreads)

        result = self.module(*(own(i, a) for i, a in enumerate(args)), **{k: own(k, v) for k, v in kwargs.items()})
        return mapped(lambda t: unsplit(t) if isinstance(t, SplitTensor) else t, result)

    def _check(self, given):
        """Raises unless tensors are in memory, and those that are split have rows."""
        for key, value in given.items():
            for t in tensors_in(value):
                _check_memory(t, f"argument {key!r}")
        for key in self.inputs:
            value = given.get(key)
            if not isinstance(value, torch.Tensor):
                raise TypeError(f"argument {key!r} of the split model is to be split, but is a {type(value).__name__}, not a "
                                "tensor")
            if isinstance(value, SplitTensor):
                raise TypeError(f"argument {key!r} is a tensor of another split model")
            if value.dim() < max(-d for d in self.dims) + 1:
                raise ValueError(f"argument {key!r} has {value.dim()} dimensions, too few to be split")

    def _agree(self, given):
        """Compares the call with the other ranks'. Returns for each split argument [(Cut, parts)] along the dimensions."""
        if torch.cuda.is_available() and torch.cuda.is_current_stream_capturing():
            self._check(given)
            return self._captured(given)
        described, wrong = attempt(self._described, given)
        numbers = [[0 if wrong else given[key].size(dim) for key in self.inputs] for dim in self.dims]

        def without_rows(i, table):
            empty = [key for key, *rows in zip(self.inputs, *table) if sum(rows) == 0]
            return f"argument {empty[0]!r} has no rows on any rank in dimension {self.dims[i]}" if empty else ""

        cuts = {key: [] for key in self.inputs}
        for comm, table in zip(self.comms, agree(self.comms, "the split model", wrong, described, numbers, without_rows)):
            root = None
            for key, *rows in zip(self.inputs, *table):
                parts = parts_of(rows)
                root = root or parts
                cuts[key].append((Cut(comm, root), parts))
        self._last = {key: tuple(t.shape) for key, t in given.items() if key in self.inputs}, cuts
        return cuts

    def _captured(self, given):
        """While a CUDA graph is captured: what was agreed in the previous call with the same shapes."""
        shapes, cuts = getattr(self, "_last", (None, None))
        if shapes != {key: tuple(t.shape) for key, t in given.items() if key in self.inputs}:
            raise Refused("call the split model once with these shapes before a CUDA graph is captured")
        return cuts

    def _described(self, given):
        """The call in words for each dimension, without its rows."""
        self._check(given)
        return [self._call_text(given, dim) for dim in self.dims]

    def _call_text(self, given, dim):
        def of_tensor(key, t):
            size = _shown_size(t, dim) if key in self.inputs else "x".join(map(str, t.shape))
            return f"{size} of {t.dtype} on {t.device.type}" + (" with a gradient" if t.requires_grad else "")

        def of(key, value):
            words = [repr(value)] if isinstance(value, _PLAIN) else [of_tensor(key, t) for t in tensors_in(value)]
            return f"argument {key!r}: {', '.join(words) or type(value).__name__}"

        state = [self._state_text(), "gradients" if torch.is_grad_enabled() else "no gradients"]
        if any_autocast():
            state.append(f"autocast (cpu: {autocast_dtype('cpu')}, cuda: {autocast_dtype('cuda')})")
        return "; ".join([*map(of, given.keys(), given.values()), *state])

    def _state_text(self):
        """The modes of all modules, and the types of all parameters and whether they get gradients."""
        has_gradients = torch.is_grad_enabled()
        state = (tuple(m.training for m in self._parts),
                 tuple((p.dtype, has_gradients and p.requires_grad) for m in self._parts for p in m._parameters.values()
                       if p is not None))
        if state != self._state[0]:
            modes, parameters = state
            mode = ("training mode" if all(modes) else "eval mode" if not any(modes) else
                    f"training mode of {sum(modes)} of {len(modes)} modules")
            self._state = state, (f"{mode}; gradients of {sum(g for _, g in parameters)} of {len(parameters)} parameters "
                                  f"(modes, and the parameters' types: {digest(str(state)):x})")
        return self._state[1]

    def scatter(self, x):
        """Returns this rank's rows of x: scatter() with this model's groups and axes."""
        return _scattered(x, self.comms, self.dims)

    def gather(self, y):
        """Returns all rows of y: gather() with this model's groups and axes."""
        return _gathered(y, self.comms, self.dims)

    def rows(self, *sizes):
        """Returns the rows of this rank, (begin, end), in a tensor with `sizes` rows along the axes, divided as by scatter().
        With several axes, returns a list with a pair for each."""
        if len(sizes) != len(self.comms):
            raise ValueError(f"there are {len(sizes)} sizes for {len(self.comms)} axes")
        sizes = [whole(n, "the number of rows") for n in sizes]
        if min(sizes) < 0:
            raise ValueError(f"the number of rows is {min(sizes)}, but must be at least 0")
        own = [tuple(even_parts(n, comm.ranks)[comm.rank]) for n, comm in zip(sizes, self.comms)]
        return own[0] if len(own) == 1 else own


_PLAIN = (bool, int, float, complex, str, type(None))


def _check_memory(x, name):
    """Raises for tensors whose rows cannot be sent."""
    if x.device.type not in ("cpu", "cuda") or x.layout is not torch.strided:
        raise TypeError(f"{name} is on {x.device}, {x.layout}, but must be on a CPU or a GPU, and torch.strided")


def _shown_size(x, dim):
    """The size of a tensor with `rows` in a dimension, if it has that."""
    size = list(x.shape)
    if x.dim() >= -dim:
        size[dim] = "rows"
    return "x".join(map(str, size))


def _check(x, dims, what):
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{what}() takes a tensor, but got {reprlib.repr(x)}")
    _check_memory(x, f"the tensor of {what}()")
    if x.dim() < max(-d for d in dims):
        raise ValueError(f"{what}() takes a tensor with dimension {min(dims)}, but its size is {tuple(x.shape)}")


def _scattered(x, comms, dims):
    _check(x, dims, "scatter")
    for comm, dim in zip(comms, dims):
        x = scatter_rows(x, comm, dim, even_parts(x.size(dim), comm.ranks))
    return x


def _check_gathered(y, comms, axis):
    """Returns the dimensions."""
    dims = _dims(axis, comms)
    if isinstance(y, SplitTensor):
        raise TypeError("gather() takes results of a split model, not tensors within it")
    _check(y, dims, "gather")
    return dims


def _gathered(y, comms, axis):
    dims, wrong = attempt(_check_gathered, y, comms, axis)
    described = None if wrong else [f"a tensor of {_shown_size(y, dim)}, {y.dtype} on {y.device.type}" for dim in dims]
    numbers = [[0]] * len(comms) if wrong else [[y.size(dim)] for dim in dims]
    for i, table in enumerate(agree(comms, "gather()", wrong, described, numbers)):
        y = gather_rows(y, comms[i], dims[i], [rows for rows, in table])
    return y


def _check_split(model, comms, axis, inputs, example):
    """Returns the dimensions, and for each of them the call in words."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"the model is a {type(model).__name__}, but must be a torch.nn.Module")
    dims = _dims(axis, comms)
    _check_inputs(inputs)
    refuse_modules(model)
    return dims, [_described(model, dims, inputs, example)] * len(dims)


def _duration(timeout):
    """The time that ranks wait for each other, None for the group's own."""
    if timeout is None:
        return None
    seconds = timeout.total_seconds() if isinstance(timeout, datetime.timedelta) else real(timeout, "timeout")
    if not 0.001 <= seconds <= 365 * 86400:
        raise ValueError(f"timeout is {timeout!r}, but must be from a millisecond to a year")
    return datetime.timedelta(seconds=seconds)


def _described(model, dims, inputs, example):
    """A model and how it is split, in words that differ if parameters or buffers have other names, sizes or types."""
    state = [(name, tuple(t.shape), t.dtype) for name, t in (*model.named_parameters(), *model.named_buffers())]
    return (f"axis {dims}, inputs {inputs}, {'no' if example is None else 'an'} example, and a {type(model).__name__} of "
            f"{len(state)} parameters and buffers (names, sizes and types: {digest(str(state)):x})")


def split(model, group=None, axis="d", *, inputs=(0,), example=None, timeout=None):
    """Returns a Split: a module that computes this rank's rows of the model's results from its rows of the inputs. All ranks
    of the groups call it.

    Args:
        group: a process group of torch.distributed; None means all ranks. For several axes, a tuple of groups, or a
            DeviceMesh.
        axis: 'd', 'h' or 'w', or -3, -2, -1. For several groups, a tuple with one axis for each.
        inputs: positions and names of the arguments that are split. Others, such as a time step, are the same on all ranks.
        example: arguments (a tensor or a tuple) with this rank's rows. split() tries the model with them, in eval mode, so that
            it refuses operations that cannot be split, and not the first call.
        timeout: seconds after which ranks stop waiting for each other's shapes, if `group` has only NCCL.

    Raises Refused if a module cannot be split.
    """
    timeout, wrong = attempt(_duration, timeout)
    comms = _communicators(group, timeout)
    if wrong is None:
        found, wrong = attempt(_check_split, model, comms, axis, inputs, example)
    dims, described = (None, None) if wrong else found
    agree(comms, "split()", wrong, described, [[]] * len(comms))
    made = Split(model, comms, dims, tuple(inputs))
    if example is not None:
        modes = {m: m.training for m in made.modules()}
        try:
            with torch.no_grad():
                made.eval()(*(example if isinstance(example, tuple) else (example,)))
        finally:
            for m, training in modes.items():
                m.training = training
    return made


def scatter(x, group=None, axis="d"):
    """Returns this rank's rows of a tensor that is the same on all ranks. Each rank gets the whole gradient of x. group and
    axis: as in split()."""
    comms = _communicators(group)
    return _scattered(x, comms, _dims(axis, comms))


def gather(y, group=None, axis="d"):
    """Returns all rows, on all ranks. Use it for results that all ranks then use in the same way, such as for a loss. The
    gradient of a rank's rows is its part of the gradient of all rows. group and axis: as in split()."""
    return _gathered(y, _communicators(group), axis)


__all__ = ["Split", "split", "scatter", "gather", "RankLost"]
