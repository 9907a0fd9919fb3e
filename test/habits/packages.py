#!/usr/bin/env python3
"""Fails when scripts, CMake files, tests or sources use a program, a header, a library or a Python module that nothing installs.

What is used is read from the tree: commands of shell scripts and of shell in CMake files, programs that CMake and Python
start, find_package, find_path, find_library and find_program, `#include <...>`, imports. The tables below name the Debian
package of each. The package must be one that script/test and script/common.sh (`require`) or .ci/run (`apt-get install`)
install by name; a machine that happens to have it hides a gap. What is in no table is a finding, too.
README.md must name the packages of the programs in its blocks and in those of docs/getting_started.md, CONTRIBUTING.md all that script/test installs.
"""
import ast
import re
import sys

import habit
import shell

# What a chroot made by `debootstrap --variant=minbase` has.
BARE = set("""apt-config apt-get awk basename bash cat chmod chroot cmp comm cp cut date dd df diff dirname dpkg du echo env expr false find flock
    getconf grep gzip head hostname id install ln ls mkdir mkfifo mknod mktemp mount mv nice nohup nproc od paste printf
    readlink realpath rm rmdir sed seq setpriv setsid sh sha256sum sleep sort split stat stdbuf stty tail tar taskset tee test timeout touch tr true tty
    umount uname uniq unshare wc whoami xargs yes""".split())
PROGRAMS = {
    "cmake": "cmake", "ctest": "cmake", "cpack": "cmake", "ninja": "ninja-build", "g++": "g++", "c++": "g++", "cc": "g++",
    "gcov": "g++", "nm": "g++", "readelf": "g++", "python3": "python3", "mpirun": "openmpi-bin", "doxygen": "doxygen", "clang-format-14": "clang-format-14",
    "dpkg-deb": "dpkg-dev", "pkg-config": "pkgconf", "dpkg-shlibdeps": "dpkg-dev", "file": "file", "hipcc": "hipcc", "clang++-15": "hipcc",
    "clang++-14": "clang-14", "clang++-22": "clang-22", "make": "make", "mkdocs": "mkdocs", "dot": "graphviz",
}
# What a program starts, by the file or the setting that makes it do so.
STARTS = {"cpack": ["file", "dpkg-shlibdeps"]}
CMAKE_PACKAGES = {
    "Boost": ["libboost-context-dev"], "CLI11": ["libcli11-dev"], "Doxygen": ["doxygen"], "GTest": ["libgtest-dev"],
    "MPI": ["libopenmpi-dev", "openmpi-bin"], "Python3": ["python3"], "ROCM": ["rocm-cmake"], "SQLite3": ["libsqlite3-dev"],
    "Threads": ["g++"], "nlohmann_json": ["nlohmann-json3-dev"],
}
LIBRARIES = {"dnnl": "libdnnl-dev", "amdhip64": "libamdhip64-dev", "libamdhip64.so.": "libamdhip64-dev"}
HEADERS = [  # regular expression, package; the first that matches
    (r"[a-z_0-9]+", "g++"),  # C++'s own
    (r"(std(io|lib|def|int)|string|unistd|dlfcn|elf|spawn|cxxabi|immintrin|math|time|errno|signal|pthread|fcntl|sched)\.h", "g++"),
    (r"sys/\w+\.h", "g++"),
    (r"sanitizer/\w+\.h", "libclang-rt-*-dev"),
    (r"gtest/.*", "libgtest-dev"),
    (r"CLI/.*", "libcli11-dev"),
    (r"nlohmann/.*", "nlohmann-json3-dev"),
    (r"boost/context/.*", "libboost-context-dev"),
    (r"sqlite3\.h", "libsqlite3-dev"),
    (r"mpi\.h", "libopenmpi-dev"),
    (r"oneapi/dnnl/.*", "libdnnl-dev"),
    (r"hip/.*", "libamdhip64-dev"),
]
MODULES = {"torch": "python3-torch", "matplotlib": "python3-matplotlib", "numpy": "python3-numpy",
           "setuptools": "python3-setuptools", "wheel": "python3-wheel", "yaml": "mkdocs", "jinja2": "mkdocs"}
# Used where it is, and not missed elsewhere: what does without it, or says what to install.
OPTIONAL = {
    "git": "the commit in a version is `unknown` without it", "sudo": "only for users other than root",
    "nvcc": "CUDA is no package of Debian's", "nvidia-smi": "CUDA", "CUDAToolkit": "CUDA", "cudnn": "CUDA", "nccl": "CUDA",
    "rccl": "AMD's ROCm", "Git": "as git", "debootstrap": "script/test fresh says so", "torchvision": "networks of script/compare_torch",
    "timm": "likewise", "onnx": "test_works_with.py says so", "onnxscript": "likewise", "onnxruntime": "likewise",
    "torchrun": "comes with PyTorch", "composable_kernel": "this project", "clang++-19": "a choice of script/emulate",
    "clang++-20": "likewise", "clang++-21": "likewise",
    "MIOpenDriver": "AMD's ROCm", "conda": "for those who have it", "spack": "likewise",
}
CUDA_HEADERS = re.compile(r"(cuda\w*|cudnn|nccl)\.h|nv/target|rccl/rccl\.h|mma\.h|cooperative_groups.*")
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", re.M)


def installed(root):
    """Packages by name: {package: file}. A variable in a name stands for any text."""
    found = {}
    for name in ("script/common.sh", "script/test"):
        for package in re.findall(r"(?m)^[^#\n]*\brequire \"?([a-z0-9][\w.+${}-]+)\"?", (root / name).read_text()):
            found[re.sub(r"\$\w+|\$\{\w+\}", "*", package)] = name
    text = (root / ".ci/run").read_text().replace("\\\n", " ")
    for line in re.findall(r"apt-get [^\n]*\binstall ([^\n]*)", text):
        for package in line.split():
            if not package.startswith("-"):
                found[package] = ".ci/run"
    return found


def is_installed(package, names):
    return any(re.fullmatch(re.escape(name).replace(r"\*", ".*"), package) or name == package for name in names)


class Uses:
    """What the tree uses: packages, and what no table has."""

    def __init__(self):
        self.packages = {}  # package: what uses it for what
        self.unknown = []

    def add(self, where, kind, name, packages):
        if name in OPTIONAL:
            return
        if packages is None:
            self.unknown.append(f"{where}: uses the {kind} {name}, of which this habit knows no package")
        for package in packages or []:
            self.packages.setdefault(package, f"{where}: uses the {kind} {name}")

    def program(self, where, name):
        if name not in BARE:
            self.add(where, "program", name, [PROGRAMS[name]] if name in PROGRAMS else None)
        for other in STARTS.get(name, []):
            self.program(f"{where}, by {name}", other)


def of_cmake(path, text, uses, own):
    """own: targets and functions, which are programs of the tree's."""
    text = re.sub(r"(?m)(^|\s)#[^\n]*", r"\1", text)
    for package in re.findall(r"\bfind_package\(([\w.]+)", text):
        uses.add(path, "CMake package", package, CMAKE_PACKAGES.get(package))
    for program in re.findall(r"\bfind_program\(\w+(?: NAMES)? ([\w.+-]+)", text):
        uses.program(path, program)
    for library in re.findall(r"\bfind_library\(\w+(?: NAMES)? ([\w.+-]+)", text):
        uses.add(path, "library", library, [LIBRARIES[library]] if library in LIBRARIES else None)
    for header in re.findall(r"\bfind_path\(\w+(?: NAMES)? ([\w.+/-]+)", text):
        of_header(path, header, uses)
    for command in re.findall(r"\bCOMMAND\s+((?:/usr/bin/)?[\w.+-]+)(?![\w:.+-])", text):
        if command not in own:
            uses.program(path, command.replace("/usr/bin/", ""))
    if re.search(r'"Unix Makefiles"|\bmake -j', text):  # a generator's, or of shell in a variable
        uses.program(path, "make")
    for script in re.findall(r"\b(?:ba)?sh -[a-z]*c\s+\"((?:\\.|[^\"\\])*)\"", text):
        for program in shell.programs(re.sub(r"\$<[^>]*>|\$\{\w+\}", "", script.replace('\\"', '"').replace("\\\\", "\\"))) - own:
            uses.program(path, program)


def of_header(path, header, uses):
    if CUDA_HEADERS.fullmatch(header) or header.startswith(("ck/", "lib/")) or " " in header:  # a sentence is no file
        return
    uses.add(path, "header", f"<{header}>", next(([package] for known, package in HEADERS if re.fullmatch(known, header)), None))


def of_python(path, text, uses, local):
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    modules = {name.name for node in imports if isinstance(node, ast.Import) for name in node.names}
    modules |= {node.module for node in imports if isinstance(node, ast.ImportFrom) and node.level == 0}
    for module in sorted({name.split(".")[0] for name in modules}):
        if module not in sys.stdlib_module_names and module not in local:
            uses.add(path, "Python module", module, [MODULES[module]] if module in MODULES else None)
    for program in re.findall(r"(?:subprocess\.\w+\(\s*\[|which\()\"([\w.+-]+)\"", text):
        uses.program(path, program)


def check(root):
    uses = Uses()
    sources = habit.files(root, habit.FOLDERS + ["python", ".ci"])
    local = {f.stem for f in sources if f.suffix == ".py"} | {f.parent.name for f in sources if f.name == "__init__.py"} | \
        {f.parent.name for f in sources if f.suffix == ".py"}
    own = {"test_" + f.parent.name for f in sources}
    scripts = [f for f in sources if shell.is_script(f)]
    for file in scripts:
        own |= shell.functions(file.read_text())
    own |= {target for f in sources if f.name == "CMakeLists.txt"
            for target in re.findall(r"\badd_(?:executable|custom_target)\(([\w-]+)", f.read_text())}
    for file in sources:
        path = file.relative_to(root).as_posix()
        if file in scripts:
            for program in shell.programs(file.read_text()) - own:
                uses.program(path, program)
        elif file.name == "CMakeLists.txt" or file.suffix == ".cmake":
            of_cmake(path, file.read_text(), uses, own)
        elif file.suffix == ".py" or (file.suffix == "" and file.read_bytes().startswith(b"#!/usr/bin/env python3")):
            if not path.startswith("test/habits/packages"):
                of_python(path, file.read_text(), uses, local)
        elif file.suffix in habit.CPP - {".in"}:
            for header in set(INCLUDE.findall(habit.without_comments(file.read_text()))):
                of_header(path, header, uses)
    names = installed(root)
    findings = uses.unknown + [f"{use}, of the package {package}, which neither script/test nor .ci/run installs by name"
                               for package, use in sorted(uses.packages.items()) if not is_installed(package, names)]
    return findings + of_documents(root, names)


def shell_blocks(text):
    return re.findall(r"(?m)^```sh\n(.*?)^```", text, re.S)


def of_documents(root, names):
    readme = (root / "README.md").read_text()
    blocks = shell_blocks(readme)
    named = set(re.findall(r"apt-get install [^\n`]*", "\n".join(blocks)) and
                re.findall(r"apt-get install ([^\n]*)", "\n".join(blocks))[0].split())
    uses = Uses()
    started = root / "docs/getting_started.md"
    pages = {"README.md": blocks, "docs/getting_started.md": shell_blocks(started.read_text()) if started.is_file() else []}
    for page, shown in pages.items():
        for block in shown:
            for program in shell.programs(block) | ({"cpack"} if "cpack" in block else set()):
                if "/" not in program:
                    uses.program(page, program)
    findings = uses.unknown + [f"{use}, and its line of packages has no {package}"
                               for package, use in sorted(uses.packages.items()) if package not in named]
    contributing = (root / "CONTRIBUTING.md").read_text()
    for package, file in sorted(names.items()):
        if file != ".ci/run" and not re.search(rf"(?<![\w-]){re.escape(package)}(?![\w-])".replace(r"\*", r"[\w.]+"), contributing):
            findings.append(f"CONTRIBUTING.md does not name the package {package}, which {file} installs")
    return findings


GOOD = {
    "README.md": "```sh\napt-get update && apt-get install -y cmake file dpkg-dev\n```\n```sh\ncmake --preset host # or: cpack\n```\n",
    "CONTRIBUTING.md": "`cmake g++ python3 dpkg-dev file libgtest-dev clang-14`\n",
    "script/common.sh": "require cmake has cmake\nrequire g++ has g++\nhas() { command -v \"$1\"; }\n",
    "script/test": "#!/usr/bin/env bash\n. common.sh\nrequire python3 has python3\nrequire dpkg-dev has dpkg-deb\n"
                   "require file has file\nrequire libgtest-dev test -e x\nrequire \"clang-$clang\" has \"clang++-$clang\"\n"
                   "case $1 in\nhost | amd) cmake --preset \"$1\" ;;\n*) echo \"no part '$1'; parts\" >&2 ;;\nesac\n",
    ".ci/run": "#!/usr/bin/env bash\napt-get install -y \\\n    hipcc\n",
    "test/CMakeLists.txt": "find_package(GTest)\nfind_program(CPACK cpack)\nexecute_process(COMMAND \"${CMAKE_COMMAND}\" -E true)\n",
    "include/ck/a.hpp": "#include <array>\n#include <unistd.h>\n#include <cuda_fp16.h>\n",
    "test/a.cpp": "#include <gtest/gtest.h>\n// #include <gone.h>\n",
    "test/a.py": "'''Gone\nfrom its place.'''\nimport os\nimport b\nsubprocess.run([\"cmake\", \"x\"])\n",
    "test/b.py": "\n",
}
BAD = {
    "cpack without file": ({"script/test": GOOD["script/test"].replace("require file has file\n", "")},
                           "uses the program file, of the package file, which neither"),
    "getting started without file": (
        {"README.md": "```sh\napt-get install -y cmake\n```\n", "docs/getting_started.md": "```sh\ncpack\n```\n"},
        "docs/getting_started.md, by cpack: uses the program file, and its line of packages has no file"),
    "README without file": ({"README.md": GOOD["README.md"].replace(" file", "")}, "line of packages has no file"),
    "CONTRIBUTING without a package": ({"CONTRIBUTING.md": "cmake python3 dpkg-dev file libgtest-dev clang-14"}, "name the package g++"),
    "program of a script": ({"script/new": "#!/bin/sh\nx=$(mpirun -n 2 \"$1\")\n"}, "program mpirun, of the package openmpi-bin"),
    "unknown program after a pipe": ({"script/new": "#!/bin/sh\ncat a | jq .\n"}, "uses the program jq, of which"),
    "program of a branch": ({"script/new": "#!/bin/sh\nif jq . a; then\n  echo\nfi\n"}, "uses the program jq"),
    "program in a string": ({"script/new": "#!/bin/sh\necho \"it is $(jq . a)\"\n"}, "uses the program jq"),
    "shell in CMake": ({"test/CMakeLists.txt": "add_test(NAME t COMMAND sh -c \"jq . a | grep b\")\n"}, "uses the program jq"),
    "CMake's command": ({"test/CMakeLists.txt": "execute_process(COMMAND jq . a)\n"}, "uses the program jq"),
    "generator of CMake's": ({"test/a.cmake": "run(cmake -G \"Unix Makefiles\")\n"}, "uses the program make, of the package make"),
    "make in a variable": ({"test/a.cmake": "run(x \"mkdir b && ${configure} && make -j\")\n"}, "uses the program make"),
    "CMake package": ({"cmake/a.cmake": "find_package(Boost REQUIRED)\n"}, "package libboost-context-dev, which neither"),
    "library": ({"cmake/a.cmake": "find_library(X fftw3)\n"}, "library fftw3, of which"),
    "header": ({"test/a.cpp": "#include <fftw3.h>\n"}, "header <fftw3.h>, of which"),
    "header that is not installed": ({"test/a.cpp": "#include <sqlite3.h>\n"}, "libsqlite3-dev, which neither"),
    "Python module": ({"test/a.py": "import scipy\n"}, "Python module scipy, of which"),
    "Python's program": ({"test/a.py": "subprocess.run([\"jq\"])\n"}, "uses the program jq"),
}

if __name__ == "__main__":
    habit.main(check, GOOD, BAD)
