#!/usr/bin/env python3
"""Fails when a file includes or imports a room that it may not see. The tables are the house's plan; see docs/architecture.md."""
import ast
import re

import habit

LOW = "utility config"
DESCRIBED = LOW + " arch tensor_description convolution operator_transform element"
GPU = "tensor_operation/gpu/"
ENGINE = "conv_argument conv_model conv_plan conv_launch conv_kernels"
KERNELS = GPU + "conv/kernels"

# Path below include/ck or, with library/, below library/include/ck. The longest path that matches is the room.
# room: (path, rooms it may include besides itself). "config" is config.h and version.h, which only define macros.
ROOMS = {
    "utility": ("utility", "config"),
    "tensor_description": ("tensor_description", LOW),
    "convolution": ("convolution", LOW),
    "arch": ("arch", LOW),
    "operator_transform": ("tensor_operation/operator_transform", LOW + " tensor_description convolution"),
    "element": (GPU + "element", LOW + " arch"),
    "thread": (GPU + "thread", DESCRIBED),
    "warp": (GPU + "warp", DESCRIBED + " thread"),
    "block": (GPU + "block", DESCRIBED + " thread warp"),
    "conv_object": (GPU + "conv_object", DESCRIBED + " thread warp block host_utility"),
    "grid": (GPU + "grid", DESCRIBED + " thread warp block"),
    "norm": (GPU + "norm", LOW + " arch element"),
    "pool": (GPU + "pool", LOW + " arch"),
    "device": (GPU + "device", LOW + " convolution element front_door"),
    "conv_argument": (GPU + "conv/argument", "utility convolution"),
    "conv_model": (GPU + "conv/model", LOW + " operator_transform grid"),
    "conv_plan": (GPU + "conv/plan", LOW + " arch convolution operator_transform grid conv_argument conv_model"),
    "conv_launch": (GPU + "conv/launch", LOW + " grid host_utility conv_model conv_plan"),
    "conv_kernels": (KERNELS, "family_host"),  # the list of the library's own families
    # A family of kernels is a folder of KERNELS. What its files may include is decided by their names, see FAMILY_HOST.
    "family_device": (None, DESCRIBED + " thread warp block grid"),
    "family_host": (None, DESCRIBED + " thread warp block grid host_utility conv_model conv_plan conv_launch family_device"),
    "conv_operation": (GPU + "conv/operation",
                       LOW + " arch convolution operator_transform grid device host_utility " + ENGINE),
    "impl": (GPU + "device/impl", LOW + " convolution element operator_transform warp grid device host_utility front_door "
             "conv_operation " + ENGINE),
    "host_utility": ("host_utility", LOW + " front_door"),
    "front_door": ("", LOW + " host_utility"),  # the headers right in include/ck
    "lib": ("../lib", LOW + " arch conv_object"),  # include/lib: under the paths of clients of other libraries
    "library_utility": ("library/utility", LOW + " convolution element device host_utility front_door"),
    "library_reference": ("library/reference_tensor_operation",
                          DESCRIBED + " device conv_argument host_utility front_door library_utility"),
    # Clients compile these: no kernel may come with them.
    "library_front_door": ("../../library/include/ck", LOW + " convolution"),  # the headers right in library/include/ck
    "library_distributed": ("distributed", LOW + " convolution library_front_door"),
    "library_instance": ("library/tensor_operation_instance",
                         LOW + " convolution element device conv_argument host_utility front_door"),
}
# Single headers of another room.
HIP_5 = "arch/amd/hip_5.hpp"  # comes before HIP's own headers
ALSO = {
    "arch": {"host_utility/runtime.hpp"},  # stream and error types of the kernel entry
    # What operations have before kernels come: no kernel is in it.
    "library_instance": {GPU + "conv/operation/kernel_operation.hpp"},
    "library_reference": {GPU + "conv/operation/kernel_operation.hpp"},
    "host_utility": {"arch/target.hpp", "arch/kernel.hpp", "arch/user_kernel.hpp", HIP_5},  # which device is it; launches, timed
    "utility": {HIP_5},
    "impl": {KERNELS + "/implicit_gemm/grouped_gemm_kernel.hpp"},
    "grid": {KERNELS + "/implicit_gemm/kernel.hpp"},  # a header of this name is in CK's documents
    "library/src/conv": {GPU + "grid/gridwise_channel_sums.hpp"},  # the gradient of a bias is a launch of its own
    "library/src/rewrites": {"distributed/split.hpp"},  # the arithmetic of cuts, one for all: no communicator is in it
    "library/src/distributed": {"arch/index.hpp", "tensor_operation/operator_transform/limits.hpp"},
    "profiler": {GPU + "device/impl/device_grouped_gemm_tuned.hpp"},  # ckProfiler lists its tunings
    "example": {GPU + "grid/gemm_tuning.hpp"},
}
# Folders of KERNELS that hold what several families share; a family includes only these and its own.
SHARED = {"channel_slice_geometry", "sliding_window_geometry", "warp_specialized"}
# Files of a family that only the host compiles: which problems its kernels take, the launch, what it costs.
FAMILY_HOST = re.compile(r"(^|_)(launcher|plan|cost)\.hpp$")
# Folders of sources: the rooms of headers and the other folders of sources that they may include.
CLIENT = LOW + " convolution element device front_door host_utility library_front_door library_instance library_reference library_utility"
SOURCES = {
    "library/src/utility": (LOW + " host_utility library_utility", ""),
    "library/src/tables": (LOW + " convolution warp grid", "library/src/tensor_operation_instance"),
    "library/src/rewrites": (
        LOW + " tensor_description convolution operator_transform element grid host_utility front_door impl library_instance "
        "library_reference library_utility conv_argument conv_model conv_plan", "library/src/tensor_operation_instance library/src/utility"),
    "library/src/tensor_operation_instance": (
        LOW + " tensor_description convolution operator_transform element grid host_utility front_door impl conv_operation "
        "library_instance library_reference library_utility family_host " + ENGINE,
        "library/src/rewrites library/src/tables library/src/utility"),
    "library/src/device_other_operations": (LOW + " impl conv_operation library_instance", ""),
    "library/src/device_reduction_operations": ("impl library_instance", ""),
    "library/src/conv": (LOW + " convolution element host_utility front_door library_front_door library_instance library_utility",
                         "library/src/rewrites library/src/tensor_operation_instance library/src/utility"),
    "library/src/norm": (LOW + " arch norm host_utility library_front_door", ""),
    "library/src/pool": (LOW + " arch pool library_front_door", "library/src/norm"),
    "library/src/conv_c": ("config library_front_door", ""),
    "library/src/distributed": (LOW + " convolution host_utility library_front_door library_distributed library_utility",
                                "library/src/conv"),
    "profiler": (CLIENT + " arch library_distributed", "library/src/tables library/src/utility"),
    "client_example": (CLIENT, ""),
    "example": (CLIENT + " arch impl library_distributed", ""),
}
# Folders of the Python package ck_conv and, as "ck_conv", its public modules: the rooms that they may import.
PYTHON = {
    "_c": "",
    "_conv": "_c",
    "_trace": "_conv",
    "_norm": "_c _conv _trace",
    "_pool": "_c _conv _norm",
    "ck_conv": "_c _conv",
    "_replace": "_conv _norm ck_conv",
    "_fuse": "_c _conv _trace _norm _pool ck_conv _replace",
    "distributed": "_c _conv _norm ck_conv",
}
WHOLE_PACKAGE = {"__init__", "_tune"}  # modules of ck_conv that may import every room
WITHOUT_TORCH = {"_c", "plan"}  # a room, and a public module
# Rooms that may include a GPU kit's headers.
GPU_KIT = re.compile(r"^(hip|cuda|cooperative_groups|cublas|cudnn|mma\.h|nv)", re.I)
GPU_ROOMS = {"utility", "arch", "host_utility"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def room_of(path):
    """path: below ck/. None for a folder that no room names."""
    if path in ("config.h", "version.h"):
        return "config"
    if path in ("batch_norm.h", "batch_norm.hpp", "calibrate.hpp", "causal_conv.hpp", "conv.hpp", "conv.h", "group_norm.h", "group_norm.hpp", "max_pool.h", "max_pool.hpp", "tune.hpp"):
        return "library_front_door"
    if path == "distributed.hpp":
        return "library_distributed"
    folder, _, name = path.rpartition("/")
    if folder.startswith(KERNELS + "/"):
        return "family_host" if FAMILY_HOST.search(name) else "family_device"
    matches = [(len(at), room) for room, (at, _) in ROOMS.items() if at and (folder == at or folder.startswith(at + "/"))]
    if matches:
        return max(matches)[1]
    return "front_door" if folder == "" else None


def family_of(path):
    """The folder of KERNELS that holds a header, or None."""
    folder = path.rpartition("/")[0]
    return folder[len(KERNELS) + 1:] if folder.startswith(KERNELS + "/") else None


def check_sources(root):
    findings = []
    for folder, (rooms, folders) in SOURCES.items():
        base = root / folder
        for source in sorted(f for f in base.rglob("*") if f.suffix in (".hpp", ".h", ".cpp", ".cu")):
            at = source.relative_to(root).as_posix()
            for mark, included in INCLUDE.findall(source.read_text()):
                if included.startswith("ck/"):
                    seen = included[len("ck/"):]
                    target = room_of(seen)
                    if target not in rooms.split() and seen not in ALSO.get(folder, ()):
                        findings.append(f"{at}: {folder} may not include {included} (room {target})")
                elif folder.startswith("library/src/") and mark == '"':
                    target = "library/src/" + included.rpartition("/")[0]
                    if not any(target == f or target.startswith(f + "/") for f in [folder, *folders.split()]):
                        findings.append(f"{at}: {folder} may not include {included} ({target})")
    return findings


def imports_of(path):
    """(how many folders up, dotted name) of each module that a file of Python imports; 0 folders up: an absolute name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((0, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, node.module or name.name) for name in node.names)


def check_python(root):
    findings = []
    base = root / "python/ck_conv"
    for file in sorted(base.rglob("*.py")):
        path = file.relative_to(base)
        room = path.parts[0] if len(path.parts) > 1 else "ck_conv"
        at = f"python/ck_conv/{path.as_posix()}"
        if room not in PYTHON:
            findings.append(f"{at}: in no room of the plan")
            continue
        for up, name in dict.fromkeys(imports_of(file)):
            first = name.partition(".")[0]
            if up == 0:
                if first == "torch" and (room in WITHOUT_TORCH or path.stem in WITHOUT_TORCH and room == "ck_conv"):
                    findings.append(f"{at}: may not import torch")
                continue
            target = room if up < len(path.parts) else first if first in PYTHON else "ck_conv"
            if room == "ck_conv" and target != "ck_conv" and path.stem in WHOLE_PACKAGE:
                continue
            if target not in (room, *PYTHON[room].split()):
                findings.append(f"{at}: room {room} may not import {name} (room {target})")
    return findings


def check(root):
    findings = check_sources(root) + check_python(root)
    graph = {}
    for top, folder in (("include", "ck"), ("include", "lib"), ("library/include", "ck")):
        base = root / top / folder
        for header in sorted(f for f in base.rglob("*") if f.suffix in (".hpp", ".h", ".inc")):
            path = ("" if folder == "ck" else f"../{folder}/") + header.relative_to(base).as_posix()
            at = f"{top}/{folder}/{header.relative_to(base).as_posix()}"
            room = room_of(path)
            if room is None or (top == "include") == (room.startswith("library_")):
                findings.append(f"{at}: in no room of the plan")
                continue
            graph[path] = []
            for mark, included in INCLUDE.findall(header.read_text()):
                if not included.startswith("ck/"):
                    if mark == '"':
                        findings.append(f'{at}: "{included}" is not a path that begins with ck/')
                    elif GPU_KIT.match(included) and room not in GPU_ROOMS:
                        findings.append(f"{at}: room {room} may not include the GPU header <{included}>")
                    continue
                seen = included[len("ck/"):]
                graph[path].append(seen)
                target = room_of(seen)
                allowed = {room, *ROOMS[room][1].split()} if room != "config" else set()
                if None not in (family_of(path), family_of(seen)) and family_of(seen) not in (family_of(path), *SHARED):
                    findings.append(f"{at}: the family {family_of(path)} may not include {family_of(seen)}'s ck/{seen}")
                if target not in allowed and seen not in ALSO.get(room, ()):
                    findings.append(f"{at}: room {room} may not include ck/{seen} (room {target})")
    return findings + cycles(graph)


def cycles(graph):
    findings = []
    state = {}

    def visit(header, trail):
        state[header] = "open"
        for seen in graph.get(header, ()):
            if state.get(seen) == "open":
                findings.append("headers include each other: " + " -> ".join([*trail, header, seen]))
            elif seen not in state:
                visit(seen, [*trail, header])
        state[header] = "done"

    for header in graph:
        if header not in state:
            visit(header, [])
    return findings


GOOD = {
    "include/ck/utility/a.hpp": "#include <array>\n",
    "include/ck/arch/target.hpp": '#include "ck/utility/a.hpp"\n#include <hip/hip_runtime.h>\n',
    "include/ck/ck.hpp": '#include "ck/config.h"\n#include "ck/utility/a.hpp"\n',
    "include/ck/host_utility/launch.hpp": '#include "ck/arch/target.hpp"\n',
    "include/ck/tensor_operation/gpu/device/impl/op.hpp": '#include "ck/tensor_operation/gpu/grid/g.hpp"\n',
    "include/ck/tensor_operation/gpu/grid/g.hpp": '#include "ck/arch/target.hpp"\n',
    "library/include/ck/library/utility/t.hpp": '#include "ck/utility/a.hpp"\n',
    "include/lib/a/a.h": '#include "ck/arch/target.hpp"\n',
    "include/ck/tensor_operation/gpu/conv/kernels/a/kernel.hpp":
        '#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/skeleton.hpp"\n',
    "include/ck/tensor_operation/gpu/conv/kernels/a/launcher.hpp":
        '#include "ck/tensor_operation/gpu/conv/kernels/a/kernel.hpp"\n#include "ck/host_utility/launch.hpp"\n',
    "library/src/conv/c.cpp": '#include "conv/c.hpp"\n#include "utility/u.hpp"\n#include "ck/conv.hpp"\n',
    "python/ck_conv/__init__.py": "import torch\nfrom ._fuse.f import fuse\nfrom .plan import Plan\n",
    "python/ck_conv/plan.py": "import ctypes\nfrom ._c import library\n",
    "python/ck_conv/_fuse/f.py": "from .. import plan\nfrom .._c import library\nfrom . import chains\n",
}
BAD = {
    "engine in an interface": ({"include/ck/tensor_operation/gpu/device/d.hpp":
                                '#include "ck/tensor_operation/gpu/conv/operation/o.hpp"\n'}, "device may not include"),
    "launch in a plan": ({"include/ck/tensor_operation/gpu/conv/plan/p.hpp":
                          '#include "ck/tensor_operation/gpu/conv/launch/l.hpp"\n'}, "conv_plan may not include"),
    "family in another": ({"include/ck/tensor_operation/gpu/conv/kernels/b/kernel.hpp":
                           '#include "ck/tensor_operation/gpu/conv/kernels/a/kernel.hpp"\n'}, "the family b may not include"),
    "launcher in a kernel": ({"include/ck/tensor_operation/gpu/conv/kernels/a/consumer.hpp":
                              '#include "ck/tensor_operation/gpu/conv/kernels/a/launcher.hpp"\n'},
                             "family_device may not include"),
    "kernel in the C interface": ({"library/src/conv_c/c.cpp": '#include "ck/tensor_operation/gpu/grid/g.hpp"\n'},
                                  "conv_c may not include"),
    "source upwards": ({"library/src/utility/u.cpp": '#include "conv/c.hpp"\n'}, "utility may not include conv/c.hpp"),
    "upwards": ({"include/ck/utility/b.hpp": '#include "ck/arch/target.hpp"\n'}, "utility may not include ck/arch"),
    "level skipped": ({"include/ck/tensor_operation/gpu/thread/t.hpp": '#include <ck/tensor_operation/gpu/grid/g.hpp>\n'},
                      "thread may not include"),
    "kernel in an interface": ({"include/ck/tensor_operation/gpu/device/d.hpp":
                                '#include "ck/tensor_operation/gpu/device/impl/op.hpp"\n'}, "device may not include"),
    "library in include": ({"include/ck/ck.hpp": '#include "ck/library/utility/t.hpp"\n'}, "front_door may not include"),
    "kernel in a factory": ({"library/include/ck/library/tensor_operation_instance/f.hpp":
                             '#include "ck/tensor_operation/gpu/grid/g.hpp"\n'}, "library_instance may not include"),
    "host utility and arch": ({"include/ck/arch/x.hpp": "\n", "include/ck/host_utility/h.hpp": '#include "ck/arch/x.hpp"\n'},
                              "host_utility may not include"),
    "GPU header": ({"include/ck/convolution/c.hpp": "#  include <hip/hip_runtime.h>\n"}, "GPU header"),
    "relative": ({"include/ck/utility/b.hpp": '#include "a.hpp"\n'}, "begins with ck/"),
    "kernel under another path": ({"include/lib/a/b.h": '#include "ck/tensor_operation/gpu/grid/g.hpp"\n'},
                                  "lib may not include"),
    "unknown room": ({"include/ck/misc/b.hpp": "\n"}, "in no room"),
    "room of the library": ({"include/ck/library/utility/b.hpp": "\n"}, "in no room"),
    "Python's room of convolutions and fuse()": ({"python/ck_conv/_conv/a.py": "def f():\n    from .._fuse import f\n"},
                                                 "room _conv may not import _fuse (room _fuse)"),
    "public module in a room": ({"python/ck_conv/_norm/a.py": "from .. import functional\n"},
                                "room _norm may not import functional (room ck_conv)"),
    "fuse() in a public module": ({"python/ck_conv/plan.py": "from ._fuse.f import fuse\n"}, "room ck_conv may not import _fuse"),
    "torch in the C interface": ({"python/ck_conv/_c/a.py": "from torch import nn\n"}, "may not import torch"),
    "torch in plans": ({"python/ck_conv/plan.py": "import torch.nn\n"}, "may not import torch"),
    "unknown room of Python": ({"python/ck_conv/_x/a.py": "\n"}, "in no room"),
    "cycle": ({"include/ck/utility/a.hpp": '#include "ck/utility/b.hpp"\n',
               "include/ck/utility/b.hpp": '#include "ck/utility/a.hpp"\n'}, "include each other"),
}

if __name__ == "__main__":
    habit.main(check, GOOD, BAD)
