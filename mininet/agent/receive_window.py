"""Which bytes of a stream have arrived: everything before a point, and islands beyond it."""

MASK = 0xFFFFFFFF
HALF = 0x80000000

#: Islands that are remembered; a kernel's receive buffer has fewer holes than that in all but hostile streams.
MOST_ISLANDS = 1024


class ReceiveWindow:
    """Sequence numbers are those of the wire, modulo 2^32; inside, positions grow without an end."""

    __slots__ = ("next", "_islands")

    def __init__(self, sequence):
        #: Position of the first byte that has not arrived.
        self.next = sequence
        self._islands = []

    def add(self, sequence, length):
        """Notes a segment; True when at least one byte of it is new."""
        ahead = (sequence - self.next) & MASK
        islands = self._islands
        if ahead == 0 and not islands:
            self.next += length
            return length > 0
        start = self.next + (ahead if ahead < HALF else ahead - MASK - 1)
        end = start + length
        start = max(start, self.next)
        if end <= start:
            return False
        for low, high in islands:
            if low <= start and end <= high:
                return False
        touching = [i for i in islands if i[0] <= end and i[1] >= start]
        start = min([start] + [i[0] for i in touching])
        end = max([end] + [i[1] for i in touching])
        apart = [i for i in islands if i not in touching]
        if start <= self.next:
            self.next = end
            self._islands = [i for i in apart if i[0] > end]
        else:
            self._islands = sorted(apart + [(start, end)])[:MOST_ISLANDS]
        return True
