"""Objects that expose memory, and whether that memory is suitable for a tensor of a convolution."""
import ctypes
import math
import re
import sys
from ctypes import c_char_p, c_int, c_ssize_t, c_void_p
from typing import Any, NamedTuple, Optional

from .checked import whole
from .errors import Refused

BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i8": 1, "f8": 1, "bf8": 1, "f8_ocp": 1, "bf8_ocp": 1,
         "u8": 1, "i32": 4}
# The library's name for an element type of NumPy (with ml_dtypes) and PyTorch.
_NAMES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "int8": "i8", "int32": "i32",
          "float8_e4m3fnuz": "f8", "float8_e5m2fnuz": "bf8", "float8_e4m3fn": "f8_ocp", "float8_e5m2": "bf8_ocp"}
_FORMATS = {"d": "f64", "f": "f32", "e": "f16", "b": "i8", "i": "i32"}  # formats of buffers, as in the module struct
_UNSIGNED = "cBHILQN"  # formats of buffers: untyped bits


class Memory(NamedTuple):
    """The memory of an object's elements."""
    address: Optional[int]
    bytes: int
    element: str  # a key of BYTES; "bits" if untyped, like a bytearray's; or a type that the library does not support
    element_bytes: int
    writable: bool
    on_gpu: bool
    holder: Any = None  # keeps the memory alive


def memory_of(value, name):
    """The Memory of an object that exposes it. For an address, an integer or a ctypes pointer, returns an int; nothing is
    known about its memory. Returns None for None."""
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if value is None:
        return None
    if isinstance(value, (bool, float, complex, str)):
        raise TypeError(f"{name} is {value!r}, which is neither an address nor an object that exposes its memory")
    if isinstance(value, int):
        return whole(value, name, c_void_p)
    if isinstance(value, (c_void_p, c_char_p)) or isinstance(value, ctypes._Pointer):
        return ctypes.cast(value, c_void_p).value or 0
    if numpy is not None and isinstance(value, numpy.generic):
        if isinstance(value, numpy.integer):
            return whole(value, name, c_void_p)
        raise TypeError(f"{name} is the NumPy scalar {value!r}, which has no memory of its own")
    if torch is not None and isinstance(value, torch.Tensor):
        return _of_torch(value, name, torch)
    for attribute, on_gpu in (("__cuda_array_interface__", True), ("__array_interface__", False)):
        interface = getattr(value, attribute, None)
        if interface is not None and interface.get("data") is not None:
            return _of_interface(value, interface, on_gpu, name)
    return _of_buffer(value, name)


def _of_torch(tensor, name, torch):
    if tensor.device.type not in ("cpu", "cuda") or tensor.layout is not torch.strided:
        raise Refused(f"{name} is a tensor of {tensor.layout} on {tensor.device}, but must be a dense one on a CPU or GPU")
    if tensor.is_neg() or tensor.is_conj():
        raise Refused(f"{name} is a lazy negation or conjugate of its memory: call resolve_neg() and resolve_conj()")
    if not tensor.is_contiguous():
        raise Refused(f"{name} is not contiguous: its strides in elements are {tensor.stride()}")
    kind = str(tensor.dtype).split(".")[1]
    return Memory(tensor.data_ptr(), tensor.numel() * tensor.element_size(),
                  "bits" if kind.startswith("uint") else _NAMES.get(kind, kind), tensor.element_size(), True,
                  tensor.device.type == "cuda", tensor)


def _of_interface(value, interface, on_gpu, name):
    parts = re.fullmatch("([<>|=])([a-zA-Z])([0-9]+)", interface["typestr"])
    if parts is None:  # Python objects, which have no size, and dates, which have a unit
        raise Refused(f"{name} has elements of {interface['typestr']}, but must have numbers or bytes")
    order, kind, element_bytes = parts[1], parts[2], int(parts[3])
    if interface.get("mask") is not None:
        raise Refused(f"{name} has a mask, which the library does not support")
    if order == ">" and element_bytes > 1:
        raise Refused(f"{name} has elements of foreign byte order ({interface['typestr']})")
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    expected = element_bytes
    for length, stride in zip(reversed(shape), reversed(strides or ())):
        if length > 1 and stride != expected and 0 not in shape:
            raise Refused(f"{name} is not contiguous: its strides in bytes are {tuple(strides)}")
        expected *= length
    named = _NAMES.get(str(getattr(value, "dtype", "")).split(".")[-1])  # ml_dtypes' types are void in the interface
    element = named or {"f": f"f{8 * element_bytes}", "i": f"i{8 * element_bytes}", "u": "bits", "V": "bits",
                        "S": "bits"}.get(kind, interface["typestr"])
    address, read_only = interface["data"]
    return Memory(whole(address, name, c_void_p), math.prod(shape) * element_bytes, element, element_bytes,
                  not read_only, on_gpu, value)


class _PyBuffer(ctypes.Structure):
    """Py_buffer of Python's C interface."""
    _fields_ = [("buf", c_void_p), ("obj", ctypes.py_object), ("len", c_ssize_t), ("itemsize", c_ssize_t),
                ("readonly", c_int), ("ndim", c_int), ("format", c_char_p), ("shape", c_void_p),
                ("strides", c_void_p), ("suboffsets", c_void_p), ("internal", c_void_p)]


def _of_buffer(value, name):
    try:
        view = memoryview(value)
    except TypeError:
        raise TypeError(f"{name} is a {type(value).__name__}, which is neither an address nor an object that exposes its "
                        "memory") from None
    if not view.c_contiguous:
        raise Refused(f"{name} is a buffer that is not contiguous")
    order, code = ("", view.format) if len(view.format) == 1 else (view.format[:-1], view.format[-1])
    if order in (">", "!") and view.itemsize > 1:
        raise Refused(f"{name} has elements of foreign byte order ({view.format})")
    if code == "O":
        raise Refused(f"{name} has Python objects, but must have numbers or bytes")
    element = view.format if order not in ("", "<", "=", "@", ">", "!") else \
        "bits" if code in _UNSIGNED else _FORMATS.get(code, view.format)
    inner = _PyBuffer()
    # ctypes' from_buffer() only accepts writable memory. The view keeps the memory alive after the release.
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(inner), 0)
    address = inner.buf
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(inner))
    return Memory(address if view.nbytes else None, view.nbytes, element, view.itemsize, not view.readonly, False, view)


def address(value, name, least_bytes, element, is_written, platform):
    """Returns (address or None, holder of the memory) for a tensor of `least_bytes` bytes, with elements of a key of BYTES,
    or None if they are untyped. Raises if the object's memory is not suitable; a plain address is not checked. platform:
    whose memory the library uses."""
    memory = memory_of(value, name)
    if memory is None or isinstance(memory, int):
        return memory, None
    if memory.on_gpu != (platform != "host"):
        raise Refused(f"{name} lies {'on a GPU' if memory.on_gpu else 'in the memory of the CPU'}, but libck_conv.so was "
                      f"built for {platform}")
    fits = memory.element in (element, "bits") and (memory.element_bytes in (1, BYTES.get(element)))
    if element is not None and not fits:
        raise Refused(f"{name} has elements of {memory.element} ({memory.element_bytes} bytes), but must have "
                      f"{element} (or unsigned bytes that hold them)")
    if memory.bytes < least_bytes:
        raise Refused(f"{name} has {memory.bytes} bytes, but must have {least_bytes}")
    if is_written and not memory.writable:
        raise Refused(f"{name} is read-only, but the convolution writes to it")
    return memory.address, memory.holder
