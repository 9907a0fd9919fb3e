"""Spack's package ck-conv, for a checkout:

    spack repo add packaging/spack
    spack dev-build --source-path "$PWD" ck-conv@<the version in version.txt>
"""
from pathlib import Path

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage  # since Spack 1.0
except ImportError:
    pass


class CkConv(CMakePackage):
    """Convolutions for training neural networks on AMD and NVIDIA GPUs, and on the CPU."""

    license("MIT")

    version((Path(__file__).resolve().parents[4] / "version.txt").read_text().strip())

    variant("platform", default="host", values=("host", "nvidia", "amd"), multi=False, description="What kernels are for")
    variant("cuda_arch", default="80-real,90a-real,80-virtual", values=("80-real", "90a-real", "80-virtual"), multi=True,
            description="CMAKE_CUDA_ARCHITECTURES", when="platform=nvidia")
    variant("amdgpu_target", default="gfx90a,gfx942", multi=True, description="GPU_TARGETS", when="platform=amd",
            values=("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1200"))
    variant("mpi", default=False, description="Convolutions on several GPUs with MPI")
    variant("profiler", default=False, description="The program ckProfiler")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("rocm-cmake", type="build")
    depends_on("boost@1.74:+context", when="platform=host")
    depends_on("sqlite@3:")
    depends_on("cuda@12:", when="platform=nvidia")
    depends_on("hip", when="platform=amd")
    depends_on("llvm-amdgpu", type="build", when="platform=amd")
    depends_on("mpi", when="+mpi")
    depends_on("cli11", type="build", when="+profiler")
    depends_on("nlohmann-json", type="build", when="+profiler")

    def cmake_args(self):
        args = [
            self.define_from_variant("CK_PLATFORM", "platform"),
            self.define_from_variant("CK_BUILD_PROFILER", "profiler"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", "+mpi" not in self.spec),
            self.define("CK_BUILD_TESTS", False),
            self.define("CK_BUILD_EXAMPLES", False),
        ]
        if self.spec.satisfies("platform=nvidia"):
            args.append(self.define_from_variant("CMAKE_CUDA_ARCHITECTURES", "cuda_arch"))
        if self.spec.satisfies("platform=amd"):
            args.append(self.define_from_variant("GPU_TARGETS", "amdgpu_target"))
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["llvm-amdgpu"].prefix.bin.join("clang++")))
        return args
