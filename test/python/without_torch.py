#!/usr/bin/python3
"""What docs/python.md shows."""
import array
import ck_conv

x, w, y = (array.array("f", [1] * n) for n in (5 * 2, 2 * 3 * 2, 5 * 2))
spec = ck_conv.Spec(input=[5], filter=[3], k=2, c=2, pad_low=1, pad_high=1)  # fields of ck/conv.h
plan = ck_conv.Plan(spec)
plan.run(x, w, y, workspace=bytearray(plan.workspace_size) or None)
print(plan.kernel, y.tolist())
