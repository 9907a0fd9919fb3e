"""Whether a function still calls PyTorch's convolutions, as far as its code shows. replace() must not claim that the
library computes them.

Reads a function's instructions one after another, and looks up names of globals and attributes of modules and classes. It
then reads the functions that these refer to, except those of PyTorch and of this package.
"""
import dis
import functools
import inspect
import types

from torch import nn
from torch.nn import functional as F

NAMES = {f"conv{t}{rank}d" for t in ("", "_transpose") for rank in (1, 2, 3)} | {"convolution", "_convolution"}
_FUNCTIONS = {getattr(F, name) for name in NAMES if hasattr(F, name)}
_METHODS = {getattr(getattr(nn, f"Conv{rank}d"), "_conv_forward") for rank in (1, 2, 3)} | {
    getattr(nn, f"ConvTranspose{rank}d").forward for rank in (1, 2, 3)}
_WRITES_CODE = {"eval", "exec"}
PREFIX = "__ck_conv_"  # prefix of globals that rebound.py added


def functions_in(value):
    """The Python functions in a method, a property or a decorated function."""
    found, waiting, seen = [], [value], set()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, (staticmethod, classmethod, types.MethodType)):
            waiting.append(value.__func__)
        elif isinstance(value, property):
            waiting += [value.fget]
        elif isinstance(value, (functools.partial, functools.partialmethod, functools.cached_property)):
            waiting.append(value.func)
        elif isinstance(value, types.FunctionType):
            found.append(value)
            waiting += [v for v in _cells(value) if is_code(v)]
        elif _is_torchs(value):
            found.append(value)
        if hasattr(value, "__wrapped__") and not isinstance(value, type):
            waiting.append(value.__wrapped__)
    return found


def _cells(function):
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # still empty
            pass


def is_code(value):
    return isinstance(value, (staticmethod, classmethod, property, functools.partial, types.MethodType,
                              types.FunctionType)) or _is_torchs(value)


def _is_torchs(value):
    try:
        return value in _FUNCTIONS or value in _METHODS
    except TypeError:  # not hashable
        return False


def _is_of_a_library(function):
    return (function.__module__ or "").split(".")[0] in ("torch", "ck_conv")


def calls_of(value, methods=()):
    """Returns (how it calls PyTorch's convolutions, or "" if nothing shows that; names of attributes that its code uses).
    methods: names of attributes that the caller checks itself."""
    names, seen, waiting = set(), set(), functions_in(value)
    while waiting:
        function = waiting.pop()
        if _is_torchs(function):
            return f"calls torch's {function.__name__}", names
        if function in seen or _is_of_a_library(function):
            continue
        seen.add(function)
        codes = [function.__code__]
        while codes:
            code = codes.pop()
            codes += [c for c in code.co_consts if inspect.iscode(c)]
            names.update(code.co_names)
            how, found = _in_code(code, function, methods)
            if how:
                return how, names
            waiting += found
    return "", names


def _in_code(code, function, methods):
    """Returns (as above, functions that the code refers to)."""
    where, found, value = code.co_name, [], None
    words = {c for c in code.co_consts if isinstance(c, str)}
    if words & NAMES:
        return f"{where}() has the text '{min(words & NAMES)}'", found
    for instruction in dis.get_instructions(code):
        name, kind = instruction.argval, instruction.opname
        if kind in ("CACHE", "PRECALL", "PUSH_NULL", "RESUME", "EXTENDED_ARG"):
            continue
        if kind in ("LOAD_GLOBAL", "LOAD_NAME"):
            if name in _WRITES_CODE and name not in function.__globals__:
                return f"{where}() calls {name}()", found
            value = function.__globals__.get(name)
            is_ours = name.startswith(PREFIX)
        elif kind in ("LOAD_ATTR", "LOAD_METHOD"):
            known = value is not None and isinstance(value, (types.ModuleType, type))
            value = getattr(value, name, None) if known else None
            if name in NAMES and not (known and value is not None) and name not in methods:
                return f"{where}() calls {name} of what its code does not show", found
            is_ours = False
        elif kind == "IMPORT_FROM" and name in NAMES:
            return f"{where}() imports {name}", found
        else:
            value = None
            continue
        if not is_ours and _is_torchs(value):
            return f"{where}() calls torch's {name} by another name than torch.nn.functional's", found
        if isinstance(value, types.FunctionType):
            found += functions_in(value)
    return "", found
