"""What torch.jit.script() compiles instead of our modules: calls of the operator, since TorchScript cannot call Python."""
from typing import List

import torch
from torch import Tensor, nn

from .launch import is_channels_last


class Scriptable(nn.Module):
    """A convolution of one geometry. padding: the arguments of torch.nn.functional.pad() before it, in `mode`."""
    stride: List[int]
    pad_low: List[int]
    pad_high: List[int]
    dilation: List[int]
    output_padding: List[int]
    padding: List[int]

    def __init__(self, module, g):
        super().__init__()
        self.weight, self.bias = module.weight, module.bias
        self.rank, self.transposed, self.groups = len(g.stride), g.transposed, g.groups
        self.stride, self.pad_low, self.pad_high = list(g.stride), list(g.pad_low), list(g.pad_high)
        self.dilation, self.output_padding = list(g.dilation), list(g.output_padding)
        self.mode = module.padding_mode
        self.padding = list(module._reversed_padding_repeated_twice) if self.mode != "zeros" else []
        self.train(module.training)

    def forward(self, input: Tensor) -> Tensor:
        x = input.unsqueeze(0) if input.dim() == self.rank + 1 else input
        if self.mode != "zeros":
            x = nn.functional.pad(x, self.padding, self.mode)
        channels_last = is_channels_last(x) or is_channels_last(self.weight)
        y = torch.ops.ck_conv.forward(x, self.weight, self.bias, self.stride, self.pad_low, self.pad_high, self.dilation,
                                      self.transposed, self.output_padding, self.groups, channels_last)
        return y.squeeze(0) if input.dim() == self.rank + 1 else y


def refuse_fused(what):
    """Raises, for torch.jit.script() of what ck_conv.fuse() made."""
    raise TypeError(f"torch.jit.script() cannot compile {what} of ck_conv.fuse(): use torch.jit.trace(), or script "
                    "ck_conv.replace(model)")


def scriptable(module, is_ours, geometry):
    """is_ours: whether its class belongs to this package. geometry(weight): returns a Geometry."""
    if not is_ours:
        raise TypeError(f"torch.jit.script() cannot compile a replaced {type(module).__qualname__}, whose class has methods of "
                        "its own or parametrizations: use torch.jit.trace(), or script the model without replacing it")
    return Scriptable(module, geometry(module.weight))
