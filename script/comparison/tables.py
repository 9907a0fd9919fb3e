"""Rows of measured convolutions: reads, merges and writes files of them, and makes the tables that compare libraries. This
module does not need PyTorch."""
import json
import math
import os
from pathlib import Path

from .problems import DIRECTIONS, WrongInput

LOW = 0.85  # ratios below this need attention
MOST_LOST = 12  # lines in the table of losses


def read(paths):
    """One report with the rows of several files; a row names its device, so that devices stay separate."""
    merged, seen = {"rows": [], "failed": [], "left_out": []}, set()
    for path in paths:
        try:
            report = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as e:
            raise WrongInput(f"cannot read {path}: {e.strerror}")
        except ValueError as e:
            raise WrongInput(f"{path} is not JSON: {e}")
        if not isinstance(report, dict) or not isinstance(report.get("rows"), list):
            raise WrongInput(f"{path} has no list 'rows': it is not a file of compare_torch convolutions --json")
        for row in report["rows"]:
            key = tuple(row[k] for k in ("source", "name", "direction", "type", "layout"))
            if key in seen:
                raise WrongInput(f"{path} has a row that another file has, too: {' '.join(key)}")
            seen.add(key)
        for name, value in report.items():
            if name not in merged:
                merged[name] = value
            elif isinstance(value, list):
                merged[name] += [v for v in value if name == "rows" or v not in merged[name]]
            elif merged[name] != value:
                merged[name] = f"{merged[name]}; {value}" if str(value) not in str(merged[name]) else merged[name]
    return merged


def write(report, path):
    """Writes the whole file or nothing: a run may be stopped at any time."""
    other = f"{path}.part"
    try:
        with open(other, "w", encoding="utf-8") as file:
            heads = [f" {json.dumps(k)}: {json.dumps(v)}" for k, v in report.items() if k != "rows"]
            rows = ",\n".join("  " + json.dumps(row) for row in report["rows"])
            file.write("{\n" + ",\n".join([*heads, f' "rows": [\n{rows}]']) + "}\n")
        os.replace(other, path)
    except OSError as e:
        raise WrongInput(f"cannot write {path}: {e.strerror}")


def bad(report):
    """Whether a result was wrong or a problem failed."""
    return bool(report["failed"]) or any(row["bad"] for row in report["rows"])


def table(title, columns, rows):
    """The lines of a Markdown table with aligned columns."""
    cells = [columns, ["---"] * len(columns), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in cells]
    return [title, "", *lines, ""]


def _number(value, decimals=2):
    return "-" if value is None else f"{value:.{decimals}f}"


def sums(rows):
    """Returns (ours, the rival's) in ms for the rows that both computed, each multiplied by its number of occurrences."""
    both = [row for row in rows if row["rival"] is not None]
    return sum(row["ms"] * row["count"] for row in both), sum(row["rival"] * row["count"] for row in both)


def _ratio_of_sums(rows):
    ours, its = sums(rows)
    return its / ours if ours else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def _grouped(rows, *keys):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[k] for k in keys), []).append(row)
    return groups


def _networks(rows):
    lines = []
    for (source,), of_source in _grouped(rows, "source").items():
        ours, its = sums(of_source)
        each = [_ratio_of_sums([r for r in of_source if r["direction"] == d]) for d in DIRECTIONS]
        lines.append([source, _number(ours, 3), _number(its, 3), _number(its / ours if ours else None),
                      *map(_number, each)])
    return table("All convolutions of a network: sums in ms, then its time over ours", ["network", "ours", "its", "all",
                 *(d.replace("_", " ") for d in DIRECTIONS)], lines)


def _files(rows):
    lines = []
    for (source, direction), group in _grouped(rows, "source", "direction").items():
        ratios = [(row["ratio"], row["name"]) for row in group if row["ratio"] is not None]
        least = min(ratios, default=(None, "-"))
        lines.append([source, direction.replace("_", " "), len(ratios),
                      _number(geometric_mean([ratio for ratio, _ in ratios])), _number(least[0]), least[1],
                      sum(ratio < LOW for ratio, _ in ratios)])
    return table("Its time over ours", ["problems", "direction", "measured", "geometric mean", "least", "of",
                                        f"below {LOW}"], lines)


def _lost(rows):
    """Where the most time is lost to the rival."""
    slower = [row for row in rows if row["ratio"] is not None and row["ratio"] < 1]
    slower.sort(key=lambda row: (row["rival"] - row["ms"]) * row["count"])
    lines = [[row["source"], row["name"], row["direction"].replace("_", " "), row["count"], _number(row["ms"], 4),
              _number(row["rival"], 4), _number(row["ratio"]), row["kernel"]] for row in slower[:MOST_LOST]]
    return table(f"Slower than the rival: {len(slower)} of {len(rows)}; those that lose most time",
                 ["source", "problem", "direction", "count", "ours", "its", "ratio", "kernel"], lines)


def _missed(rows):
    """Where a kernel of --also is faster than the predicted choice."""
    best = [(row, min(row["also"], key=lambda other: other["ms"])) for row in rows if row.get("also")]
    missed = sorted(((r, o) for r, o in best if o["ms"] < r["ms"]), key=lambda pair: pair[1]["ms"] / pair[0]["ms"])
    lines = [[row["source"], row["name"], row["direction"].replace("_", " "), _number(row["ms"], 4),
              _number(other["ms"], 4), row["kernel"], other["kernel"]] for row, other in missed]
    return table(f"Kernels that are faster than the predicted choice: {len(missed)} of {len(best)}",
                 ["source", "problem", "direction", "predicted choice", "fastest", "predicted choice", "fastest"], lines)


def _beside(rows):
    """Other types, and matrix products."""
    pairs = [{**row, "what": other["name"], "ratio": other["ms"] / row["ms"]} for row in rows for other in row["beside"]]
    lines = []
    for (source, direction, what), group in _grouped(pairs, "source", "direction", "what").items():
        ratios = [(pair["ratio"], pair["name"]) for pair in group]
        lines.append([source, direction.replace("_", " "), what, len(ratios),
                      _number(geometric_mean([ratio for ratio, _ in ratios])),
                      *(text for ratio, name in (min(ratios), max(ratios)) for text in (_number(ratio), name))])
    return table("Its time over ours", ["problems", "direction", "other work", "measured", "geometric mean", "least", "of",
                                        "most", "of"], lines)


def tables(report):
    """All lines that are printed at the end."""
    lines = []
    for (kind, layout), rows in _grouped(report["rows"], "type", "layout").items():
        lines += [f"# {kind}, {layout.replace('_', ' ')}: {report.get('device', 'unknown device')}", ""]
        networks, files = ([r for r in rows if r["network"] is is_network] for is_network in (True, False))
        lines += _networks(networks) if networks else []
        lines += _files(files) if files else []
        lines += _lost(rows)
        lines += _missed(rows) if any(row.get("also") for row in rows) else []
        lines += _beside([row for row in rows if row.get("beside")]) if any(row.get("beside") for row in rows) else []
    without = [row for row in report["rows"] if row["rival"] is None]
    lines += [f"NO RIVAL {row['source']} {row['name']} {row['direction']}: not in sums and means" for row in without]
    lines += [f"LEFT OUT {text}" for text in report["left_out"]]
    lines += [f"BAD {row['source']} {row['name']} {row['direction']}: error {row['error']}, {row['kernel']}"
              for row in report["rows"] if row["bad"]]
    lines += [f"FAILED {f['source']} {f['name']} {f['direction']}: {f['why']}" for f in report["failed"]]
    return lines
