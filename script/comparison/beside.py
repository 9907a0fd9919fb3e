"""Times related work for comparison with a convolution: this library's plans for other types, and matrix products of the
same sizes. Does not check results."""
import math

import torch

import ck_conv

from .machine import Side


def sides(options, machine, case, sets, spec_of):
    """Returns ([sides], [notes on refused ones]). spec_of(type): the case's spec with elements of another type."""
    found, notes = [], []
    for kind in options.types:
        try:
            found.append(_of_type(machine, kind, spec_of(kind), sets))
        except ck_conv.Refused as e:
            notes.append(f"{kind}: {' '.join(str(e).split())[:100]}")
    if options.product and _is_product(case.problem):
        found.append(_product(case, sets))
    return found, notes


def _of_type(machine, kind, spec, sets):
    plan = ck_conv.Plan(spec)
    workspace = torch.empty(plan.workspace_size, dtype=torch.uint8, device=machine.device)
    at, stream = workspace.data_ptr() or None, machine.stream()
    _, *sizes = spec.sizes()
    memory = [[_random_bytes(size, machine.device) for size in sizes] for _ in sets]
    of_set = {id(tensors): own for tensors, own in zip(sets, memory)}

    def launch(tensors):
        plan.run(*(own.data_ptr() for own in of_set[id(tensors)]), workspace=at, stream=stream)
        return workspace

    return Side(kind, launch, plan.kernel)


def _random_bytes(count, device):
    """Small numbers of either sign as eight-bit floats, none of them NaN; for int8, any numbers."""
    return (torch.randint(0, 64, (count,), dtype=torch.uint8, device=device)
            + 128 * torch.randint(0, 2, (count,), dtype=torch.uint8, device=device))


def _is_product(p):
    """Whether each element of X belongs to one pixel of Y: patches, and 1x1."""
    whole = all(length % taps == 0 for length, taps in zip(p.input, p.filter))
    return (p.groups == 1 and not p.transposed and p.strides == p.filter and whole and set(p.dilations) == {1}
            and set(p.pads_low) == {0} == set(p.pads_high))


def _product(case, sets):
    p = case.problem
    m, n, k = p.n * math.prod(p.output), p.k, p.c * math.prod(p.filter)
    sizes = {"x": (m, k), "w": (n, k), "y": (m, n)}
    memory = [{name: torch.randn(size, device=case.device).to(case.dtype) for name, size in sizes.items()} for _ in sets]
    of_set = {id(tensors): own for tensors, own in zip(sets, memory)}

    def launch(tensors):
        own = of_set[id(tensors)]
        x, w, y = own["x"], own["w"], own["y"]
        operands = {"forward": (x, w.t()), "backward_data": (y, w), "backward_weight": (y.t(), x)}[case.direction]
        return torch.mm(*operands, out=own[case.result])

    return Side("product", launch)
