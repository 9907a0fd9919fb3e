#!/usr/bin/env python3
"""script/first_hour with stand-ins: a driver's files, ROCm, cmake, test programs, the profiler, MIOpenDriver and the emulator,
each whole or broken. What it says, what goes on, and what it writes; in a tree linked to the one given."""
import importlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
TOOLS = ["bash", "sh", "env", "dirname", "nproc", "sed", "cat", "grep", "sort", "head", "id", "awk", "sleep", "mkdir", "chmod",
         "touch", "python3"]

CMAKE = r"""#!/bin/sh
if [ "$1" = --build ]; then
    folder=$2 program=$6
    [ "$program" != "$NOT_BUILT" ] || { echo "file.cpp:3:5: error: $NOT_BUILT is too hard"; exit 1; }
    [ "$program" != "$LEFT_OUT" ] || { echo "ninja: error: unknown target '$LEFT_OUT'"; exit 1; }
    case $program in ckProfiler) at=$folder/profiler/$program ;; *) at=$folder/test/$program ;; esac
    mkdir -p "$folder/profiler" "$folder/test"
    cat "$STAND_INS/$program" 2>/dev/null >"$at" || cat "$STAND_INS/test" >"$at"
    chmod +x "$at"
    exit 0
fi
[ -z "$LEFT_OUT" ] || echo "-- $LEFT_OUT is left out: it needs CLI11"
echo "$*" >>"$STAND_INS/configured"
[ -z "$REFUSED" ] || { printf 'CMake Error at cmake/amd.cmake:33 (message):\n  %s\n\n\n' "$REFUSED"; exit 1; }
"""
TEST = r"""#!/bin/sh
echo "[ RUN      ] A.first"
[ "$HANGS" = "${0##*/}" ] && sleep 100
[ "$DIES" = "${0##*/}" ] && kill -SEGV $$
echo "[       OK ] A.first (1 ms)"
echo "[ RUN      ] A.second"
if [ "$WRONG" = "${0##*/}" ]; then
    echo "[  FAILED  ] A.second (2 ms)"
    echo "[==========] 2 tests from 1 test suite ran. (3 ms total)"
    echo "[  FAILED  ] A.second"
    exit 1
fi
echo "[       OK ] A.second (2 ms)"
echo "[==========] 2 tests from 1 test suite ran. (3 ms total)"
"""
PROFILER = r"""#!/usr/bin/env python3
import json, os, sys, time
a = sys.argv[1:]
if a == ["--help"]:
    print("arg1: tensor operation {\n    tune: Measures Kernels\n" + os.environ.get("MORE", "") + "}")
    sys.exit(0)
if a[0] == "calibrate":
    if not a[1].endswith("machine.ini") or a[2] != "--seconds" or not 1 <= int(a[3]) <= 120: # of the step's 180
        sys.exit("calibrate: " + " ".join(a))
    open(a[1], "w").write("[device]\n")
    sys.exit(0)
problem = a[a.index("--problem") + 1]
if os.environ.get("HANGS") == problem and a[0] == "grouped_conv_fwd":
    time.sleep(100)
if os.environ.get("NO_BINARY"):
    print("    FAILED: " + problem + ": HIP runtime error: hipErrorNoBinaryForGpu: no kernels for gfx942")
    sys.exit(1)
if os.environ.get("NEED") and a[a.index("--type") + 1] != os.environ["NEED"]:
    print("this data_type & layout is not implemented")
    sys.exit(1)
if "PREDICTED" in os.environ and a[a.index("--instances") + 1] != r"^Device<1, \(2\)>$":
    sys.exit("a wrong instance")
ms = float(os.environ.get("PREDICTED", "1"))
row = {"best": True, "ms": ms, "ms_low": ms, "ms_high": ms, "tflops": 2.0, "instance": "Device<1, (2)>", "split_k": None}
json.dump({"results": [row, {**row, "best": False, "ms": 9.0}]}, open(a[a.index("--json") + 1], "w"))
"""
EMULATE = r"""#!/bin/sh
[ "$1" = --build ] && exit "${EMULATOR:-0}"
[ "$1 $2" = "gfx942 time" ] || exit 3
shift 2
PREDICTED=0.5 exec "$@"
"""
MIOPEN = r"""#!/bin/sh
echo "$*" >>"$STAND_INS/miopen"
[ -z "$MIOPEN_FAILS" ] || { echo "MIOpen Error: no kernel database"; exit 7; }
echo "Forward Convolution Algorithm: 5, Solution: 137/ConvHipImplicitGemmForwardV4R5Xdlops"
echo "GPU Kernel Time Forward Conv. Elapsed: 2.000000 ms (average)"
"""


def write(path, text, mode=0o755):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


class FirstHour(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.top = pathlib.Path(scratch.name)
        self.top.chmod(0o755)
        self.tree, self.bin, self.root, self.stand_ins = (self.top / n for n in ("tree", "bin", "root", "stand_ins"))
        self.out = self.top / "out"
        self.tree.mkdir()
        for entry in ROOT.iterdir():
            if entry.name not in ("build", "script", ".git"):
                (self.tree / entry.name).symlink_to(entry)
        shutil.copytree(ROOT / "script", self.tree / "script", ignore=shutil.ignore_patterns("__pycache__"))
        write(self.tree / "script/emulate", EMULATE)
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to("/usr/bin/python3" if tool == "python3" else shutil.which(tool))
        write(self.bin / "cmake", CMAKE)
        write(self.stand_ins / "test", TEST)
        write(self.stand_ins / "ckProfiler", PROFILER)
        # The machine: one CPU and an MI300X in the driver's topology, ROCm 6.4.
        write(self.root / "sys/class/kfd/kfd/topology/nodes/0/properties", "gfx_target_version 0\n", 0o644)
        write(self.root / "sys/class/kfd/kfd/topology/nodes/1/properties", "simd_count 1216\ngfx_target_version 90402\n", 0o644)
        write(self.root / "dev/kfd", "", 0o666)
        rocm = self.root / "opt/rocm"
        write(rocm / ".info/version", "6.4.1-83\n")
        for file in ("llvm/bin/clang++", "include/hip/hip_runtime.h", "lib/libamdhip64.so", "amdgcn/bitcode/ocml.bc"):
            write(rocm / file, "")
        self.before = []

    def run_hour(self, *arguments, **environment):
        env = {k: v for k, v in os.environ.items() if k not in ("ROCM_PATH", "CK_JOBS")}
        env.update(PATH=str(self.bin), STAND_INS=str(self.stand_ins), **environment)
        command = [*self.before, "/usr/bin/python3", "script/first_hour", "--root", str(self.root), "--out", str(self.out), *arguments]
        done = subprocess.run(command, cwd=self.tree, capture_output=True, text=True, env=env, check=False, timeout=100)
        self.said = done.stdout + done.stderr
        self.result = json.loads((self.out / "result.json").read_text()) if (self.out / "result.json").exists() else None
        return done.returncode

    def expect(self, status, *arguments, **environment):
        """steps: for each step named, its state and words of its sentence. Others are "done"; one page and one file are written."""
        steps = environment.pop("steps", {})
        self.assertEqual(self.run_hour("--problems", "1", *arguments, **environment), status, self.said)
        for name, step in self.result["steps"].items():
            state, words = steps.get(name, ("absent", "no operation calibrate") if name == "calibrate" else ("done", ""))
            self.assertEqual(step["state"], state, f"{name}: {step['sentence']}\n{self.said}")
            self.assertIn(words, step["sentence"])
        self.page = (self.out / "page.html").read_text()
        archives = list(self.out.glob("first_hour_*.zip"))
        self.assertGreaterEqual(len(archives), 1)
        self.names = zipfile.ZipFile(archives[-1]).namelist()
        self.assertTrue({"result.json", "page.html"} <= set(self.names), self.names)

    def with_miopen(self):
        write(self.bin / "MIOpenDriver", MIOPEN)

    NO_MIOPEN = ("absent", "MIOpenDriver is not installed")

    def test_whole(self):
        self.with_miopen()
        self.expect(0)
        self.assertEqual(list(self.result["steps"]), ["machine", "build", "instructions", "tests", "profile", "miopen", "calibrate",
                                                      "predict", "compare"])
        self.assertEqual(self.result["target"], "gfx942")
        self.assertEqual(self.result["machine"]["rocm"], "6.4.1-83")
        self.assertIn("10 cases passed, 0 failed", self.result["steps"]["tests"]["sentence"])
        comparison = self.result["comparison"]
        self.assertEqual([r["direction"] for r in comparison["rows"]], ["forward", "backward data", "backward weight"])
        row = comparison["rows"][0]
        self.assertEqual((row["ms"], row["miopen_ms"], row["predicted_ms"]), (1.0, 2.0, 0.5))
        self.assertEqual(row["solver"], "137/ConvHipImplicitGemmForwardV4R5Xdlops")
        self.assertAlmostEqual(row["tflops"], 2 * 64 * 64 * 64 * 56 * 56 * 9 / 1e12 / 1e-3, places=6)
        self.assertAlmostEqual(comparison["model"]["mean"], 0.5)
        self.assertAlmostEqual(comparison["model"]["wmape"], 0.5)
        self.assertAlmostEqual(comparison["miopen"]["mean"], 2)
        for words in ("gfx942", "ROCm 6.4.1", "n64 c64 k64 in56x56 f3x3 p1", "1.0000", "0.5000", "2.0000", "0.50"):
            self.assertIn(words, self.page)
        self.assertNotIn("rehearsal", self.page)
        matplotlib = subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True, check=False).returncode == 0
        self.assertEqual("<svg" in self.page, matplotlib)
        self.assertTrue({"logs/build.log", "logs/test_isa.log", "logs/profile.log", "logs/miopen.log", "logs/predict.log"} <=
                        set(self.names), self.names)
        self.assertIn("-DGPU_TARGETS=gfx942", (self.stand_ins / "configured").read_text())
        lines = (self.stand_ins / "miopen").read_text().splitlines()
        self.assertEqual(lines[1], "convfp16 -n 64 -c 64 -k 64 -H 56 -W 56 -y 3 -x 3 -p 1 -q 1 -u 1 -v 1 -l 1 -j 1 -m conv -g 1 "
                                   "-F 2 -t 1 -V 0 --in_layout NHWC --fil_layout NHWC --out_layout NHWC")

    def test_no_driver(self):
        shutil.rmtree(self.root / "dev")
        shutil.rmtree(self.root / "sys")
        no = "left out"
        self.expect(1, steps={"machine": ("failed", "modprobe amdgpu"), "build": (no, "No GPU was found to build for"),
                              "instructions": (no, "not built"), "tests": (no, "Not built"), "profile": (no, "not built"),
                              "miopen": self.NO_MIOPEN, "calibrate": (no, "not built"), "predict": (no, "not built"),
                              "compare": (no, "no times")})

    def test_no_permission(self):
        (self.root / "dev/kfd").chmod(0o600)
        self.out.mkdir(mode=0o777)
        for folder in (self.out, self.stand_ins, self.tree):
            folder.chmod(0o777)
        if os.getuid() == 0:  # who may open it
            self.before = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        else:
            (self.root / "dev/kfd").chmod(0)
        no = ("left out", "may not open /dev/kfd")
        self.expect(1, steps={"machine": ("failed", "usermod -aG render,video"), "instructions": no, "tests": no, "profile": no,
                              "miopen": self.NO_MIOPEN, "calibrate": no, "predict": ("left out", "Nothing was measured"),
                              "compare": ("left out", "no times")})

    def test_driver_without_gpu(self):
        shutil.rmtree(self.root / "sys/class/kfd/kfd/topology/nodes/1")
        self.run_hour("--steps", "machine,build")
        self.assertIn("lists no GPU", self.result["steps"]["machine"]["sentence"])
        self.assertEqual(self.result["steps"]["build"]["state"], "left out")

    def test_old_rocm_does_not_know_the_gpu(self):
        write(self.root / "opt/rocm/.info/version", "5.2.0\n")
        no = ("left out", "ot built")
        refusal = "GPU_TARGETS has 'gfx942', which clang++ does not know"
        self.expect(1, REFUSED=refusal, steps={
            "build": ("failed", "amd-rocm: " + refusal), "instructions": no, "tests": no, "profile": no, "calibrate": no,
            "predict": no, "miopen": self.NO_MIOPEN, "compare": ("left out", "no times")})
        self.assertIn("ROCm 5.2.0", self.page)
        self.assertIn("older than 6", self.page)

    def test_no_compiler(self):
        shutil.rmtree(self.root / "opt")
        self.run_hour("--steps", "machine,build")
        self.assertIn("No compiler for AMD GPUs is here", self.result["steps"]["build"]["sentence"])

    def test_one_program_is_not_built(self):
        self.expect(1, NOT_BUILT="test_isa", steps={
            "build": ("failed", "Not built: test_isa: file.cpp:3:5: error: test_isa is too hard"), "miopen": self.NO_MIOPEN,
            "instructions": ("left out", "test_isa was not built")})

    def test_profiler_that_lacks_a_package(self):
        no = ("left out", "ckProfiler was not built")
        self.expect(1, LEFT_OUT="ckProfiler", steps={
            "build": ("failed", "ckProfiler is left out: it needs CLI11"), "profile": no, "calibrate": no, "predict": no,
            "miopen": self.NO_MIOPEN, "compare": ("left out", "no times")})

    def test_gpu_that_hangs(self):
        start = time.monotonic()
        self.expect(1, "--limit", "instructions=3", HANGS="test_isa", steps={
            "instructions": ("failed", "longer than its limit of 3 s and was stopped, in A.first"), "miopen": self.NO_MIOPEN})
        self.assertLess(time.monotonic() - start, 60)

    def test_kernel_that_hangs(self):
        self.expect(1, "--limit", "profile=4", HANGS="n64 c64 k64 in56x56 f3x3 p1", steps={
            "profile": ("failed", "limit is reached"), "predict": ("left out", "Nothing was measured"), "miopen": self.NO_MIOPEN,
            "compare": ("left out", "no times")})

    def test_program_that_dies(self):
        self.expect(1, DIES="test_isa", steps={"instructions": ("failed", "signal SIGSEGV ended it, in A.first"),
                                               "miopen": self.NO_MIOPEN})

    def test_wrong_result(self):
        self.expect(1, WRONG="test_convolution_types", steps={
            "tests": ("failed", "9 cases passed, 1 failed, 0 were skipped. Failed: A.second."), "miopen": self.NO_MIOPEN})

    def test_wrong_target(self):
        self.expect(1, "--target", "gfx90a", NO_BINARY="1", steps={
            "profile": ("failed", "hipErrorNoBinaryForGpu: no kernels for gfx942"), "predict": ("left out", "Nothing was measured"),
            "miopen": self.NO_MIOPEN, "compare": ("left out", "no times")})
        self.assertIn("-DGPU_TARGETS=gfx90a", (self.stand_ins / "configured").read_text())

    def test_miopen_that_fails(self):
        self.with_miopen()
        self.expect(1, MIOPEN_FAILS="1", steps={"miopen": ("failed", "MIOpenDriver gave no time; the first: it ended with status 7")})
        self.assertEqual(self.result["comparison"]["miopen"], None)

    def test_no_emulator(self):
        self.expect(0, EMULATOR="77", steps={"predict": ("absent", "The emulator cannot be built"), "miopen": self.NO_MIOPEN,
                                             "compare": ("left out", "nothing beside")})

    def test_types_that_the_library_has(self):
        self.expect(0, NEED="bf16", steps={"miopen": self.NO_MIOPEN})
        self.assertEqual({r["type"] for r in self.result["profile"]}, {"bf16"})

    def test_calibrate_where_it_is(self):
        self.expect(0, MORE="    calibrate: Fits a Machine File\n", steps={"calibrate": ("done", "machine.ini"),
                                                                           "miopen": self.NO_MIOPEN})
        self.assertIn("machine.ini", self.names)

    def test_chosen_steps_keep_the_others(self):
        self.expect(1, "--limit", "instructions=3", HANGS="test_isa", steps={"instructions": ("failed", ""), "miopen": self.NO_MIOPEN})
        self.assertEqual(self.run_hour("--steps", "instructions"), 0, self.said)
        self.assertEqual(self.result["steps"]["instructions"]["state"], "done")
        self.assertIn("comparison", self.result)

    def test_interrupted(self):
        env = {**os.environ, "PATH": str(self.bin), "STAND_INS": str(self.stand_ins), "HANGS": "test_isa"}
        env.pop("ROCM_PATH", None)
        process = subprocess.Popen(["/usr/bin/python3", "script/first_hour", "--root", str(self.root), "--out", str(self.out)],
                                   cwd=self.tree, stdout=subprocess.PIPE, text=True, env=env)
        while "== instructions" not in process.stdout.readline():
            pass
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=30)[0]
        self.assertIn("interrupted", said)
        self.assertIn("The run was interrupted", (self.out / "page.html").read_text())
        self.assertTrue(json.loads((self.out / "result.json").read_text())["interrupted"])

    def test_wrong_arguments(self):
        for arguments, words in ((["--steps", "machine,fly"], "'fly' is not a step; steps are machine build"),
                                 (["--limit", "build=no"], "'build=no' is no STEP=SECONDS"),
                                 (["--problems", "0"], "--problems is 0"), (["--build", "nowhere"], "'nowhere', which is not a folder"),
                                 (["--rehearse", "--target", "gfx942"], "--rehearse names the target")):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.run_hour(*arguments), 2, self.said)
                self.assertIn(words, self.said)

    def test_list_of_steps(self):
        self.assertEqual(self.run_hour("--steps"), 0)
        self.assertIn("miopen         300 s  the same in MIOpen", self.said)
        self.assertIsNone(self.result)


class Parts(unittest.TestCase):
    @staticmethod
    def part(name):
        sys.path.insert(0, str(ROOT / "script"))
        return importlib.import_module("hour." + name)

    def test_targets_of_the_driver(self):
        target = self.part("machine").target_of
        self.assertEqual([target(v) for v in (90010, 90402, 90500, 110000, 120001, 90008)],
                         ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx908"])

    def test_work_of_a_problem(self):
        flops = self.part("problems").flops
        self.assertEqual(flops("n2 c3 k5 in9x7 f3x3 s2 p1"), 2 * 2 * 3 * 5 * 5 * 4 * 9)
        self.assertEqual(flops("g4 n1 c2 k2 in4x5x6 f3x1x1 d1 p1x0x0"), 2 * 4 * 2 * 2 * 4 * 5 * 6 * 3)

    def test_three_dimensions_for_miopen(self):
        line = " ".join(self.part("problems").miopen("g2 n4 c8 k16 in5x6x7 f3x2x1 s2x1x1 p1x0x0", "backward weight"))
        self.assertEqual(line, "convfp16 -n 4 -c 16 -k 32 --in_d 5 -H 6 -W 7 --fil_d 3 -y 2 -x 1 --pad_d 1 -p 0 -q 0 "
                               "--conv_stride_d 2 -u 1 -v 1 --dilation_d 1 -l 1 -j 1 --spatial_dim 3 -m conv -g 2 -F 4 -t 1 -V 0 "
                               "--in_layout NDHWC --fil_layout NDHWC --out_layout NDHWC")

    def test_figures(self):
        figures = self.part("figures")
        rows = [{"ms": m, "predicted_ms": p} for m, p in ((1.0, 2.0), (2.0, 2.0), (4.0, 2.0), (8.0, None))]
        e = figures.error(rows, "predicted_ms")
        self.assertEqual(e["count"], 3)
        self.assertAlmostEqual(e["mean"], 1)
        self.assertAlmostEqual(e["spread"], 2)
        self.assertAlmostEqual(e["wmape"], 3 / 7)
        self.assertIsNone(e["rank_correlation"])  # all predictions are the same
        rows = [{"ms": m, "predicted_ms": p} for m, p in ((1.0, 5.0), (2.0, 6.0), (4.0, 7.0))]
        self.assertAlmostEqual(figures.error(rows, "predicted_ms")["rank_correlation"], 1)


if __name__ == "__main__":
    unittest.main()
