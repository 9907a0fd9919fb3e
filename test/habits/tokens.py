#!/usr/bin/env python3
"""Fails on words of one platform outside ck/arch, on switched-off formatting, on long files and on files that do not
say what they are for (a test need not: it is for the header at its path)."""
import re

import habit

PLATFORM = re.compile(
    r"\b(__gfx\w*|__AMDGCN\w*|__CUDA_ARCH\w*|__HIP_DEVICE_COMPILE__|__builtin_amdgcn\w*|__nvvm\w*|asm|__asm__|__asm"
    r"|threadIdx|blockIdx|blockDim|gridDim|__shared__|__global__|__syncthreads|__syncwarp)\b")
# Where these words may stand: the room arch and its tests, and the emulator, which is a project of its own.
AT_HOME = ("include/ck/arch/", "test/arch/", "test/isa/", "test/amd_emulator/")
LONGEST = 600
FORMAT_OFF = "clang-format " + "off"


def check(root):
    findings = []
    for file in habit.files(root):
        path = file.relative_to(root).as_posix()
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            continue  # data
        lines = text.splitlines()
        if len(lines) > LONGEST:
            findings.append(f"{path}: {len(lines)} lines, at most {LONGEST}")
        if file.suffix not in habit.CPP:
            continue
        if FORMAT_OFF in text:
            findings.append(f"{path}: {FORMAT_OFF}")
        speaks_for_itself = path.startswith("test/") or file.suffix not in (".hpp", ".cpp")
        if not speaks_for_itself and not any(line.lstrip().startswith(("//", "/*")) for line in lines[:3]):
            findings.append(f"{path}: none of the first three lines says what the file is for")
        if not path.startswith(AT_HOME):
            for number, line in enumerate(habit.without_comments(text).splitlines(), 1):
                for word in PLATFORM.findall(line):
                    findings.append(f"{path}:{number}: '{word}' belongs to ck/arch")
    return findings


HEAD = "// What it is for.\n"
GOOD = {
    "include/ck/arch/index.hpp": HEAD + "int i = threadIdx.x;\n",
    "include/ck/utility/a.hpp": HEAD + '// no threadIdx here\n/* asm\n */ auto s = "__shared__"; int blockIdx_of = 0;\n',
    "library/src/a.cpp": "#pragma once\n" + HEAD,
    "script/test": "#!/bin/sh\n",
}
BAD = {
    "index": ({"include/ck/tensor/a.hpp": HEAD + "int i = threadIdx.x;\n"}, "a.hpp:2: 'threadIdx'"),
    "target": ({"include/ck/tensor/a.hpp": HEAD + "#if defined(__gfx90a__)\n"}, "__gfx90a__"),
    "assembly": ({"example/1_a/a.cpp": HEAD + 'void f() { asm volatile("s_nop 0"); }\n'}, "'asm'"),
    "builtin": ({"include/ck/tensor_operation/gpu/warp/a.hpp": HEAD + "__builtin_amdgcn_sched_barrier(0);\n"},
                "__builtin_amdgcn_sched_barrier"),
    "after a comment": ({"library/src/a.cpp": HEAD + "/* one\n two */ __shared__ int x;\n"}, "a.cpp:3: '__shared__'"),
    "format": ({"test/utility/a.cpp": HEAD + "// " + FORMAT_OFF + "\n"}, FORMAT_OFF),
    "length": ({"cmake/a.cmake": "#\n" * (LONGEST + 1)}, "601 lines"),
    "no first words": ({"include/ck/utility/b.hpp": "#pragma once\n#include <array>\n\n// late\n"}, "what the file is for"),
}

if __name__ == "__main__":
    habit.main(check, GOOD, BAD)
