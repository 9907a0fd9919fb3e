"""The page to read, and the file to send back."""
import html
import io
import os
import re
import time
import zipfile

STYLE = """body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .7em;border-bottom:1px solid #ccc;text-align:left;vertical-align:top}
td.n,th.n{text-align:right;white-space:nowrap}.failed{color:#b00020;font-weight:bold}.warn{background:#fff3cd;padding:.7em 1em}
svg{max-width:100%;height:auto}small{color:#666}"""


def cell(value, digits=4):
    return f'<td class="n">{value:.{digits}f}</td>' if value else '<td class="n">-</td>'


def of_ours(rehearsal):
    """A label for the times of our kernels."""
    return "emulation on a CPU" if rehearsal else "measured"


def picture(rows, rehearsal):
    """Bars of the measured, MIOpen's and predicted times, as SVG; empty without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return ""
    matplotlib.use("svg")
    from matplotlib import pyplot
    series = [("ms", of_ours(rehearsal), "#1f77b4"), ("predicted_ms", "predicted", "#ff7f0e"), ("miopen_ms", "MIOpen", "#2ca02c")]
    series = [s for s in series if any(r[s[0]] for r in rows)]
    figure, axes = pyplot.subplots(figsize=(9, 1 + 0.33 * len(rows)))
    height = 0.8 / len(series)
    for i, (key, label, colour) in enumerate(series):
        axes.barh([n + i * height for n in range(len(rows))], [r[key] or 0 for r in rows], height, label=label, color=colour)
    axes.set_yticks([n + 0.4 - height / 2 for n in range(len(rows))])
    axes.set_yticklabels([f"{r['name']}, {r['direction']}" for r in rows], fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("ms, logarithmic")
    axes.legend(fontsize=8)
    figure.tight_layout()
    text = io.StringIO()
    figure.savefig(text, format="svg")
    pyplot.close(figure)
    return re.sub(r"^.*?(?=<svg)", "", text.getvalue(), flags=re.DOTALL)


def table_of_times(comparison, rehearsal):
    rows = comparison["rows"]
    lines = [f'<table><tr><th>problem</th><th>direction</th><th class="n">{of_ours(rehearsal)}, ms</th>'
             '<th class="n">TFlops</th>'
             '<th class="n">MIOpen, ms</th><th class="n">predicted, ms</th><th class="n">predicted over ours</th></tr>']
    for r in rows:
        ratio = r["predicted_ms"] / r["ms"] if r["predicted_ms"] else None
        lines.append(f"<tr><td>{html.escape(r['name'])}<br><small>{html.escape(r['problem'])}, {r['type']}</small></td><td>{r['direction']}</td>"
                     + cell(r["ms"]) + cell(r["tflops"], 1) + cell(r["miopen_ms"]) + cell(r["predicted_ms"]) + cell(ratio, 2) + "</tr>")
    lines.append("</table>")
    if rehearsal:
        lines.append('<p class="warn">A rehearsal: the first times are how long the emulator took on a CPU. They are not of a GPU, '
                     "and the ratios mean nothing.</p>")
    for key, words in (("model", "Predicted over measured"), ("miopen", "MIOpen's time over ours")):
        e = comparison[key]
        if e:
            rank = f", rank correlation {e['rank_correlation']:.3f}" if e["rank_correlation"] is not None else ""
            lines.append(f"<p>{words}: geometric mean {e['mean']:.2f} of {e['count']}, {e['least']:.2f} to {e['most']:.2f}, spread "
                         f"x/ {e['spread']:.2f}, WMAPE {100 * e['wmape']:.0f} %{rank}.</p>")
    return lines


def text_of(hour):
    result = hour.result
    title = f"The first hour on {result['target'] or 'an AMD GPU'}" + (": a rehearsal in the emulator" if result["rehearsal"] else "")
    facts = result.get("machine", {})
    lines = [f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>',
             f"<h1>{html.escape(title)}</h1>", f"<p>{html.escape(result['date'])}. " + html.escape(
                 "; ".join(str(x) for x in (", ".join(facts.get("gpus", [])), facts.get("rocm") and "ROCm " + facts["rocm"],
                                            facts.get("system"), "Linux " + facts.get("kernel", ""), facts.get("cpu")) if x)) + ".</p>"]
    lines += [f'<p class="warn">{html.escape(w)}</p>' for w in facts.get("warnings", [])]
    if result.get("interrupted"):
        lines.append('<p class="warn">The run was interrupted.</p>')
    lines.append('<h2>Steps</h2><table><tr><th>step</th><th></th><th class="n">s</th><th></th></tr>')
    for name, s in result["steps"].items():
        state = "failed" if s["state"] == "failed" else "other"
        lines.append(f'<tr><td>{name}</td><td class="{state}">{s["state"]}</td><td class="n">{s["seconds"]:.0f}</td>'
                     f"<td>{html.escape(s['sentence'])}</td></tr>")
    lines.append("</table>")
    comparison = result.get("comparison")
    if comparison:
        lines += ["<h2>Times</h2>", *table_of_times(comparison, result["rehearsal"]), picture(comparison["rows"], result["rehearsal"]),
                  "<p>Channels last, the fastest of the kernels that were built. Predicted: by the model in "
                  "test/amd_emulator/timing, whose published error is in docs/notes/amd_predicted_times.md.</p>"]
    return "\n".join(lines) + "\n</html>\n"


def write(hour):
    """Writes result.json, page.html and the .zip; returns their paths."""
    hour.save()
    page = os.path.join(hour.out, "page.html")
    with open(page, "w", encoding="utf-8") as f:
        f.write(text_of(hour))
    name = f"first_hour_{hour.target or 'no_gpu'}{'_rehearsal' if hour.rehearsal else ''}_{time.strftime('%Y%m%d_%H%M')}.zip"
    archive = os.path.join(hour.out, name)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
        for file in ("result.json", "page.html", "machine.ini"):
            if os.path.exists(os.path.join(hour.out, file)):
                z.write(os.path.join(hour.out, file), file)
        logs = os.path.join(hour.out, "logs")
        for log in sorted(os.listdir(logs)):
            z.write(os.path.join(logs, log), "logs/" + log)
    return {"page": page, "zip": archive}
