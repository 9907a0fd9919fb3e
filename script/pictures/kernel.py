"""One kernel in five pictures, from the output of test/library/tables/kernel_pictures.cpp."""

BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#BBBBBB")
TILES = [BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION]
KEYS = ["tuning", "rows", "columns", "taps", "channels", "tiles of pixels", "blocks", "input", "meets", "copies", "A",
        "B", "C", "schedules"]


def box(axes, x, y, width, height, color, text="", size=8, line="white", alpha=1.0, words="black"):
    """A rectangle whose upper left corner is at x, y; y grows downwards."""
    from matplotlib.patches import Rectangle
    axes.add_patch(Rectangle((x, y), width, height, facecolor=color, edgecolor=line, lw=0.8, alpha=alpha, clip_on=False))
    if text:
        axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=size, color=words)


def plain(axes, width, height, title):
    axes.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    axes.set_title(title, loc="left", fontsize=10)
    axes.axis("off")


def tiles(plt, data):
    """Which block computes which pixels, and the same tiles in the matrix C."""
    images = data["tiles of pixels"]
    tuning = data["tuning"]
    height, width = len(images[0]), len(images[0][0])
    figure, axes = plt.subplots(1, len(images) + 1, figsize=(9.5, 3.9), layout="constrained",
                                gridspec_kw={"width_ratios": [1] * len(images) + [1.25]})
    for number, image in enumerate(images):
        plain(axes[number], width, height, f"Y, image {number}")
        for y, row in enumerate(image):
            for x, tile in enumerate(row):
                box(axes[number], x, y, 1, 1, TILES[tile % len(TILES)])
    rows, columns, (m, n, _) = data["rows"], data["columns"], tuning["block"]
    matrix = axes[-1]
    count = -(-rows // m)
    plain(matrix, columns * 2.4, count * m, "C, the same as a matrix")
    for block, (row, column) in enumerate(data["blocks"]):
        color = TILES[row % len(TILES)]
        box(matrix, column * n, row * m, n, m, color, alpha=0.25)
        box(matrix, column * n, row * m, min(n, columns - column * n), min(m, rows - row * m), color)
        matrix.text((column + 1) * n + 8, row * m + m / 2, f"block {block}: rows {row * m} to {min((row + 1) * m, rows) - 1}",
                    fontsize=9, va="center")
    matrix.text(columns / 2, count * m + 6, f"{columns} channels", ha="center", va="top", fontsize=9)
    matrix.set_ylim(count * m + 30, 0)
    return figure


def taps(plt, data):
    """What the rows of the first tile read from X at three taps."""
    height, width = data["input"]
    figure, axes = plt.subplots(1, len(data["meets"]), figsize=(9.5, 3.9), layout="constrained")
    side = round(data["taps"] ** 0.5)
    for at, meets in zip(axes, data["meets"]):
        plain(at, width + 2, height + 2, f"tap y = {meets['tap'] // side}, x = {meets['tap'] % side}")
        for y in range(height):
            for x in range(width):
                box(at, x + 1, y + 1, 1, 1, "#E8E8E8")
        for _, y, x in meets["inside"]:
            box(at, x + 1, y + 1, 1, 1, BLUE)
        for _, y, x in meets["outside"]:
            box(at, x + 1, y + 1, 1, 1, "white", line=VERMILLION)
    from matplotlib.patches import Patch
    figure.legend([Patch(color="#E8E8E8"), Patch(color=BLUE), Patch(facecolor="white", edgecolor=VERMILLION)],
                  ["X, image 0", "read by the rows of tile 0", "padding: reads as zero"], ncols=3, frameon=False,
                  loc="upper center", bbox_to_anchor=(0.5, 0.12), fontsize=9)
    return figure


def copies(plt, data):
    """Which thread copies which elements of A's slice, and where they are in LDS."""
    packs, pack, bytes_ = data["copies"]["packs"], data["copies"]["pack"], data["copies"]["bytes"]
    lines = data["copies"]["lines"]
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 5.2), layout="constrained")
    planes = data["tuning"]["block"][2] // pack
    wide = 3.4
    for at, title in zip(axes, ("which thread copies it", "where it lies in LDS, in bytes")):
        plain(at, planes * wide + 1.6, lines + 2, title)
        for plane in range(planes):
            at.text(1.6 + (plane + 0.5) * wide, 0.8, f"channels\n{plane * pack} to {(plane + 1) * pack - 1}", ha="center",
                    va="center", fontsize=8)
        for row in range(lines):
            at.text(1.4, row + 2.5, f"row {row}", ha="right", va="center", fontsize=8)
    wave = data["tuning"]["lanes"]
    for entry in packs:
        x, y = 1.6 + entry["k"] // pack * wide, entry["row"] + 2
        box(axes[0], x, y, wide, 1, SKY if entry["thread"] // wave % 2 == 0 else ORANGE, str(entry["thread"]))
        bank = entry["byte"] // 4 % 32
        shade = 0.35 + 0.6 * (bank // 4) / 8
        box(axes[1], x, y, wide, 1, (1 - 0.55 * shade, 1 - 0.25 * shade, 1),
            f"{entry['byte']}, bank {bank}", size=6.5)
    figure.text(0.5, -0.01, f"a cell is a pack of {pack} elements, {pack * bytes_} bytes: one load, one write", ha="center",
                va="top", fontsize=9)
    return figure


def groups(elements, lanes):
    """Returns {(lane, run): [cells]}: cells of one lane that are adjacent in a row of the picture."""
    by_lane = {}
    for lane, _, row, column in elements:
        by_lane.setdefault(lane, []).append((row, column))
    for lane, cells in sorted(by_lane.items()):
        runs = []
        for row, column in sorted(cells):
            if runs and runs[-1][-1] == (row, column - 1):
                runs[-1].append((row, column))
            else:
                runs.append([(row, column)])
        for run in runs:
            yield lane, lane * 2 // lanes, run


def lanes(plt, data):
    """The block tile in waves, and the elements of each lane in one matrix instruction."""
    tuning = data["tuning"]
    (m, n, _), (wave_m, wave_n), (tile_m, tile_n, _) = tuning["block"], tuning["wave"], tuning["tile"]
    depth = max(column for *_, column in data["A"]) + 1
    figure, axes = plt.subplots(1, 3, figsize=(11, 6.4), layout="constrained",
                                gridspec_kw={"width_ratios": [1.05, 0.5, 1.3]})
    block = axes[0]
    plain(block, n + 30, m + 16, f"block tile of C, {m} x {n}")
    number = 0
    for y in range(0, m, wave_m):
        for x in range(0, n, wave_n):
            box(block, x, y, wave_n, wave_m, TILES[number % len(TILES)], alpha=0.55)
            for dy in range(0, wave_m, tile_m):
                for dx in range(0, wave_n, tile_n):
                    box(block, x + dx, y + dy, tile_n, tile_m, "none")
            block.text(x + wave_n / 2, y + wave_m / 2, f"wave {number}", ha="center", va="center", fontsize=11)
            number += 1
    block.text(0, m + 3, f"{number} waves of {tuning['lanes']} lanes,\n{wave_m // tile_m} x {wave_n // tile_n} "
               f"instructions each:\nwhite lines", ha="left", va="top", fontsize=9)
    block.set_ylim(m + 40, 0)
    for at, elements, title, width in ((axes[1], data["A"], f"A, {tile_m} x {depth}", depth),
                                       (axes[2], data["C"], f"C, {tile_m} x {tile_n}", tile_n)):
        cell = 4 if at is axes[1] else 1
        at.set(xlim=(0, width), ylim=(tile_m, 0))
        at.set_title(title, loc="left", fontsize=10)
        for lane, half, run in groups(elements, tuning["lanes"]):
            row, column = run[0]
            box(at, column, row, len(run), 1, (SKY, ORANGE)[half], str(lane), size=6)
        at.set_xticks(range(0, width + 1, cell * (1 if at is axes[1] else 4)))
        at.set_yticks(range(0, tile_m, 4))
        at.tick_params(length=0, labelsize=8)
        for spine in at.spines.values():
            spine.set_visible(False)
    axes[1].set_xlabel("channels of the sum", fontsize=9)
    axes[1].set_ylabel("pixels", fontsize=9)
    axes[2].set_xlabel("channels of Y", fontsize=9)
    return figure


ROWS = {"load": (0, "memory to registers", ORANGE), "copy": (0, "memory to LDS", ORANGE),
        "write": (1, "registers to LDS", SKY), "read": (2, "LDS to registers", GREEN),
        "multiply": (3, "multiply", BLUE), "multiply the rest": (3, "multiply", BLUE)}


def schedules(plt, data):
    """What a wave does, step by step, with three schedules."""
    all_ = data["schedules"]
    figure, axes = plt.subplots(len(all_), 1, figsize=(10.5, 7.2), layout="constrained")
    longest = max(len(s["steps"]) for s in all_.values())
    for at, (name, schedule) in zip(axes, all_.items()):
        plain(at, longest + 5, 4.6, f"{name}: slices in LDS: {schedule['buffers']}")
        at.set_aspect("auto")
        used = {ROWS[step][:2] for step, _ in schedule["steps"] if step != "barrier"}
        shift = {row: i for i, row in enumerate(sorted({row for row, _ in used}))}
        for row, words in used:
            at.text(4.8, shift[row] + 0.5, words, ha="right", va="center", fontsize=9)
        for x, (step, slice_) in enumerate(schedule["steps"]):
            if step == "barrier":
                at.plot([x + 5.5] * 2, [0, len(shift)], color="black", lw=1.6)
                continue
            row, _, color = ROWS[step]
            box(at, x + 5, shift[row], 1, 1, color, str(slice_), size=9, words="white" if color == BLUE else "black",
                alpha=0.6 if step == "multiply the rest" else 1)
        at.set_ylim(len(shift) + 0.1, -0.1)
    figure.text(0.5, -0.01, "time goes from left to right; numbers: slices; upright lines: barriers; "
                "pale blue: the last products of a slice", ha="center", va="top",
                fontsize=9)
    return figure


PICTURES = {"tiles": tiles, "taps": taps, "copies": copies, "lanes": lanes, "schedules": schedules}
