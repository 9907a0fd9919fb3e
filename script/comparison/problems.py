"""Convolutions to measure: those of problem files, and those of networks with their number of occurrences. Uses plain
numbers: this module does not need PyTorch."""
import dataclasses
import json
import math
import re
from pathlib import Path
from typing import Dict, Tuple

DIRECTIONS = ("forward", "backward_data", "backward_weight")
FIELDS = ("name", "ndim", "G", "N", "C", "K", "filter", "input", "strides", "dilations", "pads_left", "pads_right")


class WrongInput(Exception):
    """The caller's input cannot be used; the message says what and why."""


@dataclasses.dataclass(frozen=True)
class Problem:
    """One convolution or transposed convolution. c and k count the channels of all groups, as in PyTorch."""
    groups: int
    n: int
    c: int
    k: int
    filter: Tuple[int, ...]
    input: Tuple[int, ...]
    strides: Tuple[int, ...]
    dilations: Tuple[int, ...]
    pads_low: Tuple[int, ...]
    pads_high: Tuple[int, ...]
    transposed: bool = False
    output_padding: Tuple[int, ...] = ()

    @property
    def rank(self):
        return len(self.input)

    @property
    def output(self):
        """The lengths of Y."""
        lengths = []
        for i, (length, taps) in enumerate(zip(self.input, self.filter)):
            reach, pads = self.dilations[i] * (taps - 1) + 1, self.pads_low[i] + self.pads_high[i]
            if self.transposed:
                lengths.append((length - 1) * self.strides[i] - pads + reach + self.output_padding[i])
            else:
                lengths.append((length + pads - reach) // self.strides[i] + 1)
        return tuple(lengths)

    @property
    def sizes(self):
        """The sizes of x, w and y in PyTorch's order."""
        channels = (self.c, self.k // self.groups) if self.transposed else (self.k, self.c // self.groups)
        return {"x": (self.n, self.c, *self.input), "w": (*channels, *self.filter), "y": (self.n, self.k, *self.output)}

    @property
    def flops(self):
        """Two for each multiplication, including those on padding."""
        pixels = math.prod(self.input if self.transposed else self.output)
        return 2 * self.n * pixels * math.prod(self.filter) * self.c * self.k // self.groups

    @property
    def elements(self):
        """The number of elements in the three tensors."""
        return sum(math.prod(size) for size in self.sizes.values())

    def text(self):
        """The words for ckProfiler's --problem, where c and k are those of one group. There is no word for "transposed"."""
        def word(key, values, default):
            if all(v == default for v in values):
                return []
            short = values[:1] if key != "in" and len(set(values)) == 1 else values
            return [key + "x".join(map(str, short))]

        words = ["transposed"] if self.transposed else []
        words += word("g", (self.groups,), 1)
        words += [f"n{self.n}", f"c{self.c // self.groups}", f"k{self.k // self.groups}"]
        words += word("in", self.input, 0) + word("f", self.filter, 1) + word("s", self.strides, 1)
        words += word("d", self.dilations, 1)
        if self.pads_low == self.pads_high:
            words += word("p", self.pads_low, 0)
        else:
            words += word("pl", self.pads_low, 0) + word("pr", self.pads_high, 0)
        return " ".join(words + word("op", self.output_padding, 0))


@dataclasses.dataclass
class Use:
    """The source of a problem: a network or a problem file. counts: how often each direction is computed there."""
    source: str
    is_network: bool
    name: str
    counts: Dict[str, int]


def from_file(path):
    """Returns [(problem, its use)] for a problem file such as profiler/network_problems.json."""
    try:
        contents = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as e:
        raise WrongInput(f"cannot read {path}: {e.strerror}")
    except ValueError as e:
        raise WrongInput(f"{path} is not JSON: {e}")
    listed = contents.get("problems") if isinstance(contents, dict) else None
    if not isinstance(listed, list):
        raise WrongInput(f"{path} has no list 'problems'")
    return [_from_entry(path, i, entry) for i, entry in enumerate(listed)]


LEAST = {"ndim": 1, "G": 1, "C": 1, "K": 1, "filter": 1, "strides": 1, "dilations": 1}  # others: 0; pads: any


def _whole(where, field, value):
    """Returns the value if it is a whole number; 1.5, 2.0 and true are not."""
    if type(value) is not int:
        raise WrongInput(f"{where}: {field} is {json.dumps(value)}, but must be a whole number")
    if not field.startswith("pads") and value < LEAST.get(field, 0):
        raise WrongInput(f"{where}: {field} is {value}, but must be at least {LEAST.get(field, 0)}")
    return value


def _from_entry(path, i, entry):
    where = f"{path}: entry {i} of 'problems'"
    for field in FIELDS:
        if not isinstance(entry, dict) or field not in entry:
            raise WrongInput(f"{where} has no '{field}'")
    where += f" ({entry['name']})"
    for field in FIELDS[1:6]:
        _whole(where, field, entry[field])
    lists = {}
    for field in FIELDS[6:]:
        if not isinstance(entry[field], list):
            raise WrongInput(f"{where}: {field} is {json.dumps(entry[field])}, but must be a list of whole numbers")
        lists[field] = tuple(_whole(where, field, value) for value in entry[field])
    if entry["ndim"] > 3:
        raise WrongInput(f"{where}: ndim is {entry['ndim']}, but must be 1, 2 or 3")
    for field, values in lists.items():
        if len(values) != entry["ndim"]:
            raise WrongInput(f"{where}: '{field}' has {len(values)} values, but ndim is {entry['ndim']}")
    for field in ("C", "K"):
        if entry[field] % entry["G"] != 0:
            raise WrongInput(f"{where}: {field} is {entry[field]}, no multiple of G, which is {entry['G']}")
    problem = Problem(entry["G"], entry["N"], entry["C"], entry["K"], lists["filter"], lists["input"], lists["strides"],
                      lists["dilations"], lists["pads_left"], lists["pads_right"], False, (0,) * entry["ndim"])
    if min(problem.output) < 1:
        raise WrongInput(f"{where}: the padded input is shorter than the dilated filter")
    return problem, Use(Path(path).stem, False, entry["name"], {d: 1 for d in DIRECTIONS})


def together(pairs, directions, pattern=None):
    """Returns ({problem: [its uses]}, [problems left out]) for pairs of problem and use: each problem once, in order.
    PyTorch pads both sides alike, so problems with other pads are left out."""
    tasks, left_out = {}, []
    for problem, use in pairs:
        if pattern is not None and not re.search(pattern, use.name) and not re.search(pattern, problem.text()):
            continue
        if problem.pads_low != problem.pads_high:
            left_out.append(use)
            continue
        counts = {d: use.counts[d] for d in directions if use.counts.get(d)}
        if counts:
            tasks.setdefault(problem, []).append(dataclasses.replace(use, counts=counts))
    return tasks, left_out


def directions_of(uses):
    """The directions that any use computes, in the usual order."""
    return [d for d in DIRECTIONS if any(d in use.counts for use in uses)]


def shard(tasks, which):
    """Every N-th task, starting at the I-th; which = "I/N", with I from 0 to N - 1."""
    match = re.fullmatch(r"(\d+)/(\d+)", which)
    if match is None or int(match[1]) >= int(match[2]):
        raise WrongInput(f"--shard is '{which}', but must be I/N with I from 0 to N - 1, as 0/4")
    return dict(list(tasks.items())[int(match[1])::int(match[2])])
