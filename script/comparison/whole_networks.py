"""Trains and runs networks of torchvision and timm, by name, and of the user, with this library's convolutions and with
PyTorch's.

Both sides run in turns in one process. Training is a step of SGD with momentum on one batch; with 16-bit types the
parameters are float32 and torch.autocast chooses the type, as users train. In inference, parameters have the type itself.
With --fuse, ours is the network of ck_conv.fuse(), for training or for inference; in inference, torch.compile then freezes
the weights of PyTorch's network.
"""
import contextlib
import copy
import gc
import math
import statistics
import time

import torch
from torch.utils._python_dispatch import TorchDispatchMode

import ck_conv

from .machine import allow_tf32, description, said
from .networks import CLASSES, Network, first_tensor, in_memory_format
from .operands import DTYPES
from .own_networks import OwnNetwork, is_own
from .problems import WrongInput
from .tables import geometric_mean, table
from .training import Training, autocast, prepared, write

# Torchvision's first, then timm's: every common kind of block.
NETWORKS = """
    alexnet vgg11_bn vgg16 squeezenet1_1 googlenet inception_v3 densenet121 resnet18 resnet50 resnet101 wide_resnet50_2
    resnext50_32x4d regnet_y_1_6gf mobilenet_v2 mobilenet_v3_large mobilenet_v3_small mnasnet1_0 shufflenet_v2_x1_0
    efficientnet_b0 efficientnet_v2_s convnext_tiny convnext_small swin_t r3d_18 mc3_18 r2plus1d_18 unet3d_64
    convnextv2_tiny inception_next_tiny repvgg_b0 rexnet_100 ghostnet_100 hrnet_w18 dla34 cspdarknet53 cspresnet50
    res2net50_26w_4s resnest50d seresnet50 skresnet34 dpn68 xception41 nfnet_l0 nf_resnet50 tf_efficientnet_b0 mixnet_s
    fbnetc_100 gernet_m edgenext_small mobilevit_s mobileone_s0 fastvit_t8 repghostnet_100 mobilenetv4_conv_medium
    efficientnet_lite0 lcnet_100 regnetx_032 ese_vovnet39b poolformer_s12 focalnet_tiny_srf hgnetv2_b0 starnet_s1
    efficientnetv2_rw_s resnetv2_50 resnet50d darknet53 inception_v4 resnet26t
""".split()
LEAST_SHARE = 0.99  # fraction of a network's convolution operations; with less, the row would not be about this library
ROUND_SECONDS = 0.25  # the least time that a side is measured without a break
WARM = 3


class Work:
    """The timed work of one side: call() enqueues one pass of the batch on the current stream."""

    def __init__(self, machine, model, call, captured):
        self.machine, self.model, self.call = machine, model, call
        self.rates, self.queued = [], []  # images per second; the CPU's fraction of the time
        begin = time.perf_counter()
        call()
        machine.synchronize()
        self.first = time.perf_counter() - begin
        for _ in range(WARM if machine.is_gpu else 1):
            call()
        machine.synchronize()
        self.peak = None
        if machine.is_gpu:
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            call()
            machine.synchronize()
            self.peak = torch.cuda.max_memory_allocated() - before
        if captured and machine.is_gpu:
            self.captured = call  # also keeps the optimizer, whose memory the graph writes
            self.graph = _capture(machine, call)
            self.call = self.graph.replay
        begin = time.perf_counter()
        self.call()
        machine.synchronize()
        self.calls = max(2, math.ceil(ROUND_SECONDS / (time.perf_counter() - begin))) if machine.is_gpu else 1

    def time(self, images):
        self.machine.synchronize()
        begin = time.perf_counter()
        for _ in range(self.calls):
            self.call()
        queued = time.perf_counter() - begin
        self.machine.synchronize()
        elapsed = time.perf_counter() - begin
        self.rates.append(images * self.calls / elapsed)
        self.queued.append(queued / elapsed)

    def report(self):
        rate = statistics.median(self.rates)
        return {"rate": rate, "spread": (max(self.rates) - min(self.rates)) / rate, "first": self.first,
                "queued": statistics.median(self.queued), "peak": self.peak}


class CaptureFailed(RuntimeError):
    """A CUDA graph could not be captured. In this process, PyTorch's random generator then refuses other networks."""


def _capture(machine, call):
    graph = torch.cuda.CUDAGraph()
    machine.synchronize()
    gc.collect()
    gc.disable()  # finalizers must not run during a capture
    try:
        with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
            graph.kept = call()
    except Exception as e:
        raise CaptureFailed(said(e)) from e
    finally:
        gc.enable()
    return graph


class _Multiplications(TorchDispatchMode):
    """Counts the multiplications of PyTorch's own convolutions."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if function is torch.ops.aten.convolution.default:
            x, weight, transposed = args[0], args[1], args[6]
            self.count += (x if transposed else result).numel() * weight.numel() // weight.size(0)
        return result


def share_of_operations(ours, theirs, inputs):
    """The fraction of multiplications of PyTorch's convolutions in theirs that PyTorch does not do in ours."""
    def counted(model):
        with _Multiplications() as mode, torch.no_grad():
            model(*inputs)
        return mode.count

    whole = counted(theirs)
    return 1.0 if whole == 0 else 1 - counted(ours) / whole


def measure(options):
    if not options.networks:
        options.networks = NETWORKS if options.all else []
    if options.picture:
        _pyplot()  # fails before anything is measured if it is missing
    machine = prepared(options)
    allow_tf32(options.type == "tf32")
    report = {**description(machine), "type": options.type, "images": options.images, "layout": options.layout,
              "fuse": options.fuse, "max_autotune": options.max_autotune, "rows": [], "failed": []}
    for i, name in enumerate(options.networks):
        try:
            kind = OwnNetwork if is_own(name) else Network
            networks = [(mode, kind(name, options.images)) for mode in options.modes]
        except WrongInput as e:
            raise WrongInput(f"{name}: {e}")
        try:
            for mode, network in networks:
                _measure_mode(options, machine, report, network, mode, f"[{i + 1}/{len(options.networks)}]")
        except CaptureFailed:
            report["stopped"] = {"at": name, "left": options.networks[i + 1:]}
            break
    print("\n" + "\n".join(tables(report)))
    if options.picture:
        draw(report, options.picture)
    return 1 if report["failed"] else 0


def _measure_mode(options, machine, report, network, mode, progress):
    def failed(run, e):
        print(f"{progress} FAILED {network.name} {mode} {run}: {said(e)[:300]}", flush=True)
        report["failed"].append({"network": network.name, "mode": mode, "run": run, "why": said(e)})

    try:
        torch.manual_seed(0)
        pair = _Pair(options, machine, network, mode)
    except WrongInput:
        raise
    except Exception as e:  # any error: the others are measured all the same
        failed("", e)
        return
    for run in options.runs:
        try:
            row = pair.measure(run)
        except Exception as e:
            failed(run, e)
            if isinstance(e, CaptureFailed):
                raise
            continue
        finally:
            machine.release()
        report["rows"].append(row)
        print(f"{progress} {_line(row)}", flush=True)
        write(report, options.json)


class _Pair:
    """Both models of a network, and its batch."""

    def __init__(self, options, machine, network, mode):
        self.options, self.machine, self.network, self.mode = options, machine, network, mode
        dtype, device = DTYPES[options.type], machine.device
        self.mixed = mode == "training" and dtype != torch.float32  # parameters in float32
        stored = torch.float32 if self.mixed else dtype
        network.memory_format = network.memory_format if options.layout == "channels_last" else torch.contiguous_format
        theirs = in_memory_format(network.build().to(device=device, dtype=stored), network.memory_format)
        theirs.train(mode == "training")
        if options.fuse:
            fused = ck_conv.fuse(theirs, report=True)
            done, self.fused = fused.replaced, len(fused.fused)
        else:
            done, self.fused = ck_conv.replace(copy.deepcopy(theirs), report=True), None
        self.models = done.model, theirs
        self.left = done.left
        self.inputs = network.inputs(device, stored)
        self.labels = torch.randint(0, CLASSES, (network.batch,), device=device)
        self.context = autocast(device, dtype) if self.mixed else contextlib.nullcontext
        with _evaluated(*self.models):
            with self.context():
                self.share = share_of_operations(*self.models, self._two_images())
            self.error, self.its_error = self._errors() if options.accuracy else (None, None)
        if self.share < LEAST_SHARE:
            left = ", ".join(f"{name} ({why})" for name, why in self.left.items()) or "calls of torch.nn.functional"
            raise RuntimeError(f"{self.share:.1%} of the convolutions' operations are this library's, fewer than "
                               f"{LEAST_SHARE:.0%}: PyTorch computes {left}")

    def _two_images(self):
        def two(x):
            whole = isinstance(x, torch.Tensor) and x.dim() > 0 and x.size(0) == self.network.batch
            return x[:2] if whole else x
        return tuple(map(two, self.inputs))

    def _errors(self):
        """Errors of the results for two images, in Frobenius norms, compared with float64."""
        inputs = self._two_images()
        wide = [x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in inputs]
        with torch.no_grad():
            exact = first_tensor(copy.deepcopy(self.models[1]).double()(*wide))
            with self.context():
                results = [first_tensor(model(*inputs)).double() for model in self.models]
        return [((y - exact).norm() / exact.norm()).item() for y in results]

    def measure(self, run):
        if run.startswith("compiled"):
            torch._dynamo.reset()
        captured = run in ("graph", "compiled_graph")
        frozen = self.options.fuse and self.mode == "inference" and run.startswith("compiled")  # for PyTorch's side, like fuse()
        works = []
        for model in self.models:
            with _freezing() if frozen and model is self.models[1] else contextlib.nullcontext():  # at the time of compilation
                works.append(Work(self.machine, model, self._call(model, run), captured))
        for i in range(self.options.rounds):
            for work in works[::1 if i % 2 == 0 else -1]:
                work.time(self.network.batch)
        ours, its = (work.report() for work in works)
        return {"network": self.network.name, "mode": self.mode, "run": run, "images": self.network.batch, "ours": ours,
                "its": its, "ratio": ours["rate"] / its["rate"], "share": self.share, "left": len(self.left),
                "fused": self.fused, "frozen": frozen,
                "error": self.error, "its_error": self.its_error}

    def _call(self, model, run):
        tuning = "max-autotune-no-cudagraphs" if self.options.max_autotune else None
        compiled = torch.compile(model, mode=tuning) if run.startswith("compiled") else model
        if self.mode == "training":
            return Training(self.network, compiled, self.inputs, self.labels, self.context).step

        def infer():
            with torch.no_grad():
                return compiled(*self.inputs)
        return infer


def _freezing():
    """Makes torch.compile treat weights as constants, and fold batch norms into them."""
    from torch._inductor import config
    return config.patch(freezing=True)


@contextlib.contextmanager
def _evaluated(*models):
    """Switches to eval mode, and restores the mode afterwards."""
    were = [model.training for model in models]
    for model in models:
        model.eval()
    try:
        yield
    finally:
        for model, was in zip(models, were):
            model.train(was)


def _line(row):
    ours, its = row["ours"], row["its"]
    text = (f"{row['network']} {row['mode']} {row['run']} {row['images']}: {ours['rate']:.1f} images a second, PyTorch "
            f"{its['rate']:.1f}, ratio {row['ratio']:.3f} (spread {ours['spread']:.0%}, {its['spread']:.0%}; CPU "
            f"{ours['queued']:.0%}, {its['queued']:.0%})")
    if row["fused"] is not None:
        what = "batch norms" if row["mode"] == "training" else "convolutions"
        text += f", {row['fused']} {what} fused" + (", PyTorch's weights frozen" if row["frozen"] else "")
    return text if row["error"] is None else f"{text}, error {row['error']:.1e}, PyTorch's {row['its_error']:.1e}"


def tables(report):
    """What is printed at the end: each row, then means for each mode and way to run."""
    title = f"{report['type']}, {report['layout'].replace('_', ' ')}, {report['images']} images: {report['device']}"
    if report["max_autotune"]:
        title = f"torch.compile with max-autotune, {title}"
    if report["fuse"]:
        title = f"ck_conv.fuse(), PyTorch's inference compiled with frozen weights, {title}"
    columns = ["network", "mode", "run", "ours", "PyTorch's", "ratio", "spread", "its", "first, s", "its", "peak, GB",
               "its", "error", "its"] + ["fused"] * report["fuse"]

    def optional(value, pattern, scale=1):
        return "-" if value is None else format(value * scale, pattern)

    lines, groups = [], {}
    for row in report["rows"]:
        ours, its = row["ours"], row["its"]
        lines.append([row["network"], row["mode"], row["run"], f"{ours['rate']:.1f}", f"{its['rate']:.1f}",
                      f"{row['ratio']:.3f}", f"{ours['spread']:.1%}", f"{its['spread']:.1%}", f"{ours['first']:.2f}",
                      f"{its['first']:.2f}", optional(ours["peak"], ".2f", 1e-9), optional(its["peak"], ".2f", 1e-9),
                      optional(row["error"], ".1e"), optional(row["its_error"], ".1e"),
                      *([row["fused"]] if report["fuse"] else [])])
        groups.setdefault((row["mode"], row["run"]), []).append((row["ratio"], row["network"]))
    if len({row["run"] for row in report["rows"]}) > 1:
        for (mode, network), best in _best(report["rows"]).items():
            groups.setdefault((mode, "the fastest of these"), []).append((best, network))
    means = [[mode, run, len(ratios), f"{geometric_mean([r for r, _ in ratios]):.3f}", f"{min(ratios)[0]:.3f}",
              min(ratios)[1], f"{max(ratios)[0]:.3f}", max(ratios)[1], sum(r < 1 for r, _ in ratios)]
             for (mode, run), ratios in groups.items()]
    return [*table(f"Images a second: {title}", columns, lines),
            *table("Ours over PyTorch's", ["mode", "run", "networks", "geometric mean", "least", "of", "most", "of",
                                           "below 1"], means),
            *(f"FAILED {f['network']} {f['mode']} {f['run']}: {f['why'][:300]}" for f in report["failed"]),
            *(_stopped(**report["stopped"]) if "stopped" in report else [])]


def _stopped(at, left):
    """What is printed if a CUDA graph could not be captured."""
    text = f"STOPPED: a CUDA graph of {at} could not be captured, and PyTorch then refuses other work in this process."
    return [f"{text} Its other modes and these networks were not measured; run them again: --networks {','.join(left)}"
            if left else f"{text} Its other modes were not measured."]


def _best(rows):
    """(mode, network) -> our rate in the fastest of the ways to run, over PyTorch's in its fastest."""
    rates = {}
    for row in rows:
        both = rates.setdefault((row["mode"], row["network"]), ([], []))
        both[0].append(row["ours"]["rate"])
        both[1].append(row["its"]["rate"])
    return {key: max(ours) / max(its) for key, (ours, its) in rates.items()}


def _pyplot():
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError as e:
        raise WrongInput(f"--picture needs matplotlib: {e}")
    return pyplot


def draw(report, path):
    """Bars of the ratios, one panel for each mode and way to run."""
    pyplot = _pyplot()
    groups = {}
    for row in report["rows"]:
        groups.setdefault(f"{row['mode']}, {row['run']}", []).append((row["ratio"], row["network"]))
    if not groups:
        return
    tall = max(map(len, groups.values()))
    figure, panels = pyplot.subplots(1, len(groups), figsize=(4.5 * len(groups), 2 + 0.2 * tall), squeeze=False)
    for panel, (title, ratios) in zip(panels[0], groups.items()):
        ratios.sort()
        panel.barh([name for _, name in ratios], [ratio for ratio, _ in ratios],
                   color=["#0072B2" if ratio >= 1 else "#D55E00" for ratio, _ in ratios])
        panel.axvline(1, color="#000000", linewidth=0.8)
        panel.set(title=title, xlabel="images a second, over PyTorch's")
        panel.tick_params(axis="y", labelsize=7)
    figure.suptitle(f"{report['type']}, {report['images']} images, {report['device']}")
    figure.tight_layout()
    try:
        figure.savefig(path)
    except (OSError, ValueError) as e:
        raise WrongInput(f"cannot write {path}: {e}")
