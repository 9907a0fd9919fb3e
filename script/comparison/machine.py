"""The machine that measures: a CUDA GPU or, for this program's own tests, the CPU. CUDA graphs, turns, medians."""
import gc
import math
import os
import statistics
import subprocess
import time

import torch

import ck_conv
from ck_conv._c import interface as _library

from .problems import WrongInput

GRAPH_MS = 2.0  # of work in one graph: compared with it, the launch of a graph takes no time
MOST_LAUNCHES = 1000  # in a graph


class Side:
    """One way to compute something: launch(tensors) enqueues it on the current stream. Has medians after turns()."""

    def __init__(self, name, launch, kernel=None):
        self.name, self.launch, self.kernel = name, launch, kernel
        self.graph, self.launches, self.times, self.guess = None, 0, [], None

    @property
    def ms(self):
        return statistics.median(self.times)

    @property
    def spread(self):
        return (max(self.times) - min(self.times)) / self.ms


class Cpu:
    """The CPU: times mean little, and there are no graphs."""
    is_gpu, device = False, "cpu"

    def name(self):
        return "CPU"

    def synchronize(self):
        pass

    def stream(self):
        return None

    def prepare(self, side, sets):
        side.launch(sets[0])
        side.launches = 1

    def replay(self, side, sets):
        side.launch(sets[0])

    def turns(self, sides, sets, rounds, warm_ms):
        for _ in range(rounds):
            for side in sides:
                begin = time.perf_counter()
                self.replay(side, sets)
                side.times.append(1e3 * (time.perf_counter() - begin))

    def release(self):
        pass

    def ceilings(self, dtype):
        return None


class Cuda:
    """The current GPU. Everything runs on one stream; graphs cannot be captured on the default stream."""
    is_gpu, device = True, "cuda"

    def __init__(self):
        if not torch.cuda.is_available():
            raise WrongInput("PyTorch sees no CUDA device; --device cpu is for tests of this program alone")
        self._stream = torch.cuda.Stream()
        torch.cuda.set_stream(self._stream)
        gc.collect()
        gc.freeze()  # imports are never garbage: collections then take no time

    def name(self):
        return torch.cuda.get_device_name()

    def synchronize(self):
        torch.cuda.synchronize()

    def stream(self):
        return self._stream.cuda_stream

    def prepare(self, side, sets):
        """Captures the graph that will be timed. Earlier launches load kernels, and let cuDNN choose."""
        for _ in range(2):
            side.launch(sets[0])
        alone = self.elapsed(lambda: side.launch(sets[-1]))
        self._capture(side, sets, min(_launches(alone), 20))
        self.replay(side, sets)
        side.guess = self.elapsed(lambda: self.replay(side, sets)) / side.launches
        if _launches(side.guess) > 1.3 * side.launches:
            self._capture(side, sets, _launches(side.guess))

    def replay(self, side, sets):
        side.graph.replay()

    def elapsed(self, work):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    def _capture(self, side, sets, launches):
        """Launches use the sets in turns. Results that PyTorch allocates are kept as long as ours, so that they use as many
        addresses."""
        side.graph = None
        self.synchronize()
        graph, kept = torch.cuda.CUDAGraph(), [None] * len(sets)
        gc.disable()  # finalizers must not run during a capture
        graph.capture_begin()
        try:
            for i in range(launches):
                kept[i % len(sets)] = side.launch(sets[i % len(sets)])
        finally:
            graph.capture_end()
            gc.enable()
        side.graph, side.launches = graph, launches

    def turns(self, sides, sets, rounds, warm_ms):
        """Runs one graph of each side in a round, every other round in reverse order; nothing waits between them."""
        for side in sides:
            for _ in range(math.ceil(warm_ms / (side.guess * side.launches))):
                side.graph.replay()
        marks = []
        for i in range(rounds):
            for side in sides if i % 2 == 0 else reversed(sides):
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record()
                side.graph.replay()
                end.record()
                marks.append((side, begin, end))
        self.synchronize()
        for side, begin, end in marks:
            side.times.append(begin.elapsed_time(end) / side.launches)

    def release(self):
        """Frees the memory of the last problem's graphs and tensors."""
        gc.collect()
        torch.cuda.empty_cache()

    def ceilings(self, dtype):
        """Measures the bytes per second, read and written, of a copy, and the FLOP per second of a matrix product."""
        count, n = 1 << 29, 8192
        source, target = (torch.empty(count, dtype=torch.uint8, device="cuda") for _ in range(2))
        a, b = (torch.randn(n, n, device="cuda").to(dtype) for _ in range(2))
        out = torch.empty_like(a)
        rates = {}
        for name, work, amount in (("bytes", lambda: target.copy_(source), 2 * count),
                                   ("flops", lambda: torch.matmul(a, b, out=out), 2 * n ** 3)):
            times = [self.elapsed(work) for _ in range(8)]
            rates[name] = 1e3 * amount / min(times)
        return rates


def _launches(ms):
    return max(1, min(MOST_LAUNCHES, math.ceil(GRAPH_MS / ms)))


def machine_of(name):
    return Cuda() if name == "cuda" else Cpu()


def check_library(machine):
    """Raises unless libck_conv.so computes on this machine."""
    try:
        built_for = _library.platform()
    except ck_conv.Error as e:
        raise WrongInput(e)
    if built_for != ("nvidia" if machine.is_gpu else "host"):
        raise WrongInput(f"libck_conv.so was built for {built_for}, which does not compute on --device {machine.device}; "
                         "CK_CONV_LIBRARY names another library")


def description(machine):
    """Returns the head of every report."""
    try:
        run = subprocess.run(["git", "-C", os.path.dirname(os.path.abspath(__file__)), "rev-parse", "--short=10", "HEAD"],
                             capture_output=True, text=True, check=False)
        commit = run.stdout.strip() if run.returncode == 0 else ""  # commit of this script's tree, which should be the library's
    except OSError:  # no git here
        commit = ""
    return {"device": machine.name(), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(),
            "library": f"{ck_conv.version()} {commit}".strip()}


def allow_tf32(allowed):
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = allowed


def said(error):
    """Returns an exception as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def is_lost(machine):
    """Whether an error occurred after which nothing runs on this GPU any more in this process."""
    try:
        machine.synchronize()
    except Exception:
        return True
    return False
