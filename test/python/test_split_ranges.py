#!/usr/bin/python3
"""ck_conv.distributed's arithmetic of rows against ck/distributed/split.hpp, which this test compiles."""
import importlib.util
import os
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("ranges", ROOT / "python/ck_conv/distributed/_ranges.py")  # without PyTorch
ranges = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(ranges)

PROGRAM = """
#include "ck/distributed/split.hpp"
#include <iostream>

using namespace ck::distributed;

std::ostream& operator<<(std::ostream& out, const Rows& r) { return out << r.begin << ' ' << r.end << ' '; }

int main()
{
    Line l;
    Rows x, y;
    int ranks;
    while(std::cin >> l.input >> l.filter >> l.stride >> l.dilation >> l.pad_low >> l.pad_high >> x.begin >> x.end >> y.begin >>
          y.end >> ranks)
    {
        const Piece p = make_piece(l, x, y);
        std::cout << l.reach() << ' ' << l.output() << ' ' << l.input_rows(y) << l.output_rows(x) << p.pad_low << ' '
                  << p.pad_high << ' ';
        const Division f = divide(l, ck::Direction::forward, y, x), b = divide(l, ck::Direction::backward_data, x, y);
        for(const Rows& rows : {f.low, f.interior, f.high, b.low, b.interior, b.high})
            std::cout << rows;
        for(const Rows& part : even_parts(l.input, ranks))
            std::cout << part;
        std::cout << '\\n';
    }
}
"""


def numbers(line, x, y, ranks):
    return [line.reach, line.output, *line.input_rows(y), *line.output_rows(x), *line.pads(x, y),
            *(n for rows in (*ranges.divide(line, True, y, x), *ranges.divide(line, False, x, y)) for n in rows),
            *(n for part in ranges.even_parts(line.input, ranks) for n in part)]


def problems():
    draw = random.Random(1)
    while True:
        line = ranges.Line(draw.randint(1, 20), draw.randint(1, 5), draw.randint(1, 4), draw.randint(1, 3), draw.randint(-2, 5),
                           draw.randint(-2, 5))
        if line.output:
            x, y = (ranges.Rows(*sorted(draw.sample(range(n + 1), 2))) for n in (line.input, line.output))
            yield line, x, y, draw.randint(1, 8)


class Ranges(unittest.TestCase):
    def test_as_in_cpp(self):
        cases = [case for case, _ in zip(problems(), range(5000))]
        compiler = os.environ.get("CXX") or shutil.which("g++")
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "split.cpp").write_text(PROGRAM)
            subprocess.run([compiler, "-std=c++20", "-DCK_PLATFORM_HOST=1", f"-I{ROOT}/include", f"-I{ROOT}/library/include", "-o",
                            f"{folder}/split", f"{folder}/split.cpp"], check=True)
            given = "\n".join(" ".join(map(str, [*line, *x, *y, ranks])) for line, x, y, ranks in cases)
            printed = subprocess.run([f"{folder}/split"], input=given, capture_output=True, text=True, check=True).stdout
        expected = [list(map(int, line.split())) for line in printed.splitlines()]
        self.assertEqual(len(expected), len(cases))
        for case, numbers_of_cpp in zip(cases, expected):
            self.assertEqual(numbers(*case), numbers_of_cpp, case)

    def test_scaled_parts(self):
        """They cover all rows in order, return to the root's, and halve what can be halved."""
        for sizes in ((5, 5), (4, 0, 7), (1, 2, 3, 4)):
            root = ranges.parts_of(sizes)
            self.assertEqual(ranges.scaled_parts(root, sum(sizes)), root)
            self.assertEqual([2 * part.size for part in root], [part.size for part in ranges.scaled_parts(root, 2 * sum(sizes))])
            for rows in range(40):
                parts = ranges.scaled_parts(root, rows)
                self.assertEqual([0, *(part.end for part in parts)], [*(part.begin for part in parts), rows])
                self.assertTrue(all(part.size >= 0 for part in parts))


if __name__ == "__main__":
    unittest.main()
