"""Branches of a traced forward() that depend on what only a call has: sizes, types, and whether gradients are enabled.

A trace takes one way of each branch. So forward() is traced again for the other ways, and must have the same graph, as with
`if x.shape[0] >= 64: x = x.contiguous()`, or if checkpoints are only used when gradients are enabled. If forward() raises in the
other way, as in an assertion, a node of the graph does so, too.

The ways of each call of a module are compared on their own: after it, forward() only knows its result and its arguments, which
are compared, and what State finds.
"""
import dis
import operator
from typing import NamedTuple, Union

import torch
from torch import fx, nn
from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function

_MOST_TRACES, _MOST_OF_CALL = 100, 16  # of one module, and to compare the ways of one call
_CONSTANTS = (bool, int, float, str, type(None))
_READING = (nn.modules.conv._ConvNd, nn.Linear, nn.modules.batchnorm._NormBase, nn.GroupNorm, nn.LayerNorm)
_READS = F.interpolate, F.group_norm, operator.add, operator.sub, operator.mul, operator.truediv, torch.add, torch.mul
_SIZES = "size", "dim", "numel"


class Question(NamedTuple):
    call: tuple  # of the module whose forward() asks
    about: Union[fx.Node, str]  # a value, or the name of one of torch's functions
    answer: bool
    calls: list  # the modules that are being called


class Answers:
    """The answers of one trace. way: those to the first questions of one call. known: others, by the call and the number of the
    question, or by the function's name. The answer to all others is False."""

    def __init__(self, call=None, way=(), known=()):
        self.call, self.way, self.known, self.asked = call, way, dict(known), []

    def to(self, call, about, calls):
        number = len(self.of(call))
        key = about if isinstance(about, str) else (call, number)
        answer = self.known.get(key, False)
        if call == self.call and number < len(self.way):
            answer = self.way[number]
            if isinstance(about, str):  # the same for all calls
                self.known[key] = answer
        self.asked.append(Question(call, about, answer, list(calls)))
        return answer

    def of(self, call):
        return [question for question in self.asked if question.call == call]


class Ways:
    """Traces a module in all ways. make(answers): a tracer with these answers; run(tracer): its graph, or what forward() raises.
    modules: {name: module}. before: the number of earlier traces of the module."""

    def __init__(self, make, run, modules, before):
        self.make, self.run, self.modules, self.traces, self.undecided = make, run, modules, before, []
        self.known, self.of_modes, self.unused = {}, {}, {}

    def graph(self):
        """The one graph of all ways. Raises what forward() raises, or TraceError: then self.tracer.calls are to blame."""
        self.base = base = self._first()
        for call in dict.fromkeys(question.call for question in base.answers.asked):
            for question in self._raising(base, call):
                with base.graph.inserting_after(question.about):
                    base.graph.call_function(must_be, (question.about, question.answer))
        _erase_unused(base.graph)
        return base.graph

    def _trace(self, answers):
        self.traces += 1
        self.tracer = self.make(answers)
        return _Trace(self.tracer, self.run(self.tracer), self.unused)

    def _first(self):
        """The first trace in which forward() does not raise."""
        while True:
            try:
                return self._trace(Answers(known=self.known))
            except Exception as error:
                last = self.tracer.answers.asked[-1:]
                key = last and (last[0].call, len(self.tracer.answers.of(last[0].call)) - 1)
                if not last or isinstance(last[0].about, str) or key in self.known or not _is_raised(error):
                    raise
                self.known[key] = True

    def _raising(self, base, call):
        """The questions of a call in whose other way forward() raises. All other ways must have the same graph."""
        raising, paths, waiting, most = {}, [], [(base, 0)], min(self.traces + _MOST_OF_CALL, _MOST_TRACES)
        while waiting:
            trace, start = waiting.pop()
            path = trace.answers.of(call)
            paths.append({trace.key(question) for question in path})
            for i, question in list(enumerate(path))[start:]:
                other, error, key = None, None, trace.key(question)
                is_mode = isinstance(question.about, str)
                if self.traces >= most:
                    self._refuse(question, None)
                try:
                    other = self.of_modes.get(key) if is_mode and trace is base else None
                    other = other or self._trace(Answers(call, [q.answer for q in path[:i]] + [not question.answer], self.known))
                except Exception as caught:
                    error = caught
                if is_mode and trace is base:
                    self.of_modes[key] = other
                if other is not None and base.is_same(other, call, self.modules):
                    waiting.append((other, i + 1))
                elif (_is_raised(error) and not is_mode and len(self.tracer.answers.of(call)) == i + 1 and
                      (trace is base or key in raising)):
                    raising.setdefault(key, question)
                else:
                    self._refuse(question, error)
        for path in paths:
            if not raising.keys() <= path:  # a node would raise where forward() does not
                self._refuse(base.answers.of(call)[-1], None)
        return raising.values()

    def _refuse(self, question, error):
        self.tracer.calls = question.calls
        self.undecided = [q.calls[-1] for q in self.base.answers.asked if q.calls and question.calls and
                          type(q.calls[-1]) is type(question.calls[-1])]  # the same code, which would take as long
        if isinstance(error, fx.proxy.TraceError):
            raise error
        raise fx.proxy.TraceError(
            f"it calls torch.{question.about}(), whose answer a graph would keep" if isinstance(question.about, str) else
            "symbolically traced variables cannot be used as inputs to control flow") from error


def _is_raised(error):
    """Whether a `raise` or an `assert` of the network has raised it."""
    last = getattr(error, "__traceback__", None)
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or last.tb_frame.f_globals.get("__name__", "").split(".")[0] in ("torch", "ck_conv"):
        return False
    return any(step.opname == "RAISE_VARARGS" and step.offset == last.tb_lasti for step in dis.get_instructions(last.tb_frame.f_code))


def must_be(condition, answer):
    """Called in a graph where forward() raises if the condition has another truth value."""
    if has_torch_function((condition,)):  # pickle traces the graph's text again
        return handle_torch_function(must_be, (condition,), condition, answer)
    if bool(condition) is not answer:
        raise ValueError("forward() raises for these inputs, as an assertion does: call the model that fuse() was given to see it")
    return condition


class _Trace:
    """A graph, and its nodes without those that copy a tensor by contiguous() and those that nothing uses. unused: {what such a
    node computes: its name}, of all traces."""

    def __init__(self, tracer, graph, unused):
        self.tracer, self.graph, self.answers = tracer, graph, tracer.answers
        self.number, self.nodes, self.copies = {}, [], []
        used = _used(graph)
        for node in graph.nodes:
            what = node.op, node.target, fx.node.map_arg((node.args, node.kwargs), lambda n: self.number[n])
            if is_copy(node):
                self.copies.append(node)
                self.number[node] = self.number[node.args[0]]
            elif node in used:
                self.number[node] = f"%{len(self.nodes)}"
                self.nodes.append(what)
            else:
                self.number[node] = unused.setdefault(str(what), f"unused {len(unused)}")

    def key(self, question):
        return question.about if isinstance(question.about, str) else self.number[question.about]

    def is_same(self, other, call, modules):
        """Whether another trace has the same graph, and the same result and arguments of a call."""
        return (self.nodes == other.nodes and self._known_after(call) == other._known_after(call) and (
            len(self.copies) == len(other.copies) or
            not any(may_share(node, modules) for trace in (self, other) for node in trace.copies)))

    def _known_after(self, call):
        return self._described(self.tracer.results.get(call))

    def _described(self, value):
        if isinstance(value, fx.Proxy):
            return self.number[value.node]
        if type(value) in (tuple, list):
            return [type(value), *map(self._described, value)]
        if type(value) is dict:
            return [dict, *((key, self._described(v)) for key, v in value.items())]
        return (type(value), value) if type(value) in _CONSTANTS else id(value)


def is_copy(node):
    return node.op == "call_method" and node.target == "contiguous" and len(node.args) == 1 and not node.kwargs


def may_share(copy, modules):
    """Whether it may matter that contiguous() returns the tensor itself or a copy: something may write to either."""
    return not all(_only_reads(user, value, modules) for value in (copy, copy.args[0]) for user in value.users)


def _only_reads(node, value, modules):
    """Whether a node writes to nothing, and its result shares no memory with a value that it reads."""
    if is_copy(node):
        return all(_only_reads(user, node, modules) for user in node.users)
    if node.op == "call_module":
        module = modules[node.target]
        return isinstance(module, _READING) and type(module).__module__.startswith(("torch.nn.", "ck_conv.")) and not any(
            getattr(module, hooks, None) for hooks in ("_forward_hooks", "_forward_pre_hooks"))
    if node.target is getattr:
        return node.args[1] in ("shape", "dtype", "device", "ndim")
    return value in node.args and (node.op == "call_function" and node.target in _READS or
                                   node.op == "call_method" and node.target in _SIZES)


def _used(graph):
    """The nodes that have an effect or are used by others."""
    used = set()
    for node in reversed(graph.nodes):
        if any(user in used for user in node.users) or not _has_no_effect(node):
            used.add(node)
    return used


def _has_no_effect(node):
    if node.op == "call_method":
        return node.target in _SIZES
    name = getattr(node.target, "__name__", "")
    return node.op == "call_function" and (node.target is getattr or getattr(operator, name, None) is node.target and not (
        name.startswith("i") and hasattr(operator, name[1:])) and name not in ("setitem", "delitem"))


def _erase_unused(graph):
    """Conditions of branches that are left out."""
    for node in reversed(list(graph.nodes)):
        if not node.users and _has_no_effect(node):
            graph.erase_node(node)
