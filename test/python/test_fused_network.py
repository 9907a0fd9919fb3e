#!/usr/bin/python3
"""What docs/python.md shows of fuse()."""
import needs_torch

import torch
from torch import nn
import ck_conv

block = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
report = ck_conv.fuse(block.eval(), report=True)
with torch.no_grad():
    y = report.model(torch.randn(1, 8, 8, 8))
print(report.fused)  # {'0': 'BatchNorm2d 1, ReLU 2'}: what each convolution computes, too

assert str(report.fused) == "{'0': 'BatchNorm2d 1, ReLU 2'}"
assert y.min() == 0 < y.max()
