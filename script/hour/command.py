"""Runs a program with a time limit, with its output in a log and signs of life on the terminal."""
import dataclasses
import os
import re
import signal
import subprocess
import sys
import time

ALIVE = 15  # seconds between signs of life


@dataclasses.dataclass
class Outcome:
    """How a program ended. `status` is None if it was stopped at its limit or could not be started."""
    status: "int | None"
    output: str
    seconds: float
    why: str = ""  # a sentence if it did not end by itself

    @property
    def ok(self):
        return self.status == 0


def stop(process):
    """Ends a program and its children; returns False if the system cannot."""
    for kind, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, kind)
        except ProcessLookupError:
            pass
        try:
            process.wait(patience)
            return True
        except subprocess.TimeoutExpired:
            continue
    return False


def last_line(path):
    with open(path, "rb") as f:
        f.seek(max(0, os.path.getsize(path) - 4000))
        lines = [line.strip() for line in f.read().decode(errors="replace").replace("\r", "\n").split("\n")]
    last = next((line for line in reversed(lines) if line), "")
    return "no output yet" if last.startswith("$ ") else last[:100]


def run(command, limit, log, env=None, cwd=None):
    """Runs `command` for at most `limit` seconds; writes both output streams to the file `log`."""
    start = time.monotonic()
    with open(log, "ab") as out:
        begin = out.tell()
        out.write(("$ " + " ".join(command) + "\n").encode())
        out.flush()
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, cwd=cwd,
                                       env={**os.environ, **(env or {})}, start_new_session=True)
        except OSError as error:
            return Outcome(None, "", 0, f"{command[0]} cannot be started: {error.strerror}")
        why = ""
        try:
            while True:
                left = limit - (time.monotonic() - start)
                if left <= 0:
                    why = f"it ran longer than its limit of {limit:.0f} s and was stopped"
                    if not stop(process):
                        why = (f"it ran longer than its limit of {limit:.0f} s and cannot be stopped: the driver waits for the "
                               "GPU (dmesg says more; a reset or a restart of the machine ends it)")
                    break
                try:
                    process.wait(min(left, ALIVE))
                    break
                except subprocess.TimeoutExpired:
                    if left > ALIVE:
                        print(f"    {time.monotonic() - start:.0f} of at most {limit:.0f} s: {last_line(log)}", flush=True)
        except BaseException:
            stop(process)
            raise
    with open(log, "rb") as f:
        f.seek(begin)
        output = f.read().decode(errors="replace").partition("\n")[2]
    sys.stdout.flush()
    return Outcome(None if why else process.returncode, output, time.monotonic() - start, why)


def ended_by(outcome):
    """Returns a sentence for a program that did not end with status 0."""
    if outcome.why:
        return outcome.why
    if outcome.status < 0:
        return f"signal {signal.Signals(-outcome.status).name} ended it"
    if outcome.status > 128 and outcome.status - 128 in set(signal.Signals):
        return f"signal {signal.Signals(outcome.status - 128).name} ended it"
    return f"it ended with status {outcome.status}"


def reason(outcome):
    """Returns a program's own error message, or how it ended."""
    if outcome.why:
        return outcome.why
    said = re.search(r"FAILED: (.+)|^ckProfiler: (.+)|emu: (?!time)(.+)", outcome.output, re.MULTILINE)
    return (said[1] or said[2] or said[3])[:300] if said else ended_by(outcome)
