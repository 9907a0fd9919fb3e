"""Which tests concern a source, how they are built, and whether they notice a mutant."""
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import time

HOST = ["test_conv", "test_library_tensor_operation_instance", "test_library_tensor_operation_instance_gpu"]
CONVOLUTIONS = ["test_convolution_" + folder for folder in (
    "arguments", "backward_data", "backward_weight", "blocked", "forward", "grouped_gemm", "nonfinite", "object", "own_kernel",
    "tensor_maps", "transposed", "types", "wgmma")]
# A source (a regular expression for its path) -> ninja's targets, regular expressions for CTest's names.
CONCERNED = [
    (r"profiler/split_(?!k)", ["split_scaling", "test_profiler"], [r"split_scaling\.", r"test_profiler\.Split"]),
    (r"profiler/", ["test_profiler", "ckProfiler"], [r"test_profiler\.", r"profiler\.full_disk"]),
    (r"library/src/conv/", ["test_conv", "test_conv_c", "ck_conv"], [r"test_conv\.", r"test_conv_c$", r"python\."]),
    (r"library/src/conv_c/", ["test_conv_c", "ck_conv"], [r"test_conv_c", r"python\."]),
    (r"library/src/distributed/nccl", ["test_distributed_nccl"], [r"test_distributed_nccl\."]),
    (r"library/src/distributed/mpi", ["test_distributed_mpi"], [r"test_distributed_mpi\."]),
    (r"library/src/distributed/", ["test_distributed", "test_distributed_mpi", "test_distributed_nccl", "test_distributed_streams"],
     [r"test_distributed"]),
    (r"library/src/tensor_operation_instance/conv_kernels", [*HOST, "test_library_tables"],  # rows for Hopper, too
     [t + r"\." for t in (*HOST, "test_library_tables")]),
    (r"library/src/(rewrites|tensor_operation_instance)/", HOST, [t + r"\." for t in HOST]),
    (r"library/src/utility/", ["test_library_utility", "test_profiler"], [r"test_library_utility\.", r"test_profiler\."]),
    (r"library/src/device_(other|reduction)_operations/", ["test_library_other_operations"],
     [r"test_library_other_operations\."]),
    (r"library/include/", ["test_library_utility", *HOST], [r"test_library"]),
    (r"python/", ["ck_conv"], [r"python\."]),
    (r"(include/ck/tensor_operation/gpu|library/src)/norm/", ["test_norm"], [r"test_norm\."]),
    (r"(include/ck/tensor_operation/gpu|library/src)/pool/", ["test_pool"], [r"test_pool\."]),
    (r"include/ck/tensor_operation/gpu/conv/model/(?!launch_shape)", ["test_tensor_operation_gpu_conv_model"],
     [r"test_tensor_operation_gpu_conv_model\."]),
    (r"include/ck/tensor_operation/gpu/conv/kernels/.*cost\.hpp",
     ["test_tensor_operation_gpu_conv_kernels", "test_tensor_operation_gpu_conv_model"],
     [r"test_tensor_operation_gpu_conv_(kernels|model)\."]),
    (r"include/ck/tensor_operation/gpu/conv/",
     ["test_tensor_operation_gpu_conv_kernels", "test_tensor_operation_gpu_conv_plan", "test_tensor_operation_gpu_conv_launch",
      "test_tensor_operation_gpu_conv_model", *CONVOLUTIONS],
     [r"test_tensor_operation_gpu_conv_", r"test_convolution_"]),
    (r"include/ck/tensor_operation/gpu/grid/(?:\w+/)?(gridwise_(image_to_column|column_to_image)|rearrange_params)",
     ["test_convolution_rearrange"], [r"test_convolution_rearrange\."]),
    (r"include/ck/tensor_operation/gpu/grid/(?:\w+/)?gridwise_(elementwise|reduce\.)",
     ["test_convolution_amax", "test_library_other_operations"],
     [r"test_convolution_amax\.", r"test_library_other_operations\."]),
    # Launches around a kernel, which only the library combines.
    (r"include/ck/tensor_operation/gpu/grid/(?:\w+/)?(blocked_copy_tile|pixel_blocks|reduce_channels|gridwise_("
     r"block_filters|blocked_copy|channel_sums|depth_to_space|gemm_|pad_channels|im2col|replace_not_finite|"
     r"separate_epilogue|tf32x3|layout_conversion))",
     ["test_tensor_operation_gpu_device_impl", *HOST],
     [t + r"\." for t in ("test_tensor_operation_gpu_device_impl", *HOST)]),
    (r"include/ck/tensor_operation/gpu/(grid/(gridwise_(quantize|operand_sums|scale_sums)|residual_type|valid_taps)|element/quantized_epilogue)",
     ["test_tensor_operation_gpu_element", *HOST], [t + r"\." for t in ("test_tensor_operation_gpu_element", *HOST)]),
    (r"include/ck/tensor_operation/gpu/",
     ["test_tensor_operation_gpu_grid", "test_tensor_operation_gpu_block", *CONVOLUTIONS],
     [r"test_tensor_operation_gpu_(grid|block)\.", r"test_convolution_"]),
    (r"include/ck/", ["test_utility", "test_arch", "test_convolution", "test_host_utility", "test_tensor_description"],
     [r"test_(utility|arch|arch_host|convolution|host_utility|tensor_description)\."]),
]


def concerned(path):
    """Returns (targets, patterns of tests) for a source; empty if no entry matches."""
    for pattern, targets, tests in CONCERNED:
        if re.match(pattern, path):
            return targets, tests
    return [], []


class Test:
    """A test of CTest. The tests of a GoogleTest program run together."""

    def __init__(self, described):
        self.name, self.command = described["name"], described.get("command", [])
        self.properties = {p["name"]: p["value"] for p in described.get("properties", [])}
        self.environment = dict(e.split("=", 1) for e in self.properties.get("ENVIRONMENT", []) if "=" in e)
        self.folder = self.properties.get("WORKING_DIRECTORY")
        self.case = None
        if len(self.command) > 1 and self.command[1].startswith("--gtest_filter="):
            self.case = self.command[1].split("=", 1)[1]
        self.seconds, self.reaches = 0.0, set()

    def program(self):
        return (self.command[0], tuple(sorted(self.environment.items()))) if self.case else (self.name,)

    def passed(self, status, output):
        """What CTest would report: True, False, or None if it was skipped."""
        skip = self.properties.get("SKIP_RETURN_CODE")
        if skip is not None and status == skip:
            return None
        if any(re.search(p, output, re.DOTALL) for p in self.properties.get("FAIL_REGULAR_EXPRESSION", [])):
            return False
        expected = self.properties.get("PASS_REGULAR_EXPRESSION")
        right = any(re.search(p, output, re.DOTALL) for p in expected) if expected else status == 0
        return right != bool(self.properties.get("WILL_FAIL"))


def tests_of(build, patterns):
    """CTest's tests whose names match one of the patterns, built or not."""
    answer = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, text=True)
    if answer.returncode != 0:
        raise RuntimeError(f"ctest --show-only fails: {answer.stderr.strip()}")
    every = [Test(t) for t in json.loads(answer.stdout)["tests"]]
    wanted = re.compile("^(" + "|".join(patterns) + ")")
    return [t for t in every if wanted.match(t.name) and "DISABLED" not in t.properties and t.command and
            not t.name.endswith("_NOT_BUILT")]


def mutants_of(build):
    """Numbers of the mutants in the code of the programs and shared libraries below the folder."""
    found = set()
    for folder, _, files in os.walk(build):
        for name in files:
            file = os.path.join(folder, name)
            if os.path.islink(file) or not (os.access(file, os.X_OK) or ".so" in name):
                continue
            with open(file, "rb") as content:
                if content.read(4) != b"\x7fELF":
                    continue
            symbols = subprocess.run(["nm", file], capture_output=True, text=True, errors="replace")
            found |= {int(n) for n in re.findall(r"_ZN9ck_mutant2isILi(\d+)E", symbols.stdout)}
    return found


class Ended:
    def __init__(self, status, output, seconds, timed_out):
        self.status, self.output, self.seconds, self.timed_out = status, output, seconds, timed_out


# Each program has its own processor while there are enough: kernels on the host use all that they see.
PROCESSORS = queue.Queue()
for _processor in sorted(os.sched_getaffinity(0)):
    PROCESSORS.put(_processor)


def run(command, folder, environment, limit, grace=0):
    """Runs it in its own process group, which ends with it. After the limit it gets SIGTERM if there is a grace period, the
    seconds until it is killed."""
    try:
        processor = PROCESSORS.get_nowait()
    except queue.Empty:
        processor = None
    if processor is not None and shutil.which("taskset"):
        command = ["taskset", "-c", str(processor), *command]
    try:
        return run_here(command, folder, environment, limit, grace)
    finally:
        if processor is not None:
            PROCESSORS.put(processor)


def run_here(command, folder, environment, limit, grace):
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    timed_out = False
    try:
        output = process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        timed_out, output = True, b""
        if grace > 0:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.communicate(timeout=grace)
            except subprocess.TimeoutExpired:
                pass
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    if timed_out:
        process.communicate()
    return Ended(process.returncode, output.decode(errors="replace"), time.monotonic() - begin, timed_out)


def record(test, scratch, limit):
    """Runs the test without a mutant, and records the mutants that it reaches. Returns its output if it fails."""
    file = os.path.join(scratch, re.sub(r"\W", "_", test.name)[-150:] + ".reached")
    if os.path.exists(file):
        os.remove(file)
    environment = {**test.environment, "CK_MUTANT": "0", "CK_MUTANT_REACHED": file}
    ended = run(test.command, test.folder, environment, limit)
    test.seconds = ended.seconds
    if os.path.exists(file):
        with open(file, encoding="ascii") as noted:
            test.reaches = {int(line) for line in noted if line.strip()}
        os.remove(file)
    passed = None if ended.timed_out else test.passed(ended.status, ended.output)
    if passed is None:
        test.reaches = set()
        return "" if not ended.timed_out else f"it takes longer than {limit:.0f} s"
    return "" if passed else ended.output or f"exit status {ended.status}"


def judge(number, tests):
    """The verdict of the tests that reach a mutant: killed, timed out or survived, and by which test."""
    groups = {}
    for test in tests:
        groups.setdefault(test.program(), []).append(test)
    for group in sorted(groups.values(), key=lambda g: sum(t.seconds for t in g)):
        limit = 15 + 6 * sum(t.seconds for t in group)
        first, command = group[0], group[0].command
        if first.case:
            cases = ":".join(t.case for t in group)
            command = [first.command[0], "--gtest_also_run_disabled_tests", "--gtest_fail_fast"]
            command += ["--gtest_filter=" + cases] if len(cases) < 100000 else []
        ended = run(command, first.folder, {**first.environment, "CK_MUTANT": str(number)}, limit)
        if ended.timed_out:
            return "timed out", first.name if not first.case else os.path.basename(command[0])
        if first.case and ended.status != 0:
            failed = re.search(r"\[  FAILED  \] ([\w./]+)", ended.output)
            last = re.findall(r"\[ RUN      \] ([\w./]+)", ended.output)
            return "killed", os.path.basename(command[0]) + "." + (failed[1] if failed else last[-1] if last else "?")
        if not first.case and first.passed(ended.status, ended.output) is False:
            return "killed", first.name
    return "survived", ""
