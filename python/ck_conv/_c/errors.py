"""The exceptions of this package."""


class Error(RuntimeError):
    """An error that the library reported."""


class Refused(Error, ValueError):
    """The convolution breaks a rule, or no kernel computes it; the message has the value and the rule."""
