"""A short list of convolutions: common layers of each kind, channels last, f16; and their form for MIOpen."""
import re

# Names, and problems in the form of ckProfiler --problem.
LIST = [
    ("resnet 3x3, 64 channels", "n64 c64 k64 in56x56 f3x3 p1"),
    ("resnet 3x3, 256 channels", "n64 c256 k256 in14x14 f3x3 p1"),
    ("resnet 1x1", "n64 c256 k64 in56x56 f1x1"),
    ("resnet 1x1, many channels", "n64 c1024 k256 in14x14 f1x1"),
    ("3x3 of stride 2", "n64 c128 k128 in56x56 f3x3 s2 p1"),
    ("diffusion 3x3", "n2 c640 k640 in64x64 f3x3 p1"),
    ("vgg 3x3", "n64 c256 k512 in28x28 f3x3 p1"),
    ("groups of 32", "g8 n32 c32 k32 in28x28 f3x3 p1"),
    ("3D", "n4 c64 k64 in16x32x32 f3x3x3 p1"),
]
REHEARSED = [("3x3", "n1 c32 k32 in8x8 f3x3 p1"), ("1x1 of stride 2", "n2 c32 k64 in8x8 f1x1 s2")]

# ckProfiler's operation, MIOpenDriver's -F, and the words of MIOpenDriver's time.
DIRECTIONS = {
    "forward": ("grouped_conv_fwd", 1),
    "backward data": ("grouped_conv_bwd_data", 2),
    "backward weight": ("grouped_conv_bwd_weight", 4),
}


def numbers(text):
    """The fields of a problem: {"n": [64], "in": [56, 56], ...}; strides and others for each dimension."""
    fields = {name: [int(x) for x in values.split("x")] for name, values in re.findall(r"\b([a-z]+)(\d+(?:x\d+)*)\b", text)}
    rank = len(fields["in"])
    for name, value in (("s", 1), ("d", 1), ("p", 0)):
        given = fields.get(name, [value])
        fields[name] = given if len(given) == rank else given * rank
    fields.setdefault("g", [1])
    return fields


def flops(text):
    f = numbers(text)
    product = 2 * f["g"][0] * f["n"][0] * f["c"][0] * f["k"][0]
    for i, length in enumerate(f["in"]):
        out = (length + 2 * f["p"][i] - f["d"][i] * (f["f"][i] - 1) - 1) // f["s"][i] + 1
        product *= out * f["f"][i]
    return product


def miopen(text, direction):
    """The arguments of MIOpenDriver."""
    f = numbers(text)
    g = f["g"][0]
    rank = len(f["in"])
    line = ["convfp16", "-n", f["n"][0], "-c", f["c"][0] * g, "-k", f["k"][0] * g]
    names = {"in": "DHW"[-rank:], "f": "zyx"[-rank:], "p": "ppq", "s": "uuv", "d": "llj"}
    long = {"in": "--in_d", "f": "--fil_d", "p": "--pad_d", "s": "--conv_stride_d", "d": "--dilation_d"}
    for field, letters in names.items():
        for i, value in enumerate(f[field]):
            name = long[field] if rank == 3 and i == 0 else "-" + letters[-rank:][i]
            line += [name, value]
    if rank == 3:
        line += ["--spatial_dim", 3]
    layout = {2: "NHWC", 3: "NDHWC"}[rank]
    line += ["-m", "conv", "-g", g, "-F", DIRECTIONS[direction][1], "-t", 1, "-V", 0]
    for tensor in ("in", "fil", "out"):
        line += [f"--{tensor}_layout", layout]
    return [str(x) for x in line]
