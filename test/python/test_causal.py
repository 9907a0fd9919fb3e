#!/usr/bin/python3
"""ck_conv's causal convolutions: compared with PyTorch's on a padded input, and chunk by chunk with themselves, bit for bit."""
import contextlib
import copy
import pickle
import random
import re
import unittest
import warnings
from unittest import mock

from needs_torch import integers, torch

import ck_conv
from ck_conv._c import interface as library
from ck_conv._conv import causal
from torch import nn
from torch.nn import functional as F

LENGTH = 11
TYPES = (torch.float32, torch.bfloat16)
# rank, channels in and out, filter, stride, dilation, groups
CASES = [
    (1, 8, 16, 4, 2, 1, 1),
    (1, 16, 16, 4, 1, 1, 16),
    (1, 3, 5, 3, 3, 2, 1),
    (1, 6, 6, 5, 1, 2, 6),
    (2, 4, 8, (2, 3), (2, 1), (2, 1), 2),
    (3, 8, 8, 3, 1, 1, 1),
    (3, 4, 6, (3, 1, 2), (2, 1, 1), 1, 2),
    (3, 8, 8, (2, 3, 3), 1, (3, 1, 1), 8),
]
CHUNKS = ([1] * LENGTH, [3, 3, 3, 2], [9, 2], [1, 0, 10])


def module_of(case, **more):
    rank, channels, k, *rest = case
    filter_, stride, dilation, groups = rest
    return getattr(ck_conv, f"CausalConv{rank}d")(channels, k, filter_, stride, min(rank - 1, 1), dilation, groups, **more)


def input_of(module, images=2, length=LENGTH, channels_last=False):
    x = torch.randn(images, module.in_channels, length, *(5, 4)[:module._rank - 1]).to(module.weight.dtype)
    if not channels_last:
        return x
    if module._rank == 1:
        return x.transpose(1, 2).contiguous().transpose(1, 2)
    return x.to(memory_format=(torch.channels_last, torch.channels_last_3d)[module._rank - 2])


def torchs(module, x, weight=None, bias=None):
    """The same by PyTorch, from a padded copy."""
    weight, bias = (module.weight, module.bias) if weight is None else (weight, bias)
    other = 0 if module._rank == 1 else module.padding[-1]
    pads = [other] * (2 * (module._rank - 1)) + [(module.kernel_size[0] - 1) * module.dilation[0], 0]
    return getattr(F, f"conv{module._rank}d")(F.pad(x, pads), weight, bias, module.stride, 0, module.dilation, module.groups)


def streamed(module, x, sizes):
    ys, state, at = [], None, 0
    for size in sizes:
        y, state = module.stream(x[:, :, at:at + size], state)
        ys.append(y)
        at += size
    assert at == x.size(2)
    return torch.cat(ys, 2), state


def text_of(handle, what):
    """The text of a plan: its "kernel" or "explain"."""
    text = library.c_char_p()
    library.check(getattr(library.library(), f"ck_conv_causal_plan_{what}")(handle, text))
    return text.value.decode()


@contextlib.contextmanager
def strict():
    """No gradients and no warnings."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("error")
        yield


class Causal(unittest.TestCase):
    def test_whole_sequences_are_torchs_of_a_padded_input(self):
        for case in CASES:
            module = module_of(case, dtype=torch.float64)
            x = input_of(module)
            with strict():
                torch.testing.assert_close(module(x), torchs(module, x), msg=str(case))
            torch.testing.assert_close(module(x), torchs(module, x), msg=f"{case} with gradients")
            torch.testing.assert_close(module(x[0]), torchs(module, x)[0], msg=f"{case} without images")

    def test_chunks_are_the_whole_sequence_to_the_bit(self):
        for case in CASES:
            for dtype in TYPES:
                for channels_last in (False, True):
                    module = module_of(case, dtype=dtype)
                    x = input_of(module, channels_last=channels_last)
                    with strict():
                        whole = module(x)
                        for sizes in CHUNKS:
                            y, state = streamed(module, x, sizes)
                            self.assertTrue(torch.equal(y, whole), (case, dtype, channels_last, sizes))
                            reach = module.frames
                            padded = F.pad(x.float(), [0, 0] * (module._rank - 1) + [reach, 0])
                            self.assertTrue(torch.equal(state.frames.float(), padded[:, :, LENGTH:]), (case, sizes))

    def test_chunks_that_something_observes(self):
        """As in compiled code: by PyTorch's operators, with the same numbers."""
        for i, case in enumerate(CASES):
            module = module_of(case, dtype=torch.float64, bias=i % 2 == 0)
            x, sizes = input_of(module, images=1), CHUNKS[i % len(CHUNKS)]
            with strict():
                expected, end = streamed(module, x, sizes)
                with mock.patch.object(type(module), "_is_plain", lambda *_: False):
                    y, state = streamed(module, x, sizes)
            torch.testing.assert_close(y, expected, msg=str((case, sizes)))
            self.assertTrue(torch.equal(state.frames, end.frames))
            self.assertEqual(state.skip, end.skip)

    def test_alignment_of_frames(self):
        """The largest power of two that divides the bytes of a frame of the input and of the result, at most 16."""
        for channels, k, width, dtype, channels_last, expected in (
                (3, 5, None, torch.float32, False, 4), (3, 6, None, torch.float32, True, 4), (4, 8, None, torch.bfloat16, True, 8),
                (4, 6, None, torch.bfloat16, True, 4), (2, 3, 6, torch.float32, False, 8), (2, 3, 5, torch.bfloat16, False, 2),
                (8, 16, 3, torch.bfloat16, True, 16), (64, 64, 4, torch.float32, True, 16), (3, 2, 4, torch.float32, True, 16),
                (3, 2, 2, torch.bfloat16, True, 4), (1, 2, 8, torch.bfloat16, False, 16)):
            rank = 1 if width is None else 2
            module = getattr(ck_conv, f"CausalConv{rank}d")(channels, k, (2, 3)[:rank], 1, rank - 1, bias=False, dtype=dtype)
            x = torch.zeros(1, channels, 4, *[width] * (rank - 1), dtype=dtype)
            if channels_last:
                x = x.movedim(1, -1).contiguous().movedim(-1, 1)
            causal._plans.clear()
            with strict(), mock.patch.object(causal, "_plan", wraps=causal._plan) as plan:
                module.stream(x)
            self.assertEqual((plan.call_args.args[4], plan.call_args.args[5]), (channels_last, expected))

    def test_layers_without_a_bias(self):
        for case in CASES:
            module = module_of(case, bias=False)
            x = input_of(module)
            with strict():
                whole = module(x)
                torch.testing.assert_close(whole, torchs(module, x), msg=str(case))
                self.assertTrue(torch.equal(streamed(module, x, CHUNKS[1])[0], whole), case)

    def test_single_pixels_and_patches(self):
        """Kernels take one pixel for channels last, and add up patches in another order if they have no pads."""
        for channels, k, filter_, stride, dtype, channels_last, images, sizes in (
                (1, 8, 3, 1, torch.float16, False, 2, [1, 5, 1, 2, 8]), (3, 6, 5, 2, torch.float32, False, 3, [1, 8]),
                (2, 2, 1, 1, torch.float64, False, 1, [2, 1, 1, 8, 1]), (5, 4, 3, 3, torch.float32, True, 3, [3, 3]),
                (3, 8, 2, 2, torch.float64, True, 1, [0, 1, 5, 2, 1, 2, 5, 3]),
                (8, 6, 2, 2, torch.float64, True, 3, [2, 3, 3, 1, 2, 6]), (4, 1, 2, 2, torch.float16, False, 2, [3, 1, 1, 8])):
            for chunk in (None, 1):
                module = ck_conv.CausalConv1d(channels, k, filter_, stride, dtype=dtype, chunk=chunk)
                x = input_of(module, images, sum(sizes), channels_last)
                with strict():
                    whole = module(x)
                    y, _ = streamed(module, x, sizes)
                    self.assertTrue(torch.equal(y, whole), (channels, k, filter_, stride, dtype))
                    self.assertTrue(channels_last or all(t.is_contiguous() for t in (whole, module.stream(x[:, :, :1])[0])))
                exact = torchs(module, x.double(), module.weight.double(), module.bias.double())
                torch.testing.assert_close(whole.double(), exact, rtol=1e-2, atol=1e-2)

    def test_random_chunks(self):
        """As above, of many small problems, the same in each run."""
        draw = random.Random(3)
        for number in range(60):
            rank, groups = draw.choice((1, 1, 2, 3)), draw.choice((1, 1, 2, 3))
            several = [draw.choice((1, 2, 3, 5)), *(draw.choice((1, 2)) for _ in range(rank - 1))]  # a filter
            stride, dilation = ([draw.choice((1, 1, 2, 3)), *(draw.choice((1, 2)) for _ in range(rank - 1))] for _ in "sd")
            if draw.random() < .2:  # patches
                stride[0], dilation[0] = several[0], 1
            module = getattr(ck_conv, f"CausalConv{rank}d")(
                groups * draw.choice((1, 2, 3, 8)), groups * draw.choice((1, 2, 4, 8)), tuple(several), tuple(stride),
                min(rank - 1, 1), tuple(dilation), groups, draw.random() < .7, chunk=draw.choice((None, 1, 4)),
                dtype=draw.choice((torch.float64, torch.float32, torch.float16, torch.bfloat16)))
            sizes = [draw.choice((0, 1, 1, 2, 3, 5)) for _ in range(6)] + [1]
            x = input_of(module, draw.choice((1, 2, 3)), sum(sizes), draw.random() < .5)
            with strict():
                self.assertTrue(torch.equal(streamed(module, x, sizes)[0], module(x)), (number, module, x.stride(), sizes))

    def test_each_order_of_calls_gives_the_same_bits(self):
        module = module_of(CASES[5])
        x = input_of(module, 1)
        results = []
        for chunks_first in (False, True):
            ck_conv.set_workspace_limit(library._limit)  # forgets plans
            with strict():
                if chunks_first:
                    results.append(streamed(module, x, [1] * LENGTH)[0])
                results.append(module(x))
        for y in results[1:]:
            self.assertTrue(torch.equal(y, results[0]))

    def test_one_kernel_computes_everything(self):
        named = []
        for case in (CASES[1], CASES[5]):
            module = module_of(case, dtype=torch.bfloat16)
            x = input_of(module, channels_last=True)
            ck_conv.set_workspace_limit(library._limit)
            with strict():
                module(x)
                streamed(module, x, [4, 1, 6])
            names = {text_of(handle, "kernel") for handle, *_ in causal._plans.values()}
            self.assertEqual(len(names), 1, names)
            self.assertGreaterEqual(len(causal._plans), 3)
            named += names
        self.assertEqual(len(named), 2)

    def test_chunks_have_the_layout_of_their_stream(self):
        """A single sample of 1D has strides that say little."""
        for case, contiguous in ((CASES[1], False), (CASES[1], True), ((1, 4, 4, 1, 1, 1, 1), False), (CASES[5], False)):
            module = module_of(case)
            x = input_of(module, 2, 4, channels_last=True)
            ck_conv.set_workspace_limit(library._limit)
            with strict():
                whole, (y, state) = module(x), module.stream(x[:, :, :2])
                for at in (2, 3):
                    frame = x[:, :, at:at + 1]
                    y, state = module.stream(frame.contiguous() if contiguous else frame, state)
                    self.assertTrue(torch.equal(y, whole[:, :, at:at + 1]))
            self.assertEqual({key[3] for key in causal._plans}, {True}, case)

    def test_large_chunks_are_read_in_place(self):
        """What is copied is a few frames, whatever the chunk's length."""
        for images, channels_last in ((1, False), (1, True), (2, False), (2, True)):
            module = module_of(CASES[5])
            x = input_of(module, images, 40, channels_last)
            ck_conv.set_workspace_limit(library._limit)
            read, pack = [], library.pack_causal_tensors
            with mock.patch.object(library, "pack_causal_tensors", lambda *at: (read.append(at[0]), pack(*at))[1]), strict():
                _, state = module.stream(x[:, :, :20])
                module.stream(x[:, :, 20:], state)
            self.assertEqual(read, [x.data_ptr(), x[:, :, 20:].data_ptr()])
            first, second = (text_of(handle, "explain") for handle, *_ in causal._plans.values())
            self.assertIn("  outputs 0 to 19: from the chunk, in place\n  workspace: ", first)
            self.assertIn("  outputs 0 to 1: from a copy of 2 cached and 2 new frames\n"
                          "  outputs 2 to 19: from the chunk, in place\n", second)

    def test_the_state_is_a_copy(self):
        module = module_of(CASES[0])
        x = input_of(module)
        with strict():
            whole, first = module(x), x[:, :, :7].clone()
            _, state = module.stream(first)
            first.fill_(float("nan"))
            y, _ = module.stream(x[:, :, 7:], state)
            self.assertTrue(torch.equal(y, whole[:, :, -y.size(2):]))
            again, _ = module.stream(x[:, :, 7:], state)  # a state can be used again
            self.assertTrue(torch.equal(y, again))

    def test_a_first_state_of_other_frames(self):
        """For example those of autoencoders whose first frame is repeated."""
        module = module_of((3, 4, 4, 3, 1, 1, 1))
        x = input_of(module, 1)
        with strict():
            state = ck_conv.CausalState(x[:, :, :1].expand(-1, -1, module.frames, -1, -1))
            y, _ = module.stream(x, state)
            repeated = torch.cat([x[:, :, :1]] * module.frames + [x], 2)
            torch.testing.assert_close(y, F.conv3d(repeated, module.weight, module.bias, padding=(0, 1, 1)))

    def test_one_step_decode_of_a_depthwise_filter(self):
        for dtype in TYPES:
            module = ck_conv.CausalConv1d(32, 32, 4, groups=32, dtype=dtype, chunk=1)
            x = input_of(module, 3)
            with strict():
                torch.testing.assert_close(module(x).float(), torchs(module, x).float(), rtol=2e-2, atol=2e-2)
                self.assertTrue(torch.equal(streamed(module, x, [1] * LENGTH)[0], module(x)))

    def test_gradients_are_torchs(self):
        for case in CASES:
            module = module_of(case, dtype=torch.float64)
            with torch.no_grad():
                module.weight.copy_(integers(*module.weight.shape))
                module.bias.copy_(integers(*module.bias.shape))
            size = input_of(module).shape
            mine, other = (integers(*size).requires_grad_() for _ in range(2))
            with torch.no_grad():
                other.copy_(mine)
            y, expected = module(mine), torchs(module, other)
            grad = integers(*y.shape)
            for a, b in zip(torch.autograd.grad(y, (mine, *module.parameters()), grad),
                            torch.autograd.grad(expected, (other, *module.parameters()), grad)):
                self.assertTrue(torch.equal(a, b), case)
        small = module_of((2, 2, 2, 2, 1, 1, 1), dtype=torch.float64)
        x = torch.randn(1, 2, 3, 3, dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradgradcheck(
            lambda x, w, b: ck_conv.causal_conv2d(x, w, b, padding=1), (x, small.weight, small.bias)))

    def test_padding_is_of_the_other_dimensions(self):
        for padding, others in ((0, (0, 0)), (1, (1, 1)), ((0, 1, 2), (1, 2)), ((1, 2), (1, 2)), ([0, 0, 1], (0, 1)),
                                ("same", (1, 1)), ("valid", (0, 0))):
            module = ck_conv.CausalConv3d(2, 3, 3, padding=padding)
            x = torch.randn(1, 2, 4, 5, 6)
            expected = F.conv3d(F.pad(x, (others[1],) * 2 + (others[0],) * 2 + (2, 0)), module.weight, module.bias)
            torch.testing.assert_close(module(x), expected, msg=str(padding))
            torch.testing.assert_close(module._conv_forward(x, module.weight, module.bias), expected, msg=str(padding))
            with torch.no_grad(), mock.patch.object(type(module), "_is_plain", lambda *_: False):  # as in compiled code
                torch.testing.assert_close(streamed(module, x, [1, 3])[0], expected, msg=str(padding))
        for padding in (0, (0,), "same", "valid"):
            self.assertEqual(ck_conv.CausalConv1d(2, 3, 3, padding=padding)(torch.ones(1, 2, 4)).shape, (1, 3, 4))

    def test_autocast(self):
        module, x = module_of(CASES[5]), input_of(module_of(CASES[5]))
        with strict(), torch.autocast("cpu", torch.bfloat16):
            whole = module(x)
            self.assertEqual(whole.dtype, torch.bfloat16)
            y, state = streamed(module, x, [4, 7])
            self.assertTrue(torch.equal(y, whole))
            self.assertEqual(state.frames.dtype, torch.bfloat16)
        with torch.autocast("cpu", torch.bfloat16):
            self.assertEqual(module(x).dtype, torch.bfloat16)

    def test_states_under_autocast(self):
        """Each chunk takes the state of the one before: also of an empty chunk, and one from outside of autocast."""
        module = module_of(CASES[5])
        x = input_of(module)
        with strict():
            _, outside = module.stream(x[:, :, :4])
            with torch.autocast("cpu", torch.bfloat16):
                whole = module(x)
                for sizes in ([0, 4, 7], [4, 0, 7], [1] * LENGTH):
                    y, state = streamed(module, x, sizes)
                    self.assertTrue(torch.equal(y, whole), sizes)
                    self.assertEqual(state.frames.dtype, torch.bfloat16)
                y, state = module.stream(x[:, :, 4:], outside)
                self.assertTrue(torch.equal(y, whole[:, :, 4:]))
                empty, _ = module.stream(x[:, :, :0])
                self.assertEqual(empty.dtype, torch.bfloat16)
            with self.assertRaisesRegex(TypeError, "frames of the state are torch.bfloat16 on cpu, but the input is"):
                module.stream(x, state)

    def test_views_of_longer_tensors(self):
        for channels_last in (False, True):
            module = module_of(CASES[5], dtype=torch.bfloat16)
            x = input_of(module, 2, 2 * LENGTH, channels_last)
            views = x[:, :, 3:3 + LENGTH], x[:, :, ::2], x.flip(2)[:, :, :LENGTH], x[..., 1:, 1:][:, :, :LENGTH]
            with strict():
                for view in views:
                    self.assertTrue(torch.equal(streamed(module, view, [6, 5])[0], module(view.clone())))

    def test_it_is_a_module_like_torchs(self):
        module = module_of(CASES[5])
        plain = nn.Conv3d(8, 8, 3, padding=1)
        module.load_state_dict(plain.state_dict())
        x = input_of(module)
        for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
            self.assertTrue(torch.equal(other(x), module(x)))
        self.assertIsInstance(module, nn.Conv3d)
        self.assertIs(ck_conv.replace(nn.Sequential(module))[0], module)
        self.assertIs(type(module), ck_conv.CausalConv3d)
        chain = nn.Sequential(copy.deepcopy(module), nn.ReLU()).eval()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fused = ck_conv.fuse(chain)
        with torch.no_grad():
            torch.testing.assert_close(fused(x), torchs(module, x).relu())
        scripted = torch.jit.script(copy.deepcopy(module))
        torch.testing.assert_close(scripted(x), module(x))

    @unittest.skipIf(torch.__version__.startswith("1."), "torch.compile needs PyTorch 2")
    def test_compiled(self):
        module = module_of(CASES[0])
        x = input_of(module)
        torch.testing.assert_close(torch.compile(module, backend="aot_eager")(x), module(x))
        with torch.no_grad():
            _, state = module.stream(x[:, :, :5])
            y, after = torch.compile(module.stream, backend="aot_eager")(x[:, :, 5:], state)
            expected, other = module.stream(x[:, :, 5:], state)
        torch.testing.assert_close(y, expected)
        self.assertTrue(torch.equal(after.frames, other.frames))
        self.assertEqual(after.skip, other.skip)

    def test_empty_tensors(self):
        module = module_of(CASES[0])
        with torch.no_grad():
            for size, out in (((0, 8, 6), (0, 16, 3)), ((2, 8, 0), (2, 16, 0))):
                y, state = module.stream(torch.ones(size))
                self.assertEqual(y.shape, out)
                self.assertEqual(state.frames.shape, (size[0], 8, 3))


class Errors(unittest.TestCase):
    def setUp(self):
        self.module = ck_conv.CausalConv3d(4, 6, (3, 1, 1), (2, 1, 1))
        self.x = torch.ones(1, 4, 5, 2, 3)
        self.frames = torch.zeros(1, 4, 2, 2, 3)

    def refused(self, error, text, x=None, state=None):
        with torch.no_grad(), self.assertRaisesRegex(error, text):
            self.module.stream(self.x if x is None else x, state)

    def test_bad_states(self):
        State = ck_conv.CausalState
        self.refused(ValueError, r"frames of the state have size \(1, 4, 1, 2, 3\), but must have \(1, 4, 2, 2, 3\): the last 2",
                     state=State(self.frames[:, :, :1]))
        self.refused(ValueError, r"have size \(2, 4, 2, 2, 3\)", state=State(self.frames.expand(2, -1, -1, -1, -1)))
        self.refused(TypeError, "frames of the state are torch.float16 on cpu, but the input is torch.float32 on cpu",
                     state=State(self.frames.half()))
        self.refused(TypeError, "on meta, but the input is torch.float32 on cpu", state=State(self.frames.to("meta")))
        self.refused(TypeError, r"state is tensor\(.*, but must be None or a ck_conv.CausalState", state=self.frames)
        self.refused(TypeError, "state is 3, but", state=3)
        self.refused(ValueError, "skip of the state is 2, but must be from 0 to 1: the stride is 2",
                     state=State(self.frames, 2))
        self.refused(TypeError, "skip of the state is 0.5, but must be a whole number", state=State(self.frames, .5))

    def test_bad_inputs(self):
        self.refused(TypeError, "input is 3, but must be a torch.Tensor", 3)
        self.refused(ValueError, "input has 4 dimensions, but stream.. needs 5: N, C, frames, H, W", self.x[0])
        self.refused(ValueError, "the input has 3 channels, but must have 4", self.x[:, :3])
        self.refused(TypeError, "one tensor is torch.float64 on cpu, but the other is torch.float32", self.x.double())
        with self.assertRaisesRegex(RuntimeError, "CausalConv3d.stream.. has no gradients: call it under torch.no_grad"):
            self.module.stream(self.x)

    def test_a_state_that_requires_gradients(self):
        """Also of a module whose parameters require none."""
        module = self.module.requires_grad_(False)
        state = ck_conv.CausalState(self.frames.requires_grad_())
        with self.assertRaisesRegex(RuntimeError, "CausalConv3d.stream.. has no gradients: call it under torch.no_grad"):
            module.stream(self.x, state)
        with torch.no_grad():
            module.stream(self.x, state)

    def test_bad_arguments(self):
        with self.assertRaisesRegex(ValueError, "padding_mode is 'replicate', but must be 'zeros'"):
            ck_conv.CausalConv1d(2, 2, 3, padding_mode="replicate")
        with self.assertRaisesRegex(ValueError, "padding is .*, but must be one number or 2 of them"):
            ck_conv.CausalConv3d(2, 2, 3, padding=(1, 1, 1, 1))
        for rank, padding in ((1, 7), (1, (2,)), (2, (1, 0)), (3, (9, 1, 2))):
            text = f"padding is {re.escape(str(padding))}, but must be 0 along the outermost dimension: .kernel_size - 1. . dilation"
            with self.assertRaisesRegex(ValueError, text):
                getattr(ck_conv, f"CausalConv{rank}d")(2, 3, 3, padding=padding)
            with self.assertRaisesRegex(ValueError, text):
                getattr(ck_conv, f"causal_conv{rank}d")(torch.ones(1, 2, *[4] * rank), torch.ones(3, 2, *[3] * rank),
                                                        padding=padding)
        with self.assertRaisesRegex(ValueError, "padding is 'reflect', but must be numbers, 'valid' or 'same'"):
            ck_conv.CausalConv1d(2, 2, 3, padding="reflect")
        with self.assertRaisesRegex(ValueError, "padding is -1, but must be at least 0"):
            ck_conv.CausalConv1d(2, 2, 3, padding=-1)
        for bad in (2.0, True, "2", (2, 1.0)):
            for name in ("stride", "dilation", "padding"):
                ck_conv.CausalConv3d(2, 2, 3, **{name: (0, 1, 1) if name == "padding" else (int(bad != True) + 1,) * 3})
                with self.subTest(bad=bad, name=name), self.assertRaisesRegex((TypeError, ValueError), f"{name} is .*, but must"):
                    ck_conv.CausalConv3d(2, 2, 3, **{name: bad})
        for bad, error in ((0, ValueError), (1.5, TypeError)):
            with self.assertRaisesRegex(error, f"chunk is {bad}"):
                ck_conv.CausalConv1d(2, 2, 3, chunk=bad)

    def test_a_limit_that_one_kernel_cannot_keep(self):
        """Other kernels would compute other bits."""
        module = ck_conv.CausalConv3d(8, 8, 3, padding=1, dtype=torch.bfloat16, chunk=4)
        x = torch.ones(1, 8, 200, 8, 8, dtype=torch.bfloat16)
        self.addCleanup(ck_conv.set_workspace_limit, library._limit)
        ck_conv.set_workspace_limit(1 << 16)
        with strict():
            _, state = module.stream(x[:, :, :4])
            with self.assertRaisesRegex(ck_conv.Refused, "the kernel that computes chunks of other lengths, .*, does not compute "
                                        r"this one: (.|\n)*bytes of workspace, but PlanOptions::workspace_limit is 65536"):
                module.stream(x[:, :, 4:], state)


video = torch.randn(1, 8, LENGTH, 4, 5)
# What docs/python.md shows:
conv = ck_conv.CausalConv3d(8, 8, 3, padding=1)  # arguments of torch.nn.Conv3d; padding is that of H and W

y = conv(video)  # a whole sequence, (N, C, frames, H, W); trains, too

with torch.no_grad():  # the same sequence in chunks
    first, state = conv.stream(video[:, :, :5])
    rest, state = conv.stream(video[:, :, 5:], state)


class Documentation(unittest.TestCase):
    def test_what_it_shows(self):
        self.assertTrue(y.requires_grad)
        torch.testing.assert_close(torch.cat([first, rest], 2), y)
        with torch.no_grad():
            self.assertTrue(torch.equal(torch.cat([first, rest], 2), conv(video)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
