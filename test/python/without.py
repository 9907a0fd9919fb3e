"""Imported first by tests of what works without PyTorch, which they cannot import."""
import sys

try:
    import numpy
except ImportError:
    print("not run: NumPy is not installed (Debian: python3-numpy)")
    sys.exit(77)

sys.modules["torch"] = None  # an import of it fails, as where it is not installed
import ck_conv
