"""What code that is not traced does with the parts of its module, as far as its instructions show: fuse() replaces a part as a
whole only if that code calls it as a whole. It does not, for example, in self.encoder.conv1(x) and for layer in self.layers.
"""
import dis
import inspect
import sys
import types

from torch import nn

from .._replace.calls import functions_in, is_code

_SKIPPED = {"CACHE", "EXTENDED_ARG", "PUSH_NULL", "PRECALL", "RESUME"}
_OF_PARTS = {"children", "named_children", "modules", "named_modules", "_modules", "get_submodule"}


class Uses:
    """owners: the modules whose code it is."""

    def __init__(self, owners=(), names=frozenset(), pairs=frozenset()):
        self.owners, self.names, self.pairs = owners, names, pairs  # pairs: an attribute and the instruction that takes it

    def and_of(self, module):
        """These and the uses of a module's forward()."""
        names, pairs, functions = set(self.names), set(self.pairs), _functions(module)
        for code, namespace in functions:
            _read(code, namespace, names, pairs)
        return Uses((*self.owners, module), frozenset(names), frozenset(pairs))

    def are_within(self, name, part):
        """Whether the code uses modules in a part, which has this name in its module."""
        own = {n for n, _ in part.named_children() if not n.isdigit()} & self.names
        after = {what for attribute, what in self.pairs if attribute == name}
        if after & (own | _OF_PARTS):
            return True
        if isinstance(part, nn.Sequential) and not name.isdigit() and after - {"call"} and "checkpoint" not in self.names:
            return True
        return bool(own if "store" in after else self._not_of_owners(own))

    def constants(self, name, part):
        """{name: value} of what the code may take of a part by its class, which a fx.GraphModule lacks, such as properties; None if
        these are not only numbers and texts."""
        after = {what for attribute, what in self.pairs if attribute == name}
        if "store" in after or name.isdigit():
            after |= self._not_of_owners(self.names)
        classes = [cls for cls in type(part).__mro__ if not cls.__module__.startswith(("torch.", "ck_conv."))]
        names = [n for n in after if any(n in vars(cls) for cls in classes) and not hasattr(nn.Module, n)]
        try:
            found = {n: getattr(part, n) for n in names}
        except Exception:  # a property may raise anything
            return None
        return found if all(map(_is_constant, found.values())) else None

    def _not_of_owners(self, names):
        return {n for n in names if not any(_has(owner, n) for owner in self.owners)}


def _has(module, name):
    """Whether a module has an attribute. Runs no code of its class: a __getattr__() may raise anything."""
    return (any(name in vars(module)[kept] for kept in ("_parameters", "_buffers", "_modules")) or
            inspect.getattr_static(module, name, _has) is not _has)


def _is_constant(value):
    return isinstance(value, (int, float, str, type(None))) or isinstance(value, (tuple, list)) and all(map(_is_constant, value))


def _functions(module):
    """The code of forward() and of what it may call, each with its global names."""
    found, seen, waiting = [], set(), functions_in(module.__dict__.get("forward", getattr(type(module), "forward", None)))
    while waiting:
        function = waiting.pop()
        home = (getattr(function, "__module__", None) or "").split(".")[0]
        if function in seen or not inspect.isfunction(function) or home in ("torch", "ck_conv"):
            continue
        seen.add(function)
        codes = [function.__code__]
        while codes:
            code = codes.pop()
            found.append((code, function.__globals__))
            codes += [c for c in code.co_consts if inspect.iscode(c)]
            for name in code.co_names:
                for value in (function.__globals__.get(name), inspect.getattr_static(module, name, None)):
                    waiting += functions_in(value) if is_code(value) else []
    return found


def _read(code, namespace, names, pairs):
    names.update(c for c in code.co_consts if isinstance(c, str))
    last = home = None  # home: a module or a class, such as torch.nn in torch.nn.functional.relu
    for instruction in dis.get_instructions(code):
        kind, name = instruction.opname, instruction.argval
        if kind in _SKIPPED:
            continue
        is_attribute = kind in ("LOAD_ATTR", "LOAD_METHOD")
        if last is not None:
            pairs.add((last, name if is_attribute else "store" if kind.startswith("STORE") else kind))
        is_own, last = is_attribute and home is None, None
        value = namespace.get(name) if kind == "LOAD_GLOBAL" else getattr(home, name, None) if is_attribute else None
        home = value if isinstance(value, (types.ModuleType, type)) else None
        if is_own:
            names.add(name)
            if _is_called(instruction):
                pairs.add((name, "call"))
            else:
                last = name


def _is_called(instruction):
    """Whether it loads a method, as self.part(x) does. From Python 3.12 on, LOAD_METHOD is only a name in dis.opmap."""
    is_one_instruction = sys.version_info >= (3, 12)
    return bool(instruction.arg & 1) if is_one_instruction else instruction.opname == "LOAD_METHOD"
