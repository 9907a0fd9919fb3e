"""torch.nn's convolutions, computed by the library; replace() changes those of a model in place."""
from torch import nn
from torch.nn import functional as F

from . import functional


def _tensors(module):
    """Weight and bias. nn.Module.__getattr__() takes a microsecond for both; hooks like weight_norm need it."""
    own = module._parameters
    return (own["weight"], own["bias"]) if "weight" in own and "bias" in own else (module.weight, module.bias)


class _Conv:
    def forward(self, input):
        return self._conv_forward(input, *_tensors(self))

    def _conv_forward(self, input, weight, bias):
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return self._function(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Conv, nn.Conv1d):
    """torch.nn.Conv1d"""
    _function = staticmethod(functional.conv1d)


class Conv2d(_Conv, nn.Conv2d):
    """torch.nn.Conv2d"""
    _function = staticmethod(functional.conv2d)


class Conv3d(_Conv, nn.Conv3d):
    """torch.nn.Conv3d"""
    _function = staticmethod(functional.conv3d)


class _ConvTranspose:
    def forward(self, input, output_size=None):
        rank = len(self.kernel_size)
        padding = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, rank,
                                       self.dilation)
        return self._function(input, *_tensors(self), self.stride, self.padding, tuple(padding), self.groups,
                              self.dilation)


class ConvTranspose1d(_ConvTranspose, nn.ConvTranspose1d):
    """torch.nn.ConvTranspose1d"""
    _function = staticmethod(functional.conv_transpose1d)


class ConvTranspose2d(_ConvTranspose, nn.ConvTranspose2d):
    """torch.nn.ConvTranspose2d"""
    _function = staticmethod(functional.conv_transpose2d)


class ConvTranspose3d(_ConvTranspose, nn.ConvTranspose3d):
    """torch.nn.ConvTranspose3d"""
    _function = staticmethod(functional.conv_transpose3d)


OURS = {nn.Conv1d: Conv1d, nn.Conv2d: Conv2d, nn.Conv3d: Conv3d, nn.ConvTranspose1d: ConvTranspose1d,
        nn.ConvTranspose2d: ConvTranspose2d, nn.ConvTranspose3d: ConvTranspose3d}


def replace(model, only=None):
    """Has the library compute the model's convolutions: parameters, hooks and state stay where they are.

    only(name, module): whether this one, too. Modules of classes derived from torch.nn's are left alone. Returns the
    model.
    """
    for name, module in model.named_modules():
        ours = OURS.get(type(module))
        if ours is not None and (only is None or only(name, module)):
            module.__class__ = ours
    return model
