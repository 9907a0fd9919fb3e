#!/usr/bin/python3
"""Memory that Plan.run() is given: size, type, contiguity, writability, device; and plans that are copied, pickled and
closed. Needs no PyTorch."""
import array
import copy
import ctypes
import gc
import pickle
import subprocess
import sys
import threading
import types
import unittest

from without import ck_conv, numpy
from ck_conv._c import buffers, interface as library


def spec(**fields):
    """All tensors have sizes of their own: x 5 * 2, w 3 * 3 * 2, y 5 * 3, bias 3 (backward data: 2)."""
    return ck_conv.Spec(**{"input": [5], "filter": [3], "k": 3, "c": 2, "pad_low": 1, "pad_high": 1, **fields})


SIZES = {"x": 10, "w": 18, "y": 15}
EPILOGUE = {"bias": True, "residual": "before_activation"}
CASES = [  # fields, what is written, sizes of bias and residual
    (dict(direction="forward", **EPILOGUE), {"y"}, {"bias": 3, "residual": 15}),
    (dict(direction="backward_data", **EPILOGUE), {"x"}, {"bias": 2, "residual": 10}),
    (dict(direction="backward_weight", bias_gradient=True), {"w", "bias"}, {"bias": 3}),
    (dict(direction="forward", groups=2, input=[5], **EPILOGUE), {"y"}, {"x": 20, "w": 36, "y": 30, "bias": 6,
                                                                        "residual": 30}),
]


class Tensors:
    """Arrays of ones for a plan; set() replaces one."""

    def __init__(self, plan, sizes, dtype="float32"):
        self.plan = plan
        self.given = {name: numpy.ones(n, dtype) for name, n in {**SIZES, **sizes}.items()}
        self.given["workspace"] = numpy.zeros(plan.workspace_size, "uint8")

    def run(self, **others):
        given = {**self.given, **others}
        before = {name: bytes(memoryview(value).cast("B")) for name, value in given.items()
                  if isinstance(value, numpy.ndarray) and value.flags.c_contiguous and value.size}
        try:
            self.plan.run(**given)
        except Exception:
            for name, value in before.items():
                assert value == bytes(memoryview(given[name]).cast("B")), f"{name} was written by a run that was refused"
            raise


class Fitness(unittest.TestCase):
    def each(self):
        for fields, written, sizes in CASES:
            tensors = Tensors(ck_conv.Plan(spec(**fields)), sizes)
            tensors.run()
            for name, value in tensors.given.items():
                if value.size:
                    with self.subTest(fields=fields, name=name):
                        yield tensors, name, value, name in written or name == "workspace"

    def refuse(self, tensors, name, value, text, error=ck_conv.Refused):
        with self.assertRaisesRegex(error, f"^{name} {text}"):
            tensors.run(**{name: value})

    def test_size(self):
        for tensors, name, value, _ in self.each():
            short = value.nbytes - value.itemsize
            self.refuse(tensors, name, value[:-1].copy(), f"has {short} bytes, but must have {value.nbytes}")
            self.refuse(tensors, name, bytearray(1), f"has 1 bytes, but must have {value.nbytes}")
            tensors.run(**{name: numpy.ones(value.size + 5, value.dtype)})  # larger ones are fine

    def test_writability(self):
        for tensors, name, value, is_written in self.each():
            fixed = value.copy()
            fixed.flags.writeable = False
            for constant in (fixed, numpy.frombuffer(value.tobytes(), value.dtype), value.tobytes(),
                             memoryview(bytearray(value.tobytes())).toreadonly()):
                if is_written:
                    self.refuse(tensors, name, constant, "is read-only")
                else:
                    tensors.run(**{name: constant})

    def test_contiguity(self):
        for tensors, name, value, _ in self.each():
            gaps = numpy.ones(2 * value.size, value.dtype)[::2]
            self.refuse(tensors, name, gaps, "is not contiguous")
            self.refuse(tensors, name, memoryview(gaps), "is a buffer that is not contiguous")
            self.refuse(tensors, name, value[::-1], "is not contiguous")

    def test_strides_that_say_contiguous(self):
        """NumPy leaves them out then; others do not."""
        plan = ck_conv.Plan(spec())
        x = numpy.ones(10, "float32")
        for shape, strides in (((5, 2), (8, 4)), ((1, 5, 2), (999, 8, 4)), ((5, 1, 2), (8, 7, 4)), ((10,), (4,))):
            at = {**x.__array_interface__, "shape": shape, "strides": strides}
            Tensors(plan, {}).run(x=types.SimpleNamespace(__array_interface__=at))
        for shape, strides in (((5, 2), (4, 20)), ((5, 2), (8, 8)), ((5, 2), (16, 4)), ((10,), (-4,)), ((10,), (0,))):
            at = {**x.__array_interface__, "shape": shape, "strides": strides}
            self.refuse(Tensors(plan, {}), "x", types.SimpleNamespace(__array_interface__=at), "is not contiguous")
        empty = {**x.__array_interface__, "shape": (0, 2), "strides": (0, 0)}
        self.refuse(Tensors(plan, {}), "x", types.SimpleNamespace(__array_interface__=empty), "has 0 bytes")

    def test_type(self):
        for tensors, name, value, _ in self.each():
            if name == "workspace":
                tensors.run(workspace=numpy.zeros(value.size + 8, "float64"))
                continue
            for dtype in ("float64", "float16", "int32", "int64", "bool", "complex64", ">f4", "int8"):
                self.refuse(tensors, name, numpy.ones(4 * value.size, dtype), "has elements of ")
            self.refuse(tensors, name, array.array("d", [1] * value.size), "has elements of f64")
            self.refuse(tensors, name, array.array("i", [1] * value.size), "has elements of i")
            tensors.run(**{name: array.array("f", value)})
            tensors.run(**{name: bytearray(value.tobytes())})  # bytes of any type
            tensors.run(**{name: value.view("uint32")})

    def test_what_has_no_numbers(self):
        """Also for the workspace, whose type does not matter: the library would overwrite addresses of objects."""
        for tensors, name, value, _ in self.each():
            objects = numpy.array([1.0] * (4 * value.size), object)
            self.refuse(tensors, name, objects, "has elements of .O, but must have numbers or bytes")
            self.refuse(tensors, name, memoryview(objects), "has Python objects, but must have numbers or bytes")
            dates = types.SimpleNamespace(__array_interface__=numpy.zeros(4 * value.size, "datetime64[us]").__array_interface__)
            self.refuse(tensors, name, dates, "has elements of <M8.us., but must have numbers or bytes")

    def test_types_of_other_convolutions(self):
        for kind, fitting, others in (("f16", ("float16", "uint16", "uint8"), ("float32", "int16", "int8", "uint32")),
                                      ("bf16", ("uint16", "V2", "uint8"), ("float16", "int16", "uint32")),
                                      ("f64", ("float64", "uint64"), ("float32", "int64", "uint32")),
                                      ("i8", ("int8", "uint8"), ("float16", "uint16")),
                                      ("f8_ocp", ("uint8", "V1"), ("int8", "float16"))):
            plan = ck_conv.Plan(spec(type=kind))
            bytes_each = buffers.BYTES[kind]
            tensors = {name: bytearray(n * bytes_each) for name, n in SIZES.items()}
            tensors["workspace"] = bytearray(plan.workspace_size)
            for dtypes, fits in ((fitting, True), (others, False)):
                for dtype in dtypes:
                    x = numpy.zeros(SIZES["x"] * bytes_each, "uint8")
                    if fits:
                        plan.run(**{**tensors, "x": x.view(dtype)})
                        continue
                    with self.assertRaisesRegex(ck_conv.Refused, f"x has elements of .*, but must have {kind}"):
                        plan.run(**{**tensors, "x": numpy.zeros(99, dtype)})

    def test_byte_order(self):
        plan = ck_conv.Plan(spec(type="f16"))
        tensors = {name: bytearray(2 * n) for name, n in SIZES.items()}
        tensors["workspace"] = bytearray(plan.workspace_size)
        for other in (numpy.ones(10, ">u2"), memoryview(numpy.ones(10, ">u2")), memoryview(numpy.ones(10, ">f2"))):
            with self.assertRaisesRegex(ck_conv.Refused, "x has elements of foreign byte order"):
                plan.run(**{**tensors, "x": other})
        plan.run(**{**tensors, "x": memoryview(numpy.ones(10, "<u2"))})
        plan.run(**{**tensors, "x": memoryview(numpy.ones(20, ">u1"))})

    def test_device(self):
        for tensors, name, value, _ in self.each():
            on_gpu = types.SimpleNamespace(__cuda_array_interface__=value.__array_interface__)
            self.refuse(tensors, name, on_gpu, "lies on a GPU, but libck_conv.so was built for host")
        for platform in ("nvidia", "amd"):
            with self.assertRaisesRegex(ck_conv.Refused, f"x lies in the memory of the CPU, but .* built for {platform}"):
                buffers.address(value, "x", 1, "f32", False, platform)
            self.assertEqual(buffers.address(on_gpu, "x", 1, None, True, platform)[0], value.ctypes.data)

    def test_masks(self):
        for tensors, name, value, _ in self.each():
            masked = types.SimpleNamespace(__array_interface__={**value.__array_interface__, "mask": value})
            self.refuse(tensors, name, masked, "has a mask")

    def test_what_the_spec_has_not(self):
        tensors = Tensors(ck_conv.Plan(spec()), {})
        for name in ("bias", "residual"):
            self.refuse(tensors, name, numpy.ones(400, "float32"), "is given, but the spec has none")

    def test_what_is_missing(self):
        for tensors, name, *_ in self.each():
            with self.assertRaisesRegex(ck_conv.Refused, f"{name} is null, but has"):
                tensors.run(**{name: None})


class Addresses(unittest.TestCase):
    def setUp(self):
        self.tensors = Tensors(ck_conv.Plan(spec()), {})
        self.tensors.run()
        self.expected = self.tensors.given["y"].copy()
        self.tensors.given["y"][:] = 0

    def test_of_every_kind(self):
        x = self.tensors.given["x"]
        at = x.ctypes.data
        for address in (at, numpy.int64(at), numpy.uint64(at), ctypes.c_void_p(at), ctypes.c_char_p(at),
                        ctypes.cast(at, ctypes.POINTER(ctypes.c_float)), (ctypes.c_float * 10).from_buffer(x)):
            self.tensors.given["y"][:] = 0
            self.tensors.run(x=address)
            self.assertEqual(self.tensors.given["y"].tolist(), self.expected.tolist(), address)

    def test_what_is_none(self):
        for value, text in ((True, "x is True"), (1.5, "x is 1.5"), ("y", "x is 'y'"), (object(), "x is a object"),
                            ([1.0] * 10, "x is a list"), (numpy.float32(1), "x is the NumPy scalar"),
                            (numpy.bool_(True), "x is the NumPy scalar|x is .*True")):
            with self.assertRaisesRegex(TypeError, text):
                self.tensors.run(x=value)
        for value in (-16, 2 ** 64, numpy.int64(-16)):
            with self.assertRaisesRegex(ck_conv.Refused, "x is .*, but must be from 0"):
                self.tensors.run(x=value)
        for stream in (-1, 2 ** 64):
            with self.assertRaisesRegex(ck_conv.Refused, "stream is"):
                self.tensors.run(stream=stream)
        with self.assertRaisesRegex(TypeError, "stream is 1.5"):
            self.tensors.run(stream=1.5)

    def test_null(self):
        for null in (None, 0, ctypes.c_void_p(), ctypes.POINTER(ctypes.c_float)()):
            with self.assertRaisesRegex(ck_conv.Refused, "x is null"):
                self.tensors.run(x=null)

    def test_number_in_an_array_is_no_address(self):
        with self.assertRaisesRegex(ck_conv.Refused, "x has elements of i64"):
            self.tensors.run(x=numpy.array(self.tensors.given["x"].ctypes.data))


class Copies(unittest.TestCase):
    """A plan lives as long as any of its copies, and is destroyed once."""

    def setUp(self):
        self.destroyed = []
        destroy = library.library() and library.Handle.destroy

        def count(handle):
            self.destroyed.append(handle.value)
            destroy(handle)

        library.Handle.destroy = count
        self.addCleanup(setattr, library.Handle, "destroy", destroy)

    def test_of_plans(self):
        plan = ck_conv.Plan(spec(**EPILOGUE))
        at = plan.handle.value
        ways = (copy.copy, copy.deepcopy, lambda p: copy.deepcopy([p, p])[1],
                lambda p: copy.deepcopy(types.SimpleNamespace(plan=p)).plan)
        copies = [way(plan) for way in ways]
        kernel = plan.kernel
        del plan
        gc.collect()
        self.assertEqual(self.destroyed, [])
        for i, c in enumerate(copies):
            Tensors(c, {"bias": 3, "residual": 15}).run()
            self.assertEqual((c.kernel, c.handle.value), (kernel, at))
        del copies, c
        gc.collect()
        self.assertEqual(self.destroyed, [at])

    def test_pickled(self):
        plan = ck_conv.Plan(spec(**EPILOGUE))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(plan, protocol))
            self.assertNotEqual(again.handle.value, plan.handle.value)
            self.assertEqual(again.serialize(), plan.serialize())
            with self.assertRaisesRegex(ck_conv.Refused, "bias has 4 bytes"):
                Tensors(again, {"bias": 1, "residual": 15}).run()

    def test_what_holds_pointers(self):
        plan = ck_conv.Plan(spec())
        with self.assertRaisesRegex(TypeError, "the handle of a plan .* cannot be pickled"):
            pickle.dumps(plan.handle)
        self.assertIs(copy.deepcopy(plan.handle), plan.handle)
        self.assertIs(copy.copy(plan.handle), plan.handle)
        for struct in (library.COptions(allow="a"), library.CTensors(x=16)):
            for way in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex((TypeError, ValueError), "pointer"):
                    way(struct)

    def test_of_specs(self):
        first = spec(n=2, x_type="f32")
        for again in (copy.copy(first), copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
            self.assertEqual(bytes(again.c_spec), bytes(first.c_spec))
            again.c_spec.n = 3
            self.assertEqual(first.c_spec.n, 2)
            self.assertEqual(ck_conv.Plan(again).kernel, ck_conv.Plan(first).kernel)

    def test_closed(self):
        plan = ck_conv.Plan(spec())
        other, at = copy.copy(plan), plan.handle.value
        with plan:
            Tensors(plan, {}).run()
        plan.close()  # twice
        for use in (lambda: Tensors(plan, {}).run(), lambda: plan.kernel, plan.explain, plan.serialize,
                    lambda: pickle.dumps(plan), lambda: plan.handle, lambda: copy.copy(plan).kernel,
                    lambda: ck_conv.Plan.__new__(ck_conv.Plan).kernel):
            with self.assertRaisesRegex(ck_conv.Error, "the plan is closed"):
                use()
        Tensors(other, {}).run()
        self.assertEqual(self.destroyed, [])
        other.close()
        other.close()
        self.assertEqual(self.destroyed, [at])

    def test_threads_run_while_others_close(self):
        plan = ck_conv.Plan(spec(n=4, **EPILOGUE))
        failures, started = [], threading.Barrier(5)

        def use():
            mine = Tensors(plan, {"x": 40, "y": 60, "bias": 3, "residual": 60})
            started.wait()
            while True:
                try:
                    mine.run()
                except ck_conv.Error as error:
                    failures.append(str(error))
                    return

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        started.wait()
        plan.close()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, ["the plan is closed"] * 4)
        gc.collect()
        self.assertEqual(len(self.destroyed), 1)

    def test_plans_that_were_not_made(self):
        for _ in range(3):
            with self.assertRaises(ck_conv.Refused):
                ck_conv.Plan(spec(dilations=0))
        with self.assertRaisesRegex(TypeError, "must be a ck_conv.Spec"):
            ck_conv.Plan({"input": [5]})
        gc.collect()
        self.assertEqual(self.destroyed, [])


ENDS = """
import array, atexit, sys, threading
sys.modules["torch"] = None
import ck_conv

def new():
    plan = ck_conv.Plan(ck_conv.Spec([5], [3]))
    plan.run(*(array.array("f", [0] * n) for n in (5, 3, 3)), workspace=bytearray(plan.workspace_size))
    return plan

class Cycle:
    def __init__(self):
        self.me, self.plan = self, new()

class Late:
    def __init__(self):
        self.plan = new()
    def __del__(self):
        self.plan.kernel  # while the interpreter ends

kept, sys.kept, late, local = new(), new(), Late(), threading.local()
local.plan = new()
Cycle()
ck_conv.plan.kept = ck_conv._c.interface.kept = new()
atexit.register(lambda plan: print(plan.kernel != ""), new())
threading.Thread(target=lambda plan: [plan.kernel for _ in iter(int, 1)], args=[new()], daemon=True).start()
"""


class Ends(unittest.TestCase):
    def test_of_the_interpreter(self):
        run = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "True\n", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
