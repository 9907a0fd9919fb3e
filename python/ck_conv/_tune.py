"""tune(): measures which kernels compute a model's convolutions the fastest, and saves the winners."""
import ctypes
import dataclasses
import re
import reprlib
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_size_t, c_void_p
from typing import List, Optional

import torch

from ._c import interface as c
from ._c.checked import flag, real
from ._conv import launch
from ._trace.state import random_state, set_random_state

_Progress = CFUNCTYPE(None, c_char_p, c_void_p)


class CTuneOptions(ctypes.Structure):
    """ck_conv_tune_options"""
    _fields_ = [("size", c_size_t), ("plan", POINTER(c.COptions)), ("seconds", c_double), ("slower", c_double),
                ("again", c_int), ("progress", _Progress), ("user", c_void_p)]


@dataclasses.dataclass
class Tuned:
    """A convolution of the model: its kernels before and after tune(), and the time of the latter. Kernels are None if the
    library refuses the convolution; microseconds is None if nothing is known."""
    spec: str
    before: Optional[str]
    after: Optional[str]
    microseconds: Optional[float]

    @property
    def has_changed(self):
        """Whether the convolution has another kernel than before."""
        return self.before != self.after


@dataclasses.dataclass
class TuneReport:
    """What tune() found. str() has a line for each convolution whose kernel has changed."""
    database: str  # the file; "" if nothing is saved beyond this process
    convolutions: List[Tuned]
    why: str = ""  # the first reason why something is unknown; "" if everything is known

    def __str__(self):
        changed = [t for t in self.convolutions if t.has_changed]
        known = sum(t.microseconds is not None for t in self.convolutions)
        lines = [f"{known} of {len(self.convolutions)} convolutions are measured, {len(changed)} have other kernels now; "
                 f"they are in {self.database or 'this process only'}"]
        lines += [f"  {t.spec}: {t.microseconds:.1f} us by {t.after}, before {t.before}" for t in changed
                  if t.microseconds is not None]
        return "\n".join(lines + ([f"  not all are known: {self.why}"] if self.why else []))


def tune(model, *inputs, seconds=60, slower=3, again=False, progress=None):
    """Measures the kernels of each convolution that the model computes for these inputs, and returns a TuneReport.

    It measures on the current device: forward and, if something requires a gradient, backward. The winners are saved in the
    database, where this and other processes find them (docs/tuning.md of the library). Nothing else should use the device.
    Call it under the same torch.autocast as the model. Buffers of the model, gradients and random numbers do not change.

    Args:
        seconds: limit for the total time of all measurements.
        slower: kernels predicted to take this many times as long as the best are left out.
        again: whether to repeat measurements that are already in the database.
        progress: a function that gets each line of text; if None, lines are printed to stderr. If it raises, tune() raises the
            same after all measurements.

    Raises Refused if a number is out of range, or under set_batch_invariant(True), whose plans do not use winners.
    """
    if not callable(model):
        raise TypeError(f"the model is a {type(model).__name__}, but must be a torch.nn.Module or a function")
    options = CTuneOptions()
    _initialise(options)
    options.seconds, options.slower = real(seconds, "seconds"), real(slower, "slower")
    options.again = int(flag(again, "again"))
    plan_options = c.plan_options(c.FORWARD)
    options.plan = ctypes.pointer(plan_options)
    raised = []
    if progress is not None:
        if not callable(progress):
            raise TypeError(f"progress is {reprlib.repr(progress)}, but must be a function or None")

        def report_line(line, _):
            try:
                progress(line.decode(errors="replace"))
            except BaseException as error:  # C cannot pass it on
                raised.append(error)

        options.progress = _Progress(report_line)
    measure = _function("ck_conv_tune", [POINTER(c.CSpec), c_size_t, POINTER(CTuneOptions), POINTER(c_size_t)])
    known = c_size_t()
    if measure(None, 0, options, known) == c.REFUSED:  # nothing to measure: only the options are checked
        text = c.library().ck_last_error().decode(errors="replace")
        if text.startswith("ck::TuneOptions"):
            raise c.Refused(text)
    specs, why = _specs_of(model, inputs)
    before = [_plan(spec) for spec in specs]
    status = measure((c.CSpec * len(specs))(*specs), len(specs), options, known)
    if raised:
        c.forget_plans()
        raise raised[0]
    if status == c.REFUSED and (known.value or specs):
        why = c.library().ck_last_error().decode(errors="replace")
    else:
        c.check(status)
    c.forget_plans()
    after = [_plan(spec) for spec in specs]
    report = TuneReport("", [], why)
    for (kernel, text), (kernel_after, explained) in zip(before, after):
        found = re.search(r"time: measured ([\d.e+]+) us(?:, from (.*?))?(?:;|$)", explained, re.M)
        if found is not None:
            if found.group(2) != "this process":
                report.database = found.group(2) or report.database
        report.convolutions.append(Tuned(_words(explained or text), kernel, kernel_after,
                                         None if found is None else float(found.group(1))))
    return report


def _function(name, arguments):
    function = getattr(c.library(), name, None)
    if function is None:
        raise c.Error(f"libck_conv.so does not fit this version of the package: it has no {name}()")
    function.argtypes, function.restype = arguments, c_int
    return function


def _initialise(options):
    c.check(_function("ck_conv_tune_options_init", [POINTER(CTuneOptions), c_size_t])(options, ctypes.sizeof(options)))


def _words(explained):
    """The spec in the first line of an explanation."""
    return explained.split("\n", 1)[0].strip()


def _plan(spec):
    """Returns (kernel, explanation), or (None, why) if the spec is refused."""
    handle, kernel, text = c.Handle(), c_char_p(), c_char_p()
    try:
        c.check(c.library().ck_conv_plan_create(spec, c.plan_options(spec.direction), handle))
    except c.Refused as refused:
        return None, str(refused)
    c.check(c.library().ck_conv_plan_kernel(handle, kernel))
    c.check(c.library().ck_conv_plan_explain(handle, text))
    return kernel.value.decode(), text.value.decode()


def _specs_of(model, inputs):
    """Returns (the specs that are planned while the model runs once, without duplicates; why it has no backward pass that
    gradients are required for, or "")."""
    found = {}
    c.forget_plans()
    launch.planned = lambda spec: found.setdefault(bytes(spec), type(spec).from_buffer_copy(spec))
    buffers = list(model.buffers()) if isinstance(model, torch.nn.Module) else []
    with torch.no_grad():
        kept = [b.clone() for b in buffers]
    random = random_state()
    try:
        why = _differentiate(model, model(*inputs))
    finally:
        launch.planned = None
        c.forget_plans()
        set_random_state(random)
        with torch.no_grad():
            for buffer, old in zip(buffers, kept):
                buffer.copy_(old)
    return list(found.values()), why


def _tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if dataclasses.is_dataclass(value) and not isinstance(value, (dict, type)):
        value = vars(value)
    values = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [t for v in values for t in _tensors(v)]


def _differentiate(model, result):
    """Computes all gradients, and leaves .grad as it is."""
    tensors = _tensors(result)
    results = [t for t in tensors if t.requires_grad]
    if results:
        torch.autograd.grad(results, _leaves(results), [torch.ones_like(t) for t in results], allow_unused=True)
    elif not tensors and torch.is_grad_enabled() and any(p.requires_grad for p in getattr(model, "parameters", list)()):
        return (f"the model returns a {type(result).__name__}, in which tune() finds no tensor: only forward passes are "
                "measured")
    return ""


def _leaves(results):
    """The tensors whose gradients autograd can compute from these."""
    leaves, seen, waiting = [t for t in results if t.grad_fn is None], set(), [t.grad_fn for t in results]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        waiting += [before for before, _ in node.next_functions]
    return leaves
