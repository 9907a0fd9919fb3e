"""Runs PyTorch models on several GPUs: activations are divided along spatial dimensions among the ranks of process groups.

docs/distributed.md of the library explains it. Import it with `import ck_conv.distributed`.
"""
from . import _convolution, _norms, _shapes, _windows  # noqa: F401, they register what they compute
from ._exchange import RankLost
from ._model import gather, scatter, Split, split

__all__ = ["RankLost", "Split", "gather", "scatter", "split"]
