"""
JSON lines: requests on stdin, events on stdout.

Requests end with stdin. Events wait in a bounded queue for a slow reader; when it is full the agent ends, since an
event that is left out could be the one that somebody waits for.
"""

import json
import os

from loop import READ, WRITE

#: Bytes of one request, and of all events that wait.
LONGEST_LINE = 1 << 20
MOST_WAITING = 16 << 20


class Requests:
    def __init__(self, loop, fd, handle, ended):
        """Calls `handle(line)` for each line and `ended()` at the end of the input."""
        self._loop = loop
        self._fd = fd
        self._handle = handle
        self._ended = ended
        self._rest = b""
        os.set_blocking(fd, False)
        loop.watch(fd, READ, self._read)

    def _read(self, _events):
        try:
            data = os.read(self._fd, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            self._loop.forget(self._fd)
            self._ended()
            return
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            if line.strip():
                self._handle(line)
        if len(self._rest) > LONGEST_LINE:
            raise ValueError("a request is longer than %d bytes" % LONGEST_LINE)


class Events:
    def __init__(self, loop, fd):
        self._loop = loop
        self._fd = fd
        self._waiting = bytearray()
        os.set_blocking(fd, False)

    def send(self, event, **members):
        line = json.dumps({"event": event, **members}, separators=(",", ":"))
        if len(self._waiting) > MOST_WAITING:
            raise OSError("nobody reads the events: %d bytes of them wait" % len(self._waiting))
        was_empty = not self._waiting
        self._waiting += line.encode() + b"\n"
        if was_empty and not self._write():
            self._loop.watch(self._fd, WRITE, self._continue)

    def _write(self):
        """True when nothing waits any more."""
        try:
            del self._waiting[: os.write(self._fd, self._waiting)]
        except BlockingIOError:
            pass
        return not self._waiting

    def _continue(self, _events):
        if self._write():
            self._loop.forget(self._fd)

    def flush(self):
        """Writes what waits, however long the reader takes."""
        os.set_blocking(self._fd, True)
        while self._waiting:
            del self._waiting[: os.write(self._fd, self._waiting)]
