#!/usr/bin/python3
"""The recipes of packaging/: what they name is in the tree, and their version is the project's. test/package/make_install.cmake
runs conda's build.sh. Neither conda-build nor Spack is needed."""
import re
import sys
import types
import unittest
from pathlib import Path

import jinja2
import yaml

ROOT = Path(__file__).resolve().parents[2]
VERSION = (ROOT / "version.txt").read_text().strip()
CMAKE = "\n".join(p.read_text() for p in (ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")))


def conda(**variant):
    """The recipe as conda-build renders it."""
    folder = ROOT / "packaging/conda"

    def load_file_regex(load_file, regex_pattern, from_recipe_dir):
        return re.match(regex_pattern, (folder / load_file if from_recipe_dir else Path(load_file)).read_text())

    text = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string((folder / "meta.yaml").read_text()).render(
        load_file_regex=load_file_regex, compiler=lambda name: f"compiler of {name}", stdlib=lambda name: f"stdlib of {name}",
        pin_subpackage=lambda name, max_pin: name, PKG_HASH="1234567", PKG_BUILDNUM=0, **variant)
    return yaml.safe_load(text)


class Conda(unittest.TestCase):
    def test_fields(self):
        for variant, build, has_cuda in (({}, "host", False), ({"cuda_compiler_version": "None"}, "host", False),
                                         ({"cuda_compiler_version": "13.0"}, "cuda130", True)):
            with self.subTest(variant):
                recipe = conda(**variant)
                self.assertEqual(recipe["package"], {"name": "ck-conv", "version": VERSION})
                self.assertEqual(recipe["build"]["string"], f"{build}_h1234567_0")
                self.assertEqual((ROOT / "packaging/conda" / recipe["source"]["path"]).resolve(), ROOT)
                self.assertTrue((ROOT / recipe["about"]["license_file"]).is_file())
                requirements = recipe["requirements"]
                self.assertEqual("compiler of cuda" in requirements["build"], has_cuda)
                self.assertEqual("cuda-version 13.0" in requirements["host"], has_cuda)
                self.assertIn("rocm-cmake", requirements["host"])

    def test_architectures_are_those_of_the_preset(self):
        preset = re.search(r'"name": "nvidia-ptx".*?"CMAKE_CUDA_ARCHITECTURES": "([^"]+)"', (ROOT / "CMakePresets.json").read_text(), re.S)
        self.assertIn(f'"-DCMAKE_CUDA_ARCHITECTURES={preset[1]}"', (ROOT / "packaging/conda/build.sh").read_text())


class Spec(dict):
    def __contains__(self, what):
        return what in self["has"]

    def satisfies(self, what):
        name, value = what.split("=")
        return self["variants"][name] == value


class CMakePackage:
    """What the recipe uses of Spack's class."""

    def define(self, name, value):
        return f"-D{name}={value}"

    def define_from_variant(self, name, variant):
        value = self.spec["variants"][variant]
        return self.define(name, ";".join(value) if isinstance(value, tuple) else value)


class Spack(unittest.TestCase):
    def setUp(self):
        self.said = []
        package = types.ModuleType("spack.package")
        package.CMakePackage = CMakePackage
        for name in ("version", "variant", "depends_on", "license"):
            setattr(package, name, lambda *args, name=name, **options: self.said.append((name, args[0], options)))
        sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": package})
        self.addCleanup(lambda: [sys.modules.pop(name) for name in ("spack", "spack.package")])
        path = ROOT / "packaging/spack/packages/ck-conv/package.py"
        names = {"__file__": str(path), "__name__": "recipe"}
        exec(compile(path.read_text(), str(path), "exec"), names)
        self.recipe = names["CkConv"]

    def arguments(self, platform, **others):
        recipe = self.recipe()
        folder = types.SimpleNamespace(join=lambda name: f"/rocm/llvm/bin/{name}")
        llvm = types.SimpleNamespace(prefix=types.SimpleNamespace(bin=folder))
        recipe.spec = Spec({"variants": {"platform": platform, "profiler": False, **others}, "has": (), "llvm-amdgpu": llvm})
        return dict(argument[2:].split("=", 1) for argument in recipe.cmake_args())

    def test_version(self):
        self.assertEqual([what for name, what, _ in self.said if name == "version"], [VERSION])

    def test_options_are_the_projects(self):
        variants = {what: options for name, what, options in self.said if name == "variant"}
        self.assertEqual(set(variants["platform"]["values"]), {"host", "nvidia", "amd"})
        for platform, others in (("host", {}), ("nvidia", {"cuda_arch": ("80-real", "90a-real")}),
                                 ("amd", {"amdgpu_target": ("gfx90a",)})):
            arguments = self.arguments(platform, **others)
            self.assertEqual(arguments["CK_PLATFORM"], platform)
            for option in arguments:
                if not option.startswith("CMAKE_"):
                    self.assertRegex(CMAKE, rf"(option|set)\({option}\b")
        self.assertEqual(arguments["CMAKE_CXX_COMPILER"], "/rocm/llvm/bin/clang++")
        self.assertEqual(self.arguments("nvidia", cuda_arch=("80-real", "90a-real"))["CMAKE_CUDA_ARCHITECTURES"], "80-real;90a-real")

    def test_variants_of_gpus_are_the_defaults_of_presets(self):
        variants = {what: options for name, what, options in self.said if name == "variant"}
        preset = re.search(r'"name": "nvidia-ptx".*?"CMAKE_CUDA_ARCHITECTURES": "([^"]+)"', (ROOT / "CMakePresets.json").read_text(), re.S)
        self.assertEqual(variants["cuda_arch"]["default"].replace(",", ";"), preset[1])
        for name in ("cuda_arch", "amdgpu_target"):
            self.assertLessEqual(set(variants[name]["default"].split(",")), set(variants[name]["values"]))


if __name__ == "__main__":
    unittest.main()
