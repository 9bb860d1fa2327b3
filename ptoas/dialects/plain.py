"""A class of ours is what it inherits from, and nothing else."""

from __future__ import annotations

from abc import ABCMeta


class PlainMeta(ABCMeta):
    """An abstract class that no other can be registered for, and so needs no records of that.

    xDSL's classes are abstract ones in Python's sense: asked whether something is an instruction, each asks
    its two hundred subclasses in turn and remembers every answer, by weak references that Python then looks
    at whenever it looks for garbage.
    """

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__
