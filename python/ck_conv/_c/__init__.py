"""The C interface without PyTorch: the library's functions, checks of what is passed to them, and the geometry of convolutions."""
