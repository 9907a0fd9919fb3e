"""set_batch_invariant(): an image has the same bits in a batch of any size, and alone, wherever it lies in memory."""
import contextlib
import unittest

import needs_torch  # noqa: F401
import torch

import ck_conv


@contextlib.contextmanager
def batch_invariant():
    ck_conv.set_batch_invariant(True)
    try:
        yield
    finally:
        ck_conv.set_batch_invariant(False)


def layers():
    torch.manual_seed(1)
    return [ck_conv.Conv2d(5, 7, 3, padding=1), ck_conv.Conv2d(16, 24, 1, bias=False), ck_conv.Conv1d(9, 9, 5, groups=9),
            ck_conv.Conv3d(3, 4, 2, stride=2), ck_conv.ConvTranspose2d(6, 5, 3, stride=2),
            ck_conv.Conv2d(64, 32, 3, padding=1, groups=4)]


class BatchInvariant(unittest.TestCase):
    def images(self, layer, n, dtype, memory_format):
        rank = len(layer.kernel_size)
        x = torch.randn(n, layer.in_channels, *(7,) * rank, dtype=dtype)
        return x.to(memory_format=memory_format[rank]) if memory_format else x

    def test_images_alone_have_the_bits_of_the_batch(self):
        last = {1: torch.contiguous_format, 2: torch.channels_last, 3: torch.channels_last_3d}
        with batch_invariant():
            for layer in layers():
                for dtype in (torch.float32, torch.float16):
                    for memory_format in (None, last):
                        layer = layer.to(dtype)
                        x = self.images(layer, 5, dtype, memory_format).requires_grad_()
                        y = layer(x)
                        grad = torch.randn_like(y)
                        dx, = torch.autograd.grad(y, x, grad)
                        for i in range(5):
                            one = x.detach()[i:i + 1].requires_grad_()  # its address is any
                            alone = layer(one)
                            with self.subTest(layer=str(layer), dtype=dtype, last=memory_format is last, image=i):
                                self.assertTrue(torch.equal(alone, y[i:i + 1]))
                                self.assertTrue(torch.equal(torch.autograd.grad(alone, one, grad[i:i + 1])[0],
                                                            dx[i:i + 1]))

    def test_all_batches_have_one_kernel(self):
        spec = dict(type="f16", k=24, c=16, input=(9, 9), filter=(3, 3))
        kernels = {ck_conv.Plan(ck_conv.Spec(n=n, **spec), batch_invariant=True).kernel for n in (1, 3, 32, 100)}
        self.assertEqual(len(kernels), 1)

    def test_gradients_of_weights_are_as_before(self):
        layer = ck_conv.Conv2d(8, 8, 3)
        x = torch.randn(4, 8, 9, 9)
        layer(x).sum().backward()
        before, layer.weight.grad = layer.weight.grad, None
        with batch_invariant():
            layer(x).sum().backward()
        self.assertTrue(torch.equal(layer.weight.grad, before))

    def test_what_is_refused(self):
        spec = ck_conv.Spec(direction="backward_weight", type="f32", n=2, k=3, c=3, input=(5, 5), filter=(3, 3))
        with self.assertRaisesRegex(ck_conv.Refused, "batch_invariant is true, but the direction is backward_weight"):
            ck_conv.Plan(spec, batch_invariant=True)
        spec = ck_conv.Spec([5, 5], [3, 3])
        for wrong in (1, 0, 0., float("nan"), "yes", "", [], [True]):
            with self.assertRaisesRegex(TypeError, "batch_invariant is .*, but must be True or False"):
                ck_conv.Plan(spec, batch_invariant=wrong)
        for wrong in (1, None, "yes"):
            with self.assertRaisesRegex(TypeError, "takes True or False"):
                ck_conv.set_batch_invariant(wrong)
        self.assertFalse(ck_conv.is_batch_invariant())
        with batch_invariant():
            self.assertTrue(ck_conv.is_batch_invariant())
            ck_conv.Plan(spec)  # the setting is not for gradients of weights
            with self.assertRaisesRegex(ck_conv.Refused, "batch_invariant is true|without SQLite"):
                report = ck_conv.tune(ck_conv.Conv2d(3, 3, 3), torch.randn(1, 3, 5, 5))
                raise ck_conv.Refused(report.why)  # only without SQLite


if __name__ == "__main__":
    unittest.main()
