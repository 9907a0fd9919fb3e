"""torch.nn's convolutions, computed by the library. _replace/replace.py gives a model's convolutions these classes."""
from torch import nn
from torch.nn import functional as F

from . import functional
from ._c.geometry import convolution, transposed
from ._conv.layer import recall
from ._conv.operators import is_compiling
from ._conv.scriptable import scriptable


def _tensors(module):
    """Returns weight and bias as attributes of the module, wherever they are: hooks such as weight_norm put them into the
    instance, parametrizations and functional_call() of PyTorch 1.13 into a class. nn.Module.__getattr__() takes a
    microsecond for both; for modules of exactly our classes, this reads its table directly."""
    own = module.__dict__
    if type(module) in _OWN and "weight" not in own and "bias" not in own:
        parameters = own["_parameters"]
        if "weight" in parameters and "bias" in parameters:
            return parameters["weight"], parameters["bias"]
    return module.weight, module.bias


class _Conv:
    def __prepare_scriptable__(self):
        """Called by torch.jit.script()."""
        return scriptable(self, type(self) in _OWN, lambda weight: convolution(
            self._rank, weight.shape, self.stride, 0 if self.padding_mode != "zeros" else self.padding, self.dilation,
            self.groups))

    def forward(self, input):
        own = self.__dict__
        if type(self) in _OWN and "_conv_forward" not in own and self.padding_mode == "zeros":
            weight, bias = _tensors(self)
            arguments = self.stride, self.padding, self.dilation, self.groups
            layer = None if is_compiling() else recall(convolution, self._rank, input, weight, bias, arguments)
            if layer is not None:
                return layer(input, weight, bias)
        return self._conv_forward(input, *_tensors(self))

    def _conv_forward(self, input, weight, bias):
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return self._function(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Conv, nn.Conv1d):
    """torch.nn.Conv1d, computed by the library."""
    _rank = 1
    _function = staticmethod(functional.conv1d)


class Conv2d(_Conv, nn.Conv2d):
    """torch.nn.Conv2d, computed by the library."""
    _rank = 2
    _function = staticmethod(functional.conv2d)


class Conv3d(_Conv, nn.Conv3d):
    """torch.nn.Conv3d, computed by the library."""
    _rank = 3
    _function = staticmethod(functional.conv3d)


class _ConvTranspose:
    def __prepare_scriptable__(self):
        return scriptable(self, type(self) in _OWN, lambda weight: transposed(
            len(self.kernel_size), weight.shape, self.stride, self.padding, self.output_padding, self.groups,
            self.dilation))

    def forward(self, input, output_size=None):
        rank = len(self.kernel_size)
        padding = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, rank,
                                       self.dilation)
        return self._function(input, *_tensors(self), self.stride, self.padding, tuple(padding), self.groups,
                              self.dilation)


class ConvTranspose1d(_ConvTranspose, nn.ConvTranspose1d):
    """torch.nn.ConvTranspose1d, computed by the library."""
    _function = staticmethod(functional.conv_transpose1d)


class ConvTranspose2d(_ConvTranspose, nn.ConvTranspose2d):
    """torch.nn.ConvTranspose2d, computed by the library."""
    _function = staticmethod(functional.conv_transpose2d)


class ConvTranspose3d(_ConvTranspose, nn.ConvTranspose3d):
    """torch.nn.ConvTranspose3d, computed by the library."""
    _function = staticmethod(functional.conv_transpose3d)


OURS = {nn.Conv1d: Conv1d, nn.Conv2d: Conv2d, nn.Conv3d: Conv3d, nn.ConvTranspose1d: ConvTranspose1d,
        nn.ConvTranspose2d: ConvTranspose2d, nn.ConvTranspose3d: ConvTranspose3d}
_OWN = set(OURS.values())
