"""
One end of one TCP connection, as the agent sees it pass by.

The kernel does the work; the agent has to tell what the kernel does, since that is what choosers act on: which
segments are new, which ones are sent again after a timeout, which data that arrive are known, which
acknowledgements are progress. SYN and FIN count as one byte of data each, as TCP counts them.
"""

from receive_window import ReceiveWindow

MASK = 0xFFFFFFFF
HALF = 0x80000000

#: Copies of one acknowledgement at most, whatever has been asked for since the last one.
MOST_COPIES = 4


class TcpFlow:
    __slots__ = (
        "family", "key", "chooser", "make_mark", "marks", "echo", "answers", "watcher",
        "first", "unacknowledged", "next", "head_sent", "acknowledged", "duplicates", "window",
        "attempts", "timeouts", "tried_at", "segments", "retransmissions",
        "received", "peer_first", "ends", "generation",
    )  # fmt: skip

    def __init__(self, family, key, chooser, make_mark, generation=0):
        self.family = family
        #: Source and destination address and ports, as this end sends them.
        self.key = key
        self.chooser = chooser
        self.make_mark = make_mark
        #: How many connections had this key before.
        self.generation = generation
        #: Mark by selector.
        self.marks = {}
        #: Selector of the last segment that came in.
        self.echo = 0
        #: Selectors that the next acknowledgement goes out on, where it is not the chooser's alone.
        self.answers = None
        #: Receives timeouts, recovery and progress; see transfers.py.
        self.watcher = None

        # The sending half. Times are nanoseconds.
        self.first = None
        self.unacknowledged = None
        self.next = None
        #: When the first unacknowledged segment left last, and when an acknowledgement came last.
        self.head_sent = 0
        self.acknowledged = 0
        #: Duplicate acknowledgements since the first unacknowledged segment left.
        self.duplicates = 0
        self.window = None
        #: Timeouts since the last progress, and in all; when the last retransmission of a timeout left.
        self.attempts = 0
        self.timeouts = 0
        self.tried_at = 0
        self.segments = 0
        self.retransmissions = 0

        # The receiving half.
        self.received = None
        self.peer_first = None
        #: Directions that have sent a FIN, or both at once by a RST: bit 0 ours, bit 1 the other end's.
        self.ends = 0

    def mark(self, selector):
        mark = self.marks.get(selector)
        if mark is None:
            mark = self.marks[selector] = self.make_mark(self, selector)
        return mark

    def sent(self, sequence, length, now, quiet, is_timeout):
        """
        Data leave. True when the kernel's retransmission timer ran out: the first unacknowledged segment leaves
        again, `quiet` nanoseconds or more after it left last and after the last acknowledgement that could have
        made the kernel send. Where duplicate acknowledgements have come in between, `is_timeout` decides.
        """
        self.segments += 1
        if self.next is None:
            self.first = self.unacknowledged = self.next = sequence
        if (sequence - self.next) & MASK < HALF:
            if self.unacknowledged == self.next:
                self.head_sent = now
            self.next = (sequence + length) & MASK
            return False
        self.retransmissions += 1
        end = (sequence + length) & MASK
        if (end - self.next) & MASK < HALF:
            self.next = end
        # Not the first unacknowledged segment.
        if (self.unacknowledged - sequence) & MASK >= length:
            return False
        silence = now - max(self.head_sent, self.acknowledged)
        duplicates = self.duplicates
        self.head_sent = now
        self.duplicates = 0
        if silence < quiet or (duplicates > 0 and not is_timeout(self, duplicates)):
            return False
        self.attempts += 1
        self.timeouts += 1
        self.tried_at = now
        return True

    def acknowledge(self, number, is_pure, window, now):
        """
        An acknowledgement came. Returns the number of timeouts that its progress ends, 0 for progress without
        any, None where it is no progress.
        """
        if self.next is None:
            return None
        progress = (number - self.unacknowledged) & MASK
        if progress == 0:
            if is_pure and window == self.window and self.next != self.unacknowledged:
                self.duplicates += 1
                self.acknowledged = now
            self.window = window
            return None
        if progress > (self.next - self.unacknowledged) & MASK:
            return None
        self.window = window
        self.unacknowledged = number
        self.acknowledged = now
        self.duplicates = 0
        attempts = self.attempts
        self.attempts = 0
        return attempts

    def arrived(self, sequence, length):
        """Data came in; True when all of them were known."""
        if self.received is None:
            self.received = ReceiveWindow(sequence)
        return not self.received.add(sequence, length)

    def answer_on(self, selectors):
        """The acknowledgement of what came in is to leave on these selectors."""
        if self.answers is None:
            if len(selectors) == 1 and selectors[0] == self.chooser.selector:
                return
            self.answers = list(selectors)
            return
        for selector in selectors:
            if selector not in self.answers and len(self.answers) < MOST_COPIES:
                self.answers.append(selector)
