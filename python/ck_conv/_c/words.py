"""The words of specs, and their numbers in ck/conv.h."""
from . import interface as c

DIRECTIONS = {"forward": c.FORWARD, "backward_data": c.BACKWARD_DATA, "backward_weight": c.BACKWARD_WEIGHT}
TYPES = {"f64": c.F64, "f32": c.F32, "f16": c.F16, "bf16": c.BF16, "i8": c.I8, "f8": c.F8, "bf8": c.BF8,
         "f8_ocp": c.F8_OCP, "bf8_ocp": c.BF8_OCP, "tf32": c.TF32, "u8": c.U8, None: c.OWN}
LAYOUTS = {"channels_last": c.CHANNELS_LAST, "channels_first": c.CHANNELS_FIRST, "strided": c.STRIDED}
ACTIVATIONS = {None: 0, "relu": 1, "silu": 2, "gelu": 3, "clamp": 4, "leaky_relu": 5, "hard_swish": 6, "hard_sigmoid": 7,
               "sigmoid": 8}
RESIDUALS = {None: 0, "before_activation": 1, "after_activation": 2}
