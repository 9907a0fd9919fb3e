#!/usr/bin/python3
"""What docs/video_and_volumes.md shows, and whether what it says of that is so."""
import unittest

from needs_torch import torch

from torch import nn

import ck_conv

image = ck_conv.Spec(type="bf16", k=16, c=16, input=[124, 1282, 722], filter=[1, 3, 3])
plan = ck_conv.Plan(image)  # for the current device; nothing is computed, and no memory is needed
print(plan.explain())

volumes = ck_conv.Spec(type="bf16", layout="channels_first", n=2, k=32, c=32, input=[256, 256, 256],
                       filter=[3, 3, 3], pad_low=1, pad_high=1)
default = ck_conv.Plan(volumes)
no_limit = ck_conv.Plan(volumes, workspace_limit=2**63)
print(default.workspace_size, no_limit.workspace_size)

HOST = ck_conv._c.interface.platform() == "host"
device = "cpu" if HOST else "cuda"
video = torch.randn(1, 8, 12, 4, 5, device=device).contiguous(memory_format=torch.channels_last_3d)
conv = ck_conv.CausalConv3d(8, 8, 3, padding=1, device=device)  # arguments of torch.nn.Conv3d
parts, state = [], None
with torch.no_grad():
    for chunk in video.split(5, dim=2):  # five frames at a time, as they arrive
        y, state = conv.stream(chunk, state)
        parts.append(y)

block = nn.Sequential(nn.GroupNorm(4, 8), nn.SiLU(), nn.Conv3d(8, 8, 3, padding=1))
block = block.to(device, memory_format=torch.channels_last_3d).eval()  # .train() for training
report = ck_conv.fuse(block, report=True)
print(report.fused)  # {'0': 'SiLU 1'}: what each group norm computes, too
y = report.model(video)


class Page(unittest.TestCase):
    def test_large_image(self):
        output, *sizes = image.sizes()
        self.assertEqual(output, (124, 1280, 720))
        self.assertGreater(min(sizes[0], sizes[2]), 2**31)
        self.assertTrue(plan.kernel.startswith("CutImage<"))
        self.assertIn("  cut: each image into 2 pieces, 2 along D: a launch reaches less than 2^31 bytes of an image\n",
                      plan.explain())
        self.assertIn("  launches: 2\n", plan.explain())

    def test_little_memory(self):
        quarter = sum(volumes.sizes()[1:]) // 4
        self.assertLessEqual(default.workspace_size, max(quarter, 2**28))
        if HOST:  # the numbers of the page
            self.assertEqual((default.workspace_size, no_limit.workspace_size), (440457216, 4295022592))
            self.assertIn("  cut: each image into 5 pieces, 5 along D: pieces share a workspace within the limit\n",
                          default.explain())

    def test_stream(self):
        with torch.no_grad():
            self.assertTrue(torch.equal(torch.cat(parts, 2), conv(video)))
        self.assertEqual([part.size(2) for part in parts], [5, 5, 2])

    def test_fused_norm(self):
        self.assertEqual(report.fused, {"0": "SiLU 1"})
        torch.testing.assert_close(y, block(video), rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
