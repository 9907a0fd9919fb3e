#!/usr/bin/python3
"""Convolutions of eight-bit floats with scales against arithmetic of double. Needs no PyTorch. With a number as its first
argument, and perhaps a seed as its second, it checks that many random problems."""
import sys
import unittest

from without import ck_conv, numpy

import test_quantized

FLOAT8 = {"f8_ocp": (3, 7, 0x7e), "bf8_ocp": (2, 15, 0x7b)}  # bits of the fraction, bias, code of the largest number
RESULTS = {"f16": numpy.float16, "bf16": numpy.uint16, "f32": numpy.float32}
DIRECTIONS = {"forward": "y", "backward_data": "x", "backward_weight": "w"}  # and the result of each


def decode(codes, kind):
    """Codes of OCP's eight-bit floats as double."""
    fraction, bias, largest = FLOAT8[kind]
    magnitude = codes & 0x7f
    exponent, rest = (magnitude >> fraction).astype(int), magnitude & ((1 << fraction) - 1)
    value = numpy.ldexp(rest + numpy.where(exponent > 0, 1 << fraction, 0.), numpy.maximum(exponent, 1) - bias - fraction)
    value = numpy.where(magnitude > largest, numpy.nan, value)
    if kind == "bf8_ocp":
        value = numpy.where(magnitude == 0x7c, numpy.inf, value)
    return numpy.where(codes & 0x80, -value, value)


def from_bf16(values):
    return (values.astype(numpy.uint32) << 16).view(numpy.float32)


def rounded(values, kind):
    """Doubles as numbers of a type of results, once rounded to nearest even."""
    with numpy.errstate(over="ignore"):
        if kind != "bf16":
            return values.astype(RESULTS[kind]).astype(float)
        fraction, exponent = numpy.frexp(values)
        exact = numpy.ldexp(numpy.rint(numpy.ldexp(fraction, 8)), exponent - 8)  # without denormals of bf16
        return numpy.where(numpy.abs(exact) >= 2. ** 128, numpy.copysign(numpy.inf, exact), exact)


class Problem(test_quantized.Problem):
    """A random problem, with the sizes and layouts of those of integers."""

    def __init__(self, seed):
        super().__init__(seed)
        r, pick = self.random, self.random.choice
        self.direction = pick(tuple(DIRECTIONS))
        self.result = DIRECTIONS[self.direction]
        self.kind = pick(tuple(RESULTS))
        self.types = {name: self.kind if name == self.result else pick(tuple(FLOAT8)) for name in "xwy"}
        if r.random() < .3:
            self.types.update({name: "f8_ocp" for name in "xwy" if name != self.result})
        self.types["residual"] = self.kind if self.in_place else pick(tuple(RESULTS))
        self.n = pick((1, 1, 2, 3, 4))
        self.tensor_scales, self.amax = r.random() < .7, r.random() < .5
        self.channel_scale = self.channel_scale and self.direction == "forward"
        self.activation = pick((None, None, "relu", "silu", "gelu", "clamp", "leaky_relu", "hard_swish", "hard_sigmoid", "sigmoid"))
        if self.direction == "backward_weight":
            self.bias, self.place, self.activation = False, None, None
        number = lambda: numpy.float32(2. ** r.uniform(-9, 3) * pick((1, 1, 1, -1)))
        self.scale = 1. if self.channel_scale or r.random() < .6 else number()
        self.tensor_scale = {name: number() for name in "xwy"}
        self.scales = [number() for _ in range(self.groups * self.k)]
        # Codes up to this one: sums are of any size.
        self.largest = {name: r.randint(0x20, FLOAT8[kind][2]) for name, kind in self.types.items() if kind in FLOAT8}

    def fields(self):
        self.zero = {name: 0 for name in ("x", "w", "y", "residual")}
        direction_of_scale, self.channel_scale = self.channel_scale, True
        fields = super().fields()
        self.channel_scale = direction_of_scale
        for name in ("residual_scale", "residual_zero_point", "x_zero_point", "w_zero_point", "y_zero_point"):
            fields.pop(name, None)
        fields.update(direction=self.direction, y_type=self.types["y"], channel_scale=self.channel_scale,
                      scale=float(self.scale), tensor_scales=self.tensor_scales, amax=self.amax,
                      leaky_slope=-.25 if self.activation == "leaky_relu" else 0.)
        return fields

    def codes(self, name, shape):
        codes = self.array.integers(0, self.largest[name] + 1, shape)
        return (codes | self.array.integers(0, 2, shape) << 7).astype(numpy.uint8)

    def sums(self, given, output):
        """Sums of products in the order of the result's dimensions. given: {name: values} of both operands; x: [N,
        *input, G, C], w: [G, K, *filter, C], y: [N, *output, G, K]."""
        ahead = [max(low, 0) for low, _ in self.pads]
        behind = [max((o - 1) * s + (f - 1) * d + 1 - low - i, 0) for o, s, f, d, (low, _), i in
                  zip(output, self.strides, self.filter, self.dilations, self.pads, self.input)]
        around = [(0, 0), *zip(ahead, behind), (0, 0), (0, 0)]
        values = dict(given)
        values["x"] = numpy.pad(given["x"], around) if "x" in given else \
            numpy.zeros([length + sum(more) for length, more in zip((self.n, *self.input, self.groups, self.c), around)])
        values.setdefault("w", numpy.zeros((self.groups, self.k, *self.filter, self.c)))
        values.setdefault("y", numpy.zeros((self.n, *output, self.groups, self.k)))
        for tap in numpy.ndindex(*self.filter):
            at = tuple(slice(first, first + (o - 1) * s + 1, s) for first, o, s in
                       ((a - low + t * d, o, s) for a, (low, _), t, d, o, s in
                        zip(ahead, self.pads, tap, self.dilations, output, self.strides)))
            for g in range(self.groups):
                x, w, y = (slice(None), *at, g), (g, slice(None), *tap), (Ellipsis, g, slice(None))
                if self.result == "y":
                    values["y"][y] += values["x"][x] @ values["w"][w].T
                elif self.result == "x":
                    values["x"][x] += values["y"][y] @ values["w"][w]
                else:
                    values["w"][w] += values["y"][y].reshape(-1, self.k).T @ values["x"][x].reshape(-1, self.c)
        inside = tuple(slice(a, a + i) for a, i in zip(ahead, self.input))
        return values[self.result][(slice(None), *inside)] if self.result == "x" else values[self.result]

    def products(self, output):
        """The most products in a sum."""
        taps = int(numpy.prod(self.filter))
        return {"y": self.c * taps, "x": self.k * taps, "w": self.n * int(numpy.prod(output))}[self.result]

    def check(self, limit=None, allow=None, forbid=None):
        """Compares a run with the definition; returns the plan's kernel and the number of elements."""
        spec = ck_conv.Spec(self.input, self.filter, **self.fields())
        output, *_ = spec.sizes()
        plan = ck_conv.Plan(spec, workspace_limit=limit, allow=allow, forbid=forbid)
        shapes = {"x": (self.n, *self.input, self.groups, self.c), "w": (self.groups, self.k, *self.filter, self.c),
                  "y": (self.n, *output, self.groups, self.k)}
        roles = {"x": "image", "w": "filter", "y": "image"}
        codes = {name: self.codes(name, shapes[name]) for name in "xwy" if name != self.result}
        shape, role = shapes[self.result], roles[self.result]
        channels = self.groups * (self.c if self.result == "x" else self.k)
        residual = self.tensor(self.types["residual"], shape) if self.place else None
        bias = self.array.standard_normal(channels).astype(numpy.float32) * 20 if self.bias else None
        given = self.in_memory(residual) if self.place else None
        result = given if self.place and self.in_place else \
            self.in_memory(numpy.full(shape, 77, RESULTS[self.kind]), role)
        amax = numpy.full(1, 77, numpy.float32) if self.amax else None
        scales = {name + "_scale": numpy.full(1, self.tensor_scale[name]) for name in codes
                  if self.tensor_scales and not (name == "w" and self.channel_scale)}
        tensors = {name: self.in_memory(value, roles[name]) for name, value in codes.items()}
        plan.run(**tensors, **{self.result: result}, bias=bias, residual=given, amax=amax, **scales,
                 scale=numpy.array(self.scales, numpy.float32) if self.channel_scale else None,
                 workspace=numpy.full(plan.workspace_size, 0x4b, numpy.uint8) if plan.workspace_size else None)
        values = {name: decode(value, self.types[name]) for name, value in codes.items()}
        in_order = lambda total: total.reshape(-1, channels) if self.result != "w" else \
            total.reshape(channels, -1).T
        factor = float(self.scale) * numpy.prod([float(value[0]) for value in scales.values()] or [1.])
        factor = factor * numpy.array([float(s) for s in self.scales] if self.channel_scale else [1.])
        added = None
        if self.place:
            added = from_bf16(residual) if self.types["residual"] == "bf16" else residual
            added = added.astype(float).reshape(-1, channels)
        expected, error = self.expected(
            in_order(self.sums(values, output)) * factor,
            in_order(self.sums({name: abs(value) for name, value in values.items()}, output)) * abs(factor),
            self.products(output), bias, added)
        stored = result.transpose(numpy.argsort(self.orders[role])) if result.size else result
        got = in_order(from_bf16(stored) if self.kind == "bf16" else stored).astype(float)
        self.compare(got, expected, error, amax, plan)
        return plan.kernel, got.size

    def expected(self, scaled, magnitude, products, bias, residual):
        """The result as double before it is rounded to its type, and the error that f32 may add: of each of the products
        and the few operations after them half a unit in the last place, or a whole one where instructions truncate."""
        unit = 2. ** -23
        error = (products + 6) * unit * magnitude
        value = scaled + (0 if bias is None else bias.astype(float))
        size = magnitude + (0 if bias is None else abs(bias.astype(float)))
        if self.place == "before_activation":
            value, size = value + residual, size + abs(residual)
        error = error + 4 * unit * size + 1e-40
        with numpy.errstate(over="ignore"):
            if self.activation == "relu":
                value = numpy.maximum(value, 0)
            elif self.activation == "clamp":
                value = numpy.clip(value, float(self.limits[0]), float(self.limits[1]))
            elif self.activation == "leaky_relu":
                value = numpy.where(value < 0, -.25 * value, value)
            elif self.activation == "hard_swish":  # 1.5
                value, error = value * numpy.clip(value + 3, 0, 6) / 6, 1.5 * error + 16 * unit * size
            elif self.activation == "hard_sigmoid":
                value, error = numpy.clip(value + 3, 0, 6) / 6, error + 16 * unit
            elif self.activation == "sigmoid":
                value, error = 1 / (1 + numpy.exp(-value)), error + 16 * unit
            elif self.activation == "silu":  # the slope is at most 1.1
                value, error = value / (1 + numpy.exp(-value)), 1.1 * error + 16 * unit * size
            elif self.activation == "gelu":  # 1.13
                below = numpy.array([.5 * erfc(-v / 2 ** .5) for v in value.ravel()]).reshape(value.shape)
                value, error = value * below, 1.13 * error + 16 * unit * size
        if self.place == "after_activation":
            value, error = value + residual, error + 2 * unit * (abs(value) + abs(residual))
        return value, error

    def compare(self, got, expected, error, amax, plan):
        least, most = rounded(expected - error, self.kind), rounded(expected + error, self.kind)
        wrong = numpy.argwhere(~((least <= got) & (got <= most)))
        if len(wrong):
            at = tuple(wrong[0])
            raise AssertionError(f"seed {self.seed}: {len(wrong)} of {got.size} are wrong, the first at {at}: {got[at]}, "
                                 f"not {expected[at]} +- {error[at]}\n{plan.explain().splitlines()[:3]}")
        if amax is None:
            return
        low, high = (float((abs(expected) - error).max()), float((abs(expected) + error).max())) if got.size else (0, 0)
        if not low <= amax[0] <= high * (1 + 2. ** -23):
            raise AssertionError(f"seed {self.seed}: amax is {amax[0]}, not {low} to {high}")


def erfc(x):
    from math import erfc
    return erfc(x)


def campaign(count, first):
    """Checks random problems; returns {direction, types: their number}, {kernel: their number} and the number of
    elements."""
    kinds, kernels, elements = {}, {}, 0
    for seed in range(first, first + count):
        problem = Problem(seed)
        kernel, some = problem.check()
        kind = " ".join((problem.direction, *(problem.types[name] for name in "xwy")))
        kinds[kind] = kinds.get(kind, 0) + 1
        kernels[kernel] = kernels.get(kernel, 0) + 1
        elements += some
    return kinds, kernels, elements


class ScaledFloat8(unittest.TestCase):
    def test_random_problems(self):
        kinds, kernels, elements = campaign(120, 1)
        self.assertGreater(elements, 20000)
        self.assertTrue(all(kernel.startswith("Scaled<") for kernel in kernels), kernels)
        self.assertEqual(len({kind.split()[0] for kind in kinds}), 3)

    def test_every_engine(self):
        engines = {}
        for engine in ("Mma", "Xdl", "Wmma", "Dl"):
            for seed in range(1000, 1008):
                kernel, _ = Problem(seed).check(allow=engine + "<")
                self.assertIn(engine + "<", kernel)
                engines[engine, "Upcast<" in kernel] = engines.get((engine, "Upcast<" in kernel), 0) + 1
        self.assertEqual(set(engines), {("Mma", False), *((e, True) for e in ("Mma", "Xdl", "Wmma", "Dl"))}, engines)
        # e4m3 without copies
        found = 0
        for seed in range(1000, 1060):
            problem = Problem(seed)
            if problem.direction == "forward" and problem.types["x"] == problem.types["w"] == "f8_ocp":
                kernel, _ = problem.check(allow="Mma<", forbid="Upcast<")
                self.assertNotIn("Upcast<", kernel)
                found += 1
        self.assertGreater(found, 4)

    def one(self, x, w, kind="f32", **fields):
        """The results of a 1x1 convolution of one pixel, of each channel, and their amax. x, w: codes of e4m3, or of the
        types in fields."""
        types = {"x_type": "f8_ocp", "w_type": "f8_ocp", **{name: fields.pop(name) for name in ("x_type", "w_type")
                                                            if name in fields}}
        x, w = numpy.array(x, numpy.uint8), numpy.array(w, numpy.uint8)
        plan = ck_conv.Plan(ck_conv.Spec([1, 1], [1, 1], quantized=True, type=kind, **types, c=x.size, k=len(w), amax=True,
                                         **fields))
        y, amax = numpy.zeros(len(w), RESULTS[kind]), numpy.zeros(1, numpy.float32)
        plan.run(x, w, y, amax=amax, workspace=numpy.zeros(plan.workspace_size, numpy.uint8))
        return y.tolist(), amax[0]

    def test_every_code(self):
        one = {"f8_ocp": 0x38, "bf8_ocp": 0x3c}
        for x_type in FLOAT8:
            codes = numpy.arange(256)
            expected = decode(codes, x_type)
            for name, fields in (("w", dict(w_type=x_type, x_type="f8_ocp")), ("x", dict(x_type=x_type, w_type="bf8_ocp"))):
                if name == "w":
                    got, amax = self.one([one["f8_ocp"]], codes[:, None], **fields)
                else:
                    got = [self.one([code], [[one["bf8_ocp"]]], **fields)[0][0] for code in codes]
                self.assertTrue(numpy.array_equal(got, expected, equal_nan=True), (x_type, name))
            self.assertTrue(numpy.isnan(amax))
            finite = codes[numpy.isfinite(expected)]
            self.assertEqual(self.one([one["f8_ocp"]], finite[:, None], w_type=x_type)[1],
                             {"f8_ocp": 448, "bf8_ocp": 57344}[x_type])

    def test_amax_is_not_rounded(self):
        # 448 * 448 is beyond f16, whose result is infinite; 1.125 * 1.125 needs more bits than bf16 has
        self.assertEqual(self.one([0x7e], [[0x7e], [0x38]], "f16"), ([float("inf"), 448], 448 * 448))
        y, amax = self.one([0x39], [[0xb9]], "bf16", scale=1.00390625)
        self.assertEqual((from_bf16(numpy.array(y, numpy.uint16)).tolist(), amax), ([-1.2734375], 1.125 * 1.125 * 1.00390625))
        empty = ck_conv.Plan(ck_conv.Spec([3, 3], [1, 1], quantized=True, type="f8_ocp", y_type="f16", n=0, amax=True))
        amax = numpy.full(1, 77, numpy.float32)
        empty.run(0, numpy.zeros(1, numpy.uint8), 0, amax=amax,
                  workspace=numpy.zeros(empty.workspace_size, numpy.uint8) if empty.workspace_size else None)
        self.assertEqual(amax[0], 0)

    def test_amax_of_many_blocks(self):
        # the largest is anywhere, and equal runs give equal bits
        spec = ck_conv.Spec([64, 64], [1, 1], quantized=True, type="bf8_ocp", y_type="bf16", n=3, k=7, amax=True,
                            tensor_scales=True)
        plan = ck_conv.Plan(spec)
        random = numpy.random.default_rng(3)
        w, scale = numpy.full(7, 0x3c, numpy.uint8), numpy.ones(1, numpy.float32)
        for at in (0, 4095, 3 * 4096 - 1, 7777):
            x = random.integers(0, 0x40, 3 * 64 * 64).astype(numpy.uint8)
            x[at] = 0xd0
            amax = [numpy.zeros(1, numpy.float32) for _ in range(2)]
            for one in amax:
                plan.run(x, w, numpy.zeros(x.size * 7, numpy.uint16), x_scale=scale, w_scale=scale, amax=one,
                         workspace=numpy.zeros(plan.workspace_size, numpy.uint8))
            self.assertEqual((amax[0][0], amax[1][0]), (32, 32))

    def test_long_sums(self):
        # 2^16 products: beyond what 14 bits hold, exact in f32
        for kind, one in (("f8_ocp", 0x38), ("bf8_ocp", 0x3c)):
            self.assertEqual(self.one(numpy.full(1 << 16, one), numpy.full((1, 1 << 16), one), x_type=kind, w_type=kind),
                             ([1 << 16], 1 << 16))

    def test_pieces(self):
        problem = Problem(next(seed for seed in range(99) if Problem(seed).layout == "channels_last"
                               and len(Problem(seed).input) == 2 and Problem(seed).direction == "forward"))
        problem.groups, problem.n, problem.k, problem.c = 1, 1, 16, 1
        problem.input, problem.filter, problem.strides = [190, 100], [3, 2], [1, 1]
        problem.dilations, problem.pads = [1, 1], [(1, 1), (1, 1)]
        problem.amax = False
        kernel, _ = problem.check(limit=1 << 20)
        self.assertIn("CutImage<Scaled<", kernel)
        problem.amax = True
        with self.assertRaisesRegex(ck_conv.Refused, "no kernel computes this"):
            problem.check(limit=1 << 20)

    def test_refusals(self):
        fields = dict(quantized=True, type="f8_ocp", y_type="f16", n=2, k=3, c=4)
        ck_conv.Plan(ck_conv.Spec([5, 5], [3, 3], **fields))
        for changed, reason in (
                (dict(y_type="f8_ocp"), "the type of y is f8_ocp, but the result and the residual of a quantized conv"),
                (dict(w_type="f16"), "the type of w is f16, but operands of a quantized convolution of eight-bit floats are"),
                (dict(x_type="f8"), "the type of x is f8, but operands of .* are f8_ocp or bf8_ocp"),
                (dict(direction="backward_data", x_type="f16", y_type="f32"), "the type of y is f32, but operands of"),
                (dict(w_zero_point=1), "has a zero point or a residual_scale, but those are of integers"),
                (dict(residual="before_activation", residual_scale=2.), "has a zero point or a residual_scale"),
                (dict(residual_type="f16"), "residual_type is given, but epilogue.residual is none"),
                (dict(residual="before_activation", residual_type="f64"), "the type of residual is f64, but the result and"),
                (dict(direction="backward_data", x_type="f16", y_type=None, channel_scale=True),
                 "channel_scale is true and direction is backward data, but only forward has a scale for each channel"),
                (dict(direction="backward_weight", w_type="f32", y_type=None, bias_gradient=True),
                 "bias_gradient is set, but a quantized convolution has none"),
                (dict(direction="backward_weight", w_type="f32", y_type=None, bias=True),
                 "backward weight has a scale, but no bias"),
                (dict(compute="f16"), "compute is f16, but a quantized convolution multiplies its operands as they are"),
                (dict(beta=1.), "beta is 1, but a quantized convolution overwrites its result"),
                (dict(alignment=2), "alignment is 2, but a quantized convolution's bias and scales have elements of 4"),
                (dict(quantized=False, amax=True), "quantization.enabled is false, but another field")):
            with self.assertRaisesRegex(ck_conv.Refused, reason):
                ck_conv.Plan(ck_conv.Spec([5, 5], [3, 3], **{**fields, **changed}))
        plan = ck_conv.Plan(ck_conv.Spec([5, 5], [3, 3], **{**fields, "y_type": "f16"}))
        with self.assertRaisesRegex(ck_conv.Refused, "x_scale is given, but the spec has none"):
            plan.run(0, 0, 0, x_scale=numpy.ones(1, numpy.float32))

    def test_text(self):
        for seed in range(20):
            problem = Problem(seed)
            plan = ck_conv.Plan(ck_conv.Spec(problem.input, problem.filter, **problem.fields()))
            self.assertEqual(ck_conv.Plan.deserialize(plan.serialize()).serialize(), plan.serialize())
            self.assertIn(" quantized=1", plan.serialize())
            self.assertIn("Upcast<", plan.explain())


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        for found in campaign(int(sys.argv[1]), int((sys.argv[2:] or ["1"])[0])):
            print(found)
    else:
        unittest.main()
