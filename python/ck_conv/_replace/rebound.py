"""Rebuilds functions that call torch.nn.functional's convolutions so that they call this library's; and, if wanted, those
that call its pad() so that they call _padded.pad().

A copy of a function has the same globals and closure; functions in the closure, as decorators have, are copied. Its code
uses other names for a few globals: the module torch.nn.functional, its convolutions, and functions that call those. The
values of these names are added to the globals; nothing else in them changes, and other names are looked up at the time of a
call.
"""
import dis
import functools
import inspect
import types

from torch import nn
from torch.nn import functional as F

from .. import functional
from .._conv.padded import may_change, pad, returning_copies
from .calls import PREFIX

CONVOLUTIONS = {name: getattr(functional, name) for name in
                ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")}
_WITH_PADS = {**CONVOLUTIONS, "pad": pad}
_TORCHS = {getattr(F, name): ours for name, ours in _WITH_PADS.items()}


def names_of(function):
    """Names of attributes and globals in a function's code, and in nested functions."""
    return _names_in(getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None)


def _names_in(code):
    names, waiting = set(), [code]
    while waiting:
        code = waiting.pop()
        if code is not None:
            names.update(code.co_names)
            waiting += [constant for constant in code.co_consts if inspect.iscode(constant)]
    return names


@functools.lru_cache(maxsize=None)
def _module(module, pads):
    """A copy of torch.nn.functional with our convolutions, perhaps with our pad(), or of torch.nn with that copy."""
    copied = types.ModuleType(module.__name__, module.__doc__)
    copied.__dict__.update(module.__dict__)
    copied.__dict__.update({"functional": _module(F, pads)} if module is nn else _WITH_PADS if pads else CONVOLUTIONS)
    return copied


def rebound(function, seen=(), pads=False, is_helper=False):
    """The copy; None if the function calls no convolution by a known name. pads: pad() is replaced, too, except in functions
    that may change the padded tensor before a convolution has read it. is_helper: whether only such a copy calls it, which may
    then get a result of pad()."""
    if not isinstance(function, types.FunctionType) or function in seen:
        return None
    names, changes = _names_in(function.__code__), {}
    ours, prefix = (_WITH_PADS, f"{PREFIX}padded_") if pads else (CONVOLUTIONS, PREFIX)
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        if value is F or (value is nn and "functional" in names):
            if names & ours.keys():
                changes[name] = _module(value, ours is _WITH_PADS)
        elif isinstance(value, (types.FunctionType, types.BuiltinFunctionType)) and _TORCHS.get(value) in ours.values():
            changes[name] = _TORCHS[value]
        elif isinstance(value, types.FunctionType):
            copied = rebound(value, (*seen, function), pads, True)
            if copied is not None:
                changes[name] = copied
    if pads and may_change(function, {"pad", *(name for name, value in changes.items() if callable(value))}):
        return rebound(function, seen)
    cells = _decorated(function, seen, pads)
    code = _renamed(function.__code__, changes, prefix) if changes or cells else None
    if code is None:
        return None
    for name, value in changes.items():
        function.__globals__[prefix + name] = value
    closure = tuple(cells.get(i, cell) for i, cell in enumerate(function.__closure__ or ())) or None
    copied = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    for attribute in ("__kwdefaults__", "__qualname__", "__doc__", "__annotations__", "__module__"):
        setattr(copied, attribute, getattr(function, attribute))
    copied.__dict__.update(function.__dict__)
    if cells and "__wrapped__" in copied.__dict__:
        again = rebound(copied.__wrapped__, (*seen, function), pads)
        copied.__wrapped__ = copied.__wrapped__ if again is None else again
    return returning_copies(copied) if pads and not is_helper else copied


def _decorated(function, seen, pads):
    """Returns {index of a cell of the closure: a cell with the copied function}: the functions that a decorator calls."""
    cells = {}
    for i, cell in enumerate(function.__closure__ or ()):
        try:
            copied = rebound(cell.cell_contents, (*seen, function), pads)
        except ValueError:  # still empty
            continue
        if copied is not None:
            cells[i] = types.CellType(copied)
    return cells


def _renamed(code, names, prefix):
    """The code with the prefix on these globals' names; None if one of them is set, or also names something else."""
    for instruction in dis.get_instructions(code):
        if instruction.argval in names and instruction.opname != "LOAD_GLOBAL" and instruction.opcode in dis.hasname:
            return None
    constants = [_renamed(c, names, prefix) if inspect.iscode(c) else c for c in code.co_consts]
    if any(new is None and old is not None for new, old in zip(constants, code.co_consts)):
        return None
    return code.replace(co_names=tuple(prefix + name if name in names else name for name in code.co_names),
                        co_consts=tuple(constants))
