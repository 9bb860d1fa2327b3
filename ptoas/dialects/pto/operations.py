"""Every instruction's class under its name; `operations.pyi` declares the arguments of its constructor."""

from ptoas.dialects.pto import OPS

globals().update({cls.__name__: cls for cls in OPS})
