"""Specs and plans without PyTorch, for tensors that are addresses or any objects that expose their memory."""
import copy
import ctypes
import functools

from ._c import interface as c
from ._c.buffers import BYTES, address
from ._c.checked import flag, is_bool, listed, text as checked_text, whole
from ._c.words import ACTIVATIONS, DIRECTIONS, LAYOUTS, RESIDUALS, TYPES

_WORDS = {"direction": DIRECTIONS, "type": TYPES, "x_type": TYPES, "w_type": TYPES, "y_type": TYPES, "compute": TYPES,
          "layout": LAYOUTS, "activation": ACTIVATIONS, "residual": RESIDUALS, "residual_type": TYPES}
_FLAGS = "transposed", "bias", "bias_gradient", "quantized", "channel_scale", "tensor_scales", "amax"


def _number_of_word(name, word, rank):
    if not (word is None or isinstance(word, str)) or word not in _WORDS[name]:
        raise c.Refused(f"{name} is {word!r}, but must be one of {list(_WORDS[name])}")
    return _WORDS[name][word]


def _number_of_flag(name, value, rank):
    return int(value) if is_bool(value) else value


def _values(name, value, rank):
    needed = rank + 3 if name.endswith("_strides") else rank
    is_list = hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0  # an array without dimensions is one number
    values = listed(value, name) if is_list else [value] * needed
    if len(values) != needed:
        raise c.Refused(f"{name} has {len(values)} values, but must have {needed} in {rank}D")
    return values


def _in_c(name, kind):
    """The function of a field's name, value and rank that returns what is stored in the ck_conv_spec."""
    if name in _WORDS:
        return _number_of_word
    if name in _FLAGS:
        return _number_of_flag
    return _values if issubclass(kind, ctypes.Array) else lambda name, value, rank: value


_IN_C = {name: _in_c(name, kind) for name, kind in c.CSpec._fields_ if name not in ("size", "rank")}


class Spec:
    """Describes one convolution. The arguments are the fields of ck_conv_spec in ck/conv.h.

    Args:
        input, filter: lengths [D,] [H,] W; their number is the rank.
        n, k, c: numbers of images, and of output and input channels of one group; default 1.
        strides, dilations, pad_low, pad_high, output_padding: one number, or one for each dimension.
        direction, type, layout, activation, residual and others: strings, such as "forward", "bf16" and "channels_last". A
            wrong one raises Refused, which lists those that are possible.
    """

    def __init__(self, input, filter, **fields):
        input, filter = (listed(value, name) for name, value in (("input", input), ("filter", filter)))
        self.rank = len(input)
        if not 1 <= self.rank <= 3:
            raise c.Refused(f"rank is {self.rank}, the number of input lengths, but must be 1, 2 or 3")
        self.c_spec = c.new_spec(self.rank)
        for name, value in {"input": input, "filter": filter, **fields}.items():
            if name not in _IN_C:
                raise TypeError(f"a spec has no field '{name}'")
            setattr(self.c_spec, name, _IN_C[name](name, value, self.rank))

    def __copy__(self):
        return copy.deepcopy(self)

    def sizes(self):
        """Returns (lengths of the output, bytes of x, of w, of y). Raises Refused if the spec is invalid."""
        output, sizes = (ctypes.c_int64 * 3)(), [ctypes.c_size_t() for _ in range(3)]
        c.check(c.library().ck_conv_spec_sizes(self.c_spec, output, *sizes))
        return (tuple(output[:self.rank]), *(s.value for s in sizes))


class Plan:
    """A convolution that is ready to run on the device that was current when the plan was made.

    Threads may share a plan. Copies share the library's plan, and pickle saves the text of serialize(). close(), the end of a
    `with` block, or the last reference's end releases the library's plan."""

    def __init__(self, spec, workspace_limit=None, allow=None, forbid=None, batch_invariant=None):
        """Makes a plan for a Spec. Raises Refused if no kernel computes it.

        Args:
            workspace_limit: in bytes; None means the limit of set_workspace_limit().
            allow, forbid: regular expressions. Only kernels whose names contain a match of `allow`, and no match of `forbid`,
                are used.
            batch_invariant: whether an image has the same bits in a batch of any size. backward_weight refuses this. None means
                the setting of set_batch_invariant()."""
        if not isinstance(spec, Spec):
            raise TypeError(f"spec is {spec!r}, but must be a ck_conv.Spec")
        options = c.plan_options(spec.c_spec.direction)
        if workspace_limit is not None:
            options.workspace_limit = c.limit_in_c(whole(workspace_limit, "workspace_limit", ctypes.c_size_t))
        if allow is not None:
            options.allow = allow
        if forbid is not None:
            options.forbid = forbid
        if batch_invariant is not None:
            options.batch_invariant = int(flag(batch_invariant, "batch_invariant"))
        handle = c.Handle()
        c.check(c.library().ck_conv_plan_create(spec.c_spec, options, handle))
        self._adopt(handle)

    @classmethod
    def deserialize(cls, text):
        """Returns the plan whose serialize() made the text. Raises Refused if no plan did."""
        plan, handle = cls.__new__(cls), c.Handle()
        if text is None:
            raise TypeError("the plan's text is None, but must be a str")
        c.check(c.library().ck_conv_plan_deserialize(checked_text(text, "the plan's text"), handle))
        plan._adopt(handle)
        return plan

    def _adopt(self, handle):
        self._handle = handle
        self._library = c.library()
        size = ctypes.c_size_t()
        c.check(self._library.ck_conv_plan_workspace_size(handle, size))
        self.workspace_size = size.value

    @functools.cached_property
    def _wants(self):
        spec = c.CSpec()
        c.check(self._library.ck_conv_plan_spec(self.handle, spec, ctypes.sizeof(spec)))
        return _wants(spec, self.workspace_size)

    @property
    def handle(self):
        """The ck_conv_plan*. Its holder may use it even if another thread closes the plan meanwhile."""
        handle = self.__dict__.get("_handle")
        if handle is None:
            raise c.Error("the plan is closed")
        return handle

    def close(self):
        """Releases the library's plan, which ends once no run uses it. Afterwards, this plan cannot be used."""
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __copy__(self):
        plan = type(self).__new__(type(self))
        plan.__dict__.update(self.__dict__)
        return plan

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce_ex__(self, protocol):
        return type(self).deserialize, (self.serialize(),)

    def _text(self, function):
        text = ctypes.c_char_p()
        handle = self.handle
        c.check(getattr(self._library, function)(handle, text))
        return text.value.decode()

    @property
    def kernel(self):
        """The kernel's name."""
        return self._text("ck_conv_plan_kernel")

    def explain(self):
        """Returns several lines of text: the convolution, its kernel, and why each other kernel was not chosen."""
        return self._text("ck_conv_plan_explain")

    def serialize(self):
        """Returns a line of text, from which deserialize() makes the same plan in the same version of the library."""
        return self._text("ck_conv_plan_serialize")

    def run(self, x, w, y, bias=None, residual=None, workspace=None, stream=None, scale=None,
            x_scale=None, w_scale=None, y_scale=None, amax=None):
        """Enqueues the convolution on the stream and returns.

        A tensor is an address, which is not checked, or an object that exposes its memory: a PyTorch tensor, or an object
        with __cuda_array_interface__, __array_interface__ (NumPy) or the buffer protocol. Objects must be contiguous, of
        the tensor's type and size, on the library's device, and writable if they are written.

        Args:
            x, w, y: the result of the plan's direction is written, and the other two are read.
            bias: read, or written with bias_gradient. For quantized convolutions int32, or float32 if the operands are
                eight-bit floats.
            residual: read.
            workspace: workspace_size bytes; contents do not matter.
            stream: a cudaStream_t or hipStream_t, as an integer; None is the default stream.
            scale: with channel_scale, G * K float32 values.
            x_scale, w_scale, y_scale: with tensor_scales, one float32 for each operand. With channel_scale, `scale` takes the
                place of w_scale.
            amax: with amax, one float32, which is set to the largest magnitude in the result before it is rounded.
        """
        handle, wants, tensors, holders = self.handle, self._wants, c.CTensors(stream=stream), []
        given = {"x": x, "w": w, "y": y, "bias": bias, "residual": residual, "workspace": workspace, "scale": scale,
                 "x_scale": x_scale, "w_scale": w_scale, "y_scale": y_scale, "amax": amax}
        for name, value in given.items():
            if name not in wants:
                if value is not None:
                    raise c.Refused(f"{name} is given, but the spec has none")
                continue
            at, holder = address(value, name, *wants[name], c.platform())
            setattr(tensors, name, at)
            holders.append(holder)
        c.check(self._library.ck_conv_run(handle, tensors))


def _wants(spec, workspace):
    """Returns {tensor: (bytes, its elements' type, whether it is written)} for a plan of the ck_conv_spec."""
    sizes = [ctypes.c_size_t() for _ in range(3)]
    c.check(c.library().ck_conv_spec_sizes(spec, None, *sizes))
    types = {name: spec.type if own == c.OWN else own
             for name, own in (("x", spec.x_type), ("w", spec.w_type), ("y", spec.y_type))}
    result = {c.FORWARD: "y", c.BACKWARD_DATA: "x", c.BACKWARD_WEIGHT: "w"}[spec.direction]
    words = {number: word for word, number in TYPES.items()}
    wants = {name: (size.value, words[types[name]], name == result) for name, size in zip("xwy", sizes)}
    operands = [name for name in "xwy" if name != result]
    of_floats = any(wants[name][1] in ("f8_ocp", "bf8_ocp") for name in operands)
    wants["workspace"] = workspace, None, True
    if spec.bias or spec.bias_gradient:
        channels = spec.groups * (spec.c if result == "x" else spec.k)
        element = wants[result][1]
        if spec.quantized:
            element = "f32" if of_floats else "i32"
        wants["bias"] = channels * BYTES[element], element, bool(spec.bias_gradient)
    if spec.residual:
        size, element = wants[result][:2]
        if spec.residual_type != c.OWN:
            size, element = size // BYTES[element] * BYTES[words[spec.residual_type]], words[spec.residual_type]
        wants["residual"] = size, element, False
    if spec.channel_scale:
        wants["scale"] = spec.groups * spec.k * BYTES["f32"], "f32", False
    if spec.tensor_scales:
        wants.update({name + "_scale": (BYTES["f32"], "f32", False) for name in operands
                      if not (name == "w" and spec.channel_scale)})
    if spec.amax:
        wants["amax"] = BYTES["f32"], "f32", True
    return wants


def clear_plan_cache():
    """Empties the library's cache of plans; existing plans stay valid."""
    c.check(c.library().ck_conv_clear_plan_cache())
