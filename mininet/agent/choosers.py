"""
Which selectors one end of one flow sends on: the choosers of src/schemes, decision for decision.

A chooser has the `selector` of ordinary segments and three methods. `on_timeout(attempt)` returns the selectors
of a retransmission, `on_data(selector, echo, duplicate)` those of an acknowledgement: the packet is sent once on
each. `on_ack(echo)` hears of acknowledgements of new data. An echo is the selector of the last segment that
the other end had received, or UNKNOWN where the segment carried none.
"""

UNKNOWN = -1


class FixedPath:
    def __init__(self, selector):
        self.selector = selector

    def on_timeout(self, _attempt):
        return [self.selector]

    def on_ack(self, _echo):
        pass

    def on_data(self, _selector, _echo, _duplicate):
        return [self.selector]


class RandomPath:
    """PRR: both ends draw anew, the receiver when data come that show a loss."""

    def __init__(self, values, random):
        self.selector = 0
        self._values = values
        self._random = random
        self._peer = 0

    def on_timeout(self, _attempt):
        self.selector = self._random.int(self._values)
        return [self.selector]

    def on_ack(self, _echo):
        pass

    def on_data(self, selector, _echo, duplicate):
        if duplicate or selector != self._peer:
            self.selector = self._random.int(self._values)
        self._peer = selector
        return [self.selector]


class ShiftingPath:
    """The sender moves on at every timeout; the receiver answers on the selector of what it answers."""

    def __init__(self, rerouter, random, start):
        self.selector = start
        self._rerouter = rerouter
        self._random = random
        self._tried = [start]

    def on_timeout(self, _attempt):
        self.selector = self._rerouter.leave(self.selector, self._tried, self._random)
        self._tried.append(self.selector)
        return [self.selector]

    def on_ack(self, _echo):
        self._tried = [self.selector]

    def on_data(self, selector, _echo, _duplicate):
        self.selector = selector
        return [selector]


class ProbingPath:
    """Sends on the old path and on a new one until an echo tells which of them works."""

    def __init__(self, rerouter, random, start, peer):
        self.selector = start
        self._rerouter = rerouter
        self._random = random
        # Selector that the other end's data came with last; it may be known from the start.
        self._peer = peer
        # Selectors of the trial that is going on, and those of the other end seen in it.
        self._trial = []
        self._seen = []

    def on_timeout(self, _attempt):
        return self._probe()

    def on_ack(self, echo):
        self._settle(echo)

    def on_data(self, selector, echo, duplicate):
        moved = self._peer != UNKNOWN and selector != self._peer
        self._peer = selector
        if not self._trial:
            return self._probe_after(selector) if duplicate or moved else [self.selector]
        if selector in self._seen:
            if duplicate:
                return self._probe_after(selector)
            # New data on a known path: an acknowledgement of the trial has reached the other end.
            self._settle(echo)
            return [self.selector]
        # The other copy of what was answered already, or a further attempt: one more path and only one, since
        # three acknowledgements in a row would mean loss.
        self._seen.append(selector)
        return self._probe()[1:]

    def _probe_after(self, peer_selector):
        self._seen = [peer_selector]
        return self._probe()

    def _probe(self):
        if not self._trial:
            self._trial = [self.selector]
        selector = self._rerouter.leave(self.selector, self._trial, self._random)
        self._trial.append(selector)
        return [self.selector, selector]

    def _settle(self, echo):
        if echo not in self._trial:
            return
        self.selector = echo
        self._trial = []
        self._seen = []
