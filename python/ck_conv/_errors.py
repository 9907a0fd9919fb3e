"""What the package raises of its own."""


class Error(RuntimeError):
    """What the library says went wrong."""


class Refused(Error, ValueError):
    """The convolution breaks a rule, or no kernel computes it; the text has the value and the rule."""
