"""The steps. Each returns a sentence with its findings, or ends with NotDone and a sentence that says why."""
import dataclasses
import glob
import json
import os
import re
import shutil
import typing

from hour import command, figures, problems
from hour.session import NotDone

INSTRUCTIONS = "test_isa"
TESTS = ["test_convolution_forward", "test_convolution_backward_data", "test_convolution_backward_weight",
         "test_convolution_types", "test_convolution_nonfinite"]
REHEARSED_TESTS = ["test_convolution_own_kernel"]


def tests(hour):
    return REHEARSED_TESTS if hour.rehearsal else TESTS


def short_list(hour):
    return (problems.REHEARSED if hour.rehearsal else problems.LIST)[:hour.arguments.problems]


# machine
def look_at_machine(hour):
    m = hour.machine
    hour.result["machine"] = m.facts()
    warnings = m.warnings()
    if hour.rehearsal:
        return f"The emulator is the GPU, {hour.target}."
    hour.result["machine"]["warnings"] = warnings
    for warning in warnings:
        hour.say(warning)
    # The output of AMD's tools, if they are installed: clocks, power limits, memory.
    for tool in (["rocminfo"], ["amd-smi", "static"], ["amd-smi", "metric"], ["rocm-smi", "-a"]):
        if shutil.which(tool[0]):
            outcome = hour.run(tool, 30, "machine")
            if not outcome.ok:
                hour.say(f"{tool[0]}: {command.ended_by(outcome)}.")
    reason = m.why_no_gpu()
    if reason:
        raise NotDone("failed", reason)
    version = hour.result["machine"]["rocm"]
    return f"{' '.join(m.targets())}, " + (f"ROCm {version}." if version else "no ROCm of AMD's.")


# build
def packages(hour):
    """Installs missing packages for the build, as script/demo does; returns a sentence if that is not possible."""
    script = (". script/common.sh; require_build_tools; require libgtest-dev test -e /usr/include/gtest/gtest.h; "
              "require libcli11-dev test -e /usr/include/CLI/CLI.hpp; "
              "require nlohmann-json3-dev test -e /usr/include/nlohmann/json.hpp; install_missing")
    outcome = hour.run(["bash", "-euc", script, "script/first_hour"], 300, "packages")
    return "" if outcome.ok else outcome.why or " ".join(outcome.output.split())[-300:]


def compilers(hour):
    """Presets and compilers that are installed, the best first, as in script/common.sh."""
    script = (". script/common.sh; "
              'if have_rocm; then echo "amd-rocm $rocm/llvm/bin/clang++"; fi; '
              "for v in 22 19; do if have_clang_hip $v; then echo amd-clang$v clang++-$v; fi; done; "
              'debian=$(hipcc_clang); if [ -n "$debian" ]; then echo amd $debian; fi')
    outcome = hour.run(["bash", "-c", script, "script/first_hour"], 60, "compilers", {"ROCM_PATH": hour.machine.rocm})
    if not outcome.ok:
        raise NotDone("failed", command.reason(outcome) + ". " + outcome.output.strip()[-300:])
    found = [line.split() for line in outcome.output.splitlines()]
    return [f for f in found if f[0] != "amd-rocm"] if hour.rehearsal else found


def first_error(output):
    """The first error of CMake or a compiler, on one line."""
    cmake = re.search(r"CMake Error at .*?\n(.*?)(?:\n\n\n|\nCall Stack|\Z)", output, re.DOTALL)
    if cmake:
        return " ".join(cmake[1].split())[:400]
    error = re.search(r"^.*?(?:error: |CMake Error: ?)(.*)$", output, re.MULTILINE)
    return error[0].strip()[:400] if error else " ".join(output.split())[-300:]


def configuration(hour, preset, compiler):
    kernels = "representative" if hour.rehearsal and hour.arguments.kernels == "f16" else hour.arguments.kernels
    options = ["--preset", preset, "-B", hour.build, f"-DCMAKE_CXX_COMPILER={compiler}", f"-DGPU_TARGETS={hour.target}",
               "-DCK_BUILD_TESTS=ON", "-DCK_DEVICE_TESTS=OFF", "-DCK_EMULATED_TESTS=representative", "-DCK_UNITY=ON",
               "-DCK_INSTALL=OFF", "-DCK_BUILD_EXAMPLES=OFF", "-DCK_BUILD_PROFILER=ON"]
    named = {"all": ["-DCK_INSTANCES=all", "-DCK_KERNELS="],
             "representative": ["-DCK_INSTANCES=representative", "-DCK_KERNELS="],
             "f16": ["-DCK_INSTANCES=all", "-DCK_KERNELS=^[A-Za-z]*<half_t>, "]}
    options += named.get(kernels, ["-DCK_INSTANCES=all", f"-DCK_KERNELS={kernels}"])
    if hour.rehearsal:
        options.append("-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG -Xarch_host -O0")  # takes half the time to compile
    return options


def build(hour):
    hour.result["build"] = facts = {"target": hour.target}
    if hour.arguments.build:
        return f"Programs of {hour.build}."
    if not hour.target:
        raise NotDone("left out", "No GPU was found to build for; --target names one.")
    note = packages(hour)
    if note:
        hour.say(note)
    found = compilers(hour)
    if not found:
        raise NotDone("failed", "No compiler for AMD GPUs is here: neither ROCm's, nor Debian's clang-22 "
                                "(apt-get install hipcc libamdhip64-dev rocm-device-libs clang-22 lld-22 clang-tools-22 llvm-22).")
    refused = []
    for preset, compiler in found:
        hour.say(f"preset {preset}, {compiler}, for {hour.target}")
        cache = os.path.join(hour.build, "CMakeCache.txt")
        if os.path.exists(cache) and f"CMAKE_CXX_COMPILER:STRING={compiler}\n" not in open(cache, encoding="utf-8").read():
            os.remove(cache)  # for another compiler
        configured = hour.run(["cmake", *configuration(hour, preset, compiler)], hour.left(), "build")
        if configured.ok:
            facts.update(preset=preset, compiler=compiler)
            break
        refused.append(f"{preset}: {configured.why or first_error(configured.output)}")
        hour.say(refused[-1])
    else:
        raise NotDone("failed", " ".join([f"No build for {hour.target} can be configured.", *refused, note]).strip())
    # One after another, so that as much as possible is built, even if something fails.
    broken = []
    for program in ["ckProfiler", INSTRUCTIONS, *tests(hour)]:
        outcome = hour.run(["cmake", "--build", hour.build, "--parallel", os.environ.get("CK_JOBS", str(os.cpu_count())),
                            "--target", program, "--", "-k", "0"], hour.left(), "build")
        if not outcome.ok:
            left_out = re.search(rf"^-- ({program} is left out.*)$", configured.output, re.MULTILINE)
            broken.append(f"{program}: {left_out[1] if left_out else outcome.why or first_error(outcome.output)}")
            hour.say(broken[-1])
    facts["broken"] = broken
    if broken:
        raise NotDone("failed", "Not built: " + "; ".join(broken))
    return f"Built by {compiler} for {hour.target}."


# instructions, tests
def googletest(hour, name, limit):
    """Runs a test program. Returns its cases that passed, failed and were skipped, or why there are none."""
    program = hour.program(name)
    outcome = hour.run(hour.on_gpu(program), limit, name)
    passed = len(re.findall(r"^\[       OK \]", outcome.output, re.MULTILINE))
    failed = sorted(set(re.findall(r"^\[  FAILED  \] ([\w/.]+)[, ]?.*\(\d+ ms\)$", outcome.output, re.MULTILINE)))
    skipped = len(re.findall(r"^\[  SKIPPED \] \S+ \(", outcome.output, re.MULTILINE))
    found = {"passed": passed, "failed": failed, "skipped": skipped, "seconds": round(outcome.seconds, 1)}
    ended = not outcome.why and re.search(r"^\[==========\] .* ran\.", outcome.output, re.MULTILINE)
    if not ended:
        running = re.findall(r"^\[ RUN      \] (\S+)", outcome.output, re.MULTILINE)
        found["why"] = command.ended_by(outcome) + (f", in {running[-1]}" if running else ", before its first case") + "."
        if not running:
            found["why"] += " " + " ".join(outcome.output.split())[:300]
    elif not outcome.ok and not failed:
        found["why"] = command.ended_by(outcome) + "."
    hour.say(f"{name}: {passed} passed, {len(failed)} failed, {skipped} skipped" + (f": {found['why']}" if "why" in found else ""))
    return found


def sentence_on(found, what):
    counts = [sum(f["passed"] for f in found.values()), sum(len(f["failed"]) for f in found.values()),
              sum(f["skipped"] for f in found.values())]
    text = f"{counts[0]} {what} passed, {counts[1]} failed, {counts[2]} were skipped."
    broken = [f"{name}: {f['why']}" for name, f in found.items() if "why" in f]
    names = [n for f in found.values() for n in f["failed"]]
    if names:
        text += " Failed: " + ", ".join(names[:8]) + (" ..." if len(names) > 8 else "") + "."
    if broken or names or not counts[0]:
        raise NotDone("failed", " ".join([text, *broken]))
    return text


def instructions(hour):
    hour.result["instructions"] = found = {}
    found[INSTRUCTIONS] = googletest(hour, INSTRUCTIONS, hour.left())
    return sentence_on(found, "cases of the instruction table")


def run_tests(hour):
    hour.result["tests"] = found = {}
    not_built = []
    for name in tests(hour):
        if hour.is_built(name):
            found[name] = googletest(hour, name, hour.left())
        else:
            not_built.append(name)
    if not found:
        raise NotDone("left out", f"Not built: {' '.join(not_built)}.")
    text = sentence_on(found, "cases")
    if not_built:
        raise NotDone("failed", f"{text} Not built: {' '.join(not_built)}.")
    return text


# profile, miopen, predict: each problem and direction separately, so that one that hangs does not stop the others.
def each(hour):
    for name, text in short_list(hour):
        for direction in problems.DIRECTIONS:
            yield name, text, direction


def profiler_line(hour, row, file, *more):
    return [problems.DIRECTIONS[row["direction"]][0], "--problem", row["problem"], "--type", row["type"], "--layout", "nhwgc",
            "--json", file, *(["--rounds", "1"] if hour.rehearsal else []), *more]


def results_of(file):
    try:
        with open(file, encoding="utf-8") as f:
            return json.load(f)["results"]
    except (OSError, ValueError):
        return []


def measure(hour, start, row):
    """Runs the profiler for the first of the types that have kernels; completes the row."""
    file = os.path.join(hour.out, "profile.json")
    for kind in ("f16", "bf16", "f32"):
        row["type"] = kind
        if os.path.exists(file):
            os.remove(file)
        outcome = hour.run([*start, *profiler_line(hour, row, file)], 90, "profile")
        if "this data_type & layout is not implemented" not in outcome.output:
            break
    best = [r for r in results_of(file) if r["best"] and r["ms"]]
    if best:
        row.update({key: best[0][key] for key in ("instance", "split_k", "ms", "ms_low", "ms_high", "tflops")})
    if not outcome.ok:
        row["why"] = command.reason(outcome)


def profile(hour):
    start = hour.on_gpu(hour.program("ckProfiler"))
    hour.result["profile"] = rows = []
    for name, text, direction in each(hour):
        row = {"name": name, "problem": text, "direction": direction, "gflop": problems.flops(text) / 1e9}
        measure(hour, start, row)
        rows.append(row)
        hour.say(f"{text}, {direction}, {row['type']}: " +
                 (f"{row['ms']:.4f} ms, {row['tflops']:.1f} TFlops" if "ms" in row else "no time") +
                 (f"; {row['why']}" if "why" in row else ""))
    measured = [r for r in rows if "ms" in r]
    broken = [f"{r['problem']}, {r['direction']}: {r['why']}" for r in rows if "why" in r]
    sentence = f"{len(measured)} of {len(rows)} were measured" + (" in the emulator: no GPU's times." if hour.rehearsal else ".")
    if broken or not measured:
        raise NotDone("failed", f"{sentence} {len(broken)} went wrong; the first: {'; '.join(broken[:1])}.")
    return sentence


def miopen(hour):
    driver = shutil.which("MIOpenDriver") or next(
        (p for p in (os.path.join(hour.machine.rocm, "bin/MIOpenDriver"),) if os.access(p, os.X_OK)), None)
    if not driver:
        raise NotDone("absent", "MIOpenDriver is not installed (AMD's package miopen-hip); there is nothing to compare our times with.")
    if hour.rehearsal:
        raise NotDone("absent", "MIOpen's kernels do not run in the emulator.")
    hour.on_gpu(driver)
    hour.result["miopen"] = rows = []
    for _, text, direction in each(hour):
        outcome = hour.run([driver, *problems.miopen(text, direction)], 120, "miopen")
        row = {"problem": text, "direction": direction}
        time = re.search(r"Elapsed: ([\d.]+) ms", outcome.output)
        solver = re.search(r"Solution: (\S+)", outcome.output)
        if time:
            row.update(ms=float(time[1]), solver=solver[1] if solver else "")
            hour.say(f"{text}, {direction}: {row['ms']:.4f} ms")
        else:
            row["why"] = command.ended_by(outcome) if not outcome.ok else "it printed no time"
            hour.say(f"{text}, {direction}: {row['why']}")
        rows.append(row)
    count = sum("ms" in r for r in rows)
    if not count:
        raise NotDone("failed", f"MIOpenDriver gave no time; the first: {rows[0]['why']}.")
    return f"MIOpen gave {count} of {len(rows)} times."


def calibrate(hour):
    program = hour.program("ckProfiler")
    listed = hour.run([*hour.on_gpu(program), "--help"], 60, "calibrate")
    if listed.why:
        raise NotDone("failed", f"ckProfiler --help: {listed.why}.")
    if not re.search(r"^\s*calibrate:", listed.output, re.MULTILINE):
        raise NotDone("absent", "This version's ckProfiler has no operation calibrate; nothing was fitted.")
    # The program ends by itself, with what it measured until then. An emulator would not end the default list's first layer.
    some = ["--problem", problems.REHEARSED[0][1], "--type", "f16"] if hour.rehearsal else []
    seconds = str(max(1, int(min(hour.left() * 2 / 3, 10 if hour.rehearsal else 540))))
    outcome = hour.run([*hour.on_gpu(program), "calibrate", os.path.join(hour.out, "machine.ini"), "--seconds", seconds, *some],
                       hour.left(), "calibrate")
    if not outcome.ok:
        raise NotDone("failed", f"ckProfiler calibrate: {command.ended_by(outcome)}.")
    return "The machine file is machine.ini, in the file to send back."


SPECIAL = re.compile(r"([\\^$.|?*+()\[\]{}])")


def predict(hour):
    program = hour.program("ckProfiler")
    measured = [r for r in hour.result.get("profile", []) if "ms" in r]
    if not measured:
        raise NotDone("left out", "Nothing was measured that could be predicted.")
    env = {}
    libraries = sorted(glob.glob(os.path.join(hour.machine.rocm, "*llvm/lib/libLLVM*.so*")))
    if libraries and not hour.rehearsal:
        env["EMU_LIBLLVM"] = libraries[-1]
    ready = hour.run([os.path.join(hour.root, "script", "emulate"), "--build"], hour.left(), "predict", env)
    if not ready.ok:
        raise NotDone("absent" if ready.status == 77 else "failed",
                      "The emulator cannot be built: " + (ready.why or " ".join(ready.output.split())[:300]))
    hour.result["predicted"] = rows = []
    file = os.path.join(hour.out, "predicted.json")
    for r in measured:
        more = ["--no-verify", "--instances", "^" + SPECIAL.sub(r"\\\1", r["instance"]) + "$"]
        if r["split_k"] is not None and r["direction"] == "backward weight":
            more += ["--split-k", str(r["split_k"])]
        if os.path.exists(file):
            os.remove(file)
        outcome = hour.run([*hour.on_gpu(program, "time"), *profiler_line(hour, r, file, *more)], 120, "predict", env)
        row = {"problem": r["problem"], "direction": r["direction"]}
        times = [x["ms"] for x in results_of(file) if x["ms"]]
        if outcome.ok and times:
            row["ms"] = min(times)
            hour.say(f"{r['problem']}, {r['direction']}: {row['ms']:.4f} ms predicted")
        else:
            row["why"] = command.reason(outcome)
            hour.say(f"{r['problem']}, {r['direction']}: {row['why']}")
        rows.append(row)
    good = sum("ms" in r for r in rows)
    if not good:
        raise NotDone("absent" if rows[0]["why"].startswith("no numbers of") else "failed",
                      f"No time could be predicted; the first: {rows[0]['why']}.")
    return f"{good} of {len(rows)} times were predicted."


def compare(hour):
    rows = figures.join(hour.result)
    if not rows:
        raise NotDone("left out", "There are no times to compare.")
    hour.result["comparison"] = {"rows": rows, "model": figures.error(rows, "predicted_ms"),
                                 "miopen": figures.error(rows, "miopen_ms")}
    said = [figures.in_words(hour.result["comparison"][key], words) for key, words in
            (("model", "predicted over measured"), ("miopen", "MIOpen's time over ours"))]
    if not any(said):
        raise NotDone("left out", "There is nothing beside the measured times.")
    return " ".join(s for s in said if s) + (" A rehearsal: the ratios mean nothing." if hour.rehearsal else "")


@dataclasses.dataclass
class Step:
    name: str
    limit: int
    about: str
    work: typing.Callable


ALL = [
    Step("machine", 150, "GPU, driver, versions, and the right to use them", look_at_machine),
    Step("build", 1500, "the profiler and a few test programs, for the GPU found", build),
    Step("instructions", 150, "each matrix and other instruction of the kernels against exact arithmetic", instructions),
    Step("tests", 400, "convolutions in each direction, of each type", run_tests),
    Step("profile", 480, "a short list of f16 convolutions, three directions, verified and timed", profile),
    Step("miopen", 300, "the same in MIOpen, where it is installed", miopen),
    Step("calibrate", 180, "ckProfiler calibrate, where there is such an operation", calibrate),
    Step("predict", 420, "what the emulator's model says of each fastest kernel", predict),
    Step("compare", 20, "predicted and MIOpen's times compared with the measured ones", compare),
]
NAMES = [step.name for step in ALL]
