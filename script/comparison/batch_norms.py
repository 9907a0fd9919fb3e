"""Batch norms of ResNet-50 and MobileNetV2 in training, channels last, each with its addition and activation: times forward
and backward of this library and of PyTorch in turns."""
import re

import torch
from torch import nn
from torch.nn import functional as F

from ck_conv._norm.batch_norm import NONE, batch_norm

from . import machine as machines
from .biases import SETS_BYTES
from .operands import DTYPES
from .tables import table
from .training import write

RELU, RELU6 = ("relu", 0., 0.), ("clamp", 0., 6.)
# (channels, side of the image, whether a residual is added, activation): how often it occurs
NETWORKS = {
    "resnet50": {
        (64, 112, False, RELU): 1, (64, 56, False, RELU): 6, (256, 56, False, NONE): 1, (256, 56, True, RELU): 3,
        (128, 56, False, RELU): 1, (128, 28, False, RELU): 7, (512, 28, False, NONE): 1, (512, 28, True, RELU): 4,
        (256, 28, False, RELU): 1, (256, 14, False, RELU): 11, (1024, 14, False, NONE): 1, (1024, 14, True, RELU): 6,
        (512, 14, False, RELU): 1, (512, 7, False, RELU): 5, (2048, 7, False, NONE): 1, (2048, 7, True, RELU): 3},
    "mobilenet_v2": {
        (32, 112, False, RELU6): 2, (16, 112, False, NONE): 1, (96, 112, False, RELU6): 1, (96, 56, False, RELU6): 1,
        (24, 56, False, NONE): 1, (144, 56, False, RELU6): 3, (24, 56, True, NONE): 1, (144, 28, False, RELU6): 1,
        (32, 28, False, NONE): 1, (192, 28, False, RELU6): 5, (32, 28, True, NONE): 2, (192, 14, False, RELU6): 1,
        (64, 14, False, NONE): 1, (384, 14, False, RELU6): 8, (64, 14, True, NONE): 3, (96, 14, False, NONE): 1,
        (576, 14, False, RELU6): 5, (96, 14, True, NONE): 2, (576, 7, False, RELU6): 1, (160, 7, False, NONE): 1,
        (960, 7, False, RELU6): 6, (160, 7, True, NONE): 2, (320, 7, False, NONE): 1, (1280, 7, False, RELU6): 1}}
DIRECTIONS = "forward", "backward"


def measure(options):
    """Prints a row for each norm and direction, then sums over the networks. Returns 1 if a result is wrong."""
    machine = machines.machine_of(options.device)
    machines.check_library(machine)
    torch.backends.cudnn.benchmark = True
    report = {**machines.description(machine), "type": options.type, "images": options.images, "rows": []}
    for network, norms in NETWORKS.items():
        for norm, count in norms.items():
            name = f"{network} {_name(*norm)}"
            if options.layers and not re.search(options.layers, name):
                continue
            for row in _one(options, machine, norm):
                report["rows"].append({"network": network, "norm": _name(*norm), "count": count, **row})
                print(_line(name, report["rows"][-1]), flush=True)
            machine.release()
            write(report, options.json)
    print("\n" + "\n".join(_sums(report)))
    return 1 if not report["rows"] or any(row["wrong"] for row in report["rows"]) else 0


def _name(channels, side, adds, activation):
    words = ["add"] * adds + [{"clamp": "relu6"}.get(activation[0], activation[0])] * (activation != NONE)
    return "+".join([f"{channels}x{side}x{side}", *words])


def _line(name, row):
    return (f"{name:36} {row['direction']:9} {row['ms']:8.4f} ms {row['rate']:6.0f} GB/s, PyTorch {row['its_ms']:8.4f} ms "
            f"{row['its_rate']:6.0f} GB/s, ratio {row['its_ms'] / row['ms']:.2f} (spread {row['spread']:.0%}, "
            f"{row['its_spread']:.0%}), error {row['error']:.1e}, PyTorch's {row['its_error']:.1e}"
            + ("  WRONG" if row["wrong"] else ""))


def _sums(report):
    lines = []
    for network in NETWORKS:
        for direction in DIRECTIONS:
            rows = [r for r in report["rows"] if (r["network"], r["direction"]) == (network, direction)]
            if rows:
                ours, its = (sum(r["count"] * r[key] for r in rows) for key in ("ms", "its_ms"))
                lines.append([network, direction, sum(r["count"] for r in rows), f"{ours:.3f}", f"{its:.3f}",
                              f"{its / ours:.3f}"])
    return table(f"Batch norms with what follows, {report['type']}, {report['images']} images, ms: {report['device']}",
                 ["network", "", "norms", "ours", "PyTorch's", "ratio"], lines)


class _Tensors:
    """The tensors of one call: operands, and both sides' graphs for the backward passes."""

    def __init__(self, norm, x, residual, grad, module):
        self.norm, self.grad, self.module = norm, grad, module
        self.x, self.residual = x.requires_grad_(), None if residual is None else residual.requires_grad_()
        self.inputs = [t for t in (self.x, module.weight, module.bias, self.residual) if t is not None]
        self.results = {side: side(self) for side in (ours, its)}

    def backward(self, side):
        return torch.autograd.grad(self.results[side], self.inputs, self.grad, retain_graph=True)


def ours(tensors):
    module = tensors.module
    return batch_norm(tensors.x, module.weight, module.bias, module.running_mean, module.running_var, True, .1, 1e-5,
                      tensors.norm[3], tensors.residual, True)


def its(tensors):
    module, (name, least, most) = tensors.module, tensors.norm[3]
    y = F.batch_norm(tensors.x, module.running_mean, module.running_var, module.weight, module.bias, True, .1, 1e-5)
    if tensors.residual is not None:
        y += tensors.residual
    return y if name == "none" else F.relu_(y) if name == "relu" else F.hardtanh(y, least, most, inplace=True)


def _exact(tensors):
    """Returns result and gradients, by the formula in float64."""
    x, w, b, *residual = (t.detach().double().requires_grad_() for t in tensors.inputs)
    name, least, most = tensors.norm[3]
    y = F.batch_norm(x, None, None, w, b, True, 0., 1e-5)
    y = y + residual[0] if residual else y
    y = y if name == "none" else y.relu() if name == "relu" else F.hardtanh(y, least, most)
    return [y.detach(), *torch.autograd.grad(y, (x, w, b, *residual), tensors.grad.double())]


def _one(options, machine, norm):
    channels, side, adds, _ = norm
    images, side = (2, min(side, 4)) if options.small else (options.images, side)
    dtype, device = DTYPES[options.type], machine.device
    torch.manual_seed(1)
    module = nn.BatchNorm2d(channels).to(device)

    def tensor():
        x = torch.randn(images, channels, side, side, device=device).to(dtype)
        return x.contiguous(memory_format=torch.channels_last)

    size = images * channels * side * side * torch.finfo(dtype).bits // 8
    sets = [_Tensors(norm, tensor(), tensor() if adds else None, tensor(), module)
            for _ in range(max(1, min(4, SETS_BYTES // (3 * size))))]
    exact = _exact(sets[0])
    errors = {s: max(_far(a, b) for a, b in zip([sets[0].results[s], *sets[0].backward(s)], exact)) for s in (ours, its)}
    del exact
    # The passes of docs/batch_norm.md, one tensor each.
    saves_y = adds and norm[3] != NONE
    bytes_moved = {"forward": (3 + adds) * size, "backward": (5 + 2 * saves_y) * size}
    for direction in DIRECTIONS:
        sides = []
        for s in (ours, its):
            sides.append(machines.Side(s.__name__, (lambda t, s=s: s(t)) if direction == "forward" else
                                       lambda t, s=s: t.backward(s)))
        for s in sides:
            machine.prepare(s, sets)
        machine.turns(sides, sets, options.rounds, options.warm)
        mine, other = sides
        rates = [bytes_moved[direction] / s.ms / 1e6 for s in sides]
        yield {"direction": direction, "ms": mine.ms, "its_ms": other.ms, "rate": rates[0], "its_rate": rates[1],
               "spread": mine.spread, "its_spread": other.spread, "error": errors[ours], "its_error": errors[its],
               "wrong": not errors[ours] <= max(2 * errors[its], 2 ** -6 if dtype != torch.float32 else 1e-4)}


def _far(a, b):
    return ((a.double() - b).norm() / b.norm()).item()
