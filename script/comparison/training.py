"""Training steps of whole networks, with this library's convolutions and with PyTorch's; and the CPU cost of a layer."""
import contextlib
import copy
import json
import statistics
import time

import torch
from torch import nn

import ck_conv

from .machine import allow_tf32, check_library, description, machine_of, said
from .networks import CLASSES, Network, in_memory_format
from .operands import DTYPES
from .problems import WrongInput
from .tables import table

SAMPLES, CALLS = 9, 100  # of a small layer; few enough calls that the GPU's queue never fills
WARM_STEPS = 5


class Training:
    """A model, its optimizer and a batch."""

    def __init__(self, network, model, inputs, labels, context=contextlib.nullcontext, rate=1e-3):
        self.network, self.model, self.inputs, self.labels, self.context = network, model, inputs, labels, context
        self.optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9, foreach=True)

    def step(self):
        """Returns the loss, on the device."""
        self.optimizer.zero_grad(set_to_none=True)
        with self.context():
            loss = self.network.loss(self.model, self.inputs, self.labels)
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def pair(network, device, dtype):
    """Returns (a model with this library's convolutions, the same with PyTorch's), in channels last."""
    theirs = in_memory_format(network.build().to(device=device, dtype=dtype), network.memory_format).train()
    return ck_conv.replace(copy.deepcopy(theirs)), theirs


def autocast(device, dtype):
    return lambda: torch.autocast(device, dtype=dtype)


def prepared(options):
    """Returns the machine, after checks."""
    if not options.networks:
        raise WrongInput("--networks does not say what to train")
    machine = machine_of(options.device)
    check_library(machine)
    torch.backends.cudnn.benchmark = True
    return machine


def write(report, path):
    if path:
        try:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(report, file, indent=1)
        except OSError as e:
            raise WrongInput(f"cannot write {path}: {e.strerror}")


def training(options):
    machine = prepared(options)
    allow_tf32(options.type == "tf32")
    report = {**description(machine), "type": options.type, "autocast": options.autocast, "training": [], "failed": []}
    for name in options.networks:
        for images in options.images:
            network = Network(name, images)
            try:
                row = _images_a_second(options, machine, network)
            except WrongInput:
                raise
            except Exception as e:  # any error: the others are measured all the same
                print(f"FAILED {name} {images}: {said(e)}", flush=True)
                report["failed"].append({"network": name, "images": images, "why": said(e)})
                continue
            finally:
                machine.release()
            report["training"].append(row)
            print(f"{name} {network.batch}: {row['ours']:.1f} a second, PyTorch {row['its']:.1f}, ratio {row['ratio']:.3f}",
                  flush=True)
            write(report, options.json)
    report["small_layer"] = _small_layer(machine, DTYPES[options.type])
    write(report, options.json)
    columns = ["network", "images", "ours", "PyTorch", "ratio", "spread", "its spread"]
    lines = [[r["network"], r["images"], f"{r['ours']:.1f}", f"{r['its']:.1f}", f"{r['ratio']:.3f}", f"{r['spread']:.3f}",
              f"{r['its_spread']:.3f}"] for r in report["training"]]
    print("\n" + "\n".join(table(f"Training, {options.type}{', autocast' if options.autocast else ''}, images a second: "
                                 f"{report['device']}", columns, lines)))
    lines = [[what, *(f"{v:.1f}" for v in values)] for what, values in report["small_layer"].items()]
    print("\n".join(table("Microseconds of the CPU, one small layer", ["", "ours", "PyTorch"], lines)))
    return 1 if report["failed"] else 0


def _images_a_second(options, machine, network):
    torch.manual_seed(0)
    dtype = DTYPES[options.type]
    stored = torch.float32 if options.autocast else dtype
    inputs = network.inputs(machine.device, stored)
    labels = torch.randint(0, CLASSES, (network.batch,), device=machine.device)
    context = autocast(machine.device, dtype) if options.autocast else contextlib.nullcontext
    sides = [Training(network, model, inputs, labels, context) for model in pair(network, machine.device, stored)]
    for side in sides:
        for _ in range(WARM_STEPS if machine.is_gpu else 1):
            side.step()
    rates = ([], [])
    for i in range(options.rounds):
        for side, rate in list(zip(sides, rates))[::1 if i % 2 == 0 else -1]:
            machine.synchronize()
            begin = time.perf_counter()
            for _ in range(options.steps):
                side.step()
            machine.synchronize()
            rate.append(network.batch * options.steps / (time.perf_counter() - begin))
    ours, its = map(statistics.median, rates)
    spread, its_spread = ((max(rate) - min(rate)) / statistics.median(rate) for rate in rates)
    return {"network": network.name, "images": network.batch, "ours": ours, "its": its, "ratio": ours / its,
            "spread": spread, "its_spread": its_spread}


def _small_layer(machine, dtype):
    """Returns {what: (our microseconds, PyTorch's)}: 8 images, 64 to 64 channels, 3x3 at 14x14. Does not wait."""
    images, channels = (8, 64) if machine.is_gpu else (1, 8)
    layer = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
    layer = layer.to(device=machine.device, dtype=dtype, memory_format=torch.channels_last)
    layers = [ck_conv.replace(nn.Sequential(copy.deepcopy(layer)))[0], layer]
    x, grad = (torch.randn(images, channels, 14, 14, device=machine.device).to(dtype).contiguous(
        memory_format=torch.channels_last) for _ in range(2))
    x.requires_grad_()

    def forward(layer):
        with torch.no_grad():
            layer(x)

    def both(layer):
        torch.autograd.grad(layer(x), (x, layer.weight), grad)

    calls = CALLS if machine.is_gpu else 1
    result = {}
    for what, work in (("forward and backward", both), ("forward alone", forward)):
        times = ([], [])
        for i in range(SAMPLES + 1):
            for layer, side_times in zip(layers, times):
                machine.synchronize()
                begin = time.perf_counter()
                for _ in range(calls):
                    work(layer)
                elapsed = time.perf_counter() - begin
                if i > 0:  # the first one is a warm-up
                    side_times.append(1e6 * elapsed / calls)
        machine.synchronize()
        result[what] = [statistics.median(t) for t in times]
    return result
