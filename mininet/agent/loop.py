"""One thread that waits for file descriptors and for times."""

import heapq
import select
import time

READ, WRITE, GONE = select.EPOLLIN, select.EPOLLOUT, select.EPOLLRDHUP


class Loop:
    def __init__(self):
        self._epoll = select.epoll()
        self._callbacks = {}
        self._timers = []
        self._count = 0
        self._running = True

    def watch(self, fd, events, callback):
        """Calls `callback(events)` when one of the events (or an error) is there."""
        self._callbacks[fd] = callback
        self._epoll.register(fd, events)

    def change(self, fd, events):
        self._epoll.modify(fd, events)

    def forget(self, fd):
        if self._callbacks.pop(fd, None) is not None:
            self._epoll.unregister(fd)

    def at(self, when, callback):
        """Calls back at a time of CLOCK_MONOTONIC in nanoseconds."""
        self._count += 1
        heapq.heappush(self._timers, (when, self._count, callback))

    def stop(self):
        self._running = False

    def run(self):
        poll, callbacks, timers, now = self._epoll.poll, self._callbacks, self._timers, time.monotonic_ns
        while self._running:
            wait = -1 if not timers else max(0, timers[0][0] - now()) / 1e9
            for fd, events in poll(wait):
                callback = callbacks.get(fd)
                if callback is not None:
                    callback(events)
            while timers and timers[0][0] <= now() and self._running:
                heapq.heappop(timers)[2]()
