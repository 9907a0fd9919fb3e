"""Compares times."""
import math


def join(result):
    """A row for each problem that was measured: our time and, if known, MIOpen's and the predicted one."""
    other = {key: {(r["problem"], r["direction"]): r for r in result.get(key, []) if "ms" in r} for key in ("miopen", "predicted")}
    rows = []
    for r in result.get("profile", []):
        if "ms" not in r:
            continue
        place = (r["problem"], r["direction"])
        rows.append({"name": r["name"], "problem": r["problem"], "direction": r["direction"], "type": r["type"], "instance": r["instance"],
                     "ms": r["ms"], "tflops": r["gflop"] / r["ms"],
                     "miopen_ms": other["miopen"].get(place, {}).get("ms"),
                     "solver": other["miopen"].get(place, {}).get("solver"),
                     "predicted_ms": other["predicted"].get(place, {}).get("ms")})
    return rows


def ranks(values):
    """The rank of each value; equal values share the mean of their ranks."""
    order = sorted(values)
    return [order.index(v) + (order.count(v) - 1) / 2 for v in values]


def correlation(a, b):
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    product = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    size = math.sqrt(sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b))
    return product / size if size else None


def error(rows, key):
    """For the ratios other time / our measured time: geometric mean, spread (exp of the logarithms' standard deviation),
    extremes, WMAPE, and the correlation of ranks. Null if no row has the other time."""
    pairs = [(r[key], r["ms"]) for r in rows if r[key]]
    if not pairs:
        return None
    logs = [math.log(a / b) for a, b in pairs]
    mean = sum(logs) / len(logs)
    spread = math.sqrt(sum((x - mean) ** 2 for x in logs) / (len(logs) - 1)) if len(logs) > 1 else 0
    others, ours = zip(*pairs)
    return {"count": len(pairs), "mean": math.exp(mean), "spread": math.exp(spread), "least": math.exp(min(logs)),
            "most": math.exp(max(logs)), "wmape": sum(abs(a - b) for a, b in pairs) / sum(ours),
            "rank_correlation": correlation(ranks(others), ranks(ours)) if len(pairs) > 2 else None}


def in_words(e, what):
    if not e:
        return ""
    return (f"{what[0].upper()}{what[1:]}: {e['mean']:.2f} in the geometric mean of {e['count']}, {e['least']:.2f} to "
            f"{e['most']:.2f}, spread x/ {e['spread']:.2f}.")
