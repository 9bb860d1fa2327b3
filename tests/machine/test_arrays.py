"""Detection of shared bytes of two arrays with difficult strides."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ptoas.machine.arrays import share_bytes


def test_arrays_share_bytes_or_do_not() -> None:
    memory = np.zeros((8, 8), np.float32)
    assert share_bytes(memory, memory) and share_bytes(memory[:, :5], memory[:, 4:])
    assert not share_bytes(memory[:, :4], memory[:, 4:])  # their bounds meet, their bytes do not
    assert not share_bytes(memory[::2], memory[1::2])


def test_a_question_too_hard_raises_no_alarm() -> None:
    memory = np.zeros(192_163_377, np.int8)
    a = as_strided(memory, strides=(36674, 61119, 85569), shape=(1049, 1049, 1049))
    b = as_strided(memory[64_023_025:], strides=(12223, 12224, 1), shape=(1049, 1049, 1))
    assert np.may_share_memory(a, b) and not share_bytes(a, b)
