"""Specs and plans without PyTorch: addresses, or any objects that show their memory."""
import ctypes

from . import _library as c

DIRECTIONS = {"forward": c.FORWARD, "backward_data": c.BACKWARD_DATA, "backward_weight": c.BACKWARD_WEIGHT}
TYPES = {"f64": c.F64, "f32": c.F32, "f16": c.F16, "bf16": c.BF16, "i8": c.I8, "f8": c.F8, "bf8": c.BF8,
         "f8_ocp": c.F8_OCP, "bf8_ocp": c.BF8_OCP, "tf32": c.TF32, None: c.OWN}
LAYOUTS = {"channels_last": c.CHANNELS_LAST, "channels_first": c.CHANNELS_FIRST, "strided": c.STRIDED}
ACTIVATIONS = {None: 0, "relu": 1, "silu": 2, "gelu": 3, "clamp": 4}
RESIDUALS = {None: 0, "before_activation": 1, "after_activation": 2}
_WORDS = {"direction": DIRECTIONS, "type": TYPES, "x_type": TYPES, "w_type": TYPES, "y_type": TYPES, "compute": TYPES,
          "layout": LAYOUTS, "activation": ACTIVATIONS, "residual": RESIDUALS}
_FIELDS = dict(c.CSpec._fields_)


class Spec:
    """One convolution, as ck_conv_spec of ck/conv.h says it.

    input and filter: lengths [D,] [H,] W; so many dimensions it has. strides, dilations, pad_low, pad_high and
    output_padding: one number, or one for each dimension. n, k, c: images, output and input channels of one group.
    Words for direction, types, layout, activation and residual: see the tables of this module.
    """

    def __init__(self, input, filter, **fields):
        self.rank = len(input)
        if not 1 <= self.rank <= 3:
            raise c.Refused(f"rank is {self.rank}, the number of input lengths, but must be 1, 2 or 3")
        self.c_spec = c.CSpec()
        c.check(c.library().ck_conv_spec_init(self.c_spec, ctypes.sizeof(c.CSpec), self.rank))
        for name, value in {"input": input, "filter": filter, **fields}.items():
            self._set(name, value)

    def _set(self, name, value):
        kind = _FIELDS.get(name)
        if kind is None or name in ("size", "rank"):
            raise TypeError(f"a spec has no field '{name}'")
        if name in _WORDS:
            if value not in _WORDS[name]:
                raise c.Refused(f"{name} is {value!r}, but must be one of {list(_WORDS[name])}")
            value = _WORDS[name][value]
        elif issubclass(kind, ctypes.Array):
            needed = self.rank + 3 if name.endswith("_strides") else self.rank
            values = [value] * needed if isinstance(value, int) else list(value)
            if len(values) != needed:
                raise c.Refused(f"{name} has {len(values)} values, but must have {needed} in {self.rank}D")
            value = kind(*values)
        setattr(self.c_spec, name, value)

    def sizes(self):
        """(lengths of the output, bytes of x, of w, of y)"""
        output, sizes = (ctypes.c_int64 * 3)(), [ctypes.c_size_t() for _ in range(3)]
        c.check(c.library().ck_conv_spec_sizes(self.c_spec, output, *sizes))
        return (tuple(output[:self.rank]), *(s.value for s in sizes))


class Plan:
    """A convolution that is ready to run on the device that was current. Threads may share it."""

    def __init__(self, spec, workspace_limit=None, allow=None, forbid=None):
        """workspace_limit: bytes. allow, forbid: regular expressions of kernels' names."""
        options = c.COptions()
        c.check(c.library().ck_conv_options_init(options, ctypes.sizeof(options)))
        options.workspace_limit = c.NO_LIMIT if workspace_limit is None else workspace_limit
        options.allow, options.forbid = (text.encode() if text else None for text in (allow, forbid))
        handle = c.Handle()
        c.check(c.library().ck_conv_plan_create(spec.c_spec, options, handle))
        self._adopt(handle)
        _, *self._bytes = spec.sizes()

    @classmethod
    def deserialize(cls, text):
        """The plan whose serialize() gave the text; sizes of buffers are not checked."""
        plan, handle = cls.__new__(cls), c.Handle()
        c.check(c.library().ck_conv_plan_deserialize(text.encode(), handle))
        plan._adopt(handle)
        plan._bytes = [0, 0, 0]
        return plan

    def _adopt(self, handle):
        self.handle = handle
        self._library = c.library()
        size = ctypes.c_size_t()
        c.check(self._library.ck_conv_plan_workspace_size(handle, size))
        self.workspace_size = size.value

    def _text(self, function):
        text = ctypes.c_char_p()
        c.check(getattr(self._library, function)(self.handle, text))
        return text.value.decode()

    @property
    def kernel(self):
        """The kernel's name."""
        return self._text("ck_conv_plan_kernel")

    def explain(self):
        return self._text("ck_conv_plan_explain")

    def serialize(self):
        return self._text("ck_conv_plan_serialize")

    def run(self, x, w, y, bias=None, residual=None, workspace=None, stream=None):
        """Puts it on the stream, a cudaStream_t or hipStream_t as integer, and returns. The direction's result is
        written, the other tensors are read. Each is an address, or an object that shows its memory: by
        __cuda_array_interface__, __array_interface__ (NumPy) or as a writable buffer. Those must be contiguous."""
        tensors = c.CTensors(stream=stream)
        least = dict(zip("xwy", self._bytes), workspace=self.workspace_size)
        given = {"x": x, "w": w, "y": y, "bias": bias, "residual": residual, "workspace": workspace}
        for name, value in given.items():
            setattr(tensors, name, address(value, least.get(name, 0), name))
        c.check(self._library.ck_conv_run(self.handle, tensors))


def address(value, least_bytes=0, name="the buffer"):
    """The address of an object's memory, which must have so many bytes; integers and None are addresses already."""
    if value is None or isinstance(value, int):
        return value
    interface = getattr(value, "__cuda_array_interface__", None) or getattr(value, "__array_interface__", None)
    if interface is not None:
        size = int(interface["typestr"][2:])
        strides, expected = interface.get("strides"), size
        for length in interface["shape"]:
            size *= length
        if strides is not None:
            for length, stride in zip(reversed(interface["shape"]), reversed(strides)):
                if length > 1 and stride != expected:
                    raise c.Refused(f"{name} is not contiguous: its strides are {strides} bytes")
                expected *= length
        at = interface["data"][0]
    else:
        view = memoryview(value)
        if view.readonly or not view.c_contiguous:
            raise c.Refused(f"{name} is a buffer that is read-only or not contiguous")
        size = view.nbytes
        at = ctypes.addressof(ctypes.c_char.from_buffer(view)) if size else None
    if size < least_bytes:
        raise c.Refused(f"{name} has {size} bytes, but the convolution wants {least_bytes}")
    return at


def clear_plan_cache():
    """Forgets the library's cached plans; those that are held stay."""
    c.check(c.library().ck_conv_clear_plan_cache())
