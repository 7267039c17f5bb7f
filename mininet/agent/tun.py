"""The TUN device that the kernel's TCP talks to."""

import fcntl
import os
from struct import pack

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000


def open_tun(name):
    """Makes a TUN device, which vanishes with its file descriptor; packets are bare IP, one a read."""
    try:
        fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise OSError(error.errno, "/dev/net/tun: %s" % error.strerror) from error
    try:
        fcntl.ioctl(fd, TUNSETIFF, pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    except OSError as error:
        os.close(fd)
        raise OSError(error.errno, "TUN device %s: %s" % (name, error.strerror)) from error
    return fd
