"""Networks with random weights: torchvision's, timm's, those of described.py, a 3D U-Net, and a tiny one for tests;
and the convolutions in them."""
import dataclasses

import torch
from torch import nn
from torch.nn import functional as F

from . import described
from .problems import DIRECTIONS, Problem, Use, WrongInput

_VIDEO = ("r3d_18", "mc3_18", "r2plus1d_18")
_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}
CLASSES = 10


class UNet3d(nn.Module):
    """3D U-Net: one input channel, four levels of 32 to 256 channels, two convolutions each, transposed ones up."""

    def __init__(self, channels=(32, 64, 128, 256), classes=CLASSES):
        super().__init__()
        self.down = nn.ModuleList(self._level(a, b) for a, b in zip((1, *channels), channels))
        self.up = nn.ModuleList(nn.ConvTranspose3d(b, a, 2, stride=2) for a, b in zip(channels, channels[1:]))
        self.joined = nn.ModuleList(self._level(2 * a, a) for a in channels[:-1])
        self.last = nn.Conv3d(channels[0], classes, 1)

    @staticmethod
    def _level(inputs, outputs):
        return nn.Sequential(nn.Conv3d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm3d(outputs), nn.ReLU(),
                             nn.Conv3d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm3d(outputs), nn.ReLU())

    def forward(self, x):
        kept = []
        for i, level in enumerate(self.down):
            x = level(x if i == 0 else F.max_pool3d(x, 2))
            kept.append(x)
        for i in reversed(range(len(self.up))):
            x = self.joined[i](torch.cat([kept[i], self.up[i](x)], 1))
        return self.last(x)


def _tiny():
    return nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1, groups=8),
                         nn.ReLU(), nn.Conv2d(8, 16, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(16, CLASSES))


def _of_torchvision(name):
    from torchvision.models import get_model, list_models
    if name not in list_models():
        return None
    own = {"init_weights": True} if name in ("googlenet", "inception_v3") else {}  # they warn otherwise
    return get_model(name, weights=None, **own)


def _of_timm(name):
    import timm
    return timm.create_model(name) if timm.is_model(name) else None


class Network:
    """A network by name, and its input: `images` is the batch, in which a clip of 16 frames counts as 8 and a volume, or
    what a decoder makes, as 64."""

    def __init__(self, name, images):
        if ".py:" in name:
            raise WrongInput(f"{name}: only the command 'networks' measures functions of files")
        self.name = name
        share, self.size = 1, (3, 224, 224)
        self.described = described.found(name)
        if self.described is not None:
            share, self.size = self._share_and_size(*self.described)
        elif name in _VIDEO:
            share, self.size = 8, (3, 16, 112, 112)
        elif name.startswith("unet3d_"):
            share, self.size = 64, (1, *[self._edge(name)] * 3)
        elif name == "tiny":
            self.size = (3, 16, 16)
        elif name.startswith(("inception_v3", "inception_v4", "xception")):
            self.size = (3, 299, 299)
        self.batch = max(1, images // share)
        self.memory_format = {2: torch.contiguous_format, 3: torch.channels_last, 4: torch.channels_last_3d}[len(self.size)]

    def _share_and_size(self, described, numbers):
        for number in numbers:
            if number == 0 or number % described.multiple != 0:
                raise WrongInput(f"the network is '{self.name}', but a number of {described.name} must be a multiple of "
                                 f"{described.multiple}, not {number}")
        return described.share, described.size(*numbers)

    @staticmethod
    def _edge(name):
        edge = name[len("unet3d_"):]
        if not edge.isdigit() or int(edge) < 8 or int(edge) % 8 != 0:
            raise WrongInput(f"the network is '{name}', but a U-Net is unet3d_EDGE with a multiple of 8, as unet3d_64")
        return int(edge)

    def build(self):
        """Builds it with random weights, on the CPU."""
        if self.described is not None:
            return self.described[0].build(CLASSES)
        if self.name == "tiny":
            return _tiny()
        if self.name.startswith("unet3d_"):
            return UNet3d()
        missing = []
        for package, make in (("torchvision", _of_torchvision), ("timm", _of_timm)):
            try:
                model = make(self.name)
            except ImportError as e:
                missing.append(f"{package} cannot be imported: {e}")
                continue
            if model is not None:
                return model
            missing.append(f"{package} has no such network")
        raise WrongInput(f"the network '{self.name}' is unknown: {'; '.join(missing)}")

    def inputs(self, device, dtype):
        """A random batch, as the model's arguments."""
        x = torch.randn(self.batch, *self.size, device=device).to(dtype)
        return (x.contiguous(memory_format=self.memory_format),)

    def loss(self, model, inputs, labels):
        """Cross entropy of the first result; if there is a result for each voxel, all have the same label. Where there are
        fewer classes, as of a decoder, labels are taken modulo their number."""
        y = first_tensor(model(*inputs)).float()
        labels = labels % y.size(1)
        return F.cross_entropy(y, labels.view(-1, *[1] * (y.dim() - 2)).expand(-1, *y.shape[2:]))


def first_tensor(result):
    """The first tensor of floating-point numbers in a network's result, which may be a tuple, a list, a dictionary or a
    dataclass."""
    pending = [result]
    while pending:
        value = pending.pop(0)
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return value
        if isinstance(value, dict):
            pending[:0] = value.values()
        elif isinstance(value, (tuple, list)):
            pending[:0] = value
        elif dataclasses.is_dataclass(value):
            pending[:0] = [getattr(value, field.name) for field in dataclasses.fields(value)]
    raise TypeError(f"the result, a {type(result).__name__}, has no tensor of floating-point numbers")


def in_channels_last(tensor):
    """The tensor in channels last, if it is one of images or of volumes."""
    # contiguous() would leave weights of one channel or one tap as they are, which says channels first
    return tensor.to(memory_format=_LAST[tensor.dim()]) if tensor.dim() in _LAST else tensor


def in_memory_format(model, memory_format):
    """The model, with weights of images and of volumes in channels last if memory_format is one of both; Module.to() takes
    one of them, and refuses networks that have both."""
    if memory_format != torch.contiguous_format:
        for parameter in model.parameters():
            parameter.data = in_channels_last(parameter.data)
    return model


def convolutions(network, device):
    """Returns [(problem, use)] in the order of the first calls. Runs a small batch, and scales it to the network's.

    A direction is counted if training computes it: the first layer's input needs no gradient.
    """
    found, small = {}, 2
    model = network.build().to(device).eval()

    def note(module, inputs, output):
        problem = _problem_of(module, inputs[0], output, small, network)
        use = found.setdefault(problem, Use(network.name, True, problem.text(), {d: 0 for d in DIRECTIONS}))
        for direction in DIRECTIONS:
            use.counts[direction] += direction != "backward_data" or inputs[0].requires_grad

    for module in model.modules():
        if isinstance(module, _CONVOLUTIONS):
            module.register_forward_hook(note)
    try:
        model(torch.randn(small, *network.size, device=device))
    except RuntimeError as e:
        raise WrongInput(f"{network.name} does not run on {' x '.join(map(str, network.size))}: {e}")
    return list(found.items())


def _problem_of(module, x, y, small, network):
    where = f"{network.name}: {module}"
    if x.shape[0] % small != 0:
        raise WrongInput(f"{where} got a batch of {x.shape[0]}, no multiple of the network's, {small}")
    if isinstance(module.padding, str) or module.padding_mode != "zeros":
        raise WrongInput(f"{where}: its padding is not measured")
    rank = x.dim() - 2
    transposed = isinstance(module, (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d))
    output_padding = tuple(module.output_padding) if transposed else (0,) * rank
    pads = tuple(module.padding)
    problem = Problem(module.groups, x.shape[0] // small * network.batch, module.in_channels, module.out_channels,
                      tuple(module.kernel_size), tuple(x.shape[2:]), tuple(module.stride), tuple(module.dilation), pads,
                      pads, transposed, output_padding)
    if problem.output != tuple(y.shape[2:]):
        raise WrongInput(f"{where}: its result has lengths {tuple(y.shape[2:])}, not {problem.output}")
    return problem
