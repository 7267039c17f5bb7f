"""
Between the kernel and the wire: packets from the TUN device get their mark and leave by a NIC, frames from
the NICs lose it and go to the TUN device.

TCP segments are marked as their flow's chooser says and carry the echo. A segment that the kernel sends again after
a timeout, and an acknowledgement of data that tell of a loss, may leave several times, once on each selector that
the chooser names. All other packets keep the mark that their application gave them. Nothing waits in
here: what a device does not take at once is lost, as on a wire.
"""

import os
import time
from collections import deque

from addresses import flow_of, reverse_key
from choosers import UNKNOWN
from segment import ACK, ECHO_EXPERIMENT, ECHO_KIND_AND_LENGTH, FIN, RST, SYN, Ipv4, Ipv6, Mark, make_room, pure_ack
from selector_field import headers_of, selector_of
from tcp_flow import TcpFlow

PROTOCOL_TCP = 6
PROTOCOL_UDP = 17

#: Packets from one device before the others get their turn.
BATCH = 64
#: Room in front of a packet for the Ethernet header, a tag and the echo.
AT = 32
#: What the headers leave of a read buffer is larger than any packet.
BUFFER = 1 << 16
#: Flows that are remembered. Beyond it the one that was opened first is forgotten: it starts afresh when it goes on.
MOST_FLOWS = 16384
#: Closed flows are remembered for their last segments to come.
LINGER_NS = 10_000_000_000

#: Data offset from which on the echo has no room, in the word that holds it.
NO_ROOM = 14 << 12
#: The same word of the shortest header that has an echo.
SHORTEST = 7 << 12


class DataPath:
    def __init__(self, tun, nics, addresses, field, policy, random, quiet_ns, watch_timeouts):
        """
        `addresses` are those of this host, `quiet_ns` is the time that a retransmission timer takes at the least, and
        `watch_timeouts(flow, selectors)` hears of all timeouts.
        """
        self._tun = tun
        self._nics = nics
        self._addresses = addresses
        self._field = field
        self._policy = policy
        self._random = random
        self._quiet = quiet_ns
        self._watch_timeouts = watch_timeouts
        self._tagged = field == "vlan"
        if self._tagged:
            for nic in nics:
                nic.report_tags()
        self._out = bytearray(BUFFER)
        self._out_view = memoryview(self._out)
        self._out_room = [self._out_view[AT:]]
        self._in = bytearray(BUFFER)
        self._in_view = memoryview(self._in)
        #: Flows by the key of what they send, and by that of what they receive.
        self._sending = {}
        self._receiving = {}
        self._closed = deque()
        #: Who is to watch a flow that will be opened, by the key of what it sends.
        self.watchers = {}
        #: Takes UDP datagrams that are probes; see probes.py.
        self.probes = None
        self.from_kernel = 0
        self.to_kernel = 0
        self.copies = 0
        #: Frames for other hosts or of no use, and packets of the kernel that stay in the host.
        self.rejected = 0
        self.kept = 0

    # Kernel to wire.

    def read_tun(self):
        readv, tun, room = os.readv, self._tun, self._out_room
        out = self._out
        for _ in range(BATCH):
            try:
                size = readv(tun, room)
            except BlockingIOError:
                return
            self.from_kernel += 1
            family = Ipv4 if out[AT] >> 4 == 4 else Ipv6
            if family.is_tcp(out, AT, size):
                self._send_segment(family, size)
            else:
                self._send_other(family, size)

    def _send_segment(self, family, size):
        out = self._out
        fields = family.HEADERS.unpack_from(out, AT)
        key, sequence, _ack, offset, _window, _sum, _urgent = fields[-7:]
        flow = self._sending.get(key)
        if flow is None or (offset & (SYN | ACK) == SYN and flow.first != sequence and flow.first is not None):
            flow = self._open(family, key, flow)
        length = size - family.length - (offset >> 12) * 4
        if offset & (SYN | FIN):
            length += (1 if offset & SYN else 0) + (1 if offset & FIN else 0)
        chooser = flow.chooser
        selectors = None
        if length and flow.sent(sequence, length, time.monotonic_ns(), self._quiet, self._is_timeout):
            selectors = chooser.on_timeout(flow.attempts)
            self._watch_timeouts(flow, selectors)
        answers = None
        if flow.answers is not None and offset & ACK:
            answers, flow.answers = flow.answers, None
            if length == 0 or offset & SYN:
                selectors = answers if selectors is None else selectors
                answers = None
        if answers is None and offset < NO_ROOM:
            # The usual way.
            if selectors is None:
                mark = flow.marks.get(chooser.selector) or flow.mark(chooser.selector)
                start = family.write_marked(out, AT, fields, mark, flow.echo)
                mark.send(self._out_view[start : AT + size])
            else:
                self._send_on(family, fields, size, flow, selectors)
        else:
            self._send_oddly(family, size, flow, [chooser.selector] if selectors is None else selectors, answers)
        if offset & (RST | FIN):
            self._end(flow, 3 if offset & RST else 1)

    def _send_on(self, family, fields, size, flow, selectors):
        self.copies += len(selectors) - 1
        for selector in selectors:
            mark = flow.mark(selector)
            start = family.write_marked(self._out, AT, fields, mark, flow.echo)
            mark.send(self._out_view[start : AT + size])

    def _send_oddly(self, family, size, flow, selectors, answers):
        """A segment without room for the echo, or with data beside an acknowledgement that has paths of its own."""
        packet = bytes(self._out_view[AT : AT + size])
        if answers is not None:
            rest = [selector for selector in answers if selector not in selectors]
            if rest:
                self._send_packet(family, pure_ack(family, packet), flow, rest)
                self.copies += 1
        self._send_packet(family, packet, flow, selectors)

    def _send_packet(self, family, packet, flow, selectors):
        out = self._out
        if (packet[family.length + 12] >> 4) << 12 >= NO_ROOM:
            shorter = make_room(family, packet)
            if shorter is None:
                self.copies += len(selectors) - 1
                for selector in selectors:
                    out[AT : AT + len(packet)] = packet
                    mark = flow.mark(selector)
                    start = family.mark_only(out, AT, mark)
                    mark.send(self._out_view[start : AT + len(packet)])
                return
            packet = shorter
        out[AT : AT + len(packet)] = packet
        self._send_on(family, family.HEADERS.unpack_from(out, AT), len(packet), flow, selectors)

    def _send_other(self, family, size):
        """What is not TCP keeps its marks: applications set DSCP and flow label themselves (P-ECMP, section 4)."""
        out = self._out
        if family is Ipv4:
            if size < 20 or out[AT + 16] >= 224:
                self.kept += 1
                return
            dscp, label = out[AT + 1] >> 2, 0
            protocol, header, addresses = out[AT + 9], (out[AT] & 0x0F) * 4, bytes(out[AT + 12 : AT + 20])
            has_ports = not out[AT + 6] & 0x3F and not out[AT + 7]
        else:
            # Multicast and addresses of the link only: the network behind the NICs is routed.
            if size < 40 or out[AT + 24] == 0xFF or out[AT + 8] == 0xFE or out[AT + 24] == 0xFE:
                self.kept += 1
                return
            first = int.from_bytes(out[AT : AT + 4], "big")
            dscp, label = (first >> 22) & 0x3F, first & 0xFFFFF
            protocol, header, addresses = out[AT + 6], 40, bytes(out[AT + 8 : AT + 40])
            has_ports = True
        has_ports = has_ports and protocol in (PROTOCOL_TCP, PROTOCOL_UDP) and size >= header + 4
        ports = bytes(out[AT + header : AT + header + 4]) if has_ports else b"\0\0\0\0"
        selector = selector_of(self._field, dscp, 0, label)
        mark = self.make_mark(family, addresses + ports, protocol, selector)
        start = AT - len(mark.ethernet)
        out[start:AT] = mark.ethernet
        mark.send(self._out_view[start : AT + size])

    def send_marked(self, family, key, protocol, packet, selector):
        """Sends a packet of the agent's own on a selector."""
        mark = self.make_mark(family, key, protocol, selector)
        out = self._out
        out[AT : AT + len(packet)] = packet
        start = family.mark_only(out, AT, mark)
        mark.send(self._out_view[start : AT + len(packet)])

    # Wire to kernel.

    def read_nic(self, nic):
        buffer = self._in
        tagged, mac = self._tagged, nic.mac
        for _ in range(BATCH):
            vlan = 0
            try:
                if tagged:
                    length, vlan = nic.receive_tagged(buffer)
                else:
                    length = nic.receive_into(buffer)
            except OSError:
                # Nothing more, or the device went down and comes back.
                return
            if length < 34 or buffer[:6] != mac:
                self.rejected += 1
                continue
            ethertype = buffer[12:14]
            if ethertype == Ipv4.ethertype:
                family = Ipv4
            elif ethertype == Ipv6.ethertype:
                family = Ipv6
            else:
                self.rejected += 1
                continue
            if family.is_tcp(buffer, 14, length - 14):
                self._receive_segment(family, length, vlan)
            else:
                self._receive_other(family, length, vlan)

    def _receive_segment(self, family, length, vlan):
        buffer = self._in
        at = 14
        echo = UNKNOWN
        fields = None
        if length >= at + family.WITH_ECHO.size:
            fields = family.WITH_ECHO.unpack_from(buffer, at)
            if fields[-3] == ECHO_KIND_AND_LENGTH and fields[-2] == ECHO_EXPERIMENT and fields[-7] >= SHORTEST:
                echo = fields[-1]
            else:
                fields = None
        if fields is None:
            fields = family.HEADERS.unpack_from(buffer, at)
            key, sequence, number, offset, window, _sum, _urgent = fields[-7:]
        else:
            key, sequence, number, offset, window = fields[-10:-5]
        end = at + family.size(fields)
        payload = end - at - family.length - (offset >> 12) * 4
        if end > length or payload < 0:
            self.rejected += 1
            return
        if family is Ipv4:
            dscp, label = buffer[15] >> 2, 0
        else:
            first = int.from_bytes(buffer[14:18], "big")
            dscp, label = (first >> 22) & 0x3F, first & 0xFFFFF
        selector = selector_of(self._field, dscp, vlan, label)
        if echo != UNKNOWN:
            at = family.write_stripped(buffer, at, fields)
        watcher = self._track(family, key, sequence, number, offset, window, payload, selector, echo)
        self.to_kernel += 1
        try:
            os.write(self._tun, self._in_view[at:end])
        except OSError:
            self.rejected += 1
        if watcher is not None:
            # The kernel has seen the acknowledgement by now.
            watcher.progressed()

    def _track(self, family, key, sequence, number, offset, window, payload, selector, echo):
        """Tells the flow's chooser what came; returns who watches its progress, if this is some."""
        flow = self._receiving.get(key)
        if flow is None or (offset & (SYN | ACK) == SYN and flow.peer_first not in (None, sequence)):
            src_at = family.address_length
            if offset & RST or bytes(key[src_at : 2 * src_at]) not in self._addresses:
                return None
            flow = self._open(family, reverse_key(key), flow)
        flow.echo = selector
        chooser = flow.chooser
        length = payload
        if offset & (SYN | FIN):
            length += (1 if offset & SYN else 0) + (1 if offset & FIN else 0)
        if length:
            known = flow.arrived(sequence, length)
            if offset & SYN:
                flow.peer_first = sequence
                if known:
                    # The kernel answers with its own SYN again, which is no timeout of ours.
                    flow.acknowledged = time.monotonic_ns()
            flow.answer_on(chooser.on_data(selector, echo, known))
        watcher = None
        if offset & ACK and not offset & RST:
            ended = flow.acknowledge(number, length == 0, window, time.monotonic_ns())
            if ended is not None:
                chooser.on_ack(echo)
                watcher = flow.watcher
                if ended and watcher is not None:
                    watcher.recovered(flow, ended)
        if offset & (RST | FIN):
            self._end(flow, 3 if offset & RST else 2)
        return watcher

    def _receive_other(self, family, length, vlan):
        buffer = self._in
        if family is Ipv4:
            end = 14 + int.from_bytes(buffer[16:18], "big")
            protocol = buffer[23]
            dscp, label, header = buffer[15] >> 2, 0, (buffer[14] & 0x0F) * 4
        else:
            end = 54 + int.from_bytes(buffer[18:20], "big")
            protocol = buffer[20]
            first = int.from_bytes(buffer[14:18], "big")
            dscp, label, header = (first >> 22) & 0x3F, first & 0xFFFFF, 40
        if end > length:
            self.rejected += 1
            return
        if protocol == PROTOCOL_UDP and self.probes is not None:
            selector = selector_of(self._field, dscp, vlan, label)
            if self.probes.receive(family, bytes(self._in_view[14:end]), header, selector):
                return
        self.to_kernel += 1
        try:
            os.write(self._tun, self._in_view[14:end])
        except OSError:
            self.rejected += 1

    # Flows.

    def _open(self, family, key, old):
        if old is not None:
            self._forget(old)
        # A stream of its own: a flow's choices do not depend on what other flows do. A tuple that is used
        # again draws anew.
        generation = 0 if old is None else old.generation + 1
        random = self._random.fork(key.hex()).fork(generation)
        chooser = self._policy.open(flow_of(key, PROTOCOL_TCP), random)
        flow = TcpFlow(family, key, chooser, self._mark_of_flow, generation)
        flow.watcher = self.watchers.pop(key, None)
        self._sending[key] = flow
        self._receiving[reverse_key(key)] = flow
        if len(self._sending) > MOST_FLOWS:
            self._forget(next(iter(self._sending.values())))
        return flow

    def _forget(self, flow):
        if self._sending.get(flow.key) is flow:
            del self._sending[flow.key]
            del self._receiving[reverse_key(flow.key)]

    def _end(self, flow, ends):
        before, flow.ends = flow.ends, flow.ends | ends
        if before != 3 and flow.ends == 3:
            now = time.monotonic_ns()
            self._closed.append((now, flow))
            while self._closed and now - self._closed[0][0] > LINGER_NS:
                self._forget(self._closed.popleft()[1])

    def flow(self, key):
        """The flow that sends under this key, if there is one."""
        return self._sending.get(key)

    def _mark_of_flow(self, flow, selector):
        return self.make_mark(flow.family, flow.key, PROTOCOL_TCP, selector)

    def make_mark(self, family, key, protocol, selector):
        nics = self._nics
        nic = nics[0 if len(nics) == 1 else self._policy.nic(flow_of(key, protocol), selector, len(nics))]
        dscp, vlan, label = headers_of(self._field, selector)
        return Mark(nic, dscp, vlan, label if family is Ipv6 else 0, family.ethertype)

    @staticmethod
    def _is_timeout(flow, duplicates):
        """
        Whether a retransmission after duplicate acknowledgements comes from the retransmission timer. The kernel knows for
        a socket of ours; of others, fewer than three duplicates do not show a loss.
        """
        if flow.watcher is not None:
            return flow.watcher.in_loss_state()
        return duplicates < 3

    def statistics(self):
        return {
            "fromKernel": self.from_kernel,
            "toKernel": self.to_kernel,
            "copies": self.copies,
            "rejected": self.rejected,
            "kept": self.kept,
            "lost": sum(nic.lost for nic in self._nics),
            "flows": len(self._sending),
            "cpuNs": time.process_time_ns(),
        }
