#!/usr/bin/env python3
"""The howtos end where they say: the changes that they show (blocks of diff) are applied to a copy of the tree, and their
commands run there, word by word. A line before a block says who runs it if a copy of the host's cannot:

  <!-- test/script/howtos.py PRESET -->              with PRESET: it needs the preset's compiler
  <!-- test/script/howtos.py PRESET, with a GPU -->  with PRESET; without a GPU, CMake configures it, and Ninja says what it would
                                                     build. commands.py checks the options of the programs that it starts
  <!-- test/script/commands.py runs this ... -->     commands.py, in a build that exists

usage: howtos.py path/to/the/tree path/to/a/folder/for/the/copy [PRESET...]
PRESET: those whose blocks run, and their pages' changes are applied. host: those without such a line. Default: host"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
COPY = pathlib.Path(sys.argv[2]).resolve()
PRESETS = sys.argv[3:] or ["host"]
BLOCK = re.compile(r"(?:^ *<!-- ([^\n]*?) -->\n)?^ *```(diff|sh)\n(.*?)^ *```$", re.M | re.S)
MARK = re.compile(r"test/script/howtos\.py ([\w-]+)(, with a GPU)?")
ELSEWHERE = "test/script/commands.py runs this"
# What the commands of each page must print, by preset.
RAN = {
    ("add_a_kernel.md", "host"): "[  PASSED  ]",
    ("add_a_kernel.md", "amd-clang22"): "[  PASSED  ]",
    ("add_a_tuning.md", "host"): "Wgmma.ForwardOfBf16",
    ("add_a_tuning.md", "amd"): "gfx90a",  # before the name of each kernel
    ("add_a_tuning.md", "nvidia"): "-o profiler/ckProfiler",
    ("add_an_element_wise_operation.md", "host"): "[  PASSED  ]",
    ("add_an_example.md", "host"): "verification: ",
    ("add_an_instruction.md", "host"): "matrix instructions ran",  # the test compares their names with the page's
    ("add_an_instruction.md", "amd-clang22"): "[  PASSED  ]",
    ("add_an_instruction.md", "nvidia"): "-o test/test_isa",
    ("debug_a_kernel_on_the_cpu.md", "host-debug"): "grid_dim {12, 1, 1}",  # CK_LOGGING
}


class Wrong(Exception):
    pass


def blocks_of(page, text):
    """Returns (preset, whether it needs a GPU, kind, text) of each block that this test runs."""
    found = []
    for mark, kind, block in BLOCK.findall(text):
        if kind == "diff":
            found.append((None, False, kind, block))
        elif not mark:
            found.append(("host", False, kind, block))
        elif known := MARK.fullmatch(mark):
            found.append((known[1], bool(known[2]), kind, block))
        elif not mark.startswith(ELSEWHERE):
            raise Wrong(f"{page}: nobody knows who runs a block after <!-- {mark} -->")
    return found


def check_pages(pages, ran):
    """Each page has commands, and each of its presets something that they must print."""
    presets = {(page, preset) for page, blocks in pages.items() for preset, _, kind, _ in blocks if kind == "sh"}
    if presets != set(ran):
        raise Wrong(f"commands and what they must print differ: {sorted(presets ^ set(ran))}")


def dry(command):
    """The command without what needs a GPU, and with builds that only say what they would run; None if nothing is left."""
    parts = [part for part in re.split(r"\s&&\s", command) if part.startswith("cmake ")]
    return " && ".join(re.sub(r"^cmake --build (\S+) --target (\S+)$", r"ninja -C \1 -t commands \2", part) for part in parts) or None


def check_itself():
    assert dry("cmake --preset x -DA='b c' && cmake --build build/x --target y") == \
        "cmake --preset x -DA='b c' && ninja -C build/x -t commands y"
    assert dry("build/x/y --z") is None
    page = "```sh\na\n```\n<!-- test/script/howtos.py amd -->\n```sh\nb\n```\n  <!-- test/script/howtos.py nvidia, with a GPU -->\n" \
        "  ```sh\n  c\n  ```\n<!-- test/script/commands.py runs this: why -->\n```sh\nd\n```\n```cpp\ne\n```\n"
    blocks = blocks_of("p", page)
    assert [(preset, gpu, text.strip()) for preset, gpu, _, text in blocks] == \
        [("host", False, "a"), ("amd", False, "b"), ("nvidia", True, "c")], blocks
    for wrong in (lambda: blocks_of("p", "<!-- left out -->\n```sh\na\n```\n"),
                  lambda: check_pages({"p": blocks}, {("p", "host"): "", ("p", "amd"): ""})):
        try:
            wrong()
        except Wrong:
            continue
        raise AssertionError("a wrong page was accepted")


def run(command, **options):
    # The commands stay as readers write them, but sources are compiled together, as in script/test: it takes less time.
    together = {"CMAKE_TOOLCHAIN_FILE": str(COPY / "together.cmake"), "GIT_CEILING_DIRECTORIES": str(COPY.parent)}
    done = subprocess.run(command, cwd=COPY, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env={**os.environ, **together}, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nfailed: {command}")
    return done.stdout


def main():
    check_itself()
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(ROOT, COPY, ignore=lambda folder, names: {"build", ".git"} & set(names) if folder == str(ROOT) else ())
    (COPY / "together.cmake").write_text('set(CK_UNITY ON CACHE BOOL "")\n')
    texts = {page.name: page.read_text() for page in sorted((ROOT / "docs/howto").glob("*.md"))}
    silent = [page for page, text in texts.items() if not any(kind == "sh" for _, kind, _ in BLOCK.findall(text))]
    assert not silent, f"pages without a command: {silent}"
    pages = {page: blocks_of(page, text) for page, text in texts.items()}
    check_pages(pages, RAN)
    chosen = {page: blocks for page, blocks in pages.items() if any((page, preset) in RAN for preset in PRESETS)}
    assert chosen, f"no page has commands for {PRESETS}"
    for page, blocks in chosen.items():
        for _, _, kind, text in blocks:
            for change in re.split(r"(?m)^(?=--- )", text) if kind == "diff" else ():  # of one file
                if change:
                    run(["git", "apply", "--recount", "--whitespace=nowarn", "-"], input=change)
    has_gpu = subprocess.run(["sh", "-c", "nvidia-smi -L"], capture_output=True, text=True, check=False).stdout.startswith("GPU")
    if any(preset.startswith("amd") for preset in PRESETS):  # the emulator, which no page changes, is built once
        run([ROOT / "script/emulate", "--build"])
        (COPY / "build").mkdir()
        (COPY / "build/amd_emulator").symlink_to(ROOT / "build/amd_emulator")
    for preset in PRESETS:
        for page, blocks in chosen.items():
            printed = ""
            for of, needs_gpu, kind, text in blocks:
                if kind != "sh" or of != preset:
                    continue
                commands = [text] if has_gpu or not needs_gpu else list(filter(None, map(dry, text.strip().split("\n"))))
                for command in commands:
                    print(f"{page}: {command.strip()}", flush=True)
                    printed += run(["sh", "-e", "-c", command])
            wanted = RAN.get((page, preset), "")
            assert wanted in printed and "[  PASSED  ] 0 tests" not in printed, f"{page} printed:\n{printed}"
    shutil.rmtree(COPY)


if __name__ == "__main__":
    main()
