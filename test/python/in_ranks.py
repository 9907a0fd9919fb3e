"""Runs a function in several processes of a torch.distributed group with gloo. None of them outlives the call."""
import datetime
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback

from needs_torch import torch

torch.set_num_threads(1)  # processes are forked: no threads before


def run(ranks, function, *arguments, seconds=400, wait=120):
    """Returns each rank's result of function(rank, *arguments), or the exception's text in a Failed. seconds: until the
    remaining processes are killed. wait: the timeout of the process group."""
    with tempfile.TemporaryDirectory() as folder:
        processes = []
        for rank in range(ranks):
            sys.stdout.flush()
            sys.stderr.flush()
            pid = os.fork()
            if pid == 0:
                _child(folder, rank, ranks, function, arguments, wait)
            processes.append(pid)
        left, end = dict(enumerate(processes)), time.monotonic() + seconds
        while left and time.monotonic() < end:
            for rank, pid in list(left.items()):
                if os.waitpid(pid, os.WNOHANG)[0]:
                    del left[rank]
            time.sleep(.01)
        for pid in left.values():
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        return [_result(f"{folder}/{rank}", rank in left, seconds) for rank in range(ranks)]


def right(test, ranks, function, *arguments, **options):
    """The results of run(); the test fails with what the ranks raised, consequences of a lost rank last."""
    results = run(ranks, function, *arguments, **options)
    failed = [f"rank {rank} of {ranks}: {result}" for rank, result in enumerate(results) if isinstance(result, Failed)]
    if failed:
        test.fail("\n".join(sorted(failed, key=lambda text: "RankLost" in text)))
    return results


class Failed(str):
    """What a rank raised, or that it ended without a word."""


def _result(path, killed, seconds):
    try:
        with open(path, "rb") as file:
            return pickle.load(file)
    except OSError:
        return Failed(f"killed after {seconds} s" if killed else "ended without a result")


def _child(folder, rank, ranks, function, arguments, wait):
    status = 1
    try:
        torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=ranks,
                                             timeout=datetime.timedelta(seconds=wait))
        torch.manual_seed(1)
        result = function(rank, *arguments)
        status = 0
    except BaseException as error:
        result = Failed(f"{type(error).__name__}: {error}\n{traceback.format_exc()}")
    try:
        with open(f"{folder}/{rank}.part", "wb") as file:
            pickle.dump(result, file)
        os.rename(f"{folder}/{rank}.part", f"{folder}/{rank}")
        if status == 0:
            torch.distributed.barrier()  # nobody closes connections that others still use
    finally:
        os._exit(status)
