"""Project configuration, read in the same way as by `verify`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from ptoas.diagnostics import PtoasError
from ptoas.project import settings as configuration
from ptoas.project.verify_files import VerifyOptions, options_of

SECONDS = 2.0
"""Seconds before a configuration file is read again."""


class Project:
    """Configurations by folder; `say` receives each error once."""

    def __init__(self, say: Callable[[str], object] = lambda _: None):
        self.say = say
        self._known: dict[str, tuple[float, VerifyOptions]] = {}
        self._said: set[str] = set()

    def options(self, filename: str) -> VerifyOptions:
        """Return the settings for checking a file."""
        folder = os.path.dirname(os.path.abspath(filename))
        known = self._known.get(folder)
        if known is None or time.monotonic() - known[0] > SECONDS:
            known = self._known[folder] = time.monotonic(), self._load(filename)
        return known[1]

    def _load(self, filename: str) -> VerifyOptions:
        try:
            found = configuration.load(None, False, [filename])
            return options_of(found)
        except PtoasError as error:
            message = str(error)
            if message not in self._said:
                self._said.add(message)
                self.say(message)
            return VerifyOptions()
