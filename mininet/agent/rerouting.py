"""
P-ECMP's selectors: the slices that hops read, and which selector leaves a path.

The same as src/schemes/pecmp/layout.ts and `makeRerouter` of src/schemes/pecmp/hosts.ts, which say why.
"""

HOPS = ("nic", "tor", "leaf", "spine", "legs")


class Layout:
    def __init__(self, description):
        self.shared = description["shared"]
        self.bits = description["bits"]
        self.control = description["control"]
        self.version_bit = description["versionBit"]
        self.slices = {hop: (s["low"], s["width"]) for hop, s in description["slices"].items()}
        self.least = {hop: f["least"] for hop, f in description["fanOuts"].items()}

    def read(self, hop, selector):
        """The value that a hop reads; 0 for a hop without a slice."""
        if hop not in self.slices:
            return 0
        low, width = self.slices[hop]
        return (selector >> low) % (1 << width)

    def write(self, hop, selector, value):
        if hop not in self.slices:
            return selector
        return selector + (value - self.read(hop, selector)) * (1 << self.slices[hop][0])


class SliceRerouter:
    """Every hop has a slice of its own."""

    def __init__(self, layout):
        self.layout = layout
        # Control of next hops: 0 is the hash, 1 to n name a next hop each.
        self.first = 1 if layout.control == "hops" else 0

    def leave(self, start, tried, random):
        selector = self._leave_each(start, random)
        return self.draw(start, random) if selector in tried else selector

    def _leave_each(self, start, random):
        layout = self.layout
        selector = start
        for hop in HOPS:
            n = layout.least.get(hop)
            if n is None:
                continue
            place = (layout.read(hop, selector) - self.first + n) % n
            value = self.first + (place + 1 + random.int(n - 1)) % n
            selector = layout.write(hop, selector, value)
        return selector

    def draw(self, start, random):
        """Any value in each slice."""
        selector = start
        for hop in HOPS:
            n = self.layout.least.get(hop)
            if n is not None:
                selector = self.layout.write(hop, selector, self.first + random.int(n))
        return selector


class OffsetRerouter:
    """All hops read one value, to which hosts add an offset."""

    def __init__(self, layout, rule, offsets):
        self.rule = rule
        self.offsets = offsets
        self.limit = 1 << (layout.bits - (0 if layout.version_bit == "none" else 1))

    def _reachable(self, start):
        if self.rule == "odd":
            return [(start + offset) % self.limit for offset in self.offsets]
        both = [start + sign * offset for offset in self.offsets for sign in (1, -1)]
        return [selector for selector in both if 0 <= selector < self.limit]

    def leave(self, start, tried, random):
        fresh = [s for s in self._reachable(start) if s not in tried]
        if fresh:
            return random.pick(fresh)
        farther = [s for old in tried for s in self._reachable(old) if s not in tried]
        if farther:
            return random.pick(farther)
        again = [s for s in tried if s != start] or self._reachable(start)
        # A selector that no host of this fabric makes has no way out.
        return random.pick(again) if again else start


def make_rerouter(layout, offsets):
    if layout.shared:
        return OffsetRerouter(layout, offsets["rule"], offsets["offsets"])
    return SliceRerouter(layout)
