"""ctypes with checked values for C structs and parameters. ctypes itself truncates numbers that do not fit, and cuts texts
at their first zero. Every number that is passed to C goes through whole() or real()."""
import ctypes
import operator
import reprlib
from ctypes import c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_void_p

from .errors import Refused


def limits(kind):
    """Returns (least, most) of a C integer type."""
    bits = 8 * ctypes.sizeof(kind)
    return (0, 2 ** bits - 1) if kind(-1).value != -1 else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)


LIMITS = {kind: limits(kind) for kind in (c_int, c_int64, c_size_t)}
LIMITS[c_void_p] = LIMITS[c_size_t]


def is_bool(value):
    """Whether it is a bool, also of NumPy, or a tensor of bool."""
    return isinstance(value, bool) or str(getattr(value, "dtype", "")).endswith("bool")


def shown(number):
    """A number as text in a message; Python refuses to print numbers with thousands of digits."""
    return str(number) if number.bit_length() < 200 else f"beyond {'-' if number < 0 else ''}2^{number.bit_length() - 1}"


def whole(value, name, kind=c_int64):
    """The value as an int that fits the C type. Accepts ints and exact equivalents, such as NumPy's integers. Other types,
    including bool and float, raise TypeError; values that do not fit are refused."""
    if type(value) is not int:
        try:
            if is_bool(value):
                raise TypeError
            value = operator.index(value)
        except TypeError:
            raise TypeError(f"{name} is {reprlib.repr(value)}, but must be a whole number") from None
    least, most = LIMITS[kind]
    if not least <= value <= most:
        raise Refused(f"{name} is {shown(value)}, but must be from {least} to {most}")
    return value


def listed(value, name):
    """The values of a list or the like, which are not checked."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__") or getattr(value, "ndim", 1) == 0:
        raise TypeError(f"{name} is {reprlib.repr(value)}, but must be a list of whole numbers")
    return list(value)


def real(value, name):
    """The value as a float. c_float turns values that are too large into inf, which the library checks."""
    try:
        if is_bool(value) or isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {reprlib.repr(value)}, but must be a number") from None
    except OverflowError:
        raise Refused(f"{name} is {shown(value)}, which is too large for a float") from None


def flag(value, name):
    """The value, a bool, also of NumPy, as a bool. Anything else raises TypeError: texts such as "no" would be true."""
    if not is_bool(value) or getattr(value, "shape", ()) != ():
        raise TypeError(f"{name} is {reprlib.repr(value)}, but must be True or False")
    return bool(value)


def text(value, name):
    """A str or bytes as bytes without a zero; None stays None."""
    if isinstance(value, str):
        try:
            value = value.encode()
        except UnicodeEncodeError:
            raise Refused(f"{name} is {reprlib.repr(value)}, which UTF-8 cannot encode") from None
    if value is not None and not isinstance(value, bytes):
        raise TypeError(f"{name} is {reprlib.repr(value)}, but must be a str")
    if value is not None and b"\0" in value:
        raise Refused(f"{name} has a zero byte in it, at which C texts end")
    return value


def checked(kind, value, name):
    """The value, checked, for a field of the C type."""
    if kind in LIMITS:
        return None if value is None and kind is c_void_p else whole(value, name, kind)
    if kind in (c_float, c_double):
        return real(value, name)
    if kind is c_char_p:
        return text(value, name)
    if issubclass(kind, ctypes.Array):
        values, array = [whole(v, name, kind._type_) for v in value], kind()
        ctypes.Array.__setitem__(array, slice(len(values)), values)  # the type's own would check them again
        return array
    raise TypeError(f"{name} has the type {kind.__name__}, of which nothing is known here")


def array(kind, length):
    """The type of a C array of integers."""
    def set_items(self, where, values):
        many = isinstance(where, slice)
        ctypes.Array.__setitem__(self, where, [whole(v, "a value", kind) for v in values] if many else
                                 whole(values, "a value", kind))

    return type(f"{kind.__name__}_{length}", (kind * length,), {"_type_": kind, "_length_": length,
                                                               "__setitem__": set_items})


class Structure(ctypes.Structure):
    """A C struct whose fields are checked when they are set."""

    def __init_subclass__(cls, **arguments):
        super().__init_subclass__(**arguments)
        cls._kinds = dict(cls.__dict__["_fields_"])

    def __setattr__(self, name, value):
        kind = self._kinds.get(name)
        if kind is None:
            raise AttributeError(f"{type(self).__doc__} has no field '{name}'")
        ctypes.Structure.__setattr__(self, name, checked(kind, value, name))


def parameter(kind, name):
    """The checked type of a C function's parameter."""
    def from_param(cls, value):
        return kind(checked(kind, value, name))

    return type(f"{kind.__name__}_parameter", (kind,), {"from_param": classmethod(from_param)})
