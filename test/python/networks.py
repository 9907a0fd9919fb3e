"""What tests of fused networks share."""
from needs_torch import torch

from torch import nn

LAST = {2: torch.channels_last, 3: torch.channels_last_3d}  # by spatial dimensions


class Net(nn.Module):
    """Named layers, and a function that calls them."""

    def __init__(self, function, **layers):
        super().__init__()
        self.function = function
        for name, module in layers.items():
            self.add_module(name, module)

    def forward(self, x):
        return self.function(self, x)
