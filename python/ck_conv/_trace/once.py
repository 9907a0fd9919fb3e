"""During a trace by torch.fx: refuses uses of real tensors and of PyTorch's modes that the graph would not repeat.

Tensors that are neither parameters nor buffers are real while forward() is traced. Writes to them would happen once, and
values read from them would decide for all calls. A context manager such as torch.no_grad() leaves nothing in the graph, and
a query such as torch.is_grad_enabled() is answered once. A torch.autograd.Function leaves its forward() alone in the graph.
"""
import contextlib
import sys
import threading
import weakref
from unittest import mock

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_ENTERED = [cls for cls in (torch.no_grad, torch.enable_grad, torch.inference_mode, torch.autocast,
                            torch.cuda.amp.autocast, torch.cpu.amp.autocast) if "__enter__" in vars(cls)]
_ASKED = ("is_grad_enabled", "is_inference_mode_enabled", "is_autocast_enabled", "is_autocast_cpu_enabled",
          "get_autocast_dtype", "get_autocast_gpu_dtype", "get_autocast_cpu_dtype")
# What torch.autograd.Function.apply() calls first; None before PyTorch 2.
_WRAPPERS = getattr(getattr(torch, "_functorch", None), "utils", None)
_READS = ("aten::_local_scalar_dense", "aten::equal")


def _apply(function, *args):
    return super(torch.autograd.Function, function).apply(*args)


@contextlib.contextmanager
def refusing(tracer):
    """Refuses whatever cannot be part of a graph: tracer.refuse() raises."""
    thread, reference = threading.get_ident(), weakref.ref(tracer)  # functions may outlive the trace, in caches

    def refuse(what):
        tracer = reference()
        if tracer.looks:  # this package
            return
        tracer.look_for_checkpoint()
        tracer.refuse(what)

    def entering(enter, name):
        def raises(self, *args):
            if threading.get_ident() == thread:
                refuse(f"it enters torch.{name}, which a graph would not")
            return enter(self, *args)
        return raises

    def asking(ask, name):
        def raises(*args, **kwargs):
            home = sys._getframe(1).f_globals.get("__name__", "")
            if threading.get_ident() != thread or home.split(".")[0] in ("torch", "ck_conv") or reference().looks:
                return ask(*args, **kwargs)
            if name.startswith("is_"):
                reference().look_for_checkpoint()
                return reference().ask(name)
            refuse(f"it calls torch.{name}(), whose answer a graph would keep")
        return raises

    def applying(apply):
        def raises(*args, **kwargs):
            if threading.get_ident() == thread:
                refuse("it calls a torch.autograd.Function, whose backward() a graph would lose")
            return apply(*args, **kwargs)
        return raises

    init = torch.set_grad_enabled.__init__

    def sets(self, *args, **kwargs):
        home = sys._getframe(1).f_globals.get("__name__", "")
        if threading.get_ident() == thread and home.split(".")[0] != "torch":
            refuse("it calls torch.set_grad_enabled(), which a graph would not")
        init(self, *args, **kwargs)

    with contextlib.ExitStack() as stack:
        for cls in _ENTERED:
            stack.enter_context(mock.patch.object(cls, "__enter__", entering(cls.__enter__, cls.__name__)))
        for name in _ASKED:
            if hasattr(torch, name):
                stack.enter_context(mock.patch.object(torch, name, asking(getattr(torch, name), name)))
        stack.enter_context(mock.patch.object(torch.set_grad_enabled, "__init__", sets))
        if _WRAPPERS is not None:  # also of an apply() that was kept under another name
            stack.enter_context(mock.patch.object(_WRAPPERS, "unwrap_dead_wrappers", applying(_WRAPPERS.unwrap_dead_wrappers)))
        else:
            stack.enter_context(mock.patch.object(torch.autograd.Function, "apply", classmethod(applying(_apply))))
        stack.enter_context(_RealTensors(refuse))
        yield


class _RealTensors(TorchDispatchMode):
    """For tensors that forward() did not make: refuses writes, and reads of their values."""

    def __init__(self, refuse):
        super().__init__()
        self.refuse, self.made, self.kept = refuse, {}, []  # made: by storage, whether only of constants

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = list(leaves((args, kwargs), torch.Tensor))
        if func._schema.name in _READS and not all(self.made.get(_storage(t), False) for t in given):
            self.refuse("it decides by values of a tensor, which may be others later")
        for i, argument in enumerate(func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                value = kwargs.get(argument.name, args[i] if i < len(args) else None)
                if not all(_storage(t) in self.made for t in leaves(value, torch.Tensor)):
                    self.refuse(f"it writes to a tensor ({func._schema.name}), which a graph would not")
        result = func(*args, **kwargs)
        constant = all(self.made.get(_storage(t), False) for t in given)
        old = {_storage(t) for t in given}
        for t in leaves(result, torch.Tensor):
            if _storage(t) not in old:
                self.made[_storage(t)] = constant
                self.kept.append(t)  # so that its storage is not reused
            elif not constant and _storage(t) in self.made:
                self.made[_storage(t)] = False
        return result


def leaves(value, cls):
    """The objects of a class in nested lists, tuples and dictionaries."""
    if isinstance(value, cls):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item, cls)
    elif isinstance(value, dict):
        yield from leaves(list(value.values()), cls)


def _storage(tensor):
    try:
        return tensor.storage()._cdata if torch.__version__ < "2" else tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):  # sparse tensors and others
        return id(tensor)
