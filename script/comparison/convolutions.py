"""Single convolutions: times this library's plan and PyTorch's convolution in turns, and checks the result."""
import re

import torch

import ck_conv

from . import beside, tables
from .machine import Side, allow_tf32, check_library, description, is_lost, machine_of, said
from .operands import BOUNDS, Case, DTYPES, relative_error
from .problems import directions_of

SLOWER = 20  # PyTorch's own kernels that take this many times as long as ours are not timed


class TooSlow(Exception):
    """A rival is too slow to be worth its time."""


class MachineLost(Exception):
    """After this CUDA error, nothing runs any more in this process."""


def measure(options, tasks, left_out):
    """Prints a line for each convolution and direction. Writes the report after each, and returns it."""
    machine = machine_of(options.device)
    check_library(machine)
    torch.backends.cudnn.benchmark = True
    if hasattr(torch.backends.cudnn, "benchmark_limit"):  # in PyTorch 1.13 and later
        torch.backends.cudnn.benchmark_limit = options.plans
    allow_tf32(options.type == "tf32")
    ceilings = machine.ceilings(DTYPES[options.type])
    report = {**description(machine), "ceilings": [ceilings] if ceilings else [], "rows": [], "failed": [],
              "left_out": left_out}
    cases = [(p, d, uses) for p, uses in tasks.items() for d in directions_of(uses)]
    for i, (problem, direction, uses) in enumerate(cases, 1):
        head = f"[{i}/{len(cases)}] {uses[0].source} {uses[0].name} {direction}:"
        try:
            result = _one(options, machine, Case(problem, direction, options.type, options.layout, machine.device))
            result["floor"] = _floor(problem, result.pop("bytes"), ceilings)
            _add(report["rows"], options, direction, uses, result)
            print(head, _line(result), flush=True)
        except Exception as e:  # any error: the others are measured all the same
            print(f"FAILED {head} {said(e)}", flush=True)
            report["failed"] += [{"source": use.source, "name": use.name, "direction": direction, "why": said(e)}
                                 for use in uses if direction in use.counts]
        if options.json:
            tables.write(report, options.json)
        if is_lost(machine):
            raise MachineLost(report)
        machine.release()
    return report


def _one(options, machine, case):
    """Returns the contents of a row."""
    sets = case.make_sets()
    ours, plan = _our_side(machine, case, "ours", None)
    others, theirs, notes = [], _their_sides(machine, case), []
    for allow in options.also:
        try:
            others.append(_our_side(machine, case, allow, allow)[0])
        except ck_conv.Refused as e:
            notes.append(f"{allow}: {said(e)[:100]}")
    reference, checked = case.reference(sets[0])
    bad, errors = False, []
    for side in (ours, *others):
        machine.prepare(side, sets)
        error, same = _check(machine, case, side, sets, reference)
        errors.append(error)
        bad = bad or not error <= BOUNDS[case.kind] or not same
        if not same:
            notes.append(f"{side.name}: a graph's replay gave other bits than the first launch")
    del reference
    besides, refused = beside.sides(options, machine, case, sets, lambda kind: _spec(case, kind))
    notes += refused
    for side in besides:
        machine.prepare(side, sets)
    for side in list(theirs):
        try:
            _limited(machine, side, sets, ours)
        except Exception as e:
            if is_lost(machine):
                raise
            theirs.remove(side)
            notes.append(f"{side.name}: {said(e)[:200]}")
    machine.turns([ours, *others, *besides, *theirs], sets, options.rounds, options.warm)
    best = min(theirs, key=lambda side: side.ms, default=None)
    predicted = re.search(r"^ *time: (\d+) cycles predicted", plan.explain(), re.M)
    return {"kernel": plan.kernel, "workspace": plan.workspace_size, "error": errors[0], "checked": checked, "bad": bad,
            "ms": ours.ms, "spread": ours.spread, "predicted": int(predicted[1]) if predicted else None,
            "rival": best.ms if best else None, "which_rival": best.name if best else None,
            "rival_spread": best.spread if best else None, "ratio": best.ms / ours.ms if best else None,
            "also": [{"allow": side.name, "kernel": side.kernel, "ms": side.ms, "error": error}
                     for side, error in zip(others, errors[1:])],
            "beside": [{"name": side.name, "kernel": side.kernel, "ms": side.ms} for side in besides],
            "notes": notes, "bytes": case.bytes}


def _spec(case, kind):
    """Returns the spec of the convolution with elements of a type."""
    p = case.problem
    fields = dict(input=p.input, filter=p.filter, direction=case.direction, type="f32" if kind == "tf32" else kind,
                  layout=case.layout, groups=p.groups, n=p.n, k=p.k // p.groups, c=p.c // p.groups, strides=p.strides,
                  dilations=p.dilations, pad_low=p.pads_low, pad_high=p.pads_high)
    if kind == "tf32":
        fields["compute"] = "tf32"
    if p.transposed:
        fields.update(transposed=1, output_padding=p.output_padding)
    return ck_conv.Spec(**fields)


def _our_side(machine, case, name, allow):
    plan = ck_conv.Plan(_spec(case, case.kind), allow=allow)
    workspace = torch.empty(plan.workspace_size, dtype=torch.uint8, device=case.device)
    at, stream = workspace.data_ptr() or None, machine.stream()

    def launch(tensors):
        plan.run(*(tensors[name].data_ptr() for name in "xwy"), workspace=at, stream=stream)
        return workspace  # keeps it alive as long as the launches

    return Side(name, launch, plan.kernel), plan


def _their_sides(machine, case):
    """PyTorch's convolution with cuDNN and, for groups, its own kernels. cuDNN chooses at the first launch."""
    if not machine.is_gpu:
        return [Side("PyTorch on the CPU", case.torch_launch)]

    def without_cudnn(tensors):
        torch.backends.cudnn.enabled = False
        try:
            return case.torch_launch(tensors)
        finally:
            torch.backends.cudnn.enabled = True

    sides = [Side("cuDNN by PyTorch", case.torch_launch)]
    if case.problem.groups > 1:
        sides.append(Side("PyTorch without cuDNN", without_cudnn))
    return sides


def _check(machine, case, side, sets, reference):
    """Returns (relative error, whether the graph writes the same bits into every set)."""
    results = [tensors[case.result] for tensors in sets]
    results[0].fill_(float("nan"))
    side.launch(sets[0])
    machine.synchronize()
    error, first = relative_error(results[0], reference), results[0].clone()
    for result in results:
        result.fill_(float("nan"))
    machine.replay(side, sets)
    machine.synchronize()
    written = results[:side.launches]
    return error, torch.equal(results[0], first) and not any(r.isnan().any().item() for r in written)


def _limited(machine, side, sets, ours):
    """Prepares one of PyTorch's sides; raises if it is too slow to be a rival."""
    if side.name == "PyTorch without cuDNN":
        side.launch(sets[0])
        ms = machine.elapsed(lambda: side.launch(sets[0]))
        if ms > SLOWER * ours.guess:
            raise TooSlow(f"{ms:.3g} ms is over {SLOWER} times as long as ours")
    machine.prepare(side, sets)


def _floor(problem, size, ceilings):
    """Returns the ms that no version can beat by much: each byte is moved once, and each product computed."""
    if ceilings is None:
        return None
    return 1e3 * max(size / ceilings["bytes"], problem.flops / ceilings["flops"])


def _add(rows, options, direction, uses, result):
    for use in uses:
        if direction in use.counts:
            rows.append({"name": use.name, "source": use.source, "network": use.is_network, "layout": options.layout,
                         "type": options.type, "direction": direction, "count": use.counts[direction], **result})


def _line(result):
    rival = f"{result['which_rival']} {result['rival']:.4f} ({result['ratio']:.2f})" if result["rival"] else "no rival"
    also = "".join(f", {other['allow']}: {other['ms']:.4f}" for other in result["also"])
    also += "".join(f", {other['name']} {other['ms']:.4f}" for other in result["beside"])
    floor = f", floor {result['floor']:.4f}" if result["floor"] else ""
    notes = "".join(f"; {note}" for note in result["notes"])
    return (f"{'BAD ' if result['bad'] else ''}{result['ms']:.4f} ms, {rival}{also}, spread {result['spread']:.3f}{floor}, "
            f"error {result['error']:.1e} of {result['checked']}, {result['kernel']}{notes}")
