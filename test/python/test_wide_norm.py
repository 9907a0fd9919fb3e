#!/usr/bin/python3
"""RMS norms that normalise an input of 16 bits in float32, as those of diffusers' Wan autoencoder."""
import copy
import unittest
from unittest import mock

from needs_torch import torch

import ck_conv
from ck_conv._norm import found as module_found
from ck_conv._norm.found import Found, found
from ck_conv._norm.row_norm import FusedRowNorm, fuse_row_norm
from test_batch_norm import far, rows
from test_group_norm import FORWARD, Counted
from test_row_norm import RmsNorm
from torch import nn
from torch.nn import functional as F


class WideRmsNorm(RmsNorm):
    """As those of diffusers 0.42: x of 16 bits is normalised in float32."""

    def normalized(self, x):
        wide = x.dtype in (torch.float16, torch.bfloat16) or any(t in str(x.dtype) for t in ("float4_", "float8_"))
        return F.normalize(x.float() if wide else x, dim=(1 if self.channel_first else -1)).to(x.dtype)

    def forward(self, x):
        return self.normalized(x) * self.scale * self.gamma + self.bias


class Wide(unittest.TestCase):
    def test_what_is_found(self):
        for norm, right in ((WideRmsNorm(6), Found("l2_wide", "gamma", None, 1e-12)),
                            (WideRmsNorm(6, bias=True, images=False), Found("l2_wide", "gamma", "bias", 1e-12)),
                            (WideRmsNorm(6, False), Found("l2_wide_last", "gamma", None, 1e-12))):
            self.assertEqual(found(norm), right)

    def test_what_is_nearly_a_wide_norm_is_left(self):
        class OfOneType(WideRmsNorm):
            def normalized(self, x):
                return F.normalize(x.float() if x.dtype is torch.float16 else x, dim=1).to(x.dtype)

        class Wider(WideRmsNorm):
            def normalized(self, x):
                return F.normalize(x.float() if x.dtype in (torch.float16, torch.bfloat16) else x, dim=1)

        class InHalf(WideRmsNorm):
            def normalized(self, x):
                return F.normalize(x.half() if x.dtype in (torch.float16, torch.bfloat16) else x, dim=1).to(x.dtype)

        class OfTheMode(WideRmsNorm):
            def normalized(self, x):
                return super().normalized(x) if self.training else x.to(x.dtype)

        for norm in (OfOneType(6), Wider(6), InHalf(6), OfTheMode(6).eval(), OfTheMode(6)):
            self.assertIsNone(found(norm), type(norm).__name__)

    def test_equal_norms_are_traced_once(self):
        class OfRank(WideRmsNorm):
            _power = 2.

            def normalized(self, x):
                return super().normalized(x) if self._power == 2 else F.normalize(x, self._power, 1)

        class Conv(nn.Conv2d):
            def forward(self, x):
                return super().forward(F.pad(x, (1, 1, 1, 1)))

        def parts(*norms):
            norms = nn.Sequential(nn.Conv2d(3, 6, 1), Conv(6, 6, 3), *norms)
            norms[-1]._power = 1.
            return norms.eval()

        model = parts(*(OfRank(6) for _ in range(6)))
        with mock.patch.object(module_found, "_found", side_effect=module_found._found) as traced:
            report = ck_conv.fuse(model, report=True)
        self.assertEqual([isinstance(report.model.get_submodule(f"{i}"), FusedRowNorm) for i in range(2, 8)], [True] * 5 + [False])
        self.assertEqual(traced.call_count, 2)  # of five equal ones, and of the last
        x = rows(2, 3, 5, 6, dtype=torch.float32)
        with torch.no_grad():
            torch.testing.assert_close(report.model(x), model(x))

    def test_a_wide_norm_computes_the_same(self):
        """Also where PyTorch computes it, and zero pixels stay zero."""
        for norm, last in ((WideRmsNorm(6), False), (WideRmsNorm(6, bias=True), False), (WideRmsNorm(6, False), True)):
            with torch.no_grad():
                norm.gamma.uniform_(.5, 2)
            for dtype in (torch.bfloat16, torch.float16, torch.float32, torch.float64):
                own = copy.deepcopy(norm).to(dtype).eval()
                x = (torch.randn(2, 5, 6) if last else rows(2, 6, 5, 3, dtype=torch.float32)).to(dtype)
                x[0, :2] = 0
                x = x if last else x.contiguous(memory_format=torch.channels_last)
                fused = copy.deepcopy(own)
                self.assertIsNone(fuse_row_norm(fused))
                with torch.no_grad(), Counted() as called:
                    y = fused(x)
                    self.assertEqual((called.count(FORWARD), y.dtype), (1, dtype))
                    exact, its = copy.deepcopy(own).double()(x.double()), own(x)
                    self.assertLessEqual(far(y, exact), max(far(its, exact), 1e-6))
                    self.assertTrue(bool((y[x == 0] == exact[x == 0].to(dtype)).all()))
                    given = x.transpose(0, 1) if last else x.contiguous()  # PyTorch's
                    torch.testing.assert_close(fused(given), own(given))


if __name__ == "__main__":
    unittest.main()
