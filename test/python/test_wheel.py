#!/usr/bin/python3
"""script/wheel makes a wheel of the library given to it; pip installs it in a fresh environment, where nothing else is set."""
import ctypes
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = os.environ["CK_CONV_LIBRARY"]
REPLACED = """
import copy, torch, ck_conv
model = torch.nn.Conv2d(3, 4, 3, padding=1)
ours = ck_conv.replace(copy.deepcopy(model))
assert type(ours) is not type(model)
x = torch.randn(2, 3, 8, 8)
torch.testing.assert_close(ours(x), model(x), rtol=1e-4, atol=1e-5)
print(ck_conv.version(), ck_conv.__file__)
"""


def run(*command):
    """Without the settings by which ck_conv finds its files elsewhere."""
    left = {name: value for name, value in os.environ.items() if name not in ("CK_CONV_LIBRARY", "PYTHONPATH", "LD_LIBRARY_PATH")}
    return subprocess.run([str(part) for part in command], env=left, cwd="/", capture_output=True, text=True)


class Wheel(unittest.TestCase):
    def done(self, *command):
        result = run(*command)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def test_installs_and_computes(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.done(ROOT / "script/wheel", "host", "--library", LIBRARY, "--out", f"{scratch}/dist")
            wheel, = Path(scratch, "dist").iterdir()
            self.assertRegex(wheel.name, r"^ck_conv-[0-9.]+-py3-none-linux_\w+\.whl$")
            names = zipfile.ZipFile(wheel).namelist()
            self.assertEqual([n for n in names if ".so" in n], ["ck_conv/libck_conv.so.1"])
            sources = {f.relative_to(ROOT / "python").as_posix() for f in (ROOT / "python/ck_conv").rglob("*.py")}
            self.assertEqual({n for n in names if n.endswith(".py")}, sources)
            self.assertEqual(len([n for n in names if n.endswith("/LICENSE")]), 1, names)
            self.done(sys.executable, "-m", "venv", "--system-site-packages", f"{scratch}/venv")
            python = f"{scratch}/venv/bin/python"
            self.done(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)
            version = ctypes.CDLL(LIBRARY).ck_conv_version
            version.restype = ctypes.c_char_p
            printed = self.done(python, "-c", REPLACED).split()
            self.assertEqual(printed[0], version().decode())
            self.assertTrue(printed[1].startswith(scratch), printed)
            self.assertIn("4.0, 4.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 4.0, 4.0",
                          self.done(python, ROOT / "test/python/without_torch.py"))

    def test_refuses(self):
        for arguments, sentence in (
                (["metal"], "no platform 'metal'; platforms are host nvidia amd"),
                ([], "which platform"),
                (["host", "amd"], "not 'host' and 'amd'"),
                (["host", "--library"], "--library needs a path"),
                (["host", "--library", "/gone.so"], "there is no file /gone.so"),
                (["host", "--library", __file__], "cannot be loaded"),
                (["host", "--ptx"], "--ptx is for nvidia, not host"),
                (["host", "--types", "bf16,"], "--types needs a list with commas, not 'bf16,'"),
                (["nvidia", "--gpu"], "--gpu needs a list with commas, not ''"),
                (["host", "--gpu", "here"], "--gpu is for nvidia and amd, not host"),
                (["nvidia", "--gpu", "gfx942"], "--gpu is 'gfx942'; NVIDIA's are called sm_80, sm_90a"),
                (["amd", "--gpu", "gfx942,sm_90a"], "--gpu is 'gfx942,sm_90a'; AMD's are called gfx90a"),
                (["nvidia", "--gpu", "sm_90a", "--ptx"], "--ptx is for GPUs later than those of the preset"),
                (["host", "--types", "bf16", "--library", LIBRARY], "--types and --gpu are for a library that is built"),
                (["nvidia", "--ptx", "--library", LIBRARY], "--ptx is for a library that is built"),
                (["nvidia", "--library", LIBRARY], "is of the platform host, and a wheel for nvidia is asked for")):
            with self.subTest(arguments):
                result = run(ROOT / "script/wheel", *arguments)
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertIn(sentence, result.stderr)

    def test_leaves_room_for_the_variables_of_threads(self):
        """A manylinux wheel has them where glibc has 1664 bytes for those of all libraries that a program loads."""
        headers = self.done("readelf", "-lW", LIBRARY)
        size, = [int(line.split()[5], 16) for line in headers.splitlines() if line.split()[:1] == ["TLS"]]
        self.assertLessEqual(size, 512)


class OldGlibc(unittest.TestCase):
    """cmake/old_glibc/link with a program in place of zig that prints its arguments."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("libboth.so.1.74.0", "libboth.a", "libshared.so"):
            (self.folder / name).touch()
        self.zig = self.folder / "zig"
        self.zig.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        self.zig.chmod(0o755)

    def linked(self, *arguments):
        return run(ROOT / "cmake/old_glibc/link", self.zig, "2.28", "g++", *arguments)

    def test_takes_static_libraries_where_there_are(self):
        given = ("-fPIC", "-O3", "-DNDEBUG", "-Xarch_host", "-O0", "-Xlinker", "-z", "-Wl,-z,defs", "-shared", "-o", "libx.so.1", "a.o",
                 self.folder / "libboth.so.1.74.0", self.folder / "libshared.so", "/usr/lib/librt.a", "-lrt")
        result = self.linked(*given)
        self.assertEqual(result.returncode, 0, result.stderr)
        words = result.stdout.split()
        self.assertRegex(" ".join(words[:3]), r"^cc -target \w+-linux-gnu\.2\.28$")
        self.assertEqual(words[3:-3], ["-fPIC", "-Xlinker", "-z", "-Wl,-z,defs", "-shared", "-o", "libx.so.1", "a.o",
                                       str(self.folder / "libboth.a"), str(self.folder / "libshared.so"), "-lrt"])
        self.assertEqual([os.path.basename(word) for word in words[-3:]], ["libstdc++.a", "libgcc.a", "libgcc_s.so.1"])

    def test_refuses_what_it_does_not_know(self):
        result = self.linked("-shared", "--hip-link")
        self.assertEqual(result.returncode, 2)
        self.assertIn("'--hip-link' is an option that it does not know", result.stderr)


if __name__ == "__main__":
    unittest.main()
