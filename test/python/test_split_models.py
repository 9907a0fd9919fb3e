#!/usr/bin/python3
"""ck_conv.distributed: whole networks on 2 to 4 ranks, what is refused, and what happens if a rank is lost."""
import copy
import datetime
import os
import pathlib
import re
import signal
import sys
import time
import unittest
from unittest import mock

from needs_torch import integers, torch
from in_ranks import right, run
import split_example
from test_split_layers import compare

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "script"))
from comparison.split_networks import CausalConv3d, Decoder, UNet  # noqa: E402

import ck_conv
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import ck_conv.distributed as distributed


def decoder(rank, axis, *size):
    """Tensors are small: on the CPU, kernels are slow."""
    torch.manual_seed(3)
    compare(Decoder().double(), torch.randn(1, 2, *size, dtype=torch.float64), axis, False, 1e-9)
    return "right"


def unet(rank, axis, rows):
    torch.manual_seed(3)
    size = [4, 4, 4]
    size["dhw".index(axis)] = rows
    x = torch.randn(2, 1, *size, dtype=torch.float64)
    compare(UNet().double(), x, axis, False, 1e-9)
    compare(UNet().double(), x[:1].contiguous(memory_format=torch.channels_last_3d), axis, False, 1e-9)
    return "right"


def exact_network(rank):
    """Convolutions and pools of whole numbers: the same bits as on one rank."""
    torch.manual_seed(3)
    model = nn.Sequential(CausalConv3d(2, 4), nn.ReLU(), nn.MaxPool3d(2), nn.ConvTranspose3d(4, 2, 2, 2), nn.Conv3d(2, 2, 3, padding=1))
    for p in model.parameters():
        p.data.copy_(integers(*p.shape))
    compare(model.double(), integers(1, 2, 12, 4, 4), "d")
    return "right"


def two_axes(rank):
    rows = [torch.distributed.new_group([0, 1]), torch.distributed.new_group([2, 3])]
    columns = [torch.distributed.new_group([0, 2]), torch.distributed.new_group([1, 3])]
    group = columns[rank % 2], rows[rank // 2]
    torch.manual_seed(3)
    for name, model, size in (("U-Net", UNet(), (1, 1, 4, 12, 4)), ("decoder", Decoder(), (1, 2, 2, 4, 3)),
                              ("batch norm", nn.Sequential(nn.Conv3d(2, 4, 3), nn.BatchNorm3d(4)), (2, 2, 3, 7, 9)),
                              ("average", nn.Sequential(nn.Conv3d(2, 4, 3, 2, 1), nn.AvgPool3d(2, 1)), (2, 2, 4, 7, 9))):
        compare(model.double(), torch.randn(*size, dtype=torch.float64), ("h", "w"), False, 1e-9, group)
    if hasattr(torch.distributed, "device_mesh"):
        mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (2, 2), mesh_dim_names=("h", "w"))
        compare(UNet().double(), torch.randn(1, 1, 4, 12, 8, dtype=torch.float64), (-2, -1), False, 1e-9, mesh)
        compare(nn.Conv3d(2, 3, 3).double(), torch.randn(1, 2, 9, 4, 4, dtype=torch.float64), "d", False, 1e-9, mesh["w"])
    return "right"


def statistics(rank):
    """Running statistics are those of one rank, and the number of batches."""
    torch.manual_seed(3)
    whole = nn.Sequential(nn.BatchNorm2d(3, momentum=0.3), nn.BatchNorm2d(3, momentum=None)).double()
    part = distributed.split(copy.deepcopy(whole), axis="h")
    for _ in range(3):
        x = torch.randn(2, 3, 7, 4, dtype=torch.float64) + 5
        whole(x)
        part(part.scatter(x))
    for (name, a), b in zip(part.module.named_buffers(), whole.buffers()):
        assert torch.allclose(a, b, rtol=1e-12, atol=1e-12), name
    return "right"


def training(rank):
    """Steps with DistributedDataParallel around it and without; all ranks keep the same weights as one rank."""
    torch.manual_seed(3)
    whole = UNet().double()
    x, target = torch.randn(1, 1, 8, 4, 4, dtype=torch.float64), torch.randint(0, 3, (1, 8, 4, 4))
    parts = [distributed.split(copy.deepcopy(whole), axis="d") for _ in range(3)]
    wrapped = nn.parallel.DistributedDataParallel(parts[1])
    checkpointed = lambda x: checkpoint(parts[2], x, use_reentrant=False)  # noqa: E731
    rows = parts[0].rows(8)
    mine, mine_target = x[:, :, rows[0]:rows[1]], target[:, rows[0]:rows[1]]
    for model, call, x, target in ((whole, whole, x, target), (parts[0], parts[0], mine, mine_target),
                                   (parts[1], wrapped, mine, mine_target), (parts[2], checkpointed, mine, mine_target)):
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(2):
            optimizer.zero_grad()
            loss = F.cross_entropy(call(x), target, reduction="sum") / 128  # of all voxels
            loss.backward()
            optimizer.step()
        for (name, a), b in zip(whole.named_parameters(), model.parameters()):
            assert torch.allclose(a, b, rtol=1e-9, atol=1e-11), (name, (a - b).abs().max())
    return [p.detach().clone() for p in parts[0].parameters()]


def gathered_loss(rank):
    """The loss of the gathered result, which all ranks compute alike, has the gradients of one rank."""
    torch.manual_seed(3)
    whole = nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU()).double()
    x = torch.randn(1, 2, 9, 4, dtype=torch.float64)
    part = distributed.split(copy.deepcopy(whole), axis="h")
    y = distributed.gather(part(distributed.scatter(x, axis="h")), axis="h")
    y.logsumexp((2, 3)).sum().backward()
    whole(x).logsumexp((2, 3)).sum().backward()
    for a, b in zip(part.parameters(), whole.parameters()):
        assert torch.allclose(a.grad, b.grad, rtol=1e-12), (a.grad - b.grad)
    given = x.clone().requires_grad_()
    assert torch.equal(torch.autograd.grad(part.gather(part.scatter(given)).square().sum(), given)[0], 2 * x)
    return "right"


def example(rank):
    """The example of the documentation: its result and gradients do not depend on the number of ranks."""
    torch.manual_seed(3 + rank)
    volume, target = torch.ones(1, 1, 8, 4, 4).cumsum(2), torch.ones(1, 8, 4, 4, dtype=torch.int64)
    y, grads = split_example.train(volume, target)
    return [y.detach(), *grads]


def mixed(rank):
    """autocast: types are those of the unsplit model; values differ by the rounding of bfloat16."""
    torch.manual_seed(3)
    whole, x = ck_conv.replace(UNet()), torch.randn(1, 1, 8, 4, 4)
    part = distributed.split(copy.deepcopy(whole), axis="d", example=x[:, :, :8 // torch.distributed.get_world_size()])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y, expected = part.gather(part(part.scatter(x))), whole(x)
    assert y.dtype == expected.dtype, (y.dtype, expected.dtype)
    difference = (y.float() - expected.float()).norm() / expected.float().norm()
    assert difference < 0.02, difference
    y.float().square().sum().backward()
    expected.float().square().sum().backward()
    for (name, a), b in zip(part.module.named_parameters(), whole.parameters()):
        if not name.endswith("bias"):  # of convolutions before norms: only noise
            assert (a.grad - b.grad).norm() <= 0.1 * b.grad.norm(), (name, (a.grad - b.grad).norm() / b.grad.norm())
    return "right"


def dropped(rank):
    """Channels are dropped as a whole, whatever the ranks' random numbers."""
    torch.manual_seed(rank)
    part = distributed.split(nn.Dropout2d(0.5), axis="h")
    y = part.gather(part(torch.ones(4, 8, 3, 2)))
    for channel in y.flatten(0, 1):
        assert channel.eq(0).all() or channel.eq(2).all(), channel
    torch.manual_seed(0)  # of rank 0, which draws for all
    assert torch.equal(y[:, :, :1, :1], F.dropout(torch.ones(4, 8, 1, 1), 0.5))
    assert 0 < y.eq(0).sum() < y.numel()
    return "right"


def repeated(rank):
    """Twice the same bits."""
    torch.manual_seed(3)
    part, x = distributed.split(UNet(), axis="d"), torch.randn(1, 1, 8, 4, 4)
    found = []
    for _ in range(2):
        y = part(part.scatter(x))
        found.append([y, *torch.autograd.grad(y.square().sum(), list(part.parameters()))])
    assert all(torch.equal(a, b) for a, b in zip(*found))
    return found[0][1:]


class ToSize(nn.Module):
    """A transposed convolution that is told the size of its result. size: f(the whole size, x)."""

    def __init__(self, size, whole, replaced=False):
        super().__init__()
        self.down, self.up = nn.Conv2d(2, 3, 3, 2, 1), nn.ConvTranspose2d(3, 2, 3, 2, 1)
        self.size, self.whole = size, whole
        if replaced:
            ck_conv.replace(self)

    def forward(self, x):
        return torch.cat([self.up(self.down(x), output_size=self.size(self.whole, x)), x], 1)


def output_sizes(rank, axis, group=None):
    if group is not None:
        group = [torch.distributed.new_group(ranks) for ranks in ([0, 1], [2, 3], [0, 2], [1, 3])]
        group = group[2 + rank % 2], group[rank // 2]
    torch.manual_seed(3)
    for whole, size in (((7, 5), lambda whole, x: x.shape), ((8, 6), lambda whole, x: x.size()[2:]),
                        ((8, 5), lambda whole, x: list(whole)), ((9, 8), lambda whole, x: tuple(x.shape))):
        compare(ToSize(size, whole, whole == (9, 8)).double(), torch.randn(1, 2, *whole, dtype=torch.float64), axis, False, 1e-9,
                group)
    return "right"


def wrong_output_sizes(rank):
    """All ranks raise an error with a sentence, also if a single one is wrong."""
    x = torch.ones(1, 2, 4 if rank == 0 else 3, 5)
    for size, sentence in (
            (lambda whole, x: (10, 5), r"requested an output size of \[10, 5\], but valid sizes range from \[7, 5\]"),
            (lambda whole, x: (7 + rank, 5), "ranks have different output_size"),
            (lambda whole, x: (7, 5 + rank), "ranks have different output_size"),
            (lambda whole, x: (7, 5)[rank:], "output_size has 1 numbers|another rank has a wrong output_size"),
            (lambda whole, x: (x.shape[2] if rank else 7, 5), "ranks have different output_size"),
            (lambda whole, x: (2 * x.shape[2], 5), "computed from a rank's own rows")):
        part = distributed.split(ToSize(size, None), axis="h")
        with case().assertRaisesRegex(ck_conv.Refused, sentence):
            part(x)
    return "right"


def replaced_norms(rank):
    """Batch norms of ck_conv.replace() have the statistics of all ranks, in training and after it; also with an activation."""
    torch.manual_seed(3)
    for norm, conv, size in ((nn.BatchNorm2d, nn.Conv2d, (2, 2, 7, 4)), (nn.BatchNorm3d, nn.Conv3d, (2, 2, 3, 7, 4))):
        model = nn.Sequential(conv(2, 4, 3, padding=1), norm(4), nn.ReLU(), conv(4, 4, 1), norm(4, momentum=None)).double()
        x = torch.randn(*size, dtype=torch.float64).contiguous(
            memory_format=torch.channels_last if len(size) == 4 else torch.channels_last_3d)
        for changed in (ck_conv.replace(copy.deepcopy(model)), ck_conv.fuse(copy.deepcopy(model).train())):
            part = distributed.split(changed, axis="h")
            for whole in (copy.deepcopy(model), copy.deepcopy(model).eval()):
                part.module.load_state_dict(model.state_dict())
                part.train(whole.training)
                y, wanted = part.gather(part(part.scatter(x))), whole(x)
                assert torch.allclose(y, wanted, rtol=1e-9, atol=1e-9), (y - wanted).abs().max()
                for (name, a), b in zip(whole.named_buffers(), part.module.buffers()):
                    assert torch.allclose(a, b, rtol=1e-9, atol=1e-9), name
                for a, b in zip(torch.autograd.grad(wanted.square().sum(), whole.parameters()),
                                torch.autograd.grad(y.square().sum(), part.parameters())):
                    assert torch.allclose(a, b, rtol=1e-9, atol=1e-9), (a - b).abs().max()
    return "right"


class Functional(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.inner = nn.Module()
        self.inner.forward = None
        self.f = f

    def forward(self, x):
        return self.f(x)


REFUSED = [  # (model, a part of the sentence), at split()
    (nn.Sequential(nn.Conv2d(2, 2, 1), nn.Flatten(), nn.Linear(8, 2)), r"module '1' \(Flatten\): it joins rows of several ranks"),
    (nn.Sequential(nn.Identity(), nn.LSTM(2, 2)), r"module '1' \(LSTM\): recurrent"),
    (nn.Sequential(nn.AdaptiveAvgPool2d(7)), r"module '0' \(AdaptiveAvgPool2d\): .* to 7 is not supported, only to 1"),
    (nn.Sequential(nn.SyncBatchNorm(2)), "use torch.nn.BatchNorm"),
    (nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), "align_corners"),
    (nn.MaxPool2d(2, return_indices=True), "indices"),
]
REFUSED_CALLS = [  # at the first call
    (lambda x: x.flatten(1), r"module 'part' \(Part\): flatten from .* does not keep the split dimension"),
    (lambda x: x.mean((0, 1, 2, 3)).item() and x.view(-1), "does not keep"),
    (lambda x: F.linear(x.transpose(2, 3), torch.ones(4, 4)), "linear over the split dimension"),
    (lambda x: x @ x.transpose(2, 3), "matmul of a split tensor is not supported"),
    (lambda x: x + torch.arange(2.)[:, None], "an ordinary tensor with 2 rows in dimension -2 meets a split one of 4 rows"),
    (lambda x: torch.zeros(1, 2, 1, 1).add_(x), "add_ writes a split tensor into an ordinary one"),
    (lambda x: x[:, :, 0], "a single row, 0, of the split dimension"),
    (lambda x: x[:, :, :1], "rows None:1:None of the split dimension"),
    (lambda x: x.softmax(2), "softmax along the split dimension -2"),
    (lambda x: torch.cat([x, x], 2), "torch.cat along the split dimension"),
    (lambda x: x.cpu().numpy(), "numpy of a split tensor is not supported"),
    (lambda x: F.interpolate(x, scale_factor=1.5), "interpolation by 1.5 along the split dimension"),
    (lambda x: F.interpolate(x, scale_factor=2., mode="bicubic"), "mode 'bicubic', is not supported"),
    (lambda x: F.pad(x, (0, 0, 1, 1), mode="circular"), "mode 'circular'"),
    (lambda x: F.adaptive_avg_pool2d(x, 2), "to 2 rows along the split dimension"),
    (lambda x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False), "count_include_pad=False"),
    (lambda x: F.conv2d(x, x), "weight is split"),
    (lambda x: x.data, ".data of a split tensor is not supported"),
    (lambda x: F.conv2d(x, torch.ones(1, 2, 9, 1)), "length 4, but the dilated filter has 9"),
]


class Part(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return self.f(x)


def refusals(rank):
    for model, sentence in REFUSED:
        with case().assertRaisesRegex(ck_conv.Refused, sentence):
            distributed.split(model, axis="h")
    for f, sentence in REFUSED_CALLS:
        model = nn.Module()
        model.part = Part(f)
        model.forward = lambda x, model=model: model.part(x)
        part = distributed.split(model, axis="h")
        with case().assertRaisesRegex(ValueError, sentence):
            part(torch.ones(1, 2, 2, 4))
        with case().assertRaisesRegex(ValueError, sentence):
            distributed.split(model, axis="h", example=torch.ones(1, 2, 2, 4))
        assert model.training
    fused = ck_conv.fuse(nn.Sequential(nn.Conv2d(2, 2, 1), nn.ReLU()).eval())
    with case().assertRaisesRegex(ck_conv.Refused, "a module of ck_conv.fuse"):
        distributed.split(fused, axis="h")
    part = distributed.split(nn.Conv2d(2, 2, 1), axis="h")
    for wrong, sentence in (((2, 2), "too few to be split"), (None, "argument 0 of the split model is to be split, but is a")):
        with case().assertRaisesRegex((ValueError, TypeError), sentence):
            part(torch.ones(wrong) if wrong else wrong)
    for axis, group, sentence in (("x", None, "axis is 'x'"), (2, None, "axis is 2"), (("h", "h"), None, "names a dimension twice"),
                                  (("h", "w"), None, "1 process groups for 2 axes")):
        with case().assertRaisesRegex(ValueError, sentence):
            distributed.split(nn.Conv2d(2, 2, 1), group, axis)
    for inputs, error, sentence in (("image", TypeError, "inputs is 'image', but must be a tuple"),
                                    (0, TypeError, "inputs is 0, but must be a tuple"),
                                    ((), TypeError, r"inputs is \(\), but must be .* at least one"),
                                    ((-1,), ValueError, r"inputs is \(-1,\), but positions are counted from 0"),
                                    ((1.5,), TypeError, "a position in inputs is 1.5, but must be a whole number")):
        with case().assertRaisesRegex(error, sentence):
            distributed.split(nn.Conv2d(2, 2, 1), axis="h", inputs=inputs)
    for rows, error, sentence in ((-1, ValueError, "the number of rows is -1, but must be at least 0"),
                                  (1.5, TypeError, "the number of rows is 1.5, but"), ("3", TypeError, "the number of rows is '3'")):
        with case().assertRaisesRegex(error, sentence):
            part.rows(rows)
    assert part.rows(0) == (0, 0)
    flat = distributed.split(nn.Sequential(nn.Flatten(0, 1), nn.ReLU()), axis="h")  # joins no rows
    assert flat(torch.ones(2, 3, 4, 5)).shape == (6, 4, 5)
    for wrong, error in ((3, TypeError), (None, TypeError), (torch.ones(2), ValueError)):
        for f in (part.scatter, part.gather):
            with case().assertRaisesRegex(error, f"{f.__name__}\\(\\) takes a tensor"):
                f(wrong)
    return "right"


def case():
    return unittest.TestCase()


def another_shape(rank):
    """Later calls, too, with rows of a rank that do not change."""
    part = distributed.split(nn.Conv2d(2, 2, 3, padding=1), axis="h")
    for rows in ([2, 2], [2, 3], [2, 1], [2, 2]):
        assert part(torch.ones(1, 2, rows[rank], 4)).shape[2] == rows[rank]
    with case().assertRaisesRegex(ck_conv.Refused, "ranks call the split model differently: rank 0 of the group with argument 0: "
                                  r"1x2xrowsx4 of torch.float32.*; rank 1 with argument 0: 1x2xrowsx5 of torch.float32"):
        part(torch.ones(1, 2, 2, 4 + rank))
    with case().assertRaisesRegex(ck_conv.Refused, "training mode.*eval mode"):
        part.train(rank == 0)(torch.ones(1, 2, 2, 4))
    with case().assertRaisesRegex(ck_conv.Refused, "no rows on any rank"):
        part.train()(torch.ones(1, 2, 0, 4))
    assert part(torch.ones(1, 2, 2, 4)).shape[2] == 2  # and it still works
    return "right"


def captured(rank):
    """As while a CUDA graph is captured: what was agreed before stands."""
    part, x = distributed.split(nn.Conv2d(2, 2, 3, padding=1), axis="h"), torch.randn(1, 2, 2 + rank, 4)
    y = part(x)
    with mock.patch("torch.cuda.is_available", lambda: True), mock.patch("torch.cuda.is_current_stream_capturing", lambda: True):
        assert torch.equal(part(x), y)
        with case().assertRaisesRegex(ck_conv.Refused, "call the split model once with these shapes before a CUDA graph"):
            part(x[..., :3])
    return "right"


def wrong_on_one_rank(rank, of_groups):
    """The last rank's call is wrong: it raises that, and the others say so, without waiting. All of them can go on."""
    last, axes = torch.distributed.get_world_size() - 1, ("h", "w") if of_groups else "h"
    groups = None
    if of_groups:
        pairs = [[torch.distributed.new_group(ranks) for ranks in both] for both in (([0, 1], [2, 3]), ([0, 2], [1, 3]))]
        groups = pairs[0][rank // 2], pairs[1][rank % 2]
    model, x = nn.Conv2d(2, 2, 3, padding=1), torch.ones(1, 2, 2, 4)
    part = distributed.split(model, groups, axes)
    begin = time.monotonic()
    for call, right_one, wrong_one, error, sentence in (
            ("the split model", lambda: part(x), lambda: part([1.]), TypeError, "argument 0 of the split model is to be split"),
            ("the split model", lambda: part(x), lambda: part(x[0, 0, 0]), ValueError, "argument 0 has 1 dimensions, too few"),
            ("gather()", lambda: part.gather(x), lambda: part.gather(None), TypeError, "gather() takes a tensor, but got None"),
            ("gather()", lambda: distributed.gather(x, groups, axes), lambda: distributed.gather(x, groups, "x"), ValueError,
             "axis is 'x'"),
            ("gather()", lambda: part.gather(x), lambda: part.gather(x.double()), ck_conv.Refused, "torch.float64"),
            ("split()", lambda: distributed.split(model, groups, axes), lambda: distributed.split(3, groups, axes), TypeError,
             "the model is a int"),
            ("split()", lambda: distributed.split(model, groups, axes),
             lambda: distributed.split(model, groups, axes, inputs=()), TypeError, "inputs is ()"),
            ("split()", lambda: distributed.split(model, groups, axes),
             lambda: distributed.split(model, groups, axes, inputs=(0, 1)), ck_conv.Refused, "inputs (0, 1)"),
            ("split()", lambda: distributed.split(model, groups, axes),
             lambda: distributed.split(nn.Conv2d(2, 3, 3), groups, axes), ck_conv.Refused, "and a Conv2d of 2 parameters"),
            ("split()", lambda: distributed.split(model, groups, axes),
             lambda: distributed.split(nn.LSTM(2, 2), groups, axes), ck_conv.Refused, "recurrent layers")):
        with case().assertRaises(error if rank == last else ck_conv.Refused) as caught:
            (wrong_one if rank == last else right_one)()
        text = str(caught.exception)
        if rank != last:
            assert re.match(f"ranks( of another group)? call {re.escape(call)} differently", text), text
        if rank == last or "of another group" not in text:
            assert sentence in text, text
        assert part(x).shape[2] == 2  # it still works
    assert time.monotonic() - begin < LIMIT
    return "right"


def other_state_on_one_rank(rank):
    """Of modules, parameters, modes of PyTorch and tensors: what ranks send each other would not fit."""
    block = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2))
    part, x, begin = distributed.split(block, axis="h"), torch.ones(1, 2, 2, 4), time.monotonic()

    def frozen():
        block[0].weight.requires_grad_(False)
        return part(x)

    def in_half():
        block[0].half()
        return part(x)

    def evaluating():
        block[1].eval()
        return part(x)

    def cast(dtype):
        with torch.autocast("cpu", dtype=dtype):
            return part(x)
    ordinary, unreadable = (lambda: part(x)), type("Unreadable", (torch.Tensor,), {"dim": property(lambda self: 1 / 0)})
    calls = [(ordinary, lambda: part(x.to("meta")), "argument 0 is on meta, torch.strided"),
             (ordinary, lambda: part(x.to_sparse()), "argument 0 is on cpu, torch.sparse_coo"),
             (ordinary, lambda: part(x.as_subclass(unreadable)), "ZeroDivisionError"),
             (ordinary, lambda: part(x, 2), "argument 1: 2"), (ordinary, lambda: part(x, more=None), "argument 'more': None"),
             (ordinary, frozen, "gradients of 3 of 4 parameters"), (ordinary, in_half, "the parameters' types"),
             (ordinary, evaluating, "training mode of 2 of 3 modules"),
             (lambda: part.gather(x), lambda: part.gather(x.to("meta")), "the tensor of gather() is on meta"),
             (lambda: distributed.split(block, axis="h"), lambda: distributed.split(block, axis="h", timeout="1"), "timeout is '1'"),
             (lambda: distributed.split(block, axis="h"), lambda: distributed.split(block, axis="h", example=x), "an example")]
    calls += [(lambda: distributed.split(block, axis="h"), lambda seconds=seconds: distributed.split(block, axis="h", timeout=seconds),
               f"timeout is {seconds!r}, but must be from a millisecond to a year")
              for seconds in (0, -1, 1e-9, float("nan"), float("inf"), 1e300, 2 ** 64, datetime.timedelta(-1))]
    calls.append((lambda: distributed.split(block, axis="h"), lambda: distributed.split(block, axis={}), "axis is {}, but must be"))
    if hasattr(torch, "get_autocast_dtype"):  # before, there is one type alone on CPUs
        calls.append((lambda: cast(torch.bfloat16), lambda: cast(torch.float16), "cpu: torch.float16"))
    for right_one, wrong_one, sentence in calls:
        try:
            (wrong_one if rank == 1 else right_one)()
        except Exception as error:
            assert sentence in f"{type(error).__name__}: {error}", (sentence, error)
        else:
            raise AssertionError(sentence)
        block.float().train().requires_grad_()
        assert part(x).shape[2] == 2
    assert time.monotonic() - begin < LIMIT
    return "right"


LIMIT = 10  # seconds


def dies(rank, where):
    """Rank 1 is killed, or never comes."""
    model = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1), nn.Conv2d(2, 2, 3, padding=1))
    part = distributed.split(model, axis="h")
    part(torch.ones(1, 2, 2, 4))
    begin = time.monotonic()
    if rank == 1 and where == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    if rank == 1 and where == "late":
        time.sleep(3 * LIMIT)
        return "late"
    if rank == 1 and where == "within":
        model[1].register_forward_pre_hook(lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    if rank == 1 and where == "backward":
        y = part(torch.ones(1, 2, 2, 4))
        y.register_hook(lambda _: os.kill(os.getpid(), signal.SIGKILL))
        y.sum().backward()
    try:
        part(torch.ones(1, 2, 2, 4)).sum().backward()
    except Exception as error:
        return type(error).__name__, str(error), time.monotonic() - begin
    return "no error"


class Models(unittest.TestCase):
    def alike(self, results):
        """All ranks hold the same bits."""
        for result in results[1:]:
            for a, b in zip(results[0], result):
                self.assertTrue(torch.equal(a, b))

    def test_decoder_along_frames(self):
        for ranks, frames in ((2, 6), (3, 5), (4, 7)):
            right(self, ranks, decoder, "d", frames, 2, 1)

    def test_decoder_along_rows(self):
        right(self, 2, decoder, "h", 2, 5, 1)

    def test_unet(self):
        for ranks, axis, rows in ((2, "d", 8), (3, "h", 8), (4, "w", 12)):
            right(self, ranks, unet, axis, rows)

    def test_whole_numbers(self):
        for ranks in (2, 3, 4):
            right(self, ranks, exact_network)

    def test_two_axes(self):
        right(self, 4, two_axes)

    def test_output_size(self):
        for ranks in (2, 3):
            right(self, ranks, output_sizes, "h")
        right(self, 4, output_sizes, ("h", "w"), True)
        right(self, 2, wrong_output_sizes)

    def test_replaced_norms(self):
        right(self, 3, replaced_norms)

    def test_statistics(self):
        right(self, 3, statistics)

    def test_training(self):
        self.alike(right(self, 2, training))

    def test_gathered_loss(self):
        right(self, 3, gathered_loss)

    def test_example(self):
        one, = right(self, 1, example)
        two = right(self, 2, example)
        self.alike(two)
        for a, b in zip(one, two[0]):
            self.assertLess(float((a - b).norm()), 1e-4 * (1 + float(a.norm())))

    def test_autocast(self):
        right(self, 2, mixed)

    def test_dropout_of_channels(self):
        right(self, 2, dropped)

    def test_repeats_bits(self):
        self.alike(right(self, 3, repeated))

    def test_refusals(self):
        right(self, 2, refusals)

    def test_another_shape(self):
        right(self, 2, another_shape)

    def test_captured(self):
        right(self, 2, captured)

    def test_wrong_on_one_rank(self):
        right(self, 3, wrong_on_one_rank, False)
        right(self, 4, wrong_on_one_rank, True)

    def test_other_state_on_one_rank(self):
        right(self, 2, other_state_on_one_rank)

    def test_lost_rank(self):
        """The others end with a sentence: at once if the rank was killed, or at the group's timeout."""
        for where in ("before", "within", "backward", "late"):
            with self.subTest(where):
                results = run(3, dies, where, wait=LIMIT, seconds=4 * LIMIT, until=(0, 2))
                for rank in (0, 2):
                    self.assertEqual(results[rank][0], "RankLost", results[rank])
                    self.assertRegex(results[rank][1], f"^rank {rank} of 3 waited for .*, but another rank ended, failed or did not "
                                     "answer in time: .")
                    self.assertLess(results[rank][2], 2 * LIMIT)


if __name__ == "__main__":
    unittest.main()
