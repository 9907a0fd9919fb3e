"""fuse() for training: batch norms of a network compute the residual additions and activations that follow them, group norms
and instance norms the activations.

Modules keep their places, names, parameters and hooks. Batch norms get a class of _norm/modules.py, and compute the same as
before when they are called as before. A module that can be traced gets a class derived from its own, whose forward() is
the graph, with batch norms that are called with what follows. If a part was replaced later, or got hooks where the graph
does not call it, the class's own forward() runs.
"""
import abc
import collections
import copyreg
import importlib
import itertools
import linecache
import re
import types
import warnings
import weakref

from torch import nn

from .._conv.operators import is_compiling
from .._conv.scriptable import refuse_fused
from .._norm.modules import fuse_norm, is_fused_group_norm, is_fused_norm
from .._pool import max_pool
from .._trace.arguments import possible_arguments
from .._trace.trace import HOOKS, chooses_its_forward, has_hooks, is_norm, is_written_down
from . import sequence
from .channels_last import is_conv
from .fuse import NOT_FOUND, Fuser
from .part import warn_of_other_arguments


class TrainingFuser(Fuser):
    for_training = True

    def is_one(self, module):
        return is_norm(module) or is_fused_group_norm(module)

    def _has_any(self, module):
        return super()._has_any(module) or self.channels_last and any(is_conv(m) for m in module.modules())

    def whole(self, model):
        names = {module: name for name, module in model.named_modules() if is_norm(module)}
        for module, name in names.items():
            why = fuse_norm(module)
            if why is not None:
                self.done.norms[name] = f"PyTorch computes it: {why}"
        names.update(self.group_norms(model))
        is_one = self._is_single(model) or not self._has_any(model)
        if not is_one and self._traced(model, "", False) is None and "" in self.done.untraced:
            self._parts(model, "")
        for module, name in names.items():
            if module not in self.seen and name not in self.done.norms:
                self._leave(name, NOT_FOUND)
        return model

    def _traced_part(self, part, prefix):
        for arguments in possible_arguments(part, is_written_down):
            result = self._traced(part, prefix, True, arguments)
            if result is not None:
                self.done.untraced.pop(prefix[:-1], None)
                return result
        return None

    def _rewritten(self, module, graph, prefix, only_one_argument, arguments):
        before = _calls(graph)
        modules = dict(module.named_modules(remove_duplicate=False))
        is_changed = self.norms(graph, modules, prefix, is_fused_norm)
        is_changed = self._in_layout(graph, modules, prefix) or is_changed
        sequences = sequence.rewrite(graph, modules)
        self.done.sequences += len(sequences)
        is_changed = max_pool.take_calls(graph) or is_changed
        graph.lint()
        if not is_changed and not sequences:
            return None
        with_graph(module, graph, (before - _calls(graph)).keys(), sequences, arguments)
        return module


def _calls(graph):
    """How often each module is called."""
    return collections.Counter(node.target for node in graph.nodes if node.op == "call_module")


_numbers = itertools.count()
_classes = weakref.WeakValueDictionary()  # by class and code


def with_graph(module, graph, fused=(), sequences=(), assumed=None):
    """Gives the module a class derived from its own, whose forward() is the graph. fused: names of modules that the graph
    does not call everywhere, because others compute them. sequences: those that sequence.py put into the graph. assumed: the
    Arguments of a part; with others, the class's own forward() runs."""
    code = graph.python_code("self")
    arguments = ", ".join(["self", *(node.target for node in graph.nodes if node.op == "placeholder")])
    check = f"    if not _is_as_fused(self):\n        return _own({arguments})\n"
    names, header = code.globals, ""
    if assumed is not None:
        names, header = {**names, "_assumed": assumed}, f"# {assumed}\ndef forward(self, *args, **kwargs):\n"
        check = ("    given = _assumed.taken(args, kwargs)\n    if given is None:\n        _warn(self)\n"
                 "    if given is None or not _is_as_fused(self):\n        return _own(self, *args, **kwargs)\n"
                 f"    {arguments[len('self, '):]}, = given\n")
    source, count = re.subn(r"^def forward\(self.*:\n", lambda line: (header or line[0]) + check, code.src, flags=re.MULTILINE)
    assert count == 1, code.src
    module.__dict__[sequence.STORED] = list(sequences)
    module.__dict__["_fused_parts"] = _parts_of(module, _calls(graph).keys(), fused)
    module.__class__ = _class(vars(type(module)).get("_own_class", type(module)), source, names)


def _parts_of(root, called, fused):
    """Returns ([(modules of a module, name, the module of that name)], [(modules of a module, their number)]) that the
    graph replaces, and ([modules whose forward() the graph replaces], [their names], [their hooks], [(one of them that is
    PyTorch's or ours, such as an activation, or chooses its forward(), its name, an attribute, its value)]). called: names of modules that it calls as a
    whole; fused: of those that it does not call everywhere."""
    parts, counts, seen, skipped, names = [], [], set(), [], []

    def visit(module, prefix):
        if module in seen:
            return
        seen.add(module)
        counts.append((module._modules, len(module._modules)))
        for name, part in module._modules.items():
            parts.append((module._modules, name, part))
            if part is None:
                continue
            if prefix + name not in called or prefix + name in fused:
                skipped.append(part)
                names.append(prefix + name)
            if prefix + name not in called or is_fused_norm(part):
                visit(part, f"{prefix}{name}.")
    visit(root, "")
    hooks = (part.__dict__.get(kind) for part in skipped for kind in HOOKS)
    attributes = ((part, name, attribute, value) for part, name in zip(skipped, names)
                  if type(part).__module__.startswith(("torch.nn.", "ck_conv.")) or chooses_its_forward(part)
                  for attribute, value in part.__dict__.items() if attribute != "training" and not attribute.startswith("_"))
    own = [i for i, part in enumerate(skipped) if not chooses_its_forward(part)]
    return (tuple(parts), tuple(counts), tuple(skipped[i] for i in own), tuple(names[i] for i in own),
            tuple(h for h in hooks if h is not None), tuple(attributes))


def _exchanged(parts):
    """What is not as fuse() saw it, as the beginning of a sentence; "" if all is."""
    parts, counts, skipped, names, hooks, attributes = parts
    changed = [name for modules, name, part in parts if modules.get(name) is not part]
    if changed:
        return f"{changed[0]} is another module than"
    if not all(len(modules) == count for modules, count in counts):
        return "there are other modules than"
    if any(hooks) or any("forward" in part.__dict__ for part in skipped):
        return next((f"{name} has other hooks, or another forward(), than" for name, part in zip(names, skipped)
                     if has_hooks(part)), "a part has other hooks than")
    for part, name, attribute, value in attributes:
        if part.__dict__.get(attribute) != value:
            return f"{name} has another {attribute} than"
    return ""


def _is_as_fused(module):
    """Whether it has the modules and hooks that fuse() saw. Compiled code does not check."""
    if is_compiling():
        return True
    parts = module.__dict__.get("_fused_parts")
    if parts is None:  # made by its class's own methods, such as a slice of nn.Sequential
        return False
    what = _exchanged(parts)
    if what:
        warnings.warn(f"{what} ck_conv.fuse() saw: the forward() of {type(module).__name__} itself runs, with nothing fused "
                      "in it. Fuse the model again", stacklevel=3)
    return not what


def own_again(model):
    """Restores the class of modules whose graph no longer matches them."""
    for module in model.modules():
        own, parts = vars(type(module)).get("_own_class"), module.__dict__.get("_fused_parts")
        if own is not None and (parts is None or _exchanged(parts)):
            for name in ("_fused_parts", sequence.STORED):
                module.__dict__.pop(name, None)
            module.__class__ = own


def _class(base, source, names):
    cls = _classes.get((base, source))
    if cls is None:
        file = f"<ck_conv.fuse() of {base.__name__}, {next(_numbers)}>"
        linecache.cache[file] = len(source), None, source.splitlines(True), file
        body = {"__module__": base.__module__, "__qualname__": base.__qualname__, "__doc__": base.__doc__, "_own_class": base}
        exec(compile(source, file, "exec"), {**names, "_is_as_fused": _is_as_fused, "_own": base.forward, "_warn": warn_of_other_arguments}, body)

        def reduce(self, protocol):
            make, arguments, *state = base.__reduce_ex__(self, protocol)
            if make is not copyreg.__newobj__ or arguments != (type(self),):
                raise TypeError(f"{base.__qualname__} of ck_conv.fuse() can only be pickled with protocol 2 or newer")
            return _new, (base, source, _packed(names)), *state

        body["__reduce_ex__"] = reduce
        body[sequence.NAME] = property(sequence.sequences_of)
        body["__prepare_scriptable__"] = lambda self: refuse_fused(f"a {base.__name__}")
        _classes[base, source] = cls = _derived(base, body)
        weakref.finalize(cls, linecache.cache.pop, file, None)
    return cls


def _derived(base, body):
    """A class that the base's __init_subclass__ and metaclass do not see."""
    make = abc.ABCMeta if isinstance(base, abc.ABCMeta) else type
    cls = make.__new__(type(base), base.__name__, (nn.Module,), body)
    try:
        cls.__bases__ = base,
    except TypeError:  # it has slots
        cls = types.new_class(base.__name__, (base,), {}, lambda attributes: attributes.update(body))
    return cls


def _packed(names):
    """Pickle supports functions, but not modules."""
    return {name: (value.__name__,) if isinstance(value, types.ModuleType) else value for name, value in names.items()}


def _new(base, source, names):
    """Called by pickle and copy."""
    names = {name: importlib.import_module(*value) if type(value) is tuple else value for name, value in names.items()}
    cls = _class(base, source, names)
    return cls.__new__(cls)
