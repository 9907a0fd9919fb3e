#!/usr/bin/python3
"""What docs/fuse.md and docs/group_norm.md show of fuse()."""
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

model = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
report = ck_conv.fuse(model.train().to(memory_format=torch.channels_last), report=True)
print(report.fused)  # {'1': 'ReLU 2'}: what each batch norm computes, too
trained = report.model  # train it, then evaluate it with trained.eval()
inference = ck_conv.fuse(trained.eval())

assert str(report.fused) == "{'1': 'ReLU 2'}"
x = torch.randn(2, 8, 8, 8).contiguous(memory_format=torch.channels_last)
with torch.no_grad():
    torch.testing.assert_close(trained(x), model.eval()(x), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(inference(x), trained(x), rtol=1e-4, atol=1e-5)

block = nn.Sequential(nn.Conv3d(8, 8, 3, padding=1), nn.InstanceNorm3d(8, affine=True), nn.LeakyReLU(0.01, inplace=True))
report = ck_conv.fuse(block.train().to(memory_format=torch.channels_last_3d), report=True)
y = report.model(torch.randn(1, 8, 4, 6, 6).to(memory_format=torch.channels_last_3d))
print(report.fused)  # {'1': 'LeakyReLU 2'}

assert str(report.fused) == "{'1': 'LeakyReLU 2'}"
assert y.is_contiguous(memory_format=torch.channels_last_3d)
