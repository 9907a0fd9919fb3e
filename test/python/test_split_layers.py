#!/usr/bin/python3
"""ck_conv.distributed: each kind of layer on 2 to 4 ranks against the same layer on one, with gradients."""
import copy
import itertools
import unittest
from unittest import mock

from needs_torch import integers, torch
from in_ranks import right

import ck_conv
from torch import nn
from torch.nn import functional as F

import ck_conv.distributed as distributed
from ck_conv.distributed import _convolution, _norms


def whole_numbers(model):
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(integers(*p.shape, dtype=p.dtype))
    return model


def grads(model, x, y, by):
    """Gradients of the parameters and of x."""
    return torch.autograd.grad((y * by).sum(), [x, *model.parameters()])


def compare(model, x, axis, exact=True, bound=0., group=None, sizes=None, pooled=False):
    """Compares the split model's result and gradients with the whole's, which PyTorch computes, on each rank. pooled: the
    result is not split."""
    x.requires_grad_()
    whole = copy.deepcopy(model)
    expected = whole(x)
    by = integers(*expected.shape, dtype=expected.dtype) if exact else torch.randn_like(expected)
    wanted = grads(whole, x, expected, by)
    part = distributed.split(copy.deepcopy(model), group, axis)
    if sizes is None:
        mine = part.scatter(x.detach())
    else:  # of each rank, for each axis
        mine = x.detach()
        for comm, dim, rows in zip(part.comms, part.dims, [sizes] if len(part.dims) == 1 else sizes):
            mine = mine.narrow(dim, sum(rows[:comm.rank]), rows[comm.rank])
    mine = mine.clone(memory_format=torch.preserve_format).requires_grad_()
    y = part(mine)
    assert type(y) is torch.Tensor, type(y)
    whole_y = y if pooled else part.gather(y)
    got = list(grads(part, mine, whole_y, by))
    got[0] = part.gather(got[0])
    for name, a, b in [("result", whole_y, expected), ("gradient of x", got[0], wanted[0]),
                       *((f"gradient of {n}", a, b) for (n, _), a, b in zip(model.named_parameters(), got[1:], wanted[1:]))]:
        assert a.shape == b.shape and a.dtype == b.dtype, f"{name}: {a.shape}, {a.dtype} instead of {b.shape}, {b.dtype}"
        if exact:
            assert torch.equal(a, b), f"{name}: differs by {(a - b).abs().max()}"
        else:
            assert (a - b).abs().max() <= bound, f"{name}: differs by {(a - b).abs().max()}, more than {bound}"


def cases(rank, tests):
    """Runs [(name, f)]; returns {name: what went wrong}."""
    for name, f in tests():
        try:
            torch.manual_seed(7)
            f()
        except Exception as error:
            raise AssertionError(f"{name}: {error}") from error
    return "right"


def convolutions():
    """Two dimensions; along h, with 9 to 13 rows."""
    for k, stride, dilation, padding in itertools.product((1, 2, 3), (1, 2, 3), (1, 2), (0, 1, 3)):
        if k == 1 and dilation == 2 or (stride == 3 and padding == 3):
            continue
        layer = whole_numbers(nn.Conv2d(2, 3, (k, 3), (stride, 1), (padding, 1), (dilation, 1), dtype=torch.float32))
        yield f"kernel {k}, stride {stride}, dilation {dilation}, padding {padding}", lambda layer=layer: compare(
            layer, integers(2, 2, 11, 4, dtype=torch.float32), "h") or compare(  # and rows that are contiguous in memory
            layer, integers(1, 2, 11, 4, dtype=torch.float32).contiguous(memory_format=torch.channels_last), "h")


def transposed():
    for k, stride, dilation, padding, more in itertools.product((1, 2, 4), (1, 2, 3), (1, 2), (0, 1), (0, 1)):
        if k == 1 and dilation == 2 or more >= max(stride, dilation) or (more >= stride and k == 1):
            continue
        layer = whole_numbers(nn.ConvTranspose2d(2, 3, (k, 2), (stride, 1), (padding, 0), (more, 0), 1, True, (dilation, 1)))
        yield f"kernel {k}, stride {stride}, dilation {dilation}, padding {padding}, {more}", lambda layer=layer: compare(
            layer, integers(2, 2, 7, 3, dtype=torch.float32), "h") or compare(
            layer, integers(1, 2, 7, 3, dtype=torch.float32).contiguous(memory_format=torch.channels_last), "h")


class Lambda(nn.Module):
    def __init__(self, f, *modules):
        super().__init__()
        self.f, self.parts = f, nn.ModuleList(modules)

    def forward(self, x):
        return self.f(x, *self.parts)


def ramp(*size):
    """Whole numbers that differ: maxima have no ties, and sums of some hundreds are exact."""
    return (torch.randperm(torch.Size(size).numel()).view(size) % 251).double()


def other_convolutions():
    def case(name, layer, *size, axis="h", **options):
        return name, lambda: compare(whole_numbers(layer), integers(*size, dtype=next(layer.parameters()).dtype), axis,
                                     **options)
    yield case("1D", nn.Conv1d(2, 3, 3, padding=1), 2, 2, 9, axis="w")
    yield case("1D, transposed", nn.ConvTranspose1d(2, 3, 4, 2, 1), 2, 2, 9, axis="w")
    yield case("3D", nn.Conv3d(2, 3, 3, padding=1), 1, 2, 7, 3, 3, axis="d")
    yield case("3D, along w", nn.Conv3d(2, 3, 3, padding=1, stride=2), 1, 2, 3, 3, 8, axis="w")
    yield case("3D, transposed", nn.ConvTranspose3d(2, 3, 2, 2), 1, 2, 5, 3, 3, axis="d")
    yield case("causal", ck_conv.CausalConv3d(2, 3, 3, padding=1), 1, 2, 7, 3, 3, axis="d")
    yield case("causal, the other axis", ck_conv.CausalConv3d(2, 3, 3, padding=1, stride=2), 1, 2, 7, 5, 3)
    yield case("replaced", ck_conv.replace(nn.Sequential(nn.Conv2d(2, 3, 3, padding=1), nn.ConvTranspose2d(3, 2, 3, 2))), 1, 2,
               7, 5)
    yield case("groups", nn.Conv2d(4, 4, 3, padding=1, groups=4), 2, 4, 8, 3)
    yield case("same", nn.Conv2d(2, 3, 4, padding="same", dilation=2), 2, 2, 9, 8)
    yield case("float64, no bias", nn.Conv2d(2, 3, 3, bias=False, dtype=torch.float64), 2, 2, 9, 4)
    yield case("one image without N", nn.Conv2d(2, 3, 3), 2, 9, 4)
    yield case("halo wider than a part", nn.Conv2d(2, 3, (9, 1), padding=(4, 0)), 1, 2, 6, 3)
    yield case("fewer rows than ranks", nn.Conv2d(2, 3, 3, padding=1), 1, 2, 2, 3)
    yield case("fewer rows than ranks, later", nn.Sequential(nn.Conv2d(2, 3, 2, 4), nn.ConvTranspose2d(3, 2, 4, 4)), 1, 2, 8, 8)
    yield case("windows in the padding alone", nn.Conv2d(2, 3, (2, 1), padding=(4, 0)), 1, 2, 2, 3)
    yield case("stride larger than the kernel, transposed", nn.ConvTranspose2d(2, 3, 1, 3, output_padding=2), 1, 2, 5, 3)
    for mode in ("replicate", "reflect"):
        yield case(mode, nn.Conv2d(2, 3, 3, padding=1, padding_mode=mode), 1, 2, 9, 4)
    yield ("circular along the other dimension", lambda: compare(whole_numbers(Lambda(
        lambda x, conv: conv(F.pad(x, (1, 1, 0, 0), mode="circular")), nn.Conv2d(2, 3, 3))),
        integers(1, 2, 9, 4, dtype=torch.float32), "h"))
    yield ("channels last", lambda: compare(whole_numbers(nn.Conv2d(2, 3, 3, padding=1)).to(memory_format=torch.channels_last),
                                            integers(2, 2, 9, 4, dtype=torch.float32).contiguous(
                                                memory_format=torch.channels_last), "h"))
    yield ("bfloat16", lambda: compare(whole_numbers(nn.Conv2d(2, 3, 3, padding=1)).bfloat16(),
                                       integers(1, 2, 9, 4, dtype=torch.bfloat16), "h"))


def uneven():
    ranks = torch.distributed.get_world_size()
    for sizes in ([1, 7, 3, 2], [0, 6, 0, 5], [9, 1, 1, 0]):
        sizes = sizes[:ranks]
        for name, layer in (("convolution", nn.Conv2d(2, 3, 3, padding=1)), ("stride 2", nn.Conv2d(2, 3, 3, 2, 1)),
                            ("transposed", nn.ConvTranspose2d(2, 3, 2, 2)), ("pool", nn.MaxPool2d(2)),
                            ("average", nn.AvgPool2d(3, 1, 1)), ("up", nn.Upsample(scale_factor=2)),
                            ("up, along w by another", nn.Upsample(scale_factor=(1, 1.5))),
                            ("pad", Lambda(lambda x: F.pad(x, (1, 0, 2, 1)))), ("crop", Lambda(lambda x: x[:, :, 1:-1])),
                            ("shuffled", nn.Sequential(nn.Conv2d(2, 8, 1), nn.PixelShuffle(2))),
                            ("unshuffled", nn.Sequential(nn.Upsample(scale_factor=2), nn.PixelUnshuffle(2)))):
            x = 4 * 9 * ramp(2, 2, sum(sizes), 4)
            yield f"{name} of {sizes}", lambda layer=layer, sizes=sizes, x=x: compare(
                whole_numbers(layer.double()), x, "h", exact=name != "average", bound=1e-9, sizes=sizes)


def windows():
    def case(name, f, *size, axis="h", exact=True, bound=0.):
        return name, lambda: compare(f if isinstance(f, nn.Module) else Lambda(f), ramp(*size), axis, exact, bound)
    yield case("max", nn.MaxPool2d(2), 2, 2, 10, 4)
    yield case("max, overlapping", nn.MaxPool2d(3, 2, 1), 2, 2, 11, 4)
    yield case("max, dilated", nn.MaxPool2d(3, 1, 1, 2), 2, 2, 11, 8)
    yield case("max, ceil", nn.MaxPool2d(3, 2, 1, ceil_mode=True), 2, 2, 10, 6)
    yield case("max, ceil, beyond", nn.MaxPool2d(2, 2, ceil_mode=True), 2, 2, 9, 5)
    yield case("max, ceil, a window larger than x", nn.MaxPool2d(2, 2, 0, 2, ceil_mode=True), 2, 2, 2, 2)
    yield case("max 1D", nn.MaxPool1d(3, 2, 1), 2, 2, 11, axis="w")
    yield case("max 3D", nn.MaxPool3d((3, 1, 1), (2, 1, 1), (1, 0, 0)), 1, 2, 9, 3, 3, axis="d")
    yield case("average", nn.AvgPool2d(4, 2, 1), 2, 2, 12, 6)
    yield case("average, padding not counted", nn.AvgPool2d((2, 3), 2, (0, 1), count_include_pad=False), 2, 2, 12, 6, exact=False,
               bound=1e-12)
    yield case("average 1D", nn.AvgPool1d(2, 2), 2, 2, 12, axis="w")
    yield case("average 3D, divisor", nn.AvgPool3d(2, 1, divisor_override=4), 1, 2, 7, 3, 3, axis="d")
    yield case("fewer rows than ranks", nn.MaxPool2d(5, 5), 1, 1, 10, 10)
    for factor in (1, 2, 3):
        yield case(f"nearest, {factor}", nn.Upsample(scale_factor=factor), 2, 2, 7, 4)
        yield case(f"bilinear, {factor}", nn.Upsample(scale_factor=factor, mode="bilinear"), 2, 2, 7, 4, exact=factor < 3,
                   bound=1e-10)
    yield case("nearest, uneven factor along w", nn.Upsample(scale_factor=(2, 1.5)), 2, 2, 7, 4)
    yield case("trilinear", nn.Upsample(scale_factor=2, mode="trilinear"), 1, 2, 5, 3, 3, axis="d")
    yield case("to a size", lambda x: F.interpolate(x, size=(2 * x.shape[2], 5)), 1, 2, 8, 5)
    yield case("zeros, causal", lambda x: F.pad(x, (1, 1, 2, 0)), 1, 2, 9, 4)
    yield case("ones", lambda x: F.pad(x, (0, 0, 1, 3), value=1.), 1, 2, 9, 4)
    yield case("replicate 3D", lambda x: F.pad(x, (1, 1, 1, 1, 2, 0), mode="replicate"), 1, 2, 9, 3, 3, axis="d")
    yield case("crop", lambda x: x[:, :, 1:-2], 1, 2, 9, 4)
    yield case("crop, rows of a rank and more", lambda x: x[..., 4:, :], 1, 2, 9, 4)
    yield case("shuffled", nn.PixelShuffle(2), 1, 8, 5, 3)
    yield case("unshuffled", nn.PixelUnshuffle(2), 1, 2, 10, 4)


class Squeeze(nn.Module):
    """Squeeze and excitation."""

    def __init__(self):
        super().__init__()
        self.pool, self.down, self.up = nn.AdaptiveAvgPool2d(1), nn.Conv2d(4, 2, 1), nn.Conv2d(2, 4, 1)

    def forward(self, x):
        return x * torch.sigmoid(self.up(torch.relu(self.down(self.pool(x)))))


class Operations(nn.Module):
    """Operations that PyTorch's functions and methods call."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(4, 1, 1, dtype=torch.float64))
        self.place = nn.Parameter(torch.rand(1, 4, 9, 1, dtype=torch.float64))
        self.linear, self.norm = nn.Linear(4, 4).double(), nn.LayerNorm(4).double()

    def forward(self, x):
        y = 1 - x * self.scale + self.place  # of the whole's rows
        y += x.clamp(min=0.1) / 3
        y = torch.cat([y, x.neg()], dim=1)
        a, b = y.chunk(2, 1)
        y = torch.where(a > b, a, b * 2).masked_fill(a < -1, 0.)
        n, c, h, w = y.shape
        y = y.permute(0, 2, 3, 1)
        y = self.norm(self.linear(y)).movedim(-1, 1)
        y = y.reshape(n, 2, c // 2, h, w).transpose(1, 2).flatten(1, 2)
        y = y.unsqueeze(2).squeeze(2) + y.mean(1, keepdim=True) - x.mean((2, 3), keepdim=True)
        y = y * x.sum((-2, -1))[..., None, None].tanh()
        return torch.stack([y, y.softmax(1)], -1).amax(-1)


def norms():
    def case(name, model, *size, axis="h", bound=1e-11, **options):
        return name, lambda: compare(model.double(), torch.randn(*size, dtype=torch.float64) + 3, axis, False, bound,
                                     **options)
    yield case("group", nn.GroupNorm(2, 4), 3, 4, 9, 4)
    yield case("group, without weight", nn.GroupNorm(2, 4, affine=False), 1, 4, 9, 4)
    yield case("instance", nn.InstanceNorm3d(4, affine=True), 2, 4, 7, 3, 3, axis="d")
    yield case("instance, eval", nn.InstanceNorm2d(4, track_running_stats=True, affine=True).eval(), 2, 4, 7, 3)
    yield case("batch", nn.BatchNorm2d(4), 3, 4, 9, 4)
    yield case("batch, eval", nn.BatchNorm2d(4).eval(), 3, 4, 9, 4)
    images = torch.randn(3, 4, 9, 4, dtype=torch.float64).contiguous(memory_format=torch.channels_last)
    for norm in (nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True)):
        yield f"{type(norm).__name__}, images of channels last", lambda norm=norm.double(): compare(
            norm, images.clone(memory_format=torch.preserve_format), "h", False, 1e-11)
    image = torch.randn(1, 4, 9, 4, dtype=torch.float64).contiguous(memory_format=torch.channels_last)
    for model in (nn.BatchNorm2d(4).eval(), nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4).eval())):
        scaled = nn.Sequential(model, Lambda(lambda y: y * 2)).double()
        yield "batch, eval, an image of channels last", lambda scaled=scaled: compare(scaled, image.clone(
            memory_format=torch.preserve_format), "h", False, 1e-11)
    yield case("batch 1D", nn.BatchNorm1d(4), 3, 4, 9, axis="w")
    yield case("fewer rows than ranks", nn.GroupNorm(2, 4), 2, 4, 2, 4)
    for norm in (nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.BatchNorm2d(4)):
        for missing in ("weight", "bias")[isinstance(norm, nn.GroupNorm):]:  # PyTorch 1.13 has no gradients without weight
            alone = copy.deepcopy(norm)
            setattr(alone, missing, None)
            yield case(f"{type(norm).__name__}, no {missing}", alone, 2, 4, 9, 4)
    yield case("after a 1x1 convolution", nn.Sequential(nn.Conv2d(4, 4, 1), nn.GroupNorm(2, 4)), 2, 4, 9, 4)
    yield case("squeeze and excitation", Squeeze(), 2, 4, 9, 4)
    yield case("operations", Operations(), 2, 4, 9, 4)
    yield case("classifier", nn.Sequential(nn.Conv2d(4, 4, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                                           nn.Linear(4, 3)), 2, 4, 9, 4, pooled=True)


def uneven_on_two_axes(rank):
    """Gradients in float64, of parts of different sizes along both axes."""
    groups = [torch.distributed.new_group(ranks) for ranks in ([0, 1], [2, 3], [0, 2], [1, 3])]
    group = groups[2 + rank % 2], groups[rank // 2]
    norm, act = nn.GroupNorm(2, 4), nn.SiLU()
    skip = Lambda(lambda x, down, up: torch.cat([up(down(x), output_size=x.shape[2:]), x], 1), nn.Conv2d(4, 4, 3, 2, 1),
                  nn.ConvTranspose2d(4, 4, 3, 2, 1))
    models = (
        ("stride", nn.Conv2d(4, 4, 3, 2, 1), norm, act, nn.Conv2d(4, 4, 2, (2, 3))),
        ("dilation", nn.Conv2d(4, 4, (3, 2), 1, (3, 1), (2, 3), 2), norm, nn.LeakyReLU(0.1, inplace=True)),
        ("transposed", nn.ConvTranspose2d(4, 4, (3, 2), (2, 3), 1, (1, 2), 2, True, (1, 2)), norm, act, nn.Conv2d(4, 4, 3, 3, 1)),
        ("batch norm", nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.PReLU(4), nn.MaxPool2d(3, 2, 1, ceil_mode=True)),
        ("up", norm, nn.Upsample(scale_factor=2, mode="bilinear"), nn.AvgPool2d(3, 2, 1), nn.Conv2d(4, 4, 1)),
        ("skip", skip, nn.Conv2d(8, 4, 1), Squeeze(), nn.Conv2d(4, 4, 3, padding=1, padding_mode="replicate")),
        ("views", Operations()))
    for (name, *layers), sizes in itertools.product(models, (([5, 4], [1, 3]), ([1, 8], [4, 0]))):
        if "replicate" in str(layers) and 0 in sizes[1]:
            continue  # refused: a border without rows
        x = torch.randn(2, 4, sum(sizes[0]), sum(sizes[1]), dtype=torch.float64)
        try:
            compare(nn.Sequential(*layers).double(), x, ("h", "w"), False, 1e-10, group, sizes)
        except Exception as error:
            raise AssertionError(f"{name}, {sizes}: {error}") from error
    return "right"


def pieces(rank):
    """Rows that are contiguous in memory are computed in place: those that need no others, then those at the borders."""
    found = []
    with mock.patch.object(_convolution, "_compute_into", wraps=_convolution._compute_into) as compute:
        for form in (torch.channels_last_3d, torch.contiguous_format):
            part = distributed.split(nn.Conv3d(2, 3, 3, padding=1).to(memory_format=form), axis="d")
            y = part(part.scatter(integers(1, 2, 9, 3, 3, dtype=torch.float32)).contiguous(memory_format=form).requires_grad_())
            found.append([call.args[0].size(2) for call in compute.call_args_list])
            compute.reset_mock()
            y.sum().backward()
            found.append([call.args[0].size(2) for call in compute.call_args_list])
            compute.reset_mock()
    return found


def single_values():
    """PyTorch's errors: one value has no deviation."""
    for norm, size in ((nn.BatchNorm2d(4), (1, 4, 1, 1)), (nn.GroupNorm(4, 4), (1, 4, 1, 1)), (nn.BatchNorm1d(4), (1, 4, 1)),
                       (nn.InstanceNorm2d(4), (2, 4, 1, 1))):
        def check(norm=norm, x=torch.randn(size)):
            errors, part = [], distributed.split(copy.deepcopy(norm), axis="h" if x.dim() == 4 else "w")
            for f in (norm, lambda x: part(part.scatter(x))):
                try:
                    f(x)
                except ValueError as error:
                    errors.append(str(error))
            assert len(errors) == 2 and errors[0] == errors[1], errors
        yield type(norm).__name__, check


def sixteen_bits():
    """Statistics are added in float32, also those of a mean much larger than the deviation, and of pieces."""
    for dtype, piece, layer in ((torch.float16, 1 << 24, nn.GroupNorm(2, 4)), (torch.bfloat16, 40, nn.GroupNorm(4, 4)),
                                (torch.bfloat16, 100, nn.BatchNorm2d(4))):
        def check(dtype=dtype, piece=piece, layer=layer):
            x = (torch.randn(3, 4, 9, 7, dtype=torch.float64) + 50).to(dtype)
            part = distributed.split(copy.deepcopy(layer).bfloat16() if dtype == torch.bfloat16 else layer, axis="h")
            moments = []
            merged = _norms._merged
            with mock.patch.object(_norms, "_PIECE", piece), mock.patch.object(
                    _norms, "_merged", lambda *a: moments.append(merged(*a)) or moments[0]), torch.no_grad():
                try:
                    part(part.scatter(x))
                except RuntimeError as error:  # PyTorch does not normalise float16 on CPUs
                    assert dtype == torch.float16, error
            mean, m2 = moments[0]
            var, middle = torch.var_mean(x.double(), (2, 3), unbiased=False)
            torch.testing.assert_close(mean, middle, rtol=1e-6, atol=0)
            torch.testing.assert_close(m2 / (9 * 7), var, rtol=1e-5, atol=0)
        yield f"{dtype}, {piece}", check


def questions():
    """What a tensor says of itself is not a tensor."""
    def check():
        said = []
        part = distributed.split(Lambda(lambda x: said.append(x.type()) or x.type(torch.float64)), axis="h")
        y = part(part.scatter(torch.ones(1, 2, 8, 2)))
        assert said == ["torch.FloatTensor"] and y.dtype == torch.float64 and type(y) is torch.Tensor, (said, y)
    yield "type", check


class Moments(unittest.TestCase):
    def test_16_bits_are_widened_piece_by_piece(self):
        x = torch.randn(1, 2, 7, 2).bfloat16()
        with mock.patch.object(_norms, "_PIECE", 8), mock.patch.object(torch, "var_mean", wraps=torch.var_mean) as compute:
            mean, squares = _norms._moments(x)
        self.assertEqual([call.args[0].size(2) for call in compute.call_args_list], [2, 2, 2, 1])
        var, right = torch.var_mean(x.double(), [2, 3], unbiased=False)
        torch.testing.assert_close((mean, squares), (right, var * 14), rtol=1e-6, atol=1e-6)


class Layers(unittest.TestCase):
    def test_rows_in_place(self):
        self.assertEqual(right(self, 3, pieces), [[[2, 1], [2, 1], [], []], [[1, 1, 1], [1, 1, 1], [], []],
                                                  [[2, 1], [2, 1], [], []]])

    def test_convolutions(self):
        for ranks in (2, 3):
            right(self, ranks, cases, convolutions)

    def test_transposed_convolutions(self):
        for ranks in (2, 3):
            right(self, ranks, cases, transposed)

    def test_other_convolutions(self):
        for ranks in (1, 2, 4):
            right(self, ranks, cases, other_convolutions)

    def test_uneven_parts(self):
        for ranks in (3, 4):
            right(self, ranks, cases, uneven)

    def test_uneven_parts_of_two_axes(self):
        right(self, 4, uneven_on_two_axes)

    def test_windows(self):
        for ranks in (2, 3, 4):
            right(self, ranks, cases, windows)

    def test_norms_and_operations(self):
        for ranks in (2, 3):
            right(self, ranks, cases, norms)
        for tests in (single_values, sixteen_bits, questions):
            right(self, 2, cases, tests)


if __name__ == "__main__":
    unittest.main()
