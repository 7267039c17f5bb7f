"""Internet checksums (RFC 1071), whole and by what changes (RFC 1624)."""

import sys


def fold(total):
    """A sum of 16-bit words, folded into 16 bits."""
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def sum_words(data):
    """Sum of big-endian 16-bit words; a last single byte counts as the high one."""
    if len(data) % 2:
        data = bytes(data) + b"\0"
    words = memoryview(data).cast("H")
    total = fold(sum(words))
    return total if sys.byteorder == "big" else (total & 0xFF) << 8 | total >> 8


def transport_checksum(src_and_dst, protocol, segment):
    """Checksum of a TCP or UDP segment whose own checksum field holds 0."""
    pseudo = sum_words(src_and_dst) + protocol + len(segment)
    return ~fold(pseudo + sum_words(segment)) & 0xFFFF
