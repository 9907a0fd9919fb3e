"""Whether whole networks learn as with PyTorch's convolutions: compares gradients with float64, and losses."""
import contextlib
import copy
import math
import statistics

import torch
from torch.nn import functional as F

from .machine import allow_tf32, description
from .networks import CLASSES, Network
from .operands import DTYPES
from .problems import WrongInput
from .tables import table
from .training import Training, autocast, pair, prepared, write

WORSE = 2  # an error of this many times PyTorch's is wrong: both have the same types, and differ only in the order of sums
LAST = 10  # the mean of this many losses is compared


def gradients(options):
    machine = prepared(options)
    wrong = [kind for kind in options.types if kind not in DTYPES or kind == "f16"]
    if wrong or not options.types:
        raise WrongInput(f"--types has '{','.join(wrong)}', but its choices are bf16, f32, tf32")
    rows = []
    for name in options.networks:
        for kind in options.types:
            rows.append(_gradient_errors(machine, Network(name, options.images), kind))
            machine.release()
            print(_gradient_line(rows[-1]), flush=True)
    report = {**description(machine), "gradients": rows}
    write(report, options.json)
    lines = [[r["network"], r["type"], *(f"{r[k]:.1e}" for k in ("ours", "its", "worst", "its_worst")),
              "BAD" if r["bad"] else ""] for r in rows]
    print("\n" + "\n".join(table(f"Errors of gradients, relative to float64: {report['device']}",
                                 ["network", "type", "ours", "PyTorch's", "worst filter", "PyTorch's", ""], lines)))
    return 1 if any(r["bad"] for r in rows) else 0


def _gradient_line(row):
    return (f"{'BAD ' if row['bad'] else ''}{row['network']} {row['type']}: {row['ours']:.2e}, PyTorch {row['its']:.2e}; "
            f"the worst filter {row['worst']:.2e}, PyTorch {row['its_worst']:.2e}")


def _gradient_errors(machine, network, kind):
    torch.manual_seed(0)
    dtype = DTYPES[kind]
    ours, theirs = pair(network, machine.device, dtype)
    exact = copy.deepcopy(theirs).double()
    for model in (ours, theirs, exact):
        for module in model.modules():
            if "Dropout" in type(module).__name__ or "StochasticDepth" in type(module).__name__:
                module.eval()  # otherwise each side would drop other values
    x, = network.inputs(machine.device, dtype)
    labels = torch.randint(0, CLASSES, (network.batch,), device=machine.device)
    allow_tf32(kind == "tf32")
    found = []
    for model in (ours, theirs, exact):
        network.loss(model, (x.to(next(model.parameters()).dtype),), labels).backward()
        found.append([p.grad.double() for p in model.parameters()])
    reference = found.pop()
    errors = [_errors(mine, reference) for mine in found]
    (whole, worst), (its_whole, its_worst) = errors
    return {"network": network.name, "type": kind, "ours": whole, "its": its_whole, "worst": worst, "its_worst": its_worst,
            "bad": not whole <= WORSE * its_whole}


def _errors(mine, reference):
    """Returns (the error of all gradients as one vector, the largest error of a single filter)."""
    differences = [(a - b).norm().item() for a, b in zip(mine, reference)]
    norms = [b.norm().item() for b in reference]
    filters = [d / n for d, n, b in zip(differences, norms, reference) if b.dim() > 2 and n > 0]
    return math.hypot(*differences) / math.hypot(*norms), max(filters)


def losses(options):
    machine = prepared(options)
    allow_tf32(options.type == "tf32")
    report = {**description(machine), "type": options.type, "losses": []}
    for name in options.networks:
        for seed in range(options.seeds):
            curves = _curves(options, machine, Network(name, options.images), seed)
            machine.release()
            report["losses"].append({"network": name, "seed": seed, "ours": curves[0], "its": curves[1]})
            write(report, options.json)
            print(f"{name}, seed {seed}: " + "; ".join(
                f"{who} {curve[0]:.3f}, {curve[len(curve) // 2]:.3f}, {_end(curve):.3f}"
                for who, curve in zip(("ours", "PyTorch's"), curves)), flush=True)
    lines = []
    for name in options.networks:
        ends = [[_end(r[side]) for r in report["losses"] if r["network"] == name] for side in ("ours", "its")]
        lines.append([name, *(f"{statistics.mean(e):.4f} ({min(e):.4f} to {max(e):.4f})" for e in ends)])
    print("\n" + "\n".join(table(f"Mean of the last {LAST} losses, {options.seeds} seeds, {options.type}: "
                                 f"{report['device']}", ["network", "ours", "PyTorch's"], lines)))
    finite = all(map(math.isfinite, (v for r in report["losses"] for side in ("ours", "its") for v in r[side])))
    return 0 if finite else 1


def _end(curve):
    return statistics.mean(curve[-LAST:])


def _curves(options, machine, network, seed):
    """Returns our curve and PyTorch's, from the same weights and batches: a coarse pattern for each class, and noise."""
    torch.manual_seed(seed)
    models = pair(network, machine.device, torch.float32)
    context = autocast(machine.device, torch.bfloat16) if options.type == "bf16" else contextlib.nullcontext
    coarse = torch.randn(CLASSES, network.size[0], *[4] * (len(network.size) - 1), device=machine.device)
    patterns = F.interpolate(coarse, network.size[1:])
    curves = []
    for model in models:
        torch.manual_seed(1000 + seed)
        side, curve = Training(network, model, None, None, context, rate=0.02), []
        for _ in range(options.steps):
            side.labels = torch.randint(0, CLASSES, (network.batch,), device=machine.device)
            x = patterns[side.labels]
            side.inputs = ((x + torch.randn_like(x)).contiguous(memory_format=network.memory_format),)
            curve.append(side.step())
        curves.append(torch.stack(curve).tolist())
    return curves
