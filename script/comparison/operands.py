"""The tensors of a problem, PyTorch's computation of it, the reference, and errors."""
import torch

MEASURED_BYTES, MOST_SETS = 120e6, 8  # sets are rotated, so that no L2 holds them
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "tf32": torch.float32}
BOUNDS = {"bf16": 1e-2, "f16": 2e-3, "f32": 1e-4, "tf32": 2e-3}  # bounds of relative errors in Frobenius norms
RESULT = {"forward": "y", "backward_data": "x", "backward_weight": "w"}
LARGE_FLOPS = 2e12  # in f32, more would take a tenth of a second or longer
_FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


class Case:
    """One direction of a problem on a device. A set has tensors x, w and y; the direction's result starts as NaN."""

    def __init__(self, problem, direction, kind, layout, device):
        self.problem, self.direction, self.kind, self.layout = problem, direction, kind, layout
        self.dtype, self.device, self.result = DTYPES[kind], device, RESULT[direction]
        # 1D is computed as 2D with height 1: the memory is the same, and PyTorch only has channels last from 2D on.
        lifted = problem.rank == 1
        self.sizes = {name: (*size[:2], *([1] if lifted else []), *size[2:]) for name, size in problem.sizes.items()}
        self.arguments = ([*([1] if lifted else []), *problem.strides], [*([0] if lifted else []), *problem.pads_low],
                          [*([1] if lifted else []), *problem.dilations], problem.transposed,
                          [*([0] if lifted else []), *problem.output_padding], problem.groups)
        self.bytes = problem.elements * torch.empty(0, dtype=self.dtype).element_size()

    def make_sets(self):
        most = MOST_SETS if self.device != "cpu" else 1
        return [self._make_set() for _ in range(min(most, int(MEASURED_BYTES // self.bytes) + 1))]

    def _make_set(self):
        p = self.problem
        terms = p.flops / 2 / (p.n * p.k * _product(p.output))  # in a sum
        tensors = {}
        for name, size in self.sizes.items():
            memory_format = _FORMATS[len(size)] if self.layout == "channels_last" else torch.contiguous_format
            tensor = torch.empty(size, dtype=self.dtype, device=self.device, memory_format=memory_format)
            tensors[name] = tensor.normal_(0, max(1, terms) ** -0.5 if name == "w" else 1)
        tensors[self.result].fill_(float("nan"))
        return tensors

    def torch_launch(self, tensors):
        """Runs PyTorch with its current settings, and returns the result."""
        with torch.no_grad():
            x, w, y = tensors["x"], tensors["w"], tensors["y"]
            if self.direction == "forward":
                return torch.ops.aten.convolution.default(x, w, None, *self.arguments)
            mask = [self.direction == "backward_data", self.direction == "backward_weight", False]
            return torch.ops.aten.convolution_backward.default(y, x, w, None, *self.arguments, mask)[mask.index(True)]

    def reference(self, tensors):
        """Returns (the result in a wider type, "f32" or "f64"), or PyTorch's result of the same type if that would take too
        long."""
        if self.problem.flops > LARGE_FLOPS:
            return self.torch_launch(tensors).to(torch.float32), "PyTorch's of the same type"
        wide, name = (torch.float64, "f64") if self.dtype == torch.float32 else (torch.float32, "f32")
        copies = {k: t.to(wide).contiguous() for k, t in tensors.items()}
        benchmark, tf32 = torch.backends.cudnn.benchmark, torch.backends.cudnn.allow_tf32
        torch.backends.cudnn.benchmark = torch.backends.cudnn.allow_tf32 = False
        try:
            return self.torch_launch(copies), name
        finally:
            torch.backends.cudnn.benchmark, torch.backends.cudnn.allow_tf32 = benchmark, tf32


def _product(values):
    result = 1
    for value in values:
        result *= value
    return result


def relative_error(result, reference):
    """Frobenius norm of the difference, divided by that of the reference; NaN if an element is NaN."""
    difference = result.to(reference.dtype) - reference
    return (difference.norm() / reference.norm()).item()
