"""replace(): makes the library compute a model's convolutions and batch norms, and says which it does not and why.

A module of exactly one of torch.nn's classes gets our class. A module of a derived class gets a class derived from its own
and from ours, in this order: Python then looks for methods in ours before torch.nn's, so super().forward() and
_conv_forward() of the class end here. Methods that call torch.nn.functional's convolutions, as in timm's Conv2dSame, are
rebuilt to call ours (rebound.py).
"""
import copyreg
import dataclasses
import functools
import re
import types
import warnings
from typing import Dict

import torch
from torch import nn
from torch.nn.utils import parametrize

from .._norm.modules import fuse_norm, is_batch_norm
from ..modules import OURS, _Conv, _ConvTranspose
from .calls import is_code, calls_of
from .rebound import names_of, rebound


@dataclasses.dataclass
class Report:
    """What replace() did, by the names of modules. str() has a line for each module that is left to PyTorch, with the reason."""
    model: nn.Module
    replaced: Dict[str, str] = dataclasses.field(default_factory=dict)  # convolutions of the library: their classes
    left: Dict[str, str] = dataclasses.field(default_factory=dict)  # convolutions of PyTorch: why
    norms: Dict[str, str] = dataclasses.field(default_factory=dict)  # batch norms of the library: their classes
    left_norms: Dict[str, str] = dataclasses.field(default_factory=dict)  # batch norms of PyTorch: why

    def __str__(self):
        lines = [f"{len(self.replaced)} convolutions are computed by ck_conv, {len(self.left)} left to PyTorch"]
        if self.norms or self.left_norms:
            lines[0] += f"; {len(self.norms)} batch norms by ck_conv, {len(self.left_norms)} left to PyTorch"
        left = {**self.left, **self.left_norms}
        return "\n".join(lines + [f"  {name or '(the model itself)'}: {why}" for name, why in left.items()])


def replace(model, only=None, *, norms=None, report=False):
    """Makes the library compute the model's convolutions and batch norms, in place, and returns the model. Parameters, hooks and
    state do not change.

    Args:
        only: a function of a name and a module that returns whether to replace this convolution. For a module with several
            names, it is called with each; the module is left to PyTorch if one call returns False.
        norms: whether to replace batch norms. None means yes, unless `only` is given.
        report: whether to return a Report instead of the model. If False, a warning lists the convolutions that are left to
            PyTorch and the reasons, except those that only() refused.

    Raises TypeError if an argument has a wrong type.
    """
    if norms not in (None, False, True):
        raise TypeError(f"norms is {norms!r}, but must be True, False or None")
    if not isinstance(model, nn.Module):
        raise TypeError(f"the model is a {type(model).__name__}, but must be a torch.nn.Module")
    if only is not None and not callable(only):
        raise TypeError(f"only is {only!r}, but must be a function of a name and a module, or None")
    if not isinstance(report, bool):
        raise TypeError(f"report is {report!r}, but must be True or False")
    done, unexpected = Report(model), {}
    names = {}  # several for a module that is used in several places
    for name, module in model.named_modules(remove_duplicate=False):
        if _is_convolution(module):
            names.setdefault(module, []).append(name)
    for module, places in names.items():
        if not isinstance(module, (_Conv, _ConvTranspose)):
            out = [name for name in places if only is not None and not only(name, module)]
            why = "only() leaves it out" if out else _replace_one(module)
            if why is not None:
                done.left.update(dict.fromkeys(places, why))
                unexpected.update({} if out else dict.fromkeys(places, why))
                continue
        done.replaced.update(dict.fromkeys(places, _class_name(type(module))))
    if norms or (norms is None and only is None):
        _replace_norms(done)
    if report:
        return done
    if unexpected:
        warnings.warn(str(dataclasses.replace(done, left=unexpected, norms={}, left_norms={})), stacklevel=2)
    return model


def _replace_norms(done):
    """Replaces the batch norms of done.model."""
    for name, module in done.model.named_modules(remove_duplicate=False):
        if is_batch_norm(module):
            why = fuse_norm(module)
            if why is None:
                done.norms[name] = _class_name(type(module))
            else:
                done.left_norms[name] = why


def _is_convolution(module):
    """Whether it is derived from torch.nn's convolutions, or has such a name. A layer norm of a ConvNeXt is none."""
    if isinstance(module, nn.modules.conv._ConvNd):
        return True
    theirs = next(c for c in type(module).__mro__ if c.__module__.startswith("torch.nn.modules."))
    if theirs is not nn.Module:
        return False
    name = getattr(module, "original_name", type(module).__name__)  # the name before torch.jit.script()
    return re.search("conv", name, re.I) is not None and not any(True for _ in module.children())


def _class_name(cls):
    return f"{cls.__module__}.{cls.__qualname__}"


def _replace_one(module):
    """Changes the module's class. Returns why not, or None."""
    if isinstance(module, torch.jit.ScriptModule):
        return "torch.jit.script() compiled it"
    base = next((c for c in type(module).__mro__ if c in OURS), None)
    if base is None:
        return f"its class {_class_name(type(module))} is not derived from those of torch.nn that are replaced"
    for method in ("forward", "_conv_forward"):
        if method in module.__dict__:
            return f"its {method} is an attribute of the instance"
    if any(p.dtype.is_complex for p in module.parameters()):
        return "its parameters are complex"
    for name, value in module.__dict__.items():
        if is_code(value) and calls_of(value)[0]:
            return f"its attribute {name} {calls_of(value)[0]}"
    try:
        if _is_parametrized(module):
            cls, why = _parametrized(type(module), base)
        else:
            cls, why = _replacement(type(module), base)
        if why is None:
            module.__class__ = cls
        return why
    except Exception as error:  # the class cannot be derived from, or its instances have another layout
        return f"its class {_class_name(type(module))} cannot be derived from: {error}"


def _is_parametrized(module):
    """Whether torch.nn.utils.parametrize, which makes a class for each module, has changed it."""
    return parametrize.is_parametrized(module) and type(module).__module__ == parametrize.__name__


def _parametrized(cls, base):
    """The same class, derived from ours: torch takes the only base when it removes parametrizations."""
    theirs, = cls.__bases__
    inner, why = _replacement(theirs, base)
    if why is not None:
        return None, why
    own = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
    return types.new_class(cls.__name__, (inner,), {}, lambda body: body.update(own)), None


@functools.lru_cache(maxsize=None)
def _replacement(cls, base):
    """Returns (the class for modules of cls, None), or (None, why there is none). base: the class of torch.nn."""
    if cls is base:
        return OURS[base], None
    methods, *parents = _rebound_classes(cls, base)
    if not _ends_in(cls, base) and not _calls_one(cls, base, methods, parents):
        return None, (f"its class {_class_name(cls)} has a forward or _conv_forward of its own, which neither ends in "
                      "super().forward() or _conv_forward() nor calls torch.nn.functional's convolutions by name")
    how = _calls_torchs(cls, base, methods, parents)
    if how:
        return None, f"its class {_class_name(cls)} has a forward or _conv_forward of its own, and {how}"
    methods, *parents = _rebound_classes(cls, base, pads=True)

    def reduce(self, protocol):
        make, arguments, *state = cls.__reduce_ex__(self, protocol)
        if make is copyreg.__newobj__ and arguments[0] is ours:
            return (_new, (cls, base, *arguments[1:]), *state)
        if make is copyreg._reconstructor and arguments[0] is ours:  # protocols 0 and 1
            return (_bare, (cls, base), *state)
        return (_call, (cls, base, *arguments), *state) if make is ours else (make, arguments, *state)

    own = {**methods, "__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__,
           "__reduce_ex__": reduce}
    becomes = getattr(cls, "cls_to_become", None)  # of lazy modules, at their first input
    if becomes in OURS:
        own["cls_to_become"] = OURS[becomes]
    ours = types.new_class(cls.__name__, (cls, *filter(None, parents), OURS[base]), {}, lambda body: body.update(own))
    return ours, None


def _rebound_classes(cls, base, pads=False):
    """Returns [rebuilt methods of cls that call torch.nn.functional's convolutions, then for each of its bases up to base a
    class derived from it with such methods, or None if it has none]. super() looks for methods in these classes before
    their bases. pads: methods that call its pad() are rebuilt, too."""
    found = []
    for c in cls.__mro__[:cls.__mro__.index(base)]:
        copies = {name: rebound(method, pads=pads) for name, method in c.__dict__.items()}
        methods = {name: copy for name, copy in copies.items() if copy is not None}
        if c is not cls:
            methods = types.new_class(c.__name__, (c,), {}, lambda body, own=methods: body.update(own)) if methods else None
        found.append(methods)
    return found


def _calls_one(cls, base, methods, parents):
    """Whether forward() or _conv_forward() of cls is a rebuilt method, calls one, or passes on to one."""
    again = [methods, *({} if p is None else p.__dict__ for p in parents)]
    names = set().union(*again)
    for method in ("forward", "_conv_forward"):
        for c, own in zip(cls.__mro__[:cls.__mro__.index(base)], again):
            if method in c.__dict__:
                called = names_of(c.__dict__[method])
                if method in own or called & names - {"__init__", method}:
                    return True
                if "super" not in called:
                    break
    return False


def _calls_torchs(cls, base, methods, parents):
    """How a method that forward() may reach still calls PyTorch's convolutions; "" if nothing shows that."""
    classes = [{**c.__dict__, **({} if again is None else again if c is cls else again.__dict__)}
               for c, again in zip(cls.__mro__[:cls.__mro__.index(base)], (methods, *parents))]
    known = set().union(*classes)
    seen, waiting = set(), {"forward", "_conv_forward", "__call__", "__getattr__", "__getattribute__"}
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for attributes in classes:
            how, used = calls_of(attributes.get(name), known)
            if how:
                return how
            waiting |= (used & known) - seen - {"__init__"}
    return ""


def _new(cls, base, *arguments):
    """Called by pickle, which finds classes by name."""
    ours, _ = _replacement(cls, base)
    return ours.__new__(ours, *arguments)


def _bare(cls, base):
    return object.__new__(_replacement(cls, base)[0])


def _call(cls, base, *arguments):
    ours, _ = _replacement(cls, base)
    return ours(*arguments)


def _ends_in(cls, base):
    """Whether calls of cls end in methods that base's replacement has, judged by the names in their code."""
    mro = cls.__mro__
    theirs = mro[:mro.index(base)]  # what is searched before base
    seen, waiting = set(), [("forward", 0)]
    while waiting:
        method, first = waiting.pop()
        where = next((i for i in range(first, len(theirs)) if method in theirs[i].__dict__), None)
        if where is None:  # in base, forward calls _conv_forward(), if there is such a method
            if method == "_conv_forward" or issubclass(base, nn.modules.conv._ConvTransposeNd):
                return True
            method, where = "_conv_forward", next((i for i, c in enumerate(theirs) if "_conv_forward" in c.__dict__),
                                                  None)
            if where is None:
                return True
        if (method, where) in seen:
            continue
        seen.add((method, where))
        names = names_of(theirs[where].__dict__[method])
        for name in names & {"forward", "_conv_forward"}:
            if "super" in names:
                waiting.append((name, where + 1))
            elif name == "_conv_forward" != method:  # self's method
                waiting.append((name, 0))
            waiting += [(name, i) for i, c in enumerate(mro) if c.__name__ in names]  # as in nn.Conv2d.forward(self)
        waiting += [(name, 0) for name in names - {"forward", "_conv_forward", method}
                    if any(name in c.__dict__ for c in theirs)]
    return False
