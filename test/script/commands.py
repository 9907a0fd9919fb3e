#!/usr/bin/env python3
"""Commands of the howtos and of the pages on programs, word by word, in a build of the host: its programs run, presets,
targets, options and scripts are there. What builds is not run. Of programs that need a GPU, the host's have the same options.
howtos.py, documents.txt and fresh.sh run more.

usage: commands.py path/to/the/tree path/to/its/build"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(2)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
PAGES = [*sorted((ROOT / "docs/howto").glob("*.md")), ROOT / "docs/profiler.md", ROOT / "docs/distributed.md"]
BLOCK = re.compile(r"(<!-- test/script/(?:howtos\.py \S+, with a GPU|commands\.py )[^\n]*\n)?^ *```sh\n(.*?)^ *```", re.M | re.S)
PRESETS = {preset["name"] for preset in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
CACHE = (BUILD / "CMakeCache.txt").read_text()
ELSEWHERE = ("torchrun", "mpirun", "ckProfiler")  # programs of other packages, or of the installed one


def commands(page):
    """Each command of the page's blocks, without comments and variables before it; not of those that howtos.py runs."""
    for own, block in BLOCK.findall(page.read_text()):
        if page.parent.name == "howto" and not own:
            continue
        for line in block.replace("\\\n", " ").split("\n"):
            for part in re.split(r"\s&&\s", re.sub(r"(^|\s)#\s.*$", "", line.strip())):
                words = [word for word in shlex.split(part)]
                while words and re.fullmatch(r"\w+=.*", words[0]):
                    words.pop(0)
                if words:
                    yield words


def has_target(name):
    """A target of this build, or a program of tests that only builds for GPUs have."""
    known = subprocess.run(["ninja", "-C", BUILD, "-t", "query", name], capture_output=True, check=False).returncode == 0
    return known or (name.startswith("test_") and (ROOT / "test" / name[len("test_"):]).is_dir())


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A folder with the tree's entries, for what programs read and write."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tree = pathlib.Path(folder.name)
        for entry in ROOT.iterdir():
            if entry.name != "build":
                (cls.tree / entry.name).symlink_to(entry)

    def test_pages(self):
        ran = set()  # the pages of which a program ran
        for page in PAGES:
            for words in commands(page):
                with self.subTest(page=page.name, command=" ".join(words)):
                    if self.check(words):
                        ran.add(page.name)
        self.assertEqual(ran, {"read_a_refusal.md", "profiler.md", "distributed.md"})

    def test_wrong_commands(self):
        for command, why in (("cmake --preset hostt", "hostt"), ("cmake --build build/host --target none", "no target none"),
                             ("cmake -DCK_NONE=1", "no option CK_NONE"), ("build/host/test/none", "is not there"),
                             ("build/nvidia/profiler/none", "no program"),
                             ("build/nvidia/profiler/ckProfiler grouped_conv_fwd --none", "no option --none"),
                             ("build/nvidia/profiler/ckProfiler none --why", "no operation none"),
                             ("build/nvidia/profiler/ckProfiler --problems profiler/none.json", "no file"), ("script/none", "not true"), ("make all", "make"),
                             ("script/plot --none", "--none"),
                             ("build/host/test/test_arch --gtest_filter=None*", "no test of these names"),
                             ("build/host/profiler/ckProfiler grouped_conv_fwd --none", "--none")):
            with self.subTest(command=command), self.assertRaisesRegex(AssertionError, why):
                self.check(shlex.split(command))

    def check(self, words):
        """Returns whether a program ran."""
        program = words[0]
        if program == "cmake":
            self.check_cmake(words[1:])
        elif program.startswith("build/"):
            return self.check_program(words)
        elif program.startswith("script/"):
            self.check_script(words)
        else:
            self.assertIn(program, ELSEWHERE)
        return False

    def check_cmake(self, words):
        for word, following in zip(words, [*words[1:], ""]):
            if word == "--preset":
                self.assertIn(following, PRESETS)
            elif word == "--build":
                self.assertIn(following.removeprefix("build/"), PRESETS)
            elif word == "--target":
                self.assertTrue(has_target(following), f"there is no target {following}")
            elif word.startswith("-D"):
                name = word[2:].split("=")[0]
                self.assertTrue(re.search(rf"^{name}:", CACHE, re.M) or name == "GPU_TARGETS", f"no option {name}")
            elif word.startswith("-"):
                self.fail(f"unknown option of cmake, {word}")

    def check_program(self, words):
        _, preset, path = words[0].split("/", 2)
        self.assertIn(preset, PRESETS)
        if preset != "host":
            self.assertTrue(has_target(pathlib.Path(path).name), f"no program {path}")
            self.check_options(BUILD / path, words[1:])
            return False
        program = BUILD / path
        self.assertTrue(program.is_file(), f"{program} is not there")
        tests = program.name.startswith("test_")  # run by CTest; here their names
        done = subprocess.run([program, *words[1:], *(["--gtest_list_tests"] if tests else [])], cwd=self.tree,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(len(done.stdout.split("\n")), 3, "no test of these names")
        return True

    def check_options(self, program, words):
        """Those of a program that only runs on a GPU, by what the host's says of them."""
        if program.name.startswith("test_") or not program.is_file():  # split_scaling is built on demand
            return
        known = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
        for number, word in enumerate(words):
            if number == 0 and not word.startswith("-"):
                self.assertRegex(known, rf"(?m)^ *{word}\b", f"{program.name} has no operation {word}")
            elif word.startswith("--"):
                self.assertRegex(known, rf"(?<![\w-]){word}(?![\w-])", f"{program.name} has no option {word}")
            elif "/" in word:
                self.assertTrue((ROOT / word).is_file(), f"there is no file {word}")

    def check_script(self, words):
        self.assertTrue((ROOT / words[0]).is_file())
        told = subprocess.run([ROOT / words[0], "--help"], capture_output=True, text=True, check=True).stdout
        for option in (word for word in words[1:] if word.startswith("--")):
            self.assertIn(option, told)


if __name__ == "__main__":
    unittest.main()
