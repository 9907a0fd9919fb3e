"""Finds what a call of forward() changes besides its result: attributes of modules and of objects in them, lists and other
containers, attributes of classes, global names, and random numbers.

torch.fx runs forward() once, to record its operations. Everything else that forward() does then happens once, in the trace,
and never in the graph: such a module gets no graph. once.py finds writes to tensors.
"""
import collections
import random
import sys
import types

import torch
from torch import fx, nn

_PLAIN = (bool, int, float, complex, str, bytes)
_CONTAINERS = (dict, list, set, collections.deque)
_OF_PYTHON = ("__dict__", "__weakref__", "__abstractmethods__", "_abc_impl", "__annotations__")


class State:
    """The current state of a module and of all modules in it."""

    def __init__(self, module):
        self.kept, self.seen, self.of_module = [], set(), {}
        for name, part in module.named_modules():
            start = len(self.kept)
            self._keep(part.__dict__, name)
            for base in type(part).__mro__:
                if _is_users(base) and id(base) not in self.seen:
                    self.seen.add(id(base))
                    self._keep_class(base)
            self.of_module[part] = self.kept[start:]

    def changed(self, module=None):
        """The name of something that has changed, in this module if one is given; "" if nothing has."""
        for container, before in self.kept if module is None else self.of_module.get(module, ()):
            for key, is_same in container.compared(before):
                if not is_same:
                    return f"{container.name}.{key}" if container.name and key else container.name or key
        return ""

    def restore(self):
        for container, before in self.kept:
            if not all(is_same for _, is_same in container.compared(before)):
                container.write(before)

    def _add(self, container):
        self.kept.append((container, container.read()))

    def _keep(self, value, name):
        if isinstance(value, (nn.Module, torch.Tensor, type, types.ModuleType, types.FunctionType, *_PLAIN)):
            return
        if id(value) in self.seen:
            return
        self.seen.add(id(value))
        items = ()
        if isinstance(value, dict):
            items = [(f"{name}.{key}" if name else str(key), item) for key, item in _Container(value, name).read().items()]
        elif isinstance(value, (list, tuple, set, collections.deque)):
            items = [(name, item) for item in _own(value).__iter__(value)]
        elif _is_users(type(value)) and isinstance(getattr(value, "__dict__", None), dict):
            items = [(name, value.__dict__)]
        if isinstance(value, _CONTAINERS):
            self._add(_Container(value, name))
        for own, item in items:
            self._keep(item, own)

    def _keep_class(self, cls):
        self._add(_Class(cls, cls.__name__))
        for name, value in _Class(cls, "").read().items():
            if isinstance(value, types.FunctionType):
                self._keep_names(value)
            else:
                self._keep(value, f"{cls.__name__}.{name}")

    def _keep_names(self, function):
        """Keeps the global names and the closure of a function. Keeps containers in these, but not what is in them."""
        module = function.__globals__
        if id(module) not in self.seen and "__name__" in module:
            self.seen.add(id(module))
            self._add(_Container(module, module["__name__"]))
        named = {name: module[name] for name in function.__code__.co_names if name in module}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            self._add(_Cell(cell, name))
            named[name] = _Cell(cell, name).read()[""]
        for name, value in named.items():
            if isinstance(value, types.FunctionType) and _is_users(value) and id(value) not in self.seen:  # a decorated function
                self.seen.add(id(value))
                self._keep_names(value)
            if isinstance(value, _CONTAINERS) and id(value) not in self.seen:
                self.seen.add(id(value))
                self._add(_Container(value, name))


def _own(container):
    """The class of Python that a container has or is derived from: methods of a derived class may do anything."""
    kind = type(container)
    return kind if kind in _CONTAINERS or kind is tuple else next(c for c in kind.__mro__ if c.__module__ in ("builtins", "collections"))


class _Container:
    def __init__(self, it, name):
        self.it, self.name = it, name

    def read(self):
        own, keys = _own(self.it), list(_own(self.it).__iter__(self.it))
        return {key: own.__getitem__(self.it, key) for key in keys} if isinstance(self.it, dict) else keys

    def compared(self, before):
        """Returns [(key, whether its value is unchanged)]; for objects without keys, one pair with an empty key."""
        now = self.read()
        if isinstance(now, list):
            return [("", len(now) == len(before) and all(map(_is_same, now, before)))]
        return [(str(key), key in now and key in before and _is_same(now[key], before[key])) for key in {**before, **now}]

    def write(self, before):
        own, it = _own(self.it), self.it
        if isinstance(it, dict):
            now = self.read()
            for key in now.keys() - before.keys():
                own.__delitem__(it, key)
            if [key for key in now if key in before] != list(before) and "__builtins__" not in before:
                own.clear(it)
            for key, value in before.items():
                own.__setitem__(it, key, value)
        else:
            own.clear(it)
            (own.update if isinstance(it, set) else own.extend)(it, before)


class _Class(_Container):
    def read(self):
        return {name: value for name, value in vars(self.it).items() if name not in _OF_PYTHON}

    def write(self, before):
        now = self.read()
        for name in now.keys() - before.keys():
            delattr(self.it, name)
        for name, value in before.items():
            if now.get(name) is not value:
                setattr(self.it, name, value)


class _Cell(_Container):
    """A name in a function's closure."""

    def read(self):
        try:
            return {"": self.it.cell_contents}
        except ValueError:  # not set
            return {"": _Cell}

    def write(self, before):
        self.it.cell_contents = before[""]


def _is_same(now, before):
    return (now is before or type(now) is type(before) and type(now) in _PLAIN and now == before or
            _is_wrapped(now) and now.__wrapped__ is before)


def _is_wrapped(value):
    """Whether torch.fx has put this in the place of a function of fx.wrap(), while it traces."""
    return type(value) is types.FunctionType and value.__code__.co_filename == fx._symbolic_trace.__file__


def _is_users(thing):
    home = (getattr(thing, "__module__", None) or "").split(".")[0]
    return home not in ("torch", "builtins", "collections", "typing", "abc", "functools", "contextlib", "numpy", "ck_conv")


def random_state():
    """Returns (those of Python, PyTorch and NumPy, if they are in use)."""
    numpy = sys.modules.get("numpy")
    return (random.getstate(), torch.get_rng_state(), torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else [],
            numpy.random.get_state() if numpy is not None else None)


def same_random_state(a, b):
    same = a[0] == b[0] and torch.equal(a[1], b[1]) and all(map(torch.equal, a[2], b[2]))
    return same and (a[3] is None or b[3] is None or
                     all(bool((x == y).all()) if hasattr(x, "all") else x == y for x, y in zip(a[3], b[3])))


def set_random_state(state):
    random.setstate(state[0])
    torch.set_rng_state(state[1])
    if state[2]:
        torch.cuda.set_rng_state_all(state[2])
    if state[3] is not None:
        sys.modules["numpy"].random.set_state(state[3])
