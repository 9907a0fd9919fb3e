"""Draws the places to mutate from a seed, equally many of each kind if there are enough."""
import fnmatch
import os
import random
import re

from . import cpp, python_source

# What the host does not build, or builds only on demand; tables of constants.
LEFT_OUT = ["profiler/cudnn*", "profiler/plan_cost.cpp", "library/src/tables/*", "include/ck/arch/amd/*", "include/ck/arch/nvidia/*",
            "include/ck/config.h*"]
DEFAULT_PATHS = ["library/src", "profiler", "python/ck_conv", "include/ck/tensor_operation/gpu/conv/model",
                 "include/ck/tensor_operation/gpu/conv/plan", "include/ck/tensor_operation/gpu/conv/kernels",
                 "include/ck/tensor_operation/gpu/grid"]


class WrongInput(Exception):
    pass


def sources(root, paths):
    """Sources below the paths, as paths from the root."""
    found = set()
    for path in paths:
        path = os.path.normpath(path)
        whole = os.path.join(root, path)
        if not os.path.exists(whole):
            raise WrongInput(f"--paths names {path}, which is not below {root}")
        names = [path] if os.path.isfile(whole) else [
            os.path.relpath(os.path.join(folder, name), root)
            for folder, _, files in os.walk(whole) for name in files]
        found |= {n for n in names if n.endswith((".cpp", ".hpp", ".py"))}
    found = {n for n in found if not any(fnmatch.fnmatch(n, pattern) for pattern in LEFT_OUT)}
    if not found:
        raise WrongInput(f"--paths {' '.join(paths)} has no source: no .cpp, .hpp or .py")
    return sorted(found)


def places(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        text = file.read()
    try:
        return (python_source if name.endswith(".py") else cpp).places(name, text)
    except (ValueError, SyntaxError) as e:
        raise WrongInput(f"{name} cannot be read: {e}")


def drawn(root, paths, seed, progress=lambda name: None, pattern=None):
    """All places in the order of the draw; the caller takes the first ones."""
    of_kind = {}
    for name in sources(root, paths):
        progress(name)
        for place in places(root, name):
            if pattern is None or re.search(pattern, place.described()):
                of_kind.setdefault(place.kind, []).append(place)
    dice = random.Random(seed)
    kinds = sorted(of_kind)
    for kind in kinds:
        dice.shuffle(of_kind[kind])
    order = []
    while kinds:
        kind = dice.choice(kinds)
        order.append(of_kind[kind].pop())
        if not of_kind[kind]:
            kinds.remove(kind)
    return order


class Choice:
    """The first places in order that do not overlap and were not refused."""

    def __init__(self, order, count):
        self.order, self.count, self.refused = order, count, set()

    def places(self, more=1.0):
        """Returns (number, place): the number is the place's in the order, from 1."""
        chosen, of_file = [], {}
        for number, place in enumerate(self.order, 1):
            if len(chosen) >= int(self.count * more):
                break
            if number in self.refused:
                continue
            others = of_file.setdefault(place.path, [])
            if any(place.start < other.end and other.start < place.end for other in others):
                continue
            others.append(place)
            chosen.append((number, place))
        return chosen
