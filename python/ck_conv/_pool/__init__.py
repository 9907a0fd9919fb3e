"""Batch, group, instance, layer and RMS norms of tensors, and the modules that compute them."""
