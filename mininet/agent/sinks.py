"""Listeners: they accept every connection and throw away what comes."""

import socket

from addresses import address_text
from loop import READ

#: Bytes that are thrown away at a time, and times before other work gets its turn.
PIECE = 1 << 20
PIECES = 16
MOST_LISTENERS = 1024


class Sinks:
    def __init__(self, loop):
        self._loop = loop
        self._sockets = {}
        self._listeners = {}
        self._space = bytearray(PIECE)

    def listen(self, own, port):
        """Listens on one of this host's addresses; once more on the same port is no mistake."""
        if (own, port) in self._listeners:
            return
        if len(self._listeners) >= MOST_LISTENERS:
            raise ValueError("there are %d listeners already" % MOST_LISTENERS)
        family = socket.AF_INET if len(own) == 4 else socket.AF_INET6
        listener = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((address_text(own), port))
            listener.listen(1024)
        except OSError:
            listener.close()
            raise
        self._listeners[(own, port)] = listener
        self._loop.watch(listener.fileno(), READ, lambda _events: self._accept(listener))

    def _accept(self, listener):
        try:
            while True:
                connection, _address = listener.accept()
                connection.setblocking(False)
                fd = connection.fileno()
                self._sockets[fd] = connection
                self._loop.watch(fd, READ, lambda _events, c=connection: self._drain(c))
        except OSError:
            # Nothing more, or the connection went before it was accepted.
            pass

    def _drain(self, connection):
        try:
            for _ in range(PIECES):
                # MSG_TRUNC: TCP throws the bytes away instead of copying them.
                if connection.recv_into(self._space, PIECE, socket.MSG_TRUNC) == 0:
                    break
            else:
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        fd = connection.fileno()
        self._loop.forget(fd)
        del self._sockets[fd]
        connection.close()

    def close(self):
        for opened in list(self._sockets.values()) + list(self._listeners.values()):
            self._loop.forget(opened.fileno())
            opened.close()
        self._sockets.clear()
        self._listeners.clear()
