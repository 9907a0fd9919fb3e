#!/usr/bin/python3
"""Numbers and texts that cross from Python into C arrive as they are, or are refused. Needs no PyTorch."""
import ctypes
import unittest
from unittest import mock

from without import ck_conv, numpy
from ck_conv._c import checked, geometry, interface as library

WHOLE = {library.c_int: (-2 ** 31, 2 ** 31 - 1), library.c_int64: (-2 ** 63, 2 ** 63 - 1),
         library.c_size_t: (0, 2 ** 64 - 1), library.c_void_p: (0, 2 ** 64 - 1)}
STRUCTS = (library.CSpec, library.COptions, library.CTensors, library.CCausalOptions, library.CCausalTensors,
           library.CCausalSizes)
NO_NUMBERS = 2.0, 2.7, float("nan"), True, "2", b"2", [2], {}, 1j
EXACT = [numpy.int8, numpy.uint16, numpy.int32, numpy.int64, numpy.uint64]


class Exact:
    """What says that it is a whole number."""

    def __index__(self):
        return 3


class Fields(unittest.TestCase):
    def each(self, *kinds):
        """(struct, name, C type of its elements, how a value is set, how it is read)"""
        for struct in STRUCTS:
            for name, kind in struct._fields_:
                def set_all(value, struct=struct, name=name):
                    made = struct()
                    setattr(made, name, value)
                    return getattr(made, name)

                if issubclass(kind, ctypes.Array):
                    if kind._type_ in kinds:
                        def set_one(value, struct=struct, name=name):
                            made = struct()
                            getattr(made, name)[1] = value
                            return getattr(made, name)[1]

                        def set_some(value, struct=struct, name=name):
                            made = struct()
                            getattr(made, name)[1:2] = [value]
                            return getattr(made, name)[1]

                        yield name, kind._type_, lambda value, f=set_all: f([value])[0]
                        yield name, kind._type_, set_one
                        yield name, kind._type_, set_some
                elif kind in kinds:
                    yield name, kind, set_all
                    yield name, kind, lambda value, struct=struct, name=name: getattr(struct(**{name: value}), name)

    def test_whole_numbers(self):
        count = 0
        for name, kind, change in self.each(*WHOLE):
            least, most = WHOLE[kind]
            for value in (least, 1, most):
                self.assertEqual(change(value) or 0, value, name)
            for value in (least - 1, most + 1, 2 ** 64 + 1, 10 ** 23, -10 ** 23, 10 ** 5000):
                with self.assertRaisesRegex(ck_conv.Refused, r" is \S+.*, but must be from -?\d+ to \d+"):
                    change(value)
            for value in NO_NUMBERS:
                with self.assertRaisesRegex(TypeError, "but must be a whole number"):
                    change(value)
            for value in [Exact()] + [number(3) for number in EXACT] + [numpy.array(3)]:
                self.assertEqual(change(value), 3)
            for value in (numpy.float64(3), numpy.bool_(True), numpy.array([3, 3])):
                with self.assertRaisesRegex(TypeError, "but must be a whole number"):
                    change(value)
            count += 1
        self.assertEqual(count, 157)  # fields of the six structs, and ways to set them

    def test_real_numbers(self):
        names = set()
        for name, _, change in self.each(library.c_float):
            names.add(name)
            for value in (1, 0.5, numpy.float32(0.5), numpy.int64(3)):
                self.assertEqual(change(value), value)
            for value in (True, "1", None, 1j, [1]):
                with self.assertRaisesRegex(TypeError, "but must be a number"):
                    change(value)
            with self.assertRaisesRegex(ck_conv.Refused, "too large for a float"):
                change(10 ** 400)
        self.assertEqual(names, {"beta", "scale", "clamp_least", "clamp_most", "leaky_slope", "residual_scale"})

    def test_texts(self):
        names = set()
        for name, _, change in self.each(library.c_char_p):
            names.add(name)
            self.assertEqual((change("a"), change(b"a"), change(None)), (b"a", b"a", None))
            with self.assertRaisesRegex(ck_conv.Refused, f"{name} has a zero byte"):
                change("a\0b")
            with self.assertRaisesRegex(ck_conv.Refused, f"{name} is .*, which UTF-8 cannot encode"):
                change("\ud800")
            for wrong in (3, 0, False, [], 0.):
                with self.assertRaisesRegex(TypeError, f"{name} is .*, but must be a str"):
                    change(wrong)
                with self.assertRaisesRegex(TypeError, f"{name} is .*, but must be a str"):
                    ck_conv.Plan(ck_conv.Spec([5], [3]), **{name: wrong})
        self.assertEqual(names, {"allow", "forbid"})

    def test_arrays_of_another_struct(self):
        made, other = library.CSpec(strides=[2, 3]), library.CSpec()
        other.strides = made.strides
        made.strides[0] = 7
        self.assertEqual(list(other.strides), [2, 3, 0])
        with self.assertRaisesRegex(TypeError, "x has the type c_longdouble, of which nothing is known here"):
            checked.checked(ctypes.c_longdouble, 1.5, "x")

    def test_null(self):
        self.assertIsNone(library.CTensors(x=None).x)
        for struct, name in ((library.CSpec, "n"), (library.COptions, "workspace_limit")):
            with self.assertRaisesRegex(TypeError, f"{name} is None, but must be a whole number"):
                struct(**{name: None})

    def test_other_names(self):
        with self.assertRaisesRegex(AttributeError, "ck_conv_spec has no field 'groop'"):
            library.CSpec().groop = 1

    def test_every_parameter_of_a_number_or_text_is_checked(self):
        """What is not a pointer to memory of ours has no plain ctypes type."""
        plain = [ctypes.c_int, ctypes.c_int64, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_float]
        for name, parameters in library._FUNCTIONS.items():
            for parameter in parameters:
                self.assertNotIn(parameter, plain, name)
        spec = library.CSpec()
        for size, rank in ((2 ** 64 + ctypes.sizeof(spec), 1), (ctypes.sizeof(spec), 2 ** 32 + 1), (-1, 1)):
            with self.assertRaisesRegex(ctypes.ArgumentError, "Refused: (size|rank) is .*, but must be from"):
                library.library().ck_conv_spec_init(spec, size, rank)
        with self.assertRaisesRegex(ck_conv.Refused, "the plan's text has a zero byte"):
            ck_conv.Plan.deserialize("ck_conv_plan\0")
        with self.assertRaisesRegex(TypeError, "the plan's text is None, but must be a str"):
            ck_conv.Plan.deserialize(None)


class Specs(unittest.TestCase):
    def spec(self, **fields):
        return ck_conv.Spec(**{"input": [8, 8], "filter": [1, 1], **fields})

    def test_sizes_that_wrapped(self):
        for fields in ({"strides": 2 ** 64 + 1}, {"strides": [1, 2 ** 64 + 1]}, {"n": 2 ** 64 + 2}, {"n": 10 ** 23},
                       {"transposed": 2 ** 32}, {"bias": 2 ** 32}, {"alignment": -16}, {"alignment": 2 ** 64 + 16},
                       {"input": [2 ** 64 + 8, 8]}, {"pad_low": -2 ** 64}, {"x_strides": [2 ** 64] * 5}):
            with self.assertRaisesRegex(ck_conv.Refused, f"{next(iter(fields))} is .*, but must be from"):
                self.spec(**fields)
        with self.assertRaisesRegex(ck_conv.Refused, "workspace_limit is -1"):
            ck_conv.Plan(self.spec(), workspace_limit=-1)
        with self.assertRaisesRegex(ck_conv.Refused, "workspace_limit is 18446744073709551616"):
            ck_conv.Plan(self.spec(), workspace_limit=2 ** 64)
        with self.assertRaisesRegex(ck_conv.Refused, "allow has a zero byte"):
            ck_conv.Plan(self.spec(), allow="Conv\0!")

    def test_the_largest_limit_is_not_the_default(self):
        """Also if its type is not int."""
        class Number:
            def __index__(self):
                return library.DEFAULT_LIMIT

        options = []
        plan_options = library.plan_options
        def noted(direction):
            options.append(plan_options(direction))
            return options[-1]

        with mock.patch.object(library, "plan_options", noted):
            for limit in (library.DEFAULT_LIMIT, Number()):
                ck_conv.Plan(self.spec(), workspace_limit=limit)
                self.assertEqual(options[-1].workspace_limit, library.DEFAULT_LIMIT - 1)

    def test_what_is_no_number(self):
        for fields in ({"n": 1.5}, {"n": True}, {"strides": 1.5}, {"strides": [1, 1.5]}, {"input": [8, 8.0]}, {"c": "1"},
                       {"input": 8}, {"filter": "11"}, {"strides": "11"}, {"transposed": 1.0}, {"n": None}):
            with self.assertRaisesRegex(TypeError, next(iter(fields))):
                self.spec(**fields)
        with self.assertRaisesRegex(ck_conv.Refused, r"type is \['f32'\], but must be one of"):
            self.spec(type=["f32"])
        for value in (1, 0, True, False):  # which are whole numbers elsewhere
            with self.assertRaisesRegex(ck_conv.Refused, "type is"):
                self.spec(type=value)

    def test_numbers_of_numpy(self):
        spec = self.spec(input=numpy.array([8, 7]), filter=(numpy.int32(3), 3), n=numpy.uint8(2), strides=numpy.int64(2),
                         bias=numpy.bool_(True), scale=numpy.float32(0.5))
        self.assertEqual(spec.sizes()[0], (3, 3))
        self.assertEqual((spec.c_spec.n, spec.c_spec.bias, spec.c_spec.scale), (2, 1, 0.5))
        self.assertEqual(self.spec(strides=numpy.array(2), dilations=numpy.array(3)).sizes()[0],
                         self.spec(strides=2, dilations=3).sizes()[0])
        for field in ("input", "filter"):
            with self.assertRaisesRegex(TypeError, rf"{field} is array\(8\), but must be a list of whole numbers"):
                self.spec(**{field: numpy.array(8)})

    def test_flags(self):
        self.assertEqual([self.spec(transposed=v).c_spec.transposed for v in (True, False, 1, 0)], [1, 0, 1, 0])
        with self.assertRaisesRegex(ck_conv.Refused, "transposed is 2, but must be 0 or 1"):
            self.spec(transposed=2).sizes()


class Geometry(unittest.TestCase):
    """Arguments of conv1d to conv_transpose3d."""

    def of(self, stride=1, padding=0, dilation=1, groups=1, output_padding=0):
        return (geometry.convolution(2, (3, 2, 3, 3), stride, padding, dilation, groups),
                geometry.transposed(2, (2, 3, 3, 3), stride, padding, output_padding, groups, dilation))

    def test_numbers(self):
        for name in ("stride", "padding", "dilation", "groups"):
            for value in (1.0, 2.7, True, None, 1j):
                with self.assertRaisesRegex(TypeError, f"{name} is .*, but must be a whole number"):
                    self.of(**{name: value})
                if name != "groups":
                    with self.assertRaisesRegex(TypeError, f"{name} is .*, but must be a whole number"):
                        self.of(**{name: (1, value)})
            for value in (2 ** 63, 2 ** 64 + 1, 10 ** 23, -2 ** 63 - 1):
                with self.assertRaisesRegex(ck_conv.Refused, f"{name} is {value}, but must be from"):
                    self.of(**{name: value})
            self.assertIn(2 ** 63 - 1, [v for g in self.of(**{name: 2 ** 63 - 1}) for f in g
                                        for v in (f if isinstance(f, tuple) else (f,))])
            self.assertEqual(self.of(**{name: numpy.int64(1)}), self.of(**{name: 1}))
        self.assertEqual(self.of(stride=numpy.array([2, 1])), self.of(stride=(2, 1)))
        with self.assertRaisesRegex(TypeError, "output_padding is True"):
            self.of(output_padding=True)

    def test_filters_of_length_0(self):
        for g, w in zip(self.of(), ((3, 2, 0, 3), (2, 3, 3, 0))):
            with self.assertRaisesRegex(ValueError, "has a filter of length 0"):
                geometry.output_size((1, 2, 8, 8), w, g)
        for transposed in (False, True):
            with self.assertRaisesRegex(ck_conv.Refused, "the filter length in W .* is 0"):
                ck_conv.Spec([8], [0], transposed=transposed).sizes()


    def test_results_of_negative_length(self):
        transposed = self.of(padding=3)[1]
        for n in (0, 1):
            with self.assertRaisesRegex(ValueError, "the result would have length -2 in dimension 2"):
                geometry.output_size((n, 2, 2, 9), (2, 3, 3, 3), transposed)
        self.assertEqual(geometry.output_size((1, 2, 2, 9), (2, 3, 3, 3), self.of(padding=2)[1]), [1, 3, 0, 7])


class Limits(unittest.TestCase):
    def test_they_are_those_of_c(self):
        self.assertEqual(checked.LIMITS, WHOLE)

    def test_messages_of_long_numbers_are_short(self):
        self.assertEqual(checked.shown(-2 ** 20000), "beyond -2^20000")


if __name__ == "__main__":
    unittest.main(verbosity=2)
