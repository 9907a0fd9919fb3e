"""What tests of fused networks share."""
from needs_torch import torch

from torch import nn
from torch.nn import functional as F

LAST = {2: torch.channels_last, 3: torch.channels_last_3d}  # by spatial dimensions


class ChannelNorm(nn.LayerNorm):
    """A layer norm over the channels of each pixel, as LayerNorm2d of torchvision and timm."""

    def forward(self, x):
        return F.layer_norm(x.permute(0, 2, 3, 1), self.normalized_shape, self.weight, self.bias, self.eps).permute(0, 3, 1, 2)


class Net(nn.Module):
    """Named layers, and a function that calls them."""

    def __init__(self, function, **layers):
        super().__init__()
        self.function = function
        for name, module in layers.items():
            self.add_module(name, module)

    def forward(self, x):
        return self.function(self, x)
