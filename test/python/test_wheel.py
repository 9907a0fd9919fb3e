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
                (["nvidia", "--library", LIBRARY], "is of the platform host, and a wheel for nvidia is asked for")):
            with self.subTest(arguments):
                result = run(ROOT / "script/wheel", *arguments)
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertIn(sentence, result.stderr)


if __name__ == "__main__":
    unittest.main()
