"""Networks of the user, named by path/to/file.py:function."""
import functools
import importlib.util
import os
import re
import sys

import torch

from .networks import first_tensor, in_channels_last
from .problems import WrongInput


def is_own(name):
    return re.search(r"\.py(:|$)", name) is not None


@functools.lru_cache(maxsize=None)
def _module(path):
    """Runs the file, once; it can import its neighbours, as a program can."""
    if not os.path.isfile(path):
        raise WrongInput(f"there is no file {path}")
    name = "networks_of_" + re.sub(r"\W", "_", path)  # torch.compile finds modules by name
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    folder = os.path.dirname(path)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except ImportError as e:
        raise WrongInput(f"{path} cannot be imported: {e}")
    return module


class OwnNetwork:
    """What a function of a file returns for a number of images: a model, and its positional arguments. The batch is the
    first size of the first tensor."""
    memory_format = torch.channels_last  # for images; volumes get their own

    def __init__(self, name, images):
        path, _, self.name = name.partition(".py:")
        if not self.name:
            raise WrongInput(f"which function of the file? {name}:FUNCTION says it")
        path += ".py"
        self.images = images
        self.function = getattr(_module(os.path.abspath(path)), self.name, None)
        if not callable(self.function):
            raise WrongInput(f"{path} has no function '{self.name}'")

    def build(self):
        """Builds the model, and inputs for inputs()."""
        pair = self.function(self.images)
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], torch.nn.Module)):
            raise WrongInput(f"{self.name}({self.images}) returns no pair of a torch.nn.Module and its inputs")
        model, inputs = pair
        self._inputs = inputs if isinstance(inputs, tuple) else (inputs,)
        for x in self._inputs:
            if not (x is None or isinstance(x, (torch.Tensor, int))):
                raise WrongInput(f"an input of {self.name}({self.images}) is a {type(x).__name__}, neither a tensor nor "
                                 "an integer nor None")
        self.batch = next((x.size(0) for x in self._inputs if isinstance(x, torch.Tensor) and x.dim() > 0), None)
        if not self.batch:
            raise WrongInput(f"no input of {self.name}({self.images}) is a tensor with a batch")
        return model

    def inputs(self, device, dtype):
        """The inputs on the device; tensors of floating-point numbers get the type and the memory format."""
        def moved(x):
            if not isinstance(x, torch.Tensor):
                return x
            if not x.is_floating_point():
                return x.to(device)
            x = x.to(device, dtype)
            return x.contiguous() if self.memory_format == torch.contiguous_format else in_channels_last(x)
        return tuple(map(moved, self._inputs))

    def loss(self, model, inputs, labels):
        """The mean of the squares of the first tensor of the result."""
        return first_tensor(model(*inputs)).float().square().mean()
