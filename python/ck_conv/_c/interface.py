"""libck_conv.so: finds it, and declares the functions of ck/conv.h for ctypes."""
import ctypes
import functools
import os
import re
import reprlib
import struct
import sys
from ctypes import POINTER, c_char_p, c_float, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path

from .checked import Structure, array, parameter, whole
from .errors import Error, Refused

OK, REFUSED, NULL_ARGUMENT, RUNTIME_ERROR, OUT_OF_MEMORY = range(5)
FORWARD, BACKWARD_DATA, BACKWARD_WEIGHT = range(3)
CHANNELS_LAST, CHANNELS_FIRST, STRIDED = range(3)
OWN = -1
F64, F32, F16, BF16, I8, F8, BF8, F8_OCP, BF8_OCP, TF32, U8 = range(11)
DEFAULT_LIMIT = ctypes.c_size_t(-1).value  # SIZE_MAX: a quarter of the tensors, at least 256 MiB
_Lengths, _Strides = array(c_int64, 3), array(c_int64, 6)


class CSpec(Structure):
    """ck_conv_spec"""
    _fields_ = [("size", c_size_t), ("direction", c_int), ("type", c_int),
                ("x_type", c_int), ("w_type", c_int), ("y_type", c_int), ("compute", c_int),
                ("layout", c_int), ("rank", c_int), ("groups", c_int64),
                ("n", c_int64), ("k", c_int64), ("c", c_int64),
                ("input", _Lengths), ("filter", _Lengths), ("strides", _Lengths), ("dilations", _Lengths),
                ("pad_low", _Lengths), ("pad_high", _Lengths), ("transposed", c_int),
                ("output_padding", _Lengths),
                ("x_strides", _Strides), ("w_strides", _Strides), ("y_strides", _Strides),
                ("beta", c_float), ("scale", c_float), ("bias", c_int), ("residual", c_int), ("activation", c_int),
                ("bias_gradient", c_int), ("alignment", c_size_t), ("clamp_least", c_float), ("clamp_most", c_float),
                ("quantized", c_int), ("channel_scale", c_int), ("x_zero_point", c_int), ("w_zero_point", c_int),
                ("y_zero_point", c_int), ("residual_scale", c_float), ("residual_zero_point", c_int),
                ("residual_type", c_int), ("tensor_scales", c_int), ("amax", c_int), ("leaky_slope", c_float)]


class COptions(Structure):
    """ck_conv_options"""
    _fields_ = [("size", c_size_t), ("workspace_limit", c_size_t), ("allow", c_char_p), ("forbid", c_char_p),
                ("batch_invariant", c_int)]


class CTensors(Structure):
    """ck_conv_tensors"""
    _fields_ = [("x", c_void_p), ("w", c_void_p), ("y", c_void_p), ("bias", c_void_p), ("residual", c_void_p),
                ("workspace", c_void_p), ("stream", c_void_p), ("scale", c_void_p), ("x_scale", c_void_p),
                ("w_scale", c_void_p), ("y_scale", c_void_p), ("amax", c_void_p)]


class CCausalOptions(Structure):
    """ck_conv_causal_options"""
    _fields_ = [("size", c_size_t), ("first", c_int), ("skip", c_int64), ("chunk", c_int64)]


class CCausalTensors(Structure):
    """ck_conv_causal_tensors"""
    _fields_ = [("size", c_size_t), ("x", c_void_p), ("w", c_void_p), ("y", c_void_p), ("bias", c_void_p),
                ("residual", c_void_p), ("cache", c_void_p), ("next_cache", c_void_p), ("workspace", c_void_p),
                ("stream", c_void_p)]


class CCausalSizes(Structure):
    """ck_conv_causal_sizes"""
    _fields_ = [("cached_frames", c_int64), ("output", _Lengths), ("next_skip", c_int64), ("cache_bytes", c_size_t),
                ("y_bytes", c_size_t), ("workspace_bytes", c_size_t)]


# The bytes of a ck_conv_tensors up to its stream from its addresses in order, 0 for null: takes a sixth of the time of
# CTensors. What follows is accessed only if the spec has scales or an amax.
pack_tensors = struct.Struct(f"{CTensors.scale.offset // ctypes.sizeof(c_void_p)}P").pack
# Those of a ck_conv_causal_tensors.
pack_causal_tensors = functools.partial(struct.Struct(f"N{len(CCausalTensors._fields_) - 1}P").pack,
                                        ctypes.sizeof(CCausalTensors))


class Handle(c_void_p):
    """A ck_conv_plan*, destroyed with its last reference. A plan never changes: copies share it."""
    destroy = None  # the library's function

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        raise TypeError("the handle of a plan is an address in this process and cannot be pickled: pickle the ck_conv.Plan")

    def __del__(self, is_finalizing=sys.is_finalizing):
        destroy = type(self).destroy  # a function, not a method
        if self.value and destroy is not None and not is_finalizing():
            destroy(self)


class CausalHandle(Handle):
    """A ck_conv_causal_plan*, likewise."""


_Rank, _Size, _Text = parameter(c_int, "rank"), parameter(c_size_t, "size"), parameter(c_char_p, "the text")
_FUNCTIONS = {
    "ck_conv_spec_init": [POINTER(CSpec), _Size, _Rank],
    "ck_conv_options_init": [POINTER(COptions), _Size],
    "ck_conv_spec_sizes": [POINTER(CSpec), POINTER(c_int64), POINTER(c_size_t), POINTER(c_size_t), POINTER(c_size_t)],
    "ck_conv_plan_create": [POINTER(CSpec), POINTER(COptions), POINTER(c_void_p)],
    "ck_conv_plan_deserialize": [_Text, POINTER(c_void_p)],
    "ck_conv_plan_spec": [c_void_p, POINTER(CSpec), _Size],
    "ck_conv_plan_workspace_size": [c_void_p, POINTER(c_size_t)],
    "ck_conv_plan_kernel": [c_void_p, POINTER(c_char_p)],
    "ck_conv_plan_explain": [c_void_p, POINTER(c_char_p)],
    "ck_conv_plan_serialize": [c_void_p, POINTER(c_char_p)],
    "ck_conv_run": [c_void_p, POINTER(CTensors)],
    "ck_conv_causal_plan_create": [POINTER(CSpec), POINTER(CCausalOptions), POINTER(COptions), POINTER(c_void_p)],
    "ck_conv_causal_plan_sizes": [c_void_p, POINTER(CCausalSizes), _Size],
    "ck_conv_causal_plan_kernel": [c_void_p, POINTER(c_char_p)],
    "ck_conv_causal_plan_explain": [c_void_p, POINTER(c_char_p)],
    "ck_conv_causal_run": [c_void_p, POINTER(CCausalTensors)],
    "ck_conv_clear_plan_cache": [],
}


def candidates():
    """Paths where the library may be, in the order of the search."""
    named = os.environ.get("CK_CONV_LIBRARY")
    if named:
        return [named]
    package = Path(__file__).resolve().parent.parent
    return [str(path) for path in sorted(package.glob("libck_conv.so*"))] + ["libck_conv.so.1", "libck_conv.so"]


@functools.lru_cache(maxsize=None)
def library():
    """The library, loaded once in a process. Raises Error if it is not found."""
    reasons = []
    for name in candidates():
        try:
            loaded = ctypes.CDLL(name)
            break
        except OSError as error:
            reasons.append(f"  {name}: {error}")
    else:
        raise Error("libck_conv.so cannot be loaded. Set CK_CONV_LIBRARY to its path, put it into the folder of "
                    "the package ck_conv, or put it where the linker looks:\n" + "\n".join(reasons))
    missing = [f for f in (*_FUNCTIONS, "ck_conv_platform") if not hasattr(loaded, f)]
    if missing:
        raise Error(f"{name} does not fit this version of the package: it has no {missing[0]}()")
    for name, arguments in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.argtypes, function.restype = arguments, c_int
    for name in ("ck_last_error", "ck_conv_version", "ck_conv_platform"):
        getattr(loaded, name).argtypes, getattr(loaded, name).restype = [], c_char_p
    for handle, name in ((Handle, "ck_conv_plan_destroy"), (CausalHandle, "ck_conv_causal_plan_destroy")):
        handle.destroy = getattr(loaded, name)
        handle.destroy.argtypes, handle.destroy.restype = [c_void_p], None
    return loaded


_limit = None  # the argument of set_workspace_limit()


def set_workspace_limit(limit):
    """Limits the workspace of each convolution that is planned from now on, in bytes. Kernels that need more are not used. If
    there is no other kernel, the convolution raises Refused.

    None restores the default: CK_CONV_WORKSPACE_LIMIT in the environment, or if that is not set, a quarter of the size of the
    convolution's tensors, but at least 256 MiB. This last limit is never a reason to refuse: if all kernels need more, the one
    that needs the least is used. The argument of ck_conv.Plan takes precedence."""
    global _limit
    _limit = None if limit is None else whole(limit, "the limit of the workspace", c_size_t)
    forget_plans()


_batch_invariant = False  # the argument of set_batch_invariant()


def set_batch_invariant(on):
    """Sets whether convolutions that are planned from now on are batch invariant: whether the forward results and the input
    gradients of an image have the same bits in a batch of any size, even in a batch of one. All batches then use one kernel, the
    one predicted to be the fastest for 32 images. Gradients of weights sum over images, and are computed as before. The argument
    of ck_conv.Plan takes precedence."""
    global _batch_invariant
    if not isinstance(on, bool):
        raise TypeError(f"set_batch_invariant() takes True or False, but got {reprlib.repr(on)}")
    _batch_invariant = on
    forget_plans()


def is_batch_invariant():
    """Whether convolutions are batch invariant, as set by set_batch_invariant()."""
    return _batch_invariant


holders_of_plans = []  # functions that forget plans


def forget_plans():
    """Forgets the plans that this package holds: they are made again when needed."""
    for forget in holders_of_plans:
        forget()


def workspace_limit():
    """The limit in bytes; DEFAULT_LIMIT if none is set."""
    if _limit is not None:
        return limit_in_c(_limit)
    text = os.environ.get("CK_CONV_WORKSPACE_LIMIT", "")
    if text == "":
        return DEFAULT_LIMIT
    if not re.fullmatch("[0-9]+", text, re.ASCII) or int(text) > DEFAULT_LIMIT:
        raise Refused(f"CK_CONV_WORKSPACE_LIMIT is {reprlib.repr(text)}, but must be a whole number of bytes from 0 to "
                      f"{DEFAULT_LIMIT}")
    return limit_in_c(int(text))


def limit_in_c(limit):
    """A limit that was set, a checked int, which is not the default, however large it is."""
    return min(limit, DEFAULT_LIMIT - 1)


@functools.lru_cache(maxsize=None)
def _initial_spec(rank):
    spec = CSpec()
    check(library().ck_conv_spec_init(spec, ctypes.sizeof(spec), rank))
    return bytes(spec)


def new_spec(rank):
    """A ck_conv_spec as ck_conv_spec_init() leaves it."""
    return CSpec.from_buffer_copy(_initial_spec(rank))


@functools.lru_cache(maxsize=None)
def _initial_options():
    options = COptions()
    check(library().ck_conv_options_init(options, ctypes.sizeof(options)))
    return bytes(options)


def plan_options(direction):
    """The options of a plan, as set_workspace_limit() and set_batch_invariant() say."""
    options = COptions.from_buffer_copy(_initial_options())
    options.workspace_limit = workspace_limit()
    options.batch_invariant = int(_batch_invariant and direction != BACKWARD_WEIGHT)
    return options


@functools.lru_cache(maxsize=None)
def run_packed(name="ck_conv_run"):
    """A function that runs a plan: it takes a c_void_p and packed tensors, for ck_conv_run() the result of pack_tensors().
    Without argtypes, which would convert both again."""
    function = library()[name]
    function.restype = c_int
    return function


def check(status):
    """Raises the exception for a status other than OK, with the library's message."""
    if status == OK:
        return
    text = library().ck_last_error().decode(errors="replace")
    if status == REFUSED:
        raise Refused(text)
    if status == OUT_OF_MEMORY:
        raise MemoryError(text)
    raise Error(text)


def version():
    """The library's version: "major.minor.patch"."""
    return library().ck_conv_version().decode()


@functools.lru_cache(maxsize=None)
def platform():
    """"host", "amd" or "nvidia": the kind of memory that the library uses."""
    return library().ck_conv_platform().decode()
