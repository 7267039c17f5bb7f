"""Addresses and flow keys: bytes as they stand in packets, integers as choosers' hashes take them, text for people."""

import socket


def address_bytes(text):
    """Four or sixteen bytes. Raises ValueError where `text` is no address."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            return socket.inet_pton(family, text)
        except OSError:
            pass
    raise ValueError("%r is no IPv4 or IPv6 address" % (text,))


def address_text(data):
    return socket.inet_ntop(socket.AF_INET if len(data) == 4 else socket.AF_INET6, data)


def mac_bytes(text):
    parts = text.split(":")
    if len(parts) != 6 or not all(len(part) == 2 for part in parts):
        raise ValueError("%r is no MAC address such as 02:00:00:00:00:01" % (text,))
    return bytes(int(part, 16) for part in parts)


def make_key(src, dst, src_port, dst_port):
    """What packets of a flow show behind each other: both addresses, then both ports."""
    return src + dst + src_port.to_bytes(2, "big") + dst_port.to_bytes(2, "big")


def reverse_key(key):
    """The key of the other direction."""
    length = (len(key) - 4) // 2
    return key[length : 2 * length] + key[:length] + key[-2:] + key[-4:-2]


def split_key(key):
    """(source address, destination address, source port, destination port), the addresses in bytes."""
    length = (len(key) - 4) // 2
    ports = key[2 * length :]
    return key[:length], key[length : 2 * length], int.from_bytes(ports[:2], "big"), int.from_bytes(ports[2:], "big")


def flow_of(key, protocol):
    """The five-tuple as policies take it."""
    src, dst, src_port, dst_port = split_key(key)
    return int.from_bytes(src, "big"), int.from_bytes(dst, "big"), protocol, src_port, dst_port
