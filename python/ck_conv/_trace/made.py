"""Tensors that forward() makes in sizes that only a call has, as in torch.zeros(y.shape): while torch.fx traces it, the functions
of torch that make them are those of this file, which become nodes of the graph.

Position encodings make a tensor on the CPU and move it to the GPU, which waits for the stream, and which no CUDA graph can
capture. Where the values are the same, the graph makes them on the GPU. An index that is a list is a tensor, too, which PyTorch
copies to the GPU in each call; the graph copies it once.
"""
import contextlib
import functools
import operator
import threading
from unittest import mock

import torch
from torch import fx
from torch.overrides import handle_torch_function, has_torch_function

from .._conv.operators import nobody_watches
from .once import leaves


def _recorded(name):
    make = getattr(torch, name)

    @functools.wraps(make, assigned=("__doc__",), updated=())
    def made(*args, **kwargs):
        proxy = next(leaves((args, kwargs), fx.Proxy), None)
        if proxy is None:
            return make(*args, **kwargs)
        return proxy.tracer.create_proxy("call_function", made, args, kwargs)  # also if pickle traces the graph's text

    made.__name__ = made.__qualname__ = name
    return made


zeros, ones, full, arange, linspace = map(_recorded, ("zeros", "ones", "full", "arange", "linspace"))
_SAME_ON_ALL_DEVICES = zeros, ones, full


@contextlib.contextmanager
def recording():
    """Makes torch's functions those of this file, in this thread."""
    thread = threading.get_ident()

    def here(made, make):
        return lambda *args, **kwargs: (made if threading.get_ident() == thread else make)(*args, **kwargs)
    with contextlib.ExitStack() as stack:
        for made in (zeros, ones, full, arange, linspace):
            stack.enter_context(mock.patch.object(torch, made.__name__, here(made, getattr(torch, made.__name__))))
        yield


_ORDINARY = torch.empty(0)


def index(device, values):
    """A list of indices as a tensor."""
    if has_torch_function((device,)):  # pickle traces the graph's text again
        return handle_torch_function(index, (device,), device, values)
    return (_kept_index if nobody_watches(_ORDINARY, _ORDINARY) else _index)(tuple(values), device)


def _index(values, device):
    with torch.inference_mode(False):  # a backward pass may save it
        return torch.tensor(values, device=device)


_kept_index = functools.lru_cache(maxsize=None)(_index)  # for ever: a CUDA graph has the addresses


def _is_index(value):
    return isinstance(value, list) and len(value) > 0 and all(type(i) is int for i in value)


def _index_on_the_device(graph, node):
    """Changes lists in x[:, [0, 2]] to tensors."""
    x, given = node.args
    given = given if isinstance(given, tuple) else (given,)
    if not any(map(_is_index, given)):
        return
    with graph.inserting_before(node):
        device = graph.call_function(getattr, (x, "device"))
        node.args = x, tuple(graph.call_function(index, (device, list(i))) if _is_index(i) else i for i in given)


def make_on_their_device(graph):
    """Changes torch.zeros(size).to(device) to torch.zeros(size, device=device).to(device) where device is that of a tensor, and
    x[:, [0, 2]] to an index on the device of x."""
    for node in list(graph.nodes):
        if node.target is operator.getitem:
            _index_on_the_device(graph, node)
        if node.target not in _SAME_ON_ALL_DEVICES or len(node.users) != 1 or {"device", "out", "pin_memory"} & set(node.kwargs):
            continue
        user, = node.users
        device = user.kwargs.get("device", user.args[1] if len(user.args) > 1 else None)
        if user.target == "to" and isinstance(device, fx.Node) and device.target is getattr and device.args[1] == "device":
            user.prepend(node)  # after the device
            node.kwargs = {**node.kwargs, "device": device}
