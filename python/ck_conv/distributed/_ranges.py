"""Which rows along one dimension a rank computes and which it reads. Plain numbers, no tensors.

The arithmetic is that of ck/distributed/split.hpp, where it is explained; a test compares both. Row o of Y and row i of X
meet at tap t where i = o * stride + t * dilation - pad_low.
"""
import functools
from typing import NamedTuple


class Rows(NamedTuple):
    """Rows in [begin, end)."""
    begin: int
    end: int

    @property
    def size(self):
        return self.end - self.begin

    def common(self, other):
        """The rows that are in both."""
        begin = max(self.begin, other.begin)
        return Rows(begin, max(min(self.end, other.end), begin))


class Line(NamedTuple):
    """The sizes of a convolution along the dimension that is split."""
    input: int
    filter: int
    stride: int
    dilation: int
    pad_low: int
    pad_high: int

    @property
    def reach(self):
        """Rows of X that one window spans."""
        return (self.filter - 1) * self.dilation + 1

    @property
    def output(self):
        """The number of rows of Y."""
        room = self.input + self.pad_low + self.pad_high - self.reach
        return 0 if room < 0 else room // self.stride + 1

    def input_rows(self, y):
        """Rows of X in the windows of rows of Y, without padding."""
        if y.size == 0:
            return Rows(0, 0)
        begin = max(y.begin * self.stride - self.pad_low, 0)
        end = min((y.end - 1) * self.stride - self.pad_low + self.reach, self.input)
        return Rows(begin, end) if begin < end else Rows(0, 0)

    def output_rows(self, x):
        """Rows of Y whose windows contain one of these rows of X."""
        if x.size == 0:
            return Rows(0, 0)
        first, last = x.begin + self.pad_low - self.reach + 1, x.end - 1 + self.pad_low
        begin = 0 if first <= 0 else -(-first // self.stride)
        end = 0 if last < 0 else min(last // self.stride + 1, self.output)
        return Rows(begin, end) if begin < end else Rows(0, 0)

    def pads(self, x, y):
        """The pads with which these rows of X and of Y are a convolution of their own. They may be negative. Both have at
        least one row."""
        low = self.pad_low + x.begin - y.begin * self.stride
        return low, (y.size - 1) * self.stride + self.reach - x.size - low


@functools.lru_cache(maxsize=4096)
def divide(line, forward, result, own):
    """Rows of the result (before, within, after) the interior: its rows that read only the rank's own rows. The result has
    rows of Y, or, if not forward, of X."""
    read_for = line.input_rows if forward else line.output_rows
    best = run = Rows(result.end, result.end)
    for row in range(*result):
        read = read_for(Rows(row, row + 1))
        if read.size and read.common(own) != read:
            continue
        run = Rows(run.begin, row + 1) if run.end == row and run.size else Rows(row, row + 1)
        best = run if run.size > best.size else best
    return Rows(result.begin, best.begin), best, Rows(best.end, result.end)


def parts_of(sizes):
    """Contiguous rows of these sizes, one for each rank."""
    parts, begin = [], 0
    for size in sizes:
        parts.append(Rows(begin, begin + size))
        begin += size
    return tuple(parts)


def even_parts(rows, ranks):
    """Parts whose sizes differ by at most 1, the larger ones first."""
    return parts_of(rows // ranks + (rank < rows % ranks) for rank in range(ranks))


def scaled_parts(parts, rows):
    """Parts of a tensor that has another number of rows, in the same proportions, rounded. All tensors of a length have the
    same parts, whatever convolutions lead to them: they can be added without moving rows."""
    whole = parts[-1].end
    ends = [0 if whole == 0 else (2 * part.end * rows + whole) // (2 * whole) for part in parts[:-1]]
    return tuple(Rows(begin, end) for begin, end in zip([0, *ends], [*ends, rows]))
