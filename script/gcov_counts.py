"""Counts how often lines and branches ran, from gcov's output for one object after another."""
import json
import os
import subprocess

CODE = ("include/", "library/src/")  # folders that are measured


class Counts:
    """How often each line of each file (path from the root) ran, and each of its branches.

    In a template, each instance has its own branches on a line, fewer if parts are constants. Instances with equally many
    branches are added, and the line has the branches of the instance with the most. Branches to exception handlers, which
    every call has, do not count."""

    def __init__(self):
        self.files = {}  # name -> {line: (count, {branches: [count, ...]})}

    def add_line(self, name, line, count, branches):
        lines = self.files.setdefault(name, {})
        before, of_length = lines.get(line, (0, {}))
        if branches:
            others = of_length.get(len(branches), [0] * len(branches))
            of_length[len(branches)] = [a + b for a, b in zip(others, branches)]
        lines[line] = (before + count, of_length)

    def add(self, other):
        for name, lines in other.files.items():
            self.files.setdefault(name, {})
            for line, (count, of_length) in lines.items():
                self.add_line(name, line, count, [])
                for branches in of_length.values():
                    self.add_line(name, line, 0, branches)

    def of_file(self, name):
        """Returns (lines, lines that ran, branches, branches that were taken)."""
        lines = self.files[name].values()
        branches = [b for _, of_length in lines if of_length for b in of_length[max(of_length)]]
        return len(lines), sum(count > 0 for count, _ in lines), len(branches), sum(b > 0 for b in branches)

    def lines_that_never_ran(self, name):
        return [line for line, (count, _) in sorted(self.files[name].items()) if count == 0]

    def lines_with_a_branch_never_taken(self, name):
        return [line for line, (count, of_length) in sorted(self.files[name].items())
                if count > 0 and of_length and 0 in of_length[max(of_length)]]

    def folders(self):
        """Returns {folder: sums of its files, and of all}."""
        sums, total = {}, [0, 0, 0, 0]
        for name in sorted(self.files):
            for row in (sums.setdefault(os.path.dirname(name), [0, 0, 0, 0]), total):
                row[:] = [a + b for a, b in zip(row, self.of_file(name))]
        return {**sums, "all": total}


def ranges(numbers):
    """Formats 1, 2, 3, 7 as '1-3 7'."""
    parts = []
    for n in numbers:
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return " ".join(f"{a}-{b}" if b > a else str(a) for a, b in parts)


def read_object(gcda, root):
    """Adds gcov's output for one object's counters (a .gcda file, next to its .gcno)."""
    ended = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", gcda],
                           capture_output=True, cwd=os.path.dirname(gcda))
    if ended.returncode != 0:
        raise RuntimeError(f"gcov fails at {gcda}: {ended.stderr.decode(errors='replace').strip()}")
    counts = Counts()
    for text in ended.stdout.splitlines():
        if not text.startswith(b"{"):
            continue
        content = json.loads(text)
        for file in content["files"]:
            path = os.path.normpath(os.path.join(content["current_working_directory"], file["file"]))
            name = os.path.relpath(path, root)
            if name.startswith(CODE):
                for line in file["lines"]:  # gcov infers some counts from others: negative if threads lost one
                    counts.add_line(name, line["line_number"], abs(line["count"]),
                                    [abs(b["count"]) for b in line["branches"] if not b["throw"]])
    return counts
