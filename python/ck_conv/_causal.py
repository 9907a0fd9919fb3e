"""Causal convolutions without gradients, whole or chunk by chunk, with the same bits.

The outermost dimension is time; its elements are frames. The first outputs of a chunk need frames of earlier chunks:
these are computed from a small copy, the cached frames and the first new ones. All others are computed from the chunk
itself, which is not copied, and written to their places in the result.

Equal bits need the same order of sums. One kernel computes all chunks and whole sequences. It is chosen for a sequence of
a fixed number of frames, and it may not depend on that number: the number is odd, so that the strides of longer and
shorter sequences are multiples of at least what its strides are; and no kernel is taken that splits sums to fill the GPU.
Those are kernels for Hopper, "Wgmma<", and only with a workspace: they have none here. Tensors of channels first, which
many kernels copy to the workspace, use kernels of another name. The strides of one pixel do not tell its layout: channels
first, a single output is computed together with one more, which nobody reads. Kernels add the elements of patches, filters
as wide as their stride, in another order unless there are pads: patches never have any, but copied zeros before the first
frame. They read no frame after the last that an output needs.
"""
import ctypes
import math
import re

import torch

from . import _launch as launch
from . import _library as c
from ._geometry import output_size

CHUNK = {1: 4096, 2: 256, 3: 16}  # frames for which the kernel of a rank is chosen, by default
_kernels = {}
_parts = {}
c.holders_of_plans += [_kernels.clear, _parts.clear]


def whole(x, w, bias, g, chunk):
    """The convolution of a sequence from its first frame on. w and bias: tensors like x. chunk: a key of _Kernel."""
    work = _Work(x, w, bias, g, chunk)
    result = work.result(1 + (x.size(2) - 1) // g.stride[0])
    _compute(work, None, 0, result)
    return work.returned(result)


def stream(x, w, bias, g, chunk, frames, skip):
    """The next chunk. frames: those before it, as many as the filter reaches back; None: zeros. skip: frames of the chunk before the
    first that has an output. Returns (outputs, frames for the next chunk, its skip)."""
    reach, stride, length = g.pad_low[0], g.stride[0], x.size(2)
    count = max(0, -(-(length - skip) // stride))
    work = _Work(x, w, bias, g, chunk, frames)
    result = work.result(count)
    joint = _compute(work, frames, skip, result)
    if frames is None and length < reach:
        frames = work.zeros(reach)
    return work.returned(result), _last(reach, frames, work.x, joint, work), skip + count * stride - length


def _compute(work, frames, skip, result):
    """Computes the outputs of a chunk. Returns the copy of cached and new frames of which the first ones were computed, if
    there is one."""
    reach, stride, length, count, joint = work.g.pad_low[0], work.g.stride[0], work.x.size(2), result.size(2), None
    if frames is None:
        if not work.are_patches:
            work.compute(work.x, reach, result)
            return None
        frames = work.zeros(reach)
    early = min(count, max(0, -(-(reach - skip) // stride)))  # outputs that need cached frames
    if early > 0:
        if length <= 2 * reach:  # two launches do not pay
            early = count
        new = length if early == count else skip + (early - 1) * stride + 1
        joint = work.compute_joined(frames[:, :, skip:], work.x[:, :, :new], result[:, :, :early])
    if early < count:
        work.compute(work.x[:, :, skip + early * stride - reach:], 0, result[:, :, early:])
    return joint


def _last(reach, frames, x, joint, work):
    """The last frames before the next chunk, in memory that nobody else has."""
    length = x.size(2)
    if length < reach:
        if joint is not None and joint.size(2) >= reach:  # it ends with the chunk
            return joint[:, :, joint.size(2) - reach:]
        return work.joined(frames[:, :, length:], x)
    return work.joined(x[:, :, length - reach:])


class _Work:
    """One call: its tensors in memory that kernels can read, and its kernel."""

    def __init__(self, x, w, bias, g, chunk, frames=None):
        launch.check_tensors(x.dtype, w.dtype, x.device, w.device)
        if bias is not None:
            bias = launch.checked_bias(bias, x, w, g)
        self.channels_last = _is_channels_last(x) or launch.is_channels_last(w) or (
            frames is not None and _is_channels_last(frames))  # a stream keeps its layout
        self.g, self.size = g, output_size(x.shape, w.shape, g)
        frames = math.prod(x.shape[3:]), math.prod(self.size[3:])  # elements of one channel of X and Y
        pixel = frames[0] * x.size(1) * x.element_size(), frames[1] * w.size(0) * x.element_size()
        alignment = _power_of_two(*pixel) if self.channels_last else _power_of_two(
            *(n * x.element_size() for n in frames))
        self.alone = x.size(0) > 1 and _power_of_two(*pixel) < launch.MOST_ALIGNED  # strides of images must not matter
        self.are_patches = len(g.stride) == 1 and g.stride[0] == w.size(2) > 1 == g.dilation[0]
        self.x = _readable(x, self.channels_last, alignment)
        self.w = _aligned(launch.packed(w, self.channels_last), alignment)
        self.bias = None if bias is None else _aligned(bias, alignment)
        tf32 = x.dtype == torch.float32 and x.is_cuda and launch.allows_tf32()
        self.key = (g, x.dtype, x.device, self.channels_last, 1 if self.alone else x.size(0), x.shape[3:], w.shape,
                    bias is None, tf32, alignment, chunk)

    def result(self, frames):
        self.size[2] = frames
        self.two = None
        if frames == 1 and not self.channels_last and 1 in (math.prod(self.x.shape[3:]), math.prod(self.size[3:])):
            self.size[2] = 2
            self.two = launch.empty(self.size, self.x, False)
            return self.two[:, :, :1]
        return launch.empty(self.size, self.x, self.channels_last)

    def returned(self, result):
        return result if self.two is None else result.contiguous()

    def zeros(self, frames):
        return self.x.new_zeros((*self.x.shape[:2], frames, *self.x.shape[3:]))

    def joined(self, *parts):
        """The frames of all parts, in new memory."""
        frames = sum(part.size(2) for part in parts)
        like = parts[-1]
        new = launch.empty((*like.shape[:2], frames, *like.shape[3:]), like, self.channels_last)
        return torch.cat(parts, 2, out=new) if len(parts) > 1 else new.copy_(like)

    def compute_joined(self, cached, x, y):
        """Computes y from a copy of the frames of both, which it returns."""
        more = () if self.two is None else (self.zeros(self.g.stride[0]),)
        joint = self.joined(cached, x, *more)
        self._on_device(joint, 0, y if self.two is None else self.two)
        return joint[:, :, :cached.size(2) + x.size(2)]

    def compute(self, x, pad, y):
        """Computes y from x, with `pad` zeros before x."""
        if self.two is not None:
            x, y = self.joined(x, self.zeros(self.g.stride[0])), self.two
        self._on_device(x, pad, y)

    def _on_device(self, x, pad, y):
        if x.is_cuda and x.get_device() != launch.current_device():
            with torch.cuda.device(x.get_device()):
                return self._on_device(x, pad, y)
        if y.numel() == 0:
            return None
        x = x[:, :, :(y.size(2) - 1) * self.g.stride[0] + self.g.pad_low[0] + 1 - pad]
        if self.alone:
            for i in range(x.size(0)):
                self._compute(x[i:i + 1], pad, y[i:i + 1])
        else:
            self._compute(x, pad, y)
        return None

    def _compute(self, x, pad, y):
        key = self.key, x.shape, x.stride(), y.stride(), pad
        part = _parts.get(key)
        if part is None:
            if len(_parts) >= launch.MOST_PLANS:
                _parts.clear()
            part = _parts[key] = self._plan(x, pad, y)
        handle, new_workspace = part
        memory = new_workspace()
        c.check(c.run_packed()(handle, c.pack_tensors(
            x.data_ptr(), self.w.data_ptr(), y.data_ptr(), 0 if self.bias is None else self.bias.data_ptr(), 0,
            0 if memory is None else memory.data_ptr(), launch.stream_of(x))))

    def _plan(self, x, pad, y):
        kernel = _kernels.get(self.key)
        if kernel is None:
            if len(_kernels) >= launch.MOST_PLANS:
                _kernels.clear()
            kernel = _kernels[self.key] = self._choose()
        try:
            handle = self._planned(x, pad, y, **kernel)
        except c.Refused as refused:
            launch.warn(f"chunks of {tuple(x.shape)} may differ from the whole sequence in the last bits: the kernel that "
                        f"computes others, {kernel['allow']}, does not compute them: {str(refused).splitlines()[0]}")
            handle = self._planned(x, pad, y, None, None)
        size = ctypes.c_size_t()
        c.check(c.library().ck_conv_plan_workspace_size(handle, size))
        return handle, launch.allocation((size.value,), (1,), torch.uint8, x.device) if size.value else launch.no_memory

    def _choose(self):
        """The options of plans that have one kernel, and sums in the same order."""
        outputs, images = self.key[-1] | 1, 1 if self.alone else self.x.size(0)
        meta = torch.empty(0, dtype=self.x.dtype, device="meta")
        reach = self.g.pad_low[0]
        pad = 0 if self.are_patches else reach
        x = launch.empty((images, self.x.size(1), (outputs - 1) * self.g.stride[0] + 1 + reach - pad, *self.x.shape[3:]), meta,
                         self.channels_last)
        y = launch.empty((images, self.size[1], outputs, *self.size[3:]), meta, self.channels_last)
        ways = [{"limit": None, "forbid": "Wgmma<"}]
        if self.channels_last:
            ways.insert(0, {"limit": 0, "forbid": "SeparateEpilogue<.*Wgmma<"})  # those want one for a single pixel
        for way in ways:
            try:
                handle = self._planned(x, pad, y, **way)
                break
            except c.Refused:
                if way is ways[-1]:
                    raise
        text = ctypes.c_char_p()
        c.check(c.library().ck_conv_plan_kernel(handle, text))
        name = re.sub("^CutImage<(.*)>$", r"\1", text.value.decode())  # images of more than 2 GiB are cut
        escaped = re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", name)
        return {"limit": 0 if "Wgmma<" in name else None, "forbid": None, "allow": f"^({escaped}|CutImage<{escaped}>)$"}

    def _planned(self, x, pad, y, limit, forbid, allow=None):
        g, groups = self.g, self.g.groups
        spec = c.CSpec()
        c.check(c.library().ck_conv_spec_init(spec, ctypes.sizeof(spec), len(g.stride)))
        spec.direction, spec.type, spec.layout = c.FORWARD, launch.TYPES[x.dtype], c.STRIDED
        if self.key[-3]:
            spec.compute = c.TF32
        spec.groups, spec.n, spec.c, spec.k = groups, x.size(0), self.w.size(1), self.w.size(0) // groups
        for field, values in (("input", x.shape[2:]), ("filter", self.w.shape[2:]), ("strides", g.stride),
                              ("dilations", g.dilation), ("pad_low", (pad, *g.pad_low[1:])), ("pad_high", g.pad_high)):
            setattr(spec, field, values)
        of_x, of_w, of_y = (_strides(t, self.channels_last) for t in (x, self.w, y))
        spec.x_strides = (of_x[1] * spec.c, *of_x)
        spec.w_strides = (of_w[0] * spec.k, *of_w)
        spec.y_strides = (of_y[1] * spec.k, *of_y)
        spec.alignment, spec.bias = self.key[-2], int(self.bias is not None)
        options = c.plan_options(c.FORWARD)
        if limit is not None:
            options.workspace_limit = limit
        options.allow, options.forbid = allow, forbid
        handle = c.Handle()
        c.check(c.library().ck_conv_plan_create(spec, options, handle))
        return handle


def _is_channels_last(tensor):
    """The same for a single sample, in 1D, as for the longer tensor of which it is a part."""
    if tensor.dim() == 3 and tensor.size(2) == 1:
        return tensor.stride(1) == 1 and 1 < tensor.size(1) <= tensor.stride(2)
    return launch.is_channels_last(tensor)


def _power_of_two(*numbers):
    """The largest that divides all numbers, at most MOST_ALIGNED."""
    low = launch.MOST_ALIGNED
    for n in numbers:
        low |= n
    return low & -low


def _packed_strides(size, channels_last):
    order = [0, *range(2, len(size)), 1] if channels_last else range(len(size))
    strides, next_stride = [0] * len(size), 1
    for dimension in reversed(order):
        strides[dimension] = next_stride
        next_stride *= size[dimension]
    return strides


def _strides(tensor, channels_last):
    """With those of a packed tensor where a dimension has one element."""
    packed = _packed_strides(tensor.shape, channels_last)
    return [own if n > 1 else other for n, own, other in zip(tensor.shape, tensor.stride(), packed)]


def _aligned(tensor, alignment):
    return tensor if tensor.data_ptr() % alignment == 0 else tensor.clone()


def _readable(x, channels_last, alignment):
    """x itself if its frames are contiguous; the images may be apart, and so may the channels if they are outside of the
    frames. Otherwise a packed copy."""
    packed = _packed_strides(x.shape, channels_last)
    apart = (0,) if channels_last else (0, 1)
    step = alignment // x.element_size() or 1
    fits = not x.is_neg() and x.data_ptr() % alignment == 0 and all(
        n == 1 or (own >= other and own % step == 0 if i in apart else own == other)
        for i, (n, own, other) in enumerate(zip(x.shape, x.stride(), packed)))
    return x if fits else _aligned(launch.packed(x.clone() if x.data_ptr() % alignment else x, channels_last), alignment)
