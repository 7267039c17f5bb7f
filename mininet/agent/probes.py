"""
Probes: UDP datagrams from agent to agent that tell which selectors' paths work, each direction for itself.

A probe leaves on one selector and names the selectors of its replies; the other agent sends one reply on each. A
probe that got any reply has arrived: its forward path works. Of the probes that have arrived, the replies on
one selector tell of that reverse path. The agents keep probes from the kernel, so their ports may be any.
"""

import time
from struct import Struct

from addresses import make_key, reverse_key, split_key
from checks import address, numbers, whole
from checksum import fold, sum_words, transport_checksum
from segment import Ipv4, Ipv6
from selector_field import FIELD_BITS

PROTOCOL_UDP = 17
HOP_LIMIT = 64
MAGIC = b"p4loomPr"
#: Magic, kind, number of reply selectors, id of the request, number of the probe, selector it left on, nanoseconds
#: when it left.
HEADER = Struct("!8sBBxxIIIQ")
PROBE, REPLY = 0, 1

MOST_FORWARD = 4096
MOST_REVERSE = 64
MOST_PROBES = 100_000
MOST_REQUESTS = 64


class ProbeRequest:
    def __init__(self, request, config):
        """Raises ValueError with the member's name."""
        limit = 1 << FIELD_BITS[config.field]
        self.id = whole(request, "id", 0, 2**32 - 1)
        self.to = address(request, "to")
        self.source = config.ipv4 if len(self.to) == 4 else config.ipv6
        if self.source is None:
            raise ValueError("to: this host has no address of the family of %s" % request["to"])
        self.port = whole(request, "port", 1, 65535)
        self.client_port = whole(request, "clientPort", 1, 65535)
        self.forward = numbers(request, "forward", MOST_FORWARD, limit)
        self.reverse = numbers(request, "reverse", MOST_REVERSE, limit)
        self.count = whole(request, "count", 1, 1000, 3)
        self.interval_ns = whole(request, "intervalNs", 0, 10**10, 1_000_000)
        self.timeout_ns = whole(request, "timeoutNs", 1, 10**11, 500_000_000)
        if len(self.forward) * self.count > MOST_PROBES:
            raise ValueError("count: at most %d probes at once" % MOST_PROBES)


class Probes:
    def __init__(self, loop, data_path, events, addresses):
        self._loop = loop
        self._data_path = data_path
        self._events = events
        self._addresses = addresses
        self._trials = {}

    def add(self, request):
        if request.id in self._trials:
            raise ValueError("id: there are probes %d already" % request.id)
        if len(self._trials) >= MOST_REQUESTS:
            raise ValueError("%d requests for probes are under way already" % MOST_REQUESTS)
        trial = Trial(request, self._loop, self._send, self._done)
        self._trials[request.id] = trial
        trial.next()

    def _done(self, trial):
        del self._trials[trial.request.id]
        self._events.send("probed", id=trial.request.id, **trial.report())

    def _send(self, key, payload, selector):
        family = Ipv4 if len(key) == 12 else Ipv6
        self._data_path.send_marked(family, key, PROTOCOL_UDP, datagram(key, payload), selector)

    def receive(self, family, packet, header, selector):
        """Takes a datagram; False when it is no probe of ours."""
        start = header + 8
        if len(packet) < start + HEADER.size or packet[start : start + 8] != MAGIC or header != family.length:
            return False
        if transport_checksum(addresses_of(family, packet), PROTOCOL_UDP, packet[header:]) != 0:
            return False
        _magic, kind, replies, number, index, left_on, left_at = HEADER.unpack_from(packet, start)
        key = addresses_of(family, packet) + packet[header : header + 4]
        if split_key(key)[1] not in self._addresses:
            return False
        if kind == PROBE:
            data = packet[start + HEADER.size :]
            if len(data) < 4 * replies or replies > MOST_REVERSE:
                return False
            payload = HEADER.pack(MAGIC, REPLY, 0, number, index, left_on, left_at)
            for i in range(replies):
                answer = int.from_bytes(data[4 * i : 4 * i + 4], "big")
                self._send(reverse_key(key), payload, answer)
        else:
            trial = self._trials.get(number)
            if trial is not None and reverse_key(key) == trial.key:
                trial.reply(index, selector, time.monotonic_ns() - left_at)
        return True


class Trial:
    """The probes of one request."""

    def __init__(self, request, loop, send, done):
        self.request = request
        self.key = make_key(request.source, request.to, request.client_port, request.port)
        self._loop = loop
        self._send = send
        self._done = done
        self._over = False
        # Round by round, so that the probes of one selector are apart in time.
        self._plan = [selector for _ in range(request.count) for selector in request.forward]
        self._sent = 0
        #: By probe: the selectors that replies came on.
        self._replies = [set() for _ in self._plan]
        self._missing = len(self._plan) * len(request.reverse)
        self._rtts = []

    def next(self):
        request = self.request
        selector = self._plan[self._sent]
        now = time.monotonic_ns()
        payload = HEADER.pack(MAGIC, PROBE, len(request.reverse), request.id, self._sent, selector, now)
        self._sent += 1
        self._send(self.key, payload + b"".join(value.to_bytes(4, "big") for value in request.reverse), selector)
        if self._sent < len(self._plan):
            self._loop.at(now + request.interval_ns, self.next)
        else:
            self._loop.at(now + request.timeout_ns, self._end)

    def reply(self, index, selector, rtt):
        if index >= self._sent or selector in self._replies[index] or selector not in self.request.reverse:
            return
        self._replies[index].add(selector)
        self._rtts.append(rtt)
        self._missing -= 1
        if self._missing == 0:
            self._end()

    def _end(self):
        if not self._over:
            self._over = True
            self._done(self)

    def report(self):
        request = self.request
        arrived = [bool(replies) for replies in self._replies]
        forward = [
            {
                "selector": selector,
                "sent": request.count,
                "received": sum(
                    came for probe, came in zip(self._plan, arrived) if probe == selector
                ),
            }
            for selector in request.forward
        ]
        reverse = [
            {
                "selector": selector,
                "sent": sum(arrived),
                "received": sum(selector in replies for replies in self._replies),
            }
            for selector in request.reverse
        ]
        return {"forward": forward, "reverse": reverse, "minRttNs": min(self._rtts, default=None)}


def addresses_of(family, packet):
    return packet[12:20] if family is Ipv4 else packet[8:40]


def datagram(key, payload):
    """An IP packet with a UDP datagram, checksums in place; its key says addresses and ports."""
    addresses, ports = key[:-4], key[-4:]
    length = 8 + len(payload)
    segment = ports + length.to_bytes(2, "big") + b"\0\0" + payload
    # 0 would mean that there is no checksum (RFC 768).
    checksum = transport_checksum(addresses, PROTOCOL_UDP, segment) or 0xFFFF
    segment = segment[:6] + checksum.to_bytes(2, "big") + payload
    if len(addresses) == 8:
        header = bytearray(20)
        header[0] = 0x45
        header[2:4] = (20 + length).to_bytes(2, "big")
        header[6] = 0x40
        header[8], header[9] = HOP_LIMIT, PROTOCOL_UDP
        header[12:20] = addresses
        header[10:12] = (~fold(sum_words(header)) & 0xFFFF).to_bytes(2, "big")
    else:
        header = bytearray(40)
        header[0] = 0x60
        header[4:6] = length.to_bytes(2, "big")
        header[6], header[7] = PROTOCOL_UDP, HOP_LIMIT
        header[8:40] = addresses
    return bytes(header) + segment
