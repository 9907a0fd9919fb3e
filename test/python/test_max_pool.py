#!/usr/bin/python3
"""Max pooling of channels-last tensors by the library, against PyTorch's, alone and in ck_conv.fuse(): equal bits, and gradients
of integers equal as well."""
import copy
import pickle
import random
import unittest
from unittest import mock

import numpy

from needs_torch import integers, torch

import ck_conv
from ck_conv._pool import max_pool
from torch import nn
from torch.nn import functional as F

LAST = {4: torch.channels_last, 5: torch.channels_last_3d}
OURS, THEIRS = {2: max_pool.max_pool2d, 3: max_pool.max_pool3d}, {2: F.max_pool2d, 3: F.max_pool3d}
TYPES = torch.float64, torch.float32, torch.float16, torch.bfloat16


def images(*size, dtype=torch.float32, levels=9):
    """Integers, of which many are equal."""
    return torch.randint(-levels, levels + 1, size).to(dtype).contiguous(memory_format=LAST[len(size)])


class Counted:
    """How many launches of the library there were."""

    def __enter__(self):
        self.forward = self.backward = 0
        own = max_pool.Pool.__init__

        def init(pool, *arguments):
            own(pool, *arguments)
            forward, backward = pool.run_forward, pool.run_backward

            def counted(name, run):
                def call(*given):
                    setattr(self, name, getattr(self, name) + 1)
                    return run(*given)
                return call
            pool.run_forward, pool.run_backward = counted("forward", forward), counted("backward", backward)
        max_pool._pools.clear()
        self.patch = mock.patch.object(max_pool.Pool, "__init__", init)
        self.patch.start()
        return self

    def __exit__(self, *_):
        self.patch.stop()
        max_pool._pools.clear()


class Numbers(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)

    def check(self, x, *arguments, gradient=True, **more):
        rank = x.dim() - 2
        given = [x.detach().clone(memory_format=torch.preserve_format).requires_grad_(gradient) for _ in range(2)]
        with Counted() as called:
            y = OURS[rank](given[0], *arguments, **more)
            right = THEIRS[rank](given[1], *arguments, **more)
            self.assertEqual(y.shape, right.shape)
            self.assertEqual(y.dtype, right.dtype)
            self.assertTrue(y.is_contiguous(memory_format=LAST[x.dim()]))
            self.assertTrue(torch.equal(y, right), f"{x.shape} {arguments} {more}")
            if gradient:
                grad = integers(*y.shape, dtype=x.dtype)
                y.backward(grad)
                right.backward(grad)
                self.assertTrue(torch.equal(given[0].grad, given[1].grad), f"{x.shape} {arguments} {more}")
        self.assertEqual((called.forward, called.backward), (1, int(gradient)))

    def test_common_ones(self):
        for dtype in TYPES[:2] if torch.__version__ < "2" else TYPES:  # PyTorch 1.13 has no max pooling of float16 on CPUs
            for gradient in (False, True):
                self.check(images(2, 16, 9, 11, dtype=dtype), 3, 2, 1, gradient=gradient)
                self.check(images(2, 5, 8, 8, dtype=dtype), 2, gradient=gradient)
                self.check(images(1, 8, 6, 7, dtype=dtype), 5, 1, 2, gradient=gradient)
                self.check(images(1, 8, 4, 6, 5, dtype=dtype), 2, 2, gradient=gradient)

    def test_random_ones(self):
        draw = random.Random(5)
        for _ in range(150):
            rank = draw.choice((2, 3))
            window = [draw.randint(1, 4) for _ in range(rank)]
            dilation = [draw.randint(1, 3) for _ in range(rank)]
            pad = [draw.randint(0, w // 2) for w in window]
            stride = [draw.randint(1, 4) for _ in range(rank)]
            size = [draw.randint(max(2, d, (w - 1) * d + 1 - 2 * p), 12) for w, d, p in zip(window, dilation, pad)]
            self.check(images(draw.randint(1, 2), draw.choice((2, 3, 4, 8, 24)), *size), window, stride, pad, dilation,
                       draw.choice((False, True)), gradient=draw.choice((False, True)))

    def test_argument_forms(self):
        x = images(1, 4, 9, 9)
        self.check(x, (3, 2))
        self.check(x, [3, 2], [2, 1])
        self.check(x, kernel_size=3, stride=2, ceil_mode=True)
        self.check(x, (3,), padding=[1, 1])

    def test_arguments_that_are_equal_to_others(self):
        """To a cache, 2.0 and True are equal to 2 and 1. PyTorch raises, whatever was called before."""
        x = images(1, 4, 9, 9)
        for right in ((2, 2, 0, 1, True), ((2, 2), (1, 1), (1, 1), (1, 1), False), (1, 1, 0, 1, False)):
            with Counted() as called:
                for place in range(5):
                    for change in (float, numpy.float32, bool, str, numpy.array, lambda n: 2 ** 64 + n, lambda n: [[n]]):
                        if place == 4 and change is bool:
                            continue
                        wrong = list(right)
                        wrong[place] = (tuple(map(change, right[place])) if isinstance(right[place], tuple)
                                        else change(right[place]))
                        self.check(x, *right)
                        with self.subTest(wrong=wrong):
                            error = self.raised(F.max_pool2d, x, *wrong)
                            if error is None:  # some of NumPy's in some versions
                                self.assertTrue(torch.equal(max_pool.max_pool2d(x, *wrong), F.max_pool2d(x, *wrong)))
                            else:
                                self.assertIs(self.raised(max_pool.max_pool2d, x, *wrong), error)
                        self.check(x, *right)
                self.assertGreater(called.forward, 50)

    def raised(self, call, *arguments):
        """The class of the exception of the call."""
        try:
            call(*arguments)
        except Exception as error:
            return type(error)

    def test_nan_and_infinities(self):
        x = images(1, 8, 6, 6)
        x[0, :, 1, 1], x[0, 2, :3, :3], x[0, 3, 2, 2] = float("nan"), -float("inf"), float("inf")
        y, right = max_pool.max_pool2d(x, 2), F.max_pool2d(x, 2)
        self.assertTrue(torch.equal(y.isnan(), right.isnan()) and torch.equal(y.nan_to_num(), right.nan_to_num()))

    def test_unaligned_memory(self):
        x = images(1, 8, 6, 6)
        moved = torch.zeros(x.numel() + 1)[1:].as_strided(x.shape, x.stride()).copy_(x)
        self.assertNotEqual(moved.data_ptr() % 16, 0)
        self.assertTrue(torch.equal(max_pool.max_pool2d(moved, 3, 1), F.max_pool2d(x, 3, 1)))

    def test_gradients_of_gradients(self):
        x = torch.randn(2, 3, 5, 6, dtype=torch.float64).contiguous(memory_format=torch.channels_last).requires_grad_()
        with Counted() as called:
            self.assertTrue(torch.autograd.gradgradcheck(lambda x: max_pool.max_pool2d(x, 3, 2, 1).square(), (x,)))
            self.assertGreater(called.forward, 0)
        volume = torch.randn(1, 2, 3, 4, 5, dtype=torch.float64).contiguous(memory_format=LAST[5]).requires_grad_()
        self.assertTrue(torch.autograd.gradcheck(lambda x: max_pool.max_pool3d(x, 2, 1, dilation=(1, 2, 1)), (volume,)))

    def test_gradient_of_other_strides(self):
        x = images(2, 4, 6, 6).requires_grad_()
        y = max_pool.max_pool2d(x, 2)
        grad = integers(2, 4, 3, 3, dtype=torch.float32)  # channels first
        for given in (grad, grad.sum().expand(2, 4, 3, 3)):
            found, = torch.autograd.grad(y, x, given, retain_graph=True)
            right, = torch.autograd.grad(F.max_pool2d(x, 2), x, given)
            self.assertTrue(torch.equal(found, right))

    def test_keeps_a_byte_for_each_result(self):
        x = images(1, 16, 64, 64).requires_grad_()
        kept = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
            y = max_pool.max_pool2d(x, 2)
        self.assertEqual([(t.dtype, t.numel()) for t in kept], [(torch.uint8, y.numel())])

    def test_writing_to_the_input_does_not_change_the_gradient(self):
        x = images(1, 4, 6, 6).requires_grad_()
        right, = torch.autograd.grad(F.max_pool2d(x, 2).sum(), x)
        changed = x * 1
        y = max_pool.max_pool2d(changed, 2)
        changed.mul_(-1)
        found, = torch.autograd.grad(y.sum(), x)
        self.assertTrue(torch.equal(found, right))

    def test_left_to_pytorch(self):
        x = images(2, 4, 9, 9)
        with Counted() as called:
            for given in (x.contiguous(), x[:, :2], x[:, :, ::2], images(2, 1, 9, 9).contiguous(), x.to(torch.int32), x[:0]):
                try:
                    right = F.max_pool2d(given, 2)
                except RuntimeError:  # PyTorch 1.13: integers
                    continue
                y = max_pool.max_pool2d(given, 2)
                self.assertTrue(torch.equal(y, right) and y.stride() == right.stride())
            wide = images(1, 4, 20, 20).requires_grad_()
            self.assertTrue(torch.equal(max_pool.max_pool2d(wide, 17), F.max_pool2d(wide, 17)))
            torch.jit.trace(lambda x: max_pool.max_pool2d(x, 2), x, check_trace=False)
            self.assertEqual(called.forward, 0)
        with self.assertRaisesRegex(RuntimeError, "pad"):  # what PyTorch says
            max_pool.max_pool2d(x, 2, padding=2)

    def test_functional_transforms(self):
        if torch.__version__ < "2":
            return
        x = images(3, 2, 4, 6, 6)
        self.assertTrue(torch.equal(torch.func.vmap(lambda x: max_pool.max_pool2d(x, 2))(x),
                                    torch.func.vmap(lambda x: F.max_pool2d(x, 2))(x)))
        y, tangent = torch.func.jvp(lambda x: max_pool.max_pool2d(x, 2), (x[0],), (x[1],))
        self.assertTrue(torch.equal(tangent, torch.func.jvp(lambda x: F.max_pool2d(x, 2), (x[0],), (x[1],))[1]))


class Net(nn.Module):
    """Pools as modules and as functions."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.pool = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.MaxPool2d(3, 2, 1)
        self.second = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x):
        x = self.pool(torch.relu(self.norm(self.first(x))))
        return F.max_pool2d(torch.max_pool2d(torch.relu(self.second(x)), 2, 1), kernel_size=2, stride=2)


def net():
    torch.manual_seed(7)
    model = Net().to(memory_format=torch.channels_last)
    return model, torch.randn(2, 3, 14, 14).contiguous(memory_format=torch.channels_last)


class Networks(unittest.TestCase):
    def test_inference(self):
        model, x = net()
        model.eval()
        for given, like in ((model, x), (copy.deepcopy(model).to(memory_format=torch.contiguous_format), x.contiguous())):
            fused = ck_conv.fuse(given)
            self.assertIsInstance(fused.pool, max_pool.MaxPool2d)
            with Counted() as called, torch.no_grad():
                y = fused(like)
                self.assertEqual(called.forward, 3)
            torch.testing.assert_close(y, model(x), rtol=1e-4, atol=1e-5)

    def test_training(self):
        model, x = net()
        fused = ck_conv.fuse(model)
        with Counted() as called:
            fused(x).square().sum().backward()
            self.assertEqual((called.forward, called.backward), (3, 3))
        model(x).square().sum().backward()
        for (name, ours), (_, theirs) in zip(fused.named_parameters(), model.named_parameters()):
            torch.testing.assert_close(ours.grad, theirs.grad, rtol=2e-3, atol=2e-3, msg=name)
        self.assertEqual([name for name, _ in fused.named_modules()], [name for name, _ in model.named_modules()])

    def test_training_without_norms(self):
        class Plain(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 4, 3)

            def forward(self, x):
                return F.max_pool2d(self.conv(x), 2)

        model = Plain().to(memory_format=torch.channels_last)
        x = torch.randn(2, 3, 8, 8).contiguous(memory_format=torch.channels_last)
        with Counted() as called:
            y = ck_conv.fuse(model)(x)
            y.sum().backward()
        self.assertEqual((called.forward, called.backward), (1, 1))
        torch.testing.assert_close(y, model(x), rtol=1e-4, atol=1e-5)

    def test_the_model_keeps_its_own(self):
        model, _ = net()
        ck_conv.fuse(model.eval())
        self.assertIs(type(model.pool), nn.MaxPool2d)

    def test_again_copied_and_pickled(self):
        model, x = net()
        trained = ck_conv.fuse(model)
        for fused in (ck_conv.fuse(trained.eval()), copy.deepcopy(ck_conv.fuse(model.eval())),
                      pickle.loads(pickle.dumps(ck_conv.fuse(model.eval())))):
            with Counted() as called, torch.no_grad():
                torch.testing.assert_close(fused(x), model(x), rtol=1e-4, atol=1e-5)
                self.assertEqual(called.forward, 3)

    def test_hooks_and_indices_stay(self):
        class WithIndices(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv, self.pool = nn.Conv2d(3, 4, 3), nn.MaxPool2d(2, return_indices=True)

            def forward(self, x):
                x, places = self.pool(self.conv(x))
                return x, F.max_pool2d(x, 2, return_indices=True)[1], places

        model = WithIndices().to(memory_format=torch.channels_last).eval()
        x = torch.randn(1, 3, 12, 12).contiguous(memory_format=torch.channels_last)
        for a, b in zip(ck_conv.fuse(model)(x), model(x)):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
        model, x = net()
        seen = []
        model.eval().pool.register_forward_hook(lambda *_: seen.append(1))
        ck_conv.fuse(model)(x)
        self.assertEqual(seen, [1])

    def test_subclasses_keep_their_forward(self):
        class Doubled(nn.MaxPool2d):
            def forward(self, x):
                return 2 * super().forward(x)

        model = nn.Sequential(nn.Conv2d(3, 4, 3), Doubled(2), nn.Conv2d(4, 4, 1)).to(memory_format=torch.channels_last).eval()
        x = torch.randn(1, 3, 8, 8).contiguous(memory_format=torch.channels_last)
        torch.testing.assert_close(ck_conv.fuse(model)(x), model(x), rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
