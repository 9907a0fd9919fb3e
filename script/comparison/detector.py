"""A detector of objects in the manner of YOLO (Ultralytics' YOLOv8, the small model): convolutions of 3x3 and 1x1, each with
a batch norm and SiLU; a pyramid of three resolutions; at each, boxes as distributions over 16 distances, and classes. The
widths and depths are published; the weights are random. It returns what precedes the decoding of boxes."""
import torch
from torch import nn
from torch.nn import functional as F

WIDTHS = (32, 64, 128, 256, 512)
BLOCKS = (1, 2, 2, 1)
CLASSES, DISTANCES = 80, 16


def _layer(c, k, size=1, stride=1):
    return nn.Sequential(nn.Conv2d(c, k, size, stride, size // 2, bias=False), nn.BatchNorm2d(k), nn.SiLU())


class _Bottleneck(nn.Module):
    def __init__(self, c, adds):
        super().__init__()
        self.layers, self.adds = nn.Sequential(_layer(c, c, 3), _layer(c, c, 3)), adds

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


class _Stage(nn.Module):
    """Half of the channels pass through the blocks one after the other; all intermediate results are concatenated."""

    def __init__(self, c, k, blocks, adds):
        super().__init__()
        self.first = _layer(c, k)
        self.blocks = nn.ModuleList(_Bottleneck(k // 2, adds) for _ in range(blocks))
        self.last = _layer((2 + blocks) * k // 2, k)

    def forward(self, x):
        parts = list(self.first(x).chunk(2, 1))
        for block in self.blocks:
            parts.append(block(parts[-1]))
        return self.last(torch.cat(parts, 1))


class _PyramidPooling(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.first, self.last = _layer(c, c // 2), _layer(2 * c, c)

    def forward(self, x):
        parts = [self.first(x)]
        for _ in range(3):
            parts.append(F.max_pool2d(parts[-1], 5, 1, 2))
        return self.last(torch.cat(parts, 1))


def _head(c, k, results):
    return nn.Sequential(_layer(c, k, 3), _layer(k, k, 3), nn.Conv2d(k, results, 1))


class Detector(nn.Module):
    """(N, 3, H, W), H and W multiples of 32 -> (N, 4 * 16 + 80, H * W / 64 + H * W / 256 + H * W / 1024)."""

    def __init__(self, widths=WIDTHS, blocks=BLOCKS):
        super().__init__()
        first, *others = widths
        self.first = _layer(3, first, 3, 2)
        self.down = nn.ModuleList(nn.Sequential(_layer(c, k, 3, 2), _Stage(k, k, n, True))
                                  for c, k, n in zip(widths, others, blocks))
        c3, c4, c5 = widths[-3:]
        self.pooling = _PyramidPooling(c5)
        self.up4, self.up3 = _Stage(c4 + c5, c4, blocks[0], False), _Stage(c3 + c4, c3, blocks[0], False)
        self.smaller4, self.down4 = _layer(c3, c3, 3, 2), _Stage(c3 + c4, c4, blocks[0], False)
        self.smaller5, self.down5 = _layer(c4, c4, 3, 2), _Stage(c4 + c5, c5, blocks[0], False)
        boxes, classes = max(16, c3 // 4, 4 * DISTANCES), max(c3, min(CLASSES, 100))
        self.boxes = nn.ModuleList(_head(c, boxes, 4 * DISTANCES) for c in (c3, c4, c5))
        self.classes = nn.ModuleList(_head(c, classes, CLASSES) for c in (c3, c4, c5))

    def forward(self, x):
        levels = [self.first(x)]
        for down in self.down:
            levels.append(down(levels[-1]))
        x3, x4, x5 = levels[-3], levels[-2], self.pooling(levels[-1])
        x4 = self.up4(torch.cat([F.interpolate(x5, scale_factor=2.0), x4], 1))
        x3 = self.up3(torch.cat([F.interpolate(x4, scale_factor=2.0), x3], 1))
        x4 = self.down4(torch.cat([self.smaller4(x3), x4], 1))
        x5 = self.down5(torch.cat([self.smaller5(x4), x5], 1))
        return torch.cat([torch.cat([box(x), kind(x)], 1).flatten(2)
                          for x, box, kind in zip((x3, x4, x5), self.boxes, self.classes)], 2)
