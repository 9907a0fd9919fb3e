"""Arguments with which a part of a model is traced. Only its caller, which is not traced, knows what it passes: the trace assumes
which arguments are tensors and that all others are None or have their defaults, and each call checks that."""
import inspect
from typing import NamedTuple

import torch


class Arguments(NamedTuple):
    """The arguments of a forward()."""
    names: tuple
    positional: int  # how many of them may be given by position
    required: tuple  # whether each has no default
    are_tensors: tuple  # whether each is a tensor, or a tuple or a list of tensors
    values: tuple  # of those that are not
    is_rare: bool  # whether it only matters if nothing else can be traced

    def taken(self, args, kwargs):
        """The tensors of a call; None if it has other arguments than the trace."""
        if len(args) > self.positional:
            return None
        tensors, unknown = [], len(kwargs)
        for i, name in enumerate(self.names):
            if i < len(args):
                value = args[i]
            elif name in kwargs:
                value = kwargs[name]
                unknown -= 1
            elif self.required[i] or self.are_tensors[i]:
                return None
            else:
                continue
            if self.are_tensors[i]:
                if not _are_tensors(value):
                    return None
                tensors.append(value)
            elif not (value is self.values[i] or type(value) is type(self.values[i]) and value == self.values[i]):
                return None
        return None if unknown else tensors


def _are_tensors(value):
    return isinstance(value, torch.Tensor) or type(value) in (tuple, list) and all(map(_are_tensors, value))


def possible_arguments(module, is_written_down):
    """The Arguments with which a part may be called; [None] if it takes one argument. The first argument is a tensor; those
    without a default are all tensors or all None; those with a default have it, except that a single one may be a tensor.
    is_written_down(value): whether a default can be compared later."""
    try:
        parameters = list(inspect.signature(module.forward).parameters.values())
    except (TypeError, ValueError):
        return [None]
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if len(parameters) < 2 or not named or any(
            p.default is not p.empty and not is_written_down(p.default) or p.kind is p.KEYWORD_ONLY and p.default is p.empty
            for p in named) or named[0].kind is inspect.Parameter.KEYWORD_ONLY:
        return [None]
    required = tuple(p.default is p.empty for p in named)
    optional = [i for i, p in enumerate(named) if i and p.default is None and p.kind is not p.KEYWORD_ONLY]
    kinds = [(True, *required[1:])]
    if any(required[1:]):
        kinds.append((True, *(False for _ in named[1:])))
    usual = len(kinds)
    if len(optional) == 1:
        kinds.append(tuple(is_tensor or i in optional for i, is_tensor in enumerate(kinds[0])))
    positional = sum(p.kind is not p.KEYWORD_ONLY for p in named)
    values = tuple(None if p.default is p.empty else p.default for p in named)
    return [Arguments(tuple(p.name for p in named), positional, required, are_tensors, values, i >= usual)
            for i, are_tensors in enumerate(kinds)]
