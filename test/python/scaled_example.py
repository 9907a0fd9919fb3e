#!/usr/bin/python3
"""What docs/python.md shows of eight-bit floats with scales."""
import torch
import ck_conv

x, w, dy = torch.randn(2, 64, 14, 14), torch.randn(128, 64, 3, 3), torch.randn(2, 128, 14, 14)


def quantized(tensor, dtype):
    """The tensor in eight bits, and its scale."""
    scale = tensor.abs().max() / torch.finfo(dtype).max
    return (tensor / scale).to(dtype), scale


(x8, x_scale), (w8, w_scale) = (quantized(tensor, torch.float8_e4m3fn) for tensor in (x, w))
dy8, dy_scale = quantized(dy, torch.float8_e5m2)
y, amax = ck_conv.scaled_conv(x8, w8, x_scale, w_scale, padding=1, activation="relu", amax=True)  # bfloat16
dx = ck_conv.scaled_conv_input(x.shape, w8, dy8, w_scale, dy_scale, padding=1)
dw = ck_conv.scaled_conv_weight(x8, w.shape, dy8, x_scale, dy_scale, padding=1)  # float32
print(y.dtype, amax.item() >= y.max().item() / 1.01, dx.shape, dw.dtype)
