"""Decoders of images, videos and audio, and networks that segment volumes. described.py says which papers they follow."""
import math

import torch
from torch import nn
from torch.nn import functional as F

LATENT = 16  # channels


def _attention(x):
    """One head over all pixels; x has queries, keys and values along its channels."""
    n, channels, h, w = x.shape
    q, k, v = x.permute(0, 2, 3, 1).reshape(n, 1, h * w, channels).chunk(3, -1)
    if hasattr(F, "scaled_dot_product_attention"):
        y = F.scaled_dot_product_attention(q, k, v)
    else:  # PyTorch 1.13
        y = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(channels // 3), -1) @ v
    return y.reshape(n, h, w, channels // 3).permute(0, 3, 1, 2)


class _ImageBlock(nn.Module):
    def __init__(self, c, k):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(32, c, 1e-6), nn.Conv2d(c, k, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(32, k, 1e-6), nn.Conv2d(k, k, 3, padding=1)
        self.shortcut = nn.Conv2d(c, k, 1) if c != k else nn.Identity()

    def forward(self, x):
        y = self.conv1(F.silu(self.norm1(x)))
        return self.shortcut(x) + self.conv2(F.silu(self.norm2(y)))


class _ImageAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.norm, self.enter, self.leave = nn.GroupNorm(32, c, 1e-6), nn.Conv2d(c, 3 * c, 1), nn.Conv2d(c, c, 1)

    def forward(self, x):
        return x + self.leave(_attention(self.enter(self.norm(x))))


class _ImageUp(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1)

    def forward(self, x):
        return self.conv(F.interpolate(x, scale_factor=2.0, mode="nearest"))


class ImageDecoder(nn.Module):
    def __init__(self, widths=(512, 512, 256, 128), blocks=3):
        super().__init__()
        c = widths[0]
        self.enter = nn.Conv2d(LATENT, c, 3, padding=1)
        self.middle = nn.Sequential(_ImageBlock(c, c), _ImageAttention(c), _ImageBlock(c, c))
        levels = []
        for i, k in enumerate(widths):
            levels += [_ImageBlock(c if b == 0 else k, k) for b in range(blocks)]
            levels += [_ImageUp(k)] if i + 1 < len(widths) else []
            c = k
        self.levels = nn.Sequential(*levels)
        self.norm, self.leave = nn.GroupNorm(32, c, 1e-6), nn.Conv2d(c, 3, 3, padding=1)

    def forward(self, x):
        return self.leave(F.silu(self.norm(self.levels(self.middle(self.enter(x))))))


class _CausalConv3d(nn.Conv3d):
    """Sees earlier frames only."""

    def __init__(self, c, k, size):
        super().__init__(c, k, size, padding=(0, size[1] // 2, size[2] // 2))
        self.before = size[0] - 1

    def forward(self, x):
        return super().forward(F.pad(x, (0, 0, 0, 0, self.before, 0)))


class _RmsNorm(nn.Module):
    """Normalizes the channels of each pixel."""

    def __init__(self, c):
        super().__init__()
        self.scale, self.weight = math.sqrt(c), nn.Parameter(torch.ones(c, 1, 1, 1))

    def forward(self, x):
        return F.normalize(x, dim=1) * self.scale * self.weight


class _VideoBlock(nn.Module):
    def __init__(self, c, k):
        super().__init__()
        self.norm1, self.conv1 = _RmsNorm(c), _CausalConv3d(c, k, (3, 3, 3))
        self.norm2, self.conv2 = _RmsNorm(k), _CausalConv3d(k, k, (3, 3, 3))
        self.shortcut = _CausalConv3d(c, k, (1, 1, 1)) if c != k else nn.Identity()

    def forward(self, x):
        y = self.conv1(F.silu(self.norm1(x)))
        return self.shortcut(x) + self.conv2(F.silu(self.norm2(y)))


def _of_frames(layer, x):
    """Applies a layer of images to each frame."""
    n, c, d, h, w = x.shape
    y = layer(x.transpose(1, 2).reshape(n * d, c, h, w))
    return y.view(n, d, *y.shape[1:]).transpose(1, 2)


class _VideoAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.norm, self.enter, self.leave = _RmsNorm(c), nn.Conv2d(c, 3 * c, 1), nn.Conv2d(c, c, 1)

    def forward(self, x):
        return x + _of_frames(lambda y: self.leave(_attention(self.enter(y))), self.norm(x))


class _Doubled(nn.Upsample):
    def forward(self, x):
        return super().forward(x.float()).type_as(x)


class _VideoUp(nn.Module):
    """Half of the channels, twice as many rows and columns; and twice as many frames, except of the first."""

    def __init__(self, c, frames):
        super().__init__()
        self.time = _CausalConv3d(c, 2 * c, (3, 1, 1)) if frames else None
        self.larger = nn.Sequential(_Doubled(scale_factor=(2.0, 2.0), mode="nearest-exact"), nn.Conv2d(c, c // 2, 3, padding=1))

    def forward(self, x):
        if self.time is not None:
            n, c, d, h, w = x.shape
            more = self.time(x[:, :, 1:]).view(n, 2, c, d - 1, h, w)
            x = torch.cat([x[:, :, :1], more.permute(0, 2, 3, 1, 4, 5).reshape(n, c, 2 * (d - 1), h, w)], 2)
        return _of_frames(self.larger, x)


class VideoDecoder(nn.Module):
    def __init__(self, widths=(384, 384, 192, 96), blocks=3):
        super().__init__()
        c = widths[0]
        self.enter = _CausalConv3d(LATENT, c, (3, 3, 3))
        self.middle = nn.Sequential(_VideoBlock(c, c), _VideoAttention(c), _VideoBlock(c, c))
        levels = []
        for i, k in enumerate(widths):
            levels += [_VideoBlock(c if b == 0 else k, k) for b in range(blocks)]
            c = k
            if i + 1 < len(widths):
                levels.append(_VideoUp(k, frames=i < 2))
                c = k // 2
        self.levels = nn.Sequential(*levels)
        self.norm, self.leave = _RmsNorm(c), _CausalConv3d(c, 3, (3, 3, 3))

    def forward(self, x):
        return self.leave(F.silu(self.norm(self.levels(self.middle(self.enter(x))))))


def _stage(c, k, stride):
    layers = []
    for inputs, step in ((c, stride), (k, 1)):
        layers += [nn.Conv3d(inputs, k, 3, step, 1), nn.InstanceNorm3d(k, affine=True), nn.LeakyReLU(0.01, inplace=True)]
    return nn.Sequential(*layers)


class NnUNet(nn.Module):
    def __init__(self, classes, widths=(32, 64, 128, 256, 320, 320)):
        super().__init__()
        self.down = nn.ModuleList(_stage(c, k, 2 if i else 1) for i, (c, k) in enumerate(zip((1, *widths), widths)))
        self.up = nn.ModuleList(nn.ConvTranspose3d(b, a, 2, 2) for a, b in zip(widths, widths[1:]))
        self.joined = nn.ModuleList(_stage(2 * k, k, 1) for k in widths[:-1])
        self.leave = nn.Conv3d(widths[0], classes, 1)

    def forward(self, x):
        kept = []
        for stage in self.down:
            x = stage(x)
            kept.append(x)
        for i in reversed(range(len(self.up))):
            x = self.joined[i](torch.cat([self.up[i](x), kept[i]], 1))
        return self.leave(x)


class _Depthwise(nn.Module):
    """A depthwise convolution, a norm of each channel, and two pointwise ones; in_between: of what is added."""

    def __init__(self, c, k, depthwise, in_between, growth=2):
        super().__init__()
        self.depthwise, self.in_between = depthwise, in_between
        self.norm = nn.GroupNorm(c, c)
        self.wide, self.narrow = nn.Conv3d(c, growth * c, 1), nn.Conv3d(growth * c, k, 1)

    def forward(self, x):
        return self.narrow(F.gelu(self.wide(self.norm(self.depthwise(x))))) + self.in_between(x)


def _same(c):
    return _Depthwise(c, c, nn.Conv3d(c, c, 3, padding=1, groups=c), nn.Identity())


def _smaller(c):
    return _Depthwise(c, 2 * c, nn.Conv3d(c, c, 3, 2, 1, groups=c), nn.Conv3d(c, 2 * c, 1, 2))


def _larger(c):
    return _Depthwise(c, c // 2, nn.ConvTranspose3d(c, c, 3, 2, 1, output_padding=1, groups=c),
                      nn.ConvTranspose3d(c, c // 2, 1, 2, output_padding=1))


class MedNext(nn.Module):
    def __init__(self, classes, channels=32, levels=4, blocks=2):
        super().__init__()
        widths = [channels << i for i in range(levels + 1)]

        def several(c):
            return nn.Sequential(*(_same(c) for _ in range(blocks)))
        self.enter, self.leave = nn.Conv3d(1, channels, 1), nn.ConvTranspose3d(channels, classes, 1)
        self.down = nn.ModuleList(several(c) for c in widths)
        self.smaller = nn.ModuleList(_smaller(c) for c in widths[:-1])
        self.larger = nn.ModuleList(_larger(c) for c in widths[1:])
        self.joined = nn.ModuleList(several(c) for c in widths[:-1])

    def forward(self, x):
        x, kept = self.enter(x), []
        for i, stage in enumerate(self.down):
            x = stage(x if i == 0 else self.smaller[i - 1](x))
            kept.append(x)
        for i in reversed(range(len(self.larger))):
            x = self.joined[i](self.larger[i](x) + kept[i])
        return self.leave(x)


class _Snake(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, c, 1))

    def forward(self, x):
        return x + torch.sin(self.alpha * x).square() / (self.alpha + 1e-9)


class _AudioBlock(nn.Module):
    def __init__(self, c, dilation):
        super().__init__()
        self.layers = nn.Sequential(_Snake(c), nn.Conv1d(c, c, 7, dilation=dilation, padding=3 * dilation), _Snake(c),
                                    nn.Conv1d(c, c, 1))

    def forward(self, x):
        return x + self.layers(x)


class AudioDecoder(nn.Module):
    latent, frames = 1024, 86  # channels, frames a second

    def __init__(self, channels=1536, strides=(8, 8, 4, 2)):
        super().__init__()
        layers, c = [nn.Conv1d(self.latent, channels, 7, padding=3)], channels
        for stride in strides:
            layers += [_Snake(c), nn.ConvTranspose1d(c, c // 2, 2 * stride, stride, padding=stride // 2)]
            c //= 2
            layers += [_AudioBlock(c, dilation) for dilation in (1, 3, 9)]
        self.layers = nn.Sequential(*layers, _Snake(c), nn.Conv1d(c, 1, 7, padding=3), nn.Tanh())

    def forward(self, x):
        return self.layers(x)
