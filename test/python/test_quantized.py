#!/usr/bin/python3
"""Quantized convolutions against exact arithmetic. Needs no PyTorch. With a number as its first argument, and perhaps a
seed as its second, it checks that many random problems."""
import random
import struct
import sys
import unittest
from fractions import Fraction
from math import floor, frexp, ldexp
from pathlib import Path

from without import ck_conv, numpy

RANGES = {"i8": (-128, 127), "u8": (0, 255)}
DTYPES = {"i8": numpy.int8, "u8": numpy.uint8, "f16": numpy.float16, "bf16": numpy.uint16, "f32": numpy.float32,
          "i32": numpy.int32}
# bits of the significand, the exponent of the smallest normal number and of the largest one
FLOATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127)}


def to_even(x):
    """A fraction as the nearest integer."""
    low = floor(x)
    rest = x - low
    return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1))


def rounded(x, kind):
    """A fraction as a number of a type of floats."""
    if x == 0:
        return 0.0
    bits, least, most = FLOATS[kind]
    # 2^exponent is at most x. An exponent that is one less than that of the nearest double may be gives the same result.
    exponent = max(least, frexp(float(x))[1] - 1)
    if exponent > least and abs(x) < Fraction(2) ** exponent:
        exponent -= 1
    value = to_even(x * Fraction(2) ** (bits - 1 - exponent))
    result = ldexp(value, exponent - bits + 1)
    return float("inf") * (1 if x > 0 else -1) if abs(result) >= 2. ** most * 2 else result


def decoded(values, kind):
    """An array's elements as exact numbers."""
    if kind == "bf16":
        return [struct.unpack("<f", struct.pack("<I", int(v) << 16))[0] for v in values.ravel()]
    return values.ravel().tolist()


class Problem:
    """A random problem, with its tensors in channels last."""

    def __init__(self, seed):
        self.seed = seed
        r = self.random = random.Random(seed)
        self.array = numpy.random.default_rng(seed)
        pick = r.choice
        rank = pick((1, 2, 2, 2, 3))
        self.types = {"x": pick(("i8", "u8")), "w": pick(("i8", "i8", "u8")),
                      "y": pick(("i8", "u8", "f16", "bf16", "f32"))}
        self.types["residual"] = self.types["y"] if r.random() < .5 else pick(("i8", "u8", "f16", "bf16", "f32"))
        self.groups, self.n = pick((1, 1, 1, 2, 3)), pick((1, 1, 2, 3))
        self.k, self.c = pick((1, 2, 3, 4, 5, 8, 16, 20)), pick((1, 2, 3, 4, 8, 16, 17, 32))
        longest = {1: 24, 2: 9, 3: 5}[rank]
        self.filter = [r.randint(1, {1: 9, 2: 4, 3: 3}[rank]) for _ in range(rank)]
        self.strides = [pick((1, 1, 1, 2, 3)) for _ in range(rank)]
        self.dilations = [pick((1, 1, 1, 2)) for _ in range(rank)]
        self.pads = [(pick((0, 0, 1, 2, 3)), pick((0, 0, 1, 2, 3))) for _ in range(rank)]
        if r.random() < .1:
            self.pads[0] = -1, self.pads[0][1]
        self.input = [max(r.randint(1, longest), d * (f - 1) + 1 - sum(p))
                      for f, d, p in zip(self.filter, self.dilations, self.pads)]
        for i, (low, _) in enumerate(self.pads):
            self.input[i] = max(self.input[i], 1 - 2 * min(low, 0))
        zero = r.random()
        point = lambda kind: 0 if kind not in RANGES or r.random() < .3 else r.randint(*RANGES[kind])
        self.zero = {name: point(kind) if name == "y" or zero < .8 else 0 for name, kind in self.types.items()}
        self.place = pick((None, None, "before_activation", "after_activation"))
        self.activation = pick((None, "relu", "clamp"))
        self.limits = sorted((numpy.float32(r.uniform(-20, 60)), numpy.float32(r.uniform(-20, 60))))
        self.bias, self.channel_scale = r.random() < .6, r.random() < .7
        # Powers of two make ties; sums reach about the range of the result.
        size = 2. ** r.randint(-14, 1)
        self.scales = [numpy.float32(size if r.random() < .3 else size * r.uniform(.5, 2) * pick((1, 1, -1)))
                       for _ in range(self.groups * self.k if self.channel_scale else 1)]
        self.residual_scale = pick((numpy.float32(1), numpy.float32(.5), numpy.float32(r.uniform(-2, 2))))
        self.layout = pick(("channels_last", "channels_last", "channels_first", "strided"))
        self.alignment = pick((16, 16, 4, 8))
        self.orders = {"image": self.order(rank + 3, [0, -2, -1]), "filter": self.order(rank + 3, [0, 1, -1])}
        self.in_place = self.types["residual"] == self.types["y"] and r.random() < .5

    def order(self, count, first):
        """The order of dimensions in memory, slowest first. first: the first ones of channels first."""
        order = list(range(count))
        if self.layout == "channels_first":
            first = [at % count for at in first]
            order = first + [at for at in order if at not in first]
        elif self.layout == "strided":
            self.random.shuffle(order)
        return order

    def memory_strides(self, shape, role, order_of_spec):
        """Elements from one index to the next, in the order of a spec."""
        strides, step = {}, 1
        for at in reversed(self.orders[role]):
            strides[at] = step
            step *= shape[at]
        return [strides[at % len(shape)] for at in order_of_spec]

    def fields(self):
        low, high = zip(*self.pads)
        rank = len(self.input)
        fields = dict(quantized=1, type=self.types["y"], x_type=self.types["x"], w_type=self.types["w"],
                      layout=self.layout, groups=self.groups, n=self.n, k=self.k, c=self.c, strides=self.strides,
                      dilations=self.dilations, pad_low=list(low), pad_high=list(high), bias=self.bias,
                      alignment=self.alignment,
                      x_zero_point=self.zero["x"], w_zero_point=self.zero["w"], y_zero_point=self.zero["y"])
        if self.layout == "strided":
            spatial = range(1, rank + 1)
            output = [(i + sum(p) - d * (f - 1) - 1) // s + 1 for i, p, d, f, s in
                      zip(self.input, self.pads, self.dilations, self.filter, self.strides)]
            fields.update(
                x_strides=self.memory_strides((self.n, *self.input, self.groups, self.c), "image", (-2, 0, -1, *spatial)),
                y_strides=self.memory_strides((self.n, *output, self.groups, self.k), "image", (-2, 0, -1, *spatial)),
                w_strides=self.memory_strides((self.groups, self.k, *self.filter, self.c), "filter",
                                              (0, 1, -1, *(at + 1 for at in spatial))))
        if self.channel_scale:
            fields.update(channel_scale=True)
        else:
            fields.update(scale=float(self.scales[0]))
        if self.activation:
            fields.update(activation=self.activation)
        if self.activation == "clamp":
            fields.update(clamp_least=float(self.limits[0]), clamp_most=float(self.limits[1]))
        if self.place:
            fields.update(residual=self.place, residual_type=self.types["residual"],
                          residual_scale=float(self.residual_scale), residual_zero_point=self.zero["residual"])
        return fields

    def tensor(self, kind, shape):
        if kind in RANGES:
            low, high = RANGES[kind]
            ends = self.array.random(shape) < .1
            values = self.array.integers(low, high + 1, shape)
            return numpy.where(ends, self.array.choice((low, high), shape), values).astype(DTYPES[kind])
        values = (self.array.standard_normal(shape) * 20).astype(numpy.float32)
        return (values.view(numpy.uint32) >> 16).astype(numpy.uint16) if kind == "bf16" else values.astype(DTYPES[kind])

    def sums(self, x, w, output):
        """Sums of products, int64, [N, *output, G, K]. x: [N, *input, G, C]; w: [G, K, *filter, C]."""
        x, w = x.astype(numpy.int64) - self.zero["x"], w.astype(numpy.int64) - self.zero["w"]
        ahead = [max(low, 0) for low, _ in self.pads]  # padding has the zero point: now 0
        behind = [max((o - 1) * s + (f - 1) * d + 1 - low - i, 0) for o, s, f, d, (low, _), i in
                  zip(output, self.strides, self.filter, self.dilations, self.pads, self.input)]
        x = numpy.pad(x, [(0, 0), *zip(ahead, behind), (0, 0), (0, 0)])
        total = numpy.zeros((self.n, *output, self.groups, self.k), numpy.int64)
        for tap in numpy.ndindex(*self.filter):
            at = tuple(slice(first, first + (o - 1) * s + 1, s) for first, o, s in
                       ((a - low + t * d, o, s) for a, (low, _), t, d, o, s in
                        zip(ahead, self.pads, tap, self.dilations, output, self.strides)))
            for g in range(self.groups):
                total[..., g, :] += x[(slice(None), *at, g)] @ w[(g, slice(None), *tap)].T
        return total

    def in_memory(self, values, role="image"):
        """A copy of [N, *spatial, G, C], or of W's [G, K, *filter, C], in the order of the layout."""
        return numpy.array(values.transpose(self.orders[role]), order="C")

    def check(self, limit=None, allow=None):
        """Compares a run with the definition; returns the plan's kernel and the number of elements."""
        plan_spec = ck_conv.Spec(self.input, self.filter, **self.fields())
        output, *_ = plan_spec.sizes()
        plan = ck_conv.Plan(plan_spec, workspace_limit=limit, allow=allow)
        x = self.tensor(self.types["x"], (self.n, *self.input, self.groups, self.c))
        w = self.tensor(self.types["w"], (self.groups, self.k, *self.filter, self.c))
        shape = self.n, *output, self.groups, self.k
        residual = self.tensor(self.types["residual"], shape) if self.place else None
        bias = self.array.integers(-2 ** 15, 2 ** 15, self.groups * self.k).astype(numpy.int32) if self.bias else None
        if self.bias and self.random.random() < .1:
            bias[0], bias[-1] = -2 ** 31, 2 ** 31 - 1
        given = self.in_memory(residual) if self.place else None
        y = self.in_memory(numpy.full(shape, 77, DTYPES[self.types["y"]]))
        if self.place and self.in_place:
            y = given
        plan.run(self.in_memory(x), self.in_memory(w, "filter"), y, bias=bias, residual=given,
                 workspace=numpy.full(plan.workspace_size, 0x4b, numpy.uint8) if plan.workspace_size else None,
                 scale=numpy.array(self.scales, numpy.float32) if self.channel_scale else None)
        sums = self.sums(x, w, output).reshape(-1, self.groups * self.k)
        added = decoded(residual, self.types["residual"]) if self.place else None
        got = decoded(y.transpose(numpy.argsort(self.orders["image"])), self.types["y"])
        expected = self.expected(sums, bias, added)
        wrong = [i for i, (a, b) in enumerate(zip(got, expected)) if a != b]
        if wrong or len(got) != len(expected):
            raise AssertionError(f"seed {self.seed}: {len(wrong)} of {len(got)} are wrong, the first {wrong[0]}: "
                                 f"{got[wrong[0]]}, not {expected[wrong[0]]}\n{plan.explain().splitlines()[:3]}")
        return plan.kernel, len(got)

    def expected(self, sums, bias, residual):
        scales = [Fraction(float(s)) for s in self.scales]
        kind, factor = self.types["y"], Fraction(float(self.residual_scale))
        least, most = {None: (None, None), "relu": (0, None),
                       "clamp": tuple(Fraction(float(v)) for v in self.limits)}[self.activation]
        result = []
        for number, total in enumerate(sums.ravel().tolist()):
            channel = number % sums.shape[1]
            value = (total + (int(bias[channel]) if self.bias else 0)) * scales[channel if self.channel_scale else 0]
            more = (Fraction(residual[number]) - self.zero["residual"]) * factor if self.place else 0
            value += more if self.place == "before_activation" else 0
            value = value if least is None or value > least else Fraction(least)
            value = value if most is None or value < most else most
            value += more if self.place == "after_activation" else 0
            if kind in RANGES:
                low, high = RANGES[kind]
                result.append(min(max(to_even(value) + self.zero["y"], low), high))
            else:
                result.append(rounded(value, kind))
        return result


def campaign(count, first):
    """Checks random problems; returns {kernel: their number} and the number of elements."""
    kernels, elements = {}, 0
    for seed in range(first, first + count):
        kernel, some = Problem(seed).check()
        kernels[kernel] = kernels.get(kernel, 0) + 1
        elements += some
    return kernels, elements


class Quantized(unittest.TestCase):
    def test_random_problems(self):
        kernels, elements = campaign(100, 1)
        self.assertGreater(elements, 20000)
        self.assertTrue(all(kernel.startswith("Quantized<") for kernel in kernels), kernels)

    def one(self, x, w, y_type, bias=None, scale=1., residual=None, **fields):
        """The result of a 1x1 convolution of one pixel, of each channel."""
        x, w = numpy.array(x), numpy.array(w)
        spec = ck_conv.Spec([1, 1], [1, 1], quantized=True, type=y_type, x_type="i8", w_type="i8", c=len(x),
                            k=len(w), bias=bias is not None, channel_scale=True,
                            residual=None if residual is None else "before_activation", **fields)
        plan = ck_conv.Plan(spec)
        y = numpy.zeros(len(w), DTYPES[y_type])
        plan.run(x.astype(numpy.int8), w.astype(numpy.int8), y,
                 bias=None if bias is None else numpy.full(len(w), bias, numpy.int32),
                 scale=numpy.full(len(w), scale, numpy.float32), residual=residual,
                 workspace=numpy.zeros(plan.workspace_size, numpy.uint8))
        return decoded(y, y_type)

    def test_rounds_once(self):
        # ties to even, before the zero point is added
        values = [1, 3, 5, -1, -3, -5, 7, 127]
        self.assertEqual(self.one([1], [[v] for v in values], "i8", scale=.5), [0, 2, 2, 0, -2, -2, 4, 64])
        self.assertEqual(self.one([1], [[v] for v in values], "i8", scale=.5, y_zero_point=1),
                         [1, 3, 3, 1, -1, -1, 5, 65])
        self.assertEqual(self.one([1], [[v] for v in values], "u8", scale=4, y_zero_point=2),
                         [6, 14, 22, 0, 0, 0, 30, 255])
        # What a double of the product loses decides: 2^31 * 1.0000001 has 55 bits.
        for number in (2 ** 31 - 1, -2 ** 31, 2 ** 31 - 77):
            for scale in (1 + 2 ** -23, 1 - 2 ** -24, 3.0000002):
                factor = float(numpy.float32(scale))
                exact = (1 + number) * Fraction(factor)
                near = numpy.array([-float(exact)], numpy.float32)  # leaves a small rest
                for kind in ("i8", "f32", "f16", "bf16"):
                    value = exact + Fraction(float(near[0]))
                    right = min(max(to_even(value), -128), 127) if kind == "i8" else rounded(value, kind)
                    self.assertEqual(self.one([1], [[1]], kind, bias=number, scale=scale, residual=near,
                                              residual_type="f32"), [right], (number, scale, kind))

    def test_long_sums(self):
        # beyond 2^24 and up to the end of int32; one product more may not fit and is refused
        for products, x, w in ((1025, -128, -128), (131071, -128, -128)):
            spec = ck_conv.Spec([1], [1], quantized=True, type="f32", x_type="i8", w_type="i8", c=products)
            plan = ck_conv.Plan(spec)
            y = numpy.zeros(1, numpy.float32)
            plan.run(numpy.full(products, x, numpy.int8), numpy.full(products, w, numpy.int8), y,
                     workspace=numpy.zeros(plan.workspace_size, numpy.uint8))
            self.assertEqual(y[0], numpy.float32(products * x * w))
        with self.assertRaisesRegex(ck_conv.Refused, "a sum has 131072 products, but this kernel's integers of 32 bits "
                                                     "hold the sums of at most 131071 products of int8"):
            ck_conv.Plan(ck_conv.Spec([1], [1], quantized=True, type="f32", x_type="u8", w_type="i8", c=131072))

    def test_every_engine(self):
        seeds = range(1000, 1006)
        engines = {}
        for engine in ("Xdl", "Mma", "Wmma", "Dl"):
            for seed in seeds:
                problem = Problem(seed)
                try:
                    kernel, _ = problem.check(allow=engine + "<")
                except ck_conv.Refused:
                    continue
                self.assertIn(engine + "<", kernel)
                engines[engine] = engines.get(engine, 0) + 1
        self.assertEqual(set(engines), {"Xdl", "Mma", "Wmma", "Dl"}, engines)

    def test_pieces(self):
        # Images are cut where copies do not fit the workspace: borders of pieces are no padding.
        problem = Problem(next(seed for seed in range(99) if Problem(seed).layout == "channels_last"
                               and len(Problem(seed).input) == 2))
        problem.types.update(x="u8", w="u8", y="i8")
        problem.zero.update(x=3, w=250, y=-7)
        problem.groups, problem.n, problem.k, problem.c = 1, 1, 16, 1
        problem.input, problem.filter, problem.strides = [190, 100], [3, 2], [1, 1]
        problem.dilations, problem.pads = [1, 1], [(1, 1), (1, 1)]
        problem.place, problem.activation, problem.bias, problem.channel_scale = None, None, False, False
        problem.scales = [numpy.float32(2 ** -10)]
        problem.expected = lambda sums, *_: numpy.clip(numpy.rint(sums.ravel() / 2 ** 10) - 7, -128, 127).tolist()
        kernel, _ = problem.check(limit=1 << 20)
        self.assertIn("CutImage<Quantized<", kernel)

    def test_refusals(self):
        fields = dict(quantized=True, type="i8", n=2, k=3, c=4)
        ck_conv.Plan(ck_conv.Spec([5, 5], [3, 3], **fields))
        for changed, reason in (
                (dict(quantized=False, type="u8"), "the type of x is u8, but only quantized convolutions"),
                (dict(quantized=False, x_zero_point=1), "quantization.enabled is false, but another field"),
                (dict(direction="backward_data"), "direction is backward data, but quantized convolutions of"),
                (dict(transposed=True), "transposed is set, but quantized convolutions of integers are forward and not transposed"),
                (dict(w_type="f16"), "the type of w is f16, but operands of a quantized convolution of integers are i8 or u8"),
                (dict(y_type="f64"), "the type of y is f64, but the result and the residual .* are i8, u8, f16, bf16 or f32"),
                (dict(residual="before_activation", residual_type="f8"), "the type of residual is f8, but the result and"),
                (dict(residual_type="i8"), "but epilogue.residual is none"),
                (dict(residual_scale=2.), "but epilogue.residual is none"),
                (dict(compute="f16"), "compute is f16, but a quantized convolution multiplies its operands as they"),
                (dict(beta=1.), "beta is 1, but a quantized convolution overwrites its result"),
                (dict(channel_scale=True, scale=2.), r"epilogue.scale is 2.0+, but with quantization.channel_scale"),
                (dict(activation="gelu"), "epilogue.activation is gelu, but a quantized convolution has none, relu or"),
                (dict(activation="silu"), "epilogue.activation is silu, but"),
                (dict(activation="leaky_relu", leaky_slope=.5), "epilogue.activation is leaky_relu, but"),
                (dict(activation="hard_swish"), "epilogue.activation is hard_swish, but"),
                (dict(activation="hard_sigmoid"), "epilogue.activation is hard_sigmoid, but"),
                (dict(activation="sigmoid"), "epilogue.activation is sigmoid, but"),
                (dict(x_zero_point=128), "x_zero_point is 128, but a zero point of i8 must be -128 to 127"),
                (dict(x_type="u8", x_zero_point=-1), "x_zero_point is -1, but a zero point of u8 must be 0 to 255"),
                (dict(w_zero_point=-129), "w_zero_point is -129, but a zero point of i8"),
                (dict(y_type="f16", y_zero_point=1), "y_zero_point is 1, but a zero point of f16 must be 0"),
                (dict(residual="after_activation", residual_type="u8", residual_zero_point=256),
                 "residual_zero_point is 256, but a zero point of u8"),
                (dict(residual="after_activation", residual_scale=float("inf")), "residual_scale is inf, but must be fin"),
                (dict(tensor_scales=True), "tensor_scales is true, but only quantized convolutions of eight-bit floats have th"),
                (dict(amax=True), "amax is true, but only quantized convolutions of eight-bit floats have one"),
                (dict(alignment=2), "alignment is 2, but a quantized convolution's bias and scales have elements of 4")):
            with self.assertRaisesRegex(ck_conv.Refused, reason):
                ck_conv.Plan(ck_conv.Spec([5, 5], [3, 3], **{**fields, **changed}))

    def test_what_the_documents_show(self):
        shown = (Path(__file__).resolve().parent / "quantized_example.py").read_text()
        names = {"print": lambda *_: None}
        exec(shown, names)
        # the corner has 4 of 9 taps
        for pixel, taps in ((names["y"][0, 0, 0], 4), (names["y"][0, 4, 4], 9)):
            value = to_even(Fraction(1000 - 2 * 3 * 16 * taps, 16)) + 3
            self.assertEqual(pixel.tolist(), [value] * 4)
            self.assertIn(f"[{' '.join([str(value)] * 4)}]", shown)

    def test_text(self):
        for seed in range(20):
            problem = Problem(seed)
            plan = ck_conv.Plan(ck_conv.Spec(problem.input, problem.filter, **problem.fields()))
            self.assertEqual(ck_conv.Plan.deserialize(plan.serialize()).serialize(), plan.serialize())
            self.assertIn(" quantized=1", plan.serialize())


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        print(campaign(int(sys.argv[1]), int((sys.argv[2:] or ["1"])[0])))
    else:
        unittest.main()
