"""
Flows that this host sends, each over a TCP connection of its own.

A flow has a number of bytes, or goes on until it is stopped. With `windowSegments` at most that many
segments are under way: the next one is written when the kernel says, by the bytes that wait for an
acknowledgement, that there is room. The data path tells a transfer of each acknowledgement of new data, so it need
not poll.
"""

import errno
import fcntl
import os
import socket
import time
from struct import pack, unpack

from addresses import address_text, make_key
from checks import address, optional, whole
from loop import GONE, READ, WRITE
from tcp_info import CA_LOSS, tcp_info

#: Bytes in the socket's send queue, acknowledged ones taken out.
SIOCOUTQ = 0x5411
#: TCP_MAXSEG takes no less.
LEAST_MSS = 88
#: What the timestamp option takes of a segment, where it is on.
TIMESTAMPS = 12
CHUNK = bytes(1 << 16)
#: A transfer that gets no report of progress checks by itself after this time.
LOOK_AGAIN_NS = 50_000_000
#: Flows that are under way or wait for their start; those under way have a socket each.
MOST_TRANSFERS = 100_000


class TransferRequest:
    def __init__(self, request, config):
        """Raises ValueError with the member's name."""
        self.id = whole(request, "id", 0, 2**53)
        self.to = address(request, "to")
        self.port = whole(request, "port", 1, 65535)
        self.source = config.ipv4 if len(self.to) == 4 else config.ipv6
        if self.source is None:
            raise ValueError("to: this host has no address of the family of %s" % request["to"])
        if self.to == self.source:
            raise ValueError("to: %s is this host itself" % request["to"])
        self.client_port = whole(request, "clientPort", 0, 65535, 0)
        self.bytes = optional(request, "bytes", whole, 1, 2**53)
        self.segment_bytes = optional(request, "segmentBytes", whole, 1, 8948)
        self.window_segments = optional(request, "windowSegments", whole, 1, 65535)
        if self.window_segments is not None and self.segment_bytes is None:
            raise ValueError("segmentBytes: windowSegments counts segments of this size; give it too")
        self.start_ns = optional(request, "startNs", whole, 0, 2**63)
        room = config.mtu - (40 if len(self.to) == 4 else 60) - TIMESTAMPS
        if self.segment_bytes is not None and self.segment_bytes > room:
            raise ValueError("segmentBytes: at most %d fit into the MTU, got %d" % (room, self.segment_bytes))


class Transfers:
    def __init__(self, loop, data_path, events):
        self._loop = loop
        self._data_path = data_path
        self._events = events
        self._transfers = {}

    def add(self, request):
        if request.id in self._transfers:
            raise ValueError("id: there is a flow %d already" % request.id)
        if len(self._transfers) >= MOST_TRANSFERS:
            raise ValueError("there are %d flows already" % MOST_TRANSFERS)
        transfer = Transfer(request, self._loop, self._data_path, self._events, self._transfers)
        self._transfers[request.id] = transfer
        if request.start_ns is None or request.start_ns <= time.monotonic_ns():
            transfer.start()
        else:
            self._loop.at(request.start_ns, transfer.start)

    def stop(self, number):
        transfer = self._transfers.get(number)
        if transfer is not None:
            transfer.finish(stopped=True)

    def stop_all(self):
        for transfer in list(self._transfers.values()):
            transfer.close()


class Transfer:
    def __init__(self, request, loop, data_path, events, register):
        self._request = request
        self._loop = loop
        self._data_path = data_path
        self._events = events
        self._register = register
        self._socket = None
        self._connected = False
        self._awaits_room = False
        self._looks = False
        self._key = None
        #: Bytes that are still to be written; None: no end.
        self._left = request.bytes
        self._written = 0
        self._started_at = None

    def start(self):
        request = self._request
        if self._register.get(request.id) is not self:
            return
        try:
            self._socket = self._open(request)
            destination = (address_text(request.to), request.port)
            self._started_at = time.monotonic_ns()
            code = self._socket.connect_ex(destination)
            if code not in (0, errno.EINPROGRESS):
                raise OSError(code, os.strerror(code))
        except OSError as error:
            self._fail(error.strerror or str(error))
            return
        self._events.send("started", id=request.id, atNs=self._started_at, clientPort=self._client_port)
        self._loop.watch(self._socket.fileno(), WRITE | READ | GONE, self._ready)

    def _open(self, request):
        family = socket.AF_INET if len(request.to) == 4 else socket.AF_INET6
        connection = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        self._socket = connection
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if request.segment_bytes is not None:
            connection.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_MAXSEG, max(LEAST_MSS, request.segment_bytes + timestamps_length())
            )
        connection.bind((address_text(request.source), request.client_port))
        self._client_port = connection.getsockname()[1]
        self._key = make_key(request.source, request.to, self._client_port, request.port)
        self._data_path.watchers[self._key] = self
        return connection

    # From the loop.

    def _ready(self, events):
        error = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            self._fail(os.strerror(error))
            return
        if events & READ:
            try:
                if not self._socket.recv(4096):
                    self._fail("the other end closed the connection")
                    return
            except BlockingIOError:
                pass
            except OSError as problem:
                self._fail(problem.strerror)
                return
        if events & WRITE:
            if not self._connected:
                self._connected = True
                self._events.send("connected", id=self._request.id, atNs=time.monotonic_ns())
            self._awaits_room = False
            self._pump()
            if self._socket is not None and not self._awaits_room:
                self._loop.change(self._socket.fileno(), READ | GONE)

    def _look(self):
        self._looks = False
        if self._socket is not None:
            self.progressed()

    def _queued(self):
        return unpack("i", fcntl.ioctl(self._socket, SIOCOUTQ, pack("i", 0)))[0]

    def _pump(self):
        """Writes what there is room for."""
        request = self._request
        segment = request.segment_bytes
        window = None if request.window_segments is None else request.window_segments * segment
        try:
            room = None if window is None else window - self._queued()
            while self._left is None or self._left > 0:
                size = segment if window is not None else len(CHUNK)
                if self._left is not None:
                    size = min(size, self._left)
                if room is not None and room < size:
                    break
                sent = self._socket.send(CHUNK if size == len(CHUNK) else CHUNK[:size])
                self._written += sent
                if self._left is not None:
                    self._left -= sent
                if room is not None:
                    room -= sent
        except BlockingIOError:
            self._awaits_room = True
            return
        except OSError as error:
            self._fail(error.strerror)
            return
        if not self._looks:
            # The data path forgets flows when there are too many of them.
            self._looks = True
            self._loop.at(time.monotonic_ns() + LOOK_AGAIN_NS, self._look)

    # From the data path.

    def progressed(self):
        """New data were acknowledged."""
        if self._socket is None or not self._connected:
            return
        if self._left == 0:
            if self._queued() == 0:
                self.finish()
            elif not self._looks:
                self._looks = True
                self._loop.at(time.monotonic_ns() + LOOK_AGAIN_NS, self._look)
        elif not self._awaits_room:
            self._pump()

    def timed_out(self, flow, selectors):
        self._events.send(
            "timeout", id=self._request.id, atNs=flow.tried_at, attempt=flow.attempts, selectors=list(selectors)
        )

    def recovered(self, flow, attempts):
        self._events.send(
            "recovered",
            id=self._request.id,
            atNs=time.monotonic_ns(),
            triedAtNs=flow.tried_at,
            attempts=attempts,
            selector=flow.chooser.selector,
        )

    def in_loss_state(self):
        return self._socket is not None and tcp_info(self._socket)["caState"] == CA_LOSS

    # The end.

    def finish(self, stopped=False):
        """Reports the flow; a stopped one is reset, so that nothing of it stays under way."""
        now = time.monotonic_ns()
        flow = None if self._key is None else self._data_path.flow(self._key)
        report = {
            "id": self._request.id,
            "atNs": now,
            "stopped": stopped,
            "bytes": self._written,
            "fctNs": None if self._started_at is None else now - self._started_at,
            "timeouts": 0 if flow is None else flow.timeouts,
        }
        if self._socket is not None:
            report["bytes"] = self._written - self._queued() if self._connected else 0
            report["tcp"] = tcp_info(self._socket)
        self._events.send("finished", **report)
        self.close(reset=stopped)

    def _fail(self, text):
        self._events.send("failed", id=self._request.id, text=text, atNs=time.monotonic_ns())
        self.close(reset=True)

    def close(self, reset=True):
        self._register.pop(self._request.id, None)
        if self._key is not None:
            self._data_path.watchers.pop(self._key, None)
            flow = self._data_path.flow(self._key)
            if flow is not None and flow.watcher is self:
                flow.watcher = None
        if self._socket is None:
            return
        self._loop.forget(self._socket.fileno())
        if reset:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
        self._socket.close()
        self._socket = None


def timestamps_length():
    """Bytes that the kernel's timestamp option takes of each segment."""
    try:
        with open("/proc/sys/net/ipv4/tcp_timestamps") as file:
            return TIMESTAMPS if file.read().strip() != "0" else 0
    except OSError:
        return TIMESTAMPS
