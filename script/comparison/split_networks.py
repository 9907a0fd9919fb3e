"""Small networks of the kinds that are split: a decoder of videos and a U-Net of volumes."""
import torch
from torch import nn
from torch.nn import functional as F


class CausalConv3d(nn.Conv3d):
    """Sees earlier frames only, as in the autoencoders of video models."""

    def __init__(self, c, k, size=3):
        super().__init__(c, k, size, padding=(0, size // 2, size // 2))
        self.before = size - 1

    def forward(self, x):
        return super().forward(F.pad(x, (0, 0, 0, 0, self.before, 0)))


class Residual(nn.Module):
    def __init__(self, c, k):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(2, c), CausalConv3d(c, k)
        self.norm2, self.conv2 = nn.GroupNorm(2, k), CausalConv3d(k, k)
        self.shortcut = nn.Conv3d(c, k, 1) if c != k else nn.Identity()

    def forward(self, x):
        y = self.conv1(F.silu(self.norm1(x)))
        return self.shortcut(x) + self.conv2(F.silu(self.norm2(y)))


class Up(nn.Module):
    """Twice as many rows and columns, frame by frame, then twice as many frames, except of the first."""

    def __init__(self, c, frames):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1)
        self.time = nn.ConvTranspose3d(c, c, (4, 1, 1), (2, 1, 1), (1, 0, 0)) if frames else None

    def forward(self, x):
        n, c, d, h, w = x.shape
        y = x.permute(0, 2, 1, 3, 4).reshape(n * d, c, h, w)
        y = self.conv(F.interpolate(y, scale_factor=2.0, mode="nearest"))
        y = y.view(n, d, *y.shape[1:]).permute(0, 2, 1, 3, 4)
        return y if self.time is None else self.time(y)


class Decoder(nn.Module):
    def __init__(self, channels=4, latent=2):
        super().__init__()
        self.enter = CausalConv3d(latent, 2 * channels)
        self.blocks = nn.Sequential(Residual(2 * channels, 2 * channels), Up(2 * channels, True), Residual(2 * channels, channels),
                                    Up(channels, False), Residual(channels, channels))
        self.norm, self.leave = nn.GroupNorm(2, channels), CausalConv3d(channels, 3)

    def forward(self, x):
        return self.leave(F.silu(self.norm(self.blocks(self.enter(x)))))


def stage(c, k, stride=1):
    layers = []
    for first in (True, False):
        layers += [nn.Conv3d(c if first else k, k, 3, stride if first else 1, 1), nn.InstanceNorm3d(k, affine=True),
                   nn.LeakyReLU(0.01, inplace=True)]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    """As nnU-Net makes it: convolutions of stride 2, instance norms, transposed convolutions."""

    def __init__(self, channels=4, classes=3):
        super().__init__()
        widths = channels, 2 * channels, 4 * channels
        self.down = nn.ModuleList([stage(1, widths[0]), stage(widths[0], widths[1], 2), stage(widths[1], widths[2], 2)])
        self.up = nn.ModuleList([nn.ConvTranspose3d(widths[2], widths[1], 2, 2), nn.ConvTranspose3d(widths[1], widths[0], 2, 2)])
        self.stages = nn.ModuleList([stage(2 * widths[1], widths[1]), stage(2 * widths[0], widths[0])])
        self.leave = nn.Conv3d(channels, classes, 1)

    def forward(self, x):
        kept = []
        for part in self.down:
            x = part(x)
            kept.append(x)
        for up, part, skip in zip(self.up, self.stages, kept[-2::-1]):
            x = part(torch.cat([up(x), skip], 1))
        return self.leave(x)
