#!/usr/bin/python3
"""ck_conv.distributed: operations on split tensors compute what they compute unsplit, or are refused in a sentence.
Arguments of split models, by position and by name."""
import copy
import functools
import re
import unittest

from needs_torch import torch
from in_ranks import right

import ck_conv
from torch import nn
from torch.nn import functional as F

import ck_conv.distributed as distributed
from ck_conv.distributed._exchange import Communicator, gather
from ck_conv.distributed._tensor import _HANDLERS, SplitTensor, mapped, unsplit

ROWS = [1, 4], [2, 0, 3], [1, 1]  # of each rank

# Operations of x, (2, 4, rows, 4), whose rows are split; x_rows is their number on all ranks.
RIGHT = """
x.mean(axis=1); x.mean(axis=2); x.mean(axis=(2, 3), keepdims=True); torch.mean(input=x, dim=2); torch.mean(x, axis=-2)
x.sum(axis=2, keepdims=True); torch.sum(input=x, axis=(1, 2)); x.sum(()); x.sum(1, True); x.mean(1, dtype=torch.float32)
x.amax(axis=1, keepdims=True); torch.amax(input=x, dim=1); x.argmax(axis=1); x.argmin(3, keepdim=True); x.prod(1, True)
x.std(dim=1, unbiased=False, keepdims=True); x.var((1, 3)); x.logsumexp((1, 3), True); x.norm(p=1, dim=1, keepdim=True)
x.all(1); x.any(1, True); x.select(dim=1, index=0); x.select(-1, 1); x.unbind(1); x.unbind(dim=-1)
torch.cat([x, x], axis=1); torch.cat(tensors=[x, x], dim=-1); torch.stack([x, x], axis=2); torch.stack([x, x], axis=3)
torch.stack(tensors=[x, x], dim=-1); torch.stack([x, x], -2); torch.cat([x, torch.ones(2, 1, x_rows, 4)], 1)
x.flip(0); x.flip(1, 3); x.flip((0, -1)); torch.flip(input=x, dims=(1,)); x.roll(1, 0); torch.roll(input=x, shifts=1, dims=-1)
x.cumsum(axis=1); x.sort(dim=1); torch.sort(x, stable=True, dim=1, descending=True); x.softmax(axis=1); F.log_softmax(x, dim=1)
torch.softmax(input=x, dim=-1); F.glu(x, 1); F.normalize(x); x.repeat_interleave(2, 1); x.chunk(2, 1)
torch.chunk(input=x, chunks=2, dim=1); x.split([1, 3], 1); torch.split(x, 1, dim=1); x.split_with_sizes([1, 3], 1)
x.tensor_split(2, 1); x.narrow(dim=1, start=1, length=2); torch.index_select(x, dim=1, index=torch.tensor([2, 0]))
x.view(2, 4, x.shape[2], 1, 4); x.view(2, 4, 1, x.shape[2], 4); x.view(*x.shape[:2], -1, *x.shape[2:])
x.view(x.size(0), -1, x.size(2), x.size(3)); x.view(2 * 4, *x.shape[2:]); x.reshape(*x.shape[:-1], 2, 2)
torch.reshape(input=x, shape=(8, x.shape[2], 4)); x.view_as(x); x.permute(2, 0, 1, 3).reshape(x.shape[2], 1, 32)
x.flatten(0, 1); torch.flatten(input=x, start_dim=0, end_dim=1); x[..., :1].flatten(2); x.unflatten(dim=3, sizes=(2, 2))
x.unflatten(2, (x.shape[2], 1)); x.unflatten(2, (1, -1)); x[:, :1].squeeze(axis=1); x[:, :1].squeeze(); x.unsqueeze(axis=-2)
torch.unsqueeze(input=x, dim=2); x.permute(dims=(0, 2, 3, 1)); x.transpose(dim0=-1, dim1=-2); x.swapaxes(axis0=1, axis1=2)
torch.movedim(input=x, source=1, destination=-1); x.moveaxis(1, 2); x.expand(3, 2, 4, -1, 4); x[:1].expand_as(x)
x.mean(2, keepdim=True).expand_as(x); x.repeat(2, 1, 1, 1, 1); x.repeat(1, 2, 1, 1)
x[:, 0]; x[-1]; x[..., None, :]; x[None]; x[:, ::2]; x[:, :, 1:]; x[..., :-1, :]; x[0, :, 1:]
F.linear(input=x, weight=torch.ones(3, 4)); F.layer_norm(input=x, normalized_shape=(4,)); F.group_norm(input=x, num_groups=2)
F.instance_norm(input=x, eps=0.1); F.batch_norm(input=x, running_mean=None, running_var=None, training=True)
torch.batch_norm(x, torch.ones(4), torch.zeros(4), torch.zeros(4), 2 * torch.ones(4), False, 0.1, 1e-5, False)
torch.batch_norm(x, torch.ones(4), torch.zeros(4), torch.zeros(4), 2 * torch.ones(4), True, 0.1, 1e-5, False)
torch.instance_norm(x, 3 * torch.ones(4), torch.ones(4), None, None, True, 0.1, 1e-5, False); F.prelu(x, torch.ones(4))
F.pad(input=x, pad=(1, 1, 1, 1)); F.pad(x, (0, 0, 1, 2), value=3.); F.pad(x, (-1, 0)); F.pad(x, (0, 0, 1, 1, 1, 1))
F.pad(x, (1, 1, 0, 0), mode="circular"); F.pad(x, (1, 1, 0, 0), mode="reflect"); F.max_pool2d(input=x, kernel_size=2)
F.max_pool2d(x[..., :2], 2, 2, 0, 2, ceil_mode=True)
F.max_pool2d(x, kernel_size=3, stride=2, padding=1, ceil_mode=True); F.avg_pool2d(input=x, kernel_size=2, stride=1)
F.adaptive_avg_pool2d(input=x, output_size=1); F.pixel_shuffle(input=x, upscale_factor=2)
F.interpolate(input=x, scale_factor=2, mode="bilinear"); F.interpolate(x, (x.shape[2] * 2, 8)); F.interpolate(x, x.shape[2:])
F.conv2d(input=x, weight=torch.ones(1, 4, 2, 3), padding=1); F.conv_transpose2d(input=x, weight=torch.ones(4, 1, 3, 3), stride=2)
F.conv1d(x.permute(0, 3, 1, 2).flatten(0, 1), torch.ones(1, 4, 1)); F.dropout2d(input=x, p=0.5, training=False)
torch.add(input=x, other=x, alpha=2); torch.sub(x1=x, x2=x); torch.where(x > 0, x, torch.zeros(1)); x.clone().zero_(); x.type()
torch.full_like(input=x, fill_value=2); x.shape[1]; x.dim(); x.size(-1); x + torch.ones(4, 1, 4); x.mul(x.sum())
list(x); torch.concat([x, x], 1); x.amin((1, 3)); x.swapdims(1, 3); x.reshape_as(x + 1); F.pixel_unshuffle(x, downscale_factor=1)
""".replace("\n", ";").split(";")

REFUSED = {  # {a part of the sentence: operations}
    "along the split dimension -2 is not supported":
        'torch.cat([x, x], axis=2); x.flip(0, 2); x.flip((0, 2)); x.flip(3, -2); torch.flip(x, dims=(2,)); x.roll(1); '
        'x.roll(1, 2); x.roll(shifts=(1, 1), dims=(0, 2)); x.cumsum(axis=2); x.sort(axis=2); x.argmax(); '
        'x.argmax(axis=2); x.amax(axis=2); x.amax(()); torch.amax(x, ()); x.std(); x.std(axis=2); x.std(()); x.prod(); '
        'x.logsumexp(axis=2); x.norm(); x.norm(dim=2); x.all(); x.any(axis=2); x.select(2, 0); x.unbind(-2); '
        'x.chunk(2, 2); x.split(1, dim=2); x.tensor_split(2, axis=2); x.narrow(-2, 0, 1); '
        'x.index_select(2, torch.tensor([0])); x.softmax(axis=2); F.softmax(x, -2); F.glu(x, 2); F.normalize(x, dim=2); '
        'x.repeat_interleave(2); x.repeat_interleave(2, axis=2); x.repeat(1, 1, 2, 1); x.squeeze(2)',
    "of a split tensor is not supported":
        'torch.fliplr(x); x.cumprod(2); torch.diff(x); x.argsort(2); x.topk(1, 2); x.max(2); x.median(2); '
        'torch.linalg.norm(x, dim=1); torch.hsplit(x, 2); x.gather(2, x.long()); x.masked_select(x > 0); x.nonzero(); '
        'x.tril(); x.diagonal(0, 2, 3); F.softmin(x, 2); x.tile(2); x.T; x.unfold(2, 2, 1); F.unfold(x, 2); x @ x; '
        'F.grid_sample(x, x); F.adaptive_max_pool2d(x, 1); F.lp_pool2d(x, 2., 2); torch.fft.fft(x, dim=2); '
        'torch.fft.fftn(x); torch.einsum("nchw->nc", x); F.mse_loss(x, x); F.cosine_similarity(x, x, 2); x.tolist(); '
        'x.item(); x.numpy(); torch.equal(x, x); x.set_(torch.ones(2, 4, 1, 4)); x.set_(); x.as_subclass(torch.Tensor); '
        'x.resize_(1)',
    "does not keep the split dimension -2":
        'x.reshape(2, 4, 1, -1); x.view(2, 4, 1, -1); x.view(2, 4, -1); x.view(-1); '
        'x.view(x.size(0), x.size(2), x.size(1), x.size(3)); x.flatten(1); x.flatten(2, 3); x.unflatten(2, (2, -1)); '
        'x.view_as(x.transpose(2, 3)); x.unflatten(2, (2, -1, 1)); x.reshape(3, 5); x.view(3, -1)',
    "computed from the rank's own rows":
        'F.layer_norm(x, (x.shape[2], 4)); F.pad(x, (0, 0, 0, 8 - x.shape[2] % 8)); F.avg_pool2d(x, x.shape[2:]); '
        'F.adaptive_avg_pool2d(x, x.shape[2:]); x / x.shape[2]; x.mul(x.numel())',
    "of the split dimension are not supported, only [a:] and [:-b]":
        'x[:, :, ::2]; x[..., :2, :]; x[:, :, -1:]; x[:, :, x.shape[2] - 1:]; x[:, :, 1:x.shape[2]]',
    "a single row, ": "x[:, :, 0]; x[:, :, -1]",
    "expand to 7 rows along the split dimension -2": "x.expand(2, 4, 7, 4)",
    "over all elements of a split tensor": "x.var(False)",
    "for split tensors, only numbers, slices, None and ...":
        'x[x > 0]; x[:, [0]]; x[:, torch.tensor([0])]; x[:, range(2)]; x[:, True]',
    "where of a condition alone is not supported": "torch.where(x > 0)",
    "a view of another type": "x.view(torch.int64)",
    "only by whole numbers, with nearest":
        'F.interpolate(x, scale_factor=0.5); F.interpolate(x, scale_factor=(1, 2), mode="area"); '
        'F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True); '
        'F.interpolate(x, scale_factor=2, mode="bicubic")',
    ": use scale_factor, or": "F.interpolate(x, (7, 8))",
    "interpolation of split channels": "F.interpolate(x.transpose(1, 2), scale_factor=2)",
    "mode 'constant', is not supported": "F.pad(x, (0, 0, -1, 0))",
    "mode 'circular', is not supported": 'F.pad(x, (0, 0, 1, 0), mode="circular")',
    "needs more rows of its rank than":
        'F.pad(x, (0, 0, 9, 0), mode="reflect"); F.pad(x, (0, 0, 0, 9), mode="reflect")',
    "a window of 6 rows does not fit into 4 rows": "F.max_pool2d(x, (1, 6))",
    "rows along the split dimension is not supported, only to 1":
        'F.adaptive_avg_pool2d(x, (None, 1)); F.adaptive_avg_pool2d(x, 2); F.adaptive_avg_pool2d(x, (2, 1))',
    "max pooling that returns indices": "F.max_pool2d(x, 2, 1, return_indices=True)",
    "of an ordinary tensor is not supported if another operand is split":
        'F.conv2d(torch.ones(1, 4, 8, 8), x); F.linear(torch.ones(4), x[0, 0])',
    "is split is not supported": "F.conv2d(x, x); x.index_select(1, x)",
    ".data of a split tensor": "x.data",
    "writes a split tensor into an ordinary one": "torch.ones(2, 4, 7, 4).copy_(x); torch.ones(2, 4, 1, 4).add_(x)",
    "view_as of a split tensor and an ordinary one": "torch.ones(1).expand(2, 4, 1, 4).view_as(x)",
    "is not a dimension of a tensor of 4 dimensions": "x.mean(7); x.squeeze(5); x.transpose(0, 9)",
    "(out=) is not supported": "torch.mean(x, 1, out=torch.ones(1)); F.normalize(x, out=torch.ones(1))",
    "torch.stack of a split tensor and an ordinary one with a single row": "torch.stack([x, torch.ones(2, 4, 1, 4)])",
    "torch.cat needs tensors with the same number of dimensions": "torch.cat([x, x[0]])",
    "view to 13 dimensions": "x.view(*x.shape, *[1] * 9)",
    "expand_as of a split tensor to an ordinary one of size (2, 4, 1, 4)": "x.expand_as(torch.ones(2, 4, 1, 4))",
    "pixel_unshuffle by 4 of ": "F.pixel_unshuffle(x, 4)",
    "padding is 2, but must be at most half of the window, 2": "F.max_pool2d(x, 2, 1, 2)",
    "(count_include_pad=False) is not supported": "F.avg_pool2d(x, 2, 2, 1, count_include_pad=False)",
    "It must have 1 or all rows": "x.add(torch.ones(3, 1))",
    "tensors that are split differently meet": "x + x.transpose(2, 3)",
    "prelu along the split dimension": "F.prelu(x.transpose(1, 2), torch.ones(1))",
    "4 channels are not divisible by 3 groups": "F.group_norm(x, 3)",
    "of split images or channels is not supported": "F.group_norm(x.transpose(1, 2), 1); F.dropout2d(x.transpose(1, 2))",
    "an instance norm in training mode that tracks running": "F.instance_norm(x, torch.zeros(4), torch.ones(4))",
    "a convolution over split channels": "F.conv2d(x.transpose(1, 2), torch.ones(1, 1, 1, 1))",
    "of split channels is not supported": "F.max_pool2d(x.transpose(1, 2), 2); F.avg_pool1d(x[0], 9)",
    "over the split dimension is not supported: gather the rows first":
        'F.linear(x.transpose(2, 3), torch.ones(1, 1)); F.layer_norm(x.transpose(2, 3), (4,))',
}


AUTOCAST = """
F.group_norm(x, 2); F.instance_norm(x); F.batch_norm(x, None, None, training=True); F.layer_norm(x, (4,))
F.conv2d(x, torch.ones(3, 4, 3, 1), padding=(1, 0)); F.linear(x, torch.ones(3, 4)); F.avg_pool2d(x, 1); x.softmax(3)
wide(F.group_norm)(x, 2); wide(F.group_norm)(x, 2, torch.ones(4), torch.ones(4)); wide(F.instance_norm)(x)
wide(F.instance_norm)(x, weight=2 * torch.ones(4))
"""
ERRORS = {torch.float64: 1e-9, torch.float32: 1e-5, torch.bfloat16: 2e-2}


def wide(function):
    """The function as torch.autocast computes norms on GPUs: in float32."""
    @functools.wraps(function)
    def call(x, *rest, **named):
        if type(x) is not torch.Tensor:
            return torch.overrides.handle_torch_function(call, (x,), x, *rest, **named)
        return function(x.float(), *rest, **named)
    return call


class Operation(nn.Module):
    """The operation; its results are gathered."""

    def __init__(self, text):
        super().__init__()
        self.text = text

    def forward(self, x, x_rows):
        results = compute(self.text, x, x_rows)

        def whole(t):
            if not isinstance(t, SplitTensor):
                return t
            made = unsplit(t)
            for s in t.spreads:
                made = gather(made, s.comm, s.dim, [part.size for part in s.parts])
            return made
        return [mapped(whole, t) for t in results]


def compute(text, x, x_rows):
    result = eval(text, {"x": x, "x_rows": x_rows, "torch": torch, "F": F, "wide": wide})
    return list(result) if isinstance(result, (tuple, list)) else [result]


def outcome(text, x, mine):
    """"right", "refused: " and the sentence, or what is wrong."""
    part = distributed.split(Operation(text), axis="h")
    try:
        found = part(mine.clone(), x.size(2))
    except ck_conv.Refused as error:
        return f"refused: {error}" if "Operation" in str(error) else f"{text}: an error that does not say where: {error}"
    wanted = compute(text, x, x.size(2))
    if len(wanted) != len(found):
        return f"{text}: {len(found)} results instead of {len(wanted)}"
    for a, b in zip(wanted, found):
        if not isinstance(a, torch.Tensor):
            if a != b:
                return f"{text}: {b} instead of {a}"
        elif a.shape != b.shape or a.dtype != b.dtype:
            return f"{text}: {tuple(b.shape)} of {b.dtype} instead of {tuple(a.shape)} of {a.dtype}"
        elif not torch.allclose(a, b, rtol=ERRORS.get(a.dtype, 0), atol=ERRORS.get(a.dtype, 0)):
            return f"{text}: differs by {(a - b).abs().max()}"
    return "right"


def views_on_two_axes(rank):
    """All ranks refuse, although some could believe that they see the split dimension."""
    groups = [torch.distributed.new_group(ranks) for ranks in ([0, 1], [2, 3], [0, 2], [1, 3])]
    x = torch.ones(2, 4, [1, 4][rank // 2], [3, 1][rank % 2])
    found = []
    for text in ("x.view(2, 4, 1, -1)", "x.view(2, 4, -1)", "x.view(2, 4, x.shape[2], -1)", "x.view(2, 4, *x.shape[2:], 1)"):
        part = distributed.split(Operation(text), (groups[2 + rank % 2], groups[rank // 2]), ("h", "w"))
        try:
            found.append(list(part(x, 5)[0].shape))
        except ck_conv.Refused:
            found.append("refused")
    return found


def operations(rank, texts, rows):
    """The outcomes, of float64."""
    torch.set_default_dtype(torch.float64)
    try:
        x = torch.randn(2, 4, sum(rows), 4)
        mine = x[:, :, sum(rows[:rank]):sum(rows[:rank + 1])]
        return [outcome(text, x, mine) for text in texts]
    finally:
        torch.set_default_dtype(torch.float32)


def in_autocast(rank, texts, rows):
    """The outcomes under torch.autocast, of either type."""
    torch.manual_seed(4)
    found = []
    for dtype in (torch.bfloat16, torch.float32):
        x = torch.randn(2, 4, sum(rows), 4).to(dtype)
        mine = x[:, :, sum(rows[:rank]):sum(rows[:rank + 1])]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found += [outcome(text, x, mine) for text in texts]
    return found


class Blend(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 2, 3, padding=1)

    def forward(self, image, other, bias=0, *, more=None, factor=1):
        y = self.conv(image) * factor + self.conv(other) * 2 + bias
        return y if more is None else {"y": y, "more": self.conv(more) - image}


def named_arguments(rank):
    """Arguments by name and by position; those that `inputs` does not name are whole."""
    torch.manual_seed(3)
    whole = Blend().double()
    image, other, more = torch.randn(3, 1, 2, 7, 4, dtype=torch.float64)
    bias = torch.randn(2, 1, 1, dtype=torch.float64)
    for inputs, args, named in (((0, 1), (image, other), {}), (("image", "other"), (), {"other": other, "image": image}),
                                ((0, "other"), (image,), {"other": other, "factor": 3., "bias": bias}),
                                ((0, 1, "more"), (image, other, bias), {"more": more, "factor": 2})):
        part = distributed.split(copy.deepcopy(whole), axis="h", inputs=inputs)

        def own(key, value):
            return part.scatter(value) if key in inputs else value
        found = part(*(own(i, a) for i, a in enumerate(args)), **{key: own(key, a) for key, a in named.items()})
        expected = whole(*args, **named)
        for a, b in zip(expected.values(), found.values()) if "more" in named else ((expected, found),):
            assert torch.allclose(a, part.gather(b), rtol=1e-12, atol=1e-12), (inputs, (a - part.gather(b)).abs().max())
    with unittest.TestCase().assertRaisesRegex(TypeError, "argument 'more' of the split model is to be split, but is a NoneType"):
        part(image, other)
    return "right"


class Errors(unittest.TestCase):
    def waits(self, error):
        """What an error becomes that is raised while a rank waits for the others."""
        comm = object.__new__(Communicator)
        comm.rank, comm.ranks = 1, 3
        with self.assertRaises(RuntimeError) as raised, comm.waiting("rows"):
            raise error
        return raised.exception

    def test_only_lost_connections_are_lost_ranks(self):
        for text in ("[../gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:9121", "Socket Timeout",
                     "[1] is setting up NCCL communicator: Broken pipe", "Timed out waiting 1800000ms for recv operation",
                     "NCCL communicator was aborted on rank 1", "Application timeout caused pair closure"):
            with self.assertRaisesRegex(distributed.RankLost, "rank 1 of 3 waited for rows, but another rank ended, failed or "
                                        f"did not answer in time: {re.escape(text)}"):
                raise self.waits(RuntimeError(text))
        for text in ("CUDA out of memory. Tried to allocate 2.00 GiB", "Invalid scalar type", "Tensors must be contiguous",
                     "CUDA error: an illegal memory access was encountered"):
            error = RuntimeError(text)
            self.assertIs(self.waits(error), error)


class Arguments(unittest.TestCase):
    def test_named_arguments(self):
        right(self, 2, named_arguments)


class Operations(unittest.TestCase):
    def outcomes(self, texts):
        """Yields (rows of each rank, operation, outcome)."""
        for rows in ROWS:
            for results in right(self, len(rows), operations, texts, rows):
                yield from zip([rows] * len(texts), texts, results)

    def test_right(self):
        texts = [text.strip() for text in RIGHT if text.strip()]
        self.assertEqual([found for found in self.outcomes(texts) if found[2] != "right"], [])

    def test_refused(self):
        sentences = {text: sentence for sentence, texts in REFUSED.items() for text in texts.split("; ")}
        self.assertEqual([found for found in self.outcomes(list(sentences)) if not found[2].startswith("refused: ") or
                          sentences[found[1]] not in found[2]], [])

    def test_autocast(self):
        """Results have PyTorch's types."""
        texts = [text.strip() for text in AUTOCAST.replace("\n", ";").split(";") if text.strip()]
        for results in right(self, 2, in_autocast, texts, [3, 2]):
            self.assertEqual([found for found in zip(2 * texts, results) if found[1] != "right"], [])

    def test_views_on_two_axes(self):
        self.assertEqual(right(self, 4, views_on_two_axes), [["refused", "refused", [2, 4, 5, 4], [2, 4, 5, 4, 1]]] * 4)

    def test_all_are_tried(self):
        """Every function that is not of single elements is among the operations."""
        text = ";".join(RIGHT)
        others = {"causal_conv2d", "concatenate", "rms_norm", "feature_dropout"}
        missing = [name for name, (_, names, *_) in _HANDLERS.items() if names is not None and name not in others and
                   name[-2:] not in ("1d", "3d") and not name.endswith("_with_indices") and f"{name}(" not in text]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
