"""
The network between two hosts of a test: passes frames from one NIC to the other, drops without a sign what it is told
to drop, and reports which selectors it has seen.

    python3 relay.py LEFT:RIGHT [LEFT:RIGHT ...]

Requests on stdin, one JSON object a line: {"drop": {"right": [selectors], "left": [selectors]}} names what is lost on
its way to the right and to the left; "all" in place of a list loses everything. {"skip": [n, ...]} loses the n-th frame
to the right from now on, counted from 1. {"report": true} prints
{"right": {...}, "left": {...}}: by "LINK/SELECTOR" how many frames came, and one of the last in hex.
"""

import json
import os
import select
import socket
import struct
import sys

SOL_PACKET, AUXDATA, IGNORE_OUTGOING, VLAN_VALID = 263, 8, 23, 0x10


class Side:
    def __init__(self, name, link, direction):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
        self.socket.setsockopt(SOL_PACKET, IGNORE_OUTGOING, 1)
        self.socket.setsockopt(SOL_PACKET, AUXDATA, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, 33, 4 << 20)
        self.socket.bind((name, 3))
        self.link = link
        #: Where frames that come in here are going.
        self.direction = direction
        self.other = None

    def receive(self):
        frame, ancillary, _flags, _address = self.socket.recvmsg(4096, 64)
        for _level, _kind, data in ancillary:
            status, _l, _s, _m, _n, tag, _t = struct.unpack_from("IIIHHHH", data)
            if status & VLAN_VALID:
                return frame[:12] + b"\x81\x00" + struct.pack("!H", tag) + frame[12:]
        return frame


def selector_of(frame, field):
    """None for what is no IP packet to one host: kernels announce themselves before an agent has their NIC."""
    if frame[0] & 1:
        return None
    kind, at, vlan = frame[12:14], 14, 0
    if kind == b"\x81\x00":
        vlan, kind, at = struct.unpack("!H", frame[14:16])[0] & 0xFFF, frame[16:18], 18
    if kind == b"\x08\x00":
        dscp, label = frame[at + 1] >> 2, 0
    elif kind == b"\x86\xdd":
        first = struct.unpack("!I", frame[at : at + 4])[0]
        dscp, label = first >> 22 & 0x3F, first & 0xFFFFF
    else:
        return None
    return {"dscp": dscp, "vlan": vlan, "flow_label": label, "dscp_flow_label": label * 64 + dscp}[field]


def main():
    field, sides = sys.argv[1], {}
    for link, pair in enumerate(sys.argv[2:]):
        left, right = pair.split(":")
        a, b = Side(left, link, "right"), Side(right, link, "left")
        a.other, b.other = b, a
        sides[a.socket.fileno()], sides[b.socket.fileno()] = a, b
    drop = {"right": [], "left": []}
    seen = {"right": {}, "left": {}}
    skip, passed = [], 0
    poll = select.epoll()
    for fd in [0, *sides]:
        poll.register(fd, select.EPOLLIN)
    print("{}", flush=True)
    requests = b""
    while True:
        for fd, _events in poll.poll():
            if fd == 0:
                data = os.read(0, 65536)
                if not data:
                    return
                requests += data
                while b"\n" in requests:
                    line, requests = requests.split(b"\n", 1)
                    request = json.loads(line)
                    drop.update(request.get("drop", {}))
                    if "skip" in request:
                        skip, passed = request["skip"], 0
                    print(json.dumps(seen if "report" in request else {}), flush=True)
                continue
            side = sides[fd]
            for _ in range(64):
                try:
                    frame = side.receive()
                except OSError:
                    break
                selector = selector_of(frame, field)
                if selector is None:
                    continue
                count = seen[side.direction].setdefault("%d/%d" % (side.link, selector), [0, ""])
                count[0] += 1
                count[1] = frame[:200].hex()
                if side.direction == "right":
                    passed += 1
                    if passed in skip:
                        continue
                lost = drop[side.direction]
                if lost == "all" or selector in lost:
                    continue
                try:
                    side.other.socket.send(frame)
                except OSError:
                    pass


main()
