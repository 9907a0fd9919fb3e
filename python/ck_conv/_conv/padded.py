"""Pads of zeros that a convolution adds itself, in inference.

Convolutions of video models are often causal: a class pads its input and calls its base, super().forward(F.pad(x, pads)).
replace() rebuilds such methods (_replace/rebound.py): F.pad() becomes pad(), which copies nothing. Its result is a tensor without
memory that has its input and the pads. This package's convolutions read that input in place; any other use pads it first.
"""
import dis
import functools
import inspect

import torch
from torch.nn import functional as F

from .operators import nobody_watches

_PLAIN = torch.Tensor, torch.nn.Parameter


class Padded(torch.Tensor):
    """A tensor and the zeros around it. pads: as of torch.nn.functional.pad(), integers of at least 0."""

    @staticmethod
    def __new__(cls, x, pads):
        size = list(x.shape)
        for i, n in enumerate(pads):
            size[-1 - i // 2] += n
        self = torch.Tensor._make_wrapper_subclass(cls, size, dtype=x.dtype, device=x.device)
        self.x, self.pads, self.padded = x, pads, None
        self.version = None if x.is_inference() else x._version
        return self

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        """Called by all functions, methods and attributes of tensors."""
        return function(*_whole(args), **_whole(kwargs or {}))

    __torch_dispatch__ = __torch_function__  # of operators that are called from C++

    def whole(self):
        """The padded copy."""
        if self.padded is None:
            self.check()
            self.padded = F.pad(self.x, self.pads)
        return self.padded

    def check(self):
        """Raises if x has changed since: a copy would have the old values."""
        if self.version is not None and self.x._version != self.version:
            raise RuntimeError("a tensor was changed in place after F.pad() and before the convolution, which reads it in "
                               "place: clone it first, or leave the module to PyTorch by ck_conv.replace(model, only=...)")

    def of_dimensions(self, rank):
        """Pads before and after each of the last `rank` dimensions; None if others are padded, too, or a copy has been made,
        which may have changed."""
        if self.padded is not None or self.x.dim() != rank + 2 or len(self.pads) > 2 * rank:
            return None
        pads = self.pads + (0,) * (2 * rank - len(self.pads))
        return pads[-2::-2], pads[:0:-2]


def _whole(value):
    """The value with padded copies, also in lists, tuples and dictionaries."""
    if type(value) is Padded:
        return value.whole()
    if type(value) in (list, tuple):
        return type(value)(map(_whole, value))
    return {name: _whole(v) for name, v in value.items()} if type(value) is dict else value


def pad(input, pad, mode="constant", value=None):
    """torch.nn.functional.pad(). Where no gradient is needed, zeros are not written."""
    if (mode == "constant" and not value and type(input) in _PLAIN and not torch.is_grad_enabled() and
            nobody_watches(input, input) and not input.is_meta and type(pad) in (list, tuple) and
            all(type(n) is int and n >= 0 for n in pad) and len(pad) % 2 == 0 and len(pad) <= 2 * input.dim()):
        return Padded(input, tuple(pad))
    return F.pad(input, pad, mode, value)


def returning_copies(function):
    """The function, whose result has padded copies: its caller may change their inputs."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        return result if type(result) is torch.Tensor else _whole(result)
    return call


# Names in code between a call of pad() and the convolution that cannot change the padded tensor.
_HARMLESS = {"super", "forward", "_conv_forward", "weight", "bias", "stride", "padding", "dilation", "groups", "conv1d",
             "conv2d", "conv3d", "F", "nn", "torch", "functional", "self"}


def may_change(function, pads):
    """Whether the function's own code may change a tensor after it called one of the functions of these names, which pad:
    then its pads stay copies."""
    waiting = [inspect.unwrap(function).__code__]
    while waiting:
        code = waiting.pop()
        within = [c for c in code.co_consts if inspect.iscode(c)]
        waiting += within
        steps = list(dis.get_instructions(code))
        first = next((i for i, step in enumerate(steps) if step.opcode in dis.hasname and step.argval in pads), len(steps))
        if any("JUMP_BACKWARD" in step.opname or step.opname == "JUMP_ABSOLUTE" for step in steps) or any(
                _names(c, pads) for c in within):
            first = 0  # a loop, or a function within this one that pads, whenever it is called
        for before, step in zip([None, *steps][first:], steps[first:]):
            if step.opname.startswith(("STORE_SUBSCR", "INPLACE_")) or (
                    step.opname == "BINARY_OP" and step.argrepr.endswith("=")):
                return True
            if step.opcode in dis.hasname and step.argval not in _HARMLESS | pads and not _reads_own(code, before, step):
                return True
    return False


def _names(code, names):
    """Whether the code or a function in it uses one of these names."""
    return not names.isdisjoint(code.co_names) or any(_names(c, names) for c in code.co_consts if inspect.iscode(c))


def _reads_own(code, before, step):
    """Whether a step reads an attribute of the function's first argument, as self.left, and is not a call of a method."""
    if before is None or not before.opname.startswith("LOAD_FAST") or code.co_argcount == 0 or step.opname != "LOAD_ATTR":
        return False
    loaded = before.argval[-1] if isinstance(before.argval, tuple) else before.argval  # Python 3.13 loads two at once
    return loaded == code.co_varnames[0] and "NULL|" not in step.argrepr  # so Python 3.12 names methods
