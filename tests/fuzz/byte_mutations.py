"""Changes that know nothing of the language: bytes, encodings, line ends."""

from __future__ import annotations

from random import Random

_ODD = (
    *(
        b"\x00",
        b"\xff",
        b"\xfe\xff",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xc3",
        b"\xef\xbb\xbf",
    ),
    *(b"\r", b"\r\n", b"\x0b", b"\x0c", b"\x1b[31m", b"\x7f", b"\x85", "\u2028".encode(), "\u202e".encode()),
    *("é".encode(), "𝕏".encode(), "\u0301".encode(), "ﬁ".encode(), "\u00a0".encode(), "İ".encode()),
    *(b"{", b"}", b"(", b")", b"<", b">", b"[", b"]", b'"', b"\\", b"%", b"#", b"//", b"!", b"@", b"^", b":"),
)


def flip(data: bytearray, random: Random) -> None:
    at = random.randrange(len(data))
    data[at] ^= 1 << random.randrange(8)


def insert(data: bytearray, random: Random) -> None:
    at = random.randrange(len(data) + 1)
    data[at:at] = random.choice(_ODD)


def delete(data: bytearray, random: Random) -> None:
    at = random.randrange(len(data))
    del data[at : at + random.choice((1, 1, 1, 2, 4, 16, 64))]


def cut_off(data: bytearray, random: Random) -> None:
    del data[random.randrange(len(data)) :]


def copy_over(data: bytearray, random: Random) -> None:
    start, at = random.randrange(len(data)), random.randrange(len(data) + 1)
    data[at:at] = data[start : start + random.randrange(1, 64)]


def repeat(data: bytearray, random: Random) -> None:
    """One byte very often: deep brackets, long names, long lines."""
    at = random.randrange(len(data))
    data[at:at] = data[at : at + 1] * random.choice((10, 100, 1000, 5000))


def change_line_ends(data: bytearray, random: Random) -> None:
    data[:] = data.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n\n", b" ", b"\n\t", "\u2028".encode())))


def join_lines(data: bytearray, random: Random) -> None:
    """A very long line, or a comment that swallows what follows."""
    data[:] = data.replace(b"\n", random.choice((b" ", b"\x0c", b";")), random.randrange(1, 50))


def mark_order(data: bytearray, _: Random) -> None:
    data[0:0] = b"\xef\xbb\xbf"


MUTATIONS = (
    flip,
    insert,
    insert,
    delete,
    cut_off,
    copy_over,
    repeat,
    change_line_ends,
    join_lines,
    mark_order,
)


def mutate(data: bytes, random: Random) -> bytes:
    result = bytearray(data or b"\n")
    random.choice(MUTATIONS)(result, random)
    return bytes(result)
