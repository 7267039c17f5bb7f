"""TCP_INFO of a socket (linux/tcp.h), as far as the kernel fills it in."""

import socket
from struct import unpack_from

#: Name, offset and format of the fields that are reported; kernels add fields at the end.
FIELDS = (
    ("caState", 1, "B"),
    ("kernelRetransmits", 2, "B"),
    ("backoff", 4, "B"),
    ("rtoUs", 8, "I"),
    ("sendMss", 16, "I"),
    ("rttUs", 68, "I"),
    ("rttVarUs", 72, "I"),
    ("congestionWindow", 80, "I"),
    ("retransmissions", 100, "I"),
    ("minRttUs", 148, "I"),
    ("bytesRetransmitted", 208, "Q"),
    ("kernelTimeouts", 240, "H"),
)

#: Value of `caState` after a retransmission timeout.
CA_LOSS = 4


def tcp_info(connection):
    """A dictionary with None for what this kernel does not tell."""
    data = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    sizes = {"B": 1, "H": 2, "I": 4, "Q": 8}
    return {
        name: unpack_from("=" + form, data, at)[0] if at + sizes[form] <= len(data) else None
        for name, at, form in FIELDS
    }
