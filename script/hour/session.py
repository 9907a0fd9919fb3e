"""One run of the script: its folders, the results of its steps, and how programs run on the GPU."""
import datetime
import glob
import json
import os
import time

from hour import command, machine

MARKS = {"done": "done", "failed": "FAILED", "absent": "not here", "left out": "left out"}


class NotDone(Exception):
    """A step could not do its work: has a state ("failed", "absent", "left out") and a sentence."""

    def __init__(self, state, sentence):
        super().__init__(sentence)
        self.state = state


class Session:
    def __init__(self, root, arguments):
        self.root, self.arguments = root, arguments
        self.rehearsal = bool(arguments.rehearse)
        self.machine = machine.Machine(arguments.root)
        self.out = os.path.abspath(arguments.out)
        os.makedirs(os.path.join(self.out, "logs"), exist_ok=True)
        self.build = os.path.abspath(arguments.build or os.path.join(root, "build", "first_hour"))
        if arguments.build and not os.path.isdir(self.build):
            raise ValueError(f"--build is '{arguments.build}', which is not a folder")
        self.result = {"format": 1, "steps": {}}
        if arguments.steps is not None:  # results of other steps stay
            try:
                with open(os.path.join(self.out, "result.json"), encoding="utf-8") as f:
                    self.result = json.load(f)
            except FileNotFoundError:
                pass
        elif not arguments.steps:
            for log in glob.glob(os.path.join(self.out, "logs", "*.log")):
                os.remove(log)
        targets = self.machine.targets()
        self.target = arguments.rehearse or arguments.target or (targets[0] if targets else "")
        self.result.update({"rehearsal": self.rehearsal, "target": self.target,
                            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")})
        self.deadline = 0.0

    # Functions that steps use to read and write.
    def log(self, name):
        return os.path.join(self.out, "logs", name + ".log")

    def left(self):
        """Seconds left of the step's limit; ends the step if there are none."""
        seconds = self.deadline - time.monotonic()
        if seconds <= 1:
            raise NotDone("failed", "The step's limit is reached; what was found until then is kept.")
        return seconds

    def run(self, argv, limit, log, env=None):
        rocm = {"ROCM_PATH": self.machine.rocm} if os.path.isdir(self.machine.rocm) else {}
        return command.run(argv, min(limit, self.left()), self.log(log), env={**rocm, **(env or {})}, cwd=self.root)

    def is_built(self, name):
        return any(os.path.exists(os.path.join(self.build, folder, name)) for folder in ("profiler", "test"))

    def program(self, name):
        """A program of the build. Ends the step if it was not built."""
        if not self.is_built(name):
            raise NotDone("left out", f"The program {name} was not built.")
        return next(path for folder in ("profiler", "test") if os.path.exists(path := os.path.join(self.build, folder, name)))

    def on_gpu(self, program, mode="plain"):
        """The start of a command line that runs a program on the GPU; mode "time": in the emulator's model."""
        if self.rehearsal or mode == "time":
            return [os.path.join(self.root, "script", "emulate"), self.target, mode, program]
        reason = self.machine.why_no_gpu()
        if reason:
            raise NotDone("left out", reason)
        return [program]

    def say(self, text):
        print(f"  {text}", flush=True)

    def take(self, step):
        limit = self.arguments.limit.get(step.name, step.limit)
        print(f"\n== {step.name}: {step.about}; at most {limit} s", flush=True)
        start = time.monotonic()
        self.deadline = start + limit
        try:
            sentence = step.work(self)
            state = "done"
        except NotDone as end:
            state, sentence = end.state, str(end)
        except (OSError, ValueError, KeyError) as error:  # a file or an answer is not as expected
            state, sentence = "failed", f"The script itself failed: {type(error).__name__}: {error}."
        self.result["steps"][step.name] = {"state": state, "sentence": sentence, "seconds": round(time.monotonic() - start, 1)}
        self.say(f"{MARKS[state]}: {sentence}")
        self.save()

    def failed(self):
        return any(s["state"] == "failed" for s in self.result["steps"].values())

    def save(self):
        """Called after each step: results survive if the machine hangs."""
        file = os.path.join(self.out, "result.json")
        with open(file + ".new", "w", encoding="utf-8") as f:
            json.dump(self.result, f, indent=1)
            f.write("\n")
        os.replace(file + ".new", file)
