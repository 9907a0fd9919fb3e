"""A copy of the source tree with mutants in it."""
import os
import re
import shutil
import subprocess
import threading

from . import python_source

HERE = os.path.dirname(os.path.abspath(__file__))
ERROR = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):\d+: (?P<what>(?:fatal )?error|note|  required|.*required from)",
                   re.MULTILINE)
# In the initializer of a constant, g++ may name the mutant instead of the line.
CALLED_BY_COMPILER = re.compile(r"error: .*ck_mutant::is\(\) \[with int number = (\d+)\]")
NOT_COPIED = {"build", ".git", "__pycache__", "shared", ".mirror"}


def files_of(root):
    """The files that git knows and does not ignore; all files if there is no git."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"],
                                capture_output=True, check=True).stdout.decode()
        return [n for n in listed.split("\0") if n and os.path.isfile(os.path.join(root, n))]
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if f not in NOT_COPIED and not f.startswith(".")]
            names += [os.path.relpath(os.path.join(folder, f), root) for f in files]
        return names


def write(path, content):
    """Writes the file, unless it has that content: files built from it stay up to date."""
    try:
        with open(path, "rb") as file:
            if file.read() == content:
                return False
    except OSError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
    return True


class Tree:
    def __init__(self, root, copy):
        self.root, self.copy, self.mutants = root, copy, {}
        self.lock = threading.Lock()  # files are read and mended concurrently

    def fill(self, chosen):
        """Copies the tree, with the mutants of the chosen (number, place)."""
        self.mutants = {}
        for number, place in chosen:
            self.mutants.setdefault(place.path, []).append((number, place))
        names = files_of(self.root)
        for name in names:
            source = os.path.join(self.root, name)
            with open(source, "rb") as file:
                content = file.read()
            if name in self.mutants:
                content = self.mutated(name, content.decode("utf-8")).encode("utf-8")
            if write(os.path.join(self.copy, name), content):
                shutil.copymode(source, os.path.join(self.copy, name))
        kept = set(names) | {"mutant.hpp", "mutant.py"}
        for folder, folders, files in os.walk(self.copy):
            folders[:] = [f for f in folders if f != "build"]
            for file in files:
                if os.path.relpath(os.path.join(folder, file), self.copy) not in kept:
                    os.remove(os.path.join(folder, file))
        for name in ("mutant.hpp", "mutant.py"):
            with open(os.path.join(HERE, name), "rb") as file:
                write(os.path.join(self.copy, name), file.read())

    def mutated(self, name, text):
        result = text
        for number, place in sorted(self.mutants[name], key=lambda m: -m[1].start):
            result = result[:place.start] + place.mutated(number, text) + result[place.end:]
        up = os.path.relpath(self.copy, os.path.join(self.copy, os.path.dirname(name)))
        if name.endswith(".py"):
            lines, at = result.splitlines(keepends=True), python_source.first_line_of_code(text)
            lines.insert(at, f"exec(open({os.path.join(self.copy, 'mutant.py')!r}).read())\n")
            return "".join(lines)
        return f'#include "{up}/mutant.hpp"\n#line 1\n{result}'

    def refused_by(self, log):
        """Numbers of mutants at lines that a compiler's log names in errors, or in the context of errors."""
        for words in (("error",), ("error", "required", "note")):
            found = {int(number) for number in CALLED_BY_COMPILER.findall(log)}
            for m in ERROR.finditer(log):
                if any(word in m["what"] for word in words):
                    found |= self.at(m["file"], int(m["line"]))
            if found:
                return found
        return set()

    def at(self, file, line):
        name = os.path.relpath(os.path.realpath(os.path.join(self.copy, "build", file)), os.path.realpath(self.copy))
        with self.lock:
            candidates = [n for n in self.mutants if n == name or file.replace("../", "").endswith(n)]
            return {number for n in candidates for number, place in self.mutants[n] if place.line <= line <= place.last_line}

    def remove(self, numbers):
        """Restores the places of those mutants."""
        with self.lock:
            self.remove_from_files(numbers)

    def remove_from_files(self, numbers):
        for name in list(self.mutants):
            kept = [m for m in self.mutants[name] if m[0] not in numbers]
            if len(kept) == len(self.mutants[name]):
                continue
            self.mutants[name] = kept
            with open(os.path.join(self.root, name), encoding="utf-8") as file:
                text = file.read()
            if not kept:
                del self.mutants[name]
            else:
                text = self.mutated(name, text)
            write(os.path.join(self.copy, name), text.encode("utf-8"))
