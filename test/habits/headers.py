#!/usr/bin/env python3
"""Fails on headers that cannot be included alone, or twice, or all together in two objects of one program.

names.py does all this, too: what it expects of a header is compiled after it.
Environment: CXX, the compiler (default c++); CK_FLAGS, its flags for CK_PLATFORM (host, the default, or amd);
CK_INCLUDE_DIRS, folders of generated headers, separated by `:`; CK_JOBS, compilers run at once (default: all CPUs).
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

import habit

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror"]
PLATFORM = os.environ.get("CK_PLATFORM", "host")
# The insides of ck/arch for other platforms; ck/arch's own headers choose among them.
FOREIGN = tuple(f"ck/arch/{platform}/" for platform in ("host", "amd", "nvidia") if platform != PLATFORM)


def compiler(root):
    extra = [d for d in os.environ.get("CK_INCLUDE_DIRS", "").split(":") if d]
    folders = [root / "include", root / "library/include", *extra]
    language = shlex.split(os.environ.get("CK_FLAGS", "-x c++"))
    return [os.environ.get("CXX", "c++"), *FLAGS, *language, *(f"-I{folder}" for folder in folders)]


def headers(root):
    names = [f.relative_to(root / top).as_posix() for top in ("include", "library/include")
             for f in sorted((root / top).rglob("*")) if f.suffix in (".hpp", ".h")]
    return [name for name in names if not name.startswith(FOREIGN)]


def chains(root, names):
    """The headers in lists, in each of which every header includes the one before it, among what it begins with: its own
    lines see what it includes and nothing more, as if it were compiled alone. As few lists as there can be."""
    begins_with = {}  # directly, then through others
    for name in names:
        top = next(t for t in ("include", "library/include") if (root / t / name).exists())
        head = re.match(r"(?:#pragma once\n|#include .*\n|//.*\n|\n)*", (root / top / name).read_text())[0]
        begins_with[name] = set(re.findall(r'^#include "([^"]+)"', head, re.M)) & set(names)
    for through in names:
        for included in begins_with.values():
            if through in included:
                included |= begins_with[through]
    after = {name: [n for n in names if name in begins_with[n] and n not in begins_with[name]] for name in names}
    before = {}  # each but the first of a list: the one before it; a largest matching by augmenting paths

    def goes_on(name, seen):
        for n in after[name]:
            if n not in seen:
                seen.add(n)
                if n not in before or goes_on(before[n], seen):
                    before[n] = name
                    return True
        return False

    found = [[name] for name in names if not goes_on(name, set())]  # its last one; who goes on once, always does
    for chain in found:
        while chain[0] in before:
            chain.insert(0, before[chain[0]])
    return found


def first_error(text):
    lines = [line for line in text.splitlines() if "error:" in line]
    return lines[0] if lines else text.strip()


def check(root, client=lambda header: [], more=()):
    """client: of a header, lines that must compile after it, each with a sentence about what is wrong if it does not.
    more: headers in other folders, which are included by their paths in the tree."""
    command = compiler(root)
    names = headers(root)
    if not names:
        return ["no header found"]

    def alone_and_twice(chain):
        lines = []
        for i, name in enumerate(chain):
            lines += [(f'#include "{name}"', None), (f"namespace client_{i} {{", None), *client(name), ("}", None)]
        lines += [(f'#include "{name}"', None) for name in chain]
        folder = [f"-I{root}"] if chain[0] in more else []
        run = subprocess.run([*command, *folder, "-fsyntax-only", "-"], input="".join(f"{line}\n" for line, _ in lines),
                             capture_output=True, text=True)
        if run.returncode == 0:
            return []
        wrong = sorted({int(line) for line in re.findall(r"^<stdin>:(\d+):\d+: (?:fatal )?error", run.stderr, re.M)})
        return [lines[line - 1][1] for line in wrong if lines[line - 1][1]] or \
            [f"{' then '.join(chain)}: {first_error(run.stderr)}"]

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("CK_JOBS", os.cpu_count()))) as pool:
        longest = pool.submit(together, command, names) if PLATFORM == "host" else None
        lists = [*chains(root, names), *([name] for name in more)]
        findings = [finding for found in pool.map(alone_and_twice, lists) for finding in found]
        return findings or (longest.result() if longest else [])


def together(command, names):
    """All headers in one source; its object twice in one program: no name may be defined twice."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        source = "".join(f'#include "{name}"\n' for name in names)
        run = subprocess.run([*command, "-O0", "-c", "-", "-o", out / "a.o"], input=source, capture_output=True, text=True)
        if run.returncode:
            return [f"all headers together: {first_error(run.stderr)}"]
        run = subprocess.run([command[0], "-r", "-nostdlib", "-o", out / "two.o", out / "a.o", out / "a.o"],
                             capture_output=True, text=True)
        return [f"defined in every source that includes it: {line}" for line in run.stderr.splitlines()
                if "multiple definition" in line or "duplicate symbol" in line] if run.returncode else []


GOOD = {"include/ck/a.hpp": "#pragma once\n#include <array>\ninline std::array<int, 2> a() { return {}; }\n",
        "library/include/ck/library/b.hpp": '#pragma once\n#include "ck/a.hpp"\n'}
BAD = {
    "not alone": ({"include/ck/c.hpp": "#pragma once\ninline std::string c() { return {}; }\n"}, "ck/c.hpp"),
    "first of another": ({"include/ck/c.hpp": "#pragma once\ninline std::string c() { return {}; }\n",
                          "include/ck/d.hpp": '#pragma once\n#include "ck/c.hpp"\n'}, "c.hpp"),
    "not first": ({"include/ck/c.hpp": "#pragma once\ninline std::string c() { return {}; }\n",
                   "include/ck/d.hpp": '#pragma once\n#include <string>\n#include "ck/c.hpp"\n'}, "ck/c.hpp"),
    "include after use": ({"include/ck/e.hpp": "#pragma once\nstd::array<int, 2> e();\n#include \"ck/a.hpp\"\n"}, "e.hpp"),
    "not twice": ({"include/ck/c.hpp": "inline int c() { return 0; }\n"}, "ck/c.hpp"),
    "warning": ({"library/include/ck/library/c.hpp": "#pragma once\ninline int c(int x) { return 0; }\n"}, "unused"),
    "in two objects": ({"include/ck/c.hpp": "#pragma once\nint c() { return 0; }\n"}, "defined in every source"),
    "not together": ({"include/ck/c.hpp": "#pragma once\ninline long a() { return 0; }\n"}, "all headers together"),
}

if __name__ == "__main__":
    habit.main(check, GOOD, BAD)
