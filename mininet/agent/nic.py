"""Raw frames in and out of one of the host's NICs, past the kernel's IP."""

import fcntl
import socket
from struct import Struct, pack, unpack_from

ETH_P_ALL = 0x0003
SOL_PACKET = 263
PACKET_AUXDATA = 8
PACKET_IGNORE_OUTGOING = 23
SO_RCVBUFFORCE = 33
SIOCGIFMTU = 0x8921

TP_STATUS_VLAN_VALID = 0x10
#: struct tpacket_auxdata: status, length, captured length, mac, net, VLAN tag, VLAN type
AUXDATA = Struct("IIIHHHH")
ANCILLARY_SPACE = socket.CMSG_SPACE(AUXDATA.size)

#: Bytes of frames that wait to be read.
RECEIVE_BUFFER = 4 << 20


class Nic:
    """`mac` and `gateway` are six bytes each: its own address and the one that frames are sent to."""

    def __init__(self, name, mac, gateway):
        self.name = name
        self.mac = mac
        self.gateway = gateway
        #: Frames that did not go out: the device was down or its queue full.
        self.lost = 0
        # Protocol 0 receives nothing until bind() names the device.
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER)
        except PermissionError:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        try:
            self.socket.bind((name, ETH_P_ALL))
        except OSError as error:
            self.socket.close()
            raise OSError(error.errno, "NIC %s: %s" % (name, error.strerror)) from error
        self._send = self.socket.send
        self.receive_into = self.socket.recv_into

    def fileno(self):
        return self.socket.fileno()

    def mtu(self):
        answer = fcntl.ioctl(self.socket, SIOCGIFMTU, pack("16s24x", self.name.encode()))
        return unpack_from("16si", answer)[1]

    def report_tags(self):
        """Makes `receive_tagged` know VLAN tags, which the kernel takes out of frames."""
        self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)

    def receive_tagged(self, buffer):
        """Reads a frame into `buffer`; its length and its VLAN id, 0 where it has no tag."""
        length, ancillary, _flags, _address = self.socket.recvmsg_into([buffer], ANCILLARY_SPACE)
        for level, kind, data in ancillary:
            if level == SOL_PACKET and kind == PACKET_AUXDATA and len(data) >= AUXDATA.size:
                fields = AUXDATA.unpack_from(data)
                if fields[0] & TP_STATUS_VLAN_VALID:
                    return length, fields[5] & 0xFFF
        return length, 0

    def send(self, frame):
        try:
            self._send(frame)
        except OSError:
            # As on a wire: what does not go out is lost.
            self.lost += 1

    def close(self):
        self.socket.close()
