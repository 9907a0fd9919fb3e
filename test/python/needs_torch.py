"""Imported first by tests that need PyTorch: without it they end as not run."""
import sys

try:
    import torch
except ImportError:
    print("not run: PyTorch is not installed (Debian: python3-torch)")
    sys.exit(77)

torch.manual_seed(1)
# In PyTorch 1.13 and 2.11, oneDNN's gradients of 1x1 convolutions with strides, channels last, write outside their memory on
# some CPUs. torch.compile's code for CPUs needs it.
if torch.__version__ < "2":
    torch.backends.mkldnn.enabled = False


def integers(*size, dtype=torch.float64):
    """-1, 0 and 1: sums of up to 256 are exact in every type."""
    return torch.randint(-1, 2, size).to(dtype)
