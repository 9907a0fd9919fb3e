"""Convolutions computed by the library libck_conv.so.

With PyTorch, replace(model) and fuse(model) make the library compute a model's convolutions and norms, tune(model) measures
which kernels are the fastest, and conv1d() to conv_transpose3d() have the arguments of torch.nn.functional's. Without PyTorch,
describe a convolution in a Spec and run its Plan. If the library cannot compute something, it raises Refused, a ValueError that
says which value breaks which rule. docs/python.md of the library explains the package."""
from ._c.interface import Error, Refused, is_batch_invariant, set_batch_invariant, set_workspace_limit, version
from .plan import Plan, Spec, clear_plan_cache

try:
    import torch as _torch
except ImportError:
    _torch = None

if _torch is not None:
    from .causal import CausalConv1d, CausalConv2d, CausalConv3d, CausalState
    from .functional import (causal_conv1d, causal_conv2d, causal_conv3d, conv1d, conv2d, conv3d, conv_transpose1d,
                             conv_transpose2d, conv_transpose3d, scaled_conv, scaled_conv_input, scaled_conv_weight)
    from .modules import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
    from ._replace.replace import Report, replace
    from ._fuse.fuse import FuseReport, fuse
    from ._tune import TuneReport, Tuned, tune
else:
    def __getattr__(name):
        if name.lower().startswith(("conv", "causal", "scaled")) or name in ("replace", "Report", "fuse", "FuseReport", "tune", "Tuned", "TuneReport"):
            raise AttributeError(f"ck_conv.{name} needs PyTorch, which cannot be imported")
        raise AttributeError(f"module 'ck_conv' has no attribute '{name}'")
