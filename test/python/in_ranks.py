"""Runs functions in several processes of a torch.distributed group with gloo. None of them outlives the test program.

right() keeps its processes from one call to the next, with what the library has planned; each call has a process group of
its own. run() starts new ones, which may be killed.
"""
import atexit
import datetime
import itertools
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
from multiprocessing import Pipe, connection

from needs_torch import torch

torch.set_num_threads(1)  # processes are forked: no threads before
WAIT = 120  # seconds: the timeout of process groups
_folder, _numbers = tempfile.TemporaryDirectory(), itertools.count()  # of the stores in which processes meet


class Failed(str):
    """What a rank raised, or that it ended without a word."""


class _Process:
    """A forked process that calls functions until its pipe is closed."""

    def __init__(self):
        self.pipe, theirs = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            self.pipe.close()
            _serve(theirs)
        theirs.close()

    def end(self):
        self.pipe.close()
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)


def _serve(pipe):
    try:
        while True:
            _answer(pipe, *pickle.loads(pipe.recv_bytes()))
    except (EOFError, OSError):
        pass
    finally:
        os._exit(0)


def _answer(pipe, store, rank, ranks, function, arguments, wait):
    """Sends the function's result, or a Failed. The process group lasts as long as this call."""
    try:
        torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks,
                                             timeout=datetime.timedelta(seconds=wait))
        torch.manual_seed(1)
        result = function(rank, *arguments)
    except BaseException as error:
        pipe.send_bytes(pickle.dumps(Failed(f"{type(error).__name__}: {error}\n{traceback.format_exc()}")))
        return
    pipe.send_bytes(pickle.dumps(result))
    try:
        torch.distributed.barrier()  # nobody closes connections that others still use
        torch.distributed.destroy_process_group()
    except RuntimeError:  # another rank failed, which said so
        pass


def _call(processes, function, arguments, seconds, wait, until=None, grace=None):
    """Each process' result. until: the ranks whose results end the call. grace: seconds for the others after one failed."""
    store = f"{_folder.name}/{next(_numbers)}"
    for rank, process in enumerate(processes):
        process.pipe.send_bytes(pickle.dumps((store, rank, len(processes), function, arguments, wait)))
    results, end = [Failed(f"no result after {seconds} s")] * len(processes), time.monotonic() + seconds
    left = {process.pipe: rank for rank, process in enumerate(processes)}
    needed = set(range(len(processes)) if until is None else until)
    while needed & set(left.values()) and time.monotonic() < end:
        for pipe in connection.wait(list(left), max(end - time.monotonic(), 0)):
            rank = left.pop(pipe)
            try:
                results[rank] = pickle.loads(pipe.recv_bytes())
            except (EOFError, OSError):
                results[rank] = Failed("ended without a result")
            if grace is not None and isinstance(results[rank], Failed):
                end = min(end, time.monotonic() + grace)
    return results


def run(ranks, function, *arguments, seconds=400, wait=WAIT, until=None):
    """Returns each rank's result of function(rank, *arguments), or the exception's text in a Failed. The processes end
    with the call. seconds: until the remaining processes are killed. wait: the timeout of the process group. until: ranks;
    the others are killed when these have ended."""
    processes = []
    try:
        for _ in range(ranks):
            processes.append(_Process())
        return _call(processes, function, arguments, seconds, wait, until)
    finally:
        for process in processes:
            process.end()


_kept = []


def _end_kept():
    while _kept:
        _kept.pop().end()


atexit.register(_end_kept)


def right(test, ranks, function, *arguments, seconds=400):
    """The ranks' results of function(rank, *arguments); the test fails with what they raised, consequences of a lost rank
    last."""
    while len(_kept) < ranks:
        _kept.append(_Process())
    results = _call(_kept[:ranks], function, arguments, seconds, WAIT, grace=5)
    failed = [f"rank {rank} of {ranks}: {result}" for rank, result in enumerate(results) if isinstance(result, Failed)]
    if failed:
        _end_kept()  # some may still wait for others
        test.fail("\n".join(sorted(failed, key=lambda text: "RankLost" in text)))
    return results
