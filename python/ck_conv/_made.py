"""Tensors that forward() makes in sizes that only a call has, as in torch.zeros(y.shape): while torch.fx traces it, the functions
of torch that make them are those of this file, which become nodes of the graph.

Position encodings make a tensor on the CPU and move it to the GPU, which waits for the stream, and which no CUDA graph can
capture. Where the values are the same, the graph makes them on the GPU.
"""
import contextlib
import functools
import threading
from unittest import mock

import torch
from torch import fx


def _proxies(value):
    if isinstance(value, fx.Proxy):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _proxies(item)


def _recorded(name):
    make = getattr(torch, name)

    @functools.wraps(make, assigned=("__doc__",), updated=())
    def made(*args, **kwargs):
        proxy = next(_proxies([args, *kwargs.values()]), None)
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


def make_on_their_device(graph):
    """Changes torch.zeros(size).to(device) to torch.zeros(size, device=device).to(device) where device is that of a tensor."""
    for node in list(graph.nodes):
        if node.target not in _SAME_ON_ALL_DEVICES or len(node.users) != 1 or {"device", "out", "pin_memory"} & set(node.kwargs):
            continue
        user, = node.users
        device = user.kwargs.get("device", user.args[1] if len(user.args) > 1 else None)
        if user.target == "to" and isinstance(device, fx.Node) and device.target is getattr and device.args[1] == "device":
            user.prepend(node)  # after the device
            node.kwargs = {**node.kwargs, "device": device}
