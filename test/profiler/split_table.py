"""What split_scaling prints is what it writes: times in their order, and the rate that follows from them."""
import json
import os
import re
import subprocess
import sys
import tempfile

program = sys.argv[1]
channels, filters, depth, width = 2, 5, 4, 3
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "table.json")
    ended = subprocess.run(
        [program, "--ranks", "2", "--rounds", "3", "--check", "--json", file, "--channels", str(channels),
         "--filters", str(filters), "--depth", str(depth), "--width", str(width)],
        capture_output=True, text=True, timeout=50)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    with open(file, encoding="utf-8") as written:
        table = json.load(written)["tables"][0]

assert table["name"] in ended.stdout, ended.stdout
assert f"{channels} to {filters} channels, {depth}x{width}x{width}, f32, strong, 2 ranks" in table["name"], table["name"]
assert [c.split(",")[0] for c in table["columns"]] == [
    "direction", "whole pass", "computing alone", "exchange of rows alone", "sum of dW over ranks alone",
    "TFLOP/s of all ranks", "numbers compared"], table["columns"]
assert [row[0] for row in table["rows"]] == ["forward", "backward data", "backward weight"], table["rows"]
for direction, whole, compute, rows, added, rate, compared in table["rows"]:
    line = re.search(rf"^{direction} +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +(\S+) +([0-9.]+) +(\d+) numbers right$",
                     ended.stdout, re.MULTILINE)
    assert line, (direction, ended.stdout)
    for times in (whole, compute, rows, *([added] if added else [])):
        assert 0 < times[1] <= times[0] <= times[2], (direction, times)  # median, least, most
    expected = [whole[0], whole[1], whole[2], compute[0], rows[0]]
    for number, (got, want) in enumerate(zip(line.groups(), expected)):
        assert abs(float(got) - want) < 0.00051, (direction, number, got, want)
    assert (added is None) == (direction != "backward weight"), (direction, added)
    assert (line[6] == "-") if added is None else abs(float(line[6]) - added[0]) < 1e-5, (line[6], added)
    operations = 2 * 27 * channels * filters * width * width * depth
    assert abs(rate - operations / whole[0] * 1e-9) < 1e-4 * rate, (direction, rate)
    assert compared == int(line[8]) > 0, (direction, compared)
    spread = [t for t in (whole, compute, rows) if t[1] < t[2]]
    assert spread, f"{direction}: three rounds of every part took the same time"
