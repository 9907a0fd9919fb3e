#!/usr/bin/python3
"""What docs/python.md shows of quantized convolutions."""
import ck_conv
import numpy

x, w = numpy.full((1, 8, 8, 16), 130, "uint8"), numpy.full((4, 3, 3, 16), -3, "int8")  # NHWC, KYXC
bias, scale = numpy.full(4, 1000, "int32"), numpy.full(4, 2 ** -4, "float32")
y = numpy.empty((1, 8, 8, 4), "uint8")
spec = ck_conv.Spec(input=[8, 8], filter=[3, 3], k=4, c=16, pad_low=1, pad_high=1, type="u8", w_type="i8",
                    quantized=True, x_zero_point=128, y_zero_point=3, channel_scale=True, bias=True, activation="relu")
plan = ck_conv.Plan(spec)
plan.run(x, w, y, bias=bias, scale=scale, workspace=bytearray(plan.workspace_size))
print(y[0, 0, 0], y[0, 4, 4])  # [41 41 41 41] [11 11 11 11]: padding is 128
