"""The command `ptoas`, a few lines over the library for each of its commands.

How its process works is said here, before anything else is imported.
"""

import atexit
import gc
import os

gc.set_threshold(1_000_000, 20, 20)
"""A command keeps most of the objects that it makes to its end: a hundred thousand after its imports. Looking
every 700 for what can be thrown away takes a tenth of a short command's time."""
atexit.register(gc.freeze)
"""Nor is anything looked for at the end, three times over, in all modules that are then thrown away."""
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
"""The threads that NumPy keeps for products of matrices wait for work in a loop, some 50 ms each, before they
sleep: half of what importing NumPy takes. With this they sleep at once, and are woken for a product."""
