#!/usr/bin/python3
"""ck_conv without PyTorch: the layer over the C interface, with buffers of plain Python."""
import array
import ctypes
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.modules["torch"] = None  # an import of it fails, as where it is not installed
import ck_conv
from ck_conv._c import interface as library

HEADER = Path(__file__).resolve().parents[2] / "library/include/ck/conv.h"


def fields_of(struct):
    """[(name, type, length)] of a C struct in ck/conv.h; length 0: no array."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    body = re.search(r"typedef struct %s\s*\{(.*?)\}" % struct, text, re.S).group(1)
    found = []
    for kind, names in re.findall(r"(\w[\w ]*?\*?)[ ]+((?:\*?\w+(?:\[\d\])?(?:, )?)+);", body):
        for name, length in re.findall(r"(\w+)(?:\[(\d)\])?(?:, |$)", names):
            found.append((name, "pointer" if "*" in kind + names else kind, int(length or 0)))
    return found


class Buffer:
    """As NumPy's arrays show their memory."""

    def __init__(self, values, strides=None):
        self.memory = array.array("f", values)
        self.__array_interface__ = {"data": (self.memory.buffer_info()[0], False), "shape": (2, len(values) // 2),
                                    "typestr": "<f4", "strides": strides, "version": 3}


class Header(unittest.TestCase):
    def test_structs_are_those_of_the_header(self):
        kinds = {"size_t": library.c_size_t, "int": library.c_int, "int64_t": library.c_int64,
                 "float": library.c_float}
        for struct, mirror in (("ck_conv_spec", library.CSpec), ("ck_conv_options", library.COptions),
                               ("ck_conv_tensors", library.CTensors), ("ck_conv_causal_options", library.CCausalOptions),
                               ("ck_conv_causal_tensors", library.CCausalTensors),
                               ("ck_conv_causal_sizes", library.CCausalSizes)):
            expected = fields_of(struct)
            self.assertEqual([name for name, _, _ in expected], [name for name, *_ in mirror._fields_], struct)
            for (name, kind, length), (_, ours) in zip(expected, mirror._fields_):
                if kind == "pointer":
                    self.assertIn(ours, (library.c_void_p, library.c_char_p), name)
                elif length:
                    self.assertEqual((ours._type_, ours._length_), (kinds[kind], length), name)
                else:
                    self.assertEqual(ours, kinds[kind], name)

    def test_words_are_the_headers_enumerators(self):
        text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
        tables = ck_conv.plan
        for enum, table, none in (("direction", tables.DIRECTIONS, None), ("type", tables.TYPES, "own"),
                                  ("layout", tables.LAYOUTS, None), ("activation", tables.ACTIVATIONS, "no_activation"),
                                  ("residual", tables.RESIDUALS, "no_residual")):
            names = re.search(r"enum ck_conv_%s\s*\{(.*?)\}" % enum, text, re.S).group(1)
            expected, value = {}, 0
            for name, given in re.findall(r"CK_CONV_(\w+)(?: = (-?\d+))?", names):
                value = int(given) if given else value
                word = name.lower().replace("residual_", "")
                expected[None if name.lower() == none else word] = value
                value += 1
            self.assertEqual(table, expected, enum)
        for name in ("OK", "REFUSED", "NULL_ARGUMENT", "RUNTIME_ERROR", "OUT_OF_MEMORY"):
            self.assertRegex(text, r"CK_CONV_%s\s+=\s+%d\b" % (name, getattr(library, name)))

    def test_functions_are_those_of_the_header(self):
        declared = set(re.findall(r"\b(ck_\w+)\(", re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)))
        known = {*library._FUNCTIONS, "ck_last_error", "ck_conv_version", "ck_conv_platform", "ck_conv_plan_destroy"}
        self.assertLessEqual(known, declared)


class Plan(unittest.TestCase):
    def spec(self, **fields):
        return ck_conv.Spec(input=[5], filter=[3], n=1, k=2, c=2, pad_low=1, pad_high=1, **fields)

    def test_three_passes(self):
        self.assertEqual(self.spec().sizes(), ((5,), 40, 48, 40))
        for direction, result, ends in (("forward", "y", (4, 6)), ("backward_data", "x", (4, 6)),
                                        ("backward_weight", "w", (4, 5))):
            tensors = {"x": array.array("f", [1] * 10), "w": array.array("f", [1] * 12),
                       "y": array.array("f", [1] * 10)}
            plan = ck_conv.Plan(self.spec(direction=direction))
            plan.run(**tensors, workspace=bytearray(plan.workspace_size) if plan.workspace_size else None)
            self.assertEqual((tensors[result][0], tensors[result][2]), ends, direction)

    def test_a_plan_is_made_again_from_its_text(self):
        plan = ck_conv.Plan(self.spec())
        again = ck_conv.Plan.deserialize(plan.serialize())
        self.assertEqual(again.kernel, plan.kernel)
        self.assertIn(plan.kernel, plan.explain())
        ck_conv.clear_plan_cache()

    def test_words_set_fields(self):
        spec = self.spec(type="bf16", compute=None, layout="channels_first", activation="relu", bias=1).c_spec
        self.assertEqual((spec.type, spec.compute, spec.layout, spec.activation), (3, -1, 1, 1))
        with self.assertRaisesRegex(ck_conv.Refused, "type is 'f7', but must be one of"):
            self.spec(type="f7")
        with self.assertRaisesRegex(TypeError, "no field 'groop'"):
            self.spec(groop=2)
        with self.assertRaisesRegex(ck_conv.Refused, "strides has 2 values, but must have 1 in 1D"):
            self.spec(strides=[1, 1])

    def test_every_spec_starts_as_the_library_makes_it(self):
        for rank in (1, 2, 3):
            of_library = library.CSpec()
            library.check(library.library().ck_conv_spec_init(of_library, ctypes.sizeof(of_library), rank))
            changed = library.new_spec(rank)
            self.assertEqual(bytes(changed), bytes(of_library))
            changed.strides = [7] * rank
            self.assertEqual(bytes(library.new_spec(rank)), bytes(of_library))

    def test_the_library_says_what_is_wrong(self):
        with self.assertRaisesRegex(ck_conv.Refused, "dilation"):
            ck_conv.Plan(self.spec(dilations=-1))
        with self.assertRaisesRegex(ck_conv.Refused, "PlanOptions::allow"):
            ck_conv.Plan(self.spec(), allow="no kernel's name")
        with self.assertRaisesRegex(ck_conv.Refused, "rank is 4"):
            ck_conv.Spec([1] * 4, [1] * 4)
        with self.assertRaisesRegex(ck_conv.Refused, "x is null"):
            ck_conv.Plan(self.spec()).run(None, None, None)

    def test_buffers(self):
        plan = ck_conv.Plan(self.spec())
        x, w, y = Buffer([1] * 10), Buffer([1] * 12), Buffer([0] * 10)
        plan.run(x, w, y, workspace=bytearray(plan.workspace_size) if plan.workspace_size else None)
        self.assertEqual(list(y.memory[:3]), [4, 4, 6])
        with self.assertRaisesRegex(ck_conv.Refused, "y has 36 bytes, but must have 40"):
            plan.run(x, w, array.array("f", [0] * 9))
        with self.assertRaisesRegex(ck_conv.Refused, "y is read-only"):
            plan.run(x, w, bytes(40))
        with self.assertRaisesRegex(ck_conv.Refused, "x is not contiguous"):
            plan.run(Buffer([1] * 10, strides=(4, 8)), w, y)


class Finding(unittest.TestCase):
    def test_a_library_that_is_not_there(self):
        run = subprocess.run([sys.executable, "-c", "import ck_conv; ck_conv.version()"], capture_output=True, text=True,
                             env={**os.environ, "CK_CONV_LIBRARY": "/nowhere/libck_conv.so"})
        self.assertEqual(run.returncode, 1)
        self.assertIn("Set CK_CONV_LIBRARY to its path", run.stderr)
        self.assertIn("/nowhere/libck_conv.so: cannot open", run.stderr)

    def test_a_library_of_another_version(self):
        run = subprocess.run([sys.executable, "-c", "import ck_conv; ck_conv.version()"], capture_output=True, text=True,
                             env={**os.environ, "CK_CONV_LIBRARY": "libc.so.6"})
        self.assertEqual(run.returncode, 1)
        self.assertIn("libc.so.6 does not fit this version of the package: it has no ck_conv_spec_init()", run.stderr)

    def test_order(self):
        names = library.candidates()
        self.assertEqual(names, [os.environ["CK_CONV_LIBRARY"]])
        os.environ["CK_CONV_LIBRARY"] = ""
        self.assertEqual(library.candidates()[-2:], ["libck_conv.so.1", "libck_conv.so"])
        os.environ["CK_CONV_LIBRARY"] = names[0]

    def test_without_torch(self):
        self.assertRegex(ck_conv.version(), r"^\d+\.\d+\.\d+$")
        with self.assertRaisesRegex(AttributeError, "ck_conv.conv2d needs PyTorch"):
            ck_conv.conv2d
        with self.assertRaisesRegex(AttributeError, "no attribute 'other'"):
            ck_conv.other


if __name__ == "__main__":
    unittest.main(verbosity=2)
